/* berth/lifetime.h: who needs arena bytes, when, and who may share them.
 *
 * Turns a schedule into a planning problem (plan.h): one item for each tensor
 * that needs arena bytes, its spans, ties for views and links for operators
 * that may write over their input.
 *
 * born: the step that first writes the tensor (graph inputs: 0). dead: one past
 * its last reader (graph outputs: the end). A tensor read and one written by
 * the same step are both alive there, unless a link says otherwise. A tensor
 * that is written several times (a callee that is called twice, the output of
 * IF) has several spans; so has the variable of a loop, which is dead between
 * its last reader in the body and BACK.
 *
 * ties   A view, and what a call, a branch or a condition is handed by one
 *        caller, are the bytes of their source. Sources without arena bytes,
 *        of another size, or more than one: the step copies.
 *        What a CONCATENATION, PACK or PAD joins is made in its place, if it
 *        dies there, and what a SPLIT or UNPACK parts stays where it is, if
 *        the input dies there (rows.h: berth_op_parts): in steps with more
 *        bytes alive than any other kind of step; elsewhere a copy is free.
 * links  An output may lie at or before an input that dies in its step, where
 *        the operator has the licence (op.h); so may the target of a move. At
 *        step 0, what is born may lie over an input that nobody reads. */
#ifndef BERTH_LIFETIME_H
#define BERTH_LIFETIME_H

#include "berth/plan.h"
#include "berth/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a tensor is to the arena. */
#define BERTH_CLASS_TABLE(X)                                                   \
    X(UNUSED, "unused", "this signature never touches it: no bytes")           \
    X(CONSTANT, "constant", "read where it lies in the file")                  \
    X(ENCODED, "encoded", "a constant behind DEQUANTIZE or DENSIFY")           \
    X(FOLDED, "folded", "a shape or index known in prepare: no bytes")         \
    X(STATE, "state", "keeps its value between invocations")                   \
    X(HANDLE, "handle", "resource handle: no bytes")                           \
    X(UNWRITTEN, "unwritten", "read, but nobody writes it: no bytes")          \
    X(DYNAMIC, "dynamic", "size depends on values: no number")                 \
    X(INPUT, "input", "the caller writes it")                                  \
    X(OUTPUT, "output", "the caller reads it")                                 \
    X(VIEW, "view", "the bytes of another tensor")                             \
    X(INNER, "inner", "written and read between inputs and outputs")

typedef enum berth_class {
#define BERTH_CLASS_ENUM(name, text, help) BERTH_CLASS_##name,
    BERTH_CLASS_TABLE(BERTH_CLASS_ENUM)
#undef BERTH_CLASS_ENUM
        BERTH_CLASS_COUNT
} berth_class;

const char *berth_class_name(berth_class class_);

typedef struct berth_lifetime_options {
    uint32_t align; /* of every item; 0: 16 */
    bool no_views;    /* every view is a copy */
    bool no_inplace;  /* no operator writes over its input */
    bool no_scratch;  /* leave kernel scratch out of the problem */
    bool keep_inputs; /* graph inputs live to the end */
    bool hold_inputs; /* the caller holds graph inputs, or outputs, in memory */
    bool hold_outputs; /* of his own: no items, and views of them are copies */
    uint32_t lag; /* what a step uses is in use for so many steps more, as by
                     readers that run behind: nothing is written in place. A
                     loop or branch that this reaches into counts as a whole;
                     what is written anew within the lag has one place still */
    bool all_state; /* lay out the state of all signatures, as one block that
                       they share: state_bytes is model_state_bytes */
    const uint32_t *keep; /* tensors alive from birth to the end; those inside
                             a loop from its ENTER on */
    uint32_t keep_count;
    const uint32_t *pin;  /* tensors that share bytes with nobody, ever */
    uint32_t pin_count;
} berth_lifetime_options;

typedef struct berth_lifetimes {
    berth_problem problem;
    const uint32_t *tensor_of_item; /* global; BERTH_NONE: scratch */
    const uint32_t *op_of_item;     /* scratch: whose; else the producer */
    const uint32_t *item_of_tensor; /* BERTH_NONE: no arena bytes */
    const uint8_t *class_of_tensor; /* berth_class */
    uint64_t state_bytes; /* of this signature, blocks rounded up to align */
    uint64_t model_state_bytes; /* of all signatures: one block, shared */
    /* Where a variable, or what a handle stands for, begins in the block;
     * BERTH_NOWHERE: not in it, or the handle may have several names. NULL: the
     * model has no state. */
    const uint64_t *state_of_tensor;
    /* There: a byte for each subgraph, whether CALL_ONCE has run it;
     * BERTH_NOWHERE: nobody asks. */
    uint64_t once_offset;
    uint32_t dynamic_count;  /* tensors without a number */
    uint32_t scratch_count;
} berth_lifetimes;

/* `options` may be NULL: all as by default. */
BERTH_MUST_USE berth_status
berth_lifetimes_bytes(const berth_graph *graph, const berth_shapes *shapes,
                      const berth_schedule *schedule,
                      const berth_lifetime_options *options, size_t *bytes,
                      berth_diag *diag);

/* Items ascend by tensor; scratch comes last, by operator. Graph, shapes and
 * schedule are borrowed during the call only. `lifetimes` is written at the end
 * or not at all.
 *
 * BERTH_BAD_ARG    an alignment that is no power of two, a tensor to keep or
 *                  pin that does not exist.
 * BERTH_TOO_LARGE  a tensor of 2^63 bytes or more, state beyond 64 bits.
 * BERTH_NO_SPACE   diag->needed_bytes.
 * O(steps + operands + links log links). */
BERTH_MUST_USE berth_status
berth_lifetimes_init(const berth_graph *graph, const berth_shapes *shapes,
                     const berth_schedule *schedule,
                     const berth_lifetime_options *options, berth_work *work,
                     berth_lifetimes *lifetimes, berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

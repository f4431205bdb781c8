/* berth/micro.h: the memory that TensorFlow Lite for Microcontrollers takes,
 * predicted to the byte from the model file alone.
 *
 * TFLM lives in one block, the arena. Its *tail* grows down from the end and
 * holds what stays: its own objects, structures per tensor and operator,
 * options, what kernels keep, variables. Its *head* starts at the beginning
 * and holds the planned activations with the kernels' scratch. The sum is what
 * arena_used_bytes() answers. It is not the arena one needs: before the head
 * exists its place serves the planner and each operator's Prepare, and small
 * models need more there. arena_min_bytes counts all of it: an arena of that
 * size works and one of 16 bytes less does not (start and size multiples of
 * 16).
 *
 *     berth_micro_options options = {
 *         .target = berth_micro_target_find("m4"),
 *         .kernels = berth_micro_kernels_find("cmsis-nn")};
 *     berth_micro_bytes(&graph, &options, &need, &diag);
 *     berth_micro_predict(&graph, &options, &work, &micro, &diag);
 *     if (micro.refusal == BERTH_MICRO_STARTS) use(micro.arena_min_bytes);
 *
 * All sizes come from tables (core/micro, the .def files): structure sizes by
 * ABI, what each operator takes by kernel set, each with the version for which
 * it holds. Shapes are the file's: TFLM computes none. CONTRIBUTING.md tells
 * how to add a kernel set. */
#ifndef BERTH_MICRO_H
#define BERTH_MICRO_H

#include "berth/graph.h"
#include "berth/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A processor with its compiler's rules for structures. Static, immutable. */
typedef struct berth_micro_target berth_micro_target;

uint32_t berth_micro_target_count(void);
const berth_micro_target *berth_micro_target_at(uint32_t index);
/* "m4"; NULL: no such target. `name` ends in NUL. */
const berth_micro_target *berth_micro_target_find(const char *name);
const char *berth_micro_target_name(const berth_micro_target *target);
const char *berth_micro_target_help(const berth_micro_target *target);

/* A version of a set of kernels, with the version of TFLM it belongs to. */
typedef struct berth_micro_kernels berth_micro_kernels;

uint32_t berth_micro_kernels_count(void);
const berth_micro_kernels *berth_micro_kernels_at(uint32_t index);
/* "cmsis-nn" is its newest version, "cmsis-nn@6.0.0" that one; NULL: none. */
const berth_micro_kernels *berth_micro_kernels_find(const char *name);
const char *berth_micro_kernels_name(const berth_micro_kernels *kernels);
const char *berth_micro_kernels_version(const berth_micro_kernels *kernels);
const char *berth_micro_kernels_help(const berth_micro_kernels *kernels);

/* Whether the set has kernels for that processor. */
bool berth_micro_kernels_serve(const berth_micro_kernels *kernels,
                               const berth_micro_target *target);

typedef struct berth_micro_options {
    const berth_micro_target *target;   /* NULL: x86-64 */
    const berth_micro_kernels *kernels; /* NULL: the newest "reference" */
    bool recording;    /* RecordingMicroInterpreter instead of the plain one */
    bool preserve_all; /* preserve_all_tensors: every tensor keeps its bytes */
    bool no_scratch;   /* as if no kernel asked for scratch */
    bool armclang;     /* CMSIS-NN built with armclang instead of gcc */
    /* Resource variables live in an arena of their own (as in ESPHome). */
    bool resources_elsewhere;
} berth_micro_options;

/* What the tail holds, in the order in which it is taken first. bucket: where
 * RecordingMicroAllocator counts it. */
#define BERTH_MICRO_PART_TABLE(X)                                              \
    X(OBJECTS, "allocator and planner objects", NONE)                          \
    X(RESOURCES, "resource variable table", PERSISTENT_BUFFER)                 \
    X(SUBGRAPHS, "subgraph table", NONE)                                       \
    X(EVAL_TENSORS, "a structure per tensor", EVAL_TENSOR)                     \
    X(NODES, "a structure per operator", NODE)                                 \
    X(OPTIONS, "builtin options", NONE)                                        \
    X(INIT, "kernel data", PERSISTENT_BUFFER)                                  \
    X(PREPARE, "kernel arrays", PERSISTENT_BUFFER)                             \
    X(HANDLES, "scratch handles", NONE)                                        \
    X(VARIABLES, "variables", VARIABLE)                                        \
    X(IO_POINTERS, "pointers to inputs and outputs", PERSISTENT_BUFFER)        \
    X(IO_TENSORS, "structures of inputs and outputs", PERSISTENT_TENSOR)       \
    X(IO_QUANTIZATION, "quantization of inputs and outputs",                   \
      PERSISTENT_QUANTIZATION)

typedef enum berth_micro_part {
#define BERTH_MICRO_PART_ENUM(name, text, bucket) BERTH_MICRO_##name,
    BERTH_MICRO_PART_TABLE(BERTH_MICRO_PART_ENUM)
#undef BERTH_MICRO_PART_ENUM
        BERTH_MICRO_PART_COUNT
} berth_micro_part;

const char *berth_micro_part_text(berth_micro_part part);

/* RecordingMicroAllocator's buckets; NONE is in no bucket. */
typedef enum berth_micro_bucket {
    BERTH_MICRO_BUCKET_NONE,
    BERTH_MICRO_BUCKET_EVAL_TENSOR,
    BERTH_MICRO_BUCKET_PERSISTENT_TENSOR,
    BERTH_MICRO_BUCKET_PERSISTENT_QUANTIZATION,
    BERTH_MICRO_BUCKET_PERSISTENT_BUFFER,
    BERTH_MICRO_BUCKET_VARIABLE,
    BERTH_MICRO_BUCKET_NODE,
    BERTH_MICRO_BUCKET_COUNT
} berth_micro_bucket;

berth_micro_bucket berth_micro_part_bucket(berth_micro_part part);

typedef struct berth_micro_share {
    uint64_t requested_bytes;
    uint64_t used_bytes; /* with the padding that its alignment cost */
    uint64_t count;      /* as the recording allocator counts: allocations, but
                            tensors and operators where one block holds all */
} berth_micro_share;

/* Why the smallest arena is not smaller. */
#define BERTH_MICRO_CAUSE_TABLE(X)                                             \
    X(FINAL, "final layout (head + tail)")                                     \
    X(PLANNER, "working memory of the planner")                                \
    X(PREPARE, "temporary tensors while an operator is prepared")

typedef enum berth_micro_cause {
#define BERTH_MICRO_CAUSE_ENUM(name, text) BERTH_MICRO_CAUSE_##name,
    BERTH_MICRO_CAUSE_TABLE(BERTH_MICRO_CAUSE_ENUM)
#undef BERTH_MICRO_CAUSE_ENUM
        BERTH_MICRO_CAUSE_COUNT
} berth_micro_cause;

const char *berth_micro_cause_text(berth_micro_cause cause);

/* Whether TFLM starts with the model. Anything but STARTS: the figures are
 * what can be said, not a promise. */
#define BERTH_MICRO_REFUSAL_TABLE(X)                                           \
    X(STARTS, "it starts")                                                     \
    X(LACKS_OPERATOR, "TFLM has no such operator")                             \
    X(LACKS_TYPE, "a tensor of a type that has no size in TFLM")               \
    X(LACKS_SHAPE, "a tensor whose shape the file does not tell")              \
    X(EMPTY_OUTPUT, "an operator's output of no elements, which TFLM takes "   \
                    "for a dynamic one")                                       \
    X(REFUSES_OPERAND, "its kernel refuses these operands")                    \
    X(INTERMEDIATES, "intermediate tensors with bytes")                        \
    X(LOST_SCRATCH, "scratch in a subgraph that is never entered: TFLM would " \
                    "write through an uninitialized pointer")                  \
    X(OFFLINE_PLAN, "the offline plan in the file does not fit the model")     \
    X(LINEAR_LIMIT, "more buffers than the linear planner takes")

typedef enum berth_micro_refusal {
#define BERTH_MICRO_REFUSAL_ENUM(name, text) BERTH_MICRO_##name,
    BERTH_MICRO_REFUSAL_TABLE(BERTH_MICRO_REFUSAL_ENUM)
#undef BERTH_MICRO_REFUSAL_ENUM
        BERTH_MICRO_REFUSAL_COUNT
} berth_micro_refusal;

const char *berth_micro_refusal_text(berth_micro_refusal refusal);

/* What one operator takes. */
typedef struct berth_micro_op {
    uint64_t options_bytes; /* of the tail, without padding */
    uint64_t init_bytes;
    uint64_t prepare_bytes;
    uint64_t scratch_bytes; /* of the head, all its requests */
    uint32_t first_scratch; /* index into scratch[] */
    uint32_t scratch_count;
    bool lacking; /* TFLM does not have it */
} berth_micro_op;

/* The whole answer. Arrays lie in the lent memory. */
typedef struct berth_micro {
    uint64_t arena_used_bytes; /* head + tail */
    uint64_t arena_min_bytes;  /* a multiple of 16 */
    uint64_t head_bytes;
    uint64_t tail_bytes;
    uint64_t final_bytes; /* what each cause would ask for alone */
    uint64_t planner_bytes;
    uint64_t prepare_bytes;
    berth_micro_cause min_cause;
    uint32_t prepare_op; /* the op of prepare_bytes; BERTH_NONE: no operators */
    berth_micro_share parts[BERTH_MICRO_PART_COUNT]; /* used: sum is the tail */
    const berth_micro_op *ops;  /* [op_count] of the graph */
    const uint64_t *scratch;    /* bytes of each request, in order */
    const uint32_t *scratch_op; /* whose it is */
    uint32_t scratch_count;
    uint32_t resource_count;     /* distinct resource variables */
    uint32_t lacking_count;      /* operators that TFLM does not have */
    berth_micro_refusal refusal; /* the first found */
    uint32_t refusal_op;         /* BERTH_NONE where none is concerned */
    uint32_t refusal_tensor;
    /* The head as a problem and its plan: the activations by global tensor,
     * then the scratch. Step 0 is where all that is never reached lives. Sizes
     * are rounded up to 16. */
    berth_problem problem;
    const uint64_t *offset;
    const uint32_t *tensor_of_item; /* BERTH_NONE: scratch */
    bool offline; /* offsets of the file's metadata were obeyed */
} berth_micro;

/* Bytes that berth_micro_predict() takes from `work` and keeps. */
BERTH_MUST_USE berth_status
berth_micro_bytes(const berth_graph *graph, const berth_micro_options *options,
                  size_t *bytes, berth_diag *diag);

/* BERTH_BAD_ARG         the kernel set does not serve the target.
 * BERTH_TOO_LARGE       a sum beyond 2^60 bytes, or 2^32 requests.
 * BERTH_TOO_MANY_STEPS  calls nested so that TFLM's own count would wrap.
 * BERTH_NO_SPACE        diag->needed_bytes.
 * What TFLM would refuse is no failure here: see micro->refusal. The graph is
 * borrowed as long as the answer is used. `micro` is written at the end or not
 * at all. O(n log n) in tensors and operators. */
BERTH_MUST_USE berth_status berth_micro_predict(
    const berth_graph *graph, const berth_micro_options *options,
    berth_work *work, berth_micro *micro, berth_diag *diag);

/* One line of a MicroMutableOpResolver: "AddConv2D"; NULL: TFLM has no such
 * operator. For a custom operator TFLM knows by name, likewise. */
const char *berth_micro_adder(const berth_graph *graph, uint32_t op);

/* Whether an operator of the same kind stands before it, so that the resolver
 * has it already: a list of resolver lines takes the others. `seen` lent by the
 * caller, berth_micro_kind_count() bytes, zero at the start. */
#define BERTH_MICRO_KINDS_MAX 256u /* kind_count() is never above */
uint32_t berth_micro_kind_count(void);
bool berth_micro_first_of_kind(const berth_graph *graph, uint32_t op,
                               uint8_t *seen);

#ifdef __cplusplus
}
#endif
#endif

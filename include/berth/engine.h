/* berth/engine.h: runs a model in memory that the caller lends, by a plan that
 * somebody made before.
 *
 *     berth_engine_source source = {
 *         .graph = &graph, .shapes = &shapes, .schedule = &schedule,
 *         .lifetimes = &lifetimes, .plan = &plan,
 *         .kernels = berth_kernels_ref()};
 *     berth_engine_need need;
 *     berth_engine_memory memory;
 *     berth_engine *engine;
 *     berth_io in, out;
 *     berth_engine_bytes(&source, &need, &diag);
 *     ... lend need.region_bytes[0], need.state_bytes, need.books_bytes, or
 *     berth_engine_cut(&need, block, size, &memory, &diag);
 *     berth_engine_prepare(&source, &memory, &engine, &diag);
 *     berth_engine_input(engine, 0, &in);
 *     memcpy(in.data, picture, in.bytes);
 *     berth_engine_run(engine, NULL, &diag);
 *     berth_engine_output(engine, 0, &out);
 *
 * An engine keeps nothing of its own: what it must know is in the books. The
 * model (and the file's bytes) and the kernels are borrowed as long as it is
 * used; graph, shapes, schedule, lifetimes and plan during prepare only.
 * Prepare does not write into the regions, so that the stages may lie there.
 *
 * Nothing is planned here. The plan is believed: it must have passed
 * berth_plan_check() and berth_prove(). Wherever it puts things, all accesses
 * stay inside the blocks: regions are as large as the plan is high, and each
 * operator's kernel is asked whether it will do before anything runs.
 *
 * When pointers are valid. Those of berth_engine_input() and _output() stay the
 * same until the next berth_engine_replan() or berth_engine_bind_*(). Behind
 * them, where they lie in a region: an input is the caller's to write from
 * prepare, or from the end of a run, to the begin of the next, and is to be
 * written before each run (its bytes are used again when it is dead); an output
 * holds its value from the end of a successful run until any input is written
 * or the next run begins. After a run that failed, outputs hold nothing.
 *
 * Threads. An engine belongs to one thread at a time: a second caller gets
 * BERTH_BUSY and disturbs nothing. Only berth_engine_cancel() may be called
 * from anywhere. N engines of one model cost N times (regions + state + books).
 */
#ifndef BERTH_ENGINE_H
#define BERTH_ENGINE_H

#include "berth/kernel.h"
#include "berth/lifetime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_REGIONS_MAX 4u

/* Guard bytes at either end of each block, with BERTH_ENGINE_CANARIES. */
#define BERTH_CANARY_BYTES 16u

enum {
    /* Guards at both ends of each block, looked at after each run:
     * BERTH_UNSOUND if somebody wrote over one. Counted in the sizes of
     * berth_engine_bytes(); without this flag not one byte is spent. */
    BERTH_ENGINE_CANARIES = 1u << 0,
    /* Room in the books for other shapes of the inputs: berth_engine_resize().
     */
    BERTH_ENGINE_RESIZES = 1u << 1,
    /* The state block holds the state of another engine of this model, and is
     * not reset. Its lifetimes are made with all_state (lifetime.h), as those
     * of the other: then signatures share their variables. */
    BERTH_ENGINE_KEEPS_STATE = 1u << 2
};

typedef struct berth_engine_source {
    const berth_graph *graph;
    const berth_shapes *shapes;
    const berth_schedule *schedule;
    const berth_lifetimes *lifetimes; /* with scratch */
    const berth_plan *plan;           /* of lifetimes->problem */
    const berth_kernels *kernels;     /* not looked at by _bytes() */
    berth_profile profile;
    uint32_t flags; /* BERTH_ENGINE_* */
} berth_engine_source;

/* Bytes to lend. Each block starts at a multiple of `align`; one of 0 bytes
 * need not be there. */
typedef struct berth_engine_need {
    uint64_t region_bytes[BERTH_REGIONS_MAX];
    uint64_t state_bytes;
    uint64_t books_bytes;
    uint64_t total_bytes; /* cut from one block, padding included */
    /* What berth_engine_replan() needs in region 0 at shapes like the present
     * ones: stages, solver, judges. BERTH_NOWHERE without _RESIZES. */
    uint64_t replan_bytes;
    uint32_t region_count;
    uint32_t align; /* >= 16 */
} berth_engine_need;

typedef struct berth_engine_block {
    uint8_t *at;
    size_t bytes;
} berth_engine_block;

typedef struct berth_engine_memory {
    berth_engine_block regions[BERTH_REGIONS_MAX];
    berth_engine_block state;
    berth_engine_block books;
} berth_engine_memory;

typedef struct berth_engine berth_engine; /* opaque; lives in the books */

/* Counts; never refuses a model for what it cannot run (a report may ask about
 * any), and what has no size counts as nothing. The result does not depend on
 * the kernels.
 * BERTH_TOO_LARGE    more than 64 bits of bytes, or 2^28 of anything.
 * BERTH_BAD_ARG      a plan of more regions than BERTH_REGIONS_MAX.
 * BERTH_UNSUPPORTED  guards, and items aligned to more than 16.
 * O(steps + operands log tensors). */
BERTH_MUST_USE berth_status
berth_engine_bytes(const berth_engine_source *source, berth_engine_need *need,
                   berth_diag *diag);

/* Cuts one block into those of `need`: regions, state, books, in this order.
 * BERTH_MISALIGNED, BERTH_NO_SPACE (needed_bytes: need->total_bytes). */
BERTH_MUST_USE berth_status berth_engine_cut(const berth_engine_need *need,
                                             void *block, size_t bytes,
                                             berth_engine_memory *memory,
                                             berth_diag *diag);

/* Makes an engine in the books and resets its state.
 *
 * BERTH_MISALIGNED  a block does not start at a multiple of need.align.
 * BERTH_NO_SPACE    a block is too small (diag: what names it, needed_bytes,
 *                   limit_bytes). With exactly the bytes of
 *                   berth_engine_bytes() it never is.
 *                   Up to here not one byte was written.
 * BERTH_UNSUPPORTED no kernel for an operator, or none of that version, type
 *                   or option (diag: subgraph, op, what); blocks of another
 *                   operator that this engine does not run.
 * BERTH_BAD_MODEL   an operator's parameters make no sense (diag: the same).
 * BERTH_UNBOUNDED   a tensor's shape depends on values (diag: tensor).
 * BERTH_BAD_ARG     lifetimes without scratch.
 * Others: as berth_engine_bytes().
 *
 * *engine is written at the end or not at all. O(steps + operands log tensors),
 * under 1 KiB of stack beside that of kernels' check functions. */
BERTH_MUST_USE berth_status berth_engine_prepare(
    const berth_engine_source *source, const berth_engine_memory *memory,
    berth_engine **engine, berth_diag *diag);

/* --- inputs and outputs --- */

typedef struct berth_io {
    uint8_t *data;    /* NULL: held by the caller and not bound yet */
    uint64_t bytes;   /* 0 for a resource handle */
    berth_bytes name; /* of the tensor; from a stranger, not printable */
    uint32_t tensor;  /* in the model's subgraph */
    uint32_t rank;
    int32_t dims[BERTH_RANK_MAX];
    berth_type type;
    bool constant; /* it lies in the file, inputs too: not to be written */
    berth_quantization quantization;
} berth_io;

/* The product of its axes. */
static inline uint64_t berth_io_elements(const berth_io *io)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < io->rank; ++i) {
        elements *= (uint64_t)io->dims[i];
    }
    return elements;
}

uint32_t berth_engine_input_count(const berth_engine *engine);
uint32_t berth_engine_output_count(const berth_engine *engine);

/* By position in the lists of the model's subgraph. BERTH_BAD_ARG: no such. */
BERTH_MUST_USE berth_status berth_engine_input(const berth_engine *engine,
                                               uint32_t index, berth_io *io);
BERTH_MUST_USE berth_status berth_engine_output(const berth_engine *engine,
                                                uint32_t index, berth_io *io);

/* The position that belongs to a name: the one that a signature of the subgraph
 * gives, else the tensor's own, of several the first; or "#12", the tensor's
 * number. BERTH_NONE: no such. */
uint32_t berth_engine_find_input(const berth_engine *engine, berth_bytes name);
uint32_t berth_engine_find_output(const berth_engine *engine, berth_bytes name);

/* Memory of the caller for an input or output that the lifetimes left to him
 * (hold_inputs, hold_outputs): used from here on in each run, until bound
 * anew. Inputs are only read. Blocks must not overlap each other or the
 * engine's. Two positions of one tensor have one pointer: the last given.
 * BERTH_BAD_ARG     it lies in a region, or there is no such.
 * BERTH_MISALIGNED  not at a multiple of the element's size.
 * BERTH_NO_SPACE    fewer than its bytes. */
BERTH_MUST_USE berth_status berth_engine_bind_input(berth_engine *engine,
                                                    uint32_t index, void *data,
                                                    size_t bytes,
                                                    berth_diag *diag);
BERTH_MUST_USE berth_status berth_engine_bind_output(berth_engine *engine,
                                                     uint32_t index, void *data,
                                                     size_t bytes,
                                                     berth_diag *diag);

/* --- running --- */

/* A step that is about to run, or has just run. */
typedef struct berth_engine_event {
    uint32_t step;          /* of the schedule */
    uint32_t subgraph;      /* of the operator */
    uint32_t op;            /* in that subgraph */
    uint32_t code;          /* berth_op */
    const berth_node *node; /* its operands; NULL where the engine itself moves
                               bytes (calls, variables) */
} berth_engine_event;

typedef void berth_engine_watch(void *self, const berth_engine_event *event);

/* Runs work(task, i) for each i below count, in any order and any threads, and
 * returns when all have returned. */
typedef void berth_engine_share(void *self, uint32_t count,
                                void (*work)(void *task, uint32_t i),
                                void *task);

/* Zero is the default of each field. */
typedef struct berth_run_options {
    berth_engine_watch *before; /* called in the thread of the run */
    berth_engine_watch *after;
    void *watcher;
    /* Rows of operators that are independent are cut into at most `parts`
     * ranges, and these shared out. The bits are the same for any number. */
    berth_engine_share *share;
    void *sharer;
    uint32_t parts;
} berth_run_options;

/* Runs the model once. `options` may be NULL.
 * BERTH_BUSY       somebody is in this engine; nothing was done.
 * BERTH_STALE      a shape was changed: call berth_engine_replan() first.
 * BERTH_BAD_ARG    an input or output that the caller holds is not bound.
 * BERTH_BAD_DATA   a value is one that an operator cannot take (diag: what,
 *                  subgraph, op, step), or an input has another value than the
 *                  one that shapes were found for (berth_shape_override).
 * BERTH_CANCELLED  berth_engine_cancel().
 * BERTH_UNSOUND    a guard was written over (BERTH_ENGINE_CANARIES).
 * After a failure the engine may be run again; state is what it had become. */
BERTH_MUST_USE berth_status berth_engine_run(berth_engine *engine,
                                             const berth_run_options *options,
                                             berth_diag *diag);

/* From any thread, also from a watcher: the present run ends before its next
 * step, or the next run before its first. */
void berth_engine_cancel(berth_engine *engine);

/* --- state --- */

/* Variables, and which subgraphs CALL_ONCE has run: back to the beginning. */
BERTH_MUST_USE berth_status berth_engine_reset(berth_engine *engine,
                                               berth_diag *diag);

/* The state as bytes that may be stored: a header, then the block. */
size_t berth_engine_saved_bytes(const berth_engine *engine);
/* BERTH_BUSY, BERTH_NO_SPACE. */
BERTH_MUST_USE berth_status berth_engine_save(berth_engine *engine, void *bytes,
                                              size_t size, berth_diag *diag);
/* BERTH_BAD_DATA: no saved state, damaged, or of another model or signature;
 * then nothing has changed. Reads the model's whole file once, for its sum. */
BERTH_MUST_USE berth_status berth_engine_restore(berth_engine *engine,
                                                 berth_bytes saved,
                                                 berth_diag *diag);

/* --- other shapes --- */

/* Notes another shape for an input (BERTH_ENGINE_RESIZES). From here on the
 * engine is STALE until berth_engine_replan() succeeds.
 * BERTH_BAD_ARG  no such input, too many axes, a negative length, an engine
 *                without room for shapes. */
BERTH_MUST_USE berth_status berth_engine_resize(berth_engine *engine,
                                                uint32_t index, uint32_t rank,
                                                const int32_t *dims,
                                                berth_diag *diag);

typedef struct berth_replan_options {
    const berth_lifetime_options *lifetimes; /* NULL: the defaults */
    const berth_plan_options *plan;          /* NULL: the defaults */
} berth_replan_options;

/* Makes shapes, schedule, lifetimes and plan anew for the shapes noted, asks
 * both judges, and prepares again, all in the memory that was lent: the stages
 * lie in region 0, whose bytes are dead between runs (inputs are to be written
 * again afterwards). State is kept if it has the same size, else reset.
 *
 * Fails as the stages, the solver, the judges and berth_engine_prepare() do.
 * BERTH_NO_SPACE: needed_bytes, of region 0 or of the block that `what` names.
 * On failure the engine is as it was: STALE, with the shapes noted. Put the old
 * ones back with berth_engine_resize() and replan, and it runs as before. */
BERTH_MUST_USE berth_status
berth_engine_replan(berth_engine *engine, const berth_replan_options *options,
                    berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

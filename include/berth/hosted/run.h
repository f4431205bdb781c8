/* berth/hosted/run.h: what stands around an engine on a desk: threads that
 * share the rows, poison in the bytes that are dead, and what a model's
 * metadata says of the pictures it wants.
 *
 *     berth_threads *threads = berth_threads_open(4);
 *     berth_poison poison;
 *     berth_poison_begin(&port, &lifetimes, &plan, region, 0x5a, &poison);
 *     const berth_run_options options = {
 *         .before = berth_poison_before, .watcher = &poison,
 *         .share = berth_threads_share, .sharer = threads, .parts = 4};
 *     berth_poison_rewind(&poison);
 *     berth_engine_run(engine, &options, &diag);
 *     berth_poison_end(&poison);
 *     berth_threads_close(threads); */
#ifndef BERTH_HOSTED_RUN_H
#define BERTH_HOSTED_RUN_H

#include "berth/engine.h"
#include "berth/hosted/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- threads --- */

typedef struct berth_threads berth_threads;

/* `count` threads, the caller's being one of them. NULL: the system has none.
 */
berth_threads *berth_threads_open(berth_port *port, uint32_t count);
void berth_threads_close(berth_threads *threads);
/* A berth_engine_share; self: berth_threads. */
void berth_threads_share(void *self, uint32_t count,
                         void (*work)(void *task, uint32_t i), void *task);

/* --- poison --- */

/* Fills the bytes of a region that hold nothing alive, before each step. A
 * model whose plan and kernels are right gives the same bits whatever the fill;
 * two runs with fills that differ in every bit show it. Built with
 * AddressSanitizer, whoever touches a dead byte is stopped at once (outside of
 * loops' later turns, whose bytes are only filled). */
typedef struct berth_poison {
    berth_port *port;
    const berth_problem *problem;
    const uint64_t *offset; /* by item */
    uint8_t *region;
    uint64_t region_bytes;
    uint8_t fill;
    uint32_t next_step; /* all before it are done */
    /* Spans by birth, and those alive now: indexes into spans. */
    struct berth_poison_span *spans;
    uint32_t span_count;
    uint32_t next_span;
    uint32_t *alive;
    uint32_t alive_count;
    berth_block block;
} berth_poison;

/* All is borrowed while the poison is used. False: no memory. */
BERTH_MUST_USE bool berth_poison_begin(berth_port *port,
                                       const berth_problem *problem,
                                       const berth_plan *plan, uint8_t *region,
                                       uint64_t region_bytes, uint8_t fill,
                                       berth_poison *poison);
/* Before each run: inputs are written already, so all but them is filled. */
void berth_poison_rewind(berth_poison *poison);
/* A berth_engine_watch; self: berth_poison. */
void berth_poison_before(void *self, const berth_engine_event *event);
/* After each run: no byte is shut any more, inputs may be written again. */
void berth_poison_lift(berth_poison *poison);
void berth_poison_end(berth_poison *poison);

/* --- metadata --- */

/* How the model's metadata (TFLITE_METADATA, of the task libraries) wants the
 * pictures for an input of subgraph 0 normalised. False: it does not say, or it
 * is damaged. */
bool berth_metadata_normalisation(const berth_model *model, uint32_t input,
                                  berth_normalisation *normalisation);

#ifdef __cplusplus
}
#endif
#endif

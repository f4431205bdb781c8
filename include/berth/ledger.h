/* berth/ledger.h: the bill. Every byte that a model needs, in rows that add up.
 *
 *   total = arena + state + books + padding
 *
 * is what the caller lends. Weights are read where they lie in the file and
 * have an account of their own:
 *
 *   file = weights used + weights unused + metadata + structure */
#ifndef BERTH_LEDGER_H
#define BERTH_LEDGER_H

#include "berth/lifetime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_ledger {
    /* Read in place. */
    uint64_t weights_used_bytes;    /* distinct constant bytes some reached op
                                       reads: W */
    uint64_t weights_encoded_bytes; /* of which float16, int4, sparse */
    uint64_t weights_copied_bytes;  /* of which misaligned in the file, so that
                                       a copy is in the books */
    uint64_t weights_unused_bytes;  /* constants that this signature never
                                       touches */
    uint64_t metadata_bytes;
    uint64_t structure_bytes;
    uint64_t file_bytes;
    /* To lend. */
    uint64_t arena_bytes; /* peak of the plan, kernel scratch included */
    uint64_t of_which_io_bytes; /* inputs and outputs, each whole; at most
                                   the arena, where they stand on one another */
    uint64_t of_which_scratch_bytes; /* scratch alive at the peak step */
    uint64_t state_bytes;
    uint64_t books_bytes; /* what the engine keeps, copies of misaligned
                             weights among it: for who knows engines to put in,
                             with berth_ledger_cut(); 0 until then */
    uint64_t padding_bytes; /* between the blocks, when cut from one */
    uint64_t total_bytes;
} berth_ledger;

/* The rows add up: weights used + unused + metadata + structure = file, and
 * arena + state + books + padding = total. Everything is counted once: tensors
 * may share a buffer, and buffers may share bytes. */
BERTH_MUST_USE berth_status berth_ledger_bytes(const berth_graph *graph,
                                               const berth_lifetimes *lifetimes,
                                               size_t *bytes, berth_diag *diag);

/* `plan` solves lifetimes->problem, scratch included. `work` is scratch, at
 * least berth_ledger_bytes(); BERTH_NO_SPACE says how much. `ledger` is
 * written at the end or not at all. BERTH_TOO_LARGE: a total beyond 64 bits.
 * O((steps + items + buffers) log) time. */
BERTH_MUST_USE berth_status
berth_ledger_make(const berth_graph *graph, const berth_schedule *schedule,
                  const berth_lifetimes *lifetimes, const berth_plan *plan,
                  berth_work work, berth_ledger *ledger, berth_diag *diag);

/* Fills padding and total for arena, state and books that are given: the blocks
 * are cut from one, in this order. False, and nothing changed, when the end is
 * beyond 64 bits. For those who merge ledgers, as of several signatures. */
BERTH_MUST_USE bool berth_ledger_cut(berth_ledger *ledger);

/* What a plan does with its arena over time. */
typedef struct berth_usage {
    uint32_t peak_step; /* where the arena's last byte is in use and most of
                           it; BERTH_NONE in an arena of 0 bytes */
    uint64_t peak_live_bytes; /* bytes in use there; the rest are idle */
    uint32_t buffer_count;    /* items with bytes; those tied count as one */
    uint32_t reused_count; /* of which stand on bytes an earlier one left */
    uint64_t reused_bytes; /* how many bytes those are, all together */
} berth_usage;

BERTH_MUST_USE berth_status berth_usage_bytes(const berth_problem *problem,
                                              size_t *bytes, berth_diag *diag);

/* live: [step_count], lent, or NULL: the bytes of the arena in use in each
 * step, those that several items share counted once. `plan` is one that
 * berth_plan_check() passed. O((items + spans) log items + steps). */
BERTH_MUST_USE berth_status berth_usage_make(const berth_problem *problem,
                                             const berth_plan *plan,
                                             berth_work work, uint64_t *live,
                                             berth_usage *usage,
                                             berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

/* berth/prove.h: the second judge: runs a schedule on values instead of
 * numbers, and finds the first step that would read bytes which somebody has
 * overwritten.
 *
 * Memory is an ordered map of disjoint intervals, each (value, base): byte p
 * holds byte p - base of that value. A write stamps a new value; a read must
 * find its own value whole; a move (view, copy, ENTER, BACK, EXIT) checks its
 * source and writes the *same* value. An operator whose output lies over an
 * input needs a licence (op.h) and a distance that the licence covers. THEN and
 * ELSE run one after the other. At a loop's head every byte that the loop
 * writes, but b, is forgotten; then the loop runs once.
 *
 * It shares no code with lifetime.h and trusts operator contracts only. */
#ifndef BERTH_PROVE_H
#define BERTH_PROVE_H

#include "berth/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* address: by global tensor, bytes from the start of the arena; BERTH_NOWHERE
 * for a tensor that holds no arena bytes (constant, state, dynamic, folded).
 *
 * BERTH_UNSOUND  diag: step, op, tensor (who lost its bytes), other (who
 *                overwrote them, or BERTH_NONE), what.
 * BERTH_NO_SPACE diag->needed_bytes. */
BERTH_MUST_USE berth_status berth_prove(const berth_graph *graph,
                                        const berth_shapes *shapes,
                                        const berth_schedule *schedule,
                                        const uint64_t *address,
                                        berth_work work, berth_diag *diag);

BERTH_MUST_USE berth_status berth_prove_bytes(const berth_graph *graph,
                                              const berth_schedule *schedule,
                                              size_t *bytes, berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

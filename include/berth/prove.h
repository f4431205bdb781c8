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
 * for a tensor that holds no arena bytes (constant, state, dynamic, folded). A
 * variable that has an address keeps its value from one run to the next.
 * `work` is scratch.
 *
 * Written over in place: an output may begin at or below a licensed input of
 * its shape and element width, never above it, in whatever distance. The pairs
 * of a move are one parallel assignment: a target may be exactly the place of
 * any source, never a part of one.
 *
 * BERTH_UNSOUND   diag: step, op, tensor (who lost its bytes), other (who
 *                 overwrote them, or BERTH_NONE), what. op, tensor and other
 *                 are global numbers (graph.h); step is step_count for what is
 *                 read behind the last, BERTH_NONE for what lies wrong before
 *                 the first.
 * BERTH_TOO_LARGE an address near 2^64 (diag->tensor), too many tensors or
 *                 values for 32 bits.
 * BERTH_NO_SPACE  diag->needed_bytes.
 *
 * O(steps * depth of loops * log64(tensors)) time, 80 bytes a tensor. */
BERTH_MUST_USE berth_status berth_prove(const berth_graph *graph,
                                        const berth_shapes *shapes,
                                        const berth_schedule *schedule,
                                        const uint64_t *address,
                                        berth_work work, berth_diag *diag);

/* The same for every schedule of a graph. */
BERTH_MUST_USE berth_status berth_prove_bytes(const berth_graph *graph,
                                              const berth_schedule *schedule,
                                              size_t *bytes, berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

/* berth/hosted/solve.h: one plan, for as long as the port's watcher has
 * patience, and the judges of it.
 *
 *     berth_plan plan = {.offset = offset};
 *     const berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST};
 *     berth_solve(&port, &problem, &options, &plan, &diag);
 *     berth_prove_staged(&staged, &lifetimes, plan.offset, &diag);
 *
 * The core counts effort and knows no time. Here its search runs in slices,
 * between which port->go_on() is asked; how long a slice is depends on the
 * clock, what the search finds does not. */
#ifndef BERTH_HOSTED_SOLVE_H
#define BERTH_HOSTED_SOLVE_H

#include "berth/engine.h"
#include "berth/hosted/load.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As berth_plan_solve(), with memory of the port. Where the watcher ends the
 * search, the best plan so far is the answer: there always is one, and it is
 * judged as any other. On failure plan->offset[] is not to be used. */
BERTH_MUST_USE berth_status berth_solve(berth_port *port,
                                        const berth_problem *problem,
                                        const berth_plan_options *options,
                                        berth_plan *plan, berth_diag *diag);

/* The first judge and the bound, for offsets that come from elsewhere: fills
 * peak, bound and proof of a plan that has nothing but offsets.
 * BERTH_UNSOUND: diag->tensor and diag->other are items; the peak holds all the
 * same, if no end passes 2^64. */
BERTH_MUST_USE berth_status berth_judge(berth_port *port,
                                        const berth_problem *problem,
                                        berth_plan *plan, berth_diag *diag);

/* The second judge: offset[] by item of `lifetimes`, which were made for what
 * is staged. BERTH_UNSOUND: see berth_prove(). */
BERTH_MUST_USE berth_status berth_prove_staged(const berth_staged *staged,
                                               const berth_lifetimes *lifetimes,
                                               const uint64_t *offset,
                                               berth_diag *diag);

/* What an engine needs for that plan of those lifetimes, whatever kernels it
 * has: berth_engine_bytes(). */
BERTH_MUST_USE berth_status berth_need_staged(const berth_staged *staged,
                                              const berth_lifetimes *lifetimes,
                                              const berth_plan *plan,
                                              berth_engine_need *need,
                                              berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

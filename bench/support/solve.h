/* solve.h: one problem, one strategy, measured. */
#ifndef BENCH_SOLVE_H
#define BENCH_SOLVE_H

#include "berth/plan.h"

typedef struct bench_solved {
    berth_plan plan; /* without its offsets */
    double seconds;  /* of the processor, bound and judge included */
    size_t work_bytes;
} bench_solved;

/* Exits where no plan is found. */
void bench_solve(const berth_problem *problem,
                 const berth_plan_options *options, bench_solved *solved);

/* How far the peak is above the bound, in percent. */
double bench_gap(const berth_plan *plan);

#endif

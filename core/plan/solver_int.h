/* solver_int.h: what the two halves of the solver share.
 *
 *   solver.c       memory, the interface
 *   solver_rows.c  rows, repairs, search and climb, one node after the other */
#ifndef BERTH_PLAN_SOLVER_INT_H
#define BERTH_PLAN_SOLVER_INT_H

#include "plan/search_int.h"

struct berth_solver {
    const berth_problem *problem;
    uint64_t *best; /* offset by item, of the best plan so far */
    uint32_t *best_order;
    berth_work scratch; /* for the rows, then the search, then the judge */
    plan_engine engine;
    plan_ranking ranking;
    const plan_row *rows;
    uint32_t row_count;
    uint32_t row;    /* being tried; row_count: nothing is left */
    uint32_t placed; /* classes of this row, so far */
    bool in_row;
    plan_order ranked; /* whose order the ranking has */
    plan_repair repair;
    plan_repaired repaired;
    uint64_t repair_left;  /* bars it may still look at */
    uint64_t ceiling_bars; /* and under this ceiling */
    uint64_t too_low;      /* the highest ceiling that was not reached */
    plan_exact exact;
    berth_effort effort;
    bool searching; /* the search has begun */
    bool searched;  /* and ended */
    plan_climb climb;
    uint64_t climb_end; /* stops when so many bars have been looked at */
    uint64_t nodes;
    uint64_t peak; /* of the best plan; BERTH_NOWHERE before the first */
    uint64_t bound;
    uint64_t capacity; /* no plan below it is wanted */
    berth_strategy winner;
};

/* Takes what the rows need from `work`. */
void plan_solver_take(berth_solver *solver, berth_work work);

/* Spends `budget` nodes after the first plan; 0: no limit. */
void plan_solver_run(berth_solver *solver, uint64_t budget);

#endif

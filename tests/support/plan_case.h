/* plan_case.h: a planning problem under construction, for tests. */
#ifndef TESTS_PLAN_CASE_H
#define TESTS_PLAN_CASE_H

#include "berth/plan.h"

#define PLAN_CASE_MAX 64u

typedef struct plan_case {
    berth_problem problem; /* points into the arrays below; see case_start() */
    berth_item items[PLAN_CASE_MAX];
    berth_span spans[PLAN_CASE_MAX];
    berth_link links[PLAN_CASE_MAX];
    berth_tie ties[PLAN_CASE_MAX];
    berth_region region;
    uint32_t step_op[PLAN_CASE_MAX];
    uint64_t offset[PLAN_CASE_MAX]; /* of the last plan */
} plan_case;

void case_start(plan_case *c, uint32_t step_count);

/* Alignment 1, nothing fixed. Returns the item's index. */
uint32_t case_item(plan_case *c, uint64_t size, uint32_t born, uint32_t dead);

/* Gives the item added last one more span. */
void case_span(plan_case *c, uint32_t born, uint32_t dead);

/* In their order: see plan.h. */
void case_link(plan_case *c, uint32_t a, uint32_t b, int64_t lo, int64_t hi);
void case_tie(plan_case *c, uint32_t owner, uint32_t item, int64_t delta);

/* One region. */
void case_capacity(plan_case *c, uint64_t capacity, uint32_t align);

/* Solves in memory of exactly the size asked for; offsets go to `offset`. */
berth_status problem_solve(const berth_problem *problem,
                           berth_strategy strategy, uint64_t node_budget,
                           uint64_t *offset, berth_plan *plan,
                           berth_diag *diag);
berth_status case_solve(plan_case *c, berth_strategy strategy, berth_plan *plan,
                        berth_diag *diag);

berth_status problem_check(const berth_problem *problem, berth_diag *diag);
berth_status problem_judge(const berth_problem *problem, const berth_plan *plan,
                           berth_diag *diag);
berth_status problem_bound(const berth_problem *problem, uint64_t *bound,
                           uint32_t *step);

/* The least peak of any plan, by trying all offsets: tiny problems only, with
 * at most 8 items. Honours everything but regions. UINT64_MAX: no plan up to
 * the sum of all sizes and alignments. */
uint64_t problem_brute_peak(const berth_problem *problem);

/* A small random generator: the same everywhere. */
typedef struct test_random {
    uint64_t state;
} test_random;

uint32_t random_below(test_random *random, uint32_t end);

#endif

/* plan_world.h: all planning problems of a small world, each against the
 * brute-force packer. */
#ifndef TESTS_PLAN_WORLD_H
#define TESTS_PLAN_WORLD_H

#include "plan_case.h"

typedef struct world_score {
    uint64_t problems;
    uint64_t proven; /* best = bound */
    uint64_t above;  /* best > brute force */
    uint64_t loose;  /* bound < brute force */
} world_score;

typedef enum world_reach {
    WORLD_ALL_STRATEGIES,
    WORLD_BEST_AND_ONE /* the others take turns */
} world_reach;

/* Holds: bound <= brute force <= best <= every other strategy, and the judge
 * agrees with all. Fails the test otherwise. */
void world_judge(const berth_problem *problem, world_reach reach,
                 world_score *score);

/* Items of a world at most. */
#define WORLD_ITEMS 8u

typedef void world_visitor(void *context, const berth_problem *problem);

/* All multisets of `count` items of sizes 1 to 4 and all spans in 4 steps. */
void world_visit(uint32_t count, world_visitor *visit, void *context);

/* A random problem of up to five items with every part that brute force knows.
 * Links are legal: an input and an output that meet in one step. Ties are any:
 * circles and contradictions are left to berth_problem_check(). */
void world_random(plan_case *c, test_random *random, bool links, bool ties);

/* Judges all multisets of `count` items of sizes 1 to 4 and all spans in 4
 * steps. */
void world_enumerate(uint32_t count, world_reach reach, world_score *score);

void world_tell(const berth_problem *problem);
void world_print(const char *name, const world_score *score);

#endif

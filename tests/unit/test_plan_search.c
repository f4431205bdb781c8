/* The exact search alone: it gets a plan without any reuse and no bound, and
 * has to end at what brute force finds, whatever rules it may cut branches by.
 */
#include "plan_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/search_int.h"

#define NODES_MOST 20000u

typedef struct search_run {
    uint64_t problems;
    uint64_t open;
    uint64_t nodes;
} search_run;

static void fail_at(const berth_problem *problem, uint32_t rules,
                    const char *what)
{
    world_tell(problem);
    fail_msg("rules %x: %s", rules, what);
}

/* Searches from `offset`, a plan, until it is over. */
static plan_standing search_alone(const berth_problem *problem, uint32_t rules,
                                  uint64_t *offset, uint64_t *nodes)
{
    size_t need = 0;
    plan_exact exact;
    plan_standing standing = {.offset = offset, .peak = UINT64_MAX >> 1};
    assert_true(plan_exact_need(problem, BERTH_EFFORT_FULL, &need));
    uint8_t *memory = malloc(need + 1);
    assert_non_null(memory);
    berth_work work = berth_work_of(memory, need);
    plan_exact_take(&exact, problem, BERTH_EFFORT_FULL, &work);
    exact.world.rules = rules;
    while (!plan_exact_more(&exact, &standing, 64) &&
           exact.world.nodes < NODES_MOST) {
    }
    *nodes += exact.world.nodes;
    free(memory);
    return standing;
}

static void judge_search(const berth_problem *problem, uint32_t rules,
                         search_run *run)
{
    uint64_t offset[WORLD_ITEMS];
    berth_plan plan;
    berth_diag diag = berth_diag_none();
    const uint64_t brute = problem_brute_peak(problem);
    if (problem_solve(problem, BERTH_STRATEGY_NONE, 0, offset, &plan, &diag) !=
        BERTH_OK) {
        return; /* fixed items that collide */
    }
    const plan_standing end = search_alone(problem, rules, offset, &run->nodes);
    plan.peak = end.peak;
    plan.bound = end.bound;
    plan.proof = end.peak == end.bound ? BERTH_PROOF_PROVEN : BERTH_PROOF_OPEN;
    ++run->problems;
    if (end.bound > brute) {
        fail_at(problem, rules, "the bound is above brute force");
    }
    if (problem_judge(problem, &plan, &diag) != BERTH_OK) {
        fail_at(problem, rules, diag.what);
    }
    if (end.peak < brute) {
        fail_at(problem, rules, "the peak is below brute force");
    }
    if (plan.proof == BERTH_PROOF_OPEN) {
        ++run->open;
        if (rules == SEARCH_RULES_ALL) {
            fail_at(problem, rules, "open with all rules");
        }
    }
}

static void print_run(const char *name, const search_run *run)
{
    print_message("%s: %llu problems, %llu left open, %llu nodes\n", name,
                  (unsigned long long)run->problems,
                  (unsigned long long)run->open,
                  (unsigned long long)run->nodes);
}

/* All rules, none, each alone missing, and any. */
static uint32_t rules_of(test_random *random)
{
    switch (random_below(random, 4)) {
    case 0:
        return SEARCH_RULES_ALL;
    case 1:
        return SEARCH_RULES_ALL & ~(1u << random_below(random, 7));
    default:
        return random_below(random, SEARCH_RULES_ALL + 1);
    }
}

typedef struct search_visit {
    test_random random;
    search_run run;
} search_visit;

static void visit_world(void *context, const berth_problem *problem)
{
    search_visit *visit = context;
    judge_search(problem, rules_of(&visit->random), &visit->run);
}

static void search__all_worlds_of_up_to_four_buffers(void **state)
{
    search_visit visit = {.random = {1}};
    (void)state;
    for (uint32_t count = 1; count <= 4; ++count) {
        world_visit(count, visit_world, &visit);
    }
    print_run("sizes 1..4, 4 steps", &visit.run);
    assert_int_equal(visit.run.open, 0);
}

static void search_random(uint64_t seed, uint32_t rounds, bool links, bool ties)
{
    test_random random = {seed};
    search_run run = {0};
    for (uint32_t round = 0; round < rounds; ++round) {
        plan_case c;
        world_random(&c, &random, links, ties);
        if (problem_check(&c.problem, NULL) == BERTH_OK) {
            judge_search(&c.problem, rules_of(&random), &run);
        }
    }
    print_message("seed %llu, links %d, ties %d; ", (unsigned long long)seed,
                  links, ties);
    print_run("random", &run);
    assert_int_equal(run.open, 0);
}

static void search__random_worlds(void **state)
{
    const char *text = getenv("BERTH_SEED");
    const uint64_t seed = text == NULL ? 1 : strtoull(text, NULL, 10);
    (void)state;
    search_random(seed, 6000, false, false);
    search_random(seed + 1, 6000, true, false);
    search_random(seed + 2, 6000, false, true);
    search_random(seed + 3, 6000, true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search__all_worlds_of_up_to_four_buffers),
        cmocka_unit_test(search__random_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

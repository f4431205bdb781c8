/* Small worlds, completely, against a packer that tries everything. Five
 * buffers: tests/long/test_plan_five.c. */
#include "plan_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void plan_solve__all_worlds_of_up_to_four_buffers(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 4; ++count) {
        world_score score = {0};
        world_enumerate(count,
                        count < 4 ? WORLD_ALL_STRATEGIES : WORLD_BEST_AND_ONE,
                        &score);
        world_print("sizes 1..4, 4 steps", &score);
        assert_int_equal(score.above, 0);
    }
}

/* A random problem of up to five items with every part that brute force
 * knows. Links are legal: an input and an output that meet in one step. */
static void make_case(plan_case *c, test_random *random)
{
    const uint32_t steps = 4;
    const uint32_t count = 1 + random_below(random, 5);
    case_start(c, steps);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t born = random_below(random, steps);
        const uint32_t dead = born + 1 + random_below(random, steps - born);
        const uint32_t it = case_item(c, random_below(random, 5), born, dead);
        if (born == 0 && dead == 1 && random_below(random, 3) == 0) {
            case_span(c, 2, 3 + random_below(random, 2));
        }
        c->items[it].align = 1u << random_below(random, 3);
        if (random_below(random, 12) == 0) {
            c->items[it].flags = BERTH_ITEM_PINNED;
        }
        if (i == 2 && random_below(random, 3) == 0) {
            c->items[it].fixed = (uint64_t)4 * random_below(random, 3);
        }
    }
}

static bool meet_once(const plan_case *c, uint32_t a, uint32_t b)
{
    uint32_t steps = 0;
    for (uint32_t t = 0; t < c->problem.step_count; ++t) {
        uint32_t alive = 0;
        for (uint32_t k = 0; k < 2; ++k) {
            const berth_item *item = &c->items[k == 0 ? a : b];
            for (uint32_t n = 0; n < item->span_count; ++n) {
                const berth_span *span = &c->spans[item->first_span + n];
                alive += span->born <= t && t < span->dead;
            }
        }
        steps += alive == 2;
    }
    return steps == 1;
}

static void add_links(plan_case *c, test_random *random)
{
    for (uint32_t a = 0; a < c->problem.item_count; ++a) {
        for (uint32_t b = a + 1; b < c->problem.item_count; ++b) {
            if (!meet_once(c, a, b) || random_below(random, 2) == 0) {
                continue;
            }
            const uint32_t size_a = (uint32_t)c->items[a].size;
            const uint32_t size_b = (uint32_t)c->items[b].size;
            const int64_t hi = random_below(random, size_a + 1);
            const int64_t lo = -(int64_t)random_below(random, size_b + 1);
            case_link(c, a, b, lo, hi);
        }
    }
}

/* Ties each item to any other with some chance; circles and contradictions
 * are left to berth_problem_check(). */
static void add_ties(plan_case *c, test_random *random)
{
    for (uint32_t b = 0; b < c->problem.item_count; ++b) {
        const uint32_t a = random_below(random, c->problem.item_count);
        if (a != b && random_below(random, 3) == 0) {
            case_tie(c, a, b, (int64_t)random_below(random, 7) - 3);
        }
    }
}

static void run_random(uint64_t seed, uint32_t rounds, bool links, bool ties)
{
    test_random random = {seed};
    world_score score = {0};
    uint32_t refused = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        plan_case c;
        make_case(&c, &random);
        if (links) {
            add_links(&c, &random);
        }
        if (ties) {
            add_ties(&c, &random);
        }
        if (problem_check(&c.problem, NULL) == BERTH_OK) {
            world_judge(&c.problem, WORLD_ALL_STRATEGIES, &score);
        } else {
            ++refused;
        }
    }
    print_message("seed %llu, links %d, ties %d, %u refused; ",
                  (unsigned long long)seed, links, ties, refused);
    world_print("random", &score);
    assert_true(score.problems > rounds / 4);
    /* No search here is exact; it must be nearly so in so small a world. */
    assert_true(score.above * 100 <= score.problems);
}

static uint64_t seed_of_run(void)
{
    const char *text = getenv("BERTH_SEED");
    return text == NULL ? 1 : strtoull(text, NULL, 10);
}

static void plan_solve__random_worlds_with_alignments(void **state)
{
    (void)state;
    run_random(seed_of_run(), 3000, false, false);
}

static void plan_solve__random_worlds_with_links(void **state)
{
    (void)state;
    run_random(seed_of_run() + 1, 3000, true, false);
}

static void plan_solve__random_worlds_with_ties(void **state)
{
    (void)state;
    run_random(seed_of_run() + 2, 3000, false, true);
}

static void plan_solve__random_worlds_with_links_and_ties(void **state)
{
    (void)state;
    run_random(seed_of_run() + 3, 6000, true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_solve__all_worlds_of_up_to_four_buffers),
        cmocka_unit_test(plan_solve__random_worlds_with_alignments),
        cmocka_unit_test(plan_solve__random_worlds_with_links),
        cmocka_unit_test(plan_solve__random_worlds_with_ties),
        cmocka_unit_test(plan_solve__random_worlds_with_links_and_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
        assert_int_equal(score.proven, score.problems);
    }
}

static void run_random(uint64_t seed, uint32_t rounds, bool links, bool ties)
{
    test_random random = {seed};
    world_score score = {0};
    uint32_t refused = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        plan_case c;
        world_random(&c, &random, links, ties);
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
    assert_int_equal(score.above, 0);
    assert_int_equal(score.proven, score.problems);
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

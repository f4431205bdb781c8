/* All worlds of five buffers, sizes 1 to 4, 4 steps, against the packer that
 * tries everything: 1,086,008 problems. */
#include "plan_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void plan_solve__all_worlds_of_five_buffers(void **state)
{
    world_score score = {0};
    (void)state;
    world_enumerate(5, WORLD_BEST_AND_ONE, &score);
    world_print("5 buffers, sizes 1..4, 4 steps", &score);
    assert_int_equal(score.problems, 1086008);
    assert_int_equal(score.above, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_solve__all_worlds_of_five_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

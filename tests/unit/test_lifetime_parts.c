/* Joins and splits without a copy: parts are tied into their whole, where both
 * judges agree, and nowhere else. */
#include "rig_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void run(const berth_lifetime_options *options)
{
    rig_lifetimes(r, options);
}

static const berth_tie *tie_of(int32_t t)
{
    const berth_problem *problem = &r->lifetimes.problem;
    const uint32_t item = r->lifetimes.item_of_tensor[rig_global(r, g, t)];
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        if (problem->ties[k].b == item) {
            return &problem->ties[k];
        }
    }
    return NULL;
}

static void assert_tied(int32_t part, int32_t whole, int64_t delta)
{
    const berth_tie *tie = tie_of(part);
    assert_non_null(tie);
    assert_int_equal(tie->a,
                     r->lifetimes.item_of_tensor[rig_global(r, g, whole)]);
    assert_int_equal(tie->delta, delta);
}

/* x -> a; x -> b; y = [a b]; z of y */
static void what_is_joined_is_made_in_its_place(void **state)
{
    (void)state;
    const int32_t x = rig_tensor(r, g, 16);
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 48);
    const int32_t y = rig_tensor(r, g, 80);
    const int32_t z = rig_tensor(r, g, 16);
    rig_op(r, g, BERTH_OP_AVERAGE_POOL_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_AVERAGE_POOL_2D, MB_INTS(x), MB_INTS(b));
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_op(r, g, BERTH_OP_AVERAGE_POOL_2D, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run(NULL);
    assert_tied(a, y, 0);
    assert_tied(b, y, 32);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 96);
    assert_int_equal(rig_offset(r, g, b), rig_offset(r, g, y) + 32);
}

static void a_part_that_is_read_later_is_copied(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    const int32_t z = rig_tensor(r, g, 16);
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(a, y), MB_INTS(z));
    rig_io(r, g, MB_INTS(a, b), MB_INTS(z));
    run(NULL);
    assert_null(tie_of(a));
    assert_tied(b, y, 32);
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
}

static void a_part_of_which_a_view_is_read_later_is_copied(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t v = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    const int32_t z = rig_tensor(r, g, 32);
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(a), MB_INTS(v));
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(v, y), MB_INTS(z));
    rig_io(r, g, MB_INTS(a, b), MB_INTS(z));
    run(NULL);
    assert_null(tie_of(a));
    assert_tied(v, a, 0);
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
}

/* A view is joined: what it is a view of moves with it. */
static void views_take_their_source_along(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t v = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(a), MB_INTS(v));
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(b, v), MB_INTS(y));
    rig_io(r, g, MB_INTS(a, b), MB_INTS(y));
    run(NULL);
    assert_tied(v, a, 0);
    assert_tied(a, y, 32);
    assert_tied(b, y, 0);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 64);
}

static void a_part_that_is_there_twice_has_no_place(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, a), MB_INTS(y));
    rig_io(r, g, MB_INTS(a), MB_INTS(y));
    run(NULL);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 96);
}

/* [a b] joined with c: everything lies in the last whole. */
static void joins_of_joins_are_one_shape(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 16);
    const int32_t b = rig_tensor(r, g, 16);
    const int32_t c = rig_tensor(r, g, 16);
    const int32_t ab = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 48);
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(ab));
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(c, ab), MB_INTS(y));
    rig_io(r, g, MB_INTS(a, b, c), MB_INTS(y));
    run(NULL);
    assert_tied(b, ab, 16);
    assert_tied(ab, y, 16);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 48);
    assert_int_equal(rig_offset(r, g, b), rig_offset(r, g, y) + 32);
}

/* Offsets that are no multiple of the alignment are nobody's place. */
static void misaligned_parts_are_copied(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 24);
    const int32_t b = rig_tensor(r, g, 24);
    const int32_t y = rig_tensor(r, g, 48);
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_io(r, g, MB_INTS(a, b), MB_INTS(y));
    run(NULL);
    assert_tied(a, y, 0);
    assert_null(tie_of(b));
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
    const berth_lifetime_options align = {.align = 8};
    rig_again(r, 0, &align);
    assert_tied(b, y, 24);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 48);
}

/* Another step needs as much: the copy costs nothing. */
static void a_join_that_is_not_the_peak_is_a_copy(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 16);
    const int32_t b = rig_tensor(r, g, 16);
    const int32_t y = rig_tensor(r, g, 32);
    const int32_t z = rig_tensor(r, g, 32);
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_op(r, g, BERTH_OP_AVERAGE_POOL_2D, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(a, b), MB_INTS(z));
    run(NULL);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 64);
}

static void parts_stay_in_what_is_split(void **state)
{
    (void)state;
    const int32_t x = rig_tensor(r, g, 16);
    const int32_t w = rig_tensor(r, g, 64);
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t z = rig_tensor(r, g, 32);
    rig_op(r, g, BERTH_OP_AVERAGE_POOL_2D, MB_INTS(x), MB_INTS(w));
    rig_op(r, g, BERTH_OP_UNPACK, MB_INTS(w), MB_INTS(a, b));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(a, b), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run(NULL);
    assert_tied(a, w, 0);
    assert_tied(b, w, 32);
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 80);
}

static void what_is_read_behind_its_split_is_left_whole(void **state)
{
    (void)state;
    const int32_t w = rig_tensor(r, g, 64);
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t z = rig_tensor(r, g, 32);
    rig_op(r, g, BERTH_OP_UNPACK, MB_INTS(w), MB_INTS(a, b));
    rig_op(r, g, BERTH_OP_ADD_N, MB_INTS(a, b, w), MB_INTS(z));
    rig_io(r, g, MB_INTS(w), MB_INTS(z));
    run(NULL);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
}

/* Split and joined again, in order and crosswise. */
static void a_split_that_is_joined_lies_once(void **state)
{
    (void)state;
    const int32_t w = rig_tensor(r, g, 64);
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    rig_op(r, g, BERTH_OP_UNPACK, MB_INTS(w), MB_INTS(a, b));
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(b, a), MB_INTS(y));
    rig_io(r, g, MB_INTS(w), MB_INTS(y));
    run(NULL);
    assert_tied(a, w, 0);
    assert_tied(b, w, 32);
    assert_null(tie_of(w));
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 128);
}

static void outputs_pins_and_wishes_are_left_alone(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    rig_op(r, g, BERTH_OP_AVERAGE_POOL_2D, MB_INTS(a), MB_INTS(b));
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_io(r, g, MB_INTS(a), MB_INTS(b, y));
    run(NULL);
    assert_tied(a, y, 0);
    assert_null(tie_of(b)); /* the caller reads it */
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
    const uint32_t pinned = rig_global(r, g, a);
    const berth_lifetime_options all[] = {{.pin = &pinned, .pin_count = 1},
                                          {.keep_inputs = true},
                                          {.no_inplace = true},
                                          {.no_views = true},
                                          {.lag = 1}};
    for (uint32_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        rig_again(r, 0, &all[i]);
        assert_int_equal(r->lifetimes.problem.tie_count, 0);
        (void)rig_plan(r, BERTH_STRATEGY_BEST);
    }
}

/* --- the second judge ------------------------------------------------------
 */

/* A plan in which y lies over b, `shift` bytes off its place. */
static berth_status prove_shifted(uint64_t shift)
{
    uint64_t address[3] = {0, 32 + shift, 0};
    size_t need = 0;
    uint8_t memory[1 << 14];
    assert_int_equal(
        berth_prove_bytes(&r->graph, &r->schedule, &need, &r->diag), BERTH_OK);
    assert_true(need < sizeof(memory));
    return berth_prove(&r->graph, &r->shapes, &r->schedule, address,
                       berth_work_of(memory, sizeof(memory)), &r->diag);
}

static void a_part_out_of_place_is_unsound(void **state)
{
    (void)state;
    const int32_t a = rig_tensor(r, g, 32);
    const int32_t b = rig_tensor(r, g, 32);
    const int32_t y = rig_tensor(r, g, 64);
    rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(a, b), MB_INTS(y));
    rig_io(r, g, MB_INTS(a, b), MB_INTS(y));
    run(NULL);
    assert_int_equal(prove_shifted(0), BERTH_OK);
    for (uint64_t shift = 1; shift < 32; ++shift) {
        assert_int_equal(prove_shifted(shift), BERTH_UNSOUND);
        assert_int_equal(r->diag.tensor, (uint32_t)a);
    }
    assert_int_equal(prove_shifted(32), BERTH_OK); /* apart */
    (void)b;
    (void)y;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_joined_is_made_in_its_place),
        TEST(a_part_that_is_read_later_is_copied),
        TEST(a_part_of_which_a_view_is_read_later_is_copied),
        TEST(views_take_their_source_along),
        TEST(a_part_that_is_there_twice_has_no_place),
        TEST(joins_of_joins_are_one_shape),
        TEST(misaligned_parts_are_copied),
        TEST(a_join_that_is_not_the_peak_is_a_copy),
        TEST(parts_stay_in_what_is_split),
        TEST(what_is_read_behind_its_split_is_left_whole),
        TEST(a_split_that_is_joined_lies_once),
        TEST(outputs_pins_and_wishes_are_left_alone),
        TEST(a_part_out_of_place_is_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Each strategy on cases worked out by hand. */
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Solves, holds the offsets to those expected, and returns the plan. */
static berth_plan expect(plan_case *c, berth_strategy strategy,
                         const uint64_t *offsets)
{
    berth_plan plan;
    berth_diag diag = berth_diag_none();
    if (case_solve(c, strategy, &plan, &diag) != BERTH_OK) {
        fail_msg("%s: %s", berth_strategy_name(strategy), diag.what);
    }
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        assert_int_equal(c->offset[i], offsets[i]);
    }
    assert_int_equal(plan.strategy, strategy);
    return plan;
}

static uint64_t peak_of(plan_case *c, berth_strategy strategy)
{
    berth_plan plan;
    assert_int_equal(case_solve(c, strategy, &plan, NULL), BERTH_OK);
    return plan.peak;
}

/* The start of MobileNet v1 96x96 int8, as MLPerf Tiny runs it. */
static void vww_chain(plan_case *c)
{
    case_start(c, 6);
    case_item(c, 27648, 0, 2);
    case_item(c, 18432, 1, 3);
    case_item(c, 18432, 2, 4);
    case_item(c, 36864, 3, 5);
    case_item(c, 9216, 4, 6);
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        c->items[i].align = 16;
    }
}

static void tflm__places_vww_as_the_runtime_does(void **state)
{
    const uint64_t offsets[] = {0, 55296, 36864, 0, 36864};
    plan_case c;
    (void)state;
    vww_chain(&c);
    const berth_plan plan = expect(&c, BERTH_STRATEGY_TFLM, offsets);
    assert_int_equal(plan.peak, 73728);
    assert_int_equal(plan.bound, 55296);
    assert_int_equal(plan.proof, BERTH_PROOF_OPEN);
}

static void best__places_vww_at_its_bound(void **state)
{
    plan_case c;
    berth_plan plan;
    (void)state;
    vww_chain(&c);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, NULL),
                     BERTH_OK);
    assert_int_equal(plan.peak, 55296);
    assert_int_equal(plan.bound, 55296);
    assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);
    assert_int_not_equal(plan.strategy, BERTH_STRATEGY_TFLM);
    assert_int_equal(peak_of(&c, BERTH_STRATEGY_ONLINE), 55296);
    assert_int_equal(peak_of(&c, BERTH_STRATEGY_NONE), 110592);
}

static void none__gives_each_bytes_of_its_own(void **state)
{
    const uint64_t offsets[] = {0, 8, 0, 16};
    plan_case c;
    (void)state;
    case_start(&c, 9);
    case_item(&c, 5, 0, 1);
    case_item(&c, 1, 2, 3);
    case_item(&c, 0, 4, 5);
    case_item(&c, 3, 6, 7);
    for (uint32_t i = 0; i < 4; ++i) {
        c.items[i].align = 8;
    }
    const berth_plan plan = expect(&c, BERTH_STRATEGY_NONE, offsets);
    assert_int_equal(plan.peak, 19);
    assert_int_equal(plan.bound, 5);
    assert_int_equal(plan.nodes, 4);
}

/* As malloc and free: 0 is given back at 2, and whoever comes next and fits
 * takes its place. */
static void online__takes_the_lowest_free_address(void **state)
{
    const uint64_t offsets[] = {0, 10, 14, 0, 4};
    plan_case c;
    (void)state;
    case_start(&c, 5);
    case_item(&c, 10, 0, 2);
    case_item(&c, 4, 1, 5);
    case_item(&c, 12, 2, 4);
    case_item(&c, 4, 2, 5);
    case_item(&c, 6, 3, 5);
    expect(&c, BERTH_STRATEGY_ONLINE, offsets);
}

/* Two holes, 12 wide at 0 and 10 wide at 32: best fit takes the second. */
static void best_fit__takes_the_tightest_gap(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 2);
    case_item(&c, 20, 0, 2);
    case_item(&c, 20, 0, 2);
    case_item(&c, 10, 0, 1);
    case_item(&c, 10, 1, 2);
    c.items[0].fixed = 12;
    c.items[1].fixed = 42;
    assert_int_equal(peak_of(&c, BERTH_STRATEGY_SIZE_FIRST), 62);
    assert_int_equal(c.offset[2], 0);
    assert_int_equal(peak_of(&c, BERTH_STRATEGY_SIZE_BEST), 62);
    assert_int_equal(c.offset[2], 32);
    assert_int_equal(c.offset[3], 32);
    /* Equal gaps: the lower one. */
    c.items[0].fixed = 10;
    c.items[1].fixed = 40;
    assert_int_equal(peak_of(&c, BERTH_STRATEGY_SIZE_BEST), 60);
    assert_int_equal(c.offset[2], 0);
}

/* TensorFlow Lite compares a gap after aligning it and remembers it before:
 * the second gap, as tight as the first when aligned, is taken too. */
static void tflite__remembers_a_gap_before_aligning_it(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 4);
    case_item(&c, 60, 0, 4); /* [0, 60): blocks that never die, by index */
    case_item(&c, 64, 0, 4);
    case_item(&c, 64, 0, 4);
    case_item(&c, 10, 1, 3);
    for (uint32_t i = 0; i < 4; ++i) {
        c.items[i].align = 64;
    }
    const uint64_t stacked[] = {0, 64, 128, 192};
    expect(&c, BERTH_STRATEGY_TFLITE, stacked);

    /* Gaps [60, 192) and [256, 320): aligned, 128 and 64 wide. */
    c.items[0].fixed = 0;
    c.items[1].fixed = 192;
    c.items[2].fixed = 320;
    const uint64_t tightest[] = {0, 192, 320, 256};
    expect(&c, BERTH_STRATEGY_TFLITE, tightest);

    /* Gaps [60, 128) and [192, 256): both 64 when aligned. The first leaves
     * 128 - 60 behind, so the second still looks tighter. */
    c.items[1].fixed = 128;
    c.items[2].fixed = 256;
    const uint64_t second[] = {0, 128, 256, 192};
    expect(&c, BERTH_STRATEGY_TFLITE, second);
    assert_int_equal(peak_of(&c, BERTH_STRATEGY_SIZE_BEST), 320);
    assert_int_equal(c.offset[3], 64);
}

/* What lives from the first step and is never given back comes first, by
 * index; then size, birth, index. */
static void tflite__orders_as_the_runtime_does(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 3);
    case_item(&c, 16, 1, 2); /* third: the largest that comes and goes */
    case_item(&c, 8, 0, 3);  /* first: never given back */
    case_item(&c, 8, 0, 2);  /* same size as 4, born earlier */
    case_item(&c, 4, 1, 2);
    case_item(&c, 8, 1, 2);
    /* 2 meets 0 at step 1: above it; 4 on that; 3 on top. */
    const uint64_t expected[] = {8, 0, 24, 40, 32};
    expect(&c, BERTH_STRATEGY_TFLITE, expected);
}

/* A tied item goes where its owner goes and is in nobody's way. */
static void tflite__lets_tied_items_follow(void **state)
{
    plan_case c;
    berth_plan plan;
    (void)state;
    case_start(&c, 5);
    case_item(&c, 8, 1, 4); /* the owner's spans are widened by the maker */
    case_item(&c, 8, 2, 4);
    case_item(&c, 8, 3, 4);
    case_tie(&c, 0, 1, 0);
    const uint64_t offsets[] = {0, 0, 8};
    expect(&c, BERTH_STRATEGY_TFLITE, offsets);
    /* Where the maker forgot to, the judge says so. */
    c.spans[0].dead = 3;
    berth_diag diag = berth_diag_none();
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_TFLITE, &plan, &diag),
                     BERTH_UNSOUND);
    assert_string_equal(diag.what, "two items that live at one time overlap");
    assert_int_equal(diag.tensor, 1);
    assert_int_equal(diag.other, 2);
    assert_int_equal(diag.step, 3);
}

/* Sizes are rounded up to 16 before sorting and placing; equal ones from the
 * back. */
static void tflm__rounds_sizes_and_sorts_from_the_back(void **state)
{
    const uint64_t offsets[] = {48, 32, 0, 16};
    plan_case c;
    (void)state;
    case_start(&c, 2);
    case_item(&c, 1, 0, 2);
    case_item(&c, 16, 0, 2);
    case_item(&c, 9, 0, 2);
    case_item(&c, 3, 0, 2);
    /* All round to 16: 3, 2, 1, 0 would be the order; item 2 is fixed. */
    c.items[2].fixed = 0;
    const berth_plan plan = expect(&c, BERTH_STRATEGY_TFLM, offsets);
    assert_int_equal(plan.peak, 49); /* the sizes given count */
}

/* Offline offsets go first, wherever they are; the rest fits around them. */
static void tflm__fits_around_offline_offsets(void **state)
{
    const uint64_t offsets[] = {64, 0, 96};
    plan_case c;
    (void)state;
    case_start(&c, 2);
    case_item(&c, 32, 0, 2);
    case_item(&c, 48, 0, 2);
    case_item(&c, 80, 0, 2);
    c.items[0].fixed = 64;
    expect(&c, BERTH_STRATEGY_TFLM, offsets);
}

static void peers__know_no_links(void **state)
{
    plan_case c;
    berth_plan plan;
    berth_diag diag = berth_diag_none();
    (void)state;
    case_start(&c, 3);
    case_item(&c, 8, 0, 2);
    case_item(&c, 8, 1, 3);
    case_link(&c, 0, 1, 0, 0);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_TFLITE, &plan, &diag),
                     BERTH_UNSUPPORTED);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_TFLM, &plan, &diag),
                     BERTH_UNSUPPORTED);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_OK);
    assert_int_equal(plan.peak, 8);
}

/* The order of each greedy row shows in who is at the bottom. All four live at
 * step 3, so each lies on those before it. */
static void greedy__orders(void **state)
{
    static const struct {
        berth_strategy strategy;
        uint32_t order[4];
    } cases[] = {
        {BERTH_STRATEGY_SIZE_FIRST, {2, 0, 1, 3}},
        {BERTH_STRATEGY_AREA_FIRST, {0, 1, 2, 3}},
        {BERTH_STRATEGY_BIRTH_FIRST, {1, 0, 3, 2}},
        {BERTH_STRATEGY_DEATH_FIRST, {0, 1, 3, 2}},
        {BERTH_STRATEGY_SPAN_FIRST, {0, 1, 3, 2}},
        {BERTH_STRATEGY_ONLINE, {1, 0, 3, 2}},
    };
    plan_case c;
    (void)state;
    case_start(&c, 10);
    case_item(&c, 30, 1, 9);
    case_item(&c, 20, 0, 8);
    case_item(&c, 40, 3, 4);
    case_item(&c, 10, 2, 5);
    c.spans[0].dead = 9;
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
        uint64_t at = 0;
        assert_int_equal(peak_of(&c, cases[k].strategy), 100);
        for (uint32_t n = 0; n < 4; ++n) {
            const uint32_t item = cases[k].order[n];
            if (c.offset[item] != at) {
                fail_msg("%s: item %u at %u, not %u",
                         berth_strategy_name(cases[k].strategy), item,
                         (unsigned)c.offset[item], (unsigned)at);
            }
            at += c.items[item].size;
        }
    }
}

/* Steps 0 and 4 are fuller than step 2: what lives there goes first, whatever
 * its size. */
static void breadth__serves_the_fullest_step_first(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 5);
    case_item(&c, 50, 2, 3); /* alone with 2 at step 2: 60 */
    case_item(&c, 45, 0, 1); /* with 3 and 2: 100 */
    case_item(&c, 10, 0, 5);
    case_item(&c, 45, 0, 1);
    peak_of(&c, BERTH_STRATEGY_BREADTH_FIRST);
    assert_int_equal(c.offset[1], 0);
    assert_int_equal(c.offset[3], 45);
    assert_int_equal(c.offset[2], 90);
    assert_int_equal(c.offset[0], 0);
    peak_of(&c, BERTH_STRATEGY_LOAD_FIRST); /* the longer first */
    assert_int_equal(c.offset[2], 0);
    assert_int_equal(c.offset[1], 10);
    assert_int_equal(c.offset[3], 55);
}

static void strategies__have_names(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        const char *name = berth_strategy_name((berth_strategy)s);
        assert_true(strlen(name) > 0 && name[0] != '?');
        assert_true(strlen(berth_strategy_help((berth_strategy)s)) > 0);
        for (uint32_t t = 0; t < s; ++t) {
            assert_string_not_equal(name,
                                    berth_strategy_name((berth_strategy)t));
        }
    }
    assert_string_equal(berth_strategy_name(BERTH_STRATEGY_COUNT), "?");
    assert_string_equal(berth_strategy_help(BERTH_STRATEGY_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tflm__places_vww_as_the_runtime_does),
        cmocka_unit_test(best__places_vww_at_its_bound),
        cmocka_unit_test(none__gives_each_bytes_of_its_own),
        cmocka_unit_test(online__takes_the_lowest_free_address),
        cmocka_unit_test(best_fit__takes_the_tightest_gap),
        cmocka_unit_test(tflite__remembers_a_gap_before_aligning_it),
        cmocka_unit_test(tflite__orders_as_the_runtime_does),
        cmocka_unit_test(tflite__lets_tied_items_follow),
        cmocka_unit_test(tflm__rounds_sizes_and_sorts_from_the_back),
        cmocka_unit_test(tflm__fits_around_offline_offsets),
        cmocka_unit_test(peers__know_no_links),
        cmocka_unit_test(greedy__orders),
        cmocka_unit_test(breadth__serves_the_fullest_step_first),
        cmocka_unit_test(strategies__have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

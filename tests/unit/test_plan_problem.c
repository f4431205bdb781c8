/* Malformed problems are refused, each for its reason, and well-formed odd ones
 * are not. */
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void two_items(plan_case *c)
{
    case_start(c, 4);
    case_item(c, 8, 0, 2);
    case_item(c, 4, 1, 3);
}

/* Refused with that text by the check, and by all that begin with it. */
static void refused(const plan_case *c, berth_status expected, const char *what,
                    uint32_t item)
{
    uint64_t offset[PLAN_CASE_MAX] = {77};
    berth_plan plan = {.offset = offset};
    berth_diag diag = berth_diag_none();
    assert_int_equal(problem_check(&c->problem, &diag), expected);
    assert_string_equal(diag.what, what);
    assert_int_equal(diag.tensor, item);

    diag = berth_diag_none();
    assert_int_equal(problem_solve(&c->problem, BERTH_STRATEGY_BEST, 0, offset,
                                   &plan, &diag),
                     expected);
    assert_string_equal(diag.what, what);
    assert_int_equal(offset[0], 77);
    assert_int_equal(problem_judge(&c->problem, &plan, NULL), expected);
    uint64_t bound = 5;
    uint32_t step = 5;
    assert_int_equal(problem_bound(&c->problem, &bound, &step), expected);
    assert_int_equal(bound, 5);
}

static void accepted(const plan_case *c)
{
    berth_diag diag = berth_diag_none();
    if (problem_check(&c->problem, &diag) != BERTH_OK) {
        fail_msg("%s", diag.what);
    }
}

static void problem_check__refuses_missing_arrays(void **state)
{
    plan_case c;
    (void)state;
    two_items(&c);
    c.problem.spans = NULL;
    refused(&c, BERTH_BAD_ARG, "an array is missing", BERTH_NONE);
    two_items(&c);
    c.problem.links = NULL;
    c.problem.link_count = 1;
    refused(&c, BERTH_BAD_ARG, "an array is missing", BERTH_NONE);
    two_items(&c);
    c.problem.items = NULL;
    assert_int_equal(problem_check(&c.problem, NULL), BERTH_BAD_ARG);
}

static void problem_check__refuses_alignments(void **state)
{
    const uint32_t wrong[] = {0, 3, 12, UINT32_MAX};
    plan_case c;
    (void)state;
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); ++k) {
        two_items(&c);
        c.items[1].align = wrong[k];
        refused(&c, BERTH_BAD_ARG, "an alignment is no power of two", 1);
        two_items(&c);
        case_capacity(&c, 100, wrong[k]);
        refused(&c, BERTH_BAD_ARG, "a region's alignment is no power of two",
                BERTH_NONE);
    }
    two_items(&c);
    c.items[1].align = 1u << 31;
    accepted(&c);
}

static void problem_check__refuses_spans(void **state)
{
    const char *what = "spans are missing, out of order or past step_count";
    plan_case c;
    (void)state;
    two_items(&c);
    c.spans[1].dead = 1; /* empty */
    refused(&c, BERTH_BAD_ARG, what, 1);
    two_items(&c);
    c.spans[1] = (berth_span){3, 2};
    refused(&c, BERTH_BAD_ARG, what, 1);
    two_items(&c);
    c.spans[0].dead = 5; /* past the last step */
    refused(&c, BERTH_BAD_ARG, what, 0);
    two_items(&c);
    c.items[0].span_count = 0;
    refused(&c, BERTH_BAD_ARG, what, 0);
    two_items(&c);
    c.items[1].span_count = 2; /* beyond the array */
    refused(&c, BERTH_BAD_ARG, what, 1);
    two_items(&c);
    c.items[1].first_span = UINT32_MAX;
    refused(&c, BERTH_BAD_ARG, what, 1);
    two_items(&c);
    case_span(&c, 3, 4); /* touches [1, 3) */
    refused(&c, BERTH_BAD_ARG, what, 1);
    two_items(&c);
    case_item(&c, 1, 2, 3);
    case_span(&c, 0, 1); /* descends */
    refused(&c, BERTH_BAD_ARG, what, 2);
}

static void problem_check__refuses_regions(void **state)
{
    plan_case c;
    (void)state;
    two_items(&c);
    c.items[0].regions = 0;
    refused(&c, BERTH_BAD_ARG, "an item may lie in no region", 0);
    two_items(&c);
    c.items[0].regions = 2; /* there is only one */
    refused(&c, BERTH_BAD_ARG, "an item may lie in no region", 0);
}

static void problem_check__refuses_links(void **state)
{
    plan_case c;
    (void)state;
    two_items(&c);
    case_link(&c, 1, 0, 0, 0);
    refused(&c, BERTH_BAD_ARG, "a link is out of range", 0);
    two_items(&c);
    case_link(&c, 0, 2, 0, 0);
    refused(&c, BERTH_BAD_ARG, "a link is out of range", 2);
    two_items(&c);
    case_link(&c, 0, 1, 0, 8);
    case_link(&c, 0, 1, 0, 8);
    refused(&c, BERTH_BAD_ARG, "links are out of order", 1);
    two_items(&c);
    case_link(&c, 0, 1, -5, 8); /* the default is (-4, 8) */
    refused(&c, BERTH_BAD_ARG, "a link forbids more than the default", 1);
    two_items(&c);
    case_link(&c, 0, 1, -4, 9);
    refused(&c, BERTH_BAD_ARG, "a link forbids more than the default", 1);
    two_items(&c);
    case_link(&c, 0, 1, INT64_MAX, INT64_MIN); /* forbids nothing */
    accepted(&c);
}

static void problem_check__refuses_ties(void **state)
{
    plan_case c;
    (void)state;
    two_items(&c);
    case_tie(&c, 0, 0, 0);
    refused(&c, BERTH_BAD_ARG, "a tie is out of range", 0);
    two_items(&c);
    case_tie(&c, 2, 0, 0);
    refused(&c, BERTH_BAD_ARG, "a tie is out of range", 0);
    two_items(&c);
    case_tie(&c, 0, 1, 0);
    case_tie(&c, 0, 1, 0);
    refused(&c, BERTH_BAD_ARG, "ties are out of order", 1);
    two_items(&c);
    case_tie(&c, 1, 0, 0);
    case_tie(&c, 0, 1, 0);
    refused(&c, BERTH_BAD_ARG, "ties go in a circle", 0);
}

/* A circle of three with a long tail into it, and one beside a good tree. */
static void problem_check__finds_circles_of_ties(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 1);
    for (uint32_t i = 0; i < 12; ++i) {
        case_item(&c, 1, 0, 1);
    }
    for (uint32_t i = 0; i < 9; ++i) {
        case_tie(&c, i + 1, i, 0);
    }
    case_tie(&c, 7, 9, 0);
    refused(&c, BERTH_BAD_ARG, "ties go in a circle", 0);
    c.ties[9].a = 11; /* no circle any more */
    accepted(&c);
}

static void problem_check__refuses_fixed_offsets(void **state)
{
    const char *what = "a tie contradicts an offset or alignment";
    plan_case c;
    (void)state;
    two_items(&c);
    c.items[0].align = 16;
    c.items[0].fixed = 8;
    refused(&c, BERTH_BAD_ARG, "a fixed offset is not aligned", 0);
    two_items(&c);
    c.items[0].fixed = 0;
    c.items[1].fixed = 4;
    case_tie(&c, 0, 1, 3);
    refused(&c, BERTH_BAD_ARG, what, 1);
    c.ties[0].delta = 4;
    accepted(&c);
    /* Through a third that is not fixed. */
    two_items(&c);
    case_item(&c, 1, 0, 1);
    case_tie(&c, 2, 0, 0);
    case_tie(&c, 2, 1, 0);
    c.items[0].fixed = 0;
    c.items[1].fixed = 1;
    refused(&c, BERTH_BAD_ARG, what, 1);
    /* The owner would begin below 0. */
    two_items(&c);
    case_tie(&c, 0, 1, 4);
    c.items[1].fixed = 3;
    refused(&c, BERTH_BAD_ARG, what, 0);
    /* 16-aligned both, and 8 apart. */
    two_items(&c);
    case_tie(&c, 0, 1, 8);
    c.items[0].align = 16;
    c.items[1].align = 16;
    refused(&c, BERTH_BAD_ARG, what, 1);
    c.items[1].align = 8;
    accepted(&c);
}

static void problem_check__refuses_what_reaches_too_far(void **state)
{
    const char *what = "the items reach past 2^60 bytes";
    plan_case c;
    (void)state;
    two_items(&c);
    c.items[0].size = (uint64_t)1 << 60;
    refused(&c, BERTH_TOO_LARGE, what, BERTH_NONE);
    c.items[0].size = UINT64_MAX;
    refused(&c, BERTH_TOO_LARGE, what, BERTH_NONE);
    two_items(&c);
    c.items[1].fixed = UINT64_MAX - 1;
    refused(&c, BERTH_TOO_LARGE, what, BERTH_NONE);
    two_items(&c);
    case_tie(&c, 0, 1, INT64_MIN);
    refused(&c, BERTH_TOO_LARGE, what, BERTH_NONE);
    two_items(&c);
    c.items[0].size = (uint64_t)1 << 59;
    accepted(&c);
}

static void problem_check__counts_items_and_spans(void **state)
{
    plan_case c;
    size_t bytes = 9;
    (void)state;
    two_items(&c);
    c.problem.item_count = UINT32_MAX;
    assert_int_equal(berth_problem_check_bytes(&c.problem, &bytes),
                     BERTH_TOO_LARGE);
    two_items(&c);
    c.items[0].span_count = UINT32_MAX;
    assert_int_equal(berth_plan_bytes(&c.problem, NULL, &bytes, NULL),
                     BERTH_TOO_LARGE);
    assert_int_equal(bytes, 9);
}

/* Any lent size below the need is refused with the need, in the check of the
 * problem too; without ties it needs nothing. */
static void problem_check__shrink(void **state)
{
    plan_case c;
    size_t need = 1;
    (void)state;
    two_items(&c);
    assert_int_equal(berth_problem_check_bytes(&c.problem, &need), BERTH_OK);
    assert_int_equal(need, 0);
    assert_int_equal(
        berth_problem_check(&c.problem, berth_work_of(NULL, 0), NULL),
        BERTH_OK);
    case_tie(&c, 0, 1, 0);
    assert_int_equal(berth_problem_check_bytes(&c.problem, &need), BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent + 1);
        assert_non_null(memory);
        berth_diag diag = berth_diag_none();
        const berth_status status =
            berth_problem_check(&c.problem, berth_work_of(memory, lent), &diag);
        assert_int_equal(status, lent < need ? BERTH_NO_SPACE : BERTH_OK);
        if (lent < need) {
            assert_int_equal(diag.needed_bytes, need);
        }
        free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problem_check__refuses_missing_arrays),
        cmocka_unit_test(problem_check__refuses_alignments),
        cmocka_unit_test(problem_check__refuses_spans),
        cmocka_unit_test(problem_check__refuses_regions),
        cmocka_unit_test(problem_check__refuses_links),
        cmocka_unit_test(problem_check__refuses_ties),
        cmocka_unit_test(problem_check__finds_circles_of_ties),
        cmocka_unit_test(problem_check__refuses_fixed_offsets),
        cmocka_unit_test(problem_check__refuses_what_reaches_too_far),
        cmocka_unit_test(problem_check__counts_items_and_spans),
        cmocka_unit_test(problem_check__shrink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

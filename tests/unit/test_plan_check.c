/* The judge: wrong plans of each kind are refused, right ones are not, and any
 * change to a tight plan is caught. */
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Three items; 0 and 1 meet, 1 and 2 meet, 0 and 2 do not. */
static berth_plan good_plan(plan_case *c)
{
    case_start(c, 4);
    case_item(c, 8, 0, 2);
    case_item(c, 4, 1, 3);
    case_item(c, 6, 2, 4);
    c->items[1].align = 4;
    c->offset[0] = 0;
    c->offset[1] = 8;
    c->offset[2] = 0;
    return (berth_plan){.offset = c->offset,
                        .peak = 12,
                        .bound = 12,
                        .proof = BERTH_PROOF_PROVEN};
}

static void judged(const plan_case *c, const berth_plan *plan, const char *what,
                   uint32_t item, uint32_t other)
{
    berth_diag diag = berth_diag_none();
    const berth_status status = problem_judge(&c->problem, plan, &diag);
    assert_string_equal(diag.what, what);
    if (what[0] == '\0') {
        assert_int_equal(status, BERTH_OK);
        return;
    }
    assert_int_equal(status, BERTH_UNSOUND);
    assert_int_equal(diag.tensor, item);
    assert_int_equal(diag.other, other);
}

static void check__agrees_with_a_right_plan(void **state)
{
    plan_case c;
    (void)state;
    const berth_plan plan = good_plan(&c);
    judged(&c, &plan, "", 0, 0);
}

static void check__refuses_items_out_of_place(void **state)
{
    plan_case c;
    (void)state;
    berth_plan plan = good_plan(&c);
    c.offset[1] = 10;
    judged(&c, &plan, "an offset is misaligned", 1, BERTH_NONE);
    plan = good_plan(&c);
    c.items[2].fixed = 2;
    judged(&c, &plan, "an item is not at its fixed offset", 2, BERTH_NONE);
    plan = good_plan(&c);
    c.offset[2] = UINT64_MAX - 4;
    judged(&c, &plan, "an offset wraps around", 2, BERTH_NONE);
}

static void check__refuses_a_wrong_peak(void **state)
{
    const char *what = "the peak is not what was claimed";
    plan_case c;
    (void)state;
    berth_plan plan = good_plan(&c);
    plan.peak = 11;
    judged(&c, &plan, what, BERTH_NONE, BERTH_NONE);
    plan.peak = 13;
    judged(&c, &plan, what, BERTH_NONE, BERTH_NONE);
}

static void check__refuses_a_bound_that_cannot_be(void **state)
{
    const char *what = "the bound does not go with the peak";
    plan_case c;
    (void)state;
    berth_plan plan = good_plan(&c);
    plan.bound = 13;
    judged(&c, &plan, what, BERTH_NONE, BERTH_NONE);
    plan.bound = 11; /* and yet proven */
    judged(&c, &plan, what, BERTH_NONE, BERTH_NONE);
    plan.proof = BERTH_PROOF_OPEN;
    judged(&c, &plan, "", 0, 0);
}

static void check__refuses_overlap(void **state)
{
    const char *what = "two items that live at one time overlap";
    plan_case c;
    berth_diag diag = berth_diag_none();
    (void)state;
    berth_plan plan = good_plan(&c);
    c.offset[1] = 4;
    plan.peak = 8;
    judged(&c, &plan, what, 0, 1);
    /* At which step. */
    plan = good_plan(&c);
    c.offset[2] = 6;
    assert_int_equal(problem_judge(&c.problem, &plan, &diag), BERTH_UNSOUND);
    assert_int_equal(diag.step, 2);
    /* In the second of two spans. */
    plan = good_plan(&c);
    c.spans[0].dead = 1;
    case_item(&c, 4, 0, 1);
    case_span(&c, 2, 3);
    c.offset[3] = 8;
    judged(&c, &plan, what, 1, 3);
}

/* Items of no bytes may lie anywhere aligned, even on others. */
static void check__lets_nothing_be_anywhere(void **state)
{
    plan_case c;
    (void)state;
    const berth_plan plan = good_plan(&c);
    case_item(&c, 0, 0, 4);
    c.offset[3] = 3;
    judged(&c, &plan, "", 0, 0);
    c.offset[3] = 100;
    judged(&c, &plan, "", 0, 0);
}

static void check__keeps_pinned_items_apart(void **state)
{
    plan_case c;
    (void)state;
    const berth_plan plan = good_plan(&c);
    c.items[2].flags = BERTH_ITEM_PINNED;
    judged(&c, &plan, "two items that live at one time overlap", 0, 2);
    /* Not from those tied to it. */
    case_tie(&c, 0, 2, 0);
    judged(&c, &plan, "", 0, 0);
}

static void check__holds_ties(void **state)
{
    plan_case c;
    (void)state;
    const berth_plan plan = good_plan(&c);
    case_tie(&c, 0, 2, 0);
    judged(&c, &plan, "", 0, 0);
    c.ties[0].delta = 1;
    judged(&c, &plan, "a tie is not kept", 2, 0);
    /* Members of a class may overlap, through an owner between them too. */
    c.ties[0].delta = 0;
    c.spans[2].born = 1;
    c.offset[1] = 8;
    judged(&c, &plan, "", 0, 0);
}

static void check__reads_links(void **state)
{
    const char *overlap = "two items that live at one time overlap";
    plan_case c;
    (void)state;
    berth_plan plan = good_plan(&c);
    plan.bound = 8;
    plan.peak = 8;
    c.offset[1] = 0;
    c.offset[2] = 4;
    plan.peak = 10;
    plan.proof = BERTH_PROOF_OPEN;
    judged(&c, &plan, overlap, 0, 1);
    case_link(&c, 0, 1, 0, 8); /* 1 may lie over 0 at 0 or below */
    judged(&c, &plan, "", 0, 0);
    c.links[0].lo = -1; /* at -1 or below */
    judged(&c, &plan, overlap, 0, 1);
    c.links[0].lo = -1;
    c.links[0].hi = 0; /* or at 0 and above */
    judged(&c, &plan, "", 0, 0);
    c.items[1].flags = BERTH_ITEM_PINNED; /* a pin is stronger */
    judged(&c, &plan, overlap, 0, 1);
}

static void check__refuses_links_where_two_operators_meet(void **state)
{
    const char *what = "a link where two operators meet";
    plan_case c;
    (void)state;
    const berth_plan plan = good_plan(&c);
    case_link(&c, 0, 1, 0, 8);
    judged(&c, &plan, "", 0, 0);
    c.spans[0].dead = 3; /* now they meet in steps 1 and 2 */
    c.offset[2] = 12;
    berth_plan wide = plan;
    wide.peak = 18;
    judged(&c, &wide, what, 0, 1);
    /* Unless both steps are of one operator. */
    c.problem.step_op = c.step_op;
    c.step_op[0] = 0;
    c.step_op[1] = 5;
    c.step_op[2] = 5;
    c.step_op[3] = 6;
    wide.bound = 0;
    wide.proof = BERTH_PROOF_OPEN;
    judged(&c, &wide, "", 0, 0);
    c.step_op[2] = 6;
    judged(&c, &wide, what, 0, 1);
    /* A link that allows no more than the default may be anywhere. */
    c.links[0].lo = -4;
    judged(&c, &wide, "", 0, 0);
}

static void check__knows_regions(void **state)
{
    const berth_region regions[] = {{.capacity = 12, .align = 1},
                                    {.capacity = 6, .align = 2}};
    const char *alien = "an item lies in a region that is not its own";
    uint8_t region[3] = {0, 0, 1};
    plan_case c;
    (void)state;
    berth_plan plan = good_plan(&c);
    plan.region = region;
    c.problem.regions = regions;
    c.problem.region_count = 2;
    judged(&c, &plan, alien, 2, BERTH_NONE);
    c.items[2].regions = 3;
    judged(&c, &plan, "", 0, 0);
    region[2] = 2;
    judged(&c, &plan, alien, 2, BERTH_NONE);
    region[2] = 200;
    judged(&c, &plan, alien, 2, BERTH_NONE);
    region[2] = 1;
    c.offset[2] = 2;
    judged(&c, &plan, "an item ends beyond its region", 2, BERTH_NONE);
    c.offset[2] = 1;
    judged(&c, &plan, "an offset is misaligned", 2, BERTH_NONE);
    /* Other regions, other bytes. */
    c.offset[2] = 0;
    c.spans[2].born = 0;
    judged(&c, &plan, "", 0, 0);
    /* A class lies in one region. */
    case_tie(&c, 0, 2, 0);
    judged(&c, &plan, "a tie is not kept", 2, 0);
    /* A region array is needed. */
    plan.region = NULL;
    assert_int_equal(problem_judge(&c.problem, &plan, NULL), BERTH_BAD_ARG);
}

static void check__shrink(void **state)
{
    plan_case c;
    size_t need = 0;
    (void)state;
    const berth_plan plan = good_plan(&c);
    case_tie(&c, 0, 2, 0);
    assert_int_equal(berth_plan_check_bytes(&c.problem, &need), BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent + 1);
        assert_non_null(memory);
        berth_diag diag = berth_diag_none();
        const berth_status status = berth_plan_check(
            &c.problem, &plan, berth_work_of(memory, lent), &diag);
        assert_int_equal(status, lent < need ? BERTH_NO_SPACE : BERTH_OK);
        if (lent < need) {
            assert_int_equal(diag.needed_bytes, need);
        }
        free(memory);
    }
}

/* A broken packer: a right plan with one item moved. The judge must agree with
 * the plain O(n^2) reading of the rules every time. */
static bool plainly_right(const plan_case *c)
{
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        if (c->offset[i] % c->items[i].align != 0) {
            return false;
        }
        for (uint32_t j = 0; j < i; ++j) {
            const berth_span *s = &c->spans[i];
            const berth_span *t = &c->spans[j];
            if (s->born < t->dead && t->born < s->dead &&
                c->offset[i] < c->offset[j] + c->items[j].size &&
                c->offset[j] < c->offset[i] + c->items[i].size) {
                return false;
            }
        }
    }
    return true;
}

static void check__catches_a_broken_packer(void **state)
{
    test_random random = {20};
    uint32_t wrong = 0;
    (void)state;
    for (uint32_t round = 0; round < 4000; ++round) {
        plan_case c;
        berth_plan plan;
        case_start(&c, 8);
        for (uint32_t i = 0; i < 12; ++i) {
            const uint32_t born = random_below(&random, 8);
            const uint32_t it =
                case_item(&c, 1 + random_below(&random, 20), born,
                          born + 1 + random_below(&random, 8 - born));
            c.items[it].align = 1u << random_below(&random, 3);
        }
        assert_int_equal(case_solve(&c, BERTH_STRATEGY_SIZE_BEST, &plan, NULL),
                         BERTH_OK);
        const uint32_t moved = random_below(&random, 12);
        c.offset[moved] = random_below(&random, (uint32_t)plan.peak + 4);
        plan.peak = 0;
        for (uint32_t i = 0; i < 12; ++i) {
            const uint64_t end = c.offset[i] + c.items[i].size;
            plan.peak = end > plan.peak ? end : plan.peak;
        }
        plan.bound = 0;
        plan.proof = BERTH_PROOF_OPEN;
        const bool right = plainly_right(&c);
        const berth_status status = problem_judge(&c.problem, &plan, NULL);
        assert_int_equal(status, right ? BERTH_OK : BERTH_UNSOUND);
        wrong += !right;
    }
    print_message("%u of 4000 moves broke the plan, all were caught\n", wrong);
    assert_true(wrong > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__agrees_with_a_right_plan),
        cmocka_unit_test(check__refuses_items_out_of_place),
        cmocka_unit_test(check__refuses_a_wrong_peak),
        cmocka_unit_test(check__refuses_a_bound_that_cannot_be),
        cmocka_unit_test(check__refuses_overlap),
        cmocka_unit_test(check__lets_nothing_be_anywhere),
        cmocka_unit_test(check__keeps_pinned_items_apart),
        cmocka_unit_test(check__holds_ties),
        cmocka_unit_test(check__reads_links),
        cmocka_unit_test(check__refuses_links_where_two_operators_meet),
        cmocka_unit_test(check__knows_regions),
        cmocka_unit_test(check__shrink),
        cmocka_unit_test(check__catches_a_broken_packer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

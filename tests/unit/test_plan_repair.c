/* Packing under a ceiling, and taking out again what was placed. */
#include "plan/plan_int.h"
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEPS 24u

/* --- problems with every part
 * ------------------------------------------------------- */

static void add_item(plan_case *c, test_random *random)
{
    const uint32_t born = random_below(random, STEPS - 8);
    const uint32_t dead = born + 1 + random_below(random, 8);
    const uint32_t i = case_item(c, random_below(random, 90), born, dead);
    c->items[i].align = 1u << random_below(random, 5);
    if (random_below(random, 8) == 0 && dead + 2 < STEPS) {
        case_span(c, dead + 1, STEPS);
    }
    if (random_below(random, 40) == 0) {
        c->items[i].flags = BERTH_ITEM_PINNED;
    }
}

/* Each second item may be written over the one before, whose last step is its
 * first. */
static void add_links(plan_case *c, test_random *random)
{
    for (uint32_t i = 0; i + 1 < c->problem.item_count; i += 2) {
        const berth_item *a = &c->items[i];
        const berth_item *b = &c->items[i + 1];
        berth_span *later = &c->spans[b->first_span];
        const uint32_t meet = c->spans[a->first_span].dead - 1;
        if (a->span_count == 1 && b->span_count == 1 &&
            random_below(random, 2) == 0) {
            *later = (berth_span){meet, meet + 2};
            case_link(c, i, i + 1, -(int64_t)(b->size / 2),
                      (int64_t)(a->size / 2));
        }
    }
}

static void add_ties(plan_case *c, test_random *random)
{
    for (uint32_t b = 12; b < c->problem.item_count; b += 5) {
        c->items[b].align = 1;
        case_tie(c, random_below(random, 12), b,
                 (int64_t)random_below(random, 60));
    }
}

static void make_world(plan_case *c, test_random *random, uint32_t count)
{
    case_start(c, STEPS);
    while (c->problem.item_count < count) {
        add_item(c, random);
    }
    if (random_below(random, 2) == 0) {
        add_links(c, random);
    } else {
        add_ties(c, random);
    }
    if (random_below(random, 3) == 0) {
        c->items[3].fixed = (uint64_t)16 * random_below(random, 8);
    }
}

/* --- an engine in memory of its own
 * ------------------------------------------------- */

typedef struct rig {
    plan_engine engine;
    plan_repair repair;
    plan_ranking ranking;
    uint8_t *memory;
} rig;

static void set_up(rig *r, const berth_problem *problem, plan_order by)
{
    size_t need = 0;
    const uint32_t items = problem->item_count;
    assert_true(plan_engine_need(problem, &need));
    assert_true(plan_repair_need(problem, &need));
    assert_true(BERTH_NEED(&need, uint32_t, (size_t)items * 2));
    r->memory = malloc(need);
    assert_non_null(r->memory);
    berth_work work = berth_work_of(r->memory, need);
    assert_int_equal(plan_engine_init(&r->engine, problem, &work, NULL),
                     BERTH_OK);
    plan_repair_take(&r->repair, problem, &work);
    r->ranking.order = BERTH_TAKE(&work, uint32_t, items);
    r->ranking.spare = BERTH_TAKE(&work, uint32_t, items);
    plan_rank(&r->ranking, &r->engine, by);
    plan_engine_clear(&r->engine);
}

static void place_ranked(rig *r, uint32_t from, uint32_t end)
{
    for (uint32_t k = from; k < end; ++k) {
        plan_place(&r->engine, r->ranking.order[k], FIT_BEST);
    }
}

/* --- the repair
 * ----------------------------------------------------------------------- */

/* True when the repair ended below the ceiling; holds its plan to the judge. */
static bool repair_to(rig *r, const plan_case *c, uint64_t bound,
                      uint64_t ceiling)
{
    plan_repaired outcome = REPAIR_GOES_ON;
    berth_diag diag = berth_diag_none();
    plan_repair_begin(&r->repair, &r->engine, &r->ranking, FIT_FIRST, ceiling);
    for (uint32_t k = 0; k < 4000 && outcome == REPAIR_GOES_ON; ++k) {
        outcome = plan_repair_step(&r->repair);
    }
    if (outcome != REPAIR_DONE) {
        return false;
    }
    const berth_plan plan = {
        .offset = r->engine.offset, .peak = r->engine.peak, .bound = bound};
    assert_true(plan.peak <= ceiling);
    if (problem_judge(&c->problem, &plan, &diag) != BERTH_OK) {
        fail_msg("%s: %u, %u", diag.what, diag.tensor, diag.other);
    }
    return true;
}

static void repair__ends_with_a_sound_plan_or_none(void **state)
{
    const plan_order orders[] = {ORDER_PEAK, ORDER_SIZE, ORDER_INDEX};
    test_random random = {1};
    uint32_t worlds = 0;
    uint32_t done[3] = {0};
    (void)state;
    for (uint32_t round = 0; round < 600; ++round) {
        plan_case c;
        rig r;
        uint64_t bound = 0;
        uint32_t step = 0;
        make_world(&c, &random, 13 + random_below(&random, 28));
        if (problem_check(&c.problem, NULL) != BERTH_OK ||
            problem_bound(&c.problem, &bound, &step) != BERTH_OK) {
            continue;
        }
        ++worlds;
        set_up(&r, &c.problem, orders[round % 3]);
        for (uint32_t k = 0; k < 3; ++k) {
            done[k] += repair_to(&r, &c, bound, bound + bound * k / 8);
        }
        free(r.memory);
    }
    print_message("%u worlds: %u at the bound, %u within 12.5 %%, %u within "
                  "25 %%\n",
                  worlds, done[0], done[1], done[2]);
    assert_true(worlds > 300);
    assert_true(done[0] > 0 && done[1] > worlds / 2 && done[2] > worlds / 2);
}

static void repair__reaches_what_brute_force_shows(void **state)
{
    test_random random = {2};
    uint32_t reached = 0;
    (void)state;
    for (uint32_t round = 0; round < 500; ++round) {
        plan_case c;
        rig r;
        case_start(&c, 5);
        for (uint32_t i = 0; i < 6; ++i) {
            const uint32_t born = random_below(&random, 5);
            case_item(&c, 1 + random_below(&random, 5), born,
                      born + 1 + random_below(&random, 5 - born));
        }
        const uint64_t least = problem_brute_peak(&c.problem);
        set_up(&r, &c.problem, ORDER_PEAK);
        reached += repair_to(&r, &c, 0, least);
        assert_false(repair_to(&r, &c, 0, least - 1)); /* nobody can */
        free(r.memory);
    }
    print_message("%u of 500\n", reached);
    assert_true(reached >= 490);
}

/* Only bars of fixed items are left in the way: nothing may be thrown out. */
static void repair__does_not_move_what_is_fixed(void **state)
{
    plan_case c;
    rig r;
    (void)state;
    case_start(&c, 2);
    case_item(&c, 10, 0, 2);
    case_item(&c, 12, 0, 2);
    c.items[0].fixed = 8;
    set_up(&r, &c.problem, ORDER_PEAK);
    assert_false(repair_to(&r, &c, 0, 22));
    assert_true(repair_to(&r, &c, 0, 30));
    assert_int_equal(r.engine.offset[0], 8);
    assert_int_equal(r.engine.offset[1], 18);
    free(r.memory);
}

/* Those that live at the fullest step, step 2, longest first; then by size. */
static void rank__puts_the_peak_first(void **state)
{
    const uint32_t expected[] = {3, 1, 2, 0, 4};
    plan_case c;
    rig r;
    (void)state;
    case_start(&c, 5);
    case_item(&c, 50, 0, 1);
    case_item(&c, 20, 1, 3);
    case_item(&c, 40, 2, 3);
    case_item(&c, 10, 0, 5);
    case_item(&c, 30, 3, 5);
    set_up(&r, &c.problem, ORDER_PEAK);
    assert_int_equal(r.ranking.count, 5);
    assert_memory_equal(r.ranking.order, expected, sizeof(expected));
    free(r.memory);
}

/* --- out again
 * ------------------------------------------------------------------------- */

/* What is taken out leaves no trace: the rest goes where it would have gone. */
static void unplace__leaves_no_trace(void **state)
{
    test_random random = {3};
    (void)state;
    for (uint32_t round = 0; round < 300; ++round) {
        plan_case c;
        rig r;
        uint64_t without[PLAN_CASE_MAX];
        make_world(&c, &random, 40);
        if (problem_check(&c.problem, NULL) != BERTH_OK) {
            continue;
        }
        const size_t offsets = c.problem.item_count * sizeof(without[0]);
        set_up(&r, &c.problem, ORDER_SIZE);
        const uint32_t some = r.ranking.count / 3;
        place_ranked(&r, 0, some);
        place_ranked(&r, 2 * some, r.ranking.count);
        memcpy(without, r.engine.offset, offsets);
        plan_engine_clear(&r.engine);
        place_ranked(&r, 0, 2 * some);
        for (uint32_t k = 2 * some; k-- > some;) {
            plan_unplace(&r.engine, r.ranking.order[k]);
        }
        place_ranked(&r, 2 * some, r.ranking.count);
        assert_memory_equal(without, r.engine.offset, offsets);
        free(r.memory);
    }
}

static void place_under__places_as_place_does_or_not_at_all(void **state)
{
    test_random random = {4};
    (void)state;
    for (uint32_t round = 0; round < 200; ++round) {
        plan_case c;
        rig r;
        make_world(&c, &random, 30);
        if (problem_check(&c.problem, NULL) != BERTH_OK) {
            continue;
        }
        set_up(&r, &c.problem, ORDER_SIZE);
        for (uint32_t k = 0; k < r.ranking.count; ++k) {
            const uint32_t root = r.ranking.order[k];
            const plan_shape shape = plan_shape_of(&r.engine.classes, root);
            plan_place(&r.engine, root, FIT_FIRST);
            const uint64_t offset = r.engine.offset[root];
            const int64_t end = (int64_t)offset + shape.high;
            plan_unplace(&r.engine, root);
            const bool free_ = shape.fixed < 0 && !shape.empty;
            assert_int_equal(
                plan_place_under(&r.engine, root, FIT_FIRST, end - 1), !free_);
            assert_int_equal(r.engine.offset[root] == BERTH_NOWHERE, free_);
            assert_true(plan_place_under(&r.engine, root, FIT_FIRST, end));
            assert_int_equal(r.engine.offset[root], offset);
        }
        free(r.memory);
    }
}

/* The lives found are those that a look at each would find. */
static void lives__finds_exactly_those_shown(void **state)
{
    enum { ITEMS = 40 };
    test_random random = {5};
    plan_case c;
    rig r;
    bool shown[ITEMS] = {false};
    (void)state;
    make_world(&c, &random, ITEMS);
    set_up(&r, &c.problem, ORDER_INDEX);
    const plan_lives *lives = &r.engine.lives;
    for (uint32_t round = 0; round < 20000; ++round) {
        const uint32_t i = random_below(&random, ITEMS);
        const uint32_t born = random_below(&random, STEPS);
        const uint32_t dead = born + 1 + random_below(&random, STEPS - born);
        if (shown[i]) {
            plan_lives_hide(&r.engine.lives, &c.problem, i);
        } else {
            plan_lives_show(&r.engine.lives, &c.problem, i);
        }
        shown[i] = !shown[i];
        const uint32_t end = plan_lives_from(lives, dead);
        uint32_t found = plan_lives_next(lives, 0, end, born);
        for (uint32_t at = 0; at < lives->count; ++at) {
            const plan_life *life = &lives->life[at];
            if (life->born < dead && life->dead > born && shown[life->item]) {
                assert_int_equal(found, at);
                found = plan_lives_next(lives, found + 1, end, born);
            }
        }
        assert_int_equal(found, end);
    }
    free(r.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repair__ends_with_a_sound_plan_or_none),
        cmocka_unit_test(repair__reaches_what_brute_force_shows),
        cmocka_unit_test(repair__does_not_move_what_is_fixed),
        cmocka_unit_test(rank__puts_the_peak_first),
        cmocka_unit_test(unplace__leaves_no_trace),
        cmocka_unit_test(place_under__places_as_place_does_or_not_at_all),
        cmocka_unit_test(lives__finds_exactly_those_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The shelf against plain sorting: the same offsets, whatever is placed, taken
 * out and placed again. */
#include "plan/plan_int.h"
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 700, STEPS = 300, MOST_SPANS = 2 * ITEMS };

typedef struct world {
    berth_problem problem;
    berth_item items[ITEMS];
    berth_span spans[MOST_SPANS];
    berth_link links[ITEMS];
} world;

static void make_item(world *w, test_random *random, uint32_t i)
{
    const uint32_t first = w->problem.span_count;
    const uint32_t born = random_below(random, STEPS - 60);
    const uint32_t dead = born + 1 + random_below(random, 50);
    w->items[i] = (berth_item){.size = random_below(random, 1000),
                               .fixed = BERTH_NOWHERE,
                               .align = 1u << random_below(random, 7),
                               .first_span = first,
                               .span_count = 1,
                               .regions = 1};
    w->spans[w->problem.span_count++] = (berth_span){born, dead};
    if (random_below(random, 5) == 0) {
        w->spans[w->problem.span_count++] =
            (berth_span){dead + 1, dead + 2 + random_below(random, 8)};
        w->items[i].span_count = 2;
    }
    if (random_below(random, 50) == 0) {
        w->items[i].flags = BERTH_ITEM_PINNED;
    }
}

/* Links need not be allowed for the engine to heed them. */
static void make_world(world *w, test_random *random)
{
    *w = (world){.problem = {.items = w->items,
                             .spans = w->spans,
                             .links = w->links,
                             .item_count = ITEMS,
                             .step_count = STEPS}};
    for (uint32_t i = 0; i < ITEMS; ++i) {
        make_item(w, random, i);
    }
    for (uint32_t i = 0; i + 1 < ITEMS; i += 1 + random_below(random, 6)) {
        const int64_t a = (int64_t)w->items[i].size;
        const int64_t b = (int64_t)w->items[i + 1].size;
        w->links[w->problem.link_count++] =
            (berth_link){i, i + 1, -b / 2, a / 3};
    }
}

static uint8_t *start(plan_engine *engine, const berth_problem *problem,
                      bool shelved)
{
    size_t need = 0;
    assert_true(plan_engine_need(problem, &need));
    uint8_t *memory = malloc(need);
    assert_non_null(memory);
    berth_work work = berth_work_of(memory, need);
    assert_int_equal(plan_engine_init(engine, problem, &work, NULL), BERTH_OK);
    engine->shelved = shelved;
    plan_engine_clear(engine);
    return memory;
}

static bool is_placed(const plan_engine *engine, uint32_t i)
{
    return engine->offset[i] != BERTH_NOWHERE;
}

/* In and out in any order, most often in. */
static void turn_one(plan_engine *one, plan_engine *other, uint32_t i,
                     plan_fit fit)
{
    if (is_placed(one, i)) {
        plan_unplace(one, i);
        plan_unplace(other, i);
    } else {
        plan_place(one, i, fit);
        plan_place(other, i, fit);
    }
    assert_int_equal(one->offset[i], other->offset[i]);
}

static void shelf__finds_what_sorting_finds(void **state)
{
    static const plan_fit fits[] = {FIT_FIRST, FIT_BEST, FIT_TFLITE};
    static world w;
    test_random random = {1};
    (void)state;
    for (uint32_t round = 0; round < 6; ++round) {
        plan_engine shelf;
        plan_engine plain;
        make_world(&w, &random);
        uint8_t *memory = start(&shelf, &w.problem, true);
        uint8_t *more = start(&plain, &w.problem, false);
        for (uint32_t i = 0; i < ITEMS; ++i) {
            turn_one(&shelf, &plain, i, fits[round % 3]);
        }
        for (uint32_t k = 0; k < 8 * ITEMS; ++k) {
            const uint32_t i = random_below(&random, ITEMS);
            turn_one(&shelf, &plain, i, fits[random_below(&random, 3)]);
        }
        assert_int_equal(shelf.bars_seen > 0, plain.bars_seen > 0);
        free(memory);
        free(more);
    }
}

/* Everybody out, everybody in again, with no search in between that would tidy
 * up: the shelf holds those that are gone and those that are new. */
static void shelf__has_room_for_all_at_any_time(void **state)
{
    static world w;
    test_random random = {2};
    plan_engine engine;
    (void)state;
    make_world(&w, &random);
    uint8_t *memory = start(&engine, &w.problem, true);
    for (uint32_t i = 0; i < ITEMS; ++i) {
        plan_place(&engine, i, FIT_FIRST);
    }
    for (uint32_t turn = 0; turn < 5; ++turn) {
        for (uint32_t i = turn; i < ITEMS; ++i) {
            plan_unplace(&engine, i);
        }
        for (uint32_t i = ITEMS; i-- > turn;) {
            plan_settle(&engine, i, (int64_t)(i * 1024u));
        }
        assert_true(engine.shelf.count + engine.shelf.fresh_count <= ITEMS);
    }
    plan_shelf_tidy(&engine);
    for (uint32_t k = 1; k < engine.shelf.count; ++k) {
        assert_true(engine.offset[engine.shelf.item[k - 1]] <=
                    engine.offset[engine.shelf.item[k]]);
    }
    free(memory);
}

static void lowest_bit__of_every_word_with_one_or_two(void **state)
{
    (void)state;
    for (uint32_t low = 0; low < 64; ++low) {
        for (uint32_t high = low; high < 64; ++high) {
            assert_int_equal(
                plan_lowest_bit((uint64_t)1 << low | (uint64_t)1 << high), low);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shelf__finds_what_sorting_finds),
        cmocka_unit_test(shelf__has_room_for_all_at_any_time),
        cmocka_unit_test(lowest_bit__of_every_word_with_one_or_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a plan does with its arena, against a count byte by byte. The oracle
 * keeps an array of bytes and looks at each one in each step; it shares nothing
 * with the cover tree but the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "berth/ledger.h"

enum { ITEMS = 9, SPANS = 3, STEPS = 7, BYTES = 64, WORLDS = 20000 };

typedef struct world {
    berth_item items[ITEMS];
    berth_span spans[ITEMS * SPANS];
    berth_tie ties[ITEMS];
    uint64_t offset[ITEMS];
    berth_problem problem;
    berth_plan plan;
} world;

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

static void add_spans(world *w, uint32_t item, uint64_t *seed)
{
    uint32_t from = draw(seed, STEPS);
    w->items[item].first_span = w->problem.span_count;
    do {
        const uint32_t dead = from + 1u + draw(seed, STEPS - from);
        w->spans[w->problem.span_count++] = (berth_span){from, dead};
        ++w->items[item].span_count;
        from = dead + 1u;
    } while (from < STEPS && w->items[item].span_count < SPANS &&
             draw(seed, 2) == 0);
}

static void make_world(world *w, uint64_t *seed)
{
    *w = (world){.problem = {.items = w->items,
                             .spans = w->spans,
                             .ties = w->ties,
                             .item_count = draw(seed, ITEMS + 1),
                             .step_count = STEPS},
                 .plan = {.offset = w->offset}};
    for (uint32_t i = 0; i < w->problem.item_count; ++i) {
        w->items[i] = (berth_item){.size = draw(seed, 12),
                                   .align = 1,
                                   .fixed = BERTH_NOWHERE,
                                   .regions = 1};
        if (draw(seed, 12) == 0) {
            w->items[i].flags = BERTH_ITEM_PINNED;
        }
        w->offset[i] = draw(seed, BYTES - 12);
        add_spans(w, i, seed);
        if (i > 0 && draw(seed, 4) == 0) {
            w->ties[w->problem.tie_count++] =
                (berth_tie){.a = draw(seed, i), .b = i};
        }
        const uint64_t end = w->offset[i] + w->items[i].size;
        w->plan.peak = end > w->plan.peak ? end : w->plan.peak;
    }
}

static bool lives(const world *w, uint32_t item, uint32_t step)
{
    const berth_item *it = &w->items[item];
    if ((it->flags & BERTH_ITEM_PINNED) != 0) {
        return true;
    }
    for (uint32_t k = 0; k < it->span_count; ++k) {
        const berth_span span = w->spans[it->first_span + k];
        if (span.born <= step && step < span.dead) {
            return true;
        }
    }
    return false;
}

static uint64_t count_live(const world *w, uint32_t step, bool *on_top)
{
    bool used[BYTES] = {false};
    uint64_t count = 0;
    *on_top = false;
    for (uint32_t i = 0; i < w->problem.item_count; ++i) {
        const uint64_t end = w->offset[i] + w->items[i].size;
        for (uint64_t b = w->offset[i]; lives(w, i, step) && b < end; ++b) {
            count += !used[b];
            used[b] = true;
            *on_top = *on_top || b + 1u == w->plan.peak;
        }
    }
    return count;
}

static berth_status make_usage(const berth_problem *problem,
                               const berth_plan *plan, uint64_t *live,
                               berth_usage *usage)
{
    size_t need = 0;
    assert_int_equal(berth_usage_bytes(problem, &need, NULL), BERTH_OK);
    void *memory = malloc(need + 1u); /* exact but for an empty world */
    const berth_status status = berth_usage_make(
        problem, plan, berth_work_of(memory, need), live, usage, NULL);
    free(memory);
    return status;
}

static void test_live_bytes_are_those_of_a_count(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < WORLDS; ++round) {
        world w;
        uint64_t live[STEPS];
        berth_usage usage;
        make_world(&w, &seed);
        assert_int_equal(make_usage(&w.problem, &w.plan, live, &usage),
                         BERTH_OK);
        uint64_t best = 0;
        uint32_t best_step = BERTH_NONE;
        for (uint32_t step = 0; step < STEPS; ++step) {
            bool on_top;
            const uint64_t count = count_live(&w, step, &on_top);
            assert_int_equal(live[step], count);
            if (on_top && count > best) {
                best = count;
                best_step = step;
            }
        }
        assert_int_equal(usage.peak_live_bytes, best);
        assert_int_equal(usage.peak_step, best_step);
    }
}

/* The class of an item: its owner's, if it has bytes itself. */
static uint32_t class_of(const world *w, uint32_t item)
{
    for (uint32_t k = 0; k < w->problem.tie_count; ++k) {
        if (w->ties[k].b == item && w->items[item].size > 0) {
            return class_of(w, w->ties[k].a);
        }
    }
    return item;
}

typedef struct hull {
    uint64_t from;
    uint64_t end;
    uint32_t birth;
} hull;

static void find_hulls(const world *w, hull hulls[ITEMS])
{
    for (uint32_t i = 0; i < w->problem.item_count; ++i) {
        hulls[i] = (hull){BYTES, 0, STEPS};
    }
    for (uint32_t i = 0; i < w->problem.item_count; ++i) {
        hull *h = &hulls[class_of(w, i)];
        const uint32_t born = w->spans[w->items[i].first_span].born;
        const uint64_t end = w->offset[i] + w->items[i].size;
        if (w->items[i].size == 0 && class_of(w, i) != i) {
            continue;
        }
        h->birth = born < h->birth ? born : h->birth;
        if (w->items[i].size > 0) {
            h->from = w->offset[i] < h->from ? w->offset[i] : h->from;
            h->end = end > h->end ? end : h->end;
        }
    }
}

static void test_reuse_is_that_of_painted_bytes(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t round = 0; round < WORLDS; ++round) {
        world w;
        berth_usage usage;
        hull hulls[ITEMS];
        bool painted[BYTES] = {false};
        uint32_t buffers = 0;
        uint32_t reused = 0;
        uint64_t reused_bytes = 0;
        make_world(&w, &seed);
        assert_int_equal(make_usage(&w.problem, &w.plan, NULL, &usage),
                         BERTH_OK);
        find_hulls(&w, hulls);
        for (uint32_t step = 0; step < STEPS; ++step) {
            for (uint32_t i = 0; i < w.problem.item_count; ++i) {
                if (hulls[i].birth != step || hulls[i].end <= hulls[i].from) {
                    continue;
                }
                uint64_t again = 0;
                for (uint64_t b = hulls[i].from; b < hulls[i].end; ++b) {
                    again += painted[b];
                    painted[b] = true;
                }
                ++buffers;
                reused += again > 0;
                reused_bytes += again;
            }
        }
        assert_int_equal(usage.buffer_count, buffers);
        assert_int_equal(usage.reused_count, reused);
        assert_int_equal(usage.reused_bytes, reused_bytes);
    }
}

static void test_every_smaller_block_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 3;
    world w;
    size_t need = 0;
    do {
        make_world(&w, &seed);
    } while (w.problem.item_count < 5);
    assert_int_equal(berth_usage_bytes(&w.problem, &need, NULL), BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent == 0 ? 1 : lent);
        uint64_t live[STEPS];
        berth_usage usage;
        berth_diag diag = berth_diag_none();
        memset(&usage, 7, sizeof(usage));
        const berth_usage untouched = usage;
        const berth_status status =
            berth_usage_make(&w.problem, &w.plan, berth_work_of(memory, lent),
                             live, &usage, &diag);
        if (lent < need) {
            assert_int_equal(status, BERTH_NO_SPACE);
            assert_int_equal(diag.needed_bytes, need);
            assert_memory_equal(&usage, &untouched, sizeof(usage));
        } else {
            assert_int_equal(status, BERTH_OK);
        }
        free(memory);
    }
}

static void test_nothing_has_no_peak(void **state)
{
    (void)state;
    const berth_problem problem = {.step_count = 3};
    berth_plan plan = {0};
    uint64_t live[3] = {9, 9, 9};
    berth_usage usage;
    assert_int_equal(make_usage(&problem, &plan, live, &usage), BERTH_OK);
    assert_int_equal(usage.peak_step, BERTH_NONE);
    assert_int_equal(usage.buffer_count, 0);
    assert_int_equal(live[0] + live[1] + live[2], 0);
}

static void test_a_ledger_is_cut_from_one_block(void **state)
{
    (void)state;
    berth_ledger ledger = {
        .arena_bytes = 17, .state_bytes = 0, .books_bytes = 5};
    assert_true(berth_ledger_cut(&ledger));
    assert_int_equal(ledger.padding_bytes, 15); /* none before no state */
    assert_int_equal(ledger.total_bytes, 37);
    ledger = (berth_ledger){.arena_bytes = 3};
    assert_true(berth_ledger_cut(&ledger));
    assert_int_equal(ledger.total_bytes, 3); /* and none after the last */
    ledger = (berth_ledger){.arena_bytes = UINT64_MAX - 3u, .state_bytes = 1};
    assert_false(berth_ledger_cut(&ledger));
    assert_int_equal(ledger.total_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_bytes_are_those_of_a_count),
        cmocka_unit_test(test_reuse_is_that_of_painted_bytes),
        cmocka_unit_test(test_every_smaller_block_is_refused),
        cmocka_unit_test(test_nothing_has_no_peak),
        cmocka_unit_test(test_a_ledger_is_cut_from_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The live bound on cases worked out by hand, and against an O(n^2) reading of
 * its definition. Brute force is in test_plan_exhaustive.c. */
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const plan_case *c, uint64_t bound, uint32_t step)
{
    uint64_t found = 0;
    uint32_t at = 0;
    assert_int_equal(problem_bound(&c->problem, &found, &at), BERTH_OK);
    assert_int_equal(found, bound);
    assert_int_equal(at, step);
}

static void bound__is_the_load_without_alignment(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 5);
    expect(&c, 0, BERTH_NONE);
    case_item(&c, 10, 0, 2);
    expect(&c, 10, 0);
    case_item(&c, 20, 1, 3);
    case_item(&c, 5, 2, 4);
    expect(&c, 30, 1);
    case_item(&c, 100, 4, 5);
    expect(&c, 100, 4);
    case_item(&c, 0, 0, 5);
    expect(&c, 100, 4);
}

/* All but the topmost round up, and the one with the most padding is topmost.
 */
static void bound__counts_padding(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 2);
    case_item(&c, 10, 0, 2);
    case_item(&c, 17, 0, 2);
    case_item(&c, 16, 0, 2);
    for (uint32_t i = 0; i < 3; ++i) {
        c.items[i].align = 16;
    }
    /* 16 + 32 + 16, less 15 of the 17. */
    expect(&c, 49, 0);
    /* One of small alignment fits into the padding: only its bytes count. */
    const uint32_t small = case_item(&c, 6, 0, 2);
    c.items[small].align = 1;
    expect(&c, 49, 0);
    c.items[small].size = 60;
    expect(&c, 103, 0);
}

static void bound__tries_both_sides_of_an_in_place_step(void **state)
{
    plan_case c;
    (void)state;
    /* At step 1 either the input or the output counts: the larger. */
    case_start(&c, 3);
    case_item(&c, 10, 0, 2);
    case_item(&c, 30, 1, 3);
    case_item(&c, 5, 1, 2);
    case_link(&c, 0, 1, 0, 0);
    expect(&c, 35, 1);
    c.items[0].size = 50;
    expect(&c, 55, 1);
    /* The default link drops nobody. */
    c.links[0].lo = -30;
    c.links[0].hi = 50;
    expect(&c, 85, 1);
    /* A pin is stronger than a link. */
    c.links[0].lo = 0;
    c.items[2].flags = BERTH_ITEM_PINNED;
    expect(&c, 55, 0);
    c.items[0].flags = BERTH_ITEM_PINNED;
    expect(&c, 85, 1);
}

static void bound__counts_a_class_as_the_union_of_who_lives(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 6);
    case_item(&c, 10, 0, 3);
    case_item(&c, 10, 2, 5); /* a view: the same bytes */
    case_item(&c, 4, 2, 3);
    case_tie(&c, 0, 1, 0);
    expect(&c, 14, 2);
    c.ties[0].delta = 6; /* over 4 of its bytes */
    expect(&c, 20, 2);
    c.ties[0].delta = -6;
    expect(&c, 20, 2);
    c.ties[0].delta = 20; /* a hole between them does not count */
    expect(&c, 24, 2);
    c.spans[1].born = 3; /* one after the other */
    c.spans[2].dead = 4;
    expect(&c, 14, 2);
}

static void bound__knows_pins_and_fixed_ends(void **state)
{
    plan_case c;
    (void)state;
    case_start(&c, 4);
    case_item(&c, 10, 0, 1);
    case_item(&c, 20, 2, 4);
    c.items[0].flags = BERTH_ITEM_PINNED;
    expect(&c, 30, 2);
    c.items[1].fixed = 100;
    expect(&c, 120, 2);
}

static void bound__of_regions_counts_what_must_be_in_the_first(void **state)
{
    const berth_region regions[2] = {{.capacity = BERTH_NOWHERE, .align = 1},
                                     {.capacity = BERTH_NOWHERE, .align = 1}};
    plan_case c;
    (void)state;
    case_start(&c, 1);
    case_item(&c, 10, 0, 1);
    case_item(&c, 20, 0, 1);
    case_item(&c, 40, 0, 1);
    c.problem.regions = regions;
    c.problem.region_count = 2;
    c.items[1].regions = 3;
    c.items[2].regions = 2;
    expect(&c, 10, 0);
}

/* --- a plain reading of the definition
 * ------------------------------------------- */

static bool lives_at(const plan_case *c, uint32_t i, uint32_t t)
{
    return c->spans[i].born <= t && t < c->spans[i].dead;
}

static uint64_t padded(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

static uint64_t weight_of(const plan_case *c, const bool *in)
{
    uint64_t most = 0;
    for (uint32_t a = 1; a <= 64; a *= 2) {
        uint64_t sum = 0;
        uint64_t slack = 0;
        for (uint32_t i = 0; i < c->problem.item_count; ++i) {
            if (in[i] && c->items[i].align >= a) {
                const uint64_t up = padded(c->items[i].size, a);
                sum += up;
                slack = up - c->items[i].size > slack ? up - c->items[i].size
                                                      : slack;
            }
        }
        most = sum - slack > most ? sum - slack : most;
    }
    return most;
}

static uint64_t plain_bound(const plan_case *c)
{
    uint64_t bound = 0;
    for (uint32_t t = 0; t < c->problem.step_count; ++t) {
        for (uint32_t without_dying = 0; without_dying < 2; ++without_dying) {
            bool in[PLAN_CASE_MAX];
            for (uint32_t i = 0; i < c->problem.item_count; ++i) {
                in[i] = lives_at(c, i, t);
            }
            for (uint32_t k = 0; k < c->problem.link_count; ++k) {
                const berth_link *link = &c->links[k];
                if (!lives_at(c, link->a, t) || !lives_at(c, link->b, t)) {
                    continue;
                }
                /* Items are in order of birth, and links of one step. */
                in[without_dying ? link->a : link->b] = false;
            }
            const uint64_t weight = weight_of(c, in);
            bound = weight > bound ? weight : bound;
        }
    }
    return bound;
}

static void bound__equals_the_definition(void **state)
{
    test_random random = {11};
    (void)state;
    for (uint32_t round = 0; round < 3000; ++round) {
        plan_case c;
        uint64_t bound = 0;
        uint32_t step = 0;
        const uint32_t ops = 3 + random_below(&random, 28);
        case_start(&c, ops + 1);
        for (uint32_t t = 0; t < ops; ++t) {
            const uint32_t longer = random_below(&random, 3) == 0
                                        ? random_below(&random, ops - t)
                                        : 0;
            const uint32_t it =
                case_item(&c, random_below(&random, 100), t,
                          t + 2 + longer <= ops + 1 ? t + 2 + longer : ops + 1);
            c.items[it].align = 1u << random_below(&random, 6);
        }
        for (uint32_t t = 0; t + 1 < ops; ++t) {
            if (c.spans[t].dead == t + 2 && random_below(&random, 2) == 0) {
                case_link(&c, t, t + 1, 0, 0);
            }
        }
        assert_int_equal(problem_bound(&c.problem, &bound, &step), BERTH_OK);
        assert_int_equal(bound, plain_bound(&c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound__is_the_load_without_alignment),
        cmocka_unit_test(bound__counts_padding),
        cmocka_unit_test(bound__tries_both_sides_of_an_in_place_step),
        cmocka_unit_test(bound__counts_a_class_as_the_union_of_who_lives),
        cmocka_unit_test(bound__knows_pins_and_fixed_ends),
        cmocka_unit_test(bound__of_regions_counts_what_must_be_in_the_first),
        cmocka_unit_test(bound__equals_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

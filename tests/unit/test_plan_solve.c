/* Solving: memory, budgets, resumption, and each part of the problem. */
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan_int.h"

/* A problem with all parts that one region allows. */
static void full_case(plan_case *c)
{
    case_start(c, 6);
    case_item(c, 40, 0, 2);
    case_item(c, 40, 1, 4);
    case_item(c, 24, 1, 3);
    case_item(c, 0, 2, 3);
    case_item(c, 16, 3, 6);
    case_item(c, 8, 3, 5);
    case_item(c, 30, 0, 1);
    case_span(c, 4, 6);
    c->items[2].flags = BERTH_ITEM_PINNED;
    c->items[5].align = 8;
    c->items[6].fixed = 64;
    case_link(c, 0, 1, 0, 40);
    case_tie(c, 4, 5, 8);
}

static void plan_solve__any_smaller_workspace_is_refused_cleanly(void **state)
{
    static const berth_plan_options all_options[] = {
        {.strategy = BERTH_STRATEGY_BEST},
        {.strategy = BERTH_STRATEGY_BEST, .effort = BERTH_EFFORT_FULL},
        {.strategy = BERTH_STRATEGY_BEST, .effort = BERTH_EFFORT_ROWS},
        {.strategy = BERTH_STRATEGY_NONE},
    };
    plan_case c;
    (void)state;
    full_case(&c);
    for (size_t s = 0; s < sizeof(all_options) / sizeof(all_options[0]); ++s) {
        const berth_plan_options options = all_options[s];
        size_t need = 0;
        assert_int_equal(berth_plan_bytes(&c.problem, &options, &need, NULL),
                         BERTH_OK);
        for (size_t lent = 0; lent <= need; ++lent) {
            uint8_t *memory = malloc(lent + 1);
            assert_non_null(memory);
            uint64_t offset[PLAN_CASE_MAX] = {7};
            berth_plan plan = {.offset = offset, .peak = 7};
            berth_diag diag = berth_diag_none();
            const berth_status status =
                berth_plan_solve(&c.problem, &options,
                                 berth_work_of(memory, lent), &plan, &diag);
            if (lent < need) {
                assert_int_equal(status, BERTH_NO_SPACE);
                assert_int_equal(diag.needed_bytes, need);
                assert_int_equal(offset[0], 7);
                assert_int_equal(plan.peak, 7);
            } else {
                assert_int_equal(status, BERTH_OK);
            }
            free(memory);
        }
    }
}

/* Whatever the address at which the memory starts. */
static void plan_solve__the_need_counts_padding(void **state)
{
    plan_case c;
    size_t need = 0;
    (void)state;
    full_case(&c);
    assert_int_equal(berth_plan_bytes(&c.problem, NULL, &need, NULL), BERTH_OK);
    for (size_t shift = 0; shift < 16; ++shift) {
        uint8_t *memory = malloc(need + shift);
        assert_non_null(memory);
        berth_plan plan = {.offset = c.offset};
        assert_int_equal(berth_plan_solve(&c.problem, NULL,
                                          berth_work_of(memory + shift, need),
                                          &plan, NULL),
                         BERTH_OK);
        free(memory);
    }
}

static void plan_bound__any_smaller_workspace_is_refused_cleanly(void **state)
{
    plan_case c;
    size_t need = 0;
    (void)state;
    full_case(&c);
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_NONE};
    assert_int_equal(berth_plan_bytes(&c.problem, &options, &need, NULL),
                     BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent + 1);
        assert_non_null(memory);
        uint64_t bound = 7;
        uint32_t step = 7;
        berth_diag diag = berth_diag_none();
        const berth_status status = berth_plan_bound(
            &c.problem, berth_work_of(memory, lent), &bound, &step, &diag);
        assert_int_equal(status, lent < need ? BERTH_NO_SPACE : BERTH_OK);
        if (lent < need) {
            assert_int_equal(diag.needed_bytes, need);
            assert_int_equal(bound, 7);
        }
        free(memory);
    }
}

/* Beyond what the search keeps of a part of a thousand classes at most: 100
 * bytes an item of one span, whatever else the problem has. */
static void plan_bytes__is_linear_and_small(void **state)
{
    enum { ITEMS = 20000 };
    berth_item *items = calloc(ITEMS, sizeof(*items));
    berth_tie ties[1] = {{0, 1, 0}};
    berth_link links[1] = {{0, 1, 0, 0}};
    (void)state;
    assert_non_null(items);
    for (uint32_t i = 0; i < ITEMS; ++i) {
        items[i].span_count = 1;
    }
    const berth_problem problem = {.items = items,
                                   .item_count = ITEMS,
                                   .ties = ties,
                                   .tie_count = 1,
                                   .links = links,
                                   .link_count = 1};
    size_t need = 0;
    assert_int_equal(berth_plan_bytes(&problem, NULL, &need, NULL), BERTH_OK);
    print_message("%.2f bytes an item\n", (double)need / ITEMS);
    assert_true(need <= (size_t)100 * ITEMS + (2u << 20));
    free(items);
}

static void plan_solve__nothing_is_solved_too(void **state)
{
    const berth_problem problem = {0};
    berth_plan plan;
    (void)state;
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        assert_int_equal(
            problem_solve(&problem, (berth_strategy)s, 0, NULL, &plan, NULL),
            BERTH_OK);
        assert_int_equal(plan.peak, 0);
        assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);
    }
    /* Items, but no bytes. */
    plan_case c;
    case_start(&c, 2);
    case_item(&c, 0, 0, 2);
    case_item(&c, 0, 1, 2);
    case_tie(&c, 1, 0, -5);
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        assert_int_equal(case_solve(&c, (berth_strategy)s, &plan, NULL),
                         BERTH_OK);
        assert_int_equal(plan.peak, 0);
        assert_int_equal(c.offset[0], 0);
        assert_int_equal(c.offset[1], 5);
    }
}

static void plan_solve__refuses_what_it_cannot_serve(void **state)
{
    const berth_region regions[2] = {{.capacity = 64, .align = 1},
                                     {.capacity = 64, .align = 1}};
    plan_case c;
    berth_plan plan;
    berth_diag diag = berth_diag_none();
    (void)state;
    full_case(&c);
    c.problem.regions = regions;
    c.problem.region_count = 2;
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_UNSUPPORTED);
    full_case(&c);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_COUNT, &plan, &diag),
                     BERTH_BAD_ARG);
    assert_string_equal(diag.what, "no such strategy");
    /* Fixed items that collide. */
    case_start(&c, 2);
    case_item(&c, 8, 0, 2);
    case_item(&c, 8, 0, 2);
    c.items[0].fixed = 0;
    c.items[1].fixed = 4;
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_UNSOUND);
    /* A link where it is not allowed. */
    case_start(&c, 2);
    case_item(&c, 8, 0, 2);
    case_item(&c, 8, 0, 2);
    case_link(&c, 0, 1, 0, 0);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_UNSOUND);
    assert_string_equal(diag.what, "a link where two operators meet");
}

static void plan_solve__heeds_the_capacity(void **state)
{
    plan_case c;
    berth_plan plan = {0};
    berth_diag diag = berth_diag_none();
    (void)state;
    case_start(&c, 2);
    case_item(&c, 8, 0, 2);
    case_item(&c, 9, 0, 2);
    case_capacity(&c, 17, 1);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_OK);
    c.region.capacity = 16;
    c.offset[0] = 99;
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_NO_SPACE);
    assert_int_equal(diag.needed_bytes, 17);
    assert_int_equal(diag.limit_bytes, 16);
    assert_int_equal(c.offset[0], 99);
    /* The region's alignment is one for all, and counts in the bound. */
    case_capacity(&c, BERTH_NOWHERE, 16);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, &diag),
                     BERTH_OK);
    assert_int_equal(c.offset[0] % 16, 0);
    assert_int_equal(c.offset[1] % 16, 0);
    assert_int_equal(plan.peak, 24);
    assert_int_equal(plan.bound, 24);
}

/* Five buffers in a ring of time, each alive with both neighbours only: 4 live
 * bytes, but two heights are not enough for an odd ring. */
static void odd_ring(plan_case *c)
{
    case_start(c, 5);
    case_item(c, 2, 0, 2);
    case_item(c, 2, 1, 3);
    case_item(c, 2, 2, 4);
    case_item(c, 2, 3, 5);
    case_item(c, 2, 4, 5);
    case_span(c, 0, 1);
    /* Spans ascend. */
    c->spans[4] = (berth_span){0, 1};
    c->spans[5] = (berth_span){4, 5};
}

static berth_plan solve_into(plan_case *c, uint64_t capacity, uint64_t nodes)
{
    const berth_plan_options options = {.capacity = capacity,
                                        .effort = BERTH_EFFORT_FULL,
                                        .node_budget = nodes};
    uint8_t memory[32768];
    berth_plan plan = {.offset = c->offset};
    assert_int_equal(berth_plan_solve(&c->problem, &options,
                                      berth_work_of(memory, sizeof(memory)),
                                      &plan, NULL),
                     BERTH_OK);
    return plan;
}

static void plan_solve__answers_whether_it_fits(void **state)
{
    plan_case c;
    (void)state;
    odd_ring(&c);
    berth_plan plan = solve_into(&c, 6, 0);
    assert_int_equal(berth_plan_fit(&plan, 6), BERTH_FIT_YES);
    plan = solve_into(&c, 5, 0);
    assert_int_equal(berth_plan_fit(&plan, 5), BERTH_FIT_NO);
    assert_int_equal(plan.bound, 6); /* the live bound says 4 */
    plan = solve_into(&c, 5, 1);
    assert_int_equal(plan.bound, 4);
    assert_int_equal(berth_plan_fit(&plan, 5), BERTH_FIT_UNKNOWN);
    plan = solve_into(&c, 0, 0);
    assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);
    assert_int_equal(plan.peak, 6);
}

static void plan_solve__pinned_items_share_with_nobody(void **state)
{
    plan_case c;
    berth_plan plan;
    (void)state;
    case_start(&c, 4);
    case_item(&c, 16, 0, 1);
    case_item(&c, 16, 1, 2);
    case_item(&c, 16, 2, 3);
    case_item(&c, 16, 3, 4);
    c.items[1].flags = BERTH_ITEM_PINNED;
    c.items[2].flags = BERTH_ITEM_PINNED;
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        if (s == BERTH_STRATEGY_NONE) {
            continue;
        }
        assert_int_equal(case_solve(&c, (berth_strategy)s, &plan, NULL),
                         BERTH_OK);
        assert_int_equal(plan.peak, 48);
        assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);
    }
}

static void plan_solve__ties_are_rigid(void **state)
{
    plan_case c;
    berth_plan plan;
    (void)state;
    /* Three parts of a concatenation, its owner, and one in the way below. */
    case_start(&c, 6);
    case_item(&c, 10, 0, 5);
    case_item(&c, 10, 1, 5);
    case_item(&c, 10, 2, 5);
    case_item(&c, 30, 4, 6);
    case_item(&c, 7, 0, 6);
    case_tie(&c, 3, 0, 0);
    case_tie(&c, 3, 1, 10);
    case_tie(&c, 3, 2, 20);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, NULL),
                     BERTH_OK);
    assert_int_equal(plan.peak, 37);
    assert_int_equal(plan.bound, 37);
    for (uint64_t i = 0; i < 3; ++i) {
        assert_int_equal(c.offset[i], c.offset[3] + 10 * i);
    }
    /* A member below its owner: the owner cannot lie at 0. */
    case_start(&c, 2);
    case_item(&c, 4, 0, 2);
    case_item(&c, 4, 0, 2);
    case_tie(&c, 0, 1, -4);
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        assert_int_equal(case_solve(&c, (berth_strategy)s, &plan, NULL),
                         BERTH_OK);
        assert_int_equal(c.offset[0], 4);
        assert_int_equal(c.offset[1], 0);
    }
}

/* A chain of in-place operators needs one block, and is proven to. */
static void plan_solve__links_let_operators_write_over_inputs(void **state)
{
    plan_case c;
    berth_plan plan;
    (void)state;
    case_start(&c, 9);
    for (uint32_t i = 0; i < 8; ++i) {
        case_item(&c, 100, i, i + 2);
    }
    for (uint32_t i = 0; i + 1 < 8; ++i) {
        case_link(&c, i, i + 1, 0, 100);
    }
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, NULL),
                     BERTH_OK);
    assert_int_equal(plan.peak, 100);
    assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);
    c.problem.link_count = 0;
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, NULL),
                     BERTH_OK);
    assert_int_equal(plan.peak, 200);
    /* Rows that run ahead by 30 bytes: 70 of 100 are shared. */
    case_start(&c, 3);
    case_item(&c, 100, 0, 2);
    case_item(&c, 100, 1, 3);
    case_link(&c, 0, 1, -30, 100);
    assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, NULL),
                     BERTH_OK);
    assert_int_equal(plan.peak, 130);
}

/* --- effort
 * ----------------------------------------------------------------------- */

static void random_case(plan_case *c, test_random *random, uint32_t items)
{
    case_start(c, 30);
    for (uint32_t i = 0; i < items; ++i) {
        const uint32_t born = random_below(random, 30);
        const uint32_t life = 1 + random_below(random, 8);
        const uint32_t dead = born + life < 30 ? born + life : 30;
        const uint32_t it =
            case_item(c, 1 + random_below(random, 1000), born, dead);
        c->items[it].align = 16;
    }
}

static berth_plan solve_in_slices(plan_case *c, berth_strategy strategy,
                                  uint64_t slice)
{
    const berth_plan_options options = {.strategy = strategy};
    size_t need = 0;
    berth_solver *solver = NULL;
    bool done = false;
    berth_plan plan = {.offset = c->offset};
    uint64_t last = UINT64_MAX;
    assert_int_equal(berth_plan_bytes(&c->problem, &options, &need, NULL),
                     BERTH_OK);
    uint8_t *memory = malloc(need);
    assert_non_null(memory);
    berth_work work = berth_work_of(memory, need);
    assert_int_equal(
        berth_solver_begin(&c->problem, &options, &work, &solver, NULL),
        BERTH_OK);
    while (!done) {
        assert_int_equal(berth_solver_more(solver, slice, &plan, &done, NULL),
                         BERTH_OK);
        assert_int_equal(problem_judge(&c->problem, &plan, NULL), BERTH_OK);
        assert_true(plan.peak <= last);
        last = plan.peak;
    }
    /* Nothing is left to try; asking again changes nothing. */
    assert_int_equal(berth_solver_more(solver, 0, &plan, &done, NULL),
                     BERTH_OK);
    assert_true(done && plan.peak == last);
    free(memory);
    return plan;
}

static void solver_more__slices_do_not_matter(void **state)
{
    test_random random = {5};
    (void)state;
    for (uint32_t round = 0; round < 6; ++round) {
        plan_case c;
        uint64_t whole[PLAN_CASE_MAX];
        berth_plan plan;
        random_case(&c, &random, 60);
        assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plan, NULL),
                         BERTH_OK);
        memcpy(whole, c.offset, sizeof(whole));
        const uint64_t slices[] = {1 + 6 * round, 1000, 0};
        for (uint32_t k = 0; k < 3; ++k) {
            memset(c.offset, 0, sizeof(c.offset));
            const berth_plan sliced =
                solve_in_slices(&c, BERTH_STRATEGY_BEST, slices[k] * 7);
            assert_int_equal(sliced.peak, plan.peak);
            assert_int_equal(sliced.nodes, plan.nodes);
            assert_int_equal(sliced.strategy, plan.strategy);
            assert_memory_equal(whole, c.offset, 60 * sizeof(whole[0]));
        }
    }
}

static void plan_solve__a_budget_leaves_a_plan(void **state)
{
    test_random random = {6};
    plan_case c;
    berth_plan plan;
    uint64_t last = UINT64_MAX;
    (void)state;
    random_case(&c, &random, 60);
    for (uint64_t budget = 1; budget < 3000; budget = budget * 3 / 2 + 1) {
        assert_int_equal(problem_solve(&c.problem, BERTH_STRATEGY_BEST, budget,
                                       c.offset, &plan, NULL),
                         BERTH_OK);
        assert_true(plan.peak <= last);
        assert_true(plan.nodes <= (budget > 60 ? budget : 60));
        last = plan.peak;
    }
}

static void plan_solve__is_the_same_in_dirty_memory(void **state)
{
    test_random random = {7};
    plan_case c;
    size_t need = 0;
    uint64_t offset[2][PLAN_CASE_MAX];
    (void)state;
    random_case(&c, &random, 50);
    assert_int_equal(berth_plan_bytes(&c.problem, NULL, &need, NULL), BERTH_OK);
    for (int k = 0; k < 2; ++k) {
        uint8_t *memory = malloc(need);
        assert_non_null(memory);
        memset(memory, k == 0 ? 0x55 : 0xaa, need);
        berth_plan plan = {.offset = offset[k]};
        assert_int_equal(berth_plan_solve(&c.problem, NULL,
                                          berth_work_of(memory, need), &plan,
                                          NULL),
                         BERTH_OK);
        free(memory);
    }
    assert_memory_equal(offset[0], offset[1], 50 * sizeof(offset[0][0]));
}

static berth_plan solve_by(plan_case *c, berth_effort effort, size_t *need)
{
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST,
                                        .effort = effort};
    berth_plan plan = {.offset = c->offset};
    assert_int_equal(berth_plan_bytes(&c->problem, &options, need, NULL),
                     BERTH_OK);
    uint8_t *memory = malloc(*need);
    assert_non_null(memory);
    assert_int_equal(berth_plan_solve(&c->problem, &options,
                                      berth_work_of(memory, *need), &plan,
                                      NULL),
                     BERTH_OK);
    free(memory);
    return plan;
}

/* The same plan with less memory, or one that more can make better. */
static void plan_solve__effort_never_makes_it_worse(void **state)
{
    static const berth_effort efforts[] = {
        BERTH_EFFORT_ROWS, BERTH_EFFORT_LITTLE, BERTH_EFFORT_FULL};
    test_random random = {11};
    plan_case c;
    uint32_t proven_early = 0;
    (void)state;
    for (uint32_t n = 0; n < 200; ++n) {
        size_t least = 0;
        random_case(&c, &random, 10 + random_below(&random, 30));
        berth_plan before = solve_by(&c, efforts[0], &least);
        proven_early += before.proof == BERTH_PROOF_PROVEN ? 1u : 0u;
        for (size_t k = 1; k < sizeof(efforts) / sizeof(efforts[0]); ++k) {
            size_t need = 0;
            const berth_plan plan = solve_by(&c, efforts[k], &need);
            assert_true(need > least);
            assert_true(plan.peak <= before.peak);
            assert_true(plan.bound >= before.bound);
            if (before.proof == BERTH_PROOF_PROVEN) {
                assert_int_equal(plan.peak, before.peak);
            }
            before = plan;
            least = need;
        }
        assert_int_equal(before.proof, BERTH_PROOF_PROVEN);
    }
    assert_true(proven_early > 0 && proven_early < 200);
}

static void plan_solve__there_is_no_such_effort(void **state)
{
    const berth_plan_options options = {
        .effort = (berth_effort)(BERTH_EFFORT_ROWS + 1)};
    plan_case c;
    size_t need = 0;
    (void)state;
    full_case(&c);
    assert_int_equal(berth_plan_bytes(&c.problem, &options, &need, NULL),
                     BERTH_BAD_ARG);
}

/* Where no two items rank the same, the numbering does not matter. */
static void greedy__does_not_care_about_the_numbering(void **state)
{
    test_random random = {8};
    (void)state;
    for (uint32_t round = 0; round < 40; ++round) {
        plan_case c;
        plan_case turned;
        berth_plan plan;
        case_start(&c, 30);
        for (uint32_t i = 0; i < 30; ++i) { /* all sizes and births differ */
            case_item(&c, 100 + 37 * ((i * 7) % 30) + random_below(&random, 30),
                      (i * 11) % 30, (i * 11) % 30 + 1);
            c.spans[i].dead += random_below(&random, 30 - c.spans[i].born);
        }
        case_start(&turned, 30);
        for (uint32_t i = 30; i-- > 0;) {
            case_item(&turned, c.items[i].size, c.spans[i].born,
                      c.spans[i].dead);
        }
        /* The load rows leave equals behind: they know no sizes. */
        for (uint32_t s = BERTH_STRATEGY_SIZE_FIRST;
             s < BERTH_STRATEGY_LOAD_FIRST; ++s) {
            assert_int_equal(case_solve(&c, (berth_strategy)s, &plan, NULL),
                             BERTH_OK);
            const uint64_t peak = plan.peak;
            assert_int_equal(
                case_solve(&turned, (berth_strategy)s, &plan, NULL), BERTH_OK);
            assert_int_equal(plan.peak, peak);
            for (uint32_t i = 0; i < 30; ++i) {
                assert_int_equal(c.offset[i], turned.offset[29 - i]);
            }
        }
    }
}

/* A plan that meets the bound is handed over as the row made it, so whoever has
 * it has that strategy's plan too. */
static void best__proven_is_the_plan_of_the_row_that_won(void **state)
{
    test_random random = {11};
    uint32_t proven = 0;
    (void)state;
    for (uint32_t round = 0; round < 300; ++round) {
        plan_case c;
        berth_plan best;
        berth_plan alone;
        uint64_t offset[PLAN_CASE_MAX];
        random_case(&c, &random, 4 + random_below(&random, 20));
        assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &best, NULL),
                         BERTH_OK);
        if (best.proof != BERTH_PROOF_PROVEN ||
            best.strategy == BERTH_STRATEGY_BEST) {
            continue;
        }
        memcpy(offset, c.offset, sizeof(offset));
        assert_int_equal(case_solve(&c, best.strategy, &alone, NULL), BERTH_OK);
        assert_memory_equal(offset, c.offset,
                            c.problem.item_count * sizeof(offset[0]));
        assert_int_equal(alone.peak, best.peak);
        ++proven;
    }
    assert_true(proven > 100);
}

/* --- windows of bars
 * ---------------------------------------------------------------- */

/* Places all classes in order of index with room for so many bars. */
static uint64_t place_all(plan_case *c, uint32_t capacity, plan_fit fit)
{
    size_t need = 0;
    plan_engine engine;
    assert_true(plan_engine_need(&c->problem, &need));
    uint8_t *memory = malloc(need);
    assert_non_null(memory);
    berth_work work = berth_work_of(memory, need);
    assert_int_equal(plan_engine_init(&engine, &c->problem, &work, NULL),
                     BERTH_OK);
    engine.bar_capacity =
        capacity < engine.bar_capacity ? capacity : engine.bar_capacity;
    plan_engine_clear(&engine);
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        if (plan_root(&engine.classes, i) == i) {
            plan_place(&engine, i, fit);
        }
    }
    memcpy(c->offset, engine.offset,
           c->problem.item_count * sizeof(*c->offset));
    const uint64_t peak = engine.peak;
    free(memory);
    return peak;
}

/* One far away, so that all others crowd into one bucket while bars are sorted;
 * windows of a few bars never get that far. */
static void place_one_far_away(plan_case *c)
{
    c->items[0].fixed = (uint64_t)1 << 40;
    c->items[0].flags |= BERTH_ITEM_PINNED;
}

static void place__windows_and_crowds_do_not_matter(void **state)
{
    const plan_fit fits[] = {FIT_FIRST, FIT_BEST, FIT_TFLITE};
    test_random random = {9};
    (void)state;
    for (uint32_t round = 0; round < 300; ++round) {
        plan_case c;
        random_case(&c, &random, 60);
        for (uint32_t b = 20; b < 60; ++b) {
            c.items[b].align = 1;
            if (random_below(&random, 2) == 0) {
                case_tie(&c, random_below(&random, 20), b,
                         (int64_t)random_below(&random, 4000) - 2000);
            }
        }
        if (round % 2 == 1) {
            place_one_far_away(&c);
        }
        for (uint32_t f = 0; f < 3; ++f) {
            uint64_t offset[PLAN_CASE_MAX];
            const uint64_t peak = place_all(&c, UINT32_MAX, fits[f]);
            memcpy(offset, c.offset, sizeof(offset));
            for (uint32_t capacity = 2; capacity < 12; capacity += 3) {
                assert_int_equal(place_all(&c, capacity, fits[f]), peak);
                assert_memory_equal(offset, c.offset, 60 * sizeof(offset[0]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_solve__any_smaller_workspace_is_refused_cleanly),
        cmocka_unit_test(plan_solve__the_need_counts_padding),
        cmocka_unit_test(plan_bound__any_smaller_workspace_is_refused_cleanly),
        cmocka_unit_test(plan_bytes__is_linear_and_small),
        cmocka_unit_test(plan_solve__nothing_is_solved_too),
        cmocka_unit_test(plan_solve__refuses_what_it_cannot_serve),
        cmocka_unit_test(plan_solve__heeds_the_capacity),
        cmocka_unit_test(plan_solve__answers_whether_it_fits),
        cmocka_unit_test(plan_solve__pinned_items_share_with_nobody),
        cmocka_unit_test(plan_solve__ties_are_rigid),
        cmocka_unit_test(plan_solve__links_let_operators_write_over_inputs),
        cmocka_unit_test(solver_more__slices_do_not_matter),
        cmocka_unit_test(plan_solve__a_budget_leaves_a_plan),
        cmocka_unit_test(plan_solve__is_the_same_in_dirty_memory),
        cmocka_unit_test(plan_solve__effort_never_makes_it_worse),
        cmocka_unit_test(plan_solve__there_is_no_such_effort),
        cmocka_unit_test(greedy__does_not_care_about_the_numbering),
        cmocka_unit_test(best__proven_is_the_plan_of_the_row_that_won),
        cmocka_unit_test(place__windows_and_crowds_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

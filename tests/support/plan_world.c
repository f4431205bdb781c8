#include "plan_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define WORLD_STEPS    4u
#define WORLD_SIZE_MAX 4u
#define WORLD_SPANS    10u /* intervals within 4 steps */
#define WORLD_KINDS    (WORLD_SPANS * WORLD_SIZE_MAX)

void world_tell(const berth_problem *problem)
{
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        print_message("item %u: size %llu align %u fixed %lld flags %u", i,
                      (unsigned long long)item->size, item->align,
                      (long long)item->fixed, item->flags);
        for (uint32_t k = 0; k < item->span_count; ++k) {
            const berth_span *span = &problem->spans[item->first_span + k];
            print_message(" [%u,%u)", span->born, span->dead);
        }
        print_message("\n");
    }
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        const berth_link *link = &problem->links[k];
        print_message("link %u %u (%lld, %lld)\n", link->a, link->b,
                      (long long)link->lo, (long long)link->hi);
    }
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        const berth_tie *tie = &problem->ties[k];
        print_message("tie %u %u %lld\n", tie->a, tie->b,
                      (long long)tie->delta);
    }
}

static void hold(bool true_, const char *what, berth_strategy strategy,
                 const berth_problem *problem)
{
    if (!true_) {
        world_tell(problem);
        fail_msg("%s: %s", berth_strategy_name(strategy), what);
    }
}

static bool serves(berth_strategy strategy, const berth_problem *problem)
{
    const bool peer =
        strategy == BERTH_STRATEGY_TFLITE || strategy == BERTH_STRATEGY_TFLM;
    return !peer || (problem->link_count == 0 && problem->tie_count == 0);
}

static berth_plan solve_one(const berth_problem *problem,
                            berth_strategy strategy, uint64_t brute)
{
    uint64_t offset[WORLD_ITEMS];
    berth_plan plan;
    berth_diag diag = berth_diag_none();
    const berth_status status =
        problem_solve(problem, strategy, 0, offset, &plan, &diag);
    hold(status == BERTH_OK, diag.what, strategy, problem);
    hold(plan.peak >= brute, "below brute force", strategy, problem);
    hold(plan.bound <= brute, "bound above brute force", strategy, problem);
    hold(problem_judge(problem, &plan, &diag) == BERTH_OK, diag.what, strategy,
         problem);
    return plan;
}

void world_judge(const berth_problem *problem, world_reach reach,
                 world_score *score)
{
    const uint64_t brute = problem_brute_peak(problem);
    const berth_plan best = solve_one(problem, BERTH_STRATEGY_BEST, brute);
    const uint32_t turn =
        (uint32_t)(score->problems % (BERTH_STRATEGY_COUNT - 1)) + 1;
    const bool all = reach == WORLD_ALL_STRATEGIES;
    for (uint32_t s = all ? 1 : turn; s < BERTH_STRATEGY_COUNT; ++s) {
        const berth_strategy strategy = (berth_strategy)s;
        if (serves(strategy, problem)) {
            const berth_plan plan = solve_one(problem, strategy, brute);
            hold(best.peak <= plan.peak, "best is above this", strategy,
                 problem);
        }
        if (!all) {
            break;
        }
    }
    ++score->problems;
    score->proven += best.proof == BERTH_PROOF_PROVEN;
    score->above += best.peak > brute;
    score->loose += best.bound < brute;
}

static berth_span span_of_kind(uint32_t kind)
{
    uint32_t born = 0;
    for (uint32_t dead = WORLD_STEPS; kind >= dead; --dead) {
        kind -= dead;
        ++born;
    }
    return (berth_span){born, born + 1 + kind};
}

void world_visit(uint32_t count, world_visitor *visit, void *context)
{
    uint32_t kind[WORLD_ITEMS] = {0};
    plan_case c;
    for (;;) {
        case_start(&c, WORLD_STEPS);
        for (uint32_t i = 0; i < count; ++i) {
            const berth_span span = span_of_kind(kind[i] % WORLD_SPANS);
            case_item(&c, 1 + kind[i] / WORLD_SPANS, span.born, span.dead);
        }
        visit(context, &c.problem);
        /* The next non-decreasing sequence of kinds. */
        uint32_t at = count;
        while (at > 0 && kind[at - 1] == WORLD_KINDS - 1) {
            --at;
        }
        if (at == 0) {
            return;
        }
        const uint32_t next = kind[at - 1] + 1;
        for (uint32_t i = at - 1; i < count; ++i) {
            kind[i] = next;
        }
    }
}

typedef struct world_judging {
    world_reach reach;
    world_score *score;
} world_judging;

static void judge_visited(void *context, const berth_problem *problem)
{
    const world_judging *judging = context;
    world_judge(problem, judging->reach, judging->score);
}

void world_enumerate(uint32_t count, world_reach reach, world_score *score)
{
    world_judging judging = {reach, score};
    world_visit(count, judge_visited, &judging);
}

/* A random problem of up to five items with every part that brute force
 * knows. Links are legal: an input and an output that meet in one step. */
static void make_case(plan_case *c, test_random *random)
{
    const uint32_t steps = 4;
    const uint32_t count = 1 + random_below(random, 5);
    case_start(c, steps);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t born = random_below(random, steps);
        const uint32_t dead = born + 1 + random_below(random, steps - born);
        const uint32_t it = case_item(c, random_below(random, 5), born, dead);
        if (born == 0 && dead == 1 && random_below(random, 3) == 0) {
            case_span(c, 2, 3 + random_below(random, 2));
        }
        c->items[it].align = 1u << random_below(random, 3);
        if (random_below(random, 12) == 0) {
            c->items[it].flags = BERTH_ITEM_PINNED;
        }
        if (i == 2 && random_below(random, 3) == 0) {
            c->items[it].fixed = (uint64_t)4 * random_below(random, 3);
        }
    }
}

static bool meet_once(const plan_case *c, uint32_t a, uint32_t b)
{
    uint32_t steps = 0;
    for (uint32_t t = 0; t < c->problem.step_count; ++t) {
        uint32_t alive = 0;
        for (uint32_t k = 0; k < 2; ++k) {
            const berth_item *item = &c->items[k == 0 ? a : b];
            for (uint32_t n = 0; n < item->span_count; ++n) {
                const berth_span *span = &c->spans[item->first_span + n];
                alive += span->born <= t && t < span->dead;
            }
        }
        steps += alive == 2;
    }
    return steps == 1;
}

static void add_links(plan_case *c, test_random *random)
{
    for (uint32_t a = 0; a < c->problem.item_count; ++a) {
        for (uint32_t b = a + 1; b < c->problem.item_count; ++b) {
            if (!meet_once(c, a, b) || random_below(random, 2) == 0) {
                continue;
            }
            const uint32_t size_a = (uint32_t)c->items[a].size;
            const uint32_t size_b = (uint32_t)c->items[b].size;
            const int64_t hi = random_below(random, size_a + 1);
            const int64_t lo = -(int64_t)random_below(random, size_b + 1);
            case_link(c, a, b, lo, hi);
        }
    }
}

/* Ties each item to any other with some chance; circles and contradictions
 * are left to berth_problem_check(). */
static void add_ties(plan_case *c, test_random *random)
{
    for (uint32_t b = 0; b < c->problem.item_count; ++b) {
        const uint32_t a = random_below(random, c->problem.item_count);
        if (a != b && random_below(random, 3) == 0) {
            case_tie(c, a, b, (int64_t)random_below(random, 7) - 3);
        }
    }
}

void world_random(plan_case *c, test_random *random, bool links, bool ties)
{
    make_case(c, random);
    if (links) {
        add_links(c, random);
    }
    if (ties) {
        add_ties(c, random);
    }
}

void world_print(const char *name, const world_score *score)
{
    print_message("%s: %llu problems, %.3f %% proven, best above brute force "
                  "in %llu, bound below it in %llu\n",
                  name, (unsigned long long)score->problems,
                  100.0 * (double)score->proven / (double)score->problems,
                  (unsigned long long)score->above,
                  (unsigned long long)score->loose);
}

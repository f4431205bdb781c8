#include "plan_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define WORLD_STEPS     4u
#define WORLD_SIZE_MAX  4u
#define WORLD_SPANS     10u /* intervals within 4 steps */
#define WORLD_KINDS     (WORLD_SPANS * WORLD_SIZE_MAX)
#define WORLD_ITEMS_MAX 8u

static void print_problem(const berth_problem *problem)
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
        print_problem(problem);
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
    uint64_t offset[WORLD_ITEMS_MAX];
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

void world_enumerate(uint32_t count, world_reach reach, world_score *score)
{
    uint32_t kind[WORLD_ITEMS_MAX] = {0};
    plan_case c;
    for (;;) {
        case_start(&c, WORLD_STEPS);
        for (uint32_t i = 0; i < count; ++i) {
            const berth_span span = span_of_kind(kind[i] % WORLD_SPANS);
            case_item(&c, 1 + kind[i] / WORLD_SPANS, span.born, span.dead);
        }
        world_judge(&c.problem, reach, score);
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

void world_print(const char *name, const world_score *score)
{
    print_message("%s: %llu problems, %.3f %% proven, best above brute force "
                  "in %llu, bound below it in %llu\n",
                  name, (unsigned long long)score->problems,
                  100.0 * (double)score->proven / (double)score->problems,
                  (unsigned long long)score->above,
                  (unsigned long long)score->loose);
}

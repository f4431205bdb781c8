#include "plan_case.h"

#include <stdlib.h>
#include <string.h>

void case_start(plan_case *c, uint32_t step_count)
{
    memset(c, 0, sizeof(*c));
    c->problem = (berth_problem){.items = c->items,
                                 .spans = c->spans,
                                 .links = c->links,
                                 .ties = c->ties,
                                 .step_count = step_count};
}

uint32_t case_item(plan_case *c, uint64_t size, uint32_t born, uint32_t dead)
{
    const uint32_t index = c->problem.item_count++;
    c->items[index] = (berth_item){.size = size,
                                   .fixed = BERTH_NOWHERE,
                                   .align = 1,
                                   .first_span = c->problem.span_count,
                                   .regions = 1};
    case_span(c, born, dead);
    return index;
}

void case_span(plan_case *c, uint32_t born, uint32_t dead)
{
    c->spans[c->problem.span_count++] = (berth_span){born, dead};
    ++c->items[c->problem.item_count - 1].span_count;
}

void case_link(plan_case *c, uint32_t a, uint32_t b, int64_t lo, int64_t hi)
{
    c->links[c->problem.link_count++] = (berth_link){a, b, lo, hi};
}

void case_tie(plan_case *c, uint32_t owner, uint32_t item, int64_t delta)
{
    c->ties[c->problem.tie_count++] = (berth_tie){owner, item, delta};
}

void case_capacity(plan_case *c, uint64_t capacity, uint32_t align)
{
    c->region = (berth_region){.capacity = capacity, .align = align};
    c->problem.regions = &c->region;
    c->problem.region_count = 1;
}

/* Exactly that many bytes, so that a sanitizer guards both ends; never NULL. */
static uint8_t *lend(size_t bytes)
{
    uint8_t *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

berth_status problem_solve(const berth_problem *problem,
                           berth_strategy strategy, uint64_t node_budget,
                           uint64_t *offset, berth_plan *plan, berth_diag *diag)
{
    const berth_plan_options options = {.strategy = strategy,
                                        .node_budget = node_budget};
    size_t need = 0;
    berth_status status = berth_plan_bytes(problem, &options, &need, diag);
    if (status != BERTH_OK) {
        return status;
    }
    uint8_t *memory = lend(need);
    *plan = (berth_plan){.offset = offset};
    status = berth_plan_solve(problem, &options, berth_work_of(memory, need),
                              plan, diag);
    free(memory);
    return status;
}

berth_status case_solve(plan_case *c, berth_strategy strategy, berth_plan *plan,
                        berth_diag *diag)
{
    return problem_solve(&c->problem, strategy, 0, c->offset, plan, diag);
}

berth_status problem_check(const berth_problem *problem, berth_diag *diag)
{
    size_t need = 0;
    berth_status status = berth_problem_check_bytes(problem, &need);
    if (status == BERTH_OK) {
        uint8_t *memory = lend(need);
        status =
            berth_problem_check(problem, berth_work_of(memory, need), diag);
        free(memory);
    }
    return status;
}

berth_status problem_judge(const berth_problem *problem, const berth_plan *plan,
                           berth_diag *diag)
{
    size_t need = 0;
    berth_status status = berth_plan_check_bytes(problem, &need);
    if (status == BERTH_OK) {
        uint8_t *memory = lend(need);
        status =
            berth_plan_check(problem, plan, berth_work_of(memory, need), diag);
        free(memory);
    }
    return status;
}

berth_status problem_bound(const berth_problem *problem, uint64_t *bound,
                           uint32_t *step)
{
    size_t need = 0;
    berth_status status = berth_plan_bytes(problem, NULL, &need, NULL);
    if (status == BERTH_OK) {
        uint8_t *memory = lend(need);
        status = berth_plan_bound(problem, berth_work_of(memory, need), bound,
                                  step, NULL);
        free(memory);
    }
    return status;
}

uint32_t random_below(test_random *random, uint32_t end)
{
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t z = random->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * end >> 32);
}

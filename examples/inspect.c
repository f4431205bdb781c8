/* inspect MODEL: when every tensor of a model lives, and where it lies. */
#include <stdio.h>

#include "berth/berth.h"
#include "berth/hosted/load.h"

/* Ask, then lend: offsets that are kept, and scratch. */
static bool solve(berth_port *port, const berth_problem *problem,
                  berth_block *offsets, berth_block *scratch, berth_plan *plan)
{
    size_t need = 0;
    if (berth_plan_bytes(problem, NULL, &need, NULL) != BERTH_OK ||
        !berth_block_take(port, problem->item_count * 8u, offsets) ||
        !berth_block_take(port, need, scratch)) {
        return false;
    }
    plan->offset = offsets->memory;
    const berth_work work = berth_work_of(scratch->memory, need);
    return berth_plan_solve(problem, NULL, work, plan, NULL) == BERTH_OK;
}

int main(int argc, char **argv)
{
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {0};
    berth_staged staged = {0};
    berth_load_error error;
    berth_block blocks[2] = {{0}};
    berth_plan plan = {0};
    const berth_problem *problem = &staged.lifetimes.problem;
    const bool good = argc == 2 &&
                      berth_load(&port, argv[1], &loaded, &error) == BERTH_OK &&
                      berth_stage(&loaded, NULL, &staged, &error) == BERTH_OK &&
                      solve(&port, problem, &blocks[0], &blocks[1], &plan);
    for (uint32_t i = 0; good && i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        printf("tensor %d: %ju bytes at %ju,",
               (int)staged.lifetimes.tensor_of_item[i], (uintmax_t)item->size,
               (uintmax_t)plan.offset[i]);
        for (uint32_t k = 0; k < item->span_count; ++k) {
            const berth_span span = problem->spans[item->first_span + k];
            printf(" steps %u to %u", span.born, span.dead);
        }
        printf("\n");
    }
    if (good) {
        printf("arena: %ju bytes\n", (uintmax_t)plan.peak);
    }
    berth_block_give(&port, &blocks[0]);
    berth_block_give(&port, &blocks[1]);
    berth_unstage(&staged);
    berth_unload(&loaded);
    return good ? 0 : 1;
}

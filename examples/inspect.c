/* inspect MODEL: prints when every tensor of the model lives and where it lies.
 * The ways of berth's API in short: load, stage, lend memory, plan. */
#include <stdio.h>

#include "berth/berth.h"
#include "berth/hosted/load.h"

static void print_places(const berth_staged *staged, const berth_plan *plan)
{
    const berth_lifetimes *lives = &staged->lifetimes;
    for (uint32_t i = 0; i < lives->problem.item_count; ++i) {
        const berth_item *item = &lives->problem.items[i];
        for (uint32_t k = 0; k < item->span_count; ++k) {
            const berth_span span = lives->problem.spans[item->first_span + k];
            printf("tensor %3d: steps %u to %u, bytes %llu to %llu\n",
                   (int)lives->tensor_of_item[i], span.born, span.dead,
                   (unsigned long long)plan->offset[i],
                   (unsigned long long)(plan->offset[i] + item->size));
        }
    }
    printf("arena: %llu bytes, no plan takes less than %llu\n",
           (unsigned long long)plan->peak, (unsigned long long)plan->bound);
}

int main(int argc, char **argv)
{
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {0};
    berth_staged staged = {0};
    berth_load_error error;
    berth_block lent = {0};
    berth_block offsets = {0};
    size_t need = 0;
    const berth_plan_options best = {.strategy = BERTH_STRATEGY_BEST};
    berth_status status = BERTH_BAD_ARG;
    if (argc == 2 &&
        (status = berth_load(&port, argv[1], &loaded, &error)) == BERTH_OK &&
        (status = berth_stage(&loaded, NULL, &staged, &error)) == BERTH_OK) {
        const berth_problem *problem = &staged.lifetimes.problem;
        status = berth_plan_bytes(problem, &best, &need, NULL);
        if (status == BERTH_OK && berth_block_take(&port, need, &lent) &&
            berth_block_take(&port, problem->item_count * sizeof(uint64_t),
                             &offsets)) {
            berth_plan plan = {.offset = offsets.memory};
            status = berth_plan_solve(problem, &best,
                                      berth_work_of(lent.memory, lent.bytes),
                                      &plan, NULL);
            if (status == BERTH_OK) {
                print_places(&staged, &plan);
            }
        }
    }
    if (status != BERTH_OK) {
        fprintf(stderr, "inspect: %s\n", berth_status_text(status));
    }
    berth_block_give(&port, &offsets);
    berth_block_give(&port, &lent);
    berth_unstage(&staged);
    berth_unload(&loaded);
    return status == BERTH_OK ? 0 : 1;
}

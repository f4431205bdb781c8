/* inspect MODEL: when every tensor of a model lives, and where it lies. */
#include <stdio.h>

#include "berth/berth.h"
#include "berth/hosted/load.h"
#include "berth/hosted/report.h" /* for the reason in words */

static int inspect(berth_port *port, const berth_problem *problem,
                   const uint32_t *tensor_of_item)
{
    const berth_plan_options best = {.strategy = BERTH_STRATEGY_BEST};
    berth_block scratch = {0};
    berth_block offsets = {0};
    size_t need = 0;
    berth_plan plan = {0};
    berth_status status = berth_plan_bytes(problem, &best, &need, NULL);
    if (status == BERTH_OK && berth_block_take(port, need, &scratch) &&
        berth_block_take(port, problem->item_count * 8u, &offsets)) {
        plan.offset = offsets.memory;
        status = berth_plan_solve(
            problem, &best, berth_work_of(scratch.memory, need), &plan, NULL);
    }
    for (uint32_t i = 0; status == BERTH_OK && i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        printf("tensor %d: %llu bytes at %llu,", (int)tensor_of_item[i],
               (unsigned long long)item->size,
               (unsigned long long)plan.offset[i]);
        for (uint32_t k = 0; k < item->span_count; ++k) {
            const berth_span span = problem->spans[item->first_span + k];
            printf(" steps %u to %u", span.born, span.dead);
        }
        printf("\n");
    }
    printf("arena: %llu bytes\n", (unsigned long long)plan.peak);
    berth_block_give(port, &offsets);
    berth_block_give(port, &scratch);
    return status == BERTH_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {0};
    berth_staged staged = {0};
    berth_load_error error;
    int code = 1;
    if (argc != 2) {
        fprintf(stderr, "usage: inspect MODEL.tflite\n");
        return 2;
    }
    if (berth_load(&port, argv[1], &loaded, &error) == BERTH_OK &&
        berth_stage(&loaded, NULL, &staged, &error) == BERTH_OK) {
        code = inspect(&port, &staged.lifetimes.problem,
                       staged.lifetimes.tensor_of_item);
    } else {
        char why[256];
        berth_report_reason(&error, why, sizeof(why));
        fprintf(stderr, "inspect: %s: %s\n", argv[1], why);
    }
    berth_unstage(&staged);
    berth_unload(&loaded);
    return code;
}

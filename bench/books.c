/* What an engine keeps for itself, model by model, beside TFLM's tail: the part
 * of its arena that holds no activations.
 *
 *     books MODEL...
 *
 * The tail is the predicted one (bench/predict: exact) of the reference kernels
 * on x86-64, as these books are. "-": TFLM does not start with the model. */
#include "berth/engine.h"
#include "berth/hosted/load.h"
#include "berth/hosted/solve.h"
#include "berth/micro.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t tail_of(berth_loaded *loaded)
{
    static const berth_micro_options options = {0};
    berth_micro micro = {.refusal = BERTH_MICRO_LACKS_OPERATOR};
    berth_block block = {0};
    size_t need = 0;
    if (berth_micro_bytes(&loaded->graph, &options, &need, NULL) != BERTH_OK ||
        !berth_block_take(loaded->port, need, &block)) {
        return BERTH_NOWHERE;
    }
    berth_work work = berth_work_of(block.memory, need);
    const berth_status status =
        berth_micro_predict(&loaded->graph, &options, &work, &micro, NULL);
    berth_block_give(loaded->port, &block);
    return status == BERTH_OK && micro.refusal == BERTH_MICRO_STARTS
               ? micro.tail_bytes
               : BERTH_NOWHERE;
}

static bool ask_engine(const berth_staged *staged, berth_engine_need *need)
{
    berth_port *port = staged->loaded->port;
    const berth_problem *problem = &staged->lifetimes.problem;
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_SIZE_BEST};
    berth_diag diag = berth_diag_none();
    berth_block offsets = {0};
    if (!berth_block_take(port, (problem->item_count + 1u) * sizeof(uint64_t),
                          &offsets)) {
        return false;
    }
    berth_plan plan = {.offset = offsets.memory};
    const berth_engine_source source = {
        .graph = &staged->loaded->graph,
        .shapes = &staged->shapes,
        .schedule = &staged->schedule,
        .lifetimes = &staged->lifetimes,
        .plan = &plan,
    };
    const bool good =
        berth_solve(port, problem, &options, &plan, &diag) == BERTH_OK &&
        berth_engine_bytes(&source, need, &diag) == BERTH_OK;
    berth_block_give(port, &offsets);
    return good;
}

static void print_model(const char *path)
{
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {0};
    berth_staged staged = {0};
    berth_load_error error;
    berth_engine_need need;
    if (berth_load(&port, path, &loaded, &error) == BERTH_OK &&
        berth_stage(&loaded, NULL, &staged, &error) == BERTH_OK &&
        ask_engine(&staged, &need)) {
        const uint64_t ops = staged.schedule.op_step_count;
        const uint64_t tail = tail_of(&loaded);
        char tail_text[32] = "-";
        if (tail != BERTH_NOWHERE) {
            (void)snprintf(tail_text, sizeof(tail_text), "%" PRIu64, tail);
        }
        (void)printf("%8" PRIu64 " %6" PRIu64 " %8" PRIu64 " %10s  %s\n", ops,
                     ops > 0 ? need.books_bytes / ops : 0, need.books_bytes,
                     tail_text, path);
    } else {
        (void)printf("%8s %6s %8s %10s  %s\n", "-", "-", "-", "-", path);
    }
    berth_unstage(&staged);
    berth_unload(&loaded);
}

int main(int argc, char **argv)
{
    (void)printf("%8s %6s %8s %10s\n", "ops", "per op", "books", "TFLM tail");
    for (int i = 1; i < argc; ++i) {
        print_model(argv[i]);
    }
    return 0;
}

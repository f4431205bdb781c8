/* crowd MODEL [N]: N engines of one model, each in a thread of its own. The
 * file is there once; each engine costs its regions, state and books, and no
 * more: what was taken from the port is measured and printed. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/hosted/session.h"

typedef struct lodger {
    const berth_engine_source *source;
    const berth_engine_need *need;
    berth_block block;
    berth_status status;
} lodger;

/* Makes an engine in its block and runs it ten times. */
static void *lodge(void *argument)
{
    lodger *l = argument;
    berth_engine_memory memory;
    berth_engine *engine = NULL;
    l->status = berth_engine_cut(l->need, l->block.memory, l->block.bytes,
                                 &memory, NULL);
    if (l->status == BERTH_OK) {
        l->status = berth_engine_prepare(l->source, &memory, &engine, NULL);
    }
    for (int run = 0; run < 10 && l->status == BERTH_OK; ++run) {
        berth_io in = {0};
        for (uint32_t i = 0; i < berth_engine_input_count(engine); ++i) {
            if (berth_engine_input(engine, i, &in) == BERTH_OK) {
                memset(in.data, run, (size_t)in.bytes);
            }
        }
        l->status = berth_engine_run(engine, NULL, NULL);
    }
    return NULL;
}

static uint32_t run_crowd(berth_port *port, const berth_session *first,
                          lodger *lodgers, uint32_t count)
{
    const berth_engine_source source = {.graph = &first->loaded.graph,
                                        .shapes = &first->staged.shapes,
                                        .schedule = &first->staged.schedule,
                                        .lifetimes = &first->staged.lifetimes,
                                        .plan = &first->plan,
                                        .kernels = berth_kernels_opt()};
    pthread_t *threads = calloc(count, sizeof(*threads));
    uint32_t good = 0;
    for (uint32_t i = 0; threads != NULL && i < count; ++i) {
        lodgers[i] = (lodger){.source = &source, .need = &first->need};
        if (!berth_block_take(port, (size_t)first->need.total_bytes,
                              &lodgers[i].block) ||
            pthread_create(&threads[i], NULL, lodge, &lodgers[i]) != 0) {
            abort();
        }
    }
    for (uint32_t i = 0; threads != NULL && i < count; ++i) {
        (void)pthread_join(threads[i], NULL);
        good += lodgers[i].status == BERTH_OK ? 1u : 0u;
    }
    free(threads);
    return good;
}

int main(int argc, char **argv)
{
    const uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 8u;
    berth_port port = berth_port_of_libc();
    berth_session first = {0};
    berth_load_error error;
    lodger *lodgers = calloc(count, sizeof(*lodgers));
    if (argc < 2 || lodgers == NULL ||
        berth_session_load(&port, argv[1], &first, &error) != BERTH_OK ||
        berth_session_prepare(&first, NULL, &error) != BERTH_OK) {
        (void)fprintf(stderr, "usage: crowd MODEL [N]\n");
        return 2;
    }
    const uint64_t before = port.lent_bytes;
    const uint32_t good = run_crowd(&port, &first, lodgers, count);
    const uint64_t taken = port.lent_bytes - before;
    (void)printf("%u engines ran: %" PRIu64 " bytes, %" PRIu64
                 " each; the model's %zu bytes are there once\n",
                 good, taken, count > 0 ? taken / count : 0,
                 first.loaded.file.bytes.size);
    for (uint32_t i = 0; i < count; ++i) {
        berth_block_give(&port, &lodgers[i].block);
    }
    free(lodgers);
    berth_session_close(&first);
    return good == count ? 0 : 1;
}

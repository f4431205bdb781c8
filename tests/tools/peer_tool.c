/* Prints what the other runtimes take for each model, for tests that compare
 * it with the runtimes themselves.
 *
 *   peer_tool [-v] FILE...
 *
 * A line for a file and a runtime:
 *   PATH <tab> litert|tflm <tab> STATUS <tab> peak <tab> bound <tab>
 *   sound|unsound|- <tab> what
 * With -v the address of each tensor follows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/hosted/load.h"
#include "berth/peer.h"

static void *lend(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(4);
    }
    return memory;
}

static void print_diag(const berth_diag *diag)
{
    printf("%s", diag->what);
    if (diag->op != BERTH_NONE) {
        printf(" op %" PRIu32, diag->op);
    }
    if (diag->tensor != BERTH_NONE) {
        printf(" tensor %" PRIu32, diag->tensor);
    }
    if (diag->other != BERTH_NONE) {
        printf(" other %" PRIu32, diag->other);
    }
    printf("\n");
}

static void print_peer(const char *path, const berth_staged *s, berth_peer peer,
                       bool verbose)
{
    static const char *names[BERTH_PEER_COUNT] = {"litert", "tflm"};
    const berth_graph *graph = &s->loaded->graph;
    berth_diag diag = berth_diag_none();
    size_t need = 0;
    uint64_t *address = lend(graph->tensor_count * sizeof *address);
    berth_peer_plan plan = {.address = address};
    berth_status status =
        berth_peer_bytes(graph, &s->shapes, 0, peer, &need, &diag);
    if (status == BERTH_OK) {
        void *memory = lend(need);
        status = berth_peer_solve(graph, &s->shapes, 0, peer,
                                  berth_work_of(memory, need), &plan, &diag);
        free(memory);
    }
    printf("%s\t%s\t%s", path, names[peer], berth_status_name(status));
    if (status == BERTH_OK) {
        printf("\t%" PRIu64 "\t%" PRIu64 "\t%s\t", plan.peak, plan.bound,
               plan.sound ? "sound" : "unsound");
        print_diag(&plan.unsound);
    } else {
        printf("\t-\t-\t-\t");
        print_diag(&diag);
    }
    for (uint32_t t = 0;
         verbose && status == BERTH_OK && t < graph->tensor_count; ++t) {
        printf("  %" PRIu32 " %" PRId64 "\n", t, (int64_t)address[t]);
    }
    free(address);
}

static void print_file(const char *path, bool verbose)
{
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {0};
    berth_staged staged = {0};
    berth_load_error error = {0};
    berth_status status = berth_load(&port, path, &loaded, &error);
    if (status == BERTH_OK) {
        status = berth_stage(&loaded, NULL, &staged, &error);
    }
    if (status == BERTH_OK || staged.reached > BERTH_LOAD_SHAPES) {
        print_peer(path, &staged, BERTH_PEER_LITERT, verbose);
        print_peer(path, &staged, BERTH_PEER_TFLM, verbose);
    } else {
        printf("%s\t%s\t%s\t-\t-\t-\t", path,
               berth_load_stage_name(error.stage), berth_status_name(status));
        print_diag(&error.diag);
    }
    berth_unstage(&staged);
    berth_unload(&loaded);
}

int main(int argc, char **argv)
{
    const bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    for (int i = verbose ? 2 : 1; i < argc; ++i) {
        print_file(argv[i], verbose);
    }
    return 0;
}

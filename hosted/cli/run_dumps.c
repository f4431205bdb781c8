/* Tensors on the way: copied as the steps that write them end. */
#include "cli_run.h"

#include "report/report_int.h"

#include <string.h>

typedef struct run_dump {
    const char *file;
    uint32_t subgraph;
    uint32_t local; /* in it */
    uint32_t op;    /* that writes it, in it */
    uint32_t rank;
    int32_t dims[BERTH_RANK_MAX];
    berth_type type;
    berth_block copy;
    bool caught;
} run_dump;

struct run_dumps {
    run_job *job;
    berth_block block;
    uint32_t count;
    run_dump dump[];
};

static berth_verdict find_dump(const run_job *job, const char *text,
                               run_dump *dump)
{
    const berth_graph *graph = &job->session.loaded.graph;
    const char *equals = strrchr(text, '=');
    const uint32_t tensor =
        berth_load_find_tensor(&job->session.loaded, job->subgraph,
                               word_bytes(text, (size_t)(equals - text)));
    if (tensor == BERTH_NONE) {
        cli_complain("--dump-tensor %s: no such tensor (#12 works too)", text);
        return BERTH_VERDICT_USAGE;
    }
    const uint32_t maker = graph->tensors[tensor].producer;
    const berth_shape *shape = &job->session.staged.shapes.of[tensor];
    if (maker == BERTH_NONE || shape->state != BERTH_SHAPE_STATIC) {
        cli_complain("--dump-tensor %s: no operator writes it", text);
        return BERTH_VERDICT_USAGE;
    }
    *dump = (run_dump){.file = equals + 1,
                       .subgraph = job->subgraph,
                       .local = report_local_tensor(graph, tensor),
                       .op = report_local_op(graph, maker),
                       .rank = shape->rank,
                       .type = (berth_type)graph->tensors[tensor].type};
    memcpy(dump->dims, berth_shape_dims(&job->session.staged.shapes, tensor),
           shape->rank * sizeof(dump->dims[0]));
    if (!berth_block_take(job->port, (size_t)shape->bytes + 1u, &dump->copy)) {
        cli_complain("no memory for --dump-tensor %s", text);
        return BERTH_VERDICT_SYSTEM;
    }
    dump->copy.bytes = (size_t)shape->bytes;
    return BERTH_VERDICT_OK;
}

run_dumps *run_dumps_open(run_job *job, berth_verdict *verdict)
{
    const cli_paths *wanted = &job->request->run.dumps;
    berth_block block;
    if (!berth_block_take(job->port,
                          sizeof(run_dumps) + wanted->count * sizeof(run_dump),
                          &block)) {
        cli_complain("no memory for --dump-tensor");
        *verdict = BERTH_VERDICT_SYSTEM;
        return NULL;
    }
    run_dumps *dumps = block.memory;
    *dumps = (run_dumps){.job = job, .block = block};
    *verdict = BERTH_VERDICT_OK;
    for (uint32_t i = 0; *verdict == BERTH_VERDICT_OK && i < wanted->count;
         ++i) {
        *verdict = find_dump(job, wanted->path[i], &dumps->dump[i]);
        dumps->count += *verdict == BERTH_VERDICT_OK ? 1u : 0u;
    }
    return dumps;
}

static void catch_output(run_dump *dump, const berth_node *node)
{
    const berth_ivec outputs = node->op->outputs;
    for (uint32_t k = 0; k < outputs.count && k < node->output_count; ++k) {
        const berth_operand *output = &node->outputs[k];
        if ((uint32_t)berth_ivec_at(outputs, k) == dump->local &&
            output->bytes == dump->copy.bytes) {
            memcpy(dump->copy.memory, output->data, dump->copy.bytes);
            dump->caught = true;
        }
    }
}

void run_dumps_after(run_dumps *dumps, const berth_engine_event *event)
{
    for (uint32_t i = 0; event->node != NULL && i < dumps->count; ++i) {
        run_dump *dump = &dumps->dump[i];
        if (event->subgraph == dump->subgraph && event->op == dump->op) {
            catch_output(dump, event->node);
        }
    }
}

berth_verdict run_dumps_save(run_dumps *dumps)
{
    for (uint32_t i = 0; i < dumps->count; ++i) {
        const run_dump *dump = &dumps->dump[i];
        if (!dump->caught) {
            cli_complain_of(dump->file,
                            "not written: this tensor is known in prepare, a "
                            "view, or made by a call");
            return BERTH_VERDICT_UNFIT;
        }
        const int error =
            berth_array_write(dump->file, dump->type, dump->rank, dump->dims,
                              dump->copy.memory, dump->copy.bytes);
        if (error != 0) {
            cli_complain_of(dump->file, run_save_error(error));
            return BERTH_VERDICT_SYSTEM;
        }
    }
    return BERTH_VERDICT_OK;
}

void run_dumps_close(run_dumps *dumps)
{
    berth_port *port = dumps->job->port;
    for (uint32_t i = 0; i < dumps->count; ++i) {
        berth_block_give(port, &dumps->dump[i].copy);
    }
    berth_block block = dumps->block;
    berth_block_give(port, &block);
}

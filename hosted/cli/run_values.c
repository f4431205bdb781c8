/* Inputs that shapes depend on: sizes, axes, paddings. Their values are known
 * here before the model is planned. */
#include "cli_run.h"

#include <string.h>

static bool may_tell(const berth_graph *graph, uint32_t tensor)
{
    const uint8_t type = graph->tensors[tensor].type;
    return type == BERTH_INT32 || type == BERTH_INT64 || type == BERTH_BOOL;
}

static int64_t integer_at(const uint8_t *data, uint32_t width, uint32_t i)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < width; ++k) {
        bits |= (uint64_t)data[i * width + k] << 8u * k;
    }
    return width == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

/* The value of input i, of the shape that it has in the probe. */
static void add_value(run_job *job, const berth_staged *probe, uint32_t i,
                      uint32_t tensor)
{
    const berth_graph *graph = &job->session.loaded.graph;
    const berth_shape *shape = &probe->shapes.of[tensor];
    const berth_type type = (berth_type)graph->tensors[tensor].type;
    const uint32_t width = berth_type_bits(type) / 8u;
    uint8_t data[BERTH_SHAPE_VALUES_MAX * sizeof(int64_t)];
    if (shape->state != BERTH_SHAPE_STATIC || shape->rank > BERTH_RANK_MAX ||
        shape->bytes > (uint64_t)BERTH_SHAPE_VALUES_MAX * width ||
        (i < job->request->run.inputs.count &&
         job->inputs[i].bytes != shape->bytes)) {
        return;
    }
    const uint32_t count = (uint32_t)shape->bytes / width;
    if (!run_input_bytes(job, i, 0, type, count, (size_t)shape->bytes, data)) {
        return;
    }
    berth_named_shape *row =
        run_add_shape(job, tensor - graph->tensor_base[job->subgraph]);
    row->rank = shape->rank;
    memcpy(row->dims, berth_shape_dims(&probe->shapes, tensor),
           shape->rank * sizeof(row->dims[0]));
    for (uint32_t k = 0; k < count; ++k) {
        job->values[i][k] = integer_at(data, width, k);
    }
    row->values = job->values[i];
}

/* Models that take pictures and sounds only are not staged twice. */
static bool any_may_tell(const berth_graph *graph, const uint32_t *inputs,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (inputs[i] != BERTH_NONE && may_tell(graph, inputs[i])) {
            return true;
        }
    }
    return false;
}

void run_find_values(run_job *job, const berth_stage_options *stage)
{
    const berth_graph *graph = &job->session.loaded.graph;
    const uint32_t *inputs = berth_graph_subgraph_inputs(graph, job->subgraph);
    const uint32_t count =
        job->input_count < CLI_NAMED_MAX ? job->input_count : CLI_NAMED_MAX;
    berth_staged probe;
    berth_load_error error;
    if (!any_may_tell(graph, inputs, count)) {
        return;
    }
    if (berth_stage(&job->session.loaded, stage, &probe, &error) == BERTH_OK &&
        probe.lifetimes.dynamic_count > 0) {
        for (uint32_t i = 0; i < count; ++i) {
            if (inputs[i] != BERTH_NONE && may_tell(graph, inputs[i])) {
                add_value(job, &probe, i, inputs[i]);
            }
        }
    }
    berth_unstage(&probe);
}

/* What the formulas want to know of each tensor, read once. Shapes are the
 * file's, but where TFLM's RESHAPE computes the one dimension left open. */
#include "micro/micro_int.h"
#include "peer/tflm_file.h"

static micro_tensor describe(const berth_graph *graph, uint32_t tensor)
{
    const berth_tensor info = berth_graph_tensor_info(graph, tensor);
    const uint32_t local =
        tensor - graph->tensor_base[graph->tensors[tensor].subgraph];
    const berth_quantization quantization = berth_model_quantization(
        graph->model, graph->tensors[tensor].subgraph, local);
    micro_tensor made = {.elements = 1,
                         .dims = info.shape,
                         .type = (uint8_t)info.type,
                         .element_bytes =
                             (uint8_t)tflm_element_bytes((uint32_t)info.type),
                         .scales = quantization.scale_count};
    if (made.element_bytes == 0) {
        made.flags |= MICRO_TENSOR_UNTYPED;
    }
    for (uint32_t i = 0; i < info.shape.count; ++i) {
        if (berth_ivec_at(info.shape, i) < 0) {
            made.flags |= MICRO_TENSOR_UNSHAPED;
        }
        made.elements = micro_mul(made.elements, micro_dim(&made, i));
    }
    made.bytes = micro_mul(made.elements, made.element_bytes);
    if (info.data.size > 0) {
        made.flags |= MICRO_TENSOR_CONSTANT;
    }
    if (info.is_variable) {
        made.flags |= MICRO_TENSOR_VARIABLE;
    }
    if (quantization.scale_count > 0 && quantization.zero_point_count > 0) {
        made.flags |= MICRO_TENSOR_QUANTIZED;
    }
    return made;
}

/* One dimension of -1 becomes what is left of the input's elements; the old
 * way to say "scalar", a shape of [0], becomes one. */
static void reshape(const berth_graph *graph, uint32_t op,
                    micro_tensor *tensors)
{
    const uint32_t from = berth_graph_inputs(graph, op)[0];
    const uint32_t to = berth_graph_outputs(graph, op)[0];
    if (from == BERTH_NONE || to == BERTH_NONE) {
        return;
    }
    micro_tensor *output = &tensors[to];
    uint32_t open = 0;
    uint64_t others = 1;
    for (uint32_t i = 0; i < output->dims.count; ++i) {
        if (berth_ivec_at(output->dims, i) == -1) {
            ++open;
        } else {
            others = micro_mul(others, micro_dim(output, i));
        }
    }
    if (open == 1 && others != 0) {
        output->elements = tensors[from].elements / others * others;
        output->flags &= (uint8_t)~MICRO_TENSOR_UNSHAPED;
    } else if (graph->ops[op].input_count == 1 && output->dims.count == 1 &&
               output->elements == 0) {
        output->elements = 1;
    }
    output->bytes = micro_mul(output->elements, output->element_bytes);
}

void micro_tensors_init(const berth_graph *graph, micro_tensor *tensors)
{
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        tensors[t] = describe(graph, t);
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const berth_graph_op *at = &graph->ops[op];
        if (at->code == BERTH_OP_RESHAPE && at->input_count > 0 &&
            at->output_count > 0) {
            reshape(graph, op, tensors);
        }
        if (at->code == BERTH_OP_VAR_HANDLE && at->output_count > 0 &&
            berth_graph_outputs(graph, op)[0] != BERTH_NONE) {
            tensors[berth_graph_outputs(graph, op)[0]].flags |=
                MICRO_TENSOR_HANDLE;
        }
    }
}

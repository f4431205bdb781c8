/* core/rows/op_scratch.c: bytes that an op needs for itself while it runs. */
#include "berth/rows.h"

/* A constant that nobody stores as it is used: what DEQUANTIZE or DENSIFY make
 * of a constant operand. */
static bool is_decoded_constant(const berth_graph *graph, uint32_t tensor)
{
    const uint32_t maker = graph->tensors[tensor].producer;
    if (maker == BERTH_NONE || graph->ops[maker].input_count == 0) {
        return false;
    }
    const uint32_t from = berth_graph_inputs(graph, maker)[0];
    const uint16_t flags = berth_op_contract_of(graph->ops[maker].code)->flags;
    return (flags & BERTH_OP_DECODES) != 0 && from != BERTH_NONE &&
           (graph->tensors[from].flags & BERTH_TENSOR_CONSTANT) != 0;
}

static bool is_repeated(const uint32_t *operands, uint32_t i)
{
    for (uint32_t k = 0; k < i; ++k) {
        if (operands[k] == operands[i]) {
            return true;
        }
    }
    return false;
}

/* An operator that cannot read encoded constants has them decoded, each into
 * its own place, for as long as it runs. Only the first operands can be
 * weights, which also bounds the search for one that is read twice. */
uint64_t berth_op_scratch_bytes(const berth_graph *graph,
                                const berth_shapes *shapes, uint32_t op)
{
    enum { OPERANDS_MAX = 64 };
    const berth_graph_op *node = &graph->ops[op];
    const uint32_t *operands = berth_graph_inputs(graph, op);
    const uint16_t flags = berth_op_contract_of(node->code)->flags;
    uint64_t total = 0;
    if ((flags & (BERTH_OP_READS_ENCODED | BERTH_OP_DECODES)) != 0) {
        return 0;
    }
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t tensor = operands[i];
        if (tensor != BERTH_NONE && is_decoded_constant(graph, tensor) &&
            !(i < OPERANDS_MAX && is_repeated(operands, i)) &&
            shapes->of[tensor].state == BERTH_SHAPE_STATIC &&
            !berth_add_u64(total, shapes->of[tensor].bytes, &total)) {
            return BERTH_NOWHERE;
        }
    }
    return total;
}

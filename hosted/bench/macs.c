/* Multiply-accumulates of an operator, by its shapes alone. */
#include "bench_int.h"

/* The product of dims [from, rank) of an operand. */
static uint64_t product(const berth_operand *operand, uint32_t from)
{
    uint64_t total = 1;
    for (uint32_t i = from; i < operand->rank; ++i) {
        total *= (uint64_t)operand->dims[i];
    }
    return total;
}

/* Filter o x h x w x i: each output needs h * w * i of them. */
static uint64_t of_conv(const berth_node *node)
{
    return node->outputs[0].elements * product(&node->inputs[1], 1);
}

/* Filter 1 x h x w x c: each output needs h * w. */
static uint64_t of_depthwise(const berth_node *node)
{
    const berth_operand *filter = &node->inputs[1];
    return filter->rank == 4
               ? node->outputs[0].elements * (uint64_t)filter->dims[1] *
                     (uint64_t)filter->dims[2]
               : 0;
}

/* Operands: output shape, filter o x h x w x i, input; each input value meets
 * o * h * w of them. */
static uint64_t of_transpose_conv(const berth_node *node)
{
    const berth_operand *filter = &node->inputs[1];
    return filter->rank == 4
               ? node->inputs[2].elements * (uint64_t)filter->dims[0] *
                     (uint64_t)filter->dims[1] * (uint64_t)filter->dims[2]
               : 0;
}

/* Weights units x depth. */
static uint64_t of_fully_connected(const berth_node *node)
{
    return node->outputs[0].elements * product(&node->inputs[1], 1);
}

static uint64_t of_batch_matmul(const berth_node *node)
{
    const berth_operand *a = &node->inputs[0];
    const bool flipped =
        berth_option_int(node->op, BERTH_OPT_BatchMatMulOptions_adj_x) != 0;
    return a->rank < 2 ? 0
                       : node->outputs[0].elements *
                             (uint64_t)a->dims[a->rank - (flipped ? 2u : 1u)];
}

uint64_t bench_macs(const berth_node *node)
{
    static const struct {
        uint32_t code;
        uint32_t inputs;
        uint64_t (*count)(const berth_node *node);
    } rows[] = {{BERTH_OP_CONV_2D, 2, of_conv},
                {BERTH_OP_DEPTHWISE_CONV_2D, 2, of_depthwise},
                {BERTH_OP_TRANSPOSE_CONV, 3, of_transpose_conv},
                {BERTH_OP_FULLY_CONNECTED, 2, of_fully_connected},
                {BERTH_OP_BATCH_MATMUL, 2, of_batch_matmul}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        if (rows[i].code == node->op->code &&
            node->input_count >= rows[i].inputs && node->output_count > 0) {
            return rows[i].count(node);
        }
    }
    return 0;
}

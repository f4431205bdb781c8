/* core/rows/rows_ask.c: what the families ask about an operator. Whatever is
 * not there is answered with something harmless. */
#include "rows_int.h"

struct rows_op rows_op_of(const berth_graph *graph, const berth_shapes *shapes,
                          uint32_t op)
{
    const berth_graph_op *node = &graph->ops[op];
    return (struct rows_op){
        .graph = graph,
        .shapes = shapes,
        .node = node,
        .operands = graph->operands + node->first_operand,
        .op = op,
        .operand_count = node->input_count + node->output_count,
    };
}

const berth_shape *rows_shape(const struct rows_op *o, uint32_t operand)
{
    if (operand >= o->operand_count || o->operands[operand] == BERTH_NONE) {
        return NULL;
    }
    const berth_shape *shape = &o->shapes->of[o->operands[operand]];
    return shape->state == BERTH_SHAPE_STATIC ? shape : NULL;
}

bool rows_is_integer(const struct rows_op *o, uint32_t operand)
{
    static const uint32_t integers =
        1u << BERTH_INT8 | 1u << BERTH_UINT8 | 1u << BERTH_INT16 |
        1u << BERTH_UINT16 | 1u << BERTH_INT32 | 1u << BERTH_UINT32 |
        1u << BERTH_INT64 | 1u << BERTH_UINT64 | 1u << BERTH_INT4;
    return rows_shape(o, operand) != NULL &&
           (integers >> o->graph->tensors[o->operands[operand]].type & 1u) != 0;
}

int64_t rows_dim(const struct rows_op *o, uint32_t operand, int32_t axis)
{
    const berth_shape *shape = rows_shape(o, operand);
    const int64_t rank = shape == NULL ? 0 : shape->rank;
    const int64_t at = axis < 0 ? axis + rank : axis;
    return at >= 0 && at < rank ? o->shapes->dims[shape->first_dim + at] : 0;
}

uint64_t rows_front(const struct rows_op *o, uint32_t operand, uint32_t end)
{
    const berth_shape *shape = rows_shape(o, operand);
    uint64_t product = 1;
    for (uint32_t i = 0; shape != NULL && i < end && i < shape->rank; ++i) {
        const int32_t dim = o->shapes->dims[shape->first_dim + i];
        if (!berth_mul_u64(product, (uint64_t)dim, &product)) {
            return BERTH_NOWHERE;
        }
    }
    return product;
}

bool rows_same_dims(const struct rows_op *o, uint32_t a, uint32_t b)
{
    const berth_shape *x = rows_shape(o, a);
    const berth_shape *y = rows_shape(o, b);
    bool same = x != NULL && y != NULL && x->rank == y->rank;
    for (uint32_t i = 0; same && i < x->rank; ++i) {
        same = o->shapes->dims[x->first_dim + i] ==
               o->shapes->dims[y->first_dim + i];
    }
    return same;
}

bool rows_constant(const struct rows_op *o, uint32_t operand, uint64_t i,
                   int64_t *value)
{
    if (rows_shape(o, operand) == NULL) {
        return false;
    }
    const berth_tensor file =
        berth_graph_tensor_info(o->graph, o->operands[operand]);
    const size_t size = file.type == BERTH_INT64 ? 8 : 4;
    uint64_t bits = 0;
    if ((file.type != BERTH_INT32 && file.type != BERTH_INT64) ||
        file.has_sparsity || file.is_variable || i >= file.data.size / size) {
        return false;
    }
    for (size_t k = 0; k < size; ++k) {
        bits |= (uint64_t)file.data.data[i * size + k] << (8u * k);
    }
    *value = size == 8 ? (int64_t)bits : (int32_t)(uint32_t)bits;
    return true;
}

int64_t rows_option(const struct rows_op *o, berth_option field)
{
    const berth_operator info = berth_graph_op_info(o->graph, o->op);
    return berth_option_int(&info, field);
}

/* core/shape/shape_elementwise.c: the output has the shape of an operand, or of
 * several broadcast. */
#include "shape_int.h"

/* Output k has the shape of operand 0, whatever the others are. */
void berth_shape_same(struct infer *in)
{
    const struct dims dims = berth_infer_dims(in, 0);
    for (uint32_t k = 0; k < in->output_count; ++k) {
        berth_infer_out(in, k, &dims);
    }
}

void berth_shape_broadcast(struct infer *in)
{
    const struct dims a = berth_infer_dims(in, 0);
    const struct dims b = berth_infer_dims(in, 1);
    const struct dims out = berth_dims_broadcast(in, &a, &b);
    berth_infer_out(in, 0, &out);
}

static bool is_single(const struct dims *dims)
{
    uint64_t elements = 0;
    return berth_dims_elements(dims, &elements) && elements == 1;
}

/* Single elements of mixed ranks: the rank that the file wrote stands. */
static bool keeps_single(struct infer *in, const struct dims *condition,
                         const struct dims *x, const struct dims *y)
{
    struct dims file = {0};
    if (!is_single(condition) || !is_single(x) || !is_single(y) ||
        in->output_count == 0 || in->outputs[0] == BERTH_NONE ||
        !berth_tensor_dims(in->all, in->outputs[0], &file)) {
        return false;
    }
    if (is_single(&file)) {
        berth_infer_out_kept(in, 0);
        return true;
    }
    return false;
}

/* The first version: the condition may be a scalar, or pick whole rows. */
void berth_shape_select(struct infer *in)
{
    const struct dims condition = berth_infer_dims(in, 0);
    const struct dims x = berth_infer_dims(in, 1);
    const struct dims y = berth_infer_dims(in, 2);
    if (!keeps_single(in, &condition, &x, &y)) {
        infer_need(in, berth_dims_equal(&x, &y));
        infer_need(in, condition.rank == 0 ||
                           berth_dims_equal(&condition, &x) ||
                           (condition.rank == 1 && x.rank > 0 &&
                            condition.at[0] == x.at[0]));
        berth_infer_out(in, 0, &x);
    }
}

void berth_shape_select_v2(struct infer *in)
{
    const struct dims condition = berth_infer_dims(in, 0);
    const struct dims x = berth_infer_dims(in, 1);
    const struct dims y = berth_infer_dims(in, 2);
    if (!keeps_single(in, &condition, &x, &y)) {
        const struct dims both = berth_dims_broadcast(in, &x, &y);
        const struct dims out = berth_dims_broadcast(in, &condition, &both);
        berth_infer_out(in, 0, &out);
    }
}

/* StableHLO does not broadcast. */
void berth_shape_stablehlo_same(struct infer *in)
{
    const struct dims a = berth_infer_dims(in, 0);
    for (uint32_t i = 1; i < in->input_count; ++i) {
        const struct dims b = berth_infer_dims(in, i);
        infer_need(in, berth_dims_equal(&a, &b));
    }
    berth_infer_out(in, 0, &a);
}

/* The same bytes as elements of another size: the last axis takes it up. */
void berth_shape_bitcast(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const uint32_t from = berth_type_bits(berth_infer_type(in, 0));
    uint32_t to = 0;
    if (in->output_count > 0 && in->outputs[0] != BERTH_NONE) {
        to = berth_type_bits(
            (berth_type)in->all->graph->tensors[in->outputs[0]].type);
    }
    if (from < 8u || to < 8u) {
        berth_infer_refuse(in);
    } else if (from > to) {
        berth_dims_insert(in, &dims, dims.rank, from / to);
    } else if (from < to) {
        infer_need(in, dims.rank > 0 && dims.at[dims.rank - 1] == to / from);
        dims.rank -= dims.rank > 0 ? 1u : 0u;
    }
    berth_infer_out(in, 0, &dims);
}

/* A vector of one element: handles, sizes. */
void berth_shape_rank1_of_one(struct infer *in)
{
    const int64_t one = 1;
    const struct dims dims = berth_dims_of(1, &one);
    berth_infer_out(in, 0, &dims);
}

/* The file's shape is all there is, and runtimes take it. */
void berth_shape_kept(struct infer *in)
{
    for (uint32_t k = 0; k < in->output_count; ++k) {
        berth_infer_out_kept(in, k);
    }
}

/* No outputs to speak of. */
void berth_shape_nothing(struct infer *in)
{
    (void)in;
}

/* core/shape/shape_layout.c: the same elements under other axes, more of the
 * same, or a rim around them. */
#include "shape_int.h"

/* The wanted shape: a vector of int32 where there is one, else the option. */
static struct dims wanted_shape(struct infer *in)
{
    struct dims want = {0};
    const bool by_operand = in->input_count > 1 && berth_infer_has(in, 1) &&
                            berth_infer_type(in, 1) == BERTH_INT32 &&
                            berth_infer_dims(in, 1).rank == 1;
    if (by_operand) {
        const struct values values = berth_infer_values(in, 1);
        infer_need(in, values.count <= BERTH_RANK_MAX);
        for (; want.rank < values.count && want.rank < BERTH_RANK_MAX;) {
            want.at[want.rank] = berth_infer_int(in, &values, want.rank);
            want.rank += 1;
        }
    } else {
        const berth_ivec shape =
            berth_option_ints(&in->info, BERTH_OPT_ReshapeOptions_new_shape);
        infer_need(in, shape.count <= BERTH_RANK_MAX);
        for (; want.rank < shape.count && want.rank < BERTH_RANK_MAX;) {
            want.at[want.rank] = berth_ivec_at(shape, want.rank);
            want.rank += 1;
        }
        if (want.rank == 1 && want.at[0] == 0) {
            want.rank = 0; /* how old converters wrote a scalar */
        }
    }
    return want;
}

/* Elements of the axes that are not zero, which is what a -1 is divided by. */
static bool elements_but_zeros(const struct dims *dims, uint64_t *count)
{
    struct dims kept = {0};
    for (uint32_t i = 0; i < dims->rank; ++i) {
        if (dims->at[i] != 0) {
            kept.at[kept.rank] = dims->at[i];
            kept.rank += 1;
        }
    }
    return berth_dims_elements(&kept, count);
}

/* Fills in the one -1. */
static bool stretch(const struct dims *from, struct dims *to, uint32_t axis)
{
    uint64_t all = 0;
    uint64_t have = 0;
    uint64_t from_all = 0;
    uint64_t to_all = 0;
    to->at[axis] = 1;
    if (!elements_but_zeros(from, &all) || !elements_but_zeros(to, &have) ||
        !berth_dims_elements(from, &from_all) ||
        !berth_dims_elements(to, &to_all)) {
        return false;
    }
    to->at[axis] = from_all == 0 && to_all != 0 ? 0 : (int64_t)(all / have);
    return to->at[axis] <= INT32_MAX;
}

void berth_shape_reshape(struct infer *in)
{
    const struct dims from = berth_infer_dims(in, 0);
    struct dims to = wanted_shape(in);
    uint64_t before = 0;
    uint64_t after = 0;
    uint32_t open = BERTH_NONE;
    for (uint32_t i = 0; i < to.rank; ++i) {
        if (to.at[i] == -1) {
            infer_need(in, open == BERTH_NONE);
            open = i;
        } else {
            infer_need(in, to.at[i] >= 0);
        }
    }
    if (in->verdict == VERDICT_FITS && open != BERTH_NONE) {
        infer_need(in, stretch(&from, &to, open));
    }
    infer_need(in, berth_dims_elements(&from, &before) &&
                       berth_dims_elements(&to, &after) && before == after);
    berth_infer_out(in, 0, &to);
}

void berth_shape_squeeze(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const berth_ivec axes =
        berth_option_ints(&in->info, BERTH_OPT_SqueezeOptions_squeeze_dims);
    uint32_t gone = 0;
    for (uint32_t i = 0; axes.count == 0 && i < dims.rank; ++i) {
        gone |= dims.at[i] == 1 ? 1u << i : 0u;
    }
    infer_need(in, axes.count <= BERTH_RANK_MAX);
    for (uint32_t i = 0; i < axes.count && i < BERTH_RANK_MAX; ++i) {
        const uint32_t axis =
            berth_infer_axis(in, berth_ivec_at(axes, i), dims.rank);
        infer_need(in, dims.at[axis] == 1);
        gone |= 1u << axis;
    }
    for (uint32_t i = dims.rank; i > 0; --i) {
        if ((gone >> (i - 1) & 1u) != 0) {
            berth_dims_erase(&dims, i - 1);
        }
    }
    berth_infer_out(in, 0, &dims);
}

void berth_shape_expand_dims(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const uint32_t axis =
        berth_infer_axis(in, berth_infer_scalar(in, 1), dims.rank + 1);
    berth_dims_insert(in, &dims, axis, 1);
    berth_infer_out(in, 0, &dims);
}

void berth_shape_transpose(struct infer *in)
{
    const struct dims dims = berth_infer_dims(in, 0);
    const struct values order = berth_infer_values(in, 1);
    struct dims out = dims;
    infer_need(in, order.count == dims.rank);
    for (uint32_t i = 0; i < dims.rank; ++i) {
        const int64_t axis = berth_infer_int(in, &order, i);
        out.at[i] = dims.at[berth_infer_axis(in, axis, dims.rank)];
    }
    berth_infer_out(in, 0, &out);
}

void berth_shape_matrix_diag(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    infer_need(in, dims.rank > 0);
    berth_dims_insert(in, &dims, dims.rank,
                      dims.rank > 0 ? dims.at[dims.rank - 1] : 0);
    berth_infer_out(in, 0, &dims);
}

void berth_shape_tile(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const struct values times = berth_infer_values(in, 1);
    infer_need(in, times.count == dims.rank);
    for (uint32_t i = 0; i < dims.rank; ++i) {
        dims.at[i] *= berth_infer_int(in, &times, i);
    }
    berth_infer_out(in, 0, &dims);
}

void berth_shape_broadcast_to(struct infer *in)
{
    const struct dims from = berth_infer_dims(in, 0);
    const struct values shape = berth_infer_values(in, 1);
    struct dims to = {0};
    infer_need(in, shape.count <= BERTH_RANK_MAX && from.rank <= shape.count);
    for (; to.rank < shape.count && to.rank < BERTH_RANK_MAX;) {
        to.at[to.rank] = berth_infer_int(in, &shape, to.rank);
        to.rank += 1;
    }
    for (uint32_t i = 0; i < from.rank && from.rank <= to.rank; ++i) {
        infer_need(in, from.at[i] == 1 ||
                           from.at[i] == to.at[to.rank - from.rank + i]);
    }
    berth_infer_out(in, 0, &to);
}

/* Operand 1 has a row for each axis: how much before, how much after. A rim
 * that mirrors the inside cannot be longer than it, less `edge` elements; an
 * edge below 0 sets no limit. */
static void padded(struct infer *in, int64_t edge)
{
    struct dims dims = berth_infer_dims(in, 0);
    const struct values rim = berth_infer_values(in, 1);
    infer_need(in, rim.count == 2ull * dims.rank);
    for (uint32_t i = 0; i < dims.rank; ++i) {
        const int64_t before = berth_infer_int(in, &rim, 2ull * i);
        const int64_t after = berth_infer_int(in, &rim, 2ull * i + 1);
        const int64_t most = edge < 0 ? INT32_MAX : dims.at[i] - edge;
        infer_need(in, before >= 0 && after >= 0);
        infer_need(in, before <= most && after <= most);
        dims.at[i] += before + after;
    }
    berth_infer_out(in, 0, &dims);
}

void berth_shape_pad(struct infer *in)
{
    padded(in, -1);
}

/* REFLECT (mode 0) leaves the edge out, SYMMETRIC takes it too. */
void berth_shape_mirror_pad(struct infer *in)
{
    const int64_t mode = infer_option(in, BERTH_OPT_MirrorPadOptions_mode);
    padded(in, mode == 0 ? 1 : 0);
}

/* core/shape/fold_move.c: elements that come from an operand as they are, or
 * from a shape. Each function finds, for one element of the output, the element
 * that it is. */
#include "fold_int.h"

static bool moved_same(struct folding *f, uint64_t o, int64_t *value)
{
    *value = berth_values_at(&f->values[0], o);
    return true;
}

/* Bits beyond the type fall off; a bool is what is not zero. */
static bool moved_cast(struct folding *f, uint64_t o, int64_t *value)
{
    const int64_t from = berth_values_at(&f->values[0], o);
    const berth_type to =
        (berth_type)f->in->all->graph->tensors[f->in->outputs[0]].type;
    *value = to == BERTH_BOOL ? (from != 0 ? 1 : 0)
             : to == BERTH_INT32
                 ? (int64_t)(int32_t)((uint64_t)from & UINT32_MAX)
                 : from;
    return true;
}

static bool moved_zero(struct folding *f, uint64_t o, int64_t *value)
{
    (void)f;
    (void)o;
    *value = 0;
    return true;
}

static bool moved_shape(struct folding *f, uint64_t o, int64_t *value)
{
    *value = o < f->dims[0].rank ? f->dims[0].at[o] : 0;
    return true;
}

static bool moved_rank(struct folding *f, uint64_t o, int64_t *value)
{
    (void)o;
    *value = f->dims[0].rank;
    return true;
}

static bool moved_fill(struct folding *f, uint64_t o, int64_t *value)
{
    (void)o;
    *value = berth_values_at(&f->values[1], 0);
    return f->values[1].count == 1;
}

static bool moved_range(struct folding *f, uint64_t o, int64_t *value)
{
    const int64_t start = berth_values_at(&f->values[0], 0);
    const int64_t delta = berth_values_at(&f->values[2], 0);
    const int64_t most = 1ll << 40;
    if (start < -most || start > most || delta < -most || delta > most) {
        return false;
    }
    *value = start + (int64_t)o * delta;
    return true;
}

/* Two shapes as vectors, lined up at the end; 1 gives way. */
static bool moved_broadcast_args(struct folding *f, uint64_t o, int64_t *value)
{
    const uint64_t length = (uint64_t)f->out.at[0];
    const uint64_t a_skips = length - f->values[0].count;
    const uint64_t b_skips = length - f->values[1].count;
    const int64_t a =
        o < a_skips ? 1 : berth_values_at(&f->values[0], o - a_skips);
    const int64_t b =
        o < b_skips ? 1 : berth_values_at(&f->values[1], o - b_skips);
    *value = a == 1 ? b : a;
    return a == b || a == 1 || b == 1;
}

static bool moved_broadcast_to(struct folding *f, uint64_t o, int64_t *value)
{
    *value = berth_fold_broadcast(f, 0, o);
    return true;
}

static uint32_t from_front(int64_t axis, uint32_t rank)
{
    return (uint32_t)(axis < 0 ? axis + rank : axis) % BERTH_RANK_MAX;
}

/* Element `index` of operand i, whichever it is. */
static bool element_of(const struct folding *f, uint32_t i,
                       const int64_t *index, int64_t *value)
{
    struct dims dims;
    struct values values;
    if (!berth_tensor_dims(f->in->all, f->in->inputs[i], &dims) ||
        !berth_tensor_values(f->in->all, f->in->inputs[i], &values)) {
        return false;
    }
    *value = berth_values_at(&values, berth_fold_ravel(&dims, index));
    return true;
}

static bool moved_concatenation(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    const uint32_t axis = from_front(
        infer_option(f->in, BERTH_OPT_ConcatenationOptions_axis), f->out.rank);
    berth_fold_unravel(&f->out, o, index);
    for (uint32_t i = 0; i < f->in->input_count; ++i) {
        struct dims dims = {0};
        if (!berth_tensor_dims(f->in->all, f->in->inputs[i], &dims)) {
            return false;
        }
        const int64_t length = dims.rank == 0 ? 1 : dims.at[axis];
        if (index[axis] < length) {
            return element_of(f, i, index, value);
        }
        index[axis] -= length;
    }
    return false;
}

static bool moved_pack(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    const uint32_t axis = from_front(
        infer_option(f->in, BERTH_OPT_PackOptions_axis), f->out.rank);
    berth_fold_unravel(&f->out, o, index);
    const uint32_t which = (uint32_t)index[axis];
    for (uint32_t i = axis; i + 1 < BERTH_RANK_MAX; ++i) {
        index[i] = index[i + 1];
    }
    return which < f->in->input_count && element_of(f, which, index, value);
}

static bool moved_unpack(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    const uint32_t axis = from_front(
        infer_option(f->in, BERTH_OPT_UnpackOptions_axis), f->dims[0].rank);
    berth_fold_unravel(&f->out, o, index);
    for (uint32_t i = BERTH_RANK_MAX - 1; i > axis; --i) {
        index[i] = index[i - 1];
    }
    index[axis] = f->k;
    return element_of(f, 0, index, value);
}

static bool moved_split(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    const uint32_t axis =
        from_front(berth_values_at(&f->values[0], 0), f->out.rank);
    berth_fold_unravel(&f->out, o, index);
    index[axis] += f->k * f->out.at[axis];
    return element_of(f, 1, index, value);
}

static bool moved_split_v(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    const uint32_t axis =
        from_front(berth_values_at(&f->values[2], 0), f->out.rank);
    berth_fold_unravel(&f->out, o, index);
    index[axis] += f->from;
    return index[axis] < f->dims[0].at[axis] && element_of(f, 0, index, value);
}

static bool moved_slice(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t out[BERTH_RANK_MAX] = {0};
    int64_t index[BERTH_RANK_MAX] = {0};
    uint32_t from = 0;
    uint32_t to = 0;
    berth_fold_unravel(&f->out, o, out);
    for (uint32_t i = 0; i < f->slice.rank; ++i) {
        const struct slice_axis *axis = &f->slice.axes[i];
        if (!axis->fresh) {
            const int64_t step = axis->shrink ? 0 : out[to];
            const int64_t at = axis->start + step * axis->step;
            if (at < 0 || at >= f->dims[0].at[from]) {
                return false;
            }
            index[from] = at;
            from += 1;
        }
        to += axis->shrink ? 0u : 1u;
    }
    return element_of(f, 0, index, value);
}

/* Without batch axes: [before the axis, index axes, behind it]. */
static bool moved_gather(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t out[BERTH_RANK_MAX] = {0};
    int64_t index[BERTH_RANK_MAX] = {0};
    const uint32_t axis = from_front(
        infer_option(f->in, BERTH_OPT_GatherOptions_axis), f->dims[0].rank);
    if (infer_option(f->in, BERTH_OPT_GatherOptions_batch_dims) != 0) {
        return false;
    }
    berth_fold_unravel(&f->out, o, out);
    const int64_t picked = berth_values_at(
        &f->values[1], berth_fold_ravel(&f->dims[1], out + axis));
    for (uint32_t i = 0; i < f->dims[0].rank; ++i) {
        index[i] = i < axis   ? out[i]
                   : i > axis ? out[i - 1 + f->dims[1].rank]
                              : picked;
    }
    return picked >= 0 && picked < f->dims[0].at[axis] &&
           element_of(f, 0, index, value);
}

static bool moved_tile(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    berth_fold_unravel(&f->out, o, index);
    for (uint32_t i = 0; i < f->dims[0].rank; ++i) {
        index[i] %= f->dims[0].at[i] > 0 ? f->dims[0].at[i] : 1;
    }
    return element_of(f, 0, index, value);
}

static bool moved_transpose(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t out[BERTH_RANK_MAX] = {0};
    int64_t index[BERTH_RANK_MAX] = {0};
    berth_fold_unravel(&f->out, o, out);
    for (uint32_t i = 0; i < f->out.rank; ++i) {
        const int64_t axis = berth_values_at(&f->values[1], i);
        index[from_front(axis, f->out.rank)] = out[i];
    }
    return element_of(f, 0, index, value);
}

static bool moved_reverse(struct folding *f, uint64_t o, int64_t *value)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    berth_fold_unravel(&f->out, o, index);
    for (uint64_t i = 0; i < f->values[1].count; ++i) {
        const int64_t axis = berth_values_at(&f->values[1], i);
        if (axis < -(int64_t)f->out.rank || axis >= f->out.rank) {
            return false;
        }
        const uint32_t d = from_front(axis, f->out.rank);
        index[d] = f->out.at[d] - 1 - index[d];
    }
    return element_of(f, 0, index, value);
}

static const fold_fn moves[BERTH_OP_CODE_COUNT] = {
    [BERTH_OP_RESHAPE] = moved_same,
    [BERTH_OP_SQUEEZE] = moved_same,
    [BERTH_OP_EXPAND_DIMS] = moved_same,
    [BERTH_OP_CAST] = moved_cast,
    [BERTH_OP_ZEROS_LIKE] = moved_zero,
    [BERTH_OP_SHAPE] = moved_shape,
    [BERTH_OP_RANK] = moved_rank,
    [BERTH_OP_FILL] = moved_fill,
    [BERTH_OP_RANGE] = moved_range,
    [BERTH_OP_BROADCAST_ARGS] = moved_broadcast_args,
    [BERTH_OP_BROADCAST_TO] = moved_broadcast_to,
    [BERTH_OP_CONCATENATION] = moved_concatenation,
    [BERTH_OP_PACK] = moved_pack,
    [BERTH_OP_UNPACK] = moved_unpack,
    [BERTH_OP_SPLIT] = moved_split,
    [BERTH_OP_SPLIT_V] = moved_split_v,
    [BERTH_OP_SLICE] = moved_slice,
    [BERTH_OP_STRIDED_SLICE] = moved_slice,
    [BERTH_OP_GATHER] = moved_gather,
    [BERTH_OP_TILE] = moved_tile,
    [BERTH_OP_TRANSPOSE] = moved_transpose,
    [BERTH_OP_REVERSE_V2] = moved_reverse,
};

fold_fn berth_fold_move_of(uint32_t code)
{
    return code < BERTH_OP_CODE_COUNT ? moves[code] : NULL;
}

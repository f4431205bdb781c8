/* core/shape/fold.c: values of small whole-number tensors, known before the
 * model runs. They are what shapes are made of: SHAPE, STRIDED_SLICE, PACK,
 * and whatever a converter put between them.
 *
 * A value is kept only if every element of it is known and fits the type. */
#include "fold_int.h"

void berth_fold_unravel(const struct dims *dims, uint64_t flat, int64_t *index)
{
    for (uint32_t i = dims->rank; i > 0; --i) {
        const uint64_t dim =
            dims->at[i - 1] > 0 ? (uint64_t)dims->at[i - 1] : 1;
        index[i - 1] = (int64_t)(flat % dim);
        flat /= dim;
    }
}

uint64_t berth_fold_ravel(const struct dims *dims, const int64_t *index)
{
    uint64_t flat = 0;
    for (uint32_t i = 0; i < dims->rank; ++i) {
        flat = flat * (uint64_t)dims->at[i] + (uint64_t)index[i];
    }
    return flat;
}

int64_t berth_fold_broadcast(const struct folding *f, uint32_t i, uint64_t o)
{
    int64_t index[BERTH_RANK_MAX] = {0};
    const struct dims *dims = &f->dims[i];
    const uint32_t shift = f->out.rank - dims->rank;
    uint64_t flat = 0;
    berth_fold_unravel(&f->out, o, index);
    for (uint32_t d = 0; d < dims->rank; ++d) {
        const int64_t at = dims->at[d] == 1 ? 0 : index[shift + d];
        flat = flat * (uint64_t)dims->at[d] + (uint64_t)at;
    }
    return berth_values_at(&f->values[i], flat);
}

static bool fits_type(int64_t value, berth_type type)
{
    switch (type) {
    case BERTH_INT32:
        return value >= INT32_MIN && value <= INT32_MAX;
    case BERTH_BOOL:
        return value == 0 || value == 1;
    default:
        return type == BERTH_INT64;
    }
}

/* SHAPE and RANK know their operand's shape, ZEROS_LIKE needs nothing; the
 * others need all their operands' values. */
static bool operands_known(struct folding *f)
{
    const struct infer *in = f->in;
    const bool by_shape = in->code == BERTH_OP_SHAPE ||
                          in->code == BERTH_OP_RANK ||
                          in->code == BERTH_OP_ZEROS_LIKE;
    for (uint32_t i = 0; i < in->input_count; ++i) {
        struct values values = {0};
        struct dims dims = {0};
        if (!berth_infer_has(in, i) ||
            !berth_tensor_dims(in->all, in->inputs[i], &dims)) {
            return false;
        }
        if (!berth_tensor_values(in->all, in->inputs[i], &values) &&
            !by_shape) {
            return false;
        }
        if (i < 3) {
            f->dims[i] = dims;
            f->values[i] = values;
        }
    }
    return true;
}

static void fold_output(struct folding *f, fold_fn function)
{
    struct shaping *all = f->in->all;
    const uint32_t tensor = f->in->outputs[f->k];
    const berth_type type = (berth_type)all->graph->tensors[tensor].type;
    int64_t found[BERTH_FOLD_MAX];
    uint64_t count = 0;
    if (!fits_type(0, type) || !berth_tensor_dims(all, tensor, &f->out) ||
        !berth_dims_elements(&f->out, &count) || count > BERTH_FOLD_MAX) {
        return;
    }
    for (uint64_t o = 0; o < count; ++o) {
        found[o] = 0;
        if (!function(f, o, &found[o]) || !fits_type(found[o], type)) {
            return;
        }
    }
    int64_t *kept = berth_tensor_fold(all, tensor, count);
    for (uint64_t o = 0; kept != NULL && o < count; ++o) {
        kept[o] = found[o];
    }
}

static bool is_slice(uint32_t code)
{
    return code == BERTH_OP_SLICE || code == BERTH_OP_STRIDED_SLICE;
}

void berth_fold(struct infer *in)
{
    struct folding *f = in->all->folding;
    fold_fn function = berth_fold_move_of(in->code);
    if (function == NULL) {
        function = berth_fold_math_of(in->code);
    }
    if (function == NULL || in->verdict != VERDICT_FITS) {
        return;
    }
    *f = (struct folding){.in = in};
    if (!operands_known(f) ||
        (is_slice(in->code) && !berth_slice_plan(in, &f->slice))) {
        return;
    }
    for (; f->k < in->output_count && f->k < in->answered; ++f->k) {
        if (in->outputs[f->k] == BERTH_NONE) {
            continue;
        }
        fold_output(f, function);
        if (in->code == BERTH_OP_SPLIT_V) {
            const int64_t size = berth_values_at(&f->values[1], f->k);
            f->from += size < 0 ? INT32_MAX : size; /* -1: only if the last */
        }
    }
}

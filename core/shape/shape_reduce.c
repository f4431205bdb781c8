/* core/shape/shape_reduce.c: an axis, or several, become one element. */
#include "shape_int.h"

/* Operand 1 names one axis. */
void berth_shape_arg_extreme(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const int64_t axis = berth_infer_scalar(in, 1);
    berth_dims_erase(&dims, berth_infer_axis(in, axis, dims.rank));
    berth_infer_out(in, 0, &dims);
}

/* Operand 1 names axes, twice or backwards if it likes. */
void berth_shape_reduce(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const struct values axes = berth_infer_values(in, 1);
    const bool keep = infer_option(in, BERTH_OPT_ReducerOptions_keep_dims) != 0;
    uint32_t gone = 0;
    infer_need(in, axes.count <= BERTH_FOLD_MAX);
    for (uint64_t i = 0; i < axes.count && i < BERTH_FOLD_MAX; ++i) {
        const int64_t axis = berth_infer_int(in, &axes, i);
        gone |= 1u << berth_infer_axis(in, axis, dims.rank);
    }
    for (uint32_t i = dims.rank; i > 0; --i) {
        if ((gone >> (i - 1) & 1u) != 0 && keep) {
            dims.at[i - 1] = 1;
        } else if ((gone >> (i - 1) & 1u) != 0) {
            berth_dims_erase(&dims, i - 1);
        }
    }
    berth_infer_out(in, 0, &dims);
}

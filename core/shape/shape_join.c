/* core/shape/shape_join.c: several tensors into one along an axis, and one into
 * several. */
#include "shape_int.h"

void berth_shape_concatenation(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const int64_t wanted =
        infer_option(in, BERTH_OPT_ConcatenationOptions_axis);
    if (in->verdict == VERDICT_FITS && out.rank == 0 && wanted == 0) {
        /* Scalars become a vector (of constants, in LiteRT). */
        berth_dims_insert(in, &out, 0, in->input_count);
        berth_infer_out(in, 0, &out);
        return;
    }
    const uint32_t axis = berth_infer_axis(in, wanted, out.rank);
    for (uint32_t i = 1; i < in->input_count; ++i) {
        const struct dims dims = berth_infer_dims(in, i);
        infer_need(in, dims.rank == out.rank);
        for (uint32_t d = 0; d < out.rank; ++d) {
            infer_need(in, d == axis || dims.at[d] == out.at[d]);
        }
        if (in->verdict != VERDICT_FITS) {
            return;
        }
        out.at[axis] += dims.at[axis];
    }
    berth_infer_out(in, 0, &out);
}

void berth_shape_pack(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const uint32_t axis = berth_infer_axis(
        in, infer_option(in, BERTH_OPT_PackOptions_axis), out.rank + 1);
    for (uint32_t i = 1; i < in->input_count; ++i) {
        const struct dims dims = berth_infer_dims(in, i);
        infer_need(in, berth_dims_equal(&dims, &out));
    }
    berth_dims_insert(in, &out, axis, in->input_count);
    berth_infer_out(in, 0, &out);
}

void berth_shape_unpack(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const uint32_t axis = berth_infer_axis(
        in, infer_option(in, BERTH_OPT_UnpackOptions_axis), out.rank);
    infer_need(in, out.at[axis] == in->output_count);
    berth_dims_erase(&out, axis);
    for (uint32_t k = 0; k < in->output_count; ++k) {
        berth_infer_out(in, k, &out);
    }
}

/* Operands: axis, then what is split. */
void berth_shape_split(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 1);
    const uint32_t axis =
        berth_infer_axis(in, berth_infer_scalar(in, 0), out.rank);
    infer_need(in,
               in->output_count > 0 && out.at[axis] % in->output_count == 0);
    if (in->verdict == VERDICT_FITS) {
        out.at[axis] /= in->output_count;
    }
    for (uint32_t k = 0; k < in->output_count; ++k) {
        berth_infer_out(in, k, &out);
    }
}

/* Operands: what is split, sizes (one may be -1: the rest), axis. */
void berth_shape_split_v(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values sizes = berth_infer_values(in, 1);
    const uint32_t axis =
        berth_infer_axis(in, berth_infer_scalar(in, 2), out.rank);
    const int64_t whole = out.at[axis];
    int64_t rest = whole;
    uint32_t open = 0;
    infer_need(in, sizes.count == in->output_count);
    for (uint32_t k = 0; k < in->output_count; ++k) {
        const int64_t size = berth_infer_int(in, &sizes, k);
        open += size == -1 ? 1u : 0u;
        rest -= size == -1 ? 0 : size;
        if (in->verdict != VERDICT_FITS || rest < -(1ll << 40)) {
            berth_infer_refuse(in);
            return;
        }
    }
    infer_need(in, open == 0 ? rest == 0 : open == 1 && rest >= 0);
    for (uint32_t k = 0; k < in->output_count; ++k) {
        const int64_t size = berth_infer_int(in, &sizes, k);
        out.at[axis] = size == -1 ? rest : size;
        berth_infer_out(in, k, &out);
    }
}

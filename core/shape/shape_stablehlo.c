/* core/shape/shape_stablehlo.c: the operators of StableHLO's kind, whose
 * options are vectors of int64, and their cousins with operands instead. */
#include "shape_int.h"

/* A vector of int64 among the options. */
static struct values option_values(const struct infer *in, berth_option field)
{
    const berth_bytes bytes = berth_option_bytes(&in->info, field);
    return (struct values){
        .file = bytes.data, .count = bytes.size / 8u, .type = BERTH_INT64};
}

void berth_shape_dilate(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values times = berth_infer_values(in, 1);
    infer_need(in, out.rank > 0 && times.count == out.rank);
    for (uint32_t i = 0; i < out.rank; ++i) {
        const int64_t by = berth_infer_int(in, &times, i);
        infer_need(in, by >= 1);
        out.at[i] = (out.at[i] - 1) * by + 1;
    }
    berth_infer_out(in, 0, &out);
}

/* How often a window fits; never less than not at all. */
static int64_t fits_in(struct infer *in, int64_t length, int64_t window,
                       int64_t dilation, int64_t stride)
{
    if (window <= 0 || dilation <= 0 || stride <= 0) {
        berth_infer_refuse(in);
        return 0;
    }
    const int64_t reach = (window - 1) * dilation + 1;
    return length < reach ? 0 : (length - reach) / stride + 1;
}

/* Operands: input, start value, window, strides, dilations. */
void berth_shape_reduce_window(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values window = berth_infer_values(in, 2);
    const struct values stride = berth_infer_values(in, 3);
    const struct values dilation = berth_infer_values(in, 4);
    for (uint32_t i = 0; i < out.rank; ++i) {
        out.at[i] = fits_in(in, out.at[i], berth_infer_int(in, &window, i),
                            berth_infer_int(in, &dilation, i),
                            berth_infer_int(in, &stride, i));
    }
    berth_infer_out(in, 0, &out);
}

/* An option that is absent stands for `otherwise` on every axis. */
static int64_t option_or(struct infer *in, const struct values *values,
                         uint64_t i, int64_t otherwise)
{
    return values->count == 0 ? otherwise : berth_infer_int(in, values, i);
}

void berth_shape_stablehlo_reduce_window(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values window = option_values(
        in, BERTH_OPT_StablehloReduceWindowOptions_window_dimensions);
    const struct values stride = option_values(
        in, BERTH_OPT_StablehloReduceWindowOptions_window_strides);
    const struct values base = option_values(
        in, BERTH_OPT_StablehloReduceWindowOptions_base_dilations);
    const struct values dilation = option_values(
        in, BERTH_OPT_StablehloReduceWindowOptions_window_dilations);
    const struct values rim =
        option_values(in, BERTH_OPT_StablehloReduceWindowOptions_padding);
    for (uint32_t i = 0; i < out.rank; ++i) {
        const int64_t by = option_or(in, &base, i, 1);
        const int64_t before = option_or(in, &rim, 2ull * i, 0);
        const int64_t after = option_or(in, &rim, 2ull * i + 1, 0);
        infer_need(in, by >= 1);
        out.at[i] = fits_in(in, (out.at[i] - 1) * by + 1 + before + after,
                            berth_infer_int(in, &window, i),
                            option_or(in, &dilation, i, 1),
                            option_or(in, &stride, i, 1));
    }
    for (uint32_t k = 0; k < in->output_count; ++k) {
        berth_infer_out(in, k, &out);
    }
}

/* A rim, negative for a cut, and gaps between the elements. One axis without
 * elements leaves none on any (as LiteRT has it). */
void berth_shape_stablehlo_pad(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values low =
        option_values(in, BERTH_OPT_StablehloPadOptions_edge_padding_low);
    const struct values high =
        option_values(in, BERTH_OPT_StablehloPadOptions_edge_padding_high);
    const struct values gap =
        option_values(in, BERTH_OPT_StablehloPadOptions_interior_padding);
    bool empty = false;
    infer_need(in, out.rank > 0);
    for (uint32_t i = 0; i < out.rank; ++i) {
        const int64_t gaps = out.at[i] > 0 ? out.at[i] - 1 : 0;
        const int64_t between = berth_infer_int(in, &gap, i);
        infer_need(in, between >= 0);
        out.at[i] += gaps * between + berth_infer_int(in, &low, i) +
                     berth_infer_int(in, &high, i);
        empty = empty || out.at[i] <= 0;
    }
    for (uint32_t i = 0; empty && i < out.rank; ++i) {
        out.at[i] = 0;
    }
    berth_infer_out(in, 0, &out);
}

static bool contains(const struct values *values, int64_t wanted)
{
    for (uint64_t i = 0; i < values->count && i < BERTH_FOLD_MAX; ++i) {
        if (berth_values_at(values, i) == wanted) {
            return true;
        }
    }
    return false;
}

/* The axes of a slice that are not collapsed, in order. */
static struct dims kept_slice(struct infer *in)
{
    const struct values sizes =
        option_values(in, BERTH_OPT_StablehloGatherOptions_slice_sizes);
    const struct values collapsed = option_values(
        in, BERTH_OPT_StablehloGatherOptions_collapsed_slice_dims);
    struct dims slice = {0};
    infer_need(in, sizes.count <= BERTH_RANK_MAX);
    for (uint32_t i = 0; i < sizes.count && i < BERTH_RANK_MAX; ++i) {
        if (!contains(&collapsed, i)) {
            berth_dims_insert(in, &slice, slice.rank,
                              berth_infer_int(in, &sizes, i));
        }
    }
    return slice;
}

/* Offset axes come from the slice, the others from the start indices, less the
 * axis that holds an index vector. */
void berth_shape_stablehlo_gather(struct infer *in)
{
    const struct dims starts = berth_infer_dims(in, 1);
    const struct dims slice = kept_slice(in);
    const struct values offsets =
        option_values(in, BERTH_OPT_StablehloGatherOptions_offset_dims);
    const int64_t vector =
        infer_option(in, BERTH_OPT_StablehloGatherOptions_index_vector_dim);
    struct dims batch = starts;
    struct dims out = {0};
    uint32_t from_slice = 0;
    uint32_t from_batch = 0;
    infer_need(in, vector >= 0 && vector <= starts.rank);
    infer_need(in, offsets.count == slice.rank);
    if (in->verdict != VERDICT_FITS) {
        return;
    }
    berth_dims_erase(&batch, (uint32_t)vector);
    infer_need(in, batch.rank + slice.rank <= BERTH_RANK_MAX);
    for (uint32_t i = 0; i < batch.rank + slice.rank; ++i) {
        if (from_slice < slice.rank && contains(&offsets, i)) {
            berth_dims_insert(in, &out, out.rank, slice.at[from_slice]);
            from_slice += 1;
        } else {
            infer_need(in, from_batch < batch.rank);
            berth_dims_insert(in, &out, out.rank,
                              from_batch < batch.rank ? batch.at[from_batch]
                                                      : 0);
            from_batch += 1;
        }
    }
    berth_infer_out(in, 0, &out);
}

/* State goes in and comes out; how many numbers is the file's word. */
void berth_shape_rng_bit_generator(struct infer *in)
{
    const struct dims state = berth_infer_dims(in, 0);
    berth_infer_out(in, 0, &state);
    berth_infer_out_kept(in, 1);
}

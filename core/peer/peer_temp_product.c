/* Temporaries of LiteRT's convolutions and matrix products: column matrices,
 * and what quantises float inputs for integer weights. */
#include "peer/peer_temp.h"

#include <string.h>

/* --- convolutions -------------------------------------------------------- */

static bool wants_columns(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    const berth_operator *info = &t->info;
    return berth_option_int(info, BERTH_OPT_Conv2DOptions_stride_w) != 1 ||
           berth_option_int(info, BERTH_OPT_Conv2DOptions_stride_h) != 1 ||
           berth_option_int(info, BERTH_OPT_Conv2DOptions_dilation_w_factor) !=
               1 ||
           berth_option_int(info, BERTH_OPT_Conv2DOptions_dilation_h_factor) !=
               1 ||
           dim_of(t, filter, 1) != 1 || dim_of(t, filter, 2) != 1;
}

/* A row of a filter's size for each output pixel, in the type of the input,
 * or of integer weights. */
static uint64_t columns(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    const uint32_t output = output_of(t);
    const uint64_t pixels =
        times(batch(t), times(dim_of(t, output, 1), dim_of(t, output, 2)));
    const uint64_t depth =
        times(times(dim_of(t, filter, 1), dim_of(t, filter, 2)),
              dim_of(t, filter, 3));
    return times(times(pixels, depth),
                 is_hybrid(t) ? 1u : element_bits(t, input_of(t, 0)) / 8u);
}

/* Filters of CONV_3D: depth, height, width, input channels, output channels. */
static bool wants_columns_3d(const temp_op *t)
{
    static const berth_option unit[] = {
        BERTH_OPT_Conv3DOptions_stride_d,
        BERTH_OPT_Conv3DOptions_stride_h,
        BERTH_OPT_Conv3DOptions_stride_w,
        BERTH_OPT_Conv3DOptions_dilation_d_factor,
        BERTH_OPT_Conv3DOptions_dilation_h_factor,
        BERTH_OPT_Conv3DOptions_dilation_w_factor};
    for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); ++i) {
        if (berth_option_int(&t->info, unit[i]) != 1) {
            return true;
        }
    }
    const uint32_t filter = input_of(t, 1);
    return dim_of(t, filter, 0) != 1 || dim_of(t, filter, 1) != 1 ||
           dim_of(t, filter, 2) != 1;
}

static uint64_t columns_3d(const temp_op *t)
{
    uint64_t count = batch(t);
    for (uint32_t axis = 1; axis < 4; ++axis) {
        count = times(count, dim_of(t, output_of(t), axis));
    }
    for (uint32_t axis = 0; axis < 4; ++axis) {
        count = times(count, dim_of(t, input_of(t, 1), axis));
    }
    return times(count, element_bits(t, input_of(t, 0)) / 8u);
}

/* TRANSPOSE_CONV: shape, weights, input. */
static bool is_hybrid_transposed(const temp_op *t)
{
    return has_type(t, input_of(t, 2), BERTH_FLOAT32) &&
           has_type(t, input_of(t, 1), BERTH_INT8);
}

static uint64_t transposed_elements(const temp_op *t)
{
    return elements_of(t, input_of(t, 2));
}

static uint64_t transposed_pixels(const temp_op *t)
{
    const uint64_t channels = dim_of(t, input_of(t, 1), 3);
    return channels == 0 ? 0 : transposed_elements(t) / channels;
}

/* One for each pixel of the input and each group of channels. */
static uint64_t pixel_groups(const temp_op *t)
{
    const uint32_t input = input_of(t, 0);
    const uint64_t depth = dim_of(t, input_of(t, 1), 3);
    const uint64_t groups = depth == 0 ? 0 : dim_of(t, input, 3) / depth;
    return times(times(batch(t), groups),
                 times(dim_of(t, input, 1), dim_of(t, input, 2)));
}

static uint64_t filters_by_pixels(const temp_op *t)
{
    const uint32_t output = output_of(t);
    return times(
        dim_of(t, input_of(t, 1), 0),
        times(batch(t), times(dim_of(t, output, 1), dim_of(t, output, 2))));
}

/* Several scales that are not all the same. */
static bool is_hybrid_by_channel(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    const berth_graph *graph = t->peer->graph;
    if (!is_hybrid(t) || has_type(t, filter, BERTH_UINT8)) {
        return false;
    }
    const uint32_t subgraph = graph->tensors[filter].subgraph;
    const berth_quantization q = berth_model_quantization(
        graph->model, subgraph, filter - graph->tensor_base[subgraph]);
    for (uint32_t i = 1; i < q.scale_count; ++i) {
        if (memcmp(q.scales, q.scales + (size_t)4 * i, 4) != 0) {
            return true;
        }
    }
    return false;
}

/* --- matrix products ------------------------------------------------------ */

static uint64_t full_batch(const temp_op *t)
{
    const uint64_t depth = dim_of(t, input_of(t, 1), 1);
    return depth == 0 ? 0 : input_elements(t) / depth;
}

static uint64_t full_accumulators(const temp_op *t)
{
    return times(dim_of(t, input_of(t, 1), 0), full_batch(t));
}

/* Constant int4 weights have kernels of their own: filters in fours, depth in
 * blocks of 32, rows of the input in ones, as without AVX-512 and NEON. */
static bool is_hybrid_int4(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    return is_hybrid(t) && has_type(t, filter, BERTH_INT4) &&
           is_fixed(t, filter) && full_batch(t) > 0 &&
           dim_of(t, filter, 0) >= 4 && dim_of(t, filter, 1) >= 32 &&
           dim_of(t, filter, 1) % 2 == 0;
}

static bool is_hybrid_int8(const temp_op *t)
{
    return is_hybrid(t) && !is_hybrid_int4(t);
}

static uint64_t int4_rows(const temp_op *t)
{
    uint64_t rows = full_batch(t);
    const uint64_t width = rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    return (rows + width - 1) & ~(width - 1);
}

static uint64_t int4_input(const temp_op *t)
{
    return times(int4_rows(t),
                 (dim_of(t, input_of(t, 1), 1) + 31) & ~UINT64_C(31));
}

static uint64_t int4_accumulators(const temp_op *t)
{
    return times(int4_rows(t),
                 (dim_of(t, input_of(t, 1), 0) + 3) & ~UINT64_C(3));
}

/* Transposed once and kept only if the file has it: what another operator
 * decodes or computes is transposed each time. */
static bool right_is_constant(const temp_op *t)
{
    const uint32_t right = input_of(t, 1);
    return right != BERTH_NONE &&
           t->peer->memory[right] == BERTH_LITERT_CONSTANT;
}

static bool right_varies(const temp_op *t)
{
    return !right_is_constant(t);
}

static uint64_t right_bytes(const temp_op *t)
{
    const uint32_t right = input_of(t, 1);
    return right == BERTH_NONE ? 0 : t->peer->of[right].bytes;
}

static bool is_hybrid_product(const temp_op *t)
{
    return has_type(t, input_of(t, 0), BERTH_FLOAT32) &&
           has_type(t, input_of(t, 1), BERTH_INT8);
}

/* The rows of one matrix, and of all of them. */
static uint64_t left_rows(const temp_op *t)
{
    const uint32_t left = input_of(t, 0);
    const uint32_t rank = rank_of(t, left);
    const bool adjoint =
        berth_option_int(&t->info, BERTH_OPT_BatchMatMulOptions_adj_x) != 0;
    return rank < 2 ? 1 : dim_of(t, left, rank - (adjoint ? 1u : 2u));
}

static uint64_t all_left_rows(const temp_op *t)
{
    const uint32_t left = input_of(t, 0);
    uint64_t rows = left_rows(t);
    for (uint32_t i = 0; i + 2 < rank_of(t, left); ++i) {
        rows = times(rows, dim_of(t, left, i));
    }
    return rows;
}

static uint64_t product_accumulators(const temp_op *t)
{
    const uint32_t right = input_of(t, 1);
    const uint32_t rank = rank_of(t, right);
    const bool adjoint =
        berth_option_int(&t->info, BERTH_OPT_BatchMatMulOptions_adj_y) != 0;
    return times(left_rows(t),
                 rank < 2 ? 1 : dim_of(t, right, rank - (adjoint ? 2u : 1u)));
}

static uint64_t right_units(const temp_op *t)
{
    const uint32_t right = input_of(t, 1);
    const uint32_t rank = rank_of(t, right);
    const bool adjoint =
        berth_option_int(&t->info, BERTH_OPT_BatchMatMulOptions_adj_y) != 0;
    uint64_t units =
        rank < 2 ? 1 : dim_of(t, right, rank - (adjoint ? 2u : 1u));
    for (uint32_t i = 0; i + 2 < rank; ++i) {
        units = times(units, dim_of(t, right, i));
    }
    return units;
}

static uint64_t filters(const temp_op *t)
{
    return dim_of(t, input_of(t, 1), 0);
}

/* clang-format off */
static const temp_row product_rows[] = {
    ROW(CONV_2D, wants_columns, 1, columns)
    ROW(CONV_2D, is_hybrid, 1, input_elements)
    ROW(CONV_2D, is_hybrid, 4, pixel_groups)
    ROW(CONV_2D, is_hybrid, 4, filters_by_pixels)
    ROW(CONV_2D, is_hybrid_by_channel, 4, pixel_groups)
    KEPT(CONV_2D, is_hybrid_by_channel, 4, filters)
    ROW(CONV_3D, wants_columns_3d, 1, columns_3d)
    ROW(TRANSPOSE_CONV, is_hybrid_transposed, 1, transposed_elements)
    ROW(TRANSPOSE_CONV, is_hybrid_transposed, 4, transposed_pixels)
    ROW(TRANSPOSE_CONV, is_hybrid_transposed, 4, transposed_pixels)
    ROW(DEPTHWISE_CONV_2D, is_hybrid, 1, input_elements)
    ROW(DEPTHWISE_CONV_2D, is_hybrid, 4, batch)
    ROW(DEPTHWISE_CONV_2D, is_hybrid, 4, batch)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 1, input_elements)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 4, full_batch)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 4, full_accumulators)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 4, full_batch)
    KEPT(FULLY_CONNECTED, is_hybrid_int8, 4, filters)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 1, int4_input)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 4, int4_rows)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 4, int4_accumulators)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 4, int4_rows)
    ROW(BATCH_MATMUL, NULL, 1, left_bytes)
    ROW(BATCH_MATMUL, right_varies, 1, right_bytes)
    KEPT(BATCH_MATMUL, right_is_constant, 1, right_bytes)
    ROW(BATCH_MATMUL, is_hybrid_product, 1, input_elements)
    ROW(BATCH_MATMUL, is_hybrid_product, 4, all_left_rows)
    ROW(BATCH_MATMUL, is_hybrid_product, 4, product_accumulators)
    ROW(BATCH_MATMUL, is_hybrid_product, 4, all_left_rows)
    KEPT(BATCH_MATMUL, is_hybrid_product, 4, right_units)
};
/* clang-format on */

const temp_table peer_temp_products = {
    product_rows, sizeof(product_rows) / sizeof(product_rows[0])};

/* core/shape/shape_window.c: windows that move over an image or a volume, and
 * blocks that trade space for depth or batch. */
#include "shape_int.h"

enum { PADDING_SAME = 0 };

/* What one axis of a window needs. */
struct window {
    int64_t size;
    int64_t stride;
    int64_t dilation;
    bool same; /* padding */
};

static int64_t window_count(struct infer *in, int64_t image, struct window w)
{
    const bool sane = w.size > 0 && w.stride > 0 && w.dilation > 0;
    infer_need(in, sane);
    if (!sane) {
        return 0;
    }
    if (w.same) {
        return (image + w.stride - 1) / w.stride;
    }
    /* May come out below 0, which no shape takes. */
    return (image + w.stride - ((w.size - 1) * w.dilation + 1)) / w.stride;
}

void berth_shape_conv_2d(struct infer *in)
{
    const struct dims image = berth_infer_ranked(in, 0, 4);
    const struct dims filter = berth_infer_ranked(in, 1, 4);
    const bool same =
        infer_option(in, BERTH_OPT_Conv2DOptions_padding) == PADDING_SAME;
    const struct window h = {
        filter.at[1], infer_option(in, BERTH_OPT_Conv2DOptions_stride_h),
        infer_option(in, BERTH_OPT_Conv2DOptions_dilation_h_factor), same};
    const struct window w = {
        filter.at[2], infer_option(in, BERTH_OPT_Conv2DOptions_stride_w),
        infer_option(in, BERTH_OPT_Conv2DOptions_dilation_w_factor), same};
    const int64_t out[] = {image.at[0], window_count(in, image.at[1], h),
                           window_count(in, image.at[2], w), filter.at[0]};
    const struct dims dims = berth_dims_of(4, out);
    /* Groups: the image's channels are a multiple of the filter's. */
    infer_need(in, filter.at[3] > 0 && image.at[3] % filter.at[3] == 0);
    berth_infer_out(in, 0, &dims);
}

void berth_shape_depthwise_conv_2d(struct infer *in)
{
    const struct dims image = berth_infer_ranked(in, 0, 4);
    const struct dims filter = berth_infer_ranked(in, 1, 4);
    const bool same =
        infer_option(in, BERTH_OPT_DepthwiseConv2DOptions_padding) ==
        PADDING_SAME;
    const struct window h = {
        filter.at[1],
        infer_option(in, BERTH_OPT_DepthwiseConv2DOptions_stride_h),
        infer_option(in, BERTH_OPT_DepthwiseConv2DOptions_dilation_h_factor),
        same};
    const struct window w = {
        filter.at[2],
        infer_option(in, BERTH_OPT_DepthwiseConv2DOptions_stride_w),
        infer_option(in, BERTH_OPT_DepthwiseConv2DOptions_dilation_w_factor),
        same};
    const int64_t out[] = {image.at[0], window_count(in, image.at[1], h),
                           window_count(in, image.at[2], w), filter.at[3]};
    const struct dims dims = berth_dims_of(4, out);
    infer_need(in, filter.at[0] == 1 && image.at[3] > 0 &&
                       filter.at[3] % image.at[3] == 0);
    berth_infer_out(in, 0, &dims);
}

void berth_shape_conv_3d(struct infer *in)
{
    const struct dims image = berth_infer_ranked(in, 0, 5);
    const struct dims filter = berth_infer_ranked(in, 1, 5);
    const bool same =
        infer_option(in, BERTH_OPT_Conv3DOptions_padding) == PADDING_SAME;
    const struct window d = {
        filter.at[0], infer_option(in, BERTH_OPT_Conv3DOptions_stride_d),
        infer_option(in, BERTH_OPT_Conv3DOptions_dilation_d_factor), same};
    const struct window h = {
        filter.at[1], infer_option(in, BERTH_OPT_Conv3DOptions_stride_h),
        infer_option(in, BERTH_OPT_Conv3DOptions_dilation_h_factor), same};
    const struct window w = {
        filter.at[2], infer_option(in, BERTH_OPT_Conv3DOptions_stride_w),
        infer_option(in, BERTH_OPT_Conv3DOptions_dilation_w_factor), same};
    const int64_t out[] = {image.at[0], window_count(in, image.at[1], d),
                           window_count(in, image.at[2], h),
                           window_count(in, image.at[3], w), filter.at[4]};
    const struct dims dims = berth_dims_of(5, out);
    infer_need(in, image.at[4] == filter.at[3]);
    berth_infer_out(in, 0, &dims);
}

/* The output's shape is an operand's value. */
static struct dims shape_by_value(struct infer *in, uint32_t operand,
                                  uint32_t rank)
{
    const struct values values = berth_infer_values(in, operand);
    struct dims dims = {.rank = rank};
    infer_need(in, values.count == rank);
    for (uint32_t i = 0; i < rank; ++i) {
        dims.at[i] = berth_infer_int(in, &values, i);
    }
    return dims;
}

void berth_shape_transpose_conv(struct infer *in)
{
    const struct dims out = shape_by_value(in, 0, 4);
    const struct dims filter = berth_infer_ranked(in, 1, 4);
    const struct dims image = berth_infer_ranked(in, 2, 4);
    infer_need(in, image.at[3] == filter.at[3]);
    berth_infer_out(in, 0, &out);
}

void berth_shape_conv_3d_transpose(struct infer *in)
{
    const struct dims out = shape_by_value(in, 0, 5);
    const struct dims filter = berth_infer_ranked(in, 1, 5);
    const struct dims image = berth_infer_ranked(in, 2, 5);
    infer_need(in, image.at[4] == filter.at[4]);
    berth_infer_out(in, 0, &out);
}

void berth_shape_pool_2d(struct infer *in)
{
    const struct dims image = berth_infer_ranked(in, 0, 4);
    const bool same =
        infer_option(in, BERTH_OPT_Pool2DOptions_padding) == PADDING_SAME;
    const struct window h = {
        infer_option(in, BERTH_OPT_Pool2DOptions_filter_height),
        infer_option(in, BERTH_OPT_Pool2DOptions_stride_h), 1, same};
    const struct window w = {
        infer_option(in, BERTH_OPT_Pool2DOptions_filter_width),
        infer_option(in, BERTH_OPT_Pool2DOptions_stride_w), 1, same};
    const int64_t out[] = {image.at[0], window_count(in, image.at[1], h),
                           window_count(in, image.at[2], w), image.at[3]};
    const struct dims dims = berth_dims_of(4, out);
    berth_infer_out(in, 0, &dims);
}

void berth_shape_resize(struct infer *in)
{
    struct dims out = berth_infer_ranked(in, 0, 4);
    const struct values size = berth_infer_values(in, 1);
    infer_need(in, size.count == 2);
    out.at[1] = berth_infer_int(in, &size, 0);
    out.at[2] = berth_infer_int(in, &size, 1);
    infer_need(in, out.at[1] > 0 && out.at[2] > 0);
    berth_infer_out(in, 0, &out);
}

/* Block sizes are squared below: this bound keeps that in an int64_t. */
static int64_t block_size(struct infer *in, berth_option field)
{
    const int64_t block = infer_option(in, field);
    const bool fits = block > 0 && block <= 1 << 15;
    infer_need(in, fits);
    return fits ? block : 1;
}

void berth_shape_space_to_depth(struct infer *in)
{
    const struct dims image = berth_infer_ranked(in, 0, 4);
    const int64_t b = block_size(in, BERTH_OPT_SpaceToDepthOptions_block_size);
    const int64_t out[] = {image.at[0], image.at[1] / b, image.at[2] / b,
                           image.at[3] * b * b};
    const struct dims dims = berth_dims_of(4, out);
    infer_need(in, image.at[1] % b == 0 && image.at[2] % b == 0);
    berth_infer_out(in, 0, &dims);
}

void berth_shape_depth_to_space(struct infer *in)
{
    const struct dims image = berth_infer_ranked(in, 0, 4);
    const int64_t b = block_size(in, BERTH_OPT_DepthToSpaceOptions_block_size);
    const int64_t out[] = {image.at[0], image.at[1] * b, image.at[2] * b,
                           image.at[3] / (b * b)};
    const struct dims dims = berth_dims_of(4, out);
    infer_need(in, image.at[3] % (b * b) == 0);
    berth_infer_out(in, 0, &dims);
}

/* [batch, spatial..., rest] with a block size for each spatial axis. */
void berth_shape_space_to_batch(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values block = berth_infer_values(in, 1);
    const struct values padding = berth_infer_values(in, 2);
    infer_need(in, out.rank == 3 || out.rank == 4);
    infer_need(in, block.count + 2 == out.rank);
    infer_need(in, padding.count == 2 * block.count);
    for (uint32_t i = 0; i + 2 < out.rank; ++i) {
        const int64_t b = berth_infer_int(in, &block, i);
        const int64_t padded = out.at[i + 1] +
                               berth_infer_int(in, &padding, 2ull * i) +
                               berth_infer_int(in, &padding, 2ull * i + 1);
        if (in->verdict != VERDICT_FITS || b <= 0 || padded % b != 0 ||
            out.at[0] > INT32_MAX) {
            berth_infer_refuse(in);
            return;
        }
        out.at[i + 1] = padded / b;
        out.at[0] *= b;
    }
    berth_infer_out(in, 0, &out);
}

void berth_shape_batch_to_space(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values block = berth_infer_values(in, 1);
    const struct values crops = berth_infer_values(in, 2);
    infer_need(in, out.rank == 3 || out.rank == 4);
    infer_need(in, block.count + 2 == out.rank);
    infer_need(in, crops.count == 2 * block.count);
    for (uint32_t i = 0; i + 2 < out.rank; ++i) {
        const int64_t b = berth_infer_int(in, &block, i);
        const int64_t before = berth_infer_int(in, &crops, 2ull * i);
        const int64_t after = berth_infer_int(in, &crops, 2ull * i + 1);
        if (in->verdict != VERDICT_FITS || b <= 0 || out.at[0] % b != 0 ||
            before < 0 || after < 0) {
            berth_infer_refuse(in);
            return;
        }
        out.at[0] /= b;
        out.at[i + 1] = out.at[i + 1] * b - before - after;
    }
    berth_infer_out(in, 0, &out);
}

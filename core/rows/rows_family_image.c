/* core/rows/rows_family_image.c: operators that go over images of batch,
 * height, width and depth: a row is a row of the output image, and each image
 * is a block. */
#include "rows_int.h"

enum { PADDING_SAME = 0, AXIS_HEIGHT = 1, IMAGE_RANK = 4 };

/* False unless `image` and output 0 are as many images. */
static bool image_space(const struct rows_op *o, uint32_t image,
                        struct rows_space *space)
{
    const berth_shape *in = rows_shape(o, image);
    const berth_shape *out = rows_shape(o, rows_output(o, 0));
    if (in == NULL || out == NULL || in->rank != IMAGE_RANK ||
        out->rank != IMAGE_RANK ||
        rows_dim(o, image, 0) != rows_dim(o, rows_output(o, 0), 0)) {
        return false;
    }
    space->outer = (uint64_t)rows_dim(o, image, 0);
    space->inner = (uint64_t)rows_dim(o, rows_output(o, 0), AXIS_HEIGHT);
    return true;
}

static uint64_t height(const struct rows_op *o, uint32_t operand)
{
    return (uint64_t)rows_dim(o, operand, AXIS_HEIGHT);
}

/* --- windows ---------------------------------------------------------------
 */

struct window_rows {
    int64_t size;
    int64_t stride;
    int64_t dilation;
    bool same; /* padding */
};

static bool is_sane(const struct window_rows *w)
{
    return w->size > 0 && w->stride > 0 && w->dilation > 0 &&
           w->size <= INT32_MAX && w->stride <= INT32_MAX &&
           w->dilation <= INT32_MAX;
}

/* Row i of the output reads window_rows->size rows from i * stride - padding.
 */
static bool walk_window(const struct rows_op *o, uint32_t operand,
                        const struct window_rows *w, struct rows_space *space,
                        struct rows_walk *walk)
{
    if (!is_sane(w) || !image_space(o, 0, space)) {
        return false;
    }
    const int64_t reach = (w->size - 1) * w->dilation;
    const int64_t need = ((int64_t)space->inner - 1) * w->stride + reach + 1 -
                         (int64_t)height(o, 0);
    const int64_t before = w->same && need > 0 ? need / 2 : 0;
    if (operand == rows_output(o, 0)) {
        *walk = rows_step(space->inner);
    } else if (operand == 0) {
        *walk = (struct rows_walk){.inner = height(o, 0),
                                   .num = w->stride,
                                   .den = 1,
                                   .low = -before,
                                   .high = reach - before};
    }
    return true;
}

bool rows_family_conv(const struct rows_op *o, uint32_t operand,
                      struct rows_space *space, struct rows_walk *walk)
{
    const struct window_rows w = {
        rows_dim(o, 1, 1), rows_option(o, BERTH_OPT_Conv2DOptions_stride_h),
        rows_option(o, BERTH_OPT_Conv2DOptions_dilation_h_factor),
        rows_option(o, BERTH_OPT_Conv2DOptions_padding) == PADDING_SAME};
    return walk_window(o, operand, &w, space, walk);
}

bool rows_family_depthwise(const struct rows_op *o, uint32_t operand,
                           struct rows_space *space, struct rows_walk *walk)
{
    const struct window_rows w = {
        rows_dim(o, 1, 1),
        rows_option(o, BERTH_OPT_DepthwiseConv2DOptions_stride_h),
        rows_option(o, BERTH_OPT_DepthwiseConv2DOptions_dilation_h_factor),
        rows_option(o, BERTH_OPT_DepthwiseConv2DOptions_padding) ==
            PADDING_SAME};
    return walk_window(o, operand, &w, space, walk);
}

bool rows_family_pool(const struct rows_op *o, uint32_t operand,
                      struct rows_space *space, struct rows_walk *walk)
{
    const struct window_rows w = {
        rows_option(o, BERTH_OPT_Pool2DOptions_filter_height),
        rows_option(o, BERTH_OPT_Pool2DOptions_stride_h), 1,
        rows_option(o, BERTH_OPT_Pool2DOptions_padding) == PADDING_SAME};
    return walk_window(o, operand, &w, space, walk);
}

/* Row j of the image (operand 2) adds to the output's rows from
 * j * stride - padding on, so row i is made of those j with
 * i + padding - size < j * stride <= i + padding. */
bool rows_family_transpose_conv(const struct rows_op *o, uint32_t operand,
                                struct rows_space *space,
                                struct rows_walk *walk)
{
    enum { IMAGE = 2 };
    const struct window_rows w = {
        rows_dim(o, 1, 1),
        rows_option(o, BERTH_OPT_TransposeConvOptions_stride_h), 1,
        rows_option(o, BERTH_OPT_TransposeConvOptions_padding) == PADDING_SAME};
    if (!is_sane(&w) || !image_space(o, IMAGE, space)) {
        return false;
    }
    const int64_t need = ((int64_t)height(o, IMAGE) - 1) * w.stride + w.size -
                         (int64_t)space->inner;
    const int64_t before = w.same && need > 0 ? need / 2 : 0;
    if (operand == rows_output(o, 0)) {
        *walk = rows_step(space->inner);
    } else if (operand == IMAGE) {
        *walk = (struct rows_walk){.inner = height(o, IMAGE),
                                   .num = 1,
                                   .den = w.stride,
                                   .low = before - w.size + w.stride,
                                   .high = before};
    }
    return true;
}

/* --- blocks and scales -----------------------------------------------------
 */

bool rows_family_space_to_depth(const struct rows_op *o, uint32_t operand,
                                struct rows_space *space,
                                struct rows_walk *walk)
{
    const int64_t b = rows_option(o, BERTH_OPT_SpaceToDepthOptions_block_size);
    if (b <= 0 || !image_space(o, 0, space)) {
        return false;
    }
    if (operand == rows_output(o, 0)) {
        *walk = rows_step(space->inner);
    } else if (operand == 0) {
        *walk = (struct rows_walk){
            .inner = height(o, 0), .num = b, .den = 1, .high = b - 1};
    }
    return true;
}

bool rows_family_depth_to_space(const struct rows_op *o, uint32_t operand,
                                struct rows_space *space,
                                struct rows_walk *walk)
{
    const int64_t b = rows_option(o, BERTH_OPT_DepthToSpaceOptions_block_size);
    if (b <= 0 || !image_space(o, 0, space)) {
        return false;
    }
    if (operand == rows_output(o, 0)) {
        *walk = rows_step(space->inner);
    } else if (operand == 0) {
        *walk = (struct rows_walk){.inner = height(o, 0), .num = 1, .den = b};
    }
    return true;
}

/* Output row i lies near row (i + 1/2) * in / out of the image, or near
 * i * (in - 1) / (out - 1) where corners are aligned. Kernels work that out in
 * floats and read a neighbour too: hence a row more on either side. */
bool rows_family_resize(const struct rows_op *o, uint32_t operand,
                        struct rows_space *space, struct rows_walk *walk)
{
    const bool bilinear = o->node->code == BERTH_OP_RESIZE_BILINEAR;
    const bool corners =
        rows_option(
            o, bilinear
                   ? BERTH_OPT_ResizeBilinearOptions_align_corners
                   : BERTH_OPT_ResizeNearestNeighborOptions_align_corners) != 0;
    const bool half =
        rows_option(
            o,
            bilinear
                ? BERTH_OPT_ResizeBilinearOptions_half_pixel_centers
                : BERTH_OPT_ResizeNearestNeighborOptions_half_pixel_centers) !=
        0;
    if (!image_space(o, 0, space) || height(o, 0) == 0 || space->inner == 0) {
        return false;
    }
    const int64_t less = corners && space->inner > 1 ? 1 : 0;
    const int64_t num = (int64_t)height(o, 0) - less;
    const int64_t den = (int64_t)space->inner - less;
    const int64_t shift = half ? (num - den) / 2 : 0;
    if (operand == rows_output(o, 0)) {
        *walk = rows_step(space->inner);
    } else if (operand == 0) {
        *walk = (struct rows_walk){.inner = height(o, 0),
                                   .num = num,
                                   .den = den,
                                   .low = shift - den,
                                   .high = shift + 2 * den};
    }
    return true;
}

/* The three convolutions: operands, options and shapes. */
#include "kernels/conv.h"

#include "kernels/requant.h"

/* --- where each has what ----------------------------------------------------
 */

#define NO_OPTION BERTH_OPTION_COUNT

struct conv_row {
    uint16_t code;
    uint8_t input;
    uint8_t filter;
    uint8_t bias;
    uint8_t channel_axis; /* of the filter */
    bool transposed;
    berth_option padding;
    berth_option stride_h;
    berth_option stride_w;
    berth_option dilation_h; /* NO_OPTION: 1 */
    berth_option dilation_w;
    berth_option activation;
    berth_option bias_type; /* NO_OPTION: any sum of 16 bits is wide */
};

static const struct conv_row conv_rows[] = {
    {BERTH_OP_CONV_2D, 0, 1, 2, 0, false, BERTH_OPT_Conv2DOptions_padding,
     BERTH_OPT_Conv2DOptions_stride_h, BERTH_OPT_Conv2DOptions_stride_w,
     BERTH_OPT_Conv2DOptions_dilation_h_factor,
     BERTH_OPT_Conv2DOptions_dilation_w_factor,
     BERTH_OPT_Conv2DOptions_fused_activation_function,
     BERTH_OPT_Conv2DOptions_quantized_bias_type},
    {BERTH_OP_DEPTHWISE_CONV_2D, 0, 1, 2, 3, false,
     BERTH_OPT_DepthwiseConv2DOptions_padding,
     BERTH_OPT_DepthwiseConv2DOptions_stride_h,
     BERTH_OPT_DepthwiseConv2DOptions_stride_w,
     BERTH_OPT_DepthwiseConv2DOptions_dilation_h_factor,
     BERTH_OPT_DepthwiseConv2DOptions_dilation_w_factor,
     BERTH_OPT_DepthwiseConv2DOptions_fused_activation_function, NO_OPTION},
    {BERTH_OP_TRANSPOSE_CONV, 2, 1, 3, 0, true,
     BERTH_OPT_TransposeConvOptions_padding,
     BERTH_OPT_TransposeConvOptions_stride_h,
     BERTH_OPT_TransposeConvOptions_stride_w, NO_OPTION, NO_OPTION,
     BERTH_OPT_TransposeConvOptions_fused_activation_function,
     BERTH_OPT_TransposeConvOptions_quantized_bias_type},
};

static const struct conv_row *conv_row_of(const berth_node *node)
{
    const struct conv_row *row = conv_rows;
    while (row->code != node->op->code) {
        ++row;
    }
    return row;
}

static int64_t conv_option(const berth_node *node, berth_option option,
                           int64_t otherwise)
{
    return option == NO_OPTION ? otherwise : berth_option_int(node->op, option);
}

/* --- shapes -----------------------------------------------------------------
 */

static bool conv_has_image(const berth_operand *operand)
{
    if (operand == NULL || operand->rank != 4 || operand->dims[0] < 0) {
        return false;
    }
    return operand->dims[1] > 0 && operand->dims[2] > 0 && operand->dims[3] > 0;
}

static berth_status conv_operands(const berth_node *node,
                                  const struct conv_row *row, struct conv *conv,
                                  berth_diag *diag)
{
    conv->w.input = kernel_input(node, row->input);
    conv->w.filter = kernel_input(node, row->filter);
    conv->w.bias = kernel_input(node, row->bias);
    conv->w.output = &node->outputs[0];
    return node->output_count == 1 && conv_has_image(conv->w.input) &&
                   conv_has_image(conv->w.filter) &&
                   conv_has_image(conv->w.output)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "a convolution of images, one of them empty");
}

static berth_status conv_windows(const berth_node *node,
                                 const struct conv_row *row, struct conv *conv,
                                 berth_diag *diag)
{
    const int32_t *in = conv->w.input->dims;
    const int32_t *out = conv->w.output->dims;
    const int32_t *filter = conv->w.filter->dims;
    const int64_t padding = conv_option(node, row->padding, WINDOW_SAME);
    conv->transposed = row->transposed;
    conv->y = (struct window_axis){
        .in = in[1],
        .out = out[1],
        .size = filter[1],
        .stride = conv_option(node, row->stride_h, 1),
        .dilation = conv_option(node, row->dilation_h, 1),
    };
    conv->x = (struct window_axis){
        .in = in[2],
        .out = out[2],
        .size = filter[2],
        .stride = conv_option(node, row->stride_w, 1),
        .dilation = conv_option(node, row->dilation_w, 1),
    };
    if (row->transposed) {
        BERTH_TRY(kernel_window_fit_transposed(&conv->y, padding, diag));
        return kernel_window_fit_transposed(&conv->x, padding, diag);
    }
    BERTH_TRY(kernel_window_fit(&conv->y, padding, diag));
    return kernel_window_fit(&conv->x, padding, diag);
}

/* How the filter lies: [channels, y, x, depth] or, depthwise, [1, y, x,
 * channels]. */
static berth_status conv_channels(const struct conv_row *row, struct conv *conv,
                                  berth_diag *diag)
{
    const size_t in = (size_t)conv->w.input->dims[3];
    const int32_t *filter = conv->w.filter->dims;
    const size_t channels = (size_t)filter[row->channel_axis];
    const bool depthwise = row->channel_axis == 3;
    const size_t depth = depthwise ? 1 : (size_t)filter[3];
    const size_t groups = in / depth;
    const bool fits =
        in % depth == 0 && groups != 0 && channels % groups == 0 &&
        (!depthwise || filter[0] == 1) && (!row->transposed || groups == 1);
    if (!fits) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "channels of the image and of the filter");
    }
    conv->in_channels = in;
    conv->depth = depth;
    conv->sharers = channels / groups;
    conv->filter_tap = depthwise ? channels : depth;
    conv->filter_channel =
        depthwise ? 1 : (size_t)filter[1] * (size_t)filter[2] * depth;
    conv->w.channels = (uint32_t)channels;
    conv->w.filter_axis = row->channel_axis;
    return BERTH_OK;
}

berth_status kernel_conv_of(const berth_node *node, struct conv *conv,
                            berth_diag *diag)
{
    const struct conv_row *row = conv_row_of(node);
    BERTH_TRY(conv_operands(node, row, conv, diag));
    BERTH_TRY(conv_channels(row, conv, diag));
    conv->w.activation = conv_option(node, row->activation, 0);
    conv->w.wide =
        row->bias_type == NO_OPTION
            ? conv->w.input->type == BERTH_INT16
            : kernel_is_wide(&conv->w, conv_option(node, row->bias_type, 0));
    return conv_windows(node, row, conv, diag);
}

berth_status kernel_check_conv(const berth_node *node, berth_diag *diag)
{
    struct conv conv;
    BERTH_TRY(kernel_conv_of(node, &conv, diag));
    const int32_t *in = conv.w.input->dims;
    const int32_t *out = conv.w.output->dims;
    if (out[0] != in[0] || out[1] != conv.y.out || out[2] != conv.x.out ||
        out[3] != (int32_t)conv.w.channels) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "the output is not what the window makes");
    }
    BERTH_TRY(kernel_check_weights(&conv.w, diag));
    BERTH_TRY(kernel_check_walk(conv.w.input, (uint64_t)in[0] * (uint64_t)in[1],
                                diag));
    BERTH_TRY(kernel_check_walk(conv.w.output,
                                (uint64_t)out[0] * (uint64_t)out[1], diag));
    if (conv.w.filter->type == BERTH_UINT8 || kernel_is_float(&conv.w)) {
        return BERTH_OK;
    }
    return kernel_zero_point(conv.w.filter) == 0
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "signed weights that are not symmetric");
}

/* --- scales -----------------------------------------------------------------
 */

void kernel_conv_rescale(const struct conv *conv, uint32_t channel,
                         uint32_t count, struct rescale *rescale)
{
    const struct weights *w = &conv->w;
    const struct rescale shared =
        kernel_rescale_of(w, w->wide ? RESCALE_WIDE : RESCALE_TWICE,
                          w->filter->type == BERTH_UINT8);
    kernel_rescale_channels(&shared, w, channel, count, rescale);
}

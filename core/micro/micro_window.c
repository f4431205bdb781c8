/* The window of a convolution, read once for all kernel sets: sizes, strides,
 * and the padding that TFLM computes. */
#include "micro/micro_int.h"

/* Half of what the output's window reaches beyond the input. */
static uint32_t padding(bool same, uint32_t input, uint64_t filter,
                        uint32_t stride)
{
    uint64_t output = 0;
    if (stride == 0) {
        return 0;
    }
    if (same) {
        output = ((uint64_t)input + stride - 1) / stride;
    } else if (input + (uint64_t)stride > filter) {
        output = (input + (uint64_t)stride - filter) / stride;
    }
    const uint64_t reach = output == 0 ? 0 : (output - 1) * stride + filter;
    return reach > input ? (uint32_t)((reach - input) / 2 & UINT32_MAX) : 0;
}

uint32_t micro_option(const micro_op *op, berth_option field)
{
    const int64_t value = berth_option_int(&op->info, field);
    return value > 0 ? (uint32_t)value : 0;
}

/* Options by kind: CONV_2D and DEPTHWISE_CONV_2D have tables of their own. */
micro_window micro_window_of(const micro_op *op)
{
    const bool deep = op->code == BERTH_OP_DEPTHWISE_CONV_2D;
    const micro_tensor *input = micro_operand(op, 0);
    const micro_tensor *filter = micro_operand(op, 1);
    const uint32_t dilation_h = micro_option(
        op, deep ? BERTH_OPT_DepthwiseConv2DOptions_dilation_h_factor
                 : BERTH_OPT_Conv2DOptions_dilation_h_factor);
    const uint32_t dilation_w = micro_option(
        op, deep ? BERTH_OPT_DepthwiseConv2DOptions_dilation_w_factor
                 : BERTH_OPT_Conv2DOptions_dilation_w_factor);
    const bool same =
        micro_option(op, deep ? BERTH_OPT_DepthwiseConv2DOptions_padding
                              : BERTH_OPT_Conv2DOptions_padding) == 0;
    micro_window w = {
        .kernel_h = micro_dim(filter, 1),
        .kernel_w = micro_dim(filter, 2),
        .input_h = micro_dim(input, 1),
        .input_w = micro_dim(input, 2),
        .output_h = micro_dim(micro_operand(op, MICRO_OUT), 1),
        .output_w = micro_dim(micro_operand(op, MICRO_OUT), 2),
        .output_channels = micro_dim(micro_operand(op, MICRO_OUT), 3),
        .channels = micro_dim(input, 3),
        .filter_channels = micro_dim(filter, 3),
        .stride_h =
            micro_option(op, deep ? BERTH_OPT_DepthwiseConv2DOptions_stride_h
                                  : BERTH_OPT_Conv2DOptions_stride_h),
        .stride_w =
            micro_option(op, deep ? BERTH_OPT_DepthwiseConv2DOptions_stride_w
                                  : BERTH_OPT_Conv2DOptions_stride_w),
        .dilated = dilation_h != 1 || dilation_w != 1,
    };
    const uint64_t reach_h =
        w.kernel_h == 0 ? 0 : (w.kernel_h - UINT64_C(1)) * dilation_h + 1;
    const uint64_t reach_w =
        w.kernel_w == 0 ? 0 : (w.kernel_w - UINT64_C(1)) * dilation_w + 1;
    w.pad_h = padding(same, w.input_h, reach_h, w.stride_h);
    w.pad_w = padding(same, w.input_w, reach_w, w.stride_w);
    w.kernel = micro_mul(micro_mul(w.kernel_h, w.kernel_w), w.channels);
    return w;
}

/* Scratch of CMSIS-NN's kernels, by core. Written from what its functions
 * named ..._get_buffer_size() compute (4ab83cc, 2026-06-17) and from the
 * measured runs of TFLM with it. */
#include "micro/micro_int.h"

uint64_t micro_amount_last_dim(const micro_op *op, const micro_row *row)
{
    const micro_tensor *tensor = micro_operand(op, row->operand);
    const uint32_t rank = tensor->dims.count;
    return rank == 0 ? 1 : micro_dim(tensor, rank - 1);
}

uint64_t micro_amount_eight(const micro_op *op, const micro_row *row)
{
    (void)op;
    (void)row;
    return 8;
}

/* Columns for the matrix product: two of int16, or four of int8 in registers
 * of 16. */
static uint64_t columns(micro_core core, uint64_t kernel)
{
    return micro_mul(4, micro_up(kernel, core == MICRO_CORE_MVE ? 16 : 4));
}

/* MVE, one row: left, middle and right of the output apart, if they cover it.
 * Signs as in C: what the window reaches may be less than the input. */
static uint64_t one_row(const micro_window *w)
{
    const int64_t stride = w->stride_w;
    const int64_t pad = w->pad_w;
    const int64_t width = w->channels;
    const int64_t output = w->output_w;
    const int64_t odd =
        ((output - 1) * stride + w->kernel_w - (int64_t)w->input_w) % 2;
    const int64_t right =
        pad + odd != 0 ? (pad + odd + stride - 1) / stride : 0;
    const int64_t left = pad != 0 ? (pad + stride - 1) / stride : 0;
    const int64_t right_or_one = pad + odd != 0 && right < 1 ? 1 : right;
    const int64_t left_or_one = pad != 0 && left < 1 ? 1 : left;
    const int64_t rest = output - right_or_one - left_or_one;
    if (right_or_one + left_or_one + (rest > 0 ? rest : 0) != output) {
        return columns(MICRO_CORE_MVE, w->kernel);
    }
    const uint64_t row = micro_mul(w->kernel_w, w->channels);
    const uint64_t begin = micro_mul((uint64_t)pad, w->channels);
    const uint64_t end =
        odd != 0 ? micro_mul((uint64_t)right_or_one, w->channels) : begin;
    return micro_max(micro_add(row, begin),
                     micro_add(row, end) - (uint64_t)width);
}

static uint64_t convolve_int8(const micro_run *run, const micro_window *w)
{
    const bool whole = w->channels == w->filter_channels;
    if (w->pad_h == 0 && w->pad_w == 0 && w->kernel_h == 1 &&
        w->kernel_w == 1 && !w->dilated && whole) {
        /* armclang builds another loop for DSP cores. */
        const bool wide = run->armclang && run->core == MICRO_CORE_DSP &&
                          w->stride_h == 1 && w->stride_w == 1;
        return wide ? micro_mul(4, w->channels) : 0;
    }
    if (run->core == MICRO_CORE_MVE && w->input_h == 1 && w->kernel_h == 1 &&
        !w->dilated && micro_mul(w->stride_w, w->channels) % 4 == 0 && whole &&
        w->stride_w > 0 && w->kernel_w > 0) {
        return one_row(w);
    }
    return columns(run->core, w->kernel);
}

/* Up to 7.0.0 groups of channels were not looked at. */
uint64_t micro_amount_cmsis_conv_7(const micro_op *op, const micro_row *row)
{
    micro_window w = micro_window_of(op);
    w.filter_channels = w.channels;
    return micro_when_int8_in(op) ? convolve_int8(op->run, &w)
                                  : micro_amount_cmsis_conv(op, row);
}

uint64_t micro_amount_cmsis_conv(const micro_op *op, const micro_row *row)
{
    const micro_window w = micro_window_of(op);
    (void)row;
    if (micro_when_int8_in(op)) {
        return convolve_int8(op->run, &w);
    }
    if (!micro_when_int16_in(op)) {
        return 0;
    }
    /* Asked for where the bias is int64 or absent; the code looks for it among
     * the outputs, so that it always is. */
    return op->run->core == MICRO_CORE_MVE ? micro_mul(8, micro_up(w.kernel, 8))
                                           : micro_mul(4, w.kernel);
}

uint64_t micro_amount_cmsis_depthwise(const micro_op *op, const micro_row *row)
{
    const micro_run *run = op->run;
    const bool helium = run->core == MICRO_CORE_MVE;
    const bool packed = micro_when_int4_filter(op);
    const uint64_t batch = micro_dim(micro_operand(op, 0), 0);
    const uint64_t outputs = micro_dim(micro_operand(op, MICRO_OUT), 3);
    micro_window w = micro_window_of(op);
    const uint64_t taps = micro_mul(w.kernel_h, w.kernel_w);
    (void)row;
    if (!micro_when_int8_in(op)) {
        return 0;
    }
    if (helium && !packed && w.channels == 1 &&
        outputs > (run->armclang ? 8u : 1u)) {
        w.filter_channels = 1; /* as a plain convolution, filter transposed */
        return micro_add(convolve_int8(run, &w), micro_mul(outputs, taps));
    }
    if (w.channels != outputs || batch != 1 || w.dilated) {
        return 0;
    }
    if (helium) {
        return micro_mul(UINT64_C(4) * 124, taps);
    }
    const bool fast =
        w.kernel_h == 3 && w.kernel_w == 3 && w.pad_h <= 1 && w.pad_w <= 1;
    if (!packed && (fast || run->core != MICRO_CORE_DSP)) {
        return 0;
    }
    return micro_mul(micro_mul(2, w.channels), taps);
}

uint64_t micro_amount_cmsis_pool(const micro_op *op, const micro_row *row)
{
    (void)row;
    return op->run->core == MICRO_CORE_DSP && micro_when_integer_in(op)
               ? micro_mul(4, micro_dim(micro_operand(op, 0), 3))
               : 0;
}

/* --- transposed convolution: operand 1 the filter, 2 the input --------------
 */

static bool runs_reversed(const micro_op *op)
{
    return micro_option(op, BERTH_OPT_TransposeConvOptions_stride_w) <= 2 &&
           micro_option(op, BERTH_OPT_TransposeConvOptions_stride_h) <= 2 &&
           micro_dim(micro_operand(op, 2), 3) > 16;
}

static uint64_t transposed_kernel(const micro_op *op)
{
    const micro_tensor *filter = micro_operand(op, 1);
    return micro_mul(micro_mul(micro_dim(filter, 1), micro_dim(filter, 2)),
                     micro_dim(micro_operand(op, 2), 3));
}

uint64_t micro_amount_cmsis_transpose(const micro_op *op, const micro_row *row)
{
    const micro_tensor *filter = micro_operand(op, 1);
    const uint64_t stride_h =
        micro_option(op, BERTH_OPT_TransposeConvOptions_stride_h);
    const uint64_t stride_w =
        micro_option(op, BERTH_OPT_TransposeConvOptions_stride_w);
    const uint64_t input_w = micro_dim(micro_operand(op, 2), 2);
    (void)row;
    if (runs_reversed(op)) {
        return columns(op->run->core, transposed_kernel(op));
    }
    const uint64_t steps = input_w == 0 ? 0 : micro_mul(input_w - 1, stride_w);
    const uint64_t across =
        micro_add(steps, micro_max(micro_dim(filter, 2), stride_h));
    const uint64_t rows = micro_max(micro_dim(filter, 1), stride_h);
    return micro_mul(micro_mul(micro_mul(across, micro_dim(filter, 0)), rows),
                     4);
}

uint64_t micro_amount_cmsis_reversed(const micro_op *op, const micro_row *row)
{
    (void)row;
    return runs_reversed(op) ? micro_mul(transposed_kernel(op),
                                         micro_dim(micro_operand(op, 1), 0))
                             : 0;
}

/* --- fully connected --------------------------------------------------------
 */

/* An output of more than two axes and a depth of whole words. */
static bool is_as_conv(const micro_op *op)
{
    const micro_row filter = {.operand = 1};
    return micro_when_int8_in(op) && !micro_when_int4_filter(op) &&
           micro_operand(op, MICRO_OUT)->dims.count > 2 &&
           micro_amount_last_dim(op, &filter) % 4 == 0;
}

bool micro_when_cmsis_fake_channels(const micro_op *op)
{
    return is_as_conv(op) && !micro_when_filter_per_channel(op);
}

uint64_t micro_amount_cmsis_full_as_conv(const micro_op *op,
                                         const micro_row *row)
{
    const micro_row filter = {.operand = 1};
    (void)row;
    return op->run->armclang && op->run->core == MICRO_CORE_DSP &&
                   is_as_conv(op)
               ? micro_mul(4, micro_amount_last_dim(op, &filter))
               : 0;
}

bool micro_when_cmsis_wide_channels(const micro_op *op)
{
    return micro_when_filter_per_channel(op) && !micro_when_int8_in(op);
}

bool micro_when_cmsis_sums_int8(const micro_op *op)
{
    return op->run->core == MICRO_CORE_MVE && micro_when_int8_in(op);
}

static bool has_sums(const micro_op *op)
{
    return micro_when_cmsis_sums_int8(op) && !micro_when_int4_filter(op) &&
           !is_as_conv(op);
}

static bool is_fixed(const micro_op *op, uint32_t operand)
{
    return (micro_operand(op, operand)->flags &
            (MICRO_TENSOR_CONSTANT | MICRO_TENSOR_ABSENT)) != 0;
}

bool micro_when_cmsis_sums_kept(const micro_op *op)
{
    return has_sums(op) && is_fixed(op, 1) && is_fixed(op, 2);
}

bool micro_when_cmsis_sums_anew(const micro_op *op)
{
    return has_sums(op) && !micro_when_cmsis_sums_kept(op);
}

/* --- LSTM: operand 18 the hidden state, 19 the cell -------------------------
 */

bool micro_when_cmsis_lstm(const micro_op *op)
{
    return micro_when_integer_in(op) &&
           micro_operand(op, 19)->type == BERTH_INT16;
}

bool micro_when_cmsis_lstm_reference(const micro_op *op)
{
    return !micro_when_cmsis_lstm(op);
}

uint64_t micro_amount_cmsis_lstm_sums(const micro_op *op, const micro_row *row)
{
    const uint64_t hidden = micro_dim(micro_operand(op, 18), 1);
    (void)row;
    return micro_mul(hidden, micro_when_int16_in(op) ? 2 : 1);
}

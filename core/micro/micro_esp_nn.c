/* Scratch of ESP-NN's kernels, by chip: what its functions named
 * ..._scratch_size() compute (1.2.3, 2026-04-27). Where the portable kernels
 * ask for nothing, neither do these. */
#include "micro/micro_int.h"

static uint64_t product(uint64_t a, uint64_t b, uint64_t c)
{
    return micro_mul(micro_mul(a, b), c);
}

/* What the windows of all outputs reach beyond the input, with one spare. */
static uint64_t beyond(uint64_t outputs, uint64_t stride, uint64_t kernel,
                       uint64_t input)
{
    const uint64_t reach = outputs * stride + kernel;
    return reach > input + 1 ? reach - 1 - input : 0;
}

/* Room that assembly may touch around its buffers, and their alignment. */
#define S3_MARGIN 64u

/* One by one, stride one: filters and input with channels in eights, and a
 * block of eight pixels turned. */
static uint64_t pointwise_s3(const micro_window *w)
{
    const uint64_t channels = micro_up(w->channels, 8);
    const uint64_t pixels = micro_mul(w->input_h, w->input_w);
    const uint64_t input =
        w->channels % 8 != 0 ? micro_mul(pixels, channels) : 0;
    const uint64_t turned = pixels < 8 ? 0 : micro_mul(16, channels);
    return micro_add(micro_add(input, turned),
                     micro_mul(channels, w->output_channels));
}

/* Few values in a row of the filter: windows side by side, rows of 16. */
static uint64_t gathered_s3(const micro_window *w)
{
    const uint64_t window = micro_up(w->kernel, 16);
    return micro_add(micro_mul(w->output_channels, micro_add(4, window)),
                     micro_add(32, window));
}

/* Else the input padded, filters with channels in sixteens, their copies with
 * rows in sixteens, the input's far edges, and a sum for each filter. */
static uint64_t padded_s3(const micro_window *w)
{
    const uint64_t outputs = w->output_channels;
    const uint64_t taps = micro_mul(w->kernel_h, w->kernel_w);
    const bool pads = w->pad_h != 0 || w->pad_w != 0;
    const uint64_t input =
        product(w->input_w + UINT64_C(2) * w->pad_w,
                w->input_h + UINT64_C(2) * w->pad_h, w->channels);
    const uint64_t filters = product(taps, micro_up(w->channels, 16), outputs);
    const uint64_t rows =
        product(micro_up(micro_mul(w->kernel_w, w->channels), 16), w->kernel_h,
                outputs);
    const uint64_t right =
        beyond(w->output_w, w->stride_w, w->kernel_w, w->input_w);
    const uint64_t below =
        beyond(w->output_h, w->stride_h, w->kernel_h, w->input_h);
    const uint64_t edges =
        product(w->input_w + right, w->input_h + below, w->channels);
    uint64_t bytes = micro_add(micro_add(filters, rows), micro_mul(4, outputs));
    bytes = micro_add(bytes, pads ? input : 0);
    return micro_add(bytes, right > 0 || below > 0 ? edges : 0);
}

uint64_t micro_amount_esp_conv(const micro_op *op, const micro_row *row)
{
    const micro_window w = micro_window_of(op);
    const uint64_t in_row = micro_mul(w.kernel_w, w.channels);
    (void)row;
    if (op->run->core != MICRO_CORE_ESP_S3 || !micro_when_int8_in(op)) {
        return 0;
    }
    if (w.kernel_h == 1 && w.kernel_w == 1 && w.pad_h == 0 && w.pad_w == 0 &&
        w.stride_h == 1 && w.stride_w == 1) {
        return micro_add(S3_MARGIN, pointwise_s3(&w));
    }
    if (in_row < 16 && w.kernel >= 16) {
        return micro_add(S3_MARGIN, gathered_s3(&w));
    }
    return micro_add(S3_MARGIN, padded_s3(&w));
}

/* --- depthwise -------------------------------------------------------------
 */

#define S3_WHOLE_INPUT (UINT64_C(40) * 1024) /* larger ones go in strips */
#define S3_WHOLE_WORDS (UINT64_C(48) * 1024)

/* 3x3, channels in sixteens: the filter, and the padded input or a strip. */
static uint64_t three_by_three_s3(const micro_window *w, uint64_t filter)
{
    const bool pads = w->pad_h != 0 || w->pad_w != 0;
    const uint64_t wide =
        pads ? UINT64_C(2) * w->pad_w
             : beyond(w->output_w, w->stride_w, w->kernel_w, w->input_w);
    const uint64_t high =
        pads ? UINT64_C(2) * w->pad_h
             : beyond(w->output_h, w->stride_h, w->kernel_h, w->input_h);
    const uint64_t width = w->input_w + wide;
    uint64_t input = product(width, w->input_h + high, w->channels);
    if (wide == 0 && high == 0) {
        input = 0;
    } else if (input > S3_WHOLE_INPUT) {
        input = product(width, w->kernel_h, w->channels);
    }
    return micro_add(micro_add(filter, input), 16);
}

/* 3x3, channels in eights, twelve and more: all in sixteens. */
static uint64_t widened_s3(const micro_window *w)
{
    const uint64_t channels = micro_up(w->channels, 16);
    const uint64_t wide = UINT64_C(2) * w->pad_w +
                          beyond(w->output_w, w->stride_w, 3, w->input_w);
    const uint64_t high = UINT64_C(2) * w->pad_h +
                          beyond(w->output_h, w->stride_h, 3, w->input_h);
    const uint64_t input =
        product(w->input_w + wide, w->input_h + high, channels);
    const uint64_t output = product(w->output_w, w->output_h, channels);
    return micro_add(micro_add(micro_mul(9, channels), input),
                     micro_add(output, 64));
}

/* In int16: filter and input, or a strip of it. */
static uint64_t words_s3(const micro_window *w, uint64_t filter, bool strips)
{
    const uint64_t input = product(w->input_w, w->input_h, w->channels);
    const uint64_t whole = micro_mul(2, micro_add(filter, input));
    if (!strips || whole <= S3_WHOLE_WORDS) {
        return micro_add(whole, 32);
    }
    const uint64_t strip = product(w->input_w, w->kernel_h, w->channels);
    return micro_add(micro_mul(2, micro_add(filter, strip)), 32);
}

/* Channels filled up to eights: filter, input, output, and what goes with each
 * channel, one after the other, each at 16. */
static uint64_t filled_s3(const micro_window *w)
{
    const uint64_t channels = micro_up(w->channels, 8);
    const uint64_t filter = product(w->kernel_w, w->kernel_h, channels);
    const uint64_t input = product(w->input_w, w->input_h, channels);
    const uint64_t output = product(w->output_w, w->output_h, channels);
    uint64_t end = micro_up(micro_mul(2, filter), 16);
    end = micro_up(micro_add(end, micro_mul(2, input)), 16);
    end = micro_up(micro_add(end, output), 16);
    return micro_add(micro_add(end, micro_mul(12, channels)), 16);
}

uint64_t micro_amount_esp_depthwise(const micro_op *op, const micro_row *row)
{
    const micro_window w = micro_window_of(op);
    const uint64_t multiplier =
        micro_option(op, BERTH_OPT_DepthwiseConv2DOptions_depth_multiplier);
    const uint64_t filter =
        product(micro_mul(w.kernel_w, w.kernel_h), w.channels, multiplier);
    const bool small = w.kernel_w == 3 && w.kernel_h == 3;
    (void)row;
    if (op->run->core != MICRO_CORE_ESP_S3 || !micro_when_int8_in(op)) {
        return 0;
    }
    if (multiplier == 1 && w.channels % 8 == 0) {
        if (!small) {
            return words_s3(&w, filter, true);
        }
        if (w.channels % 16 == 0) {
            return three_by_three_s3(&w, filter);
        }
        return w.channels >= 12 ? widened_s3(&w) : words_s3(&w, filter, false);
    }
    if (multiplier == 1 && w.channels > 3) {
        return filled_s3(&w);
    }
    return multiplier % 4 == 0 ? words_s3(&w, filter, false) : 32;
}

bool micro_when_esp_softmax(const micro_op *op)
{
    return micro_when_int8_in(op) &&
           micro_operand(op, MICRO_OUT)->type == BERTH_INT8 &&
           micro_dim(micro_operand(op, 0), 1) > 0;
}

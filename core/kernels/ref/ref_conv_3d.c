/* CONV_3D: windows of depth, height and width over a volume; the filter has its
 * output channels innermost. All at once: it is not walked by rows. */
#include "kernels/element.h"
#include "kernels/weights.h"
#include "kernels/window.h"

enum { SPACE = 3, VOLUME_RANK = 5 };

struct conv_3d {
    struct weights w;
    struct window_axis axis[SPACE];
    size_t in_channels;
};

static bool has_volume(const berth_operand *operand)
{
    if (operand == NULL || operand->rank != VOLUME_RANK ||
        operand->dims[0] < 0) {
        return false;
    }
    for (uint32_t i = 1; i < VOLUME_RANK; ++i) {
        if (operand->dims[i] <= 0) {
            return false;
        }
    }
    return true;
}

static berth_status conv_3d_of(const berth_node *node, struct conv_3d *c,
                               berth_diag *diag)
{
    static const berth_option strides[SPACE] = {
        BERTH_OPT_Conv3DOptions_stride_d, BERTH_OPT_Conv3DOptions_stride_h,
        BERTH_OPT_Conv3DOptions_stride_w};
    static const berth_option dilations[SPACE] = {
        BERTH_OPT_Conv3DOptions_dilation_d_factor,
        BERTH_OPT_Conv3DOptions_dilation_h_factor,
        BERTH_OPT_Conv3DOptions_dilation_w_factor};
    c->w = (struct weights){
        .input = kernel_input(node, 0),
        .filter = kernel_input(node, 1),
        .bias = kernel_input(node, 2),
        .output = &node->outputs[0],
        .filter_axis = VOLUME_RANK - 1,
        .activation = berth_option_int(
            node->op, BERTH_OPT_Conv3DOptions_fused_activation_function),
    };
    if (node->output_count != 1 || !has_volume(c->w.input) ||
        !has_volume(c->w.filter) || !has_volume(c->w.output)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a convolution of volumes, one of them empty");
    }
    c->in_channels = (size_t)c->w.input->dims[VOLUME_RANK - 1];
    c->w.channels = (uint32_t)c->w.filter->dims[VOLUME_RANK - 1];
    for (uint32_t i = 0; i < SPACE; ++i) {
        c->axis[i] = (struct window_axis){
            .in = c->w.input->dims[1 + i],
            .size = c->w.filter->dims[i],
            .stride = berth_option_int(node->op, strides[i]),
            .dilation = berth_option_int(node->op, dilations[i]),
        };
        BERTH_TRY(kernel_window_fit(
            &c->axis[i],
            berth_option_int(node->op, BERTH_OPT_Conv3DOptions_padding), diag));
    }
    return BERTH_OK;
}

static berth_status check_conv_3d(const berth_node *node, berth_diag *diag)
{
    struct conv_3d c;
    BERTH_TRY(conv_3d_of(node, &c, diag));
    const int32_t *in = c.w.input->dims;
    const int32_t *out = c.w.output->dims;
    const int32_t *filter = c.w.filter->dims;
    bool fits = out[0] == in[0] && out[4] == filter[4] && in[4] == filter[3];
    for (uint32_t i = 0; i < SPACE; ++i) {
        fits = fits && out[1 + i] == c.axis[i].out;
    }
    if (!fits) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "the output is not what the window makes");
    }
    if (c.w.input->type != BERTH_FLOAT32) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "volumes of this type");
    }
    return kernel_check_weights(&c.w, diag);
}

/* The sum over the taps inside, of one output channel. */
static float sum_taps(const struct conv_3d *c, int64_t batch,
                      const struct taps tap[SPACE], uint32_t channel)
{
    dot_floats *dot = kernel_dot_floats(c->w.filter->type);
    struct factor in = kernel_input_factor(&c->w, c->w.input->data, 0, 1);
    struct factor filter =
        kernel_filter_factor(&c->w, channel, 0, c->w.channels);
    float sum = 0;
    for (int64_t d = 0; d < tap[0].count; ++d) {
        const int64_t z =
            batch * c->axis[0].in + tap[0].at + d * tap[0].at_step;
        for (int64_t h = 0; h < tap[1].count; ++h) {
            const int64_t y =
                z * c->axis[1].in + tap[1].at + h * tap[1].at_step;
            const int64_t line =
                ((tap[0].tap + d) * c->axis[1].size + tap[1].tap + h) *
                c->axis[2].size;
            for (int64_t w = 0; w < tap[2].count; ++w) {
                const int64_t x =
                    y * c->axis[2].in + tap[2].at + w * tap[2].at_step;
                in.first = (size_t)x * c->in_channels;
                filter.first = (size_t)(line + tap[2].tap + w) *
                                   c->in_channels * c->w.channels +
                               channel;
                sum = dot(sum, &in, &filter, c->in_channels);
            }
        }
    }
    return sum;
}

static berth_status run_conv_3d(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    struct conv_3d c;
    BERTH_TRY(conv_3d_of(node, &c, NULL));
    const size_t spots = (size_t)(c.w.output->elements / c.w.channels);
    const struct clamp_f32 clamp = kernel_clamp_f32_of(c.w.activation);
    for (size_t spot = 0; begin < end && spot < spots; ++spot) {
        struct taps tap[SPACE];
        int64_t rest = (int64_t)spot;
        for (uint32_t i = SPACE; i-- > 0;) {
            tap[i] = window_taps(&c.axis[i], rest % c.axis[i].out);
            rest /= c.axis[i].out;
        }
        for (uint32_t channel = 0; channel < c.w.channels; ++channel) {
            const float sum = sum_taps(&c, rest, tap, channel);
            const float bias = kernel_bias_f32(&c.w, channel);
            element_put_f32(c.w.output->data, spot * c.w.channels + channel,
                            clamp_f32(sum + bias, clamp));
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_conv_3d = {.check = check_conv_3d,
                                         .rows = run_conv_3d};

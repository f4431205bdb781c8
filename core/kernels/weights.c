/* Checks of weights and biases, and the scales of one output channel. */
#include "kernels/weights.h"

#include "kernels/element.h"

/* --- types ------------------------------------------------------------------
 */

static berth_status check_float_filter(const struct weights *w,
                                       berth_diag *diag)
{
    const berth_operand *f = w->filter;
    if (f->type == BERTH_FLOAT32) {
        return BERTH_OK;
    }
    if (!berth_operand_is(f, BERTH_OPERAND_ENCODED)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "hybrid weights (floats times integers)");
    }
    if (kernel_dot_floats(f->type) == NULL) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "weights encoded in this type");
    }
    if (f->type == BERTH_FLOAT16) {
        return BERTH_OK;
    }
    BERTH_TRY(kernel_check_quantized(f, diag));
    const berth_quantization *q = &f->quantization;
    return q->scale_count == 1 ||
                   (q->scale_count == w->channels && q->axis == w->filter_axis)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "encoded weights with scales along this axis");
}

static berth_status check_float_bias(const struct weights *w, berth_diag *diag)
{
    const berth_operand *b = w->bias;
    if (b == NULL || b->type == BERTH_FLOAT32) {
        return BERTH_OK;
    }
    if (!berth_operand_is(b, BERTH_OPERAND_ENCODED) ||
        kernel_dot_floats(b->type) == NULL) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "a bias of this type");
    }
    if (b->type == BERTH_FLOAT16) {
        return BERTH_OK;
    }
    BERTH_TRY(kernel_check_quantized(b, diag));
    const uint32_t scales = b->quantization.scale_count;
    return scales == 1 || scales == w->channels
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "a bias with scales for other channels");
}

static berth_status check_integer_bias(const struct weights *w,
                                       berth_diag *diag)
{
    const berth_operand *b = w->bias;
    if (b == NULL) {
        return BERTH_OK;
    }
    const bool wide = w->input->type == BERTH_INT16;
    if (b->type != BERTH_INT32 && !(wide && b->type == BERTH_INT64)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "a bias of this type");
    }
    const berth_quantization *q = &b->quantization;
    for (uint32_t i = 0; i < q->zero_point_count; ++i) {
        if (berth_quantization_zero_point(q, i) != 0) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "a bias whose zero point is not 0");
        }
    }
    return BERTH_OK;
}

/* --- quantization -----------------------------------------------------------
 */

static berth_status check_filter_scales(const struct weights *w,
                                        berth_diag *diag)
{
    const berth_operand *f = w->filter;
    const berth_quantization *q = &f->quantization;
    BERTH_TRY(kernel_check_quantized(f, diag));
    if (q->scale_count == 1) {
        return BERTH_OK;
    }
    if (f->type == BERTH_UINT8 || q->axis != w->filter_axis ||
        q->scale_count != w->channels) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "weights whose scales are not those of channels");
    }
    for (uint32_t i = 0; i < q->zero_point_count; ++i) {
        if (berth_quantization_zero_point(q, i) != 0) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "per-channel weights that are not symmetric");
        }
    }
    return BERTH_OK;
}

static double scale_ratio(const struct rescale *r, const struct weights *w,
                          uint32_t channel)
{
    const float filter = kernel_scale(w->filter, channel);
    const double product = r->as_floats ? (double)(r->input * filter)
                                        : (double)r->input * (double)filter;
    return product / (double)r->output;
}

static berth_status check_ratios(const struct weights *w, berth_diag *diag)
{
    const uint32_t scales = w->filter->quantization.scale_count;
    const int32_t shift = w->wide ? 14 : 30;
    const struct rescale shared = kernel_rescale_of(w, RESCALE_REAL, false);
    for (uint32_t i = 0; i < scales; ++i) {
        BERTH_TRY(kernel_check_ratio(scale_ratio(&shared, w, i), shift, diag));
    }
    return BERTH_OK;
}

static berth_status check_integer_weights(const struct weights *w,
                                          berth_diag *diag)
{
    if (w->output->type != w->input->type ||
        kernel_dot_ints(w->input->type, w->filter->type) == NULL) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "weights of this type for such an input");
    }
    BERTH_TRY(kernel_check_per_tensor(w->input, diag));
    BERTH_TRY(kernel_check_per_tensor(w->output, diag));
    if (w->input->type == BERTH_INT16 && (kernel_zero_point(w->input) != 0 ||
                                          kernel_zero_point(w->output) != 0)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "16-bit activations that are not symmetric");
    }
    BERTH_TRY(check_filter_scales(w, diag));
    BERTH_TRY(check_integer_bias(w, diag));
    return check_ratios(w, diag);
}

berth_status kernel_check_weights(const struct weights *w, berth_diag *diag)
{
    BERTH_TRY(kernel_check_activation(w->activation, diag));
    if (w->bias != NULL && w->bias->elements != w->channels) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a bias that is not one for each channel");
    }
    if (w->input->type != BERTH_FLOAT32) {
        return check_integer_weights(w, diag);
    }
    if (w->output->type != BERTH_FLOAT32 ||
        berth_operand_is(w->input, BERTH_OPERAND_ENCODED)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an input or output of this type");
    }
    BERTH_TRY(check_float_filter(w, diag));
    return check_float_bias(w, diag);
}

/* Floats have a scale only where the file encodes them as integers. */
static bool has_scales(const berth_operand *operand)
{
    return operand->type != BERTH_FLOAT32 && operand->type != BERTH_FLOAT16;
}

/* --- one channel ------------------------------------------------------------
 */

bool kernel_is_wide(const struct weights *w, int64_t bias_type)
{
    const int64_t type = w->bias == NULL ? bias_type : w->bias->type;
    return w->input->type == BERTH_INT16 && type != BERTH_INT32;
}

struct factor kernel_filter_factor(const struct weights *w, uint32_t channel,
                                   size_t first, size_t step)
{
    struct factor f = {.data = w->filter->data, .first = first, .step = step};
    if (has_scales(w->filter)) {
        f.zero = kernel_zero_point_at(w->filter, channel);
        f.scale = kernel_scale(w->filter, channel);
    }
    return f;
}

struct factor kernel_input_factor(const struct weights *w, const uint8_t *data,
                                  size_t first, size_t step)
{
    return (struct factor){
        .data = data,
        .first = first,
        .step = step,
        .zero = kernel_is_float(w) ? 0 : kernel_zero_point(w->input),
    };
}

static int64_t integer_bias(const struct weights *w, uint32_t channel)
{
    if (w->bias == NULL) {
        return 0;
    }
    return w->bias->type == BERTH_INT64 ? element_i64(w->bias->data, channel)
                                        : element_i32(w->bias->data, channel);
}

struct rescale kernel_rescale_of(const struct weights *w, enum rescale_way way,
                                 bool as_floats)
{
    return (struct rescale){
        .way = way,
        .as_floats = as_floats,
        .input = kernel_scale(w->input, 0),
        .output = kernel_scale(w->output, 0),
        .zero_point = kernel_zero_point(w->output),
        .clamp = kernel_clamp_of(w->output, w->activation),
    };
}

void kernel_rescale_channel(struct rescale *r, const struct weights *w,
                            uint32_t channel)
{
    r->real = scale_ratio(r, w, channel);
    r->by = kernel_requant_of(r->real);
    r->bias = integer_bias(w, channel);
}

void kernel_rescale_channels(const struct rescale *shared,
                             const struct weights *w, uint32_t channel,
                             uint32_t count, struct rescale *rescale)
{
    const bool one_scale = w->filter->quantization.scale_count == 1;
    for (uint32_t i = 0; i < count; ++i) {
        if (one_scale && i > 0) {
            rescale[i] = rescale[0];
            rescale[i].bias = integer_bias(w, channel + i);
        } else {
            rescale[i] = *shared;
            kernel_rescale_channel(&rescale[i], w, channel + i);
        }
    }
}

float kernel_bias_f32(const struct weights *w, uint32_t channel)
{
    if (w->bias == NULL) {
        return 0;
    }
    if (!has_scales(w->bias)) {
        return kernel_float_at(w->bias, channel, 0, 0);
    }
    return kernel_float_at(w->bias, channel, kernel_scale(w->bias, channel),
                           kernel_zero_point_at(w->bias, channel));
}

/* LOG_SOFTMAX: a row is the last axis. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/softmax.h"

static void log_softmax_f32(const struct flat_run *run, const void *param)
{
    (void)param;
    float largest = -FLT_MAX;
    float sum = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const float x = kernel_get_f32(run->in, i);
        largest = largest < x ? x : largest;
    }
    for (size_t i = 0; i < run->count; ++i) {
        sum += (float)real_exp((double)(kernel_get_f32(run->in, i) - largest));
    }
    const float log = (float)real_log((double)sum);
    for (size_t i = 0; i < run->count; ++i) {
        element_put_f32(run->out, i,
                        kernel_get_f32(run->in, i) - largest - log);
    }
}

/* Steps of 1/16 down from the largest number of the type. */
static void log_softmax_8(const struct flat_run *run, const void *param)
{
    enum { OUT_BITS = 31 - 5 - 4 };
    const struct softmax *s = param;
    const int32_t low = s->is_signed ? INT8_MIN : 0;
    const int32_t high = low + 255;
    const int32_t largest = kernel_softmax_largest(s, run->in, run->count);
    const int32_t log =
        fixed_log(kernel_softmax_sum(s, run->in, run->count, largest));
    const int32_t underflow = requant_twice(wrap_add(log, INT32_MIN), s->back);
    const int32_t least = underflow > s->least - 1 ? underflow : s->least - 1;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t diff = softmax_q(s, run->in, i) - largest;
        int32_t value = low;
        if (diff > least) {
            value = high +
                    requant_shift_right(wrap_add(softmax_scaled(s, diff), -log),
                                        OUT_BITS);
        }
        run->out[i] = (uint8_t)(value < low    ? low
                                : value > high ? high
                                               : value);
    }
}

static berth_status check_log_softmax(const berth_node *node, berth_diag *diag)
{
    struct softmax softmax;
    BERTH_TRY(kernel_check_flat_rows(node, diag));
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    const bool is_signed = in->type == BERTH_INT8;
    if (in->type != out->type ||
        (in->type != BERTH_FLOAT32 && in->type != BERTH_UINT8 && !is_signed)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    if (in->type == BERTH_FLOAT32) {
        return BERTH_OK;
    }
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    if (kernel_scale(out, 0) != 16.0f / 256 ||
        kernel_zero_point(out) != (is_signed ? INT8_MAX : UINT8_MAX)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an output that is not 16ths below 0");
    }
    return kernel_softmax_of((double)kernel_scale(in, 0), is_signed, &softmax,
                             diag);
}

static berth_status run_log_softmax(const berth_node *node, uint32_t begin,
                                    uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    struct softmax run;
    if (in->type == BERTH_FLOAT32) {
        kernel_flat_rows(node, begin, end, log_softmax_f32, NULL);
        return BERTH_OK;
    }
    BERTH_TRY(kernel_softmax_of((double)kernel_scale(in, 0),
                                in->type == BERTH_INT8, &run, NULL));
    kernel_flat_rows(node, begin, end, log_softmax_8, &run);
    return BERTH_OK;
}

const berth_kernel kernel_ref_log_softmax = {
    .check = check_log_softmax,
    .rows = run_log_softmax,
};

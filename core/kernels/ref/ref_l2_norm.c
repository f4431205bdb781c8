/* L2_NORMALIZATION: a row is the last axis, divided by its length. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/fixed.h"
#include "kernels/flat.h"

static void normalize_f32(const struct flat_run *run, const void *param)
{
    (void)param;
    float squares = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const float x = kernel_get_f32(run->in, i);
        squares += x * x;
    }
    const float length = (float)real_sqrt((double)squares);
    const float divisor = length < 1e-6f ? 1e-6f : length;
    for (size_t i = 0; i < run->count; ++i) {
        element_put_f32(run->out, i, kernel_get_f32(run->in, i) / divisor);
    }
}

struct norm_run {
    int32_t zero;
    bool is_signed;
};

static int32_t norm_diff(const struct norm_run *r, const uint8_t *row, size_t i)
{
    return (r->is_signed ? (int8_t)row[i] : row[i]) - r->zero;
}

/* In 128ths. The two types bring in the 128 on either side of the rounding. */
static void normalize_8(const struct flat_run *run, const void *param)
{
    enum { BITS = 7 };
    const struct norm_run *r = param;
    int32_t squares = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t diff = norm_diff(r, run->in, i);
        squares = wrap_add(squares, diff * diff);
    }
    struct requant by = fixed_inverse_root(squares);
    by.shift += r->is_signed ? BITS : 0;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t diff =
            norm_diff(r, run->in, i) * (r->is_signed ? 1 : 1 << BITS);
        const int32_t value = requant_twice(diff, by);
        const int32_t raised = value < INT8_MIN ? INT8_MIN : value;
        const int32_t placed = raised > INT8_MAX ? INT8_MAX : raised;
        run->out[i] = (uint8_t)(r->is_signed ? placed : placed + 128);
    }
}

static berth_status check_l2_norm(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_flat_rows(node, diag));
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    const bool is_signed = in->type == BERTH_INT8;
    if (in->type != out->type ||
        (in->type != BERTH_FLOAT32 && in->type != BERTH_UINT8 && !is_signed)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    if (berth_option_int(node->op,
                         BERTH_OPT_L2NormOptions_fused_activation_function) !=
        KERNEL_ACTIVATION_NONE) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a fused activation on a normalization");
    }
    if (in->type == BERTH_FLOAT32) {
        return BERTH_OK;
    }
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    return kernel_scale(out, 0) == 1.0f / 128 &&
                   kernel_zero_point(out) == (is_signed ? 0 : 128)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "an output that does not hold [-1, 1)");
}

static berth_status run_l2_norm(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    if (in->type == BERTH_FLOAT32) {
        kernel_flat_rows(node, begin, end, normalize_f32, NULL);
        return BERTH_OK;
    }
    const struct norm_run run = {kernel_zero_point(in), in->type == BERTH_INT8};
    kernel_flat_rows(node, begin, end, normalize_8, &run);
    return BERTH_OK;
}

const berth_kernel kernel_ref_l2_norm = {
    .check = check_l2_norm,
    .rows = run_l2_norm,
};

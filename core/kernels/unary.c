/* Scales and arithmetic of operators on one quantized operand. */
#include "kernels/unary.h"

#include "base/real.h"

/* --- scales -----------------------------------------------------------------
 */

berth_status kernel_unary_scales(const berth_node *node, struct unary *unary,
                                 berth_diag *diag)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    *unary = (struct unary){
        .zero_in = kernel_zero_point(in),
        .zero_out = kernel_zero_point(out),
        .to = kernel_clamp_of(out, KERNEL_ACTIVATION_NONE),
        .scale_in = kernel_scale(in, 0),
        .scale_out = kernel_scale(out, 0),
    };
    if (out->type == BERTH_INT16 &&
        (unary->zero_in != 0 || unary->zero_out != 0)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a zero point of 16 bits that is not 0");
    }
    return BERTH_OK;
}

static berth_status set_ratio(double real, struct requant *by, berth_diag *diag)
{
    BERTH_TRY(kernel_check_ratio(real, 30, diag));
    *by = kernel_requant_of(real);
    return BERTH_OK;
}

/* Ratios are quotients of floats, as TensorFlow Lite makes them. */
berth_status kernel_unary_rescale(const berth_node *node, struct unary *unary,
                                  berth_diag *diag)
{
    BERTH_TRY(kernel_unary_scales(node, unary, diag));
    return set_ratio((double)(unary->scale_in / unary->scale_out), &unary->by,
                     diag);
}

/* The clamp, in the output's steps. TFLM's RELU6 clamps what it reads, and
 * takes both scales for one. */
berth_status kernel_unary_relu(const berth_node *node, struct unary *unary,
                               berth_diag *diag)
{
    const berth_operand *out = &node->outputs[0];
    const uint32_t code = node->op->code;
    BERTH_TRY(kernel_unary_rescale(node, unary, diag));
    if (code == BERTH_OP_RELU6 && node->profile == BERTH_PROFILE_TFLM) {
        unary->by = kernel_requant_of(1);
        unary->zero_out = unary->zero_in;
        unary->to = kernel_clamp_of(&node->inputs[0], KERNEL_ACTIVATION_RELU6);
        return BERTH_OK;
    }
    const struct clamp one =
        kernel_clamp_of(out, KERNEL_ACTIVATION_RELU_N1_TO_1);
    unary->to = code == BERTH_OP_RELU6
                    ? kernel_clamp_of(out, KERNEL_ACTIVATION_RELU6)
                    : kernel_clamp_of(out, KERNEL_ACTIVATION_RELU);
    if (code == BERTH_OP_RELU_N1_TO_1) {
        unary->to = one;
    } else if (code == BERTH_OP_RELU_0_TO_1) {
        unary->to.high = one.high;
    }
    return BERTH_OK;
}

berth_status kernel_unary_leaky(const berth_node *node, struct unary *unary,
                                berth_diag *diag)
{
    BERTH_TRY(kernel_unary_rescale(node, unary, diag));
    const float alpha =
        berth_option_float(node->op, BERTH_OPT_LeakyReluOptions_alpha);
    const double real = (double)(unary->scale_in * alpha / unary->scale_out);
    if (!real_is_finite(real)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an alpha that is no number");
    }
    BERTH_TRY(kernel_check_ratio(real_abs(real), 30, diag));
    unary->below = kernel_requant_of(real);
    return BERTH_OK;
}

/* Both multipliers have 16 bits. */
static struct requant cut_to_16(double real)
{
    struct requant by = kernel_requant_of(real);
    by.multiplier = by.multiplier >= INT32_MAX - (1 << 15)
                        ? INT16_MAX
                        : (by.multiplier + (1 << 15)) >> 16;
    return by;
}

berth_status kernel_unary_hard_swish(const berth_node *node,
                                     struct unary *unary, berth_diag *diag)
{
    BERTH_TRY(kernel_unary_scales(node, unary, diag));
    const float fine = (1.0f / 128.0f) * unary->scale_in;
    const double out = (double)(fine / unary->scale_out);
    const double unit = (double)(fine / (3.0f / 32768.0f));
    BERTH_TRY(kernel_check_ratio(unit, 15, diag));
    BERTH_TRY(kernel_check_ratio(out, 15, diag));
    unary->by = cut_to_16(out);
    unary->below = cut_to_16(unit);
    return unary->by.shift <= 0
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "an output's scale far below the input's");
}

berth_status kernel_unary_inverse_root(const berth_node *node,
                                       struct unary *unary, berth_diag *diag)
{
    enum { SHIFT_LEAST = -11 };
    BERTH_TRY(kernel_unary_scales(node, unary, diag));
    const float root = (float)real_sqrt((double)unary->scale_in);
    BERTH_TRY(
        set_ratio(1.0 / (double)(root * unary->scale_out), &unary->by, diag));
    return unary->by.shift >= SHIFT_LEAST
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "scales too large for an inverse root");
}

/* LOGISTIC and TANH of 16 bits: the output holds [-1, 1). */
berth_status kernel_unary_curve16(const berth_node *node, struct unary *unary,
                                  berth_diag *diag)
{
    const int32_t most = node->op->code == BERTH_OP_TANH ? 1 : 0;
    int32_t log = 0;
    BERTH_TRY(kernel_unary_scales(node, unary, diag));
    if (!kernel_is_power_of_two(unary->scale_out, &log) || log != -15) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an output of 16 bits whose scale is not 2^-15");
    }
    return kernel_curve16_of(unary->scale_in, most, &unary->curve, diag);
}

/* --- arithmetic -------------------------------------------------------------
 */

static int32_t saturate16(int32_t value)
{
    return value > INT16_MAX   ? INT16_MAX
           : value < INT16_MIN ? INT16_MIN
                               : value;
}

/* The high half of a doubled product of 16 bits, halves away from zero. */
static int32_t high_half16(int32_t a, int32_t b)
{
    const int32_t product = a * b;
    const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
    return saturate16((product + nudge) / (1 << 15));
}

/* All in 16 bits: the value, times it as a number of [0, 1] that is 0 at -3 and
 * 1 at 3. */
int32_t kernel_unary_hard_swish_at(const struct unary *u, int32_t q)
{
    const int32_t fine = (int16_t)((q - u->zero_in) * (1 << 7));
    const int32_t value = high_half16(fine, u->by.multiplier);
    const int32_t shift = u->below.shift;
    int32_t unit = fine;
    if (shift > 0) {
        unit = saturate16(unit * (1 << (shift - 1)));
    }
    unit = high_half16(unit, u->below.multiplier);
    unit = shift > 0 ? saturate16(unit * 2) : requant_shift_right(unit, -shift);
    unit = (unit + (1 << 15)) >> 1;
    const int32_t product = unit * value / (1 << 15);
    const int32_t placed = requant_shift_right(product, -u->by.shift);
    return unary_placed(u, placed);
}

int32_t kernel_unary_sqrt_at(const struct unary *u, int32_t q)
{
    const float x = u->scale_in * (float)(q - u->zero_in);
    const float steps = (float)real_sqrt((double)x) / u->scale_out;
    return unary_placed(u, steps < (float)INT16_MAX * 2 ? (int32_t)steps
                                                        : INT16_MAX * 2);
}

int32_t kernel_unary_rsqrt_at(const struct unary *u, int32_t q)
{
    enum { BITS = 20 }; /* keep the root a whole number */
    const int32_t value = q - u->zero_in;
    if (value == 0) {
        return u->to.high;
    }
    struct requant root = fixed_inverse_root(value);
    struct requant by = u->by;
    root.shift += BITS;
    by.shift -= BITS;
    return unary_placed(u, requant_twice(requant_twice(1, root), by));
}

int32_t kernel_unary_logistic_at(const struct unary *u, int32_t q)
{
    return kernel_logistic16(&u->curve, q);
}

int32_t kernel_unary_tanh_at(const struct unary *u, int32_t q)
{
    return kernel_tanh16(&u->curve, q);
}

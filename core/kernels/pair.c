/* Scales of two operands and of their sum, product or quotient. */
#include "kernels/pair.h"

/* All three have one scale, and 16-bit ones no zero point. */
static berth_status check_pair(const berth_node *node, int64_t activation,
                               struct pair *pair, berth_diag *diag)
{
    const berth_operand *out = &node->outputs[0];
    BERTH_TRY(kernel_check_activation(activation, diag));
    BERTH_TRY(kernel_check_per_tensor(&node->inputs[0], diag));
    BERTH_TRY(kernel_check_per_tensor(&node->inputs[1], diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    *pair = (struct pair){
        .zero = {kernel_zero_point(&node->inputs[0]),
                 kernel_zero_point(&node->inputs[1])},
        .zero_out = kernel_zero_point(out),
        .to = kernel_clamp_of(out, activation),
    };
    return BERTH_OK;
}

static berth_status check_symmetric(const berth_node *node,
                                    const struct pair *pair, berth_diag *diag)
{
    return node->outputs[0].type != BERTH_INT16 ||
                   (pair->zero[0] == 0 && pair->zero[1] == 0 &&
                    pair->zero_out == 0)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "a zero point of 16 bits that is not 0");
}

/* The multipliers to twice the larger scale; returns that, in double. */
static double common_scale(const berth_node *node, struct pair *pair)
{
    const float a = kernel_scale(&node->inputs[0], 0);
    const float b = kernel_scale(&node->inputs[1], 0);
    const double twice = (double)(2.0f * (a > b ? a : b));
    pair->by[0] = kernel_requant_of((double)a / twice);
    pair->by[1] = kernel_requant_of((double)b / twice);
    return twice;
}

/* Only one operand may be shifted, to the right. TFLM shifts none. */
static berth_status shifted_sum(const berth_node *node, struct pair *pair,
                                berth_diag *diag)
{
    enum { SHIFT_MOST = 15 };
    int32_t a = 0, b = 0, out = 0;
    if (!kernel_is_power_of_two(kernel_scale(&node->inputs[0], 0), &a) ||
        !kernel_is_power_of_two(kernel_scale(&node->inputs[1], 0), &b) ||
        !kernel_is_power_of_two(kernel_scale(&node->outputs[0], 0), &out)) {
        return BERTH_OK;
    }
    pair->shifted = true;
    a = out - a;
    b = out - b;
    if (a < 0 || b < 0 || a > SHIFT_MOST || b > SHIFT_MOST ||
        (a != 0 && b != 0)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "power-of-two scales that are not one shift apart");
    }
    pair->by[0] = (struct requant){0, -a};
    pair->by[1] = (struct requant){0, -b};
    return BERTH_OK;
}

berth_status kernel_pair_sum(const berth_node *node, int64_t activation,
                             struct pair *pair, berth_diag *diag)
{
    const bool wide = node->outputs[0].type == BERTH_INT16;
    const bool adds = node->op->code == BERTH_OP_ADD;
    const berth_option pot = adds ? BERTH_OPT_AddOptions_pot_scale_int16
                                  : BERTH_OPT_SubOptions_pot_scale_int16;
    BERTH_TRY(check_pair(node, activation, pair, diag));
    BERTH_TRY(check_symmetric(node, pair, diag));
    if (wide && node->profile == BERTH_PROFILE_LITERT &&
        berth_option_int(node->op, pot) != 0) {
        BERTH_TRY(shifted_sum(node, pair, diag));
    }
    if (pair->shifted) {
        return BERTH_OK;
    }
    pair->left = wide ? 15 : 20;
    const double twice = common_scale(node, pair);
    const double out = (double)((float)(INT32_C(1) << pair->left) *
                                kernel_scale(&node->outputs[0], 0));
    const int32_t shift = adds ? 0 : 30; /* ADD's ratio stays below 1 */
    BERTH_TRY(kernel_check_ratio(twice / out, shift, diag));
    pair->by_out = kernel_requant_of(twice / out);
    return BERTH_OK;
}

berth_status kernel_pair_square(const berth_node *node, int64_t activation,
                                struct pair *pair, berth_diag *diag)
{
    enum { LEFT = 7 };
    BERTH_TRY(check_pair(node, activation, pair, diag));
    pair->left = LEFT;
    const double twice = common_scale(node, pair);
    const double out = (double)((float)(INT32_C(1) << (2 * LEFT)) *
                                kernel_scale(&node->outputs[0], 0));
    BERTH_TRY(kernel_check_ratio(twice * twice / out, 0, diag));
    pair->by_out = kernel_requant_of(twice * twice / out);
    return BERTH_OK;
}

/* The next two divide floats, as TensorFlow Lite does; TFLM's product is one of
 * doubles. */
berth_status kernel_pair_product(const berth_node *node, int64_t activation,
                                 struct pair *pair, berth_diag *diag)
{
    BERTH_TRY(check_pair(node, activation, pair, diag));
    BERTH_TRY(check_symmetric(node, pair, diag));
    const float a = kernel_scale(&node->inputs[0], 0);
    const float b = kernel_scale(&node->inputs[1], 0);
    const float out = kernel_scale(&node->outputs[0], 0);
    const double real = node->profile == BERTH_PROFILE_TFLM
                            ? (double)a * (double)b / (double)out
                            : (double)(a * b / out);
    BERTH_TRY(kernel_check_ratio(real, 30, diag));
    pair->by_out = kernel_requant_of(real);
    return BERTH_OK;
}

berth_status kernel_pair_quotient(const berth_node *node, int64_t activation,
                                  struct pair *pair, berth_diag *diag)
{
    BERTH_TRY(check_pair(node, activation, pair, diag));
    const float real = kernel_scale(&node->inputs[0], 0) /
                       (kernel_scale(&node->inputs[1], 0) *
                        kernel_scale(&node->outputs[0], 0));
    BERTH_TRY(kernel_check_ratio((double)real, 30, diag));
    pair->by_out = kernel_requant_of((double)real);
    return BERTH_OK;
}

/* value / 2^right, as the reference's machine has it where right is no shift of
 * 32 bits: it counts shifts of 64 and 32 bits modulo those. */
static int32_t shift_anywhere(int32_t value, int32_t right)
{
    const uint32_t bits = (uint32_t)right;
    const int32_t mask =
        (int32_t)(uint32_t)((UINT64_C(1) << (bits & 63u)) - 1u);
    const int32_t rest = value & mask;
    const int32_t half = (mask >> 1) + (value < 0);
    return wrap_add(value >> (bits & 31u), rest > half);
}

/* Both signs are turned for a positive divisor; the numerator is brought up to
 * 31 bits, multiplied by the reciprocal, and all shifts are made at the end. */
int32_t kernel_pair_div(const struct pair *p, int32_t a, int32_t b)
{
    const int32_t above = a - p->zero[0];
    const int32_t below = b - p->zero[1];
    const int32_t sign = below < 0 ? -1 : 1;
    const int32_t up = sign * above;
    const int32_t size = up < 0 ? ~up : up;
    const int32_t headroom = fixed_leading_zeros((uint32_t)size) - 1;
    int32_t over = 0;
    const int32_t inverse = fixed_reciprocal(sign * below, 31, &over);
    const int32_t quotient = requant_high_half(
        (int32_t)((uint32_t)up << (uint32_t)headroom), inverse);
    const int32_t right = over + headroom - p->by_out.shift;
    const int32_t product = requant_high_half(quotient, p->by_out.multiplier);
    return requant_place(shift_anywhere(product, right), p->zero_out, p->to);
}

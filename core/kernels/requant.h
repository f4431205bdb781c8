/* requant.h: the integer arithmetic that quantized operators share.
 *
 * A quantized value q is worth scale * (q - zero_point). An operator adds up
 * integers and multiplies the sum by a real number, the ratio of scales, which
 * is kept as a multiplier of 31 bits and a shift. TensorFlow Lite's kernels
 * round that product in four ways; each is here once, under its name. Formulas:
 * TensorFlow Lite's quantization_util and common.h, gemmlowp's fixedpoint.h.
 *
 * Sums wrap and products saturate: no operand makes behaviour undefined. */
#ifndef BERTH_REQUANT_H
#define BERTH_REQUANT_H

#include "kernels/kernel_int.h"

#include <float.h>

/* A real number: multiplier * 2^(shift - 31). |multiplier| is 0 or at least
 * 2^30, shift lies in -31..30. */
struct requant {
    int32_t multiplier;
    int32_t shift;
};

/* The nearest such number; tiny ones become 0, huge ones the largest. real is
 * finite. */
struct requant kernel_requant_of(double real);

/* --- sums and roundings -----------------------------------------------------
 */

static inline int32_t wrap_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t wrap_mul(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

static inline int64_t wrap_add_64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The high half of the doubled product, halves up; saturates. */
static inline int32_t requant_high_half(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;
    const int64_t half = (product + (INT64_C(1) << 30)) >> 31;
    return half > INT32_MAX ? INT32_MAX : (int32_t)half;
}

/* value / 2^shift, halves away from zero; shift in 0..31. */
static inline int32_t requant_shift_right(int32_t value, int32_t shift)
{
    const int32_t mask = (int32_t)((UINT32_C(1) << shift) - 1);
    const int32_t rest = value & mask;
    const int32_t half = (mask >> 1) + (value < 0);
    return (value >> shift) + (rest > half);
}

/* Rounds twice: the high half of the doubled product, then the shift. This is
 * what TFLite calls MultiplyByQuantizedMultiplier. */
static inline int32_t requant_twice(int32_t value, struct requant by)
{
    const int32_t left = by.shift > 0 ? by.shift : 0;
    const int32_t right = by.shift > 0 ? 0 : -by.shift;
    const int32_t scaled = (int32_t)((uint32_t)value << left);
    return requant_shift_right(requant_high_half(scaled, by.multiplier), right);
}

/* Rounds once, halves up: the whole product of 64 bits, then the shift. */
static inline int32_t requant_once(int32_t value, struct requant by)
{
    const int32_t shift = 31 - by.shift;
    const int64_t half = INT64_C(1) << (shift - 1);
    return (int32_t)(((int64_t)value * by.multiplier + half) >> shift);
}

/* For sums of 64 bits (16-bit activations): the multiplier is cut to 15 bits,
 * halves go up. by.shift is at most 14 (kernel_check_ratio sees to it). */
static inline int32_t requant_wide(int64_t value, struct requant by)
{
    const int32_t cut =
        by.multiplier < 0x7FFF0000 ? (by.multiplier + (1 << 15)) >> 16 : 0x7FFF;
    const int32_t shift = 15 - by.shift;
    const int64_t half = INT64_C(1) << (shift - 1);
    const int64_t product = (int64_t)((uint64_t)value * (uint64_t)(int64_t)cut);
    return (int32_t)(wrap_add_64(product, half) >> shift);
}

/* The nearest integer, halves away from zero; saturates. For kernels that
 * multiply by the real number itself. */
static inline int32_t requant_nearest(double value)
{
    if (value >= INT32_MAX) {
        return INT32_MAX;
    }
    if (!(value > INT32_MIN)) {
        return INT32_MIN;
    }
    const int32_t whole = (int32_t)value;
    const double rest = value - whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* --- quantization of operands -----------------------------------------------
 */

/* BERTH_BAD_MODEL unless the operand has scales, all finite and above 0 (those
 * of a constant that has several may be any finite number), and zero points
 * within its type, as many as scales or none. BERTH_UNSUPPORTED for blockwise
 * and custom quantization. */
berth_status kernel_check_quantized(const berth_operand *operand,
                                    berth_diag *diag);

/* As above, and of one scale and zero point for all elements. */
berth_status kernel_check_per_tensor(const berth_operand *operand,
                                     berth_diag *diag);

/* BERTH_BAD_MODEL unless a ratio of scales fits a requant with a shift of at
 * most `shift`. */
berth_status kernel_check_ratio(double real, int32_t shift, berth_diag *diag);

/* Of a checked operand: the scale and zero point that channel i has (one may
 * stand for all; a zero point that is not given is 0), and those of the
 * whole. */
static inline float kernel_scale(const berth_operand *operand, uint32_t i)
{
    const berth_quantization *q = &operand->quantization;
    return berth_quantization_scale(q, q->scale_count == 1 ? 0 : i);
}

static inline int32_t kernel_zero_point_at(const berth_operand *operand,
                                           uint32_t i)
{
    const berth_quantization *q = &operand->quantization;
    return q->zero_point_count == 0 ? 0
                                    : (int32_t)berth_quantization_zero_point(
                                          q, q->zero_point_count == 1 ? 0 : i);
}

static inline int32_t kernel_zero_point(const berth_operand *operand)
{
    return kernel_zero_point_at(operand, 0);
}

/* --- fused activations ------------------------------------------------------
 */

/* ActivationFunctionType of the schema. */
enum kernel_activation {
    KERNEL_ACTIVATION_NONE,
    KERNEL_ACTIVATION_RELU,
    KERNEL_ACTIVATION_RELU_N1_TO_1,
    KERNEL_ACTIVATION_RELU6
};

/* BERTH_UNSUPPORTED for those that do not clamp (TANH, SIGN_BIT). */
berth_status kernel_check_activation(int64_t activation, berth_diag *diag);

/* What an output is clamped to, low <= high. */
struct clamp {
    int32_t low;
    int32_t high;
};

struct clamp_f32 {
    float low;
    float high;
};

/* The activation in the output's quantization, within its type (int8, uint8,
 * int16). */
struct clamp kernel_clamp_of(const berth_operand *output, int64_t activation);

/* Without activation: the finite numbers, as TFLite has it. */
struct clamp_f32 kernel_clamp_f32_of(int64_t activation);

/* A NaN passes. */
static inline float clamp_f32(float value, struct clamp_f32 to)
{
    const float raised = value < to.low ? to.low : value;
    return to.high < raised ? to.high : raised;
}

/* A requantised sum moved to the zero point and clamped, without overflow. Both
 * ends of the clamp are within 16 bits. */
static inline int32_t requant_place(int32_t value, int32_t zero_point,
                                    struct clamp to)
{
    const int32_t low = to.low - zero_point;
    const int32_t high = to.high - zero_point;
    const int32_t raised = value < low ? low : value;
    return (raised > high ? high : raised) + zero_point;
}

#endif

/* Multipliers from real numbers, checks of quantization, clamps of fused
 * activations. */
#include "kernels/requant.h"

/* --- multipliers ------------------------------------------------------------
 */

enum {
    MANTISSA_BITS = 52,
    EXPONENT_MASK = 0x7FF,
    EXPONENT_OF_HALF = 1022, /* biased exponent of [0.5, 1) */
    SHIFT_LEAST = -31,
    SHIFT_MOST = 30
};

struct requant kernel_requant_of(double real)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &real, sizeof(bits));
    const bool negative = bits >> 63 != 0;
    const uint64_t hidden = UINT64_C(1) << MANTISSA_BITS;
    const uint64_t mantissa = (bits & (hidden - 1)) | hidden;
    const int32_t cut = MANTISSA_BITS + 1 - 31;
    int64_t multiplier =
        (int64_t)((mantissa + (UINT64_C(1) << (cut - 1))) >> cut);
    int32_t shift =
        (int32_t)((bits >> MANTISSA_BITS) & EXPONENT_MASK) - EXPONENT_OF_HALF;
    if (multiplier > INT32_MAX) { /* rounded up to the next power of two */
        multiplier /= 2;
        ++shift;
    }
    if (shift < SHIFT_LEAST) { /* subnormal numbers and 0 too */
        return (struct requant){0, 0};
    }
    if (shift > SHIFT_MOST) {
        multiplier = INT32_MAX;
        shift = SHIFT_MOST;
    }
    const int32_t size = (int32_t)multiplier;
    return (struct requant){negative ? -size : size, shift};
}

/* --- checks -----------------------------------------------------------------
 */

struct integer_range {
    uint8_t type;
    int64_t low;
    int64_t high;
};

static const struct integer_range integer_ranges[] = {
    {BERTH_INT8, INT8_MIN, INT8_MAX},
    {BERTH_UINT8, 0, UINT8_MAX},
    {BERTH_INT16, INT16_MIN, INT16_MAX},
    {BERTH_UINT16, 0, UINT16_MAX},
    {BERTH_INT32, INT32_MIN, INT32_MAX},
    {BERTH_INT4, -8, 7},
    {BERTH_UINT4, 0, 15},
    {BERTH_INT2, -2, 1},
};

/* NULL: no type that a quantized operand has. */
static const struct integer_range *integer_range_of(uint8_t type)
{
    const uint32_t n = sizeof(integer_ranges) / sizeof(integer_ranges[0]);
    for (uint32_t i = 0; i < n; ++i) {
        if (integer_ranges[i].type == type) {
            return &integer_ranges[i];
        }
    }
    return NULL;
}

/* Nobody divides by the scales of weights, so that those of single channels may
 * be 0 or negative: mcunet has such. */
static bool is_sane_scale(const berth_operand *operand, uint32_t i)
{
    const float scale = berth_quantization_scale(&operand->quantization, i);
    const bool of_weights = berth_operand_is(operand, BERTH_OPERAND_CONSTANT) &&
                            operand->quantization.scale_count > 1;
    return of_weights ? scale >= -FLT_MAX && scale <= FLT_MAX
                      : scale > 0 && scale <= FLT_MAX; /* false for NaN */
}

berth_status kernel_check_quantized(const berth_operand *operand,
                                    berth_diag *diag)
{
    const berth_quantization *q = &operand->quantization;
    const struct integer_range *range = integer_range_of(operand->type);
    if (range == NULL) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a quantized operand of this type");
    }
    if (q->details != 0) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "blockwise or custom quantization");
    }
    if (!q->present || q->scale_count == 0) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an operand has no quantization parameters");
    }
    if (q->zero_point_count != 0 && q->zero_point_count != q->scale_count) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "scales and zero points differ in number");
    }
    for (uint32_t i = 0; i < q->scale_count; ++i) {
        if (!is_sane_scale(operand, i)) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "a scale is not finite and above 0");
        }
    }
    for (uint32_t i = 0; i < q->zero_point_count; ++i) {
        const int64_t zero = berth_quantization_zero_point(q, i);
        if (zero < range->low || zero > range->high) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "a zero point is outside its type");
        }
    }
    return BERTH_OK;
}

berth_status kernel_check_per_tensor(const berth_operand *operand,
                                     berth_diag *diag)
{
    BERTH_TRY(kernel_check_quantized(operand, diag));
    return operand->quantization.scale_count == 1
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "an operand with a scale for each channel");
}

berth_status kernel_check_ratio(double real, int32_t shift, berth_diag *diag)
{
    const double limit = (double)(INT64_C(1) << shift);
    return real < limit ? BERTH_OK
                        : berth_refuse(diag, BERTH_BAD_MODEL,
                                       "the ratio of scales is too large");
}

berth_status kernel_check_activation(int64_t activation, berth_diag *diag)
{
    return activation >= KERNEL_ACTIVATION_NONE &&
                   activation <= KERNEL_ACTIVATION_RELU6
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "a fused activation that does not clamp");
}

/* --- activations ------------------------------------------------------------
 */

struct clamp_f32 kernel_clamp_f32_of(int64_t activation)
{
    static const struct clamp_f32 of[] = {
        [KERNEL_ACTIVATION_NONE] = {-FLT_MAX, FLT_MAX},
        [KERNEL_ACTIVATION_RELU] = {0, FLT_MAX},
        [KERNEL_ACTIVATION_RELU_N1_TO_1] = {-1, 1},
        [KERNEL_ACTIVATION_RELU6] = {0, 6},
    };
    return of[activation];
}

/* An end of the activation as an integer of the output; an end that is not
 * there stays at the end of the type. */
static int32_t quantized_end(const berth_operand *output, float end)
{
    const struct integer_range *range = integer_range_of(output->type);
    const float steps = end / kernel_scale(output, 0);
    const int64_t value =
        (int64_t)requant_nearest((double)steps) + kernel_zero_point(output);
    const int64_t raised = value < range->low ? range->low : value;
    return (int32_t)(raised > range->high ? range->high : raised);
}

struct clamp kernel_clamp_of(const berth_operand *output, int64_t activation)
{
    const struct clamp_f32 real = kernel_clamp_f32_of(activation);
    const struct integer_range *range = integer_range_of(output->type);
    struct clamp to = {(int32_t)range->low, (int32_t)range->high};
    if (real.low > -FLT_MAX) {
        to.low = quantized_end(output, real.low);
    }
    if (real.high < FLT_MAX) {
        to.high = quantized_end(output, real.high);
    }
    return to;
}

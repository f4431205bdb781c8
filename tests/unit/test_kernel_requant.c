/* Multipliers, roundings and clamps, against the same in wide or real
 * arithmetic. */
#include "kernels/requant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRIES = 200000 };

static uint64_t state_of_draw = 7;

static uint64_t draw(void)
{
    uint64_t z = state_of_draw += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A real number of any size that a ratio of scales has. */
static double draw_real(void)
{
    const double mantissa = 1 + (double)(draw() >> 12) / (double)(1ull << 52);
    return ldexp(mantissa, (int)(draw() % 44) - 33);
}

static int32_t draw_int(void)
{
    return (int32_t)((uint32_t)draw() >> draw() % 32) *
           (draw() % 2 == 0 ? 1 : -1);
}

/* The definition: 31 bits of the mantissa, rounded. */
static void a_multiplier_is_the_nearest(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TRIES; ++i) {
        const double real = draw_real();
        int shift = 0;
        int64_t whole = (int64_t)round(frexp(real, &shift) * 2147483648.0);
        if (whole == INT64_C(1) << 31) {
            whole /= 2;
            ++shift;
        }
        const struct requant by = kernel_requant_of(real);
        if (shift < -31) {
            assert_int_equal(by.multiplier, 0);
            continue;
        }
        assert_int_equal(by.multiplier, whole);
        assert_int_equal(by.shift, shift);
        const struct requant minus = kernel_requant_of(-real);
        assert_int_equal(minus.multiplier, -by.multiplier);
        assert_int_equal(minus.shift, by.shift);
    }
}

static void odd_multipliers(void **state)
{
    (void)state;
    assert_int_equal(kernel_requant_of(0).multiplier, 0);
    assert_int_equal(kernel_requant_of(5e-324).multiplier, 0);
    assert_int_equal(kernel_requant_of(1e300).multiplier, INT32_MAX);
    assert_int_equal(kernel_requant_of(1e300).shift, 30);
    const struct requant one = kernel_requant_of(1);
    assert_int_equal(one.multiplier, 1 << 30);
    assert_int_equal(one.shift, 1);
}

/* gemmlowp's formula, divided as it is written there. */
static int32_t high_half_by_division(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;
    const int64_t nudge =
        product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
    return (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

static void rounding_twice_is_two_roundings(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TRIES; ++i) {
        const int32_t value = draw_int();
        const struct requant by = kernel_requant_of(draw_real());
        const int32_t left = by.shift > 0 ? by.shift : 0;
        const int32_t high = high_half_by_division(
            (int32_t)((uint32_t)value << left), by.multiplier);
        const double down =
            by.shift > 0 ? (double)high : ldexp((double)high, by.shift);
        assert_int_equal(requant_twice(value, by), (int32_t)round(down));
    }
}

static void the_only_product_that_saturates(void **state)
{
    (void)state;
    assert_int_equal(requant_high_half(INT32_MIN, INT32_MIN), INT32_MAX);
    assert_int_equal(requant_high_half(INT32_MIN, INT32_MAX), -INT32_MAX);
}

static void rounding_once_goes_up_at_a_half(void **state)
{
    (void)state;
    const struct requant half = kernel_requant_of(0.5);
    assert_int_equal(requant_once(3, half), 2);
    assert_int_equal(requant_once(-3, half), -1);
    assert_int_equal(requant_twice(3, half), 2);
    assert_int_equal(requant_twice(-3, half), -1);
    for (uint32_t i = 0; i < TRIES; ++i) {
        const int32_t value = (int32_t)draw() >> 8;
        const double real = draw_real();
        const struct requant by = kernel_requant_of(real);
        const double exact = (double)value * (double)by.multiplier;
        if (by.shift > 6) {
            continue;
        }
        const double want = floor(ldexp(exact, by.shift - 31) + 0.5);
        assert_int_equal(requant_once(value, by), (int32_t)want);
    }
}

static void wide_sums_have_a_multiplier_of_15_bits(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TRIES; ++i) {
        const int64_t value = (int64_t)draw() >> (17 + draw() % 46);
        struct requant by = kernel_requant_of(draw_real());
        if (by.multiplier == 0 || by.shift > 0) {
            continue;
        }
        const int64_t cut = by.multiplier >= 0x7FFF0000
                                ? 0x7FFF
                                : (by.multiplier + 0x8000) / 0x10000;
        const double want =
            floor(ldexp((double)(value * cut), by.shift - 15) + 0.5);
        if (fabs(want) < 2147483647.0 && (value * cut) >> 52 == 0) {
            assert_int_equal(requant_wide(value, by), (int32_t)want);
        }
    }
}

static void the_nearest_integer(void **state)
{
    (void)state;
    assert_int_equal(requant_nearest(0.49999999999999994), 0);
    assert_int_equal(requant_nearest(0.5), 1);
    assert_int_equal(requant_nearest(-0.5), -1);
    assert_int_equal(requant_nearest(-2.5), -3);
    assert_int_equal(requant_nearest(2147483646.5), INT32_MAX);
    assert_int_equal(requant_nearest(1e30), INT32_MAX);
    assert_int_equal(requant_nearest(-1e30), INT32_MIN);
    assert_int_equal(requant_nearest((double)NAN), INT32_MIN);
    for (uint32_t i = 0; i < TRIES; ++i) {
        const double value = (double)draw_int() / 1024.0;
        assert_int_equal(requant_nearest(value), (int32_t)round(value));
    }
}

static berth_operand quantized(uint8_t type, const float *scale,
                               const int64_t *zero)
{
    return (berth_operand){
        .type = type,
        .quantization = {.present = true,
                         .scale_count = 1,
                         .zero_point_count = 1,
                         .scales = (const uint8_t *)scale,
                         .zero_points = (const uint8_t *)zero}};
}

static void activations_are_clamps(void **state)
{
    (void)state;
    const float scale = 0.05f;
    const int64_t zero = -10;
    const berth_operand out = quantized(BERTH_INT8, &scale, &zero);
    const struct clamp none = kernel_clamp_of(&out, KERNEL_ACTIVATION_NONE);
    assert_int_equal(none.low, -128);
    assert_int_equal(none.high, 127);
    const struct clamp six = kernel_clamp_of(&out, KERNEL_ACTIVATION_RELU6);
    assert_int_equal(six.low, -10);
    assert_int_equal(six.high, 110);
    const struct clamp one =
        kernel_clamp_of(&out, KERNEL_ACTIVATION_RELU_N1_TO_1);
    assert_int_equal(one.low, -30);
    assert_int_equal(one.high, 10);
}

/* However small the scale, a clamp stays within the type. */
static void a_clamp_is_within_the_type(void **state)
{
    (void)state;
    const float scale = 1e-38f;
    const int64_t zero = 127;
    const berth_operand out = quantized(BERTH_INT8, &scale, &zero);
    const struct clamp six = kernel_clamp_of(&out, KERNEL_ACTIVATION_RELU6);
    assert_int_equal(six.low, 127);
    assert_int_equal(six.high, 127);
    assert_int_equal(requant_place(INT32_MAX, 127, six), 127);
    assert_int_equal(requant_place(INT32_MIN, 127, six), 127);
}

static void strange_quantization_is_refused(void **state)
{
    (void)state;
    const float scales[] = {-1, (float)NAN, (float)INFINITY};
    const int64_t zero = 0;
    for (uint32_t i = 1; i < 3; ++i) {
        const berth_operand o = quantized(BERTH_INT8, &scales[i], &zero);
        assert_int_equal(kernel_check_quantized(&o, NULL), BERTH_BAD_MODEL);
    }
    const float one = 1;
    const int64_t far = 128;
    const berth_operand outside = quantized(BERTH_INT8, &one, &far);
    assert_int_equal(kernel_check_quantized(&outside, NULL), BERTH_BAD_MODEL);
    berth_operand none = quantized(BERTH_INT8, &one, &zero);
    none.quantization.present = false;
    assert_int_equal(kernel_check_quantized(&none, NULL), BERTH_BAD_MODEL);
    berth_operand block = quantized(BERTH_INT8, &one, &zero);
    block.quantization.details = 2;
    assert_int_equal(kernel_check_quantized(&block, NULL), BERTH_UNSUPPORTED);
    const berth_operand text = quantized(BERTH_STRING, &one, &zero);
    assert_int_equal(kernel_check_quantized(&text, NULL), BERTH_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_multiplier_is_the_nearest),
        cmocka_unit_test(odd_multipliers),
        cmocka_unit_test(rounding_twice_is_two_roundings),
        cmocka_unit_test(the_only_product_that_saturates),
        cmocka_unit_test(rounding_once_goes_up_at_a_half),
        cmocka_unit_test(wide_sums_have_a_multiplier_of_15_bits),
        cmocka_unit_test(the_nearest_integer),
        cmocka_unit_test(activations_are_clamps),
        cmocka_unit_test(a_clamp_is_within_the_type),
        cmocka_unit_test(strange_quantization_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

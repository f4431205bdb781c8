/* Functions that kernels make of exp(): fast blocks against the C library, the
 * fixed-point ones against reals, and the table of the 16-bit logistic. */
#include "kernels/curve16.h"
#include "kernels/fixed.h"
#include "kernels/opt/c/opt_curve.h"
#include "kernels/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_model.h"

static float any_float(uint64_t *seed)
{
    const uint32_t bits = seed_below(seed, 1u << 31) << 1 | seed_below(seed, 2);
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Distance in units of the last place of `exact` as a float. */
static double float_ulps(float got, double exact)
{
    const float near = (float)exact;
    int n = 0;
    if (isnan(got) || isnan(near) || isinf(got) || isinf(near)) {
        return (isnan(got) && isnan(near)) || got == near ? 0 : 1e9;
    }
    (void)frexpf(near, &n);
    n = n < -125 ? -125 : n;
    return fabs((double)got - exact) / ldexp(1, n - 24);
}

static double exact_logistic(double x)
{
    return 1 / (1 + exp(-x));
}

typedef struct block_case {
    const char *name;
    void (*block)(float x[CURVE_BLOCK]);
    double (*exact)(double);
} block_case;

static double exact_elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

static const block_case blocks[] = {
    {"exp", kernel_opt_exp, exp},
    {"logistic", kernel_opt_logistic, exact_logistic},
    {"tanh", kernel_opt_tanh, tanh},
    {"elu", kernel_opt_elu, exact_elu},
};

static void fast_blocks_are_within_an_ulp(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); ++b) {
        uint64_t seed = b + 1;
        double worst = 0;
        for (int i = 0; i < COUNT; ++i) {
            float x[CURVE_BLOCK];
            float y[CURVE_BLOCK];
            for (int l = 0; l < CURVE_BLOCK; ++l) {
                x[l] =
                    l % 2 == 0
                        ? any_float(&seed)
                        : ((float)seed_below(&seed, 1u << 24) / (1 << 23) - 1) *
                              20;
            }
            memcpy(y, x, sizeof(y));
            blocks[b].block(y);
            for (int l = 0; l < CURVE_BLOCK; ++l) {
                const double off =
                    float_ulps(y[l], blocks[b].exact((double)x[l]));
                worst = off > worst ? off : worst;
            }
        }
        print_message("%s: %.4f ulp\n", blocks[b].name, worst);
        assert_true(worst <= 1);
    }
}

static void fast_blocks_keep_what_is_special(void **state)
{
    (void)state;
    const float special[CURVE_BLOCK] = {NAN,   INFINITY, -INFINITY, 0.0f,
                                        -0.0f, 1e38f,    -1e38f,    1e-40f};
    for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); ++b) {
        float y[CURVE_BLOCK];
        memcpy(y, special, sizeof(y));
        blocks[b].block(y);
        for (int l = 0; l < CURVE_BLOCK; ++l) {
            const double exact = blocks[b].exact((double)special[l]);
            assert_true(float_ulps(y[l], exact) <= 1);
            assert_true(isnan(y[l]) || !signbit(y[l]) == !signbit(exact));
        }
    }
}

/* --- fixed point ------------------------------------------------------------
 */

static double further(double worst, double off)
{
    return fabs(off) > worst ? fabs(off) : worst;
}

static void fixed_point_is_near_the_reals(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double worst[4] = {0};
    for (int i = 0; i < 100000; ++i) {
        const int32_t a = -(int32_t)seed_below(&seed, INT32_MAX);
        const int32_t b = (int32_t)seed_below(&seed, INT32_MAX);
        const int32_t c =
            (1 << 19) + (int32_t)seed_below(&seed, INT32_MAX - (1 << 19));
        const int32_t d = 2 + (int32_t)seed_below(&seed, INT32_MAX - 2);
        const struct requant root = fixed_inverse_root(d);
        worst[0] =
            further(worst[0], ldexp(fixed_exp(a), -31) - exp(ldexp(a, -26)));
        worst[1] = further(worst[1], ldexp(fixed_one_over_one_plus(b), -31) -
                                         1 / (1 + ldexp(b, -31)));
        worst[2] =
            further(worst[2], ldexp(fixed_log(c), -26) - log(ldexp(c, -19)));
        worst[3] = further(
            worst[3], ldexp(root.multiplier, root.shift - 31) * sqrt(d) - 1);
    }
    print_message("exp %.2g, 1 / (1 + x) %.2g, log %.2g, root %.2g\n", worst[0],
                  worst[1], worst[2], worst[3]);
    assert_true(worst[0] < 5e-7 && worst[1] < 1e-8);
    assert_true(worst[2] < 1e-7 && worst[3] < 5e-6);
    assert_int_equal(fixed_exp(0), INT32_MAX);
    assert_int_equal(fixed_scale_up(-5, 31), INT32_MIN);
    assert_int_equal(fixed_scale_up(5, 31), INT32_MAX);
    assert_int_equal(fixed_leading_zeros(0), 32);
}

/* --- 16 bits ----------------------------------------------------------------
 */

/* Every input there is, at the scale 2^-12. */
static void curves_of_16_bits_are_near_the_functions(void **state)
{
    (void)state;
    struct curve16 curve;
    assert_int_equal(kernel_curve16_of(0x1p-12f, 0, &curve, NULL), BERTH_OK);
    assert_int_equal(curve.multiplier, 3);
    for (int32_t x = INT16_MIN; x <= INT16_MAX; ++x) {
        const double real = ldexp(x, -12);
        const double off_logistic =
            ldexp(kernel_logistic16(&curve, x), -15) - exact_logistic(real);
        const double off_tanh =
            ldexp(kernel_tanh16(&curve, x), -15) - tanh(real);
        assert_true(fabs(off_logistic) < 6e-5);
        assert_true(fabs(off_tanh) < 6e-4);
    }
}

static void scales_of_curves_are_told_apart(void **state)
{
    (void)state;
    struct curve16 curve;
    assert_int_equal(kernel_curve16_of(0x1p-11f, 1, &curve, NULL), BERTH_OK);
    assert_int_equal(curve.multiplier, 6);
    assert_int_equal(kernel_curve16_of(0x1p-11f, 0, &curve, NULL), BERTH_OK);
    assert_true(curve.shift > 0);
    assert_int_equal(kernel_curve16_of(0.001f, 1, &curve, NULL), BERTH_OK);
    assert_int_equal(kernel_curve16_of(100.0f, 1, &curve, NULL),
                     BERTH_UNSUPPORTED);
    assert_int_equal(kernel_curve16_of(1e-30f, 1, &curve, NULL),
                     BERTH_UNSUPPORTED);
}

/* Few elements are worked out without a table, and must not differ for it. */
static void tables_of_bytes_hold_what_one_by_one_gives(void **state)
{
    static const uint16_t codes[] = {BERTH_OP_LOGISTIC, BERTH_OP_TANH,
                                     BERTH_OP_EXP,      BERTH_OP_LOG,
                                     BERTH_OP_ELU,      BERTH_OP_GELU};
    uint64_t seed = 8;
    (void)state;
    for (uint32_t i = 0; i < 300; ++i) {
        struct table_8 t = {
            .in = {0x1p-7 * (1 + (double)(seed_below(&seed, 50))),
                   (int32_t)(seed_below(&seed, 128))},
            .out = {0x1p-8 * (1 + (double)(seed_below(&seed, 9))),
                    (int32_t)(seed_below(&seed, 128))},
            .is_signed = seed_below(&seed, 2) == 0,
            .function = kernel_curve_table(codes[i % 6]),
            .curve = {.alpha = (float)(i & 8u), .least = -9},
        };
        uint8_t table[TABLE_8_BYTES];
        kernel_table_8(&t, table);
        for (uint32_t bits = 0; bits < TABLE_8_BYTES; ++bits) {
            assert_int_equal(table[bits],
                             kernel_table_8_once(&t, (uint8_t)bits));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_blocks_are_within_an_ulp),
        cmocka_unit_test(fast_blocks_keep_what_is_special),
        cmocka_unit_test(fixed_point_is_near_the_reals),
        cmocka_unit_test(curves_of_16_bits_are_near_the_functions),
        cmocka_unit_test(scales_of_curves_are_told_apart),
        cmocka_unit_test(tables_of_bytes_hold_what_one_by_one_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* base/real.h against the C library's long double, over samples of all sizes,
 * and the tables of int8 operators against those that its floats make. */
#include "base/real.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_model.h"

/* --- samples ----------------------------------------------------------------
 */

/* A double whose logarithm is evenly spread over [2^low, 2^high), of any sign.
 */
static double sample(uint64_t *seed, int low, int high)
{
    const double fraction = 1 + (double)seed_below(seed, 1u << 31) * 0x1p-31 +
                            (double)seed_below(seed, 1u << 21) * 0x1p-52;
    const int n = low + (int)seed_below(seed, (uint32_t)(high - low));
    const double size = ldexp(fraction, n);
    return seed_below(seed, 2) != 0 ? -size : size;
}

/* |got - exact| in units of the last place of exact as a double. */
static double ulps(double got, long double exact)
{
    const double near = (double)exact;
    int n = 0;
    if (isnan(got) || isnan(near) || isinf(got) || isinf(near)) {
        return (isnan(got) && isnan(near)) || got == near ? 0 : 1e9;
    }
    (void)frexp(near, &n);
    n = n < DBL_MIN_EXP ? DBL_MIN_EXP : n;
    return (double)(fabsl((long double)got - exact) / ldexpl(1, n - 53));
}

typedef struct real_case {
    const char *name;
    double (*ours)(double);
    long double (*theirs)(long double);
    int low, high; /* exponents of the samples */
    double most;   /* ulp */
} real_case;

static const real_case cases[] = {
    {"exp", real_exp, expl, -60, 11, 2},
    {"exp", real_exp, expl, -3, 7, 2},
    {"expm1", real_expm1, expm1l, -60, 11, 2},
    {"expm1", real_expm1, expm1l, -5, 6, 2},
    {"log", real_log, logl, -1074, 1023, 2},
    {"log", real_log, logl, -2, 2, 2},
    {"tanh", real_tanh, tanhl, -60, 8, 2},
    {"tanh", real_tanh, tanhl, -4, 5, 2},
    {"erf", real_erf, erfl, -60, 8, 2},
    {"erf", real_erf, erfl, -3, 3, 2},
    {"erfc", real_erfc, erfcl, -60, 5, 8},
    {"erfc", real_erfc, erfcl, -2, 2, 8},
    {"sin", real_sin, sinl, -60, 60, 2},
    {"sin", real_sin, sinl, -3, 12, 2},
    {"cos", real_cos, cosl, -60, 60, 2},
    {"cos", real_cos, cosl, -3, 12, 2},
    {"sqrt", real_sqrt, sqrtl, -1074, 1023, 0.5},
    {"trunc", real_trunc, truncl, -60, 70, 0},
    {"floor", real_floor, floorl, -60, 70, 0},
    {"ceil", real_ceil, ceill, -60, 70, 0},
    {"round", real_round, roundl, -60, 70, 0},
    {"rint", real_rint, rintl, -60, 70, 0},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]), SAMPLES = 100000 };

static void functions_stay_within_two_ulp(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int c = 0; c < CASES; ++c) {
        double worst = 0;
        double at = 0;
        for (int i = 0; i < SAMPLES; ++i) {
            const double x = sample(&seed, cases[c].low, cases[c].high);
            const double off =
                ulps(cases[c].ours(x), cases[c].theirs((long double)x));
            if (off > worst) {
                worst = off;
                at = x;
            }
        }
        print_message("%-6s 2^%d..2^%d: %.3f ulp at %a\n", cases[c].name,
                      cases[c].low, cases[c].high, worst, at);
        assert_true(worst <= cases[c].most);
    }
}

/* The same bits as the C library where the result is exact or an edge. */
static void edges_are_those_of_annex_f(void **state)
{
    (void)state;
    static const double edges[] = {
        0.0,
        -0.0,
        (double)INFINITY,
        (double)-INFINITY,
        (double)NAN,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0x1p52,
        0x1p53,
        -0x1p60,
        0x1p-1074,
        -0x1p-1074,
        0x1p-1022,
        DBL_MAX,
        -DBL_MAX,
        0.49999999999999994,
        4503599627370495.5,
        -4503599627370495.5,
        1e22,
        709.78,
        -745.13,
        746,
    };
    for (size_t e = 0; e < sizeof(edges) / sizeof(edges[0]); ++e) {
        for (int c = 0; c < CASES; ++c) {
            const double x = edges[e];
            const double ours = cases[c].ours(x);
            const double theirs = (double)cases[c].theirs((long double)x);
            if (ulps(ours, cases[c].theirs((long double)x)) > cases[c].most ||
                (!isnan(ours) && signbit(ours) != signbit(theirs))) {
                fail_msg("%s(%a) is %a, not %a", cases[c].name, x, ours,
                         theirs);
            }
        }
    }
}

/* The doubles next to whole multiples of pi/2, where most bits cancel. */
static void turns_are_reduced_exactly(void **state)
{
    (void)state;
    static const double near_turns[] = {
        0x1.921fb54442d18p+0,
        0x1.921fb54442d18p+1,
        6381956970095103 * 0x1p797,
        0x1.6ac5b262ca1ffp849,
        0x1p1023,
        0x1.921fb54442d18p+60,
    };
    for (size_t i = 0; i < sizeof(near_turns) / sizeof(near_turns[0]); ++i) {
        const double x = near_turns[i];
        assert_true(ulps(real_sin(x), sinl((long double)x)) <= 2);
        assert_true(ulps(real_cos(x), cosl((long double)x)) <= 2);
        assert_true(ulps(real_sin(-x), sinl((long double)-x)) <= 2);
    }
}

static void powers_of_floats_are_as_the_library_has_them(void **state)
{
    (void)state;
    static const float edges[] = {
        0.0f, -0.0f, 1,        -1,        2,   -2,    0.5f,   -0.5f,
        3,    -3,    INFINITY, -INFINITY, NAN, 1e30f, 1e-30f, 16777217.0f};
    enum { EDGES = sizeof(edges) / sizeof(edges[0]) };
    for (int i = 0; i < EDGES * EDGES; ++i) {
        const float x = edges[i / EDGES];
        const float y = edges[i % EDGES];
        const float ours = (float)real_pow(x, y);
        const float theirs = powf(x, y);
        assert_true((isnan(ours) && isnan(theirs)) ||
                    (ours == theirs && signbit(ours) == signbit(theirs)));
    }
    uint64_t seed = 2;
    int differ = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        const float x = (float)fabs(sample(&seed, -20, 20));
        const float y = (float)sample(&seed, -10, 4);
        differ += (float)real_pow(x, y) !=
                  (float)powl((long double)x, (long double)y);
    }
    print_message("pow: %d of %d floats not correctly rounded\n", differ,
                  SAMPLES);
    assert_true(differ <= 1);
}

static void parts_come_apart_and_together(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < SAMPLES; ++i) {
        const double x = sample(&seed, -1074, 1023);
        int ours = 0;
        int theirs = 0;
        const double m = frexp(x, &theirs);
        assert_true(real_frexp(x, &ours) == m && ours == theirs);
        const int n = (int)seed_below(&seed, 4400) - 2200;
        assert_true(real_ldexp(x, n) == ldexp(x, n));
    }
}

static void remainders_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < SAMPLES; ++i) {
        const double x = sample(&seed, -80, 80);
        const double y = sample(&seed, -80, 80);
        const double theirs = fmod(x, y);
        assert_memory_equal(&theirs, &(double){real_fmod(x, y)},
                            sizeof(theirs));
    }
    assert_true(isnan(real_fmod(1, 0)));
    assert_true(isnan(real_fmod((double)INFINITY, 1)));
    assert_true(real_fmod(5, (double)INFINITY) == 5);
    assert_true(real_fmod(0x1p1023, 0x1p-1074) == 0);
}

/* As IEEE 754 defines it: of sign, exponent and fraction. */
static float half_by_definition(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 0x1fu;
    const uint32_t fraction = bits & 0x3ffu;
    float size = 0;
    if (exponent == 0x1fu) {
        size = fraction != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        size = ldexpf((float)fraction, -24);
    } else {
        size = ldexpf((float)(fraction | 0x400u), (int)exponent - 25);
    }
    return copysignf(size, (bits & 0x8000u) != 0 ? -1.0f : 1.0f);
}

static void every_half_is_its_definition_bit_for_bit(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
        const float ours = real_of_f16((uint16_t)bits);
        const float theirs = half_by_definition(bits);
        assert_memory_equal(&ours, &theirs, sizeof(ours));
    }
}

static void half_precision_is_rounded_to_even(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
        const float x = real_of_f16((uint16_t)bits);
        if (isnan(x)) {
            assert_true((bits & 0x7fffu) > 0x7c00u);
            assert_true(isnan(real_of_f16(real_to_f16(x))));
            continue;
        }
        assert_int_equal(real_to_f16(x), bits);
        if ((bits & 0x7fffu) >= 0x7bffu) {
            continue;
        }
        /* halfway to the next: the even one of the two; beside it: the near */
        const float next = real_of_f16((uint16_t)(bits + 1));
        const float middle = (x + next) / 2;
        assert_int_equal(real_to_f16(middle), bits + (bits & 1u));
        assert_int_equal(real_to_f16(nextafterf(middle, x)), bits);
        assert_int_equal(real_to_f16(nextafterf(middle, next)), bits + 1);
    }
    assert_int_equal(real_to_f16(65519.996f), 0x7bff);
    assert_int_equal(real_to_f16(65520.0f), 0x7c00);
}

/* --- tables of int8 operators ------------------------------------------------
 */

typedef struct table_case {
    const char *name;
    double (*ours)(double);
    float (*theirs)(float);
} table_case;

static double ours_logistic(double x)
{
    return (double)(1.0f / (1.0f + (float)real_exp(-x)));
}

static float theirs_logistic(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

static const table_case tables[] = {
    {"exp", real_exp, expf},    {"expm1", real_expm1, expm1f},
    {"log", real_log, logf},    {"tanh", real_tanh, tanhf},
    {"erf", real_erf, erff},    {"erfc", real_erfc, erfcf},
    {"sqrt", real_sqrt, sqrtf}, {"logistic", ours_logistic, theirs_logistic},
};

/* As a table of 256 bytes is made: from the scaled value to the nearest step
 * of the output. */
static int step_of(float value, float scale)
{
    const float step = roundf(value / scale);
    return step > 255 ? 255 : step < -255 ? -255 : isnan(step) ? 0 : (int)step;
}

static void tables_are_those_that_the_library_makes(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); ++t) {
        for (int i = 0; i < 2000; ++i) {
            const float in = (float)fabs(sample(&seed, -12, 0));
            const float out = (float)fabs(sample(&seed, -12, 0));
            const int zero = (int)seed_below(&seed, 256);
            for (int q = 0; q < 256; ++q) {
                const float x = in * (float)(q - zero);
                const int a = step_of((float)tables[t].ours((double)x), out);
                const int b = step_of(tables[t].theirs(x), out);
                if (a != b) {
                    fail_msg("%s(%a) / %a: %d, not %d", tables[t].name,
                             (double)x, (double)out, a, b);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_stay_within_two_ulp),
        cmocka_unit_test(edges_are_those_of_annex_f),
        cmocka_unit_test(turns_are_reduced_exactly),
        cmocka_unit_test(powers_of_floats_are_as_the_library_has_them),
        cmocka_unit_test(parts_come_apart_and_together),
        cmocka_unit_test(remainders_are_exact),
        cmocka_unit_test(every_half_is_its_definition_bit_for_bit),
        cmocka_unit_test(half_precision_is_rounded_to_even),
        cmocka_unit_test(tables_are_those_that_the_library_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

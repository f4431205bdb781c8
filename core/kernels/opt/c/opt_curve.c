/* exp, and what is made of it, eight at a time. */
#include "kernels/opt/c/opt_curve.h"

#include "base/real.h"

#define LOG2_OF_E 0x1.71547652b82fep+0

/* exp(x), to about 2^-32, from a float's 0 to its infinity for every x but NaN,
 * which becomes any number. x = n ln 2 + r as in real_exp(), with fewer terms.
 * Added to `shifter`, a number is rounded to a whole one, which stands in the
 * low bits of the sum: no conversion, which vectors of old have not. */
static inline double block_exp(double x)
{
    const double shifter = 0x1.8p52;
    const double least = -708;
    const double most = 709;
    const double raised = x > least ? x : least;
    const double inside = raised < most ? raised : most;
    const double turns = inside * LOG2_OF_E + shifter;
    const double whole = turns - shifter;
    const double r = (inside - whole * REAL_LN2_HIGH) - whole * REAL_LN2_LOW;
    const double high =
        1.0 / 24 +
        r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r / 40320)));
    const double power = 1 + r + r * r * (0.5 + r * (1.0 / 6 + r * high));
    return power * real_of_bits((real_bits(turns) + 1023) << 52);
}

/* NaN stays. */
static inline float keep_nan(float x, double value)
{
    return x == x ? (float)value : x;
}

void kernel_opt_exp(float x[CURVE_BLOCK])
{
    double y[CURVE_BLOCK];
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        y[l] = block_exp((double)x[l]);
    }
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        x[l] = keep_nan(x[l], y[l]);
    }
}

void kernel_opt_logistic(float x[CURVE_BLOCK])
{
    double y[CURVE_BLOCK];
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        y[l] = 1 / (1 + block_exp(-(double)x[l]));
    }
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        x[l] = keep_nan(x[l], y[l]);
    }
}

/* Near 0 the series; elsewhere 1 - 2 / (exp(2 x) + 1), mirrored. */
static inline double block_tanh(double x)
{
    const double size = real_abs(x);
    const double square = x * x;
    const double terms =
        2.0 / 15 +
        square *
            (-17.0 / 315 + square * (62.0 / 2835 - square * (1382.0 / 155925)));
    const double near = x + x * square * (-1.0 / 3 + square * terms);
    const double far = 1 - 2 / (block_exp(2 * size) + 1);
    return real_with_sign(size < 0.25 ? near : far, x);
}

void kernel_opt_tanh(float x[CURVE_BLOCK])
{
    double y[CURVE_BLOCK];
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        y[l] = block_tanh((double)x[l]);
    }
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        x[l] = keep_nan(x[l], y[l]);
    }
}

/* Near 0 the series; elsewhere exp(x) - 1, which is exact enough there. */
static inline double block_expm1(double x)
{
    const double terms =
        1.0 / 24 +
        x * (1.0 / 120 + x * (1.0 / 720 + x * (1.0 / 5040 + x / 40320)));
    const double near = x + x * x * (0.5 + x * (1.0 / 6 + x * terms));
    const double far = block_exp(x) - 1;
    return x > -0.25 ? near : far;
}

void kernel_opt_elu(float x[CURVE_BLOCK])
{
    double y[CURVE_BLOCK];
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        y[l] = block_expm1((double)x[l]);
    }
    for (int l = 0; l < CURVE_BLOCK; ++l) {
        x[l] = x[l] < 0 ? (float)y[l] : x[l];
    }
}

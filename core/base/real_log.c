/* log: x = 2^k m with m around 1, and the series of the inverse tanh. */
#include "base/real.h"

#define SQRT_HALF 0x1.6a09e667f3bcdp-1

/* 2/3, 2/5, ...: log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + 2/5 s^2 + ...) */
static const double log_terms[] = {
    2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
    2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
};

double real_log(double x)
{
    if (real_is_nan(x) || x == REAL_INFINITY) {
        return x;
    }
    if (x <= 0) {
        return x < 0 ? REAL_NAN : -REAL_INFINITY;
    }
    int k = 0;
    double m = real_frexp(x, &k);
    if (m < SQRT_HALF) {
        m *= 2;
        k -= 1;
    }
    /* With f = m - 1 (exact) and s = f / (2 + f), 2 s is f - s f: so the error
     * of the quotient counts only as the small correction that it is in. */
    const double f = m - 1;
    const double s = f / (2 + f);
    const double rest = s * s * REAL_POLYNOMIAL(log_terms, s * s);
    const double turns = (double)k;
    return turns * REAL_LN2_HIGH +
           (f - (s * (f - rest) - turns * REAL_LN2_LOW));
}

/* Is y whole, and is it odd? From 2^53 on all are even. */
static bool is_odd(double y)
{
    return real_abs(y) < 0x1p53 && real_trunc(y) == y && ((int64_t)y & 1) != 0;
}

/* |x|^y, y not 0, x not 1, none NaN. */
static double size_pow(double size, double y)
{
    if (size == 0 || size == REAL_INFINITY) {
        return (size == 0) == (y > 0) ? 0 : REAL_INFINITY;
    }
    if (!real_is_finite(y)) {
        return (size > 1) == (y > 0) ? REAL_INFINITY : 0;
    }
    return real_exp(y * real_log(size));
}

double real_pow(float x, float y)
{
    const double base = (double)x;
    const double power = (double)y;
    if (power == 0 || base == 1) {
        return 1;
    }
    if (real_is_nan(base) || real_is_nan(power)) {
        return REAL_NAN;
    }
    if (base == -1 && !real_is_finite(power)) {
        return 1;
    }
    if (base < 0 && real_is_finite(base) && real_trunc(power) != power) {
        return REAL_NAN;
    }
    const double size = size_pow(real_abs(base), power);
    return real_is_negative(base) && is_odd(power) ? -size : size;
}

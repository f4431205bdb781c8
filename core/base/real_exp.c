/* exp and its kin: x = k ln 2 + r, |r| <= ln(2) / 2, and the series at r. */
#include "base/real.h"

#define LOG2_E 0x1.71547652b82fep+0

/* 1/2! ... 1/13!; the next term is below 2^-57. */
static const double exp_terms[] = {
    1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
    1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
    1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
};

/* exp(x) - 1 = 2^*k (1 + result) - 1, for |x| < 2000. */
static double reduced_expm1(double x, int *k)
{
    const double turns = real_rint(x * LOG2_E);
    const double high = x - turns * REAL_LN2_HIGH;
    const double low = turns * REAL_LN2_LOW;
    const double r = high - low;
    const double lost = (high - r) - low;
    *k = (int)turns;
    return r + (lost + r * r * REAL_POLYNOMIAL(exp_terms, r));
}

double real_exp(double x)
{
    if (real_is_nan(x)) {
        return x;
    }
    if (x > 710 || x < -746) {
        return x > 0 ? REAL_INFINITY : 0;
    }
    int k = 0;
    const double more = reduced_expm1(x, &k);
    return real_ldexp(1 + more, k);
}

double real_expm1(double x)
{
    if (real_is_nan(x) || real_abs(x) < 0x1p-54) {
        return x;
    }
    if (x > 710 || x < -40) {
        return x > 0 ? REAL_INFINITY : -1;
    }
    int k = 0;
    const double more = reduced_expm1(x, &k);
    if (k > 60) { /* the 1 is nothing, and 2^-k might be */
        return real_ldexp(1 + more, k);
    }
    return real_ldexp((1 - real_ldexp(1, -k)) + more, k);
}

double real_tanh(double x)
{
    const double size = real_abs(x);
    if (real_is_nan(x)) {
        return x;
    }
    if (size > 20) {
        return real_with_sign(1, x);
    }
    /* (e - 1) / (e + 1) with e = exp(2 |x|); for large x what is lacking to 1
     */
    const double less = real_expm1(2 * size);
    const double sum = less + 2;
    if (size >= 1) {
        return real_with_sign(1 - 2 / sum, x);
    }
    const double lost = less - (sum - 2);
    const double near = less / sum;
    return real_with_sign(near - near * lost / sum, x);
}

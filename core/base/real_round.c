/* What moves bits and rounds: exact on every target. */
#include "base/real.h"

/* --- scaling ----------------------------------------------------------------
 */

double real_ldexp(double x, int n)
{
    const double up = 0x1p1023;
    /* Far from the subnormals, so that only the last step rounds. */
    const double down = 0x1p-969;
    for (int i = 0; i < 2 && n > 1023; ++i) {
        x *= up;
        n -= 1023;
    }
    for (int i = 0; i < 2 && n < -1022; ++i) {
        x *= down;
        n += 969;
    }
    n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
    return x * real_of_bits((uint64_t)(n + 1023) << 52);
}

double real_frexp(double x, int *n)
{
    *n = 0;
    if (x == 0 || !real_is_finite(x)) {
        return x;
    }
    uint64_t bits = real_bits(x);
    if ((bits >> 52 & 0x7ffu) == 0) { /* subnormal */
        bits = real_bits(x * 0x1p54);
        *n = -54;
    }
    *n += (int)(bits >> 52 & 0x7ffu) - 1022;
    return real_of_bits((bits & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(1022)
                                                                << 52);
}

/* --- whole numbers ----------------------------------------------------------
 */

double real_trunc(double x)
{
    /* From 2^52 on all are whole; NaN fails the comparison too. */
    if (!(real_abs(x) < 0x1p52)) {
        return x;
    }
    return real_with_sign((double)(int64_t)x, x);
}

double real_floor(double x)
{
    const double whole = real_trunc(x);
    return whole > x ? whole - 1 : whole;
}

double real_ceil(double x)
{
    const double whole = real_trunc(x);
    return whole < x ? real_with_sign(whole + 1, x) : whole;
}

double real_round(double x)
{
    const double whole = real_trunc(x);
    return real_abs(x - whole) >= 0.5 ? whole + real_with_sign(1, x) : whole;
}

double real_rint(double x)
{
    const double whole = real_trunc(x);
    const double rest = real_abs(x - whole);
    if (rest < 0.5 || (rest == 0.5 && ((int64_t)whole & 1) == 0)) {
        return whole;
    }
    return rest >= 0.5 ? whole + real_with_sign(1, x) : whole;
}

/* --- remainder --------------------------------------------------------------
 */

/* Long division of the whole mantissas, a few bits at a time. */
double real_fmod(double x, double y)
{
    enum { BITS = 10 };
    const double size = real_abs(x);
    const double unit = real_abs(y);
    if (!real_is_finite(x) || real_is_nan(y) || y == 0) {
        return REAL_NAN;
    }
    if (size < unit) {
        return x;
    }
    int n = 0;
    int unit_n = 0;
    uint64_t rest = (uint64_t)(real_frexp(size, &n) * 0x1p53);
    const uint64_t whole = (uint64_t)(real_frexp(unit, &unit_n) * 0x1p53);
    for (n -= unit_n; n > 0; n -= BITS) {
        rest = (rest % whole) << (n < BITS ? n : BITS);
    }
    return real_with_sign(real_ldexp((double)(rest % whole), unit_n - 53), x);
}

/* --- float16 ----------------------------------------------------------------
 */

/* In units of the last place that the result will have, the value is rounded to
 * a whole number; a carry out of the fraction steps the exponent by itself. */
uint16_t real_to_f16(float x)
{
    const double size = real_abs((double)x);
    const uint16_t sign = real_is_negative((double)x) ? 0x8000u : 0;
    if (real_is_nan((double)x)) {
        return (uint16_t)(sign | 0x7e00u);
    }
    if (size >= 65520) { /* halfway from the largest to what comes next */
        return (uint16_t)(sign | 0x7c00u);
    }
    int n = 0;
    (void)real_frexp(size, &n);
    const int exponent =
        size < 0x1p-13 ? 0 : n + 13; /* of a unit: 2^(exponent-24) */
    const uint32_t units = (uint32_t)real_rint(real_ldexp(size, 24 - exponent));
    return (uint16_t)(sign | (units + ((uint32_t)exponent << 10)));
}

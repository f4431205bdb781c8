/* real.h: elementary functions of reals, our own, since the core links no libm
 * and must give the same bits on every target. Nothing but IEEE 754's + - * /,
 * conversions and integers is used, so they do.
 *
 * All take and give double, at most 2 ulp (units in the last place) wrong;
 * sqrt and what rounds are exact. A float result is got by converting: it is
 * then the correctly rounded one but for about one argument in 10^8.
 * NaN gives NaN; infinities, zeros and their signs are as C's annex F has them.
 */
#ifndef BERTH_REAL_H
#define BERTH_REAL_H

#include <stdbool.h>
#include <stdint.h>

/* --- bits -------------------------------------------------------------------
 */

static inline uint64_t real_bits(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double real_of_bits(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}

#define REAL_SIGN     (UINT64_C(1) << 63)
#define REAL_INFINITY ((double)__builtin_inff())
#define REAL_NAN      ((double)__builtin_nanf(""))

static inline double real_abs(double x)
{
    return real_of_bits(real_bits(x) & ~REAL_SIGN);
}

static inline bool real_is_negative(double x) /* also -0 */
{
    return (real_bits(x) & REAL_SIGN) != 0;
}

static inline double real_with_sign(double x, double sign)
{
    return real_of_bits((real_bits(x) & ~REAL_SIGN) |
                        (real_bits(sign) & REAL_SIGN));
}

static inline bool real_is_nan(double x)
{
    return x != x;
}

static inline bool real_is_finite(double x)
{
    return (real_bits(x) >> 52 & 0x7ffu) != 0x7ffu;
}

/* x * 2^n, rounded once. */
double real_ldexp(double x, int n);

/* m of [0.5, 1) and *n with x = m * 2^*n; 0, infinities and NaN come back as
 * they are, with *n = 0. */
double real_frexp(double x, int *n);

/* --- rounding to whole numbers -----------------------------------------------
 */

double real_trunc(double x);
double real_floor(double x);
double real_ceil(double x);
double real_round(double x); /* halves away from zero */
double real_rint(double x);  /* halves to even */

/* x - n y with n = x / y cut off to a whole number; exact. */
double real_fmod(double x, double y);

/* --- functions --------------------------------------------------------------
 */

double real_sqrt(double x);
double real_exp(double x);
double real_expm1(double x); /* exp(x) - 1 */
double real_log(double x);
double real_tanh(double x);
double real_erf(double x);
double real_erfc(double x); /* 1 - erf(x); at most 8 ulp wrong */
double real_sin(double x);
double real_cos(double x);

/* x^y of two floats, to be converted to float: good for that, not to 2 ulp of
 * double. */
double real_pow(float x, float y);

/* --- float16 ----------------------------------------------------------------
 */

/* The value of IEEE 754 half precision bits; NaN stays NaN, without its
 * payload. Integers and selects, so that a loop of it becomes vectors. */
static inline float real_of_f16(uint16_t bits)
{
    const uint32_t size = bits & 0x7fffu;
    const uint32_t rebias = (127u - 15u) << 23;
    uint32_t wide = (size << 13) + rebias;
    uint32_t small = 0x3f000000u | size; /* 1/2 + size * 2^-24 */
    float value;
    __builtin_memcpy(&value, &small, sizeof(value));
    value -= 0.5f; /* exact, where size is that of a subnormal */
    __builtin_memcpy(&small, &value, sizeof(small));
    wide = size < 0x400u ? small : wide;
    wide = size < 0x7c00u ? wide : 0x7f800000u;
    wide = size <= 0x7c00u ? wide : 0x7fc00000u;
    wide |= (bits & 0x8000u) << 16;
    __builtin_memcpy(&value, &wide, sizeof(value));
    return value;
}

/* The bits nearest to a value, ties to even; NaN stays NaN. */
uint16_t real_to_f16(float x);

/* --- for the files of this module -------------------------------------------
 */

/* ln 2 in two parts; the first has so few bits that exponents times it are
 * exact. */
#define REAL_LN2_HIGH 0x1.62e42feep-1
#define REAL_LN2_LOW  0x1.a39ef35793c76p-33

/* c[0] + c[1] x + ... + c[n - 1] x^(n-1) */
static inline double real_polynomial(const double *c, int n, double x)
{
    double sum = c[n - 1];
    for (int i = n - 2; i >= 0; --i) {
        sum = sum * x + c[i];
    }
    return sum;
}

#define REAL_POLYNOMIAL(c, x)                                                  \
    real_polynomial(c, (int)(sizeof(c) / sizeof((c)[0])), x)

#endif

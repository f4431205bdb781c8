/* The error function: its series below 1; above, what is lacking to 1 as
 * exp(-x^2) times a smooth function of 3 / (3 + x), by a polynomial. */
#include "base/real.h"

#define TWO_OVER_ROOT_PI        0x1.20dd750429b6dp+0
#define TWO_OVER_ROOT_PI_LESS_1 0.128379167095512573896

/* (-1)^n / (n! (2n + 1)) from n = 1 on */
static const double erf_terms[] = {
    -1.0 / 3,
    1.0 / 10,
    -1.0 / 42,
    1.0 / 216,
    -1.0 / 1320,
    1.0 / 9360,
    -1.0 / 75600,
    1.0 / 685440,
    -1.0 / 6894720,
    1.0 / 76204800,
    -1.0 / 918086400,
    1.0 / 11975040000,
    -1.0 / 168129561600,
    1.0 / 2528170444800,
    -1.0 / 40537905408000,
    1.0 / 690452066304000,
    -1.0 / 12449059983360000,
    1.0 / 236887827111936000,
};

/* exp(x^2) (1 - erf(x)) for 1 <= x <= 6 as a polynomial in u of [-1, 1], where
 * 3 / (3 + x) = 13/24 + 5/24 u: interpolated at 17 Chebyshev nodes; times
 * exp(-x^2) it is less than 2^-60 wrong. */
static const double tail_terms[] = {
    0.207983291333428862,     0.154361174294369178,     0.049698445403394796,
    0.0127131476956919952,    0.0024793146970724188,    0.000331602960578454377,
    0.0000195635833083496895, -2.4255574811020286e-6,   -5.54127743832946426e-7,
    4.52672219797092714e-9,   1.13402610558403233e-8,   2.63788170194320754e-10,
    -2.58097032937046755e-10, -6.03010017831526645e-12, 6.71606082101120371e-12,
    -4.46878628279580887e-15, -1.67997771593114569e-13,
};

double real_erf(double x)
{
    const double size = real_abs(x);
    if (real_is_nan(x)) {
        return x;
    }
    if (size < 1) {
        const double square = x * x;
        const double more =
            square * REAL_POLYNOMIAL(erf_terms, square) * TWO_OVER_ROOT_PI;
        return x + x * (TWO_OVER_ROOT_PI_LESS_1 + more);
    }
    if (size > 6) {
        return real_with_sign(1, x);
    }
    const double u = (72 / (3 + size) - 13) / 5;
    const double tail = real_exp(-x * x) * REAL_POLYNOMIAL(tail_terms, u);
    return real_with_sign(1 - tail, x);
}

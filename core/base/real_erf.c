/* The error function: its series below 1; above, what it lacks to 1 as
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

/* exp(x^2) erfc(x) / t, where t = 3 / (3 + x), for 1 <= x <= 28 as a polynomial
 * in u = (248 t - 105) / 81 of [-1, 1]: interpolated at 21 Chebyshev nodes, and
 * less than 2^-60 wrong. */
static const double tail_terms[] = {
    0.317150755323560733,     0.157370787595054323,
    0.0659088849810123266,    0.0226274815114577415,
    0.00600280484438090301,   0.00105351150944043999,
    0.0000417257131400120564, -0.0000368571936204791009,
    -8.87888070052216286e-6,  6.34436327014322093e-7,
    6.06239477423914844e-7,   1.92016730113509768e-8,
    -4.00444511931033159e-8,  -3.37755904732818777e-9,
    2.97397169943581578e-9,   2.89964430491093608e-10,
    -2.52137648895315095e-10, -1.79015853746612792e-11,
    2.21642748087851767e-11,  5.95057611689426946e-13,
    -1.43957559409707125e-12,
};

/* erfc(x) for x >= 1. x^2 is made of a first part whose square is exact. */
static double tail_of(double x)
{
    const double first = real_of_bits(real_bits(x) >> 27 << 27);
    const double rest = (x - first) * (x + first);
    const double t = 3 / (3 + x);
    const double u = (248 * t - 105) / 81;
    return x > 28 ? 0
                  : real_exp(-first * first) * real_exp(-rest) * t *
                        REAL_POLYNOMIAL(tail_terms, u);
}

double real_erf(double x)
{
    const double size = real_abs(x);
    if (real_is_nan(x)) {
        return x;
    }
    if (size >= 1) {
        return real_with_sign(1 - tail_of(size), x);
    }
    const double square = x * x;
    const double more =
        square * REAL_POLYNOMIAL(erf_terms, square) * TWO_OVER_ROOT_PI;
    return x + x * (TWO_OVER_ROOT_PI_LESS_1 + more);
}

double real_erfc(double x)
{
    return x >= 1 ? tail_of(x) : 1 - real_erf(x);
}

/* Square root, correctly rounded: Newton's steps from a guess made of the bits,
 * then the last place settled with integers. */
#include "base/real.h"

/* The root of a whole m of [2^104, 2^106), rounded to a whole number, from a
 * guess near it. m is given as m / 2^52, which is whole too. m - r^2 is far
 * below 2^63, so its low 64 bits are all of it. */
static uint64_t settle_root(uint64_t m_high, uint64_t guess)
{
    const uint64_t m_low = m_high << 52;
    int64_t rest = (int64_t)(m_low - guess * guess);
    while (rest > (int64_t)guess) { /* m > (r + 1/2)^2 */
        rest -= (int64_t)(2 * guess + 1);
        ++guess;
    }
    while (rest <= -(int64_t)guess) { /* m < (r - 1/2)^2 */
        rest += (int64_t)(2 * guess - 1);
        --guess;
    }
    return guess;
}

double real_sqrt(double x)
{
    if (x == 0 || real_is_nan(x) || x == REAL_INFINITY) {
        return x;
    }
    if (x < 0) {
        return REAL_NAN;
    }
    int n = 0;
    double m = real_frexp(x, &n);
    if ((n & 1) != 0) {
        m *= 0.5;
        n += 1;
    } /* x = m * 2^n, n even, m of [1/4, 1) */
    double root = 0.42 + 0.59 * m;
    for (int i = 0; i < 4; ++i) {
        root = 0.5 * (root + m / root);
    }
    const uint64_t whole =
        settle_root((uint64_t)(m * 0x1p54), (uint64_t)(root * 0x1p53));
    return real_ldexp((double)whole, n / 2 - 53);
}

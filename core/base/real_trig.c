/* sin and cos: x as quarter turns and a rest, for every double, by multiplying
 * with as many bits of 2/pi as matter; then the series at the rest. */
#include "base/real.h"

#define HALF_PI      0x1.921fb54442d18p+0
#define HALF_PI_HIGH 0x1.921fb4p+0
#define HALF_PI_LOW  0x1.4442d18469899p-24

/* 64 zeros, then 2/pi behind the point. */
static const uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529u,
    0xfc2757d1f534ddc0u,
    0xdb6295993c439041u,
    0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u,
    0x06492eea09d1921cu,
    0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u,
    0x3991d639835339f4u,
    0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu,
    0xef2f118b5a0a6d1fu,
    0x6d367ecf27cb09b7u,
    0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu,
    0x3d0739f78a5292eau,
    0x6bfb5fb11f8d5d08u,
    0x56033046fc7b6babu,
};

/* -1/3!, 1/5!, ... and 1/4!, -1/6!, ... */
static const double sin_terms[] = {
    -1.0 / 6,
    1.0 / 120,
    -1.0 / 5040,
    1.0 / 362880,
    -1.0 / 39916800,
    1.0 / 6227020800,
    -1.0 / 1307674368000,
    1.0 / 355687428096000,
};
static const double cos_terms[] = {
    1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000,
};

/* 64 bits of the table from a bit on. */
static uint64_t table_bits(uint32_t from)
{
    const uint64_t *at = &two_over_pi[from / 64u];
    const uint32_t shift = from % 64u;
    return shift == 0 ? at[0] : at[0] << shift | at[1] >> (64u - shift);
}

/* The high half of a * b, without a type of 128 bits. */
static uint64_t high_product(uint64_t a, uint64_t b)
{
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
    const uint64_t other = a_low * b_high + (uint32_t)cross;
    return a_high * b_high + (cross >> 32) + (other >> 32);
}

/* |x| >= pi/4 as *quarter + rest quarter turns, rest of [-1/2, 1/2]: returns
 * the rest in radians. x is m 2^e with whole m; bits of 2/pi worth 4 or more
 * when multiplied by it are left out, and the next 192 are enough: no double
 * comes nearer to a multiple of pi/2 than 2^-62. */
static double quarter_turns(double x, uint32_t *quarter)
{
    const uint64_t bits = real_bits(x);
    const int e = (int)(bits >> 52 & 0x7ffu) - 1075;
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const uint32_t from = (uint32_t)(64 + e - 2);
    const uint64_t w0 = table_bits(from);
    const uint64_t w1 = table_bits(from + 64);
    const uint64_t w2 = table_bits(from + 128);

    /* The product modulo 2^192, less its lowest 64 bits. */
    const uint64_t low = m * w1;
    uint64_t p1 = low + high_product(m, w2);
    uint64_t p0 = m * w0 + high_product(m, w1) + (p1 < low);

    *quarter = (uint32_t)(p0 >> 62);
    p0 = p0 << 2 | p1 >> 62; /* behind the point */
    p1 <<= 2;
    const bool over = (p0 >> 63) != 0; /* more than half: count from above */
    if (over) {
        *quarter += 1;
        p1 = ~p1 + 1;
        p0 = ~p0 + (p1 == 0);
    }
    /* The first 24 bits times as many of pi/2 are exact; small is the rest. */
    const double first = (double)(p0 >> 40) * 0x1p-24;
    const double small =
        (double)(p0 << 24 | p1 >> 40) * 0x1p-88 + (double)(p1 << 24) * 0x1p-152;
    const double rest =
        first * HALF_PI_HIGH + (first * HALF_PI_LOW + small * HALF_PI);
    return over ? -rest : rest;
}

/* sin(x + quarter * pi/2) */
static double turned_sin(double x, uint32_t quarter)
{
    double rest = x;
    if (!real_is_finite(x)) {
        return REAL_NAN;
    }
    if (real_abs(x) > HALF_PI / 2) {
        uint32_t turned = 0;
        rest = quarter_turns(real_abs(x), &turned);
        if (real_is_negative(x)) {
            rest = -rest;
            turned = 0u - turned;
        }
        quarter += turned;
    }
    const double square = rest * rest;
    double value = 0;
    if ((quarter & 1u) != 0) {
        value = 1 - (0.5 * square -
                     square * square * REAL_POLYNOMIAL(cos_terms, square));
    } else {
        value = rest + rest * (square * REAL_POLYNOMIAL(sin_terms, square));
    }
    return (quarter & 2u) != 0 ? -value : value;
}

double real_sin(double x)
{
    return x == 0 ? x : turned_sin(x, 0); /* -0 stays */
}

double real_cos(double x)
{
    return turned_sin(x, 1);
}

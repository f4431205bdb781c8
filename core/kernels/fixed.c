/* Fixed-point functions. Constants are the nearest numbers of their format. */
#include "kernels/fixed.h"

#include "base/real.h"

int32_t fixed_scale_up(int32_t value, int32_t bits)
{
    const int32_t limit = (int32_t)((UINT32_C(1) << (31 - bits)) - 1u);
    if (bits == 0) {
        return value;
    }
    if (value > limit) {
        return INT32_MAX;
    }
    return value < -limit ? INT32_MIN : (int32_t)((uint32_t)value << bits);
}

int32_t fixed_leading_zeros(uint32_t value)
{
    int32_t zeros = 0;
    while (zeros < 32 && (value >> (31 - zeros)) == 0) {
        ++zeros;
    }
    return zeros;
}

bool kernel_is_power_of_two(float real, int32_t *n)
{
    const float log_2 = (float)real_log((double)2.0f);
    const float log = (float)real_log((double)real) * (1.0f / log_2);
    const float whole = (float)real_round((double)log);
    *n = (int32_t)whole;
    return real_abs((double)(log - whole)) < (double)1e-3f;
}

/* --- exp --------------------------------------------------------------------
 */

/* Q0 of exp(a), a of [-1/4, 0) in Q0: four terms around -1/8. */
static int32_t exp_of_quarter(int32_t a)
{
    enum { EXP_EIGHTH = 1895147668, ONE_THIRD = 715827883, EIGHTH = 1 << 28 };
    const int32_t x = a + EIGHTH;
    const int32_t x2 = requant_high_half(x, x);
    const int32_t x3 = requant_high_half(x2, x);
    const int32_t x4 = requant_high_half(x2, x2);
    const int32_t sixths =
        requant_high_half(requant_shift_right(x4, 2) + x3, ONE_THIRD);
    const int32_t halves = requant_shift_right(sixths + x2, 1);
    return EXP_EIGHTH + requant_high_half(EXP_EIGHTH, x + halves);
}

int32_t fixed_exp(int32_t a)
{
    /* exp(-2^(n-2)) in Q0 */
    static const int32_t powers[] = {
        1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    enum { POWERS = sizeof(powers) / sizeof(powers[0]), QUARTER = 1 << 24 };
    if (a == 0) {
        return INT32_MAX;
    }
    const int32_t part = (a & (QUARTER - 1)) - QUARTER;
    const int32_t quarters = (part - a) / QUARTER;
    int32_t result = exp_of_quarter(fixed_scale_up(part, 5));
    for (int32_t i = 0; i < POWERS; ++i) {
        if ((quarters >> i & 1) != 0) {
            result = requant_high_half(result, powers[i]);
        }
    }
    return result;
}

/* --- reciprocals ------------------------------------------------------------
 */

/* The mean of two numbers, halves away from zero. */
static int32_t half_sum(int32_t a, int32_t b)
{
    const int64_t sum = (int64_t)a + b;
    return (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/* Newton's steps from 48/17 - 32/17 d, the best line for 1/d on [1/2, 1]. */
int32_t fixed_one_over_one_plus(int32_t a)
{
    enum { START = 1515870810, SLOPE = -1010580540, ONE_Q2 = 1 << 29 };
    const int32_t half = half_sum(a, INT32_MAX);
    int32_t x = START + requant_high_half(half, SLOPE);
    for (int i = 0; i < 3; ++i) {
        const int32_t lacking = ONE_Q2 - requant_high_half(half, x);
        x += fixed_scale_up(requant_high_half(x, lacking), 2);
    }
    return fixed_scale_up(x, 1);
}

int32_t fixed_reciprocal(int32_t x, int32_t digits, int32_t *over)
{
    const int32_t shift = fixed_leading_zeros((uint32_t)x);
    const uint32_t fraction = ((uint32_t)x << shift) & INT32_MAX;
    *over = digits - shift;
    return fixed_one_over_one_plus((int32_t)fraction);
}

/* --- log --------------------------------------------------------------------
 */

/* x = 2^n r with r near 1: of two such the one whose r is smaller, one of them
 * having taken sqrt(1/2) out first. n in Q6. */
static int32_t log_split(int32_t x, int32_t *n)
{
    enum { DIGITS = 12, SQRT_HALF = 1518500250, QUARTER_Q6 = 1 << 23 };
    const int32_t a_shift = fixed_leading_zeros((uint32_t)x);
    const int32_t a = fixed_scale_up(
        requant_high_half(fixed_scale_up(x, a_shift - 1), SQRT_HALF), 1);
    const int32_t a_n = fixed_scale_up(DIGITS - a_shift, 25) + QUARTER_Q6;
    const int32_t b_shift =
        fixed_leading_zeros((uint32_t)requant_high_half(x, SQRT_HALF)) - 1;
    const int32_t b = fixed_scale_up(x, b_shift);
    const int32_t b_n = fixed_scale_up(DIGITS - b_shift, 25) - QUARTER_Q6;
    *n = a_n > b_n ? a_n : b_n;
    return a < b ? a : b;
}

int32_t fixed_log(int32_t x)
{
    enum {
        LOG_2 = 1488522236,
        ROOT = 1805811301, /* of sqrt(1/2) */
        /* with c = 2^(1/4): 11/240 c, 1/20 c, 2/c - c, 1/4 c */
        ALPHA_N = 117049297,
        ALPHA_D = 127690142,
        ALPHA_I = 1057819769,
        ALPHA_F = 638450708
    };
    int32_t n = 0;
    const int32_t r = log_split(x, &n);
    const int32_t p = half_sum(r, ROOT);
    const int32_t q = 2 * (r - ROOT);
    const int32_t square = requant_high_half(q, q);
    const int32_t above =
        requant_high_half(q, r) +
        requant_high_half(requant_high_half(q, square), ALPHA_N);
    const int32_t below =
        requant_high_half(p, ALPHA_I + q + requant_high_half(ALPHA_D, square)) +
        requant_high_half(ALPHA_F, q);
    const int32_t rest = requant_high_half(requant_shift_right(above, 6),
                                           fixed_one_over_one_plus(below));
    return fixed_scale_up(requant_high_half(n, LOG_2) + rest, 1);
}

/* --- inverse square root ----------------------------------------------------
 */

struct requant fixed_inverse_root(int32_t x)
{
    enum {
        ONE_Q3 = 1 << 28,
        THREE_HALVES_Q3 = (1 << 28) + (1 << 27),
        SQRT_HALF = 1518500250
    };
    if (x <= 1) {
        return (struct requant){INT32_MAX, 0};
    }
    int32_t right = 11;
    for (; x >= 1 << 29; x /= 4) {
        ++right;
    }
    const int32_t pairs = (fixed_leading_zeros((uint32_t)x) - 1) / 2 - 1;
    right -= pairs;
    x <<= 2 * pairs; /* in Q3, of [1/2, 2) as x / 2 */
    const int32_t half = requant_shift_right(x >> 1, 1);
    int32_t root = ONE_Q3;
    for (int i = 0; i < 5; ++i) {
        const int32_t square = requant_high_half(root, root);
        const int32_t cube = fixed_scale_up(requant_high_half(square, root), 6);
        root = fixed_scale_up(requant_high_half(THREE_HALVES_Q3, root) -
                                  requant_high_half(half, cube),
                              3);
    }
    root = requant_high_half(root, SQRT_HALF);
    if (right < 0) {
        root = (int32_t)((uint32_t)root << -right);
        right = 0;
    }
    return (struct requant){root, -right};
}

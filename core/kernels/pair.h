/* pair.h: operators on two quantized operands: ADD, SUB, MUL, DIV and
 * SQUARED_DIFFERENCE on int8, uint8 and int16.
 *
 * Where sums are made both operands are brought to one scale, twice the larger
 * of the two, with `left` bits more. Formulas: TensorFlow Lite's add.cc,
 * sub.cc, mul.cc, div.cc, squared_difference.cc and the reference kernels they
 * call. */
#ifndef BERTH_PAIR_H
#define BERTH_PAIR_H

#include "kernels/fixed.h"

struct pair {
    int32_t zero[2]; /* of the inputs */
    int32_t zero_out;
    int32_t left;
    struct requant by[2]; /* to the scale of the sum */
    struct requant by_out;
    struct clamp to;
    bool shifted; /* 16-bit sum of power-of-two scales: by[].shift, rounded */
};

/* Fills *pair for a node whose operands are of one of the three types, or says
 * what is wrong with their quantization. */
typedef berth_status pair_prepare(const berth_node *node, int64_t activation,
                                  struct pair *pair, berth_diag *diag);

pair_prepare kernel_pair_sum; /* ADD, SUB */
pair_prepare kernel_pair_square;
pair_prepare kernel_pair_product;
pair_prepare kernel_pair_quotient;

static inline int32_t pair_scaled(const struct pair *p, uint32_t k, int32_t q)
{
    return requant_twice(
        (int32_t)((uint32_t)(q - p->zero[k]) << (uint32_t)p->left), p->by[k]);
}

static inline int32_t pair_placed(const struct pair *p, int32_t value)
{
    return requant_place(requant_twice(value, p->by_out), p->zero_out, p->to);
}

static inline int32_t pair_plus(const struct pair *p, int32_t a, int32_t b)
{
    return pair_placed(p, pair_scaled(p, 0, a) + pair_scaled(p, 1, b));
}

static inline int32_t pair_minus(const struct pair *p, int32_t a, int32_t b)
{
    return pair_placed(p, pair_scaled(p, 0, a) - pair_scaled(p, 1, b));
}

static inline int32_t pair_square(const struct pair *p, int32_t a, int32_t b)
{
    const int32_t off = pair_scaled(p, 0, a) - pair_scaled(p, 1, b);
    return pair_placed(p, wrap_mul(off, off));
}

static inline int32_t pair_times(const struct pair *p, int32_t a, int32_t b)
{
    return pair_placed(p, wrap_mul(a - p->zero[0], b - p->zero[1]));
}

/* b must not be the second zero point. */
int32_t kernel_pair_div(const struct pair *p, int32_t a, int32_t b);

#endif

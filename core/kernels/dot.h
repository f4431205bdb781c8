/* dot.h: sums of products, which convolutions and matrix products are made of,
 * for every pair of types that they take. */
#ifndef BERTH_DOT_H
#define BERTH_DOT_H

#include "kernels/kernel_int.h"

/* Elements first, first + step, first + 2 * step, ... of a tensor. An integer q
 * counts q - zero; an encoded float is worth scale * (q - zero). */
struct factor {
    const uint8_t *data;
    size_t first;
    size_t step;
    int32_t zero;
    float scale;
};

/* The sum of n products. Sums of 8-bit integers are meant to be cut to 32 bits,
 * which wraps as a sum of 32 bits would. */
typedef int64_t dot_ints(const struct factor *a, const struct factor *b,
                         size_t n);

/* sum + a[0] * b[0] + a[1] * b[1] + ..., rounded after each step. */
typedef float dot_floats(float sum, const struct factor *a,
                         const struct factor *b, size_t n);

/* NULL: no such pair. a: the activation, b: the weights. */
dot_ints *kernel_dot_ints(uint8_t a_type, uint8_t b_type);

/* a is float32, b float32 or an encoded float. */
dot_floats *kernel_dot_floats(uint8_t b_type);

/* The value of an element of a float32 operand that may be encoded, where scale
 * and zero point are those of its channel. */
float kernel_float_at(const berth_operand *operand, size_t i, float scale,
                      int32_t zero);

/* The same of `n` elements from `first` on, faster than one by one. */
void kernel_floats_at(const berth_operand *operand, size_t first, size_t n,
                      float scale, int32_t zero, float *to);

#endif

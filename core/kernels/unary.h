/* unary.h: operators on one quantized operand that need no table: what their
 * scales come to, and their arithmetic element by element. Formulas: TensorFlow
 * Lite's activations.cc and elementwise.cc and the reference kernels they call.
 */
#ifndef BERTH_UNARY_H
#define BERTH_UNARY_H

#include "kernels/curve16.h"
#include "kernels/fixed.h"

struct unary {
    int32_t zero_in;
    int32_t zero_out;
    struct requant by;    /* of values; of those from 0 on */
    struct requant below; /* LEAKY_RELU: below 0; HARD_SWISH: to [-1, 1] */
    struct clamp to;
    struct curve16 curve;
    float scale_in;
    float scale_out;
};

/* Fills *unary, or says what is wrong with the operands' quantization. */
typedef berth_status unary_prepare(const berth_node *node, struct unary *unary,
                                   berth_diag *diag);

unary_prepare kernel_unary_scales; /* zero points, scales, the type's clamp */
unary_prepare kernel_unary_rescale;
unary_prepare kernel_unary_relu;
unary_prepare kernel_unary_leaky;
unary_prepare kernel_unary_hard_swish;
unary_prepare kernel_unary_inverse_root;
unary_prepare kernel_unary_curve16;

static inline int32_t unary_placed(const struct unary *u, int32_t value)
{
    return requant_place(value, u->zero_out, u->to);
}

static inline int32_t unary_relu(const struct unary *u, int32_t q)
{
    return unary_placed(u, requant_twice(q - u->zero_in, u->by));
}

static inline int32_t unary_abs(const struct unary *u, int32_t q)
{
    const int32_t value = q - u->zero_in;
    return unary_placed(u, requant_twice(value < 0 ? -value : value, u->by));
}

static inline int32_t unary_leaky(const struct unary *u, int32_t q)
{
    const int32_t value = q - u->zero_in;
    if (value >= 0) {
        return unary_placed(u, requant_twice(value, u->by));
    }
    const struct requant size = {u->below.multiplier < 0 ? -u->below.multiplier
                                                         : u->below.multiplier,
                                 u->below.shift};
    const int32_t scaled = requant_twice(value, size);
    return unary_placed(u, u->below.multiplier < 0 ? -scaled : scaled);
}

int32_t kernel_unary_hard_swish_at(const struct unary *u, int32_t q);
int32_t kernel_unary_sqrt_at(const struct unary *u, int32_t q);
int32_t kernel_unary_rsqrt_at(const struct unary *u, int32_t q);
int32_t kernel_unary_logistic_at(const struct unary *u, int32_t q);
int32_t kernel_unary_tanh_at(const struct unary *u, int32_t q);

#endif

/* fixed.h: functions of fixed-point numbers, bit by bit as gemmlowp's
 * fixedpoint.h and TensorFlow Lite's common.h define them.
 *
 * Qm is a number of 32 bits with m bits before the point and 31 - m behind it;
 * Q0 holds [-1, 1). Products are kernels' requant_high_half: Qm * Qn = Q(m+n).
 * Sums wrap, what is scaled up saturates. */
#ifndef BERTH_FIXED_H
#define BERTH_FIXED_H

#include "kernels/requant.h"

/* value * 2^bits, saturated; bits in 0..31. */
int32_t fixed_scale_up(int32_t value, int32_t bits);

/* Zero bits in front of the highest one; 32 for 0. */
int32_t fixed_leading_zeros(uint32_t value);

/* scale = 2^*n, as near as TensorFlow Lite asks: to a thousandth of n. */
bool kernel_is_power_of_two(float scale, int32_t *n);

/* Q0 of exp(a), a <= 0 in Q5. */
int32_t fixed_exp(int32_t a);

/* Q0 of 1 / (1 + a), a of [0, 1] in Q0. */
int32_t fixed_one_over_one_plus(int32_t a);

/* 1 / x, x > 0 of `digits` bits before the point: the result's Q0 times
 * 2^-*over. */
int32_t fixed_reciprocal(int32_t x, int32_t digits, int32_t *over);

/* Q5 of log(x), x >= 1 in Q12. */
int32_t fixed_log(int32_t x);

/* 1 / sqrt(x) of a whole x as multiplier and shift; 0 counts as 1. */
struct requant fixed_inverse_root(int32_t x);

#endif

/* curve16.h: LOGISTIC and TANH of 16 bits, from one table of 256 entries. */
#ifndef BERTH_CURVE16_H
#define BERTH_CURVE16_H

#include "kernels/kernel_int.h"

/* x is multiplied by `multiplier` and shifted right by `shift`, rounded, so
 * that 2^17 is worth 10.7 (LOGISTIC) or half of that (TANH). */
struct curve16 {
    int32_t multiplier;
    int32_t shift;
};

/* For inputs of that scale; `most`: the longest shift to the left by which a
 * power of two may be taken as it is. BERTH_UNSUPPORTED: too large or small. */
berth_status kernel_curve16_of(float scale, int32_t most, struct curve16 *curve,
                               berth_diag *diag);

int32_t kernel_logistic16(const struct curve16 *curve, int32_t x);
int32_t kernel_tanh16(const struct curve16 *curve, int32_t x);

#endif

/* chain.h: int8 sums of many numbers of one scale, as TFLM makes them: each is
 * brought up by 20 bits and halved, and the sum is placed in the output's
 * scale. The sum begins with what the bits 0 are worth, not with 0. */
#ifndef BERTH_CHAIN_H
#define BERTH_CHAIN_H

#include "kernels/pair.h"

/* For input 0 and output 0. */
berth_status kernel_chain_of(const berth_node *node, struct pair *pair,
                             berth_diag *diag);

static inline int32_t chain_start(const struct pair *p)
{
    return pair_scaled(p, 0, 0);
}

static inline int32_t chain_add(const struct pair *p, int32_t sum, int32_t q)
{
    return wrap_add(sum, pair_scaled(p, 0, q));
}

#endif

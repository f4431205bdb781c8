/* opt_finish.h: from the sums of a block of channels to elements of the output:
 * the reference's arithmetic, laid out so that what is the same for all
 * channels is done in vectors and the rest without a branch. */
#ifndef BERTH_OPT_FINISH_H
#define BERTH_OPT_FINISH_H

#include "kernels/weights.h"

enum { OPT_BLOCK = 16 }; /* channels that are finished together */

/* Sums of one spot; which, the output's type and the weights' width say. */
union opt_sums {
    int32_t ints[OPT_BLOCK];
    int64_t wide[OPT_BLOCK];
    float floats[OPT_BLOCK];
};

struct opt_finish {
    const struct weights *w;
    uint32_t count; /* channels */
    bool plain;     /* integers that are rounded twice: what follows holds */
    bool shrinks;   /* no channel's ratio of scales needs a shift to the left */
    int32_t zero_point;
    int32_t low; /* before the zero point is added */
    int32_t high;
    int32_t bias[OPT_BLOCK];
    int32_t multiplier[OPT_BLOCK];
    uint8_t left[OPT_BLOCK];
    uint8_t right[OPT_BLOCK];
    double real[OPT_BLOCK]; /* multiplier * 2^-31 */
    double down[OPT_BLOCK]; /* 2^-right */
    struct clamp_f32 clamp; /* floats */
    float bias_f32[OPT_BLOCK];
    struct rescale rescale[OPT_BLOCK]; /* integers of all kinds */
};

/* For `count` channels from `channel` on: fills all but `rescale`, which the
 * caller has filled for integers. */
void kernel_opt_finish_start(struct opt_finish *finish, const struct weights *w,
                             uint32_t channel, uint32_t count);

/* Elements [at, at + count) of a line of the output. sums may be changed. */
void kernel_opt_finish(const struct opt_finish *finish, union opt_sums *sums,
                       uint8_t *line, size_t at);

#endif

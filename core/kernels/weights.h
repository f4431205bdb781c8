/* weights.h: what operators with weights share: which types go together, the
 * bias, and the way from a sum of products to an element of the output. */
#ifndef BERTH_WEIGHTS_H
#define BERTH_WEIGHTS_H

#include "kernels/dot.h"
#include "kernels/requant.h"

struct weights {
    const berth_operand *input;
    const berth_operand *filter;
    const berth_operand *bias; /* NULL: none */
    const berth_operand *output;
    uint32_t channels;   /* of the output */
    int32_t filter_axis; /* the filter's axis that is the output's channels */
    int64_t activation;
    bool wide; /* sums of 64 bits */
};

/* Types that go together, quantization, bias and activation. The caller has
 * looked at shapes but for the bias. */
berth_status kernel_check_weights(const struct weights *w, berth_diag *diag);

/* Sums of 16-bit activations have 64 bits, unless the bias has 32; where there
 * is none, the option table's quantized_bias_type says it. */
bool kernel_is_wide(const struct weights *w, int64_t bias_type);

static inline bool kernel_is_float(const struct weights *w)
{
    return w->output->type == BERTH_FLOAT32;
}

/* The filter's elements from `first` on, as channel c counts them. */
struct factor kernel_filter_factor(const struct weights *w, uint32_t channel,
                                   size_t first, size_t step);
struct factor kernel_input_factor(const struct weights *w, const uint8_t *data,
                                  size_t first, size_t step);

/* --- from a sum to an output ------------------------------------------------
 */

enum rescale_way {
    RESCALE_TWICE, /* requant_twice */
    RESCALE_WIDE,  /* requant_wide */
    RESCALE_REAL   /* the real number itself, then rounded once */
};

struct rescale {
    enum rescale_way way;
    /* The ratio of scales is input * filter / output. TFLite multiplies the
     * first two as floats where it reads a single scale, as doubles elsewhere.
     */
    bool as_floats;
    float input;
    float output;
    int32_t zero_point;
    struct clamp clamp;
    /* Of one channel. */
    double real;
    struct requant by;
    int64_t bias;
};

/* All but what a channel has of its own, then that. */
struct rescale kernel_rescale_of(const struct weights *w, enum rescale_way way,
                                 bool as_floats);
void kernel_rescale_channel(struct rescale *rescale, const struct weights *w,
                            uint32_t channel);

/* Channels [channel, channel + count), from what they share. */
void kernel_rescale_channels(const struct rescale *shared,
                             const struct weights *w, uint32_t channel,
                             uint32_t count, struct rescale *rescale);

/* The element of the output that a sum of products makes. */
static inline int32_t rescale_sum(const struct rescale *r, int64_t products)
{
    const int64_t sum = wrap_add_64(products, r->bias);
    int32_t value = 0;
    if (r->way == RESCALE_WIDE) {
        value = requant_wide(sum, r->by);
    } else if (r->way == RESCALE_REAL) {
        value = requant_nearest((double)sum * r->real);
    } else {
        value = requant_twice((int32_t)sum, r->by);
    }
    return requant_place(value, r->zero_point, r->clamp);
}

/* The bias of a float operator; 0 where there is none. */
float kernel_bias_f32(const struct weights *w, uint32_t channel);

#endif

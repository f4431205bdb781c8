/* conv.h: CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV as one thing: an output
 * channel adds up, over the taps inside the image, products of `depth` input
 * channels with as many elements of the filter. A depthwise convolution has a
 * depth of 1; a transposed one moves its window over the output. */
#ifndef BERTH_CONV_H
#define BERTH_CONV_H

#include "kernels/weights.h"
#include "kernels/window.h"

struct conv {
    struct weights w;
    struct window_axis y;
    struct window_axis x;
    bool transposed; /* the window moves over the output */
    size_t in_channels;
    size_t depth;          /* products for each tap */
    size_t sharers;        /* output channels that read the same inputs */
    size_t filter_channel; /* elements of the filter from channel to channel, */
    size_t filter_tap;     /* and from tap to tap along x */
};

/* What a node says; cheap. BERTH_BAD_MODEL for shapes and options that do not
 * fit each other; never once kernel_check_conv() has said BERTH_OK. */
berth_status kernel_conv_of(const berth_node *node, struct conv *conv,
                            berth_diag *diag);

/* check() of all three, in every set of kernels. */
berth_status kernel_check_conv(const berth_node *node, berth_diag *diag);

/* How sums become elements of `count` output channels from `channel` on. */
void kernel_conv_rescale(const struct conv *conv, uint32_t channel,
                         uint32_t count, struct rescale *rescale);

/* What element o of an axis of the output sees. */
static inline struct taps conv_taps(const struct conv *conv,
                                    const struct window_axis *axis, int64_t o)
{
    return conv->transposed ? window_taps_transposed(axis, o)
                            : window_taps(axis, o);
}

/* A line of the input image. */
static inline const uint8_t *conv_line(const struct conv *conv, int64_t batch,
                                       int64_t y)
{
    return berth_operand_row(conv->w.input, (uint32_t)(batch * conv->y.in + y));
}

#endif

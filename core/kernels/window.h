/* window.h: windows that move over an image: which elements of an axis meet
 * which taps of the filter. Convolutions, transposed ones and pools share it.
 * Padding as TensorFlow Lite computes it (padding.h there). */
#ifndef BERTH_WINDOW_H
#define BERTH_WINDOW_H

#include "kernels/kernel_int.h"

/* Padding of the schema. */
enum { WINDOW_SAME = 0, WINDOW_VALID = 1 };

struct window_axis {
    int64_t in;
    int64_t out;
    int64_t size; /* taps */
    int64_t stride;
    int64_t dilation;
    int64_t pad; /* in front */
};

/* The taps that lie inside: tap + i * tap_step meets at + i * at_step. */
struct taps {
    int64_t at;
    int64_t at_step;
    int64_t tap;
    int64_t tap_step;
    int64_t count;
};

/* value / by, rounded up; 0 for what is below. Most windows are not dilated,
 * and a division takes as long as a row of products. */
static inline int64_t window_ceil(int64_t value, int64_t by)
{
    if (value <= 0) {
        return 0;
    }
    return by == 1 ? value : (value + by - 1) / by;
}

/* For element o of the output. */
static inline struct taps window_taps(const struct window_axis *axis, int64_t o)
{
    const int64_t origin = o * axis->stride - axis->pad;
    const int64_t first = window_ceil(-origin, axis->dilation);
    const int64_t beyond = window_ceil(axis->in - origin, axis->dilation);
    const int64_t end = beyond < axis->size ? beyond : axis->size;
    return (struct taps){
        .at = origin + first * axis->dilation,
        .at_step = axis->dilation,
        .tap = first,
        .tap_step = 1,
        .count = end > first ? end - first : 0,
    };
}

/* The same where the window moves over the output (TRANSPOSE_CONV): ascending
 * in the input, so descending in taps. */
static inline struct taps window_taps_transposed(const struct window_axis *axis,
                                                 int64_t o)
{
    const int64_t top = o + axis->pad;
    const int64_t first = window_ceil(top - axis->size + 1, axis->stride);
    const int64_t beyond = top / axis->stride + 1;
    const int64_t end = beyond < axis->in ? beyond : axis->in;
    return (struct taps){
        .at = first,
        .at_step = 1,
        .tap = top - first * axis->stride,
        .tap_step = -axis->stride,
        .count = end > first ? end - first : 0,
    };
}

/* BERTH_BAD_MODEL for strides, dilations or sizes below 1, or an unknown
 * padding; then sets .out and .pad from the others. .out is at least 0. */
berth_status kernel_window_fit(struct window_axis *axis, int64_t padding,
                               berth_diag *diag);

/* The same for a transposed window, whose .out is known: .in must be what the
 * window makes of it. Sets .pad. */
berth_status kernel_window_fit_transposed(struct window_axis *axis,
                                          int64_t padding, berth_diag *diag);

#endif

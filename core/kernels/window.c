/* Sizes and paddings of windows. */
#include "kernels/window.h"

static berth_status check_window(const struct window_axis *axis,
                                 int64_t padding, berth_diag *diag)
{
    if (padding != WINDOW_SAME && padding != WINDOW_VALID) {
        return berth_refuse(diag, BERTH_BAD_MODEL, "an unknown padding");
    }
    return axis->size >= 1 && axis->stride >= 1 && axis->dilation >= 1
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "a window, stride or dilation below 1");
}

static int64_t window_reach(const struct window_axis *axis)
{
    return (axis->size - 1) * axis->dilation + 1;
}

/* How often the window fits on `image` elements. */
static int64_t window_fits(const struct window_axis *axis, int64_t image,
                           int64_t padding)
{
    return padding == WINDOW_SAME
               ? window_ceil(image, axis->stride)
               : window_ceil(image + 1 - window_reach(axis), axis->stride);
}

static int64_t window_pad(const struct window_axis *axis, int64_t image,
                          int64_t count)
{
    const int64_t both =
        (count - 1) * axis->stride + window_reach(axis) - image;
    return both > 0 ? both / 2 : 0;
}

berth_status kernel_window_fit(struct window_axis *axis, int64_t padding,
                               berth_diag *diag)
{
    BERTH_TRY(check_window(axis, padding, diag));
    axis->out = window_fits(axis, axis->in, padding);
    axis->pad = window_pad(axis, axis->in, axis->out);
    return BERTH_OK;
}

berth_status kernel_window_fit_transposed(struct window_axis *axis,
                                          int64_t padding, berth_diag *diag)
{
    BERTH_TRY(check_window(axis, padding, diag));
    const int64_t count = window_fits(axis, axis->out, padding);
    if (padding == WINDOW_SAME && count != axis->in) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a transposed window makes another size");
    }
    axis->pad = window_pad(axis, axis->out, count);
    return BERTH_OK;
}

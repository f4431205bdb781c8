/* FULLY_CONNECTED: one dot product for each element of the output. */
#include "kernels/dense.h"

#include "kernels/element.h"

static void dense_ints(const berth_node *node, const struct dense *dense,
                       uint32_t row, uint32_t channel)
{
    const struct weights *w = &dense->w;
    const struct factor in =
        kernel_input_factor(w, berth_operand_row(w->input, row), 0, 1);
    const struct factor filter =
        kernel_filter_factor(w, channel, channel * dense->depth, 1);
    struct rescale rescale;
    kernel_dense_rescale(node, dense, channel, 1, &rescale);
    const int64_t sum = kernel_dot_ints(w->input->type, w->filter->type)(
        &in, &filter, dense->depth);
    element_put(berth_operand_row(w->output, row), channel, w->output->type,
                rescale_sum(&rescale, sum));
}

static void dense_floats(const struct dense *dense, uint32_t row,
                         uint32_t channel)
{
    const struct weights *w = &dense->w;
    const struct factor in =
        kernel_input_factor(w, berth_operand_row(w->input, row), 0, 1);
    const struct factor filter =
        kernel_filter_factor(w, channel, channel * dense->depth, 1);
    const float sum =
        kernel_dot_floats(w->filter->type)(0, &in, &filter, dense->depth);
    element_put_f32(berth_operand_row(w->output, row), channel,
                    clamp_f32(sum + kernel_bias_f32(w, channel),
                              kernel_clamp_f32_of(w->activation)));
}

static berth_status run_fully_connected(const berth_node *node, uint32_t begin,
                                        uint32_t end)
{
    struct dense dense;
    BERTH_TRY(kernel_dense_of(node, &dense, NULL));
    if (dense.w.output->elements == 0) {
        return BERTH_OK;
    }
    for (uint32_t row = begin; row < end; ++row) {
        for (uint32_t channel = 0; channel < dense.w.channels; ++channel) {
            if (kernel_is_float(&dense.w)) {
                dense_floats(&dense, row, channel);
            } else {
                dense_ints(node, &dense, row, channel);
            }
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_fully_connected = {.check = kernel_check_dense,
                                                 .rows = run_fully_connected};

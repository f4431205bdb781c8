/* FULLY_CONNECTED: operands, options, shapes, scales. */
#include "kernels/dense.h"

berth_status kernel_dense_of(const berth_node *node, struct dense *dense,
                             berth_diag *diag)
{
    struct weights *w = &dense->w;
    w->input = kernel_input(node, 0);
    w->filter = kernel_input(node, 1);
    w->bias = kernel_input(node, 2);
    w->output = &node->outputs[0];
    if (w->input == NULL || w->filter == NULL || node->output_count != 1 ||
        w->filter->rank != 2 || w->output->rank < 1 ||
        w->filter->dims[0] <= 0 || w->filter->dims[1] <= 0) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a matrix product without a matrix");
    }
    dense->depth = (size_t)w->filter->dims[1];
    w->channels = (uint32_t)w->filter->dims[0];
    w->filter_axis = 0;
    w->activation = berth_option_int(
        node->op, BERTH_OPT_FullyConnectedOptions_fused_activation_function);
    w->wide = kernel_is_wide(
        w, berth_option_int(
               node->op, BERTH_OPT_FullyConnectedOptions_quantized_bias_type));
    return BERTH_OK;
}

berth_status kernel_check_dense(const berth_node *node, berth_diag *diag)
{
    if (berth_option_int(node->op,
                         BERTH_OPT_FullyConnectedOptions_weights_format) != 0) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "shuffled weights");
    }
    struct dense dense;
    BERTH_TRY(kernel_dense_of(node, &dense, diag));
    const struct weights *w = &dense.w;
    const uint64_t rows = w->input->elements / dense.depth;
    if (w->input->elements % dense.depth != 0 ||
        w->output->elements != rows * w->channels ||
        w->output->dims[w->output->rank - 1] != (int32_t)w->channels) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a matrix product whose shapes do not fit");
    }
    BERTH_TRY(kernel_check_weights(w, diag));
    BERTH_TRY(kernel_check_walk(w->input, rows, diag));
    return kernel_check_walk(w->output, rows, diag);
}

/* TFLite's reference multiplies by the real number; TFLM as convolutions do. */
static enum rescale_way dense_way(const berth_node *node,
                                  const struct weights *w)
{
    if (node->profile != BERTH_PROFILE_TFLM) {
        return RESCALE_REAL;
    }
    return w->wide ? RESCALE_WIDE : RESCALE_TWICE;
}

void kernel_dense_rescale(const berth_node *node, const struct dense *dense,
                          uint32_t channel, uint32_t count,
                          struct rescale *rescale)
{
    const struct weights *w = &dense->w;
    const bool as_floats = node->profile == BERTH_PROFILE_TFLM &&
                           w->filter->quantization.scale_count == 1;
    const struct rescale shared =
        kernel_rescale_of(w, dense_way(node, w), as_floats);
    kernel_rescale_channels(&shared, w, channel, count, rescale);
}

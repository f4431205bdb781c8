/* FULLY_CONNECTED: each row of the input is a spot. */
#include "kernels/dense.h"
#include "kernels/opt/c/opt_product.h"

static void start_channels(const berth_node *node, const struct dense *dense,
                           uint32_t channel, struct opt_block *block)
{
    const struct weights *w = &dense->w;
    const uint32_t left = w->channels - channel;
    const uint32_t count = left < OPT_BLOCK ? left : OPT_BLOCK;
    block->w = w;
    block->depth = dense->depth;
    block->channel = channel;
    if (!kernel_is_float(w)) {
        kernel_dense_rescale(node, dense, channel, count,
                             block->finish.rescale);
    }
    kernel_opt_finish_start(&block->finish, w, channel, count);
}

static berth_status run_opt_dense(const berth_node *node, uint32_t begin,
                                  uint32_t end)
{
    struct dense dense;
    struct opt_block block;
    BERTH_TRY(kernel_dense_of(node, &dense, NULL));
    const berth_operand *in = dense.w.input;
    const berth_operand *out = dense.w.output;
    if (out->elements == 0) {
        return BERTH_OK;
    }
    for (uint32_t row = begin, step = 1; row < end; row += step) {
        step = kernel_opt_apart(in, out) ? end - row : 1;
        step = berth_operand_run(in, row, step);
        step = berth_operand_run(out, row, step);
        const struct opt_rows rows = {
            .source = kernel_opt_source(&dense.w),
            .first = berth_operand_row(in, row),
            .step = in->pitch,
        };
        for (uint32_t k = 0; k < dense.w.channels; k += block.finish.count) {
            start_channels(node, &dense, k, &block);
            kernel_opt_product(&block, &(struct opt_spots){
                                           .from = &rows,
                                           .fetch = kernel_opt_fetch_row,
                                           .out = berth_operand_row(out, row),
                                           .out_step = out->pitch,
                                           .spots = step,
                                       });
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_opt_dense = {.check = kernel_check_dense,
                                       .rows = run_opt_dense};

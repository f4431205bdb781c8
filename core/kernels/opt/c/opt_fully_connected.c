/* FULLY_CONNECTED: each row of the input is a spot. */
#include "kernels/dense.h"
#include "kernels/opt/c/opt_product.h"

/* Rows that lie one behind the other. */
struct dense_rows {
    const struct dense *dense;
    const uint8_t *first;
};

static void fetch_row(const void *from, uint32_t spot, size_t first,
                      size_t count, void *to)
{
    const struct dense_rows *rows = from;
    const struct weights *w = &rows->dense->w;
    kernel_opt_copy(w, rows->first + spot * w->input->pitch, first, count, to,
                    0);
}

static void start_channels(const berth_node *node, const struct dense *dense,
                           uint32_t channel, struct opt_block *block)
{
    const uint32_t left = dense->w.channels - channel;
    block->w = &dense->w;
    block->depth = dense->depth;
    block->channel = channel;
    block->count = left < OPT_BLOCK ? left : OPT_BLOCK;
    block->clamp = kernel_clamp_f32_of(dense->w.activation);
    for (uint32_t k = 0; k < block->count && !kernel_is_float(&dense->w); ++k) {
        block->rescale[k] = kernel_dense_rescale(node, dense, channel + k);
    }
}

static berth_status run_opt_dense(const berth_node *node, uint32_t begin,
                                  uint32_t end)
{
    struct dense dense;
    struct opt_block block;
    BERTH_TRY(kernel_dense_of(node, &dense, NULL));
    const struct weights *w = &dense.w;
    const uint32_t most = kernel_opt_apart(w) ? end - begin : 1;
    if (w->output->elements == 0) {
        return BERTH_OK;
    }
    for (uint32_t row = begin, step = 1; row < end; row += step) {
        step = most < end - row ? most : end - row;
        step = berth_operand_run(w->input, row, step);
        step = berth_operand_run(w->output, row, step);
        const struct dense_rows rows = {&dense,
                                        berth_operand_row(w->input, row)};
        for (uint32_t k = 0; k < w->channels; k += block.count) {
            start_channels(node, &dense, k, &block);
            kernel_opt_product(&block,
                               &(struct opt_spots){
                                   .from = &rows,
                                   .fetch = fetch_row,
                                   .out = berth_operand_row(w->output, row),
                                   .out_step = w->output->pitch,
                                   .spots = step,
                               });
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_opt_dense = {.check = kernel_check_dense,
                                       .rows = run_opt_dense};

/* CONV_2D and TRANSPOSE_CONV: each pixel of a line of the output is a spot. */
#include "kernels/conv.h"
#include "kernels/opt/c/opt_product.h"

/* A line of the output, and how its pixels see the image: in units that lie one
 * behind the other in the image and in the filter: whole lines of the window,
 * or, where it is dilated or channels are grouped, taps. */
struct conv_sight {
    const struct conv *conv;
    struct opt_source source;
    int64_t batch;
    int64_t top;     /* line of the image that the window's first would see */
    size_t in_first; /* of the channels that are read */
    size_t unit;     /* elements */
    bool taps;       /* a unit is a tap */
};

/* Elements [at, at + n) of a line of the image; zeros where there are none. */
static void fetch_part(const struct conv_sight *sight, int64_t y, int64_t at,
                       size_t n, void *to, size_t to_at)
{
    const struct conv *c = sight->conv;
    const int64_t size = c->x.in * (int64_t)c->in_channels;
    const int64_t count = (int64_t)n;
    if (y < 0 || y >= c->y.in || at >= size || at + count <= 0) {
        kernel_opt_clear(&sight->source, n, to, to_at);
        return;
    }
    const int64_t begin = at < 0 ? -at : 0;
    const int64_t end = at + count > size ? size - at : count;
    kernel_opt_clear(&sight->source, (size_t)begin, to, to_at);
    kernel_opt_copy(&sight->source, conv_line(c, sight->batch, y),
                    (size_t)(at + begin), (size_t)(end - begin), to,
                    to_at + (size_t)begin);
    kernel_opt_clear(&sight->source, (size_t)(count - end), to,
                     to_at + (size_t)end);
}

static void fetch_pixel(const void *from, uint32_t spot, size_t first,
                        size_t count, void *to)
{
    const struct conv_sight *sight = from;
    const struct conv *c = sight->conv;
    const int64_t left = spot * c->x.stride - c->x.pad;
    const int64_t across = sight->taps ? c->x.size : 1;
    const size_t unit = first / sight->unit;
    int64_t j = (int64_t)unit / across;
    int64_t i = (int64_t)unit % across;
    size_t within = first % sight->unit;
    for (size_t done = 0; done < count;) {
        const size_t rest = sight->unit - within;
        const size_t n = rest < count - done ? rest : count - done;
        const int64_t x = left + i * c->x.dilation;
        fetch_part(sight, sight->top + j * c->y.dilation,
                   x * (int64_t)c->in_channels +
                       (int64_t)(sight->in_first + within),
                   n, to, done);
        done += n;
        within = 0;
        if (++i == across) {
            i = 0;
            ++j;
        }
    }
}

/* What a pixel of a transposed convolution sees: taps that do not fall on an
 * element of the image see zeros. */
static void fetch_transposed(const void *from, uint32_t spot, size_t first,
                             size_t count, void *to)
{
    const struct conv_sight *sight = from;
    const struct conv *c = sight->conv;
    size_t tap = first / c->depth;
    size_t within = first % c->depth;
    for (size_t done = 0; done < count; ++tap) {
        const size_t rest = c->depth - within;
        const size_t n = rest < count - done ? rest : count - done;
        const int64_t y = sight->top - (int64_t)tap / c->x.size;
        const int64_t x = spot + c->x.pad - (int64_t)tap % c->x.size;
        const bool falls = y >= 0 && x >= 0 && y % c->y.stride == 0 &&
                           x % c->x.stride == 0 && x / c->x.stride < c->x.in;
        fetch_part(sight, falls ? y / c->y.stride : -1,
                   x / c->x.stride * (int64_t)c->in_channels + (int64_t)within,
                   n, to, done);
        done += n;
        within = 0;
    }
}

/* --- lines ------------------------------------------------------------------
 */

/* A pixel sees the pixel at its own place, whole. */
static bool is_pointwise(const struct conv *c)
{
    return !c->transposed && c->x.size == 1 && c->y.size == 1 &&
           c->x.stride == 1 && c->y.stride == 1 && c->depth == c->in_channels;
}

/* Bytes of all channels of a pixel. */
static size_t pixel_bytes(const berth_operand *image)
{
    return (size_t)image->dims[3] * (size_t)(image->bytes / image->elements);
}

/* Lines that lie one behind the other are one long line. Returns how many. */
static uint32_t make_points(const struct conv *c, const struct opt_block *block,
                            uint32_t row, uint32_t end)
{
    const berth_operand *in = c->w.input;
    const berth_operand *out = c->w.output;
    const uint32_t lines =
        berth_operand_run(in, row, berth_operand_run(out, row, end - row));
    const struct opt_rows rows = {
        .source = kernel_opt_source(&c->w),
        .first = berth_operand_row(in, row),
        .step = pixel_bytes(in),
    };
    kernel_opt_product(block, &(struct opt_spots){
                                  .from = &rows,
                                  .fetch = kernel_opt_fetch_row,
                                  .out = berth_operand_row(out, row),
                                  .out_step = pixel_bytes(out),
                                  .spots = lines * (uint32_t)c->x.out,
                              });
    return lines;
}

static void make_line(const struct conv *c, const struct opt_block *block,
                      uint32_t row)
{
    const bool taps = c->x.dilation != 1 || c->depth != c->in_channels;
    const int64_t y = row % c->y.out;
    const struct conv_sight sight = {
        .conv = c,
        .source = kernel_opt_source(&c->w),
        .batch = row / c->y.out,
        .top = c->transposed ? y + c->y.pad : y * c->y.stride - c->y.pad,
        .in_first = block->channel / c->sharers * c->depth,
        .unit = taps ? c->depth : c->depth * (size_t)c->x.size,
        .taps = taps,
    };
    kernel_opt_product(
        block, &(struct opt_spots){
                   .from = &sight,
                   .fetch = c->transposed ? fetch_transposed : fetch_pixel,
                   .out = berth_operand_row(c->w.output, row),
                   .out_step = pixel_bytes(c->w.output),
                   .spots = (uint32_t)c->x.out,
               });
}

/* --- blocks -----------------------------------------------------------------
 */

/* All channels that read the same inputs, up to a block of them. */
static void start_block(const struct conv *c, uint32_t channel,
                        struct opt_block *block)
{
    const uint32_t sharers = (uint32_t)c->sharers;
    const uint32_t left = sharers - channel % sharers;
    const uint32_t count = left < OPT_BLOCK ? left : OPT_BLOCK;
    block->w = &c->w;
    block->depth = c->filter_channel;
    block->channel = channel;
    if (!kernel_is_float(&c->w)) {
        kernel_conv_rescale(c, channel, count, block->finish.rescale);
    }
    kernel_opt_finish_start(&block->finish, &c->w, channel, count);
}

static void make_rows(const struct conv *c, const struct opt_block *block,
                      uint32_t row, uint32_t end)
{
    const bool points = is_pointwise(c);
    while (row < end) {
        if (points) {
            row += make_points(c, block, row, end);
        } else {
            make_line(c, block, row);
            ++row;
        }
    }
}

static berth_status run_opt_conv(const berth_node *node, uint32_t begin,
                                 uint32_t end)
{
    struct conv c;
    struct opt_block block;
    BERTH_TRY(kernel_conv_of(node, &c, NULL));
    if (c.w.output->elements == 0) {
        return BERTH_OK;
    }
    const bool apart = kernel_opt_apart(c.w.input, c.w.output);
    const uint32_t step = apart ? end - begin : 1;
    for (uint32_t row = begin; row < end; row += step) {
        for (uint32_t k = 0; k < c.w.channels; k += block.finish.count) {
            start_block(&c, k, &block);
            make_rows(&c, &block, row, row + step);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_opt_conv = {.check = kernel_check_conv,
                                      .rows = run_opt_conv};

/* Convolutions: for each element of the output, one tap after the other. */
#include "kernels/conv.h"

#include "kernels/element.h"

/* The element being made. */
struct conv_total {
    int64_t ints;
    float floats;
};

struct conv_loop {
    struct conv conv;
    dot_ints *ints; /* NULL: floats */
    dot_floats *floats;
    uint32_t channel;
    size_t in_first; /* of the channels that it reads */
    struct factor in;
    struct factor filter;
};

static void add_tap(struct conv_loop *loop, const uint8_t *line, size_t x,
                    size_t tap, struct conv_total *total)
{
    const struct conv *c = &loop->conv;
    loop->in.data = line;
    loop->in.first = x * c->in_channels + loop->in_first;
    loop->filter.first =
        loop->channel * c->filter_channel + tap * c->filter_tap;
    if (loop->ints != NULL) {
        total->ints = wrap_add_64(
            total->ints, loop->ints(&loop->in, &loop->filter, c->depth));
    } else {
        total->floats =
            loop->floats(total->floats, &loop->in, &loop->filter, c->depth);
    }
}

static struct conv_total add_taps(struct conv_loop *loop, int64_t batch,
                                  struct taps y, struct taps x)
{
    const struct conv *c = &loop->conv;
    struct conv_total total = {0, 0};
    for (int64_t j = 0; j < y.count; ++j) {
        const uint8_t *line = conv_line(c, batch, y.at + j * y.at_step);
        const int64_t tap_line = (y.tap + j * y.tap_step) * c->x.size;
        for (int64_t i = 0; i < x.count; ++i) {
            add_tap(loop, line, (size_t)(x.at + i * x.at_step),
                    (size_t)(tap_line + x.tap + i * x.tap_step), &total);
        }
    }
    return total;
}

/* One channel of one line of the output. */
static void make_channel(struct conv_loop *loop, uint32_t row)
{
    const struct conv *c = &loop->conv;
    const int64_t batch = row / c->y.out;
    const struct taps y = conv_taps(c, &c->y, row % c->y.out);
    uint8_t *out = berth_operand_row(c->w.output, row);
    const bool is_float = loop->ints == NULL;
    const struct clamp_f32 clamp = kernel_clamp_f32_of(c->w.activation);
    const float bias = is_float ? kernel_bias_f32(&c->w, loop->channel) : 0;
    struct rescale rescale = {0};
    if (!is_float) {
        kernel_conv_rescale(c, loop->channel, 1, &rescale);
    }
    for (int64_t o = 0; o < c->x.out; ++o) {
        const struct conv_total total =
            add_taps(loop, batch, y, conv_taps(c, &c->x, o));
        const size_t at = (size_t)o * c->w.channels + loop->channel;
        if (is_float) {
            element_put_f32(out, at, clamp_f32(total.floats + bias, clamp));
        } else {
            element_put(out, at, c->w.output->type,
                        rescale_sum(&rescale, total.ints));
        }
    }
}

static berth_status run_conv(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    struct conv_loop loop;
    BERTH_TRY(kernel_conv_of(node, &loop.conv, NULL));
    const struct weights *w = &loop.conv.w;
    loop.ints = kernel_dot_ints(w->input->type, w->filter->type);
    loop.floats = kernel_dot_floats(w->filter->type);
    if (w->output->elements == 0) {
        return BERTH_OK;
    }
    for (uint32_t row = begin; row < end; ++row) {
        for (uint32_t channel = 0; channel < w->channels; ++channel) {
            loop.channel = channel;
            loop.in_first = channel / loop.conv.sharers * loop.conv.depth;
            loop.in = kernel_input_factor(w, NULL, 0, 1);
            loop.filter = kernel_filter_factor(w, channel, 0, 1);
            make_channel(&loop, row);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_conv = {.check = kernel_check_conv,
                                      .rows = run_conv};

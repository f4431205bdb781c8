/* DEPTHWISE_CONV_2D: channels lie side by side in the image and in the filter,
 * so vectors go over channels, and the taps of a pixel come one after the
 * other, as in the reference: floats are equal to it too.
 *
 * A strip is some channels of a pixel: 16, 8, or what is left of fewer than 8.
 * The last strip of a row of 16s may cover channels of the one before again.
 * With a depth multiplier all channels of a strip read one input channel.
 *
 * Encoded floats are decoded once for a strip, not for every pixel. Stack:
 * under 4 KiB, 1600 bytes of them for that. */
#include "kernels/conv.h"
#include "kernels/element.h"
#include "kernels/opt/c/opt_product.h"

enum {
    WIDE = OPT_BLOCK,
    NARROW = 8,
    DECODED_TAPS = 25 /* of a window whose weights are encoded floats: 5 by 5 */
};

struct strip;
typedef void strip_taps(const struct strip *s, int64_t batch,
                        const struct taps *y, const struct taps *x,
                        union opt_sums *sums);

struct strip {
    const struct conv *conv;
    uint32_t channel;
    uint32_t count;
    size_t in_channel; /* that the first lane reads */
    int16_t in_zero;
    int16_t filter_zero;
    const uint8_t *filters;
    size_t filter;     /* the first lane's element of the first tap, */
    size_t filter_tap; /* and from tap to tap */
    strip_taps *taps;
    struct opt_finish finish;
    float decoded[DECODED_TAPS * WIDE];
};

/* --- taps -------------------------------------------------------------------
 */

/* Where the first lane's elements lie at the first tap of line j of the window,
 * and how far it is to the next. */
struct strip_walk {
    const uint8_t *line;
    const uint8_t *filters;
    size_t in;
    size_t filter;
    size_t in_step;
    size_t filter_step;
};

static inline struct strip_walk walk_of(const struct strip *s, int64_t batch,
                                        const struct taps *y,
                                        const struct taps *x, int64_t j)
{
    const struct conv *c = s->conv;
    return (struct strip_walk){
        .line = conv_line(c, batch, y->at + j * y->at_step),
        .filters = s->filters,
        .in = (size_t)x->at * c->in_channels + s->in_channel,
        .filter = (size_t)((y->tap + j) * c->x.size + x->tap) * s->filter_tap +
                  s->filter,
        .in_step = (size_t)x->at_step * c->in_channels,
        .filter_step = s->filter_tap,
    };
}

/* --- any type ---------------------------------------------------------------
 */

#define IN_I8(l)      (element_i8(w.line, w.in + (l)) - s->in_zero)
#define IN_U8(l)      (element_u8(w.line, w.in + (l)) - s->in_zero)
#define IN_I16(l)     element_i16(w.line, w.in + (l))
#define IN_F32(l)     kernel_get_f32(w.line, w.in + (l))
#define FILTER_I8(l)  element_i8(w.filters, w.filter + (l))
#define FILTER_U8(l)  (element_u8(w.filters, w.filter + (l)) - s->filter_zero)
#define FILTER_F32(l) kernel_get_f32(w.filters, w.filter + (l))

/* `step`: lane l reads input l * step; 0 with a depth multiplier. */
#define STRIP(name, lanes, step, type, of, IN, FILTER)                         \
    static void name(const struct strip *s, int64_t batch,                     \
                     const struct taps *y, const struct taps *x,               \
                     union opt_sums *sums)                                     \
    {                                                                          \
        type sum[WIDE] = {0};                                                  \
        for (int64_t j = 0; j < y->count; ++j) {                               \
            struct strip_walk w = walk_of(s, batch, y, x, j);                  \
            for (int64_t i = 0; i < x->count; ++i) {                           \
                for (size_t l = 0; l < (lanes); ++l) {                         \
                    sum[l] += IN(l * (step)) * FILTER(l);                      \
                }                                                              \
                w.in += w.in_step;                                             \
                w.filter += w.filter_step;                                     \
            }                                                                  \
        }                                                                      \
        __builtin_memcpy(sums->of, sum, sizeof(sum));                          \
    }

#define STRIPS(name, ...)                                                      \
    STRIP(name##_wide, WIDE, 1, __VA_ARGS__)                                   \
    STRIP(name##_narrow, NARROW, 1, __VA_ARGS__)                               \
    STRIP(name##_few, s->count, 1, __VA_ARGS__)                                \
    STRIP(name##_one_wide, WIDE, 0, __VA_ARGS__)                               \
    STRIP(name##_one_narrow, NARROW, 0, __VA_ARGS__)                           \
    STRIP(name##_one_few, s->count, 0, __VA_ARGS__)

STRIP(strip_i8_few, s->count, 1, int32_t, ints, IN_I8, FILTER_I8)
STRIP(strip_i8_one_few, s->count, 0, int32_t, ints, IN_I8, FILTER_I8)
STRIPS(strip_u8, int32_t, ints, IN_U8, FILTER_U8)
STRIPS(strip_i16, int64_t, wide, IN_I16, FILTER_I8)
STRIPS(strip_f32, float, floats, IN_F32, FILTER_F32)

/* --- int8, in GNU C's vectors -----------------------------------------------
 * An input without its zero point has 9 bits and a weight 8: their product fits
 * 16, of which vector units multiply eight at a time.
 */

typedef int8_t bytes_16 __attribute__((vector_size(16)));
typedef int16_t shorts_8 __attribute__((vector_size(16)));
typedef int32_t ints_4 __attribute__((vector_size(16)));
typedef uint64_t words_2 __attribute__((vector_size(16)));

/* Eight bytes, widened: each becomes the high half of a short, then slides
 * down (little endian). */
static inline shorts_8 eight_i8(const uint8_t *from)
{
    const bytes_16 zeros = {0};
    words_2 words = {0};
    uint64_t word;
    __builtin_memcpy(&word, from, sizeof(word));
    words[0] = word;
    const bytes_16 bytes = (bytes_16)words;
    return (shorts_8)__builtin_shufflevector(zeros, bytes, 0, 16, 1, 17, 2, 18,
                                             3, 19, 4, 20, 5, 21, 6, 22, 7,
                                             23) >>
           8;
}

/* sum[0..1] += eight shorts, widened by their sign. */
static inline void add_eight(ints_4 *sum, shorts_8 value)
{
    const shorts_8 sign = value < 0;
    sum[0] +=
        (ints_4)__builtin_shufflevector(value, sign, 0, 8, 1, 9, 2, 10, 3, 11);
    sum[1] += (ints_4)__builtin_shufflevector(value, sign, 4, 12, 5, 13, 6, 14,
                                              7, 15);
}

#define STRIP_EIGHTS(name, eights, step)                                       \
    static void name(const struct strip *s, int64_t batch,                     \
                     const struct taps *y, const struct taps *x,               \
                     union opt_sums *sums)                                     \
    {                                                                          \
        ints_4 sum[2 * (eights)] = {{0}};                                      \
        for (int64_t j = 0; j < y->count; ++j) {                               \
            const struct strip_walk w = walk_of(s, batch, y, x, j);            \
            const uint8_t *in = w.line + w.in;                                 \
            const uint8_t *filter = w.filters + w.filter;                      \
            for (int64_t i = 0; i < x->count; ++i) {                           \
                for (size_t e = 0; e < (eights); ++e) {                        \
                    const shorts_8 value =                                     \
                        (step) ? eight_i8(in + 8 * e) - s->in_zero             \
                               : (shorts_8){0} + (int16_t)(element_i8(in, 0) - \
                                                           s->in_zero);        \
                    add_eight(sum + 2 * e, value * eight_i8(filter + 8 * e));  \
                }                                                              \
                in += w.in_step;                                               \
                filter += w.filter_step;                                       \
            }                                                                  \
        }                                                                      \
        __builtin_memcpy(sums->ints, sum, sizeof(sum));                        \
    }

STRIP_EIGHTS(strip_i8_wide, 2, 1)
STRIP_EIGHTS(strip_i8_narrow, 1, 1)
STRIP_EIGHTS(strip_i8_one_wide, 2, 0)
STRIP_EIGHTS(strip_i8_one_narrow, 1, 0)

/* By input and filter type, then: one input for all lanes, then width. */
struct strip_row {
    uint8_t input;
    uint8_t filter;
    strip_taps *taps[2][3];
};

#define STRIP_ROW(name, input, filter)                                         \
    {                                                                          \
        input, filter,                                                         \
            {                                                                  \
                {name##_wide, name##_narrow, name##_few},                      \
                {name##_one_wide, name##_one_narrow, name##_one_few},          \
            },                                                                 \
    }

static const struct strip_row strip_rows[] = {
    STRIP_ROW(strip_i8, BERTH_INT8, BERTH_INT8),
    STRIP_ROW(strip_u8, BERTH_UINT8, BERTH_UINT8),
    STRIP_ROW(strip_i16, BERTH_INT16, BERTH_INT8),
    STRIP_ROW(strip_f32, BERTH_FLOAT32, BERTH_FLOAT32),
};

static bool is_encoded(const struct conv *c)
{
    return kernel_is_float(&c->w) && c->w.filter->type != BERTH_FLOAT32;
}

/* NULL: the reference serves these: 4-bit weights of integers, and large
 * windows of encoded floats. */
static const struct strip_row *strip_row_of(const struct conv *c)
{
    const size_t n = sizeof(strip_rows) / sizeof(strip_rows[0]);
    const bool decodes = is_encoded(c) && c->x.size <= DECODED_TAPS &&
                         c->y.size <= DECODED_TAPS &&
                         c->x.size * c->y.size <= DECODED_TAPS;
    const uint8_t filter = decodes ? BERTH_FLOAT32 : c->w.filter->type;
    for (size_t i = 0; i < n; ++i) {
        if (strip_rows[i].input == c->w.input->type &&
            strip_rows[i].filter == filter) {
            return &strip_rows[i];
        }
    }
    return NULL;
}

/* --- strips -----------------------------------------------------------------
 */

static void strip_run(const struct strip *s, uint32_t begin, uint32_t end)
{
    const struct conv *c = s->conv;
    for (uint32_t row = begin; row < end; ++row) {
        const int64_t batch = row / c->y.out;
        const struct taps y = window_taps(&c->y, row % c->y.out);
        uint8_t *out = berth_operand_row(c->w.output, row);
        size_t at = s->channel;
        for (int64_t o = 0; o < c->x.out; ++o) {
            const struct taps x = window_taps(&c->x, o);
            union opt_sums sums;
            s->taps(s, batch, &y, &x, &sums);
            kernel_opt_finish(&s->finish, &sums, out, at);
            at += c->w.channels;
        }
    }
}

/* Where the strip's filters lie; encoded ones are decoded first. */
static void strip_filters(struct strip *s)
{
    const struct conv *c = s->conv;
    const struct weights *w = &c->w;
    if (!is_encoded(c)) {
        s->filters = w->filter->data;
        s->filter = s->channel;
        s->filter_tap = c->filter_tap;
        return;
    }
    const size_t taps = (size_t)(c->x.size * c->y.size);
    for (uint32_t l = 0; l < s->count; ++l) {
        const uint32_t channel = s->channel + l;
        const struct factor f =
            kernel_filter_factor(w, channel, channel, c->filter_tap);
        for (size_t t = 0; t < taps; ++t) {
            s->decoded[t * WIDE + l] = kernel_float_at(
                w->filter, f.first + t * f.step, f.scale, f.zero);
        }
    }
    s->filters = (const uint8_t *)s->decoded;
    s->filter = 0;
    s->filter_tap = WIDE;
}

/* The strip that begins at `channel`, or a little before. */
static void strip_start(struct strip *s, const struct conv *c,
                        const struct strip_row *row, uint32_t channel)
{
    const uint32_t sharers = (uint32_t)c->sharers;
    const uint32_t first =
        sharers == 1 ? 0 : channel / sharers * sharers; /* of one input */
    const uint32_t end = sharers == 1 ? c->w.channels : first + sharers;
    const uint32_t most = end - first;
    const uint32_t size = most >= WIDE ? WIDE : most >= NARROW ? NARROW : most;
    const uint32_t width = most >= WIDE ? 0 : most >= NARROW ? 1 : 2;
    s->conv = c;
    s->taps = row->taps[sharers != 1][width];
    s->channel = channel + size <= end ? channel : end - size;
    s->count = size;
    s->in_channel = s->channel / sharers;
    strip_filters(s);
    if (!kernel_is_float(&c->w)) {
        s->in_zero = (int16_t)kernel_zero_point(c->w.input);
        s->filter_zero = (int16_t)kernel_zero_point(c->w.filter);
        kernel_conv_rescale(c, s->channel, size, s->finish.rescale);
    }
    kernel_opt_finish_start(&s->finish, &c->w, s->channel, size);
}

static berth_status run_opt_depthwise(const berth_node *node, uint32_t begin,
                                      uint32_t end)
{
    struct conv c;
    struct strip strip;
    BERTH_TRY(kernel_conv_of(node, &c, NULL));
    const struct strip_row *types = strip_row_of(&c);
    if (types == NULL || c.w.output->elements == 0) {
        return kernel_ref_conv.rows(node, begin, end);
    }
    const uint32_t step =
        kernel_opt_apart(c.w.input, c.w.output) ? end - begin : 1;
    for (uint32_t row = begin; row < end; row += step) {
        for (uint32_t k = 0; k < c.w.channels;) {
            strip_start(&strip, &c, types, k);
            strip_run(&strip, row, row + step);
            k = strip.channel + strip.count;
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_opt_depthwise = {.check = kernel_check_conv,
                                           .rows = run_opt_depthwise};

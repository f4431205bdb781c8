/* core/shape/shape_value.c: operators that talk about shapes, and vectors that
 * are made of numbers. */
#include "shape_int.h"

#include <string.h>

void berth_shape_shape(struct infer *in)
{
    const struct dims dims = berth_infer_dims(in, 0);
    const int64_t rank = dims.rank;
    const struct dims out = berth_dims_of(1, &rank);
    berth_infer_out(in, 0, &out);
}

void berth_shape_rank(struct infer *in)
{
    const struct dims out = {0};
    (void)berth_infer_dims(in, 0);
    berth_infer_out(in, 0, &out);
}

void berth_shape_broadcast_args(struct infer *in)
{
    const struct dims a = berth_infer_ranked(in, 0, 1);
    const struct dims b = berth_infer_ranked(in, 1, 1);
    const struct dims *out = a.at[0] >= b.at[0] ? &a : &b;
    berth_infer_out(in, 0, out);
}

static uint64_t distance(int64_t from, int64_t to)
{
    return from < to ? (uint64_t)to - (uint64_t)from
                     : (uint64_t)from - (uint64_t)to;
}

static int64_t steps_between(struct infer *in, int64_t start, int64_t limit,
                             int64_t delta)
{
    const uint64_t step = distance(0, delta);
    const uint64_t way = distance(start, limit);
    infer_need(in,
               (delta > 0 && start <= limit) || (delta < 0 && start >= limit));
    if (in->verdict != VERDICT_FITS) {
        return 0;
    }
    const uint64_t count = way / step + (way % step != 0 ? 1u : 0u);
    infer_need(in, count <= INT32_MAX);
    return (int64_t)(count & INT32_MAX);
}

/* A float constant of one element. */
static bool float_scalar(struct infer *in, uint32_t i, float *value)
{
    if (!berth_infer_has(in, i)) {
        return false;
    }
    const berth_tensor file =
        berth_graph_tensor_info(in->all->graph, in->inputs[i]);
    const uint8_t *at = file.data.data;
    if (file.data.size != sizeof(float)) {
        return false;
    }
    const uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 |
                          (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    (void)memcpy(value, &bits, sizeof(bits));
    return true;
}

/* In float32, as the runtimes count: ceil(|(limit - start) / delta|). */
static int64_t float_steps(struct infer *in)
{
    float start = 0;
    float limit = 0;
    float delta = 0;
    if (!float_scalar(in, 0, &start) || !float_scalar(in, 1, &limit) ||
        !float_scalar(in, 2, &delta)) {
        berth_infer_out_dynamic(in, 0, 0);
        return -1;
    }
    const float ratio = (limit - start) / delta;
    const float way = ratio < 0 ? -ratio : ratio;
    const bool forward = delta > 0 && start <= limit;
    const bool backward = delta < 0 && start >= limit;
    if ((!forward && !backward) || !(way < 2147483648.0f)) {
        berth_infer_refuse(in);
        return 0;
    }
    const int64_t whole = (int64_t)way;
    return whole + ((float)whole < way ? 1 : 0);
}

void berth_shape_range(struct infer *in)
{
    int64_t count = 0;
    if (berth_infer_type(in, 0) == BERTH_FLOAT32) {
        count = float_steps(in);
    } else {
        const struct values start = berth_infer_values(in, 0);
        const struct values limit = berth_infer_values(in, 1);
        const struct values delta = berth_infer_values(in, 2);
        infer_need(in,
                   start.count == 1 && limit.count == 1 && delta.count == 1);
        count = steps_between(in, berth_values_at(&start, 0),
                              berth_values_at(&limit, 0),
                              berth_values_at(&delta, 0));
    }
    if (count >= 0) {
        const struct dims out = berth_dims_of(1, &count);
        berth_infer_out(in, 0, &out);
    }
}

static bool is_fft_length(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

/* The last two axes have the lengths of operand 1; half of the last is left
 * out, since the spectrum of real numbers is symmetric. */
void berth_shape_rfft_2d(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values lengths = berth_infer_values(in, 1);
    const int64_t height = berth_infer_int(in, &lengths, 0);
    const int64_t width = berth_infer_int(in, &lengths, 1);
    infer_need(in, out.rank >= 2 && lengths.count == 2);
    infer_need(in, is_fft_length(height) && is_fft_length(width));
    if (out.rank >= 2) {
        out.at[out.rank - 2] = height;
        out.at[out.rank - 1] = width / 2 + 1;
    }
    berth_infer_out(in, 0, &out);
}

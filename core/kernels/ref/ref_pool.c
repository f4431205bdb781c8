/* Pools: the average, the largest, or the root of the mean square of what a
 * window sees of a channel. */
#include "kernels/element.h"
#include "kernels/pool.h"

#include "base/real.h"

/* What a window has seen so far. */
struct pool_total {
    int32_t sum;
    int32_t largest;
    float sum_f32; /* of squares, for L2 */
    float largest_f32;
    int32_t count;
};

static int32_t pool_get(const uint8_t *line, size_t i, uint8_t type)
{
    if (type == BERTH_INT16) {
        return element_i16(line, i);
    }
    return type == BERTH_INT8 ? element_i8(line, i) : element_u8(line, i);
}

static void pool_see(const struct pool *p, const uint8_t *line, size_t i,
                     struct pool_total *total)
{
    ++total->count;
    if (p->input->type == BERTH_FLOAT32) {
        const float value = kernel_get_f32(line, i);
        total->sum_f32 += p->kind == POOL_L2 ? value * value : value;
        total->largest_f32 =
            total->largest_f32 < value ? value : total->largest_f32;
    } else {
        const int32_t value = pool_get(line, i, p->input->type);
        total->sum = wrap_add(total->sum, value);
        total->largest = total->largest < value ? value : total->largest;
    }
}

static float pool_float(const struct pool *p, const struct pool_total *total)
{
    const float mean = total->sum_f32 / (float)total->count;
    if (p->kind == POOL_MAX) {
        return total->largest_f32;
    }
    return p->kind == POOL_L2 ? (float)real_sqrt((double)mean) : mean;
}

static void pool_put(const struct pool *p, uint8_t *line, size_t i,
                     const struct pool_total *total)
{
    if (p->input->type == BERTH_FLOAT32) {
        element_put_f32(line, i, clamp_f32(pool_float(p, total), p->floats));
        return;
    }
    const int32_t value = p->kind == POOL_MAX
                              ? total->largest
                              : pool_average(total->sum, total->count);
    element_put(line, i, p->output->type, pool_clamp(value, p->ints));
}

/* One element of the output: channel c of the window at (y, x). */
static struct pool_total pool_window(const struct pool *p, int64_t batch,
                                     struct taps y, struct taps x, size_t c)
{
    struct pool_total total = {.largest = INT32_MIN, .largest_f32 = -FLT_MAX};
    for (int64_t j = 0; j < y.count; ++j) {
        const uint8_t *line =
            berth_operand_row(p->input, (uint32_t)(batch * p->y.in + y.at + j));
        for (int64_t i = 0; i < x.count; ++i) {
            pool_see(p, line, (size_t)(x.at + i) * p->channels + c, &total);
        }
    }
    return total;
}

static berth_status run_pool(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    struct pool p;
    BERTH_TRY(kernel_pool_of(node, &p, NULL));
    if (p.output->elements == 0) {
        return BERTH_OK;
    }
    for (uint32_t row = begin; row < end; ++row) {
        const struct taps y = window_taps(&p.y, row % p.y.out);
        uint8_t *line = berth_operand_row(p.output, row);
        for (int64_t o = 0; o < p.x.out; ++o) {
            const struct taps x = window_taps(&p.x, o);
            for (size_t c = 0; c < p.channels; ++c) {
                const struct pool_total total =
                    pool_window(&p, row / p.y.out, y, x, c);
                pool_put(&p, line, (size_t)o * p.channels + c, &total);
            }
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_pool = {.check = kernel_check_pool,
                                      .rows = run_pool};

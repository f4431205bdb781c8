/* AVERAGE_POOL_2D and MAX_POOL_2D: vectors go over channels, sixteen at a time;
 * each channel meets its window in the order of the reference, so floats are
 * equal to it. The last sixteen may cover channels of those before again. */
#include "kernels/element.h"
#include "kernels/opt/c/opt_product.h"
#include "kernels/pool.h"

/* Takes in the strip's channels of one element of the window. */
typedef void pool_take(const uint8_t *from, size_t first, size_t count,
                       union opt_sums *sums);

/* Twice the same loop: compilers make vectors of one whose length they know. */
#define POOL_TAKE(name, type, of, get, combine)                                \
    static void name(const uint8_t *from, size_t first, size_t count,          \
                     union opt_sums *sums)                                     \
    {                                                                          \
        type *restrict of_strip = sums->of;                                    \
        if (count == OPT_BLOCK) {                                              \
            for (size_t l = 0; l < OPT_BLOCK; ++l) {                           \
                const type value = get(from, first + l);                       \
                of_strip[l] = combine(of_strip[l], value);                     \
            }                                                                  \
            return;                                                            \
        }                                                                      \
        for (size_t l = 0; l < count; ++l) {                                   \
            const type value = get(from, first + l);                           \
            of_strip[l] = combine(of_strip[l], value);                         \
        }                                                                      \
    }
#define SUM(sum, value)    ((sum) + (value))
#define LARGER(sum, value) ((sum) < (value) ? (value) : (sum))
POOL_TAKE(pool_add_i8, int32_t, ints, element_i8, wrap_add)
POOL_TAKE(pool_add_u8, int32_t, ints, element_u8, wrap_add)
POOL_TAKE(pool_add_i16, int32_t, ints, element_i16, wrap_add)
POOL_TAKE(pool_add_f32, float, floats, kernel_get_f32, SUM)
POOL_TAKE(pool_max_i8, int32_t, ints, element_i8, LARGER)
POOL_TAKE(pool_max_u8, int32_t, ints, element_u8, LARGER)
POOL_TAKE(pool_max_i16, int32_t, ints, element_i16, LARGER)
POOL_TAKE(pool_max_f32, float, floats, kernel_get_f32, LARGER)

struct pool_row {
    uint8_t type;
    pool_take *average;
    pool_take *max;
};

static const struct pool_row pool_rows[] = {
    {BERTH_INT8, pool_add_i8, pool_max_i8},
    {BERTH_UINT8, pool_add_u8, pool_max_u8},
    {BERTH_INT16, pool_add_i16, pool_max_i16},
    {BERTH_FLOAT32, pool_add_f32, pool_max_f32},
};

static pool_take *pool_take_of(const struct pool *p)
{
    const struct pool_row *row = pool_rows;
    while (row->type != p->input->type) {
        ++row;
    }
    return p->kind == POOL_MAX ? row->max : row->average;
}

/* --- one strip of channels of one pixel -------------------------------------
 */

static void pool_clear(const struct pool *p, union opt_sums *sums)
{
    const bool max = p->kind == POOL_MAX;
    for (size_t l = 0; l < OPT_BLOCK; ++l) {
        if (p->input->type == BERTH_FLOAT32) {
            sums->floats[l] = max ? -FLT_MAX : 0;
        } else {
            sums->ints[l] = max ? INT32_MIN : 0;
        }
    }
}

static void pool_finish(const struct pool *p, const union opt_sums *sums,
                        int32_t seen, uint8_t *out, size_t at, size_t count)
{
    const bool max = p->kind == POOL_MAX;
    for (size_t l = 0; l < count; ++l) {
        if (p->input->type == BERTH_FLOAT32) {
            const float value =
                max ? sums->floats[l] : sums->floats[l] / (float)seen;
            element_put_f32(out, at + l, clamp_f32(value, p->floats));
        } else {
            const int32_t value =
                max ? sums->ints[l] : pool_average(sums->ints[l], seen);
            element_put(out, at + l, p->output->type,
                        pool_clamp(value, p->ints));
        }
    }
}

static void pool_pixel(const struct pool *p, pool_take *take, uint32_t row,
                       struct taps y, int64_t o)
{
    const struct taps x = window_taps(&p->x, o);
    const int64_t top = row / p->y.out * p->y.in + y.at;
    uint8_t *out = berth_operand_row(p->output, row);
    for (size_t c = 0; c < p->channels;) {
        const size_t left = p->channels - c;
        const size_t count = p->channels < OPT_BLOCK ? left : OPT_BLOCK;
        const size_t first = left < count ? p->channels - count : c;
        union opt_sums sums;
        pool_clear(p, &sums);
        for (int64_t j = 0; j < y.count; ++j) {
            const uint8_t *line =
                berth_operand_row(p->input, (uint32_t)(top + j));
            for (int64_t i = 0; i < x.count; ++i) {
                take(line, (size_t)(x.at + i) * p->channels + first, count,
                     &sums);
            }
        }
        pool_finish(p, &sums, (int32_t)(y.count * x.count), out,
                    (size_t)o * p->channels + first, count);
        c = first + count;
    }
}

static berth_status run_opt_pool(const berth_node *node, uint32_t begin,
                                 uint32_t end)
{
    struct pool p;
    BERTH_TRY(kernel_pool_of(node, &p, NULL));
    pool_take *take = pool_take_of(&p);
    for (uint32_t row = begin; row < end && p.output->elements != 0; ++row) {
        const struct taps y = window_taps(&p.y, row % p.y.out);
        for (int64_t o = 0; o < p.x.out; ++o) {
            pool_pixel(&p, take, row, y, o);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_opt_pool = {.check = kernel_check_pool,
                                      .rows = run_opt_pool};

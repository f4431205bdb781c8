/* Sums to outputs. */
#include "kernels/opt/c/opt_finish.h"

#include "kernels/element.h"

#include <string.h>

enum { EIGHT = 8, EXACT_BITS = 20 };

static void start_floats(struct opt_finish *f, uint32_t channel)
{
    const berth_operand *bias = f->w->bias;
    f->clamp = kernel_clamp_f32_of(f->w->activation);
    if (bias != NULL && bias->type == BERTH_FLOAT32) {
        memcpy(f->bias_f32, bias->data + channel * sizeof(float),
               f->count * sizeof(float));
        return;
    }
    for (uint32_t i = 0; i < f->count; ++i) {
        f->bias_f32[i] = kernel_bias_f32(f->w, channel + i);
    }
}

void kernel_opt_finish_start(struct opt_finish *f, const struct weights *w,
                             uint32_t channel, uint32_t count)
{
    f->w = w;
    f->count = count;
    f->plain = false;
    if (kernel_is_float(w)) {
        start_floats(f, channel);
        return;
    }
    const struct rescale *first = &f->rescale[0];
    f->plain = first->way == RESCALE_TWICE;
    if (!f->plain) {
        return;
    }
    f->zero_point = first->zero_point;
    f->low = first->clamp.low - first->zero_point;
    f->high = first->clamp.high - first->zero_point;
    f->shrinks = true;
    for (uint32_t i = 0; i < (count <= EIGHT ? EIGHT : OPT_BLOCK); ++i) {
        const struct rescale *r = &f->rescale[i < count ? i : 0];
        const int32_t shift = r->by.shift;
        f->bias[i] = (int32_t)r->bias;
        f->multiplier[i] = r->by.multiplier;
        f->left[i] = (uint8_t)(shift > 0 ? shift : 0);
        f->right[i] = (uint8_t)(shift > 0 ? 0 : -shift);
        f->real[i] = r->by.multiplier * 0x1p-31;
        f->down[i] = 1.0 / (double)(UINT32_C(1) << f->right[i]);
        f->shrinks = f->shrinks && shift <= 0;
    }
}

/* --- requant_twice, eight channels ------------------------------------------
 * Vector units multiply doubles two or four at a time, and 32 bits by 32 bits
 * hardly at all. A sum below 2^20 times 31 bits is exact in a double, and so is
 * each step below: adding and taking away `whole` leaves the nearest integer,
 * and a nudge that is smaller than any fraction tells ties which way to go.
 */

#if defined(__x86_64__) || defined(__aarch64__)
enum { DOUBLES_ARE_FAST = 1 };
#else
enum { DOUBLES_ARE_FAST = 0 };
#endif

static void requant_doubles(const struct opt_finish *f, size_t first,
                            int32_t *restrict v)
{
    const double whole = 0x1.8p52;
    const double up = 0x1p-32;
    const double away = 0x1p-33;
    const double low = f->low;
    const double high = f->high;
    double x[EIGHT];
    for (size_t i = 0; i < EIGHT; ++i) {
        const double h = ((v[i] * f->real[first + i] + up) + whole) - whole;
        const double y = h * f->down[first + i];
        const double z = ((y + (y < 0 ? -away : away)) + whole) - whole;
        const double raised = z < low ? low : z;
        x[i] = raised > high ? high : raised;
    }
    for (size_t i = 0; i < EIGHT; ++i) {
        v[i] = (int32_t)x[i] + f->zero_point;
    }
}

static void requant_integers(const struct opt_finish *f, size_t first,
                             int32_t *restrict v)
{
    for (size_t i = 0; i < EIGHT; ++i) {
        const uint8_t right = f->right[first + i];
        const int32_t scaled = (int32_t)((uint32_t)v[i] << f->left[first + i]);
        const int64_t half = (INT64_C(1) << right) >> 1;
        const int64_t high =
            requant_high_half(scaled, f->multiplier[first + i]);
        const int64_t down = high < 0 && right != 0; /* halves away from 0 */
        v[i] = (int32_t)((high + half - down) >> right);
    }
    for (size_t i = 0; i < EIGHT; ++i) {
        const int32_t raised = v[i] < f->low ? f->low : v[i];
        v[i] = (raised > f->high ? f->high : raised) + f->zero_point;
    }
}

static void requant_eight(const struct opt_finish *f, size_t first,
                          int32_t *restrict v)
{
    uint32_t sizes = 0;
    for (size_t i = 0; i < EIGHT; ++i) {
        v[i] = wrap_add(v[i], f->bias[first + i]);
        sizes |= (uint32_t)(v[i] < 0 ? ~v[i] : v[i]);
    }
    if (DOUBLES_ARE_FAST && f->shrinks && sizes >> EXACT_BITS == 0) {
        requant_doubles(f, first, v);
    } else {
        requant_integers(f, first, v);
    }
}

/* --- outputs ----------------------------------------------------------------
 */

static void finish_plain(const struct opt_finish *f, int32_t *restrict v,
                         uint8_t *line, size_t at)
{
    for (size_t i = 0; i < f->count; i += EIGHT) {
        requant_eight(f, i, v + i);
    }
    if (f->w->output->type == BERTH_INT16) {
        for (uint32_t i = 0; i < f->count; ++i) {
            element_put_i16(line, at + i, v[i]);
        }
        return;
    }
    uint8_t *restrict out = line + at;
    if (f->count == OPT_BLOCK) {
        for (uint32_t i = 0; i < OPT_BLOCK; ++i) {
            out[i] = (uint8_t)v[i];
        }
    } else {
        for (uint32_t i = 0; i < f->count; ++i) {
            out[i] = (uint8_t)v[i];
        }
    }
}

void kernel_opt_finish(const struct opt_finish *f, union opt_sums *sums,
                       uint8_t *line, size_t at)
{
    if (f->plain) {
        finish_plain(f, sums->ints, line, at);
        return;
    }
    if (kernel_is_float(f->w)) {
        for (uint32_t i = 0; i < f->count; ++i) {
            element_put_f32(
                line, at + i,
                clamp_f32(sums->floats[i] + f->bias_f32[i], f->clamp));
        }
        return;
    }
    for (uint32_t i = 0; i < f->count; ++i) {
        const int64_t sum = f->w->wide ? sums->wide[i] : sums->ints[i];
        element_put(line, at + i, f->w->output->type,
                    rescale_sum(&f->rescale[i], sum));
    }
}

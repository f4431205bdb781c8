/* Sums to outputs. */
#include "kernels/opt/c/opt_finish.h"

#include "kernels/element.h"

void kernel_opt_finish_start(struct opt_finish *f, const struct weights *w,
                             uint32_t channel, uint32_t count)
{
    f->w = w;
    f->count = count;
    f->plain = false;
    if (kernel_is_float(w)) {
        f->clamp = kernel_clamp_f32_of(w->activation);
        for (uint32_t i = 0; i < count; ++i) {
            f->bias_f32[i] = kernel_bias_f32(w, channel + i);
        }
        return;
    }
    const struct rescale *first = &f->rescale[0];
    f->plain = first->way == RESCALE_TWICE;
    f->zero_point = first->zero_point;
    f->low = first->clamp.low - first->zero_point;
    f->high = first->clamp.high - first->zero_point;
    for (uint32_t i = 0; i < OPT_BLOCK; ++i) {
        const struct rescale *r = &f->rescale[i < count ? i : 0];
        const int32_t shift = r->by.shift;
        f->bias[i] = (int32_t)r->bias;
        f->multiplier[i] = r->by.multiplier;
        f->left[i] = (uint8_t)(shift > 0 ? shift : 0);
        f->right[i] = (uint8_t)(shift > 0 ? 0 : -shift);
    }
}

/* requant_twice, all channels of a block; what is the same for all goes over
 * lanes past the last too, as vectors do. */
static void requant_block(const struct opt_finish *f, int32_t *restrict v)
{
    for (size_t i = 0; i < OPT_BLOCK; ++i) {
        v[i] = wrap_add(v[i], f->bias[i]);
    }
    for (size_t i = 0; i < f->count; ++i) {
        const uint8_t right = f->right[i];
        const int32_t scaled = (int32_t)((uint32_t)v[i] << f->left[i]);
        const int64_t half = (INT64_C(1) << right) >> 1;
        const int64_t high = requant_high_half(scaled, f->multiplier[i]);
        const int64_t down = high < 0 && right != 0; /* halves away from 0 */
        v[i] = (int32_t)((high + half - down) >> right);
    }
    for (size_t i = 0; i < OPT_BLOCK; ++i) {
        const int32_t raised = v[i] < f->low ? f->low : v[i];
        v[i] = (raised > f->high ? f->high : raised) + f->zero_point;
    }
}

static void finish_plain(const struct opt_finish *f, int32_t *v, uint8_t *line,
                         size_t at)
{
    requant_block(f, v);
    if (f->w->output->type == BERTH_INT16) {
        for (uint32_t i = 0; i < f->count; ++i) {
            element_put_i16(line, at + i, v[i]);
        }
    } else if (f->count == OPT_BLOCK) {
        for (uint32_t i = 0; i < OPT_BLOCK; ++i) {
            line[at + i] = (uint8_t)v[i];
        }
    } else {
        for (uint32_t i = 0; i < f->count; ++i) {
            line[at + i] = (uint8_t)v[i];
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

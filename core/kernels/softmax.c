/* Exponentials of 8-bit differences. */
#include "kernels/softmax.h"

#include "base/real.h"

berth_status kernel_softmax_of(double scale, bool is_signed,
                               struct softmax *softmax, berth_diag *diag)
{
    enum { WHOLE_BITS = 5, FRACTION_BITS = 31 - WHOLE_BITS };
    const double wide = scale * (1 << FRACTION_BITS);
    const double real = wide < INT32_MAX ? wide : INT32_MAX;
    if (!(real > 1)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a scale or beta of nearly 0, or below");
    }
    softmax->is_signed = is_signed;
    softmax->by = kernel_requant_of(real);
    const double limit = (double)((1 << WHOLE_BITS) - 1) *
                         (1 << FRACTION_BITS) /
                         (double)(INT64_C(1) << softmax->by.shift);
    softmax->least = -(int32_t)real_floor(limit);
    softmax->back =
        kernel_requant_of((double)(INT64_C(1) << (31 - softmax->by.shift)) /
                          softmax->by.multiplier);
    return BERTH_OK;
}

int32_t kernel_softmax_largest(const struct softmax *s, const uint8_t *row,
                               size_t count)
{
    int32_t largest = softmax_q(s, row, 0);
    for (size_t i = 1; i < count; ++i) {
        const int32_t q = softmax_q(s, row, i);
        largest = q > largest ? q : largest;
    }
    return largest;
}

int32_t kernel_softmax_sum(const struct softmax *s, const uint8_t *row,
                           size_t count, int32_t largest)
{
    enum { WHOLE_BITS = 12 };
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const int32_t diff = softmax_q(s, row, i) - largest;
        if (diff >= s->least) {
            sum += requant_shift_right(fixed_exp(softmax_scaled(s, diff)),
                                       WHOLE_BITS);
        }
    }
    return sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
}

/* softmax.h: what SOFTMAX and LOG_SOFTMAX of 8 bits share: differences to the
 * largest of a row as numbers in Q5, and the sum of their exponentials.
 * Formulas: TensorFlow Lite's reference softmax.h and quantization_util.cc. */
#ifndef BERTH_SOFTMAX_H
#define BERTH_SOFTMAX_H

#include "kernels/fixed.h"
#include "kernels/flat.h"

struct softmax {
    struct requant by;   /* a difference to Q5 */
    int32_t least;       /* smaller differences count as exp() = 0 */
    struct requant back; /* from Q5 to differences */
    bool is_signed;      /* int8, not uint8 */
};

/* For inputs of that scale times beta. */
berth_status kernel_softmax_of(double scale, bool is_signed,
                               struct softmax *softmax, berth_diag *diag);

static inline int32_t softmax_q(const struct softmax *s, const uint8_t *data,
                                size_t i)
{
    return s->is_signed ? (int8_t)data[i] : data[i];
}

static inline int32_t softmax_scaled(const struct softmax *s, int32_t diff)
{
    return requant_twice(diff, s->by);
}

int32_t kernel_softmax_largest(const struct softmax *s, const uint8_t *row,
                               size_t count);

/* Q12, saturated, of the sum of exp(difference). */
int32_t kernel_softmax_sum(const struct softmax *s, const uint8_t *row,
                           size_t count, int32_t largest);

#endif

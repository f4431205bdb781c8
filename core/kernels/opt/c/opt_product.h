/* opt_product.h: many dot products at a time, which convolutions and matrix
 * products spend their time in.
 *
 * A spot is a place of the output that all channels are made for: a pixel, or a
 * row of a matrix. Four spots are fetched into a patch on the stack, cut into
 * chunks, widened and freed of their zero point, so that borders are zeros and
 * one tile serves all types; then each chunk of the patch meets the filter of
 * one pair of channels after the other. The filter is read where it lies; only
 * 4-bit and encoded weights, and the last few bytes of a filter, are copied.
 *
 * Scales are worked out once for a block of channels, not for every spot.
 * Stack: under 5 KiB. */
#ifndef BERTH_OPT_PRODUCT_H
#define BERTH_OPT_PRODUCT_H

#include "kernels/opt/c/opt_finish.h"

enum {
    OPT_SPOTS = 4,
    OPT_CHUNK = 128,    /* integers in a row of the patch */
    OPT_CHUNK_F32 = 64, /* floats in a row of the patch */
    OPT_UNIT = 16,      /* integers that tiles take at a time */
    OPT_UNIT_F32 = 4    /* floats that tiles take at a time */
};

/* What the elements of a patch are made of. */
struct opt_source {
    uint8_t type; /* of the input */
    int32_t zero;
};

/* Elements [first, first + count) of what a spot is multiplied with, as
 * kernel_opt_copy() makes them; `from` is the caller's. */
typedef void opt_fetch(const void *from, uint32_t spot, size_t first,
                       size_t count, void *to);

/* Spots 0 .. spots - 1, which go to out, out + out_step, ... */
struct opt_spots {
    const void *from;
    opt_fetch *fetch;
    uint8_t *out;
    size_t out_step; /* bytes */
    uint32_t spots;
};

/* Channels from `channel` on and what their sums become. */
struct opt_block {
    const struct weights *w;
    size_t depth; /* products for each element */
    uint32_t channel;
    struct opt_finish finish;
};

/* All spots for one block. */
void kernel_opt_product(const struct opt_block *block,
                        const struct opt_spots *spots);

struct opt_source kernel_opt_source(const struct weights *w);

/* Copies elements of the input to a patch, behind its first `at`: integers to
 * int16, without their zero point; floats as they are. */
void kernel_opt_copy(const struct opt_source *source, const uint8_t *from,
                     size_t first, size_t count, void *to, size_t at);

/* Zeros in a patch. */
void kernel_opt_clear(const struct opt_source *source, size_t count, void *to,
                      size_t at);

/* Spots whose elements all lie one behind the other: rows. */
struct opt_rows {
    struct opt_source source;
    const uint8_t *first;
    size_t step; /* bytes from row to row */
};

void kernel_opt_fetch_row(const void *rows, uint32_t spot, size_t first,
                          size_t count, void *to);

/* Whether rows may be made in any order and together, since no byte of the
 * output is one of the input. */
static inline bool kernel_opt_apart(const berth_operand *in,
                                    const berth_operand *out)
{
    const uintptr_t a = (uintptr_t)in->data;
    const uintptr_t b = (uintptr_t)out->data;
    return a + in->pitch * in->ring <= b || b + out->pitch * out->ring <= a;
}

#endif

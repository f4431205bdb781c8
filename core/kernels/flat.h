/* flat.h: conversions element by element: one input, one output of the same
 * dims, of any two element types, packed ones too. */
#ifndef BERTH_FLAT_H
#define BERTH_FLAT_H

#include "kernels/kernel_int.h"

/* A stretch of elements that lie one behind the other on both sides. */
struct flat_run {
    const uint8_t *in;
    uint8_t *out;
    uint64_t first; /* number of the first in the whole tensor */
    size_t count;
};

typedef void flat_fn(const struct flat_run *run, const void *param);

berth_status kernel_check_flat(const berth_node *node, berth_diag *diag);

/* Calls fn for all of rows [begin, end) of a checked node, in order. */
void kernel_flat(const berth_node *node, uint32_t begin, uint32_t end,
                 flat_fn *fn, const void *param);

/* For operators that look at a whole row: the last axis, one after the other.
 */
berth_status kernel_check_flat_rows(const berth_node *node, berth_diag *diag);
void kernel_flat_rows(const berth_node *node, uint32_t begin, uint32_t end,
                      flat_fn *fn, const void *param);

#endif

/* dense.h: FULLY_CONNECTED: each row of the input, times each row of the
 * filter, makes an element of the output. */
#ifndef BERTH_DENSE_H
#define BERTH_DENSE_H

#include "kernels/weights.h"

struct dense {
    struct weights w;
    size_t depth; /* products for each element */
};

/* Cheap; BERTH_BAD_MODEL for shapes that do not fit each other. */
berth_status kernel_dense_of(const berth_node *node, struct dense *dense,
                             berth_diag *diag);

/* check() in every set of kernels. */
berth_status kernel_check_dense(const berth_node *node, berth_diag *diag);

/* How sums become elements of `count` output channels from `channel` on. */
void kernel_dense_rescale(const berth_node *node, const struct dense *dense,
                          uint32_t channel, uint32_t count,
                          struct rescale *rescale);

#endif

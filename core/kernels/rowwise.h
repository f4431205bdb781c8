/* rowwise.h: the walk of elementwise operators. A row is the output's last
 * axis; an input of the output's shape goes along row by row, one of another
 * shape is repeated over it as NumPy does, up to rank 8.
 *
 * Rows that lie one behind the other come as one long one where the inputs
 * allow it. Every element is read before it is written, so an output may lie
 * over any input that has its shape and element size. */
#ifndef BERTH_ROWWISE_H
#define BERTH_ROWWISE_H

#include "kernels/kernel_int.h"

enum { ROWWISE_INPUTS_MAX = 3, ROWWISE_RANK_MAX = 8 };

/* Element i of the row is the input's element i * step from `at` on; step 1,
 * or 0 where one element stands for all. */
struct lane {
    const uint8_t *at;
    size_t step;
};

struct rowwise {
    uint8_t *out;
    size_t count; /* elements */
    struct lane in[ROWWISE_INPUTS_MAX];
};

typedef berth_status rowwise_fn(const struct rowwise *row, const void *param);

/* The node has that many inputs and one output, all there, laid out as their
 * shapes and types say, and every input can be repeated over the output. */
berth_status kernel_check_rowwise(const berth_node *node, uint32_t inputs,
                                  berth_diag *diag);

/* Calls fn for all of rows [begin, end) of a checked node, in ascending order;
 * stops at the first that does not return BERTH_OK. */
berth_status kernel_rowwise(const berth_node *node, uint32_t begin,
                            uint32_t end, rowwise_fn *fn, const void *param);

#endif

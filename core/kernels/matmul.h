/* matmul.h: BATCH_MATMUL: products of matrices, the axes in front broadcast.
 * Element (i, j) of a product is row i of the left times column j of the right.
 */
#ifndef BERTH_MATMUL_H
#define BERTH_MATMUL_H

#include "kernels/weights.h"

/* One of the two factors: where matrix b begins, and how it is walked. */
struct matrix {
    const berth_operand *of;
    size_t lines; /* rows of the left, columns of the right */
    size_t depth;
    size_t line_step; /* elements from line to line, */
    size_t step;      /* and from product to product */
};

struct matmul {
    struct weights w;
    struct matrix left;
    struct matrix right;
};

/* Cheap; BERTH_BAD_MODEL where there are no matrices. */
berth_status kernel_matmul_of(const berth_node *node, struct matmul *m,
                              berth_diag *diag);

/* check() in every set of kernels. */
berth_status kernel_check_matmul(const berth_node *node, berth_diag *diag);

/* The left's row that makes row `row` of the output, and element 0 of the
 * right's matrix that goes with it. */
struct factor kernel_matmul_left(const struct matmul *m, uint32_t row);
size_t kernel_matmul_right(const struct matmul *m, uint32_t row);

#endif

/* reduce.h: the walk of reductions. A row of the space is what lies behind the
 * axes in front of the first that is reduced; in it every element of the output
 * has the elements of the input that it is made of, in the input's order. */
#ifndef BERTH_REDUCE_H
#define BERTH_REDUCE_H

#include "kernels/move.h"

enum { REDUCE_RANK_MAX = 8 };

/* Some axes of a row of the input, the fastest first: how many of each,
 * elements from one to the next. */
struct reduce_axes {
    uint32_t rank;
    uint64_t count; /* of all together */
    uint64_t dims[REDUCE_RANK_MAX];
    uint64_t strides[REDUCE_RANK_MAX];
};

struct reduce {
    struct reduce_axes kept;
    struct reduce_axes gone;
    bool all; /* every axis of the input is reduced */
};

/* Where in a row the element number i of some axes lies. */
uint64_t kernel_reduce_at(const struct reduce_axes *axes, uint64_t i);

/* Fills *reduce from the values of input 1, the axes. NULL, or what is wrong
 * with them. Checks that the output has an element for each that is kept. */
const char *kernel_reduce_plan(const berth_node *node, struct reduce *reduce);

/* Two inputs, one output, laid out as they should be; and the axes, where they
 * are known by now. */
berth_status kernel_check_reduce(const berth_node *node, berth_diag *diag);

#endif

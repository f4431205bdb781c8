/* pool.h: AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. */
#ifndef BERTH_POOL_H
#define BERTH_POOL_H

#include "kernels/requant.h"
#include "kernels/window.h"

enum pool_kind { POOL_AVERAGE, POOL_MAX, POOL_L2 };

struct pool {
    const berth_operand *input;
    const berth_operand *output;
    enum pool_kind kind;
    struct window_axis y;
    struct window_axis x;
    size_t channels;
    struct clamp ints;
    struct clamp_f32 floats;
};

/* Cheap; BERTH_BAD_MODEL for shapes and options that do not fit. */
berth_status kernel_pool_of(const berth_node *node, struct pool *pool,
                            berth_diag *diag);

/* check() in every set of kernels. */
berth_status kernel_check_pool(const berth_node *node, berth_diag *diag);

/* The nearest integer, halves away from zero; count > 0. */
static inline int32_t pool_average(int32_t sum, int32_t count)
{
    return wrap_add(sum, sum > 0 ? count / 2 : -(count / 2)) / count;
}

static inline int32_t pool_clamp(int32_t value, struct clamp to)
{
    const int32_t raised = value < to.low ? to.low : value;
    return raised > to.high ? to.high : raised;
}

#endif

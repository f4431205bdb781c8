/* core/rows/rows_family_move.c: PAD and SLICE, where the output is the input
 * moved along its axes: the first axis that changes is walked on both sides. */
#include "rows_int.h"

/* Axes [0, axis) are equal, and row i of `axis` is row i + shift of the input.
 * A change in the last axis alone leaves rows where they are. */
static bool shifted(const struct rows_op *o, uint32_t operand, uint32_t axis,
                    int64_t shift, struct rows_space *space,
                    struct rows_walk *walk)
{
    const uint32_t out = rows_output(o, 0);
    const uint32_t last = rows_shape(o, out)->rank - 1;
    const uint32_t at = axis < last ? axis : last;
    const uint32_t equal = axis < last ? 1 : 0;
    for (uint32_t i = 0; i < at; ++i) {
        if (rows_dim(o, 0, (int32_t)i) != rows_dim(o, out, (int32_t)i)) {
            return false;
        }
    }
    space->outer = rows_front(o, out, at);
    space->inner = equal != 0 ? (uint64_t)rows_dim(o, out, (int32_t)at) : 1;
    if (operand == out) {
        *walk = rows_step(space->inner);
    } else if (operand == 0) {
        *walk =
            rows_step(equal != 0 ? (uint64_t)rows_dim(o, 0, (int32_t)at) : 1);
        walk->low = equal != 0 ? shift : 0;
        walk->high = walk->low;
    }
    return true;
}

/* The rank of both, which is at least 1; 0: they do not fit. */
static uint32_t common_rank(const struct rows_op *o)
{
    const berth_shape *in = rows_shape(o, 0);
    const berth_shape *out = rows_shape(o, rows_output(o, 0));
    return in != NULL && out != NULL && in->rank == out->rank ? in->rank : 0;
}

bool rows_family_pad(const struct rows_op *o, uint32_t operand,
                     struct rows_space *space, struct rows_walk *walk)
{
    const uint32_t rank = common_rank(o);
    for (uint32_t i = 0; i < rank; ++i) {
        int64_t before = 0;
        int64_t after = 0;
        if (!rows_constant(o, 1, 2ull * i, &before) ||
            !rows_constant(o, 1, 2ull * i + 1, &after) || before < 0 ||
            before > INT32_MAX) {
            return rows_family_scattered(o, operand, space, walk);
        }
        if (before != 0 || after != 0 || i == rank - 1) {
            return shifted(o, operand, i, -before, space, walk) ||
                   rows_family_scattered(o, operand, space, walk);
        }
    }
    return rows_family_scattered(o, operand, space, walk);
}

bool rows_family_slice(const struct rows_op *o, uint32_t operand,
                       struct rows_space *space, struct rows_walk *walk)
{
    const uint32_t rank = common_rank(o);
    const uint32_t out = rows_output(o, 0);
    for (uint32_t i = 0; i < rank; ++i) {
        int64_t begin = 0;
        if (!rows_constant(o, 1, i, &begin) || begin < 0 || begin > INT32_MAX) {
            return rows_family_scattered(o, operand, space, walk);
        }
        if (rows_dim(o, 0, (int32_t)i) != rows_dim(o, out, (int32_t)i) ||
            i == rank - 1) {
            return shifted(o, operand, i, begin, space, walk) ||
                   rows_family_scattered(o, operand, space, walk);
        }
    }
    return rows_family_scattered(o, operand, space, walk);
}

/* Operators that are one move each: what comes from where, along which axes. */
#include "kernels/move.h"

static const char *const misfit = "the output's shape does not fit";

/* --- TRANSPOSE --------------------------------------------------------------
 */

static const char *plan_transpose(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *order = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    uint32_t seen = 0;
    if (order->elements != from->rank || to->rank != from->rank) {
        return "an order needs an entry for each axis";
    }
    for (uint32_t i = 0; i < from->rank; ++i) {
        const int64_t axis = kernel_axis(kernel_index(order, i), from->rank);
        if (axis < 0 || (seen >> axis & 1u) != 0) {
            return "an order names each axis once";
        }
        seen |= 1u << axis;
        if (to->dims[i] != from->dims[axis]) {
            return misfit;
        }
        move_add(m, to->dims[i], kernel_step(from, (uint32_t)axis));
    }
    return NULL;
}

MOVE_KERNEL(transpose, 2,
            "an order names each axis once, and gives the output's shape");

/* --- SLICE ------------------------------------------------------------------
 */

static const char *plan_slice(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *begin = &node->inputs[1];
    const berth_operand *size = &node->inputs[2];
    const berth_operand *to = &node->outputs[0];
    if (begin->elements != from->rank || size->elements != from->rank ||
        to->rank != from->rank) {
        return "a slice needs begin and size for each axis";
    }
    for (uint32_t i = 0; i < from->rank; ++i) {
        const int64_t dim = from->dims[i];
        const int64_t first = kernel_index(begin, i);
        const int64_t want = kernel_index(size, i);
        const bool starts = first >= 0 && first <= dim;
        const int64_t count = want == -1 && starts ? dim - first : want;
        if (!starts || count < 0 || count > dim - first) {
            return "a slice ends outside of its input";
        }
        if (count != to->dims[i]) {
            return misfit;
        }
        move_skip(m, first, kernel_step(from, i));
        move_add(m, count, kernel_step(from, i));
    }
    return NULL;
}

MOVE_KERNEL(slice, 3,
            "a slice lies outside of its input, or is not the output's");

/* --- TILE -------------------------------------------------------------------
 */

static const char *plan_tile(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *times = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    if (times->elements != from->rank || to->rank != from->rank) {
        return "a tile needs a number for each axis";
    }
    for (uint32_t i = 0; i < from->rank; ++i) {
        const int64_t n = kernel_index(times, i);
        if (n < 0 || n > INT32_MAX || n * from->dims[i] != to->dims[i]) {
            return misfit;
        }
        move_add(m, n, 0);
        move_add(m, from->dims[i], kernel_step(from, i));
    }
    return NULL;
}

MOVE_KERNEL(tile, 2, "numbers of tiles that do not give the output's shape");

/* --- BROADCAST_TO -----------------------------------------------------------
 */

static const char *plan_broadcast_to(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *shape = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    if (shape->elements != to->rank || from->rank > to->rank) {
        return misfit;
    }
    const uint32_t fresh = to->rank - from->rank;
    for (uint32_t i = 0; i < to->rank; ++i) {
        const int32_t dim = i < fresh ? 1 : from->dims[i - fresh];
        if (kernel_index(shape, i) != to->dims[i] ||
            (dim != 1 && dim != to->dims[i])) {
            return misfit;
        }
        move_add(m, to->dims[i], dim == 1 ? 0 : kernel_step(from, i - fresh));
    }
    return NULL;
}

MOVE_KERNEL(broadcast_to, 2, "a shape that is not the output's");

/* --- REVERSE_V2 -------------------------------------------------------------
 */

static const char *plan_reverse_v2(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *axes = &node->inputs[1];
    uint32_t reversed = 0;
    if (!kernel_same_dims(from, &node->outputs[0])) {
        return misfit;
    }
    for (uint64_t i = 0; i < axes->elements; ++i) {
        const int64_t axis = kernel_axis(kernel_index(axes, i), from->rank);
        if (axis < 0 || (reversed >> axis & 1u) != 0) {
            return "an axis to reverse is outside, or named twice";
        }
        reversed |= 1u << axis;
    }
    for (uint32_t i = 0; i < from->rank; ++i) {
        const int64_t step = kernel_step(from, i);
        const bool back = (reversed >> i & 1u) != 0;
        move_skip(m, back ? from->dims[i] - 1 : 0, step);
        move_add(m, from->dims[i], back ? -step : step);
    }
    return NULL;
}

MOVE_KERNEL(reverse_v2, 2, "an axis to reverse is outside, or named twice");

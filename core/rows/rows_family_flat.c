/* core/rows/rows_family_flat.c: operators that see a tensor as rows of its last
 * axis, or cut at one axis. */
#include "rows_int.h"

/* All axes but the last. */
static bool last_axis_space(const struct rows_op *o, uint32_t operand,
                            struct rows_space *space)
{
    const berth_shape *shape = rows_shape(o, operand);
    if (shape == NULL) {
        return false;
    }
    space->outer = 1;
    space->inner =
        rows_front(o, operand, shape->rank > 0 ? shape->rank - 1 : 0);
    return true;
}

/* A row is the output's last axis; inputs of the output's shape are walked with
 * it, those that are broadcast are there whole. */
bool rows_family_elementwise(const struct rows_op *o, uint32_t operand,
                             struct rows_space *space, struct rows_walk *walk)
{
    const uint32_t out = rows_output(o, 0);
    space->reads = ROWS_READ_ELEMENT;
    if (!last_axis_space(o, out, space)) {
        return false;
    }
    if (operand != BERTH_NONE && rows_same_dims(o, operand, out)) {
        *walk = rows_step(space->inner);
    }
    return true;
}

bool rows_family_last_axis(const struct rows_op *o, uint32_t operand,
                           struct rows_space *space, struct rows_walk *walk)
{
    const bool fits = rows_family_elementwise(o, operand, space, walk);
    space->reads = ROWS_READ_ROW;
    return fits;
}

/* Only the output is walked. */
bool rows_family_scattered(const struct rows_op *o, uint32_t operand,
                           struct rows_space *space, struct rows_walk *walk)
{
    if (!last_axis_space(o, rows_output(o, 0), space)) {
        return false;
    }
    if (operand == rows_output(o, 0)) {
        *walk = rows_step(space->inner);
    }
    return true;
}

/* A row of the left operand makes a row of the output; weights and bias are
 * there whole. */
bool rows_family_fully_connected(const struct rows_op *o, uint32_t operand,
                                 struct rows_space *space,
                                 struct rows_walk *walk)
{
    const uint64_t depth = (uint64_t)rows_dim(o, 1, 1);
    const berth_shape *in = rows_shape(o, 0);
    if (in == NULL || depth == 0 ||
        !last_axis_space(o, rows_output(o, 0), space)) {
        return false;
    }
    const uint64_t elements = rows_front(o, 0, in->rank);
    const bool fits = elements % depth == 0 && elements / depth == space->inner;
    if (operand == rows_output(o, 0) || (operand == 0 && fits)) {
        *walk = rows_step(space->inner);
    }
    return true;
}

bool rows_family_batch_matmul(const struct rows_op *o, uint32_t operand,
                              struct rows_space *space, struct rows_walk *walk)
{
    const uint32_t out = rows_output(o, 0);
    const berth_shape *x = rows_shape(o, 0);
    const berth_shape *z = rows_shape(o, out);
    bool like = x != NULL && z != NULL && x->rank == z->rank &&
                rows_option(o, BERTH_OPT_BatchMatMulOptions_adj_x) == 0;
    if (!last_axis_space(o, out, space)) {
        return false;
    }
    for (uint32_t i = 0; like && i + 1 < z->rank; ++i) {
        like = rows_dim(o, 0, (int32_t)i) == rows_dim(o, out, (int32_t)i);
    }
    if (operand == out || (operand == 0 && like)) {
        *walk = rows_step(space->inner);
    }
    return true;
}

/* --- cut at an axis --------------------------------------------------------
 */

/* The space is all axes before `axis` of operand `of`; an operand with the same
 * axes in front is walked. */
static bool cut(const struct rows_op *o, uint32_t operand, uint32_t of,
                int64_t axis, struct rows_space *space, struct rows_walk *walk)
{
    const berth_shape *shape = rows_shape(o, of);
    const int64_t rank = shape == NULL ? 0 : shape->rank;
    const uint32_t at = (uint32_t)(axis < 0 ? axis + rank : axis);
    bool like =
        rows_shape(o, operand) != NULL && rows_shape(o, operand)->rank >= at;
    if (shape == NULL || axis < -rank || axis > rank) {
        return false;
    }
    space->outer = 1;
    space->inner = rows_front(o, of, at);
    for (uint32_t i = 0; like && i < at; ++i) {
        like = rows_dim(o, operand, (int32_t)i) == rows_dim(o, of, (int32_t)i);
    }
    if (like) {
        *walk = rows_step(space->inner);
    }
    return true;
}

/* Where operators say at which axis they join or split. */
struct cut_axis {
    uint16_t code;
    int8_t operand; /* or -1: an option says */
    uint16_t option;
};

static const struct cut_axis cut_axes[] = {
    {BERTH_OP_CONCATENATION, -1, BERTH_OPT_ConcatenationOptions_axis},
    {BERTH_OP_PACK, -1, BERTH_OPT_PackOptions_axis},
    {BERTH_OP_UNPACK, -1, BERTH_OPT_UnpackOptions_axis},
    {BERTH_OP_SPLIT, 0, 0},
    {BERTH_OP_SPLIT_V, 2, 0},
};

static bool axis_of(const struct rows_op *o, int64_t *axis)
{
    for (uint32_t i = 0; i < sizeof(cut_axes) / sizeof(cut_axes[0]); ++i) {
        const struct cut_axis *c = &cut_axes[i];
        if (c->code == o->node->code && c->operand < 0) {
            *axis = rows_option(o, (berth_option)c->option);
            return true;
        }
        if (c->code == o->node->code) {
            return rows_constant(o, (uint32_t)c->operand, 0, axis);
        }
    }
    return false;
}

/* All operands have the same axes before the one at which they are joined. */
bool rows_family_join(const struct rows_op *o, uint32_t operand,
                      struct rows_space *space, struct rows_walk *walk)
{
    int64_t axis = 0;
    return axis_of(o, &axis) &&
           cut(o, operand, rows_output(o, 0), axis, space, walk);
}

/* SPLIT has its axis in front of what it splits. */
bool rows_family_split(const struct rows_op *o, uint32_t operand,
                       struct rows_space *space, struct rows_walk *walk)
{
    const uint32_t of = o->node->code == BERTH_OP_SPLIT ? 1 : 0;
    int64_t axis = 0;
    const bool parameter = operand < o->node->input_count && operand != of;
    if (!axis_of(o, &axis) || !cut(o, operand, of, axis, space, walk)) {
        return false;
    }
    if (parameter) {
        *walk = (struct rows_walk){0};
    }
    return true;
}

/* The first axis that a reduction takes away, from its constant operand. */
static bool first_reduced(const struct rows_op *o, int64_t *first)
{
    const berth_shape *in = rows_shape(o, 0);
    const berth_shape *axes = rows_shape(o, 1);
    if (in == NULL || axes == NULL) {
        return false;
    }
    const uint64_t count = rows_front(o, 1, axes->rank);
    if (count > BERTH_RANK_MAX) {
        return false;
    }
    *first = in->rank;
    for (uint64_t i = 0; i < count; ++i) {
        int64_t axis = 0;
        if (!rows_constant(o, 1, i, &axis)) {
            return false;
        }
        axis += axis < 0 ? in->rank : 0;
        *first = axis < *first ? axis : *first;
    }
    return *first >= 0;
}

/* The axes before stay as they are, in the input and in the output. */
bool rows_family_reduce(const struct rows_op *o, uint32_t operand,
                        struct rows_space *space, struct rows_walk *walk)
{
    int64_t axis = 0;
    if (!first_reduced(o, &axis) || !cut(o, operand, 0, axis, space, walk)) {
        return false;
    }
    if (operand == 1) {
        *walk = (struct rows_walk){0};
    }
    return true;
}

/* A row of the input gives a row of both outputs. */
bool rows_family_top(const struct rows_op *o, uint32_t operand,
                     struct rows_space *space, struct rows_walk *walk)
{
    const berth_shape *in = rows_shape(o, 0);
    if (in == NULL || in->rank == 0 ||
        !cut(o, operand, 0, (int64_t)in->rank - 1, space, walk)) {
        return false;
    }
    if (operand == 1) {
        *walk = (struct rows_walk){0};
    }
    return true;
}

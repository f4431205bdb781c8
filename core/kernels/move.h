/* move.h: copies between tensors of one element size, along any axes.
 *
 * A move says where in the source each element of the output comes from: the
 * output's axes, outermost first, each with its step in the source, in
 * elements. Steps may be 0 (the same again), negative (backwards) or anything
 * else; the output is written front to back. Slices, transposes, tiles and
 * blocks are moves; one loop runs them all. */
#ifndef BERTH_MOVE_H
#define BERTH_MOVE_H

#include "kernels/element.h"
#include "kernels/kernel_int.h"

/* TILE has two for each axis of its input. */
#define MOVE_AXES_MAX 16u
#define MOVE_RANK_MAX 8u

struct move_axis {
    int64_t count;
    int64_t step;
};

struct move {
    int64_t start; /* element of the source */
    uint32_t rank;
    struct move_axis axes[MOVE_AXES_MAX];
};

/* Fills *m, whose start and rank are 0, from a node whose parameters are all
 * known. NULL, or what is wrong with them. Every place of the source that a
 * move speaks of lies inside, and the output has exactly its elements. */
typedef const char *move_plan(const berth_node *node, struct move *m);

/* What check() and rows() of such an operator do. Input 0 goes to output 0; the
 * other inputs are parameters: integers, which are looked at in check() where
 * they are known by then, and at each run. */
berth_status kernel_move_check(move_plan *plan, uint32_t inputs,
                               const berth_node *node, berth_diag *diag);
berth_status kernel_move_rows(move_plan *plan, const berth_node *node,
                              uint32_t begin, uint32_t end);

/* The kernel kernel_ref_NAME from plan_NAME. */
#define MOVE_KERNEL(name, inputs, error)                                       \
    static berth_status check_##name(const berth_node *node, berth_diag *diag) \
    {                                                                          \
        return kernel_move_check(plan_##name, inputs, node, diag);             \
    }                                                                          \
    static berth_status run_##name(const berth_node *node, uint32_t begin,     \
                                   uint32_t end)                               \
    {                                                                          \
        return kernel_move_rows(plan_##name, node, begin, end);                \
    }                                                                          \
    const berth_kernel kernel_ref_##name = {                                   \
        .check = check_##name, .rows = run_##name, .data_error = (error)}

/* --- what plans are made of --- */

static inline void move_add(struct move *m, int64_t count, int64_t step)
{
    m->axes[m->rank] = (struct move_axis){count, step};
    m->rank += 1;
}

/* From element `index` of an axis of the source on. Wraps where there are more
 * elements than 63 bits count, which only empty outputs have. */
static inline void move_skip(struct move *m, int64_t index, int64_t step)
{
    m->start = (int64_t)((uint64_t)m->start + (uint64_t)index * (uint64_t)step);
}

/* The product of axes [from, end). */
int64_t kernel_span(const berth_operand *operand, uint32_t from, uint32_t end);
/* Elements from one to the next along an axis. */
static inline int64_t kernel_step(const berth_operand *operand, uint32_t axis)
{
    return kernel_span(operand, axis + 1, operand->rank);
}

/* --- operands --- */

/* Bytes of an element; 0 for what is packed or has no size. */
static inline uint32_t kernel_element_bytes(const berth_operand *operand)
{
    const uint32_t bits = berth_type_bits((berth_type)operand->type);
    return bits % 8u == 0 ? bits / 8u : 0;
}

/* Its values can be looked at. */
static inline bool kernel_is_known(const berth_operand *operand)
{
    return operand->data != NULL || operand->elements == 0;
}

static inline bool kernel_is_index(const berth_operand *operand)
{
    return operand->type == BERTH_INT32 || operand->type == BERTH_INT64;
}

/* What GATHER picks by may be narrower. */
static inline bool kernel_is_position(const berth_operand *operand)
{
    return kernel_is_index(operand) || operand->type == BERTH_INT16;
}

/* Element i of an index, a position or a parameter. */
static inline int64_t kernel_index(const berth_operand *operand, uint64_t i)
{
    if (operand->type == BERTH_INT64) {
        return element_i64(operand->data, (size_t)i);
    }
    return operand->type == BERTH_INT16 ? element_i16(operand->data, (size_t)i)
                                        : element_i32(operand->data, (size_t)i);
}

/* An axis that may count from the back; -1: there is no such axis. */
static inline int64_t kernel_axis(int64_t axis, uint32_t rank)
{
    const int64_t from_front = axis < 0 ? axis + rank : axis;
    return axis >= -(int64_t)rank && axis < rank ? from_front : -1;
}

bool kernel_same_dims(const berth_operand *a, const berth_operand *b);

/* BERTH_BAD_MODEL unless the node has so many inputs, all there, and outputs.
 */
berth_status kernel_check_counts(const berth_node *node, uint32_t inputs_min,
                                 uint32_t inputs_max, uint32_t outputs,
                                 berth_diag *diag);

/* BERTH_UNSUPPORTED for packed elements, BERTH_BAD_MODEL for two types or more
 * axes than MOVE_RANK_MAX. */
berth_status kernel_check_moved(const berth_operand *from,
                                const berth_operand *to, berth_diag *diag);

/* Byte `at` of an operand, counted as if it lay whole. */
static inline uint8_t *kernel_byte(const berth_operand *operand, uint64_t at)
{
    const uint64_t row_bytes = operand->bytes / operand->rows;
    if (operand->rows == 1) {
        return operand->data + at;
    }
    return berth_operand_row(operand, (uint32_t)(at / row_bytes)) +
           (size_t)(at % row_bytes);
}

/* All rows lie one behind the other. */
static inline bool kernel_lies_whole(const berth_operand *operand)
{
    return berth_operand_run(operand, 0, operand->rows) == operand->rows;
}

/* Copies unless both are one place; they may overlap. */
static inline void kernel_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (to != from) {
        (void)memmove(to, from, bytes);
    }
}

/* count elements of `size` bytes, one behind the other, from places `step`
 * bytes apart. */
void kernel_copy_steps(uint8_t *to, const uint8_t *from, int64_t step,
                       uint32_t size, uint64_t count);

/* count copies of an element of `size` bytes, one behind the other. */
void kernel_repeat(uint8_t *to, const uint8_t *element, uint32_t size,
                   uint64_t count);

#endif

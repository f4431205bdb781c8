/* SCATTER_ND and DYNAMIC_UPDATE_SLICE: values are put where indexes say. */
#include "kernels/move.h"

/* --- SCATTER_ND -------------------------------------------------------------
 * Operands: indexes, updates, shape. What is named twice is added up. */

static uint32_t depth_of(const berth_operand *indexes)
{
    return (uint32_t)indexes->dims[indexes->rank - 1];
}

/* Updates are [indexes but the last axis], then what an index leaves of the
 * output's shape. */
static bool updates_fit(const berth_operand *indexes,
                        const berth_operand *updates, const berth_operand *to)
{
    if (indexes->rank == 0) {
        return false;
    }
    const uint32_t outer = indexes->rank - 1;
    const uint32_t depth = depth_of(indexes);
    bool fits = depth <= to->rank && updates->rank == outer + to->rank - depth;
    for (uint32_t i = 0; fits && i < updates->rank; ++i) {
        fits = updates->dims[i] ==
               (i < outer ? indexes->dims[i] : to->dims[depth + i - outer]);
    }
    return fits;
}

static berth_status check_scatter(const berth_node *node, berth_diag *diag)
{
    static const uint32_t addable = 1u << BERTH_FLOAT32 | 1u << BERTH_INT8 |
                                    1u << BERTH_UINT8 | 1u << BERTH_INT32 |
                                    1u << BERTH_INT64 | 1u << BERTH_BOOL;
    BERTH_TRY(kernel_check_counts(node, 3, 3, 1, diag));
    const berth_operand *indexes = &node->inputs[0];
    const berth_operand *shape = &node->inputs[2];
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(kernel_check_moved(&node->inputs[1], to, diag));
    if ((addable >> to->type & 1u) == 0) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "updates of a type that is not added up");
    }
    bool fits = kernel_is_index(indexes) && kernel_is_index(shape) &&
                shape->elements == to->rank &&
                updates_fit(indexes, &node->inputs[1], to);
    for (uint32_t i = 0; fits && kernel_is_known(shape) && i < to->rank; ++i) {
        fits = kernel_index(shape, i) == to->dims[i];
    }
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "indexes, updates and output do not fit");
}

static void add_element(uint8_t *to, const uint8_t *from, uint8_t type)
{
    if (type == BERTH_FLOAT32) {
        element_put_f32(to, 0, kernel_get_f32(to, 0) + kernel_get_f32(from, 0));
    } else if (type == BERTH_INT64) {
        const uint64_t sum =
            (uint64_t)element_i64(to, 0) + (uint64_t)element_i64(from, 0);
        __builtin_memcpy(to, &sum, sizeof(sum));
    } else if (type == BERTH_INT32) {
        const uint32_t sum =
            (uint32_t)element_i32(to, 0) + (uint32_t)element_i32(from, 0);
        __builtin_memcpy(to, &sum, sizeof(sum));
    } else if (type == BERTH_BOOL) {
        *to = *to != 0 || *from != 0;
    } else {
        *to = (uint8_t)(*to + *from);
    }
}

static berth_status run_scatter(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    const berth_operand *indexes = &node->inputs[0];
    const berth_operand *updates = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    const uint32_t size = kernel_element_bytes(to);
    const uint32_t depth = depth_of(indexes);
    const uint64_t piece = (uint64_t)kernel_span(to, depth, to->rank);
    (void)begin;
    (void)end;
    if (to->bytes != 0) {
        (void)memset(to->data, 0, (size_t)to->bytes);
    }
    for (uint64_t i = 0; i < updates->elements; ++i) {
        uint64_t element = i % piece;
        for (uint32_t k = 0; k < depth; ++k) {
            const int64_t index = kernel_index(indexes, i / piece * depth + k);
            if (index < 0 || index >= to->dims[k]) {
                return BERTH_BAD_DATA;
            }
            element += (uint64_t)(index * kernel_step(to, k));
        }
        add_element(to->data + element * size, updates->data + i * size,
                    to->type);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_scatter_nd = {
    .check = check_scatter,
    .rows = run_scatter,
    .data_error = "an index is outside of its axis",
};

/* --- DYNAMIC_UPDATE_SLICE ---------------------------------------------------
 * Operands: what is taken over, update, first element on each axis. An update
 * that would reach over the end is moved back. */

static berth_status check_update(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 3, 3, 1, diag));
    const berth_operand *from = &node->inputs[0];
    const berth_operand *update = &node->inputs[1];
    const berth_operand *first = &node->inputs[2];
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(kernel_check_moved(from, to, diag));
    BERTH_TRY(kernel_check_moved(update, to, diag));
    bool fits = kernel_same_dims(from, to) && update->rank == to->rank &&
                kernel_is_index(first) && first->elements == to->rank;
    for (uint32_t i = 0; fits && i < to->rank; ++i) {
        fits = update->dims[i] <= to->dims[i];
    }
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "an update larger than what it changes");
}

static int64_t first_element(const berth_node *node, uint32_t axis)
{
    const int64_t most =
        node->outputs[0].dims[axis] - node->inputs[1].dims[axis];
    const int64_t want = kernel_index(&node->inputs[2], axis);
    return want < 0 ? 0 : want < most ? want : most;
}

static berth_status run_update(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    const berth_operand *update = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    const uint32_t size = kernel_element_bytes(to);
    const uint32_t last = to->rank > 0 ? to->rank - 1 : 0;
    const uint64_t run = to->rank > 0 ? (uint64_t)update->dims[last] : 1;
    (void)begin;
    (void)end;
    if (to->bytes != 0) {
        kernel_copy(to->data, node->inputs[0].data, (size_t)to->bytes);
    }
    for (uint64_t i = 0; i < update->elements; i += run) {
        uint64_t rest = i / run;
        uint64_t element =
            to->rank > 0 ? (uint64_t)first_element(node, last) : 0;
        for (uint32_t k = last; k > 0; --k) {
            const uint64_t dim = (uint64_t)update->dims[k - 1];
            element += (rest % dim + (uint64_t)first_element(node, k - 1)) *
                       (uint64_t)kernel_step(to, k - 1);
            rest /= dim;
        }
        (void)memcpy(to->data + element * size, update->data + i * size,
                     (size_t)(run * size));
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_dynamic_update_slice = {.check = check_update,
                                                      .rows = run_update};

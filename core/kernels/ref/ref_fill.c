/* Operators that write values of their own: SHAPE, RANK, BROADCAST_ARGS, RANGE,
 * FILL, ZEROS_LIKE and ONE_HOT. */
#include "kernels/move.h"

/* --- integers that speak of shapes ------------------------------------------
 */

static void put_index(const berth_operand *to, uint64_t i, int64_t value)
{
    const int32_t narrow = (int32_t)value;
    if (to->type == BERTH_INT64) {
        (void)memcpy(to->data + i * sizeof(value), &value, sizeof(value));
    } else {
        (void)memcpy(to->data + i * sizeof(narrow), &narrow, sizeof(narrow));
    }
}

/* One output, of so many integers. */
static berth_status check_integers(const berth_node *node, uint64_t count,
                                   berth_diag *diag)
{
    const berth_operand *to = &node->outputs[0];
    return kernel_is_index(to) && to->elements == count
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "the output is not so many int32 or int64");
}

static berth_status check_shape(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, 1, 1, diag));
    return check_integers(node, node->inputs[0].rank, diag);
}

static berth_status run_shape(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    (void)begin;
    (void)end;
    for (uint32_t i = 0; i < node->inputs[0].rank; ++i) {
        put_index(&node->outputs[0], i, node->inputs[0].dims[i]);
    }
    return BERTH_OK;
}

static berth_status check_rank(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, 1, 1, diag));
    return check_integers(node, 1, diag);
}

static berth_status run_rank(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    (void)begin;
    (void)end;
    put_index(&node->outputs[0], 0, node->inputs[0].rank);
    return BERTH_OK;
}

const berth_kernel kernel_ref_shape = {.check = check_shape, .rows = run_shape};
const berth_kernel kernel_ref_rank = {.check = check_rank, .rows = run_rank};

/* Two shapes become the one that both can be broadcast to. */
static berth_status check_broadcast_args(const berth_node *node,
                                         berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    const berth_operand *a = &node->inputs[0];
    const berth_operand *b = &node->inputs[1];
    if (!kernel_is_index(a) || a->type != b->type ||
        a->type != node->outputs[0].type) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "shapes that are not int32 or int64");
    }
    return check_integers(
        node, a->elements > b->elements ? a->elements : b->elements, diag);
}

static berth_status run_broadcast_args(const berth_node *node, uint32_t begin,
                                       uint32_t end)
{
    const berth_operand *to = &node->outputs[0];
    (void)begin;
    (void)end;
    for (uint64_t i = 0; i < to->elements; ++i) {
        int64_t dims[2] = {1, 1};
        for (uint32_t k = 0; k < 2; ++k) {
            const berth_operand *from = &node->inputs[k];
            const uint64_t fresh = to->elements - from->elements;
            dims[k] = i < fresh ? 1 : kernel_index(from, i - fresh);
        }
        if (dims[0] != dims[1] && dims[0] != 1 && dims[1] != 1) {
            return BERTH_BAD_DATA;
        }
        put_index(to, i, dims[0] == 1 ? dims[1] : dims[0]);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_broadcast_args = {
    .check = check_broadcast_args,
    .rows = run_broadcast_args,
    .data_error = "two shapes that cannot be broadcast to one",
};

/* --- RANGE ------------------------------------------------------------------
 */

static berth_status check_range(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 3, 3, 1, diag));
    const berth_operand *to = &node->outputs[0];
    bool same = true;
    for (uint32_t i = 0; i < 3; ++i) {
        same = same && node->inputs[i].type == to->type &&
               node->inputs[i].elements == 1;
    }
    if (!kernel_is_index(to) && to->type != BERTH_FLOAT32) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a range of something else than numbers");
    }
    return same ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "a range needs three numbers of its type");
}

/* The output's length follows from the three, and was worked out in prepare. */
static berth_status run_range(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    const berth_operand *start = &node->inputs[0];
    const berth_operand *delta = &node->inputs[2];
    const berth_operand *to = &node->outputs[0];
    (void)begin;
    (void)end;
    if (to->type == BERTH_FLOAT32) {
        float value = kernel_get_f32(start->data, 0);
        for (uint64_t i = 0; i < to->elements; ++i) {
            element_put_f32(to->data, (size_t)i, value);
            value += kernel_get_f32(delta->data, 0);
        }
        return BERTH_OK;
    }
    uint64_t value = (uint64_t)kernel_index(start, 0);
    for (uint64_t i = 0; i < to->elements; ++i) {
        put_index(to, i, (int64_t)value);
        value += (uint64_t)kernel_index(delta, 0);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_range = {.check = check_range, .rows = run_range};

/* --- one value --------------------------------------------------------------
 */

/* Writes rows of an output of one value. */
static void fill_rows(const berth_operand *to, const uint8_t *value,
                      uint32_t begin, uint32_t end)
{
    const uint32_t size = kernel_element_bytes(to);
    for (uint32_t row = begin; row < end; ++row) {
        kernel_repeat(berth_operand_row(to, row), value, size,
                      to->elements / to->rows);
    }
}

static berth_status check_fill(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    const berth_operand *shape = &node->inputs[0];
    const berth_operand *value = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(kernel_check_moved(value, to, diag));
    bool fits = kernel_is_index(shape) && shape->elements == to->rank &&
                value->elements == 1;
    for (uint32_t i = 0; fits && kernel_is_known(shape) && i < to->rank; ++i) {
        fits = kernel_index(shape, i) == to->dims[i];
    }
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "a shape that is not the output's, or more than "
                               "one value");
}

static berth_status run_fill(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    fill_rows(&node->outputs[0], node->inputs[1].data, begin, end);
    return BERTH_OK;
}

static berth_status check_zeros(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, 1, 1, diag));
    BERTH_TRY(kernel_check_moved(&node->inputs[0], &node->outputs[0], diag));
    return kernel_same_dims(&node->inputs[0], &node->outputs[0])
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "the output has another shape");
}

static berth_status run_zeros(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    static const uint8_t zero[16] = {0};
    fill_rows(&node->outputs[0], zero, begin, end);
    return BERTH_OK;
}

const berth_kernel kernel_ref_fill = {.check = check_fill, .rows = run_fill};
const berth_kernel kernel_ref_zeros_like = {.check = check_zeros,
                                            .rows = run_zeros};

/* --- ONE_HOT ----------------------------------------------------------------
 * Operands: indexes, depth, value where the index is, value elsewhere. */

/* The axis of the output that is not one of the indexes. */
static int64_t hot_axis(const berth_node *node)
{
    const int64_t axis =
        berth_option_int(node->op, BERTH_OPT_OneHotOptions_axis);
    const uint32_t rank = node->inputs[0].rank;
    return axis == -1 ? rank : axis >= 0 && axis <= rank ? axis : -1;
}

static berth_status check_one_hot(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 4, 4, 1, diag));
    const berth_operand *indexes = &node->inputs[0];
    const berth_operand *depth = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    const int64_t axis = hot_axis(node);
    BERTH_TRY(kernel_check_moved(&node->inputs[2], to, diag));
    BERTH_TRY(kernel_check_moved(&node->inputs[3], to, diag));
    bool fits = axis >= 0 && kernel_is_index(indexes) &&
                kernel_is_index(depth) && depth->elements == 1 &&
                node->inputs[2].elements == 1 &&
                node->inputs[3].elements == 1 && to->rank == indexes->rank + 1;
    for (uint32_t i = 0; fits && i < to->rank; ++i) {
        const uint32_t own = i > axis ? i - 1 : i;
        fits = i == axis ? !kernel_is_known(depth) ||
                               kernel_index(depth, 0) == to->dims[i]
                         : to->dims[i] == indexes->dims[own];
    }
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "indexes, depth and output do not fit");
}

static berth_status run_one_hot(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    const berth_operand *indexes = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const uint32_t size = kernel_element_bytes(to);
    const uint32_t axis = (uint32_t)hot_axis(node);
    const uint64_t depth = (uint64_t)to->dims[axis];
    const uint64_t inner = (uint64_t)kernel_step(to, axis);
    fill_rows(to, node->inputs[3].data, begin, end);
    for (uint64_t i = 0; i < indexes->elements; ++i) {
        const int64_t index = kernel_index(indexes, i);
        if (index >= 0 && (uint64_t)index < depth) {
            const uint64_t at =
                (i / inner * depth + (uint64_t)index) * inner + i % inner;
            (void)memcpy(to->data + at * size, node->inputs[2].data, size);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_one_hot = {.check = check_one_hot,
                                         .rows = run_one_hot};

/* TOPK_V2: the k largest of each row, largest first; of equals the earlier. The
 * k best so far are kept as a heap of indexes, the worst on top, in the output
 * itself; at the end the heap is sorted where it lies. O(n log k). */
#include "kernels/move.h"

/* A row of the input, and its heap. */
struct contest {
    const uint8_t *values;
    uint8_t *heap; /* int32 */
    uint8_t type;
};

static bool is_greater(const struct contest *c, int32_t a, int32_t b)
{
    const size_t x = (size_t)a;
    const size_t y = (size_t)b;
    switch (c->type) {
    case BERTH_FLOAT32:
        return kernel_get_f32(c->values, x) > kernel_get_f32(c->values, y);
    case BERTH_INT64:
        return element_i64(c->values, x) > element_i64(c->values, y);
    case BERTH_INT32:
        return element_i32(c->values, x) > element_i32(c->values, y);
    case BERTH_INT16:
        return element_i16(c->values, x) > element_i16(c->values, y);
    case BERTH_INT8:
        return element_i8(c->values, x) > element_i8(c->values, y);
    default:
        return element_u8(c->values, x) > element_u8(c->values, y);
    }
}

static bool is_better(const struct contest *c, int32_t a, int32_t b)
{
    return is_greater(c, a, b) || (!is_greater(c, b, a) && a < b);
}

static void put_i32(uint8_t *to, size_t i, int32_t value)
{
    (void)memcpy(to + i * sizeof(value), &value, sizeof(value));
}

/* Lets `index` sink from place i of a heap of n: no child is worse than its
 * parent. */
static void sink(const struct contest *c, uint32_t i, uint32_t n, int32_t index)
{
    for (size_t child = (size_t)2 * i + 1; child < n;
         child = (size_t)2 * i + 1) {
        if (child + 1 < n && is_better(c, element_i32(c->heap, child),
                                       element_i32(c->heap, child + 1))) {
            child += 1;
        }
        const int32_t worse = element_i32(c->heap, child);
        if (!is_better(c, index, worse)) {
            break;
        }
        put_i32(c->heap, i, worse);
        i = (uint32_t)child;
    }
    put_i32(c->heap, i, index);
}

static void find_best(const struct contest *c, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < k; ++i) {
        put_i32(c->heap, i, (int32_t)i);
    }
    for (uint32_t i = k / 2; i > 0; --i) {
        sink(c, i - 1, k, element_i32(c->heap, i - 1));
    }
    for (uint32_t i = k; i < n && k > 0; ++i) {
        if (is_better(c, (int32_t)i, element_i32(c->heap, 0))) {
            sink(c, 0, k, (int32_t)i);
        }
    }
    for (uint32_t i = k; i > 1; --i) {
        const int32_t worst = element_i32(c->heap, 0);
        const int32_t last = element_i32(c->heap, i - 1);
        put_i32(c->heap, i - 1, worst);
        sink(c, 0, i - 1, last);
    }
}

static berth_status check_topk(const berth_node *node, berth_diag *diag)
{
    static const uint32_t ordered = 1u << BERTH_FLOAT32 | 1u << BERTH_INT8 |
                                    1u << BERTH_UINT8 | 1u << BERTH_INT16 |
                                    1u << BERTH_INT32 | 1u << BERTH_INT64;
    BERTH_TRY(kernel_check_counts(node, 2, 2, 2, diag));
    const berth_operand *from = &node->inputs[0];
    const berth_operand *k = &node->inputs[1];
    const berth_operand *values = &node->outputs[0];
    const berth_operand *indexes = &node->outputs[1];
    BERTH_TRY(kernel_check_moved(from, values, diag));
    if ((ordered >> from->type & 1u) == 0 || indexes->type != BERTH_INT32 ||
        !kernel_is_index(k)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "values or indexes of this type");
    }
    bool fits = from->rank > 0 && values->rank == from->rank &&
                k->elements == 1 && kernel_same_dims(values, indexes) &&
                values->dims[from->rank - 1] <= from->dims[from->rank - 1];
    for (uint32_t i = 0; fits && i + 1 < from->rank; ++i) {
        fits = values->dims[i] == from->dims[i];
    }
    fits = fits && (!kernel_is_known(k) ||
                    kernel_index(k, 0) == values->dims[from->rank - 1]);
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "more than a row has, or outputs do not fit");
}

static berth_status run_topk(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *values = &node->outputs[0];
    const berth_operand *indexes = &node->outputs[1];
    const uint32_t last = from->rank - 1;
    const uint32_t n = (uint32_t)from->dims[last];
    const uint32_t k = (uint32_t)values->dims[last];
    const uint32_t size = kernel_element_bytes(from);
    for (uint32_t row = begin; row < end; ++row) {
        const struct contest c = {berth_operand_row(from, row),
                                  berth_operand_row(indexes, row), from->type};
        uint8_t *best = berth_operand_row(values, row);
        find_best(&c, n, k);
        for (uint32_t i = 0; i < k; ++i) {
            (void)memcpy(best + (size_t)i * size,
                         c.values + (size_t)element_i32(c.heap, i) * size,
                         size);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_topk_v2 = {.check = check_topk, .rows = run_topk};

/* Which axes a reduction keeps, and where elements lie. */
#include "kernels/reduce.h"

uint64_t kernel_reduce_at(const struct reduce_axes *axes, uint64_t i)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < axes->rank; ++k) {
        at += i % axes->dims[k] * axes->strides[k];
        i /= axes->dims[k];
    }
    return at;
}

static void add_axis(struct reduce_axes *axes, uint64_t dim, uint64_t stride)
{
    axes->dims[axes->rank] = dim;
    axes->strides[axes->rank] = stride;
    axes->rank += 1;
    axes->count *= dim;
}

/* A bit for each axis that is reduced. */
static const char *reduced_axes(const berth_node *node, uint32_t *mask)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *axes = &node->inputs[1];
    *mask = 0;
    for (uint64_t i = 0; i < axes->elements && in->rank != 0; ++i) {
        const int64_t axis = kernel_axis(kernel_index(axes, i), in->rank);
        if (axis < 0) {
            return "an axis that the input has not";
        }
        *mask |= UINT32_C(1) << axis;
    }
    return NULL;
}

/* The axes in front of the first that is reduced are the space, unless the
 * operator runs as a whole. */
const char *kernel_reduce_plan(const berth_node *node, struct reduce *reduce)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    uint32_t mask = 0;
    uint64_t rows = 1;
    uint32_t first = 0;
    const char *wrong = reduced_axes(node, &mask);
    if (wrong != NULL) {
        return wrong;
    }
    *reduce = (struct reduce){.kept = {.count = 1}, .gone = {.count = 1}};
    reduce->all = mask == (UINT32_C(1) << in->rank) - 1u;
    while (first < in->rank && (mask >> first & 1u) == 0 &&
           node->row_count != 1) {
        rows *= (uint64_t)in->dims[first++];
    }
    uint64_t stride = 1;
    for (uint32_t i = in->rank; i-- > first;) {
        const uint64_t dim = (uint64_t)in->dims[i];
        add_axis((mask >> i & 1u) != 0 ? &reduce->gone : &reduce->kept, dim,
                 stride);
        stride *= dim;
    }
    if (out->elements != 0 && rows != node->row_count) {
        return "rows that are not those of the input";
    }
    return out->elements == rows * reduce->kept.count
               ? NULL
               : "an output of another shape than its axes make";
}

/* --- checks -----------------------------------------------------------------
 */

static bool is_laid_out(const berth_operand *operand)
{
    const uint64_t size = kernel_element_bytes(operand);
    uint64_t elements = 1;
    bool fits = operand->rank <= REDUCE_RANK_MAX && size != 0;
    for (uint32_t i = 0; fits && i < operand->rank; ++i) {
        fits = operand->dims[i] >= 0 &&
               berth_mul_u64(elements, (uint64_t)operand->dims[i], &elements);
    }
    return fits && operand->elements == elements &&
           operand->bytes == elements * size;
}

berth_status kernel_check_reduce(const berth_node *node, berth_diag *diag)
{
    struct reduce reduce;
    const berth_operand *in = kernel_input(node, 0);
    const berth_operand *axes = kernel_input(node, 1);
    if (node->input_count != 2 || node->output_count != 1 || in == NULL ||
        axes == NULL) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a reduction has an input, axes and an output");
    }
    const berth_operand *out = &node->outputs[0];
    if (!is_laid_out(in) || !is_laid_out(out) || !is_laid_out(axes) ||
        !kernel_is_index(axes)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an operand that does not fit its shape");
    }
    const char *wrong =
        kernel_is_known(axes) ? kernel_reduce_plan(node, &reduce) : NULL;
    if (wrong != NULL) {
        return berth_refuse(diag, BERTH_BAD_MODEL, wrong);
    }
    BERTH_TRY(kernel_check_walk(out, node->row_count, diag));
    return in->elements != 0 ? kernel_check_walk(in, node->row_count, diag)
                             : BERTH_OK;
}

/* BATCH_MATMUL: one dot product for each element of the output. */
#include "kernels/element.h"
#include "kernels/matmul.h"

static void matmul_row(const struct matmul *m, uint32_t row)
{
    const struct weights *w = &m->w;
    const struct factor a = kernel_matmul_left(m, row);
    struct factor b =
        kernel_filter_factor(w, 0, kernel_matmul_right(m, row), m->right.step);
    uint8_t *out = berth_operand_row(w->output, row);
    if (kernel_is_float(w)) {
        dot_floats *dot = kernel_dot_floats(w->filter->type);
        for (size_t j = 0; j < m->right.lines; ++j) {
            element_put_f32(out, j, dot(0, &a, &b, m->left.depth));
            b.first += m->right.line_step;
        }
        return;
    }
    dot_ints *dot = kernel_dot_ints(w->input->type, w->filter->type);
    struct rescale rescale =
        kernel_rescale_of(w, w->wide ? RESCALE_WIDE : RESCALE_TWICE, true);
    kernel_rescale_channel(&rescale, w, 0);
    for (size_t j = 0; j < m->right.lines; ++j) {
        element_put(out, j, w->output->type,
                    rescale_sum(&rescale, dot(&a, &b, m->left.depth)));
        b.first += m->right.line_step;
    }
}

static berth_status run_batch_matmul(const berth_node *node, uint32_t begin,
                                     uint32_t end)
{
    struct matmul m;
    BERTH_TRY(kernel_matmul_of(node, &m, NULL));
    if (m.w.output->elements == 0) {
        return BERTH_OK;
    }
    for (uint32_t row = begin; row < end; ++row) {
        matmul_row(&m, row);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_batch_matmul = {.check = kernel_check_matmul,
                                              .rows = run_batch_matmul};

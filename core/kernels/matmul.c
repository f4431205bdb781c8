/* BATCH_MATMUL: operands, options, shapes, broadcasting. */
#include "kernels/matmul.h"

enum { MATMUL_RANK_MOST = 8 };

/* `inner_first`: the axis that is summed over comes before the other one. */
static struct matrix matrix_of(const berth_operand *of, bool inner_first)
{
    const size_t high = (size_t)of->dims[of->rank - 2];
    const size_t wide = (size_t)of->dims[of->rank - 1];
    return (struct matrix){
        .of = of,
        .lines = inner_first ? wide : high,
        .depth = inner_first ? high : wide,
        .line_step = inner_first ? 1 : wide,
        .step = inner_first ? wide : 1,
    };
}

static bool is_stack(const berth_operand *operand)
{
    return operand != NULL && operand->rank >= 2 &&
           operand->rank <= MATMUL_RANK_MOST;
}

berth_status kernel_matmul_of(const berth_node *node, struct matmul *m,
                              berth_diag *diag)
{
    const berth_operand *left = kernel_input(node, 0);
    const berth_operand *right = kernel_input(node, 1);
    if (node->output_count != 1 || !is_stack(left) || !is_stack(right) ||
        !is_stack(&node->outputs[0])) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a matrix product without matrices");
    }
    m->left = matrix_of(
        left,
        berth_option_int(node->op, BERTH_OPT_BatchMatMulOptions_adj_x) != 0);
    m->right = matrix_of(
        right,
        berth_option_int(node->op, BERTH_OPT_BatchMatMulOptions_adj_y) == 0);
    m->w = (struct weights){
        .input = left,
        .filter = right,
        .output = &node->outputs[0],
        .channels = (uint32_t)m->right.lines,
        .filter_axis = -1,
        .wide = left->type == BERTH_INT16,
    };
    return BERTH_OK;
}

/* --- axes in front ----------------------------------------------------------
 */

/* Axis i of those in front of the output, in an operand that is aligned with
 * its last axes: 1 where there is none. */
static int32_t front_dim(const berth_operand *operand, uint32_t out_rank,
                         uint32_t i)
{
    const uint32_t missing = out_rank - operand->rank;
    return i < missing ? 1 : operand->dims[i - missing];
}

/* Which matrix of an operand goes into matrix `batch` of the output. */
static size_t matrix_index(const berth_operand *operand,
                           const berth_operand *out, size_t batch)
{
    size_t index = 0;
    size_t step = 1;
    for (uint32_t i = out->rank - 2; i-- > 0;) {
        const size_t size = (size_t)out->dims[i];
        const size_t own = (size_t)front_dim(operand, out->rank, i);
        index += own == 1 ? 0 : batch % size * step;
        step *= own;
        batch /= size;
    }
    return index;
}

static bool fronts_fit(const struct matmul *m)
{
    const berth_operand *out = m->w.output;
    const berth_operand *left = m->left.of;
    const berth_operand *right = m->right.of;
    const uint32_t rank = left->rank > right->rank ? left->rank : right->rank;
    if (out->rank != rank) {
        return false;
    }
    for (uint32_t i = 0; i < rank - 2; ++i) {
        const int32_t a = front_dim(left, rank, i);
        const int32_t b = front_dim(right, rank, i);
        if ((a != b && a != 1 && b != 1) || out->dims[i] != (a == 1 ? b : a)) {
            return false;
        }
    }
    return true;
}

/* --- checking ---------------------------------------------------------------
 */

static berth_status check_matmul_types(const struct matmul *m, berth_diag *diag)
{
    const struct weights *w = &m->w;
    if (w->input->type == BERTH_FLOAT32) {
        return kernel_check_weights(w, diag);
    }
    if (w->input->type != w->filter->type || w->input->type == BERTH_UINT8) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a matrix product of these types");
    }
    BERTH_TRY(kernel_check_per_tensor(w->filter, diag));
    if (w->filter->type == BERTH_INT16 && kernel_zero_point(w->filter) != 0) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "16-bit activations that are not symmetric");
    }
    return kernel_check_weights(w, diag);
}

berth_status kernel_check_matmul(const berth_node *node, berth_diag *diag)
{
    struct matmul m;
    BERTH_TRY(kernel_matmul_of(node, &m, diag));
    const berth_operand *out = m.w.output;
    if (!fronts_fit(&m) || m.left.depth != m.right.depth ||
        (size_t)out->dims[out->rank - 2] != m.left.lines ||
        (size_t)out->dims[out->rank - 1] != m.right.lines) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "matrices whose shapes do not fit");
    }
    BERTH_TRY(check_matmul_types(&m, diag));
    return m.right.lines == 0
               ? BERTH_OK
               : kernel_check_walk(out, out->elements / m.right.lines, diag);
}

/* --- rows -------------------------------------------------------------------
 */

/* The operand is walked by rows where it has the output's axes in front, else
 * it lies whole. */
struct factor kernel_matmul_left(const struct matmul *m, uint32_t row)
{
    const struct matrix *a = &m->left;
    if (a->of->rows > 1) {
        return kernel_input_factor(&m->w, berth_operand_row(a->of, row), 0, 1);
    }
    const size_t matrix =
        matrix_index(a->of, m->w.output, row / a->lines) * a->lines * a->depth;
    return kernel_input_factor(&m->w, a->of->data,
                               matrix + row % a->lines * a->line_step, a->step);
}

size_t kernel_matmul_right(const struct matmul *m, uint32_t row)
{
    const struct matrix *b = &m->right;
    return matrix_index(b->of, m->w.output, row / m->left.lines) * b->lines *
           b->depth;
}

/* MIRROR_PAD: a rim that repeats the input backwards; REFLECT leaves the edge
 * out, SYMMETRIC takes it too. Each axis maps a place of the output to one of
 * the input, and axes know nothing of each other. */
#include "kernels/move.h"

enum { MODE_REFLECT = 0, MODE_SYMMETRIC = 1 };

static int64_t mirror_mode(const berth_node *node)
{
    return berth_option_int(node->op, BERTH_OPT_MirrorPadOptions_mode);
}

/* NULL, or what is wrong; then no place maps outside of the input. */
static const char *check_mirror(const berth_node *node)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *sizes = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    const int64_t edge = mirror_mode(node) == MODE_REFLECT ? 1 : 0;
    if (from->rank != to->rank || sizes->elements != 2ull * from->rank) {
        return "a rim needs two sizes for each axis";
    }
    for (uint32_t i = 0; i < from->rank; ++i) {
        const int64_t before = kernel_index(sizes, 2ull * i);
        const int64_t after = kernel_index(sizes, 2ull * i + 1);
        const int64_t most = from->dims[i] - edge;
        const bool some = before != 0 || after != 0;
        if (before < 0 || after < 0 ||
            (some && (before > most || after > most))) {
            return "a mirror shows no more than there is";
        }
        if (before + from->dims[i] + after != to->dims[i]) {
            return "the output has another shape";
        }
    }
    return NULL;
}

static berth_status check_mirror_pad(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    BERTH_TRY(kernel_check_moved(&node->inputs[0], &node->outputs[0], diag));
    if (!kernel_is_index(&node->inputs[1])) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a parameter that is not int32 or int64");
    }
    if (mirror_mode(node) != MODE_REFLECT &&
        mirror_mode(node) != MODE_SYMMETRIC) {
        return berth_refuse(diag, BERTH_BAD_MODEL, "a mirror of no known kind");
    }
    const char *wrong =
        kernel_is_known(&node->inputs[1]) ? check_mirror(node) : NULL;
    return wrong == NULL ? BERTH_OK
                         : berth_refuse(diag, BERTH_BAD_MODEL, wrong);
}

/* --- lines ------------------------------------------------------------------
 * A line is the last axis; the axes in front say which of the input it shows.
 */

/* Place `at` of an axis of `dim` elements, after a rim of `before`. */
static int64_t mirrored(int64_t at, int64_t before, int64_t dim, int64_t edge)
{
    const int64_t own = at - before;
    if (own < 0) {
        return -own - 1 + edge;
    }
    return own < dim ? own : 2 * dim - 1 - edge - own;
}

struct mirror {
    uint32_t axes; /* in front of the lines */
    int64_t edge;
    int64_t before; /* rim of a line */
    int64_t dim;    /* elements of the input's line */
    int64_t line;   /* and of the output's */
};

static struct mirror mirror_of(const berth_node *node)
{
    const berth_operand *from = &node->inputs[0];
    struct mirror m = {.dim = 1, .line = 1};
    m.edge = mirror_mode(node) == MODE_REFLECT ? 1 : 0;
    if (from->rank > 0) {
        m.axes = from->rank - 1;
        m.before = kernel_index(&node->inputs[1], 2ull * m.axes);
        m.dim = from->dims[m.axes];
        m.line = node->outputs[0].dims[m.axes];
    }
    return m;
}

/* The element of the input where what line i shows begins. */
static uint64_t find_line(const berth_node *node, const struct mirror *m,
                          uint64_t i)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    uint64_t element = 0;
    for (uint32_t k = m->axes; k > 0; --k) {
        const uint64_t dim = (uint64_t)to->dims[k - 1];
        const int64_t before = kernel_index(&node->inputs[1], 2ull * (k - 1));
        const int64_t place =
            mirrored((int64_t)(i % dim), before, from->dims[k - 1], m->edge);
        element += (uint64_t)(place * kernel_step(from, k - 1));
        i /= dim;
    }
    return element;
}

static void write_line(const struct mirror *m, const uint8_t *from, uint8_t *to,
                       uint32_t size)
{
    const int64_t middle = m->before * size;
    const int64_t after = m->line - m->before - m->dim;
    const uint8_t *front = from + (m->before - 1 + m->edge) * size;
    const uint8_t *back = from + (m->dim - 1 - m->edge) * size;
    if (m->before > 0) {
        kernel_copy_steps(to, front, -(int64_t)size, size, (uint64_t)m->before);
    }
    kernel_copy(to + middle, from, (size_t)(m->dim * size));
    if (after > 0) {
        kernel_copy_steps(to + middle + m->dim * size, back, -(int64_t)size,
                          size, (uint64_t)after);
    }
}

static berth_status run_mirror_pad(const berth_node *node, uint32_t begin,
                                   uint32_t end)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const uint32_t size = kernel_element_bytes(to);
    if (check_mirror(node) != NULL) {
        return BERTH_BAD_DATA;
    }
    if (to->elements == 0) {
        return BERTH_OK;
    }
    const struct mirror m = mirror_of(node);
    const uint64_t lines = to->elements / to->rows / (uint64_t)m.line;
    for (uint64_t i = begin * lines; i < end * lines; ++i) {
        write_line(&m, kernel_byte(from, find_line(node, &m, i) * size),
                   kernel_byte(to, i * (uint64_t)m.line * size), size);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_mirror_pad = {
    .check = check_mirror_pad,
    .rows = run_mirror_pad,
    .data_error = "sizes of a rim that do not give the output's shape",
};

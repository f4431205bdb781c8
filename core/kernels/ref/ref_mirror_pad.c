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

/* Place `at` of an axis of `dim` elements, after a rim of `before`. */
static int64_t mirrored(int64_t at, int64_t before, int64_t dim, int64_t edge)
{
    const int64_t own = at - before;
    if (own < 0) {
        return -own - 1 + edge;
    }
    return own < dim ? own : 2 * dim - 1 - edge - own;
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

/* The element of the input that element `at` of the output shows. */
static uint64_t mirror_source(const berth_node *node, uint64_t at)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const int64_t edge = mirror_mode(node) == MODE_REFLECT ? 1 : 0;
    uint64_t element = 0;
    for (uint32_t k = to->rank; k > 0; --k) {
        const uint64_t dim = (uint64_t)to->dims[k - 1];
        const int64_t before = kernel_index(&node->inputs[1], 2ull * (k - 1));
        const int64_t place =
            mirrored((int64_t)(at % dim), before, from->dims[k - 1], edge);
        element += (uint64_t)(place * kernel_step(from, k - 1));
        at /= dim;
    }
    return element;
}

static berth_status run_mirror_pad(const berth_node *node, uint32_t begin,
                                   uint32_t end)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const uint32_t size = kernel_element_bytes(to);
    const uint64_t row = to->elements / to->rows;
    if (check_mirror(node) != NULL) {
        return BERTH_BAD_DATA;
    }
    for (uint64_t i = begin * row; i < end * row; ++i) {
        (void)memcpy(kernel_byte(to, i * size),
                     kernel_byte(from, mirror_source(node, i) * size), size);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_mirror_pad = {
    .check = check_mirror_pad,
    .rows = run_mirror_pad,
    .data_error = "sizes of a rim that do not give the output's shape",
};

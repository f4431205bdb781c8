/* SELECT and SELECT_V2: elements of one operand or the other, by a condition.
 * The first knows conditions of rank 1 that stand for the first axis. */
#include "kernels/rowwise.h"

#include <string.h>

/* A node whose condition is turned up: [n] as [n, 1, ...]. */
struct select_view {
    berth_node node;
    berth_operand inputs[3];
    int32_t dims[ROWWISE_RANK_MAX];
};

static const berth_node *select_view_of(const berth_node *node,
                                        struct select_view *view)
{
    const uint32_t rank = node->outputs[0].rank;
    if (node->op->code != BERTH_OP_SELECT || node->input_count != 3 ||
        node->output_count != 1 || node->inputs[0].rank != 1 || rank < 2 ||
        rank > ROWWISE_RANK_MAX) {
        return node;
    }
    view->node = *node;
    memcpy(view->inputs, node->inputs, sizeof(view->inputs));
    view->node.inputs = view->inputs;
    for (uint32_t i = 0; i < rank; ++i) {
        view->dims[i] = i == 0 ? node->inputs[0].dims[0] : 1;
    }
    view->inputs[0].dims = view->dims;
    view->inputs[0].rank = rank;
    view->inputs[0].rows = (uint32_t)view->dims[0];
    view->inputs[0].ring = view->inputs[0].rows;
    view->inputs[0].pitch = 1;
    return &view->node;
}

static berth_status check_select(const berth_node *node, berth_diag *diag)
{
    struct select_view view;
    const uint32_t bits =
        node->output_count == 0
            ? 0
            : berth_type_bits((berth_type)node->outputs[0].type);
    BERTH_TRY(kernel_check_rowwise(select_view_of(node, &view), 3, diag));
    if (node->inputs[0].type != BERTH_BOOL) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a condition that is not bool");
    }
    if (node->inputs[1].type != node->outputs[0].type ||
        node->inputs[2].type != node->outputs[0].type) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "operands of different types");
    }
    return bits >= 8 ? BERTH_OK
                     : berth_refuse(diag, BERTH_UNSUPPORTED,
                                    "elements of less than a byte");
}

static berth_status select_elements(const struct rowwise *row,
                                    const void *param)
{
    const size_t size = *(const size_t *)param;
    for (size_t i = 0; i < row->count; ++i) {
        const bool first = row->in[0].at[i * row->in[0].step] != 0;
        const struct lane from = row->in[first ? 1 : 2];
        memmove(row->out + i * size, from.at + i * from.step * size, size);
    }
    return BERTH_OK;
}

static berth_status run_select(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    struct select_view view;
    const size_t size = berth_type_bits((berth_type)node->outputs[0].type) / 8u;
    return kernel_rowwise(select_view_of(node, &view), begin, end,
                          select_elements, &size);
}

const berth_kernel kernel_ref_select = {
    .check = check_select,
    .rows = run_select,
};

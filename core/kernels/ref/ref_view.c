/* Views: the same bytes under another shape. Where output and input lie at one
 * place there is nothing to do; where the planner had to part them, a copy. */
#include "kernels/kernel_int.h"

#include <string.h>

static berth_status check_view(const berth_node *node, berth_diag *diag)
{
    const berth_operand *from = kernel_input(node, 0);
    if (from == NULL || node->output_count != 1) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a view has an input and one output");
    }
    if (from->bytes != node->outputs[0].bytes) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a view has as many bytes as its source");
    }
    return BERTH_OK;
}

static berth_status run_view(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    const berth_operand *to = &node->outputs[0];
    (void)begin;
    (void)end;
    if (to->data != node->inputs[0].data && to->bytes != 0) {
        memmove(to->data, node->inputs[0].data, (size_t)to->bytes);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_view = {.check = check_view, .rows = run_view};

/* READ_VARIABLE and ASSIGN_VARIABLE: copies out of a variable and into it. The
 * resource operand lies where its variable lies. */
#include "kernels/move.h"

/* `value` goes into a variable or comes out of it. */
static berth_status check_variable(const berth_node *node,
                                   const berth_operand *value, berth_diag *diag)
{
    const berth_operand *variable = &node->inputs[0];
    return variable->type == BERTH_RESOURCE && variable->bytes == value->bytes
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "no handle of a variable of this size");
}

static berth_status check_read(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, 1, 1, diag));
    return check_variable(node, &node->outputs[0], diag);
}

static berth_status run_read(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    const berth_operand *to = &node->outputs[0];
    (void)begin;
    (void)end;
    if (to->bytes != 0) {
        kernel_copy(to->data, node->inputs[0].data, (size_t)to->bytes);
    }
    return BERTH_OK;
}

static berth_status check_assign(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 2, 2, 0, diag));
    return check_variable(node, &node->inputs[1], diag);
}

static berth_status run_assign(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    const berth_operand *from = &node->inputs[1];
    (void)begin;
    (void)end;
    if (from->bytes != 0) {
        kernel_copy(node->inputs[0].data, from->data, (size_t)from->bytes);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_read_variable = {.check = check_read,
                                               .rows = run_read};
const berth_kernel kernel_ref_assign_variable = {.check = check_assign,
                                                 .rows = run_assign};

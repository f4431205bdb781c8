/* The scales of a sum of many. */
#include "kernels/chain.h"

berth_status kernel_chain_of(const berth_node *node, struct pair *pair,
                             berth_diag *diag)
{
    enum { LEFT = 20 };
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    const double twice = 2 * (double)kernel_scale(in, 0);
    const double real =
        twice / ((double)(1 << LEFT) * (double)kernel_scale(out, 0));
    BERTH_TRY(kernel_check_ratio(real, 0, diag));
    *pair = (struct pair){
        .zero = {kernel_zero_point(in)},
        .zero_out = kernel_zero_point(out),
        .left = LEFT,
        .by = {kernel_requant_of(0.5)},
        .by_out = kernel_requant_of(real),
        .to = kernel_clamp_of(out, KERNEL_ACTIVATION_NONE),
    };
    return BERTH_OK;
}

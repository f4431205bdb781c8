/* Pools: operands, options and shapes. */
#include "kernels/pool.h"

static enum pool_kind pool_kind_of(const berth_node *node)
{
    if (node->op->code == BERTH_OP_MAX_POOL_2D) {
        return POOL_MAX;
    }
    return node->op->code == BERTH_OP_L2_POOL_2D ? POOL_L2 : POOL_AVERAGE;
}

static bool pool_has_image(const berth_operand *operand)
{
    return operand != NULL && operand->rank == 4 && operand->dims[0] >= 0 &&
           operand->dims[1] > 0 && operand->dims[2] > 0 &&
           operand->dims[3] >= 0;
}

static berth_status pool_type(const struct pool *p, berth_diag *diag)
{
    const uint8_t type = p->input->type;
    const bool integer =
        p->kind != POOL_L2 &&
        (type == BERTH_INT8 || type == BERTH_UINT8 || type == BERTH_INT16);
    return type == p->output->type && (type == BERTH_FLOAT32 || integer)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED, "a pool of this type");
}

/* A clamp of integers needs a scale only where there is an activation. */
static berth_status pool_clamps(const berth_node *node, struct pool *p,
                                berth_diag *diag)
{
    const int64_t activation = berth_option_int(
        node->op, BERTH_OPT_Pool2DOptions_fused_activation_function);
    BERTH_TRY(kernel_check_activation(activation, diag));
    p->floats = kernel_clamp_f32_of(activation);
    if (p->input->type == BERTH_FLOAT32) {
        return BERTH_OK;
    }
    if (activation != KERNEL_ACTIVATION_NONE) {
        BERTH_TRY(kernel_check_per_tensor(p->output, diag));
    }
    p->ints = kernel_clamp_of(p->output, activation);
    return BERTH_OK;
}

static berth_status pool_windows(const berth_node *node, struct pool *p,
                                 berth_diag *diag)
{
    const berth_operator *op = node->op;
    const int64_t padding =
        berth_option_int(op, BERTH_OPT_Pool2DOptions_padding);
    p->y = (struct window_axis){
        .in = p->input->dims[1],
        .size = berth_option_int(op, BERTH_OPT_Pool2DOptions_filter_height),
        .stride = berth_option_int(op, BERTH_OPT_Pool2DOptions_stride_h),
        .dilation = 1,
    };
    p->x = (struct window_axis){
        .in = p->input->dims[2],
        .size = berth_option_int(op, BERTH_OPT_Pool2DOptions_filter_width),
        .stride = berth_option_int(op, BERTH_OPT_Pool2DOptions_stride_w),
        .dilation = 1,
    };
    BERTH_TRY(kernel_window_fit(&p->y, padding, diag));
    return kernel_window_fit(&p->x, padding, diag);
}

berth_status kernel_pool_of(const berth_node *node, struct pool *p,
                            berth_diag *diag)
{
    p->input = kernel_input(node, 0);
    p->output = &node->outputs[0];
    p->kind = pool_kind_of(node);
    p->ints = (struct clamp){0, 0};
    if (node->output_count != 1 || !pool_has_image(p->input) ||
        !pool_has_image(p->output)) {
        return berth_refuse(diag, BERTH_BAD_MODEL, "a pool without an image");
    }
    p->channels = (size_t)p->input->dims[3];
    BERTH_TRY(pool_type(p, diag));
    BERTH_TRY(pool_clamps(node, p, diag));
    return pool_windows(node, p, diag);
}

berth_status kernel_check_pool(const berth_node *node, berth_diag *diag)
{
    struct pool p;
    BERTH_TRY(kernel_pool_of(node, &p, diag));
    const int32_t *in = p.input->dims;
    const int32_t *out = p.output->dims;
    if (out[0] != in[0] || out[1] != p.y.out || out[2] != p.x.out ||
        out[3] != in[3]) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "the output is not what the window makes");
    }
    BERTH_TRY(
        kernel_check_walk(p.input, (uint64_t)in[0] * (uint64_t)in[1], diag));
    return kernel_check_walk(p.output, (uint64_t)out[0] * (uint64_t)out[1],
                             diag);
}

/* PRELU: what is below 0 is multiplied by a slope, which may be repeated. */
#include "kernels/element.h"
#include "kernels/requant.h"
#include "kernels/rowwise.h"
#include "kernels/whole.h"

struct prelu_run {
    const struct whole *whole;
    const struct whole *slopes;
    int32_t zero;
    int32_t zero_slope;
    int32_t zero_out;
    struct requant by;    /* of what is not below 0 */
    struct requant below; /* of products with the slope */
    struct clamp to;
};

static berth_status prelu_scales(const berth_node *node, struct prelu_run *run,
                                 berth_diag *diag)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *slope = &node->inputs[1];
    const berth_operand *out = &node->outputs[0];
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(slope, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    const float by = kernel_scale(in, 0) / kernel_scale(out, 0);
    const float below =
        kernel_scale(in, 0) * kernel_scale(slope, 0) / kernel_scale(out, 0);
    BERTH_TRY(kernel_check_ratio((double)by, 30, diag));
    BERTH_TRY(kernel_check_ratio((double)below, 30, diag));
    *run = (struct prelu_run){
        .whole = kernel_whole_of(in->type),
        .slopes = kernel_whole_of(slope->type),
        .zero = kernel_zero_point(in),
        .zero_slope = kernel_zero_point(slope),
        .zero_out = kernel_zero_point(out),
        .by = kernel_requant_of((double)by),
        .below = kernel_requant_of((double)below),
        .to = kernel_clamp_of(out, KERNEL_ACTIVATION_NONE),
    };
    return BERTH_OK;
}

/* 16-bit inputs have slopes of 8 bits. */
static berth_status check_prelu(const berth_node *node, berth_diag *diag)
{
    const uint32_t types =
        TYPES(FLOAT32) | TYPES(INT8) | TYPES(UINT8) | TYPES(INT16);
    struct prelu_run run;
    BERTH_TRY(kernel_check_rowwise(node, 2, diag));
    const uint8_t type = node->inputs[0].type;
    const uint8_t slope = type == BERTH_INT16 ? BERTH_INT8 : type;
    if (!kernel_is_of(type, types) || node->outputs[0].type != type ||
        node->inputs[1].type != slope) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    return type == BERTH_FLOAT32 ? BERTH_OK : prelu_scales(node, &run, diag);
}

static berth_status prelu_f32(const struct rowwise *row, const void *param)
{
    (void)param;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        const float x = kernel_get_f32(a.at, i * a.step);
        const float slope = kernel_get_f32(b.at, i * b.step);
        element_put_f32(row->out, i, x >= 0 ? x : x * slope);
    }
    return BERTH_OK;
}

static berth_status prelu_quantized(const struct rowwise *row,
                                    const void *param)
{
    const struct prelu_run *run = param;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        const int32_t x =
            (int32_t)run->whole->get(a.at, i * a.step) - run->zero;
        const int32_t slope =
            (int32_t)run->slopes->get(b.at, i * b.step) - run->zero_slope;
        const int32_t value = x >= 0 ? requant_twice(x, run->by)
                                     : requant_twice(x * slope, run->below);
        run->whole->put(row->out, i,
                        requant_place(value, run->zero_out, run->to));
    }
    return BERTH_OK;
}

static berth_status run_prelu(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    struct prelu_run run;
    if (node->inputs[0].type == BERTH_FLOAT32) {
        return kernel_rowwise(node, begin, end, prelu_f32, NULL);
    }
    BERTH_TRY(prelu_scales(node, &run, NULL));
    return kernel_rowwise(node, begin, end, prelu_quantized, &run);
}

const berth_kernel kernel_ref_prelu = {
    .check = check_prelu,
    .rows = run_prelu,
};

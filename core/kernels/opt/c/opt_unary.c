/* Elementwise operators on one operand: floats in blocks, 8 bits through a
 * table of all bytes, LEAKY_RELU and RELU of 16 bits with their arithmetic
 * inlined. All else is the reference's. */
#include "base/real.h"
#include "kernels/curve.h"
#include "kernels/element.h"
#include "kernels/flat.h"
#include "kernels/opt/c/opt_bytes.h"
#include "kernels/opt/c/opt_curve.h"
#include "kernels/unary.h"

#include <string.h>

/* --- floats -----------------------------------------------------------------
 */

typedef void unary_block(float x[CURVE_BLOCK], float alpha);

#define UNARY_BLOCK(name, value)                                               \
    static void name(float x[CURVE_BLOCK], float alpha)                        \
    {                                                                          \
        (void)alpha;                                                           \
        for (int l = 0; l < CURVE_BLOCK; ++l) {                                \
            const float v = x[l];                                              \
            x[l] = (value);                                                    \
        }                                                                      \
    }
#define RELU_6(v) ((v) > 6 ? 6 : (v) < 0 ? 0 : (v))
UNARY_BLOCK(block_relu, v < 0 ? 0 : v)
UNARY_BLOCK(block_relu6, RELU_6(v))
UNARY_BLOCK(block_relu_n1_to_1, v > 1 ? 1 : v < -1 ? -1 : v)
UNARY_BLOCK(block_relu_0_to_1, v > 1 ? 1 : v < 0 ? 0 : v)
UNARY_BLOCK(block_abs, (float)real_abs((double)v))
UNARY_BLOCK(block_square, v *v)
UNARY_BLOCK(block_leaky, v > 0 ? v : v * alpha)
UNARY_BLOCK(block_hard_swish, v *RELU_6(v + 3) / 6)
#undef RELU_6
#undef UNARY_BLOCK

static void block_logistic(float x[CURVE_BLOCK], float alpha)
{
    (void)alpha;
    kernel_opt_logistic(x);
}

static void block_tanh_f32(float x[CURVE_BLOCK], float alpha)
{
    (void)alpha;
    kernel_opt_tanh(x);
}

static void block_exp_f32(float x[CURVE_BLOCK], float alpha)
{
    (void)alpha;
    kernel_opt_exp(x);
}

static void block_elu(float x[CURVE_BLOCK], float alpha)
{
    (void)alpha;
    kernel_opt_elu(x);
}

struct unary_fast {
    uint16_t code;
    unary_block *f32;
    bool bytes; /* 8 bits through a table, unless the reference has one */
};

static const struct unary_fast unary_fasts[] = {
    {BERTH_OP_RELU, block_relu, true},
    {BERTH_OP_RELU6, block_relu6, true},
    {BERTH_OP_RELU_N1_TO_1, block_relu_n1_to_1, true},
    {BERTH_OP_RELU_0_TO_1, block_relu_0_to_1, true},
    {BERTH_OP_LEAKY_RELU, block_leaky, true},
    {BERTH_OP_HARD_SWISH, block_hard_swish, true},
    {BERTH_OP_LOGISTIC, block_logistic, false},
    {BERTH_OP_TANH, block_tanh_f32, false},
    {BERTH_OP_EXP, block_exp_f32, false},
    {BERTH_OP_ELU, block_elu, false},
    {BERTH_OP_ABS, block_abs, false},
    {BERTH_OP_SQUARE, block_square, false},
};

struct float_run {
    unary_block *block;
    float alpha;
};

static void map_floats(const struct flat_run *run, const void *param)
{
    const struct float_run *r = param;
    float x[CURVE_BLOCK] = {0};
    size_t i = 0;
    for (; i + CURVE_BLOCK <= run->count; i += CURVE_BLOCK) {
        __builtin_memcpy(x, run->in + i * sizeof(*x), sizeof(x));
        r->block(x, r->alpha);
        __builtin_memcpy(run->out + i * sizeof(*x), x, sizeof(x));
    }
    const size_t rest = (run->count - i) * sizeof(*x);
    if (rest > 0) {
        memcpy(x, run->in + i * sizeof(*x), rest);
        r->block(x, r->alpha);
        memcpy(run->out + i * sizeof(*x), x, rest);
    }
}

/* --- 16 bits ----------------------------------------------------------------
 */

static void leaky_16(const struct flat_run *run, const void *param)
{
    const struct unary u = *(const struct unary *)param;
    for (size_t i = 0; i < run->count; ++i) {
        element_put_i16(run->out, i, unary_leaky(&u, element_i16(run->in, i)));
    }
}

static void relu_16(const struct flat_run *run, const void *param)
{
    const struct unary u = *(const struct unary *)param;
    for (size_t i = 0; i < run->count; ++i) {
        element_put_i16(run->out, i, unary_relu(&u, element_i16(run->in, i)));
    }
}

static berth_status run_16(const berth_node *node, uint32_t begin, uint32_t end)
{
    const uint32_t code = node->op->code;
    struct unary unary;
    if (code == BERTH_OP_LEAKY_RELU) {
        BERTH_TRY(kernel_unary_leaky(node, &unary, NULL));
        kernel_flat(node, begin, end, leaky_16, &unary);
        return BERTH_OK;
    }
    if (code == BERTH_OP_RELU || code == BERTH_OP_RELU6) {
        BERTH_TRY(kernel_unary_relu(node, &unary, NULL));
        kernel_flat(node, begin, end, relu_16, &unary);
        return BERTH_OK;
    }
    return kernel_ref_unary.rows(node, begin, end);
}

/* --- the kernel -------------------------------------------------------------
 */

static berth_status check_fast_unary(const berth_node *node, berth_diag *diag)
{
    return kernel_ref_unary.check(node, diag);
}

static berth_status begin_fast_unary(const berth_node *node)
{
    return kernel_ref_unary.begin(node);
}

static berth_status run_fast_unary(const berth_node *node, uint32_t begin,
                                   uint32_t end)
{
    const uint8_t type = node->inputs[0].type;
    const struct unary_fast *op = unary_fasts;
    while (op->code != node->op->code) {
        ++op;
    }
    if (type == BERTH_FLOAT32) {
        const struct float_run run = {op->f32, kernel_curve_alpha(node->op)};
        kernel_flat(node, begin, end, map_floats, &run);
        return BERTH_OK;
    }
    if (type == BERTH_INT16) {
        return run_16(node, begin, end);
    }
    return op->bytes && kernel_opt_bytes_pay(node, begin, end)
               ? kernel_opt_bytes(node, begin, end, kernel_ref_unary.rows)
               : kernel_ref_unary.rows(node, begin, end);
}

const berth_kernel kernel_opt_unary = {
    .check = check_fast_unary,
    .begin = begin_fast_unary,
    .rows = run_fast_unary,
};

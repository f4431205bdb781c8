/* Elementwise operators on one operand: a function for floats, for whole
 * numbers and for quantized ones, or a table of the first, in a row each. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/flat.h"
#include "kernels/rowwise.h"
#include "kernels/table.h"
#include "kernels/unary.h"
#include "kernels/whole.h"

/* --- whole numbers ----------------------------------------------------------
 */

static int64_t neg_whole(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static int64_t abs_whole(int64_t x)
{
    return x < 0 ? neg_whole(x) : x;
}

static int64_t sign_whole(int64_t x)
{
    return (x > 0) - (x < 0);
}

static int64_t not_whole(int64_t x)
{
    return x == 0;
}

/* --- the table --------------------------------------------------------------
 */

enum unary_way {
    WAY_NONE, /* not a type of the operator */
    WAY_FLOAT,
    WAY_DOUBLE,
    WAY_WHOLE,
    WAY_QUANTIZED,
    WAY_TABLE_8,
    WAY_TABLE_16
};

struct unary_op {
    uint16_t code;
    uint32_t table_types;
    int64_t (*whole)(int64_t);
    uint32_t whole_types;
    int32_t (*quantized)(const struct unary *, int32_t);
    unary_prepare *prepare;
    uint32_t quantized_types;
    bool positive; /* quantized values are at least the zero point */
};

#define Q8  (TYPES(INT8) | TYPES(UINT8))
#define Q16 TYPES(INT16)

static const struct unary_op unary_ops[] = {
    {.code = BERTH_OP_EXP, .table_types = TYPES(INT8) | Q16},
    {.code = BERTH_OP_LOG, .table_types = TYPES(INT8) | Q16},
    {.code = BERTH_OP_SQRT,
     .quantized = kernel_unary_sqrt_at,
     .prepare = kernel_unary_scales,
     .quantized_types = TYPES(INT8) | Q16,
     .positive = true},
    {.code = BERTH_OP_RSQRT,
     .table_types = Q16,
     .quantized = kernel_unary_rsqrt_at,
     .prepare = kernel_unary_inverse_root,
     .quantized_types = TYPES(INT8),
     .positive = true},
    {.code = BERTH_OP_SIN},
    {.code = BERTH_OP_COS},
    {.code = BERTH_OP_ABS,
     .whole = abs_whole,
     .whole_types = Q16 | TYPES(INT32),
     .quantized = unary_abs,
     .prepare = kernel_unary_rescale,
     .quantized_types = TYPES(INT8) | Q16},
    {.code = BERTH_OP_NEG,
     .whole = neg_whole,
     .whole_types = TYPES(INT8) | Q16 | TYPES(INT32) | TYPES(INT64)},
    {.code = BERTH_OP_SQUARE},
    {.code = BERTH_OP_FLOOR},
    {.code = BERTH_OP_CEIL},
    {.code = BERTH_OP_ROUND},
    {.code = BERTH_OP_SIGN, .whole = sign_whole, .whole_types = TYPES(INT32)},
    {.code = BERTH_OP_LOGICAL_NOT,
     .whole = not_whole,
     .whole_types = TYPES(BOOL)},
    {.code = BERTH_OP_RELU,
     .quantized = unary_relu,
     .prepare = kernel_unary_relu,
     .quantized_types = Q8 | Q16},
    {.code = BERTH_OP_RELU6,
     .quantized = unary_relu,
     .prepare = kernel_unary_relu,
     .quantized_types = Q8 | Q16},
    {.code = BERTH_OP_RELU_N1_TO_1,
     .quantized = unary_relu,
     .prepare = kernel_unary_relu,
     .quantized_types = Q8},
    {.code = BERTH_OP_RELU_0_TO_1,
     .quantized = unary_relu,
     .prepare = kernel_unary_relu,
     .quantized_types = Q8},
    {.code = BERTH_OP_LEAKY_RELU,
     .quantized = unary_leaky,
     .prepare = kernel_unary_leaky,
     .quantized_types = Q8 | Q16},
    {.code = BERTH_OP_ELU, .table_types = TYPES(INT8)},
    {.code = BERTH_OP_GELU, .table_types = Q8},
    {.code = BERTH_OP_HARD_SWISH,
     .quantized = kernel_unary_hard_swish_at,
     .prepare = kernel_unary_hard_swish,
     .quantized_types = Q8},
    {.code = BERTH_OP_LOGISTIC,
     .table_types = Q8,
     .quantized = kernel_unary_logistic_at,
     .prepare = kernel_unary_curve16,
     .quantized_types = Q16},
    {.code = BERTH_OP_TANH,
     .table_types = Q8,
     .quantized = kernel_unary_tanh_at,
     .prepare = kernel_unary_curve16,
     .quantized_types = Q16},
};

static const struct unary_op *unary_op_of(const berth_node *node)
{
    const struct unary_op *op = unary_ops;
    while (op->code != node->op->code) {
        ++op;
    }
    return op;
}

/* 16-bit numbers without a scale are plain ones, where the operator has such.
 */
static enum unary_way way_of(const berth_node *node, const struct unary_op *op)
{
    const berth_operand *in = &node->inputs[0];
    const bool plain = in->quantization.scale_count == 0;
    if (in->type == BERTH_FLOAT32 && kernel_curve_f32(op->code) != NULL) {
        return WAY_FLOAT;
    }
    if (in->type == BERTH_FLOAT64 && op->code == BERTH_OP_SIGN) {
        return WAY_DOUBLE;
    }
    if (kernel_is_of(in->type, op->whole_types) &&
        (plain || !kernel_is_of(in->type, op->quantized_types))) {
        return WAY_WHOLE;
    }
    if (kernel_is_of(in->type, op->quantized_types) ||
        (op->code == BERTH_OP_RSQRT && in->type == BERTH_INT16 &&
         node->profile == BERTH_PROFILE_TFLM)) { /* which has no table */
        return WAY_QUANTIZED;
    }
    if (kernel_is_of(in->type, op->table_types)) {
        return in->type == BERTH_INT16 ? WAY_TABLE_16 : WAY_TABLE_8;
    }
    return WAY_NONE;
}

/* --- checks -----------------------------------------------------------------
 */

/* LOGISTIC of 8 bits takes its output for 256ths. */
static berth_status check_table(const berth_node *node, berth_diag *diag)
{
    const uint32_t need = node->inputs[0].type == BERTH_INT16
                              ? 2 * TABLE_16_COUNT
                              : TABLE_8_BYTES;
    struct unary unary;
    BERTH_TRY(kernel_unary_scales(node, &unary, diag));
    if (node->scratch_bytes < need) {
        return berth_refuse(diag, BERTH_INTERNAL, "no scratch for a table");
    }
    return node->op->code != BERTH_OP_LOGISTIC || unary.scale_out == 1.0f / 256
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "an output of 8 bits whose scale is not 1/256");
}

static berth_status check_unary(const berth_node *node, berth_diag *diag)
{
    const struct unary_op *op = unary_op_of(node);
    struct unary unary;
    BERTH_TRY(kernel_check_rowwise(node, 1, diag));
    BERTH_TRY(kernel_check_flat(node, diag)); /* nothing is repeated */
    if (node->inputs[0].type != node->outputs[0].type) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "operands of different types");
    }
    switch (way_of(node, op)) {
    case WAY_NONE:
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    case WAY_QUANTIZED:
        return op->prepare(node, &unary, diag);
    case WAY_TABLE_8:
    case WAY_TABLE_16:
        return check_table(node, diag);
    default:
        return BERTH_OK;
    }
}

/* --- phases -----------------------------------------------------------------
 */

/* What the table of 8 bits, or of 16, is made of. */
static berth_status table_of(const berth_node *node, struct table_8 *table)
{
    struct unary unary;
    BERTH_TRY(kernel_unary_scales(node, &unary, NULL));
    *table = (struct table_8){
        .in = {(double)unary.scale_in, unary.zero_in},
        .out = {(double)unary.scale_out, unary.zero_out},
        .is_signed = node->inputs[0].type != BERTH_UINT8,
        .function = kernel_curve_table(node->op->code),
        .curve = {
            .alpha = kernel_curve_alpha(node->op),
            .least = (float)(unary.to.low - unary.zero_out) * unary.scale_out,
            .most = INT16_MAX * unary.scale_out,
        }};
    return BERTH_OK;
}

/* Fewer elements than a table has are worked out one by one. */
static bool pays_table(const berth_node *node)
{
    return node->outputs[0].elements >= TABLE_8_BYTES;
}

static berth_status begin_unary(const berth_node *node)
{
    const enum unary_way way = way_of(node, unary_op_of(node));
    struct table_8 table;
    if (way != WAY_TABLE_16 && (way != WAY_TABLE_8 || !pays_table(node))) {
        return BERTH_OK;
    }
    BERTH_TRY(table_of(node, &table));
    if (way == WAY_TABLE_16) {
        kernel_table_16(node->scratch, table.in, table.out, table.function,
                        &table.curve);
    } else {
        kernel_table_8(&table, node->scratch);
    }
    return BERTH_OK;
}

struct unary_run {
    const struct unary_op *op;
    const struct whole *whole;
    const uint8_t *table;
    curve_function *f32;
    struct curve curve;
    struct unary unary;
};

static berth_status one_f32(const struct rowwise *row, const void *param)
{
    const struct unary_run *run = param;
    for (size_t i = 0; i < row->count; ++i) {
        element_put_f32(
            row->out, i,
            run->f32(&run->curve, kernel_get_f32(row->in[0].at, i)));
    }
    return BERTH_OK;
}

static berth_status one_f64(const struct rowwise *row, const void *param)
{
    (void)param;
    for (size_t i = 0; i < row->count; ++i) {
        const double x = real_of_bits((uint64_t)element_i64(row->in[0].at, i));
        const double sign = x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
        __builtin_memcpy(row->out + i * sizeof(sign), &sign, sizeof(sign));
    }
    return BERTH_OK;
}

static berth_status one_whole(const struct rowwise *row, const void *param)
{
    const struct unary_run *run = param;
    for (size_t i = 0; i < row->count; ++i) {
        run->whole->put(row->out, i,
                        run->op->whole(run->whole->get(row->in[0].at, i)));
    }
    return BERTH_OK;
}

static berth_status one_quantized(const struct rowwise *row, const void *param)
{
    const struct unary_run *run = param;
    for (size_t i = 0; i < row->count; ++i) {
        const int32_t q = (int32_t)run->whole->get(row->in[0].at, i);
        if (run->op->positive && q < run->unary.zero_in) {
            return BERTH_BAD_DATA;
        }
        run->whole->put(row->out, i, run->op->quantized(&run->unary, q));
    }
    return BERTH_OK;
}

static berth_status one_table_8(const struct rowwise *row, const void *param)
{
    const struct unary_run *run = param;
    for (size_t i = 0; i < row->count; ++i) {
        row->out[i] = run->table[row->in[0].at[i]];
    }
    return BERTH_OK;
}

static berth_status one_once_8(const struct rowwise *row, const void *param)
{
    for (size_t i = 0; i < row->count; ++i) {
        row->out[i] = kernel_table_8_once(param, row->in[0].at[i]);
    }
    return BERTH_OK;
}

static berth_status one_table_16(const struct rowwise *row, const void *param)
{
    const struct unary_run *run = param;
    for (size_t i = 0; i < row->count; ++i) {
        const int32_t q = element_i16(row->in[0].at, i);
        if (run->op->positive && q < 0) {
            return BERTH_BAD_DATA;
        }
        element_put_i16(row->out, i, kernel_table_16_at(run->table, q));
    }
    return BERTH_OK;
}

static berth_status run_unary(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    static rowwise_fn *const ways[] = {
        [WAY_FLOAT] = one_f32,       [WAY_DOUBLE] = one_f64,
        [WAY_WHOLE] = one_whole,     [WAY_QUANTIZED] = one_quantized,
        [WAY_TABLE_8] = one_table_8, [WAY_TABLE_16] = one_table_16,
    };
    struct unary_run run = {.op = unary_op_of(node), .table = node->scratch};
    const enum unary_way way = way_of(node, run.op);
    run.whole = kernel_whole_of(node->inputs[0].type);
    if (way == WAY_TABLE_8 && !pays_table(node)) {
        struct table_8 table;
        BERTH_TRY(table_of(node, &table));
        return kernel_rowwise(node, begin, end, one_once_8, &table);
    }
    if (way == WAY_QUANTIZED) {
        BERTH_TRY(run.op->prepare(node, &run.unary, NULL));
    }
    run.f32 = kernel_curve_f32(run.op->code);
    run.curve.alpha = kernel_curve_alpha(node->op);
    return kernel_rowwise(node, begin, end, ways[way], &run);
}

const berth_kernel kernel_ref_unary = {
    .check = check_unary,
    .begin = begin_unary,
    .rows = run_unary,
    .data_error = "a root of a negative number",
};

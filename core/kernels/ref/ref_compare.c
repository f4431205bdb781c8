/* Comparisons and logic of two operands; the output is bool. Quantized operands
 * are each brought to real steps of 2^-8 first, as TensorFlow Lite does. */
#include "kernels/element.h"
#include "kernels/requant.h"
#include "kernels/rowwise.h"
#include "kernels/whole.h"

/* --- comparisons ------------------------------------------------------------
 */

static bool equal_f32(float a, float b)
{
    return a == b;
}

static bool not_equal_f32(float a, float b)
{
    return a != b;
}

static bool greater_f32(float a, float b)
{
    return a > b;
}

static bool greater_equal_f32(float a, float b)
{
    return a >= b;
}

static bool less_f32(float a, float b)
{
    return a < b;
}

static bool less_equal_f32(float a, float b)
{
    return a <= b;
}

static bool equal_whole(int64_t a, int64_t b)
{
    return a == b;
}

static bool not_equal_whole(int64_t a, int64_t b)
{
    return a != b;
}

static bool greater_whole(int64_t a, int64_t b)
{
    return a > b;
}

static bool greater_equal_whole(int64_t a, int64_t b)
{
    return a >= b;
}

static bool less_whole(int64_t a, int64_t b)
{
    return a < b;
}

static bool less_equal_whole(int64_t a, int64_t b)
{
    return a <= b;
}

static bool and_whole(int64_t a, int64_t b)
{
    return a != 0 && b != 0;
}

static bool or_whole(int64_t a, int64_t b)
{
    return a != 0 || b != 0;
}

/* --- the table --------------------------------------------------------------
 */

struct compare_op {
    uint16_t code;
    bool (*f32)(float, float); /* NULL: no floats */
    bool (*whole)(int64_t, int64_t);
    uint32_t whole_types;
    uint32_t quantized_types;
};

#define QUANTIZED (TYPES(INT8) | TYPES(UINT8) | TYPES(INT16))
/* 16-bit numbers are ordered as they lie, whatever their scales. */
#define ORDERED (TYPES(INT8) | TYPES(UINT8))
#define PLAIN   (TYPES(INT16) | TYPES(INT32) | TYPES(INT64))

static const struct compare_op compare_ops[] = {
    {BERTH_OP_EQUAL, equal_f32, equal_whole, PLAIN | TYPES(BOOL), QUANTIZED},
    {BERTH_OP_NOT_EQUAL, not_equal_f32, not_equal_whole, PLAIN | TYPES(BOOL),
     QUANTIZED},
    {BERTH_OP_GREATER, greater_f32, greater_whole, PLAIN, ORDERED},
    {BERTH_OP_GREATER_EQUAL, greater_equal_f32, greater_equal_whole, PLAIN,
     ORDERED},
    {BERTH_OP_LESS, less_f32, less_whole, PLAIN, ORDERED},
    {BERTH_OP_LESS_EQUAL, less_equal_f32, less_equal_whole, PLAIN, ORDERED},
    {BERTH_OP_LOGICAL_AND, NULL, and_whole, TYPES(BOOL), 0},
    {BERTH_OP_LOGICAL_OR, NULL, or_whole, TYPES(BOOL), 0},
};

static const struct compare_op *compare_op_of(const berth_node *node)
{
    const struct compare_op *op = compare_ops;
    while (op->code != node->op->code) {
        ++op;
    }
    return op;
}

static bool compares_quantized(const berth_node *node,
                               const struct compare_op *op)
{
    const berth_operand *in = &node->inputs[0];
    return kernel_is_of(in->type, op->quantized_types) &&
           (in->quantization.scale_count != 0 ||
            !kernel_is_of(in->type, op->whole_types));
}

static berth_status check_scaled(const berth_operand *in, berth_diag *diag)
{
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    return kernel_check_ratio((double)kernel_scale(in, 0), 30, diag);
}

static berth_status check_compare(const berth_node *node, berth_diag *diag)
{
    const struct compare_op *op = compare_op_of(node);
    const uint8_t type =
        node->input_count == 0 ? BERTH_TYPE_COUNT : node->inputs[0].type;
    BERTH_TRY(kernel_check_rowwise(node, 2, diag));
    if (node->inputs[1].type != type || node->outputs[0].type != BERTH_BOOL ||
        !(kernel_is_of(type, op->whole_types | op->quantized_types) ||
          (type == BERTH_FLOAT32 && op->f32 != NULL))) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    if (compares_quantized(node, op)) {
        BERTH_TRY(check_scaled(&node->inputs[0], diag));
        BERTH_TRY(check_scaled(&node->inputs[1], diag));
    }
    return BERTH_OK;
}

/* --- rows -------------------------------------------------------------------
 */

struct compare_run {
    const struct compare_op *op;
    const struct whole *whole;
    int32_t zero[2];
    struct requant by[2];
};

static berth_status compare_f32(const struct rowwise *row, const void *param)
{
    const struct compare_run *run = param;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        row->out[i] = run->op->f32(kernel_get_f32(a.at, i * a.step),
                                   kernel_get_f32(b.at, i * b.step));
    }
    return BERTH_OK;
}

static berth_status compare_whole(const struct rowwise *row, const void *param)
{
    const struct compare_run *run = param;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        row->out[i] = run->op->whole(run->whole->get(a.at, i * a.step),
                                     run->whole->get(b.at, i * b.step));
    }
    return BERTH_OK;
}

static int32_t steps_of(const struct compare_run *run, uint32_t k, int64_t q)
{
    enum { BITS = 8 };
    return requant_twice(((int32_t)q - run->zero[k]) * (1 << BITS), run->by[k]);
}

static berth_status compare_quantized(const struct rowwise *row,
                                      const void *param)
{
    const struct compare_run *run = param;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        row->out[i] =
            run->op->whole(steps_of(run, 0, run->whole->get(a.at, i * a.step)),
                           steps_of(run, 1, run->whole->get(b.at, i * b.step)));
    }
    return BERTH_OK;
}

static berth_status run_compare(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    struct compare_run run = {.op = compare_op_of(node)};
    run.whole = kernel_whole_of(node->inputs[0].type);
    if (node->inputs[0].type == BERTH_FLOAT32) {
        return kernel_rowwise(node, begin, end, compare_f32, &run);
    }
    if (!compares_quantized(node, run.op)) {
        return kernel_rowwise(node, begin, end, compare_whole, &run);
    }
    for (uint32_t k = 0; k < 2; ++k) {
        run.zero[k] = kernel_zero_point(&node->inputs[k]);
        run.by[k] =
            kernel_requant_of((double)kernel_scale(&node->inputs[k], 0));
    }
    return kernel_rowwise(node, begin, end, compare_quantized, &run);
}

const berth_kernel kernel_ref_compare = {
    .check = check_compare,
    .rows = run_compare,
};

/* Elementwise arithmetic of two operands: a function for floats, one for whole
 * numbers, one for quantized ones, in a row of a table; three loops. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/pair.h"
#include "kernels/rowwise.h"
#include "kernels/whole.h"

#include <string.h>

/* --- floats -----------------------------------------------------------------
 */

static float add_f32(float a, float b)
{
    return a + b;
}

static float sub_f32(float a, float b)
{
    return a - b;
}

static float mul_f32(float a, float b)
{
    return a * b;
}

static float div_f32(float a, float b)
{
    return a / b;
}

static float max_f32(float a, float b)
{
    return a > b ? a : b;
}

static float min_f32(float a, float b)
{
    return a < b ? a : b;
}

static float square_f32(float a, float b)
{
    return (a - b) * (a - b);
}

static float pow_f32(float a, float b)
{
    return (float)real_pow(a, b);
}

static float floor_div_f32(float a, float b)
{
    return (float)real_floor((double)a / (double)b);
}

static float floor_mod_f32(float a, float b)
{
    const float rest = (float)real_fmod((double)a, (double)b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

/* --- whole numbers: what does not fit the type is cut off -------------------
 */

static int64_t add_whole(int64_t a, int64_t b)
{
    return wrap_add_64(a, b);
}

static int64_t sub_whole(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t mul_whole(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t div_whole(int64_t a, int64_t b)
{
    return b == -1 ? sub_whole(0, a) : a / b;
}

static int64_t max_whole(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min_whole(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t square_whole(int64_t a, int64_t b)
{
    return mul_whole(sub_whole(a, b), sub_whole(a, b));
}

static int64_t floor_mod_whole(int64_t a, int64_t b)
{
    const int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

static int64_t floor_div_whole(int64_t a, int64_t b)
{
    return div_whole(sub_whole(a, floor_mod_whole(a, b)), b);
}

/* Of int32, b >= 0. The reference goes through double, whose conversion back
 * gives the least number where the power does not fit. */
static int64_t pow_whole(int64_t a, int64_t b)
{
    int64_t power = 1;
    const bool small = a >= -1 && a <= 1;
    for (int64_t n = small && b > 2 ? 2 + b % 2 : b; n > 0; --n) {
        power *= a;
        if (power > INT32_MAX || power < INT32_MIN) {
            return INT32_MIN;
        }
    }
    return power;
}

/* --- the table --------------------------------------------------------------
 */

struct pair_op {
    uint16_t code;
    uint16_t activation; /* berth_option; 0: no activation */
    float (*f32)(float, float);
    int64_t (*whole)(int64_t, int64_t);
    int32_t (*quantized)(const struct pair *, int32_t, int32_t);
    pair_prepare *prepare;
    uint32_t whole_types; /* as they lie, whatever their quantization */
    uint32_t quantized_types;
    int64_t least; /* of the second whole operand */
    bool divides;  /* the second may not be 0 */
};

#define SMALL (TYPES(INT8) | TYPES(UINT8) | TYPES(INT16))

static const struct pair_op pair_ops[] = {
    {BERTH_OP_ADD, BERTH_OPT_AddOptions_fused_activation_function, add_f32,
     add_whole, pair_plus, kernel_pair_sum,
     TYPES(INT16) | TYPES(INT32) | TYPES(INT64), SMALL, INT64_MIN, false},
    {BERTH_OP_SUB, BERTH_OPT_SubOptions_fused_activation_function, sub_f32,
     sub_whole, pair_minus, kernel_pair_sum, TYPES(INT32) | TYPES(INT64), SMALL,
     INT64_MIN, false},
    {BERTH_OP_MUL, BERTH_OPT_MulOptions_fused_activation_function, mul_f32,
     mul_whole, pair_times, kernel_pair_product,
     TYPES(INT16) | TYPES(INT32) | TYPES(UINT32) | TYPES(INT64), SMALL,
     INT64_MIN, false},
    {BERTH_OP_DIV, BERTH_OPT_DivOptions_fused_activation_function, div_f32,
     div_whole, kernel_pair_div, kernel_pair_quotient, TYPES(INT32), SMALL,
     INT64_MIN, true},
    {BERTH_OP_SQUARED_DIFFERENCE, 0, square_f32, square_whole, pair_square,
     kernel_pair_square, TYPES(INT32), TYPES(INT8), INT64_MIN, false},
    {BERTH_OP_MAXIMUM, 0, max_f32, max_whole, NULL, NULL,
     SMALL | TYPES(INT32) | TYPES(INT64), 0, INT64_MIN, false},
    {BERTH_OP_MINIMUM, 0, min_f32, min_whole, NULL, NULL,
     SMALL | TYPES(INT32) | TYPES(INT64), 0, INT64_MIN, false},
    {BERTH_OP_POW, 0, pow_f32, pow_whole, NULL, NULL, TYPES(INT32), 0, 0,
     false},
    {BERTH_OP_FLOOR_DIV, 0, floor_div_f32, floor_div_whole, NULL, NULL,
     TYPES(INT8) | TYPES(INT16) | TYPES(INT32), 0, INT64_MIN, true},
    {BERTH_OP_FLOOR_MOD, 0, floor_mod_f32, floor_mod_whole, NULL, NULL,
     TYPES(INT8) | TYPES(INT16) | TYPES(INT32) | TYPES(INT64), 0, INT64_MIN,
     true},
};

static const struct pair_op *pair_op_of(const berth_node *node)
{
    const struct pair_op *op = pair_ops;
    while (op->code != node->op->code) {
        ++op;
    }
    return op;
}

static int64_t activation_of(const berth_node *node, const struct pair_op *op)
{
    return op->activation == 0
               ? KERNEL_ACTIVATION_NONE
               : berth_option_int(node->op, (berth_option)op->activation);
}

/* 16-bit numbers without a scale are plain ones, where the operator has such.
 */
static bool is_quantized_pair(const berth_node *node, const struct pair_op *op)
{
    const berth_operand *out = &node->outputs[0];
    const bool plain = out->type == BERTH_INT16 &&
                       out->quantization.scale_count == 0 &&
                       kernel_is_of(BERTH_INT16, op->whole_types);
    return kernel_is_of(out->type, op->quantized_types) && !plain;
}

/* --- checks -----------------------------------------------------------------
 */

static berth_status check_pair_types(const berth_node *node,
                                     const struct pair_op *op, berth_diag *diag)
{
    const uint8_t type = node->outputs[0].type;
    const uint32_t types = op->whole_types | op->quantized_types |
                           TYPES(FLOAT32) |
                           (op->code == BERTH_OP_MUL ? TYPES(COMPLEX64) : 0u);
    if (node->inputs[0].type != node->inputs[1].type ||
        node->inputs[0].type != type) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "operands of different types");
    }
    return kernel_is_of(type, types)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "an element type that the operator has not");
}

static berth_status check_arithmetic(const berth_node *node, berth_diag *diag)
{
    const struct pair_op *op = pair_op_of(node);
    const int64_t activation = activation_of(node, op);
    struct pair pair;
    BERTH_TRY(kernel_check_rowwise(node, 2, diag));
    BERTH_TRY(check_pair_types(node, op, diag));
    BERTH_TRY(kernel_check_activation(activation, diag));
    return is_quantized_pair(node, op)
               ? op->prepare(node, activation, &pair, diag)
               : BERTH_OK;
}

/* --- rows -------------------------------------------------------------------
 */

struct pair_run {
    const struct pair_op *op;
    const struct whole *whole;
    struct pair pair;
    struct clamp_f32 clamp;
    int64_t low; /* of whole results; low > high: no clamp */
    int64_t high;
};

static berth_status row_f32(const struct rowwise *row, const void *param)
{
    const struct pair_run *run = param;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        const float value = run->op->f32(kernel_get_f32(a.at, i * a.step),
                                         kernel_get_f32(b.at, i * b.step));
        element_put_f32(
            row->out, i,
            run->op->activation == 0 ? value : clamp_f32(value, run->clamp));
    }
    return BERTH_OK;
}

static berth_status row_whole(const struct rowwise *row, const void *param)
{
    const struct pair_run *run = param;
    const struct whole *whole = run->whole;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        const int64_t second = whole->get(b.at, i * b.step);
        if (second < run->op->least || (run->op->divides && second == 0)) {
            return BERTH_BAD_DATA;
        }
        whole->put(row->out, i,
                   run->op->whole(whole->get(a.at, i * a.step), second));
        const int64_t value = whole->get(row->out, i);
        if (value < run->low || value > run->high) {
            whole->put(row->out, i, value < run->low ? run->low : run->high);
        }
    }
    return BERTH_OK;
}

static berth_status row_quantized(const struct rowwise *row, const void *param)
{
    const struct pair_run *run = param;
    const struct whole *whole = run->whole;
    const struct lane a = row->in[0];
    const struct lane b = row->in[1];
    for (size_t i = 0; i < row->count; ++i) {
        const int32_t second = (int32_t)whole->get(b.at, i * b.step);
        if (run->op->divides && second == run->pair.zero[1]) {
            return BERTH_BAD_DATA;
        }
        whole->put(row->out, i,
                   run->op->quantized(&run->pair,
                                      (int32_t)whole->get(a.at, i * a.step),
                                      second));
    }
    return BERTH_OK;
}

/* 16-bit ADD and SUB of power-of-two scales: one operand is shifted. */
static berth_status row_shifted(const struct rowwise *row, const void *param)
{
    const struct pair_run *run = param;
    const struct pair *p = &run->pair;
    const int32_t sign = run->op->code == BERTH_OP_ADD ? 1 : -1;
    for (size_t i = 0; i < row->count; ++i) {
        const int32_t a = element_i16(row->in[0].at, i * row->in[0].step);
        const int32_t b = element_i16(row->in[1].at, i * row->in[1].step);
        const int32_t sum = requant_shift_right(a, -p->by[0].shift) +
                            sign * requant_shift_right(b, -p->by[1].shift);
        element_put_i16(row->out, i, requant_place(sum, 0, p->to));
    }
    return BERTH_OK;
}

static berth_status row_complex(const struct rowwise *row, const void *param)
{
    (void)param;
    for (size_t i = 0; i < row->count; ++i) {
        const size_t k = 2 * i * row->in[0].step;
        const size_t l = 2 * i * row->in[1].step;
        const float a = kernel_get_f32(row->in[0].at, k);
        const float ai = kernel_get_f32(row->in[0].at, k + 1);
        const float b = kernel_get_f32(row->in[1].at, l);
        const float bi = kernel_get_f32(row->in[1].at, l + 1);
        element_put_f32(row->out, 2 * i, a * b - ai * bi);
        element_put_f32(row->out, 2 * i + 1, a * bi + ai * b);
    }
    return BERTH_OK;
}

/* TFLM forgets the activation of an int32 ADD. */
static int64_t whole_activation(const berth_node *node,
                                const struct pair_op *op)
{
    const bool forgets = node->profile == BERTH_PROFILE_TFLM &&
                         op->code == BERTH_OP_ADD &&
                         node->outputs[0].type == BERTH_INT32;
    return forgets ? KERNEL_ACTIVATION_NONE : activation_of(node, op);
}

static void set_whole_clamp(const berth_node *node, struct pair_run *run)
{
    const struct clamp_f32 to =
        kernel_clamp_f32_of(whole_activation(node, run->op));
    run->low = to.low > -FLT_MAX ? (int64_t)to.low : INT64_MIN;
    run->high = to.high < FLT_MAX ? (int64_t)to.high : INT64_MAX;
}

static berth_status run_arithmetic(const berth_node *node, uint32_t begin,
                                   uint32_t end)
{
    struct pair_run run = {.op = pair_op_of(node)};
    const uint8_t type = node->outputs[0].type;
    const int64_t activation = activation_of(node, run.op);
    run.whole = kernel_whole_of(type);
    run.clamp = kernel_clamp_f32_of(activation);
    if (type == BERTH_FLOAT32) {
        return kernel_rowwise(node, begin, end, row_f32, &run);
    }
    if (type == BERTH_COMPLEX64) {
        return kernel_rowwise(node, begin, end, row_complex, &run);
    }
    if (!is_quantized_pair(node, run.op)) {
        set_whole_clamp(node, &run);
        return kernel_rowwise(node, begin, end, row_whole, &run);
    }
    BERTH_TRY(run.op->prepare(node, activation, &run.pair, NULL));
    return kernel_rowwise(node, begin, end,
                          run.pair.shifted ? row_shifted : row_quantized, &run);
}

const berth_kernel kernel_ref_pair = {
    .check = check_arithmetic,
    .rows = run_arithmetic,
    .data_error = "a divisor that is 0, or a negative power of an integer",
};

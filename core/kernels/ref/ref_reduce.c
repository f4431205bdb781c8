/* Reductions: every element of the output is made of its elements of the input
 * one after the other. */
#include "base/real.h"
#include "kernels/reduce.h"
#include "kernels/requant.h"
#include "kernels/whole.h"

/* --- steps ------------------------------------------------------------------
 */

static float sum_f32(float sum, float x)
{
    return sum + x;
}

static float product_f32(float product, float x)
{
    return product * x;
}

static float largest_f32(float largest, float x)
{
    return x > largest ? x : largest;
}

static float smallest_f32(float smallest, float x)
{
    return x < smallest ? x : smallest;
}

static int64_t product_whole(int64_t product, int64_t x)
{
    return (int64_t)((uint64_t)product * (uint64_t)x);
}

static int64_t largest_whole(int64_t largest, int64_t x)
{
    return x > largest ? x : largest;
}

static int64_t smallest_whole(int64_t smallest, int64_t x)
{
    return x < smallest ? x : smallest;
}

static int64_t any_whole(int64_t any, int64_t x)
{
    return any != 0 || x != 0;
}

static int64_t all_whole(int64_t all, int64_t x)
{
    return all != 0 && x != 0;
}

/* --- the table --------------------------------------------------------------
 */

enum reduce_start { START_ZERO, START_ONE, START_LOW, START_HIGH };

struct reduce_op {
    uint16_t code;
    uint8_t start; /* enum reduce_start */
    bool averages;
    float (*f32)(float, float); /* NULL: no floats */
    int64_t (*whole)(int64_t, int64_t);
    uint32_t whole_types;  /* as they lie, whatever their quantization */
    uint32_t scaled_types; /* from one scale to another */
};

#define SCALED (TYPES(INT8) | TYPES(UINT8) | TYPES(INT16))
#define WIDE   (TYPES(INT32) | TYPES(INT64))

static const struct reduce_op reduce_ops[] = {
    {BERTH_OP_MEAN, START_ZERO, true, sum_f32, wrap_add_64, WIDE, SCALED},
    {BERTH_OP_SUM, START_ZERO, false, sum_f32, wrap_add_64, WIDE, SCALED},
    {BERTH_OP_REDUCE_PROD, START_ONE, false, product_f32, product_whole,
     WIDE | TYPES(INT8) | TYPES(INT16), TYPES(INT8) | TYPES(INT16)},
    {BERTH_OP_REDUCE_MAX, START_LOW, false, largest_f32, largest_whole,
     WIDE | SCALED, 0},
    {BERTH_OP_REDUCE_MIN, START_HIGH, false, smallest_f32, smallest_whole,
     WIDE | SCALED, 0},
    {BERTH_OP_REDUCE_ANY, START_ZERO, false, NULL, any_whole, TYPES(BOOL), 0},
    {BERTH_OP_REDUCE_ALL, START_ONE, false, NULL, all_whole, TYPES(BOOL), 0},
};

static const struct reduce_op *reduce_op_of(const berth_node *node)
{
    const struct reduce_op *op = reduce_ops;
    while (op->code != node->op->code) {
        ++op;
    }
    return op;
}

/* Numbers without a scale are plain ones, where the operator has such. */
static bool reduces_scaled(const berth_node *node, const struct reduce_op *op)
{
    const berth_operand *in = &node->inputs[0];
    return kernel_is_of(in->type, op->scaled_types) &&
           (in->quantization.scale_count != 0 ||
            !kernel_is_of(in->type, op->whole_types));
}

/* --- one output element -----------------------------------------------------
 */

struct reduce_run {
    const struct reduce_op *op;
    const struct whole *whole;
    struct reduce reduce;
    int32_t zero_in;
    int32_t zero_out;
    struct requant by;
    bool as_float; /* scaled sums in float */
    float scale;
};

static float start_f32(const struct reduce_op *op)
{
    static const float starts[] = {0, 1, -FLT_MAX, FLT_MAX};
    return starts[op->start];
}

static int64_t start_whole(const struct reduce_run *run)
{
    const int64_t starts[] = {0, 1, run->whole->low, run->whole->high};
    return starts[run->op->start];
}

/* Where all axes go, the reference begins with the first element instead, which
 * differs for NaN. */
static float reduce_f32(const struct reduce_run *run, const uint8_t *row,
                        uint64_t at)
{
    const struct reduce_axes *gone = &run->reduce.gone;
    const bool first = run->reduce.all && gone->count > 0;
    float value = first ? kernel_get_f32(row, (size_t)at) : start_f32(run->op);
    for (uint64_t i = first ? 1 : 0; i < gone->count; ++i) {
        const size_t from = (size_t)(at + kernel_reduce_at(gone, i));
        value = run->op->f32(value, kernel_get_f32(row, from));
    }
    return run->op->averages ? value / (float)gone->count : value;
}

static int64_t reduce_whole(const struct reduce_run *run, const uint8_t *row,
                            uint64_t at)
{
    const struct reduce_axes *gone = &run->reduce.gone;
    int64_t value = start_whole(run);
    for (uint64_t i = 0; i < gone->count; ++i) {
        value = run->op->whole(
            value,
            run->whole->get(row, (size_t)(at + kernel_reduce_at(gone, i))));
    }
    return run->op->averages && gone->count > 0 ? value / (int64_t)gone->count
                                                : value;
}

static int64_t place_scaled(const struct reduce_run *run, int64_t value)
{
    const int64_t placed = value + run->zero_out;
    const int64_t raised = placed < run->whole->low ? run->whole->low : placed;
    return raised > run->whole->high ? run->whole->high : raised;
}

/* LiteRT's own sum of 8 and 16 bits is in float. */
static int64_t sum_in_float(const struct reduce_run *run, int64_t sum)
{
    const float bias =
        (float)-run->zero_in * run->scale * (float)run->reduce.gone.count;
    const float steps = (float)sum * run->scale + bias;
    return place_scaled(run, requant_nearest((double)steps));
}

/* The average divides the multiplier, not the sum. */
static int64_t reduce_scaled(const struct reduce_run *run, const uint8_t *row,
                             uint64_t at)
{
    const struct reduce_axes *gone = &run->reduce.gone;
    const int64_t count = (int64_t)gone->count;
    int64_t sum = 0;
    for (uint64_t i = 0; i < gone->count; ++i) {
        sum += run->whole->get(row, (size_t)(at + kernel_reduce_at(gone, i)));
    }
    if (count == 0) {
        return 0; /* bits, not the zero point */
    }
    if (run->as_float) {
        return sum_in_float(run, (int32_t)sum);
    }
    struct requant by = run->by;
    if (run->op->averages) {
        int32_t shift = 0;
        while (shift < 32 && shift < 31 + by.shift && count >> (shift + 1)) {
            ++shift;
        }
        by.multiplier = (int32_t)(((int64_t)by.multiplier << shift) / count);
        by.shift -= shift;
    }
    const int32_t moved = (int32_t)(sum - (int64_t)run->zero_in * count);
    return place_scaled(run, requant_twice(moved, by));
}

/* Each factor is scaled, so that the product does not grow. */
static int64_t multiply_scaled(const struct reduce_run *run, const uint8_t *row,
                               uint64_t at)
{
    const struct reduce_axes *gone = &run->reduce.gone;
    int32_t product = 0;
    for (uint64_t i = 0; i < gone->count; ++i) {
        const size_t from = (size_t)(at + kernel_reduce_at(gone, i));
        const int32_t factor =
            (int32_t)run->whole->get(row, from) - run->zero_in;
        product =
            i == 0 ? factor : requant_wide((int64_t)product * factor, run->by);
    }
    return gone->count == 0 ? 0
                            : place_scaled(run, requant_wide(product, run->by));
}

/* --- checks -----------------------------------------------------------------
 */

/* The scale that a factor is multiplied by: the output's is spread over all. */
static double factor_scale(const berth_node *node, uint64_t count)
{
    const double in = (double)kernel_scale(&node->inputs[0], 0);
    const double out = (double)kernel_scale(&node->outputs[0], 0);
    return count == 0 ? in : in / real_exp(real_log(out) / (double)count);
}

static double sum_scale(const berth_node *node)
{
    return (double)kernel_scale(&node->inputs[0], 0) /
           (double)kernel_scale(&node->outputs[0], 0);
}

static berth_status check_reduced_scales(const berth_node *node,
                                         const struct reduce_op *op,
                                         berth_diag *diag)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    const uint64_t count =
        out->elements == 0 ? 0 : in->elements / out->elements;
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    if (in->type == BERTH_INT16 &&
        (kernel_zero_point(in) != 0 || kernel_zero_point(out) != 0)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a zero point of 16 bits that is not 0");
    }
    return op->start == START_ONE
               ? kernel_check_ratio(factor_scale(node, count), 7, diag)
               : kernel_check_ratio(sum_scale(node), 30, diag);
}

/* Operators that move elements as they lie want one scale. */
static berth_status check_same_scale(const berth_node *node, berth_diag *diag)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    if (in->quantization.scale_count == 0) {
        return BERTH_OK;
    }
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    return kernel_scale(in, 0) == kernel_scale(out, 0) &&
                   kernel_zero_point(in) == kernel_zero_point(out)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "an output of another scale than its input");
}

static berth_status check_reduction(const berth_node *node, berth_diag *diag)
{
    const struct reduce_op *op = reduce_op_of(node);
    BERTH_TRY(kernel_check_reduce(node, diag));
    const uint8_t type = node->inputs[0].type;
    if (type != node->outputs[0].type ||
        !(kernel_is_of(type, op->whole_types | op->scaled_types) ||
          (type == BERTH_FLOAT32 && op->f32 != NULL))) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    if (reduces_scaled(node, op)) {
        return check_reduced_scales(node, op, diag);
    }
    return kernel_is_of(type, SCALED) ? check_same_scale(node, diag) : BERTH_OK;
}

/* --- rows -------------------------------------------------------------------
 */

static void set_scales(const berth_node *node, struct reduce_run *run)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    run->zero_in = kernel_zero_point(in);
    run->zero_out = kernel_zero_point(out);
    run->scale = kernel_scale(in, 0) / kernel_scale(out, 0);
    run->as_float = run->op->code == BERTH_OP_SUM && in->type != BERTH_UINT8 &&
                    node->profile == BERTH_PROFILE_LITERT;
    run->by = kernel_requant_of(run->op->start == START_ONE
                                    ? factor_scale(node, run->reduce.gone.count)
                                    : sum_scale(node));
}

/* A way for each class of numbers. */
typedef int64_t reduce_element(const struct reduce_run *run, const uint8_t *row,
                               uint64_t at);

static void reduce_row(const struct reduce_run *run, reduce_element *element,
                       const uint8_t *in, uint8_t *out)
{
    for (uint64_t i = 0; i < run->reduce.kept.count; ++i) {
        const uint64_t at = kernel_reduce_at(&run->reduce.kept, i);
        if (element == NULL) {
            element_put_f32(out, (size_t)i, reduce_f32(run, in, at));
        } else {
            run->whole->put(out, (size_t)i, element(run, in, at));
        }
    }
}

static reduce_element *reduced_element(const berth_node *node,
                                       const struct reduce_op *op)
{
    if (node->inputs[0].type == BERTH_FLOAT32) {
        return NULL;
    }
    if (!reduces_scaled(node, op)) {
        return reduce_whole;
    }
    return op->start == START_ONE ? multiply_scaled : reduce_scaled;
}

static berth_status run_reduction(const berth_node *node, uint32_t begin,
                                  uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    struct reduce_run run = {.op = reduce_op_of(node)};
    reduce_element *element = reduced_element(node, run.op);
    if (kernel_reduce_plan(node, &run.reduce) != NULL) {
        return BERTH_BAD_DATA;
    }
    run.whole = kernel_whole_of(in->type);
    if (element != NULL && element != reduce_whole) {
        set_scales(node, &run);
    }
    for (uint32_t row = begin; row < end && out->elements != 0; ++row) {
        const uint8_t *from =
            in->elements == 0 ? in->data : berth_operand_row(in, row);
        reduce_row(&run, element, from, berth_operand_row(out, row));
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_reduce = {
    .check = check_reduction,
    .rows = run_reduction,
    .data_error = "axes that do not fit the operands",
};

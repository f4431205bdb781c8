/* SOFTMAX: a row is the last axis. All passes but the last read it whole; the
 * last reads an element and writes it. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/softmax.h"
#include "kernels/table.h"

/* --- floats -----------------------------------------------------------------
 */

static void softmax_f32(const struct flat_run *run, const void *param)
{
    const float beta = *(const float *)param;
    float largest = -FLT_MAX;
    float sum = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const float x = kernel_get_f32(run->in, i);
        largest = largest < x ? x : largest;
    }
    for (size_t i = 0; i < run->count; ++i) {
        const float x = kernel_get_f32(run->in, i) - largest;
        const float power = (float)real_exp((double)(x * beta));
        element_put_f32(run->out, i, power);
        sum += power;
    }
    for (size_t i = 0; i < run->count; ++i) {
        element_put_f32(run->out, i, kernel_get_f32(run->out, i) / sum);
    }
}

/* --- 8 bits -----------------------------------------------------------------
 */

struct softmax_run {
    struct softmax softmax;
    uint8_t out_type;
};

static void softmax_8(const struct flat_run *run, const void *param)
{
    const struct softmax_run *r = param;
    const struct softmax *s = &r->softmax;
    const int32_t low = r->out_type == BERTH_INT16  ? INT16_MIN
                        : r->out_type == BERTH_INT8 ? INT8_MIN
                                                    : 0;
    const int32_t bits = r->out_type == BERTH_INT16 ? 16 : 8;
    const int32_t high = low + (1 << bits) - 1;
    const int32_t largest = kernel_softmax_largest(s, run->in, run->count);
    const int32_t sum = kernel_softmax_sum(s, run->in, run->count, largest);
    int32_t over = 0;
    const int32_t scale = fixed_reciprocal(sum, 12, &over);
    const int32_t shift = over + 31 - bits;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t diff = softmax_q(s, run->in, i) - largest;
        int32_t value = low;
        if (diff >= s->least && shift <= 31) { /* beyond, all round to 0 */
            const int32_t power = fixed_exp(softmax_scaled(s, diff));
            value +=
                requant_shift_right(requant_high_half(scale, power), shift);
        }
        element_put(run->out, i, r->out_type, value < high ? value : high);
    }
}

/* --- 16 bits ----------------------------------------------------------------
 */

static double exponential(double x)
{
    return real_exp(x);
}

static double one_over_one_plus(double x)
{
    return 1 / (1 + x);
}

/* Of the table of exp() on [-10, 0]. */
static const struct table_side exp_in = {10.0 / 65535, INT16_MAX};
static const struct table_side unit_in = {1.0 / 65535, INT16_MIN};
static const struct table_side unit_out = {2.0 / 65535, 0};

struct softmax_16 {
    struct requant by; /* differences to the table's steps */
    const uint8_t *table;
};

static int32_t clamp_to_16(int32_t value)
{
    return value > INT16_MAX   ? INT16_MAX
           : value < INT16_MIN ? INT16_MIN
                               : value;
}

static void softmax_16_bits(const struct flat_run *run, const void *param)
{
    const struct softmax_16 *s = param;
    int32_t largest = INT16_MIN;
    int64_t total = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t q = element_i16(run->in, i);
        largest = q > largest ? q : largest;
    }
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t diff = element_i16(run->in, i) - largest;
        const int32_t at = wrap_add(requant_twice(diff, s->by), INT16_MAX);
        const int32_t power = kernel_table_16_at(s->table, clamp_to_16(at));
        element_put_i16(run->out, i, power);
        total += power;
    }
    const int32_t sum = total > INT32_MAX ? INT32_MAX : (int32_t)total;
    const int32_t zeros = fixed_leading_zeros((uint32_t)sum);
    const int32_t shifted =
        (int32_t)((((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14);
    const int32_t inverse =
        kernel_table_16_once(unit_in, unit_out, one_over_one_plus,
                             clamp_to_16(shifted - ((1 << 15) + (1 << 16))));
    const int32_t right = 31 - zeros;
    for (size_t i = 0; i < run->count; ++i) {
        const int64_t product = (int64_t)element_i16(run->out, i) * inverse;
        const int32_t value =
            (int32_t)((product + (INT64_C(1) << (right - 1))) >> right);
        element_put_i16(run->out, i, clamp_to_16(value < 0 ? 0 : value));
    }
}

/* --- the kernel -------------------------------------------------------------
 */

static float beta_of(const berth_node *node)
{
    return berth_option_float(node->op, BERTH_OPT_SoftmaxOptions_beta);
}

static double scale_16(const berth_node *node)
{
    return (double)(kernel_scale(&node->inputs[0], 0) * beta_of(node)) /
           (10.0 / 65535.0);
}

/* The output is in 2^bits parts of 1, to a thousandth of its scale. */
static berth_status check_unit_output(const berth_node *node, int32_t zero,
                                      float scale, berth_diag *diag)
{
    const berth_operand *out = &node->outputs[0];
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    const double off = (double)(kernel_scale(out, 0) - scale);
    return kernel_zero_point(out) == zero &&
                   real_abs(off) <= (double)(0.001f * scale)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "an output that does not hold [0, 1]");
}

static berth_status check_softmax_16(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(check_unit_output(node, 0, 1.0f / 32768, diag));
    if (kernel_zero_point(&node->inputs[0]) != 0) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a zero point of 16 bits that is not 0");
    }
    if (node->scratch_bytes < 2 * TABLE_16_COUNT) {
        return berth_refuse(diag, BERTH_INTERNAL, "no scratch for a table");
    }
    return kernel_check_ratio(scale_16(node), 15, diag);
}

static berth_status check_softmax(const berth_node *node, berth_diag *diag)
{
    struct softmax softmax;
    BERTH_TRY(kernel_check_flat_rows(node, diag));
    const berth_operand *in = &node->inputs[0];
    const uint8_t out = node->outputs[0].type;
    const float beta = beta_of(node);
    if (!real_is_finite((double)beta)) {
        return berth_refuse(diag, BERTH_BAD_MODEL, "a beta that is no number");
    }
    if (in->type == BERTH_FLOAT32 && out == BERTH_FLOAT32) {
        return BERTH_OK;
    }
    if (!((in->type == BERTH_INT16 && out == BERTH_INT16) ||
          ((in->type == BERTH_INT8 || in->type == BERTH_UINT8) &&
           (out == in->type || out == BERTH_INT16)))) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    if (in->type == BERTH_INT16) {
        return check_softmax_16(node, diag);
    }
    if (out == BERTH_INT8) {
        BERTH_TRY(check_unit_output(node, INT8_MIN, 1.0f / 256, diag));
    }
    return kernel_softmax_of((double)beta * (double)kernel_scale(in, 0),
                             in->type == BERTH_INT8, &softmax, diag);
}

static berth_status begin_softmax(const berth_node *node)
{
    if (node->inputs[0].type == BERTH_INT16) {
        kernel_table_16_of_double(node->scratch, exp_in, unit_out, exponential);
    }
    return BERTH_OK;
}

static berth_status run_softmax(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const float beta = beta_of(node);
    if (in->type == BERTH_FLOAT32) {
        kernel_flat_rows(node, begin, end, softmax_f32, &beta);
    } else if (in->type == BERTH_INT16) {
        const struct softmax_16 run = {kernel_requant_of(scale_16(node)),
                                       node->scratch};
        kernel_flat_rows(node, begin, end, softmax_16_bits, &run);
    } else {
        struct softmax_run run = {.out_type = node->outputs[0].type};
        BERTH_TRY(kernel_softmax_of((double)beta * (double)kernel_scale(in, 0),
                                    in->type == BERTH_INT8, &run.softmax,
                                    NULL));
        kernel_flat_rows(node, begin, end, softmax_8, &run);
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_softmax = {
    .check = check_softmax,
    .begin = begin_softmax,
    .rows = run_softmax,
};

/* SOFTMAX: floats by blocks of exp(); 8 bits with a table of the exponentials
 * of all differences, where there are enough elements to pay for it. All else
 * is the reference's. */
#include "kernels/element.h"
#include "kernels/opt/c/opt_curve.h"
#include "kernels/softmax.h"

#include <string.h>

/* --- floats -----------------------------------------------------------------
 */

static float row_largest(const struct flat_run *run)
{
    float largest = -FLT_MAX;
    for (size_t i = 0; i < run->count; ++i) {
        const float x = kernel_get_f32(run->in, i);
        largest = largest < x ? x : largest;
    }
    return largest;
}

/* The sum runs in the reference's order. */
static void softmax_floats(const struct flat_run *run, const void *param)
{
    const float beta = *(const float *)param;
    const float largest = row_largest(run);
    float sum = 0;
    for (size_t i = 0; i < run->count; i += CURVE_BLOCK) {
        const size_t left = run->count - i;
        const size_t count = left < CURVE_BLOCK ? left : CURVE_BLOCK;
        float x[CURVE_BLOCK] = {0};
        memcpy(x, run->in + i * sizeof(*x), count * sizeof(*x));
        for (int l = 0; l < CURVE_BLOCK; ++l) {
            x[l] = (x[l] - largest) * beta;
        }
        kernel_opt_exp(x);
        for (size_t l = 0; l < count; ++l) {
            sum += x[l];
        }
        memcpy(run->out + i * sizeof(*x), x, count * sizeof(*x));
    }
    for (size_t i = 0; i < run->count; ++i) {
        element_put_f32(run->out, i, kernel_get_f32(run->out, i) / sum);
    }
}

/* --- 8 bits -----------------------------------------------------------------
 */

enum { DIFFERENCES = 256 };

struct softmax_table {
    struct softmax softmax;
    int32_t powers[DIFFERENCES]; /* exp(-difference), 0 for the smallest ones */
};

static void fill_powers(struct softmax_table *t)
{
    for (int32_t i = 0; i < DIFFERENCES; ++i) {
        t->powers[i] = -i >= t->softmax.least
                           ? fixed_exp(softmax_scaled(&t->softmax, -i))
                           : 0;
    }
}

static int32_t table_sum(const struct softmax_table *t,
                         const struct flat_run *run, int32_t largest)
{
    int64_t sum = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t q = softmax_q(&t->softmax, run->in, i);
        sum += requant_shift_right(t->powers[largest - q], 12);
    }
    return sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
}

/* What has no power is worth 0 here as there. */
static void softmax_bytes(const struct flat_run *run, const void *param)
{
    const struct softmax_table *t = param;
    const int32_t low = t->softmax.is_signed ? INT8_MIN : 0;
    const int32_t largest =
        kernel_softmax_largest(&t->softmax, run->in, run->count);
    int32_t over = 0;
    const int32_t scale =
        fixed_reciprocal(table_sum(t, run, largest), 12, &over);
    const int32_t shift = over + 31 - 8;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t q = softmax_q(&t->softmax, run->in, i);
        const int32_t product =
            requant_high_half(scale, t->powers[largest - q]);
        const int32_t value =
            shift <= 31 ? requant_shift_right(product, shift) : 0;
        run->out[i] = (uint8_t)(low + (value < 255 ? value : 255));
    }
}

/* --- the kernel -------------------------------------------------------------
 */

static berth_status check_fast_softmax(const berth_node *node, berth_diag *diag)
{
    return kernel_ref_softmax.check(node, diag);
}

static berth_status begin_fast_softmax(const berth_node *node)
{
    return kernel_ref_softmax.begin(node);
}

static bool table_pays(const berth_node *node, uint32_t begin, uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const bool bytes = (in->type == BERTH_INT8 || in->type == BERTH_UINT8) &&
                       node->outputs[0].type == in->type;
    return bytes && in->elements / node->row_count * (end - begin) >=
                        (uint64_t)DIFFERENCES;
}

static berth_status run_table(const berth_node *node, uint32_t begin,
                              uint32_t end, float beta)
{
    const berth_operand *in = &node->inputs[0];
    struct softmax_table table;
    BERTH_TRY(kernel_softmax_of((double)beta * (double)kernel_scale(in, 0),
                                in->type == BERTH_INT8, &table.softmax, NULL));
    fill_powers(&table);
    kernel_flat_rows(node, begin, end, softmax_bytes, &table);
    return BERTH_OK;
}

static berth_status run_fast_softmax(const berth_node *node, uint32_t begin,
                                     uint32_t end)
{
    const float beta =
        berth_option_float(node->op, BERTH_OPT_SoftmaxOptions_beta);
    if (node->inputs[0].type == BERTH_FLOAT32) {
        kernel_flat_rows(node, begin, end, softmax_floats, &beta);
        return BERTH_OK;
    }
    return table_pays(node, begin, end)
               ? run_table(node, begin, end, beta)
               : kernel_ref_softmax.rows(node, begin, end);
}

const berth_kernel kernel_opt_softmax = {
    .check = check_fast_softmax,
    .begin = begin_fast_softmax,
    .rows = run_fast_softmax,
};

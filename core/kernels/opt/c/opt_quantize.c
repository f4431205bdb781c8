/* QUANTIZE and DEQUANTIZE with one scale for all: loops whose arithmetic is
 * inlined, and a table where bytes become bytes. All else is the reference's.
 */
#include "kernels/element.h"
#include "kernels/flat.h"
#include "kernels/opt/c/opt_bytes.h"
#include "kernels/requant.h"

#include <string.h>

enum { QUANT_BLOCK = 16 };

struct quant_run {
    float scale;
    int32_t zero_in;
    int32_t zero_out;
    struct requant by;
    struct clamp to;
};

/* --- QUANTIZE ---------------------------------------------------------------
 */

/* Halves away from zero. Beyond a million steps every type is at its end, and
 * NaN goes to the low one. */
static inline int32_t quant_step(float steps, const struct quant_run *q)
{
    const float raised = steps > -1e6f ? steps : -1e6f;
    const float inside = raised < 1e6f ? raised : 1e6f;
    const int32_t whole = (int32_t)inside;
    const float rest = inside - (float)whole;
    return requant_place(whole + (rest >= 0.5f) - (rest <= -0.5f), q->zero_out,
                         q->to);
}

static inline void quant_block(const uint8_t *from, size_t count,
                               const struct quant_run *q,
                               int32_t to[QUANT_BLOCK])
{
    float x[QUANT_BLOCK] = {0};
    memcpy(x, from, count * sizeof(*x));
    for (int l = 0; l < QUANT_BLOCK; ++l) {
        to[l] = quant_step(x[l] / q->scale, q);
    }
}

static inline size_t block_left(const struct flat_run *run, size_t i)
{
    return run->count - i < QUANT_BLOCK ? run->count - i : QUANT_BLOCK;
}

static void quantize_8(const struct flat_run *run, const void *param)
{
    const struct quant_run q = *(const struct quant_run *)param;
    for (size_t i = 0; i < run->count; i += QUANT_BLOCK) {
        const size_t count = block_left(run, i);
        int32_t steps[QUANT_BLOCK];
        uint8_t bytes[QUANT_BLOCK];
        quant_block(run->in + i * sizeof(float), count, &q, steps);
        for (int l = 0; l < QUANT_BLOCK; ++l) {
            bytes[l] = (uint8_t)steps[l];
        }
        memcpy(run->out + i, bytes, count);
    }
}

static void quantize_16(const struct flat_run *run, const void *param)
{
    const struct quant_run q = *(const struct quant_run *)param;
    for (size_t i = 0; i < run->count; i += QUANT_BLOCK) {
        const size_t count = block_left(run, i);
        int32_t steps[QUANT_BLOCK];
        int16_t shorts[QUANT_BLOCK];
        quant_block(run->in + i * sizeof(float), count, &q, steps);
        for (int l = 0; l < QUANT_BLOCK; ++l) {
            shorts[l] = (int16_t)steps[l];
        }
        memcpy(run->out + i * sizeof(*shorts), shorts, count * sizeof(*shorts));
    }
}

static void rescale_16(const struct flat_run *run, const void *param)
{
    const struct quant_run q = *(const struct quant_run *)param;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t value =
            requant_twice(element_i16(run->in, i) - q.zero_in, q.by);
        element_put_i16(run->out, i, requant_place(value, q.zero_out, q.to));
    }
}

static flat_fn *fast_quantize(uint8_t from, uint8_t to)
{
    if (from == BERTH_FLOAT32) {
        return to == BERTH_INT8 || to == BERTH_UINT8 ? quantize_8
               : to == BERTH_INT16                   ? quantize_16
                                                     : NULL;
    }
    return from == BERTH_INT16 && to == BERTH_INT16 ? rescale_16 : NULL;
}

static berth_status check_fast_quantize(const berth_node *node,
                                        berth_diag *diag)
{
    return kernel_ref_quantize.check(node, diag);
}

static berth_status run_fast_quantize(const berth_node *node, uint32_t begin,
                                      uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    flat_fn *fast = fast_quantize(in->type, out->type);
    if (in->type != BERTH_FLOAT32 && kernel_opt_bytes_pay(node, begin, end)) {
        return kernel_opt_bytes(node, begin, end, kernel_ref_quantize.rows);
    }
    if (fast == NULL || out->quantization.scale_count != 1) {
        return kernel_ref_quantize.rows(node, begin, end);
    }
    struct quant_run run = {
        .scale = kernel_scale(out, 0),
        .zero_out = kernel_zero_point(out),
        .to = kernel_clamp_of(out, KERNEL_ACTIVATION_NONE),
    };
    if (in->type == BERTH_INT16) {
        run.zero_in = kernel_zero_point(in);
        run.by = kernel_requant_of((double)kernel_scale(in, 0) /
                                   (double)kernel_scale(out, 0));
    }
    kernel_flat(node, begin, end, fast, &run);
    return BERTH_OK;
}

const berth_kernel kernel_opt_quantize = {
    .check = check_fast_quantize,
    .rows = run_fast_quantize,
};

/* --- DEQUANTIZE -------------------------------------------------------------
 */

#define DEQUANTIZE(name, get)                                                  \
    static void name(const struct flat_run *run, const void *param)            \
    {                                                                          \
        const struct quant_run q = *(const struct quant_run *)param;           \
        for (size_t i = 0; i < run->count; ++i) {                              \
            const int32_t steps = get(run->in, i) - q.zero_in;                 \
            element_put_f32(run->out, i, q.scale *(float)steps);               \
        }                                                                      \
    }
DEQUANTIZE(dequantize_i8, element_i8)
DEQUANTIZE(dequantize_u8, element_u8)
DEQUANTIZE(dequantize_i16, element_i16)
#undef DEQUANTIZE

static berth_status check_fast_dequantize(const berth_node *node,
                                          berth_diag *diag)
{
    return kernel_ref_dequantize.check(node, diag);
}

static berth_status run_fast_dequantize(const berth_node *node, uint32_t begin,
                                        uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    flat_fn *fast = in->type == BERTH_INT8    ? dequantize_i8
                    : in->type == BERTH_UINT8 ? dequantize_u8
                    : in->type == BERTH_INT16 ? dequantize_i16
                                              : NULL;
    if (fast == NULL || in->quantization.scale_count != 1) {
        return kernel_ref_dequantize.rows(node, begin, end);
    }
    const struct quant_run run = {.scale = kernel_scale(in, 0),
                                  .zero_in = kernel_zero_point(in)};
    kernel_flat(node, begin, end, fast, &run);
    return BERTH_OK;
}

const berth_kernel kernel_opt_dequantize = {
    .check = check_fast_dequantize,
    .rows = run_fast_dequantize,
};

/* QUANTIZE and DEQUANTIZE: between floats and scaled integers, and from one
 * scale to another. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/flat.h"
#include "kernels/requant.h"
#include "kernels/whole.h"

/* --- channels ---------------------------------------------------------------
 */

/* Which scale an element has. */
struct channels {
    const berth_operand *operand;
    uint64_t stride; /* elements from one channel to the next */
    uint64_t count;  /* 1: one for all */
};

static struct channels channels_of(const berth_operand *operand)
{
    const berth_quantization *q = &operand->quantization;
    struct channels c = {.operand = operand, .stride = 1, .count = 1};
    if (q->scale_count > 1) {
        c.count = q->scale_count;
        for (uint32_t i = (uint32_t)q->axis + 1; i < operand->rank; ++i) {
            c.stride *= (uint64_t)operand->dims[i];
        }
    }
    return c;
}

static uint32_t channel_at(const struct channels *c, uint64_t element)
{
    return c->count == 1 ? 0 : (uint32_t)(element / c->stride % c->count);
}

static int32_t zero_at(const struct channels *c, uint32_t channel)
{
    const berth_quantization *q = &c->operand->quantization;
    return q->zero_point_count > 1
               ? (int32_t)berth_quantization_zero_point(q, channel)
               : kernel_zero_point(c->operand);
}

static berth_status check_channels(const berth_operand *operand,
                                   berth_diag *diag)
{
    const berth_quantization *q = &operand->quantization;
    BERTH_TRY(kernel_check_quantized(operand, diag));
    if (q->scale_count == 1) {
        return BERTH_OK;
    }
    return q->axis >= 0 && (uint32_t)q->axis < operand->rank &&
                   (uint32_t)operand->dims[q->axis] == q->scale_count
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "not as many scales as channels");
}

/* --- packed integers --------------------------------------------------------
 */

static int64_t get_i4(const uint8_t *data, size_t i)
{
    return element_i4(data, i);
}

static int64_t get_u4(const uint8_t *data, size_t i)
{
    return (data[i / 2] >> (i % 2 * 4)) & 15;
}

static int64_t get_i2(const uint8_t *data, size_t i)
{
    const int64_t part = (data[i / 4] >> (i % 4 * 2)) & 3;
    return (part ^ 2) - 2;
}

/* Written in ascending order: the first of a byte clears the rest of it. */
static void put_half(uint8_t *data, size_t i, int64_t value)
{
    const uint8_t half = (uint8_t)((uint64_t)value & 15u);
    data[i / 2] =
        i % 2 == 0 ? half : (uint8_t)(data[i / 2] | (uint32_t)half << 4);
}

static const struct whole packed_i4 = {get_i4, put_half, -8, 7};
static const struct whole packed_u4 = {get_u4, put_half, 0, 15};
static const struct whole packed_i2 = {get_i2, NULL, -2, 1};

static const struct whole *integers_of(uint8_t type)
{
    return type == BERTH_INT4    ? &packed_i4
           : type == BERTH_UINT4 ? &packed_u4
           : type == BERTH_INT2  ? &packed_i2
                                 : kernel_whole_of(type);
}

/* --- QUANTIZE ---------------------------------------------------------------
 */

/* What may become what. */
static bool quantizes(uint8_t from, uint8_t to)
{
    const uint32_t of_float =
        TYPES(INT8) | TYPES(UINT8) | TYPES(INT16) | TYPES(INT4) | TYPES(UINT4);
    const uint32_t of_8 =
        TYPES(INT8) | TYPES(UINT8) | TYPES(INT16) | TYPES(INT32);
    const uint32_t of_16 = TYPES(INT8) | TYPES(INT16) | TYPES(INT32);
    const uint32_t of_32 = TYPES(INT8) | TYPES(INT16);
    return (from == BERTH_FLOAT32 && kernel_is_of(to, of_float)) ||
           (from == BERTH_INT8 && kernel_is_of(to, of_8)) ||
           (from == BERTH_UINT8 && kernel_is_of(to, of_8)) ||
           (from == BERTH_INT16 && kernel_is_of(to, of_16)) ||
           (from == BERTH_INT32 && kernel_is_of(to, of_32));
}

static double rescale_of(const berth_node *node)
{
    return (double)kernel_scale(&node->inputs[0], 0) /
           (double)kernel_scale(&node->outputs[0], 0);
}

static berth_status check_quantize(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_flat(node, diag));
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    if (!quantizes(in->type, out->type)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a conversion between these element types");
    }
    if (in->type == BERTH_FLOAT32) {
        return check_channels(out, diag);
    }
    BERTH_TRY(kernel_check_per_tensor(in, diag));
    BERTH_TRY(kernel_check_per_tensor(out, diag));
    return kernel_check_ratio(rescale_of(node), 30, diag);
}

struct quantize_run {
    struct channels channels; /* of the quantized side */
    const struct whole *from;
    const struct whole *to;
    int32_t zero_in;
    int32_t zero_out;
    struct requant by;
};

/* Halves away from zero; what the type does not hold saturates. */
static void quantize_floats(const struct flat_run *run, const void *param)
{
    const struct quantize_run *q = param;
    for (size_t i = 0; i < run->count; ++i) {
        const uint32_t channel = channel_at(&q->channels, run->first + i);
        const float steps = kernel_get_f32(run->in, i) /
                            kernel_scale(q->channels.operand, channel);
        const int64_t value = (int64_t)requant_nearest((double)steps) +
                              zero_at(&q->channels, channel);
        const int64_t raised = value < q->to->low ? q->to->low : value;
        q->to->put(run->out, i, raised > q->to->high ? q->to->high : raised);
    }
}

static void rescale_integers(const struct flat_run *run, const void *param)
{
    const struct quantize_run *q = param;
    for (size_t i = 0; i < run->count; ++i) {
        const int32_t value = wrap_add((int32_t)q->from->get(run->in, i),
                                       (int32_t)(0u - (uint32_t)q->zero_in));
        const int64_t placed =
            wrap_add(requant_twice(value, q->by), q->zero_out);
        const int64_t raised = placed < q->to->low ? q->to->low : placed;
        q->to->put(run->out, i, raised > q->to->high ? q->to->high : raised);
    }
}

static berth_status run_quantize(const berth_node *node, uint32_t begin,
                                 uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    struct quantize_run run = {.to = integers_of(out->type)};
    if (in->type == BERTH_FLOAT32) {
        run.channels = channels_of(out);
        kernel_flat(node, begin, end, quantize_floats, &run);
        return BERTH_OK;
    }
    run.from = integers_of(in->type);
    run.zero_in = kernel_zero_point(in);
    run.zero_out = kernel_zero_point(out);
    run.by = kernel_requant_of(rescale_of(node));
    kernel_flat(node, begin, end, rescale_integers, &run);
    return BERTH_OK;
}

const berth_kernel kernel_ref_quantize = {
    .check = check_quantize,
    .rows = run_quantize,
};

/* --- DEQUANTIZE -------------------------------------------------------------
 */

static berth_status check_dequantize(const berth_node *node, berth_diag *diag)
{
    const uint32_t types = TYPES(INT8) | TYPES(UINT8) | TYPES(INT16) |
                           TYPES(INT4) | TYPES(UINT4) | TYPES(INT2) |
                           TYPES(FLOAT16);
    BERTH_TRY(kernel_check_flat(node, diag));
    const berth_operand *in = &node->inputs[0];
    if (!kernel_is_of(in->type, types) ||
        node->outputs[0].type != BERTH_FLOAT32) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a conversion between these element types");
    }
    return in->type == BERTH_FLOAT16 ? BERTH_OK : check_channels(in, diag);
}

static void widen_halves(const struct flat_run *run, const void *param)
{
    (void)param;
    for (size_t i = 0; i < run->count; ++i) {
        element_put_f32(run->out, i, real_of_f16(element_u16(run->in, i)));
    }
}

static void dequantize_integers(const struct flat_run *run, const void *param)
{
    const struct quantize_run *q = param;
    for (size_t i = 0; i < run->count; ++i) {
        const uint32_t channel = channel_at(&q->channels, run->first + i);
        const int32_t value =
            (int32_t)q->from->get(run->in, i) - zero_at(&q->channels, channel);
        element_put_f32(run->out, i,
                        kernel_scale(q->channels.operand, channel) *
                            (float)value);
    }
}

/* TFLM takes the first scale for all. */
static berth_status run_dequantize(const berth_node *node, uint32_t begin,
                                   uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    struct quantize_run run = {.channels = channels_of(in),
                               .from = integers_of(in->type)};
    if (node->profile == BERTH_PROFILE_TFLM) {
        run.channels.count = 1;
    }
    kernel_flat(node, begin, end,
                in->type == BERTH_FLOAT16 ? widen_halves : dequantize_integers,
                &run);
    return BERTH_OK;
}

const berth_kernel kernel_ref_dequantize = {
    .check = check_dequantize,
    .rows = run_dequantize,
};

/* Models of one operator with a window or a matrix. */
#include "window_model.h"

#include "berth/op.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MOST = 4096, NO_BIAS = BERTH_FLOAT16 };

uint64_t window_draw(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void window_fill(void *data, uint8_t type, size_t bytes, uint64_t *seed)
{
    uint8_t *at = data;
    if (type == BERTH_FLOAT32) {
        for (size_t i = 0; i < bytes / sizeof(float); ++i) {
            const float value =
                (float)(window_draw(seed) >> 40) / (float)(1 << 23) - 1;
            memcpy(at + i * sizeof(value), &value, sizeof(value));
        }
        return;
    }
    for (size_t i = 0; i < bytes; ++i) {
        at[i] = (uint8_t)(window_draw(seed) >> 56);
        if (type == BERTH_FLOAT16 && i % 2 == 1) {
            at[i] &= 0xb7; /* of an exponent of at most 13 */
        }
    }
}

/* --- shapes --------------------------------------------------------------- */

static bool is_pool(const window_spec *s)
{
    return s->code == BERTH_OP_AVERAGE_POOL_2D ||
           s->code == BERTH_OP_MAX_POOL_2D || s->code == BERTH_OP_L2_POOL_2D;
}

static int32_t depth_of(const window_spec *s)
{
    if (s->code == BERTH_OP_DEPTHWISE_CONV_2D || is_pool(s)) {
        return 1;
    }
    return s->in / (s->groups > 1 ? s->groups : 1);
}

static int32_t made(const window_spec *s, int32_t in, int32_t window,
                    int32_t stride, int32_t dilation)
{
    const int32_t reach = (window - 1) * dilation + 1;
    if (s->code == BERTH_OP_TRANSPOSE_CONV) {
        return s->valid ? (in - 1) * stride + window : in * stride;
    }
    return s->valid ? (in + stride - reach) / stride
                    : (in + stride - 1) / stride;
}

static int32_t made_height(const window_spec *s)
{
    return made(s, s->height, s->window_h, s->stride_h, s->dilation_h);
}

static int32_t made_width(const window_spec *s)
{
    return made(s, s->width, s->window_w, s->stride_w, s->dilation_w);
}

uint64_t window_work(const window_spec *s)
{
    uint64_t work = (uint64_t)s->batch * (uint64_t)s->out;
    if (s->code == BERTH_OP_FULLY_CONNECTED) {
        return work * (uint64_t)s->in;
    }
    work *= (uint64_t)depth_of(s) * (uint64_t)(s->window_h * s->window_w);
    return work * (uint64_t)(made_height(s) * made_width(s));
}

/* --- tensors -------------------------------------------------------------- */

static double drawn(uint64_t *seed, double low, double high)
{
    return low +
           (high - low) * (double)(window_draw(seed) >> 40) / (double)(1 << 24);
}

/* Scales for which outputs spread over their type; one zero point each. */
typedef struct scales {
    float input;
    float output;
    float filter[CHANNELS_MOST];
    int64_t input_zero;
    int64_t output_zero;
    int64_t filter_zero[CHANNELS_MOST];
} scales;

static void draw_scales(const window_spec *s, uint64_t *seed, scales *q)
{
    const double unit = s->type == BERTH_INT16 ? 1.0 / 256 : 1;
    const double products =
        (double)depth_of(s) * (double)(s->window_h * s->window_w);
    const double spread = sqrt(products) * (s->filter == BERTH_INT4 ? 4 : 64);
    const bool zeros = s->type != BERTH_INT16;
    const int32_t middle = s->type == BERTH_UINT8 ? 128 : 0;
    q->input = (float)(drawn(seed, 0.01, 0.1) * unit);
    for (int32_t i = 0; i < s->out; ++i) {
        q->filter[i] = (float)drawn(seed, 0.001, 0.02);
        q->filter_zero[i] = s->filter == BERTH_UINT8 ? 120 : 0;
    }
    q->output =
        (float)((double)q->input * 0.01 * spread * drawn(seed, 0.5, 2.0));
    q->input_zero = zeros ? middle + (int64_t)drawn(seed, -30, 30) : 0;
    q->output_zero = zeros ? middle + (int64_t)drawn(seed, -30, 30) : 0;
    if (is_pool(s)) {
        q->output = q->input;
        q->output_zero = q->input_zero;
    }
}

static mb_quantization one_scale(const float *scale, const int64_t *zero)
{
    return (mb_quantization){.scales = scale,
                             .scale_count = 1,
                             .zero_points = zero,
                             .zero_point_count = 1};
}

static int32_t add_filter(mb *b, uint32_t g, const window_spec *s,
                          const scales *q, uint64_t *seed)
{
    const bool depthwise = s->code == BERTH_OP_DEPTHWISE_CONV_2D;
    const int32_t image[4] = {depthwise ? 1 : s->out, s->window_h, s->window_w,
                              depthwise ? s->out : depth_of(s)};
    const int32_t matrix[2] = {s->out, s->in};
    const bool flat = s->code == BERTH_OP_FULLY_CONNECTED;
    const size_t elements =
        flat ? (size_t)(s->out * s->in)
             : (size_t)(image[0] * image[1] * image[2] * image[3]);
    mb_quantization quantization = one_scale(q->filter, q->filter_zero);
    if (s->per_axis) {
        quantization.scale_count = (size_t)s->out;
        quantization.zero_point_count = (size_t)s->out;
        quantization.axis = depthwise ? 3 : 0;
    }
    mb_tensor_spec spec = {
        .type = (berth_type)s->filter,
        .shape = flat ? (mb_ints){matrix, 2} : (mb_ints){image, 4},
        .quantization = s->filter == BERTH_FLOAT32 || s->filter == BERTH_FLOAT16
                            ? NULL
                            : &quantization,
        .data_bytes =
            (elements * berth_type_bits((berth_type)s->filter) + 7) / 8,
    };
    void *data = malloc(spec.data_bytes + 1);
    window_fill(data, s->filter, spec.data_bytes, seed);
    spec.data = data;
    const int32_t tensor = mb_tensor(b, g, spec);
    free(data);
    if (s->type != BERTH_FLOAT32 || s->filter == BERTH_FLOAT32) {
        return tensor;
    }
    const int32_t decoded = mb_tensor(
        b, g, (mb_tensor_spec){.type = BERTH_FLOAT32, .shape = spec.shape});
    (void)mb_op(b, g,
                (mb_op_spec){.code = BERTH_OP_DEQUANTIZE,
                             .inputs = MB_INTS(tensor),
                             .outputs = MB_INTS(decoded)});
    return decoded;
}

static int32_t add_bias(mb *b, uint32_t g, const window_spec *s, uint64_t *seed)
{
    if (s->bias == NO_BIAS) {
        return -1;
    }
    const size_t size = berth_type_bits((berth_type)s->bias) / 8;
    uint8_t *data = malloc((size_t)s->out * size + 1);
    window_fill(data, s->bias, (size_t)s->out * size, seed);
    for (size_t i = 0; s->bias != BERTH_FLOAT32 && i < (size_t)s->out; ++i) {
        const int64_t value = (int64_t)drawn(seed, -3000, 3000);
        memcpy(data + i * size, &value, size); /* little endian */
    }
    const int32_t tensor =
        mb_tensor(b, g,
                  (mb_tensor_spec){.type = (berth_type)s->bias,
                                   .shape = MB_INTS(s->out),
                                   .data = data,
                                   .data_bytes = (size_t)s->out * size});
    free(data);
    return tensor;
}

/* --- options -------------------------------------------------------------- */

#define OPTION(table, name, number)                                            \
    {                                                                          \
        .field = BERTH_OPT_##table##_##name, .value = (number)                 \
    }

static void add_op(mb *b, uint32_t g, const window_spec *s, mb_ints inputs,
                   int32_t output)
{
    const mb_option conv[] = {
        OPTION(Conv2DOptions, padding, s->valid),
        OPTION(Conv2DOptions, stride_h, s->stride_h),
        OPTION(Conv2DOptions, stride_w, s->stride_w),
        OPTION(Conv2DOptions, dilation_h_factor, s->dilation_h),
        OPTION(Conv2DOptions, dilation_w_factor, s->dilation_w),
        OPTION(Conv2DOptions, fused_activation_function, s->activation)};
    const mb_option depthwise[] = {
        OPTION(DepthwiseConv2DOptions, padding, s->valid),
        OPTION(DepthwiseConv2DOptions, stride_h, s->stride_h),
        OPTION(DepthwiseConv2DOptions, stride_w, s->stride_w),
        OPTION(DepthwiseConv2DOptions, dilation_h_factor, s->dilation_h),
        OPTION(DepthwiseConv2DOptions, dilation_w_factor, s->dilation_w),
        OPTION(DepthwiseConv2DOptions, depth_multiplier, s->out / s->in),
        OPTION(DepthwiseConv2DOptions, fused_activation_function,
               s->activation)};
    const mb_option transposed[] = {
        OPTION(TransposeConvOptions, padding, s->valid),
        OPTION(TransposeConvOptions, stride_h, s->stride_h),
        OPTION(TransposeConvOptions, stride_w, s->stride_w),
        OPTION(TransposeConvOptions, fused_activation_function, s->activation)};
    const mb_option pool[] = {
        OPTION(Pool2DOptions, padding, s->valid),
        OPTION(Pool2DOptions, stride_h, s->stride_h),
        OPTION(Pool2DOptions, stride_w, s->stride_w),
        OPTION(Pool2DOptions, filter_height, s->window_h),
        OPTION(Pool2DOptions, filter_width, s->window_w),
        OPTION(Pool2DOptions, fused_activation_function, s->activation)};
    const mb_option dense[] = {OPTION(
        FullyConnectedOptions, fused_activation_function, s->activation)};
    mb_options options = {pool, 6};
    if (s->code == BERTH_OP_CONV_2D) {
        options = (mb_options){conv, 6};
    } else if (s->code == BERTH_OP_DEPTHWISE_CONV_2D) {
        options = (mb_options){depthwise, 7};
    } else if (s->code == BERTH_OP_TRANSPOSE_CONV) {
        options = (mb_options){transposed, 4};
    } else if (s->code == BERTH_OP_FULLY_CONNECTED) {
        options = (mb_options){dense, 1};
    }
    (void)mb_op(b, g,
                (mb_op_spec){.code = s->code,
                             .inputs = inputs,
                             .outputs = MB_INTS(output),
                             .options = options});
}

static mb_ints inputs_of(mb *b, uint32_t g, const window_spec *s, int32_t input,
                         const scales *q, const int32_t *out_shape,
                         uint64_t *seed, int32_t *list)
{
    size_t n = 0;
    if (is_pool(s)) {
        list[0] = input;
        return (mb_ints){list, 1};
    }
    if (s->code == BERTH_OP_TRANSPOSE_CONV) {
        list[n++] = mb_tensor(b, g,
                              (mb_tensor_spec){.type = BERTH_INT32,
                                               .shape = MB_INTS(4),
                                               .data = out_shape,
                                               .data_bytes = 16});
        list[n++] = add_filter(b, g, s, q, seed);
        list[n++] = input;
    } else {
        list[n++] = input;
        list[n++] = add_filter(b, g, s, q, seed);
    }
    list[n++] = add_bias(b, g, s, seed);
    return (mb_ints){list, n};
}

berth_bytes window_model(mb *b, const window_spec *s)
{
    if (s->out > CHANNELS_MOST) {
        abort();
    }
    scales *q = malloc(sizeof(*q));
    uint64_t seed = s->seed;
    draw_scales(s, &seed, q);
    const uint32_t g = mb_subgraph(b, "main");
    const mb_quantization in_scale = one_scale(&q->input, &q->input_zero);
    const mb_quantization out_scale = one_scale(&q->output, &q->output_zero);
    const bool floats = s->type == BERTH_FLOAT32;
    const bool flat = s->code == BERTH_OP_FULLY_CONNECTED;
    const int32_t in[] = {s->batch, s->height, s->width, s->in};
    const int32_t out[] = {s->batch, made_height(s), made_width(s), s->out};
    const int32_t in_flat[] = {s->batch, s->in};
    const int32_t out_flat[] = {s->batch, s->out};
    const int32_t input =
        mb_tensor(b, g,
                  (mb_tensor_spec){.type = (berth_type)s->type,
                                   .shape = flat ? (mb_ints){in_flat, 2}
                                                 : (mb_ints){in, 4},
                                   .quantization = floats ? NULL : &in_scale});
    int32_t list[4];
    const mb_ints inputs = inputs_of(b, g, s, input, q, out, &seed, list);
    const int32_t output =
        mb_tensor(b, g,
                  (mb_tensor_spec){.type = (berth_type)s->type,
                                   .shape = flat ? (mb_ints){out_flat, 2}
                                                 : (mb_ints){out, 4},
                                   .quantization = floats ? NULL : &out_scale});
    add_op(b, g, s, inputs, output);
    mb_io(b, g, MB_INTS(input), MB_INTS(output));
    free(q);
    return mb_finish(b);
}

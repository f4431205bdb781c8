/* Convolutions, matrix products and pools that make no sense are refused before
 * anything runs, with words that say why. */
#include "model_builder.h"
#include "naive.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A convolution of a 1x4x4x2 image by 3 filters of 1x1x2, and what is wrong. */
typedef struct strange {
    const char *words; /* in the refusal; NULL: it runs */
    int64_t stride;    /* 0: 1 */
    int64_t dilation;
    int64_t padding;
    int64_t activation;
    int32_t filter_depth; /* 0: 2 */
    int32_t bias_count;   /* 0: 3 */
    uint8_t filter_type;  /* 0: INT8 */
    uint8_t bias_type;    /* 0: INT32 */
    float filter_scale;   /* 0: 0.1 */
    float out_scale;
    int64_t in_zero;
    int64_t filter_zero;
    uint32_t filter_scales; /* 0: one */
    int32_t axis;
} strange;

static int32_t or_else(int32_t value, int32_t otherwise)
{
    return value == 0 ? otherwise : value;
}

static int32_t add_filter(mb *b, uint32_t g, const strange *s)
{
    static const uint8_t zeros[64] = {0};
    const float scale = s->filter_scale == 0.0f ? 0.1f : s->filter_scale;
    const float scales[4] = {scale, scale, scale, scale};
    const int64_t zero[4] = {s->filter_zero, 0, 0, 0};
    const uint32_t count = s->filter_scales == 0 ? 1 : s->filter_scales;
    const mb_quantization q = {.scales = scales,
                               .scale_count = count,
                               .zero_points = zero,
                               .zero_point_count = count,
                               .axis = s->axis};
    const int32_t depth = or_else(s->filter_depth, 2);
    return mb_tensor(b, g,
                     (mb_tensor_spec){.type = (berth_type)or_else(
                                          s->filter_type, BERTH_INT8),
                                      .shape = MB_INTS(3, 1, 1, depth),
                                      .quantization = &q,
                                      .data = zeros,
                                      .data_bytes = (size_t)(3 * depth)});
}

static mb_quantization one_scale(const float *scale, const int64_t *zero)
{
    return (mb_quantization){.scales = scale,
                             .scale_count = 1,
                             .zero_points = zero,
                             .zero_point_count = 1};
}

static berth_bytes strange_conv(mb *b, const strange *s)
{
    static const uint8_t zeros[64] = {0};
    const float one = 0.1f;
    const float out_scale = s->out_scale == 0.0f ? 0.1f : s->out_scale;
    const int64_t zero = 0;
    const mb_quantization in_q = one_scale(&one, &s->in_zero);
    const mb_quantization out_q = one_scale(&out_scale, &zero);
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t x = mb_tensor(b, g,
                                (mb_tensor_spec){.type = BERTH_INT8,
                                                 .shape = MB_INTS(1, 4, 4, 2),
                                                 .quantization = &in_q});
    const int32_t f = add_filter(b, g, s);
    const int32_t bias = mb_tensor(
        b, g,
        (mb_tensor_spec){.type = (berth_type)or_else(s->bias_type, BERTH_INT32),
                         .shape = MB_INTS(or_else(s->bias_count, 3)),
                         .data = zeros,
                         .data_bytes = 8 * (size_t)or_else(s->bias_count, 3)});
    const int32_t y = mb_tensor(b, g,
                                (mb_tensor_spec){.type = BERTH_INT8,
                                                 .shape = MB_INTS(1, 4, 4, 3),
                                                 .quantization = &out_q});
    (void)mb_op(
        b, g,
        (mb_op_spec){.code = BERTH_OP_CONV_2D,
                     .inputs = MB_INTS(x, f, bias),
                     .outputs = MB_INTS(y),
                     .options = MB_OPTIONS(
                         {BERTH_OPT_Conv2DOptions_padding, .value = s->padding},
                         {BERTH_OPT_Conv2DOptions_stride_h,
                          .value = s->stride == 0 ? 1 : s->stride},
                         {BERTH_OPT_Conv2DOptions_stride_w, .value = 1},
                         {BERTH_OPT_Conv2DOptions_dilation_h_factor,
                          .value = s->dilation == 0 ? 1 : s->dilation},
                         {BERTH_OPT_Conv2DOptions_fused_activation_function,
                          .value = s->activation})});
    mb_io(b, g, MB_INTS(x), MB_INTS(y));
    return mb_finish(b);
}

static const strange strange_convs[] = {
    {.words = NULL},
    {.words = NULL, .filter_scales = 3},
    {.words = "stride", .stride = -1},
    {.words = "dilation", .dilation = -2},
    {.words = "padding", .padding = 5},
    {.words = "does not clamp", .activation = 4},
    {.words = "channels of the image", .filter_depth = 3},
    {.words = "one for each channel", .bias_count = 2},
    {.words = "bias of this type", .bias_type = BERTH_INT64},
    {.words = "weights of this type", .filter_type = BERTH_UINT8},
    {.words = "weights of this type", .filter_type = BERTH_BOOL},
    {.words = "a scale", .filter_scale = (float)INFINITY},
    {.words = "ratio of scales", .filter_scale = 1e30f, .out_scale = 1e-30f},
    {.words = "zero point", .in_zero = 300},
    {.words = "not symmetric", .filter_zero = 1},
    {.words = "not symmetric", .filter_zero = 1, .filter_scales = 3},
    {.words = "those of channels", .filter_scales = 2},
    {.words = "those of channels", .filter_scales = 3, .axis = 3},
};

static void strange_convolutions_say_why(void **state)
{
    (void)state;
    const size_t count = sizeof(strange_convs) / sizeof(strange_convs[0]);
    for (size_t i = 0; i < 2 * count; ++i) {
        const strange *s = &strange_convs[i / 2];
        char why[256] = "";
        mb *b = mb_new();
        naive *n =
            naive_open(strange_conv(b, s),
                       i % 2 == 0 ? berth_kernels_ref() : berth_kernels_opt(),
                       BERTH_PROFILE_LITERT, NULL, 0, why, sizeof(why));
        const bool ran = n != NULL && naive_run(n, why, sizeof(why));
        if (ran != (s->words == NULL) ||
            (!ran && strstr(why, s->words) == NULL)) {
            fail_msg("row %zu: %s", i / 2, ran ? "it runs" : why);
        }
        if (n != NULL) {
            naive_close(n);
        }
        mb_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strange_convolutions_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

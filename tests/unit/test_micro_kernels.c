/* Scratch of kernel sets that no measured table covers, against numbers that
 * the sets' own functions gave, compiled and called. */
#include "berth/micro.h"
#include "model_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct window {
    int32_t input_w, input_h, input_c;
    int32_t filter_w, filter_h, output_c;
    bool same;
    int32_t stride;
    int32_t multiplier; /* 0: CONV_2D */
    uint64_t bytes;
} window;

static int32_t outputs(int32_t input, int32_t filter, int32_t stride, bool same)
{
    return same ? (input + stride - 1) / stride
                : (input + stride - filter) / stride;
}

static int32_t quantized(mb *b, mb_ints shape, size_t scales, const void *data,
                         size_t bytes)
{
    static const float ones[64] = {1.0f};
    static const int64_t zeros[64] = {0};
    const mb_quantization q = {.scales = ones,
                               .scale_count = scales,
                               .zero_points = zeros,
                               .zero_point_count = scales};
    return mb_tensor(b, 0,
                     (mb_tensor_spec){.name = "t",
                                      .type = BERTH_INT8,
                                      .shape = shape,
                                      .data = data,
                                      .data_bytes = bytes,
                                      .quantization = &q});
}

static mb *convolution(const window *w, int32_t filter_c)
{
    static const uint8_t weights[65536] = {0};
    mb *b = mb_new();
    const bool deep = w->multiplier > 0;
    (void)mb_subgraph(b, "main");
    const int32_t x = quantized(
        b, MB_INTS(1, w->input_h, w->input_w, w->input_c), 1, NULL, 0);
    const int32_t count =
        w->filter_w * w->filter_h * w->output_c * (deep ? 1 : filter_c);
    const int32_t f =
        deep ? quantized(b, MB_INTS(1, w->filter_h, w->filter_w, w->output_c),
                         (size_t)w->output_c, weights, (size_t)count)
             : quantized(
                   b, MB_INTS(w->output_c, w->filter_h, w->filter_w, filter_c),
                   (size_t)w->output_c, weights, (size_t)count);
    const int32_t y = quantized(
        b,
        MB_INTS(1, outputs(w->input_h, w->filter_h, w->stride, w->same),
                outputs(w->input_w, w->filter_w, w->stride, w->same),
                w->output_c),
        1, NULL, 0);
    if (deep) {
        mb_op(
            b, 0,
            (mb_op_spec){.code = BERTH_OP_DEPTHWISE_CONV_2D,
                         .inputs = MB_INTS(x, f),
                         .outputs = MB_INTS(y),
                         .options = MB_OPTIONS(
                             {BERTH_OPT_DepthwiseConv2DOptions_padding,
                              .value = w->same ? 0 : 1},
                             {BERTH_OPT_DepthwiseConv2DOptions_stride_w,
                              .value = w->stride},
                             {BERTH_OPT_DepthwiseConv2DOptions_stride_h,
                              .value = w->stride},
                             {BERTH_OPT_DepthwiseConv2DOptions_depth_multiplier,
                              .value = w->multiplier})});
    } else {
        mb_op(
            b, 0,
            (mb_op_spec){
                .code = BERTH_OP_CONV_2D,
                .inputs = MB_INTS(x, f),
                .outputs = MB_INTS(y),
                .options = MB_OPTIONS(
                    {BERTH_OPT_Conv2DOptions_padding, .value = w->same ? 0 : 1},
                    {BERTH_OPT_Conv2DOptions_stride_w, .value = w->stride},
                    {BERTH_OPT_Conv2DOptions_stride_h, .value = w->stride})});
    }
    mb_io(b, 0, MB_INTS(x), MB_INTS(y));
    return b;
}

/* The scratch of the only operator. */
static uint64_t scratch_of(mb *b, const char *target, const char *kernels)
{
    size_t need = 0;
    const berth_model *model = NULL;
    berth_graph graph;
    berth_micro micro;
    void *memory[3];
    const berth_micro_options options = {
        .target = berth_micro_target_find(target),
        .kernels = berth_micro_kernels_find(kernels)};
    const berth_bytes file = mb_finish(b);
    assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
    memory[0] = malloc(need);
    berth_work work = berth_work_of(memory[0], need);
    assert_int_equal(berth_model_init(file, &work, &model, NULL), BERTH_OK);
    assert_int_equal(berth_graph_bytes(model, &need, NULL), BERTH_OK);
    memory[1] = malloc(need);
    work = berth_work_of(memory[1], need);
    assert_int_equal(berth_graph_init(model, &work, &graph, NULL), BERTH_OK);
    assert_int_equal(berth_micro_bytes(&graph, &options, &need, NULL),
                     BERTH_OK);
    memory[2] = malloc(need);
    work = berth_work_of(memory[2], need);
    assert_int_equal(berth_micro_predict(&graph, &options, &work, &micro, NULL),
                     BERTH_OK);
    assert_int_equal(micro.refusal, BERTH_MICRO_STARTS);
    const uint64_t bytes = micro.ops[0].scratch_bytes;
    for (int i = 0; i < 3; ++i) {
        free(memory[i]);
    }
    mb_free(b);
    return bytes;
}

static void esp_nn__scratch_is_what_its_functions_say(void **state)
{
    static const window windows[] = {
        {10, 10, 16, 1, 1, 8, true, 1, 0, 448},
        {10, 10, 12, 1, 1, 8, true, 1, 0, 2048},
        {2, 3, 8, 1, 1, 8, true, 1, 0, 128},
        {9, 9, 3, 3, 3, 8, true, 2, 0, 416},
        {12, 10, 16, 3, 3, 24, true, 1, 0, 12448},
        {12, 10, 16, 3, 3, 24, false, 2, 0, 7072},
        {20, 1, 8, 5, 1, 16, false, 1, 0, 2176},
        {8, 8, 1, 2, 2, 4, false, 1, 0, 464},
        {10, 10, 16, 3, 3, 16, true, 1, 1, 2464},
        {60, 60, 16, 3, 3, 16, true, 1, 1, 3136},
        {10, 10, 16, 3, 3, 16, false, 1, 1, 160},
        {9, 9, 16, 3, 3, 16, false, 2, 1, 1760},
        {10, 10, 24, 3, 3, 24, true, 1, 1, 9824},
        {10, 10, 8, 3, 3, 8, true, 1, 1, 1776},
        {10, 10, 8, 5, 5, 8, true, 1, 1, 2032},
        {64, 64, 16, 5, 5, 16, true, 1, 1, 11072},
        {10, 10, 5, 3, 3, 5, true, 1, 1, 2656},
        {10, 10, 2, 3, 3, 2, true, 1, 1, 32},
        {10, 10, 2, 3, 3, 8, true, 1, 4, 576},
        {10, 10, 2, 3, 3, 6, true, 1, 3, 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); ++i) {
        const window *w = &windows[i];
        assert_int_equal(
            scratch_of(convolution(w, w->input_c), "esp32s3", "esp-nn"),
            w->bytes);
        assert_int_equal(
            scratch_of(convolution(w, w->input_c), "esp32", "esp-nn"), 0);
    }
}

/* Two groups of channels: since 2026 no 1x1 convolution without scratch. */
static void cmsis_nn__an_old_version_did_not_look_at_groups(void **state)
{
    const window w = {8, 8, 16, 1, 1, 8, true, 1, 0, 0};
    (void)state;
    assert_int_equal(scratch_of(convolution(&w, 16), "m4", "cmsis-nn"), 0);
    assert_int_equal(scratch_of(convolution(&w, 8), "m4", "cmsis-nn"), 64);
    assert_int_equal(scratch_of(convolution(&w, 8), "m4", "cmsis-nn@7.0.0"), 0);
    assert_int_equal(scratch_of(convolution(&w, 8), "m55", "cmsis-nn"), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(esp_nn__scratch_is_what_its_functions_say),
        cmocka_unit_test(cmsis_nn__an_old_version_did_not_look_at_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

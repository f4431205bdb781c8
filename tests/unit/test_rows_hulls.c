/* What rows touch: against the definition of windows, tap by tap, and against
 * each other. */
#include "berth/rows.h"
#include "shape_rig.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* A model of one operator, inferred; operator 0. */
static shape_rig *model(mb_op_spec spec, const char *const *inputs,
                        const char *const *outputs)
{
    shape_rig *r = shape_rig_new();
    int32_t in[8];
    int32_t out[8];
    int32_t fed[8];
    size_t ins = 0;
    size_t outs = 0;
    size_t feeds = 0;
    for (; inputs[ins] != NULL; ++ins) {
        in[ins] = shape_rig_tensor(r, inputs[ins]);
        if (strchr(inputs[ins], '=') == NULL) {
            fed[feeds++] = in[ins];
        }
    }
    for (; outputs[outs] != NULL; ++outs) {
        out[outs] = shape_rig_tensor(r, outputs[outs]);
    }
    spec.inputs = (mb_ints){in, ins};
    spec.outputs = (mb_ints){out, outs};
    shape_rig_op(r, spec);
    shape_rig_io(r, (mb_ints){fed, feeds}, (mb_ints){out, outs});
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    return r;
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static berth_hull hull(const shape_rig *r, uint32_t operand, uint32_t begin,
                       uint32_t end)
{
    return berth_op_hull(&r->graph, &r->shapes, 0, operand, BERTH_PHASE_ROWS,
                         begin, end);
}

/* --- windows ---------------------------------------------------------------
 */

typedef struct window_case {
    int32_t height;
    int32_t size;
    int32_t stride;
    int32_t dilation;
    bool same;
} window_case;

/* Rows of the image that row o of the output meets, by looking at every tap. */
static berth_hull meets(const window_case *w, int32_t out, int32_t o)
{
    const int32_t reach = (w->size - 1) * w->dilation + 1;
    const int32_t need = (out - 1) * w->stride + reach - w->height;
    const int32_t pad = w->same && need > 0 ? need / 2 : 0;
    berth_hull met = {0, 0};
    for (int32_t tap = 0; tap < w->size; ++tap) {
        const int32_t row = o * w->stride - pad + tap * w->dilation;
        if (row >= 0 && row < w->height) {
            met.begin = met.end == 0 ? (uint32_t)row : met.begin;
            met.end = (uint32_t)row + 1;
        }
    }
    return met;
}

static void check_window(const window_case *w)
{
    char image[64];
    char filter[64];
    const int32_t reach = (w->size - 1) * w->dilation + 1;
    const int32_t out = w->same ? (w->height + w->stride - 1) / w->stride
                                : (w->height - reach) / w->stride + 1;
    if (!w->same && w->height < reach) {
        return;
    }
    (void)snprintf(image, sizeof(image), "2x%dx4x3", w->height);
    (void)snprintf(filter, sizeof(filter), "5x%dx1x3", w->size);
    const mb_op_spec spec = {
        .code = BERTH_OP_CONV_2D,
        .options = MB_OPTIONS(
            {BERTH_OPT_Conv2DOptions_padding, .value = w->same ? 0 : 1},
            {BERTH_OPT_Conv2DOptions_stride_h, .value = w->stride},
            {BERTH_OPT_Conv2DOptions_stride_w, .value = 1},
            {BERTH_OPT_Conv2DOptions_dilation_h_factor, .value = w->dilation},
            {BERTH_OPT_Conv2DOptions_dilation_w_factor, .value = 1})};
    shape_rig *r = model(spec, TEXTS(image, filter), TEXTS("unknown"));
    const berth_rows rows = berth_op_rows(&r->graph, &r->shapes, 0);
    assert_int_equal(rows.count, 2 * out);
    assert_int_equal(rows.order, BERTH_ROWS_INDEPENDENT);
    assert_int_equal(berth_op_operand_rows(&r->graph, &r->shapes, 0, 0),
                     2 * w->height);
    assert_int_equal(berth_op_operand_rows(&r->graph, &r->shapes, 0, 1), 1);
    for (int32_t image_index = 0; image_index < 2; ++image_index) {
        for (int32_t o = 0; o < out; ++o) {
            const uint32_t row = (uint32_t)(image_index * out + o);
            const berth_hull got = hull(r, 0, row, row + 1);
            const berth_hull met = meets(w, out, o);
            const uint32_t base = (uint32_t)(image_index * w->height);
            if (w->dilation == 1) {
                assert_int_equal(got.end - got.begin, met.end - met.begin);
            }
            if (met.begin < met.end) { /* holes between taps may count */
                assert_in_range(got.begin, base, base + met.begin);
                assert_in_range(got.end, base + met.end,
                                base + (uint32_t)w->height);
            }
        }
    }
    shape_rig_free(r);
}

static void windows_touch_what_their_taps_meet(void **state)
{
    (void)state;
    for (int32_t height = 1; height <= 7; ++height) {
        for (int32_t i = 0; i < 3 * 3 * 2 * 2; ++i) {
            const window_case w = {height, 1 + i % 3, 1 + i / 3 % 3,
                                   1 + i / 9 % 2, i / 18 % 2 == 0};
            check_window(&w);
        }
    }
}

/* --- what holds for all ----------------------------------------------------
 */

/* Rows divide bytes, hulls lie inside, ascend, and a range touches what its
 * rows touch; every row of the output is written once. */
static void check_all(const shape_rig *r)
{
    const berth_graph_op *op = &r->graph.ops[0];
    const berth_rows rows = berth_op_rows(&r->graph, &r->shapes, 0);
    for (uint32_t k = 0; k < op->input_count + op->output_count; ++k) {
        const uint32_t own = berth_op_operand_rows(&r->graph, &r->shapes, 0, k);
        const uint32_t tensor = r->graph.operands[op->first_operand + k];
        uint32_t written = 0;
        assert_true(own >= 1);
        assert_int_equal(r->shapes.of[tensor].bytes % own, 0);
        for (uint32_t i = 0; i < rows.count; ++i) {
            const berth_hull one = hull(r, k, i, i + 1);
            assert_true(one.begin <= one.end && one.end <= own);
            for (uint32_t end = i + 1; end <= rows.count; ++end) {
                const berth_hull some = hull(r, k, i, end);
                assert_true(some.end <= own && some.begin <= some.end);
                if (one.begin < one.end) {
                    assert_true(some.begin <= one.begin && some.end >= one.end);
                }
            }
            if (k >= op->input_count && own > 1) {
                assert_int_equal(one.begin, written);
                written = one.end;
            }
        }
        assert_true(k < op->input_count || own == 1 || written == own);
        assert_true(hull(r, k, 0, 0).begin == hull(r, k, 0, 0).end);
    }
}

static void hulls_of_every_family_fit_together(void **state)
{
    (void)state;
    const struct {
        uint32_t code;
        const char *in[4];
        const char *out[4];
        uint32_t rows;
    } all[] = {
        {BERTH_OP_RELU, {"2x3x4x5"}, {"unknown"}, 24},
        {BERTH_OP_ADD, {"2x3x5", "1x3x1"}, {"unknown"}, 6},
        {BERTH_OP_SOFTMAX, {"4x5"}, {"unknown"}, 4},
        {BERTH_OP_TANH, {"scalar"}, {"unknown"}, 1},
        {BERTH_OP_RELU, {"i4 3x4"}, {"i4 3x4"}, 1},
        {BERTH_OP_FULLY_CONNECTED, {"6x4", "3x4"}, {"unknown"}, 6},
        {BERTH_OP_CONCATENATION, {"2x3", "1x3"}, {"unknown"}, 1},
        {BERTH_OP_TRANSPOSE, {"2x3x4", "i32 3 = 2 0 1"}, {"unknown"}, 8},
        {BERTH_OP_PAD,
         {"2x3x4x5", "i32 4x2 = 0 0 2 1 1 1 0 0"},
         {"unknown"},
         12},
        {BERTH_OP_PAD, {"2x3x4", "i32 3x2 = 1 0 0 0 0 0"}, {"unknown"}, 3},
        {BERTH_OP_SLICE,
         {"2x5x4", "i32 3 = 0 2 0", "i32 3 = 2 2 4"},
         {"unknown"},
         4},
        {BERTH_OP_RESIZE_BILINEAR, {"2x3x4x5", "i32 2 = 8 2"}, {"unknown"}, 16},
        {BERTH_OP_RESIZE_NEAREST_NEIGHBOR,
         {"1x9x4x5", "i32 2 = 4 2"},
         {"unknown"},
         4},
        {BERTH_OP_MEAN, {"2x3x4x5", "i32 2 = 1 2"}, {"unknown"}, 2},
        {BERTH_OP_SUM, {"2x3x4", "i32 1 = -1"}, {"unknown"}, 6},
        {BERTH_OP_TOPK_V2, {"3x7", "i32 1 = 2"}, {"unknown", "i32 3x2"}, 3},
        {BERTH_OP_SCATTER_ND,
         {"i32 2x1 = 0 1", "2x3", "i32 2 = 4 3"},
         {"unknown"},
         1},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        shape_rig *r =
            model((mb_op_spec){.code = all[i].code}, all[i].in, all[i].out);
        assert_int_equal(berth_op_rows(&r->graph, &r->shapes, 0).count,
                         all[i].rows);
        check_all(r);
        shape_rig_free(r);
    }
}

/* --- overlap ---------------------------------------------------------------
 */

/* By the definition in rows.h, over all rows of both. */
static int64_t by_definition(const shape_rig *r, bool read_first)
{
    const berth_rows rows = berth_op_rows(&r->graph, &r->shapes, 0);
    const uint32_t out = r->graph.ops[0].input_count;
    const uint32_t *operands = r->graph.operands;
    const int64_t in_bytes =
        (int64_t)(r->shapes.of[operands[0]].bytes /
                  berth_op_operand_rows(&r->graph, &r->shapes, 0, 0));
    const int64_t out_bytes =
        (int64_t)(r->shapes.of[operands[out]].bytes /
                  berth_op_operand_rows(&r->graph, &r->shapes, 0, out));
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < rows.count; ++i) {
        const int64_t end = hull(r, out, i, i + 1).end * out_bytes;
        for (uint32_t k = i + (read_first ? 1 : 0); k < rows.count; ++k) {
            const berth_hull read = hull(r, 0, k, k + 1);
            if (read.begin < read.end) {
                const int64_t at = read.begin * in_bytes - end;
                least = at < least ? at : least;
            }
        }
    }
    return least;
}

static void overlap_is_what_its_definition_says(void **state)
{
    (void)state;
    for (int32_t i = 0; i < 4 * 3 * 3; ++i) {
        char image[64];
        (void)snprintf(image, sizeof(image), "2x%dx4x3", 4 + i % 4);
        const mb_op_spec spec = {
            .code = BERTH_OP_MAX_POOL_2D,
            .options = MB_OPTIONS(
                {BERTH_OPT_Pool2DOptions_padding, .value = 0},
                {BERTH_OPT_Pool2DOptions_stride_h, .value = 1 + i / 4 % 3},
                {BERTH_OPT_Pool2DOptions_stride_w, .value = 1},
                {BERTH_OPT_Pool2DOptions_filter_height, .value = 1 + i / 12},
                {BERTH_OPT_Pool2DOptions_filter_width, .value = 1})};
        shape_rig *r = model(spec, TEXTS(image), TEXTS("unknown"));
        assert_int_equal(berth_op_overlap(&r->graph, &r->shapes, 0, 0, 0),
                         by_definition(r, false));
        shape_rig_free(r);
    }
    shape_rig *r = model((mb_op_spec){.code = BERTH_OP_SOFTMAX}, TEXTS("3x4"),
                         TEXTS("unknown"));
    assert_int_equal(berth_op_overlap(&r->graph, &r->shapes, 0, 0, 0),
                     by_definition(r, true));
    shape_rig_free(r);
}

static int64_t overlap_of(uint32_t code, const char *const *in,
                          const char *const *out)
{
    shape_rig *r = model((mb_op_spec){.code = code}, in, out);
    const int64_t lo = berth_op_overlap(&r->graph, &r->shapes, 0, 0, 0);
    shape_rig_free(r);
    return lo;
}

static void elements_of_two_sizes_meet_by_element(void **state)
{
    (void)state;
    assert_int_equal(
        overlap_of(BERTH_OP_DEQUANTIZE, TEXTS("i8 3x4"), TEXTS("3x4")),
        -3 * 11);
    assert_int_equal(
        overlap_of(BERTH_OP_QUANTIZE, TEXTS("3x4"), TEXTS("i8 3x4")), 3);
    assert_int_equal(overlap_of(BERTH_OP_RELU, TEXTS("3x4"), TEXTS("unknown")),
                     0);
    /* Broadcast, or read from anywhere: apart. */
    assert_int_equal(
        overlap_of(BERTH_OP_ADD, TEXTS("1x4", "3x4"), TEXTS("unknown")),
        INT64_MIN);
    assert_int_equal(overlap_of(BERTH_OP_TRANSPOSE, TEXTS("3x4", "i32 2 = 1 0"),
                                TEXTS("unknown")),
                     INT64_MIN);
    /* Taken over whole. */
    assert_int_equal(overlap_of(BERTH_OP_DYNAMIC_UPDATE_SLICE,
                                TEXTS("3x4", "1x4", "i32 2 = 0 0"),
                                TEXTS("unknown")),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_touch_what_their_taps_meet),
        cmocka_unit_test(hulls_of_every_family_fit_together),
        cmocka_unit_test(overlap_is_what_its_definition_says),
        cmocka_unit_test(elements_of_two_sizes_meet_by_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

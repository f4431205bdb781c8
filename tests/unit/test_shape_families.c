/* The shape function of each family: what fits, what depends on values, and
 * what is refused, in a table. The shapes that fit were checked against LiteRT
 * over the corpus; here stand the corners that no model has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shape_rig.h"

enum { OPERANDS_MAX = 8 };

typedef struct one_case {
    uint32_t code;
    const mb_option *options;
    size_t option_count;
    const char *inputs[OPERANDS_MAX]; /* "-": absent */
    const char *expect[OPERANDS_MAX];
    const char *output; /* how the file writes an output; default "f32 9" */
} one_case;

#define OPTIONS(...)                                                           \
    .options = (const mb_option[]){__VA_ARGS__},                               \
    .option_count = MB_COUNT(mb_option, __VA_ARGS__)
#define OPT(name, number)                                                      \
    {                                                                          \
        .field = BERTH_OPT_##name, .value = (number)                           \
    }
#define OPT_INTS(name, ...)                                                    \
    {                                                                          \
        .field = BERTH_OPT_##name, .ints = MB_INTS(__VA_ARGS__)                \
    }

static void run_case(const one_case *c, size_t number)
{
    shape_rig *r = shape_rig_new();
    int32_t inputs[OPERANDS_MAX];
    int32_t outputs[OPERANDS_MAX];
    int32_t graph_inputs[OPERANDS_MAX];
    size_t input_count = 0;
    size_t output_count = 0;
    size_t graph_input_count = 0;
    for (; c->inputs[input_count] != NULL; ++input_count) {
        const char *text = c->inputs[input_count];
        const bool absent = text[0] == '-' && text[1] == '\0';
        inputs[input_count] = absent ? -1 : shape_rig_tensor(r, text);
        if (!absent && strchr(text, '=') == NULL) {
            graph_inputs[graph_input_count++] = inputs[input_count];
        }
    }
    for (; c->expect[output_count] != NULL; ++output_count) {
        outputs[output_count] =
            shape_rig_tensor(r, c->output != NULL ? c->output : "f32 9");
    }
    shape_rig_op(r, (mb_op_spec){.code = c->code,
                                 .inputs = {inputs, input_count},
                                 .outputs = {outputs, output_count},
                                 .options = {c->options, c->option_count}});
    shape_rig_io(r, (mb_ints){graph_inputs, graph_input_count},
                 (mb_ints){outputs, output_count});
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    for (size_t i = 0; i < output_count; ++i) {
        const char *found = shape_rig_text(r, 0, outputs[i]);
        if (strcmp(found, c->expect[i]) != 0) {
            fail_msg("case %zu, %s, output %zu: %s, not %s", number,
                     berth_op_name(c->code), i, found, c->expect[i]);
        }
    }
    shape_rig_free(r);
}

static void run_cases(const one_case *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        run_case(&cases[i], i);
    }
}

#define RUN(cases) run_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static void elementwise(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_ADD, .inputs = {"2x3", "2x3"}, .expect = {"2x3"}},
        {.code = BERTH_OP_ADD, .inputs = {"2x1x4", "3x1"}, .expect = {"2x3x4"}},
        {.code = BERTH_OP_MUL, .inputs = {"scalar", "5"}, .expect = {"5"}},
        {.code = BERTH_OP_SUB, .inputs = {"0x1", "1x4"}, .expect = {"0x4"}},
        {.code = BERTH_OP_SUB, .inputs = {"0", "1"}, .expect = {"0"}},
        {.code = BERTH_OP_SUB, .inputs = {"0", "2"}, .expect = {"~9"}},
        {.code = BERTH_OP_DIV, .inputs = {"2x3", "2"}, .expect = {"~9"}},
        {.code = BERTH_OP_DIV, .inputs = {"2x3"}, .expect = {"~9"}},
        {.code = BERTH_OP_DIV, .inputs = {"2x3", "-"}, .expect = {"~9"}},
        {.code = BERTH_OP_RELU, .inputs = {"2x3"}, .expect = {"2x3"}},
        {.code = BERTH_OP_RELU, .inputs = {"scalar"}, .expect = {"scalar"}},
        {.code = BERTH_OP_RELU, .inputs = {NULL}, .expect = {"~9"}},
        {.code = BERTH_OP_RELU,
         .inputs = {"1x1x1x1x1x1x1x2"},
         .expect = {"1x1x1x1x1x1x1x2"}},
        {.code = BERTH_OP_RELU,
         .inputs = {"1x1x1x1x1x1x1x1x2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_STABLEHLO_ADD,
         .inputs = {"2", "1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SELECT,
         .inputs = {"bool 2", "2x3", "2x3"},
         .expect = {"2x3"}},
        {.code = BERTH_OP_SELECT,
         .inputs = {"bool 3", "2x3", "2x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SELECT_V2,
         .inputs = {"bool 2x1", "3", "1x1"},
         .expect = {"2x3"}},
        {.code = BERTH_OP_SELECT_V2,
         .inputs = {"bool 1", "scalar", "1"},
         .expect = {"scalar"},
         .output = "scalar"},
        {.code = BERTH_OP_BITCAST,
         .inputs = {"2x3"},
         .expect = {"2x3x4"},
         .output = "u8 9"},
        {.code = BERTH_OP_BITCAST, .inputs = {"u8 3x4"}, .expect = {"3"}},
        {.code = BERTH_OP_BITCAST, .inputs = {"u8 3x3"}, .expect = {"~9"}},
        {.code = BERTH_OP_BITCAST, .inputs = {"u8 scalar"}, .expect = {"~9"}},
    };
    RUN(cases);
}

#define CONV(same, sh, sw, dh, dw)                                             \
    OPTIONS(OPT(Conv2DOptions_padding, (same) ? 0 : 1),                        \
            OPT(Conv2DOptions_stride_h, sh), OPT(Conv2DOptions_stride_w, sw),  \
            OPT(Conv2DOptions_dilation_h_factor, dh),                          \
            OPT(Conv2DOptions_dilation_w_factor, dw))
#define POOL(same, stride, size)                                               \
    OPTIONS(OPT(Pool2DOptions_padding, (same) ? 0 : 1),                        \
            OPT(Pool2DOptions_stride_h, stride),                               \
            OPT(Pool2DOptions_stride_w, stride),                               \
            OPT(Pool2DOptions_filter_height, size),                            \
            OPT(Pool2DOptions_filter_width, size))

static void windows(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_CONV_2D,
         CONV(1, 2, 3, 1, 1),
         .inputs = {"1x9x9x4", "8x3x3x4"},
         .expect = {"1x5x3x8"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(0, 1, 1, 2, 1),
         .inputs = {"1x9x9x4", "8x3x3x4"},
         .expect = {"1x5x7x8"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(0, 1, 1, 1, 1),
         .inputs = {"1x2x9x4", "8x3x3x4"},
         .expect = {"1x0x7x8"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(0, 1, 1, 1, 1),
         .inputs = {"1x1x9x4", "8x3x3x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(1, 0, 1, 1, 1),
         .inputs = {"1x9x9x4", "8x3x3x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(1, -1, 1, 1, 1),
         .inputs = {"1x9x9x4", "8x3x3x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(0, 1, 1, INT32_MAX, 0),
         .inputs = {"1x9x9x4", "8x3x3x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(1, 1, 1, 1, 1),
         .inputs = {"1x9x9x4", "8x3x3x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(1, 1, 1, 1, 1),
         .inputs = {"1x9x9x4", "8x3x3x2"},
         .expect = {"1x9x9x8"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(1, 1, 1, 1, 1),
         .inputs = {"1x9x9x4", "8x3x3x0"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         CONV(1, 1, 1, 1, 1),
         .inputs = {"9x9x4", "8x3x3x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONV_2D,
         .inputs = {"1x9x9x4", "8x3x3x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_DEPTHWISE_CONV_2D,
         OPTIONS(OPT(DepthwiseConv2DOptions_stride_h, 2),
                 OPT(DepthwiseConv2DOptions_stride_w, 2)),
         .inputs = {"1x8x8x4", "1x3x3x8"},
         .expect = {"1x4x4x8"}},
        {.code = BERTH_OP_MAX_POOL_2D,
         POOL(0, 2, 2),
         .inputs = {"1x9x9x4"},
         .expect = {"1x4x4x4"}},
        {.code = BERTH_OP_MAX_POOL_2D,
         POOL(1, 2, 2),
         .inputs = {"1x9x9x4"},
         .expect = {"1x5x5x4"}},
        {.code = BERTH_OP_MAX_POOL_2D,
         POOL(1, 2, 0),
         .inputs = {"1x9x9x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_TRANSPOSE_CONV,
         .inputs = {"i32 4 = 1 8 8 3", "3x2x2x5", "1x4x4x5"},
         .expect = {"1x8x8x3"}},
        {.code = BERTH_OP_TRANSPOSE_CONV,
         .inputs = {"i32 4", "3x2x2x5", "1x4x4x5"},
         .expect = {"? TRANSPOSE_CONV"}},
        {.code = BERTH_OP_RESIZE_BILINEAR,
         .inputs = {"1x4x4x3", "i32 2 = 7 9"},
         .expect = {"1x7x9x3"}},
        {.code = BERTH_OP_RESIZE_BILINEAR,
         .inputs = {"1x4x4x3", "i32 2 = 0 9"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RESIZE_BILINEAR,
         .inputs = {"1x4x4x3", "i32 2"},
         .expect = {"? RESIZE_BILINEAR"}},
        {.code = BERTH_OP_SPACE_TO_DEPTH,
         OPTIONS(OPT(SpaceToDepthOptions_block_size, 2)),
         .inputs = {"1x4x6x3"},
         .expect = {"1x2x3x12"}},
        {.code = BERTH_OP_SPACE_TO_DEPTH,
         OPTIONS(OPT(SpaceToDepthOptions_block_size, 3)),
         .inputs = {"1x4x6x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SPACE_TO_DEPTH,
         OPTIONS(OPT(SpaceToDepthOptions_block_size, INT32_MIN)),
         .inputs = {"1x4x6x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_DEPTH_TO_SPACE,
         OPTIONS(OPT(DepthToSpaceOptions_block_size, 2)),
         .inputs = {"1x2x3x12"},
         .expect = {"1x4x6x3"}},
        {.code = BERTH_OP_SPACE_TO_BATCH_ND,
         .inputs = {"1x4x4x3", "i32 2 = 2 2", "i32 2x2 = 1 1 0 2"},
         .expect = {"4x3x3x3"}},
        {.code = BERTH_OP_SPACE_TO_BATCH_ND,
         .inputs = {"1x4x4x3", "i32 2 = 0 2", "i32 2x2 = 1 1 0 2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SPACE_TO_BATCH_ND,
         .inputs = {"1x4x4x3", "i32 2 = 2147483647 2147483647",
                    "i32 2x2 = 0 2147483643 0 2147483643"},
         .expect = {"~9"}},
        {.code = BERTH_OP_BATCH_TO_SPACE_ND,
         .inputs = {"4x3x3x3", "i32 2 = 2 2", "i32 2x2 = 1 1 0 2"},
         .expect = {"1x4x4x3"}},
        {.code = BERTH_OP_BATCH_TO_SPACE_ND,
         .inputs = {"4x3x3x3", "i32 2", "i32 2x2 = 1 1 0 2"},
         .expect = {"? BATCH_TO_SPACE_ND"}},
    };
    RUN(cases);
}

static void layout(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"2x6", "i32 2 = 3 -1"},
         .expect = {"3x4"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"2x6", "i32 2 = -1 -1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"2x6", "i32 2 = 5 -1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"2x6", "i32 2 = 3 -4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"0x6", "i32 2 = -1 0"},
         .expect = {"6x0"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"0x6", "i32 2 = -1 3"},
         .expect = {"0x3"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"1x1", "i32 0"},
         .expect = {"scalar"}},
        {.code = BERTH_OP_RESHAPE,
         .inputs = {"2x6", "i32 2"},
         .expect = {"? RESHAPE"}},
        {.code = BERTH_OP_RESHAPE,
         OPTIONS(OPT_INTS(ReshapeOptions_new_shape, 4, -1)),
         .inputs = {"2x6"},
         .expect = {"4x3"}},
        {.code = BERTH_OP_RESHAPE,
         OPTIONS(OPT_INTS(ReshapeOptions_new_shape, 0)),
         .inputs = {"1"},
         .expect = {"scalar"}},
        {.code = BERTH_OP_RESHAPE,
         OPTIONS(OPT_INTS(ReshapeOptions_new_shape, 1, 1, 1, 1, 1, 1, 1, 1, 1)),
         .inputs = {"1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SQUEEZE, .inputs = {"1x3x1x2"}, .expect = {"3x2"}},
        {.code = BERTH_OP_SQUEEZE,
         OPTIONS(OPT_INTS(SqueezeOptions_squeeze_dims, -2)),
         .inputs = {"1x3x1x2"},
         .expect = {"1x3x2"}},
        {.code = BERTH_OP_SQUEEZE,
         OPTIONS(OPT_INTS(SqueezeOptions_squeeze_dims, 1)),
         .inputs = {"1x3x1x2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SQUEEZE,
         OPTIONS(OPT_INTS(SqueezeOptions_squeeze_dims, INT32_MIN)),
         .inputs = {"1x3x1x2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_EXPAND_DIMS,
         .inputs = {"2x3", "i32 1 = -1"},
         .expect = {"2x3x1"}},
        {.code = BERTH_OP_EXPAND_DIMS,
         .inputs = {"2x3", "i32 scalar = 3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_EXPAND_DIMS,
         .inputs = {"1x1x1x1x1x1x1x2", "i32 scalar = 0"},
         .expect = {"~9"}},
        {.code = BERTH_OP_TRANSPOSE,
         .inputs = {"2x3x4", "i32 3 = 2 0 -2"},
         .expect = {"4x2x3"}},
        {.code = BERTH_OP_TRANSPOSE,
         .inputs = {"2x3x4", "i32 3 = 2 0 3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_TRANSPOSE,
         .inputs = {"2x3x4", "i32 3"},
         .expect = {"? TRANSPOSE"}},
        {.code = BERTH_OP_TILE,
         .inputs = {"2x3", "i64 2 = 2 0"},
         .expect = {"4x0"}},
        {.code = BERTH_OP_TILE,
         .inputs = {"2x3", "i64 2 = 2 4294967296"},
         .expect = {"~9"}},
        {.code = BERTH_OP_TILE,
         .inputs = {"65536x65536x65536", "i32 3 = 65536 1 1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_BROADCAST_TO,
         .inputs = {"3x1", "i32 3 = 2 3 4"},
         .expect = {"2x3x4"}},
        {.code = BERTH_OP_BROADCAST_TO,
         .inputs = {"3x2", "i32 3 = 2 3 4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_MATRIX_DIAG, .inputs = {"2x3"}, .expect = {"2x3x3"}},
        {.code = BERTH_OP_MATRIX_DIAG, .inputs = {"scalar"}, .expect = {"~9"}},
        {.code = BERTH_OP_PAD,
         .inputs = {"2x3", "i32 2x2 = 1 0 2 2"},
         .expect = {"3x7"}},
        {.code = BERTH_OP_PAD,
         .inputs = {"2x3", "i32 2x2 = -1 0 2 2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_PAD,
         .inputs = {"2x3", "i32 2x2"},
         .expect = {"? PAD"}},
        {.code = BERTH_OP_MIRROR_PAD,
         .inputs = {"2x3", "i32 2x2 = 1 1 2 2"},
         .expect = {"4x7"}},
        {.code = BERTH_OP_MIRROR_PAD,
         .inputs = {"2x3", "i32 2x2 = 2 1 2 2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_MIRROR_PAD,
         OPTIONS(OPT(MirrorPadOptions_mode, 1)),
         .inputs = {"2x3", "i32 2x2 = 2 1 2 2"},
         .expect = {"5x7"}},
    };
    RUN(cases);
}

static void joins_and_slices(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_CONCATENATION,
         OPTIONS(OPT(ConcatenationOptions_axis, -1)),
         .inputs = {"2x3", "2x0", "2x5"},
         .expect = {"2x8"}},
        {.code = BERTH_OP_CONCATENATION,
         .inputs = {"2x3", "2x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONCATENATION,
         OPTIONS(OPT(ConcatenationOptions_axis, 2)),
         .inputs = {"2x3", "2x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_CONCATENATION,
         .inputs = {"2147483647", "2147483647"},
         .expect = {"~9"}},
        {.code = BERTH_OP_PACK,
         OPTIONS(OPT(PackOptions_axis, -1)),
         .inputs = {"2x3", "2x3"},
         .expect = {"2x3x2"}},
        {.code = BERTH_OP_PACK, .inputs = {"2x3", "3x2"}, .expect = {"~9"}},
        {.code = BERTH_OP_UNPACK,
         OPTIONS(OPT(UnpackOptions_axis, 1)),
         .inputs = {"3x2"},
         .expect = {"3", "3"}},
        {.code = BERTH_OP_UNPACK, .inputs = {"3x2"}, .expect = {"~9", "~9"}},
        {.code = BERTH_OP_SPLIT,
         .inputs = {"i32 scalar = 1", "3x4"},
         .expect = {"3x2", "3x2"}},
        {.code = BERTH_OP_SPLIT,
         .inputs = {"i32 scalar = 0", "3x4"},
         .expect = {"~9", "~9"}},
        {.code = BERTH_OP_SPLIT,
         .inputs = {"i32 scalar", "3x4"},
         .expect = {"? SPLIT", "? SPLIT"}},
        {.code = BERTH_OP_SPLIT_V,
         .inputs = {"7x2", "i32 3 = 3 -1 2", "i32 scalar = 0"},
         .expect = {"3x2", "2x2", "2x2"}},
        {.code = BERTH_OP_SPLIT_V,
         .inputs = {"7x2", "i64 2 = 9 -2", "i32 scalar = 0"},
         .expect = {"~9", "~9"}},
        {.code = BERTH_OP_SPLIT_V,
         .inputs = {"7x2", "i32 2 = 3 5", "i32 scalar = 0"},
         .expect = {"~9", "~9"}},
        {.code = BERTH_OP_SLICE,
         .inputs = {"5x6", "i32 2 = 1 2", "i32 2 = 3 -1"},
         .expect = {"3x4"}},
        {.code = BERTH_OP_SLICE,
         .inputs = {"5x6", "i32 2 = 3 2", "i32 2 = 3 -1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SLICE,
         .inputs = {"5x6", "i32 2", "i32 2 = 3 4"},
         .expect = {"3x4"}},
        {.code = BERTH_OP_SLICE,
         .inputs = {"5x6", "i32 2", "i32 2 = 3 -1"},
         .expect = {"~3x5"},
         .output = "3x5"},
        {.code = BERTH_OP_SLICE,
         .inputs = {"5x6", "i32 2", "i32 2 = 3 -1"},
         .expect = {"? SLICE"},
         .output = "3x5 sig 3x-1"},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"5x6", "i32 2 = 4 0", "i32 2 = -6 6", "i32 2 = -2 4"},
         .expect = {"3x2"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"5x6", "i32 2 = 0 0", "i32 2 = 5 6", "i32 2 = 1 0"},
         .expect = {"~9"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"5x6", "i32 1 = -100", "i32 1 = 100", "i32 1 = 3"},
         .expect = {"2x6"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         OPTIONS(OPT(StridedSliceOptions_shrink_axis_mask, 1)),
         .inputs = {"5x6", "i32 1 = 2", "i32 1 = 3", "i32 1 = 1"},
         .expect = {"6"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         OPTIONS(OPT(StridedSliceOptions_ellipsis_mask, 1),
                 OPT(StridedSliceOptions_new_axis_mask, 2)),
         .inputs = {"5x6x7", "i32 3 = 0 0 1", "i32 3 = 0 0 4", "i32 3 = 1 1 1"},
         .expect = {"5x6x1x3"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         OPTIONS(OPT(StridedSliceOptions_begin_mask, 3),
                 OPT(StridedSliceOptions_end_mask, 3)),
         .inputs = {"5x6", "i32 2 = 2 2", "i32 2 = 3 3", "i32 2 = 1 -1"},
         .expect = {"5x6"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"5", "i32 2 = 2 2", "i32 2 = 3 3", "i32 2 = 1 1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"5", "i32 1 = 2147483647", "i32 1 = -2147483648",
                    "i32 1 = -2147483648"},
         .expect = {"~9"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"5", "i32 1", "i32 1 = 3", "i32 1 = 1"},
         .expect = {"? STRIDED_SLICE"}},
    };
    RUN(cases);
}

static void indexes(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_GATHER,
         OPTIONS(OPT(GatherOptions_axis, 1)),
         .inputs = {"2x3x4", "i32 5x6"},
         .expect = {"2x5x6x4"}},
        {.code = BERTH_OP_GATHER,
         OPTIONS(OPT(GatherOptions_axis, 1), OPT(GatherOptions_batch_dims, 1)),
         .inputs = {"2x3x4", "i32 2x6"},
         .expect = {"2x6x4"}},
        {.code = BERTH_OP_GATHER,
         OPTIONS(OPT(GatherOptions_axis, 1), OPT(GatherOptions_batch_dims, 1)),
         .inputs = {"2x3x4", "i32 3x6"},
         .expect = {"~9"}},
        {.code = BERTH_OP_GATHER,
         OPTIONS(OPT(GatherOptions_axis, 3)),
         .inputs = {"2x3x4", "i32 5"},
         .expect = {"~9"}},
        {.code = BERTH_OP_GATHER,
         .inputs = {"1x1x1x1x1x1x1x1", "i32 1x1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_GATHER_ND,
         .inputs = {"2x3x4", "i32 7x2"},
         .expect = {"7x4"}},
        {.code = BERTH_OP_GATHER_ND,
         .inputs = {"2x3x4", "i32 7x4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_GATHER_ND,
         .inputs = {"2x3x4", "i32 7x0"},
         .expect = {"7x2x3x4"}},
        {.code = BERTH_OP_SCATTER_ND,
         .inputs = {"i32 3x1", "3x4", "i32 2 = 9 4"},
         .expect = {"9x4"}},
        {.code = BERTH_OP_SCATTER_ND,
         .inputs = {"i32 3x1", "3x5", "i32 2 = 9 4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SCATTER_ND,
         .inputs = {"i32 3x9", "3x5", "i32 2 = 9 4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SCATTER_ND,
         .inputs = {"i32 3x1", "3x4", "i32 2"},
         .expect = {"? SCATTER_ND"}},
        {.code = BERTH_OP_ONE_HOT,
         OPTIONS(OPT(OneHotOptions_axis, -1)),
         .inputs = {"i32 2x3", "i32 scalar = 7", "scalar", "scalar"},
         .expect = {"2x3x7"}},
        {.code = BERTH_OP_ONE_HOT,
         OPTIONS(OPT(OneHotOptions_axis, 0)),
         .inputs = {"i32 2x3", "i32 scalar = -7", "scalar", "scalar"},
         .expect = {"~9"}},
        {.code = BERTH_OP_ONE_HOT,
         OPTIONS(OPT(OneHotOptions_axis, -2)),
         .inputs = {"i32 2x3", "i32 scalar = 7", "scalar", "scalar"},
         .expect = {"~9"}},
        {.code = BERTH_OP_TOPK_V2,
         .inputs = {"2x9", "i32 scalar = 4"},
         .expect = {"2x4", "2x4"}},
        {.code = BERTH_OP_TOPK_V2,
         .inputs = {"2x9", "i32 scalar = 10"},
         .expect = {"~9", "~9"}},
        {.code = BERTH_OP_TOPK_V2,
         .inputs = {"2x9", "i32 scalar"},
         .expect = {"? TOPK_V2", "? TOPK_V2"}},
        {.code = BERTH_OP_WHERE,
         .inputs = {"bool 2x2 = 1 0 1 1"},
         .expect = {"3x2"}},
        {.code = BERTH_OP_WHERE, .inputs = {"bool 2x2"}, .expect = {"? WHERE"}},
        {.code = BERTH_OP_UNIQUE,
         .inputs = {"i32 7"},
         .expect = {"? UNIQUE", "7"}},
        {.code = BERTH_OP_NON_MAX_SUPPRESSION_V4,
         .inputs = {"20x4", "20", "i32 scalar = 5", "scalar", "scalar"},
         .expect = {"5", "scalar"}},
        {.code = BERTH_OP_NON_MAX_SUPPRESSION_V5,
         .inputs = {"20x4", "20", "i32 scalar", "scalar", "scalar", "scalar"},
         .expect = {"? NON_MAX_SUPPRESSION_V5", "? NON_MAX_SUPPRESSION_V5",
                    "scalar"}},
        {.code = BERTH_OP_SEGMENT_SUM,
         .inputs = {"4x3", "i32 4 = 0 0 1 2"},
         .expect = {"3x3"}},
        {.code = BERTH_OP_SEGMENT_SUM,
         .inputs = {"4x3", "i32 4"},
         .expect = {"? SEGMENT_SUM"}},
        {.code = BERTH_OP_UNSORTED_SEGMENT_MAX,
         .inputs = {"4x3x2", "i32 4x3", "i32 scalar = 8"},
         .expect = {"8x2"}},
        {.code = BERTH_OP_UNSORTED_SEGMENT_MAX,
         .inputs = {"4x3x2", "i32 4x2", "i32 scalar = 8"},
         .expect = {"~9"}},
        {.code = BERTH_OP_EMBEDDING_LOOKUP,
         .inputs = {"i32 6", "100x3x2"},
         .expect = {"6x3x2"}},
        {.code = BERTH_OP_MULTINOMIAL,
         .inputs = {"2x9", "i32 scalar = 4"},
         .expect = {"2x4"}},
    };
    RUN(cases);
}

static void numbers_and_reductions(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_SHAPE, .inputs = {"2x3x4"}, .expect = {"3"}},
        {.code = BERTH_OP_RANK, .inputs = {"2x3x4"}, .expect = {"scalar"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"i32 scalar = 2", "i32 scalar = 11", "i32 scalar = 3"},
         .expect = {"3"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"i32 scalar = 11", "i32 scalar = 1", "i32 scalar = -3"},
         .expect = {"4"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"i32 scalar = 2", "i32 scalar = 11", "i32 scalar = 0"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"i32 scalar = 2", "i32 scalar = 11", "i32 scalar = -1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"i64 scalar = -9223372036854775808",
                    "i64 scalar = 9223372036854775807", "i64 scalar = 1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"scalar = 0", "scalar = 1", "scalar = 0.3"},
         .expect = {"4"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"scalar = 0", "scalar = 1", "scalar = 0"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"scalar = 0", "scalar = 1e30", "scalar = 1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"scalar = nan", "scalar = 1", "scalar = 1"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"scalar", "scalar = 1", "scalar = 1"},
         .expect = {"? RANGE"}},
        {.code = BERTH_OP_FILL,
         .inputs = {"i64 2 = 3 4", "scalar"},
         .expect = {"3x4"}},
        {.code = BERTH_OP_FILL,
         .inputs = {"i64 1 = -1", "scalar"},
         .expect = {"~9"}},
        {.code = BERTH_OP_FILL,
         .inputs = {"i32 0", "scalar"},
         .expect = {"scalar"}},
        {.code = BERTH_OP_FILL,
         .inputs = {"i32 1", "scalar"},
         .expect = {"? FILL"}},
        {.code = BERTH_OP_BROADCAST_ARGS,
         .inputs = {"i32 2", "i32 4"},
         .expect = {"4"}},
        {.code = BERTH_OP_RFFT2D,
         .inputs = {"3x5x9", "i32 2 = 4 16"},
         .expect = {"3x4x9"},
         .output = "c64 9"},
        {.code = BERTH_OP_RFFT2D,
         .inputs = {"3x5x9", "i32 2 = 4 15"},
         .expect = {"~9"}},
        {.code = BERTH_OP_ARG_MAX,
         .inputs = {"2x3x4", "i32 1 = -2"},
         .expect = {"2x4"}},
        {.code = BERTH_OP_ARG_MAX,
         .inputs = {"2x3x4", "i32 1 = 3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_MEAN,
         OPTIONS(OPT(ReducerOptions_keep_dims, 1)),
         .inputs = {"2x3x4", "i32 2 = 0 -1"},
         .expect = {"1x3x1"}},
        {.code = BERTH_OP_MEAN,
         .inputs = {"2x3x4", "i32 2 = 2 -1"},
         .expect = {"2x3"}},
        {.code = BERTH_OP_MEAN,
         .inputs = {"2x3x4", "i32 2 = 2 -4"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SUM,
         .inputs = {"2x3x4", "i32 2"},
         .expect = {"? SUM"}},
    };
    RUN(cases);
}

static void matrices(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_FULLY_CONNECTED,
         .inputs = {"2x3x4", "5x4", "-"},
         .expect = {"6x5"}},
        {.code = BERTH_OP_FULLY_CONNECTED,
         OPTIONS(OPT(FullyConnectedOptions_keep_num_dims, 1)),
         .inputs = {"2x3x4", "5x4", "-"},
         .expect = {"2x3x5"}},
        {.code = BERTH_OP_FULLY_CONNECTED,
         .inputs = {"2x3x4", "5x5"},
         .expect = {"~9"}},
        {.code = BERTH_OP_FULLY_CONNECTED,
         .inputs = {"2x3x4", "5x0"},
         .expect = {"~9"}},
        {.code = BERTH_OP_BATCH_MATMUL,
         .inputs = {"5x1x2x3", "7x3x4"},
         .expect = {"5x7x2x4"}},
        {.code = BERTH_OP_BATCH_MATMUL,
         OPTIONS(OPT(BatchMatMulOptions_adj_x, 1),
                 OPT(BatchMatMulOptions_adj_y, 1)),
         .inputs = {"3x2", "4x3"},
         .expect = {"2x4"}},
        {.code = BERTH_OP_BATCH_MATMUL,
         .inputs = {"3x2", "4x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_BATCH_MATMUL,
         .inputs = {"3", "3x3"},
         .expect = {"~9"}},
        {.code = BERTH_OP_RNN,
         .inputs = {"2x3", "5x3", "5x5", "5", "2x5 var"},
         .expect = {"2x5"}},
        {.code = BERTH_OP_RNN,
         .inputs = {"2x3", "5x3", "5x5", "5", "1x5 var"},
         .expect = {"~9"}},
        {.code = BERTH_OP_SVDF,
         OPTIONS(OPT(SVDFOptions_rank, 2)),
         .inputs = {"2x3", "8x3", "8x10", "4", "2x80 var"},
         .expect = {"2x4"}},
        {.code = BERTH_OP_SVDF,
         OPTIONS(OPT(SVDFOptions_rank, 0)),
         .inputs = {"2x3", "8x3", "8x10", "4", "2x80 var"},
         .expect = {"~9"}},
        {.code = BERTH_OP_LSTM,
         OPTIONS(OPT(LSTMOptions_kernel_type, 1)),
         .inputs = {"2x3", "2x5", "20x8", "20", "2x5"},
         .expect = {"2x5", "2x5", "2x8", "2x20"}},
        {.code = BERTH_OP_LSTM, .inputs = {"2x3", "2x5"}, .expect = {"~9"}},
    };
    RUN(cases);
}

static void stablehlo(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_STABLEHLO_PAD,
         OPTIONS(OPT_INTS(StablehloPadOptions_edge_padding_low, 1, -1),
                 OPT_INTS(StablehloPadOptions_edge_padding_high, 0, 0),
                 OPT_INTS(StablehloPadOptions_interior_padding, 2, 0)),
         .inputs = {"3x4", "scalar"},
         .expect = {"8x3"}},
        {.code = BERTH_OP_STABLEHLO_PAD,
         OPTIONS(OPT_INTS(StablehloPadOptions_edge_padding_low, -3, 0),
                 OPT_INTS(StablehloPadOptions_edge_padding_high, 0, 0),
                 OPT_INTS(StablehloPadOptions_interior_padding, 0, 0)),
         .inputs = {"3x4", "scalar"},
         .expect = {"0x0"}},
        {.code = BERTH_OP_STABLEHLO_PAD,
         .inputs = {"3x4", "scalar"},
         .expect = {"~9"}},
        {.code = BERTH_OP_DILATE,
         .inputs = {"3x4", "i32 2 = 2 1", "scalar"},
         .expect = {"5x4"}},
        {.code = BERTH_OP_DILATE,
         .inputs = {"3x4", "i32 2 = 0 1", "scalar"},
         .expect = {"~9"}},
        {.code = BERTH_OP_REDUCE_WINDOW,
         .inputs = {"5x9", "scalar", "i64 2 = 2 3", "i64 2 = 1 2",
                    "i64 2 = 1 2"},
         .expect = {"4x3"}},
        {.code = BERTH_OP_REDUCE_WINDOW,
         .inputs = {"5x9", "scalar", "i64 2 = 2 0", "i64 2 = 1 2",
                    "i64 2 = 1 2"},
         .expect = {"~9"}},
        {.code = BERTH_OP_STABLEHLO_GATHER,
         OPTIONS(OPT_INTS(StablehloGatherOptions_offset_dims, 1),
                 OPT_INTS(StablehloGatherOptions_collapsed_slice_dims, 0),
                 OPT_INTS(StablehloGatherOptions_slice_sizes, 1, 4),
                 OPT(StablehloGatherOptions_index_vector_dim, 1)),
         .inputs = {"9x4", "i32 5x1"},
         .expect = {"5x4"}},
        {.code = BERTH_OP_STABLEHLO_GATHER,
         OPTIONS(OPT_INTS(StablehloGatherOptions_offset_dims, 7),
                 OPT_INTS(StablehloGatherOptions_collapsed_slice_dims, 0),
                 OPT_INTS(StablehloGatherOptions_slice_sizes, 1, 4),
                 OPT(StablehloGatherOptions_index_vector_dim, 1)),
         .inputs = {"9x4", "i32 5x1"},
         .expect = {"~9"}},
    };
    RUN(cases);
}

/* An operator without a shape function, and what a file may say of it. */
static void unknown_operators_keep_the_files_word(void **state)
{
    (void)state;
    const one_case cases[] = {
        {.code = BERTH_OP_CUSTOM,
         .inputs = {"2"},
         .expect = {"~2x7"},
         .output = "2x7"},
        {.code = BERTH_OP_CUSTOM,
         .inputs = {"2"},
         .expect = {"~scalar"},
         .output = "scalar"},
        {.code = BERTH_OP_CUSTOM,
         .inputs = {"2"},
         .expect = {"? CUSTOM"},
         .output = "unknown"},
        {.code = BERTH_OP_STABLEHLO_SORT,
         .inputs = {"2"},
         .expect = {"~2x7"},
         .output = "2x7"},
    };
    RUN(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise),
        cmocka_unit_test(windows),
        cmocka_unit_test(layout),
        cmocka_unit_test(joins_and_slices),
        cmocka_unit_test(indexes),
        cmocka_unit_test(numbers_and_reductions),
        cmocka_unit_test(matrices),
        cmocka_unit_test(stablehlo),
        cmocka_unit_test(unknown_operators_keep_the_files_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

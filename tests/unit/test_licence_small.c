/* Small operators of every family and type, in all ways that their rows allow
 * (licence.h), with both sets of kernels. One step beyond the largest distance
 * has to change the result, or the test sees nothing. */
#include "licence.h"
#include "model_builder.h"
#include "random_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 5, RANK_MAX = 5, VALUES_MAX = 64, BYTES_MAX = 4096 };

/* A tensor: a type and a shape, "= 1 2" for a parameter. T is the type that the
 * operator is tried with, W what its weights have then, B its bias; those two
 * are constants by chance. */
typedef struct small {
    uint32_t code;
    const char *types; /* "f32 i8" */
    const char *inputs[OPERANDS_MAX];
    const char *outputs[OPERANDS_MAX];
    mb_option options[5];
    size_t option_count;
    bool seen; /* one step beyond has to be seen, where T goes to T */
} small;

typedef struct element_type {
    const char *name;
    berth_type type;
    berth_type weights;
    berth_type bias;
    float scale; /* 0: no quantization */
    int64_t zero_point;
} element_type;

static const element_type element_types[] = {
    {"f32", BERTH_FLOAT32, BERTH_FLOAT32, BERTH_FLOAT32, 0, 0},
    {"i8", BERTH_INT8, BERTH_INT8, BERTH_INT32, 0.05f, -3},
    {"u8", BERTH_UINT8, BERTH_UINT8, BERTH_INT32, 0.05f, 120},
    {"i16", BERTH_INT16, BERTH_INT8, BERTH_INT64, 0.01f, 0},
    {"i32", BERTH_INT32, BERTH_INT32, BERTH_INT32, 0, 0},
    {"i64", BERTH_INT64, BERTH_INT64, BERTH_INT64, 0, 0},
    {"bool", BERTH_BOOL, BERTH_BOOL, BERTH_BOOL, 0, 0},
};

static const element_type *element_type_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(element_types) / sizeof(element_types[0]);
         ++i) {
        if (strlen(element_types[i].name) == length &&
            strncmp(element_types[i].name, name, length) == 0) {
            return &element_types[i];
        }
    }
    fail_msg("no type in '%s'", name);
    return NULL;
}

/* --- models ----------------------------------------------------------------
 */

/* Floats of [-1, 1), bytes of all values, larger integers of 0..7. */
static void fill_by_chance(uint8_t *data, size_t count, berth_type type,
                           uint64_t *seed)
{
    const size_t size = berth_type_bits(type) / 8u;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t draw = seed_below(seed, 1u << 24);
        const float real = (float)draw / (float)(1 << 23) - 1.0f;
        const int64_t whole = draw % 8u;
        const bool narrow = size <= 2 && type != BERTH_BOOL;
        if (type == BERTH_FLOAT32) {
            memcpy(data + i * size, &real, size);
        } else if (narrow) {
            memcpy(data + i * size, &draw, size);
        } else {
            const int64_t value = type == BERTH_BOOL ? whole % 2 : whole;
            memcpy(data + i * size, &value, size);
        }
    }
}

static int32_t add_tensor(mb *b, uint32_t g, const char *text,
                          const element_type *t, uint64_t *seed)
{
    const char *rest = strchr(text, ' ');
    const bool weights = text[0] == 'W';
    const bool bias = text[0] == 'B';
    const element_type *own =
        text[0] == 'T' || weights || bias
            ? t
            : element_type_of(text, (size_t)(rest - text));
    const berth_type type = weights ? own->weights
                            : bias  ? own->bias
                                    : own->type;
    uint8_t data[BYTES_MAX];
    int32_t dims[RANK_MAX];
    int32_t values[VALUES_MAX];
    size_t rank = 0;
    size_t count = 1;
    size_t given = 0;
    char *at = (char *)(uintptr_t)rest;
    while (*at != '\0' && *at != '=') {
        dims[rank] = (int32_t)strtol(at + 1, &at, 10);
        count *= (size_t)dims[rank++];
        at += *at == ' ' ? 1 : 0;
    }
    while (*at != '\0') {
        values[given++] = (int32_t)strtol(at + 1, &at, 10);
    }
    const int64_t zero = weights && type != BERTH_UINT8 ? 0 : own->zero_point;
    const float scale = bias ? own->scale * own->scale : own->scale;
    const int64_t zero_point = bias ? 0 : zero;
    const mb_quantization quantization = {.scales = &scale,
                                          .scale_count = 1,
                                          .zero_points = &zero_point,
                                          .zero_point_count = 1};
    fill_by_chance(data, count, type, seed);
    mb_tensor_spec spec = {.type = type, .shape = {dims, rank}};
    if (given > 0) {
        spec.data = values;
        spec.data_bytes = given * sizeof(values[0]);
    } else if (weights || bias) {
        spec.data = data;
        spec.data_bytes = count * berth_type_bits(type) / 8u;
    }
    if (own->scale > 0 && text[0] != 'i') {
        spec.quantization = &quantization;
    }
    return mb_tensor(b, g, spec);
}

static berth_bytes make_model(mb *b, const small *s, const element_type *t,
                              uint64_t *seed)
{
    const uint32_t g = mb_subgraph(b, "main");
    int32_t in[OPERANDS_MAX];
    int32_t out[OPERANDS_MAX];
    int32_t fed[OPERANDS_MAX];
    size_t inputs = 0;
    size_t outputs = 0;
    size_t feeds = 0;
    for (; inputs < OPERANDS_MAX && s->inputs[inputs] != NULL; ++inputs) {
        const char *text = s->inputs[inputs];
        in[inputs] = add_tensor(b, g, text, t, seed);
        if (text[0] != 'W' && text[0] != 'B' && strchr(text, '=') == NULL) {
            fed[feeds++] = in[inputs];
        }
    }
    for (; outputs < OPERANDS_MAX && s->outputs[outputs] != NULL; ++outputs) {
        out[outputs] = add_tensor(b, g, s->outputs[outputs], t, seed);
    }
    mb_op(b, g,
          (mb_op_spec){.code = s->code,
                       .version = 2,
                       .inputs = {in, inputs},
                       .outputs = {out, outputs},
                       .options = {s->options, s->option_count}});
    mb_io(b, g, (mb_ints){fed, feeds}, (mb_ints){out, outputs});
    return mb_finish(b);
}

/* --- the table -------------------------------------------------------------
 */

#define INPUTS(...)                                                            \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define OUTPUTS(...)                                                           \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define OPTIONS(...) {__VA_ARGS__}, MB_COUNT(mb_option, __VA_ARGS__)
#define NO_OPTIONS   {{BERTH_OPT_AddOptions_pot_scale_int16, .value = 0}}, 0
#define SAME         0
#define VALID        1

#define CONV(padding_, stride, dilation)                                       \
    OPTIONS({BERTH_OPT_Conv2DOptions_padding, .value = (padding_)},            \
            {BERTH_OPT_Conv2DOptions_stride_h, .value = (stride)},             \
            {BERTH_OPT_Conv2DOptions_stride_w, .value = (stride)},             \
            {BERTH_OPT_Conv2DOptions_dilation_h_factor, .value = (dilation)},  \
            {BERTH_OPT_Conv2DOptions_dilation_w_factor, .value = (dilation)})
#define DEPTHWISE(padding_, stride, times)                                     \
    OPTIONS(                                                                   \
        {BERTH_OPT_DepthwiseConv2DOptions_padding, .value = (padding_)},       \
        {BERTH_OPT_DepthwiseConv2DOptions_stride_h, .value = (stride)},        \
        {BERTH_OPT_DepthwiseConv2DOptions_stride_w, .value = (stride)},        \
        {BERTH_OPT_DepthwiseConv2DOptions_depth_multiplier, .value = (times)})
#define POOL(padding_, stride, size)                                           \
    OPTIONS({BERTH_OPT_Pool2DOptions_padding, .value = (padding_)},            \
            {BERTH_OPT_Pool2DOptions_stride_h, .value = (stride)},             \
            {BERTH_OPT_Pool2DOptions_stride_w, .value = (stride)},             \
            {BERTH_OPT_Pool2DOptions_filter_height, .value = (size)},          \
            {BERTH_OPT_Pool2DOptions_filter_width, .value = (size)})
#define ONE(field_, value_) OPTIONS({BERTH_OPT_##field_, .value = (value_)})

#define NUMBERS "f32 i8 u8 i16"
#define ANY     "f32 i8 u8 i16 i32 i64"

static const small smalls[] = {
    {BERTH_OP_CONV_2D, NUMBERS, INPUTS("T 1x7x6x3", "W 4x3x3x3", "B 4"),
     OUTPUTS("T 1x7x6x4"), CONV(SAME, 1, 1), true},
    {BERTH_OP_CONV_2D, NUMBERS, INPUTS("T 2x7x6x2", "W 3x3x2x2", "B 3"),
     OUTPUTS("T 2x4x3x3"), CONV(SAME, 2, 1), true},
    {BERTH_OP_CONV_2D, NUMBERS, INPUTS("T 1x8x5x2", "W 3x2x2x2", "B 3"),
     OUTPUTS("T 1x6x3x3"), CONV(VALID, 1, 2), true},
    {BERTH_OP_CONV_2D, NUMBERS, INPUTS("T 1x5x4x6", "W 2x1x1x6", "B 2"),
     OUTPUTS("T 1x5x4x2"), CONV(VALID, 1, 1), true},
    {BERTH_OP_DEPTHWISE_CONV_2D, NUMBERS,
     INPUTS("T 1x6x5x3", "W 1x3x3x3", "B 3"), OUTPUTS("T 1x6x5x3"),
     DEPTHWISE(SAME, 1, 1), true},
    {BERTH_OP_DEPTHWISE_CONV_2D, NUMBERS,
     INPUTS("T 2x6x5x2", "W 1x3x3x4", "B 4"), OUTPUTS("T 2x3x3x4"),
     DEPTHWISE(SAME, 2, 2), true},
    {BERTH_OP_TRANSPOSE_CONV, "f32 i8 i16",
     INPUTS("i32 4 = 1 6 6 2", "W 2x3x3x3", "T 1x3x3x3"), OUTPUTS("T 1x6x6x2"),
     OPTIONS({BERTH_OPT_TransposeConvOptions_padding, .value = SAME},
             {BERTH_OPT_TransposeConvOptions_stride_h, .value = 2},
             {BERTH_OPT_TransposeConvOptions_stride_w, .value = 2}),
     false},
    {BERTH_OP_AVERAGE_POOL_2D, NUMBERS, INPUTS("T 1x7x6x3"),
     OUTPUTS("T 1x7x6x3"), POOL(SAME, 1, 3), true},
    {BERTH_OP_MAX_POOL_2D, NUMBERS, INPUTS("T 2x6x6x2"), OUTPUTS("T 2x3x3x2"),
     POOL(VALID, 2, 2), true},
    {BERTH_OP_FULLY_CONNECTED, "f32 i8 i16", INPUTS("T 5x7", "W 3x7", "B 3"),
     OUTPUTS("T 5x3"), ONE(FullyConnectedOptions_weights_format, 0), false},
    {BERTH_OP_BATCH_MATMUL, "f32 i8", INPUTS("T 2x3x4", "T 2x4x5"),
     OUTPUTS("T 2x3x5"), ONE(BatchMatMulOptions_adj_x, 0), false},
    {BERTH_OP_ADD, NUMBERS, INPUTS("T 2x3x4x5", "T 2x3x4x5"),
     OUTPUTS("T 2x3x4x5"), ONE(AddOptions_fused_activation_function, 0), true},
    {BERTH_OP_MUL, NUMBERS, INPUTS("T 2x3x4x5", "T 2x3x1x5"),
     OUTPUTS("T 2x3x4x5"), ONE(MulOptions_fused_activation_function, 0), true},
    {BERTH_OP_SUB, "f32 i8 u8 i32", INPUTS("T 4x6", "T 4x6"), OUTPUTS("T 4x6"),
     ONE(SubOptions_fused_activation_function, 0), true},
    {BERTH_OP_MAXIMUM, ANY, INPUTS("T 3x4x5", "T 3x4x5"), OUTPUTS("T 3x4x5"),
     NO_OPTIONS, false},
    {BERTH_OP_CONCATENATION, ANY, INPUTS("T 2x3x2", "T 2x3x4", "T 2x3x1"),
     OUTPUTS("T 2x3x7"), ONE(ConcatenationOptions_axis, -1), false},
    {BERTH_OP_CONCATENATION, ANY, INPUTS("T 2x3", "T 1x3"), OUTPUTS("T 3x3"),
     ONE(ConcatenationOptions_axis, 0), false},
    {BERTH_OP_PACK, "f32 i8 i32", INPUTS("T 2x3", "T 2x3"), OUTPUTS("T 2x2x3"),
     OPTIONS({BERTH_OPT_PackOptions_axis, .value = 1},
             {BERTH_OPT_PackOptions_values_count, .value = 2}),
     false},
    {BERTH_OP_UNPACK, "f32 i8 i32 bool", INPUTS("T 3x2x4"),
     OUTPUTS("T 3x4", "T 3x4"),
     OPTIONS({BERTH_OPT_UnpackOptions_axis, .value = -2},
             {BERTH_OPT_UnpackOptions_num, .value = 2}),
     false},
    {BERTH_OP_SPLIT, ANY, INPUTS("i32 1 = 1", "T 3x4x2"),
     OUTPUTS("T 3x2x2", "T 3x2x2"), ONE(SplitOptions_num_splits, 2), false},
    {BERTH_OP_SPLIT_V, ANY, INPUTS("T 3x6", "i32 3 = 1 3 -1", "i32 1 = -1"),
     OUTPUTS("T 3x1", "T 3x3", "T 3x2"), ONE(SplitVOptions_num_splits, 3),
     false},
    {BERTH_OP_TRANSPOSE, ANY, INPUTS("T 3x4x5", "i32 3 = 2 0 1"),
     OUTPUTS("T 5x3x4"), NO_OPTIONS, false},
    {BERTH_OP_SLICE, ANY, INPUTS("T 2x5x4", "i32 3 = 0 1 1", "i32 3 = 2 3 -1"),
     OUTPUTS("T 2x3x3"), NO_OPTIONS, false},
    {BERTH_OP_STRIDED_SLICE, ANY,
     INPUTS("T 4x5x3", "i32 3 = 3 0 0", "i32 3 = -9 5 2", "i32 3 = -1 2 1"),
     OUTPUTS("T 4x3x2"), ONE(StridedSliceOptions_begin_mask, 0), false},
    {BERTH_OP_GATHER, ANY, INPUTS("T 4x3x2", "i32 3 = 2 0 2"),
     OUTPUTS("T 4x3x2"), ONE(GatherOptions_axis, 1), false},
    {BERTH_OP_GATHER_ND, ANY, INPUTS("T 4x3x2", "i32 3x2 = 3 0 0 2 1 1"),
     OUTPUTS("T 3x2"), NO_OPTIONS, false},
    {BERTH_OP_PAD, ANY, INPUTS("T 2x3x4x2", "i32 4x2 = 0 0 1 2 2 1 0 0"),
     OUTPUTS("T 2x6x7x2"), NO_OPTIONS, false},
    {BERTH_OP_PAD, ANY, INPUTS("T 3x4", "i32 2x2 = 0 0 1 1"), OUTPUTS("T 3x6"),
     NO_OPTIONS, false},
    {BERTH_OP_MIRROR_PAD, ANY, INPUTS("T 3x4", "i32 2x2 = 2 1 1 2"),
     OUTPUTS("T 6x7"), ONE(MirrorPadOptions_mode, 0), false},
    {BERTH_OP_TILE, "f32 i8 i32", INPUTS("T 2x3", "i32 2 = 2 3"),
     OUTPUTS("T 4x9"), NO_OPTIONS, false},
    {BERTH_OP_SPACE_TO_DEPTH, ANY, INPUTS("T 2x4x6x3"), OUTPUTS("T 2x2x3x12"),
     ONE(SpaceToDepthOptions_block_size, 2), false},
    {BERTH_OP_DEPTH_TO_SPACE, ANY, INPUTS("T 2x2x3x8"), OUTPUTS("T 2x4x6x2"),
     ONE(DepthToSpaceOptions_block_size, 2), false},
    {BERTH_OP_RESIZE_BILINEAR, NUMBERS, INPUTS("T 2x3x4x2", "i32 2 = 7 5"),
     OUTPUTS("T 2x7x5x2"), ONE(ResizeBilinearOptions_half_pixel_centers, 1),
     false},
    {BERTH_OP_RESIZE_BILINEAR, NUMBERS, INPUTS("T 1x9x4x2", "i32 2 = 4 3"),
     OUTPUTS("T 1x4x3x2"), ONE(ResizeBilinearOptions_align_corners, 1), false},
    {BERTH_OP_RESIZE_NEAREST_NEIGHBOR, ANY, INPUTS("T 1x9x4x2", "i32 2 = 13 3"),
     OUTPUTS("T 1x13x3x2"), ONE(ResizeNearestNeighborOptions_align_corners, 1),
     false},
    {BERTH_OP_SPACE_TO_BATCH_ND, ANY,
     INPUTS("T 1x3x4x2", "i32 2 = 2 2", "i32 2x2 = 1 0 0 2"),
     OUTPUTS("T 4x2x3x2"), NO_OPTIONS, false},
    {BERTH_OP_BATCH_TO_SPACE_ND, ANY,
     INPUTS("T 4x2x3x2", "i32 2 = 2 2", "i32 2x2 = 1 0 0 2"),
     OUTPUTS("T 1x3x4x2"), NO_OPTIONS, false},
    {BERTH_OP_REVERSE_V2, ANY, INPUTS("T 3x4x2", "i32 2 = 0 2"),
     OUTPUTS("T 3x4x2"), NO_OPTIONS, false},
    {BERTH_OP_BROADCAST_TO, ANY, INPUTS("T 3x1x2", "i32 3 = 3 4 2"),
     OUTPUTS("T 3x4x2"), NO_OPTIONS, false},
    {BERTH_OP_TOPK_V2, ANY, INPUTS("T 4x9", "i32 1 = 3"),
     OUTPUTS("T 4x3", "i32 4x3"), NO_OPTIONS, false},
    {BERTH_OP_DYNAMIC_UPDATE_SLICE, ANY,
     INPUTS("T 4x5", "T 2x3", "i32 2 = 1 9"), OUTPUTS("T 4x5"), NO_OPTIONS,
     false},
};

/* --- trying ----------------------------------------------------------------
 */

static void feed(const naive *n, uint64_t *seed)
{
    for (uint32_t i = 0; i < naive_input_count(n); ++i) {
        const naive_tensor to = naive_input(n, i);
        const size_t size = berth_type_bits((berth_type)to.type) / 8u;
        fill_by_chance(to.data, (size_t)to.bytes / size, (berth_type)to.type,
                       seed);
    }
}

static void try_small(const small *s, const element_type *t,
                      const berth_kernels *kernels, licence_tally *sum)
{
    uint64_t seed = s->code * 1000 + t->type;
    char why[256] = "";
    mb *b = mb_new();
    licence judge = {.seed = seed};
    naive *n = naive_open(make_model(b, s, t, &seed), kernels,
                          BERTH_PROFILE_LITERT, NULL, 0, why, sizeof(why));
    if (n == NULL) {
        fail_msg("%s %s: %s", berth_op_name(s->code), t->name, why);
    }
    feed(n, &seed);
    naive_watch_ops(n, licence_judge, &judge);
    if (!naive_run(n, why, sizeof(why)) || judge.why[0] != '\0') {
        fail_msg("%s %s (%s): %s%s", berth_op_name(s->code), t->name,
                 kernels->name, why, judge.why);
    }
    assert_int_equal(judge.tally.operators, 1);
    assert_true(judge.tally.rings > 0 || judge.tally.splits == 1);
    if (s->seen &&
        (judge.tally.pairs == 0 || judge.tally.caught < judge.tally.mutants)) {
        fail_msg("%s %s: %" PRIu64 " of %" PRIu64 " pairs: nobody saw the "
                 "step beyond",
                 berth_op_name(s->code), t->name,
                 judge.tally.mutants - judge.tally.caught, judge.tally.pairs);
    }
    sum->splits += judge.tally.splits;
    sum->rings += judge.tally.rings;
    sum->distances += judge.tally.distances;
    naive_close(n);
    mb_free(b);
}

static void try_all(const berth_kernels *kernels)
{
    licence_tally sum = {0};
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof(smalls) / sizeof(smalls[0]); ++i) {
        const char *at = smalls[i].types;
        while (*at != '\0') {
            const size_t length = strcspn(at, " ");
            try_small(&smalls[i], element_type_of(at, length), kernels, &sum);
            tried += 1;
            at += length + (at[length] == ' ' ? 1 : 0);
        }
    }
    print_message("%s: %" PRIu32 " operators, %" PRIu64 " splits, %" PRIu64
                  " rings, %" PRIu64 " distances\n",
                  kernels->name, tried, sum.splits, sum.rings, sum.distances);
}

static void reference_kernels_keep_their_licences(void **state)
{
    (void)state;
    try_all(berth_kernels_ref());
}

static void fast_kernels_keep_their_licences(void **state)
{
    (void)state;
    try_all(berth_kernels_opt());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_kernels_keep_their_licences),
        cmocka_unit_test(fast_kernels_keep_their_licences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

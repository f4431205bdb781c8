/* Operators with arbitrary operands: any rank, any type, any value, any option,
 * missing operands. Whatever they are, the answer is a status and shapes that
 * keep the promises of shape.h; the sanitizers see to the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shape_rig.h"
#include "berth/rows.h"

enum { ROUNDS = 60, OPERANDS_MAX = 6, VALUES_MAX = 16 };

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static int64_t odd_number(void)
{
    static const int64_t odd[] = {
        0,          1,         -1,        2,         3,
        4,          7,         8,         16,        -2,
        -8,         255,       65536,     INT32_MAX, INT32_MIN,
        -INT32_MAX, INT64_MAX, INT64_MIN, 1ll << 40, -(1ll << 40)};
    return odd[draw(sizeof(odd) / sizeof(odd[0]))];
}

static int32_t random_tensor(shape_rig *r)
{
    static const char *const types[] = {"f32", "i32",  "i64", "i16", "i8",
                                        "u8",  "bool", "i4",  "c64", "str"};
    static const int lengths[] = {0, 1, 1, 1, 2,     2,
                                  3, 4, 5, 8, 65536, INT32_MAX};
    char text[512];
    size_t at = 0;
    const bool constant = draw(2) == 0;
    const bool list = constant && draw(3) != 0; /* a vector of numbers */
    const uint64_t rank = list ? draw(2) : draw(11);
    uint64_t elements = 1;
    at += (size_t)snprintf(text, sizeof(text), "%s ",
                           types[constant ? 1 + draw(6) : draw(10)]);
    if (rank == 0) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s",
                               draw(4) == 0 ? "unknown" : "scalar");
    }
    for (uint64_t i = 0; i < rank; ++i) {
        const int length =
            list || constant ? 1 + (int)draw(8) : lengths[draw(12)];
        elements *= constant ? (uint64_t)length : 1;
        if (constant && elements > VALUES_MAX) {
            elements = elements / (uint64_t)length;
            at += (size_t)snprintf(text + at, sizeof(text) - at,
                                   i == 0 ? "1" : "x1");
        } else {
            at += (size_t)snprintf(text + at, sizeof(text) - at,
                                   i == 0 ? "%d" : "x%d", length);
        }
    }
    for (uint64_t i = 0; constant && i < elements; ++i) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %lld",
                               i == 0 ? " =" : "", (long long)odd_number());
    }
    return shape_rig_tensor(r, text);
}

/* The table that each field of the schema's option tables is in. */
static const char *const table_of_field[] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init) #table,
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

enum { FIELD_COUNT = sizeof(table_of_field) / sizeof(table_of_field[0]) };

static bool same_table(uint32_t a, uint32_t b)
{
    return strcmp(table_of_field[a], table_of_field[b]) == 0;
}

/* Where an operator's options are, for those whose shape depends on them. */
static const struct {
    uint32_t code;
    uint32_t field;
} own_options[] = {
    {BERTH_OP_CONV_2D, BERTH_OPT_Conv2DOptions_padding},
    {BERTH_OP_DEPTHWISE_CONV_2D, BERTH_OPT_DepthwiseConv2DOptions_padding},
    {BERTH_OP_CONV_3D, BERTH_OPT_Conv3DOptions_padding},
    {BERTH_OP_MAX_POOL_2D, BERTH_OPT_Pool2DOptions_padding},
    {BERTH_OP_SPACE_TO_DEPTH, BERTH_OPT_SpaceToDepthOptions_block_size},
    {BERTH_OP_DEPTH_TO_SPACE, BERTH_OPT_DepthToSpaceOptions_block_size},
    {BERTH_OP_RESHAPE, BERTH_OPT_ReshapeOptions_new_shape},
    {BERTH_OP_SQUEEZE, BERTH_OPT_SqueezeOptions_squeeze_dims},
    {BERTH_OP_MIRROR_PAD, BERTH_OPT_MirrorPadOptions_mode},
    {BERTH_OP_CONCATENATION, BERTH_OPT_ConcatenationOptions_axis},
    {BERTH_OP_PACK, BERTH_OPT_PackOptions_axis},
    {BERTH_OP_UNPACK, BERTH_OPT_UnpackOptions_axis},
    {BERTH_OP_STRIDED_SLICE, BERTH_OPT_StridedSliceOptions_begin_mask},
    {BERTH_OP_GATHER, BERTH_OPT_GatherOptions_axis},
    {BERTH_OP_ONE_HOT, BERTH_OPT_OneHotOptions_axis},
    {BERTH_OP_LSH_PROJECTION, BERTH_OPT_LSHProjectionOptions_type},
    {BERTH_OP_SUM, BERTH_OPT_ReducerOptions_keep_dims},
    {BERTH_OP_REDUCE_PROD, BERTH_OPT_ReducerOptions_keep_dims},
    {BERTH_OP_FULLY_CONNECTED, BERTH_OPT_FullyConnectedOptions_keep_num_dims},
    {BERTH_OP_BATCH_MATMUL, BERTH_OPT_BatchMatMulOptions_adj_x},
    {BERTH_OP_LSTM, BERTH_OPT_LSTMOptions_kernel_type},
    {BERTH_OP_BIDIRECTIONAL_SEQUENCE_LSTM,
     BERTH_OPT_BidirectionalSequenceLSTMOptions_merge_outputs},
    {BERTH_OP_BIDIRECTIONAL_SEQUENCE_RNN,
     BERTH_OPT_BidirectionalSequenceRNNOptions_merge_outputs},
    {BERTH_OP_SVDF, BERTH_OPT_SVDFOptions_rank},
    {BERTH_OP_STABLEHLO_PAD, BERTH_OPT_StablehloPadOptions_interior_padding},
    {BERTH_OP_STABLEHLO_GATHER, BERTH_OPT_StablehloGatherOptions_offset_dims},
    {BERTH_OP_STABLEHLO_REDUCE_WINDOW,
     BERTH_OPT_StablehloReduceWindowOptions_padding},
};

/* All fields of the table that this operator's options come from, or of any
 * table: wrong ones must do no harm. */
static size_t random_options(uint32_t code, mb_option *options, size_t most,
                             int32_t *ints)
{
    uint32_t of = (uint32_t)draw(FIELD_COUNT);
    for (size_t i = 0; i < sizeof(own_options) / sizeof(own_options[0]); ++i) {
        if (own_options[i].code == code && draw(8) != 0) {
            of = own_options[i].field;
        }
    }
    size_t count = 0;
    for (uint32_t f = 0; f < FIELD_COUNT; ++f) {
        if (!same_table(f, of) || count == most || draw(4) == 0) {
            continue;
        }
        for (size_t i = 0; i < 4; ++i) {
            ints[4 * count + i] = (int32_t)odd_number();
        }
        options[count] = (mb_option){.field = (berth_option)f,
                                     .value = (int32_t)odd_number(),
                                     .ints = {ints + 4 * count, draw(5)},
                                     .text = "x"};
        count += 1;
    }
    return count;
}

/* The promises of shape.h, for every tensor. */
static void check_promises(const shape_rig *r)
{
    uint32_t dynamic = 0;
    for (uint32_t t = 0; t < r->graph.tensor_count; ++t) {
        const berth_shape *shape = &r->shapes.of[t];
        const int32_t *dims = berth_shape_dims(&r->shapes, t);
        const uint32_t bits =
            berth_type_bits((berth_type)r->graph.tensors[t].type);
        uint64_t elements = 1;
        if (shape->state == BERTH_SHAPE_DYNAMIC) {
            dynamic += 1;
            assert_true(shape->bytes == BERTH_NOWHERE);
            assert_true(shape->culprit < r->graph.op_count);
            continue;
        }
        assert_true(shape->culprit == BERTH_NONE);
        assert_int_equal(shape->state,
                         bits != 0 ? BERTH_SHAPE_STATIC : BERTH_SHAPE_UNSIZED);
        for (uint32_t d = 0; d < shape->rank; ++d) {
            assert_true(dims[d] >= 0);
            assert_true(berth_mul_u64(elements, (uint64_t)dims[d], &elements));
        }
        if (bits >= 8) {
            assert_true(berth_mul_u64(elements, bits / 8, &elements));
            assert_true(shape->bytes == elements);
        }
    }
    assert_int_equal(dynamic, r->shapes.dynamic_count);
}

/* Two operators, so that what the first leaves behind is read too. */
static void run_one(uint32_t code)
{
    shape_rig *r = shape_rig_new();
    mb_option options[24];
    int32_t ints[4 * 24];
    int32_t inputs[OPERANDS_MAX];
    int32_t outputs[3];
    const size_t input_count = draw(OPERANDS_MAX + 1);
    const size_t output_count = draw(4);
    for (size_t i = 0; i < input_count; ++i) {
        inputs[i] = draw(12) == 0 ? -1 : random_tensor(r);
    }
    for (size_t i = 0; i < output_count; ++i) {
        outputs[i] = shape_rig_tensor(r, draw(3) == 0   ? "unknown"
                                         : draw(2) == 0 ? "i32 2"
                                                        : "2x3");
    }
    const mb_op_spec first = {
        .code = code,
        .custom_name = code == BERTH_OP_CUSTOM ? "Mfcc" : NULL,
        .inputs = {inputs, input_count},
        .outputs = {outputs, output_count},
        .options = {options, random_options(code, options, 24, ints)}};
    shape_rig_op(r, first);
    if (output_count > 0) {
        const int32_t next = shape_rig_tensor(r, "i32 2");
        const int32_t last = shape_rig_tensor(r, "unknown");
        shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_PACK,
                                     .inputs = MB_INTS(outputs[0], outputs[0]),
                                     .outputs = MB_INTS(next)});
        shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_FILL,
                                     .inputs = MB_INTS(next, outputs[0]),
                                     .outputs = MB_INTS(last)});
    }
    shape_rig_io(r, MB_NO_INTS, MB_NO_INTS);
    const berth_bytes file = mb_finish(r->builder);
    size_t need = 0;
    berth_diag diag = berth_diag_none();
    if (berth_model_bytes(file, &need, &diag) == BERTH_OK) {
        void *model_memory = malloc(need + 1);
        void *graph_memory = NULL;
        berth_work work = berth_work_of(model_memory, need);
        if (berth_model_init(file, &work, &r->model, &diag) == BERTH_OK &&
            berth_graph_bytes(r->model, &need, &diag) == BERTH_OK) {
            graph_memory = malloc(need + 1);
            work = berth_work_of(graph_memory, need);
            if (berth_graph_init(r->model, &work, &r->graph, &diag) ==
                BERTH_OK) {
                assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
                check_promises(r);
                for (uint32_t op = 0; op < r->graph.op_count; ++op) {
                    (void)berth_op_scratch_bytes(&r->graph, &r->shapes, op);
                }
            }
        }
        free(graph_memory);
        free(model_memory);
    }
    shape_rig_free(r);
}

static void any_operator_with_any_operands_gives_an_answer(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < BERTH_OP_CODE_COUNT; ++code) {
        for (uint64_t round = 0; round < ROUNDS; ++round) {
            seed = (uint64_t)code << 32 | round; /* the id of this case */
            run_one(code);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_operator_with_any_operands_gives_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

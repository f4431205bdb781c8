/* Values that are known before the model runs. A value is made visible by FILL,
 * which turns it into a shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shape_rig.h"

enum { OPERANDS_MAX = 8 };

typedef struct fold_case {
    uint32_t code;
    const char *inputs[OPERANDS_MAX];
    const char *output; /* of each output; all outputs are alike */
    const char *expect[OPERANDS_MAX]; /* by output, as FILL shows it */
    const mb_option *options;
    size_t option_count;
} fold_case;

#define OPTIONS(...)                                                           \
    .options = (const mb_option[]){__VA_ARGS__},                               \
    .option_count = MB_COUNT(mb_option, __VA_ARGS__)
#define OPT(name, number)                                                      \
    {                                                                          \
        .field = BERTH_OPT_##name, .value = (number)                           \
    }

/* FILL wants a vector: anything else goes through RESHAPE to [-1] first. */
static int32_t show(shape_rig *r, int32_t tensor)
{
    const int32_t minus_one = shape_rig_tensor(r, "i32 1 = -1");
    const int32_t flat = shape_rig_tensor(r, "i64 1");
    const int32_t value = shape_rig_tensor(r, "scalar = 1");
    const int32_t filled = shape_rig_tensor(r, "99");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RESHAPE,
                                 .inputs = MB_INTS(tensor, minus_one),
                                 .outputs = MB_INTS(flat)});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_FILL,
                                 .inputs = MB_INTS(flat, value),
                                 .outputs = MB_INTS(filled)});
    return filled;
}

static void run_case(const fold_case *c, size_t number)
{
    shape_rig *r = shape_rig_new();
    int32_t inputs[OPERANDS_MAX];
    int32_t outputs[OPERANDS_MAX];
    int32_t shown[OPERANDS_MAX];
    int32_t graph_inputs[OPERANDS_MAX];
    size_t input_count = 0;
    size_t output_count = 0;
    size_t graph_input_count = 0;
    for (; c->inputs[input_count] != NULL; ++input_count) {
        inputs[input_count] = shape_rig_tensor(r, c->inputs[input_count]);
        if (strchr(c->inputs[input_count], '=') == NULL) {
            graph_inputs[graph_input_count++] = inputs[input_count];
        }
    }
    for (; c->expect[output_count] != NULL; ++output_count) {
        outputs[output_count] = shape_rig_tensor(r, c->output);
    }
    shape_rig_op(r, (mb_op_spec){.code = c->code,
                                 .inputs = {inputs, input_count},
                                 .outputs = {outputs, output_count},
                                 .options = {c->options, c->option_count}});
    for (size_t i = 0; i < output_count; ++i) {
        shown[i] = show(r, outputs[i]);
    }
    shape_rig_io(r, (mb_ints){graph_inputs, graph_input_count},
                 (mb_ints){shown, output_count});
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    for (size_t i = 0; i < output_count; ++i) {
        const char *found = shape_rig_text(r, 0, shown[i]);
        if (strcmp(found, c->expect[i]) != 0) {
            fail_msg("case %zu, %s, output %zu: %s, not %s", number,
                     berth_op_name(c->code), i, found, c->expect[i]);
        }
    }
    shape_rig_free(r);
}

static void run_cases(const fold_case *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        run_case(&cases[i], i);
    }
}

#define RUN(cases) run_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static void arithmetic(void **state)
{
    (void)state;
    const fold_case cases[] = {
        {.code = BERTH_OP_ADD,
         .inputs = {"i32 2 = 1 2", "i32 scalar = 3"},
         .output = "i32 2",
         .expect = {"4x5"}},
        {.code = BERTH_OP_SUB,
         .inputs = {"i32 2 = 9 5", "i32 2 = 3 4"},
         .output = "i32 2",
         .expect = {"6x1"}},
        {.code = BERTH_OP_MUL,
         .inputs = {"i64 2x1 = 2 3", "i64 2 = 5 7"},
         .output = "i64 2x2",
         .expect = {"10x14x15x21"}},
        {.code = BERTH_OP_DIV,
         .inputs = {"i32 2 = 7 -7", "i32 2 = 2 -2"},
         .output = "i32 2",
         .expect = {"3x3"}},
        {.code = BERTH_OP_DIV,
         .inputs = {"i32 1 = 7", "i32 1 = 0"},
         .output = "i32 1",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_FLOOR_DIV,
         .inputs = {"i32 2 = 7 -7", "i32 2 = 2 -2"},
         .output = "i32 2",
         .expect = {"3x3"}},
        {.code = BERTH_OP_FLOOR_DIV,
         .inputs = {"i32 1 = 7", "i32 1 = -2"},
         .output = "i32 1",
         .expect = {"~99"}},
        {.code = BERTH_OP_FLOOR_MOD,
         .inputs = {"i32 2 = 7 -7", "i32 2 = 4 4"},
         .output = "i32 2",
         .expect = {"3x1"}},
        {.code = BERTH_OP_MAXIMUM,
         .inputs = {"i32 2 = 1 9", "i32 2 = 5 5"},
         .output = "i32 2",
         .expect = {"5x9"}},
        {.code = BERTH_OP_MINIMUM,
         .inputs = {"i32 2 = 1 9", "i32 2 = 5 5"},
         .output = "i32 2",
         .expect = {"1x5"}},
        {.code = BERTH_OP_POW,
         .inputs = {"i32 2 = 2 5", "i32 2 = 4 0"},
         .output = "i32 2",
         .expect = {"16x1"}},
        {.code = BERTH_OP_POW,
         .inputs = {"i32 1 = 10", "i32 1 = 30"},
         .output = "i32 1",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_ADD,
         .inputs = {"i32 1 = 2147483647", "i32 1 = 1"},
         .output = "i32 1",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_MUL,
         .inputs = {"i64 1 = 9223372036854775807",
                    "i64 1 = 9223372036854775807"},
         .output = "i64 1",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_NEG,
         .inputs = {"i32 2 = -3 -4"},
         .output = "i32 2",
         .expect = {"3x4"}},
        {.code = BERTH_OP_NEG,
         .inputs = {"i32 1 = -2147483648"},
         .output = "i32 1",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_ABS,
         .inputs = {"i32 2 = -3 4"},
         .output = "i32 2",
         .expect = {"3x4"}},
        {.code = BERTH_OP_ADD,
         .inputs = {"i32 2", "i32 scalar = 3"},
         .output = "i32 2",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_ADD,
         .inputs = {"i32 1 = 1", "i32 1 = 3"},
         .output = "i32 1",
         .expect = {"? FILL"},
         OPTIONS(OPT(AddOptions_fused_activation_function, 1))},
        {.code = BERTH_OP_CAST,
         .inputs = {"i64 2 = 4294967299 5"},
         .output = "i32 2",
         .expect = {"3x5"}},
        {.code = BERTH_OP_CAST,
         .inputs = {"bool 2 = 1 0"},
         .output = "i32 2",
         .expect = {"1x0"}},
        {.code = BERTH_OP_CAST,
         .inputs = {"2 = 3 4"},
         .output = "i32 2",
         .expect = {"? FILL"}},
    };
    RUN(cases);
}

static void comparison_and_logic(void **state)
{
    (void)state;
#define COMPARES(op, result)                                                   \
    {                                                                          \
        .code = BERTH_OP_##op, .inputs = {"i32 3 = 1 3 5", "i32 1 = 3"},       \
        .output = "bool 3", .expect = {                                        \
            result                                                             \
        }                                                                      \
    }
#define LOGIC(op, result)                                                      \
    {                                                                          \
        .code = BERTH_OP_##op,                                                 \
        .inputs = {"bool 4 = 0 0 1 1", "bool 4 = 0 1 0 1"},                    \
        .output = "bool 4", .expect = {                                        \
            result                                                             \
        }                                                                      \
    }
    const fold_case cases[] = {
        COMPARES(LESS, "1x0x0"),
        COMPARES(LESS_EQUAL, "1x1x0"),
        COMPARES(GREATER, "0x0x1"),
        COMPARES(GREATER_EQUAL, "0x1x1"),
        COMPARES(EQUAL, "0x1x0"),
        COMPARES(NOT_EQUAL, "1x0x1"),
        LOGIC(LOGICAL_AND, "0x0x0x1"),
        LOGIC(LOGICAL_OR, "0x1x1x1"),
        {.code = BERTH_OP_LOGICAL_NOT,
         .inputs = {"bool 2 = 0 1"},
         .output = "bool 2",
         .expect = {"1x0"}},
        {.code = BERTH_OP_CAST,
         .inputs = {"i32 3 = 0 7 -7"},
         .output = "bool 3",
         .expect = {"0x1x1"}},
        {.code = BERTH_OP_REDUCE_ANY,
         .inputs = {"bool 2x2 = 0 1 0 0", "i32 1 = 1"},
         .output = "bool 2",
         .expect = {"1x0"}},
        {.code = BERTH_OP_REDUCE_ALL,
         .inputs = {"bool 2x2 = 0 1 1 1", "i32 1 = 1"},
         .output = "bool 2",
         .expect = {"0x1"}},
        {.code = BERTH_OP_SIGN,
         .inputs = {"i32 2 = 7 0"},
         .output = "i32 2",
         .expect = {"1x0"}},
        /* more than any shape has */
        {.code = BERTH_OP_FILL,
         .inputs = {"i32 1 = 17", "i32 scalar = 1"},
         .output = "i32 17",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_SELECT,
         .inputs = {"bool 2 = 0 1", "i32 2x1 = 3 4", "i32 2x1 = 5 6"},
         .output = "i32 2x1",
         .expect = {"? FILL"}},
    };
#undef COMPARES
#undef LOGIC
    RUN(cases);
}

static void choice_and_reduction(void **state)
{
    (void)state;
    const fold_case cases[] = {
        {.code = BERTH_OP_SELECT_V2,
         .inputs = {"bool 2 = 1 0", "i32 2 = 3 4", "i32 scalar = 8"},
         .output = "i32 2",
         .expect = {"3x8"}},
        {.code = BERTH_OP_SELECT,
         .inputs = {"bool 2 = 0 1", "i32 2 = 3 4", "i32 2 = 5 6"},
         .output = "i32 2",
         .expect = {"5x4"}},
        {.code = BERTH_OP_REDUCE_PROD,
         .inputs = {"i32 2x3 = 1 2 3 4 5 6", "i32 1 = 0"},
         .output = "i32 3",
         .expect = {"4x10x18"}},
        {.code = BERTH_OP_REDUCE_PROD,
         .inputs = {"i32 2x3 = 1 2 3 4 5 6", "i32 1 = -1"},
         .output = "i32 2x1",
         .expect = {"6x120"},
         OPTIONS(OPT(ReducerOptions_keep_dims, 1))},
        {.code = BERTH_OP_SUM,
         .inputs = {"i32 3 = 1 2 3", "i32 1 = 0"},
         .output = "i32 scalar",
         .expect = {"6"}},
        {.code = BERTH_OP_REDUCE_MAX,
         .inputs = {"i32 3 = 1 7 3", "i32 1 = 0"},
         .output = "i32 scalar",
         .expect = {"7"}},
        {.code = BERTH_OP_REDUCE_MIN,
         .inputs = {"i32 2x2 = 4 7 3 5", "i32 2 = 0 1"},
         .output = "i32 scalar",
         .expect = {"3"}},
        {.code = BERTH_OP_REDUCE_PROD,
         .inputs = {"i32 0", "i32 1 = 0"},
         .output = "i32 scalar",
         .expect = {"? FILL"}},
    };
    RUN(cases);
}

static void movement(void **state)
{
    (void)state;
    const fold_case cases[] = {
        {.code = BERTH_OP_SHAPE,
         .inputs = {"3x5x7"},
         .output = "i32 3",
         .expect = {"3x5x7"}},
        {.code = BERTH_OP_RANK,
         .inputs = {"3x5x7"},
         .output = "i32 scalar",
         .expect = {"3"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"i32 5 = 1 2 3 4 5", "i32 1 = -1", "i32 1 = -4",
                    "i32 1 = -2"},
         .output = "i32 2",
         .expect = {"5x3"}},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"i32 3 = 7 8 9", "i32 1 = 1", "i32 1 = 2", "i32 1 = 1"},
         .output = "i32 scalar",
         .expect = {"8"},
         OPTIONS(OPT(StridedSliceOptions_shrink_axis_mask, 1))},
        {.code = BERTH_OP_STRIDED_SLICE,
         .inputs = {"i32 2x3 = 1 2 3 4 5 6", "i32 2 = 0 1", "i32 2 = 2 3",
                    "i32 2 = 1 1"},
         .output = "i32 2x2",
         .expect = {"2x3x5x6"}},
        {.code = BERTH_OP_SLICE,
         .inputs = {"i32 4 = 1 2 3 4", "i32 1 = 1", "i32 1 = -1"},
         .output = "i32 3",
         .expect = {"2x3x4"}},
        {.code = BERTH_OP_PACK,
         .inputs = {"i32 scalar = 3", "i32 scalar = 4"},
         .output = "i32 2",
         .expect = {"3x4"}},
        {.code = BERTH_OP_PACK,
         .inputs = {"i32 2 = 1 2", "i32 2 = 3 4"},
         .output = "i32 2x2",
         .expect = {"1x3x2x4"},
         OPTIONS(OPT(PackOptions_axis, 1))},
        {.code = BERTH_OP_UNPACK,
         .inputs = {"i32 2x2 = 1 2 3 4"},
         .output = "i32 2",
         .expect = {"1x3", "2x4"},
         OPTIONS(OPT(UnpackOptions_axis, 1))},
        {.code = BERTH_OP_CONCATENATION,
         .inputs = {"i32 2 = 1 2", "i32 0", "i32 1 = 3"},
         .output = "i32 3",
         .expect = {"1x2x3"}},
        {.code = BERTH_OP_CONCATENATION,
         .inputs = {"i32 2x1 = 1 2", "i32 2x2 = 3 4 5 6"},
         .output = "i32 2x3",
         .expect = {"1x3x4x2x5x6"},
         OPTIONS(OPT(ConcatenationOptions_axis, 1))},
        {.code = BERTH_OP_SPLIT,
         .inputs = {"i32 scalar = 0", "i32 4 = 1 2 3 4"},
         .output = "i32 2",
         .expect = {"1x2", "3x4"}},
        {.code = BERTH_OP_SPLIT_V,
         .inputs = {"i32 4 = 1 2 3 4", "i32 2 = 3 -1", "i32 scalar = 0"},
         .output = "i32 3",
         .expect = {"1x2x3", "4"}},
        {.code = BERTH_OP_GATHER,
         .inputs = {"i32 4 = 5 6 7 8", "i32 2 = 3 0"},
         .output = "i32 2",
         .expect = {"8x5"}},
        {.code = BERTH_OP_GATHER,
         .inputs = {"i32 2x3 = 1 2 3 4 5 6", "i32 scalar = 1"},
         .output = "i32 2",
         .expect = {"2x5"},
         OPTIONS(OPT(GatherOptions_axis, 1))},
        {.code = BERTH_OP_GATHER,
         .inputs = {"i32 4 = 5 6 7 8", "i32 2 = 3 4"},
         .output = "i32 2",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_GATHER,
         .inputs = {"i32 4 = 5 6 7 8", "i32 2 = 3 -1"},
         .output = "i32 2",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_RANGE,
         .inputs = {"i32 scalar = 5", "i32 scalar = 0", "i32 scalar = -2"},
         .output = "i32 3",
         .expect = {"5x3x1"}},
        {.code = BERTH_OP_FILL,
         .inputs = {"i32 1 = 3", "i32 scalar = 4"},
         .output = "i32 3",
         .expect = {"4x4x4"}},
        {.code = BERTH_OP_TILE,
         .inputs = {"i32 2 = 1 2", "i32 1 = 2"},
         .output = "i32 4",
         .expect = {"1x2x1x2"}},
        {.code = BERTH_OP_BROADCAST_ARGS,
         .inputs = {"i32 2 = 7 1", "i32 3 = 4 1 5"},
         .output = "i32 3",
         .expect = {"4x7x5"}},
        {.code = BERTH_OP_BROADCAST_ARGS,
         .inputs = {"i32 3 = 4 1 5", "i32 2 = 7 1"},
         .output = "i32 3",
         .expect = {"4x7x5"}},
        {.code = BERTH_OP_BROADCAST_ARGS,
         .inputs = {"i32 2 = 4 2", "i32 2 = 7 1"},
         .output = "i32 2",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_BROADCAST_TO,
         .inputs = {"i32 1 = 4", "i32 1 = 3"},
         .output = "i32 3",
         .expect = {"4x4x4"}},
        {.code = BERTH_OP_TRANSPOSE,
         .inputs = {"i32 2x3 = 1 2 3 4 5 6", "i32 2 = 1 0"},
         .output = "i32 3x2",
         .expect = {"1x4x2x5x3x6"}},
        {.code = BERTH_OP_REVERSE_V2,
         .inputs = {"i32 3 = 1 2 3", "i32 1 = 0"},
         .output = "i32 3",
         .expect = {"3x2x1"}},
        {.code = BERTH_OP_REVERSE_V2,
         .inputs = {"i32 3 = 1 2 3", "i32 1 = 7"},
         .output = "i32 3",
         .expect = {"? FILL"}},
        {.code = BERTH_OP_ZEROS_LIKE,
         .inputs = {"i32 2"},
         .output = "i32 2",
         .expect = {"0x0"}},
        {.code = BERTH_OP_SQUEEZE,
         .inputs = {"i32 1x2 = 3 4"},
         .output = "i32 2",
         .expect = {"3x4"}},
        {.code = BERTH_OP_EXPAND_DIMS,
         .inputs = {"i32 2 = 3 4", "i32 scalar = 0"},
         .output = "i32 1x2",
         .expect = {"3x4"}},
    };
    RUN(cases);
}

/* The way batch sizes go through real models: SHAPE, STRIDED_SLICE, PACK,
 * RESHAPE. */
static void a_batch_size_finds_its_way(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t x = shape_rig_tensor(r, "1x4x6 sig -1x4x6");
    const int32_t shape = shape_rig_tensor(r, "i32 3");
    const int32_t zero = shape_rig_tensor(r, "i32 1 = 0");
    const int32_t one = shape_rig_tensor(r, "i32 1 = 1");
    const int32_t batch = shape_rig_tensor(r, "i32 scalar");
    const int32_t rest = shape_rig_tensor(r, "i32 scalar = 24");
    const int32_t wanted = shape_rig_tensor(r, "i32 2");
    const int32_t flat = shape_rig_tensor(r, "1x1 sig -1x24");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_SHAPE,
                                 .inputs = MB_INTS(x),
                                 .outputs = MB_INTS(shape)});
    shape_rig_op(
        r, (mb_op_spec){.code = BERTH_OP_STRIDED_SLICE,
                        .inputs = MB_INTS(shape, zero, one, one),
                        .outputs = MB_INTS(batch),
                        .options = MB_OPTIONS(
                            OPT(StridedSliceOptions_shrink_axis_mask, 1))});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_PACK,
                                 .inputs = MB_INTS(batch, rest),
                                 .outputs = MB_INTS(wanted),
                                 .options = MB_OPTIONS(
                                     OPT(PackOptions_values_count, 2))});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RESHAPE,
                                 .inputs = MB_INTS(x, wanted),
                                 .outputs = MB_INTS(flat)});
    shape_rig_io(r, MB_INTS(x), MB_INTS(flat));
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, flat, "1x24");
    assert_true(r->shapes.of[wanted].flags & BERTH_SHAPE_FOLDED);
    assert_non_null(berth_shape_values(&r->shapes, (uint32_t)wanted));
    assert_int_equal(berth_shape_values(&r->shapes, (uint32_t)wanted)[0], 1);
    assert_int_equal(berth_shape_values(&r->shapes, (uint32_t)wanted)[1], 24);
    assert_null(berth_shape_values(&r->shapes, (uint32_t)flat));
    assert_true(r->shapes.of[flat].flags & BERTH_SHAPE_DIFFERS);
    assert_int_equal(r->shapes.resizable_count, 2);

    const int32_t dims[] = {5, 4, 6};
    const berth_shape_override five = {
        .tensor = (uint32_t)x, .rank = 3, .dims = dims};
    assert_int_equal(shape_rig_infer(r, &five, 1), BERTH_OK);
    shape_rig_expect(r, flat, "5x24");
    assert_int_equal(r->shapes.of[flat].bytes, 5 * 24 * 4);
    shape_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(comparison_and_logic),
        cmocka_unit_test(choice_and_reduction),
        cmocka_unit_test(movement),
        cmocka_unit_test(a_batch_size_finds_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The contract table: every operator once, and licences that hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "berth/model.h"
#include "berth/op.h"

static const uint32_t codes[] = {
#define BERTH_OP_ROW(name, code) code,
#include "berth/ops.def"
#undef BERTH_OP_ROW
};

static const char *const names[] = {
#define BERTH_OP_ROW(name, code) #name,
#include "berth/ops.def"
#undef BERTH_OP_ROW
};

enum { COUNT = sizeof(codes) / sizeof(codes[0]) };

static void every_operator_has_a_contract_of_its_name(void **state)
{
    (void)state;
    assert_int_equal(COUNT, BERTH_OP_CODE_COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(codes[i], i);
        assert_non_null(berth_op_contract_of(codes[i])->name);
        assert_string_equal(berth_op_name(codes[i]), names[i]);
    }
}

static void unknown_operators_promise_nothing(void **state)
{
    (void)state;
    const uint32_t unknown[] = {BERTH_OP_CODE_COUNT, 1000, UINT32_MAX};
    for (size_t i = 0; i < 3; ++i) {
        const berth_op_contract *contract = berth_op_contract_of(unknown[i]);
        assert_string_equal(contract->name, "UNKNOWN");
        assert_int_equal(contract->flags, BERTH_OP_STATEFUL);
        assert_int_equal(contract->inplace_inputs, 0);
    }
    assert_int_equal(berth_op_contract_of(BERTH_OP_CUSTOM)->inplace_inputs, 0);
}

/* Whatever reads other elements than it writes, has no licence. */
static void no_licence_for_what_looks_around(void **state)
{
    (void)state;
    const uint32_t looking[] = {
        BERTH_OP_CONV_2D,     BERTH_OP_MAX_POOL_2D,
        BERTH_OP_TRANSPOSE,   BERTH_OP_REVERSE_V2,
        BERTH_OP_GATHER,      BERTH_OP_LOCAL_RESPONSE_NORMALIZATION,
        BERTH_OP_PAD,         BERTH_OP_BATCH_MATMUL,
        BERTH_OP_TILE,        BERTH_OP_CUMSUM,
        BERTH_OP_SCATTER_ND,  BERTH_OP_SPACE_TO_DEPTH,
        BERTH_OP_TOPK_V2,     BERTH_OP_REVERSE_SEQUENCE,
        BERTH_OP_CUSTOM,      BERTH_OP_STABLEHLO_SORT,
        BERTH_OP_BROADCAST_TO};
    for (size_t i = 0; i < sizeof(looking) / sizeof(looking[0]); ++i) {
        assert_int_equal(berth_op_contract_of(looking[i])->inplace_inputs, 0);
    }
}

/* LiteRT's own in-place list has a licence or is a view. */
static void all_that_litert_shares_is_licensed(void **state)
{
    (void)state;
    uint32_t shared = 0;
    for (uint32_t code = 0; code < BERTH_OP_CODE_COUNT; ++code) {
        const berth_op_contract *contract = berth_op_contract_of(code);
        const bool view = (contract->flags & BERTH_OP_VIEW) != 0;
        if ((contract->litert & BERTH_LITERT_INPLACE_0) != 0) {
            assert_true(view || (contract->inplace_inputs & 1u) != 0);
            shared += 1;
        }
        if ((contract->litert & BERTH_LITERT_INPLACE_1) != 0) {
            assert_true((contract->inplace_inputs & 2u) != 0);
        }
        assert_int_equal((contract->litert & BERTH_LITERT_UNMODIFIED) != 0,
                         view && code < BERTH_OP_STABLEHLO_RESHAPE);
    }
    assert_int_equal(shared, 10);
}

/* --- LiteRT's classes --- */

#define TENSOR(where)                                                          \
    {                                                                          \
        .memory = BERTH_LITERT_##where, .rank = 1, .elements = 4               \
    }

static const berth_litert_operand constant = TENSOR(CONSTANT);
static const berth_litert_operand computed = TENSOR(COMPUTED);
static const berth_litert_operand planned = TENSOR(ARENA);
static const berth_litert_operand open_one = {
    .memory = BERTH_LITERT_ARENA, .rank = 1, .unspecified = true};
static const berth_litert_operand scalar = {.memory = BERTH_LITERT_ARENA};
static const berth_litert_operand large = {
    .memory = BERTH_LITERT_ARENA, .rank = 1, .elements = 9};

typedef struct class_case {
    uint32_t code;
    const berth_litert_operand *inputs[4];
    const berth_litert_operand *output;
    uint32_t index;
    berth_litert_class expect;
} class_case;

static void outputs_lie_where_litert_puts_them(void **state)
{
    (void)state;
    const class_case cases[] = {
        {BERTH_OP_ADD, {&constant, &constant}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_MUL,
         {&constant, &constant},
         &planned,
         0,
         BERTH_LITERT_COMPUTED},
        {BERTH_OP_MUL, {&computed, &planned}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_SHAPE, {&planned}, &planned, 0, BERTH_LITERT_COMPUTED},
        {BERTH_OP_RANK, {&planned}, &planned, 0, BERTH_LITERT_COMPUTED},
        {BERTH_OP_PACK,
         {&computed, &constant},
         &planned,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_CAST, {&constant}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_DEQUANTIZE,
         {&constant},
         &planned,
         0,
         BERTH_LITERT_PERSISTENT},
        {BERTH_OP_DEQUANTIZE, {&computed}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_RESHAPE,
         {&planned, &constant},
         &planned,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_RESHAPE,
         {&constant, &constant},
         &planned,
         0,
         BERTH_LITERT_COMPUTED},
        {BERTH_OP_RESHAPE, {&constant}, &planned, 0, BERTH_LITERT_COMPUTED},
        {BERTH_OP_RESHAPE,
         {&planned, &planned},
         &planned,
         0,
         BERTH_LITERT_LATE},
        {BERTH_OP_STRIDED_SLICE,
         {&planned, &constant, &constant, &constant},
         &planned,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_STRIDED_SLICE,
         {&computed, &constant, &constant, &constant},
         &planned,
         0,
         BERTH_LITERT_COMPUTED},
        {BERTH_OP_STRIDED_SLICE,
         {&planned, &planned, &constant, &constant},
         &planned,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_SLICE,
         {&planned, &planned, &constant},
         &planned,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_SLICE,
         {&planned, &planned, &constant},
         &open_one,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_SLICE,
         {&planned, &constant, &constant},
         &scalar,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_SLICE,
         {&open_one, &constant, &constant},
         &scalar,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_TOPK_V2,
         {&open_one, &constant},
         &planned,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_TOPK_V2,
         {&planned, &constant},
         &planned,
         1,
         BERTH_LITERT_ARENA},
        {BERTH_OP_NON_MAX_SUPPRESSION_V4,
         {&planned, &planned, &planned, &planned},
         &planned,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_NON_MAX_SUPPRESSION_V4,
         {&planned, &planned, &planned, &planned},
         &planned,
         1,
         BERTH_LITERT_ARENA},
        {BERTH_OP_UNIQUE, {&planned}, &planned, 0, BERTH_LITERT_DYNAMIC},
        {BERTH_OP_UNIQUE, {&planned}, &planned, 1, BERTH_LITERT_ARENA},
        {BERTH_OP_WHERE, {&constant}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_WHERE, {&planned}, &planned, 0, BERTH_LITERT_DYNAMIC},
        {BERTH_OP_PAD, {&scalar, &constant}, &planned, 0, BERTH_LITERT_DYNAMIC},
        {BERTH_OP_PAD, {&planned, &constant}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_TRANSPOSE_CONV,
         {&computed, &constant, &planned},
         &planned,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_TRANSPOSE_CONV,
         {&constant, &constant, &planned},
         &planned,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_VAR_HANDLE, {NULL}, &planned, 0, BERTH_LITERT_PERSISTENT},
        {BERTH_OP_READ_VARIABLE, {&planned}, &scalar, 0, BERTH_LITERT_DYNAMIC},
        {BERTH_OP_REDUCE_PROD,
         {&computed, &constant},
         &planned,
         0,
         BERTH_LITERT_COMPUTED},
        {BERTH_OP_REDUCE_PROD,
         {&computed, &constant},
         &large,
         0,
         BERTH_LITERT_ARENA},
        {BERTH_OP_SUM, {&computed, &constant}, &planned, 0, BERTH_LITERT_ARENA},
        {BERTH_OP_RANGE,
         {&constant, &computed, &constant},
         &planned,
         0,
         BERTH_LITERT_COMPUTED},
        {BERTH_OP_RANGE,
         {&constant, &planned, &constant},
         &planned,
         0,
         BERTH_LITERT_DYNAMIC},
        {BERTH_OP_CUSTOM, {&constant}, &planned, 0, BERTH_LITERT_ARENA},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        berth_litert_operand inputs[4];
        uint32_t count = 0;
        for (; count < 4 && cases[i].inputs[count] != NULL; ++count) {
            inputs[count] = *cases[i].inputs[count];
        }
        const berth_litert_class found = berth_litert_output_class(
            cases[i].code, inputs, count, cases[i].output, cases[i].index);
        if (found != cases[i].expect) {
            fail_msg("case %zu, %s: %d", i, berth_op_name(cases[i].code),
                     (int)found);
        }
    }
}

/* Missing operands and codes outside the schema: an answer, never a crash. */
static void any_code_without_operands_has_a_class(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < BERTH_OP_CODE_COUNT + 5; ++code) {
        for (uint32_t index = 0; index < 3; ++index) {
            const berth_litert_class found =
                berth_litert_output_class(code, NULL, 0, &planned, index);
            assert_true(found >= BERTH_LITERT_CONSTANT &&
                        found <= BERTH_LITERT_LATE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_has_a_contract_of_its_name),
        cmocka_unit_test(unknown_operators_promise_nothing),
        cmocka_unit_test(no_licence_for_what_looks_around),
        cmocka_unit_test(all_that_litert_shares_is_licensed),
        cmocka_unit_test(outputs_lie_where_litert_puts_them),
        cmocka_unit_test(any_code_without_operands_has_a_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

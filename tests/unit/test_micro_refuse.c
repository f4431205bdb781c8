/* What TFLM would refuse, what the file says wrongly, and hostile options. */
#include "micro/micro_int.h"
#include "model_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct answer {
    berth_micro micro;
    berth_status status;
    berth_diag diag;
    mb *builder;
    void *memory[3];
} answer;

static void ask(answer *a, mb *b, const berth_micro_options *options)
{
    size_t need = 0;
    const berth_model *model = NULL;
    const berth_bytes file = mb_finish(b);
    static berth_graph graph;
    *a = (answer){.builder = b};
    assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
    a->memory[0] = malloc(need);
    berth_work work = berth_work_of(a->memory[0], need);
    assert_int_equal(berth_model_init(file, &work, &model, &a->diag), BERTH_OK);
    assert_int_equal(berth_graph_bytes(model, &need, NULL), BERTH_OK);
    a->memory[1] = malloc(need);
    work = berth_work_of(a->memory[1], need);
    assert_int_equal(berth_graph_init(model, &work, &graph, &a->diag),
                     BERTH_OK);
    assert_int_equal(berth_micro_bytes(&graph, options, &need, NULL), BERTH_OK);
    a->memory[2] = malloc(need);
    work = berth_work_of(a->memory[2], need);
    a->status =
        berth_micro_predict(&graph, options, &work, &a->micro, &a->diag);
}

static void forget(answer *a)
{
    for (int i = 0; i < 3; ++i) {
        free(a->memory[i]);
    }
    mb_free(a->builder);
}

static int32_t tensor(mb *b, uint32_t s, berth_type type, int32_t dim)
{
    return mb_tensor(
        b, s,
        (mb_tensor_spec){.name = "t", .type = type, .shape = MB_INTS(dim)});
}

/* One operator from a float32 tensor to another. */
static mb *one_op(mb_op_spec spec, berth_type type, int32_t dim)
{
    mb *b = mb_new();
    const uint32_t s = mb_subgraph(b, "main");
    const int32_t x = tensor(b, s, type, dim);
    const int32_t y = tensor(b, s, type, dim);
    spec.inputs = MB_INTS(x);
    spec.outputs = MB_INTS(y);
    mb_op(b, s, spec);
    mb_io(b, s, MB_INTS(x), MB_INTS(y));
    return b;
}

static void refuse__an_operator_that_tflm_lacks(void **state)
{
    answer a;
    (void)state;
    ask(&a, one_op((mb_op_spec){.code = BERTH_OP_GELU}, BERTH_FLOAT32, 8),
        NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_LACKS_OPERATOR);
    assert_int_equal(a.micro.refusal_op, 0);
    assert_int_equal(a.micro.lacking_count, 1);
    forget(&a);
    ask(&a,
        one_op((mb_op_spec){.code = BERTH_OP_CUSTOM, .custom_name = "Signal"},
               BERTH_FLOAT32, 8),
        NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_LACKS_OPERATOR);
    forget(&a);
    ask(&a,
        one_op(
            (mb_op_spec){.code = BERTH_OP_CUSTOM, .custom_name = "SignalPCAN"},
            BERTH_FLOAT32, 8),
        NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_STARTS);
    forget(&a);
}

static void refuse__operands_that_a_kernel_refuses(void **state)
{
    answer a;
    (void)state;
    ask(&a, one_op((mb_op_spec){.code = BERTH_OP_EXP}, BERTH_INT8, 8), NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_REFUSES_OPERAND);
    assert_int_equal(a.micro.refusal_op, 0);
    forget(&a);
    ask(&a, one_op((mb_op_spec){.code = BERTH_OP_EXP}, BERTH_FLOAT32, 8), NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_STARTS);
    forget(&a);
}

/* One operator of two inputs; the second one's value is in the file or not. */
static void ask_two(answer *a, berth_op code, berth_type type,
                    berth_type second, bool constant)
{
    static const int32_t eight = 8;
    mb *b = mb_new();
    const uint32_t s = mb_subgraph(b, "main");
    const int32_t x = tensor(b, s, type, 8);
    const int32_t y =
        mb_tensor(b, s,
                  (mb_tensor_spec){.name = "y",
                                   .type = second,
                                   .shape = MB_INTS(1),
                                   .data = constant ? &eight : NULL,
                                   .data_bytes = constant ? 4u : 0u});
    const int32_t z = tensor(b, s, type, 8);
    mb_op(b, s,
          (mb_op_spec){
              .code = code, .inputs = MB_INTS(x, y), .outputs = MB_INTS(z)});
    mb_io(b, s, MB_INTS(x, y), MB_INTS(z));
    ask(a, b, NULL);
    assert_int_equal(a->status, BERTH_OK);
}

static void refuse__what_a_kernel_demands(void **state)
{
    static const struct {
        berth_op code;
        berth_type type, second;
        bool constant, starts;
    } cases[] = {
        {BERTH_OP_GATHER, BERTH_FLOAT32, BERTH_INT32, false, true},
        {BERTH_OP_GATHER, BERTH_UINT8, BERTH_INT32, false, false},
        {BERTH_OP_GATHER, BERTH_FLOAT32, BERTH_FLOAT32, false, false},
        {BERTH_OP_CUMSUM, BERTH_FLOAT32, BERTH_INT32, true, true},
        {BERTH_OP_CUMSUM, BERTH_INT32, BERTH_INT32, true, false},
        {BERTH_OP_TRANSPOSE, BERTH_UINT8, BERTH_INT32, true, true},
        {BERTH_OP_TRANSPOSE, BERTH_UINT8, BERTH_INT32, false, false},
        {BERTH_OP_CONCATENATION, BERTH_INT32, BERTH_INT32, false, true},
        {BERTH_OP_CONCATENATION, BERTH_UINT8, BERTH_UINT8, false, false},
        {BERTH_OP_CONCATENATION, BERTH_INT32, BERTH_INT8, false, false},
        {BERTH_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, BERTH_FLOAT32, BERTH_FLOAT32,
         true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        answer a;
        ask_two(&a, cases[i].code, cases[i].type, cases[i].second,
                cases[i].constant);
        assert_int_equal(a.micro.refusal, cases[i].starts
                                              ? BERTH_MICRO_STARTS
                                              : BERTH_MICRO_REFUSES_OPERAND);
        forget(&a);
    }
}

/* TFLM takes 0 for a dimension that it does not know; [0] is a scalar. */
static void refuse__outputs_of_no_elements(void **state)
{
    answer a;
    mb *b = mb_new();
    const uint32_t s = mb_subgraph(b, "main");
    (void)state;
    const int32_t x = tensor(b, s, BERTH_FLOAT32, 8);
    const int32_t y = mb_tensor(b, s,
                                (mb_tensor_spec){.name = "y",
                                                 .type = BERTH_FLOAT32,
                                                 .shape = MB_INTS(0, 8)});
    mb_op(b, s,
          (mb_op_spec){.code = BERTH_OP_FLOOR,
                       .inputs = MB_INTS(x),
                       .outputs = MB_INTS(y)});
    mb_io(b, s, MB_INTS(x), MB_INTS(y));
    ask(&a, b, NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_EMPTY_OUTPUT);
    assert_int_equal(a.micro.refusal_tensor, 1);
    forget(&a);
    ask(&a, one_op((mb_op_spec){.code = BERTH_OP_FLOOR}, BERTH_FLOAT32, 0),
        NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_STARTS);
    forget(&a);
}

static void refuse__types_and_shapes_without_a_size(void **state)
{
    answer a;
    (void)state;
    ask(&a, one_op((mb_op_spec){.code = BERTH_OP_TANH}, BERTH_STRING, 8), NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_LACKS_TYPE);
    assert_int_equal(a.micro.refusal_tensor, 0);
    forget(&a);
}

/* A subgraph that nobody enters, with an operator that wants scratch. */
static void refuse__scratch_that_is_never_reached(void **state)
{
    mb *b = mb_new();
    const uint32_t main_ = mb_subgraph(b, "main");
    const uint32_t lost = mb_subgraph(b, "lost");
    const int32_t one = 0;
    answer a;
    (void)state;
    const int32_t x = tensor(b, main_, BERTH_FLOAT32, 8);
    mb_io(b, main_, MB_INTS(x), MB_INTS(x));
    const int32_t u = tensor(b, lost, BERTH_FLOAT32, 8);
    const int32_t axis = mb_tensor(b, lost,
                                   (mb_tensor_spec){.name = "axis",
                                                    .type = BERTH_INT32,
                                                    .shape = MB_INTS(1),
                                                    .data = &one,
                                                    .data_bytes = 4});
    const int32_t v = tensor(b, lost, BERTH_FLOAT32, 1);
    mb_op(b, lost,
          (mb_op_spec){.code = BERTH_OP_MEAN,
                       .inputs = MB_INTS(u, axis),
                       .outputs = MB_INTS(v)});
    mb_io(b, lost, MB_INTS(u), MB_INTS(v));
    ask(&a, b, NULL);
    assert_int_equal(a.status, BERTH_OK);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_LOST_SCRATCH);
    assert_int_equal(a.micro.scratch_count, 2);
    /* 8 floats in main; 8 floats and a scalar that overlap one another. */
    assert_int_equal(a.micro.head_bytes, 48);
    forget(&a);
}

static void refuse__sums_beyond_all_measure(void **state)
{
    answer a;
    mb *b = mb_new();
    const uint32_t s = mb_subgraph(b, "main");
    (void)state;
    const int32_t x =
        mb_tensor(b, s,
                  (mb_tensor_spec){.name = "x",
                                   .type = BERTH_INT8,
                                   .shape = MB_INTS(1 << 29, 1 << 30)});
    const int32_t y =
        mb_tensor(b, s,
                  (mb_tensor_spec){.name = "y",
                                   .type = BERTH_INT8,
                                   .shape = MB_INTS(1 << 29, 1 << 30)});
    mb_op(b, s,
          (mb_op_spec){.code = BERTH_OP_TANH,
                       .inputs = MB_INTS(x),
                       .outputs = MB_INTS(y)});
    mb_io(b, s, MB_INTS(x), MB_INTS(y));
    ask(&a, b, NULL);
    assert_int_equal(a.status, BERTH_TOO_LARGE);
    forget(&a);
}

/* --- offline plans -----------------------------------------------------------
 */

static mb *chain_with_plan(const int32_t *words, size_t count)
{
    mb *b = mb_new();
    const uint32_t s = mb_subgraph(b, "main");
    int32_t at[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = tensor(b, s, BERTH_FLOAT32, 16);
    }
    for (int i = 0; i < 3; ++i) {
        mb_op(b, s,
              (mb_op_spec){.code = BERTH_OP_RELU,
                           .inputs = MB_INTS(at[i]),
                           .outputs = MB_INTS(at[i + 1])});
    }
    mb_io(b, s, MB_INTS(at[0]), MB_INTS(at[3]));
    mb_metadata(b, "OfflineMemoryAllocation", words, count * sizeof(*words));
    return b;
}

static void offline__offsets_are_obeyed_even_where_they_collide(void **state)
{
    static const int32_t words[] = {0, 1, 4, 8, 8, 128, -1};
    answer a;
    (void)state;
    ask(&a, chain_with_plan(words, 7), NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_STARTS);
    assert_true(a.micro.offline);
    assert_int_equal(a.micro.offset[0], 8);
    assert_int_equal(a.micro.offset[1], 8);
    assert_int_equal(a.micro.offset[2], 128);
    assert_int_equal(a.micro.offset[3], 0);
    assert_int_equal(a.micro.head_bytes, 192);
    forget(&a);
}

static void offline__wrong_counts_are_refused(void **state)
{
    static const int32_t words[] = {0, 1, 5, 8, 8, 128, -1};
    static const int32_t negative[] = {0, 1, 4, 8, -2, 128, -1};
    answer a;
    (void)state;
    for (size_t count = 1; count < 7; ++count) {
        ask(&a, chain_with_plan(words, count), NULL);
        assert_int_equal(a.micro.refusal, BERTH_MICRO_OFFLINE_PLAN);
        forget(&a);
    }
    ask(&a, chain_with_plan(words, 7), NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_OFFLINE_PLAN);
    forget(&a);
    ask(&a, chain_with_plan(negative, 7), NULL);
    assert_int_equal(a.micro.refusal, BERTH_MICRO_OFFLINE_PLAN);
    forget(&a);
}

/* --- tables ------------------------------------------------------------------
 */

static void tables__every_kernel_has_an_operator_and_one_row(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < berth_micro_kernels_count(); ++k) {
        const berth_micro_kernels *set = berth_micro_kernels_at(k);
        uint8_t seen[MICRO_CODE_COUNT] = {0};
        for (uint32_t i = 0; i < set->kernel_count; ++i) {
            const micro_kernel *kernel = &set->kernels[i];
            uint32_t requests = 0;
            assert_non_null(micro_operator_of(kernel->code));
            assert_int_equal(seen[kernel->code]++, 0);
            for (const micro_row *row = kernel->rows;
                 row->kind != MICRO_ROW_END; ++row) {
                const bool asks = row->kind == MICRO_ROW_KEEP ||
                                  row->kind == MICRO_ROW_SCRATCH ||
                                  row->kind == MICRO_ROW_SCRATCH_SOME ||
                                  row->kind == MICRO_ROW_VARIABLE;
                assert_true(!asks || row->amount != NULL);
                assert_true(row->kind != MICRO_ROW_REFUSE || row->when != NULL);
                assert_true(row->kind != MICRO_ROW_ONLY || row->argument != 0);
                requests += row->kind == MICRO_ROW_SCRATCH ||
                                    row->kind == MICRO_ROW_SCRATCH_SOME
                                ? 1u
                                : 0u;
            }
            assert_true(requests <= 12); /* TFLM's limit for an operator */
        }
        char name[64];
        snprintf(name, sizeof(name), "%s@%s", berth_micro_kernels_name(set),
                 berth_micro_kernels_version(set));
        assert_ptr_equal(berth_micro_kernels_find(name), set);
    }
    assert_null(berth_micro_kernels_find("cmsis"));
    assert_null(berth_micro_kernels_find("cmsis-nn@"));
    assert_null(berth_micro_kernels_find("cmsis-nn@1"));
    assert_null(berth_micro_target_find("m"));
    assert_null(berth_micro_target_find("m4f"));
    for (uint32_t t = 0; t < berth_micro_target_count(); ++t) {
        const berth_micro_target *target = berth_micro_target_at(t);
        assert_ptr_equal(
            berth_micro_target_find(berth_micro_target_name(target)), target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuse__an_operator_that_tflm_lacks),
        cmocka_unit_test(refuse__operands_that_a_kernel_refuses),
        cmocka_unit_test(refuse__what_a_kernel_demands),
        cmocka_unit_test(refuse__outputs_of_no_elements),
        cmocka_unit_test(refuse__types_and_shapes_without_a_size),
        cmocka_unit_test(refuse__scratch_that_is_never_reached),
        cmocka_unit_test(refuse__sums_beyond_all_measure),
        cmocka_unit_test(offline__offsets_are_obeyed_even_where_they_collide),
        cmocka_unit_test(offline__wrong_counts_are_refused),
        cmocka_unit_test(tables__every_kernel_has_an_operator_and_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

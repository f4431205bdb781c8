/* What the builder wrote is what the reader says. */
#include "model_builder.h"
#include "model_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A model in memory of its own. */
typedef struct opened {
    mb *builder;
    void *memory;
    const berth_model *model;
} opened;

static opened open_built(mb *b)
{
    opened o = {.builder = b};
    const berth_bytes file = mb_finish(b);
    size_t bytes = 0;
    berth_diag diag = berth_diag_none();
    assert_int_equal(berth_model_bytes(file, &bytes, &diag), BERTH_OK);
    o.memory = malloc(bytes);
    berth_work work = berth_work_of(o.memory, bytes);
    const berth_status status = berth_model_init(file, &work, &o.model, &diag);
    if (status != BERTH_OK) {
        print_error("%s at %llu\n", diag.what,
                    (unsigned long long)diag.file_offset);
    }
    assert_int_equal(status, BERTH_OK);
    assert_ptr_equal(berth_model_file(o.model).data, file.data);
    assert_int_equal(berth_model_file(o.model).size, file.size);
    (void)model_walk(o.model);
    return o;
}

static void shut(opened *o)
{
    free(o->memory);
    mb_free(o->builder);
}

static void assert_text(berth_bytes bytes, const char *text)
{
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
}

static void assert_ints(berth_ivec vec, mb_ints expected)
{
    assert_int_equal(vec.count, expected.count);
    for (uint32_t i = 0; i < vec.count; ++i) {
        assert_int_equal(berth_ivec_at(vec, i), expected.at[i]);
    }
}

static void a_bare_model_has_nothing(void **state)
{
    (void)state;
    mb *b = mb_new();
    (void)mb_subgraph(b, NULL);
    opened o = open_built(b);
    const berth_subgraph g = berth_model_subgraph(o.model, 0);
    assert_int_equal(berth_model_subgraph_count(o.model), 1);
    assert_int_equal(berth_model_buffer_count(o.model), 1);
    assert_int_equal(berth_model_buffer(o.model, 0).size, 0);
    assert_int_equal(berth_model_signature_count(o.model), 0);
    assert_int_equal(berth_model_metadata_count(o.model), 0);
    assert_int_equal(berth_model_description(o.model).size, 0);
    assert_int_equal(g.name.size + g.tensor_count + g.op_count +
                         g.inputs.count + g.outputs.count,
                     0);
    shut(&o);
}

static void tensors_are_read_as_written(void **state)
{
    (void)state;
    mb *b = mb_new();
    mb_description(b, "made here");
    const uint32_t g = mb_subgraph(b, "main");
    const uint32_t shared = mb_buffer(b, "0123456789abcdef", 16);
    (void)mb_tensor(b, g,
                    (mb_tensor_spec){.name = "resizable",
                                     .type = BERTH_FLOAT32,
                                     .shape = MB_INTS(1, 8),
                                     .signature = MB_INTS(-1, 8)});
    (void)mb_tensor(b, g,
                    (mb_tensor_spec){.type = BERTH_INT32,
                                     .shape = MB_INTS(4),
                                     .buffer = shared});
    (void)mb_tensor(b, g,
                    (mb_tensor_spec){.type = BERTH_INT4,
                                     .shape = MB_INTS(31),
                                     .buffer = shared,
                                     .is_variable = true});
    (void)mb_tensor(b, g, (mb_tensor_spec){.type = BERTH_BOOL});
    (void)mb_tensor(b, g,
                    (mb_tensor_spec){.type = BERTH_STRING, .no_rank = true});
    (void)mb_tensor(b, g,
                    (mb_tensor_spec){.type = BERTH_INT8,
                                     .shape = MB_INTS(9, 9),
                                     .is_sparse = true,
                                     .is_variant = true,
                                     .data = "xyz",
                                     .data_bytes = 3});
    mb_io(b, g, MB_INTS(0, 1), MB_INTS(1, 1, 0));
    opened o = open_built(b);

    assert_text(berth_model_description(o.model), "made here");
    const berth_subgraph main_graph = berth_model_subgraph(o.model, g);
    assert_text(main_graph.name, "main");
    assert_ints(main_graph.inputs, MB_INTS(0, 1));
    assert_ints(main_graph.outputs, MB_INTS(1, 1, 0));
    assert_int_equal(main_graph.tensor_count, 6);

    const berth_tensor resizable = berth_model_tensor(o.model, g, 0);
    assert_text(resizable.name, "resizable");
    assert_int_equal(resizable.type, BERTH_FLOAT32);
    assert_ints(resizable.shape, MB_INTS(1, 8));
    assert_ints(resizable.signature, MB_INTS(-1, 8));
    assert_int_equal(resizable.data.size, 0);
    assert_true(resizable.has_rank);

    const berth_tensor constant = berth_model_tensor(o.model, g, 1);
    const berth_tensor packed = berth_model_tensor(o.model, g, 2);
    assert_text(constant.data, "0123456789abcdef");
    assert_int_equal((uintptr_t)constant.data.data % 16, 0);
    assert_ptr_equal(packed.data.data, constant.data.data);
    assert_int_equal(packed.buffer, shared);
    assert_true(packed.is_variable);
    assert_int_equal(constant.signature.count, 0);

    assert_true(berth_model_tensor(o.model, g, 3).has_rank);
    assert_false(berth_model_tensor(o.model, g, 4).has_rank);
    const berth_tensor rare = berth_model_tensor(o.model, g, 5);
    assert_true(rare.has_sparsity && rare.has_variant);
    const berth_sparsity sparsity = berth_model_sparsity(o.model, g, 5);
    assert_ints(sparsity.traversal_order, MB_INTS(0, 1));
    assert_ints(sparsity.block_map, MB_INTS(1));
    assert_int_equal(sparsity.dim_count, 2);
    assert_int_equal(berth_model_sparsity(o.model, g, 0).dim_count, 0);
    shut(&o);
}

static void quantization_is_read_as_written(void **state)
{
    (void)state;
    static const float scales[3] = {0.5f, -0.25f, 3.0f};
    static const int64_t zeros[2] = {INT64_MIN, 7};
    const mb_quantization axis = {.scales = scales,
                                  .scale_count = 3,
                                  .zero_points = zeros,
                                  .zero_point_count = 2,
                                  .min = scales,
                                  .min_count = 1,
                                  .max = scales,
                                  .max_count = 2,
                                  .axis = 3};
    const mb_quantization blocks = {.details = 2,
                                    .block_scales = 1,
                                    .block_zero_points = -1,
                                    .block_size = 32};
    const mb_quantization bare = {.details = 3};
    const mb_quantization custom = {.details = 1};
    const mb_quantization *all[] = {&axis, &blocks, &bare, &custom, NULL};
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    for (uint32_t i = 0; i < 5; ++i) {
        (void)mb_tensor(b, g, (mb_tensor_spec){.quantization = all[i]});
    }
    opened o = open_built(b);

    const berth_quantization q = berth_model_quantization(o.model, g, 0);
    assert_true(q.present);
    assert_int_equal(q.scale_count, 3);
    assert_int_equal(q.zero_point_count, 2);
    assert_int_equal(q.min_count, 1);
    assert_int_equal(q.max_count, 2);
    assert_int_equal(q.axis, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(berth_quantization_scale(&q, i) == scales[i]);
    }
    assert_true(berth_quantization_zero_point(&q, 0) == INT64_MIN);
    assert_true(berth_quantization_zero_point(&q, 1) == 7);
    assert_int_equal(q.block_scales, BERTH_NONE);

    const berth_quantization blockwise =
        berth_model_quantization(o.model, g, 1);
    assert_int_equal(blockwise.details, 2);
    assert_int_equal(blockwise.block_scales, 1);
    assert_int_equal(blockwise.block_zero_points, BERTH_NONE);
    assert_int_equal(blockwise.block_size, 32);

    /* An absent field of zero points is none, not tensor 0. */
    const berth_quantization absent = berth_model_quantization(o.model, g, 2);
    assert_int_equal(absent.details, 3);
    assert_int_equal(absent.block_scales, 0);
    assert_int_equal(absent.block_zero_points, BERTH_NONE);

    assert_text(berth_model_quantization(o.model, g, 3).custom, "custom");
    assert_false(berth_model_quantization(o.model, g, 4).present);
    shut(&o);
}

static void operators_are_read_as_written(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    for (int i = 0; i < 4; ++i) {
        (void)mb_tensor(b, g, (mb_tensor_spec){.shape = MB_INTS(2)});
    }
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_CONV_2D,
                       .version = 3,
                       .inputs = MB_INTS(0, -1, 2),
                       .outputs = MB_INTS(3),
                       .intermediates = MB_INTS(1, 2),
                       .options = MB_OPTIONS(
                           {BERTH_OPT_Conv2DOptions_stride_w, .value = 2},
                           {BERTH_OPT_Conv2DOptions_padding, .value = -1})});
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_CUSTOM,
                       .custom_name = "TFLite_Detection_PostProcess",
                       .custom_options = "inside",
                       .custom_options_bytes = 6});
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_CUSTOM,
                       .custom_name = "Other",
                       .custom_options = "apart",
                       .custom_options_bytes = 5,
                       .custom_options_outside = true});
    mb_op(b, g, (mb_op_spec){.code = 1000});
    opened o = open_built(b);

    const berth_operator conv = berth_model_operator(o.model, g, 0);
    assert_int_equal(conv.code, BERTH_OP_CONV_2D);
    assert_int_equal(conv.version, 3);
    assert_ints(conv.inputs, MB_INTS(0, -1, 2));
    assert_ints(conv.outputs, MB_INTS(3));
    assert_ints(conv.intermediates, MB_INTS(1, 2));
    assert_int_equal(conv.custom_name.size, 0);
    assert_int_equal(conv.options_type, 1);
    assert_int_equal(conv.options2_type, 0);
    assert_int_equal(conv.debug_metadata, -1);
    assert_int_equal(berth_option_int(&conv, BERTH_OPT_Conv2DOptions_stride_w),
                     2);
    assert_int_equal(berth_option_int(&conv, BERTH_OPT_Conv2DOptions_padding),
                     -1);
    assert_false(
        berth_option_present(&conv, BERTH_OPT_Conv2DOptions_dilation_w_factor));
    assert_int_equal(
        berth_option_int(&conv, BERTH_OPT_Conv2DOptions_dilation_w_factor), 1);
    /* A field of another table, and a field asked for as what it is not. */
    assert_int_equal(
        berth_option_int(&conv, BERTH_OPT_AddOptions_pot_scale_int16), 1);
    assert_true(berth_option_float(
                    &conv, BERTH_OPT_Conv2DOptions_dilation_w_factor) == 1.0f);
    assert_int_equal(
        berth_option_ints(&conv, BERTH_OPT_Conv2DOptions_stride_w).count, 0);
    assert_int_equal(
        berth_option_bytes(&conv, BERTH_OPT_Conv2DOptions_stride_w).size, 0);

    const berth_operator custom = berth_model_operator(o.model, g, 1);
    assert_text(custom.custom_name, "TFLite_Detection_PostProcess");
    assert_text(custom.custom_options, "inside");
    assert_int_equal(custom.version, 1);
    assert_text(berth_model_operator(o.model, g, 2).custom_options, "apart");
    assert_text(berth_model_operator(o.model, g, 2).custom_name, "Other");
    assert_int_equal(berth_model_operator(o.model, g, 3).code, 1000);
    shut(&o);
}

static void options_of_every_kind_are_read_as_written(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    (void)mb_subgraph(b, "other");
    const mb_options sets[] = {
        MB_OPTIONS({BERTH_OPT_LeakyReluOptions_alpha, .real = 0.125}),
        MB_OPTIONS(
            {BERTH_OPT_ReshapeOptions_new_shape, .ints = MB_INTS(1, -1, 3)}),
        MB_OPTIONS({BERTH_OPT_RandomOptions_seed, .value = INT64_MIN},
                   {BERTH_OPT_RandomOptions_seed2, .value = INT64_MAX}),
        MB_OPTIONS({BERTH_OPT_VarHandleOptions_container, .text = "c"},
                   {BERTH_OPT_VarHandleOptions_shared_name, .text = "name"}),
        MB_OPTIONS({BERTH_OPT_CallOptions_subgraph, .value = UINT32_MAX}),
        MB_OPTIONS({BERTH_OPT_StablehloSliceOptions_start_indices,
                    .ints = MB_INTS(-5, 6)}),
        MB_OPTIONS({BERTH_OPT_StablehloConvolutionOptions_window_reversal,
                    .ints = MB_INTS(1, 0, 1)}),
        MB_OPTIONS({BERTH_OPT_StablehloDotGeneralOptions_precision_config,
                    .ints = MB_INTS(7, 8)}),
    };
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); ++i) {
        mb_op(b, g, (mb_op_spec){.code = BERTH_OP_RELU, .options = sets[i]});
    }
    opened o = open_built(b);
    berth_operator op = berth_model_operator(o.model, g, 0);
    assert_true(berth_option_float(&op, BERTH_OPT_LeakyReluOptions_alpha) ==
                0.125f);
    assert_int_equal(berth_option_int(&op, BERTH_OPT_LeakyReluOptions_alpha),
                     0);
    op = berth_model_operator(o.model, g, 1);
    assert_ints(berth_option_ints(&op, BERTH_OPT_ReshapeOptions_new_shape),
                MB_INTS(1, -1, 3));
    assert_int_equal(
        berth_option_bytes(&op, BERTH_OPT_ReshapeOptions_new_shape).size, 12);
    op = berth_model_operator(o.model, g, 2);
    assert_true(berth_option_int(&op, BERTH_OPT_RandomOptions_seed) ==
                INT64_MIN);
    assert_true(berth_option_int(&op, BERTH_OPT_RandomOptions_seed2) ==
                INT64_MAX);
    op = berth_model_operator(o.model, g, 3);
    assert_text(berth_option_bytes(&op, BERTH_OPT_VarHandleOptions_container),
                "c");
    assert_text(berth_option_bytes(&op, BERTH_OPT_VarHandleOptions_shared_name),
                "name");
    assert_int_equal(
        berth_option_ints(&op, BERTH_OPT_VarHandleOptions_container).count, 0);
    op = berth_model_operator(o.model, g, 4);
    assert_true(berth_option_int(&op, BERTH_OPT_CallOptions_subgraph) ==
                UINT32_MAX);
    op = berth_model_operator(o.model, g, 5);
    assert_int_equal(op.options2_type, 3);
    assert_int_equal(
        berth_option_bytes(&op, BERTH_OPT_StablehloSliceOptions_start_indices)
            .size,
        16);
    op = berth_model_operator(o.model, g, 6);
    const berth_bytes flags = berth_option_bytes(
        &op, BERTH_OPT_StablehloConvolutionOptions_window_reversal);
    assert_int_equal(flags.size, 3);
    assert_memory_equal(flags.data, "\1\0\1", 3);
    op = berth_model_operator(o.model, g, 7);
    assert_ints(berth_option_ints(
                    &op, BERTH_OPT_StablehloDotGeneralOptions_precision_config),
                MB_INTS(7, 8));
    shut(&o);
}

static void callees_are_those_of_the_options(void **state)
{
    (void)state;
    mb *b = mb_new();
    for (uint32_t i = 0; i < 4; ++i) {
        (void)mb_subgraph(b, "g");
    }
    mb_op(b, 0,
          (mb_op_spec){
              .code = BERTH_OP_IF,
              .options = MB_OPTIONS(
                  {BERTH_OPT_IfOptions_then_subgraph_index, .value = 2},
                  {BERTH_OPT_IfOptions_else_subgraph_index, .value = 1})});
    mb_op(b, 0,
          (mb_op_spec){
              .code = BERTH_OP_STABLEHLO_CASE,
              .options = MB_OPTIONS(
                  {BERTH_OPT_StablehloCaseOptions_branch_subgraph_indices,
                   .ints = MB_INTS(3, 2, 1)})});
    mb_op(
        b, 0,
        (mb_op_spec){.code = BERTH_OP_STABLEHLO_REDUCE,
                     .options = MB_OPTIONS(
                         {BERTH_OPT_StablehloReduceOptions_body_subgraph_index,
                          .value = 0})});
    mb_op(b, 0, (mb_op_spec){.code = BERTH_OP_ADD, .options_type = 92});
    mb_op(b, 0, (mb_op_spec){.code = BERTH_OP_STABLEHLO_CASE});
    opened o = open_built(b);
    uint32_t callees[3] = {9, 9, 9};
    berth_operator op = berth_model_operator(o.model, 0, 0);
    assert_int_equal(berth_model_callees(o.model, &op, callees, 3), 2);
    assert_int_equal(callees[0], 2);
    assert_int_equal(callees[1], 1);
    assert_int_equal(callees[2], 9);
    op = berth_model_operator(o.model, 0, 1);
    callees[1] = 9;
    assert_int_equal(berth_model_callees(o.model, &op, callees, 1), 3);
    assert_int_equal(callees[0], 3);
    assert_int_equal(callees[1], 9);
    assert_int_equal(berth_model_callees(o.model, &op, NULL, 0), 3);
    /* A recipe names a subgraph, even its own, without calling it; an operator
     * that calls nobody does not start to because of odd options. */
    for (uint32_t i = 2; i < 5; ++i) {
        op = berth_model_operator(o.model, 0, i);
        assert_int_equal(berth_model_callees(o.model, &op, callees, 3), 0);
    }
    shut(&o);
}

/* A subgraph that is called twice is no circle, however it is reached. */
static void calls_may_meet_again(void **state)
{
    enum { LEVELS = 40 };
    (void)state;
    mb *b = mb_new();
    for (uint32_t i = 0; i <= LEVELS; ++i) {
        (void)mb_subgraph(b, "level");
    }
    for (uint32_t i = 0; i < LEVELS; ++i) {
        mb_op(b, i,
              (mb_op_spec){
                  .code = BERTH_OP_IF,
                  .options = MB_OPTIONS(
                      {BERTH_OPT_IfOptions_then_subgraph_index, .value = i + 1},
                      {BERTH_OPT_IfOptions_else_subgraph_index,
                       .value = i + 1})});
    }
    opened o = open_built(b);
    shut(&o);
}

static void signatures_and_metadata_are_read_as_written(void **state)
{
    (void)state;
    mb *b = mb_new();
    (void)mb_subgraph(b, "a");
    const uint32_t g = mb_subgraph(b, "b");
    for (int i = 0; i < 3; ++i) {
        (void)mb_tensor(b, g, (mb_tensor_spec){.shape = MB_INTS(2)});
    }
    mb_signature(b, "encode", g, (mb_named[]){{"x", 2}, {"y", 1}}, 2,
                 (mb_named[]){{NULL, 0}}, 1);
    mb_signature(b, NULL, 0, NULL, 0, NULL, 0);
    mb_metadata(b, "one", "1", 1);
    mb_metadata(b, "none", "", 0);
    opened o = open_built(b);
    assert_int_equal(berth_model_signature_count(o.model), 2);
    const berth_signature s = berth_model_signature(o.model, 0);
    assert_text(s.name, "encode");
    assert_int_equal(s.subgraph, g);
    assert_int_equal(s.input_count, 2);
    assert_int_equal(s.output_count, 1);
    const berth_signature_tensor x = berth_model_signature_input(o.model, 0, 0);
    assert_text(x.name, "x");
    assert_int_equal(x.tensor, 2);
    assert_text(berth_model_signature_input(o.model, 0, 1).name, "y");
    const berth_signature_tensor out =
        berth_model_signature_output(o.model, 0, 0);
    assert_int_equal(out.name.size + out.tensor, 0);
    assert_int_equal(berth_model_signature(o.model, 1).name.size, 0);
    assert_int_equal(berth_model_metadata_count(o.model), 2);
    const berth_metadata one = berth_model_metadata(o.model, 0);
    assert_text(one.name, "one");
    assert_text(berth_model_buffer(o.model, one.buffer), "1");
    const berth_metadata none = berth_model_metadata(o.model, 1);
    assert_int_equal(berth_model_buffer(o.model, none.buffer).size, 0);
    shut(&o);
}

static void types_have_the_sizes_of_their_names(void **state)
{
    (void)state;
    assert_string_equal(berth_type_name(BERTH_INT4), "int4");
    assert_int_equal(berth_type_bits(BERTH_INT4), 4);
    assert_int_equal(berth_type_bits(BERTH_COMPLEX128), 128);
    assert_int_equal(berth_type_bits(BERTH_STRING), 0);
    assert_int_equal(BERTH_TYPE_COUNT, 23);
    assert_string_equal(berth_type_name((berth_type)23), "?");
    assert_int_equal(berth_type_bits((berth_type)255), 0);
    assert_string_equal(berth_type_name((berth_type)-1), "?");
}

/* A type of a newer schema is passed on; its constants have no known size. */
static void an_unknown_type_is_read(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    (void)mb_tensor(b, g,
                    (mb_tensor_spec){.type = (berth_type)77,
                                     .shape = MB_INTS(100),
                                     .data = "1",
                                     .data_bytes = 1});
    opened o = open_built(b);
    assert_int_equal(berth_model_tensor(o.model, g, 0).type, 77);
    shut(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_model_has_nothing),
        cmocka_unit_test(tensors_are_read_as_written),
        cmocka_unit_test(quantization_is_read_as_written),
        cmocka_unit_test(operators_are_read_as_written),
        cmocka_unit_test(options_of_every_kind_are_read_as_written),
        cmocka_unit_test(callees_are_those_of_the_options),
        cmocka_unit_test(calls_may_meet_again),
        cmocka_unit_test(signatures_and_metadata_are_read_as_written),
        cmocka_unit_test(types_have_the_sizes_of_their_names),
        cmocka_unit_test(an_unknown_type_is_read),
    };
    return cmocka_run_group_tests_name("model, read", tests, NULL, NULL);
}

#include "model_samples.h"

static void add_chain(mb *b)
{
    static const int8_t weights[12] = {1, 2, 3};
    static const int32_t bias[4] = {0, -1, 2, 7};
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t x = mb_tensor(b, g,
                                (mb_tensor_spec){.name = "x",
                                                 .type = BERTH_INT8,
                                                 .shape = MB_INTS(1, 3),
                                                 .signature = MB_INTS(-1, 3)});
    const int32_t w = mb_tensor(b, g,
                                (mb_tensor_spec){.name = "w",
                                                 .type = BERTH_INT8,
                                                 .shape = MB_INTS(4, 3),
                                                 .data = weights,
                                                 .data_bytes = 12});
    const int32_t c = mb_tensor(b, g,
                                (mb_tensor_spec){.name = "c",
                                                 .type = BERTH_INT32,
                                                 .shape = MB_INTS(4),
                                                 .data = bias,
                                                 .data_bytes = 16});
    const int32_t y =
        mb_tensor(b, g,
                  (mb_tensor_spec){
                      .name = "y", .type = BERTH_INT8, .shape = MB_INTS(1, 4)});
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_FULLY_CONNECTED,
                       .version = 4,
                       .inputs = MB_INTS(x, w, c),
                       .outputs = MB_INTS(y),
                       .options = MB_OPTIONS(
                           {BERTH_OPT_FullyConnectedOptions_keep_num_dims,
                            .value = 1})});
    mb_io(b, g, MB_INTS(x), MB_INTS(y));
    mb_signature(b, "serve", g, (mb_named[]){{"in", x}}, 1,
                 (mb_named[]){{"out", y}}, 1);
}

/* A subgraph that gives its input back. */
static uint32_t add_identity(mb *b, const char *name)
{
    const uint32_t g = mb_subgraph(b, name);
    const int32_t t = mb_tensor(
        b, g, (mb_tensor_spec){.type = BERTH_FLOAT32, .shape = MB_INTS(2)});
    mb_io(b, g, MB_INTS(t), MB_INTS(t));
    return g;
}

static void add_call(mb *b, uint32_t g, int32_t t, uint32_t code,
                     mb_options options)
{
    mb_op(b, g,
          (mb_op_spec){.code = code,
                       .inputs = MB_INTS(t, -1),
                       .outputs = MB_INTS(t),
                       .options = options});
}

static void add_control(mb *b)
{
    const uint32_t g = add_identity(b, "main");
    const uint32_t body = add_identity(b, "body");
    const uint32_t leaf = add_identity(b, "leaf");
    const int32_t other = (int32_t)add_identity(b, NULL);
    add_call(b, g, 0, BERTH_OP_WHILE,
             MB_OPTIONS(
                 {BERTH_OPT_WhileOptions_cond_subgraph_index, .value = leaf},
                 {BERTH_OPT_WhileOptions_body_subgraph_index, .value = body}));
    add_call(
        b, body, 0, BERTH_OP_IF,
        MB_OPTIONS({BERTH_OPT_IfOptions_then_subgraph_index, .value = leaf},
                   {BERTH_OPT_IfOptions_else_subgraph_index, .value = other}));
    add_call(b, g, 0, BERTH_OP_CALL_ONCE,
             MB_OPTIONS({BERTH_OPT_CallOnceOptions_init_subgraph_index,
                         .value = other}));
    add_call(
        b, g, 0, BERTH_OP_STABLEHLO_COMPOSITE,
        MB_OPTIONS(
            {BERTH_OPT_StableHLOCompositeOptions_name, .text = "odml.x"},
            {BERTH_OPT_StableHLOCompositeOptions_decomposition_subgraph_index,
             .value = leaf}));
    add_call(b, g, 0, BERTH_OP_STABLEHLO_CASE,
             MB_OPTIONS({BERTH_OPT_StablehloCaseOptions_branch_subgraph_indices,
                         .ints = MB_INTS(other, 1)}));
    mb_signature(b, "a", g, (mb_named[]){{"in", 0}}, 1,
                 (mb_named[]){{"out", 0}}, 1);
    mb_signature(b, "b", body, (mb_named[]){{NULL, 0}}, 1, NULL, 0);
}

static void add_quantized(mb *b, uint32_t g)
{
    static const float scales[2] = {0.5f, 0.25f};
    static const int64_t zeros[2] = {0, -3};
    const mb_quantization kinds[] = {
        {.scales = scales,
         .scale_count = 2,
         .zero_points = zeros,
         .zero_point_count = 2,
         .min = scales,
         .min_count = 1,
         .max = scales,
         .max_count = 1,
         .axis = 1},
        {.details = 1},
        {.details = 2, .block_scales = 1, .block_zero_points = 2},
        {.details = 3, .block_zero_points = -1, .block_size = 32},
    };
    for (uint32_t i = 0; i < 4; ++i) {
        (void)mb_tensor(b, g,
                        (mb_tensor_spec){.name = "q",
                                         .type = BERTH_INT4,
                                         .shape = MB_INTS(3, 2),
                                         .data = "abc",
                                         .data_bytes = 3,
                                         .quantization = &kinds[i]});
    }
}

static void add_rare(mb *b)
{
    const uint32_t g = mb_subgraph(b, "rare");
    add_quantized(b, g);
    const int32_t sparse = mb_tensor(b, g,
                                     (mb_tensor_spec){.type = BERTH_INT8,
                                                      .shape = MB_INTS(100, 2),
                                                      .is_sparse = true,
                                                      .data = "12",
                                                      .data_bytes = 2});
    const int32_t variant = mb_tensor(b, g,
                                      (mb_tensor_spec){.type = BERTH_VARIANT,
                                                       .shape = MB_INTS(1),
                                                       .is_variant = true});
    const int32_t state = mb_tensor(b, g,
                                    (mb_tensor_spec){.type = BERTH_FLOAT32,
                                                     .shape = MB_INTS(0, 7),
                                                     .is_variable = true});
    const int32_t apart = mb_tensor(
        b, g,
        (mb_tensor_spec){.type = BERTH_STRING,
                         .no_rank = true,
                         .buffer = mb_buffer_outside(b, "0123456789", 10)});
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_CUSTOM,
                       .custom_name = "Mine",
                       .inputs = MB_INTS(sparse, -1, apart),
                       .outputs = MB_INTS(variant),
                       .intermediates = MB_INTS(state),
                       .custom_options = "options",
                       .custom_options_bytes = 7});
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_CUSTOM,
                       .custom_name = "Mine",
                       .inputs = MB_INTS(0),
                       .outputs = MB_INTS(state),
                       .custom_options = "apart",
                       .custom_options_bytes = 5,
                       .custom_options_outside = true});
    mb_op(
        b, g,
        (mb_op_spec){.code = BERTH_OP_STABLEHLO_REDUCE,
                     .inputs = MB_INTS(0),
                     .outputs = MB_INTS(state),
                     .options = MB_OPTIONS(
                         {BERTH_OPT_StablehloReduceOptions_dimensions,
                          .ints = MB_INTS(1, 2)},
                         {BERTH_OPT_StablehloReduceOptions_body_subgraph_index,
                          .value = 0})});
    mb_io(b, g, MB_INTS(0), MB_INTS(variant));
    mb_metadata(b, "min_runtime_version", "1.5.0", 5);
    mb_description(b, "rare parts");
}

mb *model_sample(uint32_t which, berth_bytes *file)
{
    static void (*const adds[MODEL_SAMPLE_COUNT])(mb *) = {
        add_chain, add_control, add_rare};
    mb *b = mb_new();
    adds[which](b);
    *file = mb_finish(b);
    return b;
}

/* Each kind of damage is refused by name and place. */
#include "model_samples.h"
#include "model_walk.h"

#include "model/flat.h"
#include "model/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- damaged structure: the first sample with a few bytes changed ----------
 */

static uint8_t *root_of(uint8_t *file)
{
    return file + flat_u32(file);
}

/* Accessors of flat.h return const; the tests write through. */
static uint8_t *writable(uint8_t *file, const uint8_t *at)
{
    return file + (at - file);
}

static uint8_t *vtable_of(uint8_t *file, const uint8_t *table)
{
    return writable(file, table) - (ptrdiff_t)(int32_t)flat_u32(table);
}

static uint8_t *first_of(uint8_t *file, const uint8_t *table, uint32_t slot)
{
    return writable(file, flat_table_at(flat_get_vector(table, slot), 0));
}

static uint8_t *subgraph_of(uint8_t *file)
{
    return first_of(file, root_of(file), SLOT_Model_subgraphs);
}

static uint8_t *tensor_of(uint8_t *file)
{
    return first_of(file, subgraph_of(file), SLOT_SubGraph_tensors);
}

static uint8_t *operator_of(uint8_t *file)
{
    return first_of(file, subgraph_of(file), SLOT_SubGraph_operators);
}

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value);
    put16(at + 2, value >> 16);
}

/* Each returns the place that the diag must name. */
typedef uint8_t *damage(uint8_t *file, size_t size);

static uint8_t *root_points_to_itself(uint8_t *file, size_t size)
{
    (void)size;
    put32(file, 0);
    return file;
}

static uint8_t *name_points_outside(uint8_t *file, size_t size)
{
    uint8_t *at = writable(file, flat_field(tensor_of(file), SLOT_Tensor_name));
    put32(at, (uint32_t)(size - (size_t)(at - file)) - 3);
    return at;
}

static uint8_t *name_points_far_outside(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = writable(file, flat_field(tensor_of(file), SLOT_Tensor_name));
    put32(at, UINT32_MAX);
    return at;
}

static uint8_t *vtable_before_file(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = tensor_of(file);
    put32(at, (uint32_t)(at - file) + 1);
    return at;
}

static uint8_t *vtable_behind_file(uint8_t *file, size_t size)
{
    uint8_t *at = tensor_of(file);
    put32(at, (uint32_t)(at - file) - (uint32_t)size + 3);
    return at;
}

static uint8_t *vtable_too_small(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = vtable_of(file, tensor_of(file));
    put16(at, 2);
    return at;
}

static uint8_t *vtable_odd(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = vtable_of(file, tensor_of(file));
    put16(at, 7);
    return at;
}

static uint8_t *vtable_too_long(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = vtable_of(file, tensor_of(file));
    put16(at, 0xfffe);
    return at;
}

static uint8_t *table_too_small(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = vtable_of(file, tensor_of(file)) + 2;
    put16(at, 3);
    return at;
}

static uint8_t *table_too_long(uint8_t *file, size_t size)
{
    (void)size;
    put16(vtable_of(file, tensor_of(file)) + 2, 0xffff);
    return tensor_of(file);
}

static uint8_t *field_in_soffset(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *at = vtable_of(file, tensor_of(file)) + 4 + 2 * SLOT_Tensor_name;
    put16(at, 3);
    return at;
}

static uint8_t *field_behind_table(uint8_t *file, size_t size)
{
    (void)size;
    uint8_t *vtable = vtable_of(file, tensor_of(file));
    uint8_t *at = vtable + 4 + 2 * SLOT_Tensor_name;
    put16(at, flat_u16(vtable + 2) - 3u);
    return at;
}

static uint8_t *vector_too_long(uint8_t *file, size_t size)
{
    (void)size;
    const berth_ivec shape =
        flat_get_vector(tensor_of(file), SLOT_Tensor_shape);
    uint8_t *at = writable(file, shape.at) - 4;
    put32(at, UINT32_MAX);
    return at;
}

static uint8_t *string_too_long(uint8_t *file, size_t size)
{
    const berth_bytes name = flat_get_bytes(tensor_of(file), SLOT_Tensor_name);
    uint8_t *at = writable(file, name.data) - 4;
    put32(at, (uint32_t)(size - (size_t)(at - file)) - 3);
    return at;
}

static uint8_t *options_point_outside(uint8_t *file, size_t size)
{
    uint8_t *at = writable(
        file, flat_field(operator_of(file), SLOT_Operator_builtin_options));
    put32(at, (uint32_t)size);
    return at;
}

static const struct {
    damage *make;
    const char *what;
    uint32_t subgraph, op, tensor;
} DAMAGES[] = {
#define NONE BERTH_NONE
    {root_points_to_itself, "an offset points to itself", NONE, NONE, NONE},
    {name_points_outside, "an offset points outside the file", 0, NONE, 0},
    {name_points_far_outside, "an offset points outside the file", 0, NONE, 0},
    {vtable_before_file, "a vtable lies outside the file", 0, NONE, 0},
    {vtable_behind_file, "a vtable lies outside the file", 0, NONE, 0},
    {vtable_too_small, "a vtable's size is impossible", 0, NONE, 0},
    {vtable_odd, "a vtable's size is impossible", 0, NONE, 0},
    {vtable_too_long, "a vtable reaches past the end of the file", 0, NONE, 0},
    {table_too_small, "a table's size is impossible", 0, NONE, 0},
    {table_too_long, "a table reaches past the end of the file", 0, NONE, 0},
    {field_in_soffset, "a field lies outside its table", 0, NONE, 0},
    {field_behind_table, "a field lies outside its table", 0, NONE, 0},
    {vector_too_long, "a vector reaches past the end of the file", 0, NONE, 0},
    {string_too_long, "a vector reaches past the end of the file", 0, NONE, 0},
    {options_point_outside, "an offset points outside the file", 0, 0, NONE},
};

static void damaged_structure_is_named_and_placed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(DAMAGES) / sizeof(DAMAGES[0]); ++i) {
        berth_bytes file;
        mb *b = model_sample(0, &file);
        uint8_t *copy = malloc(file.size);
        assert_non_null(copy);
        memcpy(copy, file.data, file.size);
        const uint8_t *at = DAMAGES[i].make(copy, file.size);
        berth_diag diag;
        assert_int_equal(
            model_open_and_walk((berth_bytes){copy, file.size}, &diag),
            BERTH_BAD_MODEL);
        assert_string_equal(diag.what, DAMAGES[i].what);
        assert_int_equal(diag.file_offset, at - copy);
        assert_int_equal(diag.subgraph, DAMAGES[i].subgraph);
        assert_int_equal(diag.op, DAMAGES[i].op);
        assert_int_equal(diag.tensor, DAMAGES[i].tensor);
        free(copy);
        mb_free(b);
    }
}

/* --- sound structure that says something impossible ------------------------
 */

static mb_tensor_spec plain(void)
{
    static const int32_t shape[2] = {2, 3};
    return (mb_tensor_spec){.type = BERTH_INT8, .shape = {shape, 2}};
}

static void add_op(mb *b, mb_ints inputs, mb_ints outputs, mb_ints between)
{
    mb_op(b, 0,
          (mb_op_spec){.code = BERTH_OP_ADD,
                       .inputs = inputs,
                       .outputs = outputs,
                       .intermediates = between});
}

static void input_too_large(mb *b)
{
    mb_io(b, 0, MB_INTS(2), MB_INTS(0));
}

static void input_absent(mb *b)
{
    mb_io(b, 0, MB_INTS(-1), MB_INTS(0));
}

static void output_too_large(mb *b)
{
    mb_io(b, 0, MB_INTS(0), MB_INTS(1, 9));
}

static void op_input_too_large(mb *b)
{
    add_op(b, MB_INTS(0, -1, 2), MB_INTS(1), MB_NO_INTS);
}

static void op_input_too_small(mb *b)
{
    add_op(b, MB_INTS(0, -2), MB_INTS(1), MB_NO_INTS);
}

static void op_output_absent(mb *b)
{
    add_op(b, MB_INTS(0), MB_INTS(-1), MB_NO_INTS);
}

static void op_intermediate_too_large(mb *b)
{
    add_op(b, MB_INTS(0), MB_INTS(1), MB_INTS(0, INT32_MAX));
}

static void shape_negative(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.shape = MB_INTS(2, -1);
    (void)mb_tensor(b, 0, spec);
}

static void shape_of_many_elements(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.shape = MB_INTS(INT32_MAX, INT32_MAX, 5);
    (void)mb_tensor(b, 0, spec);
}

static void shape_of_many_bits(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.shape = MB_INTS(INT32_MAX, INT32_MAX);
    (void)mb_tensor(b, 0, spec);
}

/* 2^64 - 4 bits: the product fits, rounding it up to bytes does not. */
static void shape_of_all_bits(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.type = BERTH_INT4;
    spec.shape = MB_INTS(INT32_MAX, 3, 715827883);
    (void)mb_tensor(b, 0, spec);
}

static void constant_too_short(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.data = "12345";
    spec.data_bytes = 5;
    (void)mb_tensor(b, 0, spec);
}

static void packed_constant_too_short(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.type = BERTH_INT4;
    spec.shape = MB_INTS(7);
    spec.data = "123";
    spec.data_bytes = 3;
    (void)mb_tensor(b, 0, spec);
}

static void buffer_too_large(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.buffer = 1;
    (void)mb_tensor(b, 0, spec);
}

static void buffer_behind_file(mb *b)
{
    mb_tensor_spec spec = plain();
    spec.buffer = mb_buffer_claimed(b, 64, 1u << 20);
    (void)mb_tensor(b, 0, spec);
}

static void buffer_wraps(mb *b)
{
    (void)mb_buffer_claimed(b, UINT64_MAX - 3, 8);
}

static void blocks_without_scales(mb *b)
{
    const mb_quantization q = {.details = 2, .block_scales = 3};
    mb_tensor_spec spec = plain();
    spec.quantization = &q;
    (void)mb_tensor(b, 0, spec);
}

static void blocks_without_zero_points(mb *b)
{
    const mb_quantization q = {.details = 3, .block_zero_points = 3};
    mb_tensor_spec spec = plain();
    spec.quantization = &q;
    (void)mb_tensor(b, 0, spec);
}

static void signature_without_subgraph(mb *b)
{
    mb_signature(b, "s", 1, NULL, 0, NULL, 0);
}

static void signature_without_input(mb *b)
{
    mb_signature(b, "s", 0, (mb_named[]){{"x", 0}, {"y", 2}}, 2, NULL, 0);
}

static void signature_without_output(mb *b)
{
    mb_signature(b, "s", 0, NULL, 0, (mb_named[]){{"x", -1}}, 1);
}

static void add_call(mb *b, uint32_t subgraph, int64_t then, int64_t otherwise)
{
    mb_op(b, subgraph,
          (mb_op_spec){.code = BERTH_OP_IF,
                       .options =
                           MB_OPTIONS({BERTH_OPT_IfOptions_then_subgraph_index,
                                       .value = then},
                                      {BERTH_OPT_IfOptions_else_subgraph_index,
                                       .value = otherwise})});
}

static void call_of_nothing(mb *b)
{
    (void)mb_subgraph(b, "one");
    add_call(b, 0, 1, 2);
}

static void call_of_less(mb *b)
{
    (void)mb_subgraph(b, "one");
    add_call(b, 0, -1, 1);
}

static void call_of_itself(mb *b)
{
    add_op(b, MB_INTS(0), MB_INTS(1), MB_NO_INTS);
    add_call(b, 0, 0, 0);
}

static void call_in_a_circle(mb *b)
{
    for (uint32_t i = 1; i < 4; ++i) {
        (void)mb_subgraph(b, "more");
    }
    add_call(b, 0, 1, 1);
    add_call(b, 1, 3, 2);
    add_call(b, 2, 3, 1);
}

static void call_without_options(mb *b)
{
    mb_op(b, 0, (mb_op_spec){.code = BERTH_OP_WHILE});
}

static void call_with_foreign_options(mb *b)
{
    mb_op(b, 0, (mb_op_spec){.code = BERTH_OP_WHILE, .options_type = 1});
}

static void branch_of_nothing(mb *b)
{
    (void)mb_subgraph(b, "one");
    mb_op(b, 0,
          (mb_op_spec){
              .code = BERTH_OP_STABLEHLO_CASE,
              .options = MB_OPTIONS(
                  {BERTH_OPT_StablehloCaseOptions_branch_subgraph_indices,
                   .ints = MB_INTS(1, 2)})});
}

static void recipe_of_nothing(mb *b)
{
    mb_op(b, 0,
          (mb_op_spec){
              .code = BERTH_OP_STABLEHLO_SORT,
              .options = MB_OPTIONS(
                  {BERTH_OPT_StablehloSortOptions_comparator_subgraph_index,
                   .value = 1})});
}

static const struct {
    void (*add)(mb *b);
    const char *what;
    uint32_t subgraph, op, tensor;
} NONSENSE[] = {
    {input_too_large, "a subgraph's input names no tensor", 0, NONE, NONE},
    {input_absent, "a subgraph's input names no tensor", 0, NONE, NONE},
    {output_too_large, "a subgraph's output names no tensor", 0, NONE, NONE},
    {op_input_too_large, "an operator's input names no tensor", 0, 0, NONE},
    {op_input_too_small, "an operator's input names no tensor", 0, 0, NONE},
    {op_output_absent, "an operator's output names no tensor", 0, 0, NONE},
    {op_intermediate_too_large, "an operator's intermediate names no tensor", 0,
     0, NONE},
    {shape_negative, "a shape has a negative size", 0, NONE, 2},
    {shape_of_many_elements, "a shape has more than 2^64 elements", 0, NONE, 2},
    {shape_of_many_bits, "a shape has more than 2^64 bits", 0, NONE, 2},
    {shape_of_all_bits, "a shape has more than 2^64 bits", 0, NONE, 2},
    {constant_too_short, "a constant has fewer bytes than its shape needs", 0,
     NONE, 2},
    {packed_constant_too_short,
     "a constant has fewer bytes than its shape needs", 0, NONE, 2},
    {buffer_too_large, "a tensor names no buffer", 0, NONE, 2},
    {buffer_behind_file, "bytes stored by offset and size lie outside the file",
     NONE, NONE, NONE},
    {buffer_wraps, "bytes stored by offset and size lie outside the file", NONE,
     NONE, NONE},
    {blocks_without_scales, "blockwise quantization names no tensor", 0, NONE,
     2},
    {blocks_without_zero_points, "blockwise quantization names no tensor", 0,
     NONE, 2},
    {signature_without_subgraph, "a signature names no subgraph", NONE, NONE,
     NONE},
    {signature_without_input, "a signature names no tensor", 0, NONE, NONE},
    {signature_without_output, "a signature names no tensor", 0, NONE, NONE},
    {call_of_nothing, "an operator names no subgraph", 0, 0, NONE},
    {call_of_less, "an operator names no subgraph", 0, 0, NONE},
    {call_of_itself, "subgraphs call each other in a circle", 0, 1, NONE},
    {call_in_a_circle, "subgraphs call each other in a circle", 2, 0, NONE},
    {call_without_options, "an operator that calls lacks its options", 0, 0,
     NONE},
    {call_with_foreign_options, "an operator that calls lacks its options", 0,
     0, NONE},
    {branch_of_nothing, "an operator names no subgraph", 0, 0, NONE},
    {recipe_of_nothing, "an operator names no subgraph", 0, 0, NONE},
#undef NONE
};

static void nonsense_is_named_and_placed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(NONSENSE) / sizeof(NONSENSE[0]); ++i) {
        mb *b = mb_new();
        (void)mb_subgraph(b, "main");
        (void)mb_tensor(b, 0, plain());
        (void)mb_tensor(b, 0, plain());
        NONSENSE[i].add(b);
        berth_diag diag;
        const berth_status status = model_open_and_walk(mb_finish(b), &diag);
        if (status != BERTH_BAD_MODEL) {
            print_error("not refused: %s (row %zu)\n", NONSENSE[i].what, i);
        }
        assert_int_equal(status, BERTH_BAD_MODEL);
        assert_string_equal(diag.what, NONSENSE[i].what);
        assert_int_equal(diag.subgraph, NONSENSE[i].subgraph);
        assert_int_equal(diag.op, NONSENSE[i].op);
        assert_int_equal(diag.tensor, NONSENSE[i].tensor);
        assert_true(diag.file_offset > 8);
        mb_free(b);
    }
}

static void a_short_constant_tells_both_sizes(void **state)
{
    (void)state;
    mb *b = mb_new();
    (void)mb_subgraph(b, "main");
    constant_too_short(b);
    berth_diag diag;
    assert_int_equal(model_open_and_walk(mb_finish(b), &diag), BERTH_BAD_MODEL);
    assert_int_equal(diag.needed_bytes, 6);
    assert_int_equal(diag.limit_bytes, 5);
    mb_free(b);
}

/* What the builder cannot leave out: set in the finished bytes. */
static void an_operator_without_a_code_is_damaged(void **state)
{
    (void)state;
    berth_bytes file;
    mb *b = model_sample(0, &file);
    uint8_t *bytes = malloc(file.size);
    assert_non_null(bytes);
    memcpy(bytes, file.data, file.size);
    uint8_t *op = operator_of(bytes);
    put32(writable(bytes, flat_field(op, SLOT_Operator_opcode_index)), 1);
    berth_diag diag;
    assert_int_equal(
        model_open_and_walk((berth_bytes){bytes, file.size}, &diag),
        BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "an operator names no operator code");
    assert_int_equal(diag.op, 0);
    free(bytes);
    mb_free(b);
}

/* The larger of both fields counts: both must be negative. */
static void a_negative_operator_code_is_damaged(void **state)
{
    (void)state;
    berth_bytes file;
    mb *b = model_sample(0, &file);
    uint8_t *bytes = malloc(file.size);
    assert_non_null(bytes);
    memcpy(bytes, file.data, file.size);
    uint8_t *code = first_of(bytes, root_of(bytes), SLOT_Model_operator_codes);
    *writable(bytes,
              flat_field(code, SLOT_OperatorCode_deprecated_builtin_code)) =
        0xff;
    berth_diag diag;
    assert_int_equal(
        model_open_and_walk((berth_bytes){bytes, file.size}, &diag), BERTH_OK);
    uint8_t *at =
        writable(bytes, flat_field(code, SLOT_OperatorCode_builtin_code));
    put32(at, 0x80000000u);
    assert_int_equal(
        model_open_and_walk((berth_bytes){bytes, file.size}, &diag),
        BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "an operator code is negative");
    assert_int_equal(diag.file_offset, at - bytes);
    free(bytes);
    mb_free(b);
}

static void metadata_without_a_buffer_is_damaged(void **state)
{
    (void)state;
    berth_bytes file;
    mb *b = model_sample(2, &file);
    uint8_t *bytes = malloc(file.size);
    assert_non_null(bytes);
    memcpy(bytes, file.data, file.size);
    uint8_t *entry = first_of(bytes, root_of(bytes), SLOT_Model_metadata);
    uint8_t *at = writable(bytes, flat_field(entry, SLOT_Metadata_buffer));
    put32(at, UINT32_MAX);
    berth_diag diag;
    assert_int_equal(
        model_open_and_walk((berth_bytes){bytes, file.size}, &diag),
        BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "a metadata entry names no buffer");
    assert_int_equal(diag.file_offset, at - bytes);
    free(bytes);
    mb_free(b);
}

static void custom_options_behind_the_file_are_damaged(void **state)
{
    (void)state;
    mb *b = mb_new();
    (void)mb_subgraph(b, "main");
    mb_op(b, 0,
          (mb_op_spec){.code = BERTH_OP_CUSTOM,
                       .custom_name = "far",
                       .custom_options = "0123456789abcdef",
                       .custom_options_bytes = 16,
                       .custom_options_outside = true});
    const berth_bytes whole = mb_finish(b);
    berth_diag diag;
    assert_int_equal(model_open_and_walk(whole, &diag), BERTH_OK);
    assert_int_equal(
        model_open_and_walk((berth_bytes){whole.data, whole.size - 1}, &diag),
        BERTH_BAD_MODEL);
    assert_string_equal(diag.what,
                        "bytes stored by offset and size lie outside the file");
    assert_int_equal(diag.op, 0);
    mb_free(b);
}

static void a_model_needs_a_subgraph_and_version_three(void **state)
{
    (void)state;
    mb *b = mb_new();
    berth_diag diag;
    assert_int_equal(model_open_and_walk(mb_finish(b), &diag), BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "the model has no subgraph");
    mb_free(b);

    berth_bytes file;
    b = model_sample(0, &file);
    uint8_t *bytes = malloc(file.size);
    assert_non_null(bytes);
    memcpy(bytes, file.data, file.size);
    uint8_t *version =
        writable(bytes, flat_field(root_of(bytes), SLOT_Model_version));
    put32(version, 4);
    assert_int_equal(
        model_open_and_walk((berth_bytes){bytes, file.size}, &diag),
        BERTH_UNSUPPORTED);
    assert_string_equal(diag.what, "a schema version other than 3");
    assert_int_equal(diag.file_offset, version - bytes);
    /* Absent, it is 0. */
    put16(vtable_of(bytes, root_of(bytes)) + 4, 0);
    assert_int_equal(
        model_open_and_walk((berth_bytes){bytes, file.size}, &diag),
        BERTH_UNSUPPORTED);
    assert_int_equal(diag.file_offset, root_of(bytes) - bytes);
    free(bytes);
    mb_free(b);
}

/* The deepest chain of the schema must fit the verifier's stack. */
static uint32_t depth_of(uint32_t layout)
{
    uint32_t deepest = 0;
    const layout_fields fields = layout_of(layout);
    for (uint32_t i = 0; i < fields.count; ++i) {
        const layout_field field = fields.at[i];
        uint32_t below = 0;
        if (field.kind == FLAT_TABLE || field.kind == FLAT_TABLES) {
            below = depth_of(field.arg);
        }
        for (uint32_t tag = 1; field.kind == FLAT_UNION && tag < 256; ++tag) {
            const uint32_t member = layout_of_union(field.arg, tag);
            if (member != LAYOUT_COUNT && depth_of(member) > below) {
                below = depth_of(member);
            }
        }
        deepest = below > deepest ? below : deepest;
    }
    return deepest + 1;
}

static void the_schema_is_as_deep_as_the_verifier_believes(void **state)
{
    (void)state;
    assert_int_equal(depth_of(LAYOUT_Model), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_structure_is_named_and_placed),
        cmocka_unit_test(nonsense_is_named_and_placed),
        cmocka_unit_test(a_short_constant_tells_both_sizes),
        cmocka_unit_test(an_operator_without_a_code_is_damaged),
        cmocka_unit_test(a_negative_operator_code_is_damaged),
        cmocka_unit_test(metadata_without_a_buffer_is_damaged),
        cmocka_unit_test(custom_options_behind_the_file_are_damaged),
        cmocka_unit_test(a_model_needs_a_subgraph_and_version_three),
        cmocka_unit_test(the_schema_is_as_deep_as_the_verifier_believes),
    };
    return cmocka_run_group_tests_name("model, damage", tests, NULL, NULL);
}

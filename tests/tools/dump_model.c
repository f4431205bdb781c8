/* Prints all that berth reads in a model, a line for each part, for tests that
 * compare it with other readers.
 *
 *   dump_model FILE...
 *
 * Each file starts with "file PATH" and goes on with either "refused STATUS
 * what @offset" or its parts. Names are hex, floats are the bits, bytes are
 * offset+size in the file. */
#include "berth/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static berth_bytes whole_file; /* of the model that is being printed */

static void print_hex(const char *label, berth_bytes bytes)
{
    printf(" %s=", label);
    for (size_t i = 0; i < bytes.size; ++i) {
        printf("%02x", bytes.data[i]);
    }
}

static void print_ints(const char *label, berth_ivec vec)
{
    printf(" %s=", label);
    for (uint32_t i = 0; i < vec.count; ++i) {
        printf(i == 0 ? "%" PRId32 : ",%" PRId32, berth_ivec_at(vec, i));
    }
}

static void print_place(const char *label, berth_bytes bytes)
{
    const size_t at =
        bytes.size == 0 ? 0 : (size_t)(bytes.data - whole_file.data);
    printf(" %s=%zu+%zu", label, at, bytes.size);
}

static uint32_t bits_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void print_tensor(const berth_model *model, uint32_t s, uint32_t i)
{
    const berth_tensor t = berth_model_tensor(model, s, i);
    printf("tensor %" PRIu32 ".%" PRIu32, s, i);
    print_hex("name", t.name);
    printf(" type=%d rank=%d variable=%d sparse=%d variant=%d"
           " buffer=%" PRIu32 " external=%" PRIu32,
           (int)t.type, t.has_rank, t.is_variable, t.has_sparsity,
           t.has_variant, t.buffer, t.external_buffer);
    print_ints("shape", t.shape);
    print_ints("signature", t.signature);
    print_place("data", t.data);
    printf("\n");
    if (t.has_sparsity) {
        const berth_sparsity sparsity = berth_model_sparsity(model, s, i);
        printf("sparsity %" PRIu32 ".%" PRIu32, s, i);
        print_ints("order", sparsity.traversal_order);
        print_ints("blocks", sparsity.block_map);
        printf(" dims=%" PRIu32 "\n", sparsity.dim_count);
    }
}

static void print_quantization(const berth_model *model, uint32_t s, uint32_t i)
{
    const berth_quantization q = berth_model_quantization(model, s, i);
    if (!q.present) {
        return;
    }
    printf("quantization %" PRIu32 ".%" PRIu32 " axis=%" PRId32
           " details=%u min=%" PRIu32 " max=%" PRIu32 " scales=",
           s, i, q.axis, q.details, q.min_count, q.max_count);
    for (uint32_t k = 0; k < q.scale_count; ++k) {
        printf(k == 0 ? "%" PRIu32 : ",%" PRIu32,
               bits_of(berth_quantization_scale(&q, k)));
    }
    printf(" zeros=");
    for (uint32_t k = 0; k < q.zero_point_count; ++k) {
        printf(k == 0 ? "%" PRId64 : ",%" PRId64,
               berth_quantization_zero_point(&q, k));
    }
    printf(" blocks=%" PRId32 ",%" PRId32 ",%" PRId32, (int32_t)q.block_scales,
           (int32_t)q.block_zero_points, q.block_size);
    print_hex("custom", q.custom);
    printf("\n");
}

typedef enum shown_as {
    SHOWN_INT,
    SHOWN_FLOAT,
    SHOWN_INTS,
    SHOWN_BYTES
} shown_as;

#define SHOWN_BOOL     SHOWN_INT
#define SHOWN_I8       SHOWN_INT
#define SHOWN_I32      SHOWN_INT
#define SHOWN_U32      SHOWN_INT
#define SHOWN_I64      SHOWN_INT
#define SHOWN_F32      SHOWN_FLOAT
#define SHOWN_I32_VEC  SHOWN_INTS
#define SHOWN_U32_VEC  SHOWN_INTS
#define SHOWN_F32_VEC  SHOWN_INTS
#define SHOWN_STRING   SHOWN_BYTES
#define SHOWN_U8_VEC   SHOWN_BYTES
#define SHOWN_BOOL_VEC SHOWN_BYTES
#define SHOWN_I64_VEC  SHOWN_BYTES

enum option_table_tag {
#define BERTH_OPTION_TABLE(table, tag, which)                                  \
    TAG_##table = tag, WHICH_##table = which,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

static const struct {
    const char *table;
    const char *name;
    uint32_t tag;
    uint32_t which;
    shown_as shown;
} OPTIONS[BERTH_OPTION_COUNT] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)                     \
    {#table, #field, TAG_##table, WHICH_##table, SHOWN_##kind},
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

static void print_option(const berth_operator *op, berth_option field)
{
    printf("option %s.%s present=%d", OPTIONS[field].table, OPTIONS[field].name,
           berth_option_present(op, field));
    switch (OPTIONS[field].shown) {
    case SHOWN_INT:
        printf(" int=%" PRId64, berth_option_int(op, field));
        break;
    case SHOWN_FLOAT:
        printf(" bits=%" PRIu32, bits_of(berth_option_float(op, field)));
        break;
    case SHOWN_INTS:
        print_ints("ints", berth_option_ints(op, field));
        break;
    case SHOWN_BYTES:
        print_hex("bytes", berth_option_bytes(op, field));
        break;
    }
    printf("\n");
}

static void print_operator(const berth_model *model, uint32_t s, uint32_t i)
{
    const berth_operator op = berth_model_operator(model, s, i);
    printf("operator %" PRIu32 ".%" PRIu32 " code=%" PRIu32 " version=%" PRId32,
           s, i, op.code, (int32_t)op.version);
    print_hex("custom", op.custom_name);
    print_ints("inputs", op.inputs);
    print_ints("outputs", op.outputs);
    print_ints("intermediates", op.intermediates);
    print_place("custom_options", op.custom_options);
    printf(" options=%" PRIu32 ",%" PRIu32 " debug=%" PRId32 " calls=",
           op.options_type, op.options2_type, op.debug_metadata);
    uint32_t callees[16];
    const uint32_t count = berth_model_callees(model, &op, callees, 16);
    for (uint32_t k = 0; k < count && k < 16; ++k) {
        printf(k == 0 ? "%" PRIu32 : ",%" PRIu32, callees[k]);
    }
    printf("\n");
    for (uint32_t field = 0; field < BERTH_OPTION_COUNT; ++field) {
        const uint32_t tag =
            OPTIONS[field].which == 1 ? op.options_type : op.options2_type;
        if (OPTIONS[field].tag == tag) {
            print_option(&op, (berth_option)field);
        }
    }
}

static void print_subgraph(const berth_model *model, uint32_t s)
{
    const berth_subgraph subgraph = berth_model_subgraph(model, s);
    printf("subgraph %" PRIu32, s);
    print_hex("name", subgraph.name);
    printf(" tensors=%" PRIu32 " operators=%" PRIu32, subgraph.tensor_count,
           subgraph.op_count);
    print_ints("inputs", subgraph.inputs);
    print_ints("outputs", subgraph.outputs);
    printf("\n");
    for (uint32_t i = 0; i < subgraph.tensor_count; ++i) {
        print_tensor(model, s, i);
        print_quantization(model, s, i);
    }
    for (uint32_t i = 0; i < subgraph.op_count; ++i) {
        print_operator(model, s, i);
    }
}

static void print_signature(const berth_model *model, uint32_t index)
{
    const berth_signature sig = berth_model_signature(model, index);
    printf("signature %" PRIu32, index);
    print_hex("name", sig.name);
    printf(" subgraph=%" PRIu32 "\n", sig.subgraph);
    for (uint32_t i = 0; i < sig.input_count; ++i) {
        const berth_signature_tensor t =
            berth_model_signature_input(model, index, i);
        printf("signature_input tensor=%" PRIu32, t.tensor);
        print_hex("name", t.name);
        printf("\n");
    }
    for (uint32_t i = 0; i < sig.output_count; ++i) {
        const berth_signature_tensor t =
            berth_model_signature_output(model, index, i);
        printf("signature_output tensor=%" PRIu32, t.tensor);
        print_hex("name", t.name);
        printf("\n");
    }
}

static void print_model(const berth_model *model)
{
    printf("model");
    print_hex("description", berth_model_description(model));
    printf("\n");
    for (uint32_t i = 0; i < berth_model_buffer_count(model); ++i) {
        printf("buffer %" PRIu32, i);
        print_place("data", berth_model_buffer(model, i));
        printf("\n");
    }
    for (uint32_t s = 0; s < berth_model_subgraph_count(model); ++s) {
        print_subgraph(model, s);
    }
    for (uint32_t i = 0; i < berth_model_signature_count(model); ++i) {
        print_signature(model, i);
    }
    for (uint32_t i = 0; i < berth_model_metadata_count(model); ++i) {
        const berth_metadata entry = berth_model_metadata(model, i);
        printf("metadata %" PRIu32 " buffer=%" PRIu32, i, entry.buffer);
        print_hex("name", entry.name);
        printf("\n");
    }
}

static void print_file(void)
{
    berth_diag diag = berth_diag_none();
    size_t bytes = 0;
    void *memory = NULL;
    const berth_model *model = NULL;
    berth_status status = berth_model_bytes(whole_file, &bytes, &diag);
    if (status == BERTH_OK) {
        memory = malloc(bytes);
        berth_work work = berth_work_of(memory, bytes);
        status = berth_model_init(whole_file, &work, &model, &diag);
    }
    if (status == BERTH_OK) {
        print_model(model);
    } else {
        printf("refused %s %s @%" PRIu64 "\n", berth_status_name(status),
               diag.what, diag.file_offset);
    }
    free(memory);
}

static bool read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return false;
    }
    const size_t size = (size_t)ftell(file);
    uint8_t *data = aligned_alloc(16, (size + 16) / 16 * 16);
    rewind(file);
    const bool is_read = data != NULL && fread(data, 1, size, file) == size;
    (void)fclose(file);
    whole_file = (berth_bytes){data, size};
    return is_read;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        if (!read_file(argv[i])) {
            perror(argv[i]);
            return 1;
        }
        printf("file %s\n", argv[i]);
        print_file();
        free((void *)(uintptr_t)whole_file.data);
    }
    return 0;
}

/* berth/model.h: a .tflite file, read where it lies.
 *
 * berth_model_init() verifies the whole file once: every offset, vtable,
 * vector, string and index, every shape product and buffer size, and that
 * subgraphs do not call each other in a circle. After that, every function
 * below is cheap and cannot fail: it trusts what was verified. Any bytes give
 * BERTH_OK or a status whose diag names the file offset and what is wrong.
 *
 * The file's bytes are borrowed: they must stay where they are, unchanged, as
 * long as the model is used. They start 16-aligned, as mmap and malloc give
 * them. A model is immutable after init and may be shared by threads.
 *
 * Format: TensorFlow Lite's FlatBuffers schema, version 3. Unknown fields are
 * skipped. Names are bytes from a stranger: neither unique nor printable. */
#ifndef BERTH_MODEL_H
#define BERTH_MODEL_H

#include "berth/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file is, from its first bytes (64 are enough, fewer are allowed). */
#define BERTH_FILE_KIND_TABLE(X)                                               \
    X(TFLITE, "a .tflite model")                                               \
    X(EMPTY, "an empty file")                                                  \
    X(LFS_POINTER, "a git-LFS pointer, not the model itself (git lfs pull)")   \
    X(ZIP, "a zip archive (a .task or .zip bundle; unpack it first)")          \
    X(GZIP, "gzip data (gunzip it first)")                                     \
    X(HDF5, "an HDF5 file (a Keras .h5 model; convert it first)")              \
    X(ONNX, "an ONNX model (convert it first)")                                \
    X(SAVED_MODEL, "a TensorFlow SavedModel (convert it first)")               \
    X(OTHER_FLATBUFFER, "a FlatBuffers file, but not a .tflite model")         \
    X(UNKNOWN, "not a .tflite model")

typedef enum berth_file_kind {
#define BERTH_FILE_KIND_ENUM(name, text) BERTH_FILE_##name,
    BERTH_FILE_KIND_TABLE(BERTH_FILE_KIND_ENUM)
#undef BERTH_FILE_KIND_ENUM
        BERTH_FILE_KIND_COUNT
} berth_file_kind;

berth_file_kind berth_file_kind_of(berth_bytes head);
const char *berth_file_kind_text(berth_file_kind kind);

/* Element types, numbered as in the schema. bits: of one element as the file
 * stores it (4-bit and 2-bit elements are packed, low bits first); 0 where an
 * element has no size (string, resource, variant). */
#define BERTH_TYPE_TABLE(X)                                                    \
    X(FLOAT32, 0, "float32", 32)                                               \
    X(FLOAT16, 1, "float16", 16)                                               \
    X(INT32, 2, "int32", 32)                                                   \
    X(UINT8, 3, "uint8", 8)                                                    \
    X(INT64, 4, "int64", 64)                                                   \
    X(STRING, 5, "string", 0)                                                  \
    X(BOOL, 6, "bool", 8)                                                      \
    X(INT16, 7, "int16", 16)                                                   \
    X(COMPLEX64, 8, "complex64", 64)                                           \
    X(INT8, 9, "int8", 8)                                                      \
    X(FLOAT64, 10, "float64", 64)                                              \
    X(COMPLEX128, 11, "complex128", 128)                                       \
    X(UINT64, 12, "uint64", 64)                                                \
    X(RESOURCE, 13, "resource", 0)                                             \
    X(VARIANT, 14, "variant", 0)                                               \
    X(UINT32, 15, "uint32", 32)                                                \
    X(UINT16, 16, "uint16", 16)                                                \
    X(INT4, 17, "int4", 4)                                                     \
    X(BFLOAT16, 18, "bfloat16", 16)                                            \
    X(INT2, 19, "int2", 2)                                                     \
    X(UINT4, 20, "uint4", 4)                                                   \
    X(FLOAT8_E4M3FN, 21, "float8_e4m3fn", 8)                                   \
    X(FLOAT8_E5M2, 22, "float8_e5m2", 8)

typedef enum berth_type {
#define BERTH_TYPE_ENUM(name, code, text, bits) BERTH_##name = code,
    BERTH_TYPE_TABLE(BERTH_TYPE_ENUM)
#undef BERTH_TYPE_ENUM
        BERTH_TYPE_COUNT
} berth_type;

const char *berth_type_name(berth_type type); /* "?" for an unknown code */
uint32_t berth_type_bits(berth_type type);
/* At which elements can be loaded: of one part of a complex number, and 1 where
 * elements are packed or have no size. */
uint32_t berth_type_align(berth_type type);

/* A vector of little-endian int32 inside the file (any alignment). */
typedef struct berth_ivec {
    const uint8_t *at;
    uint32_t count;
} berth_ivec;

static inline int32_t berth_ivec_at(berth_ivec vec, uint32_t i)
{
    const uint8_t *p = vec.at + (size_t)i * 4u;
    return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
                     (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

typedef struct berth_model berth_model; /* opaque; lives in lent memory */

/* Bytes that berth_model_init() takes; a few for each subgraph. Reads the first
 * table only, verified on the way. Fails as berth_model_init() does. */
BERTH_MUST_USE berth_status berth_model_bytes(berth_bytes file, size_t *bytes,
                                              berth_diag *diag);

/* Verifies and indexes.
 * BERTH_BAD_MODEL   damaged, empty, or no file of any known kind, which is
 *                   what a torn one looks like; diag: file_offset, what, and
 *                   subgraph, op, tensor where they are known.
 * BERTH_UNSUPPORTED another file kind or another schema version.
 * BERTH_MISALIGNED  file.data is not 16-aligned.
 * BERTH_NO_SPACE    diag->needed_bytes.
 * BERTH_TOO_LARGE   the subgraphs' index does not fit this machine's size_t.
 * On failure work and *model are unchanged. Time is linear in the file's
 * structure; weights are not touched. */
BERTH_MUST_USE berth_status berth_model_init(berth_bytes file, berth_work *work,
                                             const berth_model **model,
                                             berth_diag *diag);

berth_bytes berth_model_file(const berth_model *model);
berth_bytes berth_model_description(const berth_model *model);

uint32_t berth_model_subgraph_count(const berth_model *model);
uint32_t berth_model_buffer_count(const berth_model *model);

/* One subgraph. inputs and outputs are tensor indexes (verified to be in
 * range). */
typedef struct berth_subgraph {
    berth_bytes name;
    uint32_t tensor_count;
    uint32_t op_count;
    berth_ivec inputs;
    berth_ivec outputs;
} berth_subgraph;

berth_subgraph berth_model_subgraph(const berth_model *model, uint32_t index);

/* One tensor as the file has it. */
typedef struct berth_tensor {
    berth_bytes name;
    berth_type type;
    bool has_rank;      /* false: shape is empty because the rank is unknown */
    bool is_variable;   /* state: keeps its value between invocations */
    bool has_sparsity;
    bool has_variant;   /* variant_tensors is not empty */
    uint32_t buffer;    /* index into the model's buffers */
    uint32_t external_buffer; /* id of bytes in another file; 0: none */
    berth_ivec shape;
    berth_ivec signature; /* shape_signature; count 0 when absent */
    /* Constant bytes in the file; size 0: no constant. At least what shape and
     * type need, but where has_sparsity; those of strings are opaque. */
    berth_bytes data;
} berth_tensor;

berth_tensor berth_model_tensor(const berth_model *model, uint32_t subgraph,
                                uint32_t tensor);

/* Bytes of a buffer (also one stored outside the table by offset and size);
 * size 0 when it has none. */
berth_bytes berth_model_buffer(const berth_model *model, uint32_t buffer);

/* Quantization of a tensor. Vectors may be empty. */
typedef struct berth_quantization {
    bool present;
    uint32_t scale_count;
    uint32_t zero_point_count;
    uint32_t min_count;
    uint32_t max_count;
    int32_t axis; /* quantized_dimension */
    uint8_t details; /* 0 none, 1 custom, 2 blockwise, 3 multi-axis */
    const uint8_t *scales;      /* little-endian float32 */
    const uint8_t *zero_points; /* little-endian int64 */
    uint32_t block_scales;      /* 2 and 3: tensor index of the scales */
    uint32_t block_zero_points; /* 2 and 3: tensor index, or BERTH_NONE */
    int32_t block_size;
    berth_bytes custom;
} berth_quantization;

berth_quantization berth_model_quantization(const berth_model *model,
                                            uint32_t subgraph, uint32_t tensor);
float berth_quantization_scale(const berth_quantization *q, uint32_t i);
int64_t berth_quantization_zero_point(const berth_quantization *q, uint32_t i);

/* What an engine needs of a tensor each time it runs: the same as in the two
 * above, read in one go. `quantization` may be NULL. */
typedef struct berth_tensor_brief {
    berth_type type;
    uint32_t buffer;
    berth_ivec shape;
} berth_tensor_brief;

berth_tensor_brief berth_model_brief(const berth_model *model,
                                     uint32_t subgraph, uint32_t tensor,
                                     berth_quantization *quantization);

/* Sparsity of a constant (has_sparsity). */
typedef struct berth_sparsity {
    berth_ivec traversal_order;
    berth_ivec block_map;
    uint32_t dim_count;
} berth_sparsity;

berth_sparsity berth_model_sparsity(const berth_model *model, uint32_t subgraph,
                                    uint32_t tensor);

/* One operator. inputs may hold -1 (absent); every other index is in range. */
typedef struct berth_operator {
    uint32_t code;        /* a berth_op of op.h; larger codes are unknown */
    uint32_t version;
    berth_bytes custom_name; /* of CUSTOM operators, else empty */
    berth_ivec inputs;
    berth_ivec outputs;
    berth_ivec intermediates;
    berth_bytes custom_options;
    uint32_t options_type;   /* union tag of builtin_options, 0: none */
    uint32_t options2_type;  /* union tag of builtin_options_2, 0: none */
    const uint8_t *options;  /* handles for berth_option_*(); may be NULL */
    const uint8_t *options2;
    int32_t debug_metadata;  /* debug_metadata_index or -1, not verified */
} berth_operator;

berth_operator berth_model_operator(const berth_model *model, uint32_t subgraph,
                                    uint32_t op);

/* Option fields: one enumerator per field of every option table, generated
 * from one table with names (berth/options.def):
 *   BERTH_OPT_Conv2DOptions_stride_w
 *   BERTH_OPT_WhileOptions_body_subgraph_index
 * An absent table, or an absent field, gives the schema's default. Asking an
 * operator for a field of another operator's table gives that default too. */
typedef enum berth_option {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)                     \
    BERTH_OPT_##table##_##field,
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
    BERTH_OPTION_COUNT
} berth_option;

bool berth_option_present(const berth_operator *op, berth_option field);
int64_t berth_option_int(const berth_operator *op, berth_option field);
float berth_option_float(const berth_operator *op, berth_option field);
/* A vector of int32 or uint32 (of float32: its bits). */
berth_ivec berth_option_ints(const berth_operator *op, berth_option field);
/* A string or any vector, as bytes (a vector of int64: size is 8 * count). */
berth_bytes berth_option_bytes(const berth_operator *op, berth_option field);

/* Signatures: named entry points. */
typedef struct berth_signature {
    berth_bytes name; /* signature_key */
    uint32_t subgraph;
    uint32_t input_count;
    uint32_t output_count;
} berth_signature;

uint32_t berth_model_signature_count(const berth_model *model);
berth_signature berth_model_signature(const berth_model *model, uint32_t index);

/* The name that a signature gives to an input or output, and its tensor. */
typedef struct berth_signature_tensor {
    berth_bytes name;
    uint32_t tensor;
} berth_signature_tensor;

berth_signature_tensor berth_model_signature_input(const berth_model *model,
                                                   uint32_t signature,
                                                   uint32_t i);
berth_signature_tensor berth_model_signature_output(const berth_model *model,
                                                    uint32_t signature,
                                                    uint32_t i);

/* Metadata entries: a name and the bytes of its buffer. */
typedef struct berth_metadata {
    berth_bytes name;
    uint32_t buffer;
} berth_metadata;

uint32_t berth_model_metadata_count(const berth_model *model);
berth_metadata berth_model_metadata(const berth_model *model, uint32_t index);

/* The subgraphs that an operator calls, from its options (IF: then, else;
 * WHILE: cond, body; CALL_ONCE, CALL, STABLEHLO_COMPOSITE: one;
 * STABLEHLO_WHILE, STABLEHLO_CASE where given). Writes at most `most` indexes,
 * returns how many there are. Verified to be in range and acyclic. */
uint32_t berth_model_callees(const berth_model *model,
                             const berth_operator *op, uint32_t *callees,
                             uint32_t most);

#ifdef __cplusplus
}
#endif
#endif

/* model_builder.h: .tflite files for tests, made in C.
 *
 *     mb *b = mb_new();
 *     uint32_t g = mb_subgraph(b, "main");
 *     int32_t x = mb_tensor(b, g, (mb_tensor_spec){
 *         .name = "x", .type = BERTH_INT8, .shape = MB_INTS(1, 8, 8, 3)});
 *     int32_t y = mb_tensor(b, g, (mb_tensor_spec){...});
 *     mb_op(b, g, (mb_op_spec){
 *         .code = BERTH_OP_SOFTMAX, .inputs = MB_INTS(x), .outputs =
 * MB_INTS(y), .options = MB_OPTIONS({BERTH_OPT_SoftmaxOptions_beta, .real =
 * 1})}); mb_io(b, g, MB_INTS(x), MB_INTS(y)); berth_bytes file = mb_finish(b);
 * ... until mb_free(b);
 *
 * A builder writes what it is told, also nonsense (indexes out of range, data
 * of the wrong size): hostile files are half of its purpose. Everything that
 * is passed in is copied. It aborts when memory runs out or when it is itself
 * misused (an unknown subgraph, options of two tables for one operator). */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include "berth/model.h"
#include "berth/op.h"

typedef struct mb mb;

typedef struct mb_ints {
    const int32_t *at;
    size_t count;
} mb_ints;

/* Lists on the spot. An empty list is {0}; MB_NO_INTS is one by name. */
#define MB_COUNT(type, ...) (sizeof((type[]){__VA_ARGS__}) / sizeof(type))
#define MB_INTS(...)                                                           \
    ((mb_ints){(const int32_t *)(const int32_t[]){__VA_ARGS__},                \
               MB_COUNT(int32_t, __VA_ARGS__)})
#define MB_NO_INTS ((mb_ints){NULL, 0})

typedef struct mb_quantization {
    const float *scales;
    size_t scale_count;
    const int64_t *zero_points;
    size_t zero_point_count;
    const float *min;
    size_t min_count;
    const float *max;
    size_t max_count;
    int32_t axis;
    uint8_t details; /* 1 custom, 2 blockwise, 3 multi-axis */
    int32_t block_scales;
    int32_t block_zero_points;
    int32_t block_size;
} mb_quantization;

typedef struct mb_tensor_spec {
    const char *name; /* NULL: no name field */
    berth_type type;
    mb_ints shape;
    bool no_rank;      /* has_rank absent and no shape field */
    mb_ints signature; /* shape_signature; empty: absent */
    bool is_variable;
    bool is_variant;  /* one variant sub type of the tensor's shape */
    bool is_sparse;   /* dense first axis, compressed last one */
    const void *data; /* a constant of data_bytes; NULL: none */
    size_t data_bytes;
    uint32_t buffer; /* if data is NULL: an index of mb_buffer(); 0: none */
    const mb_quantization *quantization; /* NULL: none */
} mb_tensor_spec;

/* One option field. What is used of value, real, ints, text depends on the
 * kind in options.def. Byte vectors: text with text_bytes. */
typedef struct mb_option {
    berth_option field;
    int64_t value;
    double real;
    mb_ints ints; /* I32 vectors, and I64, U32, BOOL ones, converted */
    const char *text;
    size_t text_bytes; /* 0: up to the NUL */
} mb_option;

typedef struct mb_options {
    const mb_option *at;
    size_t count;
} mb_options;

#define MB_OPTIONS(...)                                                        \
    ((mb_options){(const mb_option *)(const mb_option[]){__VA_ARGS__},         \
                  MB_COUNT(mb_option, __VA_ARGS__)})

typedef struct mb_op_spec {
    uint32_t code;           /* a berth_op */
    int32_t version;         /* 0 means 1 */
    const char *custom_name; /* with BERTH_OP_CUSTOM */
    mb_ints inputs;          /* -1: absent */
    mb_ints outputs;
    mb_ints intermediates;
    mb_options options;    /* all of one table, which sets the union tag */
    uint8_t options_type;  /* an empty table of builtin_options */
    uint8_t options2_type; /* an empty table of builtin_options_2 */
    const void *custom_options;
    size_t custom_options_bytes;
    bool custom_options_outside; /* large_custom_options_offset and _size */
} mb_op_spec;

/* A name and a tensor index, for signatures. */
typedef struct mb_named {
    const char *name;
    int32_t tensor;
} mb_named;

mb *mb_new(void);
void mb_free(mb *b);

void mb_description(mb *b, const char *text);
uint32_t mb_subgraph(mb *b, const char *name);
int32_t mb_tensor(mb *b, uint32_t subgraph, mb_tensor_spec spec);
uint32_t mb_op(mb *b, uint32_t subgraph, mb_op_spec spec);
void mb_io(mb *b, uint32_t subgraph, mb_ints inputs, mb_ints outputs);

/* A buffer of its own, for tensors that share one. The second form is stored
 * behind the structure, by offset and size; the third only claims so: the
 * caller puts bytes at that offset of a larger file, or does not. */
uint32_t mb_buffer(mb *b, const void *data, size_t bytes);
uint32_t mb_buffer_outside(mb *b, const void *data, size_t bytes);
uint32_t mb_buffer_claimed(mb *b, uint64_t offset, uint64_t bytes);

void mb_signature(mb *b, const char *name, uint32_t subgraph,
                  const mb_named *inputs, size_t input_count,
                  const mb_named *outputs, size_t output_count);
void mb_metadata(mb *b, const char *name, const void *data, size_t bytes);

/* The file, 16-aligned, owned by b; may be called once. */
berth_bytes mb_finish(mb *b);

#endif

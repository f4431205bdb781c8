/* model_builder_int.h: what model_builder.c collects, model_parts.c writes. */
#ifndef MODEL_BUILDER_INT_H
#define MODEL_BUILDER_INT_H

#include "flat_writer.h"
#include "model_builder.h"

/* A copy that lives until mb_free(). */
typedef struct keep {
    struct keep *next;
    _Alignas(16) unsigned char bytes[];
} keep;

/* A growing array of one item size. */
typedef struct mb_list {
    unsigned char *at;
    size_t count, room, item;
} mb_list;

void *mb_list_add(mb_list *l, size_t item);
void *mb_list_at(const mb_list *l, size_t i);

#define MB_ADD(list, type)   ((type *)(void *)mb_list_add((list), sizeof(type)))
#define MB_AT(list, type, i) ((type *)(void *)mb_list_at((list), (i)))

typedef struct mb_buffer_row {
    const void *data;
    size_t bytes;
    bool outside;
    uint64_t offset; /* claimed */
    uint64_t size;
} mb_buffer_row;

typedef struct mb_code_row {
    uint32_t code;
    int32_t version;
    const char *custom_name;
} mb_code_row;

typedef struct mb_op_row {
    mb_op_spec spec;
    uint32_t code_index;
} mb_op_row;

typedef struct mb_subgraph_row {
    const char *name;
    mb_list tensors; /* mb_tensor_spec */
    mb_list ops;     /* mb_op_row */
    mb_ints inputs, outputs;
} mb_subgraph_row;

typedef struct mb_signature_row {
    const char *name;
    uint32_t subgraph;
    const mb_named *inputs, *outputs;
    size_t input_count, output_count;
} mb_signature_row;

typedef struct mb_metadata_row {
    const char *name;
    uint32_t buffer;
} mb_metadata_row;

/* Bytes to be put behind the structure, and the field that waits for them. */
typedef struct mb_outside_row {
    size_t hole; /* position of the u64 offset field */
    const void *data;
    size_t bytes;
} mb_outside_row;

struct mb {
    keep *kept;
    const char *description;
    mb_list subgraphs, codes, buffers, signatures, metadata, outsides;
    flat_writer w;
    unsigned char *file;
};

/* Writes all that was collected to b->w, but what lies outside. */
void mb_put_model(mb *b);

#endif

/* model_int.h: what the files of this module tell each other.
 *
 * The way of a file:
 *
 *   verify.c   structure: every offset, vtable, field, vector and string
 *   meaning.c  content: indexes, shapes, sizes of constants, on verified
 *              structure and by the public accessors
 *   calls.c    which operator calls which subgraphs, and that none does so in
 *              a circle
 *
 * After verify.c the inline functions of flat.h may be used; after the other
 * two the public ones keep their word. */
#ifndef BERTH_MODEL_INT_H
#define BERTH_MODEL_INT_H

#include "berth/model.h"

/* FlatBuffers' offsets have 32 bits, so all structure lies in the first 4 GB;
 * buffers stored by offset and size may lie behind it. Positions of structure
 * are uint32_t; 0, the file's head, stands for "absent". */
#define MODEL_STRUCTURE_MAX UINT32_MAX

/* Bytes stored behind the structure have an offset of at least this: 0 is an
 * absent field, 1 what writers put in before they know the true one. */
#define MODEL_OUTSIDE_MIN 2u

/* Union tags of the details of a quantization. */
enum {
    MODEL_DETAILS_CUSTOM = 1,
    MODEL_DETAILS_BLOCKWISE = 2,
    MODEL_DETAILS_MULTI_AXIS = 3
};

/* Where the vectors of a subgraph lie, each at its count. */
typedef struct model_subgraph {
    uint32_t name;
    uint32_t tensors;
    uint32_t ops;
    uint32_t inputs;
    uint32_t outputs;
} model_subgraph;

struct berth_model {
    berth_bytes file;
    berth_bytes description;
    berth_ivec codes; /* this and the next: vectors of tables */
    berth_ivec buffers;
    berth_ivec signatures;
    berth_ivec metadata;
    uint32_t subgraph_count;
    const model_subgraph *subgraphs;
};

/* Scratch of model_calls_check(), one for each subgraph. */
typedef struct model_visit {
    uint32_t op;     /* next operator to look at, or a mark */
    uint32_t callee; /* next callee of that operator */
    uint32_t caller; /* who opened this subgraph */
} model_visit;

/* Fills diag with damage at a place in the file. */
berth_status model_damage(berth_diag *diag, const char *what,
                          uint64_t file_offset);

/* Verifies the structure of the whole file. *root: the Model table. */
berth_status model_verify(berth_bytes file, const uint8_t **root,
                          berth_diag *diag);

/* Verifies just enough to count the subgraphs. */
berth_status model_count_subgraphs(berth_bytes file, uint32_t *count,
                                   berth_diag *diag);

/* Verifies what the structure means, but the calls. */
berth_status model_check(const berth_model *model, berth_diag *diag);

/* Verifies the subgraph indexes in options, and that calls end. visits:
 * scratch, one for each subgraph. */
berth_status model_calls_check(const berth_model *model, model_visit *visits,
                               berth_diag *diag);

/* The tables behind the public accessors. */
const uint8_t *model_tensor_table(const berth_model *model, uint32_t subgraph,
                                  uint32_t tensor);
const uint8_t *model_operator_table(const berth_model *model, uint32_t subgraph,
                                    uint32_t op);

/* The code in an OperatorCode table. Old files have it in a byte; newer ones
 * put 127 there and the code into a field of its own. The larger one counts. */
int32_t model_code_of(const uint8_t *operator_code);

/* The table of a union (layout_union) whose tag stands in the slot before;
 * NULL when there is none, or one of a newer schema. */
const uint8_t *model_union_member(const uint8_t *table, uint32_t slot,
                                  uint32_t which);

#endif

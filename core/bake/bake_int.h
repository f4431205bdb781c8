/* bake_int.h: what the files of this module tell each other.
 *
 *   bake_problem.c  TFLM's head as a free problem: who may share bytes
 *   bake_solve.c    candidates, carried out as TFLM will, the best of them
 *   bake_layout.c   where the new parts of the file go
 *   bake_write.c    the file
 *   bake_same.c     is it still the same model? */
#ifndef BERTH_BAKE_INT_H
#define BERTH_BAKE_INT_H

#include "base/base_int.h"
#include "berth/bake.h"

/* The metadata's name, and the numbers in front of its offsets: version, count
 * of subgraphs, count of tensors. */
#define BAKE_NAME        "OfflineMemoryAllocation"
#define BAKE_NAME_LENGTH (sizeof(BAKE_NAME) - 1)
#define BAKE_HEADER      3u

/* What TFLM places itself. */
#define BAKE_ONLINE (-1)

enum { BAKE_ALIGN = 16 };

/* The fields of the Model table that this writer knows: slots 0 to 9. */
#define BAKE_MODEL_SLOTS 10u

/* Positions in the new file. All that is new lies before `shift`, where the
 * old file begins. A table's vtable stands right before it. */
typedef struct bake_layout {
    uint64_t shift;
    uint64_t file_bytes;
    uint32_t model;   /* the Model table */
    uint32_t buffers; /* vectors, at their counts */
    uint32_t metadata;
    uint32_t entry;        /* the Metadata table */
    uint32_t name;         /* a string */
    uint32_t buffer;       /* the Buffer table of the plan */
    uint32_t empty;        /* a Buffer table of nothing; 0: not needed */
    uint32_t data;         /* the plan's vector, at its count */
    uint32_t buffer_count; /* of the new file */
    uint32_t metadata_count;
    uint32_t plan_buffer; /* the number of the plan's buffer */
    uint32_t tensor_count;
} bake_layout;

berth_status bake_layout_find(const berth_model *model, bake_layout *layout,
                              berth_diag *diag);

/* Whether entry i of the model's metadata is an offline plan. */
bool bake_is_plan(const berth_model *model, uint32_t i);

#endif

/* tflm_file.h: how TFLM reads a file where it is not LiteRT: sizes of elements,
 * and the plan that the file may bring. */
#ifndef BERTH_TFLM_FILE_H
#define BERTH_TFLM_FILE_H

#include "berth/graph.h"

/* Bytes of an element in its arena, also where the file packs them; 0: it has
 * no size for the type. */
uint32_t tflm_element_bytes(uint32_t type);

typedef enum tflm_offline {
    TFLM_OFFLINE_NONE,
    TFLM_OFFLINE_FITS,
    TFLM_OFFLINE_COUNT,   /* not of as many tensors as the model has */
    TFLM_OFFLINE_NEGATIVE /* an offset below -1 */
} tflm_offline;

/* The metadata "OfflineMemoryAllocation", of several the last. FITS: an offset
 * for each tensor of all subgraphs, -1 where TFLM plans; else `offsets` is
 * empty. NEGATIVE: `tensor` is the first. */
tflm_offline tflm_offline_plan(const berth_graph *graph, berth_ivec *offsets,
                               uint32_t *tensor);

#endif

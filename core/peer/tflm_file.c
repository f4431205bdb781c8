/* tflm_file.c: facts from tflite-micro: memory_helpers.cc, and
 * docs/memory_management.md for the metadata. */
#include "peer/tflm_file.h"

#include <string.h>

static const uint8_t element_bytes[BERTH_TYPE_COUNT] = {
    [BERTH_FLOAT32] = 4,  [BERTH_FLOAT16] = 2,     [BERTH_INT32] = 4,
    [BERTH_UINT8] = 1,    [BERTH_INT64] = 8,       [BERTH_BOOL] = 1,
    [BERTH_INT16] = 2,    [BERTH_COMPLEX64] = 8,   [BERTH_INT8] = 1,
    [BERTH_FLOAT64] = 8,  [BERTH_COMPLEX128] = 16, [BERTH_UINT64] = 8,
    [BERTH_RESOURCE] = 4, [BERTH_VARIANT] = 4,     [BERTH_UINT32] = 4,
    [BERTH_UINT16] = 2,   [BERTH_INT4] = 1,        [BERTH_BFLOAT16] = 2,
};

uint32_t tflm_element_bytes(uint32_t type)
{
    return type < BERTH_TYPE_COUNT ? element_bytes[type] : 0;
}

/* --- the plan in the file --------------------------------------------------
 */

static const char offline_name[] = "OfflineMemoryAllocation";

/* Version, count of subgraphs, count of tensors, then an offset for each. */
enum { OFFLINE_TENSORS = 2, OFFLINE_HEADER = 3 };

static berth_bytes offline_bytes(const berth_model *model)
{
    const size_t length = sizeof(offline_name) - 1;
    berth_bytes found = {NULL, 0};
    for (uint32_t i = 0; i < berth_model_metadata_count(model); ++i) {
        const berth_metadata entry = berth_model_metadata(model, i);
        if (entry.name.size == length &&
            memcmp(entry.name.data, offline_name, length) == 0) {
            found = berth_model_buffer(model, entry.buffer);
        }
    }
    return found;
}

tflm_offline tflm_offline_plan(const berth_graph *graph, berth_ivec *offsets,
                               uint32_t *tensor)
{
    const berth_bytes found = offline_bytes(graph->model);
    const uint32_t tensors = graph->tensor_count;
    *offsets = (berth_ivec){NULL, 0};
    *tensor = BERTH_NONE;
    if (found.size == 0) {
        return TFLM_OFFLINE_NONE;
    }
    const berth_ivec header = {found.data, OFFLINE_HEADER};
    if (found.size / 4 < (uint64_t)OFFLINE_HEADER + tensors ||
        (uint32_t)berth_ivec_at(header, OFFLINE_TENSORS) != tensors) {
        return TFLM_OFFLINE_COUNT;
    }
    const berth_ivec all = {found.data + (size_t)4 * OFFLINE_HEADER, tensors};
    for (uint32_t t = 0; t < tensors; ++t) {
        if (berth_ivec_at(all, t) < -1) {
            *tensor = t;
            return TFLM_OFFLINE_NEGATIVE;
        }
    }
    *offsets = all;
    return TFLM_OFFLINE_FITS;
}

/* The buffer TFLITE_METADATA is a FlatBuffer of its own ("M001"). Four tables
 * deep lies what is wanted: ModelMetadata.subgraph_metadata[0].
 * input_tensor_metadata[i].process_units[*].options of kind
 * NormalizationOptions {mean, std}. (metadata_schema.fbs of tflite-support.)
 * Each step is bounded; what does not fit is as good as not there. */
#include "berth/hosted/run.h"

#include <string.h>

enum {
    SLOT_SUBGRAPHS = 3,
    SLOT_INPUTS = 2,
    SLOT_PROCESS_UNITS = 4,
    SLOT_OPTIONS_TYPE = 0,
    SLOT_OPTIONS = 1,
    SLOT_MEAN = 0,
    SLOT_STD = 1,
    KIND_NORMALIZATION = 1,
    UNITS_MAX = 64
};

/* A place in the buffer; 0: not there. */
typedef size_t place;

static uint32_t word_at(berth_bytes file, place at)
{
    if (at == 0 || file.size < 4 || at > file.size - 4) {
        return 0;
    }
    const uint8_t *p = file.data + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static place follow(berth_bytes file, place at)
{
    const uint32_t by = word_at(file, at);
    return by == 0 || by > file.size - at ? 0 : at + by;
}

/* The place of a field of a table. */
static place field(berth_bytes file, place table, uint32_t slot)
{
    const int64_t back = (int32_t)word_at(file, table);
    const int64_t vtable = (int64_t)table - back;
    if (table == 0 || vtable < 4 || vtable > (int64_t)file.size - 4) {
        return 0;
    }
    const uint32_t head = word_at(file, (place)vtable);
    const place entry = (place)vtable + 4u + 2u * slot;
    if ((head & 0xffffu) < 6u + 2u * slot || entry + 2u > file.size) {
        return 0;
    }
    const uint32_t by =
        (uint32_t)file.data[entry] | (uint32_t)file.data[entry + 1] << 8;
    return by == 0 || by > file.size - table ? 0 : table + by;
}

/* Entry i of the vector of tables in a field. */
static place entry(berth_bytes file, place table, uint32_t slot, uint32_t i)
{
    const place vector = follow(file, field(file, table, slot));
    return i < word_at(file, vector) && i < file.size / 4
               ? follow(file, vector + 4u + 4u * (size_t)i)
               : 0;
}

static uint32_t floats(berth_bytes file, place table, uint32_t slot,
                       float values[4])
{
    const place vector = follow(file, field(file, table, slot));
    const uint32_t count = word_at(file, vector);
    for (uint32_t i = 0; i < count && i < 4; ++i) {
        const uint32_t bits = word_at(file, vector + 4u + 4u * (size_t)i);
        memcpy(&values[i], &bits, sizeof(bits));
    }
    return count;
}

static bool read_unit(berth_bytes file, place unit, berth_normalisation *how)
{
    const place kind = field(file, unit, SLOT_OPTIONS_TYPE);
    if (kind == 0 || kind >= file.size ||
        file.data[kind] != KIND_NORMALIZATION) {
        return false;
    }
    const place options = follow(file, field(file, unit, SLOT_OPTIONS));
    how->count = floats(file, options, SLOT_MEAN, how->mean);
    bool sane = how->count == floats(file, options, SLOT_STD, how->std) &&
                (how->count == 1 || how->count == 3 || how->count == 4);
    for (uint32_t i = 0; sane && i < how->count; ++i) {
        sane = how->std[i] > 0.0f && how->std[i] < 1e30f &&
               how->mean[i] > -1e30f && how->mean[i] < 1e30f;
    }
    return sane;
}

static berth_bytes metadata_of(const berth_model *model)
{
    static const char name[] = "TFLITE_METADATA";
    for (uint32_t i = 0; i < berth_model_metadata_count(model); ++i) {
        const berth_metadata row = berth_model_metadata(model, i);
        if (row.name.size == sizeof(name) - 1 &&
            memcmp(row.name.data, name, row.name.size) == 0) {
            return berth_model_buffer(model, row.buffer);
        }
    }
    return (berth_bytes){NULL, 0};
}

bool berth_metadata_normalisation(const berth_model *model, uint32_t input,
                                  berth_normalisation *normalisation)
{
    const berth_bytes file = metadata_of(model);
    if (file.size < 8 || memcmp(file.data + 4, "M001", 4) != 0) {
        return false;
    }
    /* The root's offset counts from the start, which place 0 cannot name. */
    const uint32_t root = (uint32_t)file.data[0] | (uint32_t)file.data[1] << 8 |
                          (uint32_t)file.data[2] << 16 |
                          (uint32_t)file.data[3] << 24;
    const place subgraph = entry(file, root, SLOT_SUBGRAPHS, 0);
    const place tensor = entry(file, subgraph, SLOT_INPUTS, input);
    for (uint32_t i = 0; i < UNITS_MAX; ++i) {
        const place unit = entry(file, tensor, SLOT_PROCESS_UNITS, i);
        berth_normalisation found = {.count = 0};
        if (unit != 0 && read_unit(file, unit, &found)) {
            *normalisation = found;
            return true;
        }
    }
    return false;
}

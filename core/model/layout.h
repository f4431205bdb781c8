/* layout.h: the schema as data: where each field of each table lies and what
 * it holds. One description serves the verifier, which walks it, and the
 * accessors, which take their slots from it. */
#ifndef BERTH_MODEL_LAYOUT_H
#define BERTH_MODEL_LAYOUT_H

#include "berth/model.h"

/* What a field holds; see schema.def. */
enum layout_kind {
    FLAT_SCALAR,
    FLAT_STRING,
    FLAT_VECTOR,
    FLAT_INDEXES,
    FLAT_TABLE,
    FLAT_TABLES,
    FLAT_UNION,
    FLAT_COUNT
};

/* Every table: those of schema.def, then the option tables in the order of
 * their union tags. */
enum layout_id {
#define SCHEMA_TABLE(table) LAYOUT_##table,
#define SCHEMA_FIELD(table, field, slot, kind, arg)
#include "model/schema.def"
#undef SCHEMA_TABLE
#undef SCHEMA_FIELD
#define BERTH_OPTION_TABLE(table, tag, which) LAYOUT_##table,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
    LAYOUT_COUNT
};

/* SLOT_Tensor_shape and so on. */
enum layout_slot {
#define SCHEMA_TABLE(table)
#define SCHEMA_FIELD(table, field, slot, kind, arg)                            \
    SLOT_##table##_##field = slot,
#include "model/schema.def"
#undef SCHEMA_TABLE
#undef SCHEMA_FIELD
};

enum layout_union {
    UNION_Details,
    UNION_SparseIndexes,
    UNION_Options,
    UNION_Options2,
    UNION_COUNT
};

typedef struct layout_field {
    uint8_t slot;
    uint8_t kind; /* layout_kind */
    uint8_t arg;  /* bytes, layout_id or layout_union */
} layout_field;

/* The fields of a table, in the order of their slots. */
typedef struct layout_fields {
    const layout_field *at;
    uint32_t count;
} layout_fields;

layout_fields layout_of(uint32_t layout);

/* The table that a union holds under a tag; LAYOUT_COUNT for 0 and for tags
 * that a newer schema may have. */
uint32_t layout_of_union(uint32_t which, uint32_t tag);

/* Where the field of an option lies, and in which table. */
layout_field layout_of_option(berth_option field);
uint32_t layout_table_of_option(berth_option field);

#endif

/* The rows behind layout.h, all const. Fields of one table stand together, so
 * that a table is a first row and the first row of the next one. */
#include "model/layout.h"

/* The kinds of options.def, told in those of schema.def. Vectors of int32 are
 * INDEXES, since some are lists of subgraphs. */
#define ROW_BOOL     FLAT_SCALAR, 1
#define ROW_I8       FLAT_SCALAR, 1
#define ROW_I32      FLAT_SCALAR, 4
#define ROW_U32      FLAT_SCALAR, 4
#define ROW_F32      FLAT_SCALAR, 4
#define ROW_I64      FLAT_SCALAR, 8
#define ROW_STRING   FLAT_STRING, 1
#define ROW_U8_VEC   FLAT_VECTOR, 1
#define ROW_BOOL_VEC FLAT_VECTOR, 1
#define ROW_U32_VEC  FLAT_VECTOR, 4
#define ROW_F32_VEC  FLAT_VECTOR, 4
#define ROW_I64_VEC  FLAT_VECTOR, 8
#define ROW_I32_VEC  FLAT_INDEXES, 4

#define ARG_SCALAR(arg)  arg
#define ARG_STRING(arg)  arg
#define ARG_VECTOR(arg)  arg
#define ARG_INDEXES(arg) arg
#define ARG_TABLE(arg)   LAYOUT_##arg
#define ARG_TABLES(arg)  LAYOUT_##arg
#define ARG_UNION(arg)   UNION_##arg

static const layout_field SCHEMA_FIELDS[] = {
#define SCHEMA_TABLE(table)
#define SCHEMA_FIELD(table, field, slot, kind, arg)                            \
    {slot, FLAT_##kind, ARG_##kind(arg)},
#include "model/schema.def"
#undef SCHEMA_TABLE
#undef SCHEMA_FIELD
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init) {slot, ROW_##kind},
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

/* Numbers the rows as SCHEMA_FIELDS does. FIRST_t is the row that follows, and
 * LAST_t steps back so that the first field, if there is one, gets that number.
 */
enum field_row {
#define SCHEMA_TABLE(table) FIRST_##table, LAST_##table = FIRST_##table - 1,

#define SCHEMA_FIELD(table, field, slot, kind, arg) ROW_##table##_##field,
#include "model/schema.def"
#undef SCHEMA_TABLE
#undef SCHEMA_FIELD
    FIRST_OPTION,
    LAST_SCHEMA = FIRST_OPTION - 1,
#define BERTH_OPTION_TABLE(table, tag, which)                                  \
    FIRST_##table, LAST_##table = FIRST_##table - 1,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)                     \
    ROW_##table##_##field,
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
    ROW_COUNT
};

_Static_assert(sizeof(SCHEMA_FIELDS) / sizeof(SCHEMA_FIELDS[0]) == ROW_COUNT,
               "the numbering and the rows are made of the same lists");
_Static_assert((int)ROW_COUNT == (int)FIRST_OPTION + (int)BERTH_OPTION_COUNT,
               "the rows of the options are numbered as berth_option is");

static const uint16_t FIRST_ROWS[LAYOUT_COUNT + 1] = {
#define SCHEMA_TABLE(table) FIRST_##table,
#define SCHEMA_FIELD(table, field, slot, kind, arg)
#include "model/schema.def"
#undef SCHEMA_TABLE
#undef SCHEMA_FIELD
#define BERTH_OPTION_TABLE(table, tag, which) FIRST_##table,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
    ROW_COUNT,
};

static const uint8_t OPTION_TABLES[BERTH_OPTION_COUNT] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init) LAYOUT_##table,
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

_Static_assert(LAYOUT_COUNT <= UINT8_MAX, "a layout id fits a byte");

/* Members of a union: the layout of tag 1, and how many follow. */
static const struct union_members {
    uint8_t first;
    uint8_t count;
} SCHEMA_UNIONS[UNION_COUNT] = {
    [UNION_Details] = {LAYOUT_CustomQuantization, 3},
    [UNION_SparseIndexes] = {LAYOUT_Int32Vector, 3},
    [UNION_Options] = {LAYOUT_Conv2DOptions,
                       LAYOUT_StablehloConcatenateOptions -
                           LAYOUT_Conv2DOptions},
    [UNION_Options2] = {LAYOUT_StablehloConcatenateOptions,
                        LAYOUT_COUNT - LAYOUT_StablehloConcatenateOptions},
};

/* options.def lists each union's tables in the order of their tags. */
#define BERTH_OPTION_TABLE(table, tag, which)                                  \
    _Static_assert(LAYOUT_##table ==                                           \
                       ((which) == 1 ? LAYOUT_Conv2DOptions                    \
                                     : LAYOUT_StablehloConcatenateOptions) +   \
                           (tag)-1,                                            \
                   #table " stands at its tag");
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD

layout_fields layout_of(uint32_t layout)
{
    const uint32_t first = FIRST_ROWS[layout];
    return (layout_fields){&SCHEMA_FIELDS[first],
                           FIRST_ROWS[layout + 1] - first};
}

uint32_t layout_of_union(uint32_t which, uint32_t tag)
{
    const struct union_members members = SCHEMA_UNIONS[which];
    return tag - 1u < members.count ? members.first + tag - 1u : LAYOUT_COUNT;
}

layout_field layout_of_option(berth_option field)
{
    return SCHEMA_FIELDS[FIRST_OPTION + (uint32_t)field];
}

uint32_t layout_table_of_option(berth_option field)
{
    return OPTION_TABLES[field];
}

/* Fields of the option tables, found by layout and vtable: constant time. */
#include "model/flat.h"
#include "model/layout.h"

#include <string.h>

/* The schema's defaults, by berth_option. They are small numbers, and every
 * float's is 0. */
static const int8_t OPTION_DEFAULTS[BERTH_OPTION_COUNT] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init) (int8_t)(init),
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

/* What a value is, beyond its size. */
enum option_sort { SORT_INT, SORT_FLOAT, SORT_NONE };

typedef struct option_scalar {
    uint8_t sort;
    bool is_signed;
} option_scalar;

#define SCALAR_BOOL     SORT_INT, false
#define SCALAR_I8       SORT_INT, true
#define SCALAR_I32      SORT_INT, true
#define SCALAR_I64      SORT_INT, true
#define SCALAR_U32      SORT_INT, false
#define SCALAR_F32      SORT_FLOAT, true
#define SCALAR_STRING   SORT_NONE, false
#define SCALAR_U8_VEC   SORT_NONE, false
#define SCALAR_BOOL_VEC SORT_NONE, false
#define SCALAR_I32_VEC  SORT_NONE, false
#define SCALAR_U32_VEC  SORT_NONE, false
#define SCALAR_F32_VEC  SORT_NONE, false
#define SCALAR_I64_VEC  SORT_NONE, false

static const option_scalar OPTION_SCALARS[BERTH_OPTION_COUNT] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init) {SCALAR_##kind},
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

/* The field in the operator's table, or NULL: absent, or of another table. */
static const uint8_t *option_field(const berth_operator *op, berth_option field)
{
    const uint32_t table = layout_table_of_option(field);
    const uint32_t slot = layout_of_option(field).slot;
    if (table == layout_of_union(UNION_Options, op->options_type)) {
        return flat_field(op->options, slot);
    }
    if (table == layout_of_union(UNION_Options2, op->options2_type)) {
        return flat_field(op->options2, slot);
    }
    return NULL;
}

bool berth_option_present(const berth_operator *op, berth_option field)
{
    return option_field(op, field) != NULL;
}

/* A little-endian number of 1, 4 or 8 bytes. */
static int64_t scalar_of(const uint8_t *at, uint32_t bytes, bool is_signed)
{
    if (bytes == 8) {
        return (int64_t)flat_u64(at);
    }
    if (bytes == 4) {
        const uint32_t raw = flat_u32(at);
        return is_signed ? (int64_t)(int32_t)raw : (int64_t)raw;
    }
    return is_signed ? (int64_t)(int8_t)*at : (int64_t)*at;
}

int64_t berth_option_int(const berth_operator *op, berth_option field)
{
    const option_scalar scalar = OPTION_SCALARS[field];
    const uint8_t *at = option_field(op, field);
    if (at == NULL || scalar.sort != SORT_INT) {
        return OPTION_DEFAULTS[field];
    }
    return scalar_of(at, layout_of_option(field).arg, scalar.is_signed);
}

float berth_option_float(const berth_operator *op, berth_option field)
{
    const uint8_t *at = option_field(op, field);
    if (at == NULL || OPTION_SCALARS[field].sort != SORT_FLOAT) {
        return (float)OPTION_DEFAULTS[field];
    }
    const uint32_t bits = flat_u32(at);
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The elements of a string or vector. */
static berth_ivec option_vector(const berth_operator *op, berth_option field)
{
    const uint8_t *at = option_field(op, field);
    if (at == NULL || OPTION_SCALARS[field].sort != SORT_NONE) {
        return (berth_ivec){NULL, 0};
    }
    const uint8_t *vector = flat_follow(at);
    return (berth_ivec){vector + 4, flat_u32(vector)};
}

berth_ivec berth_option_ints(const berth_operator *op, berth_option field)
{
    const bool is_wide = layout_of_option(field).arg == sizeof(int32_t);
    return is_wide ? option_vector(op, field) : (berth_ivec){NULL, 0};
}

berth_bytes berth_option_bytes(const berth_operator *op, berth_option field)
{
    const berth_ivec vec = option_vector(op, field);
    const size_t item_bytes = layout_of_option(field).arg;
    return (berth_bytes){vec.at, vec.count * item_bytes};
}

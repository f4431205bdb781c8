/* Element types: names and sizes. */
#include "berth/model.h"

typedef struct type_row {
    const char *name;
    uint8_t bits;
} type_row;

static const type_row TYPE_ROWS[] = {
#define TYPE_ROW(name, code, text, bits) [code] = {text, bits},
    BERTH_TYPE_TABLE(TYPE_ROW)
#undef TYPE_ROW
};

_Static_assert(sizeof(TYPE_ROWS) / sizeof(TYPE_ROWS[0]) == BERTH_TYPE_COUNT,
               "types are numbered without a gap");

static type_row type_row_of(berth_type type)
{
    static const type_row unknown = {"?", 0};
    return (uint32_t)type < (uint32_t)BERTH_TYPE_COUNT ? TYPE_ROWS[type]
                                                       : unknown;
}

const char *berth_type_name(berth_type type)
{
    return type_row_of(type).name;
}

uint32_t berth_type_bits(berth_type type)
{
    return type_row_of(type).bits;
}

uint32_t berth_type_align(berth_type type)
{
    const uint32_t bytes = berth_type_bits(type) / 8u;
    const bool is_complex = type == BERTH_COMPLEX64 || type == BERTH_COMPLEX128;
    return bytes == 0 ? 1u : is_complex ? bytes / 2u : bytes;
}

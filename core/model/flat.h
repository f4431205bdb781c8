/* flat.h: FlatBuffers, read without checks. Whoever calls these has verified
 * the bytes; verify.c is the only file that may look earlier, and it checks
 * each step before it takes it.
 *
 *   table   i32 distance back to its vtable, then the fields
 *   vtable  u16 own bytes, u16 bytes of the table, u16 per slot: where the
 *           field lies in the table, 0 if absent
 *   child   u32 distance ahead to a string, vector or table
 *   vector  u32 count, then the elements; a string is a vector of bytes
 *
 * Loads are made of bytes: any alignment, any byte order of the host. */
#ifndef BERTH_MODEL_FLAT_H
#define BERTH_MODEL_FLAT_H

#include "berth/model.h"

static inline uint16_t flat_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t flat_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static inline uint64_t flat_u64(const uint8_t *at)
{
    return (uint64_t)flat_u32(at) | (uint64_t)flat_u32(at + 4) << 32;
}

/* What a child field, or an element of a vector of children, points to. */
static inline const uint8_t *flat_follow(const uint8_t *at)
{
    return at + flat_u32(at);
}

/* Where the field lies in its table; 0: absent. Slots that an older writer did
 * not know are absent too. */
static inline uint32_t flat_field_offset(const uint8_t *vtable, uint32_t slot)
{
    const uint32_t at = 4u + 2u * slot;
    return at + 2u <= flat_u16(vtable) ? flat_u16(vtable + at) : 0u;
}

/* The field itself; NULL when it, or the whole table, is absent. */
static inline const uint8_t *flat_field(const uint8_t *table, uint32_t slot)
{
    if (table == NULL) {
        return NULL;
    }
    const uint8_t *vtable = table - (ptrdiff_t)(int32_t)flat_u32(table);
    const uint32_t offset = flat_field_offset(vtable, slot);
    return offset == 0 ? NULL : table + offset;
}

static inline uint8_t flat_get_u8(const uint8_t *table, uint32_t slot)
{
    const uint8_t *at = flat_field(table, slot);
    return at == NULL ? 0 : *at;
}

static inline uint32_t flat_get_u32(const uint8_t *table, uint32_t slot,
                                    uint32_t absent)
{
    const uint8_t *at = flat_field(table, slot);
    return at == NULL ? absent : flat_u32(at);
}

static inline uint64_t flat_get_u64(const uint8_t *table, uint32_t slot)
{
    const uint8_t *at = flat_field(table, slot);
    return at == NULL ? 0 : flat_u64(at);
}

static inline const uint8_t *flat_get_table(const uint8_t *table, uint32_t slot)
{
    const uint8_t *at = flat_field(table, slot);
    return at == NULL ? NULL : flat_follow(at);
}

/* A vector of any element; {NULL, 0} when absent. */
static inline berth_ivec flat_get_vector(const uint8_t *table, uint32_t slot)
{
    const uint8_t *at = flat_get_table(table, slot);
    return at == NULL ? (berth_ivec){NULL, 0}
                      : (berth_ivec){at + 4, flat_u32(at)};
}

/* A string, or a vector of bytes. */
static inline berth_bytes flat_get_bytes(const uint8_t *table, uint32_t slot)
{
    const berth_ivec vec = flat_get_vector(table, slot);
    return (berth_bytes){vec.at, vec.count};
}

/* --- a table that many fields are read of: its vtable is found once. */

typedef struct flat_row {
    const uint8_t *table;
    const uint8_t *vtable;
    uint32_t vtable_bytes; /* 0: the whole table is absent */
} flat_row;

static inline flat_row flat_row_of(const uint8_t *table)
{
    if (table == NULL) {
        return (flat_row){NULL, NULL, 0};
    }
    const uint8_t *vtable = table - (ptrdiff_t)(int32_t)flat_u32(table);
    return (flat_row){table, vtable, flat_u16(vtable)};
}

static inline const uint8_t *flat_row_field(flat_row row, uint32_t slot)
{
    const uint32_t at = 4u + 2u * slot;
    const uint32_t offset =
        at + 2u <= row.vtable_bytes ? flat_u16(row.vtable + at) : 0u;
    return offset == 0 ? NULL : row.table + offset;
}

static inline uint32_t flat_row_u8(flat_row row, uint32_t slot)
{
    const uint8_t *at = flat_row_field(row, slot);
    return at == NULL ? 0u : *at;
}

static inline uint32_t flat_row_u32(flat_row row, uint32_t slot,
                                    uint32_t absent)
{
    const uint8_t *at = flat_row_field(row, slot);
    return at == NULL ? absent : flat_u32(at);
}

static inline const uint8_t *flat_row_table(flat_row row, uint32_t slot)
{
    const uint8_t *at = flat_row_field(row, slot);
    return at == NULL ? NULL : flat_follow(at);
}

static inline berth_ivec flat_row_vector(flat_row row, uint32_t slot)
{
    const uint8_t *at = flat_row_table(row, slot);
    return at == NULL ? (berth_ivec){NULL, 0}
                      : (berth_ivec){at + 4, flat_u32(at)};
}

/* Element i of a vector of tables. */
static inline const uint8_t *flat_table_at(berth_ivec tables, uint32_t i)
{
    return flat_follow(tables.at + (size_t)i * 4u);
}

#endif

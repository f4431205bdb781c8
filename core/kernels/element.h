/* element.h: one element of a tensor as a number, whatever its alignment. (Core
 * code is freestanding, where only __builtin_memcpy is a move and no call.) */
#ifndef BERTH_ELEMENT_H
#define BERTH_ELEMENT_H

#include "kernels/kernel_int.h"

#include <string.h>

static inline int32_t element_i8(const uint8_t *data, size_t i)
{
    return (int8_t)data[i];
}

static inline int32_t element_u8(const uint8_t *data, size_t i)
{
    return data[i];
}

static inline int32_t element_i16(const uint8_t *data, size_t i)
{
    int16_t value;
    __builtin_memcpy(&value, data + i * sizeof(value), sizeof(value));
    return value;
}

static inline int32_t element_i32(const uint8_t *data, size_t i)
{
    int32_t value;
    __builtin_memcpy(&value, data + i * sizeof(value), sizeof(value));
    return value;
}

static inline int64_t element_i64(const uint8_t *data, size_t i)
{
    int64_t value;
    __builtin_memcpy(&value, data + i * sizeof(value), sizeof(value));
    return value;
}

/* Two in a byte, the low half first. */
static inline int32_t element_i4(const uint8_t *data, size_t i)
{
    const int32_t half = (data[i / 2] >> (i % 2 * 4)) & 15;
    return (half ^ 8) - 8;
}

static inline uint16_t element_u16(const uint8_t *data, size_t i)
{
    uint16_t value;
    __builtin_memcpy(&value, data + i * sizeof(value), sizeof(value));
    return value;
}

static inline void element_put_f32(uint8_t *data, size_t i, float value)
{
    __builtin_memcpy(data + i * sizeof(value), &value, sizeof(value));
}

static inline void element_put_i16(uint8_t *data, size_t i, int32_t value)
{
    const int16_t narrow = (int16_t)value;
    __builtin_memcpy(data + i * sizeof(narrow), &narrow, sizeof(narrow));
}

/* An integer of a type of 8 or 16 bits that it fits. */
static inline void element_put(uint8_t *data, size_t i, uint8_t type,
                               int32_t value)
{
    if (type == BERTH_INT16) {
        element_put_i16(data, i, value);
    } else {
        data[i] = (uint8_t)value;
    }
}

#endif

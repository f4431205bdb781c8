/* One row a type. */
#include "kernels/whole.h"

#define WHOLE_TABLE(X)                                                         \
    X(INT8, int8_t, INT8_MIN, INT8_MAX)                                        \
    X(UINT8, uint8_t, 0, UINT8_MAX)                                            \
    X(INT16, int16_t, INT16_MIN, INT16_MAX)                                    \
    X(UINT16, uint16_t, 0, UINT16_MAX)                                         \
    X(INT32, int32_t, INT32_MIN, INT32_MAX)                                    \
    X(UINT32, uint32_t, 0, UINT32_MAX)                                         \
    X(INT64, int64_t, INT64_MIN, INT64_MAX)                                    \
    X(UINT64, uint64_t, INT64_MIN, INT64_MAX)                                  \
    X(BOOL, uint8_t, 0, 1)

#define WHOLE_FUNCTIONS(name, type, low, high)                                 \
    static int64_t get_##name(const uint8_t *data, size_t i)                   \
    {                                                                          \
        type value;                                                            \
        __builtin_memcpy(&value, data + i * sizeof(value), sizeof(value));     \
        return (int64_t)value;                                                 \
    }                                                                          \
    static void put_##name(uint8_t *data, size_t i, int64_t value)             \
    {                                                                          \
        const type cut = (type)value;                                          \
        __builtin_memcpy(data + i * sizeof(cut), &cut, sizeof(cut));           \
    }
WHOLE_TABLE(WHOLE_FUNCTIONS)
#undef WHOLE_FUNCTIONS

static const struct whole wholes[BERTH_TYPE_COUNT] = {
#define WHOLE_ROW(name, type, low, high)                                       \
    [BERTH_##name] = {get_##name, put_##name, low, high},
    WHOLE_TABLE(WHOLE_ROW)
#undef WHOLE_ROW
};

const struct whole *kernel_whole_of(uint8_t type)
{
    return type < BERTH_TYPE_COUNT && wholes[type].get != NULL ? &wholes[type]
                                                               : NULL;
}

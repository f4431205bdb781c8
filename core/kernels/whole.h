/* whole.h: the integer types behind one pair of functions, so that a kernel has
 * one loop for all of them. uint64 goes through int64 bit by bit. */
#ifndef BERTH_WHOLE_H
#define BERTH_WHOLE_H

#include "kernels/kernel_int.h"

struct whole {
    int64_t (*get)(const uint8_t *data, size_t i);
    void (*put)(uint8_t *data, size_t i, int64_t value); /* cuts off bits */
    int64_t low;                                         /* of the type */
    int64_t high;
};

/* NULL: not an integer of whole bytes, nor bool. */
const struct whole *kernel_whole_of(uint8_t type);

/* Sets of types: bit 1 << type. */
#define TYPES(type) (UINT32_C(1) << (BERTH_##type))

static inline bool kernel_is_of(uint8_t type, uint32_t types)
{
    return type < 32u && (types >> type & 1u) != 0;
}

#endif

/* kernel_int.h: what all kernels share. Arithmetic of integers is in
 * requant.h, elementary functions in base/real.h.
 *
 *   kernels.c    finds a kernel in a set
 *   ref/         obvious loops, one file a family; ref/ref.def is the table
 *   opt/c/       fast portable C for the operators that cost most */
#ifndef BERTH_KERNEL_INT_H
#define BERTH_KERNEL_INT_H

#include "base/base_int.h"
#include "berth/kernel.h"

/* One declaration for each row of the tables. */
#define BERTH_REF(name, version, kernel) extern const berth_kernel kernel;
#include "kernels/ref/ref.def"
#undef BERTH_REF

extern const berth_kernels kernel_ref_set;

/* --- operands ---------------------------------------------------------------
 */

/* Input i, or NULL where it is absent or not listed. */
static inline const berth_operand *kernel_input(const berth_node *node,
                                                uint32_t i)
{
    return i < node->input_count &&
                   !berth_operand_is(&node->inputs[i], BERTH_OPERAND_ABSENT)
               ? &node->inputs[i]
               : NULL;
}

/* The kernel counts an operand's rows as rows.h does, or there is nothing to
 * walk. */
static inline berth_status kernel_check_walk(const berth_operand *operand,
                                             uint64_t rows, berth_diag *diag)
{
    return operand->rows == rows || operand->elements == 0
               ? BERTH_OK
               : berth_refuse(diag, BERTH_INTERNAL,
                              "an operand with other rows than its kernel's");
}

/* Elements are read and written through these: no aliasing rule is broken
 * whatever overlaps, and compilers make single moves of them. */
static inline float kernel_get_f32(const uint8_t *at, size_t i)
{
    float value;
    __builtin_memcpy(&value, at + i * sizeof(value), sizeof(value));
    return value;
}

#endif

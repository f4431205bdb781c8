/* table.h: functions of 8 and 16 bits through tables made in begin().
 *
 * 8 bits: 256 results, the index being the bits as uint8. 16 bits: 513 results,
 * one every 128 steps, and lines in between. The sums are those of TensorFlow
 * Lite's LUTPopulate and LUTLookup (common.h), operation by operation. */
#ifndef BERTH_TABLE_H
#define BERTH_TABLE_H

#include "kernels/curve.h"

enum { TABLE_8_BYTES = 256, TABLE_16_COUNT = 513 };

/* Scales and zero points on both sides. */
struct table_side {
    double scale;
    int32_t zero;
};

/* A function of int8, or of uint8 where is_signed is false. */
struct table_8 {
    struct table_side in;
    struct table_side out;
    bool is_signed;
    curve_function *function;
    struct curve curve;
};

/* All results, or the one of some bits: few elements pay for no table. */
void kernel_table_8(const struct table_8 *t, uint8_t *table);
uint8_t kernel_table_8_once(const struct table_8 *t, uint8_t bits);

/* With all sums in float. */
void kernel_table_16(uint8_t *table, struct table_side in,
                     struct table_side out, curve_function *function,
                     const struct curve *curve);

/* The same with all sums in double. */
void kernel_table_16_of_double(uint8_t *table, struct table_side in,
                               struct table_side out, double (*wide)(double));

int32_t kernel_table_16_at(const uint8_t *table, int32_t x);

/* What a table in double would say of x, without making it. */
int32_t kernel_table_16_once(struct table_side in, struct table_side out,
                             double (*wide)(double), int32_t x);

#endif

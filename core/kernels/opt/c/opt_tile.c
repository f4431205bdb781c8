/* Dot products in tiles. */
#include "kernels/opt/c/opt_tile.h"

#include <string.h>

/* --- integers ---------------------------------------------------------------
 * Every product of int16 by int16 that is added up in 32 bits is one that
 * vector units have an instruction for.
 */

#define TILE_4X2(name, type, zero)                                             \
    static void tile_4x2_##name(const union opt_patch *patch,                  \
                                const struct opt_filters *w, size_t units,     \
                                union opt_tile *tile)                          \
    {                                                                          \
        const int16_t *restrict x0 = patch->ints[0];                           \
        const int16_t *restrict x1 = patch->ints[1];                           \
        const int16_t *restrict x2 = patch->ints[2];                           \
        const int16_t *restrict x3 = patch->ints[3];                           \
        const type *restrict w0 = (const type *)w->at[0];                      \
        const type *restrict w1 = (const type *)w->at[1];                      \
        int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0;                                \
        int32_t b0 = 0, b1 = 0, b2 = 0, b3 = 0;                                \
        for (size_t i = 0; i < units * OPT_UNIT; ++i) {                        \
            const int16_t a = (int16_t)(w0[i] - (zero));                       \
            const int16_t b = (int16_t)(w1[i] - (zero));                       \
            a0 += x0[i] * a;                                                   \
            a1 += x1[i] * a;                                                   \
            a2 += x2[i] * a;                                                   \
            a3 += x3[i] * a;                                                   \
            b0 += x0[i] * b;                                                   \
            b1 += x1[i] * b;                                                   \
            b2 += x2[i] * b;                                                   \
            b3 += x3[i] * b;                                                   \
        }                                                                      \
        const int32_t all[2][OPT_SPOTS] = {{a0, a1, a2, a3},                   \
                                           {b0, b1, b2, b3}};                  \
        __builtin_memcpy(tile->ints, all, sizeof(all));                        \
    }
TILE_4X2(i8, int8_t, 0)
TILE_4X2(u8, uint8_t, (int16_t)w->zero)
#undef TILE_4X2

#define TILE_1X4(name, type, zero)                                             \
    static void tile_1x4_##name(const union opt_patch *patch,                  \
                                const struct opt_filters *w, size_t units,     \
                                union opt_tile *tile)                          \
    {                                                                          \
        const int16_t *restrict x = patch->ints[0];                            \
        const type *restrict w0 = (const type *)w->at[0];                      \
        const type *restrict w1 = (const type *)w->at[1];                      \
        const type *restrict w2 = (const type *)w->at[2];                      \
        const type *restrict w3 = (const type *)w->at[3];                      \
        int32_t a = 0, b = 0, c = 0, d = 0;                                    \
        for (size_t i = 0; i < units * OPT_UNIT; ++i) {                        \
            a += x[i] * (int16_t)(w0[i] - (zero));                             \
            b += x[i] * (int16_t)(w1[i] - (zero));                             \
            c += x[i] * (int16_t)(w2[i] - (zero));                             \
            d += x[i] * (int16_t)(w3[i] - (zero));                             \
        }                                                                      \
        tile->ints[0][0] = a;                                                  \
        tile->ints[1][0] = b;                                                  \
        tile->ints[2][0] = c;                                                  \
        tile->ints[3][0] = d;                                                  \
    }
TILE_1X4(i8, int8_t, 0)
TILE_1X4(u8, uint8_t, (int16_t)w->zero)
#undef TILE_1X4

void kernel_opt_tile_4x2(const union opt_patch *patch,
                         const struct opt_filters *w, size_t units,
                         union opt_tile *tile)
{
    (w->is_unsigned ? tile_4x2_u8 : tile_4x2_i8)(patch, w, units, tile);
}

void kernel_opt_tile_1x4(const union opt_patch *patch,
                         const struct opt_filters *w, size_t units,
                         union opt_tile *tile)
{
    (w->is_unsigned ? tile_1x4_u8 : tile_1x4_i8)(patch, w, units, tile);
}

/* --- floats -----------------------------------------------------------------
 */

/* GNU C, gcc and clang: single instructions where the target has them. */
typedef float lanes __attribute__((vector_size(16)));

static inline lanes lanes_at(const void *from, size_t i)
{
    lanes l;
    __builtin_memcpy(&l, (const uint8_t *)from + i * sizeof(float), sizeof(l));
    return l;
}

static inline float lanes_sum(lanes l)
{
    return (l[0] + l[1]) + (l[2] + l[3]);
}

void kernel_opt_tile_4x2_f32(const union opt_patch *patch,
                             const struct opt_filters *w, size_t units,
                             union opt_tile *tile)
{
    lanes a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};
    lanes b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0};
    for (size_t i = 0; i < units * OPT_UNIT_F32; i += OPT_UNIT_F32) {
        const lanes a = lanes_at(w->at[0], i);
        const lanes b = lanes_at(w->at[1], i);
        a0 += lanes_at(patch->floats[0], i) * a;
        a1 += lanes_at(patch->floats[1], i) * a;
        a2 += lanes_at(patch->floats[2], i) * a;
        a3 += lanes_at(patch->floats[3], i) * a;
        b0 += lanes_at(patch->floats[0], i) * b;
        b1 += lanes_at(patch->floats[1], i) * b;
        b2 += lanes_at(patch->floats[2], i) * b;
        b3 += lanes_at(patch->floats[3], i) * b;
    }
    const float all[2][OPT_SPOTS] = {
        {lanes_sum(a0), lanes_sum(a1), lanes_sum(a2), lanes_sum(a3)},
        {lanes_sum(b0), lanes_sum(b1), lanes_sum(b2), lanes_sum(b3)}};
    __builtin_memcpy(tile->floats, all, sizeof(all));
}

void kernel_opt_tile_1x4_f32(const union opt_patch *patch,
                             const struct opt_filters *w, size_t units,
                             union opt_tile *tile)
{
    lanes a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i < units * OPT_UNIT_F32; i += OPT_UNIT_F32) {
        const lanes x = lanes_at(patch->floats[0], i);
        a += x * lanes_at(w->at[0], i);
        b += x * lanes_at(w->at[1], i);
        c += x * lanes_at(w->at[2], i);
        d += x * lanes_at(w->at[3], i);
    }
    tile->floats[0][0] = lanes_sum(a);
    tile->floats[1][0] = lanes_sum(b);
    tile->floats[2][0] = lanes_sum(c);
    tile->floats[3][0] = lanes_sum(d);
}

/* opt_tile.h: the innermost loops: a row or four of a patch times the filters
 * of a few channels. Written so that gcc and clang make vectors of them on any
 * target that has some. */
#ifndef BERTH_OPT_TILE_H
#define BERTH_OPT_TILE_H

#include "kernels/opt/c/opt_product.h"

/* The filters of the channels of a tile, from the patch's first element on. */
struct opt_filters {
    const uint8_t *at[4];
    int32_t zero; /* integers without a sign: what counts as 0 */
    bool is_unsigned;
};

/* sums[channel][spot] of 4 spots and 2 channels, or of spot 0 and 4 channels;
 * `units` times OPT_UNIT elements. No sum overflows: a chunk is too short. */
void kernel_opt_tile_4x2(const int16_t *patch, const struct opt_filters *w,
                         size_t units, int32_t sums[4][OPT_SPOTS]);
void kernel_opt_tile_1x4(const int16_t *patch, const struct opt_filters *w,
                         size_t units, int32_t sums[4][OPT_SPOTS]);

/* The same for floats, `units` times OPT_UNIT_F32 of them; sums in four lanes,
 * which are added up at the end. */
void kernel_opt_tile_4x2_f32(const float *patch, const struct opt_filters *w,
                             size_t units, float sums[4][OPT_SPOTS]);
void kernel_opt_tile_1x4_f32(const float *patch, const struct opt_filters *w,
                             size_t units, float sums[4][OPT_SPOTS]);

#endif

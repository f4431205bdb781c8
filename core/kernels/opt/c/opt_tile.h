/* opt_tile.h: the innermost loops: a row or four of a patch times the filters
 * of a few channels. Written so that gcc and clang make vectors of them on any
 * target that has some. */
#ifndef BERTH_OPT_TILE_H
#define BERTH_OPT_TILE_H

#include "kernels/opt/c/opt_product.h"

/* Four spots, cut out of what they are multiplied with. */
union opt_patch {
    int16_t ints[OPT_SPOTS][OPT_CHUNK];
    float floats[OPT_SPOTS][OPT_CHUNK_F32];
};

_Static_assert(OPT_CHUNK * sizeof(int16_t) == OPT_CHUNK_F32 * sizeof(float),
               "rows of a patch begin at the same places");

/* The filters of the channels of a tile, from the patch's first element on. */
struct opt_filters {
    const uint8_t *at[4];
    int32_t zero; /* integers without a sign: what counts as 0 */
    bool is_unsigned;
};

/* Sums by channel and spot. */
union opt_tile {
    int32_t ints[4][OPT_SPOTS];
    float floats[4][OPT_SPOTS];
};

/* Of 4 spots and 2 channels, or of spot 0 and 4 channels; `units` times
 * OPT_UNIT elements. No sum overflows: a chunk is too short. */
typedef void opt_tile_sums(const union opt_patch *patch,
                           const struct opt_filters *w, size_t units,
                           union opt_tile *tile);
opt_tile_sums kernel_opt_tile_4x2;
opt_tile_sums kernel_opt_tile_1x4;

/* The same for floats, `units` times OPT_UNIT_F32 of them; sums in four lanes,
 * which are added up at the end. */
opt_tile_sums kernel_opt_tile_4x2_f32;
opt_tile_sums kernel_opt_tile_1x4_f32;

#endif

/* Patches, and the way from tiles to outputs. Integers and floats differ in the
 * width of a patch and of a sum, so each step is there twice, side by side. */
#include "kernels/opt/c/opt_product.h"

#include "kernels/element.h"
#include "kernels/opt/c/opt_tile.h"

#include <string.h>

/* --- patches ----------------------------------------------------------------
 */

/* Whole units first: compilers make vectors of a loop whose length they know.
 */
#define COPY_FUNCTION(name)                                                    \
    static void patch_##name(const uint8_t *from, size_t first, size_t count,  \
                             int32_t zero, int16_t *restrict to)               \
    {                                                                          \
        size_t i = 0;                                                          \
        for (; i + OPT_UNIT <= count; i += OPT_UNIT) {                         \
            for (size_t l = i; l < i + OPT_UNIT; ++l) {                        \
                to[l] = (int16_t)(element_##name(from, first + l) - zero);     \
            }                                                                  \
        }                                                                      \
        for (; i < count; ++i) {                                               \
            to[i] = (int16_t)(element_##name(from, first + i) - zero);         \
        }                                                                      \
    }
COPY_FUNCTION(i8)
COPY_FUNCTION(u8)
COPY_FUNCTION(i16)
#undef COPY_FUNCTION

struct opt_source kernel_opt_source(const struct weights *w)
{
    return (struct opt_source){
        .type = w->input->type,
        .zero = kernel_is_float(w) ? 0 : kernel_zero_point(w->input),
    };
}

void kernel_opt_copy(const struct opt_source *source, const uint8_t *from,
                     size_t first, size_t count, void *to, size_t at)
{
    int16_t *patch = (int16_t *)to + at;
    if (source->type == BERTH_INT8) {
        patch_i8(from, first, count, source->zero, patch);
    } else if (source->type == BERTH_UINT8) {
        patch_u8(from, first, count, source->zero, patch);
    } else if (source->type == BERTH_INT16) {
        patch_i16(from, first, count, source->zero, patch);
    } else {
        memcpy((float *)to + at, from + first * sizeof(float),
               count * sizeof(float));
    }
}

void kernel_opt_clear(const struct opt_source *source, size_t count, void *to,
                      size_t at)
{
    const size_t size =
        source->type == BERTH_FLOAT32 ? sizeof(float) : sizeof(int16_t);
    if (count != 0) {
        memset((uint8_t *)to + at * size, 0, count * size);
    }
}

void kernel_opt_fetch_row(const void *from, uint32_t spot, size_t first,
                          size_t count, void *to)
{
    const struct opt_rows *rows = from;
    kernel_opt_copy(&rows->source, rows->first + spot * rows->step, first,
                    count, to, 0);
}

/* --- filters ----------------------------------------------------------------
 */

/* Filters that tiles cannot read where they lie. */
union opt_copies {
    int8_t ints[4][OPT_CHUNK];
    float floats[4][OPT_CHUNK_F32];
};

/* Channels past the last repeat it; their sums are not used. */
static uint32_t tile_channel(const struct opt_block *b, uint32_t c)
{
    const uint32_t count = b->finish.count;
    return b->channel + (c < count ? c : count - 1);
}

/* A tile may read as far as the next whole unit: what it reads there meets the
 * zeros of the patch, as long as it is in the filter. */
static bool is_readable(const struct opt_block *b, size_t first, size_t units)
{
    const uint8_t type = b->w->filter->type;
    return (type == BERTH_INT8 || type == BERTH_UINT8) &&
           first + units * OPT_UNIT <= b->w->filter->elements;
}

/* Of `count` channels from c on. */
typedef void opt_filters_of(const struct opt_block *b, uint32_t c,
                            uint32_t count, size_t first, size_t n,
                            struct opt_filters *filters,
                            union opt_copies *copies);

static void filters_of(const struct opt_block *b, uint32_t c, uint32_t count,
                       size_t first, size_t n, struct opt_filters *filters,
                       union opt_copies *copies)
{
    const berth_operand *filter = b->w->filter;
    const size_t units = (n + OPT_UNIT - 1) / OPT_UNIT;
    for (uint32_t k = 0; k < count; ++k) {
        const size_t at = tile_channel(b, c + k) * b->depth + first;
        if (is_readable(b, at, units)) {
            filters->at[k] = filter->data + at;
            continue;
        }
        int8_t *copy = copies->ints[k];
        memset(copy, 0, units * OPT_UNIT);
        for (size_t i = 0; i < n; ++i) {
            copy[i] = filter->type == BERTH_INT4
                          ? (int8_t)element_i4(filter->data, at + i)
                          : (int8_t)filter->data[at + i];
        }
        filters->at[k] = (const uint8_t *)copy;
    }
}

static void decode_filter(const struct weights *w, uint32_t channel,
                          size_t first, size_t n, float *to)
{
    const struct factor f = kernel_filter_factor(w, channel, first, 1);
    kernel_floats_at(w->filter, first, n, f.scale, f.zero, to);
}

/* Floats past the last are not read: times 0 they need not be 0. */
static void filters_of_f32(const struct opt_block *b, uint32_t c,
                           uint32_t count, size_t first, size_t n,
                           struct opt_filters *filters,
                           union opt_copies *copies)
{
    const berth_operand *filter = b->w->filter;
    const bool readable =
        filter->type == BERTH_FLOAT32 && n % OPT_UNIT_F32 == 0;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t channel = tile_channel(b, c + k);
        const size_t at = channel * b->depth + first;
        if (readable) {
            filters->at[k] = filter->data + at * sizeof(float);
            continue;
        }
        float *copy = copies->floats[k];
        for (size_t i = n; i % OPT_UNIT_F32 != 0; ++i) {
            copy[i] = 0;
        }
        if (filter->type == BERTH_FLOAT32) {
            memcpy(copy, filter->data + at * sizeof(*copy), n * sizeof(*copy));
        } else {
            decode_filter(b->w, channel, at, n, copy);
        }
        filters->at[k] = (const uint8_t *)copy;
    }
}

/* --- sums -------------------------------------------------------------------
 */

static void clear_sums(const struct weights *w, uint32_t spots,
                       union opt_sums *sums)
{
    for (uint32_t s = 0; s < spots; ++s) {
        if (w->wide) {
            __builtin_memset(sums[s].wide, 0, sizeof(sums[s].wide));
        } else { /* floats are as wide; 0 is all bits 0 */
            __builtin_memset(sums[s].ints, 0, sizeof(sums[s].ints));
        }
    }
}

/* What a tile has made, into `count` channels from c on of each spot's sums. */
typedef void opt_add(const struct weights *w, const union opt_tile *tile,
                     uint32_t c, uint32_t count, uint32_t spots,
                     union opt_sums *sums);

static void add_ints(const struct weights *w, const union opt_tile *tile,
                     uint32_t c, uint32_t count, uint32_t spots,
                     union opt_sums *sums)
{
    for (uint32_t s = 0; s < spots; ++s) {
        for (uint32_t k = 0; k < count; ++k) {
            if (w->wide) {
                sums[s].wide[c + k] += tile->ints[k][s];
            } else {
                sums[s].ints[c + k] =
                    wrap_add(sums[s].ints[c + k], tile->ints[k][s]);
            }
        }
    }
}

static void add_floats(const struct weights *w, const union opt_tile *tile,
                       uint32_t c, uint32_t count, uint32_t spots,
                       union opt_sums *sums)
{
    (void)w;
    for (uint32_t s = 0; s < spots; ++s) {
        for (uint32_t k = 0; k < count; ++k) {
            sums[s].floats[c + k] += tile->floats[k][s];
        }
    }
}

/* --- products ---------------------------------------------------------------
 */

/* In what integers and floats differ. */
struct opt_kind {
    size_t chunk; /* elements of a spot in a patch */
    size_t unit;  /* that tiles take at a time */
    size_t size;  /* bytes of an element of a patch */
    opt_filters_of *filters;
    opt_tile_sums *four_by_two;
    opt_tile_sums *one_by_four;
    opt_add *add;
};

static const struct opt_kind opt_ints = {OPT_CHUNK,
                                         OPT_UNIT,
                                         sizeof(int16_t),
                                         filters_of,
                                         kernel_opt_tile_4x2,
                                         kernel_opt_tile_1x4,
                                         add_ints};

static const struct opt_kind opt_floats = {OPT_CHUNK_F32,
                                           OPT_UNIT_F32,
                                           sizeof(float),
                                           filters_of_f32,
                                           kernel_opt_tile_4x2_f32,
                                           kernel_opt_tile_1x4_f32,
                                           add_floats};

/* Elements [first, first + n) of each spot, and zeros up to a whole unit. */
static void fetch_chunk(const struct opt_kind *kind, const struct opt_spots *p,
                        uint32_t spot, uint32_t spots, size_t first, size_t n,
                        union opt_patch *patch)
{
    enum { TAIL_BYTES = 32 }; /* of a unit, at most */
    const size_t units = (n + kind->unit - 1) / kind->unit;
    const size_t bytes = units * kind->unit * kind->size;
    const size_t tail = bytes < TAIL_BYTES ? 0 : bytes - TAIL_BYTES;
    for (uint32_t s = 0; s < spots; ++s) {
        uint8_t *row = (uint8_t *)patch->ints[s];
        __builtin_memset(row + tail, 0, TAIL_BYTES);
        p->fetch(p->from, spot + s, first, n, row);
    }
}

static void add_chunk(const struct opt_kind *kind, const struct opt_block *b,
                      const union opt_patch *patch, uint32_t spots,
                      size_t first, size_t n, union opt_sums *sums)
{
    const uint32_t step = spots == 1 ? 4 : 2;
    const size_t units = (n + kind->unit - 1) / kind->unit;
    opt_tile_sums *make = spots == 1 ? kind->one_by_four : kind->four_by_two;
    union opt_copies copies;
    struct opt_filters filters = {
        .zero = kernel_zero_point(b->w->filter),
        .is_unsigned = b->w->filter->type == BERTH_UINT8,
    };
    for (uint32_t c = 0; c < b->finish.count; c += step) {
        union opt_tile tile;
        kind->filters(b, c, step, first, n, &filters, &copies);
        make(patch, &filters, units, &tile);
        const uint32_t left = b->finish.count - c;
        kind->add(b->w, &tile, c, left < step ? left : step, spots, sums);
    }
}

static void make_spots(const struct opt_kind *kind, const struct opt_block *b,
                       const struct opt_spots *p, uint32_t spot, uint32_t spots)
{
    union opt_patch patch;
    union opt_sums sums[OPT_SPOTS];
    clear_sums(b->w, spots, sums);
    for (size_t first = 0; first < b->depth; first += kind->chunk) {
        const size_t left = b->depth - first;
        const size_t n = left < kind->chunk ? left : kind->chunk;
        fetch_chunk(kind, p, spot, spots, first, n, &patch);
        add_chunk(kind, b, &patch, spots, first, n, sums);
    }
    for (uint32_t s = 0; s < spots; ++s) {
        kernel_opt_finish(&b->finish, &sums[s],
                          p->out + (spot + s) * p->out_step, b->channel);
    }
}

void kernel_opt_product(const struct opt_block *block,
                        const struct opt_spots *spots)
{
    const struct opt_kind *kind =
        kernel_is_float(block->w) ? &opt_floats : &opt_ints;
    for (uint32_t spot = 0; spot < spots->spots; spot += OPT_SPOTS) {
        const uint32_t left = spots->spots - spot;
        make_spots(kind, block, spots, spot,
                   left < OPT_SPOTS ? left : OPT_SPOTS);
    }
}

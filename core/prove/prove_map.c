/* prove_map.c: which bytes hold which value.
 *
 * Level 0 of the tree has a bit for each position of the ruler, level k a bit
 * for each word of level k - 1. Each level has a spare word of zeros, so that
 * a walk may step one past the end without asking. Work is amortised: a cell
 * is removed once for each time it was put there, and a write adds at most
 * two, the new one and the right half of one that it cuts in the middle. */
#include "prove/prove_int.h"

#include <string.h>

static uint32_t lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    uint32_t bit = 0;
    for (; (word & 1u) == 0; word >>= 1) {
        ++bit;
    }
    return bit;
#endif
}

static uint32_t highest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return 63u - (uint32_t)__builtin_clzll(word);
#else
    uint32_t bit = 0;
    for (; (word >>= 1) != 0;) {
        ++bit;
    }
    return bit;
#endif
}

static uint32_t words_for(uint32_t bits)
{
    return bits / 64 + (bits % 64 != 0);
}

bool prove_map_need(size_t *total, uint32_t positions)
{
    if (!BERTH_NEED(total, prove_cell, positions)) {
        return false;
    }
    for (uint32_t level = 0, bits = positions; level < PROVE_LEVELS; ++level) {
        bits = words_for(bits);
        if (!BERTH_NEED(total, uint64_t, (size_t)bits + 1)) {
            return false;
        }
    }
    return true;
}

bool prove_map_init(prove_map *map, uint32_t positions, berth_work *work)
{
    map->cells = BERTH_TAKE(work, prove_cell, positions);
    map->levels = PROVE_LEVELS;
    bool fits = map->cells != NULL;
    for (uint32_t level = 0, bits = positions; level < PROVE_LEVELS; ++level) {
        bits = words_for(bits);
        map->bits[level] = BERTH_TAKE(work, uint64_t, (size_t)bits + 1);
        if (map->bits[level] == NULL) {
            return false;
        }
        memset(map->bits[level], 0, ((size_t)bits + 1) * sizeof(uint64_t));
    }
    return fits;
}

static void set_bit(prove_map *map, uint32_t at)
{
    for (uint32_t level = 0; level < map->levels; ++level, at /= 64) {
        uint64_t *word = &map->bits[level][at / 64];
        const bool known = *word != 0;
        *word |= (uint64_t)1 << (at % 64);
        if (known) {
            return; /* the levels above have it already */
        }
    }
}

static void clear_bit(prove_map *map, uint32_t at)
{
    for (uint32_t level = 0; level < map->levels; ++level, at /= 64) {
        uint64_t *word = &map->bits[level][at / 64];
        *word &= ~((uint64_t)1 << (at % 64));
        if (*word != 0) {
            return;
        }
    }
}

/* The first set position that is not before `at`. */
static uint32_t cell_from(const prove_map *map, uint32_t at)
{
    for (uint32_t level = 0; level < map->levels; ++level) {
        const uint64_t word = map->bits[level][at / 64] >> (at % 64);
        if (word != 0) {
            at += lowest_bit(word);
            while (level-- > 0) {
                at = at * 64 + lowest_bit(map->bits[level][at]);
            }
            return at;
        }
        at = at / 64 + 1;
    }
    return BERTH_NONE;
}

/* The last set position before `at`. */
static uint32_t cell_before(const prove_map *map, uint32_t at)
{
    for (uint32_t level = 0; level < map->levels; ++level, at /= 64) {
        const uint64_t below = ((uint64_t)1 << (at % 64)) - 1;
        const uint64_t word = map->bits[level][at / 64] & below;
        if (word != 0) {
            at = at / 64 * 64 + highest_bit(word);
            while (level-- > 0) {
                at = at * 64 + highest_bit(map->bits[level][at]);
            }
            return at;
        }
    }
    return BERTH_NONE;
}

uint32_t prove_map_next(const prove_map *map, uint32_t at, prove_place place)
{
    const uint32_t next = cell_from(map, at + 1);
    return next < place.end ? next : BERTH_NONE;
}

uint32_t prove_map_first(const prove_map *map, prove_place place)
{
    const uint32_t left = cell_before(map, place.begin);
    if (left != BERTH_NONE && map->cells[left].end > place.begin) {
        return left;
    }
    const uint32_t at = cell_from(map, place.begin);
    return at < place.end ? at : BERTH_NONE;
}

/* What of `cell` lies behind the place stays as a cell of its own. */
static void keep_tail(prove_map *map, prove_cell cell, prove_place place)
{
    if (cell.end > place.end) {
        map->cells[place.end] = cell;
        set_bit(map, place.end);
    }
}

void prove_map_forget(prove_map *map, prove_place place)
{
    const uint32_t left = cell_before(map, place.begin);
    if (left != BERTH_NONE && map->cells[left].end > place.begin) {
        keep_tail(map, map->cells[left], place);
        map->cells[left].end = place.begin;
    }
    uint32_t at = cell_from(map, place.begin);
    while (at < place.end) {
        clear_bit(map, at);
        keep_tail(map, map->cells[at], place);
        at = cell_from(map, at + 1);
    }
}

void prove_map_write(prove_map *map, prove_place place, uint32_t value,
                     uint32_t writer)
{
    prove_map_forget(map, place);
    map->cells[place.begin] = (prove_cell){place.end, value, writer};
    set_bit(map, place.begin);
}

bool prove_map_holds(const prove_map *map, prove_place place, uint32_t value)
{
    const uint32_t at = prove_map_first(map, place);
    return at == place.begin && map->cells[at].end == place.end &&
           map->cells[at].value == value;
}

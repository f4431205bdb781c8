/* Reads integers from a FlexBuffers map, the form in which TFLM's custom
 * operators keep their options. Any bytes give a number or the fallback.
 *
 * From the end: the byte width of the root, its packed type, the root. A map's
 * root is an offset back to its values; before them lie their count, the width
 * of the keys and an offset back to the keys; behind them a packed type each.
 * A packed type is type << 2 | log2 of the width. */
#include "micro/micro_int.h"

enum {
    FLEX_INT = 1,
    FLEX_UINT = 2,
    FLEX_FLOAT = 3,
    FLEX_MAP = 9,
    FLEX_BOOL = 26
};

typedef struct flex_map {
    berth_bytes all;
    uint64_t values; /* position of the first */
    uint64_t count;
    uint64_t width; /* bytes of a value */
} flex_map;

static bool is_width(uint64_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

/* The little-endian number of `width` bytes at `at`; false: not inside. */
static bool number_at(berth_bytes all, uint64_t at, uint64_t width,
                      uint64_t *out)
{
    if (!is_width(width) || at > all.size || width > all.size - at) {
        return false;
    }
    uint64_t value = 0;
    for (uint64_t i = width; i > 0; --i) {
        value = value << 8 | all.data[at + i - 1];
    }
    *out = value;
    return true;
}

/* Follows the offset at `at` back. */
static bool back_from(berth_bytes all, uint64_t at, uint64_t width,
                      uint64_t *target)
{
    uint64_t offset = 0;
    if (!number_at(all, at, width, &offset) || offset > at) {
        return false;
    }
    *target = at - offset;
    return true;
}

static bool open_map(berth_bytes all, flex_map *map)
{
    uint64_t values = 0;
    if (all.size < 3) {
        return false;
    }
    const uint64_t root_width = all.data[all.size - 1];
    const uint8_t packed = all.data[all.size - 2];
    const uint64_t width = UINT64_C(1) << (packed & 3u);
    if (packed >> 2 != FLEX_MAP || !is_width(root_width) ||
        all.size < root_width + 2 ||
        !back_from(all, all.size - 2 - root_width, root_width, &values) ||
        values < 3 * width) {
        return false;
    }
    *map = (flex_map){all, values, 0, width};
    return number_at(all, values - width, width, &map->count) &&
           map->count <= all.size / width;
}

static bool value_at(const flex_map *map, uint64_t index, int64_t *out)
{
    uint64_t raw = 0;
    const uint64_t types = map->values + map->count * map->width;
    if (index >= map->count || types + index >= map->all.size ||
        !number_at(map->all, map->values + index * map->width, map->width,
                   &raw)) {
        return false;
    }
    const unsigned type = map->all.data[types + index] >> 2;
    if (type == FLEX_INT) {
        const unsigned unused = 64u - 8u * (unsigned)map->width;
        const uint64_t sign = UINT64_C(1) << (63u - unused);
        *out = (int64_t)((raw ^ sign) - sign);
        return true;
    }
    if (type == FLEX_UINT || type == FLEX_BOOL) {
        *out = (int64_t)(raw & INT64_MAX);
        return true;
    }
    return false;
}

/* Whether the bytes at `at` are this key, with its NUL. */
static bool is_key(berth_bytes all, uint64_t at, const char *key)
{
    for (size_t i = 0;; ++i) {
        if (at + i >= all.size || all.data[at + i] != (uint8_t)key[i]) {
            return false;
        }
        if (key[i] == '\0') {
            return true;
        }
    }
}

int64_t micro_flex_at(berth_bytes options, uint32_t position, int64_t fallback)
{
    flex_map map;
    int64_t value = 0;
    return open_map(options, &map) && value_at(&map, position, &value)
               ? value
               : fallback;
}

int64_t micro_flex_key(berth_bytes options, const char *key, int64_t fallback)
{
    flex_map map;
    uint64_t keys = 0;
    uint64_t key_width = 0;
    if (!open_map(options, &map) ||
        !back_from(options, map.values - 3 * map.width, map.width, &keys) ||
        !number_at(options, map.values - 2 * map.width, map.width,
                   &key_width) ||
        !is_width(key_width)) {
        return fallback;
    }
    for (uint64_t i = 0; i < map.count; ++i) {
        uint64_t text = 0;
        int64_t value = 0;
        if (back_from(options, keys + i * key_width, key_width, &text) &&
            is_key(options, text, key)) {
            return value_at(&map, i, &value) ? value : fallback;
        }
    }
    return fallback;
}

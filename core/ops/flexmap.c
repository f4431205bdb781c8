/* core/ops/flexmap.c: reads FlexBuffers from the back.
 *
 * The last byte is the width of the root, the one before it the root's type
 * (two bits of width for what it points at, then six of kind). A map points at
 * its values; before those lie, each as wide as a value, the offset of the
 * vector of keys, its width, and the count; after them one type byte each.
 * Offsets count backwards from where they lie. */
#include "flexmap.h"

#include <string.h>

enum kind {
    KIND_INT = 1,
    KIND_UINT = 2,
    KIND_FLOAT = 3,
    KIND_INDIRECT_INT = 6,
    KIND_INDIRECT_UINT = 7,
    KIND_INDIRECT_FLOAT = 8,
    KIND_MAP = 9,
    KIND_BOOL = 26
};

static bool read_unsigned(berth_bytes bytes, size_t at, size_t width,
                          uint64_t *value)
{
    uint64_t bits = 0;
    if (width > bytes.size || at > bytes.size - width) {
        return false;
    }
    for (size_t i = 0; i < width; ++i) {
        bits |= (uint64_t)bytes.data[at + i] << (8u * i);
    }
    *value = bits;
    return true;
}

/* Where the offset that lies at `at` points. */
static bool follow(berth_bytes bytes, size_t at, size_t width, size_t *to)
{
    uint64_t back = 0;
    if (!read_unsigned(bytes, at, width, &back) || back > at) {
        return false;
    }
    *to = at - (size_t)back;
    return true;
}

static int64_t sign_extend(uint64_t bits, size_t width)
{
    const uint32_t spare = (uint32_t)(64u - 8u * width);
    const uint64_t sign = 1ull << (8u * width - 1u);
    return spare == 0 ? (int64_t)bits : (int64_t)((bits ^ sign) - sign);
}

/* Whole part of a float or double, where it fits. */
static bool whole_part(uint64_t bits, size_t width, int64_t *value)
{
    double number = 0;
    if (width == 4) {
        const uint32_t low = (uint32_t)bits;
        float single = 0;
        memcpy(&single, &low, sizeof(single));
        number = (double)single;
    } else if (width == 8) {
        memcpy(&number, &bits, sizeof(number));
    } else {
        return false;
    }
    if (!(number > -9.0e15 && number < 9.0e15)) {
        return false;
    }
    *value = (int64_t)number;
    return true;
}

static bool read_number(berth_bytes bytes, size_t at, size_t width,
                        uint8_t type, int64_t *value)
{
    uint32_t kind = type >> 2u;
    uint64_t bits = 0;
    if (kind >= KIND_INDIRECT_INT && kind <= KIND_INDIRECT_FLOAT) {
        if (!follow(bytes, at, width, &at)) {
            return false;
        }
        width = (size_t)1 << (type & 3u);
        kind -= KIND_INDIRECT_INT - KIND_INT;
    }
    if (!read_unsigned(bytes, at, width, &bits)) {
        return false;
    }
    if (kind == KIND_FLOAT) {
        return whole_part(bits, width, value);
    }
    *value = kind == KIND_INT ? sign_extend(bits, width) : (int64_t)bits;
    return kind == KIND_INT || kind == KIND_UINT || kind == KIND_BOOL;
}

/* A zero-terminated key of the buffer against ours. */
static bool matches_key(berth_bytes bytes, size_t at, const char *key)
{
    for (size_t i = 0; at < bytes.size && i <= bytes.size; ++i, ++at) {
        if (bytes.data[at] != (uint8_t)key[i]) {
            return false;
        }
        if (key[i] == '\0') {
            return true;
        }
    }
    return false;
}

/* A map, once its header is read. */
struct map {
    size_t values;
    size_t width;
    size_t keys;
    size_t key_width;
    uint64_t count;
};

static bool find_map(berth_bytes bytes, struct map *map)
{
    uint64_t key_width = 0;
    if (bytes.size < 3 || bytes.data[bytes.size - 2] >> 2u != KIND_MAP) {
        return false;
    }
    const size_t root_width = bytes.data[bytes.size - 1];
    if (root_width == 0 || root_width > 8 || root_width + 2 > bytes.size ||
        !follow(bytes, bytes.size - 2 - root_width, root_width, &map->values)) {
        return false;
    }
    map->width = (size_t)1 << (bytes.data[bytes.size - 2] & 3u);
    if (map->values < 3 * map->width ||
        !read_unsigned(bytes, map->values - map->width, map->width,
                       &map->count) ||
        !read_unsigned(bytes, map->values - 2 * map->width, map->width,
                       &key_width) ||
        !follow(bytes, map->values - 3 * map->width, map->width, &map->keys)) {
        return false;
    }
    map->key_width = (size_t)key_width;
    /* Each value has its bytes, a type byte and a key: no more than fit. */
    return key_width > 0 && key_width <= 8 &&
           map->count <= bytes.size / (map->width + 1);
}

/* Value `index` of the map, which has so many. */
static bool read_value(berth_bytes bytes, const struct map *map, size_t index,
                       int64_t *value)
{
    const size_t types = map->values + (size_t)map->count * map->width;
    uint64_t type = 0;
    return read_unsigned(bytes, types + index, 1, &type) &&
           read_number(bytes, map->values + index * map->width, map->width,
                       (uint8_t)type, value);
}

bool berth_flexmap_at(berth_bytes bytes, size_t index, int64_t *value)
{
    struct map map = {0};
    return find_map(bytes, &map) && index < map.count &&
           read_value(bytes, &map, index, value);
}

bool berth_flexmap_int(berth_bytes bytes, const char *key, int64_t *value)
{
    struct map map = {0};
    if (!find_map(bytes, &map)) {
        return false;
    }
    for (size_t i = 0; i < map.count; ++i) {
        size_t name = 0;
        if (follow(bytes, map.keys + i * map.key_width, map.key_width, &name) &&
            matches_key(bytes, name, key)) {
            return read_value(bytes, &map, i, value);
        }
    }
    return false;
}

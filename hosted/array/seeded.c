/* Numbers from a key: FNV-1a (Fowler, Noll, Vo) over its bytes seeds splitmix64
 * (Steele, Lea, Flood 2014), one draw an element. */
#include "array_int.h"

#include <string.h>

static uint64_t seed_of(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *key != '\0'; ++key) {
        hash = (hash ^ (uint8_t)*key) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The float16 of k / 1024 - 1 for k in 0 ... 2047: exact, since |k - 1024| has
 * at most eleven bits. */
static uint16_t half_of(uint64_t k)
{
    int32_t units = (int32_t)k - 1024;
    if (units == 0) {
        return 0;
    }
    const uint32_t sign = units < 0 ? 0x8000u : 0;
    uint32_t size = (uint32_t)(units < 0 ? -units : units);
    uint32_t exponent = 15;
    while (size < 1024u) {
        size <<= 1;
        --exponent;
    }
    return (uint16_t)(sign | exponent << 10 | (size & 1023u));
}

static void put(uint8_t *to, const void *value, size_t size)
{
    memcpy(to, value, size);
}

static void put_element(berth_type type, uint64_t r, uint64_t i, uint8_t *data)
{
    const uint32_t bytes = berth_type_bits(type) / 8;
    uint64_t bits = r >> 61;
    if (type == BERTH_FLOAT32) {
        const float value = (float)(r >> 40) * 0x1p-23f - 1.0f;
        put(data + i * 4, &value, 4);
        return;
    }
    if (type == BERTH_FLOAT64) {
        const double value = (double)(r >> 40) * 0x1p-23 - 1.0;
        put(data + i * 8, &value, 8);
        return;
    }
    if (type == BERTH_FLOAT16) {
        bits = half_of(r >> 53);
    } else if (type == BERTH_BOOL) {
        bits = r & 1;
    } else if (bytes <= 2) {
        bits = r >> (64 - 8 * bytes);
    }
    for (uint32_t k = 0; k < bytes; ++k) {
        data[i * bytes + k] = (uint8_t)(bits >> 8 * k);
    }
}

bool berth_array_seed(const char *key, berth_type type, uint64_t elements,
                      uint8_t *data)
{
    uint64_t state = seed_of(key);
    if (array_numpy_type(type) == NULL || type == BERTH_COMPLEX64 ||
        type == BERTH_COMPLEX128 || type == BERTH_INT4) {
        return false;
    }
    for (uint64_t i = 0; i < elements; ++i) {
        put_element(type, draw(&state), i, data);
    }
    return true;
}

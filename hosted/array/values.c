/* Elements as numbers, and how two arrays differ. */
#include "array_int.h"

#include <math.h>
#include <string.h>

static float half_to_float(uint16_t half)
{
    const uint32_t exponent = half >> 10 & 31u;
    const float fraction = (float)(half & 1023u);
    const float sign = (half & 0x8000u) != 0 ? -1.0f : 1.0f;
    if (exponent == 31) {
        return fraction != 0.0f ? NAN : sign * INFINITY;
    }
    return sign * (exponent == 0
                       ? ldexpf(fraction, -24)
                       : ldexpf(1024.0f + fraction, (int)exponent - 25));
}

static uint64_t bits_at(const uint8_t *data, uint32_t bytes, uint64_t i)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < bytes; ++k) {
        bits |= (uint64_t)data[i * bytes + k] << 8 * k;
    }
    return bits;
}

static double integer_at(berth_type type, const uint8_t *data, uint64_t i)
{
    if (type == BERTH_INT4) {
        const unsigned nibble =
            (unsigned)data[i / 2] >> (i % 2 == 0 ? 0 : 4) & 15u;
        return nibble < 8 ? (double)nibble : (double)nibble - 16.0;
    }
    const uint32_t bytes = berth_type_bits(type) / 8;
    const uint64_t bits = bits_at(data, bytes, i);
    const bool is_signed = type == BERTH_INT8 || type == BERTH_INT16 ||
                           type == BERTH_INT32 || type == BERTH_INT64;
    const uint64_t top = (uint64_t)1 << (8 * bytes - 1);
    return is_signed && (bits & top) != 0 ? -(double)(~bits & (top - 1)) - 1.0
                                          : (double)bits;
}

static double plain_value(berth_type type, const uint8_t *data, uint64_t i)
{
    float single = 0;
    double twice = 0;
    switch (type) {
    case BERTH_FLOAT32:
        memcpy(&single, data + i * sizeof(single), sizeof(single));
        return (double)single;
    case BERTH_FLOAT64:
        memcpy(&twice, data + i * sizeof(twice), sizeof(twice));
        return twice;
    case BERTH_FLOAT16:
        return (double)half_to_float((uint16_t)bits_at(data, 2, i));
    default:
        return array_numpy_type(type) == NULL || type == BERTH_COMPLEX64 ||
                       type == BERTH_COMPLEX128
                   ? 0.0
                   : integer_at(type, data, i);
    }
}

double berth_array_value(berth_type type, const uint8_t *data, uint64_t i,
                         const berth_quantization *quantization)
{
    const double plain = plain_value(type, data, i);
    if (quantization == NULL || quantization->scale_count != 1 ||
        type == BERTH_FLOAT32 || type == BERTH_FLOAT64) {
        return plain;
    }
    const int64_t zero = quantization->zero_point_count == 0
                             ? 0
                             : berth_quantization_zero_point(quantization, 0);
    return (plain - (double)zero) *
           (double)berth_quantization_scale(quantization, 0);
}

static bool is_float(berth_type type)
{
    return type == BERTH_FLOAT32 || type == BERTH_FLOAT64 ||
           type == BERTH_FLOAT16;
}

/* Elements that count as equal whatever the tolerance. Integers by their bits:
 * a double does not hold all of 64. */
static bool same_element(berth_type type, const uint8_t *got,
                         const uint8_t *expected, uint64_t i)
{
    const uint32_t bits = berth_type_bits(type);
    if (!is_float(type) && bits >= 8) {
        return memcmp(got + i * (bits / 8), expected + i * (bits / 8),
                      bits / 8) == 0;
    }
    const double a = plain_value(type, got, i);
    const double b = plain_value(type, expected, i);
    return a == b || (isnan(a) && isnan(b));
}

static double tolerated(berth_type type, uint64_t elements,
                        const uint8_t *expected, double tolerance)
{
    double most = 1.0;
    for (uint64_t i = 0; i < elements; ++i) {
        const double b = fabs(plain_value(type, expected, i));
        most = isfinite(b) && b > most ? b : most;
    }
    return tolerance * most;
}

/* Complex numbers and whatever has no number of its own: as bytes. */
static berth_difference compare_bytes(uint64_t bytes, const uint8_t *got,
                                      const uint8_t *expected)
{
    berth_difference found = {0};
    for (uint64_t i = 0; i < bytes; ++i) {
        if (got[i] != expected[i] && found.count++ == 0) {
            found.first = i;
            found.got = (double)got[i];
            found.expected = (double)expected[i];
        }
    }
    return found;
}

berth_difference berth_array_compare(berth_type type, uint64_t elements,
                                     const uint8_t *got,
                                     const uint8_t *expected, double tolerance)
{
    if (type == BERTH_COMPLEX64 || type == BERTH_COMPLEX128) {
        return compare_bytes(elements * (berth_type_bits(type) / 8), got,
                             expected);
    }
    berth_difference found = {0};
    const double most =
        is_float(type) ? tolerated(type, elements, expected, tolerance) : 0.0;
    for (uint64_t i = 0; i < elements; ++i) {
        if (same_element(type, got, expected, i)) {
            continue;
        }
        const double a = plain_value(type, got, i);
        const double b = plain_value(type, expected, i);
        const double distance = fabs(a - b);
        found.largest = distance > found.largest ? distance : found.largest;
        if (!(is_float(type) && distance <= most) && found.count++ == 0) {
            found.first = i;
            found.got = a;
            found.expected = b;
        }
    }
    return found;
}

/* A picture as a tensor 1 x height x width x channels: decoded and resized by
 * stb (libstb), then normalised, then quantised as the tensor is. */
#include "array_int.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <stb_image.h>
#include <stb_image_resize.h>

enum { PIXELS_MAX = 1 << 26 };

bool array_is_picture(berth_bytes file)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t jpeg[] = {0xff, 0xd8, 0xff};
    return (file.size >= sizeof(png) &&
            memcmp(file.data, png, sizeof(png)) == 0) ||
           (file.size >= sizeof(jpeg) &&
            memcmp(file.data, jpeg, sizeof(jpeg)) == 0);
}

/* What is done to each value of a channel. */
typedef struct channel_map {
    float mean;
    float std;
    float scale; /* of the tensor; 0: not quantised by these */
    float zero_point;
} channel_map;

static channel_map map_of(const berth_array_want *want,
                          const berth_normalisation *how, uint32_t channel)
{
    const bool is_float = want->type == BERTH_FLOAT32;
    if (how == NULL || how->count == 0) {
        const float shift = want->type == BERTH_INT8 ? 128.0f : 0.0f;
        return (channel_map){shift, is_float ? 255.0f : 1.0f, 0.0f, 0.0f};
    }
    const uint32_t i = how->count > channel ? channel : 0;
    channel_map map = {how->mean[i], how->std[i], 0.0f, 0.0f};
    const berth_quantization *q = want->quantization;
    if (!is_float && q != NULL && q->scale_count == 1) {
        map.scale = berth_quantization_scale(q, 0);
        map.zero_point = q->zero_point_count == 0
                             ? 0.0f
                             : (float)berth_quantization_zero_point(q, 0);
    }
    return map;
}

static float mapped(const channel_map *map, uint8_t value)
{
    const float real = ((float)value - map->mean) / map->std;
    return map->scale > 0.0f ? real / map->scale + map->zero_point : real;
}

static uint8_t to_byte(berth_type type, float value)
{
    const float low = type == BERTH_INT8 ? -128.0f : 0.0f;
    const float high = type == BERTH_INT8 ? 127.0f : 255.0f;
    const float rounded = roundf(value);
    const float held = rounded < low ? low : rounded > high ? high : rounded;
    return (uint8_t)(int)(isnan(held) ? low : held);
}

static void put_pixels(const berth_array_want *want,
                       const berth_normalisation *how, const uint8_t *pixels,
                       uint8_t *to)
{
    const uint32_t channels = (uint32_t)want->dims[3];
    const size_t values =
        (size_t)want->dims[1] * (size_t)want->dims[2] * channels;
    channel_map maps[4];
    for (uint32_t c = 0; c < channels; ++c) {
        maps[c] = map_of(want, how, c);
    }
    for (size_t i = 0; i < values; ++i) {
        const float value = mapped(&maps[i % channels], pixels[i]);
        if (want->type == BERTH_FLOAT32) {
            memcpy(to + i * sizeof(value), &value, sizeof(value));
        } else {
            to[i] = to_byte(want->type, value);
        }
    }
}

static bool check_want(const berth_array_want *want, berth_array_error *error)
{
    if (want->rank != 4 || want->dims[0] != 1 || want->dims[1] < 1 ||
        want->dims[2] < 1 || want->dims[3] < 1 || want->dims[3] > 4 ||
        want->dims[3] == 2) {
        return array_fail(error, "a picture, for a tensor that is not "
                                 "1 x height x width x 1, 3 or 4");
    }
    if (want->type != BERTH_FLOAT32 && want->type != BERTH_UINT8 &&
        want->type != BERTH_INT8) {
        return array_fail(error, "a picture, for elements that are neither "
                                 "float32 nor uint8 nor int8");
    }
    return (int64_t)want->dims[1] * want->dims[2] <= PIXELS_MAX ||
           array_fail_size(error, "too many pixels", PIXELS_MAX,
                           (uint64_t)want->dims[1] * (uint64_t)want->dims[2]);
}

/* Decoded and resized: height x width x channels bytes, to be given back. */
static bool decode(berth_port *port, const berth_array_want *want,
                   berth_bytes file, berth_block *pixels,
                   berth_array_error *error)
{
    int width = 0;
    int height = 0;
    int found = 0;
    const int channels = want->dims[3];
    if (file.size > INT_MAX ||
        stbi_info_from_memory(file.data, (int)file.size, &width, &height,
                              &found) == 0) {
        return array_fail(error, "a damaged picture");
    }
    if ((int64_t)width * height > PIXELS_MAX) {
        return array_fail_size(error, "too many pixels", PIXELS_MAX,
                               (uint64_t)width * (uint64_t)height);
    }
    uint8_t *decoded = stbi_load_from_memory(file.data, (int)file.size, &width,
                                             &height, &found, channels);
    if (decoded == NULL) {
        return array_fail(error, "a damaged picture");
    }
    const size_t bytes =
        (size_t)want->dims[1] * (size_t)want->dims[2] * (size_t)channels;
    bool ok = berth_block_take(port, bytes, pixels) &&
              stbir_resize_uint8_generic(
                  decoded, width, height, 0, pixels->memory, want->dims[2],
                  want->dims[1], 0, channels, STBIR_ALPHA_CHANNEL_NONE, 0,
                  STBIR_EDGE_CLAMP, STBIR_FILTER_TRIANGLE,
                  STBIR_COLORSPACE_LINEAR, NULL) != 0;
    stbi_image_free(decoded);
    return ok ||
           array_fail_size(error, "the system has no memory for the picture",
                           bytes, 0);
}

bool array_read_picture(berth_port *port, const berth_array_want *want,
                        const berth_normalisation *normalisation,
                        berth_array *array, berth_array_error *error)
{
    berth_block pixels = {NULL, 0};
    if (!check_want(want, error)) {
        return false;
    }
    bool ok = decode(port, want, array->file.bytes, &pixels, error) &&
              array_take(port, (size_t)want->bytes, array, error);
    if (ok) {
        put_pixels(want, normalisation, pixels.memory, array->block.memory);
        array->type = want->type;
        array->data = array->block.memory;
        array->bytes = (size_t)want->bytes;
        array->rank = want->rank;
        memcpy(array->dims, want->dims, want->rank * sizeof(*array->dims));
        array->has_shape = true;
    }
    berth_block_give(port, &pixels);
    return ok;
}

/* berth/hosted/array.h: what goes into a model and comes out of it, as files:
 * .npy arrays, raw bytes, pictures, and numbers made from a seed.
 *
 *     berth_array array;
 *     berth_array_error error;
 *     const berth_array_want want = {.type = BERTH_INT8, .rank = 4,
 *                                    .dims = dims, .bytes = bytes};
 *     if (berth_array_read(&port, "in.npy", &want, &array, &error)) {
 *         memcpy(input, array.data, array.bytes);
 *     }
 *     berth_array_close(&port, &array);
 *
 * Files are strangers: sizes are checked before anything is taken, and an error
 * names the place and the number that helps. */
#ifndef BERTH_HOSTED_ARRAY_H
#define BERTH_HOSTED_ARRAY_H

#include "berth/hosted/port.h"
#include "berth/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_ARRAY_RANK_MAX 32u

typedef struct berth_array {
    const uint8_t *data; /* little endian, C order; 4-bit elements packed */
    size_t bytes;
    int32_t dims[BERTH_ARRAY_RANK_MAX];
    uint32_t rank;
    berth_type type;
    bool has_shape; /* false: raw bytes, whose shape is the model's */
    berth_file file;
    berth_block block;
} berth_array;

/* What a tensor asks for. `quantization` only serves pictures. */
typedef struct berth_array_want {
    berth_type type;
    uint32_t rank;
    const int32_t *dims;
    uint64_t bytes;
    const berth_quantization *quantization; /* may be NULL */
} berth_array_want;

typedef struct berth_array_error {
    const char *what; /* static text */
    int os_error;     /* of errno.h; 0: the system did not fail */
    uint64_t at;      /* place in the file, or BERTH_NOWHERE */
    uint64_t needed;  /* the number that would do, or BERTH_NOWHERE */
    uint64_t given;
    char text[64]; /* what was found there, escaped; may be "" */
} berth_array_error;

/* How the bytes 0 ... 255 of a picture become numbers: (v - mean) / std, one
 * pair for all channels or one each, then by the tensor's quantization. With
 * count 0: float tensors get v / 255, uint8 ones v, int8 ones v - 128. */
typedef struct berth_normalisation {
    float mean[4];
    float std[4];
    uint32_t count; /* 0, 1, 3 or 4 */
} berth_normalisation;

/* By its first bytes: .npy (any shape; element type must be the tensor's, one
 * byte an element for 4-bit ones), PNG or JPEG (resized to the tensor's height
 * and width, for a tensor 1 x H x W x 1, 3 or 4), else raw (exactly want->bytes
 * long). False: error tells; nothing is open then. */
BERTH_MUST_USE bool berth_array_read(berth_port *port, const char *path,
                                     const berth_array_want *want,
                                     const berth_normalisation *normalisation,
                                     berth_array *array,
                                     berth_array_error *error);
void berth_array_close(berth_port *port, berth_array *array);

/* Writes a .npy file of version 1.0 that is whole or not there. 4-bit elements
 * become a byte each. 0, or what errno says; ENOTSUP: numpy has no such type.
 */
BERTH_MUST_USE int berth_array_write(const char *path, berth_type type,
                                     uint32_t rank, const int32_t *dims,
                                     const uint8_t *data, uint64_t bytes);

/* Fills a tensor from a key such as "model.tflite#0#0#0": the same numbers on
 * every machine. FNV-1a seeds splitmix64, one draw an element; floats lie in
 * [-1, 1), bytes and 16-bit integers are the top bits, wider integers 0 ... 7,
 * bools a bit. False: the type has no such rule. */
bool berth_array_seed(const char *key, berth_type type, uint64_t elements,
                      uint8_t *data);

/* How two arrays of one type and shape differ. Floats: |a - b| <= tolerance *
 * max(1, max |b|), NaN equals NaN; all else bit by bit. */
typedef struct berth_difference {
    uint64_t count; /* elements that differ by more */
    uint64_t first; /* the first of these */
    double got;     /* its two values */
    double expected;
    double largest; /* of all elements; 0 where that has no meaning */
} berth_difference;

berth_difference berth_array_compare(berth_type type, uint64_t elements,
                                     const uint8_t *got,
                                     const uint8_t *expected, double tolerance);

/* Element i as a number: (q - zero point) * scale where `quantization` has one
 * scale, else as it is. */
double berth_array_value(berth_type type, const uint8_t *data, uint64_t i,
                         const berth_quantization *quantization);

#ifdef __cplusplus
}
#endif
#endif

/* Writes .npy files of version 1.0, and knows numpy's names for types. */
#include "array_int.h"

#include <errno.h>
#include <string.h>

const char *array_numpy_type(berth_type type)
{
    static const char *const letters[BERTH_TYPE_COUNT] = {
        [BERTH_FLOAT32] = "f4",   [BERTH_FLOAT16] = "f2",
        [BERTH_FLOAT64] = "f8",   [BERTH_INT8] = "i1",
        [BERTH_INT16] = "i2",     [BERTH_INT32] = "i4",
        [BERTH_INT64] = "i8",     [BERTH_UINT8] = "u1",
        [BERTH_UINT16] = "u2",    [BERTH_UINT32] = "u4",
        [BERTH_UINT64] = "u8",    [BERTH_BOOL] = "b1",
        [BERTH_COMPLEX64] = "c8", [BERTH_COMPLEX128] = "c16",
        [BERTH_INT4] = "i1",
    };
    return type < BERTH_TYPE_COUNT ? letters[type] : NULL;
}

uint32_t array_npy_element_bytes(berth_type type)
{
    const uint32_t bits = berth_type_bits(type);
    return bits < 8 ? 1 : bits / 8;
}

static void put_shape(FILE *out, uint32_t rank, const int32_t *dims)
{
    (void)fputc('(', out);
    for (uint32_t i = 0; i < rank; ++i) {
        (void)fprintf(out, i + 1 < rank ? "%d, " : "%d", dims[i]);
    }
    (void)fputs(rank == 1 ? ",)" : ")", out);
}

/* The header is filled up with spaces so that elements start at a multiple of
 * 64; it is written twice, the first time to learn its length. */
static void put_header(FILE *out, berth_type type, uint32_t rank,
                       const int32_t *dims)
{
    enum { PREFIX = 10, ALIGN = 64 };
    const char *letters = array_numpy_type(type);
    const char order = letters[1] == '1' && letters[2] == '\0' ? '|' : '<';
    (void)fwrite("\x93NUMPY\x01\x00\x00\x00", 1, PREFIX, out);
    (void)fprintf(out,
                  "{'descr': '%c%s', 'fortran_order': False, 'shape': ", order,
                  letters);
    put_shape(out, rank, dims);
    (void)fputs(", }", out);
    long end = ftell(out);
    while ((end + 1) % ALIGN != 0) {
        (void)fputc(' ', out);
        ++end;
    }
    (void)fputc('\n', out);
    const unsigned length = (unsigned)(end + 1 - PREFIX);
    (void)fseek(out, PREFIX - 2, SEEK_SET);
    (void)fputc((int)(length & 255u), out);
    (void)fputc((int)(length >> 8), out);
    (void)fseek(out, 0, SEEK_END);
}

static void put_nibbles(FILE *out, uint64_t elements, const uint8_t *data)
{
    for (uint64_t i = 0; i < elements; ++i) {
        const unsigned nibble =
            (unsigned)data[i / 2] >> (i % 2 == 0 ? 0 : 4) & 15u;
        (void)fputc((int)(nibble < 8 ? nibble : nibble | 0xf0u), out);
    }
}

int berth_array_write(const char *path, berth_type type, uint32_t rank,
                      const int32_t *dims, const uint8_t *data, uint64_t bytes)
{
    berth_save save;
    if (array_numpy_type(type) == NULL || rank > BERTH_ARRAY_RANK_MAX) {
        return ENOTSUP;
    }
    int error = berth_save_begin(path, &save);
    if (error == 0) {
        uint64_t elements = 1;
        for (uint32_t i = 0; i < rank; ++i) {
            elements *= (uint64_t)dims[i];
        }
        put_header(save.out, type, rank, dims);
        if (type == BERTH_INT4) {
            put_nibbles(save.out, elements, data);
        } else if (bytes > 0) {
            (void)fwrite(data, 1, (size_t)bytes, save.out);
        }
        error = berth_save_finish(&save);
    }
    error = error == 0 ? berth_save_move(&save) : error;
    berth_save_drop(&save);
    return error;
}

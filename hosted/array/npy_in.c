/* Reads .npy files, versions 1 to 3: a magic word, the length of a header, a
 * header that is a Python dict, then the elements. The dict is read by its
 * three keys; whatever else it holds is refused, as numpy does.
 * (numpy.lib.format of the NumPy reference.) */
#include "array_int.h"

#include <stdio.h>
#include <string.h>

static const char MAGIC[] = "\x93NUMPY";

enum { MAGIC_BYTES = 6, HEADER_MAX = 65536 };

typedef struct npy_text {
    const char *at;
    const char *end;
} npy_text;

bool array_is_npy(berth_bytes file)
{
    return file.size >= MAGIC_BYTES &&
           memcmp(file.data, MAGIC, MAGIC_BYTES) == 0;
}

static void skip_space(npy_text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n')) {
        ++text->at;
    }
}

static bool accept(npy_text *text, const char *word)
{
    skip_space(text);
    const size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length ||
        memcmp(text->at, word, length) != 0) {
        return false;
    }
    text->at += length;
    return true;
}

static bool accept_dim(npy_text *text, int32_t *dim)
{
    int64_t value = 0;
    skip_space(text);
    const char *start = text->at;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9' &&
           value <= INT32_MAX) {
        value = value * 10 + (*text->at++ - '0');
    }
    *dim = (int32_t)value;
    return text->at > start && value <= INT32_MAX;
}

static bool accept_shape(npy_text *text, berth_array *array)
{
    if (!accept(text, "(")) {
        return false;
    }
    while (!accept(text, ")")) {
        if (array->rank == BERTH_ARRAY_RANK_MAX ||
            !accept_dim(text, &array->dims[array->rank])) {
            return false;
        }
        ++array->rank;
        if (!accept(text, ",")) {
            return accept(text, ")");
        }
    }
    return true;
}

/* The letters between two quotes. */
static bool accept_letters(npy_text *text, berth_bytes *letters)
{
    if (!accept(text, "'")) {
        return false;
    }
    letters->data = (const uint8_t *)text->at;
    while (text->at < text->end && *text->at != '\'') {
        ++text->at;
    }
    letters->size = (size_t)((const uint8_t *)text->at - letters->data);
    return accept(text, "'");
}

typedef struct npy_header {
    berth_bytes descr;
    bool fortran;
    bool has_order;
    bool has_shape;
} npy_header;

static bool accept_entry(npy_text *text, npy_header *header, berth_array *array)
{
    if (accept(text, "'descr':")) {
        return accept_letters(text, &header->descr);
    }
    if (accept(text, "'fortran_order':")) {
        header->has_order = true;
        header->fortran = accept(text, "True");
        return header->fortran || accept(text, "False");
    }
    if (accept(text, "'shape':")) {
        header->has_shape = true;
        array->rank = 0;
        return accept_shape(text, array);
    }
    return false;
}

static bool read_header(npy_text *text, npy_header *header, berth_array *array)
{
    if (!accept(text, "{")) {
        return false;
    }
    while (!accept(text, "}")) {
        if (!accept_entry(text, header, array)) {
            return false;
        }
        if (!accept(text, ",")) {
            return accept(text, "}");
        }
    }
    return true;
}

static void tell_text(berth_array_error *error, const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size && n + 5 < sizeof(error->text); ++i) {
        const unsigned char c = (unsigned char)text[i];
        const bool plain = c >= 0x20 && c < 0x7f && c != '\\';
        n += (size_t)snprintf(error->text + n, sizeof(error->text) - n,
                              plain ? "%c" : "\\x%02x", c);
    }
}

/* '<' little endian, '|' one byte: as the elements lie; '>' big endian. */
static bool check_type(const npy_header *header, berth_type type,
                       berth_array_error *error)
{
    const char *letters = array_numpy_type(type);
    const char *descr = (const char *)header->descr.data;
    if (header->descr.size < 2 || letters == NULL ||
        header->descr.size != strlen(letters) + 1 ||
        memcmp(descr + 1, letters, strlen(letters)) != 0) {
        tell_text(error, descr, header->descr.size);
        return array_fail(error, "elements of another type than the tensor's");
    }
    if (descr[0] == '>' && letters[1] != '1') {
        tell_text(error, descr, header->descr.size);
        return array_fail(error, "big-endian elements; save them as '<'");
    }
    return true;
}

/* How many bytes the elements take in the file; false: too many. */
static bool count_bytes(const berth_array *array, uint64_t *elements,
                        uint64_t *bytes)
{
    *elements = 1;
    for (uint32_t i = 0; i < array->rank; ++i) {
        if (!berth_mul_u64(*elements, (uint64_t)array->dims[i], elements)) {
            return false;
        }
    }
    return berth_mul_u64(*elements, array_npy_element_bytes(array->type),
                         bytes);
}

/* A byte an element becomes two elements a byte, the first in the low half. */
static bool pack_nibbles(berth_port *port, uint64_t elements,
                         berth_array *array, berth_array_error *error)
{
    const uint8_t *from = array->data;
    const size_t bytes = (size_t)(elements / 2 + elements % 2);
    if (!array_take(port, bytes, array, error)) {
        return false;
    }
    uint8_t *to = array->block.memory;
    memset(to, 0, bytes);
    for (size_t i = 0; i < elements; ++i) {
        const unsigned shift = i % 2 == 0 ? 0 : 4;
        to[i / 2] = (uint8_t)(to[i / 2] | (from[i] & 15u) << shift);
    }
    array->data = to;
    array->bytes = bytes;
    return true;
}

/* Where the header begins and ends; 0: the file ends before. */
static size_t header_start(berth_bytes file, size_t *length)
{
    const uint8_t *data = file.data;
    if (file.size < MAGIC_BYTES + 4) {
        return 0;
    }
    *length = (size_t)data[8] | (size_t)data[9] << 8;
    if (data[MAGIC_BYTES] == 1) {
        return 10;
    }
    if (file.size < MAGIC_BYTES + 6) {
        return 0;
    }
    *length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    return 12;
}

bool array_read_npy(berth_port *port, const berth_array_want *want,
                    berth_array *array, berth_array_error *error)
{
    const berth_bytes file = array->file.bytes;
    npy_header header = {{NULL, 0}, false, false, false};
    size_t length = 0;
    const size_t start = header_start(file, &length);
    if (start == 0 || length > file.size - start || length > HEADER_MAX) {
        error->at = MAGIC_BYTES;
        return array_fail(error, "the header of the .npy file is cut short");
    }
    npy_text text = {(const char *)file.data + start,
                     (const char *)file.data + start + length};
    if (!read_header(&text, &header, array) || header.descr.size == 0 ||
        !header.has_shape || !header.has_order) {
        error->at = (uint64_t)((const uint8_t *)text.at - file.data);
        return array_fail(error, "not the header of a .npy file");
    }
    if (header.fortran && array->rank > 1) {
        return array_fail(error, "saved in Fortran order; save a C-order copy "
                                 "(numpy.ascontiguousarray)");
    }
    if (!check_type(&header, want->type, error)) {
        return false;
    }
    uint64_t elements = 0;
    uint64_t bytes = 0;
    array->data = file.data + start + length;
    array->bytes = file.size - start - length;
    array->has_shape = true;
    if (!count_bytes(array, &elements, &bytes)) {
        return array_fail(error, "a shape of more bytes than there can be");
    }
    if (bytes != array->bytes) {
        return array_fail_size(error,
                               "not as many bytes as the shape in it asks for",
                               bytes, array->bytes);
    }
    return want->type != BERTH_INT4 ||
           pack_nibbles(port, elements, array, error);
}

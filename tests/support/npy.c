/* Reads .npy files: enough for those that numpy.save writes. */
#include "npy.h"

#include "corpus.h"

#include <stdlib.h>
#include <string.h>

static bool read_shape(const char *text, npy *array)
{
    const char *at = strstr(text, "'shape': (");
    if (at == NULL) {
        return false;
    }
    at += strlen("'shape': (");
    while (*at != ')' && *at != '\0') {
        char *end = NULL;
        const long long dim = strtoll(at, &end, 10);
        if (end == at || array->rank == NPY_RANK_MAX) {
            return false;
        }
        array->dims[array->rank++] = (int32_t)dim;
        at = end + strspn(end, ", ");
    }
    return *at == ')';
}

bool npy_read(const char *path, npy *array)
{
    enum { PREFIX = 10, HEADER_MAX = 1024 };
    char header[HEADER_MAX + 1];
    *array = (npy){.file = file_read(path)};
    const uint8_t *data = array->file.data;
    if (data == NULL || array->file.size < PREFIX ||
        memcmp(data, "\x93NUMPY\x01", 7) != 0) {
        return false;
    }
    const size_t length = (size_t)data[8] | (size_t)data[9] << 8;
    if (length > HEADER_MAX || PREFIX + length > array->file.size) {
        return false;
    }
    memcpy(header, data + PREFIX, length);
    header[length] = '\0';
    const char *descr = strstr(header, "'descr': '");
    if (descr == NULL || strstr(header, "'fortran_order': False") == NULL) {
        return false;
    }
    descr += strlen("'descr': '") + 1;
    const size_t n = strcspn(descr, "'");
    if (n >= sizeof(array->type) || !read_shape(header, array)) {
        return false;
    }
    memcpy(array->type, descr, n);
    array->data = data + PREFIX + length;
    array->bytes = array->file.size - PREFIX - length;
    return true;
}

/* A file as an array: its first bytes say what it is. */
#include "array_int.h"

#include <errno.h>
#include <string.h>

bool array_fail(berth_array_error *error, const char *what)
{
    error->what = what;
    return false;
}

bool array_fail_size(berth_array_error *error, const char *what,
                     uint64_t needed, uint64_t given)
{
    error->needed = needed;
    error->given = given;
    return array_fail(error, what);
}

bool array_take(berth_port *port, size_t bytes, berth_array *array,
                berth_array_error *error)
{
    if (berth_block_take(port, bytes, &array->block)) {
        return true;
    }
    error->os_error = ENOMEM;
    return array_fail_size(error, "the system has no memory for the array",
                           bytes, 0);
}

static bool read_raw(const berth_array_want *want, berth_array *array,
                     berth_array_error *error)
{
    const berth_bytes file = array->file.bytes;
    if (file.size != want->bytes) {
        return array_fail_size(error,
                               "raw bytes, but not as many as the tensor has",
                               want->bytes, file.size);
    }
    array->type = want->type;
    array->data = file.data;
    array->bytes = file.size;
    return true;
}

bool berth_array_read(berth_port *port, const char *path,
                      const berth_array_want *want,
                      const berth_normalisation *normalisation,
                      berth_array *array, berth_array_error *error)
{
    *array = (berth_array){.type = want->type};
    *error = (berth_array_error){.what = "",
                                 .at = BERTH_NOWHERE,
                                 .needed = BERTH_NOWHERE,
                                 .given = BERTH_NOWHERE};
    error->os_error = berth_file_open_whole(port, path, &array->file);
    if (error->os_error != 0) {
        return array_fail(error, "cannot be read");
    }
    const berth_bytes file = array->file.bytes;
    bool ok = false;
    if (array_is_npy(file)) {
        ok = array_read_npy(port, want, array, error);
    } else if (array_is_picture(file)) {
        ok = array_read_picture(port, want, normalisation, array, error);
    } else {
        ok = read_raw(want, array, error);
    }
    if (!ok) {
        berth_array_close(port, array);
    }
    return ok;
}

void berth_array_close(berth_port *port, berth_array *array)
{
    berth_block_give(port, &array->block);
    berth_file_close(port, &array->file);
    *array = (berth_array){.type = array->type};
}

/* Offsets from the JSON that json_write.c writes. */
#include "list_int.h"

#include <jansson.h>

static const berth_bytes nothing = {0};

static berth_status refuse_json(berth_list_error *error, const char *what)
{
    return list_fail_at(error, BERTH_BAD_MODEL, 0, 0, nothing, what);
}

static berth_bytes bytes_of(const json_t *string)
{
    return (berth_bytes){(const uint8_t *)json_string_value(string),
                         json_string_length(string)};
}

static berth_status match_buffer(list_match *match, const json_t *buffer,
                                 berth_list_error *error)
{
    const json_t *id = json_object_get(buffer, "id");
    const json_t *size = json_object_get(buffer, "size");
    const json_t *offset = json_object_get(buffer, "offset");
    if (!json_is_string(id) || !json_is_integer(offset) ||
        !json_is_integer(size) || json_integer_value(offset) < 0 ||
        json_integer_value(size) < 0) {
        return refuse_json(error, "a buffer without id, size and offset");
    }
    const char *why =
        list_match_set(match, bytes_of(id), (uint64_t)json_integer_value(size),
                       (uint64_t)json_integer_value(offset));
    return why == NULL ? BERTH_OK
                       : list_refuse_given(error, 0, 0, bytes_of(id), why);
}

static berth_status match_file(list_match *match, const json_t *file,
                               berth_list_error *error)
{
    const json_t *label = json_object_get(file, "file");
    const json_t *buffers = json_object_get(file, "buffers");
    if (!json_is_string(label) || !json_is_array(buffers)) {
        return refuse_json(error, "a file without name and buffers");
    }
    /* One file may have been renamed meanwhile. */
    if (match->count > 1 && !list_match_part(match, bytes_of(label))) {
        return list_refuse_given(error, 0, 0, bytes_of(label),
                                 "the plan is of a file that was not named");
    }
    for (size_t i = 0; i < json_array_size(buffers); ++i) {
        BERTH_TRY(match_buffer(match, json_array_get(buffers, i), error));
    }
    return BERTH_OK;
}

static berth_status match_root(list_match *match, const json_t *root,
                               berth_list_error *error)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    const json_t *files = json_object_get(root, "files");
    if (format == NULL || strcmp(format, LIST_JSON_FORMAT) != 0) {
        return refuse_json(error, "JSON, but not a plan of berth");
    }
    if (json_integer_value(version) != LIST_JSON_VERSION) {
        return list_fail(error, BERTH_UNSUPPORTED,
                         "a plan of another version of the JSON");
    }
    if (!json_is_array(files)) {
        return refuse_json(error, "a plan without files");
    }
    if (json_array_size(files) != match->count) {
        return list_refuse_given(error, 0, 0, nothing,
                                 "the plan is of another number of files");
    }
    for (size_t i = 0; i < json_array_size(files); ++i) {
        BERTH_TRY(match_file(match, json_array_get(files, i), error));
    }
    return BERTH_OK;
}

berth_status list_read_json(list_match *match, berth_bytes file,
                            berth_list_error *error)
{
    json_error_t fault;
    json_t *root = json_loadb((const char *)file.data, file.size,
                              JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &fault);
    if (root == NULL) {
        const bool memory = json_error_code(&fault) == json_error_out_of_memory;
        (void)list_fail_at(error, memory ? BERTH_NO_SPACE : BERTH_BAD_MODEL,
                           fault.line > 0 ? (uint32_t)fault.line : 1u,
                           fault.column > 0 ? (uint32_t)fault.column : 0,
                           nothing,
                           memory ? "the system has no memory for it"
                                  : "no JSON from here on");
        return error->load.status;
    }
    const berth_status status = match_root(match, root, error);
    json_decref(root);
    return status;
}

/* A path in, a verified model and its graph out. Everything is built in a
 * zeroed value; on failure that value is closed, whatever of it is open. */
#include "berth/hosted/load.h"

#include "load_int.h"

#include <errno.h>
#include <string.h>

const char *berth_load_stage_name(berth_load_stage stage)
{
    static const char *const names[] = {
#define STAGE_NAME(name, text) text,
        BERTH_LOAD_STAGE_TABLE(STAGE_NAME)
#undef STAGE_NAME
    };
    return names[stage];
}

berth_status load_fail(berth_load_error *error, berth_load_stage stage,
                       berth_status status)
{
    error->stage = stage;
    error->status = status;
    return status;
}

berth_status load_no_memory(berth_load_error *error, berth_load_stage stage,
                            size_t bytes)
{
    error->os_error = ENOMEM;
    error->diag = berth_diag_none();
    error->diag.what = "the system has no memory for it";
    error->diag.needed_bytes = bytes;
    return load_fail(error, stage, BERTH_NO_SPACE);
}

static berth_status open_file(berth_port *port, const char *path,
                              berth_file *file, berth_load_error *error)
{
    error->os_error = berth_file_open(port, path, file);
    if (error->os_error == 0) {
        return BERTH_OK;
    }
    if (error->os_error == EISDIR && berth_file_is_saved_model(path)) {
        error->kind = BERTH_FILE_SAVED_MODEL;
    }
    return load_fail(error, BERTH_LOAD_FILE, BERTH_UNSUPPORTED);
}

static berth_status open_model(berth_port *port, berth_loaded *loaded,
                               berth_load_error *error)
{
    const berth_bytes file = loaded->file.bytes;
    size_t need = 0;
    error->kind = berth_file_kind_of(file);
    berth_status status = berth_model_bytes(file, &need, &error->diag);
    if (status != BERTH_OK) {
        return load_fail(error, BERTH_LOAD_MODEL, status);
    }
    if (!berth_block_take(port, need, &loaded->model_block)) {
        return load_no_memory(error, BERTH_LOAD_MODEL, need);
    }
    berth_work work = berth_work_of(loaded->model_block.memory, need);
    status = berth_model_init(file, &work, &loaded->model, &error->diag);
    return status == BERTH_OK ? status
                              : load_fail(error, BERTH_LOAD_MODEL, status);
}

static berth_status open_graph(berth_port *port, berth_loaded *loaded,
                               berth_load_error *error)
{
    size_t need = 0;
    berth_status status = berth_graph_bytes(loaded->model, &need, &error->diag);
    if (status != BERTH_OK) {
        return load_fail(error, BERTH_LOAD_GRAPH, status);
    }
    if (!berth_block_take(port, need, &loaded->graph_block)) {
        return load_no_memory(error, BERTH_LOAD_GRAPH, need);
    }
    berth_work work = berth_work_of(loaded->graph_block.memory, need);
    status =
        berth_graph_init(loaded->model, &work, &loaded->graph, &error->diag);
    return status == BERTH_OK ? status
                              : load_fail(error, BERTH_LOAD_GRAPH, status);
}

static berth_status open_all(berth_port *port, berth_loaded *loaded,
                             berth_load_error *error)
{
    const uint64_t began = berth_port_now_ns();
    BERTH_TRY(open_model(port, loaded, error));
    const uint64_t verified = berth_port_now_ns();
    BERTH_TRY(open_graph(port, loaded, error));
    loaded->verify_ns = verified - began;
    loaded->graph_ns = berth_port_now_ns() - verified;
    return BERTH_OK;
}

berth_status berth_load_opened(berth_port *port, berth_file *file,
                               berth_loaded *loaded, berth_load_error *error)
{
    *loaded = (berth_loaded){.port = port, .file = *file};
    *file = (berth_file){0};
    *error = (berth_load_error){.diag = berth_diag_none()};
    const berth_status status = open_all(port, loaded, error);
    if (status != BERTH_OK) {
        berth_unload(loaded);
    }
    return status;
}

berth_status berth_load(berth_port *port, const char *path,
                        berth_loaded *loaded, berth_load_error *error)
{
    berth_file file;
    *loaded = (berth_loaded){0};
    *error = (berth_load_error){.diag = berth_diag_none()};
    BERTH_TRY(open_file(port, path, &file, error));
    return berth_load_opened(port, &file, loaded, error);
}

void berth_unload(berth_loaded *loaded)
{
    if (loaded->port == NULL) {
        return;
    }
    berth_block_give(loaded->port, &loaded->graph_block);
    berth_block_give(loaded->port, &loaded->model_block);
    berth_file_close(loaded->port, &loaded->file);
    *loaded = (berth_loaded){0};
}

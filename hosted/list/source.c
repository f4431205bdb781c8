/* A path in, a list out, whatever kind of file it is. */
#include "list_int.h"

#include "report/report_int.h"

#include <errno.h>
#include <string.h>

const char *berth_sharing_name(berth_sharing sharing)
{
    static const char *const names[] = {
#define SHARING_NAME(name, text, help) text,
        BERTH_SHARING_TABLE(SHARING_NAME)
#undef SHARING_NAME
    };
    return names[sharing];
}

static berth_status open_model(berth_source *source, berth_file *file,
                               const berth_source_options *options,
                               berth_list_error *error)
{
    berth_stage_options stage = options->stage;
    BERTH_TRY(
        berth_load_opened(source->port, file, &source->loaded, &error->load));
    berth_sha256(source->loaded.file.bytes, source->hash);
    BERTH_TRY(berth_load_choose(&source->loaded, options->signature,
                                &source->signature, &stage.subgraph,
                                &error->load));
    BERTH_TRY(
        berth_stage(&source->loaded, &stage, &source->staged, &error->load));
    return list_of_model(&source->staged, &source->list, error);
}

static berth_status open_any(berth_source *source, const char *path,
                             const berth_source_options *options,
                             berth_list_error *error)
{
    berth_file file;
    error->load.os_error = berth_file_open_whole(source->port, path, &file);
    if (error->load.os_error != 0) {
        error->load.stage = BERTH_LOAD_FILE;
        error->load.status = BERTH_UNSUPPORTED;
        error->load.kind =
            error->load.os_error == EISDIR && berth_file_is_saved_model(path)
                ? BERTH_FILE_SAVED_MODEL
                : error->load.kind;
        return error->load.status;
    }
    source->is_csv = berth_list_is_csv(path, file.bytes);
    if (!source->is_csv) {
        return open_model(source, &file, options, error);
    }
    berth_sha256(file.bytes, source->hash);
    return berth_list_of_csv(source->port, &file, &options->list, &source->list,
                             error);
}

berth_status berth_source_open(berth_port *port, const char *path,
                               const berth_source_options *options,
                               berth_source *source, berth_list_error *error)
{
    *source =
        (berth_source){.port = port, .label = path, .signature = BERTH_NONE};
    *error = (berth_list_error){.load = {.diag = berth_diag_none()}};
    const berth_status status = open_any(source, path, options, error);
    if (status != BERTH_OK) {
        berth_source_close(source);
    }
    return status;
}

void berth_source_close(berth_source *source)
{
    berth_list_close(&source->list);
    berth_unstage(&source->staged);
    berth_unload(&source->loaded);
    source->port = NULL;
}

static void name_scratch(const berth_source *source, uint32_t item, char *text,
                         size_t size)
{
    const berth_graph *graph = &source->loaded.graph;
    const uint32_t op = source->staged.lifetimes.op_of_item[item];
    char type[WORD_NAME];
    (void)word_name(type, report_op_type(graph, op), 40u);
    (void)snprintf(text, size, "scratch of operator %u %s",
                   report_local_op(graph, op), type);
}

void list_name_tensor(const berth_source *source, uint32_t tensor, char *text,
                      size_t size)
{
    const berth_graph *graph = &source->loaded.graph;
    char number[WORD_NUMBER];
    char name[WORD_NAME];
    (void)word_name(name, berth_graph_tensor_info(graph, tensor).name, 60u);
    (void)snprintf(text, size, "%s%s%s", word_tensor(number, graph, tensor),
                   name[0] == '\0' ? "" : " ", name);
}

void berth_source_name(const berth_source *source, uint32_t item, char *text,
                       size_t size)
{
    const berth_list_entry *entry = &source->list.entries[item];
    const uint32_t tensor = source->is_csv
                                ? BERTH_NONE
                                : source->staged.lifetimes.tensor_of_item[item];
    char id[WORD_NAME];
    if (tensor != BERTH_NONE) {
        list_name_tensor(source, tensor, text, size);
    } else if (!source->is_csv) {
        name_scratch(source, item, text, size);
    } else {
        (void)word_name(id, entry->id, 60u);
        (void)snprintf(text, size, "'%s' (line %u)", id, entry->line);
    }
}

berth_status berth_source_judge(const berth_source *source, berth_plan *plan,
                                uint32_t *judge, berth_list_error *error)
{
    error->load.stage = BERTH_LOAD_PLAN;
    *judge = 1;
    error->load.status = berth_judge(source->port, &source->list.problem, plan,
                                     &error->load.diag);
    if (error->load.status == BERTH_OK && !source->is_csv) {
        *judge = 2;
        error->load.status =
            berth_prove_staged(&source->staged, &source->staged.lifetimes,
                               plan->offset, &error->load.diag);
    }
    if (error->load.status == BERTH_NO_SPACE) {
        error->load.os_error = ENOMEM;
    }
    return error->load.status;
}

/* Opens and closes a map: is it a CSV or a model, and what is the memory. */
#include "map_int.h"

#include <errno.h>
#include <string.h>

berth_status map_fail(berth_map_error *error, berth_load_stage stage,
                      berth_status status, const char *what)
{
    error->load.stage = stage;
    error->load.status = status;
    if (what != NULL) {
        error->load.diag = berth_diag_none();
        error->load.diag.what = what;
    }
    return status;
}

void *map_take(berth_map *map, size_t count, size_t item_bytes,
               berth_map_error *error)
{
    size_t need = 0;
    berth_block *block = &map->blocks[map->block_count];
    if (map->block_count == BERTH_MAP_BLOCKS_MAX ||
        !berth_work_need(&need, count, item_bytes, 16u) ||
        !berth_block_take(map->port, need, block)) {
        (void)map_fail(error, BERTH_LOAD_PLAN, BERTH_NO_SPACE,
                       "the system has no memory for it");
        error->load.os_error = ENOMEM;
        return NULL;
    }
    ++map->block_count;
    memset(block->memory, 0, need);
    return block->memory;
}

berth_bytes map_cut(berth_bytes name, size_t most)
{
    if (name.size > most) {
        name.size = most;
        while (name.size > 0 && (name.data[name.size] & 0xC0u) == 0x80u) {
            --name.size;
        }
    }
    return name;
}

const berth_map_row *map_first_row(const berth_map *map)
{
    for (uint32_t i = 0; i < map->row_count; ++i) {
        if (map->rows[i].status == BERTH_OK) {
            return &map->rows[i];
        }
    }
    return NULL;
}

berth_status map_add_row(berth_map *map, const char *name, berth_map_row **row,
                         berth_map_error *error)
{
    if (map->row_count == BERTH_MAP_ROWS_MAX) {
        return map_fail(error, BERTH_LOAD_PLAN, BERTH_INTERNAL,
                        "more rows than a map has room for");
    }
    *row = &map->rows[map->row_count];
    **row = (berth_map_row){
        .name = name,
        .note = "",
        .peak_step = BERTH_NONE,
        .offset = map_take(map, map->entry_count, sizeof(uint64_t), error),
        .live = map_take(map, map->step_count, sizeof(uint64_t), error)};
    if ((*row)->offset == NULL || (*row)->live == NULL) {
        return error->load.status;
    }
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        (*row)->offset[i] = BERTH_NOWHERE;
    }
    ++map->row_count;
    return BERTH_OK;
}

/* --- which kind of file ------------------------------------------------------
 */

static const char *last_part_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* Opens what is a CSV; standard input is taken for a model. */
static berth_status try_csv(berth_map *map, const char *path,
                            const berth_map_options *options,
                            berth_map_error *error)
{
    berth_file file;
    if (strcmp(path, "-") == 0) {
        return BERTH_OK;
    }
    const int failed = berth_file_open(map->port, path, &file);
    if (failed == EISDIR) {
        return BERTH_OK; /* what kind of folder, the loader tells */
    }
    if (failed != 0) {
        error->load.os_error = failed;
        return map_fail(error, BERTH_LOAD_FILE, BERTH_UNSUPPORTED, NULL);
    }
    map->is_csv = berth_list_is_csv(path, file.bytes);
    if (map->is_csv) {
        return map_read_csv(map, &file, options, error);
    }
    berth_file_close(map->port, &file);
    return BERTH_OK;
}

static berth_status check_totals(const berth_map *map, berth_map_error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        if (!berth_add_u64(total, map->entries[i].bytes, &total) ||
            total > BERTH_MAP_BYTES_MAX) {
            return map_fail(error, BERTH_LOAD_PLAN, BERTH_UNSUPPORTED,
                            MAP_TOO_MANY_BYTES);
        }
    }
    if (map->times != NULL && map->entry_count > 0 &&
        map->times[map->step_count] > BERTH_MAP_BYTES_MAX) {
        return map_fail(error, BERTH_LOAD_PLAN, BERTH_UNSUPPORTED,
                        "later moments than a page can show exactly (2^53)");
    }
    if (map->entry_count > BERTH_MAP_ENTRIES_MAX ||
        map->step_count > BERTH_MAP_STEPS_MAX) {
        return map_fail(error, BERTH_LOAD_PLAN, BERTH_UNSUPPORTED,
                        "more than a page can show (2^20 tensors, 2^20 steps)");
    }
    return BERTH_OK;
}

static berth_status fill_map(berth_map *map, const char *path,
                             const berth_map_options *options,
                             berth_map_error *error)
{
    berth_status status = try_csv(map, path, options, error);
    if (status == BERTH_OK && !map->is_csv) {
        status = map_read_model(map, path, options, error);
    }
    if (status == BERTH_OK) {
        status = check_totals(map, error);
    }
    if (status == BERTH_OK) {
        status = map_solve_own(map, options->strategy, error);
    }
    return status == BERTH_OK ? map_solve_peers(map, error) : status;
}

/* The row that was asked for goes first. */
static void put_first(berth_map *map, const char *name)
{
    for (uint32_t i = 1; i < map->row_count; ++i) {
        if (strcmp(map->rows[i].name, name) == 0) {
            const berth_map_row row = map->rows[i];
            memmove(&map->rows[1], &map->rows[0], i * sizeof(row));
            map->rows[0] = row;
        }
    }
}

berth_status berth_map_open(berth_port *port, const char *path,
                            const berth_map_options *options, berth_map *map,
                            berth_map_error *error)
{
    *map = (berth_map){.port = port,
                       .title = strcmp(path, "-") == 0 ? "standard input"
                                                       : last_part_of(path)};
    *error = (berth_map_error){.load = {.diag = berth_diag_none()}};
    const berth_status status = fill_map(map, path, options, error);
    if (status != BERTH_OK) {
        berth_map_close(map);
        return status;
    }
    if (options->strategy != BERTH_STRATEGY_BEST) {
        put_first(map, berth_strategy_name(options->strategy));
    }
    return BERTH_OK;
}

void berth_map_close(berth_map *map)
{
    if (map->port == NULL) {
        return;
    }
    for (uint32_t i = map->block_count; i > 0; --i) {
        berth_block_give(map->port, &map->blocks[i - 1u]);
    }
    berth_unstage(&map->staged);
    berth_unload(&map->loaded);
    berth_list_close(&map->list);
    *map = (berth_map){0};
}

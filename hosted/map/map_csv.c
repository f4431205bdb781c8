/* A list of buffers on the map. */
#include "map_int.h"

static void add_entries(berth_map *map)
{
    const berth_problem *problem = &map->list.problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        const berth_list_entry *entry = &map->list.entries[i];
        map->entries[i] = (berth_map_entry){
            .name = entry->name.size > 0 ? entry->name : entry->id,
            .bytes = item->size,
            .class_text = "buffer",
            .tensor = BERTH_NONE,
            .step = BERTH_NONE,
            .first_span = item->first_span,
            .span_count = item->span_count};
    }
}

/* The offsets that the file brings for all, as they are: the judge has a word
 * on them, but a wrong plan is what one wants to see. */
static berth_status add_given(berth_map *map, berth_map_error *error)
{
    const uint64_t *offset = map->list.offset;
    berth_map_row *row = NULL;
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        if (offset == NULL || offset[i] == BERTH_NOWHERE) {
            return BERTH_OK;
        }
        if (offset[i] > BERTH_MAP_BYTES_MAX) {
            return map_fail(error, BERTH_LOAD_PLAN, BERTH_UNSUPPORTED,
                            MAP_TOO_MANY_BYTES);
        }
    }
    if (offset == NULL) {
        return BERTH_OK;
    }
    BERTH_TRY(map_add_row(map, "given", &row, error));
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        row->offset[i] = offset[i];
    }
    return BERTH_OK;
}

berth_status map_read_csv(berth_map *map, berth_file *file,
                          const berth_map_options *options,
                          berth_map_error *error)
{
    const berth_list_options list_options = {.align = options->stage.align};
    BERTH_TRY(
        berth_list_of_csv(map->port, file, &list_options, &map->list, error));
    const berth_problem *problem = &map->list.problem;
    map->problem = map->list.timed; /* as berth plan solves it */
    map->spans = problem->spans;
    map->span_count = problem->span_count;
    map->step_count = problem->step_count;
    map->times = map->list.times;
    map->entry_count = problem->item_count;
    map->entries =
        map_take(map, problem->item_count, sizeof(*map->entries), error);
    if (map->entries == NULL) {
        return error->load.status;
    }
    add_entries(map);
    return add_given(map, error);
}

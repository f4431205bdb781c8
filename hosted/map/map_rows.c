/* Solves the problem of a map by several strategies. Every plan goes to the
 * judges: one of ours that fails is a bug of berth, and nothing is drawn. */
#include "map_int.h"

#include "berth/hosted/solve.h"
#include "berth/ledger.h"

static berth_status no_memory_to_plan(berth_map_error *error)
{
    return map_fail(error, BERTH_LOAD_PLAN, BERTH_NO_SPACE,
                    "the system has no memory for the planner");
}

/* The second judge; of a CSV there is no schedule to run. */
static berth_status prove_row(berth_map *map, const berth_map_row *row,
                              berth_map_error *error)
{
    if (map->is_csv) {
        return BERTH_OK;
    }
    error->load.stage = BERTH_LOAD_PLAN;
    error->load.status = berth_prove_staged(
        &map->staged, &map->staged.lifetimes, row->offset, &error->load.diag);
    return error->load.status == BERTH_NO_SPACE ? no_memory_to_plan(error)
                                                : error->load.status;
}

static berth_status solve_row(berth_map *map, berth_strategy strategy,
                              berth_map_error *error)
{
    berth_map_row *row = NULL;
    berth_diag diag = berth_diag_none();
    berth_status status =
        map_add_row(map, berth_strategy_name(strategy), &row, error);
    if (status != BERTH_OK) {
        return status;
    }
    const berth_plan_options options = {.strategy = strategy};
    berth_plan plan = {.offset = row->offset};
    row->status = berth_solve(map->port, &map->problem, &options, &plan, &diag);
    if (row->status == BERTH_NO_SPACE) {
        return no_memory_to_plan(error); /* no region has a limit here */
    }
    if (row->status != BERTH_OK) {
        row->note =
            diag.what[0] != '\0' ? diag.what : berth_status_text(row->status);
        return BERTH_OK; /* the row says why */
    }
    row->peak_bytes = plan.peak;
    row->bound_bytes = plan.bound;
    row->proven = plan.proof == BERTH_PROOF_PROVEN;
    row->sound = true;
    status = prove_row(map, row, error);
    return status == BERTH_OK ? map_measure(map, row, error) : status;
}

/* The first judge's word on offsets that a CSV brings. */
static berth_status judge_given(berth_map *map, berth_map_row *row,
                                berth_map_error *error)
{
    berth_plan plan = {.offset = row->offset};
    berth_diag diag = berth_diag_none();
    const berth_status status =
        berth_judge(map->port, &map->problem, &plan, &diag);
    if (status == BERTH_NO_SPACE) {
        return no_memory_to_plan(error);
    }
    if (status != BERTH_OK && status != BERTH_UNSOUND) {
        return map_fail(error, BERTH_LOAD_PLAN, status, diag.what);
    }
    row->peak_bytes = plan.peak;
    row->bound_bytes = plan.bound;
    row->sound = status == BERTH_OK;
    row->proven = row->sound && plan.proof == BERTH_PROOF_PROVEN;
    row->note = row->sound ? "the offsets of the file" : diag.what;
    return map_measure(map, row, error);
}

berth_status map_solve_own(berth_map *map, berth_strategy first,
                           berth_map_error *error)
{
    static const berth_strategy shown[] = {
        BERTH_STRATEGY_BEST, BERTH_STRATEGY_SIZE_BEST, BERTH_STRATEGY_ONLINE,
        BERTH_STRATEGY_NONE, BERTH_STRATEGY_TFLITE,    BERTH_STRATEGY_TFLM};
    const size_t count = sizeof(shown) / sizeof(shown[0]);
    bool is_shown = false;
    berth_status status = BERTH_OK;
    if (map->row_count > 0) {
        status = judge_given(map, &map->rows[0], error);
    }
    for (size_t i = 0; status == BERTH_OK && i < count - (map->is_csv ? 0 : 2u);
         ++i) {
        status = solve_row(map, shown[i], error);
    }
    for (size_t i = 0; i < count; ++i) {
        is_shown = is_shown || shown[i] == first;
    }
    return status != BERTH_OK || is_shown ? status
                                          : solve_row(map, first, error);
}

/* --- what a row does with its bytes ------------------------------------------
 */

/* The entries that a row places, as items of a problem; the rest take none. */
static uint64_t list_placed(const berth_map *map, const berth_map_row *row,
                            berth_item *items, uint64_t *offset)
{
    uint64_t peak = 0;
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        const berth_map_entry *entry = &map->entries[i];
        const bool placed = row->offset[i] != BERTH_NOWHERE;
        items[i] = (berth_item){.size = placed ? entry->bytes : 0,
                                .fixed = BERTH_NOWHERE,
                                .align = 1,
                                .first_span = entry->first_span,
                                .span_count = entry->span_count,
                                .regions = 1};
        offset[i] = placed ? row->offset[i] : 0;
        if (offset[i] + items[i].size > peak) {
            peak = offset[i] + items[i].size;
        }
    }
    return peak;
}

berth_status map_measure(berth_map *map, berth_map_row *row,
                         berth_map_error *error)
{
    berth_problem problem = {.spans = map->spans,
                             .item_count = map->entry_count,
                             .span_count = map->span_count,
                             .step_count = map->step_count};
    berth_usage usage;
    size_t need = 0;
    berth_block block;
    berth_status status = berth_usage_bytes(&problem, &need, &error->load.diag);
    if (status != BERTH_OK) {
        return map_fail(error, BERTH_LOAD_PLAN, status, NULL);
    }
    if (!BERTH_NEED(&need, berth_item, map->entry_count) ||
        !BERTH_NEED(&need, uint64_t, map->entry_count) ||
        !berth_block_take(map->port, need, &block)) {
        return no_memory_to_plan(error);
    }
    berth_work work = berth_work_of(block.memory, block.bytes);
    berth_item *items = BERTH_TAKE(&work, berth_item, map->entry_count);
    uint64_t *offset = BERTH_TAKE(&work, uint64_t, map->entry_count);
    const berth_plan plan = {.offset = offset,
                             .peak = list_placed(map, row, items, offset)};
    problem.items = items;
    row->top_bytes = plan.peak;
    status = berth_usage_make(&problem, &plan, work, row->live, &usage,
                              &error->load.diag);
    row->peak_step = status == BERTH_OK && map->step_count > 0 ? usage.peak_step
                                                               : BERTH_NONE;
    berth_block_give(map->port, &block);
    return status == BERTH_OK ? status
                              : map_fail(error, BERTH_LOAD_PLAN, status, NULL);
}

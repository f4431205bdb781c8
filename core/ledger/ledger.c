/* The bill: what the caller lends, beside the account of the file. */
#include "ledger_int.h"

berth_status berth_ledger_bytes(const berth_graph *graph,
                                const berth_lifetimes *lifetimes, size_t *bytes,
                                berth_diag *diag)
{
    const uint32_t buffers = berth_model_buffer_count(graph->model);
    const uint32_t items = lifetimes->problem.item_count;
    size_t need = 0;
    size_t usage_need = 0;
    BERTH_TRY(berth_usage_bytes(&lifetimes->problem, &usage_need, diag));
    /* One list of extents after the other, then the usage. */
    if (!BERTH_NEED(&need, ledger_extent, buffers > items ? buffers : items)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "account beyond size_t");
    }
    *bytes = need > usage_need ? need : usage_need;
    return BERTH_OK;
}

/* Inputs and outputs, each whole. An output may stand on the bytes of an
 * input, so the sum may pass the arena, of which it is a part. */
static uint64_t weigh_io(const berth_problem *problem, uint64_t arena_bytes)
{
    const uint32_t io = BERTH_ITEM_INPUT | BERTH_ITEM_OUTPUT;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        if ((problem->items[i].flags & io) != 0 &&
            !berth_add_u64(bytes, problem->items[i].size, &bytes)) {
            return arena_bytes;
        }
    }
    return bytes < arena_bytes ? bytes : arena_bytes;
}

static bool lives_at(const berth_problem *problem, const berth_item *item,
                     uint32_t step)
{
    const berth_span *span = &problem->spans[item->first_span];
    for (uint32_t k = 0; k < item->span_count; ++k) {
        if (span[k].born <= step && step < span[k].dead) {
            return true;
        }
    }
    return false;
}

static uint64_t weigh_scratch(const berth_problem *problem, uint32_t step)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if ((item->flags & BERTH_ITEM_SCRATCH) != 0 &&
            lives_at(problem, item, step)) {
            bytes += item->size; /* live at one time: within the arena */
        }
    }
    return bytes;
}

bool berth_ledger_cut(berth_ledger *ledger)
{
    const uint64_t blocks[] = {ledger->arena_bytes, ledger->state_bytes,
                               ledger->books_bytes};
    uint64_t end = 0;
    uint64_t padding = 0;
    for (uint32_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i) {
        uint64_t from = 0;
        if (blocks[i] == 0) {
            continue; /* an empty block needs no place */
        }
        if (!berth_round_up_u64(end, LEDGER_ALIGN, &from)) {
            return false;
        }
        padding += from - end;
        if (!berth_add_u64(from, blocks[i], &end)) {
            return false;
        }
    }
    ledger->padding_bytes = padding;
    ledger->total_bytes = end;
    return true;
}

berth_status berth_ledger_make(const berth_graph *graph,
                               const berth_schedule *schedule,
                               const berth_lifetimes *lifetimes,
                               const berth_plan *plan, berth_work work,
                               berth_ledger *ledger, berth_diag *diag)
{
    const berth_problem *problem = &lifetimes->problem;
    const uint32_t buffers = berth_model_buffer_count(graph->model);
    const uint32_t items = problem->item_count;
    size_t need = 0;
    BERTH_TRY(berth_ledger_bytes(graph, lifetimes, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));

    berth_usage usage;
    BERTH_TRY(berth_usage_make(problem, plan, work, NULL, &usage, diag));
    ledger_extent *extents =
        BERTH_TAKE(&work, ledger_extent, buffers > items ? buffers : items);
    if (extents == NULL) {
        return berth_refuse(diag, BERTH_INTERNAL, "ledger counted too little");
    }
    berth_ledger made = {.arena_bytes = plan->peak,
                         .state_bytes = lifetimes->state_bytes};
    ledger_weigh_file(graph, schedule, extents, &made);
    made.of_which_io_bytes = weigh_io(problem, plan->peak);
    made.of_which_scratch_bytes = usage.peak_step == BERTH_NONE
                                      ? 0
                                      : weigh_scratch(problem, usage.peak_step);
    if (!berth_ledger_cut(&made)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "a total beyond 64 bits");
    }
    *ledger = made;
    return BERTH_OK;
}

/* peer_arena.c: from the items of one arena to addresses. */
#include "peer/peer_int.h"

/* What the planner takes for an item of one span where nothing is linked or
 * tied, and beside the items. A test holds this to berth_plan_bytes(). */
#define ARENA_ITEM_BYTES  92u
#define ARENA_OTHER_BYTES 4096u

bool peer_arena_need(size_t *total, uint32_t items)
{
    return berth_work_need(total, ARENA_OTHER_BYTES, 1, 16) &&
           berth_work_need(total, items, ARENA_ITEM_BYTES, 16);
}

void peer_arena_add(peer_state *peer, uint32_t tensor, uint64_t size,
                    uint32_t align, peer_life life)
{
    const uint32_t i = peer->item_count++;
    peer->spans[i] = (berth_span){life.born, life.dead};
    peer->items[i] = (berth_item){.size = size,
                                  .fixed = peer->fixed[tensor],
                                  .align = align,
                                  .first_span = i,
                                  .span_count = 1,
                                  .regions = 1};
    peer->tensor_of[i] = tensor;
}

void peer_arena_add_scratch(peer_state *peer, uint64_t size, peer_life life)
{
    const uint32_t i = peer->item_count++;
    peer->spans[i] = (berth_span){life.born, life.dead};
    peer->items[i] = (berth_item){.size = size,
                                  .fixed = BERTH_NOWHERE,
                                  .align = PEER_LITERT_ALIGN,
                                  .first_span = i,
                                  .span_count = 1,
                                  .regions = 1,
                                  .flags = BERTH_ITEM_SCRATCH};
    peer->tensor_of[i] = BERTH_NONE;
}

static bool has_fixed(const peer_state *peer)
{
    for (uint32_t i = 0; i < peer->item_count; ++i) {
        if (peer->items[i].fixed != BERTH_NOWHERE) {
            return true;
        }
    }
    return false;
}

/* Offsets that come with the model may overlap by design, and the runtime does
 * not look at them; what they break, the second judge finds. */
static berth_status solve_unjudged(const berth_problem *problem,
                                   const berth_plan_options *options,
                                   berth_work work, berth_plan *plan,
                                   berth_diag *diag)
{
    berth_solver *solver = NULL;
    bool done = false;
    BERTH_TRY(berth_solver_begin(problem, options, &work, &solver, diag));
    while (!done) {
        BERTH_TRY(berth_solver_more(solver, 0, plan, &done, diag));
    }
    /* The bound of blocks that may not overlap does not hold here; what the
     * model demands does. */
    plan->bound = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if (item->fixed != BERTH_NOWHERE &&
            item->fixed + item->size > plan->bound) {
            plan->bound = item->fixed + item->size;
        }
    }
    return BERTH_OK;
}

berth_status peer_arena_close(peer_state *peer, berth_strategy strategy,
                              uint32_t step_count, uint32_t align)
{
    const berth_problem problem = {.items = peer->items,
                                   .spans = peer->spans,
                                   .item_count = peer->item_count,
                                   .span_count = peer->item_count,
                                   .step_count = step_count};
    const berth_plan_options options = {.strategy = strategy};
    berth_plan plan = {.offset = peer->offset};
    if (has_fixed(peer)) {
        BERTH_TRY(
            solve_unjudged(&problem, &options, peer->work, &plan, peer->diag));
    } else {
        BERTH_TRY(berth_plan_solve(&problem, &options, peer->work, &plan,
                                   peer->diag));
    }
    /* Peaks are summed as they are, but no two arenas share an address. */
    uint64_t base = 0;
    if (!berth_round_up_u64(peer->end, align, &base) ||
        !berth_add_u64(base, plan.peak, &peer->end)) {
        return berth_refuse(peer->diag, BERTH_TOO_LARGE,
                            "the arenas together pass 64 bits");
    }
    for (uint32_t i = 0; i < peer->item_count; ++i) {
        if (peer->tensor_of[i] != BERTH_NONE) {
            peer->address[peer->tensor_of[i]] = base + peer->offset[i];
        }
    }
    peer->peak += plan.peak;
    peer->bound += plan.bound;
    peer->arenas += peer->item_count > 0 ? 1 : 0;
    peer->item_count = 0;
    return BERTH_OK;
}

/* Searches in slices, and asks the judges. */
#include "berth/hosted/solve.h"

#include "berth/prove.h"

#define SLICE_NODES_FIRST 64u
#define SLICE_NS_LEAST    UINT64_C(20000000) /* shorter ones are too many */
#define SLICE_NS_MOST     UINT64_C(80000000) /* longer ones keep people waiting */

static berth_status no_memory(berth_diag *diag, size_t bytes)
{
    *diag = berth_diag_none();
    diag->what = "the system has no memory for the planner";
    diag->needed_bytes = bytes;
    return BERTH_NO_SPACE;
}

/* What solving takes, and afterwards judging, at the same place. */
static berth_status solve_need(const berth_problem *problem,
                               const berth_plan_options *options, size_t *need,
                               berth_diag *diag)
{
    size_t judge = 0;
    BERTH_TRY(berth_plan_bytes(problem, options, need, diag));
    BERTH_TRY(berth_plan_check_bytes(problem, &judge));
    *need = *need > judge ? *need : judge;
    return BERTH_OK;
}

/* --- slices -----------------------------------------------------------------
 */

/* As many nodes as fit the time that a slice may take. */
static uint64_t next_slice(uint64_t nodes, uint64_t took_ns)
{
    if (took_ns > SLICE_NS_MOST) {
        return nodes > 1u ? nodes / 2u : 1u;
    }
    return took_ns < SLICE_NS_LEAST && nodes < UINT64_C(1) << 32 ? nodes * 2u
                                                                 : nodes;
}

static berth_status run_slices(const berth_port *port, berth_solver *solver,
                               berth_plan *plan, berth_diag *diag)
{
    berth_progress progress = {.peak_bytes = BERTH_NOWHERE};
    uint64_t nodes = SLICE_NODES_FIRST;
    bool done = false;
    bool goes_on = port->go_on(port->watcher, &progress);
    do { /* once in any case: the first slice makes the first plan */
        const uint64_t began = berth_port_now_ns();
        BERTH_TRY(berth_solver_more(solver, nodes, plan, &done, diag));
        nodes = next_slice(nodes, berth_port_now_ns() - began);
        progress = (berth_progress){.slice = progress.slice + 1u,
                                    .peak_bytes = plan->peak,
                                    .bound_bytes = plan->bound,
                                    .nodes = plan->nodes};
        goes_on = goes_on && !done && port->go_on(port->watcher, &progress);
    } while (goes_on);
    return BERTH_OK;
}

/* Once the search is over its memory is the judge's. */
static berth_status solve_watched(const berth_port *port,
                                  const berth_problem *problem,
                                  const berth_plan_options *options,
                                  berth_work work, berth_plan *plan,
                                  berth_diag *diag)
{
    berth_work rest = work;
    berth_solver *solver = NULL;
    BERTH_TRY(berth_solver_begin(problem, options, &rest, &solver, diag));
    BERTH_TRY(run_slices(port, solver, plan, diag));
    return berth_plan_check(problem, plan, work, diag);
}

static berth_status solve_in_block(berth_port *port,
                                   const berth_problem *problem,
                                   const berth_plan_options *options,
                                   berth_plan *plan, berth_diag *diag)
{
    size_t need = 0;
    berth_block block;
    berth_plan_options asked = *options;
    const bool watched = port->go_on != NULL;
    asked.effort =
        watched && port->endless ? BERTH_EFFORT_ENDLESS : options->effort;
    BERTH_TRY(solve_need(problem, &asked, &need, diag));
    if (!berth_block_take(port, need, &block)) {
        return no_memory(diag, need);
    }
    const berth_work work = berth_work_of(block.memory, block.bytes);
    const berth_status status =
        watched ? solve_watched(port, problem, &asked, work, plan, diag)
                : berth_plan_solve(problem, &asked, work, plan, diag);
    berth_block_give(port, &block);
    return status;
}

static bool may_search(const berth_port *port,
                       const berth_plan_options *options)
{
    return options->strategy == BERTH_STRATEGY_BEST &&
           options->effort != BERTH_EFFORT_ROWS && port->go_on == NULL;
}

static bool is_answered(const berth_plan *plan,
                        const berth_plan_options *options)
{
    return plan->proof == BERTH_PROOF_PROVEN ||
           (options->capacity != 0 &&
            berth_plan_fit(plan, options->capacity) != BERTH_FIT_UNKNOWN);
}

/* Most problems end with their orders: the search's memory, which is more than
 * all else, is asked for only when they have not. Orders are cheap enough to be
 * run again then. */
berth_status berth_solve(berth_port *port, const berth_problem *problem,
                         const berth_plan_options *options, berth_plan *plan,
                         berth_diag *diag)
{
    berth_plan_options rows = *options;
    rows.effort = BERTH_EFFORT_ROWS;
    if (may_search(port, options)) {
        const berth_status status =
            solve_in_block(port, problem, &rows, plan, diag);
        /* None within the capacity is no answer yet; no memory is. */
        const bool misses =
            status == BERTH_NO_SPACE && diag->limit_bytes != BERTH_NOWHERE;
        if (!misses && (status != BERTH_OK || is_answered(plan, options))) {
            return status;
        }
    }
    return solve_in_block(port, problem, options, plan, diag);
}

/* --- judges -----------------------------------------------------------------
 */

/* The highest end; false: one passes 2^64. */
static bool highest_end(const berth_problem *problem, berth_plan *plan)
{
    plan->peak = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        uint64_t end = 0;
        if (!berth_add_u64(plan->offset[i], problem->items[i].size, &end)) {
            return false;
        }
        if (problem->items[i].size > 0 && end > plan->peak) {
            plan->peak = end;
        }
    }
    return true;
}

berth_status berth_judge(berth_port *port, const berth_problem *problem,
                         berth_plan *plan, berth_diag *diag)
{
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_NONE};
    size_t need = 0;
    uint32_t step = 0;
    berth_block block;
    BERTH_TRY(solve_need(problem, &options, &need, diag));
    if (!berth_block_take(port, need, &block)) {
        return no_memory(diag, need);
    }
    const berth_work work = berth_work_of(block.memory, block.bytes);
    berth_status status =
        berth_plan_bound(problem, work, &plan->bound, &step, diag);
    if (status == BERTH_OK) {
        /* An end beyond 2^64 is for the judge to tell. */
        plan->proof = highest_end(problem, plan) && plan->peak == plan->bound
                          ? BERTH_PROOF_PROVEN
                          : BERTH_PROOF_OPEN;
        status = berth_plan_check(problem, plan, work, diag);
    }
    berth_block_give(port, &block);
    return status;
}

berth_status berth_prove_staged(const berth_staged *staged,
                                const berth_lifetimes *lifetimes,
                                const uint64_t *offset, berth_diag *diag)
{
    berth_port *port = staged->loaded->port;
    const berth_graph *graph = &staged->loaded->graph;
    size_t need = 0;
    berth_block block;
    BERTH_TRY(berth_prove_bytes(graph, &staged->schedule, &need, diag));
    if (!BERTH_NEED(&need, uint64_t, graph->tensor_count) ||
        !berth_block_take(port, need, &block)) {
        return no_memory(diag, need);
    }
    berth_work work = berth_work_of(block.memory, block.bytes);
    uint64_t *address = BERTH_TAKE(&work, uint64_t, graph->tensor_count);
    for (uint32_t i = 0; i < graph->tensor_count; ++i) {
        const uint32_t item = lifetimes->item_of_tensor[i];
        address[i] = item == BERTH_NONE ? BERTH_NOWHERE : offset[item];
    }
    const berth_status status = berth_prove(
        graph, &staged->shapes, &staged->schedule, address, work, diag);
    berth_block_give(port, &block);
    return status;
}

berth_status berth_need_staged(const berth_staged *staged,
                               const berth_lifetimes *lifetimes,
                               const berth_plan *plan, berth_engine_need *need,
                               berth_diag *diag)
{
    const berth_engine_source source = {
        .graph = &staged->loaded->graph,
        .shapes = &staged->shapes,
        .schedule = &staged->schedule,
        .lifetimes = lifetimes,
        .plan = plan,
    };
    return berth_engine_bytes(&source, need, diag);
}

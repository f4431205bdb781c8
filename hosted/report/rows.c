/* The table of strategies, and the plan that the ledger stands on.
 *
 * A row shows the activations only, so its problem leaves kernel scratch out;
 * the ledger's plan has it in. Where there is no scratch the two problems are
 * one. Every plan of ours goes to both judges. */
#include "report_int.h"

#include "berth/prove.h"

berth_status report_solve(berth_port *port, const berth_problem *problem,
                          berth_strategy strategy, berth_plan *plan,
                          berth_diag *diag)
{
    const berth_plan_options options = {.strategy = strategy};
    size_t need = 0;
    berth_block block;
    berth_status status = berth_plan_bytes(problem, &options, &need, diag);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth_block_take(port, need, &block)) {
        *diag = berth_diag_none();
        diag->what = "the system has no memory for the planner";
        diag->needed_bytes = need;
        return BERTH_TOO_LARGE;
    }
    status =
        berth_plan_solve(problem, &options,
                         berth_work_of(block.memory, block.bytes), plan, diag);
    berth_block_give(port, &block);
    return status;
}

/* The second judge, on where a plan of `lifetimes` puts every tensor. */
static berth_status prove_plan(const berth_report *report,
                               const berth_lifetimes *lifetimes,
                               const berth_plan *plan, uint64_t *address,
                               berth_diag *diag)
{
    const berth_graph *graph = &report->loaded.graph;
    const berth_schedule *schedule = &report->staged.schedule;
    for (uint32_t i = 0; i < graph->tensor_count; ++i) {
        const uint32_t item = lifetimes->item_of_tensor[i];
        address[i] = item == BERTH_NONE ? BERTH_NOWHERE : plan->offset[item];
    }
    size_t need = 0;
    berth_block block;
    berth_status status = berth_prove_bytes(graph, schedule, &need, diag);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth_block_take(report->port, need, &block)) {
        return BERTH_TOO_LARGE;
    }
    status = berth_prove(graph, &report->staged.shapes, schedule, address,
                         berth_work_of(block.memory, block.bytes), diag);
    berth_block_give(report->port, &block);
    return status;
}

/* What all own rows share: a problem, and memory for a plan of it. */
typedef struct row_bench {
    const berth_lifetimes *lifetimes;
    uint64_t *offset;
    uint64_t *address;
} row_bench;

static void solve_own_row(berth_report *report, const row_bench *bench,
                          berth_strategy strategy)
{
    berth_report_row *row = &report->rows[strategy];
    berth_plan plan = {.offset = bench->offset};
    row->strategy = strategy;
    row->diag = berth_diag_none();
    row->status = report_solve(report->port, &bench->lifetimes->problem,
                               strategy, &plan, &row->diag);
    if (row->status != BERTH_OK) {
        return;
    }
    row->winner = plan.strategy;
    row->peak_bytes = plan.peak;
    row->bound_bytes = plan.bound;
    row->proven = plan.proof == BERTH_PROOF_PROVEN;
    row->sound = prove_plan(report, bench->lifetimes, &plan, bench->address,
                            &row->diag) == BERTH_OK;
    if (bench->lifetimes->dynamic_count > 0) {
        row->status = BERTH_UNBOUNDED;
    }
}

static void solve_peer_row(berth_report *report, uint64_t *address,
                           berth_strategy strategy, berth_peer peer)
{
    const berth_graph *graph = &report->loaded.graph;
    const berth_shapes *shapes = &report->staged.shapes;
    berth_report_row *row = &report->rows[strategy];
    berth_peer_plan plan = {.address = address};
    berth_block block;
    size_t need = 0;
    row->strategy = strategy;
    row->winner = strategy;
    row->diag = berth_diag_none();
    row->status = berth_peer_bytes(graph, shapes, report->subgraph, peer, &need,
                                   &row->diag);
    if (row->status != BERTH_OK) {
        return;
    }
    if (!berth_block_take(report->port, need, &block)) {
        row->status = BERTH_TOO_LARGE;
        return;
    }
    row->status = berth_peer_solve(graph, shapes, report->subgraph, peer,
                                   berth_work_of(block.memory, block.bytes),
                                   &plan, &row->diag);
    berth_block_give(report->port, &block);
    if (row->status == BERTH_OK) {
        row->peak_bytes = plan.peak;
        row->bound_bytes = plan.bound;
        row->proven = plan.proof == BERTH_PROOF_PROVEN;
        row->sound = plan.sound;
        if (!plan.sound) {
            row->diag = plan.unsound;
        }
    }
}

static void solve_peers(berth_report *report, uint64_t *address)
{
    const uint64_t began = berth_port_now_ns();
    solve_peer_row(report, address, BERTH_STRATEGY_TFLITE, BERTH_PEER_LITERT);
    solve_peer_row(report, address, BERTH_STRATEGY_TFLM, BERTH_PEER_TFLM);
    report->peers_ns = berth_port_now_ns() - began;
}

/* Our own plans always pass; if one does not, berth is wrong, and says so
 * rather than print its number. */
static bool own_row_is_sound(berth_report *report, berth_strategy strategy)
{
    const berth_report_row *row = &report->rows[strategy];
    const bool solved =
        row->status == BERTH_OK || row->status == BERTH_UNBOUNDED;
    if (!solved || row->sound) {
        return true;
    }
    report->error.stage = BERTH_LOAD_PLAN;
    report->error.status = BERTH_UNSOUND;
    report->error.diag = row->diag;
    return false;
}

static bool solve_own_rows(berth_report *report, const row_bench *bench)
{
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        const berth_strategy strategy = (berth_strategy)i;
        if (strategy == BERTH_STRATEGY_TFLITE ||
            strategy == BERTH_STRATEGY_TFLM) {
            continue;
        }
        solve_own_row(report, bench, strategy);
        if (!own_row_is_sound(report, strategy)) {
            return false;
        }
    }
    return true;
}

bool report_solve_rows(berth_report *report)
{
    const berth_staged *staged = &report->staged;
    berth_lifetimes bare = staged->lifetimes;
    berth_block bare_block = {0};
    berth_block block = {0};
    if (bare.scratch_count > 0 || report_is_peer(report->options->strategy)) {
        berth_lifetime_options options = staged->lifetime_options;
        options.no_scratch = true;
        options.no_inplace = report->options->stage.no_inplace;
        options.no_views = report->options->stage.no_views;
        if (berth_stage_lifetimes(staged, &options, &bare_block, &bare,
                                  &report->error) != BERTH_OK) {
            return false;
        }
    }
    const uint32_t tensors = report->loaded.graph.tensor_count;
    size_t need = 0;
    bool good = true;
    if (!BERTH_NEED(&need, uint64_t, bare.problem.item_count) ||
        !BERTH_NEED(&need, uint64_t, tensors) ||
        !berth_block_take(report->port, need, &block)) {
        good = report_no_memory(report, need);
    } else {
        berth_work work = berth_work_of(block.memory, block.bytes);
        row_bench bench = {.lifetimes = &bare};
        bench.offset = BERTH_TAKE(&work, uint64_t, bare.problem.item_count);
        bench.address = BERTH_TAKE(&work, uint64_t, tensors);
        good = solve_own_rows(report, &bench);
        solve_peers(report, bench.address);
    }
    berth_block_give(report->port, &block);
    berth_block_give(report->port, &bare_block);
    return good;
}

bool report_solve_plan(berth_report *report)
{
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    report->plan.offset = report_take(report, lifetimes->problem.item_count,
                                      sizeof(*report->plan.offset));
    uint64_t *address = report_take(report, report->loaded.graph.tensor_count,
                                    sizeof(*address));
    if (report->plan.offset == NULL || address == NULL) {
        return false;
    }
    report->error.stage = BERTH_LOAD_PLAN;
    report->error.status = report_solve(report->port, &lifetimes->problem,
                                        report->options->strategy,
                                        &report->plan, &report->error.diag);
    if (report->error.status == BERTH_OK) {
        report->error.status = prove_plan(report, lifetimes, &report->plan,
                                          address, &report->error.diag);
    }
    return report->error.status == BERTH_OK;
}

/* The table of strategies, and the plan that the ledger stands on.
 *
 * A row shows the activations only, so its problem leaves kernel scratch out;
 * the ledger's plan has it in. Where there is no scratch the two problems are
 * one. Every plan of ours goes to both judges. */
#include "report_int.h"

#include "berth/hosted/solve.h"

berth_status report_solve(berth_port *port, const berth_problem *problem,
                          berth_strategy strategy, berth_plan *plan,
                          berth_diag *diag)
{
    const berth_plan_options options = {.strategy = strategy};
    return berth_solve(port, problem, &options, plan, diag);
}

/* Whether a plan of the ledger's problem is one of the rows' problem too. */
static bool is_bare(const berth_report *report)
{
    return report->staged.lifetimes.scratch_count == 0 &&
           !report_is_peer(report->options->strategy);
}

static void fill_own_row(berth_report_row *row,
                         const berth_lifetimes *lifetimes,
                         const berth_plan *plan, bool sound)
{
    row->winner = plan->strategy;
    row->peak_bytes = plan->peak;
    row->bound_bytes = plan->bound;
    row->proven = plan->proof == BERTH_PROOF_PROVEN;
    row->sound = sound;
    if (lifetimes->dynamic_count > 0) {
        row->status = BERTH_UNBOUNDED;
    }
}

/* Whether the ledger's plan is what this strategy makes of the rows' problem:
 * the very one, or that of the row with which `best` met the bound and stopped.
 * It has been judged. */
static bool is_made(const berth_report *report, berth_strategy strategy)
{
    return is_bare(report) && (strategy == report->options->strategy ||
                               (strategy == report->plan.strategy &&
                                report->plan.proof == BERTH_PROOF_PROVEN));
}

/* Our own plans always pass; if one does not, berth is wrong, and says so
 * rather than print its number. A strategy that cannot serve the problem is
 * no such case: the row says why. */
static bool solve_own_row(berth_report *report, const berth_lifetimes *bare,
                          berth_strategy strategy, uint64_t *offset)
{
    berth_report_row *row = &report->rows[strategy];
    berth_plan plan = {.offset = offset};
    *row = (berth_report_row){
        .wanted = true, .strategy = strategy, .diag = berth_diag_none()};
    if (is_made(report, strategy)) {
        fill_own_row(row, bare, &report->plan, true); /* solved and proved */
        return true;
    }
    row->status =
        report_solve(report->port, &bare->problem, strategy, &plan, &row->diag);
    if (row->status != BERTH_OK) {
        return true;
    }
    const berth_status proof =
        berth_prove_staged(&report->staged, bare, plan.offset, &row->diag);
    if (proof != BERTH_OK) {
        report->error.stage = BERTH_LOAD_PLAN;
        report->error.status = proof;
        report->error.diag = row->diag;
        return false;
    }
    fill_own_row(row, bare, &plan, true);
    return true;
}

/* What the peer's number leaves out, or believes wrongly. */
static void note_limits(berth_report_row *row, const berth_peer_plan *plan)
{
    if (plan->stopped_op != BERTH_NONE) {
        row->status = BERTH_UNBOUNDED;
        row->diag.what = "in part: the rest while it runs";
        row->diag.op = plan->stopped_op;
    } else if (plan->file_shapes && plan->sound) {
        row->diag.what = "trusts wrong shapes in the file";
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
    row->wanted = true;
    row->strategy = strategy;
    row->winner = strategy;
    row->diag = berth_diag_none();
    row->status = berth_peer_bytes(graph, shapes, report->subgraph, peer, &need,
                                   &row->diag);
    if (row->status != BERTH_OK) {
        return;
    }
    if (!berth_block_take(report->port, need, &block)) {
        row->status = BERTH_NO_SPACE;
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
        note_limits(row, &plan);
    }
}

bool report_solve_peers(berth_report *report)
{
    const uint64_t began = berth_port_now_ns();
    size_t need = 0;
    berth_block block = {0};
    if (!BERTH_NEED(&need, uint64_t, report->loaded.graph.tensor_count) ||
        !berth_block_take(report->port, need, &block)) {
        return report_no_memory(report, need);
    }
    solve_peer_row(report, block.memory, BERTH_STRATEGY_TFLITE,
                   BERTH_PEER_LITERT);
    solve_peer_row(report, block.memory, BERTH_STRATEGY_TFLM, BERTH_PEER_TFLM);
    berth_block_give(report->port, &block);
    report->peers_ns = berth_port_now_ns() - began;
    return true;
}

/* The rows of the page; the rest are solved if they are asked for. */
static bool is_wanted(const berth_report *report, berth_strategy strategy)
{
    static const berth_strategy page[] = {
        BERTH_STRATEGY_BEST, BERTH_STRATEGY_SIZE_BEST, BERTH_STRATEGY_ONLINE,
        BERTH_STRATEGY_NONE};
    bool wanted = report->options->all_strategies ||
                  strategy == report->options->strategy;
    for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); ++i) {
        wanted = wanted || strategy == page[i];
    }
    return wanted && !report_is_peer(strategy);
}

static bool solve_own_rows(berth_report *report, const berth_lifetimes *bare)
{
    berth_block block;
    const size_t bytes = bare->problem.item_count * sizeof(uint64_t);
    bool good = berth_block_take(report->port, bytes, &block);
    if (!good) {
        return report_no_memory(report, bytes);
    }
    for (uint32_t i = 0; good && i < BERTH_STRATEGY_COUNT; ++i) {
        if (is_wanted(report, (berth_strategy)i)) {
            good = solve_own_row(report, bare, (berth_strategy)i, block.memory);
        }
    }
    berth_block_give(report->port, &block);
    return good;
}

bool report_solve_rows(berth_report *report)
{
    const berth_staged *staged = &report->staged;
    berth_lifetimes bare = staged->lifetimes;
    berth_block block = {0};
    if (!is_bare(report)) {
        berth_lifetime_options options = staged->lifetime_options;
        options.no_scratch = true;
        options.no_inplace = report->options->stage.no_inplace;
        options.no_views = report->options->stage.no_views;
        if (berth_stage_lifetimes(staged, &options, &block, &bare,
                                  &report->error) != BERTH_OK) {
            return false;
        }
    }
    const bool good = solve_own_rows(report, &bare);
    berth_block_give(report->port, &block);
    return good;
}

bool report_solve_plan(berth_report *report)
{
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    berth_load_error *error = &report->error;
    report->plan.offset = report_take(report, lifetimes->problem.item_count,
                                      sizeof(*report->plan.offset));
    if (report->plan.offset == NULL) {
        return false;
    }
    error->stage = BERTH_LOAD_PLAN;
    error->status =
        report_solve(report->port, &lifetimes->problem,
                     report->options->strategy, &report->plan, &error->diag);
    if (error->status == BERTH_OK) {
        error->status = berth_prove_staged(&report->staged, lifetimes,
                                           report->plan.offset, &error->diag);
    }
    return error->status == BERTH_OK;
}

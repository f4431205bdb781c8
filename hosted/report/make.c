/* Fills a report, stage after stage, as far as the model allows. */
#include "report_int.h"

#include <errno.h>
#include <string.h>

void *report_take(berth_report *report, size_t count, size_t item_bytes)
{
    static const size_t block_max =
        sizeof(report->blocks) / sizeof(report->blocks[0]);
    size_t need = 0;
    berth_block *block = &report->blocks[report->block_count];
    if (report->block_count == block_max ||
        !berth_work_need(&need, count, item_bytes, 1u) ||
        !berth_block_take(report->port, need, block)) {
        (void)report_no_memory(report, need);
        return NULL;
    }
    ++report->block_count;
    if (need > 0) {
        memset(block->memory, 0, need);
    }
    return block->memory;
}

bool report_no_memory(berth_report *report, size_t bytes)
{
    report->error.stage = BERTH_LOAD_PLAN;
    report->error.status = BERTH_NO_SPACE;
    report->error.os_error = ENOMEM;
    report->error.diag = berth_diag_none();
    report->error.diag.what = "the system has no memory for it";
    report->error.diag.needed_bytes = bytes;
    return false;
}

/* What a failed stage means to the one who asked. */
berth_verdict berth_report_verdict(const berth_load_error *error)
{
    if (error->os_error != 0) {
        /* A folder that TensorFlow wrote is a model of another kind. */
        return error->kind == BERTH_FILE_SAVED_MODEL ? BERTH_VERDICT_DAMAGED
                                                     : BERTH_VERDICT_SYSTEM;
    }
    switch (error->status) {
    case BERTH_BAD_MODEL:
        return BERTH_VERDICT_DAMAGED;
    case BERTH_BAD_ARG:
        return BERTH_VERDICT_USAGE;
    case BERTH_UNSUPPORTED:
        return error->stage == BERTH_LOAD_MODEL &&
                       error->kind != BERTH_FILE_TFLITE
                   ? BERTH_VERDICT_DAMAGED
                   : BERTH_VERDICT_NO_NUMBER;
    case BERTH_NO_SPACE: /* our own counting went wrong */
    case BERTH_MISALIGNED:
    case BERTH_INTERNAL:
    case BERTH_UNSOUND:
        return BERTH_VERDICT_SYSTEM;
    default:
        return BERTH_VERDICT_NO_NUMBER;
    }
}

/* The subgraph to run: of the signature that was asked for, else as told. */
static bool choose_subgraph(berth_report *report, berth_stage_options *stage)
{
    const berth_report_options *options = report->options;
    const berth_model *model = report->loaded.model;
    report->signature = BERTH_NONE;
    if (options->signature.size > 0) {
        report->signature =
            berth_load_find_signature(&report->loaded, options->signature);
        if (report->signature == BERTH_NONE) {
            report->error.stage = BERTH_LOAD_NAMES;
            report->error.status = BERTH_BAD_ARG;
            report->error.diag.what = "no such signature";
            report->error.name = options->signature;
            return false;
        }
        stage->subgraph =
            berth_model_signature(model, report->signature).subgraph;
    }
    if (stage->subgraph >= berth_model_subgraph_count(model)) {
        report->error.stage = BERTH_LOAD_GRAPH;
        report->error.status = BERTH_UNSUPPORTED;
        report->error.diag.what = "the model has no subgraph to run";
        return false;
    }
    report->subgraph = stage->subgraph;
    return true;
}

static bool fill_stages(berth_report *report, const char *path)
{
    berth_stage_options stage = report->options->stage;
    if (!report->borrows_loaded &&
        berth_load(report->port, path, &report->loaded, &report->error) !=
            BERTH_OK) {
        report->reached = report->error.stage;
        return false;
    }
    report->reached = BERTH_LOAD_NAMES;
    if (!report_ask_tflm(report)) {
        return false;
    }
    const bool peer = report_is_peer(report->options->strategy);
    stage.no_inplace = stage.no_inplace || peer;
    stage.no_views = stage.no_views || peer;
    if (!choose_subgraph(report, &stage)) {
        return false;
    }
    /* The peers need shapes only, and much memory: they go first. */
    const bool good =
        berth_stage_shapes(&report->loaded, &stage, &report->staged,
                           &report->error) == BERTH_OK &&
        report_solve_peers(report) && report_ask_litert(report) &&
        berth_stage_rest(&report->staged, &report->error) == BERTH_OK;
    report->reached = report->staged.reached;
    return report_count_operators(report) && good;
}

static bool fill_plans(berth_report *report)
{
    const uint64_t began = berth_port_now_ns();
    if (!report_solve_plan(report) || !report_solve_rows(report) ||
        !report_account(report) || !report_price_keeps(report)) {
        return false;
    }
    const uint64_t planned = berth_port_now_ns();
    report->plan_ns = planned - began;
    const bool good = report_try_changes(report);
    report->what_if_ns = berth_port_now_ns() - planned;
    return good;
}

static berth_verdict judge(berth_report *report)
{
    const uint64_t budget = report->options->budget_bytes;
    const bool asked = report->options->has_budget &&
                       report->options->runtime == BERTH_RUNTIME_NONE;
    if (asked && report->ledger.total_bytes > budget) {
        report->missing_bytes = report->ledger.total_bytes - budget;
        report_blame(report);
        return BERTH_VERDICT_UNFIT; /* also if only a part has a size */
    }
    return report_is_unbounded(report) ? BERTH_VERDICT_NO_NUMBER
                                       : BERTH_VERDICT_OK;
}

/* What the arenas of the runtimes asked for have above the budget, at most. */
static uint64_t missing_of_runtimes(const berth_report *report)
{
    const uint64_t budget = report->options->budget_bytes;
    uint64_t most = 0;
    if (report->tflm.count > 0 && report->tflm.status == BERTH_OK &&
        report->tflm.micro[0].refusal == BERTH_MICRO_STARTS) {
        most = report->tflm.micro[0].arena_min_bytes;
    }
    if (report->litert.asked && report->litert.status == BERTH_OK &&
        report->litert.arena_bytes > most) {
        most = report->litert.arena_bytes;
    }
    return report->options->has_budget && most > budget ? most - budget : 0;
}

/* Who asks for a runtime wants to know of that one. What berth cannot say of
 * its own plan is then beside the question; a model that cannot be read, or
 * options that do not suit it, are not. */
static berth_verdict judge_runtime(berth_report *report)
{
    const berth_report_tflm *tflm = &report->tflm;
    const bool ours = report->verdict == BERTH_VERDICT_OK ||
                      report->verdict == BERTH_VERDICT_NO_NUMBER;
    if ((tflm->count == 0 && !report->litert.asked) || !ours) {
        return report->verdict;
    }
    report->missing_bytes = missing_of_runtimes(report);
    if (tflm->count == 0) {
        return report->litert.status != BERTH_OK ? BERTH_VERDICT_NO_NUMBER
               : report->missing_bytes > 0       ? BERTH_VERDICT_UNFIT
                                                 : BERTH_VERDICT_OK;
    }
    if (tflm->status != BERTH_OK) {
        return tflm->status == BERTH_BAD_ARG ? BERTH_VERDICT_USAGE
                                             : BERTH_VERDICT_NO_NUMBER;
    }
    if (tflm->micro[0].refusal != BERTH_MICRO_STARTS) {
        return BERTH_VERDICT_NO_NUMBER;
    }
    const bool unfit = report->missing_bytes > 0 ||
                       tflm->expect == BERTH_EXPECT_TOO_SMALL ||
                       tflm->expect == BERTH_EXPECT_WASTEFUL;
    return unfit ? BERTH_VERDICT_UNFIT : BERTH_VERDICT_OK;
}

static berth_verdict fill_report(berth_report *report, const char *path)
{
    const uint64_t began = berth_port_now_ns();
    report->complete = fill_stages(report, path) && fill_plans(report);
    report->verdict =
        report->complete ? judge(report) : berth_report_verdict(&report->error);
    report->verdict = judge_runtime(report);
    report->total_ns = berth_port_now_ns() - began;
    report->lent_peak_bytes = report->port->lent_peak_bytes;
    return report->verdict;
}

berth_verdict berth_report_make(berth_port *port, const char *path,
                                const berth_report_options *options,
                                berth_report *report)
{
    *report = (berth_report){.path = path,
                             .options = options,
                             .port = port,
                             .error = {.diag = berth_diag_none()}};
    return fill_report(report, path);
}

berth_verdict berth_report_make_loaded(const berth_loaded *loaded,
                                       const char *path,
                                       const berth_report_options *options,
                                       berth_report *report)
{
    *report = (berth_report){.path = path,
                             .options = options,
                             .port = loaded->port,
                             .loaded = *loaded,
                             .borrows_loaded = true,
                             .error = {.diag = berth_diag_none()}};
    return fill_report(report, path);
}

void berth_report_close(berth_report *report)
{
    if (report->port == NULL) {
        return;
    }
    for (uint32_t i = report->block_count; i > 0; --i) {
        berth_block_give(report->port, &report->blocks[i - 1u]);
    }
    report_forget_tflm(report);
    berth_unstage(&report->staged);
    if (!report->borrows_loaded) {
        berth_unload(&report->loaded);
    }
    report->port = NULL;
}

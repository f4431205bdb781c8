/* What the numbers are made of: the ledger, the price of what is kept,
 * operators by type. */
#include "report_int.h"

#include "berth/hosted/solve.h"

#include <stdlib.h>
#include <string.h>

/* --- operators by type ------------------------------------------------------
 */

static int by_count(const void *x, const void *y)
{
    const berth_report_operator *a = x;
    const berth_report_operator *b = y;
    if (a->count != b->count) {
        return a->count > b->count ? -1 : 1;
    }
    return a->code < b->code ? -1 : a->code > b->code;
}

static int by_type(const void *x, const void *y)
{
    const berth_report_operator *a = x;
    const berth_report_operator *b = y;
    if (a->code != b->code) {
        return a->code < b->code ? -1 : 1;
    }
    const size_t common = a->custom_name.size < b->custom_name.size
                              ? a->custom_name.size
                              : b->custom_name.size;
    const int order =
        common == 0 ? 0
                    : memcmp(a->custom_name.data, b->custom_name.data, common);
    if (order != 0) {
        return order;
    }
    return a->custom_name.size < b->custom_name.size
               ? -1
               : a->custom_name.size > b->custom_name.size;
}

/* Whether the shape of an output is only the file's word. */
static bool is_unchecked(const berth_report *report, uint32_t op)
{
    const berth_graph *graph = &report->loaded.graph;
    const berth_shapes *shapes = &report->staged.shapes;
    const uint32_t *outputs = berth_graph_outputs(graph, op);
    if (shapes->of == NULL) {
        return false; /* no shapes were made */
    }
    for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
        if (outputs[i] != BERTH_NONE &&
            (shapes->of[outputs[i]].flags & BERTH_SHAPE_UNCHECKED) != 0) {
            return true;
        }
    }
    return false;
}

/* Sorts the operators and joins those of one kind; returns how many kinds. */
static uint32_t join_kinds(berth_report_operator *all, uint32_t count)
{
    uint32_t kinds = 0;
    qsort(all, count, sizeof(*all), by_type);
    for (uint32_t i = 0; i < count; ++i) {
        if (kinds > 0 && by_type(&all[kinds - 1u], &all[i]) == 0) {
            ++all[kinds - 1u].count;
            all[kinds - 1u].unchecked_count += all[i].unchecked_count;
        } else {
            all[kinds++] = all[i];
        }
    }
    qsort(all, kinds, sizeof(*all), by_count);
    return kinds;
}

bool report_count_operators(berth_report *report)
{
    const berth_graph *graph = &report->loaded.graph;
    const size_t bytes = graph->op_count * sizeof(berth_report_operator);
    berth_block block;
    if (!berth_block_take(report->port, bytes, &block)) {
        return report_no_memory(report, bytes);
    }
    berth_report_operator *all = block.memory;
    for (uint32_t i = 0; i < graph->op_count; ++i) {
        const uint32_t unchecked = is_unchecked(report, i);
        const berth_bytes name = berth_graph_op_info(graph, i).custom_name;
        all[i] =
            (berth_report_operator){graph->ops[i].code, name, 1u, unchecked};
        report->custom_count += name.size > 0;
        report->unchecked_count += unchecked;
    }
    const uint32_t kinds = join_kinds(all, graph->op_count);
    report->operators = report_take(report, kinds, sizeof(*all));
    if (report->operators != NULL && kinds > 0) {
        memcpy(report->operators, all, kinds * sizeof(*all));
        report->operator_count = kinds;
    }
    berth_block_give(report->port, &block);
    return report->operators != NULL;
}

/* --- the ledger --------------------------------------------------------------
 */

/* The bill and the usage; what is asked of an engine is its books only. */
static berth_status make_ledger(berth_report *report, berth_work work,
                                berth_diag *diag)
{
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    berth_ledger *ledger = &report->ledger;
    berth_engine_need need;
    BERTH_TRY(berth_ledger_make(&report->loaded.graph, &report->staged.schedule,
                                lifetimes, &report->plan, work, ledger, diag));
    BERTH_TRY(berth_need_staged(&report->staged, lifetimes, &report->plan,
                                &need, diag));
    ledger->books_bytes = need.books_bytes;
    if (!berth_ledger_cut(ledger)) {
        *diag = berth_diag_none();
        diag->what = "a total beyond 64 bits";
        return BERTH_TOO_LARGE;
    }
    /* The ledger's memory is enough for a usage, which it makes itself. */
    return berth_usage_make(&lifetimes->problem, &report->plan, work,
                            report->live, &report->usage, diag);
}

bool report_account(berth_report *report)
{
    const berth_graph *graph = &report->loaded.graph;
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    const berth_problem *problem = &lifetimes->problem;
    berth_load_error *error = &report->error;
    size_t need = 0;
    berth_block block;
    report->live =
        report_take(report, problem->step_count, sizeof(*report->live));
    error->status = berth_ledger_bytes(graph, lifetimes, &need, &error->diag);
    if (report->live == NULL || error->status != BERTH_OK) {
        return false;
    }
    if (!berth_block_take(report->port, need, &block)) {
        return report_no_memory(report, need);
    }
    error->status = make_ledger(
        report, berth_work_of(block.memory, block.bytes), &error->diag);
    berth_block_give(report->port, &block);
    if (error->status != BERTH_OK) {
        return false;
    }
    if (report->staged.schedule.step_count == 0) {
        report->usage.peak_step = BERTH_NONE; /* inputs, but nothing runs */
    }
    return report->usage.peak_step == BERTH_NONE || report_find_alive(report);
}

/* --- the price of what is kept -----------------------------------------------
 */

/* The arena without one of the tensors that are kept. */
static bool arena_without(const berth_report *report, uint32_t index,
                          uint64_t *arena_bytes)
{
    berth_lifetime_options options = report->staged.lifetime_options;
    const uint32_t last = options.keep_count - 1u;
    uint32_t fewer[64];
    if (last > sizeof(fewer) / sizeof(fewer[0])) {
        return false;
    }
    for (uint32_t i = 0, to = 0; i <= last; ++i) {
        if (i != index) {
            fewer[to++] = options.keep[i];
        }
    }
    options.keep = fewer;
    options.keep_count = last;

    report_trial trial;
    berth_diag diag = berth_diag_none();
    if (report_try_rules(report, &options, &trial, &diag) != BERTH_OK) {
        return false;
    }
    *arena_bytes = trial.plan.peak;
    return true;
}

bool report_price_keeps(berth_report *report)
{
    const berth_lifetime_options *options = &report->staged.lifetime_options;
    report->keeps =
        report_take(report, options->keep_count, sizeof(*report->keeps));
    if (report->keeps == NULL) {
        return false;
    }
    report->keep_count = options->keep_count;
    for (uint32_t i = 0; i < options->keep_count; ++i) {
        berth_report_keep *keep = &report->keeps[i];
        uint64_t without = 0;
        keep->tensor = options->keep[i];
        keep->known = arena_without(report, i, &without);
        keep->price_bytes =
            report->plan.peak > without ? report->plan.peak - without : 0;
    }
    return true;
}

/* What if the rules were others? Each change is applied and the arena planned
 * anew, since nothing simpler is true: what a view or an input saves depends on
 * all that lives beside it. */
#include "report_int.h"

#include "berth/hosted/solve.h"

#include <stdlib.h>
#include <string.h>

const char *berth_rule_name(berth_rule rule)
{
    static const char *const names[] = {
#define RULE_NAME(name, text, field, set, lifted) text,
        BERTH_RULE_TABLE(RULE_NAME)
#undef RULE_NAME
    };
    return (uint32_t)rule < BERTH_RULE_COUNT ? names[rule] : "?";
}

/* --- one trial ---------------------------------------------------------------
 */

static bool same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

static bool same_items(const berth_problem *a, const berth_problem *b)
{
    for (uint32_t i = 0; i < a->item_count; ++i) {
        const berth_item *x = &a->items[i];
        const berth_item *y = &b->items[i];
        if (x->size != y->size || x->span_count != y->span_count ||
            x->flags != y->flags) {
            return false;
        }
    }
    return true;
}

/* Two problems made of one schedule by one alignment. */
static bool same_problem(const berth_problem *a, const berth_problem *b)
{
    return a->item_count == b->item_count && a->span_count == b->span_count &&
           a->link_count == b->link_count && a->tie_count == b->tie_count &&
           same_bytes(a->spans, b->spans, a->span_count, sizeof(*a->spans)) &&
           same_bytes(a->links, b->links, a->link_count, sizeof(*a->links)) &&
           same_bytes(a->ties, b->ties, a->tie_count, sizeof(*a->ties)) &&
           same_items(a, b);
}

static uint64_t outside_bytes(const berth_report *report,
                              const berth_lifetimes *lifetimes)
{
    const uint32_t *inside = report->staged.lifetimes.item_of_tensor;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < report->loaded.graph.tensor_count; ++t) {
        if (inside[t] != BERTH_NONE &&
            lifetimes->item_of_tensor[t] == BERTH_NONE) {
            sum += report->staged.shapes.of[t].bytes;
        }
    }
    return sum;
}

static berth_status solve_trial(const berth_report *report,
                                const berth_lifetimes *lifetimes,
                                report_trial *trial, berth_diag *diag)
{
    berth_plan *plan = &trial->plan;
    const size_t bytes = lifetimes->problem.item_count * sizeof(*plan->offset);
    berth_engine_need need = {0};
    berth_block block;
    if (!berth_block_take(report->port, bytes, &block)) {
        return BERTH_NO_SPACE;
    }
    *plan = (berth_plan){.offset = block.memory};
    berth_status status = report_solve(report->port, &lifetimes->problem,
                                       report->options->strategy, plan, diag);
    if (status == BERTH_OK) {
        status =
            berth_prove_staged(&report->staged, lifetimes, plan->offset, diag);
    }
    if (status == BERTH_OK) {
        status =
            berth_need_staged(&report->staged, lifetimes, plan, &need, diag);
    }
    trial->books_bytes = need.books_bytes;
    plan->offset = NULL;
    berth_block_give(report->port, &block);
    return status;
}

berth_status report_try_rules(const berth_report *report,
                              const berth_lifetime_options *rules,
                              report_trial *trial, berth_diag *diag)
{
    berth_block block;
    berth_lifetimes lifetimes;
    berth_load_error error = {.diag = berth_diag_none()};
    berth_status status = berth_stage_lifetimes(&report->staged, rules, &block,
                                                &lifetimes, &error);
    if (status != BERTH_OK) {
        *diag = error.diag;
        return status;
    }
    *trial =
        (report_trial){.same = same_problem(&report->staged.lifetimes.problem,
                                            &lifetimes.problem),
                       .outside_bytes = outside_bytes(report, &lifetimes)};
    if (trial->same) {
        trial->plan = report->plan; /* solved and proved */
        trial->plan.offset = NULL;
        trial->books_bytes = report->ledger.books_bytes;
    } else {
        status = solve_trial(report, &lifetimes, trial, diag);
    }
    berth_block_give(report->port, &block);
    return status;
}

/* --- the list ----------------------------------------------------------------
 */

#define BIT(rule) (1u << BERTH_RULE_##rule)

/* Changes worth a row beside each rule alone; only of rules that are not set.
 */
static const struct {
    uint32_t rules;
    const char *text;
} pairs[] = {{BIT(HOLD_INPUTS) | BIT(HOLD_OUTPUTS), "both outside"},
             {BIT(NO_VIEWS) | BIT(NO_IN_PLACE), "no views, no in place"}};

enum { CHANGES_MOST = BERTH_RULE_COUNT + sizeof(pairs) / sizeof(pairs[0]) };

uint32_t report_rules_set(const berth_lifetime_options *options)
{
    uint32_t set = 0;
#define RULE_SET(name, text, field, set_, lifted)                              \
    set |= options->field ? BIT(name) : 0u;
    BERTH_RULE_TABLE(RULE_SET)
#undef RULE_SET
    return set;
}

static void turn_round(berth_lifetime_options *options, uint32_t rules)
{
#define RULE_TURN(name, text, field, set, lifted)                              \
    options->field =                                                           \
        (rules & BIT(name)) != 0 ? !options->field : options->field;
    BERTH_RULE_TABLE(RULE_TURN)
#undef RULE_TURN
}

static uint32_t list_changes(uint32_t set, berth_report_change *list)
{
    static const char *const texts[][2] = {
#define RULE_TEXTS(name, text, field, set, lifted) {set, lifted},
        BERTH_RULE_TABLE(RULE_TEXTS)
#undef RULE_TEXTS
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < BERTH_RULE_COUNT; ++i) {
        list[count++] = (berth_report_change){
            .rules = 1u << i, .text = texts[i][(set >> i) & 1u]};
    }
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        if ((pairs[i].rules & set) == 0) {
            list[count++] = (berth_report_change){.rules = pairs[i].rules,
                                                  .text = pairs[i].text};
        }
    }
    return count;
}

/* What is to be lent in all with another arena, and the books that go with it.
 */
static uint64_t total_with(const berth_report *report,
                           const report_trial *trial)
{
    berth_ledger ledger = report->ledger;
    ledger.arena_bytes = trial->plan.peak;
    ledger.books_bytes = trial->books_bytes;
    return berth_ledger_cut(&ledger) ? ledger.total_bytes : BERTH_NOWHERE;
}

/* False: a plan of ours fails its judge. Adds the effort to *nodes. */
static bool try_change(berth_report *report, berth_report_change *change,
                       uint64_t *nodes)
{
    berth_lifetime_options options = report->staged.lifetime_options;
    berth_diag diag = berth_diag_none();
    report_trial trial;
    turn_round(&options, change->rules);
    const berth_status status =
        report_try_rules(report, &options, &trial, &diag);
    if (status == BERTH_UNSOUND) {
        report->error.stage = BERTH_LOAD_PLAN;
        report->error.status = status;
        report->error.diag = diag;
        return false;
    }
    if (status == BERTH_OK) {
        change->known = true;
        change->same = trial.same;
        change->proven = trial.plan.proof == BERTH_PROOF_PROVEN;
        change->arena_bytes = trial.plan.peak;
        change->bound_bytes = trial.plan.bound;
        change->total_bytes = total_with(report, &trial);
        change->outside_bytes = trial.outside_bytes;
        *nodes += trial.same ? 0 : trial.plan.nodes;
    }
    return true;
}

/* Of equals the one with fewer changes, then in the order of the table. */
static int by_arena(const void *x, const void *y)
{
    const berth_report_change *a = x;
    const berth_report_change *b = y;
    if (a->known != b->known) {
        return a->known ? -1 : 1;
    }
    if (a->arena_bytes != b->arena_bytes) {
        return a->arena_bytes < b->arena_bytes ? -1 : 1;
    }
    return a->rules < b->rules ? -1 : a->rules > b->rules;
}

/* Planning grows with the buffers, judging with tensors and steps. */
static bool is_cheap(const berth_report *report)
{
    const berth_problem *problem = &report->staged.lifetimes.problem;
    return problem->item_count <= BERTH_WHAT_IF_ITEMS &&
           problem->step_count <= BERTH_WHAT_IF_STEPS &&
           report->loaded.graph.tensor_count <= BERTH_WHAT_IF_STEPS;
}

bool report_try_changes(berth_report *report)
{
    const berth_what_if when = report->options->what_if;
    const bool whole = when == BERTH_WHAT_IF_ALWAYS;
    uint64_t nodes = report->plan.nodes;
    if (!whole && (when == BERTH_WHAT_IF_NEVER || !is_cheap(report))) {
        return true;
    }
    report->changes =
        report_take(report, CHANGES_MOST, sizeof(*report->changes));
    if (report->changes == NULL) {
        return false;
    }
    const uint32_t most = list_changes(
        report_rules_set(&report->staged.lifetime_options), report->changes);
    uint32_t count = 0;
    while (count < most && (whole || nodes <= BERTH_WHAT_IF_NODES)) {
        if (!try_change(report, &report->changes[count++], &nodes)) {
            return false;
        }
    }
    qsort(report->changes, count, sizeof(*report->changes), by_arena);
    report->change_count = count;
    report->changes_left = most - count;
    report->has_changes = true;
    return true;
}

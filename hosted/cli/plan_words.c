/* What came of a plan, for people. */
#include "cli_plan.h"

#include "report/report_int.h"

#include <inttypes.h>
#include <string.h>

enum { PLAN_NAME_COLUMNS = 34 };

const char *plan_above_bound(char text[PLAN_WORDS], uint64_t peak,
                             uint64_t bound)
{
    char number[WORD_NUMBER];
    const uint64_t permille = report_permille(peak - bound, bound);
    if (peak == bound) {
        return "proven least";
    }
    if (bound == 0) { /* of nothing there are no parts */
        (void)snprintf(text, PLAN_WORDS, "%s above bound",
                       word_number(number, peak - bound));
        return text;
    }
    (void)snprintf(
        text, PLAN_WORDS, "%s above bound, %" PRIu64 ".%" PRIu64 " %%",
        word_number(number, peak - bound), permille / 10u, permille % 10u);
    return text;
}

static void print_row(FILE *out, const char *what, uint64_t bytes,
                      const char *comment)
{
    char number[WORD_NUMBER];
    (void)fprintf(out, "  %-16s %16s bytes%s%s\n", what,
                  word_number(number, bytes), comment[0] == '\0' ? "" : "   ",
                  comment);
}

static void print_fit(const berth_plans *plans, FILE *out)
{
    char numbers[3][WORD_NUMBER];
    const uint64_t capacity = plans->capacity_bytes;
    (void)fprintf(out,
                  "  fits in %s bytes: ", word_number(numbers[0], capacity));
    if (plans->fit == BERTH_FIT_YES) {
        (void)fprintf(out, "yes, %s left\n",
                      word_number(numbers[1], capacity - plans->peak_bytes));
    } else if (plans->fit == BERTH_FIT_NO) {
        (void)fprintf(out, "no, no plan is under %s\n",
                      word_number(numbers[1], plans->bound_bytes));
    } else {
        (void)fprintf(out,
                      "not known; found %s, %s too many; no plan is under %s\n",
                      word_number(numbers[0], plans->peak_bytes),
                      word_number(numbers[1], plans->peak_bytes - capacity),
                      word_number(numbers[2], plans->bound_bytes));
    }
}

void plan_complain_of_fit(const plan_job *job)
{
    const berth_plans *plans = &job->plans;
    char numbers[3][WORD_NUMBER];
    if (plans->fit == BERTH_FIT_NO) {
        cli_complain("no plan fits in %s bytes: none is under %s",
                     word_number(numbers[0], plans->capacity_bytes),
                     word_number(numbers[1], plans->bound_bytes));
    } else {
        cli_complain("found no plan in %s bytes, nor a proof that there is "
                     "none: the best takes %s, and none is under %s",
                     word_number(numbers[0], plans->capacity_bytes),
                     word_number(numbers[1], plans->peak_bytes),
                     word_number(numbers[2], plans->bound_bytes));
    }
}

/* --- one file ---------------------------------------------------------------
 */

/* What everything would take without sharing a byte; false: no memory. */
static bool find_no_reuse(const plan_job *job, uint64_t *bytes)
{
    const berth_problem *problem = &job->sources[0].list.problem;
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_NONE};
    berth_port port = job->port;
    berth_diag diag = berth_diag_none();
    size_t need = 0;
    berth_block block;
    if (!BERTH_NEED(&need, uint64_t, problem->item_count) ||
        !berth_block_take(&port, need, &block)) {
        return false;
    }
    port.go_on = NULL;
    berth_plan plan = {.offset = block.memory};
    const bool solved =
        berth_solve(&port, problem, &options, &plan, &diag) == BERTH_OK;
    berth_block_give(&port, &block);
    *bytes = plan.peak;
    return solved;
}

static void print_no_reuse(const plan_job *job, FILE *out)
{
    uint64_t bytes = 0;
    char words[PLAN_WORDS];
    if (!find_no_reuse(job, &bytes)) {
        return;
    }
    const uint64_t permille = report_permille(job->plans.peak_bytes, bytes);
    (void)snprintf(words, sizeof(words), "the plan is %" PRIu64 " %% of it",
                   (permille + 5u) / 10u);
    print_row(out, "without reuse", bytes, words);
}

/* How good the offsets are that the CSV brought. */
static void print_given(const plan_job *job, FILE *out)
{
    const berth_list *list = &job->sources[0].list;
    berth_port port = job->port;
    berth_diag diag = berth_diag_none();
    berth_plan given = {.offset = list->offset};
    if (list->offset == NULL || job->request->plan.fixed) {
        return;
    }
    for (uint32_t i = 0; i < list->problem.item_count; ++i) {
        if (list->offset[i] == BERTH_NOWHERE) {
            return;
        }
    }
    const berth_status status =
        berth_judge(&port, &list->problem, &given, &diag);
    if (status == BERTH_OK || status == BERTH_UNSOUND) {
        print_row(out, "its own offsets", given.peak,
                  status == BERTH_OK ? "" : "wrong: see berth check");
    }
}

static void print_alone(const plan_job *job, FILE *out)
{
    const berth_source *source = &job->sources[0];
    const berth_plan *plan = &job->parts[0].plan;
    char name[WORD_NAME];
    char numbers[2][WORD_NUMBER];
    char words[PLAN_WORDS];
    char comment[2 * PLAN_WORDS];
    (void)word_name(name, word_bytes(source->label, strlen(source->label)),
                    60u);
    (void)fprintf(out, "%s   %s %s, %s %s\n", name,
                  word_number(numbers[0], source->list.problem.item_count),
                  source->is_csv ? "buffers" : "tensors and scratch",
                  word_number(numbers[1], source->list.problem.step_count),
                  source->is_csv ? "moments" : "steps");
    (void)snprintf(comment, sizeof(comment), "%s%s%s",
                   plan_above_bound(words, plan->peak, plan->bound),
                   plan->strategy == job->parts[0].strategy ? ""
                                                            : "   found by ",
                   plan->strategy == job->parts[0].strategy
                       ? ""
                       : berth_strategy_name(plan->strategy));
    print_row(out, berth_strategy_name(job->parts[0].strategy), plan->peak,
              comment);
    print_row(out, "bound", plan->bound, "no plan can be under it");
    print_given(job, out);
    print_no_reuse(job, out);
    (void)fprintf(out, "  %-16s %16s nodes\n", "effort",
                  word_number(numbers[0], plan->nodes));
}

/* --- several files ----------------------------------------------------------
 */

static void print_file(const berth_part *part, FILE *out)
{
    const char *label = part->source->label;
    char name[WORD_NAME];
    char words[PLAN_WORDS];
    char numbers[4][WORD_NUMBER];
    const uint32_t columns =
        word_name(name, word_bytes(label, strlen(label)), PLAN_NAME_COLUMNS);
    (void)fprintf(out, "  %s%*s %13s %13s %10s %10s   %s\n", name,
                  (int)(PLAN_NAME_COLUMNS - columns), "",
                  word_number(numbers[0], part->base_bytes),
                  word_number(numbers[1], part->plan.peak),
                  word_number(numbers[2], part->state_bytes),
                  word_number(numbers[3], part->books_bytes),
                  plan_above_bound(words, part->plan.peak, part->plan.bound));
}

static void print_several(const plan_job *job, FILE *out)
{
    const berth_plans *plans = &job->plans;
    const bool exclusive = plans->sharing == BERTH_SHARING_EXCLUSIVE;
    char words[PLAN_WORDS];
    uint64_t kept = 0;
    (void)fprintf(out, "one arena for %" PRIu32 " files, %s\n", plans->count,
                  exclusive ? "of which one runs at a time"
                            : "each of which may run while others do");
    (void)fprintf(out, "  %-*s %13s %13s %10s %10s\n", PLAN_NAME_COLUMNS,
                  "file", "begins at", "arena", "state", "books");
    for (uint32_t i = 0; i < plans->count; ++i) {
        const berth_part *part = &plans->parts[i];
        kept += part->state_bytes + part->books_bytes;
        print_file(part, out);
    }
    print_row(out, "arena", plans->peak_bytes,
              plan_above_bound(words, plans->peak_bytes, plans->bound_bytes));
    print_row(out, "state and books", kept, "each its own, never shared");
    print_row(out, "to lend", plans->peak_bytes + kept, "");
    if (exclusive) {
        print_row(out, "an arena each", job->apart_bytes,
                  "what it would take together");
        (void)fputs("  When one runs, what another left in the arena is gone: "
                    "read outputs before.\n",
                    out);
    } else {
        (void)fputs("  None may overwrite what another needs, so no byte "
                    "serves two; see --exclusive.\n",
                    out);
    }
}

void plan_print(const plan_job *job, FILE *out)
{
    if (job->plans.sharing == BERTH_SHARING_ALONE) {
        print_alone(job, out);
    } else {
        print_several(job, out);
    }
    if (job->plans.has_capacity) {
        print_fit(&job->plans, out);
    }
}

/* berth check: read a plan, ask the judges, say what is wrong. */
#include "cli_plan.h"

#include "report/report_int.h"

#include <inttypes.h>
#include <string.h>

enum { CHECK_NAME = 128 };

/* --- what is wrong ----------------------------------------------------------
 */

static void say_wrong(const char *label, const char *what)
{
    char name[WORD_NAME];
    (void)word_name(name, word_bytes(label, strlen(label)), 60u);
    (void)printf("%s: wrong: %s\n", name, what);
}

/* The moment of the file, or the step with its operator. */
static void say_step(const berth_source *source, uint32_t step)
{
    const berth_schedule *schedule = &source->staged.schedule;
    char type[WORD_NAME];
    if (source->is_csv && step < source->list.problem.step_count) {
        (void)printf("  at moment %" PRIu64 "\n", source->list.times[step]);
    } else if (!source->is_csv && step < schedule->step_count) {
        const uint32_t op = schedule->steps[step].op;
        (void)word_name(type, report_op_type(&source->loaded.graph, op), 40u);
        (void)printf("  at step %" PRIu32 ", operator %" PRIu32 " %s\n", step,
                     report_local_op(&source->loaded.graph, op), type);
    }
}

static void say_item(const berth_part *part, uint32_t item)
{
    const berth_problem *problem = &part->source->list.problem;
    char name[CHECK_NAME];
    char numbers[3][WORD_NUMBER];
    if (item >= problem->item_count) {
        return;
    }
    const uint64_t offset = part->plan.offset[item];
    const uint64_t size = problem->items[item].size;
    berth_source_name(part->source, item, name, sizeof(name));
    (void)printf("  %-40s %s bytes at %s", name, word_number(numbers[0], size),
                 word_number(numbers[1], offset));
    if (offset <= UINT64_MAX - size) {
        (void)printf(" to %s", word_number(numbers[2], offset + size));
    }
    (void)putchar('\n');
}

static uint32_t item_of_tensor(const berth_source *source, uint32_t tensor)
{
    return tensor < source->loaded.graph.tensor_count
               ? source->staged.lifetimes.item_of_tensor[tensor]
               : BERTH_NONE;
}

static berth_verdict say_judged(const berth_part *part, uint32_t judge,
                                const berth_list_error *error)
{
    const berth_source *source = part->source;
    const berth_diag *diag = &error->load.diag;
    say_wrong(source->label, diag->what);
    if (judge == 1) {
        say_item(part, diag->tensor);
        say_item(part, diag->other);
    } else {
        say_item(part, item_of_tensor(source, diag->tensor));
        say_item(part, item_of_tensor(source, diag->other));
    }
    say_step(source, diag->step);
    return BERTH_VERDICT_UNFIT;
}

/* A plan that could not be read, or is about something else. */
static berth_verdict fail_read(const plan_job *job, const char *path,
                               const berth_list_error *error)
{
    char why[640];
    if (!error->given) {
        return cli_fail_list(path, error);
    }
    berth_list_why(error, why, sizeof(why));
    say_wrong(plan_label(path), why);
    if (job->plans.count == 1) {
        const uint32_t item = error->load.diag.tensor;
        char name[CHECK_NAME];
        if (item < job->sources[0].list.problem.item_count) {
            berth_source_name(&job->sources[0], item, name, sizeof(name));
            (void)printf("  %s\n", name);
        }
        say_step(&job->sources[0], error->load.diag.step);
    }
    return BERTH_VERDICT_UNFIT;
}

/* --- reading ----------------------------------------------------------------
 */

/* The offsets that a list brings along. */
static berth_verdict take_own(plan_job *job)
{
    const berth_source *source = &job->sources[0];
    const uint32_t items = source->list.problem.item_count;
    if (!source->is_csv || source->list.offset == NULL) {
        cli_complain_of(source->label, "which plan? It has no offsets of its "
                                       "own");
        return BERTH_VERDICT_USAGE;
    }
    for (uint32_t i = 0; i < items; ++i) {
        job->parts[0].plan.offset[i] = source->list.offset[i];
        if (source->list.offset[i] == BERTH_NOWHERE) {
            char name[CHECK_NAME];
            char why[CHECK_NAME + 32];
            berth_source_name(source, i, name, sizeof(name));
            (void)snprintf(why, sizeof(why), "no offset for %s", name);
            say_wrong(source->label, why);
            return BERTH_VERDICT_UNFIT;
        }
    }
    return BERTH_VERDICT_OK;
}

/* Both to read and to judge: its problem is another one. */
static berth_verdict judge_for_tflm(const plan_job *job, const char *path,
                                    berth_bytes file)
{
    const berth_source *source = &job->sources[0];
    berth_tflm_plan plan;
    berth_list_error error;
    char numbers[2][WORD_NUMBER];
    char words[PLAN_WORDS];
    char kernels[WORD_NAME];
    char name[WORD_NAME];
    if (berth_tflm_judge(source, file, &plan, &error) != BERTH_OK) {
        return fail_read(job, path, &error);
    }
    (void)word_name(name, word_bytes(source->label, strlen(source->label)),
                    60u);
    (void)word_name(kernels, word_bytes(plan.kernels, strlen(plan.kernels)),
                    60u);
    (void)printf(
        "%s: right for TFLM with %s: %s tensors and scratch in %s bytes, "
        "%s; %s\n",
        name, kernels, word_number(numbers[0], plan.item_count),
        word_number(numbers[1], plan.peak_bytes),
        plan_above_bound(words, plan.peak_bytes, plan.bound_bytes),
        plan.both ? "both judges agree" : "the first judge agrees");
    return BERTH_VERDICT_OK;
}

static berth_verdict read_plan(plan_job *job, const char *path, bool *judged)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    berth_list_error error = {
        .load = {.stage = BERTH_LOAD_FILE, .diag = berth_diag_none()}};
    berth_file file;
    error.load.os_error = berth_file_open_whole(&job->port, path, &file);
    if (error.load.os_error != 0) {
        error.load.status = BERTH_UNSUPPORTED;
        return cli_fail_list(name, &error);
    }
    *judged = job->plans.count == 1 && !job->sources[0].is_csv &&
              berth_plan_is_for_tflm(file.bytes);
    berth_verdict verdict = BERTH_VERDICT_OK;
    if (*judged) {
        verdict = judge_for_tflm(job, name, file.bytes);
    } else if (berth_plans_read(file.bytes, job->parts, job->plans.count,
                                &error) != BERTH_OK) {
        verdict = fail_read(job, name, &error);
    }
    berth_file_close(&job->port, &file);
    return verdict;
}

/* --- judging ----------------------------------------------------------------
 */

static berth_verdict judge_part(berth_part *part)
{
    berth_list_error error = {.load = {.diag = berth_diag_none()}};
    uint32_t judge = 0;
    const berth_status status =
        berth_source_judge(part->source, &part->plan, &judge, &error);
    if (status == BERTH_UNSOUND) {
        return say_judged(part, judge, &error);
    }
    return status == BERTH_OK ? BERTH_VERDICT_OK
                              : cli_fail_list(part->source->label, &error);
}

/* Bytes from the lowest offset to the highest end. */
static berth_report_range extent_of(const berth_part *part)
{
    const berth_problem *problem = &part->source->list.problem;
    berth_report_range extent = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint64_t offset = part->plan.offset[i];
        if (problem->items[i].size > 0) {
            extent.from = offset < extent.from ? offset : extent.from;
            extent.end = part->plan.peak;
        }
    }
    return extent;
}

/* Files that may run at one time must have no byte in common. */
static berth_verdict judge_together(const plan_job *job)
{
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        const berth_report_range a = extent_of(&job->parts[i]);
        for (uint32_t k = 0; k < i; ++k) {
            const berth_report_range b = extent_of(&job->parts[k]);
            if (a.from < b.end && b.from < a.end) {
                char numbers[2][WORD_NUMBER];
                char why[CHECK_NAME + WORD_NAME];
                char name[WORD_NAME];
                berth_report_name(word_bytes(job->sources[k].label,
                                             strlen(job->sources[k].label)),
                                  name, sizeof(name));
                (void)snprintf(
                    why, sizeof(why),
                    "shares bytes %s to %s with %s, which may run at one time",
                    word_number(numbers[0], a.from > b.from ? a.from : b.from),
                    word_number(numbers[1], a.end < b.end ? a.end : b.end),
                    name);
                say_wrong(job->sources[i].label, why);
                return BERTH_VERDICT_UNFIT;
            }
        }
    }
    return BERTH_VERDICT_OK;
}

/* --- the whole --------------------------------------------------------------
 */

static void say_right(const plan_job *job)
{
    char numbers[2][WORD_NUMBER];
    char words[PLAN_WORDS];
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        const berth_source *source = &job->sources[i];
        const berth_plan *plan = &job->parts[i].plan;
        char name[WORD_NAME];
        (void)word_name(name, word_bytes(source->label, strlen(source->label)),
                        60u);
        (void)printf("%s: right: %s %s", name,
                     word_number(numbers[0], source->list.problem.item_count),
                     source->is_csv ? "buffers" : "tensors and scratch");
        if (job->plans.sharing == BERTH_SHARING_TOGETHER) {
            (void)printf(", the last byte below %s",
                         word_number(numbers[1], plan->peak));
        } else {
            (void)printf(" in %s bytes, %s",
                         word_number(numbers[1], plan->peak),
                         plan_above_bound(words, plan->peak, plan->bound));
        }
        (void)puts(source->is_csv ? "" : "; both judges agree");
    }
}

/* All files lie in one arena, so the highest end of any counts. */
static berth_verdict judge_capacity(const plan_job *job)
{
    const berth_plans *plans = &job->plans;
    for (uint32_t i = 0; plans->has_capacity && i < plans->count; ++i) {
        const uint64_t peak = job->parts[i].plan.peak;
        if (peak > plans->capacity_bytes) {
            char numbers[3][WORD_NUMBER];
            char why[CHECK_NAME];
            (void)snprintf(
                why, sizeof(why), "ends at %s, %s above the capacity of %s",
                word_number(numbers[0], peak),
                word_number(numbers[1], peak - plans->capacity_bytes),
                word_number(numbers[2], plans->capacity_bytes));
            say_wrong(job->sources[i].label, why);
            return BERTH_VERDICT_UNFIT;
        }
    }
    return BERTH_VERDICT_OK;
}

static berth_verdict judge_all(plan_job *job)
{
    berth_verdict verdict = BERTH_VERDICT_OK;
    for (uint32_t i = 0; verdict == BERTH_VERDICT_OK && i < job->plans.count;
         ++i) {
        verdict = judge_part(&job->parts[i]);
    }
    if (verdict == BERTH_VERDICT_OK &&
        job->plans.sharing == BERTH_SHARING_TOGETHER) {
        verdict = judge_together(job);
    }
    return verdict == BERTH_VERDICT_OK ? judge_capacity(job) : verdict;
}

berth_verdict cli_check(const cli_request *request, char *const *paths,
                        int count)
{
    const char *plan = count > 1 ? paths[count - 1] : NULL;
    const int files = count > 1 ? count - 1 : count;
    bool judged = false;
    plan_job job;
    if (count == 0) {
        cli_complain("check what? A model or list, and a plan (see berth check "
                     "--help)");
        return BERTH_VERDICT_USAGE;
    }
    for (int i = 0; plan != NULL && i < files; ++i) {
        if (strcmp(plan, "-") == 0 && strcmp(paths[i], "-") == 0) {
            cli_complain("standard input can be read only once");
            return BERTH_VERDICT_USAGE;
        }
    }
    berth_verdict verdict = plan_open(&job, request, paths, files);
    if (verdict == BERTH_VERDICT_OK) {
        verdict =
            plan == NULL ? take_own(&job) : read_plan(&job, plan, &judged);
    }
    if (verdict == BERTH_VERDICT_OK && !judged) {
        verdict = judge_all(&job);
        if (verdict == BERTH_VERDICT_OK) {
            say_right(&job);
        }
    }
    plan_close(&job);
    return verdict;
}

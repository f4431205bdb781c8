/* berth plan: solve each file, judge, add up, write. */
#include "cli_plan.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- what is written, and where ---------------------------------------------
 */

static bool ends_in(const char *path, const char *suffix)
{
    const size_t length = strlen(path);
    const size_t tail = strlen(suffix);
    return length > tail && strcasecmp(path + length - tail, suffix) == 0;
}

/* What --format says, or what the output is called. False: neither. */
static bool find_format(const cli_request *request, cli_format *format)
{
    static const struct suffix {
        const char *text;
        cli_format format;
    } suffixes[] = {
        {".csv", CLI_CSV}, {".json", CLI_JSON}, {".plan", CLI_PLAN_FILE}};
    const char *output = request->plan.output;
    *format = request->format;
    if (request->has_format || output == NULL) {
        return true;
    }
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); ++i) {
        if (ends_in(output, suffixes[i].text)) {
            *format = suffixes[i].format;
            return true;
        }
    }
    cli_complain("--output %s: as what? Name it .csv, .json or .plan, or say "
                 "--format",
                 output);
    return false;
}

/* A plan as a file, of one format. */
typedef struct plan_output {
    const berth_plans *plans;
    cli_format format;
    const plan_job *job;
} plan_output;

static bool write_plans(const void *what, FILE *out)
{
    const plan_output *output = what;
    berth_list_error error = {.load = {.diag = berth_diag_none()}};
    switch (output->format) {
    case CLI_CSV:
        berth_plans_csv(output->plans, out);
        return true;
    case CLI_JSON:
        if (!berth_plans_json(output->plans, out)) {
            cli_complain("no memory for the JSON");
            return false;
        }
        return true;
    case CLI_PLAN_FILE:
        if (berth_plans_file(output->plans, out, &error) != BERTH_OK) {
            (void)cli_fail_list(output->plans->parts[0].source->label, &error);
            return false;
        }
        return true;
    default:
        plan_print(output->job, out);
        return true;
    }
}

/* A plan that does not fit is no answer to write down; JSON has a word for it.
 */
static berth_verdict put_out(const plan_job *job, cli_format format)
{
    const berth_plans *plans = &job->plans;
    const char *path = job->request->plan.output;
    const plan_output output = {plans, format, job};
    const bool fits = !plans->has_capacity || plans->fit == BERTH_FIT_YES;
    const bool is_answer =
        fits || format == CLI_JSON || (format == CLI_TEXT && path == NULL);
    if (is_answer && !(path == NULL ? write_plans(&output, stdout)
                                    : cli_save(path, write_plans, &output))) {
        return BERTH_VERDICT_SYSTEM;
    }
    if (path != NULL) {
        plan_print(job, stdout);
    } else if (!fits && format != CLI_TEXT) {
        plan_complain_of_fit(job);
    }
    return fits ? BERTH_VERDICT_OK : BERTH_VERDICT_UNFIT;
}

/* --- planning ---------------------------------------------------------------
 */

/* Offsets that cannot be kept are the asker's affair, not a fault of berth. */
static berth_verdict refuse_fixed(const berth_source *source,
                                  const berth_diag *diag)
{
    char names[2][128];
    char why[512];
    berth_source_name(source, diag->tensor, names[0], sizeof(names[0]));
    if (diag->other < source->list.problem.item_count) {
        berth_source_name(source, diag->other, names[1], sizeof(names[1]));
        (void)snprintf(why, sizeof(why),
                       "no plan keeps the offsets of %s and %s, which live at "
                       "one time",
                       names[0], names[1]);
    } else {
        (void)snprintf(why, sizeof(why), "no plan keeps the offset of %s",
                       names[0]);
    }
    cli_complain_of(source->label, why);
    return BERTH_VERDICT_UNFIT;
}

static berth_verdict solve_part(plan_job *job, berth_part *part)
{
    const berth_source *source = part->source;
    const cli_plan_request *request = &job->request->plan;
    berth_list_error error = {.load = {.diag = berth_diag_none()}};
    /* Of files that share, each has to be as small as it can. */
    const berth_plan_options options = {
        .strategy = job->request->report.strategy,
        .capacity = request->sharing == BERTH_SHARING_TOGETHER
                        ? 0
                        : request->capacity_bytes,
        .effort = BERTH_EFFORT_FULL};
    uint32_t judge = 0;
    part->strategy = options.strategy;
    error.load.stage = BERTH_LOAD_PLAN;
    error.load.status = berth_solve(&job->port, &source->list.timed, &options,
                                    &part->plan, &error.load.diag);
    if (error.load.status == BERTH_UNSOUND && request->fixed &&
        error.load.diag.tensor < source->list.problem.item_count) {
        return refuse_fixed(source, &error.load.diag);
    }
    if (error.load.status == BERTH_OK && !source->is_csv) {
        berth_plan judged = {.offset = part->plan.offset};
        error.load.status = berth_source_judge(source, &judged, &judge, &error);
    }
    return error.load.status == BERTH_OK ? BERTH_VERDICT_OK
                                         : cli_fail_list(source->label, &error);
}

static berth_verdict plan_all(plan_job *job)
{
    berth_verdict verdict = BERTH_VERDICT_OK;
    cli_watch watch;
    cli_watch_begin(&watch, job->request, &job->port);
    for (uint32_t i = 0; verdict == BERTH_VERDICT_OK && i < job->plans.count;
         ++i) {
        verdict = solve_part(job, &job->parts[i]);
    }
    cli_watch_end(&watch);
    return verdict == BERTH_VERDICT_OK ? plan_add_up(job) : verdict;
}

/* --- the whole --------------------------------------------------------------
 */

static bool request_is_right(const cli_request *request, cli_format *format,
                             int count)
{
    if (count == 0) {
        cli_complain("no file given (see berth plan --help)");
    } else if (!find_format(request, format)) {
        return false;
    } else if (*format == CLI_PLAN_FILE && count > 1) {
        cli_complain("a plan file is about one file: take csv or json");
    } else if (*format == CLI_PLAN_FILE && request->plan.output == NULL &&
               isatty(STDOUT_FILENO) != 0) {
        cli_complain("a plan file is nothing for a terminal: -o FILE.plan");
    } else {
        return true;
    }
    return false;
}

/* The CSV of one list is that list with offsets, and may take its place. */
static bool adds_offsets(const plan_job *job, cli_format format)
{
    return format == CLI_CSV && job->plans.count == 1 && job->sources[0].is_csv;
}

berth_verdict cli_plan(const cli_request *request, char *const *paths,
                       int count)
{
    cli_format format = CLI_TEXT;
    plan_job job;
    if (!request_is_right(request, &format, count)) {
        return BERTH_VERDICT_USAGE;
    }
    berth_verdict verdict = plan_open(&job, request, paths, count);
    if (verdict == BERTH_VERDICT_OK && !adds_offsets(&job, format) &&
        !cli_is_apart(request->plan.output, paths, count)) {
        verdict = BERTH_VERDICT_USAGE;
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = plan_all(&job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = put_out(&job, format);
    }
    plan_close(&job);
    return verdict;
}

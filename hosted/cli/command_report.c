/* berth report: one file gives a page, several give a line each (also of what
 * the runtimes asked for take), and
 * --all-signatures gives a line for each signature and their common sum. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (no_colour == NULL || no_colour[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0) &&
           isatty(STDOUT_FILENO);
}

static berth_verdict worse(berth_verdict a, berth_verdict b)
{
    return a > b ? a : b; /* the table of verdicts ascends */
}

/* The names that would have been right. */
static void suggest_names(const berth_report *report)
{
    const berth_model *model = report->loaded.model;
    const bool signature =
        strcmp(report->error.diag.what, "no such signature") == 0;
    if (signature && berth_model_signature_count(model) == 0) {
        cli_complain("the model has no signatures");
        return;
    }
    (void)fputs(signature ? "berth: it has" : "berth: its inputs are", stderr);
    const berth_ivec inputs =
        berth_model_subgraph(model, report->subgraph).inputs;
    const uint32_t count =
        signature ? berth_model_signature_count(model) : inputs.count;
    for (uint32_t i = 0; i < count && i < 4u; ++i) {
        const berth_bytes name =
            signature ? berth_model_signature(model, i).name
                      : berth_model_tensor(model, report->subgraph,
                                           (uint32_t)berth_ivec_at(inputs, i))
                            .name;
        char text[256];
        berth_report_name(name, text, sizeof(text));
        (void)fprintf(stderr, "%s %s", i == 0 ? "" : ",", text);
    }
    (void)fputs(count > 4u ? ", ...\n" : "\n", stderr);
}

/* Says on standard error why a report is not complete, if it is not. */
static void explain(const berth_report *report)
{
    char why[512];
    char path[256];
    if (report->complete) {
        return;
    }
    berth_report_why(report, why, sizeof(why));
    /* Of a very long path the end, which tells files apart. */
    const size_t length = strlen(report->path);
    const size_t skip = length > 200u ? length - 200u : 0;
    berth_report_name(
        (berth_bytes){(const uint8_t *)report->path + skip, length - skip},
        path, sizeof(path));
    cli_complain("%s: %s", path, why);
    if (report->error.stage == BERTH_LOAD_NAMES &&
        report->error.name.size > 0) {
        suggest_names(report);
    }
}

static void print_one(const cli_request *request, const berth_report *report,
                      bool alone)
{
    if (request->format == CLI_JSON) {
        if (!berth_report_json(report, stdout)) {
            cli_complain("%s: no memory for the JSON", report->path);
        }
    } else if (request->format == CLI_CSV) {
        berth_report_csv(report, stdout);
    } else if (alone) {
        berth_report_text(report, stdout, wants_colour());
    } else if (request->report.runtime != BERTH_RUNTIME_NONE) {
        berth_report_runtime_line(report, stdout);
    } else {
        berth_report_line(report, false, stdout);
    }
    /* What berth's own plan lacks is no matter to who asked for a runtime's. */
    if (request->report.runtime == BERTH_RUNTIME_NONE ||
        report->verdict != BERTH_VERDICT_OK) {
        explain(report);
    }
}

/* A page has room for it, a line has none; programs ask. */
static berth_what_if list_of_changes(const cli_request *request, bool alone)
{
    const berth_what_if asked = request->report.what_if;
    if (request->format == CLI_TEXT && !alone) {
        return BERTH_WHAT_IF_NEVER;
    }
    return request->format == CLI_TEXT && asked == BERTH_WHAT_IF_NEVER &&
                   request->report.runtime == BERTH_RUNTIME_NONE
               ? BERTH_WHAT_IF_CHEAP
               : asked;
}

static berth_verdict report_one(const cli_request *request, const char *path,
                                bool alone)
{
    berth_port port = berth_port_of_libc();
    berth_report_options options = request->report;
    berth_report report;
    cli_watch watch;
    options.what_if = list_of_changes(request, alone);
    cli_watch_begin(&watch, request, &port);
    const berth_verdict verdict =
        berth_report_make(&port, path, &options, &report);
    cli_watch_end(&watch);
    print_one(request, &report, alone);
    berth_report_close(&report);
    return verdict;
}

/* One signature of a model that is loaded; its part of the sum. */
static void report_signature(const cli_request *request,
                             const berth_report *holder, uint32_t index,
                             berth_report_sum *sum)
{
    berth_report_options options = request->report;
    berth_report report;
    char number[16]; /* names may be empty, or given twice */
    (void)snprintf(number, sizeof(number), "#%u", index);
    options.signature = (berth_bytes){(const uint8_t *)number, strlen(number)};
    cli_watch watch;
    cli_watch_begin(&watch, request, holder->port);
    (void)berth_report_make_loaded(&holder->loaded, holder->path, &options,
                                   &report);
    cli_watch_end(&watch);
    berth_report_sum_add(sum, &report);
    if (request->format == CLI_JSON) {
        (void)fputs(index == 0 ? "" : ",\n", stdout);
        (void)berth_report_json(&report, stdout);
    } else if (request->format == CLI_CSV) {
        berth_report_csv(&report, stdout);
    } else {
        berth_report_line(&report, true, stdout);
    }
    explain(&report);
    berth_report_close(&report);
}

/* A line for each signature and one for all. The report that holds the model
 * is that of subgraph 0, and all there is to say where nothing has a name. */
static berth_verdict report_signatures(const cli_request *request,
                                       const char *path)
{
    berth_port port = berth_port_of_libc();
    berth_report holder;
    berth_report_sum sum;
    cli_watch watch;
    cli_watch_begin(&watch, request, &port);
    (void)berth_report_make(&port, path, &request->report, &holder);
    cli_watch_end(&watch);
    const uint32_t count =
        holder.reached < BERTH_LOAD_NAMES
            ? 0
            : berth_model_signature_count(holder.loaded.model);
    if (count == 0) {
        const berth_verdict verdict = holder.verdict;
        print_one(request, &holder, true);
        berth_report_close(&holder);
        return verdict;
    }
    berth_report_sum_begin(&sum, &request->report);
    if (request->format == CLI_JSON) {
        (void)fputs("{\"signatures\": [\n", stdout);
    } else if (request->format == CLI_TEXT) {
        berth_report_line(NULL, true, stdout);
    }
    for (uint32_t i = 0; i < count; ++i) {
        report_signature(request, &holder, i, &sum);
    }
    berth_report_sum_close(&sum);
    if (request->format == CLI_JSON) {
        (void)fputs("],\n\"all\": ", stdout);
        (void)berth_report_sum_json(&sum, stdout);
        (void)fputs("}\n", stdout);
    } else if (request->format == CLI_TEXT) {
        berth_report_sum_line(&sum, stdout);
    }
    berth_report_close(&holder);
    return sum.verdict;
}

/* Several files need several names; standard input can be read once. */
static bool paths_are_right(const cli_request *request, char *const *paths,
                            int count)
{
    int stdin_count = 0;
    for (int i = 0; i < count; ++i) {
        stdin_count += strcmp(paths[i], "-") == 0;
    }
    if (count == 0) {
        cli_complain("no file given (see berth report --help)");
    } else if (stdin_count > 1) {
        cli_complain("standard input can be read only once");
    } else if (request->all_signatures && count > 1) {
        cli_complain("--all-signatures takes one file");
    } else {
        return true;
    }
    return false;
}

berth_verdict cli_report(const cli_request *request, char *const *paths,
                         int count)
{
    berth_verdict worst = BERTH_VERDICT_OK;
    const bool alone = count == 1;
    if (!paths_are_right(request, paths, count)) {
        return BERTH_VERDICT_USAGE;
    }
    if (request->format == CLI_CSV) {
        berth_report_csv_head(&request->report, stdout);
    }
    if (request->all_signatures) {
        return report_signatures(request, paths[0]);
    }
    if (!alone && request->format != CLI_CSV) {
        if (request->format == CLI_JSON) {
            (void)fputs("[\n", stdout);
        } else if (request->report.runtime == BERTH_RUNTIME_NONE) {
            berth_report_line(NULL, false, stdout);
        } else {
            berth_report_runtime_head(&request->report, stdout);
        }
    }
    for (int i = 0; i < count; ++i) {
        worst = worse(worst, report_one(request, paths[i], alone));
        if (request->format == CLI_JSON) {
            (void)fputs(i + 1 < count ? ",\n" : "\n", stdout);
        }
    }
    if (!alone && request->format == CLI_JSON) {
        (void)fputs("]\n", stdout);
    }
    return worst;
}

/* Reads argv by the table of options of a command. */
#include "cli.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

void cli_complain(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)fputs("berth: ", stderr);
    (void)vfprintf(stderr, format, values);
    (void)fputc('\n', stderr);
    va_end(values);
}

/* Codes of getopt_long_only: letters are short options. */
enum { CODE_FIRST = 1000 };

/* The word that getopt_long_only has just looked at, up to its = sign. */
static const char *word_read(char *const *argv, char *text, size_t size)
{
    if (optopt > 0 && optopt < CODE_FIRST) { /* a letter among letters */
        (void)snprintf(text, size, "-%c", optopt);
        return text;
    }
    const bool apart = optarg != NULL && optarg == argv[optind - 1];
    const char *word = argv[optind - (apart ? 2 : 1)];
    (void)snprintf(text, size, "%.*s", (int)strcspn(word, "="), word);
    return text;
}

static bool refuse_word(const cli_command *command, const char *word)
{
    cli_nearest nearest;
    const char *bare = word + strspn(word, "-");
    cli_nearest_begin(&nearest, bare);
    for (size_t i = 0; i < command->option_count; ++i) {
        const cli_option *option = &command->options[i];
        if (strcmp(option->name, bare) == 0 && strlen(bare) > 1 &&
            strncmp(word, "--", 2) == 0) {
            cli_complain("%s takes no value", word);
            return false;
        }
        if (!option->hidden) {
            cli_nearest_try(&nearest, option->name);
        }
    }
    const char *near = cli_nearest_word(&nearest);
    if (near != NULL) {
        cli_complain("no option %s; did you mean --%s?", word, near);
    } else {
        cli_complain("no option %s (see berth %s --help)", word, command->name);
    }
    return false;
}

static void fill_getopt(const cli_command *command, struct option *options)
{
    for (size_t i = 0; i < command->option_count; ++i) {
        const cli_option *option = &command->options[i];
        options[i] = (struct option){option->name,
                                     option->value == NULL ? no_argument
                                                           : required_argument,
                                     NULL, (int)i + CODE_FIRST};
    }
    options[command->option_count] = (struct option){0};
}

/* The option --output, or NULL. */
static const cli_option *output_option(const cli_command *command)
{
    for (size_t i = 0; i < command->option_count; ++i) {
        if (strcmp(command->options[i].name, "output") == 0) {
            return &command->options[i];
        }
    }
    return NULL;
}

/* Whether the word is an option's whole name, not an abbreviation. */
static bool is_whole(const cli_command *command, const char *word)
{
    for (size_t i = 0; i < command->option_count; ++i) {
        if (strncmp(word, "--", 2) == 0 &&
            strcmp(word + 2, command->options[i].name) == 0) {
            return true;
        }
    }
    return output_option(command) != NULL && strcmp(word, "-o") == 0;
}

static bool apply_one(const cli_command *command, int code, char **argv,
                      cli_request *request)
{
    char word[CLI_WORD_MAX + 8];
    if (code == 'o') {
        return output_option(command)->apply(request, optarg);
    }
    if (code == 'h') {
        return cli_apply_help(request, NULL);
    }
    if (code == 'V') {
        return cli_apply_version(request, NULL);
    }
    (void)word_read(argv, word, sizeof(word));
    if (code == '?' || !is_whole(command, word)) {
        return refuse_word(command, word); /* also an abbreviation, or -help */
    }
    if (code == ':') {
        cli_complain("%s needs a value", word);
        return false;
    }
    return command->options[code - CODE_FIRST].apply(request, optarg);
}

/* A runtime's page has no place for what shapes berth's own plan alone. --keep
 * and its like do show in what --runtime all starts from. */
static bool check_page(const cli_request *request)
{
    const berth_report_options *report = &request->report;
    const bool alone = report->runtime == BERTH_RUNTIME_TFLM ||
                       report->runtime == BERTH_RUNTIME_LITERT;
    const char *what = report->all_strategies    ? "--all-strategies"
                       : request->all_signatures ? "--all-signatures"
                                                 : NULL;
    if (alone) {
        what = report->stage.keep_count > 0              ? "--keep"
               : report->stage.pin_count > 0             ? "--pin"
               : report->stage.align > 0                 ? "--align"
               : report->strategy != BERTH_STRATEGY_BEST ? "--strategy"
                                                         : what;
    }
    if (request->format != CLI_TEXT || request->help || what == NULL ||
        report->runtime == BERTH_RUNTIME_NONE) {
        return true;
    }
    cli_complain("%s is about berth's own plan: leave out --runtime %s, or "
                 "take --format json",
                 what, berth_runtime_name(report->runtime));
    return false;
}

/* Options of a runtime ask for it; a set of kernels must suit the target. */
static bool check_runtime(berth_report_options *report)
{
    const bool asked = report->target != NULL || report->kernels_count > 0 ||
                       report->has_expect;
    const berth_micro_target *target = report->target != NULL
                                           ? report->target
                                           : berth_micro_target_find("x86-64");
    if (asked && report->runtime == BERTH_RUNTIME_LITERT) {
        cli_complain("--target, --kernels and --expect-arena are for tflm");
        return false;
    }
    if (asked && report->runtime == BERTH_RUNTIME_NONE) {
        report->runtime = BERTH_RUNTIME_TFLM;
    }
    for (uint32_t i = 0; i < report->kernels_count; ++i) {
        if (!berth_micro_kernels_serve(report->kernels[i], target)) {
            cli_complain("%s has no figures for target %s%s",
                         berth_micro_kernels_name(report->kernels[i]),
                         berth_micro_target_name(target),
                         report->target == NULL ? "; name yours with --target"
                                                : "");
            return false;
        }
    }
    return true;
}

bool cli_parse(const cli_command *command, int argc, char **argv,
               cli_request *request, int *first)
{
    struct option options[CLI_OPTIONS_MAX + 1];
    const char *letters = output_option(command) == NULL ? ":hV" : ":hVo:";
    fill_getopt(command, options);
    *request = (cli_request){0};
    optind = 1;
    opterr = 0;
    for (;;) {
        optopt = 0;
        /* With one dash nothing is taken, but the whole word can be named. */
        const int code = getopt_long_only(argc, argv, letters, options, NULL);
        if (code < 0) {
            break;
        }
        if (!apply_one(command, code, argv, request)) {
            return false;
        }
    }
    *first = optind;
    if (!request->has_margin) {
        request->report.margin_percent = CLI_MARGIN_PERCENT;
    } else if (!request->report.has_expect && !request->help) {
        cli_complain("--margin goes with --expect-arena");
        return false;
    }
    if (!check_runtime(&request->report) || !check_page(request)) {
        return false;
    }
    if (request->format == CLI_CSV && request->report.show_tensors &&
        request->report.show_steps) {
        cli_complain("--format csv is one table: --tensors or --ops");
        return false;
    }
    if (request->all_signatures && request->report.signature.size > 0) {
        cli_complain("--signature and --all-signatures exclude each other");
        return false;
    }
    return true;
}

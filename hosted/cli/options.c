/* The table of options, and the reading of argv by it. */
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

static berth_bytes option_text(const char *text)
{
    return (berth_bytes){(const uint8_t *)text, strlen(text)};
}

/* --- what each option does ---------------------------------------------------
 */

static bool apply_budget(cli_request *request, const char *value)
{
    if (!cli_read_bytes(value, &request->report.budget_bytes)) {
        cli_complain("--budget %s: not a number of bytes (try 77824, 76K or "
                     "2M; K is 1024)",
                     value);
        return false;
    }
    request->report.has_budget = true;
    return true;
}

bool cli_apply_shape(cli_request *request, const char *value)
{
    uint32_t *count = &request->report.stage.shape_count;
    if (*count == CLI_NAMED_MAX) {
        cli_complain("--shape: at most %d of them", CLI_NAMED_MAX);
        return false;
    }
    if (!cli_read_shape(value, &request->shapes[*count])) {
        cli_complain("--shape %s: not NAME=1,96,96,3 with at most %u numbers",
                     value, BERTH_RANK_MAX);
        return false;
    }
    ++*count;
    return true;
}

static bool add_name(const char *option, berth_bytes *names, uint32_t *count,
                     const char *value)
{
    if (*count == CLI_NAMED_MAX) {
        cli_complain("--%s: at most %d of them", option, CLI_NAMED_MAX);
        return false;
    }
    if (value[0] == '\0') {
        cli_complain("--%s: the name is empty", option);
        return false;
    }
    names[(*count)++] = option_text(value);
    return true;
}

bool cli_apply_keep(cli_request *request, const char *value)
{
    return add_name("keep", request->keep, &request->report.stage.keep_count,
                    value);
}

bool cli_apply_pin(cli_request *request, const char *value)
{
    return add_name("pin", request->pin, &request->report.stage.pin_count,
                    value);
}

bool cli_apply_signature(cli_request *request, const char *value)
{
    request->report.signature = option_text(value);
    if (value[0] == '\0') {
        cli_complain("--signature: the name is empty");
        return false;
    }
    return true;
}

static bool apply_all_signatures(cli_request *request, const char *value)
{
    (void)value;
    request->all_signatures = true;
    return true;
}

/* No such name: the one that was meant, or else every one there is. */
static bool refuse_name(const char *option, const char *value,
                        const char *(*name)(uint32_t), uint32_t count)
{
    cli_nearest nearest;
    cli_nearest_begin(&nearest, value);
    for (uint32_t i = 0; i < count; ++i) {
        cli_nearest_try(&nearest, name(i));
    }
    const char *near = cli_nearest_word(&nearest);
    cli_complain("--%s %s: no such %s%s%s%s", option, value, option,
                 near == NULL ? "" : "; did you mean ",
                 near == NULL ? "" : near, near == NULL ? "" : "?");
    if (near == NULL) {
        (void)fputs("berth: there are", stderr);
        for (uint32_t i = 0; i < count; ++i) {
            (void)fprintf(stderr, "%s %s", i == 0 ? "" : ",", name(i));
        }
        (void)fputc('\n', stderr);
    }
    return false;
}

static const char *strategy_at(uint32_t index)
{
    return berth_strategy_name((berth_strategy)index);
}

bool cli_apply_strategy(cli_request *request, const char *value)
{
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        if (strcmp(strategy_at(i), value) == 0) {
            request->report.strategy = (berth_strategy)i;
            return true;
        }
    }
    return refuse_name("strategy", value, strategy_at, BERTH_STRATEGY_COUNT);
}

static bool apply_all_strategies(cli_request *request, const char *value)
{
    (void)value;
    request->report.all_strategies = true;
    return true;
}

bool cli_apply_align(cli_request *request, const char *value)
{
    uint64_t align = 0;
    if (!cli_read_bytes(value, &align) || align == 0 ||
        (align & (align - 1u)) != 0 || align > 1u << 20) {
        cli_complain("--align %s: not a power of two from 1 to 1M", value);
        return false;
    }
    request->report.stage.align = (uint32_t)align;
    return true;
}

static bool apply_tensors(cli_request *request, const char *value)
{
    (void)value;
    request->report.show_tensors = true;
    return true;
}

static bool apply_ops(cli_request *request, const char *value)
{
    (void)value;
    request->report.show_steps = true;
    return true;
}

static bool apply_timings(cli_request *request, const char *value)
{
    (void)value;
    request->report.show_timings = true;
    return true;
}

/* --- other runtimes ----------------------------------------------------------
 */

static const char *runtime_at(uint32_t index)
{
    return berth_runtime_name((berth_runtime)(BERTH_RUNTIME_TFLM + index));
}

static const char *target_at(uint32_t index)
{
    return berth_micro_target_name(berth_micro_target_at(index));
}

static const char *kernels_at(uint32_t index)
{
    return berth_micro_kernels_name(berth_micro_kernels_at(index));
}

/* Of a set that is there in other versions: which. */
static bool refuse_version(const char *value)
{
    const size_t length = strcspn(value, "@");
    bool found = false;
    for (uint32_t i = 0; i < berth_micro_kernels_count(); ++i) {
        const char *name = kernels_at(i);
        if (value[length] == '\0' || strlen(name) != length ||
            strncmp(name, value, length) != 0) {
            continue;
        }
        if (!found) {
            cli_complain("--kernels %s: no such version", value);
        }
        (void)fprintf(stderr, "%s %s@%s", found ? "," : "berth: there are",
                      name,
                      berth_micro_kernels_version(berth_micro_kernels_at(i)));
        found = true;
    }
    if (found) {
        (void)fputc('\n', stderr);
    }
    return found;
}

static bool apply_runtime(cli_request *request, const char *value)
{
    if (strcmp(value, "tflite") == 0) {
        request->report.runtime = BERTH_RUNTIME_LITERT;
        return true;
    }
    for (uint32_t i = BERTH_RUNTIME_TFLM; i < BERTH_RUNTIME_COUNT; ++i) {
        const char *name = berth_runtime_name((berth_runtime)i);
        if (strcmp(name, value) == 0) {
            request->report.runtime = (berth_runtime)i;
            return true;
        }
    }
    return refuse_name("runtime", value, runtime_at,
                       BERTH_RUNTIME_COUNT - BERTH_RUNTIME_TFLM);
}

bool cli_apply_target(cli_request *request, const char *value)
{
    request->report.target = berth_micro_target_find(value);
    return request->report.target != NULL ||
           refuse_name("target", value, target_at, berth_micro_target_count());
}

bool cli_apply_kernels(cli_request *request, const char *value)
{
    const berth_micro_kernels *found = berth_micro_kernels_find(value);
    uint32_t *count = &request->report.kernels_count;
    if (*count == 2) {
        cli_complain("--kernels: one set, or two to compare");
        return false;
    }
    if (found != NULL) {
        request->report.kernels[(*count)++] = found;
        return true;
    }
    if (refuse_version(value)) {
        return false;
    }
    return refuse_name("kernels", value, kernels_at,
                       berth_micro_kernels_count());
}

static bool apply_expect(cli_request *request, const char *value)
{
    request->report.has_expect = true;
    if (!cli_read_bytes(value, &request->report.expect_bytes)) {
        cli_complain("--expect-arena %s: not a number of bytes", value);
        return false;
    }
    return true;
}

static bool apply_margin(cli_request *request, const char *value)
{
    uint64_t percent = 0;
    if (!cli_read_bytes(value, &percent) || percent > 1000000u) {
        cli_complain("--margin %s: not a whole number of percent", value);
        return false;
    }
    request->report.margin_percent = (uint32_t)percent;
    request->has_margin = true;
    return true;
}

bool cli_apply_format(cli_request *request, const char *value)
{
    request->json = strcmp(value, "json") == 0;
    if (!request->json && strcmp(value, "text") != 0) {
        cli_complain("--format %s: text or json", value);
        return false;
    }
    return true;
}

bool cli_apply_help(cli_request *request, const char *value)
{
    (void)value;
    request->help = true;
    return true;
}

bool cli_apply_version(cli_request *request, const char *value)
{
    (void)value;
    request->version = true;
    return true;
}

bool cli_apply_man(cli_request *request, const char *value)
{
    (void)value;
    request->man = true;
    return true;
}

static const cli_option report_options[] = {
    {"budget", "BYTES",
     "Answer whether it fits: 77824, 76K, 2M (K is 1024). If not, exit code 1, "
     "the missing bytes and the three tensors to blame. With --runtime: "
     "whether the arena of that runtime fits.",
     apply_budget, false},
    {"shape", "NAME=1,96,96,3",
     "Give an input another shape; may be repeated. Shapes flow from there.",
     cli_apply_shape, false},
    {"keep", "NAME",
     "Keep a tensor readable to the end, and say what that costs; may be "
     "repeated.",
     cli_apply_keep, false},
    {"pin", "NAME",
     "Share the bytes of this tensor with no other, as hardware that reads "
     "behind our back needs; may be repeated.",
     cli_apply_pin, false},
    {"signature", "NAME",
     "Report on this signature, or number #1, rather than subgraph 0.",
     cli_apply_signature, false},
    {"all-signatures", NULL,
     "Report on every signature: the largest arena, and the state once.",
     apply_all_signatures, false},
    {"strategy", "NAME",
     "Plan the arena of the ledger with this strategy rather than best; "
     "tflite and tflm pack berth's own lifetimes then, without views "
     "and in-place operators.",
     cli_apply_strategy, false},
    {"all-strategies", NULL,
     "Solve with every strategy, not only those of the page.",
     apply_all_strategies, false},
    {"align", "BYTES",
     "Align every tensor to this power of two rather than 16.", cli_apply_align,
     false},
    {"runtime", "NAME",
     "What another runtime takes: tflm, litert (or tflite), all.",
     apply_runtime, false},
    {"target", "NAME",
     "The processor for tflm: x86-64, x86-32, m0, m0plus, m3, m4, m7, m33, "
     "m55, m85, rp2040, esp32, esp32s3, pypi and others.",
     cli_apply_target, false},
    {"kernels", "SET[@VERSION]",
     "The kernels for tflm: reference, cmsis-nn, esp-nn. Twice: what the "
     "second changes, operator by operator.",
     cli_apply_kernels, false},
    {"expect-arena", "BYTES",
     "The arena size that is declared for tflm: exit code 1 where it is too "
     "small, or above the least by more than the margin.",
     apply_expect, false},
    {"margin", "PERCENT", "How much above is no waste; 10 unless told.",
     apply_margin, false},
    {"tensors", NULL,
     "List every tensor: type, shape, bytes, class, offset, steps it lives "
     "(0-2: in steps 0 and 1).",
     apply_tensors, false},
    {"ops", NULL, "List every step with the bytes in use there.", apply_ops,
     false},
    {"format", "text|json",
     "Text for people, or JSON for programs (docs/report.schema.json): an "
     "object, or for several files an array of them.",
     cli_apply_format, false},
    {"timings", NULL, "Add to the JSON how long each stage took.",
     apply_timings, false},
    {"help", NULL, "Print this and stop; -h for short.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop; -V for short.",
     cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_REPORT = {
    "report", "where the memory of a model goes", report_options,
    sizeof(report_options) / sizeof(report_options[0])};
_Static_assert(sizeof(report_options) / sizeof(report_options[0]) <=
                   CLI_OPTIONS_MAX,
               "room for the table");

/* --- reading argv ------------------------------------------------------------
 */

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
    if (request->json || request->help || what == NULL ||
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
    if (request->all_signatures && request->report.signature.size > 0) {
        cli_complain("--signature and --all-signatures exclude each other");
        return false;
    }
    return true;
}

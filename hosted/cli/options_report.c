/* The options of berth report. */
#include "cli.h"

#include <string.h>

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

static bool apply_all_signatures(cli_request *request, const char *value)
{
    (void)value;
    request->all_signatures = true;
    return true;
}

static bool apply_all_strategies(cli_request *request, const char *value)
{
    (void)value;
    request->report.all_strategies = true;
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

static bool apply_what_if(cli_request *request, const char *value)
{
    (void)value;
    request->report.what_if = BERTH_WHAT_IF_ALWAYS;
    return true;
}

/* --- other runtimes ----------------------------------------------------------
 */

static const char *runtime_at(uint32_t index)
{
    return berth_runtime_name((berth_runtime)(BERTH_RUNTIME_TFLM + index));
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
    return cli_refuse_name("runtime", value, runtime_at,
                           BERTH_RUNTIME_COUNT - BERTH_RUNTIME_TFLM);
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

static bool apply_report_format(cli_request *request, const char *value)
{
    int index = 0;
    const bool known = cli_choose("format", "text|csv|json", value, &index);
    request->format = known ? (cli_format)index : CLI_TEXT;
    return known;
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
    CLI_RULE_OPTIONS,
    {"what-if", NULL,
     "List what each of these rules would win or cost, planned anew, whatever "
     "the size; the page has the list by itself where there are up to 512 "
     "buffers.",
     apply_what_if, false},
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
    {"format", "text|csv|json",
     "Text for people; CSV, a line for each file, or with --tensors or --ops "
     "for each of these; or JSON (docs/report.schema.json), an object, or for "
     "several files an array of them.",
     apply_report_format, false},
    {"timings", NULL, "Add to the JSON how long each stage took.",
     apply_timings, false},
    {"time", "TIME", CLI_TIME_HELP, cli_apply_time, false},
    {"help", NULL, "Print this and stop; -h for short.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop; -V for short.",
     cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_REPORT = {.name = "report",
                                .summary = "where the memory of a model goes",
                                .options = report_options,
                                .option_count = sizeof(report_options) /
                                                sizeof(report_options[0]),
                                .page = &CLI_REPORT_PAGE,
                                .run = cli_report};
_Static_assert(sizeof(report_options) / sizeof(report_options[0]) <=
                   CLI_OPTIONS_MAX,
               "room for the longest table");

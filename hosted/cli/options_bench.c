/* The options of berth bench. */
#include "cli.h"

static bool apply_runs(cli_request *request, const char *value)
{
    return cli_read_count("runs", value, 1, &request->bench.runs);
}

static bool apply_versus(cli_request *request, const char *value)
{
    int index = 0;
    const bool known = cli_choose("vs", "tflm|litert|litert-ref|litert-xnnpack",
                                  value, &index);
    request->bench.versus = (berth_bench_peer)(index + 1);
    return known;
}

static bool apply_python(cli_request *request, const char *value)
{
    request->bench.python = value;
    return true;
}

static bool apply_ops(cli_request *request, const char *value)
{
    (void)value;
    request->bench.ops = true;
    return true;
}

static const cli_option bench_options[] = {
    {"time", "TIME", "Run for about so long; 1s unless told (500ms, 5s).",
     cli_apply_time, false},
    {"runs", "N", "At most so many runs; 10000 unless told.", apply_runs,
     false},
    {"ops", NULL, "A line for each operator: time, share, MAC/s.", apply_ops,
     false},
    {"vs", "RUNTIME",
     "Run another runtime between the runs and print the ratio: tflm, litert "
     "(optimised kernels, no delegate), litert-ref, litert-xnnpack. Needs "
     "Python with its package of PyPI.",
     apply_versus, false},
    {"python", "PROGRAM", "The Python that has it; python3 unless told.",
     apply_python, false},
    {"threads", "N", "Share out the rows of operators among N threads.",
     cli_apply_threads, false},
    {"kernels", "opt|ref",
     "The fast kernels, or the obvious ones that they are checked against.",
     cli_apply_engine_kernels, false},
    {"profile", "litert|tflm",
     "Whose arithmetic is meant where the two differ; litert unless told.",
     cli_apply_profile, false},
    {"strategy", "NAME", "Plan by this strategy rather than best.",
     cli_apply_strategy, false},
    {"align", "BYTES", "Align every tensor to this power of two, 16 or more.",
     cli_apply_align, false},
    {"shape", "NAME=1,96,96,3", "Give an input another shape; may be repeated.",
     cli_apply_shape, false},
    {"signature", "NAME",
     "Run this signature, or number #1, rather than subgraph 0.",
     cli_apply_signature, false},
    {"format", "text|json", "For people or for programs.", cli_apply_format,
     false},
    {"help", NULL, "Print this and stop.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop.", cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_BENCH = {
    .name = "bench",
    .summary = "how long it runs, and beside TFLM or LiteRT",
    .options = bench_options,
    .option_count = sizeof(bench_options) / sizeof(bench_options[0]),
    .page = &CLI_BENCH_PAGE,
    .run = cli_bench};

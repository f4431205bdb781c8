/* What --help and the man page of berth bench say in words. */
#include "cli.h"

static const cli_exit_code bench_codes[] = {
    {"0", "the figures are there"},
    {"1", "the runtime of --vs did not run"},
    {"2", "wrong usage"},
    {"3", "the model is damaged, or no .tflite file at all"},
    {"4", "the system failed: a file cannot be read, no memory"},
    {"5", "a sound model that cannot be run here"},
};

static void print_bench_rest(FILE *out)
{
    (void)fputs(".SH SEE ALSO\n.BR berth (1),\n.BR berth\\-run (1)\n", out);
}

const cli_page CLI_BENCH_PAGE = {
    .usage = "usage: berth bench MODEL.tflite [OPTION]...\n\n"
             "Times loading, planning, preparing, the first run and steady "
             "runs apart, and\nsays what a run asks of the system.\n",
    .synopsis = ".B berth bench\n\\fIMODEL.tflite\\fR [\\fIOPTION\\fR]...\n",
    .description =
        "Loads, plans and prepares a model, runs it once and then many times, "
        "and prints each apart, with page faults, allocations during the runs "
        "(none), the deepest stack, and the peak of resident memory. Inputs "
        "come from a seed. With --vs another runtime runs in a child process "
        "between the runs, a few of each in turn, and the ratio of the two is "
        "printed: that holds where times do not.",
    .codes = bench_codes,
    .code_count = sizeof(bench_codes) / sizeof(bench_codes[0]),
    .codes_note = NULL,
    .words = NULL,
    .tables = NULL,
    .rest = print_bench_rest};

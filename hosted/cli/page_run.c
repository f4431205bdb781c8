/* What --help and the man page of berth run say in words. */
#include "cli.h"

static const cli_exit_code run_codes[] = {
    {"0", "it ran, and every --expect is as expected"},
    {"1",
     "an output differs, depends on dead bytes, or the arena is too small"},
    {"2", "wrong usage"},
    {"3", "a damaged model or input file, or a value that an operator cannot "
          "take"},
    {"4", "the system failed: a file cannot be read or written, no memory"},
    {"5", "a sound model that cannot be run here: operator, type, shape"},
};

static void print_run_rest(FILE *out)
{
    static const struct {
        const char *command;
        const char *meaning;
    } examples[] = {
        {"berth run model.tflite --input cat.png --top 5 --labels labels.txt",
         "what is in the picture"},
        {"berth run model.tflite --input in.npy --output out.npy",
         "arrays in and out"},
        {"berth run model.tflite --input in.npy --expect want.npy --tolerance "
         "1e-5",
         "the same answer as before?"},
        {"berth run model.tflite --random 1 --arena 60K --poison",
         "does it keep its word in 60 KiB"},
    };
    (void)fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); ++i) {
        cli_print_man_entry(out, examples[i].command, examples[i].meaning);
    }
    (void)fputs(".SH SEE ALSO\n.BR berth (1),\n.BR berth\\-plan (1)\n", out);
}

const cli_page CLI_RUN_PAGE = {
    .usage = "usage: berth run MODEL.tflite --input FILE ... | --random SEED "
             "[OPTION]...\n",
    .synopsis = ".B berth run\n.I MODEL.tflite\n"
                "[\\fIOPTION\\fR]...\n",
    .description =
        "Runs a model in memory of exactly the bytes that berth report names: "
        "an arena that both judges have passed, the state, and the books. "
        "Nothing is allocated while it runs. The arithmetic is that of "
        "TensorFlow Lite's reference kernels, bit by bit for integers.",
    .codes = run_codes,
    .code_count = sizeof(run_codes) / sizeof(run_codes[0]),
    .codes_note = NULL,
    .rest = print_run_rest,
};

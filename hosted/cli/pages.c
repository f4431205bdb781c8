/* What --help and the man pages of report, bake and map say in words. */
#include "cli.h"

/* --- report ------------------------------------------------------------------
 */

static const cli_exit_code report_codes[] = {
    {"0", "yes: the numbers are there, and fit where a budget was given"},
    {"1", "no: it does not fit in the budget, or --expect-arena is not right"},
    {"2", "wrong usage"},
    {"3", "the model is damaged, or no .tflite file at all"},
    {"4", "the system failed: a file cannot be read, no memory"},
    {"5", "a sound model for which some number cannot be given"},
};

/* What the words on the page mean. */
static void print_page_words(FILE *out)
{
    static const struct word {
        const char *word;
        const char *meaning;
    } words[] = {
        {"memory to lend",
         "What the caller provides: the arena, and the state that outlives a "
         "run. Weights stay where the file lies and are not in the total."},
        {"books", "What berth's engine itself keeps. What another "
                  "runtime keeps is not in it: see --runtime."},
        {"W, M, IO", "The bytes of the weights, of the arena, and of the "
                     "inputs and outputs in it."},
        {"of none", "The arena as a share of one without any reuse."},
        {"above bound",
         "How far the arena is above what is alive at one moment, by the life "
         "times that this row packs; proven least where the two are equal. "
         "tflm and tflite have life times and rules of their own."},
        {"67 %, for op 3, waits for op 7",
         "Who is alive at the peak: its share of the arena, and the next "
         "operator that reads it. What the step reads for the last time is "
         "for nobody else."},
        {"what if, planned anew",
         "The arena under other rules, which are options of the same names; "
         "each was planned from the beginning and judged by both judges. At "
         "most: a smaller plan may exist."},
        {"stand on bytes that an earlier one left",
         "Buffers that share bytes with one that is dead by then."},
        {"total, best, tflm, tflite",
         "Of several files: all that is to lend, then the arenas of these "
         "strategies."},
    };
    (void)fputs(".SH THE PAGE\n", out);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
        cli_print_man_entry(out, words[i].word, words[i].meaning);
    }
}

static void print_man_strategies(FILE *out)
{
    (void)fputs(".SH STRATEGIES\n", out);
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        cli_print_man_entry(out, berth_strategy_name((berth_strategy)i),
                            berth_strategy_help((berth_strategy)i));
    }
}

static void print_man_targets(FILE *out)
{
    (void)fputs(".SH TARGETS\n", out);
    for (uint32_t i = 0; i < berth_micro_target_count(); ++i) {
        const berth_micro_target *target = berth_micro_target_at(i);
        cli_print_man_entry(out, berth_micro_target_name(target),
                            berth_micro_target_help(target));
    }
    (void)fputs(".SH KERNEL SETS\n", out);
    for (uint32_t i = 0; i < berth_micro_kernels_count(); ++i) {
        const berth_micro_kernels *set = berth_micro_kernels_at(i);
        char name[64];
        (void)snprintf(name, sizeof(name), "%s@%s",
                       berth_micro_kernels_name(set),
                       berth_micro_kernels_version(set));
        cli_print_man_entry(out, name, berth_micro_kernels_help(set));
    }
}

static void print_report_tables(FILE *out)
{
    print_man_strategies(out);
    print_man_targets(out);
}

static void print_report_rest(FILE *out)
{
    (void)fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n"
                "No colour, if it is set and not empty. There is none either "
                "where standard output is no terminal.\n",
                out);
    cli_print_man_examples(out);
}

const cli_page CLI_REPORT_PAGE = {
    .usage = "usage: berth report [OPTION]... FILE...\n\n"
             "Says where the memory of a .tflite model goes. FILE may be - for "
             "standard\ninput. Several files give a line each. A tensor is "
             "NAME, or '#12' for number 12.\n",
    .synopsis = ".B berth report\n[\\fIOPTION\\fR]... \\fIFILE\\fR...\n"
                ".br\n.B berth\n\\fIFILE\\fR...\n",
    .description =
        "Reads a model, finds how long each tensor lives, plans where "
        "each one lies, and prints a ledger that adds up to the byte, "
        "the arena under every strategy with a bound that no plan can "
        "go under, and who is alive at the peak. FILE may be - for "
        "standard input; several files give a line each. A tensor is "
        "called by its name, by the name that a signature gives it, or "
        "#12 for number 12 of its subgraph.",
    .codes = report_codes,
    .code_count = sizeof(report_codes) / sizeof(report_codes[0]),
    .codes_note = "Of several files the highest counts.",
    .words = print_page_words,
    .tables = print_report_tables,
    .rest = print_report_rest};

/* --- plan --------------------------------------------------------------------
 */

static const cli_exit_code plan_codes[] = {
    {"0", "there is a plan, and it fits where a capacity was given"},
    {"1", "no plan fits, or none was found that does; --fixed cannot be kept"},
    {"2", "wrong usage"},
    {"3", "the file is damaged, or neither a model nor a CSV"},
    {"4", "the system failed: a file cannot be read or written, no memory"},
    {"5", "a sound model or list that no plan can be made for"},
};

static void print_plan_rest(FILE *out)
{
    static const struct line {
        const char *command;
        const char *meaning;
    } lines[] = {
        {"berth plan buffers.csv --capacity 1M -o placed.csv",
         "a plan in 1,048,576 bytes, or the proof that there is none"},
        {"berth plan buffers.csv --time 1m", "search for a minute"},
        {"berth plan model.tflite --format csv | berth check model.tflite -",
         "the same plan, judged"},
        {"berth plan words.tflite faces.tflite --exclusive",
         "two models on one chip, of which one runs at a time"},
    };
    (void)fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i) {
        cli_print_man_entry(out, lines[i].command, lines[i].meaning);
    }
    (void)fputs(".SH SEE ALSO\nberth(1), berth\\-check(1), "
                "docs/buffers\\-csv.md, docs/plan\\-file.md\n",
                out);
}

const cli_page CLI_PLAN_PAGE = {
    .usage =
        "usage: berth plan MODEL|CSV [-o FILE] [OPTION]...\n"
        "       berth plan FILE FILE... --exclusive|--together [OPTION]...\n\n"
        "Places every tensor of a model, or every buffer of a CSV, and says "
        "whether less\nis possible. A CSV has columns id,lower,upper,size, "
        "upper exclusive, and may\nhave alignment, gaps, offset and region. "
        "A file may be - for standard input.\n",
    .synopsis = ".B berth plan\n\\fIMODEL\\fR|\\fICSV\\fR [\\-o \\fIFILE\\fR] "
                "[\\fIOPTION\\fR]...\n.br\n.B berth plan\n\\fIFILE\\fR "
                "\\fIFILE\\fR... \\-\\-exclusive|\\-\\-together "
                "[\\fIOPTION\\fR]...\n",
    .description =
        "Finds an offset for every tensor of a model, kernel scratch "
        "included, or for every buffer of a list, such that no two which live "
        "at one time share bytes unless they may, and tells the peak, a bound "
        "that no plan can be under, and whether they meet. Every plan has "
        "passed the judge before it is printed, that of a model both judges. "
        "The list is a CSV as MiniMalloc and its like read and write it. "
        "Offsets that it brings are told and compared, and kept only with "
        "--fixed. The search ends after an effort that is counted, not timed, "
        "so that the same file gives the same plan; --time searches as long "
        "as told, and Ctrl-C takes the best so far, with the exit code that "
        "it deserves. Several files share one arena: with --exclusive each "
        "begins at 0 and the largest counts, and with --together each has "
        "bytes of its own, since at any moment one may need what another "
        "would overwrite. State that outlives a run is never shared. What is "
        "written with -o is whole, or not there.",
    .codes = plan_codes,
    .code_count = sizeof(plan_codes) / sizeof(plan_codes[0]),
    .rest = print_plan_rest};

/* --- check -------------------------------------------------------------------
 */

static const cli_exit_code check_codes[] = {
    {"0", "the plan is right"},
    {"1", "it is wrong, of something else, or above the capacity"},
    {"2", "wrong usage"},
    {"3", "a file is damaged, or not of a kind that is known"},
    {"4", "the system failed: a file cannot be read, no memory"},
    {"5", "a model or plan that cannot be judged here"},
};

static void print_check_rest(FILE *out)
{
    (void)fputs(".SH SEE ALSO\nberth(1), berth\\-plan(1), "
                "docs/buffers\\-csv.md, docs/plan\\-file.md\n",
                out);
}

const cli_page CLI_CHECK_PAGE = {
    .usage =
        "usage: berth check MODEL|CSV PLAN [OPTION]...\n"
        "       berth check CSV                the offsets that it brings\n"
        "       berth check FILE FILE... PLAN --exclusive|--together\n\n"
        "Judges a plan: a CSV with columns id and offset, the JSON of berth "
        "plan, or a\nplan file. One file may be - for standard input.\n",
    .synopsis =
        ".B berth check\n\\fIMODEL\\fR|\\fICSV\\fR \\fIPLAN\\fR "
        "[\\fIOPTION\\fR]...\n.br\n.B berth check\n\\fICSV\\fR\n.br\n.B "
        "berth check\n\\fIFILE\\fR \\fIFILE\\fR... \\fIPLAN\\fR "
        "\\-\\-exclusive|\\-\\-together\n",
    .description =
        "Takes from a plan nothing but the offsets and asks the judges about "
        "them, on a problem that is made anew from the model or the list. The "
        "first judge looks at rectangles: alignment, and that no two buffers "
        "which live at one time share bytes unless they may. The second, of "
        "a model only, runs the schedule on values and finds the first read "
        "of bytes that somebody has overwritten. They share no code with what "
        "makes plans, or with one another. What is wrong is told with the "
        "buffers, their bytes and the step. A plan of other buffers than "
        "those of the model or list is wrong too. A plan file of berth bake "
        "is judged on TFLM's own problem, with the kernels that it names. The "
        "options have to be "
        "those that the plan was made with.",
    .codes = check_codes,
    .code_count = sizeof(check_codes) / sizeof(check_codes[0]),
    .rest = print_check_rest};

/* --- bake --------------------------------------------------------------------
 */

static const cli_exit_code bake_codes[] = {
    {"0", "all that was asked for is written"},
    {"1", "the model cannot profit; nothing is written"},
    {"2", "wrong usage"},
    {"3", "the model is damaged, or no .tflite file at all"},
    {"4", "the system failed: a file cannot be read or written, no memory"},
    {"5", "a sound model that TFLM does not start with, or cannot be baked"},
};

static void print_bake_rest(FILE *out)
{
    (void)fputs(".SH SEE ALSO\nberth(1), docs/plan\\-file.md, docs/tflm.md\n",
                out);
}

const cli_page CLI_BAKE_PAGE = {
    .usage = "usage: berth bake MODEL -o OUT.tflite --tflm [OPTION]...\n\n"
             "Gives stock TensorFlow Lite for Microcontrollers a better plan: "
             "a copy of "
             "the\nmodel with the plan as metadata, a C header, a C array, a "
             "plan file. "
             "MODEL may\nbe - for standard input.\n",
    .synopsis =
        ".B berth bake\n\\fIMODEL\\fR \\-o \\fIOUT.tflite\\fR \\-\\-tflm "
        "[\\fIOPTION\\fR]...\n",
    .description =
        "TensorFlow Lite for Microcontrollers plans its arena on the device, "
        "greedily. It also obeys offsets that the model brings, as metadata "
        "named OfflineMemoryAllocation. This command finds offsets on TFLM's "
        "own lifetimes, with the scratch of the kernels that are named, and "
        "writes them into a copy of the model; all else in it stays byte for "
        "byte, moved back by one distance. Metadata of that name that the "
        "model had is replaced. The copy is opened again and compared, and "
        "its plan judged twice, before anything is written. The figures hold "
        "for the kernels named; with others the copy runs as well, in another "
        "number of bytes. MODEL may be - for standard input. Files are "
        "written beside their place and moved there, all at the end: none is "
        "ever half written. OUT.tflite may be the model itself, which is then "
        "replaced.",
    .codes = bake_codes,
    .code_count = sizeof(bake_codes) / sizeof(bake_codes[0]),
    .codes_note = NULL,
    .words = NULL,
    .tables = NULL,
    .rest = print_bake_rest};

/* --- map ---------------------------------------------------------------------
 */

static const cli_exit_code map_codes[] = {
    {"0", "the map is written"},
    {"1", "the offsets that the CSV brings are wrong; the map shows them"},
    {"2", "wrong usage"},
    {"3", "the file is damaged, or neither a model nor a CSV"},
    {"4", "the system failed: a file cannot be read or written, no memory"},
    {"5", "tensors without a number are left out, or nothing can be drawn"},
};

static void print_map_rest(FILE *out)
{
    (void)fputs(".SH SEE ALSO\nberth(1)\n", out);
}

const cli_page CLI_MAP_PAGE = {
    .usage =
        "usage: berth map MODEL|CSV [-o map.html|map.svg] [OPTION]...\n\n"
        "Draws where every tensor lies and when: time across, bytes up. The "
        "page "
        "needs\nno network and nothing beside it. A CSV has columns id,lower,"
        "upper,size, upper\nexclusive, and may have offset and alignment. "
        "MODEL "
        "may be - for standard input.\n",
    .synopsis = ".B berth map\n\\fIMODEL\\fR|\\fICSV\\fR [\\-o "
                "\\fImap.html\\fR|\\fImap.svg\\fR] [\\fIOPTION\\fR]...\n",
    .description =
        "Draws a rectangle for every life of every tensor, time across and "
        "bytes up, with the peak, the bound that no plan can go under, and "
        "below them the bytes in use. The page is one file that opens in any "
        "browser, without network; it switches between strategies, finds "
        "tensors by name, and tells of each its shape, bytes, life, place, "
        "operator and neighbours. In the page / finds, the arrow keys go from "
        "tensor to tensor, Enter tells more, Escape goes back, + and - zoom; a "
        "table has the same in words. Instead of a model, a CSV of buffers "
        "may be drawn: columns id, lower, upper and size, upper exclusive, as "
        "MiniMalloc writes them, with offset (a plan to look at) and "
        "alignment if wanted. A file is taken for a CSV if its name ends in "
        ".csv or its first line names these columns. What the file system "
        "knows under the output's name is replaced at the end, and only if "
        "the map is whole.",
    .codes = map_codes,
    .code_count = sizeof(map_codes) / sizeof(map_codes[0]),
    .codes_note = NULL,
    .words = NULL,
    .tables = NULL,
    .rest = print_map_rest};

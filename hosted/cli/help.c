/* --help and the man page, from the table of options. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

static const char *const SUMMARY =
    "tells where the memory of a .tflite model goes, to the byte";

static const struct exit_code {
    const char *code;
    const char *meaning;
} EXIT_CODES[] = {
    {"0", "yes: the numbers are there, and fit where a budget was given"},
    {"1", "no: it does not fit in the budget, or --expect-arena is not right"},
    {"2", "wrong usage"},
    {"3", "the model is damaged, or no .tflite file at all"},
    {"4", "the system failed: a file cannot be read, no memory"},
    {"5", "a sound model for which some number cannot be given"},
};

static const struct exit_code BAKE_EXIT_CODES[] = {
    {"0", "all that was asked for is written"},
    {"1", "the model cannot profit; nothing is written"},
    {"2", "wrong usage"},
    {"3", "the model is damaged, or no .tflite file at all"},
    {"4", "the system failed: a file cannot be read or written, no memory"},
    {"5", "a sound model that TFLM does not start with, or cannot be baked"},
};

static const struct exit_code MAP_EXIT_CODES[] = {
    {"0", "the map is written"},
    {"1", "the offsets that the CSV brings are wrong; the map shows them"},
    {"2", "wrong usage"},
    {"3", "the file is damaged, or neither a model nor a CSV"},
    {"4", "the system failed: a file cannot be read or written, no memory"},
    {"5", "tensors without a number are left out, or nothing can be drawn"},
};

enum {
    MAP_EXIT_CODE_COUNT = sizeof(MAP_EXIT_CODES) / sizeof(MAP_EXIT_CODES[0]),
    EXIT_CODE_COUNT = sizeof(EXIT_CODES) / sizeof(EXIT_CODES[0]),
    BAKE_EXIT_CODE_COUNT = sizeof(BAKE_EXIT_CODES) / sizeof(BAKE_EXIT_CODES[0])
};

static const struct example {
    const char *command;
    const char *meaning;
} EXAMPLES[] = {
    {"berth model.tflite", "where its memory goes"},
    {"berth model.tflite --budget 76K", "does it fit, and who is to blame"},
    {"berth model.tflite --shape input=1,320,320,3", "the same, resized"},
    {"berth model.tflite --target m4", "the kTensorArenaSize of TFLM"},
    {"berth model.tflite --format json --tensors", "for programs"},
    {"berth models/*.tflite", "a line for each"},
    {"berth -", "a model on standard input"},
};

enum { HELP_INDENT = 26, HELP_COLUMNS = 79 };

/* Prints words from column HELP_INDENT on, broken at HELP_COLUMNS. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t column = HELP_INDENT;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        const bool first = column == HELP_INDENT;
        if (!first && column + 1u + length > HELP_COLUMNS) {
            (void)fprintf(out, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        } else if (!first) {
            (void)fputc(' ', out);
            ++column;
        }
        (void)fprintf(out, "%.*s", (int)length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    (void)fputc('\n', out);
}

static void print_exit_codes(const struct exit_code *codes, size_t count,
                             FILE *out)
{
    (void)fputs("\nexit codes\n", out);
    for (size_t i = 0; i < count; ++i) {
        (void)fprintf(out, "  %s  %s\n", codes[i].code, codes[i].meaning);
    }
}

static void print_report_exit_codes(FILE *out)
{
    print_exit_codes(EXIT_CODES, EXIT_CODE_COUNT, out);
    (void)fputs("  Of several files the highest counts.\n", out);
}

void cli_print_help(FILE *out)
{
    (void)fprintf(out,
                  "berth %s\n\n"
                  "usage: berth report [OPTION]... FILE...\n"
                  "       berth FILE...           the same\n"
                  "       berth bake [OPTION]... FILE\n"
                  "       berth map [OPTION]... FILE\n"
                  "       berth COMMAND --help\n\n"
                  "commands\n"
                  "  report                  %s\n"
                  "  bake                    %s\n"
                  "  map                     %s\n",
                  SUMMARY, CLI_REPORT.summary, CLI_BAKE.summary,
                  CLI_MAP.summary);
    (void)fputs("\nexamples\n", out);
    for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); ++i) {
        (void)fprintf(out, "  %-46s %s\n", EXAMPLES[i].command,
                      EXAMPLES[i].meaning);
    }
    print_report_exit_codes(out);
}

static const char REPORT_USAGE[] =
    "usage: berth report [OPTION]... FILE...\n\n"
    "Says where the memory of a .tflite model goes. FILE may be - for standard "
    "input.\nSeveral files give a line each. A tensor is NAME, or '#12' for "
    "number 12.\n";

static const char BAKE_USAGE[] =
    "usage: berth bake MODEL -o OUT.tflite --tflm [OPTION]...\n\n"
    "Gives stock TensorFlow Lite for Microcontrollers a better plan: a copy of "
    "the\nmodel with the plan as metadata, a C header, a C array, a plan file. "
    "MODEL may\nbe - for standard input.\n";

static const char MAP_USAGE[] =
    "usage: berth map MODEL|CSV [-o map.html|map.svg] [OPTION]...\n\n"
    "Draws where every tensor lies and when: time across, bytes up. The page "
    "needs\nno network and nothing beside it. A CSV has columns id,lower,"
    "upper,size, upper\nexclusive, and may have offset and alignment. MODEL "
    "may be - for standard input.\n";

void cli_print_command_help(const cli_command *command, FILE *out)
{
    (void)fputs(command == &CLI_BAKE  ? BAKE_USAGE
                : command == &CLI_MAP ? MAP_USAGE
                                      : REPORT_USAGE,
                out);
    (void)fputs("\noptions\n", out);
    for (size_t i = 0; i < command->option_count; ++i) {
        const cli_option *option = &command->options[i];
        if (option->hidden) {
            continue;
        }
        const int used = fprintf(out, "  --%s%s%s", option->name,
                                 option->value == NULL ? "" : " ",
                                 option->value == NULL ? "" : option->value);
        if (used >= HELP_INDENT) {
            (void)fprintf(out, "\n%*s", HELP_INDENT, "");
        } else {
            (void)fprintf(out, "%*s", HELP_INDENT - used, "");
        }
        print_wrapped(out, option->help);
    }
    if (command == &CLI_BAKE) {
        print_exit_codes(BAKE_EXIT_CODES, BAKE_EXIT_CODE_COUNT, out);
    } else if (command == &CLI_MAP) {
        print_exit_codes(MAP_EXIT_CODES, MAP_EXIT_CODE_COUNT, out);
    } else {
        print_report_exit_codes(out);
    }
}

/* --- the man page ------------------------------------------------------------
 */

/* Text for roff: what would be a command, a hyphen or an escape is not. */
static void print_roff(FILE *out, const char *text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '-' || *text == '\\') {
            (void)fputc('\\', out);
        }
        if (*text == '\'') {
            (void)fputs("\\(aq", out);
        } else {
            (void)fputc(*text, out);
        }
    }
}

static void print_man_options(const cli_command *command, FILE *out)
{
    (void)fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < command->option_count; ++i) {
        const cli_option *option = &command->options[i];
        if (option->hidden) {
            continue;
        }
        (void)fputs(".TP\n.B \\-\\-", out);
        print_roff(out, option->name);
        if (option->value != NULL) {
            (void)fputs(" \\fI", out);
            print_roff(out, option->value);
            (void)fputs("\\fR", out);
        }
        (void)fputc('\n', out);
        print_roff(out, option->help);
        (void)fputc('\n', out);
    }
}

static void print_man_entry(FILE *out, const char *word, const char *meaning)
{
    (void)fputs(".TP\n.B ", out);
    print_roff(out, word);
    (void)fputc('\n', out);
    print_roff(out, meaning);
    (void)fputc('\n', out);
}

/* What the words on the page mean. */
static void print_man_page(FILE *out)
{
    static const struct word {
        const char *word;
        const char *meaning;
    } words[] = {
        {"memory to lend",
         "What the caller provides: the arena, and the state that outlives a "
         "run. Weights stay where the file lies and are not in the total."},
        {"books", "Copies of weights that are misaligned in the file. What a "
                  "runtime keeps for itself is not in it: see --runtime."},
        {"W, M, IO", "The bytes of the weights, of the arena, and of the "
                     "inputs and outputs in it."},
        {"of none", "The arena as a share of one without any reuse."},
        {"above bound",
         "How far the arena is above what is alive at one moment, by the life "
         "times that this row packs; proven least where the two are equal. "
         "tflm and tflite have life times and rules of their own."},
        {"2 to 4", "Alive from step 2 up to step 4, without it."},
        {"stand on bytes that an earlier one left",
         "Buffers that share bytes with one that is dead by then."},
        {"total, best, tflm, tflite",
         "Of several files: all that is to lend, then the arenas of these "
         "strategies."},
    };
    (void)fputs(".SH THE PAGE\n", out);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
        print_man_entry(out, words[i].word, words[i].meaning);
    }
}

static void print_man_strategies(FILE *out)
{
    (void)fputs(".SH STRATEGIES\n", out);
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        print_man_entry(out, berth_strategy_name((berth_strategy)i),
                        berth_strategy_help((berth_strategy)i));
    }
}

static void print_man_targets(FILE *out)
{
    (void)fputs(".SH TARGETS\n", out);
    for (uint32_t i = 0; i < berth_micro_target_count(); ++i) {
        const berth_micro_target *target = berth_micro_target_at(i);
        print_man_entry(out, berth_micro_target_name(target),
                        berth_micro_target_help(target));
    }
    (void)fputs(".SH KERNEL SETS\n", out);
    for (uint32_t i = 0; i < berth_micro_kernels_count(); ++i) {
        const berth_micro_kernels *set = berth_micro_kernels_at(i);
        char name[64];
        (void)snprintf(name, sizeof(name), "%s@%s",
                       berth_micro_kernels_name(set),
                       berth_micro_kernels_version(set));
        print_man_entry(out, name, berth_micro_kernels_help(set));
    }
}

static void print_man_exit_codes(const struct exit_code *codes, size_t count,
                                 FILE *out)
{
    (void)fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < count; ++i) {
        (void)fprintf(out, ".TP\n.B %s\n", codes[i].code);
        print_roff(out, codes[i].meaning);
        (void)fputc('\n', out);
    }
}

static void print_man_tables(FILE *out)
{
    print_man_exit_codes(EXIT_CODES, EXIT_CODE_COUNT, out);
    (void)fputs(".PP\nOf several files the highest counts.\n"
                ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n"
                "No colour, if it is set and not empty. There is none either "
                "where standard output is no terminal.\n"
                ".SH EXAMPLES\n",
                out);
    for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); ++i) {
        (void)fputs(".TP\n.B ", out);
        print_roff(out, EXAMPLES[i].command);
        (void)fputc('\n', out);
        print_roff(out, EXAMPLES[i].meaning);
        (void)fputc('\n', out);
    }
}

void cli_print_man(FILE *out)
{
    (void)fputs(".\\\" Made by berth --man from the table of options; a test "
                "compares.\n"
                ".TH BERTH 1 \"\" \"berth " BERTH_VERSION "\"\n"
                ".SH NAME\nberth \\- ",
                out);
    print_roff(out, SUMMARY);
    (void)fputs("\n.SH SYNOPSIS\n.B berth report\n[\\fIOPTION\\fR]... "
                "\\fIFILE\\fR...\n.br\n.B berth\n\\fIFILE\\fR...\n"
                ".br\n.B berth bake\n\\fIMODEL\\fR [\\fIOPTION\\fR]... "
                "(see berth\\-bake(1))\n"
                ".br\n.B berth map\n\\fIMODEL\\fR [\\fIOPTION\\fR]... "
                "(see berth\\-map(1))\n"
                ".SH DESCRIPTION\n",
                out);
    print_roff(out,
               "Reads a model, finds how long each tensor lives, plans where "
               "each one lies, and prints a ledger that adds up to the byte, "
               "the arena under every strategy with a bound that no plan can "
               "go under, and who is alive at the peak. FILE may be - for "
               "standard input; several files give a line each. A tensor is "
               "called by its name, by the name that a signature gives it, or "
               "#12 for number 12 of its subgraph.");
    (void)fputc('\n', out);
    print_man_page(out);
    print_man_options(&CLI_REPORT, out);
    print_man_strategies(out);
    print_man_targets(out);
    print_man_tables(out);
}

void cli_print_bake_man(FILE *out)
{
    (void)fputs(".\\\" Made by berth bake --man from the table of options; a "
                "test compares.\n"
                ".TH BERTH\\-BAKE 1 \"\" \"berth " BERTH_VERSION "\"\n"
                ".SH NAME\nberth\\-bake \\- ",
                out);
    print_roff(out, CLI_BAKE.summary);
    (void)fputs("\n.SH SYNOPSIS\n.B berth bake\n\\fIMODEL\\fR \\-o "
                "\\fIOUT.tflite\\fR \\-\\-tflm [\\fIOPTION\\fR]...\n"
                ".SH DESCRIPTION\n",
                out);
    print_roff(
        out,
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
        "replaced.");
    (void)fputc('\n', out);
    print_man_options(&CLI_BAKE, out);
    print_man_exit_codes(BAKE_EXIT_CODES, BAKE_EXIT_CODE_COUNT, out);
    (void)fputs(".SH SEE ALSO\nberth(1), docs/plan\\-file.md, docs/tflm.md\n",
                out);
}

void cli_print_map_man(FILE *out)
{
    (void)fputs(".\\\" Made by berth map --man from the table of options; a "
                "test compares.\n"
                ".TH BERTH\\-MAP 1 \"\" \"berth " BERTH_VERSION "\"\n"
                ".SH NAME\nberth\\-map \\- ",
                out);
    print_roff(out, CLI_MAP.summary);
    (void)fputs("\n.SH SYNOPSIS\n.B berth map\n\\fIMODEL\\fR|\\fICSV\\fR [\\-o "
                "\\fImap.html\\fR|\\fImap.svg\\fR] [\\fIOPTION\\fR]...\n"
                ".SH DESCRIPTION\n",
                out);
    print_roff(
        out,
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
        "the map is whole.");
    (void)fputc('\n', out);
    print_man_options(&CLI_MAP, out);
    print_man_exit_codes(MAP_EXIT_CODES, MAP_EXIT_CODE_COUNT, out);
    (void)fputs(".SH SEE ALSO\nberth(1)\n", out);
}

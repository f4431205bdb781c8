/* --help and the man pages, from the tables of options and the pages. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

static const char *const SUMMARY =
    "tells where the memory of a .tflite model goes, to the byte";

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

static void print_exit_codes(const cli_page *page, FILE *out)
{
    (void)fputs("\nexit codes\n", out);
    for (size_t i = 0; i < page->code_count; ++i) {
        (void)fprintf(out, "  %s  %s\n", page->codes[i].code,
                      page->codes[i].meaning);
    }
    if (page->codes_note != NULL) {
        (void)fprintf(out, "  %s\n", page->codes_note);
    }
}

void cli_print_help(FILE *out)
{
    (void)fprintf(out,
                  "berth %s\n\n"
                  "usage: berth COMMAND [OPTION]... FILE...\n"
                  "       berth FILE...           is berth report FILE...\n"
                  "       berth COMMAND --help\n\n"
                  "commands\n",
                  SUMMARY);
    for (size_t i = 0; i < CLI_COMMAND_COUNT; ++i) {
        (void)fprintf(out, "  %-*s%s\n", HELP_INDENT - 2, CLI_COMMANDS[i]->name,
                      CLI_COMMANDS[i]->summary);
    }
    (void)fputs("\nexamples\n", out);
    for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); ++i) {
        (void)fprintf(out, "  %-46s %s\n", EXAMPLES[i].command,
                      EXAMPLES[i].meaning);
    }
    print_exit_codes(CLI_REPORT.page, out);
}

void cli_print_command_help(const cli_command *command, FILE *out)
{
    (void)fputs(command->page->usage, out);
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
    print_exit_codes(command->page, out);
}

/* --- the man pages -----------------------------------------------------------
 */

/* Text for roff: what would be a command, a hyphen or an escape is not. */
void cli_print_roff(FILE *out, const char *text)
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
        cli_print_roff(out, option->name);
        if (option->value != NULL) {
            (void)fputs(" \\fI", out);
            cli_print_roff(out, option->value);
            (void)fputs("\\fR", out);
        }
        (void)fputc('\n', out);
        cli_print_roff(out, option->help);
        (void)fputc('\n', out);
    }
}

void cli_print_man_entry(FILE *out, const char *word, const char *meaning)
{
    (void)fputs(".TP\n.B ", out);
    cli_print_roff(out, word);
    (void)fputc('\n', out);
    cli_print_roff(out, meaning);
    (void)fputc('\n', out);
}

/* "berth" for the page of report, "berth\-map" for that of map. */
static void print_name(const cli_command *command, bool capitals, FILE *out)
{
    (void)fputs(capitals ? "BERTH" : "berth", out);
    if (command == &CLI_REPORT) {
        return;
    }
    (void)fputs("\\-", out);
    for (const char *at = command->name; *at != '\0'; ++at) {
        (void)fputc(capitals ? toupper((unsigned char)*at) : *at, out);
    }
}

static void print_man_head(const cli_command *command, FILE *out)
{
    const bool first = command == &CLI_REPORT;
    (void)fprintf(out,
                  ".\\\" Made by berth %s%s--man from the table of options; a "
                  "test compares.\n.TH ",
                  first ? "" : command->name, first ? "" : " ");
    print_name(command, true, out);
    (void)fputs(" 1 \"\" \"berth " BERTH_VERSION "\"\n.SH NAME\n", out);
    print_name(command, false, out);
    (void)fputs(" \\- ", out);
    cli_print_roff(out, first ? SUMMARY : command->summary);
    (void)fprintf(out, "\n.SH SYNOPSIS\n%s", command->page->synopsis);
    for (size_t i = 1; first && i < CLI_COMMAND_COUNT; ++i) {
        const char *name = CLI_COMMANDS[i]->name;
        (void)fprintf(out, ".br\n.B berth %s\n... (see berth\\-%s(1))\n", name,
                      name);
    }
    (void)fputs(".SH DESCRIPTION\n", out);
    cli_print_roff(out, command->page->description);
    (void)fputc('\n', out);
}

static void print_man_exit_codes(const cli_page *page, FILE *out)
{
    (void)fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < page->code_count; ++i) {
        cli_print_man_entry(out, page->codes[i].code, page->codes[i].meaning);
    }
    if (page->codes_note != NULL) {
        (void)fprintf(out, ".PP\n%s\n", page->codes_note);
    }
}

void cli_print_man_examples(FILE *out)
{
    (void)fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); ++i) {
        cli_print_man_entry(out, EXAMPLES[i].command, EXAMPLES[i].meaning);
    }
}

void cli_print_man(const cli_command *command, FILE *out)
{
    const cli_page *page = command->page;
    print_man_head(command, out);
    if (page->words != NULL) {
        page->words(out);
    }
    print_man_options(command, out);
    if (page->tables != NULL) {
        page->tables(out);
    }
    print_man_exit_codes(page, out);
    page->rest(out);
}

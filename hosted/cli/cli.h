/* cli.h: the command line, driven by one table of options, which is also what
 * --help and the man page are made of. */
#ifndef BERTH_HOSTED_CLI_H
#define BERTH_HOSTED_CLI_H

#include "berth/hosted/firmware.h"
#include "berth/hosted/report.h"

enum {
    CLI_NAMED_MAX = 64, /* of --shape, --keep and --pin each */
    CLI_WORD_MAX = 64,  /* longest word that a suggestion looks at */
    CLI_MARGIN_PERCENT = 10
};

/* What bake was asked for; NULL: not asked. Texts point into argv. */
typedef struct cli_bake_request {
    const char *output;
    const char *header;
    const char *array;
    const char *plan;
    berth_bake_options options;
    bool tflm;
} cli_bake_request;

/* What map was asked for. Texts point into argv. */
typedef struct cli_map_request {
    const char *output; /* NULL: standard output */
    bool has_format;
    bool svg;
} cli_map_request;

/* What was asked for. Texts point into argv. */
typedef struct cli_request {
    berth_report_options report;
    berth_named_shape shapes[CLI_NAMED_MAX];
    berth_bytes keep[CLI_NAMED_MAX];
    berth_bytes pin[CLI_NAMED_MAX];
    cli_bake_request bake;
    cli_map_request map;
    bool json;
    bool all_signatures;
    bool has_margin;
    bool help;
    bool version;
    bool man;
} cli_request;

/* One option: its words, and what it does with its value. False: the value is
 * wrong, and a message was printed. */
typedef struct cli_option {
    const char *name;
    const char *value; /* what its value is called; NULL: it takes none */
    const char *help;
    bool (*apply)(cli_request *request, const char *value);
    bool hidden;
} cli_option;

/* The options of a command. */
typedef struct cli_command {
    const char *name;
    const char *summary;
    const cli_option *options;
    size_t option_count;
} cli_command;

extern const cli_command CLI_REPORT;
extern const cli_command CLI_BAKE;
extern const cli_command CLI_MAP;

enum { CLI_OPTIONS_MAX = 40 }; /* of a command */

/* Reads argv[1] and on; what is no option is left at the end of argv, from
 * *first. -o is short for --output where a command has that. False: wrong
 * usage, and a message was printed. */
bool cli_parse(const cli_command *command, int argc, char **argv,
               cli_request *request, int *first);

/* What options of several commands do with their values. */
bool cli_apply_target(cli_request *request, const char *value);
bool cli_apply_kernels(cli_request *request, const char *value);
bool cli_apply_shape(cli_request *request, const char *value);
bool cli_apply_keep(cli_request *request, const char *value);
bool cli_apply_pin(cli_request *request, const char *value);
bool cli_apply_signature(cli_request *request, const char *value);
bool cli_apply_strategy(cli_request *request, const char *value);
bool cli_apply_align(cli_request *request, const char *value);
bool cli_apply_format(cli_request *request, const char *value);
bool cli_apply_help(cli_request *request, const char *value);
bool cli_apply_version(cli_request *request, const char *value);
bool cli_apply_man(cli_request *request, const char *value);

/* The values that people write; false: not such a thing. */
bool cli_read_bytes(const char *text, uint64_t *bytes);
bool cli_read_shape(const char *text, berth_named_shape *shape);

/* The nearest of the words to a wrong one, or NULL if none is near. */
typedef struct cli_nearest {
    const char *wrong;
    const char *best;
    uint32_t distance;
} cli_nearest;

void cli_nearest_begin(cli_nearest *nearest, const char *wrong);
void cli_nearest_try(cli_nearest *nearest, const char *word);
const char *cli_nearest_word(const cli_nearest *nearest);

/* "berth: …" on standard error, and a newline. */
void cli_complain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

void cli_print_help(FILE *out); /* berth --help */
void cli_print_command_help(const cli_command *command, FILE *out);
void cli_print_man(FILE *out);      /* docs/man/berth.1 */
void cli_print_bake_man(FILE *out); /* docs/man/berth-bake.1 */
void cli_print_map_man(FILE *out);  /* docs/man/berth-map.1 */

/* Reports on every path; the worst verdict. */
berth_verdict cli_report(const cli_request *request, char *const *paths,
                         int count);

/* Bakes one model. */
berth_verdict cli_bake(const cli_request *request, const char *path);

/* Draws one model, or one list of buffers. */
berth_verdict cli_map(const cli_request *request, const char *path);

/* Flushes standard output. True: all is written, or nobody reads it. */
bool cli_finish(void);

/* Everything but main(): runs, and returns the exit code. */
int cli_main(int argc, char **argv);

#endif

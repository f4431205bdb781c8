/* cli.h: the command line, driven by one table of options, which is also what
 * --help and the man page are made of. */
#ifndef BERTH_HOSTED_CLI_H
#define BERTH_HOSTED_CLI_H

#include "berth/hosted/bench.h"
#include "berth/hosted/firmware.h"
#include "berth/hosted/list.h"
#include "berth/hosted/report.h"

enum {
    CLI_NAMED_MAX = 64, /* of --shape, --keep and --pin each, and of files */
    CLI_SEED_MAX = 512,
    CLI_COUNT_MAX = 1000000000, /* of --repeat and its like */
    CLI_WORD_MAX = 64,          /* longest word that a suggestion looks at */
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

/* What plan and check were asked for. */
typedef struct cli_plan_request {
    const char *output; /* NULL: standard output */
    bool has_capacity;
    uint64_t capacity_bytes;
    bool fixed;
    berth_sharing sharing;
} cli_plan_request;

/* The files of an option that may be repeated. */
typedef struct cli_paths {
    const char *path[CLI_NAMED_MAX];
    uint32_t count;
} cli_paths;

/* What run was asked for. */
typedef struct cli_run_request {
    cli_paths inputs;
    cli_paths outputs;
    cli_paths expects;
    cli_paths dumps; /* NAME=FILE */
    const char *seed;
    const char *labels;
    const char *state;
    uint64_t arena_bytes;
    double tolerance;
    float mean[4];
    float std[4];
    uint32_t mean_count;
    uint32_t std_count;
    uint32_t seed_case;
    uint32_t top;
    uint32_t repeat;  /* 0: as --repeat 1 */
    uint32_t threads; /* 0: as --threads 1 */
    berth_profile profile;
    bool reference; /* --kernels ref */
    bool has_arena;
    bool poison;
} cli_run_request;

/* What bench was asked for, besides what it shares with run. */
typedef struct cli_bench_request {
    berth_bench_peer versus;
    const char *python; /* NULL: python3 */
    uint32_t runs;      /* 0: as many as are usual */
    bool ops;
} cli_bench_request;

typedef enum cli_format {
    CLI_TEXT,
    CLI_CSV,
    CLI_JSON,
    CLI_PLAN_FILE
} cli_format;

/* What was asked for. Texts point into argv. */
typedef struct cli_request {
    berth_report_options report;
    berth_named_shape shapes[CLI_NAMED_MAX];
    berth_bytes keep[CLI_NAMED_MAX];
    berth_bytes pin[CLI_NAMED_MAX];
    cli_bake_request bake;
    cli_map_request map;
    cli_run_request run;
    cli_bench_request bench;
    cli_plan_request plan;
    cli_format format;
    bool has_format;
    uint64_t time_ns; /* for each search; 0: as long as is usual */
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

typedef struct cli_exit_code {
    const char *code;
    const char *meaning;
} cli_exit_code;

/* What --help and the man page say besides the options. */
typedef struct cli_page {
    const char *usage;       /* the first lines of --help */
    const char *synopsis;    /* roff */
    const char *description; /* plain text */
    const cli_exit_code *codes;
    size_t code_count;
    const char *codes_note;    /* a line below them, or NULL */
    void (*words)(FILE *out);  /* roff before the options, or NULL */
    void (*tables)(FILE *out); /* roff after the options, or NULL */
    void (*rest)(FILE *out);   /* roff after the exit codes */
} cli_page;

/* Does what was asked for with the files that are named. */
typedef berth_verdict (*cli_run)(const cli_request *request, char *const *paths,
                                 int count);

typedef struct cli_command {
    const char *name;
    const char *summary;
    const cli_option *options;
    size_t option_count;
    const cli_page *page;
    cli_run run;
} cli_command;

extern const cli_command CLI_REPORT;
extern const cli_command CLI_BAKE;
extern const cli_command CLI_MAP;
extern const cli_command CLI_PLAN;
extern const cli_command CLI_CHECK;
extern const cli_command CLI_RUN;
extern const cli_command CLI_BENCH;
extern const cli_page CLI_REPORT_PAGE;
extern const cli_page CLI_BAKE_PAGE;
extern const cli_page CLI_MAP_PAGE;
extern const cli_page CLI_RUN_PAGE;
extern const cli_page CLI_BENCH_PAGE;
extern const cli_page CLI_PLAN_PAGE;
extern const cli_page CLI_CHECK_PAGE;

/* All of them, report first. */
enum { CLI_COMMAND_COUNT = 7 };
extern const cli_command *const CLI_COMMANDS[CLI_COMMAND_COUNT];

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
bool cli_apply_threads(cli_request *request, const char *value);
bool cli_apply_engine_kernels(cli_request *request, const char *value);
bool cli_apply_profile(cli_request *request, const char *value);
bool cli_apply_capacity(cli_request *request, const char *value);
bool cli_apply_exclusive(cli_request *request, const char *value);
bool cli_apply_together(cli_request *request, const char *value);
bool cli_take_output(const char **output, const char *value);
bool cli_apply_time(cli_request *request, const char *value);
bool cli_apply_help(cli_request *request, const char *value);
bool cli_apply_version(cli_request *request, const char *value);
bool cli_apply_man(cli_request *request, const char *value);

/* The number of a value among words such as "text|json". False: it is none of
 * them, and a message was printed. */
bool cli_choose(const char *option, const char *words, const char *value,
                int *index);

/* Says what was meant with the value of an option, or what there is; false. */
bool cli_refuse_name(const char *option, const char *value,
                     const char *(*name)(uint32_t), uint32_t count);

/* Other rules for the lives of tensors: flags of berth_stage_options. */
#define CLI_RULE_FLAGS(X)                                                      \
    X(hold_inputs) X(hold_outputs) X(keep_inputs) X(no_views) X(no_inplace)
#define CLI_RULE_DECLARE(field)                                                \
    bool cli_apply_##field(cli_request *request, const char *value);
CLI_RULE_FLAGS(CLI_RULE_DECLARE)
#undef CLI_RULE_DECLARE
bool cli_apply_lag(cli_request *request, const char *value);

/* Rows about tensors that are named, for tables of options. */
#define CLI_ROW(...)                                                           \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define CLI_NAME_OPTIONS                                                       \
    CLI_ROW("shape", "NAME=1,96,96,3",                                         \
            "Give an input another shape; may be repeated.", cli_apply_shape,  \
            false),                                                            \
        CLI_ROW("keep", "NAME",                                                \
                "Keep a tensor readable to the end; may be repeated.",         \
                cli_apply_keep, false),                                        \
        CLI_ROW(                                                               \
            "pin", "NAME",                                                     \
            "Share the bytes of this tensor with no other; may be repeated.",  \
            cli_apply_pin, false)

/* And about the rules. */
#define CLI_RULE_OPTIONS                                                       \
    CLI_ROW("keep-inputs", NULL,                                               \
            "Keep the inputs to the end, as to run again on them.",            \
            cli_apply_keep_inputs, false),                                     \
        CLI_ROW(                                                               \
            "hold-inputs", NULL,                                               \
            "The inputs lie in memory of the caller's, outside the arena.",    \
            cli_apply_hold_inputs, false),                                     \
        CLI_ROW("hold-outputs", NULL, "The same for the outputs.",             \
                cli_apply_hold_outputs, false),                                \
        CLI_ROW("no-views", NULL,                                              \
                "RESHAPE and its like copy; nothing shares bytes so.",         \
                cli_apply_no_views, false),                                    \
        CLI_ROW("no-in-place", NULL, "No operator writes over its input.",     \
                cli_apply_no_inplace, false),                                  \
        CLI_ROW("lag", "STEPS",                                                \
                "What a step uses is in use for so many steps more, as by "    \
                "DMA or an accelerator that reads behind our back.",           \
                cli_apply_lag, false)

/* What --time is, wherever it is. */
#define CLI_TIME_HELP                                                          \
    "Search so long for each plan that is not proven least (500ms, 5s, 2m), "  \
    "rather than for a fixed effort. Ctrl-C ends the search as well."

/* The value of an option as a number from `least` to CLI_COUNT_MAX. False: a
 * message was printed. */
bool cli_read_count(const char *option, const char *value, uint32_t least,
                    uint32_t *count);

/* The values that people write; false: not such a thing. */
bool cli_read_bytes(const char *text, uint64_t *bytes);
bool cli_read_time(const char *text, uint64_t *ns);
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
void cli_print_man(const cli_command *command, FILE *out); /* docs/man */

/* For the makers of man pages. */
void cli_print_roff(FILE *out, const char *text);
void cli_print_man_entry(FILE *out, const char *word, const char *meaning);
void cli_print_man_examples(FILE *out);

/* Who waits for a search: --time, Ctrl-C, and a line on a terminal. Two calls
 * around all work with `port`. */
typedef struct cli_watch {
    uint64_t limit_ns; /* of one search; 0: none */
    uint64_t first_ns; /* when the first search began; 0: none has */
    uint64_t began_ns; /* this one */
    uint64_t shown_ns;
    bool is_terminal;
} cli_watch;

void cli_watch_begin(cli_watch *watch, const cli_request *request,
                     berth_port *port);
void cli_watch_end(cli_watch *watch);

/* "berth: PATH: why", whatever is in the path. */
void cli_complain_of(const char *path, const char *why);

/* Says why there is no list or no plan; what that comes to. */
berth_verdict cli_fail_list(const char *path, const berth_list_error *error);

/* Writes a file whole or not at all. False: a message was printed. `write`
 * returns false if it has printed one; what went wrong with `out` stays there.
 */
bool cli_save(const char *path, bool (*write)(const void *what, FILE *out),
              const void *what);

/* False: the output, if there is one, would take the place of a file that is
 * read, and a message was printed. */
bool cli_is_apart(const char *output, char *const *paths, int count);

/* The commands. */
berth_verdict cli_report(const cli_request *request, char *const *paths,
                         int count); /* the worst verdict */
berth_verdict cli_bake(const cli_request *request, char *const *paths,
                       int count);
berth_verdict cli_map(const cli_request *request, char *const *paths,
                      int count);
berth_verdict cli_plan(const cli_request *request, char *const *paths,
                       int count);
berth_verdict cli_check(const cli_request *request, char *const *paths,
                        int count);

berth_verdict cli_bench(const cli_request *request, char *const *paths,
                        int count);
berth_verdict cli_run_model(const cli_request *request, char *const *paths,
                            int count);

/* Flushes standard output. True: all is written, or nobody reads it. */
bool cli_finish(void);

/* Everything but main(): runs, and returns the exit code. */
int cli_main(int argc, char **argv);

#endif

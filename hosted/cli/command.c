/* What was asked for, and how it ends. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const cli_command *const CLI_COMMANDS[CLI_COMMAND_COUNT] = {
    &CLI_REPORT, &CLI_PLAN, &CLI_CHECK, &CLI_BAKE,
    &CLI_MAP,    &CLI_RUN,  &CLI_BENCH};

/* Whether the reader of standard output has gone. */
static bool nobody_reads(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return errno == EPIPE ||
           (poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0);
}

bool cli_finish(void)
{
    errno = 0;
    const bool flushed = fflush(stdout) == 0;
    const int error = errno;
    if ((flushed && !ferror(stdout)) || nobody_reads()) {
        return true;
    }
    cli_complain("cannot write the output%s%s", error != 0 ? ": " : "",
                 error != 0 ? strerror(error) : "");
    return false;
}

static bool looks_like_path(const char *word)
{
    return strcmp(word, "-") == 0 || strpbrk(word, "./") != NULL ||
           access(word, F_OK) == 0;
}

/* The command that argv[1] names; the rest of argv then moves down by one.
 * NULL: it names none. */
static const cli_command *take_command(int *argc, char **argv)
{
    const cli_command *found = NULL;
    for (size_t i = 0; i < CLI_COMMAND_COUNT; ++i) {
        if (*argc >= 2 && strcmp(argv[1], CLI_COMMANDS[i]->name) == 0) {
            found = CLI_COMMANDS[i];
        }
    }
    if (found == NULL) {
        return NULL;
    }
    for (int i = 1; i < *argc; ++i) {
        argv[i] = argv[i + 1];
    }
    --*argc;
    return found;
}

static int refuse_command(const char *word)
{
    cli_nearest nearest;
    cli_nearest_begin(&nearest, word);
    for (size_t i = 0; i < CLI_COMMAND_COUNT; ++i) {
        cli_nearest_try(&nearest, CLI_COMMANDS[i]->name);
    }
    cli_nearest_try(&nearest, "--help");
    cli_nearest_try(&nearest, "--version");
    const char *near = cli_nearest_word(&nearest);
    cli_complain("'%s' is neither a command nor a file%s%s%s", word,
                 near == NULL ? "" : "; did you mean ",
                 near == NULL ? "" : near,
                 near == NULL ? " (see berth --help)" : "?");
    return berth_verdict_exit_code(BERTH_VERDICT_USAGE);
}

void cli_complain_of(const char *path, const char *why)
{
    char name[256];
    berth_report_name((berth_bytes){(const uint8_t *)path, strlen(path)}, name,
                      sizeof(name));
    cli_complain("%s: %s", name, why);
}

berth_verdict cli_fail_list(const char *path, const berth_list_error *error)
{
    char why[640];
    berth_list_why(error, why, sizeof(why));
    cli_complain_of(path, why);
    return error->given ? BERTH_VERDICT_UNFIT
                        : berth_report_verdict(&error->load);
}

bool cli_is_apart(const char *output, char *const *paths, int count)
{
    struct stat there;
    struct stat read;
    for (int i = 0; output != NULL && i < count; ++i) {
        if (stat(output, &there) == 0 && stat(paths[i], &read) == 0 &&
            there.st_dev == read.st_dev && there.st_ino == read.st_ino) {
            cli_complain_of(output, "is what is read, and would be lost: write "
                                    "to another file");
            return false;
        }
    }
    return true;
}

bool cli_save(const char *path, bool (*write)(const void *what, FILE *out),
              const void *what)
{
    berth_save save;
    int error = berth_save_begin(path, &save);
    if (error == 0 && !write(what, save.out)) {
        berth_save_drop(&save);
        return false;
    }
    error = error == 0 ? berth_save_finish(&save) : error;
    error = error == 0 ? berth_save_move(&save) : error;
    berth_save_drop(&save);
    if (error != 0) {
        cli_complain_of(path, error == EINVAL ? "is there, and no ordinary file"
                                              : strerror(error));
    }
    return error == 0;
}

/* command: NULL where none was named. */
static void print_about(const cli_request *request, const cli_command *command)
{
    if (request->man) {
        cli_print_man(command == NULL ? &CLI_REPORT : command, stdout);
    } else if (request->version) {
        (void)puts("berth " BERTH_VERSION);
    } else if (command != NULL) {
        cli_print_command_help(command, stdout);
    } else {
        cli_print_help(stdout);
    }
}

static int run(int argc, char **argv)
{
    cli_request request;
    int first = 0;
    if (argc < 2) {
        cli_print_help(stderr);
        return berth_verdict_exit_code(BERTH_VERDICT_USAGE);
    }
    const cli_command *named = take_command(&argc, argv);
    const cli_command *command = named == NULL ? &CLI_REPORT : named;
    if (named == NULL && argc >= 2 && argv[1][0] != '-' &&
        !looks_like_path(argv[1])) {
        return refuse_command(argv[1]);
    }
    if (!cli_parse(command, argc, argv, &request, &first)) {
        return berth_verdict_exit_code(BERTH_VERDICT_USAGE);
    }
    if (request.help || request.version || request.man) {
        print_about(&request, named);
        return berth_verdict_exit_code(BERTH_VERDICT_OK);
    }
    request.report.stage.shapes = request.shapes;
    request.report.stage.keep = request.keep;
    request.report.stage.pin = request.pin;
    return berth_verdict_exit_code(
        command->run(&request, argv + first, argc - first));
}

int cli_main(int argc, char **argv)
{
    /* Writing to a pipe that nobody reads is an error to see, not a death. */
    (void)signal(SIGPIPE, SIG_IGN);
    const int code = run(argc, argv);
    return cli_finish() ? code : berth_verdict_exit_code(BERTH_VERDICT_SYSTEM);
}

/* What was asked for, and how it ends. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const COMMANDS[] = {"report"};

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

/* True if argv[1] is a command; the rest of argv then moves down by one. */
static bool take_command(int *argc, char **argv)
{
    if (*argc < 2 || strcmp(argv[1], COMMANDS[0]) != 0) {
        return false;
    }
    for (int i = 1; i < *argc; ++i) {
        argv[i] = argv[i + 1];
    }
    --*argc;
    return true;
}

static int refuse_command(const char *word)
{
    cli_nearest nearest;
    cli_nearest_begin(&nearest, word);
    for (size_t i = 0; i < sizeof(COMMANDS) / sizeof(COMMANDS[0]); ++i) {
        cli_nearest_try(&nearest, COMMANDS[i]);
    }
    const char *near = cli_nearest_word(&nearest);
    cli_complain("'%s' is neither a command nor a file%s%s%s", word,
                 near == NULL ? "" : "; did you mean ",
                 near == NULL ? "" : near,
                 near == NULL ? " (see berth --help)" : "?");
    return berth_verdict_exit_code(BERTH_VERDICT_USAGE);
}

/* Several files need several names; standard input can be read once. */
static bool paths_are_right(const cli_request *request, char *const *paths,
                            int count)
{
    int stdin_count = 0;
    for (int i = 0; i < count; ++i) {
        stdin_count += strcmp(paths[i], "-") == 0;
    }
    if (count == 0) {
        cli_complain("no file given (see berth report --help)");
    } else if (stdin_count > 1) {
        cli_complain("standard input can be read only once");
    } else if (request->all_signatures && count > 1) {
        cli_complain("--all-signatures takes one file");
    } else {
        return true;
    }
    return false;
}

static void print_about(const cli_request *request, bool of_command)
{
    if (request->man) {
        cli_print_man(stdout);
    } else if (request->version) {
        (void)puts("berth " BERTH_VERSION);
    } else if (of_command) {
        cli_print_report_help(stdout);
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
    const bool of_command = take_command(&argc, argv);
    if (!of_command && argv[1][0] != '-' && !looks_like_path(argv[1])) {
        return refuse_command(argv[1]);
    }
    if (!cli_parse(argc, argv, &request, &first)) {
        return berth_verdict_exit_code(BERTH_VERDICT_USAGE);
    }
    if (request.help || request.version || request.man) {
        print_about(&request, of_command);
        return berth_verdict_exit_code(BERTH_VERDICT_OK);
    }
    if (!paths_are_right(&request, argv + first, argc - first)) {
        return berth_verdict_exit_code(BERTH_VERDICT_USAGE);
    }
    request.report.stage.shapes = request.shapes;
    request.report.stage.keep = request.keep;
    request.report.stage.pin = request.pin;
    return berth_verdict_exit_code(
        cli_report(&request, argv + first, argc - first));
}

int cli_main(int argc, char **argv)
{
    /* Writing to a pipe that nobody reads is an error to see, not a death. */
    (void)signal(SIGPIPE, SIG_IGN);
    const int code = run(argc, argv);
    return cli_finish() ? code : berth_verdict_exit_code(BERTH_VERDICT_SYSTEM);
}

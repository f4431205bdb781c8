/* How long a search may take, and what is told of it meanwhile. */
#include "cli.h"

#include "report/report_int.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WATCH_SECOND_NS UINT64_C(1000000000)
#define WATCH_SHOW_NS   UINT64_C(200000000)

/* Set by the signal, never cleared: who has lost patience with one search has
 * none for the next. */
static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* The first Ctrl-C ends the search; the next one ends the program. */
static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = note_interrupt};
    (void)sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    (void)sigaction(SIGINT, &action, NULL);
}

static void show(const berth_progress *progress, uint64_t seconds)
{
    char numbers[2][WORD_NUMBER];
    (void)fprintf(stderr,
                  "\r\033[Kberth: %llu s, best %s bytes, none under %s; Ctrl-C "
                  "takes it ",
                  (unsigned long long)seconds,
                  word_number(numbers[0], progress->peak_bytes),
                  word_number(numbers[1], progress->bound_bytes));
    (void)fflush(stderr);
}

static bool watch_goes_on(void *watcher, const berth_progress *progress)
{
    cli_watch *watch = watcher;
    const uint64_t now = berth_port_now_ns();
    if (progress->slice == 0) {
        watch->began_ns = now;
        if (watch->first_ns == 0) {
            watch->first_ns = now;
            catch_interrupt();
        }
        return true;
    }
    if (watch->is_terminal && now - watch->first_ns > WATCH_SECOND_NS &&
        now - watch->shown_ns > WATCH_SHOW_NS) {
        watch->shown_ns = now;
        show(progress, (now - watch->first_ns) / WATCH_SECOND_NS);
    }
    return interrupted == 0 &&
           (watch->limit_ns == 0 || now - watch->began_ns < watch->limit_ns);
}

void cli_watch_begin(cli_watch *watch, const cli_request *request,
                     berth_port *port)
{
    const char *terminal = getenv("TERM");
    *watch = (cli_watch){
        .limit_ns = request->time_ns,
        .is_terminal = isatty(STDERR_FILENO) != 0 &&
                       (terminal == NULL || strcmp(terminal, "dumb") != 0)};
    port->go_on = watch_goes_on;
    port->watcher = watch;
    port->endless = request->time_ns > 0;
}

void cli_watch_end(cli_watch *watch)
{
    if (watch->shown_ns > 0) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
    if (watch->first_ns > 0 && interrupted == 0) {
        (void)signal(SIGINT, SIG_DFL);
    }
    *watch = (cli_watch){0};
}

/* Another runtime in a child process, a few runs at a time between ours. The
 * two sit on the same machine in the same minute, so their ratio holds where
 * neither time does. */
#include "bench_int.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MOST = 200, LINE_BYTES = 8192 };

#define PEER_ROUND_NS UINT64_C(50000000)

typedef struct peer_child {
    pid_t pid;
    FILE *to;
    FILE *from;
} peer_child;

const char *berth_bench_peer_name(berth_bench_peer peer)
{
    static const char *const names[] = {
#define PEER_NAME(name, text, help) text,
        BERTH_BENCH_PEER_TABLE(PEER_NAME)
#undef PEER_NAME
    };
    return names[peer];
}

/* In the child: does not return. */
static void become_peer(const bench_job *job, const char *path, int in, int out)
{
    const berth_bench_options *options = job->options;
    const char *python = options->python == NULL ? "python3" : options->python;
    FILE *quiet = freopen("/dev/null", "w", stderr);
    (void)quiet;
    (void)dup2(in, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)execlp(python, python, "-c", (const char *)bench_peer_script,
                 berth_bench_peer_name(options->versus), path,
                 options->seed == NULL ? "1" : options->seed, (char *)NULL);
    (void)dprintf(STDOUT_FILENO, "error %s: %s\n", python, strerror(errno));
    _exit(127);
}

static bool open_peer(const bench_job *job, const char *path, peer_child *child)
{
    int down[2];
    int up[2];
    if (pipe(down) != 0) {
        return false;
    }
    if (pipe(up) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return false;
    }
    child->pid = fork();
    if (child->pid == 0) {
        (void)close(down[1]);
        (void)close(up[0]);
        become_peer(job, path, down[0], up[1]);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    child->to = fdopen(down[1], "w");
    child->from = fdopen(up[0], "r");
    return child->pid > 0 && child->to != NULL && child->from != NULL;
}

static void close_peer(peer_child *child)
{
    if (child->to != NULL) {
        (void)fclose(child->to);
    }
    if (child->from != NULL) {
        (void)fclose(child->from);
    }
    if (child->pid > 0) {
        (void)waitpid(child->pid, NULL, 0);
    }
}

/* A line of the child. False: it has none, or says what went wrong. */
static bool hear(peer_child *child, char *line, berth_bench_versus *versus)
{
    int state = 0;
    if (fgets(line, LINE_BYTES, child->from) == NULL) {
        (void)waitpid(child->pid, &state, 0);
        child->pid = 0;
        (void)snprintf(versus->why, sizeof(versus->why),
                       WIFSIGNALED(state) ? "the peer died of signal %d"
                                          : "the peer ended with code %d",
                       WIFSIGNALED(state) ? WTERMSIG(state)
                                          : WEXITSTATUS(state));
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "error ", 6) == 0) {
        (void)snprintf(versus->why, sizeof(versus->why), "%.200s", line + 6);
        return false;
    }
    return true;
}

/* The median of the peer's next `count` runs. */
static bool ask(peer_child *child, uint32_t count, uint64_t *median,
                berth_bench_versus *versus)
{
    char line[LINE_BYTES];
    uint64_t times[RUNS_MOST];
    uint32_t found = 0;
    (void)fprintf(child->to, "%u\n", count);
    if (fflush(child->to) != 0 || !hear(child, line, versus)) {
        return false;
    }
    for (char *at = line; found < count;) {
        char *end = NULL;
        times[found] = strtoull(at, &end, 10);
        if (end == at) {
            break;
        }
        ++found;
        at = end;
    }
    if (found == 0) {
        (void)snprintf(versus->why, sizeof(versus->why), "the peer is silent");
        return false;
    }
    *median = bench_quantile(times, found, 50);
    return true;
}

static int by_ratio(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static berth_status compare(bench_job *job, peer_child *child)
{
    berth_bench_versus *versus = &job->bench->versus;
    uint64_t own[BERTH_BENCH_ROUNDS];
    uint64_t peer[BERTH_BENCH_ROUNDS];
    double ratio[BERTH_BENCH_ROUNDS];
    const uint64_t slower = versus->first_ns + job->bench->steady.median_ns + 1;
    const uint64_t fit = PEER_ROUND_NS / slower;
    const uint32_t runs = fit < 1           ? 1
                          : fit > RUNS_MOST ? RUNS_MOST
                                            : (uint32_t)fit;
    for (uint32_t i = 0; i < BERTH_BENCH_ROUNDS; ++i) {
        berth_bench_series series;
        BERTH_TRY(bench_series(job, PEER_ROUND_NS, runs, &series));
        own[i] = series.median_ns == 0 ? 1 : series.median_ns;
        if (!ask(child, runs, &peer[i], versus)) {
            return BERTH_OK;
        }
        ratio[i] = (double)peer[i] / (double)own[i];
    }
    qsort(ratio, BERTH_BENCH_ROUNDS, sizeof(ratio[0]), by_ratio);
    versus->ran = true;
    versus->rounds = BERTH_BENCH_ROUNDS;
    versus->own_ns = bench_quantile(own, BERTH_BENCH_ROUNDS, 50);
    versus->peer_ns = bench_quantile(peer, BERTH_BENCH_ROUNDS, 50);
    versus->ratio = ratio[BERTH_BENCH_ROUNDS / 2];
    versus->ratio_least = ratio[0];
    versus->ratio_most = ratio[BERTH_BENCH_ROUNDS - 1];
    return BERTH_OK;
}

berth_status bench_versus(bench_job *job, const char *path)
{
    berth_bench_versus *versus = &job->bench->versus;
    peer_child child = {.pid = 0};
    char line[LINE_BYTES];
    unsigned long long prepare = 0;
    unsigned long long first = 0;
    berth_status status = BERTH_OK;
    if (!open_peer(job, path, &child)) {
        (void)snprintf(versus->why, sizeof(versus->why), "%s", strerror(errno));
    } else if (hear(&child, line, versus)) {
        if (sscanf(line, "ready %llu %llu", &prepare, &first) == 2) {
            versus->prepare_ns = prepare;
            versus->first_ns = first;
            status = compare(job, &child);
        } else {
            (void)snprintf(versus->why, sizeof(versus->why), "%.200s", line);
        }
    }
    close_peer(&child);
    return status;
}

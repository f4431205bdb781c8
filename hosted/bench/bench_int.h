/* bench_int.h: what the files of this folder share.
 *
 *   bench.c      the order of things          stack.c  a painted stack
 *   series.c     many runs, few numbers       macs.c   how much work an op is
 *   peer.c       another runtime in a child   peer.py  what the child runs */
#ifndef BENCH_INT_H
#define BENCH_INT_H

#include "berth/hosted/bench.h"
#include "berth/hosted/run.h"

/* What is measured, and by what. */
typedef struct bench_job {
    const berth_bench_options *options;
    berth_bench *bench;
    berth_threads *threads;
    berth_engine_watch *before; /* NULL but while profiling */
    berth_engine_watch *after;
    void *watcher;
    berth_diag diag;
} bench_job;

/* Writes the inputs; false: the type of one has no seed. */
bool bench_feed(bench_job *job);
/* Feeds and runs once; the time is that of the run alone. */
berth_status bench_run(bench_job *job, uint64_t *ns);

/* At most `most` runs within about time_ns, at least three. */
berth_status bench_series(bench_job *job, uint64_t time_ns, uint32_t most,
                          berth_bench_series *series);
/* Page faults of this process so far. */
uint64_t bench_faults(void);
/* The value at a share of sorted ones; sorts. */
uint64_t bench_quantile(uint64_t *values, uint32_t count, uint32_t percent);

/* Calls work(self) on a stack of its own, and tells how deep it went; 0: the
 * system gave no stack, and it ran on the usual one. */
uint64_t bench_on_painted_stack(void (*work)(void *self), void *self);

uint64_t bench_macs(const berth_node *node);

/* Runs the peer between ours and fills bench->versus; what goes wrong with it
 * is told there. */
berth_status bench_versus(bench_job *job, const char *path);

/* peer.py */
extern const unsigned char bench_peer_script[];
extern const size_t bench_peer_script_size;

#endif

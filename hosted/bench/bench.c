/* The order of things: load, plan, prepare, the first run, steady runs, then
 * runs that are watched op by op, and last the peer. */
#include "bench_int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RUNS_USUAL = 10000, PROFILED_MOST = 50, KEY_BYTES = 600 };

#define BENCH_SECOND_NS UINT64_C(1000000000)

static uint64_t allocations(void)
{
    return berth_bench_allocations == NULL ? 0 : berth_bench_allocations();
}

/* --- one run -----------------------------------------------------------------
 */

bool bench_feed(bench_job *job)
{
    const berth_engine *engine = job->bench->session.engine;
    const char *seed = job->options->seed == NULL ? "1" : job->options->seed;
    const uint32_t count = berth_engine_input_count(engine);
    for (uint32_t i = 0; i < count; ++i) {
        char key[KEY_BYTES];
        berth_io io;
        if (berth_engine_input(engine, i, &io) != BERTH_OK || io.bytes == 0 ||
            io.constant) {
            continue;
        }
        (void)snprintf(key, sizeof(key), "%.500s#%u#0#0", seed, i);
        if (!berth_array_seed(key, io.type, berth_io_elements(&io), io.data)) {
            return false;
        }
    }
    return true;
}

berth_status bench_run(bench_job *job, uint64_t *ns)
{
    const berth_run_options options = {
        .before = job->before,
        .after = job->after,
        .watcher = job->watcher,
        .share = job->threads == NULL ? NULL : berth_threads_share,
        .sharer = job->threads,
        .parts = job->options->threads};
    if (!bench_feed(job)) {
        job->diag = berth_diag_none();
        job->diag.what = "an input of a type that no seed makes";
        return BERTH_BAD_ARG;
    }
    const uint64_t asked = allocations();
    const uint64_t began = berth_port_now_ns();
    const berth_status status =
        berth_engine_run(job->bench->session.engine, &options, &job->diag);
    *ns = berth_port_now_ns() - began;
    job->bench->allocations += allocations() - asked;
    return status;
}

/* --- op by op ----------------------------------------------------------------
 */

typedef struct bench_profile {
    berth_bench *bench;
    uint64_t began_ns;
    uint32_t next; /* op, in the order of steps */
    bool first;
} bench_profile;

static void note_begin(void *self, const berth_engine_event *event)
{
    bench_profile *profile = self;
    (void)event;
    profile->began_ns = berth_port_now_ns();
}

static void note_end(void *self, const berth_engine_event *event)
{
    bench_profile *profile = self;
    berth_bench *bench = profile->bench;
    const uint64_t ns = berth_port_now_ns() - profile->began_ns;
    if (profile->first &&
        bench->op_count < bench->session.staged.schedule.step_count) {
        const uint64_t macs = event->node == NULL ? 0 : bench_macs(event->node);
        bench->ops[bench->op_count++] =
            (berth_bench_op){.step = event->step,
                             .subgraph = event->subgraph,
                             .op = event->op,
                             .code = event->code,
                             .ns = UINT64_MAX,
                             .macs = macs};
        bench->macs += macs;
    }
    if (profile->next < bench->op_count) {
        berth_bench_op *op = &bench->ops[profile->next++];
        op->ns = ns < op->ns ? ns : op->ns;
    }
}

static berth_status profile_ops(bench_job *job)
{
    berth_bench *bench = job->bench;
    bench_profile profile = {.bench = bench, .first = true};
    const uint32_t steps = bench->session.staged.schedule.step_count;
    uint64_t spent = 0;
    uint32_t runs = 0;
    if (!berth_block_take(bench->session.port,
                          ((size_t)steps + 1u) * sizeof(*bench->ops),
                          &bench->ops_block)) {
        return BERTH_NO_SPACE;
    }
    bench->ops = bench->ops_block.memory;
    job->before = note_begin;
    job->after = note_end;
    job->watcher = &profile;
    berth_status status = BERTH_OK;
    while (status == BERTH_OK && runs < PROFILED_MOST &&
           spent < BENCH_SECOND_NS) {
        uint64_t ns = 0;
        profile.next = 0;
        status = bench_run(job, &ns);
        profile.first = false;
        spent += ns;
        ++runs;
    }
    job->before = NULL;
    job->after = NULL;
    return status;
}

/* --- all of it ---------------------------------------------------------------
 */

typedef struct stacked_run {
    bench_job *job;
    uint64_t ns;
    berth_status status;
} stacked_run;

static void run_stacked(void *self)
{
    stacked_run *run = self;
    run->status = bench_run(run->job, &run->ns);
}

static berth_status measure(bench_job *job, const char *path)
{
    berth_bench *bench = job->bench;
    const berth_bench_options *options = job->options;
    struct rusage usage;
    const uint64_t before = bench_faults();
    BERTH_TRY(bench_run(job, &bench->first_ns));
    bench->first_faults = bench_faults() - before;
    BERTH_TRY(bench_series(
        job, options->time_ns == 0 ? BENCH_SECOND_NS : options->time_ns,
        options->runs_most == 0 ? RUNS_USUAL : options->runs_most,
        &bench->steady));
    (void)getrusage(RUSAGE_SELF, &usage);
    bench->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
    stacked_run stacked = {.job = job};
    bench->stack_bytes = bench_on_painted_stack(run_stacked, &stacked);
    BERTH_TRY(stacked.status);
    BERTH_TRY(profile_ops(job));
    return options->versus == BERTH_BENCH_PEER_NONE ? BERTH_OK
                                                    : bench_versus(job, path);
}

static berth_status measure_with_threads(bench_job *job, const char *path)
{
    const uint32_t threads = job->options->threads;
    if (threads > 1) {
        job->threads = berth_threads_open(job->bench->session.port, threads);
        if (job->threads == NULL) {
            job->diag.what = "the system has not so many threads";
            return BERTH_NO_SPACE;
        }
    }
    const berth_status status = measure(job, path);
    if (job->threads != NULL) {
        berth_threads_close(job->threads);
    }
    return status;
}

static berth_status load_and_prepare(berth_port *port, const char *path,
                                     const berth_bench_options *options,
                                     berth_bench *bench,
                                     berth_load_error *error)
{
    const uint64_t began = berth_port_now_ns();
    BERTH_TRY(berth_session_load(port, path, &bench->session, error));
    bench->load_ns = berth_port_now_ns() - began;
    berth_session_options session = options->session;
    uint32_t signature = BERTH_NONE;
    BERTH_TRY(berth_load_choose(&bench->session.loaded, options->signature,
                                &signature, &session.stage.subgraph, error));
    const uint64_t before = bench_faults();
    BERTH_TRY(berth_session_prepare(&bench->session, &session, error));
    bench->prepare_faults = bench_faults() - before;
    const berth_staged *staged = &bench->session.staged;
    bench->stage_ns =
        staged->shapes_ns + staged->schedule_ns + staged->lifetimes_ns;
    return BERTH_OK;
}

berth_status berth_bench_make(berth_port *port, const char *path,
                              const berth_bench_options *options,
                              berth_bench *bench, berth_load_error *error)
{
    *bench =
        (berth_bench){.allocations_counted = berth_bench_allocations != NULL};
    bench_job job = {
        .options = options, .bench = bench, .diag = berth_diag_none()};
    BERTH_TRY(load_and_prepare(port, path, options, bench, error));
    const berth_status status = measure_with_threads(&job, path);
    if (status != BERTH_OK) {
        error->stage = BERTH_LOAD_ENGINE;
        error->status = status;
        error->diag = job.diag;
    }
    return status;
}

void berth_bench_close(berth_bench *bench)
{
    if (bench->session.port != NULL) {
        berth_block_give(bench->session.port, &bench->ops_block);
    }
    berth_session_close(&bench->session);
}

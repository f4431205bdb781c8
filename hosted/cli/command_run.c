/* berth run: a model in blocks of exactly the bytes that report names. */
#include "cli_run.h"

#include "report/report_int.h"

#include <errno.h>
#include <string.h>

enum { POISON_FIRST = 0x5a, POISON_SECOND = 0xa5 };

/* What stands around one run. */
typedef struct run_guests {
    berth_threads *threads;
    berth_poison poison;
    run_dumps *dumps;
    bool has_poison;
} run_guests;

static berth_verdict refuse_run(const run_job *job, berth_status status,
                                const berth_diag *diag)
{
    const berth_load_error error = {.stage = BERTH_LOAD_ENGINE,
                                    .status = status,
                                    .kind = BERTH_FILE_TFLITE,
                                    .diag = *diag};
    return cli_refuse_session(&job->session, job->path, &error);
}

/* --- state -------------------------------------------------------------------
 */

static berth_verdict restore_state(run_job *job)
{
    const char *path = job->request->run.state;
    berth_file file;
    berth_diag diag = berth_diag_none();
    const int error = berth_file_open_whole(job->port, path, &file);
    if (error == ENOENT) {
        return BERTH_VERDICT_OK; /* the first time */
    }
    if (error != 0) {
        cli_complain_of(path, strerror(error));
        return BERTH_VERDICT_SYSTEM;
    }
    const berth_status status =
        berth_engine_restore(job->session.engine, file.bytes, &diag);
    berth_file_close(job->port, &file);
    if (status != BERTH_OK) {
        cli_complain_of(path, diag.what);
        return BERTH_VERDICT_DAMAGED;
    }
    return BERTH_VERDICT_OK;
}

static berth_verdict save_state(run_job *job)
{
    const char *path = job->request->run.state;
    const size_t size = berth_engine_saved_bytes(job->session.engine);
    berth_diag diag = berth_diag_none();
    berth_block block;
    berth_save save;
    if (!berth_block_take(job->port, size, &block)) {
        cli_complain_of(path, "no memory for the state");
        return BERTH_VERDICT_SYSTEM;
    }
    int error = 0;
    if (berth_engine_save(job->session.engine, block.memory, size, &diag) !=
        BERTH_OK) {
        error = EIO;
    } else {
        error = berth_save_begin(path, &save);
        if (error == 0) {
            (void)fwrite(block.memory, 1, size, save.out);
            error = berth_save_finish(&save);
        }
        error = error == 0 ? berth_save_move(&save) : error;
        berth_save_drop(&save);
    }
    berth_block_give(job->port, &block);
    if (error != 0) {
        cli_complain_of(path, error == EINVAL ? "is there, and no ordinary file"
                                              : strerror(error));
        return BERTH_VERDICT_SYSTEM;
    }
    return BERTH_VERDICT_OK;
}

/* --- runs --------------------------------------------------------------------
 */

static void before_step(void *self, const berth_engine_event *event)
{
    run_guests *guests = self;
    if (guests->has_poison) {
        berth_poison_before(&guests->poison, event);
    }
}

static void after_step(void *self, const berth_engine_event *event)
{
    run_guests *guests = self;
    if (guests->dumps != NULL) {
        run_dumps_after(guests->dumps, event);
    }
}

/* One run, inputs first. */
static berth_verdict run_once(run_job *job, run_guests *guests, uint32_t step)
{
    const bool watched = guests->has_poison || guests->dumps != NULL;
    const berth_run_options options = {
        .before = watched ? before_step : NULL,
        .after = watched ? after_step : NULL,
        .watcher = guests,
        .share = guests->threads == NULL ? NULL : berth_threads_share,
        .sharer = guests->threads,
        .parts = job->request->run.threads};
    berth_diag diag = berth_diag_none();
    const berth_verdict verdict = run_feed(job, step);
    if (verdict != BERTH_VERDICT_OK) {
        return verdict;
    }
    if (guests->has_poison) {
        berth_poison_rewind(&guests->poison);
    }
    const uint64_t began = berth_port_now_ns();
    const berth_status status =
        berth_engine_run(job->session.engine, &options, &diag);
    const uint64_t took = berth_port_now_ns() - began;
    if (guests->has_poison) {
        berth_poison_lift(&guests->poison);
    }
    job->first_ns = job->total_ns == 0 ? took : job->first_ns;
    job->best_ns =
        job->total_ns == 0 || took < job->best_ns ? took : job->best_ns;
    job->total_ns += took;
    return status == BERTH_OK ? BERTH_VERDICT_OK
                              : refuse_run(job, status, &diag);
}

static berth_verdict run_all(run_job *job, run_guests *guests)
{
    const bool has_state = job->session.need.state_bytes > 0;
    berth_verdict verdict = BERTH_VERDICT_OK;
    for (uint32_t i = 0; verdict == BERTH_VERDICT_OK && i < job->runs; ++i) {
        verdict = run_once(job, guests, has_state ? i : 0);
    }
    return verdict;
}

static uint64_t outputs_bytes(const run_job *job)
{
    uint64_t bytes = 0;
    const uint32_t count = berth_engine_output_count(job->session.engine);
    for (uint32_t i = 0; i < count; ++i) {
        berth_io io;
        if (berth_engine_output(job->session.engine, i, &io) == BERTH_OK) {
            bytes += io.bytes;
        }
    }
    return bytes;
}

/* Copies all outputs one behind the other, or compares them; true: equal. */
static bool walk_outputs(const run_job *job, uint8_t *copy, bool compare)
{
    bool equal = true;
    const uint32_t count = berth_engine_output_count(job->session.engine);
    for (uint32_t i = 0; i < count; ++i) {
        berth_io io;
        if (berth_engine_output(job->session.engine, i, &io) != BERTH_OK ||
            io.bytes == 0) {
            continue;
        }
        if (compare) {
            equal = memcmp(copy, io.data, (size_t)io.bytes) == 0 && equal;
        } else {
            memcpy(copy, io.data, (size_t)io.bytes);
        }
        copy += io.bytes;
    }
    return equal;
}

/* Two series of runs whose dead bytes differ in every bit. */
static berth_verdict run_poisoned(run_job *job, run_guests *guests)
{
    berth_session *session = &job->session;
    berth_diag diag = berth_diag_none();
    berth_block outputs;
    if (!berth_block_take(job->port, (size_t)outputs_bytes(job) + 1u,
                          &outputs)) {
        cli_complain("no memory for the outputs");
        return BERTH_VERDICT_SYSTEM;
    }
    if (!berth_poison_begin(job->port, &session->staged.lifetimes.problem,
                            &session->plan, session->memory.regions[0].at,
                            session->need.region_bytes[0], POISON_FIRST,
                            &guests->poison)) {
        berth_block_give(job->port, &outputs);
        cli_complain("no memory for --poison");
        return BERTH_VERDICT_SYSTEM;
    }
    guests->has_poison = true;
    berth_verdict verdict = run_all(job, guests);
    if (verdict == BERTH_VERDICT_OK) {
        (void)walk_outputs(job, outputs.memory, false);
        guests->poison.fill = POISON_SECOND;
        verdict = berth_engine_reset(session->engine, &diag) == BERTH_OK
                      ? BERTH_VERDICT_OK
                      : BERTH_VERDICT_SYSTEM;
    }
    if (verdict == BERTH_VERDICT_OK && job->request->run.state != NULL) {
        verdict = restore_state(job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = run_all(job, guests);
    }
    job->poisoned_differs =
        verdict == BERTH_VERDICT_OK && !walk_outputs(job, outputs.memory, true);
    berth_poison_end(&guests->poison);
    berth_block_give(job->port, &outputs);
    return verdict;
}

static berth_verdict run_with_guests(run_job *job)
{
    run_guests guests = {.has_poison = false};
    const cli_run_request *run = &job->request->run;
    berth_verdict verdict = BERTH_VERDICT_OK;
    if (run->threads > 1) {
        guests.threads = berth_threads_open(job->port, run->threads);
        if (guests.threads == NULL) {
            cli_complain("the system has no %u threads", run->threads);
            return BERTH_VERDICT_SYSTEM;
        }
    }
    if (run->dumps.count > 0) {
        guests.dumps = run_dumps_open(job, &verdict);
    }
    if (verdict == BERTH_VERDICT_OK && run->state != NULL) {
        verdict = restore_state(job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict =
            run->poison ? run_poisoned(job, &guests) : run_all(job, &guests);
    }
    if (verdict == BERTH_VERDICT_OK && guests.dumps != NULL) {
        verdict = run_dumps_save(guests.dumps);
    }
    if (guests.dumps != NULL) {
        run_dumps_close(guests.dumps);
    }
    if (guests.threads != NULL) {
        berth_threads_close(guests.threads);
    }
    return verdict;
}

/* --- places ------------------------------------------------------------------
 */

/* The file number i that is written; NULL: there are no more. */
static const char *place_at(const cli_run_request *run, uint32_t i)
{
    if (i < run->outputs.count) {
        return run->outputs.path[i];
    }
    i -= run->outputs.count;
    if (i < run->dumps.count) {
        return strrchr(run->dumps.path[i], '=') + 1;
    }
    return i == run->dumps.count ? run->state : NULL;
}

/* No file is written over the model, and none over another. */
static berth_verdict check_places(const cli_run_request *run, const char *model)
{
    const char *place;
    for (uint32_t i = 0; (place = place_at(run, i)) != NULL; ++i) {
        bool taken = berth_file_is_same(place, model);
        for (uint32_t k = 0; !taken && k < i; ++k) {
            taken = berth_file_is_same(place, place_at(run, k));
        }
        if (taken) {
            cli_complain_of(place, "would be written over the model, or twice");
            return BERTH_VERDICT_USAGE;
        }
    }
    return BERTH_VERDICT_OK;
}

/* --- the command -------------------------------------------------------------
 */

static berth_verdict find_subgraph(run_job *job)
{
    berth_load_error error = {.diag = berth_diag_none()};
    uint32_t signature = BERTH_NONE;
    job->subgraph = job->request->report.stage.subgraph;
    return berth_load_choose(&job->session.loaded,
                             job->request->report.signature, &signature,
                             &job->subgraph, &error) == BERTH_OK
               ? BERTH_VERDICT_OK
               : cli_refuse_session(&job->session, job->path, &error);
}

static berth_verdict prepare(run_job *job)
{
    const cli_request *request = job->request;
    berth_session_options options = {
        .stage = request->report.stage,
        .plan = {.strategy = request->report.strategy},
        .kernels =
            request->run.reference ? berth_kernels_ref() : berth_kernels_opt(),
        .profile = request->run.profile,
        .has_lend = request->run.has_arena,
        .lend_bytes = request->run.arena_bytes};
    berth_load_error error;
    cli_watch watch;
    options.stage.subgraph = job->subgraph;
    options.stage.shapes = job->shapes;
    options.stage.shape_count = job->shape_count;
    run_find_values(job, &options.stage);
    options.stage.shape_count = job->shape_count;
    cli_watch_begin(&watch, request, job->port);
    const berth_status status =
        berth_session_prepare(&job->session, &options, &error);
    cli_watch_end(&watch);
    if (status == BERTH_OK) {
        return BERTH_VERDICT_OK;
    }
    const berth_verdict verdict =
        cli_refuse_session(&job->session, job->path, &error);
    if (status != BERTH_NO_SPACE) {
        run_tell_resized(job);
    }
    return verdict;
}

static berth_verdict run_loaded(run_job *job)
{
    berth_verdict verdict = find_subgraph(job);
    if (verdict == BERTH_VERDICT_OK) {
        verdict = run_read_inputs(job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = prepare(job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = run_with_guests(job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = run_show(job);
    }
    if (verdict == BERTH_VERDICT_OK && job->request->run.state != NULL) {
        verdict = save_state(job);
    }
    return verdict;
}

berth_verdict cli_run_model(const cli_request *request, char *const *paths,
                            int count)
{
    berth_port port = berth_port_of_libc();
    run_job job = {.request = request,
                   .port = &port,
                   .runs = request->run.repeat > 1 ? request->run.repeat : 1};
    berth_load_error error;
    if (count != 1) {
        cli_complain("run takes one model (see berth run --help)");
        return BERTH_VERDICT_USAGE;
    }
    job.path = strcmp(paths[0], "-") == 0 ? "standard input" : paths[0];
    berth_verdict verdict = check_places(&request->run, paths[0]);
    if (verdict != BERTH_VERDICT_OK) {
        return verdict;
    }
    verdict =
        berth_session_load(&port, paths[0], &job.session, &error) == BERTH_OK
            ? run_loaded(&job)
            : cli_refuse_session(&job.session, job.path, &error);
    run_close_inputs(&job);
    berth_session_close(&job.session);
    return verdict;
}

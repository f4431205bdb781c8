/* The files that a plan is for: opened, named, and added up. */
#include "cli_plan.h"

#include "berth/hosted/solve.h"

#include <inttypes.h>
#include <string.h>

/* A number behind it, or "standard input" for "-". */
enum { LABEL_MORE = 32 };

const char *plan_label(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0              ? "standard input"
           : slash == NULL || slash[1] == '\0' ? path
                                               : slash + 1;
}

static berth_verdict no_memory(const char *what)
{
    cli_complain("no memory for %s", what);
    return BERTH_VERDICT_SYSTEM;
}

/* Whether two files have one name and lie in different folders. */
static bool needs_folders(const plan_job *job)
{
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            if (strcmp(job->paths[i], job->paths[k]) != 0 &&
                strcmp(plan_label(job->paths[i]), plan_label(job->paths[k])) ==
                    0) {
                return true;
            }
        }
    }
    return false;
}

/* "a.tflite", then "a.tflite (2)", since a file may be named more than once.
 * Returns where the next label may stand. */
static char *put_label(const plan_job *job, uint32_t i, const char *label,
                       char *text, size_t room)
{
    uint32_t before = 0;
    for (uint32_t k = 0; k < i; ++k) {
        before += strcmp(job->paths[i], job->paths[k]) == 0;
    }
    const int length = before == 0 ? snprintf(text, room, "%s", label)
                                   : snprintf(text, room, "%s (%" PRIu32 ")",
                                              label, before + 1u);
    return text + length + 1;
}

/* Labels tell the files apart, since plans are matched by them: paths, without
 * folders where that is enough. */
static berth_verdict label_sources(plan_job *job)
{
    const bool folders = needs_folders(job);
    size_t need = 0;
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        need += strlen(job->paths[i]) + LABEL_MORE;
    }
    if (!berth_block_take(&job->port, need, &job->labels)) {
        return no_memory("the names of the files");
    }
    char *text = job->labels.memory;
    char *end = text + need;
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        const char *path = job->paths[i];
        job->sources[i].label = text;
        text = put_label(job, i, folders ? path : plan_label(path), text,
                         (size_t)(end - text));
    }
    return BERTH_VERDICT_OK;
}

static berth_source_options source_options(const cli_request *request)
{
    const berth_strategy strategy = request->report.strategy;
    const bool peer =
        strategy == BERTH_STRATEGY_TFLITE || strategy == BERTH_STRATEGY_TFLM;
    berth_source_options options = {
        .list = {.align = request->report.stage.align,
                 .fixed = request->plan.fixed},
        .stage = request->report.stage,
        .signature = request->report.signature};
    /* The packers of the peers know neither. */
    options.stage.no_views = options.stage.no_views || peer;
    options.stage.no_inplace = options.stage.no_inplace || peer;
    return options;
}

static berth_verdict open_source(plan_job *job, uint32_t i)
{
    const berth_source_options options = source_options(job->request);
    berth_source *source = &job->sources[i];
    berth_list_error error;
    const char *path = job->paths[i];
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (berth_source_open(&job->port, path, &options, source, &error) !=
        BERTH_OK) {
        return cli_fail_list(name, &error);
    }
    ++job->opened;
    job->parts[i].source = source;
    if (!source->is_csv && source->staged.lifetimes.dynamic_count > 0) {
        cli_complain_of(name, "the size of some tensors depends on values: "
                              "there is no plan of all (see berth report)");
        return BERTH_VERDICT_NO_NUMBER;
    }
    return BERTH_VERDICT_OK;
}

static berth_verdict take_offsets(plan_job *job)
{
    size_t need = 0;
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        if (!BERTH_NEED(&need, uint64_t,
                        job->sources[i].list.problem.item_count)) {
            return no_memory("the offsets");
        }
    }
    if (!berth_block_take(&job->port, need, &job->offsets)) {
        return no_memory("the offsets");
    }
    berth_work work = berth_work_of(job->offsets.memory, need);
    for (uint32_t i = 0; i < job->plans.count; ++i) {
        job->parts[i].plan.offset = BERTH_TAKE(
            &work, uint64_t, job->sources[i].list.problem.item_count);
    }
    return BERTH_VERDICT_OK;
}

static berth_verdict take_arrays(plan_job *job, uint32_t count)
{
    size_t need = 0;
    if (!BERTH_NEED(&need, berth_source, count) ||
        !BERTH_NEED(&need, berth_part, count) ||
        !berth_block_take(&job->port, need, &job->arrays)) {
        return no_memory("so many files");
    }
    memset(job->arrays.memory, 0, need);
    berth_work work = berth_work_of(job->arrays.memory, need);
    job->sources = BERTH_TAKE(&work, berth_source, count);
    job->parts = BERTH_TAKE(&work, berth_part, count);
    job->plans.count = count;
    job->plans.parts = job->parts;
    return BERTH_VERDICT_OK;
}

static bool paths_are_right(const cli_request *request, char *const *paths,
                            uint32_t count)
{
    const berth_stage_options *stage = &request->report.stage;
    const bool about_one = stage->shape_count > 0 || stage->keep_count > 0 ||
                           stage->pin_count > 0 ||
                           request->report.signature.size > 0;
    uint32_t stdin_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        stdin_count += strcmp(paths[i], "-") == 0;
    }
    if (count > 1 && request->plan.sharing == BERTH_SHARING_ALONE) {
        cli_complain("may they run at one time? --together, or --exclusive if "
                     "they never do");
    } else if (count == 1 && request->plan.sharing != BERTH_SHARING_ALONE) {
        cli_complain("--%s is about several files",
                     berth_sharing_name(request->plan.sharing));
    } else if (count > 1 && about_one) {
        cli_complain("--shape, --keep, --pin and --signature are about one "
                     "file");
    } else if (stdin_count > 1) {
        cli_complain("standard input can be read only once");
    } else {
        return true;
    }
    return false;
}

berth_verdict plan_open(plan_job *job, const cli_request *request,
                        char *const *paths, int count)
{
    *job =
        (plan_job){.request = request,
                   .paths = paths,
                   .port = berth_port_of_libc(),
                   .plans = {.sharing = request->plan.sharing,
                             .has_capacity = request->plan.has_capacity,
                             .capacity_bytes = request->plan.capacity_bytes}};
    if (!paths_are_right(request, paths, (uint32_t)count)) {
        return BERTH_VERDICT_USAGE;
    }
    berth_verdict verdict = take_arrays(job, (uint32_t)count);
    for (int i = 0; verdict == BERTH_VERDICT_OK && i < count; ++i) {
        verdict = open_source(job, (uint32_t)i);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = label_sources(job);
    }
    if (verdict == BERTH_VERDICT_OK) {
        verdict = take_offsets(job);
    }
    return verdict;
}

void plan_close(plan_job *job)
{
    for (uint32_t i = 0; i < job->opened; ++i) {
        berth_source_close(&job->sources[i]);
    }
    berth_block_give(&job->port, &job->offsets);
    berth_block_give(&job->port, &job->labels);
    berth_block_give(&job->port, &job->arrays);
}

/* --- the sum ----------------------------------------------------------------
 */

/* What a model keeps outside of the arena. */
static berth_verdict find_kept(berth_part *part)
{
    const berth_source *source = part->source;
    berth_engine_need need;
    berth_list_error error = {
        .load = {.stage = BERTH_LOAD_PLAN, .diag = berth_diag_none()}};
    error.load.status =
        berth_need_staged(&source->staged, &source->staged.lifetimes,
                          &part->plan, &need, &error.load.diag);
    if (error.load.status != BERTH_OK) {
        return cli_fail_list(source->label, &error);
    }
    part->state_bytes = need.state_bytes;
    part->books_bytes = need.books_bytes;
    return BERTH_VERDICT_OK;
}

static uint32_t largest_align(const berth_problem *problem)
{
    uint32_t align = 1;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        align =
            problem->items[i].align > align ? problem->items[i].align : align;
    }
    return align;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Parts that may run at one time lie one after the other: whatever one of them
 * needs, another may overwrite at any moment, so none can have a byte of
 * another's arena. False: beyond 64 bits. */
static bool add_part(plan_job *job, berth_part *part)
{
    berth_plans *plans = &job->plans;
    const uint32_t align = largest_align(&part->source->list.problem);
    uint64_t base = 0;
    uint64_t bound = 0;
    if (!berth_round_up_u64(job->apart_bytes, align, &base) ||
        !berth_add_u64(base, part->plan.peak, &job->apart_bytes) ||
        !berth_add_u64(plans->bound_bytes, part->plan.bound, &bound)) {
        return false;
    }
    if (plans->sharing == BERTH_SHARING_TOGETHER) {
        part->base_bytes = base;
        plans->peak_bytes = job->apart_bytes;
        plans->bound_bytes = bound;
    } else {
        plans->peak_bytes = larger(plans->peak_bytes, part->plan.peak);
        plans->bound_bytes = larger(plans->bound_bytes, part->plan.bound);
    }
    return true;
}

berth_verdict plan_add_up(plan_job *job)
{
    berth_plans *plans = &job->plans;
    for (uint32_t i = 0; i < plans->count; ++i) {
        berth_part *part = &job->parts[i];
        if (!part->source->is_csv) {
            const berth_verdict verdict = find_kept(part);
            if (verdict != BERTH_VERDICT_OK) {
                return verdict;
            }
        }
        if (!add_part(job, part)) {
            cli_complain("all together are more bytes than 64 bits count");
            return BERTH_VERDICT_NO_NUMBER;
        }
    }
    plans->fit = plans->peak_bytes <= plans->capacity_bytes ? BERTH_FIT_YES
                 : plans->bound_bytes > plans->capacity_bytes
                     ? BERTH_FIT_NO
                     : BERTH_FIT_UNKNOWN;
    return BERTH_VERDICT_OK;
}

/* berth bake: everything is made and judged first, then all files are written
 * beside their places, then all are moved there. */
#include "cli_bake.h"

#include "berth/plan_file.h"

#include <errno.h>
#include <string.h>

static berth_verdict fail_load(const char *path, const berth_load_error *error)
{
    char why[512];
    berth_report_reason(error, why, sizeof(why));
    cli_complain_of(path, why);
    return berth_report_verdict(error);
}

/* The operator by name, where one is to blame. */
static berth_verdict fail_make(const bake_job *job,
                               const berth_load_error *error)
{
    const uint32_t op = error->diag.op;
    char reason[512];
    char why[640];
    if (op >= job->loaded.graph.op_count) {
        return fail_load(job->path, error);
    }
    berth_load_error rest = *error;
    rest.diag.op = BERTH_NONE;
    berth_report_reason(&rest, reason, sizeof(reason));
    (void)snprintf(why, sizeof(why), "TFLM does not run it: operator %u %s: %s",
                   (unsigned)op, berth_op_name(job->loaded.graph.ops[op].code),
                   reason);
    cli_complain_of(job->path, why);
    return berth_report_verdict(error);
}

/* --- what was asked ---------------------------------------------------------
 */

enum { BAKE_FILES = 4 };

static void list_paths(const cli_bake_request *bake,
                       const char *paths[BAKE_FILES])
{
    paths[0] = bake->output;
    paths[1] = bake->header;
    paths[2] = bake->array;
    paths[3] = bake->plan;
}

static bool paths_differ(const char *const paths[BAKE_FILES])
{
    for (size_t i = 0; i < BAKE_FILES; ++i) {
        for (size_t k = 0; k < i; ++k) {
            if (paths[i] != NULL && paths[k] != NULL &&
                strcmp(paths[i], paths[k]) == 0) {
                cli_complain("%s: two files of one name", paths[i]);
                return false;
            }
        }
    }
    return true;
}

static bool request_is_right(const cli_request *request)
{
    const cli_bake_request *bake = &request->bake;
    const char *paths[BAKE_FILES];
    list_paths(bake, paths);
    if (!bake->tflm) {
        cli_complain("bake for which runtime? --tflm is the one there is");
    } else if (paths[0] == NULL && paths[1] == NULL && paths[2] == NULL &&
               paths[3] == NULL) {
        cli_complain("nothing to write: -o, --header, --c or --plan");
    } else if (request->report.kernels_count > 1) {
        cli_complain("--kernels: bake takes one set");
    } else if (bake->options.in_place && request->report.kernels_count == 1 &&
               strcmp(berth_micro_kernels_name(request->report.kernels[0]),
                      "reference") != 0) {
        cli_complain("--assume-reference-kernels does not suit --kernels %s",
                     berth_micro_kernels_name(request->report.kernels[0]));
    } else {
        return paths_differ(paths);
    }
    return false;
}

/* A copy may take the place of its model, what is no model may not. */
static bool model_is_spared(const cli_request *request, char *const *model)
{
    const cli_bake_request *bake = &request->bake;
    return cli_is_apart(bake->header, model, 1) &&
           cli_is_apart(bake->array, model, 1) &&
           cli_is_apart(bake->plan, model, 1);
}

static berth_firmware_options options_of(const cli_request *request)
{
    const berth_report_options *report = &request->report;
    return (berth_firmware_options){
        .micro = {.target = report->target,
                  .kernels =
                      report->kernels_count > 0 ? report->kernels[0] : NULL},
        .bake = request->bake.options};
}

/* --- the plan file ----------------------------------------------------------
 */

static berth_plan_tag tag_of(const bake_job *job)
{
    const berth_micro_options *micro = &job->firmware.micro;
    berth_plan_tag tag = {.maker = BERTH_PLAN_FOR_TFLM,
                          .share = job->firmware.plan.share};
    char kernels[BERTH_PLAN_KERNELS_BYTES + 1] = "";
    (void)snprintf(kernels, sizeof(kernels), "%s@%s/%s",
                   berth_micro_kernels_name(micro->kernels),
                   berth_micro_kernels_version(micro->kernels),
                   berth_micro_target_name(micro->target));
    memcpy(tag.kernels, kernels, sizeof(tag.kernels));
    berth_sha256(job->loaded.file.bytes, tag.model_hash);
    return tag;
}

/* Writes the plan into memory and reads it back as anybody would have to. */
static berth_status make_plan_file(bake_job *job,
                                   const berth_bake_problem *free_,
                                   berth_work *work, berth_bytes *file,
                                   berth_diag *diag)
{
    const berth_bake_plan *plan = &job->firmware.plan;
    const berth_plan_tag tag = tag_of(job);
    berth_plan made = {.offset = plan->item_offset, .peak = plan->head_bytes};
    const berth_status status = berth_plan_file_write(
        &free_->problem, free_->tensor_of_item, &made, &tag, work, file, diag);
    return status != BERTH_OK
               ? status
               : berth_plan_file_read(*file, &tag, &free_->problem,
                                      free_->tensor_of_item, *work, &made,
                                      diag);
}

static berth_status plan_file_need(const bake_job *job, size_t *need,
                                   berth_diag *diag)
{
    const berth_micro *micro = &job->firmware.before;
    size_t problem = 0;
    size_t file = 0;
    size_t read = 0;
    berth_problem most = micro->problem;
    most.tie_count = most.item_count;
    most.link_count = 2 * most.item_count;
    berth_status status =
        berth_bake_problem_bytes(&job->loaded.graph, micro, &problem, diag);
    if (status == BERTH_OK) {
        status = berth_plan_file_bytes(most.item_count, &file, diag);
    }
    if (status == BERTH_OK) {
        status = berth_plan_file_read_bytes(&most, &read, diag);
    }
    if (status == BERTH_OK && (!berth_work_need(need, problem, 1, 16) ||
                               !berth_work_need(need, file, 1, 16) ||
                               !berth_work_need(need, read, 1, 16))) {
        status = BERTH_TOO_LARGE;
    }
    return status;
}

static berth_status write_plan_to(bake_job *job, FILE *out, berth_diag *diag)
{
    const berth_firmware *firmware = &job->firmware;
    size_t need = 0;
    berth_block block;
    berth_bake_problem free_;
    berth_bytes file;
    berth_status status = plan_file_need(job, &need, diag);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth_block_take(&job->port, need, &block)) {
        return BERTH_NO_SPACE;
    }
    berth_work work = berth_work_of(block.memory, need);
    status = berth_bake_problem_init(&job->loaded.graph, &firmware->before,
                                     firmware->plan.share, &work, &free_, diag);
    if (status == BERTH_OK) {
        status = make_plan_file(job, &free_, &work, &file, diag);
    }
    if (status == BERTH_OK) {
        (void)fwrite(file.data, 1, file.size, out);
    }
    berth_block_give(&job->port, &block);
    return status;
}

/* --- files ------------------------------------------------------------------
 */

/* A path without its folders, which are nobody's business in generated code. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* Fills file i of the list. False: a message was printed. */
static bool fill_file(bake_job *job, size_t i, const char *path, FILE *out)
{
    const berth_firmware_text text =
        berth_firmware_text_of(&job->firmware, job->name, last_part(job->path));
    berth_diag diag = berth_diag_none();
    berth_status status = BERTH_OK;
    if (i == 0) {
        (void)fwrite(text.file.data, 1, text.file.size, out);
    } else if (i == 1) {
        berth_firmware_header(&text, out);
    } else if (i == 2) {
        berth_firmware_array(&text, out);
    } else {
        status = write_plan_to(job, out, &diag);
    }
    if (status != BERTH_OK) {
        cli_complain_of(path, diag.what[0] != '\0' ? diag.what
                                                   : berth_status_text(status));
    }
    return status == BERTH_OK;
}

static bool failed_with(const char *path, int error)
{
    if (error != 0) {
        cli_complain_of(path, error == EINVAL ? "is there, and no ordinary file"
                                              : strerror(error));
    }
    return error != 0;
}

static bool write_all(bake_job *job, const char *const paths[BAKE_FILES],
                      berth_save saves[BAKE_FILES])
{
    for (size_t i = 0; i < BAKE_FILES; ++i) {
        if (paths[i] == NULL) {
            continue;
        }
        if (failed_with(paths[i], berth_save_begin(paths[i], &saves[i])) ||
            !fill_file(job, i, paths[i], saves[i].out) ||
            failed_with(paths[i], berth_save_finish(&saves[i]))) {
            return false;
        }
    }
    for (size_t i = 0; i < BAKE_FILES; ++i) {
        if (paths[i] != NULL &&
            failed_with(paths[i], berth_save_move(&saves[i]))) {
            return false;
        }
    }
    return true;
}

static berth_verdict write_files(bake_job *job)
{
    const char *paths[BAKE_FILES];
    berth_save saves[BAKE_FILES] = {{0}};
    list_paths(&job->request->bake, paths);
    berth_firmware_name(paths[0] != NULL ? paths[0] : job->path, job->name,
                        sizeof(job->name));
    const bool written = write_all(job, paths, saves);
    for (size_t i = BAKE_FILES; i-- > 0;) {
        berth_save_drop(&saves[i]);
    }
    return written ? BERTH_VERDICT_OK : BERTH_VERDICT_SYSTEM;
}

static void warn_of_own_operators(const bake_job *job)
{
    if (job->firmware.before.lacking_count > 0) {
        cli_complain_of(job->path,
                        "has custom operators that TFLM does not know: "
                        "what your kernels for them ask for is not "
                        "counted");
    }
}

/* --- the whole --------------------------------------------------------------
 */

static berth_verdict finish_job(bake_job *job)
{
    const cli_bake_request *bake = &job->request->bake;
    const bool wants_plan = bake->output != NULL || bake->plan != NULL;
    if (!job->firmware.sound) {
        cli_complain_of(job->path,
                        "no plan of it is sound in TFLM, which itself "
                        "lets live bytes be overwritten there");
        return BERTH_VERDICT_NO_NUMBER;
    }
    if (!job->firmware.gains && wants_plan) {
        return bake_explain_no_gain(job);
    }
    const berth_verdict verdict = write_files(job);
    if (verdict == BERTH_VERDICT_OK) {
        warn_of_own_operators(job);
        (job->request->format == CLI_JSON ? bake_print_json
                                          : bake_print_text)(job);
    }
    return verdict;
}

static berth_verdict bake_one(const cli_request *request, const char *path)
{
    bake_job job = {.request = request,
                    .path = strcmp(path, "-") == 0 ? "standard input" : path,
                    .port = berth_port_of_libc()};
    berth_load_error error;
    if (berth_load(&job.port, path, &job.loaded, &error) != BERTH_OK) {
        return fail_load(job.path, &error);
    }
    const berth_firmware_options options = options_of(request);
    berth_verdict verdict = BERTH_VERDICT_OK;
    if (berth_firmware_make(&job.loaded, &options, &job.firmware, &error) !=
        BERTH_OK) {
        verdict = fail_make(&job, &error);
    } else {
        verdict = finish_job(&job);
        berth_firmware_close(&job.firmware);
    }
    berth_unload(&job.loaded);
    return verdict;
}

berth_verdict cli_bake(const cli_request *request, char *const *paths,
                       int count)
{
    if (count != 1) {
        cli_complain("bake takes one file (see berth bake --help)");
        return BERTH_VERDICT_USAGE;
    }
    return request_is_right(request) && model_is_spared(request, paths)
               ? bake_one(request, paths[0])
               : BERTH_VERDICT_USAGE;
}

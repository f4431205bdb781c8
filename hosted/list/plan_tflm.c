/* A plan file for TensorFlow Lite for Microcontrollers, as berth bake writes
 * it: its problem is TFLM's, with the kernels that the file names. */
#include "list_int.h"

#include "berth/bake.h"
#include "berth/prove.h"

bool berth_plan_is_for_tflm(berth_bytes file)
{
    berth_plan_tag tag;
    return berth_plan_file_tag(file, &tag, NULL) == BERTH_OK &&
           tag.maker == BERTH_PLAN_FOR_TFLM;
}

/* "cmsis-nn@2026.06/m4". */
static bool find_kernels(const berth_plan_tag *tag,
                         berth_micro_options *options)
{
    char name[BERTH_PLAN_KERNELS_BYTES + 1] = "";
    memcpy(name, tag->kernels, sizeof(tag->kernels));
    char *slash = strrchr(name, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    options->kernels = berth_micro_kernels_find(name);
    options->target = berth_micro_target_find(slash + 1);
    return options->kernels != NULL && options->target != NULL &&
           berth_micro_kernels_serve(options->kernels, options->target);
}

/* What is made on the way to a verdict, in one block after another. */
typedef struct tflm_job {
    const berth_source *source;
    berth_bytes file;
    berth_plan_tag tag;
    berth_micro micro;
    berth_bake_problem problem;
    berth_block blocks[4];
    uint32_t block_count;
    berth_list_error *error;
} tflm_job;

static berth_status note(tflm_job *job, berth_status status)
{
    job->error->load.stage = BERTH_LOAD_PLAN;
    job->error->load.status = status;
    return status;
}

static berth_status take_work(tflm_job *job, size_t bytes, berth_work *work)
{
    berth_block *block = &job->blocks[job->block_count];
    if (!berth_block_take(job->source->port, bytes, block)) {
        return list_no_memory(job->error);
    }
    ++job->block_count;
    *work = berth_work_of(block->memory, bytes);
    return BERTH_OK;
}

/* TFLM's own problem, with who may share bytes as the file says. */
static berth_status make_problem(tflm_job *job)
{
    const berth_graph *graph = &job->source->loaded.graph;
    berth_diag *diag = &job->error->load.diag;
    berth_micro_options options = {0};
    berth_work work;
    size_t need = 0;
    if (!find_kernels(&job->tag, &options)) {
        return list_fail(job->error, BERTH_UNSUPPORTED,
                         "the plan is for kernels that are not known here");
    }
    BERTH_TRY(note(job, berth_micro_bytes(graph, &options, &need, diag)));
    BERTH_TRY(take_work(job, need, &work));
    BERTH_TRY(note(
        job, berth_micro_predict(graph, &options, &work, &job->micro, diag)));
    BERTH_TRY(
        note(job, berth_bake_problem_bytes(graph, &job->micro, &need, diag)));
    BERTH_TRY(take_work(job, need, &work));
    return note(job, berth_bake_problem_init(graph, &job->micro, job->tag.share,
                                             &work, &job->problem, diag));
}

/* The judge's items, as names. */
static berth_status refuse_plan(tflm_job *job)
{
    const berth_diag diag = job->error->load.diag;
    const uint32_t tensor = diag.tensor < job->problem.problem.item_count
                                ? job->problem.tensor_of_item[diag.tensor]
                                : BERTH_NONE;
    char name[128] = "";
    if (tensor != BERTH_NONE) {
        list_name_tensor(job->source, tensor, name, sizeof(name));
    }
    return list_refuse_given(job->error, 0, 0, list_text(name), diag.what);
}

/* The first judge; fills the plan. */
static berth_status read_items(tflm_job *job, berth_plan *plan)
{
    const berth_problem *problem = &job->problem.problem;
    berth_diag *diag = &job->error->load.diag;
    size_t need = 0;
    berth_work work;
    BERTH_TRY(note(job, berth_plan_file_read_bytes(problem, &need, diag)));
    if (!BERTH_NEED(&need, uint64_t, problem->item_count)) {
        return list_fail(job->error, BERTH_TOO_LARGE, "too many items");
    }
    BERTH_TRY(take_work(job, need, &work));
    plan->offset = BERTH_TAKE(&work, uint64_t, problem->item_count);
    const berth_status status =
        note(job, berth_plan_file_read(job->file, &job->tag, problem,
                                       job->problem.tensor_of_item, work, plan,
                                       diag));
    return status == BERTH_UNSOUND ? refuse_plan(job) : status;
}

/* The second judge: without calls TFLM's schedule is berth's. */
static berth_status prove_items(tflm_job *job, const berth_plan *plan)
{
    const berth_source *source = job->source;
    const berth_graph *graph = &source->loaded.graph;
    berth_diag *diag = &job->error->load.diag;
    size_t need = 0;
    berth_work work;
    BERTH_TRY(note(
        job, berth_prove_bytes(graph, &source->staged.schedule, &need, diag)));
    if (!BERTH_NEED(&need, uint64_t, graph->tensor_count)) {
        return list_fail(job->error, BERTH_TOO_LARGE, "too many tensors");
    }
    BERTH_TRY(take_work(job, need, &work));
    uint64_t *address = BERTH_TAKE(&work, uint64_t, graph->tensor_count);
    memset(address, 0xFF, graph->tensor_count * sizeof(*address));
    for (uint32_t i = 0; i < job->problem.problem.item_count; ++i) {
        const uint32_t tensor = job->problem.tensor_of_item[i];
        if (tensor != BERTH_NONE) {
            address[tensor] = plan->offset[i];
        }
    }
    const berth_status status =
        note(job, berth_prove(graph, &source->staged.shapes,
                              &source->staged.schedule, address, work, diag));
    return status == BERTH_UNSOUND
               ? list_refuse_given(job->error, 0, 0, (berth_bytes){0},
                                   diag->what)
               : status;
}

static berth_status judge_file(tflm_job *job, berth_tflm_plan *judged)
{
    const berth_source *source = job->source;
    berth_diag *diag = &job->error->load.diag;
    berth_plan plan = {0};
    BERTH_TRY(note(job, berth_plan_file_tag(job->file, &job->tag, diag)));
    if (memcmp(job->tag.model_hash, source->hash, sizeof(source->hash)) != 0) {
        return list_refuse_given(job->error, 0, 0, (berth_bytes){0},
                                 "the plan was made for another file");
    }
    BERTH_TRY(make_problem(job));
    BERTH_TRY(read_items(job, &plan));
    judged->both = source->loaded.graph.subgraph_count == 1;
    if (judged->both) {
        BERTH_TRY(prove_items(job, &plan));
    }
    judged->item_count = job->problem.problem.item_count;
    judged->peak_bytes = plan.peak;
    judged->bound_bytes = plan.bound;
    memcpy(judged->kernels, job->tag.kernels, sizeof(job->tag.kernels));
    return BERTH_OK;
}

berth_status berth_tflm_judge(const berth_source *source, berth_bytes file,
                              berth_tflm_plan *judged, berth_list_error *error)
{
    tflm_job job = {.source = source, .file = file, .error = error};
    *error = (berth_list_error){.load = {.diag = berth_diag_none()}};
    *judged = (berth_tflm_plan){0};
    const berth_status status = judge_file(&job, judged);
    while (job.block_count > 0) {
        berth_block_give(source->port, &job.blocks[--job.block_count]);
    }
    return status;
}

/* Predict, plan, write, open again, judge. Every block of memory is kept in one
 * list, so that closing is one loop. */
#include "berth/hosted/firmware.h"

#include <errno.h>
#include <string.h>

static berth_status fail_at(berth_load_error *error, berth_load_stage stage,
                            berth_status status)
{
    error->stage = stage;
    error->status = status;
    return status;
}

static berth_status refuse_at(berth_load_error *error, berth_status status,
                              const char *what)
{
    error->diag = berth_diag_none();
    error->diag.what = what;
    return fail_at(error, BERTH_LOAD_PLAN, status);
}

/* Memory that stays until the close. */
static berth_status keep_block(berth_firmware *firmware, size_t bytes,
                               berth_work *work, berth_load_error *error)
{
    berth_block *block = &firmware->blocks[firmware->block_count];
    if (!berth_block_take(firmware->port, bytes, block)) {
        error->os_error = ENOMEM;
        return refuse_at(error, BERTH_NO_SPACE,
                         "the system has no memory for it");
    }
    ++firmware->block_count;
    *work = berth_work_of(block->memory, bytes);
    return BERTH_OK;
}

static void give_last(berth_firmware *firmware)
{
    berth_block_give(firmware->port,
                     &firmware->blocks[--firmware->block_count]);
}

/* --- prediction -------------------------------------------------------------
 */

static berth_status predict_graph(berth_firmware *firmware,
                                  const berth_graph *graph, berth_micro *micro,
                                  berth_load_error *error)
{
    size_t need = 0;
    berth_work work;
    berth_status status =
        berth_micro_bytes(graph, &firmware->micro, &need, &error->diag);
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_PLAN, status);
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    status = berth_micro_predict(graph, &firmware->micro, &work, micro,
                                 &error->diag);
    return status == BERTH_OK ? status
                              : fail_at(error, BERTH_LOAD_PLAN, status);
}

/* The operator that TFLM cannot run, whatever the user adds; BERTH_NONE. */
static uint32_t lacking_builtin(const berth_graph *graph,
                                const berth_micro *micro)
{
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (micro->ops[op].lacking && graph->ops[op].code != BERTH_OP_CUSTOM) {
            return op;
        }
    }
    return BERTH_NONE;
}

/* A custom operator that TFLM does not know is the user's own; a plan in the
 * file that does not fit is about to be replaced. With anything else TFLM does
 * not start. */
static berth_status check_start(const berth_firmware *firmware,
                                berth_load_error *error)
{
    const berth_micro *micro = &firmware->before;
    if (micro->offline && micro->lacking_count > 0) {
        /* Ethos-U: its commands know the addresses of the plan. */
        return refuse_at(error, BERTH_UNSUPPORTED,
                         "it has a plan already, and custom operators that may "
                         "depend on it");
    }
    const uint32_t lacking = lacking_builtin(&firmware->loaded->graph, micro);
    if (lacking == BERTH_NONE &&
        (micro->refusal == BERTH_MICRO_STARTS ||
         micro->refusal == BERTH_MICRO_LACKS_OPERATOR ||
         micro->refusal == BERTH_MICRO_OFFLINE_PLAN)) {
        return BERTH_OK;
    }
    (void)refuse_at(error, BERTH_UNSUPPORTED,
                    berth_micro_refusal_text(lacking != BERTH_NONE
                                                 ? BERTH_MICRO_LACKS_OPERATOR
                                                 : micro->refusal));
    error->diag.op = lacking != BERTH_NONE ? lacking : micro->refusal_op;
    error->diag.tensor = micro->refusal_tensor;
    return BERTH_UNSUPPORTED;
}

/* --- the plan ---------------------------------------------------------------
 */

static berth_status find_plan(berth_firmware *firmware,
                              const berth_bake_options *options,
                              berth_load_error *error)
{
    const berth_graph *graph = &firmware->loaded->graph;
    size_t need = 0;
    berth_work work;
    berth_status status =
        berth_bake_solve_bytes(graph, &firmware->before, &need, &error->diag);
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_PLAN, status);
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    status = berth_bake_solve(graph, &firmware->before, options, work,
                              &firmware->plan, &error->diag);
    give_last(firmware);
    return status == BERTH_OK ? status
                              : fail_at(error, BERTH_LOAD_PLAN, status);
}

static berth_status take_plan(berth_firmware *firmware, berth_load_error *error)
{
    const size_t tensors = firmware->loaded->graph.tensor_count;
    const size_t items = firmware->before.problem.item_count;
    size_t need = 0;
    berth_work work;
    if (!BERTH_NEED(&need, int32_t, tensors) ||
        !BERTH_NEED(&need, uint64_t, items)) {
        return refuse_at(error, BERTH_TOO_LARGE, "more than size_t counts");
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    firmware->plan.offset = BERTH_TAKE(&work, int32_t, tensors);
    firmware->plan.item_offset = BERTH_TAKE(&work, uint64_t, items);
    return BERTH_OK;
}

/* --- the copy ---------------------------------------------------------------
 */

static berth_status write_copy(berth_firmware *firmware,
                               berth_load_error *error)
{
    const berth_model *model = firmware->loaded->model;
    size_t need = 0;
    berth_work work;
    berth_status status = berth_bake_write_bytes(model, &need, &error->diag);
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_PLAN, status);
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    status = berth_bake_write(model, firmware->plan.offset, &work,
                              &firmware->file, &error->diag);
    return status == BERTH_OK ? status
                              : fail_at(error, BERTH_LOAD_PLAN, status);
}

static berth_status open_copy(berth_firmware *firmware, berth_load_error *error)
{
    size_t need = 0;
    berth_work work;
    berth_diag *diag = &error->diag;
    berth_status status = berth_model_bytes(firmware->file, &need, diag);
    if (status == BERTH_OK) {
        BERTH_TRY(keep_block(firmware, need, &work, error));
        status =
            berth_model_init(firmware->file, &work, &firmware->model, diag);
    }
    if (status == BERTH_OK) {
        status =
            berth_bake_same(firmware->loaded->model, firmware->model, diag);
    }
    if (status == BERTH_OK) {
        status = berth_graph_bytes(firmware->model, &need, diag);
    }
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_PLAN, status);
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    status = berth_graph_init(firmware->model, &work, &firmware->graph, diag);
    return status == BERTH_OK ? status
                              : fail_at(error, BERTH_LOAD_PLAN, status);
}

/* The second judge, on TFLM's own schedule and with the offsets of the file. */
static berth_status judge_shapes(berth_firmware *firmware,
                                 const berth_shapes *shapes,
                                 berth_load_error *error)
{
    const uint32_t tensors = firmware->graph.tensor_count;
    size_t peer_need = 0;
    size_t need = 0;
    berth_work work;
    berth_status status = berth_peer_bytes(
        &firmware->graph, shapes, 0, BERTH_PEER_TFLM, &peer_need, &error->diag);
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_PLAN, status);
    }
    if (!BERTH_NEED(&need, uint64_t, tensors) ||
        !berth_work_need(&need, peer_need, 1, 16)) {
        return refuse_at(error, BERTH_TOO_LARGE, "more than size_t counts");
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    berth_peer_plan judged = {.address = BERTH_TAKE(&work, uint64_t, tensors)};
    status = berth_peer_solve(&firmware->graph, shapes, 0, BERTH_PEER_TFLM,
                              work, &judged, &error->diag);
    give_last(firmware);
    firmware->sound = status == BERTH_OK && judged.sound;
    firmware->unsound = judged.unsound;
    return status == BERTH_OK ? status
                              : fail_at(error, BERTH_LOAD_PLAN, status);
}

static berth_status judge_copy(berth_firmware *firmware,
                               berth_load_error *error)
{
    const berth_shape_options options = {.subgraph = 0};
    size_t need = 0;
    berth_work work;
    berth_shapes shapes;
    berth_status status =
        berth_shapes_bytes(&firmware->graph, &options, &need, &error->diag);
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_SHAPES, status);
    }
    BERTH_TRY(keep_block(firmware, need, &work, error));
    status = berth_shapes_init(&firmware->graph, &options, &work, &shapes,
                               &error->diag);
    if (status != BERTH_OK) {
        return fail_at(error, BERTH_LOAD_SHAPES, status);
    }
    BERTH_TRY(judge_shapes(firmware, &shapes, error));
    give_last(firmware);
    return BERTH_OK;
}

/* Writes, opens and judges a copy with the plan at hand. */
static berth_status make_copy(berth_firmware *firmware, berth_load_error *error)
{
    BERTH_TRY(write_copy(firmware, error));
    BERTH_TRY(open_copy(firmware, error));
    BERTH_TRY(judge_copy(firmware, error));
    if (!firmware->sound) {
        return BERTH_OK;
    }
    BERTH_TRY(
        predict_graph(firmware, &firmware->graph, &firmware->after, error));
    if (firmware->after.head_bytes != firmware->plan.head_bytes) {
        return refuse_at(error, BERTH_INTERNAL,
                         "the copy's head is not the one planned");
    }
    return BERTH_OK;
}

static void drop_copy(berth_firmware *firmware, uint32_t kept_blocks)
{
    while (firmware->block_count > kept_blocks) {
        give_last(firmware);
    }
    firmware->file = (berth_bytes){NULL, 0};
    firmware->model = NULL;
}

/* --- the whole --------------------------------------------------------------
 */

static bool gains_head(const berth_firmware *firmware)
{
    return firmware->before.refusal == BERTH_MICRO_OFFLINE_PLAN ||
           firmware->plan.head_bytes < firmware->before.head_bytes;
}

/* Shares less and less until the second judge agrees. */
static berth_status make_sound(berth_firmware *firmware,
                               const berth_bake_options *asked,
                               berth_load_error *error)
{
    const berth_bake_options ways[] = {
        *asked,
        {.in_place = false, .no_views = asked->no_views},
        {.in_place = false, .no_views = true},
    };
    const uint32_t kept = firmware->block_count;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
        BERTH_TRY(find_plan(firmware, &ways[i], error));
        firmware->gains = gains_head(firmware);
        if (!firmware->gains) {
            firmware->sound = true; /* nothing to judge */
            return BERTH_OK;
        }
        BERTH_TRY(make_copy(firmware, error));
        if (firmware->sound) {
            return BERTH_OK;
        }
        drop_copy(firmware, kept);
    }
    return BERTH_OK;
}

static berth_status make_all(berth_firmware *firmware,
                             const berth_bake_options *bake,
                             berth_load_error *error)
{
    BERTH_TRY(predict_graph(firmware, &firmware->loaded->graph,
                            &firmware->before, error));
    BERTH_TRY(check_start(firmware, error));
    BERTH_TRY(take_plan(firmware, error));
    return make_sound(firmware, bake, error);
}

berth_status berth_firmware_make(const berth_loaded *loaded,
                                 const berth_firmware_options *options,
                                 berth_firmware *firmware,
                                 berth_load_error *error)
{
    *firmware = (berth_firmware){.port = loaded->port,
                                 .loaded = loaded,
                                 .micro = options->micro,
                                 .unsound = berth_diag_none()};
    *error = (berth_load_error){.diag = berth_diag_none()};
    if (firmware->micro.target == NULL) {
        firmware->micro.target = berth_micro_target_find("x86-64");
    }
    if (firmware->micro.kernels == NULL) {
        firmware->micro.kernels = berth_micro_kernels_find("reference");
    }
    const berth_status status = make_all(firmware, &options->bake, error);
    if (status != BERTH_OK) {
        berth_firmware_close(firmware);
    }
    return status;
}

void berth_firmware_close(berth_firmware *firmware)
{
    if (firmware->port != NULL) {
        drop_copy(firmware, 0);
    }
    *firmware = (berth_firmware){0};
}

berth_firmware_text berth_firmware_text_of(const berth_firmware *firmware,
                                           const char *name, const char *source)
{
    const bool copy = firmware->gains && firmware->sound;
    return (berth_firmware_text){
        .name = name,
        .source = source,
        .file = copy ? firmware->file : firmware->loaded->file.bytes,
        .graph = copy ? &firmware->graph : &firmware->loaded->graph,
        .micro = copy ? &firmware->after : &firmware->before,
        .options = &firmware->micro};
}

/* One way of running a loaded model: shapes, schedule and lifetimes of one
 * subgraph, for the shapes and wishes that the caller names. */
#include "berth/hosted/load.h"

#include "load_int.h"

#include <string.h>

/* What the names of the options stand for. */
typedef struct resolved_names {
    berth_shape_override *overrides;
    uint32_t *keep;
    uint32_t *pin;
} resolved_names;

static bool same_bytes(berth_bytes a, berth_bytes b)
{
    return a.size == b.size &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* "#12", if there are so many; else BERTH_NONE. */
static uint32_t parse_number(berth_bytes name, uint32_t count)
{
    uint64_t value = 0;
    if (name.size < 2 || name.data[0] != '#') {
        return BERTH_NONE;
    }
    for (size_t i = 1; i < name.size; ++i) {
        const uint8_t c = name.data[i];
        if (c < '0' || c > '9' || value >= count) {
            return BERTH_NONE;
        }
        value = value * 10u + (uint64_t)(c - '0');
    }
    return value < count ? (uint32_t)value : BERTH_NONE;
}

uint32_t berth_load_find_signature(const berth_loaded *loaded, berth_bytes name)
{
    const uint32_t count = berth_model_signature_count(loaded->model);
    const uint32_t number = parse_number(name, count);
    if (number != BERTH_NONE) {
        return number;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (same_bytes(berth_model_signature(loaded->model, i).name, name)) {
            return i;
        }
    }
    return BERTH_NONE;
}

berth_status berth_load_choose(const berth_loaded *loaded, berth_bytes name,
                               uint32_t *signature, uint32_t *subgraph,
                               berth_load_error *error)
{
    *signature = BERTH_NONE;
    if (name.size > 0) {
        *signature = berth_load_find_signature(loaded, name);
        if (*signature == BERTH_NONE) {
            error->diag.what = "no such signature";
            error->name = name;
            return load_fail(error, BERTH_LOAD_NAMES, BERTH_BAD_ARG);
        }
        *subgraph = berth_model_signature(loaded->model, *signature).subgraph;
    }
    if (*subgraph >= berth_model_subgraph_count(loaded->model)) {
        error->diag.what = "the model has no subgraph to run";
        return load_fail(error, BERTH_LOAD_GRAPH, BERTH_UNSUPPORTED);
    }
    return BERTH_OK;
}

/* By the names that a signature gives; local, or BERTH_NONE. */
static uint32_t find_in_signature(const berth_model *model, uint32_t index,
                                  berth_bytes name)
{
    const berth_signature signature = berth_model_signature(model, index);
    for (uint32_t i = 0; i < signature.input_count; ++i) {
        const berth_signature_tensor input =
            berth_model_signature_input(model, index, i);
        if (same_bytes(input.name, name)) {
            return input.tensor;
        }
    }
    for (uint32_t i = 0; i < signature.output_count; ++i) {
        const berth_signature_tensor output =
            berth_model_signature_output(model, index, i);
        if (same_bytes(output.name, name)) {
            return output.tensor;
        }
    }
    return BERTH_NONE;
}

uint32_t berth_load_find_tensor(const berth_loaded *loaded, uint32_t subgraph,
                                berth_bytes name)
{
    const uint32_t tensor =
        berth_graph_find_tensor(&loaded->graph, subgraph, name);
    if (tensor != BERTH_NONE) {
        return tensor;
    }
    const uint32_t count = berth_model_signature_count(loaded->model);
    for (uint32_t i = 0; i < count; ++i) {
        if (berth_model_signature(loaded->model, i).subgraph != subgraph) {
            continue;
        }
        const uint32_t local = find_in_signature(loaded->model, i, name);
        if (local != BERTH_NONE) {
            return loaded->graph.tensor_base[subgraph] + local;
        }
    }
    return BERTH_NONE;
}

static berth_status find_all(const berth_loaded *loaded, uint32_t subgraph,
                             const berth_bytes *names, uint32_t count,
                             uint32_t *tensors, berth_load_error *error)
{
    for (uint32_t i = 0; i < count; ++i) {
        tensors[i] = berth_load_find_tensor(loaded, subgraph, names[i]);
        if (tensors[i] == BERTH_NONE) {
            error->name = names[i];
            return load_fail(error, BERTH_LOAD_NAMES, BERTH_BAD_ARG);
        }
    }
    return BERTH_OK;
}

static berth_status resolve_names(const berth_loaded *loaded,
                                  const berth_stage_options *options,
                                  berth_staged *staged, resolved_names *names,
                                  berth_load_error *error)
{
    const uint32_t shapes = options->shape_count;
    size_t need = 0;
    if (!BERTH_NEED(&need, berth_shape_override, shapes) ||
        !BERTH_NEED(&need, uint32_t, options->keep_count) ||
        !BERTH_NEED(&need, uint32_t, options->pin_count) ||
        !berth_block_take(loaded->port, need, &staged->names_block)) {
        return load_no_memory(error, BERTH_LOAD_NAMES, need);
    }
    berth_work work =
        berth_work_of(staged->names_block.memory, staged->names_block.bytes);
    names->overrides = BERTH_TAKE(&work, berth_shape_override, shapes);
    names->keep = BERTH_TAKE(&work, uint32_t, options->keep_count);
    names->pin = BERTH_TAKE(&work, uint32_t, options->pin_count);

    for (uint32_t i = 0; i < shapes; ++i) {
        const berth_named_shape *shape = &options->shapes[i];
        berth_shape_override *override = &names->overrides[i];
        *override = (berth_shape_override){
            .rank = shape->rank, .dims = shape->dims, .values = shape->values};
        BERTH_TRY(find_all(loaded, options->subgraph, &shape->name, 1u,
                           &override->tensor, error));
    }
    BERTH_TRY(find_all(loaded, options->subgraph, options->keep,
                       options->keep_count, names->keep, error));
    return find_all(loaded, options->subgraph, options->pin, options->pin_count,
                    names->pin, error);
}

static berth_status stage_shapes(const berth_shape_options *options,
                                 berth_staged *staged, berth_load_error *error)
{
    const berth_loaded *loaded = staged->loaded;
    size_t need = 0;
    berth_status status =
        berth_shapes_bytes(&loaded->graph, options, &need, &error->diag);
    if (status != BERTH_OK) {
        return load_fail(error, BERTH_LOAD_SHAPES, status);
    }
    if (!berth_block_take(loaded->port, need, &staged->shapes_block)) {
        return load_no_memory(error, BERTH_LOAD_SHAPES, need);
    }
    berth_work work = berth_work_of(staged->shapes_block.memory, need);
    status = berth_shapes_init(&loaded->graph, options, &work, &staged->shapes,
                               &error->diag);
    return status == BERTH_OK ? status
                              : load_fail(error, BERTH_LOAD_SHAPES, status);
}

static berth_status stage_schedule(uint32_t subgraph, berth_staged *staged,
                                   berth_load_error *error)
{
    const berth_loaded *loaded = staged->loaded;
    size_t need = 0;
    berth_status status =
        berth_schedule_bytes(&loaded->graph, subgraph, &need, &error->diag);
    if (status != BERTH_OK) {
        return load_fail(error, BERTH_LOAD_SCHEDULE, status);
    }
    if (!berth_block_take(loaded->port, need, &staged->schedule_block)) {
        return load_no_memory(error, BERTH_LOAD_SCHEDULE, need);
    }
    berth_work work = berth_work_of(staged->schedule_block.memory, need);
    status = berth_schedule_init(&loaded->graph, subgraph, &work,
                                 &staged->schedule, &error->diag);
    return status == BERTH_OK ? status
                              : load_fail(error, BERTH_LOAD_SCHEDULE, status);
}

berth_status berth_stage_lifetimes(const berth_staged *staged,
                                   const berth_lifetime_options *options,
                                   berth_block *block,
                                   berth_lifetimes *lifetimes,
                                   berth_load_error *error)
{
    const berth_loaded *loaded = staged->loaded;
    size_t need = 0;
    berth_status status =
        berth_lifetimes_bytes(&loaded->graph, &staged->shapes,
                              &staged->schedule, options, &need, &error->diag);
    if (status != BERTH_OK) {
        return load_fail(error, BERTH_LOAD_LIFETIMES, status);
    }
    if (!berth_block_take(loaded->port, need, block)) {
        return load_no_memory(error, BERTH_LOAD_LIFETIMES, need);
    }
    berth_work work = berth_work_of(block->memory, need);
    status =
        berth_lifetimes_init(&loaded->graph, &staged->shapes, &staged->schedule,
                             options, &work, lifetimes, &error->diag);
    if (status != BERTH_OK) {
        berth_block_give(loaded->port, block);
        return load_fail(error, BERTH_LOAD_LIFETIMES, status);
    }
    return BERTH_OK;
}

static berth_status first_half(const berth_loaded *loaded,
                               const berth_stage_options *options,
                               berth_staged *staged, berth_load_error *error)
{
    resolved_names names = {0};
    BERTH_TRY(resolve_names(loaded, options, staged, &names, error));
    staged->lifetime_options =
        (berth_lifetime_options){.align = options->align,
                                 .no_inplace = options->no_inplace,
                                 .no_views = options->no_views,
                                 .no_scratch = options->no_scratch,
                                 .keep_inputs = options->keep_inputs,
                                 .hold_inputs = options->hold_inputs,
                                 .hold_outputs = options->hold_outputs,
                                 .lag = options->lag,
                                 .keep = names.keep,
                                 .keep_count = options->keep_count,
                                 .pin = names.pin,
                                 .pin_count = options->pin_count};
    const berth_shape_options shape_options = {.subgraph = options->subgraph,
                                               .overrides = names.overrides,
                                               .override_count =
                                                   options->shape_count};
    const uint64_t began = berth_port_now_ns();
    BERTH_TRY(stage_shapes(&shape_options, staged, error));
    staged->shapes_ns = berth_port_now_ns() - began;
    return BERTH_OK;
}

static berth_status second_half(berth_staged *staged, berth_load_error *error)
{
    const uint64_t began = berth_port_now_ns();
    BERTH_TRY(stage_schedule(staged->subgraph, staged, error));
    const uint64_t scheduled = berth_port_now_ns();
    BERTH_TRY(berth_stage_lifetimes(staged, &staged->lifetime_options,
                                    &staged->lifetimes_block,
                                    &staged->lifetimes, error));
    staged->schedule_ns = scheduled - began;
    staged->lifetimes_ns = berth_port_now_ns() - scheduled;
    return BERTH_OK;
}

berth_status berth_stage_shapes(const berth_loaded *loaded,
                                const berth_stage_options *options,
                                berth_staged *staged, berth_load_error *error)
{
    static const berth_stage_options defaults = {0};
    const berth_stage_options *given = options == NULL ? &defaults : options;
    *staged = (berth_staged){.loaded = loaded,
                             .subgraph = given->subgraph,
                             .reached = BERTH_LOAD_SCHEDULE};
    *error = (berth_load_error){.diag = berth_diag_none()};
    const berth_status status = first_half(loaded, given, staged, error);
    if (status != BERTH_OK) {
        staged->reached = error->stage;
    }
    return status;
}

berth_status berth_stage_rest(berth_staged *staged, berth_load_error *error)
{
    const berth_status status = second_half(staged, error);
    staged->reached = status == BERTH_OK ? BERTH_LOAD_PLAN : error->stage;
    return status;
}

berth_status berth_stage(const berth_loaded *loaded,
                         const berth_stage_options *options,
                         berth_staged *staged, berth_load_error *error)
{
    BERTH_TRY(berth_stage_shapes(loaded, options, staged, error));
    return berth_stage_rest(staged, error);
}

void berth_unstage(berth_staged *staged)
{
    if (staged->loaded == NULL) {
        return;
    }
    berth_port *port = staged->loaded->port;
    berth_block_give(port, &staged->lifetimes_block);
    berth_block_give(port, &staged->schedule_block);
    berth_block_give(port, &staged->shapes_block);
    berth_block_give(port, &staged->names_block);
    *staged = (berth_staged){0};
}

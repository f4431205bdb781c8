/* Tensors that have an address: those of the plan, then those that lie
 * elsewhere: state, folded parameters, misaligned constants, what the caller
 * holds, what has no bytes. */
#include "engine_int.h"

#include <string.h>

/* --- who needs one ------------------------------------------------------ */

static uint8_t tensor_class(const engine_draft *d, uint32_t tensor)
{
    return d->source->lifetimes->class_of_tensor[tensor];
}

/* Operators all of whose outputs stay folded or encoded do nothing when the
 * model runs (lifetime.h). */
bool engine_is_idle(const engine_draft *d, uint32_t op)
{
    const berth_graph *graph = d->source->graph;
    const uint32_t *outputs = berth_graph_outputs(graph, op);
    bool writes = false;
    for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
        if (outputs[i] == BERTH_NONE) {
            continue;
        }
        const uint8_t class_ = tensor_class(d, outputs[i]);
        writes = true;
        if (class_ != BERTH_CLASS_FOLDED && class_ != BERTH_CLASS_ENCODED) {
            return false;
        }
    }
    return writes;
}

static bool is_read(const engine_draft *d, uint32_t tensor)
{
    const berth_graph *graph = d->source->graph;
    const berth_graph_tensor *row = &graph->tensors[tensor];
    const uint32_t *readers = graph->readers + row->first_reader;
    if (row->subgraph == d->main && (row->flags & BERTH_TENSOR_OUTPUT) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < row->reader_count; ++i) {
        if (!engine_is_idle(d, readers[i])) {
            return true;
        }
    }
    return false;
}

static bool is_misaligned(const engine_draft *d, uint32_t tensor)
{
    const berth_graph *graph = d->source->graph;
    const berth_bytes data = berth_graph_tensor_info(graph, tensor).data;
    const uint64_t at =
        (uint64_t)(data.data - berth_model_file(graph->model).data);
    return at % berth_type_align((berth_type)graph->tensors[tensor].type) != 0;
}

bool engine_is_extra(const engine_draft *d, uint32_t tensor)
{
    const berth_lifetimes *lifetimes = d->source->lifetimes;
    if (lifetimes->item_of_tensor[tensor] != BERTH_NONE) {
        return false;
    }
    switch (tensor_class(d, tensor)) {
    case BERTH_CLASS_CONSTANT:
        return !berth_graph_tensor_info(d->source->graph, tensor)
                    .has_sparsity &&
               is_misaligned(d, tensor) && is_read(d, tensor);
    case BERTH_CLASS_FOLDED:
        return is_read(d, tensor);
    case BERTH_CLASS_STATE:
    case BERTH_CLASS_HANDLE:
        return lifetimes->state_of_tensor != NULL &&
               lifetimes->state_of_tensor[tensor] != BERTH_NOWHERE;
    case BERTH_CLASS_INPUT:
    case BERTH_CLASS_OUTPUT:
    case BERTH_CLASS_INNER:
        return true;            /* the caller's, or of no bytes */
    case BERTH_CLASS_UNWRITTEN: /* a constant of no bytes looks so, too */
        return d->source->shapes->of[tensor].bytes == 0;
    default:
        return false;
    }
}

/* --- where it lies ------------------------------------------------------ */

/* Bytes of the books; NULL while they are only counted. */
static uint8_t *take_blob(engine_draft *d, uint64_t bytes)
{
    uint64_t rounded = 0;
    const uint64_t at = d->at.blobs;
    if (!berth_round_up_u64(bytes, ENGINE_GRAIN, &rounded) ||
        !berth_add_u64(at, rounded, &d->at.blobs)) {
        d->at.blobs = BERTH_NOWHERE; /* which no books hold */
    }
    return d->engine == NULL ? NULL : d->blobs + at;
}

static uint8_t *copy_constant(engine_draft *d, uint32_t tensor)
{
    const berth_bytes data =
        berth_graph_tensor_info(d->source->graph, tensor).data;
    const uint64_t bytes = d->source->shapes->of[tensor].bytes;
    uint8_t *copy = take_blob(d, bytes);
    if (copy != NULL && bytes > 0) {
        memcpy(copy, data.data, (size_t)bytes);
    }
    return copy;
}

/* Folded elements, as the type has them in memory. */
static uint8_t *copy_values(engine_draft *d, uint32_t tensor)
{
    const berth_shapes *shapes = d->source->shapes;
    const uint32_t width =
        berth_type_bits((berth_type)d->source->graph->tensors[tensor].type) /
        8u;
    const uint64_t bytes = shapes->of[tensor].bytes;
    uint8_t *copy = take_blob(d, bytes);
    const int64_t *values = berth_shape_values(shapes, tensor);
    if (copy == NULL || values == NULL) {
        return copy;
    }
    for (uint64_t at = 0, i = 0; at < bytes; at += width, ++i) {
        const uint64_t value = (uint64_t)values[i];
        for (uint32_t k = 0; k < width; ++k) {
            copy[at + k] = (uint8_t)(value >> 8u * k); /* little-endian */
        }
    }
    return copy;
}

void engine_add_known(engine_draft *d, uint32_t input, uint32_t tensor)
{
    const berth_shape *shape = &d->source->shapes->of[tensor];
    if ((shape->flags & BERTH_SHAPE_FOLDED) == 0) {
        return;
    }
    const uint8_t *value = copy_values(d, tensor);
    const uint64_t at = d->at.known++;
    if (d->engine != NULL) {
        d->engine->known[at] =
            (engine_known){value, input, (uint32_t)shape->bytes};
    }
}

static uint8_t *item_at(const engine_draft *d, uint32_t item)
{
    const berth_engine *engine = d->engine;
    const berth_plan *plan = d->source->plan;
    const uint32_t region = plan->region == NULL ? 0 : plan->region[item];
    if (engine == NULL) {
        return NULL;
    }
    if (d->source->lifetimes->problem.items[item].size == 0) {
        return (uint8_t *)d->engine; /* nobody will look */
    }
    return engine_base(&engine->memory.regions[region], engine->flags) +
           (size_t)plan->offset[item];
}

static uint8_t *state_at(const engine_draft *d, uint32_t tensor)
{
    const berth_engine *engine = d->engine;
    if (engine == NULL) {
        return NULL;
    }
    uint8_t *base = engine_base(&engine->memory.state, engine->flags);
    return base == NULL
               ? (uint8_t *)d->engine /* all are of no bytes */
               : base + (size_t)d->source->lifetimes->state_of_tensor[tensor];
}

static void add_variable(engine_draft *d, uint32_t tensor, uint32_t record)
{
    const uint64_t at = d->at.variables++;
    if (d->engine != NULL) {
        d->engine->variables[at] = (engine_variable){
            record, d->source->graph->tensors[tensor].subgraph};
    }
}

static void add_extra(engine_draft *d, uint32_t tensor)
{
    const uint64_t bytes = d->source->shapes->of[tensor].bytes;
    switch (tensor_class(d, tensor)) {
    case BERTH_CLASS_CONSTANT:
        (void)engine_add_record(d, tensor, copy_constant(d, tensor),
                                ENGINE_RECORD_CONSTANT);
        break;
    case BERTH_CLASS_FOLDED:
        (void)engine_add_record(d, tensor, copy_values(d, tensor),
                                ENGINE_RECORD_FOLDED);
        break;
    case BERTH_CLASS_STATE:
        add_variable(d, tensor, (uint32_t)d->at.records);
        (void)engine_add_record(d, tensor, state_at(d, tensor), 0);
        break;
    case BERTH_CLASS_HANDLE:
        (void)engine_add_record(d, tensor, state_at(d, tensor),
                                ENGINE_RECORD_HANDLE);
        break;
    default:
        (void)engine_add_record(d, tensor,
                                bytes > 0 ? NULL : (uint8_t *)d->engine,
                                bytes > 0 ? ENGINE_RECORD_HELD : 0u);
        break;
    }
}

void engine_add_records(engine_draft *d)
{
    const berth_lifetimes *lifetimes = d->source->lifetimes;
    const uint32_t items = lifetimes->problem.item_count;
    for (uint32_t i = 0; i < items; ++i) {
        if (lifetimes->tensor_of_item[i] == BERTH_NONE) {
            break; /* scratch from here on */
        }
        (void)engine_add_record(d, lifetimes->tensor_of_item[i], item_at(d, i),
                                0);
    }
    d->placed = (uint32_t)d->at.records;
    for (uint32_t t = 0; t < d->source->graph->tensor_count; ++t) {
        if (engine_is_extra(d, t)) {
            add_extra(d, t);
        }
    }
    d->sorted = (uint32_t)d->at.records;
}

/* The record of an extra tensor; only while books are written. */
uint32_t engine_find_extra(const engine_draft *d, uint32_t tensor)
{
    uint32_t low = d->placed;
    uint32_t high = d->sorted;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (d->engine->records[middle].tensor < tensor) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What each tensor is to the arena, and the items: one for each tensor that
 * needs bytes, in the order of their numbers, then one for the scratch of each
 * operator that needs some. */
#include "lifetime_int.h"

#include "base/base_int.h"

const char *berth_class_name(berth_class class_)
{
    static const char *const names[] = {
#define BERTH_CLASS_TEXT(name, text, help) text,
        BERTH_CLASS_TABLE(BERTH_CLASS_TEXT)
#undef BERTH_CLASS_TEXT
    };
    return (uint32_t)class_ < BERTH_CLASS_COUNT ? names[class_] : "?";
}

static berth_class class_of(const lifetime_draft *d, uint32_t t)
{
    const berth_graph_tensor *tensor = &d->graph->tensors[t];
    const berth_shape *shape = &d->shapes->of[t];
    if ((tensor->flags & BERTH_TENSOR_VARIABLE) != 0) {
        return BERTH_CLASS_STATE;
    }
    if ((tensor->flags & BERTH_TENSOR_CONSTANT) != 0) {
        return BERTH_CLASS_CONSTANT;
    }
    if (tensor->type == BERTH_RESOURCE) {
        return BERTH_CLASS_HANDLE;
    }
    if ((tensor->flags & BERTH_TENSOR_ORPHAN) != 0) {
        return BERTH_CLASS_UNWRITTEN;
    }
    if ((d->marks[t] & LIFETIME_FOLDS) != 0) {
        return BERTH_CLASS_FOLDED;
    }
    if ((d->marks[t] & LIFETIME_DECODES) != 0) {
        return BERTH_CLASS_ENCODED;
    }
    return shape->state == BERTH_SHAPE_STATIC ? BERTH_CLASS_INNER
                                              : BERTH_CLASS_DYNAMIC;
}

static void touch_tensor(lifetime_draft *d, uint32_t t, uint8_t mark)
{
    if (t == BERTH_NONE) {
        return;
    }
    d->marks[t] |= mark;
    if (d->class_of_tensor[t] == BERTH_CLASS_UNUSED) {
        d->class_of_tensor[t] = (uint8_t)class_of(d, t);
    }
}

/* An idle operator takes what it needs out of the file, in prepare. */
static void touch_idle(lifetime_draft *d, const berth_step *step)
{
    for (uint32_t i = 0; i < step->read_count; ++i) {
        const uint32_t t = step->reads[i];
        if (t != BERTH_NONE &&
            (d->graph->tensors[t].flags & BERTH_TENSOR_CONSTANT) != 0) {
            touch_tensor(d, t, 0);
        }
    }
    for (uint32_t i = 0; i < step->write_count; ++i) {
        touch_tensor(d, step->writes[i], 0);
    }
}

static void touch_steps(lifetime_draft *d)
{
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        const berth_step *step = &d->schedule->steps[s];
        if (lifetime_is_idle(d, step)) {
            touch_idle(d, step);
            continue;
        }
        if (step->kind == BERTH_STEP_OP) {
            d->op_state[step->op] = LIFETIME_OP_RUNS;
        }
        for (uint32_t i = 0; i < step->read_count; ++i) {
            touch_tensor(d, step->reads[i], LIFETIME_READ);
        }
        for (uint32_t i = 0; i < step->write_count; ++i) {
            touch_tensor(d, step->writes[i], 0);
        }
    }
}

/* Inputs and outputs of the subgraph that runs; one that is both is an input.
 */
static void touch_io(lifetime_draft *d)
{
    const uint32_t *inputs = lifetime_inputs(d);
    for (uint32_t i = 0; i < lifetime_input_count(d); ++i) {
        touch_tensor(d, inputs[i], 0);
        if (inputs[i] != BERTH_NONE &&
            d->class_of_tensor[inputs[i]] == BERTH_CLASS_INNER) {
            d->class_of_tensor[inputs[i]] = BERTH_CLASS_INPUT;
        }
    }
    const uint32_t *outputs = lifetime_outputs(d);
    for (uint32_t i = 0; i < lifetime_output_count(d); ++i) {
        touch_tensor(d, outputs[i], LIFETIME_READ);
        if (outputs[i] != BERTH_NONE &&
            d->class_of_tensor[outputs[i]] == BERTH_CLASS_INNER) {
            d->class_of_tensor[outputs[i]] = BERTH_CLASS_OUTPUT;
        }
    }
}

/* What a callee is handed and does not read is not handed to it. */
static bool is_dropped(const lifetime_draft *d, uint32_t t)
{
    return (d->graph->tensors[t].flags & BERTH_TENSOR_INPUT) != 0 &&
           !lifetime_in_main(d, t) && (d->marks[t] & LIFETIME_READ) == 0;
}

static berth_status refuse_size(const lifetime_draft *d, uint32_t t,
                                uint32_t op)
{
    (void)berth_refuse(d->diag, BERTH_TOO_LARGE,
                       "a tensor is larger than offsets can tell");
    if (d->diag != NULL) {
        const uint32_t s = t != BERTH_NONE ? d->graph->tensors[t].subgraph
                                           : d->graph->ops[op].subgraph;
        d->diag->subgraph = s;
        d->diag->tensor =
            t == BERTH_NONE ? BERTH_NONE : t - d->graph->tensor_base[s];
        d->diag->op = op == BERTH_NONE ? BERTH_NONE : op - d->graph->op_base[s];
    }
    return BERTH_TOO_LARGE;
}

static berth_status place_item(lifetime_draft *d, uint64_t bytes, uint32_t t,
                               uint32_t op, uint32_t flags)
{
    /* Links tell distances in signed numbers. */
    if (bytes > INT64_MAX) {
        return refuse_size(d, t, op);
    }
    const uint32_t item = d->item_count++;
    d->items[item] = (berth_item){
        .size = bytes,
        .fixed = BERTH_NOWHERE,
        .align = d->align,
        .regions = 1,
        .flags = flags,
    };
    d->tensor_of_item[item] = t;
    d->op_of_item[item] = op;
    return BERTH_OK;
}

/* What the caller lends outside the arena, for the run. */
static bool is_held(const lifetime_draft *d, uint8_t class_)
{
    return (class_ == BERTH_CLASS_INPUT && d->options->hold_inputs) ||
           (class_ == BERTH_CLASS_OUTPUT && d->options->hold_outputs);
}

static berth_status place_tensor(lifetime_draft *d, uint32_t t)
{
    d->item_of_tensor[t] = BERTH_NONE;
    const uint8_t class_ = d->class_of_tensor[t];
    if (class_ != BERTH_CLASS_INNER && class_ != BERTH_CLASS_INPUT &&
        class_ != BERTH_CLASS_OUTPUT) {
        d->dynamic_count += class_ == BERTH_CLASS_DYNAMIC ? 1u : 0u;
        return BERTH_OK;
    }
    if (class_ == BERTH_CLASS_INNER && is_dropped(d, t)) {
        d->class_of_tensor[t] = BERTH_CLASS_UNUSED;
        return BERTH_OK;
    }
    if (d->shapes->of[t].bytes == 0 || is_held(d, class_)) {
        return BERTH_OK;
    }
    const berth_graph_tensor *tensor = &d->graph->tensors[t];
    uint32_t flags = 0;
    if (lifetime_in_main(d, t)) {
        flags |= (tensor->flags & BERTH_TENSOR_INPUT) ? BERTH_ITEM_INPUT : 0u;
        flags |= (tensor->flags & BERTH_TENSOR_OUTPUT) ? BERTH_ITEM_OUTPUT : 0u;
    }
    flags |= (d->marks[t] & LIFETIME_PINNED) ? BERTH_ITEM_PINNED : 0u;
    d->item_of_tensor[t] = d->item_count;
    return place_item(d, d->shapes->of[t].bytes, t, tensor->producer, flags);
}

static berth_status place_scratch(lifetime_draft *d)
{
    const berth_graph *graph = d->graph;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const uint64_t bytes =
            d->op_state[op] == LIFETIME_OP_RUNS
                ? berth_op_scratch_bytes(graph, d->shapes, op)
                : 0;
        if (bytes > 0) {
            BERTH_TRY(place_item(d, bytes, BERTH_NONE, op, BERTH_ITEM_SCRATCH));
            ++d->scratch_count;
        }
    }
    return BERTH_OK;
}

/* Scratch items are the last ones, in the order of their operators. */
uint32_t lifetime_scratch_of(const lifetime_draft *d, uint32_t op)
{
    uint32_t low = d->item_count - d->scratch_count;
    uint32_t high = d->item_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (d->op_of_item[middle] < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < d->item_count && d->op_of_item[low] == op ? low : BERTH_NONE;
}

berth_status lifetime_classify(lifetime_draft *d)
{
    for (uint32_t t = 0; t < d->graph->tensor_count; ++t) {
        d->class_of_tensor[t] = BERTH_CLASS_UNUSED;
    }
    touch_steps(d);
    touch_io(d);
    for (uint32_t t = 0; t < d->graph->tensor_count; ++t) {
        BERTH_TRY(place_tensor(d, t));
    }
    return d->options->no_scratch ? BERTH_OK : place_scratch(d);
}

/* From a schedule to a planning problem: the memory, and the order of work
 * (lifetime_int.h). Linear in steps, operands and tensors, but for two sorts,
 * of links and of resource names. */
#include "lifetime_int.h"

#include "base/base_int.h"

#include <string.h>

#define DEFAULT_ALIGN 16u

/* --- how much ----------------------------------------------------------- */

static void size_op_step(const berth_graph *graph, const berth_shapes *shapes,
                         const berth_step *step, lifetime_sizes *sizes)
{
    const berth_parts parts = berth_op_parts(graph, shapes, step->op);
    const uint32_t code = graph->ops[step->op].code;
    const berth_op_contract *contract = berth_op_contract_of(code);
    sizes->ties += (contract->flags & BERTH_OP_VIEW) != 0 ? 1u : 0u;
    for (uint32_t i = 0; i < step->read_count; ++i) {
        const uint32_t mask = contract->inplace_inputs;
        const bool named =
            (mask >> 31) != 0 || (i < 31 && ((mask >> i) & 1u) != 0);
        sizes->links += named ? 1u : 0u;
    }
    if (parts.kind != BERTH_PARTS_NONE) {
        sizes->ties += parts.count;
        sizes->rigid = 1;
    }
    ++sizes->spans; /* of its scratch */
}

static void size_steps(const berth_graph *graph, const berth_shapes *shapes,
                       const berth_schedule *schedule, lifetime_sizes *sizes)
{
    for (uint32_t s = 0; s < schedule->step_count; ++s) {
        const berth_step *step = &schedule->steps[s];
        sizes->spans += step->write_count;
        if (step->kind == BERTH_STEP_OP) {
            size_op_step(graph, shapes, step, sizes);
        } else if (lifetime_hands_over(step)) {
            sizes->ties += step->write_count;
            sizes->links += step->write_count;
        } else {
            sizes->links += step->write_count;
        }
    }
    sizes->spans += graph->subgraphs[schedule->subgraph].input_count;
    sizes->links += lifetime_unread_links(graph, schedule);
    sizes->steps = schedule->step_count == 0 ? 1 : schedule->step_count;
}

static void size_items(const berth_graph *graph, const berth_shapes *shapes,
                       lifetime_sizes *sizes)
{
    const uint8_t placed_elsewhere =
        BERTH_TENSOR_CONSTANT | BERTH_TENSOR_VARIABLE;
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        const bool may_be_one =
            (graph->tensors[t].flags & placed_elsewhere) == 0 &&
            shapes->of[t].state == BERTH_SHAPE_STATIC;
        sizes->items += may_be_one ? 1u : 0u;
        if ((graph->tensors[t].flags & BERTH_TENSOR_VARIABLE) != 0) {
            sizes->state = graph->tensor_count;
        }
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        sizes->items += berth_op_scratch_bytes(graph, shapes, op) > 0 ? 1u : 0u;
        sizes->handles += graph->ops[op].code == BERTH_OP_VAR_HANDLE ? 1u : 0u;
    }
    sizes->state = sizes->handles > 0 ? graph->tensor_count : sizes->state;
    /* A tie for each item at most, however often its step comes. */
    sizes->ties = sizes->ties < sizes->items ? sizes->ties : sizes->items;
}

/* Parts are ties that work in place; and what is read with a lag is not
 * finished where it seems to be. */
static bool ties_parts(const berth_lifetime_options *options)
{
    return !options->no_views && !options->no_inplace && options->lag == 0;
}

static lifetime_sizes size_all(const berth_graph *graph,
                               const berth_shapes *shapes,
                               const berth_schedule *schedule,
                               const berth_lifetime_options *options)
{
    lifetime_sizes sizes = {0};
    size_steps(graph, shapes, schedule, &sizes);
    size_items(graph, shapes, &sizes);
    sizes.rigid = sizes.rigid > 0 && ties_parts(options) ? sizes.items : 0;
    sizes.ticks = options->lag > 0 ? sizes.steps + 1 : 0;
    return sizes;
}

/* Arrays that are kept, then scratch; as take_kept() and take_scratch(). */
static bool lifetime_needs(const berth_graph *graph,
                           const lifetime_sizes *sizes, size_t *total)
{
    const size_t tensors = graph->tensor_count;
    const size_t handle_tensors = sizes->handles == 0 ? 0 : tensors;
    return BERTH_NEED(total, berth_item, sizes->items) &&
           BERTH_NEED(total, berth_span, sizes->spans) &&
           BERTH_NEED(total, berth_link, sizes->links) &&
           BERTH_NEED(total, berth_tie, sizes->ties) &&
           BERTH_NEED(total, uint32_t, sizes->steps) &&
           BERTH_NEED(total, uint32_t, sizes->items) &&
           BERTH_NEED(total, uint32_t, sizes->items) &&
           BERTH_NEED(total, uint32_t, tensors) &&
           BERTH_NEED(total, uint8_t, tensors) &&
           BERTH_NEED(total, uint64_t, sizes->state) &&
           BERTH_NEED(total, uint8_t, tensors) &&
           BERTH_NEED(total, uint8_t, graph->op_count) &&
           BERTH_NEED(total, uint32_t, tensors) &&
           BERTH_NEED(total, lifetime_run, sizes->items) &&
           BERTH_NEED(total, lifetime_tick, sizes->ticks) &&
           BERTH_NEED(total, lifetime_rigid, sizes->rigid) &&
           BERTH_NEED(total, uint64_t,
                      sizes->rigid > 0 ? sizes->steps + 1 : 0) &&
           BERTH_NEED(total, uint32_t, sizes->handles) &&
           BERTH_NEED(total, uint32_t, handle_tensors) &&
           BERTH_NEED(total, uint64_t, handle_tensors);
}

static void take_kept(lifetime_draft *d, const lifetime_sizes *sizes,
                      berth_work *work)
{
    const size_t tensors = d->graph->tensor_count;
    d->items = BERTH_TAKE(work, berth_item, sizes->items);
    d->spans = BERTH_TAKE(work, berth_span, sizes->spans);
    d->links = BERTH_TAKE(work, berth_link, sizes->links);
    d->ties = BERTH_TAKE(work, berth_tie, sizes->ties);
    d->step_op = BERTH_TAKE(work, uint32_t, sizes->steps);
    d->tensor_of_item = BERTH_TAKE(work, uint32_t, sizes->items);
    d->op_of_item = BERTH_TAKE(work, uint32_t, sizes->items);
    d->item_of_tensor = BERTH_TAKE(work, uint32_t, tensors);
    d->class_of_tensor = BERTH_TAKE(work, uint8_t, tensors);
    if (sizes->state > 0) {
        d->state_of_tensor = BERTH_TAKE(work, uint64_t, tensors);
    }
}

static void take_scratch(lifetime_draft *d, const lifetime_sizes *sizes,
                         berth_work work)
{
    const size_t tensors = d->graph->tensor_count;
    d->marks = BERTH_TAKE(&work, uint8_t, tensors);
    d->op_state = BERTH_TAKE(&work, uint8_t, d->graph->op_count);
    d->source = BERTH_TAKE(&work, uint32_t, tensors);
    d->runs = BERTH_TAKE(&work, lifetime_run, sizes->items);
    d->ticks = BERTH_TAKE(&work, lifetime_tick, sizes->ticks);
    if (sizes->rigid > 0) {
        d->rigid = BERTH_TAKE(&work, lifetime_rigid, sizes->rigid);
        d->load = BERTH_TAKE(&work, uint64_t, sizes->steps + 1);
    }
    if (sizes->handles > 0) {
        d->handle_op = BERTH_TAKE(&work, uint32_t, sizes->handles);
        d->handle_up = BERTH_TAKE(&work, uint32_t, tensors);
        d->handle_bytes = BERTH_TAKE(&work, uint64_t, tensors);
    }
}

/* --- options ------------------------------------------------------------ */

static const berth_lifetime_options default_options = {0};

static berth_status check_named(const berth_graph *graph, const uint32_t *list,
                                uint32_t count, berth_diag *diag)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (list[i] >= graph->tensor_count) {
            return berth_refuse(diag, BERTH_BAD_ARG,
                                "a tensor to keep or pin that does not exist");
        }
    }
    return BERTH_OK;
}

static berth_status check_wishes(const berth_graph *graph,
                                 const berth_lifetime_options *options,
                                 berth_diag *diag)
{
    if ((options->align & (options->align - 1u)) != 0 && options->align != 0) {
        return berth_refuse(diag, BERTH_BAD_ARG,
                            "an alignment is a power of two");
    }
    BERTH_TRY(check_named(graph, options->keep, options->keep_count, diag));
    return check_named(graph, options->pin, options->pin_count, diag);
}

static void mark_list(lifetime_draft *d, const uint32_t *list, uint32_t count,
                      uint8_t mark)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (list[i] != BERTH_NONE) { /* an input that is absent */
            d->marks[list[i]] |= mark;
        }
    }
}

/* --- the whole ---------------------------------------------------------- */

berth_status berth_lifetimes_bytes(const berth_graph *graph,
                                   const berth_shapes *shapes,
                                   const berth_schedule *schedule,
                                   const berth_lifetime_options *options,
                                   size_t *bytes, berth_diag *diag)
{
    const berth_lifetime_options *given =
        options != NULL ? options : &default_options;
    BERTH_TRY(check_wishes(graph, given, diag));
    const lifetime_sizes sizes = size_all(graph, shapes, schedule, given);
    size_t total = 0;
    if (sizes.spans > UINT32_MAX || sizes.links > UINT32_MAX ||
        sizes.items >= BERTH_NONE || !lifetime_needs(graph, &sizes, &total)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "the lifetimes' arrays");
    }
    *bytes = total;
    return BERTH_OK;
}

static void list_step_ops(lifetime_draft *d)
{
    d->step_op[0] = BERTH_NONE; /* where there is no step at all */
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        d->step_op[s] = d->schedule->steps[s].op;
    }
}

static berth_status make_problem(lifetime_draft *d, size_t span_room)
{
    memset(d->marks, 0, d->graph->tensor_count);
    memset(d->op_state, LIFETIME_OP_AWAY, d->graph->op_count);
    mark_list(d, d->options->keep, d->options->keep_count, LIFETIME_KEPT);
    mark_list(d, d->options->pin, d->options->pin_count, LIFETIME_PINNED);
    if (d->options->keep_inputs) {
        mark_list(d, lifetime_inputs(d), lifetime_input_count(d),
                  LIFETIME_KEPT);
    }
    list_step_ops(d);
    lifetime_find_idle(d);
    BERTH_TRY(lifetime_classify(d));
    lifetime_tie_views(d);
    BERTH_TRY(lifetime_walk_spans(d, span_room));
    lifetime_tie_parts(d);
    if (d->options->lag > 0) {
        lifetime_add_lag(d); /* what is still read is not written over */
    } else if (!d->options->no_inplace) {
        lifetime_link_steps(d);
    }
    return lifetime_count_state(d);
}

static berth_lifetimes publish(const lifetime_draft *d)
{
    return (berth_lifetimes){
        .problem =
            {
                .items = d->items,
                .spans = d->spans,
                .links = d->links,
                .ties = d->ties,
                .step_op = d->step_op,
                .item_count = d->item_count,
                .span_count = d->span_count,
                .link_count = d->link_count,
                .tie_count = d->tie_count,
                .step_count = d->step_count,
            },
        .tensor_of_item = d->tensor_of_item,
        .op_of_item = d->op_of_item,
        .item_of_tensor = d->item_of_tensor,
        .class_of_tensor = d->class_of_tensor,
        .state_bytes = d->state_bytes,
        .model_state_bytes = d->model_state_bytes,
        .state_of_tensor = d->state_of_tensor,
        .once_offset = d->once_offset,
        .dynamic_count = d->dynamic_count,
        .scratch_count = d->scratch_count,
    };
}

berth_status berth_lifetimes_init(const berth_graph *graph,
                                  const berth_shapes *shapes,
                                  const berth_schedule *schedule,
                                  const berth_lifetime_options *options,
                                  berth_work *work, berth_lifetimes *lifetimes,
                                  berth_diag *diag)
{
    size_t total = 0;
    BERTH_TRY(
        berth_lifetimes_bytes(graph, shapes, schedule, options, &total, diag));
    BERTH_TRY(berth_work_check(work, total, diag));

    const berth_lifetime_options *given =
        options != NULL ? options : &default_options;
    const lifetime_sizes sizes = size_all(graph, shapes, schedule, given);
    lifetime_draft d = {
        .graph = graph,
        .shapes = shapes,
        .schedule = schedule,
        .options = given,
        .diag = diag,
        .step_count = (uint32_t)sizes.steps,
    };
    d.align = d.options->align != 0 ? d.options->align : DEFAULT_ALIGN;
    berth_work kept = *work;
    take_kept(&d, &sizes, &kept);
    take_scratch(&d, &sizes, kept);
    BERTH_TRY(make_problem(&d, sizes.spans));
    *lifetimes = publish(&d);
    *work = kept;
    return BERTH_OK;
}

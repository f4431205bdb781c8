/* Bytes that live between invocations, for this signature and for the whole
 * model: one block, keyed by (container, shared name) for resources and by
 * (subgraph, tensor) for variable tensors.
 *
 * A resource has no size of its own: it is as large as what is assigned to it
 * or read from it. Handles travel through calls, so tensors that may hold the
 * same handle are joined (union-find over resource tensors, along the operands
 * of calls, and between handles of one name); the largest value of a class is
 * the size of each resource in it. */
#include "lifetime_int.h"

#include "base/base_int.h"

#include <string.h>

/* --- classes of handles ------------------------------------------------- */

static uint32_t handle_root(const lifetime_draft *d, uint32_t t)
{
    while (d->handle_up[t] != t) {
        d->handle_up[t] = d->handle_up[d->handle_up[t]];
        t = d->handle_up[t];
    }
    return t;
}

static void join(const lifetime_draft *d, uint32_t a, uint32_t b)
{
    if (a == BERTH_NONE || b == BERTH_NONE ||
        d->graph->tensors[a].type != BERTH_RESOURCE ||
        d->graph->tensors[b].type != BERTH_RESOURCE) {
        return;
    }
    const uint32_t ra = handle_root(d, a);
    const uint32_t rb = handle_root(d, b);
    d->handle_up[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

static void join_lists(const lifetime_draft *d, const uint32_t *a,
                       uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count && i < b_count; ++i) {
        join(d, a[i], b[i]);
    }
}

/* Along the operands of a call, whatever its kind; what a loop's body leaves
 * is what it is given again. */
static void join_call(const lifetime_draft *d, uint32_t op)
{
    const berth_graph *graph = d->graph;
    const berth_graph_op *row = &graph->ops[op];
    const berth_call call = berth_graph_call_of(row->code);
    const uint32_t skip =
        call == BERTH_CALL_BRANCH && row->input_count > 0 ? 1 : 0;
    for (uint32_t i = 0; i < row->callee_count; ++i) {
        const uint32_t s = berth_graph_callees(graph, op)[i];
        const berth_graph_subgraph *callee = &graph->subgraphs[s];
        const uint32_t *inputs = berth_graph_subgraph_inputs(graph, s);
        const uint32_t *outputs = berth_graph_subgraph_outputs(graph, s);
        join_lists(d, berth_graph_inputs(graph, op) + skip,
                   row->input_count - skip, inputs, callee->input_count);
        if (call == BERTH_CALL_LOOP && i == 0) {
            continue; /* a condition leaves no handle */
        }
        join_lists(d, berth_graph_outputs(graph, op), row->output_count,
                   outputs, callee->output_count);
        if (call == BERTH_CALL_LOOP) {
            join_lists(d, inputs, callee->input_count, outputs,
                       callee->output_count);
        }
    }
}

/* --- handles by name ---------------------------------------------------- */

static int compare_bytes(berth_bytes a, berth_bytes b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = shared == 0 ? 0 : memcmp(a.data, b.data, shared);
    if (order != 0) {
        return order;
    }
    return (a.size > b.size) - (a.size < b.size);
}

static int compare_handles(const lifetime_draft *d, uint32_t x, uint32_t y)
{
    const berth_operator a = berth_graph_op_info(d->graph, x);
    const berth_operator b = berth_graph_op_info(d->graph, y);
    const int order = compare_bytes(
        berth_option_bytes(&a, BERTH_OPT_VarHandleOptions_container),
        berth_option_bytes(&b, BERTH_OPT_VarHandleOptions_container));
    return order != 0
               ? order
               : compare_bytes(berth_option_bytes(
                                   &a, BERTH_OPT_VarHandleOptions_shared_name),
                               berth_option_bytes(
                                   &b, BERTH_OPT_VarHandleOptions_shared_name));
}

static bool handle_less(const void *context, uint32_t i, uint32_t j)
{
    const lifetime_draft *d = context;
    const int order = compare_handles(d, d->handle_op[i], d->handle_op[j]);
    return order != 0 ? order < 0 : d->handle_op[i] < d->handle_op[j];
}

static void handle_swap(void *context, uint32_t i, uint32_t j)
{
    lifetime_draft *d = context;
    const uint32_t held = d->handle_op[i];
    d->handle_op[i] = d->handle_op[j];
    d->handle_op[j] = held;
}

static uint32_t handle_tensor(const lifetime_draft *d, uint32_t op)
{
    return d->graph->ops[op].output_count > 0
               ? berth_graph_outputs(d->graph, op)[0]
               : BERTH_NONE;
}

static uint32_t list_handles(lifetime_draft *d)
{
    uint32_t count = 0;
    for (uint32_t op = 0; op < d->graph->op_count; ++op) {
        if (d->graph->ops[op].code == BERTH_OP_VAR_HANDLE &&
            handle_tensor(d, op) != BERTH_NONE) {
            d->handle_op[count++] = op;
        }
    }
    const lifetime_sortable handles = {d, handle_less, handle_swap};
    lifetime_sort(&handles, count);
    for (uint32_t i = 1; i < count; ++i) {
        if (compare_handles(d, d->handle_op[i - 1], d->handle_op[i]) == 0) {
            join(d, handle_tensor(d, d->handle_op[i - 1]),
                 handle_tensor(d, d->handle_op[i]));
        }
    }
    return count;
}

/* --- sizes -------------------------------------------------------------- */

static void see_value(lifetime_draft *d, uint32_t handle, uint32_t value)
{
    if (handle == BERTH_NONE || value == BERTH_NONE ||
        d->shapes->of[value].state != BERTH_SHAPE_STATIC) {
        return;
    }
    uint64_t *largest = &d->handle_bytes[handle_root(d, handle)];
    if (d->shapes->of[value].bytes > *largest) {
        *largest = d->shapes->of[value].bytes;
    }
}

static void see_values(lifetime_draft *d)
{
    for (uint32_t op = 0; op < d->graph->op_count; ++op) {
        const berth_graph_op *row = &d->graph->ops[op];
        const uint32_t *inputs = berth_graph_inputs(d->graph, op);
        if (row->code == BERTH_OP_ASSIGN_VARIABLE && row->input_count > 1) {
            see_value(d, inputs[0], inputs[1]);
        } else if (row->code == BERTH_OP_READ_VARIABLE &&
                   row->input_count > 0 && row->output_count > 0) {
            see_value(d, inputs[0], berth_graph_outputs(d->graph, op)[0]);
        }
    }
}

/* One block more: in the model's state always, in this signature's where it is
 * reached; then *offset says where. */
static bool add_block(lifetime_draft *d, uint64_t bytes, bool reached,
                      uint64_t *offset)
{
    uint64_t block = 0;
    if (!berth_round_up_u64(bytes, d->align, &block) ||
        !berth_add_u64(d->model_state_bytes, block, &d->model_state_bytes)) {
        return false;
    }
    if (reached || d->options->all_state) {
        *offset = d->state_bytes;
        d->state_bytes += block; /* at most the model's */
    }
    return true;
}

/* Handles of one name stand together; each name is one block. Which of two
 * names a class stands for, only a run could tell. */
static bool add_resources(lifetime_draft *d, uint32_t count)
{
    bool fits = true;
    for (uint32_t i = 0; i < count && fits;) {
        const uint32_t first = d->handle_op[i];
        const uint32_t root = handle_root(d, handle_tensor(d, first));
        bool reached = false;
        for (; i < count && compare_handles(d, first, d->handle_op[i]) == 0;
             ++i) {
            reached =
                reached || d->op_state[d->handle_op[i]] == LIFETIME_OP_RUNS;
        }
        uint64_t offset = BERTH_NOWHERE;
        fits = add_block(d, d->handle_bytes[root], reached, &offset);
        d->state_of_tensor[root] =
            (d->marks[root] & LIFETIME_NAMED) == 0 ? offset : BERTH_NOWHERE;
        d->marks[root] |= LIFETIME_NAMED;
    }
    return fits;
}

static bool add_variables(lifetime_draft *d)
{
    bool fits = true;
    for (uint32_t t = 0; t < d->graph->tensor_count && fits; ++t) {
        if ((d->graph->tensors[t].flags & BERTH_TENSOR_VARIABLE) != 0 &&
            d->shapes->of[t].state == BERTH_SHAPE_STATIC) {
            fits = add_block(d, d->shapes->of[t].bytes,
                             d->class_of_tensor[t] == BERTH_CLASS_STATE,
                             &d->state_of_tensor[t]);
        }
    }
    return fits;
}

static bool add_handles(lifetime_draft *d)
{
    const uint32_t tensors = d->graph->tensor_count;
    for (uint32_t t = 0; t < tensors; ++t) {
        d->handle_up[t] = t;
        d->handle_bytes[t] = 0;
    }
    for (uint32_t op = 0; op < d->graph->op_count; ++op) {
        join_call(d, op);
    }
    const uint32_t count = list_handles(d);
    see_values(d);
    const bool fits = add_resources(d, count);
    for (uint32_t t = 0; t < tensors; ++t) {
        if (d->graph->tensors[t].type == BERTH_RESOURCE) {
            d->state_of_tensor[t] = d->state_of_tensor[handle_root(d, t)];
        }
    }
    return fits;
}

/* What CALL_ONCE has run is remembered with the variables that it filled. */
static bool add_once(lifetime_draft *d)
{
    bool exists = false;
    bool reached = false;
    for (uint32_t op = 0; op < d->graph->op_count; ++op) {
        exists = exists || d->graph->ops[op].code == BERTH_OP_CALL_ONCE;
    }
    for (uint32_t s = 0; exists && s < d->schedule->step_count; ++s) {
        const uint32_t op = d->schedule->steps[s].op;
        reached = reached || d->graph->ops[op].code == BERTH_OP_CALL_ONCE;
    }
    return !exists ||
           add_block(d, d->graph->subgraph_count, reached, &d->once_offset);
}

berth_status lifetime_count_state(lifetime_draft *d)
{
    d->once_offset = BERTH_NOWHERE;
    for (uint32_t t = 0;
         d->state_of_tensor != NULL && t < d->graph->tensor_count; ++t) {
        d->state_of_tensor[t] = BERTH_NOWHERE;
    }
    const bool fits = add_variables(d) &&
                      (d->handle_up == NULL || add_handles(d)) && add_once(d);
    return fits ? BERTH_OK
                : berth_refuse(d->diag, BERTH_TOO_LARGE,
                               "state is more than 64 bits count");
}

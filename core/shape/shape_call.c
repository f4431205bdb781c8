/* core/shape/shape_call.c: shapes through calls, into a callee and back.
 *
 * A tensor has one shape. What is different on each call, or on each round of
 * a loop, is dynamic; the call is then kept in `blame` and the walk starts once
 * more, knowing it from the beginning. Blame only ever grows, so this ends. */
#include "shape_int.h"

/* The operand that input i of the callees gets; a branch has its condition
 * first. */
static uint32_t operand_for(const berth_graph *graph, uint32_t op, uint32_t i)
{
    const berth_graph_op *node = &graph->ops[op];
    const uint32_t skip =
        berth_graph_call_of(node->code) == BERTH_CALL_BRANCH ? 1 : 0;
    return i + skip < node->input_count
               ? berth_graph_inputs(graph, op)[i + skip]
               : BERTH_NONE;
}

static uint32_t callee_input(const berth_graph *graph, uint32_t callee,
                             uint32_t i)
{
    return i < graph->subgraphs[callee].input_count
               ? berth_graph_subgraph_inputs(graph, callee)[i]
               : BERTH_NONE;
}

static uint32_t callee_output(const berth_graph *graph, uint32_t callee,
                              uint32_t i)
{
    return i < graph->subgraphs[callee].output_count
               ? berth_graph_subgraph_outputs(graph, callee)[i]
               : BERTH_NONE;
}

static bool is_loop(const berth_graph *graph, uint32_t op)
{
    return berth_graph_call_of(graph->ops[op].code) == BERTH_CALL_LOOP &&
           graph->ops[op].callee_count == 2;
}

/* A loop's body hands input i on as it is: the same in every round. */
static bool is_invariant(const berth_graph *graph, uint32_t op, uint32_t i)
{
    const uint32_t body = berth_graph_callees(graph, op)[1];
    const uint32_t input = callee_input(graph, body, i);
    return input != BERTH_NONE && input == callee_output(graph, body, i);
}

static bool same_value(const struct shaping *all, uint32_t a, uint32_t b)
{
    struct values x = {0};
    struct values y = {0};
    if (!berth_tensor_values(all, a, &x) || !berth_tensor_values(all, b, &y) ||
        x.count != y.count || x.count > BERTH_FOLD_MAX) {
        return false;
    }
    for (uint64_t i = 0; i < x.count; ++i) {
        if (berth_values_at(&x, i) != berth_values_at(&y, i)) {
            return false;
        }
    }
    return true;
}

/* A folded value, or a small constant, known on the other side too. */
static void copy_value(struct shaping *all, uint32_t to, uint32_t from)
{
    struct values values = {0};
    if (all->value[from] != BERTH_NONE) {
        all->value[to] = all->value[from];
    } else if (berth_tensor_values(all, from, &values) && values.count > 0) {
        int64_t *kept = berth_tensor_fold(all, to, values.count);
        for (uint64_t i = 0; kept != NULL && i < values.count; ++i) {
            kept[i] = berth_values_at(&values, i);
        }
    }
}

static void blame(struct shaping *all, uint32_t input, uint32_t op)
{
    if (all->blame[input] == BERTH_NONE) {
        all->blame[input] = op;
        all->again = true;
    }
}

/* The first call of this pass sets, the others compare. */
static void bind_one(struct shaping *all, uint32_t op, uint32_t input,
                     uint32_t operand, bool first, bool with_value)
{
    const bool has_value = all->value[input] != BERTH_NONE;
    if (all->last_pass || all->blame[input] != BERTH_NONE) {
        berth_tensor_set_dynamic(
            all, input,
            all->blame[input] != BERTH_NONE ? all->blame[input] : op);
        return;
    }
    if (first) {
        berth_tensor_copy(all, input, operand);
        if (with_value && (all->marks[input] & MARK_NO_VALUE) == 0) {
            copy_value(all, input, operand);
        }
        return;
    }
    if (!berth_tensor_same(all, input, operand)) {
        blame(all, input, op);
    } else if (has_value && !(with_value && same_value(all, input, operand))) {
        all->marks[input] |= MARK_NO_VALUE;
        all->again = true;
    }
    all->marks[input] |= all->marks[operand] & MARK_TAINTED;
}

void berth_call_bind(struct shaping *all, uint32_t op, uint32_t callee)
{
    const berth_graph *graph = all->graph;
    const bool first = (all->visits[callee] & VISIT_DONE) == 0;
    const bool loop = is_loop(graph, op);
    for (uint32_t i = 0; i < graph->subgraphs[callee].input_count; ++i) {
        const uint32_t input = callee_input(graph, callee, i);
        const uint32_t operand = operand_for(graph, op, i);
        if (input != BERTH_NONE && operand != BERTH_NONE) {
            bind_one(all, op, input, operand, first,
                     !loop || is_invariant(graph, op, i));
        }
    }
}

static bool is_at_most_one(const struct shaping *all, uint32_t tensor)
{
    struct dims dims = {0};
    uint64_t elements = 0;
    return berth_tensor_dims(all, tensor, &dims) && dims.rank <= 1 &&
           berth_dims_elements(&dims, &elements) && elements == 1;
}

/* A scalar and a vector of one are as good as each other around a loop. */
static bool goes_round(const struct shaping *all, uint32_t input, uint32_t back)
{
    if (all->shapes[input].state == BERTH_SHAPE_DYNAMIC ||
        all->shapes[back].state == BERTH_SHAPE_DYNAMIC) {
        return false;
    }
    return berth_tensor_same(all, input, back) ||
           (is_at_most_one(all, input) && is_at_most_one(all, back));
}

static void join_loop(struct shaping *all, uint32_t op, uint32_t i,
                      uint32_t output)
{
    const berth_graph *graph = all->graph;
    const uint32_t *callees = berth_graph_callees(graph, op);
    const uint32_t input = callee_input(graph, callees[1], i);
    const uint32_t back = callee_output(graph, callees[1], i);
    const uint32_t test = callee_input(graph, callees[0], i);
    if (input == BERTH_NONE || back == BERTH_NONE) {
        return;
    }
    if (goes_round(all, input, back)) {
        berth_tensor_copy(all, output, back);
        if (input == back && operand_for(graph, op, i) != BERTH_NONE) {
            copy_value(all, output, operand_for(graph, op, i));
        }
        return;
    }
    const uint32_t inside = all->shapes[back].culprit;
    berth_tensor_set_dynamic(all, output,
                             all->shapes[back].state == BERTH_SHAPE_DYNAMIC &&
                                     inside != BERTH_NONE
                                 ? inside
                                 : op);
    blame(all, input, all->shapes[output].culprit);
    if (test != BERTH_NONE) {
        blame(all, test, all->shapes[output].culprit);
    }
}

/* Branches that disagree, or one that does not know. */
static void join_others(struct shaping *all, uint32_t op, uint32_t i,
                        uint32_t output)
{
    const berth_graph *graph = all->graph;
    const uint32_t *callees = berth_graph_callees(graph, op);
    const uint32_t count = graph->ops[op].callee_count;
    const uint32_t first = callee_output(graph, callees[0], i);
    if (first == BERTH_NONE) {
        return;
    }
    berth_tensor_copy(all, output, first);
    if (count == 1) {
        copy_value(all, output, first);
    }
    for (uint32_t c = 1; c < count; ++c) {
        const uint32_t other = callee_output(graph, callees[c], i);
        if (other != BERTH_NONE && !berth_tensor_same(all, first, other)) {
            const uint32_t inside =
                all->shapes[first].state == BERTH_SHAPE_DYNAMIC
                    ? all->shapes[first].culprit
                : all->shapes[other].state == BERTH_SHAPE_DYNAMIC
                    ? all->shapes[other].culprit
                    : BERTH_NONE;
            berth_tensor_set_dynamic(all, output,
                                     inside != BERTH_NONE ? inside : op);
            return;
        }
    }
}

void berth_call_join(struct shaping *all, uint32_t op)
{
    const berth_graph *graph = all->graph;
    const bool loop = is_loop(graph, op);
    const uint32_t *outputs = berth_graph_outputs(graph, op);
    for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
        if (outputs[i] == BERTH_NONE) {
            continue;
        }
        if (loop) {
            join_loop(all, op, i, outputs[i]);
        } else {
            join_others(all, op, i, outputs[i]);
        }
    }
}

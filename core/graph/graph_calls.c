/* Calls between subgraphs: who calls whom, callees before callers, and the
 * number of steps that a subgraph has once all calls in it are flattened.
 *
 * The reader has verified that no subgraph reaches itself, so a topological
 * order exists; each subgraph is looked at once, however often it is called,
 * and the counts saturate: forty subgraphs that each call the next one twice
 * are counted in forty looks. */
#include "graph_int.h"

/* What a kind of call costs in steps of its own (schedule.h draws them), and
 * how many callees it must have. */
typedef struct graph_call_row {
    uint8_t steps;
    uint8_t steps_per_callee;
    uint8_t callees_least;
    uint8_t callees_most; /* 0: any number */
} graph_call_row;

static const graph_call_row call_rows[] = {
    [BERTH_CALL_NONE] = {1, 0, 0, 0},
    [BERTH_CALL_PLAIN] = {2, 0, 1, 1},  /* ENTER, EXIT */
    [BERTH_CALL_BRANCH] = {1, 2, 1, 0}, /* TEST; THEN or ELSE, and EXIT */
    [BERTH_CALL_LOOP] = {5, 0, 2, 2},   /* ENTER, COND, TEST, BACK, EXIT */
};

typedef struct graph_call_code {
    uint32_t code;
    berth_call call;
} graph_call_code;

/* The operators whose callees run by themselves. The computations inside
 * STABLEHLO_REDUCE and its like belong to the operator, and STABLEHLO_WHILE
 * has no kernel on any CPU. */
static const graph_call_code call_codes[] = {
    {BERTH_OP_CALL, BERTH_CALL_PLAIN},
    {BERTH_OP_IF, BERTH_CALL_BRANCH},
    {BERTH_OP_WHILE, BERTH_CALL_LOOP},
    {BERTH_OP_CALL_ONCE, BERTH_CALL_PLAIN},
    {BERTH_OP_STABLEHLO_COMPOSITE, BERTH_CALL_PLAIN},
    {BERTH_OP_STABLEHLO_CASE, BERTH_CALL_BRANCH},
};

berth_call berth_graph_call_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof(call_codes) / sizeof(call_codes[0]); ++i) {
        if (call_codes[i].code == code) {
            return call_codes[i].call;
        }
    }
    return BERTH_CALL_NONE;
}

uint32_t graph_callee_count(const berth_model *model, const berth_operator *op)
{
    const berth_call call = berth_graph_call_of(op->code);
    if (call == BERTH_CALL_NONE) {
        return 0;
    }
    const graph_call_row *row = &call_rows[call];
    const uint32_t count = berth_model_callees(model, op, NULL, 0);
    const bool fits = count >= row->callees_least &&
                      (row->callees_most == 0 || count <= row->callees_most);
    return fits ? count : 0;
}

static uint64_t add_steps(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* All callees of `op` have been walked. */
static void sum_op(const graph_draft *draft, uint32_t op,
                   berth_graph_subgraph *subgraph)
{
    const berth_graph_op *row = &draft->ops[op];
    const berth_call call = row->callee_count == 0
                                ? BERTH_CALL_NONE
                                : berth_graph_call_of(row->code);
    const berth_op_contract *contract = berth_op_contract_of(row->code);
    if ((contract->flags & BERTH_OP_STATEFUL) != 0) {
        subgraph->stateful = true;
    }
    uint64_t steps = call_rows[call].steps;
    for (uint32_t i = 0; i < row->callee_count; ++i) {
        const berth_graph_subgraph *callee =
            &draft->subgraphs[draft->callees[row->first_callee + i]];
        steps = add_steps(steps, call_rows[call].steps_per_callee);
        steps = add_steps(steps, callee->flat_steps);
        subgraph->stateful = subgraph->stateful || callee->stateful;
    }
    subgraph->flat_steps = add_steps(subgraph->flat_steps, steps);
}

/* The callees of the operators from `first` to before `end`, as a range. */
static uint32_t callees_end(const graph_draft *draft, uint32_t first,
                            uint32_t end)
{
    return first == end ? 0
                        : draft->ops[end - 1].first_callee +
                              draft->ops[end - 1].callee_count;
}

/* Callers before callees, each as soon as its last call site has been seen. */
static uint32_t queue_subgraphs(const graph_draft *draft, uint32_t *callers,
                                uint32_t *queue)
{
    const uint32_t count = draft->graph->subgraph_count;
    uint32_t queued = 0;
    for (uint32_t s = 0; s < count; ++s) {
        if (callers[s] == 0) {
            queue[queued++] = s;
        }
    }
    for (uint32_t at = 0; at < queued; ++at) {
        const uint32_t first = draft->op_base[queue[at]];
        const uint32_t end =
            callees_end(draft, first, draft->op_base[queue[at] + 1]);
        for (uint32_t i = end == 0 ? 0 : draft->ops[first].first_callee;
             i < end; ++i) {
            if (--callers[draft->callees[i]] == 0) {
                queue[queued++] = draft->callees[i];
            }
        }
    }
    return queued;
}

void graph_walk_calls(graph_draft *draft, uint32_t *scratch)
{
    const uint32_t count = draft->graph->subgraph_count;
    uint32_t *callers = scratch; /* call sites not yet seen */
    uint32_t *queue = scratch + count;
    for (uint32_t s = 0; s < count; ++s) {
        callers[s] = 0;
    }
    const uint32_t end = callees_end(draft, 0, draft->graph->op_count);
    for (uint32_t i = 0; i < end; ++i) {
        ++callers[draft->callees[i]];
    }
    for (uint32_t at = queue_subgraphs(draft, callers, queue); at-- > 0;) {
        const uint32_t s = queue[at];
        for (uint32_t op = draft->op_base[s]; op < draft->op_base[s + 1];
             ++op) {
            sum_op(draft, op, &draft->subgraphs[s]);
        }
    }
}

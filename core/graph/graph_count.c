/* How long the arrays of a graph will be: one walk over all operators, in 64
 * bits, refused where 32 do not hold a number. */
#include "graph_int.h"

#include "base/base_int.h"

typedef struct graph_totals {
    uint64_t tensors;
    uint64_t ops;
    uint64_t operands;
    uint64_t reads;
    uint64_t callees;
    uint32_t most_ops;
} graph_totals;

static void count_subgraph(const berth_model *model, uint32_t s,
                           graph_totals *totals)
{
    const berth_subgraph info = berth_model_subgraph(model, s);
    totals->tensors += info.tensor_count;
    totals->ops += info.op_count;
    totals->operands += (uint64_t)info.inputs.count + info.outputs.count;
    if (info.op_count > totals->most_ops) {
        totals->most_ops = info.op_count;
    }
    for (uint32_t i = 0; i < info.op_count; ++i) {
        const berth_operator op = berth_model_operator(model, s, i);
        totals->operands += (uint64_t)op.inputs.count + op.outputs.count;
        totals->reads += op.inputs.count;
        totals->callees += graph_callee_count(model, &op);
    }
}

berth_status graph_count(const berth_model *model, graph_sizes *sizes,
                         berth_diag *diag)
{
    graph_totals totals = {0};
    const uint32_t subgraphs = berth_model_subgraph_count(model);
    for (uint32_t s = 0; s < subgraphs; ++s) {
        count_subgraph(model, s, &totals);
    }
    /* reads are among the operands; BERTH_NONE is no number of a thing. */
    if (totals.tensors >= BERTH_NONE || totals.ops >= BERTH_NONE ||
        totals.operands >= BERTH_NONE || totals.callees >= BERTH_NONE) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "more tensors or operators than 32 bits count");
    }
    graph_control_lists lists;
    *sizes = (graph_sizes){
        .subgraphs = subgraphs,
        .tensors = (uint32_t)totals.tensors,
        .ops = (uint32_t)totals.ops,
        .operands = (uint32_t)totals.operands,
        .reads = (uint32_t)totals.reads,
        .callees = (uint32_t)totals.callees,
        .most_ops = totals.most_ops,
    };
    (void)graph_control_open(model, &lists, &sizes->control_most);
    return BERTH_OK;
}

/* The graph's front: memory, and looking things up. */
#include "graph_int.h"

#include "base/base_int.h"

#include <string.h>

/* Arrays that the graph keeps, then scratch of the build; in this order. */
static bool graph_needs(const graph_sizes *sizes, size_t *total)
{
    const size_t subgraphs = sizes->subgraphs;
    const size_t most_ops = sizes->most_ops;
    const size_t edges = (size_t)sizes->control_most + most_ops;
    return BERTH_NEED(total, uint32_t, 2u * (subgraphs + 1u)) &&
           BERTH_NEED(total, berth_graph_subgraph, subgraphs) &&
           BERTH_NEED(total, berth_graph_tensor, sizes->tensors) &&
           BERTH_NEED(total, berth_graph_op, sizes->ops) &&
           BERTH_NEED(total, uint32_t, sizes->callees) &&
           BERTH_NEED(total, uint32_t, sizes->operands) &&
           BERTH_NEED(total, uint32_t, sizes->reads) &&
           BERTH_NEED(total, uint32_t, sizes->ops) &&
           BERTH_NEED(total, berth_graph, 1) &&
           BERTH_NEED(total, uint32_t, 2u * subgraphs) &&
           BERTH_NEED(total, uint32_t, 3u * most_ops) &&
           BERTH_NEED(total, uint32_t, 2u * edges);
}

berth_status berth_graph_bytes(const berth_model *model, size_t *bytes,
                               berth_diag *diag)
{
    graph_sizes sizes;
    BERTH_TRY(graph_count(model, &sizes, diag));
    size_t total = 0;
    if (!graph_needs(&sizes, &total)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "the graph's arrays");
    }
    *bytes = total;
    return BERTH_OK;
}

static graph_draft take_draft(const graph_sizes *sizes, berth_work *work)
{
    const size_t bases = (size_t)sizes->subgraphs + 1u;
    graph_draft draft = {0};
    draft.tensor_base = BERTH_TAKE(work, uint32_t, 2u * bases);
    draft.op_base = draft.tensor_base + bases;
    draft.subgraphs = BERTH_TAKE(work, berth_graph_subgraph, sizes->subgraphs);
    draft.tensors = BERTH_TAKE(work, berth_graph_tensor, sizes->tensors);
    draft.ops = BERTH_TAKE(work, berth_graph_op, sizes->ops);
    draft.callees = BERTH_TAKE(work, uint32_t, sizes->callees);
    draft.operands = BERTH_TAKE(work, uint32_t, sizes->operands);
    draft.readers = BERTH_TAKE(work, uint32_t, sizes->reads);
    draft.order = BERTH_TAKE(work, uint32_t, sizes->ops);
    return draft;
}

static void publish_draft(const graph_draft *draft, const berth_model *model,
                          const graph_sizes *sizes)
{
    *draft->graph = (berth_graph){
        .model = model,
        .subgraph_count = sizes->subgraphs,
        .tensor_count = sizes->tensors,
        .op_count = sizes->ops,
        .tensor_base = draft->tensor_base,
        .op_base = draft->op_base,
        .subgraphs = draft->subgraphs,
        .tensors = draft->tensors,
        .ops = draft->ops,
        .callees = draft->callees,
        .operands = draft->operands,
        .readers = draft->readers,
        .order = draft->order,
    };
}

berth_status berth_graph_init(const berth_model *model, berth_work *work,
                              berth_graph *graph, berth_diag *diag)
{
    graph_sizes sizes;
    BERTH_TRY(graph_count(model, &sizes, diag));
    size_t total = 0;
    if (!graph_needs(&sizes, &total)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "the graph's arrays");
    }
    BERTH_TRY(berth_work_check(work, total, diag));

    berth_work kept = *work;
    graph_draft draft = take_draft(&sizes, &kept);
    berth_work scratch = kept;
    draft.graph = BERTH_TAKE(&scratch, berth_graph, 1);
    publish_draft(&draft, model, &sizes);
    BERTH_TRY(graph_fill(&draft, diag));

    const size_t most_ops = sizes.most_ops;
    const size_t edges = (size_t)sizes.control_most + most_ops;
    graph_walk_calls(&draft,
                     BERTH_TAKE(&scratch, uint32_t, 2u * sizes.subgraphs));
    graph_order_room room;
    room.waiting = BERTH_TAKE(&scratch, uint32_t, 3u * most_ops);
    room.heap = room.waiting + most_ops;
    room.head = room.heap + most_ops;
    room.edge_to = BERTH_TAKE(&scratch, uint32_t, 2u * edges);
    room.edge_next = room.edge_to + edges;
    BERTH_TRY(graph_order(&draft, &room, diag));

    *graph = *draft.graph;
    *work = kept;
    return BERTH_OK;
}

berth_tensor berth_graph_tensor_info(const berth_graph *graph, uint32_t tensor)
{
    const uint32_t s = graph->tensors[tensor].subgraph;
    return berth_model_tensor(graph->model, s, tensor - graph->tensor_base[s]);
}

berth_operator berth_graph_op_info(const berth_graph *graph, uint32_t op)
{
    const uint32_t s = graph->ops[op].subgraph;
    return berth_model_operator(graph->model, s, op - graph->op_base[s]);
}

/* "#12", and nothing else behind the digits. */
static bool parse_local(berth_bytes name, uint32_t *local)
{
    if (name.size < 2 || name.data[0] != '#') {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 1; i < name.size; ++i) {
        const uint8_t c = name.data[i];
        if (c < '0' || c > '9' || value > UINT32_MAX) {
            return false;
        }
        value = value * 10u + (uint64_t)(c - '0');
    }
    *local = value < BERTH_NONE ? (uint32_t)value : BERTH_NONE;
    return true;
}

uint32_t berth_graph_find_tensor(const berth_graph *graph, uint32_t subgraph,
                                 berth_bytes name)
{
    const uint32_t base = graph->tensor_base[subgraph];
    const uint32_t count = graph->tensor_base[subgraph + 1] - base;
    uint32_t local = BERTH_NONE;
    if (parse_local(name, &local) && local < count) {
        return base + local;
    }
    for (uint32_t t = 0; t < count; ++t) {
        const berth_tensor info = berth_model_tensor(graph->model, subgraph, t);
        if (info.name.size == name.size &&
            (name.size == 0 ||
             memcmp(info.name.data, name.data, name.size) == 0)) {
            return base + t;
        }
    }
    return BERTH_NONE;
}

/* peer_calls.c: where LiteRT's calls themselves lose bytes, whatever the plan.
 *
 * Both cases were run in LiteRT 2.3.0 and give wrong results there: a loop that
 * swaps two variables, and a branch that names one tensor as two results.
 * Facts from LiteRT: tflite/kernels/{while,if,stablehlo_composite}.cc. */
#include "peer/peer_int.h"

static berth_status lost(peer_state *peer, uint32_t op, uint32_t tensor,
                         uint32_t other, const char *what)
{
    (void)peer_refuse(peer, BERTH_UNSOUND, op, tensor, what);
    if (peer->diag != NULL) {
        peer->diag->other = other;
    }
    return BERTH_UNSOUND;
}

/* BACK copies body output after body output into the outputs of WHILE, which
 * are the body's inputs. If body output i is body input j < i, and j was
 * changed, the copy finds the new value of j. */
static berth_status check_loop(peer_state *peer, uint32_t op)
{
    const berth_graph *graph = peer->graph;
    const uint32_t body = berth_graph_callees(graph, op)[1];
    const uint32_t *inputs = berth_graph_subgraph_inputs(graph, body);
    const uint32_t *outputs = berth_graph_subgraph_outputs(graph, body);
    const uint32_t count = graph->subgraphs[body].input_count;
    uint32_t *position = peer->left;
    for (uint32_t j = 0; j < count; ++j) {
        if (inputs[j] != BERTH_NONE) {
            position[inputs[j]] = j;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t output = outputs[i];
        if (output == BERTH_NONE ||
            (graph->tensors[output].flags & BERTH_TENSOR_INPUT) == 0) {
            continue;
        }
        const uint32_t j = position[output];
        if (j < i && outputs[j] != output &&
            peer->place[output] == PEER_BOUND) {
            return lost(peer, op, output, berth_graph_outputs(graph, op)[j],
                        "LiteRT copies a loop's outputs one by one, over an "
                        "input still to be copied");
        }
    }
    return BERTH_OK;
}

/* A branch writes its result where the operator's output lies. A result that
 * is named twice lies where the last of its outputs does; the others are never
 * written. (Results that are inputs or constants are copied to each.) */
static berth_status check_branch(peer_state *peer, uint32_t op,
                                 uint32_t subgraph)
{
    const berth_graph *graph = peer->graph;
    const uint32_t *results = berth_graph_subgraph_outputs(graph, subgraph);
    const uint32_t *outputs = berth_graph_outputs(graph, op);
    const uint32_t given = graph->subgraphs[subgraph].output_count;
    const uint32_t count = given < graph->ops[op].output_count
                               ? given
                               : graph->ops[op].output_count;
    uint32_t *last = peer->left;
    for (uint32_t i = 0; i < count; ++i) {
        if (results[i] != BERTH_NONE) {
            last[results[i]] = i;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (results[i] == BERTH_NONE || outputs[i] == BERTH_NONE ||
            last[results[i]] == i ||
            (graph->tensors[results[i]].flags &
             (BERTH_TENSOR_INPUT | BERTH_TENSOR_CONSTANT)) != 0) {
            continue;
        }
        const berth_graph_tensor *output = &graph->tensors[outputs[i]];
        if (output->reader_count > 0 ||
            (output->flags & BERTH_TENSOR_OUTPUT) != 0) {
            return lost(peer, op, outputs[i], outputs[last[results[i]]],
                        "LiteRT writes a result that a branch names twice to "
                        "one output only");
        }
    }
    return BERTH_OK;
}

static berth_status check_call(peer_state *peer, uint32_t op)
{
    const berth_graph_op *row = &peer->graph->ops[op];
    const uint32_t *callees = berth_graph_callees(peer->graph, op);
    if (berth_graph_call_of(row->code) == BERTH_CALL_LOOP) {
        return check_loop(peer, op);
    }
    for (uint32_t k = 0; k < row->callee_count; ++k) {
        BERTH_TRY(check_branch(peer, op, callees[k]));
    }
    return BERTH_OK;
}

berth_status peer_check_calls_litert(peer_state *peer)
{
    const berth_graph *graph = peer->graph;
    for (uint32_t q = 0; q < peer->queue_count; ++q) {
        const uint32_t s = peer->queue[q];
        for (uint32_t op = graph->op_base[s]; op < graph->op_base[s + 1];
             ++op) {
            if (peer_follows(graph, BERTH_PEER_LITERT, op)) {
                BERTH_TRY(check_call(peer, op));
            }
        }
    }
    return BERTH_OK;
}

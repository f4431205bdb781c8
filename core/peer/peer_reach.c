/* peer_reach.c: which subgraphs LiteRT's AllocateTensors reaches, and what the
 * way in which they are called does to their inputs.
 *
 * The inputs of a branch, of a loop's body and of a composite are the caller's
 * tensors. Of a branch, a composite and a loop's condition, inputs that nobody
 * reads are dropped. Facts from LiteRT: tflite/kernels/{if,while,stablehlo_*,
 * control_flow_common}.cc. */
#include "peer/peer_int.h"

static uint8_t role_of(berth_call call, uint32_t callee)
{
    if (call == BERTH_CALL_LOOP) {
        return callee == 0 ? PEER_ROLE_DROPS : PEER_ROLE_BOUND;
    }
    return PEER_ROLE_DROPS | PEER_ROLE_BOUND;
}

static void reach(peer_state *peer, uint32_t subgraph, uint8_t role)
{
    if (peer->roles[subgraph] == 0) {
        peer->queue[peer->queue_count++] = subgraph;
    }
    peer->roles[subgraph] |= (uint8_t)(role | PEER_ROLE_SEEN);
}

void peer_reach_litert(peer_state *peer)
{
    const berth_graph *graph = peer->graph;
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        peer->roles[s] = 0;
    }
    peer->queue_count = 0;
    reach(peer, peer->subgraph, 0);
    for (uint32_t q = 0; q < peer->queue_count; ++q) {
        const uint32_t s = peer->queue[q];
        for (uint32_t op = graph->op_base[s]; op < graph->op_base[s + 1];
             ++op) {
            if (!peer_follows(graph, BERTH_PEER_LITERT, op)) {
                continue;
            }
            const berth_call call = berth_graph_call_of(graph->ops[op].code);
            for (uint32_t k = 0; k < graph->ops[op].callee_count; ++k) {
                reach(peer, berth_graph_callees(graph, op)[k],
                      role_of(call, k));
            }
        }
    }
}

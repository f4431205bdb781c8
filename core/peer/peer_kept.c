/* peer_kept.c: LiteRT's persistent arena: variables, decoded constants, handles
 * of resources, and what kernels compute once and keep.
 *
 * Its blocks never end, so each lies behind the one before, at a multiple of
 * 64: first those that stand from the beginning, by tensor, then by size, the
 * largest first, at last by operator. Only the padding of the last one is not
 * paid. */
#include "peer/peer_int.h"

enum { HANDLE_BYTES = 4 }; /* a resource is a number */

static void add_kept(uint64_t *sum, uint64_t bytes)
{
    if (!berth_add_u64(*sum, bytes, sum)) {
        *sum = UINT64_MAX;
    }
}

void peer_keep(peer_state *peer, uint64_t bytes, bool standing)
{
    peer_kept *kept = &peer->kept;
    uint64_t padded = UINT64_MAX;
    if (bytes == 0) {
        return;
    }
    (void)berth_round_up_u64(bytes, PEER_LITERT_ALIGN, &padded);
    add_kept(&kept->padded, padded);
    if (standing) {
        kept->standing = bytes;
    } else if (kept->least == 0 || bytes < kept->least) {
        kept->least = bytes;
    }
}

/* An output of an operator that AllocateTensors does not come to is not
 * planned. */
static bool is_met(const peer_state *peer, uint32_t subgraph, uint32_t tensor)
{
    const berth_graph_tensor *row = &peer->graph->tensors[tensor];
    const uint32_t first = peer->graph->op_base[subgraph];
    if (row->producer != BERTH_NONE) {
        return row->producer - first < peer->prepared;
    }
    return (row->flags & (BERTH_TENSOR_VARIABLE | BERTH_TENSOR_INPUT)) != 0;
}

static berth_status keep_tensor(peer_state *peer, uint32_t tensor)
{
    const berth_shape *shape = &peer->of[tensor];
    const peer_life life = peer->life[tensor];
    const bool standing = life.born == 0 && life.dead == PEER_UNSET;
    if (peer->graph->tensors[tensor].type == BERTH_RESOURCE) {
        peer_keep(peer, HANDLE_BYTES, standing);
        return BERTH_OK;
    }
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        return peer_refuse(peer, BERTH_UNBOUNDED, shape->culprit, tensor,
                           "its size depends on values");
    }
    if (shape->state == BERTH_SHAPE_STATIC) {
        peer_keep(peer, shape->bytes, standing);
    }
    return BERTH_OK;
}

berth_status peer_kept_close(peer_state *peer, uint32_t subgraph)
{
    const berth_graph *graph = peer->graph;
    for (uint32_t t = graph->tensor_base[subgraph];
         t < graph->tensor_base[subgraph + 1]; ++t) {
        if (peer->memory[t] == BERTH_LITERT_PERSISTENT &&
            peer->place[t] != PEER_BOUND && is_met(peer, subgraph, t)) {
            BERTH_TRY(keep_tensor(peer, t));
        }
    }
    const peer_kept kept = peer->kept;
    const uint64_t last = kept.least != 0 ? kept.least : kept.standing;
    const uint64_t spare =
        (PEER_LITERT_ALIGN - last % PEER_LITERT_ALIGN) % PEER_LITERT_ALIGN;
    peer->kept = (peer_kept){0};
    if (kept.padded == UINT64_MAX ||
        !berth_add_u64(peer->persistent, kept.padded - spare,
                       &peer->persistent)) {
        return berth_refuse(peer->diag, BERTH_TOO_LARGE,
                            "the persistent arenas pass 64 bits");
    }
    return BERTH_OK;
}

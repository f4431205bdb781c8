/* peer_tflm.c: the arena of TFLM, without kernel scratch.
 *
 * One counter for the whole model: each operator is a time, and so is each
 * subgraph that one enters; a subgraph called from two operators is walked
 * twice and its tensors live from the first to the last. What is never
 * reached keeps the time before all others, -1, and is planned all the same;
 * the counter is shifted by one here. All sizes are multiples of 16. Shapes
 * are the file's: TFLM infers none.
 *
 * Facts from tflite-micro: micro_allocation_info.cc, kernels/var_handle.cc. */
#include "peer/peer_int.h"
#include "peer/tflm_file.h"

enum { TFLM_ALIGN = 16 };

static berth_status tflm_bytes(const peer_state *peer, uint32_t tensor,
                               uint64_t *bytes)
{
    const berth_tensor info = berth_graph_tensor_info(peer->graph, tensor);
    uint64_t size = tflm_element_bytes((uint32_t)info.type);
    if (size == 0) {
        return peer_refuse(peer, BERTH_UNBOUNDED, BERTH_NONE, tensor,
                           "TFLM knows no size for this type");
    }
    for (uint32_t i = 0; i < info.shape.count; ++i) {
        const int32_t dim = berth_ivec_at(info.shape, i);
        if (dim < 0) { /* an axis that Prepare computes */
            size = peer->shapes->of[tensor].bytes;
            break;
        }
        if (!berth_mul_u64(size, (uint32_t)dim, &size)) {
            return peer_refuse(peer, BERTH_TOO_LARGE, BERTH_NONE, tensor,
                               "a size beyond 64 bits");
        }
    }
    if (size == BERTH_NOWHERE) {
        return peer_refuse(peer, BERTH_UNBOUNDED,
                           peer->shapes->of[tensor].culprit, tensor,
                           "its size depends on values");
    }
    *bytes = size;
    return BERTH_OK;
}

/* A handle points into the data of its operator. */
static bool is_handle(const berth_graph *graph, uint32_t tensor)
{
    const uint32_t producer = graph->tensors[tensor].producer;
    return producer != BERTH_NONE &&
           graph->ops[producer].code == BERTH_OP_VAR_HANDLE;
}

static berth_status tflm_tensor(peer_state *peer, uint32_t tensor)
{
    const uint8_t flags = peer->graph->tensors[tensor].flags;
    uint64_t bytes = 0;
    BERTH_TRY(tflm_bytes(peer, tensor, &bytes));
    const bool online = peer->fixed[tensor] == BERTH_NOWHERE;
    const bool constant = (flags & BERTH_TENSOR_CONSTANT) != 0;
    const bool state = (flags & BERTH_TENSOR_VARIABLE) != 0 && online;
    peer->place[tensor] = PEER_ELSEWHERE;
    if (!constant && !state && bytes != 0 && !is_handle(peer->graph, tensor)) {
        peer->place[tensor] = PEER_PLANNED;
    }
    peer->of[tensor].bytes = bytes;
    peer->of[tensor].state = BERTH_SHAPE_STATIC;
    peer->life[tensor] = (peer_life){PEER_UNSET, 0};
    return BERTH_OK;
}

/* --- offline offsets ---------------------------------------------------------
 */

static berth_status tflm_read_offline(peer_state *peer)
{
    berth_ivec offsets = {NULL, 0};
    uint32_t wrong = BERTH_NONE;
    const tflm_offline said = tflm_offline_plan(peer->graph, &offsets, &wrong);
    if (said == TFLM_OFFLINE_COUNT) {
        return berth_refuse(peer->diag, BERTH_UNSUPPORTED,
                            "TFLM refuses this OfflineMemoryAllocation: it is "
                            "not of as many tensors as the model has");
    }
    if (said == TFLM_OFFLINE_NEGATIVE) {
        return peer_refuse(peer, BERTH_UNSUPPORTED, BERTH_NONE, wrong,
                           "OfflineMemoryAllocation: a negative offset");
    }
    for (uint32_t t = 0; t < peer->graph->tensor_count; ++t) {
        const int32_t offset =
            t < offsets.count ? berth_ivec_at(offsets, t) : -1;
        peer->fixed[t] = offset < 0 ? BERTH_NOWHERE : (uint32_t)offset;
    }
    return BERTH_OK;
}

/* --- lifetimes --------------------------------------------------------- */

static void tflm_create(peer_state *peer, const uint32_t *tensors,
                        uint32_t count, uint32_t now)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != BERTH_NONE &&
            peer->life[tensors[i]].born == PEER_UNSET) {
            peer->life[tensors[i]].born = now;
        }
    }
}

static void tflm_use(peer_state *peer, const uint32_t *tensors, uint32_t count,
                     uint32_t now)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != BERTH_NONE) {
            peer->life[tensors[i]].dead = now + 1;
        }
    }
}

static void tflm_enter(peer_state *peer, uint32_t subgraph, uint32_t now)
{
    const uint32_t *inputs = berth_graph_subgraph_inputs(peer->graph, subgraph);
    const uint32_t count = peer->graph->subgraphs[subgraph].input_count;
    tflm_create(peer, inputs, count, now);
    tflm_use(peer, inputs, count, now);
}

static void tflm_leave(peer_state *peer, uint32_t subgraph, uint32_t now)
{
    const uint32_t *outputs =
        berth_graph_subgraph_outputs(peer->graph, subgraph);
    const uint32_t count = peer->graph->subgraphs[subgraph].output_count;
    tflm_create(peer, outputs, count, now);
    tflm_use(peer, outputs, count, now);
}

static void tflm_begin_op(peer_state *peer, uint32_t op, uint32_t now)
{
    tflm_create(peer, berth_graph_outputs(peer->graph, op),
                peer->graph->ops[op].output_count, now);
}

static void tflm_end_op(peer_state *peer, uint32_t op, uint32_t now)
{
    const berth_graph_op *row = &peer->graph->ops[op];
    tflm_use(peer, berth_graph_inputs(peer->graph, op), row->input_count, now);
    tflm_use(peer, berth_graph_outputs(peer->graph, op), row->output_count,
             now);
}

/* Walks the model; returns one past the last time. Time 0 is "before all", so
 * the counter starts at 1. */
static uint32_t tflm_lifetimes(peer_state *peer)
{
    peer_walk walk = peer_walk_from(peer);
    uint32_t now = 1;
    for (peer_event event = peer_walk_next(&walk); event.kind != PEER_EVENT_END;
         event = peer_walk_next(&walk)) {
        switch (event.kind) {
        case PEER_EVENT_OP:
            ++now;
            tflm_begin_op(peer, event.op, now);
            tflm_end_op(peer, event.op, now);
            break;
        case PEER_EVENT_CALL:
            ++now;
            tflm_begin_op(peer, event.op, now);
            break;
        case PEER_EVENT_ENTER:
            now += event.frame != NULL ? 1 : 0;
            tflm_enter(peer, event.subgraph, now);
            break;
        case PEER_EVENT_LEAVE:
            tflm_leave(peer, event.subgraph, now);
            break;
        case PEER_EVENT_RETURN:
            tflm_end_op(peer, event.op, now);
            break;
        case PEER_EVENT_END:
            break;
        }
    }
    return now + 1;
}

/* What nobody creates was there before all; what nobody uses is gone at once.
 */
static peer_life tflm_settled(peer_life life)
{
    const uint32_t born = life.born == PEER_UNSET ? 0 : life.born;
    return (peer_life){born, life.dead > born ? life.dead : born + 1};
}

berth_status peer_plan_tflm(peer_state *peer)
{
    BERTH_TRY(tflm_read_offline(peer));
    for (uint32_t t = 0; t < peer->graph->tensor_count; ++t) {
        BERTH_TRY(tflm_tensor(peer, t));
    }
    const uint32_t end = tflm_lifetimes(peer);
    for (uint32_t t = 0; t < peer->graph->tensor_count; ++t) {
        uint64_t size = 0;
        if (peer->place[t] != PEER_PLANNED) {
            continue;
        }
        if (!berth_round_up_u64(peer->of[t].bytes, TFLM_ALIGN, &size)) {
            return peer_refuse(peer, BERTH_TOO_LARGE, BERTH_NONE, t,
                               "a size beyond 64 bits");
        }
        /* Aligned by their sizes alone, unless an offline offset is not. */
        peer_arena_add(peer, t, size, 1, tflm_settled(peer->life[t]));
    }
    return peer_arena_close(peer, BERTH_STRATEGY_TFLM, end, TFLM_ALIGN);
}

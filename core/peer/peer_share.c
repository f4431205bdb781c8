/* peer_share.c: LiteRT's planner: lifetimes and shared bytes, an arena for
 * each subgraph.
 *
 * Times are operators. References are counted twice: first to find who may
 * take over whose bytes (a tensor that is changed in place may have one reader
 * only, and aliases between root and input are not looked at: that is the hole
 * which the second judge finds), then, with readers counted for the roots, to
 * find when a block is given back. What is never counted down to nothing is
 * kept to the end: inputs, outputs, and all that nobody reads.
 *
 * Facts from LiteRT: tflite/arena_planner.cc, kernels/while.cc. */
#include "peer/peer_int.h"

enum { LITERT_INPLACE_MOST = 2, LITERT_SCALAR_BYTES = 4 };

static const uint16_t inplace_flag[LITERT_INPLACE_MOST] = {
    BERTH_LITERT_INPLACE_0, BERTH_LITERT_INPLACE_1};

bool peer_drops_output(const berth_graph *graph, uint32_t op, uint32_t i)
{
    if (graph->ops[op].code != BERTH_OP_WHILE ||
        !peer_follows(graph, BERTH_PEER_LITERT, op)) {
        return false;
    }
    const uint32_t body = berth_graph_callees(graph, op)[1];
    const berth_graph_subgraph *io = &graph->subgraphs[body];
    const uint32_t output = berth_graph_outputs(graph, op)[i];
    if (output == BERTH_NONE || i >= io->input_count || i >= io->output_count ||
        berth_graph_subgraph_inputs(graph, body)[i] !=
            berth_graph_subgraph_outputs(graph, body)[i]) {
        return false;
    }
    const berth_graph_tensor *tensor = &graph->tensors[output];
    return tensor->reader_count == 0 &&
           (tensor->flags & BERTH_TENSOR_OUTPUT) == 0 &&
           berth_type_bits((berth_type)tensor->type) != 0;
}

static uint32_t root_of(const peer_state *peer, uint32_t tensor)
{
    return peer->shares[tensor] == BERTH_NONE ? tensor : peer->shares[tensor];
}

/* References that are always there, in refs and left; inputs begin at 0. */
static void count_standing(peer_state *peer, uint32_t subgraph)
{
    const berth_graph *graph = peer->graph;
    const berth_graph_subgraph *io = &graph->subgraphs[subgraph];
    const uint32_t *inputs = berth_graph_subgraph_inputs(graph, subgraph);
    const uint32_t *outputs = berth_graph_subgraph_outputs(graph, subgraph);
    for (uint32_t t = graph->tensor_base[subgraph];
         t < graph->tensor_base[subgraph + 1]; ++t) {
        const bool state =
            (graph->tensors[t].flags & BERTH_TENSOR_VARIABLE) != 0;
        peer->refs[t] = state ? 1 : 0;
        peer->shares[t] = BERTH_NONE;
        peer->life[t] = (peer_life){state ? 0 : PEER_UNSET, PEER_UNSET};
    }
    for (uint32_t i = 0; i < io->input_count; ++i) {
        if (inputs[i] != BERTH_NONE) {
            ++peer->refs[inputs[i]];
            peer->life[inputs[i]].born = 0;
        }
    }
    for (uint32_t i = 0; i < io->output_count; ++i) {
        if (outputs[i] != BERTH_NONE) {
            ++peer->refs[outputs[i]];
        }
    }
    for (uint32_t t = graph->tensor_base[subgraph];
         t < graph->tensor_base[subgraph + 1]; ++t) {
        peer->left[t] = peer->refs[t];
    }
}

/* One more reference for each operand that the subgraph's operators read. */
static void count_readers(const peer_state *peer, uint32_t subgraph,
                          uint32_t *count, bool of_roots)
{
    const berth_graph *graph = peer->graph;
    for (uint32_t op = graph->op_base[subgraph];
         op < graph->op_base[subgraph + 1]; ++op) {
        const uint32_t *inputs = berth_graph_inputs(graph, op);
        for (uint32_t i = 0; i < graph->ops[op].input_count; ++i) {
            if (inputs[i] != BERTH_NONE) {
                ++count[of_roots ? root_of(peer, inputs[i]) : inputs[i]];
            }
        }
    }
}

/* --- sharing ----------------------------------------------------------- */

static bool may_share(const peer_state *peer, uint32_t input, uint32_t output,
                      bool changes)
{
    const uint64_t bytes = peer->of[input].bytes;
    if (changes && (bytes != peer->of[output].bytes ||
                    bytes <= LITERT_SCALAR_BYTES || peer->refs[input] > 1)) {
        return false;
    }
    const berth_graph_tensor *tensors = peer->graph->tensors;
    return (tensors[input].flags & BERTH_TENSOR_INPUT) == 0 &&
           (tensors[output].flags & BERTH_TENSOR_OUTPUT) == 0 &&
           (peer->memory[input] == peer->memory[output] ||
            peer->memory[input] == BERTH_LITERT_ARENA);
}

static void share_op(peer_state *peer, uint32_t op)
{
    const berth_graph_op *row = &peer->graph->ops[op];
    const uint16_t flags = berth_op_contract_of(row->code)->litert;
    const uint32_t *inputs = berth_graph_inputs(peer->graph, op);
    const bool changes = (flags & BERTH_LITERT_UNMODIFIED) == 0;
    if (row->output_count == 0) {
        return;
    }
    const uint32_t output = berth_graph_outputs(peer->graph, op)[0];
    for (uint32_t i = 0; i < LITERT_INPLACE_MOST && i < row->input_count; ++i) {
        if ((flags & inplace_flag[i]) == 0 || inputs[i] == BERTH_NONE ||
            output == BERTH_NONE ||
            !may_share(peer, inputs[i], output, changes)) {
            continue;
        }
        const uint32_t root = root_of(peer, inputs[i]);
        if (!changes || peer->refs[root] <= 1) {
            peer->shares[output] = root;
        }
        return; /* the first that may share decides */
    }
}

/* --- lifetimes --------------------------------------------------------- */

static void live_op(peer_state *peer, uint32_t op, uint32_t now)
{
    const berth_graph_op *row = &peer->graph->ops[op];
    const uint32_t *inputs = berth_graph_inputs(peer->graph, op);
    const uint32_t *outputs = berth_graph_outputs(peer->graph, op);
    for (uint32_t i = 0; i < row->output_count; ++i) {
        if (outputs[i] == BERTH_NONE) {
            continue;
        }
        if (peer_drops_output(peer->graph, op, i)) {
            peer->place[outputs[i]] = PEER_ELSEWHERE;
        } else if (peer->life[outputs[i]].born == PEER_UNSET) {
            peer->life[outputs[i]].born = now;
        }
    }
    for (uint32_t i = 0; i < row->input_count; ++i) {
        if (inputs[i] == BERTH_NONE) {
            continue;
        }
        const uint32_t root = root_of(peer, inputs[i]);
        if (--peer->left[root] == 0 && peer->life[root].born != PEER_UNSET) {
            peer->life[root].dead = now + 1;
        }
    }
}

/* A sharing that sizes or classes forbid is dropped at the end only, and the
 * tensor then keeps its block for ever, since its readers were counted for
 * the root. */
static bool shares_at_last(const peer_state *peer, uint32_t tensor)
{
    const uint32_t root = peer->shares[tensor];
    return root != BERTH_NONE && peer->memory[root] == BERTH_LITERT_ARENA &&
           peer->of[root].bytes == peer->of[tensor].bytes;
}

static berth_status add_item(peer_state *peer, uint32_t tensor, uint32_t never)
{
    const peer_life life = peer->life[tensor];
    const berth_shape *shape = &peer->of[tensor];
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        return peer_refuse(peer, BERTH_UNBOUNDED, shape->culprit, tensor,
                           "its size depends on values");
    }
    if (shares_at_last(peer, tensor)) {
        peer->place[tensor] = PEER_SHARED;
    } else if (shape->state == BERTH_SHAPE_STATIC && shape->bytes > 0) {
        peer_arena_add(peer, tensor, shape->bytes, PEER_LITERT_ALIGN,
                       (peer_life){life.born, life.dead == PEER_UNSET
                                                  ? never
                                                  : life.dead});
    }
    return BERTH_OK;
}

static bool is_standing(peer_life life)
{
    return life.born == 0 && life.dead == PEER_UNSET;
}

/* LiteRT sorts what a hash set of each operator's tensors yields. First come
 * the blocks that stand from beginning to end, by tensor; then sizes decide,
 * then operators, and at last the set, which yields the latest inserted first:
 * of one operator's outputs the last. */
static berth_status add_standing(peer_state *peer, uint32_t subgraph,
                                 uint32_t never)
{
    const berth_graph *graph = peer->graph;
    for (uint32_t t = graph->tensor_base[subgraph];
         t < graph->tensor_base[subgraph + 1]; ++t) {
        if (peer->place[t] == PEER_PLANNED && is_standing(peer->life[t])) {
            BERTH_TRY(add_item(peer, t, never));
        }
    }
    return BERTH_OK;
}

static berth_status add_outputs(peer_state *peer, uint32_t op, uint32_t never)
{
    const uint32_t *outputs = berth_graph_outputs(peer->graph, op);
    for (uint32_t i = peer->graph->ops[op].output_count; i-- > 0;) {
        const uint32_t t = outputs[i];
        if (t != BERTH_NONE && peer->place[t] == PEER_PLANNED &&
            !is_standing(peer->life[t])) {
            BERTH_TRY(add_item(peer, t, never));
        }
    }
    return BERTH_OK;
}

static berth_status add_items(peer_state *peer, uint32_t subgraph,
                              uint32_t never)
{
    const uint32_t first = peer->graph->op_base[subgraph];
    BERTH_TRY(add_standing(peer, subgraph, never));
    for (uint32_t i = 0; i < peer->prepared; ++i) {
        if (peer->temporaries) {
            peer_add_temporaries(peer, first + i, i);
        }
        BERTH_TRY(add_outputs(peer, first + i, never));
    }
    return BERTH_OK;
}

static berth_status plan_subgraph(peer_state *peer, uint32_t subgraph)
{
    const berth_graph *graph = peer->graph;
    const uint32_t first = graph->op_base[subgraph];
    const uint32_t ops = graph->op_base[subgraph + 1] - first;
    count_standing(peer, subgraph);
    count_readers(peer, subgraph, peer->refs, false);
    for (uint32_t i = 0; i < ops; ++i) {
        share_op(peer, first + i);
    }
    count_readers(peer, subgraph, peer->left, true);
    for (uint32_t i = 0; i < ops; ++i) {
        live_op(peer, first + i, i);
    }
    BERTH_TRY(add_items(peer, subgraph, ops + 1));
    BERTH_TRY(peer_kept_close(peer, subgraph));
    BERTH_TRY(peer_arena_close(peer, BERTH_STRATEGY_TFLITE, ops + 1,
                               PEER_LITERT_ALIGN));
    for (uint32_t t = graph->tensor_base[subgraph];
         t < graph->tensor_base[subgraph + 1]; ++t) {
        if (peer->place[t] == PEER_SHARED) {
            peer->address[t] = peer->address[peer->shares[t]];
        }
    }
    return BERTH_OK;
}

/* For the judge only: a bound input gets bytes of its own, as if it were a
 * copy. It may be taken for one since nobody writes it: LiteRT shares no
 * subgraph input, and a caller's tensors lie in another arena than its
 * callee's. What the calls themselves do wrong,
 * peer_calls.c sees to. */
static berth_status place_bound(peer_state *peer)
{
    for (uint32_t t = 0; t < peer->graph->tensor_count; ++t) {
        if (peer->place[t] != PEER_BOUND ||
            peer->of[t].state != BERTH_SHAPE_STATIC) {
            continue;
        }
        peer->address[t] = peer->end;
        if (!berth_add_u64(peer->end, peer->of[t].bytes, &peer->end)) {
            return peer_refuse(peer, BERTH_TOO_LARGE, BERTH_NONE, t,
                               "the arenas together pass 64 bits");
        }
    }
    return BERTH_OK;
}

berth_status peer_plan_litert(peer_state *peer)
{
    for (uint32_t t = 0; t < peer->graph->tensor_count; ++t) {
        peer->place[t] = PEER_ELSEWHERE;
        peer->fixed[t] = BERTH_NOWHERE;
    }
    peer_reach_litert(peer);
    for (uint32_t q = 0; q < peer->queue_count; ++q) {
        BERTH_TRY(peer_class_litert(peer, peer->queue[q]));
        BERTH_TRY(plan_subgraph(peer, peer->queue[q]));
    }
    return place_bound(peer);
}

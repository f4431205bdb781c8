/* peer_walk.c: a model as a runtime walks it: subgraph by subgraph, operators
 * in the file's order, into each call where it stands. The frames are lent: no
 * subgraph reaches itself, so there are never more than subgraphs. */
#include "peer/peer_int.h"

/* LiteRT prepares the callee of CALL_ONCE when it runs for the first time, in
 * an arena that is given back at once; TFLM knows these three only. */
typedef struct walk_rule {
    uint32_t code;
    bool followed[BERTH_PEER_COUNT];
} walk_rule;

static const walk_rule walk_rules[] = {
    {BERTH_OP_IF, {[BERTH_PEER_LITERT] = true, [BERTH_PEER_TFLM] = true}},
    {BERTH_OP_WHILE, {[BERTH_PEER_LITERT] = true, [BERTH_PEER_TFLM] = true}},
    {BERTH_OP_CALL_ONCE, {[BERTH_PEER_TFLM] = true}},
    {BERTH_OP_STABLEHLO_COMPOSITE, {[BERTH_PEER_LITERT] = true}},
    {BERTH_OP_STABLEHLO_CASE, {[BERTH_PEER_LITERT] = true}},
};

bool peer_follows(const berth_graph *graph, berth_peer peer, uint32_t op)
{
    if (graph->ops[op].callee_count == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(walk_rules) / sizeof(walk_rules[0]); ++i) {
        if (walk_rules[i].code == graph->ops[op].code) {
            return walk_rules[i].followed[peer];
        }
    }
    return false;
}

peer_walk peer_walk_from(const peer_state *peer)
{
    return (peer_walk){.graph = peer->graph,
                       .peer = peer->peer,
                       .frames = peer->frames,
                       .root = peer->subgraph};
}

static peer_frame *top_of(const peer_walk *walk)
{
    return walk->depth == 0 ? NULL : &walk->frames[walk->depth - 1];
}

static void push_frame(peer_walk *walk, uint32_t subgraph)
{
    walk->frames[walk->depth++] = (peer_frame){
        .subgraph = subgraph, .op = walk->graph->op_base[subgraph]};
}

static peer_event enter_next(peer_walk *walk, peer_frame *frame)
{
    const uint32_t callee = frame->callee++;
    const uint32_t subgraph =
        berth_graph_callees(walk->graph, frame->op)[callee];
    push_frame(walk, subgraph);
    return (peer_event){PEER_EVENT_ENTER, frame->op, callee, subgraph, frame};
}

static peer_event leave(peer_walk *walk)
{
    const uint32_t subgraph = top_of(walk)->subgraph;
    --walk->depth;
    peer_frame *caller = top_of(walk);
    if (caller == NULL) {
        return (peer_event){PEER_EVENT_LEAVE, BERTH_NONE, 0, subgraph, NULL};
    }
    return (peer_event){PEER_EVENT_LEAVE, caller->op, caller->callee - 1,
                        subgraph, caller};
}

peer_event peer_walk_next(peer_walk *walk)
{
    peer_frame *frame = top_of(walk);
    if (frame == NULL) {
        if (walk->started) {
            return (peer_event){.kind = PEER_EVENT_END, .op = BERTH_NONE};
        }
        walk->started = true;
        push_frame(walk, walk->root);
        return (peer_event){PEER_EVENT_ENTER, BERTH_NONE, 0, walk->root, NULL};
    }
    if (frame->calling) {
        if (frame->callee < walk->graph->ops[frame->op].callee_count) {
            return enter_next(walk, frame);
        }
        frame->calling = false;
        return (peer_event){PEER_EVENT_RETURN, frame->op++, 0, 0, frame};
    }
    if (frame->op == walk->graph->op_base[frame->subgraph + 1]) {
        return leave(walk);
    }
    if (peer_follows(walk->graph, walk->peer, frame->op)) {
        frame->calling = true;
        frame->callee = 0;
        return (peer_event){PEER_EVENT_CALL, frame->op, 0, 0, frame};
    }
    return (peer_event){PEER_EVENT_OP, frame->op++, 0, 0, frame};
}

/* peer_steps.c: the schedule as a runtime runs it, for the second judge.
 *
 * Both runtimes keep the variables of a loop in the outputs of WHILE: ENTER
 * copies the operator's inputs there, the condition and the body take them
 * from there, BACK puts the body's outputs there, and behind EXIT they lie
 * where they belong. The runtimes copy to the condition's inputs at the end of
 * an iteration, here it is at the head of the next; nothing happens between.
 * Branches are entered and left by copies (TFLM) or by binding (LiteRT, for
 * which see place_bound() of peer_share.c). */
#include "peer/peer_int.h"

typedef struct tensor_list {
    const uint32_t *at;
    uint32_t count;
} tensor_list;

static const tensor_list no_tensors = {NULL, 0};

static uint32_t add_step(peer_state *peer, berth_step_kind kind, uint32_t op,
                         tensor_list reads, tensor_list writes)
{
    const uint32_t step = peer->step_count++;
    peer->steps[step] = (berth_step){.reads = reads.at,
                                     .writes = writes.at,
                                     .read_count = reads.count,
                                     .write_count = writes.count,
                                     .op = op,
                                     .partner = BERTH_NONE,
                                     .kind = (uint8_t)kind};
    return step;
}

static tensor_list inputs_of(const peer_state *peer, uint32_t op)
{
    return (tensor_list){berth_graph_inputs(peer->graph, op),
                         peer->graph->ops[op].input_count};
}

static tensor_list outputs_of(const peer_state *peer, uint32_t op)
{
    return (tensor_list){berth_graph_outputs(peer->graph, op),
                         peer->graph->ops[op].output_count};
}

static tensor_list entries_of(const peer_state *peer, uint32_t subgraph)
{
    return (tensor_list){berth_graph_subgraph_inputs(peer->graph, subgraph),
                         peer->graph->subgraphs[subgraph].input_count};
}

static tensor_list results_of(const peer_state *peer, uint32_t subgraph)
{
    return (tensor_list){berth_graph_subgraph_outputs(peer->graph, subgraph),
                         peer->graph->subgraphs[subgraph].output_count};
}

static tensor_list without_first(tensor_list list)
{
    return (tensor_list){list.at + 1, list.count - 1};
}

/* Do the operator and its callees agree on how many tensors are handed over? */
static bool fits_loop(const peer_state *peer, uint32_t op)
{
    const uint32_t *callees = berth_graph_callees(peer->graph, op);
    const uint32_t count = inputs_of(peer, op).count;
    return outputs_of(peer, op).count == count &&
           entries_of(peer, callees[0]).count == count &&
           results_of(peer, callees[0]).count == 1 &&
           entries_of(peer, callees[1]).count == count &&
           results_of(peer, callees[1]).count == count;
}

static bool fits_call(const peer_state *peer, uint32_t op, uint32_t selectors)
{
    const uint32_t *callees = berth_graph_callees(peer->graph, op);
    const uint32_t inputs = inputs_of(peer, op).count;
    bool fits = inputs >= selectors;
    for (uint32_t k = 0; fits && k < peer->graph->ops[op].callee_count; ++k) {
        fits = entries_of(peer, callees[k]).count == inputs - selectors &&
               results_of(peer, callees[k]).count == outputs_of(peer, op).count;
    }
    return fits;
}

static berth_status begin_call(peer_state *peer, const peer_event *event)
{
    const uint32_t op = event->op;
    const berth_call call = berth_graph_call_of(peer->graph->ops[op].code);
    const tensor_list inputs = inputs_of(peer, op);
    const bool fits = call == BERTH_CALL_LOOP
                          ? fits_loop(peer, op)
                          : fits_call(peer, op, call == BERTH_CALL_BRANCH);
    if (!fits) {
        return peer_refuse(peer, BERTH_UNSUPPORTED, op, BERTH_NONE,
                           "a call and its subgraph disagree on how many "
                           "tensors they hand over");
    }
    if (call == BERTH_CALL_LOOP) {
        event->frame->enter =
            add_step(peer, BERTH_STEP_ENTER, op, inputs, outputs_of(peer, op));
    } else if (call == BERTH_CALL_BRANCH) {
        (void)add_step(peer, BERTH_STEP_TEST, op, (tensor_list){inputs.at, 1},
                       no_tensors);
    }
    return BERTH_OK;
}

static void enter_callee(peer_state *peer, const peer_event *event)
{
    const uint32_t op = event->op;
    const berth_call call = berth_graph_call_of(peer->graph->ops[op].code);
    const tensor_list to = entries_of(peer, event->subgraph);
    if (call == BERTH_CALL_PLAIN) {
        (void)add_step(peer, BERTH_STEP_ENTER, op, inputs_of(peer, op), to);
    } else if (call == BERTH_CALL_BRANCH) {
        (void)add_step(peer,
                       event->callee == 0 ? BERTH_STEP_THEN : BERTH_STEP_ELSE,
                       op, without_first(inputs_of(peer, op)), to);
    } else if (event->callee == 0) {
        (void)add_step(peer, BERTH_STEP_COND, op, outputs_of(peer, op), to);
    } else {
        const uint32_t condition = berth_graph_callees(peer->graph, op)[0];
        event->frame->test = add_step(peer, BERTH_STEP_TEST, op,
                                      results_of(peer, condition), no_tensors);
        (void)add_step(peer, BERTH_STEP_ENTER, op, outputs_of(peer, op), to);
    }
}

static void leave_callee(peer_state *peer, const peer_event *event)
{
    const uint32_t op = event->op;
    const berth_call call = berth_graph_call_of(peer->graph->ops[op].code);
    const tensor_list from = results_of(peer, event->subgraph);
    const tensor_list to = outputs_of(peer, op);
    if (call != BERTH_CALL_LOOP) {
        (void)add_step(peer, BERTH_STEP_EXIT, op, from, to);
    } else if (event->callee == 1) {
        const uint32_t back = add_step(peer, BERTH_STEP_BACK, op, from, to);
        const uint32_t out = add_step(peer, BERTH_STEP_EXIT, op, to, to);
        peer->steps[back].partner = event->frame->enter;
        peer->steps[event->frame->enter].partner = back;
        peer->steps[event->frame->test].partner = out;
    }
}

static berth_status add_event(peer_state *peer, const peer_event *event)
{
    switch (event->kind) {
    case PEER_EVENT_OP:
        (void)add_step(peer, BERTH_STEP_OP, event->op,
                       inputs_of(peer, event->op), outputs_of(peer, event->op));
        return BERTH_OK;
    case PEER_EVENT_CALL:
        return begin_call(peer, event);
    case PEER_EVENT_ENTER:
        if (event->op != BERTH_NONE) {
            enter_callee(peer, event);
        }
        return BERTH_OK;
    case PEER_EVENT_LEAVE:
        if (event->op != BERTH_NONE) {
            leave_callee(peer, event);
        }
        return BERTH_OK;
    case PEER_EVENT_RETURN:
    case PEER_EVENT_END:
        return BERTH_OK;
    }
    return BERTH_OK;
}

berth_status peer_steps_make(peer_state *peer)
{
    peer_walk walk = peer_walk_from(peer);
    peer->step_count = 0;
    for (peer_event event = peer_walk_next(&walk); event.kind != PEER_EVENT_END;
         event = peer_walk_next(&walk)) {
        BERTH_TRY(add_event(peer, &event));
    }
    return BERTH_OK;
}

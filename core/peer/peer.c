/* peer.c: lent memory, and the order of the stages: plan as the runtime does,
 * then judge it on the runtime's own schedule. */
#include "peer/peer_int.h"

#include <string.h>

berth_status peer_refuse(const peer_state *peer, berth_status status,
                         uint32_t op, uint32_t tensor, const char *what)
{
    (void)berth_refuse(peer->diag, status, what);
    if (peer->diag != NULL) {
        peer->diag->op = op;
        peer->diag->tensor = tensor;
    }
    return status;
}

static uint32_t widest_op(const berth_graph *graph)
{
    uint32_t widest = 1;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (graph->ops[op].input_count > widest) {
            widest = graph->ops[op].input_count;
        }
    }
    return widest;
}

/* A loop has five steps in berth's schedule and six in a peer's; nothing else
 * has more. */
static bool most_steps(const berth_graph *graph, uint32_t subgraph,
                       uint32_t *steps)
{
    const uint64_t flat = graph->subgraphs[subgraph].flat_steps;
    if (flat > BERTH_STEPS_MAX) {
        return false;
    }
    *steps = (uint32_t)(flat + flat / 5 + 1);
    return true;
}

/* --- lent memory ------------------------------------------------------- */

/* The arrays of peer_state in the order of the takes below. */
#define PEER_ARRAYS(X)                                                         \
    X(of, berth_shape, tensors)                                                \
    X(place, uint8_t, tensors)                                                 \
    X(shares, uint32_t, tensors)                                               \
    X(life, peer_life, tensors)                                                \
    X(fixed, uint64_t, tensors)                                                \
    X(address, uint64_t, tensors)                                              \
    X(refs, uint32_t, tensors)                                                 \
    X(left, uint32_t, tensors)                                                 \
    X(memory, uint8_t, tensors)                                                \
    X(roles, uint8_t, subgraphs)                                               \
    X(queue, uint32_t, subgraphs)                                              \
    X(operands, berth_litert_operand, widest)                                  \
    X(items, berth_item, items)                                                \
    X(spans, berth_span, items)                                                \
    X(tensor_of, uint32_t, items)                                              \
    X(offset, uint64_t, items)                                                 \
    X(frames, peer_frame, subgraphs)                                           \
    X(steps, berth_step, steps_most)

typedef struct peer_counts {
    size_t tensors;
    size_t items; /* tensors, and what kernels ask for */
    size_t subgraphs;
    size_t widest;
    size_t steps_most;
} peer_counts;

static bool need_arrays(size_t *total, const peer_counts *counts)
{
    bool fits = true;
#define PEER_NEED(name, type, count)                                           \
    fits = fits && BERTH_NEED(total, type, counts->count + 1);
    PEER_ARRAYS(PEER_NEED)
#undef PEER_NEED
    return fits;
}

static bool take_arrays(peer_state *peer, const peer_counts *counts)
{
    bool fits = true;
#define PEER_TAKE(name, type, count)                                           \
    peer->name = BERTH_TAKE(&peer->work, type, counts->count + 1);             \
    fits = fits && peer->name != NULL;
    PEER_ARRAYS(PEER_TAKE)
#undef PEER_TAKE
    return fits;
}

static berth_status count_all(const berth_graph *graph, uint32_t subgraph,
                              berth_peer peer, peer_counts *counts,
                              berth_diag *diag)
{
    uint32_t steps = 0;
    if (subgraph >= graph->subgraph_count) {
        return berth_refuse(diag, BERTH_BAD_ARG, "no such subgraph");
    }
    if (!most_steps(graph, subgraph, &steps)) {
        (void)berth_refuse(diag, BERTH_TOO_MANY_STEPS,
                           "flattened, the schedule is too long");
        if (diag != NULL) {
            diag->needed_bytes = graph->subgraphs[subgraph].flat_steps;
            diag->limit_bytes = BERTH_STEPS_MAX;
        }
        return BERTH_TOO_MANY_STEPS;
    }
    const uint64_t items =
        graph->tensor_count + (peer == BERTH_PEER_LITERT_KERNELS
                                   ? (uint64_t)peer_temporaries_most(graph)
                                   : 0);
    if (items >= UINT32_MAX) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "too many tensors for this machine");
    }
    *counts = (peer_counts){graph->tensor_count, (size_t)items,
                            graph->subgraph_count, widest_op(graph), steps};
    return BERTH_OK;
}

berth_status berth_peer_bytes(const berth_graph *graph,
                              const berth_shapes *shapes, uint32_t subgraph,
                              berth_peer peer, size_t *bytes, berth_diag *diag)
{
    (void)shapes;
    peer_counts counts = {0};
    BERTH_TRY(count_all(graph, subgraph, peer, &counts, diag));
    const berth_schedule none = {0};
    size_t kept = 0;
    size_t plan = 0;
    size_t judge = 0;
    const bool fits = need_arrays(&kept, &counts) &&
                      peer_arena_need(&plan, (uint32_t)counts.items);
    BERTH_TRY(berth_prove_bytes(graph, &none, &judge, diag));
    const size_t scratch = plan > judge ? plan : judge;
    if (!fits || scratch > SIZE_MAX - kept) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "too many tensors for this machine");
    }
    *bytes = kept + scratch;
    return BERTH_OK;
}

/* --- stages ------------------------------------------------------------ */

static berth_status judge_plan(peer_state *peer)
{
    if (peer->peer == BERTH_PEER_LITERT) {
        BERTH_TRY(peer_check_calls_litert(peer));
    }
    BERTH_TRY(peer_steps_make(peer));
    const berth_shapes shapes = {.of = peer->of, .dims = peer->shapes->dims};
    const berth_schedule schedule = {.steps = peer->steps,
                                     .step_count = peer->step_count,
                                     .subgraph = peer->subgraph};
    return berth_prove(peer->graph, &shapes, &schedule, peer->address,
                       peer->work, peer->diag);
}

/* Whether the peer gives a planned tensor bytes other than it will need. */
static bool sizes_differ(const peer_state *peer, uint32_t tensor)
{
    const berth_shape *shape = &peer->shapes->of[tensor];
    return peer->address[tensor] != BERTH_NOWHERE &&
           shape->state != BERTH_SHAPE_UNSIZED &&
           berth_type_bits((berth_type)peer->graph->tensors[tensor].type) >=
               8u &&
           shape->bytes != peer->of[tensor].bytes;
}

static void write_plan(const peer_state *peer, berth_peer_plan *plan)
{
    plan->peak = peer->peak;
    plan->bound = peer->bound;
    plan->persistent = peer->persistent;
    plan->arena_count = peer->arenas;
    plan->stopped_op = peer->stopped_op;
    plan->unlisted_op = peer->unlisted_op;
    plan->file_shapes = false;
    plan->proof =
        peer->peak == peer->bound ? BERTH_PROOF_PROVEN : BERTH_PROOF_OPEN;
    for (uint32_t t = 0; t < peer->graph->tensor_count; ++t) {
        plan->address[t] =
            peer->place[t] == PEER_BOUND ? BERTH_NOWHERE : peer->address[t];
        if (peer->peer == BERTH_PEER_TFLM && sizes_differ(peer, t)) {
            plan->file_shapes = true;
        }
    }
}

typedef berth_status (*plan_peer)(peer_state *peer);

static const plan_peer planners[BERTH_PEER_COUNT] = {
    [BERTH_PEER_LITERT] = peer_plan_litert,
    [BERTH_PEER_TFLM] = peer_plan_tflm,
    [BERTH_PEER_LITERT_KERNELS] = peer_plan_litert};

berth_status berth_peer_solve(const berth_graph *graph,
                              const berth_shapes *shapes, uint32_t subgraph,
                              berth_peer peer, berth_work work,
                              berth_peer_plan *plan, berth_diag *diag)
{
    peer_counts counts = {0};
    size_t need = 0;
    BERTH_TRY(berth_peer_bytes(graph, shapes, subgraph, peer, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));
    BERTH_TRY(count_all(graph, subgraph, peer, &counts, diag));

    peer_state state = {
        .graph = graph,
        .shapes = shapes,
        .subgraph = subgraph,
        .peer = peer == BERTH_PEER_LITERT_KERNELS ? BERTH_PEER_LITERT : peer,
        .temporaries = peer == BERTH_PEER_LITERT_KERNELS,
        .stopped_op = BERTH_NONE,
        .unlisted_op = BERTH_NONE,
        .diag = diag,
        .work = work};
    if (!take_arrays(&state, &counts)) {
        return berth_refuse(diag, BERTH_INTERNAL, "the need was too small");
    }
    memcpy(state.of, shapes->of, counts.tensors * sizeof *state.of);
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        state.address[t] = BERTH_NOWHERE;
    }
    BERTH_TRY(planners[peer](&state));

    berth_diag verdict = berth_diag_none();
    state.diag = &verdict;
    const berth_status judged = judge_plan(&state);
    if (judged != BERTH_OK && judged != BERTH_UNSOUND) {
        if (diag != NULL) {
            *diag = verdict;
        }
        return judged;
    }
    plan->sound = judged == BERTH_OK;
    plan->unsound = verdict;
    write_plan(&state, plan);
    return BERTH_OK;
}

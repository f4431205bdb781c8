/* Life times as TFLM counts them, without walking a called subgraph twice.
 *
 * TFLM has one counter: every operator is a step, and entering a subgraph is
 * one. A subgraph takes the same steps in whatever place it is called, so a
 * tensor lives from its first touch in the first call to its last touch in the
 * last one. It is enough to know, for each subgraph, how many steps it takes
 * and when it is entered first and last: callees are counted before callers,
 * then entered after them. Linear, although the walk itself may be exponential.
 *
 * Facts: micro_allocation_info.cc of tflite-micro 90b983c. */
#include "micro/micro_int.h"

/* TFLM counts in an int. */
#define LIVES_STEPS_MAX UINT64_C(0x7fff0000)

typedef struct lives_call {
    uint64_t length; /* steps that it takes; saturates */
    uint64_t first;  /* step of its first entry; BERTH_NOWHERE: never entered */
    uint64_t last;
    uint32_t callers; /* calls not yet seen */
} lives_call;

typedef struct lives_walk {
    const berth_graph *graph;
    lives_call *call; /* [subgraph_count] */
    uint32_t *order;  /* callers before callees */
    micro_lives *lives;
} lives_walk;

/* TFLM walks into these three; others it does not have. */
static bool is_entered(const berth_graph *graph, uint32_t op)
{
    const uint32_t code = graph->ops[op].code;
    return code == BERTH_OP_IF || code == BERTH_OP_WHILE ||
           code == BERTH_OP_CALL_ONCE;
}

static uint32_t callees_of(const berth_graph *graph, uint32_t op,
                           const uint32_t **callees)
{
    *callees = berth_graph_callees(graph, op);
    return is_entered(graph, op) ? graph->ops[op].callee_count : 0;
}

static void sort_calls(lives_walk *walk)
{
    const berth_graph *graph = walk->graph;
    const uint32_t *callees = NULL;
    uint32_t found = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const uint32_t count = callees_of(graph, op, &callees);
        for (uint32_t k = 0; k < count; ++k) {
            ++walk->call[callees[k]].callers;
        }
    }
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        if (walk->call[s].callers == 0) {
            walk->order[found++] = s;
        }
    }
    for (uint32_t i = 0; i < found; ++i) {
        const uint32_t s = walk->order[i];
        for (uint32_t op = graph->op_base[s]; op < graph->op_base[s + 1];
             ++op) {
            const uint32_t count = callees_of(graph, op, &callees);
            for (uint32_t k = 0; k < count; ++k) {
                if (--walk->call[callees[k]].callers == 0) {
                    walk->order[found++] = callees[k];
                }
            }
        }
    }
}

static void measure(lives_walk *walk, uint32_t subgraph)
{
    const berth_graph *graph = walk->graph;
    uint64_t length = 0;
    for (uint32_t op = graph->op_base[subgraph];
         op < graph->op_base[subgraph + 1]; ++op) {
        const uint32_t *callees = NULL;
        const uint32_t count = callees_of(graph, op, &callees);
        length = micro_add(length, 1);
        for (uint32_t k = 0; k < count; ++k) {
            length =
                micro_add(length, micro_add(1, walk->call[callees[k]].length));
        }
    }
    walk->call[subgraph].length = length;
}

static void touch(lives_walk *walk, uint32_t tensor, uint64_t begin,
                  uint64_t end)
{
    if (tensor == BERTH_NONE) {
        return;
    }
    berth_span *span = &walk->lives->tensor[tensor];
    if (begin != BERTH_NOWHERE && span->born == 0) {
        span->born = (uint32_t)begin;
    }
    if (end != BERTH_NOWHERE) {
        span->dead = (uint32_t)end + 1;
    }
}

static void enter(lives_call *callee, uint64_t first, uint64_t last)
{
    if (callee->first == BERTH_NOWHERE || first < callee->first) {
        callee->first = first;
    }
    if (callee->last == BERTH_NOWHERE || last > callee->last) {
        callee->last = last;
    }
}

/* One operator, `at` steps into its subgraph; returns the steps it takes. */
static uint64_t walk_op(lives_walk *walk, const lives_call *self, uint32_t op,
                        uint64_t at)
{
    const berth_graph *graph = walk->graph;
    const berth_graph_op *row = &graph->ops[op];
    const uint32_t *outputs = berth_graph_outputs(graph, op);
    const uint32_t *callees = NULL;
    const uint32_t count = callees_of(graph, op, &callees);
    uint64_t now = at + 1;
    const uint64_t start = self->first + now;
    for (uint32_t i = 0; i < row->output_count; ++i) {
        touch(walk, outputs[i], start, BERTH_NOWHERE);
    }
    for (uint32_t k = 0; k < count; ++k) {
        ++now;
        enter(&walk->call[callees[k]], self->first + now, self->last + now);
        now += walk->call[callees[k]].length;
    }
    const uint64_t end = self->last + now;
    for (uint32_t i = 0; i < row->input_count; ++i) {
        touch(walk, berth_graph_inputs(graph, op)[i], BERTH_NOWHERE, end);
    }
    for (uint32_t i = 0; i < row->output_count; ++i) {
        touch(walk, outputs[i], BERTH_NOWHERE, end);
    }
    walk->lives->op[op] = (berth_span){(uint32_t)start, (uint32_t)end + 1};
    return now - at;
}

static void walk_subgraph(lives_walk *walk, uint32_t subgraph)
{
    const berth_graph *graph = walk->graph;
    const lives_call *self = &walk->call[subgraph];
    const berth_graph_subgraph *row = &graph->subgraphs[subgraph];
    uint64_t now = 0;
    if (self->first == BERTH_NOWHERE) {
        return;
    }
    for (uint32_t i = 0; i < row->input_count; ++i) {
        touch(walk, berth_graph_subgraph_inputs(graph, subgraph)[i],
              self->first, self->last);
    }
    for (uint32_t op = graph->op_base[subgraph];
         op < graph->op_base[subgraph + 1]; ++op) {
        now += walk_op(walk, self, op, now);
    }
    for (uint32_t i = 0; i < row->output_count; ++i) {
        touch(walk, berth_graph_subgraph_outputs(graph, subgraph)[i],
              self->first + now, self->last + now);
    }
}

bool micro_lives_need(const berth_graph *graph, size_t *kept, size_t *scratch)
{
    return BERTH_NEED(kept, berth_span, graph->tensor_count) &&
           BERTH_NEED(kept, berth_span, graph->op_count) &&
           BERTH_NEED(scratch, lives_call, graph->subgraph_count) &&
           BERTH_NEED(scratch, uint32_t, graph->subgraph_count);
}

/* The lives are kept; what the walk needs lies behind them and is not. */
static berth_status take_walk(lives_walk *walk, berth_work *work,
                              berth_diag *diag)
{
    const berth_graph *graph = walk->graph;
    micro_lives *lives = walk->lives;
    lives->tensor = BERTH_TAKE(work, berth_span, graph->tensor_count);
    lives->op = BERTH_TAKE(work, berth_span, graph->op_count);
    berth_work scratch = *work;
    walk->call = BERTH_TAKE(&scratch, lives_call, graph->subgraph_count);
    walk->order = BERTH_TAKE(&scratch, uint32_t, graph->subgraph_count);
    if ((lives->tensor == NULL && graph->tensor_count > 0) ||
        (lives->op == NULL && graph->op_count > 0) || walk->call == NULL ||
        walk->order == NULL) {
        return berth_refuse(diag, BERTH_INTERNAL, "lives counted too little");
    }
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        walk->call[s] = (lives_call){0, BERTH_NOWHERE, BERTH_NOWHERE, 0};
    }
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        lives->tensor[t] = (berth_span){0, 1};
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        lives->op[op] = (berth_span){0, 1};
    }
    return BERTH_OK;
}

berth_status micro_lives_init(micro_lives *lives, const berth_graph *graph,
                              berth_work *work, berth_diag *diag)
{
    lives_walk walk = {.graph = graph, .lives = lives};
    BERTH_TRY(take_walk(&walk, work, diag));
    sort_calls(&walk);
    for (uint32_t i = graph->subgraph_count; i > 0; --i) {
        measure(&walk, walk.order[i - 1]);
    }
    if (walk.call[0].length > LIVES_STEPS_MAX) {
        return berth_refuse(diag, BERTH_TOO_MANY_STEPS,
                            "TFLM's count of steps would wrap");
    }
    enter(&walk.call[0], 1, 1); /* step 0 is TFLM's -1 */
    for (uint32_t i = 0; i < graph->subgraph_count; ++i) {
        walk_subgraph(&walk, walk.order[i]);
    }
    lives->step_count = (uint32_t)walk.call[0].length + 2;
    return BERTH_OK;
}

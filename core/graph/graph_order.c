/* The order in which the operators of a subgraph run.
 *
 * The file's order, where every tensor is written before it is read and every
 * control dependency is kept: nearly always. Else a topological order (Kahn's
 * algorithm) that takes, of all operators that may run, the one that comes
 * first in the file; a binary heap holds them, so that the cost is
 * (operators + operands) log operators.
 *
 * Extra edges, beside those of the tensors: control dependencies, and a chain
 * through the operators with state, which may not change places. Where these
 * contradict the tensors, the tensors win, with a warning; a circle of tensors
 * cannot run at all.
 *
 * Everything here counts operators locally, within the subgraph. */
#include "graph_int.h"

#include "base/base_int.h"

typedef struct order_state {
    graph_draft *draft;
    const graph_order_room *room;
    uint32_t subgraph;
    uint32_t base;  /* global number of operator 0 */
    uint32_t count; /* operators */
    uint32_t edge_count;
    uint32_t heap_count;
} order_state;

/* --- the heap: smallest operator first ---------------------------------- */

static void heap_push(order_state *o, uint32_t op)
{
    uint32_t *heap = o->room->heap;
    uint32_t at = o->heap_count++;
    while (at > 0 && heap[(at - 1) / 2] > op) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = op;
}

static uint32_t heap_pop(order_state *o)
{
    uint32_t *heap = o->room->heap;
    const uint32_t top = heap[0];
    const uint32_t last = heap[--o->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= o->heap_count) {
            break;
        }
        if (child + 1 < o->heap_count && heap[child + 1] < heap[child]) {
            ++child;
        }
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* --- edges -------------------------------------------------------------- */

static void add_edge(order_state *o, uint32_t from, uint32_t to)
{
    const uint32_t edge = o->edge_count++;
    o->room->edge_to[edge] = to;
    o->room->edge_next[edge] = o->room->head[from];
    o->room->head[from] = edge;
}

static bool has_state(const graph_draft *draft, const berth_graph_op *op)
{
    const berth_op_contract *contract = berth_op_contract_of(op->code);
    if ((contract->flags & BERTH_OP_STATEFUL) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < op->callee_count; ++i) {
        if (draft->subgraphs[draft->callees[op->first_callee + i]].stateful) {
            return true;
        }
    }
    return false;
}

static void chain_state(order_state *o)
{
    uint32_t last = BERTH_NONE;
    for (uint32_t op = 0; op < o->count; ++op) {
        if (has_state(o->draft, &o->draft->ops[o->base + op])) {
            if (last != BERTH_NONE) {
                add_edge(o, last, op);
            }
            last = op;
        }
    }
}

/* Reads the subgraph's control dependencies; true if the file's order keeps
 * them all. */
static bool add_control(order_state *o, graph_control_lists *lists)
{
    bool kept = true;
    const uint32_t length = graph_control_length(lists);
    for (uint32_t i = 0; i < length; ++i) {
        uint32_t from = 0;
        uint32_t to = 0;
        graph_control_pair(lists, &from, &to);
        add_edge(o, from, to);
        kept = kept && from < to;
    }
    return kept;
}

/* --- sorting ------------------------------------------------------------ */

static uint32_t producer_of(const order_state *o, uint32_t tensor)
{
    if (tensor == BERTH_NONE) {
        return BERTH_NONE;
    }
    return o->draft->tensors[tensor].producer;
}

/* How many edges of tensors end at an operator; an operator that reads several
 * outputs of another has as many. Readers are listed once a tensor, so a
 * tensor that is read twice by one operator is counted once. */
static void count_waiting(order_state *o, bool with_extra)
{
    const graph_draft *draft = o->draft;
    uint32_t *waiting = o->room->waiting;
    for (uint32_t op = 0; op < o->count; ++op) {
        waiting[op] = 0;
    }
    const uint32_t end = draft->tensor_base[o->subgraph + 1];
    for (uint32_t t = draft->tensor_base[o->subgraph]; t < end; ++t) {
        const berth_graph_tensor *tensor = &draft->tensors[t];
        for (uint32_t i = 0;
             tensor->producer != BERTH_NONE && i < tensor->reader_count; ++i) {
            ++waiting[draft->readers[tensor->first_reader + i] - o->base];
        }
    }
    for (uint32_t edge = 0; with_extra && edge < o->edge_count; ++edge) {
        ++waiting[o->room->edge_to[edge]];
    }
}

static void one_less(order_state *o, uint32_t op)
{
    if (--o->room->waiting[op] == 0) {
        heap_push(o, op);
    }
}

static void release(order_state *o, uint32_t op, bool with_extra)
{
    const graph_draft *draft = o->draft;
    const berth_graph_op *row = &draft->ops[o->base + op];
    const uint32_t *outputs =
        draft->operands + row->first_operand + row->input_count;
    for (uint32_t i = 0; i < row->output_count; ++i) {
        if (outputs[i] == BERTH_NONE) {
            continue;
        }
        const berth_graph_tensor *tensor = &draft->tensors[outputs[i]];
        for (uint32_t k = 0; k < tensor->reader_count; ++k) {
            one_less(o, draft->readers[tensor->first_reader + k] - o->base);
        }
    }
    for (uint32_t edge = with_extra ? o->room->head[op] : BERTH_NONE;
         edge != BERTH_NONE; edge = o->room->edge_next[edge]) {
        one_less(o, o->room->edge_to[edge]);
    }
}

/* False where a circle is left: its operators still wait. */
static bool sort_ops(order_state *o, bool with_extra)
{
    count_waiting(o, with_extra);
    o->heap_count = 0;
    for (uint32_t op = 0; op < o->count; ++op) {
        if (o->room->waiting[op] == 0) {
            heap_push(o, op);
        }
    }
    uint32_t done = 0;
    while (o->heap_count > 0) {
        const uint32_t op = heap_pop(o);
        o->draft->order[o->base + done++] = o->base + op;
        release(o, op, with_extra);
    }
    return done == o->count;
}

/* --- what is said of it ------------------------------------------------- */

/* The first operator that reads what a later one writes; false: none does. */
static bool find_early_reader(const order_state *o, berth_diag *place)
{
    const graph_draft *draft = o->draft;
    for (uint32_t op = o->base; op < o->base + o->count; ++op) {
        const berth_graph_op *row = &draft->ops[op];
        const uint32_t *inputs = draft->operands + row->first_operand;
        for (uint32_t i = 0; i < row->input_count; ++i) {
            const uint32_t producer = producer_of(o, inputs[i]);
            if (producer != BERTH_NONE && producer > op) {
                place->op = op - o->base;
                place->tensor = inputs[i] - draft->tensor_base[o->subgraph];
                return true;
            }
        }
    }
    return false;
}

/* After a sort that failed: from an operator that waits, back to one it waits
 * for, and so on; after as many steps as there are operators the walk is in
 * the circle. */
static berth_status refuse_circle(const order_state *o, berth_diag *diag)
{
    const graph_draft *draft = o->draft;
    uint32_t op = 0;
    while (o->room->waiting[op] == 0) {
        ++op;
    }
    uint32_t tensor = BERTH_NONE;
    for (uint32_t walked = 0; walked <= o->count; ++walked) {
        const berth_graph_op *row = &draft->ops[o->base + op];
        const uint32_t *inputs = draft->operands + row->first_operand;
        for (uint32_t i = 0; i < row->input_count; ++i) {
            const uint32_t producer = producer_of(o, inputs[i]);
            if (producer != BERTH_NONE &&
                o->room->waiting[producer - o->base] > 0) {
                op = producer - o->base;
                tensor = inputs[i];
                break;
            }
        }
    }
    (void)berth_refuse(diag, BERTH_BAD_MODEL, "operators wait in a circle");
    if (diag != NULL) {
        diag->subgraph = o->subgraph;
        diag->op = op;
        diag->tensor = tensor - draft->tensor_base[o->subgraph];
    }
    return BERTH_BAD_MODEL;
}

static berth_status order_subgraph(order_state *o, graph_control_lists *lists,
                                   berth_diag *diag)
{
    for (uint32_t op = 0; op < o->count; ++op) {
        o->room->head[op] = BERTH_NONE;
        o->draft->order[o->base + op] = o->base + op;
    }
    berth_diag place = berth_diag_none();
    place.subgraph = o->subgraph;
    const bool kept = lists == NULL || add_control(o, lists);
    if (!find_early_reader(o, &place) && kept) {
        return BERTH_OK;
    }
    chain_state(o);
    place.what = kept ? "operators are not in topological order; sorted"
                      : "operators do not keep control dependencies; sorted";
    if (!sort_ops(o, true)) {
        if (!sort_ops(o, false)) {
            return refuse_circle(o, diag);
        }
        place.what = "the order of operators with state, or a control "
                     "dependency, contradicts the tensors; ignored";
    }
    graph_warn(o->draft, &place);
    return BERTH_OK;
}

berth_status graph_order(graph_draft *draft, const graph_order_room *room,
                         berth_diag *diag)
{
    graph_control_lists lists;
    uint32_t most = 0;
    const graph_control control =
        graph_control_open(draft->graph->model, &lists, &most);
    if (control == GRAPH_CONTROL_BROKEN) {
        berth_diag place = berth_diag_none();
        place.what = "the metadata's control dependencies make no sense; "
                     "ignored";
        graph_warn(draft, &place);
    }
    for (uint32_t s = 0; s < draft->graph->subgraph_count; ++s) {
        order_state o = {
            .draft = draft,
            .room = room,
            .subgraph = s,
            .base = draft->op_base[s],
            .count = draft->op_base[s + 1] - draft->op_base[s],
        };
        BERTH_TRY(order_subgraph(
            &o, control == GRAPH_CONTROL_GOOD ? &lists : NULL, diag));
    }
    return BERTH_OK;
}

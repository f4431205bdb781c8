/* core/shape/shape_walk.c: all operators once, callees at their first call.
 *
 * Each subgraph is walked once a pass, so a pass is linear however often
 * subgraphs call each other. Passes are few: after PASSES_MAX of them, whatever
 * goes into a callee counts as dynamic, which promises nothing. */
#include "shape_int.h"

#define PASSES_MAX 16u

static void infer_op(struct shaping *all, uint32_t op)
{
    struct infer *in = all->current;
    berth_infer_start(all, op);
    const shape_fn function =
        in->code == BERTH_OP_CUSTOM
            ? berth_custom_shape_function(in->info.custom_name)
            : berth_shape_function(in->code);
    if (function != NULL) {
        function(in);
    } else {
        berth_infer_refuse(in);
    }
    berth_infer_finish(in);
    if ((berth_op_contract_of(in->code)->flags & BERTH_OP_FOLDS) != 0) {
        berth_fold(in);
    }
}

static uint32_t walked_callees(const berth_graph *graph, uint32_t op)
{
    const berth_graph_op *node = &graph->ops[op];
    return berth_graph_call_of(node->code) != BERTH_CALL_NONE
               ? node->callee_count
               : 0;
}

/* One step of the frame on top: an operator, or a callee to go into first.
 * Returns the subgraph to walk, or BERTH_NONE. */
static uint32_t step_frame(struct shaping *all, struct frame *frame)
{
    const berth_graph *graph = all->graph;
    const uint32_t op = graph->order[frame->next];
    const uint32_t count = walked_callees(graph, op);
    if (frame->callee < count) {
        const uint32_t callee = berth_graph_callees(graph, op)[frame->callee];
        frame->callee += 1;
        berth_call_bind(all, op, callee);
        return (all->visits[callee] & VISIT_DONE) == 0 ? callee : BERTH_NONE;
    }
    if (count > 0) {
        berth_call_join(all, op);
    } else {
        infer_op(all, op);
    }
    frame->callee = 0;
    frame->next += 1;
    return BERTH_NONE;
}

static struct frame enter_subgraph(struct shaping *all, uint32_t subgraph)
{
    all->visits[subgraph] |= VISIT_DONE;
    return (struct frame){.subgraph = subgraph,
                          .next = all->graph->op_base[subgraph]};
}

/* Calls have no circles, so the frames never outnumber the subgraphs. */
static void walk_from(struct shaping *all, uint32_t root)
{
    uint32_t depth = 1;
    all->frames[0] = enter_subgraph(all, root);
    while (depth > 0) {
        struct frame *frame = &all->frames[depth - 1];
        if (frame->next == all->graph->op_base[frame->subgraph + 1]) {
            depth -= 1;
            continue;
        }
        const uint32_t callee = step_frame(all, frame);
        if (callee != BERTH_NONE) {
            all->frames[depth] = enter_subgraph(all, callee);
            depth += 1;
        }
    }
}

/* What is known of callees' inputs from earlier passes holds from the start,
 * also for a callee that is walked before its call. */
static void start_callees(struct shaping *all)
{
    const berth_graph *graph = all->graph;
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        const uint32_t *inputs = berth_graph_subgraph_inputs(graph, s);
        const bool called = (all->visits[s] & VISIT_CALLED) != 0;
        for (uint32_t i = 0; i < graph->subgraphs[s].input_count; ++i) {
            if (inputs[i] != BERTH_NONE &&
                (all->blame[inputs[i]] != BERTH_NONE ||
                 (all->last_pass && called))) {
                berth_tensor_set_dynamic(all, inputs[i], all->blame[inputs[i]]);
            }
        }
    }
}

static void start_override(struct shaping *all, const berth_shape_override *o)
{
    struct dims dims = {.rank = o->rank};
    uint64_t count = 0;
    for (uint32_t d = 0; d < o->rank && d < BERTH_RANK_MAX; ++d) {
        dims.at[d] = o->dims[d];
    }
    (void)berth_tensor_set_dims(all, o->tensor, &dims); /* was checked */
    all->marks[o->tensor] |= MARK_TAINTED;
    if (o->values != NULL && berth_dims_elements(&dims, &count)) {
        int64_t *kept = berth_tensor_fold(all, o->tensor, count);
        for (uint64_t i = 0; kept != NULL && i < count; ++i) {
            kept[i] = o->values[i];
        }
    }
}

static void start_pass(struct shaping *all)
{
    const berth_graph *graph = all->graph;
    all->again = false;
    all->value_next = 0;
    all->refused = berth_diag_none();
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        all->marks[t] &= MARK_NO_VALUE;
        all->value[t] = BERTH_NONE;
        berth_tensor_reset(all, t);
    }
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        all->visits[s] &= (uint8_t)~VISIT_DONE;
    }
    for (uint32_t i = 0; i < all->options->override_count; ++i) {
        start_override(all, &all->options->overrides[i]);
    }
    start_callees(all);
}

static void note_called(struct shaping *all)
{
    for (uint32_t op = 0; op < all->graph->op_count; ++op) {
        const uint32_t count = walked_callees(all->graph, op);
        for (uint32_t i = 0; i < count; ++i) {
            all->visits[berth_graph_callees(all->graph, op)[i]] |= VISIT_CALLED;
        }
    }
}

/* The subgraph asked for, then those that nobody calls, then what is left: each
 * with the file's shapes for its inputs. */
static void walk_once(struct shaping *all)
{
    start_pass(all);
    walk_from(all, all->options->subgraph);
    for (uint32_t s = 0; s < all->graph->subgraph_count; ++s) {
        if (all->visits[s] == 0) {
            walk_from(all, s);
        }
    }
}

void berth_shape_walk(struct shaping *all)
{
    note_called(all);
    all->last_pass = false;
    all->again = true;
    for (uint32_t pass = 0; pass < PASSES_MAX && all->again; ++pass) {
        walk_once(all);
    }
    if (all->again) {
        all->last_pass = true;
        walk_once(all);
    }
}

/* Operators that have nothing to do at run time.
 *
 * Where shapes are known, so is what SHAPE, PACK, STRIDED_SLICE and their like
 * make of them (shape.h, BERTH_SHAPE_FOLDED); and a constant that is stored
 * encoded is decoded by whoever reads it. Such a tensor needs no bytes if all
 * its readers can do without: they take it as a parameter in prepare (op.h,
 * berth_op_parameters()), or are idle themselves. If one reads it as data, or
 * it leaves its subgraph, it is a tensor as any other, and what makes it runs.
 *
 * One walk against the order of execution decides all: the readers of a tensor
 * have been seen before the operator that writes it. */
#include "lifetime_int.h"

static bool may_fold(const lifetime_draft *d, uint32_t tensor)
{
    const berth_shape *shape = &d->shapes->of[tensor];
    return shape->state == BERTH_SHAPE_STATIC &&
           (shape->flags & BERTH_SHAPE_FOLDED) != 0;
}

static bool may_stay_encoded(const lifetime_draft *d, uint32_t op)
{
    const berth_graph_op *row = &d->graph->ops[op];
    if ((berth_op_contract_of(row->code)->flags & BERTH_OP_DECODES) == 0 ||
        row->input_count == 0) {
        return false;
    }
    const uint32_t from = berth_graph_inputs(d->graph, op)[0];
    return from != BERTH_NONE &&
           (d->graph->tensors[from].flags & BERTH_TENSOR_CONSTANT) != 0;
}

static void mark_candidates(lifetime_draft *d)
{
    for (uint32_t t = 0; t < d->graph->tensor_count; ++t) {
        const berth_graph_tensor *tensor = &d->graph->tensors[t];
        const uint8_t bound = BERTH_TENSOR_OUTPUT | BERTH_TENSOR_VARIABLE;
        if (tensor->producer == BERTH_NONE || (tensor->flags & bound) != 0) {
            continue;
        }
        if (may_fold(d, t)) {
            d->marks[t] |= LIFETIME_FOLDS;
        } else if (may_stay_encoded(d, tensor->producer)) {
            d->marks[t] |= LIFETIME_DECODES;
        }
    }
}

/* Nothing to do: all that the operator writes needs no bytes. */
static bool is_idle(const lifetime_draft *d, uint32_t op)
{
    const berth_graph_op *row = &d->graph->ops[op];
    const berth_op_contract *contract = berth_op_contract_of(row->code);
    if (row->callee_count > 0 || (contract->flags & BERTH_OP_STATEFUL) != 0) {
        return false;
    }
    const uint32_t *outputs = berth_graph_outputs(d->graph, op);
    bool writes = false;
    for (uint32_t i = 0; i < row->output_count; ++i) {
        if (outputs[i] == BERTH_NONE) {
            continue;
        }
        writes = true;
        if ((d->marks[outputs[i]] & (LIFETIME_FOLDS | LIFETIME_DECODES)) == 0) {
            return false;
        }
    }
    return writes;
}

/* The operator runs: its outputs need bytes, and of its inputs those that it
 * reads as data. */
static void claim_operands(lifetime_draft *d, uint32_t op)
{
    const berth_graph_op *row = &d->graph->ops[op];
    const uint32_t *outputs = berth_graph_outputs(d->graph, op);
    const uint8_t both = LIFETIME_FOLDS | LIFETIME_DECODES;
    for (uint32_t i = 0; i < row->output_count; ++i) {
        if (outputs[i] != BERTH_NONE) {
            d->marks[outputs[i]] &= (uint8_t)~both;
        }
    }
    const uint32_t *inputs = berth_graph_inputs(d->graph, op);
    const uint32_t parameters = berth_op_parameters(row->code);
    for (uint32_t i = 0; i < row->input_count; ++i) {
        const bool parameter = i < 32 && ((parameters >> i) & 1u) != 0;
        if (inputs[i] == BERTH_NONE) {
            continue;
        }
        if (row->callee_count > 0) {
            d->marks[inputs[i]] &= (uint8_t)~both; /* moves copy bytes */
        } else if (!parameter) {
            d->marks[inputs[i]] &= (uint8_t)~LIFETIME_FOLDS;
        }
    }
}

void lifetime_find_idle(lifetime_draft *d)
{
    mark_candidates(d);
    for (uint32_t at = d->graph->op_count; at-- > 0;) {
        const uint32_t op = d->graph->order[at];
        if (is_idle(d, op)) {
            d->op_state[op] = LIFETIME_OP_IDLE;
        } else {
            claim_operands(d, op);
        }
    }
}

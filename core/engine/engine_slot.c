/* An operator's step: the kernel that runs it, and what its operands are. */
#include "engine_int.h"

#include "berth/rows.h"

/* --- operands ----------------------------------------------------------- */

static bool reads_encoded(const engine_draft *d, uint32_t op)
{
    const uint32_t code = d->source->graph->ops[op].code;
    return (berth_op_contract_of(code)->flags & BERTH_OP_READS_ENCODED) != 0;
}

static uint32_t local_tensor(const engine_draft *d, uint32_t tensor)
{
    const berth_graph *graph = d->source->graph;
    return tensor - graph->tensor_base[graph->tensors[tensor].subgraph];
}

/* The copy that was made for this very operator. Those of its first operands
 * may be read twice; behind them copies come in the order of the operands. */
static uint32_t find_decoded(engine_draft *d, uint32_t tensor)
{
    enum { READ_TWICE = 64 };
    const engine_record *records = d->engine->records;
    const uint32_t end = (uint32_t)d->at.records;
    uint32_t i = d->decoded;
    while (i < end && i - d->decoded < READ_TWICE) {
        if (records[i].tensor == tensor) {
            return i;
        }
        ++i;
    }
    i = d->decoded_next > i ? d->decoded_next : i;
    while (i < end && records[i].tensor != tensor) {
        ++i;
    }
    d->decoded_next = i;
    return i < end ? i : BERTH_NONE;
}

/* A constant whose bytes are not its elements, one after the other. */
static berth_status check_dense(const engine_draft *d, uint32_t op,
                                uint32_t tensor)
{
    return berth_graph_tensor_info(d->source->graph, tensor).has_sparsity
               ? engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                               "sparse weights")
               : BERTH_OK;
}

static berth_status resolve_encoded(engine_draft *d, uint32_t op,
                                    uint32_t tensor, uint32_t *ref)
{
    const berth_graph *graph = d->source->graph;
    const uint32_t maker = graph->tensors[tensor].producer;
    if (d->engine == NULL) {
        return BERTH_OK; /* copies are there only when they are written */
    }
    if (graph->ops[maker].code != BERTH_OP_DEQUANTIZE) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             "sparse weights");
    }
    BERTH_TRY(check_dense(d, op, berth_graph_inputs(graph, maker)[0]));
    if (reads_encoded(d, op)) {
        *ref = engine_ref(ENGINE_REF_ENCODED,
                          local_tensor(d, berth_graph_inputs(graph, maker)[0]));
        return BERTH_OK;
    }
    const uint32_t copy = find_decoded(d, tensor);
    if (copy == BERTH_NONE) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             "an encoded constant that is decoded twice");
    }
    *ref = engine_ref(ENGINE_REF_RECORD, copy);
    return BERTH_OK;
}

/* A sparse constant has fewer bytes than its shape says. */
static bool is_sparse(const engine_draft *d, uint32_t tensor)
{
    const berth_graph *graph = d->source->graph;
    return (graph->tensors[tensor].flags & BERTH_TENSOR_CONSTANT) != 0 &&
           berth_graph_tensor_info(graph, tensor).has_sparsity;
}

static berth_status check_operand(const engine_draft *d, uint32_t op,
                                  uint32_t tensor)
{
    const berth_shape *shape = &d->source->shapes->of[tensor];
    const berth_graph_tensor *info = &d->source->graph->tensors[tensor];
    if (is_sparse(d, tensor)) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             "sparse weights");
    }
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        return engine_refuse(d, BERTH_UNBOUNDED, op, tensor,
                             "a tensor's shape depends on values");
    }
    if (shape->state == BERTH_SHAPE_UNSIZED && info->type != BERTH_RESOURCE) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             "strings or variants");
    }
    if (shape->state == BERTH_SHAPE_STATIC && shape->bytes > 0 &&
        (info->flags & BERTH_TENSOR_ORPHAN) != 0) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             op == BERTH_NONE
                                 ? "an output that nobody writes"
                                 : "an operand that nobody writes");
    }
    if (shape->state == BERTH_SHAPE_STATIC && shape->rank > BERTH_RANK_MAX) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             "a tensor of more than eight axes");
    }
    return BERTH_OK;
}

berth_status engine_resolve(engine_draft *d, uint32_t op, uint32_t tensor,
                            uint32_t *ref)
{
    *ref = engine_ref(ENGINE_REF_ABSENT, 0);
    if (tensor == BERTH_NONE) {
        return BERTH_OK;
    }
    BERTH_TRY(check_operand(d, op, tensor));
    const uint32_t item = d->source->lifetimes->item_of_tensor[tensor];
    const uint8_t class_ = d->source->lifetimes->class_of_tensor[tensor];
    if (item != BERTH_NONE) {
        *ref = engine_ref(ENGINE_REF_RECORD, item);
    } else if (engine_is_extra(d, tensor)) {
        *ref = d->engine == NULL ? 0
                                 : engine_ref(ENGINE_REF_RECORD,
                                              engine_find_extra(d, tensor));
    } else if (class_ == BERTH_CLASS_CONSTANT) {
        BERTH_TRY(check_dense(d, op, tensor));
        *ref = engine_ref(ENGINE_REF_CONSTANT, local_tensor(d, tensor));
    } else if (class_ == BERTH_CLASS_ENCODED) {
        return resolve_encoded(d, op, tensor, ref);
    } else if (d->source->graph->tensors[tensor].type == BERTH_RESOURCE &&
               op != BERTH_NONE) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, tensor,
                             "a handle that may stand for two variables");
    }
    return BERTH_OK;
}

/* --- kernels ------------------------------------------------------------ */

static berth_status find_kernel(const engine_draft *d, uint32_t op,
                                const berth_kernel **kernel)
{
    const berth_operator info = berth_graph_op_info(d->source->graph, op);
    uint32_t version = 0;
    if (d->engine == NULL) {
        return BERTH_OK;
    }
    *kernel = berth_kernel_find(d->source->kernels, &info, &version);
    if (*kernel == NULL) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, BERTH_NONE,
                             "no kernel for this operator");
    }
    if (info.version > version && info.code != BERTH_OP_CUSTOM) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, BERTH_NONE,
                             "no kernel for this version of the operator");
    }
    return BERTH_OK;
}

/* Where scratch of an operator lies, counted in grains: that is enough for any
 * board, and for 64 GB elsewhere. */
typedef struct slot_scratch {
    uint64_t first;
    uint64_t count;
    uint32_t region;
} slot_scratch;

/* Scratch items are the last ones, in the order of their operators. */
static uint32_t find_scratch(const berth_lifetimes *lifetimes, uint32_t op)
{
    uint32_t low = lifetimes->problem.item_count - lifetimes->scratch_count;
    uint32_t high = lifetimes->problem.item_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (lifetimes->op_of_item[middle] < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < lifetimes->problem.item_count &&
                   lifetimes->op_of_item[low] == op
               ? low
               : BERTH_NONE;
}

static berth_status place_scratch_of(const engine_draft *d, uint32_t op,
                                     slot_scratch *scratch)
{
    const berth_plan *plan = d->source->plan;
    const uint64_t bytes =
        berth_op_scratch_bytes(d->source->graph, d->source->shapes, op);
    *scratch = (slot_scratch){0};
    if (bytes == 0) {
        return BERTH_OK;
    }
    const uint32_t item = find_scratch(d->source->lifetimes, op);
    if (item == BERTH_NONE) {
        return engine_refuse(d, BERTH_BAD_ARG, op, BERTH_NONE,
                             "lifetimes without the operator's scratch");
    }
    const uint64_t at = plan->offset[item];
    if (at % ENGINE_GRAIN != 0 || bytes % ENGINE_GRAIN != 0 ||
        at / ENGINE_GRAIN > UINT32_MAX || bytes / ENGINE_GRAIN > UINT32_MAX) {
        return engine_refuse(d, BERTH_UNSUPPORTED, op, BERTH_NONE,
                             "scratch at no multiple of 16 bytes, or too far");
    }
    *scratch = (slot_scratch){
        .first = at / ENGINE_GRAIN,
        .count = bytes / ENGINE_GRAIN,
        .region = plan->region == NULL ? 0 : plan->region[item],
    };
    return BERTH_OK;
}

/* --- steps -------------------------------------------------------------- */

/* One slot for each operand of `op`, and the step. */
static berth_status add_op_step(engine_draft *d, uint32_t s, uint32_t op,
                                const slot_scratch *scratch)
{
    const berth_graph *graph = d->source->graph;
    const berth_shapes *shapes = d->source->shapes;
    const berth_graph_op *row = &graph->ops[op];
    const berth_rows rows = berth_op_rows(graph, shapes, op);
    const uint32_t *operands = graph->operands + row->first_operand;
    const uint32_t count = row->input_count + row->output_count;
    engine_step step = {
        .scratch = (uint32_t)scratch->first,
        .scratch_units = (uint32_t)scratch->count,
        .op = op - graph->op_base[row->subgraph],
        .first_slot = (uint32_t)d->at.slots,
        .step = s,
        .row_count = rows.count,
        .target = scratch->region,
        .subgraph = (uint16_t)row->subgraph,
        .kind = ENGINE_STEP_OP,
        .independent = rows.order == BERTH_ROWS_INDEPENDENT,
    };
    BERTH_TRY(find_kernel(d, op, &step.kernel));
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t own = berth_op_operand_rows(graph, shapes, op, k);
        uint32_t ref = 0;
        BERTH_TRY(engine_resolve(d, op, operands[k], &ref));
        engine_add_slot(d, ref, own == 0 ? 1u : own);
    }
    engine_need_bench(d, count * ENGINE_BENCH_OPERAND);
    engine_add_step(d, &step);
    return BERTH_OK;
}

/* The step that fills one decoded copy: the operator that the file has for it,
 * into a part of the reader's scratch. */
static berth_status add_decode_step(engine_draft *d, uint32_t s,
                                    uint32_t tensor, uint8_t *at)
{
    const berth_graph *graph = d->source->graph;
    const uint32_t maker = graph->tensors[tensor].producer;
    const uint32_t subgraph = graph->ops[maker].subgraph;
    const uint32_t record = engine_add_record(d, tensor, at, 0);
    engine_step step = {
        .op = maker - graph->op_base[subgraph],
        .first_slot = (uint32_t)d->at.slots,
        .step = s,
        .row_count = berth_op_rows(graph, d->source->shapes, maker).count,
        .subgraph = (uint16_t)subgraph,
        .kind = ENGINE_STEP_OP,
    };
    uint32_t from = 0;
    BERTH_TRY(find_kernel(d, maker, &step.kernel));
    BERTH_TRY(
        engine_resolve(d, maker, berth_graph_inputs(graph, maker)[0], &from));
    engine_add_slot(d, from, 1u);
    engine_add_slot(d, engine_ref(ENGINE_REF_RECORD, record), 1u);
    engine_need_bench(d, 2u * ENGINE_BENCH_OPERAND);
    engine_add_step(d, &step);
    return BERTH_OK;
}

static uint64_t up_to_grain(uint64_t bytes)
{
    return (bytes + (ENGINE_GRAIN - 1u)) & ~(uint64_t)(ENGINE_GRAIN - 1u);
}

static uint8_t *scratch_at(const engine_draft *d, const slot_scratch *scratch,
                           uint64_t at)
{
    const berth_engine *engine = d->engine;
    return engine == NULL
               ? NULL
               : engine_base(&engine->memory.regions[scratch->region],
                             engine->flags) +
                     (size_t)(scratch->first * ENGINE_GRAIN + at);
}

/* Decoded copies are the last parts of the scratch (rows.h). */
static berth_status add_decode_steps(engine_draft *d, uint32_t s, uint32_t op,
                                     const slot_scratch *scratch)
{
    const berth_graph *graph = d->source->graph;
    const berth_shapes *shapes = d->source->shapes;
    const uint32_t *inputs = berth_graph_inputs(graph, op);
    const uint32_t count = graph->ops[op].input_count;
    uint64_t copies = 0;
    d->decoded = (uint32_t)d->at.records;
    d->decoded_next = d->decoded;
    for (uint32_t i = 0; i < count; ++i) {
        if (berth_op_decodes(graph, shapes, op, i)) {
            copies += up_to_grain(shapes->of[inputs[i]].bytes);
        }
    }
    uint64_t at = scratch->count * ENGINE_GRAIN - copies;
    for (uint32_t i = 0; copies > 0 && i < count; ++i) {
        if (!berth_op_decodes(graph, shapes, op, i)) {
            continue;
        }
        if (d->source->lifetimes->class_of_tensor[inputs[i]] ==
            BERTH_CLASS_ENCODED) {
            BERTH_TRY(
                add_decode_step(d, s, inputs[i], scratch_at(d, scratch, at)));
        }
        at += up_to_grain(shapes->of[inputs[i]].bytes);
    }
    return BERTH_OK;
}

/* READ_VARIABLE and ASSIGN_VARIABLE: bytes go from or to what the handle stands
 * for, and nothing else is written. */
static berth_status walk_variable(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    const bool reads =
        d->source->graph->ops[step->op].code == BERTH_OP_READ_VARIABLE;
    if (reads ? step->read_count < 1u || step->write_count != 1u
              : step->read_count < 2u || step->write_count != 0) {
        return engine_refuse(d, BERTH_BAD_MODEL, step->op, BERTH_NONE,
                             "a variable without handle or value");
    }
    return reads ? engine_add_moves(d, s, step->reads, step->writes, 1u)
                 : engine_add_moves(d, s, step->reads + 1, step->reads, 1u);
}

/* VAR_HANDLE: known in prepare. */
static berth_status walk_handle(const engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t tensor = step->writes[i];
        if (tensor != BERTH_NONE &&
            d->source->graph->tensors[tensor].type != BERTH_RESOURCE) {
            return engine_refuse(d, BERTH_BAD_MODEL, step->op, tensor,
                                 "a handle of another type");
        }
    }
    return BERTH_OK;
}

berth_status engine_walk_op(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    const uint32_t code = d->source->graph->ops[step->op].code;
    slot_scratch scratch;
    if (code == BERTH_OP_READ_VARIABLE || code == BERTH_OP_ASSIGN_VARIABLE) {
        return walk_variable(d, s);
    }
    if (code == BERTH_OP_VAR_HANDLE) {
        return walk_handle(d, s);
    }
    if (engine_is_idle(d, step->op)) {
        return BERTH_OK;
    }
    BERTH_TRY(place_scratch_of(d, step->op, &scratch));
    BERTH_TRY(add_decode_steps(d, s, step->op, &scratch));
    return add_op_step(d, s, step->op, &scratch);
}

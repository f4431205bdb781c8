/* Fills the flat arrays and refuses what contradicts itself.
 *
 * Three walks: producers (every tensor has at most one), readers (counted,
 * then listed; operators come in ascending order, so that one which reads a
 * tensor twice is found by looking at the tensor's last reader), and orphans
 * (tensors that nobody writes). */
#include "graph_int.h"

#include "base/base_int.h"

static berth_status refuse_write(const graph_draft *draft, uint32_t op,
                                 uint32_t tensor, const char *what,
                                 berth_diag *diag)
{
    const uint32_t s = draft->ops[op].subgraph;
    (void)berth_refuse(diag, BERTH_BAD_MODEL, what);
    if (diag != NULL) {
        diag->subgraph = s;
        diag->op = op - draft->op_base[s];
        diag->tensor = tensor - draft->tensor_base[s];
    }
    return BERTH_BAD_MODEL;
}

void graph_warn(graph_draft *draft, const berth_diag *place)
{
    berth_graph *graph = draft->graph;
    if (graph->warning_count < BERTH_GRAPH_WARNINGS_MAX) {
        graph->warnings[graph->warning_count] = *place;
    }
    if (graph->warning_count < UINT32_MAX) {
        ++graph->warning_count;
    }
}

/* Appends the operands as global tensors. */
static uint32_t copy_operands(graph_draft *draft, uint32_t at, berth_ivec list,
                              uint32_t base)
{
    for (uint32_t i = 0; i < list.count; ++i) {
        const int32_t local = berth_ivec_at(list, i);
        draft->operands[at++] = local < 0 ? BERTH_NONE : base + (uint32_t)local;
    }
    return at;
}

static void fill_tensors(graph_draft *draft, uint32_t s)
{
    const berth_model *model = draft->graph->model;
    const uint32_t base = draft->tensor_base[s];
    for (uint32_t t = base; t < draft->tensor_base[s + 1]; ++t) {
        const berth_tensor info = berth_model_tensor(model, s, t - base);
        uint8_t flags = 0;
        flags |= info.data.size > 0 ? BERTH_TENSOR_CONSTANT : 0;
        flags |= info.is_variable ? BERTH_TENSOR_VARIABLE : 0;
        draft->tensors[t] = (berth_graph_tensor){
            .subgraph = s,
            .producer = BERTH_NONE,
            .first_reader = BERTH_NONE,
            .buffer = info.buffer,
            .type = (uint8_t)info.type,
            .flags = flags,
        };
    }
}

/* True if one of them had the flag already. */
static bool flag_all(graph_draft *draft, const uint32_t *list, uint32_t count,
                     uint8_t flag)
{
    bool repeated = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (list[i] != BERTH_NONE) {
            uint8_t *flags = &draft->tensors[list[i]].flags;
            repeated = repeated || (*flags & flag) != 0;
            *flags |= flag;
        }
    }
    return repeated;
}

static void fill_io(graph_draft *draft, uint32_t s, const berth_subgraph *info,
                    uint32_t *operand_at)
{
    berth_graph_subgraph *subgraph = &draft->subgraphs[s];
    const uint32_t base = draft->tensor_base[s];
    *subgraph = (berth_graph_subgraph){
        .first_io = *operand_at,
        .input_count = info->inputs.count,
        .output_count = info->outputs.count,
    };
    *operand_at = copy_operands(draft, *operand_at, info->inputs, base);
    *operand_at = copy_operands(draft, *operand_at, info->outputs, base);
    const uint32_t *io = draft->operands + subgraph->first_io;
    subgraph->inputs_repeat =
        flag_all(draft, io, subgraph->input_count, BERTH_TENSOR_INPUT);
    (void)flag_all(draft, io + subgraph->input_count, subgraph->output_count,
                   BERTH_TENSOR_OUTPUT);
}

static void fill_op(graph_draft *draft, uint32_t op, uint32_t *operand_at,
                    uint32_t *callee_at)
{
    const berth_model *model = draft->graph->model;
    const uint32_t s = draft->ops[op].subgraph;
    const berth_operator info =
        berth_model_operator(model, s, op - draft->op_base[s]);
    draft->ops[op] = (berth_graph_op){
        .subgraph = s,
        .code = info.code,
        .first_operand = *operand_at,
        .input_count = info.inputs.count,
        .output_count = info.outputs.count,
        .first_callee = *callee_at,
        .callee_count = graph_callee_count(model, &info),
    };
    const uint32_t base = draft->tensor_base[s];
    *operand_at = copy_operands(draft, *operand_at, info.inputs, base);
    *operand_at = copy_operands(draft, *operand_at, info.outputs, base);
    const uint32_t count = draft->ops[op].callee_count;
    (void)berth_model_callees(model, &info, draft->callees + *callee_at, count);
    *callee_at += count;
}

static void fill_arrays(graph_draft *draft)
{
    berth_graph *graph = draft->graph;
    uint32_t operand_at = 0;
    uint32_t callee_at = 0;
    draft->tensor_base[0] = 0;
    draft->op_base[0] = 0;
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        const berth_subgraph info = berth_model_subgraph(graph->model, s);
        draft->tensor_base[s + 1] = draft->tensor_base[s] + info.tensor_count;
        draft->op_base[s + 1] = draft->op_base[s] + info.op_count;
        fill_tensors(draft, s);
        fill_io(draft, s, &info, &operand_at);
        for (uint32_t op = draft->op_base[s]; op < draft->op_base[s + 1];
             ++op) {
            draft->ops[op].subgraph = s;
            fill_op(draft, op, &operand_at, &callee_at);
        }
    }
}

static berth_status find_producers(graph_draft *draft, uint32_t op,
                                   berth_diag *diag)
{
    const berth_graph_op *row = &draft->ops[op];
    const uint32_t *outputs =
        draft->operands + row->first_operand + row->input_count;
    for (uint32_t i = 0; i < row->output_count; ++i) {
        if (outputs[i] == BERTH_NONE) {
            continue;
        }
        berth_graph_tensor *tensor = &draft->tensors[outputs[i]];
        const char *what = NULL;
        if (tensor->producer != BERTH_NONE) {
            what = "a tensor is written twice";
        } else if ((tensor->flags & BERTH_TENSOR_CONSTANT) != 0) {
            what = "an operator writes a constant";
        } else if ((tensor->flags & BERTH_TENSOR_INPUT) != 0) {
            what = "an operator writes an input of its subgraph";
        }
        if (what != NULL) {
            return refuse_write(draft, op, outputs[i], what, diag);
        }
        tensor->producer = op;
    }
    return BERTH_OK;
}

/* first_reader holds the last reader seen while readers are counted. */
static berth_status tally_readers(graph_draft *draft, uint32_t op,
                                  berth_diag *diag)
{
    const berth_graph_op *row = &draft->ops[op];
    const uint32_t *inputs = draft->operands + row->first_operand;
    for (uint32_t i = 0; i < row->input_count; ++i) {
        if (inputs[i] == BERTH_NONE) {
            continue;
        }
        berth_graph_tensor *tensor = &draft->tensors[inputs[i]];
        if (tensor->producer == op) {
            return refuse_write(draft, op, inputs[i],
                                "an operator reads its own output", diag);
        }
        if (tensor->first_reader != op) {
            tensor->first_reader = op;
            ++tensor->reader_count;
        }
    }
    return BERTH_OK;
}

static void place_readers(graph_draft *draft)
{
    uint32_t at = 0;
    for (uint32_t t = 0; t < draft->graph->tensor_count; ++t) {
        const uint32_t count = draft->tensors[t].reader_count;
        draft->tensors[t].first_reader = at;
        draft->tensors[t].reader_count = 0;
        at += count;
    }
}

static void list_readers(graph_draft *draft, uint32_t op)
{
    const berth_graph_op *row = &draft->ops[op];
    const uint32_t *inputs = draft->operands + row->first_operand;
    for (uint32_t i = 0; i < row->input_count; ++i) {
        if (inputs[i] == BERTH_NONE) {
            continue;
        }
        berth_graph_tensor *tensor = &draft->tensors[inputs[i]];
        uint32_t *list = draft->readers + tensor->first_reader;
        const uint32_t count = tensor->reader_count;
        if (count == 0 || list[count - 1] != op) {
            list[count] = op;
            tensor->reader_count = count + 1;
        }
    }
}

/* No elements, no bytes to be missed: the empty shape operand of RESHAPE. */
static bool holds_nothing(const berth_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->shape.count; ++i) {
        if (berth_ivec_at(tensor->shape, i) == 0) {
            return true;
        }
    }
    return false;
}

static void find_orphan(graph_draft *draft, uint32_t t)
{
    berth_graph_tensor *tensor = &draft->tensors[t];
    const uint8_t written =
        BERTH_TENSOR_CONSTANT | BERTH_TENSOR_VARIABLE | BERTH_TENSOR_INPUT;
    if (tensor->producer != BERTH_NONE || (tensor->flags & written) != 0) {
        return;
    }
    tensor->flags |= BERTH_TENSOR_ORPHAN;
    const uint32_t s = tensor->subgraph;
    const uint32_t local = t - draft->tensor_base[s];
    const berth_tensor info = berth_model_tensor(draft->graph->model, s, local);
    const bool read =
        tensor->reader_count > 0 || (tensor->flags & BERTH_TENSOR_OUTPUT) != 0;
    if (!read || holds_nothing(&info)) {
        return;
    }
    berth_diag place = berth_diag_none();
    place.what = "a tensor is read, but nobody writes it";
    place.subgraph = s;
    place.tensor = local;
    if (tensor->reader_count > 0) {
        place.op = draft->readers[tensor->first_reader] - draft->op_base[s];
    }
    graph_warn(draft, &place);
}

berth_status graph_fill(graph_draft *draft, berth_diag *diag)
{
    const uint32_t op_count = draft->graph->op_count;
    fill_arrays(draft);
    for (uint32_t op = 0; op < op_count; ++op) {
        BERTH_TRY(find_producers(draft, op, diag));
    }
    for (uint32_t op = 0; op < op_count; ++op) {
        BERTH_TRY(tally_readers(draft, op, diag));
    }
    place_readers(draft);
    for (uint32_t op = 0; op < op_count; ++op) {
        list_readers(draft, op);
    }
    for (uint32_t t = 0; t < draft->graph->tensor_count; ++t) {
        find_orphan(draft, t);
    }
    return BERTH_OK;
}

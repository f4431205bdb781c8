/* peer_class.c: where LiteRT's Prepare puts the tensors of a subgraph.
 *
 * Operators are prepared in order; what each kernel does with its outputs is
 * core/ops' knowledge (berth_litert_output_class). A dynamic tensor ends it:
 * the arena then grows while the model runs, and no number can be given. So
 * does an output of known size whose shape is computed, but there the arena
 * that AllocateTensors makes for the operators so far is a number; in a
 * subgraph that another calls it makes the caller's outputs dynamic. */
#include "peer/peer_int.h"

static bool has_no_bytes(uint8_t type)
{
    return type == BERTH_STRING || type == BERTH_RESOURCE ||
           type == BERTH_VARIANT;
}

static uint8_t first_memory(const berth_graph_tensor *tensor)
{
    if ((tensor->flags & BERTH_TENSOR_CONSTANT) != 0) {
        return BERTH_LITERT_CONSTANT;
    }
    if (has_no_bytes(tensor->type)) {
        return BERTH_LITERT_DYNAMIC;
    }
    return (tensor->flags & BERTH_TENSOR_VARIABLE) != 0
               ? BERTH_LITERT_PERSISTENT
               : BERTH_LITERT_ARENA;
}

static uint64_t element_count(const peer_state *peer, uint32_t tensor)
{
    const int32_t *dims = berth_shape_dims(peer->shapes, tensor);
    uint64_t count = 1;
    for (uint32_t i = 0; i < peer->shapes->of[tensor].rank; ++i) {
        if (dims[i] < 0 || !berth_mul_u64(count, (uint32_t)dims[i], &count)) {
            return 0;
        }
    }
    return count;
}

/* LiteRT packs 4-bit and 2-bit elements, in activations too. */
static uint64_t litert_bytes(const peer_state *peer, uint32_t tensor)
{
    const berth_shape *shape = &peer->shapes->of[tensor];
    const uint32_t bits =
        berth_type_bits((berth_type)peer->graph->tensors[tensor].type);
    if (shape->state != BERTH_SHAPE_STATIC || bits == 0 || bits >= 8) {
        return shape->bytes;
    }
    const uint32_t per_byte = 8 / bits;
    const uint64_t count = element_count(peer, tensor);
    return count / per_byte + (count % per_byte != 0);
}

static berth_litert_operand operand_of(const peer_state *peer, uint32_t tensor)
{
    if (tensor == BERTH_NONE) {
        return (berth_litert_operand){.memory = BERTH_LITERT_ABSENT};
    }
    const berth_shape *shape = &peer->shapes->of[tensor];
    return (berth_litert_operand){
        .memory = peer->memory[tensor],
        .type = peer->graph->tensors[tensor].type,
        .unspecified = (shape->flags & BERTH_SHAPE_RESIZABLE) != 0,
        .rank = shape->rank,
        .elements = element_count(peer, tensor)};
}

static berth_status refuse_dynamic(const peer_state *peer, uint32_t op,
                                   uint32_t tensor)
{
    return peer_refuse(peer, BERTH_UNBOUNDED, op, tensor,
                       "LiteRT sizes this tensor while the model runs");
}

/* The output has the input's bytes, under whatever shape. */
static berth_status stop_late(peer_state *peer, uint32_t op, uint32_t output)
{
    const berth_graph *graph = peer->graph;
    const uint32_t s = graph->ops[op].subgraph;
    const uint32_t input = berth_graph_inputs(graph, op)[0];
    if (peer->roles[s] != PEER_ROLE_SEEN || input == BERTH_NONE) {
        return refuse_dynamic(peer, op, output);
    }
    peer->of[output].bytes = peer->of[input].bytes;
    peer->of[output].state = peer->of[input].state;
    peer->prepared = op - graph->op_base[s] + 1;
    peer->stopped_op = op;
    return BERTH_OK;
}

static berth_status class_output(peer_state *peer, uint32_t op, uint32_t i)
{
    const berth_graph_op *row = &peer->graph->ops[op];
    const uint32_t tensor = berth_graph_outputs(peer->graph, op)[i];
    if (tensor == BERTH_NONE) {
        return BERTH_OK;
    }
    berth_litert_operand output = operand_of(peer, tensor);
    output.rank = berth_graph_tensor_info(peer->graph, tensor).shape.count;
    const berth_litert_class class_ = berth_litert_output_class(
        row->code, peer->operands, row->input_count, &output, i);
    if (class_ == BERTH_LITERT_DYNAMIC) {
        return refuse_dynamic(peer, op, tensor);
    }
    if (class_ == BERTH_LITERT_LATE) {
        return stop_late(peer, op, tensor);
    }
    peer->memory[tensor] = (uint8_t)class_;
    return BERTH_OK;
}

/* The basic LSTM kernel moves its two state inputs to the persistent arena,
 * graph inputs or not. */
static void move_lstm_state(peer_state *peer, uint32_t op)
{
    enum { BASIC_KERNEL = 1, ACTIVATION = 1, STATE = 4 };
    const berth_operator info = berth_graph_op_info(peer->graph, op);
    const uint32_t *inputs = berth_graph_inputs(peer->graph, op);
    if (peer->graph->ops[op].input_count <= STATE ||
        berth_option_int(&info, BERTH_OPT_LSTMOptions_kernel_type) !=
            BASIC_KERNEL) {
        return;
    }
    const uint32_t moved[] = {inputs[ACTIVATION], inputs[STATE]};
    for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); ++i) {
        if (moved[i] != BERTH_NONE) {
            peer->memory[moved[i]] = BERTH_LITERT_PERSISTENT;
        }
    }
}

static berth_status class_op(peer_state *peer, uint32_t op)
{
    const berth_graph_op *row = &peer->graph->ops[op];
    const uint32_t *inputs = berth_graph_inputs(peer->graph, op);
    if (row->code == BERTH_OP_LSTM) {
        move_lstm_state(peer, op);
    }
    for (uint32_t i = 0; i < row->input_count; ++i) {
        peer->operands[i] = operand_of(peer, inputs[i]);
    }
    for (uint32_t i = 0; i < row->output_count; ++i) {
        BERTH_TRY(class_output(peer, op, i));
    }
    return BERTH_OK;
}

/* An input that its caller binds or that is dropped takes no bytes here. */
static void class_inputs(peer_state *peer, uint32_t subgraph)
{
    const berth_graph *graph = peer->graph;
    const uint32_t *inputs = berth_graph_subgraph_inputs(graph, subgraph);
    for (uint32_t i = 0; i < graph->subgraphs[subgraph].input_count; ++i) {
        if (inputs[i] == BERTH_NONE ||
            has_no_bytes(graph->tensors[inputs[i]].type)) {
            continue;
        }
        const berth_graph_tensor *tensor = &graph->tensors[inputs[i]];
        const bool unread = tensor->reader_count == 0 &&
                            (tensor->flags & BERTH_TENSOR_OUTPUT) == 0;
        if ((peer->roles[subgraph] & PEER_ROLE_DROPS) != 0 && unread) {
            peer->place[inputs[i]] = PEER_ELSEWHERE;
        } else if ((peer->roles[subgraph] & PEER_ROLE_BOUND) != 0) {
            peer->place[inputs[i]] = PEER_BOUND;
        }
    }
}

berth_status peer_class_litert(peer_state *peer, uint32_t subgraph)
{
    const berth_graph *graph = peer->graph;
    const uint32_t end = graph->tensor_base[subgraph + 1];
    for (uint32_t t = graph->tensor_base[subgraph]; t < end; ++t) {
        peer->memory[t] = first_memory(&graph->tensors[t]);
        peer->place[t] = PEER_PLANNED;
        peer->of[t].bytes = litert_bytes(peer, t);
    }
    const uint32_t first = graph->op_base[subgraph];
    peer->prepared = graph->op_base[subgraph + 1] - first;
    for (uint32_t i = 0; i < peer->prepared; ++i) {
        BERTH_TRY(class_op(peer, first + i));
    }
    for (uint32_t t = graph->tensor_base[subgraph]; t < end; ++t) {
        if (peer->memory[t] != BERTH_LITERT_ARENA) {
            peer->place[t] = PEER_ELSEWHERE;
        }
    }
    class_inputs(peer, subgraph);
    return BERTH_OK;
}

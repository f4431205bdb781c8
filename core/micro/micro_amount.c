/* The conditions and amounts that kernel tables name: those that any set may
 * use. */
#include "micro/micro_int.h"

#include "ops/flexmap.h"

static const micro_tensor absent = {.flags = MICRO_TENSOR_ABSENT};

micro_op micro_op_at(const micro_run *run, uint32_t op)
{
    const berth_graph *graph = run->graph;
    return (micro_op){.run = run,
                      .op = op,
                      .code = micro_code_of(graph, op),
                      .info = berth_graph_op_info(graph, op),
                      .inputs = berth_graph_inputs(graph, op),
                      .outputs = berth_graph_outputs(graph, op),
                      .input_count = graph->ops[op].input_count,
                      .output_count = graph->ops[op].output_count};
}

const micro_tensor *micro_operand(const micro_op *op, uint32_t operand)
{
    const bool out = (operand & MICRO_OUT) != 0;
    const uint32_t index = operand & ~MICRO_OUT;
    if (index >= (out ? op->output_count : op->input_count)) {
        return &absent;
    }
    const uint32_t tensor = out ? op->outputs[index] : op->inputs[index];
    return tensor == BERTH_NONE ? &absent : &op->run->tensors[tensor];
}

uint64_t micro_row_bytes(const micro_op *op, const micro_row *row)
{
    uint64_t unit = row->unit;
    if (unit == MICRO_UNIT_WORD) {
        unit = micro_word(op->run->abi);
    } else if (unit == MICRO_UNIT_EVAL) {
        unit = micro_struct_bytes(op->run, MICRO_STRUCT_EVAL_TENSOR);
    }
    return micro_mul(unit, row->amount(op, row));
}

/* --- conditions -------------------------------------------------------------
 */

bool micro_has_type(const micro_op *op, uint32_t operand, berth_type type)
{
    const micro_tensor *tensor = micro_operand(op, operand);
    return (tensor->flags & MICRO_TENSOR_ABSENT) == 0 && tensor->type == type;
}

bool micro_when_float_in(const micro_op *op)
{
    return micro_has_type(op, 0, BERTH_FLOAT32);
}

bool micro_when_int8_in(const micro_op *op)
{
    return micro_has_type(op, 0, BERTH_INT8);
}

bool micro_when_int16_in(const micro_op *op)
{
    return micro_has_type(op, 0, BERTH_INT16);
}

bool micro_when_integer_in(const micro_op *op)
{
    return micro_when_int8_in(op) || micro_when_int16_in(op);
}

bool micro_when_int4_filter(const micro_op *op)
{
    return micro_has_type(op, 1, BERTH_INT4);
}

bool micro_when_filter_per_channel(const micro_op *op)
{
    const micro_tensor *filter = micro_operand(op, 1);
    return !micro_when_float_in(op) && filter->scales > 1 &&
           (filter->flags & MICRO_TENSOR_QUANTIZED) != 0;
}

bool micro_when_transposed_int8(const micro_op *op)
{
    return micro_has_type(op, 2, BERTH_INT8);
}

bool micro_when_transposed_int16(const micro_op *op)
{
    return micro_has_type(op, 2, BERTH_INT16);
}

bool micro_when_transposed_integer(const micro_op *op)
{
    return micro_when_transposed_int8(op) || micro_when_transposed_int16(op);
}

bool micro_when_transposed_int16_bias(const micro_op *op)
{
    return micro_when_transposed_int16(op) &&
           micro_has_type(op, 3, BERTH_INT16);
}

bool micro_when_adj_x(const micro_op *op)
{
    return berth_option_int(&op->info, BERTH_OPT_BatchMatMulOptions_adj_x) != 0;
}

bool micro_when_not_adj_y(const micro_op *op)
{
    return berth_option_int(&op->info, BERTH_OPT_BatchMatMulOptions_adj_y) == 0;
}

bool micro_when_open_shape(const micro_op *op)
{
    const berth_ivec dims = micro_operand(op, MICRO_OUT)->dims;
    for (uint32_t i = 0; i < dims.count; ++i) {
        if (berth_ivec_at(dims, i) == -1) {
            return true;
        }
    }
    return false;
}

/* --- amounts ----------------------------------------------------------------
 */

uint64_t micro_amount_number(const micro_op *op, const micro_row *row)
{
    (void)op;
    return row->argument;
}

uint64_t micro_amount_record(const micro_op *op, const micro_row *row)
{
    return row->argument + (uint64_t)row->operand * micro_word(op->run->abi);
}

uint64_t micro_amount_elements(const micro_op *op, const micro_row *row)
{
    return micro_operand(op, row->operand)->elements;
}

uint64_t micro_amount_bytes(const micro_op *op, const micro_row *row)
{
    return micro_operand(op, row->operand)->bytes;
}

uint64_t micro_amount_dim(const micro_op *op, const micro_row *row)
{
    return micro_dim(micro_operand(op, row->operand), row->argument);
}

uint64_t micro_amount_rank(const micro_op *op, const micro_row *row)
{
    return micro_operand(op, row->operand)->dims.count;
}

uint64_t micro_amount_extents(const micro_op *op, const micro_row *row)
{
    return micro_operand(op, row->operand)->dims.count + UINT64_C(1);
}

uint64_t micro_amount_scales(const micro_op *op, const micro_row *row)
{
    return micro_operand(op, row->operand)->scales;
}

uint64_t micro_amount_inputs(const micro_op *op, const micro_row *row)
{
    (void)row;
    return op->input_count;
}

/* Operand 1 is weights_feature: a row a filter. */
uint64_t micro_amount_svdf_filters(const micro_op *op, const micro_row *row)
{
    (void)row;
    return micro_mul(micro_dim(micro_operand(op, 0), 0),
                     micro_dim(micro_operand(op, 1), 0));
}

uint64_t micro_amount_svdf_units(const micro_op *op, const micro_row *row)
{
    const int64_t rank =
        berth_option_int(&op->info, BERTH_OPT_SVDFOptions_rank);
    (void)row;
    return rank <= 0
               ? 0
               : micro_mul(micro_dim(micro_operand(op, 0), 0),
                           micro_dim(micro_operand(op, 1), 0) / (uint64_t)rank);
}

/* Operand 18 is the hidden state, 19 the cell state. */
uint64_t micro_amount_lstm_state(const micro_op *op, const micro_row *row)
{
    const bool time_major =
        berth_option_int(
            &op->info,
            BERTH_OPT_UnidirectionalSequenceLSTMOptions_time_major) != 0;
    const uint64_t batch = micro_dim(micro_operand(op, 0), time_major ? 1 : 0);
    const uint64_t hidden = micro_dim(micro_operand(op, 18), 1);
    (void)row;
    return micro_mul(micro_mul(batch, hidden),
                     micro_operand(op, 19)->element_bytes);
}

/* --- detection --------------------------------------------------------------
 */

static uint64_t option_of(const micro_op *op, const char *key)
{
    int64_t value = 0;
    return berth_flexmap_int(op->info.custom_options, key, &value) && value > 0
               ? (uint64_t)value
               : 0;
}

uint64_t micro_amount_class_scores(const micro_op *op, const micro_row *row)
{
    const micro_tensor *scores = micro_operand(op, 1);
    (void)row;
    return micro_mul(micro_dim(scores, 1), micro_dim(scores, 2));
}

uint64_t micro_amount_detections(const micro_op *op, const micro_row *row)
{
    (void)row;
    return micro_mul(option_of(op, "max_detections"),
                     micro_dim(micro_operand(op, 0), 1));
}

uint64_t micro_amount_detections_or_classes(const micro_op *op,
                                            const micro_row *row)
{
    (void)row;
    return micro_mul(micro_max(option_of(op, "num_classes"),
                               option_of(op, "max_detections")),
                     micro_dim(micro_operand(op, 0), 1));
}

uint64_t micro_amount_detections_or_boxes(const micro_op *op,
                                          const micro_row *row)
{
    const uint64_t boxes = micro_dim(micro_operand(op, 0), 1);
    (void)row;
    return micro_mul(micro_min(boxes, option_of(op, "max_detections")), boxes);
}

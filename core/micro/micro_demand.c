/* What a kernel's Prepare demands of its operands. Where a demand is not met,
 * TFLM does not start. */
#include "micro/micro_int.h"

static bool are(const micro_op *op, uint32_t input, berth_type input_type,
                uint32_t weights, berth_type weights_type)
{
    return micro_has_type(op, input, input_type) &&
           micro_has_type(op, weights, weights_type);
}

static bool suit(const micro_op *op, uint32_t input, uint32_t weights)
{
    return are(op, input, BERTH_FLOAT32, weights, BERTH_FLOAT32) ||
           are(op, input, BERTH_INT16, weights, BERTH_INT8) ||
           are(op, input, BERTH_INT8, weights, BERTH_INT8);
}

bool micro_when_other_weights(const micro_op *op)
{
    return !suit(op, 0, 1) && !are(op, 0, BERTH_INT8, 1, BERTH_INT4);
}

/* Other types than these three are refused when it runs. */
bool micro_when_other_full_weights(const micro_op *op)
{
    const bool known = micro_when_float_in(op) || micro_when_integer_in(op);
    return known && micro_when_other_weights(op);
}

bool micro_when_other_transposed(const micro_op *op)
{
    return !suit(op, 2, 1);
}

bool micro_when_int4_per_channel(const micro_op *op)
{
    return micro_when_int4_filter(op) && micro_when_filter_per_channel(op);
}

bool micro_when_many_inputs(const micro_op *op)
{
    return op->input_count > 10;
}

bool micro_when_one_input(const micro_op *op)
{
    return op->input_count < 2;
}

bool micro_when_mixed_inputs(const micro_op *op)
{
    const micro_tensor *first = micro_operand(op, 0);
    for (uint32_t i = 1; i < op->input_count; ++i) {
        if (micro_operand(op, i)->type != first->type) {
            return true;
        }
    }
    return false;
}

bool micro_when_unscaled(const micro_op *op)
{
    return (micro_has_type(op, MICRO_OUT, BERTH_INT8) ||
            micro_has_type(op, MICRO_OUT, BERTH_INT16)) &&
           micro_operand(op, MICRO_OUT)->scales == 0;
}

bool micro_when_other_scales(const micro_op *op)
{
    return micro_operand(op, MICRO_OUT)->scales != 1;
}

bool micro_when_other_softmax(const micro_op *op)
{
    return micro_has_type(op, MICRO_OUT, BERTH_INT16)
               ? !micro_when_integer_in(op)
               : micro_operand(op, 0)->type !=
                     micro_operand(op, MICRO_OUT)->type;
}

/* It reads as many elements as the input has axes, whatever is there, and does
 * not know that `end` may count from `begin`. */
bool micro_when_other_slice(const micro_op *op)
{
    return micro_operand(op, 1)->elements != micro_operand(op, 0)->dims.count ||
           berth_option_int(&op->info, BERTH_OPT_StridedSliceOptions_offset) !=
               0;
}

/* --- LSTM -------------------------------------------------------------------
 */

/* What each of the 24 inputs has to be there for: weights, biases, states; not
 * for peepholes, projection, layer norm. */
#define LSTM_PARTS UINT32_C(0x0cf1ff)

enum { LSTM_INPUTS = 24, LSTM_HIDDEN = 18, LSTM_CELL = 19 };

bool micro_when_lstm_variant(const micro_op *op)
{
    for (uint32_t i = 0; i < LSTM_INPUTS; ++i) {
        const bool there =
            (micro_operand(op, i)->flags & MICRO_TENSOR_ABSENT) == 0;
        if (there != ((LSTM_PARTS >> i & 1u) != 0)) {
            return true;
        }
    }
    return op->input_count != LSTM_INPUTS;
}

static bool of_one_type(const micro_op *op, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; ++i) {
        if (micro_operand(op, i)->type != micro_operand(op, first)->type) {
            return false;
        }
    }
    return true;
}

bool micro_when_lstm_mixed(const micro_op *op)
{
    const uint8_t type = micro_operand(op, 0)->type;
    return !of_one_type(op, 1, 9) || !of_one_type(op, 12, 16) ||
           micro_operand(op, LSTM_HIDDEN)->type != type ||
           micro_operand(op, MICRO_OUT)->type != type;
}

bool micro_when_lstm_stateless(const micro_op *op)
{
    return (micro_operand(op, LSTM_HIDDEN)->flags &
            micro_operand(op, LSTM_CELL)->flags & MICRO_TENSOR_VARIABLE) == 0;
}

/* --- rows -------------------------------------------------------------------
 */

/* An operand that is not there has no type, no rank and no value. */
bool micro_row_is_met(const micro_op *op, const micro_row *row)
{
    const micro_tensor *operand = micro_operand(op, row->operand);
    const bool there = (operand->flags & MICRO_TENSOR_ABSENT) == 0;
    switch ((micro_row_kind)row->kind) {
    case MICRO_ROW_REFUSE:
        return false; /* its condition holds */
    case MICRO_ROW_ONLY:
        return !there || (operand->type < 32 &&
                          (row->argument >> operand->type & 1u) != 0);
    case MICRO_ROW_ALIKE:
        return operand->type == micro_operand(op, row->argument)->type;
    case MICRO_ROW_CONSTANT:
        return (operand->flags & MICRO_TENSOR_CONSTANT) != 0;
    case MICRO_ROW_PRESENT:
        return there;
    case MICRO_ROW_MOST_AXES:
        return operand->dims.count <= row->argument;
    default:
        return true;
    }
}

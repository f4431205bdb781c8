/* Temporaries of LiteRT's other kernels: reductions, recurrent cells,
 * transforms, detection. */
#include "peer/peer_temp.h"

#include <string.h>

/* --- reductions ----------------------------------------------------------- */

static uint64_t input_rank(const temp_op *t)
{
    return rank_of(t, input_of(t, 0));
}

static bool axes_fixed(const temp_op *t)
{
    return is_fixed(t, input_of(t, 1));
}

static uint64_t axis_count(const temp_op *t)
{
    return elements_of(t, input_of(t, 1));
}

static uint64_t sums(const temp_op *t)
{
    const uint32_t input = input_of(t, 0);
    const uint64_t count = elements_of(t, output_of(t));
    if (has_type(t, input, BERTH_BOOL)) {
        return count;
    }
    return times(count, has_type(t, input, BERTH_INT32) ||
                                has_type(t, input, BERTH_INT64)
                            ? 8
                            : 4);
}

static bool input_fixed(const temp_op *t)
{
    return is_fixed(t, input_of(t, 0));
}

/* --- recurrent ------------------------------------------------------------ */

enum {
    LSTM_INPUT_WEIGHTS = 1,
    LSTM_OUTPUT_WEIGHTS = 4,
    LSTM_RECURRENT_WEIGHTS = 8,
    LSTM_PROJECTION = 16,
    LSTM_OUTPUT_STATE = 18,
    LSTM_CELL_STATE = 19,
    LSTM_PLAIN_INPUTS = 5
};

/* The basic kernel of five inputs is another operator in all but name. */
static bool is_full_lstm(const temp_op *t)
{
    return t->peer->graph->ops[t->op].input_count > LSTM_PLAIN_INPUTS;
}

static bool is_float_lstm(const temp_op *t)
{
    return is_full_lstm(t) && has_type(t, input_of(t, 0), BERTH_FLOAT32);
}

static bool is_hybrid_lstm(const temp_op *t)
{
    return is_float_lstm(t) &&
           is_int_filter(t, input_of(t, LSTM_OUTPUT_WEIGHTS));
}

static bool is_integer_lstm(const temp_op *t)
{
    return is_full_lstm(t) && has_type(t, input_of(t, 0), BERTH_INT8);
}

static uint64_t lstm_batch(const temp_op *t)
{
    const bool time_major =
        t->info.code == BERTH_OP_UNIDIRECTIONAL_SEQUENCE_LSTM &&
        berth_option_int(
            &t->info, BERTH_OPT_UnidirectionalSequenceLSTMOptions_time_major) !=
            0;
    return dim_of(t, input_of(t, 0), time_major ? 1 : 0);
}

static uint64_t lstm_cells(const temp_op *t)
{
    return dim_of(t, input_of(t, LSTM_OUTPUT_WEIGHTS), 0);
}

static uint64_t lstm_states(const temp_op *t)
{
    return times(lstm_batch(t), lstm_cells(t));
}

/* A row of each gate; the sequence kernel pads it. */
static uint64_t lstm_gates(const temp_op *t)
{
    const bool coupled = input_of(t, LSTM_INPUT_WEIGHTS) == BERTH_NONE;
    const uint64_t spare =
        t->info.code == BERTH_OP_UNIDIRECTIONAL_SEQUENCE_LSTM ? 16 : 0;
    return times(lstm_batch(t), times(lstm_cells(t), coupled ? 4 : 5) + spare);
}

static uint64_t lstm_output_state(const temp_op *t)
{
    return elements_of(t, input_of(t, LSTM_OUTPUT_STATE));
}

static uint64_t lstm_cell_state(const temp_op *t)
{
    return elements_of(t, input_of(t, LSTM_CELL_STATE));
}

/* A sum for each row of each gate's two matrices, and of the projection. */
static uint64_t lstm_row_sums(const temp_op *t)
{
    const uint64_t cells = lstm_cells(t);
    const uint32_t recurrent = input_of(t, LSTM_RECURRENT_WEIGHTS);
    uint64_t rows = input_of(t, LSTM_INPUT_WEIGHTS) == BERTH_NONE ? 6 : 8;
    if (input_of(t, LSTM_PROJECTION) != BERTH_NONE && cells > 0) {
        rows += (dim_of(t, recurrent, 1) + cells - 1) / cells;
    }
    return times(rows, cells);
}

/* RNN and its sequence: input, weights, recurrent weights, bias, state. */
enum { RNN_WEIGHTS = 1, RNN_STATE = 4 };

static uint64_t rnn_batch(const temp_op *t)
{
    const bool time_major =
        t->info.code == BERTH_OP_UNIDIRECTIONAL_SEQUENCE_RNN &&
        berth_option_int(&t->info, BERTH_OPT_SequenceRNNOptions_time_major) !=
            0;
    return dim_of(t, input_of(t, 0), time_major ? 1 : 0);
}

static uint64_t rnn_units(const temp_op *t)
{
    return dim_of(t, input_of(t, RNN_WEIGHTS), 0);
}

static uint64_t rnn_state(const temp_op *t)
{
    return elements_of(t, input_of(t, RNN_STATE));
}

static uint64_t rnn_accumulators(const temp_op *t)
{
    return times(rnn_units(t), rnn_batch(t));
}

static uint64_t svdf_filters(const temp_op *t)
{
    return times(batch(t), dim_of(t, input_of(t, 1), 0));
}

static uint64_t svdf_time_weights(const temp_op *t)
{
    return elements_of(t, input_of(t, 2));
}

static uint64_t svdf_row_sums(const temp_op *t)
{
    return dim_of(t, input_of(t, 1), 0);
}

static bool is_integer_svdf(const temp_op *t)
{
    return has_type(t, input_of(t, 0), BERTH_INT8);
}

static uint64_t svdf_units(const temp_op *t)
{
    const int64_t rank = berth_option_int(&t->info, BERTH_OPT_SVDFOptions_rank);
    return rank <= 0
               ? 0
               : times(batch(t), dim_of(t, input_of(t, 1), 0) / (uint64_t)rank);
}

/* --- others --------------------------------------------------------------- */

static bool is_detection(const temp_op *t)
{
    static const char name[] = "TFLite_Detection_PostProcess";
    return t->info.custom_name.size == sizeof(name) - 1 &&
           memcmp(t->info.custom_name.data, name, sizeof(name) - 1) == 0;
}

static uint64_t boxes(const temp_op *t)
{
    return dim_of(t, input_of(t, 0), 1);
}

static uint64_t class_scores(const temp_op *t)
{
    return times(dim_of(t, input_of(t, 1), 1), dim_of(t, input_of(t, 1), 2));
}

/* Operand 1 is the length of the transform: height, width. */
static uint64_t fft_length(const temp_op *t, uint32_t axis)
{
    const uint32_t length = input_of(t, 1);
    if (length == BERTH_NONE) {
        return 0;
    }
    const berth_bytes data =
        berth_graph_tensor_info(t->peer->graph, length).data;
    const berth_ivec values = {data.data, (uint32_t)(data.size / 4)};
    const int32_t value = axis < values.count ? berth_ivec_at(values, axis) : 0;
    return value > 0 ? (uint64_t)value : 0;
}

static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= value) {
            root += bit;
        }
    }
    return root;
}

static uint64_t fft_work(const temp_op *t)
{
    const uint64_t height = fft_length(t, 0);
    const uint64_t half = fft_length(t, 1) / 2;
    return height > half ? height : half;
}

/* fft2d's places of bits; its sines and cosines; the rows, and their values
 * in place, two columns wider. */
static uint64_t fft_integers(const temp_op *t)
{
    return 2 + square_root(fft_work(t));
}

static uint64_t fft_doubles(const temp_op *t)
{
    return fft_work(t) / 2 + fft_length(t, 1) / 4;
}

static uint64_t fft_rows(const temp_op *t)
{
    return fft_length(t, 0);
}

static uint64_t fft_values(const temp_op *t)
{
    return times(fft_length(t, 0), fft_length(t, 1) + 2);
}

#define REDUCTION(name)                                                        \
    ROW(name, NULL, 4, input_rank)                                             \
    ROW(name, axes_fixed, 4, axis_count)                                       \
    ROW(name, input_fixed, 4, input_rank)
#define SUMMING(name)                                                          \
    ROW(name, NULL, 4, input_rank)                                             \
    ROW(name, axes_fixed, 4, axis_count)                                       \
    ROW(name, axes_fixed, 1, sums)                                             \
    ROW(name, input_fixed, 4, input_rank)
#define RECURRENT(name)                                                        \
    ROW(name, is_float_lstm, 4, lstm_gates)                                    \
    ROW(name, is_hybrid_lstm, 1, input_elements)                               \
    ROW(name, is_hybrid_lstm, 1, lstm_output_state)                            \
    ROW(name, is_hybrid_lstm, 1, lstm_cell_state)                              \
    ROW(name, is_hybrid_lstm, 4, lstm_batch)                                   \
    ROW(name, is_hybrid_lstm, 4, lstm_batch)                                   \
    ROW(name, is_hybrid_lstm, 4, lstm_batch)                                   \
    ROW(name, is_hybrid_lstm, 4, lstm_cells)                                   \
    ROW(name, is_hybrid_lstm, 4, lstm_states)                                  \
    ROW(name, is_hybrid_lstm, 4, lstm_batch)                                   \
    ROW(name, is_hybrid_lstm, 4, lstm_batch)                                   \
    KEPT(name, is_hybrid_lstm, 4, lstm_row_sums)                               \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 1, lstm_states)                                 \
    ROW(name, is_integer_lstm, 4, lstm_states)

#define RECURRENT_PLAIN(name)                                                  \
    ROW(name, is_hybrid, 1, input_elements)                                    \
    ROW(name, is_hybrid, 1, rnn_state)                                         \
    ROW(name, is_hybrid, 4, rnn_batch)                                         \
    ROW(name, is_hybrid, 4, rnn_accumulators)                                  \
    ROW(name, is_hybrid, 4, rnn_batch)                                         \
    KEPT(name, is_hybrid, 8, rnn_units)

/* clang-format off */
static const temp_row other_rows[] = {
    SUMMING(MEAN) SUMMING(SUM) SUMMING(REDUCE_PROD)
    REDUCTION(REDUCE_MAX) REDUCTION(REDUCE_MIN)
    REDUCTION(REDUCE_ANY) REDUCTION(REDUCE_ALL)
    RECURRENT_PLAIN(RNN) RECURRENT_PLAIN(UNIDIRECTIONAL_SEQUENCE_RNN)
    RECURRENT(LSTM) RECURRENT(UNIDIRECTIONAL_SEQUENCE_LSTM)
    ROW(SVDF, NULL, 4, svdf_filters)
    ROW(SVDF, is_hybrid, 1, input_elements)
    ROW(SVDF, is_hybrid, 4, batch)
    ROW(SVDF, is_hybrid, 4, batch)
    KEPT(SVDF, is_hybrid, 4, svdf_time_weights)
    KEPT(SVDF, is_hybrid, 4, svdf_row_sums)
    ROW(SVDF, is_integer_svdf, 4, svdf_units)
    ROW(RFFT2D, axes_fixed, 4, fft_integers)
    ROW(RFFT2D, axes_fixed, 8, fft_doubles)
    ROW(RFFT2D, axes_fixed, 8, fft_rows)
    ROW(RFFT2D, axes_fixed, 8, fft_values)
    ROW(ADD_N, NULL, 1, left_bytes)
    ROW(CUSTOM, is_detection, 16, boxes)
    ROW(CUSTOM, is_detection, 4, class_scores)
};
/* clang-format on */

const temp_table peer_temp_others = {other_rows, sizeof(other_rows) /
                                                     sizeof(other_rows[0])};

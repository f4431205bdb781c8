/* peer_temporaries.c: what LiteRT's built-in kernels ask for in the arena
 * beside the tensors: column matrices, quantised inputs, accumulators.
 *
 * A row a temporary, in the order in which its kernel lists them: the operator,
 * when it asks, and for how many bytes. Temporaries that live on the heap or in
 * the persistent arena have no row. Optimised kernels, one thread, no delegate:
 * what an interpreter without XNNPACK takes. Facts from LiteRT f677457
 * (2026-08-21), tflite/kernels; ADD_N and CONV_2D ask for other things with
 * several threads. */
#include "peer/peer_int.h"

#include <string.h>

/* An operator as the rows see it. */
typedef struct temp_op {
    const peer_state *peer;
    uint32_t op;
    berth_operator info;
} temp_op;

typedef bool temp_when(const temp_op *t);
typedef uint64_t temp_amount(const temp_op *t);

typedef struct temp_row {
    uint16_t code;
    uint16_t unit;   /* bytes of one */
    temp_when *when; /* NULL: always */
    temp_amount *amount;
} temp_row;

/* Nothing that a verified model holds reaches this; products stop there. */
#define TEMP_HUGE ((uint64_t)1 << 60)

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    return berth_mul_u64(a, b, &product) && product < TEMP_HUGE ? product
                                                                : TEMP_HUGE;
}

/* --- operands ----------------------------------------------------------- */

static uint32_t input_of(const temp_op *t, uint32_t i)
{
    const berth_graph *graph = t->peer->graph;
    return i < graph->ops[t->op].input_count
               ? berth_graph_inputs(graph, t->op)[i]
               : BERTH_NONE;
}

static uint32_t output_of(const temp_op *t)
{
    const berth_graph *graph = t->peer->graph;
    return graph->ops[t->op].output_count > 0
               ? berth_graph_outputs(graph, t->op)[0]
               : BERTH_NONE;
}

static uint32_t rank_of(const temp_op *t, uint32_t tensor)
{
    return tensor == BERTH_NONE ? 0 : t->peer->of[tensor].rank;
}

/* Axes from the front; 1 where there is none. */
static uint64_t dim_of(const temp_op *t, uint32_t tensor, uint32_t axis)
{
    if (axis >= rank_of(t, tensor)) {
        return 1;
    }
    const int32_t dim =
        t->peer->shapes->dims[t->peer->of[tensor].first_dim + axis];
    return dim > 0 ? (uint64_t)dim : 0;
}

static uint64_t elements_of(const temp_op *t, uint32_t tensor)
{
    uint64_t product = tensor == BERTH_NONE ? 0 : 1;
    for (uint32_t i = 0; i < rank_of(t, tensor); ++i) {
        product = times(product, dim_of(t, tensor, i));
    }
    return product;
}

static bool has_type(const temp_op *t, uint32_t tensor, berth_type type)
{
    return tensor != BERTH_NONE &&
           t->peer->graph->tensors[tensor].type == (uint8_t)type;
}

static uint32_t element_bits(const temp_op *t, uint32_t tensor)
{
    return tensor == BERTH_NONE
               ? 0
               : berth_type_bits(
                     (berth_type)t->peer->graph->tensors[tensor].type);
}

/* Its value does not change: of the file, or computed in Prepare. */
static bool is_fixed(const temp_op *t, uint32_t tensor)
{
    const uint8_t memory =
        tensor == BERTH_NONE ? BERTH_LITERT_ARENA : t->peer->memory[tensor];
    return memory == BERTH_LITERT_CONSTANT || memory == BERTH_LITERT_COMPUTED ||
           memory == BERTH_LITERT_PERSISTENT;
}

static bool is_int_filter(const temp_op *t, uint32_t filter)
{
    return has_type(t, filter, BERTH_INT8) ||
           has_type(t, filter, BERTH_UINT8) || has_type(t, filter, BERTH_INT4);
}

/* Float activations, integer weights as operand 1. */
static bool is_hybrid(const temp_op *t)
{
    return has_type(t, input_of(t, 0), BERTH_FLOAT32) &&
           is_int_filter(t, input_of(t, 1));
}

static uint64_t batch(const temp_op *t)
{
    return dim_of(t, input_of(t, 0), 0);
}

static uint64_t input_elements(const temp_op *t)
{
    return elements_of(t, input_of(t, 0));
}

/* --- convolutions -------------------------------------------------------- */

static bool wants_columns(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    const berth_operator *info = &t->info;
    return berth_option_int(info, BERTH_OPT_Conv2DOptions_stride_w) != 1 ||
           berth_option_int(info, BERTH_OPT_Conv2DOptions_stride_h) != 1 ||
           berth_option_int(info, BERTH_OPT_Conv2DOptions_dilation_w_factor) !=
               1 ||
           berth_option_int(info, BERTH_OPT_Conv2DOptions_dilation_h_factor) !=
               1 ||
           dim_of(t, filter, 1) != 1 || dim_of(t, filter, 2) != 1;
}

/* A row of a filter's size for each output pixel, in the type of the input,
 * or of integer weights. */
static uint64_t columns(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    const uint32_t output = output_of(t);
    const uint64_t pixels =
        times(batch(t), times(dim_of(t, output, 1), dim_of(t, output, 2)));
    const uint64_t depth =
        times(times(dim_of(t, filter, 1), dim_of(t, filter, 2)),
              dim_of(t, filter, 3));
    return times(times(pixels, depth),
                 is_hybrid(t) ? 1u : element_bits(t, input_of(t, 0)) / 8u);
}

/* One for each pixel of the input and each group of channels. */
static uint64_t pixel_groups(const temp_op *t)
{
    const uint32_t input = input_of(t, 0);
    const uint64_t depth = dim_of(t, input_of(t, 1), 3);
    const uint64_t groups = depth == 0 ? 0 : dim_of(t, input, 3) / depth;
    return times(times(batch(t), groups),
                 times(dim_of(t, input, 1), dim_of(t, input, 2)));
}

static uint64_t filters_by_pixels(const temp_op *t)
{
    const uint32_t output = output_of(t);
    return times(
        dim_of(t, input_of(t, 1), 0),
        times(batch(t), times(dim_of(t, output, 1), dim_of(t, output, 2))));
}

/* Several scales that are not all the same. */
static bool is_hybrid_by_channel(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    const berth_graph *graph = t->peer->graph;
    if (!is_hybrid(t) || has_type(t, filter, BERTH_UINT8)) {
        return false;
    }
    const uint32_t subgraph = graph->tensors[filter].subgraph;
    const berth_quantization q = berth_model_quantization(
        graph->model, subgraph, filter - graph->tensor_base[subgraph]);
    for (uint32_t i = 1; i < q.scale_count; ++i) {
        if (memcmp(q.scales, q.scales + (size_t)4 * i, 4) != 0) {
            return true;
        }
    }
    return false;
}

/* --- matrix products ------------------------------------------------------ */

static uint64_t full_batch(const temp_op *t)
{
    const uint64_t depth = dim_of(t, input_of(t, 1), 1);
    return depth == 0 ? 0 : input_elements(t) / depth;
}

static uint64_t full_accumulators(const temp_op *t)
{
    return times(dim_of(t, input_of(t, 1), 0), full_batch(t));
}

/* Constant int4 weights have kernels of their own: filters in fours, depth in
 * blocks of 32, rows of the input in ones, as without AVX-512 and NEON. */
static bool is_hybrid_int4(const temp_op *t)
{
    const uint32_t filter = input_of(t, 1);
    return is_hybrid(t) && has_type(t, filter, BERTH_INT4) &&
           is_fixed(t, filter) && full_batch(t) > 0 &&
           dim_of(t, filter, 0) >= 4 && dim_of(t, filter, 1) >= 32 &&
           dim_of(t, filter, 1) % 2 == 0;
}

static bool is_hybrid_int8(const temp_op *t)
{
    return is_hybrid(t) && !is_hybrid_int4(t);
}

static uint64_t int4_rows(const temp_op *t)
{
    uint64_t rows = full_batch(t);
    const uint64_t width = rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    return (rows + width - 1) & ~(width - 1);
}

static uint64_t int4_input(const temp_op *t)
{
    return times(int4_rows(t),
                 (dim_of(t, input_of(t, 1), 1) + 31) & ~UINT64_C(31));
}

static uint64_t int4_accumulators(const temp_op *t)
{
    return times(int4_rows(t),
                 (dim_of(t, input_of(t, 1), 0) + 3) & ~UINT64_C(3));
}

static uint64_t left_bytes(const temp_op *t)
{
    const uint32_t left = input_of(t, 0);
    return left == BERTH_NONE ? 0 : t->peer->of[left].bytes;
}

static bool right_varies(const temp_op *t)
{
    return !is_fixed(t, input_of(t, 1));
}

static uint64_t right_bytes(const temp_op *t)
{
    const uint32_t right = input_of(t, 1);
    return right == BERTH_NONE ? 0 : t->peer->of[right].bytes;
}

static bool is_hybrid_product(const temp_op *t)
{
    return has_type(t, input_of(t, 0), BERTH_FLOAT32) &&
           has_type(t, input_of(t, 1), BERTH_INT8);
}

/* The rows of one matrix, and of all of them. */
static uint64_t left_rows(const temp_op *t)
{
    const uint32_t left = input_of(t, 0);
    const uint32_t rank = rank_of(t, left);
    const bool adjoint =
        berth_option_int(&t->info, BERTH_OPT_BatchMatMulOptions_adj_x) != 0;
    return rank < 2 ? 1 : dim_of(t, left, rank - (adjoint ? 1u : 2u));
}

static uint64_t all_left_rows(const temp_op *t)
{
    const uint32_t left = input_of(t, 0);
    uint64_t rows = left_rows(t);
    for (uint32_t i = 0; i + 2 < rank_of(t, left); ++i) {
        rows = times(rows, dim_of(t, left, i));
    }
    return rows;
}

static uint64_t product_accumulators(const temp_op *t)
{
    const uint32_t right = input_of(t, 1);
    const uint32_t rank = rank_of(t, right);
    const bool adjoint =
        berth_option_int(&t->info, BERTH_OPT_BatchMatMulOptions_adj_y) != 0;
    return times(left_rows(t),
                 rank < 2 ? 1 : dim_of(t, right, rank - (adjoint ? 2u : 1u)));
}

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

static uint64_t svdf_filters(const temp_op *t)
{
    return times(batch(t), dim_of(t, input_of(t, 1), 0));
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

#define ROW(name, when, unit, amount) {BERTH_OP_##name, unit, when, amount},
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
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 2, lstm_states)                                 \
    ROW(name, is_integer_lstm, 1, lstm_states)                                 \
    ROW(name, is_integer_lstm, 4, lstm_states)

/* clang-format off */
static const temp_row rows[] = {
    ROW(CONV_2D, wants_columns, 1, columns)
    ROW(CONV_2D, is_hybrid, 1, input_elements)
    ROW(CONV_2D, is_hybrid, 4, pixel_groups)
    ROW(CONV_2D, is_hybrid, 4, filters_by_pixels)
    ROW(CONV_2D, is_hybrid_by_channel, 4, pixel_groups)
    ROW(DEPTHWISE_CONV_2D, is_hybrid, 1, input_elements)
    ROW(DEPTHWISE_CONV_2D, is_hybrid, 4, batch)
    ROW(DEPTHWISE_CONV_2D, is_hybrid, 4, batch)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 1, input_elements)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 4, full_batch)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 4, full_accumulators)
    ROW(FULLY_CONNECTED, is_hybrid_int8, 4, full_batch)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 1, int4_input)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 4, int4_rows)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 4, int4_accumulators)
    ROW(FULLY_CONNECTED, is_hybrid_int4, 4, int4_rows)
    ROW(BATCH_MATMUL, NULL, 1, left_bytes)
    ROW(BATCH_MATMUL, right_varies, 1, right_bytes)
    ROW(BATCH_MATMUL, is_hybrid_product, 1, input_elements)
    ROW(BATCH_MATMUL, is_hybrid_product, 4, all_left_rows)
    ROW(BATCH_MATMUL, is_hybrid_product, 4, product_accumulators)
    ROW(BATCH_MATMUL, is_hybrid_product, 4, all_left_rows)
    SUMMING(MEAN) SUMMING(SUM) SUMMING(REDUCE_PROD)
    REDUCTION(REDUCE_MAX) REDUCTION(REDUCE_MIN)
    REDUCTION(REDUCE_ANY) REDUCTION(REDUCE_ALL)
    RECURRENT(LSTM) RECURRENT(UNIDIRECTIONAL_SEQUENCE_LSTM)
    ROW(SVDF, NULL, 4, svdf_filters)
    ROW(SVDF, is_hybrid, 1, input_elements)
    ROW(SVDF, is_hybrid, 4, batch)
    ROW(SVDF, is_hybrid, 4, batch)
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

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

uint32_t peer_temporaries_most(const berth_graph *graph)
{
    uint64_t most = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        for (uint32_t i = 0; i < ROW_COUNT; ++i) {
            most += rows[i].code == graph->ops[op].code ? 1u : 0u;
        }
    }
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* A kernel's list is kept in a hash set which yields the last one first. */
void peer_add_temporaries(peer_state *peer, uint32_t op, uint32_t now)
{
    const temp_op t = {peer, op, berth_graph_op_info(peer->graph, op)};
    const uint32_t code = peer->graph->ops[op].code;
    for (uint32_t i = ROW_COUNT; i-- > 0;) {
        if (rows[i].code != code ||
            (rows[i].when != NULL && !rows[i].when(&t))) {
            continue;
        }
        const uint64_t bytes = times(rows[i].unit, rows[i].amount(&t));
        if (bytes > 0) {
            peer_arena_add_scratch(peer, bytes, (peer_life){now, now + 1});
        }
    }
}

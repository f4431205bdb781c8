/* core/shape/shape_matrix.c: matrix products and the recurrent cells made of
 * them. */
#include "shape_int.h"

void berth_shape_fully_connected(struct infer *in)
{
    struct dims dims = berth_infer_dims(in, 0);
    const struct dims weights = berth_infer_ranked(in, 1, 2);
    const int64_t units = weights.at[0];
    const int64_t depth = weights.at[1];
    uint64_t elements = 0;
    infer_need(in, dims.rank > 0 && depth > 0);
    if (in->verdict != VERDICT_FITS) {
        return;
    }
    if (infer_option(in, BERTH_OPT_FullyConnectedOptions_keep_num_dims) != 0) {
        infer_need(in, dims.at[dims.rank - 1] == depth);
        dims.at[dims.rank - 1] = units;
    } else {
        infer_need(in, berth_dims_elements(&dims, &elements) &&
                           elements % (uint64_t)depth == 0 &&
                           elements / (uint64_t)depth <= INT32_MAX);
        dims.rank = 2;
        dims.at[0] = (int64_t)(elements / (uint64_t)depth);
        dims.at[1] = units;
    }
    berth_infer_out(in, 0, &dims);
    for (uint32_t k = 1; k < in->output_count; ++k) {
        berth_infer_out_kept(in, k); /* room for shuffled input */
    }
}

/* The batch axes alone. */
static struct dims batch_of(const struct dims *dims)
{
    struct dims batch = *dims;
    batch.rank -= batch.rank < 2 ? batch.rank : 2;
    return batch;
}

void berth_shape_batch_matmul(struct infer *in)
{
    const struct dims x = berth_infer_dims(in, 0);
    const struct dims y = berth_infer_dims(in, 1);
    const uint32_t flip_x =
        infer_option(in, BERTH_OPT_BatchMatMulOptions_adj_x) != 0 ? 1 : 0;
    const uint32_t flip_y =
        infer_option(in, BERTH_OPT_BatchMatMulOptions_adj_y) != 0 ? 1 : 0;
    const struct dims x_batch = batch_of(&x);
    const struct dims y_batch = batch_of(&y);
    struct dims out = berth_dims_broadcast(in, &x_batch, &y_batch);
    infer_need(in, x.rank >= 2 && y.rank >= 2);
    if (in->verdict == VERDICT_FITS) {
        const int64_t rows = x.at[x.rank - 2 + flip_x];
        const int64_t x_depth = x.at[x.rank - 1 - flip_x];
        const int64_t y_depth = y.at[y.rank - 2 + flip_y];
        const int64_t columns = y.at[y.rank - 1 - flip_y];
        infer_need(in, x_depth == y_depth);
        berth_dims_insert(in, &out, out.rank, rows);
        berth_dims_insert(in, &out, out.rank, columns);
        berth_infer_out(in, 0, &out);
    }
}

static void out_pair(struct infer *in, uint32_t k, int64_t rows,
                     int64_t columns)
{
    const int64_t at[] = {rows, columns};
    const struct dims dims = berth_dims_of(2, at);
    berth_infer_out(in, k, &dims);
}

/* BASIC cells (kernel_type 1): data, last activation, weights, biases, last
 * state; and outputs for what they need on the way. */
static void basic_lstm(struct infer *in)
{
    const struct dims data = berth_infer_ranked(in, 0, 2);
    const struct dims last = berth_infer_ranked(in, 1, 2);
    const struct dims state = berth_infer_ranked(in, 4, 2);
    infer_need(in, last.at[0] == data.at[0] && state.at[0] == data.at[0]);
    berth_infer_out(in, 0, &last);
    berth_infer_out(in, 1, &state);
    out_pair(in, 2, data.at[0], data.at[1] + last.at[1]);
    out_pair(in, 3, data.at[0], 4 * last.at[1]);
}

/* Operands of the full cells: what tells the width of the output, and what
 * keeps the last output. */
enum {
    RECURRENT_TO_OUTPUT = 8,
    BACKWARD_RECURRENT_TO_OUTPUT = 25,
    LAST_OUTPUT = 18,
    FORWARD_LAST_OUTPUT = 35,
    BACKWARD_LAST_OUTPUT = 37
};

/* State is as large as the file made it, so another batch does not fit. */
static void state_holds(struct infer *in, uint32_t i, int64_t batch,
                        int64_t width)
{
    uint64_t elements = 0;
    if (berth_infer_has(in, i)) {
        const struct dims state = berth_infer_dims(in, i);
        infer_need(in, berth_dims_elements(&state, &elements) &&
                           elements == (uint64_t)(batch * width));
    }
}

/* Sequences are [batch, time, depth], or [time, batch, depth]. */
static int64_t batch_of_sequence(const struct dims *data, bool time_major)
{
    return data->at[time_major && data->rank == 3 ? 1 : 0];
}

void berth_shape_lstm(struct infer *in)
{
    enum { BASIC = 1 };
    if (infer_option(in, BERTH_OPT_LSTMOptions_kernel_type) == BASIC) {
        basic_lstm(in);
    } else {
        const struct dims data = berth_infer_ranked(in, 0, 2);
        const int64_t width = berth_infer_dim(in, RECURRENT_TO_OUTPUT, 1);
        state_holds(in, LAST_OUTPUT, data.at[0], width);
        out_pair(in, 0, data.at[0], width);
    }
}

void berth_shape_sequence_lstm(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const int64_t width = berth_infer_dim(in, RECURRENT_TO_OUTPUT, 1);
    const bool time_major =
        infer_option(
            in, BERTH_OPT_UnidirectionalSequenceLSTMOptions_time_major) != 0;
    infer_need(in, out.rank >= 2);
    if (out.rank >= 2) {
        state_holds(in, LAST_OUTPUT, batch_of_sequence(&out, time_major),
                    width);
        out.at[out.rank - 1] = width;
    }
    berth_infer_out(in, 0, &out);
}

/* One direction of two: its width, and the operand that keeps its state. */
struct direction {
    int64_t width;
    uint32_t state;
};

/* Both directions: side by side in one output, or in two. */
static void two_ways(struct infer *in, bool merge, bool time_major,
                     struct direction forward, struct direction backward)
{
    struct dims out = berth_infer_ranked(in, 0, 3);
    const int64_t batch = batch_of_sequence(&out, time_major);
    state_holds(in, forward.state, batch, forward.width);
    state_holds(in, backward.state, batch, backward.width);
    out.at[2] = merge ? forward.width + backward.width : forward.width;
    berth_infer_out(in, 0, &out);
    out.at[2] = backward.width;
    if (!merge) {
        berth_infer_out(in, 1, &out);
    }
}

void berth_shape_bidirectional_lstm(struct infer *in)
{
    const bool merge =
        infer_option(
            in, BERTH_OPT_BidirectionalSequenceLSTMOptions_merge_outputs) != 0;
    const bool time_major =
        infer_option(
            in, BERTH_OPT_BidirectionalSequenceLSTMOptions_time_major) != 0;
    const struct direction forward = {
        berth_infer_dim(in, RECURRENT_TO_OUTPUT, 1), FORWARD_LAST_OUTPUT};
    const struct direction backward = {
        berth_infer_dim(in, BACKWARD_RECURRENT_TO_OUTPUT, 1),
        BACKWARD_LAST_OUTPUT};
    two_ways(in, merge, time_major, forward, backward);
}

/* Operands: input; weights, recurrent weights, bias, state of each way. */
void berth_shape_bidirectional_rnn(struct infer *in)
{
    const bool merge =
        infer_option(
            in, BERTH_OPT_BidirectionalSequenceRNNOptions_merge_outputs) != 0;
    const bool time_major =
        infer_option(in,
                     BERTH_OPT_BidirectionalSequenceRNNOptions_time_major) != 0;
    const struct direction forward = {berth_infer_dim(in, 1, 0), 4};
    const struct direction backward = {berth_infer_dim(in, 5, 0), 8};
    two_ways(in, merge, time_major, forward, backward);
}

/* One step, or a sequence of them: the last axis becomes the units. */
void berth_shape_rnn(struct infer *in)
{
    const bool sequence = in->code == BERTH_OP_UNIDIRECTIONAL_SEQUENCE_RNN;
    const bool time_major =
        infer_option(in, BERTH_OPT_SequenceRNNOptions_time_major) != 0;
    struct dims out = berth_infer_ranked(in, 0, sequence ? 3 : 2);
    const int64_t units = berth_infer_dim(in, 1, 0);
    state_holds(in, 4, batch_of_sequence(&out, time_major), units);
    out.at[out.rank - 1] = units;
    berth_infer_out(in, 0, &out);
}

void berth_shape_svdf(struct infer *in)
{
    const struct dims data = berth_infer_ranked(in, 0, 2);
    const struct dims weights = berth_infer_ranked(in, 2, 2);
    const int64_t filters = berth_infer_dim(in, 1, 0);
    const int64_t rank = infer_option(in, BERTH_OPT_SVDFOptions_rank);
    infer_need(in, rank > 0 && filters % (rank > 0 ? rank : 1) == 0);
    /* The state is a memory, weights.at[1] long, of each filter. */
    infer_need(in, filters * weights.at[1] <= INT32_MAX);
    if (in->verdict == VERDICT_FITS) {
        state_holds(in, 4, data.at[0], filters * weights.at[1]);
        out_pair(in, 0, data.at[0], filters / rank);
    }
}

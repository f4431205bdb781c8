/* GATHER, GATHER_ND and EMBEDDING_LOOKUP: the output is made of pieces of the
 * input that indexes name. A piece may be longer than a row of the output, or a
 * row hold several: what is copied at a time is the shorter of the two. */
#include "kernels/dot.h"
#include "kernels/move.h"
#include "kernels/requant.h"

/* The pieces of a node. */
struct pieces {
    const berth_operand *from;
    const berth_operand *indexes;
    uint64_t piece; /* elements of one */
    uint64_t dim;   /* GATHER: of the axis */
    uint64_t
        outer; /* GATHER: pieces of the same index, between batch and axis */
    uint64_t names; /* GATHER: indexes of a batch */
    uint32_t depth; /* GATHER_ND: indexes that name a piece */
};

/* Where piece i begins in the input; false: an index is outside. */
typedef bool find_piece(const struct pieces *p, uint64_t i, uint64_t *element);

/* Element i of the input as a float, if that is how the file encodes it. */
static float decoded(const berth_operand *from, uint64_t i)
{
    const berth_quantization *q = &from->quantization;
    uint32_t channel = 0;
    if (q->scale_count > 1) {
        const uint32_t axis = (uint32_t)q->axis;
        channel = (uint32_t)(i / (uint64_t)kernel_step(from, axis) %
                             (uint64_t)from->dims[axis]);
    }
    const float scale =
        q->scale_count == 0 ? 1.0f : kernel_scale(from, channel);
    const int32_t zero = q->zero_point_count == 0
                             ? 0
                             : (int32_t)berth_quantization_zero_point(
                                   q, q->zero_point_count > 1 ? channel : 0);
    return kernel_float_at(from, (size_t)i, scale, zero);
}

static void copy_piece(const struct pieces *p, const berth_operand *to,
                       uint64_t at, uint64_t element, uint64_t count)
{
    const uint32_t size = kernel_element_bytes(to);
    uint8_t *target = kernel_byte(to, at * size);
    if (p->from->type == to->type) {
        kernel_copy(target, p->from->data + (size_t)(element * size),
                    (size_t)(count * size));
        return;
    }
    for (uint64_t i = 0; i < count; ++i) {
        element_put_f32(target, (size_t)i, decoded(p->from, element + i));
    }
}

static berth_status copy_pieces(const struct pieces *p, find_piece *find,
                                const berth_operand *to, uint32_t begin,
                                uint32_t end)
{
    const uint64_t row = to->elements / to->rows;
    const uint64_t chunk = p->piece < row ? p->piece : row;
    uint64_t element = 0;
    for (uint64_t at = begin * row; at < end * row; at += chunk) {
        if (!find(p, at / p->piece, &element)) {
            return BERTH_BAD_DATA;
        }
        copy_piece(p, to, at, element + at % p->piece, chunk);
    }
    return BERTH_OK;
}

/* The input is of the output's type, or floats as the file encodes them. */
static berth_status check_source(const berth_operand *from,
                                 const berth_operand *to, bool encoded,
                                 berth_diag *diag)
{
    if (!encoded) {
        return kernel_check_moved(from, to, diag);
    }
    if (to->type != BERTH_FLOAT32 || from->rank > MOVE_RANK_MAX) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an encoded table of something else than floats");
    }
    if (from->type == BERTH_FLOAT16) {
        return BERTH_OK;
    }
    if (from->type != BERTH_INT8 && from->type != BERTH_UINT8 &&
        from->type != BERTH_INT4) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a table of this type encodes no floats");
    }
    BERTH_TRY(kernel_check_quantized(from, diag));
    const berth_quantization *q = &from->quantization;
    const bool fits = q->scale_count == 1 ||
                      (q->axis >= 0 && (uint32_t)q->axis < from->rank &&
                       q->scale_count == (uint32_t)from->dims[q->axis]);
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_BAD_MODEL,
                               "a scale is missing for some channel");
}

/* --- GATHER -----------------------------------------------------------------
 */

/* [batch, outer, axis, piece] by [batch, names]: [batch, outer, names, piece]
 */
static bool read_gather(const berth_node *node, struct pieces *p)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *indexes = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    const int64_t axis = kernel_axis(
        berth_option_int(node->op, BERTH_OPT_GatherOptions_axis), from->rank);
    int64_t batch =
        berth_option_int(node->op, BERTH_OPT_GatherOptions_batch_dims);
    uint32_t out = 0;
    batch += batch < 0 ? indexes->rank : 0;
    if (axis < 0 || batch < 0 || batch > axis || batch > indexes->rank ||
        to->rank + batch + 1 != from->rank + indexes->rank) {
        return false;
    }
    bool fits = true;
    for (uint32_t i = 0; i < (uint32_t)axis; ++i) {
        fits = fits && (i >= batch || from->dims[i] == indexes->dims[i]) &&
               to->dims[out] == from->dims[i];
        out += 1;
    }
    for (uint32_t i = (uint32_t)batch; i < indexes->rank; ++i) {
        fits = fits && to->dims[out] == indexes->dims[i];
        out += 1;
    }
    for (uint32_t i = (uint32_t)axis + 1; i < from->rank; ++i) {
        fits = fits && to->dims[out] == from->dims[i];
        out += 1;
    }
    *p = (struct pieces){
        .from = from,
        .indexes = indexes,
        .piece = (uint64_t)kernel_step(from, (uint32_t)axis),
        .dim = (uint64_t)from->dims[axis],
        .outer = (uint64_t)kernel_span(from, (uint32_t)batch, (uint32_t)axis),
        .names = (uint64_t)kernel_span(indexes, (uint32_t)batch, indexes->rank),
    };
    return fits;
}

static bool find_gathered(const struct pieces *p, uint64_t i, uint64_t *element)
{
    const uint64_t name = i % p->names;
    const uint64_t block = i / p->names; /* of batch and outer */
    const int64_t index =
        kernel_index(p->indexes, block / p->outer * p->names + name);
    *element = (block * p->dim + (uint64_t)index) * p->piece;
    return index >= 0 && (uint64_t)index < p->dim;
}

static berth_status check_gather(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    const berth_operand *from = &node->inputs[0];
    struct pieces p;
    BERTH_TRY(check_source(from, &node->outputs[0],
                           berth_operand_is(from, BERTH_OPERAND_ENCODED),
                           diag));
    if (!kernel_is_position(&node->inputs[1])) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "indexes that are not int16, int32 or int64");
    }
    return node->inputs[1].rank <= MOVE_RANK_MAX && read_gather(node, &p)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "the axis is outside, or shapes do not fit");
}

static berth_status run_gather(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    struct pieces p;
    return !read_gather(node, &p) || node->outputs[0].elements == 0
               ? BERTH_OK
               : copy_pieces(&p, find_gathered, &node->outputs[0], begin, end);
}

const berth_kernel kernel_ref_gather = {
    .check = check_gather,
    .rows = run_gather,
    .data_error = "an index is outside of the axis",
};

/* --- GATHER_ND --------------------------------------------------------------
 */

/* The indexes' last axis names a place on each of the first axes. */
static bool read_gather_nd(const berth_node *node, struct pieces *p)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *indexes = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    if (from->rank == 0 || indexes->rank == 0) {
        return false;
    }
    const uint32_t last = indexes->rank - 1;
    const uint32_t depth = (uint32_t)indexes->dims[last];
    bool fits = depth <= from->rank && to->rank == last + from->rank - depth;
    for (uint32_t i = 0; fits && i < to->rank; ++i) {
        fits = to->dims[i] ==
               (i < last ? indexes->dims[i] : from->dims[depth + i - last]);
    }
    *p = (struct pieces){
        .from = from,
        .indexes = indexes,
        .piece = fits ? (uint64_t)kernel_span(from, depth, from->rank) : 1,
        .depth = depth,
    };
    return fits;
}

static bool find_named(const struct pieces *p, uint64_t i, uint64_t *element)
{
    bool inside = true;
    *element = 0;
    for (uint32_t k = 0; k < p->depth; ++k) {
        const int64_t index = kernel_index(p->indexes, i * p->depth + k);
        inside = inside && index >= 0 && index < p->from->dims[k];
        *element += inside ? (uint64_t)(index * kernel_step(p->from, k)) : 0;
    }
    return inside;
}

static berth_status check_gather_nd(const berth_node *node, berth_diag *diag)
{
    struct pieces p;
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    BERTH_TRY(check_source(&node->inputs[0], &node->outputs[0], false, diag));
    if (!kernel_is_position(&node->inputs[1])) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "indexes that are not int16, int32 or int64");
    }
    return read_gather_nd(node, &p)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "indexes do not fit the input and the output");
}

static berth_status run_gather_nd(const berth_node *node, uint32_t begin,
                                  uint32_t end)
{
    struct pieces p;
    return !read_gather_nd(node, &p) || node->outputs[0].elements == 0
               ? BERTH_OK
               : copy_pieces(&p, find_named, &node->outputs[0], begin, end);
}

const berth_kernel kernel_ref_gather_nd = {
    .check = check_gather_nd,
    .rows = run_gather_nd,
    .data_error = "an index is outside of its axis",
};

/* --- EMBEDDING_LOOKUP -------------------------------------------------------
 */

/* Operands: row numbers, table. The output may be float32 where the table is of
 * integers: then they are worth their scale, which a row may have of its own.
 */
static bool read_embedding(const berth_node *node, struct pieces *p)
{
    const berth_operand *names = &node->inputs[0];
    const berth_operand *table = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    bool fits = names->rank == 1 && table->rank >= 2 &&
                to->rank == table->rank && to->dims[0] == names->dims[0];
    for (uint32_t i = 1; fits && i < to->rank; ++i) {
        fits = to->dims[i] == table->dims[i];
    }
    *p = (struct pieces){
        .from = table,
        .indexes = names,
        .piece = fits ? (uint64_t)kernel_step(table, 0) : 1,
        .depth = 1,
    };
    return fits;
}

static berth_status check_embedding(const berth_node *node, berth_diag *diag)
{
    struct pieces p;
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    const berth_operand *table = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(check_source(table, to, table->type != to->type, diag));
    if (node->inputs[0].type != BERTH_INT32) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "row numbers that are not int32");
    }
    return read_embedding(node, &p)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "row numbers, table and output do not fit");
}

static berth_status run_embedding(const berth_node *node, uint32_t begin,
                                  uint32_t end)
{
    struct pieces p;
    return !read_embedding(node, &p) || node->outputs[0].elements == 0
               ? BERTH_OK
               : copy_pieces(&p, find_named, &node->outputs[0], begin, end);
}

const berth_kernel kernel_ref_embedding_lookup = {
    .check = check_embedding,
    .rows = run_embedding,
    .data_error = "a row number is outside of the table",
};

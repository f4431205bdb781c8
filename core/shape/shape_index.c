/* core/shape/shape_index.c: elements picked or placed by index, and outputs as
 * long as what is found. */
#include "shape_int.h"

void berth_shape_gather(struct infer *in)
{
    const struct dims from = berth_infer_dims(in, 0);
    const struct dims index = berth_infer_dims(in, 1);
    const uint32_t axis = berth_infer_axis(
        in, infer_option(in, BERTH_OPT_GatherOptions_axis), from.rank);
    int64_t batch = infer_option(in, BERTH_OPT_GatherOptions_batch_dims);
    struct dims out = {0};
    batch += batch < 0 ? index.rank : 0;
    infer_need(in, batch >= 0 && batch <= axis && batch <= index.rank);
    if (in->verdict != VERDICT_FITS) {
        return;
    }
    for (uint32_t i = 0; i < axis; ++i) {
        infer_need(in, i >= batch || from.at[i] == index.at[i]);
        berth_dims_insert(in, &out, out.rank, from.at[i]);
    }
    for (uint32_t i = (uint32_t)batch; i < index.rank; ++i) {
        berth_dims_insert(in, &out, out.rank, index.at[i]);
    }
    for (uint32_t i = axis + 1; i < from.rank; ++i) {
        berth_dims_insert(in, &out, out.rank, from.at[i]);
    }
    berth_infer_out(in, 0, &out);
}

void berth_shape_gather_nd(struct infer *in)
{
    const struct dims from = berth_infer_dims(in, 0);
    const struct dims index = berth_infer_dims(in, 1);
    struct dims out = index;
    infer_need(in, from.rank > 0 && index.rank > 0);
    if (in->verdict != VERDICT_FITS) {
        return;
    }
    const int64_t depth = index.at[index.rank - 1];
    infer_need(in, depth <= from.rank);
    out.rank -= 1;
    for (int64_t i = depth; i < from.rank; ++i) {
        berth_dims_insert(in, &out, out.rank, from.at[i]);
    }
    berth_infer_out(in, 0, &out);
}

/* The value of operand `of` is the shape. */
static void shaped_by(struct infer *in, uint32_t of)
{
    const struct values shape = berth_infer_values(in, of);
    struct dims out = {0};
    infer_need(in, shape.count <= BERTH_RANK_MAX);
    for (; out.rank < shape.count && out.rank < BERTH_RANK_MAX;) {
        out.at[out.rank] = berth_infer_int(in, &shape, out.rank);
        out.rank += 1;
    }
    berth_infer_out(in, 0, &out);
}

/* Operands: indexes, updates, shape. Updates are [indexes but the last axis],
 * then what an index leaves of the shape. */
void berth_shape_scatter_nd(struct infer *in)
{
    const struct dims index = berth_infer_dims(in, 0);
    const struct dims updates = berth_infer_dims(in, 1);
    const struct values shape = berth_infer_values(in, 2);
    const uint32_t outer = index.rank > 0 ? index.rank - 1 : 0;
    const int64_t depth = index.at[outer];
    infer_need(in, index.rank > 0 && updates.rank >= outer);
    infer_need(in, depth <= (int64_t)shape.count &&
                       updates.rank - outer == shape.count - (uint64_t)depth);
    for (uint32_t i = 0; i < outer; ++i) {
        infer_need(in, updates.at[i] == index.at[i]);
    }
    for (uint32_t i = outer; i < updates.rank && in->verdict == VERDICT_FITS;
         ++i) {
        const uint64_t at = (uint64_t)depth + i - outer;
        infer_need(in, updates.at[i] == berth_infer_int(in, &shape, at));
    }
    shaped_by(in, 2);
}

void berth_shape_sparse_to_dense(struct infer *in)
{
    shaped_by(in, 1);
}

/* FILL, and random numbers: operand 0 is the shape. */
void berth_shape_fill(struct infer *in)
{
    shaped_by(in, 0);
}

void berth_shape_one_hot(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const int64_t depth = berth_infer_scalar(in, 1);
    const int64_t axis = infer_option(in, BERTH_OPT_OneHotOptions_axis);
    /* -1, and only that, counts from the back. */
    infer_need(in, axis >= -1 && axis <= out.rank);
    berth_dims_insert(in, &out, axis < 0 ? out.rank : (uint32_t)axis, depth);
    berth_infer_out(in, 0, &out);
}

void berth_shape_topk(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const int64_t k = berth_infer_scalar(in, 1);
    infer_need(in, out.rank > 0);
    if (out.rank > 0) {
        infer_need(in, k >= 0 && k <= out.at[out.rank - 1]);
        out.at[out.rank - 1] = k;
    }
    berth_infer_out(in, 0, &out);
    berth_infer_out(in, 1, &out);
}

/* One row of indexes for each element that is not zero. */
void berth_shape_where(struct infer *in)
{
    const struct dims dims = berth_infer_dims(in, 0);
    const struct values values = berth_infer_values(in, 0);
    int64_t found[] = {0, dims.rank};
    for (uint64_t i = 0; i < values.count; ++i) {
        found[0] += berth_values_at(&values, i) != 0 ? 1 : 0;
    }
    const struct dims out = berth_dims_of(2, found);
    berth_infer_out(in, 0, &out);
}

void berth_shape_unique(struct infer *in)
{
    const struct dims dims = berth_infer_dims(in, 0);
    berth_infer_out_dynamic(in, 0, 0);
    berth_infer_out(in, 1, &dims);
}

/* As many as asked for at most, and LiteRT makes room for all of them; the last
 * output tells how many there are. */
void berth_shape_non_max_suppression(struct infer *in)
{
    const struct dims scalar = {0};
    struct values most = {0};
    if (in->output_count == 0) {
        return;
    }
    if (!berth_infer_has(in, 2)) {
        berth_infer_refuse(in);
        return;
    }
    const bool known = berth_tensor_values(in->all, in->inputs[2], &most);
    const int64_t count = known ? berth_infer_int(in, &most, 0) : 0;
    const struct dims found = berth_dims_of(1, &count);
    for (uint32_t k = 0; k + 1 < in->output_count; ++k) {
        if (known) {
            berth_infer_out(in, k, &found);
        } else {
            berth_infer_out_dynamic(in, k, 2);
        }
    }
    berth_infer_out(in, in->output_count - 1, &scalar);
}

/* Ids ascend, so the last one tells how many segments there are. */
void berth_shape_segment_sum(struct infer *in)
{
    struct dims out = berth_infer_dims(in, 0);
    const struct values ids = berth_infer_values(in, 1);
    infer_need(in, out.rank > 0 && ids.count == (uint64_t)out.at[0]);
    out.at[0] =
        ids.count > 0 ? berth_infer_int(in, &ids, ids.count - 1) + 1 : 0;
    berth_infer_out(in, 0, &out);
}

void berth_shape_unsorted_segment(struct infer *in)
{
    const struct dims data = berth_infer_dims(in, 0);
    const struct dims ids = berth_infer_dims(in, 1);
    const int64_t segments = berth_infer_scalar(in, 2);
    struct dims out = {0};
    infer_need(in, ids.rank > 0 && ids.rank <= data.rank && segments >= 0);
    for (uint32_t i = 0; i < ids.rank; ++i) {
        infer_need(in, ids.at[i] == data.at[i]);
    }
    berth_dims_insert(in, &out, 0, segments);
    for (uint32_t i = ids.rank; i < data.rank; ++i) {
        berth_dims_insert(in, &out, out.rank, data.at[i]);
    }
    berth_infer_out(in, 0, &out);
}

/* Rows of a table, operand `table`, for each key of operand 0. */
static void rows_of(struct infer *in, uint32_t table)
{
    const struct dims keys = berth_infer_ranked(in, 0, 1);
    struct dims out = berth_infer_dims(in, table);
    infer_need(in, out.rank > 0);
    out.at[0] = keys.at[0];
    berth_infer_out(in, 0, &out);
}

void berth_shape_embedding_lookup(struct infer *in)
{
    rows_of(in, 1);
}

/* The shape is in the values of operands that are data. */
void berth_shape_embedding_lookup_sparse(struct infer *in)
{
    infer_need(in, berth_infer_has(in, 0));
    berth_infer_out_dynamic(in, 0, 0);
}

void berth_shape_hashtable_lookup(struct infer *in)
{
    const struct dims keys = berth_infer_ranked(in, 0, 1);
    rows_of(in, 2);
    berth_infer_out(in, 1, &keys);
}

/* Operands: table, keys, default. */
void berth_shape_hashtable_find(struct infer *in)
{
    const struct dims keys = berth_infer_dims(in, 1);
    berth_infer_out(in, 0, &keys);
}

/* SPARSE (1) gives a number for each hash, DENSE (2) a bit for each seed. */
void berth_shape_lsh_projection(struct infer *in)
{
    enum { SPARSE = 1, DENSE = 2 };
    const struct dims hash = berth_infer_ranked(in, 0, 2);
    const int64_t kind = infer_option(in, BERTH_OPT_LSHProjectionOptions_type);
    const int64_t count = hash.at[0] * (kind == DENSE ? hash.at[1] : 1);
    const struct dims out = berth_dims_of(1, &count);
    infer_need(in, kind == SPARSE || kind == DENSE);
    berth_infer_out(in, 0, &out);
}

/* As many strings as there are. */
void berth_shape_skip_gram(struct infer *in)
{
    infer_need(in, berth_infer_has(in, 0));
    berth_infer_out_dynamic(in, 0, 0);
}

void berth_shape_multinomial(struct infer *in)
{
    const struct dims logits = berth_infer_ranked(in, 0, 2);
    const int64_t out[] = {logits.at[0], berth_infer_scalar(in, 1)};
    const struct dims dims = berth_dims_of(2, out);
    berth_infer_out(in, 0, &dims);
}

/* The variable has the shape of what was last assigned; the file's shape is
 * what its maker knew. Without one, it takes a run to know. */
void berth_shape_read_variable(struct infer *in)
{
    if (in->output_count > 0 && in->outputs[0] != BERTH_NONE) {
        const berth_tensor file =
            berth_graph_tensor_info(in->all->graph, in->outputs[0]);
        if (file.shape.count == 0 && !file.has_rank) {
            berth_infer_out_dynamic(in, 0, 0);
        } else {
            berth_infer_out_kept(in, 0);
        }
    }
}

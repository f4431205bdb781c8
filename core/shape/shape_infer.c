/* core/shape/shape_infer.c: what a shape function asks, and what becomes of
 * its answer. */
#include "shape_int.h"

void berth_infer_start(struct shaping *all, uint32_t op)
{
    struct infer *in = all->current;
    const berth_graph_op *node = &all->graph->ops[op];
    *in = (struct infer){
        .all = all,
        .info = berth_graph_op_info(all->graph, op),
        .inputs = berth_graph_inputs(all->graph, op),
        .outputs = berth_graph_outputs(all->graph, op),
        .op = op,
        .code = node->code,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .culprit = BERTH_NONE,
        .verdict = VERDICT_FITS,
    };
    for (uint32_t i = 0; i < in->output_count; ++i) {
        if (in->outputs[i] != BERTH_NONE) {
            berth_tensor_reset(all, in->outputs[i]);
        }
    }
}

static bool is_tainted(const struct infer *in)
{
    for (uint32_t i = 0; i < in->input_count; ++i) {
        if (in->inputs[i] != BERTH_NONE &&
            (in->all->marks[in->inputs[i]] & MARK_TAINTED) != 0) {
            return true;
        }
    }
    return false;
}

/* The file's word stands. Where it has none, the size is anybody's guess. */
static void keep_file_word(struct infer *in, uint32_t tensor)
{
    const berth_tensor file = berth_graph_tensor_info(in->all->graph, tensor);
    in->all->marks[tensor] |= MARK_UNCHECKED;
    if (!file.has_rank && file.shape.count == 0 &&
        berth_type_bits(file.type) != 0) {
        berth_tensor_set_dynamic(in->all, tensor, in->op);
    } else {
        berth_tensor_reset(in->all, tensor);
    }
}

static void note_refusal(struct infer *in)
{
    struct shaping *all = in->all;
    const uint32_t subgraph = all->graph->ops[in->op].subgraph;
    if (all->refused.what[0] != '\0') {
        return;
    }
    all->refused = berth_diag_none();
    all->refused.what = "an operator cannot take these input shapes";
    all->refused.subgraph = subgraph;
    all->refused.op = in->op - all->graph->op_base[subgraph];
    if (in->output_count > 0 && in->outputs[0] != BERTH_NONE) {
        all->refused.tensor =
            in->outputs[0] - all->graph->tensor_base[subgraph];
    }
}

void berth_infer_finish(struct infer *in)
{
    const bool tainted = is_tainted(in);
    if (in->verdict == VERDICT_REFUSED && tainted) {
        note_refusal(in);
    }
    for (uint32_t i = 0; i < in->output_count; ++i) {
        const uint32_t tensor = in->outputs[i];
        if (tensor == BERTH_NONE) {
            continue;
        }
        in->all->marks[tensor] |= tainted ? MARK_TAINTED : 0u;
        if (in->verdict == VERDICT_REFUSED ||
            (in->verdict == VERDICT_FITS && i >= in->answered)) {
            keep_file_word(in, tensor);
        } else if (in->verdict == VERDICT_DEPENDS) {
            berth_tensor_set_dynamic(in->all, tensor, in->culprit);
        }
    }
}

void berth_infer_refuse(struct infer *in)
{
    if (in->verdict == VERDICT_FITS) {
        in->verdict = VERDICT_REFUSED;
    }
}

/* Dynamic operands pass their own culprit on. */
static uint32_t culprit_behind(const struct infer *in, uint32_t i)
{
    const berth_shape *shape = &in->all->shapes[in->inputs[i]];
    return shape->state == BERTH_SHAPE_DYNAMIC && shape->culprit != BERTH_NONE
               ? shape->culprit
               : in->op;
}

static void depend(struct infer *in, uint32_t i)
{
    if (in->verdict == VERDICT_FITS) {
        in->verdict = VERDICT_DEPENDS;
        in->culprit = culprit_behind(in, i);
    }
}

bool berth_infer_has(const struct infer *in, uint32_t i)
{
    return i < in->input_count && in->inputs[i] != BERTH_NONE;
}

struct dims berth_infer_dims(struct infer *in, uint32_t i)
{
    struct dims dims = {0};
    if (!berth_infer_has(in, i)) {
        berth_infer_refuse(in);
    } else if (in->all->shapes[in->inputs[i]].state == BERTH_SHAPE_DYNAMIC) {
        depend(in, i);
    } else if (!berth_tensor_dims(in->all, in->inputs[i], &dims)) {
        berth_infer_refuse(in);
    }
    return dims;
}

struct dims berth_infer_ranked(struct infer *in, uint32_t i, uint32_t rank)
{
    struct dims dims = berth_infer_dims(in, i);
    infer_need(in, dims.rank == rank);
    dims.rank = rank; /* the dims beyond a refused rank are zero */
    return dims;
}

int64_t berth_infer_dim(struct infer *in, uint32_t i, uint32_t axis)
{
    const struct dims dims = berth_infer_dims(in, i);
    infer_need(in, axis < dims.rank);
    return axis < dims.rank ? dims.at[axis] : 1;
}

berth_type berth_infer_type(const struct infer *in, uint32_t i)
{
    return berth_infer_has(in, i)
               ? (berth_type)in->all->graph->tensors[in->inputs[i]].type
               : BERTH_FLOAT32;
}

struct values berth_infer_values(struct infer *in, uint32_t i)
{
    struct values values = {0};
    if (!berth_infer_has(in, i)) {
        berth_infer_refuse(in);
    } else if (!berth_tensor_values(in->all, in->inputs[i], &values)) {
        depend(in, i);
    }
    return values;
}

int64_t berth_infer_int(struct infer *in, const struct values *values,
                        uint64_t k)
{
    const int64_t value = berth_values_at(values, k);
    const bool fits =
        k < values->count && value >= INT32_MIN && value <= INT32_MAX;
    infer_need(in, fits);
    return fits ? value : 0;
}

int64_t berth_infer_scalar(struct infer *in, uint32_t i)
{
    const struct values values = berth_infer_values(in, i);
    infer_need(in, values.count == 1);
    return berth_infer_int(in, &values, 0);
}

uint32_t berth_infer_axis(struct infer *in, int64_t axis, uint32_t rank)
{
    const int64_t from_front = axis < 0 ? axis + rank : axis;
    const bool fits = from_front >= 0 && from_front < rank;
    infer_need(in, fits);
    return fits ? (uint32_t)from_front : 0;
}

static void answer(struct infer *in, uint32_t k)
{
    in->answered = in->answered > k ? in->answered : k + 1;
}

void berth_infer_out(struct infer *in, uint32_t k, const struct dims *dims)
{
    answer(in, k);
    if (in->verdict == VERDICT_FITS && k < in->output_count &&
        in->outputs[k] != BERTH_NONE) {
        infer_need(in, berth_tensor_set_dims(in->all, in->outputs[k], dims));
    }
}

void berth_infer_out_dynamic(struct infer *in, uint32_t k, uint32_t of)
{
    answer(in, k);
    if (in->verdict == VERDICT_FITS && k < in->output_count &&
        in->outputs[k] != BERTH_NONE && berth_infer_has(in, of)) {
        berth_tensor_set_dynamic(in->all, in->outputs[k],
                                 culprit_behind(in, of));
    }
}

void berth_infer_out_kept(struct infer *in, uint32_t k)
{
    answer(in, k);
    if (k < in->output_count && in->outputs[k] != BERTH_NONE) {
        berth_tensor_reset(in->all, in->outputs[k]);
    }
}

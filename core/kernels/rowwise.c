/* Elementwise operators walk rows of the output, with an odometer that says
 * where repeated inputs stand. */
#include "kernels/rowwise.h"

/* --- checks -----------------------------------------------------------------
 */

static uint64_t last_dim(const berth_operand *operand)
{
    return operand->rank == 0 ? 1 : (uint64_t)operand->dims[operand->rank - 1];
}

/* Dimension i, counted from the last; 1 where there is none. */
static uint64_t dim_from_back(const berth_operand *operand, uint32_t i)
{
    return i < operand->rank ? (uint64_t)operand->dims[operand->rank - 1 - i]
                             : 1;
}

static bool has_dims_of(const berth_operand *in, const berth_operand *out)
{
    bool same = in->rank == out->rank;
    for (uint32_t i = 0; same && i < out->rank; ++i) {
        same = in->dims[i] == out->dims[i];
    }
    return same;
}

static bool repeats_over(const berth_operand *in, const berth_operand *out)
{
    bool fits = in->rank <= out->rank;
    for (uint32_t i = 0; fits && i < in->rank; ++i) {
        const uint64_t dim = dim_from_back(in, i);
        fits = dim == 1 || dim == dim_from_back(out, i);
    }
    return fits;
}

static berth_status check_laid_out(const berth_operand *operand,
                                   berth_diag *diag)
{
    const uint64_t bits = berth_type_bits((berth_type)operand->type);
    uint64_t elements = 1;
    bool fits = operand->rank <= ROWWISE_RANK_MAX && bits % 8u == 0;
    for (uint32_t i = 0; fits && i < operand->rank; ++i) {
        fits = operand->dims[i] >= 0 &&
               berth_mul_u64(elements, (uint64_t)operand->dims[i], &elements);
    }
    if (!fits) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a rank or element type that is not walked");
    }
    return operand->elements == elements &&
                   operand->bytes == elements * (bits / 8u)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "an operand's bytes are not those of its shape");
}

berth_status kernel_check_rowwise(const berth_node *node, uint32_t inputs,
                                  berth_diag *diag)
{
    if (node->input_count != inputs || node->output_count != 1) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "not as many operands as the operator takes");
    }
    const berth_operand *out = &node->outputs[0];
    BERTH_TRY(check_laid_out(out, diag));
    if (out->elements != 0 &&
        (uint64_t)node->row_count * last_dim(out) != out->elements) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "more rows than 32 bits");
    }
    BERTH_TRY(kernel_check_walk(out, node->row_count, diag));
    for (uint32_t k = 0; k < inputs; ++k) {
        const berth_operand *in = kernel_input(node, k);
        if (in == NULL) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "an operand that is needed is absent");
        }
        BERTH_TRY(check_laid_out(in, diag));
        if (!repeats_over(in, out)) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "an input does not repeat over the output");
        }
        if (has_dims_of(in, out)) {
            BERTH_TRY(kernel_check_walk(in, node->row_count, diag));
        }
    }
    return BERTH_OK;
}

/* --- walking ----------------------------------------------------------------
 */

/* An input that is repeated: elements to the next along each outer axis of the
 * output, and how far it stands now. */
struct repeat {
    size_t stride[ROWWISE_RANK_MAX];
    size_t at;
};

struct walk {
    const berth_node *node;
    uint32_t inputs;
    uint32_t outer; /* axes before the last */
    bool turning;   /* some input needs the odometer */
    uint32_t index[ROWWISE_RANK_MAX];
    struct repeat repeats[ROWWISE_INPUTS_MAX];
    struct rowwise row;
};

static bool goes_along(const struct walk *w, uint32_t k)
{
    return has_dims_of(&w->node->inputs[k], &w->node->outputs[0]);
}

static size_t element_bytes(const berth_operand *operand)
{
    return berth_type_bits((berth_type)operand->type) / 8u;
}

static void place_repeat(struct walk *w, uint32_t k)
{
    const berth_operand *in = &w->node->inputs[k];
    struct repeat *repeat = &w->repeats[k];
    size_t stride = (size_t)last_dim(in);
    *repeat = (struct repeat){0};
    for (uint32_t i = w->outer; i-- > 0;) {
        const size_t dim = (size_t)dim_from_back(in, w->outer - i);
        repeat->stride[i] = dim == 1 ? 0 : stride;
        repeat->at += repeat->stride[i] * w->index[i];
        stride *= dim;
    }
}

static struct walk rowwise_from(const berth_node *node, uint32_t inputs,
                                uint32_t row)
{
    const berth_operand *out = &node->outputs[0];
    struct walk w = {.node = node, .inputs = inputs};
    w.outer = out->rank == 0 ? 0 : out->rank - 1;
    for (uint32_t i = w.outer; i-- > 0;) {
        w.index[i] = row % (uint32_t)out->dims[i];
        row /= (uint32_t)out->dims[i];
    }
    for (uint32_t k = 0; k < inputs; ++k) {
        w.row.in[k].step = last_dim(&node->inputs[k]) == 1 ? 0 : 1;
        if (!goes_along(&w, k)) {
            place_repeat(&w, k);
            w.turning = w.turning || node->inputs[k].elements != 1;
        }
    }
    return w;
}

/* One row on. */
static void rowwise_turn(struct walk *w)
{
    for (uint32_t i = w->outer; i-- > 0;) {
        const uint32_t dim = (uint32_t)w->node->outputs[0].dims[i];
        const bool over = ++w->index[i] == dim;
        for (uint32_t k = 0; k < w->inputs; ++k) {
            struct repeat *repeat = &w->repeats[k];
            repeat->at += repeat->stride[i];
            repeat->at -= over ? repeat->stride[i] * dim : 0;
        }
        if (!over) {
            return;
        }
        w->index[i] = 0;
    }
}

/* Sets w->row to what begins at `row`; returns how many rows that is. */
static uint32_t rowwise_take(struct walk *w, uint32_t row, uint32_t most)
{
    const berth_operand *out = &w->node->outputs[0];
    uint32_t run = berth_operand_run(out, row, w->turning ? 1 : most);
    w->row.out = berth_operand_row(out, row);
    for (uint32_t k = 0; k < w->inputs; ++k) {
        const berth_operand *in = &w->node->inputs[k];
        struct lane *lane = &w->row.in[k];
        if (goes_along(w, k)) {
            lane->at = berth_operand_row(in, row);
            lane->step = 1;
            run = berth_operand_run(in, row, run);
        } else {
            lane->at = in->data + w->repeats[k].at * element_bytes(in);
        }
    }
    w->row.count = (size_t)run * (size_t)last_dim(out);
    return run;
}

/* Rows [begin, end) as one, which they are more often than not: all lie one
 * behind the other, and what is repeated is one element. */
static bool take_all(const berth_node *node, uint32_t begin, uint32_t end,
                     struct rowwise *row)
{
    const berth_operand *out = &node->outputs[0];
    uint32_t run = berth_operand_run(out, begin, end - begin);
    for (uint32_t k = 0; k < node->input_count; ++k) {
        const berth_operand *in = &node->inputs[k];
        const bool along = has_dims_of(in, out);
        if (along) {
            run = berth_operand_run(in, begin, run);
        } else if (in->elements != 1) {
            return false;
        }
        row->in[k].at = along ? berth_operand_row(in, begin) : in->data;
        row->in[k].step = along ? 1 : 0;
    }
    row->out = berth_operand_row(out, begin);
    row->count = (size_t)run * (size_t)last_dim(out);
    return run == end - begin;
}

static berth_status walk_rows(const berth_node *node, uint32_t begin,
                              uint32_t end, rowwise_fn *fn, const void *param)
{
    struct walk w = rowwise_from(node, node->input_count, begin);
    for (uint32_t row = begin; row < end;) {
        row += rowwise_take(&w, row, end - row);
        BERTH_TRY(fn(&w.row, param));
        if (w.turning) {
            rowwise_turn(&w);
        }
    }
    return BERTH_OK;
}

berth_status kernel_rowwise(const berth_node *node, uint32_t begin,
                            uint32_t end, rowwise_fn *fn, const void *param)
{
    struct rowwise row;
    if (node->outputs[0].elements == 0) {
        return BERTH_OK;
    }
    return take_all(node, begin, end, &row)
               ? fn(&row, param)
               : walk_rows(node, begin, end, fn, param);
}

/* ARG_MAX and ARG_MIN: where along an axis the largest or smallest number is;
 * of equal ones the first. */
#include "kernels/reduce.h"
#include "kernels/whole.h"

struct arg_run {
    const struct whole *whole; /* NULL: floats */
    const struct whole *index;
    struct reduce reduce;
    bool largest;
};

static berth_status check_arg(const berth_node *node, berth_diag *diag)
{
    const uint32_t types = TYPES(FLOAT32) | TYPES(UINT8) | TYPES(INT8) |
                           TYPES(INT32) | TYPES(BOOL);
    BERTH_TRY(kernel_check_reduce(node, diag));
    const berth_operand *in = &node->inputs[0];
    const uint8_t out = node->outputs[0].type;
    if (!kernel_is_of(in->type, types) ||
        (out != BERTH_INT32 && out != BERTH_INT64)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    return node->inputs[1].elements == 1 && in->rank > 0 &&
                   (in->elements != 0 || node->outputs[0].elements == 0)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "one axis is searched, and it is not empty");
}

/* A number beats NaN, NaN nothing. */
static bool beats_f32(const struct arg_run *run, const uint8_t *row,
                      uint64_t at, uint64_t best)
{
    const float x = kernel_get_f32(row, (size_t)at);
    const float y = kernel_get_f32(row, (size_t)best);
    return x == x && (y != y || (run->largest ? x > y : x < y));
}

static bool beats_whole(const struct arg_run *run, const uint8_t *row,
                        uint64_t at, uint64_t best)
{
    const int64_t x = run->whole->get(row, (size_t)at);
    const int64_t y = run->whole->get(row, (size_t)best);
    return run->largest ? x > y : x < y;
}

static int64_t search_axis(const struct arg_run *run, const uint8_t *row,
                           uint64_t at)
{
    const struct reduce_axes *gone = &run->reduce.gone;
    uint64_t best = 0;
    for (uint64_t i = 1; i < gone->count; ++i) {
        const uint64_t here = at + kernel_reduce_at(gone, i);
        const uint64_t there = at + kernel_reduce_at(gone, best);
        if (run->whole == NULL ? beats_f32(run, row, here, there)
                               : beats_whole(run, row, here, there)) {
            best = i;
        }
    }
    return (int64_t)best;
}

static berth_status run_arg(const berth_node *node, uint32_t begin,
                            uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    struct arg_run run = {.whole = kernel_whole_of(in->type),
                          .index = kernel_whole_of(out->type),
                          .largest = node->op->code == BERTH_OP_ARG_MAX};
    if (kernel_reduce_plan(node, &run.reduce) != NULL) {
        return BERTH_BAD_DATA;
    }
    for (uint32_t row = begin; row < end && out->elements != 0; ++row) {
        const uint8_t *from = berth_operand_row(in, row);
        for (uint64_t i = 0; i < run.reduce.kept.count; ++i) {
            const uint64_t at = kernel_reduce_at(&run.reduce.kept, i);
            run.index->put(berth_operand_row(out, row), (size_t)i,
                           search_axis(&run, from, at));
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_arg = {
    .check = check_arg,
    .rows = run_arg,
    .data_error = "an axis that the input has not",
};

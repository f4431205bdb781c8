/* Walks an input and an output of the same dims. */
#include "kernels/flat.h"

static bool lies_as_said(const berth_operand *operand, uint64_t elements)
{
    const uint64_t bits = berth_type_bits((berth_type)operand->type);
    uint64_t whole = 0;
    return bits != 0 && operand->elements == elements &&
           berth_mul_u64(elements, bits, &whole) &&
           operand->bytes == whole / 8u + (whole % 8u != 0);
}

berth_status kernel_check_flat(const berth_node *node, berth_diag *diag)
{
    const berth_operand *in = kernel_input(node, 0);
    if (node->input_count != 1 || node->output_count != 1 || in == NULL) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a conversion has an input and an output");
    }
    const berth_operand *out = &node->outputs[0];
    uint64_t elements = 1;
    bool same = in->rank == out->rank;
    for (uint32_t i = 0; same && i < in->rank; ++i) {
        same = in->dims[i] == out->dims[i] && in->dims[i] >= 0 &&
               berth_mul_u64(elements, (uint64_t)in->dims[i], &elements);
    }
    if (!same || !lies_as_said(in, elements) || !lies_as_said(out, elements)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a conversion between different shapes");
    }
    if (elements == 0) {
        return BERTH_OK;
    }
    BERTH_TRY(kernel_check_walk(in, node->row_count, diag));
    BERTH_TRY(kernel_check_walk(out, node->row_count, diag));
    return elements % node->row_count == 0
               ? BERTH_OK
               : berth_refuse(diag, BERTH_INTERNAL, "rows that do not divide");
}

static struct flat_run run_of(const berth_node *node, uint32_t row,
                              uint32_t rows)
{
    const uint64_t elements = node->outputs[0].elements / node->row_count;
    return (struct flat_run){
        .in = berth_operand_row(&node->inputs[0], row),
        .out = berth_operand_row(&node->outputs[0], row),
        .first = row * elements,
        .count = (size_t)(rows * elements),
    };
}

void kernel_flat(const berth_node *node, uint32_t begin, uint32_t end,
                 flat_fn *fn, const void *param)
{
    for (uint32_t row = begin; row < end && node->outputs[0].elements != 0;) {
        uint32_t rows = berth_operand_run(&node->inputs[0], row, end - row);
        rows = berth_operand_run(&node->outputs[0], row, rows);
        const struct flat_run run = run_of(node, row, rows);
        fn(&run, param);
        row += rows;
    }
}

berth_status kernel_check_flat_rows(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_flat(node, diag));
    const berth_operand *in = &node->inputs[0];
    if (in->rank == 0) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an operand without a last axis");
    }
    return in->elements == 0 ||
                   (uint64_t)in->dims[in->rank - 1] * node->row_count ==
                       in->elements
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "more rows than 32 bits");
}

void kernel_flat_rows(const berth_node *node, uint32_t begin, uint32_t end,
                      flat_fn *fn, const void *param)
{
    for (uint32_t row = begin; row < end && node->outputs[0].elements != 0;
         ++row) {
        const struct flat_run run = run_of(node, row, 1);
        fn(&run, param);
    }
}

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

void kernel_flat(const berth_node *node, uint32_t begin, uint32_t end,
                 flat_fn *fn, const void *param)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    if (out->elements == 0) {
        return;
    }
    const uint64_t row_elements = out->elements / node->row_count;
    for (uint32_t row = begin; row < end;) {
        uint32_t rows = berth_operand_run(in, row, end - row);
        rows = berth_operand_run(out, row, rows);
        const struct flat_run run = {
            .in = berth_operand_row(in, row),
            .out = berth_operand_row(out, row),
            .first = row * row_elements,
            .count = (size_t)(rows * row_elements),
        };
        fn(&run, param);
        row += rows;
    }
}

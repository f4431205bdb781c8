/* core/ops/op_parameters.c: operands that are parameters: a shape, an axis, a
 * size. Nearly those whose value LiteRT's Prepare wants to know; the table says
 * where the two differ, because the operand is data as well, or because LiteRT
 * looks at it later. */
#include "berth/op.h"

typedef struct parameter_row {
    uint32_t code;
    uint32_t mask;
} parameter_row;

static const parameter_row parameter_rows[] = {
    {BERTH_OP_WHERE, 0},
    {BERTH_OP_SEGMENT_SUM, 0},
    {BERTH_OP_UNSORTED_SEGMENT_PROD, 1u << 2},
    {BERTH_OP_UNSORTED_SEGMENT_MAX, 1u << 2},
    {BERTH_OP_UNSORTED_SEGMENT_SUM, 1u << 2},
    {BERTH_OP_UNSORTED_SEGMENT_MIN, 1u << 2},
    {BERTH_OP_MULTINOMIAL, 1u << 1},
    {BERTH_OP_REVERSE_V2, 1u << 1},
    {BERTH_OP_CUMSUM, 1u << 1},
};

uint32_t berth_op_parameters(uint32_t code)
{
    const size_t rows = sizeof(parameter_rows) / sizeof(parameter_rows[0]);
    for (size_t i = 0; i < rows; ++i) {
        if (parameter_rows[i].code == code) {
            return parameter_rows[i].mask;
        }
    }
    return berth_op_contract_of(code)->litert_values;
}

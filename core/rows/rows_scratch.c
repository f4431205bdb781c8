/* core/rows/rows_scratch.c: bytes that an operator needs for itself while it
 * runs: first what its kernel works with (scratch.def), then, for one that
 * cannot read encoded constants, each of them decoded. */
#include "rows_int.h"

enum { PART_ALIGN = 16 };

static rows_scratch *const formulas[BERTH_OP_CODE_COUNT] = {
#define BERTH_SCRATCH(op, formula) [BERTH_OP_##op] = rows_scratch_##formula,
#include "rows/scratch.def"
#undef BERTH_SCRATCH
};

/* Adds a part, rounded up; saturates at BERTH_NOWHERE. */
static void add_part(uint64_t *total, uint64_t bytes)
{
    uint64_t rounded = 0;
    if (!berth_round_up_u64(bytes, PART_ALIGN, &rounded) ||
        !berth_add_u64(*total, rounded, total)) {
        *total = BERTH_NOWHERE;
    }
}

/* A constant that nobody stores as it is used: what DEQUANTIZE or DENSIFY make
 * of a constant operand. */
static bool is_decoded_constant(const berth_graph *graph, uint32_t tensor)
{
    const uint32_t maker = graph->tensors[tensor].producer;
    if (maker == BERTH_NONE || graph->ops[maker].input_count == 0) {
        return false;
    }
    const uint32_t from = berth_graph_inputs(graph, maker)[0];
    const uint16_t flags = berth_op_contract_of(graph->ops[maker].code)->flags;
    return (flags & BERTH_OP_DECODES) != 0 && from != BERTH_NONE &&
           (graph->tensors[from].flags & BERTH_TENSOR_CONSTANT) != 0;
}

static bool is_repeated(const uint32_t *operands, uint32_t i)
{
    for (uint32_t k = 0; k < i; ++k) {
        if (operands[k] == operands[i]) {
            return true;
        }
    }
    return false;
}

/* Each has its own place for as long as the operator runs. Only the first
 * operands can be weights, which also bounds the search for one that is read
 * twice. */
static bool is_copied(const struct rows_op *o, uint32_t i)
{
    enum { OPERANDS_MAX = 64 };
    const uint16_t flags = berth_op_contract_of(o->node->code)->flags;
    return (flags & (BERTH_OP_READS_ENCODED | BERTH_OP_DECODES)) == 0 &&
           rows_shape(o, i) != NULL &&
           is_decoded_constant(o->graph, o->operands[i]) &&
           !(i < OPERANDS_MAX && is_repeated(o->operands, i));
}

bool berth_op_decodes(const berth_graph *graph, const berth_shapes *shapes,
                      uint32_t op, uint32_t input)
{
    const struct rows_op o = rows_op_of(graph, shapes, op);
    return is_copied(&o, input);
}

uint64_t berth_op_scratch_bytes(const berth_graph *graph,
                                const berth_shapes *shapes, uint32_t op)
{
    const struct rows_op o = rows_op_of(graph, shapes, op);
    rows_scratch *formula =
        o.node->code < BERTH_OP_CODE_COUNT ? formulas[o.node->code] : NULL;
    uint64_t total = 0;
    if (formula != NULL) {
        add_part(&total, formula(&o));
    }
    for (uint32_t i = 0; i < o.node->input_count; ++i) {
        if (is_copied(&o, i)) {
            add_part(&total, rows_shape(&o, i)->bytes);
        }
    }
    return total;
}

/* --- formulas --------------------------------------------------------------
 * Exact for static shapes; BERTH_NOWHERE: beyond 64 bits. */

/* A function of 8 bits as a table of 256 results, of 16 bits as 513 points. */
static uint64_t table_bytes(const struct rows_op *o, bool of_8, bool of_16)
{
    enum { BYTES_8 = 256, BYTES_16 = 2 * 513 };
    const uint8_t type = rows_shape(o, 0) == NULL
                             ? BERTH_FLOAT32
                             : o->graph->tensors[o->operands[0]].type;
    if (type == BERTH_INT8 || type == BERTH_UINT8) {
        return of_8 ? BYTES_8 : 0;
    }
    return type == BERTH_INT16 && of_16 ? BYTES_16 : 0;
}

uint64_t rows_scratch_table(const struct rows_op *o)
{
    return table_bytes(o, true, true);
}

uint64_t rows_scratch_table_8(const struct rows_op *o)
{
    return table_bytes(o, true, false);
}

uint64_t rows_scratch_table_16(const struct rows_op *o)
{
    return table_bytes(o, false, true);
}

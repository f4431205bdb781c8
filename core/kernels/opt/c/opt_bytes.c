/* A table of all bytes, made by the reference itself: a row of 256 elements
 * that is worked on in place. */
#include "kernels/opt/c/opt_bytes.h"

#include "kernels/flat.h"

enum { BYTES = 256 };

bool kernel_opt_bytes_pay(const berth_node *node, uint32_t begin, uint32_t end)
{
    enum { LEAST = 4 * BYTES };
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    return in->elements == in->bytes && out->elements == out->bytes &&
           out->elements / node->row_count * (end - begin) >= LEAST;
}

static void map_bytes(const struct flat_run *run, const void *param)
{
    const uint8_t *table = param;
    for (size_t i = 0; i < run->count; ++i) {
        run->out[i] = table[run->in[i]];
    }
}

berth_status kernel_opt_bytes(const berth_node *node, uint32_t begin,
                              uint32_t end, berth_kernel_rows *rows)
{
    static const int32_t dims[] = {BYTES};
    uint8_t table[BYTES];
    berth_operand in = node->inputs[0];
    berth_operand out = node->outputs[0];
    berth_node all = *node;
    for (uint32_t i = 0; i < BYTES; ++i) {
        table[i] = (uint8_t)i;
    }
    in.data = out.data = table;
    in.dims = out.dims = dims;
    in.rank = out.rank = 1;
    in.elements = out.elements = BYTES;
    in.bytes = out.bytes = BYTES;
    in.pitch = out.pitch = BYTES;
    in.rows = out.rows = in.ring = out.ring = 1;
    all.inputs = &in;
    all.outputs = &out;
    all.row_count = 1;
    BERTH_TRY(rows(&all, 0, 1));
    kernel_flat(node, begin, end, map_bytes, table);
    return BERTH_OK;
}

/* core/rows/rows_parts.c: operators that only put bytes behind one another, or
 * take them apart, in one stretch. */
#include "rows_int.h"

static const berth_parts no_parts = {.kind = BERTH_PARTS_NONE};

static bool same_type(const struct rows_op *o, uint32_t a, uint32_t b)
{
    const berth_type type = (berth_type)o->graph->tensors[o->operands[a]].type;
    return (berth_type)o->graph->tensors[o->operands[b]].type == type &&
           berth_type_bits(type) % 8u == 0;
}

/* The parts have static shapes, the whole's type, and together its bytes. */
static bool add_up(const struct rows_op *o, const berth_parts *parts)
{
    const berth_shape *whole = rows_shape(o, parts->whole);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < parts->count; ++i) {
        const uint32_t part = parts->first + i;
        const berth_shape *shape = rows_shape(o, part);
        if (shape == NULL || !same_type(o, parts->whole, part) ||
            !berth_add_u64(sum, shape->bytes, &sum)) {
            return false;
        }
    }
    return sum == whole->bytes;
}

/* Joins and splits: one block, that is, nothing but axes of one element in
 * front of the axis. */
static berth_parts parts_of_row(const struct rows_op *o, bool join)
{
    const uint32_t out = rows_output(o, 0);
    const uint32_t split = o->node->code == BERTH_OP_SPLIT ? 1 : 0;
    const berth_parts parts = {
        .kind = join ? BERTH_PARTS_JOIN : BERTH_PARTS_SPLIT,
        .whole = join ? out : split,
        .first = join ? 0 : out,
        .count = join ? o->node->input_count : o->node->output_count,
    };
    struct rows_space space = {0};
    struct rows_walk walk = {0};
    const bool walked = join ? rows_family_join(o, BERTH_NONE, &space, &walk)
                             : rows_family_split(o, BERTH_NONE, &space, &walk);
    return walked && space.inner == 1 && add_up(o, &parts) ? parts : no_parts;
}

/* PAD: one axis grows, and nothing but axes of one element lie in front. */
static berth_parts parts_of_pad(const struct rows_op *o)
{
    const uint32_t out = rows_output(o, 0);
    const berth_shape *in = rows_shape(o, 0);
    const berth_shape *whole = rows_shape(o, out);
    berth_parts parts = {
        .kind = BERTH_PARTS_JOIN, .whole = out, .first = 0, .count = 1};
    if (in == NULL || whole == NULL || in->rank != whole->rank ||
        !same_type(o, 0, out)) {
        return no_parts;
    }
    uint32_t grown = 0;
    for (uint32_t i = 0; i < in->rank; ++i) {
        const uint64_t dim = (uint64_t)rows_dim(o, out, (int32_t)i);
        int64_t before = 0;
        if (rows_dim(o, 0, (int32_t)i) == (int64_t)dim) {
            continue;
        }
        if (grown > 0 || dim == 0 || rows_front(o, out, i) != 1 ||
            !rows_constant(o, 1, 2ull * i, &before) || before < 0 ||
            (uint64_t)before > dim) {
            return no_parts;
        }
        parts.offset = whole->bytes / dim * (uint64_t)before;
        grown += 1;
    }
    return in->bytes <= whole->bytes && parts.offset <= whole->bytes - in->bytes
               ? parts
               : no_parts;
}

berth_parts berth_op_parts(const berth_graph *graph, const berth_shapes *shapes,
                           uint32_t op)
{
    const struct rows_op o = rows_op_of(graph, shapes, op);
    const uint32_t code = o.node->code;
    const bool join = code == BERTH_OP_CONCATENATION || code == BERTH_OP_PACK;
    const bool split = code == BERTH_OP_SPLIT || code == BERTH_OP_SPLIT_V ||
                       code == BERTH_OP_UNPACK;
    const uint32_t whole =
        split ? (code == BERTH_OP_SPLIT ? 1 : 0) : rows_output(&o, 0);
    if (rows_shape(&o, whole) == NULL) {
        return no_parts;
    }
    if (join || split) {
        return parts_of_row(&o, join);
    }
    return code == BERTH_OP_PAD || code == BERTH_OP_PADV2 ? parts_of_pad(&o)
                                                          : no_parts;
}

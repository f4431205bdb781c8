/* core/rows/rows.c: from an operator to its family, and from the family's
 * answer to spaces and hulls. */
#include "rows_int.h"

static rows_family *const families[BERTH_OP_CODE_COUNT] = {
#define BERTH_ROWS(op, family) [BERTH_OP_##op] = rows_family_##family,
#include "rows/rows.def"
#undef BERTH_ROWS
};

/* Elements of fewer than 8 bits have no rows that start at a byte. Inputs after
 * the first that are packed are weights, which are not walked. */
static bool is_packed(const struct rows_op *o, uint32_t operand)
{
    return rows_shape(o, operand) != NULL &&
           berth_type_bits(
               (berth_type)o->graph->tensors[o->operands[operand]].type) < 8u;
}

/* The walk of one operand (BERTH_NONE: only the space is wanted). */
struct answer {
    struct rows_space space;
    struct rows_walk walk;
    berth_rows rows;
};

static struct answer ask(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op, uint32_t operand)
{
    const struct rows_op o = rows_op_of(graph, shapes, op);
    rows_family *family =
        o.node->code < BERTH_OP_CODE_COUNT ? families[o.node->code] : NULL;
    struct answer a = {.rows = {.count = 1, .order = BERTH_ROWS_WHOLE}};
    uint64_t count = 0;
    const struct answer whole = a;
    if (family == NULL || rows_shape(&o, rows_output(&o, 0)) == NULL ||
        !family(&o, operand, &a.space, &a.walk) ||
        !berth_mul_u64(a.space.outer, a.space.inner, &count) ||
        count > UINT32_MAX || is_packed(&o, 0) ||
        is_packed(&o, rows_output(&o, 0))) {
        return whole;
    }
    a.rows = (berth_rows){
        .count = (uint32_t)count,
        .order = BERTH_ROWS_INDEPENDENT,
        .read_first = a.space.reads != ROWS_READ_LATE,
    };
    return a;
}

berth_rows berth_op_rows(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op)
{
    return ask(graph, shapes, op, BERTH_NONE).rows;
}

/* Own rows of an operand; 0: not walked. */
static uint64_t walked_rows(const struct answer *a)
{
    uint64_t rows = 0;
    const bool counts = berth_mul_u64(a->space.outer, a->walk.inner, &rows);
    return a->rows.order != BERTH_ROWS_WHOLE && counts && rows <= UINT32_MAX
               ? rows
               : 0;
}

uint32_t berth_op_operand_rows(const berth_graph *graph,
                               const berth_shapes *shapes, uint32_t op,
                               uint32_t operand)
{
    const struct answer a = ask(graph, shapes, op, operand);
    const uint64_t rows = walked_rows(&a);
    return rows == 0 ? 1 : (uint32_t)rows;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/* Where a walk puts row i of a block, in the operand's own rows. */
static uint64_t place(const struct rows_walk *walk, uint64_t i, int64_t add)
{
    const int64_t at = floor_div((int64_t)i * walk->num + add, walk->den);
    const int64_t inner = (int64_t)walk->inner;
    return (uint64_t)(at < 0 ? 0 : at > inner ? inner : at);
}

static uint64_t first_row(const struct answer *a, uint64_t row)
{
    return row / a->space.inner * a->walk.inner +
           place(&a->walk, row % a->space.inner, a->walk.low);
}

static uint64_t end_row(const struct answer *a, uint64_t row)
{
    return row / a->space.inner * a->walk.inner +
           place(&a->walk, row % a->space.inner, a->walk.high + a->walk.den);
}

berth_hull berth_op_hull(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op, uint32_t operand, berth_phase phase,
                         uint32_t begin, uint32_t end)
{
    const struct answer a = ask(graph, shapes, op, operand);
    const bool input = operand < graph->ops[op].input_count;
    const berth_hull none = {0, 0};
    if (walked_rows(&a) == 0) {
        const bool touched = phase == BERTH_PHASE_ROWS
                                 ? begin < end
                                 : input == (phase == BERTH_PHASE_BEGIN);
        return touched ? (berth_hull){0, 1} : none;
    }
    if (phase != BERTH_PHASE_ROWS || begin >= end) {
        return none;
    }
    const berth_hull hull = {(uint32_t)first_row(&a, begin),
                             (uint32_t)end_row(&a, end - 1u)};
    return hull.begin < hull.end ? hull : none;
}

/* --- overlap ---------------------------------------------------------------
 */

struct pair {
    struct answer in;
    struct answer out;
    int64_t in_bytes; /* of a row */
    int64_t out_bytes;
};

/* The least, over the rows of block n, of what they leave unread minus what
 * they have written. */
static int64_t block_overlap(const struct pair *p, uint64_t n)
{
    int64_t least = INT64_MAX;
    for (uint64_t i = 0; i < p->in.space.inner; ++i) {
        const uint64_t row = n * p->in.space.inner + i;
        const int64_t at = (int64_t)first_row(&p->in, row) * p->in_bytes -
                           (int64_t)end_row(&p->out, row) * p->out_bytes;
        least = at < least ? at : least;
    }
    return least;
}

/* From one block to the next what is read and what is written grow by the same
 * step each, so that the least is in the first block or the last. */
static int64_t row_overlap(const struct pair *p)
{
    enum { ROWS_MAX = 1 << 16 }; /* longer blocks get no licence */
    if (p->in.space.inner > ROWS_MAX) {
        return INT64_MIN;
    }
    const int64_t first = block_overlap(p, 0);
    const int64_t last = block_overlap(p, p->in.space.outer - 1);
    return first < last ? first : last;
}

/* Element i is read, then written, and no other is looked at. */
static int64_t element_overlap(const struct rows_op *o, uint32_t in,
                               uint32_t out, uint64_t bytes)
{
    const int64_t in_size =
        berth_type_bits((berth_type)o->graph->tensors[o->operands[in]].type) /
        8u;
    const int64_t out_size =
        berth_type_bits((berth_type)o->graph->tensors[o->operands[out]].type) /
        8u;
    const int64_t count = (int64_t)bytes / in_size;
    return in_size >= out_size ? in_size - out_size
                               : (in_size - out_size) * (count - 1);
}

/* Operators that take operand 0 over whole have a licence without rows. */
static int64_t whole_overlap(const struct rows_op *o, uint32_t in, uint32_t out)
{
    const berth_op_contract *contract = berth_op_contract_of(o->node->code);
    const bool licence = in < 31 && (contract->inplace_inputs >> in & 1u) != 0;
    const berth_shape *a = rows_shape(o, in);
    const berth_shape *b = rows_shape(o, out);
    return licence && out == rows_output(o, 0) && rows_same_dims(o, in, out) &&
                   a->bytes == b->bytes
               ? 0
               : INT64_MIN;
}

int64_t berth_op_overlap(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op, uint32_t input, uint32_t output)
{
    const struct rows_op o = rows_op_of(graph, shapes, op);
    const uint32_t out = rows_output(&o, output);
    const berth_shape *a = rows_shape(&o, input);
    const berth_shape *b = rows_shape(&o, out);
    struct pair p = {.in = ask(graph, shapes, op, input),
                     .out = ask(graph, shapes, op, out)};
    const uint64_t in_rows = walked_rows(&p.in);
    const uint64_t out_rows = walked_rows(&p.out);
    if (p.in.rows.order == BERTH_ROWS_WHOLE) {
        return whole_overlap(&o, input, out);
    }
    if (in_rows == 0 || out_rows == 0 || a->bytes == 0 || b->bytes == 0 ||
        (a->bytes | b->bytes) >> 63 != 0) {
        return INT64_MIN;
    }
    p.in_bytes = (int64_t)(a->bytes / in_rows);
    p.out_bytes = (int64_t)(b->bytes / out_rows);
    if (p.in.space.reads != ROWS_READ_LATE && a->bytes == b->bytes) {
        return 0;
    }
    return p.in.space.reads == ROWS_READ_ELEMENT
               ? element_overlap(&o, input, out, a->bytes)
               : row_overlap(&p);
}

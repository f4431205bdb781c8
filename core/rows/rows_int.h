/* rows_int.h: one operator's walk being worked out.
 *
 * The space of an operator is outer blocks of `inner` rows each; an operand
 * that is walked has as many blocks, of its own number of rows. Inside a block
 * row i of the space touches the operand's rows
 *
 *     [floor((i * num + low) / den), floor((i * num + high) / den) + 1)
 *
 * as far as they exist. That one formula says what convolutions, pools, pads,
 * slices, blocks and resizes read, and what everybody writes. It ascends with
 * i, so a range of rows touches from its first row's begin to its last row's
 * end. An operand that is not walked is one row, which every row touches.
 *
 * A family function answers from shapes that may contradict each other (they
 * are the file's word at times): then the operator is WHOLE. */
#ifndef BERTH_ROWS_INT_H
#define BERTH_ROWS_INT_H

#include "berth/rows.h"

struct rows_op {
    const berth_graph *graph;
    const berth_shapes *shapes;
    const berth_graph_op *node;
    const uint32_t *operands; /* inputs, then outputs */
    uint32_t op;
    uint32_t operand_count;
};

struct rows_walk {
    uint64_t inner; /* own rows in a block; 0: not walked */
    int64_t num;
    int64_t den;
    int64_t low;
    int64_t high;
};

/* How an output may lie over an input, row by row. */
enum rows_reads {
    ROWS_READ_LATE,   /* a row may read after it has written */
    ROWS_READ_ROW,    /* a row reads all, then writes */
    ROWS_READ_ELEMENT /* so does every element */
};

struct rows_space {
    uint64_t outer;
    uint64_t inner; /* rows in a block */
    enum rows_reads reads;
};

/* Fills *space, and *walk for one operand (0s: not walked). False: WHOLE. */
typedef bool rows_family(const struct rows_op *o, uint32_t operand,
                         struct rows_space *space, struct rows_walk *walk);

struct rows_op rows_op_of(const berth_graph *graph, const berth_shapes *shapes,
                          uint32_t op);

/* --- what a family asks (rows_ask.c); operands count inputs first --- */

/* NULL: absent, or its shape is not static. */
const berth_shape *rows_shape(const struct rows_op *o, uint32_t operand);
/* The same for output k. */
static inline uint32_t rows_output(const struct rows_op *o, uint32_t k)
{
    return o->node->input_count + k;
}

/* Of a whole-number type. */
bool rows_is_integer(const struct rows_op *o, uint32_t operand);
/* 0 where there is none; a negative axis counts from the back. */
int64_t rows_dim(const struct rows_op *o, uint32_t operand, int32_t axis);
/* The product of axes [0, end) in front; BERTH_NOWHERE: beyond 64 bits. */
uint64_t rows_front(const struct rows_op *o, uint32_t operand, uint32_t end);
bool rows_same_dims(const struct rows_op *o, uint32_t a, uint32_t b);
/* Element i of a constant in the file, int32 or int64. */
bool rows_constant(const struct rows_op *o, uint32_t operand, uint64_t i,
                   int64_t *value);
int64_t rows_option(const struct rows_op *o, berth_option field);

/* Row i of the space is row i of the operand. */
static inline struct rows_walk rows_step(uint64_t inner)
{
    return (struct rows_walk){.inner = inner, .num = 1, .den = 1};
}

/* --- families --- */

#define BERTH_ROWS(op, family) rows_family rows_family_##family;
#include "rows/rows.def"
#undef BERTH_ROWS

/* --- scratch --- */

typedef uint64_t rows_scratch(const struct rows_op *o);

#define BERTH_SCRATCH(op, formula) rows_scratch rows_scratch_##formula;
#include "rows/scratch.def"
#undef BERTH_SCRATCH

#endif

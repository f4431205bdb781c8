/* berth/rows.h: how an operator walks: its iteration space, what each row
 * touches, and the scratch that it takes.
 *
 * This is a part of the contract of an operator (op.h) that needs shapes. A
 * planner asks it how far an output may lie over an input; an engine how the
 * work may be split; nobody needs kernels for that. Families of operators share
 * a way to walk: core/rows/rows.def has a row for each operator. */
#ifndef BERTH_ROWS_H
#define BERTH_ROWS_H

#include "berth/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_rows_order {
    BERTH_ROWS_INDEPENDENT, /* in any order, in parallel */
    BERTH_ROWS_ORDERED,     /* ascending, each once (recurrences, state) */
    BERTH_ROWS_WHOLE        /* one row: all at once */
} berth_rows_order;

typedef struct berth_rows {
    uint32_t count; /* of the iteration space; >= 1 unless outputs are empty */
    berth_rows_order order;
    /* Inside a row every read of an input with a licence precedes the write
     * over it: such an output may lie at distance 0 (op.h). */
    bool read_first;
} berth_rows;

/* The space of op, whose shapes are all static. */
berth_rows berth_op_rows(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op);

/* Operand k (inputs, then outputs) counted in rows of its own: how many, each
 * bytes / rows long. 1 for what is not walked by rows. */
uint32_t berth_op_operand_rows(const berth_graph *graph,
                               const berth_shapes *shapes, uint32_t op,
                               uint32_t operand);

typedef enum berth_phase {
    BERTH_PHASE_BEGIN,
    BERTH_PHASE_ROWS,
    BERTH_PHASE_END
} berth_phase;

/* Rows [begin, end) of an operand; begin == end: none of it is touched. */
typedef struct berth_hull {
    uint32_t begin;
    uint32_t end;
} berth_hull;

/* What rows [begin, end) of the space touch of operand k in a phase (for begin
 * and end phases the range is ignored). */
berth_hull berth_op_hull(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op, uint32_t operand, berth_phase phase,
                         uint32_t begin, uint32_t end);

/* How far output k may lie over an input that dies here: both may be in use
 * while offset[output] - offset[input] <= lo, where lo is the least, over the
 * rows r in ascending order, of (first byte that rows >= r read) - (end of what
 * row r writes); rows > r where read_first. INT64_MIN: they must not overlap at
 * all. (For the planner: a link with this lo, plan.h. Today's planner uses the
 * licences of op.h only; the tests hold every kernel to this number.) */
int64_t berth_op_overlap(const berth_graph *graph, const berth_shapes *shapes,
                         uint32_t op, uint32_t input, uint32_t output);

/* Parts of a whole: what an operator that joins, splits or pads would have to
 * copy, were the parts not where they belong already. Part i + 1 lies behind
 * part i, all of them in one stretch of the whole. */
typedef enum berth_parts_kind {
    BERTH_PARTS_NONE,
    BERTH_PARTS_JOIN, /* the whole is output 0, parts are inputs */
    BERTH_PARTS_SPLIT /* the whole is an input, parts are all outputs */
} berth_parts_kind;

typedef struct berth_parts {
    uint64_t offset; /* of the first part in the whole, in bytes */
    uint32_t whole;  /* operands, inputs first */
    uint32_t first;
    uint32_t count;
    berth_parts_kind kind;
} berth_parts;

/* CONCATENATION, PACK, SPLIT, SPLIT_V, UNPACK, PAD and PADV2, where no axis in
 * front of theirs has more than one element; NONE for all others. A part that
 * lies at its place in the whole is not touched, whatever the others do. O(1),
 * and the number of parts. */
berth_parts berth_op_parts(const berth_graph *graph, const berth_shapes *shapes,
                           uint32_t op);

/* Scratch bytes of op with berth's own kernels (all sets take the same):
 * requantisation pairs, tables, sums, and constants that have to be decoded.
 * 16-aligned parts, each rounded up to 16. BERTH_NOWHERE: more than 64 bits
 * count, or a shape is not static. */
uint64_t berth_op_scratch_bytes(const berth_graph *graph,
                                const berth_shapes *shapes, uint32_t op);

/* Whether that scratch has a decoded copy of input i. Such copies are its last
 * parts, in the order of the inputs; one that is read twice has one copy, at
 * its first place. */
bool berth_op_decodes(const berth_graph *graph, const berth_shapes *shapes,
                      uint32_t op, uint32_t input);

#ifdef __cplusplus
}
#endif
#endif

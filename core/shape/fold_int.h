/* fold_int.h: one output's value being worked out, element by element. */
#ifndef BERTH_FOLD_INT_H
#define BERTH_FOLD_INT_H

#include "shape_int.h"

/* Operands 0 to 2, where the operator has them and they are known. */
struct folding {
    struct infer *in;
    struct dims out;
    struct dims dims[3];
    struct values values[3];
    struct slice_plan slice;
    uint32_t k;   /* which output */
    int64_t from; /* SPLIT_V: where output k starts on the axis */
};

/* Element `o` (row-major) of the output. False: not known, or it does not fit;
 * then nothing is folded. */
typedef bool (*fold_fn)(struct folding *f, uint64_t o, int64_t *value);

/* NULL: the operator moves nothing (fold_move.c); computes nothing
 * (fold_math.c). */
fold_fn berth_fold_move_of(uint32_t code);
fold_fn berth_fold_math_of(uint32_t code);

/* Row-major index to one index per axis, and back. */
void berth_fold_unravel(const struct dims *dims, uint64_t flat, int64_t *index);
uint64_t berth_fold_ravel(const struct dims *dims, const int64_t *index);
/* The element of operand i that is broadcast to element o of the output. */
int64_t berth_fold_broadcast(const struct folding *f, uint32_t i, uint64_t o);

#endif

/* prove_int.h: the parts of the second judge.
 *
 *   prove_place.c  where tensors lie, on a ruler of all their ends
 *   prove_map.c    which bytes hold which value
 *   prove_step.c   one step: operators, in-place licences, parallel moves
 *   prove.c        the run: inputs, loops, branches, outputs
 *
 * Invariants
 *   I1  A value has one size, and is only ever written whole. So a cell that
 *       was cut can never again pass for the whole value, and the base of
 *       design.md's (value, base) is the cell's own begin.
 *   I2  Every end of every cell is an end of some tensor. So cells are kept by
 *       position on a ruler that is known before the run, and at most twice as
 *       many as there are tensors.
 *   I3  Between two steps nothing is marked. */
#ifndef BERTH_PROVE_INT_H
#define BERTH_PROVE_INT_H

#include "base/base_int.h"
#include "berth/prove.h"
#include "berth/rows.h"

/* Bytes [begin, end) of the arena as positions on the ruler. */
typedef struct prove_place {
    uint32_t begin; /* BERTH_NONE: no bytes to watch */
    uint32_t end;
} prove_place;

static inline bool prove_placed(prove_place place)
{
    return place.begin != BERTH_NONE;
}

/* Fills place[tensor_count] and returns the number of ruler positions by
 * ruler_count; ruler is scratch for 2 * tensor_count positions.
 * BERTH_TOO_LARGE: an address near 2^64. O(n log n). */
berth_status prove_places_init(const berth_shapes *shapes,
                               const uint64_t *address, uint32_t tensor_count,
                               uint64_t *ruler, uint32_t *ruler_count,
                               prove_place *place, berth_diag *diag);

/* What bytes [its position, end) hold. */
typedef struct prove_cell {
    uint32_t end;
    uint32_t value;
    uint32_t writer; /* the tensor under whose name it was written */
} prove_cell;

/* 64^6 > 2^32 positions. */
#define PROVE_LEVELS 6u

/* An ordered map from positions to cells: an array with a cell for each
 * position, and over it a tree of bits, 64 to a word, that tells which are
 * there. Neighbours are found in PROVE_LEVELS looks, nothing is balanced. */
typedef struct prove_map {
    prove_cell *cells;
    uint64_t *bits[PROVE_LEVELS];
    uint32_t levels;
} prove_map;

bool prove_map_need(size_t *total, uint32_t positions);
bool prove_map_init(prove_map *map, uint32_t positions, berth_work *work);

/* Position of the first cell with a byte in the place, or BERTH_NONE; and of
 * the next one behind `at`. */
uint32_t prove_map_first(const prove_map *map, prove_place place);
uint32_t prove_map_next(const prove_map *map, uint32_t at, prove_place place);

void prove_map_forget(prove_map *map, prove_place place);
void prove_map_write(prove_map *map, prove_place place, uint32_t value,
                     uint32_t writer);
bool prove_map_holds(const prove_map *map, prove_place place, uint32_t value);

typedef struct prove_judge {
    const berth_graph *graph;
    const berth_shapes *shapes;
    const berth_schedule *schedule;
    const uint64_t *address; /* by tensor */
    prove_place *place;      /* by tensor */
    uint32_t *value; /* by tensor: what it must hold; 0: never written */
    prove_map memory;
    prove_map marks; /* what the present step writes */
    uint32_t last_value;
    uint32_t step; /* the present one */
    berth_diag *diag;
} prove_judge;

/* UNSOUND, with the present step and its operator. */
berth_status prove_refuse(const prove_judge *judge, uint32_t tensor,
                          uint32_t other, const char *what);

/* The tensor must hold its value whole. One that nobody ever writes promises
 * nothing. */
berth_status prove_check_read(const prove_judge *judge, uint32_t tensor);

/* A value that nothing else holds. */
berth_status prove_fresh(prove_judge *judge, uint32_t *value);

berth_status prove_run_op(prove_judge *judge, const berth_step *step);

/* Which values a move hands on; for the others the target gets a fresh one. */
typedef bool (*prove_keeps)(const prove_judge *judge, const berth_step *step,
                            uint32_t pair);

berth_status prove_run_move(prove_judge *judge, const berth_step *step,
                            prove_keeps keeps);

#endif

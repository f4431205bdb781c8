/* ledger_int.h: sets of bytes, and how many of them are taken. */
#ifndef BERTH_LEDGER_INT_H
#define BERTH_LEDGER_INT_H

#include "base/base_int.h"
#include "berth/ledger.h"

/* Where blocks begin when they are cut from one. */
#define LEDGER_ALIGN 16u

/* Bytes [begin, end) with marks that say what they are to us. */
typedef struct ledger_extent {
    uint64_t begin;
    uint64_t end;
    uint32_t marks;
} ledger_extent;

/* Sorts by begin, then end; in place, n log n, no recursion. */
void ledger_extents_sort(ledger_extent *extents, uint32_t count);

/* Bytes in the union of those sorted extents that bear any of `marks`. Each
 * run of new bytes is rounded up to `align`. */
uint64_t ledger_extents_union(const ledger_extent *extents, uint32_t count,
                              uint32_t marks, uint32_t align);

/* Fills the rows about the file. `extents`: room for each buffer. */
void ledger_weigh_file(const berth_graph *graph, const berth_schedule *schedule,
                       ledger_extent *extents, berth_ledger *ledger);

/* The points at which something begins or ends, ascending, each once; between
 * two neighbours lies a *cell*, whose bytes are all in the same state. */
typedef struct ledger_axis {
    uint64_t *points;
    uint32_t count;
} ledger_axis;

void ledger_axis_close(ledger_axis *axis);
uint32_t ledger_axis_find(const ledger_axis *axis, uint64_t point);

/* How many bytes of the axis at least one of a changing set of intervals
 * covers: a tree over the cells; adding or removing costs a walk to the root.
 */
typedef struct ledger_cover {
    const ledger_axis *axis;
    uint32_t leaves;   /* power of two */
    uint32_t *count;   /* intervals that cover this node's cells whole */
    uint64_t *covered; /* bytes under this node that are covered */
} ledger_cover;

uint32_t ledger_cover_leaves(uint32_t point_count);
void ledger_cover_init(ledger_cover *cover);
/* [from, end) are cells; by is 1 to add, -1 to remove what was added. */
void ledger_cover_change(ledger_cover *cover, uint32_t from, uint32_t end,
                         int by);
uint64_t ledger_cover_total(const ledger_cover *cover);

#endif

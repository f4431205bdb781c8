/* Extents: sorting and measuring sets of bytes of which many overlap. */
#include "ledger_int.h"

static bool comes_before(const ledger_extent *x, const ledger_extent *y)
{
    return x->begin != y->begin ? x->begin < y->begin : x->end < y->end;
}

/* Restores the heap below `at`: the last one on top. */
static void extent_sift(ledger_extent *heap, uint32_t at, uint32_t count)
{
    const ledger_extent moving = heap[at];
    for (uint64_t child = 2u * (uint64_t)at + 1u; child < count;
         child = 2u * (uint64_t)at + 1u) {
        if (child + 1u < count &&
            comes_before(&heap[child], &heap[child + 1u])) {
            ++child;
        }
        if (!comes_before(&moving, &heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = (uint32_t)child;
    }
    heap[at] = moving;
}

void ledger_extents_sort(ledger_extent *extents, uint32_t count)
{
    for (uint32_t i = count / 2u; i > 0; --i) {
        extent_sift(extents, i - 1u, count);
    }
    for (uint32_t left = count; left > 1u; --left) {
        const ledger_extent last = extents[0];
        extents[0] = extents[left - 1u];
        extents[left - 1u] = last;
        extent_sift(extents, 0, left - 1u);
    }
}

uint64_t ledger_extents_union(const ledger_extent *extents, uint32_t count,
                              uint32_t marks, uint32_t align)
{
    uint64_t total = 0;
    uint64_t reached = 0; /* all before it is counted */
    for (uint32_t i = 0; i < count; ++i) {
        const ledger_extent *extent = &extents[i];
        const uint64_t from = extent->begin > reached ? extent->begin : reached;
        if ((extent->marks & marks) == 0 || extent->end <= from) {
            continue;
        }
        /* Cannot wrap: runs are disjoint parts of a file or of an arena. */
        total += (extent->end - from + align - 1u) / align * align;
        reached = extent->end;
    }
    return total;
}

/* Cover: Klee's measure in one dimension, kept under change. A node of the tree
 * counts the intervals that cover it whole and were not put higher up; what is
 * covered under it is all of it if there is such an interval, else the sum of
 * its two children. Bottom-up, so no recursion: the leaf of cell c is node
 * leaves + c, the root is node 1. */
#include "ledger_int.h"

#include <string.h>

/* Heap sort of plain numbers. */
static void point_sift(uint64_t *heap, uint32_t at, uint32_t count)
{
    const uint64_t moving = heap[at];
    for (uint64_t child = 2u * (uint64_t)at + 1u; child < count;
         child = 2u * (uint64_t)at + 1u) {
        if (child + 1u < count && heap[child] < heap[child + 1u]) {
            ++child;
        }
        if (moving >= heap[child]) {
            break;
        }
        heap[at] = heap[child];
        at = (uint32_t)child;
    }
    heap[at] = moving;
}

/* Sorts the points and drops doubles. */
void ledger_axis_close(ledger_axis *axis)
{
    uint64_t *points = axis->points;
    for (uint32_t i = axis->count / 2u; i > 0; --i) {
        point_sift(points, i - 1u, axis->count);
    }
    for (uint32_t left = axis->count; left > 1u; --left) {
        const uint64_t last = points[0];
        points[0] = points[left - 1u];
        points[left - 1u] = last;
        point_sift(points, 0, left - 1u);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < axis->count; ++i) {
        if (i == 0 || points[i] != points[i - 1u]) {
            points[kept++] = points[i];
        }
    }
    axis->count = kept;
}

/* Index of the first point that is not below `point`. */
uint32_t ledger_axis_find(const ledger_axis *axis, uint64_t point)
{
    uint32_t from = 0;
    uint32_t end = axis->count;
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2u;
        if (axis->points[middle] < point) {
            from = middle + 1u;
        } else {
            end = middle;
        }
    }
    return from;
}

uint32_t ledger_cover_leaves(uint32_t point_count)
{
    uint32_t leaves = 1;
    while (leaves < point_count && leaves < 1u << 31) {
        leaves *= 2u;
    }
    return leaves;
}

void ledger_cover_init(ledger_cover *cover)
{
    const size_t nodes = 2u * (size_t)cover->leaves;
    memset(cover->count, 0, nodes * sizeof(*cover->count));
    memset(cover->covered, 0, nodes * sizeof(*cover->covered));
}

/* Bytes from the first to past the last cell of a node `height` above leaves.
 */
static uint64_t width_of(const ledger_cover *cover, uint32_t node,
                         uint32_t height)
{
    const uint32_t last_point = cover->axis->count - 1u;
    const uint64_t first = ((uint64_t)node << height) - cover->leaves;
    const uint64_t past = first + (UINT64_C(1) << height);
    const uint64_t from = first < last_point ? first : last_point;
    const uint64_t end = past < last_point ? past : last_point;
    return cover->axis->points[end] - cover->axis->points[from];
}

static void refresh(ledger_cover *cover, uint32_t node, uint32_t height)
{
    if (cover->count[node] > 0) {
        cover->covered[node] = width_of(cover, node, height);
    } else if (height == 0) {
        cover->covered[node] = 0;
    } else {
        const uint32_t child = 2u * node;
        cover->covered[node] =
            cover->covered[child] + cover->covered[child + 1u];
    }
}

static void refresh_above(ledger_cover *cover, uint32_t leaf)
{
    uint32_t height = 0;
    for (uint32_t node = leaf; node > 1u; node /= 2u) {
        refresh(cover, node / 2u, ++height);
    }
}

static void change_node(ledger_cover *cover, uint32_t node, uint32_t height,
                        int by)
{
    cover->count[node] += (uint32_t)by; /* wraps back for -1, as meant */
    refresh(cover, node, height);
}

void ledger_cover_change(ledger_cover *cover, uint32_t from, uint32_t end,
                         int by)
{
    if (from >= end) {
        return;
    }
    uint32_t left = from + cover->leaves;
    uint32_t right = end + cover->leaves;
    for (uint32_t height = 0; left < right; ++height) {
        if ((left & 1u) != 0) {
            change_node(cover, left++, height, by);
        }
        if ((right & 1u) != 0) {
            change_node(cover, --right, height, by);
        }
        left /= 2u;
        right /= 2u;
    }
    refresh_above(cover, from + cover->leaves);
    refresh_above(cover, end - 1u + cover->leaves);
}

uint64_t ledger_cover_total(const ledger_cover *cover)
{
    return cover->covered[1];
}

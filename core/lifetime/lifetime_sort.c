/* Heap sort: in place, no recursion, n log n whatever comes, and linear where
 * all is in order already, as links mostly are. It is not stable; callers that
 * need an order among equals put it into less(). */
#include "lifetime_int.h"

static void sift(const lifetime_sortable *things, uint32_t at, uint32_t count)
{
    while (at < count / 2) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count &&
            things->less(things->context, child, child + 1)) {
            ++child;
        }
        if (!things->less(things->context, at, child)) {
            return;
        }
        things->swap(things->context, at, child);
        at = child;
    }
}

static bool is_sorted(const lifetime_sortable *things, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        if (things->less(things->context, i, i - 1)) {
            return false;
        }
    }
    return true;
}

void lifetime_sort(const lifetime_sortable *things, uint32_t count)
{
    if (is_sorted(things, count)) {
        return;
    }
    for (uint32_t at = count / 2; at-- > 0;) {
        sift(things, at, count);
    }
    for (uint32_t end = count; end > 1; --end) {
        things->swap(things->context, 0, end - 1);
        sift(things, 0, end - 1);
    }
}

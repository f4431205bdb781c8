/* A stable merge sort from the bottom up: no recursion, and none of qsort's
 * freedom in the order of equals, so that plans are the same everywhere. Short
 * runs are sorted by insertion first. */
#include "plan/plan_int.h"

#include <string.h>

#define SORT_RUN 8u

static void insert_run(uint32_t *order, uint32_t from, uint32_t end,
                       plan_before *before, const void *context)
{
    for (uint32_t i = from + 1; i < end; ++i) {
        const uint32_t moved = order[i];
        uint32_t hole = i;
        while (hole > from && before(context, moved, order[hole - 1])) {
            order[hole] = order[hole - 1];
            --hole;
        }
        order[hole] = moved;
    }
}

/* Merges the runs [from, middle) and [middle, end) of `source` into `target`;
 * of equals the first run's come first. */
static void merge_runs(const uint32_t *source, uint32_t *target, uint32_t from,
                       uint32_t middle, uint32_t end, plan_before *before,
                       const void *context)
{
    uint32_t left = from;
    uint32_t right = middle;
    for (uint32_t i = from; i < end; ++i) {
        const bool take_right =
            left == middle ||
            (right < end && before(context, source[right], source[left]));
        target[i] = take_right ? source[right++] : source[left++];
    }
}

void plan_sort(uint32_t *order, uint32_t *spare, uint32_t count,
               plan_before *before, const void *context)
{
    for (uint32_t from = 0; from < count; from += SORT_RUN) {
        insert_run(order, from, plan_min_u32(from + SORT_RUN, count), before,
                   context);
    }
    uint32_t *source = order;
    uint32_t *target = spare;
    for (uint32_t run = SORT_RUN; run < count; run *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * run) {
            const uint32_t middle = plan_min_u32(from + run, count);
            merge_runs(source, target, from, middle,
                       plan_min_u32(from + 2 * run, count), before, context);
        }
        uint32_t *swapped = source;
        source = target;
        target = swapped;
    }
    if (source != order) {
        memcpy(order, source, count * sizeof(*order));
    }
}

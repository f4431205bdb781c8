/* Sorts bars by their lower end. The order of equals does not matter: a sweep
 * only keeps the greatest upper end. */
#include "plan/plan_int.h"

#include <string.h>

#define BARS_RUN 8u

/* As many of a bucket are sorted by insertion. */
#define BARS_BUCKET_MOST 16u

/* Inserts source[from..end) one by one into target[from..), which may be the
 * same array. */
static void insert_bars(const plan_bar *source, plan_bar *target, uint32_t from,
                        uint32_t end)
{
    for (uint32_t i = from; i < end; ++i) {
        const plan_bar moved = source[i];
        uint32_t hole = i;
        while (hole > from && target[hole - 1].low > moved.low) {
            target[hole] = target[hole - 1];
            --hole;
        }
        target[hole] = moved;
    }
}

/* Which run the next bar comes from is anybody's guess: no branch on it. */
static void merge_bars(const plan_bar *source, plan_bar *target, uint32_t from,
                       uint32_t middle, uint32_t end)
{
    uint32_t left = from;
    uint32_t right = middle;
    target += from;
    while (left < middle && right < end) {
        const bool take_right = source[right].low < source[left].low;
        *target++ = source[take_right ? right : left];
        right += take_right;
        left += !take_right;
    }
    memcpy(target, source + left, (middle - left) * sizeof(*target));
    target += middle - left;
    memcpy(target, source + right, (end - right) * sizeof(*target));
}

/* Any bars, in n log n; `spare` has room for as many. */
static void merge_sort_bars(plan_bar *bar, plan_bar *spare, uint32_t count)
{
    plan_bar *source = bar;
    plan_bar *target = spare;
    for (uint32_t from = 0; from < count; from += BARS_RUN) {
        insert_bars(bar, bar, from, plan_min_u32(from + BARS_RUN, count));
    }
    for (uint32_t run = BARS_RUN; run < count; run *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * run) {
            merge_bars(source, target, from, plan_min_u32(from + run, count),
                       plan_min_u32(from + 2 * run, count));
        }
        plan_bar *swapped = source;
        source = target;
        target = swapped;
    }
    if (source != bar) {
        memcpy(bar, source, count * sizeof(*source));
    }
}

/* Deals the bars into `spare` by the upper bits of their lower ends, about as
 * many buckets as bars; afterwards tally[b] is the end of bucket b. Returns how
 * many buckets there are. */
static uint32_t deal_bars(const plan_bar *bar, plan_bar *spare, uint32_t count,
                          uint32_t *tally)
{
    int64_t least = bar[0].low;
    int64_t most = bar[0].low;
    uint32_t buckets = PLAN_BUCKETS_MIN;
    uint32_t shift = 0;
    for (uint32_t i = 1; i < count; ++i) {
        least = bar[i].low < least ? bar[i].low : least;
        most = bar[i].low > most ? bar[i].low : most;
    }
    while (buckets < count && buckets < PLAN_BUCKETS) {
        buckets *= 2;
    }
    while ((uint64_t)(most - least) >> shift >= buckets) {
        ++shift;
    }
    memset(tally, 0, buckets * sizeof(*tally));
    for (uint32_t i = 0; i < count; ++i) {
        ++tally[(uint64_t)(bar[i].low - least) >> shift];
    }
    uint32_t sum = 0;
    for (uint32_t b = 0; b < buckets; ++b) {
        const uint32_t here = tally[b];
        tally[b] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; ++i) {
        spare[tally[(uint64_t)(bar[i].low - least) >> shift]++] = bar[i];
    }
    return buckets;
}

/* Offsets are spread well, so most buckets hold a few; where one does not,
 * n log n still holds. */
void plan_sort_bars(plan_bar *bar, plan_bar *spare, uint32_t count,
                    uint32_t *tally)
{
    if (count < PLAN_BUCKETS_MIN) {
        insert_bars(bar, bar, 0, count);
        return;
    }
    const uint32_t buckets = deal_bars(bar, spare, count, tally);
    uint32_t from = 0;
    for (uint32_t b = 0; b < buckets; ++b) {
        const uint32_t end = tally[b];
        if (end - from <= BARS_BUCKET_MOST) {
            insert_bars(spare, bar, from, end);
        } else {
            memcpy(bar + from, spare + from, (end - from) * sizeof(*bar));
            merge_sort_bars(bar + from, spare + from, end - from);
        }
        from = end;
    }
}

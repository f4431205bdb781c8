/* What is placed, in the order of offsets.
 *
 * Whoever looks for a gap meets its neighbours in the order of their births and
 * needs them in that of their offsets. Sorting them each time is what placing
 * used to cost. So all that is placed stands on a shelf, sorted; the neighbours
 * set one bit each at their places, and reading the bits from below gives them
 * in order: a few nanoseconds each, whatever they are.
 *
 * A place is not found for each newcomer at once: they wait, and are sorted by
 * themselves, until they are an eighth of the shelf; then all is merged. That
 * is nine moves for each item in the end. 13 bytes an item. */
#include "plan/plan_int.h"

#include <string.h>

/* Not on the shelf but among those that wait for the next merge. */
#define SHELF_WAITS (BERTH_NONE - 1u)

/* A merge waits for so many and an eighth of those that stand there. */
#define SHELF_FRESH_MIN 32u

#define SHELF_BITS 64u

/* Each word of bits by the place of its lowest: the 64 windows of six bits in
 * this number all differ. */
const uint64_t plan_bit_windows = 0x03f79d71b4cb0a89u;
const uint8_t plan_bit_of_window[64] = {
    0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,
    62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
    63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
    46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,  13, 8,  7,  6,
};

static uint32_t words_for(uint32_t bits)
{
    return bits / SHELF_BITS + 1u;
}

bool plan_shelf_need(const berth_problem *problem, size_t *bytes)
{
    const uint32_t items = problem->item_count;
    return BERTH_NEED(bytes, uint64_t, words_for(items)) &&
           BERTH_NEED(bytes, uint64_t, words_for(words_for(items))) &&
           BERTH_NEED(bytes, uint32_t, items) &&
           BERTH_NEED(bytes, uint32_t, items);
}

void plan_shelf_take(plan_shelf *shelf, const berth_problem *problem,
                     berth_work *work)
{
    const uint32_t items = problem->item_count;
    const uint32_t words = words_for(items);
    *shelf = (plan_shelf){.capacity = items};
    shelf->mark = BERTH_TAKE(work, uint64_t, words);
    shelf->marked_word = BERTH_TAKE(work, uint64_t, words_for(words));
    shelf->rank = BERTH_TAKE(work, uint32_t, items);
    shelf->item = BERTH_TAKE(work, uint32_t, items);
    memset(shelf->mark, 0, words * sizeof(*shelf->mark));
    memset(shelf->marked_word, 0,
           words_for(words) * sizeof(*shelf->marked_word));
    plan_shelf_clear(shelf);
}

void plan_shelf_clear(plan_shelf *shelf)
{
    shelf->count = 0;
    shelf->fresh_count = 0;
    if (shelf->capacity > 0) {
        memset(shelf->rank, 0xff, shelf->capacity * sizeof(*shelf->rank));
    }
}

/* --- merging
 * -------------------------------------------------------------------- */

/* Drops those that were taken down. */
static void close_ranks(plan_shelf *shelf)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < shelf->count; ++k) {
        const uint32_t i = shelf->item[k];
        if (shelf->rank[i] == k) {
            shelf->rank[i] = kept;
            shelf->item[kept++] = i;
        }
    }
    shelf->count = kept;
}

/* Those that wait and are still placed, sorted, as (offset, item). */
static uint32_t sort_fresh(plan_engine *engine)
{
    plan_shelf *shelf = &engine->shelf;
    uint32_t count = 0;
    for (uint32_t k = 0; k < shelf->fresh_count; ++k) {
        const uint32_t i = shelf->item[shelf->capacity - 1u - k];
        if (engine->offset[i] == BERTH_NOWHERE) {
            shelf->rank[i] = BERTH_NONE;
        } else {
            engine->bar[count++] =
                (plan_bar){(int64_t)engine->offset[i], (int64_t)i};
        }
    }
    plan_sort_bars(engine->bar, engine->bar + engine->bar_capacity, count,
                   engine->tally);
    return count;
}

/* Merges from the top down, so that nothing is overwritten before it is read.
 */
static void merge_shelf(plan_engine *engine)
{
    plan_shelf *shelf = &engine->shelf;
    uint32_t fresh = sort_fresh(engine);
    close_ranks(shelf);
    uint32_t old = shelf->count;
    uint32_t to = old + fresh;
    shelf->count = to;
    shelf->fresh_count = 0;
    while (fresh > 0) {
        const plan_bar *next = &engine->bar[fresh - 1u];
        uint32_t i = (uint32_t)next->high;
        if (old > 0 &&
            (int64_t)engine->offset[shelf->item[old - 1u]] > next->low) {
            i = shelf->item[--old];
        } else {
            --fresh;
        }
        shelf->item[--to] = i;
        shelf->rank[i] = to;
    }
}

void plan_shelf_tidy(plan_engine *engine)
{
    const plan_shelf *shelf = &engine->shelf;
    if (shelf->fresh_count > SHELF_FRESH_MIN + shelf->count / 8u) {
        merge_shelf(engine);
    }
}

/* --- up and down
 * ---------------------------------------------------------------- */

void plan_shelf_put(plan_engine *engine, uint32_t i)
{
    plan_shelf *shelf = &engine->shelf;
    if (shelf->rank[i] == SHELF_WAITS) {
        return; /* taken down and put up again, between two merges */
    }
    if (shelf->count + shelf->fresh_count == shelf->capacity) {
        merge_shelf(engine); /* those taken down still have their places */
    }
    shelf->rank[i] = SHELF_WAITS;
    shelf->item[shelf->capacity - 1u - shelf->fresh_count++] = i;
}

void plan_shelf_take_down(plan_engine *engine, uint32_t i)
{
    plan_shelf *shelf = &engine->shelf;
    if (shelf->rank[i] != SHELF_WAITS) {
        shelf->rank[i] = BERTH_NONE;
    }
}

/* --- reading
 * -------------------------------------------------------------------- */

uint64_t plan_shelf_next_word(plan_shelf *shelf, uint32_t *word)
{
    const uint32_t end = words_for(words_for(shelf->capacity));
    uint32_t at = *word / SHELF_BITS;
    while (at < end && shelf->marked_word[at] == 0) {
        ++at;
    }
    if (at == end) {
        return 0;
    }
    const uint64_t marked = shelf->marked_word[at];
    *word = at * SHELF_BITS + plan_lowest_bit(marked);
    shelf->marked_word[at] = marked & (marked - 1u);
    const uint64_t bits = shelf->mark[*word];
    shelf->mark[*word] = 0;
    return bits;
}

void plan_shelf_forget(plan_shelf *shelf)
{
    uint32_t word = 0;
    while (plan_shelf_next_word(shelf, &word) != 0) {
    }
}

/* Which class next?
 *
 * Among those that can lie lowest in their component: the one whose rows
 * promise to fail first, by one of six measures, and among equals the first in
 * one of six orders. No measure is best for all; short searches by all of
 * them, with the blame that rows earned in earlier ones, solve what long ones
 * do not. */
#include "plan/search_int.h"

/* --- orders ------------------------------------------------------------------
 *
 * Time is counted in rows: what does not change who meets whom, such as steps
 * in which nothing is born, then does not change the search either. */

typedef enum pick_key {
    PICK_WIDTH, /* in rows */
    PICK_SIZE,
    PICK_AREA,
    PICK_TOTAL
} pick_key;

#define PICK_KEYS 3u

static const pick_key orders[SEARCH_ORDERS][PICK_KEYS] = {
    {PICK_WIDTH, PICK_AREA, PICK_TOTAL}, {PICK_TOTAL, PICK_AREA, PICK_WIDTH},
    {PICK_TOTAL, PICK_WIDTH, PICK_AREA}, {PICK_SIZE, PICK_WIDTH, PICK_TOTAL},
    {PICK_AREA, PICK_TOTAL, PICK_WIDTH}, {PICK_TOTAL, PICK_SIZE, PICK_WIDTH},
};

typedef struct pick_context {
    const search_world *world;
    const pick_key *keys;
} pick_context;

static uint64_t key_by(const search_world *world, pick_key key, uint32_t k)
{
    const search_class *kind = &world->kind[k];
    const uint64_t size = (uint64_t)kind->extent;
    const uint32_t width = kind->row_end[0] - kind->row_from[0];
    uint64_t area = UINT64_MAX;
    switch (key) {
    case PICK_WIDTH:
        return width;
    case PICK_SIZE:
        return size;
    case PICK_AREA:
        (void)berth_mul_u64(width, size, &area);
        return area;
    default:
        return (uint64_t)world->amount[k];
    }
}

/* The larger first. */
static bool picks_before(const void *context, uint32_t a, uint32_t b)
{
    const pick_context *by = context;
    for (uint32_t n = 0; n < PICK_KEYS; ++n) {
        const uint64_t x = key_by(by->world, by->keys[n], a);
        const uint64_t y = key_by(by->world, by->keys[n], b);
        if (x != y) {
            return x > y;
        }
    }
    return false;
}

/* The most that is live at a time while a class lives, into `amount`. */
static void total_classes(search_world *world)
{
    for (uint32_t k = 0; k < world->count; ++k) {
        world->amount[k] = 0;
    }
    for (uint32_t r = 0; r < world->row_count; ++r) {
        const uint64_t *member = search_member(world, r);
        int64_t total = 0;
        for (uint32_t pass = 0; pass < 2; ++pass) {
            for (uint32_t w = 0; w < world->words; ++w) {
                for (uint64_t set = member[w]; set != 0; set &= set - 1) {
                    const uint32_t k = w * 64 + search_lowest(set);
                    if (pass == 0) {
                        total += world->kind[k].height;
                    } else if (total > world->amount[k]) {
                        world->amount[k] = total;
                    }
                }
            }
        }
    }
}

void plan_search_rank(search_world *world)
{
    uint32_t *sorted = world->dirty; /* free while no search is on */
    uint32_t *spare = world->spare;
    total_classes(world);
    for (uint32_t o = 0; o < SEARCH_ORDERS; ++o) {
        const pick_context context = {world, orders[o]};
        for (uint32_t k = 0; k < world->count; ++k) {
            sorted[k] = k;
        }
        plan_sort(sorted, spare, world->count, picks_before, &context);
        for (uint32_t n = 0; n < world->count; ++n) {
            world->rank[o * world->count + sorted[n]] = n;
        }
    }
}

/* --- measures ----------------------------------------------------------------
 */

/* Slack is counted in parts of the target, so that products stay small. */
#define PICK_PARTS ((int64_t)1 << 20)
#define PICK_UNIT  (PICK_PARTS >> 10)

typedef struct pick_row {
    int64_t slack; /* in parts of the target */
    int64_t blame;
    uint32_t row;
    uint32_t class_rows; /* how many rows the class is in */
    int64_t level;
} pick_row;

typedef int64_t measure_of(const search_world *world, const pick_row *at);

static int64_t by_slack(const search_world *world, const pick_row *at)
{
    (void)world;
    return at->slack;
}

/* Tight, and few can lie at the bottom. */
static int64_t by_choice(const search_world *world, const pick_row *at)
{
    const uint64_t *member = search_member(world, at->row);
    int64_t options = 0;
    for (uint32_t w = 0; w < world->words; ++w) {
        for (uint64_t set = member[w] & world->open[w]; set != 0;
             set &= set - 1) {
            const uint32_t k = w * 64 + search_lowest(set);
            options += world->low[k] == at->level ? 1 : 0;
        }
    }
    return at->slack / PICK_UNIT * 64 + options;
}

static int64_t by_slack_of_wide(const search_world *world, const pick_row *at)
{
    (void)world;
    return at->slack * 1024 / (1 + (int64_t)at->class_rows);
}

static int64_t by_slack_of_blamed(const search_world *world, const pick_row *at)
{
    (void)world;
    return (at->slack + PICK_UNIT) * 16 / (1 + at->blame);
}

static int64_t by_blame(const search_world *world, const pick_row *at)
{
    (void)world;
    return -at->blame;
}

/* The sum over all rows of the class counts, or the least of them. */
static const struct {
    measure_of *of;
    bool sums;
} measures[] = {
    {by_slack_of_blamed, false}, {by_blame, true},          {by_slack, false},
    {by_choice, false},          {by_slack_of_wide, false}, {by_blame, false},
};

_Static_assert(sizeof(measures) / sizeof(measures[0]) == SEARCH_MEASURES,
               "as many measures as the policies count");

static int64_t measure_class(const search_world *world, uint32_t k,
                             uint32_t shift)
{
    measure_of *of = measures[world->measure].of;
    const bool sums = measures[world->measure].sums;
    const search_class *kind = &world->kind[k];
    pick_row at = {.level = world->low[k]};
    int64_t value = sums ? 0 : INT64_MAX;
    for (uint32_t f = 0; f < world->family_count; ++f) {
        at.class_rows = kind->row_end[f] - kind->row_from[f];
        for (at.row = kind->row_from[f]; at.row < kind->row_end[f]; ++at.row) {
            at.slack = (world->target - world->fill[at.row]) >> shift;
            at.blame = (int64_t)world->blame[at.row];
            const int64_t here = of(world, &at);
            if (sums) {
                value += here;
            } else {
                value = here < value ? here : value;
            }
        }
    }
    return value;
}

/* --- the choice --------------------------------------------------------------
 */

typedef struct pick_range {
    uint32_t born;
    uint32_t dead;
    int64_t level;  /* the lowest that may be next; INT64_MAX: none */
    uint32_t first; /* classes */
    uint32_t end;
} pick_range;

/* The component that holds the class decided last, or else the first. Classes
 * are sorted by birth, so components are runs of open ones. */
static pick_range find_range(const search_world *world)
{
    const bool parts = (world->rules & SEARCH_RULE_PARTS) != 0;
    const uint32_t here = world->kind[world->here].born;
    pick_range range = {.level = INT64_MAX};
    bool begun = false;
    for (uint32_t w = 0; w < world->words; ++w) {
        for (uint64_t set = world->open[w]; set != 0; set &= set - 1) {
            const uint32_t k = w * 64 + search_lowest(set);
            const search_class *kind = &world->kind[k];
            if (begun && parts && kind->born >= range.dead) {
                if (range.dead > here) {
                    return range; /* it holds `here`, or is the next after it */
                }
                begun = false;
            }
            if (!begun) {
                range = (pick_range){kind->born, 0, INT64_MAX, k, 0};
                begun = true;
            }
            range.dead = plan_max_u32(range.dead, kind->dead);
            range.end = k + 1;
            if (world->low[k] < range.level && !search_has(world->hanging, k)) {
                range.level = world->low[k];
            }
        }
    }
    return range;
}

uint32_t plan_search_pick(const search_world *world, uint32_t *born,
                          uint32_t *dead, bool *stuck)
{
    const pick_range range = find_range(world);
    const uint32_t *rank = world->rank + (size_t)world->order * world->count;
    uint32_t best = BERTH_NONE;
    int64_t least = INT64_MAX;
    uint32_t shift = 0;
    while (world->target >> shift >= 2 * PICK_PARTS) {
        ++shift;
    }
    for (uint32_t w = range.first / 64; w * 64 < range.end; ++w) {
        for (uint64_t set = world->open[w] & ~world->hanging[w]; set != 0;
             set &= set - 1) {
            const uint32_t k = w * 64 + search_lowest(set);
            if (k < range.first || k >= range.end ||
                world->low[k] != range.level) {
                continue;
            }
            const int64_t value = measure_class(world, k, shift);
            if (best == BERTH_NONE || value < least ||
                (value == least && rank[k] < rank[best])) {
                best = k;
                least = value;
            }
        }
    }
    *born = range.born;
    *dead = range.dead;
    *stuck = best == BERTH_NONE && range.end > 0;
    return best;
}

/* How far apart must two classes lie?
 *
 * Each pair of members that meet forbids an interval of the distance between
 * the two bottoms. Flat classes, all of whose members that have bytes start at
 * one height, forbid intervals around 0 only, or beside it: where their union
 * is one interval the pair is simple. Whoever lies above needs some distance,
 * and it does not matter what is between. In-place operators are of that kind.
 */
#include "plan/search_int.h"

void plan_search_measure(const search_world *world, search_class *kind)
{
    const plan_classes *classes = world->classes;
    int64_t top = INT64_MIN;
    int64_t first = 0;
    uint64_t steps = 0; /* all bits in which members differ from the first */
    kind->bottom = INT64_MAX;
    kind->height = INT64_MAX;
    for (uint32_t i = kind->root; i != BERTH_NONE; i = plan_next(classes, i)) {
        const int64_t size = (int64_t)world->problem->items[i].size;
        const int64_t shift = plan_shift(classes, i);
        if (size == 0) {
            continue;
        }
        first = kind->bottom == INT64_MAX ? shift : first;
        steps |= (uint64_t)(shift - first);
        kind->bottom = shift < kind->bottom ? shift : kind->bottom;
        kind->height = size < kind->height ? size : kind->height;
        top = shift + size > top ? shift + size : top;
    }
    kind->extent = top - kind->bottom;
    kind->stair = steps & ((uint64_t)0 - steps);
}

static bool spans_meet(const berth_problem *problem, uint32_t x, uint32_t y)
{
    const uint32_t x_count = plan_span_count(problem, x);
    const uint32_t y_count = plan_span_count(problem, y);
    uint32_t k = 0;
    uint32_t n = 0;
    while (k < x_count && n < y_count) {
        const berth_span s = plan_span(problem, x, k);
        const berth_span t = plan_span(problem, y, n);
        if (s.born < t.dead && t.born < s.dead) {
            return true;
        }
        k += s.dead <= t.dead ? 1u : 0u;
        n += s.dead <= t.dead ? 0u : 1u;
    }
    return false;
}

/* The link of items a < b, or NULL. A pinned item heeds none. */
static const berth_link *link_of(const berth_problem *problem, uint32_t a,
                                 uint32_t b)
{
    uint32_t from = 0;
    uint32_t end = problem->link_count;
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        const berth_link *link = &problem->links[middle];
        if (link->a < a || (link->a == a && link->b < b)) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    const berth_link *link = &problem->links[from];
    const uint32_t flags = problem->items[a].flags | problem->items[b].flags;
    return from < problem->link_count && link->a == a && link->b == b &&
                   (flags & BERTH_ITEM_PINNED) == 0
               ? link
               : NULL;
}

/* The distances from x to y that are forbidden while both live. */
static plan_bar bar_of_members(const berth_problem *problem, uint32_t x,
                               uint32_t y)
{
    const berth_link *link =
        x < y ? link_of(problem, x, y) : link_of(problem, y, x);
    if (problem->items[x].size == 0 || problem->items[y].size == 0 ||
        !spans_meet(problem, x, y)) {
        return (plan_bar){0, 0};
    }
    if (link == NULL) {
        return (plan_bar){-(int64_t)problem->items[y].size,
                          (int64_t)problem->items[x].size};
    }
    return x < y ? (plan_bar){link->lo, link->hi}
                 : (plan_bar){-link->hi, -link->lo};
}

/* The pairs of members of two classes, one after the other. */
typedef struct pair_walk {
    uint32_t x;
    uint32_t y;
    plan_bar bar; /* what this one forbids between the bottoms; never empty */
} pair_walk;

/* Goes to the next pair that forbids anything; begins where x is NONE. */
static bool next_pair(const search_world *world, const search_class *a,
                      const search_class *b, pair_walk *walk)
{
    const plan_classes *classes = world->classes;
    bool begins = walk->x == BERTH_NONE;
    walk->x = begins ? a->root : walk->x;
    for (;;) {
        walk->y = begins ? b->root : plan_next(classes, walk->y);
        begins = false;
        if (walk->y == BERTH_NONE) {
            walk->x = plan_next(classes, walk->x);
            if (walk->x == BERTH_NONE) {
                return false;
            }
            walk->y = b->root;
        }
        const plan_bar bar = bar_of_members(world->problem, walk->x, walk->y);
        if (bar.low < bar.high) {
            const int64_t by = plan_shift(classes, walk->x) - a->bottom -
                               plan_shift(classes, walk->y) + b->bottom;
            walk->bar = (plan_bar){bar.low + by, bar.high + by};
            return true;
        }
    }
}

search_apart plan_search_distance(const search_world *world, uint32_t a,
                                  uint32_t b)
{
    search_apart apart = {.simple = true};
    pair_walk walk = {.x = BERTH_NONE};
    bool across = false; /* one forbids 0 */
    while (next_pair(world, &world->kind[a], &world->kind[b], &walk)) {
        const plan_bar bar = walk.bar;
        apart.meets = true;
        apart.simple &= bar.low <= 0 && bar.high >= 0;
        across |= bar.low < 0 && bar.high > 0;
        apart.above = bar.high > apart.above ? bar.high : apart.above;
        apart.below = -bar.low > apart.below ? -bar.low : apart.below;
    }
    apart.simple &= across || apart.above == 0 || apart.below == 0;
    return apart;
}

bool plan_search_clash(const search_world *world, uint32_t a, uint32_t b,
                       plan_bar *bar)
{
    const int64_t distance = world->low[b] - world->low[a];
    bool grown = true;
    *bar = (plan_bar){distance, distance};
    while (grown) { /* as far as bars overlap */
        pair_walk walk = {.x = BERTH_NONE};
        grown = false;
        while (next_pair(world, &world->kind[a], &world->kind[b], &walk)) {
            if (walk.bar.low < bar->low && bar->low < walk.bar.high) {
                bar->low = walk.bar.low;
                grown = true;
            }
            if (walk.bar.low < bar->high && bar->high < walk.bar.high) {
                bar->high = walk.bar.high;
                grown = true;
            }
        }
    }
    return bar->low < bar->high;
}

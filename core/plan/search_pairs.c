/* How far apart must two classes lie?
 *
 * Flat classes only: all members that have bytes start at one height. Then each
 * pair of members that meet forbids an interval of the distance between the two
 * bottoms, and where all those intervals touch 0 their union is one interval:
 * whoever lies above needs some distance, and it does not matter what is
 * between. In-place operators are of that kind. */
#include "plan/search_int.h"

bool plan_search_is_flat(const search_world *world, uint32_t root,
                         int64_t *bottom, int64_t *least, int64_t *most)
{
    const plan_classes *classes = world->classes;
    bool first = true;
    for (uint32_t i = root; i != BERTH_NONE; i = plan_next(classes, i)) {
        const int64_t size = (int64_t)world->problem->items[i].size;
        const int64_t shift = plan_shift(classes, i);
        if (size == 0) {
            continue;
        }
        if (first) {
            *bottom = shift;
            *least = size;
            *most = size;
            first = false;
        } else if (shift != *bottom) {
            return false;
        }
        *least = size < *least ? size : *least;
        *most = size > *most ? size : *most;
    }
    return !first;
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
static plan_bar forbidden(const berth_problem *problem, uint32_t x, uint32_t y)
{
    const berth_link *link =
        x < y ? link_of(problem, x, y) : link_of(problem, y, x);
    if (link == NULL) {
        return (plan_bar){-(int64_t)problem->items[y].size,
                          (int64_t)problem->items[x].size};
    }
    return x < y ? (plan_bar){link->lo, link->hi}
                 : (plan_bar){-link->hi, -link->lo};
}

search_apart plan_search_distance(const search_world *world, uint32_t a,
                                  uint32_t b)
{
    const berth_problem *problem = world->problem;
    const plan_classes *classes = world->classes;
    search_apart apart = {.simple = true};
    bool across = false; /* one forbids 0 */
    const uint32_t root_a = world->kind[a].root;
    const uint32_t root_b = world->kind[b].root;
    for (uint32_t x = root_a; x != BERTH_NONE; x = plan_next(classes, x)) {
        for (uint32_t y = root_b; y != BERTH_NONE; y = plan_next(classes, y)) {
            if (problem->items[x].size == 0 || problem->items[y].size == 0 ||
                !spans_meet(problem, x, y)) {
                continue;
            }
            const plan_bar bar = forbidden(problem, x, y);
            if (bar.low >= bar.high) {
                continue;
            }
            apart.meets = true;
            apart.simple &= bar.low <= 0 && bar.high >= 0;
            across |= bar.low < 0 && bar.high > 0;
            apart.above = bar.high > apart.above ? bar.high : apart.above;
            apart.below = -bar.low > apart.below ? -bar.low : apart.below;
        }
    }
    apart.simple &= across || apart.above == 0 || apart.below == 0;
    return apart;
}

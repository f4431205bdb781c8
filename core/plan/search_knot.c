/* The search where shapes are strange: classes that are tied at different
 * heights hang over others, or leave holes.
 *
 * What can lie below what does not follow from an order then. Instead `low`
 * itself is looked at as a plan: if no two classes collide it is one. Else one
 * colliding pair is parted, this way or that way, and both are tried: each
 * choice is a distance that holds from now on, and `low` rises until all hold.
 * Whatever the shapes, alignments and links are, no plan is missed. */
#include "plan/search_int.h"

/* Rounds in which choices may lift one another, for each choice: where they go
 * on longer they do so in a circle. */
#define KNOT_ROUNDS 4u

/* What is known of a colliding pair. */
typedef struct knot_weight {
    int64_t lift;   /* the less that one of them must rise */
    int64_t height; /* where the upper of them lies */
} knot_weight;

/* Notes the pair as a frame. First comes what lifts less, or that the one lies
 * below who is the first in the world's order. */
static knot_weight weigh_knot(const search_world *world, uint32_t a, uint32_t b,
                              plan_bar bar, search_frame *frame)
{
    const uint32_t *rank = world->rank + (size_t)world->order * world->count;
    const int64_t distance = world->low[b] - world->low[a];
    const int64_t up = bar.high - distance;
    const int64_t down = distance - bar.low;
    const bool b_above =
        world->measure == SEARCH_BY_BLAME ? up <= down : rank[a] < rank[b];
    frame->item = b_above ? a : b;
    frame->other = b_above ? b : a;
    frame->above = b_above ? bar.high : -bar.low;
    frame->below = b_above ? -bar.low : bar.high;
    return (knot_weight){up < down ? up : down,
                         distance > 0 ? world->low[b] : world->low[a]};
}

/* Every other measure parts from below; the others what is hardest to part. */
static bool parts_before(const search_world *world, knot_weight a,
                         knot_weight b)
{
    if (world->measure % 2 == 1 && a.height != b.height) {
        return a.height < b.height;
    }
    return a.lift > b.lift;
}

/* No bar reaches beyond the two extents. */
static bool lie_apart(const search_world *world, uint32_t a, uint32_t b)
{
    const int64_t *low = world->low;
    return low[a] + world->kind[a].extent <= low[b] ||
           low[b] + world->kind[b].extent <= low[a];
}

bool plan_search_knot(search_world *world, search_frame *frame)
{
    knot_weight best = {0, INT64_MAX};
    for (uint32_t a = 0; a < world->count; ++a) {
        const uint64_t *near = search_near(world, a);
        for (uint32_t w = a / 64; w < world->words; ++w) {
            for (uint64_t set = near[w]; set != 0; set &= set - 1) {
                const uint32_t b = w * 64 + search_lowest(set);
                search_frame here = *frame;
                plan_bar bar;
                world->effort += 4;
                if (b < a || lie_apart(world, a, b)) {
                    continue;
                }
                world->effort += 64;
                if (!plan_search_clash(world, a, b, &bar)) {
                    continue;
                }
                const knot_weight weight = weigh_knot(world, a, b, bar, &here);
                if (best.lift == 0 || parts_before(world, weight, best)) {
                    best = weight;
                    *frame = here;
                }
            }
        }
    }
    return best.lift > 0;
}

/* False: the class cannot lie so high. */
static bool heed_choice(search_world *world, const search_frame *frame,
                        bool *changed)
{
    const uint32_t below = frame->refused ? frame->other : frame->item;
    const uint32_t above = frame->refused ? frame->item : frame->other;
    const int64_t by = frame->refused ? frame->below : frame->above;
    const int64_t low =
        search_align(&world->kind[above], world->low[below] + by);
    world->effort += 4;
    if (low <= world->low[above]) {
        return true;
    }
    *changed = true;
    return plan_search_lift(world, above, low);
}

bool plan_search_untie(search_world *world)
{
    bool changed = true;
    bool fits = true;
    uint32_t rounds = 0;
    while (fits && changed) {
        changed = false;
        for (uint32_t n = 0; fits && n < world->depth; ++n) {
            fits = heed_choice(world, &world->frame[n], &changed);
        }
        if (++rounds > KNOT_ROUNDS * (world->depth + 1)) {
            fits = false;
            world->failed = world->frame[world->depth - 1].item;
        }
    }
    return plan_search_conclude(world, fits);
}

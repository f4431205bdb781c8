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

/* Notes the pair as a frame: the cheaper way first. Returns what that costs. */
static int64_t weigh_knot(const search_world *world, uint32_t a, uint32_t b,
                          plan_bar bar, search_frame *frame)
{
    const int64_t distance = world->low[b] - world->low[a];
    const int64_t up = bar.high - distance;
    const int64_t down = distance - bar.low;
    const bool up_first = up <= down;
    frame->item = up_first ? a : b;
    frame->other = up_first ? b : a;
    frame->above = up_first ? bar.high : -bar.low;
    frame->below = up_first ? -bar.low : bar.high;
    return up_first ? up : down;
}

bool plan_search_knot(search_world *world, search_frame *frame)
{
    int64_t most = 0;
    for (uint32_t a = 0; a < world->count; ++a) {
        const uint64_t *near = search_near(world, a);
        for (uint32_t w = a / 64; w < world->words; ++w) {
            for (uint64_t set = near[w]; set != 0; set &= set - 1) {
                const uint32_t b = w * 64 + search_lowest(set);
                search_frame here = *frame;
                plan_bar bar;
                world->effort += 16;
                if (b < a || !plan_search_clash(world, a, b, &bar)) {
                    continue;
                }
                const int64_t cost = weigh_knot(world, a, b, bar, &here);
                if (cost > most) {
                    most = cost;
                    *frame = here;
                }
            }
        }
    }
    return most > 0;
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

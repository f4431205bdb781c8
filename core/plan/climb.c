/* Improves an order by small changes, as Vela's hill climb does: what ends at
 * the top is to be placed earlier, before one of those that share its time and
 * may have pushed it up. The random numbers are the same everywhere. */
#include "plan/plan_int.h"

#include <string.h>

/* xorshift64: never zero, so it never stops. */
static uint32_t climb_random(plan_climb *climb, uint32_t below)
{
    climb->random ^= climb->random << 13;
    climb->random ^= climb->random >> 7;
    climb->random ^= climb->random << 17;
    return (uint32_t)((climb->random >> 32) * below >> 32);
}

/* The item that reaches the peak, the first of several. */
static uint32_t top_item(const plan_engine *engine)
{
    const berth_problem *problem = engine->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        if (problem->items[i].size != 0 && engine->offset[i] != BERTH_NOWHERE &&
            engine->offset[i] + problem->items[i].size == engine->peak) {
            return i;
        }
    }
    return BERTH_NONE;
}

/* One of the items that share time with `item`, each with the same chance, or
 * `item` where it is alone. */
static uint32_t any_neighbour(plan_climb *climb, const plan_engine *engine,
                              uint32_t item)
{
    const plan_lives *lives = &engine->lives;
    uint32_t chosen = item;
    uint32_t seen = 0;
    for (uint32_t k = 0; k < plan_span_count(engine->problem, item); ++k) {
        const berth_span span = plan_span(engine->problem, item, k);
        const uint32_t end = plan_lives_from(lives, span.dead);
        uint32_t at = plan_lives_next(lives, 0, end, span.born);
        for (; at < end; at = plan_lives_next(lives, at + 1, end, span.born)) {
            if (lives->life[at].item != item &&
                climb_random(climb, ++seen) == 0) {
                chosen = lives->life[at].item;
            }
        }
    }
    return chosen;
}

static uint32_t place_in(const uint32_t *order, uint32_t count, uint32_t root)
{
    uint32_t at = 0;
    while (at < count && order[at] != root) {
        ++at;
    }
    return at;
}

/* Takes the class at `from` out and puts it in at `to`. */
static void reinsert(uint32_t *order, uint32_t from, uint32_t to)
{
    const uint32_t moved = order[from];
    if (from > to) {
        memmove(order + to + 1, order + to, (from - to) * sizeof(*order));
    } else {
        memmove(order + from, order + from + 1, (to - from) * sizeof(*order));
    }
    order[to] = moved;
}

void plan_climb_move(plan_climb *climb, const plan_engine *engine,
                     const plan_ranking *ranking)
{
    uint32_t *order = ranking->order;
    const uint32_t count = ranking->count;
    uint32_t item = top_item(engine);
    ++climb->rounds;
    if (item == BERTH_NONE) {
        return;
    }
    if (climb_random(climb, 4) == 0) {
        item = any_neighbour(climb, engine, item);
    }
    const uint32_t other = climb_random(climb, 4) == 0
                               ? order[climb_random(climb, count)]
                               : any_neighbour(climb, engine, item);
    const uint32_t from =
        place_in(order, count, plan_root(&engine->classes, item));
    const uint32_t to =
        place_in(order, count, plan_root(&engine->classes, other));
    /* What is fixed stays in front: it goes to its place, whoever is there. */
    if (from >= ranking->fixed_count && to >= ranking->fixed_count) {
        reinsert(order, from, to);
    }
}

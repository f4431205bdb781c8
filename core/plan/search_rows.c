/* Sets of classes of which no two may share bytes, each set alive at one step:
 * a row. Only rows that are no part of another count: those after the last
 * birth before a death. */
#include "plan/search_int.h"

#include <string.h>

static bool starts_before(const void *context, uint32_t a, uint32_t b)
{
    const plan_span_of *life = context;
    return life[a].born < life[b].born;
}

static bool ends_before(const void *context, uint32_t a, uint32_t b)
{
    const plan_span_of *life = context;
    return life[a].dead < life[b].dead;
}

/* The lives of this part, with classes for items, and their orders. */
static bool gather_part(search_world *world, const plan_trim *trim,
                        const uint32_t *class_of, uint32_t *count)
{
    *count = 0;
    for (uint32_t k = 0; k < trim->count; ++k) {
        const plan_span_of life = trim->life[k];
        const uint32_t owner = class_of[life.item];
        if (owner == BERTH_NONE || life.born >= life.dead) {
            continue;
        }
        if (*count == SEARCH_LIVES_MAX) {
            return false;
        }
        world->life[*count] = (plan_span_of){life.born, life.dead, owner};
        world->by_born[*count] = *count;
        world->by_dead[*count] = *count;
        ++*count;
    }
    plan_sort(world->by_born, world->spare, *count, starts_before, world->life);
    plan_sort(world->by_dead, world->spare, *count, ends_before, world->life);
    return true;
}

/* The row that was being built is done; the next begins as a copy. */
static bool end_row_at(search_world *world, uint32_t step)
{
    const size_t bytes = world->words * sizeof(uint64_t);
    const uint32_t row = world->row_count;
    if (row + 1 >= world->row_room) {
        return false;
    }
    world->row_step[row] = step;
    world->row_count = row + 1;
    memcpy(search_member(world, row + 1), search_member(world, row), bytes);
    return true;
}

static void leave_row(search_world *world, uint32_t *tally, uint32_t k)
{
    if (--tally[k] == 0) {
        search_drop(search_member(world, world->row_count), k);
    }
}

static bool sweep_rows(search_world *world, uint32_t life_count)
{
    uint32_t *tally = world->spare; /* by class: its lives just now */
    uint32_t gone = 0;
    uint32_t step = 0;
    bool grown = false;
    memset(tally, 0, world->count * sizeof(*tally));
    memset(search_member(world, world->row_count), 0,
           world->words * sizeof(uint64_t));
    for (uint32_t n = 0; n < life_count; ++n) {
        const plan_span_of *life = &world->life[world->by_born[n]];
        while (world->life[world->by_dead[gone]].dead <= life->born) {
            if (grown && !end_row_at(world, step)) {
                return false;
            }
            grown = false;
            leave_row(world, tally, world->life[world->by_dead[gone++]].item);
        }
        step = life->born;
        grown = true;
        ++tally[life->item];
        search_add(search_member(world, world->row_count), life->item);
    }
    return life_count == 0 || end_row_at(world, step);
}

/* The first row in [from, end) that is not before the step. */
static uint32_t row_from_step(const search_world *world, uint32_t from,
                              uint32_t end, uint32_t step)
{
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        if (world->row_step[middle] < step) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return from;
}

bool plan_search_find_rows(search_world *world, plan_trim *trim,
                           const uint32_t *class_of)
{
    world->row_count = 0;
    world->slice_count = 0;
    world->family_count = world->problem->link_count > 0 ? SEARCH_FAMILIES : 1;
    for (uint32_t f = 0; f < world->family_count; ++f) {
        const uint32_t from = world->row_count;
        uint32_t lives = 0;
        plan_trim_to(trim, f == 0 ? TRIM_NEWBORN : TRIM_DYING);
        if (!gather_part(world, trim, class_of, &lives) ||
            !sweep_rows(world, lives)) {
            return false;
        }
        for (uint32_t k = 0; k < world->count; ++k) {
            search_class *kind = &world->kind[k];
            kind->row_from[f] =
                row_from_step(world, from, world->row_count, kind->born);
            kind->row_end[f] =
                row_from_step(world, from, world->row_count, kind->dead);
            plan_search_slice(world, trim, k, f);
        }
    }
    return true;
}

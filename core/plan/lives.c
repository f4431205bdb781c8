/* Who that is placed lives at the same time?
 *
 * An implicit interval tree: all lives stand in one array by (born, item), and
 * a binary heap over groups of eight holds the latest death among those shown.
 * Whoever meets [born, dead) stands before the first life born at or after
 * `dead`, and dies after `born`; the heap skips groups that have died. Finding
 * k neighbours costs O(log n + k) and the whole takes 13 bytes a life. */
#include "plan/plan_int.h"

#include <string.h>

static uint32_t leaves_for(uint32_t life_count)
{
    uint32_t leaves = 1;
    while (leaves < life_count / PLAN_LIVES_GROUP + 1) {
        leaves *= 2;
    }
    return leaves;
}

bool plan_lives_need(const berth_problem *problem, size_t *bytes)
{
    uint32_t count = 0;
    return plan_life_count(problem, &count) &&
           BERTH_NEED(bytes, plan_life, count) &&
           BERTH_NEED(bytes, uint32_t, (size_t)leaves_for(count) * 2);
}

static bool life_before(const plan_life *a, uint32_t born, uint32_t item)
{
    return a->born < born || (a->born == born && a->item < item);
}

/* Lets the life at `from` sink to its place in the heap [0, end). */
static void sink_life(plan_life *life, uint32_t from, uint32_t end)
{
    const plan_life moved = life[from];
    for (;;) {
        /* A child of `from` may lie past 2^32 where end does not. */
        const uint64_t child = 2 * (uint64_t)from + 1;
        if (child >= end) {
            break;
        }
        uint32_t larger = (uint32_t)child;
        if (child + 1 < end && life_before(&life[larger], life[larger + 1].born,
                                           life[larger + 1].item)) {
            ++larger;
        }
        if (!life_before(&moved, life[larger].born, life[larger].item)) {
            break;
        }
        life[from] = life[larger];
        from = larger;
    }
    life[from] = moved;
}

/* Heap sort: in place, and no two lives are equal. */
static void sort_lives(plan_life *life, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sink_life(life, i, count);
    }
    for (uint32_t end = count; end-- > 1;) {
        const plan_life last = life[end];
        life[end] = life[0];
        life[0] = last;
        sink_life(life, 0, end);
    }
}

void plan_lives_init(plan_lives *lives, const berth_problem *problem,
                     berth_work *work)
{
    uint32_t count = 0;
    (void)plan_life_count(problem, &count);
    *lives = (plan_lives){.life = BERTH_TAKE(work, plan_life, count),
                          .leaf_count = leaves_for(count)};
    lives->latest = BERTH_TAKE(work, uint32_t, (size_t)lives->leaf_count * 2);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint32_t spans =
            problem->items[i].size == 0 ? 0 : plan_span_count(problem, i);
        for (uint32_t k = 0; k < spans; ++k) {
            const uint32_t born = plan_span(problem, i, k).born;
            lives->life[lives->count++] = (plan_life){born, i, 0};
        }
    }
    sort_lives(lives->life, lives->count);
    plan_lives_hide_all(lives);
}

void plan_lives_hide_all(plan_lives *lives)
{
    for (uint32_t i = 0; i < lives->count; ++i) {
        lives->life[i].dead = 0;
    }
    memset(lives->latest, 0,
           (size_t)lives->leaf_count * 2 * sizeof(*lives->latest));
}

/* The first life that does not stand before (born, item). */
static uint32_t find_life(const plan_lives *lives, uint32_t born, uint32_t item)
{
    uint32_t from = 0;
    uint32_t end = lives->count;
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        if (life_before(&lives->life[middle], born, item)) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return from;
}

uint32_t plan_lives_from(const plan_lives *lives, uint32_t step)
{
    return find_life(lives, step, 0);
}

void plan_lives_show(plan_lives *lives, const berth_problem *problem,
                     uint32_t item)
{
    if (problem->items[item].size == 0) {
        return; /* meets nobody, and stands nowhere */
    }
    for (uint32_t k = 0; k < plan_span_count(problem, item); ++k) {
        const berth_span span = plan_span(problem, item, k);
        const uint32_t at = find_life(lives, span.born, item);
        lives->life[at].dead = span.dead;
        uint32_t node = lives->leaf_count + at / PLAN_LIVES_GROUP;
        while (node > 0 && lives->latest[node] < span.dead) {
            lives->latest[node] = span.dead;
            node /= 2;
        }
    }
}

/* The latest death shown below a node of the heap. */
static uint32_t latest_below(const plan_lives *lives, uint32_t node)
{
    uint32_t latest = 0;
    if (node < lives->leaf_count) {
        return plan_max_u32(lives->latest[2 * node],
                            lives->latest[2 * node + 1]);
    }
    const uint32_t from = (node - lives->leaf_count) * PLAN_LIVES_GROUP;
    const uint32_t end = plan_min_u32(from + PLAN_LIVES_GROUP, lives->count);
    for (uint32_t at = from; at < end; ++at) {
        latest = plan_max_u32(latest, lives->life[at].dead);
    }
    return latest;
}

void plan_lives_hide(plan_lives *lives, const berth_problem *problem,
                     uint32_t item)
{
    if (problem->items[item].size == 0) {
        return;
    }
    for (uint32_t k = 0; k < plan_span_count(problem, item); ++k) {
        const berth_span span = plan_span(problem, item, k);
        const uint32_t at = find_life(lives, span.born, item);
        lives->life[at].dead = 0;
        uint32_t node = lives->leaf_count + at / PLAN_LIVES_GROUP;
        while (node > 0 && lives->latest[node] == span.dead) {
            lives->latest[node] = latest_below(lives, node);
            node /= 2;
        }
    }
}

/* The first life of the first group at or after `group` in which somebody dies
 * after `step`, or `end` where there is none before it. */
uint32_t plan_lives_group(const plan_lives *lives, uint32_t group, uint32_t end,
                          uint32_t step)
{
    uint32_t node = lives->leaf_count + group;
    while (lives->latest[node] <= step) {
        while (node % 2 == 1) {
            node /= 2; /* all to the right of this has been seen */
        }
        if (node == 0) {
            return end;
        }
        ++node;
    }
    while (node < lives->leaf_count) {
        node *= 2;
        node += lives->latest[node] <= step ? 1 : 0;
    }
    const uint64_t at = (uint64_t)(node - lives->leaf_count) * PLAN_LIVES_GROUP;
    return at < end ? (uint32_t)at : end;
}

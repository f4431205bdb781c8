/* Part after part, target after target.
 *
 * Steps that no class reaches beyond cut a problem into parts, and only the
 * part that makes the peak needs to be searched. How long a search takes varies
 * wildly with the order in which it looks, so there are many short ones, each
 * with the next policy, and now and then a longer one (Luby's sequence). Half
 * of them ask for the bound, the others for something between it and the peak,
 * until a search that is exhausted raises the bound or a plan lowers the peak.
 */
#include "plan/search_int.h"

#include <string.h>

/* The shortest search: so many nodes for each class. */
#define EXACT_NODES_PER_CLASS 2u

/* So many searches in a row that may have missed a plan are enough. */
#define EXACT_DOUBTS_MOST 64u

/* --- memory ------------------------------------------------------------------
 */

bool plan_exact_need(const berth_problem *problem, berth_effort effort,
                     size_t *bytes)
{
    const uint32_t items = problem->item_count;
    return plan_classes_need(problem, bytes) &&
           plan_trim_need(problem, bytes) &&
           plan_search_need(problem, effort, bytes) &&
           BERTH_NEED(bytes, berth_span, items) &&
           BERTH_NEED(bytes, uint32_t, items) &&
           BERTH_NEED(bytes, uint32_t, items);
}

static bool is_born_before(const void *context, uint32_t a, uint32_t b)
{
    const berth_span *hull = context;
    return hull[a].born < hull[b].born;
}

void plan_exact_take(plan_exact *exact, const berth_problem *problem,
                     berth_effort effort, berth_work *work)
{
    const uint32_t items = problem->item_count;
    plan_classes *classes = &exact->classes;
    *exact = (plan_exact){.problem = problem};
    /* Cannot fail: the ties have been walked by berth_problem_check(). */
    (void)plan_classes_init(classes, problem, work, NULL);
    plan_trim_init(&exact->trim, problem, work);
    plan_search_take(&exact->world, problem, classes, effort, work);
    exact->hull = BERTH_TAKE(work, berth_span, items);
    exact->order = BERTH_TAKE(work, uint32_t, items);
    exact->class_of = BERTH_TAKE(work, uint32_t, items);
    for (uint32_t i = 0; i < items; ++i) {
        if (plan_root(classes, i) == i) {
            const plan_shape shape = plan_shape_of(classes, i);
            exact->hull[i] = (berth_span){shape.born, shape.dead};
            if (!shape.empty) {
                exact->order[exact->count++] = i;
            }
        }
    }
    plan_sort(exact->order, exact->class_of, exact->count, is_born_before,
              exact->hull);
}

/* --- parts -------------------------------------------------------------------
 */

static uint64_t end_of(const plan_exact *exact, const plan_standing *standing,
                       uint32_t i)
{
    const uint64_t size = exact->problem->items[i].size;
    return size == 0 ? 0 : standing->offset[i] + size;
}

/* Who makes the peak. */
static uint32_t find_top(const plan_exact *exact, plan_standing *standing)
{
    uint32_t top = 0;
    for (uint32_t i = 1; i < exact->problem->item_count; ++i) {
        if (end_of(exact, standing, i) > end_of(exact, standing, top)) {
            top = i;
        }
    }
    standing->peak = end_of(exact, standing, top);
    return top;
}

/* Finds the part around an item. */
static void find_part(plan_exact *exact, uint32_t item)
{
    const uint32_t born = exact->hull[plan_root(&exact->classes, item)].born;
    uint32_t dead = 0;
    for (uint32_t n = 0; n < exact->count; ++n) {
        const berth_span hull = exact->hull[exact->order[n]];
        if (hull.born >= dead) {
            if (dead > born) {
                break;
            }
            exact->from = n;
        }
        dead = plan_max_u32(dead, hull.dead);
        exact->end = n + 1;
    }
}

/* False: no search can be made of the part that makes the peak. */
static bool begin_part(plan_exact *exact, plan_standing *standing)
{
    const bool was_in = exact->in_part;
    const uint32_t from = exact->from;
    find_part(exact, find_top(exact, standing));
    if (was_in && exact->from == from) {
        return true;
    }
    exact->in_part = plan_search_make(&exact->world, exact->order + exact->from,
                                      exact->end - exact->from, &exact->trim,
                                      exact->class_of);
    exact->attempt = 0;
    exact->doubts = 0;
    if (exact->in_part && (uint64_t)exact->world.least > standing->bound) {
        standing->bound = (uint64_t)exact->world.least;
    }
    return exact->in_part;
}

/* --- targets -----------------------------------------------------------------
 */

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ..., the n-th from 1 on. */
static uint64_t luby(uint32_t n)
{
    uint32_t span = 1;
    while (span < n) {
        span = 2 * span + 1;
    }
    while (span != n) {
        span = (span - 1) / 2;
        n = n > span ? n - span : n;
    }
    return ((uint64_t)span + 1) / 2;
}

/* How much of the distance between peak and bound is asked for, in quarters.
 * Their number has no divisor in common with those of the measures and orders,
 * and the longest searches, every 2^k-th, do not all meet the same. */
static const uint32_t shares[] = {4, 2, 1, 4, 2, 4, 1};

#define EXACT_SHARES ((uint32_t)(sizeof(shares) / sizeof(shares[0])))

/* A multiple of the grain below the peak: the capacity, or between bound and
 * peak. It may be below the bound, by less than a grain. */
static uint64_t choose_target(const plan_exact *exact,
                              const plan_standing *standing)
{
    const uint64_t grain = (uint64_t)exact->world.grain;
    const uint64_t distance = standing->peak - standing->bound;
    const uint32_t share = shares[exact->attempt / 2 % EXACT_SHARES];
    const uint64_t less = distance / 4 * share + distance % 4 * share / 4;
    uint64_t target = standing->peak - (less > 0 ? less : 1);
    if (standing->capacity >= standing->bound) {
        target = standing->capacity;
    }
    return target / grain * grain;
}

/* Every other search heeds the blame of earlier ones, in each order; those in
 * between take turns in how they look, so that the blame is well spread. Two
 * searches in a row have the same length. */
static search_answer pose_question(plan_exact *exact,
                                   const plan_standing *standing)
{
    search_world *world = &exact->world;
    const uint32_t turn = exact->attempt / 2;
    const bool blamed = exact->attempt % 2 == 0;
    const uint32_t others = SEARCH_MEASURES - 1;
    exact->target = choose_target(exact, standing);
    exact->search_end =
        world->nodes + luby(turn + 1) * world->count * EXACT_NODES_PER_CLASS;
    exact->in_search = true;
    ++exact->attempt;
    world->measure = blamed ? SEARCH_BY_BLAME : 1 + turn % others;
    world->order = (blamed ? turn : turn / others) % SEARCH_ORDERS;
    return plan_search_begin(world, (int64_t)exact->target);
}

/* --- answers -----------------------------------------------------------------
 */

static void take_plan(const plan_exact *exact, plan_standing *standing)
{
    const search_world *world = &exact->world;
    for (uint32_t k = 0; k < world->count; ++k) {
        const search_class *kind = &world->kind[k];
        const int64_t at = world->low[k] - kind->bottom;
        for (uint32_t i = kind->root; i != BERTH_NONE;
             i = plan_next(&exact->classes, i)) {
            standing->offset[i] =
                (uint64_t)(at + plan_shift(&exact->classes, i));
        }
    }
}

static void heed_answer(plan_exact *exact, plan_standing *standing,
                        search_answer answer)
{
    const search_world *world = &exact->world;
    exact->in_search = false;
    if (answer == SEARCH_FOUND) {
        take_plan(exact, standing);
        (void)find_top(exact, standing);
        exact->doubts = 0;
        return;
    }
    if (answer == SEARCH_NONE && !world->doubtful) {
        const uint64_t least = exact->target + (uint64_t)world->grain;
        standing->bound = least > standing->bound ? least : standing->bound;
        exact->doubts = 0;
        return;
    }
    if (answer == SEARCH_NONE) {
        ++exact->doubts;
        /* Classes that rest on one another in a circle: the other search can.
         */
        exact->world.strange |= !world->full;
    }
}

/* Asks the next question. False: there is none that can be answered. */
static bool ask_next(plan_exact *exact, plan_standing *standing)
{
    if (!begin_part(exact, standing) || exact->doubts == EXACT_DOUBTS_MOST) {
        return false;
    }
    if (!plan_is_answered(standing)) {
        const search_answer answer = pose_question(exact, standing);
        if (answer != SEARCH_LATER) {
            heed_answer(exact, standing, answer);
        }
    }
    return true;
}

bool plan_exact_more(plan_exact *exact, plan_standing *standing, uint64_t nodes)
{
    search_world *world = &exact->world;
    const uint64_t end = world->nodes + nodes;
    while (!plan_is_answered(standing)) {
        if (world->nodes >= end) {
            return false;
        }
        if (!exact->in_search) {
            if (!ask_next(exact, standing)) {
                return true;
            }
            continue;
        }
        const uint64_t stop = exact->search_end < end ? exact->search_end : end;
        const search_answer answer =
            plan_search_more(world, stop - world->nodes);
        if (answer != SEARCH_LATER || world->nodes >= exact->search_end) {
            heed_answer(exact, standing, answer);
        }
    }
    return true;
}

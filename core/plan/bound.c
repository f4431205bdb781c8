/* The live bound: what no plan can go under.
 *
 * At a step, blocks of which no two may overlap need room side by side. If all
 * start at multiples of a, no two of them touch one cell [k a, (k + 1) a): each
 * covers the first byte of every cell it touches. So they touch at least the
 * sum of up(s, a) / a cells, and the block in the highest one leaves unused
 * there at most max(up(s, a) - s). That gives the weight of the set for a;
 * blocks of smaller alignment are left out of it, and get their turn with a
 * smaller a.
 *
 * Which blocks? The live items without the newborn, and without the dying, that
 * may overlap others (trim.c).
 *
 * Tied items may overlap. The union of those of a class that live falls into
 * pieces; each counts as a block aligned as the item that it begins with.
 * Pinned items live always. Each set and each a is one sweep over births: the
 * sum is kept up to date, the largest slack is the root of a tree of maxima. */
#include "plan/trim_int.h"

#include <string.h>

typedef struct bound_sweep {
    const berth_problem *problem;
    plan_classes classes;
    plan_trim trim;
    uint32_t *by_born; /* lives; then the same by death */
    uint32_t *by_dead;
    uint32_t *spare;
    uint32_t *slack;    /* tree of maxima, leaves by root from item_count on */
    uint32_t *head;     /* by root: its live members by shift; NULL: no ties */
    uint32_t *follower; /* by item */
    uint32_t life_count;
    uint32_t align;
    uint64_t sum; /* of up(s, align) over the pieces alive */
    uint64_t bound;
    uint32_t step;
} bound_sweep;

bool plan_bound_need(const berth_problem *problem, size_t *bytes)
{
    const uint32_t items = problem->item_count;
    uint32_t lives = 0;
    return plan_life_count(problem, &lives) &&
           plan_classes_need(problem, bytes) &&
           plan_trim_need(problem, bytes) &&
           BERTH_NEED(bytes, uint32_t, (size_t)lives * 3) &&
           BERTH_NEED(bytes, uint32_t, (size_t)items * 2) &&
           (problem->tie_count == 0 ||
            BERTH_NEED(bytes, uint32_t, (size_t)items * 2));
}

static void take_sweep(bound_sweep *sweep, const berth_problem *problem,
                       berth_work *work)
{
    const uint32_t items = problem->item_count;
    uint32_t lives = 0;
    *sweep = (bound_sweep){.problem = problem, .step = BERTH_NONE};
    (void)plan_life_count(problem, &lives);
    (void)plan_classes_init(&sweep->classes, problem, work, NULL);
    plan_trim_init(&sweep->trim, problem, work);
    sweep->by_born = BERTH_TAKE(work, uint32_t, (size_t)lives * 3);
    sweep->by_dead = sweep->by_born + lives;
    sweep->spare = sweep->by_dead + lives;
    sweep->slack = BERTH_TAKE(work, uint32_t, (size_t)items * 2);
    if (problem->tie_count > 0) {
        sweep->head = BERTH_TAKE(work, uint32_t, (size_t)items * 2);
        sweep->follower = sweep->head + items;
    }
}

/* --- what is alive
 * -------------------------------------------------------------- */

static uint64_t round_up(uint64_t size, uint32_t align)
{
    return (size + align - 1u) & ~(uint64_t)(align - 1u);
}

static void count_piece(const bound_sweep *sweep, uint64_t size, uint32_t align,
                        uint64_t *sum, uint32_t *slack)
{
    if (align >= sweep->align) {
        const uint64_t cells = round_up(size, sweep->align);
        *sum += cells;
        *slack = plan_max_u32(*slack, (uint32_t)(cells - size));
    }
}

/* The pieces that a class is in now. */
static void weigh_class(const bound_sweep *sweep, uint32_t root, uint64_t *sum,
                        uint32_t *slack)
{
    const berth_problem *problem = sweep->problem;
    uint32_t i = sweep->head[root];
    while (i != BERTH_NONE) {
        const uint32_t align = plan_item_align(problem, i);
        const int64_t from = plan_shift(&sweep->classes, i);
        int64_t end = from;
        /* All that begin before the piece so far ends belong to it. */
        do {
            const int64_t high = plan_shift(&sweep->classes, i) +
                                 (int64_t)problem->items[i].size;
            end = high > end ? high : end;
            i = sweep->follower[i];
        } while (i != BERTH_NONE && plan_shift(&sweep->classes, i) < end);
        count_piece(sweep, (uint64_t)(end - from), align, sum, slack);
    }
}

static void enlist(bound_sweep *sweep, uint32_t root, uint32_t item)
{
    uint32_t *link = &sweep->head[root];
    while (*link != BERTH_NONE && plan_shift(&sweep->classes, *link) <
                                      plan_shift(&sweep->classes, item)) {
        link = &sweep->follower[*link];
    }
    sweep->follower[item] = *link;
    *link = item;
}

static void delist(bound_sweep *sweep, uint32_t root, uint32_t item)
{
    uint32_t *link = &sweep->head[root];
    while (*link != item) {
        link = &sweep->follower[*link];
    }
    *link = sweep->follower[item];
}

static void set_slack(bound_sweep *sweep, uint32_t root, uint32_t slack)
{
    uint32_t *tree = sweep->slack;
    uint32_t node = sweep->problem->item_count + root;
    if (tree[node] == slack) {
        return;
    }
    tree[node] = slack;
    for (node /= 2; node >= 1; node /= 2) {
        const uint32_t most = plan_max_u32(tree[2 * node], tree[2 * node + 1]);
        if (tree[node] == most) {
            break;
        }
        tree[node] = most;
    }
}

/* An item is born or dies: its class weighs something else from now on. */
static void change(bound_sweep *sweep, uint32_t item, bool born)
{
    const uint32_t root = plan_root(&sweep->classes, item);
    uint64_t before = 0;
    uint64_t after = 0;
    uint32_t slack = 0;
    if (sweep->head == NULL) {
        const uint32_t align = plan_item_align(sweep->problem, item);
        uint64_t *weight = born ? &after : &before;
        count_piece(sweep, sweep->problem->items[item].size, align, weight,
                    &slack);
        slack = born ? slack : 0;
    } else {
        weigh_class(sweep, root, &before, &slack);
        slack = 0;
        if (born) {
            enlist(sweep, root, item);
        } else {
            delist(sweep, root, item);
        }
        weigh_class(sweep, root, &after, &slack);
    }
    sweep->sum += after - before; /* modulo 2^64: the sum itself is >= 0 */
    set_slack(sweep, root, slack);
}

/* --- the sweep
 * ------------------------------------------------------------------ */

static void sweep_once(bound_sweep *sweep, uint32_t align)
{
    const uint32_t items = sweep->problem->item_count;
    const plan_span_of *life = sweep->trim.life;
    uint32_t dead = 0;
    sweep->align = align;
    sweep->sum = 0;
    memset(sweep->slack, 0, (size_t)items * 2 * sizeof(*sweep->slack));
    for (uint32_t i = 0; sweep->head != NULL && i < items; ++i) {
        sweep->head[i] = BERTH_NONE;
    }
    for (uint32_t k = 0; k < sweep->life_count; ++k) {
        const plan_span_of *newborn = &life[sweep->by_born[k]];
        while (life[sweep->by_dead[dead]].dead <= newborn->born) {
            change(sweep, life[sweep->by_dead[dead++]].item, false);
        }
        change(sweep, newborn->item, true);
        /* A weight in the midst of a step's births is one of a subset. */
        const uint64_t weight = sweep->sum - sweep->slack[1];
        if (weight > sweep->bound) {
            sweep->bound = weight;
            sweep->step = newborn->born;
        }
    }
}

static bool born_before(const void *context, uint32_t a, uint32_t b)
{
    const plan_span_of *life = context;
    return life[a].born < life[b].born;
}

static bool dies_before(const void *context, uint32_t a, uint32_t b)
{
    const plan_span_of *life = context;
    return life[a].dead < life[b].dead;
}

/* Leaves out lives that were trimmed to nothing and sorts the others. */
static void sort_events(bound_sweep *sweep)
{
    const plan_trim *trim = &sweep->trim;
    uint32_t count = 0;
    for (uint32_t k = 0; k < trim->count; ++k) {
        if (trim->life[k].born < trim->life[k].dead) {
            sweep->by_born[count] = k;
            sweep->by_dead[count] = k;
            ++count;
        }
    }
    plan_sort(sweep->by_born, sweep->spare, count, born_before, trim->life);
    plan_sort(sweep->by_dead, sweep->spare, count, dies_before, trim->life);
    sweep->life_count = count;
}

static void sweep_set(bound_sweep *sweep, plan_trim_set set)
{
    const berth_problem *problem = sweep->problem;
    uint32_t aligns = 0;
    plan_trim_to(&sweep->trim, set);
    sort_events(sweep);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        aligns |= plan_item_align(problem, i);
    }
    for (; aligns != 0; aligns &= aligns - 1u) {
        sweep_once(sweep, aligns & (0u - aligns));
    }
}

/* The ends of items whose place is given, by themselves or by a tie. */
static void heed_fixed(bound_sweep *sweep)
{
    const berth_problem *problem = sweep->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if (item->fixed != BERTH_NOWHERE && plan_counts(problem, i) &&
            item->fixed + item->size > sweep->bound) {
            sweep->bound = item->fixed + item->size;
            sweep->step = plan_span(problem, i, 0).born;
        }
    }
}

void plan_bound_find(const berth_problem *problem, berth_work work,
                     uint64_t *bound, uint32_t *step)
{
    bound_sweep sweep;
    take_sweep(&sweep, problem, &work);
    sweep_set(&sweep, TRIM_NEWBORN);
    if (problem->link_count > 0) {
        sweep_set(&sweep, TRIM_DYING);
    }
    heed_fixed(&sweep);
    *bound = sweep.bound;
    *step = sweep.step;
}

/* Places one class among those placed before.
 *
 * Each placed item that lives at the same time as a member of the class bars an
 * open interval of offsets to it (design: default interval, or a link's). The
 * bars are sorted by their lower end; one sweep with a running maximum of the
 * upper ends then meets every gap from the bottom up. Nothing else is needed
 * for links, for ties with members at negative shifts, or for both peers.
 *
 * A class of m members may meet m * n bars. So that memory stays linear the
 * bars come in windows: when the buffer is full the upper half is dropped and
 * gathered again once the sweep has come that far. Without ties one window
 * holds all, and the shelf has most of the bars sorted already. */
#include "plan/plan_int.h"

#include <string.h>

/* Room for as many bars as there are lives, and a few more so that a window
 * can always make progress. */
#define PLACE_BARS_MIN 8u

/* With fewer lives than this, sorting is cheaper than keeping a shelf. */
#define PLACE_SHELF_LIVES 128u

/* Where fewer than one item in so many is a neighbour, each is a line of memory
 * of its own on the shelf, but not in the order of births. */
#define PLACE_SHELF_SPARSE 512u

static bool bar_count_for(const berth_problem *problem, uint32_t *count)
{
    const bool fits = plan_life_count(problem, count);
    *count += PLACE_BARS_MIN;
    return fits;
}

bool plan_engine_need(const berth_problem *problem, size_t *bytes)
{
    uint32_t bars = 0;
    const uint32_t items = problem->item_count;
    return bar_count_for(problem, &bars) && plan_classes_need(problem, bytes) &&
           plan_lives_need(problem, bytes) && plan_shelf_need(problem, bytes) &&
           BERTH_NEED(bytes, uint64_t, items) &&
           BERTH_NEED(bytes, uint64_t, items) &&
           BERTH_NEED(bytes, plan_bar, (size_t)bars * 2) &&
           (problem->link_count == 0 ||
            (BERTH_NEED(bytes, uint32_t, (size_t)items * 3) &&
             BERTH_NEED(bytes, uint32_t, problem->link_count)));
}

/* The links in the order of b, and where those of each item begin. */
static void index_links(plan_engine *engine)
{
    const berth_problem *problem = engine->problem;
    uint32_t *at = engine->partner; /* by item: where its next one goes */
    uint32_t by_a = 0;
    uint32_t by_b = 0;
    memset(at, 0, problem->item_count * sizeof(*at));
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        ++at[problem->links[k].b];
    }
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        while (by_a < problem->link_count && problem->links[by_a].a < i) {
            ++by_a;
        }
        const uint32_t links = at[i];
        engine->first_a[i] = by_a;
        engine->first_b[i] = by_b;
        at[i] = by_b;
        by_b += links;
    }
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        engine->by_b[at[problem->links[k].b]++] = k;
    }
    memset(at, 0, problem->item_count * sizeof(*at));
}

berth_status plan_engine_init(plan_engine *engine, const berth_problem *problem,
                              berth_work *work, berth_diag *diag)
{
    *engine = (plan_engine){.problem = problem};
    (void)bar_count_for(problem, &engine->bar_capacity);
    BERTH_TRY(plan_classes_init(&engine->classes, problem, work, diag));
    plan_lives_init(&engine->lives, problem, work);
    plan_shelf_take(&engine->shelf, problem, work);
    engine->shelved = engine->lives.count >= PLACE_SHELF_LIVES;
    engine->offset = BERTH_TAKE(work, uint64_t, problem->item_count);
    engine->end = BERTH_TAKE(work, uint64_t, problem->item_count);
    engine->bar = BERTH_TAKE(work, plan_bar, (size_t)engine->bar_capacity * 2);
    if (problem->link_count > 0) {
        engine->partner =
            BERTH_TAKE(work, uint32_t, (size_t)problem->item_count * 3);
        engine->first_a = engine->partner + problem->item_count;
        engine->first_b = engine->first_a + problem->item_count;
        engine->by_b = BERTH_TAKE(work, uint32_t, problem->link_count);
        index_links(engine);
    }
    return BERTH_OK;
}

void plan_engine_clear(plan_engine *engine)
{
    for (uint32_t i = 0; i < engine->problem->item_count; ++i) {
        engine->offset[i] = BERTH_NOWHERE;
    }
    plan_lives_hide_all(&engine->lives);
    plan_shelf_clear(&engine->shelf);
    engine->peak = 0;
}

/* --- bars -------------------------------------------------------------------
 */

/* A pinned item heeds no link. */
void plan_mark_partners(plan_engine *engine, uint32_t self, bool marked)
{
    const berth_problem *problem = engine->problem;
    const berth_link *links = problem->links;
    const uint32_t count = problem->link_count;
    if (count == 0 || (problem->items[self].flags & BERTH_ITEM_PINNED) != 0) {
        return;
    }
    uint32_t k = engine->first_a[self];
    for (; k < count && links[k].a == self; ++k) {
        engine->partner[links[k].b] = marked ? k + 1 : 0;
    }
    k = engine->first_b[self];
    for (; k < count && links[engine->by_b[k]].b == self; ++k) {
        const uint32_t link = engine->by_b[k];
        engine->partner[links[link].a] = marked ? link + 1 : 0;
    }
}

plan_bar plan_bar_of_link(const plan_engine *engine, uint32_t self,
                          uint32_t other, int64_t base)
{
    const berth_link *link =
        &engine->problem->links[engine->partner[other] - 1u];
    return self == link->b ? (plan_bar){base + link->lo, base + link->hi}
                           : (plan_bar){base - link->hi, base - link->lo};
}

static void sort_bars(plan_engine *engine)
{
    plan_sort_bars(engine->bar, engine->bar + engine->bar_capacity,
                   engine->bar_count, engine->tally);
}

static void count_bars(plan_engine *engine, uint32_t bars)
{
    engine->bars_seen += (uint64_t)bars + 1u;
    engine->neighbours = engine->neighbours / 8u * 7u + bars / 8u;
}

/* Makes room: keeps the lower bars only, each lower end once, and returns the
 * lower end of the first one dropped, or `limit` if none had to be. */
static int64_t drop_upper_half(plan_engine *engine, int64_t limit)
{
    plan_bar *bar = engine->bar;
    sort_bars(engine);
    uint32_t kept = 0;
    for (uint32_t i = 1; i < engine->bar_count; ++i) {
        if (bar[i].low != bar[kept].low) {
            bar[++kept] = bar[i];
        } else if (bar[i].high > bar[kept].high) {
            bar[kept].high = bar[i].high;
        }
    }
    engine->bar_count = kept + 1;
    if (engine->bar_count > engine->bar_capacity / 2) {
        engine->bar_count = engine->bar_capacity / 2;
        limit = bar[engine->bar_count].low;
    }
    return limit;
}

/* Bars of one member; see gather_bars(). */
static int64_t gather_member(plan_engine *engine, uint32_t self, int64_t from,
                             int64_t limit)
{
    const berth_problem *problem = engine->problem;
    const plan_lives *lives = &engine->lives;
    const int64_t shift = plan_shift(&engine->classes, self);
    const int64_t size = plan_padded_size(engine, self);
    for (uint32_t k = 0; k < plan_span_count(problem, self); ++k) {
        const berth_span span = plan_span(problem, self, k);
        const uint32_t end = plan_lives_from(lives, span.dead);
        uint32_t at = plan_lives_next(lives, 0, end, span.born);
        for (; at < end; at = plan_lives_next(lives, at + 1, end, span.born)) {
            const plan_bar bar = plan_bar_between(
                engine, self, lives->life[at].item, shift, size);
            if (bar.low >= bar.high || bar.low < from || bar.low >= limit) {
                continue;
            }
            if (engine->bar_count == engine->bar_capacity) {
                limit = drop_upper_half(engine, limit);
            }
            if (bar.low < limit) {
                engine->bar[engine->bar_count++] = bar;
            }
        }
    }
    return limit;
}

/* Gathers, sorted, all bars whose lower end lies in [from, limit) and returns
 * limit: INT64_MAX when the buffer held all. */
static int64_t gather_bars(plan_engine *engine, uint32_t root, int64_t from)
{
    int64_t limit = INT64_MAX;
    engine->bar_count = 0;
    for (uint32_t i = root; i != BERTH_NONE;
         i = plan_next(&engine->classes, i)) {
        if (engine->problem->items[i].size != 0) {
            plan_mark_partners(engine, i, true);
            limit = gather_member(engine, i, from, limit);
            plan_mark_partners(engine, i, false);
        }
        if (engine->owners_only) {
            break;
        }
    }
    sort_bars(engine);
    count_bars(engine, engine->bar_count);
    return limit;
}

/* --- the sweep --------------------------------------------------------------
 */

typedef struct place_search {
    const plan_shape *shape;
    plan_fit fit;
    int64_t free_from; /* all below is barred or has been looked at */
    int64_t aligned;   /* the same, aligned */
    int64_t at;        /* the place chosen so far, or -1 */
    int64_t slack;     /* what it leaves free above */
} place_search;

/* Looks at the gap below a bar; true when the search is over. */
static inline bool meet_bar(place_search *search, plan_bar bar)
{
    if (search->aligned <= bar.low &&
        bar.low - search->aligned < search->slack) {
        search->at = search->aligned;
        if (search->fit == FIT_FIRST) {
            return true;
        }
        search->slack = bar.low - (search->fit == FIT_TFLITE ? search->free_from
                                                             : search->aligned);
    }
    if (bar.high > search->free_from) {
        search->free_from = bar.high;
        search->aligned = plan_align_root(search->shape, bar.high);
    }
    return false;
}

static bool sweep_bars(const plan_engine *engine, place_search *search)
{
    for (uint32_t i = 0; i < engine->bar_count; ++i) {
        if (meet_bar(search, engine->bar[i])) {
            return true;
        }
    }
    return false;
}

/* Any class, window after window. */
static void search_windows(plan_engine *engine, uint32_t root,
                           place_search *search)
{
    int64_t from = INT64_MIN;
    while (from != INT64_MAX) {
        from = gather_bars(engine, root, from);
        if (sweep_bars(engine, search)) {
            return;
        }
    }
}

/* --- the search of one item, on the shelf
 * ------------------------------------ */

/* Marks the neighbours that have a rank; the bars of the others are gathered
 * and sorted. False where there are too many of them. */
static bool mark_neighbours(plan_engine *engine, uint32_t self)
{
    const berth_problem *problem = engine->problem;
    const plan_lives *lives = &engine->lives;
    const int64_t size = plan_padded_size(engine, self);
    uint32_t seen = 0;
    engine->bar_count = 0;
    for (uint32_t k = 0; k < plan_span_count(problem, self); ++k) {
        const berth_span span = plan_span(problem, self, k);
        const uint32_t end = plan_lives_from(lives, span.dead);
        uint32_t at = plan_lives_next(lives, 0, end, span.born);
        for (; at < end; at = plan_lives_next(lives, at + 1, end, span.born)) {
            const uint32_t other = lives->life[at].item;
            ++seen;
            if (plan_has_rank(&engine->shelf, other) &&
                (engine->partner == NULL || engine->partner[other] == 0)) {
                plan_shelf_mark(&engine->shelf, other);
                continue;
            }
            const plan_bar bar = plan_bar_between(engine, self, other, 0, size);
            if (engine->bar_count == engine->bar_capacity) {
                return false;
            }
            if (bar.low < bar.high) {
                engine->bar[engine->bar_count++] = bar;
            }
        }
    }
    sort_bars(engine);
    count_bars(engine, seen);
    return true;
}

/* Sweeps over marks and bars together; true when the search is over. */
static bool sweep_shelf(plan_engine *engine, uint32_t self,
                        place_search *search)
{
    plan_shelf *shelf = &engine->shelf;
    const int64_t size = plan_padded_size(engine, self);
    uint32_t next = 0;
    uint32_t word = 0;
    uint64_t bits = plan_shelf_next_word(shelf, &word);
    for (; bits != 0; bits = plan_shelf_next_word(shelf, &word)) {
        for (; bits != 0; bits &= bits - 1u) {
            const uint32_t i = shelf->item[word * 64u + plan_lowest_bit(bits)];
            const plan_bar bar = {(int64_t)engine->offset[i] - size,
                                  (int64_t)engine->end[i]};
            while (next < engine->bar_count &&
                   engine->bar[next].low < bar.low) {
                if (meet_bar(search, engine->bar[next++])) {
                    return true;
                }
            }
            if (meet_bar(search, bar)) {
                return true;
            }
        }
    }
    while (next < engine->bar_count) {
        if (meet_bar(search, engine->bar[next++])) {
            return true;
        }
    }
    return false;
}

/* False where it cannot be told so. */
static bool search_shelf(plan_engine *engine, uint32_t self,
                         place_search *search)
{
    plan_shelf_tidy(engine);
    plan_mark_partners(engine, self, true);
    const bool marked = mark_neighbours(engine, self);
    plan_mark_partners(engine, self, false);
    if (marked) {
        (void)sweep_shelf(engine, self, search);
    }
    plan_shelf_forget(&engine->shelf);
    return marked;
}

/* One item, and neighbours enough. */
static bool suits_shelf(const plan_engine *engine, uint32_t root)
{
    return engine->shelved &&
           (uint64_t)engine->neighbours * PLACE_SHELF_SPARSE >=
               engine->shelf.capacity &&
           (engine->owners_only ||
            plan_next(&engine->classes, root) == BERTH_NONE);
}

static int64_t find_offset(plan_engine *engine, uint32_t root,
                           const plan_shape *shape, plan_fit fit)
{
    place_search search = {.shape = shape,
                           .fit = fit,
                           .free_from = -shape->low,
                           .aligned = plan_align_root(shape, -shape->low),
                           .at = -1,
                           .slack = INT64_MAX};
    if (!suits_shelf(engine, root) || !search_shelf(engine, root, &search)) {
        search_windows(engine, root, &search);
    }
    return search.at >= 0 ? search.at : search.aligned;
}

/* --- placing ----------------------------------------------------------------
 */

void plan_settle(plan_engine *engine, uint32_t root, int64_t at)
{
    for (uint32_t i = root; i != BERTH_NONE;
         i = plan_next(&engine->classes, i)) {
        const uint64_t offset =
            (uint64_t)(at + plan_shift(&engine->classes, i));
        const uint64_t end = offset + engine->problem->items[i].size;
        engine->offset[i] = offset;
        engine->end[i] = offset + (uint64_t)plan_padded_size(engine, i);
        if (engine->problem->items[i].size != 0 && end > engine->peak) {
            engine->peak = end;
        }
        if (!engine->owners_only || i == root) {
            plan_lives_show(&engine->lives, engine->problem, i);
            if (engine->shelved) {
                plan_shelf_put(engine, i);
            }
        }
    }
}

void plan_unplace(plan_engine *engine, uint32_t root)
{
    for (uint32_t i = root; i != BERTH_NONE;
         i = plan_next(&engine->classes, i)) {
        engine->offset[i] = BERTH_NOWHERE;
        plan_lives_hide(&engine->lives, engine->problem, i);
        if (engine->shelved) {
            plan_shelf_take_down(engine, i);
        }
    }
}

bool plan_place_under(plan_engine *engine, uint32_t root, plan_fit fit,
                      int64_t ceiling)
{
    const plan_shape shape = plan_shape_of(&engine->classes, root);
    int64_t at = 0;
    if (shape.fixed >= 0) {
        at = shape.fixed;
    } else if (shape.empty) {
        at = plan_align_root(&shape, -shape.low);
    } else if (fit == FIT_ON_TOP) {
        at = plan_align_root(&shape, (int64_t)engine->peak - shape.low);
    } else {
        at = find_offset(engine, root, &shape, fit);
    }
    if (shape.fixed < 0 && !shape.empty && at + shape.high > ceiling) {
        return false;
    }
    plan_settle(engine, root, at);
    return true;
}

void plan_place(plan_engine *engine, uint32_t root, plan_fit fit)
{
    (void)plan_place_under(engine, root, fit, INT64_MAX);
}

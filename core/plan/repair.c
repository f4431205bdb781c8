/* Packs under a ceiling, by ejection.
 *
 * Classes come in the order of a ranking and go where they fit below the
 * ceiling. One that finds no gap waits; when all others are placed, those that
 * wait are taken again, the dearest first, and put where what stands in the way
 * is cheapest: that is thrown out and waits in turn. Each time a class is
 * thrown out it gets dearer, so that no two chase each other for ever. This
 * ends with a plan at or under the ceiling, or when the solver has had enough
 * of it.
 *
 * A price begins at size times time. Whatever bars an offset p lies below it at
 * its lower end and above it at its upper one, so the price of p is the sum
 * over lower ends under p less that over upper ends at or under p; only upper
 * ends need be tried, since from anywhere else one can slide down to the next
 * one without meeting more. O(k log k) for k bars.
 *
 * Ejection chains: Glover 1996. Costs that learn: Morris 1993. */
#include "plan/plan_int.h"

/* A price begins below the first and never passes the second, so that the sum
 * over 2^28 lives stays below the third, which is what fixed bars cost: of them
 * so many fit 63 bits. */
#define REPAIR_PRICE_BEGIN ((uint64_t)1 << 20)
#define REPAIR_PRICE_MOST  ((uint64_t)1 << 26)
#define REPAIR_PRICE_FIXED ((uint64_t)1 << 54)
#define REPAIR_FIXED_MOST  511u

bool plan_repair_need(const berth_problem *problem, size_t *bytes)
{
    uint32_t lives = 0;
    return plan_life_count(problem, &lives) &&
           BERTH_NEED(bytes, uint64_t, problem->item_count) &&
           BERTH_NEED(bytes, uint32_t, problem->item_count) &&
           BERTH_NEED(bytes, plan_bar, lives);
}

void plan_repair_take(plan_repair *repair, const berth_problem *problem,
                      berth_work *work)
{
    *repair = (plan_repair){0};
    (void)plan_life_count(problem, &repair->capacity);
    repair->price = BERTH_TAKE(work, uint64_t, problem->item_count);
    repair->waiting = BERTH_TAKE(work, uint32_t, problem->item_count);
    repair->high = BERTH_TAKE(work, plan_bar, repair->capacity);
}

/* --- prices -----------------------------------------------------------------
 */

static uint64_t first_price(const plan_repair *repair, const plan_shape *shape)
{
    return (plan_area(shape) >> repair->price_shift) + 1u;
}

static void set_prices(plan_repair *repair)
{
    const plan_ranking *ranking = repair->ranking;
    const plan_classes *classes = &repair->engine->classes;
    uint64_t largest = 0;
    for (uint32_t k = 0; k < ranking->count; ++k) {
        const plan_shape shape = plan_shape_of(classes, ranking->order[k]);
        const uint64_t area = plan_area(&shape);
        largest = area > largest ? area : largest;
    }
    repair->price_shift = 0;
    while (largest >> repair->price_shift >= REPAIR_PRICE_BEGIN) {
        ++repair->price_shift;
    }
    for (uint32_t k = 0; k < ranking->count; ++k) {
        const uint32_t root = ranking->order[k];
        const plan_shape shape = plan_shape_of(classes, root);
        repair->price[root] =
            shape.fixed >= 0 ? REPAIR_PRICE_FIXED : first_price(repair, &shape);
    }
}

static void raise_price(plan_repair *repair, uint32_t root)
{
    const plan_shape shape = plan_shape_of(&repair->engine->classes, root);
    const uint64_t price = repair->price[root] + first_price(repair, &shape);
    repair->price[root] = price < REPAIR_PRICE_MOST ? price : REPAIR_PRICE_MOST;
}

/* --- those that wait: a heap, the dearest at its top -------------------------
 */

static bool waits_before(const plan_repair *repair, uint32_t a, uint32_t b)
{
    const uint64_t *price = repair->price;
    return price[a] != price[b] ? price[a] > price[b] : a < b;
}

static void let_wait(plan_repair *repair, uint32_t root)
{
    uint32_t *heap = repair->waiting;
    uint32_t at = repair->waiting_count++;
    while (at > 0 && waits_before(repair, root, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = root;
}

static uint32_t take_waiting(plan_repair *repair)
{
    uint32_t *heap = repair->waiting;
    const uint32_t first = heap[0];
    const uint32_t count = --repair->waiting_count;
    const uint32_t last = heap[count];
    uint32_t at = 0;
    while (at < count / 2) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count &&
            waits_before(repair, heap[child + 1], heap[child])) {
            ++child;
        }
        if (!waits_before(repair, heap[child], last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* --- who is in the way ------------------------------------------------------
 */

/* Told of a bar that the class being placed meets, and of who owns it. */
typedef void repair_visit(plan_repair *repair, plan_bar bar, uint32_t owner);

static void visit_member(plan_repair *repair, uint32_t self,
                         repair_visit *visit)
{
    const plan_engine *engine = repair->engine;
    const berth_problem *problem = engine->problem;
    const plan_lives *lives = &engine->lives;
    const int64_t shift = plan_shift(&engine->classes, self);
    const int64_t size = plan_padded_size(engine, self);
    for (uint32_t k = 0; k < plan_span_count(problem, self); ++k) {
        const berth_span span = plan_span(problem, self, k);
        const uint32_t end = plan_lives_from(lives, span.dead);
        uint32_t at = plan_lives_next(lives, 0, end, span.born);
        for (; at < end; at = plan_lives_next(lives, at + 1, end, span.born)) {
            const uint32_t other = lives->life[at].item;
            const plan_bar bar =
                plan_bar_between(engine, self, other, shift, size);
            if (bar.low < bar.high) {
                visit(repair, bar, plan_root(&engine->classes, other));
            }
        }
    }
}

static void visit_bars(plan_repair *repair, uint32_t root, repair_visit *visit)
{
    plan_engine *engine = repair->engine;
    for (uint32_t i = root; i != BERTH_NONE;
         i = plan_next(&engine->classes, i)) {
        if (engine->problem->items[i].size != 0) {
            plan_mark_partners(engine, i, true);
            visit_member(repair, i, visit);
            plan_mark_partners(engine, i, false);
        }
    }
}

/* Lower ends go where the engine has its bars, upper ends beside them, each
 * with its price. */
static void note_ends(plan_repair *repair, plan_bar bar, uint32_t owner)
{
    plan_engine *engine = repair->engine;
    const int64_t price = (int64_t)repair->price[owner];
    repair->fixed_bars += price == (int64_t)REPAIR_PRICE_FIXED;
    if (engine->bar_count < repair->capacity) {
        engine->bar[engine->bar_count] = (plan_bar){bar.low, price};
        repair->high[engine->bar_count] = (plan_bar){bar.high, price};
    }
    ++engine->bar_count;
}

static void throw_out(plan_repair *repair, plan_bar bar, uint32_t owner)
{
    if (bar.low < repair->at && repair->at < bar.high) {
        raise_price(repair, owner);
        plan_unplace(repair->engine, owner);
        let_wait(repair, owner);
    }
}

/* The offset that costs least, or -1 where there is none below the ceiling. The
 * ends are sorted. */
static int64_t cheapest_offset(const plan_repair *repair,
                               const plan_shape *shape)
{
    const plan_engine *engine = repair->engine;
    const plan_bar *low = engine->bar;
    const plan_bar *high = repair->high;
    const uint32_t count = engine->bar_count;
    int64_t best = -1;
    int64_t least = (int64_t)REPAIR_PRICE_FIXED;
    int64_t price = 0;
    int64_t at = plan_align_root(shape, -shape->low);
    uint32_t begun = 0;
    uint32_t over = 0;
    while (at + shape->high <= repair->ceiling) {
        for (; begun < count && low[begun].low < at; ++begun) {
            price += low[begun].high;
        }
        for (; over < count && high[over].low <= at; ++over) {
            price -= high[over].high;
        }
        if (price < least) {
            least = price;
            best = at;
        }
        if (over == count) {
            break;
        }
        at = plan_align_root(shape, high[over].low);
    }
    return best;
}

/* Places a class that finds no gap, at the cost of others; false where that
 * cannot be. */
static bool force_in(plan_repair *repair, uint32_t root)
{
    plan_engine *engine = repair->engine;
    plan_bar *spare = engine->bar + engine->bar_capacity;
    const plan_shape shape = plan_shape_of(&engine->classes, root);
    engine->bar_count = 0;
    repair->fixed_bars = 0;
    visit_bars(repair, root, note_ends);
    /* Tied members may meet the same items many times. */
    if (engine->bar_count > repair->capacity ||
        repair->fixed_bars > REPAIR_FIXED_MOST) {
        return false;
    }
    plan_sort_bars(engine->bar, spare, engine->bar_count, engine->tally);
    plan_sort_bars(repair->high, spare, engine->bar_count, engine->tally);
    repair->bars_seen += 2u * ((uint64_t)engine->bar_count + 1u);
    repair->at = cheapest_offset(repair, &shape);
    if (repair->at < 0) {
        return false;
    }
    visit_bars(repair, root, throw_out);
    plan_settle(engine, root, repair->at);
    return true;
}

/* --- the repair -------------------------------------------------------------
 */

void plan_repair_begin(plan_repair *repair, plan_engine *engine,
                       const plan_ranking *ranking, plan_fit fit,
                       uint64_t ceiling)
{
    repair->engine = engine;
    repair->ranking = ranking;
    repair->fit = fit;
    repair->ceiling = (int64_t)ceiling;
    repair->placed = 0;
    repair->waiting_count = 0;
    repair->bars_seen = 0;
    set_prices(repair);
    plan_engine_clear(engine);
}

/* Where a class is to be when the repair goes on from a plan. */
static uint64_t pressed_offset(const plan_repair *repair,
                               const uint64_t *offset, uint32_t root)
{
    const plan_shape shape = plan_shape_of(&repair->engine->classes, root);
    const bool stays = shape.fixed >= 0 ||
                       (int64_t)offset[root] + shape.high <= repair->ceiling;
    return stays ? offset[root] : BERTH_NOWHERE;
}

/* Only what is elsewhere moves: a plan just made is nearly all in place. */
void plan_repair_press(plan_repair *repair, const uint64_t *offset,
                       uint64_t ceiling)
{
    plan_engine *engine = repair->engine;
    const plan_ranking *ranking = repair->ranking;
    repair->ceiling = (int64_t)ceiling;
    repair->placed = ranking->count;
    repair->waiting_count = 0;
    repair->bars_seen = 0;
    for (uint32_t k = 0; k < ranking->count; ++k) {
        const uint32_t root = ranking->order[k];
        if (engine->offset[root] != BERTH_NOWHERE &&
            engine->offset[root] != pressed_offset(repair, offset, root)) {
            plan_unplace(engine, root);
        }
    }
    for (uint32_t k = 0; k < ranking->count; ++k) {
        const uint32_t root = ranking->order[k];
        const uint64_t at = pressed_offset(repair, offset, root);
        if (at == BERTH_NOWHERE) {
            let_wait(repair, root);
        } else if (engine->offset[root] != at) {
            plan_settle(engine, root, (int64_t)at);
        }
    }
}

/* What has been thrown out no longer counts. */
static void measure_peak(plan_engine *engine)
{
    const berth_problem *problem = engine->problem;
    engine->peak = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint64_t end = engine->offset[i] + problem->items[i].size;
        if (problem->items[i].size != 0 && end > engine->peak) {
            engine->peak = end;
        }
    }
}

plan_repaired plan_repair_step(plan_repair *repair)
{
    plan_engine *engine = repair->engine;
    const plan_ranking *ranking = repair->ranking;
    if (repair->placed < ranking->count) {
        const uint32_t root = ranking->order[repair->placed++];
        if (!plan_place_under(engine, root, repair->fit, repair->ceiling)) {
            let_wait(repair, root);
        }
    } else if (repair->waiting_count > 0) {
        const uint32_t root = take_waiting(repair);
        if (!plan_place_under(engine, root, FIT_BEST, repair->ceiling) &&
            !force_in(repair, root)) {
            return REPAIR_FAILED;
        }
    }
    if (repair->placed < ranking->count || repair->waiting_count > 0) {
        return REPAIR_GOES_ON;
    }
    measure_peak(engine);
    return REPAIR_DONE;
}

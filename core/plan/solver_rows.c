/* Runs the rows of a strategy and keeps the smallest plan; where `best` meets
 * no bound by them it searches, and climbs only where no search can be made.
 *
 * One class at a time: after each the solver may stop, and the next call goes
 * on where it was. A row that has reached the best peak so far is abandoned; a
 * plan that meets the bound ends everything. */
#include "plan/solver_int.h"

#include <string.h>

/* How far `best` climbs after its rows: bars looked at, which is what placing
 * costs (a tenth of a second), less where the rows were costly themselves; and
 * rounds, of which small problems run out first. */
#define SOLVER_CLIMB_BARS     ((uint64_t)1 << 22)
#define SOLVER_CLIMB_BARS_MIN ((uint64_t)1 << 19)
#define SOLVER_CLIMB_ROUNDS   4096u

/* Rows are cheap until so many bars have been looked at (some seconds): after
 * that only repairs begin, since they are worth more than one more order. */
#define SOLVER_ROWS_BARS ((uint64_t)1 << 28)

/* How many bars a repair may look at for what finds no gap, in all (a tenth of
 * a second, and a few), and under one ceiling at first. */
static const uint64_t repair_bars[] = {
    [BERTH_EFFORT_LITTLE] = (uint64_t)1 << 21,
    [BERTH_EFFORT_FULL] = (uint64_t)1 << 26,
    [BERTH_EFFORT_ENDLESS] = (uint64_t)1 << 30,
    [BERTH_EFFORT_ROWS] = (uint64_t)1 << 21,
};
#define SOLVER_CEILING_BARS ((uint64_t)1 << 19)
#define SOLVER_REPAIR_FEW   64u /* times the square of how many there are */

/* To go on under another ceiling costs as much, for each class. */
#define SOLVER_PRESS_BARS 2u

/* Ceilings closer than this part of the peak are the same. */
#define SOLVER_CEILING_STEP 4096u

/* What a search may cost by effort, about in units of three nanoseconds; so
 * many nodes of it are done between looks at that. */
static const uint64_t search_costs[] = {
    [BERTH_EFFORT_LITTLE] = (uint64_t)3 << 23,
    [BERTH_EFFORT_FULL] = (uint64_t)3 << 30,
    [BERTH_EFFORT_ENDLESS] = UINT64_MAX,
};

#define SOLVER_SEARCH_NODES 256u

void plan_solver_take(berth_solver *solver, berth_work work)
{
    const uint32_t items = solver->problem->item_count;
    /* Cannot fail: the ties have been walked by berth_problem_check(). */
    (void)plan_engine_init(&solver->engine, solver->problem, &work, NULL);
    solver->ranking.order = BERTH_TAKE(&work, uint32_t, items);
    solver->ranking.spare = BERTH_TAKE(&work, uint32_t, items);
    if (solver->row_count > 1) {
        plan_repair_take(&solver->repair, solver->problem, &work);
    }
}

/* --- one row -----------------------------------------------------------------
 */

static bool climbs(const berth_solver *solver)
{
    return solver->rows[solver->row].order == ORDER_CLIMB;
}

static uint64_t climb_end(uint64_t spent)
{
    const uint64_t least = spent + SOLVER_CLIMB_BARS_MIN;
    return spent + least < SOLVER_CLIMB_BARS ? SOLVER_CLIMB_BARS - spent
                                             : least;
}

static bool repairs(const berth_solver *solver)
{
    return solver->rows[solver->row].repairs;
}

/* What a repair tries to reach in the end. */
static uint64_t wanted_peak(const berth_solver *solver)
{
    return solver->bound > solver->capacity ? solver->bound : solver->capacity;
}

/* A search will do better than a repair where there are few classes. */
static void begin_repair(berth_solver *solver, const plan_row *row)
{
    const uint64_t wanted = wanted_peak(solver);
    const uint64_t few = (uint64_t)solver->ranking.count *
                         solver->ranking.count * SOLVER_REPAIR_FEW;
    const uint64_t most = repair_bars[solver->effort];
    plan_repair_begin(&solver->repair, &solver->engine, &solver->ranking,
                      row->fit, row->from_above ? PLAN_REACH_MAX : wanted);
    solver->repair_left = few < most ? few : most;
    solver->ceiling_bars = solver->repair_left / (row->from_above ? 1u : 4u);
    if (!row->from_above && solver->ceiling_bars > SOLVER_CEILING_BARS) {
        solver->ceiling_bars = SOLVER_CEILING_BARS;
    }
    solver->too_low = wanted - 1u;
}

static void begin_row(berth_solver *solver)
{
    const plan_row *row = &solver->rows[solver->row];
    plan_engine *engine = &solver->engine;
    plan_ranking *ranking = &solver->ranking;
    engine->size_pad = row->size_pad;
    engine->owners_only = row->owners_only;
    if (row->order == ORDER_CLIMB) {
        if (solver->climb.rounds == 0) {
            solver->climb_end = climb_end(engine->bars_seen);
        }
        memcpy(ranking->order, solver->best_order,
               ranking->count * sizeof(*ranking->order));
        plan_climb_move(&solver->climb, engine, ranking);
    } else if (row->order != solver->ranked) {
        plan_rank(ranking, engine, row->order);
        solver->ranked = row->order;
    }
    if (row->repairs) {
        begin_repair(solver, row);
    } else {
        plan_engine_clear(engine);
    }
    solver->placed = 0;
    solver->repaired = REPAIR_GOES_ON;
    solver->in_row = true;
}

static plan_fit fit_of(const berth_solver *solver)
{
    if (!climbs(solver)) {
        return solver->rows[solver->row].fit;
    }
    return solver->climb.rounds % 4 == 0 ? FIT_BEST : FIT_FIRST;
}

/* Nothing can come of this row any more. A climb may go sideways. */
static bool is_beaten(const berth_solver *solver)
{
    return solver->peak != BERTH_NOWHERE &&
           (climbs(solver) ? solver->engine.peak > solver->peak
                           : solver->engine.peak >= solver->peak);
}

static void keep_row(berth_solver *solver)
{
    if (solver->engine.peak < solver->peak) {
        solver->peak = solver->engine.peak;
        solver->winner = solver->rows[solver->row].strategy;
    }
    memcpy(solver->best, solver->engine.offset,
           solver->problem->item_count * sizeof(*solver->best));
    memcpy(solver->best_order, solver->ranking.order,
           solver->ranking.count * sizeof(*solver->best_order));
}

static bool is_answered(const berth_solver *solver)
{
    const plan_standing standing = {solver->best, solver->peak, solver->bound,
                                    solver->capacity};
    return plan_is_answered(&standing);
}

static void skip_costly_rows(berth_solver *solver)
{
    while (solver->engine.bars_seen > SOLVER_ROWS_BARS &&
           solver->row < solver->row_count && !repairs(solver)) {
        ++solver->row;
    }
}

/* After one ceiling the next: halfway between the highest that was not reached
 * and the best peak. Where they have met, all begins anew and takes longer.
 * False when the effort is spent. */
static bool press_again(berth_solver *solver)
{
    plan_repair *repair = &solver->repair;
    /* All are placed, without a ceiling yet. */
    const bool above =
        solver->repaired == REPAIR_DONE && solver->engine.peak > solver->peak;
    const uint64_t spent =
        repair->bars_seen + (uint64_t)solver->ranking.count * SOLVER_PRESS_BARS;
    if (solver->repaired == REPAIR_FAILED || solver->repair_left <= spent) {
        return false;
    }
    solver->repair_left -= spent;
    if (solver->repaired == REPAIR_GOES_ON) { /* this one took too long */
        solver->too_low = (uint64_t)repair->ceiling;
    }
    if (solver->peak <=
        solver->too_low + solver->peak / SOLVER_CEILING_STEP + 1u) {
        solver->too_low = wanted_peak(solver) - 1u;
        solver->ceiling_bars *= 4;
    }
    if (above) {
        plan_repair_press(repair, solver->engine.offset, wanted_peak(solver));
    } else {
        plan_repair_press(repair, solver->best,
                          solver->too_low +
                              (solver->peak - solver->too_low) / 2);
    }
    solver->repaired = REPAIR_GOES_ON;
    solver->placed = 0;
    return true;
}

static void close_row(berth_solver *solver)
{
    const bool again = climbs(solver) &&
                       solver->engine.bars_seen < solver->climb_end &&
                       solver->climb.rounds < SOLVER_CLIMB_ROUNDS;
    if (!is_beaten(solver) && solver->placed == solver->ranking.count) {
        keep_row(solver);
    }
    if (repairs(solver) && !is_answered(solver) && press_again(solver)) {
        return;
    }
    solver->in_row = false;
    if (!again) {
        ++solver->row;
        skip_costly_rows(solver);
    }
    if (is_answered(solver)) {
        solver->row = solver->row_count;
    }
}

/* False when the row is over, one way or another. */
static bool row_goes_on(const berth_solver *solver)
{
    if (solver->placed == solver->ranking.count) {
        return false;
    }
    return repairs(solver) ? solver->repaired == REPAIR_GOES_ON &&
                                 solver->repair.bars_seen < solver->ceiling_bars
                           : !is_beaten(solver);
}

static void place_next(berth_solver *solver)
{
    ++solver->nodes;
    if (!repairs(solver)) {
        const uint32_t root = solver->ranking.order[solver->placed++];
        plan_place(&solver->engine, root, fit_of(solver));
        return;
    }
    solver->repaired = plan_repair_step(&solver->repair);
    if (solver->repaired == REPAIR_DONE) {
        solver->placed = solver->ranking.count;
    }
}

/* --- the search --------------------------------------------------------------
 */

static bool lies_lower(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *offset = context;
    return offset[a] < offset[b];
}

/* Brings the rows back, with an order that leads to the best plan; fixed ones
 * stay first. */
static void return_to_rows(berth_solver *solver)
{
    plan_ranking *ranking = &solver->ranking;
    const uint64_t bars_seen = solver->engine.bars_seen;
    plan_solver_take(solver, solver->scratch);
    solver->engine.bars_seen = bars_seen;
    plan_engine_clear(&solver->engine);
    plan_rank(ranking, &solver->engine, ORDER_INDEX);
    plan_sort(ranking->order + ranking->fixed_count, ranking->spare,
              ranking->count - ranking->fixed_count, lies_lower, solver->best);
    memcpy(solver->best_order, ranking->order,
           ranking->count * sizeof(*solver->best_order));
    solver->ranked = ORDER_COUNT;
}

static void begin_search(berth_solver *solver)
{
    berth_work work = solver->scratch;
    plan_exact_take(&solver->exact, solver->problem, solver->effort, &work);
    solver->searching = true;
}

/* Searches until `end` nodes are counted, or it is over: true. */
static bool run_search(berth_solver *solver, uint64_t end)
{
    const search_world *world = &solver->exact.world;
    plan_standing standing = {solver->best, solver->peak, solver->bound,
                              solver->capacity};
    if (!solver->searching) {
        begin_search(solver);
    }
    while (!solver->searched && solver->nodes < end) {
        const uint64_t before = world->nodes;
        const uint64_t left = end - solver->nodes;
        solver->searched = plan_exact_more(
            &solver->exact, &standing,
            left < SOLVER_SEARCH_NODES ? left : SOLVER_SEARCH_NODES);
        solver->nodes += world->nodes - before;
        solver->searched |= world->effort >= search_costs[solver->effort];
    }
    if (standing.peak < solver->peak) {
        solver->peak = standing.peak;
        solver->winner = BERTH_STRATEGY_BEST;
    }
    solver->bound = standing.bound;
    return solver->searched;
}

static bool has_few_classes(const berth_solver *solver)
{
    return solver->ranking.count <= SEARCH_CLASSES_MAX;
}

/* What is left to do when the search is over: a climb, and before it the
 * repairs that were left to the search. A short effort is then spent. */
static void end_search(berth_solver *solver)
{
    const bool spent =
        solver->exact.world.effort >= search_costs[solver->effort];
    if (is_answered(solver) ||
        (spent && solver->effort == BERTH_EFFORT_LITTLE)) {
        solver->row = solver->row_count;
        return;
    }
    return_to_rows(solver);
    if (has_few_classes(solver)) {
        solver->row = 0;
    }
}

/* Where a search can be made it comes first, since it does better. */
static bool is_left_to_search(const berth_solver *solver)
{
    return repairs(solver) && !solver->searched && has_few_classes(solver);
}

void plan_solver_run(berth_solver *solver, uint64_t budget)
{
    const uint64_t begun = solver->nodes;
    while (solver->row < solver->row_count) {
        if (is_left_to_search(solver)) {
            ++solver->row;
            continue;
        }
        if (climbs(solver) && solver->effort == BERTH_EFFORT_ROWS) {
            solver->row = solver->row_count;
            break;
        }
        if (climbs(solver) && !solver->searched) {
            if (!run_search(solver,
                            budget == 0 ? UINT64_MAX : begun + budget)) {
                return;
            }
            end_search(solver);
            continue;
        }
        if (!solver->in_row) {
            begin_row(solver);
        }
        while (row_goes_on(solver)) {
            if (budget != 0 && solver->nodes - begun >= budget &&
                solver->peak != BERTH_NOWHERE) {
                return;
            }
            place_next(solver);
        }
        close_row(solver);
    }
}

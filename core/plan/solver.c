/* Runs the rows of a strategy and keeps the smallest plan; where `best` meets
 * no bound by them it searches, and climbs only where no search can be made.
 *
 * One class at a time: after each the solver may stop, and the next call goes
 * on where it was. A row that has reached the best peak so far is abandoned; a
 * plan that meets the bound ends everything. */
#include "plan/search_int.h"

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
};
#define SOLVER_CEILING_BARS ((uint64_t)1 << 19)
#define SOLVER_REPAIR_FEW   64u /* times the square of how many there are */

/* To go on under another ceiling costs as much, for each class. */
#define SOLVER_PRESS_BARS 2u

/* Ceilings closer than this part of the peak are the same. */
#define SOLVER_CEILING_STEP 4096u
#define SOLVER_SEED         0x9e3779b97f4a7c15u

/* What a search may cost by effort, about in units of two nanoseconds; so many
 * nodes of it are done between looks at that. */
static const uint64_t search_costs[] = {
    [BERTH_EFFORT_LITTLE] = (uint64_t)1 << 25,
    [BERTH_EFFORT_FULL] = (uint64_t)3 << 30,
    [BERTH_EFFORT_ENDLESS] = UINT64_MAX,
};

#define SOLVER_SEARCH_NODES 256u

struct berth_solver {
    const berth_problem *problem;
    uint64_t *best; /* offset by item, of the best plan so far */
    uint32_t *best_order;
    berth_work scratch; /* for the rows, then the search, then the judge */
    plan_engine engine;
    plan_ranking ranking;
    const plan_row *rows;
    uint32_t row_count;
    uint32_t row;    /* being tried; row_count: nothing is left */
    uint32_t placed; /* classes of this row, so far */
    bool in_row;
    plan_order ranked; /* whose order the ranking has */
    plan_repair repair;
    plan_repaired repaired;
    uint64_t repair_left;  /* bars it may still look at */
    uint64_t ceiling_bars; /* and under this ceiling */
    uint64_t too_low;      /* the highest ceiling that was not reached */
    plan_exact exact;
    berth_effort effort;
    bool searching; /* the search has begun */
    bool searched;  /* and ended */
    uint32_t rules; /* of the search; see SEARCH_RULES_ALL */
    plan_climb climb;
    uint64_t climb_end; /* stops when so many bars have been looked at */
    uint64_t nodes;
    uint64_t peak; /* of the best plan; BERTH_NOWHERE before the first */
    uint64_t bound;
    uint64_t capacity; /* no plan below it is wanted */
    berth_strategy winner;
};

/* --- memory ------------------------------------------------------------------
 */

/* Only BEST repairs and searches. */
static bool is_best(const berth_plan_options *options)
{
    return options == NULL || options->strategy == BERTH_STRATEGY_BEST;
}

/* What the rows need, and the search and the judge after them, at the same
 * place. */
static bool scratch_need(const berth_problem *problem, bool best, size_t *bytes)
{
    size_t rows = 0;
    size_t judge = 0;
    size_t search = 0;
    const uint32_t items = problem->item_count;
    if (!plan_engine_need(problem, &rows) ||
        !BERTH_NEED(&rows, uint32_t, items) ||
        !BERTH_NEED(&rows, uint32_t, items) ||
        (best && !plan_repair_need(problem, &rows)) ||
        (best && !plan_exact_need(problem, &search)) ||
        berth_plan_check_bytes(problem, &judge) != BERTH_OK) {
        return false;
    }
    const size_t more = rows > judge ? rows : judge;
    return berth_work_need(bytes, more > search ? more : search, 1, 1);
}

berth_status berth_plan_bytes(const berth_problem *problem,
                              const berth_plan_options *options, size_t *bytes,
                              berth_diag *diag)
{
    size_t solve = 0;
    size_t bound = 0;
    if (problem->item_count > 0 && problem->items == NULL) {
        return berth_refuse(diag, BERTH_BAD_ARG, "an array is missing");
    }
    if (!BERTH_NEED(&solve, berth_solver, 1) ||
        !BERTH_NEED(&solve, uint64_t, problem->item_count) ||
        !BERTH_NEED(&solve, uint32_t, problem->item_count) ||
        !scratch_need(problem, is_best(options), &solve) ||
        !plan_bound_need(problem, &bound)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than 2^28 spans");
    }
    *bytes = solve > bound ? solve : bound;
    return BERTH_OK;
}

static void take_rows(berth_solver *solver, berth_work work)
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
static void begin_repair(berth_solver *solver, plan_fit fit)
{
    const uint64_t wanted = wanted_peak(solver);
    const uint64_t few = (uint64_t)solver->ranking.count *
                         solver->ranking.count * SOLVER_REPAIR_FEW;
    const uint64_t most = repair_bars[solver->effort];
    plan_repair_begin(&solver->repair, &solver->engine, &solver->ranking, fit,
                      wanted);
    solver->repair_left = few < most ? few : most;
    solver->ceiling_bars = solver->repair_left / 4 < SOLVER_CEILING_BARS
                               ? solver->repair_left / 4
                               : SOLVER_CEILING_BARS;
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
        begin_repair(solver, row->fit);
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
    const uint64_t spent =
        repair->bars_seen + (uint64_t)solver->ranking.count * SOLVER_PRESS_BARS;
    if (solver->repaired == REPAIR_FAILED || solver->repair_left <= spent) {
        return false;
    }
    solver->repair_left -= spent;
    if (solver->repaired == REPAIR_GOES_ON) {
        solver->too_low = (uint64_t)repair->ceiling;
    }
    if (solver->peak <=
        solver->too_low + solver->peak / SOLVER_CEILING_STEP + 1u) {
        solver->too_low = wanted_peak(solver) - 1u;
        solver->ceiling_bars *= 4;
    }
    plan_repair_press(repair, solver->best,
                      solver->too_low + (solver->peak - solver->too_low) / 2);
    solver->repaired = REPAIR_GOES_ON;
    solver->placed = 0;
    return true;
}

static void end_row(berth_solver *solver)
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
    take_rows(solver, solver->scratch);
    solver->engine.bars_seen = bars_seen;
    plan_engine_clear(&solver->engine);
    plan_rank(ranking, &solver->engine, ORDER_INDEX);
    plan_sort(ranking->order + ranking->fixed_count, ranking->spare,
              ranking->count - ranking->fixed_count, lies_lower, solver->best);
    memcpy(solver->best_order, ranking->order,
           ranking->count * sizeof(*solver->best_order));
}

static void begin_search(berth_solver *solver)
{
    berth_work work = solver->scratch;
    plan_exact_take(&solver->exact, solver->problem, &work);
    solver->exact.world.rules = solver->rules;
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

/* What is left to do when the search is over: a climb where it served not. */
static void end_search(berth_solver *solver)
{
    const bool spent =
        solver->exact.world.effort >= search_costs[solver->effort];
    if (is_answered(solver) || spent) {
        solver->row = solver->row_count;
    } else {
        return_to_rows(solver);
    }
}

/* A repair is worth its time where no search can be made: of many classes. */
static bool is_left_to_search(const berth_solver *solver)
{
    return repairs(solver) && solver->ranking.count <= SEARCH_CLASSES_MAX;
}

/* Spends `budget` nodes after the first plan; 0: no limit. */
static void run_rows(berth_solver *solver, uint64_t budget)
{
    const uint64_t begun = solver->nodes;
    while (solver->row < solver->row_count) {
        if (is_left_to_search(solver)) {
            ++solver->row;
            continue;
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
        end_row(solver);
    }
}

/* --- the interface
 * ------------------------------------------------------------ */

static berth_status check_strategy(const berth_problem *problem,
                                   berth_strategy strategy, berth_diag *diag)
{
    uint32_t count = 0;
    if ((unsigned)strategy >= BERTH_STRATEGY_COUNT) {
        return berth_refuse(diag, BERTH_BAD_ARG, "no such strategy");
    }
    if (problem->region_count > 1) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "no strategy serves two regions or more");
    }
    if (plan_rows(strategy, &count)->peer && problem->link_count > 0) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "this runtime's planner knows no links");
    }
    return BERTH_OK;
}

berth_status berth_solver_begin(const berth_problem *problem,
                                const berth_plan_options *options,
                                berth_work *work, berth_solver **solver,
                                berth_diag *diag)
{
    const berth_strategy strategy =
        options == NULL ? BERTH_STRATEGY_BEST : options->strategy;
    size_t need = 0;
    uint32_t step = 0;
    uint64_t bound = 0;
    BERTH_TRY(berth_plan_bytes(problem, options, &need, diag));
    BERTH_TRY(berth_work_check(work, need, diag));
    BERTH_TRY(berth_problem_check(problem, *work, diag));
    BERTH_TRY(check_strategy(problem, strategy, diag));
    plan_bound_find(problem, *work, &bound, &step);

    berth_solver *made = BERTH_TAKE(work, berth_solver, 1);
    *made = (berth_solver){.problem = problem,
                           .bound = bound,
                           .peak = BERTH_NOWHERE,
                           .capacity = options == NULL ? 0 : options->capacity,
                           .effort = options == NULL ? BERTH_EFFORT_LITTLE
                                                     : options->effort,
                           .rules = SEARCH_RULES_ALL,
                           .winner = strategy,
                           .ranked = ORDER_COUNT,
                           .climb = {.random = SOLVER_SEED}};
    made->rows = plan_rows(strategy, &made->row_count);
    made->best = BERTH_TAKE(work, uint64_t, problem->item_count);
    made->best_order = BERTH_TAKE(work, uint32_t, problem->item_count);
    size_t rest = 0;
    (void)scratch_need(problem, is_best(options), &rest);
    made->scratch = berth_work_of(BERTH_TAKE(work, uint8_t, rest), rest);
    take_rows(made, made->scratch);
    *solver = made;
    return BERTH_OK;
}

void plan_solver_rules(berth_solver *solver, uint32_t rules)
{
    solver->rules = rules;
}

/* NO_SPACE where even the best plan is above the region's capacity. */
static berth_status check_capacity(const berth_solver *solver, berth_diag *diag)
{
    const berth_problem *problem = solver->problem;
    if (problem->region_count == 0 ||
        solver->peak <= problem->regions[0].capacity) {
        return BERTH_OK;
    }
    (void)berth_refuse(diag, BERTH_NO_SPACE,
                       "no plan within the region's capacity was found");
    if (diag != NULL) {
        diag->needed_bytes = solver->peak;
        diag->limit_bytes = problem->regions[0].capacity;
    }
    return BERTH_NO_SPACE;
}

static void hand_over(const berth_solver *solver, berth_plan *plan)
{
    const uint32_t items = solver->problem->item_count;
    if (items > 0) {
        memcpy(plan->offset, solver->best, items * sizeof(*plan->offset));
    }
    if (plan->region != NULL) {
        memset(plan->region, 0, items);
    }
    plan->peak = solver->peak;
    plan->bound = solver->bound;
    plan->nodes = solver->nodes;
    plan->strategy = solver->winner;
    plan->proof =
        solver->peak == solver->bound ? BERTH_PROOF_PROVEN : BERTH_PROOF_OPEN;
}

berth_status berth_solver_more(berth_solver *solver, uint64_t node_budget,
                               berth_plan *plan, bool *done, berth_diag *diag)
{
    run_rows(solver, node_budget);
    const bool finished = solver->row == solver->row_count;
    if (finished) {
        BERTH_TRY(check_capacity(solver, diag));
    }
    hand_over(solver, plan);
    *done = finished;
    return BERTH_OK;
}

berth_status berth_plan_solve(const berth_problem *problem,
                              const berth_plan_options *options,
                              berth_work work, berth_plan *plan,
                              berth_diag *diag)
{
    berth_solver *solver = NULL;
    BERTH_TRY(berth_solver_begin(problem, options, &work, &solver, diag));
    run_rows(solver, options == NULL ? 0 : options->node_budget);
    BERTH_TRY(check_capacity(solver, diag));
    /* Judged where it lies, so that a refused plan is never handed over. */
    const berth_plan made = {.offset = solver->best,
                             .peak = solver->peak,
                             .bound = solver->bound,
                             .proof = solver->peak == solver->bound
                                          ? BERTH_PROOF_PROVEN
                                          : BERTH_PROOF_OPEN};
    BERTH_TRY(berth_plan_check(problem, &made, solver->scratch, diag));
    hand_over(solver, plan);
    return BERTH_OK;
}

berth_status berth_plan_bound(const berth_problem *problem, berth_work work,
                              uint64_t *bound, uint32_t *step, berth_diag *diag)
{
    /* As for any strategy: the least that may have been lent. */
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_NONE};
    size_t need = 0;
    BERTH_TRY(berth_plan_bytes(problem, &options, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));
    BERTH_TRY(berth_problem_check(problem, work, diag));
    plan_bound_find(problem, work, bound, step);
    return BERTH_OK;
}

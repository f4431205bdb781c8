/* A solver: its memory, and how it is begun, gone on with and read. What it
 * does is in solver_rows.c. */
#include "plan/solver_int.h"

#include <string.h>

#define SOLVER_SEED 0x9e3779b97f4a7c15u

/* --- memory ------------------------------------------------------------------
 */

/* Only BEST repairs. */
static bool is_best(const berth_plan_options *options)
{
    return options == NULL || options->strategy == BERTH_STRATEGY_BEST;
}

static berth_effort effort_of(const berth_plan_options *options)
{
    return options == NULL ? BERTH_EFFORT_LITTLE : options->effort;
}

static bool may_search(const berth_plan_options *options)
{
    return is_best(options) && effort_of(options) != BERTH_EFFORT_ROWS;
}

/* What the rows need, and the search and the judge after them, at the same
 * place. */
static bool scratch_need(const berth_problem *problem,
                         const berth_plan_options *options, size_t *bytes)
{
    size_t rows = 0;
    size_t judge = 0;
    size_t search = 0;
    const uint32_t items = problem->item_count;
    if (!plan_engine_need(problem, &rows) ||
        !BERTH_NEED(&rows, uint32_t, items) ||
        !BERTH_NEED(&rows, uint32_t, items) ||
        (is_best(options) && !plan_repair_need(problem, &rows)) ||
        (may_search(options) &&
         !plan_exact_need(problem, effort_of(options), &search)) ||
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
    if ((unsigned)effort_of(options) > BERTH_EFFORT_ROWS) {
        return berth_refuse(diag, BERTH_BAD_ARG, "no such effort");
    }
    if (!BERTH_NEED(&solve, berth_solver, 1) ||
        !BERTH_NEED(&solve, uint64_t, problem->item_count) ||
        !BERTH_NEED(&solve, uint32_t, problem->item_count) ||
        !scratch_need(problem, options, &solve) ||
        !plan_bound_need(problem, &bound)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than 2^28 spans");
    }
    *bytes = solve > bound ? solve : bound;
    return BERTH_OK;
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
                           .effort = effort_of(options),
                           .winner = strategy,
                           .ranked = ORDER_COUNT,
                           .climb = {.random = SOLVER_SEED}};
    made->rows = plan_rows(strategy, &made->row_count);
    made->best = BERTH_TAKE(work, uint64_t, problem->item_count);
    made->best_order = BERTH_TAKE(work, uint32_t, problem->item_count);
    size_t rest = 0;
    (void)scratch_need(problem, options, &rest);
    made->scratch = berth_work_of(BERTH_TAKE(work, uint8_t, rest), rest);
    plan_solver_take(made, made->scratch);
    *solver = made;
    return BERTH_OK;
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
    plan_solver_run(solver, node_budget);
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
    plan_solver_run(solver, options == NULL ? 0 : options->node_budget);
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

/* Candidates, each carried out as TFLM will, and the best of them.
 *
 * The metadata fixes tensors, never scratch. So a candidate is a plan of
 * tensors and scratch together, of which the tensors' offsets are kept; TFLM's
 * planner then places the scratch, and what must be left to it, around them.
 * That is simulated, judged, and compared by the head that comes out. TFLM's
 * own plan without any offset is a candidate too, and the first. */
#include "bake/bake_int.h"

#include <string.h>

typedef struct bake_search {
    const berth_graph *graph;
    const berth_micro *micro;
    bool *online;     /* by tensor: must be left to TFLM */
    uint64_t *wanted; /* by item: what a strategy found */
    uint64_t *placed; /* by item: what TFLM makes of it */
    uint64_t *best;
    berth_item *fixed; /* the items as TFLM sees them */
    uint64_t head;     /* of the best */
    uint64_t bound;
    uint32_t share;
    berth_strategy strategy;
    berth_work work; /* for the problem at hand and its solver */
    berth_diag *diag;
} bake_search;

/* --- lent memory ------------------------------------------------------------
 */

static bool search_need(const berth_graph *graph, const berth_micro *micro,
                        size_t *need)
{
    const size_t items = micro->problem.item_count;
    return BERTH_NEED(need, bool, graph->tensor_count) &&
           BERTH_NEED(need, uint64_t, items) &&
           BERTH_NEED(need, uint64_t, items) &&
           BERTH_NEED(need, uint64_t, items) &&
           BERTH_NEED(need, berth_item, items);
}

/* The most that a problem with these items may ask of its solver and judge:
 * ties and links are counted at their most. */
static berth_status solver_need(const berth_micro *micro, size_t *need,
                                berth_diag *diag)
{
    berth_problem most = micro->problem;
    size_t solve = 0;
    size_t judge = 0;
    most.tie_count = most.item_count;
    most.link_count = 2 * most.item_count;
    BERTH_TRY(berth_plan_bytes(&most, NULL, &solve, diag));
    BERTH_TRY(berth_plan_check_bytes(&most, &judge));
    return berth_work_need(need, solve > judge ? solve : judge, 1, BAKE_ALIGN)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
}

berth_status berth_bake_solve_bytes(const berth_graph *graph,
                                    const berth_micro *micro, size_t *bytes,
                                    berth_diag *diag)
{
    size_t need = 0;
    size_t problem = 0;
    BERTH_TRY(berth_bake_problem_bytes(graph, micro, &problem, diag));
    BERTH_TRY(solver_need(micro, &need, diag));
    if (!search_need(graph, micro, &need) ||
        !berth_work_need(&need, problem, 1, BAKE_ALIGN)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
    }
    *bytes = need;
    return BERTH_OK;
}

static void take_search(bake_search *search, berth_work work)
{
    const size_t items = search->micro->problem.item_count;
    search->online = BERTH_TAKE(&work, bool, search->graph->tensor_count);
    search->wanted = BERTH_TAKE(&work, uint64_t, items);
    search->placed = BERTH_TAKE(&work, uint64_t, items);
    search->best = BERTH_TAKE(&work, uint64_t, items);
    search->fixed = BERTH_TAKE(&work, berth_item, items);
    search->work = work;
}

/* Row v of the offsets is looked up for a variable that is tensor v of any
 * subgraph, though it belongs to tensor v of all. */
static uint32_t find_online(bake_search *search)
{
    const berth_graph *graph = search->graph;
    uint32_t count = 0;
    if (graph->tensor_count > 0) {
        memset(search->online, 0, graph->tensor_count * sizeof(bool));
    }
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        const berth_graph_tensor *tensor = &graph->tensors[t];
        if ((tensor->flags & BERTH_TENSOR_VARIABLE) != 0) {
            const uint32_t row = t - graph->tensor_base[tensor->subgraph];
            count += row != t && !search->online[row] ? 1u : 0;
            search->online[row] = true;
        }
    }
    return count;
}

/* --- one candidate ----------------------------------------------------------
 */

static bool is_left_to_tflm(const bake_search *search, uint32_t tensor)
{
    return tensor == BERTH_NONE || search->online[tensor];
}

/* TFLM's planner on the wanted offsets; `wanted` NULL: on none. */
static berth_status carry_out(bake_search *search,
                              const berth_bake_problem *free_,
                              const uint64_t *wanted, berth_plan *plan)
{
    berth_problem problem = free_->problem;
    for (uint32_t i = 0; i < problem.item_count; ++i) {
        search->fixed[i] = problem.items[i];
        if (wanted != NULL &&
            !is_left_to_tflm(search, free_->tensor_of_item[i])) {
            search->fixed[i].fixed = wanted[i];
        }
    }
    problem.items = search->fixed;
    problem.link_count = 0;
    problem.tie_count = 0;
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_TFLM};
    berth_work work = search->work;
    berth_solver *solver = NULL;
    bool done = false;
    /* Not judged here: what shares bytes by a tie would not pass. */
    BERTH_TRY(
        berth_solver_begin(&problem, &options, &work, &solver, search->diag));
    while (!done) {
        BERTH_TRY(berth_solver_more(solver, 0, plan, &done, search->diag));
    }
    return BERTH_OK;
}

/* Keeps the candidate if it is the smallest so far, fits the metadata, and the
 * judge agrees that it is a plan of the free problem. */
static berth_status try_candidate(bake_search *search,
                                  const berth_bake_problem *free_,
                                  const uint64_t *wanted, uint32_t share,
                                  berth_strategy strategy)
{
    berth_plan plan = {.offset = search->placed};
    BERTH_TRY(carry_out(search, free_, wanted, &plan));
    if (plan.peak >= search->head || plan.peak > INT32_MAX) {
        return BERTH_OK;
    }
    plan.bound = 0; /* of the problem without ties, and no concern here */
    plan.proof = BERTH_PROOF_OPEN;
    const berth_status judged =
        berth_plan_check(&free_->problem, &plan, search->work, search->diag);
    if (judged != BERTH_OK) {
        return judged == BERTH_UNSOUND ? BERTH_OK : judged;
    }
    search->head = plan.peak;
    search->share = share;
    search->strategy = strategy;
    if (free_->problem.item_count > 0) {
        memcpy(search->best, search->placed,
               free_->problem.item_count * sizeof(*search->best));
    }
    return BERTH_OK;
}

/* --- candidates -------------------------------------------------------------
 */

static berth_status try_strategy(bake_search *search,
                                 const berth_bake_problem *free_,
                                 uint32_t share, berth_strategy strategy,
                                 uint64_t *peak)
{
    const berth_plan_options options = {.strategy = strategy};
    berth_plan plan = {.offset = search->wanted};
    BERTH_TRY(berth_plan_solve(&free_->problem, &options, search->work, &plan,
                               search->diag));
    *peak = plan.peak;
    if (plan.bound < search->bound) {
        search->bound = plan.bound;
    }
    return try_candidate(search, free_, search->wanted, share, plan.strategy);
}

static berth_status try_share(bake_search *search, uint32_t share)
{
    const berth_work before = search->work;
    berth_bake_problem free_ = {0};
    uint64_t peak = 0;
    BERTH_TRY(berth_bake_problem_init(search->graph, search->micro, share,
                                      &search->work, &free_, search->diag));
    if (share == 0) {
        BERTH_TRY(
            try_candidate(search, &free_, NULL, share, BERTH_STRATEGY_TFLM));
    }
    BERTH_TRY(try_strategy(search, &free_, share, BERTH_STRATEGY_BEST, &peak));
    for (uint32_t s = BERTH_STRATEGY_SIZE_FIRST;
         s < BERTH_STRATEGY_COUNT && search->head > peak; ++s) {
        uint64_t ignored = 0;
        BERTH_TRY(
            try_strategy(search, &free_, share, (berth_strategy)s, &ignored));
    }
    search->work = before;
    return BERTH_OK;
}

static berth_status try_all(bake_search *search,
                            const berth_bake_options *options)
{
    const uint32_t views = options->no_views ? 0 : (uint32_t)BERTH_BAKE_VIEWS;
    const uint32_t in_place =
        options->in_place ? (uint32_t)BERTH_BAKE_INPLACE : 0;
    const uint32_t most = views | in_place;
    /* The less is shared, the earlier, so that nothing is shared in vain. */
    for (uint32_t share = 0; share <= most; ++share) {
        BERTH_TRY((share & ~most) == 0 ? try_share(search, share) : BERTH_OK);
    }
    return BERTH_OK;
}

/* --- the whole --------------------------------------------------------------
 */

static berth_status hand_over_plan(const bake_search *search, berth_work work,
                                   berth_bake_plan *plan)
{
    berth_bake_problem free_ = {0};
    BERTH_TRY(berth_bake_problem_init(search->graph, search->micro,
                                      search->share, &work, &free_,
                                      search->diag));
    for (uint32_t t = 0; t < search->graph->tensor_count; ++t) {
        plan->offset[t] = BAKE_ONLINE;
    }
    for (uint32_t i = 0; i < free_.problem.item_count; ++i) {
        const uint32_t tensor = free_.tensor_of_item[i];
        if (!is_left_to_tflm(search, tensor)) {
            plan->offset[tensor] = (int32_t)search->best[i];
        }
    }
    if (plan->item_offset != NULL && free_.problem.item_count > 0) {
        memcpy(plan->item_offset, search->best,
               free_.problem.item_count * sizeof(*search->best));
    }
    plan->head_bytes = search->head;
    plan->bound_bytes = search->bound;
    plan->share = search->share;
    plan->strategy = search->strategy;
    return BERTH_OK;
}

berth_status berth_bake_solve(const berth_graph *graph,
                              const berth_micro *micro,
                              const berth_bake_options *options,
                              berth_work work, berth_bake_plan *plan,
                              berth_diag *diag)
{
    static const berth_bake_options defaults = {0};
    size_t need = 0;
    BERTH_TRY(berth_bake_solve_bytes(graph, micro, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));
    bake_search search = {.graph = graph,
                          .micro = micro,
                          .head = BERTH_NOWHERE,
                          .bound = BERTH_NOWHERE,
                          .diag = diag};
    take_search(&search, work);
    const uint32_t online_count = find_online(&search);
    BERTH_TRY(try_all(&search, options == NULL ? &defaults : options));
    if (search.head == BERTH_NOWHERE) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "no plan of less than 2 GB was found");
    }
    BERTH_TRY(hand_over_plan(&search, search.work, plan));
    plan->online_count = online_count;
    return BERTH_OK;
}

/* The first judge: is this plan right for this problem?
 *
 * It shares no code with the solvers but the check that the problem is well
 * formed: own sort, own sweep, own reading of links and ties. A sweep over
 * births keeps the items alive in a list and compares each newborn with all of
 * them, so every pair that meets in time is looked at once. */
#include "base/base_int.h"
#include "berth/plan.h"

typedef struct check_life {
    uint32_t born;
    uint32_t dead;
    uint32_t item;
} check_life;

typedef struct check_state {
    const berth_problem *problem;
    const berth_plan *plan;
    check_life *life;
    uint32_t *alive; /* lives: those that may still be alive */
    uint32_t *root;  /* by item, or NULL without ties */
    uint32_t life_count;
    uint32_t alive_count;
} check_state;

static berth_status unsound(berth_diag *diag, const char *what, uint32_t item,
                            uint32_t other, uint32_t step)
{
    (void)berth_refuse(diag, BERTH_UNSOUND, what);
    if (diag != NULL) {
        diag->tensor = item;
        diag->other = other;
        diag->step = step;
    }
    return BERTH_UNSOUND;
}

/* --- each item alone
 * ----------------------------------------------------------- */

static uint32_t region_of(const check_state *state, uint32_t i)
{
    return state->plan->region == NULL ? 0 : state->plan->region[i];
}

static const char *item_fault(const check_state *state, uint32_t i)
{
    const berth_problem *problem = state->problem;
    const berth_item *item = &problem->items[i];
    const uint64_t offset = state->plan->offset[i];
    const uint32_t region = region_of(state, i);
    uint64_t end = 0;
    uint32_t align = item->align;
    uint64_t capacity = BERTH_NOWHERE;
    if (region >= 32 || (item->regions >> region & 1u) == 0 ||
        (region > 0 && region >= problem->region_count)) {
        return "an item lies in a region that is not its own";
    }
    if (region < problem->region_count) {
        capacity = problem->regions[region].capacity;
        align = problem->regions[region].align > align
                    ? problem->regions[region].align
                    : align;
    }
    if (!berth_add_u64(offset, item->size, &end)) {
        return "an offset wraps around";
    }
    if (offset % align != 0) {
        return "an offset is misaligned";
    }
    if (item->fixed != BERTH_NOWHERE && offset != item->fixed) {
        return "an item is not at its fixed offset";
    }
    return end > capacity ? "an item ends beyond its region" : NULL;
}

static berth_status judge_items(const check_state *state, berth_diag *diag)
{
    const berth_problem *problem = state->problem;
    uint64_t peak = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const char *fault = item_fault(state, i);
        if (fault != NULL) {
            return unsound(diag, fault, i, BERTH_NONE, BERTH_NONE);
        }
        const uint64_t end = state->plan->offset[i] + problem->items[i].size;
        if (problem->items[i].size > 0 && region_of(state, i) == 0 &&
            end > peak) {
            peak = end;
        }
    }
    if (peak != state->plan->peak) {
        return unsound(diag, "the peak is not what was claimed", BERTH_NONE,
                       BERTH_NONE, BERTH_NONE);
    }
    return BERTH_OK;
}

/* Looked at last: a bound above the peak of a plan that breaks a rule is no
 * news. */
static berth_status judge_claim(const berth_plan *plan, berth_diag *diag)
{
    const bool proven = plan->proof == BERTH_PROOF_PROVEN;
    if (plan->bound <= plan->peak && (!proven || plan->bound == plan->peak)) {
        return BERTH_OK;
    }
    return unsound(diag, "the bound does not go with the peak", BERTH_NONE,
                   BERTH_NONE, BERTH_NONE);
}

/* --- ties
 * ----------------------------------------------------------------------- */

static berth_status judge_ties(const check_state *state, berth_diag *diag)
{
    const berth_problem *problem = state->problem;
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        const berth_tie *tie = &problem->ties[k];
        const uint64_t owner = state->plan->offset[tie->a];
        if (state->plan->offset[tie->b] != owner + (uint64_t)tie->delta ||
            region_of(state, tie->a) != region_of(state, tie->b)) {
            return unsound(diag, "a tie is not kept", tie->b, tie->a,
                           BERTH_NONE);
        }
    }
    return BERTH_OK;
}

/* Who has no owner above; halves the way for those who ask later. */
static uint32_t final_owner(const check_state *state, uint32_t i)
{
    uint32_t *root = state->root;
    if (root == NULL) {
        return i;
    }
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

/* --- pairs
 * ---------------------------------------------------------------------- */

static bool is_pinned(const check_state *state, uint32_t i)
{
    return (state->problem->items[i].flags & BERTH_ITEM_PINNED) != 0;
}

static const berth_link *link_between(const berth_problem *problem, uint32_t a,
                                      uint32_t b)
{
    uint32_t low = 0;
    uint32_t high = problem->link_count;
    while (low < high) {
        const uint32_t at = low + (high - low) / 2;
        const berth_link *link = &problem->links[at];
        if (link->a == a && link->b == b) {
            return link;
        }
        if (link->a < a || (link->a == a && link->b < b)) {
            low = at + 1;
        } else {
            high = at;
        }
    }
    return NULL;
}

/* They overlap, so the distance is below a size, and no wrap is near. */
static bool link_allows(const check_state *state, uint32_t a, uint32_t b)
{
    const berth_problem *problem = state->problem;
    const berth_link *link = link_between(problem, a, b);
    if (link == NULL || is_pinned(state, a) || is_pinned(state, b)) {
        return false;
    }
    const int64_t distance =
        (int64_t)(state->plan->offset[b] - state->plan->offset[a]);
    return distance <= link->lo || distance >= link->hi;
}

/* Most pairs stand apart: what takes longer to find out is asked last. */
static berth_status judge_pair(const check_state *state, uint32_t i, uint32_t j,
                               uint32_t step, berth_diag *diag)
{
    const berth_item *items = state->problem->items;
    const uint64_t from_i = state->plan->offset[i];
    const uint64_t from_j = state->plan->offset[j];
    if (from_i + items[i].size <= from_j || from_j + items[j].size <= from_i ||
        i == j) {
        return BERTH_OK;
    }
    const uint32_t a = i < j ? i : j;
    const uint32_t b = i < j ? j : i;
    if (region_of(state, a) != region_of(state, b) ||
        final_owner(state, a) == final_owner(state, b) ||
        link_allows(state, a, b)) {
        return BERTH_OK;
    }
    return unsound(diag, "two items that live at one time overlap", a, b, step);
}

static void sift_life(check_life *life, uint32_t at, uint32_t count)
{
    while (at < count / 2) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && life[child + 1].born > life[child].born) {
            ++child;
        }
        if (life[child].born <= life[at].born) {
            return;
        }
        const check_life swapped = life[at];
        life[at] = life[child];
        life[child] = swapped;
        at = child;
    }
}

static void sort_by_birth(check_life *life, uint32_t count)
{
    for (uint32_t at = count / 2; at-- > 0;) {
        sift_life(life, at, count);
    }
    for (uint32_t last = count; last-- > 1;) {
        const check_life swapped = life[0];
        life[0] = life[last];
        life[last] = swapped;
        sift_life(life, 0, last);
    }
}

static void list_lives(check_state *state)
{
    const berth_problem *problem = state->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if (item->size == 0) {
            continue;
        }
        if (is_pinned(state, i)) {
            state->life[state->life_count++] =
                (check_life){0, problem->step_count, i};
            continue;
        }
        for (uint32_t k = 0; k < item->span_count; ++k) {
            const berth_span *span = &problem->spans[item->first_span + k];
            state->life[state->life_count++] =
                (check_life){span->born, span->dead, i};
        }
    }
    sort_by_birth(state->life, state->life_count);
}

static berth_status judge_pairs(check_state *state, berth_diag *diag)
{
    list_lives(state);
    for (uint32_t k = 0; k < state->life_count; ++k) {
        const check_life *newborn = &state->life[k];
        uint32_t kept = 0;
        for (uint32_t n = 0; n < state->alive_count; ++n) {
            const check_life *other = &state->life[state->alive[n]];
            if (other->dead <= newborn->born) {
                continue;
            }
            state->alive[kept++] = state->alive[n];
            BERTH_TRY(judge_pair(state, newborn->item, other->item,
                                 newborn->born, diag));
        }
        state->alive[kept++] = k;
        state->alive_count = kept;
    }
    return BERTH_OK;
}

/* --- links
 * ---------------------------------------------------------------------- */

static uint32_t op_at(const berth_problem *problem, uint32_t step)
{
    return problem->step_op == NULL ? step : problem->step_op[step];
}

/* The first span of an item that ends behind a step. */
static uint32_t ends_behind(const berth_problem *problem,
                            const berth_item *item, uint32_t step)
{
    uint32_t low = 0;
    uint32_t high = item->span_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (problem->spans[item->first_span + middle].dead <= step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A link weaker than the default is allowed only where all steps in which both
 * items live belong to one operator. */
static berth_status judge_link(const check_state *state, const berth_link *link,
                               berth_diag *diag)
{
    const berth_problem *problem = state->problem;
    const berth_item *a = &problem->items[link->a];
    const berth_item *b = &problem->items[link->b];
    uint32_t met = BERTH_NONE;
    if (a->span_count == 0 || b->span_count == 0) {
        return BERTH_OK;
    }
    uint32_t ka = ends_behind(problem, a, problem->spans[b->first_span].born);
    uint32_t kb = ends_behind(problem, b, problem->spans[a->first_span].born);
    while (ka < a->span_count && kb < b->span_count) {
        const berth_span in_a = problem->spans[a->first_span + ka];
        const berth_span in_b = problem->spans[b->first_span + kb];
        const uint32_t end = in_a.dead < in_b.dead ? in_a.dead : in_b.dead;
        uint32_t step = in_a.born > in_b.born ? in_a.born : in_b.born;
        for (; step < end; ++step) {
            met = met == BERTH_NONE ? step : met;
            if (op_at(problem, step) != op_at(problem, met)) {
                return unsound(diag, "a link where two operators meet", link->a,
                               link->b, step);
            }
        }
        if (in_a.dead < in_b.dead) {
            ++ka;
        } else {
            ++kb;
        }
    }
    return BERTH_OK;
}

static berth_status judge_links(const check_state *state, berth_diag *diag)
{
    const berth_problem *problem = state->problem;
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        const berth_link *link = &problem->links[k];
        const int64_t below = -(int64_t)problem->items[link->b].size;
        const int64_t above = (int64_t)problem->items[link->a].size;
        if (link->lo >= link->hi || link->lo > below || link->hi < above) {
            BERTH_TRY(judge_link(state, link, diag));
        }
    }
    return BERTH_OK;
}

/* --- the judge
 * ------------------------------------------------------------------- */

static bool count_lives(const berth_problem *problem, size_t *count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        sum += problem->items[i].span_count;
    }
    *count = (size_t)sum;
    return sum <= UINT32_MAX / 2;
}

berth_status berth_plan_check_bytes(const berth_problem *problem, size_t *bytes)
{
    size_t lives = 0;
    size_t need = 0;
    size_t well_formed = 0;
    if (problem->item_count > 0 && problem->items == NULL) {
        return BERTH_BAD_ARG;
    }
    if (!count_lives(problem, &lives) ||
        berth_problem_check_bytes(problem, &well_formed) != BERTH_OK ||
        !BERTH_NEED(&need, check_life, lives) ||
        !BERTH_NEED(&need, uint32_t, lives) ||
        (problem->tie_count > 0 &&
         !BERTH_NEED(&need, uint32_t, problem->item_count))) {
        return BERTH_TOO_LARGE;
    }
    *bytes = need > well_formed ? need : well_formed;
    return BERTH_OK;
}

static void take_state(check_state *state, berth_work *work)
{
    const berth_problem *problem = state->problem;
    size_t lives = 0;
    (void)count_lives(problem, &lives);
    state->life = BERTH_TAKE(work, check_life, lives);
    state->alive = BERTH_TAKE(work, uint32_t, lives);
    if (problem->tie_count > 0) {
        state->root = BERTH_TAKE(work, uint32_t, problem->item_count);
        for (uint32_t i = 0; i < problem->item_count; ++i) {
            state->root[i] = i;
        }
        for (uint32_t k = 0; k < problem->tie_count; ++k) {
            state->root[problem->ties[k].b] = problem->ties[k].a;
        }
    }
}

berth_status berth_plan_check(const berth_problem *problem,
                              const berth_plan *plan, berth_work work,
                              berth_diag *diag)
{
    check_state state = {.problem = problem, .plan = plan};
    size_t need = 0;
    const berth_status sized = berth_plan_check_bytes(problem, &need);
    if (sized != BERTH_OK) {
        return berth_refuse(diag, sized, "no problem that could be judged");
    }
    BERTH_TRY(berth_work_check(&work, need, diag));
    BERTH_TRY(berth_problem_check(problem, work, diag));
    if ((problem->item_count > 0 && plan->offset == NULL) ||
        (problem->region_count > 1 && plan->region == NULL)) {
        return berth_refuse(diag, BERTH_BAD_ARG, "the plan has no offsets");
    }
    take_state(&state, &work);
    BERTH_TRY(judge_items(&state, diag));
    BERTH_TRY(judge_ties(&state, diag));
    BERTH_TRY(judge_links(&state, diag));
    BERTH_TRY(judge_pairs(&state, diag));
    return judge_claim(plan, diag);
}

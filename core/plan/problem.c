/* Is a planning problem well formed? Everything after this may trust its
 * indexes, its orders, and that no sum of offsets wraps (invariant P1). */
#include "plan/plan_int.h"

#define PROBLEM_REGIONS_MAX 32u

uint32_t plan_item_align(const berth_problem *problem, uint32_t i)
{
    const uint32_t own = problem->items[i].align;
    return problem->region_count == 1
               ? plan_max_u32(own, problem->regions[0].align)
               : own;
}

bool plan_life_count(const berth_problem *problem, uint32_t *count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        sum += problem->items[i].span_count;
    }
    *count = (uint32_t)sum;
    return problem->item_count <= PLAN_LIVES_MAX && sum <= PLAN_LIVES_MAX;
}

static berth_status refuse_item(berth_diag *diag, const char *what, uint32_t i)
{
    (void)berth_refuse(diag, BERTH_BAD_ARG, what);
    if (diag != NULL) {
        diag->tensor = i;
    }
    return BERTH_BAD_ARG;
}

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1u)) == 0;
}

static berth_status check_arrays(const berth_problem *problem, berth_diag *diag)
{
    if ((problem->item_count > 0 && problem->items == NULL) ||
        (problem->span_count > 0 && problem->spans == NULL) ||
        (problem->link_count > 0 && problem->links == NULL) ||
        (problem->tie_count > 0 && problem->ties == NULL) ||
        (problem->region_count > 0 && problem->regions == NULL)) {
        return berth_refuse(diag, BERTH_BAD_ARG, "an array is missing");
    }
    if (problem->region_count > PROBLEM_REGIONS_MAX) {
        return berth_refuse(diag, BERTH_BAD_ARG, "more than 32 regions");
    }
    for (uint32_t r = 0; r < problem->region_count; ++r) {
        if (!is_power_of_two(problem->regions[r].align)) {
            return berth_refuse(diag, BERTH_BAD_ARG,
                                "a region's alignment is no power of two");
        }
    }
    return BERTH_OK;
}

static bool spans_ascend(const berth_problem *problem, const berth_item *item)
{
    if (item->span_count == 0 || item->first_span > problem->span_count ||
        item->span_count > problem->span_count - item->first_span) {
        return false;
    }
    const berth_span *spans = problem->spans + item->first_span;
    for (uint32_t k = 0; k < item->span_count; ++k) {
        if (spans[k].born >= spans[k].dead ||
            spans[k].dead > problem->step_count ||
            (k > 0 && spans[k].born <= spans[k - 1].dead)) {
            return false;
        }
    }
    return true;
}

static berth_status check_items(const berth_problem *problem, berth_diag *diag)
{
    uint32_t lives = 0;
    const uint32_t regions = problem->region_count <= 1
                                 ? 1u
                                 : UINT32_MAX >> (32u - problem->region_count);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if (!is_power_of_two(item->align)) {
            return refuse_item(diag, "an alignment is no power of two", i);
        }
        if (!spans_ascend(problem, item)) {
            return refuse_item(
                diag, "spans are missing, out of order or past step_count", i);
        }
        if ((item->regions & regions) == 0) {
            return refuse_item(diag, "an item may lie in no region", i);
        }
        if (item->fixed != BERTH_NOWHERE &&
            (item->fixed & (plan_item_align(problem, i) - 1u)) != 0) {
            return refuse_item(diag, "a fixed offset is not aligned", i);
        }
    }
    if (!plan_life_count(problem, &lives)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than 2^28 spans");
    }
    return BERTH_OK;
}

/* A link may forbid less than the default, never more. */
static berth_status check_links(const berth_problem *problem, berth_diag *diag)
{
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        const berth_link *link = &problem->links[k];
        if (link->a >= link->b || link->b >= problem->item_count) {
            return refuse_item(diag, "a link is out of range", link->b);
        }
        if (k > 0 && (link[-1].a > link->a ||
                      (link[-1].a == link->a && link[-1].b >= link->b))) {
            return refuse_item(diag, "links are out of order", link->b);
        }
        /* Sizes are known to be below 2^60 here. */
        const int64_t below = -(int64_t)problem->items[link->b].size;
        const int64_t above = (int64_t)problem->items[link->a].size;
        if (link->lo < link->hi && (link->lo < below || link->hi > above)) {
            return refuse_item(diag, "a link forbids more than the default",
                               link->b);
        }
    }
    return BERTH_OK;
}

static berth_status check_ties(const berth_problem *problem, berth_diag *diag)
{
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        const berth_tie *tie = &problem->ties[k];
        if (tie->a >= problem->item_count || tie->b >= problem->item_count ||
            tie->a == tie->b) {
            return refuse_item(diag, "a tie is out of range", tie->b);
        }
        if (k > 0 && tie[-1].b >= tie->b) {
            return refuse_item(diag, "ties are out of order", tie->b);
        }
    }
    return BERTH_OK;
}

/* Adds to *reach what cannot be passed by placing this much more on top. */
static bool extend(uint64_t *reach, uint64_t bytes)
{
    return bytes <= PLAN_REACH_MAX && berth_add_u64(*reach, bytes, reach) &&
           *reach <= PLAN_REACH_MAX;
}

static bool within_reach(const berth_problem *problem)
{
    uint64_t reach = 0;
    uint64_t fixed = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if (item->fixed != BERTH_NOWHERE && item->fixed > fixed) {
            fixed = item->fixed;
        }
        /* Rounding to 16 is TFLM's. */
        if (!extend(&reach, item->size) ||
            !extend(&reach, (uint64_t)plan_item_align(problem, i) + 16u)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        const int64_t delta = problem->ties[k].delta;
        const uint64_t bytes =
            delta < 0 ? (uint64_t)0 - (uint64_t)delta : (uint64_t)delta;
        if (!extend(&reach, bytes)) {
            return false;
        }
    }
    return extend(&reach, fixed);
}

static berth_status check_classes(const berth_problem *problem, berth_work work,
                                  berth_diag *diag)
{
    plan_classes classes;
    BERTH_TRY(plan_classes_init(&classes, problem, &work, diag));
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        if (plan_root(&classes, i) == i) {
            const plan_shape shape = plan_shape_of(&classes, i);
            if (shape.misfit != BERTH_NONE) {
                return refuse_item(diag,
                                   "a tie contradicts an offset or alignment",
                                   shape.misfit);
            }
        }
    }
    return BERTH_OK;
}

berth_status berth_problem_check_bytes(const berth_problem *problem,
                                       size_t *bytes)
{
    size_t need = 0;
    if (problem->item_count > PLAN_LIVES_MAX ||
        !plan_classes_need(problem, &need)) {
        return BERTH_TOO_LARGE;
    }
    *bytes = need;
    return BERTH_OK;
}

berth_status berth_problem_check(const berth_problem *problem, berth_work work,
                                 berth_diag *diag)
{
    size_t need = 0;
    if (berth_problem_check_bytes(problem, &need) != BERTH_OK) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "too many items");
    }
    BERTH_TRY(berth_work_check(&work, need, diag));
    BERTH_TRY(check_arrays(problem, diag));
    BERTH_TRY(check_items(problem, diag));
    BERTH_TRY(check_ties(problem, diag));
    if (!within_reach(problem)) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "the items reach past 2^60 bytes");
    }
    BERTH_TRY(check_links(problem, diag));
    return check_classes(problem, work, diag);
}

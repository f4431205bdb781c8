/* Lives of which no two that share time may share bytes.
 *
 * Two items that are linked more weakly than by default may overlap while both
 * live. Two sets of lives are without such pairs: of each the one born later
 * starts when the pair has parted, or the one that dies earlier ends before it
 * has met. With in-place operators these are "the live items without the
 * newborn" and "without the dying". */
#include "plan/trim_int.h"

bool plan_trim_need(const berth_problem *problem, size_t *bytes)
{
    uint32_t lives = 0;
    return plan_life_count(problem, &lives) &&
           BERTH_NEED(bytes, plan_span_of, lives) &&
           (problem->link_count == 0 ||
            BERTH_NEED(bytes, uint32_t, problem->item_count));
}

void plan_trim_init(plan_trim *trim, const berth_problem *problem,
                    berth_work *work)
{
    uint32_t lives = 0;
    (void)plan_life_count(problem, &lives);
    *trim = (plan_trim){.problem = problem,
                        .life = BERTH_TAKE(work, plan_span_of, lives)};
    if (problem->link_count > 0) {
        trim->first = BERTH_TAKE(work, uint32_t, problem->item_count);
    }
}

/* With several regions only what must lie in region 0 makes its peak. */
bool plan_counts(const berth_problem *problem, uint32_t i)
{
    const berth_item *item = &problem->items[i];
    const uint32_t others =
        problem->region_count <= 1
            ? 0
            : (UINT32_MAX >> (32u - problem->region_count)) & ~1u;
    return item->size != 0 && (item->regions & others) == 0;
}

static void gather_lives(plan_trim *trim)
{
    const berth_problem *problem = trim->problem;
    trim->count = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint32_t spans =
            plan_counts(problem, i) ? plan_span_count(problem, i) : 0;
        if (trim->first != NULL) {
            trim->first[i] = trim->count;
        }
        for (uint32_t k = 0; k < spans; ++k) {
            const berth_span span = plan_span(problem, i, k);
            trim->life[trim->count++] = (plan_span_of){span.born, span.dead, i};
        }
    }
}

/* Trims the lives ka of item a and kb of item b so that they do not meet. The
 * spans as given decide; what was trimmed before only gets shorter. */
static void part_pair(plan_trim_set set, plan_span_of *a, berth_span span_a,
                      plan_span_of *b, berth_span span_b)
{
    const uint32_t met = plan_max_u32(span_a.born, span_b.born);
    const uint32_t parted = plan_min_u32(span_a.dead, span_b.dead);
    if (set == TRIM_NEWBORN) {
        plan_span_of *later = span_b.born >= span_a.born ? b : a;
        later->born = plan_max_u32(later->born, parted);
    } else {
        plan_span_of *earlier = span_a.dead <= span_b.dead ? a : b;
        earlier->dead = plan_min_u32(earlier->dead, met);
    }
}

static bool is_weak(const berth_problem *problem, const berth_link *link)
{
    const berth_item *a = &problem->items[link->a];
    const berth_item *b = &problem->items[link->b];
    return ((a->flags | b->flags) & BERTH_ITEM_PINNED) == 0 &&
           plan_counts(problem, link->a) && plan_counts(problem, link->b) &&
           (link->lo >= link->hi || link->lo > -(int64_t)b->size ||
            link->hi < (int64_t)a->size);
}

/* The first span of an item that ends behind a step: an item with a span for
 * each of many calls meets most others in one of them. */
static uint32_t span_behind(const berth_problem *problem, uint32_t item,
                            uint32_t step)
{
    uint32_t low = 0;
    uint32_t high = plan_span_count(problem, item);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (plan_span(problem, item, middle).dead <= step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void part_link(plan_trim *trim, plan_trim_set set,
                      const berth_link *link)
{
    const berth_problem *problem = trim->problem;
    plan_span_of *a = trim->life + trim->first[link->a];
    plan_span_of *b = trim->life + trim->first[link->b];
    if (plan_span_count(problem, link->a) == 0 ||
        plan_span_count(problem, link->b) == 0) {
        return;
    }
    uint32_t ka =
        span_behind(problem, link->a, plan_span(problem, link->b, 0).born);
    uint32_t kb =
        span_behind(problem, link->b, plan_span(problem, link->a, 0).born);
    while (ka < plan_span_count(problem, link->a) &&
           kb < plan_span_count(problem, link->b)) {
        const berth_span span_a = plan_span(problem, link->a, ka);
        const berth_span span_b = plan_span(problem, link->b, kb);
        if (span_a.born < span_b.dead && span_b.born < span_a.dead) {
            part_pair(set, a + ka, span_a, b + kb, span_b);
        }
        if (span_a.dead < span_b.dead) {
            ++ka;
        } else {
            ++kb;
        }
    }
}

void plan_trim_to(plan_trim *trim, plan_trim_set set)
{
    const berth_problem *problem = trim->problem;
    gather_lives(trim);
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        if (is_weak(problem, &problem->links[k])) {
            part_link(trim, set, &problem->links[k]);
        }
    }
}

/* The brute-force packer: all offsets of all items, the peak allowed growing by
 * one until a plan is found. Written from plan.h alone; it reads each rule in
 * the plainest way. */
#include "plan_case.h"

#define BRUTE_ITEMS 8u

static bool in_one_class(const berth_problem *problem, uint32_t a, uint32_t b)
{
    /* Merge classes tie by tie; with 8 items, 8 rounds are enough. */
    uint32_t class_of[BRUTE_ITEMS];
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        class_of[i] = i;
    }
    for (uint32_t round = 0; round < BRUTE_ITEMS; ++round) {
        for (uint32_t k = 0; k < problem->tie_count; ++k) {
            const berth_tie *tie = &problem->ties[k];
            const uint32_t from = class_of[tie->a];
            const uint32_t to = class_of[tie->b];
            class_of[tie->a] = from < to ? from : to;
            class_of[tie->b] = from < to ? from : to;
        }
    }
    return class_of[a] == class_of[b];
}

static bool meet(const berth_problem *problem, uint32_t a, uint32_t b)
{
    const berth_item *x = &problem->items[a];
    const berth_item *y = &problem->items[b];
    if (((x->flags | y->flags) & BERTH_ITEM_PINNED) != 0) {
        return true;
    }
    for (uint32_t k = 0; k < x->span_count; ++k) {
        for (uint32_t n = 0; n < y->span_count; ++n) {
            const berth_span *s = &problem->spans[x->first_span + k];
            const berth_span *t = &problem->spans[y->first_span + n];
            if (s->born < t->dead && t->born < s->dead) {
                return true;
            }
        }
    }
    return false;
}

/* May a and b, a < b, lie that far apart? */
static bool pair_allowed(const berth_problem *problem, uint32_t a, uint32_t b,
                         int64_t distance)
{
    const berth_item *x = &problem->items[a];
    const berth_item *y = &problem->items[b];
    int64_t lo = -(int64_t)y->size;
    int64_t hi = (int64_t)x->size;
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        const berth_tie *tie = &problem->ties[k];
        if (tie->a == a && tie->b == b && distance != tie->delta) {
            return false;
        }
        if (tie->a == b && tie->b == a && -distance != tie->delta) {
            return false;
        }
    }
    if (x->size == 0 || y->size == 0 || !meet(problem, a, b) ||
        in_one_class(problem, a, b)) {
        return true;
    }
    for (uint32_t k = 0; k < problem->link_count; ++k) {
        const berth_link *link = &problem->links[k];
        if (link->a == a && link->b == b &&
            ((x->flags | y->flags) & BERTH_ITEM_PINNED) == 0) {
            lo = link->lo;
            hi = link->hi;
        }
    }
    return !(lo < distance && distance < hi);
}

static bool stands(const berth_problem *problem, const uint64_t *offset,
                   uint32_t i)
{
    const berth_item *item = &problem->items[i];
    if (offset[i] % item->align != 0 ||
        (item->fixed != BERTH_NOWHERE && offset[i] != item->fixed)) {
        return false;
    }
    for (uint32_t k = 0; k < i; ++k) {
        if (!pair_allowed(problem, k, i, (int64_t)(offset[i] - offset[k]))) {
            return false;
        }
    }
    return true;
}

/* Is there a plan that ends at `peak`? An odometer instead of recursion. An
 * item of no bytes may lie past the peak, so its own range is wider. */
static bool fits_in(const berth_problem *problem, uint64_t peak, uint64_t most)
{
    uint64_t offset[BRUTE_ITEMS];
    uint32_t i = 0;
    offset[0] = 0;
    while (i < problem->item_count) {
        const uint64_t size = problem->items[i].size;
        const uint64_t end = size == 0 ? most : peak;
        while (offset[i] + size <= end && !stands(problem, offset, i)) {
            ++offset[i];
        }
        if (offset[i] + size <= end) {
            ++i;
            if (i < problem->item_count) {
                offset[i] = 0;
            }
        } else {
            if (i == 0) {
                return false;
            }
            ++offset[--i];
        }
    }
    return true;
}

uint64_t problem_brute_peak(const berth_problem *problem)
{
    uint64_t most = 0;
    uint64_t peak = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        most += item->size + item->align;
        if (item->fixed != BERTH_NOWHERE) {
            most += item->fixed;
        }
        peak = item->size > peak ? item->size : peak;
    }
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        const int64_t delta = problem->ties[k].delta;
        most += (uint64_t)(delta < 0 ? -delta : delta);
    }
    for (; peak <= most; ++peak) {
        if (fits_in(problem, peak, most)) {
            return peak;
        }
    }
    return UINT64_MAX;
}

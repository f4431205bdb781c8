/* Lives with a lag, for readers that are not done when their step is: a DMA
 * transfer, an accelerator, a pipeline. What is used last by step s may be in
 * use in the `lag` steps that run behind s.
 *
 * In a straight run of steps those are the next ones of the list. Some steps
 * jump: a loop's TEST and BACK, the TEST of IF, the EXIT of all its branches
 * but the last. A life that goes on behind such a step may find itself at the
 * head of a loop or behind its end, so it takes the whole of the outermost loop
 * or branch, and the lag again behind that. This is more than is needed there,
 * and never less.
 *
 * A tensor that is written anew (in the next turn of a loop, by the next call)
 * has one place, whatever the plan: who waits for that is the reader's affair.
 */
#include "lifetime_int.h"

/* One past the last step of the loop or branch that begins at s; s + 1 where
 * none does. */
static uint32_t region_end(const berth_schedule *schedule, uint32_t s)
{
    const berth_step *steps = schedule->steps;
    if (steps[s].partner == BERTH_NONE) {
        return s + 1;
    }
    if (steps[s].kind == BERTH_STEP_ENTER) {
        return steps[s].partner + 2; /* EXIT stands behind BACK */
    }
    uint32_t end = s + 1;
    if (steps[s].kind == BERTH_STEP_TEST) {
        uint32_t branch = steps[s].partner;
        while (branch < schedule->step_count &&
               steps[branch].kind == BERTH_STEP_ELSE &&
               steps[branch].op == steps[s].op) {
            end = steps[branch].partner + 1;
            branch = end;
        }
    }
    return end;
}

static bool jumps(const berth_schedule *schedule, uint32_t s)
{
    const berth_step *step = &schedule->steps[s];
    switch (step->kind) {
    case BERTH_STEP_TEST:
        return step->partner != BERTH_NONE;
    case BERTH_STEP_BACK:
        return true;
    case BERTH_STEP_EXIT:
        return s + 1 < schedule->step_count &&
               schedule->steps[s + 1].kind == BERTH_STEP_ELSE;
    default:
        return false;
    }
}

static void find_regions(const lifetime_draft *d)
{
    uint32_t first = 0;
    uint32_t end = 0;
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        if (s >= end) {
            first = s;
            end = region_end(d->schedule, s);
        }
        d->ticks[s].region_first = first;
        d->ticks[s].region_end = end;
    }
}

static uint32_t later(const lifetime_draft *d, uint32_t end)
{
    const uint32_t left = d->step_count - end;
    return end + (d->options->lag < left ? d->options->lag : left);
}

/* Where lives end that have seen a jump, by where they would end without. */
static void settle_ends(const lifetime_draft *d)
{
    uint32_t jump = BERTH_NONE;
    for (uint32_t end = 0; end <= d->step_count; ++end) {
        if (end >= 2 && jumps(d->schedule, end - 2)) {
            jump = end - 2;
        }
        d->ticks[end].jump = jump;
    }
    for (uint32_t end = d->step_count + 1; end-- > 0;) {
        lifetime_tick *tick = &d->ticks[end];
        const uint32_t behind = tick->jump == BERTH_NONE
                                    ? end
                                    : later(d, d->ticks[tick->jump].region_end);
        tick->settled = behind > end ? d->ticks[behind].settled : end;
    }
}

static berth_span stretch(const lifetime_draft *d, berth_span span)
{
    span.dead = later(d, span.dead);
    const lifetime_tick *tick = &d->ticks[span.dead];
    if (tick->jump != BERTH_NONE && tick->jump >= span.born) {
        span.born = d->ticks[span.born].region_first;
        span.dead = tick->settled;
    }
    return span;
}

/* Spans that have come to touch become one. */
static uint32_t stretch_item(lifetime_draft *d, berth_item *item, uint32_t to)
{
    const uint32_t first = to;
    for (uint32_t i = 0; i < item->span_count; ++i) {
        berth_span span = stretch(d, d->spans[item->first_span + i]);
        while (to > first && span.born <= d->spans[to - 1].dead) {
            --to;
            span.born =
                d->spans[to].born < span.born ? d->spans[to].born : span.born;
            span.dead =
                d->spans[to].dead > span.dead ? d->spans[to].dead : span.dead;
        }
        d->spans[to++] = span;
    }
    item->first_span = first;
    item->span_count = to - first;
    return to;
}

void lifetime_add_lag(lifetime_draft *d)
{
    uint32_t kept = 0;
    find_regions(d);
    settle_ends(d);
    for (uint32_t item = 0; item < d->item_count; ++item) {
        kept = stretch_item(d, &d->items[item], kept);
    }
    d->span_count = kept;
}

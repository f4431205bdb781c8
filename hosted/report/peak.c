/* Who is alive at the peak, and why: the step uses it, or a later one does. */
#include "report_int.h"

#include <stdlib.h>

/* The span of an item that holds the step, or NULL. A pinned item has its
 * bytes all the time. */
static const berth_span *span_at(const berth_problem *problem, uint32_t item,
                                 uint32_t step)
{
    const berth_item *it = &problem->items[item];
    const berth_span *span = &problem->spans[it->first_span];
    if ((it->flags & BERTH_ITEM_PINNED) != 0) {
        return span;
    }
    for (uint32_t i = 0; i < it->span_count; ++i) {
        if (span[i].born <= step && step < span[i].dead) {
            return &span[i];
        }
    }
    return NULL;
}

static bool is_among(const uint32_t *tensors, uint32_t count, uint32_t tensor)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] == tensor) {
            return true;
        }
    }
    return false;
}

static berth_report_role role_at(const berth_step *step, uint32_t tensor)
{
    if (tensor == BERTH_NONE) {
        return BERTH_ROLE_SCRATCH;
    }
    if (is_among(step->writes, step->write_count, tensor)) {
        return BERTH_ROLE_OUTPUT;
    }
    return is_among(step->reads, step->read_count, tensor) ? BERTH_ROLE_INPUT
                                                           : BERTH_ROLE_WAITS;
}

static int by_bytes(const void *x, const void *y)
{
    const berth_report_alive *a = x;
    const berth_report_alive *b = y;
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return a->item < b->item ? -1 : a->item > b->item;
}

static int by_offset(const void *x, const void *y)
{
    const berth_report_range *a = x;
    const berth_report_range *b = y;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* Turns the ranges in use into those between them, up to the peak. */
static uint32_t invert_ranges(berth_report_range *ranges, uint32_t count,
                              uint64_t peak)
{
    qsort(ranges, count, sizeof(*ranges), by_offset);
    uint64_t reached = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const berth_report_range used = ranges[i];
        if (used.from > reached) {
            ranges[kept++] = (berth_report_range){reached, used.from};
        }
        if (used.end > reached) {
            reached = used.end;
        }
    }
    if (reached < peak) {
        ranges[kept++] = (berth_report_range){reached, peak};
    }
    return kept;
}

/* An operator whose results are known in prepare reads nothing at run time. */
static bool is_idle(const berth_report *report, const berth_step *step)
{
    const uint8_t *classes = report->staged.lifetimes.class_of_tensor;
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t t = step->writes[i];
        if (t != BERTH_NONE && classes[t] != BERTH_CLASS_FOLDED &&
            classes[t] != BERTH_CLASS_ENCODED) {
            return false;
        }
    }
    return step->kind == BERTH_STEP_OP && step->write_count > 0;
}

/* One walk over the steps behind the peak, for all that are alive. */
static void walk_readers(berth_report *report, const uint32_t *place)
{
    const berth_schedule *schedule = &report->staged.schedule;
    for (uint32_t s = report->usage.peak_step + 1u; s < schedule->step_count;
         ++s) {
        const berth_step *step = &schedule->steps[s];
        for (uint32_t i = 0; i < step->read_count; ++i) {
            const uint32_t t = step->reads[i];
            if (t == BERTH_NONE || place[t] == BERTH_NONE) {
                continue;
            }
            berth_report_alive *alive = &report->alive[place[t]];
            if (alive->reader == BERTH_NONE && s < alive->span.dead &&
                !is_idle(report, step)) {
                alive->reader = s;
            }
        }
    }
}

static bool find_readers(berth_report *report)
{
    const uint32_t tensors = report->loaded.graph.tensor_count;
    berth_block block;
    if (!berth_block_take(report->port, tensors * sizeof(uint32_t), &block)) {
        return report_no_memory(report, tensors * sizeof(uint32_t));
    }
    uint32_t *place = block.memory;
    for (uint32_t t = 0; t < tensors; ++t) {
        place[t] = BERTH_NONE;
    }
    for (uint32_t i = 0; i < report->alive_count; ++i) {
        if (report->alive[i].tensor != BERTH_NONE) {
            place[report->alive[i].tensor] = i;
        }
    }
    walk_readers(report, place);
    berth_block_give(report->port, &block);
    return true;
}

bool report_find_alive(berth_report *report)
{
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    const berth_problem *problem = &lifetimes->problem;
    const uint32_t step = report->usage.peak_step;
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        count += problem->items[i].size > 0 && span_at(problem, i, step);
    }
    report->alive = report_take(report, count, sizeof(*report->alive));
    report->idle =
        report_take(report, (size_t)count + 1u, sizeof(*report->idle));
    if (report->alive == NULL || report->idle == NULL) {
        return false;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_span *span = span_at(problem, i, step);
        const uint64_t size = problem->items[i].size;
        if (size == 0 || span == NULL) {
            continue;
        }
        const uint32_t tensor = lifetimes->tensor_of_item[i];
        const uint64_t offset = report->plan.offset[i];
        report->alive[at] = (berth_report_alive){
            .item = i,
            .tensor = tensor,
            .role = role_at(&report->staged.schedule.steps[step], tensor),
            .bytes = size,
            .offset = offset,
            .span = *span,
            .reader = BERTH_NONE};
        report->idle[at++] = (berth_report_range){offset, offset + size};
    }
    qsort(report->alive, count, sizeof(*report->alive), by_bytes);
    report->alive_count = count;
    report->idle_count = invert_ranges(report->idle, count, report->plan.peak);
    return find_readers(report);
}

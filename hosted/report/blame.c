/* Whom to blame where a model does not fit: what holds the largest parts of
 * the total, which are items alive at the peak and state; then, where those
 * are fewer than three, the largest items that live elsewhere, since the plan
 * is no smaller than the next peak. */
#include "report_int.h"

/* Higher ranks go first. */
static bool is_worse(const berth_report_alive *a, const berth_report_alive *b)
{
    const bool here_a = a->role != BERTH_ROLE_ELSEWHERE;
    const bool here_b = b->role != BERTH_ROLE_ELSEWHERE;
    return here_a != here_b ? here_a : a->bytes > b->bytes;
}

/* Of equals the one that came first stays before. */
static void consider(berth_report *report, const berth_report_alive *one)
{
    uint32_t at = report->blame_count;
    while (at > 0 && is_worse(one, &report->blame[at - 1u])) {
        if (at < BERTH_BLAME_MAX) {
            report->blame[at] = report->blame[at - 1u];
        }
        --at;
    }
    if (at < BERTH_BLAME_MAX) {
        report->blame[at] = *one;
        report->blame_count += report->blame_count < BERTH_BLAME_MAX;
    }
}

static bool is_alive_at_peak(const berth_report *report, uint32_t item)
{
    for (uint32_t i = 0; i < report->alive_count; ++i) {
        if (report->alive[i].item == item) {
            return true;
        }
    }
    return false;
}

static void consider_elsewhere(berth_report *report)
{
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    const berth_problem *problem = &lifetimes->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        if (item->size > 0 && !is_alive_at_peak(report, i)) {
            const berth_report_alive one = {
                .item = i,
                .tensor = lifetimes->tensor_of_item[i],
                .role = BERTH_ROLE_ELSEWHERE,
                .bytes = item->size,
                .offset = report->plan.offset[i],
                .span = problem->spans[item->first_span],
                .reader = BERTH_NONE};
            consider(report, &one);
        }
    }
}

void report_blame(berth_report *report)
{
    const berth_graph *graph = &report->loaded.graph;
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        const berth_shape *shape = &report->staged.shapes.of[t];
        if (lifetimes->class_of_tensor[t] == BERTH_CLASS_STATE &&
            shape->state == BERTH_SHAPE_STATIC && shape->bytes > 0) {
            const berth_report_alive one = {.item = BERTH_NONE,
                                            .tensor = t,
                                            .role = BERTH_ROLE_STATE,
                                            .bytes = shape->bytes,
                                            .offset = BERTH_NOWHERE,
                                            .reader = BERTH_NONE};
            consider(report, &one);
        }
    }
    for (uint32_t i = 0; i < report->alive_count; ++i) {
        consider(report, &report->alive[i]);
    }
    if (report->blame_count < BERTH_BLAME_MAX) {
        consider_elsewhere(report);
    }
}

/* Usage: what a plan does with its arena over time.
 *
 * Live bytes: spans are taken up at their birth and put down at their death,
 * step by step, on a cover of the arena (cover.c), so that bytes which several
 * items share (ties, in-place links) are counted once.
 *
 * Reuse: buffers, which are items or whole classes of tied ones, paint their
 * cells in order of birth, each cell once. A buffer that finds some of its
 * cells painted stands on bytes that an earlier one left. */
#include "ledger_int.h"

#include <string.h>

/* Chains of spans (or of buffers), one for each step: what happens there. */
typedef struct usage_agenda {
    uint32_t *first; /* by step */
    uint32_t *next;
} usage_agenda;

typedef struct usage_state {
    const berth_problem *problem;
    const berth_plan *plan;
    ledger_axis axis;
    ledger_cover cover;
    uint32_t *from_cell; /* by item; from == end: no bytes */
    uint32_t *end_cell;
    uint32_t *root;    /* by item: the one that stands for its class */
    uint32_t *birth;   /* by item: first step; of a root: of its class */
    uint32_t *item_of; /* by span */
    uint32_t *painted; /* by cell: the next cell not painted */
    usage_agenda births;
    usage_agenda deaths;
} usage_state;

static uint64_t item_end(const usage_state *u, uint32_t item)
{
    return u->plan->offset[item] + u->problem->items[item].size;
}

static void agenda_add(usage_agenda *agenda, uint32_t step, uint32_t entry)
{
    agenda->next[entry] = agenda->first[step];
    agenda->first[step] = entry;
}

static void agenda_clear(usage_agenda *agenda, uint32_t step_count)
{
    memset(agenda->first, 0xFF, ((size_t)step_count + 1u) * sizeof(uint32_t));
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

berth_status berth_usage_bytes(const berth_problem *problem, size_t *bytes,
                               berth_diag *diag)
{
    const uint64_t points = 2u * (uint64_t)problem->item_count;
    const size_t entries = larger(problem->span_count, problem->item_count);
    const size_t steps = (size_t)problem->step_count + 1u;
    size_t need = 0;
    if (points > 1u << 30) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "too many items to account");
    }
    const size_t nodes = 2u * (size_t)ledger_cover_leaves((uint32_t)points);
    const bool fits = BERTH_NEED(&need, uint64_t, (size_t)points) &&
                      BERTH_NEED(&need, uint32_t, nodes) &&
                      BERTH_NEED(&need, uint64_t, nodes) &&
                      BERTH_NEED(&need, uint32_t, (size_t)points * 3u + 1u) &&
                      BERTH_NEED(&need, uint32_t, problem->span_count) &&
                      BERTH_NEED(&need, uint32_t, steps * 2u) &&
                      BERTH_NEED(&need, uint32_t, entries * 2u);
    if (!fits) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "account beyond size_t");
    }
    *bytes = need;
    return BERTH_OK;
}

/* Takes what berth_usage_bytes() counted, in its order. */
static bool take_usage(const berth_problem *problem, berth_work *work,
                       usage_state *u)
{
    const size_t items = problem->item_count;
    const size_t entries = larger(problem->span_count, problem->item_count);
    const size_t steps = (size_t)problem->step_count + 1u;
    const uint32_t leaves = ledger_cover_leaves(2u * problem->item_count);

    u->axis.points = BERTH_TAKE(work, uint64_t, items * 2u);
    u->cover.leaves = leaves;
    u->cover.count = BERTH_TAKE(work, uint32_t, 2u * (size_t)leaves);
    u->cover.covered = BERTH_TAKE(work, uint64_t, 2u * (size_t)leaves);
    u->from_cell = BERTH_TAKE(work, uint32_t, items * 6u + 1u);
    u->item_of = BERTH_TAKE(work, uint32_t, problem->span_count);
    u->births.first = BERTH_TAKE(work, uint32_t, steps * 2u);
    u->births.next = BERTH_TAKE(work, uint32_t, entries * 2u);
    if (u->axis.points == NULL || u->cover.count == NULL ||
        u->cover.covered == NULL || u->from_cell == NULL ||
        u->item_of == NULL || u->births.first == NULL ||
        u->births.next == NULL) {
        return false;
    }
    u->end_cell = u->from_cell + items;
    u->root = u->end_cell + items;
    u->birth = u->root + items;
    u->painted = u->birth + items; /* a cell fewer than points, and a stop */
    u->deaths.first = u->births.first + steps;
    u->deaths.next = u->births.next + entries;
    return true;
}

/* The axis of the arena, and the cells of every item on it. */
static void lay_out(usage_state *u)
{
    const berth_problem *problem = u->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        if (problem->items[i].size > 0) {
            u->axis.points[u->axis.count++] = u->plan->offset[i];
            u->axis.points[u->axis.count++] = item_end(u, i);
        }
    }
    ledger_axis_close(&u->axis);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const bool has_bytes = problem->items[i].size > 0;
        u->from_cell[i] =
            has_bytes ? ledger_axis_find(&u->axis, u->plan->offset[i]) : 0;
        u->end_cell[i] =
            has_bytes ? ledger_axis_find(&u->axis, item_end(u, i)) : 0;
    }
}

/* Enters each span at its birth and its death; a pinned item has its bytes for
 * itself from beginning to end, so its first span stands for all. */
static void enter_spans(usage_state *u)
{
    const berth_problem *problem = u->problem;
    agenda_clear(&u->births, problem->step_count);
    agenda_clear(&u->deaths, problem->step_count);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        const bool pinned = (item->flags & BERTH_ITEM_PINNED) != 0;
        const uint32_t count = pinned ? 1u : item->span_count;
        for (uint32_t k = 0; k < count && item->size > 0; ++k) {
            const uint32_t at = item->first_span + k;
            const berth_span span = problem->spans[at];
            u->item_of[at] = i;
            agenda_add(&u->births, pinned ? 0 : span.born, at);
            agenda_add(&u->deaths, pinned ? problem->step_count : span.dead,
                       at);
        }
    }
}

/* Changes the cover for one chain; returns how many of its items end where the
 * arena ends. */
static uint32_t apply_chain(usage_state *u, const usage_agenda *agenda,
                            uint32_t step, int by)
{
    uint32_t on_top = 0;
    for (uint32_t at = agenda->first[step]; at != BERTH_NONE;
         at = agenda->next[at]) {
        const uint32_t item = u->item_of[at];
        ledger_cover_change(&u->cover, u->from_cell[item], u->end_cell[item],
                            by);
        on_top += item_end(u, item) == u->plan->peak;
    }
    return on_top;
}

static void walk_steps(usage_state *u, uint64_t *live, berth_usage *usage)
{
    uint32_t on_top = 0;
    for (uint32_t step = 0; step < u->problem->step_count; ++step) {
        on_top -= apply_chain(u, &u->deaths, step, -1);
        on_top += apply_chain(u, &u->births, step, 1);
        const uint64_t now = ledger_cover_total(&u->cover);
        if (on_top > 0 && now > usage->peak_live_bytes) {
            usage->peak_live_bytes = now;
            usage->peak_step = step;
        }
        if (live != NULL) {
            live[step] = now;
        }
    }
}

/* Follows the owners of ties; shortens the way for the next one. */
static uint32_t class_root(uint32_t *root, uint32_t item)
{
    uint32_t top = item;
    while (root[top] != top) {
        top = root[top];
    }
    while (root[item] != top) {
        const uint32_t up = root[item];
        root[item] = top;
        item = up;
    }
    return top;
}

/* Makes each root the hull of its class: cells, and first birth. */
static void join_ties(usage_state *u)
{
    const berth_problem *problem = u->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        u->root[i] = i;
        u->birth[i] = problem->spans[problem->items[i].first_span].born;
    }
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        if (problem->items[problem->ties[k].b].size > 0) {
            u->root[problem->ties[k].b] = problem->ties[k].a;
        }
    }
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint32_t top = class_root(u->root, i);
        if (top == i || u->from_cell[i] == u->end_cell[i]) {
            continue;
        }
        const bool empty = u->from_cell[top] == u->end_cell[top];
        if (empty || u->from_cell[i] < u->from_cell[top]) {
            u->from_cell[top] = u->from_cell[i];
        }
        u->end_cell[top] = larger(u->end_cell[top], u->end_cell[i]);
        if (u->birth[i] < u->birth[top]) {
            u->birth[top] = u->birth[i];
        }
    }
}

/* Paints the cells of a buffer; returns the bytes that were painted before. */
static uint64_t paint(usage_state *u, uint32_t item)
{
    const uint64_t *points = u->axis.points;
    const uint32_t end = u->end_cell[item];
    uint64_t left = points[end] - points[u->from_cell[item]];
    for (uint32_t cell = class_root(u->painted, u->from_cell[item]); cell < end;
         cell = class_root(u->painted, cell)) {
        left -= points[cell + 1u] - points[cell];
        u->painted[cell] = cell + 1u;
    }
    return left;
}

static void count_reuse(usage_state *u, berth_usage *usage)
{
    const berth_problem *problem = u->problem;
    join_ties(u);
    agenda_clear(&u->births, problem->step_count);
    for (uint32_t i = problem->item_count; i > 0; --i) {
        const uint32_t item = i - 1u;
        if (u->root[item] == item && u->from_cell[item] < u->end_cell[item]) {
            agenda_add(&u->births, u->birth[item], item);
            ++usage->buffer_count;
        }
    }
    for (uint32_t cell = 0; cell < u->axis.count; ++cell) {
        u->painted[cell] = cell; /* the last one is the stop */
    }
    for (uint32_t step = 0; step < problem->step_count; ++step) {
        for (uint32_t item = u->births.first[step]; item != BERTH_NONE;
             item = u->births.next[item]) {
            const uint64_t reused = paint(u, item);
            usage->reused_count += reused > 0;
            usage->reused_bytes += reused;
        }
    }
}

berth_status berth_usage_make(const berth_problem *problem,
                              const berth_plan *plan, berth_work work,
                              uint64_t *live, berth_usage *usage,
                              berth_diag *diag)
{
    usage_state u = {.problem = problem, .plan = plan};
    size_t need = 0;
    BERTH_TRY(berth_usage_bytes(problem, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));
    if (!take_usage(problem, &work, &u)) {
        return berth_refuse(diag, BERTH_INTERNAL, "usage counted too little");
    }
    berth_usage made = {.peak_step = BERTH_NONE};
    u.cover.axis = &u.axis;
    lay_out(&u);
    ledger_cover_init(&u.cover);
    enter_spans(&u);
    walk_steps(&u, live, &made);
    count_reuse(&u, &made);
    *usage = made;
    return BERTH_OK;
}

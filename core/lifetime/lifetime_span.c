/* When each item lives.
 *
 * A write begins a span, a read extends it, the next write ends it and begins
 * another: the time between the last read and the next write is a hole that
 * others may use. One walk counts the spans, a second one stores them.
 *
 * Why the flat list of steps is enough, although loops jump back and branches
 * are skipped. Subgraphs share no tensors, so a value passes between them in
 * moves only, and what is neither a carried tensor nor moved is written and
 * read within one run of its subgraph, in the order of the steps. Carried
 * tensors are written by ENTER and read by TEST, since EXIT may be what follows
 * it. Their readers are steps of the body's own subgraph, which a turn passes
 * in order: behind the last of them they are dead until BACK writes them anew,
 * and what is written then lives to EXIT and, from the head on, to that last
 * reader again. The outputs of IF are written at the EXIT of each branch;
 * behind that of THEN they are dead for the steps of ELSE, which do not run
 * then, and EXIT of ELSE begins the span that either way goes on behind. */
#include "lifetime_int.h"

#include "base/base_int.h"

typedef struct span_walk {
    lifetime_draft *d;
    bool store;
    uint32_t loop_from; /* the latest outermost loop: ENTER, BACK */
    uint32_t loop_to;
} span_walk;

static void close_run(const span_walk *w, uint32_t item)
{
    berth_item *row = &w->d->items[item];
    const lifetime_run run = w->d->runs[item];
    if (w->store) {
        w->d->spans[row->first_span + row->span_count] =
            (berth_span){run.born, run.end};
    }
    ++row->span_count;
}

static bool is_kept(const span_walk *w, uint32_t item)
{
    const uint32_t tensor = w->d->tensor_of_item[item];
    return tensor != BERTH_NONE && (w->d->marks[tensor] & LIFETIME_KEPT) != 0;
}

static void read_item(const span_walk *w, uint32_t item, uint32_t step)
{
    if (item != BERTH_NONE) {
        w->d->runs[item].end = step + 1;
    }
}

static bool in_loop(const span_walk *w, uint32_t step)
{
    return w->loop_from <= step && step <= w->loop_to;
}

/* What is kept is kept from one turn of a loop to the next, so that it lives in
 * the steps of the loop before its own, too. */
static uint32_t birth_of(const span_walk *w, uint32_t item, uint32_t step)
{
    return in_loop(w, step) && is_kept(w, item) ? w->loop_from : step;
}

static void write_item(const span_walk *w, uint32_t item, uint32_t step)
{
    if (item == BERTH_NONE) {
        return;
    }
    lifetime_run *run = &w->d->runs[item];
    if (run->end == 0) {
        run->born = birth_of(w, item, step);
    } else if (run->end < step && !is_kept(w, item)) {
        close_run(w, item);
        run->born = step;
    }
    run->end = step + 1;
}

/* EXIT may be what follows TEST: what it reads is read here too. */
static void leave_loop(const span_walk *w, const berth_step *test, uint32_t s)
{
    const berth_step *exit = test->partner == BERTH_NONE
                                 ? test
                                 : &w->d->schedule->steps[test->partner];
    for (uint32_t i = 0; exit->kind == BERTH_STEP_EXIT && i < exit->read_count;
         ++i) {
        read_item(w, lifetime_item(w->d, exit->reads[i]), s);
    }
}

static void walk_step(const span_walk *w, uint32_t s)
{
    const lifetime_draft *d = w->d;
    const berth_step *step = &d->schedule->steps[s];
    if (lifetime_is_idle(d, step)) {
        return;
    }
    for (uint32_t i = 0; i < step->read_count; ++i) {
        read_item(w, lifetime_item(d, step->reads[i]), s);
    }
    if (step->kind == BERTH_STEP_TEST) {
        leave_loop(w, step, s);
    }
    for (uint32_t i = 0; i < step->write_count; ++i) {
        write_item(w, lifetime_item(d, step->writes[i]), s);
    }
    if (step->kind == BERTH_STEP_OP && d->scratch_count > 0) {
        write_item(w, lifetime_scratch_of(d, step->op), s);
    }
}

static void walk_all(span_walk *w)
{
    const lifetime_draft *d = w->d;
    w->loop_from = 1; /* no loop yet */
    w->loop_to = 0;
    for (uint32_t item = 0; item < d->item_count; ++item) {
        d->runs[item] = (lifetime_run){0, 0};
        d->items[item].span_count = 0;
    }
    const uint32_t *inputs = lifetime_inputs(d);
    for (uint32_t i = 0; i < lifetime_input_count(d); ++i) {
        write_item(w, lifetime_item(d, inputs[i]), 0);
    }
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        const berth_step *step = &d->schedule->steps[s];
        if (step->kind == BERTH_STEP_ENTER && step->partner != BERTH_NONE &&
            !in_loop(w, s)) {
            w->loop_from = s;
            w->loop_to = step->partner;
        }
        walk_step(w, s);
    }
    const uint32_t *outputs = lifetime_outputs(d);
    for (uint32_t i = 0; i < lifetime_output_count(d); ++i) {
        read_item(w, lifetime_item(d, outputs[i]), d->step_count - 1);
    }
    for (uint32_t item = 0; item < d->item_count; ++item) {
        if (is_kept(w, item)) {
            d->runs[item].end = d->step_count;
        }
        close_run(w, item);
    }
}

berth_status lifetime_walk_spans(lifetime_draft *d, size_t room)
{
    span_walk walk = {.d = d};
    walk_all(&walk);
    uint32_t at = 0;
    for (uint32_t item = 0; item < d->item_count; ++item) {
        d->items[item].first_span = at;
        at += d->items[item].span_count;
    }
    if (at > room) {
        return berth_refuse(d->diag, BERTH_INTERNAL, "spans were miscounted");
    }
    d->span_count = at;
    walk.store = true;
    walk_all(&walk);
    return BERTH_OK;
}

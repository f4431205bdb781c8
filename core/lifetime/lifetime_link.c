/* Links: who may write over whom.
 *
 * A link lets the newborn of a step lie over the dying, in three cases:
 *
 * - An operator with a licence for the input (op.h): rows run forward, and a
 *   row is read before it is written over, so the output may lie anywhere at
 *   or before the input: distances 0 and below, hence the open interval of
 *   what is forbidden begins at 0 and ends at the input's size.
 * - A move: the same, since bytes are copied forward; but only if no other
 *   pair of the step has to do with the two tensors. At BACK this is what
 *   spares a loop the copy of a variable that it no longer reads.
 * - An input that nobody reads, at step 0: any distance.
 *
 * Aliases need no care of their own. A link speaks of one pair; every other
 * member of the source's tie class that is read later is alive in that step
 * and keeps the default link to the newborn, which forbids these bytes
 * (planners.md 1.9 is what happens if one looks at the source alone). */
#include "lifetime_int.h"

/* --- may the two meet? -------------------------------------------------- */

/* The first span that ends behind a step. What is called from everywhere has a
 * span for each call, and meets a caller's tensor in one of them. */
static uint32_t first_behind(const berth_span *span, uint32_t count,
                             uint32_t step)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (span[middle].dead <= step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* In every step that both see, the same move or operator runs, `from` dies and
 * `to` is born (L4). */
static bool meet_in_place(const lifetime_draft *d, uint32_t from, uint32_t to,
                          const berth_step *step)
{
    const berth_item *a = &d->items[from];
    const berth_item *b = &d->items[to];
    const berth_span *old = d->spans + a->first_span;
    const berth_span *new = d->spans + b->first_span;
    uint32_t i = first_behind(old, a->span_count, new[0].born);
    uint32_t k = first_behind(new, b->span_count, old[0].born);
    while (i < a->span_count && k < b->span_count) {
        if (old[i].dead <= new[k].born) {
            ++i;
            continue;
        }
        if (new[k].dead <= old[i].born) {
            ++k;
            continue;
        }
        const uint32_t s = new[k].born;
        if (old[i].dead != s + 1 || old[i].born > s) {
            return false;
        }
        const berth_step *there = &d->schedule->steps[s];
        if (there->op != step->op || there->kind != step->kind) {
            return false;
        }
        ++i;
    }
    return true;
}

/* The pair is looked at once, though its steps may come many times: at the
 * first birth of the one or the first death of the other. */
static bool is_first_meeting(const lifetime_draft *d, uint32_t from,
                             uint32_t to, uint32_t s)
{
    return d->spans[d->items[to].first_span].born == s ||
           d->spans[d->items[from].first_span].dead == s + 1;
}

static bool stands_alone(const lifetime_draft *d, uint32_t item)
{
    return (d->items[item].flags & BERTH_ITEM_PINNED) != 0;
}

/* The caller reads it after the last step: there it does not die. */
static bool outlives_steps(const lifetime_draft *d, uint32_t item)
{
    const uint32_t tensor = d->tensor_of_item[item];
    return (d->items[item].flags & BERTH_ITEM_OUTPUT) != 0 ||
           (tensor != BERTH_NONE && (d->marks[tensor] & LIFETIME_KEPT) != 0);
}

static void add_link(lifetime_draft *d, uint32_t from, uint32_t to, int64_t lo,
                     int64_t hi)
{
    const bool up = from < to;
    d->links[d->link_count++] = (berth_link){
        .a = up ? from : to,
        .b = up ? to : from,
        .lo = up ? lo : -hi,
        .hi = up ? hi : -lo,
    };
}

/* `to` at or before `from`, if they meet in place. */
static void try_link(lifetime_draft *d, uint32_t from, uint32_t to, uint32_t s)
{
    if (from == to || stands_alone(d, from) || stands_alone(d, to) ||
        outlives_steps(d, from) || !is_first_meeting(d, from, to, s) ||
        !meet_in_place(d, from, to, &d->schedule->steps[s])) {
        return;
    }
    add_link(d, from, to, 0, (int64_t)d->items[from].size);
}

/* --- operators ---------------------------------------------------------- */

static bool names_input(uint32_t mask, uint32_t input)
{
    return (mask >> 31) != 0 || (input < 31 && ((mask >> input) & 1u) != 0);
}

/* The same rows: axes of one element in front change nothing. */
static bool equal_rows(const lifetime_draft *d, uint32_t a, uint32_t b)
{
    const berth_shape *sa = &d->shapes->of[a];
    const berth_shape *sb = &d->shapes->of[b];
    const berth_type ta = (berth_type)d->graph->tensors[a].type;
    const berth_type tb = (berth_type)d->graph->tensors[b].type;
    if (sa->bytes != sb->bytes || berth_type_bits(ta) != berth_type_bits(tb)) {
        return false;
    }
    const int32_t *da = berth_shape_dims(d->shapes, a);
    const int32_t *db = berth_shape_dims(d->shapes, b);
    uint32_t i = sa->rank;
    uint32_t k = sb->rank;
    while (i > 0 && k > 0) {
        if (da[--i] != db[--k]) {
            return false;
        }
    }
    while (i > 0 && da[i - 1] == 1) {
        --i;
    }
    while (k > 0 && db[k - 1] == 1) {
        --k;
    }
    return i == 0 && k == 0;
}

/* An input that the operator also reads without a licence stays as it is. */
static bool only_licensed(const berth_step *step, uint32_t mask,
                          uint32_t tensor)
{
    for (uint32_t i = 0; (mask >> 31) == 0 && i < step->read_count; ++i) {
        if (step->reads[i] == tensor && !names_input(mask, i)) {
            return false;
        }
    }
    return true;
}

static void link_op(lifetime_draft *d, uint32_t s)
{
    const berth_step *step = &d->schedule->steps[s];
    const uint32_t code = d->graph->ops[step->op].code;
    const uint32_t mask = berth_op_contract_of(code)->inplace_inputs;
    if (mask == 0 || step->write_count == 0) {
        return;
    }
    const uint32_t output = step->writes[0];
    const uint32_t to = lifetime_item(d, output);
    for (uint32_t i = 0; to != BERTH_NONE && i < step->read_count; ++i) {
        const uint32_t input = step->reads[i];
        const uint32_t from = lifetime_item(d, input);
        if (from != BERTH_NONE && names_input(mask, i) &&
            equal_rows(d, input, output) && only_licensed(step, mask, input)) {
            try_link(d, from, to, s);
        }
    }
}

/* --- moves -------------------------------------------------------------- */

static void count_uses(lifetime_draft *d, const uint32_t *list, uint32_t count,
                       uint32_t s)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t item = lifetime_item(d, list[i]);
        if (item == BERTH_NONE) {
            continue;
        }
        lifetime_run *uses = &d->runs[item];
        uses->end = uses->born == s ? uses->end + 1 : 1;
        uses->born = s;
    }
}

static void link_move(lifetime_draft *d, uint32_t s)
{
    const berth_step *step = &d->schedule->steps[s];
    count_uses(d, step->reads, step->read_count, s);
    count_uses(d, step->writes, step->write_count, s);
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t from = lifetime_item(d, step->reads[i]);
        const uint32_t to = lifetime_item(d, step->writes[i]);
        if (from == BERTH_NONE || to == BERTH_NONE ||
            d->source[step->writes[i]] == step->reads[i] || /* tied */
            d->items[from].size != d->items[to].size) {
            continue;
        }
        if (d->runs[from].end == 1 && d->runs[to].end == 1) {
            try_link(d, from, to, s);
        }
    }
}

/* --- inputs that nobody reads ------------------------------------------- */

#define UNREAD_LINKS_MOST 4096u

uint32_t lifetime_unread_links(const berth_graph *graph,
                               const berth_schedule *schedule)
{
    if (schedule->step_count == 0) {
        return 0;
    }
    const uint64_t inputs = graph->subgraphs[schedule->subgraph].input_count;
    const uint64_t newborn = (uint64_t)schedule->steps[0].write_count + 1u;
    const uint64_t links = inputs * newborn;
    return links <= UNREAD_LINKS_MOST ? (uint32_t)links : 0;
}

static void free_newborn(lifetime_draft *d, uint32_t input, uint32_t item)
{
    if (item != BERTH_NONE && item != input && !stands_alone(d, item) &&
        (d->items[item].flags & BERTH_ITEM_INPUT) == 0) {
        add_link(d, input, item, 0, 0);
    }
}

/* The caller has written the input before step 0, which does not read it. */
static void link_unread(lifetime_draft *d)
{
    if (lifetime_unread_links(d->graph, d->schedule) == 0 ||
        lifetime_is_idle(d, &d->schedule->steps[0])) {
        return;
    }
    const berth_step *step = &d->schedule->steps[0];
    const uint8_t needed = LIFETIME_READ | LIFETIME_KEPT | LIFETIME_PINNED;
    const uint32_t *inputs = lifetime_inputs(d);
    for (uint32_t i = 0; i < lifetime_input_count(d); ++i) {
        const uint32_t input = lifetime_item(d, inputs[i]);
        if (input == BERTH_NONE || (d->marks[inputs[i]] & needed) != 0) {
            continue;
        }
        for (uint32_t k = 0; k < step->write_count; ++k) {
            free_newborn(d, input, lifetime_item(d, step->writes[k]));
        }
        if (step->kind == BERTH_STEP_OP) {
            free_newborn(d, input, lifetime_scratch_of(d, step->op));
        }
    }
}

/* --- all of them, in order ---------------------------------------------- */

static bool link_less(const void *context, uint32_t i, uint32_t j)
{
    const lifetime_draft *d = context;
    const berth_link *x = &d->links[i];
    const berth_link *y = &d->links[j];
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void link_swap(void *context, uint32_t i, uint32_t j)
{
    lifetime_draft *d = context;
    const berth_link held = d->links[i];
    d->links[i] = d->links[j];
    d->links[j] = held;
}

/* An operator that reads a tensor twice has found its link twice. */
static void drop_repeated_links(lifetime_draft *d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->link_count; ++i) {
        if (kept == 0 || d->links[i].a != d->links[kept - 1].a ||
            d->links[i].b != d->links[kept - 1].b) {
            d->links[kept++] = d->links[i];
        }
    }
    d->link_count = kept;
}

void lifetime_link_steps(lifetime_draft *d)
{
    for (uint32_t item = 0; item < d->item_count; ++item) {
        d->runs[item] = (lifetime_run){BERTH_NONE, 0};
    }
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        const berth_step *step = &d->schedule->steps[s];
        if (step->kind != BERTH_STEP_OP) {
            if (step->kind != BERTH_STEP_TEST) {
                link_move(d, s);
            }
        } else if (!lifetime_is_idle(d, step)) {
            link_op(d, s);
        }
    }
    link_unread(d);
    const lifetime_sortable links = {d, link_less, link_swap};
    lifetime_sort(&links, d->link_count);
    drop_repeated_links(d);
}

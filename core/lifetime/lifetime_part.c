/* Ties of parts: what is joined is made in its place, what is split stays where
 * it is (rows.h: berth_op_parts).
 *
 * The inputs of a join that die there are tied into the output, the outputs of
 * a split into the input that dies there: all of them are one rigid shape, and
 * the operator has nothing to move. Members of a shape may overlap, so a tie
 * has to make sure that no two of them are alive in the same bytes:
 *
 * - A class that is tied into a join has died with that step, and lies within
 *   its part; parts lie side by side, and what else is tied to the output is
 *   born in that step or behind it.
 * - A class whose member is split has died with that step but for the parts,
 *   which lie side by side within that member.
 *
 * A rigid shape is harder to place than its parts, so this is done only in
 * steps that would have more bytes alive than every step that neither joins nor
 * splits: elsewhere a copy costs no memory.
 *
 * An input that is there twice, or two parts of one class, would have to be at
 * two places: such a class is tied only if all of them wish the same. What has
 * several spans, is pinned or outlives the run is left alone. So is what only
 * some calls of a subgraph see: only the operators of the one that runs are
 * looked at, each of which has one step. */
#include "lifetime_int.h"

#define WISH_NONE  INT64_MIN
#define WISH_MIXED INT64_MAX

/* Halves the way for those who ask later; *shift: of the item in its class. */
static uint32_t class_root(lifetime_rigid *rigid, uint32_t item, int64_t *shift)
{
    *shift = 0;
    while (rigid[item].up != item) {
        const uint32_t up = rigid[item].up;
        rigid[item].shift += rigid[up].up == up ? 0 : rigid[up].shift;
        rigid[item].up = rigid[up].up;
        *shift += rigid[item].shift;
        item = rigid[item].up;
    }
    return item;
}

/* Puts class `b` into class `a`, both roots, at `shift`. */
static void join_classes(lifetime_rigid *rigid, uint32_t a, uint32_t b,
                         int64_t shift)
{
    const int64_t low = rigid[b].low + shift;
    const int64_t high = rigid[b].high + shift;
    rigid[b].up = a;
    rigid[b].shift = shift;
    rigid[a].low = low < rigid[a].low ? low : rigid[a].low;
    rigid[a].high = high > rigid[a].high ? high : rigid[a].high;
    rigid[a].dead =
        rigid[b].dead > rigid[a].dead ? rigid[b].dead : rigid[a].dead;
}

/* BERTH_NONE: it never dies, as far as ties are concerned. */
static uint32_t death_of(const lifetime_draft *d, uint32_t item)
{
    const berth_item *row = &d->items[item];
    const uint32_t tensor = d->tensor_of_item[item];
    const uint32_t alone = BERTH_ITEM_PINNED | BERTH_ITEM_OUTPUT;
    const bool stays = (row->flags & alone) != 0 || row->span_count != 1 ||
                       tensor == BERTH_NONE ||
                       (d->marks[tensor] & LIFETIME_KEPT) != 0;
    return stays ? BERTH_NONE : d->spans[row->first_span].dead;
}

static void start_classes(lifetime_draft *d)
{
    for (uint32_t i = 0; i < d->item_count; ++i) {
        d->rigid[i] = (lifetime_rigid){.up = i,
                                       .dead = death_of(d, i),
                                       .high = (int64_t)d->items[i].size,
                                       .wish = WISH_NONE};
    }
    for (uint32_t k = 0; k < d->tie_count; ++k) {
        int64_t a_shift = 0;
        int64_t b_shift = 0;
        const uint32_t a = class_root(d->rigid, d->ties[k].a, &a_shift);
        const uint32_t b = class_root(d->rigid, d->ties[k].b, &b_shift);
        join_classes(d->rigid, a, b, a_shift + d->ties[k].delta - b_shift);
    }
}

/* Root `b` moves with item `a`, whose root is `root`. */
static void add_tie(lifetime_draft *d, uint32_t a, uint32_t root,
                    int64_t a_shift, uint32_t b, int64_t delta)
{
    d->ties[d->tie_count++] = (berth_tie){.a = a, .b = b, .delta = delta};
    join_classes(d->rigid, root, b, a_shift + delta);
}

static bool is_newborn(const lifetime_draft *d, uint32_t item, uint32_t s)
{
    const berth_item *row = &d->items[item];
    return row->span_count == 1 && d->spans[row->first_span].born == s &&
           (row->flags & (BERTH_ITEM_PINNED | BERTH_ITEM_INPUT)) == 0;
}

/* --- joins ---------------------------------------------------------------- */

static void wish(lifetime_rigid *class_, int64_t place)
{
    class_->wish =
        class_->wish == WISH_NONE || class_->wish == place ? place : WISH_MIXED;
}

/* The class lies within [offset, offset + size) of the whole, where its wish
 * comes true. */
static bool may_join(const lifetime_draft *d, const lifetime_rigid *class_,
                     uint32_t s, int64_t offset, int64_t size)
{
    return class_->wish != WISH_NONE && class_->wish != WISH_MIXED &&
           class_->dead == s + 1 && class_->wish % (int64_t)d->align == 0 &&
           class_->low + class_->wish >= offset &&
           class_->high + class_->wish <= offset + size;
}

/* First all parts tell where their classes would have to be, then those that
 * can be there are tied; the third look takes the wishes back. */
static void tie_join(lifetime_draft *d, uint32_t s, const berth_step *step,
                     const berth_parts *parts, uint32_t whole)
{
    if (!is_newborn(d, whole, s) || d->rigid[whole].up != whole) {
        return;
    }
    for (uint32_t look = 0; look < 3; ++look) {
        int64_t offset = (int64_t)parts->offset;
        for (uint32_t i = 0; i < parts->count; ++i) {
            const int64_t size = (int64_t)d->shapes->of[step->reads[i]].bytes;
            const uint32_t item = lifetime_item(d, step->reads[i]);
            int64_t shift = 0;
            const uint32_t root =
                item == BERTH_NONE ? whole : class_root(d->rigid, item, &shift);
            lifetime_rigid *class_ = &d->rigid[root];
            if (root != whole && look == 0) {
                wish(class_, offset - shift);
            } else if (root != whole && look == 2) {
                class_->wish = WISH_NONE;
            } else if (root != whole && may_join(d, class_, s, offset, size)) {
                add_tie(d, whole, whole, 0, root, class_->wish);
            }
            offset += size;
        }
    }
}

/* --- splits --------------------------------------------------------------- */

/* All parts or none: a few that stay would only hold up their neighbours, who
 * need room elsewhere all the same. */
static bool may_split(const lifetime_draft *d, uint32_t s,
                      const berth_step *step, const berth_parts *parts)
{
    uint64_t offset = parts->offset;
    bool may = true;
    for (uint32_t i = 0; may && i < parts->count; ++i) {
        const uint32_t part = lifetime_item(d, step->writes[i]);
        may = part != BERTH_NONE && is_newborn(d, part, s) &&
              d->rigid[part].up == part && offset % d->align == 0;
        offset += d->shapes->of[step->writes[i]].bytes;
    }
    return may;
}

static void tie_split(lifetime_draft *d, uint32_t s, const berth_step *step,
                      const berth_parts *parts, uint32_t whole)
{
    int64_t shift = 0;
    const uint32_t root = class_root(d->rigid, whole, &shift);
    int64_t offset = (int64_t)parts->offset;
    if (d->rigid[root].dead != s + 1 || !may_split(d, s, step, parts)) {
        return;
    }
    for (uint32_t i = 0; i < parts->count; ++i) {
        add_tie(d, whole, root, shift, lifetime_item(d, step->writes[i]),
                offset);
        offset += (int64_t)d->shapes->of[step->writes[i]].bytes;
    }
}

/* --- where it pays ---------------------------------------------------------
 */

/* The item's bytes, in the steps from `from` on in which it lives. */
static void add_load(lifetime_draft *d, uint32_t item, uint32_t from)
{
    const berth_item *row = &d->items[item];
    for (uint32_t k = 0; k < row->span_count; ++k) {
        const berth_span *span = &d->spans[row->first_span + k];
        if (span->dead > from) {
            d->load[span->born > from ? span->born : from] += row->size;
            d->load[span->dead] -= row->size;
        }
    }
}

/* Bytes alive in each step; a view counts when its source is dead. */
static void load_steps(lifetime_draft *d)
{
    for (uint32_t s = 0; s <= d->step_count; ++s) {
        d->load[s] = 0;
    }
    for (uint32_t i = 0; i < d->item_count; ++i) {
        if (d->rigid[i].up == i) {
            add_load(d, i, 0);
        }
    }
    for (uint32_t k = 0; k < d->tie_count; ++k) {
        const berth_item *owner = &d->items[d->ties[k].a];
        const uint32_t last = owner->first_span + owner->span_count;
        add_load(d, d->ties[k].b,
                 owner->span_count > 0 ? d->spans[last - 1].dead : 0);
    }
    for (uint32_t s = 1; s <= d->step_count; ++s) {
        d->load[s] += d->load[s - 1];
    }
}

static berth_parts parts_of_step(const lifetime_draft *d, uint32_t s)
{
    const berth_step *step = &d->schedule->steps[s];
    const bool op = step->kind == BERTH_STEP_OP && !lifetime_is_idle(d, step) &&
                    d->graph->ops[step->op].subgraph == d->schedule->subgraph;
    return op ? berth_op_parts(d->graph, d->shapes, step->op)
              : (berth_parts){.kind = BERTH_PARTS_NONE};
}

/* The most that is alive in a step that has no parts. */
static uint64_t load_elsewhere(const lifetime_draft *d)
{
    uint64_t most = 0;
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        if (d->load[s] > most && parts_of_step(d, s).kind == BERTH_PARTS_NONE) {
            most = d->load[s];
        }
    }
    return most;
}

/* --- all of them ---------------------------------------------------------- */

static bool tie_less(const void *context, uint32_t i, uint32_t j)
{
    const lifetime_draft *d = context;
    return d->ties[i].b < d->ties[j].b;
}

static void tie_swap(void *context, uint32_t i, uint32_t j)
{
    lifetime_draft *d = context;
    const berth_tie held = d->ties[i];
    d->ties[i] = d->ties[j];
    d->ties[j] = held;
}

static void tie_step(lifetime_draft *d, uint32_t s)
{
    const berth_step *step = &d->schedule->steps[s];
    const berth_parts parts = parts_of_step(d, s);
    const bool join = parts.kind == BERTH_PARTS_JOIN;
    if (parts.kind == BERTH_PARTS_NONE) {
        return;
    }
    const uint32_t whole =
        lifetime_item(d, join ? step->writes[0] : step->reads[parts.whole]);
    if (whole != BERTH_NONE) {
        (join ? tie_join : tie_split)(d, s, step, &parts, whole);
    }
}

void lifetime_tie_parts(lifetime_draft *d)
{
    if (d->rigid == NULL) {
        return; /* nothing joins, nothing splits */
    }
    start_classes(d);
    load_steps(d);
    const uint64_t elsewhere = load_elsewhere(d);
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        if (d->load[s] > elsewhere) {
            tie_step(d, s);
        }
    }
    const lifetime_sortable ties = {d, tie_less, tie_swap};
    lifetime_sort(&ties, d->tie_count);
}

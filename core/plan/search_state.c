/* How low each class can lie by now.
 *
 * Placed class k pushes up all that may collide with it. A class that is
 * refused at low[k] must rest on another in the end, since a plan in which
 * nothing can sink is wanted: on one that is not placed yet, as those that are
 * have pushed it already. So it cannot lie below the lowest top of those, and
 * hangs until one of them is placed under it.
 *
 * The members of a row lie one above the other. Read as jobs on one machine,
 * released at low[k] and taking height[k], they end no earlier than jobs that
 * are done in the order of release. A row that ends above the target ends the
 * branch. */
#include "plan/search_int.h"

#include <string.h>

/* --- the trail ---------------------------------------------------------------
 */

enum { NOTE_LOW, NOTE_FILL, NOTE_PLACED, NOTE_HUNG, NOTE_SETTLED };

#define NOTE_BITS 3u

static void note(search_world *world, uint32_t kind, uint32_t index,
                 int64_t old)
{
    if (world->note_count == world->note_room) {
        world->full = true;
        return;
    }
    world->note[world->note_count++] =
        (search_note){index << NOTE_BITS | kind, old};
}

void plan_search_undo(search_world *world, uint32_t count)
{
    while (world->note_count > count) {
        const search_note last = world->note[--world->note_count];
        const uint32_t index = last.kind_and_index >> NOTE_BITS;
        switch (last.kind_and_index & ((1u << NOTE_BITS) - 1u)) {
        case NOTE_LOW:
            world->low[index] = last.old;
            break;
        case NOTE_FILL:
            world->fill[index] = last.old;
            break;
        case NOTE_PLACED:
            search_add(world->open, index);
            break;
        case NOTE_HUNG:
            search_drop(world->hanging, index);
            break;
        default:
            search_add(world->hanging, index);
            break;
        }
    }
}

/* --- rows --------------------------------------------------------------------
 */

static void mark_rows(search_world *world, const search_class *kind)
{
    for (uint32_t f = 0; f < world->family_count; ++f) {
        for (uint32_t r = kind->row_from[f]; r < kind->row_end[f]; ++r) {
            if (world->is_dirty[r] == 0) {
                world->is_dirty[r] = 1;
                world->dirty[world->dirty_count++] = r;
            }
        }
    }
}

/* What class k takes in a row that it is a member of. */
static inline search_slice slice_of(const search_world *world, uint32_t k,
                                    uint32_t row)
{
    const search_class *kind = &world->kind[k];
    const uint32_t f = world->family_count > 1 && row >= kind->row_from[1];
    return kind->slices[f] == BERTH_NONE
               ? (search_slice){0, kind->height}
               : world->slice[kind->slices[f] + row - kind->row_from[f]];
}

/* The open members of a row by release, into `release` and `amount`. *slack:
 * what the last of them may leave unused of its cells. */
static uint32_t gather_row(search_world *world, uint32_t row, int64_t *slack)
{
    const uint64_t *member = search_member(world, row);
    uint32_t count = 0;
    for (uint32_t w = 0; w < world->words; ++w) {
        for (uint64_t set = member[w] & world->open[w]; set != 0;
             set &= set - 1) {
            const uint32_t k = w * 64 + search_lowest(set);
            const search_slice slice = slice_of(world, k, row);
            const int64_t low = world->low[k] + slice.from;
            uint32_t hole = count++;
            while (hole > 0 && world->release[hole - 1] > low) {
                world->release[hole] = world->release[hole - 1];
                world->amount[hole] = world->amount[hole - 1];
                --hole;
            }
            world->release[hole] = low;
            world->amount[hole] = slice.amount;
            if (world->kind[k].slack > *slack) {
                *slack = world->kind[k].slack;
            }
        }
    }
    world->effort += 4 + 2 * (uint64_t)count;
    return count;
}

/* Where the row ends at the least. */
static int64_t fill_of(search_world *world, uint32_t row)
{
    int64_t slack = 0;
    const uint32_t count = gather_row(world, row, &slack);
    const bool each = (world->rules & SEARCH_RULE_RELEASE) != 0;
    int64_t end = 0;
    for (uint32_t n = 0; n < count; ++n) {
        if (world->release[n] > end && (each || n == 0)) {
            end = world->release[n];
        }
        end += world->amount[n];
    }
    return end - slack;
}

static bool check_row(search_world *world, uint32_t row)
{
    const int64_t end = fill_of(world, row);
    if (end != world->fill[row]) {
        note(world, NOTE_FILL, row, world->fill[row]);
        world->fill[row] = end;
    }
    return end <= world->target;
}

/* Some member of a row, to tell in which component a failure lies. */
static uint32_t any_member(const search_world *world, uint32_t row)
{
    const uint64_t *member = search_member(world, row);
    uint32_t w = 0;
    while ((member[w] & world->open[w]) == 0) {
        ++w;
    }
    return w * 64 + search_lowest(member[w] & world->open[w]);
}

static bool check_rows(search_world *world)
{
    const bool asked = (world->rules & SEARCH_RULE_ROWS) != 0;
    bool fits = true;
    while (world->dirty_count > 0) {
        const uint32_t row = world->dirty[--world->dirty_count];
        world->is_dirty[row] = 0;
        if (fits && asked && !check_row(world, row)) {
            fits = false;
            ++world->blame[row];
            world->failed = any_member(world, row);
        }
    }
    return fits;
}

/* --- what a decision entails -------------------------------------------------
 */

/* How far above k's bottom that of j must lie, if above. */
static int64_t reach_of(const search_world *world, uint32_t k, uint32_t j)
{
    return search_has(search_odd(world, k), j)
               ? plan_search_distance(world, k, j).above
               : world->kind[k].extent;
}

bool plan_search_lift(search_world *world, uint32_t j, int64_t low)
{
    const search_class *kind = &world->kind[j];
    note(world, NOTE_LOW, j, world->low[j]);
    world->low[j] = low;
    mark_rows(world, kind);
    if (low + kind->extent > world->target ||
        (kind->fixed >= 0 && low > kind->fixed)) {
        world->failed = j;
        return false;
    }
    return true;
}

/* The lowest that a hanging class can come to rest; INT64_MAX: never. */
static int64_t lowest_rest(search_world *world, uint32_t k)
{
    const uint64_t *near = search_near(world, k);
    const search_class *kind = &world->kind[k];
    int64_t least = INT64_MAX;
    for (uint32_t w = 0; w < world->words; ++w) {
        for (uint64_t set = near[w] & world->open[w]; set != 0;
             set &= set - 1) {
            const uint32_t j = w * 64 + search_lowest(set);
            const int64_t top = world->low[j] + reach_of(world, j, k);
            least = top < least ? top : least;
            world->effort += 2;
        }
    }
    return least == INT64_MAX ? least : search_align(kind, least);
}

static bool lift_hanging(search_world *world, bool *changed)
{
    for (uint32_t w = 0; w < world->words; ++w) {
        for (uint64_t set = world->hanging[w] & world->open[w]; set != 0;
             set &= set - 1) {
            const uint32_t k = w * 64 + search_lowest(set);
            const int64_t rest = lowest_rest(world, k);
            if (rest == INT64_MAX) {
                world->failed = k;
                return false;
            }
            if (rest > world->low[k]) {
                *changed = true;
                if (!plan_search_lift(world, k, rest)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool plan_search_conclude(search_world *world, bool fits)
{
    bool changed = (world->rules & SEARCH_RULE_REST) != 0;
    while (fits && changed) {
        changed = false;
        fits = lift_hanging(world, &changed);
    }
    if (!fits) { /* the rows will be looked at when somebody fits again */
        while (world->dirty_count > 0) {
            world->is_dirty[world->dirty[--world->dirty_count]] = 0;
        }
        return false;
    }
    return check_rows(world);
}

bool plan_search_place(search_world *world, uint32_t k)
{
    const uint64_t *near = search_near(world, k);
    bool fits = true;
    note(world, NOTE_PLACED, k, 0);
    search_drop(world->open, k);
    for (uint32_t w = 0; fits && w < world->words; ++w) {
        uint64_t set = near[w] & world->open[w];
        for (; fits && set != 0; set &= set - 1) {
            const uint32_t j = w * 64 + search_lowest(set);
            const int64_t top = search_align(
                &world->kind[j], world->low[k] + reach_of(world, k, j));
            world->effort += 2;
            if (top >= world->low[j] && search_has(world->hanging, j)) {
                note(world, NOTE_SETTLED, j, 0);
                search_drop(world->hanging, j);
            }
            if (top > world->low[j]) {
                fits = plan_search_lift(world, j, top);
            }
        }
    }
    return plan_search_conclude(world, fits);
}

static void hang(search_world *world, uint32_t k)
{
    note(world, NOTE_HUNG, k, 0);
    search_add(world->hanging, k);
}

bool plan_search_refuse(search_world *world, uint32_t k)
{
    const int64_t here = world->low[k];
    hang(world, k);
    if ((world->rules & SEARCH_RULE_TWINS) != 0) {
        uint32_t twin = world->kind[k].twin;
        for (; twin != BERTH_NONE; twin = world->kind[twin].twin) {
            if (search_has(world->open, twin) && world->low[twin] == here &&
                !search_has(world->hanging, twin)) {
                hang(world, twin);
            }
        }
    }
    return plan_search_conclude(world, true);
}

/* --- the beginning -----------------------------------------------------------
 */

bool plan_search_reset(search_world *world, int64_t target)
{
    bool fits = true;
    world->target = target;
    world->note_count = 0;
    world->depth = 0;
    world->doubtful = false;
    world->full = false;
    memset(world->open, 0, world->words * sizeof(*world->open));
    memset(world->hanging, 0, world->words * sizeof(*world->hanging));
    for (uint32_t k = 0; k < world->count; ++k) {
        const search_class *kind = &world->kind[k];
        world->low[k] = kind->floor;
        search_add(world->open, k);
        fits &= kind->floor + kind->extent <= target;
    }
    for (uint32_t r = 0; r < world->row_count; ++r) {
        world->is_dirty[r] = 0;
        world->fill[r] = fill_of(world, r);
        fits &= (world->rules & SEARCH_RULE_ROWS) == 0 ||
                world->fill[r] <= world->target;
    }
    return fits;
}

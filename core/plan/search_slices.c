/* What a class of several members takes in each row: the union of those that
 * live there, and the gaps between them that are too small for all others of
 * the row. Rows of a class follow one another, and so do its slices. */
#include "plan/search_int.h"

/* Members are looked at in pairs. */
#define SLICE_MEMBERS_MOST 64u

static bool is_trimmed_alive(const plan_trim *trim, uint32_t i, uint32_t step)
{
    for (uint32_t n = 0; n < plan_span_count(trim->problem, i); ++n) {
        const berth_span span = plan_span(trim->problem, i, n);
        const plan_span_of life = trim->first == NULL
                                      ? (plan_span_of){span.born, span.dead, i}
                                      : trim->life[trim->first[i] + n];
        if (life.born <= step && step < life.dead) {
            return true;
        }
    }
    return false;
}

/* The widest gap that holds none of the other classes of the row. */
static int64_t useless_gap(const search_world *world, uint32_t k, uint32_t row)
{
    const uint64_t *member = search_member(world, row);
    int64_t least = INT64_MAX;
    for (uint32_t w = 0; w < world->words; ++w) {
        for (uint64_t set = member[w]; set != 0; set &= set - 1) {
            const uint32_t j = w * 64 + search_lowest(set);
            if (j != k && world->kind[j].height < least) {
                least = world->kind[j].height;
            }
        }
    }
    /* Heights are in cells: the bytes themselves may be less by one cell. */
    const int64_t gap = least - (int64_t)world->cell;
    return least == INT64_MAX || gap < 0 ? 0 : gap;
}

/* Of the union of members that live at the step the next piece above the one
 * given. False: there is none. */
static bool next_piece(const search_world *world, const plan_trim *trim,
                       uint32_t root, uint32_t step, int64_t gap,
                       plan_bar *piece)
{
    const int64_t from = piece->high;
    bool grown = true;
    *piece = (plan_bar){INT64_MAX, INT64_MAX};
    while (grown) {
        grown = false;
        for (uint32_t i = root; i != BERTH_NONE;
             i = plan_next(world->classes, i)) {
            const int64_t low = plan_shift(world->classes, i);
            const int64_t high = low + (int64_t)world->problem->items[i].size;
            if (low == high || high <= from ||
                !is_trimmed_alive(trim, i, step)) {
                continue;
            }
            if (low < piece->low) {
                *piece = (plan_bar){low, high};
                grown = true;
            } else if (low <= piece->high + gap && high > piece->high) {
                piece->high = high;
                grown = true;
            }
        }
    }
    return piece->low != INT64_MAX;
}

static search_slice slice_at(const search_world *world, const plan_trim *trim,
                             uint32_t k, uint32_t row)
{
    const search_class *kind = &world->kind[k];
    const uint32_t step = world->row_step[row];
    const int64_t gap = useless_gap(world, k, row);
    search_slice slice = {.from = -1};
    plan_bar piece = {INT64_MIN, INT64_MIN};
    while (next_piece(world, trim, kind->root, step, gap, &piece)) {
        slice.from = slice.from < 0 ? piece.low - kind->bottom : slice.from;
        slice.amount += search_cells(world, piece.high - piece.low);
    }
    return slice;
}

static bool has_few_members(const search_world *world, uint32_t root)
{
    uint32_t count = 0;
    for (uint32_t i = root; i != BERTH_NONE; i = plan_next(world->classes, i)) {
        ++count;
    }
    return count > 1 && count <= SLICE_MEMBERS_MOST;
}

void plan_search_slice(search_world *world, const plan_trim *trim, uint32_t k,
                       uint32_t f)
{
    search_class *kind = &world->kind[k];
    const uint32_t rows = kind->row_end[f] - kind->row_from[f];
    const uint32_t at = world->slice_count;
    kind->slices[f] = BERTH_NONE;
    if (rows > world->slice_room - at || !has_few_members(world, kind->root)) {
        return;
    }
    world->slice_count += rows;
    kind->slices[f] = at;
    for (uint32_t n = 0; n < rows; ++n) {
        world->slice[at + n] = slice_at(world, trim, k, kind->row_from[f] + n);
    }
}

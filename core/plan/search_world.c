/* A part of a problem as numbers and rows of bits, so that a step of the search
 * touches little memory. Everything is linear in the classes, for at most
 * SEARCH_CLASSES_MAX of them. */
#include "plan/search_int.h"

#include <string.h>

/* For each class; a search that needs more notes or frames is given up. */
typedef struct world_share {
    uint32_t notes;
    uint32_t frames;
    uint32_t slices;
} world_share;

static const world_share shares[] = {
    [BERTH_EFFORT_LITTLE] = {16, 4, 8}, /* a short search does not get deep */
    [BERTH_EFFORT_FULL] = {64, 8, 16},
    [BERTH_EFFORT_ENDLESS] = {64, 8, 16},
};

/* --- memory ------------------------------------------------------------------
 */

typedef struct world_room {
    uint32_t classes;
    uint32_t words;
    uint32_t lives;
    uint32_t rows;
    uint32_t slices;
    uint32_t notes;
    uint32_t frames;
} world_room;

static world_room room_for(const berth_problem *problem, berth_effort effort)
{
    const world_share *share = &shares[effort];
    uint32_t lives = 0;
    (void)plan_life_count(problem, &lives);
    world_room room = {
        .classes = plan_min_u32(problem->item_count, SEARCH_CLASSES_MAX),
        .lives = plan_min_u32(lives, SEARCH_LIVES_MAX)};
    room.words = (room.classes + 63) / 64;
    room.rows = plan_min_u32(
        problem->link_count > 0 ? 2 * room.lives : room.lives, SEARCH_ROWS_MAX);
    room.rows += 2; /* one being built, for each family */
    room.notes =
        room.classes * plan_min_u32(2 * room.classes + 16, share->notes);
    room.slices = problem->tie_count > 0 ? room.classes * share->slices : 0;
    room.frames = room.classes * share->frames;
    return room;
}

bool plan_search_need(const berth_problem *problem, berth_effort effort,
                      size_t *bytes)
{
    const world_room room = room_for(problem, effort);
    const size_t n = room.classes;
    return BERTH_NEED(bytes, search_class, n) &&
           BERTH_NEED(bytes, int64_t, 3 * n) &&
           BERTH_NEED(bytes, uint32_t, SEARCH_ORDERS * n) &&
           BERTH_NEED(bytes, uint64_t, (2 * n + 2 + room.rows) * room.words) &&
           BERTH_NEED(bytes, uint64_t, 2 * (size_t)room.rows) &&
           BERTH_NEED(bytes, uint32_t, 2 * (size_t)room.rows) &&
           BERTH_NEED(bytes, uint8_t, room.rows) &&
           BERTH_NEED(bytes, plan_span_of, room.lives) &&
           BERTH_NEED(bytes, uint32_t, 2 * (size_t)room.lives) &&
           BERTH_NEED(bytes, uint32_t, room.lives + n) &&
           BERTH_NEED(bytes, search_slice, room.slices) &&
           BERTH_NEED(bytes, search_note, room.notes) &&
           BERTH_NEED(bytes, search_frame, room.frames);
}

/* In the order of plan_search_need(). */
void plan_search_take(search_world *world, const berth_problem *problem,
                      const plan_classes *classes, berth_effort effort,
                      berth_work *work)
{
    const world_room room = room_for(problem, effort);
    const size_t n = room.classes;
    *world = (search_world){.problem = problem,
                            .classes = classes,
                            .rules = SEARCH_RULES_ALL,
                            .class_room = room.classes,
                            .row_room = room.rows,
                            .slice_room = room.slices,
                            .note_room = room.notes,
                            .frame_room = room.frames};
    world->kind = BERTH_TAKE(work, search_class, n);
    world->low = BERTH_TAKE(work, int64_t, 3 * n);
    world->release = world->low + n;
    world->amount = world->release + n;
    world->rank = BERTH_TAKE(work, uint32_t, SEARCH_ORDERS * n);
    world->near =
        BERTH_TAKE(work, uint64_t, (2 * n + 2 + room.rows) * room.words);
    world->odd = world->near + n * room.words;
    world->open = world->odd + n * room.words;
    world->hanging = world->open + room.words;
    world->member = world->hanging + room.words;
    world->blame = BERTH_TAKE(work, uint64_t, 2 * (size_t)room.rows);
    world->fill = (int64_t *)(world->blame + room.rows);
    world->row_step = BERTH_TAKE(work, uint32_t, 2 * (size_t)room.rows);
    world->dirty = world->row_step + room.rows;
    world->is_dirty = BERTH_TAKE(work, uint8_t, room.rows);
    world->life = BERTH_TAKE(work, plan_span_of, room.lives);
    world->by_born = BERTH_TAKE(work, uint32_t, 2 * (size_t)room.lives);
    world->by_dead = world->by_born + room.lives;
    world->spare = BERTH_TAKE(work, uint32_t, room.lives + n);
    world->slice = BERTH_TAKE(work, search_slice, room.slices);
    world->note = BERTH_TAKE(work, search_note, room.notes);
    world->frame = BERTH_TAKE(work, search_frame, room.frames);
}

/* --- each class --------------------------------------------------------------
 */

/* The largest power of two that divides all offsets of its members. */
static uint32_t cell_of(const search_class *kind)
{
    const uint32_t bits = kind->align | kind->residue;
    const uint32_t cell = bits & (0u - bits);
    return kind->stair != 0 && kind->stair < cell ? (uint32_t)kind->stair
                                                  : cell;
}

static void make_class(search_world *world, uint32_t k, uint32_t root)
{
    const plan_shape shape = plan_shape_of(world->classes, root);
    search_class *kind = &world->kind[k];
    *kind = (search_class){.root = root,
                           .fixed = -1,
                           .align = shape.align,
                           .born = shape.born,
                           .dead = shape.dead,
                           .twin = BERTH_NONE};
    plan_search_measure(world, kind);
    world->strange |= kind->stair != 0;
    kind->plain = plan_next(world->classes, root) == BERTH_NONE &&
                  plan_span_count(world->problem, root) == 1;
    kind->residue =
        (shape.residue + (uint32_t)(uint64_t)kind->bottom) & (shape.align - 1u);
    /* Members without bytes must not lie below 0 either. */
    kind->floor = search_align(kind, kind->bottom - shape.low);
    if (shape.fixed >= 0) {
        kind->fixed = shape.fixed + kind->bottom;
        kind->floor = kind->fixed;
    }
}

/* --- each pair ---------------------------------------------------------------
 */

static void join_pair(search_world *world, uint32_t a, uint32_t b)
{
    search_add(search_near(world, a), b);
    search_add(search_near(world, b), a);
}

/* a with all that are born after it while it lives. */
static void make_pairs(search_world *world, uint32_t a)
{
    search_class *kind = world->kind;
    for (uint32_t b = a + 1; b < world->count && kind[b].born < kind[a].dead;
         ++b) {
        if (kind[a].plain && kind[b].plain && world->problem->link_count == 0) {
            join_pair(world, a, b);
            continue;
        }
        const search_apart apart = plan_search_distance(world, a, b);
        const bool up = apart.above != kind[a].extent;
        const bool down = apart.below != kind[b].extent;
        if (!apart.meets) {
            continue;
        }
        join_pair(world, a, b);
        world->strange |= !apart.simple;
        if (up) {
            search_add(search_odd(world, a), b);
        }
        if (down) {
            search_add(search_odd(world, b), a);
        }
        kind[a].plain &= !up && !down;
        kind[b].plain &= !up && !down;
    }
}

/* Do they collide with the same classes, one another aside? */
static bool have_same_near(const search_world *world, uint32_t a, uint32_t b)
{
    const uint64_t *near_a = search_near(world, a);
    const uint64_t *near_b = search_near(world, b);
    uint64_t differ = 0;
    for (uint32_t w = 0; w < world->words; ++w) {
        uint64_t here = near_a[w] ^ near_b[w];
        here &= ~(a / 64 == w ? (uint64_t)1 << (a % 64) : 0);
        here &= ~(b / 64 == w ? (uint64_t)1 << (b % 64) : 0);
        differ |= here;
    }
    return differ == 0;
}

static bool are_twins(const search_world *world, uint32_t a, uint32_t b)
{
    const search_class *x = &world->kind[a];
    const search_class *y = &world->kind[b];
    return x->plain && y->plain && x->fixed < 0 && y->fixed < 0 &&
           x->dead == y->dead && x->extent == y->extent &&
           x->align == y->align && have_same_near(world, a, b);
}

/* Twins are born together, so they stand close to one another. */
static void find_twins(search_world *world)
{
    search_class *kind = world->kind;
    for (uint32_t a = 0; a < world->count; ++a) {
        for (uint32_t b = a + 1;
             b < world->count && kind[b].born == kind[a].born; ++b) {
            if (are_twins(world, a, b)) {
                kind[a].twin = b;
                break;
            }
        }
    }
}

/* --- all together ------------------------------------------------------------
 */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Where nothing can sink, every bottom is a sum of sizes, distances in links
 * and ties, and given offsets, rounded up: what divides all of these divides
 * every end, unless an alignment that it is no multiple of comes in between. */
static int64_t find_grain(const search_world *world, const uint32_t *class_of)
{
    const berth_problem *problem = world->problem;
    int64_t grain = 0;
    if ((world->rules & SEARCH_RULE_GRAIN) == 0) {
        return 1;
    }
    for (uint32_t k = 0; k < world->count; ++k) {
        const search_class *kind = &world->kind[k];
        grain = common_divisor(grain, kind->floor);
        grain = common_divisor(grain, (int64_t)kind->residue);
        for (uint32_t i = kind->root; i != BERTH_NONE;
             i = plan_next(world->classes, i)) {
            grain = common_divisor(grain, (int64_t)problem->items[i].size);
            grain = common_divisor(grain, plan_shift(world->classes, i) -
                                              kind->bottom);
        }
    }
    for (uint32_t n = 0; n < problem->link_count; ++n) {
        const berth_link *link = &problem->links[n];
        if (class_of[link->a] != BERTH_NONE && link->lo < link->hi) {
            grain = common_divisor(grain, link->lo);
            grain = common_divisor(grain, link->hi);
        }
    }
    grain = grain < 0 ? -grain : grain;
    for (uint32_t k = 0; k < world->count; ++k) {
        if (grain % world->kind[k].align != 0) {
            grain = common_divisor(grain, world->kind[k].align);
        }
    }
    return grain;
}

/* Before the rows are made: slices are in cells. */
static void count_cells(search_world *world)
{
    world->cell = cell_of(&world->kind[0]);
    for (uint32_t k = 1; k < world->count; ++k) {
        world->cell = plan_min_u32(world->cell, cell_of(&world->kind[k]));
    }
    for (uint32_t k = 0; k < world->count; ++k) {
        search_class *kind = &world->kind[k];
        kind->height = search_cells(world, kind->height);
        for (uint32_t i = kind->root; i != BERTH_NONE;
             i = plan_next(world->classes, i)) {
            const int64_t size = (int64_t)world->problem->items[i].size;
            const int64_t slack = search_cells(world, size) - size;
            kind->slack = slack > kind->slack ? slack : kind->slack;
        }
    }
}

/* What the rows say when nothing is decided. */
static void find_least(search_world *world)
{
    int64_t end = 0;
    (void)plan_search_reset(world, INT64_MAX / 2);
    for (uint32_t r = 0; r < world->row_count; ++r) {
        end = world->fill[r] > end ? world->fill[r] : end;
    }
    for (uint32_t k = 0; k < world->count; ++k) {
        const int64_t top = world->kind[k].floor + world->kind[k].extent;
        end = top > end ? top : end;
    }
    world->least = (end + world->grain - 1) / world->grain * world->grain;
}

bool plan_search_make(search_world *world, const uint32_t *root, uint32_t count,
                      plan_trim *trim, uint32_t *class_of)
{
    if (count == 0 || count > world->class_room) {
        return false;
    }
    world->count = count;
    world->words = (count + 63) / 64;
    memset(world->near, 0, (size_t)count * world->words * sizeof(uint64_t));
    memset(world->odd, 0, (size_t)count * world->words * sizeof(uint64_t));
    memset(class_of, 0xff, world->problem->item_count * sizeof(*class_of));
    world->strange = false;
    for (uint32_t k = 0; k < count; ++k) {
        make_class(world, k, root[k]);
        for (uint32_t i = root[k]; i != BERTH_NONE;
             i = plan_next(world->classes, i)) {
            class_of[i] = k;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        make_pairs(world, k);
    }
    count_cells(world);
    if (!plan_search_find_rows(world, trim, class_of)) {
        return false;
    }
    find_twins(world);
    world->grain = find_grain(world, class_of);
    memset(world->blame, 0, world->row_count * sizeof(*world->blame));
    plan_search_rank(world);
    world->dirty_count = 0;
    find_least(world);
    return true;
}

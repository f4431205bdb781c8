/* A part of a problem as numbers and rows of bits, so that a step of the search
 * touches little memory. Everything is linear in the classes, for at most
 * SEARCH_CLASSES_MAX of them. */
#include "plan/search_int.h"

#include <string.h>

/* Notes and frames for each class; a search that needs more is given up. */
#define WORLD_NOTES_MOST 64u
#define WORLD_FRAMES     8u

/* --- memory ------------------------------------------------------------------
 */

typedef struct world_room {
    uint32_t classes;
    uint32_t words;
    uint32_t lives;
    uint32_t rows;
    uint32_t notes;
    uint32_t frames;
} world_room;

static world_room room_for(const berth_problem *problem)
{
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
        room.classes * plan_min_u32(2 * room.classes + 16, WORLD_NOTES_MOST);
    room.frames = room.classes * WORLD_FRAMES;
    return room;
}

bool plan_search_need(const berth_problem *problem, size_t *bytes)
{
    const world_room room = room_for(problem);
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
           BERTH_NEED(bytes, search_note, room.notes) &&
           BERTH_NEED(bytes, search_frame, room.frames);
}

/* In the order of plan_search_need(). */
void plan_search_take(search_world *world, const berth_problem *problem,
                      const plan_classes *classes, berth_work *work)
{
    const world_room room = room_for(problem);
    const size_t n = room.classes;
    *world = (search_world){.problem = problem,
                            .classes = classes,
                            .rules = SEARCH_RULES_ALL,
                            .class_room = room.classes,
                            .row_room = room.rows,
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
    world->note = BERTH_TAKE(work, search_note, room.notes);
    world->frame = BERTH_TAKE(work, search_frame, room.frames);
}

/* --- each class --------------------------------------------------------------
 */

static int64_t up_to(int64_t value, uint32_t align)
{
    return (int64_t)(((uint64_t)value + align - 1u) & ~(uint64_t)(align - 1u));
}

/* The largest power of two that divides all bottoms of this class. */
static uint32_t cell_of(const search_class *kind)
{
    return kind->residue == 0 ? kind->align
                              : kind->residue & (0u - kind->residue);
}

static bool make_class(search_world *world, uint32_t k, uint32_t root)
{
    const plan_shape shape = plan_shape_of(world->classes, root);
    search_class *kind = &world->kind[k];
    int64_t bottom = 0;
    *kind = (search_class){.root = root,
                           .fixed = -1,
                           .align = shape.align,
                           .born = shape.born,
                           .dead = shape.dead,
                           .twin = BERTH_NONE};
    if (!plan_search_is_flat(world, root, &bottom, &kind->height,
                             &kind->extent)) {
        return false;
    }
    kind->plain = plan_next(world->classes, root) == BERTH_NONE &&
                  plan_span_count(world->problem, root) == 1;
    kind->bottom = bottom;
    kind->residue =
        (shape.residue + (uint32_t)(uint64_t)bottom) & (shape.align - 1u);
    /* Members without bytes must not lie below 0 either. */
    kind->floor = search_align(kind, bottom - shape.low);
    if (shape.fixed >= 0) {
        kind->fixed = shape.fixed + bottom;
        kind->floor = kind->fixed;
    }
    return true;
}

/* --- each pair ---------------------------------------------------------------
 */

static void join_pair(search_world *world, uint32_t a, uint32_t b)
{
    search_add(search_near(world, a), b);
    search_add(search_near(world, b), a);
}

/* a with all that are born after it while it lives. */
static bool make_pairs(search_world *world, uint32_t a)
{
    search_class *kind = world->kind;
    for (uint32_t b = a + 1; b < world->count && kind[b].born < kind[a].dead;
         ++b) {
        if (kind[a].plain && kind[b].plain && world->problem->link_count == 0) {
            join_pair(world, a, b);
            continue;
        }
        const search_apart apart = plan_search_distance(world, a, b);
        if (!apart.meets) {
            continue;
        }
        if (!apart.simple) {
            return false;
        }
        join_pair(world, a, b);
        if (apart.above != kind[a].extent) {
            search_add(search_odd(world, a), b);
        }
        if (apart.below != kind[b].extent) {
            search_add(search_odd(world, b), a);
        }
        if (apart.above != kind[a].extent || apart.below != kind[b].extent) {
            kind[a].plain = false;
            kind[b].plain = false;
        }
    }
    return true;
}

static bool are_twins(const search_class *a, const search_class *b)
{
    return a->plain && b->plain && a->fixed < 0 && b->fixed < 0 &&
           a->born == b->born && a->dead == b->dead && a->extent == b->extent &&
           a->align == b->align;
}

/* Twins are born together, so they stand close to one another. */
static void find_twins(search_world *world)
{
    for (uint32_t k = 0; k < world->count; ++k) {
        search_class *kind = &world->kind[k];
        uint32_t t = k + 1;
        while (t < world->count && world->kind[t].born == kind->born &&
               !are_twins(kind, &world->kind[t])) {
            ++t;
        }
        if (t < world->count && are_twins(kind, &world->kind[t])) {
            kind->twin = t;
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

/* Where nothing can sink, every bottom is a sum of distances, rounded up: what
 * divides all distances and given offsets divides every end, unless an
 * alignment that does not divide it comes in between. */
static int64_t find_grain(const search_world *world)
{
    int64_t grain = 0;
    if ((world->rules & SEARCH_RULE_GRAIN) == 0) {
        return 1;
    }
    for (uint32_t k = 0; k < world->count; ++k) {
        const search_class *kind = &world->kind[k];
        grain = common_divisor(grain, kind->extent);
        grain = common_divisor(grain, kind->floor);
        grain = common_divisor(grain, (int64_t)kind->residue);
        for (uint32_t w = 0; w < world->words; ++w) {
            for (uint64_t set = search_odd(world, k)[w]; set != 0;
                 set &= set - 1) {
                const uint32_t j = w * 64 + search_lowest(set);
                grain = common_divisor(grain,
                                       plan_search_distance(world, k, j).above);
            }
        }
    }
    for (uint32_t k = 0; k < world->count; ++k) {
        if (grain % world->kind[k].align != 0) {
            grain = common_divisor(grain, world->kind[k].align);
        }
    }
    return grain;
}

static void count_cells(search_world *world)
{
    world->cell = cell_of(&world->kind[0]);
    for (uint32_t k = 1; k < world->count; ++k) {
        world->cell = plan_min_u32(world->cell, cell_of(&world->kind[k]));
    }
    if ((world->rules & SEARCH_RULE_CELLS) != 0) {
        for (uint32_t k = 0; k < world->count; ++k) {
            world->kind[k].height = up_to(world->kind[k].height, world->cell);
        }
    }
}

/* What the rows say when nothing is decided, but the last cell of the highest
 * need not be full. */
static void find_least(search_world *world)
{
    int64_t end = 0;
    (void)plan_search_reset(world, INT64_MAX / 2);
    for (uint32_t r = 0; r < world->row_count; ++r) {
        end = world->fill[r] > end ? world->fill[r] : end;
    }
    if ((world->rules & SEARCH_RULE_CELLS) != 0) {
        end -= (int64_t)world->cell - 1;
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
    for (uint32_t k = 0; k < count; ++k) {
        if (!make_class(world, k, root[k])) {
            return false;
        }
        for (uint32_t i = root[k]; i != BERTH_NONE;
             i = plan_next(world->classes, i)) {
            class_of[i] = k;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (!make_pairs(world, k)) {
            return false;
        }
    }
    if (!plan_search_find_rows(world, trim, class_of)) {
        return false;
    }
    find_twins(world);
    count_cells(world);
    world->grain = find_grain(world);
    memset(world->blame, 0, world->row_count * sizeof(*world->blame));
    plan_search_rank(world);
    world->dirty_count = 0;
    find_least(world);
    return true;
}

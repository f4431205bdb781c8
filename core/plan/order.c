/* The orders in which the strategies place classes: two numbers a class,
 * smaller first, then the lower index. "Larger first" is written as a distance
 * from the top of the range. A class counts with the hull of its members. */
#include "plan/plan_int.h"

#include <string.h>

/* Numbers stay below 2^62, so that two bits are left for the rank: what is
 * fixed, who lives at the peak where that counts, the others, the pinned. */
#define ORDER_TOP         ((uint64_t)1 << 62)
#define ORDER_AT_PEAK     ((uint64_t)1 << 62)
#define ORDER_OTHERS      ((uint64_t)2 << 62)
#define ORDER_PINNED_LAST ((uint64_t)3 << 62)

static uint64_t larger_first(uint64_t value)
{
    return value < ORDER_TOP ? ORDER_TOP - 1u - value : 0;
}

static uint64_t duration_of(const plan_shape *shape)
{
    return shape->dead - shape->born;
}

/* --- how full it gets while a class lives ------------------------------------
 */

/* Bytes live at each birth, and above them a tree of maxima: node k covers
 * nodes 2k and 2k + 1, the leaves being [count, 2 * count). It lies in the
 * lower half of the engine's bars, which are free meanwhile; the keys of the
 * items lie in the upper one. Either is a bar's size for each life and more. */
typedef struct order_load {
    uint64_t *tree;
    uint32_t count;
} order_load;

/* Adds a class to the leaves as differences: up at its birth, down at its
 * death. */
static void add_load(order_load *load, const plan_lives *lives,
                     const plan_shape *shape)
{
    uint64_t *leaf = load->tree + load->count;
    const uint32_t end = plan_lives_from(lives, shape->dead);
    leaf[plan_lives_from(lives, shape->born)] += plan_extent(shape);
    if (end < load->count) {
        leaf[end] -= plan_extent(shape); /* wraps; the running sum does not */
    }
}

static order_load measure_load(const plan_engine *engine)
{
    order_load load = {(uint64_t *)(void *)engine->bar, engine->lives.count};
    const uint32_t count = load.count;
    memset(load.tree, 0, (size_t)count * 2 * sizeof(*load.tree));
    for (uint32_t i = 0; i < engine->problem->item_count; ++i) {
        if (plan_root(&engine->classes, i) == i) {
            const plan_shape shape = plan_shape_of(&engine->classes, i);
            if (!shape.empty) {
                add_load(&load, &engine->lives, &shape);
            }
        }
    }
    for (uint32_t i = 1; i < count; ++i) {
        load.tree[count + i] += load.tree[count + i - 1];
    }
    for (uint32_t i = count; i-- > 1;) {
        const uint64_t left = load.tree[2 * i];
        const uint64_t right = load.tree[2 * i + 1];
        load.tree[i] = left > right ? left : right;
    }
    return load;
}

/* The most bytes live at one time during the life of a class. */
static uint64_t busiest(const order_load *load, const plan_lives *lives,
                        const plan_shape *shape)
{
    uint64_t most = 0;
    uint32_t from = plan_lives_from(lives, shape->born) + load->count;
    uint32_t end = plan_lives_from(lives, shape->dead) + load->count;
    for (; from < end; from /= 2, end /= 2) {
        if (from % 2 == 1) {
            most = load->tree[from] > most ? load->tree[from] : most;
            ++from;
        }
        if (end % 2 == 1) {
            --end;
            most = load->tree[end] > most ? load->tree[end] : most;
        }
    }
    return most;
}

/* The step at which the most bytes are live, the first of several. */
static uint32_t fullest_step(const order_load *load, const plan_lives *lives)
{
    const uint64_t *leaf = load->tree + load->count;
    uint32_t fullest = 0;
    for (uint32_t i = 1; i < load->count; ++i) {
        fullest = leaf[i] > leaf[fullest] ? i : fullest;
    }
    return load->count == 0 ? 0 : lives->life[fullest].born;
}

/* --- the keys
 * ----------------------------------------------------------------- */

typedef struct order_key {
    uint64_t first;
    uint64_t second;
} order_key;

typedef order_key key_of(const plan_engine *engine, const plan_shape *shape,
                         uint32_t root);

static order_key key_index(const plan_engine *engine, const plan_shape *shape,
                           uint32_t root)
{
    (void)engine;
    (void)shape;
    return (order_key){root, 0};
}

static order_key key_first_use(const plan_engine *engine,
                               const plan_shape *shape, uint32_t root)
{
    (void)engine;
    return (order_key){shape->born, root};
}

/* Blocks that are there from the first to the last come first, by index; then
 * the larger, the earlier, the lower index. */
static order_key key_tflite(const plan_engine *engine, const plan_shape *shape,
                            uint32_t root)
{
    const berth_problem *problem = engine->problem;
    const berth_item *item = &problem->items[root];
    const uint32_t dead =
        plan_span(problem, root, plan_span_count(problem, root) - 1).dead;
    (void)shape;
    if (plan_span(problem, root, 0).born == 0 && dead == problem->step_count) {
        return (order_key){0, root};
    }
    return (order_key){larger_first(item->size),
                       plan_span(problem, root, 0).born};
}

/* The larger by sizes rounded up; among equals the one added later. */
static order_key key_tflm(const plan_engine *engine, const plan_shape *shape,
                          uint32_t root)
{
    const uint64_t pad = engine->size_pad;
    (void)shape;
    return (order_key){
        larger_first((engine->problem->items[root].size + pad) & ~pad),
        larger_first(root)};
}

static order_key key_size(const plan_engine *engine, const plan_shape *shape,
                          uint32_t root)
{
    (void)engine;
    (void)root;
    return (order_key){larger_first(plan_extent(shape)), shape->born};
}

static order_key key_area(const plan_engine *engine, const plan_shape *shape,
                          uint32_t root)
{
    (void)engine;
    (void)root;
    return (order_key){larger_first(plan_area(shape)),
                       larger_first(plan_extent(shape))};
}

static order_key key_birth(const plan_engine *engine, const plan_shape *shape,
                           uint32_t root)
{
    (void)engine;
    (void)root;
    return (order_key){shape->born, larger_first(plan_extent(shape))};
}

static order_key key_death(const plan_engine *engine, const plan_shape *shape,
                           uint32_t root)
{
    (void)engine;
    (void)root;
    return (order_key){larger_first(shape->dead),
                       larger_first(plan_extent(shape))};
}

static order_key key_span(const plan_engine *engine, const plan_shape *shape,
                          uint32_t root)
{
    (void)engine;
    (void)root;
    return (order_key){larger_first(duration_of(shape)),
                       larger_first(plan_extent(shape))};
}

/* What is known of the load is added by plan_rank(). */
static const struct order_row {
    key_of *key;
    bool by_load;
    bool peak_first;
} orders[ORDER_COUNT] = {
    [ORDER_INDEX] = {key_index, false, false},
    [ORDER_FIRST_USE] = {key_first_use, false, false},
    [ORDER_TFLITE] = {key_tflite, false, false},
    [ORDER_TFLM] = {key_tflm, false, false},
    [ORDER_SIZE] = {key_size, false, false},
    [ORDER_AREA] = {key_area, false, false},
    [ORDER_BIRTH] = {key_birth, false, false},
    [ORDER_DEATH] = {key_death, false, false},
    [ORDER_SPAN] = {key_span, false, false},
    [ORDER_BREADTH] = {key_size, true, false},
    [ORDER_LOAD] = {key_span, true, false},
    [ORDER_PEAK] = {key_size, false, true},
};

static bool ranks_before(const void *context, uint32_t a, uint32_t b)
{
    const order_key *key = context;
    if (key[a].first != key[b].first) {
        return key[a].first < key[b].first;
    }
    return key[a].second < key[b].second; /* then stable */
}

_Static_assert(sizeof(order_key) <= sizeof(plan_bar) &&
                   2 * sizeof(uint64_t) <= sizeof(plan_bar),
               "keys and load fit into the bars");

/* What is known of the load, where the order asks for it. */
typedef struct order_view {
    const struct order_row *row;
    order_load load;
    uint32_t fullest;
} order_view;

static order_view view_load(const plan_engine *engine, plan_order by)
{
    order_view view = {.row = &orders[by]};
    if (view.row->by_load || view.row->peak_first) {
        view.load = measure_load(engine);
        view.fullest = fullest_step(&view.load, &engine->lives);
    }
    return view;
}

static order_key ranked_key(const order_view *view, const plan_engine *engine,
                            const plan_shape *shape, uint32_t root)
{
    order_key key = view->row->key(engine, shape, root);
    uint64_t rank = ORDER_OTHERS;
    if (view->row->by_load) {
        key.second = key.first;
        key.first = larger_first(busiest(&view->load, &engine->lives, shape));
    }
    if (shape->fixed >= 0) {
        rank = 0;
    } else if (shape->pinned) {
        rank = ORDER_PINNED_LAST;
    } else if (view->row->peak_first && shape->born <= view->fullest &&
               view->fullest < shape->dead) {
        key = key_span(engine, shape, root);
        rank = ORDER_AT_PEAK;
    }
    key.first += rank;
    return key;
}

void plan_rank(plan_ranking *ranking, plan_engine *engine, plan_order by)
{
    order_key *keys = (order_key *)(void *)(engine->bar + engine->bar_capacity);
    const order_view view = view_load(engine, by);
    ranking->count = 0;
    ranking->fixed_count = 0;
    for (uint32_t i = 0; i < engine->problem->item_count; ++i) {
        if (plan_root(&engine->classes, i) == i) {
            const plan_shape shape = plan_shape_of(&engine->classes, i);
            keys[i] = ranked_key(&view, engine, &shape, i);
            ranking->fixed_count += shape.fixed >= 0;
            ranking->order[ranking->count++] = i;
        }
    }
    plan_sort(ranking->order, ranking->spare, ranking->count, ranks_before,
              keys);
}

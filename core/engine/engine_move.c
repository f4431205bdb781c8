/* Moves: bytes that the engine itself carries, for calls and variables.
 *
 * The pairs of a step are one assignment, all at once: a target may be exactly
 * the place of another pair's source. So whoever reads a place goes before the
 * one that writes it. Where a circle is left, all of its places are of one
 * size, and its members but one change places, one after the other. */
#include "engine_int.h"

typedef struct move_link {
    uint32_t next;    /* the pair that writes what this one reads, or NONE */
    uint32_t waiting; /* for how many others, that read what this one writes */
    uint32_t rank;    /* its turn, or NONE */
} move_link;

typedef struct move_pair {
    engine_slot from;
    engine_slot to;
} move_pair;

/* --- order -------------------------------------------------------------- */

typedef struct move_order {
    const berth_engine *engine;
    move_pair *pairs;
    move_link *links;
    uint32_t count;
    uint32_t ranked;
} move_order;

/* A place that somebody may write; 0: none. */
static uintptr_t move_place(const move_order *o, const engine_slot *slot)
{
    return engine_ref_kind(slot->ref) == ENGINE_REF_RECORD
               ? (uintptr_t)o->engine->records[engine_ref_index(slot->ref)].data
               : 0;
}

static uintptr_t target_of(const move_order *o, uint32_t i)
{
    return move_place(o, &o->pairs[i].to);
}

static uintptr_t origin_of(const move_order *o, uint32_t i)
{
    return move_place(o, &o->pairs[i].from);
}

static void swap_pairs(const move_order *o, uint32_t i, uint32_t j)
{
    const move_pair held = o->pairs[i];
    o->pairs[i] = o->pairs[j];
    o->pairs[j] = held;
}

static void sift_pair(const move_order *o, uint32_t root, uint32_t count)
{
    for (uint32_t child = 2u * root + 1u; child < count;
         child = 2u * root + 1u) {
        if (child + 1u < count &&
            target_of(o, child) < target_of(o, child + 1u)) {
            ++child;
        }
        if (target_of(o, child) <= target_of(o, root)) {
            return;
        }
        swap_pairs(o, root, child);
        root = child;
    }
}

static void sort_by_target(const move_order *o)
{
    for (uint32_t root = o->count / 2u; root-- > 0;) {
        sift_pair(o, root, o->count);
    }
    for (uint32_t end = o->count; end-- > 1u;) {
        swap_pairs(o, 0, end);
        sift_pair(o, 0, end);
    }
}

/* The pair whose target is at that place. */
static uint32_t find_writer(const move_order *o, uintptr_t place)
{
    uint32_t low = 0;
    uint32_t high = o->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (target_of(o, middle) < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return place != 0 && low < o->count && target_of(o, low) == place
               ? low
               : BERTH_NONE;
}

static void link_pairs(const move_order *o)
{
    for (uint32_t i = 0; i < o->count; ++i) {
        o->links[i] = (move_link){BERTH_NONE, 0, BERTH_NONE};
    }
    for (uint32_t i = 0; i < o->count; ++i) {
        const uint32_t writer = find_writer(o, origin_of(o, i));
        o->links[i].next = writer;
        if (writer != BERTH_NONE) {
            ++o->links[writer].waiting;
        }
    }
}

/* A pair that waits for nobody goes, then whoever waited for it alone. */
static void rank_chains(move_order *o)
{
    for (uint32_t i = 0; i < o->count; ++i) {
        uint32_t at = i;
        while (at != BERTH_NONE && o->links[at].waiting == 0 &&
               o->links[at].rank == BERTH_NONE) {
            const uint32_t next = o->links[at].next;
            o->links[at].rank = o->ranked++;
            if (next != BERTH_NONE) {
                --o->links[next].waiting;
            }
            at = next;
        }
    }
}

/* Those left are circles. The last of each has its value when the others have
 * changed places; it goes to the end, where nobody runs it. */
static uint32_t rank_circles(move_order *o)
{
    uint32_t idle = 0;
    for (uint32_t i = 0; i < o->count; ++i) {
        uint32_t at = i;
        while (o->links[at].rank == BERTH_NONE) {
            const uint32_t next = o->links[at].next;
            if (next == i) {
                o->links[at].rank = o->count - ++idle;
                break;
            }
            o->links[at].rank = o->ranked++;
            o->pairs[at].to.rows |= ENGINE_SWAP;
            at = next;
        }
    }
    return idle;
}

static void permute(const move_order *o)
{
    for (uint32_t i = 0; i < o->count; ++i) {
        while (o->links[i].rank != i) {
            const uint32_t j = o->links[i].rank;
            const move_link held = o->links[j];
            o->links[j] = o->links[i];
            o->links[i] = held;
            swap_pairs(o, i, j);
        }
    }
}

/* Puts the pairs in an order that loses nothing; returns how many are to be
 * carried out. */
static uint32_t put_in_order(berth_engine *engine, uint32_t first_slot,
                             uint32_t count)
{
    move_order o = {
        .engine = engine,
        .pairs = (move_pair *)(void *)&engine->slots[first_slot],
        .links = (move_link *)(void *)engine->bench,
        .count = count,
    };
    sort_by_target(&o);
    link_pairs(&o);
    rank_chains(&o);
    const uint32_t idle = rank_circles(&o);
    permute(&o);
    return count - idle;
}

/* --- pairs -------------------------------------------------------------- */

/* Nobody reads what a callee is handed in vain; handles are known already. */
static bool is_carried(const engine_draft *d, uint32_t from, uint32_t to)
{
    const berth_lifetimes *lifetimes = d->source->lifetimes;
    if (from == BERTH_NONE || to == BERTH_NONE) {
        return false;
    }
    const uint8_t target = lifetimes->class_of_tensor[to];
    const uint8_t source = lifetimes->class_of_tensor[from];
    if (target == BERTH_CLASS_UNUSED ||
        (target == BERTH_CLASS_HANDLE && source == BERTH_CLASS_HANDLE)) {
        return false;
    }
    const uint32_t a = lifetimes->item_of_tensor[from];
    const uint32_t b = lifetimes->item_of_tensor[to];
    const berth_plan *plan = d->source->plan;
    const bool same_place =
        a != BERTH_NONE && b != BERTH_NONE &&
        plan->offset[a] == plan->offset[b] &&
        (plan->region == NULL || plan->region[a] == plan->region[b]);
    return !same_place;
}

static berth_status add_pair(engine_draft *d, uint32_t op, uint32_t from,
                             uint32_t to)
{
    const berth_graph_tensor *tensors = d->source->graph->tensors;
    const berth_shape *shapes = d->source->shapes->of;
    const bool handle = tensors[from].type == BERTH_RESOURCE ||
                        tensors[to].type == BERTH_RESOURCE;
    uint32_t a = 0;
    uint32_t b = 0;
    BERTH_TRY(engine_resolve(d, op, from, &a));
    BERTH_TRY(engine_resolve(d, op, to, &b));
    if (!handle && shapes[from].bytes != shapes[to].bytes) {
        BERTH_TRY(engine_refuse(d, BERTH_UNSUPPORTED, op, BERTH_NONE,
                                "a call hands over a tensor of another size"));
    }
    engine_add_slot(d, a, tensors[from].subgraph);
    engine_add_slot(d, b, tensors[to].subgraph);
    return BERTH_OK;
}

berth_status engine_add_moves(engine_draft *d, uint32_t s, const uint32_t *from,
                              const uint32_t *to, uint32_t count)
{
    const berth_graph *graph = d->source->graph;
    const uint32_t op = d->source->schedule->steps[s].op;
    const uint32_t subgraph = graph->ops[op].subgraph;
    engine_step step = {
        .op = op - graph->op_base[subgraph],
        .first_slot = (uint32_t)d->at.slots,
        .step = s,
        .subgraph = (uint16_t)subgraph,
        .kind = ENGINE_STEP_MOVE,
    };
    for (uint32_t i = 0; i < count; ++i) {
        if (is_carried(d, from[i], to[i])) {
            BERTH_TRY(add_pair(d, op, from[i], to[i]));
            ++step.count;
        }
    }
    if (step.count == 0) {
        return BERTH_OK;
    }
    if (step.count > 1u) {
        engine_need_bench(d, (uint64_t)step.count * sizeof(move_link));
    }
    if (d->engine != NULL && step.count > 1u) {
        step.count = put_in_order(d->engine, step.first_slot, step.count);
    }
    engine_add_step(d, &step);
    return BERTH_OK;
}

/* plan_int.h: what the files of this module share.
 *
 *   problem.c     is the problem well formed?
 *   classes.c     tied items as rigid shapes
 *   lives.c       who that is placed lives at the same time? (interval tree)
 *   place.c       one shape into the offsets that its neighbours leave free
 *   shelf.c       what is placed, by offset
 *   bars.c        their sort
 *   order.c       in which order?
 *   plan_sort.c   stable sort
 *   bound.c       what no plan can go under
 *   strategy.c    the strategies as rows of {order, fit}
 *   solver.c      the interface
 *   solver_rows.c runs rows, keeps the best
 *   repair.c      packs under a ceiling, by ejection
 *   climb.c       improves an order
 *   exact.c       searches: see search_int.h
 *   plan_check.c  the judge; of all this only the problem's check is his
 *
 * Invariants
 *   P1  A problem that passed berth_problem_check() keeps every offset, end,
 *       shift and bar within +-2^61, so that int64_t sums of three never wrap.
 *   P2  A class is placed as a whole or not at all: offset[i] is a number for
 *       all its members or BERTH_NOWHERE for all.
 *   P3  Effort is counted in nodes: one node, one class placed, or refused. */
#ifndef BERTH_PLAN_INT_H
#define BERTH_PLAN_INT_H

#include "base/base_int.h"
#include "berth/plan.h"

/* What all items end to end, padding included, may reach. */
#define PLAN_REACH_MAX ((uint64_t)1 << 60)

/* Most items, and most spans of all items together: four times either still
 * fits 32 bits. */
#define PLAN_LIVES_MAX ((uint32_t)1 << 28)

/* --- problem.c --------------------------------------------------------------
 */

/* The alignment that holds for item i: its own and that of the only region. */
uint32_t plan_item_align(const berth_problem *problem, uint32_t i);

/* The sum of all span counts; false where it or the number of items is above
 * PLAN_LIVES_MAX. */
bool plan_life_count(const berth_problem *problem, uint32_t *count);

/* Spans of item i for packing: a pinned item lives always. */
static inline uint32_t plan_span_count(const berth_problem *problem, uint32_t i)
{
    const berth_item *item = &problem->items[i];
    return (item->flags & BERTH_ITEM_PINNED) != 0 ? 1 : item->span_count;
}

static inline berth_span plan_span(const berth_problem *problem, uint32_t i,
                                   uint32_t k)
{
    const berth_item *item = &problem->items[i];
    if ((item->flags & BERTH_ITEM_PINNED) != 0) {
        return (berth_span){0, problem->step_count};
    }
    return problem->spans[item->first_span + k];
}

static inline uint32_t plan_max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t plan_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* --- plan_sort.c ------------------------------------------------------------
 */

typedef bool plan_before(const void *context, uint32_t a, uint32_t b);

/* Sorts `order` stably; `spare` holds as many. */
void plan_sort(uint32_t *order, uint32_t *spare, uint32_t count,
               plan_before *before, const void *context);

/* --- classes.c --------------------------------------------------------------
 */

/* Each item belongs to the class of its root, the owner that is tied to nobody;
 * offset[i] = offset[root[i]] + shift[i]. Without ties the arrays are NULL and
 * each item is a class of its own. */
typedef struct plan_classes {
    const berth_problem *problem;
    uint32_t *root;
    uint32_t *next; /* following member of the class, the root being first */
    int64_t *shift;
} plan_classes;

bool plan_classes_need(const berth_problem *problem, size_t *bytes);

/* Takes its arrays from *work, which holds them. BERTH_BAD_ARG: a circle. */
berth_status plan_classes_init(plan_classes *classes,
                               const berth_problem *problem, berth_work *work,
                               berth_diag *diag);

static inline uint32_t plan_root(const plan_classes *classes, uint32_t i)
{
    return classes->root == NULL ? i : classes->root[i];
}

static inline int64_t plan_shift(const plan_classes *classes, uint32_t i)
{
    return classes->shift == NULL ? 0 : classes->shift[i];
}

static inline uint32_t plan_next(const plan_classes *classes, uint32_t i)
{
    return classes->next == NULL ? BERTH_NONE : classes->next[i];
}

/* A class seen from its root. */
typedef struct plan_shape {
    int64_t low;    /* where its first byte lies, from the root: <= 0 */
    int64_t high;   /* one past its last byte */
    int64_t fixed;  /* offset of the root, or -1 */
    uint32_t align; /* the root lies at residue modulo align */
    uint32_t residue;
    uint32_t born; /* the hull of its members' spans */
    uint32_t dead;
    uint32_t misfit; /* a member that contradicts another, or BERTH_NONE */
    bool pinned;
    bool empty; /* no member has a byte */
} plan_shape;

plan_shape plan_shape_of(const plan_classes *classes, uint32_t root);

static inline uint64_t plan_extent(const plan_shape *shape)
{
    return (uint64_t)(shape->high - shape->low);
}

/* Bytes times steps; UINT64_MAX where there are more. */
static inline uint64_t plan_area(const plan_shape *shape)
{
    uint64_t area = UINT64_MAX;
    (void)berth_mul_u64(plan_extent(shape), shape->dead - shape->born, &area);
    return area;
}

/* --- lives.c ----------------------------------------------------------------
 */

typedef struct plan_life {
    uint32_t born;
    uint32_t item;
    uint32_t dead; /* 0: not shown */
} plan_life;

/* The spans of all items by (born, item). Only those shown are found. */
typedef struct plan_lives {
    plan_life *life;
    uint32_t *latest; /* binary heap over groups of lives: latest death shown */
    uint32_t count;
    uint32_t leaf_count; /* power of two */
} plan_lives;

bool plan_lives_need(const berth_problem *problem, size_t *bytes);
void plan_lives_init(plan_lives *lives, const berth_problem *problem,
                     berth_work *work);
void plan_lives_hide_all(plan_lives *lives);
void plan_lives_show(plan_lives *lives, const berth_problem *problem,
                     uint32_t item);

void plan_lives_hide(plan_lives *lives, const berth_problem *problem,
                     uint32_t item);

/* The first life that is not born before `step`. O(log n). */
uint32_t plan_lives_from(const plan_lives *lives, uint32_t step);

/* The heap's leaves stand for so many lives each. */
#define PLAN_LIVES_GROUP 8u

uint32_t plan_lives_group(const plan_lives *lives, uint32_t group, uint32_t end,
                          uint32_t step);

/* The first shown life at or after `at` and before `end` that dies after
 * `step`, or `end`. */
static inline uint32_t plan_lives_next(const plan_lives *lives, uint32_t at,
                                       uint32_t end, uint32_t step)
{
    while (at < end) {
        if (at % PLAN_LIVES_GROUP == 0) {
            at = plan_lives_group(lives, at / PLAN_LIVES_GROUP, end, step);
            if (at == end) {
                break;
            }
        }
        if (lives->life[at].dead > step) {
            break;
        }
        ++at;
    }
    return at;
}

/* --- bars.c -----------------------------------------------------------------
 */

/* An offset of the class that is being placed must not lie strictly between. */
typedef struct plan_bar {
    int64_t low;
    int64_t high;
} plan_bar;

/* The fewest and the most buckets that bars are dealt into. */
#define PLAN_BUCKETS_MIN 16u
#define PLAN_BUCKETS     256u

/* By lower end; `spare` has room for as many, `tally` for PLAN_BUCKETS. */
void plan_sort_bars(plan_bar *bar, plan_bar *spare, uint32_t count,
                    uint32_t *tally);

/* --- shelf.c ----------------------------------------------------------------
 */

/* What is placed, by offset. */
typedef struct plan_shelf {
    uint32_t *item;        /* by rank; from the end, those that wait for one */
    uint32_t *rank;        /* by item; see plan_has_rank() */
    uint64_t *mark;        /* a bit for each rank */
    uint64_t *marked_word; /* a bit for each word of mark */
    uint32_t count;        /* ranks, those of items taken down among them */
    uint32_t fresh_count;  /* items that wait */
    uint32_t capacity;
} plan_shelf;

bool plan_shelf_need(const berth_problem *problem, size_t *bytes);
void plan_shelf_take(plan_shelf *shelf, const berth_problem *problem,
                     berth_work *work);
void plan_shelf_clear(plan_shelf *shelf);

static inline bool plan_has_rank(const plan_shelf *shelf, uint32_t item)
{
    return shelf->rank[item] < BERTH_NONE - 1u;
}

static inline void plan_shelf_mark(plan_shelf *shelf, uint32_t item)
{
    const uint32_t rank = shelf->rank[item];
    shelf->mark[rank / 64u] |= (uint64_t)1 << rank % 64u;
    shelf->marked_word[rank / 4096u] |= (uint64_t)1 << rank / 64u % 64u;
}

/* The marks of the lowest word that has any, which loses them; *word, where to
 * begin, tells which it is. 0: none is left. */
uint64_t plan_shelf_next_word(plan_shelf *shelf, uint32_t *word);

/* Takes all marks away. */
void plan_shelf_forget(plan_shelf *shelf);

extern const uint64_t plan_bit_windows;
extern const uint8_t plan_bit_of_window[64];

static inline uint32_t plan_lowest_bit(uint64_t bits)
{
    const uint64_t lowest = bits & (0u - bits);
    return plan_bit_of_window[lowest * plan_bit_windows >> 58];
}

/* --- place.c ----------------------------------------------------------------
 */

typedef enum plan_fit {
    FIT_FIRST,  /* the lowest offset allowed */
    FIT_BEST,   /* the tightest gap, the lowest among equals */
    FIT_TFLITE, /* as TensorFlow Lite: remembers a gap before aligning it */
    FIT_ON_TOP  /* above all that is placed */
} plan_fit;

typedef struct plan_engine {
    const berth_problem *problem;
    plan_classes classes;
    plan_lives lives;
    plan_shelf shelf;
    uint32_t neighbours; /* of those placed lately: a running mean */
    bool shelved;        /* there are enough lives for a shelf to pay */
    uint64_t *offset;    /* by item; BERTH_NOWHERE: not placed */
    uint64_t *end;       /* of those placed, sizes rounded up */
    uint32_t *partner;   /* by item: 1 + its link to the member being placed,
                            or 0; NULL without links */
    uint32_t *first_a;   /* by item: its first link as a; as b, in by_b */
    uint32_t *first_b;
    uint32_t *by_b;               /* links in the order of b */
    uint32_t tally[PLAN_BUCKETS]; /* of bars, while they are sorted */
    plan_bar *bar;         /* two halves: the bars, and room to merge them */
    uint32_t bar_capacity; /* of a half */
    uint32_t bar_count;
    uint32_t size_pad;  /* sizes are rounded up to a multiple of this + 1 */
    bool owners_only;   /* tied items follow, and stand in nobody's way */
    uint64_t peak;      /* highest end so far */
    uint64_t bars_seen; /* in all: the work of placing, beside the nodes */
} plan_engine;

/* The shelf of an engine changes with its items, and borrows its bars. */
void plan_shelf_put(plan_engine *engine, uint32_t item);
void plan_shelf_take_down(plan_engine *engine, uint32_t item);

/* To be called before items are marked. */
void plan_shelf_tidy(plan_engine *engine);

bool plan_engine_need(const berth_problem *problem, size_t *bytes);
berth_status plan_engine_init(plan_engine *engine, const berth_problem *problem,
                              berth_work *work, berth_diag *diag);

/* Nothing is placed any more. */
void plan_engine_clear(plan_engine *engine);

/* Places the class of `root` and counts it into the peak. Where its offset is
 * fixed it goes there, whoever is in the way. */
void plan_place(plan_engine *engine, uint32_t root, plan_fit fit);

/* The same where it then ends at or below the ceiling, else nothing and false.
 * Neither what is fixed nor what is already placed is pressed below. */
bool plan_place_under(plan_engine *engine, uint32_t root, plan_fit fit,
                      int64_t ceiling);

/* Puts the class at an offset of its root, whoever is in the way. */
void plan_settle(plan_engine *engine, uint32_t root, int64_t at);

/* Takes the class out again; the engine's peak does not follow. */
void plan_unplace(plan_engine *engine, uint32_t root);

/* The first offset at or above that suits the alignment of the class. */
static inline int64_t plan_align_root(const plan_shape *shape, int64_t offset)
{
    const uint64_t ahead =
        ((uint64_t)shape->residue - (uint64_t)offset) & (shape->align - 1u);
    return offset + (int64_t)ahead;
}

static inline int64_t plan_padded_size(const plan_engine *engine, uint32_t i)
{
    const uint64_t pad = engine->size_pad;
    return (int64_t)((engine->problem->items[i].size + pad) & ~pad);
}

/* Notes with each item that `self` is linked to by which link (one more than
 * its index), or takes that back: plan_bar_between() needs it. */
void plan_mark_partners(plan_engine *engine, uint32_t self, bool marked);

/* What `other` bars to the root by its link with the member `self`; `base` is
 * where the root lies when both begin at one place. lo >= hi bars nothing. */
plan_bar plan_bar_of_link(const plan_engine *engine, uint32_t self,
                          uint32_t other, int64_t base);

/* Where the root must not lie because of `other`, which is placed, and the
 * member `self` of its class; `shift` and `size` are those of self. */
static inline plan_bar plan_bar_between(const plan_engine *engine,
                                        uint32_t self, uint32_t other,
                                        int64_t shift, int64_t size)
{
    const int64_t base = (int64_t)engine->offset[other] - shift;
    if (engine->partner != NULL && engine->partner[other] != 0 &&
        (engine->problem->items[other].flags & BERTH_ITEM_PINNED) == 0) {
        return plan_bar_of_link(engine, self, other, base);
    }
    return (plan_bar){base - size, (int64_t)engine->end[other] - shift};
}

/* --- order.c ----------------------------------------------------------------
 */

typedef enum plan_order {
    ORDER_INDEX,
    ORDER_FIRST_USE, /* birth, then index */
    ORDER_TFLITE,
    ORDER_TFLM,
    ORDER_SIZE,
    ORDER_AREA,
    ORDER_BIRTH,
    ORDER_DEATH,
    ORDER_SPAN,
    ORDER_BREADTH,
    ORDER_LOAD,
    ORDER_PEAK, /* who lives at the fullest step, longest first; then by size */
    ORDER_CLIMB, /* not computed: see climb.c */
    ORDER_COUNT
} plan_order;

/* The roots of all classes in the order asked; the engine's bars are scratch
 * meanwhile. Fixed classes come first, pinned ones last. `order` and `spare`
 * hold an entry an item. */
typedef struct plan_ranking {
    uint32_t *order;
    uint32_t *spare;
    uint32_t count;       /* of classes */
    uint32_t fixed_count; /* of those in front whose offset is fixed */
} plan_ranking;

void plan_rank(plan_ranking *ranking, plan_engine *engine, plan_order by);

/* --- strategy.c -------------------------------------------------------------
 */

typedef struct plan_row {
    berth_strategy strategy;
    plan_order order;
    plan_fit fit;
    uint32_t size_pad;
    bool owners_only;
    bool peer;       /* knows no links */
    bool repairs;    /* under the bound as a ceiling: see repair.c */
    bool from_above; /* after all have been placed without one */
} plan_row;

/* The rows that a strategy tries, one after the other. */
const plan_row *plan_rows(berth_strategy strategy, uint32_t *count);

/* --- climb.c ----------------------------------------------------------------
 */

typedef struct plan_climb {
    uint64_t random;
    uint32_t rounds;
} plan_climb;

/* Changes one thing in the order of the best plan so far; the engine holds the
 * trial before, whose top is to come down. */
void plan_climb_move(plan_climb *climb, const plan_engine *engine,
                     const plan_ranking *ranking);

/* --- repair.c ---------------------------------------------------------------
 */

typedef enum plan_repaired {
    REPAIR_GOES_ON,
    REPAIR_DONE,  /* all classes are placed, none ends above the ceiling */
    REPAIR_FAILED /* a class cannot be placed, or not so */
} plan_repaired;

typedef struct plan_repair {
    plan_engine *engine;
    const plan_ranking *ranking;
    plan_fit fit;
    int64_t ceiling;
    uint32_t placed; /* of the ranking; afterwards those that wait */
    uint32_t waiting_count;
    uint32_t *waiting; /* roots, a heap by price */
    uint64_t *price;   /* by root: what throwing it out costs */
    uint32_t price_shift;
    uint32_t capacity;   /* of high */
    plan_bar *high;      /* upper ends and prices of what is in the way */
    int64_t at;          /* where the class being forced in will lie */
    uint32_t fixed_bars; /* of fixed items in its way */
    uint64_t bars_seen;  /* for those that found no gap */
} plan_repair;

bool plan_repair_need(const berth_problem *problem, size_t *bytes);
void plan_repair_take(plan_repair *repair, const berth_problem *problem,
                      berth_work *work);

/* Begins to place all classes below the ceiling, which is no lower than the
 * bound, in the order of the ranking. The engine is the repair's until it is
 * done; its peak is then at or under the ceiling. */
void plan_repair_begin(plan_repair *repair, plan_engine *engine,
                       const plan_ranking *ranking, plan_fit fit,
                       uint64_t ceiling);

/* Goes on from a plan with a lower ceiling than its peak: what ends above
 * waits. What has been thrown out before stays dear. */
void plan_repair_press(plan_repair *repair, const uint64_t *offset,
                       uint64_t ceiling);

/* One node. How long it pays to go on is for the caller to say. */
plan_repaired plan_repair_step(plan_repair *repair);

/* --- bound.c ----------------------------------------------------------------
 */

bool plan_bound_need(const berth_problem *problem, size_t *bytes);

/* The problem has been checked, the work is enough. */
void plan_bound_find(const berth_problem *problem, berth_work work,
                     uint64_t *bound, uint32_t *step);

#endif

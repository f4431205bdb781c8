/* search_int.h: exact search in one part of a problem.
 *
 * A part is a list of classes, by birth. It is searched for a plan that ends at
 * or below a target: found, shown not to be, or given up.
 *
 *   search_world.c  a part as numbers and rows of bits
 *   search_pairs.c  how far apart two classes must lie
 *   search_rows.c   sets of classes that lie side by side at one step
 *   search_slices.c what a class of several members takes in each
 *   search_state.c  how low each class can lie by now, and what that rules out
 *   search_pick.c   which class next
 *   search_knot.c   what takes its place where shapes are strange
 *   search.c        the search itself
 *   exact.c         part after part, target after target
 *
 * Invariants
 *   S1  low[k] is a lower bound of the bottom of k in every plan that agrees
 *       with the decisions so far; of a class that is placed it is its bottom.
 *   S2  Where no shape is strange, a class is only placed at low[k], and only
 *       where no class of its component that may still be placed is lower.
 *   S3  All that a decision changes is on the trail. */
#ifndef BERTH_PLAN_SEARCH_INT_H
#define BERTH_PLAN_SEARCH_INT_H

#include "plan/trim_int.h"

/* The most classes of a part, their lives, and rows. */
#define SEARCH_CLASSES_MAX 1024u
#define SEARCH_LIVES_MAX   2048u
#define SEARCH_ROWS_MAX    (2u * SEARCH_CLASSES_MAX)

/* Sets of rows: one without links, else two. */
#define SEARCH_FAMILIES 2u

/* The rules by which branches are cut. Each may be switched off without
 * changing an answer; tests do. */
enum {
    SEARCH_RULE_ROWS = 1u << 0,    /* the sum of a row above its lowest */
    SEARCH_RULE_RELEASE = 1u << 1, /* and above each of its members */
    SEARCH_RULE_REST = 1u << 2,    /* what does not lie here rests on another */
    SEARCH_RULE_TWINS = 1u << 3,   /* equals are tried in one order */
    SEARCH_RULE_PARTS = 1u << 4,   /* a failure does not touch other parts */
    SEARCH_RULE_CELLS = 1u << 5,   /* sizes rounded up to the alignment */
    SEARCH_RULE_GRAIN = 1u << 6,   /* ends are multiples of all sizes' grain */
    SEARCH_RULES_ALL = (1u << 7) - 1u
};

typedef struct search_class {
    int64_t extent; /* from its bottom to its top */
    int64_t height; /* what it takes at least in a row, in cells */
    int64_t slack;  /* what a member may leave unused of its cells */
    int64_t fixed;  /* its bottom, or -1 */
    int64_t bottom; /* of the class, from its root */
    int64_t floor;  /* the lowest bottom by itself */
    uint64_t stair; /* a power of two: its members lie at multiples of it above
                       its bottom; 0: all at one height, it is flat */
    uint32_t align; /* its bottom lies at residue modulo align */
    uint32_t residue;
    uint32_t root;
    uint32_t born; /* the hull of its spans */
    uint32_t dead;
    uint32_t twin; /* the next of the same kind, or BERTH_NONE */
    bool plain;    /* one item of one span, with the default distances */
    uint32_t slices[SEARCH_FAMILIES];   /* its first, or BERTH_NONE: it takes
                                           its height in each row */
    uint32_t row_from[SEARCH_FAMILIES]; /* the rows of its hull */
    uint32_t row_end[SEARCH_FAMILIES];
} search_class;

/* What a class of several members takes in one row. */
typedef struct search_slice {
    int64_t from;   /* its lowest member there, above the bottom */
    int64_t amount; /* of all there, in cells */
} search_slice;

typedef struct search_note {
    uint32_t kind_and_index;
    int64_t old;
} search_note;

typedef struct search_frame {
    uint32_t item;
    uint32_t other; /* in a world of odd shapes: */
    int64_t above;  /* `other` lies so far above `item`, */
    int64_t below;  /* or `item` so far above `other` */
    uint32_t noted; /* length of the trail before */
    uint32_t born;  /* the component in which it was decided */
    uint32_t dead;
    bool refused; /* the first choice was in vain: now the second holds */
} search_frame;

typedef struct search_world {
    const berth_problem *problem;
    const plan_classes *classes;
    uint32_t rules;
    uint32_t count; /* of classes */
    uint32_t words; /* of a set of classes */
    uint32_t row_count;
    uint32_t family_count;
    uint32_t class_room; /* what was lent for */
    uint32_t row_room;
    uint32_t slice_room;
    uint32_t slice_count;
    uint32_t note_room;
    uint32_t frame_room;
    uint32_t cell; /* every member lies at a multiple */
    int64_t grain; /* every end is a multiple */
    int64_t least; /* no plan of this part ends below */

    search_class *kind; /* by class, as what follows */
    int64_t *low;       /* see S1 */
    uint32_t *rank;     /* all orders, one after the other */
    uint64_t *near;     /* a set each: with whom it may collide */
    uint64_t *odd;      /* of those, where the distance is not the extent */
    uint64_t *open;     /* one set: not placed */
    uint64_t *hanging;  /* one set: must rest on somebody not yet placed */
    uint64_t *member;   /* by row: a set */
    uint32_t *row_step; /* by row: when */
    int64_t *fill;      /* by row: no plan ends lower because of it */
    uint64_t *blame;    /* by row: how often it ended a branch */
    uint32_t *dirty;    /* rows to be looked at again */
    uint8_t *is_dirty;  /* by row */
    plan_span_of *life; /* of one family, and two orders of it */
    uint32_t *by_born;
    uint32_t *by_dead;
    uint32_t *spare;
    int64_t *release; /* of one row, sorted: when, and how much */
    int64_t *amount;
    search_slice *slice; /* of each class of several members, row by row */
    search_note *note;
    search_frame *frame;

    int64_t target;
    uint32_t dirty_count;
    uint32_t note_count;
    uint32_t depth;
    uint32_t failed;  /* a class that cannot be placed any more */
    uint32_t here;    /* the class decided last */
    uint32_t measure; /* how the next class is chosen: search_pick.c */
    uint32_t order;
    bool strange;    /* some class is not flat, or some pair not simple */
    bool doubtful;   /* a branch was left that might hold a plan */
    bool full;       /* the trail or the stack is: this search is over */
    uint64_t nodes;  /* decisions, in all */
    uint64_t effort; /* what they cost, about a nanosecond each */
} search_world;

/* --- sets -------------------------------------------------------------------
 */

static inline bool search_has(const uint64_t *set, uint32_t k)
{
    return (set[k / 64] >> (k % 64) & 1u) != 0;
}

static inline void search_add(uint64_t *set, uint32_t k)
{
    set[k / 64] |= (uint64_t)1 << (k % 64);
}

static inline void search_drop(uint64_t *set, uint32_t k)
{
    set[k / 64] &= ~((uint64_t)1 << (k % 64));
}

/* The lowest bit of a word that is not 0. */
static inline uint32_t search_lowest(uint64_t word)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    uint32_t bit = 0;
    for (; (word & 1u) == 0; word >>= 1) {
        ++bit;
    }
    return bit;
#endif
}

static inline uint64_t *search_near(const search_world *world, uint32_t k)
{
    return world->near + (size_t)k * world->words;
}

static inline uint64_t *search_odd(const search_world *world, uint32_t k)
{
    return world->odd + (size_t)k * world->words;
}

static inline uint64_t *search_member(const search_world *world, uint32_t row)
{
    return world->member + (size_t)row * world->words;
}

/* Bytes that begin at a multiple of the cell, and what they make unusable. */
static inline int64_t search_cells(const search_world *world, int64_t bytes)
{
    const int64_t cell =
        (world->rules & SEARCH_RULE_CELLS) != 0 ? (int64_t)world->cell : 1;
    return (bytes + cell - 1) / cell * cell;
}

/* --- search_pairs.c ---------------------------------------------------------
 */

typedef struct search_apart {
    int64_t above; /* b's bottom must not lie strictly between a's - below */
    int64_t below; /* and a's + above */
    bool meets;    /* anything is forbidden at all */
    bool simple;   /* the forbidden distances are one such interval */
} search_apart;

/* Of the classes a and b of the world, a != b. */
search_apart plan_search_distance(const search_world *world, uint32_t a,
                                  uint32_t b);

/* Bottom, extent, height and stair of the class of kind->root, which has bytes.
 */
void plan_search_measure(const search_world *world, search_class *kind);

/* Whether a and b collide where they lie now, at `low`: then the distances from
 * a to b between those of *bar are forbidden, and these are not. */
bool plan_search_clash(const search_world *world, uint32_t a, uint32_t b,
                       plan_bar *bar);

/* --- search_rows.c ----------------------------------------------------------
 */

/* Lists the rows. False: more than there is room for. `trim` is made. */
bool plan_search_find_rows(search_world *world, plan_trim *trim,
                           const uint32_t *class_of);

/* --- search_slices.c --------------------------------------------------------
 */

/* Slices class k in the rows of family f, for which `trim` is made. Where there
 * is no room it stays as high as its lowest member in all rows. */
void plan_search_slice(search_world *world, const plan_trim *trim, uint32_t k,
                       uint32_t f);

/* --- search_world.c ---------------------------------------------------------
 */

/* Of any effort but ROWS. */
bool plan_search_need(const berth_problem *problem, berth_effort effort,
                      size_t *bytes);
void plan_search_take(search_world *world, const berth_problem *problem,
                      const plan_classes *classes, berth_effort effort,
                      berth_work *work);

/* Makes the world of the classes root[0..count), which are sorted by birth.
 * `class_of` is scratch, an entry an item. False: this search cannot serve
 * them; they are too many, or of too strange a shape. */
bool plan_search_make(search_world *world, const uint32_t *root, uint32_t count,
                      plan_trim *trim, uint32_t *class_of);

/* --- search_state.c ---------------------------------------------------------
 */

/* Nothing is decided; looks for plans that end at or below the target. False:
 * there is none. */
bool plan_search_reset(search_world *world, int64_t target);

/* Decides that class k lies at low[k], or that it does not. False: no plan is
 * left; `failed` tells where. */
bool plan_search_place(search_world *world, uint32_t k);
bool plan_search_refuse(search_world *world, uint32_t k);

/* Takes back all that was noted after the first `count` notes. */
void plan_search_undo(search_world *world, uint32_t count);

/* The first bottom at or above `at` that suits the alignment of k. */
static inline int64_t search_align(const search_class *kind, int64_t at)
{
    return at + (int64_t)(((uint64_t)kind->residue - (uint64_t)at) &
                          (kind->align - 1u));
}

/* Raises class j; false: it cannot lie so high. */
bool plan_search_lift(search_world *world, uint32_t j, int64_t low);

/* Draws all conclusions from what was raised; `fits` so far. */
bool plan_search_conclude(search_world *world, bool fits);

/* --- search_knot.c ----------------------------------------------------------
 */

/* The pair to be parted next, as a frame; false: none collides. */
bool plan_search_knot(search_world *world, search_frame *frame);

/* Lets all choices on the stack hold. False: they cannot. */
bool plan_search_untie(search_world *world);

/* --- search_pick.c ----------------------------------------------------------
 */

#define SEARCH_ORDERS   6u
#define SEARCH_MEASURES 6u
#define SEARCH_BY_BLAME 0u /* the measure that learns most */

/* Sorts the classes into the orders. */
void plan_search_rank(search_world *world);

/* The class to be decided next, in which component, or BERTH_NONE: all are
 * placed. *stuck: some are left, but none of them can be next. */
uint32_t plan_search_pick(const search_world *world, uint32_t *born,
                          uint32_t *dead, bool *stuck);

/* --- search.c ---------------------------------------------------------------
 */

typedef enum search_answer {
    SEARCH_FOUND, /* low[] is a plan */
    SEARCH_NONE,  /* there is none, unless the world is doubtful */
    SEARCH_LATER  /* the nodes are spent; goes on with the next call */
} search_answer;

/* Begins a search by the world's measure and order. */
search_answer plan_search_begin(search_world *world, int64_t target);
search_answer plan_search_more(search_world *world, uint64_t nodes);

/* --- exact.c ----------------------------------------------------------------
 */

/* The best plan so far, and what is known. */
typedef struct plan_standing {
    uint64_t *offset; /* by item */
    uint64_t peak;
    uint64_t bound;
    uint64_t capacity; /* nothing below is wanted */
} plan_standing;

/* Proven, or it fits, or it cannot. */
static inline bool plan_is_answered(const plan_standing *standing)
{
    return standing->peak <= standing->bound ||
           standing->peak <= standing->capacity ||
           (standing->capacity != 0 && standing->bound > standing->capacity);
}

typedef struct plan_exact {
    const berth_problem *problem;
    plan_classes classes;
    plan_trim trim;
    search_world world;
    berth_span *hull;   /* by root */
    uint32_t *order;    /* roots of classes with bytes, by birth */
    uint32_t *class_of; /* scratch */
    uint32_t count;
    uint32_t from; /* order[from..end): the part that is searched */
    uint32_t end;
    bool in_part;
    bool in_search;
    uint32_t attempt; /* in this part */
    uint32_t doubts;
    uint64_t target;
    uint64_t search_end; /* nodes of the world when this search is given up */
} plan_exact;

/* It points into itself: it stays where it was taken. Of any effort but ROWS.
 */
bool plan_exact_need(const berth_problem *problem, berth_effort effort,
                     size_t *bytes);
void plan_exact_take(plan_exact *exact, const berth_problem *problem,
                     berth_effort effort, berth_work *work);

/* Searches on for so many nodes. True: over; the standing is answered, or this
 * search has nothing to add to it. */
bool plan_exact_more(plan_exact *exact, plan_standing *standing,
                     uint64_t nodes);

#endif

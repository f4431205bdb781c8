/* berth/plan.h: packs items that live for a time into one block of bytes.
 *
 * Nothing here knows of tensors: a problem is a list of items, written by
 * hand, read from a CSV, or made by lifetime.h. Time is counted in steps,
 * intervals are half-open, sizes are bytes.
 *
 *     berth_span spans[] = {{0, 2}, {1, 3}};
 *     berth_item items[] = {{.size = 64, .align = 16, .fixed = BERTH_NOWHERE,
 *                            .first_span = 0, .span_count = 1, .regions = 1},
 *                           {.size = 40, .align = 8, .fixed = BERTH_NOWHERE,
 *                            .first_span = 1, .span_count = 1, .regions = 1}};
 *     berth_problem p = {.items = items, .item_count = 2, .spans = spans,
 *                        .span_count = 2, .step_count = 3};
 *     uint64_t offset[2];
 *     berth_plan plan = {.offset = offset};
 *     berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST};
 *     berth_plan_bytes(&p, &options, &need, &diag);
 *     berth_work work = berth_work_of(malloc(need), need);
 *     berth_plan_solve(&p, &options, work, &plan, &diag);
 *     berth_plan_check(&p, &plan, work, &diag);
 *
 * The problem is dynamic storage allocation (Garey & Johnson SR2) with extras:
 * several spans per item, links that weaken the no-overlap rule for a pair,
 * ties that fix a distance, and regions. Everything is deterministic: integers
 * only, stable orders, effort counted in nodes. */
#ifndef BERTH_PLAN_H
#define BERTH_PLAN_H

#include "berth/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Live in the steps born, born + 1, ..., dead - 1. */
typedef struct berth_span {
    uint32_t born;
    uint32_t dead; /* > born */
} berth_span;

enum {
    BERTH_ITEM_INPUT = 1u << 0,   /* the caller writes it before step 0 */
    BERTH_ITEM_OUTPUT = 1u << 1,  /* the caller reads it after the last step */
    BERTH_ITEM_SCRATCH = 1u << 2, /* temporary bytes of one operator */
    BERTH_ITEM_PINNED = 1u << 3   /* never shares bytes, whatever its spans,
                                     but with those it is tied to */
};

typedef struct berth_item {
    uint64_t size;       /* bytes; 0 is allowed and meets nobody */
    uint64_t fixed;      /* the offset it must have, a multiple of align, or
                            BERTH_NOWHERE */
    uint32_t align;      /* power of two */
    uint32_t first_span; /* its spans, ascending, not touching */
    uint32_t span_count; /* >= 1 */
    uint32_t regions;    /* mask of regions it may lie in */
    uint32_t flags;      /* BERTH_ITEM_* */
} berth_item;

/* While both live, offset[b] - offset[a] must not lie in the open interval
 * (lo, hi); without a link that is (-size[b], size[a]). A link may only be
 * smaller, and only where the spans of a and b meet in the steps of one
 * operator. lo >= hi: they may overlap freely there. */
typedef struct berth_link {
    uint32_t a; /* a < b; links ascend by (a, b), one for a pair */
    uint32_t b;
    int64_t lo;
    int64_t hi;
} berth_link;

/* offset[b] = offset[a] + delta: a class of tied items is one rigid shape,
 * whose members may overlap. An item is `b` of at most one tie; no circles. */
typedef struct berth_tie {
    uint32_t a; /* the owner */
    uint32_t b; /* ties ascend by b */
    int64_t delta;
} berth_tie;

typedef struct berth_region {
    uint64_t capacity;  /* bytes, or BERTH_NOWHERE */
    uint32_t align;     /* every offset in it is a multiple */
    uint32_t read_cost; /* per byte read, any unit */
    uint32_t write_cost;
} berth_region;

typedef struct berth_problem {
    const berth_item *items;
    const berth_span *spans;
    const berth_link *links;
    const berth_tie *ties;
    const berth_region *regions; /* NULL and count 0: one, without limit */
    const uint32_t *step_op; /* operator of each step; NULL: one step each */
    uint32_t item_count;
    uint32_t span_count;
    uint32_t link_count;
    uint32_t tie_count;
    uint32_t region_count;
    uint32_t step_count;
} berth_problem;

/* The ways to plan. Rows that end in _FIRST and _BEST take items in an order
 * and place each in the first, or in the tightest, gap that holds it. */
#define BERTH_STRATEGY_TABLE(X)                                                \
    X(BEST, "best", "all orders below, a climb, exact search")                 \
    X(NONE, "none", "no reuse at all: every item has bytes of its own")        \
    X(ONLINE, "online", "in order of birth, lowest free address, as malloc")   \
    X(TFLITE, "tflite", "TensorFlow Lite's planner, to the byte")              \
    X(TFLM, "tflm", "TFLM's GreedyMemoryPlanner, to the byte")                 \
    X(SIZE_FIRST, "size-first", "largest first, first fit")                    \
    X(SIZE_BEST, "size-best", "largest first, best fit")                       \
    X(AREA_FIRST, "area-first", "size times time, first fit")                  \
    X(AREA_BEST, "area-best", "size times time, best fit")                     \
    X(BIRTH_FIRST, "birth-first", "order of birth, first fit")                 \
    X(BIRTH_BEST, "birth-best", "order of birth, best fit")                    \
    X(DEATH_FIRST, "death-first", "latest death first, first fit")             \
    X(DEATH_BEST, "death-best", "latest death first, best fit")                \
    X(SPAN_FIRST, "span-first", "longest life first, first fit")               \
    X(SPAN_BEST, "span-best", "longest life first, best fit")                  \
    X(BREADTH_FIRST, "breadth-first", "fullest step first, first fit")         \
    X(BREADTH_BEST, "breadth-best", "fullest step first, best fit")            \
    X(LOAD_FIRST, "load-first", "busiest moment, then longer; first fit")      \
    X(LOAD_BEST, "load-best", "busiest moment, then longer; best fit")

typedef enum berth_strategy {
#define BERTH_STRATEGY_ENUM(name, text, help) BERTH_STRATEGY_##name,
    BERTH_STRATEGY_TABLE(BERTH_STRATEGY_ENUM)
#undef BERTH_STRATEGY_ENUM
        BERTH_STRATEGY_COUNT
} berth_strategy;

const char *berth_strategy_name(berth_strategy strategy);
const char *berth_strategy_help(berth_strategy strategy);

typedef enum berth_proof {
    BERTH_PROOF_OPEN,  /* peak > bound: a smaller plan may exist */
    BERTH_PROOF_PROVEN /* peak = bound: no smaller plan exists */
} berth_proof;

typedef struct berth_plan {
    uint64_t *offset; /* [item_count], lent by the caller */
    uint8_t *region;  /* [item_count] or NULL where there is one region */
    uint64_t peak;    /* highest end, in bytes, of region 0 (or the only) */
    uint64_t bound;   /* no plan of this problem can have a lower peak */
    uint64_t nodes;   /* effort spent: classes placed, in all tries */
    berth_proof proof;
    berth_strategy strategy; /* the one that made it (BEST names the winner) */
} berth_plan;

/* How long BEST goes on where its orders do not meet the bound. Counted, never
 * timed; on a machine of 2020 about this long: */
typedef enum berth_effort {
    BERTH_EFFORT_LITTLE, /* a tenth of a second, what a report can afford */
    BERTH_EFFORT_FULL,   /* ten seconds */
    BERTH_EFFORT_ENDLESS, /* until it is proven: with berth_solver_more() */
    BERTH_EFFORT_ROWS /* the orders alone: no search, and no memory for one */
} berth_effort;

typedef struct berth_plan_options {
    berth_strategy strategy;
    uint64_t node_budget; /* stops after so many nodes; 0: no limit but the
                             effort */
    uint64_t capacity;    /* stops at a plan that ends there or below, or at the
                             proof that there is none; 0: the least is wanted */
    berth_effort effort;
} berth_plan_options;

/* Does the problem fit into so many bytes? Of a plan made with that capacity as
 * its option, or with none. */
typedef enum berth_fit {
    BERTH_FIT_YES,    /* this plan shows it */
    BERTH_FIT_NO,     /* no plan does: the bound is above */
    BERTH_FIT_UNKNOWN /* neither found nor refuted with the effort given */
} berth_fit;

static inline berth_fit berth_plan_fit(const berth_plan *plan,
                                       uint64_t capacity)
{
    return plan->peak <= capacity   ? BERTH_FIT_YES
           : plan->bound > capacity ? BERTH_FIT_NO
                                    : BERTH_FIT_UNKNOWN;
}

/* Refuses a malformed problem; every call below begins with it.
 * BERTH_BAD_ARG    an alignment that is no power of two, spans out of order or
 *                  past step_count, an item that may lie nowhere, a link or tie
 *                  out of range or order, a link that forbids more than the
 *                  default, a circle of ties, a fixed offset or an alignment
 *                  that contradicts a tie (diag->tensor: the item).
 * BERTH_TOO_LARGE  end to end the items would reach past 2^60 bytes.
 * BERTH_NO_SPACE   `work`, scratch; a problem without ties needs none.
 * O(n + ties log ties). */
BERTH_MUST_USE berth_status berth_problem_check(const berth_problem *problem,
                                                berth_work work,
                                                berth_diag *diag);
BERTH_MUST_USE berth_status
berth_problem_check_bytes(const berth_problem *problem, size_t *bytes);

/* What berth_plan_solve(), berth_solver_begin() and berth_plan_bound() need,
 * under 100 bytes an item of one span, and 4 a link. For BEST, unless its effort
 * is ROWS, up to 1.3 KB (LITTLE) or 2.4 KB for each of the first 1,024 items,
 * since the exact search works on so many at a time. Ask for that only where
 * ROWS ends above its bound, as berth/hosted/solve.h does. */
BERTH_MUST_USE berth_status berth_plan_bytes(const berth_problem *problem,
                                             const berth_plan_options *options,
                                             size_t *bytes, berth_diag *diag);

/* One call that begins, solves and checks. `work` is scratch.
 * BERTH_OK           plan passed berth_plan_check(); plan->proof tells whether
 *                    a smaller one may exist.
 * BERTH_NO_SPACE     `work` is too small (needed_bytes), or no plan within the
 *                    region's capacity was found (limit_bytes: capacity,
 *                    needed_bytes: what this strategy needs).
 * BERTH_UNSUPPORTED  a part of the problem this strategy cannot serve: two
 *                    regions or more; links, for the peers.
 * BERTH_UNSOUND      no plan made can be right: fixed items that collide, a
 *                    link where it is not allowed, a peer's owner that dies
 *                    before the items tied to it.
 * BERTH_BAD_ARG, BERTH_TOO_LARGE  see berth_problem_check().
 * plan->offset[] is written for all items, or not at all. An item of no bytes
 * that is neither fixed nor tied goes to 0.
 *
 * A node budget never leaves you without a plan: the first is always finished.
 *
 * TFLITE  the index of an item is the tensor's; a block that is never given
 *         back is dead at step_count, and one that is has dead < step_count.
 *         A tied item is not placed: it follows its owner, whose spans and
 *         size the problem's maker widens.
 * TFLM    sizes are rounded up to 16 while placing, as the runtime does; the
 *         peak counts the sizes given, so the problem's maker rounds too. */
BERTH_MUST_USE berth_status berth_plan_solve(const berth_problem *problem,
                                             const berth_plan_options *options,
                                             berth_work work, berth_plan *plan,
                                             berth_diag *diag);

/* The resumable form. Begin takes its state from *work and keeps it, as long as
 * the solver is used; the problem is borrowed as long. Each call of more()
 * spends up to node_budget nodes (0: until done) beyond what the first plan
 * costs and leaves the best plan so far in `plan`, with the bound and the nodes
 * so far, and *done set when nothing is left to try: the effort is spent, the
 * plan is proven, or the question of the capacity is answered. The node_budget
 * of the options is not looked at. The plan is not judged: call
 * berth_plan_check(). */
typedef struct berth_solver berth_solver;

BERTH_MUST_USE berth_status berth_solver_begin(
    const berth_problem *problem, const berth_plan_options *options,
    berth_work *work, berth_solver **solver, berth_diag *diag);
BERTH_MUST_USE berth_status berth_solver_more(berth_solver *solver,
                                              uint64_t node_budget,
                                              berth_plan *plan, bool *done,
                                              berth_diag *diag);

/* The live bound of the problem: the largest, over the steps, weight of a set
 * of live blocks no two of which may overlap; never under the end of a fixed
 * item. *step: where (BERTH_NONE: nothing has bytes). With several regions
 * only items that must lie in region 0 count. O(n log n) for each distinct
 * alignment. `work`: berth_plan_bytes() of any strategy. Definition:
 * ARCHITECTURE.md, "bound".
 */
BERTH_MUST_USE berth_status berth_plan_bound(const berth_problem *problem,
                                             berth_work work, uint64_t *bound,
                                             uint32_t *step, berth_diag *diag);

/* The first judge. Shares no code with the solvers: ranges, alignment, fixed
 * offsets, regions and capacities, ties, every pair that lives at one time,
 * whether each link was allowed, and the peak that the plan claims.
 * BERTH_UNSOUND: diag->tensor, diag->other are items, diag->step where.
 * plan->region may be NULL where there is at most one region.
 * `work`: berth_plan_check_bytes(). O(n log n + pairs that meet). */
BERTH_MUST_USE berth_status berth_plan_check(const berth_problem *problem,
                                             const berth_plan *plan,
                                             berth_work work, berth_diag *diag);
BERTH_MUST_USE berth_status berth_plan_check_bytes(const berth_problem *problem,
                                                   size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif

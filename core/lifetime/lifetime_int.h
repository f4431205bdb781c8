/* lifetime_int.h: a planning problem while it is being made.
 *
 * The order of work, a file each:
 *
 *   lifetime_idle.c   operators that have nothing to do at run time
 *   lifetime_class.c  what each tensor is to the arena; items
 *   lifetime_tie.c    views, and operands handed to a callee
 *   lifetime_span.c   when each item lives
 *   lifetime_part.c   parts that are made in their whole, or stay in it
 *   lifetime_lag.c    and how much longer, for readers that lag behind
 *   lifetime_link.c   who may write over whom
 *   lifetime_state.c  bytes that live between invocations
 *
 * Invariants
 *   L1  A step that is idle reads and writes no item.
 *   L2  Spans of an item ascend and do not touch; every read of an item lies
 *       inside a span that a write has begun.
 *   L3  A tied item is written by moves and views from its owner only, and the
 *       owner is not written anew while the tied item is read; or it is a part
 *       that dies where its owner is born, or is born where that dies.
 *   L4  A link joins two items whose spans meet in steps of one operator and
 *       kind only, in each of which `a` dies and `b` is born, or the reverse.
 */
#ifndef BERTH_LIFETIME_INT_H
#define BERTH_LIFETIME_INT_H

#include "berth/lifetime.h"
#include "berth/rows.h"

enum {
    LIFETIME_READ = 1u << 0,    /* some step reads it, or the caller does */
    LIFETIME_KEPT = 1u << 1,    /* lives on to the end */
    LIFETIME_PINNED = 1u << 2,  /* shares its bytes with nobody */
    LIFETIME_FOLDS = 1u << 3,   /* may be folded: nobody needs its bytes */
    LIFETIME_DECODES = 1u << 4, /* a decoded constant that nobody moves */
    LIFETIME_NAMED = 1u << 5    /* handles joined to it have a name already */
};

/* What an operator is to the schedule. */
enum {
    LIFETIME_OP_AWAY = 0, /* no step runs it */
    LIFETIME_OP_IDLE,     /* steps may name it; nothing to do */
    LIFETIME_OP_RUNS
};

/* The span being walked; end 0: none. */
typedef struct lifetime_run {
    uint32_t born;
    uint32_t end;
} lifetime_run;

/* A step, and the end of a life that ends before it. */
typedef struct lifetime_tick {
    uint32_t region_first; /* of the outermost loop or branch around the step */
    uint32_t region_end;
    uint32_t jump;    /* the last one from which the life goes on; or NONE */
    uint32_t settled; /* where it ends if it has seen that jump */
} lifetime_tick;

/* An item in a class of tied ones, for those who tie more of them. */
typedef struct lifetime_rigid {
    uint32_t up;   /* towards the root, which is its own */
    uint32_t dead; /* root: of the class; BERTH_NONE: it must not be tied on */
    int64_t shift; /* from up */
    int64_t low;   /* root: ends of the class, from the root's own begin */
    int64_t high;
    int64_t wish; /* root, within a step: where a join would have it */
} lifetime_rigid;

/* Upper bounds of the arrays' lengths, from one look at everything. */
typedef struct lifetime_sizes {
    size_t items;
    size_t spans;
    size_t links;
    size_t ties;
    size_t steps;
    size_t handles; /* VAR_HANDLE operators */
    size_t ticks;   /* 0 without a lag */
    size_t rigid;   /* items, if anything joins or splits; else 0 */
    size_t state;   /* tensors, if the model has any state; else 0 */
} lifetime_sizes;

typedef struct lifetime_draft {
    const berth_graph *graph;
    const berth_shapes *shapes;
    const berth_schedule *schedule;
    const berth_lifetime_options *options;
    berth_diag *diag;
    uint32_t align;
    uint32_t step_count; /* at least 1: inputs live somewhere */

    /* What becomes the result. */
    berth_item *items;
    berth_span *spans;
    berth_link *links;
    berth_tie *ties;
    uint32_t *step_op;
    uint32_t *tensor_of_item;
    uint32_t *op_of_item;
    uint32_t *item_of_tensor;
    uint8_t *class_of_tensor;
    uint64_t *state_of_tensor; /* NULL: the model has no state */
    uint64_t once_offset;
    uint32_t item_count;
    uint32_t span_count;
    uint32_t link_count;
    uint32_t tie_count;
    uint32_t scratch_count; /* the last items */
    uint32_t dynamic_count;
    uint64_t state_bytes;
    uint64_t model_state_bytes;

    /* Scratch. */
    uint8_t *marks;        /* by tensor: LIFETIME_* */
    uint8_t *op_state;     /* by op: LIFETIME_OP_* */
    uint32_t *source;      /* by tensor: where its bytes come from */
    lifetime_run *runs;    /* by item; for links: a step, and uses there */
    lifetime_tick *ticks;  /* by step, and one behind the last */
    lifetime_rigid *rigid; /* by item; NULL: no parts */
    uint64_t *load;        /* by step, if there are parts: bytes alive */
    uint32_t *handle_op;   /* VAR_HANDLE operators */
    uint32_t *handle_up;   /* by tensor: union-find, only where handles exist */
    uint64_t *handle_bytes; /* by tensor */
} lifetime_draft;

static inline bool lifetime_is_idle(const lifetime_draft *d,
                                    const berth_step *step)
{
    return step->kind == BERTH_STEP_OP &&
           d->op_state[step->op] == LIFETIME_OP_IDLE;
}

static inline uint32_t lifetime_item(const lifetime_draft *d, uint32_t tensor)
{
    return tensor == BERTH_NONE ? BERTH_NONE : d->item_of_tensor[tensor];
}

static inline bool lifetime_in_main(const lifetime_draft *d, uint32_t tensor)
{
    return d->graph->tensors[tensor].subgraph == d->schedule->subgraph;
}

/* Inputs and outputs of the subgraph that runs. */
static inline uint32_t lifetime_input_count(const lifetime_draft *d)
{
    return d->graph->subgraphs[d->schedule->subgraph].input_count;
}

static inline const uint32_t *lifetime_inputs(const lifetime_draft *d)
{
    return berth_graph_subgraph_inputs(d->graph, d->schedule->subgraph);
}

static inline uint32_t lifetime_output_count(const lifetime_draft *d)
{
    return d->graph->subgraphs[d->schedule->subgraph].output_count;
}

static inline const uint32_t *lifetime_outputs(const lifetime_draft *d)
{
    return berth_graph_subgraph_outputs(d->graph, d->schedule->subgraph);
}

/* Moves that hand the caller's tensors to a callee which only reads them: the
 * inputs of a plain call, of a branch, of a condition. What ENTER of a loop
 * hands over is written anew by BACK. */
static inline bool lifetime_hands_over(const berth_step *step)
{
    return step->kind == BERTH_STEP_COND || step->kind == BERTH_STEP_THEN ||
           step->kind == BERTH_STEP_ELSE ||
           (step->kind == BERTH_STEP_ENTER && step->partner == BERTH_NONE);
}

/* How many links free the newborn of step 0 from inputs that nobody reads; 0
 * where they would be too many to be worth it. */
uint32_t lifetime_unread_links(const berth_graph *graph,
                               const berth_schedule *schedule);

/* The item of an operator's scratch, or BERTH_NONE. */
uint32_t lifetime_scratch_of(const lifetime_draft *d, uint32_t op);

void lifetime_find_idle(lifetime_draft *d);
berth_status lifetime_classify(lifetime_draft *d);
void lifetime_tie_views(lifetime_draft *d);
/* `room`: spans that the array holds. */
berth_status lifetime_walk_spans(lifetime_draft *d, size_t room);
void lifetime_tie_parts(lifetime_draft *d);
void lifetime_add_lag(lifetime_draft *d);
void lifetime_link_steps(lifetime_draft *d);
berth_status lifetime_count_state(lifetime_draft *d);

/* Heap sort of `count` things that the context knows by position. */
typedef struct lifetime_sortable {
    void *context;
    bool (*less)(const void *context, uint32_t i, uint32_t j);
    void (*swap)(void *context, uint32_t i, uint32_t j);
} lifetime_sortable;

void lifetime_sort(const lifetime_sortable *things, uint32_t count);

#endif

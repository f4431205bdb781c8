/* peer_int.h: the parts of the other runtimes' imitation.
 *
 *   peer.c         lent memory, the order of the stages
 *   peer_walk.c    a model in the order in which a runtime walks it
 *   tflm_file.c    TFLM: sizes of elements, offline offsets; for micro too
 *   peer_tflm.c    TFLM: sizes, lifetimes; one arena
 *   peer_reach.c   LiteRT: which subgraphs are prepared, called in which way
 *   peer_class.c   LiteRT: where Prepare puts each tensor
 *   peer_temporaries.c  LiteRT: what its kernels ask for, in the tables of
 *                  peer_temp_product.c and peer_temp_other.c
 *   peer_kept.c    LiteRT: the persistent arena
 *   peer_share.c   LiteRT: who shares whose bytes, lifetimes; an arena each
 *   peer_calls.c   LiteRT: what its calls themselves lose
 *   peer_arena.c   items of one arena: plan, first judge
 *   peer_steps.c   the runtime's own schedule, for the second judge
 *
 * Invariants
 *   R1  Operators go in the file's order: both runtimes run it as it stands.
 *   R2  Times of a problem are a runtime's own, shifted so that they begin at
 *       0; both ends of its closed intervals become half-open ones here.
 *   R3  An arena's items are listed in the order in which the runtime breaks
 *       ties: TFLM's by tensor, LiteRT's see peer_share.c. */
#ifndef BERTH_PEER_INT_H
#define BERTH_PEER_INT_H

#include "base/base_int.h"
#include "berth/peer.h"
#include "berth/prove.h"

/* What a tensor is to a runtime's arena. */
typedef enum peer_place {
    PEER_ELSEWHERE, /* constant, state, dropped, never touched */
    PEER_PLANNED,   /* has an item */
    PEER_SHARED,    /* has the bytes of another: peer->shares */
    PEER_BOUND      /* an input that is its caller's tensor */
} peer_place;

/* Of every block in LiteRT's arena. */
#define PEER_LITERT_ALIGN 64u

typedef struct peer_life {
    uint32_t born;
    uint32_t dead;
} peer_life;

/* "Not yet", and LiteRT's "never". */
#define PEER_UNSET UINT32_MAX

typedef struct peer_frame {
    uint32_t subgraph;
    uint32_t op;     /* the next one, or the one that calls */
    uint32_t callee; /* the next callee of `op`, while calling */
    bool calling;
    uint32_t enter; /* steps of the loop that `op` is */
    uint32_t test;
} peer_frame;

/* Blocks of a persistent arena: each at the end of those before, in the order
 * of peer_kept.c, so all that matters is the sum and which one is the last. */
typedef struct peer_kept {
    uint64_t padded;   /* sum of sizes, each rounded up */
    uint64_t least;    /* smallest block but the standing ones; 0: none */
    uint64_t standing; /* standing block of the highest tensor */
} peer_kept;

/* Everything that a peer's stages share. Arrays are by global tensor unless
 * another index is named. */
typedef struct peer_state {
    const berth_graph *graph;
    const berth_shapes *shapes; /* as berth sees them */
    uint32_t subgraph;
    berth_peer peer;
    bool temporaries; /* LiteRT: with those of its kernels */
    berth_diag *diag;

    berth_shape *of; /* shapes of the judge: bytes as the peer counts them */
    uint8_t *place;  /* peer_place */
    uint32_t *shares;
    peer_life *life;
    uint64_t *fixed; /* offline offset or BERTH_NOWHERE */
    uint64_t *address;
    uint32_t *refs;  /* LiteRT: references before sharing */
    uint32_t *left;  /* LiteRT: references not yet met */
    uint8_t *memory; /* LiteRT: berth_litert_class */

    uint32_t prepared; /* LiteRT: operators of the subgraph at hand that
                          AllocateTensors plans for */

    uint32_t stopped_op;  /* LiteRT: global op at which Prepare stopped */
    uint32_t unlisted_op; /* LiteRT: the first with temporaries not known */

    uint8_t *roles;  /* by subgraph: peer_role */
    uint32_t *queue; /* by order of discovery: subgraphs */
    uint32_t queue_count;
    berth_litert_operand *operands; /* as many as the widest operator reads */

    berth_item *items;
    berth_span *spans;
    uint32_t *tensor_of;
    uint64_t *offset;
    uint32_t item_count;

    peer_frame *frames; /* as many as subgraphs */
    berth_step *steps;
    uint32_t step_most;
    uint32_t step_count;

    peer_kept kept; /* LiteRT: persistent arena of the subgraph at hand */

    berth_work work; /* for what the stages need of others */

    /* The sum so far. */
    uint64_t peak;
    uint64_t bound;
    uint64_t persistent;
    uint64_t end; /* of the last arena's addresses, padding included */
    uint32_t arenas;
} peer_state;

/* Fills the diag with a place in the graph (global numbers). */
berth_status peer_refuse(const peer_state *peer, berth_status status,
                         uint32_t op, uint32_t tensor, const char *what);

/* --- peer_walk.c ------------------------------------------------------------
 */

/* One after the other: ENTER root; for each operator OP, or CALL with ENTER
 * and LEAVE for each of its callees, then RETURN; LEAVE root; END. */
typedef enum peer_event_kind {
    PEER_EVENT_OP,
    PEER_EVENT_CALL,
    PEER_EVENT_ENTER,
    PEER_EVENT_LEAVE,
    PEER_EVENT_RETURN,
    PEER_EVENT_END
} peer_event_kind;

typedef struct peer_event {
    peer_event_kind kind;
    uint32_t op;       /* the operator, or the calling one; NONE for the root */
    uint32_t callee;   /* ENTER, LEAVE: which of its callees */
    uint32_t subgraph; /* ENTER, LEAVE */
    peer_frame *frame; /* that of `op`, NULL for the root */
} peer_event;

typedef struct peer_walk {
    const berth_graph *graph;
    berth_peer peer;
    peer_frame *frames;
    uint32_t depth;
    bool started;
    uint32_t root;
} peer_walk;

peer_walk peer_walk_from(const peer_state *peer);
peer_event peer_walk_next(peer_walk *walk);

/* Does the runtime walk into the callees of this operator? */
bool peer_follows(const berth_graph *graph, berth_peer peer, uint32_t op);

/* --- the runtimes ------------------------------------------------------------
 */

typedef enum peer_role {
    PEER_ROLE_SEEN = 1u << 0,
    PEER_ROLE_DROPS = 1u << 1, /* unread inputs take no bytes */
    PEER_ROLE_BOUND = 1u << 2  /* inputs are the caller's tensors */
} peer_role;

berth_status peer_plan_tflm(peer_state *peer);

void peer_reach_litert(peer_state *peer);
berth_status peer_class_litert(peer_state *peer, uint32_t subgraph);
berth_status peer_plan_litert(peer_state *peer);

/* peer_calls.c: UNSOUND where a call loses bytes, whatever the plan. */
berth_status peer_check_calls_litert(peer_state *peer);

/* LiteRT drops the output i of a WHILE that hands an input through for nobody
 * to read. */
bool peer_drops_output(const berth_graph *graph, uint32_t op, uint32_t i);

/* Solves the items gathered, judges the plan unless offsets are fixed, writes
 * the addresses, adds to the sums, and empties the list. align: of the arena's
 * start, a power of two. */
berth_status peer_arena_close(peer_state *peer, berth_strategy strategy,
                              uint32_t step_count, uint32_t align);
void peer_arena_add(peer_state *peer, uint32_t tensor, uint64_t size,
                    uint32_t align, peer_life life);

/* A temporary of LiteRT's kernels: it has no address that anyone asks for. */
void peer_arena_add_scratch(peer_state *peer, uint64_t size, peer_life life);

/* A block of the persistent arena; standing: there from the beginning to the
 * end, handed in by ascending tensor. */
void peer_keep(peer_state *peer, uint64_t bytes, bool standing);

/* The tensors of the subgraph that are kept, the temporaries being in already;
 * the arena is added to the sum. */
berth_status peer_kept_close(peer_state *peer, uint32_t subgraph);

/* Most temporaries that the operators can ask for; those of one operator, at
 * the time `now`. */
uint32_t peer_temporaries_most(const berth_graph *graph);
void peer_add_temporaries(peer_state *peer, uint32_t op, uint32_t now);

/* What berth_plan_*() may take for so many items of one span each. */
bool peer_arena_need(size_t *total, uint32_t items);

berth_status peer_steps_make(peer_state *peer);

#endif

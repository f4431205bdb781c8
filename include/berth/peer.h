/* berth/peer.h: the planning problems that other runtimes set themselves.
 *
 * LiteRT (TensorFlow Lite) plans each subgraph in an arena of its own, keeps
 * graph inputs, outputs and unread tensors to the end, and shares bytes by a
 * rule of its own. TFLM plans all subgraphs together on one counter. Both are
 * imitated to the byte, after LiteRT's arena_planner.cc and TFLM's
 * greedy_memory_planner.cc and micro_allocation_info.cc as of August 2026.
 *
 * A peer's problem is solved with BERTH_STRATEGY_TFLITE or _TFLM and judged on
 * the peer's own schedule. */
#ifndef BERTH_PEER_H
#define BERTH_PEER_H

#include "berth/lifetime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_peer {
    BERTH_PEER_LITERT,
    BERTH_PEER_TFLM,
    BERTH_PEER_LITERT_KERNELS, /* LiteRT with the temporaries of its optimised
                                  built-in kernels, one thread, no XNNPACK */
    BERTH_PEER_COUNT
} berth_peer;

/* What a peer does with a model. Figures but `persistent` are of activations
 * alone: no kernel scratch, no metadata, no variables. LiteRT's is that of
 * AllocateTensors: the subgraph and all that it reaches through IF, WHILE, CASE
 * and COMPOSITE, an arena each, without temporaries; where a RESHAPE takes a
 * shape that another operator computes, the operators up to there. TFLM's is
 * the head. */
typedef struct berth_peer_plan {
    uint64_t peak;       /* bytes, all arenas together */
    uint64_t bound;      /* sum of the bounds of the problems solved */
    uint64_t persistent; /* LiteRT: its persistent arenas: variables, decoded
                            constants, resource handles; of LITERT_KERNELS also
                            what kernels keep (row sums, transposed weights) */
    uint64_t *address;   /* [tensor_count] lent by the caller: where each tensor
                            lies, the arenas end to end; BERTH_NOWHERE: in none,
                            as an input that is its caller's tensor (LiteRT) */
    uint32_t arena_count;
    uint32_t stopped_op;  /* LiteRT: the operator (global) that hides a shape
                             until the model runs: the figures cover those up to
                             it, and grow in Invoke. BERTH_NONE: all */
    uint32_t unlisted_op; /* LITERT_KERNELS: the first operator with temporaries
                             that are not known and not counted (global) */
    bool file_shapes;     /* TFLM: it believes shapes of the file that are not
                             those the tensors will have */
    berth_proof proof;
    bool sound;         /* berth_prove() agrees, on the peer's schedule */
    berth_diag unsound; /* where not, which op and tensors */
} berth_peer_plan;

BERTH_MUST_USE berth_status berth_peer_bytes(const berth_graph *graph,
                                             const berth_shapes *shapes,
                                             uint32_t subgraph, berth_peer peer,
                                             size_t *bytes, berth_diag *diag);

/* Lifetimes, plan, both judges (only the second where the model brings TFLM
 * offsets of its own, which may overlap by design). `work` is scratch. `plan`
 * and its addresses are written at the end or not at all. An unsound plan is
 * still BERTH_OK: it is what the runtime does.
 *
 * BERTH_UNBOUNDED    the peer has no number: a tensor is dynamic, or of a type
 *                    that has no size there (diag: op, tensor; global numbers).
 * BERTH_UNSUPPORTED  a call that disagrees with its subgraph; offline offsets
 *                    that TFLM refuses.
 * BERTH_TOO_MANY_STEPS, BERTH_TOO_LARGE, BERTH_NO_SPACE, BERTH_BAD_ARG.
 * O(steps + n log n + pairs that meet). */
BERTH_MUST_USE berth_status berth_peer_solve(
    const berth_graph *graph, const berth_shapes *shapes, uint32_t subgraph,
    berth_peer peer, berth_work work, berth_peer_plan *plan, berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

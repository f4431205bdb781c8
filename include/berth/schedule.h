/* berth/schedule.h: the steps in which a signature runs, subgraph calls
 * flattened into one list.
 *
 * A plain model has one step per operator, in execution order. Calls add steps
 * of their own, which move values between caller and callee:
 *
 *   WHILE   ENTER  op inputs -> body inputs b
 *           COND   b -> cond inputs (nothing to do where they are tied to b)
 *           ...    steps of cond
 *           TEST   reads cond's output
 *           ...    steps of body
 *           BACK   body outputs -> b, all at once
 *           EXIT   b -> op outputs
 *   IF      TEST   reads the condition
 *           THEN   op inputs -> inputs of then;  its steps;  EXIT
 *           ELSE   op inputs -> inputs of else;  its steps;  EXIT
 *           (STABLEHLO_CASE: an ELSE for each branch but the first)
 *   CALL_ONCE, CALL, STABLEHLO_COMPOSITE
 *           ENTER;  steps of the callee;  EXIT
 *
 * In a move, reads[i] goes to writes[i]. Graph inputs are written by the
 * caller before step 0; graph outputs are read after the last step.
 *
 * Other runtimes move values otherwise, so a schedule has a flavour; a peer's
 * plan is judged on the peer's own schedule (peer.h). */
#ifndef BERTH_SCHEDULE_H
#define BERTH_SCHEDULE_H

#include "berth/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_STEP_TABLE(X)                                                    \
    X(OP, "op")                                                                \
    X(ENTER, "enter")                                                          \
    X(COND, "cond")                                                            \
    X(TEST, "test")                                                            \
    X(BACK, "back")                                                            \
    X(EXIT, "exit")                                                            \
    X(THEN, "then")                                                            \
    X(ELSE, "else")

typedef enum berth_step_kind {
#define BERTH_STEP_ENUM(name, text) BERTH_STEP_##name,
    BERTH_STEP_TABLE(BERTH_STEP_ENUM)
#undef BERTH_STEP_ENUM
        BERTH_STEP_KIND_COUNT
} berth_step_kind;

const char *berth_step_name(berth_step_kind kind);

#define BERTH_STEPS_MAX (1u << 24)

typedef struct berth_step {
    const uint32_t *reads;  /* global tensors; BERTH_NONE where absent */
    const uint32_t *writes; /* for moves as many as reads */
    uint32_t read_count;
    uint32_t write_count;
    uint32_t op;      /* the operator, or the calling one for other kinds */
    uint32_t partner; /* loop ENTER <-> BACK; loop TEST -> EXIT; IF's TEST ->
                         its first ELSE; THEN -> its EXIT; ELSE -> its EXIT;
                         else BERTH_NONE (so for ENTER of a plain call) */
    uint8_t kind;     /* berth_step_kind */
} berth_step;

typedef struct berth_schedule {
    const berth_step *steps;
    uint32_t step_count;
    uint32_t subgraph; /* the one that runs */
    uint32_t op_step_count; /* steps of kind OP */
} berth_schedule;

/* Steps of the flattened schedule, counted without flattening; saturates. */
uint64_t berth_schedule_count(const berth_graph *graph, uint32_t subgraph);

BERTH_MUST_USE berth_status berth_schedule_bytes(const berth_graph *graph,
                                                 uint32_t subgraph,
                                                 size_t *bytes,
                                                 berth_diag *diag);

/* The graph is borrowed: steps point into it. `schedule` is written at the end
 * or not at all.
 *
 * BERTH_TOO_MANY_STEPS  more than BERTH_STEPS_MAX, told at once, without
 *                       flattening (diag: step is the count, saturating).
 * BERTH_UNSUPPORTED     a call whose counts of inputs and outputs do not fit
 *                       the callee's, a callee that lists an input twice, a
 *                       loop whose condition calls its body (diag: subgraph,
 *                       op).
 * BERTH_NO_SPACE        diag->needed_bytes.
 * Linear in the number of steps; no recursion. */
BERTH_MUST_USE berth_status berth_schedule_init(const berth_graph *graph,
                                                uint32_t subgraph,
                                                berth_work *work,
                                                berth_schedule *schedule,
                                                berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

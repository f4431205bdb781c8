/* berth/hosted/session.h: a path in, a ready engine out.
 *
 *     berth_port port = berth_port_of_libc();
 *     berth_session session;
 *     berth_load_error error;
 *     if (berth_session_load(&port, "model.tflite", &session, &error) ==
 *             BERTH_OK &&
 *         berth_session_prepare(&session, NULL, &error) == BERTH_OK) {
 *         ... session.engine
 *     }
 *     berth_session_close(&session);
 *
 * The port is asked once for each block: the file's index, the stages, the
 * plan, and then the engine's region, state and books, in exactly the bytes
 * that berth_engine_bytes() names. Both judges pass the plan before. */
#ifndef BERTH_HOSTED_SESSION_H
#define BERTH_HOSTED_SESSION_H

#include "berth/engine.h"
#include "berth/hosted/load.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is the default of each field. */
typedef struct berth_session_options {
    berth_stage_options stage;
    berth_plan_options plan;
    const uint64_t *offset;       /* by item: this plan, found elsewhere */
    const berth_kernels *kernels; /* NULL: berth_kernels_opt() */
    berth_profile profile;
    uint32_t flags;      /* BERTH_ENGINE_* */
    bool has_lend; /* lend so many bytes for the region, not what it needs */
    uint64_t lend_bytes;
} berth_session_options;

typedef struct berth_session {
    berth_port *port;
    berth_loaded loaded;
    berth_staged staged;
    berth_plan plan;
    berth_engine_need need;
    berth_engine_memory memory;
    berth_engine *engine;
    berth_block offset_block;
    berth_block region_block;
    berth_block state_block;
    berth_block books_block;
    uint64_t plan_ns;    /* solving and judging */
    uint64_t prepare_ns; /* berth_engine_prepare() alone */
} berth_session;

BERTH_MUST_USE berth_status berth_session_load(berth_port *port,
                                               const char *path,
                                               berth_session *session,
                                               berth_load_error *error);

/* Once for a session that is loaded. On failure the session is still to be
 * closed; what was made before (need, staged) can be looked at. error->stage:
 * PLAN for the solver and the judges, ENGINE for what comes after. */
BERTH_MUST_USE berth_status berth_session_prepare(
    berth_session *session, const berth_session_options *options,
    berth_load_error *error);
void berth_session_close(berth_session *session);

#ifdef __cplusplus
}
#endif
#endif

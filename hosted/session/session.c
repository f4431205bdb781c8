/* Every stage from a path to an engine. */
#include "berth/hosted/session.h"

#include "berth/hosted/solve.h"

#include <errno.h>
#include <string.h>

static berth_status fail(berth_load_error *error, berth_load_stage stage,
                         berth_status status)
{
    error->stage = stage;
    error->status = status;
    return status;
}

static berth_status take(berth_session *session, uint64_t bytes,
                         berth_block *block, berth_load_stage stage,
                         berth_load_error *error)
{
    if (bytes <= SIZE_MAX &&
        berth_block_take(session->port, (size_t)bytes, block)) {
        return BERTH_OK;
    }
    error->os_error = ENOMEM;
    error->diag = berth_diag_none();
    error->diag.what = "the system has no memory for it";
    error->diag.needed_bytes = bytes;
    return fail(error, stage, BERTH_NO_SPACE);
}

berth_status berth_session_load(berth_port *port, const char *path,
                                berth_session *session, berth_load_error *error)
{
    *session = (berth_session){.port = port};
    return berth_load(port, path, &session->loaded, error);
}

/* --- plan -------------------------------------------------------------------
 */

static berth_status find_plan(berth_session *session,
                              const berth_session_options *options,
                              berth_diag *diag)
{
    const berth_problem *problem = &session->staged.lifetimes.problem;
    if (options->offset == NULL) {
        BERTH_TRY(berth_solve(session->port, problem, &options->plan,
                              &session->plan, diag));
    } else {
        memcpy(session->plan.offset, options->offset,
               problem->item_count * sizeof(*options->offset));
        BERTH_TRY(berth_judge(session->port, problem, &session->plan, diag));
    }
    return berth_prove_staged(&session->staged, &session->staged.lifetimes,
                              session->plan.offset, diag);
}

static berth_status make_plan(berth_session *session,
                              const berth_session_options *options,
                              berth_load_error *error)
{
    const uint32_t items = session->staged.lifetimes.problem.item_count;
    BERTH_TRY(take(session, ((uint64_t)items + 1u) * sizeof(uint64_t),
                   &session->offset_block, BERTH_LOAD_PLAN, error));
    session->plan = (berth_plan){.offset = session->offset_block.memory};
    const uint64_t began = berth_port_now_ns();
    const berth_status status = find_plan(session, options, &error->diag);
    session->plan_ns = berth_port_now_ns() - began;
    return status == BERTH_OK ? status : fail(error, BERTH_LOAD_PLAN, status);
}

/* --- engine -----------------------------------------------------------------
 */

static berth_status lend(berth_session *session, uint64_t bytes,
                         berth_block *block, berth_engine_block *lent,
                         berth_load_error *error)
{
    if (bytes == 0) {
        return BERTH_OK;
    }
    /* The port aligns to 16; what is above that is taken besides. */
    const uint64_t align = session->need.align;
    BERTH_TRY(
        take(session, bytes + (align - 16u), block, BERTH_LOAD_ENGINE, error));
    const size_t by =
        (size_t)(-(uintptr_t)block->memory & (uintptr_t)(align - 1u));
    *lent = (berth_engine_block){(uint8_t *)block->memory + by, (size_t)bytes};
    return BERTH_OK;
}

static berth_status lend_all(berth_session *session, uint64_t region_bytes,
                             berth_load_error *error)
{
    BERTH_TRY(lend(session, region_bytes, &session->region_block,
                   &session->memory.regions[0], error));
    BERTH_TRY(lend(session, session->need.state_bytes, &session->state_block,
                   &session->memory.state, error));
    return lend(session, session->need.books_bytes, &session->books_block,
                &session->memory.books, error);
}

static berth_status make_engine(berth_session *session,
                                const berth_session_options *options,
                                berth_load_error *error)
{
    const berth_engine_source source = {.graph = &session->loaded.graph,
                                        .shapes = &session->staged.shapes,
                                        .schedule = &session->staged.schedule,
                                        .lifetimes = &session->staged.lifetimes,
                                        .plan = &session->plan,
                                        .kernels = options->kernels == NULL
                                                       ? berth_kernels_opt()
                                                       : options->kernels,
                                        .profile = options->profile,
                                        .flags = options->flags};
    berth_status status =
        berth_engine_bytes(&source, &session->need, &error->diag);
    if (status != BERTH_OK) {
        return fail(error, BERTH_LOAD_ENGINE, status);
    }
    BERTH_TRY(lend_all(session,
                       options->has_lend ? options->lend_bytes
                                         : session->need.region_bytes[0],
                       error));
    const uint64_t began = berth_port_now_ns();
    status = berth_engine_prepare(&source, &session->memory, &session->engine,
                                  &error->diag);
    session->prepare_ns = berth_port_now_ns() - began;
    return status == BERTH_OK ? status : fail(error, BERTH_LOAD_ENGINE, status);
}

berth_status berth_session_prepare(berth_session *session,
                                   const berth_session_options *options,
                                   berth_load_error *error)
{
    static const berth_session_options usual = {
        .plan = {.strategy = BERTH_STRATEGY_BEST}};
    options = options == NULL ? &usual : options;
    *error = (berth_load_error){.diag = berth_diag_none()};
    BERTH_TRY(berth_stage(&session->loaded, &options->stage, &session->staged,
                          error));
    BERTH_TRY(make_plan(session, options, error));
    return make_engine(session, options, error);
}

void berth_session_close(berth_session *session)
{
    if (session->port == NULL) {
        return;
    }
    berth_block_give(session->port, &session->books_block);
    berth_block_give(session->port, &session->state_block);
    berth_block_give(session->port, &session->region_block);
    berth_block_give(session->port, &session->offset_block);
    berth_unstage(&session->staged);
    berth_unload(&session->loaded);
    *session = (berth_session){0};
}

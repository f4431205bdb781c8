/* Runs the steps. Nothing is decided here that prepare could decide: what a
 * step does, where its operands lie, in which order bytes move. */
#include "engine_busy.h"
#include "engine_int.h"

#include <string.h>

typedef struct run_state {
    berth_engine *engine;
    const berth_run_options *options;
    berth_diag *diag;
} run_state;

/* --- operators ---------------------------------------------------------- */

/* Rows of one operator, shared out in `parts` ranges. */
typedef struct run_share {
    const berth_kernel *kernel;
    const berth_node *node;
    uint32_t parts;
    uint32_t status; /* of one that failed */
} run_share;

static uint32_t share_begin(const run_share *share, uint32_t i)
{
    return (uint32_t)((uint64_t)share->node->row_count * i / share->parts);
}

static void run_part(void *task, uint32_t i)
{
    run_share *share = task;
    const berth_status status = share->kernel->rows(
        share->node, share_begin(share, i), share_begin(share, i + 1u));
    if (status != BERTH_OK) {
        __atomic_store_n(&share->status, (uint32_t)status, __ATOMIC_RELAXED);
    }
}

static berth_status run_all_rows(const run_state *r, const engine_step *step,
                                 const berth_node *node)
{
    const berth_run_options *options = r->options;
    const uint32_t rows = node->row_count;
    run_share share = {step->kernel, node, 1u, BERTH_OK};
    if (rows == 0) {
        return BERTH_OK; /* no element to make */
    }
    if (!step->independent || options->share == NULL || options->parts < 2u ||
        rows < 2u) {
        return step->kernel->rows(node, 0, rows);
    }
    share.parts = options->parts < rows ? options->parts : rows;
    options->share(options->sharer, share.parts, run_part, &share);
    return (berth_status)__atomic_load_n(&share.status, __ATOMIC_RELAXED);
}

static berth_status run_phases(const run_state *r, const engine_step *step,
                               const berth_node *node)
{
    const berth_kernel *kernel = step->kernel;
    if (kernel->begin != NULL) {
        BERTH_TRY(kernel->begin(node));
    }
    BERTH_TRY(run_all_rows(r, step, node));
    return kernel->end != NULL ? kernel->end(node) : BERTH_OK;
}

static void fill_diag(const run_state *r, const engine_step *step,
                      const char *what)
{
    if (r->diag != NULL) {
        *r->diag = berth_diag_none();
        r->diag->what = what != NULL ? what : "";
        r->diag->subgraph = step->subgraph;
        r->diag->op = step->op;
        r->diag->step = step->step;
    }
}

static berth_status run_op(const run_state *r, const engine_step *step)
{
    const berth_run_options *options = r->options;
    berth_operator op;
    berth_node node;
    engine_lay_node(r->engine, step, &op, &node);
    const berth_engine_event event = {
        .step = step->step,
        .subgraph = step->subgraph,
        .op = step->op,
        .code = op.code,
        .node = &node,
    };
    if (options->before != NULL) {
        options->before(options->watcher, &event);
    }
    const berth_status status = run_phases(r, step, &node);
    if (status != BERTH_OK) {
        fill_diag(r, step, step->kernel->data_error);
        return status;
    }
    if (options->after != NULL) {
        options->after(options->watcher, &event);
    }
    return BERTH_OK;
}

/* --- what the engine does itself ---------------------------------------- */

/* Two places of one size change their bytes, which fit no register. */
static void swap_bytes(uint8_t *a, uint8_t *b, uint64_t bytes)
{
    uint8_t held[64];
    for (uint64_t at = 0; at < bytes; at += sizeof(held)) {
        const size_t n =
            bytes - at < sizeof(held) ? (size_t)(bytes - at) : sizeof(held);
        memcpy(held, a + at, n);
        memcpy(a + at, b + at, n);
        memcpy(b + at, held, n);
    }
}

/* A handle has no size: as many bytes go as the other side has. */
static void move_pair_of(const berth_engine *engine, const engine_slot *pair)
{
    const engine_span from = engine_slot_span(engine, &pair[0]);
    const engine_span to = engine_slot_span(engine, &pair[1]);
    const uint64_t bytes = to.bytes != 0 ? to.bytes : from.bytes;
    if (bytes == 0 || from.at == to.at) {
        return;
    }
    if ((pair[1].rows & ENGINE_SWAP) != 0) {
        swap_bytes(to.at, from.at, bytes);
    } else {
        memmove(to.at, from.at, (size_t)bytes);
    }
}

static void tell_move(const run_state *r, const engine_step *step,
                      berth_engine_watch *watch)
{
    if (watch != NULL) {
        const berth_engine_event event = {
            .step = step->step,
            .subgraph = step->subgraph,
            .op = step->op,
            .code =
                berth_model_operator(r->engine->model, step->subgraph, step->op)
                    .code,
        };
        watch(r->options->watcher, &event);
    }
}

static void run_moves(const run_state *r, const engine_step *step)
{
    const berth_engine *engine = r->engine;
    tell_move(r, step, r->options->before);
    for (uint32_t i = 0; i < step->count; ++i) {
        move_pair_of(engine, &engine->slots[step->first_slot + 2u * i]);
    }
    tell_move(r, step, r->options->after);
}

static uint8_t *once_flag(const berth_engine *engine, const engine_step *step)
{
    return engine_base(&engine->memory.state, engine->flags) +
           (size_t)engine->once_offset + step->count;
}

static bool holds_true(const berth_engine *engine, const engine_step *step)
{
    return *engine_slot_span(engine, &engine->slots[step->first_slot]).at != 0;
}

/* --- the walk ----------------------------------------------------------- */

/* Where to go on. */
static uint32_t pass_step(const run_state *r, uint32_t i)
{
    const berth_engine *engine = r->engine;
    const engine_step *step = &engine->steps[i];
    switch (step->kind) {
    case ENGINE_STEP_MOVE:
        run_moves(r, step);
        return i + 1u;
    case ENGINE_STEP_JUMP:
        return step->target;
    case ENGINE_STEP_TEST:
        return holds_true(engine, step) ? i + 1u : step->target;
    case ENGINE_STEP_ONCE:
        return *once_flag(engine, step) != 0 ? step->target : i + 1u;
    default: /* ENGINE_STEP_DONE */
        *once_flag(engine, step) = 1u;
        return i + 1u;
    }
}

static berth_status run_steps(const run_state *r)
{
    berth_engine *engine = r->engine;
    uint32_t i = 0;
    while (i < engine->step_count) {
        const engine_step *step = &engine->steps[i];
        if (__atomic_load_n(&engine->cancelled, __ATOMIC_RELAXED) != 0) {
            fill_diag(r, step, "the run was cancelled");
            return BERTH_CANCELLED;
        }
        if (step->kind == ENGINE_STEP_OP) {
            BERTH_TRY(run_op(r, step));
            ++i;
        } else {
            i = pass_step(r, i);
        }
    }
    return BERTH_OK;
}

/* --- around it ---------------------------------------------------------- */

static berth_status check_bound(const berth_engine *engine, berth_diag *diag)
{
    const uint32_t count = engine->input_count + engine->output_count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t ref = engine->io[i];
        if (engine_ref_kind(ref) == ENGINE_REF_RECORD &&
            engine->records[engine_ref_index(ref)].data == NULL) {
            return berth_refuse(diag, BERTH_BAD_ARG,
                                "an input or output that is not bound");
        }
    }
    return BERTH_OK;
}

/* Shapes were found for these values, and hold for no other. */
static berth_status check_known(const berth_engine *engine, berth_diag *diag)
{
    for (uint32_t i = 0; i < engine->known_count; ++i) {
        const engine_known *known = &engine->known[i];
        const uint32_t ref = engine->io[known->input];
        if (engine_ref_kind(ref) == ENGINE_REF_RECORD &&
            memcmp(engine->records[engine_ref_index(ref)].data, known->value,
                   known->bytes) != 0) {
            return berth_refuse(diag, BERTH_BAD_DATA,
                                "an input of another value than the one that "
                                "shapes were found for");
        }
    }
    return BERTH_OK;
}

static berth_status check_guards(const berth_engine *engine, berth_diag *diag)
{
    bool stand = engine_guards_stand(&engine->memory.state) &&
                 engine_guards_stand(&engine->memory.books);
    for (uint32_t r = 0; r < BERTH_REGIONS_MAX; ++r) {
        stand = stand && engine_guards_stand(&engine->memory.regions[r]);
    }
    return stand ? BERTH_OK
                 : berth_refuse(diag, BERTH_UNSOUND,
                                "a guard around a block was written over");
}

static berth_status run_guarded(const run_state *r)
{
    berth_engine *engine = r->engine;
    const bool guarded = (engine->flags & BERTH_ENGINE_CANARIES) != 0;
    if (engine->stale != 0) {
        return berth_refuse(r->diag, BERTH_STALE,
                            "a shape was changed; call berth_engine_replan()");
    }
    BERTH_TRY(check_bound(engine, r->diag));
    BERTH_TRY(check_known(engine, r->diag));
    for (uint32_t i = 0; guarded && i < BERTH_REGIONS_MAX; ++i) {
        engine_set_guards(&engine->memory.regions[i]);
    }
    const berth_status status = run_steps(r);
    return guarded && status == BERTH_OK ? check_guards(engine, r->diag)
                                         : status;
}

berth_status berth_engine_run(berth_engine *engine,
                              const berth_run_options *options,
                              berth_diag *diag)
{
    static const berth_run_options defaults = {0};
    const run_state r = {engine, options != NULL ? options : &defaults, diag};
    BERTH_TRY(engine_enter(engine, diag));
    const berth_status status = run_guarded(&r);
    if (status == BERTH_CANCELLED) {
        __atomic_store_n(&engine->cancelled, 0u, __ATOMIC_RELAXED);
    }
    return engine_leave(engine, status);
}

void berth_engine_cancel(berth_engine *engine)
{
    __atomic_store_n(&engine->cancelled, 1u, __ATOMIC_RELAXED);
}

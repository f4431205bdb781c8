/* Property: any model is refused with a status, or runs inside of its blocks
 * and gives the same bits whatever its memory held before. The first byte
 * chooses kernels, flags and lifetimes; what does not look like a .tflite file
 * is the recipe of a strange model. Models that would run long are left out. */
#include "engine_rig.h"
#include "strange_model.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA_MOST = 1 << 14, STEPS_MOST = 200, EVENTS_MOST = 400 };

enum {
    WISH_OPT = 1u << 0,
    WISH_TFLM = 1u << 1,
    WISH_GUARDS = 1u << 2,
    WISH_NONE = 1u << 3, /* no reuse */
    WISH_KEEP = 1u << 4, /* no views, nothing in place */
    WISH_HOLD = 1u << 5
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Loops may be endless. */
typedef struct patience {
    berth_engine *engine;
    uint32_t events;
} patience;

static void lose_patience(void *self, const berth_engine_event *event)
{
    patience *p = self;
    (void)event;
    if (++p->events == EVENTS_MOST) {
        berth_engine_cancel(p->engine);
    }
}

/* Memory of the caller, which holds inputs and outputs; NULL: none is held. */
static void bind_all(engine_rig *e, fence *held)
{
    const uint32_t inputs = berth_engine_input_count(e->engine);
    const uint32_t all = inputs + berth_engine_output_count(e->engine);
    for (uint32_t i = 0; held != NULL && i < all; ++i) {
        const berth_io io = i < inputs ? engine_rig_input(e, i)
                                       : engine_rig_output(e, i - inputs);
        held[i] = (fence){0};
        if (io.data != NULL || io.bytes == 0) {
            continue;
        }
        held[i] = fence_open((size_t)io.bytes, 16, e->wishes.fill);
        const berth_status status =
            i < inputs
                ? berth_engine_bind_input(e->engine, i, held[i].at,
                                          held[i].bytes, NULL)
                : berth_engine_bind_output(e->engine, i - inputs, held[i].at,
                                           held[i].bytes, NULL);
        expect(status == BERTH_OK);
    }
}

static void close_all(const engine_rig *e, fence *held)
{
    const uint32_t all = berth_engine_input_count(e->engine) +
                         berth_engine_output_count(e->engine);
    for (uint32_t i = 0; held != NULL && i < all; ++i) {
        expect(fence_stands(&held[i]));
        fence_close(&held[i]);
    }
    free(held);
}

static uint64_t sum_outputs(const engine_rig *e)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < berth_engine_output_count(e->engine); ++i) {
        const berth_io io = engine_rig_output(e, i);
        for (uint64_t k = 0; k < io.bytes; ++k) {
            sum = (sum ^ io.data[k]) * UINT64_C(0x100000001b3);
        }
    }
    return sum;
}

/* Twice on one engine, so that state and dead bytes of the first run are there
 * in the second. */
static berth_status run_model(engine_rig *e, bool hold, uint64_t *sum)
{
    const size_t io = (size_t)berth_engine_input_count(e->engine) +
                      berth_engine_output_count(e->engine);
    fence *held = hold ? calloc(io + 1u, sizeof(*held)) : NULL;
    berth_status status = BERTH_OK;
    bind_all(e, held);
    for (uint32_t run = 0; run < 2 && status == BERTH_OK; ++run) {
        patience p = {e->engine, 0};
        const berth_run_options options = {.before = lose_patience,
                                           .watcher = &p};
        engine_rig_feed(e, run);
        status = berth_engine_run(e->engine, &options, &e->diag);
        *sum = status == BERTH_OK ? sum_outputs(e) : 0;
    }
    expect(status == BERTH_OK || status == BERTH_BAD_DATA ||
           status == BERTH_CANCELLED);
    expect(engine_rig_stands(e));
    close_all(e, held);
    return status;
}

static bool is_small(const engine_rig *e)
{
    for (uint32_t t = 0; t < e->graph.tensor_count; ++t) {
        if (e->shapes.of[t].state == BERTH_SHAPE_STATIC &&
            e->shapes.of[t].bytes > ARENA_MOST) {
            return false; /* it may be held by the caller */
        }
    }
    return e->need.region_bytes[0] <= ARENA_MOST &&
           e->need.state_bytes <= ARENA_MOST &&
           e->schedule.step_count <= STEPS_MOST;
}

/* The status of the run; what is not run is BERTH_UNSUPPORTED. */
static berth_status try_model(berth_bytes file, uint8_t wish, uint8_t fill,
                              uint64_t *sum)
{
    const engine_wishes wishes = {
        .kernels =
            (wish & WISH_OPT) != 0 ? berth_kernels_opt() : berth_kernels_ref(),
        .profile =
            (wish & WISH_TFLM) != 0 ? BERTH_PROFILE_TFLM : BERTH_PROFILE_LITERT,
        .flags = (wish & WISH_GUARDS) != 0 ? BERTH_ENGINE_CANARIES : 0u,
        .lifetimes = {.no_views = (wish & WISH_KEEP) != 0,
                      .no_inplace = (wish & WISH_KEEP) != 0,
                      .hold_inputs = (wish & WISH_HOLD) != 0,
                      .hold_outputs = (wish & WISH_HOLD) != 0},
        .strategy = (wish & WISH_NONE) != 0 ? BERTH_STRATEGY_NONE
                                            : BERTH_STRATEGY_SIZE_BEST,
        .fill = fill,
    };
    engine_rig *e = engine_rig_new(file, &wishes);
    berth_status status = BERTH_UNSUPPORTED;
    *sum = 0;
    if (engine_rig_stage(e) && is_small(e)) {
        engine_rig_lend(e);
        status =
            berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag);
        expect(status != BERTH_INTERNAL && status != BERTH_NO_SPACE &&
               status != BERTH_MISALIGNED && status != BERTH_UNSOUND);
        expect(engine_rig_stands(e));
        if (status == BERTH_OK) {
            status = run_model(e, (wish & WISH_HOLD) != 0, sum);
        }
    }
    engine_rig_free(e);
    return status;
}

static void try_both_fills(berth_bytes file, uint8_t wish)
{
    uint64_t zeros = 0;
    uint64_t ones = 0;
    const berth_status a = try_model(file, wish, 0x00, &zeros);
    const berth_status b = try_model(file, wish, 0xff, &ones);
    expect(a == b && zeros == ones);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 9 && memcmp(data + 5, "TFL3", 4) == 0) {
        uint8_t *file = malloc(size - 1); /* aligned, and ends where it ends */
        expect(file != NULL);
        memcpy(file, data + 1, size - 1);
        try_both_fills((berth_bytes){file, size - 1}, data[0]);
        free(file);
    } else if (size > 0) {
        mb *builder = mb_new();
        try_both_fills(strange_model(builder, data + 1, size - 1), data[0]);
        mb_free(builder);
    }
    return 0;
}

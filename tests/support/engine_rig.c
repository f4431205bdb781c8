/* From the bytes of a model to an engine. */
#include "engine_rig.h"

#include <stdlib.h>
#include <string.h>

/* --- stages --------------------------------------------------------------- */

engine_rig *engine_rig_new(berth_bytes file, const engine_wishes *wishes)
{
    engine_rig *e = calloc(1, sizeof(*e));
    if (e == NULL) {
        abort();
    }
    e->file = file;
    e->wishes = *wishes;
    e->diag = berth_diag_none();
    return e;
}

static berth_work take(engine_rig *e, size_t bytes)
{
    void *block = NULL;
    if (posix_memalign(&block, 16, bytes + 1u) != 0 ||
        e->block_count == sizeof(e->blocks) / sizeof(e->blocks[0])) {
        abort();
    }
    e->blocks[e->block_count++] = block;
    return berth_work_of(block, bytes);
}

static berth_status stage_shapes(engine_rig *e)
{
    size_t need = 0;
    const berth_shape_options options = {
        e->wishes.subgraph, e->wishes.overrides, e->wishes.override_count};
    BERTH_TRY(berth_model_bytes(e->file, &need, &e->diag));
    berth_work work = take(e, need);
    BERTH_TRY(berth_model_init(e->file, &work, &e->model, &e->diag));
    BERTH_TRY(berth_graph_bytes(e->model, &need, &e->diag));
    work = take(e, need);
    BERTH_TRY(berth_graph_init(e->model, &work, &e->graph, &e->diag));
    BERTH_TRY(berth_shapes_bytes(&e->graph, &options, &need, &e->diag));
    work = take(e, need);
    return berth_shapes_init(&e->graph, &options, &work, &e->shapes, &e->diag);
}

static berth_status stage_lifetimes(engine_rig *e)
{
    size_t need = 0;
    BERTH_TRY(
        berth_schedule_bytes(&e->graph, e->wishes.subgraph, &need, &e->diag));
    berth_work work = take(e, need);
    BERTH_TRY(berth_schedule_init(&e->graph, e->wishes.subgraph, &work,
                                  &e->schedule, &e->diag));
    BERTH_TRY(berth_lifetimes_bytes(&e->graph, &e->shapes, &e->schedule,
                                    &e->wishes.lifetimes, &need, &e->diag));
    work = take(e, need);
    return berth_lifetimes_init(&e->graph, &e->shapes, &e->schedule,
                                &e->wishes.lifetimes, &work, &e->lifetimes,
                                &e->diag);
}

/* Effort is counted: a test of the engine needs a plan, not the least one. */
static berth_status stage_plan(engine_rig *e)
{
    const berth_problem *problem = &e->lifetimes.problem;
    const berth_plan_options options = {.strategy = e->wishes.strategy,
                                        .node_budget = 2000};
    size_t need = 0;
    size_t judge = 0;
    BERTH_TRY(berth_plan_bytes(problem, &options, &need, &e->diag));
    BERTH_TRY(berth_plan_check_bytes(problem, &judge));
    berth_work work = take(e, need > judge ? need : judge);
    e->plan.offset = (void *)take(e, problem->item_count * 8u).next;
    BERTH_TRY(berth_plan_solve(problem, &options, work, &e->plan, &e->diag));
    return berth_plan_check(problem, &e->plan, work, &e->diag);
}

static berth_status stage_proof(engine_rig *e)
{
    size_t need = 0;
    BERTH_TRY(berth_prove_bytes(&e->graph, &e->schedule, &need, &e->diag));
    void *memory = malloc(need + 16u);
    uint64_t *address = calloc(e->graph.tensor_count + 1u, sizeof(*address));
    for (uint32_t t = 0; t < e->graph.tensor_count; ++t) {
        const uint32_t item = e->lifetimes.item_of_tensor[t];
        address[t] = item == BERTH_NONE ? BERTH_NOWHERE : e->plan.offset[item];
    }
    const berth_status status =
        berth_prove(&e->graph, &e->shapes, &e->schedule, address,
                    berth_work_of(memory, need), &e->diag);
    free(address);
    free(memory);
    return status;
}

static berth_status stage_all(engine_rig *e)
{
    BERTH_TRY(stage_shapes(e));
    BERTH_TRY(stage_lifetimes(e));
    BERTH_TRY(stage_plan(e));
    BERTH_TRY(stage_proof(e));
    e->source = (berth_engine_source){
        .graph = &e->graph,
        .shapes = &e->shapes,
        .schedule = &e->schedule,
        .lifetimes = &e->lifetimes,
        .plan = &e->plan,
        .kernels =
            e->wishes.kernels != NULL ? e->wishes.kernels : berth_kernels_ref(),
        .profile = e->wishes.profile,
        .flags = e->wishes.flags,
    };
    return berth_engine_bytes(&e->source, &e->need, &e->diag);
}

bool engine_rig_stage(engine_rig *e)
{
    e->status = stage_all(e);
    return e->status == BERTH_OK;
}

/* --- memory --------------------------------------------------------------- */

static berth_engine_block lend(fence *f, uint64_t bytes, const engine_rig *e)
{
    *f = fence_open((size_t)bytes, e->need.align, e->wishes.fill);
    return (berth_engine_block){f->at, f->bytes};
}

void engine_rig_lend(engine_rig *e)
{
    for (uint32_t r = 0; r < e->need.region_count; ++r) {
        e->memory.regions[r] = lend(&e->regions[r], e->need.region_bytes[r], e);
    }
    e->memory.state = lend(&e->state, e->need.state_bytes, e);
    e->memory.books = lend(&e->books, e->need.books_bytes, e);
}

void engine_rig_take_back(engine_rig *e)
{
    for (uint32_t r = 0; r < BERTH_REGIONS_MAX; ++r) {
        fence_close(&e->regions[r]);
    }
    fence_close(&e->state);
    fence_close(&e->books);
    e->memory = (berth_engine_memory){0};
}

engine_rig *engine_rig_open(berth_bytes file, const engine_wishes *wishes,
                            berth_status *status, berth_diag *diag)
{
    engine_rig *e = engine_rig_new(file, wishes);
    if (engine_rig_stage(e)) {
        engine_rig_lend(e);
        e->status =
            berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag);
    }
    *status = e->status;
    *diag = e->diag;
    if (e->status != BERTH_OK) {
        engine_rig_free(e);
        return NULL;
    }
    return e;
}

void engine_rig_free(engine_rig *e)
{
    engine_rig_take_back(e);
    for (uint32_t i = 0; i < e->block_count; ++i) {
        free(e->blocks[i]);
    }
    free(e);
}

bool engine_rig_stands(const engine_rig *e)
{
    bool stands = fence_stands(&e->state) && fence_stands(&e->books);
    for (uint32_t r = 0; r < BERTH_REGIONS_MAX; ++r) {
        stands = stands && fence_stands(&e->regions[r]);
    }
    return stands;
}

/* --- inputs and outputs --------------------------------------------------- */

berth_io engine_rig_input(const engine_rig *e, uint32_t i)
{
    berth_io io = {0};
    if (berth_engine_input(e->engine, i, &io) != BERTH_OK) {
        abort();
    }
    return io;
}

berth_io engine_rig_output(const engine_rig *e, uint32_t i)
{
    berth_io io = {0};
    if (berth_engine_output(e->engine, i, &io) != BERTH_OK) {
        abort();
    }
    return io;
}

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void put_element(uint8_t *at, berth_type type, uint64_t r)
{
    const float real = (float)(int32_t)(r >> 40) * 0x1p-23f - 1.0f;
    const double real64 = (double)real;
    const uint64_t whole = r >> 61;
    if (type == BERTH_FLOAT32) {
        memcpy(at, &real, sizeof(real));
    } else if (type == BERTH_FLOAT64) {
        memcpy(at, &real64, sizeof(real64));
    } else if (type == BERTH_BOOL) {
        *at = (uint8_t)(r & 1u);
    } else if (berth_type_bits(type) >= 32u) {
        memcpy(at, &whole, berth_type_bits(type) / 8u);
    } else {
        memcpy(at, &r, berth_type_bits(type) / 8u);
    }
}

/* Of types that are packed, or wider than 8 bytes, any bytes will do. */
void engine_rig_fill(uint8_t *data, berth_type type, uint64_t bytes,
                     uint64_t seed)
{
    const uint64_t bits = berth_type_bits(type);
    const bool plain = bits >= 8u && bits <= 64u;
    const uint64_t width = plain ? bits / 8u : 1u;
    for (uint64_t at = 0; at < bytes; at += width) {
        put_element(data + at, plain ? type : BERTH_UINT8, next_random(&seed));
    }
}

void engine_rig_feed(const engine_rig *e, uint64_t seed)
{
    for (uint32_t i = 0; i < berth_engine_input_count(e->engine); ++i) {
        const berth_io io = engine_rig_input(e, i);
        if (io.data != NULL && !io.constant) {
            engine_rig_fill(io.data, io.type, io.bytes, seed + i);
        }
    }
}

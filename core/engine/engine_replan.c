/* Other shapes: all stages anew, in region 0, whose bytes are dead between
 * runs.
 *
 * Nothing of the engine changes until all has succeeded: the new books are
 * written behind the stages first, kernels' checks and all, and only then, when
 * nothing can fail any more, in the place of the old ones. */
#include "berth/prove.h"
#include "engine_busy.h"
#include "engine_int.h"

#include <string.h>

/* What the stages leave, too large for a stack. */
typedef struct replan_stages {
    berth_graph graph;
    berth_shapes shapes;
    berth_schedule schedule;
    berth_lifetimes lifetimes;
    berth_plan plan;
    uint64_t *address; /* by tensor */
    berth_shape_override *overrides;
    uint32_t override_count;
} replan_stages;

typedef struct replan {
    berth_engine *engine;
    const berth_replan_options *options;
    replan_stages *stages;
    berth_work work;
    berth_diag *diag;
} replan;

/* --- how much ----------------------------------------------------------- */

static bool add_need(size_t *total, size_t bytes)
{
    return berth_work_need(total, bytes, 1u, 1u);
}

static void raise_to(size_t *most, size_t bytes)
{
    *most = bytes > *most ? bytes : *most;
}

/* The largest of what is used one after the other, behind what is kept. */
static berth_status need_in_turn(const berth_engine_source *source,
                                 uint64_t books_bytes, size_t *most,
                                 berth_diag *diag)
{
    const berth_problem *problem = &source->lifetimes->problem;
    size_t bytes = 0;
    BERTH_TRY(berth_plan_bytes(problem, NULL, most, diag));
    BERTH_TRY(berth_plan_check_bytes(problem, &bytes));
    raise_to(most, bytes);
    BERTH_TRY(berth_prove_bytes(source->graph, source->schedule, &bytes, diag));
    if (!BERTH_NEED(&bytes, uint64_t, source->graph->tensor_count)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "replanning");
    }
    raise_to(most, bytes);
    if (books_bytes > SIZE_MAX - ENGINE_GRAIN) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "replanning");
    }
    raise_to(most, (size_t)books_bytes + ENGINE_GRAIN);
    return BERTH_OK;
}

berth_status engine_replan_bytes(const berth_engine_source *source,
                                 berth_engine_need *need, berth_diag *diag)
{
    const berth_graph *graph = source->graph;
    const berth_shape_options shape_options = {.subgraph =
                                                   source->schedule->subgraph};
    const uint32_t inputs =
        graph->subgraphs[shape_options.subgraph].input_count;
    size_t sizes[5] = {0};
    size_t total = 0;
    BERTH_TRY(berth_graph_bytes(graph->model, &sizes[0], diag));
    BERTH_TRY(berth_shapes_bytes(graph, &shape_options, &sizes[1], diag));
    BERTH_TRY(
        berth_schedule_bytes(graph, shape_options.subgraph, &sizes[2], diag));
    BERTH_TRY(berth_lifetimes_bytes(graph, source->shapes, source->schedule,
                                    NULL, &sizes[3], diag));
    BERTH_TRY(need_in_turn(source, need->books_bytes, &sizes[4], diag));
    bool fits =
        BERTH_NEED(&total, replan_stages, 1u) &&
        BERTH_NEED(&total, berth_shape_override, inputs) &&
        BERTH_NEED(&total, uint64_t, source->lifetimes->problem.item_count);
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        fits = fits && add_need(&total, sizes[i]);
    }
    need->replan_bytes = total;
    return fits ? BERTH_OK : berth_refuse(diag, BERTH_TOO_LARGE, "replanning");
}

/* --- stages ------------------------------------------------------------- */

static berth_status no_room(const replan *r, size_t needed)
{
    const berth_engine_block *arena = &r->engine->memory.regions[0];
    const size_t left = berth_work_room(&r->work);
    (void)berth_refuse(r->diag, BERTH_NO_SPACE, "the arena, for replanning");
    if (r->diag != NULL) {
        r->diag->limit_bytes = arena->bytes;
        r->diag->needed_bytes =
            (uint64_t)arena->bytes + (needed > left ? needed - left : 1u);
    }
    return BERTH_NO_SPACE;
}

/* A wish that is what the file says is none. */
static bool is_other(const replan *r, uint32_t input, uint32_t tensor)
{
    const engine_wish *wish = &r->engine->wishes[input];
    const berth_ivec file =
        berth_graph_tensor_info(&r->stages->graph, tensor).shape;
    bool same = file.count == wish->rank;
    for (uint32_t i = 0; same && i < file.count; ++i) {
        same = berth_ivec_at(file, i) == wish->dims[i];
    }
    return !same;
}

static void list_overrides(const replan *r)
{
    const berth_engine *engine = r->engine;
    replan_stages *stages = r->stages;
    const uint32_t *inputs =
        berth_graph_subgraph_inputs(&stages->graph, engine->subgraph);
    for (uint32_t i = 0; i < engine->input_count; ++i) {
        if (inputs[i] != BERTH_NONE && is_other(r, i, inputs[i])) {
            stages->overrides[stages->override_count++] =
                (berth_shape_override){.tensor = inputs[i],
                                       .rank = engine->wishes[i].rank,
                                       .dims = engine->wishes[i].dims};
        }
    }
}

static berth_status make_graph(replan *r)
{
    size_t need = 0;
    r->stages = BERTH_TAKE(&r->work, replan_stages, 1u);
    if (r->stages == NULL) {
        return no_room(r, sizeof(replan_stages));
    }
    memset(r->stages, 0, sizeof(*r->stages));
    r->stages->overrides =
        BERTH_TAKE(&r->work, berth_shape_override, r->engine->input_count);
    BERTH_TRY(berth_graph_bytes(r->engine->model, &need, r->diag));
    if (r->stages->overrides == NULL || berth_work_room(&r->work) < need) {
        return no_room(r, need);
    }
    BERTH_TRY(berth_graph_init(r->engine->model, &r->work, &r->stages->graph,
                               r->diag));
    list_overrides(r);
    return BERTH_OK;
}

static berth_status make_shapes(replan *r)
{
    replan_stages *s = r->stages;
    const uint32_t main = r->engine->subgraph;
    const berth_shape_options options = {
        .subgraph = main,
        .overrides = s->overrides,
        .override_count = s->override_count,
    };
    size_t need = 0;
    BERTH_TRY(berth_shapes_bytes(&s->graph, &options, &need, r->diag));
    if (berth_work_room(&r->work) < need) {
        return no_room(r, need);
    }
    BERTH_TRY(
        berth_shapes_init(&s->graph, &options, &r->work, &s->shapes, r->diag));
    BERTH_TRY(berth_schedule_bytes(&s->graph, main, &need, r->diag));
    if (berth_work_room(&r->work) < need) {
        return no_room(r, need);
    }
    return berth_schedule_init(&s->graph, main, &r->work, &s->schedule,
                               r->diag);
}

static berth_status make_lifetimes(replan *r)
{
    replan_stages *s = r->stages;
    const berth_lifetime_options *options = r->options->lifetimes;
    size_t need = 0;
    BERTH_TRY(berth_lifetimes_bytes(&s->graph, &s->shapes, &s->schedule,
                                    options, &need, r->diag));
    if (berth_work_room(&r->work) < need) {
        return no_room(r, need);
    }
    return berth_lifetimes_init(&s->graph, &s->shapes, &s->schedule, options,
                                &r->work, &s->lifetimes, r->diag);
}

static berth_status make_plan(replan *r)
{
    replan_stages *s = r->stages;
    const berth_problem *problem = &s->lifetimes.problem;
    size_t need = 0;
    BERTH_TRY(berth_plan_bytes(problem, r->options->plan, &need, r->diag));
    s->plan.offset = BERTH_TAKE(&r->work, uint64_t, problem->item_count);
    if (s->plan.offset == NULL || berth_work_room(&r->work) < need) {
        return no_room(r, need);
    }
    BERTH_TRY(berth_plan_solve(problem, r->options->plan, r->work, &s->plan,
                               r->diag));
    BERTH_TRY(berth_plan_check_bytes(problem, &need));
    if (berth_work_room(&r->work) < need) {
        return no_room(r, need);
    }
    return berth_plan_check(problem, &s->plan, r->work, r->diag);
}

static berth_status prove_plan(replan *r)
{
    replan_stages *s = r->stages;
    berth_work work = r->work;
    size_t need = 0;
    uint64_t *address = BERTH_TAKE(&work, uint64_t, s->graph.tensor_count);
    BERTH_TRY(berth_prove_bytes(&s->graph, &s->schedule, &need, r->diag));
    if (address == NULL || berth_work_room(&work) < need) {
        return no_room(r, need);
    }
    for (uint32_t t = 0; t < s->graph.tensor_count; ++t) {
        const uint32_t item = s->lifetimes.item_of_tensor[t];
        address[t] = item == BERTH_NONE ? BERTH_NOWHERE : s->plan.offset[item];
    }
    return berth_prove(&s->graph, &s->shapes, &s->schedule, address, work,
                       r->diag);
}

/* --- the engine --------------------------------------------------------- */

/* The new books, behind the stages: whatever can fail fails here. */
static berth_status rehearse(const replan *r, berth_engine_source *source)
{
    berth_engine_memory memory = r->engine->memory;
    berth_engine_need need;
    berth_engine *rehearsed = NULL;
    berth_work work = r->work;
    BERTH_TRY(berth_engine_bytes(source, &need, r->diag));
    BERTH_TRY(engine_check_blocks(&need, &memory, r->diag));
    memory.books.bytes = (size_t)need.books_bytes;
    memory.books.at =
        berth_work_take(&work, memory.books.bytes, 1u, need.align);
    if (memory.books.at == NULL) {
        return no_room(r, memory.books.bytes + need.align);
    }
    const uint32_t flags = source->flags;
    source->flags |= BERTH_ENGINE_KEEPS_STATE;
    const berth_status status =
        engine_make(source, &memory, 0u, &rehearsed, r->diag);
    source->flags = flags;
    return status;
}

static berth_status replan_all(replan *r)
{
    berth_engine *engine = r->engine;
    BERTH_TRY(make_graph(r));
    BERTH_TRY(make_shapes(r));
    BERTH_TRY(make_lifetimes(r));
    BERTH_TRY(make_plan(r));
    BERTH_TRY(prove_plan(r));
    const replan_stages *s = r->stages;
    berth_engine_source source = {
        .graph = &s->graph,
        .shapes = &s->shapes,
        .schedule = &s->schedule,
        .lifetimes = &s->lifetimes,
        .plan = &s->plan,
        .kernels = engine->kernels,
        .profile = (berth_profile)engine->profile,
        .flags = engine->flags & ~(uint32_t)BERTH_ENGINE_KEEPS_STATE,
    };
    BERTH_TRY(rehearse(r, &source));
    if (s->lifetimes.state_bytes == engine->state_bytes) {
        source.flags |= BERTH_ENGINE_KEEPS_STATE;
    }
    const berth_engine_memory memory = engine->memory;
    return engine_make(&source, &memory, 1u, &engine, r->diag);
}

static berth_status replan_in(berth_engine *engine,
                              const berth_replan_options *options,
                              berth_diag *diag)
{
    const berth_engine_block *arena = &engine->memory.regions[0];
    replan r = {
        .engine = engine,
        .options = options,
        .work = berth_work_of(arena->at, arena->bytes),
        .diag = diag,
    };
    if ((engine->flags & BERTH_ENGINE_RESIZES) == 0) {
        return berth_refuse(diag, BERTH_BAD_ARG,
                            "prepared without BERTH_ENGINE_RESIZES");
    }
    return replan_all(&r);
}

berth_status berth_engine_replan(berth_engine *engine,
                                 const berth_replan_options *options,
                                 berth_diag *diag)
{
    static const berth_replan_options defaults = {0};
    BERTH_TRY(engine_enter(engine, diag));
    return engine_leave(
        engine, replan_in(engine, options != NULL ? options : &defaults, diag));
}

/* --- wishes ------------------------------------------------------------- */

static berth_status note_wish(berth_engine *engine, uint32_t index,
                              uint32_t rank, const int32_t *dims,
                              berth_diag *diag)
{
    if ((engine->flags & BERTH_ENGINE_RESIZES) == 0 ||
        index >= engine->input_count || rank > BERTH_RANK_MAX) {
        return berth_refuse(diag, BERTH_BAD_ARG,
                            "no such input, too many axes, or prepared "
                            "without BERTH_ENGINE_RESIZES");
    }
    for (uint32_t i = 0; i < rank; ++i) {
        if (dims[i] < 0) {
            return berth_refuse(diag, BERTH_BAD_ARG,
                                "a shape with a negative length");
        }
    }
    engine_wish *wish = &engine->wishes[index];
    wish->rank = rank;
    for (uint32_t i = 0; i < rank; ++i) {
        wish->dims[i] = dims[i];
    }
    engine->stale = 1u;
    return BERTH_OK;
}

berth_status berth_engine_resize(berth_engine *engine, uint32_t index,
                                 uint32_t rank, const int32_t *dims,
                                 berth_diag *diag)
{
    BERTH_TRY(engine_enter(engine, diag));
    return engine_leave(engine, note_wish(engine, index, rank, dims, diag));
}

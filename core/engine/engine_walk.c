/* From the stages to books: one walk that counts records, steps and slots, or,
 * once there is room for them, writes them.
 *
 * Steps of the schedule without work vanish: idle operators, moves between
 * tensors that are tied, handles. Calls become moves and jumps. A jump knows a
 * step of the schedule until the end of the walk, and then the first step of
 * the engine that is not before that one. */
#include "engine_int.h"

#include <string.h>

berth_status engine_refuse(const engine_draft *d, berth_status status,
                           uint32_t op, uint32_t tensor, const char *what)
{
    const berth_graph *graph = d->source->graph;
    if (d->engine == NULL) {
        return BERTH_OK; /* whoever only asks for sizes is not refused */
    }
    (void)berth_refuse(d->diag, status, what);
    if (d->diag != NULL) {
        const uint32_t s = op != BERTH_NONE ? graph->ops[op].subgraph
                                            : graph->tensors[tensor].subgraph;
        d->diag->subgraph = s;
        d->diag->op = op == BERTH_NONE ? BERTH_NONE : op - graph->op_base[s];
        d->diag->tensor =
            tensor == BERTH_NONE ? BERTH_NONE : tensor - graph->tensor_base[s];
    }
    return status;
}

/* --- adding ------------------------------------------------------------- */

/* Where the shape of a tensor stands: in the file if the file is right. */
static uint32_t add_shape(engine_draft *d, uint32_t tensor)
{
    const berth_shape *shape = &d->source->shapes->of[tensor];
    const uint32_t at = (uint32_t)d->at.dims;
    if ((shape->flags & BERTH_SHAPE_DIFFERS) == 0) {
        return ENGINE_SHAPE_OF_FILE;
    }
    d->at.dims += 1u + (uint64_t)shape->rank;
    if (d->engine != NULL) {
        d->engine->dims[at] = (int32_t)shape->rank;
        memcpy(&d->engine->dims[at + 1u],
               berth_shape_dims(d->source->shapes, tensor),
               shape->rank * sizeof(int32_t));
    }
    return at;
}

uint32_t engine_add_record(engine_draft *d, uint32_t tensor, uint8_t *data,
                           uint32_t flags)
{
    const uint32_t at = (uint32_t)d->at.records++;
    const uint32_t shape = (flags & ENGINE_RECORD_HANDLE) != 0
                               ? ENGINE_SHAPE_OF_FILE
                               : add_shape(d, tensor);
    if (d->engine != NULL) {
        d->engine->records[at] = (engine_record){
            .data = data,
            .tensor = tensor,
            .shape = shape & ENGINE_SHAPE_OF_FILE,
            .flags = flags & 15u,
        };
    }
    return at;
}

void engine_add_slot(engine_draft *d, uint32_t ref, uint32_t rows)
{
    const uint64_t at = d->at.slots++;
    if (d->engine != NULL) {
        d->engine->slots[at] = (engine_slot){ref, rows};
    }
}

void engine_add_step(engine_draft *d, const engine_step *step)
{
    const uint64_t at = d->at.steps++;
    if (d->engine != NULL) {
        d->engine->steps[at] = *step;
    }
}

void engine_need_bench(engine_draft *d, uint64_t bytes)
{
    d->at.bench = bytes > d->at.bench ? bytes : d->at.bench;
}

/* --- calls -------------------------------------------------------------- */

/* A step of the engine's own. */
static engine_step own_step(const engine_draft *d, uint32_t s,
                            engine_step_kind kind, uint32_t target)
{
    const berth_graph *graph = d->source->graph;
    const uint32_t op = d->source->schedule->steps[s].op;
    const uint32_t subgraph = graph->ops[op].subgraph;
    return (engine_step){
        .op = op - graph->op_base[subgraph],
        .first_slot = (uint32_t)d->at.slots,
        .step = s,
        .target = target,
        .subgraph = (uint16_t)subgraph,
        .kind = (uint8_t)kind,
    };
}

static berth_status walk_move(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    return engine_add_moves(d, s, step->reads, step->writes, step->read_count);
}

static bool is_once(const engine_draft *d, const berth_step *step)
{
    return d->source->graph->ops[step->op].code == BERTH_OP_CALL_ONCE;
}

/* ONCE steps whose DONE is still to come are a stack, linked by their targets.
 */
static berth_status walk_enter(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    if (is_once(d, step)) {
        engine_step once = own_step(d, s, ENGINE_STEP_ONCE, d->once);
        once.count = berth_graph_callees(d->source->graph, step->op)[0];
        d->once = (uint32_t)d->at.steps;
        engine_add_step(d, &once);
    }
    return walk_move(d, s);
}

static berth_status walk_exit(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    BERTH_TRY(walk_move(d, s));
    if (is_once(d, step)) {
        engine_step done = own_step(d, s, ENGINE_STEP_DONE, 0);
        done.count = berth_graph_callees(d->source->graph, step->op)[0];
        engine_add_step(d, &done);
        if (d->engine != NULL) {
            engine_step *once = &d->engine->steps[d->once];
            d->once = once->target;
            once->target = s + 1u;
        }
    }
    return BERTH_OK;
}

static berth_status walk_test(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    const engine_step test = own_step(d, s, ENGINE_STEP_TEST, step->partner);
    const uint32_t tensor = step->reads[0];
    uint32_t ref = 0;
    if (d->source->graph->ops[step->op].code == BERTH_OP_STABLEHLO_CASE) {
        return engine_refuse(d, BERTH_UNSUPPORTED, step->op, BERTH_NONE,
                             "a branch of more than two ways");
    }
    BERTH_TRY(engine_resolve(d, step->op, tensor, &ref));
    if (tensor == BERTH_NONE ||
        d->source->graph->tensors[tensor].type != BERTH_BOOL ||
        d->source->shapes->of[tensor].bytes != 1u) {
        BERTH_TRY(engine_refuse(d, BERTH_BAD_MODEL, step->op, BERTH_NONE,
                                "a condition is one bool"));
    }
    engine_add_slot(
        d, ref,
        tensor == BERTH_NONE ? 0 : d->source->graph->tensors[tensor].subgraph);
    engine_add_step(d, &test);
    return BERTH_OK;
}

static berth_status walk_back(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    BERTH_TRY(walk_move(d, s));
    const engine_step jump =
        own_step(d, s, ENGINE_STEP_JUMP, step->partner + 1u);
    engine_add_step(d, &jump);
    return BERTH_OK;
}

/* Who comes from the branch before jumps over this one; the test comes in
 * behind the jump, which belongs to the step before. */
static berth_status walk_else(engine_draft *d, uint32_t s)
{
    const berth_step *step = &d->source->schedule->steps[s];
    engine_step jump = own_step(d, s, ENGINE_STEP_JUMP, step->partner + 1u);
    jump.step = s - 1u;
    engine_add_step(d, &jump);
    return walk_move(d, s);
}

typedef berth_status walk_step(engine_draft *d, uint32_t s);

static walk_step *const walkers[] = {
    [BERTH_STEP_OP] = engine_walk_op, [BERTH_STEP_ENTER] = walk_enter,
    [BERTH_STEP_COND] = walk_move,    [BERTH_STEP_TEST] = walk_test,
    [BERTH_STEP_BACK] = walk_back,    [BERTH_STEP_EXIT] = walk_exit,
    [BERTH_STEP_THEN] = walk_move,    [BERTH_STEP_ELSE] = walk_else,
};

/* --- the whole ---------------------------------------------------------- */

/* The first step that is not before step s of the schedule. */
static uint32_t find_step(const berth_engine *engine, uint32_t s)
{
    uint32_t low = 0;
    uint32_t high = engine->step_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (engine->steps[middle].step < s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What was easier to write with numbers of the stages. */
static void translate(const engine_draft *d)
{
    berth_engine *engine = d->engine;
    const berth_graph *graph = d->source->graph;
    for (uint32_t i = 0; i < engine->step_count; ++i) {
        engine_step *step = &engine->steps[i];
        if (step->kind == ENGINE_STEP_JUMP || step->kind == ENGINE_STEP_TEST ||
            step->kind == ENGINE_STEP_ONCE) {
            step->target = find_step(engine, step->target);
        }
    }
    for (uint64_t i = 0; i < d->at.records; ++i) {
        engine_record *record = &engine->records[i];
        const uint32_t subgraph = graph->tensors[record->tensor].subgraph;
        record->tensor -= graph->tensor_base[subgraph];
    }
}

static berth_status walk_io(engine_draft *d)
{
    const berth_graph *graph = d->source->graph;
    const berth_graph_subgraph *main = &graph->subgraphs[d->main];
    const uint32_t *inputs = berth_graph_subgraph_inputs(graph, d->main);
    const uint32_t count = main->input_count + main->output_count;
    for (uint32_t i = 0; i < count; ++i) { /* outputs stand behind inputs */
        uint32_t ref = 0;
        BERTH_TRY(engine_resolve(d, BERTH_NONE, inputs[i], &ref));
        if (d->engine != NULL) {
            d->engine->io[i] = ref;
        }
        if (i < main->input_count && inputs[i] != BERTH_NONE) {
            engine_add_known(d, i, inputs[i]);
        }
    }
    d->at.io = count;
    if ((d->source->flags & BERTH_ENGINE_RESIZES) != 0) {
        d->at.wishes = main->input_count;
    }
    return BERTH_OK;
}

berth_status engine_walk(engine_draft *d)
{
    const berth_schedule *schedule = d->source->schedule;
    d->main = schedule->subgraph;
    if (d->source->graph->subgraph_count > UINT16_MAX) {
        return berth_refuse(d->diag, BERTH_TOO_LARGE,
                            "more subgraphs than 16 bits count");
    }
    engine_add_records(d);
    for (uint32_t s = 0; s < schedule->step_count; ++s) {
        BERTH_TRY(walkers[schedule->steps[s].kind](d, s));
    }
    BERTH_TRY(walk_io(d));
    if (d->engine != NULL) {
        translate(d);
    }
    return BERTH_OK;
}

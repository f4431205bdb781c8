/* Makes an engine: measures, looks at the blocks, writes the books, and asks
 * each operator's kernel whether it will do. */
#include "engine_int.h"

#include <string.h>

/* --- the value of an engine --------------------------------------------- */

static uint8_t *part_at(berth_engine *engine, uint64_t offset)
{
    return (uint8_t *)engine + (size_t)offset;
}

static void set_parts(berth_engine *engine, const engine_layout *layout)
{
    engine->records = (void *)part_at(engine, layout->records);
    engine->steps = (void *)part_at(engine, layout->steps);
    engine->slots = (void *)part_at(engine, layout->slots);
    engine->dims = (void *)part_at(engine, layout->dims);
    engine->variables = (void *)part_at(engine, layout->variables);
    engine->io = (void *)part_at(engine, layout->io);
    engine->known = (void *)part_at(engine, layout->known);
    engine->wishes = (void *)part_at(engine, layout->wishes);
    engine->bench = part_at(engine, layout->bench);
    engine->step_count = (uint32_t)layout->counts.steps;
    engine->variable_count = (uint32_t)layout->counts.variables;
    engine->known_count = (uint32_t)layout->counts.known;
}

static berth_engine *open_books(const berth_engine_source *source,
                                const engine_layout *layout,
                                const berth_engine_memory *lent, uint8_t busy)
{
    const berth_graph *graph = source->graph;
    const uint32_t main = source->schedule->subgraph;
    berth_engine *engine = (void *)engine_base(&lent->books, source->flags);
    *engine = (berth_engine){
        .model = graph->model,
        .kernels = source->kernels,
        .memory = *lent,
        .state_bytes = source->lifetimes->state_bytes,
        .once_offset = source->lifetimes->once_offset,
        .input_count = graph->subgraphs[main].input_count,
        .output_count = graph->subgraphs[main].output_count,
        .subgraph = main,
        .flags = source->flags,
        .profile = (uint8_t)source->profile,
        .busy = busy,
    };
    set_parts(engine, layout);
    return engine;
}

/* The shapes that the inputs have now. */
static void note_shapes(berth_engine *engine, const berth_engine_source *source)
{
    const uint32_t *inputs =
        berth_graph_subgraph_inputs(source->graph, engine->subgraph);
    for (uint32_t i = 0; i < engine->input_count; ++i) {
        engine_wish *wish = &engine->wishes[i];
        *wish = (engine_wish){0};
        if (inputs[i] == BERTH_NONE ||
            source->shapes->of[inputs[i]].rank > BERTH_RANK_MAX) {
            continue;
        }
        wish->rank = source->shapes->of[inputs[i]].rank;
        memcpy(wish->dims, berth_shape_dims(source->shapes, inputs[i]),
               wish->rank * sizeof(int32_t));
    }
}

/* --- kernels ------------------------------------------------------------ */

/* While it checks, a kernel sees no data but that which stays. */
static void hide_data(berth_operand *operands, uint32_t count)
{
    const uint8_t stays = BERTH_OPERAND_CONSTANT | BERTH_OPERAND_FOLDED;
    for (uint32_t k = 0; k < count; ++k) {
        if (!berth_operand_is(&operands[k], stays)) {
            operands[k].data = NULL;
        }
    }
}

static berth_status check_step(const berth_engine *engine,
                               const engine_step *step, berth_diag *diag)
{
    berth_operator op;
    berth_node node;
    engine_lay_node(engine, step, &op, &node);
    node.scratch = NULL;
    hide_data((berth_operand *)(void *)engine->bench,
              node.input_count + node.output_count);
    const berth_status status = step->kernel->check(&node, diag);
    if (status != BERTH_OK && diag != NULL) {
        diag->subgraph = step->subgraph;
        diag->op = step->op;
    }
    return status;
}

static berth_status check_steps(const berth_engine *engine, berth_diag *diag)
{
    for (uint32_t i = 0; i < engine->step_count; ++i) {
        if (engine->steps[i].kind == ENGINE_STEP_OP) {
            BERTH_TRY(check_step(engine, &engine->steps[i], diag));
        }
    }
    return BERTH_OK;
}

/* --- the calls ---------------------------------------------------------- */

berth_status berth_engine_bytes(const berth_engine_source *source,
                                berth_engine_need *need, berth_diag *diag)
{
    engine_layout layout;
    berth_engine_need fresh;
    BERTH_TRY(engine_measure(source, &layout, &fresh, diag));
    if ((source->flags & BERTH_ENGINE_RESIZES) != 0) {
        BERTH_TRY(engine_replan_bytes(source, &fresh, diag));
    }
    *need = fresh;
    return BERTH_OK;
}

berth_status engine_make(const berth_engine_source *source,
                         const berth_engine_memory *memory, uint8_t busy,
                         berth_engine **engine, berth_diag *diag)
{
    engine_layout layout;
    berth_engine_need need;
    BERTH_TRY(engine_measure(source, &layout, &need, diag));
    BERTH_TRY(engine_check_blocks(&need, memory, diag));

    berth_engine *fresh = open_books(source, &layout, memory, busy);
    engine_draft d = {
        .source = source,
        .diag = diag,
        .engine = fresh,
        .blobs = part_at(fresh, layout.blobs),
    };
    BERTH_TRY(engine_walk(&d));
    if (memcmp(&d.at, &layout.counts, sizeof(d.at)) != 0) {
        return berth_refuse(diag, BERTH_INTERNAL, "books were miscounted");
    }
    BERTH_TRY(check_steps(fresh, diag));
    if ((fresh->flags & BERTH_ENGINE_RESIZES) != 0) {
        note_shapes(fresh, source);
    }
    if ((fresh->flags & BERTH_ENGINE_CANARIES) != 0) {
        engine_set_guards(&fresh->memory.state);
        engine_set_guards(&fresh->memory.books);
    }
    if ((fresh->flags & BERTH_ENGINE_KEEPS_STATE) == 0) {
        engine_clear_state(fresh);
    }
    *engine = fresh;
    return BERTH_OK;
}

berth_status berth_engine_prepare(const berth_engine_source *source,
                                  const berth_engine_memory *memory,
                                  berth_engine **engine, berth_diag *diag)
{
    return engine_make(source, memory, 0u, engine, diag);
}

/* What a model puts on the map: the items of berth's own problem, and tensors
 * that only other runtimes give bytes to, in the steps that touch them. */
#include "map_int.h"

#include "berth/peer.h"

#include <string.h>

/* First touch and one past the last, by tensor; first step, by operator. */
typedef struct model_lives {
    berth_span *of;
    uint32_t *step_of_op;
} model_lives;

static void touch(berth_span *life, uint32_t step)
{
    if (life->dead == 0) {
        life->born = step;
    }
    life->dead = step + 1u;
}

static bool find_lives(berth_map *map, model_lives *lives,
                       berth_map_error *error)
{
    const berth_graph *graph = &map->loaded.graph;
    const berth_schedule *schedule = &map->staged.schedule;
    lives->of = map_take(map, graph->tensor_count, sizeof(*lives->of), error);
    lives->step_of_op =
        map_take(map, graph->op_count, sizeof(*lives->step_of_op), error);
    if (lives->of == NULL || lives->step_of_op == NULL) {
        return false;
    }
    memset(lives->step_of_op, 0xFF,
           graph->op_count * sizeof(*lives->step_of_op));
    for (uint32_t i = 0; i < schedule->step_count; ++i) {
        const berth_step *step = &schedule->steps[i];
        if (lives->step_of_op[step->op] == BERTH_NONE) {
            lives->step_of_op[step->op] = i;
        }
        for (uint32_t k = 0; k < step->read_count; ++k) {
            if (step->reads[k] != BERTH_NONE) {
                touch(&lives->of[step->reads[k]], i);
            }
        }
        for (uint32_t k = 0; k < step->write_count; ++k) {
            if (step->writes[k] != BERTH_NONE) {
                touch(&lives->of[step->writes[k]], i);
            }
        }
    }
    return true;
}

static berth_map_entry
entry_of_tensor(const berth_map *map, const model_lives *lives, uint32_t tensor)
{
    const berth_graph *graph = &map->loaded.graph;
    const uint32_t producer = graph->tensors[tensor].producer;
    const berth_class class_ =
        (berth_class)map->staged.lifetimes.class_of_tensor[tensor];
    return (berth_map_entry){
        .name = berth_graph_tensor_info(graph, tensor).name,
        .class_text = berth_class_name(class_),
        .tensor = tensor,
        .step =
            producer == BERTH_NONE ? BERTH_NONE : lives->step_of_op[producer]};
}

/* An item; one that is pinned has its bytes all the time. */
static berth_map_entry entry_of_item(const berth_map *map,
                                     const model_lives *lives, uint32_t item)
{
    const berth_lifetimes *lifetimes = &map->staged.lifetimes;
    const berth_item *it = &map->problem.items[item];
    const uint32_t tensor = lifetimes->tensor_of_item[item];
    berth_map_entry entry = {.class_text = "scratch", .tensor = BERTH_NONE};
    if (tensor != BERTH_NONE) {
        entry = entry_of_tensor(map, lives, tensor);
    } else {
        entry.step = lives->step_of_op[lifetimes->op_of_item[item]];
    }
    entry.bytes = it->size;
    entry.first_span = it->first_span;
    entry.span_count = it->span_count;
    return entry;
}

/* Whether a tensor may have bytes elsewhere, though it has none here. */
static bool is_extra(const berth_map *map, const model_lives *lives,
                     uint32_t tensor)
{
    const berth_shape *shape = &map->staged.shapes.of[tensor];
    return map->staged.lifetimes.item_of_tensor[tensor] == BERTH_NONE &&
           shape->state == BERTH_SHAPE_STATIC && shape->bytes > 0 &&
           lives->of[tensor].dead > 0 &&
           (map->loaded.graph.tensors[tensor].flags & BERTH_TENSOR_CONSTANT) ==
               0;
}

static void fill_entries(berth_map *map, const model_lives *lives,
                         berth_span *spans)
{
    const berth_problem *problem = &map->problem;
    uint32_t at = problem->item_count;
    uint32_t span = problem->span_count;
    if (span > 0) {
        memcpy(spans, problem->spans, span * sizeof(*spans));
    }
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        map->entries[i] = entry_of_item(map, lives, i);
        if ((problem->items[i].flags & BERTH_ITEM_PINNED) != 0 &&
            map->step_count > 0) {
            map->entries[i].first_span = span;
            map->entries[i].span_count = 1;
            spans[span++] = (berth_span){0, map->step_count};
        }
    }
    for (uint32_t i = 0; i < map->loaded.graph.tensor_count; ++i) {
        if (!is_extra(map, lives, i)) {
            continue;
        }
        berth_map_entry *entry = &map->entries[at++];
        *entry = entry_of_tensor(map, lives, i);
        entry->bytes = map->staged.shapes.of[i].bytes;
        entry->first_span = span;
        entry->span_count = 1;
        spans[span++] = lives->of[i];
    }
    map->entry_count = at;
    map->span_count = span;
    map->spans = spans;
}

static berth_status list_entries(berth_map *map, berth_map_error *error)
{
    const uint32_t tensors = map->loaded.graph.tensor_count;
    model_lives lives = {0};
    map->problem = map->staged.lifetimes.problem;
    map->step_count = map->problem.step_count;
    map->partial = map->staged.lifetimes.dynamic_count > 0;
    const size_t most = (size_t)map->problem.item_count + tensors;
    map->entries = map_take(map, most, sizeof(*map->entries), error);
    berth_span *spans =
        map_take(map, map->problem.span_count + most, sizeof(*spans), error);
    if (map->entries == NULL || spans == NULL ||
        !find_lives(map, &lives, error)) {
        return error->load.status;
    }
    fill_entries(map, &lives, spans);
    return BERTH_OK;
}

berth_status map_read_model(berth_map *map, const char *path,
                            const berth_map_options *options,
                            berth_map_error *error)
{
    berth_stage_options stage = options->stage;
    uint32_t signature = BERTH_NONE;
    berth_status status =
        berth_load(map->port, path, &map->loaded, &error->load);
    if (status == BERTH_OK) {
        status = berth_load_choose(&map->loaded, options->signature, &signature,
                                   &stage.subgraph, &error->load);
    }
    if (status == BERTH_OK) {
        status = berth_stage(&map->loaded, &stage, &map->staged, &error->load);
    }
    return status == BERTH_OK ? list_entries(map, error) : status;
}

/* --- what other runtimes do --------------------------------------------------
 */

static const char *note_of(const berth_peer_plan *plan)
{
    if (!plan->sound) {
        return "lets live bytes be overwritten: this runtime computes "
               "something else";
    }
    if (plan->stopped_op != BERTH_NONE) {
        return "in part: it places the rest while it runs";
    }
    if (plan->arena_count > 1) {
        return "its arenas end to end, drawn at berth's lives; its own may be "
               "longer";
    }
    return plan->file_shapes ? "trusts shapes in the file that are not the "
                               "real ones"
                             : "drawn at berth's lives; its own may be longer";
}

static berth_status ask_peer(berth_map *map, berth_peer peer,
                             berth_peer_plan *plan, berth_map_error *error)
{
    const berth_graph *graph = &map->loaded.graph;
    const uint32_t subgraph = map->staged.subgraph;
    berth_diag diag = berth_diag_none();
    berth_block block;
    size_t need = 0;
    berth_status status = berth_peer_bytes(graph, &map->staged.shapes, subgraph,
                                           peer, &need, &diag);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth_block_take(map->port, need, &block)) {
        return map_fail(error, BERTH_LOAD_PLAN, BERTH_NO_SPACE,
                        "the system has no memory for the planner");
    }
    status =
        berth_peer_solve(graph, &map->staged.shapes, subgraph, peer,
                         berth_work_of(block.memory, block.bytes), plan, &diag);
    berth_block_give(map->port, &block);
    return status;
}

static berth_status add_peer(berth_map *map, berth_peer peer, const char *name,
                             uint64_t *address, berth_map_error *error)
{
    berth_map_row *row = NULL;
    berth_peer_plan plan = {.address = address};
    const berth_status status = map_add_row(map, name, &row, error);
    if (status != BERTH_OK) {
        return status;
    }
    row->status = ask_peer(map, peer, &plan, error);
    if (row->status != BERTH_OK) {
        row->note = "gives this model no number";
        return error->load.status;
    }
    row->peak_bytes = plan.peak;
    row->bound_bytes = plan.bound;
    row->proven = plan.proof == BERTH_PROOF_PROVEN;
    row->sound = plan.sound;
    row->is_peer = true;
    row->is_part = plan.stopped_op != BERTH_NONE;
    row->note = note_of(&plan);
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        const uint32_t tensor = map->entries[i].tensor;
        row->offset[i] = tensor == BERTH_NONE ? BERTH_NOWHERE : address[tensor];
    }
    return map_measure(map, row, error);
}

berth_status map_solve_peers(berth_map *map, berth_map_error *error)
{
    if (map->is_csv) {
        return BERTH_OK; /* their packers are among berth's strategies */
    }
    uint64_t *address =
        map_take(map, map->loaded.graph.tensor_count, sizeof(*address), error);
    if (address == NULL) {
        return error->load.status;
    }
    const berth_status status =
        add_peer(map, BERTH_PEER_LITERT, "tflite", address, error);
    return status == BERTH_OK
               ? add_peer(map, BERTH_PEER_TFLM, "tflm", address, error)
               : status;
}

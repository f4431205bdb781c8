/* Resource variables. VAR_HANDLE operators with the same container and name
 * share one; a hash table of operators finds them, so that many handles cost
 * linear time. The hash only finds places: its order is never seen. */
#include "micro/micro_int.h"

#include <string.h>

typedef struct resource_name {
    berth_bytes container;
    berth_bytes name;
} resource_name;

static uint32_t handle_count(const berth_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        count += graph->ops[op].code == BERTH_OP_VAR_HANDLE ? 1u : 0u;
    }
    return count;
}

/* A power of two, at least twice the handles; 0 for none. */
static uint32_t slots_for(uint32_t handles)
{
    uint32_t slots = handles == 0 ? 0 : 2;
    while (slots < handles * UINT64_C(2) && slots <= UINT32_MAX / 4) {
        slots *= 2;
    }
    return slots;
}

static resource_name name_of(const berth_graph *graph, uint32_t op)
{
    const berth_operator info = berth_graph_op_info(graph, op);
    return (resource_name){
        berth_option_bytes(&info, BERTH_OPT_VarHandleOptions_container),
        berth_option_bytes(&info, BERTH_OPT_VarHandleOptions_shared_name)};
}

static uint32_t mix(uint32_t hash, berth_bytes text)
{
    for (size_t i = 0; i < text.size; ++i) {
        hash = (hash ^ text.data[i]) * UINT32_C(16777619); /* FNV-1a */
    }
    return (hash ^ 0xffu) * UINT32_C(16777619);
}

static bool is_same(berth_bytes a, berth_bytes b)
{
    return a.size == b.size &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The slot that the operator's resource has, or will have. */
static uint32_t slot_of(const micro_resources *resources,
                        const berth_graph *graph, uint32_t op)
{
    const resource_name wanted = name_of(graph, op);
    const uint32_t mask = resources->slot_count - 1;
    uint32_t slot =
        mix(mix(UINT32_C(2166136261), wanted.container), wanted.name) & mask;
    while (resources->slot[slot] != BERTH_NONE) {
        const resource_name there = name_of(graph, resources->slot[slot]);
        if (is_same(there.container, wanted.container) &&
            is_same(there.name, wanted.name)) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

bool micro_resources_need(const berth_graph *graph, size_t *bytes)
{
    const uint32_t slots = slots_for(handle_count(graph));
    return BERTH_NEED(bytes, uint32_t, slots) &&
           BERTH_NEED(bytes, uint8_t, slots);
}

berth_status micro_resources_init(micro_resources *resources,
                                  const berth_graph *graph, berth_work *work,
                                  berth_diag *diag)
{
    const uint32_t slots = slots_for(handle_count(graph));
    *resources = (micro_resources){.slot = BERTH_TAKE(work, uint32_t, slots),
                                   .assigned = BERTH_TAKE(work, uint8_t, slots),
                                   .slot_count = slots};
    if (slots == 0) {
        return BERTH_OK;
    }
    if (resources->slot == NULL || resources->assigned == NULL) {
        return berth_refuse(diag, BERTH_INTERNAL,
                            "resources counted too little");
    }
    for (uint32_t i = 0; i < slots; ++i) {
        resources->slot[i] = BERTH_NONE;
        resources->assigned[i] = 0;
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (graph->ops[op].code != BERTH_OP_VAR_HANDLE) {
            continue;
        }
        const uint32_t slot = slot_of(resources, graph, op);
        if (resources->slot[slot] == BERTH_NONE) {
            resources->slot[slot] = op;
            ++resources->count;
        }
    }
    return BERTH_OK;
}

/* TFLM knows the handle's number only when VAR_HANDLE was prepared before, in
 * the same subgraph. */
bool micro_resources_claim(micro_resources *resources, const micro_op *op)
{
    const berth_graph *graph = op->run->graph;
    if (op->input_count == 0 || op->inputs[0] == BERTH_NONE) {
        return false;
    }
    const uint32_t maker = graph->tensors[op->inputs[0]].producer;
    if (maker == BERTH_NONE || maker >= op->op ||
        graph->ops[maker].code != BERTH_OP_VAR_HANDLE) {
        return false;
    }
    const uint32_t slot = slot_of(resources, graph, maker);
    if (resources->assigned[slot] != 0) {
        return false;
    }
    resources->assigned[slot] = 1;
    return true;
}

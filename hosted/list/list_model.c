/* The planning problem of a model as a list: who is called what. */
#include "list_int.h"

#include <string.h>

enum { MODEL_ID_MAX = 24 }; /* "op4294967295@4294967295" and a zero */

/* "12", "12@2", "op7", "op7@2". */
static berth_bytes make_id(char *text, const char *prefix, uint32_t local,
                           uint32_t subgraph)
{
    int length = snprintf(text, MODEL_ID_MAX, "%s%u", prefix, local);
    if (subgraph > 0) {
        length += snprintf(text + length, MODEL_ID_MAX - (size_t)length, "@%u",
                           subgraph);
    }
    return (berth_bytes){(const uint8_t *)text, (size_t)length};
}

static void name_item(berth_list_entry *entry, char *text,
                      const berth_graph *graph,
                      const berth_lifetimes *lifetimes, uint32_t item)
{
    const uint32_t tensor = lifetimes->tensor_of_item[item];
    if (tensor == BERTH_NONE) {
        const uint32_t op = lifetimes->op_of_item[item];
        const uint32_t subgraph = graph->ops[op].subgraph;
        entry->id =
            make_id(text, "op", op - graph->op_base[subgraph], subgraph);
        return;
    }
    const uint32_t subgraph = graph->tensors[tensor].subgraph;
    entry->id =
        make_id(text, "", tensor - graph->tensor_base[subgraph], subgraph);
    entry->name = berth_graph_tensor_info(graph, tensor).name;
}

berth_status list_of_model(const berth_staged *staged, berth_list *list,
                           berth_list_error *error)
{
    const berth_lifetimes *lifetimes = &staged->lifetimes;
    const uint32_t items = lifetimes->problem.item_count;
    *list = (berth_list){.port = staged->loaded->port,
                         .problem = lifetimes->problem,
                         .timed = lifetimes->problem,
                         .has_alignment = true};
    list->entries = list_take(list, items, sizeof(*list->entries), error);
    char *text = list_take(list, items, MODEL_ID_MAX, error);
    if (list->entries == NULL || text == NULL) {
        berth_list_close(list);
        return error->load.status;
    }
    for (uint32_t i = 0; i < items; ++i) {
        name_item(&list->entries[i], text + (size_t)i * MODEL_ID_MAX,
                  &staged->loaded->graph, lifetimes, i);
    }
    return BERTH_OK;
}

/* Control dependencies: "this operator before that one", where no tensor says
 * so. The converter writes them into the metadata entry
 * "model_control_dependencies":
 *
 *     version, count of subgraphs, for each: count of pairs, pairs (from, to)
 *
 * Numbers are little-endian groups of seven bits, the high bit says that more
 * follow; from and to are signed, zigzag: 0, -1, 1, -2 are 0, 1, 2, 3. Version
 * is 1, and nothing follows the last pair.
 *
 * The bytes come from outside and say nothing of memory: what makes no sense
 * is reported as broken, and then the model is read as if it were absent. */
#include "graph_int.h"

#include <string.h>

#define CONTROL_VERSION 1u

static bool take_number(graph_control_lists *lists, uint32_t *out)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 35u; shift += 7u) {
        if (lists->at == lists->end) {
            return false;
        }
        const uint8_t byte = *lists->at++;
        value |= (uint64_t)(byte & 0x7Fu) << shift;
        if ((byte & 0x80u) == 0) {
            *out = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

/* An operator of the subgraph; negative numbers are odd in zigzag. */
static bool take_op(graph_control_lists *lists, uint32_t op_count,
                    uint32_t *out)
{
    uint32_t zigzag = 0;
    if (!take_number(lists, &zigzag) || (zigzag & 1u) != 0) {
        return false;
    }
    *out = zigzag >> 1;
    return *out < op_count;
}

static bool check_pairs(graph_control_lists *lists, uint32_t op_count,
                        uint32_t *most)
{
    uint32_t length = 0;
    if (!take_number(lists, &length)) {
        return false;
    }
    for (uint32_t i = 0; i < length; ++i) {
        uint32_t from = 0;
        uint32_t to = 0;
        if (!take_op(lists, op_count, &from) ||
            !take_op(lists, op_count, &to) || from == to) {
            return false;
        }
    }
    *most = length > *most ? length : *most;
    return true;
}

static bool open_lists(const berth_model *model, graph_control_lists *lists)
{
    static const char key[] = "model_control_dependencies";
    const uint32_t count = berth_model_metadata_count(model);
    for (uint32_t i = 0; i < count; ++i) {
        const berth_metadata entry = berth_model_metadata(model, i);
        if (entry.name.size == sizeof(key) - 1u &&
            memcmp(entry.name.data, key, sizeof(key) - 1u) == 0) {
            const berth_bytes data = berth_model_buffer(model, entry.buffer);
            if (data.size == 0) {
                return false;
            }
            *lists = (graph_control_lists){data.data, data.data + data.size};
            return true;
        }
    }
    return false;
}

graph_control graph_control_open(const berth_model *model,
                                 graph_control_lists *lists, uint32_t *most)
{
    *most = 0;
    if (!open_lists(model, lists)) {
        return GRAPH_CONTROL_ABSENT;
    }
    const uint32_t subgraphs = berth_model_subgraph_count(model);
    uint32_t version = 0;
    uint32_t count = 0;
    if (!take_number(lists, &version) || version != CONTROL_VERSION ||
        !take_number(lists, &count) || count != subgraphs) {
        return GRAPH_CONTROL_BROKEN;
    }
    graph_control_lists rest = *lists;
    uint32_t longest = 0;
    for (uint32_t s = 0; s < subgraphs; ++s) {
        const berth_subgraph info = berth_model_subgraph(model, s);
        if (!check_pairs(&rest, info.op_count, &longest)) {
            return GRAPH_CONTROL_BROKEN;
        }
    }
    if (rest.at != rest.end) {
        return GRAPH_CONTROL_BROKEN;
    }
    *most = longest;
    return GRAPH_CONTROL_GOOD;
}

uint32_t graph_control_length(graph_control_lists *lists)
{
    uint32_t length = 0;
    (void)take_number(lists, &length);
    return length;
}

void graph_control_pair(graph_control_lists *lists, uint32_t *from,
                        uint32_t *to)
{
    (void)take_op(lists, UINT32_MAX, from);
    (void)take_op(lists, UINT32_MAX, to);
}

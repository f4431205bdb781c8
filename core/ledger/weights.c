/* The account of the file: which of its bytes this signature reads in place,
 * which lie there unused, and what is left for the structure.
 *
 * A buffer is marked by every use of it, then the union of each set of marks
 * is measured; so bytes that tensors or buffers share count once, and the rows
 * are differences of growing unions, which add up by construction. */
#include "ledger_int.h"

enum {
    MARK_USED = 1u << 0,    /* read by a step, or handed out as an output */
    MARK_ENCODED = 1u << 1, /* used, and must be decoded to be computed with */
    MARK_COPIED = 1u << 2,  /* used, and misaligned for its elements */
    MARK_METADATA = 1u << 3,
    MARK_BUFFER = 1u << 4 /* any bytes of any buffer */
};

static bool is_packed(const berth_tensor *tensor)
{
    const uint32_t bits = berth_type_bits(tensor->type);
    return tensor->has_sparsity || (bits > 0 && bits < 8u);
}

/* Marks the buffer of a constant that somebody uses; others are left alone. */
static void mark_constant(const berth_graph *graph, uint32_t tensor,
                          bool decoded, ledger_extent *extents)
{
    if (tensor == BERTH_NONE ||
        (graph->tensors[tensor].flags & BERTH_TENSOR_CONSTANT) == 0) {
        return;
    }
    const berth_tensor info = berth_graph_tensor_info(graph, tensor);
    ledger_extent *extent = &extents[info.buffer];
    extent->marks |= MARK_USED;
    if (decoded || is_packed(&info)) {
        extent->marks |= MARK_ENCODED;
    }
    if (extent->begin % berth_type_align(info.type) != 0) {
        extent->marks |= MARK_COPIED;
    }
}

/* Blockwise quantised weights name the tensors that hold their scales. */
static void mark_block_scales(const berth_graph *graph, uint32_t tensor,
                              ledger_extent *extents)
{
    if (tensor == BERTH_NONE) {
        return;
    }
    const uint32_t subgraph = graph->tensors[tensor].subgraph;
    const uint32_t base = graph->tensor_base[subgraph];
    const uint32_t count = graph->tensor_base[subgraph + 1u] - base;
    const berth_quantization q =
        berth_model_quantization(graph->model, subgraph, tensor - base);
    if (q.block_scales < count && q.details == 2u) {
        mark_constant(graph, base + q.block_scales, false, extents);
    }
    if (q.block_zero_points < count && q.details == 2u) {
        mark_constant(graph, base + q.block_zero_points, false, extents);
    }
}

static void mark_step(const berth_graph *graph, const berth_step *step,
                      ledger_extent *extents)
{
    const berth_op_contract *contract =
        berth_op_contract_of(graph->ops[step->op].code);
    const bool decodes = step->kind == BERTH_STEP_OP &&
                         (contract->flags & BERTH_OP_DECODES) != 0;
    for (uint32_t i = 0; i < step->read_count; ++i) {
        mark_constant(graph, step->reads[i], decodes && i == 0, extents);
        mark_block_scales(graph, step->reads[i], extents);
    }
}

static void mark_constant_outputs(const berth_graph *graph, uint32_t subgraph,
                                  ledger_extent *extents)
{
    const berth_ivec outputs =
        berth_model_subgraph(graph->model, subgraph).outputs;
    for (uint32_t i = 0; i < outputs.count; ++i) {
        const uint32_t local = (uint32_t)berth_ivec_at(outputs, i);
        mark_constant(graph, graph->tensor_base[subgraph] + local, false,
                      extents);
    }
}

/* One extent for each buffer, bearing MARK_BUFFER if it has bytes. */
static void place_buffers(const berth_model *model, ledger_extent *extents)
{
    const uint8_t *file = berth_model_file(model).data;
    for (uint32_t i = 0; i < berth_model_buffer_count(model); ++i) {
        const berth_bytes bytes = berth_model_buffer(model, i);
        extents[i] = (ledger_extent){0, 0, 0};
        if (bytes.size > 0) {
            const uint64_t begin = (uint64_t)(bytes.data - file);
            extents[i] =
                (ledger_extent){begin, begin + bytes.size, MARK_BUFFER};
        }
    }
    for (uint32_t i = 0; i < berth_model_metadata_count(model); ++i) {
        const uint32_t buffer = berth_model_metadata(model, i).buffer;
        if (buffer < berth_model_buffer_count(model)) {
            extents[buffer].marks |= MARK_METADATA;
        }
    }
}

void ledger_weigh_file(const berth_graph *graph, const berth_schedule *schedule,
                       ledger_extent *extents, berth_ledger *ledger)
{
    const uint32_t count = berth_model_buffer_count(graph->model);
    place_buffers(graph->model, extents);
    for (uint32_t i = 0; i < schedule->step_count; ++i) {
        mark_step(graph, &schedule->steps[i], extents);
    }
    mark_constant_outputs(graph, schedule->subgraph, extents);
    ledger_extents_sort(extents, count);

    const uint64_t used = ledger_extents_union(extents, count, MARK_USED, 1u);
    const uint64_t known =
        ledger_extents_union(extents, count, MARK_USED | MARK_METADATA, 1u);
    const uint64_t all = ledger_extents_union(
        extents, count, MARK_USED | MARK_METADATA | MARK_BUFFER, 1u);
    ledger->weights_used_bytes = used;
    ledger->weights_encoded_bytes =
        ledger_extents_union(extents, count, MARK_ENCODED, 1u);
    ledger->weights_copied_bytes =
        ledger_extents_union(extents, count, MARK_COPIED, 1u);
    ledger->metadata_bytes = known - used;
    ledger->weights_unused_bytes = all - known;
    ledger->file_bytes = berth_model_file(graph->model).size;
    ledger->structure_bytes = ledger->file_bytes - all;
}

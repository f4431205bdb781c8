/* The tail: TFLM's allocations that stay, in its order.
 *
 * A distance from the 16-aligned end of the arena that grows with every block:
 * used = up(used + bytes, alignment), so the padding lies below the block. An
 * empty block still aligns. The order:
 *
 *    1  SingleArenaBufferAllocator        2  the planner      3  MicroAllocator
 *    4  resource variables, where the application makes them first
 *    5  MicroBuiltinDataAllocator         6  the subgraph table
 *    7  TfLiteEvalTensor of all tensors, a block for each subgraph
 *    8  NodeAndRegistration, likewise     9  builtin options
 *   10  Init of all operators, then Prepare of all (micro_prepare.c)
 *   11  scratch handles                  12  variables
 *   13  (the head is planned)      14, 15  inputs and outputs of subgraph 0 */
#include "micro/micro_int.h"

uint64_t micro_struct_bytes(const micro_run *run, micro_struct which)
{
    return (*run->kernels->structs)[which][run->abi];
}

void micro_take(micro_tail *tail, berth_micro_part part, uint64_t bytes,
                uint64_t align, uint64_t times)
{
    berth_micro_share *share = &tail->parts[part];
    const uint64_t before = tail->used;
    if (times == 0) {
        return;
    }
    /* Once aligned, each of the others takes the same. */
    tail->used = micro_up(micro_add(tail->used, bytes), align);
    tail->used =
        micro_add(tail->used, micro_mul(micro_up(bytes, align), times - 1));
    share->requested_bytes =
        micro_add(share->requested_bytes, micro_mul(bytes, times));
    share->used_bytes = micro_add(share->used_bytes, tail->used - before);
    share->count = micro_add(share->count, times);
}

/* An object of its own, at its own alignment. */
static void take_struct(micro_tail *tail, berth_micro_part part,
                        micro_struct which)
{
    micro_take(tail, part, micro_struct_bytes(tail->run, which),
               micro_word(tail->run->abi), 1);
}

/* One block of `count` structures; counted as `count`. */
static void take_array(micro_tail *tail, berth_micro_part part,
                       micro_struct which, uint64_t count)
{
    const uint64_t bytes =
        micro_mul(micro_struct_bytes(tail->run, which), count);
    micro_take(tail, part, bytes, micro_word(tail->run->abi), 1);
    tail->parts[part].count += count - 1;
}

/* Steps 1 to 4: allocator, planner, the table of resource variables. */
static void take_objects(micro_tail *tail, const berth_micro_options *options,
                         uint32_t resource_count)
{
    const bool recording = options->recording;
    take_struct(tail, BERTH_MICRO_OBJECTS,
                recording ? MICRO_STRUCT_ALLOCATOR_RECORDING
                          : MICRO_STRUCT_ALLOCATOR);
    take_struct(tail, BERTH_MICRO_OBJECTS,
                options->preserve_all ? MICRO_STRUCT_LINEAR
                                      : MICRO_STRUCT_GREEDY);
    take_struct(tail, BERTH_MICRO_OBJECTS,
                recording ? MICRO_STRUCT_MICRO_RECORDING : MICRO_STRUCT_MICRO);
    if (resource_count > 0 && !options->resources_elsewhere) {
        micro_take(tail, BERTH_MICRO_RESOURCES,
                   micro_struct_bytes(tail->run, MICRO_STRUCT_RESOURCES),
                   MICRO_ALIGN, 1);
        micro_take(
            tail, BERTH_MICRO_RESOURCES,
            micro_mul(micro_struct_bytes(tail->run, MICRO_STRUCT_RESOURCE),
                      resource_count),
            MICRO_ALIGN, 1);
    }
    take_struct(tail, BERTH_MICRO_OBJECTS, MICRO_STRUCT_BUILTIN_DATA);
}

/* Step 9: the options of every operator, in the file's order. */
static void take_options(micro_tail *tail, berth_micro_op *ops)
{
    const micro_run *run = tail->run;
    for (uint32_t op = 0; op < run->graph->op_count; ++op) {
        const micro_operator *row =
            micro_operator_of(micro_code_of(run->graph, op));
        ops[op] = (berth_micro_op){.lacking = row == NULL};
        if (row == NULL || row->options.bytes[run->abi] == 0) {
            continue;
        }
        ops[op].options_bytes = row->options.bytes[run->abi];
        micro_take(tail, BERTH_MICRO_OPTIONS, ops[op].options_bytes,
                   row->options.align[run->abi], 1);
    }
}

void micro_tail_begin(micro_tail *tail, const berth_micro_options *options,
                      uint32_t resource_count, berth_micro_op *ops)
{
    const berth_graph *graph = tail->run->graph;
    take_objects(tail, options, resource_count);
    take_array(tail, BERTH_MICRO_SUBGRAPHS, MICRO_STRUCT_SUBGRAPH,
               graph->subgraph_count);
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        take_array(tail, BERTH_MICRO_EVAL_TENSORS, MICRO_STRUCT_EVAL_TENSOR,
                   graph->tensor_base[s + 1] - graph->tensor_base[s]);
    }
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        take_array(tail, BERTH_MICRO_NODES, MICRO_STRUCT_NODE,
                   graph->op_base[s + 1] - graph->op_base[s]);
    }
    take_options(tail, ops);
}

/* TFLM looks a variable's offset up by its number within its subgraph, in the
 * table of all subgraphs: right for the first one only. */
static bool is_placed_offline(const berth_ivec *offline, uint32_t local)
{
    return local < offline->count && berth_ivec_at(*offline, local) != -1;
}

void micro_tail_middle(micro_tail *tail, uint32_t scratch_count,
                       const berth_ivec *offline)
{
    const micro_run *run = tail->run;
    const berth_graph *graph = run->graph;
    if (scratch_count > 0) {
        take_array(tail, BERTH_MICRO_HANDLES, MICRO_STRUCT_HANDLE,
                   scratch_count);
    }
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        const uint32_t base = graph->tensor_base[graph->tensors[t].subgraph];
        if ((run->tensors[t].flags & MICRO_TENSOR_VARIABLE) != 0 &&
            !is_placed_offline(offline, t - base)) {
            micro_take(tail, BERTH_MICRO_VARIABLES, run->tensors[t].bytes,
                       MICRO_ALIGN, 1);
        }
    }
}

/* Steps 14 and 15: what the application holds of inputs and outputs. */
static void take_io(micro_tail *tail, const uint32_t *tensors, uint32_t count)
{
    const micro_run *run = tail->run;
    micro_take(tail, BERTH_MICRO_IO_POINTERS,
               (uint64_t)count * micro_word(run->abi), MICRO_ALIGN, 1);
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] == BERTH_NONE) {
            continue;
        }
        const micro_tensor *tensor = &run->tensors[tensors[i]];
        take_struct(tail, BERTH_MICRO_IO_TENSORS, MICRO_STRUCT_TENSOR);
        if ((tensor->flags & MICRO_TENSOR_QUANTIZED) != 0) {
            take_struct(tail, BERTH_MICRO_IO_QUANTIZATION,
                        MICRO_STRUCT_QUANTIZATION);
            micro_take(tail, BERTH_MICRO_IO_QUANTIZATION,
                       4 + UINT64_C(4) * tensor->scales, 4, 1);
        }
    }
}

void micro_tail_end(micro_tail *tail)
{
    const berth_graph *graph = tail->run->graph;
    take_io(tail, berth_graph_subgraph_inputs(graph, 0),
            graph->subgraphs[0].input_count);
    take_io(tail, berth_graph_subgraph_outputs(graph, 0),
            graph->subgraphs[0].output_count);
}

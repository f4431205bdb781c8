/* The whole prediction: tail, Prepare, head, and the smallest arena. */
#include "micro/micro_int.h"

#define LINEAR_BUFFERS_MAX 1024u

static const struct {
    const char *text;
    berth_micro_bucket bucket;
} part_rows[] = {
#define PART_ROW(name, text, bucket) {text, BERTH_MICRO_BUCKET_##bucket},
    BERTH_MICRO_PART_TABLE(PART_ROW)
#undef PART_ROW
};

static const char *const cause_texts[] = {
#define CAUSE_TEXT(name, text) text,
    BERTH_MICRO_CAUSE_TABLE(CAUSE_TEXT)
#undef CAUSE_TEXT
};

static const char *const refusal_texts[] = {
#define REFUSAL_TEXT(name, text) text,
    BERTH_MICRO_REFUSAL_TABLE(REFUSAL_TEXT)
#undef REFUSAL_TEXT
};

const char *berth_micro_part_text(berth_micro_part part)
{
    return (unsigned)part < BERTH_MICRO_PART_COUNT ? part_rows[part].text : "?";
}

berth_micro_bucket berth_micro_part_bucket(berth_micro_part part)
{
    return (unsigned)part < BERTH_MICRO_PART_COUNT ? part_rows[part].bucket
                                                   : BERTH_MICRO_BUCKET_NONE;
}

const char *berth_micro_cause_text(berth_micro_cause cause)
{
    return (unsigned)cause < BERTH_MICRO_CAUSE_COUNT ? cause_texts[cause] : "?";
}

const char *berth_micro_refusal_text(berth_micro_refusal refusal)
{
    return (unsigned)refusal < BERTH_MICRO_REFUSAL_COUNT
               ? refusal_texts[refusal]
               : "?";
}

/* The options with every default filled in. */
static berth_status settle(const berth_graph *graph,
                           const berth_micro_options *options,
                           berth_micro_options *settled, berth_diag *diag)
{
    *settled = options == NULL ? (berth_micro_options){0} : *options;
    if (settled->target == NULL) {
        settled->target = berth_micro_target_find("x86-64");
    }
    if (settled->kernels == NULL) {
        settled->kernels = berth_micro_kernels_find("reference");
    }
    if (!berth_micro_kernels_serve(settled->kernels, settled->target)) {
        return berth_refuse(diag, BERTH_BAD_ARG,
                            "this kernel set is not for this target");
    }
    if (graph->subgraph_count == 0) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "a model of no subgraph");
    }
    return BERTH_OK;
}

static berth_status count_bytes(const berth_graph *graph,
                                const berth_micro_options *settled,
                                size_t *bytes, berth_diag *diag)
{
    const uint64_t most = micro_requests_most(graph, settled->kernels);
    const uint32_t requests = (uint32_t)most;
    size_t need = 0;
    size_t scratch = 0;
    if (most > UINT32_MAX ||
        !BERTH_NEED(&need, berth_micro_op, graph->op_count) ||
        !BERTH_NEED(&need, micro_tensor, graph->tensor_count) ||
        !BERTH_NEED(&need, uint64_t, requests) ||
        !BERTH_NEED(&need, uint32_t, requests) ||
        !micro_resources_need(graph, &need) ||
        !micro_lives_need(graph, &need, &scratch) ||
        !micro_head_need(graph, requests, &need) ||
        !berth_work_need(&need, 1, scratch, 16)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
    }
    *bytes = need;
    return BERTH_OK;
}

berth_status berth_micro_bytes(const berth_graph *graph,
                               const berth_micro_options *options,
                               size_t *bytes, berth_diag *diag)
{
    berth_micro_options settled;
    BERTH_TRY(settle(graph, options, &settled, diag));
    return count_bytes(graph, &settled, bytes, diag);
}

/* --- what TFLM would refuse -------------------------------------------------
 */

/* A shape of [0] is the old way to say "scalar". */
static bool is_empty(const micro_tensor *tensor)
{
    return tensor->elements == 0 && tensor->dims.count != 1;
}

static void look_for_empty_outputs(const micro_run *run, berth_micro *micro)
{
    const berth_graph *graph = run->graph;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const uint32_t *outputs = berth_graph_outputs(graph, op);
        for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
            if (outputs[i] != BERTH_NONE &&
                is_empty(&run->tensors[outputs[i]])) {
                micro_refuse(micro, BERTH_MICRO_EMPTY_OUTPUT, op, outputs[i]);
            }
        }
    }
}

static void look_for_refusals(const micro_run *run, const berth_micro_op *ops,
                              berth_micro *micro)
{
    const berth_graph *graph = run->graph;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (ops[op].lacking) {
            ++micro->lacking_count;
            micro_refuse(micro, BERTH_MICRO_LACKS_OPERATOR, op, BERTH_NONE);
        }
    }
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        if ((run->tensors[t].flags & MICRO_TENSOR_UNTYPED) != 0) {
            micro_refuse(micro, BERTH_MICRO_LACKS_TYPE, BERTH_NONE, t);
        }
        if ((run->tensors[t].flags & MICRO_TENSOR_UNSHAPED) != 0) {
            micro_refuse(micro, BERTH_MICRO_LACKS_SHAPE, BERTH_NONE, t);
        }
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const berth_ivec inner = berth_graph_op_info(graph, op).intermediates;
        const uint32_t base = graph->tensor_base[graph->ops[op].subgraph];
        for (uint32_t i = 0; i < inner.count; ++i) {
            const uint32_t tensor = base + (uint32_t)berth_ivec_at(inner, i);
            if (berth_ivec_at(inner, i) >= 0 &&
                run->tensors[tensor].bytes > 0) {
                micro_refuse(micro, BERTH_MICRO_INTERMEDIATES, op, tensor);
            }
        }
    }
}

/* TFLM leaves size and handle of such a request as they were in memory. */
static void look_for_lost_scratch(const micro_lives *lives,
                                  const micro_requests *requests,
                                  berth_micro *micro)
{
    for (uint32_t i = 0; i < requests->count; ++i) {
        if (lives->op[requests->op[i]].born == 0) {
            micro_refuse(micro, BERTH_MICRO_LOST_SCRATCH, requests->op[i],
                         BERTH_NONE);
        }
    }
}

/* --- the smallest arena -----------------------------------------------------
 */

/* The planner's memory lies where the head will be: the list of requests, an
 * array by subgraph, one by tensor and request, then its own per buffer. */
static uint64_t planner_bytes(const micro_run *run, uint32_t requests,
                              const berth_micro *micro,
                              const berth_micro_options *options)
{
    const uint64_t word = micro_word(run->abi);
    const uint64_t infos = (uint64_t)run->graph->tensor_count + requests;
    uint64_t end = micro_mul(micro_struct_bytes(run, MICRO_STRUCT_REQUEST),
                             requests + UINT64_C(12));
    end = micro_add(micro_up(end, word),
                    micro_mul(word, run->graph->subgraph_count));
    end =
        micro_add(micro_up(end, word),
                  micro_mul(micro_struct_bytes(run, MICRO_STRUCT_INFO), infos));
    end = micro_up(end, MICRO_ALIGN);
    if (options->preserve_all) {
        return end; /* the linear planner keeps its list in itself */
    }
    return micro_add(end,
                     micro_mul(micro_struct_bytes(run, MICRO_STRUCT_PLANNED),
                               micro->problem.item_count));
}

static void find_minimum(berth_micro *micro)
{
    const uint64_t asked[BERTH_MICRO_CAUSE_COUNT] = {
        [BERTH_MICRO_CAUSE_FINAL] = micro->final_bytes,
        [BERTH_MICRO_CAUSE_PLANNER] = micro->planner_bytes,
        [BERTH_MICRO_CAUSE_PREPARE] = micro->prepare_bytes,
    };
    for (uint32_t i = 0; i < BERTH_MICRO_CAUSE_COUNT; ++i) {
        const uint64_t bytes = micro_up(asked[i], MICRO_ALIGN);
        if (bytes > micro->arena_min_bytes) {
            micro->arena_min_bytes = bytes;
            micro->min_cause = (berth_micro_cause)i;
        }
    }
}

/* --- the whole --------------------------------------------------------------
 */

/* All arrays but the head's, which come last. */
typedef struct parts {
    micro_run run;
    micro_tensor *tensors;
    berth_micro_op *ops;
    micro_requests requests;
    micro_resources resources;
    micro_lives lives;
    berth_ivec offline;
} parts;

static berth_status take_parts(parts *p, berth_work *work, berth_diag *diag)
{
    const berth_graph *graph = p->run.graph;
    const uint32_t most = (uint32_t)micro_requests_most(graph, p->run.kernels);
    p->ops = BERTH_TAKE(work, berth_micro_op, graph->op_count);
    p->tensors = BERTH_TAKE(work, micro_tensor, graph->tensor_count);
    p->requests = (micro_requests){.bytes = BERTH_TAKE(work, uint64_t, most),
                                   .op = BERTH_TAKE(work, uint32_t, most),
                                   .room = most};
    if ((p->ops == NULL && graph->op_count > 0) ||
        (p->tensors == NULL && graph->tensor_count > 0) ||
        (p->requests.op == NULL && most > 0)) {
        return berth_refuse(diag, BERTH_INTERNAL, "micro counted too little");
    }
    micro_tensors_init(graph, p->tensors);
    p->run.tensors = p->tensors;
    BERTH_TRY(micro_resources_init(&p->resources, graph, work, diag));
    return micro_lives_init(&p->lives, graph, work, diag);
}

static berth_status predict(parts *p, const berth_micro_options *options,
                            berth_work *work, berth_micro *micro,
                            berth_diag *diag)
{
    micro_tail tail = {.run = &p->run, .parts = micro->parts};
    p->requests.none = options->no_scratch;
    micro_tail_begin(&tail, options, p->resources.count, p->ops);
    micro_prepare_all(&tail, &p->requests, &p->resources, p->ops, micro);
    look_for_refusals(&p->run, p->ops, micro);
    look_for_empty_outputs(&p->run, micro);
    look_for_lost_scratch(&p->lives, &p->requests, micro);
    if (!micro_offline_plan(p->run.graph, &p->offline)) {
        micro_refuse(micro, BERTH_MICRO_OFFLINE_PLAN, BERTH_NONE, BERTH_NONE);
    }
    micro_tail_middle(&tail, p->requests.count, &p->offline);
    if (tail.used >= MICRO_HUGE) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "a tail beyond 2^60 bytes");
    }
    BERTH_TRY(micro_head_plan(&p->run, options, &p->lives, &p->requests,
                              &p->offline, work, micro, diag));
    micro->planner_bytes =
        micro_add(planner_bytes(&p->run, p->requests.count, micro, options),
                  micro_up(tail.used, MICRO_ALIGN));
    micro_tail_end(&tail);
    micro->tail_bytes = tail.used;
    micro->arena_used_bytes = micro_add(micro->head_bytes, tail.used);
    micro->final_bytes = micro->arena_used_bytes;
    if (micro->arena_used_bytes >= MICRO_HUGE) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "an arena beyond 2^60 bytes");
    }
    if (options->preserve_all &&
        micro->problem.item_count > LINEAR_BUFFERS_MAX) {
        micro_refuse(micro, BERTH_MICRO_LINEAR_LIMIT, BERTH_NONE, BERTH_NONE);
    }
    find_minimum(micro);
    return BERTH_OK;
}

berth_status berth_micro_predict(const berth_graph *graph,
                                 const berth_micro_options *options,
                                 berth_work *work, berth_micro *micro,
                                 berth_diag *diag)
{
    berth_micro_options settled;
    size_t need = 0;
    BERTH_TRY(settle(graph, options, &settled, diag));
    BERTH_TRY(count_bytes(graph, &settled, &need, diag));
    BERTH_TRY(berth_work_check(work, need, diag));
    parts p = {.run = {.graph = graph,
                       .kernels = settled.kernels,
                       .abi = settled.target->abi,
                       .core = settled.target->core,
                       .armclang = settled.armclang}};
    berth_micro made = {.refusal_op = BERTH_NONE, .refusal_tensor = BERTH_NONE};
    berth_work taken = *work;
    BERTH_TRY(take_parts(&p, &taken, diag));
    BERTH_TRY(predict(&p, &settled, &taken, &made, diag));
    made.ops = p.ops;
    made.scratch = p.requests.bytes;
    made.scratch_op = p.requests.op;
    made.scratch_count = p.requests.count;
    made.resource_count = p.resources.count;
    *work = taken;
    *micro = made;
    return BERTH_OK;
}

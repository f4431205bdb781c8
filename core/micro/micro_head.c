/* The head: a planning problem of activations and scratch, and TFLM's plan.
 *
 * Items in TFLM's order, since an equal size goes by index: the tensors of all
 * subgraphs that are neither constant nor variable, then the scratch requests.
 * Sizes are rounded up to 16. Offsets from the file's metadata are obeyed
 * unchecked, as TFLM does: they may overlap, so such a plan is not judged. */
#include "micro/micro_int.h"
#include "peer/tflm_file.h"

bool micro_offline_plan(const berth_graph *graph, berth_ivec *offsets)
{
    uint32_t wrong = BERTH_NONE;
    const tflm_offline said = tflm_offline_plan(graph, offsets, &wrong);
    return said == TFLM_OFFLINE_NONE || said == TFLM_OFFLINE_FITS;
}

/* What the plan's solver takes, its own headers included: under 192 bytes an
 * item of one span (plan.h: under 120). */
#define HEAD_SOLVER_BYTES 192u
#define HEAD_SOLVER_BASE  8192u

bool micro_head_need(const berth_graph *graph, uint32_t request_count,
                     size_t *bytes)
{
    if (request_count >= UINT32_MAX - graph->tensor_count) {
        return false;
    }
    const uint32_t items = graph->tensor_count + request_count;
    return BERTH_NEED(bytes, berth_item, items) &&
           BERTH_NEED(bytes, berth_span, items) &&
           BERTH_NEED(bytes, uint64_t, items) &&
           BERTH_NEED(bytes, uint32_t, items) &&
           berth_work_need(bytes, items, HEAD_SOLVER_BYTES, 16) &&
           berth_work_need(bytes, 1, HEAD_SOLVER_BASE, 16);
}

typedef struct head {
    const micro_run *run;
    berth_item *items;
    berth_span *spans;
    uint32_t *tensor_of;
    uint32_t count;
    uint32_t align;
} head;

static void add_item(head *h, uint64_t bytes, uint64_t fixed, berth_span span,
                     uint32_t tensor)
{
    const uint32_t i = h->count++;
    h->items[i] = (berth_item){
        .size = micro_up(bytes, MICRO_ALIGN),
        .fixed = fixed,
        .align = h->align,
        .first_span = i,
        .span_count = 1,
        .regions = 1,
        .flags = tensor == BERTH_NONE ? (uint32_t)BERTH_ITEM_SCRATCH : 0};
    h->spans[i] = span;
    h->tensor_of[i] = tensor;
}

/* Variables lie in the tail unless the file gives them an offset. */
static bool is_planned(const micro_tensor *tensor, uint64_t fixed)
{
    const uint32_t elsewhere = MICRO_TENSOR_CONSTANT | MICRO_TENSOR_HANDLE;
    if ((tensor->flags & elsewhere) != 0 || tensor->bytes == 0) {
        return false;
    }
    return (tensor->flags & MICRO_TENSOR_VARIABLE) == 0 ||
           fixed != BERTH_NOWHERE;
}

static void add_all(head *h, const micro_lives *lives,
                    const micro_requests *requests, const berth_ivec *offline)
{
    for (uint32_t t = 0; t < h->run->graph->tensor_count; ++t) {
        const int32_t given =
            t < offline->count ? berth_ivec_at(*offline, t) : -1;
        const uint64_t fixed = given < 0 ? BERTH_NOWHERE : (uint32_t)given;
        if (is_planned(&h->run->tensors[t], fixed)) {
            add_item(h, h->run->tensors[t].bytes, fixed, lives->tensor[t], t);
        }
    }
    for (uint32_t i = 0; i < requests->count; ++i) {
        const berth_span span = lives->op[requests->op[i]];
        /* TFLM never learns the size of a request that it does not reach: what
         * it plans is what was in memory, at best nothing. */
        add_item(h, span.born == 0 ? 0 : requests->bytes[i], BERTH_NOWHERE,
                 span, BERTH_NONE);
    }
}

static bool take_head(head *h, uint64_t **offset, uint32_t most,
                      berth_work *work)
{
    h->items = BERTH_TAKE(work, berth_item, most);
    h->spans = BERTH_TAKE(work, berth_span, most);
    h->tensor_of = BERTH_TAKE(work, uint32_t, most);
    *offset = BERTH_TAKE(work, uint64_t, most);
    return most == 0 || (h->items != NULL && h->spans != NULL &&
                         h->tensor_of != NULL && *offset != NULL);
}

/* preserve_all_tensors: one after the other, offsets of the file ignored. */
static uint64_t stack_up(const head *h, uint64_t *offset)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < h->count; ++i) {
        offset[i] = end;
        h->items[i].fixed = BERTH_NOWHERE;
        end = micro_add(end, h->items[i].size);
    }
    return end;
}

static berth_status solve(const berth_problem *problem, uint64_t *offset,
                          bool judged, berth_work work, uint64_t *peak,
                          berth_diag *diag)
{
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_TFLM};
    berth_plan plan = {.offset = offset};
    if (judged) {
        BERTH_TRY(berth_plan_solve(problem, &options, work, &plan, diag));
    } else {
        berth_solver *solver = NULL;
        bool done = false;
        BERTH_TRY(berth_solver_begin(problem, &options, &work, &solver, diag));
        while (!done) {
            BERTH_TRY(berth_solver_more(solver, 0, &plan, &done, diag));
        }
    }
    *peak = plan.peak;
    return BERTH_OK;
}

berth_status micro_head_plan(const micro_run *run,
                             const berth_micro_options *options,
                             const micro_lives *lives,
                             const micro_requests *requests,
                             const berth_ivec *offline, berth_work *work,
                             berth_micro *micro, berth_diag *diag)
{
    head h = {.run = run, .align = offline->count > 0 ? 1u : MICRO_ALIGN};
    uint64_t *offset = NULL;
    const uint32_t most = run->graph->tensor_count + requests->count;
    if (!take_head(&h, &offset, most, work)) {
        return berth_refuse(diag, BERTH_INTERNAL, "head counted too little");
    }
    add_all(&h, lives, requests, offline);
    micro->problem = (berth_problem){.items = h.items,
                                     .spans = h.spans,
                                     .item_count = h.count,
                                     .span_count = h.count,
                                     .step_count = lives->step_count};
    micro->offset = offset;
    micro->tensor_of_item = h.tensor_of;
    micro->offline = offline->count > 0 && !options->preserve_all;
    if (options->preserve_all) {
        micro->head_bytes = stack_up(&h, offset);
        return BERTH_OK;
    }
    return solve(&micro->problem, offset, !micro->offline, *work,
                 &micro->head_bytes, diag);
}

/* What other runtimes take, for machines. */
#include "json_int.h"

#include <string.h>

static void put_op(json_t *object, const berth_report *r, uint32_t op)
{
    const berth_graph *graph = &r->loaded.graph;
    const bool known = op != BERTH_NONE;
    (void)json_object_set_new(
        object, "subgraph",
        json_index(known ? graph->ops[op].subgraph : BERTH_NONE));
    (void)json_object_set_new(
        object, "op_index",
        json_index(known ? report_local_op(graph, op) : BERTH_NONE));
    (void)json_object_set_new(object, "op",
                              known ? json_name(report_op_type(graph, op))
                                    : json_null());
}

/* "cmsis-nn@2026.06" */
static json_t *kernels_name(const berth_micro_kernels *kernels)
{
    return json_sprintf("%s@%s", berth_micro_kernels_name(kernels),
                        berth_micro_kernels_version(kernels));
}

static void stream_refusal(stream *s, const berth_report *r,
                           const berth_micro *micro)
{
    if (micro->refusal == BERTH_MICRO_STARTS) {
        stream_value(s, "refusal", json_null());
        return;
    }
    json_t *object = json_object();
    const char *text = berth_micro_refusal_text(micro->refusal);
    (void)json_object_set_new(object, "text", json_string(text));
    put_op(object, r, micro->refusal_op);
    const bool tensor = micro->refusal_tensor != BERTH_NONE;
    (void)json_object_set_new(
        object, "tensor",
        json_index(tensor ? report_local_tensor(&r->loaded.graph,
                                                micro->refusal_tensor)
                          : BERTH_NONE));
    stream_value(s, "refusal", object);
}

static void stream_tail(stream *s, const berth_micro *micro)
{
    stream_open(s, "tail", '[');
    for (uint32_t i = 0; i < BERTH_MICRO_PART_COUNT; ++i) {
        const berth_micro_share *share = &micro->parts[i];
        stream_value(
            s, NULL,
            json_pack("{ss, so, so, so}", "part",
                      berth_micro_part_text((berth_micro_part)i), "used_bytes",
                      json_number(true, share->used_bytes), "requested_bytes",
                      json_number(true, share->requested_bytes), "count",
                      json_number(true, share->count)));
    }
    stream_close(s, ']');
}

static void stream_scratch(stream *s, const berth_report *r,
                           const berth_micro *micro)
{
    stream_open(s, "scratch", '[');
    for (uint32_t i = 0; i < micro->scratch_count; ++i) {
        json_t *object = json_object();
        put_op(object, r, micro->scratch_op[i]);
        (void)json_object_set_new(object, "bytes",
                                  json_number(true, micro->scratch[i]));
        stream_value(s, NULL, object);
    }
    stream_close(s, ']');
}

/* The lines of a resolver, and what no line can add. */
static void stream_resolver(stream *s, const berth_report *r)
{
    const berth_graph *graph = &r->loaded.graph;
    uint8_t seen[BERTH_MICRO_KINDS_MAX] = {0};
    stream_open(s, "resolver", '[');
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (berth_micro_first_of_kind(graph, op, seen)) {
            stream_value(s, NULL, json_string(berth_micro_adder(graph, op)));
        }
    }
    stream_close(s, ']');
    stream_open(s, "lacking", '[');
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (berth_micro_adder(graph, op) == NULL) {
            json_t *object = json_object();
            put_op(object, r, op);
            stream_value(s, NULL, object);
        }
    }
    stream_close(s, ']');
}

static void stream_expect(stream *s, const berth_report *r)
{
    static const char *const verdicts[] = {"nothing", "fits", "too-small",
                                           "wasteful"};
    if (!r->options->has_expect) {
        return;
    }
    stream_value(s, "expect",
                 json_pack("{so, ss, so, sI}", "arena_bytes",
                           json_number(true, r->options->expect_bytes),
                           "verdict", verdicts[r->tflm.expect], "off_bytes",
                           json_number(true, r->tflm.expect_off_bytes),
                           "margin_percent",
                           (json_int_t)r->options->margin_percent));
}

/* Operators that two kernel sets do not make alike. */
static void stream_drift(stream *s, const berth_report *r)
{
    const berth_micro *a = &r->tflm.micro[0];
    const berth_micro *b = &r->tflm.micro[1];
    if (r->tflm.count < 2) {
        return;
    }
    stream_open(s, "drift", '{');
    stream_value(s, "kernels", kernels_name(r->tflm.kernels[1]));
    stream_value(s, "arena_used_bytes", json_number(true, b->arena_used_bytes));
    stream_value(s, "arena_min_bytes", json_number(true, b->arena_min_bytes));
    stream_value(s, "head_bytes", json_number(true, b->head_bytes));
    stream_value(s, "tail_bytes", json_number(true, b->tail_bytes));
    stream_open(s, "operators", '[');
    for (uint32_t op = 0; op < r->loaded.graph.op_count; ++op) {
        const uint64_t kept[2] = {report_kept(&a->ops[op]),
                                  report_kept(&b->ops[op])};
        if (kept[0] == kept[1] &&
            a->ops[op].scratch_bytes == b->ops[op].scratch_bytes) {
            continue;
        }
        json_t *object = json_pack("{s[oo], s[oo]}", "tail_bytes",
                                   json_number(true, kept[0]),
                                   json_number(true, kept[1]), "scratch_bytes",
                                   json_number(true, a->ops[op].scratch_bytes),
                                   json_number(true, b->ops[op].scratch_bytes));
        put_op(object, r, op);
        stream_value(s, NULL, object);
    }
    stream_close(s, ']');
    stream_close(s, '}');
}

static void stream_tflm(stream *s, const berth_report *r)
{
    const berth_report_tflm *tflm = &r->tflm;
    const berth_micro *micro = &tflm->micro[0];
    const bool known = tflm->status == BERTH_OK;
    const berth_graph *graph = &r->loaded.graph;
    stream_value(s, "name", json_string("tflm"));
    stream_value(s, "target",
                 json_string(berth_micro_target_name(tflm->target)));
    stream_value(s, "kernels", kernels_name(tflm->kernels[0]));
    stream_value(s, "starts",
                 json_boolean(known && micro->refusal == BERTH_MICRO_STARTS));
    stream_refusal(s, r, micro);
    stream_value(s, "arena_used_bytes",
                 json_number(known, micro->arena_used_bytes));
    stream_value(s, "arena_min_bytes",
                 json_number(known, micro->arena_min_bytes));
    stream_value(s, "head_bytes", json_number(known, micro->head_bytes));
    stream_value(s, "head_noscratch_bytes",
                 json_number(known, tflm->head_noscratch_bytes));
    stream_value(s, "tail_bytes", json_number(known, micro->tail_bytes));
    if (!known) {
        return;
    }
    stream_value(s, "min_cause",
                 json_string(berth_micro_cause_text(micro->min_cause)));
    const bool by_op = micro->min_cause == BERTH_MICRO_CAUSE_PREPARE;
    stream_value(s, "min_op_index",
                 json_index(by_op ? report_local_op(graph, micro->prepare_op)
                                  : BERTH_NONE));
    stream_value(s, "planner_bytes", json_number(true, micro->planner_bytes));
    stream_value(s, "prepare_bytes", json_number(true, micro->prepare_bytes));
    stream_value(s, "resource_variables", json_index(micro->resource_count));
    stream_value(s, "offline_plan", json_boolean(micro->offline));
    stream_tail(s, micro);
    stream_scratch(s, r, micro);
    stream_resolver(s, r);
    stream_expect(s, r);
    stream_drift(s, r);
}

static void stream_litert(stream *s, const berth_report *r)
{
    const berth_report_row *row = &r->rows[BERTH_STRATEGY_TFLITE];
    const berth_report_litert *litert = &r->litert;
    const bool known = litert->asked && litert->status == BERTH_OK;
    const bool alone =
        known && row->wanted &&
        (row->status == BERTH_OK || litert->stopped_op != BERTH_NONE);
    stream_value(s, "name", json_string("litert"));
    stream_value(s, "arena_bytes", json_number(known, litert->arena_bytes));
    stream_value(s, "arena_notemporaries_bytes",
                 json_number(alone, row->peak_bytes));
    stream_value(s, "bound_bytes", json_number(alone, row->bound_bytes));
    stream_value(s, "persistent_bytes",
                 json_number(known, litert->persistent_bytes));
    stream_value(
        s, "unknown_op",
        json_index(known && litert->unlisted_op != BERTH_NONE
                       ? report_local_op(&r->loaded.graph, litert->unlisted_op)
                       : BERTH_NONE));
    stream_value(
        s, "grows_from_op",
        json_index(known && litert->stopped_op != BERTH_NONE
                       ? report_local_op(&r->loaded.graph, litert->stopped_op)
                       : BERTH_NONE));
    stream_value(s, "sound", json_boolean(known && litert->sound));
    stream_value(s, "xnnpack_bytes", json_null());
    stream_value(s, "xnnpack_least_bytes",
                 json_number(known, litert->io_bytes));
}

static void stream_differences(stream *s, const berth_report *r)
{
    report_difference list[DIFFERENCES_MOST];
    const uint32_t count = report_differences(r, list);
    stream_open(s, "differences", '[');
    for (uint32_t i = 0; i < count; ++i) {
        const bool tensor = list[i].tensor != BERTH_NONE;
        const uint32_t local =
            tensor ? report_local_tensor(&r->loaded.graph, list[i].tensor)
                   : BERTH_NONE;
        stream_value(s, NULL,
                     json_pack("{ss, ss, so, so}", "runtime",
                               berth_runtime_name(list[i].runtime), "text",
                               list[i].text, "tensor", json_index(local),
                               "bytes", json_integer(list[i].bytes)));
    }
    stream_close(s, ']');
}

void stream_runtime(stream *s, const berth_report *r)
{
    const bool all = r->options->runtime == BERTH_RUNTIME_ALL;
    if (r->options->runtime == BERTH_RUNTIME_NONE) {
        return;
    }
    if (all) {
        stream_open(s, "runtimes", '[');
    }
    if (report_wants(r, BERTH_RUNTIME_TFLM)) {
        stream_open(s, all ? NULL : "runtime", '{');
        stream_tflm(s, r);
        stream_close(s, '}');
    }
    if (report_wants(r, BERTH_RUNTIME_LITERT)) {
        stream_open(s, all ? NULL : "runtime", '{');
        stream_litert(s, r);
        stream_close(s, '}');
    }
    if (all) {
        stream_close(s, ']');
        stream_differences(s, r);
    }
}

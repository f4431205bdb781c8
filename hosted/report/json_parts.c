/* The longer parts of the object: the peak, what is marked, and the lists. */
#include "json_int.h"

json_t *json_tensor(const berth_report *r, uint32_t tensor)
{
    const berth_graph *graph = &r->loaded.graph;
    return json_pack("{sI, sI, so}", "subgraph",
                     (json_int_t)graph->tensors[tensor].subgraph, "index",
                     (json_int_t)report_local_tensor(graph, tensor), "name",
                     json_name(berth_graph_tensor_info(graph, tensor).name));
}

void json_put_dims(json_t *object, const berth_shapes *shapes, uint32_t tensor)
{
    const berth_shape *shape = &shapes->of[tensor];
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        (void)json_object_set_new(object, "shape", json_null());
        return;
    }
    json_t *dims = json_array();
    for (uint32_t i = 0; i < shape->rank; ++i) {
        (void)json_array_append_new(
            dims, json_integer(berth_shape_dims(shapes, tensor)[i]));
    }
    (void)json_object_set_new(object, "shape", dims);
}

/* --- the peak ----------------------------------------------------------------
 */

static json_t *alive_object(const berth_report *r,
                            const berth_report_alive *alive)
{
    const berth_lifetimes *lifetimes = &r->staged.lifetimes;
    const bool scratch = alive->tensor == BERTH_NONE;
    json_t *object = scratch ? json_pack("{sn, sn, ss}", "subgraph", "index",
                                         "name", "scratch")
                             : json_tensor(r, alive->tensor);
    const bool placed = alive->item != BERTH_NONE;
    json_t *more = json_pack(
        "{ss, sI, so, so, so, ss, so}", "class",
        scratch ? "scratch"
                : berth_class_name(
                      (berth_class)lifetimes->class_of_tensor[alive->tensor]),
        "bytes", (json_int_t)alive->bytes, "permille",
        json_number(placed, report_permille(alive->bytes, r->plan.peak)),
        "offset", json_number(placed, alive->offset), "span",
        placed ? json_pack("[I, I]", (json_int_t)alive->span.born,
                           (json_int_t)alive->span.dead)
               : json_null(),
        "role", berth_report_role_name(alive->role), "reader",
        json_index(alive->reader));
    (void)json_object_update(object, more);
    json_decref(more);
    return object;
}

void stream_peak(stream *s, const berth_report *r)
{
    const berth_graph *graph = &r->loaded.graph;
    if (r->usage.peak_step == BERTH_NONE) {
        stream_value(s, "peak", json_null());
        return;
    }
    const berth_step *step = &r->staged.schedule.steps[r->usage.peak_step];
    stream_open(s, "peak", '{');
    stream_value(s, "step", json_index(r->usage.peak_step));
    stream_value(s, "kind",
                 json_string(berth_step_name((berth_step_kind)step->kind)));
    stream_value(s, "op", json_name(report_op_type(graph, step->op)));
    stream_value(s, "subgraph", json_index(graph->ops[step->op].subgraph));
    stream_value(s, "op_index", json_index(report_local_op(graph, step->op)));
    stream_value(s, "live_bytes", json_number(true, r->usage.peak_live_bytes));
    stream_value(s, "idle_bytes",
                 json_number(true, r->plan.peak - r->usage.peak_live_bytes));
    stream_open(s, "idle", '[');
    for (uint32_t i = 0; i < r->idle_count; ++i) {
        stream_value(s, NULL,
                     json_pack("[I, I]", (json_int_t)r->idle[i].from,
                               (json_int_t)r->idle[i].end));
    }
    stream_close(s, ']');
    stream_open(s, "alive", '[');
    for (uint32_t i = 0; i < r->alive_count; ++i) {
        stream_value(s, NULL, alive_object(r, &r->alive[i]));
    }
    stream_close(s, ']');
    stream_close(s, '}');
}

void stream_reuse(stream *s, const berth_report *r)
{
    stream_value(s, "reuse",
                 json_pack("{sI, sI, sI}", "buffers",
                           (json_int_t)r->usage.buffer_count, "reused",
                           (json_int_t)r->usage.reused_count, "reused_bytes",
                           (json_int_t)r->usage.reused_bytes));
}

void stream_budget(stream *s, const berth_report *r)
{
    const uint64_t budget = r->options->budget_bytes;
    if (!r->options->has_budget) {
        stream_value(s, "budget", json_null());
        return;
    }
    const bool over = r->missing_bytes > 0;
    const bool unknown =
        report_is_unbounded(r) || r->verdict == BERTH_VERDICT_NO_NUMBER;
    json_t *blame = json_array();
    for (uint32_t i = 0; i < r->blame_count; ++i) {
        (void)json_array_append_new(blame, alive_object(r, &r->blame[i]));
    }
    stream_value(s, "budget",
                 json_pack("{so, so, so, so}", "budget_bytes",
                           json_number(true, budget), "fits",
                           unknown && !over ? json_null() : json_boolean(!over),
                           "missing_bytes", json_number(true, r->missing_bytes),
                           "blame", blame));
}

/* --- what else ---------------------------------------------------------------
 */

void stream_marked(stream *s, const berth_report *r, const char *key,
                   bool dynamic)
{
    const berth_graph *graph = &r->loaded.graph;
    stream_open(s, key, '[');
    for (uint32_t i = 0; i < graph->tensor_count; ++i) {
        const berth_shape *shape = &r->staged.shapes.of[i];
        const bool is_dynamic = shape->state == BERTH_SHAPE_DYNAMIC;
        if (dynamic ? !is_dynamic
                    : (shape->flags & BERTH_SHAPE_RESIZABLE) == 0) {
            continue;
        }
        json_t *object = json_tensor(r, i);
        if (dynamic && shape->culprit != BERTH_NONE) {
            (void)json_object_set_new(
                object, "op", json_name(report_op_type(graph, shape->culprit)));
            (void)json_object_set_new(
                object, "op_index",
                json_index(report_local_op(graph, shape->culprit)));
        }
        stream_value(s, NULL, object);
    }
    stream_close(s, ']');
}

void stream_keeps(stream *s, const berth_report *r)
{
    stream_open(s, "keep", '[');
    for (uint32_t i = 0; i < r->keep_count; ++i) {
        json_t *object = json_tensor(r, r->keeps[i].tensor);
        (void)json_object_set_new(
            object, "price_bytes",
            json_number(r->keeps[i].known, r->keeps[i].price_bytes));
        stream_value(s, NULL, object);
    }
    stream_close(s, ']');
}

void stream_warnings(stream *s, const berth_report *r)
{
    const berth_graph *graph = &r->loaded.graph;
    stream_open(s, "warnings", '[');
    for (uint32_t i = 0;
         i < graph->warning_count && i < BERTH_GRAPH_WARNINGS_MAX; ++i) {
        const berth_diag *w = &graph->warnings[i];
        stream_value(s, NULL,
                     json_pack("{ss, so, so, so}", "what", w->what, "subgraph",
                               json_index(w->subgraph), "op", json_index(w->op),
                               "tensor", json_index(w->tensor)));
    }
    stream_close(s, ']');
}

void stream_timings(stream *s, const berth_report *r)
{
    stream_value(
        s, "timings_us",
        json_pack("{sI, sI, sI, sI, sI, sI, sI, sI, sI}", "verify",
                  (json_int_t)(r->loaded.verify_ns / 1000u), "graph",
                  (json_int_t)(r->loaded.graph_ns / 1000u), "shapes",
                  (json_int_t)(r->staged.shapes_ns / 1000u), "schedule",
                  (json_int_t)(r->staged.schedule_ns / 1000u), "lifetimes",
                  (json_int_t)(r->staged.lifetimes_ns / 1000u), "plan",
                  (json_int_t)(r->plan_ns / 1000u), "peers",
                  (json_int_t)(r->peers_ns / 1000u), "what_if",
                  (json_int_t)(r->what_if_ns / 1000u), "total",
                  (json_int_t)(r->total_ns / 1000u)));
}

/* --- lists -------------------------------------------------------------------
 */

static json_t *spans_of(const berth_problem *problem, uint32_t item)
{
    json_t *spans = json_array();
    if (item == BERTH_NONE) {
        return spans;
    }
    const berth_item *it = &problem->items[item];
    for (uint32_t i = 0; i < it->span_count; ++i) {
        const berth_span span = problem->spans[it->first_span + i];
        (void)json_array_append_new(
            spans,
            json_pack("[I, I]", (json_int_t)span.born, (json_int_t)span.dead));
    }
    return spans;
}

void stream_tensors(stream *s, const berth_report *r)
{
    const berth_graph *graph = &r->loaded.graph;
    const berth_lifetimes *lifetimes = &r->staged.lifetimes;
    stream_open(s, "tensors", '[');
    for (uint32_t i = 0; i < graph->tensor_count; ++i) {
        const uint32_t item = lifetimes->item_of_tensor[i];
        const berth_shape *shape = &r->staged.shapes.of[i];
        json_t *object = json_tensor(r, i);
        json_t *more = json_pack(
            "{ss, ss, so, so, so}", "class",
            berth_class_name((berth_class)lifetimes->class_of_tensor[i]),
            "type", berth_type_name((berth_type)graph->tensors[i].type),
            "bytes",
            json_number(shape->state == BERTH_SHAPE_STATIC, shape->bytes),
            "offset",
            json_number(item != BERTH_NONE,
                        item == BERTH_NONE ? 0 : r->plan.offset[item]),
            "spans", spans_of(&lifetimes->problem, item));
        (void)json_object_update(object, more);
        json_decref(more);
        json_put_dims(object, &r->staged.shapes, i);
        stream_value(s, NULL, object);
    }
    stream_close(s, ']');
}

void stream_steps(stream *s, const berth_report *r)
{
    const berth_graph *graph = &r->loaded.graph;
    stream_open(s, "steps", '[');
    for (uint32_t i = 0; i < r->staged.schedule.step_count; ++i) {
        const berth_step *step = &r->staged.schedule.steps[i];
        stream_value(
            s, NULL,
            json_pack("{sI, ss, so, sI, sI, sI}", "step", (json_int_t)i, "kind",
                      berth_step_name((berth_step_kind)step->kind), "op",
                      json_name(report_op_type(graph, step->op)), "subgraph",
                      (json_int_t)graph->ops[step->op].subgraph, "op_index",
                      (json_int_t)report_local_op(graph, step->op),
                      "live_bytes", (json_int_t)r->live[i]));
    }
    stream_close(s, ']');
}

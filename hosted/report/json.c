/* The report for machines: one object, its keys fixed by
 * docs/report.schema.json. What has no number is null. */
#include "json_int.h"

#include <string.h>

/* --- the head ----------------------------------------------------------------
 */

static void stream_error(stream *s, const berth_report *r)
{
    const berth_load_error *error = &r->error;
    const berth_diag *diag = &error->diag;
    char why[512];
    if (r->complete) {
        stream_value(s, "error", json_null());
        return;
    }
    berth_report_why(r, why, sizeof(why));
    stream_value(
        s, "error",
        json_pack(
            "{ss, ss, so, so, so, so, so, so}", "stage",
            berth_load_stage_name(error->stage), "status",
            berth_status_name(error->status), "message",
            json_name(word_bytes(why, strlen(why))), "file_offset",
            json_number(diag->file_offset != BERTH_NOWHERE, diag->file_offset),
            "subgraph", json_index(diag->subgraph), "op", json_index(diag->op),
            "tensor", json_index(diag->tensor), "needed_bytes",
            json_number(diag->needed_bytes != BERTH_NOWHERE,
                        diag->needed_bytes)));
}

static void stream_model(stream *s, const berth_report *r)
{
    const berth_graph *graph = &r->loaded.graph;
    const berth_model *model = r->loaded.model;
    stream_value(
        s, "model",
        json_pack(
            "{so, sI, sI, sI, sI, so, sI}", "description",
            json_name(berth_model_description(model)), "file_bytes",
            (json_int_t)r->loaded.file.bytes.size, "subgraphs",
            (json_int_t)graph->subgraph_count, "operators",
            (json_int_t)graph->op_count, "tensors",
            (json_int_t)graph->tensor_count, "signature",
            r->signature == BERTH_NONE
                ? json_null()
                : json_name(berth_model_signature(model, r->signature).name),
            "subgraph", (json_int_t)r->subgraph));
}

static void stream_operators(stream *s, const berth_report *r)
{
    stream_open(s, "operators", '[');
    for (uint32_t i = 0; i < r->operator_count; ++i) {
        const berth_report_operator *kind = &r->operators[i];
        const char *builtin = berth_op_name(kind->code);
        const bool custom = kind->custom_name.size > 0;
        stream_value(
            s, NULL,
            json_pack("{so, sI, sI, sb, sI}", "name",
                      json_name(custom ? kind->custom_name
                                       : word_bytes(builtin, strlen(builtin))),
                      "code", (json_int_t)kind->code, "count",
                      (json_int_t)kind->count, "custom", (int)custom,
                      "unchecked", (json_int_t)kind->unchecked_count));
    }
    stream_close(s, ']');
}

static void stream_ends(stream *s, const berth_report *r, const char *key,
                        berth_ivec locals)
{
    const berth_graph *graph = &r->loaded.graph;
    stream_open(s, key, '[');
    for (uint32_t i = 0; i < locals.count; ++i) {
        const uint32_t tensor = graph->tensor_base[r->subgraph] +
                                (uint32_t)berth_ivec_at(locals, i);
        const berth_shape *shape = &r->staged.shapes.of[tensor];
        json_t *object = json_tensor(r, tensor);
        const berth_type type = (berth_type)graph->tensors[tensor].type;
        (void)json_object_set_new(object, "type",
                                  json_string(berth_type_name(type)));
        json_put_dims(object, &r->staged.shapes, tensor);
        (void)json_object_set_new(
            object, "bytes",
            json_number(shape->state != BERTH_SHAPE_DYNAMIC, shape->bytes));
        stream_value(s, NULL, object);
    }
    stream_close(s, ']');
}

/* --- numbers -----------------------------------------------------------------
 */

static void stream_strategies(stream *s, const berth_report *r)
{
    const berth_report_row *none = &r->rows[BERTH_STRATEGY_NONE];
    stream_open(s, "strategies", '[');
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        const berth_report_row *row = &r->rows[i];
        if (!row->wanted) {
            continue;
        }
        const bool known = row->status == BERTH_OK;
        const bool partly = row->status == BERTH_UNBOUNDED;
        const bool shares = known && none->status == BERTH_OK;
        stream_value(
            s, NULL,
            json_pack(
                "{ss, so, so, so, so, so, so, so, ss}", "name",
                berth_strategy_name((berth_strategy)i), "peak_bytes",
                json_number(known, row->peak_bytes), "bound_bytes",
                json_number(known, row->bound_bytes), "proven",
                known ? json_boolean(row->proven) : json_null(), "sound",
                known ? json_boolean(row->sound) : json_null(),
                "known_peak_bytes",
                json_number(known || (partly && row->peak_bytes > 0),
                            row->peak_bytes),
                "permille_of_none",
                json_number(shares && none->peak_bytes > 0,
                            report_permille(row->peak_bytes, none->peak_bytes)),
                "winner",
                known ? json_string(berth_strategy_name(row->winner))
                      : json_null(),
                "note",
                row->diag.what[0] != '\0' ? row->diag.what
                : row->strategy == BERTH_STRATEGY_TFLM
                    ? "activations only, not kTensorArenaSize"
                    : ""));
    }
    stream_close(s, ']');
}

static void stream_ledger(stream *s, const berth_report *r)
{
    const berth_ledger *l = &r->ledger;
    const bool known = !report_is_unbounded(r);
    const struct {
        const char *key;
        uint64_t bytes;
        bool known;
    } rows[] = {{"weights_used_bytes", l->weights_used_bytes, true},
                {"weights_encoded_bytes", l->weights_encoded_bytes, true},
                {"weights_copied_bytes", l->weights_copied_bytes, true},
                {"weights_unused_bytes", l->weights_unused_bytes, true},
                {"metadata_bytes", l->metadata_bytes, true},
                {"structure_bytes", l->structure_bytes, true},
                {"file_bytes", l->file_bytes, true},
                {"arena_bytes", l->arena_bytes, known},
                {"of_which_io_bytes", l->of_which_io_bytes, known},
                {"of_which_scratch_bytes", l->of_which_scratch_bytes, known},
                {"state_bytes", l->state_bytes, true},
                {"books_bytes", l->books_bytes, true},
                {"padding_bytes", l->padding_bytes, known},
                {"total_bytes", l->total_bytes, known},
                {"known_arena_bytes", l->arena_bytes, true},
                {"known_total_bytes", l->total_bytes, true}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        (void)json_object_set_new(object, rows[i].key,
                                  json_number(rows[i].known, rows[i].bytes));
    }
    (void)json_object_set_new(
        object, "note",
        json_string("books: what the engine itself keeps; scratch: that of "
                    "berth's own kernels"));
    stream_value(s, "ledger", object);
}

static void stream_estimate(stream *s, const berth_report *r)
{
    const berth_ledger *l = &r->ledger;
    const bool known = !report_is_unbounded(r);
    const uint64_t w = l->weights_used_bytes;
    stream_value(
        s, "estimate",
        json_pack("{sI, so, so, so, so, so}", "w_bytes", (json_int_t)w,
                  "io_bytes", json_number(known, l->of_which_io_bytes),
                  "m_bytes", json_number(known, l->arena_bytes), "sum_bytes",
                  json_number(known, w + l->arena_bytes), "m_per_w",
                  known && w > 0 ? json_real((double)l->arena_bytes / (double)w)
                                 : json_null(),
                  "w_per_file", json_real((double)w / (double)l->file_bytes)));
}

/* --- the whole ---------------------------------------------------------------
 */

static void stream_complete(stream *s, const berth_report *r)
{
    const berth_subgraph subgraph =
        berth_model_subgraph(r->loaded.model, r->subgraph);
    stream_ends(s, r, "inputs", subgraph.inputs);
    stream_ends(s, r, "outputs", subgraph.outputs);
    stream_ledger(s, r);
    stream_estimate(s, r);
    stream_budget(s, r);
    stream_strategies(s, r);
    stream_value(s, "strategy",
                 json_string(berth_strategy_name(r->options->strategy)));
    stream_peak(s, r);
    stream_reuse(s, r);
    stream_keeps(s, r);
    stream_rules(s, r);
    stream_what_if(s, r);
    stream_marked(s, r, "dynamic", true);
    stream_marked(s, r, "resizable", false);
    stream_warnings(s, r);
    stream_value(s, "step_count", json_index(r->staged.schedule.step_count));
    if (r->options->show_tensors) {
        stream_tensors(s, r);
    }
    if (r->options->show_steps) {
        stream_steps(s, r);
    }
}

bool berth_report_json(const berth_report *report, FILE *out)
{
    stream s = {.out = out};
    stream_open(&s, NULL, '{');
    stream_value(&s, "version", json_string(BERTH_VERSION));
    stream_value(&s, "schema", json_integer(1));
    stream_value(&s, "file",
                 json_name(word_bytes(report->path, strlen(report->path))));
    stream_value(&s, "verdict",
                 json_string(berth_verdict_name(report->verdict)));
    stream_value(&s, "exit_code",
                 json_integer(berth_verdict_exit_code(report->verdict)));
    stream_error(&s, report);
    if (report->reached >= BERTH_LOAD_NAMES) {
        stream_model(&s, report);
        stream_operators(&s, report);
        stream_runtime(&s, report);
    }
    if (report->complete) {
        stream_complete(&s, report);
    }
    stream_value(&s, "lent_bytes", json_number(true, report->lent_peak_bytes));
    if (report->options->show_timings) {
        stream_timings(&s, report);
    }
    stream_close(&s, '}');
    return !s.failed;
}

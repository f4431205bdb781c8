/* The report as CSV, for spreadsheets and scripts: a line for each file, or for
 * each tensor or step of it. What has no number is empty. */
#include "csv_field.h"
#include "report_int.h"

#include <inttypes.h>
#include <string.h>

static void put_name(FILE *out, const char *name)
{
    csv_put_text(out, word_bytes(name, strlen(name)));
}

static void put_number(FILE *out, bool known, uint64_t value)
{
    (void)fputc(',', out);
    if (known) {
        (void)fprintf(out, "%" PRIu64, value);
    }
}

/* What begins every line: which file, which signature of it. */
static void put_place(const berth_report *r, FILE *out)
{
    const berth_model *model = r->loaded.model;
    put_name(out, r->path);
    (void)fputc(',', out);
    if (model != NULL && r->signature < berth_model_signature_count(model)) {
        csv_put_text(out, berth_model_signature(model, r->signature).name);
    }
}

/* --- a line for each file ----------------------------------------------------
 */

static bool is_whole(const berth_report *r)
{
    return r->complete && !report_is_unbounded(r);
}

static bool tell_arena(const berth_report *r, uint64_t *value)
{
    *value = r->ledger.arena_bytes;
    return is_whole(r);
}

static bool tell_bound(const berth_report *r, uint64_t *value)
{
    *value = r->plan.bound;
    return is_whole(r);
}

static bool tell_io(const berth_report *r, uint64_t *value)
{
    *value = r->ledger.of_which_io_bytes;
    return is_whole(r);
}

static bool tell_state(const berth_report *r, uint64_t *value)
{
    *value = r->ledger.state_bytes;
    return r->complete;
}

static bool tell_books(const berth_report *r, uint64_t *value)
{
    *value = r->ledger.books_bytes;
    return r->complete;
}

static bool tell_total(const berth_report *r, uint64_t *value)
{
    *value = r->ledger.total_bytes;
    return is_whole(r);
}

static bool tell_weights(const berth_report *r, uint64_t *value)
{
    *value = r->ledger.weights_used_bytes;
    return r->complete;
}

static bool tell_file(const berth_report *r, uint64_t *value)
{
    *value = r->loaded.file.bytes.size;
    return r->reached > BERTH_LOAD_FILE && *value > 0;
}

static bool tell_operators(const berth_report *r, uint64_t *value)
{
    *value = r->loaded.graph.op_count;
    return r->reached > BERTH_LOAD_GRAPH;
}

static bool tell_peak_step(const berth_report *r, uint64_t *value)
{
    *value = r->usage.peak_step;
    return r->complete && r->usage.peak_step != BERTH_NONE;
}

static bool tell_strategy(const berth_report *r, berth_strategy strategy,
                          uint64_t *value)
{
    *value = r->rows[strategy].peak_bytes;
    return r->rows[strategy].wanted && r->rows[strategy].status == BERTH_OK;
}

static bool tell_best(const berth_report *r, uint64_t *value)
{
    return tell_strategy(r, BERTH_STRATEGY_BEST, value);
}

static bool tell_none(const berth_report *r, uint64_t *value)
{
    return tell_strategy(r, BERTH_STRATEGY_NONE, value);
}

static bool tell_tflite(const berth_report *r, uint64_t *value)
{
    return tell_strategy(r, BERTH_STRATEGY_TFLITE, value);
}

static bool tell_tflm(const berth_report *r, uint64_t *value)
{
    return tell_strategy(r, BERTH_STRATEGY_TFLM, value);
}

/* Of --runtime. */
static bool tell_tflm_arena(const berth_report *r, uint64_t *value)
{
    const bool known = r->tflm.count > 0 && r->tflm.status == BERTH_OK &&
                       r->tflm.micro[0].refusal == BERTH_MICRO_STARTS;
    *value = known ? r->tflm.micro[0].arena_min_bytes : 0;
    return known;
}

static bool tell_litert_arena(const berth_report *r, uint64_t *value)
{
    *value = r->litert.arena_bytes;
    return r->litert.asked && r->litert.status == BERTH_OK;
}

static const struct csv_figure {
    const char *name;
    bool (*tell)(const berth_report *r, uint64_t *value);
} csv_figures[] = {
    {"arena_bytes", tell_arena},
    {"bound_bytes", tell_bound},
    {"io_bytes", tell_io},
    {"state_bytes", tell_state},
    {"books_bytes", tell_books},
    {"total_bytes", tell_total},
    {"weights_bytes", tell_weights},
    {"file_bytes", tell_file},
    {"operators", tell_operators},
    {"peak_step", tell_peak_step},
    {"best_activations", tell_best},
    {"none_activations", tell_none},
    {"tflite_activations", tell_tflite},
    {"tflm_activations", tell_tflm},
    {"tflm_arena_bytes", tell_tflm_arena},
    {"litert_arena_bytes", tell_litert_arena},
};
enum { CSV_FIGURES = sizeof(csv_figures) / sizeof(csv_figures[0]) };

static void put_figures(const berth_report *r, FILE *out)
{
    put_place(r, out);
    (void)fprintf(out, ",%s", berth_verdict_name(r->verdict));
    for (size_t i = 0; i < CSV_FIGURES; ++i) {
        uint64_t value = 0;
        const bool known = csv_figures[i].tell(r, &value);
        put_number(out, known, value);
    }
    (void)fputc('\n', out);
}

/* --- a line for each tensor --------------------------------------------------
 */

static void put_life(const berth_problem *problem, uint32_t item, FILE *out)
{
    const berth_item *it = &problem->items[item];
    const berth_span *spans = &problem->spans[it->first_span];
    (void)fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", spans[0].born,
                  spans[it->span_count - 1u].dead);
    for (uint32_t i = 1; i < it->span_count; ++i) {
        (void)fprintf(out, "%s%" PRIu32 "-%" PRIu32, i == 1 ? "" : " ",
                      spans[i - 1u].dead, spans[i].born);
    }
}

/* 1x96x96x3; nothing where it is not known. */
static void put_shape(const berth_shapes *shapes, uint32_t tensor, FILE *out)
{
    const berth_shape *shape = &shapes->of[tensor];
    const int32_t *dims = berth_shape_dims(shapes, tensor);
    (void)fputc(',', out);
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        return;
    }
    for (uint32_t i = 0; i < shape->rank; ++i) {
        (void)fprintf(out, "%s%" PRId32, i == 0 ? "" : "x", dims[i]);
    }
    (void)fputs(shape->rank == 0 ? "scalar" : "", out);
}

static void put_tensor(const berth_report *r, uint32_t tensor, FILE *out)
{
    const berth_graph *graph = &r->loaded.graph;
    const berth_lifetimes *lifetimes = &r->staged.lifetimes;
    const berth_shape *shape = &r->staged.shapes.of[tensor];
    const uint32_t item = lifetimes->item_of_tensor[tensor];
    const berth_tensor info = berth_graph_tensor_info(graph, tensor);
    put_place(r, out);
    (void)fprintf(out, ",%" PRIu32 ",%" PRIu32 ",",
                  graph->tensors[tensor].subgraph,
                  report_local_tensor(graph, tensor));
    csv_put_text(out, info.name);
    (void)fprintf(out, ",%s", berth_type_name(info.type));
    put_shape(&r->staged.shapes, tensor, out);
    (void)fprintf(
        out, ",%s",
        berth_class_name((berth_class)lifetimes->class_of_tensor[tensor]));
    put_number(out, shape->state == BERTH_SHAPE_STATIC, shape->bytes);
    put_number(out, item != BERTH_NONE,
               item == BERTH_NONE ? 0 : r->plan.offset[item]);
    if (item == BERTH_NONE) {
        (void)fputs(",,,", out);
    } else {
        put_life(&lifetimes->problem, item, out);
    }
    (void)fputc('\n', out);
}

/* --- a line for each step ----------------------------------------------------
 */

static void put_step(const berth_report *r, uint32_t index, FILE *out)
{
    const berth_graph *graph = &r->loaded.graph;
    const berth_step *step = &r->staged.schedule.steps[index];
    put_place(r, out);
    (void)fprintf(out, ",%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32 ",", index,
                  berth_step_name((berth_step_kind)step->kind),
                  graph->ops[step->op].subgraph,
                  report_local_op(graph, step->op));
    csv_put_text(out, report_op_type(graph, step->op));
    put_number(out, true, r->live[index]);
    (void)fputc('\n', out);
}

/* --- the whole ---------------------------------------------------------------
 */

void berth_report_csv_head(const berth_report_options *options, FILE *out)
{
    if (options->show_tensors) {
        (void)fputs("file,signature,subgraph,tensor,name,type,shape,class,"
                    "bytes,offset,lower,upper,gaps\n",
                    out);
    } else if (options->show_steps) {
        (void)fputs("file,signature,step,kind,subgraph,operator,type,"
                    "live_bytes\n",
                    out);
    } else {
        (void)fputs("file,signature,verdict", out);
        for (size_t i = 0; i < CSV_FIGURES; ++i) {
            (void)fprintf(out, ",%s", csv_figures[i].name);
        }
        (void)fputc('\n', out);
    }
}

void berth_report_csv(const berth_report *r, FILE *out)
{
    if (r->options->show_tensors) {
        for (uint32_t i = 0; r->complete && i < r->loaded.graph.tensor_count;
             ++i) {
            put_tensor(r, i, out);
        }
    } else if (r->options->show_steps) {
        for (uint32_t i = 0; r->complete && i < r->staged.schedule.step_count;
             ++i) {
            put_step(r, i, out);
        }
    } else {
        put_figures(r, out);
    }
}

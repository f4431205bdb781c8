/* The long lists: every tensor, every step, and a line for each file. */
#include "text_int.h"

#include <string.h>

/* Columns of the list of tensors, the blank behind them included. */
enum { TENSOR_NAME = 19, TENSOR_SHAPE = 16, TENSOR_CLASS = 9 };

/* "2-5 9-11", as many as the columns hold. */
static void print_spans(const page *p, uint32_t item, size_t columns)
{
    const berth_problem *problem = &p->report->staged.lifetimes.problem;
    const berth_item *it = &problem->items[item];
    for (uint32_t i = 0; i < it->span_count; ++i) {
        const berth_span span = problem->spans[it->first_span + i];
        const size_t more = i + 1u < it->span_count ? strlen(" ...") : 0;
        char text[32];
        (void)snprintf(text, sizeof(text), "%s%u-%u", i == 0 ? "" : " ",
                       span.born, span.dead);
        if (strlen(text) + more > columns) {
            (void)fputs(i == 0 ? "..." : " ...", p->out);
            return;
        }
        (void)fputs(text, p->out);
        columns -= strlen(text);
    }
}

static void print_tensor(const page *p, uint32_t tensor)
{
    const berth_report *r = p->report;
    const berth_graph *graph = &r->loaded.graph;
    const berth_lifetimes *lifetimes = &r->staged.lifetimes;
    const berth_shape *shape = &r->staged.shapes.of[tensor];
    const uint32_t item = lifetimes->item_of_tensor[tensor];
    const berth_tensor info = berth_graph_tensor_info(graph, tensor);
    char word[WORD_NUMBER];
    char number[WORD_NUMBER] = "-";
    char dims[WORD_SHAPE];
    char text[WORD_NAME];

    uint32_t columns = TENSOR_NAME + TENSOR_SHAPE + TENSOR_CLASS;
    columns +=
        (uint32_t)fprintf(p->out, "  %-8s ", word_tensor(word, graph, tensor));
    uint32_t used = word_name(text, info.name, TENSOR_NAME - 1u);
    (void)fputs(text, p->out);
    page_pad(p, used, TENSOR_NAME);
    columns += (uint32_t)fprintf(p->out, "%-8s ", berth_type_name(info.type));
    (void)word_shape(dims, sizeof(dims), &r->staged.shapes, tensor);
    used = word_name(text, word_bytes(dims, strlen(dims)), TENSOR_SHAPE - 1u);
    (void)fputs(text, p->out);
    page_pad(p, used, TENSOR_SHAPE);
    if (shape->state == BERTH_SHAPE_STATIC) {
        (void)word_number(number, shape->bytes);
    }
    columns += (uint32_t)fprintf(p->out, "%11s ", number);
    const char *class_name =
        berth_class_name((berth_class)lifetimes->class_of_tensor[tensor]);
    (void)fputs(class_name, p->out);
    if (item != BERTH_NONE) {
        page_pad(p, (uint32_t)strlen(class_name), TENSOR_CLASS);
        columns += (uint32_t)fprintf(p->out, "%11s ",
                                     word_number(number, r->plan.offset[item]));
        print_spans(p, item,
                    columns < PAGE_COLUMNS ? PAGE_COLUMNS - columns : 0);
    }
    (void)fputc('\n', p->out);
}

void text_tensors(const page *p)
{
    page_set(p, PAGE_BOLD);
    (void)fprintf(p->out, "\n  %-8s %-*s%-8s %-*s%11s %-*s%11s %s\n", "tensor",
                  TENSOR_NAME, "name", "type", TENSOR_SHAPE, "shape", "bytes",
                  TENSOR_CLASS, "class", "offset", "steps");
    page_set(p, PAGE_PLAIN);
    for (uint32_t i = 0; i < p->report->loaded.graph.tensor_count; ++i) {
        print_tensor(p, i);
    }
}

void text_steps(const page *p)
{
    const berth_report *r = p->report;
    const uint32_t count = r->staged.schedule.step_count;
    char number[WORD_NUMBER];
    page_set(p, PAGE_BOLD);
    (void)fprintf(p->out, "\n  bytes in use in each of %u steps\n", count);
    page_set(p, PAGE_PLAIN);
    for (uint32_t i = 0; i < count; ++i) {
        (void)fputs("    ", p->out);
        page_bar(p, r->live[i], r->plan.peak, 24u);
        (void)fprintf(p->out, " %13s   ", word_number(number, r->live[i]));
        (void)page_step(p, i);
        (void)fputs(i == r->usage.peak_step ? "   <- peak\n" : "\n", p->out);
    }
}

/* --- one line a file ---------------------------------------------------------
 */

static void print_cell(FILE *out, bool known, uint64_t bytes)
{
    char number[WORD_NUMBER];
    (void)fprintf(out, " %12s", known ? word_number(number, bytes) : "-");
}

/* The first column; of a long path its end, which tells files apart. */
static void print_line_name(const page *p, berth_bytes name)
{
    char text[WORD_NAME];
    const bool cut = name.size > 31u;
    size_t skip = cut ? name.size - 30u : 0;
    while (cut && skip < name.size && (name.data[skip] & 0xC0u) == 0x80u) {
        ++skip; /* not in the middle of a character */
    }
    const uint32_t used =
        word_name(text, (berth_bytes){name.data + skip, name.size - skip},
                  cut ? 30u : 31u);
    (void)fprintf(p->out, "%s%s", cut ? "\xE2\x80\xA6" : "", text);
    page_pad(p, used + (cut ? 1u : 0u), 32u);
}

/* What a runtime's row shows, by column. */
typedef struct runtime_cell {
    berth_runtime runtime;
    const char *head;
} runtime_cell;

enum {
    CELL_SMALLEST,
    CELL_HEAD,
    CELL_TAIL,
    CELL_SECOND,
    CELL_ARENA,
    CELL_KEPT
};

static const runtime_cell runtime_cells[] = {
    [CELL_SMALLEST] = {BERTH_RUNTIME_TFLM, "tflm arena"},
    [CELL_HEAD] = {BERTH_RUNTIME_TFLM, "head"},
    [CELL_TAIL] = {BERTH_RUNTIME_TFLM, "tail"},
    [CELL_SECOND] = {BERTH_RUNTIME_TFLM, "2nd kernels"},
    [CELL_ARENA] = {BERTH_RUNTIME_LITERT, "litert"},
    [CELL_KEPT] = {BERTH_RUNTIME_LITERT, "persistent"}};

enum { RUNTIME_CELLS = sizeof(runtime_cells) / sizeof(runtime_cells[0]) };

static bool wants_cell(const berth_report_options *options, size_t cell)
{
    const berth_runtime runtime = runtime_cells[cell].runtime;
    return (options->runtime == BERTH_RUNTIME_ALL ||
            options->runtime == runtime) &&
           (cell != CELL_SECOND || options->kernels_count > 1);
}

void berth_report_runtime_head(const berth_report_options *options, FILE *out)
{
    (void)fprintf(out, "%-32s", "file");
    for (size_t i = 0; i < RUNTIME_CELLS; ++i) {
        if (wants_cell(options, i)) {
            (void)fprintf(out, " %12s", runtime_cells[i].head);
        }
    }
    (void)fputs("  verdict\n", out);
}

void berth_report_runtime_line(const berth_report *report, FILE *out)
{
    const page p = {.report = report, .out = out};
    const berth_report_tflm *tflm = &report->tflm;
    const berth_micro *second = &tflm->micro[1];
    const uint64_t bytes[RUNTIME_CELLS] = {
        [CELL_SMALLEST] = tflm->micro[0].arena_min_bytes,
        [CELL_HEAD] = tflm->micro[0].head_bytes,
        [CELL_TAIL] = tflm->micro[0].tail_bytes,
        [CELL_SECOND] = second->arena_min_bytes,
        [CELL_ARENA] = report->litert.arena_bytes,
        [CELL_KEPT] = report->litert.persistent_bytes};
    const bool micro = tflm->status == BERTH_OK && tflm->count > 0 &&
                       tflm->micro[0].refusal == BERTH_MICRO_STARTS;
    const bool litert =
        report->litert.asked && report->litert.status == BERTH_OK;
    print_line_name(&p, word_bytes(report->path, strlen(report->path)));
    for (size_t i = 0; i < RUNTIME_CELLS; ++i) {
        if (wants_cell(report->options, i)) {
            print_cell(out,
                       runtime_cells[i].runtime == BERTH_RUNTIME_TFLM ? micro
                                                                      : litert,
                       bytes[i]);
        }
    }
    const bool stuck = tflm->count > 0 && tflm->status == BERTH_OK && !micro;
    (void)fprintf(out, "  %s%s\n", berth_verdict_name(report->verdict),
                  stuck ? ", tflm will not start" : "");
}

void berth_report_line(const berth_report *report, bool by_signature, FILE *out)
{
    static const berth_strategy shown[] = {
        BERTH_STRATEGY_BEST, BERTH_STRATEGY_TFLM, BERTH_STRATEGY_TFLITE};
    const page p = {.report = report, .out = out};
    if (report == NULL) {
        (void)fprintf(out, "%-32s %12s %12s %12s %12s  %s\n",
                      by_signature ? "signature" : "file", "total", "best",
                      "tflm", "tflite", "verdict");
        return;
    }
    print_line_name(
        &p, by_signature && report->signature != BERTH_NONE
                ? berth_model_signature(report->loaded.model, report->signature)
                      .name
                : word_bytes(report->path, strlen(report->path)));
    const bool known = report->complete && !report_is_unbounded(report);
    print_cell(out, known, report->ledger.total_bytes);
    for (uint32_t i = 0; i < sizeof(shown) / sizeof(shown[0]); ++i) {
        const berth_report_row *row = &report->rows[shown[i]];
        print_cell(out, report->complete && row->status == BERTH_OK,
                   row->peak_bytes);
    }
    (void)fprintf(out, "  %s\n", berth_verdict_name(report->verdict));
}

/* The middle of the page: strategies side by side, who is large for a short
 * time, and what else should be known. */
#include "text_int.h"

#include <string.h>

/* --- strategies --------------------------------------------------------------
 */

static const char *row_note(const page *p, const berth_report_row *row,
                            char *note, size_t size)
{
    const berth_stage_options *stage = &p->report->options->stage;
    if (row->strategy == BERTH_STRATEGY_BEST) {
        (void)snprintf(note, size, "found by %s",
                       row->winner == BERTH_STRATEGY_BEST
                           ? "the search"
                           : berth_strategy_name(row->winner));
        return note;
    }
    if (row->sound && row->diag.what[0] != '\0') {
        return row->diag.what;
    }
    if (report_is_peer(row->strategy) && row->sound &&
        (stage->keep_count + stage->pin_count > 0 ||
         report_rules_set(&p->report->staged.lifetime_options) > 0)) {
        return "by its own rules, not by these";
    }
    if (row->strategy == BERTH_STRATEGY_TFLM) {
        return "activations only; see --runtime tflm";
    }
    if (row->strategy == BERTH_STRATEGY_TFLITE) {
        return row->sound ? "its arenas, at its own lifetimes"
                          : "UNSOUND: overwrites bytes still to be read";
    }
    return row->strategy == BERTH_STRATEGY_NONE ? "no reuse at all" : "";
}

/* How far above the bound of the problem that the row solved. Where tensors
 * have no size that is a part of the real one, which nothing is proven of. */
static void print_distance(const page *p, const berth_report_row *row)
{
    const uint64_t above =
        report_permille(row->peak_bytes - row->bound_bytes, row->bound_bytes);
    if (row->status == BERTH_UNBOUNDED) {
        (void)fputs("at least", p->out);
        return;
    }
    if (row->proven) {
        page_set(p, PAGE_GOOD);
        (void)fputs("proven least", p->out);
        page_set(p, PAGE_PLAIN);
        return;
    }
    (void)fprintf(p->out, "+%5llu.%llu %%", (unsigned long long)(above / 10u),
                  (unsigned long long)(above % 10u));
}

static void print_row(const page *p, const berth_report_row *row)
{
    const berth_report_row *none = &p->report->rows[BERTH_STRATEGY_NONE];
    const char *name = berth_strategy_name(row->strategy);
    char number[WORD_NUMBER];
    char text[96];
    const bool solved = row->status == BERTH_OK ||
                        (row->status == BERTH_UNBOUNDED && row->peak_bytes > 0);
    if (!solved) {
        const berth_graph *graph = &p->report->loaded.graph;
        const bool named = row->diag.subgraph == BERTH_NONE &&
                           row->diag.tensor < graph->tensor_count;
        (void)fprintf(p->out, "    %-13s %12s   no number%s%.46s%s%s\n", name,
                      "-", row->diag.what[0] == '\0' ? "" : ": ",
                      row->diag.what, named ? ": " : "",
                      named ? word_tensor(number, graph, row->diag.tensor)
                            : "");
        return;
    }
    (void)fprintf(p->out, "    %-13s %12s   ", name,
                  word_number(number, row->peak_bytes));
    const uint64_t share = report_permille(row->peak_bytes, none->peak_bytes);
    (void)fprintf(p->out, "%4llu %%    ",
                  (unsigned long long)((share + 5u) / 10u));
    print_distance(p, row);
    const char *note = row_note(p, row, text, sizeof(text));
    if (note[0] != '\0') {
        const int gap = row->status == BERTH_UNBOUNDED ? 7
                        : row->proven                  ? 3
                                                       : 5;
        (void)fprintf(p->out, "%*s%s", gap, "", note);
    }
    (void)fputc('\n', p->out);
}

void text_rows(const page *p)
{
    /* The order of the page, ours before the peers; the rest follow. */
    static const berth_strategy first[] = {
        BERTH_STRATEGY_BEST,   BERTH_STRATEGY_SIZE_BEST, BERTH_STRATEGY_TFLM,
        BERTH_STRATEGY_TFLITE, BERTH_STRATEGY_ONLINE,    BERTH_STRATEGY_NONE};
    const berth_report_row *rows = p->report->rows;
    bool printed[BERTH_STRATEGY_COUNT] = {false};
    page_set(p, PAGE_BOLD);
    (void)fprintf(p->out, "\n  %-15s %12s   %s   %s\n", "by strategy", "bytes",
                  "of none", "above bound");
    page_set(p, PAGE_PLAIN);
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); ++i) {
        print_row(p, &rows[first[i]]);
        printed[first[i]] = true;
    }
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        if (rows[i].wanted && !printed[i]) {
            print_row(p, &rows[i]);
        }
    }
}

/* --- large and short-lived ---------------------------------------------------
 */

static uint64_t steps_alive(const berth_problem *problem, uint32_t item)
{
    const berth_item *it = &problem->items[item];
    uint64_t steps = 0;
    for (uint32_t i = 0; i < it->span_count; ++i) {
        const berth_span span = problem->spans[it->first_span + i];
        steps += span.dead - span.born;
    }
    return steps;
}

/* Larger first; of two that are equal the one that lives shorter. */
static bool goes_before(const berth_problem *problem, uint32_t a, uint32_t b)
{
    const uint64_t x = problem->items[a].size;
    const uint64_t y = problem->items[b].size;
    if (x != y) {
        return x > y;
    }
    return steps_alive(problem, a) < steps_alive(problem, b);
}

enum { LARGEST_COUNT = 3 };

static uint32_t find_largest(const berth_problem *problem,
                             uint32_t top[LARGEST_COUNT])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        uint32_t at = count;
        while (at > 0 && goes_before(problem, i, top[at - 1u])) {
            if (at < LARGEST_COUNT) {
                top[at] = top[at - 1u];
            }
            --at;
        }
        if (at < LARGEST_COUNT && problem->items[i].size > 0) {
            top[at] = i;
            count += count < LARGEST_COUNT;
        }
    }
    return count;
}

void text_largest(const page *p)
{
    const berth_report *r = p->report;
    const berth_lifetimes *lifetimes = &r->staged.lifetimes;
    uint32_t top[LARGEST_COUNT] = {0};
    const uint32_t count = find_largest(&lifetimes->problem, top);
    if (count == 0) {
        return;
    }
    (void)fputs("  largest, and for how long\n", p->out);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t tensor = lifetimes->tensor_of_item[top[i]];
        const uint64_t steps = steps_alive(&lifetimes->problem, top[i]);
        char word[WORD_NUMBER] = "scratch";
        char number[WORD_NUMBER];
        char name[WORD_NAME] = "";
        if (tensor != BERTH_NONE) {
            (void)word_tensor(word, &r->loaded.graph, tensor);
            (void)word_name(
                name, berth_graph_tensor_info(&r->loaded.graph, tensor).name,
                44u);
        }
        (void)fprintf(
            p->out, "    %-9s %14s   %llu of %u step%s%s%s\n", word,
            word_number(number, lifetimes->problem.items[top[i]].size),
            (unsigned long long)steps, r->staged.schedule.step_count,
            r->staged.schedule.step_count == 1u ? "" : "s",
            name[0] == '\0' ? "" : "   ", name);
    }
}

/* --- notes -------------------------------------------------------------------
 */

/* The first tensors without a size, and the operator that is why. */
static void note_dynamic(const page *p)
{
    const berth_graph *graph = &p->report->loaded.graph;
    const berth_shapes *shapes = &p->report->staged.shapes;
    uint32_t shown = 0;
    (void)fprintf(p->out,
                  "  %u without a size until it runs: ", shapes->dynamic_count);
    for (uint32_t i = 0; i < graph->tensor_count && shown < 2u; ++i) {
        const berth_shape *shape = &shapes->of[i];
        if (shape->state != BERTH_SHAPE_DYNAMIC) {
            continue;
        }
        char word[WORD_NUMBER];
        char type[WORD_NAME];
        (void)fprintf(p->out, "%s%s", shown > 0 ? ", " : "",
                      word_tensor(word, graph, i));
        if (shape->culprit != BERTH_NONE) {
            (void)word_name(type, report_op_type(graph, shape->culprit), 14u);
            (void)fprintf(p->out, " by op %u %s",
                          report_local_op(graph, shape->culprit), type);
        }
        ++shown;
    }
    (void)fprintf(p->out, "%s\n", shown < shapes->dynamic_count ? ", ..." : "");
}

/* The inputs that may have another shape, in the words that --shape takes. */
static void note_resizable(const page *p)
{
    const berth_graph *graph = &p->report->loaded.graph;
    const berth_shapes *shapes = &p->report->staged.shapes;
    const uint32_t subgraph = p->report->subgraph;
    const berth_ivec inputs =
        berth_model_subgraph(graph->model, subgraph).inputs;
    uint32_t shown = 0; /* ? is a length that is free, the others are not */
    for (uint32_t i = 0; i < inputs.count && shown < 3u; ++i) {
        const uint32_t local = (uint32_t)berth_ivec_at(inputs, i);
        const uint32_t tensor = graph->tensor_base[subgraph] + local;
        const berth_shape *shape = &shapes->of[tensor];
        if ((shape->flags & BERTH_SHAPE_RESIZABLE) == 0 || shape->rank > 6u) {
            continue;
        }
        (void)fprintf(p->out, "%s'#%u=",
                      shown > 0 ? " "
                                : "  input shapes may change at ?: --shape ",
                      local);
        const berth_ivec signature =
            berth_graph_tensor_info(graph, tensor).signature;
        for (uint32_t k = 0; k < shape->rank; ++k) {
            (void)fputs(k > 0 ? "," : "", p->out);
            if (k < signature.count && berth_ivec_at(signature, k) < 0) {
                (void)fputc('?', p->out);
            } else {
                (void)fprintf(p->out, "%d",
                              berth_shape_dims(shapes, tensor)[k]);
            }
        }
        (void)fputc('\'', p->out);
        ++shown;
    }
    if (shown > 0) {
        (void)fputc('\n', p->out);
    }
}

/* Where more can be asked for than this page shows. */
static void note_signatures(const page *p)
{
    const berth_model *model = p->report->loaded.model;
    const uint32_t count = berth_model_signature_count(model);
    uint32_t used = 0;
    if (count < 2u || p->report->signature != BERTH_NONE) {
        return;
    }
    (void)fprintf(p->out, "  %u signatures (--signature): ", count);
    for (uint32_t i = 0; i < count; ++i) {
        char name[WORD_NAME];
        used += 2u + word_name(name, berth_model_signature(model, i).name, 30u);
        if (used > 60u) {
            (void)fputs(", ...", p->out);
            break;
        }
        (void)fprintf(p->out, "%s%s", i > 0 ? ", " : "", name);
    }
    (void)fputc('\n', p->out);
}

static void note_unchecked(const page *p)
{
    const berth_report *r = p->report;
    uint32_t shown = 0;
    (void)fputs("  the file's word for the shapes of: ", p->out);
    for (uint32_t i = 0; i < r->operator_count && shown < 2u; ++i) {
        const berth_report_operator *kind = &r->operators[i];
        const char *builtin = berth_op_name(kind->code);
        char name[WORD_NAME];
        if (kind->unchecked_count == 0) {
            continue;
        }
        (void)word_name(name,
                        kind->custom_name.size > 0
                            ? kind->custom_name
                            : word_bytes(builtin, strlen(builtin)),
                        22u);
        (void)fprintf(p->out, "%s%s %u", shown > 0 ? ", " : "", name,
                      kind->unchecked_count);
        ++shown;
    }
    (void)fputc('\n', p->out);
}

static void note_keeps(const page *p)
{
    const berth_report *r = p->report;
    for (uint32_t i = 0; i < r->keep_count; ++i) {
        char word[WORD_NUMBER];
        char number[WORD_NUMBER];
        (void)fprintf(p->out, "  keeping %s costs %s bytes\n",
                      word_tensor(word, &r->loaded.graph, r->keeps[i].tensor),
                      r->keeps[i].known
                          ? word_number(number, r->keeps[i].price_bytes)
                          : "?");
    }
}

/* Where the peer's rule goes wrong, with the names that show it. */
static void note_unsound(const page *p)
{
    const berth_report *r = p->report;
    const berth_report_row *row = &r->rows[BERTH_STRATEGY_TFLITE];
    char words[2][WORD_NUMBER] = {"?", "?"};
    if (row->status != BERTH_OK || row->sound) {
        return;
    }
    const berth_graph *graph = &r->loaded.graph;
    if (row->diag.tensor < graph->tensor_count) {
        (void)word_tensor(words[0], graph, row->diag.tensor);
    }
    if (row->diag.other < graph->tensor_count) {
        (void)word_tensor(words[1], graph, row->diag.other);
    }
    (void)fprintf(p->out, "  tflite would overwrite %s with %s\n", words[0],
                  words[1]);
}

static void note_warnings(const page *p)
{
    const berth_graph *graph = &p->report->loaded.graph;
    if (graph->warning_count == 0) {
        return;
    }
    const berth_diag *first = &graph->warnings[0];
    (void)fprintf(p->out, "  %u warning%s, the first: %.60s",
                  graph->warning_count, graph->warning_count == 1u ? "" : "s",
                  first->what);
    if (first->tensor != BERTH_NONE) {
        (void)fprintf(p->out, " (tensor #%u)", first->tensor);
    } else if (first->op != BERTH_NONE) {
        (void)fprintf(p->out, " (operator %u)", first->op);
    }
    (void)fputc('\n', p->out);
}

void text_notes(const page *p)
{
    const berth_report *r = p->report;
    const berth_shapes *shapes = &r->staged.shapes;
    char why[256];
    char line[WORD_NAME];
    text_rules(p);
    note_keeps(p);
    if (shapes->of != NULL && shapes->dynamic_count > 0) {
        note_dynamic(p);
    }
    if (shapes->of != NULL && shapes->resizable_count > 0) {
        note_resizable(p);
    }
    note_signatures(p);
    if (r->unchecked_count > 0) {
        note_unchecked(p);
    }
    if (r->complete) {
        note_unsound(p);
    } else {
        berth_report_why(r, why, sizeof(why));
        (void)word_name(line, word_bytes(why, strlen(why)), PAGE_COLUMNS - 4u);
        (void)fprintf(p->out, "  no memory figures:\n    %s\n", line);
    }
    note_warnings(p);
}

/* What other runtimes take, for people. */
#include "text_int.h"

#include <string.h>

enum {
    NOTE_MAX = 44,  /* what fits behind a figure in a line of 100 */
    DRIFT_MOST = 16 /* operators that two sets of kernels tell apart */
};

static void print_figure(const page *p, const char *label, uint64_t bytes,
                         const char *note)
{
    char number[WORD_NUMBER];
    const char *gap = note[0] == '\0'            ? ""
                      : strlen(note) <= NOTE_MAX ? "   "
                                                 : "\n      ";
    (void)fprintf(p->out, "    %-36s %12s%s%s\n", label,
                  word_number(number, bytes), gap, note);
}

/* "operator 3 CONV_2D" */
static void print_op(const page *p, uint32_t op)
{
    const berth_graph *graph = &p->report->loaded.graph;
    char type[WORD_NAME];
    (void)word_name(type, report_op_type(graph, op), 40u);
    (void)fprintf(p->out, "operator %u %s", report_local_op(graph, op), type);
}

static void print_refusal(const page *p, const berth_micro *micro)
{
    char tensor[WORD_NUMBER];
    if (micro->refusal == BERTH_MICRO_STARTS) {
        return;
    }
    page_set(p, PAGE_BAD);
    (void)fputs("  it will not start", p->out);
    page_set(p, PAGE_PLAIN);
    if (micro->refusal_op != BERTH_NONE) {
        (void)fputs(": ", p->out);
        print_op(p, micro->refusal_op);
    }
    if (micro->refusal_tensor != BERTH_NONE) {
        (void)fprintf(p->out, "%s tensor %s",
                      micro->refusal_op == BERTH_NONE ? ":" : ",",
                      word_tensor(tensor, &p->report->loaded.graph,
                                  micro->refusal_tensor));
    }
    (void)fprintf(p->out, "\n  %s", berth_micro_refusal_text(micro->refusal));
    (void)fputs("\n  the figures are what can be said, not a promise\n",
                p->out);
}

/* Whether the arena of a runtime keeps to the budget. */
static void print_fit(const page *p, uint64_t arena)
{
    const uint64_t budget = p->report->options->budget_bytes;
    const bool fits = arena <= budget;
    char words[2][WORD_NUMBER];
    if (!p->report->options->has_budget) {
        return;
    }
    (void)fprintf(p->out,
                  "  fits in %s bytes: ", word_number(words[0], budget));
    page_set(p, fits ? PAGE_GOOD : PAGE_BAD);
    (void)fputs(fits ? "yes" : "no", p->out);
    page_set(p, PAGE_PLAIN);
    (void)fprintf(p->out, ", %s %s\n",
                  word_number(words[1], fits ? budget - arena : arena - budget),
                  fits ? "left" : "missing");
}

static void print_expect(const page *p)
{
    const berth_report *r = p->report;
    char words[2][WORD_NUMBER];
    if (r->tflm.expect == BERTH_EXPECT_NOTHING ||
        r->tflm.micro[0].refusal != BERTH_MICRO_STARTS) {
        return;
    }
    (void)fprintf(p->out, "  expected %s bytes: ",
                  word_number(words[0], r->options->expect_bytes));
    (void)word_number(words[1], r->tflm.expect_off_bytes);
    page_set(p, r->tflm.expect == BERTH_EXPECT_FITS ? PAGE_GOOD : PAGE_BAD);
    if (r->tflm.expect == BERTH_EXPECT_TOO_SMALL) {
        (void)fprintf(p->out, "too small, %s missing", words[1]);
    } else if (r->tflm.expect == BERTH_EXPECT_WASTEFUL) {
        (void)fprintf(p->out, "wasteful, %s more than it needs (margin %u %%)",
                      words[1], r->options->margin_percent);
    } else {
        (void)fprintf(p->out, "right, %s to spare", words[1]);
    }
    page_set(p, PAGE_PLAIN);
    (void)fputc('\n', p->out);
}

static void print_scratch(const page *p, const berth_micro *micro)
{
    uint64_t largest = 0;
    uint32_t op = BERTH_NONE;
    for (uint32_t i = 0; i < p->report->loaded.graph.op_count; ++i) {
        if (micro->ops[i].scratch_bytes > largest) {
            largest = micro->ops[i].scratch_bytes;
            op = i;
        }
    }
    if (op != BERTH_NONE) {
        char number[WORD_NUMBER];
        (void)fprintf(p->out, "    %-36s %12s   ", "  most kernel scratch",
                      word_number(number, largest));
        print_op(p, op);
        (void)fputc('\n', p->out);
    }
}

static void print_arena(const page *p)
{
    const berth_report_tflm *tflm = &p->report->tflm;
    const berth_micro *micro = &tflm->micro[0];
    char line[96];
    page_set(p, PAGE_BOLD);
    print_figure(p, "kTensorArenaSize", micro->arena_min_bytes,
                 micro->refusal == BERTH_MICRO_STARTS
                     ? "works; 16 bytes less does not"
                     : "if it started");
    page_set(p, PAGE_PLAIN);
    const bool prepare = micro->min_cause == BERTH_MICRO_CAUSE_PREPARE;
    (void)snprintf(line, sizeof(line), "decided by the %s",
                   berth_micro_cause_text(micro->min_cause));
    print_figure(p, "arena_used_bytes()", micro->arena_used_bytes,
                 prepare ? "" : line);
    if (prepare) {
        (void)fprintf(p->out, "      %s,\n      which is ", line);
        print_op(p, micro->prepare_op);
        (void)fputc('\n', p->out);
    }
    print_figure(p, "head, planned", micro->head_bytes,
                 micro->offline ? "by the offline plan in the file" : "");
    if (micro->head_bytes != tflm->head_noscratch_bytes) {
        print_figure(p, "  without kernel scratch", tflm->head_noscratch_bytes,
                     "");
    }
    print_scratch(p, micro);
    print_figure(p, "tail, kept", micro->tail_bytes, "");
    for (uint32_t i = 0; i < BERTH_MICRO_PART_COUNT; ++i) {
        if (micro->parts[i].used_bytes > 0) {
            (void)snprintf(line, sizeof(line), "  %s",
                           berth_micro_part_text((berth_micro_part)i));
            print_figure(p, line, micro->parts[i].used_bytes, "");
        }
    }
}

static void print_resolver(const page *p)
{
    const berth_graph *graph = &p->report->loaded.graph;
    uint8_t seen[BERTH_MICRO_KINDS_MAX] = {0};
    uint32_t kinds = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        kinds += berth_micro_first_of_kind(graph, op, seen) ? 1u : 0u;
    }
    if (kinds > 0) {
        (void)fprintf(p->out,
                      "\n  to paste\n    tflite::MicroMutableOpResolver<%u> "
                      "resolver;\n",
                      kinds);
    }
    memset(seen, 0, sizeof(seen));
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (berth_micro_first_of_kind(graph, op, seen)) {
            (void)fprintf(p->out, "    resolver.%s();\n",
                          berth_micro_adder(graph, op));
        }
    }
}

static void print_lacking(const page *p)
{
    const berth_graph *graph = &p->report->loaded.graph;
    const uint32_t most = 8;
    uint32_t count = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (berth_micro_adder(graph, op) == NULL && count++ < most) {
            (void)fputs(count == 1 ? "\n  TFLM lacks\n    " : "    ", p->out);
            print_op(p, op);
            (void)fputc('\n', p->out);
        }
    }
    if (count > most) {
        (void)fprintf(p->out, "    and %u more\n", count - most);
    }
}

/* What became of a figure: "48 more". */
static void print_change(const page *p, const char *label, uint64_t before,
                         uint64_t after)
{
    char number[WORD_NUMBER];
    char note[WORD_NUMBER + 8] = "the same";
    if (before != after) {
        const bool more = after > before;
        (void)snprintf(
            note, sizeof(note), "%s %s",
            word_number(number, more ? after - before : before - after),
            more ? "more" : "less");
    }
    print_figure(p, label, after, note);
}

static void print_drift(const page *p)
{
    const berth_report_tflm *tflm = &p->report->tflm;
    const berth_micro *a = &tflm->micro[0];
    const berth_micro *b = &tflm->micro[1];
    char words[4][WORD_NUMBER];
    uint32_t found = 0;
    if (tflm->count < 2) {
        return;
    }
    (void)fprintf(p->out, "\n  with %s@%s instead\n",
                  berth_micro_kernels_name(tflm->kernels[1]),
                  berth_micro_kernels_version(tflm->kernels[1]));
    print_change(p, "kTensorArenaSize", a->arena_min_bytes, b->arena_min_bytes);
    print_change(p, "head, planned", a->head_bytes, b->head_bytes);
    print_change(p, "tail, kept", a->tail_bytes, b->tail_bytes);
    for (uint32_t op = 0; op < p->report->loaded.graph.op_count; ++op) {
        const uint64_t before = report_kept(&a->ops[op]);
        const uint64_t after = report_kept(&b->ops[op]);
        if (before == after &&
            a->ops[op].scratch_bytes == b->ops[op].scratch_bytes) {
            continue;
        }
        if (found++ >= DRIFT_MOST) {
            continue;
        }
        (void)fputs("    ", p->out);
        print_op(p, op);
        (void)fprintf(p->out, ": kept %s, now %s; scratch %s, now %s\n",
                      word_number(words[0], before),
                      word_number(words[1], after),
                      word_number(words[2], a->ops[op].scratch_bytes),
                      word_number(words[3], b->ops[op].scratch_bytes));
    }
    if (found > DRIFT_MOST) {
        (void)fprintf(p->out, "    and %u more; --format json has all\n",
                      found - DRIFT_MOST);
    }
    if (found == 0) {
        (void)fputs("    no operator takes anything else\n", p->out);
    }
}

static void text_tflm(const page *p)
{
    const berth_report_tflm *tflm = &p->report->tflm;
    page_set(p, PAGE_BOLD);
    (void)fprintf(p->out, "\n  TFLM on %s, kernels %s@%s\n",
                  berth_micro_target_name(tflm->target),
                  berth_micro_kernels_name(tflm->kernels[0]),
                  berth_micro_kernels_version(tflm->kernels[0]));
    page_set(p, PAGE_PLAIN);
    if (tflm->status != BERTH_OK) {
        (void)fprintf(p->out, "  no number: %s\n", tflm->diag.what);
        return;
    }
    print_refusal(p, &tflm->micro[0]);
    if (tflm->micro[0].refusal == BERTH_MICRO_STARTS) {
        print_fit(p, tflm->micro[0].arena_min_bytes);
    }
    print_expect(p);
    print_arena(p);
    print_resolver(p);
    print_lacking(p);
    print_drift(p);
}

/* Why there is no number: for want of which tensor's size. */
static void print_no_litert(const page *p, const berth_report_litert *litert)
{
    const berth_graph *graph = &p->report->loaded.graph;
    char tensor[WORD_NUMBER];
    (void)fprintf(p->out, "    no number: %s\n",
                  litert->asked ? litert->diag.what
                                : "its shapes are not known");
    if (litert->asked && litert->diag.subgraph == BERTH_NONE &&
        litert->diag.tensor < graph->tensor_count &&
        litert->diag.op < graph->op_count) {
        (void)fprintf(p->out, "    which is %s, of ",
                      word_tensor(tensor, graph, litert->diag.tensor));
        print_op(p, litert->diag.op);
        (void)fputc('\n', p->out);
    }
}

static void text_litert(const page *p)
{
    const berth_report_row *row = &p->report->rows[BERTH_STRATEGY_TFLITE];
    page_set(p, PAGE_BOLD);
    (void)fputs("\n  LiteRT, built-in kernels\n", p->out);
    page_set(p, PAGE_PLAIN);
    const berth_report_litert *litert = &p->report->litert;
    if (!litert->asked || litert->status != BERTH_OK) {
        print_no_litert(p, litert);
        return;
    }
    print_fit(p, litert->arena_bytes);
    page_set(p, PAGE_BOLD);
    print_figure(p, "arena, optimised kernels, one thread", litert->arena_bytes,
                 "");
    page_set(p, PAGE_PLAIN);
    print_figure(p, "  without kernel temporaries", row->peak_bytes,
                 row->sound ? ""
                            : "UNSOUND: overwrites bytes still to be read");
    print_figure(p, "persistent arena", litert->persistent_bytes,
                 litert->persistent_bytes == 0
                     ? ""
                     : "variables, decoded and kept constants");
    if (litert->stopped_op != BERTH_NONE) {
        (void)fputs("    when it is started; more while it runs, from ",
                    p->out);
        print_op(p, litert->stopped_op);
        (void)fputs(" on\n", p->out);
    }
    if (litert->unlisted_op != BERTH_NONE) {
        (void)fputs("    temporaries of ", p->out);
        print_op(p, litert->unlisted_op);
        (void)fputs(": unknown, not in these figures\n", p->out);
    }
    print_figure(p, "with XNNPACK at least", litert->io_bytes,
                 "inputs and outputs; its own share is unknown");
}

static void text_differences(const page *p)
{
    report_difference list[DIFFERENCES_MOST];
    const uint32_t count = report_differences(p->report, list);
    char tensor[WORD_NUMBER];
    char line[128];
    page_set(p, PAGE_BOLD);
    (void)fputs("\n  why they differ\n", p->out);
    page_set(p, PAGE_PLAIN);
    for (uint32_t i = 0; i < count; ++i) {
        char number[WORD_NUMBER + 1] = "-";
        const bool less = list[i].bytes < 0;
        const bool named = list[i].tensor != BERTH_NONE;
        (void)snprintf(line, sizeof(line), "%s%s%s", list[i].text,
                       named ? " " : "",
                       named ? word_tensor(tensor, &p->report->loaded.graph,
                                           list[i].tensor)
                             : "");
        (void)word_number(number + (less ? 1 : 0),
                          (uint64_t)(less ? -list[i].bytes : list[i].bytes));
        (void)fprintf(p->out, "    %-7s %-65s %12s\n",
                      berth_runtime_name(list[i].runtime), line, number);
    }
}

void text_runtime(const page *p)
{
    const berth_report *r = p->report;
    if (r->options->runtime == BERTH_RUNTIME_ALL && r->complete) {
        (void)fputc('\n', p->out);
        print_figure(p, "berth's arena", r->plan.peak, "");
    }
    if (report_wants(r, BERTH_RUNTIME_TFLM)) {
        text_tflm(p);
    }
    if (report_wants(r, BERTH_RUNTIME_LITERT)) {
        text_litert(p);
    }
    if (r->options->runtime == BERTH_RUNTIME_ALL) {
        text_differences(p);
    }
}

/* The report for people: the answer first, then the sum, then why. */
#include "text_int.h"

#include <string.h>

void page_set(const page *p, page_style style)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[32m",
                                        "\033[31m"};
    if (p->colour) {
        (void)fputs(codes[style], p->out);
    }
}

void page_pad(const page *p, uint32_t used, uint32_t columns)
{
    const int blanks = used < columns ? (int)(columns - used) : 1;
    (void)fprintf(p->out, "%*s", blanks, "");
}

/* Eighths of a block, so that short bars differ too. */
void page_bar(const page *p, uint64_t part, uint64_t whole, uint32_t columns)
{
    static const char *const eighths[] = {"",
                                          "\xE2\x96\x8F",
                                          "\xE2\x96\x8E",
                                          "\xE2\x96\x8D",
                                          "\xE2\x96\x8C",
                                          "\xE2\x96\x8B",
                                          "\xE2\x96\x8A",
                                          "\xE2\x96\x89"};
    uint64_t cells = report_permille(part, whole) * columns * 8u / 1000u;
    if (cells == 0 && part > 0) {
        cells = 1;
    }
    for (uint64_t i = 0; i < cells / 8u; ++i) {
        (void)fputs("\xE2\x96\x88", p->out);
    }
    (void)fputs(eighths[cells % 8u], p->out);
    const uint32_t used = (uint32_t)((cells + 7u) / 8u);
    (void)fprintf(p->out, "%*s", (int)(columns - used), "");
}

uint32_t page_step(const page *p, uint32_t step)
{
    const berth_graph *graph = &p->report->loaded.graph;
    const berth_step *at = &p->report->staged.schedule.steps[step];
    char type[WORD_NAME];
    char text[WORD_NAME + 64];
    const uint32_t columns =
        word_name(type, report_op_type(graph, at->op), 24u);
    const int whole =
        at->kind == BERTH_STEP_OP
            ? snprintf(text, sizeof(text), "step %u, operator %u %s", step,
                       report_local_op(graph, at->op), type)
            : snprintf(text, sizeof(text), "step %u, %s of operator %u %s",
                       step, berth_step_name((berth_step_kind)at->kind),
                       report_local_op(graph, at->op), type);
    (void)fputs(text, p->out);
    return (uint32_t)whole - (uint32_t)strlen(type) + columns;
}

/* --- what model this is ------------------------------------------------------
 */

/* The last part of a path, escaped. */
static uint32_t print_base_name(const page *p, uint32_t columns)
{
    const char *slash = strrchr(p->report->path, '/');
    const char *base = slash == NULL ? p->report->path : slash + 1;
    char name[WORD_NAME];
    const berth_bytes bytes = strcmp(base, "-") == 0
                                  ? word_bytes("standard input", 14u)
                                  : word_bytes(base, strlen(base));
    const uint32_t used = word_name(name, bytes, columns);
    (void)fputs(name, p->out);
    return used;
}

static void print_operator_kinds(const page *p)
{
    const berth_report *r = p->report;
    uint32_t used = 2;
    (void)fputs("  ", p->out);
    for (uint32_t i = 0; i < r->operator_count; ++i) {
        const berth_report_operator *kind = &r->operators[i];
        const char *builtin = berth_op_name(kind->code);
        char name[WORD_NAME];
        const uint32_t columns = word_name(
            name,
            kind->custom_name.size > 0 ? kind->custom_name
                                       : word_bytes(builtin, strlen(builtin)),
            30u);
        if (used + columns + 26u > PAGE_COLUMNS) {
            (void)fprintf(p->out, "%u more types", r->operator_count - i);
            break;
        }
        const int digits = fprintf(p->out, "%s %u%s", name, kind->count,
                                   i + 1u < r->operator_count ? ", " : "");
        used += columns + (uint32_t)digits - (uint32_t)strlen(name);
    }
    (void)fputc('\n', p->out);
}

void text_head(const page *p)
{
    const berth_report *r = p->report;
    const berth_graph *graph = &r->loaded.graph;
    char size[WORD_NUMBER];
    char name[WORD_NAME];
    page_set(p, PAGE_BOLD);
    (void)print_base_name(p, 44u);
    page_set(p, PAGE_PLAIN);
    (void)fprintf(p->out, "   %u operator%s   %s bytes", graph->op_count,
                  graph->op_count == 1u ? "" : "s",
                  word_number(size, r->loaded.file.bytes.size));
    if (r->signature != BERTH_NONE) {
        (void)word_name(
            name, berth_model_signature(r->loaded.model, r->signature).name,
            20u);
        (void)fprintf(p->out, "   signature %s", name);
    } else if (graph->subgraph_count > 1u) {
        (void)fprintf(p->out, "   subgraph %u of %u", r->subgraph,
                      graph->subgraph_count);
    }
    (void)fputc('\n', p->out);
    if (r->operator_count > 0) {
        print_operator_kinds(p);
    }
}

/* --- does it fit -------------------------------------------------------------
 */

/* How much of the total it holds, and when. */
static void print_part(const page *p, const berth_report_alive *part)
{
    if (part->role == BERTH_ROLE_STATE) {
        (void)fputs(", state between runs\n", p->out);
    } else if (part->role == BERTH_ROLE_ELSEWHERE) {
        (void)fprintf(p->out, ", steps %u to %u\n", part->span.born,
                      part->span.dead);
    } else {
        (void)fprintf(p->out, ", %s at the peak\n",
                      berth_report_role_name(part->role));
    }
}

static void print_blame(const page *p)
{
    const berth_graph *graph = &p->report->loaded.graph;
    for (uint32_t i = 0; i < p->report->blame_count; ++i) {
        const berth_report_alive *part = &p->report->blame[i];
        char number[WORD_NUMBER];
        char tensor[WORD_NUMBER] = "scratch";
        char name[WORD_NAME] = "";
        if (part->tensor != BERTH_NONE) {
            (void)word_tensor(tensor, graph, part->tensor);
            (void)word_name(
                name, berth_graph_tensor_info(graph, part->tensor).name, 42u);
        }
        (void)fprintf(p->out, "    %-9s %14s   %s", tensor,
                      word_number(number, part->bytes), name);
        print_part(p, part);
    }
}

void text_fit(const page *p)
{
    const berth_report *r = p->report;
    const uint64_t budget = r->options->budget_bytes;
    char limit[WORD_NUMBER];
    char rest[WORD_NUMBER];
    if (!r->options->has_budget) {
        return;
    }
    (void)fprintf(p->out, "\n  fits in %s bytes: ", word_number(limit, budget));
    if (r->missing_bytes > 0) {
        page_set(p, PAGE_BAD);
        (void)fputs("no", p->out);
        page_set(p, PAGE_PLAIN);
        (void)fprintf(p->out, ", %s%s missing; to blame:\n",
                      report_is_unbounded(r) ? "at least " : "",
                      word_number(rest, r->missing_bytes));
        print_blame(p);
    } else if (report_is_unbounded(r)) {
        (void)fputs("cannot be told, tensors without a size\n", p->out);
    } else {
        page_set(p, PAGE_GOOD);
        (void)fputs("yes", p->out);
        page_set(p, PAGE_PLAIN);
        (void)fprintf(p->out, ", %s left\n",
                      word_number(rest, budget - r->ledger.total_bytes));
    }
}

/* --- the sum -----------------------------------------------------------------
 */

static void print_entry(const page *p, const char *label, uint64_t bytes,
                        const char *note)
{
    char number[WORD_NUMBER];
    (void)fprintf(p->out, "    %-20s %14s%s%s\n", label,
                  word_number(number, bytes), note[0] == '\0' ? "" : "   ",
                  note);
}

static void arena_note(const berth_report *r, char *note, size_t size)
{
    char io[WORD_NUMBER];
    char scratch[WORD_NUMBER];
    int at = 0;
    if (report_is_unbounded(r)) {
        at = snprintf(note, size, "at least, %u unsized; ",
                      r->staged.lifetimes.dynamic_count);
    } else if (r->plan.proof == BERTH_PROOF_PROVEN) {
        at = snprintf(note, size, "proven least; ");
    }
    const bool has_scratch = r->ledger.of_which_scratch_bytes > 0;
    at += snprintf(note + at, size - (size_t)at, "%s %s",
                   has_scratch ? "IO" : "input and output",
                   word_number(io, r->ledger.of_which_io_bytes));
    if (has_scratch) {
        at += snprintf(note + at, size - (size_t)at, ", scratch %s",
                       word_number(scratch, r->ledger.of_which_scratch_bytes));
    }
    (void)snprintf(note + at, size - (size_t)at, " inside");
}

/* Two decimals while they say something. */
static const char *ratio(char *text, uint64_t part, uint64_t whole)
{
    if (part / whole >= 1000u) {
        return word_number(text, part / whole);
    }
    (void)snprintf(text, WORD_NUMBER, "%.2f", (double)part / (double)whole);
    return text;
}

static void print_estimate(const page *p)
{
    const berth_report *r = p->report;
    const uint64_t w = r->ledger.weights_used_bytes;
    const uint64_t arena = r->ledger.arena_bytes;
    char words[4][WORD_NUMBER];
    char sum[PAGE_COLUMNS * 2];
    char ratios[PAGE_COLUMNS] = "";
    const int columns =
        snprintf(sum, sizeof(sum), "  estimate  W %s + M %s (IO %s of it) = %s",
                 word_number(words[0], w), word_number(words[1], arena),
                 word_number(words[2], r->ledger.of_which_io_bytes),
                 word_number(words[3], w + arena));
    if (w > 0) {
        (void)snprintf(ratios, sizeof(ratios), "   M/W %s   W/file %s",
                       ratio(words[0], arena, w),
                       ratio(words[1], w, r->ledger.file_bytes));
    }
    const bool fits = (size_t)columns + strlen(ratios) <= (size_t)PAGE_COLUMNS;
    (void)fprintf(p->out, "%s%s%s\n", sum, fits ? "" : "\n         ", ratios);
}

void text_ledger(const page *p)
{
    const berth_report *r = p->report;
    const berth_ledger *l = &r->ledger;
    char note[160];
    char words[3][WORD_NUMBER];
    page_set(p, PAGE_BOLD);
    (void)fprintf(p->out, "\n  %-22s %14s\n", "memory to lend", "bytes");
    page_set(p, PAGE_PLAIN);
    arena_note(r, note, sizeof(note));
    (void)snprintf(words[0], sizeof(words[0]), "arena, %s",
                   berth_strategy_name(r->options->strategy));
    print_entry(p, words[0], l->arena_bytes, note);
    print_entry(p, "state", l->state_bytes, "");
    print_entry(p, "books", l->books_bytes,
                l->weights_copied_bytes > 0
                    ? "what the engine keeps, and copies of misaligned weights"
                    : "what the engine itself keeps");
    if (l->padding_bytes > 0) {
        print_entry(p, "padding", l->padding_bytes, "");
    }
    page_set(p, PAGE_BOLD);
    print_entry(p, "total", l->total_bytes,
                report_is_unbounded(r) ? "at least" : "");
    page_set(p, PAGE_PLAIN);
    (void)snprintf(
        note, sizeof(note), "in place; file %s: unused %s, the rest %s",
        word_number(words[0], l->file_bytes),
        word_number(words[1], l->weights_unused_bytes),
        word_number(words[2], l->metadata_bytes + l->structure_bytes));
    print_entry(p, "weights", l->weights_used_bytes, note);
    if (l->weights_encoded_bytes > 0) {
        print_entry(p, "  of which encoded", l->weights_encoded_bytes,
                    "float16, packed, sparse: decoded to be used");
    }
    if (l->weights_copied_bytes > 0) {
        print_entry(p, "  of which copied", l->weights_copied_bytes,
                    "they lie misaligned in the file");
    }
    print_estimate(p);
}

/* --- the page ----------------------------------------------------------------
 */

static void text_lists(const page *p)
{
    const berth_report *r = p->report;
    if (!r->complete) {
        return;
    }
    if (r->options->runtime != BERTH_RUNTIME_NONE &&
        (r->options->show_tensors || r->options->show_steps)) {
        (void)fputs("\n  where berth's own plan puts them\n", p->out);
    }
    if (r->options->show_tensors) {
        text_tensors(p);
    }
    if (r->options->show_steps) {
        text_steps(p);
    }
    if (r->options->runtime != BERTH_RUNTIME_NONE) {
        text_what_if(p); /* made only if asked for */
    }
}

void berth_report_text(const berth_report *report, FILE *out, bool colour)
{
    const page p = {.report = report, .out = out, .colour = colour};
    if (report->reached < BERTH_LOAD_NAMES) {
        return; /* no model to speak of */
    }
    text_head(&p);
    if (report->options->runtime != BERTH_RUNTIME_NONE) {
        text_runtime(&p);
        text_lists(&p); /* berth's own, for who asks for them */
        return;         /* a page of its own */
    }
    if (!report->complete) {
        text_notes(&p);
        return;
    }
    text_fit(&p);
    text_ledger(&p);
    text_rows(&p);
    if (report->usage.peak_step != BERTH_NONE) {
        text_peak(&p);
    }
    if (report->blame_count == 0) {
        text_largest(&p); /* else the tensors to blame are named above */
    }
    text_what_if(&p);
    text_notes(&p);
    text_lists(&p);
}

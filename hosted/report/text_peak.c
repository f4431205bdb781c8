/* Why the peak is what it is: the step, who is alive there, and until when. */
#include "text_int.h"

#include <string.h>

/* "op 7 ADD", "back of op 1 WHILE"; returns its columns. */
static uint32_t print_reader(const page *p, uint32_t reader)
{
    const berth_graph *graph = &p->report->loaded.graph;
    const berth_step *step = &p->report->staged.schedule.steps[reader];
    const berth_step_kind kind = (berth_step_kind)step->kind;
    const bool plain = kind == BERTH_STEP_OP;
    char type[WORD_NAME];
    const uint32_t columns =
        word_name(type, report_op_type(graph, step->op), 17u);
    const int whole =
        fprintf(p->out, "%s%sop %u %s", plain ? "" : berth_step_name(kind),
                plain ? "" : " of ", report_local_op(graph, step->op), type);
    return (uint32_t)whole - (uint32_t)strlen(type) + columns;
}

/* Why it is there: the step, the next that reads it, or a wish. */
static uint32_t print_reason(const page *p, const berth_report_alive *alive)
{
    const berth_item *item =
        &p->report->staged.lifetimes.problem.items[alive->item];
    const bool waits = alive->role == BERTH_ROLE_WAITS;
    uint32_t used = 0;
    if (waits && (item->flags & BERTH_ITEM_PINNED) != 0) {
        return (uint32_t)fprintf(p->out, "pinned");
    }
    used = (uint32_t)fprintf(
        p->out, "%s", waits ? "waits" : berth_report_role_name(alive->role));
    if (alive->reader != BERTH_NONE) {
        used += (uint32_t)fprintf(p->out, "%sfor ", waits ? " " : ", ");
        used += print_reader(p, alive->reader);
    } else if ((item->flags & BERTH_ITEM_OUTPUT) != 0) {
        used +=
            (uint32_t)fprintf(p->out, "%sfor the caller", waits ? " " : ", ");
    } else if (waits) {
        used += (uint32_t)fprintf(p->out, " to the end of step %u",
                                  alive->span.dead - 1u);
    }
    return used;
}

/* Columns of a row of the peak: those before the reason, and the reason's. */
enum { ALIVE_FRONT = 47, ALIVE_REASON = 39 };

/* In what the reason leaves of the line; an empty name leaves no blanks. */
static void print_name_behind(const page *p, uint32_t tensor, uint32_t used)
{
    const berth_bytes bytes =
        berth_graph_tensor_info(&p->report->loaded.graph, tensor).name;
    const uint32_t from = used < ALIVE_REASON ? ALIVE_REASON : used + 1u;
    char name[WORD_NAME];
    if (ALIVE_FRONT + from + 4u < PAGE_COLUMNS &&
        word_name(name, bytes, PAGE_COLUMNS - ALIVE_FRONT - from) > 0) {
        page_pad(p, used, ALIVE_REASON);
        (void)fputs(name, p->out);
    }
}

static void print_alive(const page *p, const berth_report_alive *alive)
{
    const berth_graph *graph = &p->report->loaded.graph;
    const uint64_t share = report_permille(alive->bytes, p->report->plan.peak);
    char tensor[WORD_NUMBER] = "scratch";
    char number[WORD_NUMBER];
    if (alive->tensor != BERTH_NONE) {
        (void)word_tensor(tensor, graph, alive->tensor);
    }
    (void)fprintf(p->out, "    %-9s ", tensor);
    page_bar(p, alive->bytes, p->report->alive[0].bytes, 10u);
    (void)fprintf(p->out, " %13s %3llu %%   ",
                  word_number(number, alive->bytes),
                  (unsigned long long)((share + 5u) / 10u));
    const uint32_t used = print_reason(p, alive);
    if (alive->tensor != BERTH_NONE) {
        print_name_behind(p, alive->tensor, used);
    }
    (void)fputc('\n', p->out);
}

static void print_idle(const page *p)
{
    const berth_report *r = p->report;
    char words[3][WORD_NUMBER];
    const uint64_t idle = r->plan.peak - r->usage.peak_live_bytes;
    (void)fprintf(p->out, "    idle there %s", word_number(words[0], idle));
    for (uint32_t i = 0; i < r->idle_count && i < 2u; ++i) {
        (void)fprintf(p->out, "%s%s to %s", i == 0 ? ": " : ", ",
                      word_number(words[1], r->idle[i].from),
                      word_number(words[2], r->idle[i].end));
    }
    (void)fprintf(p->out, "%s\n", r->idle_count > 2u ? ", ..." : "");
}

void text_peak(const page *p)
{
    const berth_report *r = p->report;
    const uint32_t most = 5;
    char words[2][WORD_NUMBER];
    page_set(p, PAGE_BOLD);
    (void)fputs("\n  peak at ", p->out);
    (void)page_step(p, r->usage.peak_step);
    page_set(p, PAGE_PLAIN);
    (void)fprintf(p->out, ", %s bytes in use\n",
                  word_number(words[0], r->usage.peak_live_bytes));
    uint64_t rest = 0;
    for (uint32_t i = 0; i < r->alive_count; ++i) {
        if (i < most) {
            print_alive(p, &r->alive[i]);
        } else {
            rest += r->alive[i].bytes;
        }
    }
    if (r->alive_count > most) {
        (void)fprintf(p->out, "    and %u more, %s\n", r->alive_count - most,
                      word_number(words[0], rest));
    }
    print_idle(p);
    (void)fprintf(p->out,
                  "  %u buffer%s in the arena; %u stand%s on bytes that an "
                  "earlier one left (%s)\n",
                  r->usage.buffer_count, r->usage.buffer_count == 1u ? "" : "s",
                  r->usage.reused_count, r->usage.reused_count == 1u ? "s" : "",
                  word_number(words[1], r->usage.reused_bytes));
}

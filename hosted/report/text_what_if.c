/* The list of what other rules would win or cost, and the rules that the page
 * was made by. */
#include "text_int.h"

#include <string.h>

/* Rows of a page that was not asked for the whole list. */
enum { ROWS_MOST = 6 };

/* "--hold-inputs", "--lag 1", "without --lag"; returns its columns. */
static uint32_t print_rules(const page *p, uint32_t rules)
{
    const uint32_t set = report_rules_set(&p->report->staged.lifetime_options);
    int columns = 0;
    for (uint32_t i = 0; i < BERTH_RULE_COUNT; ++i) {
        if (((rules >> i) & 1u) != 0) {
            columns += fprintf(
                p->out, "%s%s--%s%s", columns > 0 ? " " : "",
                ((set >> i) & 1u) != 0 ? "without " : "",
                berth_rule_name((berth_rule)i),
                i == BERTH_RULE_LAG && ((set >> i) & 1u) == 0 ? " 1" : "");
        }
    }
    return (uint32_t)columns;
}

static void print_difference(const page *p, uint64_t arena)
{
    const uint64_t now = p->report->plan.peak;
    const uint64_t by = arena < now ? now - arena : arena - now;
    const uint64_t permille = report_permille(by, now);
    const char *sign = arena < now ? "-" : "+";
    char number[WORD_NUMBER];
    char text[WORD_NUMBER + 2];
    char share[WORD_NUMBER + 2] = "";
    (void)snprintf(text, sizeof(text), "%s%s", sign, word_number(number, by));
    if (now > 0) {
        (void)snprintf(share, sizeof(share), "%s%llu.%llu %%", sign,
                       (unsigned long long)(permille / 10u),
                       (unsigned long long)(permille % 10u));
    }
    (void)fprintf(p->out, " %12s %8s", text, share);
}

/* Into the budget, which the report's own arena does not fit. */
static bool makes_it_fit(const berth_report *report,
                         const berth_report_change *change)
{
    return report->missing_bytes > 0 && !report_is_unbounded(report) &&
           change->total_bytes <= report->options->budget_bytes;
}

static void print_change(const page *p, const berth_report_change *change)
{
    char number[WORD_NUMBER];
    (void)fputs("    ", p->out);
    page_pad(p, print_rules(p, change->rules), 29u);
    if (!change->known) {
        (void)fprintf(p->out, "%12s %12s %9s  %s\n", "-", "", "", "no number");
        return;
    }
    (void)fprintf(p->out, "%12s", word_number(number, change->arena_bytes));
    print_difference(p, change->arena_bytes);
    (void)fprintf(p->out, "  %s", change->text);
    (void)fputs(makes_it_fit(p->report, change) ? ", fits\n"
                : change->proven                ? "\n"
                                                : ", at most\n",
                p->out);
}

static bool changes_nothing(const page *p, const berth_report_change *change)
{
    return change->known && change->arena_bytes == p->report->plan.peak;
}

/* One line, or two where there are many. */
static void print_unchanged(const page *p)
{
    static const char head[] = "    nothing changes: ";
    const berth_report *r = p->report;
    size_t used = 0;
    for (uint32_t i = 0; i < r->change_count; ++i) {
        const char *text = r->changes[i].text;
        if (!changes_nothing(p, &r->changes[i])) {
            continue;
        }
        if (used == 0) {
            (void)fputs(head, p->out);
            used = sizeof(head) - 1u;
        } else if (used + strlen(text) + 3u > PAGE_COLUMNS) {
            (void)fprintf(p->out, ",\n%*s", (int)sizeof(head) - 1, "");
            used = sizeof(head) - 1u;
        } else {
            (void)fputs(", ", p->out);
            used += 2u;
        }
        (void)fputs(text, p->out);
        used += strlen(text);
    }
    (void)fputs(used > 0 ? "\n" : "", p->out);
}

void text_what_if(const page *p)
{
    const berth_report *r = p->report;
    const bool whole = r->options->what_if == BERTH_WHAT_IF_ALWAYS;
    uint32_t shown = 0;
    uint32_t left = r->changes_left;
    if (r->change_count == 0) {
        (void)fputs(r->options->what_if == BERTH_WHAT_IF_NEVER
                        ? ""
                        : "\n  what if the rules were others: costly here, "
                          "see --what-if\n",
                    p->out);
        return;
    }
    page_set(p, PAGE_BOLD);
    (void)fprintf(p->out, "\n  %-31s%12s %12s%s\n", "what if, planned anew",
                  "arena", "change",
                  report_is_unbounded(r) ? "   of what has a size" : "");
    page_set(p, PAGE_PLAIN);
    for (uint32_t i = 0; i < r->change_count; ++i) {
        if (changes_nothing(p, &r->changes[i])) {
            continue;
        }
        if (whole || shown < ROWS_MOST) {
            print_change(p, &r->changes[i]);
            ++shown;
        } else {
            ++left;
        }
    }
    if (left > 0) {
        (void)fprintf(p->out, "    and %u more; see --what-if\n", left);
    }
    print_unchanged(p);
}

void text_rules(const page *p)
{
    const berth_lifetime_options *options = &p->report->staged.lifetime_options;
    const uint32_t set = report_rules_set(options);
    if (set == 0) {
        return;
    }
    (void)fputs("  planned with", p->out);
    for (uint32_t i = 0; i < BERTH_RULE_COUNT; ++i) {
        if (((set >> i) & 1u) != 0) {
            (void)fprintf(p->out, " --%s", berth_rule_name((berth_rule)i));
        }
    }
    if (options->lag > 0) {
        (void)fprintf(p->out, " %u", options->lag);
    }
    (void)fputc('\n', p->out);
}

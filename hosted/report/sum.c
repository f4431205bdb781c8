/* Several signatures of one model, of which one runs at a time: they share an
 * arena as large as the largest needs, and one block of state. */
#include "json_int.h"

void berth_report_sum_begin(berth_report_sum *sum,
                            const berth_report_options *options)
{
    *sum = (berth_report_sum){.known = true,
                              .budget_bytes = options->has_budget
                                                  ? options->budget_bytes
                                                  : BERTH_NOWHERE};
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void berth_report_sum_add(berth_report_sum *sum, const berth_report *report)
{
    berth_ledger *all = &sum->ledger;
    const berth_ledger *one = &report->ledger;
    /* That one alone fits or not is no news for all. */
    if (report->verdict > BERTH_VERDICT_UNFIT &&
        report->verdict > sum->verdict) {
        sum->verdict = report->verdict;
    }
    if (!report->complete) {
        sum->known = false;
        return;
    }
    sum->known = sum->known && !report_is_unbounded(report);
    all->arena_bytes = larger_of(all->arena_bytes, one->arena_bytes);
    all->state_bytes =
        larger_of(all->state_bytes, report->staged.lifetimes.model_state_bytes);
    if (!berth_add_u64(all->books_bytes, one->books_bytes, &all->books_bytes)) {
        sum->known = false;
    }
}

void berth_report_sum_close(berth_report_sum *sum)
{
    if (!berth_ledger_cut(&sum->ledger)) {
        sum->known = false;
        sum->verdict = sum->verdict > BERTH_VERDICT_NO_NUMBER
                           ? sum->verdict
                           : BERTH_VERDICT_NO_NUMBER;
        return;
    }
    if (sum->ledger.total_bytes > sum->budget_bytes &&
        sum->verdict < BERTH_VERDICT_UNFIT) {
        sum->verdict = BERTH_VERDICT_UNFIT;
    }
}

void berth_report_sum_line(const berth_report_sum *sum, FILE *out)
{
    char words[3][WORD_NUMBER];
    (void)fprintf(
        out, "%-32s %12s   arena %s, state %s%s  %s\n", "all",
        sum->known ? word_number(words[0], sum->ledger.total_bytes) : "-",
        word_number(words[1], sum->ledger.arena_bytes),
        word_number(words[2], sum->ledger.state_bytes),
        sum->known ? "" : " at least", berth_verdict_name(sum->verdict));
}

bool berth_report_sum_json(const berth_report_sum *sum, FILE *out)
{
    const berth_ledger *l = &sum->ledger;
    json_t *object =
        json_pack("{ss, sI, so, so, so, so, so}", "verdict",
                  berth_verdict_name(sum->verdict), "exit_code",
                  (json_int_t)berth_verdict_exit_code(sum->verdict),
                  "arena_bytes", json_number(sum->known, l->arena_bytes),
                  "state_bytes", json_number(sum->known, l->state_bytes),
                  "books_bytes", json_number(sum->known, l->books_bytes),
                  "padding_bytes", json_number(sum->known, l->padding_bytes),
                  "total_bytes", json_number(sum->known, l->total_bytes));
    if (object == NULL) {
        return false;
    }
    (void)json_dumpf(object, out, 0);
    json_decref(object);
    return true;
}

/* report_int.h: the parts of a report, and words for numbers and names. */
#ifndef BERTH_HOSTED_REPORT_INT_H
#define BERTH_HOSTED_REPORT_INT_H

#include "berth/hosted/report.h"

/* --- filling ------------------------------------------------------------- */

/* A block that lives as long as the report; NULL: no memory. */
void *report_take(berth_report *report, size_t count, size_t item_bytes);

/* False, with report->error set: no memory. */
bool report_no_memory(berth_report *report, size_t bytes);

/* Each fills its part; false: report->error tells why. */
bool report_count_operators(berth_report *report);
bool report_solve_peers(berth_report *report); /* needs shapes only */
bool report_solve_rows(berth_report *report);
bool report_solve_plan(berth_report *report);
bool report_account(berth_report *report);
bool report_find_alive(berth_report *report);
bool report_price_keeps(berth_report *report);
bool report_try_changes(berth_report *report);

/* runtime.c: what other runtimes take; needs the graph only. False: no
 * memory. What cannot be told lies in the report. */
bool report_ask_tflm(berth_report *report);
void report_forget_tflm(berth_report *report);

/* Needs shapes too. */
bool report_ask_litert(berth_report *report);

/* Whether a runtime is among those asked for. */
static inline bool report_wants(const berth_report *report,
                                berth_runtime runtime)
{
    return report->options->runtime == runtime ||
           (report->options->runtime == BERTH_RUNTIME_ALL &&
            runtime != BERTH_RUNTIME_NONE);
}

/* What an operator keeps in TFLM's tail, without padding. */
static inline uint64_t report_kept(const berth_micro_op *op)
{
    return op->options_bytes + op->init_bytes + op->prepare_bytes;
}

/* Why runtimes differ: a line with its bytes, from berth's arena to theirs. */
typedef struct report_difference {
    berth_runtime runtime; /* whose figure it explains; NONE: berth's own */
    const char *text;
    uint32_t tensor; /* the one it is about, or BERTH_NONE */
    int64_t bytes;   /* below zero: the runtime takes less */
} report_difference;

enum { DIFFERENCES_MOST = 32 };

/* Fills at most DIFFERENCES_MOST; returns how many. Where berth and a runtime
 * both have a number, berth's arena and the lines of that runtime add up to all
 * that the runtime takes: TFLM's smallest arena, LiteRT's two. */
uint32_t report_differences(const berth_report *report,
                            report_difference *list);

/* Fills report->blame of a complete report that is over its budget. */
void report_blame(berth_report *report);

/* Solves a problem with one strategy into plan->offset (lent). */
berth_status report_solve(berth_port *port, const berth_problem *problem,
                          berth_strategy strategy, berth_plan *plan,
                          berth_diag *diag);

/* The arena under other rules: planned anew by the report's strategy, and
 * judged by both judges. Fills all of `plan` but its offsets; `outside`: bytes
 * of tensors that are in the arena of the report, and not in this. */
typedef struct report_trial {
    berth_plan plan;
    bool same; /* the problem is the report's own */
    uint64_t books_bytes;
    uint64_t outside_bytes;
} report_trial;

berth_status report_try_rules(const berth_report *report,
                              const berth_lifetime_options *rules,
                              report_trial *trial, berth_diag *diag);

/* 1 << berth_rule of each that is set. */
uint32_t report_rules_set(const berth_lifetime_options *options);

/* --- questions ----------------------------------------------------------- */

/* Why no number: a tensor of the signature has no size. */
static inline bool report_is_unbounded(const berth_report *report)
{
    return report->staged.lifetimes.dynamic_count > 0;
}

/* The peers' packers know neither links nor ties, so the ledger's plan leaves
 * in-place operators and views out for them; their own plans are rows. */
static inline bool report_is_peer(berth_strategy strategy)
{
    return strategy == BERTH_STRATEGY_TFLITE || strategy == BERTH_STRATEGY_TFLM;
}

/* A share of a whole in thousandths, rounded; 0 where there is no whole. */
uint64_t report_permille(uint64_t part, uint64_t whole);

/* The local index of a tensor or an operator. */
uint32_t report_local_tensor(const berth_graph *graph, uint32_t tensor);
uint32_t report_local_op(const berth_graph *graph, uint32_t op);

/* The name of an operator's type: that of the schema, or the custom one. */
berth_bytes report_op_type(const berth_graph *graph, uint32_t op);

/* --- words --------------------------------------------------------------- */

enum {
    WORD_NUMBER = 32, /* room for any number with its commas */
    WORD_NAME = 256,  /* room for a name, cut to the columns that are there */
    WORD_SHAPE = 160
};

/* 77,824 */
const char *word_number(char *text, uint64_t value);

/* A name from a file, safe on a terminal: what is not printable UTF-8 becomes
 * \xNN; cut with … to `columns`. Returns the columns it takes. */
uint32_t word_name(char *text, berth_bytes name, uint32_t columns);

/* Bytes of the name as UTF-8 for JSON: invalid ones become \xNN, the rest is
 * as it was. `text` has room for 4 * name.size; returns its length. */
size_t word_utf8(char *text, berth_bytes name);

/* "#12", or "#12@2" for a tensor of subgraph 2. */
const char *word_tensor(char *text, const berth_graph *graph, uint32_t tensor);

/* 1×48×48×8; "scalar" for rank 0, "?" where it is not known. */
const char *word_shape(char *text, size_t size, const berth_shapes *shapes,
                       uint32_t tensor);

static inline berth_bytes word_bytes(const char *text, size_t size)
{
    return (berth_bytes){(const uint8_t *)text, size};
}

#endif

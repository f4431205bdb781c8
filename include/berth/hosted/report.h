/* berth/hosted/report.h: everything that `berth report` says of one model, in
 * one plain struct, filled once; text and JSON are two ways to print it.
 *
 *     berth_report_options options = {.strategy = BERTH_STRATEGY_BEST};
 *     berth_report report;
 *     berth_report_make(&port, "model.tflite", &options, &report);
 *     berth_report_text(&report, stdout, false);
 *     int code = berth_verdict_exit_code(report.verdict);
 *     berth_report_close(&report);
 *
 * A report is made whatever happens: `reached` tells how far it came, and
 * `error` why no further. */
#ifndef BERTH_HOSTED_REPORT_H
#define BERTH_HOSTED_REPORT_H

#include <stdio.h>

#include "berth/hosted/load.h"
#include "berth/ledger.h"
#include "berth/micro.h"
#include "berth/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What it comes to, and the exit code that says so. */
#define BERTH_VERDICT_TABLE(X)                                                 \
    X(OK, "ok", 0, "the numbers are there, and fit where a budget was given")  \
    X(UNFIT, "unfit", 1, "needs more than the budget")                         \
    X(NO_NUMBER, "no-number", 5, "sound, but some number cannot be given")     \
    X(USAGE, "usage", 2, "the options do not suit this model")                 \
    X(DAMAGED, "damaged", 3, "structural damage, or no .tflite file at all")   \
    X(SYSTEM, "system", 4, "cannot be read, or out of memory")

typedef enum berth_verdict {
#define BERTH_VERDICT_ENUM(name, text, code, help) BERTH_VERDICT_##name,
    BERTH_VERDICT_TABLE(BERTH_VERDICT_ENUM)
#undef BERTH_VERDICT_ENUM
        BERTH_VERDICT_COUNT
} berth_verdict;

const char *berth_verdict_name(berth_verdict verdict);
int berth_verdict_exit_code(berth_verdict verdict);

/* Whose memory is asked for beside berth's own. */
#define BERTH_RUNTIME_TABLE(X)                                                 \
    X(NONE, "none")                                                            \
    X(TFLM, "tflm")                                                            \
    X(LITERT, "litert")                                                        \
    X(ALL, "all")

typedef enum berth_runtime {
#define BERTH_RUNTIME_ENUM(name, text) BERTH_RUNTIME_##name,
    BERTH_RUNTIME_TABLE(BERTH_RUNTIME_ENUM)
#undef BERTH_RUNTIME_ENUM
        BERTH_RUNTIME_COUNT
} berth_runtime;

const char *berth_runtime_name(berth_runtime runtime);

/* The rules of lifetimes that can be changed: name, field of the options, what
 * the change is called when it sets the rule, and when it lifts it. */
#define BERTH_RULE_TABLE(X)                                                    \
    X(HOLD_INPUTS, "hold-inputs", hold_inputs, "inputs outside",               \
      "inputs inside")                                                         \
    X(HOLD_OUTPUTS, "hold-outputs", hold_outputs, "outputs outside",           \
      "outputs inside")                                                        \
    X(KEEP_INPUTS, "keep-inputs", keep_inputs, "inputs kept to the end",      \
      "inputs released")                                                       \
    X(NO_VIEWS, "no-views", no_views, "views are copies", "views share bytes") \
    X(NO_IN_PLACE, "no-in-place", no_inplace, "nothing in place",      \
      "written in place")                                                      \
    X(LAG, "lag", lag, "in use a step longer", "dead when read")

typedef enum berth_rule {
#define BERTH_RULE_ENUM(name, text, field, set, lifted) BERTH_RULE_##name,
    BERTH_RULE_TABLE(BERTH_RULE_ENUM)
#undef BERTH_RULE_ENUM
        BERTH_RULE_COUNT
} berth_rule;

const char *berth_rule_name(berth_rule rule);

/* When the list of changes is made. */
typedef enum berth_what_if {
    BERTH_WHAT_IF_NEVER,
    BERTH_WHAT_IF_CHEAP, /* for up to so many buffers, tensors and steps, and
                            until all plans have taken so many nodes */
    BERTH_WHAT_IF_ALWAYS
} berth_what_if;

enum {
    BERTH_WHAT_IF_ITEMS = 512,
    BERTH_WHAT_IF_STEPS = 8192,
    BERTH_WHAT_IF_NODES = 50000
};

/* Names of the options point into what the caller holds. */
typedef struct berth_report_options {
    berth_stage_options stage;
    berth_bytes signature;   /* size 0: subgraph of `stage` */
    berth_strategy strategy; /* of the arena in the ledger; BEST is 0 */
    bool has_budget;
    uint64_t budget_bytes;
    bool all_strategies; /* else those of the page: the peers, best, size-best,
                            online, none, and `strategy` */
    bool show_tensors;
    bool show_steps;
    bool show_timings;
    berth_what_if what_if;
    berth_runtime runtime;
    const berth_micro_target *target;      /* NULL: x86-64 */
    const berth_micro_kernels *kernels[2]; /* the second, to compare with */
    uint32_t kernels_count;
    bool has_expect; /* of TFLM's arena: exit 1 where it is too small, or above
                        the minimum by more than the margin */
    uint64_t expect_bytes;
    uint32_t margin_percent;
} berth_report_options;

/* One way of planning. */
typedef struct berth_report_row {
    bool wanted; /* else nothing below holds */
    berth_strategy strategy;
    berth_strategy winner; /* of BEST: which one it was */
    berth_status status;   /* OK: the numbers hold. UNBOUNDED: of an own
                              strategy, they hold for the tensors that have
                              a size */
    uint64_t peak_bytes;
    uint64_t bound_bytes; /* of the problem that this row solved */
    bool proven;
    bool sound; /* both judges agree */
    berth_diag diag;
} berth_report_row;

/* All operators of one kind. */
typedef struct berth_report_operator {
    uint32_t code;
    berth_bytes custom_name;
    uint32_t count;
    uint32_t unchecked_count; /* of which no shape function knows the outputs */
} berth_report_operator;

typedef enum berth_report_role {
    BERTH_ROLE_WAITS, /* for a later step */
    BERTH_ROLE_INPUT, /* the step reads it */
    BERTH_ROLE_OUTPUT,
    BERTH_ROLE_SCRATCH,
    BERTH_ROLE_STATE,    /* kept between runs, outside the arena */
    BERTH_ROLE_ELSEWHERE /* alive at other steps only */
} berth_report_role;

const char *berth_report_role_name(berth_report_role role);

enum { BERTH_BLAME_MAX = 3 };

/* An item that is alive at the peak; of those to blame also state, which is no
 * item and has neither offset nor span. */
typedef struct berth_report_alive {
    uint32_t item;
    uint32_t tensor; /* global, or BERTH_NONE: scratch */
    berth_report_role role;
    uint64_t bytes;
    uint64_t offset;
    berth_span span; /* the one that holds the peak step, else the first */
    uint32_t reader; /* the next step that reads it there; BERTH_NONE: none */
} berth_report_alive;

typedef struct berth_report_range {
    uint64_t from;
    uint64_t end;
} berth_report_range;

/* What keeping a tensor to the end costs. */
typedef struct berth_report_keep {
    uint32_t tensor;
    bool known;
    uint64_t price_bytes; /* by how much the arena would shrink without */
} berth_report_keep;

/* The arena under other rules, planned anew and judged by both judges. */
typedef struct berth_report_change {
    uint32_t rules; /* 1 << berth_rule of each that is turned round */
    const char *text;
    bool known;     /* else it cannot be planned */
    bool same;      /* the very problem of the report */
    bool proven;
    uint64_t arena_bytes;
    uint64_t bound_bytes;
    uint64_t total_bytes;   /* of the ledger with this arena */
    uint64_t outside_bytes; /* of tensors that leave the arena with it */
} berth_report_change;

typedef enum berth_report_expect {
    BERTH_EXPECT_NOTHING, /* not asked, or no number to compare with */
    BERTH_EXPECT_FITS,
    BERTH_EXPECT_TOO_SMALL,
    BERTH_EXPECT_WASTEFUL
} berth_report_expect;

/* What TFLM takes; needs the graph only. */
typedef struct berth_report_tflm {
    const berth_micro_target *target;
    const berth_micro_kernels *kernels[2];
    berth_micro micro[2]; /* by kernels; the second of two to compare */
    berth_block blocks[2];
    uint32_t count; /* of kernels; 0: not asked */
    berth_status status;
    berth_diag diag;
    uint64_t head_noscratch_bytes;
    berth_report_expect expect;
    uint64_t expect_off_bytes; /* missing, or above the minimum */
} berth_report_tflm;

/* What LiteRT's arena is with the temporaries of its built-in kernels. */
typedef struct berth_report_litert {
    bool asked;
    berth_status status;
    berth_diag diag;
    uint64_t arena_bytes;
    uint64_t persistent_bytes;
    uint64_t io_bytes; /* inputs and outputs: in the arena with XNNPACK too */
    uint32_t unlisted_op; /* temporaries not known: not counted; or NONE */
    uint32_t stopped_op;  /* the figures are those up to it; or NONE */
    bool sound;
} berth_report_litert;

typedef struct berth_report {
    const char *path;
    const berth_report_options *options;
    berth_port *port;
    berth_verdict verdict;
    berth_load_stage reached; /* PLAN and no error: everything below holds */
    bool complete;
    berth_load_error error;
    uint32_t subgraph;
    uint32_t signature; /* index, or BERTH_NONE */

    berth_loaded loaded;
    bool borrows_loaded;
    berth_staged staged;
    berth_report_operator *operators;
    uint32_t operator_count;
    uint32_t custom_count;    /* operators that are custom */
    uint32_t unchecked_count; /* operators without a shape function */

    berth_report_row rows[BERTH_STRATEGY_COUNT]; /* by strategy */
    berth_plan plan; /* of staged.lifetimes.problem, by options->strategy */
    berth_ledger ledger;
    berth_usage usage;
    uint64_t *live;            /* by step */
    berth_report_alive *alive; /* largest first */
    berth_report_range *idle;
    berth_report_keep *keeps;
    berth_report_change *changes; /* smallest arena first */
    uint32_t alive_count;
    uint32_t idle_count;
    uint32_t keep_count;
    uint32_t change_count;
    uint32_t changes_left; /* not planned: too costly to be done unasked */
    bool has_changes;
    uint64_t missing_bytes;                    /* over the budget */
    berth_report_alive blame[BERTH_BLAME_MAX]; /* if over, the worst first */
    uint32_t blame_count;
    berth_report_tflm tflm;
    berth_report_litert litert;

    uint64_t plan_ns; /* all strategies, judges included */
    uint64_t peers_ns;
    uint64_t what_if_ns;
    uint64_t total_ns;
    uint64_t lent_peak_bytes;

    berth_block blocks[10];
    uint32_t block_count;
} berth_report;

berth_verdict berth_report_make(berth_port *port, const char *path,
                                const berth_report_options *options,
                                berth_report *report);

/* The same for a model that is loaded already, which the report borrows. */
berth_verdict berth_report_make_loaded(const berth_loaded *loaded,
                                       const char *path,
                                       const berth_report_options *options,
                                       berth_report *report);
void berth_report_close(berth_report *report);

/* For people: 100 columns, at most 45 lines unless tensors, steps or changes
 * are asked for. What failed is the caller's to print (berth_report_why). */
void berth_report_text(const berth_report *report, FILE *out, bool colour);

/* One line for each of several files, or signatures if by_signature; a NULL
 * report gives the head of the table. */
void berth_report_line(const berth_report *report, bool by_signature,
                       FILE *out);

/* The same with what the runtimes asked for take; "-" where there is no number
 * or TFLM would not start. */
void berth_report_runtime_head(const berth_report_options *options, FILE *out);
void berth_report_runtime_line(const berth_report *report, FILE *out);

/* One JSON object, docs/report.schema.json; streamed. False: no memory. */
bool berth_report_json(const berth_report *report, FILE *out);

/* The names of the columns, and the lines of one report: one for the file, or
 * with show_tensors for each tensor, with show_steps for each step. */
void berth_report_csv_head(const berth_report_options *options, FILE *out);
void berth_report_csv(const berth_report *report, FILE *out);

/* Why a report is not complete, as one line of text without a newline;
 * nothing when there is nothing to say. Cut to `size`. */
void berth_report_why(const berth_report *report, char *text, size_t size);

/* The same for any stage that failed, and what it comes to. */
void berth_report_reason(const berth_load_error *error, char *text,
                         size_t size);
berth_verdict berth_report_verdict(const berth_load_error *error);

/* The sum over all signatures of a model: its reports are added one after the
 * other, which may be closed in between. */
typedef struct berth_report_sum {
    berth_verdict verdict; /* the worst */
    bool known;            /* every report has all its numbers */
    uint64_t budget_bytes; /* BERTH_NOWHERE: none */
    berth_ledger ledger;   /* arena: the largest; state: the one block that all
                              share; books: at most the sum */
} berth_report_sum;

void berth_report_sum_begin(berth_report_sum *sum,
                            const berth_report_options *options);
void berth_report_sum_add(berth_report_sum *sum, const berth_report *report);
void berth_report_sum_close(berth_report_sum *sum);
void berth_report_sum_line(const berth_report_sum *sum, FILE *out);
bool berth_report_sum_json(const berth_report_sum *sum, FILE *out);

/* A name from a file, safe on a terminal, cut to `size` bytes. */
void berth_report_name(berth_bytes name, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif

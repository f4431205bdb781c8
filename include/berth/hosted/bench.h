/* berth/hosted/bench.h: how long a model takes, apart by what the time goes to,
 * and beside another runtime in the same minutes.
 *
 *     berth_bench_options options = {.time_ns = 1000000000, .runs_most = 1000};
 *     berth_bench bench;
 *     berth_bench_make(&port, "model.tflite", &options, &bench, &error);
 *     ... bench.steady.median_ns
 *     berth_bench_close(&bench);
 *
 * Times are of this machine in this minute; ratios last longer. */
#ifndef BERTH_HOSTED_BENCH_H
#define BERTH_HOSTED_BENCH_H

#include "berth/hosted/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds of several runs. */
typedef struct berth_bench_series {
    uint64_t best_ns;
    uint64_t median_ns;
    uint64_t p90_ns;
    uint64_t worst_ns;
    uint64_t faults; /* page faults, minor and major, of all of them */
    uint32_t runs;
} berth_bench_series;

/* What one operator takes in the mean of the profiled runs. */
typedef struct berth_bench_op {
    uint32_t step;
    uint32_t subgraph;
    uint32_t op; /* in it */
    uint32_t code;
    uint64_t ns;   /* the least of its runs: others do not disturb it */
    uint64_t macs; /* multiply-accumulates; 0: none to speak of */
} berth_bench_op;

#define BERTH_BENCH_PEER_TABLE(X)                                              \
    X(NONE, "none", "")                                                        \
    X(TFLM, "tflm", "TFLM of PyPI, reference kernels")                         \
    X(LITERT, "litert", "LiteRT of PyPI, optimised kernels, no delegate")      \
    X(LITERT_REF, "litert-ref", "LiteRT of PyPI, reference kernels")           \
    X(LITERT_XNNPACK, "litert-xnnpack", "LiteRT of PyPI with XNNPACK")

typedef enum berth_bench_peer {
#define BERTH_BENCH_PEER_ENUM(name, text, help) BERTH_BENCH_PEER_##name,
    BERTH_BENCH_PEER_TABLE(BERTH_BENCH_PEER_ENUM)
#undef BERTH_BENCH_PEER_ENUM
        BERTH_BENCH_PEER_COUNT
} berth_bench_peer;

const char *berth_bench_peer_name(berth_bench_peer peer);

enum { BERTH_BENCH_ROUNDS = 9, BERTH_BENCH_WHY_BYTES = 256 };

/* The peer's runs between ours: `rounds` times a few of each. */
typedef struct berth_bench_versus {
    bool ran;
    char why[BERTH_BENCH_WHY_BYTES]; /* what the peer said, where it did not */
    uint64_t first_ns;               /* of the peer: its first run */
    uint64_t prepare_ns;             /* interpreter made, tensors allocated */
    uint64_t peer_ns;                /* median over the rounds of its medians */
    uint64_t own_ns;                 /* the same of ours */
    uint32_t rounds;
    double
        ratio; /* peer / own, median over the rounds; above 1: we are faster */
    double ratio_least;
    double ratio_most;
} berth_bench_versus;

typedef struct berth_bench_options {
    berth_session_options session;
    berth_bytes signature; /* size 0: subgraph of session.stage */
    uint64_t time_ns;      /* of the steady runs, about; 0: one second */
    uint32_t runs_most;    /* 0: 10,000 */
    uint32_t threads;      /* 0: 1 */
    berth_bench_peer versus;
    const char *python; /* NULL: python3; with the peer's package */
    const char *seed;   /* of the inputs; NULL: "1" */
} berth_bench_options;

typedef struct berth_bench {
    berth_session session;
    uint64_t load_ns;  /* file opened, verified, graph built */
    uint64_t stage_ns; /* shapes, schedule, lifetimes */
    uint64_t first_ns;
    uint64_t prepare_faults; /* page faults: minor and major */
    uint64_t first_faults;
    berth_bench_series steady;
    bool allocations_counted; /* this build can */
    uint64_t allocations;     /* during all runs */
    uint64_t stack_bytes;     /* deepest, of a run */
    uint64_t peak_rss_bytes;  /* of this process */
    berth_bench_op *ops;      /* by step */
    uint32_t op_count;
    uint64_t macs; /* of a run */
    berth_bench_versus versus;
    berth_block ops_block;
} berth_bench;

/* On failure error tells, and the bench is still to be closed. BAD_ARG at stage
 * ENGINE: an input cannot be made from a seed. */
BERTH_MUST_USE berth_status berth_bench_make(berth_port *port, const char *path,
                                             const berth_bench_options *options,
                                             berth_bench *bench,
                                             berth_load_error *error);
void berth_bench_close(berth_bench *bench);

/* How many times this thread has asked for memory, where the program counts
 * (it defines this); NULL in others. */
extern uint64_t berth_bench_allocations(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif
#endif

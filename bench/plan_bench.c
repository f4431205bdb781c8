/* plan_bench: lists of buffers, every strategy, a line for each list.
 *
 *   plan_bench [--tsv] [--best] [--little] [--capacity N] [--curve KIND]
 *              [LIST ...]
 *
 * A LIST is a FILE.csv with lines id,lower,upper,size (upper exclusive), as
 * MiniMalloc's instances, or KIND:BUFFERS[:SEED] (see bench/support/kinds.c).
 * --best: only that strategy. --little: the effort of a report, not ten
 * seconds.
 * --curve KIND: 10^4 to 10^6 buffers of a kind (to 31,623 of "deep", where
 * those alive grow with the list), what one costs and how much memory it takes.
 * --tsv: for bench/plan.py. Without arguments: the curves. */
#include "buffers.h"
#include "solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_options {
    bool tsv;
    bool only_best;
    berth_effort effort;
    uint64_t capacity;
} bench_options;

/* --- one list
 * ------------------------------------------------------------------- */

static void print_header(const bench_options *options)
{
    printf(
        "instance\tbuffers\tbound\tbest\tproven\tnodes\tseconds\twork_bytes");
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT && !options->only_best; ++s) {
        if (s != BERTH_STRATEGY_BEST) {
            printf("\t%s", berth_strategy_name((berth_strategy)s));
        }
    }
    printf("\n");
}

static void solve_best(const berth_problem *problem,
                       const bench_options *options, bench_solved *best)
{
    bench_solve(problem,
                &(berth_plan_options){.strategy = BERTH_STRATEGY_BEST,
                                      .effort = options->effort,
                                      .capacity = options->capacity},
                best);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void print_best(const char *name, const berth_problem *problem,
                       const bench_options *options, const bench_solved *best)
{
    const berth_plan *plan = &best->plan;
    const bool proven = plan->proof == BERTH_PROOF_PROVEN;
    if (options->tsv) {
        printf("%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%d\t%" PRIu64
               "\t%.3f\t%zu",
               base_name(name), problem->item_count, plan->bound, plan->peak,
               proven, plan->nodes, best->seconds, best->work_bytes);
        return;
    }
    printf("%-24s %8" PRIu32 " buffers  bound %" PRIu64 "  best %" PRIu64
           " (%s",
           base_name(name), problem->item_count, plan->bound, plan->peak,
           proven ? "proven" : "open");
    if (!proven) {
        printf(", %+.3f %%", bench_gap(plan));
    }
    printf(")  %" PRIu64 " nodes  %.3f s  %.1f bytes a buffer\n", plan->nodes,
           best->seconds, (double)best->work_bytes / problem->item_count);
}

static void print_greedy(const berth_problem *problem, berth_strategy strategy,
                         const bench_options *options)
{
    bench_solved one;
    bench_solve(problem, &(berth_plan_options){.strategy = strategy}, &one);
    if (options->tsv) {
        printf("\t%" PRIu64, one.plan.peak);
    } else {
        printf("  %-14s %16" PRIu64 " %+9.3f %%  %.3f s\n",
               berth_strategy_name(strategy), one.plan.peak,
               bench_gap(&one.plan), one.seconds);
    }
}

static void print_list(const char *name, const berth_problem *problem,
                       const bench_options *options)
{
    bench_solved best;
    solve_best(problem, options, &best);
    print_best(name, problem, options, &best);
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT && !options->only_best; ++s) {
        if (s != BERTH_STRATEGY_BEST) {
            print_greedy(problem, (berth_strategy)s, options);
        }
    }
    if (options->tsv) {
        printf("\n");
    }
    fflush(stdout);
}

/* --- the curve
 * ------------------------------------------------------------------ */

/* The bound of the same buffers, of one byte each. */
static uint64_t most_alive(const berth_problem *problem)
{
    bench_buffers ones = {0};
    bench_solved solved;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        buffers_add(&ones, problem->spans[i].born, problem->spans[i].dead, 1,
                    1);
    }
    bench_solve(&ones.problem,
                &(berth_plan_options){.strategy = BERTH_STRATEGY_NONE},
                &solved);
    buffers_free(&ones);
    return solved.plan.bound;
}

static uint32_t most_of(const char *kind)
{
    for (uint32_t k = 0; k < buffers_kind_count; ++k) {
        if (strcmp(buffers_kinds[k].name, kind) == 0) {
            return buffers_kinds[k].most;
        }
    }
    bench_fail("no such kind");
    return 0;
}

static void print_curve(const char *kind, const bench_options *options)
{
    const uint32_t most = most_of(kind);
    static const uint32_t counts[] = {10000, 31623, 100000, 316228, 1000000};
    printf("%s: cost against size\n"
           "   buffers  most alive   best over bound  seconds  us a buffer  "
           "bytes a buffer\n",
           kind);
    for (size_t k = 0;
         k < sizeof(counts) / sizeof(counts[0]) && counts[k] <= most; ++k) {
        bench_buffers b = {0};
        bench_solved best;
        char name[64];
        snprintf(name, sizeof(name), "%s:%" PRIu32, kind, counts[k]);
        if (!buffers_make(&b, name)) {
            bench_fail("no such kind");
        }
        const double count = (double)b.problem.item_count;
        solve_best(&b.problem, options, &best);
        printf("%10" PRIu32 "  %10" PRIu64
               "  %+14.4f %%  %7.2f  %11.2f  %14.1f\n",
               b.problem.item_count, most_alive(&b.problem),
               bench_gap(&best.plan), best.seconds, best.seconds * 1e6 / count,
               (double)best.work_bytes / count);
        fflush(stdout);
        buffers_free(&b);
    }
}

int main(int argc, char **argv)
{
    bench_options options = {.effort = BERTH_EFFORT_FULL};
    bool lists = false;
    for (int i = 1; i < argc; ++i) {
        bench_buffers b = {0};
        if (strcmp(argv[i], "--tsv") == 0) {
            options.tsv = true;
        } else if (strcmp(argv[i], "--best") == 0) {
            options.only_best = true;
        } else if (strcmp(argv[i], "--little") == 0) {
            options.effort = BERTH_EFFORT_LITTLE;
        } else if (strcmp(argv[i], "--capacity") == 0 && i + 1 < argc) {
            options.capacity = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--curve") == 0 && i + 1 < argc) {
            print_curve(argv[++i], &options);
            lists = true;
        } else if (buffers_make(&b, argv[i]) || buffers_read(&b, argv[i])) {
            if (options.tsv && !lists) {
                print_header(&options);
            }
            print_list(argv[i], &b.problem, &options);
            buffers_free(&b);
            lists = true;
        } else {
            bench_fail("no such list of buffers");
        }
    }
    for (uint32_t k = 0; k < buffers_kind_count && !lists; ++k) {
        print_curve(buffers_kinds[k].name, &options);
    }
    return 0;
}

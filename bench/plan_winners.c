/* plan_winners: which orders win, so which rows `best` needs.
 *
 *   plan_winners [N]
 *
 * N (400) generated problems of each kind (chains, residual nets, branches,
 * transformers, random): how often each strategy reaches the smallest peak, and
 * how often it does so alone. */
#include "buffers.h"
#include "solve.h"

#include <stdio.h>
#include <stdlib.h>

/* --- generated problems
 * ---------------------------------------------------------- */

/* A map of a convolutional net: side * side * channels. */
static uint64_t map_bytes(uint32_t depth, uint32_t of)
{
    const uint64_t side = 96u >> (depth * 5 / of);
    const uint64_t channels = 8u << buffers_below(4);
    return side * side * channels << (depth * 3 / of);
}

static void make_chain(bench_buffers *b)
{
    const uint32_t ops = 5 + buffers_below(60);
    for (uint32_t t = 0; t < ops; ++t) {
        buffers_add(b, t, t + 2, map_bytes(t, ops), 16);
    }
}

static void make_residual(bench_buffers *b)
{
    const uint32_t ops = 10 + buffers_below(80);
    for (uint32_t t = 0; t < ops; ++t) {
        const uint32_t reach = buffers_below(3) == 0 ? 2 + buffers_below(4) : 1;
        buffers_add(b, t, t + reach + 1, map_bytes(t, ops), 16);
    }
}

/* Branches from one map that meet in a concatenation. */
static void make_branches(bench_buffers *b)
{
    uint32_t step = 0;
    const uint32_t blocks = 2 + buffers_below(9);
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t branches = 2 + buffers_below(3);
        const uint32_t depth = 1 + buffers_below(3);
        const uint32_t end = step + branches * depth + 1;
        buffers_add(b, step, end, map_bytes(block, blocks), 16);
        uint32_t t = step + 1;
        for (uint32_t k = 0; k < branches; ++k) {
            for (uint32_t d = 0; d < depth; ++d, ++t) {
                const uint32_t dead = d + 1 == depth ? end + 1 : t + 2;
                buffers_add(b, t, dead, map_bytes(block, blocks) / 4 + 16, 16);
            }
        }
        step = end;
    }
}

/* Layers of attention: residual, q, k, v, scores a head, output, two of mlp. */
static void make_transformer(bench_buffers *b)
{
    const uint32_t layers = 1 + buffers_below(12);
    const uint32_t heads = 1u << buffers_below(4);
    const uint64_t tokens = 16u << buffers_below(5);
    const uint64_t width = 64u << buffers_below(4);
    uint32_t t = 0;
    for (uint32_t layer = 0; layer < layers; ++layer) {
        const uint32_t attended = t + 4 + 2 * heads;
        buffers_add(b, t, attended + 1, tokens * width * 4, 16);
        for (uint32_t k = 0; k < 3; ++k) {
            buffers_add(b, t + 1 + k, attended, tokens * width * 4, 16);
        }
        for (uint32_t h = 0; h < heads; ++h) {
            const uint32_t at = t + 4 + 2 * h;
            buffers_add(b, at, at + 2, tokens * tokens * 4, 16);
            buffers_add(b, at + 1, attended, tokens * width / heads * 4, 16);
        }
        buffers_add(b, attended, attended + 4, tokens * width * 4, 16);
        buffers_add(b, attended + 1, attended + 3, tokens * width * 16, 16);
        buffers_add(b, attended + 2, attended + 4, tokens * width * 4, 16);
        t = attended + 3;
    }
}

static void make_random(bench_buffers *b)
{
    const uint32_t items = 10 + buffers_below(150);
    const uint32_t steps = 10 + buffers_below(100);
    for (uint32_t i = 0; i < items; ++i) {
        const uint32_t born = buffers_below(steps);
        const uint32_t life =
            1 + buffers_below(buffers_below(4) == 0 ? steps : 6);
        buffers_add(b, born, born + life,
                    1 + buffers_below(1u << (4 + buffers_below(12))), 16);
    }
}

static const struct {
    const char *name;
    void (*make)(bench_buffers *b);
} kinds[] = {
    {"chain", make_chain},       {"residual", make_residual},
    {"branches", make_branches}, {"transformer", make_transformer},
    {"random", make_random},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* --- who wins
 * ---------------------------------------------------------------------- */

typedef struct bench_tally {
    uint32_t problems;
    uint32_t proven;                      /* by best */
    uint32_t climbed;                     /* best is below every single row */
    uint32_t least[BERTH_STRATEGY_COUNT]; /* reaches the smallest peak */
    uint32_t alone[BERTH_STRATEGY_COUNT]; /* and no other row does */
    double gap_sum;
    double ms;
} bench_tally;

static bool is_row(uint32_t s)
{
    return s != BERTH_STRATEGY_BEST && s != BERTH_STRATEGY_NONE;
}

static void count_winners(bench_tally *tally, const berth_problem *problem)
{
    uint64_t peak[BERTH_STRATEGY_COUNT];
    uint64_t smallest = UINT64_MAX;
    uint32_t winners = 0;
    bench_solved r;
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        bench_solve(problem,
                    &(berth_plan_options){.strategy = (berth_strategy)s}, &r);
        peak[s] = r.plan.peak;
        if (is_row(s) && peak[s] < smallest) {
            smallest = peak[s];
        }
        if (s == BERTH_STRATEGY_BEST) {
            tally->proven += r.plan.proof == BERTH_PROOF_PROVEN;
            tally->gap_sum += bench_gap(&r.plan);
            tally->ms += r.seconds * 1e3;
        }
    }
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        winners += is_row(s) && peak[s] == smallest;
    }
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        if (is_row(s) && peak[s] == smallest) {
            ++tally->least[s];
            tally->alone[s] += winners == 1;
        }
    }
    ++tally->problems;
    tally->climbed += peak[BERTH_STRATEGY_BEST] < smallest;
}

static void print_tally(const char *name, const bench_tally *tally)
{
    printf("%s: %u problems; best proven on %u, mean gap %.3f %%, below every "
           "row on %u, %.2f ms each\n",
           name, tally->problems, tally->proven,
           tally->gap_sum / tally->problems, tally->climbed,
           tally->ms / tally->problems);
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        if (is_row(s)) {
            printf("  %-14s least %5u  alone %4u\n",
                   berth_strategy_name((berth_strategy)s), tally->least[s],
                   tally->alone[s]);
        }
    }
    fflush(stdout);
}

static void run_sets(uint32_t count)
{
    for (size_t k = 0; k < KIND_COUNT; ++k) {
        bench_tally tally = {0};
        for (uint32_t n = 0; n < count; ++n) {
            bench_buffers b = {0};
            kinds[k].make(&b);
            count_winners(&tally, &b.problem);
            buffers_free(&b);
        }
        print_tally(kinds[k].name, &tally);
    }
}

int main(int argc, char **argv)
{
    run_sets(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 400);
    return 0;
}

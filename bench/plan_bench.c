/* plan_bench: every strategy on lists of buffers.
 *
 *   plan_bench [--sets N] [--large N] [FILE.csv ...]
 *
 * A FILE has a line id,lower,upper,size for each buffer (upper exclusive), as
 * MiniMalloc's instances; a header line is skipped. For each file: peak, gap to
 * the bound, milliseconds and nodes of every strategy. --sets N: N generated
 * problems of each kind (chains, residual nets, branches, transformers,
 * random), and which strategies reach the smallest peak alone. --large N: one
 * problem of N buffers. Without arguments: --sets 400 --large 100000. */
#include "berth/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_problem {
    berth_problem problem;
    berth_item *items;
    berth_span *spans;
    uint32_t capacity;
} bench_problem;

static void fail(const char *what)
{
    fprintf(stderr, "plan_bench: %s\n", what);
    exit(4);
}

static void add(bench_problem *b, uint32_t born, uint32_t dead, uint64_t size,
                uint32_t align)
{
    const uint32_t i = b->problem.item_count;
    if (i == b->capacity) {
        b->capacity = b->capacity == 0 ? 256 : b->capacity * 2;
        b->items = realloc(b->items, b->capacity * sizeof(*b->items));
        b->spans = realloc(b->spans, b->capacity * sizeof(*b->spans));
        if (b->items == NULL || b->spans == NULL) {
            fail("no memory");
        }
    }
    b->items[i] = (berth_item){.size = size,
                               .fixed = BERTH_NOWHERE,
                               .align = align,
                               .first_span = i,
                               .span_count = 1,
                               .regions = 1};
    b->spans[i] = (berth_span){born, dead};
    b->problem.items = b->items;
    b->problem.spans = b->spans;
    b->problem.item_count = i + 1;
    b->problem.span_count = i + 1;
    if (dead > b->problem.step_count) {
        b->problem.step_count = dead;
    }
}

static void discard(bench_problem *b)
{
    free(b->items);
    free(b->spans);
    *b = (bench_problem){0};
}

static bool read_csv(bench_problem *b, const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        uint32_t born = 0;
        uint32_t dead = 0;
        uint64_t size = 0;
        const char *fields = strchr(line, ',');
        if (fields != NULL &&
            sscanf(fields, ",%" SCNu32 ",%" SCNu32 ",%" SCNu64, &born, &dead,
                   &size) == 3) {
            add(b, born, dead, size, 1);
        }
    }
    fclose(file);
    return b->problem.item_count > 0;
}

/* --- generated problems
 * ---------------------------------------------------------- */

static uint64_t random_state = 1;

static uint32_t below(uint32_t end)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * end >> 32);
}

/* A map of a convolutional net: side * side * channels. */
static uint64_t map_bytes(uint32_t depth, uint32_t of)
{
    const uint64_t side = 96u >> (depth * 5 / of);
    const uint64_t channels = 8u << below(4);
    return side * side * channels << (depth * 3 / of);
}

static void make_chain(bench_problem *b)
{
    const uint32_t ops = 5 + below(60);
    for (uint32_t t = 0; t < ops; ++t) {
        add(b, t, t + 2, map_bytes(t, ops), 16);
    }
}

static void make_residual(bench_problem *b)
{
    const uint32_t ops = 10 + below(80);
    for (uint32_t t = 0; t < ops; ++t) {
        const uint32_t reach = below(3) == 0 ? 2 + below(4) : 1;
        add(b, t, t + reach + 1, map_bytes(t, ops), 16);
    }
}

/* Branches from one map that meet in a concatenation. */
static void make_branches(bench_problem *b)
{
    uint32_t step = 0;
    const uint32_t blocks = 2 + below(9);
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t branches = 2 + below(3);
        const uint32_t depth = 1 + below(3);
        const uint32_t end = step + branches * depth + 1;
        add(b, step, end, map_bytes(block, blocks), 16);
        uint32_t t = step + 1;
        for (uint32_t k = 0; k < branches; ++k) {
            for (uint32_t d = 0; d < depth; ++d, ++t) {
                const uint32_t dead = d + 1 == depth ? end + 1 : t + 2;
                add(b, t, dead, map_bytes(block, blocks) / 4 + 16, 16);
            }
        }
        step = end;
    }
}

/* Layers of attention: residual, q, k, v, scores a head, output, two of mlp. */
static void make_transformer(bench_problem *b)
{
    const uint32_t layers = 1 + below(12);
    const uint32_t heads = 1u << below(4);
    const uint64_t tokens = 16u << below(5);
    const uint64_t width = 64u << below(4);
    uint32_t t = 0;
    for (uint32_t layer = 0; layer < layers; ++layer) {
        const uint32_t attended = t + 4 + 2 * heads;
        add(b, t, attended + 1, tokens * width * 4, 16);
        for (uint32_t k = 0; k < 3; ++k) {
            add(b, t + 1 + k, attended, tokens * width * 4, 16);
        }
        for (uint32_t h = 0; h < heads; ++h) {
            const uint32_t at = t + 4 + 2 * h;
            add(b, at, at + 2, tokens * tokens * 4, 16);
            add(b, at + 1, attended, tokens * width / heads * 4, 16);
        }
        add(b, attended, attended + 4, tokens * width * 4, 16);
        add(b, attended + 1, attended + 3, tokens * width * 16, 16);
        add(b, attended + 2, attended + 4, tokens * width * 4, 16);
        t = attended + 3;
    }
}

static void make_random(bench_problem *b)
{
    const uint32_t items = 10 + below(150);
    const uint32_t steps = 10 + below(100);
    for (uint32_t i = 0; i < items; ++i) {
        const uint32_t born = below(steps);
        const uint32_t life = 1 + below(below(4) == 0 ? steps : 6);
        add(b, born, born + life, 1 + below(1u << (4 + below(12))), 16);
    }
}

static const struct {
    const char *name;
    void (*make)(bench_problem *b);
} kinds[] = {
    {"chain", make_chain},       {"residual", make_residual},
    {"branches", make_branches}, {"transformer", make_transformer},
    {"random", make_random},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* --- solving
 * ---------------------------------------------------------------------- */

typedef struct bench_result {
    berth_plan plan;
    double ms;
} bench_result;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static size_t solve(const berth_problem *problem, berth_strategy strategy,
                    bench_result *result)
{
    const berth_plan_options options = {.strategy = strategy};
    berth_diag diag = berth_diag_none();
    size_t need = 0;
    uint64_t *offset = malloc(problem->item_count * sizeof(*offset));
    if (offset == NULL ||
        berth_plan_bytes(problem, &options, &need, &diag) != BERTH_OK) {
        fail(diag.what);
    }
    uint8_t *memory = malloc(need);
    if (memory == NULL) {
        fail("no memory");
    }
    result->plan = (berth_plan){.offset = offset};
    const double start = now_ms();
    const berth_status status = berth_plan_solve(
        problem, &options, berth_work_of(memory, need), &result->plan, &diag);
    result->ms = now_ms() - start;
    if (status != BERTH_OK) {
        fail(diag.what);
    }
    free(memory);
    free(offset);
    return need;
}

static double gap(const berth_plan *plan)
{
    return plan->bound == 0
               ? 0.0
               : 100.0 * ((double)plan->peak / (double)plan->bound - 1.0);
}

static void table(const char *name, const berth_problem *problem)
{
    printf("%s: %" PRIu32 " buffers\n", name, problem->item_count);
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        bench_result r;
        const size_t need = solve(problem, (berth_strategy)s, &r);
        printf("  %-14s %14" PRIu64 " %+8.2f %% %10.2f ms %9" PRIu64 " nodes",
               berth_strategy_name((berth_strategy)s), r.plan.peak,
               gap(&r.plan), r.ms, r.plan.nodes);
        if (s == BERTH_STRATEGY_BEST) {
            printf("  %s, bound %" PRIu64 ", %.1f bytes lent a buffer%s",
                   berth_strategy_name(r.plan.strategy), r.plan.bound,
                   (double)need / problem->item_count,
                   r.plan.proof == BERTH_PROOF_PROVEN ? ", proven" : "");
        }
        printf("\n");
        fflush(stdout);
    }
}

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
    bench_result r;
    for (uint32_t s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        solve(problem, (berth_strategy)s, &r);
        peak[s] = r.plan.peak;
        if (is_row(s) && peak[s] < smallest) {
            smallest = peak[s];
        }
        if (s == BERTH_STRATEGY_BEST) {
            tally->proven += r.plan.proof == BERTH_PROOF_PROVEN;
            tally->gap_sum += gap(&r.plan);
            tally->ms += r.ms;
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
            bench_problem b = {0};
            kinds[k].make(&b);
            count_winners(&tally, &b.problem);
            discard(&b);
        }
        print_tally(kinds[k].name, &tally);
    }
}

/* Many layers, a few long residuals, and one in fifty lives for long. */
static void run_large(uint32_t count)
{
    bench_problem b = {0};
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t life = below(50) == 0 ? below(5000) : below(40);
        const uint32_t born = i / 4;
        add(&b, born, born + 1 + life, 1 + below(1u << (6 + below(14))), 16);
    }
    table("large", &b.problem);
    discard(&b);
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    bench_tally files = {0};
    if (argc == 1) {
        run_sets(400);
        run_large(100000);
    }
    for (int i = 1; i < argc; ++i) {
        bench_problem b = {0};
        if (strcmp(argv[i], "--sets") == 0 && i + 1 < argc) {
            run_sets(number(argv[++i]));
        } else if (strcmp(argv[i], "--large") == 0 && i + 1 < argc) {
            run_large(number(argv[++i]));
        } else if (read_csv(&b, argv[i])) {
            table(argv[i], &b.problem);
            count_winners(&files, &b.problem);
            discard(&b);
        } else {
            fail("no such file, or no buffers in it");
        }
    }
    if (files.problems > 0) {
        print_tally("files", &files);
    }
    return 0;
}

/* Random models through every stage, every strategy and both judges; and three
 * deliberate mistakes, which the judges must find.
 *
 *   BERTH_RANDOM_GRAPHS=100000   how many (default 4000)
 *   BERTH_RANDOM_SEED=17         only this one
 *
 * What must hold for each: berth's own plans pass both judges under every
 * option; a peer's plan is refused only where that runtime's rules are known to
 * be unsound; and a plan that the second judge refuses, the first refuses too,
 * since the second knows nothing of lifetimes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "berth/peer.h"
#include "berth/prove.h"
#include "random_model.h"

enum { GRAPHS = 4000, BLOCKS = 16 };

typedef struct world {
    uint64_t seed;
    mb *builder;
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
    berth_schedule schedule;
    berth_lifetimes lifetimes;
    uint64_t *offset;  /* by item */
    uint64_t *address; /* by tensor */
    void *blocks[BLOCKS];
    uint32_t block_count;
} world;

static struct {
    uint32_t graphs, steps, calls, plans;
    uint32_t litert_unsound, litert_unbounded;
    uint32_t rules_apart;
    uint32_t broken_lifetimes, broken_lifetimes_bad, broken_lifetimes_caught;
    uint32_t broken_aliases, broken_aliases_bad, broken_aliases_caught;
    uint32_t broken_offsets, broken_offsets_bad, broken_offsets_caught;
} counts;

static berth_diag diag;

static void fail_seed(const world *w, const char *what)
{
    fail_msg("seed %llu: %s: %s (step %u op %u tensor %u other %u)",
             (unsigned long long)w->seed, what, diag.what, diag.step, diag.op,
             diag.tensor, diag.other);
}

static void need(const world *w, bool holds, const char *what)
{
    if (!holds) {
        fail_seed(w, what);
    }
}

static void *take(world *w, size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    assert_true(w->block_count < BLOCKS);
    w->blocks[w->block_count++] = memory;
    return memory;
}

static berth_work lend(world *w, size_t bytes)
{
    return berth_work_of(take(w, bytes), bytes);
}

static void give_back(world *w, uint32_t down_to)
{
    while (w->block_count > down_to) {
        free(w->blocks[--w->block_count]);
    }
}

/* --- stages ------------------------------------------------------------ */

static void make_schedule(world *w)
{
    size_t bytes = 0;
    need(w, berth_schedule_bytes(&w->graph, 0, &bytes, &diag) == BERTH_OK,
         "schedule");
    berth_work work = lend(w, bytes);
    need(w,
         berth_schedule_init(&w->graph, 0, &work, &w->schedule, &diag) ==
             BERTH_OK,
         "schedule");
}

static void make_stages(world *w)
{
    size_t bytes = 0;
    const berth_bytes file = random_model(w->builder, w->seed);
    need(w, berth_model_bytes(file, &bytes, &diag) == BERTH_OK, "model");
    berth_work work = lend(w, bytes);
    need(w, berth_model_init(file, &work, &w->model, &diag) == BERTH_OK,
         "model");
    need(w, berth_graph_bytes(w->model, &bytes, &diag) == BERTH_OK, "graph");
    work = lend(w, bytes);
    need(w, berth_graph_init(w->model, &work, &w->graph, &diag) == BERTH_OK,
         "graph");
    const berth_shape_options options = {0};
    need(w, berth_shapes_bytes(&w->graph, &options, &bytes, &diag) == BERTH_OK,
         "shapes");
    work = lend(w, bytes);
    need(w,
         berth_shapes_init(&w->graph, &options, &work, &w->shapes, &diag) ==
             BERTH_OK,
         "shapes");
    make_schedule(w);
    w->address = take(w, w->graph.tensor_count * sizeof *w->address);
}

static void make_lifetimes(world *w, const berth_lifetime_options *options)
{
    size_t bytes = 0;
    need(w,
         berth_lifetimes_bytes(&w->graph, &w->shapes, &w->schedule, options,
                               &bytes, &diag) == BERTH_OK,
         "lifetimes");
    berth_work work = lend(w, bytes);
    need(w,
         berth_lifetimes_init(&w->graph, &w->shapes, &w->schedule, options,
                              &work, &w->lifetimes, &diag) == BERTH_OK,
         "lifetimes");
    w->offset = take(w, w->lifetimes.problem.item_count * sizeof *w->offset);
}

/* --- plans and judges -------------------------------------------------- */

static berth_status solve(world *w, const berth_problem *problem,
                          berth_strategy strategy, berth_plan *plan)
{
    const berth_plan_options options = {.strategy = strategy};
    const uint32_t before = w->block_count;
    size_t bytes = 0;
    *plan = (berth_plan){.offset = w->offset};
    berth_status status = berth_plan_bytes(problem, &options, &bytes, &diag);
    if (status == BERTH_OK) {
        status =
            berth_plan_solve(problem, &options, lend(w, bytes), plan, &diag);
    }
    give_back(w, before);
    return status;
}

/* The first judge, on the true problem. */
static berth_status check(world *w, const berth_plan *plan)
{
    const berth_problem *problem = &w->lifetimes.problem;
    const uint32_t before = w->block_count;
    size_t bytes = 0;
    assert_int_equal(berth_plan_check_bytes(problem, &bytes), BERTH_OK);
    const berth_status status =
        berth_plan_check(problem, plan, lend(w, bytes), &diag);
    give_back(w, before);
    return status;
}

static berth_status prove(world *w)
{
    const uint32_t before = w->block_count;
    size_t bytes = 0;
    for (uint32_t t = 0; t < w->graph.tensor_count; ++t) {
        const uint32_t item = w->lifetimes.item_of_tensor[t];
        w->address[t] = item == BERTH_NONE ? BERTH_NOWHERE : w->offset[item];
    }
    need(w,
         berth_prove_bytes(&w->graph, &w->schedule, &bytes, &diag) == BERTH_OK,
         "prove");
    const berth_status status = berth_prove(&w->graph, &w->shapes, &w->schedule,
                                            w->address, lend(w, bytes), &diag);
    give_back(w, before);
    return status;
}

static void own_plans_pass(world *w)
{
    uint64_t none = 0;
    uint64_t least = UINT64_MAX;
    uint64_t best = 0;
    for (int s = 0; s < BERTH_STRATEGY_COUNT; ++s) {
        if (s == BERTH_STRATEGY_TFLITE || s == BERTH_STRATEGY_TFLM) {
            continue;
        }
        berth_plan plan;
        need(w,
             solve(w, &w->lifetimes.problem, (berth_strategy)s, &plan) ==
                 BERTH_OK,
             berth_strategy_name((berth_strategy)s));
        need(w, check(w, &plan) == BERTH_OK, "the first judge");
        need(w, prove(w) == BERTH_OK, "the second judge");
        need(w, plan.bound <= plan.peak, "peak under the bound");
        none = s == BERTH_STRATEGY_NONE ? plan.peak : none;
        best = s == BERTH_STRATEGY_BEST ? plan.peak : best;
        least = plan.peak < least ? plan.peak : least;
        ++counts.plans;
    }
    need(w, best == least && best <= none, "best is not the best");
}

static void peers_are_as_known(world *w)
{
    for (int peer = 0; peer < BERTH_PEER_COUNT; ++peer) {
        const uint32_t before = w->block_count;
        size_t bytes = 0;
        berth_peer_plan plan = {.address = w->address};
        need(w,
             berth_peer_bytes(&w->graph, &w->shapes, 0, (berth_peer)peer,
                              &bytes, &diag) == BERTH_OK,
             "peer");
        const berth_status status =
            berth_peer_solve(&w->graph, &w->shapes, 0, (berth_peer)peer,
                             lend(w, bytes), &plan, &diag);
        give_back(w, before);
        /* With its kernels' temporaries or without. */
        const bool litert = peer != BERTH_PEER_TFLM;
        if (litert && status == BERTH_UNBOUNDED) {
            ++counts.litert_unbounded;
            continue;
        }
        need(w, status == BERTH_OK, "peer");
        need(w, plan.bound <= plan.peak, "a peer's peak under its bound");
        if (!plan.sound) {
            diag = plan.unsound;
            need(w, litert, "TFLM unsound");
            ++counts.litert_unsound;
        }
    }
}

/* --- deliberate mistakes ----------------------------------------------- */

/* Both judges on what lies in w->offset; true where the first refuses. The
 * second may not: a view that is copied, or a move from a place to itself, is
 * no harm, though the problem ties or parts the two. */
static bool judge_broken(world *w, const berth_plan *plan, uint32_t *caught)
{
    const berth_status first = check(w, plan);
    const berth_status second = prove(w);
    if (second != BERTH_OK) {
        need(w, second == BERTH_UNSOUND, "the second judge stumbles");
        need(w, first != BERTH_OK, "only the second judge refuses");
        ++*caught;
    }
    return first != BERTH_OK;
}

/* A copy of the problem with other spans; the plan is then judged by the true
 * one. */
static void solve_with_spans(world *w, const berth_span *spans, uint32_t *bad,
                             uint32_t *caught)
{
    berth_problem wrong = w->lifetimes.problem;
    berth_plan plan;
    wrong.spans = spans;
    for (int s = BERTH_STRATEGY_ONLINE; s < BERTH_STRATEGY_COUNT; ++s) {
        if (s == BERTH_STRATEGY_TFLITE || s == BERTH_STRATEGY_TFLM) {
            continue;
        }
        if (solve(w, &wrong, (berth_strategy)s, &plan) == BERTH_OK &&
            judge_broken(w, &plan, caught)) {
            ++*bad;
            return;
        }
    }
}

static berth_span *copy_spans(world *w)
{
    const berth_problem *problem = &w->lifetimes.problem;
    berth_span *spans = take(w, problem->span_count * sizeof *spans);
    if (problem->span_count > 0) {
        memcpy(spans, problem->spans, problem->span_count * sizeof *spans);
    }
    return spans;
}

static void shorten(const berth_problem *problem, berth_span *spans,
                    uint32_t item, uint32_t dead)
{
    const berth_item *row = &problem->items[item];
    berth_span *last = &spans[row->first_span + row->span_count - 1];
    if (last->dead == dead && last->dead - last->born > 1) {
        --last->dead;
    }
}

static uint32_t dead_of(const berth_problem *problem, uint32_t item)
{
    const berth_item *row = &problem->items[item];
    return problem->spans[row->first_span + row->span_count - 1].dead;
}

static uint32_t root_of(const berth_problem *problem, uint32_t item)
{
    for (uint32_t i = problem->tie_count; i-- > 0;) {
        if (problem->ties[i].b == item) {
            item = problem->ties[i].a;
            i = problem->tie_count;
        }
    }
    return item;
}

static void break_a_lifetime(world *w, uint64_t *seed)
{
    const berth_problem *problem = &w->lifetimes.problem;
    const uint32_t before = w->block_count;
    berth_span *spans = copy_spans(w);
    const uint32_t item = seed_below(seed, problem->item_count);
    shorten(problem, spans, item, dead_of(problem, item));
    ++counts.broken_lifetimes;
    solve_with_spans(w, spans, &counts.broken_lifetimes_bad,
                     &counts.broken_lifetimes_caught);
    give_back(w, before);
}

/* All members of a tie class forget its last reader. */
static void break_an_alias(world *w, uint64_t *seed)
{
    const berth_problem *problem = &w->lifetimes.problem;
    const uint32_t before = w->block_count;
    if (problem->tie_count == 0) {
        return;
    }
    const uint32_t tie = seed_below(seed, problem->tie_count);
    const uint32_t root = root_of(problem, problem->ties[tie].a);
    berth_span *spans = copy_spans(w);
    uint32_t dead = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        if (root_of(problem, i) == root && dead_of(problem, i) > dead) {
            dead = dead_of(problem, i);
        }
    }
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        if (root_of(problem, i) == root) {
            shorten(problem, spans, i, dead);
        }
    }
    ++counts.broken_aliases;
    solve_with_spans(w, spans, &counts.broken_aliases_bad,
                     &counts.broken_aliases_caught);
    give_back(w, before);
}

static void break_the_packer(world *w, uint64_t *seed)
{
    const berth_problem *problem = &w->lifetimes.problem;
    berth_plan plan;
    need(w, solve(w, problem, BERTH_STRATEGY_SIZE_FIRST, &plan) == BERTH_OK,
         "size-first");
    const uint32_t item = seed_below(seed, problem->item_count);
    const uint64_t shift = 16u * (1 + seed_below(seed, 3));
    const uint64_t was = w->offset[item];
    w->offset[item] =
        was >= shift && seed_below(seed, 2) == 0 ? was - shift : was + shift;
    plan.peak = 0;
    plan.bound = 0;
    plan.proof = BERTH_PROOF_OPEN;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint64_t end = w->offset[i] + problem->items[i].size;
        plan.peak = end > plan.peak ? end : plan.peak;
    }
    ++counts.broken_offsets;
    counts.broken_offsets_bad +=
        judge_broken(w, &plan, &counts.broken_offsets_caught);
}

/* --- all --------------------------------------------------------------- */

/* Two sets of rules, of which the second asks for no less: whatever plan keeps
 * it keeps the first. */
typedef struct rules {
    berth_lifetime_options weak;
    berth_lifetime_options strong;
} rules;

static berth_plan plan_by(world *w, const berth_lifetime_options *options)
{
    const uint32_t before = w->block_count;
    berth_plan plan;
    make_lifetimes(w, options);
    need(w,
         solve(w, &w->lifetimes.problem, BERTH_STRATEGY_BEST, &plan) ==
             BERTH_OK,
         "best");
    need(w, prove(w) == BERTH_OK, "the second judge");
    give_back(w, before);
    return plan;
}

static void stronger_rules_take_no_less(world *w, uint64_t *seed)
{
    static const rules pairs[] = {
        {{0}, {.no_inplace = true}},
        {{0}, {.keep_inputs = true}},
        {{0}, {.lag = 1}},
        {{.no_inplace = true}, {.lag = 1}},
        {{.lag = 1}, {.lag = 2}},
        {{.lag = 2}, {.lag = 9}},
        {{.lag = 9}, {.lag = UINT32_MAX}},
        {{.no_inplace = true, .no_views = true, .hold_inputs = true},
         {.no_inplace = true, .no_views = true}},
        {{.no_inplace = true, .no_views = true, .hold_outputs = true},
         {.no_inplace = true, .no_views = true}}};
    const rules *pair =
        &pairs[seed_below(seed, sizeof(pairs) / sizeof(pairs[0]))];
    const berth_plan weak = plan_by(w, &pair->weak);
    const berth_plan strong = plan_by(w, &pair->strong);
    need(w, weak.bound <= strong.peak, "the weaker rules take more");
    counts.rules_apart += weak.peak < strong.peak;
}

static void run_options(world *w, uint64_t *seed,
                        const berth_lifetime_options *options)
{
    const uint32_t before = w->block_count;
    make_lifetimes(w, options);
    own_plans_pass(w);
    if (w->lifetimes.problem.item_count > 0) {
        break_a_lifetime(w, seed);
        break_an_alias(w, seed);
        break_the_packer(w, seed);
    }
    give_back(w, before);
}

static void run_seed(uint64_t number)
{
    uint64_t seed = number ^ 0x5eed;
    world w = {.seed = number, .builder = mb_new()};
    diag = berth_diag_none();
    make_stages(&w);
    const berth_lifetime_options plain = {.no_scratch = true};
    const berth_lifetime_options other = {
        .no_scratch = true,
        .no_views = seed_below(&seed, 2) == 0,
        .no_inplace = seed_below(&seed, 2) == 0,
        .keep_inputs = seed_below(&seed, 3) == 0,
        .hold_inputs = seed_below(&seed, 3) == 0,
        .hold_outputs = seed_below(&seed, 3) == 0,
        .lag = seed_below(&seed, 2) == 0 ? 0 : seed_below(&seed, 5)};
    run_options(&w, &seed, &plain);
    run_options(&w, &seed, &other);
    stronger_rules_take_no_less(&w, &seed);
    peers_are_as_known(&w);
    ++counts.graphs;
    counts.steps += w.schedule.step_count;
    counts.calls += w.graph.subgraph_count > 1;
    give_back(&w, 0);
    mb_free(w.builder);
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void print_counts(void)
{
    print_message("%u graphs (%u with calls), %u steps, %u plans\n",
                  counts.graphs, counts.calls, counts.steps, counts.plans);
    print_message("litert: %u unsound, %u unbounded\n", counts.litert_unsound,
                  counts.litert_unbounded);
    print_message("stronger rules took more: %u\n", counts.rules_apart);
    print_message("broken lifetimes: %u, bad plans %u, caught by values %u\n",
                  counts.broken_lifetimes, counts.broken_lifetimes_bad,
                  counts.broken_lifetimes_caught);
    print_message("broken aliases: %u, bad plans %u, caught by values %u\n",
                  counts.broken_aliases, counts.broken_aliases_bad,
                  counts.broken_aliases_caught);
    print_message("broken packer: %u, bad plans %u, caught by values %u\n",
                  counts.broken_offsets, counts.broken_offsets_bad,
                  counts.broken_offsets_caught);
}

static void random_graphs_are_planned_soundly(void **state)
{
    (void)state;
    if (getenv("BERTH_RANDOM_SEED") != NULL) {
        run_seed(number_of("BERTH_RANDOM_SEED", 0));
        print_counts();
        return;
    }
    const uint64_t graphs = number_of("BERTH_RANDOM_GRAPHS", GRAPHS);
    print_message("seeds 1 to %llu\n", (unsigned long long)graphs);
    for (uint64_t seed = 1; seed <= graphs; ++seed) {
        run_seed(seed);
    }
    print_counts();
    assert_true(counts.rules_apart > graphs / 50);
    assert_true(counts.broken_lifetimes_caught > graphs / 50);
    assert_true(counts.broken_aliases_caught > 0);
    assert_true(counts.broken_offsets_caught > graphs / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_are_planned_soundly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

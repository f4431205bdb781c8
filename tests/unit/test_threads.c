/* One model, graph, shapes and schedule, shared by threads that each plan,
 * judge and account on their own: immutable means that nobody needs a lock.
 * Wrong answers show in every build, races in the preset tsan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "berth/ledger.h"
#include "berth/peer.h"
#include "random_model.h"
#include "rig.h"

enum { THREADS = 4, MODELS = 12, ROUNDS = 3 };

/* What all threads must agree on. */
typedef struct findings {
    uint64_t peak[BERTH_STRATEGY_COUNT];
    uint64_t peer[BERTH_PEER_COUNT];
    berth_ledger ledger;
    uint64_t items;
} findings;

/* What they share, read only. */
typedef struct shared_model {
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
    berth_schedule schedule;
} shared_model;

typedef struct worker {
    const shared_model *shared;
    findings found;
    bool good; /* cmocka must not be asked outside its own thread */
    void *blocks[64];
    uint32_t block_count;
} worker;

static berth_work lend(worker *w, size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL || w->block_count == 64) {
        abort();
    }
    w->blocks[w->block_count++] = memory;
    return berth_work_of(memory, bytes);
}

static void give_back(worker *w)
{
    while (w->block_count > 0) {
        free(w->blocks[--w->block_count]);
    }
}

static bool judge(worker *w, const berth_lifetimes *lifetimes,
                  const berth_plan *plan)
{
    const shared_model *s = w->shared;
    const uint32_t tensors = s->graph.tensor_count;
    size_t need = 0;
    berth_work work = lend(w, (size_t)tensors * sizeof(uint64_t) + 16);
    uint64_t *address = BERTH_TAKE(&work, uint64_t, tensors);
    for (uint32_t t = 0; t < tensors; ++t) {
        const uint32_t item = lifetimes->item_of_tensor[t];
        address[t] = item == BERTH_NONE ? BERTH_NOWHERE : plan->offset[item];
    }
    if (berth_plan_check_bytes(&lifetimes->problem, &need) != BERTH_OK ||
        berth_plan_check(&lifetimes->problem, plan, lend(w, need), NULL) !=
            BERTH_OK ||
        berth_prove_bytes(&s->graph, &s->schedule, &need, NULL) != BERTH_OK) {
        return false;
    }
    return berth_prove(&s->graph, &s->shapes, &s->schedule, address,
                       lend(w, need), NULL) == BERTH_OK;
}

static bool account(worker *w, const berth_lifetimes *lifetimes,
                    const berth_plan *plan)
{
    const shared_model *s = w->shared;
    size_t need = 0;
    return berth_ledger_bytes(&s->graph, lifetimes, &need, NULL) == BERTH_OK &&
           berth_ledger_make(&s->graph, &s->schedule, lifetimes, plan,
                             lend(w, need), &w->found.ledger, NULL) == BERTH_OK;
}

static bool ask_peer(worker *w, berth_peer peer)
{
    const shared_model *s = w->shared;
    size_t need = 0;
    berth_work work =
        lend(w, (size_t)s->graph.tensor_count * sizeof(uint64_t) + 16);
    berth_peer_plan plan = {
        .address = BERTH_TAKE(&work, uint64_t, s->graph.tensor_count)};
    const berth_status status =
        berth_peer_bytes(&s->graph, &s->shapes, 0, peer, &need, NULL);
    if (status != BERTH_OK ||
        berth_peer_solve(&s->graph, &s->shapes, 0, peer, lend(w, need), &plan,
                         NULL) != BERTH_OK) {
        w->found.peer[peer] = BERTH_NOWHERE; /* the same for all threads */
        return true;
    }
    w->found.peer[peer] = plan.peak;
    return true;
}

static bool plan_once(worker *w)
{
    const shared_model *s = w->shared;
    size_t need = 0;
    berth_lifetimes lifetimes;
    if (berth_lifetimes_bytes(&s->graph, &s->shapes, &s->schedule, NULL, &need,
                              NULL) != BERTH_OK) {
        return false;
    }
    berth_work work = lend(w, need);
    if (berth_lifetimes_init(&s->graph, &s->shapes, &s->schedule, NULL, &work,
                             &lifetimes, NULL) != BERTH_OK) {
        return false;
    }
    const berth_problem *problem = &lifetimes.problem;
    w->found.items = problem->item_count;
    work = lend(w, ((size_t)problem->item_count + 2) * sizeof(uint64_t));
    berth_plan plan = {
        .offset = BERTH_TAKE(&work, uint64_t, problem->item_count + 1u)};
    for (uint32_t i = BERTH_STRATEGY_COUNT; i-- > 0;) { /* best comes last */
        const berth_plan_options options = {.strategy = (berth_strategy)i};
        if (berth_plan_bytes(problem, &options, &need, NULL) != BERTH_OK ||
            berth_plan_solve(problem, &options, lend(w, need), &plan, NULL) !=
                BERTH_OK) {
            w->found.peak[i] = BERTH_NOWHERE; /* ties, of the peers' packers */
            continue;
        }
        w->found.peak[i] = plan.peak;
        if (i == BERTH_STRATEGY_BEST && !judge(w, &lifetimes, &plan)) {
            return false;
        }
    }
    return account(w, &lifetimes, &plan) && ask_peer(w, BERTH_PEER_LITERT) &&
           ask_peer(w, BERTH_PEER_TFLM) &&
           ask_peer(w, BERTH_PEER_LITERT_KERNELS);
}

static void *run_worker(void *argument)
{
    worker *w = argument;
    w->good = true;
    for (int i = 0; i < ROUNDS; ++i) {
        w->found = (findings){0};
        w->good = plan_once(w) && w->good;
        give_back(w);
    }
    return NULL;
}

static void share(const shared_model *shared)
{
    pthread_t threads[THREADS];
    worker *workers = calloc(THREADS, sizeof(*workers));
    assert_non_null(workers);
    for (uint32_t i = 0; i < THREADS; ++i) {
        workers[i].shared = shared;
        assert_int_equal(
            pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_true(workers[i].good);
        assert_memory_equal(&workers[i].found, &workers[0].found,
                            sizeof(findings));
    }
    free(workers);
}

static void threads_share_all_but_their_own_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MODELS; ++seed) {
        mb *builder = mb_new();
        const berth_bytes file = random_model(builder, seed);
        worker own = {0}; /* of what is shared, the memory */
        shared_model s;
        size_t need = 0;
        const berth_shape_options options = {0};
        assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
        berth_work work = lend(&own, need);
        assert_int_equal(berth_model_init(file, &work, &s.model, NULL), 0);
        assert_int_equal(berth_graph_bytes(s.model, &need, NULL), BERTH_OK);
        work = lend(&own, need);
        assert_int_equal(berth_graph_init(s.model, &work, &s.graph, NULL), 0);
        assert_int_equal(berth_shapes_bytes(&s.graph, &options, &need, NULL),
                         BERTH_OK);
        work = lend(&own, need);
        assert_int_equal(
            berth_shapes_init(&s.graph, &options, &work, &s.shapes, NULL), 0);
        assert_int_equal(berth_schedule_bytes(&s.graph, 0, &need, NULL), 0);
        work = lend(&own, need);
        assert_int_equal(
            berth_schedule_init(&s.graph, 0, &work, &s.schedule, NULL), 0);
        share(&s);
        give_back(&own);
        mb_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_all_but_their_own_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

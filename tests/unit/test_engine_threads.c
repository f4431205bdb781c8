/* Sixty-four engines of one model on eight threads; and two threads that want
 * one engine. Wrong answers show in every build, races in the preset tsan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "toys.h"

enum { N = 64, ENGINES = 64, THREADS = 8, RUNS = 20, RACERS = 4 };

/* y = ((x + 1) * (x + 1)) + v; v = y, all of whole numbers */
static toy *model(void)
{
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t a = toy_float(t, 0, "a", N);
    const int32_t b = toy_float(t, 0, "b", N);
    const int32_t old = toy_float(t, 0, "old", N);
    const int32_t y = toy_float(t, 0, "y", N);
    const int32_t handle = toy_handle(t, 0, "v");
    toy_custom(t, 0, "inc", MB_INTS(x), MB_INTS(a));
    toy_op(t, 0, BERTH_OP_MUL, MB_INTS(a, a), MB_INTS(b));
    toy_op(t, 0, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(old));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(b, old), MB_INTS(y));
    toy_op(t, 0, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, y), MB_NO_INTS);
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    return t;
}

/* An engine in memory of its own, by stages that all share. */
typedef struct lodger {
    berth_engine_memory memory;
    berth_engine *engine;
    void *block;
} lodger;

typedef struct landlord {
    const engine_rig *stages;
    lodger *lodgers; /* every THREADS-th is this one's */
    uint32_t first;
    bool good; /* cmocka must not be asked outside its own thread */
} landlord;

static bool move_in(const engine_rig *stages, lodger *l)
{
    const size_t bytes = (size_t)stages->need.total_bytes;
    return posix_memalign(&l->block, 16, bytes) == 0 &&
           berth_engine_cut(&stages->need, l->block, bytes, &l->memory, NULL) ==
               BERTH_OK &&
           berth_engine_prepare(&stages->source, &l->memory, &l->engine,
                                NULL) == BERTH_OK;
}

static bool run_once(const lodger *l, float x, float want)
{
    berth_io in;
    berth_io out;
    bool good = berth_engine_input(l->engine, 0, &in) == BERTH_OK &&
                berth_engine_output(l->engine, 0, &out) == BERTH_OK;
    for (int i = 0; good && i < N; ++i) {
        memcpy(in.data + sizeof(x) * (size_t)i, &x, sizeof(x));
    }
    good = good && berth_engine_run(l->engine, NULL, NULL) == BERTH_OK;
    for (int i = 0; good && i < N; ++i) {
        float got;
        memcpy(&got, out.data + sizeof(got) * (size_t)i, sizeof(got));
        good = got == want;
    }
    return good;
}

static void *lodge(void *argument)
{
    landlord *owner = argument;
    bool good = true;
    for (uint32_t i = owner->first; i < ENGINES; i += THREADS) {
        good = good && move_in(owner->stages, &owner->lodgers[i]);
    }
    for (uint32_t run = 1; good && run <= RUNS; ++run) {
        for (uint32_t i = owner->first; i < ENGINES; i += THREADS) {
            const float square = ((float)i + 1.0f) * ((float)i + 1.0f);
            good = good &&
                   run_once(&owner->lodgers[i], (float)i, square * (float)run);
        }
    }
    owner->good = good;
    return NULL;
}

static void many_engines_of_one_model(void **state)
{
    (void)state;
    static lodger lodgers[ENGINES];
    pthread_t threads[THREADS];
    landlord owners[THREADS];
    toy *t = model();
    engine_rig *stages = toy_rig(t, &(engine_wishes){0});
    assert_true(engine_rig_stage(stages));
    memset(lodgers, 0, sizeof(lodgers));
    for (uint32_t i = 0; i < THREADS; ++i) {
        owners[i] = (landlord){stages, lodgers, i, false};
        assert_int_equal(pthread_create(&threads[i], NULL, lodge, &owners[i]),
                         0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(owners[i].good);
    }
    for (uint32_t i = 0; i < ENGINES; ++i) {
        free(lodgers[i].block);
    }
    engine_rig_free(stages);
    toy_free(t);
}

/* --- one engine ----------------------------------------------------------- */

typedef struct racer {
    engine_rig *e;
    uint32_t ran;
    uint32_t busy;
    bool good;
} racer;

static void *race(void *argument)
{
    racer *r = argument;
    r->good = true;
    for (int i = 0; i < 2000; ++i) {
        berth_diag diag;
        const berth_status status = berth_engine_run(r->e->engine, NULL, &diag);
        r->ran += status == BERTH_OK ? 1u : 0u;
        r->busy += status == BERTH_BUSY ? 1u : 0u;
        r->good = r->good && (status == BERTH_OK || status == BERTH_BUSY ||
                              status == BERTH_CANCELLED);
        if (i % 500 == 0) {
            berth_engine_cancel(r->e->engine);
        }
    }
    return NULL;
}

static void two_threads_want_one_engine(void **state)
{
    (void)state;
    toy *t = model();
    engine_rig *e = toy_open(t, &(engine_wishes){0});
    pthread_t threads[RACERS];
    racer racers[RACERS];
    uint32_t ran = 0;
    for (int i = 0; i < N; ++i) {
        toy_in(e, 0)[i] = 0.0f;
    }
    for (int i = 0; i < RACERS; ++i) {
        racers[i] = (racer){.e = e};
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]),
                         0);
    }
    for (int i = 0; i < RACERS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(racers[i].good);
        ran += racers[i].ran;
    }
    assert_true(ran > 0);
    /* The variable holds one for each whole run, unless some were cancelled
     * behind ASSIGN_VARIABLE; a late wish to cancel may still be there. */
    const berth_status late = berth_engine_run(e->engine, NULL, &e->diag);
    assert_true(late == BERTH_OK || late == BERTH_CANCELLED);
    toy_run(e);
    assert_true(toy_out(e, 0)[0] > (float)ran);
    assert_true(toy_out(e, 0)[0] == toy_out(e, 0)[N - 1]);
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_engines_of_one_model),
        cmocka_unit_test(two_threads_want_one_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Loops, branches and calls: moves of several tensors at once, jumps, and what
 * a call hands over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "toys.h"

enum { N = 5, CARRIED = 6 };

static const engine_wishes plain = {0};

/* A loop that counts x[0] up to 10 and permutes its other variables each time:
 * variable i becomes what variable order[i] was. Variable 0 counts. */
static toy *permuting(const int *order, int count)
{
    toy *t = toy_new();
    const uint32_t cond = mb_subgraph(t->b, "cond");
    const uint32_t body = mb_subgraph(t->b, "body");
    int32_t in[CARRIED];
    int32_t out[CARRIED];
    int32_t c[CARRIED];
    int32_t b[CARRIED];
    int32_t after[CARRIED];
    for (int i = 0; i < count; ++i) {
        in[i] = toy_float(t, 0, "in", N);
        out[i] = toy_float(t, 0, "out", N);
        c[i] = toy_float(t, cond, "c", N);
        b[i] = toy_float(t, body, "b", N);
    }
    const int32_t go = toy_tensor(t, cond, "go", BERTH_BOOL, 1);
    toy_custom(t, cond, "below", MB_INTS(c[0]), MB_INTS(go));
    mb_io(t->b, cond, (mb_ints){c, (size_t)count}, MB_INTS(go));
    const int32_t more = toy_float(t, body, "more", N);
    toy_custom(t, body, "inc", MB_INTS(b[0]), MB_INTS(more));
    after[0] = more;
    for (int i = 1; i < count; ++i) {
        after[i] = b[order[i]];
    }
    mb_io(t->b, body, (mb_ints){b, (size_t)count},
          (mb_ints){after, (size_t)count});
    toy_while(t, 0, cond, body, (mb_ints){in, (size_t)count},
              (mb_ints){out, (size_t)count});
    mb_io(t->b, 0, (mb_ints){in, (size_t)count}, (mb_ints){out, (size_t)count});
    return t;
}

/* What the loop leaves, by doing it. */
static void expect(const int *order, int count, float from, float *values)
{
    for (int i = 0; i < count; ++i) {
        values[i] = i == 0 ? from : 100.0f * (float)i;
    }
    while (values[0] < 10.0f) {
        float next[CARRIED];
        next[0] = values[0] + 1.0f;
        for (int i = 1; i < count; ++i) {
            next[i] = values[order[i]];
        }
        memcpy(values, next, sizeof(float) * (size_t)count);
    }
}

static void try_order(const int *order, int count, berth_strategy strategy)
{
    toy *t = permuting(order, count);
    engine_rig *e = toy_open(t, &(engine_wishes){.strategy = strategy});
    for (int from = 5; from < 12; ++from) {
        float want[CARRIED] = {0};
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < N; ++k) {
                toy_in(e, (uint32_t)i)[k] =
                    i == 0 ? (float)from : 100.0f * (float)i;
            }
        }
        toy_run(e);
        expect(order, count, (float)from, want);
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < N; ++k) {
                assert_true(toy_out(e, (uint32_t)i)[k] == want[i]);
            }
        }
    }
    engine_rig_free(e);
    toy_free(t);
}

/* Every way in which three variables may become one another, with circles,
 * chains and doubles; the counter among them. */
static void variables_of_a_loop_change_places_in_every_way(void **state)
{
    (void)state;
    for (int code = 0; code < 64; ++code) {
        const int order[] = {0, code & 3, code >> 2 & 3, code >> 4 & 3};
        try_order(order, 4, BERTH_STRATEGY_BEST);
        try_order(order, 4, BERTH_STRATEGY_NONE);
    }
}

static void longer_circles(void **state)
{
    (void)state;
    static const int orders[][CARRIED] = {
        {0, 2, 3, 4, 5, 1}, /* one of five */
        {0, 2, 1, 4, 5, 3}, /* one of two, one of three */
        {0, 2, 1, 4, 3, 3}, /* two of two, and one beside */
        {0, 2, 3, 1, 1, 4}, /* one of three, with a tail of two */
        {0, 0, 1, 2, 3, 4}, /* a chain */
        {0, 5, 5, 5, 5, 5}, /* all the same */
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); ++i) {
        try_order(orders[i], CARRIED, BERTH_STRATEGY_BEST);
    }
}

/* --- branches ------------------------------------------------------------- */

/* then: y = x + 1; else: y = x + 3 */
static void branches(toy *t, uint32_t *then_, uint32_t *else_)
{
    *then_ = mb_subgraph(t->b, "then");
    const int32_t u = toy_float(t, *then_, "u", N);
    const int32_t v = toy_float(t, *then_, "v", N);
    toy_custom(t, *then_, "inc", MB_INTS(u), MB_INTS(v));
    mb_io(t->b, *then_, MB_INTS(u), MB_INTS(v));
    *else_ = mb_subgraph(t->b, "else");
    const int32_t p = toy_float(t, *else_, "p", N);
    const int32_t q = toy_float(t, *else_, "q", N);
    const int32_t r = toy_float(t, *else_, "r", N);
    const int32_t s = toy_float(t, *else_, "s", N);
    toy_custom(t, *else_, "inc", MB_INTS(p), MB_INTS(q));
    toy_custom(t, *else_, "inc", MB_INTS(q), MB_INTS(r));
    toy_custom(t, *else_, "inc", MB_INTS(r), MB_INTS(s));
    mb_io(t->b, *else_, MB_INTS(p), MB_INTS(s));
}

static float one_run(engine_rig *e, float x)
{
    for (int i = 0; i < N; ++i) {
        toy_in(e, 0)[i] = x;
    }
    toy_run(e);
    return toy_out(e, 0)[N - 1];
}

static void a_branch_goes_either_way(void **state)
{
    (void)state;
    toy *t = toy_new();
    uint32_t then_ = 0;
    uint32_t else_ = 0;
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t on = toy_tensor(t, 0, "on", BERTH_BOOL, 1);
    const int32_t y = toy_float(t, 0, "y", N);
    branches(t, &then_, &else_);
    toy_custom(t, 0, "below", MB_INTS(x), MB_INTS(on));
    toy_if(t, 0, then_, else_, MB_INTS(on, x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &plain);
    assert_true(one_run(e, 1.0f) == 2.0f);
    assert_true(one_run(e, 11.0f) == 14.0f);
    assert_true(one_run(e, 2.0f) == 3.0f);
    engine_rig_free(e);
    toy_free(t);
}

/* Each branch of a branch is a branch; all return to the same place. */
static void branches_in_branches(void **state)
{
    (void)state;
    toy *t = toy_new();
    uint32_t then_ = 0;
    uint32_t else_ = 0;
    branches(t, &then_, &else_);
    uint32_t outer[2];
    for (int i = 0; i < 2; ++i) {
        const uint32_t g = mb_subgraph(t->b, "outer");
        const int32_t a = toy_float(t, g, "a", N);
        const int32_t b = toy_float(t, g, "b", N);
        const int32_t c = toy_float(t, g, "c", N);
        const int32_t on = toy_tensor(t, g, "on", BERTH_BOOL, 1);
        toy_custom(t, g, "below", MB_INTS(a), MB_INTS(on));
        toy_if(t, g, i == 0 ? then_ : else_, i == 0 ? else_ : then_,
               MB_INTS(on, a), MB_INTS(b));
        toy_custom(t, g, "inc", MB_INTS(b), MB_INTS(c));
        mb_io(t->b, g, MB_INTS(a), MB_INTS(c));
        outer[i] = g;
    }
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t on = toy_tensor(t, 0, "on", BERTH_BOOL, 1);
    const int32_t y = toy_float(t, 0, "y", N);
    const int32_t z = toy_float(t, 0, "z", N);
    toy_custom(t, 0, "below", MB_INTS(x), MB_INTS(on));
    toy_if(t, 0, outer[0], outer[1], MB_INTS(on, x), MB_INTS(y));
    toy_custom(t, 0, "inc", MB_INTS(y), MB_INTS(z));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(z));
    engine_rig *e = toy_open(t, &plain);
    assert_true(one_run(e, 1.0f) == 4.0f);   /* then, then */
    assert_true(one_run(e, 20.0f) == 23.0f); /* else, where "else" is then */
    engine_rig_free(e);
    toy_free(t);
}

/* --- calls ---------------------------------------------------------------- */

static void a_subgraph_called_twice_is_handed_each_its_own(void **state)
{
    (void)state;
    toy *t = toy_new();
    uint32_t then_ = 0;
    uint32_t else_ = 0;
    branches(t, &then_, &else_);
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t c = toy_constant(t, 0, N, 40.0f);
    const int32_t a = toy_float(t, 0, "a", N);
    const int32_t b = toy_float(t, 0, "b", N);
    const int32_t y = toy_float(t, 0, "y", N);
    const mb_option callee[] = {
        {BERTH_OPT_CallOptions_subgraph, .value = then_}};
    const mb_options options = {callee, 1};
    (void)mb_op(t->b, 0,
                (mb_op_spec){.code = BERTH_OP_CALL,
                             .inputs = MB_INTS(x),
                             .outputs = MB_INTS(a),
                             .options = options});
    (void)mb_op(t->b, 0,
                (mb_op_spec){.code = BERTH_OP_CALL,
                             .inputs = MB_INTS(c),
                             .outputs = MB_INTS(b),
                             .options = options});
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(a, b), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &plain);
    assert_true(one_run(e, 1.0f) == 43.0f);
    assert_true(one_run(e, 2.0f) == 44.0f);
    engine_rig_free(e);
    toy_free(t);
}

static void a_condition_is_one_bool(void **state)
{
    (void)state;
    toy *t = toy_new();
    uint32_t then_ = 0;
    uint32_t else_ = 0;
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    branches(t, &then_, &else_);
    toy_if(t, 0, then_, else_, MB_INTS(x, x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    toy_refused(t, &plain, BERTH_BAD_MODEL, "a condition is one bool");
    toy_free(t);
}

typedef struct stopper {
    engine_rig *e;
    uint32_t events;
} stopper;

static void stop_later(void *self, const berth_engine_event *event)
{
    stopper *s = self;
    (void)event;
    if (++s->events == 1000) {
        berth_engine_cancel(s->e->engine);
    }
}

/* The condition is true for ever; a run ends all the same. */
static void an_endless_loop_is_cancelled(void **state)
{
    (void)state;
    toy *t = toy_new();
    const uint32_t cond = mb_subgraph(t->b, "cond");
    const uint32_t body = mb_subgraph(t->b, "body");
    const int32_t c = toy_float(t, cond, "c", N);
    const int32_t go = toy_tensor(t, cond, "go", BERTH_BOOL, 1);
    toy_custom(t, cond, "below", MB_INTS(c), MB_INTS(go));
    mb_io(t->b, cond, MB_INTS(c), MB_INTS(go));
    const int32_t b = toy_float(t, body, "b", N);
    mb_io(t->b, body, MB_INTS(b), MB_INTS(b));
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_while(t, 0, cond, body, MB_INTS(x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &plain);
    stopper s = {e, 0};
    const berth_run_options options = {.before = stop_later, .watcher = &s};
    toy_in(e, 0)[0] = 1.0f;
    assert_int_equal(berth_engine_run(e->engine, &options, &e->diag),
                     BERTH_CANCELLED);
    for (int i = 0; i < N; ++i) {
        toy_in(e, 0)[i] = 30.0f;
    }
    toy_run(e);
    assert_true(toy_out(e, 0)[0] == 30.0f);
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_of_a_loop_change_places_in_every_way),
        cmocka_unit_test(longer_circles),
        cmocka_unit_test(a_branch_goes_either_way),
        cmocka_unit_test(branches_in_branches),
        cmocka_unit_test(a_subgraph_called_twice_is_handed_each_its_own),
        cmocka_unit_test(a_condition_is_one_bool),
        cmocka_unit_test(an_endless_loop_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

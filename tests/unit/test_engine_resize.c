/* Other shapes: noted, planned anew in the lent memory, refused without harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "toys.h"

enum { N = 4, ROOM = 1 << 16 };

/* y = x + x; v += x, where v is of one size */
static toy *doubling(bool stateful)
{
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(x, x), MB_INTS(y));
    if (stateful) {
        const int32_t one = toy_constant(t, 0, 1, 1.0f);
        const int32_t old = toy_float(t, 0, "old", 1);
        const int32_t sum = toy_float(t, 0, "sum", 1);
        const int32_t handle = toy_handle(t, 0, "v");
        toy_op(t, 0, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(old));
        toy_op(t, 0, BERTH_OP_ADD, MB_INTS(old, one), MB_INTS(sum));
        toy_op(t, 0, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, sum),
               MB_NO_INTS);
        mb_io(t->b, 0, MB_INTS(x), MB_INTS(y, sum));
    } else {
        mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    }
    return t;
}

/* An engine whose region and books are larger than they need to be. */
static engine_rig *roomy(toy *t, uint32_t flags, size_t region_bytes)
{
    engine_rig *e =
        toy_rig(t, &(engine_wishes){.flags = BERTH_ENGINE_RESIZES | flags});
    assert_true(engine_rig_stage(e));
    engine_rig_lend(e);
    fence_close(&e->regions[0]);
    fence_close(&e->books);
    e->regions[0] = fence_open(region_bytes, 16, 0);
    e->books = fence_open((size_t)e->need.books_bytes + 64, 16, 0);
    e->memory.regions[0] =
        (berth_engine_block){e->regions[0].at, e->regions[0].bytes};
    e->memory.books = (berth_engine_block){e->books.at, e->books.bytes};
    assert_int_equal(
        berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag),
        BERTH_OK);
    return e;
}

static void doubles(engine_rig *e, int32_t n)
{
    assert_int_equal(engine_rig_input(e, 0).dims[0], n);
    assert_int_equal(engine_rig_output(e, 0).dims[0], n);
    for (int32_t i = 0; i < n; ++i) {
        toy_in(e, 0)[i] = (float)i;
    }
    toy_run(e);
    for (int32_t i = 0; i < n; ++i) {
        assert_true(toy_out(e, 0)[i] == 2.0f * (float)i);
    }
}

static berth_status resize(engine_rig *e, int32_t n)
{
    return berth_engine_resize(e->engine, 0, 1, &n, &e->diag);
}

static berth_status replan(engine_rig *e)
{
    return berth_engine_replan(e->engine, NULL, &e->diag);
}

static void shapes_change_and_change_back(void **state)
{
    (void)state;
    static const uint32_t flags[] = {0, BERTH_ENGINE_CANARIES};
    for (int f = 0; f < 2; ++f) {
        toy *t = doubling(false);
        engine_rig *e = roomy(t, flags[f], ROOM);
        static const int32_t sizes[] = {N, 1, 100, 7, 1000, N};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
            assert_int_equal(resize(e, sizes[i]), BERTH_OK);
            assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag),
                             BERTH_STALE);
            assert_int_equal(replan(e), BERTH_OK);
            doubles(e, sizes[i]);
        }
        engine_rig_free(e);
        toy_free(t);
    }
}

static void what_is_no_shape_is_refused_and_nothing_is_stale(void **state)
{
    (void)state;
    toy *t = doubling(false);
    engine_rig *e = roomy(t, 0, ROOM);
    const int32_t dims[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(resize(e, -1), BERTH_BAD_ARG);
    assert_int_equal(berth_engine_resize(e->engine, 1, 1, dims, NULL),
                     BERTH_BAD_ARG);
    assert_int_equal(berth_engine_resize(e->engine, 0, 9, dims, NULL),
                     BERTH_BAD_ARG);
    doubles(e, N);
    engine_rig_free(e);
    e = toy_open(t, &(engine_wishes){0});
    assert_int_equal(e->need.replan_bytes, BERTH_NOWHERE);
    assert_int_equal(resize(e, 5), BERTH_BAD_ARG);
    assert_int_equal(replan(e), BERTH_BAD_ARG);
    doubles(e, N);
    engine_rig_free(e);
    toy_free(t);
}

/* The bytes that _bytes() names for replanning are enough; no fewer than some
 * of them are; and whatever fails, the old shape still runs. */
static void each_size_of_the_region(void **state)
{
    (void)state;
    toy *t = doubling(true);
    engine_rig *probe = roomy(t, 0, ROOM);
    const size_t named = (size_t)probe->need.replan_bytes;
    const size_t least = (size_t)probe->need.region_bytes[0];
    engine_rig_free(probe);
    bool worked = false;
    for (size_t bytes = least; bytes <= named; bytes += 48) {
        engine_rig *e = roomy(t, 0, bytes);
        assert_int_equal(resize(e, N + 1), BERTH_OK);
        const berth_status status = replan(e);
        if (status == BERTH_OK) {
            worked = true;
            doubles(e, N + 1);
        } else {
            assert_false(worked); /* more is never worse */
            assert_int_equal(status, BERTH_NO_SPACE);
            assert_true(e->diag.needed_bytes > bytes);
            assert_int_equal(e->diag.limit_bytes, bytes);
            assert_int_equal(berth_engine_run(e->engine, NULL, NULL),
                             BERTH_STALE);
        }
        assert_true(engine_rig_stands(e));
        engine_rig_free(e);
    }
    engine_rig *e = roomy(t, 0, named);
    assert_int_equal(resize(e, N), BERTH_OK);
    assert_int_equal(replan(e), BERTH_OK);
    doubles(e, N);
    engine_rig_free(e);
    toy_free(t);
}

static void a_shape_that_does_not_fit_leaves_the_engine_as_it_was(void **state)
{
    (void)state;
    toy *t = doubling(false);
    engine_rig *e = roomy(t, 0, ROOM);
    assert_int_equal(resize(e, ROOM), BERTH_OK);
    assert_int_equal(replan(e), BERTH_NO_SPACE);
    assert_int_equal(e->diag.limit_bytes, ROOM);
    assert_true(e->diag.needed_bytes >= ROOM * 4u);
    assert_int_equal(berth_engine_run(e->engine, NULL, NULL), BERTH_STALE);
    assert_int_equal(resize(e, N), BERTH_OK);
    assert_int_equal(replan(e), BERTH_OK);
    doubles(e, N);
    engine_rig_free(e);
    toy_free(t);
}

/* What a kernel refuses, it refuses before the books are written over. */
static void a_shape_that_an_operator_refuses(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t c = toy_constant(t, 0, N, 3.0f);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(x, c), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = roomy(t, 0, ROOM);
    assert_int_equal(resize(e, N + 1), BERTH_OK); /* 5 and 4: no broadcast */
    assert_int_equal(replan(e), BERTH_UNSUPPORTED);
    assert_int_equal(resize(e, N), BERTH_OK);
    assert_int_equal(replan(e), BERTH_OK);
    toy_in(e, 0)[0] = 1.0f;
    toy_run(e);
    assert_true(toy_out(e, 0)[0] == 4.0f);
    engine_rig_free(e);
    toy_free(t);
}

static void state_outlives_another_shape(void **state)
{
    (void)state;
    toy *t = doubling(true);
    engine_rig *e = roomy(t, BERTH_ENGINE_CANARIES, ROOM);
    doubles(e, N);
    assert_true(toy_out(e, 1)[0] == 1.0f);
    assert_int_equal(resize(e, 50), BERTH_OK);
    assert_int_equal(replan(e), BERTH_OK);
    doubles(e, 50);
    assert_true(toy_out(e, 1)[0] == 2.0f);
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_change_and_change_back),
        cmocka_unit_test(what_is_no_shape_is_refused_and_nothing_is_stale),
        cmocka_unit_test(each_size_of_the_region),
        cmocka_unit_test(a_shape_that_does_not_fit_leaves_the_engine_as_it_was),
        cmocka_unit_test(a_shape_that_an_operator_refuses),
        cmocka_unit_test(state_outlives_another_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Shapes that depend on the value of an input, once that is told; and an engine
 * that holds its user to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine_rig.h"
#include "shape_rig.h"

enum { X = 0, SIZE = 1, Y = 2 };

/* y = RESHAPE(x, size), where size comes in from outside. */
static void add_reshape(shape_rig *r)
{
    (void)shape_rig_tensor(r, "4x6");
    (void)shape_rig_tensor(r, "i32 2");
    (void)shape_rig_tensor(r, "unknown");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RESHAPE,
                                 .inputs = MB_INTS(X, SIZE),
                                 .outputs = MB_INTS(Y)});
    shape_rig_io(r, MB_INTS(X, SIZE), MB_INTS(Y));
}

static const int32_t two[] = {2};

static berth_shape_override size_is(const int64_t *values)
{
    return (berth_shape_override){
        .tensor = SIZE, .rank = 1, .dims = two, .values = values};
}

static void a_value_gives_a_shape(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    add_reshape(r);
    shape_rig_graph(r);
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    assert_int_equal(r->shapes.dynamic_count, 1);
    const int64_t values[] = {8, -1};
    const berth_shape_override told = size_is(values);
    assert_int_equal(shape_rig_infer(r, &told, 1), BERTH_OK);
    shape_rig_expect(r, Y, "8x3");
    assert_int_equal(r->shapes.dynamic_count, 0);
    assert_true(r->shapes.of[SIZE].flags & BERTH_SHAPE_FOLDED);
    assert_int_equal(berth_shape_values(&r->shapes, SIZE)[0], 8);
    shape_rig_free(r);
}

static void a_value_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    add_reshape(r);
    shape_rig_graph(r);
    const int64_t seven[] = {7, 3};
    const berth_shape_override told = size_is(seven);
    assert_int_equal(shape_rig_infer(r, &told, 1), BERTH_UNSUPPORTED);
    shape_rig_free(r);
}

static void hostile_values_are_refused(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    (void)shape_rig_tensor(r, "2");
    (void)shape_rig_tensor(r, "i32 2");
    (void)shape_rig_tensor(r, "bool 2");
    (void)shape_rig_tensor(r, "i64 17");
    shape_rig_io(r, MB_INTS(0, 1, 2, 3), MB_INTS(0));
    shape_rig_graph(r);
    static const int32_t seventeen[] = {17};
    static const int64_t many[17] = {0};
    static const int64_t large[] = {0, INT64_C(1) << 31};
    static const int64_t small[] = {0, -INT64_C(1) - (INT64_C(1) << 31)};
    static const int64_t three[] = {0, 2};
    const berth_shape_override wrong[] = {
        {.tensor = 0, .rank = 1, .dims = two, .values = many},
        {.tensor = 1, .rank = 1, .dims = two, .values = large},
        {.tensor = 1, .rank = 1, .dims = two, .values = small},
        {.tensor = 2, .rank = 1, .dims = two, .values = three},
        {.tensor = 3, .rank = 1, .dims = seventeen, .values = many}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        assert_int_equal(shape_rig_infer(r, &wrong[i], 1), BERTH_BAD_ARG);
        assert_int_equal(r->diag.tensor, wrong[i].tensor);
    }
    shape_rig_free(r);
}

static void the_engine_refuses_another_value(void **state)
{
    (void)state;
    static const int64_t values[] = {8, 3};
    const berth_shape_override told = size_is(values);
    shape_rig *r = shape_rig_new();
    add_reshape(r);
    shape_rig_graph(r);
    berth_status status = BERTH_OK;
    berth_diag diag;
    assert_null(engine_rig_open(berth_model_file(r->model), &(engine_wishes){0},
                                &status, &diag));
    assert_int_equal(status, BERTH_UNBOUNDED);
    engine_rig *e = engine_rig_open(
        berth_model_file(r->model),
        &(engine_wishes){.overrides = &told, .override_count = 1}, &status,
        &diag);
    assert_non_null(e);
    int32_t size[] = {8, 3};
    engine_rig_feed(e, 1);
    memcpy(engine_rig_input(e, SIZE).data, size, sizeof(size));
    assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag), BERTH_OK);
    assert_int_equal(engine_rig_output(e, 0).dims[0], 8);
    size[1] = -1; /* the same shape, and yet not what was told */
    memcpy(engine_rig_input(e, SIZE).data, size, sizeof(size));
    assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag),
                     BERTH_BAD_DATA);
    size[1] = 3;
    memcpy(engine_rig_input(e, SIZE).data, size, sizeof(size));
    assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag), BERTH_OK);
    engine_rig_free(e);
    shape_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_gives_a_shape),
        cmocka_unit_test(a_value_that_does_not_fit_is_refused),
        cmocka_unit_test(hostile_values_are_refused),
        cmocka_unit_test(the_engine_refuses_another_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

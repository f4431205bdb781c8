/* Lent memory, overrides, sizes: the frame around the shape functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "berth/rows.h"
#include "shape_rig.h"

/* x -> RELU -> RESHAPE [1, 24] -> y */
static shape_rig *fixed_batch(int32_t *x, int32_t *y, const char *input)
{
    shape_rig *r = shape_rig_new();
    *x = shape_rig_tensor(r, input);
    const int32_t t = shape_rig_tensor(r, "1x4x6");
    const int32_t shape = shape_rig_tensor(r, "i32 2 = 1 24");
    *y = shape_rig_tensor(r, "1x24");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RELU,
                                 .inputs = MB_INTS(*x),
                                 .outputs = MB_INTS(t)});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RESHAPE,
                                 .inputs = MB_INTS(t, shape),
                                 .outputs = MB_INTS(*y)});
    shape_rig_io(r, MB_INTS(*x), MB_INTS(*y));
    return r;
}

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    size_t need = 0;
    shape_rig *r = fixed_batch(&x, &y, "1x4x6");
    const berth_shape_options options = {0};
    shape_rig_graph(r);
    assert_int_equal(berth_shapes_bytes(&r->graph, &options, &need, NULL),
                     BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent > 0 ? lent : 1);
        berth_work work = berth_work_of(memory, lent);
        berth_shapes shapes = {.dynamic_count = 77};
        berth_diag diag = berth_diag_none();
        const berth_status status =
            berth_shapes_init(&r->graph, &options, &work, &shapes, &diag);
        if (lent < need) {
            assert_int_equal(status, BERTH_NO_SPACE);
            assert_int_equal(diag.needed_bytes, need);
            assert_int_equal(diag.limit_bytes, lent);
            assert_int_equal(shapes.dynamic_count, 77);
            assert_ptr_equal(work.next, memory);
        } else {
            assert_int_equal(status, BERTH_OK);
            assert_int_equal(shapes.dynamic_count, 0);
            assert_true(work.next > memory); /* the shapes are kept */
        }
        free(memory);
    }
    shape_rig_free(r);
}

/* Estimates hold wherever lent memory starts. */
static void any_start_of_the_memory_will_do(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    size_t need = 0;
    shape_rig *r = fixed_batch(&x, &y, "1x4x6");
    const berth_shape_options options = {0};
    shape_rig_graph(r);
    assert_int_equal(berth_shapes_bytes(&r->graph, &options, &need, NULL),
                     BERTH_OK);
    for (size_t shift = 0; shift < 16; ++shift) {
        uint8_t *memory = malloc(need + shift);
        berth_work work = berth_work_of(memory + shift, need);
        berth_shapes shapes = {0};
        assert_int_equal(
            berth_shapes_init(&r->graph, &options, &work, &shapes, NULL),
            BERTH_OK);
        free(memory);
    }
    shape_rig_free(r);
}

static berth_status with(shape_rig *r, int32_t tensor, uint32_t rank,
                         const int32_t *dims)
{
    const berth_shape_override o = {
        .tensor = (uint32_t)tensor, .rank = rank, .dims = dims};
    return shape_rig_infer(r, &o, 1);
}

static void overrides_that_make_no_sense_are_the_callers_fault(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    shape_rig *r = fixed_batch(&x, &y, "1x4x6 sig -1x4x6");
    const int32_t dims[9] = {1, 4, 6, 1, 1, 1, 1, 1, 1};
    const int32_t negative[3] = {-1, 4, 6};
    const int32_t other_axis[3] = {1, 4, 7};
    shape_rig_graph(r);
    assert_int_equal(with(r, y, 2, dims), BERTH_BAD_ARG);
    assert_int_equal(r->diag.tensor, y);
    assert_int_equal(with(r, 1000, 3, dims), BERTH_BAD_ARG);
    assert_int_equal(with(r, x, 9, dims), BERTH_BAD_ARG);
    assert_int_equal(with(r, x, 3, NULL), BERTH_BAD_ARG);
    assert_int_equal(with(r, x, 3, negative), BERTH_BAD_ARG);
    assert_int_equal(with(r, x, 2, dims), BERTH_BAD_ARG); /* rank */
    assert_int_equal(with(r, x, 3, other_axis), BERTH_BAD_ARG);
    assert_int_equal(with(r, x, 3, dims), BERTH_OK);
    const berth_shape_options nowhere = {.subgraph = 1};
    size_t need = 0;
    assert_int_equal(berth_shapes_bytes(&r->graph, &nowhere, &need, NULL),
                     BERTH_BAD_ARG);
    shape_rig_free(r);
}

static void a_signature_without_open_axes_forbids_nothing(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    shape_rig *r = fixed_batch(&x, &y, "1x4x6 sig 1x4x6");
    const int32_t other[2] = {3, 8};
    assert_int_equal(with(r, x, 2, other), BERTH_OK);
    shape_rig_expect(r, y, "1x24");
    shape_rig_free(r);
}

static void a_size_beyond_64_bits_is_too_large(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    shape_rig *r = fixed_batch(&x, &y, "1x4x6");
    const int32_t huge[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    assert_int_equal(with(r, x, 3, huge), BERTH_TOO_LARGE);
    shape_rig_free(r);
}

static void an_operator_that_refuses_an_override_is_named(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    shape_rig *r = fixed_batch(&x, &y, "1x4x6");
    const int32_t two[3] = {2, 4, 6};
    const berth_shapes before = r->shapes;
    assert_int_equal(with(r, x, 3, two), BERTH_UNSUPPORTED);
    assert_int_equal(r->diag.subgraph, 0);
    assert_int_equal(r->diag.op, 1);
    assert_int_equal(r->diag.tensor, y);
    assert_memory_equal(&before, &r->shapes, sizeof(before));
    shape_rig_free(r);
}

/* The same model as a file that contradicts itself: no reason to stop. */
static void a_file_that_contradicts_itself_is_reported_as_it_is(void **state)
{
    (void)state;
    int32_t x = 0;
    int32_t y = 0;
    shape_rig *r = fixed_batch(&x, &y, "2x4x6");
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, y, "~1x24");
    assert_int_equal(r->shapes.unchecked_count, 1);
    shape_rig_free(r);
}

/* But an override elsewhere does not make it the override's fault. */
static void a_refusal_apart_from_the_override_stops_nothing(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t x = shape_rig_tensor(r, "2");
    const int32_t a = shape_rig_tensor(r, "3");
    const int32_t b = shape_rig_tensor(r, "4");
    const int32_t y = shape_rig_tensor(r, "2");
    const int32_t z = shape_rig_tensor(r, "7");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RELU,
                                 .inputs = MB_INTS(x),
                                 .outputs = MB_INTS(y)});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_ADD,
                                 .inputs = MB_INTS(a, b),
                                 .outputs = MB_INTS(z)});
    shape_rig_io(r, MB_INTS(x, a, b), MB_INTS(y, z));
    const int32_t five[1] = {5};
    assert_int_equal(with(r, x, 1, five), BERTH_OK);
    shape_rig_expect(r, y, "5");
    shape_rig_expect(r, z, "~7");
    shape_rig_free(r);
}

static void bytes_are_counted_as_litert_counts_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
        berth_shape_state state;
    } cases[] = {
        {"3x5", 60, BERTH_SHAPE_STATIC},
        {"i8 3x5", 15, BERTH_SHAPE_STATIC},
        {"i64 3x5", 120, BERTH_SHAPE_STATIC},
        {"c64 3x5", 120, BERTH_SHAPE_STATIC},
        {"i4 3x5", 8, BERTH_SHAPE_STATIC},
        {"i2 3x5", 4, BERTH_SHAPE_STATIC},
        {"bool scalar", 1, BERTH_SHAPE_STATIC},
        {"3x0x5", 0, BERTH_SHAPE_STATIC},
        {"unknown", 4, BERTH_SHAPE_STATIC},
        {"str 3", 0, BERTH_SHAPE_UNSIZED},
        {"res 1", 0, BERTH_SHAPE_UNSIZED},
    };
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    shape_rig *r = shape_rig_new();
    int32_t tensors[CASES];
    for (size_t i = 0; i < CASES; ++i) {
        tensors[i] = shape_rig_tensor(r, cases[i].text);
    }
    shape_rig_io(r, (mb_ints){tensors, CASES}, MB_NO_INTS);
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    for (size_t i = 0; i < CASES; ++i) {
        assert_int_equal(r->shapes.of[tensors[i]].bytes, cases[i].bytes);
        assert_int_equal(r->shapes.of[tensors[i]].state, cases[i].state);
    }
    shape_rig_free(r);
}

static void long_shapes_are_the_files(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t x = shape_rig_tensor(r, "1x2x1x2x1x2x1x2x1x3");
    const int32_t y = shape_rig_tensor(r, "1x2x1x2x1x2x1x2x1x3");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RELU,
                                 .inputs = MB_INTS(x),
                                 .outputs = MB_INTS(y)});
    shape_rig_io(r, MB_INTS(x), MB_INTS(y));
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, x, "1x2x1x2x1x2x1x2x1x3");
    shape_rig_expect(r, y, "~1x2x1x2x1x2x1x2x1x3");
    assert_int_equal(r->shapes.of[x].bytes, 192);
    shape_rig_free(r);
}

/* x + DEQUANTIZE(constant): ADD cannot read float16, FULLY_CONNECTED can. */
static void decoded_constants_are_scratch_of_who_cannot_read_them(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t x = shape_rig_tensor(r, "2x2");
    const int32_t half = shape_rig_tensor(r, "f16 2x2 = 1 2 3 4");
    const int32_t full = shape_rig_tensor(r, "2x2");
    const int32_t y = shape_rig_tensor(r, "2x2");
    const int32_t z = shape_rig_tensor(r, "2x2");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_DEQUANTIZE,
                                 .inputs = MB_INTS(half),
                                 .outputs = MB_INTS(full)});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_ADD_N,
                                 .inputs = MB_INTS(x, full, full),
                                 .outputs = MB_INTS(y)});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_FULLY_CONNECTED,
                                 .inputs = MB_INTS(y, full),
                                 .outputs = MB_INTS(z)});
    shape_rig_io(r, MB_INTS(x), MB_INTS(z));
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    assert_int_equal(berth_op_scratch_bytes(&r->graph, &r->shapes, 0), 0);
    assert_int_equal(berth_op_scratch_bytes(&r->graph, &r->shapes, 1), 16);
    assert_int_equal(berth_op_scratch_bytes(&r->graph, &r->shapes, 2), 0);
    shape_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_smaller_memory_is_refused_cleanly),
        cmocka_unit_test(any_start_of_the_memory_will_do),
        cmocka_unit_test(overrides_that_make_no_sense_are_the_callers_fault),
        cmocka_unit_test(a_signature_without_open_axes_forbids_nothing),
        cmocka_unit_test(a_size_beyond_64_bits_is_too_large),
        cmocka_unit_test(an_operator_that_refuses_an_override_is_named),
        cmocka_unit_test(a_file_that_contradicts_itself_is_reported_as_it_is),
        cmocka_unit_test(a_refusal_apart_from_the_override_stops_nothing),
        cmocka_unit_test(bytes_are_counted_as_litert_counts_them),
        cmocka_unit_test(long_shapes_are_the_files),
        cmocka_unit_test(decoded_constants_are_scratch_of_who_cannot_read_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

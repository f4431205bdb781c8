/* Constants: read where they lie, copied where they are misaligned, decoded for
 * an operator that cannot read them encoded; and parameters known in prepare.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "toys.h"

enum { N = 5, HALF_ONE = 0x3c00, HALF_TWO = 0x4000 };

static const engine_wishes plain = {0};

static int32_t half_constant(toy *t, uint16_t bits)
{
    const uint16_t data[N] = {bits, bits, bits, bits, bits};
    return mb_tensor(t->b, 0,
                     (mb_tensor_spec){.name = "half",
                                      .type = BERTH_FLOAT16,
                                      .shape = MB_INTS(N),
                                      .data = data,
                                      .data_bytes = sizeof(data)});
}

static int32_t decoded(toy *t, uint16_t bits)
{
    const int32_t half = half_constant(t, bits);
    const int32_t full = toy_float(t, 0, "full", N);
    (void)mb_op(t->b, 0,
                (mb_op_spec){.code = BERTH_OP_DEQUANTIZE,
                             .version = 3,
                             .inputs = MB_INTS(half),
                             .outputs = MB_INTS(full)});
    return full;
}

static float first_of(engine_rig *e, float x)
{
    for (int i = 0; i < N; ++i) {
        toy_in(e, 0)[i] = x;
    }
    toy_run(e);
    assert_true(toy_out(e, 0)[0] == toy_out(e, 0)[N - 1]);
    return toy_out(e, 0)[0];
}

/* --- encoded -------------------------------------------------------------- */

/* y = (1 + 2) * (1 + 1) + x, all of constants that are decoded on the way, one
 * of them read twice by one operator. */
static void constants_are_decoded_for_those_who_cannot_read_them(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t one = decoded(t, HALF_ONE);
    const int32_t two = decoded(t, HALF_TWO);
    const int32_t a = toy_float(t, 0, "a", N);
    const int32_t b = toy_float(t, 0, "b", N);
    const int32_t c = toy_float(t, 0, "c", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(one, two), MB_INTS(a));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(one, one), MB_INTS(b));
    toy_op(t, 0, BERTH_OP_MUL, MB_INTS(a, b), MB_INTS(c));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(c, x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &(engine_wishes){.fill = 0xff});
    assert_int_equal(e->lifetimes.item_of_tensor[one], BERTH_NONE);
    assert_true(first_of(e, 4.0f) == 10.0f);
    assert_true(first_of(e, 5.0f) == 11.0f);
    engine_rig_free(e);
    toy_free(t);
}

/* A decoded constant that leaves the model is a tensor as any other. */
static void a_decoded_output_is_made_when_the_model_runs(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t one = decoded(t, HALF_ONE);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(one, x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y, one));
    engine_rig *e = toy_open(t, &plain);
    assert_true(first_of(e, 4.0f) == 5.0f);
    assert_true(toy_out(e, 1)[N - 1] == 1.0f);
    engine_rig_free(e);
    toy_free(t);
}

static void sparse_constants_are_refused_by_name(void **state)
{
    (void)state;
    toy *t = toy_new();
    const float data[4] = {1, 2, 3, 4};
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t sparse = mb_tensor(t->b, 0,
                                     (mb_tensor_spec){.name = "sparse",
                                                      .type = BERTH_FLOAT32,
                                                      .shape = MB_INTS(N, N),
                                                      .is_sparse = true,
                                                      .data = data,
                                                      .data_bytes = 16});
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_FULLY_CONNECTED, MB_INTS(x, sparse, -1), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    toy_refused(t, &plain, BERTH_UNSUPPORTED, "sparse weights");
    toy_free(t);
}

/* --- misaligned ----------------------------------------------------------- */

/* The same model with its constant at each distance from a multiple of 16, all
 * behind the structure of the file. */
static void a_misaligned_constant_is_copied(void **state)
{
    (void)state;
    for (size_t by = 0; by < 16; ++by) {
        enum { AT = 4096 };
        static _Alignas(16) uint8_t file[AT + 64];
        const float three[N] = {3, 3, 3, 3, 3};
        toy *t = toy_new();
        const uint32_t buffer = mb_buffer_claimed(t->b, AT + by, sizeof(three));
        const int32_t x = toy_float(t, 0, "x", N);
        const int32_t c = mb_tensor(t->b, 0,
                                    (mb_tensor_spec){.name = "c",
                                                     .type = BERTH_FLOAT32,
                                                     .shape = MB_INTS(N),
                                                     .buffer = buffer});
        const int32_t y = toy_float(t, 0, "y", N);
        toy_op(t, 0, BERTH_OP_ADD, MB_INTS(x, c), MB_INTS(y));
        mb_io(t->b, 0, MB_INTS(x), MB_INTS(y, c));
        const berth_bytes made = mb_finish(t->b);
        assert_true(made.size <= AT);
        memset(file, 0, sizeof(file));
        memcpy(file, made.data, made.size);
        memcpy(file + AT + by, three, sizeof(three));
        t->file = (berth_bytes){file, sizeof(file)};
        engine_rig *e = toy_open(t, &plain);
        const uint8_t *at = engine_rig_output(e, 1).data;
        const bool in_file = at >= file && at < file + sizeof(file);
        assert_int_equal(in_file, by % 4 == 0);
        assert_int_equal((uintptr_t)at % 4, 0);
        assert_true(engine_rig_output(e, 1).constant);
        assert_true(first_of(e, 1.0f) == 4.0f);
        engine_rig_free(e);
        toy_free(t);
    }
}

/* --- folded --------------------------------------------------------------- */

/* FILL(SHAPE(x), 2) and RESHAPE: what they read is known in prepare, and has no
 * place in the arena. */
static void a_folded_parameter_is_kept_in_the_books(void **state)
{
    (void)state;
    toy *t = toy_new();
    const float two = 2.0f;
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t shape = toy_tensor(t, 0, "shape", BERTH_INT32, 1);
    const int32_t value = mb_tensor(t->b, 0,
                                    (mb_tensor_spec){.name = "two",
                                                     .type = BERTH_FLOAT32,
                                                     .shape = MB_NO_INTS,
                                                     .data = &two,
                                                     .data_bytes = 4});
    const int32_t twos = toy_float(t, 0, "twos", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_SHAPE, MB_INTS(x), MB_INTS(shape));
    toy_op(t, 0, BERTH_OP_FILL, MB_INTS(shape, value), MB_INTS(twos));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(x, twos), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &plain);
    assert_int_equal(e->lifetimes.class_of_tensor[shape], BERTH_CLASS_FOLDED);
    assert_true(first_of(e, 1.0f) == 3.0f);
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_decoded_for_those_who_cannot_read_them),
        cmocka_unit_test(a_decoded_output_is_made_when_the_model_runs),
        cmocka_unit_test(sparse_constants_are_refused_by_name),
        cmocka_unit_test(a_misaligned_constant_is_copied),
        cmocka_unit_test(a_folded_parameter_is_kept_in_the_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What lives from run to run: variables, what CALL_ONCE has run; cleared,
 * saved, restored, shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "toys.h"

enum { N = 3 };

static const engine_wishes plain = {0};

/* v += x; y = v */
static toy *summing(const char *name)
{
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    const int32_t old = toy_float(t, 0, "old", N);
    const int32_t handle = toy_handle(t, 0, name);
    toy_op(t, 0, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(old));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(old, x), MB_INTS(y));
    toy_op(t, 0, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, y), MB_NO_INTS);
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    return t;
}

/* The same, where the variable begins at 5 and another subgraph sees to it. */
static toy *started(void)
{
    toy *t = toy_new();
    const uint32_t g = mb_subgraph(t->b, "start");
    const int32_t five = toy_constant(t, g, N, 5.0f);
    const int32_t there = toy_handle(t, g, "v");
    toy_op(t, g, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(there, five), MB_NO_INTS);
    mb_io(t->b, g, MB_NO_INTS, MB_NO_INTS);
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    const int32_t old = toy_float(t, 0, "old", N);
    toy_call_once(t, 0, g);
    toy_call_once(t, 0, g); /* which is once all the same */
    const int32_t handle = toy_handle(t, 0, "v");
    toy_op(t, 0, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(old));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(old, x), MB_INTS(y));
    toy_op(t, 0, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, y), MB_NO_INTS);
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    return t;
}

static float add(engine_rig *e, float x)
{
    for (int i = 0; i < N; ++i) {
        toy_in(e, 0)[i] = x;
    }
    toy_run(e);
    assert_true(toy_out(e, 0)[0] == toy_out(e, 0)[N - 1]);
    return toy_out(e, 0)[0];
}

static void a_variable_begins_at_zero_and_is_reset_to_it(void **state)
{
    (void)state;
    toy *t = summing("v");
    engine_rig *e = toy_open(
        t, &(engine_wishes){.fill = 0xee, .flags = BERTH_ENGINE_CANARIES});
    for (int round = 0; round < 2; ++round) {
        assert_true(add(e, 1.0f) == 1.0f);
        assert_true(add(e, 2.0f) == 3.0f);
        assert_true(add(e, 4.0f) == 7.0f);
        assert_int_equal(berth_engine_reset(e->engine, &e->diag), BERTH_OK);
    }
    engine_rig_free(e);
    toy_free(t);
}

static void call_once_runs_once_and_again_after_a_reset(void **state)
{
    (void)state;
    toy *t = started();
    engine_rig *e = toy_open(t, &(engine_wishes){.fill = 0xee});
    for (int round = 0; round < 2; ++round) {
        assert_true(add(e, 1.0f) == 6.0f);
        assert_true(add(e, 1.0f) == 7.0f);
        assert_int_equal(berth_engine_reset(e->engine, &e->diag), BERTH_OK);
    }
    engine_rig_free(e);
    toy_free(t);
}

/* An int8 variable is reset to the number that stands for zero. */
static void zero_of_an_int8_variable_is_its_zero_point(void **state)
{
    (void)state;
    toy *t = toy_new();
    const float scale = 0.5f;
    const int64_t zero_point = -7;
    const mb_quantization q = {.scales = &scale,
                               .scale_count = 1,
                               .zero_points = &zero_point,
                               .zero_point_count = 1};
    const mb_tensor_spec spec = {.name = "v",
                                 .type = BERTH_INT8,
                                 .shape = MB_INTS(1, 5),
                                 .is_variable = true,
                                 .quantization = &q};
    const int32_t v = mb_tensor(t->b, 0, spec);
    const int32_t y = mb_tensor(t->b, 0,
                                (mb_tensor_spec){.name = "y",
                                                 .type = BERTH_INT8,
                                                 .shape = MB_INTS(5),
                                                 .quantization = &q});
    toy_op(t, 0, BERTH_OP_SQUEEZE, MB_INTS(v), MB_INTS(y));
    mb_io(t->b, 0, MB_NO_INTS, MB_INTS(y));
    engine_rig *e = toy_open(t, &(engine_wishes){.fill = 0xee});
    toy_run(e);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal((int8_t)engine_rig_output(e, 0).data[i], -7);
    }
    engine_rig_free(e);
    toy_free(t);
}

/* --- saved ---------------------------------------------------------------- */

static void state_is_saved_and_restored_elsewhere(void **state)
{
    (void)state;
    toy *t = started();
    engine_rig *e = toy_open(t, &plain);
    engine_rig *f =
        toy_open(t, &(engine_wishes){.flags = BERTH_ENGINE_CANARIES});
    assert_true(add(e, 3.0f) == 8.0f);
    const size_t size = berth_engine_saved_bytes(e->engine);
    fence saved = fence_open(size, 1, 0);
    for (size_t bytes = 0; bytes < size; ++bytes) {
        assert_int_equal(
            berth_engine_save(e->engine, saved.at, bytes, &e->diag),
            BERTH_NO_SPACE);
        assert_int_equal(e->diag.needed_bytes, size);
        assert_int_equal(saved.at[0], 0);
    }
    assert_int_equal(berth_engine_save(e->engine, saved.at, size, &e->diag),
                     BERTH_OK);
    assert_true(add(e, 1.0f) == 9.0f);
    const berth_bytes bytes = {saved.at, size};
    assert_int_equal(berth_engine_restore(f->engine, bytes, &f->diag),
                     BERTH_OK);
    assert_true(add(f, 10.0f) == 18.0f); /* CALL_ONCE is done there, too */
    assert_int_equal(berth_engine_restore(e->engine, bytes, &e->diag),
                     BERTH_OK);
    assert_true(add(e, 1.0f) == 9.0f);
    fence_close(&saved);
    engine_rig_free(e);
    engine_rig_free(f);
    toy_free(t);
}

static void damaged_or_foreign_state_changes_nothing(void **state)
{
    (void)state;
    toy *t = summing("v");
    toy *other = summing("w");
    engine_rig *e = toy_open(t, &plain);
    engine_rig *f = toy_open(other, &plain);
    uint8_t saved[256];
    const size_t size = berth_engine_saved_bytes(e->engine);
    assert_true(size <= sizeof(saved));
    assert_true(add(e, 2.0f) == 2.0f);
    assert_int_equal(berth_engine_save(e->engine, saved, sizeof(saved), NULL),
                     BERTH_OK);
    assert_true(add(e, 2.0f) == 4.0f);
    const berth_bytes whole = {saved, size};
    assert_int_equal(berth_engine_restore(f->engine, whole, NULL),
                     BERTH_BAD_DATA);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
        saved[bit / 8] = (uint8_t)(saved[bit / 8] ^ (1u << bit % 8));
        assert_int_equal(berth_engine_restore(e->engine, whole, NULL),
                         BERTH_BAD_DATA);
        saved[bit / 8] = (uint8_t)(saved[bit / 8] ^ (1u << bit % 8));
    }
    for (size_t n = 0; n < size; ++n) {
        assert_int_equal(
            berth_engine_restore(e->engine, (berth_bytes){saved, n}, NULL),
            BERTH_BAD_DATA);
    }
    assert_true(add(e, 2.0f) == 6.0f);
    engine_rig_free(e);
    engine_rig_free(f);
    toy_free(t);
    toy_free(other);
}

static void a_model_without_state_saves_that_too(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_custom(t, 0, "inc", MB_INTS(x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &plain);
    uint8_t saved[64];
    assert_int_equal(berth_engine_saved_bytes(e->engine), sizeof(saved));
    assert_int_equal(berth_engine_save(e->engine, saved, sizeof(saved), NULL),
                     BERTH_OK);
    assert_int_equal(
        berth_engine_restore(e->engine, (berth_bytes){saved, 64}, NULL),
        BERTH_OK);
    assert_int_equal(berth_engine_reset(e->engine, NULL), BERTH_OK);
    assert_true(add(e, 2.0f) == 3.0f);
    engine_rig_free(e);
    toy_free(t);
}

/* --- shared --------------------------------------------------------------- */

/* Two signatures of one model, an engine each, over one block of state. */
static void signatures_share_their_variables(void **state)
{
    (void)state;
    toy *t = started();
    const engine_wishes first = {.lifetimes = {.all_state = true}};
    const engine_wishes second = {.lifetimes = {.all_state = true},
                                  .subgraph = 1,
                                  .flags = BERTH_ENGINE_KEEPS_STATE};
    engine_rig *e = toy_open(t, &first);
    assert_true(add(e, 1.0f) == 6.0f);
    engine_rig *f = toy_rig(t, &second);
    assert_true(engine_rig_stage(f));
    assert_int_equal(f->need.state_bytes, e->need.state_bytes);
    engine_rig_lend(f);
    f->memory.state = e->memory.state;
    assert_int_equal(
        berth_engine_prepare(&f->source, &f->memory, &f->engine, &f->diag),
        BERTH_OK);
    assert_true(add(e, 1.0f) == 7.0f); /* prepare has not reset it */
    toy_run(f);                        /* "start" puts 5 into it */
    assert_true(add(e, 1.0f) == 6.0f);
    engine_rig_free(f);
    engine_rig_free(e);
    toy_free(t);
}

static void a_handle_goes_through_a_call(void **state)
{
    (void)state;
    toy *t = toy_new();
    const uint32_t g = mb_subgraph(t->b, "adds");
    const int32_t gh = mb_tensor(
        t->b, g, (mb_tensor_spec){.name = "h", .type = BERTH_RESOURCE});
    const int32_t gx = toy_float(t, g, "x", N);
    const int32_t old = toy_float(t, g, "old", N);
    const int32_t gy = toy_float(t, g, "y", N);
    toy_op(t, g, BERTH_OP_READ_VARIABLE, MB_INTS(gh), MB_INTS(old));
    toy_op(t, g, BERTH_OP_ADD, MB_INTS(old, gx), MB_INTS(gy));
    toy_op(t, g, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(gh, gy), MB_NO_INTS);
    mb_io(t->b, g, MB_INTS(gh, gx), MB_INTS(gy));
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t on = toy_tensor(t, 0, "on", BERTH_BOOL, 1);
    const int32_t y = toy_float(t, 0, "y", N);
    const int32_t handle = toy_handle(t, 0, "v");
    toy_custom(t, 0, "below", MB_INTS(x), MB_INTS(on));
    toy_if(t, 0, g, g, MB_INTS(on, handle, x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e = toy_open(t, &plain);
    assert_true(add(e, 1.0f) == 1.0f);
    assert_true(add(e, 20.0f) == 21.0f);
    assert_true(add(e, 3.0f) == 24.0f);
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_begins_at_zero_and_is_reset_to_it),
        cmocka_unit_test(call_once_runs_once_and_again_after_a_reset),
        cmocka_unit_test(zero_of_an_int8_variable_is_its_zero_point),
        cmocka_unit_test(state_is_saved_and_restored_elsewhere),
        cmocka_unit_test(damaged_or_foreign_state_changes_nothing),
        cmocka_unit_test(a_model_without_state_saves_that_too),
        cmocka_unit_test(signatures_share_their_variables),
        cmocka_unit_test(a_handle_goes_through_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Running: inputs and outputs, who may call, what is told, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "toys.h"

enum { N = 24 };

static const engine_wishes plain = {0};

static berth_bytes text(const char *s)
{
    return (berth_bytes){(const uint8_t *)s, strlen(s)};
}

/* y = (x + 1) * (x + 1) + x */
static toy *square(void)
{
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t a = toy_float(t, 0, "a", N);
    const int32_t b = toy_float(t, 0, "b", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_custom(t, 0, "inc", MB_INTS(x), MB_INTS(a));
    toy_op(t, 0, BERTH_OP_MUL, MB_INTS(a, a), MB_INTS(b));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(b, x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    const mb_named in = {"number", x};
    const mb_named out = {"answer", y};
    mb_signature(t->b, "main", 0, &in, 1, &out, 1);
    return t;
}

static void fill(float *at, float from)
{
    for (int i = 0; i < N; ++i) {
        at[i] = from + (float)i;
    }
}

static void assert_squares(const float *at, float from)
{
    for (int i = 0; i < N; ++i) {
        const float x = from + (float)i;
        assert_true(at[i] == (x + 1.0f) * (x + 1.0f) + x);
    }
}

/* --- inputs and outputs --------------------------------------------------- */

static void a_model_runs_again_and_again(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    for (int run = 0; run < 3; ++run) {
        fill(toy_in(e, 0), (float)run);
        toy_run(e);
        assert_squares(toy_out(e, 0), (float)run);
    }
    engine_rig_free(e);
    toy_free(t);
}

static void inputs_and_outputs_are_described(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    assert_int_equal(berth_engine_input_count(e->engine), 1);
    assert_int_equal(berth_engine_output_count(e->engine), 1);
    const berth_io in = engine_rig_input(e, 0);
    assert_int_equal(in.bytes, N * 4);
    assert_int_equal(in.rank, 1);
    assert_int_equal(in.dims[0], N);
    assert_int_equal(in.type, BERTH_FLOAT32);
    assert_int_equal(in.tensor, 0);
    assert_int_equal(in.name.size, 1);
    assert_false(in.constant);
    berth_io io;
    assert_int_equal(berth_engine_input(e->engine, 1, &io), BERTH_BAD_ARG);
    assert_int_equal(berth_engine_output(e->engine, 1, &io), BERTH_BAD_ARG);
    engine_rig_free(e);
    toy_free(t);
}

static void names_are_those_of_signatures_tensors_or_numbers(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    const berth_engine *engine = e->engine;
    static const char *const inputs[] = {"number", "x", "#0"};
    static const char *const outputs[] = {"answer", "y", "#3"};
    static const char *const neither[] = {
        "", "#", "a", "#1", "#00000000000000000000001", "#4294967295", "##0"};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(berth_engine_find_input(engine, text(inputs[i])), 0);
        assert_int_equal(berth_engine_find_output(engine, text(outputs[i])), 0);
        assert_int_equal(berth_engine_find_output(engine, text(inputs[i])),
                         BERTH_NONE);
    }
    for (size_t i = 0; i < sizeof(neither) / sizeof(neither[0]); ++i) {
        assert_int_equal(berth_engine_find_input(engine, text(neither[i])),
                         BERTH_NONE);
    }
    engine_rig_free(e);
    toy_free(t);
}

static void the_caller_may_hold_inputs_and_outputs(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e =
        toy_open(t, &(engine_wishes){.lifetimes = {.hold_inputs = true,
                                                   .hold_outputs = true}});
    float in[N];
    float out[N + 1] = {0};
    assert_null(engine_rig_input(e, 0).data);
    assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag),
                     BERTH_BAD_ARG);
    assert_int_equal(
        berth_engine_bind_input(e->engine, 0, in, sizeof(in) - 1, &e->diag),
        BERTH_NO_SPACE);
    assert_int_equal(e->diag.needed_bytes, sizeof(in));
    assert_int_equal(berth_engine_bind_input(e->engine, 0, (char *)in + 2,
                                             sizeof(in), &e->diag),
                     BERTH_MISALIGNED);
    assert_int_equal(
        berth_engine_bind_input(e->engine, 1, in, sizeof(in), &e->diag),
        BERTH_BAD_ARG);
    assert_int_equal(
        berth_engine_bind_input(e->engine, 0, in, sizeof(in), &e->diag),
        BERTH_OK);
    assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag),
                     BERTH_BAD_ARG); /* the output is still to come */
    for (int run = 0; run < 2; ++run) {
        fill(in, (float)run);
        assert_int_equal(berth_engine_bind_output(e->engine, 0, out + run,
                                                  N * sizeof(float), &e->diag),
                         BERTH_OK);
        toy_run(e);
        assert_squares(out + run, (float)run);
        assert_true(in[N - 1] == (float)(run + N - 1)); /* only read */
    }
    engine_rig_free(e);
    toy_free(t);
}

static void what_lies_in_the_arena_is_not_bound(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    float in[N];
    assert_int_equal(
        berth_engine_bind_input(e->engine, 0, in, sizeof(in), &e->diag),
        BERTH_BAD_ARG);
    engine_rig_free(e);
    toy_free(t);
}

static void an_output_may_be_a_constant_an_input_or_listed_twice(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t c = toy_constant(t, 0, N, 7.0f);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_custom(t, 0, "inc", MB_INTS(c), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(c, x, y, y));
    engine_rig *e = toy_open(t, &plain);
    fill(toy_in(e, 0), 3.0f);
    toy_run(e);
    assert_true(engine_rig_output(e, 0).constant);
    assert_true(toy_out(e, 0)[N - 1] == 7.0f);
    assert_ptr_equal(toy_out(e, 1), toy_in(e, 0));
    assert_true(toy_out(e, 1)[1] == 4.0f);
    assert_ptr_equal(toy_out(e, 2), toy_out(e, 3));
    assert_true(toy_out(e, 3)[0] == 8.0f);
    engine_rig_free(e);
    toy_free(t);
}

/* --- who is told ---------------------------------------------------------- */

typedef struct listener {
    engine_rig *e;
    uint32_t before;
    uint32_t after;
    uint32_t codes[8];
    berth_status again; /* of a run inside of the run */
    uint32_t cancel_at; /* before this event; 0: never */
} listener;

static void hear_before(void *self, const berth_engine_event *event)
{
    listener *l = self;
    l->codes[l->before++] = event->code;
    assert_int_equal(event->step, l->before - 1);
    assert_non_null(event->node);
    berth_diag diag;
    l->again = berth_engine_run(l->e->engine, NULL, &diag);
    if (l->before == l->cancel_at) {
        berth_engine_cancel(l->e->engine);
    }
}

static void hear_after(void *self, const berth_engine_event *event)
{
    listener *l = self;
    ++l->after;
    assert_true(event->node->outputs[0].elements == N);
}

static void watchers_see_each_step_and_a_second_caller_is_told(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    listener l = {.e = e};
    const berth_run_options options = {
        .before = hear_before, .after = hear_after, .watcher = &l};
    fill(toy_in(e, 0), 0.0f);
    assert_int_equal(berth_engine_run(e->engine, &options, &e->diag), BERTH_OK);
    assert_squares(toy_out(e, 0), 0.0f);
    assert_int_equal(l.before, 3);
    assert_int_equal(l.after, 3);
    assert_int_equal(l.codes[0], BERTH_OP_CUSTOM);
    assert_int_equal(l.codes[2], BERTH_OP_ADD);
    assert_int_equal(l.again, BERTH_BUSY);
    engine_rig_free(e);
    toy_free(t);
}

static void a_run_is_cancelled_between_steps_and_runs_again(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    listener l = {.e = e, .cancel_at = 2};
    const berth_run_options options = {.before = hear_before, .watcher = &l};
    assert_int_equal(berth_engine_run(e->engine, &options, &e->diag),
                     BERTH_CANCELLED);
    assert_int_equal(l.before, 2); /* that step still ran */
    assert_int_equal(e->diag.op, 2);
    berth_engine_cancel(e->engine);
    assert_int_equal(berth_engine_run(e->engine, NULL, NULL), BERTH_CANCELLED);
    fill(toy_in(e, 0), 5.0f);
    toy_run(e);
    assert_squares(toy_out(e, 0), 5.0f);
    engine_rig_free(e);
    toy_free(t);
}

/* Backwards, to see that the order is free. */
static void share_backwards(void *self, uint32_t count,
                            void (*work)(void *task, uint32_t i), void *task)
{
    *(uint32_t *)self += count;
    while (count > 0) {
        work(task, --count);
    }
}

static void rows_are_shared_out_and_the_bits_stay(void **state)
{
    (void)state;
    toy *t = square();
    engine_rig *e = toy_open(t, &plain);
    for (uint32_t parts = 0; parts < 2 * N; ++parts) {
        uint32_t shared = 0;
        const berth_run_options options = {
            .share = share_backwards, .sharer = &shared, .parts = parts};
        fill(toy_in(e, 0), (float)parts);
        assert_int_equal(berth_engine_run(e->engine, &options, &e->diag),
                         BERTH_OK);
        assert_squares(toy_out(e, 0), (float)parts);
        if (parts < 2) {
            assert_int_equal(shared, 0);
        }
    }
    engine_rig_free(e);
    toy_free(t);
}

/* --- what is refused ------------------------------------------------------ */

static toy *one_custom(const char *name)
{
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_custom(t, 0, name, MB_INTS(x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    return t;
}

static void data_that_an_operator_cannot_take_is_told(void **state)
{
    (void)state;
    toy *t = one_custom("even");
    engine_rig *e = toy_open(t, &plain);
    fill(toy_in(e, 0), 3.0f);
    assert_int_equal(berth_engine_run(e->engine, NULL, &e->diag),
                     BERTH_BAD_DATA);
    assert_string_equal(e->diag.what, "an odd number");
    assert_int_equal(e->diag.op, 0);
    assert_int_equal(e->diag.subgraph, 0);
    fill(toy_in(e, 0), 4.0f);
    toy_run(e);
    assert_true(toy_out(e, 0)[0] == 4.0f);
    engine_rig_free(e);
    toy_free(t);
}

static void an_operator_without_kernel_is_named(void **state)
{
    (void)state;
    toy *t = one_custom("unheard of");
    toy_refused(t, &plain, BERTH_UNSUPPORTED, "no kernel for this operator");
    toy_free(t);
    t = one_custom("strict");
    toy_refused(t, &plain, BERTH_BAD_MODEL, "a strict toy");
    toy_free(t);
}

static void a_newer_version_of_an_operator_is_named(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    (void)mb_op(t->b, 0,
                (mb_op_spec){.code = BERTH_OP_ADD,
                             .version = 99,
                             .inputs = MB_INTS(x, x),
                             .outputs = MB_INTS(y)});
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    toy_refused(t, &plain, BERTH_UNSUPPORTED,
                "no kernel for this version of the operator");
    toy_free(t);
}

static void an_operand_that_nobody_writes_is_refused(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(x, x), MB_INTS(y));
    mb_io(t->b, 0, MB_NO_INTS, MB_INTS(y));
    toy_refused(t, &plain, BERTH_UNSUPPORTED, "an operand that nobody writes");
    toy_free(t);
    t = toy_new(); /* else it would show what its bytes held before */
    mb_io(t->b, 0, MB_INTS(toy_float(t, 0, "x", N)),
          MB_INTS(toy_float(t, 0, "y", N)));
    toy_refused(t, &plain, BERTH_UNSUPPORTED, "an output that nobody writes");
    toy_free(t);
}

/* A rank of nine, and so much else, is for the shape stage; here it must not
 * reach a kernel. */
static void a_tensor_of_nine_axes_is_refused(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = mb_tensor(
        t->b, 0,
        (mb_tensor_spec){.name = "x",
                         .type = BERTH_FLOAT32,
                         .shape = MB_INTS(1, 1, 1, 1, 1, 1, 1, 1, N)});
    const int32_t y = toy_float(t, 0, "y", N);
    toy_custom(t, 0, "inc", MB_INTS(x), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    toy_refused(t, &plain, BERTH_UNSUPPORTED,
                "a tensor of more than eight axes");
    toy_free(t);
}

/* Nobody would write them. */
static void a_handle_that_is_none_is_refused(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t y = toy_float(t, 0, "y", N);
    toy_op(t, 0, BERTH_OP_VAR_HANDLE, MB_NO_INTS, MB_INTS(y));
    mb_io(t->b, 0, MB_NO_INTS, MB_INTS(y));
    toy_refused(t, &plain, BERTH_BAD_MODEL, "a handle of another type");
    toy_free(t);
}

static void strings_are_refused(void **state)
{
    (void)state;
    toy *t = toy_new();
    const mb_tensor_spec spec = {
        .name = "s", .type = BERTH_STRING, .shape = MB_INTS(N)};
    const int32_t x = mb_tensor(t->b, 0, spec);
    const int32_t at =
        mb_tensor(t->b, 0,
                  (mb_tensor_spec){
                      .name = "at", .type = BERTH_INT32, .shape = MB_INTS(N)});
    const int32_t y = mb_tensor(t->b, 0, spec);
    toy_op(t, 0, BERTH_OP_GATHER, MB_INTS(x, at), MB_INTS(y));
    mb_io(t->b, 0, MB_INTS(x, at), MB_INTS(y));
    toy_refused(t, &plain, BERTH_UNSUPPORTED, "strings or variants");
    toy_free(t);
}

static void a_model_without_operators_hands_its_input_back(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", N);
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(x));
    engine_rig *e = toy_open(t, &plain);
    fill(toy_in(e, 0), 1.0f);
    toy_run(e);
    assert_ptr_equal(toy_out(e, 0), toy_in(e, 0));
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_runs_again_and_again),
        cmocka_unit_test(inputs_and_outputs_are_described),
        cmocka_unit_test(names_are_those_of_signatures_tensors_or_numbers),
        cmocka_unit_test(the_caller_may_hold_inputs_and_outputs),
        cmocka_unit_test(what_lies_in_the_arena_is_not_bound),
        cmocka_unit_test(an_output_may_be_a_constant_an_input_or_listed_twice),
        cmocka_unit_test(watchers_see_each_step_and_a_second_caller_is_told),
        cmocka_unit_test(a_run_is_cancelled_between_steps_and_runs_again),
        cmocka_unit_test(rows_are_shared_out_and_the_bits_stay),
        cmocka_unit_test(data_that_an_operator_cannot_take_is_told),
        cmocka_unit_test(an_operator_without_kernel_is_named),
        cmocka_unit_test(a_newer_version_of_an_operator_is_named),
        cmocka_unit_test(an_operand_that_nobody_writes_is_refused),
        cmocka_unit_test(a_tensor_of_nine_axes_is_refused),
        cmocka_unit_test(a_handle_that_is_none_is_refused),
        cmocka_unit_test(strings_are_refused),
        cmocka_unit_test(a_model_without_operators_hands_its_input_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The same model under other rules: inputs that stay, inputs and outputs in
 * the caller's memory, readers that lag behind. Expected spans by hand; every
 * case is planned and goes to both judges, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rig_fixture.h"

/* Kernel scratch is no matter here. */
static void by(berth_lifetime_options options)
{
    options.no_scratch = true;
    rig_again(r, 0, &options);
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
    (void)rig_plan(r, BERTH_STRATEGY_NONE);
}

static void lag(uint32_t steps)
{
    by((berth_lifetime_options){.lag = steps});
}

static void spans(int32_t t, const char *expected)
{
    rig_assert_spans(r, g, t, expected);
}

/* x -RELU-> a -CONV_2D-> b -CONV_2D-> c -CONV_2D-> y, so that a may be x. */
static int32_t chain[5];

static void make_chain(void)
{
    for (int i = 0; i < 5; ++i) {
        chain[i] = tensor();
    }
    for (int i = 0; i < 4; ++i) {
        rig_op(r, g, i == 0 ? BERTH_OP_RELU : BERTH_OP_CONV_2D,
               MB_INTS(chain[i]), MB_INTS(chain[i + 1]));
    }
    rig_io(r, g, MB_INTS(chain[0]), MB_INTS(chain[4]));
    rig_schedule(r, 0);
}

static uint64_t best(berth_lifetime_options options)
{
    options.no_scratch = true;
    rig_again(r, 0, &options);
    return rig_plan(r, BERTH_STRATEGY_BEST);
}

/* --- a lag ---------------------------------------------------------------- */

static void a_lag_lengthens_every_life_up_to_the_end(void **state)
{
    (void)state;
    make_chain();
    lag(1);
    spans(chain[0], "0-2");
    spans(chain[1], "0-3");
    spans(chain[2], "1-4");
    spans(chain[3], "2-4");
    spans(chain[4], "3-4");
    lag(UINT32_MAX);
    spans(chain[0], "0-4");
    spans(chain[4], "3-4");
    assert_int_equal(best((berth_lifetime_options){.lag = 9}), 5 * N);
    assert_int_equal(best((berth_lifetime_options){.lag = 1}), 3 * N);
    assert_int_equal(best((berth_lifetime_options){0}), 2 * N);
}

static void nothing_is_written_in_place_with_a_lag(void **state)
{
    (void)state;
    make_chain();
    lag(0);
    rig_assert_link(r, g, chain[0], g, chain[1], "0,64");
    lag(1);
    assert_int_equal(r->lifetimes.problem.link_count, 0);
}

static void a_view_lags_with_the_bytes_it_is(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t v = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x), MB_INTS(v));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(v), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    rig_schedule(r, 0);
    lag(1);
    rig_assert_tie(r, g, x, g, v, true);
    spans(x, "0-2");
    spans(v, "0-3");
    assert_int_equal(best((berth_lifetime_options){.lag = 1}), 3 * N);
}

/* --- a lag and jumps ------------------------------------------------------ */

static uint32_t body;
static uint32_t cond;
static int32_t b, go, early, o; /* of the loop */
static int32_t x, a, y, z;      /* around it */

/* enter1 cond1 op(go) test1 op(early) op(o) back1 exit1, one operator before
 * and one behind. */
static void make_loop(void)
{
    cond = rig_subgraph(r);
    const int32_t c = rig_tensor(r, cond, N);
    go = rig_tensor(r, cond, 1);
    rig_op(r, cond, BERTH_OP_LESS, MB_INTS(c), MB_INTS(go));
    rig_io(r, cond, MB_INTS(c), MB_INTS(go));
    body = rig_subgraph(r);
    b = rig_tensor(r, body, N);
    early = rig_tensor(r, body, N);
    o = rig_tensor(r, body, N);
    rig_op(r, body, BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(early));
    rig_op(r, body, BERTH_OP_CONV_2D, MB_INTS(early), MB_INTS(o));
    rig_io(r, body, MB_INTS(b), MB_INTS(o));
    x = tensor();
    a = tensor();
    y = tensor();
    z = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_while(r, g, cond, body, MB_INTS(a), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(z));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(z), MB_INTS(tensor()));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    rig_schedule(r, 0);
    rig_assert_steps(r,
                     "op0 enter1 cond1 op4 test1 op5 op6 back1 exit1 op2 op3");
}

static void a_lag_that_meets_no_jump_is_counted_in_steps(void **state)
{
    (void)state;
    make_loop();
    lag(0);
    rig_assert_spans(r, body, early, "5-7");
    lag(1); /* BACK is the last step of the lag: nothing runs behind it */
    spans(x, "0-2");
    spans(a, "0-3");
    rig_assert_spans(r, body, early, "5-8");
}

static void a_lag_behind_back_takes_the_whole_loop(void **state)
{
    (void)state;
    make_loop();
    lag(1); /* o is read by BACK, and still while COND runs again */
    rig_assert_spans(r, body, o, "1-10");
    lag(2);
    rig_assert_spans(r, body, early, "1-11");
}

static void a_lag_behind_test_takes_the_whole_loop(void **state)
{
    (void)state;
    make_loop();
    lag(1); /* TEST reads it, and EXIT may be what follows */
    rig_assert_spans(r, cond, go, "1-10");
    lag(2); /* a's last step is ENTER, two later is the condition */
    spans(a, "0-4");
    lag(4); /* ... and four later is what TEST jumps to */
    spans(a, "0-11");
}

static void a_lag_at_the_end_of_a_branch_goes_on_behind_the_last(void **state)
{
    (void)state;
    int32_t in[2];
    int32_t out[2];
    int32_t inner[2];
    uint32_t branch[2];
    for (int i = 0; i < 2; ++i) {
        branch[i] = rig_subgraph(r);
        in[i] = rig_tensor(r, branch[i], N);
        inner[i] = rig_tensor(r, branch[i], N);
        out[i] = rig_tensor(r, branch[i], N);
        rig_op(r, branch[i], BERTH_OP_CONV_2D, MB_INTS(in[i]),
               MB_INTS(inner[i]));
        rig_op(r, branch[i], BERTH_OP_CONV_2D, MB_INTS(inner[i]),
               MB_INTS(out[i]));
        rig_io(r, branch[i], MB_INTS(in[i]), MB_INTS(out[i]));
    }
    const int32_t p = rig_tensor(r, g, 1);
    const int32_t from = tensor();
    const int32_t to = tensor();
    const int32_t last = tensor();
    rig_if(r, g, branch[0], branch[1], MB_INTS(p, from), MB_INTS(to));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(to), MB_INTS(last));
    rig_io(r, g, MB_INTS(p, from), MB_INTS(last));
    rig_schedule(r, 0);
    rig_assert_steps(r, "test0 then0 op2 op3 exit0 else0 op4 op5 exit0 op1");
    lag(1);
    rig_assert_spans(r, branch[0], inner[0], "2-5");
    rig_assert_spans(r, branch[0], out[0], "0-10"); /* behind EXIT: op1 */
    rig_assert_spans(r, branch[1], inner[1], "6-9");
    rig_assert_spans(r, branch[1], out[1], "7-10");
    lag(2);
    rig_assert_spans(r, branch[0], inner[0], "0-10");
}

static void lives_that_come_to_touch_are_one(void **state)
{
    (void)state;
    const uint32_t callee = rig_subgraph(r);
    const int32_t in = rig_tensor(r, callee, N);
    const int32_t t = rig_tensor(r, callee, N);
    const int32_t out = rig_tensor(r, callee, N);
    rig_op(r, callee, BERTH_OP_CONV_2D, MB_INTS(in), MB_INTS(t));
    rig_op(r, callee, BERTH_OP_CONV_2D, MB_INTS(t), MB_INTS(out));
    rig_io(r, callee, MB_INTS(in), MB_INTS(out));
    const int32_t u = tensor();
    const int32_t v = tensor();
    const int32_t w = tensor();
    rig_call(r, g, callee, MB_INTS(u), MB_INTS(v));
    rig_call(r, g, callee, MB_INTS(v), MB_INTS(w));
    rig_io(r, g, MB_INTS(u), MB_INTS(w));
    rig_schedule(r, 0);
    rig_assert_steps(r, "enter0 op2 op3 exit0 enter1 op2 op3 exit1");
    lag(0);
    rig_assert_spans(r, callee, t, "1-3 5-7");
    lag(1);
    rig_assert_spans(r, callee, t, "1-4 5-8");
    lag(2);
    rig_assert_spans(r, callee, t, "1-8");
}

/* --- inputs and outputs --------------------------------------------------- */

static void inputs_may_live_to_the_end(void **state)
{
    (void)state;
    make_chain();
    by((berth_lifetime_options){.keep_inputs = true});
    spans(chain[0], "0-4");
    spans(chain[1], "0-2");
    rig_assert_link(r, g, chain[0], g, chain[1], "none");
    assert_int_equal(best((berth_lifetime_options){.keep_inputs = true}),
                     3 * N);
}

static void what_the_caller_holds_takes_no_bytes(void **state)
{
    (void)state;
    make_chain();
    by((berth_lifetime_options){.hold_inputs = true});
    spans(chain[0], "none");
    spans(chain[1], "0-2");
    spans(chain[4], "3-4");
    rig_assert_class(r, g, chain[0], BERTH_CLASS_INPUT);
    by((berth_lifetime_options){.hold_outputs = true});
    spans(chain[0], "0-1");
    spans(chain[4], "none");
    rig_assert_class(r, g, chain[4], BERTH_CLASS_OUTPUT);
}

static void a_view_of_what_the_caller_holds_is_a_copy(void **state)
{
    (void)state;
    const int32_t in = tensor();
    const int32_t v = tensor();
    const int32_t t = tensor();
    const int32_t out = tensor();
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(in), MB_INTS(v));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(v), MB_INTS(t));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(t), MB_INTS(out));
    rig_io(r, g, MB_INTS(in), MB_INTS(out));
    rig_schedule(r, 0);
    by((berth_lifetime_options){0});
    rig_assert_tie(r, g, in, g, v, true);
    rig_assert_tie(r, g, t, g, out, true);
    by((berth_lifetime_options){.hold_inputs = true, .hold_outputs = true});
    spans(v, "0-2");
    rig_assert_class(r, g, v, BERTH_CLASS_INNER);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    assert_int_equal(best((berth_lifetime_options){.hold_inputs = true,
                                                   .hold_outputs = true}),
                     2 * N);
}

static void an_input_that_is_an_output_is_held_as_an_input(void **state)
{
    (void)state;
    const int32_t in = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(in), MB_INTS(tensor()));
    rig_io(r, g, MB_INTS(in), MB_INTS(in));
    rig_schedule(r, 0);
    by((berth_lifetime_options){.hold_outputs = true});
    spans(in, "0-1");
    by((berth_lifetime_options){.hold_inputs = true});
    spans(in, "none");
}

/* --- lent memory ---------------------------------------------------------- */

static const berth_lifetime_options all_rules = {
    .keep_inputs = true, .hold_outputs = true, .lag = 3};

static berth_status lifetimes_stage(rig *rig_, berth_work *work,
                                    berth_diag *diag)
{
    return berth_lifetimes_init(&rig_->graph, &rig_->shapes, &rig_->schedule,
                                &all_rules, work, &rig_->lifetimes, diag);
}

static void every_smaller_block_is_refused(void **state)
{
    (void)state;
    size_t need = 0;
    make_loop();
    by(all_rules);
    assert_int_equal(berth_lifetimes_bytes(&r->graph, &r->shapes, &r->schedule,
                                           &all_rules, &need, NULL),
                     BERTH_OK);
    rig_shrink(r, lifetimes_stage, need, &r->lifetimes, sizeof(r->lifetimes));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lag_lengthens_every_life_up_to_the_end),
        TEST(nothing_is_written_in_place_with_a_lag),
        TEST(a_view_lags_with_the_bytes_it_is),
        TEST(a_lag_that_meets_no_jump_is_counted_in_steps),
        TEST(a_lag_behind_back_takes_the_whole_loop),
        TEST(a_lag_behind_test_takes_the_whole_loop),
        TEST(a_lag_at_the_end_of_a_branch_goes_on_behind_the_last),
        TEST(lives_that_come_to_touch_are_one),
        TEST(inputs_may_live_to_the_end),
        TEST(what_the_caller_holds_takes_no_bytes),
        TEST(a_view_of_what_the_caller_holds_is_a_copy),
        TEST(an_input_that_is_an_output_is_held_as_an_input),
        TEST(every_smaller_block_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

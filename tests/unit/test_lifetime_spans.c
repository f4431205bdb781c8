/* When tensors live, in plain models and through calls: expected spans by hand.
 * Every case is planned and goes to both judges, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rig_fixture.h"

/* Kernel scratch is no matter here. */
static const berth_lifetime_options bare = {.no_scratch = true};

static void run(void)
{
    rig_lifetimes(r, &bare);
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
    (void)rig_plan(r, BERTH_STRATEGY_NONE);
}

static void spans(int32_t t, const char *expected)
{
    rig_assert_spans(r, g, t, expected);
}

/* --- plain models ------------------------------------------------------- */

static void a_chain(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    spans(x, "0-1");
    spans(a, "0-2");
    spans(y, "1-2");
    rig_assert_class(r, g, x, BERTH_CLASS_INPUT);
    rig_assert_class(r, g, a, BERTH_CLASS_INNER);
    rig_assert_class(r, g, y, BERTH_CLASS_OUTPUT);
    assert_int_equal(r->lifetimes.problem.items[0].flags, BERTH_ITEM_INPUT);
    assert_int_equal(r->lifetimes.problem.items[2].flags, BERTH_ITEM_OUTPUT);
}

static void an_early_output_lives_to_the_end(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(z));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(z), MB_INTS(tensor()));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    spans(y, "0-3");
    spans(x, "0-2");
}

static void an_unread_input_lives_until_step_0_writes_over_it(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t u = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(tensor()));
    rig_io(r, g, MB_INTS(x, u), MB_INTS(y));
    run();
    spans(u, "0-1");
    rig_assert_link(r, g, u, g, y, "0,0");
    rig_assert_link(r, g, x, g, y, "none");
    rig_assert_link(r, g, u, g, x, "none");
}

static void an_unread_output_lives_one_step(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t b = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_SPLIT, MB_INTS(x), MB_INTS(a, b));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    spans(b, "0-1");
    spans(a, "0-2");
}

static void a_constant_as_output_needs_no_bytes(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t c = rig_constant(r, g, N);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x, c), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(c, y));
    run();
    spans(c, "none");
    rig_assert_class(r, g, c, BERTH_CLASS_CONSTANT);
}

static void an_input_as_output_lives_throughout(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(y), MB_INTS(tensor()));
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    run();
    spans(x, "0-2");
    rig_assert_class(r, g, x, BERTH_CLASS_INPUT);
    rig_assert_link(r, g, x, g, y, "none"); /* the caller still reads it */
    assert_int_equal(r->lifetimes.problem.items[0].flags,
                     BERTH_ITEM_INPUT | BERTH_ITEM_OUTPUT);
}

static void an_output_listed_twice_is_one_item(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x, x), MB_INTS(y, y));
    run();
    spans(x, "0-1");
    spans(y, "0-1");
    assert_int_equal(r->lifetimes.problem.item_count, 2);
}

static void nothing_and_a_scalar(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t nothing = rig_tensor(r, g, 0);
    const int32_t scalar = mb_tensor(
        r->builder, g, (mb_tensor_spec){.name = "s", .type = BERTH_INT32});
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_SPLIT, MB_INTS(x), MB_INTS(nothing, scalar));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(nothing, scalar), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y, nothing));
    run();
    spans(nothing, "none");
    spans(scalar, "0-2");
    const uint32_t item = r->lifetimes.item_of_tensor[scalar];
    assert_int_equal(r->lifetimes.problem.items[item].size, 4);
}

static void a_graph_without_operators(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_io(r, g, MB_INTS(x, y), MB_INTS(x));
    run();
    assert_int_equal(r->lifetimes.problem.step_count, 1);
    spans(x, "0-1");
    spans(y, "0-1");
}

static void a_tensor_that_nobody_writes_has_no_bytes(void **state)
{
    (void)state;
    const int32_t ghost = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(ghost), MB_INTS(y));
    rig_io(r, g, MB_NO_INTS, MB_INTS(y));
    run();
    spans(ghost, "none");
    rig_assert_class(r, g, ghost, BERTH_CLASS_UNWRITTEN);
}

static void sorted_operators_live_in_sorted_time(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    spans(x, "0-1");
    spans(a, "0-2");
    spans(y, "1-2");
}

/* --- loops -------------------------------------------------------------- */

/* go = LESS(c, c) over `count` inputs, of which the first is read. */
static uint32_t condition(int count, int32_t *c, int32_t *go)
{
    const uint32_t cond = rig_subgraph(r);
    for (int i = 0; i < count; ++i) {
        c[i] = rig_tensor(r, cond, N);
    }
    *go = rig_tensor(r, cond, 1);
    rig_op(r, cond, BERTH_OP_LESS, MB_INTS(c[0], c[0]), MB_INTS(*go));
    rig_io(r, cond, (mb_ints){c, (size_t)count}, MB_INTS(*go));
    return cond;
}

/* o = CONV(b). */
static uint32_t body_of_one(int32_t *b, int32_t *o)
{
    const uint32_t body = rig_subgraph(r);
    *b = rig_tensor(r, body, N);
    *o = rig_tensor(r, body, N);
    rig_op(r, body, BERTH_OP_CONV_2D, MB_INTS(*b), MB_INTS(*o));
    rig_io(r, body, MB_INTS(*b), MB_INTS(*o));
    return body;
}

static void a_loop(void **state)
{
    (void)state;
    int32_t c;
    int32_t go;
    int32_t b;
    int32_t o;
    const uint32_t cond = condition(1, &c, &go);
    const uint32_t body = body_of_one(&b, &o);
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_while(r, g, cond, body, MB_INTS(a), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run();
    rig_assert_steps(r, "op0 enter1 cond1 op3 test1 op4 back1 exit1 op2");
    spans(a, "0-2");
    rig_assert_spans(r, body, b, "1-8"); /* ENTER to EXIT, BACK is no end */
    rig_assert_spans(r, cond, c, "2-4");
    rig_assert_spans(r, cond, go, "3-5");
    rig_assert_spans(r, body, o, "5-7");
    spans(y, "7-9");
    rig_assert_tie(r, body, b, cond, c, true);
    rig_assert_class(r, cond, c, BERTH_CLASS_VIEW);
    rig_assert_link(r, g, a, body, b, "0,64");
    rig_assert_link(r, body, b, g, y, "0,64");
    rig_assert_link(r, body, o, body, b, "none");
    rig_assert_link(r, body, b, body, o, "none");
    /* a, b, c and y in one place; o and z beside it */
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 2 * N);
}

static void a_variable_is_dead_between_its_last_reader_and_back(void **state)
{
    (void)state;
    int32_t c[2];
    int32_t go;
    const uint32_t cond = condition(2, c, &go);
    const uint32_t body = rig_subgraph(r);
    const int32_t b = rig_tensor(r, body, N);
    const int32_t idle = rig_tensor(r, body, N);
    const int32_t t = rig_tensor(r, body, N);
    const int32_t o = rig_tensor(r, body, N);
    rig_op(r, body, BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(t));
    rig_op(r, body, BERTH_OP_CONV_2D, MB_INTS(t), MB_INTS(o));
    rig_io(r, body, MB_INTS(b, idle), MB_INTS(o, t));
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t u = tensor();
    const int32_t v = tensor();
    rig_while(r, g, cond, body, MB_INTS(x, u), MB_INTS(y, v));
    rig_io(r, g, MB_INTS(x, u), MB_INTS(y, v));
    run();
    rig_assert_steps(r, "enter0 cond0 op1 test0 op2 op3 back0 exit0");
    rig_assert_spans(r, body, b, "0-5 6-8");
    rig_assert_spans(r, body, idle, "0-4 6-8");   /* EXIT may follow TEST */
    rig_assert_link(r, body, o, body, b, "0,64"); /* BACK copies nothing */
    rig_assert_link(r, body, t, body, idle, "0,64");
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 2 * N + 1);
}

static void what_is_read_behind_a_loop_lives_through_it(void **state)
{
    (void)state;
    int32_t c;
    int32_t go;
    int32_t b;
    int32_t o;
    const uint32_t cond = condition(1, &c, &go);
    const uint32_t body = body_of_one(&b, &o);
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_while(r, g, cond, body, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x, y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run();
    spans(x, "0-8");
    rig_assert_link(r, g, x, body, b, "none");
}

static void two_variables_that_swap(void **state)
{
    (void)state;
    int32_t c[2];
    int32_t go;
    const uint32_t cond = condition(2, c, &go);
    const uint32_t body = rig_subgraph(r);
    const int32_t b0 = rig_tensor(r, body, N);
    const int32_t b1 = rig_tensor(r, body, N);
    rig_io(r, body, MB_INTS(b0, b1), MB_INTS(b1, b0));
    const int32_t x0 = tensor();
    const int32_t x1 = tensor();
    const int32_t y0 = tensor();
    const int32_t y1 = tensor();
    rig_while(r, g, cond, body, MB_INTS(x0, x1), MB_INTS(y0, y1));
    rig_io(r, g, MB_INTS(x0, x1), MB_INTS(y0, y1));
    run();
    rig_assert_steps(r, "enter0 cond0 op1 test0 back0 exit0");
    rig_assert_spans(r, body, b0, "0-6");
    rig_assert_spans(r, body, b1, "0-6");
    rig_assert_spans(r, cond, c[0], "1-3");
    /* handed over, but never read: not handed over at all */
    rig_assert_spans(r, cond, c[1], "none");
    rig_assert_class(r, cond, c[1], BERTH_CLASS_UNUSED);
    rig_assert_link(r, g, x0, body, b0, "0,64");
    rig_assert_link(r, g, x0, body, b1, "none");
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 2 * N + 1);
}

static void a_body_called_twice_has_two_spans(void **state)
{
    (void)state;
    int32_t c;
    int32_t go;
    int32_t b;
    int32_t o;
    const uint32_t cond = condition(1, &c, &go);
    const uint32_t body = body_of_one(&b, &o);
    const int32_t x = tensor();
    const int32_t m = tensor();
    const int32_t n = tensor();
    const int32_t y = tensor();
    rig_while(r, g, cond, body, MB_INTS(x), MB_INTS(m));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(m), MB_INTS(n));
    rig_while(r, g, cond, body, MB_INTS(n), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    rig_assert_steps(r, "enter0 cond0 op3 test0 op4 back0 exit0 op1 "
                        "enter2 cond2 op3 test2 op4 back2 exit2");
    rig_assert_spans(r, body, b, "0-7 8-15");
    rig_assert_spans(r, body, o, "4-6 12-14");
    rig_assert_spans(r, cond, c, "1-3 9-11");
    rig_assert_spans(r, cond, go, "2-4 10-12");
    rig_assert_tie(r, body, b, cond, c, true);
    rig_assert_link(r, g, x, body, b, "0,64");
    rig_assert_link(r, g, n, body, b, "0,64");
    rig_assert_link(r, body, b, g, m, "0,64");
    rig_assert_link(r, body, b, g, y, "0,64");
}

static void a_condition_that_is_the_body(void **state)
{
    (void)state;
    const uint32_t both = rig_subgraph(r);
    const int32_t b = rig_tensor(r, both, N);
    const int32_t o = rig_tensor(r, both, N);
    rig_op(r, both, BERTH_OP_RELU, MB_INTS(b), MB_INTS(o));
    rig_io(r, both, MB_INTS(b), MB_INTS(o));
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_while(r, g, both, both, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    rig_assert_steps(r, "enter0 cond0 op1 test0 op1 back0 exit0");
    rig_assert_spans(r, both, b, "0-7");
    rig_assert_spans(r, both, o, "2-6"); /* touch: 2-4, then 4-6 */
    rig_assert_link(r, both, b, both, o, "none");
}

static void one_tensor_for_two_loop_variables(void **state)
{
    (void)state;
    int32_t c[2];
    int32_t go;
    const uint32_t cond = condition(2, c, &go);
    const uint32_t body = rig_subgraph(r);
    const int32_t b0 = rig_tensor(r, body, N);
    const int32_t b1 = rig_tensor(r, body, N);
    const int32_t o = rig_tensor(r, body, N);
    rig_op(r, body, BERTH_OP_ADD, MB_INTS(b0, b1), MB_INTS(o));
    rig_io(r, body, MB_INTS(b0, b1), MB_INTS(o, b1));
    const int32_t x = tensor();
    const int32_t y0 = tensor();
    const int32_t y1 = tensor();
    rig_while(r, g, cond, body, MB_INTS(x, x), MB_INTS(y0, y1));
    rig_io(r, g, MB_INTS(x), MB_INTS(y0, y1));
    run();
    /* copied to two places: neither may lie over it */
    rig_assert_link(r, g, x, body, b0, "none");
    rig_assert_link(r, g, x, body, b1, "none");
}

/* --- branches ----------------------------------------------------------- */

/* q = RELU(p). */
static uint32_t branch_of_one(int32_t *p, int32_t *q)
{
    const uint32_t branch = rig_subgraph(r);
    *p = rig_tensor(r, branch, N);
    *q = rig_tensor(r, branch, N);
    rig_op(r, branch, BERTH_OP_RELU, MB_INTS(*p), MB_INTS(*q));
    rig_io(r, branch, MB_INTS(*p), MB_INTS(*q));
    return branch;
}

static void a_branch(void **state)
{
    (void)state;
    int32_t p1;
    int32_t q1;
    int32_t p2;
    int32_t q2;
    const uint32_t then_ = branch_of_one(&p1, &q1);
    const uint32_t else_ = branch_of_one(&p2, &q2);
    const int32_t c = rig_tensor(r, g, 1);
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_if(r, g, then_, else_, MB_INTS(c, x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(z));
    run();
    rig_assert_steps(r, "test0 then0 op2 exit0 else0 op3 exit0 op1");
    spans(c, "0-1");
    spans(x, "0-5"); /* to the start of ELSE */
    rig_assert_spans(r, then_, p1, "1-3");
    rig_assert_spans(r, then_, q1, "2-4");
    rig_assert_spans(r, else_, p2, "4-6");
    rig_assert_spans(r, else_, q2, "5-7");
    spans(y, "3-4 6-8"); /* two writers, and a hole for ELSE */
    rig_assert_tie(r, g, x, then_, p1, true);
    rig_assert_tie(r, g, x, else_, p2, true);
    rig_assert_link(r, then_, q1, g, y, "0,64");
    rig_assert_link(r, else_, q2, g, y, "0,64");
    rig_assert_link(r, then_, p1, then_, q1, "0,64");
    rig_assert_link(r, g, x, then_, q1, "none");
}

static void what_lives_across_branches_survives_both(void **state)
{
    (void)state;
    int32_t p1;
    int32_t q1;
    int32_t p2;
    int32_t q2;
    const uint32_t then_ = branch_of_one(&p1, &q1);
    const uint32_t else_ = branch_of_one(&p2, &q2);
    const int32_t c = rig_tensor(r, g, 1);
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_if(r, g, then_, else_, MB_INTS(c, x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(y, a), MB_INTS(z));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(z));
    run();
    spans(a, "0-9");
}

static void branches_that_are_one_subgraph(void **state)
{
    (void)state;
    int32_t p;
    int32_t q;
    const uint32_t both = branch_of_one(&p, &q);
    const int32_t c = rig_tensor(r, g, 1);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_if(r, g, both, both, MB_INTS(c, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(y));
    run();
    rig_assert_spans(r, both, p, "1-3 4-6");
    rig_assert_spans(r, both, q, "2-4 5-7");
    spans(y, "3-4 6-7");
    rig_assert_tie(r, g, x, both, p, true); /* one caller, one source */
    rig_assert_link(r, both, q, g, y, "0,64");
}

static void a_loop_inside_a_branch(void **state)
{
    (void)state;
    int32_t c;
    int32_t go;
    int32_t b;
    int32_t o;
    int32_t p2;
    int32_t q2;
    const uint32_t cond = condition(1, &c, &go);
    const uint32_t body = body_of_one(&b, &o);
    const uint32_t else_ = branch_of_one(&p2, &q2);
    const uint32_t then_ = rig_subgraph(r);
    const int32_t p1 = rig_tensor(r, then_, N);
    const int32_t q1 = rig_tensor(r, then_, N);
    rig_while(r, then_, cond, body, MB_INTS(p1), MB_INTS(q1));
    rig_io(r, then_, MB_INTS(p1), MB_INTS(q1));
    const int32_t t = rig_tensor(r, g, 1);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_if(r, g, then_, else_, MB_INTS(t, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(t, x), MB_INTS(y));
    run();
    rig_assert_steps(r, "test0 then0 enter4 cond4 op1 test4 op2 back4 exit4 "
                        "exit0 else0 op3 exit0");
    rig_assert_spans(r, then_, p1, "1-3");
    rig_assert_spans(r, body, b, "2-9");
    rig_assert_spans(r, cond, c, "3-5");
    rig_assert_spans(r, body, o, "6-8");
    rig_assert_spans(r, then_, q1, "8-10");
    rig_assert_spans(r, else_, p2, "10-12");
    spans(x, "0-11");
    spans(y, "9-10 12-13");
    rig_assert_link(r, then_, p1, body, b, "0,64");
}

static void a_branch_inside_a_loop(void **state)
{
    (void)state;
    int32_t c;
    int32_t go;
    int32_t p1;
    int32_t q1;
    int32_t p2;
    int32_t q2;
    const uint32_t cond = condition(1, &c, &go);
    const uint32_t then_ = branch_of_one(&p1, &q1);
    const uint32_t else_ = branch_of_one(&p2, &q2);
    const uint32_t body = rig_subgraph(r);
    const int32_t b = rig_tensor(r, body, N);
    const int32_t o = rig_tensor(r, body, N);
    rig_if(r, body, then_, else_, MB_INTS(b, b), MB_INTS(o));
    rig_io(r, body, MB_INTS(b), MB_INTS(o));
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_while(r, g, cond, body, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    rig_assert_steps(r, "enter0 cond0 op1 test0 test4 then4 op2 exit4 else4 "
                        "op3 exit4 back0 exit0");
    rig_assert_spans(r, body, b, "0-9 11-13");
    rig_assert_spans(r, body, o, "7-8 10-12");
    rig_assert_spans(r, then_, p1, "5-7");
    rig_assert_tie(r, body, b, then_, p1, true);
    rig_assert_tie(r, body, b, cond, c, true);
}

static void a_case_of_three(void **state)
{
    (void)state;
    int32_t p[3];
    int32_t q[3];
    int32_t branch[3];
    for (int i = 0; i < 3; ++i) {
        branch[i] = (int32_t)branch_of_one(&p[i], &q[i]);
    }
    const int32_t c = rig_tensor(r, g, 4);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_case(r, g, (mb_ints){branch, 3}, MB_INTS(c, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(y));
    run();
    spans(x, "0-8");
    spans(y, "3-4 6-7 9-10");
    rig_assert_tie(r, g, x, (uint32_t)branch[2], p[2], true);
}

/* --- calls -------------------------------------------------------------- */

static void a_call_from_one_place_shares_its_operands(void **state)
{
    (void)state;
    int32_t p;
    int32_t q;
    const uint32_t h = branch_of_one(&p, &q);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_call(r, g, h, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run();
    rig_assert_steps(r, "enter0 op1 exit0");
    rig_assert_tie(r, g, x, h, p, true);
    rig_assert_link(r, h, q, g, y, "0,64");
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), N);
}

static void a_call_from_two_places_copies(void **state)
{
    (void)state;
    int32_t p;
    int32_t q;
    const uint32_t h = branch_of_one(&p, &q);
    const int32_t x = tensor();
    const int32_t m = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_call(r, g, h, MB_INTS(x), MB_INTS(m));
    rig_call(r, g, h, MB_INTS(m), MB_INTS(y));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(m, y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run();
    rig_assert_steps(r, "enter0 op3 exit0 enter1 op3 exit1 op2");
    rig_assert_spans(r, h, p, "0-2 3-5");
    rig_assert_spans(r, h, q, "1-3 4-6");
    rig_assert_tie(r, g, x, h, p, false);
    rig_assert_link(r, g, x, h, p, "0,64");
    rig_assert_link(r, g, m, h, p, "none"); /* read later by ADD */
    rig_assert_link(r, h, p, h, q, "0,64"); /* at both calls */
    rig_assert_link(r, h, q, g, m, "none"); /* alive at the second call */
    rig_assert_link(r, h, q, g, y, "0,64");
    spans(m, "2-7");
}

static void a_callee_that_hands_its_input_back(void **state)
{
    (void)state;
    const uint32_t h = rig_subgraph(r);
    const int32_t p = rig_tensor(r, h, N);
    rig_io(r, h, MB_INTS(p), MB_INTS(p));
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_call(r, g, h, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x, y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run();
    rig_assert_spans(r, h, p, "0-2");
    spans(y, "1-3");
    spans(x, "0-3");
    rig_assert_link(r, h, p, g, y, "0,64"); /* but x is alive there */
    assert_true(rig_offset(r, g, x) != rig_offset(r, g, y));
}

static void a_constant_given_to_a_call_is_copied(void **state)
{
    (void)state;
    int32_t p;
    int32_t q;
    const uint32_t h = branch_of_one(&p, &q);
    const int32_t c = rig_constant(r, g, N);
    const int32_t y = tensor();
    rig_call(r, g, h, MB_INTS(c), MB_INTS(y));
    rig_io(r, g, MB_NO_INTS, MB_INTS(y));
    run();
    rig_assert_spans(r, h, p, "0-2");
    rig_assert_class(r, h, p, BERTH_CLASS_INNER);
    rig_assert_class(r, g, c, BERTH_CLASS_CONSTANT);
}

/* One callee, called 30,000 times: its tensors have as many spans, and each
 * call's own meet them in one. Looking at all spans for each call took minutes.
 */
static void a_callee_of_very_many_calls_costs_no_square(void **state)
{
    (void)state;
    enum { CALLS = 30000 };
    rig *many = rig_new();
    const uint32_t main_graph = rig_subgraph(many);
    const uint32_t callee = rig_subgraph(many);
    const int32_t first = rig_tensor(many, main_graph, 16);
    int32_t last = first;
    for (int i = 0; i < CALLS; ++i) {
        const int32_t next = rig_tensor(many, main_graph, 16);
        rig_call(many, main_graph, callee, MB_INTS(last), MB_INTS(next));
        last = next;
    }
    const int32_t x = rig_tensor(many, callee, 16);
    const int32_t y = rig_tensor(many, callee, 16);
    rig_op(many, callee, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_io(many, main_graph, MB_INTS(first), MB_INTS(last));
    rig_io(many, callee, MB_INTS(x), MB_INTS(y));
    rig_lifetimes(many, NULL);
    assert_int_equal(rig_plan(many, BERTH_STRATEGY_SIZE_BEST), 16);
    rig_free(many);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, finish)
    const struct CMUnitTest tests[] = {
        CASE(a_chain),
        CASE(an_early_output_lives_to_the_end),
        CASE(an_unread_input_lives_until_step_0_writes_over_it),
        CASE(an_unread_output_lives_one_step),
        CASE(a_constant_as_output_needs_no_bytes),
        CASE(an_input_as_output_lives_throughout),
        CASE(an_output_listed_twice_is_one_item),
        CASE(nothing_and_a_scalar),
        CASE(a_graph_without_operators),
        CASE(a_tensor_that_nobody_writes_has_no_bytes),
        CASE(sorted_operators_live_in_sorted_time),
        CASE(a_loop),
        CASE(what_is_read_behind_a_loop_lives_through_it),
        CASE(a_variable_is_dead_between_its_last_reader_and_back),
        CASE(two_variables_that_swap),
        CASE(a_body_called_twice_has_two_spans),
        CASE(a_condition_that_is_the_body),
        CASE(one_tensor_for_two_loop_variables),
        CASE(a_branch),
        CASE(what_lives_across_branches_survives_both),
        CASE(branches_that_are_one_subgraph),
        CASE(a_loop_inside_a_branch),
        CASE(a_branch_inside_a_loop),
        CASE(a_case_of_three),
        CASE(a_call_from_one_place_shares_its_operands),
        CASE(a_call_from_two_places_copies),
        CASE(a_callee_that_hands_its_input_back),
        CASE(a_constant_given_to_a_call_is_copied),
        cmocka_unit_test(a_callee_of_very_many_calls_costs_no_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

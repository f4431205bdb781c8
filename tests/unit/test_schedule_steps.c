/* Calls flattened into steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* A subgraph of `inputs` tensors in, as many out, one RELU each. */
static uint32_t relus(rig *r, int inputs)
{
    const uint32_t g = rig_subgraph(r);
    int32_t in[4];
    int32_t out[4];
    for (int i = 0; i < inputs; ++i) {
        in[i] = rig_tensor(r, g, 4);
        out[i] = rig_tensor(r, g, 4);
        rig_op(r, g, BERTH_OP_RELU, MB_INTS(in[i]), MB_INTS(out[i]));
    }
    rig_io(r, g, (mb_ints){in, (size_t)inputs}, (mb_ints){out, (size_t)inputs});
    return g;
}

static const berth_step *step(const rig *r, uint32_t s)
{
    return &r->schedule.steps[s];
}

static void a_plain_model_has_a_step_for_each_operator(void **state)
{
    (void)state;
    rig *r = rig_new();
    relus(r, 3);
    rig_schedule(r, 0);
    rig_assert_steps(r, "op0 op1 op2");
    assert_int_equal(r->schedule.op_step_count, 3);
    /* slices of the graph, no copies */
    assert_ptr_equal(step(r, 1)->reads, berth_graph_inputs(&r->graph, 1));
    assert_ptr_equal(step(r, 1)->writes, berth_graph_outputs(&r->graph, 1));
    rig_free(r);
}

static void steps_follow_the_graphs_order(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const int32_t z = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(y), MB_INTS(z));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    rig_schedule(r, 0);
    rig_assert_steps(r, "op1 op0");
    rig_free(r);
}

static void an_empty_graph_has_no_steps(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    rig_schedule(r, 0);
    rig_assert_steps(r, "");
    rig_free(r);
}

static void a_loop_enters_tests_goes_back_and_leaves(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t cond = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const uint32_t body = relus(r, 1);
    rig_while(r, g, cond, body, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const int32_t c = rig_tensor(r, cond, 4);
    const int32_t go = rig_tensor(r, cond, 1);
    rig_op(r, cond, BERTH_OP_LESS, MB_INTS(c, c), MB_INTS(go));
    rig_io(r, cond, MB_INTS(c), MB_INTS(go));
    rig_schedule(r, 0);
    rig_assert_steps(r, "enter0 cond0 op1 test0 op2 back0 exit0");
    const uint32_t b = rig_global(r, body, 0);
    const uint32_t o = rig_global(r, body, 1);
    assert_int_equal(step(r, 0)->reads[0], x);
    assert_int_equal(step(r, 0)->writes[0], b);
    assert_int_equal(step(r, 1)->reads[0], b);
    assert_int_equal(step(r, 1)->writes[0], rig_global(r, cond, c));
    assert_int_equal(step(r, 3)->read_count, 1);
    assert_int_equal(step(r, 3)->reads[0], rig_global(r, cond, go));
    assert_int_equal(step(r, 3)->write_count, 0);
    assert_int_equal(step(r, 5)->reads[0], o);
    assert_int_equal(step(r, 5)->writes[0], b);
    assert_int_equal(step(r, 6)->reads[0], b);
    assert_int_equal(step(r, 6)->writes[0], y);
    assert_int_equal(step(r, 0)->partner, 5);
    assert_int_equal(step(r, 5)->partner, 0);
    assert_int_equal(step(r, 3)->partner, 6);
    assert_int_equal(step(r, 1)->partner, BERTH_NONE);
    rig_free(r);
}

static void a_branch_tests_and_runs_one_of_two(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t c = rig_tensor(r, g, 1);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const uint32_t then_ = relus(r, 1);
    const uint32_t else_ = relus(r, 1);
    rig_if(r, g, then_, else_, MB_INTS(c, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(y));
    rig_schedule(r, 0);
    rig_assert_steps(r, "test0 then0 op1 exit0 else0 op2 exit0");
    assert_int_equal(step(r, 0)->reads[0], c);
    assert_int_equal(step(r, 0)->read_count, 1);
    assert_int_equal(step(r, 1)->reads[0], x);
    assert_int_equal(step(r, 1)->writes[0], rig_global(r, then_, 0));
    assert_int_equal(step(r, 4)->writes[0], rig_global(r, else_, 0));
    assert_int_equal(step(r, 6)->writes[0], y);
    assert_int_equal(step(r, 0)->partner, 4);
    assert_int_equal(step(r, 1)->partner, 3);
    assert_int_equal(step(r, 4)->partner, 6);
    rig_free(r);
}

static void branches_may_be_one_subgraph(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t c = rig_tensor(r, g, 1);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const uint32_t both = relus(r, 1);
    rig_if(r, g, both, both, MB_INTS(c, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(y));
    rig_schedule(r, 0);
    rig_assert_steps(r, "test0 then0 op1 exit0 else0 op1 exit0");
    rig_free(r);
}

static void a_case_has_an_else_for_each_further_branch(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t c = rig_tensor(r, g, 4);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const uint32_t one = relus(r, 1);
    const uint32_t two = relus(r, 1);
    rig_case(r, g, MB_INTS((int32_t)one, (int32_t)two, (int32_t)one),
             MB_INTS(c, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(c, x), MB_INTS(y));
    rig_schedule(r, 0);
    rig_assert_steps(r,
                     "test0 then0 op1 exit0 else0 op2 exit0 else0 op1 exit0");
    assert_int_equal(step(r, 0)->partner, 4);
    assert_int_equal(step(r, 7)->partner, 9);
    rig_free(r);
}

static void calls_enter_and_leave(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t init = rig_subgraph(r);
    rig_io(r, init, MB_NO_INTS, MB_NO_INTS);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const uint32_t h = relus(r, 1);
    rig_call_once(r, g, init);
    rig_call(r, g, h, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_schedule(r, 0);
    rig_assert_steps(r, "enter0 exit0 enter1 op2 exit1");
    assert_int_equal(step(r, 2)->partner, BERTH_NONE);
    rig_free(r);
}

static void a_loop_inside_a_branch_inside_a_loop(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);      /* WHILE */
    const uint32_t cond = rig_subgraph(r);   /* no operators */
    const uint32_t outer = rig_subgraph(r);  /* IF */
    const uint32_t branch = rig_subgraph(r); /* WHILE */
    const int32_t c = rig_tensor(r, cond, 1);
    rig_io(r, cond, MB_INTS(c), MB_INTS(c));
    const uint32_t inner = relus(r, 1);
    int32_t t[2];
    t[0] = rig_tensor(r, g, 1);
    t[1] = rig_tensor(r, g, 1);
    rig_while(r, g, cond, outer, MB_INTS(t[0]), MB_INTS(t[1]));
    rig_io(r, g, MB_INTS(t[0]), MB_INTS(t[1]));
    t[0] = rig_tensor(r, outer, 1);
    t[1] = rig_tensor(r, outer, 1);
    rig_if(r, outer, branch, inner, MB_INTS(t[0], t[0]), MB_INTS(t[1]));
    rig_io(r, outer, MB_INTS(t[0]), MB_INTS(t[1]));
    t[0] = rig_tensor(r, branch, 1);
    t[1] = rig_tensor(r, branch, 1);
    rig_while(r, branch, cond, inner, MB_INTS(t[0]), MB_INTS(t[1]));
    rig_io(r, branch, MB_INTS(t[0]), MB_INTS(t[1]));
    rig_schedule(r, 0);
    rig_assert_steps(r, "enter0 cond0 test0 "
                        "test1 then1 "
                        "enter2 cond2 test2 op3 back2 exit2 "
                        "exit1 else1 op3 exit1 "
                        "back0 exit0");
    rig_schedule(r, branch);
    rig_assert_steps(r, "enter2 cond2 test2 op3 back2 exit2");
    rig_free(r);
}

/* --- counting ----------------------------------------------------------- */

/* Subgraph i calls i + 1 twice; the last one holds one RELU. */
static rig *doubling(int depth)
{
    rig *r = rig_new();
    for (int i = 0; i <= depth; ++i) {
        const uint32_t g = rig_subgraph(r);
        const int32_t x = rig_tensor(r, g, 4);
        const int32_t y = rig_tensor(r, g, 4);
        const int32_t z = rig_tensor(r, g, 4);
        if (i < depth) {
            rig_call(r, g, g + 1, MB_INTS(x), MB_INTS(y));
            rig_call(r, g, g + 1, MB_INTS(y), MB_INTS(z));
        } else {
            rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(z));
        }
        rig_io(r, g, MB_INTS(x), MB_INTS(z));
    }
    rig_graph(r);
    return r;
}

static void counts_equal_the_steps_written(void **state)
{
    (void)state;
    for (int depth = 0; depth < 12; ++depth) {
        rig *r = doubling(depth);
        rig_schedule(r, 0);
        assert_int_equal(r->schedule.step_count,
                         berth_schedule_count(&r->graph, 0));
        assert_int_equal(r->schedule.op_step_count, 1u << depth);
        rig_free(r);
    }
}

static void calls_that_explode_are_told_at_once(void **state)
{
    (void)state;
    const int depths[] = {24, 40, 63, 64, 200};
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); ++i) {
        rig *r = doubling(depths[i]);
        size_t need = 7;
        assert_int_equal(berth_schedule_bytes(&r->graph, 0, &need, &r->diag),
                         BERTH_TOO_MANY_STEPS);
        assert_int_equal(need, 7);
        berth_work work = {0};
        berth_schedule schedule;
        assert_int_equal(
            berth_schedule_init(&r->graph, 0, &work, &schedule, &r->diag),
            BERTH_TOO_MANY_STEPS);
        const uint64_t count = berth_schedule_count(&r->graph, 0);
        if (depths[i] >= 63) {
            assert_true(count == UINT64_MAX);
            assert_int_equal(r->diag.step, BERTH_NONE);
        } else {
            /* n(d) = 2 * (n(d - 1) + 2), n(0) = 1 */
            assert_true(count == (5ull << depths[i]) - 4);
        }
        rig_free(r);
    }
}

/* --- refusals ----------------------------------------------------------- */

static void operands_that_do_not_fit_the_callee_are_refused(void **state)
{
    (void)state;
    for (int which = 0; which < 4; ++which) {
        rig *r = rig_new();
        const uint32_t g = rig_subgraph(r);
        const uint32_t none = rig_subgraph(r);
        rig_io(r, none, MB_NO_INTS, MB_NO_INTS);
        const uint32_t two = relus(r, 2);
        const int32_t x = rig_tensor(r, g, 4);
        const int32_t y = rig_tensor(r, g, 4);
        rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
        const int32_t z = rig_tensor(r, g, 4);
        if (which == 0) {
            rig_call(r, g, two, MB_INTS(x), MB_INTS(z));
        } else if (which == 1) {
            rig_call(r, g, two, MB_INTS(x, y), MB_INTS(z));
        } else if (which == 2) { /* a condition without a result */
            rig_while(r, g, none, two, MB_INTS(x, y), MB_INTS(z));
        } else {
            rig_if(r, g, two, two, MB_NO_INTS, MB_INTS(z));
        }
        rig_io(r, g, MB_INTS(x), MB_INTS(z));
        rig_graph(r);
        const berth_schedule before = r->schedule;
        assert_int_equal(rig_try_schedule(r, 0), BERTH_UNSUPPORTED);
        assert_int_equal(r->diag.op, 1);
        assert_int_equal(r->diag.subgraph, 0);
        assert_memory_equal(&before, &r->schedule, sizeof(before));
        rig_free(r);
    }
}

static void a_condition_may_be_the_body_but_not_call_it(void **state)
{
    (void)state;
    for (int calls = 0; calls < 2; ++calls) {
        rig *r = rig_new();
        const uint32_t g = rig_subgraph(r);
        const int32_t x = rig_tensor(r, g, 4);
        const int32_t y = rig_tensor(r, g, 4);
        const uint32_t body = relus(r, 1);
        const uint32_t cond = rig_subgraph(r);
        rig_while(r, g, calls ? cond : body, body, MB_INTS(x), MB_INTS(y));
        rig_io(r, g, MB_INTS(x), MB_INTS(y));
        const int32_t p = rig_tensor(r, cond, 4);
        const int32_t q = rig_tensor(r, cond, 4);
        rig_call(r, cond, body, MB_INTS(p), MB_INTS(q));
        rig_io(r, cond, MB_INTS(p), MB_INTS(q));
        assert_int_equal(rig_try_schedule(r, 0),
                         calls ? BERTH_UNSUPPORTED : BERTH_OK);
        if (!calls) {
            rig_assert_steps(r, "enter0 cond0 op1 test0 op1 back0 exit0");
        }
        rig_free(r);
    }
}

static void a_callee_that_lists_an_input_twice_is_refused(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t h = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const int32_t z = rig_tensor(r, g, 4);
    rig_call(r, g, h, MB_INTS(x, y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x, y, x), MB_INTS(z)); /* the caller's own may */
    const int32_t p = rig_tensor(r, h, 4);
    rig_io(r, h, MB_INTS(p, p), MB_INTS(p));
    assert_int_equal(rig_try_schedule(r, g), BERTH_UNSUPPORTED);
    assert_string_equal(r->diag.what, "a callee lists an input twice");
    assert_int_equal(rig_try_schedule(r, h), BERTH_OK);
    rig_free(r);
}

static void a_subgraph_that_is_not_there_is_refused(void **state)
{
    (void)state;
    rig *r = doubling(1);
    size_t need = 0;
    assert_int_equal(berth_schedule_bytes(&r->graph, 2, &need, NULL),
                     BERTH_BAD_ARG);
    rig_free(r);
}

static berth_status schedule_stage(rig *r, berth_work *work, berth_diag *diag)
{
    berth_schedule schedule = r->schedule;
    const berth_status status =
        berth_schedule_init(&r->graph, 0, work, &schedule, diag);
    if (status != BERTH_OK) {
        r->schedule = schedule;
    }
    return status;
}

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    rig *r = doubling(3);
    size_t need = 0;
    assert_int_equal(berth_schedule_bytes(&r->graph, 0, &need, NULL), BERTH_OK);
    rig_shrink(r, schedule_stage, need, &r->schedule, sizeof(r->schedule));
    rig_free(r);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < BERTH_STEP_KIND_COUNT; ++k) {
        assert_true(strlen(berth_step_name((berth_step_kind)k)) > 1);
    }
    assert_string_equal(berth_step_name((berth_step_kind)BERTH_STEP_KIND_COUNT),
                        "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_model_has_a_step_for_each_operator),
        cmocka_unit_test(steps_follow_the_graphs_order),
        cmocka_unit_test(an_empty_graph_has_no_steps),
        cmocka_unit_test(a_loop_enters_tests_goes_back_and_leaves),
        cmocka_unit_test(a_branch_tests_and_runs_one_of_two),
        cmocka_unit_test(branches_may_be_one_subgraph),
        cmocka_unit_test(a_case_has_an_else_for_each_further_branch),
        cmocka_unit_test(calls_enter_and_leave),
        cmocka_unit_test(a_loop_inside_a_branch_inside_a_loop),
        cmocka_unit_test(counts_equal_the_steps_written),
        cmocka_unit_test(calls_that_explode_are_told_at_once),
        cmocka_unit_test(operands_that_do_not_fit_the_callee_are_refused),
        cmocka_unit_test(a_condition_may_be_the_body_but_not_call_it),
        cmocka_unit_test(a_callee_that_lists_an_input_twice_is_refused),
        cmocka_unit_test(a_subgraph_that_is_not_there_is_refused),
        cmocka_unit_test(any_smaller_memory_is_refused_cleanly),
        cmocka_unit_test(every_kind_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

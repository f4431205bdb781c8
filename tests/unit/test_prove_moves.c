/* The second judge on moves: calls, loops, branches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hand_graph.h"

enum { IN = BERTH_TENSOR_INPUT, OUT = BERTH_TENSOR_OUTPUT };

static hand world;
static berth_diag diag;

static hand *fresh(void)
{
    hand_init(&world);
    diag = berth_diag_none();
    return &world;
}

static void assert_verdict(hand *h, berth_status expected)
{
    const berth_status status = hand_prove(h, &diag);
    if (status != expected) {
        fail_msg("%s: step %u tensor %u other %u: %s",
                 berth_status_name(status), diag.step, diag.tensor, diag.other,
                 diag.what);
    }
}

/* --- a loop with two variables ----------------------------------------------
 */

enum { BYTES = 16, BODY_MAX = 4 };

/* WHILE(x0, x1) -> y0, y1; cond: c = less(b0); body: o0 = f(b0, b1) and
 * o1 = g(b1); each tensor in a place of its own, 16 bytes apart. */
typedef struct loop {
    uint32_t x0, x1, b0, b1, c, o0, o1, y0, y1, z;
    uint32_t enter, cond, test, back, leave;
} loop;

static uint64_t slot(uint32_t i)
{
    return (uint64_t)i * BYTES;
}

static loop make_loop(hand *h, bool unchanged_b1, bool swapped)
{
    loop l = {0};
    l.x0 = hand_tensor(h, BYTES, slot(0), IN);
    l.x1 = hand_tensor(h, BYTES, slot(1), IN);
    l.b0 = hand_tensor(h, BYTES, slot(2), 0);
    l.b1 = hand_tensor(h, BYTES, slot(3), 0);
    l.c = hand_tensor(h, BYTES, slot(4), 0);
    l.o0 = hand_tensor(h, BYTES, slot(5), 0);
    l.o1 = hand_tensor(h, BYTES, slot(6), 0);
    l.y0 = hand_tensor(h, BYTES, slot(7), 0);
    l.y1 = hand_tensor(h, BYTES, slot(8), 0);
    l.z = hand_tensor(h, BYTES, slot(9), OUT);
    const uint32_t op = hand_call(h, BERTH_OP_WHILE);
    l.enter =
        hand_step(h, BERTH_STEP_ENTER, op, HAND(l.x0, l.x1), HAND(l.b0, l.b1));
    l.cond = hand_step(h, BERTH_STEP_COND, op, HAND_NONE, HAND_NONE);
    hand_op(h, BERTH_OP_LESS, HAND(l.b0), HAND(l.c));
    l.test = hand_step(h, BERTH_STEP_TEST, op, HAND(l.c), HAND_NONE);
    hand_op(h, BERTH_OP_CONV_2D, HAND(l.b0, l.b1), HAND(l.o0));
    hand_op(h, BERTH_OP_CONV_2D, HAND(l.b1), HAND(l.o1));
    const uint32_t first = swapped ? l.b1 : l.o0;
    const uint32_t second = swapped ? l.b0 : unchanged_b1 ? l.b1 : l.o1;
    l.back = hand_step(h, BERTH_STEP_BACK, op, HAND(first, second),
                       HAND(l.b0, l.b1));
    l.leave =
        hand_step(h, BERTH_STEP_EXIT, op, HAND(l.b0, l.b1), HAND(l.y0, l.y1));
    hand_op(h, BERTH_OP_ADD, HAND(l.y0, l.y1), HAND(l.z));
    hand_pair(h, l.enter, l.back);
    hand_pair(h, l.back, l.enter);
    hand_pair(h, l.test, l.leave);
    return l;
}

static void a_loop_in_places_of_its_own_is_sound(void **state)
{
    (void)state;
    hand *h = fresh();
    (void)make_loop(h, false, false);
    assert_verdict(h, BERTH_OK);
    h = fresh();
    (void)make_loop(h, true, false);
    assert_verdict(h, BERTH_OK);
    h = fresh();
    (void)make_loop(h, false, true);
    assert_verdict(h, BERTH_OK); /* a cycle of equal blocks is swapped */
}

static void a_loop_may_reuse_what_is_dead(void **state)
{
    (void)state;
    hand *h = fresh();
    const loop l = make_loop(h, false, false);
    h->address[l.b0] = h->address[l.x0]; /* x dies at ENTER */
    h->address[l.b1] = h->address[l.x1];
    h->address[l.y0] = h->address[l.b0]; /* b dies at EXIT */
    h->address[l.y1] = h->address[l.b1];
    h->address[l.o0] = h->address[l.c]; /* c dies at TEST */
    assert_verdict(h, BERTH_OK);
    /* b0 is read before o1 is written, and BACK moves o1 before o0. */
    h->address[l.o1] = h->address[l.b0];
    assert_verdict(h, BERTH_OK);
    h->address[l.o0] = h->address[l.b1]; /* b1 is still to be read */
    assert_verdict(h, BERTH_UNSOUND);
}

static void loop_moves_that_cross_are_a_cycle(void **state)
{
    (void)state;
    hand *h = fresh();
    const loop l = make_loop(h, false, false);
    /* o0 is made in b1's old place, o1 in b0's: BACK swaps two blocks. */
    h->address[l.o1] = h->address[l.b0];
    h->address[l.o0] = slot(10);
    assert_verdict(h, BERTH_OK);
    h->address[l.o1] = h->address[l.b0] - 1; /* no longer equal blocks */
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.step, l.back);
}

static void a_value_across_a_loop_survives_every_iteration(void **state)
{
    (void)state;
    hand *h = fresh();
    const loop l = make_loop(h, false, false);
    /* z's operator reads x0, too. */
    hand_op(h, BERTH_OP_CONV_2D, HAND(l.x0), HAND(l.z));
    assert_verdict(h, BERTH_OK);
    h->address[l.o1] = h->address[l.x0];
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.tensor, l.x0);
    assert_int_equal(diag.other, l.o1);
}

static void x_in_the_place_of_a_changing_variable_is_lost(void **state)
{
    (void)state;
    for (int unchanged = 0; unchanged < 2; ++unchanged) {
        hand *h = fresh();
        const loop l = make_loop(h, unchanged != 0, false);
        h->address[l.b1] = h->address[l.x1];
        hand_op(h, BERTH_OP_CONV_2D, HAND(l.x1), HAND(l.z));
        assert_verdict(h, unchanged ? BERTH_OK : BERTH_UNSOUND);
    }
}

/* cond writes c over b1, which the body replaces without reading it: one pass
 * from the top sees nothing wrong, but the loop is left behind cond. */
static void what_exit_moves_must_survive_cond(void **state)
{
    (void)state;
    hand *h = fresh();
    const loop l = make_loop(h, false, false);
    h->schedule.step_count -= 5; /* another body that never reads b1 */
    const uint32_t op = h->steps[l.enter].op;
    hand_op(h, BERTH_OP_CONV_2D, HAND(l.b0), HAND(l.o0));
    hand_op(h, BERTH_OP_CONV_2D, HAND(l.b0), HAND(l.o1));
    const uint32_t back =
        hand_step(h, BERTH_STEP_BACK, op, HAND(l.o0, l.o1), HAND(l.b0, l.b1));
    assert_int_equal(back, l.back);
    hand_step(h, BERTH_STEP_EXIT, op, HAND(l.b0, l.b1), HAND(l.y0, l.y1));
    hand_op(h, BERTH_OP_ADD, HAND(l.y0, l.y1), HAND(l.z));
    hand_pair(h, l.back, l.enter);
    assert_verdict(h, BERTH_OK);
    h->address[l.c] = h->address[l.b1];
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.step, l.test);
    assert_int_equal(diag.tensor, l.b1);
    assert_int_equal(diag.other, l.c);
}

/* In the first iteration b0 and b1 are both x0. A body that copies b1 over b0
 * is right once only. */
static void equal_at_entry_is_not_equal_for_ever(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, BYTES, slot(0), IN);
    const uint32_t b0 = hand_tensor(h, BYTES, slot(1), 0);
    const uint32_t b1 = hand_tensor(h, BYTES, slot(2), 0);
    const uint32_t c = hand_tensor(h, BYTES, slot(3), 0);
    const uint32_t v = hand_tensor(h, BYTES, slot(2), 0); /* over b1 */
    const uint32_t o0 = hand_tensor(h, BYTES, slot(4), 0);
    const uint32_t o1 = hand_tensor(h, BYTES, slot(5), 0);
    const uint32_t y0 = hand_tensor(h, BYTES, slot(6), OUT);
    const uint32_t y1 = hand_tensor(h, BYTES, slot(7), OUT);
    const uint32_t op = hand_call(h, BERTH_OP_WHILE);
    const uint32_t enter =
        hand_step(h, BERTH_STEP_ENTER, op, HAND(x, x), HAND(b0, b1));
    hand_op(h, BERTH_OP_LESS, HAND(b0), HAND(c));
    const uint32_t test = hand_step(h, BERTH_STEP_TEST, op, HAND(c), HAND_NONE);
    hand_op(h, BERTH_OP_RESHAPE, HAND(b0), HAND(v));
    hand_op(h, BERTH_OP_CONV_2D, HAND(v), HAND(o0));
    hand_op(h, BERTH_OP_CONV_2D, HAND(b1), HAND(o1));
    const uint32_t back =
        hand_step(h, BERTH_STEP_BACK, op, HAND(o0, o1), HAND(b0, b1));
    const uint32_t leave =
        hand_step(h, BERTH_STEP_EXIT, op, HAND(b0, b1), HAND(y0, y1));
    hand_pair(h, enter, back);
    hand_pair(h, back, enter);
    hand_pair(h, test, leave);
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.tensor, b1);
    h->address[v] = slot(8);
    assert_verdict(h, BERTH_OK);
}

/* What the body reads at the top of an iteration may not be left from the
 * iteration before. */
static void the_loop_head_forgets(void **state)
{
    (void)state;
    hand *h = fresh();
    const loop l = make_loop(h, false, false);
    /* An outer tensor in o1's place, read inside the loop (as a peer's
     * schedule does, where a body input is the caller's tensor). */
    h->operands[h->operand_count] = l.x1;
    for (uint32_t s = 0; s < h->schedule.step_count; ++s) {
        if (h->steps[s].kind == BERTH_STEP_OP && h->steps[s].writes[0] == l.c) {
            h->steps[s].reads = &h->operands[h->operand_count];
        }
    }
    assert_verdict(h, BERTH_OK);
    h->address[l.o1] = h->address[l.x1];
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.tensor, l.x1);
    assert_int_equal(diag.other, BERTH_NONE); /* an iteration before */
}

static void two_targets_in_one_place_need_one_value(void **state)
{
    (void)state;
    hand *h = fresh();
    const loop l = make_loop(h, false, false);
    h->address[l.b1] = h->address[l.b0];
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.step, l.enter);
}

static void nested_loops_are_sound_and_judged(void **state)
{
    (void)state;
    for (int clash = 0; clash < 2; ++clash) {
        hand *h = fresh();
        const uint32_t x = hand_tensor(h, BYTES, slot(0), IN);
        const uint32_t b = hand_tensor(h, BYTES, slot(1), 0);
        const uint32_t c = hand_tensor(h, BYTES, slot(2), 0);
        const uint32_t ib = hand_tensor(h, BYTES, slot(3), 0);
        const uint32_t ic = hand_tensor(h, BYTES, slot(4), 0);
        const uint32_t io = hand_tensor(h, BYTES, slot(clash ? 1 : 5), 0);
        const uint32_t o = hand_tensor(h, BYTES, slot(6), 0);
        const uint32_t s = hand_tensor(h, BYTES, slot(7), 0);
        const uint32_t y = hand_tensor(h, BYTES, slot(8), OUT);
        const uint32_t outer = hand_call(h, BERTH_OP_WHILE);
        const uint32_t inner = hand_call(h, BERTH_OP_WHILE);
        const uint32_t e =
            hand_step(h, BERTH_STEP_ENTER, outer, HAND(x), HAND(b));
        hand_op(h, BERTH_OP_LESS, HAND(b), HAND(c));
        const uint32_t t =
            hand_step(h, BERTH_STEP_TEST, outer, HAND(c), HAND_NONE);
        const uint32_t ie =
            hand_step(h, BERTH_STEP_ENTER, inner, HAND(b), HAND(ib));
        hand_op(h, BERTH_OP_LESS, HAND(ib), HAND(ic));
        const uint32_t it =
            hand_step(h, BERTH_STEP_TEST, inner, HAND(ic), HAND_NONE);
        hand_op(h, BERTH_OP_CONV_2D, HAND(ib), HAND(io));
        const uint32_t ik =
            hand_step(h, BERTH_STEP_BACK, inner, HAND(io), HAND(ib));
        const uint32_t ix =
            hand_step(h, BERTH_STEP_EXIT, inner, HAND(ib), HAND(o));
        hand_op(h, BERTH_OP_ADD, HAND(o, b), HAND(s)); /* b lives across */
        const uint32_t k =
            hand_step(h, BERTH_STEP_BACK, outer, HAND(s), HAND(b));
        const uint32_t q =
            hand_step(h, BERTH_STEP_EXIT, outer, HAND(b), HAND(y));
        hand_pair(h, e, k);
        hand_pair(h, k, e);
        hand_pair(h, t, q);
        hand_pair(h, ie, ik);
        hand_pair(h, ik, ie);
        hand_pair(h, it, ix);
        assert_verdict(h, clash ? BERTH_UNSOUND : BERTH_OK);
        if (clash) {
            assert_int_equal(diag.tensor, b);
            assert_int_equal(diag.other, io);
        }
    }
}

/* --- branches ----------------------------------------------------------------
 */

/* IF(p, x) -> y; then: a = f(t); else: d = g(e), with `late` read behind. */
typedef struct branch {
    uint32_t p, x, t, a, e, d, y, late, z;
    uint32_t then_exit, else_exit;
} branch;

static branch make_branch(hand *h)
{
    branch b = {0};
    b.p = hand_tensor(h, 1, slot(9), IN);
    b.x = hand_tensor(h, BYTES, slot(0), IN);
    b.late = hand_tensor(h, BYTES, slot(1), IN);
    b.t = hand_tensor(h, BYTES, slot(2), 0);
    b.a = hand_tensor(h, BYTES, slot(3), 0);
    b.e = hand_tensor(h, BYTES, slot(4), 0);
    b.d = hand_tensor(h, BYTES, slot(5), 0);
    b.y = hand_tensor(h, BYTES, slot(6), 0);
    b.z = hand_tensor(h, BYTES, slot(7), OUT);
    const uint32_t op = hand_call(h, BERTH_OP_IF);
    const uint32_t test =
        hand_step(h, BERTH_STEP_TEST, op, HAND(b.p), HAND_NONE);
    const uint32_t then =
        hand_step(h, BERTH_STEP_THEN, op, HAND(b.x), HAND(b.t));
    hand_op(h, BERTH_OP_CONV_2D, HAND(b.t), HAND(b.a));
    b.then_exit = hand_step(h, BERTH_STEP_EXIT, op, HAND(b.a), HAND(b.y));
    const uint32_t other =
        hand_step(h, BERTH_STEP_ELSE, op, HAND(b.x), HAND(b.e));
    hand_op(h, BERTH_OP_CONV_2D, HAND(b.e), HAND(b.d));
    b.else_exit = hand_step(h, BERTH_STEP_EXIT, op, HAND(b.d), HAND(b.y));
    hand_op(h, BERTH_OP_ADD, HAND(b.y, b.late), HAND(b.z));
    hand_pair(h, test, other);
    hand_pair(h, then, b.then_exit);
    hand_pair(h, other, b.else_exit);
    return b;
}

static void branches_may_share_their_bytes(void **state)
{
    (void)state;
    hand *h = fresh();
    const branch b = make_branch(h);
    assert_verdict(h, BERTH_OK);
    h->address[b.e] = h->address[b.t];
    h->address[b.d] = h->address[b.a];
    assert_verdict(h, BERTH_OK);
    h->address[b.e] = h->address[b.x]; /* x dies at ELSE */
    assert_verdict(h, BERTH_OK);
    h->address[b.y] = h->address[b.d]; /* both results in y's own place */
    assert_verdict(h, BERTH_OK);
}

static void then_may_not_eat_what_else_reads(void **state)
{
    (void)state;
    hand *h = fresh();
    const branch b = make_branch(h);
    h->address[b.a] = h->address[b.x];
    assert_verdict(h, BERTH_UNSOUND);
    assert_int_equal(diag.tensor, b.x);
    assert_int_equal(diag.other, b.a);
}

static void either_branch_may_break_what_lives_across(void **state)
{
    (void)state;
    for (int in_else = 0; in_else < 2; ++in_else) {
        hand *h = fresh();
        const branch b = make_branch(h);
        h->address[in_else ? b.d : b.a] = h->address[b.late];
        assert_verdict(h, BERTH_UNSOUND);
        assert_int_equal(diag.tensor, b.late);
        assert_int_equal(diag.other, in_else ? b.d : b.a);
    }
}

/* Both branches hand x through: y is x, and may lie in its place while x is
 * still read. If one of them does not, it may not. */
static void an_output_is_a_view_only_if_both_branches_say_so(void **state)
{
    (void)state;
    for (int both = 0; both < 2; ++both) {
        hand *h = fresh();
        const branch b = make_branch(h);
        h->ops[1].code = BERTH_OP_RESHAPE;
        h->ops[2].code = both ? BERTH_OP_RESHAPE : BERTH_OP_CONV_2D;
        h->address[b.t] = h->address[b.a] = h->address[b.x];
        h->address[b.e] = h->address[b.x];
        h->address[b.d] = both ? h->address[b.x] : slot(5);
        h->address[b.y] = h->address[b.x];
        hand_op(h, BERTH_OP_CONV_2D, HAND(b.x), HAND(b.z));
        assert_verdict(h, both ? BERTH_OK : BERTH_UNSOUND);
    }
}

/* --- calls -------------------------------------------------------------------
 */

static void a_call_may_bind_instead_of_copying(void **state)
{
    (void)state;
    for (int bound = 0; bound < 2; ++bound) {
        hand *h = fresh();
        const uint32_t x = hand_tensor(h, BYTES, slot(0), IN);
        const uint32_t b = hand_tensor(h, BYTES, slot(bound ? 0 : 1), 0);
        const uint32_t v = hand_tensor(h, BYTES, slot(bound ? 0 : 2), 0);
        const uint32_t y = hand_tensor(h, BYTES, slot(bound ? 0 : 3), 0);
        const uint32_t z = hand_tensor(h, BYTES, slot(4), OUT);
        const uint32_t op = hand_call(h, BERTH_OP_STABLEHLO_COMPOSITE);
        hand_step(h, BERTH_STEP_ENTER, op, HAND(x), HAND(b));
        hand_op(h, BERTH_OP_RESHAPE, HAND(b), HAND(v));
        hand_step(h, BERTH_STEP_EXIT, op, HAND(v), HAND(y));
        hand_op(h, BERTH_OP_ADD, HAND(x, y), HAND(z));
        assert_verdict(h, BERTH_OK);
    }
}

static void a_move_runs_into_its_own_source_forward_only(void **state)
{
    (void)state;
    for (uint64_t at = 0; at <= 2 * BYTES; ++at) {
        hand *h = fresh();
        const uint32_t x = hand_tensor(h, BYTES, BYTES, IN);
        const uint32_t b = hand_tensor(h, BYTES, at, OUT);
        const uint32_t op = hand_call(h, BERTH_OP_STABLEHLO_COMPOSITE);
        hand_step(h, BERTH_STEP_ENTER, op, HAND(x), HAND(b));
        assert_verdict(h, at <= BYTES || at == 2 * BYTES ? BERTH_OK
                                                         : BERTH_UNSOUND);
    }
}

static void a_move_of_another_size_makes_another_value(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, BYTES, 0, IN);
    const uint32_t b = hand_tensor(h, BYTES / 2, 0, 0);
    const uint32_t y = hand_tensor(h, BYTES, BYTES, OUT);
    const uint32_t op = hand_call(h, BERTH_OP_STABLEHLO_COMPOSITE);
    hand_step(h, BERTH_STEP_ENTER, op, HAND(x), HAND(b));
    hand_op(h, BERTH_OP_CONV_2D, HAND(x), HAND(y));
    assert_verdict(h, BERTH_UNSOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_in_places_of_its_own_is_sound),
        cmocka_unit_test(a_loop_may_reuse_what_is_dead),
        cmocka_unit_test(loop_moves_that_cross_are_a_cycle),
        cmocka_unit_test(a_value_across_a_loop_survives_every_iteration),
        cmocka_unit_test(x_in_the_place_of_a_changing_variable_is_lost),
        cmocka_unit_test(what_exit_moves_must_survive_cond),
        cmocka_unit_test(equal_at_entry_is_not_equal_for_ever),
        cmocka_unit_test(the_loop_head_forgets),
        cmocka_unit_test(two_targets_in_one_place_need_one_value),
        cmocka_unit_test(nested_loops_are_sound_and_judged),
        cmocka_unit_test(branches_may_share_their_bytes),
        cmocka_unit_test(then_may_not_eat_what_else_reads),
        cmocka_unit_test(either_branch_may_break_what_lives_across),
        cmocka_unit_test(an_output_is_a_view_only_if_both_branches_say_so),
        cmocka_unit_test(a_call_may_bind_instead_of_copying),
        cmocka_unit_test(a_move_runs_into_its_own_source_forward_only),
        cmocka_unit_test(a_move_of_another_size_makes_another_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

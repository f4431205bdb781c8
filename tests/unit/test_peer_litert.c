/* LiteRT's arena, by hand from the rules of its planner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>

#include "peer/peer_int.h"
#include "peer_rig.h"
#include "rig_fixture.h"

static const berth_peer litert = BERTH_PEER_LITERT;

static peer_answer answer;

static uint64_t address_of(uint32_t subgraph, int32_t t)
{
    return answer.address[rig_global(r, subgraph, t)];
}

/* --- lifetimes --------------------------------------------------------- */

static void inputs_and_outputs_are_kept_to_the_end(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t b = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(b));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(address_of(g, x), 0);
    assert_int_equal(address_of(g, a), 64);
    assert_int_equal(address_of(g, b), 128);
    assert_int_equal(address_of(g, y), 64); /* a is given back */
    peer_assert_peak(r, litert, 192);
}

static void what_nobody_reads_is_never_given_back(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t unread = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_SPLIT, MB_INTS(rig_constant(r, g, 4), x),
           MB_INTS(unread, a));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, litert, 256);
}

static void sizes_are_not_rounded_but_offsets_are(void **state)
{
    (void)state;
    const int32_t x = rig_tensor(r, g, 65);
    const int32_t y = rig_tensor(r, g, 3);
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, litert, 131);
}

static void variables_lie_elsewhere(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t v = rig_variable(r, g, N);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_SVDF, MB_INTS(x, v), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, litert, 128);
    peer_ask(r, litert, 0, &answer);
    assert_true(address_of(g, v) == BERTH_NOWHERE);
    assert_int_equal(answer.plan.persistent, N);
}

/* Each begins at a multiple of 64, and the last one pays no padding: of those
 * that stand the highest tensor, but anything smaller that comes later. */
static void the_persistent_arena_is_a_pile(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t first = rig_variable(r, g, 100);
    const int32_t second = rig_variable(r, g, 300);
    rig_op(r, g, BERTH_OP_SVDF, MB_INTS(x, first, second), MB_INTS(y));
    const int32_t handle = rig_handle(r, g);
    rig_op(r, g, BERTH_OP_VAR_HANDLE, MB_NO_INTS, MB_INTS(handle));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(answer.status, BERTH_OK);
    assert_int_equal(answer.plan.persistent, 128 + 320 + 4);
}

/* --- sharing ----------------------------------------------------------- */

/* x -> CONV a -> code(a) -> b -> CONV y; where does b lie? */
static bool shares(uint32_t code, int32_t bytes, bool also_read_later)
{
    rig_free(r);
    r = rig_new();
    g = rig_subgraph(r);
    const int32_t x = tensor();
    const int32_t a = rig_tensor(r, g, bytes);
    const int32_t b = rig_tensor(r, g, bytes);
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, code, MB_INTS(a), MB_INTS(b));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(also_read_later ? a : b),
           MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(y, z));
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(answer.status, BERTH_OK);
    assert_true(answer.plan.sound);
    return address_of(g, a) == address_of(g, b);
}

static void in_place_as_the_kernels_say(void **state)
{
    (void)state;
    assert_true(shares(BERTH_OP_ADD, N, false));
    assert_true(shares(BERTH_OP_SOFTMAX, N, false));
    assert_true(shares(BERTH_OP_RESHAPE, N, false));
    assert_true(shares(BERTH_OP_RESHAPE, N, true));
    assert_true(shares(BERTH_OP_ADD, 5, false));
    assert_false(shares(BERTH_OP_ADD, 4, false)); /* may be broadcast later */
    assert_false(shares(BERTH_OP_ADD, N, true));
    assert_false(shares(BERTH_OP_RELU, N, false));
    assert_false(shares(BERTH_OP_TANH, N, false));
}

static void graph_inputs_and_outputs_are_not_shared(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, litert, 192);
}

/* Neither root nor direct input has another reader, the alias between has. */
static void the_hole_of_the_sharing_rule_is_named(void **state)
{
    (void)state;
    const int32_t in = tensor();
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    const int32_t w = tensor();
    const int32_t out = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(in), MB_INTS(x));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(y), MB_INTS(z));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(z), MB_INTS(w));
    const uint32_t late =
        rig_op(r, g, BERTH_OP_CONCATENATION, MB_INTS(y, w), MB_INTS(out));
    rig_io(r, g, MB_INTS(in), MB_INTS(out));
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(answer.status, BERTH_OK);
    assert_int_equal(address_of(g, x), 64);
    assert_int_equal(address_of(g, y), 64);
    assert_int_equal(address_of(g, z), 64);
    assert_int_equal(address_of(g, w), 64);
    assert_false(answer.plan.sound);
    assert_int_equal(answer.plan.unsound.op, late);
    assert_int_equal(answer.plan.unsound.tensor, rig_global(r, g, y));
    assert_int_equal(answer.plan.unsound.other, rig_global(r, g, w));
    peer_assert_peak(r, BERTH_PEER_TFLM, 192); /* which shares nothing */
}

/* --- calls ------------------------------------------------------------- */

typedef struct loop {
    uint32_t cond;
    uint32_t body;
    int32_t b[2];
    int32_t y[2];
} loop;

/* WHILE(x0, x1) -> y0, y1, which CONCATENATION reads if `read`. The body makes
 * o0 from both and hands on what `order` says: indexes of {o0, b0, b1}. */
static loop make_loop(int first, int second, bool read)
{
    loop l = {rig_subgraph(r), rig_subgraph(r), {0}, {0}};
    const int32_t c0 = rig_tensor(r, l.cond, N);
    const int32_t c1 = rig_tensor(r, l.cond, N);
    const int32_t c = rig_tensor(r, l.cond, 1);
    rig_op(r, l.cond, BERTH_OP_CONV_2D, MB_INTS(c0), MB_INTS(c));
    rig_io(r, l.cond, MB_INTS(c0, c1), MB_INTS(c));
    l.b[0] = rig_tensor(r, l.body, N);
    l.b[1] = rig_tensor(r, l.body, N);
    const int32_t o0 = rig_tensor(r, l.body, N);
    rig_op(r, l.body, BERTH_OP_ADD, MB_INTS(l.b[0], l.b[1]), MB_INTS(o0));
    const int32_t choice[] = {o0, l.b[0], l.b[1]};
    rig_io(r, l.body, MB_INTS(l.b[0], l.b[1]),
           MB_INTS(choice[first], choice[second]));
    const int32_t x0 = tensor();
    const int32_t x1 = tensor();
    l.y[0] = tensor();
    l.y[1] = tensor();
    const int32_t z = tensor();
    rig_while(r, g, l.cond, l.body, MB_INTS(x0, x1), MB_INTS(l.y[0], l.y[1]));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(l.y[0], read ? l.y[1] : -1),
           MB_INTS(z));
    rig_io(r, g, MB_INTS(x0, x1), MB_INTS(z));
    return l;
}

static void a_loop_binds_its_body_to_the_caller(void **state)
{
    (void)state;
    const loop l = make_loop(0, 2, true);
    /* main: x0 x1 y0 y1 z, all at once at node 1: 5; cond: c0 64, c; body: o0.
     * c1 is not read, so it is dropped. */
    peer_assert_peak(r, litert, 5 * 64 + (64 + 1) + 64);
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(answer.plan.arena_count, 3);
    assert_true(address_of(l.body, l.b[0]) == BERTH_NOWHERE);
    assert_true(address_of(l.cond, 1) == BERTH_NOWHERE);
}

static void an_output_handed_through_for_nobody_is_dropped(void **state)
{
    (void)state;
    const loop l = make_loop(0, 2, false);
    peer_assert_peak(r, litert, 4 * 64 + (64 + 1) + 64);
    peer_ask(r, litert, 0, &answer);
    assert_true(address_of(g, l.y[1]) == BERTH_NOWHERE);
}

static void a_loop_that_swaps_its_variables_is_unsound(void **state)
{
    (void)state;
    const loop l = make_loop(2, 1, true);
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(answer.status, BERTH_OK);
    assert_false(answer.plan.sound);
    assert_int_equal(answer.plan.unsound.tensor, rig_global(r, l.body, l.b[0]));
    assert_int_equal(answer.plan.unsound.other, rig_global(r, g, l.y[0]));
    peer_ask(r, BERTH_PEER_TFLM, 0, &answer);
    assert_true(answer.plan.sound); /* its body has bytes of its own */
}

static void a_loop_that_shifts_down_is_sound(void **state)
{
    (void)state;
    (void)make_loop(2, 0, true); /* b1 -> y0 before o0 -> y1 */
    peer_ask(r, litert, 0, &answer);
    assert_true(answer.plan.sound);
}

static void branches_bind_their_inputs_and_keep_arenas_apart(void **state)
{
    (void)state;
    uint32_t branch[2];
    for (int i = 0; i < 2; ++i) {
        branch[i] = rig_subgraph(r);
        const int32_t b = rig_tensor(r, branch[i], N);
        const int32_t a = rig_tensor(r, branch[i], 100);
        const int32_t o = rig_tensor(r, branch[i], N);
        rig_op(r, branch[i], BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(a));
        rig_op(r, branch[i], BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(o));
        rig_io(r, branch[i], MB_INTS(b), MB_INTS(o));
    }
    const int32_t p = rig_tensor(r, g, 1);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_if(r, g, branch[0], branch[1], MB_INTS(p, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(p, x), MB_INTS(y));
    /* main: p x y; each branch: a 100 at 0, o at 128. */
    peer_assert_peak(r, litert, 192 + 2 * 192);
}

/* The second branch names its result twice, or hands its input on. */
static void a_result_that_is_named_twice_is_lost_once(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; ++twice) {
        rig_free(r);
        r = rig_new();
        g = rig_subgraph(r);
        uint32_t branch[2];
        for (int i = 0; i < 2; ++i) {
            branch[i] = rig_subgraph(r);
            const int32_t b = rig_tensor(r, branch[i], N);
            const int32_t o = rig_tensor(r, branch[i], N);
            rig_op(r, branch[i], BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(o));
            rig_io(r, branch[i], MB_INTS(b),
                   MB_INTS(o, twice && i == 1 ? o : b));
        }
        const int32_t p = rig_tensor(r, g, 1);
        const int32_t x = tensor();
        const int32_t y = tensor();
        const int32_t z = tensor();
        rig_if(r, g, branch[0], branch[1], MB_INTS(p, x), MB_INTS(y, z));
        rig_io(r, g, MB_INTS(p, x), MB_INTS(y, z));
        peer_ask(r, litert, 0, &answer);
        assert_int_equal(answer.status, BERTH_OK);
        assert_int_equal(answer.plan.sound, !twice);
        if (twice) {
            assert_int_equal(answer.plan.unsound.tensor, rig_global(r, g, y));
            assert_int_equal(answer.plan.unsound.other, rig_global(r, g, z));
        }
    }
}

static void call_once_and_other_signatures_cost_nothing(void **state)
{
    (void)state;
    const uint32_t once = rig_subgraph(r);
    const int32_t k = rig_constant(r, once, N);
    const int32_t a = rig_tensor(r, once, N);
    rig_op(r, once, BERTH_OP_CONV_2D, MB_INTS(k), MB_INTS(a));
    rig_io(r, once, MB_NO_INTS, MB_NO_INTS);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_call_once(r, g, once);
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, litert, 128);
}

/* --- where Prepare stops ----------------------------------------------- */

static void a_dynamic_tensor_has_no_number(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    const uint32_t where = rig_op(r, g, BERTH_OP_WHERE, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_ask(r, litert, 0, &answer);
    assert_int_equal(answer.status, BERTH_UNBOUNDED);
    assert_int_equal(answer.diag.op, where);
    assert_int_equal(answer.diag.tensor, rig_global(r, g, y));
}

static void a_computed_shape_ends_the_plan_there(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t s = rig_tensor(r, g, 16);
    const int32_t a = tensor();
    const int32_t b = rig_tensor(r, g, 1000);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(s));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x, s), MB_INTS(a));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(b));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, litert, 64 + 64 + 16); /* x, a, s: b comes later */
}

/* --- lent memory ------------------------------------------------------- */

static void any_smaller_loan_is_refused_cleanly(void **state)
{
    (void)state;
    (void)make_loop(0, 2, true);
    rig_graph(r);
    for (int peer = 0; peer < BERTH_PEER_COUNT; ++peer) {
        size_t need = 0;
        assert_int_equal(berth_peer_bytes(&r->graph, &r->shapes, 0,
                                          (berth_peer)peer, &need, NULL),
                         BERTH_OK);
        for (size_t lent = 0; lent <= need; lent += lent + 97 < need ? 97 : 1) {
            uint8_t *memory = malloc(lent + 1);
            assert_non_null(memory);
            uint64_t address[PEER_RIG_TENSORS];
            memset(address, 7, sizeof address);
            berth_peer_plan plan = {.peak = 7, .address = address};
            berth_diag diag = berth_diag_none();
            const berth_status status =
                berth_peer_solve(&r->graph, &r->shapes, 0, (berth_peer)peer,
                                 berth_work_of(memory + 1, lent), &plan, &diag);
            assert_int_equal(status, lent < need ? BERTH_NO_SPACE : BERTH_OK);
            if (lent < need) {
                assert_int_equal(diag.needed_bytes, need);
                assert_int_equal(plan.peak, 7);
                assert_true(address[0] == 0x0707070707070707u);
            }
            free(memory);
        }
    }
}

/* What peers reserve for the planner is enough, whatever it asks for. */
static void the_planner_never_asks_for_more_than_is_reserved(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 70000; n = n < 130 ? n + 1 : n * 2 - 3) {
        berth_item *items = calloc(n + 1, sizeof *items);
        assert_non_null(items);
        for (uint32_t i = 0; i < n; ++i) {
            items[i].span_count = 1;
        }
        const berth_problem problem = {
            .items = items, .item_count = n, .span_count = n, .step_count = n};
        const berth_plan_options options = {.strategy = BERTH_STRATEGY_TFLITE};
        size_t reserved = 0;
        size_t asked = 0;
        assert_true(peer_arena_need(&reserved, n));
        assert_int_equal(berth_plan_bytes(&problem, &options, &asked, NULL),
                         BERTH_OK);
        assert_true(asked <= reserved);
        free(items);
    }
}

static void subgraphs_that_are_not_there_are_the_callers_fault(void **state)
{
    (void)state;
    const int32_t x = tensor();
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    peer_ask(r, litert, 1, &answer);
    assert_int_equal(answer.status, BERTH_BAD_ARG);
    peer_assert_peak(r, litert, 64);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inputs_and_outputs_are_kept_to_the_end),
        TEST(what_nobody_reads_is_never_given_back),
        TEST(sizes_are_not_rounded_but_offsets_are),
        TEST(variables_lie_elsewhere),
        TEST(the_persistent_arena_is_a_pile),
        TEST(in_place_as_the_kernels_say),
        TEST(graph_inputs_and_outputs_are_not_shared),
        TEST(the_hole_of_the_sharing_rule_is_named),
        TEST(a_loop_binds_its_body_to_the_caller),
        TEST(an_output_handed_through_for_nobody_is_dropped),
        TEST(a_loop_that_swaps_its_variables_is_unsound),
        TEST(a_loop_that_shifts_down_is_sound),
        TEST(branches_bind_their_inputs_and_keep_arenas_apart),
        TEST(a_result_that_is_named_twice_is_lost_once),
        TEST(call_once_and_other_signatures_cost_nothing),
        TEST(a_dynamic_tensor_has_no_number),
        TEST(a_computed_shape_ends_the_plan_there),
        TEST(any_smaller_loan_is_refused_cleanly),
        TEST(the_planner_never_asks_for_more_than_is_reserved),
        TEST(subgraphs_that_are_not_there_are_the_callers_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* TFLM's head without scratch, by hand from the rules of its planner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "peer_rig.h"
#include "rig_fixture.h"

static const berth_peer tflm = BERTH_PEER_TFLM;

static peer_answer answer;

static uint64_t address_of(uint32_t subgraph, int32_t t)
{
    return answer.address[rig_global(r, subgraph, t)];
}

/* x0 -> x1 -> ... by convolutions; sizes by tensor. */
static void chain(const int32_t *bytes, int32_t count)
{
    int32_t before = rig_tensor(r, g, bytes[0]);
    const int32_t first = before;
    for (int32_t i = 1; i < count; ++i) {
        const int32_t next = rig_tensor(r, g, bytes[i]);
        rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(before), MB_INTS(next));
        before = next;
    }
    rig_io(r, g, MB_INTS(first), MB_INTS(before));
}

/* The head of the visual wake words model: a third too much. */
static void greedy_as_it_is(void **state)
{
    (void)state;
    chain((const int32_t[]){27648, 18432, 18432, 36864}, 4);
    peer_assert_peak(r, tflm, 73728);
    peer_ask(r, tflm, 0, &answer);
    assert_int_equal(answer.plan.bound, 55296);
    assert_int_equal(answer.plan.proof, BERTH_PROOF_OPEN);
    assert_int_equal(answer.plan.arena_count, 1);
}

static void sizes_are_rounded_up_to_sixteen(void **state)
{
    (void)state;
    chain((const int32_t[]){1, 17, 3}, 3);
    peer_assert_peak(r, tflm, 48);
}

static void unread_outputs_die_at_once(void **state)
{
    (void)state;
    const int32_t x = rig_tensor(r, g, N);
    const int32_t unread = rig_tensor(r, g, N);
    const int32_t a = rig_tensor(r, g, N);
    const int32_t y = rig_tensor(r, g, N);
    rig_op(r, g, BERTH_OP_SPLIT, MB_INTS(x), MB_INTS(unread, a));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, tflm, 3 * N);
}

static void handles_and_variables_are_not_planned(void **state)
{
    (void)state;
    const int32_t h = rig_handle(r, g);
    const int32_t v = rig_variable(r, g, N);
    const int32_t x = rig_tensor(r, g, N);
    const int32_t y = rig_tensor(r, g, N);
    rig_var_handle(r, g, "", "state", h);
    rig_op(r, g, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(h, x), MB_NO_INTS);
    rig_op(r, g, BERTH_OP_SVDF, MB_INTS(x, v), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    peer_assert_peak(r, tflm, 2 * N);
    peer_ask(r, tflm, 0, &answer);
    assert_true(address_of(g, h) == BERTH_NOWHERE);
    assert_true(address_of(g, v) == BERTH_NOWHERE);
}

static void subgraphs_that_nobody_enters_add_their_plain_sum(void **state)
{
    (void)state;
    const uint32_t other = rig_subgraph(r);
    const int32_t a = rig_tensor(r, other, 100);
    const int32_t b = rig_tensor(r, other, 100);
    rig_op(r, other, BERTH_OP_CONV_2D, MB_INTS(a), MB_INTS(b));
    rig_io(r, other, MB_INTS(a), MB_INTS(b));
    chain((const int32_t[]){N, N, N}, 3);
    /* Not beside those of the first signature: at other times. */
    peer_assert_peak(r, tflm, 2 * 112);
}

static void a_body_called_twice_lives_from_first_to_last(void **state)
{
    (void)state;
    const uint32_t branch = rig_subgraph(r);
    const int32_t b = rig_tensor(r, branch, N);
    const int32_t o = rig_tensor(r, branch, N);
    rig_op(r, branch, BERTH_OP_CONV_2D, MB_INTS(b), MB_INTS(o));
    rig_io(r, branch, MB_INTS(b), MB_INTS(o));
    const int32_t p = rig_tensor(r, g, 16);
    const int32_t x = rig_tensor(r, g, N);
    const int32_t y = rig_tensor(r, g, N);
    const int32_t m = rig_tensor(r, g, N);
    const int32_t z = rig_tensor(r, g, N);
    rig_if(r, g, branch, branch, MB_INTS(p, x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(m));
    rig_if(r, g, branch, branch, MB_INTS(p, m), MB_INTS(z));
    rig_io(r, g, MB_INTS(p, x), MB_INTS(z));
    /* p + b + o for ever, and two of x y m z at a time. */
    peer_assert_peak(r, tflm, 16 + 4 * N);
}

static void strings_have_no_size(void **state)
{
    (void)state;
    const int32_t x =
        mb_tensor(r->builder, g,
                  (mb_tensor_spec){
                      .name = "s", .type = BERTH_STRING, .shape = MB_INTS(1)});
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    peer_ask(r, tflm, 0, &answer);
    assert_int_equal(answer.status, BERTH_UNBOUNDED);
    assert_int_equal(answer.diag.tensor, rig_global(r, g, x));
}

static void four_bit_elements_take_a_byte_each(void **state)
{
    (void)state;
    const int32_t x =
        mb_tensor(r->builder, g,
                  (mb_tensor_spec){
                      .name = "x", .type = BERTH_INT4, .shape = MB_INTS(5, 8)});
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    peer_assert_peak(r, tflm, 48);
    peer_assert_peak(r, BERTH_PEER_LITERT, 20); /* LiteRT packs them */
}

/* --- offline plans ----------------------------------------------------- */

static void offline(const int32_t *words, size_t count)
{
    mb_metadata(r->builder, "OfflineMemoryAllocation", words,
                count * sizeof *words);
}

static void offline_offsets_are_obeyed(void **state)
{
    (void)state;
    chain((const int32_t[]){N, N, N}, 3);
    offline((const int32_t[]){0, 1, 3, 200, -1, 40}, 6);
    peer_ask(r, tflm, 0, &answer);
    assert_int_equal(answer.status, BERTH_OK);
    assert_int_equal(address_of(g, 0), 200);
    assert_int_equal(address_of(g, 2), 40);
    assert_int_equal(address_of(g, 1), 104); /* not aligned: TFLM is not */
    assert_int_equal(answer.plan.peak, 264);
    assert_true(answer.plan.sound);
}

static void an_offline_plan_that_overlaps_is_taken_and_judged(void **state)
{
    (void)state;
    for (int in_place = 0; in_place < 2; ++in_place) {
        rig_free(r);
        r = rig_new();
        g = rig_subgraph(r);
        const int32_t x = rig_tensor(r, g, N);
        const int32_t y = rig_tensor(r, g, N);
        const int32_t z = rig_tensor(r, g, N);
        rig_op(r, g, in_place ? BERTH_OP_RESHAPE : BERTH_OP_CONV_2D, MB_INTS(x),
               MB_INTS(y));
        rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(z));
        rig_io(r, g, MB_INTS(x), MB_INTS(z));
        offline((const int32_t[]){0, 1, 3, 0, 0, -1}, 6);
        peer_ask(r, tflm, 0, &answer);
        assert_int_equal(answer.status, BERTH_OK);
        assert_int_equal(answer.plan.peak, 2 * N);
        assert_int_equal(answer.plan.sound, in_place);
    }
}

static void an_offline_plan_of_another_size_is_refused(void **state)
{
    (void)state;
    chain((const int32_t[]){N, N, N}, 3);
    offline((const int32_t[]){0, 1, 2, 0, 64}, 5);
    peer_ask(r, tflm, 0, &answer);
    assert_int_equal(answer.status, BERTH_UNSUPPORTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(greedy_as_it_is),
        TEST(sizes_are_rounded_up_to_sixteen),
        TEST(unread_outputs_die_at_once),
        TEST(handles_and_variables_are_not_planned),
        TEST(subgraphs_that_nobody_enters_add_their_plain_sum),
        TEST(a_body_called_twice_lives_from_first_to_last),
        TEST(strings_have_no_size),
        TEST(four_bit_elements_take_a_byte_each),
        TEST(offline_offsets_are_obeyed),
        TEST(an_offline_plan_that_overlaps_is_taken_and_judged),
        TEST(an_offline_plan_of_another_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

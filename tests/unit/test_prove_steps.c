/* The second judge on plain steps: reads, views, running in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

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

static void assert_unsound(hand *h, uint32_t step, uint32_t tensor,
                           uint32_t other)
{
    assert_int_equal(hand_prove(h, &diag), BERTH_UNSOUND);
    assert_int_equal(diag.step, step);
    assert_int_equal(diag.tensor, tensor);
    assert_int_equal(diag.other, other);
    assert_true(diag.what[0] != '\0');
}

static void chain_with_reuse_is_sound(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t a = hand_tensor(h, 32, 16, 0);
    const uint32_t y = hand_tensor(h, 16, 0, OUT);
    hand_op(h, BERTH_OP_CONV_2D, HAND(x), HAND(a));
    hand_op(h, BERTH_OP_CONV_2D, HAND(a), HAND(y));
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
}

static void early_death_is_found_with_reader_and_culprit(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t a = hand_tensor(h, 16, 16, 0);
    const uint32_t b = hand_tensor(h, 8, 8, 0); /* over the end of x */
    const uint32_t y = hand_tensor(h, 16, 32, OUT);
    hand_op(h, BERTH_OP_CONV_2D, HAND(x), HAND(a));
    hand_op(h, BERTH_OP_CONV_2D, HAND(a), HAND(b));
    const uint32_t add = hand_op(h, BERTH_OP_ADD, HAND(x, b), HAND(y));
    assert_unsound(h, 2, x, b);
    assert_int_equal(diag.op, add);
}

static void output_must_last_to_the_end(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t y = hand_tensor(h, 16, 16, OUT);
    const uint32_t z = hand_tensor(h, 4, 20, 0); /* nobody reads it */
    hand_op(h, BERTH_OP_CONV_2D, HAND(x), HAND(y));
    hand_op(h, BERTH_OP_CONV_2D, HAND(x), HAND(z));
    assert_unsound(h, 2, y, z);
    assert_int_equal(diag.op, BERTH_NONE);
}

static void inputs_may_not_overlap(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t y = hand_tensor(h, 16, 15, IN);
    hand_tensor(h, 0, 3, IN); /* no bytes, meets nobody */
    assert_unsound(h, BERTH_NONE, x, y);
}

static void reading_what_nobody_wrote_is_unsound_unless_orphan(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t a = hand_tensor(h, 16, 0, 0);
    const uint32_t y = hand_tensor(h, 16, 16, OUT);
    hand_op(h, BERTH_OP_CONV_2D, HAND(a), HAND(y));
    assert_unsound(h, 0, a, BERTH_NONE);
    h->tensors[a].flags = BERTH_TENSOR_ORPHAN;
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
}

static void absent_and_placeless_operands_are_skipped(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t w = hand_tensor(h, 99, BERTH_NOWHERE, 0);
    const uint32_t d = hand_tensor(h, 0, 0, 0);
    const uint32_t y = hand_tensor(h, 16, 16, OUT);
    h->of[d].state = BERTH_SHAPE_DYNAMIC;
    h->of[d].bytes = BERTH_NOWHERE;
    hand_op(h, BERTH_OP_CONV_2D, HAND(x, w, BERTH_NONE), HAND(y, d));
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
}

static void variables_are_whole_before_and_after(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t v = hand_tensor(h, 16, 0, BERTH_TENSOR_VARIABLE);
    const uint32_t y = hand_tensor(h, 16, 16, OUT);
    const uint32_t z = hand_tensor(h, 16, 15, 0);
    hand_op(h, BERTH_OP_SVDF, HAND(v), HAND(y));
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
    hand_op(h, BERTH_OP_CONV_2D, HAND_NONE, HAND(z));
    h->tensors[y].flags = 0;
    assert_unsound(h, 2, v, z);
}

static void two_outputs_of_one_operator_may_not_overlap(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t a = hand_tensor(h, 8, 16, 0);
    const uint32_t b = hand_tensor(h, 8, 23, 0);
    hand_op(h, BERTH_OP_SPLIT, HAND(x), HAND(a, b));
    assert_unsound(h, 0, a, b);
}

static void addresses_near_the_end_of_all_are_refused(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, UINT64_MAX - 15, IN);
    assert_int_equal(hand_prove(h, &diag), BERTH_TOO_LARGE);
    assert_int_equal(diag.tensor, x);
    h->address[x] = UINT64_MAX - 16;
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
}

/* --- in place ---------------------------------------------------------------
 */

/* x at 32; y of the same shape at `address`; verdict of op(x) -> y. */
static berth_status in_place(uint32_t code, uint64_t address)
{
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 32, IN);
    const uint32_t y = hand_tensor(h, 16, address, OUT);
    hand_op(h, code, HAND(x), HAND(y));
    return hand_prove(h, &diag);
}

static void in_place_runs_to_the_left_only(void **state)
{
    (void)state;
    for (uint64_t address = 0; address <= 64; ++address) {
        const bool apart = address <= 16 || address >= 48;
        const bool left = address <= 32;
        assert_int_equal(in_place(BERTH_OP_LOGISTIC, address),
                         apart || left ? BERTH_OK : BERTH_UNSOUND);
        assert_int_equal(in_place(BERTH_OP_CONV_2D, address),
                         apart ? BERTH_OK : BERTH_UNSOUND);
        assert_int_equal(in_place(BERTH_OP_RESHAPE, address),
                         apart || address == 32 ? BERTH_OK : BERTH_UNSOUND);
        /* copied forward, then changed */
        assert_int_equal(in_place(BERTH_OP_DYNAMIC_UPDATE_SLICE, address),
                         apart || left ? BERTH_OK : BERTH_UNSOUND);
    }
}

static void in_place_needs_the_outputs_shape_and_element(void **state)
{
    (void)state;
    assert_int_equal(in_place(BERTH_OP_LOGISTIC, 32), BERTH_OK);
    world.tensors[1].type = BERTH_INT16;
    assert_int_equal(hand_prove(&world, &diag), BERTH_UNSOUND);
    world.tensors[1].type = BERTH_UINT8; /* as wide */
    assert_int_equal(hand_prove(&world, &diag), BERTH_OK);
    world.dims[1] = 15; /* another shape */
    assert_int_equal(hand_prove(&world, &diag), BERTH_UNSOUND);
    world.dims[1] = 16;
    world.of[1].bytes = 15;
    assert_int_equal(hand_prove(&world, &diag), BERTH_UNSOUND);
}

static void in_place_kills_every_other_reader(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t y = hand_tensor(h, 16, 0, 0);
    const uint32_t z = hand_tensor(h, 16, 16, OUT);
    hand_op(h, BERTH_OP_LOGISTIC, HAND(x), HAND(y));
    hand_op(h, BERTH_OP_ADD, HAND(x, y), HAND(z));
    assert_unsound(h, 1, x, y);
}

static void a_partial_overlap_spares_the_rest_of_the_input(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 8, 0);
    const uint32_t seed = hand_tensor(h, 1, 100, IN);
    const uint32_t y = hand_tensor(h, 16, 0, OUT);
    hand_op(h, BERTH_OP_CONV_2D, HAND(seed), HAND(x));
    hand_op(h, BERTH_OP_LOGISTIC, HAND(x), HAND(y));
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
}

static void both_inputs_of_an_addition_count(void **state)
{
    (void)state;
    for (uint64_t at = 0; at <= 48; ++at) {
        hand *h = fresh();
        const uint32_t a = hand_tensor(h, 16, 16, IN);
        const uint32_t b = hand_tensor(h, 16, 32, IN);
        const uint32_t y = hand_tensor(h, 16, at, OUT);
        hand_op(h, BERTH_OP_ADD, HAND(a, b), HAND(y));
        assert_int_equal(hand_prove(h, &diag),
                         at <= 16 || at % 16 == 0 ? BERTH_OK : BERTH_UNSOUND);
    }
}

/* The hole in LiteRT's rule (planners.md 1.9): x, y, z, w all in one place,
 * and y has a reader behind w. */
static void views_and_in_place_together(void **state)
{
    (void)state;
    for (int late_reader = 0; late_reader < 2; ++late_reader) {
        hand *h = fresh();
        const uint32_t g = hand_tensor(h, 16, 0, IN);
        const uint32_t x = hand_tensor(h, 16, 64, 0);
        const uint32_t y = hand_tensor(h, 16, 64, 0);
        const uint32_t z = hand_tensor(h, 16, 64, 0);
        const uint32_t w = hand_tensor(h, 16, 64, 0);
        const uint32_t out = hand_tensor(h, 16, 128, OUT);
        hand_op(h, BERTH_OP_CONV_2D, HAND(g), HAND(x));
        hand_op(h, BERTH_OP_RESHAPE, HAND(x), HAND(y));
        hand_op(h, BERTH_OP_RESHAPE, HAND(y), HAND(z));
        hand_op(h, BERTH_OP_ADD, HAND(z, g), HAND(w));
        const uint32_t other = late_reader ? y : g;
        hand_op(h, BERTH_OP_MUL, HAND(other, w), HAND(out));
        if (late_reader) {
            assert_unsound(h, 4, y, w);
        } else {
            assert_int_equal(hand_prove(h, &diag), BERTH_OK);
        }
    }
}

static void a_view_that_is_copied_is_a_place_of_its_own(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t y = hand_tensor(h, 16, 16, 0);
    const uint32_t a = hand_tensor(h, 16, 0, 0); /* over x, not over y */
    const uint32_t z = hand_tensor(h, 16, 32, OUT);
    hand_op(h, BERTH_OP_RESHAPE, HAND(x), HAND(y));
    hand_op(h, BERTH_OP_CONV_2D, HAND(y), HAND(a));
    hand_op(h, BERTH_OP_ADD, HAND(y, a), HAND(z));
    assert_int_equal(hand_prove(h, &diag), BERTH_OK);
}

/* RESHAPE of a tensor to the shape that the same tensor holds: nothing in its
 * place changes, so the second reading of it loses nothing either. */
static void a_view_may_read_its_source_twice(void **state)
{
    (void)state;
    for (uint32_t at = 0; at <= 16;
         at += 8) { /* on it, over half of it, behind */
        hand *h = fresh();
        const uint32_t x = hand_tensor(h, 16, 0, IN);
        const uint32_t y = hand_tensor(h, 16, at, OUT);
        hand_op(h, BERTH_OP_RESHAPE, HAND(x, x), HAND(y));
        if (at == 8) {
            assert_unsound(h, 0, x, y);
        } else {
            assert_int_equal(hand_prove(h, &diag), BERTH_OK);
        }
    }
}

/* --- against a slow judge that watches single bytes --------------------------
 */

enum { BYTES = 48, NAMES = 10, WORLDS = 60000 };

typedef struct byte_of {
    uint32_t value; /* 0: junk */
    uint32_t index;
} byte_of;

static byte_of memory[BYTES];

static bool byte_is(uint32_t t, uint32_t value, uint32_t i)
{
    const byte_of *b = &memory[world.address[t] + i];
    return b->value == value && b->index == i;
}

static bool whole(uint32_t t, uint32_t value)
{
    bool all = value != 0;
    for (uint32_t i = 0; i < world.of[t].bytes; ++i) {
        all = all && byte_is(t, value, i);
    }
    return all;
}

static void put(uint32_t t, uint32_t value)
{
    for (uint32_t i = 0; i < world.of[t].bytes; ++i) {
        memory[world.address[t] + i] = (byte_of){value, i};
    }
}

static bool apart(uint32_t a, uint32_t b)
{
    return world.address[a] + world.of[a].bytes <= world.address[b] ||
           world.address[b] + world.of[b].bytes <= world.address[a];
}

/* One operator, element by element where it may run in place. */
static bool slow_op(const berth_step *step, uint32_t *value, uint32_t next)
{
    const uint32_t code = world.ops[step->op].code;
    const uint32_t y = step->writes[0];
    const bool rows = code == BERTH_OP_ADD || code == BERTH_OP_LOGISTIC;
    bool by_rows = rows;
    for (uint32_t i = 0; i < step->read_count; ++i) {
        const uint32_t x = step->reads[i];
        if (!whole(x, value[x])) {
            return false;
        }
        const bool same_size = world.of[x].bytes == world.of[y].bytes;
        const bool same_spot = world.address[x] == world.address[y];
        if (!apart(x, y)) {
            by_rows = by_rows && same_size;
            if (!by_rows &&
                !(code == BERTH_OP_RESHAPE && same_size && same_spot)) {
                return false;
            }
        }
    }
    if (code == BERTH_OP_RESHAPE &&
        world.of[step->reads[0]].bytes == world.of[y].bytes) {
        value[y] = value[step->reads[0]];
        put(y, value[y]);
        return true;
    }
    for (uint32_t r = 0; by_rows && r < world.of[y].bytes; ++r) {
        for (uint32_t i = 0; i < step->read_count; ++i) {
            const uint32_t x = step->reads[i];
            if (!apart(x, y) && !byte_is(x, value[x], r)) {
                return false;
            }
        }
        memory[world.address[y] + r] = (byte_of){next, r};
    }
    value[y] = next;
    put(y, next);
    return true;
}

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

static void random_world(uint64_t seed)
{
    static const uint32_t codes[] = {BERTH_OP_ADD, BERTH_OP_LOGISTIC,
                                     BERTH_OP_RESHAPE, BERTH_OP_CONV_2D};
    hand *h = fresh();
    const uint32_t ops = 2 + random_below(&seed, 6);
    hand_tensor(h, 4 + 4 * random_below(&seed, 2),
                random_below(&seed, BYTES - 8), IN);
    for (uint32_t i = 0; i < ops; ++i) {
        const uint32_t a = random_below(&seed, i + 1);
        const uint32_t b = random_below(&seed, i + 1);
        /* Often in the place of an operand, or beside it. */
        uint64_t at = random_below(&seed, BYTES - 8);
        if (random_below(&seed, 3) == 0) {
            at = h->address[a];
        }
        const uint32_t y =
            hand_tensor(h, 4 + 4 * random_below(&seed, 2), at, 0);
        const uint32_t code = codes[random_below(&seed, 4)];
        if (code == BERTH_OP_ADD) {
            hand_op(h, code, HAND(a, b), HAND(y));
        } else {
            hand_op(h, code, HAND(a), HAND(y));
        }
    }
    h->tensors[ops].flags = OUT;
}

static bool slow_judge(void)
{
    uint32_t value[NAMES] = {1};
    memset(memory, 0, sizeof memory);
    put(0, 1);
    for (uint32_t s = 0; s < world.schedule.step_count; ++s) {
        if (!slow_op(&world.steps[s], value, s + 2)) {
            return false;
        }
    }
    const uint32_t last = world.graph.tensor_count - 1;
    return whole(last, value[last]);
}

static void agrees_with_a_judge_of_single_bytes(void **state)
{
    (void)state;
    uint32_t sound = 0;
    for (uint64_t seed = 1; seed <= WORLDS; ++seed) {
        random_world(seed);
        const bool expected = slow_judge();
        const berth_status status = hand_prove(&world, &diag);
        if (status != (expected ? BERTH_OK : BERTH_UNSOUND)) {
            fail_msg("seed %llu: %s", (unsigned long long)seed,
                     berth_status_name(status));
        }
        sound += expected;
    }
    print_message("%u of %u random placements sound\n", sound, WORLDS);
    assert_true(sound > WORLDS / 50 && sound < WORLDS / 2);
}

/* --- lent memory ------------------------------------------------------------
 */

static void any_smaller_loan_is_refused_cleanly(void **state)
{
    (void)state;
    hand *h = fresh();
    const uint32_t x = hand_tensor(h, 16, 0, IN);
    const uint32_t y = hand_tensor(h, 16, 16, OUT);
    hand_op(h, BERTH_OP_CONV_2D, HAND(x), HAND(y));
    size_t need = 0;
    assert_int_equal(berth_prove_bytes(&h->graph, &h->schedule, &need, NULL),
                     BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *bytes = malloc(lent + 1); /* never NULL */
        assert_non_null(bytes);
        const berth_status status =
            berth_prove(&h->graph, &h->shapes, &h->schedule, h->address,
                        berth_work_of(bytes + 1, lent), &diag);
        assert_int_equal(status, lent < need ? BERTH_NO_SPACE : BERTH_OK);
        if (lent < need) {
            assert_int_equal(diag.needed_bytes, need);
            assert_int_equal(diag.limit_bytes, lent);
        }
        free(bytes);
    }
}

static void an_empty_graph_is_sound(void **state)
{
    (void)state;
    assert_int_equal(hand_prove(fresh(), &diag), BERTH_OK);
    assert_int_equal(hand_prove(fresh(), NULL), BERTH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_with_reuse_is_sound),
        cmocka_unit_test(early_death_is_found_with_reader_and_culprit),
        cmocka_unit_test(output_must_last_to_the_end),
        cmocka_unit_test(inputs_may_not_overlap),
        cmocka_unit_test(reading_what_nobody_wrote_is_unsound_unless_orphan),
        cmocka_unit_test(absent_and_placeless_operands_are_skipped),
        cmocka_unit_test(variables_are_whole_before_and_after),
        cmocka_unit_test(two_outputs_of_one_operator_may_not_overlap),
        cmocka_unit_test(addresses_near_the_end_of_all_are_refused),
        cmocka_unit_test(in_place_runs_to_the_left_only),
        cmocka_unit_test(in_place_needs_the_outputs_shape_and_element),
        cmocka_unit_test(in_place_kills_every_other_reader),
        cmocka_unit_test(a_partial_overlap_spares_the_rest_of_the_input),
        cmocka_unit_test(both_inputs_of_an_addition_count),
        cmocka_unit_test(views_and_in_place_together),
        cmocka_unit_test(a_view_that_is_copied_is_a_place_of_its_own),
        cmocka_unit_test(a_view_may_read_its_source_twice),
        cmocka_unit_test(agrees_with_a_judge_of_single_bytes),
        cmocka_unit_test(any_smaller_loan_is_refused_cleanly),
        cmocka_unit_test(an_empty_graph_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

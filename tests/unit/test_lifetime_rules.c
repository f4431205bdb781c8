/* What needs bytes, who shares them, and what options change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_fixture.h"

static void run(const berth_lifetime_options *options)
{
    rig_lifetimes(r, options);
    (void)rig_plan(r, BERTH_STRATEGY_BEST);
    (void)rig_plan(r, BERTH_STRATEGY_NONE);
}

/* Where kernel scratch is no matter. */
static const berth_lifetime_options bare = {.no_scratch = true};

static void spans(int32_t t, const char *expected)
{
    rig_assert_spans(r, g, t, expected);
}

static void link(int32_t from, int32_t to, const char *expected)
{
    rig_assert_link(r, g, from, g, to, expected);
}

/* --- views and in place ------------------------------------------------- */

/* planners.md 1.9: LiteRT looks at the direct input and at the root, never at
 * the aliases between, and lets w take x's bytes while y is still read. */
static void an_alias_read_later_forbids_its_bytes(void **state)
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
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(z, z), MB_INTS(w));
    rig_op(r, g, BERTH_OP_MUL, MB_INTS(y, w), MB_INTS(out));
    rig_io(r, g, MB_INTS(in), MB_INTS(out));
    run(&bare);
    rig_assert_tie(r, g, x, g, y, true);
    rig_assert_tie(r, g, y, g, z, true);
    spans(x, "0-2");
    spans(y, "1-5");
    spans(z, "2-4");
    link(z, w, "0,64"); /* z itself dies here */
    link(y, w, "none"); /* but these bytes are y's as well */
    link(y, out, "0,64");
    link(w, out, "0,64");
    assert_int_equal(rig_offset(r, g, y), rig_offset(r, g, z));
    assert_true(rig_offset(r, g, w) != rig_offset(r, g, z));
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 2 * N);
}

static void the_last_reader_of_an_alias_class_may_write_over_it(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t a = tensor();
    const int32_t w = tensor();
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(y, a), MB_INTS(w));
    rig_io(r, g, MB_INTS(x), MB_INTS(w));
    run(&bare);
    rig_assert_class(r, g, x, BERTH_CLASS_INPUT);
    rig_assert_class(r, g, y, BERTH_CLASS_VIEW);
    link(y, w, "0,64");
    link(a, w, "0,64");
    assert_int_equal(rig_plan(r, BERTH_STRATEGY_BEST), 2 * N);
}

static void licences_need_equal_rows(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t half = rig_tensor(r, g, N / 2);
    const int32_t wide = mb_tensor(r->builder, g,
                                   (mb_tensor_spec){.name = "w",
                                                    .type = BERTH_INT16,
                                                    .shape = MB_INTS(N / 2)});
    const int32_t square =
        mb_tensor(r->builder, g,
                  (mb_tensor_spec){
                      .name = "s", .type = BERTH_INT8, .shape = MB_INTS(8, 8)});
    const int32_t ones = mb_tensor(
        r->builder, g,
        (mb_tensor_spec){
            .name = "o", .type = BERTH_INT8, .shape = MB_INTS(1, 1, 8, 8)});
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(half, x), MB_INTS(square));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(square), MB_INTS(ones));
    rig_op(r, g, BERTH_OP_CAST, MB_INTS(ones), MB_INTS(wide));
    const int32_t again =
        mb_tensor(r->builder, g,
                  (mb_tensor_spec){
                      .name = "a", .type = BERTH_INT8, .shape = MB_INTS(8, 8)});
    rig_op(r, g, BERTH_OP_TANH, MB_INTS(ones), MB_INTS(again));
    rig_io(r, g, MB_INTS(x, half), MB_INTS(wide, again));
    run(NULL);
    link(ones, again, "0,64");  /* leading ones, on the other side */
    link(half, square, "none"); /* other bytes */
    link(x, square, "none");    /* other rows */
    link(square, ones, "0,64"); /* leading ones are no rows */
    link(ones, wide, "none");   /* other elements */
}

static void an_input_read_without_a_licence_too_is_left_alone(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    /* PRELU may write over its operand 0, not over the slope */
    rig_op(r, g, BERTH_OP_PRELU, MB_INTS(x, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run(NULL);
    link(x, y, "none");
}

static void update_takes_its_operand_over(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t part = rig_tensor(r, g, 4);
    const int32_t at = rig_tensor(r, g, 4);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_DYNAMIC_UPDATE_SLICE, MB_INTS(x, part, at),
           MB_INTS(y));
    rig_io(r, g, MB_INTS(x, part, at), MB_INTS(y));
    run(NULL);
    link(x, y, "0,64");
    link(part, y, "none");
}

static void an_unread_result_does_not_destroy_its_operand(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y)); /* read by nobody */
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    run(NULL);
    /* they meet in one step only, but x lives on */
    link(x, y, "none");
}

static void an_output_survives_the_last_step_that_reads_it(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(y, z));
    run(NULL);
    link(x, y, "0,64");
    link(y, z, "none"); /* z is born in the last step, y is read after it */
}

static void links_hold_in_either_order_of_items(void **state)
{
    (void)state;
    const int32_t y = tensor();
    const int32_t x = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run(NULL);
    assert_int_equal(r->lifetimes.problem.link_count, 1);
    assert_int_equal(r->lifetimes.problem.links[0].lo, -N);
    assert_int_equal(r->lifetimes.problem.links[0].hi, 0);
    link(x, y, "0,64");
}

static void views_of_what_has_no_bytes_are_copies(void **state)
{
    (void)state;
    const int32_t c = rig_constant(r, g, N);
    const int32_t v = rig_variable(r, g, N);
    const int32_t a = tensor();
    const int32_t b = tensor();
    const int32_t small = rig_tensor(r, g, 4);
    const int32_t d = tensor();
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(c), MB_INTS(a));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(v), MB_INTS(b));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(small), MB_INTS(d));
    rig_io(r, g, MB_INTS(small), MB_INTS(a, b, d));
    run(NULL);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    rig_assert_class(r, g, a, BERTH_CLASS_OUTPUT);
    rig_assert_class(r, g, v, BERTH_CLASS_STATE);
    spans(v, "none");
    spans(a, "0-3");
}

static void an_absent_operand_of_a_call_is_no_source(void **state)
{
    (void)state;
    const uint32_t h = rig_subgraph(r);
    const int32_t p = rig_tensor(r, h, N);
    const int32_t q = rig_tensor(r, h, N);
    const int32_t s = rig_tensor(r, h, N);
    rig_op(r, h, BERTH_OP_CUSTOM, MB_INTS(p, q), MB_INTS(s));
    rig_io(r, h, MB_INTS(p, q), MB_INTS(s));
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_call(r, g, h, MB_INTS(x, -1), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    run(NULL);
    rig_assert_tie(r, g, x, h, p, true);
    rig_assert_spans(r, h, q, "0-2");
    rig_assert_class(r, h, q, BERTH_CLASS_INNER);
}

/* --- folded, encoded, dynamic ------------------------------------------- */

static void fold(int32_t t)
{
    r->shape[rig_global(r, g, t)].flags |= BERTH_SHAPE_FOLDED;
}

static void a_folded_shape_chain_needs_no_bytes(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t s = rig_tensor(r, g, 16);
    const int32_t t = rig_tensor(r, g, 16);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_SHAPE, MB_INTS(x), MB_INTS(s));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(s, s), MB_INTS(t));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(a, t), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_graph(r);
    fold(s);
    fold(t);
    run(NULL);
    rig_assert_class(r, g, s, BERTH_CLASS_FOLDED);
    rig_assert_class(r, g, t, BERTH_CLASS_FOLDED);
    spans(s, "none");
    spans(t, "none");
    spans(x, "0-1"); /* SHAPE does not read it at run time */
    rig_assert_tie(r, g, a, g, y, true);
}

static void a_folded_tensor_read_as_data_is_made(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t s = rig_tensor(r, g, 16);
    const int32_t t = rig_tensor(r, g, 16);
    const int32_t y = rig_tensor(r, g, 16);
    rig_op(r, g, BERTH_OP_SHAPE, MB_INTS(x), MB_INTS(s));
    rig_op(r, g, BERTH_OP_NEG, MB_INTS(s), MB_INTS(t));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(t), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_graph(r);
    fold(s);
    fold(t);
    run(NULL);
    /* CONV reads t, so NEG runs and reads s, so SHAPE runs and reads x */
    spans(t, "1-3");
    spans(s, "0-2");
    spans(x, "0-1");
}

static void a_folded_output_is_made(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t s = rig_tensor(r, g, 16);
    rig_op(r, g, BERTH_OP_SHAPE, MB_INTS(x), MB_INTS(s));
    rig_io(r, g, MB_INTS(x), MB_INTS(s));
    rig_graph(r);
    fold(s);
    run(NULL);
    spans(s, "0-1");
    rig_assert_class(r, g, s, BERTH_CLASS_OUTPUT);
}

static void an_operator_that_folds_by_half_runs(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t s = rig_tensor(r, g, 16);
    const int32_t t = rig_tensor(r, g, 16);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_UNPACK, MB_INTS(x), MB_INTS(s, t));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x, s), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y, t));
    rig_graph(r);
    fold(s);
    fold(t);
    run(NULL);
    spans(s, "0-2");
    spans(t, "0-2");
}

static void what_is_handed_to_a_call_is_made(void **state)
{
    (void)state;
    const uint32_t h = rig_subgraph(r);
    const int32_t p = rig_tensor(r, h, 16);
    const int32_t q = rig_tensor(r, h, 16);
    rig_op(r, h, BERTH_OP_RELU, MB_INTS(p), MB_INTS(q));
    rig_io(r, h, MB_INTS(p), MB_INTS(q));
    const int32_t x = tensor();
    const int32_t s = rig_tensor(r, g, 16);
    const int32_t y = rig_tensor(r, g, 16);
    rig_op(r, g, BERTH_OP_SHAPE, MB_INTS(x), MB_INTS(s));
    rig_call(r, g, h, MB_INTS(s), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_graph(r);
    fold(s);
    r->shape[rig_global(r, h, p)].flags |= BERTH_SHAPE_FOLDED;
    run(NULL);
    spans(s, "0-2");
    rig_assert_spans(r, h, p, "1-3");
}

static void decoded_constants_need_no_bytes(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t c = rig_constant(r, g, N);
    const int32_t w = rig_tensor(r, g, 4 * N);
    const int32_t y = tensor();
    const int32_t z = rig_tensor(r, g, 4 * N);
    rig_op(r, g, BERTH_OP_DEQUANTIZE, MB_INTS(c), MB_INTS(w));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x, w), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CUMSUM, MB_INTS(w), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(y, z));
    run(NULL);
    rig_assert_class(r, g, w, BERTH_CLASS_ENCODED);
    rig_assert_class(r, g, c, BERTH_CLASS_CONSTANT);
    spans(w, "none");
    /* CUMSUM cannot read it as it is: decoded into scratch of its own */
    assert_int_equal(r->lifetimes.scratch_count, 1);
    const berth_problem *p = &r->lifetimes.problem;
    const berth_item *scratch = &p->items[p->item_count - 1];
    assert_int_equal(scratch->flags, BERTH_ITEM_SCRATCH);
    assert_int_equal(scratch->size, 4 * N);
    assert_int_equal(p->spans[scratch->first_span].born, 2);
    assert_int_equal(p->spans[scratch->first_span].dead, 3);
    assert_int_equal(r->lifetimes.op_of_item[p->item_count - 1], 2);
    assert_int_equal(r->lifetimes.tensor_of_item[p->item_count - 1],
                     BERTH_NONE);

    rig_again(r, 0, &bare);
    assert_int_equal(r->lifetimes.scratch_count, 0);
}

static void each_operator_has_scratch_of_its_own(void **state)
{
    (void)state;
    const int32_t c = rig_constant(r, g, N);
    const int32_t w = rig_tensor(r, g, 4 * N);
    int32_t y[5];
    rig_op(r, g, BERTH_OP_DEQUANTIZE, MB_INTS(c), MB_INTS(w));
    for (int i = 0; i < 5; ++i) {
        y[i] = rig_tensor(r, g, 4 * N);
        rig_op(r, g, BERTH_OP_CUMSUM, MB_INTS(w), MB_INTS(y[i]));
    }
    rig_io(r, g, MB_NO_INTS, (mb_ints){y, 5});
    run(NULL);
    const berth_problem *p = &r->lifetimes.problem;
    assert_int_equal(r->lifetimes.scratch_count, 5);
    for (uint32_t i = 0; i < 5; ++i) {
        const uint32_t item = p->item_count - 5 + i;
        assert_int_equal(r->lifetimes.op_of_item[item], i + 1);
        assert_int_equal(p->items[item].span_count, 1);
        assert_int_equal(p->spans[p->items[item].first_span].born, i + 1);
    }
}

static void a_decoded_constant_that_leaves_is_made(void **state)
{
    (void)state;
    const int32_t c = rig_constant(r, g, N);
    const int32_t w = tensor();
    rig_op(r, g, BERTH_OP_DEQUANTIZE, MB_INTS(c), MB_INTS(w));
    rig_io(r, g, MB_NO_INTS, MB_INTS(w));
    run(NULL);
    rig_assert_class(r, g, w, BERTH_CLASS_OUTPUT);
    spans(w, "0-1");
}

static void dynamic_tensors_are_counted_without_bytes(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t d = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_WHERE, MB_INTS(x), MB_INTS(d));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(d), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_graph(r);
    for (int32_t t = d; t <= y; ++t) {
        r->shape[rig_global(r, g, t)].state = BERTH_SHAPE_DYNAMIC;
        r->shape[rig_global(r, g, t)].bytes = BERTH_NOWHERE;
    }
    run(NULL);
    rig_assert_class(r, g, d, BERTH_CLASS_DYNAMIC);
    spans(d, "none");
    assert_int_equal(r->lifetimes.dynamic_count, 2);
}

static void strings_have_no_bound(void **state)
{
    (void)state;
    const int32_t s =
        mb_tensor(r->builder, g,
                  (mb_tensor_spec){
                      .name = "s", .type = BERTH_STRING, .shape = MB_INTS(1)});
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CUSTOM, MB_INTS(s), MB_INTS(y));
    rig_io(r, g, MB_INTS(s), MB_INTS(y));
    run(NULL);
    rig_assert_class(r, g, s, BERTH_CLASS_DYNAMIC);
    assert_int_equal(r->lifetimes.dynamic_count, 1);
}

static void tensors_of_other_signatures_are_unused(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const uint32_t h = rig_subgraph(r);
    const int32_t a = rig_tensor(r, h, N);
    rig_io(r, h, MB_INTS(a), MB_INTS(a));
    run(NULL);
    rig_assert_class(r, h, a, BERTH_CLASS_UNUSED);
    rig_assert_spans(r, h, a, "none");
    rig_again(r, h, NULL);
    rig_assert_class(r, h, a, BERTH_CLASS_INPUT);
    rig_assert_class(r, g, x, BERTH_CLASS_UNUSED);
}

/* --- state -------------------------------------------------------------- */

static uint64_t place(uint32_t s, int32_t t)
{
    return r->lifetimes.state_of_tensor[rig_global(r, s, t)];
}

static void variables_are_state_of_their_subgraph(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t v = rig_variable(r, g, 20);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_SVDF, MB_INTS(x, v), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const uint32_t h = rig_subgraph(r);
    const int32_t a = rig_tensor(r, h, N);
    const int32_t u = rig_variable(r, h, 100);
    const int32_t b = rig_tensor(r, h, N);
    rig_op(r, h, BERTH_OP_SVDF, MB_INTS(a, u), MB_INTS(b));
    rig_io(r, h, MB_INTS(a), MB_INTS(b));
    run(NULL);
    assert_int_equal(r->lifetimes.state_bytes, 32);
    assert_int_equal(r->lifetimes.model_state_bytes, 32 + 112);
    assert_int_equal(place(g, v), 0);
    assert_int_equal(place(h, u), BERTH_NOWHERE);
    assert_int_equal(place(g, x), BERTH_NOWHERE);
    rig_again(r, h, NULL);
    assert_int_equal(r->lifetimes.state_bytes, 112);
    assert_int_equal(place(h, u), 0);

    const berth_lifetime_options all = {.all_state = true};
    rig_again(r, h, &all);
    assert_int_equal(r->lifetimes.state_bytes, 32 + 112);
    assert_int_equal(place(g, v), 0);
    assert_int_equal(place(h, u), 32);
}

static void what_call_once_has_run_is_state(void **state)
{
    (void)state;
    const uint32_t k = rig_subgraph(r);
    const int32_t v = rig_variable(r, g, 20);
    const int32_t x = tensor();
    const int32_t y = tensor();
    rig_call_once(r, g, k);
    rig_op(r, g, BERTH_OP_SVDF, MB_INTS(x, v), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_io(r, k, MB_NO_INTS, MB_NO_INTS);
    run(NULL);
    assert_int_equal(r->lifetimes.once_offset, 32);
    assert_int_equal(r->lifetimes.state_bytes, 32 + 16);
    rig_again(r, k, NULL); /* which calls nobody */
    assert_int_equal(r->lifetimes.once_offset, BERTH_NOWHERE);
    assert_int_equal(r->lifetimes.state_bytes, 0);
    assert_int_equal(r->lifetimes.model_state_bytes, 32 + 16);
}

/* h = VAR_HANDLE(name); READ or ASSIGN of `bytes`. */
static void use_variable(uint32_t s, const char *container, const char *name,
                         bool assign, int32_t bytes)
{
    const int32_t handle = rig_handle(r, s);
    const int32_t value = rig_tensor(r, s, bytes);
    rig_var_handle(r, s, container, name, handle);
    if (assign) {
        rig_op(r, s, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, value),
               MB_NO_INTS);
        rig_io(r, s, MB_INTS(value), MB_NO_INTS);
    } else {
        rig_op(r, s, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(value));
        rig_io(r, s, MB_NO_INTS, MB_INTS(value));
    }
}

static void two_signatures_share_a_variable_by_name(void **state)
{
    (void)state;
    const uint32_t h = rig_subgraph(r);
    const uint32_t k = rig_subgraph(r);
    use_variable(g, "c", "n", false, 48);
    use_variable(h, "c", "n", true, 80); /* the same one */
    use_variable(k, "d", "n", true, 16); /* another container */
    run(NULL);
    assert_int_equal(r->lifetimes.state_bytes, 80);
    assert_int_equal(r->lifetimes.model_state_bytes, 80 + 16);
    rig_assert_class(r, g, 0, BERTH_CLASS_HANDLE);
    spans(0, "none");
    spans(1, "1-2");
    rig_again(r, h, NULL);
    assert_int_equal(r->lifetimes.state_bytes, 80);
    rig_again(r, k, NULL);
    assert_int_equal(r->lifetimes.state_bytes, 16);
}

static void handles_travel_through_calls(void **state)
{
    (void)state;
    /* g: h = VAR_HANDLE; CALL k(h, x): k assigns x to the handle given */
    const uint32_t k = rig_subgraph(r);
    const int32_t h = rig_handle(r, g);
    const int32_t x = tensor();
    const int32_t y = rig_handle(r, g);
    rig_var_handle(r, g, "", "v", h);
    rig_call(r, g, k, MB_INTS(h, x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    const int32_t kh = rig_handle(r, k);
    const int32_t kx = rig_tensor(r, k, N);
    rig_op(r, k, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(kh, kx), MB_NO_INTS);
    rig_io(r, k, MB_INTS(kh, kx), MB_INTS(kh));
    run(NULL);
    assert_int_equal(r->lifetimes.state_bytes, N);
    assert_int_equal(place(k, kh), 0);
    assert_int_equal(place(g, y), 0);
    rig_assert_class(r, g, y, BERTH_CLASS_HANDLE);
}

static void handles_travel_through_loops(void **state)
{
    (void)state;
    /* the body hands on two handles crosswise: either may be assigned to */
    const uint32_t cond = rig_subgraph(r);
    const uint32_t body = rig_subgraph(r);
    int32_t h[6];
    for (int i = 0; i < 4; ++i) {
        h[i] = rig_handle(r, g);
    }
    const int32_t go = rig_constant(r, cond, 1);
    h[4] = rig_handle(r, cond);
    h[5] = rig_handle(r, cond);
    rig_io(r, cond, MB_INTS(h[4], h[5]), MB_INTS(go));
    rig_var_handle(r, g, "", "a", h[0]);
    rig_var_handle(r, g, "", "b", h[1]);
    rig_while(r, g, cond, body, MB_INTS(h[0], h[1]), MB_INTS(h[2], h[3]));
    rig_io(r, g, MB_NO_INTS, MB_NO_INTS);
    const int32_t b0 = rig_handle(r, body);
    const int32_t b1 = rig_handle(r, body);
    const int32_t value = rig_constant(r, body, N);
    rig_op(r, body, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(b0, value), MB_NO_INTS);
    rig_io(r, body, MB_INTS(b0, b1), MB_INTS(b1, b0));
    run(NULL);
    assert_int_equal(r->lifetimes.state_bytes, 2 * N);
    assert_int_equal(place(body, b0), BERTH_NOWHERE); /* "a" or "b" */
    assert_int_equal(r->lifetimes.problem.item_count, 0);
}

static void state_beyond_64_bits_is_refused(void **state)
{
    (void)state;
    const int32_t v = rig_variable(r, g, N);
    const int32_t w = rig_variable(r, g, N);
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_SVDF, MB_INTS(v, w), MB_INTS(y));
    rig_io(r, g, MB_NO_INTS, MB_INTS(y));
    rig_lifetimes(r, NULL);
    r->shape[v].bytes = UINT64_MAX - 64;
    size_t need = 0;
    assert_int_equal(berth_lifetimes_bytes(&r->graph, &r->shapes, &r->schedule,
                                           NULL, &need, NULL),
                     BERTH_OK);
    void *memory = malloc(need);
    berth_work work = berth_work_of(memory, need);
    const berth_lifetimes before = r->lifetimes;
    assert_int_equal(berth_lifetimes_init(&r->graph, &r->shapes, &r->schedule,
                                          NULL, &work, &r->lifetimes, &r->diag),
                     BERTH_TOO_LARGE);
    assert_memory_equal(&before, &r->lifetimes, sizeof(before));
    free(memory);
}

static void many_resources_cost_one_block_each(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    int32_t inputs[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        char name[8] = {(char)('a' + (i * 7) % 20), 0};
        const int32_t handle = rig_handle(r, g);
        inputs[i] = rig_tensor(r, g, 1 + (i * 7) % 20);
        rig_var_handle(r, g, "", name, handle);
        rig_op(r, g, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, inputs[i]),
               MB_NO_INTS);
    }
    rig_io(r, g, (mb_ints){inputs, COUNT}, MB_NO_INTS);
    run(NULL);
    /* twenty names; sizes 1 to 16 are a block of 16, 17 to 20 one of 32 */
    assert_int_equal(r->lifetimes.state_bytes, 16 * 16 + 4 * 32);
}

/* --- options ------------------------------------------------------------ */

static void kept_tensors_live_to_the_end(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t b = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(a), MB_INTS(b));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(b), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const uint32_t keep[] = {(uint32_t)x, (uint32_t)b};
    const berth_lifetime_options options = {.keep = keep, .keep_count = 2};
    run(&options);
    spans(x, "0-3");
    spans(b, "1-3");
    spans(a, "0-2");
    rig_assert_tie(r, g, a, g, b, true); /* runs once: still a view */
    link(b, y, "none");
}

static void a_kept_tensor_in_a_loop_keeps_its_own_bytes(void **state)
{
    (void)state;
    const uint32_t cond = rig_subgraph(r);
    const int32_t c = rig_tensor(r, cond, N);
    rig_io(r, cond, MB_INTS(c), MB_INTS(c));
    const uint32_t body = rig_subgraph(r);
    const int32_t b = rig_tensor(r, body, N);
    const int32_t v = rig_tensor(r, body, N);
    const int32_t o = rig_tensor(r, body, N);
    rig_op(r, body, BERTH_OP_RESHAPE, MB_INTS(b), MB_INTS(v));
    rig_op(r, body, BERTH_OP_CONV_2D, MB_INTS(v), MB_INTS(o));
    rig_io(r, body, MB_INTS(b), MB_INTS(o));
    const int32_t x = tensor();
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_while(r, g, cond, body, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    rig_graph(r);
    const uint32_t keep[] = {rig_global(r, body, v)};
    const berth_lifetime_options options = {.keep = keep, .keep_count = 1};
    run(&options);
    /* from ENTER on: the condition must not write over the latest turn's */
    rig_assert_spans(r, body, v, "0-8");
    rig_assert_tie(r, body, b, body, v, false);
    rig_again(r, 0, NULL);
    rig_assert_tie(r, body, b, body, v, true);
}

static void a_kept_tensor_called_twice_has_one_span(void **state)
{
    (void)state;
    const uint32_t h = rig_subgraph(r);
    const int32_t p = rig_tensor(r, h, N);
    const int32_t q = rig_tensor(r, h, N);
    rig_op(r, h, BERTH_OP_RELU, MB_INTS(p), MB_INTS(q));
    rig_io(r, h, MB_INTS(p), MB_INTS(q));
    const int32_t x = tensor();
    const int32_t m = tensor();
    const int32_t y = tensor();
    rig_call(r, g, h, MB_INTS(x), MB_INTS(m));
    rig_call(r, g, h, MB_INTS(m), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    rig_graph(r);
    const uint32_t keep[] = {rig_global(r, h, p)};
    const berth_lifetime_options options = {.keep = keep, .keep_count = 1};
    run(&options);
    rig_assert_spans(r, h, p, "0-6");
    rig_assert_link(r, h, p, h, q, "none");
}

static void pinned_tensors_share_nothing(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t b = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(a), MB_INTS(b));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(b), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const uint32_t pin[] = {(uint32_t)a};
    const berth_lifetime_options options = {.pin = pin, .pin_count = 1};
    run(&options);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    link(x, a, "none");
    link(b, y, "0,64");
    const uint64_t at = rig_offset(r, g, a);
    assert_true(at != rig_offset(r, g, x) && at != rig_offset(r, g, b) &&
                at != rig_offset(r, g, y));
}

static void views_and_places_can_be_forgone(void **state)
{
    (void)state;
    const int32_t x = tensor();
    const int32_t a = tensor();
    const int32_t y = tensor();
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x), MB_INTS(a));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(a), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const berth_lifetime_options no_views = {.no_views = true};
    run(&no_views);
    assert_int_equal(r->lifetimes.problem.tie_count, 0);
    assert_int_equal(r->lifetimes.problem.link_count, 1);
    rig_assert_class(r, g, a, BERTH_CLASS_INNER);
    const berth_lifetime_options no_inplace = {.no_inplace = true, .align = 64};
    rig_again(r, 0, &no_inplace);
    assert_int_equal(r->lifetimes.problem.tie_count, 1);
    assert_int_equal(r->lifetimes.problem.link_count, 0);
    assert_int_equal(r->lifetimes.problem.items[0].align, 64);
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const int32_t x = tensor();
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    rig_schedule(r, 0);
    const uint32_t none[] = {1};
    const berth_lifetime_options wrong[] = {
        {.align = 3},
        {.keep = none, .keep_count = 1},
        {.pin = none, .pin_count = 1},
    };
    for (size_t i = 0; i < 3; ++i) {
        size_t need = 7;
        assert_int_equal(berth_lifetimes_bytes(&r->graph, &r->shapes,
                                               &r->schedule, &wrong[i], &need,
                                               &r->diag),
                         BERTH_BAD_ARG);
        assert_int_equal(need, 7);
    }
}

/* --- sizes and memory --------------------------------------------------- */

static void sizes_beyond_63_bits_are_refused(void **state)
{
    (void)state;
    const int32_t x = tensor();
    rig_io(r, g, MB_INTS(x), MB_INTS(x));
    rig_schedule(r, 0);
    r->shape[0].bytes = (uint64_t)INT64_MAX + 1;
    size_t need = 0;
    assert_int_equal(berth_lifetimes_bytes(&r->graph, &r->shapes, &r->schedule,
                                           NULL, &need, NULL),
                     BERTH_OK);
    void *memory = malloc(need);
    berth_work work = berth_work_of(memory, need);
    assert_int_equal(berth_lifetimes_init(&r->graph, &r->shapes, &r->schedule,
                                          NULL, &work, &r->lifetimes, &r->diag),
                     BERTH_TOO_LARGE);
    assert_int_equal(r->diag.tensor, 0);
    r->shape[0].bytes = INT64_MAX;
    assert_int_equal(berth_lifetimes_init(&r->graph, &r->shapes, &r->schedule,
                                          NULL, &work, &r->lifetimes, &r->diag),
                     BERTH_OK);
    free(memory);
}

static berth_status lifetimes_stage(rig *rig_, berth_work *work,
                                    berth_diag *diag)
{
    berth_lifetimes lifetimes = rig_->lifetimes;
    const berth_status status =
        berth_lifetimes_init(&rig_->graph, &rig_->shapes, &rig_->schedule, NULL,
                             work, &lifetimes, diag);
    if (status != BERTH_OK) {
        rig_->lifetimes = lifetimes;
    }
    return status;
}

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    const uint32_t h = rig_subgraph(r);
    const int32_t p = rig_tensor(r, h, N);
    const int32_t q = rig_tensor(r, h, N);
    rig_op(r, h, BERTH_OP_RELU, MB_INTS(p), MB_INTS(q));
    rig_io(r, h, MB_INTS(p), MB_INTS(q));
    const int32_t x = tensor();
    const int32_t unread = tensor();
    const int32_t handle = rig_handle(r, g);
    const int32_t y = tensor();
    const int32_t z = tensor();
    rig_var_handle(r, g, "c", "n", handle);
    rig_op(r, g, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, x), MB_NO_INTS);
    rig_call(r, g, h, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(y), MB_INTS(z));
    rig_io(r, g, MB_INTS(x, unread), MB_INTS(z));
    run(NULL);
    size_t need = 0;
    assert_int_equal(berth_lifetimes_bytes(&r->graph, &r->shapes, &r->schedule,
                                           NULL, &need, NULL),
                     BERTH_OK);
    rig_shrink(r, lifetimes_stage, need, &r->lifetimes, sizeof(r->lifetimes));
}

static void many_unread_inputs_stay_linear(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static int32_t in[COUNT];
    static int32_t out[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        in[i] = rig_tensor(r, g, 4);
        out[i] = rig_tensor(r, g, 4);
    }
    rig_op(r, g, BERTH_OP_SPLIT, MB_INTS(in[0]), (mb_ints){out, COUNT});
    rig_io(r, g, (mb_ints){in, COUNT}, (mb_ints){out, COUNT});
    rig_lifetimes(r, NULL);
    assert_int_equal(r->lifetimes.problem.link_count, 0);
    spans(in[7], "0-1");
}

static void every_class_has_a_name(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < BERTH_CLASS_COUNT; ++k) {
        assert_true(strlen(berth_class_name((berth_class)k)) > 1);
    }
    assert_string_equal(berth_class_name(BERTH_CLASS_COUNT), "?");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, finish)
    const struct CMUnitTest tests[] = {
        CASE(an_alias_read_later_forbids_its_bytes),
        CASE(the_last_reader_of_an_alias_class_may_write_over_it),
        CASE(licences_need_equal_rows),
        CASE(an_input_read_without_a_licence_too_is_left_alone),
        CASE(update_takes_its_operand_over),
        CASE(an_unread_result_does_not_destroy_its_operand),
        CASE(an_output_survives_the_last_step_that_reads_it),
        CASE(links_hold_in_either_order_of_items),
        CASE(views_of_what_has_no_bytes_are_copies),
        CASE(an_absent_operand_of_a_call_is_no_source),
        CASE(a_folded_shape_chain_needs_no_bytes),
        CASE(a_folded_tensor_read_as_data_is_made),
        CASE(a_folded_output_is_made),
        CASE(an_operator_that_folds_by_half_runs),
        CASE(what_is_handed_to_a_call_is_made),
        CASE(decoded_constants_need_no_bytes),
        CASE(each_operator_has_scratch_of_its_own),
        CASE(a_decoded_constant_that_leaves_is_made),
        CASE(dynamic_tensors_are_counted_without_bytes),
        CASE(strings_have_no_bound),
        CASE(tensors_of_other_signatures_are_unused),
        CASE(variables_are_state_of_their_subgraph),
        CASE(what_call_once_has_run_is_state),
        CASE(two_signatures_share_a_variable_by_name),
        CASE(handles_travel_through_calls),
        CASE(handles_travel_through_loops),
        CASE(state_beyond_64_bits_is_refused),
        CASE(many_resources_cost_one_block_each),
        CASE(kept_tensors_live_to_the_end),
        CASE(a_kept_tensor_in_a_loop_keeps_its_own_bytes),
        CASE(a_kept_tensor_called_twice_has_one_span),
        CASE(pinned_tensors_share_nothing),
        CASE(views_and_places_can_be_forgone),
        CASE(options_that_make_no_sense_are_refused),
        CASE(sizes_beyond_63_bits_are_refused),
        CASE(any_smaller_memory_is_refused_cleanly),
        CASE(many_unread_inputs_stay_linear),
        CASE(every_class_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

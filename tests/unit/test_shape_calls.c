/* Shapes through IF, WHILE, CALL_ONCE and composites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shape_rig.h"

#define OPT(name, number)                                                      \
    {                                                                          \
        .field = BERTH_OPT_##name, .value = (number)                           \
    }

/* A subgraph y = RELU(x), or of another operator; returns its number. */
static uint32_t add_unary(shape_rig *r, uint32_t code, const char *x_text,
                          const char *y_text)
{
    const uint32_t g = shape_rig_subgraph(r);
    const int32_t x = shape_rig_tensor(r, x_text);
    const int32_t y = shape_rig_tensor(r, y_text);
    shape_rig_op(r, (mb_op_spec){.code = code,
                                 .inputs = MB_INTS(x),
                                 .outputs = MB_INTS(y)});
    shape_rig_io(r, MB_INTS(x), MB_INTS(y));
    return g;
}

/* cond(i) = i < i, as good as any. */
static uint32_t add_condition(shape_rig *r, int inputs, const char **texts)
{
    const uint32_t g = shape_rig_subgraph(r);
    int32_t in[4];
    for (int i = 0; i < inputs; ++i) {
        in[i] = shape_rig_tensor(r, texts[i]);
    }
    const int32_t test = shape_rig_tensor(r, "bool 1");
    const int32_t limit = shape_rig_tensor(r, "i32 1 = 3");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_LESS,
                                 .inputs = MB_INTS(in[0], limit),
                                 .outputs = MB_INTS(test)});
    shape_rig_io(r, (mb_ints){in, (size_t)inputs}, MB_INTS(test));
    return g;
}

static mb_op_spec call_while(uint32_t cond, uint32_t body, mb_ints in,
                             mb_ints out)
{
    static mb_option options[2];
    options[0] = (mb_option)OPT(WhileOptions_cond_subgraph_index, cond);
    options[1] = (mb_option)OPT(WhileOptions_body_subgraph_index, body);
    return (mb_op_spec){.code = BERTH_OP_WHILE,
                        .inputs = in,
                        .outputs = out,
                        .options = {options, 2}};
}

static mb_op_spec call_if(uint32_t then_, uint32_t else_, mb_ints in,
                          mb_ints out)
{
    static mb_option options[2];
    options[0] = (mb_option)OPT(IfOptions_then_subgraph_index, then_);
    options[1] = (mb_option)OPT(IfOptions_else_subgraph_index, else_);
    return (mb_op_spec){.code = BERTH_OP_IF,
                        .inputs = in,
                        .outputs = out,
                        .options = {options, 2}};
}

static void branches_give_their_shape_where_they_agree(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t c = shape_rig_tensor(r, "bool 1");
    const int32_t x = shape_rig_tensor(r, "2x3");
    const int32_t y = shape_rig_tensor(r, "9x9");
    shape_rig_op(r, call_if(1, 2, MB_INTS(c, x), MB_INTS(y)));
    shape_rig_io(r, MB_INTS(c, x), MB_INTS(y));
    assert_int_equal(add_unary(r, BERTH_OP_RELU, "7", "7"), 1);
    assert_int_equal(add_unary(r, BERTH_OP_TANH, "1", "unknown"), 2);
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, y, "2x3");
    shape_rig_expect_in(r, 1, 0, "2x3");
    shape_rig_expect_in(r, 2, 1, "2x3");
    shape_rig_free(r);
}

static void branches_that_disagree_are_dynamic(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t c = shape_rig_tensor(r, "bool 1");
    const int32_t x = shape_rig_tensor(r, "2x3");
    const int32_t y = shape_rig_tensor(r, "2x3");
    const int32_t z = shape_rig_tensor(r, "2x3");
    shape_rig_op(r, call_if(1, 2, MB_INTS(c, x), MB_INTS(y)));
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RELU,
                                 .inputs = MB_INTS(y),
                                 .outputs = MB_INTS(z)});
    shape_rig_io(r, MB_INTS(c, x), MB_INTS(z));
    add_unary(r, BERTH_OP_RELU, "2x3", "2x3");
    add_unary(r, BERTH_OP_MATRIX_DIAG, "2x3", "2x3x3");
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, y, "? IF");
    shape_rig_expect(r, z, "? IF");
    shape_rig_expect_in(r, 1, 1, "2x3");
    assert_int_equal(r->shapes.dynamic_count, 2);
    shape_rig_free(r);
}

/* The loop hands a vector on and makes a matrix longer: [2x3] + [2x3]. */
static shape_rig *growing_loop(int32_t *grown, int32_t *kept)
{
    static const char *texts[] = {"i32 1", "2x3", "5"};
    shape_rig *r = shape_rig_new();
    const int32_t i = shape_rig_tensor(r, "i32 1");
    const int32_t x = shape_rig_tensor(r, "2x3");
    const int32_t k = shape_rig_tensor(r, "5");
    const int32_t i1 = shape_rig_tensor(r, "i32 1");
    *grown = shape_rig_tensor(r, "2x3");
    *kept = shape_rig_tensor(r, "5");
    shape_rig_op(
        r, call_while(1, 2, MB_INTS(i, x, k), MB_INTS(i1, *grown, *kept)));
    shape_rig_io(r, MB_INTS(i, x, k), MB_INTS(i1, *grown, *kept));
    add_condition(r, 3, texts);
    shape_rig_subgraph(r);
    const int32_t bi = shape_rig_tensor(r, "i32 1");
    const int32_t bx = shape_rig_tensor(r, "2x3");
    const int32_t bk = shape_rig_tensor(r, "5");
    const int32_t more = shape_rig_tensor(r, "2x3");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_CONCATENATION,
                                 .inputs = MB_INTS(bx, bx),
                                 .outputs = MB_INTS(more)});
    shape_rig_io(r, MB_INTS(bi, bx, bk), MB_INTS(bi, more, bk));
    return r;
}

static void what_grows_in_a_loop_is_dynamic_the_rest_is_not(void **state)
{
    (void)state;
    int32_t grown = 0;
    int32_t kept = 0;
    shape_rig *r = growing_loop(&grown, &kept);
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, grown, "? WHILE");
    shape_rig_expect(r, kept, "5");
    shape_rig_expect_in(r, 1, 1, "? WHILE"); /* the condition's */
    shape_rig_expect_in(r, 2, 1, "? WHILE"); /* the body's */
    shape_rig_expect_in(r, 2, 3, "? WHILE");
    shape_rig_expect_in(r, 2, 2, "5");
    shape_rig_free(r);
}

/* LiteRT takes a scalar and a vector of one for each other around a loop. */
static void a_scalar_may_come_back_as_a_vector_of_one(void **state)
{
    (void)state;
    static const char *texts[] = {"i32 scalar"};
    shape_rig *r = shape_rig_new();
    const int32_t i = shape_rig_tensor(r, "i32 scalar");
    const int32_t out = shape_rig_tensor(r, "i32 scalar");
    shape_rig_op(r, call_while(1, 2, MB_INTS(i), MB_INTS(out)));
    shape_rig_io(r, MB_INTS(i), MB_INTS(out));
    add_condition(r, 1, texts);
    shape_rig_subgraph(r);
    const int32_t b = shape_rig_tensor(r, "i32 scalar");
    const int32_t one = shape_rig_tensor(r, "i32 1 = 1");
    const int32_t sum = shape_rig_tensor(r, "i32 1");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_ADD,
                                 .inputs = MB_INTS(b, one),
                                 .outputs = MB_INTS(sum)});
    shape_rig_io(r, MB_INTS(b), MB_INTS(sum));
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, out, "1");
    shape_rig_expect_in(r, 2, b, "scalar");
    shape_rig_free(r);
}

/* Two loop variables of different shapes that change places. */
static void variables_that_swap_shapes_are_dynamic(void **state)
{
    (void)state;
    static const char *texts[] = {"i32 1", "2", "3"};
    shape_rig *r = shape_rig_new();
    const int32_t i = shape_rig_tensor(r, "i32 1");
    const int32_t x = shape_rig_tensor(r, "2");
    const int32_t y = shape_rig_tensor(r, "3");
    const int32_t i1 = shape_rig_tensor(r, "i32 1");
    const int32_t x1 = shape_rig_tensor(r, "2");
    const int32_t y1 = shape_rig_tensor(r, "3");
    shape_rig_op(r, call_while(1, 2, MB_INTS(i, x, y), MB_INTS(i1, x1, y1)));
    shape_rig_io(r, MB_INTS(i, x, y), MB_INTS(i1, x1, y1));
    add_condition(r, 3, texts);
    shape_rig_subgraph(r);
    const int32_t bi = shape_rig_tensor(r, "i32 1");
    const int32_t bx = shape_rig_tensor(r, "2");
    const int32_t by = shape_rig_tensor(r, "3");
    shape_rig_io(r, MB_INTS(bi, bx, by), MB_INTS(bi, by, bx));
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, x1, "? WHILE");
    shape_rig_expect(r, y1, "? WHILE");
    shape_rig_expect(r, i1, "1");
    shape_rig_free(r);
}

/* A composite called with the same shapes twice is walked once; with other
 * shapes, its tensors have no one shape. */
static void composite_twice(const char *second, const char *inside,
                            const char *outside)
{
    shape_rig *r = shape_rig_new();
    const int32_t a = shape_rig_tensor(r, "2x3");
    const int32_t b = shape_rig_tensor(r, second);
    const int32_t c = shape_rig_tensor(r, "1");
    const int32_t d = shape_rig_tensor(r, "1");
    const mb_option callee =
        OPT(StableHLOCompositeOptions_decomposition_subgraph_index, 1);
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(a),
                                 .outputs = MB_INTS(c),
                                 .options = {&callee, 1}});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(b),
                                 .outputs = MB_INTS(d),
                                 .options = {&callee, 1}});
    shape_rig_io(r, MB_INTS(a, b), MB_INTS(c, d));
    add_unary(r, BERTH_OP_RELU, "9", "9");
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect_in(r, 1, 0, inside);
    shape_rig_expect(r, c, outside);
    shape_rig_expect(r, d, outside);
    shape_rig_free(r);
}

static void a_callee_has_one_shape_or_none(void **state)
{
    (void)state;
    composite_twice("2x3", "2x3", "2x3");
    composite_twice("2x4", "? STABLEHLO_COMPOSITE", "? STABLEHLO_COMPOSITE");
}

/* A value known outside is known inside, and the other way round. */
static void values_go_through_calls(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t want = shape_rig_tensor(r, "i32 2 = 4 5");
    const int32_t got = shape_rig_tensor(r, "i32 2");
    const int32_t one = shape_rig_tensor(r, "scalar = 1");
    const int32_t out = shape_rig_tensor(r, "9x9");
    const mb_option callee =
        OPT(StableHLOCompositeOptions_decomposition_subgraph_index, 1);
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(want),
                                 .outputs = MB_INTS(got),
                                 .options = {&callee, 1}});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_FILL,
                                 .inputs = MB_INTS(got, one),
                                 .outputs = MB_INTS(out)});
    shape_rig_io(r, MB_NO_INTS, MB_INTS(out));
    add_unary(r, BERTH_OP_NEG, "i32 2", "i32 2");
    shape_rig_subgraph(r);
    shape_rig_io(r, MB_NO_INTS, MB_NO_INTS);
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, out, "~9x9"); /* -4x-5 is refused, hence was known */
    shape_rig_free(r);
}

/* The same shapes on both calls, but other values: known to neither. */
static void values_that_differ_between_calls_are_forgotten(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t a = shape_rig_tensor(r, "i32 2 = 4 5");
    const int32_t b = shape_rig_tensor(r, "i32 2 = 4 6");
    const int32_t x = shape_rig_tensor(r, "9x9");
    const int32_t y = shape_rig_tensor(r, "9x9");
    const mb_option callee =
        OPT(StableHLOCompositeOptions_decomposition_subgraph_index, 1);
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(a),
                                 .outputs = MB_INTS(x),
                                 .options = {&callee, 1}});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(b),
                                 .outputs = MB_INTS(y),
                                 .options = {&callee, 1}});
    shape_rig_io(r, MB_NO_INTS, MB_INTS(x, y));
    shape_rig_subgraph(r);
    const int32_t want = shape_rig_tensor(r, "i32 2");
    const int32_t one = shape_rig_tensor(r, "scalar = 1");
    const int32_t out = shape_rig_tensor(r, "9x9");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_FILL,
                                 .inputs = MB_INTS(want, one),
                                 .outputs = MB_INTS(out)});
    shape_rig_io(r, MB_INTS(want), MB_INTS(out));
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, x, "? FILL");
    shape_rig_expect(r, y, "? FILL");
    shape_rig_expect_in(r, 1, want, "2");
    shape_rig_free(r);
}

/* Dynamic outside is dynamic inside, on every call, with its own culprit. */
static void dynamic_operands_go_through_calls(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t a = shape_rig_tensor(r, "i32 7");
    const int32_t u = shape_rig_tensor(r, "i32 7");
    const int32_t at = shape_rig_tensor(r, "i32 7");
    const int32_t x = shape_rig_tensor(r, "i32 7");
    const int32_t y = shape_rig_tensor(r, "i32 7");
    const mb_option callee =
        OPT(StableHLOCompositeOptions_decomposition_subgraph_index, 1);
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_UNIQUE,
                                 .inputs = MB_INTS(a),
                                 .outputs = MB_INTS(u, at)});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(u),
                                 .outputs = MB_INTS(x),
                                 .options = {&callee, 1}});
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_STABLEHLO_COMPOSITE,
                                 .inputs = MB_INTS(x),
                                 .outputs = MB_INTS(y),
                                 .options = {&callee, 1}});
    shape_rig_io(r, MB_INTS(a), MB_INTS(y, at));
    add_unary(r, BERTH_OP_NEG, "i32 7", "i32 7");
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, y, "? UNIQUE");
    shape_rig_expect(r, at, "7");
    shape_rig_expect_in(r, 1, 1, "? UNIQUE");
    shape_rig_free(r);
}

/* What nobody calls starts from its own inputs. */
static void an_uncalled_subgraph_is_inferred_too(void **state)
{
    (void)state;
    shape_rig *r = shape_rig_new();
    const int32_t x = shape_rig_tensor(r, "2");
    const int32_t y = shape_rig_tensor(r, "unknown");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_RELU,
                                 .inputs = MB_INTS(x),
                                 .outputs = MB_INTS(y)});
    shape_rig_io(r, MB_INTS(x), MB_INTS(y));
    add_unary(r, BERTH_OP_MATRIX_DIAG, "4", "unknown");
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, y, "2");
    shape_rig_expect_in(r, 1, 1, "4x4");
    shape_rig_free(r);
}

/* A loop that hands its variables down a row, and the first one grows: each
 * pass of the walk finds one more. Up to a number it finds them one by one;
 * beyond, all that goes into the loop is dynamic. */
static void row_of_variables(int count, const char *counter)
{
    enum { MOST = 40 };
    static const char *texts[MOST];
    shape_rig *r = shape_rig_new();
    int32_t in[MOST];
    int32_t out[MOST];
    int32_t body_in[MOST];
    int32_t body_out[MOST];
    for (int i = 0; i < count; ++i) {
        texts[i] = i == 0 ? "i32 1" : "2";
        in[i] = shape_rig_tensor(r, texts[i]);
        out[i] = shape_rig_tensor(r, texts[i]);
    }
    const mb_ints in_list = {in, (size_t)count};
    const mb_ints out_list = {out, (size_t)count};
    shape_rig_op(r, call_while(1, 2, in_list, out_list));
    shape_rig_io(r, in_list, out_list);
    /* the condition's inputs come before its other tensors */
    add_condition(r, 1, texts);
    shape_rig_subgraph(r);
    for (int i = 0; i < count; ++i) {
        body_in[i] = shape_rig_tensor(r, texts[i]);
        body_out[i] = i == 0 ? body_in[0] : body_in[i - 1];
    }
    body_out[1] = shape_rig_tensor(r, "2");
    shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_CONCATENATION,
                                 .inputs = MB_INTS(body_in[1], body_in[1]),
                                 .outputs = MB_INTS(body_out[1])});
    shape_rig_io(r, (mb_ints){body_in, (size_t)count},
                 (mb_ints){body_out, (size_t)count});
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    for (int i = 1; i < count; ++i) {
        shape_rig_expect(r, out[i], "? WHILE");
        shape_rig_expect_in(r, 2, body_in[i], "? WHILE");
    }
    shape_rig_expect(r, out[0], counter);
    shape_rig_free(r);
}

static void a_row_of_variables_is_found_to_its_end(void **state)
{
    (void)state;
    row_of_variables(3, "1");
    row_of_variables(10, "1");
    row_of_variables(40, "? WHILE");
}

/* Loops in loops, each with a growing variable: more rounds of the walk than it
 * allows itself, and still an answer that is true. */
static void deep_growth_ends_in_dynamic(void **state)
{
    (void)state;
    enum { DEPTH = 12 };
    static const char *texts[] = {"i32 1", "2"};
    shape_rig *r = shape_rig_new();
    const int32_t i = shape_rig_tensor(r, "i32 1");
    const int32_t x = shape_rig_tensor(r, "2");
    const int32_t i1 = shape_rig_tensor(r, "i32 1");
    const int32_t y = shape_rig_tensor(r, "2");
    shape_rig_op(r, call_while(1, 2, MB_INTS(i, x), MB_INTS(i1, y)));
    shape_rig_io(r, MB_INTS(i, x), MB_INTS(i1, y));
    for (uint32_t d = 0; d < DEPTH; ++d) {
        add_condition(r, 2, texts);
        shape_rig_subgraph(r);
        const int32_t bi = shape_rig_tensor(r, "i32 1");
        const int32_t bx = shape_rig_tensor(r, "2");
        const int32_t bi1 = shape_rig_tensor(r, "i32 1");
        const int32_t by = shape_rig_tensor(r, "2");
        if (d + 1 == DEPTH) {
            shape_rig_op(r, (mb_op_spec){.code = BERTH_OP_CONCATENATION,
                                         .inputs = MB_INTS(bx, bx),
                                         .outputs = MB_INTS(by)});
            shape_rig_io(r, MB_INTS(bi, bx), MB_INTS(bi, by));
        } else {
            shape_rig_op(r, call_while(2 * d + 3, 2 * d + 4, MB_INTS(bi, bx),
                                       MB_INTS(bi1, by)));
            shape_rig_io(r, MB_INTS(bi, bx), MB_INTS(bi1, by));
        }
    }
    assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
    shape_rig_expect(r, y, "? WHILE");
    for (uint32_t d = 0; d < DEPTH; ++d) {
        shape_rig_expect_in(r, 2 * d + 2, 1, "? WHILE");
    }
    shape_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_give_their_shape_where_they_agree),
        cmocka_unit_test(branches_that_disagree_are_dynamic),
        cmocka_unit_test(what_grows_in_a_loop_is_dynamic_the_rest_is_not),
        cmocka_unit_test(a_scalar_may_come_back_as_a_vector_of_one),
        cmocka_unit_test(variables_that_swap_shapes_are_dynamic),
        cmocka_unit_test(a_callee_has_one_shape_or_none),
        cmocka_unit_test(values_go_through_calls),
        cmocka_unit_test(values_that_differ_between_calls_are_forgotten),
        cmocka_unit_test(dynamic_operands_go_through_calls),
        cmocka_unit_test(a_row_of_variables_is_found_to_its_end),
        cmocka_unit_test(an_uncalled_subgraph_is_inferred_too),
        cmocka_unit_test(deep_growth_ends_in_dynamic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

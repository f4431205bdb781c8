/* The order in which operators run, and the steps of flattened calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* Chains of RELU: op i reads t[from[i]] and writes t[to[i]]. */
typedef struct chain {
    rig *r;
    uint32_t g;
    int32_t t[16];
} chain;

static chain start(int tensors)
{
    chain c = {.r = rig_new()};
    c.g = rig_subgraph(c.r);
    for (int i = 0; i < tensors; ++i) {
        c.t[i] = rig_tensor(c.r, c.g, 4);
    }
    return c;
}

static void link(const chain *c, uint32_t code, int from, int to)
{
    rig_op(c->r, c->g, code, MB_INTS(c->t[from]), MB_INTS(c->t[to]));
}

static void assert_warned(const rig *r, const char *what, uint32_t op,
                          uint32_t tensor)
{
    assert_int_equal(r->graph.warning_count, 1);
    assert_string_equal(r->graph.warnings[0].what, what);
    assert_int_equal(r->graph.warnings[0].op, op);
    assert_int_equal(r->graph.warnings[0].tensor, tensor);
}

static const char unsorted[] = "operators are not in topological order; sorted";
static const char uncontrolled[] =
    "operators do not keep control dependencies; sorted";
static const char contradicts[] =
    "the order of operators with state, or a control dependency, contradicts "
    "the tensors; ignored";
static const char nonsense[] =
    "the metadata's control dependencies make no sense; ignored";

static void the_files_order_is_kept_where_it_can_run(void **state)
{
    (void)state;
    chain c = start(4);
    link(&c, BERTH_OP_RELU, 0, 1);
    link(&c, BERTH_OP_RELU, 1, 2);
    link(&c, BERTH_OP_TANH, 0, 3);
    rig_io(c.r, c.g, MB_INTS(c.t[0]), MB_INTS(c.t[2], c.t[3]));
    rig_graph(c.r);
    rig_assert_order(c.r, c.g, "0,1,2");
    assert_int_equal(c.r->graph.warning_count, 0);
    rig_free(c.r);
}

static void reading_before_writing_is_sorted_with_a_warning(void **state)
{
    (void)state;
    chain c = start(5);
    link(&c, BERTH_OP_RELU, 2, 3); /* reads what op 2 writes */
    link(&c, BERTH_OP_RELU, 0, 4);
    link(&c, BERTH_OP_RELU, 1, 2); /* reads what op 3 writes */
    link(&c, BERTH_OP_RELU, 0, 1);
    rig_io(c.r, c.g, MB_INTS(c.t[0]), MB_INTS(c.t[3], c.t[4]));
    rig_graph(c.r);
    rig_assert_order(c.r, c.g, "1,3,2,0");
    assert_warned(c.r, unsorted, 0, (uint32_t)c.t[2]);
    rig_free(c.r);
}

static void operators_with_state_do_not_change_places(void **state)
{
    (void)state;
    chain c = start(8);
    link(&c, BERTH_OP_CUSTOM, 1, 2); /* waits for op 3 */
    link(&c, BERTH_OP_RELU, 0, 3);
    link(&c, BERTH_OP_CUSTOM, 0, 4); /* could run at once: state, so waits */
    link(&c, BERTH_OP_RELU, 0, 1);
    rig_io(c.r, c.g, MB_INTS(c.t[0]), MB_INTS(c.t[2], c.t[3], c.t[4]));
    rig_graph(c.r);
    rig_assert_order(c.r, c.g, "1,3,0,2");
    rig_free(c.r);
}

static void a_call_of_something_with_state_has_state(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t h = rig_subgraph(r);
    const uint32_t k = rig_subgraph(r);
    int32_t t[6];
    for (int i = 0; i < 6; ++i) {
        t[i] = rig_tensor(r, g, 4);
    }
    rig_op(r, g, BERTH_OP_CUSTOM, MB_INTS(t[1]), MB_INTS(t[2]));
    rig_call(r, g, h, MB_INTS(t[0]), MB_INTS(t[3])); /* h calls k: state */
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(t[0]), MB_INTS(t[1]));
    rig_io(r, g, MB_INTS(t[0]), MB_INTS(t[2], t[3]));
    const int32_t a = rig_tensor(r, h, 4);
    const int32_t b = rig_tensor(r, h, 4);
    rig_call(r, h, k, MB_INTS(a), MB_INTS(b));
    rig_io(r, h, MB_INTS(a), MB_INTS(b));
    const int32_t p = rig_tensor(r, k, 4);
    const int32_t q = rig_tensor(r, k, 4);
    rig_op(r, k, BERTH_OP_CUSTOM, MB_INTS(p), MB_INTS(q));
    rig_io(r, k, MB_INTS(p), MB_INTS(q));
    rig_graph(r);
    rig_assert_order(r, g, "2,0,1");
    assert_true(r->graph.subgraphs[g].stateful);
    assert_true(r->graph.subgraphs[h].stateful);
    rig_free(r);
}

static void tensors_win_over_the_order_of_state(void **state)
{
    (void)state;
    chain c = start(3);
    link(&c, BERTH_OP_CUSTOM, 1, 2);
    link(&c, BERTH_OP_CUSTOM, 0, 1);
    rig_io(c.r, c.g, MB_INTS(c.t[0]), MB_INTS(c.t[2]));
    rig_graph(c.r);
    rig_assert_order(c.r, c.g, "1,0");
    assert_warned(c.r, contradicts, 0, (uint32_t)c.t[1]);
    rig_free(c.r);
}

/* Random graphs in random file order: the sorted order must be a permutation
 * that keeps every producer before its readers, and be the smallest such. */
static void sorted_orders_are_topological_and_smallest(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 300; ++round) {
        rig *r = rig_new();
        const uint32_t g = rig_subgraph(r);
        enum { OPS = 14 };
        int rank[OPS]; /* position in a hidden topological order */
        for (int i = 0; i < OPS; ++i) {
            rank[i] = i;
        }
        for (int i = OPS - 1; i > 0; --i) {
            const int j = rand() % (i + 1);
            const int held = rank[i];
            rank[i] = rank[j];
            rank[j] = held;
        }
        const int32_t x = rig_tensor(r, g, 4);
        int32_t out[OPS];
        for (int i = 0; i < OPS; ++i) {
            out[i] = rig_tensor(r, g, 4);
        }
        for (int i = 0; i < OPS; ++i) {
            int32_t in[2] = {x, x};
            for (int k = 0; k < 2; ++k) {
                const int from = rand() % OPS;
                in[k] = rank[from] < rank[i] ? out[from] : x;
            }
            rig_op(r, g, BERTH_OP_ADD, MB_INTS(in[0], in[1]), MB_INTS(out[i]));
        }
        rig_io(r, g, MB_INTS(x), MB_INTS(out[0]));
        rig_graph(r);
        bool ran[OPS] = {false};
        for (uint32_t at = 0; at < OPS; ++at) {
            uint32_t expected = OPS; /* the first that may run */
            for (uint32_t op = OPS; op-- > 0;) {
                const uint32_t *in = berth_graph_inputs(&r->graph, op);
                bool ready = !ran[op];
                for (int k = 0; k < 2; ++k) {
                    const uint32_t p = r->graph.tensors[in[k]].producer;
                    ready = ready && (p == BERTH_NONE || ran[p]);
                }
                expected = ready ? op : expected;
            }
            assert_int_equal(r->graph.order[at], expected);
            ran[expected] = true;
        }
        rig_free(r);
    }
}

/* --- control dependencies ----------------------------------------------- */

/* Four operators that do not know of each other, and metadata. */
static chain four_apart(const void *data, size_t bytes)
{
    chain c = start(5);
    for (int i = 0; i < 4; ++i) {
        link(&c, BERTH_OP_RELU, 0, i + 1);
    }
    rig_io(c.r, c.g, MB_INTS(c.t[0]), MB_INTS(c.t[1], c.t[2], c.t[3], c.t[4]));
    mb_metadata(c.r->builder, "model_control_dependencies", data, bytes);
    rig_graph(c.r);
    return c;
}

static void kept_control_dependencies_change_nothing(void **state)
{
    (void)state;
    const uint8_t data[] = {1, 1, 2, 0, 2, 2, 6}; /* 0 -> 1, 1 -> 3 */
    chain c = four_apart(data, sizeof(data));
    rig_assert_order(c.r, c.g, "0,1,2,3");
    assert_int_equal(c.r->graph.warning_count, 0);
    rig_free(c.r);
}

static void control_dependencies_order_operators(void **state)
{
    (void)state;
    const uint8_t data[] = {1, 1, 2, 6, 0, 4, 2}; /* 3 -> 0, 2 -> 1 */
    chain c = four_apart(data, sizeof(data));
    rig_assert_order(c.r, c.g, "2,1,3,0");
    assert_warned(c.r, uncontrolled, BERTH_NONE, BERTH_NONE);
    rig_free(c.r);
}

static void a_circle_of_control_dependencies_is_ignored(void **state)
{
    (void)state;
    const uint8_t data[] = {1, 1, 2, 2, 4, 4, 2}; /* 1 -> 2, 2 -> 1 */
    chain c = four_apart(data, sizeof(data));
    rig_assert_order(c.r, c.g, "0,1,2,3");
    assert_warned(c.r, contradicts, BERTH_NONE, BERTH_NONE);
    rig_free(c.r);
}

static void long_numbers_are_read_whole(void **state)
{
    (void)state;
    /* 3 -> 0 with a padded 6: groups of seven bits, the last one 0 */
    const uint8_t data[] = {1, 1, 1, 0x86, 0x80, 0, 0};
    chain c = four_apart(data, sizeof(data));
    rig_assert_order(c.r, c.g, "1,2,3,0");
    rig_free(c.r);
}

static void broken_control_dependencies_are_ignored_with_a_warning(void **state)
{
    (void)state;
    const struct {
        uint8_t data[12];
        size_t bytes;
    } cases[] = {
        {{2, 1, 0}, 3},       /* another version */
        {{1, 2, 0, 0}, 4},    /* a subgraph too many */
        {{1, 0}, 2},          /* one too few */
        {{1, 1, 0, 0}, 4},    /* bytes left over */
        {{1, 1, 2, 6, 0}, 5}, /* a pair is missing */
        {{1, 1, 1, 6}, 4},    /* half a pair */
        {{1, 1, 1, 8, 0}, 5}, /* no operator 4 */
        {{1, 1, 1, 6, 8}, 5}, /* nor here */
        {{1, 1, 1, 1, 0}, 5}, /* operator -1 */
        {{1, 1, 1, 6, 6}, 5}, /* before itself */
        {{1, 1, 0x80}, 3},    /* a number without an end */
        {{1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1}, 8}, /* and too long */
        {{1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 7},    /* 2^32 - 1 pairs */
        {{1}, 1},
        {{0x80}, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        chain c = four_apart(cases[i].data, cases[i].bytes);
        rig_assert_order(c.r, c.g, "0,1,2,3");
        assert_warned(c.r, nonsense, BERTH_NONE, BERTH_NONE);
        rig_free(c.r);
    }
}

static void each_subgraph_has_its_own_control_dependencies(void **state)
{
    (void)state;
    rig *r = rig_new();
    for (int s = 0; s < 3; ++s) {
        const uint32_t g = rig_subgraph(r);
        const int32_t x = rig_tensor(r, g, 4);
        const int32_t y = rig_tensor(r, g, 4);
        const int32_t z = rig_tensor(r, g, 4);
        rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
        rig_op(r, g, BERTH_OP_TANH, MB_INTS(x), MB_INTS(z));
        rig_io(r, g, MB_INTS(x), MB_INTS(y, z));
    }
    const uint8_t data[] = {1, 3, 0, 2, 2, 0, 2, 0, 1, 0, 2};
    mb_metadata(r->builder, "model_control_dependencies", data, sizeof(data));
    rig_graph(r);
    rig_assert_order(r, 0, "0,1");
    rig_assert_order(r, 1, "3,2");
    rig_assert_order(r, 2, "4,5");
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_order_is_kept_where_it_can_run),
        cmocka_unit_test(reading_before_writing_is_sorted_with_a_warning),
        cmocka_unit_test(operators_with_state_do_not_change_places),
        cmocka_unit_test(a_call_of_something_with_state_has_state),
        cmocka_unit_test(tensors_win_over_the_order_of_state),
        cmocka_unit_test(sorted_orders_are_topological_and_smallest),
        cmocka_unit_test(kept_control_dependencies_change_nothing),
        cmocka_unit_test(control_dependencies_order_operators),
        cmocka_unit_test(a_circle_of_control_dependencies_is_ignored),
        cmocka_unit_test(long_numbers_are_read_whole),
        cmocka_unit_test(
            broken_control_dependencies_are_ignored_with_a_warning),
        cmocka_unit_test(each_subgraph_has_its_own_control_dependencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

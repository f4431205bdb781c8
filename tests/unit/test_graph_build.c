/* The flat arrays of a graph, and what it refuses or warns of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static void arrays_are_numbered_through_all_subgraphs(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t h = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t w = rig_constant(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x, w), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    const int32_t a = rig_tensor(r, h, 4);
    const int32_t v = rig_variable(r, h, 4);
    const int32_t b = rig_tensor(r, h, 4);
    rig_op(r, h, BERTH_OP_SVDF, MB_INTS(a, -1, v, a), MB_INTS(b));
    rig_io(r, h, MB_INTS(a), MB_INTS(b, a));
    rig_graph(r);

    const berth_graph *graph = &r->graph;
    assert_int_equal(graph->tensor_count, 6);
    assert_int_equal(graph->op_count, 2);
    assert_int_equal(graph->warning_count, 0);
    assert_int_equal(graph->tensors[0].flags, BERTH_TENSOR_INPUT);
    assert_int_equal(graph->tensors[1].flags, BERTH_TENSOR_CONSTANT);
    assert_int_equal(graph->tensors[2].flags, BERTH_TENSOR_OUTPUT);
    assert_int_equal(graph->tensors[3].flags,
                     BERTH_TENSOR_INPUT | BERTH_TENSOR_OUTPUT);
    assert_int_equal(graph->tensors[4].flags, BERTH_TENSOR_VARIABLE);
    assert_int_equal(graph->tensors[2].producer, 0);
    assert_int_equal(graph->tensors[5].producer, 1);
    assert_int_equal(graph->tensors[3].producer, BERTH_NONE);
    const uint32_t *inputs = berth_graph_inputs(graph, 1);
    assert_int_equal(graph->ops[1].input_count, 4);
    assert_int_equal(inputs[0], 3);
    assert_int_equal(inputs[1], BERTH_NONE);
    assert_int_equal(inputs[2], 4);
    assert_int_equal(berth_graph_outputs(graph, 1)[0], 5);
    /* read twice by one operator, listed once */
    assert_int_equal(graph->tensors[3].reader_count, 1);
    assert_int_equal(graph->readers[graph->tensors[3].first_reader], 1);
    assert_int_equal(graph->subgraphs[1].output_count, 2);
    assert_int_equal(berth_graph_subgraph_outputs(graph, 1)[1], 3);
    assert_true(graph->subgraphs[1].stateful);
    assert_false(graph->subgraphs[0].stateful);
    rig_free(r);
}

static void readers_are_ascending_and_complete(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    enum { COUNT = 40 };
    int32_t t[COUNT + 1];
    t[0] = rig_tensor(r, g, 4);
    for (int i = 1; i <= COUNT; ++i) {
        t[i] = rig_tensor(r, g, 4);
        rig_op(r, g, BERTH_OP_ADD, MB_INTS(t[(i * 7) % i], t[i / 2]),
               MB_INTS(t[i]));
    }
    rig_io(r, g, MB_INTS(t[0]), MB_INTS(t[COUNT]));
    rig_graph(r);
    for (uint32_t k = 0; k < r->graph.tensor_count; ++k) {
        const berth_graph_tensor *tensor = &r->graph.tensors[k];
        uint32_t expected = 0;
        for (uint32_t op = 0; op < r->graph.op_count; ++op) {
            const uint32_t *in = berth_graph_inputs(&r->graph, op);
            if (in[0] == k || in[1] == k) {
                assert_int_equal(
                    r->graph.readers[tensor->first_reader + expected], op);
                ++expected;
            }
        }
        assert_int_equal(tensor->reader_count, expected);
    }
    rig_free(r);
}

/* --- refusals ----------------------------------------------------------- */

static void assert_refused(rig *r, const char *what, uint32_t subgraph,
                           uint32_t op, uint32_t tensor)
{
    berth_graph untouched;
    memset(&untouched, 0x5A, sizeof(untouched));
    r->graph = untouched;
    assert_int_equal(rig_try_graph(r), BERTH_BAD_MODEL);
    assert_string_equal(r->diag.what, what);
    assert_int_equal(r->diag.subgraph, subgraph);
    assert_int_equal(r->diag.op, op);
    assert_int_equal(r->diag.tensor, tensor);
    assert_memory_equal(&r->graph, &untouched, sizeof(untouched));
    rig_free(r);
}

static void a_tensor_written_twice_is_refused(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_io(r, rig_subgraph(r), MB_NO_INTS, MB_NO_INTS);
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_op(r, g, BERTH_OP_TANH, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    assert_refused(r, "a tensor is written twice", g, 1, (uint32_t)y);
}

static void one_operator_writing_a_tensor_twice_is_refused(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_SPLIT, MB_INTS(x), MB_INTS(y, y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    assert_refused(r, "a tensor is written twice", g, 0, (uint32_t)y);
}

static void writing_a_constant_is_refused(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t c = rig_constant(r, g, 4);
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(c));
    rig_io(r, g, MB_INTS(x), MB_INTS(c));
    assert_refused(r, "an operator writes a constant", g, 0, (uint32_t)c);
}

static void writing_an_input_is_refused(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x, y), MB_INTS(y));
    assert_refused(r, "an operator writes an input of its subgraph", g, 0,
                   (uint32_t)y);
}

static void an_operator_reading_its_own_output_is_refused(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x, y), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(y));
    assert_refused(r, "an operator reads its own output", g, 0, (uint32_t)y);
}

static void a_circle_is_refused_and_named_by_a_member(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t a = rig_tensor(r, g, 4);
    const int32_t b = rig_tensor(r, g, 4);
    const int32_t c = rig_tensor(r, g, 4);
    /* op 0 only waits for the circle; ops 1 and 2 are the circle */
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(a), MB_INTS(c));
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(x, b), MB_INTS(a));
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(a), MB_INTS(b));
    rig_io(r, g, MB_INTS(x), MB_INTS(c));
    assert_int_equal(rig_try_graph(r), BERTH_BAD_MODEL);
    assert_string_equal(r->diag.what, "operators wait in a circle");
    assert_true(r->diag.op == 1 || r->diag.op == 2);
    assert_true(r->diag.tensor == (uint32_t)a || r->diag.tensor == (uint32_t)b);
    rig_free(r);
}

/* --- warnings ----------------------------------------------------------- */

static void a_read_tensor_that_nobody_writes_is_warned_of(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t ghost = rig_tensor(r, g, 4);
    const int32_t empty = rig_tensor(r, g, 0); /* nothing to be missed */
    const int32_t idle = rig_tensor(r, g, 4);  /* nobody reads it */
    const int32_t y = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_RESHAPE, MB_INTS(x, empty), MB_INTS(y));
    const int32_t z = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_ADD, MB_INTS(y, ghost), MB_INTS(z));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    rig_graph(r);
    assert_int_equal(r->graph.warning_count, 1);
    assert_int_equal(r->graph.warnings[0].tensor, ghost);
    assert_int_equal(r->graph.warnings[0].op, 1);
    assert_true(r->graph.tensors[ghost].flags & BERTH_TENSOR_ORPHAN);
    assert_true(r->graph.tensors[empty].flags & BERTH_TENSOR_ORPHAN);
    assert_true(r->graph.tensors[idle].flags & BERTH_TENSOR_ORPHAN);
    rig_free(r);
}

static void warnings_are_all_counted_and_some_kept(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    enum { COUNT = 50 };
    int32_t last = 0;
    for (int i = 0; i < COUNT; ++i) {
        const int32_t ghost = rig_tensor(r, g, 4);
        last = rig_tensor(r, g, 4);
        rig_op(r, g, BERTH_OP_RELU, MB_INTS(ghost), MB_INTS(last));
    }
    rig_io(r, g, MB_NO_INTS, MB_INTS(last));
    rig_graph(r);
    assert_int_equal(r->graph.warning_count, COUNT);
    assert_int_equal(r->graph.warnings[BERTH_GRAPH_WARNINGS_MAX - 1].op,
                     BERTH_GRAPH_WARNINGS_MAX - 1);
    rig_free(r);
}

/* --- names -------------------------------------------------------------- */

static uint32_t find(const rig *r, uint32_t g, const char *name)
{
    const berth_bytes bytes = {(const uint8_t *)name, strlen(name)};
    return berth_graph_find_tensor(&r->graph, g, bytes);
}

static void tensors_are_found_by_name_and_by_number(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t h = rig_subgraph(r);
    const char *names[] = {"x", "#3", "x", "y"};
    for (size_t i = 0; i < 4; ++i) {
        mb_tensor(r->builder, g,
                  (mb_tensor_spec){.name = names[i],
                                   .type = BERTH_INT8,
                                   .shape = MB_INTS(4)});
    }
    rig_io(r, g, MB_INTS(0, 1, 2, 3), MB_INTS(0));
    mb_tensor(
        r->builder, h,
        (mb_tensor_spec){.name = "x", .type = BERTH_INT8, .shape = MB_INTS(4)});
    rig_io(r, h, MB_INTS(0), MB_INTS(0));
    rig_graph(r);
    assert_int_equal(find(r, g, "x"), 0);
    assert_int_equal(find(r, h, "x"), 4);
    assert_int_equal(find(r, g, "y"), 3);
    assert_int_equal(find(r, g, "#2"), 2);
    assert_int_equal(find(r, h, "#0"), 4);
    assert_int_equal(find(r, g, "#3"), 3); /* in spite of the name */
    assert_int_equal(find(r, g, "#4"), BERTH_NONE);
    assert_int_equal(find(r, g, "#"), BERTH_NONE);
    assert_int_equal(find(r, g, "#1x"), BERTH_NONE);
    assert_int_equal(find(r, g, "#4294967296"), BERTH_NONE);
    assert_int_equal(find(r, g, "#99999999999999999999999"), BERTH_NONE);
    assert_int_equal(find(r, g, ""), BERTH_NONE);
    assert_int_equal(find(r, g, "z"), BERTH_NONE);
    rig_free(r);
}

/* --- memory ------------------------------------------------------------- */

static berth_status graph_stage(rig *r, berth_work *work, berth_diag *diag)
{
    berth_graph graph = r->graph;
    const berth_status status = berth_graph_init(r->model, work, &graph, diag);
    if (status != BERTH_OK) {
        r->graph = graph; /* as it was, or the test notices */
    }
    return status;
}

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    rig *r = rig_new();
    const uint32_t g = rig_subgraph(r);
    const uint32_t h = rig_subgraph(r);
    const int32_t x = rig_tensor(r, g, 4);
    const int32_t y = rig_tensor(r, g, 4);
    const int32_t z = rig_tensor(r, g, 4);
    rig_op(r, g, BERTH_OP_RELU, MB_INTS(y), MB_INTS(z)); /* not in order */
    rig_call(r, g, h, MB_INTS(x), MB_INTS(y));
    rig_io(r, g, MB_INTS(x), MB_INTS(z));
    const int32_t a = rig_tensor(r, h, 4);
    rig_io(r, h, MB_INTS(a), MB_INTS(a));
    rig_graph(r);
    size_t need = 0;
    assert_int_equal(berth_graph_bytes(r->model, &need, NULL), BERTH_OK);
    rig_shrink(r, graph_stage, need, &r->graph, sizeof(r->graph));
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_numbered_through_all_subgraphs),
        cmocka_unit_test(readers_are_ascending_and_complete),
        cmocka_unit_test(a_tensor_written_twice_is_refused),
        cmocka_unit_test(one_operator_writing_a_tensor_twice_is_refused),
        cmocka_unit_test(writing_a_constant_is_refused),
        cmocka_unit_test(writing_an_input_is_refused),
        cmocka_unit_test(an_operator_reading_its_own_output_is_refused),
        cmocka_unit_test(a_circle_is_refused_and_named_by_a_member),
        cmocka_unit_test(a_read_tensor_that_nobody_writes_is_warned_of),
        cmocka_unit_test(warnings_are_all_counted_and_some_kept),
        cmocka_unit_test(tensors_are_found_by_name_and_by_number),
        cmocka_unit_test(any_smaller_memory_is_refused_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

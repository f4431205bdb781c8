/* Life times without walking twice, against a plain recursive walk. */
#include "micro/micro_int.h"
#include "model_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SUBGRAPHS = 6, TENSORS = 8, OPS = 5 };

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695041u;
    return (uint32_t)(random_state >> 33) % below;
}

static void add_op(mb *b, uint32_t s, uint32_t subgraphs, int32_t input,
                   int32_t output)
{
    const uint32_t left = subgraphs - s - 1;
    const uint32_t kind = left == 0 ? 3 : draw(5);
    const int64_t callee = left == 0 ? 0 : s + 1 + (int64_t)draw(left);
    const int64_t other = left == 0 ? 0 : s + 1 + (int64_t)draw(left);
    mb_op_spec spec = {.inputs = MB_INTS(input), .outputs = MB_INTS(output)};
    switch (kind) {
    case 0:
        spec.code = BERTH_OP_IF;
        spec.options = MB_OPTIONS(
            {BERTH_OPT_IfOptions_then_subgraph_index, .value = callee},
            {BERTH_OPT_IfOptions_else_subgraph_index, .value = other});
        mb_op(b, s, spec);
        return;
    case 1:
        spec.code = BERTH_OP_WHILE;
        spec.options = MB_OPTIONS(
            {BERTH_OPT_WhileOptions_cond_subgraph_index, .value = callee},
            {BERTH_OPT_WhileOptions_body_subgraph_index, .value = other});
        mb_op(b, s, spec);
        return;
    case 2:
        spec.code = BERTH_OP_CALL_ONCE;
        spec.options = MB_OPTIONS(
            {BERTH_OPT_CallOnceOptions_init_subgraph_index, .value = callee});
        mb_op(b, s, spec);
        return;
    default:
        spec.code = BERTH_OP_TANH;
        mb_op(b, s, spec);
    }
}

/* A chain of tensors a subgraph, with calls of later ones only. */
static mb *make(uint32_t subgraphs)
{
    mb *b = mb_new();
    for (uint32_t s = 0; s < subgraphs; ++s) {
        (void)mb_subgraph(b, "s");
        for (int t = 0; t < TENSORS; ++t) {
            (void)mb_tensor(b, s,
                            (mb_tensor_spec){.name = "t",
                                             .type = BERTH_FLOAT32,
                                             .shape = MB_INTS(4)});
        }
    }
    for (uint32_t s = 0; s < subgraphs; ++s) {
        const uint32_t ops = draw(OPS);
        for (uint32_t op = 0; op < ops; ++op) {
            add_op(b, s, subgraphs, (int32_t)draw(op + 1), (int32_t)op + 1);
        }
        mb_io(b, s, MB_INTS(0), MB_INTS((int32_t)draw(ops + 2)));
    }
    return b;
}

/* --- the oracle: as TFLM walks -----------------------------------------------
 */

typedef struct oracle {
    const berth_graph *graph;
    int64_t first[SUBGRAPHS * TENSORS];
    int64_t last[SUBGRAPHS * TENSORS];
    int64_t op_first[SUBGRAPHS * OPS];
    int64_t op_last[SUBGRAPHS * OPS];
    int64_t now;
} oracle;

static void walk(oracle *o, uint32_t s)
{
    const berth_graph *graph = o->graph;
    const berth_graph_subgraph *io = &graph->subgraphs[s];
    for (uint32_t i = 0; i < io->input_count; ++i) {
        const uint32_t t = berth_graph_subgraph_inputs(graph, s)[i];
        o->first[t] = o->first[t] < 0 ? o->now : o->first[t];
        o->last[t] = o->now;
    }
    for (uint32_t op = graph->op_base[s]; op < graph->op_base[s + 1]; ++op) {
        ++o->now;
        const int64_t start = o->now;
        for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
            const uint32_t t = berth_graph_outputs(graph, op)[i];
            o->first[t] = o->first[t] < 0 ? o->now : o->first[t];
        }
        for (uint32_t k = 0; k < graph->ops[op].callee_count; ++k) {
            ++o->now;
            walk(o, berth_graph_callees(graph, op)[k]);
        }
        for (uint32_t i = 0; i < graph->ops[op].input_count; ++i) {
            o->last[berth_graph_inputs(graph, op)[i]] = o->now;
        }
        for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
            o->last[berth_graph_outputs(graph, op)[i]] = o->now;
        }
        o->op_first[op] = o->op_first[op] < 0 ? start : o->op_first[op];
        o->op_last[op] = o->now;
    }
    for (uint32_t i = 0; i < io->output_count; ++i) {
        const uint32_t t = berth_graph_subgraph_outputs(graph, s)[i];
        o->first[t] = o->first[t] < 0 ? o->now : o->first[t];
        o->last[t] = o->now;
    }
}

static void compare(const berth_graph *graph)
{
    static oracle o;
    size_t kept = 0;
    size_t scratch = 0;
    micro_lives lives;
    assert_true(micro_lives_need(graph, &kept, &scratch));
    void *memory = malloc(kept + scratch + 16);
    berth_work work = berth_work_of(memory, kept + scratch + 16);
    assert_int_equal(micro_lives_init(&lives, graph, &work, NULL), BERTH_OK);
    memset(&o, 0xff, sizeof(o)); /* -1 everywhere */
    o.graph = graph;
    o.now = 0;
    walk(&o, 0);
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        assert_int_equal(lives.tensor[t].born, o.first[t] + 1);
        assert_int_equal(lives.tensor[t].dead, o.last[t] + 2);
        assert_true(lives.tensor[t].dead <= lives.step_count);
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        assert_int_equal(lives.op[op].born, o.op_first[op] + 1);
        assert_int_equal(lives.op[op].dead, o.op_last[op] + 2);
    }
    free(memory);
}

typedef struct built {
    mb *builder;
    void *memory[2];
    berth_graph graph;
} built;

static berth_status build(built *out, mb *b)
{
    size_t need = 0;
    const berth_model *model = NULL;
    const berth_bytes file = mb_finish(b);
    *out = (built){.builder = b};
    assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
    out->memory[0] = malloc(need);
    berth_work work = berth_work_of(out->memory[0], need);
    assert_int_equal(berth_model_init(file, &work, &model, NULL), BERTH_OK);
    assert_int_equal(berth_graph_bytes(model, &need, NULL), BERTH_OK);
    out->memory[1] = malloc(need);
    work = berth_work_of(out->memory[1], need);
    return berth_graph_init(model, &work, &out->graph, NULL);
}

static void drop(built *made)
{
    free(made->memory[0]);
    free(made->memory[1]);
    mb_free(made->builder);
}

static void lives__are_those_of_the_plain_walk(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 2000; ++seed) {
        built made;
        random_state = seed;
        if (build(&made, make(1 + draw(SUBGRAPHS))) == BERTH_OK) {
            compare(&made.graph);
        }
        drop(&made);
    }
}

/* Forty subgraphs that call the next one twice: 2^40 steps if walked. */
static void lives__of_nested_calls_are_refused_at_once(void **state)
{
    mb *b = mb_new();
    built made;
    size_t kept = 0;
    size_t scratch = 0;
    micro_lives lives;
    berth_diag diag;
    (void)state;
    for (uint32_t s = 0; s < 40; ++s) {
        (void)mb_subgraph(b, "s");
        (void)mb_tensor(b, s,
                        (mb_tensor_spec){.name = "t",
                                         .type = BERTH_BOOL,
                                         .shape = MB_INTS(1)});
        (void)mb_tensor(b, s,
                        (mb_tensor_spec){.name = "u",
                                         .type = BERTH_BOOL,
                                         .shape = MB_INTS(1)});
        if (s < 39) {
            mb_op(b, s,
                  (mb_op_spec){.code = BERTH_OP_IF,
                               .inputs = MB_INTS(0),
                               .outputs = MB_INTS(1),
                               .options = MB_OPTIONS(
                                   {BERTH_OPT_IfOptions_then_subgraph_index,
                                    .value = s + 1},
                                   {BERTH_OPT_IfOptions_else_subgraph_index,
                                    .value = s + 1})});
        }
        mb_io(b, s, MB_INTS(0), MB_INTS(0));
    }
    assert_int_equal(build(&made, b), BERTH_OK);
    assert_true(micro_lives_need(&made.graph, &kept, &scratch));
    void *memory = malloc(kept + scratch + 16);
    berth_work work = berth_work_of(memory, kept + scratch + 16);
    assert_int_equal(micro_lives_init(&lives, &made.graph, &work, &diag),
                     BERTH_TOO_MANY_STEPS);
    free(memory);
    drop(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives__are_those_of_the_plain_walk),
        cmocka_unit_test(lives__of_nested_calls_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

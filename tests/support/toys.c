/* Little models of floats. */
#include "toys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

float toy_seen;

/* --- operators ------------------------------------------------------------ */

static float get(const berth_operand *operand, uint64_t i)
{
    float value;
    memcpy(&value, operand->data + i * sizeof(value), sizeof(value));
    return value;
}

static void put(const berth_operand *operand, uint64_t i, float value)
{
    memcpy(operand->data + i * sizeof(value), &value, sizeof(value));
}

static berth_status check_toy(const berth_node *node, berth_diag *diag)
{
    (void)diag;
    return node->input_count == 1 && node->output_count == 1 ? BERTH_OK
                                                             : BERTH_BAD_MODEL;
}

static berth_status refuse_toy(const berth_node *node, berth_diag *diag)
{
    (void)node;
    *diag = berth_diag_none();
    diag->what = "a strict toy";
    return BERTH_BAD_MODEL;
}

static void copy_plus(const berth_node *node, float plus)
{
    for (uint64_t i = 0; i < node->outputs[0].elements; ++i) {
        put(&node->outputs[0], i, get(&node->inputs[0], i) + plus);
    }
}

static berth_status run_inc(const berth_node *node, uint32_t begin,
                            uint32_t end)
{
    (void)begin;
    (void)end;
    copy_plus(node, 1.0f);
    return BERTH_OK;
}

static berth_status run_below(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    (void)begin;
    (void)end;
    node->outputs[0].data[0] = get(&node->inputs[0], 0) < 10.0f ? 1 : 0;
    return BERTH_OK;
}

static berth_status run_even(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    (void)begin;
    (void)end;
    copy_plus(node, 0.0f);
    return ((int)get(&node->inputs[0], 0) & 1) != 0 ? BERTH_BAD_DATA : BERTH_OK;
}

static berth_status run_spy(const berth_node *node, uint32_t begin,
                            uint32_t end)
{
    (void)begin;
    (void)end;
    toy_seen = get(&node->outputs[0], 0);
    copy_plus(node, 0.0f);
    return BERTH_OK;
}

static const berth_kernel inc = {.check = check_toy, .rows = run_inc};
static const berth_kernel below = {.check = check_toy, .rows = run_below};
static const berth_kernel even = {
    .check = check_toy, .rows = run_even, .data_error = "an odd number"};
static const berth_kernel strict = {.check = refuse_toy, .rows = run_inc};
static const berth_kernel spy = {.check = check_toy, .rows = run_spy};

static const berth_custom_kernel customs[] = {
    {"inc", &inc},       {"below", &below}, {"even", &even},
    {"strict", &strict}, {"spy", &spy},
};

const berth_kernels *toy_kernels(void)
{
    static berth_kernels toys = {
        .name = "toys",
        .custom_count = sizeof(customs) / sizeof(customs[0]),
        .custom = customs,
    };
    toys.otherwise = berth_kernels_ref();
    return &toys;
}

/* --- models --------------------------------------------------------------- */

toy *toy_new(void)
{
    toy *t = calloc(1, sizeof(*t));
    assert_non_null(t);
    t->b = mb_new();
    (void)mb_subgraph(t->b, "main");
    return t;
}

void toy_free(toy *t)
{
    mb_free(t->b);
    free(t);
}

int32_t toy_tensor(toy *t, uint32_t g, const char *name, berth_type type,
                   int32_t count)
{
    return mb_tensor(
        t->b, g,
        (mb_tensor_spec){.name = name, .type = type, .shape = MB_INTS(count)});
}

int32_t toy_float(toy *t, uint32_t g, const char *name, int32_t count)
{
    return toy_tensor(t, g, name, BERTH_FLOAT32, count);
}

int32_t toy_constant(toy *t, uint32_t g, int32_t count, float value)
{
    float data[64];
    assert_true(count <= 64);
    for (int32_t i = 0; i < count; ++i) {
        data[i] = value;
    }
    return mb_tensor(t->b, g,
                     (mb_tensor_spec){.name = "c",
                                      .type = BERTH_FLOAT32,
                                      .shape = MB_INTS(count),
                                      .data = data,
                                      .data_bytes = (size_t)count * 4u});
}

int32_t toy_variable(toy *t, uint32_t g, const char *name, int32_t count)
{
    return mb_tensor(t->b, g,
                     (mb_tensor_spec){.name = name,
                                      .type = BERTH_FLOAT32,
                                      .shape = MB_INTS(count),
                                      .is_variable = true});
}

void toy_custom(toy *t, uint32_t g, const char *name, mb_ints in, mb_ints out)
{
    (void)mb_op(t->b, g,
                (mb_op_spec){.code = BERTH_OP_CUSTOM,
                             .custom_name = name,
                             .inputs = in,
                             .outputs = out});
}

void toy_op(toy *t, uint32_t g, uint32_t code, mb_ints in, mb_ints out)
{
    (void)mb_op(t->b, g,
                (mb_op_spec){.code = code, .inputs = in, .outputs = out});
}

void toy_while(toy *t, uint32_t g, int64_t cond, int64_t body, mb_ints in,
               mb_ints out)
{
    (void)mb_op(
        t->b, g,
        (mb_op_spec){
            .code = BERTH_OP_WHILE,
            .inputs = in,
            .outputs = out,
            .options = MB_OPTIONS(
                {BERTH_OPT_WhileOptions_cond_subgraph_index, .value = cond},
                {BERTH_OPT_WhileOptions_body_subgraph_index, .value = body})});
}

void toy_if(toy *t, uint32_t g, int64_t then_, int64_t else_, mb_ints in,
            mb_ints out)
{
    (void)mb_op(
        t->b, g,
        (mb_op_spec){
            .code = BERTH_OP_IF,
            .inputs = in,
            .outputs = out,
            .options = MB_OPTIONS(
                {BERTH_OPT_IfOptions_then_subgraph_index, .value = then_},
                {BERTH_OPT_IfOptions_else_subgraph_index, .value = else_})});
}

void toy_call_once(toy *t, uint32_t g, int64_t callee)
{
    (void)mb_op(t->b, g,
                (mb_op_spec){.code = BERTH_OP_CALL_ONCE,
                             .options = MB_OPTIONS(
                                 {BERTH_OPT_CallOnceOptions_init_subgraph_index,
                                  .value = callee})});
}

int32_t toy_handle(toy *t, uint32_t g, const char *name)
{
    const int32_t handle = mb_tensor(t->b, g,
                                     (mb_tensor_spec){.name = name,
                                                      .type = BERTH_RESOURCE,
                                                      .shape = MB_NO_INTS});
    (void)mb_op(t->b, g,
                (mb_op_spec){.code = BERTH_OP_VAR_HANDLE,
                             .outputs = MB_INTS(handle),
                             .options = MB_OPTIONS(
                                 {BERTH_OPT_VarHandleOptions_shared_name,
                                  .text = name})});
    return handle;
}

/* --- engines -------------------------------------------------------------- */

engine_rig *toy_rig(toy *t, const engine_wishes *wishes)
{
    engine_wishes mine = *wishes;
    mine.kernels = mine.kernels == NULL ? toy_kernels() : mine.kernels;
    if (t->file.data == NULL) {
        t->file = mb_finish(t->b);
    }
    return engine_rig_new(t->file, &mine);
}

engine_rig *toy_open(toy *t, const engine_wishes *wishes)
{
    engine_rig *e = toy_rig(t, wishes);
    if (engine_rig_stage(e)) {
        engine_rig_lend(e);
        e->status =
            berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag);
    }
    if (e->status != BERTH_OK) {
        fail_msg("%s: %s", berth_status_name(e->status), e->diag.what);
    }
    return e;
}

void toy_refused(toy *t, const engine_wishes *wishes, berth_status status,
                 const char *what)
{
    engine_rig *e = toy_rig(t, wishes);
    assert_true(engine_rig_stage(e));
    engine_rig_lend(e);
    berth_engine *const before = e->engine;
    assert_int_equal(
        berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag),
        status);
    assert_string_equal(e->diag.what, what);
    assert_ptr_equal(e->engine, before);
    engine_rig_free(e);
}

float *toy_in(const engine_rig *e, uint32_t i)
{
    return (float *)(void *)engine_rig_input(e, i).data;
}

float *toy_out(const engine_rig *e, uint32_t i)
{
    return (float *)(void *)engine_rig_output(e, i).data;
}

void toy_run(engine_rig *e)
{
    const berth_status status = berth_engine_run(e->engine, NULL, &e->diag);
    if (status != BERTH_OK) {
        fail_msg("%s: %s", berth_status_name(status), e->diag.what);
    }
    assert_true(engine_rig_stands(e));
}

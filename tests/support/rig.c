#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_MAX = 4096 };

rig *rig_new(void)
{
    rig *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    r->builder = mb_new();
    r->diag = berth_diag_none();
    return r;
}

void rig_free(rig *r)
{
    for (uint32_t i = 0; i < r->memory_count; ++i) {
        free(r->memory[i]);
    }
    free(r->shape);
    free(r->dims);
    free(r->offset);
    mb_free(r->builder);
    free(r);
}

/* --- building ----------------------------------------------------------- */

uint32_t rig_subgraph(rig *r)
{
    return mb_subgraph(r->builder, "g");
}

int32_t rig_tensor(rig *r, uint32_t g, int32_t bytes)
{
    return mb_tensor(r->builder, g,
                     (mb_tensor_spec){.name = "t",
                                      .type = BERTH_INT8,
                                      .shape = MB_INTS(bytes)});
}

int32_t rig_constant(rig *r, uint32_t g, int32_t bytes)
{
    uint8_t *data = calloc((size_t)bytes + 1, 1);
    assert_non_null(data);
    const int32_t t = mb_tensor(r->builder, g,
                                (mb_tensor_spec){.name = "c",
                                                 .type = BERTH_INT8,
                                                 .shape = MB_INTS(bytes),
                                                 .data = data,
                                                 .data_bytes = (size_t)bytes});
    free(data);
    return t;
}

int32_t rig_variable(rig *r, uint32_t g, int32_t bytes)
{
    return mb_tensor(r->builder, g,
                     (mb_tensor_spec){.name = "v",
                                      .type = BERTH_INT8,
                                      .shape = MB_INTS(bytes),
                                      .is_variable = true});
}

int32_t rig_handle(rig *r, uint32_t g)
{
    return mb_tensor(r->builder, g,
                     (mb_tensor_spec){.name = "h",
                                      .type = BERTH_RESOURCE,
                                      .shape = MB_INTS(1)});
}

uint32_t rig_op(rig *r, uint32_t g, uint32_t code, mb_ints in, mb_ints out)
{
    return mb_op(r->builder, g,
                 (mb_op_spec){.code = code, .inputs = in, .outputs = out});
}

void rig_io(rig *r, uint32_t g, mb_ints in, mb_ints out)
{
    mb_io(r->builder, g, in, out);
}

void rig_if(rig *r, uint32_t g, uint32_t then_, uint32_t else_, mb_ints in,
            mb_ints out)
{
    mb_op(r->builder, g,
          (mb_op_spec){
              .code = BERTH_OP_IF,
              .inputs = in,
              .outputs = out,
              .options = MB_OPTIONS(
                  {BERTH_OPT_IfOptions_then_subgraph_index, .value = then_},
                  {BERTH_OPT_IfOptions_else_subgraph_index, .value = else_})});
}

void rig_while(rig *r, uint32_t g, uint32_t cond, uint32_t body, mb_ints in,
               mb_ints out)
{
    mb_op(
        r->builder, g,
        (mb_op_spec){
            .code = BERTH_OP_WHILE,
            .inputs = in,
            .outputs = out,
            .options = MB_OPTIONS(
                {BERTH_OPT_WhileOptions_cond_subgraph_index, .value = cond},
                {BERTH_OPT_WhileOptions_body_subgraph_index, .value = body})});
}

void rig_call(rig *r, uint32_t g, uint32_t callee, mb_ints in, mb_ints out)
{
    mb_op(
        r->builder, g,
        (mb_op_spec){
            .code = BERTH_OP_STABLEHLO_COMPOSITE,
            .inputs = in,
            .outputs = out,
            .options = MB_OPTIONS(
                {BERTH_OPT_StableHLOCompositeOptions_decomposition_subgraph_index,
                 .value = callee})});
}

void rig_call_once(rig *r, uint32_t g, uint32_t callee)
{
    mb_op(r->builder, g,
          (mb_op_spec){.code = BERTH_OP_CALL_ONCE,
                       .options = MB_OPTIONS(
                           {BERTH_OPT_CallOnceOptions_init_subgraph_index,
                            .value = callee})});
}

void rig_case(rig *r, uint32_t g, mb_ints callees, mb_ints in, mb_ints out)
{
    mb_op(r->builder, g,
          (mb_op_spec){
              .code = BERTH_OP_STABLEHLO_CASE,
              .inputs = in,
              .outputs = out,
              .options = MB_OPTIONS(
                  {BERTH_OPT_StablehloCaseOptions_branch_subgraph_indices,
                   .ints = callees})});
}

void rig_var_handle(rig *r, uint32_t g, const char *container, const char *name,
                    int32_t out)
{
    mb_op(r->builder, g,
          (mb_op_spec){
              .code = BERTH_OP_VAR_HANDLE,
              .outputs = MB_INTS(out),
              .options = MB_OPTIONS(
                  {BERTH_OPT_VarHandleOptions_container, .text = container},
                  {BERTH_OPT_VarHandleOptions_shared_name, .text = name})});
}

/* --- stages ------------------------------------------------------------- */

static berth_work lend(rig *r, size_t bytes)
{
    assert_true(r->memory_count < sizeof(r->memory) / sizeof(r->memory[0]));
    void *memory = malloc(bytes + 1); /* a block, even of nothing */
    assert_non_null(memory);
    r->memory[r->memory_count++] = memory;
    return berth_work_of(memory, bytes);
}

static void must(const rig *r, berth_status status)
{
    if (status != BERTH_OK) {
        fail_msg("%s: %s (subgraph %u op %u tensor %u)",
                 berth_status_name(status), r->diag.what, r->diag.subgraph,
                 r->diag.op, r->diag.tensor);
    }
}

static void make_model(rig *r)
{
    const berth_bytes file = mb_finish(r->builder);
    size_t need = 0;
    must(r, berth_model_bytes(file, &need, &r->diag));
    berth_work work = lend(r, need);
    must(r, berth_model_init(file, &work, &r->model, &r->diag));
}

/* What the file says, without any shape function. */
static void make_shapes(rig *r)
{
    const uint32_t count = r->graph.tensor_count;
    size_t dims = 0;
    for (uint32_t t = 0; t < count; ++t) {
        dims += berth_graph_tensor_info(&r->graph, t).shape.count;
    }
    r->shape = calloc(count + 1u, sizeof(*r->shape));
    r->dims = calloc(dims + 1, sizeof(*r->dims));
    assert_true(r->shape != NULL && r->dims != NULL);
    uint32_t at = 0;
    for (uint32_t t = 0; t < count; ++t) {
        const berth_tensor info = berth_graph_tensor_info(&r->graph, t);
        const uint32_t bits = berth_type_bits(info.type);
        uint64_t elements = 1;
        r->shape[t].first_dim = at;
        r->shape[t].rank = info.shape.count;
        r->shape[t].culprit = BERTH_NONE;
        for (uint32_t i = 0; i < info.shape.count; ++i) {
            r->dims[at] = berth_ivec_at(info.shape, i);
            elements *= (uint64_t)r->dims[at++];
        }
        r->shape[t].bytes = elements * bits / 8;
        r->shape[t].state =
            bits == 0 ? BERTH_SHAPE_UNSIZED : BERTH_SHAPE_STATIC;
    }
    r->shapes = (berth_shapes){.of = r->shape, .dims = r->dims};
}

berth_status rig_try_graph(rig *r)
{
    make_model(r);
    size_t need = 0;
    must(r, berth_graph_bytes(r->model, &need, &r->diag));
    berth_work work = lend(r, need);
    const berth_status status =
        berth_graph_init(r->model, &work, &r->graph, &r->diag);
    if (status == BERTH_OK) {
        make_shapes(r);
        r->done = 1;
    }
    return status;
}

void rig_graph(rig *r)
{
    if (r->done < 1) {
        must(r, rig_try_graph(r));
    }
}

berth_status rig_try_schedule(rig *r, uint32_t subgraph)
{
    rig_graph(r);
    size_t need = 0;
    berth_status status =
        berth_schedule_bytes(&r->graph, subgraph, &need, &r->diag);
    if (status == BERTH_OK) {
        berth_work work = lend(r, need);
        status = berth_schedule_init(&r->graph, subgraph, &work, &r->schedule,
                                     &r->diag);
    }
    r->done = status == BERTH_OK ? 2 : r->done;
    return status;
}

void rig_schedule(rig *r, uint32_t subgraph)
{
    must(r, rig_try_schedule(r, subgraph));
}

void rig_lifetimes(rig *r, const berth_lifetime_options *options)
{
    if (r->done < 2) {
        rig_schedule(r, 0);
    }
    size_t need = 0;
    must(r, berth_lifetimes_bytes(&r->graph, &r->shapes, &r->schedule, options,
                                  &need, &r->diag));
    berth_work work = lend(r, need);
    must(r, berth_lifetimes_init(&r->graph, &r->shapes, &r->schedule, options,
                                 &work, &r->lifetimes, &r->diag));
    r->done = 3;
}

void rig_again(rig *r, uint32_t subgraph, const berth_lifetime_options *options)
{
    rig_schedule(r, subgraph);
    rig_lifetimes(r, options);
}

uint32_t rig_global(const rig *r, uint32_t g, int32_t tensor)
{
    return r->graph.tensor_base[g] + (uint32_t)tensor;
}

/* --- comparing as text -------------------------------------------------- */

typedef struct text {
    char at[TEXT_MAX];
    size_t length;
} text;

static void add(text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n =
        vsnprintf(t->at + t->length, TEXT_MAX - t->length, format, list);
    va_end(list);
    assert_true(n >= 0 && (size_t)n < TEXT_MAX - t->length);
    t->length += (size_t)n;
}

void rig_assert_steps(const rig *r, const char *expected)
{
    text t = {.length = 0};
    for (uint32_t s = 0; s < r->schedule.step_count; ++s) {
        const berth_step *step = &r->schedule.steps[s];
        add(&t, "%s%s%u", s == 0 ? "" : " ",
            berth_step_name((berth_step_kind)step->kind), step->op);
    }
    assert_string_equal(t.at, expected);
}

void rig_assert_order(const rig *r, uint32_t g, const char *expected)
{
    text t = {.length = 0};
    for (uint32_t i = r->graph.op_base[g]; i < r->graph.op_base[g + 1]; ++i) {
        add(&t, "%s%u", t.length == 0 ? "" : ",", r->graph.order[i]);
    }
    assert_string_equal(t.at, expected);
}

static uint32_t item_of(const rig *r, uint32_t g, int32_t tensor)
{
    return r->lifetimes.item_of_tensor[rig_global(r, g, tensor)];
}

void rig_assert_spans(const rig *r, uint32_t g, int32_t tensor,
                      const char *expected)
{
    text t = {.length = 0};
    const uint32_t item = item_of(r, g, tensor);
    if (item == BERTH_NONE) {
        add(&t, "none");
    } else {
        const berth_problem *p = &r->lifetimes.problem;
        for (uint32_t i = 0; i < p->items[item].span_count; ++i) {
            const berth_span span = p->spans[p->items[item].first_span + i];
            add(&t, "%s%u-%u", i == 0 ? "" : " ", span.born, span.dead);
        }
    }
    assert_string_equal(t.at, expected);
}

void rig_assert_class(const rig *r, uint32_t g, int32_t tensor,
                      berth_class expected)
{
    const uint8_t found =
        r->lifetimes.class_of_tensor[rig_global(r, g, tensor)];
    assert_string_equal(berth_class_name((berth_class)found),
                        berth_class_name(expected));
}

void rig_assert_link(const rig *r, uint32_t g, int32_t from, uint32_t h,
                     int32_t to, const char *expected)
{
    text t = {.length = 0};
    const uint32_t a = item_of(r, g, from);
    const uint32_t b = item_of(r, h, to);
    assert_true(a != BERTH_NONE && b != BERTH_NONE);
    const berth_problem *p = &r->lifetimes.problem;
    for (uint32_t i = 0; i < p->link_count; ++i) {
        const berth_link link = p->links[i];
        assert_true(link.a < link.b);
        if (link.a == a && link.b == b) {
            add(&t, "%lld,%lld", (long long)link.lo, (long long)link.hi);
        } else if (link.a == b && link.b == a) {
            add(&t, "%lld,%lld", (long long)-link.hi, (long long)-link.lo);
        }
    }
    assert_string_equal(t.length == 0 ? "none" : t.at, expected);
}

void rig_assert_tie(const rig *r, uint32_t g, int32_t from, uint32_t h,
                    int32_t to, bool expected)
{
    const berth_problem *p = &r->lifetimes.problem;
    bool found = false;
    for (uint32_t i = 0; i < p->tie_count; ++i) {
        found = found ||
                (p->ties[i].a == item_of(r, g, from) &&
                 p->ties[i].b == item_of(r, h, to) && p->ties[i].delta == 0);
    }
    assert_int_equal(found, expected);
}

/* --- planning ------------------------------------------------------------- */

static void check_plan(rig *r, const berth_plan *plan)
{
    const berth_problem *problem = &r->lifetimes.problem;
    size_t need = 0;
    must(r, berth_plan_check_bytes(problem, &need));
    void *memory = malloc(need + 1);
    must(r, berth_plan_check(problem, plan, berth_work_of(memory, need),
                             &r->diag));
    free(memory);
}

static void prove_plan(rig *r, const berth_plan *plan)
{
    const uint32_t tensors = r->graph.tensor_count;
    uint64_t *address = malloc((tensors + 1u) * sizeof(*address));
    assert_non_null(address);
    for (uint32_t t = 0; t < tensors; ++t) {
        const uint32_t item = r->lifetimes.item_of_tensor[t];
        address[t] = item == BERTH_NONE ? BERTH_NOWHERE : plan->offset[item];
    }
    size_t need = 0;
    must(r, berth_prove_bytes(&r->graph, &r->schedule, &need, &r->diag));
    void *memory = malloc(need + 1);
    const berth_status status =
        berth_prove(&r->graph, &r->shapes, &r->schedule, address,
                    berth_work_of(memory, need), &r->diag);
    if (status != BERTH_OK) {
        fail_msg("%s: step %u tensor %u other %u: %s",
                 berth_status_name(status), r->diag.step, r->diag.tensor,
                 r->diag.other, r->diag.what);
    }
    free(memory);
    free(address);
}

uint64_t rig_plan(rig *r, berth_strategy strategy)
{
    const berth_problem *problem = &r->lifetimes.problem;
    const berth_plan_options options = {.strategy = strategy};
    size_t need = 0;
    must(r, berth_plan_bytes(problem, &options, &need, &r->diag));
    void *memory = malloc(need + 1);
    free(r->offset);
    r->offset = calloc(problem->item_count + 1u, sizeof(*r->offset));
    assert_true(memory != NULL && r->offset != NULL);
    berth_plan plan = {.offset = r->offset};
    must(r, berth_plan_solve(problem, &options, berth_work_of(memory, need),
                             &plan, &r->diag));
    free(memory);
    check_plan(r, &plan);
    prove_plan(r, &plan);
    return plan.peak;
}

uint64_t rig_offset(const rig *r, uint32_t g, int32_t tensor)
{
    const uint32_t item = item_of(r, g, tensor);
    return item == BERTH_NONE ? BERTH_NOWHERE : r->offset[item];
}

/* --- shrinking ---------------------------------------------------------- */

void rig_shrink(rig *r, rig_stage stage, size_t need, const void *seen,
                size_t seen_bytes)
{
    void *before = malloc(seen_bytes);
    assert_non_null(before);
    memcpy(before, seen, seen_bytes);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent); /* exact: ASan guards both ends */
        berth_work work = berth_work_of(memory, lent);
        const uint8_t *start = work.next;
        berth_diag diag = berth_diag_none();
        const berth_status status = stage(r, &work, &diag);
        if (lent < need) {
            assert_int_equal(status, BERTH_NO_SPACE);
            assert_int_equal(diag.needed_bytes, need);
            assert_memory_equal(before, seen, seen_bytes);
            assert_ptr_equal(work.next, start);
        } else {
            assert_int_equal(status, BERTH_OK);
        }
        free(memory);
    }
    free(before);
}

/* The naive runner: one block a tensor, operators in order. */
#include "naive.h"

#include "berth/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERANDS_MAX = 512,
    VARIABLES_MAX = 64,
    VARIABLE_BYTES = 1 << 20,
    TENSOR_BYTES_MAX = 1 << 28
};

typedef struct variable {
    berth_bytes container;
    berth_bytes name;
    uint8_t *data;
} variable;

struct naive {
    const berth_kernels *kernels;
    berth_profile profile;
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
    void *model_memory;
    void *graph_memory;
    void *shapes_memory;
    uint8_t **data;  /* by global tensor; of what is not constant */
    bool *held;      /* free() it */
    bool *done_once; /* by global op: CALL_ONCE has run */
    variable variables[VARIABLES_MAX];
    uint32_t variable_count;
    naive_watch *watch; /* or NULL */
    void *watch_self;
};

static bool say(char *why, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(why, size, format, list);
    va_end(list);
    return false;
}

/* --- opening -------------------------------------------------------------- */

static bool open_stages(naive *n, berth_bytes file,
                        const berth_shape_override *overrides,
                        uint32_t override_count, berth_diag *diag)
{
    size_t need = 0;
    if (berth_model_bytes(file, &need, diag) != BERTH_OK) {
        return false;
    }
    n->model_memory = malloc(need + 1);
    berth_work work = berth_work_of(n->model_memory, need);
    if (berth_model_init(file, &work, &n->model, diag) != BERTH_OK ||
        berth_graph_bytes(n->model, &need, diag) != BERTH_OK) {
        return false;
    }
    n->graph_memory = malloc(need + 1);
    work = berth_work_of(n->graph_memory, need);
    if (berth_graph_init(n->model, &work, &n->graph, diag) != BERTH_OK) {
        return false;
    }
    const berth_shape_options options = {.overrides = overrides,
                                         .override_count = override_count};
    if (berth_shapes_bytes(&n->graph, &options, &need, diag) != BERTH_OK) {
        return false;
    }
    n->shapes_memory = malloc(need + 1);
    work = berth_work_of(n->shapes_memory, need);
    return berth_shapes_init(&n->graph, &options, &work, &n->shapes, diag) ==
           BERTH_OK;
}

static bool take_tensors(naive *n, char *why, size_t size)
{
    const berth_graph *g = &n->graph;
    n->data = calloc(g->tensor_count + 1u, sizeof(*n->data));
    n->held = calloc(g->tensor_count + 1u, sizeof(*n->held));
    n->done_once = calloc(g->op_count + 1u, sizeof(*n->done_once));
    for (uint32_t t = 0; t < g->tensor_count; ++t) {
        const berth_shape *shape = &n->shapes.of[t];
        if ((g->tensors[t].flags & BERTH_TENSOR_CONSTANT) != 0 ||
            shape->state == BERTH_SHAPE_UNSIZED) {
            continue;
        }
        if (shape->state == BERTH_SHAPE_DYNAMIC) {
            if (g->tensors[t].subgraph == 0) {
                return say(why, size, "tensor #%u is dynamic", t);
            }
            continue;
        }
        if (shape->bytes > TENSOR_BYTES_MAX) {
            return say(why, size, "tensor #%u is larger than this runner's", t);
        }
        n->data[t] = malloc((size_t)shape->bytes);
        n->held[t] = true;
        memset(n->data[t],
               (g->tensors[t].flags & BERTH_TENSOR_VARIABLE) != 0 ? 0 : 0x5a,
               (size_t)shape->bytes);
    }
    return true;
}

naive *naive_open(berth_bytes file, const berth_kernels *kernels,
                  berth_profile profile, const berth_shape_override *overrides,
                  uint32_t override_count, char *why, size_t why_size)
{
    berth_diag diag = berth_diag_none();
    naive *n = calloc(1, sizeof(*n));
    n->kernels = kernels;
    n->profile = profile;
    if (!open_stages(n, file, overrides, override_count, &diag)) {
        (void)say(why, why_size, "%s", diag.what);
        naive_close(n);
        return NULL;
    }
    if (!take_tensors(n, why, why_size)) {
        naive_close(n);
        return NULL;
    }
    return n;
}

void naive_close(naive *n)
{
    for (uint32_t t = 0; n->held != NULL && t < n->graph.tensor_count; ++t) {
        if (n->held[t]) {
            free(n->data[t]);
        }
    }
    for (uint32_t v = 0; v < n->variable_count; ++v) {
        free(n->variables[v].data);
    }
    free(n->data);
    free(n->held);
    free(n->done_once);
    free(n->shapes_memory);
    free(n->graph_memory);
    free(n->model_memory);
    free(n);
}

/* --- operands ------------------------------------------------------------- */

static uint64_t count_of(const berth_shapes *shapes, uint32_t t)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < shapes->of[t].rank; ++i) {
        count *= (uint64_t)berth_shape_dims(shapes, t)[i];
    }
    return count;
}

static uint32_t local_of(const naive *n, uint32_t t)
{
    return t - n->graph.tensor_base[n->graph.tensors[t].subgraph];
}

/* The constant that DEQUANTIZE makes `t` of, where op reads it encoded. */
static uint32_t encoded_source(const naive *n, uint32_t op, uint32_t t)
{
    const berth_graph *g = &n->graph;
    const uint32_t maker = g->tensors[t].producer;
    const uint16_t flags = berth_op_contract_of(g->ops[op].code)->flags;
    if ((flags & BERTH_OP_READS_ENCODED) == 0 || maker == BERTH_NONE ||
        g->ops[maker].code != BERTH_OP_DEQUANTIZE) {
        return BERTH_NONE;
    }
    const uint32_t from = berth_graph_inputs(g, maker)[0];
    return (g->tensors[from].flags & BERTH_TENSOR_CONSTANT) != 0 ? from
                                                                 : BERTH_NONE;
}

static berth_operand operand_of(const naive *n, uint32_t op, uint32_t k,
                                uint32_t t)
{
    if (t == BERTH_NONE) {
        return (berth_operand){.flags = BERTH_OPERAND_ABSENT};
    }
    const berth_graph *g = &n->graph;
    const uint32_t source = encoded_source(n, op, t);
    const uint32_t lies = source == BERTH_NONE ? t : source;
    const berth_graph_tensor *row = &g->tensors[lies];
    const bool constant = (row->flags & BERTH_TENSOR_CONSTANT) != 0;
    berth_operand operand = {
        .data = n->data[lies],
        .dims = berth_shape_dims(&n->shapes, t),
        .elements = count_of(&n->shapes, t),
        .bytes = n->shapes.of[lies].bytes,
        .rows = berth_op_operand_rows(g, &n->shapes, op, k),
        .rank = n->shapes.of[t].rank,
        .type = row->type,
        .quantization = berth_model_quantization(n->model, row->subgraph,
                                                 local_of(n, lies)),
    };
    if (constant) {
        operand.data =
            (uint8_t *)(uintptr_t)berth_graph_tensor_info(g, lies).data.data;
        operand.flags = BERTH_OPERAND_CONSTANT;
    } else if ((n->shapes.of[t].flags & BERTH_SHAPE_FOLDED) != 0 &&
               k < g->ops[op].input_count) {
        operand.flags = BERTH_OPERAND_FOLDED;
    }
    if (source != BERTH_NONE) {
        operand.flags |= BERTH_OPERAND_ENCODED;
    }
    operand.rows = operand.rows == 0 ? 1 : operand.rows;
    operand.ring = operand.rows;
    operand.pitch = (size_t)(operand.bytes / operand.rows);
    return operand;
}

/* --- state ---------------------------------------------------------------- */

static bool same(berth_bytes a, berth_bytes b)
{
    return a.size == b.size &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static uint8_t *variable_of(naive *n, const berth_operator *info)
{
    const berth_bytes container =
        berth_option_bytes(info, BERTH_OPT_VarHandleOptions_container);
    const berth_bytes name =
        berth_option_bytes(info, BERTH_OPT_VarHandleOptions_shared_name);
    for (uint32_t v = 0; v < n->variable_count; ++v) {
        if (same(n->variables[v].container, container) &&
            same(n->variables[v].name, name)) {
            return n->variables[v].data;
        }
    }
    if (n->variable_count == VARIABLES_MAX) {
        abort();
    }
    variable *fresh = &n->variables[n->variable_count++];
    *fresh = (variable){container, name, calloc(1, VARIABLE_BYTES)};
    return fresh->data;
}

/* --- running -------------------------------------------------------------- */

static void set_handles(berth_node *node, berth_operand *all)
{
    const uint64_t bytes = node->op->code == BERTH_OP_READ_VARIABLE
                               ? node->outputs[0].bytes
                               : all[1].bytes;
    all[0].bytes = bytes;
    all[0].pitch = (size_t)bytes;
}

static bool call_kernel(const berth_kernel *kernel, berth_node *node,
                        berth_operand *all, char *why, size_t size)
{
    const uint32_t count = node->input_count + node->output_count;
    uint8_t *data[OPERANDS_MAX];
    berth_diag diag = berth_diag_none();
    uint8_t *scratch = node->scratch;
    for (uint32_t k = 0; k < count; ++k) {
        data[k] = all[k].data;
        if ((all[k].flags & (BERTH_OPERAND_CONSTANT | BERTH_OPERAND_FOLDED)) ==
            0) {
            all[k].data = NULL;
        }
    }
    node->scratch = NULL;
    if (kernel->check(node, &diag) != BERTH_OK) {
        return say(why, size, "%s: %s", berth_op_name(node->op->code),
                   diag.what);
    }
    for (uint32_t k = 0; k < count; ++k) {
        all[k].data = data[k];
    }
    node->scratch = scratch;
    berth_status status = BERTH_OK;
    if (kernel->begin != NULL) {
        status = kernel->begin(node);
    }
    if (status == BERTH_OK && node->row_count > 0) {
        status = kernel->rows(node, 0, node->row_count);
    }
    if (status == BERTH_OK && kernel->end != NULL) {
        status = kernel->end(node);
    }
    return status == BERTH_OK ||
           say(why, size, "%s: %s", berth_op_name(node->op->code),
               kernel->data_error == NULL ? berth_status_name(status)
                                          : kernel->data_error);
}

static bool run_op(naive *n, uint32_t op, char *why, size_t size)
{
    const berth_graph *g = &n->graph;
    const berth_graph_op *row = &g->ops[op];
    const uint32_t *operands = g->operands + row->first_operand;
    const uint32_t count = row->input_count + row->output_count;
    const berth_operator info = berth_graph_op_info(g, op);
    static berth_operand all[OPERANDS_MAX];
    uint32_t version = 0;
    if (row->code == BERTH_OP_VAR_HANDLE) {
        n->data[operands[0]] = variable_of(n, &info);
        return true;
    }
    if (row->code == BERTH_OP_READ_VARIABLE ||
        row->code == BERTH_OP_ASSIGN_VARIABLE) {
        const uint32_t maker = g->tensors[operands[0]].producer;
        if (maker == BERTH_NONE || g->ops[maker].code != BERTH_OP_VAR_HANDLE) {
            return say(why, size, "a handle from elsewhere");
        }
    }
    const berth_kernel *kernel = berth_kernel_find(n->kernels, &info, &version);
    if (kernel == NULL) {
        return say(why, size, "no kernel %s", berth_op_name(row->code));
    }
    if (row->code != BERTH_OP_CUSTOM && info.version > version) {
        return say(why, size, "%s version %u > %u", berth_op_name(row->code),
                   info.version, version);
    }
    if (count > OPERANDS_MAX) {
        return say(why, size, "more operands than this runner holds");
    }
    for (uint32_t k = 0; k < count; ++k) {
        all[k] = operand_of(n, op, k, operands[k]);
        if (operands[k] != BERTH_NONE &&
            berth_graph_tensor_info(g, operands[k]).has_sparsity) {
            return say(why, size, "sparse weights");
        }
    }
    const uint64_t scratch = berth_op_scratch_bytes(g, &n->shapes, op);
    if (scratch == BERTH_NOWHERE) {
        return say(why, size, "scratch without a number");
    }
    berth_node node = {.model = n->model,
                       .op = &info,
                       .inputs = all,
                       .outputs = all + row->input_count,
                       .input_count = row->input_count,
                       .output_count = row->output_count,
                       .row_count = berth_op_rows(g, &n->shapes, op).count,
                       .profile = n->profile,
                       .scratch = malloc((size_t)scratch),
                       .scratch_bytes = (size_t)scratch};
    if (row->code == BERTH_OP_READ_VARIABLE ||
        row->code == BERTH_OP_ASSIGN_VARIABLE) {
        set_handles(&node, all);
    }
    uint8_t *memory = node.scratch;
    const bool ok = call_kernel(kernel, &node, all, why, size);
    if (ok && n->watch != NULL) {
        n->watch(n->watch_self, n, op, kernel, &node);
    }
    free(memory);
    return ok;
}

static bool run_subgraph(naive *n, uint32_t subgraph, char *why, size_t size)
{
    const berth_graph *g = &n->graph;
    for (uint32_t i = g->op_base[subgraph]; i < g->op_base[subgraph + 1]; ++i) {
        const uint32_t op = g->order[i];
        if (g->ops[op].code != BERTH_OP_CALL_ONCE) {
            if (!run_op(n, op, why, size)) {
                return false;
            }
        } else if (!n->done_once[op]) {
            n->done_once[op] = true;
            if (!run_subgraph(n, berth_graph_callees(g, op)[0], why, size)) {
                return false;
            }
        }
    }
    return true;
}

bool naive_run(naive *n, char *why, size_t why_size)
{
    return run_subgraph(n, 0, why, why_size);
}

void naive_watch_ops(naive *n, naive_watch *watch, void *self)
{
    n->watch = watch;
    n->watch_self = self;
}

/* --- looking -------------------------------------------------------------- */

uint32_t naive_input_count(const naive *n)
{
    return n->graph.subgraphs[0].input_count;
}

uint32_t naive_output_count(const naive *n)
{
    return n->graph.subgraphs[0].output_count;
}

naive_tensor naive_any(const naive *n, uint32_t tensor)
{
    const berth_graph_tensor *row = &n->graph.tensors[tensor];
    uint8_t *data = n->data[tensor];
    if ((row->flags & BERTH_TENSOR_CONSTANT) != 0) {
        data = (uint8_t *)(uintptr_t)berth_graph_tensor_info(&n->graph, tensor)
                   .data.data;
    }
    return (naive_tensor){data, n->shapes.of[tensor].bytes,
                          berth_shape_dims(&n->shapes, tensor),
                          n->shapes.of[tensor].rank, row->type};
}

naive_tensor naive_input(const naive *n, uint32_t i)
{
    return naive_any(n, berth_graph_subgraph_inputs(&n->graph, 0)[i]);
}

naive_tensor naive_output(const naive *n, uint32_t i)
{
    return naive_any(n, berth_graph_subgraph_outputs(&n->graph, 0)[i]);
}

const berth_graph *naive_graph(const naive *n)
{
    return &n->graph;
}

const berth_shapes *naive_shapes(const naive *n)
{
    return &n->shapes;
}

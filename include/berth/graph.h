/* berth/graph.h: the operators and tensors of all subgraphs as flat arrays.
 *
 * Tensors and operators of all subgraphs are numbered through: tensor t of
 * subgraph s is tensor_base[s] + t, and likewise for operators. Everywhere
 * after this module, "tensor" and "op" are these global numbers, unless a
 * name says local.
 *
 * Execution order is the file's where that is topological. Else it is a stable
 * topological order in which operators with state keep their program order,
 * and a warning tells. */
#ifndef BERTH_GRAPH_H
#define BERTH_GRAPH_H

#include "berth/model.h"
#include "berth/op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BERTH_TENSOR_CONSTANT = 1u << 0, /* has bytes in the file */
    BERTH_TENSOR_VARIABLE = 1u << 1, /* is_variable: state */
    BERTH_TENSOR_INPUT = 1u << 2,    /* input of its subgraph */
    BERTH_TENSOR_OUTPUT = 1u << 3,   /* output of its subgraph */
    /* Nobody writes it and it is neither constant, input nor state. */
    BERTH_TENSOR_ORPHAN = 1u << 4
};

typedef struct berth_graph_tensor {
    uint32_t subgraph;
    uint32_t producer;     /* global op that writes it, or BERTH_NONE */
    uint32_t first_reader; /* index into readers */
    uint32_t reader_count; /* reading ops; who reads twice counts once */
    uint32_t buffer;       /* the model's buffer */
    uint8_t type;          /* berth_type */
    uint8_t flags;         /* BERTH_TENSOR_* */
} berth_graph_tensor;

typedef struct berth_graph_op {
    uint32_t subgraph;
    uint32_t code;          /* berth_op */
    uint32_t first_operand; /* inputs, then outputs, in operands */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t first_callee; /* index into callees */
    uint32_t callee_count; /* 0 for what is no call */
} berth_graph_op;

/* How an operator calls its callees; whoever flattens a model asks this. */
typedef enum berth_call {
    BERTH_CALL_NONE,   /* an operator as any other */
    BERTH_CALL_PLAIN,  /* the callee runs once (CALL, CALL_ONCE, COMPOSITE) */
    BERTH_CALL_BRANCH, /* input 0 picks one of the callees (IF, CASE) */
    BERTH_CALL_LOOP    /* callees are condition and body (WHILE) */
} berth_call;

typedef struct berth_graph_subgraph {
    uint64_t flat_steps;   /* steps of its schedule (schedule.h), calls
                              flattened; UINT64_MAX: as many or more */
    uint32_t first_io;     /* its inputs, then its outputs, in operands */
    uint32_t input_count;
    uint32_t output_count;
    bool stateful; /* it, or what it calls, has an operator with state */
    bool inputs_repeat; /* a tensor is listed twice among its inputs */
} berth_graph_subgraph;

/* Warnings kept with their place; more are counted. */
#define BERTH_GRAPH_WARNINGS_MAX 16u

typedef struct berth_graph {
    const berth_model *model;
    uint32_t subgraph_count;
    uint32_t tensor_count; /* all subgraphs together */
    uint32_t op_count;
    const uint32_t *tensor_base; /* [subgraph_count + 1] */
    const uint32_t *op_base;     /* [subgraph_count + 1] */
    const berth_graph_subgraph *subgraphs;
    const berth_graph_tensor *tensors;
    const berth_graph_op *ops;
    const uint32_t *callees;  /* subgraphs */
    const uint32_t *operands; /* global tensor, or BERTH_NONE where absent */
    const uint32_t *readers;  /* global ops, ascending for each tensor */
    const uint32_t *order;    /* global ops; those of subgraph s in execution
                                 order at [op_base[s], op_base[s + 1]) */
    uint32_t warning_count;   /* may exceed BERTH_GRAPH_WARNINGS_MAX */
    berth_diag warnings[BERTH_GRAPH_WARNINGS_MAX];
} berth_graph;

BERTH_MUST_USE berth_status berth_graph_bytes(const berth_model *model,
                                              size_t *bytes, berth_diag *diag);

/* Builds the arrays in `work`. The model is borrowed as long as the graph is
 * used. `graph` is written at the end or not at all. Diags, of errors and of
 * warnings, count `op`, `tensor` and `other` within `subgraph`.
 *
 * BERTH_BAD_MODEL  a tensor written twice, a constant or an input of the
 *                  subgraph written, an operator that reads its own output,
 *                  a cycle: diag names op and tensor.
 * BERTH_TOO_LARGE  more tensors, operators or operands than 32 bits count.
 * BERTH_NO_SPACE   diag->needed_bytes.
 * Warnings, not errors: order not topological (sorted then), a tensor that is
 * read but never written, control dependencies that make no sense.
 * O(operators + operands) time; where the order has to be sorted, times log of
 * the operators. */
BERTH_MUST_USE berth_status berth_graph_init(const berth_model *model,
                                             berth_work *work,
                                             berth_graph *graph,
                                             berth_diag *diag);

/* Operands of an op; entries may be BERTH_NONE. */
static inline const uint32_t *berth_graph_inputs(const berth_graph *graph,
                                                 uint32_t op)
{
    return graph->operands + graph->ops[op].first_operand;
}

static inline const uint32_t *berth_graph_outputs(const berth_graph *graph,
                                                  uint32_t op)
{
    return graph->operands + graph->ops[op].first_operand +
           graph->ops[op].input_count;
}

/* Inputs and outputs of a subgraph, as global tensors; may be BERTH_NONE. */
static inline const uint32_t *
berth_graph_subgraph_inputs(const berth_graph *graph, uint32_t subgraph)
{
    return graph->operands + graph->subgraphs[subgraph].first_io;
}

static inline const uint32_t *
berth_graph_subgraph_outputs(const berth_graph *graph, uint32_t subgraph)
{
    return graph->operands + graph->subgraphs[subgraph].first_io +
           graph->subgraphs[subgraph].input_count;
}

/* The subgraphs that an op calls, callee_count of them. */
static inline const uint32_t *berth_graph_callees(const berth_graph *graph,
                                                  uint32_t op)
{
    return graph->callees + graph->ops[op].first_callee;
}

berth_call berth_graph_call_of(uint32_t code);

/* The file's view of a global tensor or op. */
berth_tensor berth_graph_tensor_info(const berth_graph *graph, uint32_t tensor);
berth_operator berth_graph_op_info(const berth_graph *graph, uint32_t op);

/* Finds a tensor of a subgraph by "#12" (its local index; that always works)
 * or by name. A name that several tensors bear gives the first. BERTH_NONE: no
 * such. */
uint32_t berth_graph_find_tensor(const berth_graph *graph, uint32_t subgraph,
                                 berth_bytes name);

#ifdef __cplusplus
}
#endif
#endif

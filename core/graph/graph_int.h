/* graph_int.h: a graph while it is being built.
 *
 * The order of work: count (graph_count.c), take the arrays, fill them and
 * find what contradicts itself (graph_fill.c), walk the calls (graph_calls.c),
 * order the operators (graph_order.c). */
#ifndef BERTH_GRAPH_INT_H
#define BERTH_GRAPH_INT_H

#include "berth/graph.h"

/* Lengths of all arrays, counted before anything is taken. */
typedef struct graph_sizes {
    uint32_t subgraphs;
    uint32_t tensors;
    uint32_t ops;
    uint32_t operands; /* of operators and of subgraphs */
    uint32_t reads;    /* inputs of operators: readers are as many or less */
    uint32_t callees;
    uint32_t most_ops;     /* in one subgraph */
    uint32_t control_most; /* control dependencies in one subgraph */
} graph_sizes;

/* The graph's arrays before they become read-only. */
typedef struct graph_draft {
    berth_graph *graph; /* in scratch: the caller's is written at the end */
    uint32_t *tensor_base;
    uint32_t *op_base;
    berth_graph_subgraph *subgraphs;
    berth_graph_tensor *tensors;
    berth_graph_op *ops;
    uint32_t *callees;
    uint32_t *operands;
    uint32_t *readers;
    uint32_t *order;
} graph_draft;

berth_status graph_count(const berth_model *model, graph_sizes *sizes,
                         berth_diag *diag);

/* Callees of an operator; 0 where it is no call, or one whose callees are not
 * as many as its kind has: such an operator is then one as any other. */
uint32_t graph_callee_count(const berth_model *model, const berth_operator *op);

berth_status graph_fill(graph_draft *draft, berth_diag *diag);

/* Adds a warning with its place; `draft->graph` counts all, keeps some. */
void graph_warn(graph_draft *draft, const berth_diag *place);

/* Steps of every subgraph and whether it holds state, callees first. `scratch`
 * has room for two numbers a subgraph. */
void graph_walk_calls(graph_draft *draft, uint32_t *scratch);

/* Scratch of graph_order(), see there. */
typedef struct graph_order_room {
    uint32_t *waiting; /* [most_ops] */
    uint32_t *heap;    /* [most_ops] */
    uint32_t *head;    /* [most_ops] */
    uint32_t *edge_to; /* [control_most + most_ops] */
    uint32_t *edge_next;
} graph_order_room;

berth_status graph_order(graph_draft *draft, const graph_order_room *room,
                         berth_diag *diag);

/* Control dependencies of LiteRT's converter, read from the metadata. */
typedef enum graph_control {
    GRAPH_CONTROL_ABSENT,
    GRAPH_CONTROL_GOOD,
    GRAPH_CONTROL_BROKEN
} graph_control;

/* The lists of the subgraphs, one after the other. */
typedef struct graph_control_lists {
    const uint8_t *at;
    const uint8_t *end;
} graph_control_lists;

/* Opens the lists and checks them all; `most` is the length of the longest. */
graph_control graph_control_open(const berth_model *model,
                                 graph_control_lists *lists, uint32_t *most);
/* The length of the next subgraph's list, then its pairs: local operators,
 * `from` before `to`. Only after graph_control_open() found them GOOD. */
uint32_t graph_control_length(graph_control_lists *lists);
void graph_control_pair(graph_control_lists *lists, uint32_t *from,
                        uint32_t *to);

#endif

/* hand_graph.h: a graph, shapes, a schedule and addresses written by hand, for
 * tests of what works on plain structs and needs no model.
 *
 *     hand h;
 *     hand_init(&h);
 *     uint32_t x = hand_tensor(&h, 16, 0, BERTH_TENSOR_INPUT);
 *     uint32_t y = hand_tensor(&h, 16, 16, BERTH_TENSOR_OUTPUT);
 *     hand_op(&h, BERTH_OP_TANH, HAND(x), HAND(y));
 *     berth_status status = hand_prove(&h, &diag);
 *
 * Everything lies in subgraph 0. Tensors are int8 of shape [bytes] unless the
 * test changes them. */
#ifndef HAND_GRAPH_H
#define HAND_GRAPH_H

#include "berth/prove.h"

enum { HAND_TENSORS = 256, HAND_STEPS = 256, HAND_OPERANDS = 2048 };

typedef struct hand {
    berth_graph_tensor tensors[HAND_TENSORS];
    berth_graph_op ops[HAND_STEPS];
    berth_shape of[HAND_TENSORS];
    int32_t dims[HAND_TENSORS];
    uint64_t address[HAND_TENSORS];
    uint32_t operands[HAND_OPERANDS];
    uint32_t operand_count;
    berth_step steps[HAND_STEPS];
    berth_graph graph;
    berth_shapes shapes;
    berth_schedule schedule;
} hand;

typedef struct hand_ids {
    const uint32_t *at;
    uint32_t count;
} hand_ids;

#define HAND(...)                                                              \
    ((hand_ids){                                                               \
        (const uint32_t[]){__VA_ARGS__},                                       \
        (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))})
#define HAND_NONE ((hand_ids){0})

void hand_init(hand *h);
uint32_t hand_tensor(hand *h, uint64_t bytes, uint64_t address, uint8_t flags);

/* An operator and its step; the operator's index. */
uint32_t hand_op(hand *h, uint32_t code, hand_ids reads, hand_ids writes);

/* A step of another kind, of an operator that hand_call() made; its index. */
uint32_t hand_call(hand *h, uint32_t code);
uint32_t hand_step(hand *h, berth_step_kind kind, uint32_t op, hand_ids reads,
                   hand_ids writes);

/* Sets a.partner = b. */
void hand_pair(hand *h, uint32_t a, uint32_t b);

/* berth_prove() in memory of exactly the size that it asks for. */
berth_status hand_prove(hand *h, berth_diag *diag);

#endif

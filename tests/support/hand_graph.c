#include "hand_graph.h"

#include <stdlib.h>
#include <string.h>

static void need(bool holds)
{
    if (!holds) {
        abort(); /* the test is wrong */
    }
}

void hand_init(hand *h)
{
    memset(h, 0, sizeof *h);
    h->graph.tensors = h->tensors;
    h->graph.ops = h->ops;
    h->graph.operands = h->operands;
    h->graph.subgraph_count = 1;
    h->shapes.of = h->of;
    h->shapes.dims = h->dims;
    h->schedule.steps = h->steps;
}

uint32_t hand_tensor(hand *h, uint64_t bytes, uint64_t address, uint8_t flags)
{
    need(h->graph.tensor_count < HAND_TENSORS);
    const uint32_t t = h->graph.tensor_count++;
    h->tensors[t] = (berth_graph_tensor){
        .producer = BERTH_NONE, .type = BERTH_INT8, .flags = flags};
    h->dims[t] = (int32_t)bytes;
    h->of[t] = (berth_shape){.bytes = bytes,
                             .first_dim = t,
                             .rank = 1,
                             .culprit = BERTH_NONE,
                             .state = BERTH_SHAPE_STATIC};
    h->address[t] = address;
    return t;
}

static const uint32_t *keep_ids(hand *h, hand_ids ids)
{
    need(h->operand_count + ids.count <= HAND_OPERANDS);
    uint32_t *at = h->operands + h->operand_count;
    if (ids.count > 0) {
        memcpy(at, ids.at, ids.count * sizeof *at);
    }
    h->operand_count += ids.count;
    return at;
}

uint32_t hand_call(hand *h, uint32_t code)
{
    need(h->graph.op_count < HAND_STEPS);
    h->ops[h->graph.op_count].code = code;
    return h->graph.op_count++;
}

uint32_t hand_step(hand *h, berth_step_kind kind, uint32_t op, hand_ids reads,
                   hand_ids writes)
{
    need(h->schedule.step_count < HAND_STEPS);
    const uint32_t step = h->schedule.step_count++;
    h->steps[step] = (berth_step){.reads = keep_ids(h, reads),
                                  .writes = keep_ids(h, writes),
                                  .read_count = reads.count,
                                  .write_count = writes.count,
                                  .op = op,
                                  .partner = BERTH_NONE,
                                  .kind = (uint8_t)kind};
    return step;
}

uint32_t hand_op(hand *h, uint32_t code, hand_ids reads, hand_ids writes)
{
    const uint32_t op = hand_call(h, code);
    (void)hand_step(h, BERTH_STEP_OP, op, reads, writes);
    ++h->schedule.op_step_count;
    return op;
}

void hand_pair(hand *h, uint32_t a, uint32_t b)
{
    h->steps[a].partner = b;
}

berth_status hand_prove(hand *h, berth_diag *diag)
{
    size_t need_bytes = 0;
    need(berth_prove_bytes(&h->graph, &h->schedule, &need_bytes, diag) ==
         BERTH_OK);
    void *memory = malloc(need_bytes);
    need(memory != NULL);
    const berth_status status =
        berth_prove(&h->graph, &h->shapes, &h->schedule, h->address,
                    berth_work_of(memory, need_bytes), diag);
    free(memory);
    return status;
}

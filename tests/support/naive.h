/* naive.h: runs a model without any plan: every tensor has memory of its own,
 * of exactly its size, and operators run one after the other. A second oracle
 * for the engine, and the rig of kernel tests: AddressSanitizer sees whoever
 * reads or writes past an operand.
 *
 *     naive *n = naive_open(file, berth_kernels_ref(), BERTH_PROFILE_LITERT,
 *                           NULL, 0, why, sizeof(why));
 *     memcpy(naive_input(n, 0).data, ...);
 *     if (!naive_run(n, why, sizeof(why))) ...
 *     naive_close(n);
 *
 * Subgraph 0, and what CALL_ONCE calls; no control flow. */
#ifndef NAIVE_H
#define NAIVE_H

#include "berth/kernel.h"
#include "berth/shape.h"

typedef struct naive naive;

typedef struct naive_tensor {
    uint8_t *data;
    uint64_t bytes;
    const int32_t *dims;
    uint32_t rank;
    uint8_t type; /* berth_type */
} naive_tensor;

/* The shape of input `tensor` of an override counts in the inputs' list. NULL:
 * not to be run; `why` says it in words. */
naive *naive_open(berth_bytes file, const berth_kernels *kernels,
                  berth_profile profile, const berth_shape_override *overrides,
                  uint32_t override_count, char *why, size_t why_size);
bool naive_run(naive *n, char *why, size_t why_size);
void naive_close(naive *n);

/* Called behind each operator that has run, with the node as it ran: operands
 * are as they were, outputs filled. */
typedef void naive_watch(void *self, const naive *n, uint32_t op,
                         const berth_kernel *kernel, const berth_node *node);
void naive_watch_ops(naive *n, naive_watch *watch, void *self);

uint32_t naive_input_count(const naive *n);
uint32_t naive_output_count(const naive *n);
naive_tensor naive_input(const naive *n, uint32_t i);
naive_tensor naive_output(const naive *n, uint32_t i);
/* Any tensor, by its global number; data NULL where it has no bytes. */
naive_tensor naive_any(const naive *n, uint32_t tensor);
const berth_graph *naive_graph(const naive *n);
const berth_shapes *naive_shapes(const naive *n);

#endif

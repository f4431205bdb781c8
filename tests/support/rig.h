/* rig.h: small models by hand, taken through graph, schedule and lifetimes.
 *
 *     rig *r = rig_new();
 *     uint32_t g = rig_subgraph(r);
 *     int32_t x = rig_tensor(r, g, 64), y = rig_tensor(r, g, 64);
 *     rig_op(r, g, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
 *     rig_io(r, g, MB_INTS(x), MB_INTS(y));
 *     rig_lifetimes(r, NULL);
 *     rig_assert_spans(r, g, x, "0-1");
 *     rig_free(r);
 *
 * Tensors are vectors of int8, so that a length is a number of bytes. Shapes
 * are the file's: the shape stage has tests of its own, and a test may set what
 * it would have said. Times and links are compared as text, which reads well
 * where a test fails. */
#ifndef RIG_H
#define RIG_H

#include "berth/lifetime.h"
#include "berth/prove.h"
#include "model_builder.h"

typedef struct rig {
    mb *builder;
    const berth_model *model;
    berth_graph graph;
    berth_shape *shape; /* by global tensor, writable; after rig_graph() */
    int32_t *dims;
    berth_shapes shapes;
    berth_schedule schedule;
    berth_lifetimes lifetimes;
    uint64_t *offset; /* by item, of the latest plan */
    berth_diag diag;  /* of the latest failure */
    void *memory[32];
    uint32_t memory_count;
    uint32_t done; /* stages that are made */
} rig;

rig *rig_new(void);
void rig_free(rig *r);

uint32_t rig_subgraph(rig *r);
int32_t rig_tensor(rig *r, uint32_t g, int32_t bytes);
int32_t rig_constant(rig *r, uint32_t g, int32_t bytes);
int32_t rig_variable(rig *r, uint32_t g, int32_t bytes);
int32_t rig_handle(rig *r, uint32_t g); /* a resource */
uint32_t rig_op(rig *r, uint32_t g, uint32_t code, mb_ints in, mb_ints out);
void rig_io(rig *r, uint32_t g, mb_ints in, mb_ints out);

/* in[0] of rig_if() is the condition. */
void rig_if(rig *r, uint32_t g, uint32_t then_, uint32_t else_, mb_ints in,
            mb_ints out);
void rig_while(rig *r, uint32_t g, uint32_t cond, uint32_t body, mb_ints in,
               mb_ints out);
void rig_call(rig *r, uint32_t g, uint32_t callee, mb_ints in, mb_ints out);
void rig_call_once(rig *r, uint32_t g, uint32_t callee);
void rig_case(rig *r, uint32_t g, mb_ints callees, mb_ints in, mb_ints out);
void rig_var_handle(rig *r, uint32_t g, const char *container, const char *name,
                    int32_t out);

/* Each makes the stages before it where they are missing; the first returns
 * the status of its own stage, all fail the test if an earlier one fails. */
berth_status rig_try_graph(rig *r);
berth_status rig_try_schedule(rig *r, uint32_t subgraph);
void rig_graph(rig *r);
void rig_schedule(rig *r, uint32_t subgraph);
void rig_lifetimes(rig *r, const berth_lifetime_options *options);
/* A second run of another subgraph through schedule and lifetimes. */
void rig_again(rig *r, uint32_t subgraph,
               const berth_lifetime_options *options);

/* The global number of a tensor. */
uint32_t rig_global(const rig *r, uint32_t g, int32_t tensor);

/* "op0 enter1 cond1 test1 back1 exit1": kind and global operator. */
void rig_assert_steps(const rig *r, const char *expected);
/* "0,2,1": the global operators of a subgraph in execution order. */
void rig_assert_order(const rig *r, uint32_t g, const char *expected);
/* "0-2 5-6": half-open spans; "none" where it has no item. */
void rig_assert_spans(const rig *r, uint32_t g, int32_t tensor,
                      const char *expected);
void rig_assert_class(const rig *r, uint32_t g, int32_t tensor,
                      berth_class expected);

/* The link between two tensors in the order from, to: "0,64"; "none". And
 * whether `to` is tied to `from`. */
void rig_assert_link(const rig *r, uint32_t g, int32_t from, uint32_t h,
                     int32_t to, const char *expected);
void rig_assert_tie(const rig *r, uint32_t g, int32_t from, uint32_t h,
                    int32_t to, bool expected);

/* Plans with a strategy, asks both judges, returns the peak; the offset of a
 * tensor in that plan (BERTH_NOWHERE: none). */
uint64_t rig_plan(rig *r, berth_strategy strategy);
uint64_t rig_offset(const rig *r, uint32_t g, int32_t tensor);

/* Every lent size below the need is refused with the need, and `seen` (what
 * the call would have written) stays as it was; at the need it works. */
typedef berth_status (*rig_stage)(rig *r, berth_work *work, berth_diag *diag);
void rig_shrink(rig *r, rig_stage stage, size_t need, const void *seen,
                size_t seen_bytes);

#endif

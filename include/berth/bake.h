/* berth/bake.h: gives TensorFlow Lite for Microcontrollers a better plan,
 * inside the model file.
 *
 * TFLM plans its arena on the device, greedily, and takes a third too much for
 * many networks. It also obeys a plan that the file brings: metadata by the
 * name of OfflineMemoryAllocation, an offset for each tensor, -1 where TFLM
 * shall place the tensor itself. Baking finds a plan on TFLM's own lifetimes,
 * with the scratch of its kernels, and writes it into a copy of the file:
 *
 *     berth_micro_predict(&graph, &micro_options, &work, &micro, &diag);
 *     berth_bake_solve_bytes(&graph, &micro, &need, &diag);
 *     int32_t offset[tensor_count];
 *     berth_bake_plan plan = {.offset = offset, ...};
 *     berth_bake_solve(&graph, &micro, NULL, work, &plan, &diag);
 *     if (plan.head_bytes < micro.head_bytes) {
 *         berth_bake_write_bytes(model, &need, &diag);
 *         berth_bake_write(model, offset, &work, &file, &diag);
 *         ... open `file`, then berth_bake_same(model, baked, &diag) and
 *         ... berth_peer_solve() on its graph: is the plan sound?
 *     }
 *
 * What the plan promises holds for the kernel set that was predicted; with
 * other kernels the model still runs right, in another number of bytes. */
#ifndef BERTH_BAKE_H
#define BERTH_BAKE_H

#include "berth/micro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- the plan ---------------------------------------------------------------
 */

/* Who may share bytes. Without either no two tensors that live at one time do.
 */
enum {
    /* Input and output of a RESHAPE lie at one address: TFLM's kernel then
     * skips its copy. */
    BERTH_BAKE_VIEWS = 1u << 0,
    /* An output may lie over an input that dies there where TFLM's reference
     * kernel is one loop over elements, each read before it is written. Other
     * kernel sets promise no such thing. */
    BERTH_BAKE_INPLACE = 1u << 1
};

/* TFLM's head as a planning problem whose plan is free: micro->problem without
 * the offsets that the file may have brought, and with ties and links for who
 * may share. Arrays lie in the lent memory; spans are those of `micro`. */
typedef struct berth_bake_problem {
    berth_problem problem;
    const uint32_t *tensor_of_item; /* global; BERTH_NONE: scratch */
} berth_bake_problem;

/* share: BERTH_BAKE_*. `graph` and `micro` belong together and are borrowed as
 * long as the problem is used.
 * BERTH_NO_SPACE  diag->needed_bytes.
 * BERTH_TOO_LARGE the memory needed does not fit size_t. */
BERTH_MUST_USE berth_status berth_bake_problem_bytes(const berth_graph *graph,
                                                     const berth_micro *micro,
                                                     size_t *bytes,
                                                     berth_diag *diag);
BERTH_MUST_USE berth_status berth_bake_problem_init(
    const berth_graph *graph, const berth_micro *micro, uint32_t share,
    berth_work *work, berth_bake_problem *problem, berth_diag *diag);

typedef struct berth_bake_options {
    bool in_place; /* BERTH_BAKE_INPLACE is allowed */
    bool no_views; /* BERTH_BAKE_VIEWS is not */
} berth_bake_options;

/* A plan for TFLM, as TFLM will carry it out. */
typedef struct berth_bake_plan {
    int32_t *offset; /* [tensor_count], lent by the caller: the offsets of the
                        metadata; -1: TFLM places it, or nothing to place */
    uint64_t
        *item_offset;     /* [item_count of micro->problem], lent, or NULL: what
                             becomes of each item of the berth_bake_problem
                             with `share`, scratch included */
    uint64_t head_bytes;  /* of TFLM's head with these offsets */
    uint64_t bound_bytes; /* no plan of this problem has a smaller head */
    uint32_t share;       /* BERTH_BAKE_*: what the plan makes use of */
    uint32_t online_count;   /* tensors that must be left to TFLM (see below) */
    berth_strategy strategy; /* the one that found it */
} berth_bake_plan;

/* Finds offsets for the activations such that the head is small after TFLM has
 * placed the scratch around them, which is simulated. Never above the head of
 * TFLM's own plan for the model without metadata. The first judge
 * (berth_plan_check) has agreed; whoever writes the plan asks the second.
 *
 * Variables stay in the tail. TFLM looks the offset of a variable in a subgraph
 * after the first up in the wrong row of the table; the tensors that own those
 * rows are left to TFLM, so that the variable gets its memory.
 *
 * BERTH_UNSUPPORTED  no plan of this model fits the metadata: a head of 2 GB
 *                    or more.
 * BERTH_NO_SPACE     diag->needed_bytes.
 * `work` is scratch. Deterministic. As long as `best` takes, up to twice; where
 * kernels ask for scratch, and TFLM places it badly, all strategies one by one.
 */
BERTH_MUST_USE berth_status berth_bake_solve_bytes(const berth_graph *graph,
                                                   const berth_micro *micro,
                                                   size_t *bytes,
                                                   berth_diag *diag);
BERTH_MUST_USE berth_status berth_bake_solve(const berth_graph *graph,
                                             const berth_micro *micro,
                                             const berth_bake_options *options,
                                             berth_work work,
                                             berth_bake_plan *plan,
                                             berth_diag *diag);

/* --- the file ---------------------------------------------------------------
 */

/* A copy of the model's file with the metadata. The old bytes lie in it as they
 * are, moved back by a multiple of 64 (or of what buffers behind the structure
 * are aligned to, up to 4096), but for the absolute offsets of such buffers
 * and options; what is new lies before them. Metadata of that name which the
 * file had is left out, and its buffer is taken over, if nobody else uses it:
 * no buffer changes its number.
 *
 * offset  [all tensors of the model].
 * file    16-aligned, in `work`, which keeps it.
 *
 * BERTH_UNSUPPORTED  the Model table has fields of a newer schema.
 * BERTH_TOO_LARGE    the structure would pass 4 GB, or the file size_t.
 * BERTH_NO_SPACE     diag->needed_bytes.
 * On failure `work` and `file` are unchanged. */
BERTH_MUST_USE berth_status berth_bake_write_bytes(const berth_model *model,
                                                   size_t *bytes,
                                                   berth_diag *diag);
BERTH_MUST_USE berth_status berth_bake_write(const berth_model *model,
                                             const int32_t *offset,
                                             berth_work *work,
                                             berth_bytes *file,
                                             berth_diag *diag);

/* Whether `baked`, a file written for `model` and opened again, says the same:
 * every name, shape, constant, operand and option lies where it lay, moved by
 * one distance, with the same bytes. A file whose parts overlap in ways that no
 * writer makes can fail: patching an offset there changes something else.
 * BERTH_UNSUPPORTED  diag: what, subgraph, op, tensor. Linear in the file. */
BERTH_MUST_USE berth_status berth_bake_same(const berth_model *model,
                                            const berth_model *baked,
                                            berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

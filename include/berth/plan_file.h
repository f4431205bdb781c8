/* berth/plan_file.h: a plan as a file: made on one machine, carried out on
 * another. Byte for byte in docs/plan-file.md.
 *
 *     berth_plan_tag tag = {.maker = BERTH_PLAN_FOR_TFLM, .share = share};
 *     berth_sha256(model_file, tag.model_hash);
 *     memcpy(tag.kernels, "cmsis-nn@2026.06/m4", 19);
 *     berth_plan_file_bytes(item_count, &need, &diag);
 *     berth_plan_file_write(&problem, keys, &plan, &tag, &work, &file, &diag);
 *     ...
 *     berth_plan_file_tag(file, &tag, &diag);      whose plan is it?
 *     berth_plan_file_read(file, &tag, &problem, keys, work, &plan, &diag);
 *
 * A file proves nothing: reading makes a plan only of one that passes the judge
 * on a problem that the reader has made himself. */
#ifndef BERTH_PLAN_FILE_H
#define BERTH_PLAN_FILE_H

#include "berth/digest.h"
#include "berth/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_PLAN_FILE_VERSION 1u

/* Of the name of a kernel set, filled up with zeros. */
#define BERTH_PLAN_KERNELS_BYTES 32u

/* On whose lifetimes the plan stands. */
typedef enum berth_plan_for {
    BERTH_PLAN_FOR_BERTH,
    BERTH_PLAN_FOR_TFLM,
    BERTH_PLAN_FOR_COUNT
} berth_plan_for;

/* What a plan belongs to. */
typedef struct berth_plan_tag {
    uint8_t model_hash[BERTH_SHA256_BYTES]; /* SHA-256 of the model's file */
    char kernels[BERTH_PLAN_KERNELS_BYTES]; /* kernel set, version, target */
    berth_plan_for maker;
    uint32_t share; /* which items may share bytes: BERTH_BAKE_* for TFLM */
} berth_plan_tag;

/* What a file of so many items takes. */
BERTH_MUST_USE berth_status berth_plan_file_bytes(uint32_t item_count,
                                                  size_t *bytes,
                                                  berth_diag *diag);

/* keys: what the caller calls each item (a tensor's number); NULL: its index.
 * The plan is written as it is; who reads it, judges it.
 * BERTH_BAD_ARG    a tag that is none, more regions than one.
 * BERTH_NO_SPACE   diag->needed_bytes.
 * On failure `work` and `file` are unchanged. */
BERTH_MUST_USE berth_status
berth_plan_file_write(const berth_problem *problem, const uint32_t *keys,
                      const berth_plan *plan, const berth_plan_tag *tag,
                      berth_work *work, berth_bytes *file, berth_diag *diag);

/* Reads what the plan belongs to. Any bytes are allowed.
 * BERTH_BAD_MODEL    no plan file, or a damaged one (diag: file_offset).
 * BERTH_UNSUPPORTED  a version, or a kind of plan, that is not known here. */
BERTH_MUST_USE berth_status berth_plan_file_tag(berth_bytes file,
                                                berth_plan_tag *tag,
                                                berth_diag *diag);

/* Reads a plan of `problem`, and judges it. Besides what the two calls above
 * and berth_plan_check() refuse:
 * BERTH_BAD_ARG   the file's tag is not `tag`: another model, other kernels,
 *                 another kind of plan (diag: what).
 * BERTH_UNSOUND   other items than those of the problem, or a plan that the
 *                 judge refuses (diag: tensor, other are items).
 * plan->bound is found anew, not believed. `work` is scratch, of
 * berth_plan_file_read_bytes(). `plan` is written whole or not at all. */
BERTH_MUST_USE berth_status berth_plan_file_read_bytes(
    const berth_problem *problem, size_t *bytes, berth_diag *diag);
BERTH_MUST_USE berth_status berth_plan_file_read(
    berth_bytes file, const berth_plan_tag *tag, const berth_problem *problem,
    const uint32_t *keys, berth_work work, berth_plan *plan, berth_diag *diag);

#ifdef __cplusplus
}
#endif
#endif

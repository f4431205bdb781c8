/* bake_rig.h: a model taken through prediction, plan, file and back.
 *
 *     bake_rig *r = bake_rig_new(file);
 *     bake_rig_solve(r, NULL);        r->micro, r->plan
 *     bake_rig_write(r);              r->baked, r->again (its rig)
 *     bake_rig_judge(r->again);       soundness of the plan in a file
 *     bake_rig_free(r);
 *
 * Every step fails the test if it fails, unless it begins with try. */
#ifndef BAKE_RIG_H
#define BAKE_RIG_H

#include "berth/bake.h"
#include "berth/peer.h"
#include "model_builder.h"

typedef struct bake_rig bake_rig;
struct bake_rig {
    berth_bytes file;
    const berth_model *model;
    berth_graph graph;
    berth_micro micro;
    berth_bake_plan plan;
    berth_bytes baked;
    bake_rig *again; /* of the baked file */
    void *memory[16];
    uint32_t memory_count;
};

bake_rig *bake_rig_new(berth_bytes file); /* predicts for the reference set */
void bake_rig_free(bake_rig *r);
berth_work bake_rig_lend(bake_rig *r, size_t bytes);

void bake_rig_solve(bake_rig *r, const berth_bake_options *options);
/* Writes the plan at hand, opens it, holds it against the first file. */
void bake_rig_write(bake_rig *r);
/* The first judge: the plan is one of its problem. */
void bake_rig_check(bake_rig *r);
/* The second judge, on the offsets in the rig's own file; *peer: what it says
 * (address lent by the rig). */
bool bake_rig_judge(bake_rig *r, berth_peer_plan *peer);

/* Entry i of the file's last OfflineMemoryAllocation; the first three are the
 * header. */
int32_t bake_rig_entry(const bake_rig *r, uint32_t i);
uint32_t bake_rig_plan_count(const bake_rig *r); /* metadata of that name */

#endif

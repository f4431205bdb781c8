/* engine_rig.h: from the bytes of a model to an engine, in memory that ends at
 * unreadable pages.
 *
 *     engine_rig *e = engine_rig_new(file, &(engine_wishes){0});
 *     if (engine_rig_stage(e) && engine_rig_lend(e) &&
 *         berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag)
 *             == BERTH_OK) ...
 *     engine_rig_free(e);
 *
 * Or engine_rig_open() for all three. */
#ifndef ENGINE_RIG_H
#define ENGINE_RIG_H

#include "berth/engine.h"
#include "berth/prove.h"
#include "fence.h"

/* Zero is the default of each. */
typedef struct engine_wishes {
    const berth_kernels *kernels; /* NULL: ref */
    berth_profile profile;
    uint32_t subgraph;
    uint32_t flags;
    const berth_shape_override *overrides;
    uint32_t override_count;
    berth_lifetime_options lifetimes;
    berth_strategy strategy;
    uint8_t fill; /* of all blocks */
} engine_wishes;

typedef struct engine_rig {
    berth_bytes file; /* borrowed */
    engine_wishes wishes;
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
    berth_schedule schedule;
    berth_lifetimes lifetimes;
    berth_plan plan;
    berth_engine_source source;
    berth_engine_need need;
    berth_engine_memory memory;
    fence regions[BERTH_REGIONS_MAX];
    fence state;
    fence books;
    berth_engine *engine;
    berth_status status; /* of what failed */
    berth_diag diag;
    void *blocks[8];
    uint32_t block_count;
} engine_rig;

engine_rig *engine_rig_new(berth_bytes file, const engine_wishes *wishes);
/* Up to a plan that both judges have passed, and the need. */
bool engine_rig_stage(engine_rig *e);
/* Exactly the bytes of the need. */
void engine_rig_lend(engine_rig *e);
void engine_rig_take_back(engine_rig *e);
/* All of it: NULL and *status, *diag where a stage or prepare refuses. */
engine_rig *engine_rig_open(berth_bytes file, const engine_wishes *wishes,
                            berth_status *status, berth_diag *diag);
void engine_rig_free(engine_rig *e);

berth_io engine_rig_input(const engine_rig *e, uint32_t i);
berth_io engine_rig_output(const engine_rig *e, uint32_t i);
/* Seeded bytes that suit the type into every input; small numbers into whole
 * ones of 32 and 64 bits, where they may be indexes. */
void engine_rig_feed(const engine_rig *e, uint64_t seed);
/* No slack byte was written over. */
bool engine_rig_stands(const engine_rig *e);

/* How seeded inputs are made; for whoever feeds somebody else the same. */
void engine_rig_fill(uint8_t *data, berth_type type, uint64_t bytes,
                     uint64_t seed);

#endif

/* What a small board runs: no malloc, no libc, one block of its own. The
 * model's index stays at its front; the engine is cut from its end. Between
 * them, and over the arena, lie the stages that plan, for prepare does not
 * write there. */
#include "device.h"

#include "berth/plan_file.h"

/* A plan from a desk is believed when the judge has seen it, here. */
static berth_status get_plan(berth_bytes model, berth_bytes file,
                             const berth_lifetimes *lives, berth_work work,
                             berth_plan *plan, berth_diag *diag)
{
    berth_plan_tag tag = {.kernels = "berth", .maker = BERTH_PLAN_FOR_BERTH};
    if (file.size == 0) {
        return berth_plan_solve(&lives->problem, NULL, work, plan, diag);
    }
    berth_sha256(model, tag.model_hash);
    return berth_plan_file_read(file, &tag, &lives->problem,
                                lives->tensor_of_item, work, plan, diag);
}

berth_status device_open(berth_bytes file, berth_bytes plan_file,
                         berth_work block, berth_engine **engine,
                         berth_diag *diag)
{
    static const berth_shape_options main = {.subgraph = 0};
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
    berth_schedule steps;
    berth_lifetimes lives;
    berth_engine_need need;
    berth_engine_memory memory;
    BERTH_TRY(berth_model_init(file, &block, &model, diag));
    berth_work work = block;
    BERTH_TRY(berth_graph_init(model, &work, &graph, diag));
    BERTH_TRY(berth_shapes_init(&graph, &main, &work, &shapes, diag));
    BERTH_TRY(berth_schedule_init(&graph, 0, &work, &steps, diag));
    BERTH_TRY(berth_lifetimes_init(&graph, &shapes, &steps, NULL, &work, &lives,
                                   diag));
    uint64_t *offsets = BERTH_TAKE(&work, uint64_t, lives.problem.item_count);
    berth_plan plan = {.offset = offsets};
    if (offsets == NULL) {
        return BERTH_NO_SPACE;
    }
    BERTH_TRY(get_plan(file, plan_file, &lives, work, &plan, diag));
    const berth_engine_source source = {&graph,
                                        &shapes,
                                        &steps,
                                        &lives,
                                        &plan,
                                        berth_kernels_opt(),
                                        BERTH_PROFILE_LITERT,
                                        0};
    BERTH_TRY(berth_engine_bytes(&source, &need, diag));
    const uint64_t kept = need.state_bytes + need.books_bytes + 64u;
    if (kept > (size_t)(block.end - work.next) ||
        need.total_bytes + 64u > (size_t)(block.end - block.next)) {
        return BERTH_NO_SPACE;
    }
    uint8_t *at = block.end - (size_t)need.total_bytes;
    BERTH_TRY(berth_engine_cut(&need, at - (uintptr_t)at % 16u,
                               (size_t)need.total_bytes, &memory, diag));
    return berth_engine_prepare(&source, &memory, engine, diag);
}

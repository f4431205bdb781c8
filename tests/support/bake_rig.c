#include "bake_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

berth_work bake_rig_lend(bake_rig *r, size_t bytes)
{
    assert_true(r->memory_count < sizeof(r->memory) / sizeof(r->memory[0]));
    void *memory = malloc(bytes == 0 ? 1 : bytes);
    assert_non_null(memory);
    memset(memory, 0xa5, bytes);
    r->memory[r->memory_count++] = memory;
    return berth_work_of(memory, bytes);
}

static void rig_open(bake_rig *r)
{
    size_t need = 0;
    assert_int_equal(berth_model_bytes(r->file, &need, NULL), BERTH_OK);
    berth_work work = bake_rig_lend(r, need);
    assert_int_equal(berth_model_init(r->file, &work, &r->model, NULL),
                     BERTH_OK);
    assert_int_equal(berth_graph_bytes(r->model, &need, NULL), BERTH_OK);
    work = bake_rig_lend(r, need);
    assert_int_equal(berth_graph_init(r->model, &work, &r->graph, NULL),
                     BERTH_OK);
}

bake_rig *bake_rig_new(berth_bytes file)
{
    bake_rig *r = calloc(1, sizeof(*r));
    size_t need = 0;
    assert_non_null(r);
    r->file = file;
    rig_open(r);
    assert_int_equal(berth_micro_bytes(&r->graph, NULL, &need, NULL), BERTH_OK);
    berth_work work = bake_rig_lend(r, need);
    assert_int_equal(
        berth_micro_predict(&r->graph, NULL, &work, &r->micro, NULL), BERTH_OK);
    return r;
}

void bake_rig_free(bake_rig *r)
{
    if (r == NULL) {
        return;
    }
    bake_rig_free(r->again);
    for (uint32_t i = 0; i < r->memory_count; ++i) {
        free(r->memory[i]);
    }
    free(r->plan.offset);
    free(r->plan.item_offset);
    free(r);
}

void bake_rig_solve(bake_rig *r, const berth_bake_options *options)
{
    size_t need = 0;
    assert_int_equal(berth_bake_solve_bytes(&r->graph, &r->micro, &need, NULL),
                     BERTH_OK);
    void *memory = malloc(need);
    free(r->plan.offset);
    free(r->plan.item_offset);
    r->plan = (berth_bake_plan){
        .offset = calloc(r->graph.tensor_count + 1u, sizeof(int32_t)),
        .item_offset =
            calloc(r->micro.problem.item_count + 1u, sizeof(uint64_t))};
    assert_int_equal(berth_bake_solve(&r->graph, &r->micro, options,
                                      berth_work_of(memory, need), &r->plan,
                                      NULL),
                     BERTH_OK);
    free(memory);
}

void bake_rig_write(bake_rig *r)
{
    size_t need = 0;
    assert_int_equal(berth_bake_write_bytes(r->model, &need, NULL), BERTH_OK);
    berth_work work = bake_rig_lend(r, need);
    assert_int_equal(
        berth_bake_write(r->model, r->plan.offset, &work, &r->baked, NULL),
        BERTH_OK);
    r->again = bake_rig_new(r->baked);
    assert_int_equal(berth_bake_same(r->model, r->again->model, NULL),
                     BERTH_OK);
}

void bake_rig_check(bake_rig *r)
{
    size_t need = 0;
    berth_bake_problem free_;
    assert_int_equal(
        berth_bake_problem_bytes(&r->graph, &r->micro, &need, NULL), BERTH_OK);
    void *memory = malloc(need);
    berth_work work = berth_work_of(memory, need);
    assert_int_equal(berth_bake_problem_init(&r->graph, &r->micro,
                                             r->plan.share, &work, &free_,
                                             NULL),
                     BERTH_OK);
    assert_int_equal(berth_plan_check_bytes(&free_.problem, &need), BERTH_OK);
    void *scratch = malloc(need);
    const berth_plan plan = {.offset = r->plan.item_offset,
                             .peak = r->plan.head_bytes};
    assert_int_equal(berth_plan_check(&free_.problem, &plan,
                                      berth_work_of(scratch, need), NULL),
                     BERTH_OK);
    free(scratch);
    free(memory);
}

bool bake_rig_judge(bake_rig *r, berth_peer_plan *peer)
{
    const berth_shape_options options = {.subgraph = 0};
    berth_shapes shapes;
    size_t need = 0;
    assert_int_equal(berth_shapes_bytes(&r->graph, &options, &need, NULL),
                     BERTH_OK);
    berth_work work = bake_rig_lend(r, need);
    assert_int_equal(
        berth_shapes_init(&r->graph, &options, &work, &shapes, NULL), BERTH_OK);
    work = bake_rig_lend(r, ((size_t)r->graph.tensor_count + 1) * 8 + 16);
    *peer = (berth_peer_plan){
        .address = BERTH_TAKE(&work, uint64_t, r->graph.tensor_count + 1)};
    assert_int_equal(
        berth_peer_bytes(&r->graph, &shapes, 0, BERTH_PEER_TFLM, &need, NULL),
        BERTH_OK);
    void *memory = malloc(need);
    assert_int_equal(berth_peer_solve(&r->graph, &shapes, 0, BERTH_PEER_TFLM,
                                      berth_work_of(memory, need), peer, NULL),
                     BERTH_OK);
    free(memory);
    return peer->sound;
}

static berth_bytes plan_of(const bake_rig *r, uint32_t *count)
{
    static const char name[] = "OfflineMemoryAllocation";
    berth_bytes found = {NULL, 0};
    *count = 0;
    for (uint32_t i = 0; i < berth_model_metadata_count(r->model); ++i) {
        const berth_metadata entry = berth_model_metadata(r->model, i);
        if (entry.name.size == sizeof(name) - 1 &&
            memcmp(entry.name.data, name, sizeof(name) - 1) == 0) {
            found = berth_model_buffer(r->model, entry.buffer);
            ++*count;
        }
    }
    return found;
}

int32_t bake_rig_entry(const bake_rig *r, uint32_t i)
{
    uint32_t count = 0;
    const berth_bytes plan = plan_of(r, &count);
    assert_true(plan.size >= 4 * ((size_t)i + 1));
    return berth_ivec_at((berth_ivec){plan.data, i + 1}, i);
}

uint32_t bake_rig_plan_count(const bake_rig *r)
{
    uint32_t count = 0;
    (void)plan_of(r, &count);
    return count;
}

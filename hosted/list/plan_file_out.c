/* A plan as a plan file. */
#include "list_int.h"

#include "berth/plan_file.h"

#include <string.h>

berth_plan_tag list_tag(const berth_source *source)
{
    berth_plan_tag tag = {.maker = BERTH_PLAN_FOR_BERTH};
    const char kernels[] = "berth";
    memcpy(tag.kernels, kernels, sizeof(kernels));
    memcpy(tag.model_hash, source->hash, sizeof(tag.model_hash));
    return tag;
}

const uint32_t *list_keys(const berth_source *source)
{
    return source->is_csv ? NULL : source->staged.lifetimes.tensor_of_item;
}

berth_status berth_plans_file(const berth_plans *plans, FILE *out,
                              berth_list_error *error)
{
    const berth_part *part = &plans->parts[0];
    const berth_source *source = part->source;
    const berth_problem *problem = &source->list.problem;
    const berth_plan_tag tag = list_tag(source);
    size_t need = 0;
    berth_block block;
    berth_bytes file;
    error->load.stage = BERTH_LOAD_PLAN;
    error->load.status =
        berth_plan_file_bytes(problem->item_count, &need, &error->load.diag);
    if (error->load.status != BERTH_OK) {
        return error->load.status;
    }
    if (!berth_block_take(source->port, need, &block)) {
        return list_no_memory(error);
    }
    berth_work work = berth_work_of(block.memory, need);
    error->load.status =
        berth_plan_file_write(problem, list_keys(source), &part->plan, &tag,
                              &work, &file, &error->load.diag);
    if (error->load.status == BERTH_OK) {
        (void)fwrite(file.data, 1, file.size, out);
    }
    berth_block_give(source->port, &block);
    return error->load.status;
}

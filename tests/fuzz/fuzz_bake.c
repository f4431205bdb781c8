/* Property: whatever model the reader accepts can be baked, or is refused with
 * a reason; and the copy says the same as the model, or the comparison says no.
 * Where it says yes, TFLM's head is the one that was promised. */
#include "berth/bake.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LENT = 1 << 22, TENSORS_MAX = 4096, ITEMS_MAX = 8192 };

typedef struct opened {
    const berth_model *model;
    berth_graph graph;
    berth_micro micro;
} opened;

/* Any stage may refuse; its memory comes out of one block. */
static bool open_all(berth_bytes file, berth_work *work, opened *o)
{
    size_t need = 0;
    return berth_model_init(file, work, &o->model, NULL) == BERTH_OK &&
           berth_graph_init(o->model, work, &o->graph, NULL) == BERTH_OK &&
           o->graph.tensor_count <= TENSORS_MAX &&
           berth_micro_bytes(&o->graph, NULL, &need, NULL) == BERTH_OK &&
           need <= (size_t)(work->end - work->next) &&
           berth_micro_predict(&o->graph, NULL, work, &o->micro, NULL) ==
               BERTH_OK &&
           o->micro.problem.item_count <= ITEMS_MAX;
}

static void bake_opened(const opened *o, berth_work work)
{
    static int32_t offset[TENSORS_MAX];
    static uint64_t item_offset[ITEMS_MAX];
    const berth_bake_options options = {.in_place = true};
    berth_bake_plan plan = {.offset = offset, .item_offset = item_offset};
    berth_bytes file;
    opened again;
    if (berth_bake_solve(&o->graph, &o->micro, &options, work, &plan, NULL) !=
            BERTH_OK ||
        berth_bake_write(o->model, offset, &work, &file, NULL) != BERTH_OK) {
        return;
    }
    if (!open_all(file, &work, &again) ||
        berth_bake_same(o->model, again.model, NULL) != BERTH_OK) {
        return;
    }
    if (again.micro.head_bytes != plan.head_bytes ||
        plan.bound_bytes > plan.head_bytes) {
        __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *lent;
    if (lent == NULL) {
        lent = malloc(LENT);
    }
    uint8_t *file = malloc(size == 0 ? 1 : size);
    if (lent == NULL || file == NULL) {
        free(file);
        return 0;
    }
    if (size != 0) {
        memcpy(file, data, size);
    }
    berth_work work = berth_work_of(lent, LENT);
    opened o;
    if (open_all((berth_bytes){file, size}, &work, &o)) {
        bake_opened(&o, work);
    }
    free(file);
    return 0;
}

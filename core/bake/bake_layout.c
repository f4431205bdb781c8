/* Where the new parts of the file go.
 *
 * Offsets of FlatBuffers point ahead only, so a vector that grows has to stand
 * before what it points to: the new parts come first, the old file follows
 * whole. In the order of the file:
 *
 *   root offset, identifier
 *   vtable and table of Model      points to the new vectors, and ahead
 *   buffers, metadata              vectors of tables: most elements are old
 *   vtable and table of Metadata, its name
 *   vtable and table of Buffer     the plan's, and an empty one if needed
 *   the plan's bytes               16-aligned, as those of all buffers
 *   the old file                   at `shift` */
#include "bake/bake_int.h"
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

#include <string.h>

#define BAKE_SHIFT_MIN 64u
#define BAKE_SHIFT_MAX 4096u

bool bake_is_plan(const berth_model *model, uint32_t i)
{
    const berth_bytes name = berth_model_metadata(model, i).name;
    return name.size == BAKE_NAME_LENGTH &&
           memcmp(name.data, BAKE_NAME, BAKE_NAME_LENGTH) == 0;
}

/* --- the buffer of the plan -------------------------------------------------
 */

static bool a_tensor_uses(const berth_model *model, uint32_t buffer)
{
    for (uint32_t s = 0; s < model->subgraph_count; ++s) {
        const uint32_t tensors = berth_model_subgraph(model, s).tensor_count;
        for (uint32_t t = 0; t < tensors; ++t) {
            if (flat_get_u32(model_tensor_table(model, s, t),
                             SLOT_Tensor_buffer, 0) == buffer) {
                return true;
            }
        }
    }
    return false;
}

static bool metadata_uses(const berth_model *model, uint32_t buffer)
{
    for (uint32_t i = 0; i < model->metadata.count; ++i) {
        if (!bake_is_plan(model, i) &&
            berth_model_metadata(model, i).buffer == buffer) {
            return true;
        }
    }
    const uint8_t *root = flat_follow(model->file.data);
    const berth_ivec old = flat_get_vector(root, SLOT_Model_metadata_buffer);
    for (uint32_t i = 0; i < old.count; ++i) {
        if ((uint32_t)berth_ivec_at(old, i) == buffer) {
            return true;
        }
    }
    return false;
}

/* The buffer of the plan that the file has, if only the plan uses it. Buffer 0
 * is everybody's: it stands for "no bytes". */
static uint32_t buffer_to_take_over(const berth_model *model)
{
    uint32_t buffer = 0;
    for (uint32_t i = 0; i < model->metadata.count; ++i) {
        if (bake_is_plan(model, i)) {
            buffer = berth_model_metadata(model, i).buffer;
        }
    }
    if (buffer == 0 || buffer >= model->buffers.count ||
        a_tensor_uses(model, buffer) || metadata_uses(model, buffer)) {
        return BERTH_NONE;
    }
    return buffer;
}

static berth_status count_parts(const berth_model *model, bake_layout *layout,
                                berth_diag *diag)
{
    const uint32_t old = model->buffers.count;
    const uint32_t mine = buffer_to_take_over(model);
    uint64_t tensors = 0;
    for (uint32_t s = 0; s < model->subgraph_count; ++s) {
        tensors += berth_model_subgraph(model, s).tensor_count;
    }
    if (old > UINT32_MAX / 2 || tensors > UINT32_MAX / 8) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than a plan may hold");
    }
    layout->tensor_count = (uint32_t)tensors;
    /* A file without any buffer gets the number 0 that its tensors name. */
    const uint32_t kept = old == 0 ? 1u : old;
    layout->plan_buffer = mine == BERTH_NONE ? kept : mine;
    layout->buffer_count = mine == BERTH_NONE ? kept + 1u : kept;
    layout->metadata_count = 1;
    for (uint32_t i = 0; i < model->metadata.count; ++i) {
        layout->metadata_count += bake_is_plan(model, i) ? 0 : 1u;
    }
    return BERTH_OK;
}

/* --- positions --------------------------------------------------------------
 */

/* What buffers behind the structure are all aligned to. */
static uint64_t shift_align(const berth_model *model)
{
    uint64_t lowest = 0;
    for (uint32_t i = 0; i < model->buffers.count; ++i) {
        const uint8_t *table = flat_table_at(model->buffers, i);
        const uint64_t at = flat_get_u64(table, SLOT_Buffer_offset);
        if (at >= MODEL_OUTSIDE_MIN) {
            lowest |= at;
        }
    }
    uint64_t align = BAKE_SHIFT_MIN;
    while (lowest != 0 && align < BAKE_SHIFT_MAX && (lowest & align) == 0) {
        align *= 2;
    }
    return align;
}

static uint64_t up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* The positions, in the order of the file. 64 bits cannot wrap here: the
 * counts have 32. */
static uint64_t place_parts(const berth_model *model, bake_layout *layout)
{
    uint64_t at = 8;                /* behind root offset and identifier */
    at += 4 + 2 * BAKE_MODEL_SLOTS; /* vtable */
    layout->model = (uint32_t)up(at, 4);
    at = layout->model + 4 + 4 * BAKE_MODEL_SLOTS;
    layout->buffers = (uint32_t)at;
    at += 4 + UINT64_C(4) * layout->buffer_count;
    layout->metadata = (uint32_t)at;
    at += 4 + UINT64_C(4) * layout->metadata_count;
    layout->entry = (uint32_t)(at + 8);
    at += 8 + 12;
    layout->name = (uint32_t)at;
    at = up(at + 4 + BAKE_NAME_LENGTH + 1, 4);
    layout->buffer = (uint32_t)(at + 8);
    at += 8 + 8;
    if (model->buffers.count == 0) {
        layout->empty = (uint32_t)(at + 4);
        at += 8;
    }
    at = up(at + 4, BAKE_ALIGN) - 4;
    layout->data = (uint32_t)at;
    return at + 4 + UINT64_C(4) * (BAKE_HEADER + layout->tensor_count);
}

static berth_status check_fields(const berth_model *model, berth_diag *diag)
{
    const uint8_t *root = flat_follow(model->file.data);
    const uint8_t *vtable = root - (ptrdiff_t)(int32_t)flat_u32(root);
    const uint32_t slots = (flat_u16(vtable) - 4u) / 2u;
    for (uint32_t slot = BAKE_MODEL_SLOTS; slot < slots; ++slot) {
        if (flat_field(root, slot) != NULL) {
            return berth_refuse(diag, BERTH_UNSUPPORTED,
                                "the model has fields of a newer schema, which "
                                "a copy would lose");
        }
    }
    return BERTH_OK;
}

berth_status bake_layout_find(const berth_model *model, bake_layout *layout,
                              berth_diag *diag)
{
    bake_layout made = {0};
    BERTH_TRY(check_fields(model, diag));
    BERTH_TRY(count_parts(model, &made, diag));
    const uint64_t end = place_parts(model, &made);
    made.shift = up(end, shift_align(model));
    if (made.shift > UINT32_MAX ||
        !berth_add_u64(made.shift, model->file.size, &made.file_bytes) ||
        made.file_bytes > SIZE_MAX) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "the copy would be larger than a file may be");
    }
    *layout = made;
    return BERTH_OK;
}

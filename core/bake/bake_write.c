/* The file: new parts as bake_layout.c has placed them, then the old bytes. */
#include "bake/bake_int.h"
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

#include <string.h>

typedef struct bake_writer {
    const berth_model *model;
    const bake_layout *layout;
    uint8_t *out;
    bool too_far; /* a child that 32 bits do not reach */
} bake_writer;

/* --- numbers ----------------------------------------------------------------
 */

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, value);
    put_u16(at + 2, value >> 16);
}

static void put_u64(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at + 4, (uint32_t)(value >> 32));
}

/* A child: how far ahead it lies. */
static void put_ahead(bake_writer *w, uint32_t at, uint64_t target)
{
    w->too_far = w->too_far || target - at > UINT32_MAX;
    put_u32(w->out + at, (uint32_t)(target - at));
}

/* Where something of the old file lies in the new one. */
static uint64_t moved(const bake_writer *w, const uint8_t *old)
{
    return w->layout->shift + (uint64_t)(old - w->model->file.data);
}

/* The vtable right before a table, and the table's way back to it. slots[i] is
 * where field i lies in the table. */
static void put_vtable(const bake_writer *w, uint32_t table,
                       uint32_t table_bytes, const uint8_t *slots,
                       uint32_t slot_count)
{
    const uint32_t vtable_bytes = 4 + 2 * slot_count;
    const uint32_t distance = (vtable_bytes + 3u) & ~3u;
    uint8_t *vtable = w->out + table - distance;
    put_u16(vtable, vtable_bytes);
    put_u16(vtable + 2, table_bytes);
    for (uint32_t i = 0; i < slot_count; ++i) {
        put_u16(vtable + 4 + 2 * i, slots[i]);
    }
    put_u32(w->out + table, distance);
}

/* --- the new parts ----------------------------------------------------------
 */

static void write_model(bake_writer *w)
{
    const bake_layout *layout = w->layout;
    const uint8_t *root = flat_follow(w->model->file.data);
    uint8_t slots[BAKE_MODEL_SLOTS] = {0};
    for (uint32_t slot = 0; slot < BAKE_MODEL_SLOTS; ++slot) {
        const uint32_t at = layout->model + 4 + 4 * slot;
        const uint8_t *old = flat_field(root, slot);
        if (slot == SLOT_Model_buffers) {
            put_ahead(w, at, layout->buffers);
        } else if (slot == SLOT_Model_metadata) {
            put_ahead(w, at, layout->metadata);
        } else if (old == NULL) {
            continue;
        } else if (slot == SLOT_Model_version) {
            put_u32(w->out + at, flat_u32(old));
        } else {
            put_ahead(w, at, moved(w, flat_follow(old)));
        }
        slots[slot] = (uint8_t)(4 + 4 * slot);
    }
    put_vtable(w, layout->model, 4 + 4 * BAKE_MODEL_SLOTS, slots,
               BAKE_MODEL_SLOTS);
}

static void write_buffers(bake_writer *w)
{
    const bake_layout *layout = w->layout;
    const berth_ivec old = w->model->buffers;
    put_u32(w->out + layout->buffers, layout->buffer_count);
    for (uint32_t i = 0; i < layout->buffer_count; ++i) {
        const uint32_t at = layout->buffers + 4 + 4 * i;
        if (i == layout->plan_buffer) {
            put_ahead(w, at, layout->buffer);
        } else if (i < old.count) {
            put_ahead(w, at, moved(w, flat_table_at(old, i)));
        } else {
            put_ahead(w, at, layout->empty);
        }
    }
}

static void write_metadata(bake_writer *w)
{
    static const uint8_t slots[] = {4, 8}; /* name, buffer */
    const bake_layout *layout = w->layout;
    const berth_ivec old = w->model->metadata;
    uint32_t at = layout->metadata + 4;
    put_u32(w->out + layout->metadata, layout->metadata_count);
    for (uint32_t i = 0; i < old.count; ++i) {
        if (!bake_is_plan(w->model, i)) {
            put_ahead(w, at, moved(w, flat_table_at(old, i)));
            at += 4;
        }
    }
    put_ahead(w, at, layout->entry);
    put_vtable(w, layout->entry, 12, slots, 2);
    put_ahead(w, layout->entry + 4, layout->name);
    put_u32(w->out + layout->entry + 8, layout->plan_buffer);
    put_u32(w->out + layout->name, BAKE_NAME_LENGTH);
    memcpy(w->out + layout->name + 4, BAKE_NAME, BAKE_NAME_LENGTH);
}

static void write_offsets(bake_writer *w, const int32_t *offset)
{
    static const uint8_t slots[] = {4}; /* data */
    const bake_layout *layout = w->layout;
    put_vtable(w, layout->buffer, 8, slots, 1);
    put_ahead(w, layout->buffer + 4, layout->data);
    if (layout->empty != 0) {
        put_vtable(w, layout->empty, 4, slots, 0);
    }
    uint8_t *data = w->out + layout->data;
    put_u32(data, 4 * (BAKE_HEADER + layout->tensor_count));
    put_u32(data + 4, 0);
    put_u32(data + 8, w->model->subgraph_count);
    put_u32(data + 12, layout->tensor_count);
    for (uint32_t t = 0; t < layout->tensor_count; ++t) {
        put_u32(data + 16 + (size_t)4 * t, (uint32_t)offset[t]);
    }
}

/* --- absolute offsets -------------------------------------------------------
 */

/* Adds the shift to a field that counts from the start of the file. The old
 * value is read from the old file: two numbers may stand for one table. */
static void shift_field(const bake_writer *w, const uint8_t *field)
{
    if (field != NULL && flat_u64(field) >= MODEL_OUTSIDE_MIN) {
        put_u64(w->out + moved(w, field), flat_u64(field) + w->layout->shift);
    }
}

static void shift_buffers(const bake_writer *w)
{
    const berth_ivec buffers = w->model->buffers;
    for (uint32_t i = 0; i < buffers.count; ++i) {
        const uint8_t *table = flat_table_at(buffers, i);
        if (flat_get_u64(table, SLOT_Buffer_size) != 0) {
            shift_field(w, flat_field(table, SLOT_Buffer_offset));
        }
    }
}

static void shift_options(const bake_writer *w)
{
    for (uint32_t s = 0; s < w->model->subgraph_count; ++s) {
        const uint32_t ops = berth_model_subgraph(w->model, s).op_count;
        for (uint32_t op = 0; op < ops; ++op) {
            const uint8_t *table = model_operator_table(w->model, s, op);
            if (flat_get_u64(table, SLOT_Operator_large_custom_options_size) !=
                0) {
                shift_field(
                    w, flat_field(table,
                                  SLOT_Operator_large_custom_options_offset));
            }
        }
    }
}

/* --- the whole --------------------------------------------------------------
 */

berth_status berth_bake_write_bytes(const berth_model *model, size_t *bytes,
                                    berth_diag *diag)
{
    bake_layout layout;
    size_t need = 0;
    BERTH_TRY(bake_layout_find(model, &layout, diag));
    if (!berth_work_need(&need, (size_t)layout.file_bytes, 1, BAKE_ALIGN)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
    }
    *bytes = need;
    return BERTH_OK;
}

berth_status berth_bake_write(const berth_model *model, const int32_t *offset,
                              berth_work *work, berth_bytes *file,
                              berth_diag *diag)
{
    bake_layout layout;
    size_t need = 0;
    BERTH_TRY(bake_layout_find(model, &layout, diag));
    BERTH_TRY(berth_bake_write_bytes(model, &need, diag));
    BERTH_TRY(berth_work_check(work, need, diag));
    berth_work rest = *work;
    bake_writer w = {.model = model,
                     .layout = &layout,
                     .out = berth_work_take(&rest, (size_t)layout.file_bytes, 1,
                                            BAKE_ALIGN)};
    memset(w.out, 0, (size_t)layout.shift);
    memcpy(w.out + layout.shift, model->file.data, model->file.size);
    put_ahead(&w, 0, layout.model);
    memcpy(w.out + 4, model->file.data + 4, 4);
    write_model(&w);
    write_buffers(&w);
    write_metadata(&w);
    write_offsets(&w, offset);
    if (w.too_far) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "the copy's structure would pass 4 GB");
    }
    shift_buffers(&w);
    shift_options(&w);
    *work = rest;
    *file = (berth_bytes){w.out, (size_t)layout.file_bytes};
    return BERTH_OK;
}

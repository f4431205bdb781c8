/* The structure of a file, verified by one walk over the schema as data.
 *
 * An explicit stack holds the tables that are open, one frame each: the next
 * field to look at, and what is left of the vector of tables last met. The
 * schema does not nest in a circle, so the stack is short and fixed.
 *
 * Invariants
 *   1. No byte is read before it is known to lie in the file.
 *   2. A table on the stack has a sound vtable, so flat_field_offset() holds.
 *   3. Work is at most WORK_PER_BYTE times the file: tables may share children
 *      (writers do that on purpose), but a file in which a million offsets
 *      lead to one big table is refused instead of walked for hours. */
#include "base/base_int.h"
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

enum {
    DEPTH_MAX = 6,     /* the deepest chain of schema.def */
    WORK_PER_BYTE = 4, /* a file without sharing needs less than 1 */
    WORK_OF_TABLE = 8  /* the least a table takes: an offset to it and in it */
};

typedef struct walk_frame {
    const layout_field *fields; /* of this table */
    uint32_t table;
    uint32_t index;      /* which element of its vector this table is */
    uint32_t item;       /* position of the next element of the vector below */
    uint32_t left;       /* elements of it that are still to visit */
    uint32_t next_index; /* index of that next element */
    uint8_t field;       /* next field to look at */
    uint8_t field_count;
    uint8_t layout;
    uint8_t item_layout;
} walk_frame;

typedef struct walk {
    const uint8_t *data;
    uint64_t limit; /* end of the structure */
    uint64_t work;  /* what is left of the allowance */
    uint32_t depth;
    berth_diag *diag;
    walk_frame stack[DEPTH_MAX];
} walk;

berth_status model_damage(berth_diag *diag, const char *what,
                          uint64_t file_offset)
{
    (void)berth_refuse(diag, BERTH_BAD_MODEL, what);
    if (diag != NULL) {
        diag->file_offset = file_offset;
    }
    return BERTH_BAD_MODEL;
}

/* Damage during the walk; the stack knows whose part it is in. */
static berth_status walk_damage(const walk *w, const char *what, uint64_t at)
{
    const berth_status status = model_damage(w->diag, what, at);
    for (uint32_t i = 0; w->diag != NULL && i < w->depth; ++i) {
        const walk_frame *frame = &w->stack[i];
        if (frame->layout == LAYOUT_SubGraph) {
            w->diag->subgraph = frame->index;
        } else if (frame->layout == LAYOUT_Tensor) {
            w->diag->tensor = frame->index;
        } else if (frame->layout == LAYOUT_Operator) {
            w->diag->op = frame->index;
        }
    }
    return status;
}

static berth_status walk_spend(walk *w, uint64_t work, uint64_t at)
{
    if (work > w->work) {
        return walk_damage(w,
                           "parts are shared so often that reading them all "
                           "would take too long",
                           at);
    }
    w->work -= work;
    return BERTH_OK;
}

/* Follows the child offset at `at`, whose four bytes lie in the file. The
 * target has room for the four bytes that each kind of child starts with. */
static berth_status walk_follow(const walk *w, uint32_t at, uint32_t *target)
{
    const uint32_t ahead = flat_u32(w->data + at);
    if (ahead == 0) {
        return walk_damage(w, "an offset points to itself", at);
    }
    if ((uint64_t)at + ahead + 4u > w->limit) {
        return walk_damage(w, "an offset points outside the file", at);
    }
    *target = at + ahead;
    return BERTH_OK;
}

/* Checks the head of a table, its vtable, and that the vtable's claims lie in
 * the file. */
static berth_status check_table_head(const walk *w, uint32_t table)
{
    const int64_t back = (int32_t)flat_u32(w->data + table);
    const int64_t vtable = (int64_t)table - back;
    if (vtable < 0 || (uint64_t)vtable + 4u > w->limit) {
        return walk_damage(w, "a vtable lies outside the file", table);
    }
    const uint64_t at = (uint64_t)vtable;
    const uint32_t vtable_bytes = flat_u16(w->data + at);
    if (vtable_bytes < 4 || vtable_bytes % 2 != 0) {
        return walk_damage(w, "a vtable's size is impossible", at);
    }
    if (at + vtable_bytes > w->limit) {
        return walk_damage(w, "a vtable reaches past the end of the file", at);
    }
    const uint32_t table_bytes = flat_u16(w->data + at + 2);
    if (table_bytes < 4) {
        return walk_damage(w, "a table's size is impossible", at + 2);
    }
    if (table + (uint64_t)table_bytes > w->limit) {
        return walk_damage(w, "a table reaches past the end of the file",
                           table);
    }
    return BERTH_OK;
}

static const uint8_t *vtable_of(const walk *w, uint32_t table)
{
    return w->data + table - (ptrdiff_t)(int32_t)flat_u32(w->data + table);
}

/* Finds a field of a table whose head is sound, and checks that it lies in the
 * table. *at is 0 when it is absent. */
static berth_status find_field(const walk *w, uint32_t table,
                               const layout_field *field, uint32_t *at)
{
    const uint8_t *vtable = vtable_of(w, table);
    const uint32_t offset = flat_field_offset(vtable, field->slot);
    const uint32_t bytes = field->kind == FLAT_SCALAR ? field->arg : 4u;
    *at = 0;
    if (offset == 0) {
        return BERTH_OK;
    }
    if (offset < 4 || offset + bytes > flat_u16(vtable + 2)) {
        const uint64_t entry = (uint64_t)(vtable - w->data) + 4u;
        return walk_damage(w, "a field lies outside its table",
                           entry + (uint64_t)field->slot * 2u);
    }
    *at = table + offset;
    return BERTH_OK;
}

/* A vector, or a string, of items of item_bytes behind the offset at `at`. */
static berth_status check_vector(const walk *w, uint32_t at,
                                 uint32_t item_bytes, uint32_t *vector)
{
    BERTH_TRY(walk_follow(w, at, vector));
    const uint64_t bytes = (uint64_t)flat_u32(w->data + *vector) * item_bytes;
    if (*vector + 4u + bytes > w->limit) {
        return walk_damage(w, "a vector reaches past the end of the file",
                           *vector);
    }
    return BERTH_OK;
}

static berth_status enter_table(walk *w, uint32_t table, uint32_t layout,
                                uint32_t index)
{
    BERTH_TRY(walk_spend(w, WORK_OF_TABLE, table));
    const layout_fields fields = layout_of(layout);
    w->stack[w->depth++] = (walk_frame){.table = table,
                                        .index = index,
                                        .fields = fields.at,
                                        .field_count = (uint8_t)fields.count,
                                        .layout = (uint8_t)layout};
    return check_table_head(w, table);
}

/* --- one function for each kind of field; `at` is where the field lies -----
 */

typedef berth_status walk_kind(walk *w, uint32_t at, const layout_field *field);

/* Its bytes lie in the table, and any value is a number. */
static berth_status walk_scalar(walk *w, uint32_t at, const layout_field *field)
{
    (void)w;
    (void)at;
    (void)field;
    return BERTH_OK;
}

static berth_status walk_vector(walk *w, uint32_t at, const layout_field *field)
{
    uint32_t vector = 0;
    return check_vector(w, at, field->arg, &vector);
}

static berth_status walk_indexes(walk *w, uint32_t at,
                                 const layout_field *field)
{
    uint32_t vector = 0;
    BERTH_TRY(check_vector(w, at, field->arg, &vector));
    const uint64_t count = flat_u32(w->data + vector);
    return walk_spend(w, count * field->arg, vector);
}

static berth_status walk_table(walk *w, uint32_t at, const layout_field *field)
{
    uint32_t table = 0;
    BERTH_TRY(walk_follow(w, at, &table));
    return enter_table(w, table, field->arg, 0);
}

static berth_status walk_tables(walk *w, uint32_t at, const layout_field *field)
{
    uint32_t vector = 0;
    BERTH_TRY(check_vector(w, at, 4, &vector));
    walk_frame *top = &w->stack[w->depth - 1];
    top->item = vector + 4;
    top->left = flat_u32(w->data + vector);
    top->next_index = 0;
    top->item_layout = field->arg;
    return BERTH_OK;
}

/* The tag stands in the slot before. What a tag of a newer schema means is not
 * known, so its table is not looked at, here or later. */
static berth_status walk_union(walk *w, uint32_t at, const layout_field *field)
{
    const uint32_t table = w->stack[w->depth - 1].table;
    const uint8_t tag = flat_get_u8(w->data + table, field->slot - 1u);
    const uint32_t layout = layout_of_union(field->arg, tag);
    if (layout == LAYOUT_COUNT) {
        return BERTH_OK;
    }
    uint32_t member = 0;
    BERTH_TRY(walk_follow(w, at, &member));
    return enter_table(w, member, layout, 0);
}

static walk_kind *const WALK_KINDS[FLAT_COUNT] = {
    [FLAT_SCALAR] = walk_scalar, [FLAT_STRING] = walk_vector,
    [FLAT_VECTOR] = walk_vector, [FLAT_INDEXES] = walk_indexes,
    [FLAT_TABLE] = walk_table,   [FLAT_TABLES] = walk_tables,
    [FLAT_UNION] = walk_union,
};

/* --- the walk ---------------------------------------------------------------
 */

static berth_status visit_field(walk *w, walk_frame *top)
{
    const layout_field *field = &top->fields[top->field++];
    uint32_t at = 0;
    BERTH_TRY(find_field(w, top->table, field, &at));
    return at == 0 ? BERTH_OK : WALK_KINDS[field->kind](w, at, field);
}

static berth_status visit_item(walk *w, walk_frame *top)
{
    const uint32_t at = top->item;
    top->item += 4;
    top->left -= 1;
    uint32_t table = 0;
    BERTH_TRY(walk_follow(w, at, &table));
    return enter_table(w, table, top->item_layout, top->next_index++);
}

/* The file has a head of eight bytes, or its kind would not be TFLITE. */
static berth_status start_walk(walk *w, berth_bytes file, berth_diag *diag)
{
    w->data = file.data;
    w->limit =
        file.size < MODEL_STRUCTURE_MAX ? file.size : MODEL_STRUCTURE_MAX;
    w->work = w->limit * WORK_PER_BYTE;
    w->depth = 0;
    w->diag = diag;
    uint32_t root = 0;
    BERTH_TRY(walk_follow(w, 0, &root));
    return enter_table(w, root, LAYOUT_Model, 0);
}

berth_status model_verify(berth_bytes file, const uint8_t **root,
                          berth_diag *diag)
{
    walk w;
    BERTH_TRY(start_walk(&w, file, diag));
    const uint32_t model = w.stack[0].table;
    while (w.depth > 0) {
        walk_frame *top = &w.stack[w.depth - 1];
        if (top->left > 0) {
            BERTH_TRY(visit_item(&w, top));
        } else if (top->field < top->field_count) {
            BERTH_TRY(visit_field(&w, top));
        } else {
            w.depth -= 1;
        }
    }
    *root = file.data + model;
    return BERTH_OK;
}

berth_status model_count_subgraphs(berth_bytes file, uint32_t *count,
                                   berth_diag *diag)
{
    walk w;
    BERTH_TRY(start_walk(&w, file, diag));
    const layout_field subgraphs = {SLOT_Model_subgraphs, FLAT_TABLES,
                                    LAYOUT_SubGraph};
    uint32_t at = 0;
    BERTH_TRY(find_field(&w, w.stack[0].table, &subgraphs, &at));
    uint32_t vector = 0;
    if (at != 0) {
        BERTH_TRY(check_vector(&w, at, 4, &vector));
    }
    *count = at == 0 ? 0 : flat_u32(file.data + vector);
    return BERTH_OK;
}

/* Matches the rows of a plan with the items that they are about, by id. Ids
 * need not be unique: the second row of an id is about the second item. */
#include "list_int.h"

#include "report/csv_field.h"

#include <stdlib.h>
#include <string.h>

berth_status list_refuse_given(berth_list_error *error, uint32_t line,
                               uint32_t column, berth_bytes field,
                               const char *what)
{
    error->given = true;
    return list_fail_at(error, BERTH_UNSOUND, line, column, field, what);
}

static int compare_bytes(berth_bytes a, berth_bytes b)
{
    const size_t least = a.size < b.size ? a.size : b.size;
    const int order = least == 0 ? 0 : memcmp(a.data, b.data, least);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_id(const void *x, const void *y)
{
    const list_slot *a = x;
    const list_slot *b = y;
    const int order = compare_bytes(a->id, b->id);
    return order != 0 ? order : (a->item > b->item) - (a->item < b->item);
}

static void fill_slots(const berth_part *part, list_slot *slots)
{
    const uint32_t items = part->source->list.problem.item_count;
    for (uint32_t i = 0; i < items; ++i) {
        slots[i] =
            (list_slot){.id = part->source->list.entries[i].id, .item = i};
        part->plan.offset[i] = BERTH_NOWHERE;
    }
    qsort(slots, items, sizeof(*slots), by_id);
}

berth_status list_match_begin(list_match *match, berth_part *parts,
                              uint32_t count, berth_list_error *error)
{
    size_t slots = 0;
    size_t need = 0;
    *match = (list_match){.parts = parts, .count = count};
    for (uint32_t i = 0; i < count; ++i) {
        slots += parts[i].source->list.problem.item_count;
    }
    if (slots >= BERTH_NONE || !BERTH_NEED(&need, list_slot, slots) ||
        !BERTH_NEED(&need, uint32_t, (size_t)count + 1u) ||
        !berth_block_take(parts[0].source->port, need, &match->block)) {
        return list_no_memory(error);
    }
    berth_work work = berth_work_of(match->block.memory, need);
    match->slots = BERTH_TAKE(&work, list_slot, slots);
    match->first = BERTH_TAKE(&work, uint32_t, (size_t)count + 1u);
    match->first[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        fill_slots(&parts[i], &match->slots[match->first[i]]);
        match->first[i + 1u] =
            match->first[i] + parts[i].source->list.problem.item_count;
    }
    return BERTH_OK;
}

void list_match_end(list_match *match)
{
    berth_block_give(match->parts[0].source->port, &match->block);
}

/* A label as it is written: escaped, in JSON where it has to be. */
static bool is_labelled(const char *label, berth_bytes text)
{
    berth_bytes left = list_text(label);
    if (compare_bytes(left, text) == 0) {
        return true;
    }
    while (left.size > 0) {
        char piece[CSV_ESCAPED_MAX];
        csv_take_escaped(&left, piece);
        const size_t length = strlen(piece);
        if (text.size < length || memcmp(text.data, piece, length) != 0) {
            return false;
        }
        text.data += length;
        text.size -= length;
    }
    return text.size == 0;
}

bool list_match_part(list_match *match, berth_bytes label)
{
    for (uint32_t i = 0; i < match->count; ++i) {
        const uint32_t part = (match->part + i) % match->count;
        if (is_labelled(match->parts[part].source->label, label)) {
            match->part = part;
            return true;
        }
    }
    return false;
}

/* The first slot of that id, or NULL. */
static list_slot *find_slot(const list_match *match, berth_bytes id)
{
    uint32_t from = match->first[match->part];
    uint32_t end = match->first[match->part + 1u];
    while (from < end) {
        const uint32_t half = from + (end - from) / 2u;
        if (compare_bytes(match->slots[half].id, id) < 0) {
            from = half + 1u;
        } else {
            end = half;
        }
    }
    return from < match->first[match->part + 1u] &&
                   compare_bytes(match->slots[from].id, id) == 0
               ? &match->slots[from]
               : NULL;
}

const char *list_match_set(list_match *match, berth_bytes id, uint64_t size,
                           uint64_t offset)
{
    const berth_part *part = &match->parts[match->part];
    list_slot *first = find_slot(match, id);
    if (first == NULL) {
        return "the plan has a buffer that is not in what it is checked "
               "against";
    }
    list_slot *slot = first + first->next;
    if (slot == &match->slots[match->first[match->part + 1u]] ||
        compare_bytes(slot->id, id) != 0) {
        return "the plan has this buffer once too often";
    }
    ++first->next;
    if (size != BERTH_NOWHERE &&
        size != part->source->list.problem.items[slot->item].size) {
        return "the plan has another size for this buffer";
    }
    part->plan.offset[slot->item] = offset;
    return NULL;
}

berth_status list_match_all(const list_match *match, berth_list_error *error)
{
    for (uint32_t p = 0; p < match->count; ++p) {
        const berth_source *source = match->parts[p].source;
        for (uint32_t i = 0; i < source->list.problem.item_count; ++i) {
            if (match->parts[p].plan.offset[i] == BERTH_NOWHERE) {
                return list_refuse_given(error, 0, 0,
                                         source->list.entries[i].id,
                                         "the plan has no offset for");
            }
        }
    }
    return BERTH_OK;
}

/* STRIDED_SLICE: first element, step and count on each axis, from five masks.
 * Bit k of a mask speaks of entry k of begin, end and strides, not of an axis:
 * an ellipsis stands for as many axes as nothing else speaks of, a new axis for
 * none. Axes after the last entry are taken whole. */
#include "kernels/move.h"

struct masks {
    uint32_t begin; /* from the first element that the stride allows */
    uint32_t end;   /* to the last one */
    uint32_t ellipsis;
    uint32_t fresh;  /* an axis of the output of one element */
    uint32_t shrink; /* one element, and no axis of the output */
    bool offset;     /* end counts from begin */
};

static struct masks masks_of(const berth_node *node)
{
    const berth_operator *op = node->op;
    struct masks masks = {
        .begin = (uint32_t)berth_option_int(
            op, BERTH_OPT_StridedSliceOptions_begin_mask),
        .end = (uint32_t)berth_option_int(
            op, BERTH_OPT_StridedSliceOptions_end_mask),
        .ellipsis = (uint32_t)berth_option_int(
            op, BERTH_OPT_StridedSliceOptions_ellipsis_mask),
        .fresh = (uint32_t)berth_option_int(
            op, BERTH_OPT_StridedSliceOptions_new_axis_mask),
        .shrink = (uint32_t)berth_option_int(
            op, BERTH_OPT_StridedSliceOptions_shrink_axis_mask),
        .offset =
            berth_option_int(op, BERTH_OPT_StridedSliceOptions_offset) != 0,
    };
    masks.fresh &= ~masks.ellipsis;
    return masks;
}

static bool has(uint32_t mask, uint32_t entry)
{
    return (mask >> entry & 1u) != 0;
}

static int64_t within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* What an entry takes of an axis. */
struct taken {
    int64_t first;
    int64_t step;
    int64_t count; /* 0: nothing; -1: an element that is not there */
};

static struct taken take_entry(const berth_node *node,
                               const struct masks *masks, uint32_t entry,
                               int64_t dim)
{
    const int64_t step = kernel_index(&node->inputs[3], entry);
    const bool back = step < 0;
    const int64_t low = back ? -1 : 0;
    const int64_t high = back ? dim - 1 : dim;
    int64_t begin =
        within(kernel_index(&node->inputs[1], entry), INT32_MIN, INT32_MAX);
    int64_t end =
        within(kernel_index(&node->inputs[2], entry), INT32_MIN, INT32_MAX);
    begin = within(begin < 0 ? begin + dim : begin, low, high);
    if (has(masks->begin, entry)) {
        begin = back ? dim - 1 : 0;
    }
    if (masks->offset) {
        end += begin;
    } else if (has(masks->end, entry)) {
        end = back ? -1 : dim;
    } else {
        end = within(end < 0 ? end + dim : end, low, high);
    }
    struct taken taken = {begin, step, 0};
    if (has(masks->shrink, entry)) {
        taken.count = 1;
    } else if (back ? end < begin : end > begin) {
        taken.count = ((end - begin) - (back ? -1 : 1)) / step + 1;
    }
    const int64_t last = begin + (taken.count - 1) * step;
    if (taken.count > 0 &&
        (begin < 0 || begin >= dim || last < 0 || last >= dim)) {
        taken.count = -1;
    }
    return taken;
}

static uint32_t spoken_axes(const struct masks *masks, uint32_t entries)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < entries; ++k) {
        count += has(masks->ellipsis | masks->fresh, k) ? 0 : 1;
    }
    return count;
}

static void take_whole(const berth_operand *from, struct move *m, uint32_t axis,
                       uint32_t end)
{
    for (uint32_t i = axis; i < end && i < from->rank; ++i) {
        move_add(m, from->dims[i], kernel_step(from, i));
    }
}

static bool is_sane_step(int64_t step)
{
    return step != 0 && step >= -INT32_MAX && step <= INT32_MAX;
}

/* The axes of the output in order, each of one entry or of none. Entries are at
 * most 16, and at most 8 of them speak of axes. */
static const char *take_entries(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const struct masks masks = masks_of(node);
    const uint32_t entries = (uint32_t)node->inputs[1].elements;
    const uint32_t spoken = spoken_axes(&masks, entries);
    uint32_t axis = 0;
    if (spoken > from->rank) {
        return "more entries than axes";
    }
    for (uint32_t k = 0; k < entries; ++k) {
        if (has(masks.ellipsis, k)) {
            const uint32_t end = axis + from->rank - spoken;
            take_whole(from, m, axis, end);
            axis = end;
        } else if (has(masks.fresh, k)) {
            move_add(m, 1, 0);
        } else if (axis >= from->rank ||
                   !is_sane_step(kernel_index(&node->inputs[3], k))) {
            return "a stride of 0, or an entry without an axis";
        } else {
            const int64_t step = kernel_step(from, axis);
            const struct taken taken =
                take_entry(node, &masks, k, from->dims[axis]);
            if (taken.count < 0) {
                return "a strided slice leaves its input";
            }
            move_skip(m, taken.first, step);
            if (!has(masks.shrink, k)) {
                move_add(m, taken.count, taken.step * step);
            }
            axis += 1;
        }
        if (m->rank > MOVE_RANK_MAX || axis > from->rank) {
            return "more than 8 axes, or two ellipses";
        }
    }
    if (m->rank + from->rank - axis > MOVE_RANK_MAX) {
        return "more than 8 axes";
    }
    take_whole(from, m, axis, from->rank);
    return NULL;
}

static const char *plan_strided_slice(const berth_node *node, struct move *m)
{
    enum { ENTRIES_MAX = 16 };
    const berth_operand *to = &node->outputs[0];
    const uint64_t entries = node->inputs[1].elements;
    if (entries > ENTRIES_MAX || node->inputs[2].elements != entries ||
        node->inputs[3].elements != entries) {
        return "begin, end and strides differ in length, or are too long";
    }
    const char *wrong = take_entries(node, m);
    bool fits = wrong == NULL && m->rank == to->rank;
    for (uint32_t i = 0; fits && i < to->rank; ++i) {
        fits = m->axes[i].count == to->dims[i];
    }
    return wrong != NULL ? wrong : fits ? NULL : "the output has another shape";
}

MOVE_KERNEL(
    strided_slice, 4,
    "a strided slice lies outside of its input, or is not the output's");

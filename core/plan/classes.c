/* Tied items as rigid shapes.
 *
 * Ties form a forest: every item has at most one owner. Each tree is a class,
 * known by its root; `shift` is the sum of the deltas on the way from the root.
 * All roots are found in linear time with one stack, which borrows the memory
 * of `next` before the members are chained there. */
#include "plan/plan_int.h"

bool plan_classes_need(const berth_problem *problem, size_t *bytes)
{
    return problem->tie_count == 0 ||
           (BERTH_NEED(bytes, int64_t, problem->item_count) &&
            BERTH_NEED(bytes, uint32_t, problem->item_count) &&
            BERTH_NEED(bytes, uint32_t, problem->item_count));
}

/* The tie that makes `item` follow its owner; ties ascend by b. */
static const berth_tie *tie_of(const berth_problem *problem, uint32_t item)
{
    uint32_t from = 0;
    uint32_t end = problem->tie_count;
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        if (problem->ties[middle].b < item) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return &problem->ties[from];
}

/* Finds the root of `item` and of all on the way to it. */
static bool resolve(plan_classes *classes, uint32_t item)
{
    const berth_problem *problem = classes->problem;
    uint32_t *stack = classes->next;
    uint32_t depth = 0;
    while (classes->root[item] == BERTH_NONE) {
        if (depth == problem->tie_count) {
            return false; /* more owners than ties: a circle */
        }
        stack[depth++] = item;
        item = tie_of(problem, item)->a;
    }
    while (depth > 0) {
        const uint32_t member = stack[--depth];
        classes->root[member] = classes->root[item];
        /* |shift| <= the sum of all |delta| <= PLAN_REACH_MAX */
        classes->shift[member] =
            classes->shift[item] + tie_of(problem, member)->delta;
        item = member;
    }
    return true;
}

static void chain_members(plan_classes *classes)
{
    const berth_problem *problem = classes->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        classes->next[i] = BERTH_NONE;
    }
    for (uint32_t k = problem->tie_count; k-- > 0;) {
        const uint32_t member = problem->ties[k].b;
        const uint32_t root = classes->root[member];
        classes->next[member] = classes->next[root];
        classes->next[root] = member;
    }
}

berth_status plan_classes_init(plan_classes *classes,
                               const berth_problem *problem, berth_work *work,
                               berth_diag *diag)
{
    *classes = (plan_classes){.problem = problem};
    if (problem->tie_count == 0) {
        return BERTH_OK;
    }
    classes->shift = BERTH_TAKE(work, int64_t, problem->item_count);
    classes->root = BERTH_TAKE(work, uint32_t, problem->item_count);
    classes->next = BERTH_TAKE(work, uint32_t, problem->item_count);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        classes->root[i] = i;
        classes->shift[i] = 0;
    }
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        classes->root[problem->ties[k].b] = BERTH_NONE;
    }
    for (uint32_t k = 0; k < problem->tie_count; ++k) {
        if (!resolve(classes, problem->ties[k].b)) {
            (void)berth_refuse(diag, BERTH_BAD_ARG, "ties go in a circle");
            if (diag != NULL) {
                diag->tensor = problem->ties[k].b;
            }
            return BERTH_BAD_ARG;
        }
    }
    chain_members(classes);
    return BERTH_OK;
}

/* (base - shift) modulo align, a power of two. */
static uint32_t residue_of(int64_t base, int64_t shift, uint32_t align)
{
    return (uint32_t)((uint64_t)(base - shift) & (align - 1u));
}

/* Where the root must lie so that this member is aligned; both rules agree on
 * the smaller of the two alignments, or the shape is a misfit. */
static void join_alignment(plan_shape *shape, uint32_t i, int64_t shift,
                           uint32_t align)
{
    const uint32_t residue = residue_of(0, shift, align);
    const uint32_t common = plan_min_u32(align, shape->align);
    if (((residue ^ shape->residue) & (common - 1u)) != 0) {
        shape->misfit = i;
    }
    if (align > shape->align) {
        shape->align = align;
        shape->residue = residue;
    }
}

static void join_member(plan_shape *shape, const plan_classes *classes,
                        uint32_t i)
{
    const berth_problem *problem = classes->problem;
    const berth_item *item = &problem->items[i];
    const int64_t shift = plan_shift(classes, i);
    const int64_t high = shift + (int64_t)item->size;
    const uint32_t last = plan_span_count(problem, i) - 1;

    shape->low = shift < shape->low ? shift : shape->low;
    shape->high = high > shape->high ? high : shape->high;
    shape->born = plan_min_u32(shape->born, plan_span(problem, i, 0).born);
    shape->dead = plan_max_u32(shape->dead, plan_span(problem, i, last).dead);
    shape->pinned |= (item->flags & BERTH_ITEM_PINNED) != 0;
    shape->empty &= item->size == 0;
    join_alignment(shape, i, shift, plan_item_align(problem, i));
    if (item->fixed != BERTH_NOWHERE) {
        const int64_t fixed = (int64_t)item->fixed - shift;
        if (shape->fixed != fixed && shape->fixed != INT64_MIN) {
            shape->misfit = i;
        }
        shape->fixed = fixed;
    }
}

plan_shape plan_shape_of(const plan_classes *classes, uint32_t root)
{
    plan_shape shape = {.fixed = INT64_MIN,
                        .align = 1,
                        .born = UINT32_MAX,
                        .misfit = BERTH_NONE,
                        .empty = true};
    for (uint32_t i = root; i != BERTH_NONE; i = plan_next(classes, i)) {
        join_member(&shape, classes, i);
    }
    if (shape.fixed == INT64_MIN) {
        shape.fixed = -1;
    } else if (shape.fixed + shape.low < 0 ||
               residue_of(shape.fixed, 0, shape.align) != shape.residue) {
        shape.misfit = root; /* below the start, or misaligned */
    }
    return shape;
}

/* The loop behind all moves: see move.h. */
#include "kernels/move.h"

/* --- operands ---------------------------------------------------------------
 */

int64_t kernel_span(const berth_operand *operand, uint32_t from, uint32_t end)
{
    uint64_t product = 1;
    for (uint32_t i = from; i < end; ++i) {
        product *= (uint64_t)operand->dims[i];
    }
    return (int64_t)product;
}

bool kernel_same_dims(const berth_operand *a, const berth_operand *b)
{
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; ++i) {
        same = a->dims[i] == b->dims[i];
    }
    return same;
}

berth_status kernel_check_counts(const berth_node *node, uint32_t inputs_min,
                                 uint32_t inputs_max, uint32_t outputs,
                                 berth_diag *diag)
{
    bool all = node->input_count >= inputs_min &&
               node->input_count <= inputs_max && node->output_count == outputs;
    for (uint32_t i = 0; all && i < node->input_count; ++i) {
        all = kernel_input(node, i) != NULL;
    }
    return all ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "not the inputs and outputs of this operator");
}

berth_status kernel_check_moved(const berth_operand *from,
                                const berth_operand *to, berth_diag *diag)
{
    if (from->type != to->type) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "input and output have different types");
    }
    if (kernel_element_bytes(from) == 0) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "elements of less than a byte, or of no size");
    }
    if (from->rank > MOVE_RANK_MAX || to->rank > MOVE_RANK_MAX) {
        return berth_refuse(diag, BERTH_UNSUPPORTED, "more than 8 axes");
    }
    return BERTH_OK;
}

/* --- elements ---------------------------------------------------------------
 */

/* One loop for each size: a copy of a constant size is a move of registers. */
#define MOVE_LOOP(size)                                                        \
    for (uint64_t i = 0; i < count; ++i) {                                     \
        __builtin_memcpy(to, from, size);                                      \
        to += (size);                                                          \
        from += step;                                                          \
    }

void kernel_copy_steps(uint8_t *to, const uint8_t *from, int64_t step,
                       uint32_t size, uint64_t count)
{
    if (size == 1) {
        MOVE_LOOP(1)
    } else if (size == 2) {
        MOVE_LOOP(2)
    } else if (size == 4) {
        MOVE_LOOP(4)
    } else if (size == 8) {
        MOVE_LOOP(8)
    } else {
        MOVE_LOOP(size)
    }
}

#undef MOVE_LOOP

void kernel_repeat(uint8_t *to, const uint8_t *element, uint32_t size,
                   uint64_t count)
{
    bool same = true;
    for (uint32_t i = 1; i < size; ++i) {
        same = same && element[i] == element[0];
    }
    if (same) { /* zeros of any type, all of 8 bits */
        (void)memset(to, element[0], (size_t)(count * size));
    } else {
        kernel_copy_steps(to, element, 0, size, count);
    }
}

/* --- the loop ---------------------------------------------------------------
 */

/* Joins axes that are one in the source as well, so that runs are long. */
static void join_axes(struct move *m)
{
    struct move joined = {.start = m->start};
    uint32_t first = MOVE_AXES_MAX; /* filled from the back */
    for (uint32_t i = m->rank; i > 0; --i) {
        const struct move_axis axis = m->axes[i - 1];
        struct move_axis *inner = &joined.axes[first % MOVE_AXES_MAX];
        if (axis.count == 1) {
            continue;
        }
        if (first < MOVE_AXES_MAX && axis.step == inner->count * inner->step) {
            inner->count *= axis.count;
        } else {
            first -= 1;
            joined.axes[first] = axis;
        }
    }
    m->rank = MOVE_AXES_MAX - first;
    (void)memmove(m->axes, joined.axes + first, m->rank * sizeof(m->axes[0]));
}

/* A place in the output: what is left of the run, and where it comes from. */
struct cursor {
    int64_t at[MOVE_AXES_MAX];
    int64_t from; /* element of the source */
};

static void seek(const struct move *m, struct cursor *c, uint64_t element)
{
    c->from = m->start;
    for (uint32_t i = m->rank; i > 0; --i) {
        const struct move_axis *axis = &m->axes[i - 1];
        c->at[i - 1] = (int64_t)(element % (uint64_t)axis->count);
        c->from += c->at[i - 1] * axis->step;
        element /= (uint64_t)axis->count;
    }
}

/* n elements on, within the last axis or to its end. */
static void advance(const struct move *m, struct cursor *c, int64_t n)
{
    uint32_t i = m->rank - 1;
    c->at[i] += n;
    c->from += n * m->axes[i].step;
    while (i > 0 && c->at[i] == m->axes[i].count) {
        c->from -= c->at[i] * m->axes[i].step;
        c->at[i] = 0;
        i -= 1;
        c->at[i] += 1;
        c->from += m->axes[i].step;
    }
}

/* Elements from `element` to the end of its row. */
static uint64_t left_in_row(const berth_operand *operand, uint64_t element)
{
    const uint64_t row = operand->elements / operand->rows;
    return row - element % row;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Writes elements [begin, end) of the output. */
static void run_move(const struct move *m, const berth_operand *from,
                     const berth_operand *to, uint64_t begin, uint64_t end)
{
    const uint32_t size = kernel_element_bytes(to);
    const struct move_axis last = m->axes[m->rank - 1];
    const bool from_whole = kernel_lies_whole(from);
    const bool to_whole = kernel_lies_whole(to);
    struct cursor c;
    seek(m, &c, begin);
    while (begin < end) {
        uint64_t run = (uint64_t)(last.count - c.at[m->rank - 1]);
        run = least(run, end - begin);
        if (!to_whole) {
            run = least(run, left_in_row(to, begin));
        }
        if (!from_whole) {
            run = last.step == 1
                      ? least(run, left_in_row(from, (uint64_t)c.from))
                      : 1;
        }
        uint8_t *target =
            to_whole ? to->data + begin * size : kernel_byte(to, begin * size);
        const uint64_t at = (uint64_t)c.from * size;
        const uint8_t *source =
            from_whole ? from->data + at : kernel_byte(from, at);
        if (last.step == 1) {
            kernel_copy(target, source, (size_t)run * size);
        } else {
            kernel_copy_steps(target, source, last.step * size, size, run);
        }
        advance(m, &c, (int64_t)run);
        begin += run;
    }
}

static void move_node(struct move *m, const berth_operand *from,
                      const berth_operand *to, uint32_t begin, uint32_t end)
{
    const uint64_t row = to->elements / to->rows;
    if (row == 0) {
        return;
    }
    join_axes(m);
    if (m->rank == 0) {
        move_add(m, 1, 1);
    }
    run_move(m, from, to, begin * row, end * row);
}

berth_status kernel_move_check(move_plan *plan, uint32_t inputs,
                               const berth_node *node, berth_diag *diag)
{
    bool known = true;
    BERTH_TRY(kernel_check_counts(node, inputs, inputs, 1, diag));
    BERTH_TRY(kernel_check_moved(&node->inputs[0], &node->outputs[0], diag));
    for (uint32_t i = 1; i < inputs; ++i) {
        if (!kernel_is_index(&node->inputs[i])) {
            return berth_refuse(diag, BERTH_UNSUPPORTED,
                                "a parameter that is not int32 or int64");
        }
        known = known && kernel_is_known(&node->inputs[i]);
    }
    struct move m = {0};
    const char *wrong = known ? plan(node, &m) : NULL;
    return wrong == NULL ? BERTH_OK
                         : berth_refuse(diag, BERTH_BAD_MODEL, wrong);
}

berth_status kernel_move_rows(move_plan *plan, const berth_node *node,
                              uint32_t begin, uint32_t end)
{
    struct move m = {0};
    if (plan(node, &m) != NULL) {
        return BERTH_BAD_DATA;
    }
    move_node(&m, &node->inputs[0], &node->outputs[0], begin, end);
    return BERTH_OK;
}

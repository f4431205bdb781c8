/* prove_step.c: one step of the run.
 *
 * In place. Output o and input i of one operator have the same shape and
 * element size, hence the same rows: row r of either is w bytes at r * w. The
 * licence says that rows run forward and that a row is read before it is
 * written over. Writing row r touches [o + r * w, o + (r + 1) * w); rows of i
 * still to be read begin at i + (r + 1) * w. The two are apart for every r if
 * and only if o <= i. So "row by row" needs no rows here: at a distance
 * o - i <= 0 the whole output may be written at once, over the head of the
 * input or over all of it, and what lies behind stays as it was; at a distance
 * > 0 row 0 already destroys part of row 1. The same for several licensed
 * inputs at a time, since each is compared with what is written only.
 *
 * Parts. A join may find inputs at their places in the output, a split may
 * leave outputs at theirs in the input (rows.h): bytes that nobody moves. What
 * it writes is a new value all the same, so who reads the old one later is
 * told.
 *
 * Moves. The pairs of a step are one parallel assignment. A target may be
 * exactly the place of a source: then the pairs are chains and cycles of equal
 * blocks, which the engine copies in order or swaps in blocks. It may also lie
 * over the head of its own source, if no other target touches that: bytes are
 * copied forward. Any other overlap has no order that is right. */
#include "prove/prove_int.h"

berth_status prove_refuse(const prove_judge *judge, uint32_t tensor,
                          uint32_t other, const char *what)
{
    if (judge->diag != NULL) {
        *judge->diag = berth_diag_none();
        judge->diag->what = what;
        judge->diag->tensor = tensor;
        judge->diag->other = other;
        judge->diag->step = judge->step;
        if (judge->step < judge->schedule->step_count) {
            judge->diag->op = judge->schedule->steps[judge->step].op;
        }
    }
    return BERTH_UNSOUND;
}

/* Who wrote over the tensor: of the cells in its place the first that is not
 * what it should be. */
static uint32_t culprit_of(const prove_judge *judge, uint32_t tensor)
{
    const prove_map *memory = &judge->memory;
    const prove_place place = judge->place[tensor];
    uint32_t at = prove_map_first(memory, place);
    while (at != BERTH_NONE) {
        if (memory->cells[at].value != judge->value[tensor]) {
            return memory->cells[at].writer;
        }
        at = prove_map_next(memory, at, place);
    }
    return BERTH_NONE;
}

berth_status prove_check_read(const prove_judge *judge, uint32_t tensor)
{
    if (tensor == BERTH_NONE || !prove_placed(judge->place[tensor])) {
        return BERTH_OK;
    }
    const uint32_t value = judge->value[tensor];
    if (value == 0) {
        return (judge->graph->tensors[tensor].flags & BERTH_TENSOR_ORPHAN) != 0
                   ? BERTH_OK
                   : prove_refuse(judge, tensor, BERTH_NONE,
                                  "read before anything wrote it");
    }
    if (!prove_map_holds(&judge->memory, judge->place[tensor], value)) {
        return prove_refuse(judge, tensor, culprit_of(judge, tensor),
                            "overwritten before its last reader");
    }
    return BERTH_OK;
}

berth_status prove_fresh(prove_judge *judge, uint32_t *value)
{
    if (judge->last_value == UINT32_MAX) {
        return berth_refuse(judge->diag, BERTH_TOO_LARGE,
                            "more values than can be told apart");
    }
    *value = ++judge->last_value;
    return BERTH_OK;
}

static bool has_place(const prove_judge *judge, uint32_t tensor)
{
    return tensor != BERTH_NONE && prove_placed(judge->place[tensor]);
}

static void forget_marks(prove_judge *judge, const berth_step *step)
{
    for (uint32_t i = 0; i < step->write_count; ++i) {
        if (has_place(judge, step->writes[i])) {
            prove_map_forget(&judge->marks, judge->place[step->writes[i]]);
        }
    }
}

/* --- operators --------------------------------------------------------- */

static bool same_place(prove_place a, prove_place b)
{
    return a.begin == b.begin && a.end == b.end;
}

/* Leading axes of one element change nothing: [1, 4] and [4] are one shape. */
static uint32_t leading_ones(const int32_t *dims, uint32_t rank)
{
    uint32_t ones = 0;
    while (ones < rank && dims[ones] == 1) {
        ++ones;
    }
    return ones;
}

static bool same_rows(const prove_judge *judge, uint32_t a, uint32_t b)
{
    const berth_graph_tensor *tensors = judge->graph->tensors;
    const berth_shape *sa = &judge->shapes->of[a];
    const berth_shape *sb = &judge->shapes->of[b];
    if (sa->bytes != sb->bytes ||
        berth_type_bits((berth_type)tensors[a].type) !=
            berth_type_bits((berth_type)tensors[b].type)) {
        return false;
    }
    const int32_t *da = berth_shape_dims(judge->shapes, a);
    const int32_t *db = berth_shape_dims(judge->shapes, b);
    const uint32_t skip_a = leading_ones(da, sa->rank);
    const uint32_t skip_b = leading_ones(db, sb->rank);
    if (sa->rank - skip_a != sb->rank - skip_b) {
        return false;
    }
    for (uint32_t i = 0; skip_a + i < sa->rank; ++i) {
        if (da[skip_a + i] != db[skip_b + i]) {
            return false;
        }
    }
    return true;
}

static bool is_view(const prove_judge *judge, const berth_step *step)
{
    const uint32_t code = judge->graph->ops[step->op].code;
    if ((berth_op_contract_of(code)->flags & BERTH_OP_VIEW) == 0 ||
        step->read_count == 0 || step->write_count == 0) {
        return false;
    }
    const uint32_t from = step->reads[0];
    const uint32_t to = step->writes[0];
    return has_place(judge, from) && has_place(judge, to) &&
           judge->value[from] != 0 &&
           judge->shapes->of[from].bytes == judge->shapes->of[to].bytes;
}

/* Every part of a whole is at its place there, or apart from it. */
static bool parts_fit(const prove_judge *judge, const berth_step *step,
                      const berth_parts *parts)
{
    const bool join = parts->kind == BERTH_PARTS_JOIN;
    const uint32_t whole = join ? step->writes[0] : step->reads[parts->whole];
    uint64_t offset = parts->offset;
    if (parts->kind == BERTH_PARTS_NONE || !has_place(judge, whole)) {
        return false;
    }
    for (uint32_t i = 0; i < parts->count; ++i) {
        const uint32_t part = join ? step->reads[i] : step->writes[i];
        if (!has_place(judge, part)) {
            offset += part == BERTH_NONE ? 0 : judge->shapes->of[part].bytes;
            continue;
        }
        const prove_place at = judge->place[part];
        const prove_place all = judge->place[whole];
        const bool apart = at.end <= all.begin || all.end <= at.begin;
        if (!apart && judge->address[part] != judge->address[whole] + offset) {
            return false;
        }
        offset += judge->shapes->of[part].bytes;
    }
    return true;
}

/* What a step has to do with parts; looked at once, and only if something
 * overlaps. */
struct step_parts {
    berth_parts parts;
    bool known;
    bool fit;
};

/* May what the step writes lie over its input `i`, since one is a part of the
 * other? */
static bool is_in_place(const prove_judge *judge, const berth_step *step,
                        struct step_parts *p, uint32_t i)
{
    if (!p->known) {
        p->parts = berth_op_parts(judge->graph, judge->shapes, step->op);
        p->fit = parts_fit(judge, step, &p->parts);
        p->known = true;
    }
    return p->fit && (p->parts.kind == BERTH_PARTS_JOIN ? i < p->parts.count
                                                        : i == p->parts.whole);
}

/* May the step's output 0 lie over its input `i`, where the two overlap? */
static bool licensed(const prove_judge *judge, const berth_step *step,
                     uint32_t i)
{
    const uint32_t code = judge->graph->ops[step->op].code;
    const berth_op_contract *contract = berth_op_contract_of(code);
    const uint32_t from = step->reads[i];
    const uint32_t to = step->writes[0];
    const prove_place input = judge->place[from];
    const prove_place output = judge->place[to];
    if (is_view(judge, step)) {
        /* In place it writes the bytes that are there: whatever else of its
         * inputs lies among them (the same tensor, twice) stays as it is. */
        return same_place(judge->place[step->reads[0]], output);
    }
    const uint32_t inputs = contract->inplace_inputs;
    const bool named = (inputs >> 31) != 0 || (i < 31 && (inputs >> i) & 1u);
    return named && output.begin <= input.begin && same_rows(judge, from, to);
}

static berth_status mark_outputs(prove_judge *judge, const berth_step *step)
{
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t tensor = step->writes[i];
        if (!has_place(judge, tensor)) {
            continue;
        }
        const uint32_t at =
            prove_map_first(&judge->marks, judge->place[tensor]);
        if (at != BERTH_NONE) {
            return prove_refuse(judge, judge->marks.cells[at].writer, tensor,
                                "two outputs of one operator overlap");
        }
        prove_map_write(&judge->marks, judge->place[tensor], i, tensor);
    }
    return BERTH_OK;
}

static berth_status check_overlaps(const prove_judge *judge,
                                   const berth_step *step)
{
    const prove_map *marks = &judge->marks;
    struct step_parts parts = {.known = false};
    for (uint32_t i = 0; i < step->read_count; ++i) {
        const uint32_t tensor = step->reads[i];
        if (!has_place(judge, tensor)) {
            continue;
        }
        const prove_place place = judge->place[tensor];
        uint32_t at = prove_map_first(marks, place);
        while (at != BERTH_NONE && marks->cells[at].value == 0 &&
               licensed(judge, step, i)) {
            at = prove_map_next(marks, at, place);
        }
        if (at != BERTH_NONE && !is_in_place(judge, step, &parts, i)) {
            return prove_refuse(judge, tensor, marks->cells[at].writer,
                                "an output lies over an input that the "
                                "operator still reads");
        }
    }
    return BERTH_OK;
}

static berth_status write_outputs(prove_judge *judge, const berth_step *step)
{
    const bool view = is_view(judge, step);
    const uint32_t viewed = view ? judge->value[step->reads[0]] : 0;
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t tensor = step->writes[i];
        if (!has_place(judge, tensor)) {
            continue;
        }
        uint32_t value = viewed;
        if (i > 0 || !view) {
            BERTH_TRY(prove_fresh(judge, &value));
        }
        judge->value[tensor] = value;
        prove_map_write(&judge->memory, judge->place[tensor], value, tensor);
    }
    return BERTH_OK;
}

/* Known in prepare (shape.h), and kept nowhere: nobody runs the operator, and
 * what it would have read may be gone. */
static bool is_folded_away(const prove_judge *judge, const berth_step *step)
{
    const uint32_t code = judge->graph->ops[step->op].code;
    if ((berth_op_contract_of(code)->flags & BERTH_OP_STATEFUL) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t tensor = step->writes[i];
        if (tensor != BERTH_NONE &&
            (has_place(judge, tensor) ||
             (judge->shapes->of[tensor].flags & BERTH_SHAPE_FOLDED) == 0)) {
            return false;
        }
    }
    return step->write_count > 0;
}

berth_status prove_run_op(prove_judge *judge, const berth_step *step)
{
    if (is_folded_away(judge, step)) {
        return BERTH_OK;
    }
    for (uint32_t i = 0; i < step->read_count; ++i) {
        BERTH_TRY(prove_check_read(judge, step->reads[i]));
    }
    BERTH_TRY(mark_outputs(judge, step));
    BERTH_TRY(check_overlaps(judge, step));
    BERTH_TRY(write_outputs(judge, step));
    forget_marks(judge, step);
    return BERTH_OK;
}

/* --- moves ------------------------------------------------------------- */

/* The value that a pair hands on; 0 where the target gets a fresh one. */
static uint32_t handed_on(const prove_judge *judge, const berth_step *step,
                          uint32_t pair, prove_keeps keeps)
{
    const uint32_t from = step->reads[pair];
    const uint32_t to = step->writes[pair];
    if (!has_place(judge, from) ||
        judge->shapes->of[from].bytes != judge->shapes->of[to].bytes ||
        !keeps(judge, step, pair)) {
        return 0;
    }
    return judge->value[from];
}

static berth_status mark_targets(prove_judge *judge, const berth_step *step,
                                 prove_keeps keeps)
{
    prove_map *marks = &judge->marks;
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t tensor = step->writes[i];
        if (!has_place(judge, tensor)) {
            continue;
        }
        const prove_place place = judge->place[tensor];
        const uint32_t value = handed_on(judge, step, i, keeps);
        const uint32_t at = prove_map_first(marks, place);
        if (at != BERTH_NONE &&
            (value == 0 || !prove_map_holds(marks, place, value))) {
            return prove_refuse(judge, marks->cells[at].writer, tensor,
                                "two targets of one move overlap");
        }
        prove_map_write(marks, place, value, tensor);
    }
    return BERTH_OK;
}

/* Of all targets only that of its own pair lies over a source, and not behind
 * its begin: a copy that runs forward reads each byte before it is written
 * over. The pair can wait for all others, since none of them harms its source.
 */
static bool copies_forward(const prove_judge *judge, const berth_step *step,
                           uint32_t pair, uint32_t mark)
{
    const prove_map *marks = &judge->marks;
    const prove_place source = judge->place[step->reads[pair]];
    const prove_place target = judge->place[step->writes[pair]];
    return mark == target.begin && marks->cells[mark].end == target.end &&
           target.begin <= source.begin &&
           prove_map_next(marks, mark, source) == BERTH_NONE;
}

static berth_status check_sources(const prove_judge *judge,
                                  const berth_step *step)
{
    const prove_map *marks = &judge->marks;
    for (uint32_t i = 0; i < step->read_count; ++i) {
        const uint32_t tensor = step->reads[i];
        if (!has_place(judge, tensor)) {
            continue;
        }
        const prove_place place = judge->place[tensor];
        const uint32_t at = prove_map_first(marks, place);
        if (at != BERTH_NONE &&
            (at != place.begin || marks->cells[at].end != place.end) &&
            !copies_forward(judge, step, i, at)) {
            return prove_refuse(judge, tensor, marks->cells[at].writer,
                                "a move's target lies over part of a source");
        }
    }
    return BERTH_OK;
}

/* Targets in one place were marked with one value, which this keeps. */
static berth_status write_targets(prove_judge *judge, const berth_step *step)
{
    for (uint32_t i = 0; i < step->write_count; ++i) {
        const uint32_t tensor = step->writes[i];
        if (!has_place(judge, tensor)) {
            continue;
        }
        const prove_place place = judge->place[tensor];
        uint32_t value = judge->marks.cells[place.begin].value;
        if (value == 0) {
            BERTH_TRY(prove_fresh(judge, &value));
        }
        judge->value[tensor] = value;
        prove_map_write(&judge->memory, place, value, tensor);
    }
    return BERTH_OK;
}

berth_status prove_run_move(prove_judge *judge, const berth_step *step,
                            prove_keeps keeps)
{
    for (uint32_t i = 0; i < step->read_count; ++i) {
        BERTH_TRY(prove_check_read(judge, step->reads[i]));
    }
    BERTH_TRY(mark_targets(judge, step, keeps));
    BERTH_TRY(check_sources(judge, step));
    BERTH_TRY(write_targets(judge, step));
    forget_marks(judge, step);
    return BERTH_OK;
}

/* prove.c: the run on values.
 *
 * Branches. THEN and ELSE run one after the other, so a value that lives
 * across survives what either writes, which is more than a real run asks. The
 * outputs of the operator have one value behind it only if both branches hand
 * on the same one; else a fresh one, equal to nothing that lives.
 *
 * Loops. A real run enters the head with what an iteration left. So at the
 * head every byte that the loop writes is forgotten; the carried tensors (what
 * ENTER writes) get values that are equal to nothing outside, but for those
 * that BACK leaves alone. One pass from there stands for every pass: it ends
 * with the carried tensors whole, the state that it began with. The loop is
 * left at TEST, behind cond, so there what EXIT hands on must be whole, too.
 *
 * Cost: each step once, and once more for each loop around it (to forget), so
 * O(steps * depth of loops * log64(tensors)) with a logarithm that is at most
 * six. */
#include "prove/prove_int.h"

static bool keep_all(const prove_judge *judge, const berth_step *step,
                     uint32_t pair)
{
    (void)judge;
    (void)step;
    (void)pair;
    return true;
}

static const berth_step *step_at(const prove_judge *judge, uint32_t step)
{
    return &judge->schedule->steps[step];
}

/* Does BACK leave the tensor that the pair's ENTER writes alone? */
static bool back_keeps(const berth_step *back, uint32_t tensor, uint32_t pair)
{
    return pair < back->write_count && pair < back->read_count &&
           back->writes[pair] == tensor && back->reads[pair] == tensor;
}

/* EXIT of a loop: only what no iteration changes is what it was before. */
static bool keep_unchanged(const prove_judge *judge, const berth_step *step,
                           uint32_t pair)
{
    const berth_step *back = step_at(judge, judge->step - 1);
    return back_keeps(back, step->reads[pair], pair);
}

/* EXIT of a later branch: the value that the earlier one has left. */
static bool keep_agreed(const prove_judge *judge, const berth_step *step,
                        uint32_t pair)
{
    return judge->value[step->reads[pair]] == judge->value[step->writes[pair]];
}

static bool is_loop_exit(const prove_judge *judge)
{
    return judge->step > 0 &&
           step_at(judge, judge->step - 1)->kind == BERTH_STEP_BACK;
}

/* The EXIT of a branch that is not the first: no ELSE of the same operator
 * follows it. */
static bool is_last_branch_exit(const prove_judge *judge,
                                const berth_step *step)
{
    const uint32_t code = judge->graph->ops[step->op].code;
    if (code != BERTH_OP_IF && code != BERTH_OP_STABLEHLO_CASE) {
        return false;
    }
    const uint32_t next = judge->step + 1;
    return next >= judge->schedule->step_count ||
           step_at(judge, next)->kind != BERTH_STEP_ELSE ||
           step_at(judge, next)->op != step->op;
}

static berth_status run_exit(prove_judge *judge, const berth_step *step)
{
    prove_keeps keeps = keep_all;
    if (is_loop_exit(judge)) {
        keeps = keep_unchanged;
    } else if (is_last_branch_exit(judge, step)) {
        keeps = keep_agreed;
    }
    return prove_run_move(judge, step, keeps);
}

/* --- loops ------------------------------------------------------------- */

static void forget_writes(prove_judge *judge, uint32_t from, uint32_t end)
{
    for (uint32_t s = from; s < end; ++s) {
        const berth_step *step = step_at(judge, s);
        for (uint32_t i = 0; i < step->write_count; ++i) {
            const uint32_t tensor = step->writes[i];
            if (tensor != BERTH_NONE && prove_placed(judge->place[tensor])) {
                prove_map_forget(&judge->memory, judge->place[tensor]);
            }
        }
    }
}

/* The value of a carried tensor at the head. Those in one place share one,
 * since ENTER gave them one and BACK will be asked for the same. */
static berth_status carried_value(prove_judge *judge, const berth_step *enter,
                                  uint32_t pair, uint32_t *value)
{
    const uint32_t tensor = enter->writes[pair];
    const prove_place place = judge->place[tensor];
    const uint32_t at = prove_map_first(&judge->marks, place);
    if (at != BERTH_NONE) {
        *value = judge->marks.cells[at].value;
        return BERTH_OK;
    }
    if (back_keeps(step_at(judge, enter->partner), tensor, pair)) {
        *value = judge->value[tensor];
        return BERTH_OK;
    }
    return prove_fresh(judge, value);
}

static berth_status enter_loop(prove_judge *judge, const berth_step *enter)
{
    forget_writes(judge, judge->step + 1, enter->partner + 1);
    for (uint32_t i = 0; i < enter->write_count; ++i) {
        const uint32_t tensor = enter->writes[i];
        if (tensor == BERTH_NONE || !prove_placed(judge->place[tensor])) {
            continue;
        }
        uint32_t value = 0;
        BERTH_TRY(carried_value(judge, enter, i, &value));
        judge->value[tensor] = value;
        prove_map_write(&judge->marks, judge->place[tensor], value, tensor);
        prove_map_write(&judge->memory, judge->place[tensor], value, tensor);
    }
    for (uint32_t i = 0; i < enter->write_count; ++i) {
        const uint32_t tensor = enter->writes[i];
        if (tensor != BERTH_NONE && prove_placed(judge->place[tensor])) {
            prove_map_forget(&judge->marks, judge->place[tensor]);
        }
    }
    return BERTH_OK;
}

static berth_status check_all(const prove_judge *judge, const uint32_t *tensors,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        BERTH_TRY(prove_check_read(judge, tensors[i]));
    }
    return BERTH_OK;
}

/* --- the run ----------------------------------------------------------- */

static berth_status run_enter(prove_judge *judge, const berth_step *step)
{
    BERTH_TRY(prove_run_move(judge, step, keep_all));
    return step->partner == BERTH_NONE ? BERTH_OK : enter_loop(judge, step);
}

static berth_status run_back(prove_judge *judge, const berth_step *step)
{
    BERTH_TRY(prove_run_move(judge, step, keep_all));
    if (step->partner == BERTH_NONE) {
        return BERTH_OK;
    }
    const berth_step *enter = step_at(judge, step->partner);
    return check_all(judge, enter->writes, enter->write_count);
}

static berth_status run_test(prove_judge *judge, const berth_step *step)
{
    BERTH_TRY(check_all(judge, step->reads, step->read_count));
    if (step->partner == BERTH_NONE ||
        step_at(judge, step->partner)->kind != BERTH_STEP_EXIT) {
        return BERTH_OK;
    }
    const berth_step *leave = step_at(judge, step->partner);
    return check_all(judge, leave->reads, leave->read_count);
}

static berth_status run_move(prove_judge *judge, const berth_step *step)
{
    return prove_run_move(judge, step, keep_all);
}

typedef berth_status (*run_step)(prove_judge *judge, const berth_step *step);

static const run_step run_table[BERTH_STEP_KIND_COUNT] = {
    [BERTH_STEP_OP] = prove_run_op, [BERTH_STEP_ENTER] = run_enter,
    [BERTH_STEP_COND] = run_move,   [BERTH_STEP_TEST] = run_test,
    [BERTH_STEP_BACK] = run_back,   [BERTH_STEP_EXIT] = run_exit,
    [BERTH_STEP_THEN] = run_move,   [BERTH_STEP_ELSE] = run_move};

/* What somebody else writes before step 0: inputs, and state from the run
 * before, which must also be left whole for the next. */
static bool is_given(const prove_judge *judge, uint32_t tensor)
{
    const berth_graph_tensor *info = &judge->graph->tensors[tensor];
    return prove_placed(judge->place[tensor]) &&
           ((info->flags & BERTH_TENSOR_VARIABLE) != 0 ||
            ((info->flags & BERTH_TENSOR_INPUT) != 0 &&
             info->subgraph == judge->schedule->subgraph));
}

static berth_status write_given(prove_judge *judge)
{
    for (uint32_t t = 0; t < judge->graph->tensor_count; ++t) {
        if (is_given(judge, t)) {
            BERTH_TRY(prove_fresh(judge, &judge->value[t]));
            prove_map_write(&judge->memory, judge->place[t], judge->value[t],
                            t);
        }
    }
    for (uint32_t t = 0; t < judge->graph->tensor_count; ++t) {
        if (is_given(judge, t)) {
            BERTH_TRY(prove_check_read(judge, t)); /* two in one place */
        }
    }
    return BERTH_OK;
}

static berth_status check_left(const prove_judge *judge)
{
    const uint32_t subgraph = judge->schedule->subgraph;
    for (uint32_t t = 0; t < judge->graph->tensor_count; ++t) {
        const berth_graph_tensor *info = &judge->graph->tensors[t];
        if ((info->flags & BERTH_TENSOR_VARIABLE) != 0 ||
            ((info->flags & BERTH_TENSOR_OUTPUT) != 0 &&
             info->subgraph == subgraph)) {
            BERTH_TRY(prove_check_read(judge, t));
        }
    }
    return BERTH_OK;
}

static berth_status run_all(prove_judge *judge)
{
    BERTH_TRY(write_given(judge));
    for (uint32_t s = 0; s < judge->schedule->step_count; ++s) {
        const berth_step *step = step_at(judge, s);
        judge->step = s;
        BERTH_TRY(run_table[step->kind](judge, step));
    }
    judge->step = judge->schedule->step_count;
    return check_left(judge);
}

/* --- lent memory ------------------------------------------------------- */

berth_status berth_prove_bytes(const berth_graph *graph,
                               const berth_schedule *schedule, size_t *bytes,
                               berth_diag *diag)
{
    (void)schedule;
    const uint32_t tensors = graph->tensor_count;
    const size_t positions = 2 * (size_t)tensors + 1;
    size_t total = 0;
    if (positions > UINT32_MAX || !BERTH_NEED(&total, uint64_t, positions) ||
        !BERTH_NEED(&total, prove_place, tensors) ||
        !BERTH_NEED(&total, uint32_t, tensors) ||
        !prove_map_need(&total, (uint32_t)positions) ||
        !prove_map_need(&total, (uint32_t)positions)) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "too many tensors for this machine to judge");
    }
    *bytes = total;
    return BERTH_OK;
}

berth_status berth_prove(const berth_graph *graph, const berth_shapes *shapes,
                         const berth_schedule *schedule,
                         const uint64_t *address, berth_work work,
                         berth_diag *diag)
{
    size_t need = 0;
    BERTH_TRY(berth_prove_bytes(graph, schedule, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));

    const uint32_t tensors = graph->tensor_count;
    const uint32_t positions = 2 * tensors + 1;
    prove_judge judge = {.graph = graph,
                         .shapes = shapes,
                         .schedule = schedule,
                         .address = address,
                         .step = BERTH_NONE,
                         .diag = diag};
    uint64_t *ruler = BERTH_TAKE(&work, uint64_t, positions);
    judge.place = BERTH_TAKE(&work, prove_place, tensors);
    judge.value = BERTH_TAKE(&work, uint32_t, tensors);
    if (ruler == NULL || (tensors > 0 && (!judge.place || !judge.value)) ||
        !prove_map_init(&judge.memory, positions, &work) ||
        !prove_map_init(&judge.marks, positions, &work)) {
        return berth_refuse(diag, BERTH_INTERNAL, "the need was too small");
    }
    uint32_t ruler_count = 0;
    BERTH_TRY(prove_places_init(shapes, address, tensors, ruler, &ruler_count,
                                judge.place, diag));
    for (uint32_t t = 0; t < tensors; ++t) {
        judge.value[t] = 0;
    }
    return run_all(&judge);
}

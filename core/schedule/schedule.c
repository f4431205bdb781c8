/* Flattens a subgraph and all that it calls into one list of steps.
 *
 * An explicit stack has a frame for each subgraph being flattened; calls go
 * down, never in a circle (the reader saw to that), so it is as deep as there
 * are subgraphs at most. The number of steps is known before the first one is
 * written (berth_graph counts them), so nothing here checks for room.
 *
 * A frame stands at an operator and, where that is a call, at one of its
 * callees: the steps before, between and behind the callees are written as the
 * frame moves on. Reads and writes of a step are slices of the graph's own
 * operands, never copies. */
#include "berth/schedule.h"

#include "base/base_int.h"

typedef struct schedule_frame {
    uint32_t subgraph;
    uint32_t next;   /* position in graph->order */
    uint32_t callee; /* of the operator at `next`: the one that runs */
    uint32_t head;   /* step at which the call began: ENTER or TEST */
    uint32_t mark;   /* step that waits for its partner: TEST of a loop, THEN
                        or ELSE of a branch */
} schedule_frame;

typedef struct flattening {
    const berth_graph *graph;
    berth_step *steps;
    schedule_frame *frames;
    uint32_t *holder; /* by subgraph: the loop whose state its inputs hold */
    uint32_t step_count;
    uint32_t op_step_count;
    uint32_t depth;
    berth_diag *diag;
} flattening;

/* A list of tensors. */
typedef struct schedule_list {
    const uint32_t *at;
    uint32_t count;
} schedule_list;

static const schedule_list no_tensors = {NULL, 0};

const char *berth_step_name(berth_step_kind kind)
{
    static const char *const names[] = {
#define BERTH_STEP_NAME(name, text) text,
        BERTH_STEP_TABLE(BERTH_STEP_NAME)
#undef BERTH_STEP_NAME
    };
    return (uint32_t)kind < BERTH_STEP_KIND_COUNT ? names[kind] : "?";
}

/* --- lists -------------------------------------------------------------- */

static schedule_list op_inputs(const flattening *f, uint32_t op)
{
    return (schedule_list){berth_graph_inputs(f->graph, op),
                           f->graph->ops[op].input_count};
}

static schedule_list op_outputs(const flattening *f, uint32_t op)
{
    return (schedule_list){berth_graph_outputs(f->graph, op),
                           f->graph->ops[op].output_count};
}

static schedule_list callee_inputs(const flattening *f, uint32_t subgraph)
{
    return (schedule_list){berth_graph_subgraph_inputs(f->graph, subgraph),
                           f->graph->subgraphs[subgraph].input_count};
}

static schedule_list callee_outputs(const flattening *f, uint32_t subgraph)
{
    return (schedule_list){berth_graph_subgraph_outputs(f->graph, subgraph),
                           f->graph->subgraphs[subgraph].output_count};
}

static schedule_list behind_first(schedule_list list)
{
    return list.count == 0 ? list
                           : (schedule_list){list.at + 1, list.count - 1};
}

static schedule_list only_first(schedule_list list)
{
    return list.count == 0 ? list : (schedule_list){list.at, 1};
}

/* --- steps -------------------------------------------------------------- */

static uint32_t write_step(flattening *f, berth_step_kind kind, uint32_t op,
                           schedule_list reads, schedule_list writes)
{
    const uint32_t step = f->step_count++;
    f->steps[step] = (berth_step){
        .reads = reads.at,
        .writes = writes.at,
        .read_count = reads.count,
        .write_count = writes.count,
        .op = op,
        .partner = BERTH_NONE,
        .kind = (uint8_t)kind,
    };
    return step;
}

static void write_op_step(flattening *f, uint32_t op)
{
    (void)write_step(f, BERTH_STEP_OP, op, op_inputs(f, op), op_outputs(f, op));
    ++f->op_step_count;
}

static berth_status refuse_call(const flattening *f, uint32_t op,
                                const char *what)
{
    (void)berth_refuse(f->diag, BERTH_UNSUPPORTED, what);
    if (f->diag != NULL) {
        const uint32_t s = f->graph->ops[op].subgraph;
        f->diag->subgraph = s;
        f->diag->op = op - f->graph->op_base[s];
    }
    return BERTH_UNSUPPORTED;
}

/* A move has as many targets as sources. */
static berth_status write_move(flattening *f, berth_step_kind kind, uint32_t op,
                               schedule_list from, schedule_list to,
                               uint32_t *step)
{
    if (from.count != to.count) {
        return refuse_call(f, op,
                           "a call's operands are not as many as its "
                           "subgraph's inputs or outputs");
    }
    *step = write_step(f, kind, op, from, to);
    return BERTH_OK;
}

static void partner_up(flattening *f, uint32_t a, uint32_t b)
{
    f->steps[a].partner = b;
}

/* --- calls ------------------------------------------------------------------
 *
 * Each kind has one function that is asked before the first callee, between
 * two of them and behind the last (`frame->callee` tells where) and writes the
 * steps that belong there. */

static berth_status step_plain(flattening *f, schedule_frame *frame,
                               uint32_t op)
{
    const uint32_t callee = berth_graph_callees(f->graph, op)[0];
    if (frame->callee == 0) {
        return write_move(f, BERTH_STEP_ENTER, op, op_inputs(f, op),
                          callee_inputs(f, callee), &frame->head);
    }
    return write_move(f, BERTH_STEP_EXIT, op, callee_outputs(f, callee),
                      op_outputs(f, op), &frame->mark);
}

/* Behind a branch: what it leaves goes to the outputs of the operator. */
static berth_status leave_branch(flattening *f, const schedule_frame *frame,
                                 uint32_t op)
{
    const uint32_t callee =
        berth_graph_callees(f->graph, op)[frame->callee - 1];
    uint32_t exit = 0;
    BERTH_TRY(write_move(f, BERTH_STEP_EXIT, op, callee_outputs(f, callee),
                         op_outputs(f, op), &exit));
    partner_up(f, frame->mark, exit);
    return BERTH_OK;
}

static berth_status step_branch(flattening *f, schedule_frame *frame,
                                uint32_t op)
{
    const schedule_list inputs = op_inputs(f, op);
    if (frame->callee == 0) {
        if (inputs.count == 0) {
            return refuse_call(f, op, "a branch without a condition");
        }
        frame->head =
            write_step(f, BERTH_STEP_TEST, op, only_first(inputs), no_tensors);
    } else {
        BERTH_TRY(leave_branch(f, frame, op));
    }
    if (frame->callee == f->graph->ops[op].callee_count) {
        return BERTH_OK;
    }
    const uint32_t callee = berth_graph_callees(f->graph, op)[frame->callee];
    const berth_step_kind kind =
        frame->callee == 0 ? BERTH_STEP_THEN : BERTH_STEP_ELSE;
    BERTH_TRY(write_move(f, kind, op, behind_first(inputs),
                         callee_inputs(f, callee), &frame->mark));
    if (frame->callee == 1) {
        partner_up(f, frame->head, frame->mark);
    }
    return BERTH_OK;
}

static berth_status open_loop(flattening *f, schedule_frame *frame, uint32_t op)
{
    const uint32_t *callees = berth_graph_callees(f->graph, op);
    const schedule_list carried = callee_inputs(f, callees[1]);
    uint32_t cond = 0;
    if (callee_outputs(f, callees[0]).count == 0) {
        return refuse_call(f, op, "a loop without a condition");
    }
    BERTH_TRY(write_move(f, BERTH_STEP_ENTER, op, op_inputs(f, op), carried,
                         &frame->head));
    f->holder[callees[1]] = op;
    return write_move(f, BERTH_STEP_COND, op, carried,
                      callee_inputs(f, callees[0]), &cond);
}

static berth_status close_loop(flattening *f, const schedule_frame *frame,
                               uint32_t op)
{
    const uint32_t body = berth_graph_callees(f->graph, op)[1];
    const schedule_list carried = callee_inputs(f, body);
    uint32_t back = 0;
    uint32_t exit = 0;
    BERTH_TRY(write_move(f, BERTH_STEP_BACK, op, callee_outputs(f, body),
                         carried, &back));
    BERTH_TRY(
        write_move(f, BERTH_STEP_EXIT, op, carried, op_outputs(f, op), &exit));
    partner_up(f, frame->head, back);
    partner_up(f, back, frame->head);
    partner_up(f, frame->mark, exit);
    f->holder[body] = BERTH_NONE;
    return BERTH_OK;
}

static berth_status step_loop(flattening *f, schedule_frame *frame, uint32_t op)
{
    if (frame->callee == 0) {
        return open_loop(f, frame, op);
    }
    if (frame->callee == 2) {
        return close_loop(f, frame, op);
    }
    const uint32_t cond = berth_graph_callees(f->graph, op)[0];
    frame->mark = write_step(f, BERTH_STEP_TEST, op,
                             only_first(callee_outputs(f, cond)), no_tensors);
    return BERTH_OK;
}

typedef berth_status (*schedule_call)(flattening *f, schedule_frame *frame,
                                      uint32_t op);

static const schedule_call calls[] = {
    [BERTH_CALL_PLAIN] = step_plain,
    [BERTH_CALL_BRANCH] = step_branch,
    [BERTH_CALL_LOOP] = step_loop,
};

/* --- the walk ----------------------------------------------------------- */

static void go_down(flattening *f, uint32_t subgraph)
{
    f->frames[f->depth++] = (schedule_frame){
        .subgraph = subgraph,
        .next = f->graph->op_base[subgraph],
    };
}

/* The inputs of a loop's body hold the loop's state while its condition runs:
 * the condition may be the body, but may not call it. And two operands cannot
 * both become one input. */
static berth_status check_callees(const flattening *f, uint32_t op)
{
    const uint32_t *callees = berth_graph_callees(f->graph, op);
    for (uint32_t i = 0; i < f->graph->ops[op].callee_count; ++i) {
        if (f->holder[callees[i]] != BERTH_NONE) {
            return refuse_call(f, op, "a loop's condition calls its body");
        }
        if (f->graph->subgraphs[callees[i]].inputs_repeat) {
            return refuse_call(f, op, "a callee lists an input twice");
        }
    }
    return BERTH_OK;
}

/* Writes the steps up to the next callee and goes down into it, or finishes
 * the call. */
static berth_status advance_call(flattening *f, uint32_t op)
{
    schedule_frame *frame = &f->frames[f->depth - 1];
    const berth_graph_op *row = &f->graph->ops[op];
    if (frame->callee == 0) {
        BERTH_TRY(check_callees(f, op));
    }
    BERTH_TRY(calls[berth_graph_call_of(row->code)](f, frame, op));
    if (frame->callee == row->callee_count) {
        frame->callee = 0;
        ++frame->next;
        return BERTH_OK;
    }
    go_down(f, berth_graph_callees(f->graph, op)[frame->callee++]);
    return BERTH_OK;
}

static berth_status flatten(flattening *f, uint32_t subgraph)
{
    for (uint32_t s = 0; s < f->graph->subgraph_count; ++s) {
        f->holder[s] = BERTH_NONE;
    }
    go_down(f, subgraph);
    while (f->depth > 0) {
        schedule_frame *frame = &f->frames[f->depth - 1];
        if (frame->next == f->graph->op_base[frame->subgraph + 1]) {
            --f->depth;
            continue;
        }
        const uint32_t op = f->graph->order[frame->next];
        if (f->graph->ops[op].callee_count > 0) {
            BERTH_TRY(advance_call(f, op));
        } else {
            write_op_step(f, op);
            ++frame->next;
        }
    }
    return BERTH_OK;
}

/* --- memory ------------------------------------------------------------- */

uint64_t berth_schedule_count(const berth_graph *graph, uint32_t subgraph)
{
    return graph->subgraphs[subgraph].flat_steps;
}

berth_status berth_schedule_bytes(const berth_graph *graph, uint32_t subgraph,
                                  size_t *bytes, berth_diag *diag)
{
    if (subgraph >= graph->subgraph_count) {
        return berth_refuse(diag, BERTH_BAD_ARG, "no such subgraph");
    }
    const uint64_t steps = berth_schedule_count(graph, subgraph);
    if (steps > BERTH_STEPS_MAX) {
        (void)berth_refuse(diag, BERTH_TOO_MANY_STEPS,
                           "flattened, the calls are too many steps");
        if (diag != NULL) {
            diag->subgraph = subgraph;
            diag->step = steps < BERTH_NONE ? (uint32_t)steps : BERTH_NONE;
        }
        return BERTH_TOO_MANY_STEPS;
    }
    size_t total = 0;
    if (!BERTH_NEED(&total, berth_step, (size_t)steps) ||
        !BERTH_NEED(&total, schedule_frame, graph->subgraph_count) ||
        !BERTH_NEED(&total, uint32_t, graph->subgraph_count)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "the schedule's steps");
    }
    *bytes = total;
    return BERTH_OK;
}

berth_status berth_schedule_init(const berth_graph *graph, uint32_t subgraph,
                                 berth_work *work, berth_schedule *schedule,
                                 berth_diag *diag)
{
    size_t total = 0;
    BERTH_TRY(berth_schedule_bytes(graph, subgraph, &total, diag));
    BERTH_TRY(berth_work_check(work, total, diag));

    const uint64_t steps = berth_schedule_count(graph, subgraph);
    berth_work kept = *work;
    flattening f = {.graph = graph, .diag = diag};
    f.steps = BERTH_TAKE(&kept, berth_step, (size_t)steps);
    berth_work scratch = kept;
    f.frames = BERTH_TAKE(&scratch, schedule_frame, graph->subgraph_count);
    f.holder = BERTH_TAKE(&scratch, uint32_t, graph->subgraph_count);
    BERTH_TRY(flatten(&f, subgraph));
    if (f.step_count != steps) {
        return berth_refuse(diag, BERTH_INTERNAL, "steps were miscounted");
    }
    *schedule = (berth_schedule){
        .steps = f.steps,
        .step_count = f.step_count,
        .subgraph = subgraph,
        .op_step_count = f.op_step_count,
    };
    *work = kept;
    return BERTH_OK;
}

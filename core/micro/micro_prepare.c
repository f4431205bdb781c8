/* Init and Prepare of every operator: reads the rows of the kernel tables.
 *
 * While an operator is prepared the place of the head holds the list of scratch
 * requests so far, with room for twelve more, and behind it the temporary
 * tensors, which pile up until the operator is done. That and the tail must
 * fit at every moment, which may ask for more than the final layout.
 *
 * TFLM checks what an operator keeps against the list alone, so it may be laid
 * over tensors that are still in use: Prepare then reads or releases garbage
 * (a crash, "All temp buffers must be freed") or goes on with wrong values. An
 * arena in which that happens does not work. Of the last tensor only as much
 * counts as anyone looks at again: up to the pointers of its quantization that
 * its release follows, not the zero points behind them. */
#include "micro/micro_int.h"

/* Requests that an operator may make. */
#define PREPARE_ROOM 12u

static const micro_row look_at_all[] = {{.kind = MICRO_ROW_TEMPS},
                                        {.kind = MICRO_ROW_END}};
static const micro_kernel plain = {.rows = look_at_all};

const micro_kernel *micro_kernel_of(const berth_micro_kernels *kernels,
                                    uint32_t code)
{
    for (; kernels != NULL; kernels = kernels->base) {
        for (uint32_t i = 0; i < kernels->kernel_count; ++i) {
            if (kernels->kernels[i].code == code) {
                return &kernels->kernels[i];
            }
        }
    }
    return &plain;
}

uint64_t micro_requests_most(const berth_graph *graph,
                             const berth_micro_kernels *kernels)
{
    uint64_t most = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const uint32_t code = micro_code_of(graph, op);
        for (const micro_row *row = micro_kernel_of(kernels, code)->rows;
             row->kind != MICRO_ROW_END; ++row) {
            most += row->kind == MICRO_ROW_SCRATCH ||
                            row->kind == MICRO_ROW_SCRATCH_SOME
                        ? 1u
                        : 0u;
        }
    }
    return most;
}

/* What one Prepare has in hand. */
typedef struct prepare {
    micro_tail *tail;
    micro_requests *requests;
    micro_resources *resources;
    const micro_op *op;
    berth_micro_op *figures;
    berth_micro *micro;
    uint64_t pile; /* end of the temporary tensors, from the arena's start */
    uint64_t held; /* as far as anyone looks at them again */
    uint64_t need; /* the largest sum of pile and tail */
} prepare;

static uint64_t list_bytes(const micro_run *run, uint32_t requests)
{
    return micro_mul(micro_struct_bytes(run, MICRO_STRUCT_REQUEST),
                     (uint64_t)requests + PREPARE_ROOM);
}

static void pile_up(prepare *p, const micro_tensor *tensor)
{
    const micro_run *run = p->op->run;
    const uint64_t word = micro_word(run->abi);
    if ((tensor->flags & MICRO_TENSOR_ABSENT) != 0) {
        return;
    }
    const uint64_t start = micro_up(p->pile, word);
    p->pile = micro_add(start, micro_struct_bytes(run, MICRO_STRUCT_TENSOR));
    /* Without quantization, params, data, dims and bytes are what counts. */
    p->held = micro_add(start, 5u * word + 8u);
    if ((tensor->flags & MICRO_TENSOR_QUANTIZED) != 0) {
        p->pile = micro_up(p->pile, word);
        p->held = micro_add(p->pile, 2u * word); /* scales, zero points */
        p->pile = micro_add(p->pile,
                            micro_struct_bytes(run, MICRO_STRUCT_QUANTIZATION));
        p->pile = micro_add(p->pile, 4 + UINT64_C(4) * tensor->scales);
    }
    p->need = micro_max(p->need, micro_add(p->pile, p->tail->used));
}

static void pile_up_inputs(prepare *p)
{
    for (uint32_t i = 0; i < p->op->input_count; ++i) {
        pile_up(p, micro_operand(p->op, i));
    }
}

static void pile_up_outputs(prepare *p)
{
    for (uint32_t i = 0; i < p->op->output_count; ++i) {
        pile_up(p, micro_operand(p->op, MICRO_OUT | i));
    }
}

static void keep(prepare *p, const micro_row *row)
{
    const uint64_t bytes = micro_row_bytes(p->op, row);
    const uint64_t times = row->times == NULL ? 1 : row->times(p->op, row);
    micro_take(p->tail, BERTH_MICRO_PREPARE, bytes, MICRO_ALIGN, times);
    p->figures->prepare_bytes =
        micro_add(p->figures->prepare_bytes, micro_mul(bytes, times));
    p->need = micro_max(p->need, micro_add(p->held, p->tail->used));
}

static void request(prepare *p, uint64_t bytes)
{
    micro_requests *requests = p->requests;
    if (requests->none || requests->count == requests->room) {
        return;
    }
    requests->bytes[requests->count] = bytes;
    requests->op[requests->count] = p->op->op;
    ++requests->count;
    ++p->figures->scratch_count;
    p->figures->scratch_bytes = micro_add(p->figures->scratch_bytes, bytes);
}

static void obey(prepare *p, const micro_row *row)
{
    switch ((micro_row_kind)row->kind) {
    case MICRO_ROW_TEMPS:
        pile_up_inputs(p);
        pile_up_outputs(p);
        break;
    case MICRO_ROW_TEMP_INPUTS:
        pile_up_inputs(p);
        break;
    case MICRO_ROW_TEMP:
        pile_up(p, micro_operand(p->op, row->operand));
        break;
    case MICRO_ROW_VARIABLE:
        if (micro_resources_claim(p->resources, p->op)) {
            keep(p, row);
        }
        break;
    case MICRO_ROW_KEEP:
        keep(p, row);
        break;
    case MICRO_ROW_SCRATCH:
        request(p, micro_row_bytes(p->op, row));
        break;
    case MICRO_ROW_SCRATCH_SOME:
        if (micro_row_bytes(p->op, row) > 0) {
            request(p, micro_row_bytes(p->op, row));
        }
        break;
    case MICRO_ROW_REFUSE:
    case MICRO_ROW_ONLY:
    case MICRO_ROW_ALIKE:
    case MICRO_ROW_CONSTANT:
    case MICRO_ROW_PRESENT:
    case MICRO_ROW_MOST_AXES:
        if (!micro_row_is_met(p->op, row)) {
            micro_refuse(p->micro, BERTH_MICRO_REFUSES_OPERAND, p->op->op,
                         BERTH_NONE);
        }
        break;
    case MICRO_ROW_END:
        break;
    }
}

static void init_op(micro_tail *tail, const micro_op *op,
                    berth_micro_op *figures)
{
    const micro_kernel *kernel = micro_kernel_of(op->run->kernels, op->code);
    const uint64_t data = kernel->init[op->run->abi];
    if (data > 0) {
        micro_take(tail, BERTH_MICRO_INIT, data, MICRO_ALIGN, 1);
    }
    figures->init_bytes = data;
    for (uint32_t i = 0; i < kernel->init_rows; ++i) {
        const uint64_t bytes = micro_row_bytes(op, &kernel->rows[i]);
        micro_take(tail, BERTH_MICRO_INIT, bytes, MICRO_ALIGN, 1);
        figures->init_bytes = micro_add(figures->init_bytes, bytes);
    }
}

static void prepare_op(prepare *p)
{
    const micro_kernel *kernel =
        micro_kernel_of(p->op->run->kernels, p->op->code);
    p->pile = list_bytes(p->op->run, p->requests->count);
    p->held = p->pile;
    p->figures->first_scratch = p->requests->count;
    for (const micro_row *row = kernel->rows + kernel->init_rows;
         row->kind != MICRO_ROW_END; ++row) {
        if (row->when == NULL || row->when(p->op)) {
            obey(p, row);
        }
    }
}

void micro_prepare_all(micro_tail *tail, micro_requests *requests,
                       micro_resources *resources, berth_micro_op *ops,
                       berth_micro *micro)
{
    const micro_run *run = tail->run;
    const uint32_t count = run->graph->op_count;
    for (uint32_t i = 0; i < count; ++i) {
        const micro_op op = micro_op_at(run, i);
        init_op(tail, &op, &ops[i]);
    }
    micro->prepare_op = BERTH_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        const micro_op op = micro_op_at(run, i);
        prepare p = {.tail = tail,
                     .requests = requests,
                     .resources = resources,
                     .op = &op,
                     .figures = &ops[i],
                     .micro = micro};
        prepare_op(&p);
        if (p.need > micro->prepare_bytes) {
            micro->prepare_bytes = p.need;
            micro->prepare_op = i;
        }
    }
}

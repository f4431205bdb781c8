/* CONCATENATION and PACK put the blocks of their inputs one behind the other;
 * SPLIT, SPLIT_V and UNPACK take them apart again. A block is what lies behind
 * the axes in front of the one that is joined. Where input and output lie at
 * one place, which the planner may arrange, nothing is moved. */
#include "kernels/move.h"
#include "kernels/requant.h"

/* The two sides of such an operator. */
struct seam {
    const berth_operand *whole;
    const berth_operand *parts;
    uint32_t count;
    bool stacked; /* parts lack the axis */
    int64_t axis; /* may count from the back */
};

/* The part has the dims of the whole, but for the axis. */
static bool is_part(const struct seam *s, const berth_operand *part,
                    uint32_t axis)
{
    bool fits = part->rank + (s->stacked ? 1u : 0u) == s->whole->rank;
    for (uint32_t i = 0; fits && i < s->whole->rank; ++i) {
        const uint32_t own = s->stacked && i > axis ? i - 1 : i;
        fits = i == axis || part->dims[own] == s->whole->dims[i];
    }
    return fits;
}

static bool is_walked(const berth_node *node, const berth_operand *operand)
{
    return operand->rows == (node->row_count == 0 ? 1 : node->row_count);
}

/* All parts fit, are walked like the whole, and make it up along the axis. */
static berth_status check_seam(const berth_node *node, const struct seam *s,
                               berth_diag *diag)
{
    const int64_t axis = kernel_axis(s->axis, s->whole->rank);
    int64_t sum = 0;
    bool fits = axis >= 0 && is_walked(node, s->whole);
    for (uint32_t i = 0; fits && i < s->count; ++i) {
        const berth_operand *part = &s->parts[i];
        fits = !berth_operand_is(part, BERTH_OPERAND_ABSENT) &&
               is_part(s, part, (uint32_t)axis) && is_walked(node, part);
        if (fits) {
            BERTH_TRY(kernel_check_moved(part, s->whole, diag));
            sum += s->stacked ? 1 : part->dims[axis];
        }
    }
    return fits && sum == s->whole->dims[axis]
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "the axis is outside, or parts do not fit the "
                              "whole");
}

/* Blocks are walked as rows, or all of them are one row. */
static uint8_t *block_at(const berth_operand *operand, uint64_t blocks,
                         uint64_t i)
{
    return operand->rows == blocks
               ? berth_operand_row(operand, (uint32_t)i)
               : operand->data + (size_t)(operand->bytes / blocks * i);
}

struct block_range {
    uint64_t blocks; /* in all */
    uint64_t begin;
    uint64_t end;
};

static struct block_range blocks_of(const berth_node *node,
                                    const struct seam *s, uint32_t begin,
                                    uint32_t end)
{
    const uint64_t blocks = (uint64_t)kernel_span(
        s->whole, 0, (uint32_t)kernel_axis(s->axis, s->whole->rank));
    const uint64_t each = begin < end ? blocks / node->row_count : 0;
    return (struct block_range){blocks, begin * each, end * each};
}

/* --- joining ----------------------------------------------------------------
 */

static struct seam seam_of_concatenation(const berth_node *node)
{
    return (struct seam){
        .whole = &node->outputs[0],
        .parts = node->inputs,
        .count = node->input_count,
        .axis = berth_option_int(node->op, BERTH_OPT_ConcatenationOptions_axis),
    };
}

static struct seam seam_of_pack(const berth_node *node)
{
    return (struct seam){
        .whole = &node->outputs[0],
        .parts = node->inputs,
        .count = node->input_count,
        .stacked = true,
        .axis = berth_option_int(node->op, BERTH_OPT_PackOptions_axis),
    };
}

static bool same_scale(const berth_operand *a, const berth_operand *b)
{
    const berth_quantization *x = &a->quantization;
    const berth_quantization *y = &b->quantization;
    if (x->scale_count == 0 || y->scale_count == 0) {
        return x->scale_count == y->scale_count;
    }
    return berth_quantization_scale(x, 0) == berth_quantization_scale(y, 0) &&
           kernel_zero_point(a) == kernel_zero_point(b);
}

/* Bytes have to agree on a scale, as in TensorFlow Lite, but those of a uint8
 * CONCATENATION, which are rescaled on the way. */
static berth_status check_scales(const berth_node *node, bool rescales,
                                 berth_diag *diag)
{
    const berth_operand *to = &node->outputs[0];
    const bool bytes = to->type == BERTH_INT8 || to->type == BERTH_UINT8;
    for (uint32_t i = 0; bytes && i < node->input_count; ++i) {
        const berth_operand *from = &node->inputs[i];
        if (same_scale(from, to)) {
            continue;
        }
        if (!rescales || to->type == BERTH_INT8) {
            return berth_refuse(diag, BERTH_UNSUPPORTED,
                                "parts of different scales");
        }
        BERTH_TRY(kernel_check_per_tensor(from, diag));
        BERTH_TRY(kernel_check_per_tensor(to, diag));
    }
    return BERTH_OK;
}

/* What TensorFlow Lite does to uint8 of another scale, in float. */
static void copy_rescaled(uint8_t *to, const berth_operand *output,
                          const uint8_t *from, const berth_operand *input,
                          size_t count)
{
    const float inverse = 1.0f / kernel_scale(output, 0);
    const float scale = kernel_scale(input, 0) * inverse;
    const float bias = (float)-kernel_zero_point(input) * scale;
    const struct clamp bytes = {0, UINT8_MAX};
    for (size_t i = 0; i < count; ++i) {
        const float value = (float)from[i] * scale + bias;
        to[i] = (uint8_t)requant_place(requant_nearest((double)value),
                                       kernel_zero_point(output), bytes);
    }
}

static void join_part(const berth_operand *to, uint8_t *target,
                      const berth_operand *from, const uint8_t *source,
                      size_t bytes)
{
    if (to->type == BERTH_UINT8 && !same_scale(from, to)) {
        copy_rescaled(target, to, source, from, bytes);
    } else {
        kernel_copy(target, source, bytes);
    }
}

static berth_status join(const berth_node *node, const struct seam *s,
                         uint32_t begin, uint32_t end)
{
    const struct block_range range = blocks_of(node, s, begin, end);
    for (uint64_t b = range.begin; b < range.end; ++b) {
        uint8_t *target = block_at(s->whole, range.blocks, b);
        for (uint32_t i = 0; i < s->count; ++i) {
            const berth_operand *part = &s->parts[i];
            const size_t bytes = (size_t)(part->bytes / range.blocks);
            join_part(s->whole, target, part, block_at(part, range.blocks, b),
                      bytes);
            target += bytes;
        }
    }
    return BERTH_OK;
}

static berth_status check_concatenation(const berth_node *node,
                                        berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, UINT32_MAX, 1, diag));
    if (berth_option_int(
            node->op,
            BERTH_OPT_ConcatenationOptions_fused_activation_function) !=
        KERNEL_ACTIVATION_NONE) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an activation fused into CONCATENATION");
    }
    const struct seam s = seam_of_concatenation(node);
    BERTH_TRY(check_seam(node, &s, diag));
    return check_scales(node, true, diag);
}

static berth_status run_concatenation(const berth_node *node, uint32_t begin,
                                      uint32_t end)
{
    const struct seam s = seam_of_concatenation(node);
    return join(node, &s, begin, end);
}

static berth_status check_pack(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, UINT32_MAX, 1, diag));
    const struct seam s = seam_of_pack(node);
    BERTH_TRY(check_seam(node, &s, diag));
    return check_scales(node, false, diag);
}

static berth_status run_pack(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    const struct seam s = seam_of_pack(node);
    return join(node, &s, begin, end);
}

const berth_kernel kernel_ref_concatenation = {.check = check_concatenation,
                                               .rows = run_concatenation};
const berth_kernel kernel_ref_pack = {.check = check_pack, .rows = run_pack};

/* --- taking apart -----------------------------------------------------------
 */

static struct seam seam_of_unpack(const berth_node *node)
{
    return (struct seam){
        .whole = &node->inputs[0],
        .parts = node->outputs,
        .count = node->output_count,
        .stacked = true,
        .axis = berth_option_int(node->op, BERTH_OPT_UnpackOptions_axis),
    };
}

/* SPLIT: axis, then what is split. SPLIT_V: what is split, sizes, axis. */
static struct seam seam_of_split(const berth_node *node)
{
    const bool by_sizes = node->op->code == BERTH_OP_SPLIT_V;
    return (struct seam){
        .whole = &node->inputs[by_sizes ? 0 : 1],
        .parts = node->outputs,
        .count = node->output_count,
        .axis = kernel_index(&node->inputs[by_sizes ? 2 : 0], 0),
    };
}

static berth_status take_apart(const berth_node *node, const struct seam *s,
                               uint32_t begin, uint32_t end)
{
    const struct block_range range = blocks_of(node, s, begin, end);
    for (uint64_t b = range.begin; b < range.end; ++b) {
        const uint8_t *source = block_at(s->whole, range.blocks, b);
        for (uint32_t i = 0; i < s->count; ++i) {
            const berth_operand *part = &s->parts[i];
            const size_t bytes = (size_t)(part->bytes / range.blocks);
            kernel_copy(block_at(part, range.blocks, b), source, bytes);
            source += bytes;
        }
    }
    return BERTH_OK;
}

static berth_status check_unpack(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_counts(node, 1, 1, node->output_count, diag));
    const struct seam s = seam_of_unpack(node);
    return check_seam(node, &s, diag);
}

static berth_status run_unpack(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    const struct seam s = seam_of_unpack(node);
    return take_apart(node, &s, begin, end);
}

/* The outputs have the sizes that a known operand asks for; one of them may be
 * -1, for the rest. */
static bool sizes_agree(const berth_node *node, const struct seam *s)
{
    const berth_operand *sizes = &node->inputs[1];
    const int64_t axis = kernel_axis(s->axis, s->whole->rank);
    bool agree = kernel_is_index(sizes) && sizes->elements == s->count;
    for (uint32_t i = 0; agree && kernel_is_known(sizes) && i < s->count; ++i) {
        const int64_t size = kernel_index(sizes, i);
        agree = size == -1 || size == s->parts[i].dims[axis];
    }
    return agree;
}

static berth_status check_split(const berth_node *node, berth_diag *diag)
{
    const bool by_sizes = node->op->code == BERTH_OP_SPLIT_V;
    const uint32_t inputs = by_sizes ? 3 : 2;
    BERTH_TRY(
        kernel_check_counts(node, inputs, inputs, node->output_count, diag));
    const berth_operand *axis = &node->inputs[by_sizes ? 2 : 0];
    if (axis->elements != 1 || !kernel_is_index(axis) ||
        !kernel_is_known(axis)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an axis that is not a known integer");
    }
    const struct seam s = seam_of_split(node);
    BERTH_TRY(check_seam(node, &s, diag));
    return !by_sizes || sizes_agree(node, &s)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BAD_MODEL,
                              "sizes of parts that are not the outputs'");
}

static berth_status run_split(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    const struct seam s = seam_of_split(node);
    return take_apart(node, &s, begin, end);
}

const berth_kernel kernel_ref_unpack = {.check = check_unpack,
                                        .rows = run_unpack};
const berth_kernel kernel_ref_split = {.check = check_split, .rows = run_split};

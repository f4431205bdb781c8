/* ADD_N: the sum of any number of operands of one shape. */
#include "kernels/chain.h"
#include "kernels/element.h"
#include "kernels/move.h"

static bool is_like(const berth_operand *in, const berth_operand *out)
{
    bool same = in->rank == out->rank && in->type == out->type &&
                in->bytes == out->bytes && in->elements == out->elements;
    for (uint32_t i = 0; same && i < out->rank; ++i) {
        same = in->dims[i] == out->dims[i];
    }
    return same;
}

static berth_status check_add_n(const berth_node *node, berth_diag *diag)
{
    struct pair pair;
    if (node->input_count < 2 || node->output_count != 1) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a sum has two inputs or more, and an output");
    }
    const berth_operand *out = &node->outputs[0];
    if (out->type != BERTH_FLOAT32 && out->type != BERTH_INT32 &&
        out->type != BERTH_INT8) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    if (out->bytes != out->elements * kernel_element_bytes(out) ||
        (out->elements != 0 && out->elements % node->row_count != 0)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an operand that does not fit its shape");
    }
    BERTH_TRY(kernel_check_walk(out, node->row_count, diag));
    for (uint32_t k = 0; k < node->input_count; ++k) {
        const berth_operand *in = kernel_input(node, k);
        if (in == NULL || !is_like(in, out)) {
            return berth_refuse(diag, BERTH_BAD_MODEL,
                                "operands of different shapes or types");
        }
        BERTH_TRY(kernel_check_walk(in, node->row_count, diag));
    }
    return out->type == BERTH_INT8 ? kernel_chain_of(node, &pair, diag)
                                   : BERTH_OK;
}

/* LiteRT adds them up by its ADD, which clamps each sum. */
static void add_n_f32(const berth_node *node, uint32_t row, size_t i)
{
    const struct clamp_f32 finite = kernel_clamp_f32_of(KERNEL_ACTIVATION_NONE);
    float sum = kernel_get_f32(berth_operand_row(&node->inputs[0], row), i);
    for (uint32_t k = 1; k < node->input_count; ++k) {
        sum += kernel_get_f32(berth_operand_row(&node->inputs[k], row), i);
        if (node->profile == BERTH_PROFILE_LITERT) {
            sum = clamp_f32(sum, finite);
        }
    }
    element_put_f32(berth_operand_row(&node->outputs[0], row), i, sum);
}

static void add_n_i32(const berth_node *node, uint32_t row, size_t i)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < node->input_count; ++k) {
        sum +=
            (uint32_t)element_i32(berth_operand_row(&node->inputs[k], row), i);
    }
    __builtin_memcpy(berth_operand_row(&node->outputs[0], row) +
                         i * sizeof(sum),
                     &sum, sizeof(sum));
}

static void add_n_i8(const berth_node *node, const struct pair *pair,
                     uint32_t row, size_t i)
{
    int32_t sum = chain_start(pair);
    for (uint32_t k = 0; k < node->input_count; ++k) {
        const uint8_t *from = berth_operand_row(&node->inputs[k], row);
        sum = chain_add(pair, sum, element_i8(from, i));
    }
    berth_operand_row(&node->outputs[0], row)[i] =
        (uint8_t)pair_placed(pair, sum);
}

static berth_status run_add_n(const berth_node *node, uint32_t begin,
                              uint32_t end)
{
    const berth_operand *out = &node->outputs[0];
    struct pair pair = {0};
    if (out->elements == 0) {
        return BERTH_OK;
    }
    const size_t count = (size_t)(out->elements / node->row_count);
    if (out->type == BERTH_INT8) {
        BERTH_TRY(kernel_chain_of(node, &pair, NULL));
    }
    for (uint32_t row = begin; row < end; ++row) {
        for (size_t i = 0; i < count; ++i) {
            if (out->type == BERTH_FLOAT32) {
                add_n_f32(node, row, i);
            } else if (out->type == BERTH_INT32) {
                add_n_i32(node, row, i);
            } else {
                add_n_i8(node, &pair, row, i);
            }
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_add_n = {
    .check = check_add_n,
    .rows = run_add_n,
};

/* core/ops/litert_class.c: where LiteRT's Prepare puts an output.
 *
 * Nearly all kernels follow two columns of the contract table: the operands
 * whose values they must know for the shape, and whether they compute the
 * output at once when they know everything. The rest are the few below. */
#include "berth/model.h"
#include "berth/op.h"

static bool is_known(const berth_litert_operand *operand)
{
    return operand->memory == BERTH_LITERT_CONSTANT ||
           operand->memory == BERTH_LITERT_COMPUTED;
}

static bool all_known(const berth_litert_operand *inputs, uint32_t input_count)
{
    for (uint32_t i = 0; i < input_count; ++i) {
        if (!is_known(&inputs[i])) {
            return false;
        }
    }
    return true;
}

/* The operands that `values` names are there and known. One that the operator
 * does not have (RESHAPE by option) is not asked for. */
static bool values_known(const berth_litert_operand *inputs,
                         uint32_t input_count, uint32_t values)
{
    for (uint32_t i = 0; i < input_count && i < 32u; ++i) {
        if ((values >> i & 1u) != 0 && !is_known(&inputs[i])) {
            return false;
        }
    }
    return true;
}

/* A kernel that departs from the two columns. False: it has nothing to say,
 * the columns decide. */
typedef bool (*exception_fn)(const berth_litert_operand *inputs,
                             uint32_t input_count,
                             const berth_litert_operand *output, uint32_t index,
                             berth_litert_class *out);

/* Only the first output, or the first two, hold as many as were found. */
static bool by_found_count(const berth_litert_operand *inputs,
                           uint32_t input_count,
                           const berth_litert_operand *output, uint32_t index,
                           berth_litert_class *out)
{
    const uint32_t sized = input_count >= 6 ? 2 : 1; /* V5 has scores too */
    (void)inputs;
    *out = (berth_litert_class)output->memory;
    return index >= sized;
}

static bool first_is_dynamic(const berth_litert_operand *inputs,
                             uint32_t input_count,
                             const berth_litert_operand *output, uint32_t index,
                             berth_litert_class *out)
{
    (void)inputs;
    (void)input_count;
    *out =
        index == 0 ? BERTH_LITERT_DYNAMIC : (berth_litert_class)output->memory;
    return true;
}

/* A scalar is taken for a tensor of unknown rank. */
static bool scalar_output_is_dynamic(const berth_litert_operand *inputs,
                                     uint32_t input_count,
                                     const berth_litert_operand *output,
                                     uint32_t index, berth_litert_class *out)
{
    (void)inputs;
    (void)input_count;
    (void)index;
    *out = BERTH_LITERT_DYNAMIC;
    return output->rank == 0;
}

static bool scalar_input_is_dynamic(const berth_litert_operand *inputs,
                                    uint32_t input_count,
                                    const berth_litert_operand *output,
                                    uint32_t index, berth_litert_class *out)
{
    (void)output;
    (void)index;
    *out = BERTH_LITERT_DYNAMIC;
    return input_count > 0 && inputs[0].rank == 0;
}

/* A shape that the file gives whole is believed. */
static bool slice(const berth_litert_operand *inputs, uint32_t input_count,
                  const berth_litert_operand *output, uint32_t index,
                  berth_litert_class *out)
{
    (void)index;
    *out = (berth_litert_class)output->memory;
    if (output->rank > 0 && !output->unspecified) {
        return true;
    }
    *out = BERTH_LITERT_DYNAMIC;
    return input_count > 0 && inputs[0].unspecified;
}

static bool unspecified_input_is_dynamic(const berth_litert_operand *inputs,
                                         uint32_t input_count,
                                         const berth_litert_operand *output,
                                         uint32_t index,
                                         berth_litert_class *out)
{
    (void)output;
    (void)index;
    *out = BERTH_LITERT_DYNAMIC;
    return input_count > 0 && inputs[0].unspecified;
}

static bool dynamic_input_is_dynamic(const berth_litert_operand *inputs,
                                     uint32_t input_count,
                                     const berth_litert_operand *output,
                                     uint32_t index, berth_litert_class *out)
{
    (void)output;
    (void)index;
    *out = BERTH_LITERT_DYNAMIC;
    return input_count > 0 && inputs[0].memory == BERTH_LITERT_DYNAMIC;
}

/* Reads its shape operand only from the file, not from what was computed. */
static bool shape_from_file_only(const berth_litert_operand *inputs,
                                 uint32_t input_count,
                                 const berth_litert_operand *output,
                                 uint32_t index, berth_litert_class *out,
                                 uint32_t operand)
{
    (void)index;
    *out =
        operand < input_count && inputs[operand].memory == BERTH_LITERT_CONSTANT
            ? (berth_litert_class)output->memory
            : BERTH_LITERT_DYNAMIC;
    return true;
}

static bool transpose_conv(const berth_litert_operand *inputs,
                           uint32_t input_count,
                           const berth_litert_operand *output, uint32_t index,
                           berth_litert_class *out)
{
    return shape_from_file_only(inputs, input_count, output, index, out, 0);
}

static bool dilate(const berth_litert_operand *inputs, uint32_t input_count,
                   const berth_litert_operand *output, uint32_t index,
                   berth_litert_class *out)
{
    return shape_from_file_only(inputs, input_count, output, index, out, 1);
}

/* Strings are sized while it runs, whatever the shape. */
static bool class_of_reshape(const berth_litert_operand *inputs,
                             uint32_t input_count,
                             const berth_litert_operand *output, uint32_t index,
                             berth_litert_class *out)
{
    (void)index;
    *out = (berth_litert_class)output->memory;
    if (output->type == BERTH_STRING) {
        return true;
    }
    *out = BERTH_LITERT_LATE;
    return input_count > 1 && !is_known(&inputs[1]);
}

static bool handle_persists(const berth_litert_operand *inputs,
                            uint32_t input_count,
                            const berth_litert_operand *output, uint32_t index,
                            berth_litert_class *out)
{
    (void)inputs;
    (void)input_count;
    (void)output;
    (void)index;
    *out = BERTH_LITERT_PERSISTENT;
    return true;
}

/* Computes at most eight elements in Prepare. */
static bool reduce_prod(const berth_litert_operand *inputs,
                        uint32_t input_count,
                        const berth_litert_operand *output, uint32_t index,
                        berth_litert_class *out)
{
    (void)index;
    *out = (berth_litert_class)output->memory;
    return output->elements > 8u && all_known(inputs, input_count);
}

static const exception_fn exceptions[BERTH_OP_CODE_COUNT] = {
    [BERTH_OP_NON_MAX_SUPPRESSION_V4] = by_found_count,
    [BERTH_OP_NON_MAX_SUPPRESSION_V5] = by_found_count,
    [BERTH_OP_UNIQUE] = first_is_dynamic,
    [BERTH_OP_EMBEDDING_LOOKUP_SPARSE] = first_is_dynamic,
    [BERTH_OP_READ_VARIABLE] = scalar_output_is_dynamic,
    [BERTH_OP_PAD] = scalar_input_is_dynamic,
    [BERTH_OP_PADV2] = scalar_input_is_dynamic,
    [BERTH_OP_SLICE] = slice,
    [BERTH_OP_TOPK_V2] = unspecified_input_is_dynamic,
    [BERTH_OP_UNSORTED_SEGMENT_PROD] = dynamic_input_is_dynamic,
    [BERTH_OP_UNSORTED_SEGMENT_MAX] = dynamic_input_is_dynamic,
    [BERTH_OP_UNSORTED_SEGMENT_SUM] = dynamic_input_is_dynamic,
    [BERTH_OP_UNSORTED_SEGMENT_MIN] = dynamic_input_is_dynamic,
    [BERTH_OP_TRANSPOSE_CONV] = transpose_conv,
    [BERTH_OP_DILATE] = dilate,
    [BERTH_OP_RESHAPE] = class_of_reshape,
    [BERTH_OP_VAR_HANDLE] = handle_persists,
    [BERTH_OP_REDUCE_PROD] = reduce_prod,
};

berth_litert_class berth_litert_output_class(uint32_t code,
                                             const berth_litert_operand *inputs,
                                             uint32_t input_count,
                                             const berth_litert_operand *output,
                                             uint32_t index)
{
    const berth_op_contract *contract = berth_op_contract_of(code);
    berth_litert_class special = BERTH_LITERT_ABSENT;
    if (code < BERTH_OP_CODE_COUNT && exceptions[code] != NULL &&
        exceptions[code](inputs, input_count, output, index, &special)) {
        return special;
    }
    if (!values_known(inputs, input_count, contract->litert_values)) {
        return BERTH_LITERT_DYNAMIC;
    }
    if ((contract->litert & BERTH_LITERT_FOLDS) != 0 &&
        (code == BERTH_OP_SHAPE || code == BERTH_OP_RANK ||
         all_known(inputs, input_count))) {
        return BERTH_LITERT_COMPUTED;
    }
    if ((contract->litert & BERTH_LITERT_DECODES) != 0 && input_count > 0 &&
        inputs[0].memory == BERTH_LITERT_CONSTANT) {
        return BERTH_LITERT_PERSISTENT;
    }
    return (berth_litert_class)output->memory;
}

/* What verified structure means: indexes, shapes, the sizes of constants.
 *
 * Read through the public accessors, in the order in which these come to rely
 * on it: operator codes and buffers first, then subgraphs with their tensors
 * and operators, then signatures and metadata. What is only odd (counts of
 * scales that do not fit the axis, an operator that takes too few inputs) is
 * not damage: real files have it, and whoever cares looks for himself. */
#include "base/base_int.h"
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

/* Where the check is, for the diag. */
typedef struct check {
    const berth_model *model;
    berth_diag *diag;
    uint32_t subgraph;
    uint32_t op;
    uint32_t tensor;
    uint32_t tensor_count; /* of this subgraph */
} check;

static berth_status wrong_at(const check *c, const char *what,
                             const uint8_t *at)
{
    const uint64_t offset = (uint64_t)(at - c->model->file.data);
    const berth_status status = model_damage(c->diag, what, offset);
    if (c->diag != NULL) {
        c->diag->subgraph = c->subgraph;
        c->diag->op = c->op;
        c->diag->tensor = c->tensor;
    }
    return status;
}

/* Damage in a field; an absent one is blamed on its table. */
static berth_status wrong_field(const check *c, const char *what,
                                const uint8_t *table, uint32_t slot)
{
    const uint8_t *at = flat_field(table, slot);
    return wrong_at(c, what, at == NULL ? table : at);
}

/* Each index is below tensor_count, and not below least (-1 where an operand
 * may be absent). */
static berth_status check_tensors_of(const check *c, berth_ivec indexes,
                                     int32_t least, const char *what)
{
    for (uint32_t i = 0; i < indexes.count; ++i) {
        const int32_t index = berth_ivec_at(indexes, i);
        if (index < least || index >= (int64_t)c->tensor_count) {
            return wrong_at(c, what, indexes.at + (size_t)i * 4u);
        }
    }
    return BERTH_OK;
}

/* Bytes stored by offset and size end within the file. */
static berth_status check_outside(const check *c, const uint8_t *table,
                                  uint32_t offset_slot, uint32_t size_slot)
{
    const uint64_t offset = flat_get_u64(table, offset_slot);
    const uint64_t size = flat_get_u64(table, size_slot);
    uint64_t end = 0;
    if (offset < MODEL_OUTSIDE_MIN) {
        return BERTH_OK;
    }
    if (!berth_add_u64(offset, size, &end) || end > c->model->file.size) {
        return wrong_field(c,
                           "bytes stored by offset and size lie outside the "
                           "file",
                           table, offset_slot);
    }
    return BERTH_OK;
}

static berth_status check_codes(const check *c)
{
    for (uint32_t i = 0; i < c->model->codes.count; ++i) {
        const uint8_t *table = flat_table_at(c->model->codes, i);
        if (model_code_of(table) < 0) {
            return wrong_field(c, "an operator code is negative", table,
                               SLOT_OperatorCode_builtin_code);
        }
    }
    return BERTH_OK;
}

static berth_status check_buffers(const check *c)
{
    for (uint32_t i = 0; i < c->model->buffers.count; ++i) {
        BERTH_TRY(check_outside(c, flat_table_at(c->model->buffers, i),
                                SLOT_Buffer_offset, SLOT_Buffer_size));
    }
    return BERTH_OK;
}

/* Buffer 0 is the empty one by convention, even in a model without buffers. */
static bool is_buffer(const berth_model *model, uint32_t buffer)
{
    return buffer == 0 || buffer < model->buffers.count;
}

/* The bytes of a tensor of that shape, elements packed; false on wrap. */
static bool packed_bytes(uint64_t elements, uint32_t bits, uint64_t *bytes)
{
    uint64_t all_bits = 0;
    uint64_t padded = 0;
    if (!berth_mul_u64(elements, bits, &all_bits) ||
        !berth_add_u64(all_bits, 7, &padded)) {
        return false;
    }
    *bytes = padded / 8;
    return true;
}

static berth_status check_shape(const check *c, const berth_tensor *tensor,
                                uint64_t *bytes)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->shape.count; ++i) {
        const int32_t size = berth_ivec_at(tensor->shape, i);
        const uint8_t *at = tensor->shape.at + (size_t)i * 4u;
        if (size < 0) {
            return wrong_at(c, "a shape has a negative size", at);
        }
        if (!berth_mul_u64(elements, (uint64_t)size, &elements)) {
            return wrong_at(c, "a shape has more than 2^64 elements", at);
        }
    }
    if (!packed_bytes(elements, berth_type_bits(tensor->type), bytes)) {
        return wrong_at(c, "a shape has more than 2^64 bits", tensor->shape.at);
    }
    return BERTH_OK;
}

static berth_status check_blocks(const check *c, const uint8_t *table)
{
    const berth_quantization q =
        berth_model_quantization(c->model, c->subgraph, c->tensor);
    const bool has_blocks = q.details == MODEL_DETAILS_BLOCKWISE ||
                            q.details == MODEL_DETAILS_MULTI_AXIS;
    if (has_blocks && (q.block_scales >= c->tensor_count ||
                       (q.block_zero_points != BERTH_NONE &&
                        q.block_zero_points >= c->tensor_count))) {
        return wrong_field(c, "blockwise quantization names no tensor", table,
                           SLOT_Tensor_quantization);
    }
    return BERTH_OK;
}

static berth_status check_tensor(const check *c)
{
    const uint8_t *table = model_tensor_table(c->model, c->subgraph, c->tensor);
    const uint32_t buffer = flat_get_u32(table, SLOT_Tensor_buffer, 0);
    if (!is_buffer(c->model, buffer)) {
        return wrong_field(c, "a tensor names no buffer", table,
                           SLOT_Tensor_buffer);
    }
    const berth_tensor tensor =
        berth_model_tensor(c->model, c->subgraph, c->tensor);
    uint64_t bytes = 0;
    BERTH_TRY(check_shape(c, &tensor, &bytes));
    /* Sparse constants are smaller than their shape, and elements without a
     * size (strings) have a form of their own. Spare bytes do no harm. */
    if (tensor.data.size != 0 && !tensor.has_sparsity &&
        tensor.data.size < bytes) {
        const berth_status status =
            wrong_at(c, "a constant has fewer bytes than its shape needs",
                     tensor.data.data);
        if (c->diag != NULL) {
            c->diag->needed_bytes = bytes;
            c->diag->limit_bytes = tensor.data.size;
        }
        return status;
    }
    return check_blocks(c, table);
}

static berth_status check_operator(const check *c)
{
    const uint8_t *table = model_operator_table(c->model, c->subgraph, c->op);
    const uint32_t code = flat_get_u32(table, SLOT_Operator_opcode_index, 0);
    if (code >= c->model->codes.count) {
        return wrong_field(c, "an operator names no operator code", table,
                           SLOT_Operator_opcode_index);
    }
    BERTH_TRY(check_outside(c, table, SLOT_Operator_large_custom_options_offset,
                            SLOT_Operator_large_custom_options_size));
    const berth_operator op =
        berth_model_operator(c->model, c->subgraph, c->op);
    BERTH_TRY(check_tensors_of(c, op.inputs, -1,
                               "an operator's input names no tensor"));
    BERTH_TRY(check_tensors_of(c, op.outputs, 0,
                               "an operator's output names no tensor"));
    return check_tensors_of(c, op.intermediates, 0,
                            "an operator's intermediate names no tensor");
}

static berth_status check_subgraph(check *c)
{
    const berth_subgraph subgraph = berth_model_subgraph(c->model, c->subgraph);
    c->tensor_count = subgraph.tensor_count;
    BERTH_TRY(check_tensors_of(c, subgraph.inputs, 0,
                               "a subgraph's input names no tensor"));
    BERTH_TRY(check_tensors_of(c, subgraph.outputs, 0,
                               "a subgraph's output names no tensor"));
    for (c->tensor = 0; c->tensor < subgraph.tensor_count; ++c->tensor) {
        BERTH_TRY(check_tensor(c));
    }
    c->tensor = BERTH_NONE;
    for (c->op = 0; c->op < subgraph.op_count; ++c->op) {
        BERTH_TRY(check_operator(c));
    }
    c->op = BERTH_NONE;
    return BERTH_OK;
}

/* The inputs or the outputs of a signature. */
static berth_status check_maps(const check *c, berth_ivec maps)
{
    for (uint32_t i = 0; i < maps.count; ++i) {
        const uint8_t *map = flat_table_at(maps, i);
        const uint32_t tensor =
            flat_get_u32(map, SLOT_TensorMap_tensor_index, 0);
        if (tensor >= c->tensor_count) {
            return wrong_field(c, "a signature names no tensor", map,
                               SLOT_TensorMap_tensor_index);
        }
    }
    return BERTH_OK;
}

static berth_status check_signatures(check *c)
{
    for (uint32_t i = 0; i < c->model->signatures.count; ++i) {
        const uint8_t *table = flat_table_at(c->model->signatures, i);
        const berth_signature signature = berth_model_signature(c->model, i);
        if (signature.subgraph >= c->model->subgraph_count) {
            return wrong_field(c, "a signature names no subgraph", table,
                               SLOT_SignatureDef_subgraph_index);
        }
        c->subgraph = signature.subgraph;
        c->tensor_count =
            berth_model_subgraph(c->model, c->subgraph).tensor_count;
        BERTH_TRY(
            check_maps(c, flat_get_vector(table, SLOT_SignatureDef_inputs)));
        BERTH_TRY(
            check_maps(c, flat_get_vector(table, SLOT_SignatureDef_outputs)));
        c->subgraph = BERTH_NONE;
    }
    return BERTH_OK;
}

static berth_status check_metadata(const check *c)
{
    for (uint32_t i = 0; i < c->model->metadata.count; ++i) {
        if (!is_buffer(c->model, berth_model_metadata(c->model, i).buffer)) {
            return wrong_field(c, "a metadata entry names no buffer",
                               flat_table_at(c->model->metadata, i),
                               SLOT_Metadata_buffer);
        }
    }
    return BERTH_OK;
}

berth_status model_check(const berth_model *model, berth_diag *diag)
{
    check c = {.model = model,
               .diag = diag,
               .subgraph = BERTH_NONE,
               .op = BERTH_NONE,
               .tensor = BERTH_NONE};
    BERTH_TRY(check_codes(&c));
    BERTH_TRY(check_buffers(&c));
    for (c.subgraph = 0; c.subgraph < model->subgraph_count; ++c.subgraph) {
        BERTH_TRY(check_subgraph(&c));
    }
    c.subgraph = BERTH_NONE;
    BERTH_TRY(check_signatures(&c));
    return check_metadata(&c);
}

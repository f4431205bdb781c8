/* The rarer parts of a verified file: quantization, sparsity, signatures and
 * metadata. */
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

#include <string.h>

/* Both forms in blocks begin with the same three slots. */
_Static_assert((int)SLOT_BlockwiseQuantization_scales ==
                       (int)SLOT_MultiAxisQuantization_scales &&
                   (int)SLOT_BlockwiseQuantization_zero_points ==
                       (int)SLOT_MultiAxisQuantization_zero_points &&
                   (int)SLOT_BlockwiseQuantization_block_size ==
                       (int)SLOT_MultiAxisQuantization_block_size,
               "blockwise and multi-axis details are read alike");

static void add_details(berth_quantization *q, const uint8_t *details)
{
    if (q->details == MODEL_DETAILS_CUSTOM) {
        q->custom = flat_get_bytes(details, SLOT_CustomQuantization_custom);
    } else { /* blockwise or multi-axis: the union has no fourth member */
        q->block_scales =
            flat_get_u32(details, SLOT_BlockwiseQuantization_scales, 0);
        /* -1 is how converters say "no zero points". */
        q->block_zero_points = flat_get_u32(
            details, SLOT_BlockwiseQuantization_zero_points, BERTH_NONE);
        q->block_size = (int32_t)flat_get_u32(
            details, SLOT_BlockwiseQuantization_block_size, 0);
    }
}

/* All fields are listed: what is left out would be cleared before. */
static void read_quantization(const uint8_t *table, berth_quantization *q)
{
    const flat_row row = flat_row_of(table);
    const berth_ivec scales =
        flat_row_vector(row, SLOT_QuantizationParameters_scale);
    const berth_ivec zero_points =
        flat_row_vector(row, SLOT_QuantizationParameters_zero_point);
    const uint32_t details =
        flat_row_u8(row, SLOT_QuantizationParameters_details_type);
    *q = (berth_quantization){
        .present = table != NULL,
        .scale_count = scales.count,
        .zero_point_count = zero_points.count,
        .min_count =
            flat_row_vector(row, SLOT_QuantizationParameters_min).count,
        .max_count =
            flat_row_vector(row, SLOT_QuantizationParameters_max).count,
        .axis = (int32_t)flat_row_u32(
            row, SLOT_QuantizationParameters_quantized_dimension, 0),
        .details = (uint8_t)details,
        .scales = scales.at,
        .zero_points = zero_points.at,
        .block_scales = BERTH_NONE,
        .block_zero_points = BERTH_NONE,
        .block_size = 0,
        .custom = {NULL, 0},
    };
    if (details != 0) {
        const uint8_t *member = model_union_member(
            table, SLOT_QuantizationParameters_details, UNION_Details);
        if (member != NULL) {
            add_details(q, member);
        }
    }
}

berth_quantization berth_model_quantization(const berth_model *model,
                                            uint32_t subgraph, uint32_t tensor)
{
    berth_quantization q;
    read_quantization(
        flat_get_table(model_tensor_table(model, subgraph, tensor),
                       SLOT_Tensor_quantization),
        &q);
    return q;
}

berth_tensor_brief berth_model_brief(const berth_model *model,
                                     uint32_t subgraph, uint32_t tensor,
                                     berth_quantization *quantization)
{
    const flat_row row =
        flat_row_of(model_tensor_table(model, subgraph, tensor));
    const berth_tensor_brief brief = {
        .type = (berth_type)flat_row_u8(row, SLOT_Tensor_type),
        .buffer = flat_row_u32(row, SLOT_Tensor_buffer, 0),
        .shape = flat_row_vector(row, SLOT_Tensor_shape),
    };
    if (quantization != NULL) {
        read_quantization(flat_row_table(row, SLOT_Tensor_quantization),
                          quantization);
    }
    return brief;
}

float berth_quantization_scale(const berth_quantization *q, uint32_t i)
{
    const uint32_t bits = flat_u32(q->scales + (size_t)i * 4u);
    float scale = 0;
    memcpy(&scale, &bits, sizeof(scale));
    return scale;
}

int64_t berth_quantization_zero_point(const berth_quantization *q, uint32_t i)
{
    return (int64_t)flat_u64(q->zero_points + (size_t)i * 8u);
}

berth_sparsity berth_model_sparsity(const berth_model *model, uint32_t subgraph,
                                    uint32_t tensor)
{
    const uint8_t *s = flat_get_table(
        model_tensor_table(model, subgraph, tensor), SLOT_Tensor_sparsity);
    return (berth_sparsity){
        .traversal_order =
            flat_get_vector(s, SLOT_SparsityParameters_traversal_order),
        .block_map = flat_get_vector(s, SLOT_SparsityParameters_block_map),
        .dim_count =
            flat_get_vector(s, SLOT_SparsityParameters_dim_metadata).count,
    };
}

uint32_t berth_model_signature_count(const berth_model *model)
{
    return model->signatures.count;
}

berth_signature berth_model_signature(const berth_model *model, uint32_t index)
{
    const uint8_t *s = flat_table_at(model->signatures, index);
    return (berth_signature){
        .name = flat_get_bytes(s, SLOT_SignatureDef_signature_key),
        .subgraph = flat_get_u32(s, SLOT_SignatureDef_subgraph_index, 0),
        .input_count = flat_get_vector(s, SLOT_SignatureDef_inputs).count,
        .output_count = flat_get_vector(s, SLOT_SignatureDef_outputs).count,
    };
}

static berth_signature_tensor mapped_tensor(const berth_model *model,
                                            uint32_t signature, uint32_t slot,
                                            uint32_t i)
{
    const uint8_t *s = flat_table_at(model->signatures, signature);
    const uint8_t *map = flat_table_at(flat_get_vector(s, slot), i);
    return (berth_signature_tensor){
        .name = flat_get_bytes(map, SLOT_TensorMap_name),
        .tensor = flat_get_u32(map, SLOT_TensorMap_tensor_index, 0),
    };
}

berth_signature_tensor berth_model_signature_input(const berth_model *model,
                                                   uint32_t signature,
                                                   uint32_t i)
{
    return mapped_tensor(model, signature, SLOT_SignatureDef_inputs, i);
}

berth_signature_tensor berth_model_signature_output(const berth_model *model,
                                                    uint32_t signature,
                                                    uint32_t i)
{
    return mapped_tensor(model, signature, SLOT_SignatureDef_outputs, i);
}

uint32_t berth_model_metadata_count(const berth_model *model)
{
    return model->metadata.count;
}

berth_metadata berth_model_metadata(const berth_model *model, uint32_t index)
{
    const uint8_t *m = flat_table_at(model->metadata, index);
    return (berth_metadata){
        .name = flat_get_bytes(m, SLOT_Metadata_name),
        .buffer = flat_get_u32(m, SLOT_Metadata_buffer, 0),
    };
}

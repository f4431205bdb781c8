/* Subgraphs, tensors, buffers and operators of a verified file. */
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

enum { CODE_CUSTOM = 32 };

static berth_ivec vector_at(const berth_model *model, uint32_t position)
{
    if (position == 0) {
        return (berth_ivec){NULL, 0};
    }
    const uint8_t *at = model->file.data + position;
    return (berth_ivec){at + 4, flat_u32(at)};
}

/* Bytes stored behind the structure; none when that form is not in use. */
static berth_bytes bytes_outside(const berth_model *model, uint64_t offset,
                                 uint64_t size)
{
    if (offset < MODEL_OUTSIDE_MIN || size == 0) {
        return (berth_bytes){NULL, 0};
    }
    return (berth_bytes){model->file.data + (size_t)offset, (size_t)size};
}

berth_bytes berth_model_file(const berth_model *model)
{
    return model->file;
}

berth_bytes berth_model_description(const berth_model *model)
{
    return model->description;
}

uint32_t berth_model_subgraph_count(const berth_model *model)
{
    return model->subgraph_count;
}

uint32_t berth_model_buffer_count(const berth_model *model)
{
    return model->buffers.count;
}

berth_subgraph berth_model_subgraph(const berth_model *model, uint32_t index)
{
    const model_subgraph *row = &model->subgraphs[index];
    const berth_ivec name = vector_at(model, row->name);
    return (berth_subgraph){
        .name = {name.at, name.count},
        .tensor_count = vector_at(model, row->tensors).count,
        .op_count = vector_at(model, row->ops).count,
        .inputs = vector_at(model, row->inputs),
        .outputs = vector_at(model, row->outputs),
    };
}

berth_bytes berth_model_buffer(const berth_model *model, uint32_t buffer)
{
    if (buffer >= model->buffers.count) {
        return (berth_bytes){NULL, 0}; /* buffer 0 of a model without any */
    }
    const uint8_t *table = flat_table_at(model->buffers, buffer);
    const berth_bytes data = flat_get_bytes(table, SLOT_Buffer_data);
    if (data.size != 0) {
        return data;
    }
    return bytes_outside(model, flat_get_u64(table, SLOT_Buffer_offset),
                         flat_get_u64(table, SLOT_Buffer_size));
}

const uint8_t *model_tensor_table(const berth_model *model, uint32_t subgraph,
                                  uint32_t tensor)
{
    const uint32_t tensors = model->subgraphs[subgraph].tensors;
    return flat_table_at(vector_at(model, tensors), tensor);
}

berth_tensor berth_model_tensor(const berth_model *model, uint32_t subgraph,
                                uint32_t tensor)
{
    const uint8_t *t = model_tensor_table(model, subgraph, tensor);
    const uint32_t buffer = flat_get_u32(t, SLOT_Tensor_buffer, 0);
    const berth_ivec shape = flat_get_vector(t, SLOT_Tensor_shape);
    return (berth_tensor){
        .name = flat_get_bytes(t, SLOT_Tensor_name),
        .type = (berth_type)flat_get_u8(t, SLOT_Tensor_type),
        .has_rank =
            shape.count != 0 || flat_get_u8(t, SLOT_Tensor_has_rank) != 0,
        .is_variable = flat_get_u8(t, SLOT_Tensor_is_variable) != 0,
        .has_sparsity = flat_field(t, SLOT_Tensor_sparsity) != NULL,
        .has_variant =
            flat_get_vector(t, SLOT_Tensor_variant_tensors).count != 0,
        .buffer = buffer,
        .external_buffer = flat_get_u32(t, SLOT_Tensor_external_buffer, 0),
        .shape = shape,
        .signature = flat_get_vector(t, SLOT_Tensor_shape_signature),
        .data = berth_model_buffer(model, buffer),
    };
}

const uint8_t *model_operator_table(const berth_model *model, uint32_t subgraph,
                                    uint32_t op)
{
    const uint32_t ops = model->subgraphs[subgraph].ops;
    return flat_table_at(vector_at(model, ops), op);
}

int32_t model_code_of(const uint8_t *operator_code)
{
    const int32_t old = (int8_t)flat_get_u8(
        operator_code, SLOT_OperatorCode_deprecated_builtin_code);
    const int32_t wide =
        (int32_t)flat_get_u32(operator_code, SLOT_OperatorCode_builtin_code, 0);
    return old > wide ? old : wide;
}

const uint8_t *model_union_member(const uint8_t *table, uint32_t slot,
                                  uint32_t which)
{
    const uint8_t tag = flat_get_u8(table, slot - 1u);
    return layout_of_union(which, tag) == LAYOUT_COUNT
               ? NULL
               : flat_get_table(table, slot);
}

static berth_bytes custom_options_of(const berth_model *model, flat_row op)
{
    const berth_ivec inside = flat_row_vector(op, SLOT_Operator_custom_options);
    if (inside.count != 0) {
        return (berth_bytes){inside.at, inside.count};
    }
    return bytes_outside(
        model,
        flat_get_u64(op.table, SLOT_Operator_large_custom_options_offset),
        flat_get_u64(op.table, SLOT_Operator_large_custom_options_size));
}

/* A table of a union, as model_union_member() finds it. */
static const uint8_t *options_of(flat_row op, uint32_t slot, uint32_t which,
                                 uint32_t tag)
{
    return layout_of_union(which, tag) == LAYOUT_COUNT
               ? NULL
               : flat_row_table(op, slot);
}

berth_operator berth_model_operator(const berth_model *model, uint32_t subgraph,
                                    uint32_t op)
{
    const flat_row o = flat_row_of(model_operator_table(model, subgraph, op));
    const uint8_t *operator_code = flat_table_at(
        model->codes, flat_row_u32(o, SLOT_Operator_opcode_index, 0));
    const uint32_t code = (uint32_t)model_code_of(operator_code);
    const uint32_t tag = flat_row_u8(o, SLOT_Operator_builtin_options_type);
    const uint32_t tag2 = flat_row_u8(o, SLOT_Operator_builtin_options_2_type);
    berth_bytes custom_name = {NULL, 0};
    if (code == CODE_CUSTOM) {
        custom_name =
            flat_get_bytes(operator_code, SLOT_OperatorCode_custom_code);
    }
    return (berth_operator){
        .code = code,
        .version = flat_get_u32(operator_code, SLOT_OperatorCode_version, 1),
        .custom_name = custom_name,
        .inputs = flat_row_vector(o, SLOT_Operator_inputs),
        .outputs = flat_row_vector(o, SLOT_Operator_outputs),
        .intermediates = flat_row_vector(o, SLOT_Operator_intermediates),
        .custom_options = custom_options_of(model, o),
        .options_type = tag,
        .options2_type = tag2,
        .options =
            options_of(o, SLOT_Operator_builtin_options, UNION_Options, tag),
        .options2 = options_of(o, SLOT_Operator_builtin_options_2,
                               UNION_Options2, tag2),
        .debug_metadata = (int32_t)flat_row_u32(
            o, SLOT_Operator_debug_metadata_index, UINT32_MAX),
    };
}

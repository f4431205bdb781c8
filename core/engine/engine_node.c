/* A step's operands as its kernel sees them, laid out on the bench.
 *
 * Types, shapes and quantization are read in the file; addresses come from the
 * books. All numbers have been verified: by the model's reader, or by the shape
 * stage where a shape is another than the file's. */
#include "engine_int.h"

#include <string.h>

/* --- shapes ------------------------------------------------------------- */

static void file_dims(berth_ivec shape, berth_operand *operand, int32_t *dims)
{
    operand->rank = shape.count;
    for (uint32_t i = 0; i < shape.count; ++i) {
        dims[i] = berth_ivec_at(shape, i);
    }
}

static void own_dims(const int32_t *shape, berth_operand *operand,
                     int32_t *dims)
{
    operand->rank = (uint32_t)shape[0];
    memcpy(dims, shape + 1, operand->rank * sizeof(int32_t));
}

static void measure_operand(berth_operand *operand, const int32_t *dims)
{
    const uint64_t bits = berth_type_bits((berth_type)operand->type);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < operand->rank; ++i) {
        elements *= (uint64_t)dims[i];
    }
    operand->dims = dims;
    operand->elements = elements;
    operand->bytes = (elements * bits + 7u) / 8u;
}

/* --- one operand -------------------------------------------------------- */

static uint8_t record_flags(const engine_record *record)
{
    return (record->flags & ENGINE_RECORD_CONSTANT) != 0
               ? BERTH_OPERAND_CONSTANT
           : (record->flags & ENGINE_RECORD_FOLDED) != 0 ? BERTH_OPERAND_FOLDED
                                                         : 0;
}

static void describe_record(const berth_engine *engine, uint32_t subgraph,
                            const engine_record *record, berth_operand *operand,
                            int32_t *dims)
{
    const berth_tensor file =
        berth_model_tensor(engine->model, subgraph, record->tensor);
    operand->data = record->data;
    operand->type = (uint8_t)file.type;
    operand->flags = record_flags(record);
    if ((record->flags & ENGINE_RECORD_HANDLE) != 0) {
        return; /* no shape, no bytes of its own */
    }
    if (record->shape == ENGINE_SHAPE_OF_FILE) {
        file_dims(file.shape, operand, dims);
    } else {
        own_dims(&engine->dims[record->shape], operand, dims);
    }
}

static void describe_constant(const berth_engine *engine, uint32_t subgraph,
                              uint32_t tensor, berth_operand *operand,
                              int32_t *dims)
{
    const berth_tensor file =
        berth_model_tensor(engine->model, subgraph, tensor);
    operand->data = (uint8_t *)(uintptr_t)file.data.data; /* read only */
    operand->type = (uint8_t)file.type;
    operand->flags = BERTH_OPERAND_CONSTANT;
    file_dims(file.shape, operand, dims);
}

uint32_t engine_describe(const berth_engine *engine, uint32_t subgraph,
                         uint32_t ref, berth_operand *operand, int32_t *dims)
{
    const uint32_t kind = engine_ref_kind(ref);
    uint32_t tensor = engine_ref_index(ref);
    *operand = (berth_operand){.rows = 1u, .ring = 1u};
    if (kind == ENGINE_REF_ABSENT) {
        operand->flags = BERTH_OPERAND_ABSENT;
        return BERTH_NONE;
    }
    if (kind == ENGINE_REF_RECORD) {
        const engine_record *record = &engine->records[tensor];
        tensor = record->tensor;
        describe_record(engine, subgraph, record, operand, dims);
    } else {
        describe_constant(engine, subgraph, tensor, operand, dims);
        operand->flags |=
            kind == ENGINE_REF_ENCODED ? BERTH_OPERAND_ENCODED : 0;
    }
    measure_operand(operand, dims);
    operand->pitch = (size_t)operand->bytes;
    operand->quantization =
        berth_model_quantization(engine->model, subgraph, tensor);
    return tensor;
}

/* --- a step ------------------------------------------------------------- */

void engine_lay_node(const berth_engine *engine, const engine_step *step,
                     berth_operator *op, berth_node *node)
{
    *op = berth_model_operator(engine->model, step->subgraph, step->op);
    const uint32_t count = op->inputs.count + op->outputs.count;
    berth_operand *operands = (berth_operand *)(void *)engine->bench;
    engine_operand_dims *dims =
        (engine_operand_dims *)(void *)(operands + count);
    for (uint32_t k = 0; k < count; ++k) {
        const engine_slot *slot = &engine->slots[step->first_slot + k];
        (void)engine_describe(engine, step->subgraph, slot->ref, &operands[k],
                              dims[k].at);
        operands[k].rows = slot->rows;
        operands[k].ring = slot->rows;
        operands[k].pitch = (size_t)operands[k].bytes / slot->rows;
    }
    *node = (berth_node){
        .model = engine->model,
        .op = op,
        .inputs = operands,
        .outputs = operands + op->inputs.count,
        .input_count = op->inputs.count,
        .output_count = op->outputs.count,
        .row_count = step->row_count,
        .profile = (berth_profile)engine->profile,
        .scratch_bytes = (size_t)step->scratch_units * ENGINE_GRAIN,
    };
    if (step->scratch_units > 0) {
        node->scratch =
            engine_base(&engine->memory.regions[step->target], engine->flags) +
            (size_t)step->scratch * ENGINE_GRAIN;
    }
}

engine_span engine_slot_span(const berth_engine *engine,
                             const engine_slot *slot)
{
    berth_operand operand;
    engine_operand_dims dims;
    (void)engine_describe(engine, slot->rows & ~ENGINE_SWAP, slot->ref,
                          &operand, dims.at);
    return (engine_span){operand.data, operand.bytes};
}

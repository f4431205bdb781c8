/* A step's operands as its kernel sees them, laid out on the bench.
 *
 * Types, shapes and quantization are read in the file; addresses come from the
 * books. All numbers have been verified: by the model's reader, or by the shape
 * stage where a shape is another than the file's. */
#include "engine_int.h"

#include <string.h>

/* --- shapes ------------------------------------------------------------- */

/* Axes of the file, or those of the books where there are some. */
static uint32_t copy_dims(berth_ivec shape, const int32_t *own, int32_t *dims)
{
    if (own != NULL) {
        memcpy(dims, own + 1, (size_t)own[0] * sizeof(int32_t));
        return (uint32_t)own[0];
    }
    for (uint32_t i = 0; i < shape.count; ++i) {
        dims[i] = berth_ivec_at(shape, i);
    }
    return shape.count;
}

static uint64_t count_elements(const int32_t *dims, uint32_t rank)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < rank; ++i) {
        elements *= (uint64_t)dims[i];
    }
    return elements;
}

/* --- one operand -------------------------------------------------------- */

/* What the books know of an operand. */
typedef struct node_place {
    uint32_t tensor;
    bool in_file;       /* its bytes are those of the file */
    bool shapeless;     /* what a handle stands for: no bytes of its own */
    uint8_t flags;      /* of the operand */
    uint8_t *data;      /* unless in_file */
    const int32_t *own; /* rank and axes; NULL: as in the file */
} node_place;

static uint8_t record_flags(const engine_record *record)
{
    return (record->flags & ENGINE_RECORD_CONSTANT) != 0
               ? BERTH_OPERAND_CONSTANT
           : (record->flags & ENGINE_RECORD_FOLDED) != 0 ? BERTH_OPERAND_FOLDED
                                                         : 0;
}

static node_place place_of(const berth_engine *engine, uint32_t ref)
{
    const uint32_t kind = engine_ref_kind(ref);
    if (kind != ENGINE_REF_RECORD) {
        const uint32_t encoded =
            kind == ENGINE_REF_ENCODED ? BERTH_OPERAND_ENCODED : 0u;
        return (node_place){
            .tensor = engine_ref_index(ref),
            .in_file = true,
            .flags = (uint8_t)(BERTH_OPERAND_CONSTANT | encoded),
        };
    }
    const engine_record *record = &engine->records[engine_ref_index(ref)];
    return (node_place){
        .tensor = record->tensor,
        .shapeless = (record->flags & ENGINE_RECORD_HANDLE) != 0,
        .flags = record_flags(record),
        .data = record->data,
        .own = record->shape == ENGINE_SHAPE_OF_FILE
                   ? NULL
                   : &engine->dims[record->shape],
    };
}

/* All but the quantization, unless there is room for it. */
static void describe_place(const berth_engine *engine, uint32_t subgraph,
                           const node_place *place, berth_operand *operand,
                           int32_t *dims, berth_quantization *quantization)
{
    const berth_tensor_brief file =
        berth_model_brief(engine->model, subgraph, place->tensor, quantization);
    const uint64_t bits = berth_type_bits(file.type);
    operand->data = place->data;
    if (place->in_file) { /* read only */
        operand->data =
            (uint8_t *)(uintptr_t)berth_model_buffer(engine->model, file.buffer)
                .data;
    }
    operand->rank =
        place->shapeless ? 0u : copy_dims(file.shape, place->own, dims);
    operand->dims = dims;
    operand->elements = count_elements(dims, operand->rank);
    operand->bytes = (operand->elements * bits + 7u) / 8u;
    operand->pitch = (size_t)operand->bytes;
    operand->rows = 1u;
    operand->ring = 1u;
    operand->type = (uint8_t)file.type;
    operand->flags = place->flags;
}

uint32_t engine_describe(const berth_engine *engine, uint32_t subgraph,
                         uint32_t ref, berth_operand *operand, int32_t *dims)
{
    if (engine_ref_kind(ref) == ENGINE_REF_ABSENT) {
        *operand = (berth_operand){
            .rows = 1u, .ring = 1u, .flags = BERTH_OPERAND_ABSENT};
        return BERTH_NONE;
    }
    const node_place place = place_of(engine, ref);
    describe_place(engine, subgraph, &place, operand, dims,
                   &operand->quantization);
    return place.tensor;
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
        if (slot->rows != 1u) {
            operands[k].rows = slot->rows;
            operands[k].ring = slot->rows;
            operands[k].pitch = (size_t)operands[k].bytes / slot->rows;
        }
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
    if (engine_ref_kind(slot->ref) == ENGINE_REF_ABSENT) {
        return (engine_span){NULL, 0};
    }
    const node_place place = place_of(engine, slot->ref);
    describe_place(engine, slot->rows & ~ENGINE_SWAP, &place, &operand, dims.at,
                   NULL);
    return (engine_span){operand.data, operand.bytes};
}

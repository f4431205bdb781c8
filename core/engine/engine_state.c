/* What lives from one run to the next: cleared, saved and restored.
 *
 * Saved state is a header and the block as it lies:
 *
 *   0  magic        8 bytes
 *   8  block bytes  64 bits, low bytes first
 *  16  subgraph     32 bits
 *  20  CRC-32 of the block
 *  24  SHA-256 of the model's file
 *  56  zeros        8 bytes
 */
#include "berth/digest.h"
#include "engine_busy.h"
#include "engine_int.h"

#include <string.h>

enum {
    SAVED_BYTES_AT = 8,
    SAVED_SUBGRAPH_AT = 16,
    SAVED_CRC_AT = 20,
    SAVED_HASH_AT = 24,
    SAVED_HEADER_BYTES = 64
};

static const uint8_t saved_magic[8] = {'b', 'e', 'r', 't', 'h', 's', 't', 1};

static berth_bytes state_block(const berth_engine *engine)
{
    return (berth_bytes){engine_base(&engine->memory.state, engine->flags),
                         (size_t)engine->state_bytes};
}

/* Zero, and for int8 variables the number that means zero, as TensorFlow Lite
 * does it. */
void engine_clear_state(const berth_engine *engine)
{
    uint8_t *base = engine_base(&engine->memory.state, engine->flags);
    if (base == NULL) {
        return;
    }
    memset(base, 0, (size_t)engine->state_bytes);
    for (uint32_t i = 0; i < engine->variable_count; ++i) {
        const engine_variable *variable = &engine->variables[i];
        engine_operand_dims dims;
        berth_operand operand;
        (void)engine_describe(engine, variable->subgraph,
                              engine_ref(ENGINE_REF_RECORD, variable->record),
                              &operand, dims.at);
        const berth_quantization *q = &operand.quantization;
        if (operand.type == BERTH_INT8 && q->zero_point_count > 0) {
            memset(operand.data,
                   (int)(berth_quantization_zero_point(q, 0) & 0xff),
                   (size_t)operand.bytes);
        }
    }
}

berth_status berth_engine_reset(berth_engine *engine, berth_diag *diag)
{
    BERTH_TRY(engine_enter(engine, diag));
    engine_clear_state(engine);
    return engine_leave(engine, BERTH_OK);
}

size_t berth_engine_saved_bytes(const berth_engine *engine)
{
    return SAVED_HEADER_BYTES + (size_t)engine->state_bytes;
}

static void put_number(uint8_t *at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        at[i] = (uint8_t)(value >> 8u * i);
    }
}

static void write_header(const berth_engine *engine,
                         uint8_t header[SAVED_HEADER_BYTES])
{
    memset(header, 0, SAVED_HEADER_BYTES);
    memcpy(header, saved_magic, sizeof(saved_magic));
    put_number(header + SAVED_BYTES_AT, engine->state_bytes, 8u);
    put_number(header + SAVED_SUBGRAPH_AT, engine->subgraph, 4u);
    berth_sha256(berth_model_file(engine->model), header + SAVED_HASH_AT);
}

static berth_status save(const berth_engine *engine, uint8_t *bytes,
                         size_t size, berth_diag *diag)
{
    const berth_bytes block = state_block(engine);
    if (size < berth_engine_saved_bytes(engine)) {
        (void)berth_refuse(diag, BERTH_NO_SPACE, "memory for saved state");
        if (diag != NULL) {
            diag->needed_bytes = berth_engine_saved_bytes(engine);
            diag->limit_bytes = size;
        }
        return BERTH_NO_SPACE;
    }
    write_header(engine, bytes);
    put_number(bytes + SAVED_CRC_AT, berth_crc32(block), 4u);
    if (block.size > 0) {
        memcpy(bytes + SAVED_HEADER_BYTES, block.data, block.size);
    }
    return BERTH_OK;
}

berth_status berth_engine_save(berth_engine *engine, void *bytes, size_t size,
                               berth_diag *diag)
{
    BERTH_TRY(engine_enter(engine, diag));
    return engine_leave(engine, save(engine, bytes, size, diag));
}

static berth_status restore(berth_engine *engine, berth_bytes saved,
                            berth_diag *diag)
{
    uint8_t header[SAVED_HEADER_BYTES];
    if (saved.size != berth_engine_saved_bytes(engine)) {
        return berth_refuse(diag, BERTH_BAD_DATA,
                            "saved state of another size");
    }
    const berth_bytes block = {saved.data + SAVED_HEADER_BYTES,
                               (size_t)engine->state_bytes};
    write_header(engine, header);
    put_number(header + SAVED_CRC_AT, berth_crc32(block), 4u);
    if (memcmp(header, saved.data, sizeof(header)) != 0) {
        return berth_refuse(diag, BERTH_BAD_DATA,
                            "damaged state, or that of another model");
    }
    if (block.size > 0) {
        memcpy(engine_base(&engine->memory.state, engine->flags), block.data,
               block.size);
    }
    return BERTH_OK;
}

berth_status berth_engine_restore(berth_engine *engine, berth_bytes saved,
                                  berth_diag *diag)
{
    BERTH_TRY(engine_enter(engine, diag));
    return engine_leave(engine, restore(engine, saved, diag));
}

/* Inputs and outputs: by position, by name, in memory of the caller. */
#include "engine_busy.h"
#include "engine_int.h"

#include <string.h>

uint32_t berth_engine_input_count(const berth_engine *engine)
{
    return engine->input_count;
}

uint32_t berth_engine_output_count(const berth_engine *engine)
{
    return engine->output_count;
}

/* Inputs and outputs are one list; `at` counts in it. */
static void describe_io(const berth_engine *engine, uint32_t at, berth_io *io)
{
    berth_operand operand;
    *io = (berth_io){.tensor = BERTH_NONE};
    io->tensor = engine_describe(engine, engine->subgraph, engine->io[at],
                                 &operand, io->dims);
    if (io->tensor == BERTH_NONE) {
        return;
    }
    io->data = operand.data;
    io->bytes = operand.bytes;
    io->name =
        berth_model_tensor(engine->model, engine->subgraph, io->tensor).name;
    io->rank = operand.rank;
    io->type = (berth_type)operand.type;
    io->constant = berth_operand_is(&operand, BERTH_OPERAND_CONSTANT);
    io->quantization = operand.quantization;
}

berth_status berth_engine_input(const berth_engine *engine, uint32_t index,
                                berth_io *io)
{
    if (index >= engine->input_count) {
        return BERTH_BAD_ARG;
    }
    describe_io(engine, index, io);
    return BERTH_OK;
}

berth_status berth_engine_output(const berth_engine *engine, uint32_t index,
                                 berth_io *io)
{
    if (index >= engine->output_count) {
        return BERTH_BAD_ARG;
    }
    describe_io(engine, engine->input_count + index, io);
    return BERTH_OK;
}

/* --- by name ------------------------------------------------------------ */

/* One of the two lists of a subgraph, and what signatures call it. */
typedef struct io_list {
    berth_ivec tensors;
    berth_signature_tensor (*named)(const berth_model *model,
                                    uint32_t signature, uint32_t i);
    bool outputs;
} io_list;

static bool same_name(berth_bytes a, berth_bytes b)
{
    return a.size == b.size &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static uint32_t list_position(const io_list *list, uint32_t tensor)
{
    for (uint32_t i = 0; i < list->tensors.count; ++i) {
        if ((uint32_t)berth_ivec_at(list->tensors, i) == tensor) {
            return i;
        }
    }
    return BERTH_NONE;
}

/* The number behind "#"; BERTH_NONE: there is none. */
static uint32_t number_of(berth_bytes name)
{
    uint64_t value = 0;
    if (name.size < 2u || name.data[0] != '#') {
        return BERTH_NONE;
    }
    for (size_t i = 1; i < name.size; ++i) {
        const uint32_t digit = (uint32_t)name.data[i] - '0';
        if (digit > 9u || value > BERTH_NONE) {
            return BERTH_NONE;
        }
        value = value * 10u + digit;
    }
    return value < BERTH_NONE ? (uint32_t)value : BERTH_NONE;
}

static uint32_t find_in_signatures(const berth_engine *engine,
                                   const io_list *list, berth_bytes name)
{
    const uint32_t count = berth_model_signature_count(engine->model);
    for (uint32_t s = 0; s < count; ++s) {
        const berth_signature row = berth_model_signature(engine->model, s);
        const uint32_t names =
            list->outputs ? row.output_count : row.input_count;
        for (uint32_t i = 0; row.subgraph == engine->subgraph && i < names;
             ++i) {
            const berth_signature_tensor named =
                list->named(engine->model, s, i);
            if (same_name(named.name, name)) {
                return list_position(list, named.tensor);
            }
        }
    }
    return BERTH_NONE;
}

static uint32_t find_io(const berth_engine *engine, const io_list *list,
                        berth_bytes name)
{
    uint32_t found = find_in_signatures(engine, list, name);
    for (uint32_t i = 0; found == BERTH_NONE && i < list->tensors.count; ++i) {
        const int32_t tensor = berth_ivec_at(list->tensors, i);
        if (tensor >= 0 &&
            same_name(berth_model_tensor(engine->model, engine->subgraph,
                                         (uint32_t)tensor)
                          .name,
                      name)) {
            found = i;
        }
    }
    const uint32_t number = number_of(name);
    return found == BERTH_NONE && number != BERTH_NONE
               ? list_position(list, number)
               : found;
}

uint32_t berth_engine_find_input(const berth_engine *engine, berth_bytes name)
{
    const io_list list = {
        berth_model_subgraph(engine->model, engine->subgraph).inputs,
        berth_model_signature_input, false};
    return find_io(engine, &list, name);
}

uint32_t berth_engine_find_output(const berth_engine *engine, berth_bytes name)
{
    const io_list list = {
        berth_model_subgraph(engine->model, engine->subgraph).outputs,
        berth_model_signature_output, true};
    return find_io(engine, &list, name);
}

/* --- memory of the caller ----------------------------------------------- */

static berth_status bind(berth_engine *engine, uint32_t at, void *data,
                         size_t bytes, berth_diag *diag)
{
    const uint32_t ref = engine->io[at];
    engine_record *record = &engine->records[engine_ref_index(ref)];
    berth_io io;
    if (engine_ref_kind(ref) != ENGINE_REF_RECORD ||
        (record->flags & ENGINE_RECORD_HELD) == 0 || data == NULL) {
        return berth_refuse(diag, BERTH_BAD_ARG,
                            "not held by the caller, or no memory");
    }
    describe_io(engine, at, &io);
    const uint32_t align = berth_type_bits(io.type) / 8u;
    if (align > 1u && (uintptr_t)data % align != 0) {
        return berth_refuse(diag, BERTH_MISALIGNED,
                            "memory for an input or output");
    }
    if (bytes < io.bytes) {
        (void)berth_refuse(diag, BERTH_NO_SPACE,
                           "memory for an input or output");
        if (diag != NULL) {
            diag->needed_bytes = io.bytes;
            diag->limit_bytes = bytes;
            diag->tensor = io.tensor;
            diag->subgraph = engine->subgraph;
        }
        return BERTH_NO_SPACE;
    }
    record->data = data;
    return BERTH_OK;
}

static berth_status bind_alone(berth_engine *engine, uint32_t at, bool exists,
                               void *data, size_t bytes, berth_diag *diag)
{
    if (!exists) {
        return berth_refuse(diag, BERTH_BAD_ARG, "no such input or output");
    }
    BERTH_TRY(engine_enter(engine, diag));
    return engine_leave(engine, bind(engine, at, data, bytes, diag));
}

berth_status berth_engine_bind_input(berth_engine *engine, uint32_t index,
                                     void *data, size_t bytes, berth_diag *diag)
{
    return bind_alone(engine, index, index < engine->input_count, data, bytes,
                      diag);
}

berth_status berth_engine_bind_output(berth_engine *engine, uint32_t index,
                                      void *data, size_t bytes,
                                      berth_diag *diag)
{
    return bind_alone(engine, engine->input_count + index,
                      index < engine->output_count, data, bytes, diag);
}

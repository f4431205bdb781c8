#include "model_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(what)                                                          \
    do {                                                                       \
        if (!(what)) {                                                         \
            (void)fprintf(stderr, "model_walk: broken: %s\n", #what);          \
            abort();                                                           \
        }                                                                      \
    } while (0)

static uint64_t see_bytes(berth_bytes bytes)
{
    return bytes.size == 0
               ? 0
               : 1u + bytes.data[0] + (uint64_t)bytes.data[bytes.size - 1];
}

static uint64_t see_ints(berth_ivec vec)
{
    return vec.count == 0 ? 0
                          : (uint64_t)berth_ivec_at(vec, 0) +
                                (uint64_t)berth_ivec_at(vec, vec.count - 1);
}

static uint64_t see_indexes(berth_ivec vec, int32_t least, uint32_t count)
{
    for (uint32_t i = 0; i < vec.count; ++i) {
        const int32_t index = berth_ivec_at(vec, i);
        PROMISE(index >= least && index < (int64_t)count);
    }
    return see_ints(vec);
}

static uint64_t see_quantization(const berth_model *model, uint32_t s,
                                 uint32_t i)
{
    const berth_quantization q = berth_model_quantization(model, s, i);
    const uint32_t tensors = berth_model_subgraph(model, s).tensor_count;
    uint64_t sum = q.min_count + q.max_count + (uint64_t)q.axis;
    if (q.scale_count != 0) {
        const float last = berth_quantization_scale(&q, q.scale_count - 1);
        sum += (berth_quantization_scale(&q, 0) < last) ? 1 : 0;
    }
    if (q.zero_point_count != 0) {
        sum += (uint64_t)berth_quantization_zero_point(&q, 0);
        sum +=
            (uint64_t)berth_quantization_zero_point(&q, q.zero_point_count - 1);
    }
    PROMISE(q.block_scales == BERTH_NONE || q.block_scales < tensors);
    PROMISE(q.block_zero_points == BERTH_NONE || q.block_zero_points < tensors);
    return sum + see_bytes(q.custom);
}

static uint64_t see_tensor(const berth_model *model, uint32_t s, uint32_t i)
{
    const berth_tensor t = berth_model_tensor(model, s, i);
    const berth_sparsity sparsity = berth_model_sparsity(model, s, i);
    PROMISE(t.buffer == 0 || t.buffer < berth_model_buffer_count(model));
    uint64_t elements = 1;
    for (uint32_t k = 0; k < t.shape.count; ++k) {
        PROMISE(berth_ivec_at(t.shape, k) >= 0);
        PROMISE(berth_mul_u64(elements, (uint64_t)berth_ivec_at(t.shape, k),
                              &elements));
    }
    if (t.data.size != 0 && !t.has_sparsity) {
        uint64_t bits = 0;
        PROMISE(berth_mul_u64(elements, berth_type_bits(t.type), &bits));
        PROMISE(bits / 8 + (bits % 8 != 0) <= t.data.size);
    }
    return see_bytes(t.name) + see_ints(t.shape) + see_ints(t.signature) +
           see_bytes(t.data) + see_ints(sparsity.traversal_order) +
           see_ints(sparsity.block_map) + sparsity.dim_count +
           (uint64_t)berth_type_name(t.type)[0] + t.is_variable + t.has_rank +
           t.has_variant + t.external_buffer + see_quantization(model, s, i);
}

/* An absent field is one answer; what is there is asked for in every form. */
static uint64_t see_options(const berth_operator *op)
{
    uint64_t sum = 0;
    for (uint32_t field = 0; field < BERTH_OPTION_COUNT; ++field) {
        const berth_option option = (berth_option)field;
        if (!berth_option_present(op, option)) {
            continue;
        }
        sum += (uint64_t)berth_option_int(op, option);
        sum += berth_option_float(op, option) > 0.0f;
        sum += see_ints(berth_option_ints(op, option));
        sum += see_bytes(berth_option_bytes(op, option));
    }
    const berth_option any = (berth_option)(op->code % BERTH_OPTION_COUNT);
    return sum + (uint64_t)berth_option_int(op, any) +
           (berth_option_float(op, any) > 0.0f) +
           see_bytes(berth_option_bytes(op, any));
}

static uint64_t see_operator(const berth_model *model, uint32_t s, uint32_t i)
{
    const berth_operator op = berth_model_operator(model, s, i);
    const uint32_t tensors = berth_model_subgraph(model, s).tensor_count;
    uint32_t callees[4] = {0};
    const uint32_t count = berth_model_callees(model, &op, callees, 4);
    PROMISE(berth_model_callees(model, &op, NULL, 0) == count);
    for (uint32_t k = 0; k < count && k < 4; ++k) {
        PROMISE(callees[k] < berth_model_subgraph_count(model));
        PROMISE(callees[k] != s);
    }
    PROMISE(op.code <= INT32_MAX);
    return see_indexes(op.inputs, -1, tensors) +
           see_indexes(op.outputs, 0, tensors) +
           see_indexes(op.intermediates, 0, tensors) +
           see_bytes(op.custom_name) + see_bytes(op.custom_options) +
           op.version + (uint64_t)op.debug_metadata + see_options(&op) + count;
}

static uint64_t see_subgraph(const berth_model *model, uint32_t s)
{
    const berth_subgraph subgraph = berth_model_subgraph(model, s);
    uint64_t sum = see_bytes(subgraph.name) +
                   see_indexes(subgraph.inputs, 0, subgraph.tensor_count) +
                   see_indexes(subgraph.outputs, 0, subgraph.tensor_count);
    for (uint32_t i = 0; i < subgraph.tensor_count; ++i) {
        sum += see_tensor(model, s, i);
    }
    for (uint32_t i = 0; i < subgraph.op_count; ++i) {
        sum += see_operator(model, s, i);
    }
    return sum;
}

static uint64_t see_signature(const berth_model *model, uint32_t index)
{
    const berth_signature sig = berth_model_signature(model, index);
    uint64_t sum = see_bytes(sig.name);
    PROMISE(sig.subgraph < berth_model_subgraph_count(model));
    const uint32_t tensors =
        berth_model_subgraph(model, sig.subgraph).tensor_count;
    for (uint32_t i = 0; i < sig.input_count; ++i) {
        const berth_signature_tensor t =
            berth_model_signature_input(model, index, i);
        PROMISE(t.tensor < tensors);
        sum += see_bytes(t.name);
    }
    for (uint32_t i = 0; i < sig.output_count; ++i) {
        const berth_signature_tensor t =
            berth_model_signature_output(model, index, i);
        PROMISE(t.tensor < tensors);
        sum += see_bytes(t.name);
    }
    return sum;
}

uint64_t model_walk(const berth_model *model)
{
    uint64_t sum = see_bytes(berth_model_file(model)) +
                   see_bytes(berth_model_description(model));
    for (uint32_t i = 0; i < berth_model_buffer_count(model); ++i) {
        sum += see_bytes(berth_model_buffer(model, i));
    }
    for (uint32_t s = 0; s < berth_model_subgraph_count(model); ++s) {
        sum += see_subgraph(model, s);
    }
    for (uint32_t i = 0; i < berth_model_signature_count(model); ++i) {
        sum += see_signature(model, i);
    }
    for (uint32_t i = 0; i < berth_model_metadata_count(model); ++i) {
        const berth_metadata entry = berth_model_metadata(model, i);
        PROMISE(entry.buffer == 0 ||
                entry.buffer < berth_model_buffer_count(model));
        sum += see_bytes(entry.name) +
               see_bytes(berth_model_buffer(model, entry.buffer));
    }
    return sum;
}

berth_status model_open_and_walk(berth_bytes file, berth_diag *diag)
{
    static const size_t untouched = 12345;
    size_t bytes = untouched;
    *diag = berth_diag_none();
    berth_status status = berth_model_bytes(file, &bytes, diag);
    if (status != BERTH_OK) {
        PROMISE(bytes == untouched && diag->what[0] != '\0');
        return status;
    }
    PROMISE(bytes != untouched);
    uint8_t *memory = malloc(bytes);
    PROMISE(memory != NULL);
    memset(memory, 0xA5, bytes);
    berth_work work = berth_work_of(memory, bytes);
    const berth_model *model = NULL;
    status = berth_model_init(file, &work, &model, diag);
    if (status == BERTH_OK) {
        PROMISE(model != NULL && work.next > memory && work.next <= work.end);
        static volatile uint64_t seen; /* keeps the reads alive */
        seen = model_walk(model);
        (void)seen;
    } else {
        PROMISE(status != BERTH_NO_SPACE && status != BERTH_INTERNAL);
        PROMISE(model == NULL && work.next == memory);
        PROMISE(diag->what[0] != '\0');
        PROMISE(status != BERTH_BAD_MODEL || diag->file_offset < file.size);
    }
    free(memory);
    return status;
}

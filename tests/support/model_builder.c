/* Collects specs with deep copies, from one pool that mb_free() gives back;
 * mb_finish() has them written in one go. */
#include "model_builder_int.h"

#include <stdlib.h>
#include <string.h>

void *mb_list_add(mb_list *l, size_t item)
{
    if (l->count == l->room) {
        l->room = l->room == 0 ? 8 : l->room * 2;
        l->at = fw_must(realloc(l->at, l->room * item));
    }
    l->item = item;
    void *slot = l->at + l->count++ * item;
    memset(slot, 0, item);
    return slot;
}

void *mb_list_at(const mb_list *l, size_t i)
{
    if (i >= l->count) {
        fw_misuse("no such index");
    }
    return l->at + i * l->item;
}

static const void *copy(mb *b, const void *data, size_t bytes)
{
    if (data == NULL) {
        return NULL;
    }
    keep *k = fw_must(malloc(sizeof(keep) + bytes + 1));
    k->next = b->kept;
    b->kept = k;
    if (bytes != 0) {
        memcpy(k->bytes, data, bytes);
    }
    return k->bytes;
}

static const char *copy_text(mb *b, const char *text)
{
    return text == NULL ? NULL : copy(b, text, strlen(text) + 1);
}

static mb_ints copy_ints(mb *b, mb_ints ints)
{
    return (mb_ints){copy(b, ints.at, ints.count * sizeof(int32_t)),
                     ints.count};
}

mb *mb_new(void)
{
    mb *b = fw_must(calloc(1, sizeof(mb)));
    (void)MB_ADD(&b->buffers, mb_buffer_row); /* buffer 0 is the empty one */
    return b;
}

void mb_free(mb *b)
{
    for (size_t i = 0; i < b->subgraphs.count; ++i) {
        mb_subgraph_row *g = MB_AT(&b->subgraphs, mb_subgraph_row, i);
        free(g->tensors.at);
        free(g->ops.at);
    }
    for (keep *k = b->kept; k != NULL;) {
        keep *next = k->next;
        free(k);
        k = next;
    }
    free(b->subgraphs.at);
    free(b->codes.at);
    free(b->buffers.at);
    free(b->signatures.at);
    free(b->metadata.at);
    free(b->outsides.at);
    free(b->w.out);
    free(b->file);
    free(b);
}

void mb_description(mb *b, const char *text)
{
    b->description = copy_text(b, text);
}

uint32_t mb_subgraph(mb *b, const char *name)
{
    MB_ADD(&b->subgraphs, mb_subgraph_row)->name = copy_text(b, name);
    return (uint32_t)(b->subgraphs.count - 1);
}

uint32_t mb_buffer(mb *b, const void *data, size_t bytes)
{
    *MB_ADD(&b->buffers, mb_buffer_row) =
        (mb_buffer_row){.data = copy(b, data, bytes), .bytes = bytes};
    return (uint32_t)(b->buffers.count - 1);
}

uint32_t mb_buffer_outside(mb *b, const void *data, size_t bytes)
{
    const uint32_t index = mb_buffer(b, data, bytes);
    MB_AT(&b->buffers, mb_buffer_row, index)->outside = true;
    return index;
}

uint32_t mb_buffer_claimed(mb *b, uint64_t offset, uint64_t bytes)
{
    *MB_ADD(&b->buffers, mb_buffer_row) =
        (mb_buffer_row){.offset = offset, .size = bytes};
    return (uint32_t)(b->buffers.count - 1);
}

static const mb_quantization *copy_quantization(mb *b,
                                                const mb_quantization *from)
{
    if (from == NULL) {
        return NULL;
    }
    mb_quantization q = *from;
    q.scales = copy(b, q.scales, q.scale_count * sizeof(float));
    q.min = copy(b, q.min, q.min_count * sizeof(float));
    q.max = copy(b, q.max, q.max_count * sizeof(float));
    q.zero_points =
        copy(b, q.zero_points, q.zero_point_count * sizeof(int64_t));
    return copy(b, &q, sizeof(q));
}

int32_t mb_tensor(mb *b, uint32_t subgraph_index, mb_tensor_spec spec)
{
    spec.name = copy_text(b, spec.name);
    spec.shape = copy_ints(b, spec.shape);
    spec.signature = copy_ints(b, spec.signature);
    spec.quantization = copy_quantization(b, spec.quantization);
    if (spec.data != NULL) {
        spec.buffer = mb_buffer(b, spec.data, spec.data_bytes);
        spec.data = NULL;
    }
    mb_subgraph_row *g = MB_AT(&b->subgraphs, mb_subgraph_row, subgraph_index);
    *MB_ADD(&g->tensors, mb_tensor_spec) = spec;
    return (int32_t)(g->tensors.count - 1);
}

static bool same_text(const char *a, const char *c)
{
    return a == NULL || c == NULL ? a == c : strcmp(a, c) == 0;
}

static uint32_t code_index(mb *b, const mb_op_spec *spec)
{
    const mb_code_row want = {
        spec->code, spec->version == 0 ? 1 : spec->version, spec->custom_name};
    for (size_t i = 0; i < b->codes.count; ++i) {
        const mb_code_row *have = MB_AT(&b->codes, mb_code_row, i);
        if (have->code == want.code && have->version == want.version &&
            same_text(have->custom_name, want.custom_name)) {
            return (uint32_t)i;
        }
    }
    *MB_ADD(&b->codes, mb_code_row) = want;
    return (uint32_t)(b->codes.count - 1);
}

static mb_options copy_options(mb *b, mb_options from)
{
    mb_option *to = NULL;
    if (from.count != 0) {
        to = fw_must(malloc(from.count * sizeof(mb_option)));
    }
    for (size_t i = 0; i < from.count; ++i) {
        to[i] = from.at[i];
        to[i].ints = copy_ints(b, to[i].ints);
        if (to[i].text != NULL && to[i].text_bytes == 0) {
            to[i].text_bytes = strlen(to[i].text);
        }
        to[i].text = copy(b, to[i].text, to[i].text_bytes);
    }
    const mb_options kept = {copy(b, to, from.count * sizeof(mb_option)),
                             from.count};
    free(to);
    return kept;
}

uint32_t mb_op(mb *b, uint32_t subgraph_index, mb_op_spec spec)
{
    spec.custom_name = copy_text(b, spec.custom_name);
    spec.inputs = copy_ints(b, spec.inputs);
    spec.outputs = copy_ints(b, spec.outputs);
    spec.intermediates = copy_ints(b, spec.intermediates);
    spec.options = copy_options(b, spec.options);
    spec.custom_options =
        copy(b, spec.custom_options, spec.custom_options_bytes);
    mb_subgraph_row *g = MB_AT(&b->subgraphs, mb_subgraph_row, subgraph_index);
    *MB_ADD(&g->ops, mb_op_row) = (mb_op_row){spec, code_index(b, &spec)};
    return (uint32_t)(g->ops.count - 1);
}

void mb_io(mb *b, uint32_t subgraph_index, mb_ints inputs, mb_ints outputs)
{
    mb_subgraph_row *g = MB_AT(&b->subgraphs, mb_subgraph_row, subgraph_index);
    g->inputs = copy_ints(b, inputs);
    g->outputs = copy_ints(b, outputs);
}

static const mb_named *copy_named(mb *b, const mb_named *from, size_t count)
{
    mb_named *to = fw_must(malloc(count * sizeof(mb_named) + 1));
    for (size_t i = 0; i < count; ++i) {
        to[i] = (mb_named){copy_text(b, from[i].name), from[i].tensor};
    }
    const mb_named *kept = copy(b, to, count * sizeof(mb_named));
    free(to);
    return kept;
}

void mb_signature(mb *b, const char *name, uint32_t subgraph_index,
                  const mb_named *inputs, size_t input_count,
                  const mb_named *outputs, size_t output_count)
{
    *MB_ADD(&b->signatures, mb_signature_row) =
        (mb_signature_row){.name = copy_text(b, name),
                           .subgraph = subgraph_index,
                           .inputs = copy_named(b, inputs, input_count),
                           .outputs = copy_named(b, outputs, output_count),
                           .input_count = input_count,
                           .output_count = output_count};
}

void mb_metadata(mb *b, const char *name, const void *data, size_t bytes)
{
    const uint32_t index = mb_buffer(b, data, bytes);
    *MB_ADD(&b->metadata, mb_metadata_row) =
        (mb_metadata_row){copy_text(b, name), index};
}

berth_bytes mb_finish(mb *b)
{
    if (b->file != NULL) {
        fw_misuse("mb_finish() twice");
    }
    mb_put_model(b);
    for (size_t i = 0; i < b->outsides.count; ++i) {
        const mb_outside_row *o = MB_AT(&b->outsides, mb_outside_row, i);
        fw_align(&b->w, 16, 0);
        fw_store(&b->w, o->hole, b->w.size, 8);
        fw_put(&b->w, o->data, o->bytes);
    }
    fw_align(&b->w, 4, 0);

    b->file = fw_must(aligned_alloc(16, (b->w.size + 15) / 16 * 16));
    memcpy(b->file, b->w.out, b->w.size);
    return (berth_bytes){b->file, b->w.size};
}

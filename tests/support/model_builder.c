/* Writes FlatBuffers forwards: a table goes out with holes for its children,
 * and each child fills its hole when it is written. Offsets then point ahead,
 * as the format wants, and alignment is plain arithmetic on the file position.
 *
 * Everything is first collected as specs with deep copies (from one pool that
 * mb_free() gives back), then written in one go by mb_finish(). */
#include "model_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- memory ------------------------------------------------------------- */

static void *must(void *p)
{
    if (p == NULL) {
        (void)fputs("model_builder: out of memory\n", stderr);
        abort();
    }
    return p;
}

static void misuse(const char *what)
{
    (void)fprintf(stderr, "model_builder: %s\n", what);
    abort();
}

/* A copy that lives until mb_free(). */
typedef struct keep {
    struct keep *next;
    _Alignas(16) unsigned char bytes[];
} keep;

/* A growing array of one item size. */
typedef struct list {
    unsigned char *at;
    size_t count, room, item;
} list;

static void *list_add(list *l, size_t item)
{
    if (l->count == l->room) {
        l->room = l->room == 0 ? 8 : l->room * 2;
        l->at = must(realloc(l->at, l->room * item));
    }
    l->item = item;
    void *slot = l->at + l->count++ * item;
    memset(slot, 0, item);
    return slot;
}

static void *list_at(const list *l, size_t i)
{
    if (i >= l->count) {
        misuse("no such index");
    }
    return l->at + i * l->item;
}

#define ADD(list, type)   ((type *)(void *)list_add((list), sizeof(type)))
#define AT(list, type, i) ((type *)(void *)list_at((list), (i)))

/* --- what is collected ---------------------------------------------------- */

typedef struct buffer {
    const void *data;
    size_t bytes;
    bool outside;
    uint64_t offset; /* claimed */
    uint64_t size;
} buffer;

typedef struct op_code {
    uint32_t code;
    int32_t version;
    const char *custom_name;
} op_code;

typedef struct op_row {
    mb_op_spec spec;
    uint32_t code_index;
} op_row;

typedef struct subgraph {
    const char *name;
    list tensors; /* mb_tensor_spec */
    list ops;     /* op_row */
    mb_ints inputs, outputs;
} subgraph;

typedef struct signature {
    const char *name;
    uint32_t subgraph;
    const mb_named *inputs, *outputs;
    size_t input_count, output_count;
} signature;

typedef struct metadata {
    const char *name;
    uint32_t buffer;
} metadata;

/* Bytes to be put behind the structure, and the field that waits for them. */
typedef struct outside {
    size_t hole; /* position of the u64 offset field */
    const void *data;
    size_t bytes;
} outside;

struct mb {
    keep *kept;
    const char *description;
    list subgraphs, codes, buffers, signatures, metadata, outsides;
    unsigned char *out;
    size_t size, room;
    unsigned char *file;
};

static const void *copy(mb *b, const void *data, size_t bytes)
{
    if (data == NULL) {
        return NULL;
    }
    keep *k = must(malloc(sizeof(keep) + bytes + 1));
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
    mb *b = must(calloc(1, sizeof(mb)));
    (void)ADD(&b->buffers, buffer); /* buffer 0 is the empty one */
    return b;
}

void mb_free(mb *b)
{
    for (size_t i = 0; i < b->subgraphs.count; ++i) {
        subgraph *g = AT(&b->subgraphs, subgraph, i);
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
    free(b->out);
    free(b->file);
    free(b);
}

void mb_description(mb *b, const char *text)
{
    b->description = copy_text(b, text);
}

uint32_t mb_subgraph(mb *b, const char *name)
{
    ADD(&b->subgraphs, subgraph)->name = copy_text(b, name);
    return (uint32_t)(b->subgraphs.count - 1);
}

uint32_t mb_buffer(mb *b, const void *data, size_t bytes)
{
    *ADD(&b->buffers, buffer) =
        (buffer){.data = copy(b, data, bytes), .bytes = bytes};
    return (uint32_t)(b->buffers.count - 1);
}

uint32_t mb_buffer_outside(mb *b, const void *data, size_t bytes)
{
    const uint32_t index = mb_buffer(b, data, bytes);
    AT(&b->buffers, buffer, index)->outside = true;
    return index;
}

uint32_t mb_buffer_claimed(mb *b, uint64_t offset, uint64_t bytes)
{
    *ADD(&b->buffers, buffer) = (buffer){.offset = offset, .size = bytes};
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
    subgraph *g = AT(&b->subgraphs, subgraph, subgraph_index);
    *ADD(&g->tensors, mb_tensor_spec) = spec;
    return (int32_t)(g->tensors.count - 1);
}

static bool same_text(const char *a, const char *c)
{
    return a == NULL || c == NULL ? a == c : strcmp(a, c) == 0;
}

static uint32_t code_index(mb *b, const mb_op_spec *spec)
{
    const op_code want = {spec->code, spec->version == 0 ? 1 : spec->version,
                          spec->custom_name};
    for (size_t i = 0; i < b->codes.count; ++i) {
        const op_code *have = AT(&b->codes, op_code, i);
        if (have->code == want.code && have->version == want.version &&
            same_text(have->custom_name, want.custom_name)) {
            return (uint32_t)i;
        }
    }
    *ADD(&b->codes, op_code) = want;
    return (uint32_t)(b->codes.count - 1);
}

static mb_options copy_options(mb *b, mb_options from)
{
    mb_option *to = NULL;
    if (from.count != 0) {
        to = must(malloc(from.count * sizeof(mb_option)));
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
    subgraph *g = AT(&b->subgraphs, subgraph, subgraph_index);
    *ADD(&g->ops, op_row) = (op_row){spec, code_index(b, &spec)};
    return (uint32_t)(g->ops.count - 1);
}

void mb_io(mb *b, uint32_t subgraph_index, mb_ints inputs, mb_ints outputs)
{
    subgraph *g = AT(&b->subgraphs, subgraph, subgraph_index);
    g->inputs = copy_ints(b, inputs);
    g->outputs = copy_ints(b, outputs);
}

static const mb_named *copy_named(mb *b, const mb_named *from, size_t count)
{
    mb_named *to = must(malloc(count * sizeof(mb_named) + 1));
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
    *ADD(&b->signatures, signature) =
        (signature){.name = copy_text(b, name),
                    .subgraph = subgraph_index,
                    .inputs = copy_named(b, inputs, input_count),
                    .outputs = copy_named(b, outputs, output_count),
                    .input_count = input_count,
                    .output_count = output_count};
}

void mb_metadata(mb *b, const char *name, const void *data, size_t bytes)
{
    const uint32_t index = mb_buffer(b, data, bytes);
    *ADD(&b->metadata, metadata) = (metadata){copy_text(b, name), index};
}

/* --- bytes ---------------------------------------------------------------- */

static void put(mb *b, const void *data, size_t bytes)
{
    if (b->size + bytes > b->room) {
        b->room = (b->size + bytes) * 2;
        b->out = must(realloc(b->out, b->room));
    }
    if (bytes != 0) {
        memcpy(b->out + b->size, data, bytes);
    }
    b->size += bytes;
}

static void store(mb *b, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        b->out[at + i] = (unsigned char)(value >> (8 * i));
    }
}

static void put_int(mb *b, uint64_t value, size_t bytes)
{
    const unsigned char zero[8] = {0};
    put(b, zero, bytes);
    store(b, b->size - bytes, value, bytes);
}

/* Pads until (position + ahead) is aligned. */
static void align(mb *b, size_t alignment, size_t ahead)
{
    while ((b->size + ahead) % alignment != 0) {
        put_int(b, 0, 1);
    }
}

/* Lets the hole point at what is written next. */
static void fill(mb *b, size_t hole)
{
    if (hole != 0) {
        store(b, hole, b->size - hole, 4);
    }
}

/* A table in the making: fields by slot, scalars with value, children without.
 * size 0: the field is absent. */
enum { SLOTS = 20 };

typedef struct table {
    struct {
        size_t size;
        uint64_t value;
        size_t hole; /* set by put_table(): where the field lies */
    } field[SLOTS];
    size_t count;
} table;

static void set(table *t, size_t slot, size_t size, uint64_t value)
{
    t->field[slot].size = size;
    t->field[slot].value = value;
    t->count = slot + 1 > t->count ? slot + 1 : t->count;
}

/* A field that is left out when it has the schema's default. */
static void set_unless(table *t, size_t slot, size_t size, uint64_t value,
                       uint64_t absent)
{
    if (value != absent) {
        set(t, slot, size, value);
    }
}

static void set_child(table *t, size_t slot, bool wanted)
{
    if (wanted) {
        set(t, slot, 4, 0);
    }
}

/* Writes vtable and table, largest fields first so that each is aligned. */
static void put_table(mb *b, table *t, size_t hole)
{
    size_t offset[SLOTS] = {0};
    size_t end = 4;
    for (size_t size = 8; size >= 1; size /= 2) {
        for (size_t i = 0; i < t->count; ++i) {
            if (t->field[i].size == size) {
                end = (end + size - 1) / size * size;
                offset[i] = end;
                end += size;
            }
        }
    }
    const size_t vtable_bytes = 4 + 2 * t->count;
    align(b, 8, vtable_bytes);
    put_int(b, vtable_bytes, 2);
    put_int(b, end, 2);
    for (size_t i = 0; i < t->count; ++i) {
        put_int(b, offset[i], 2);
    }
    fill(b, hole);
    const size_t at = b->size;
    put_int(b, vtable_bytes, 4);
    for (size_t n = 4; n < end; ++n) {
        put_int(b, 0, 1);
    }
    for (size_t i = 0; i < t->count; ++i) {
        t->field[i].hole = at + offset[i];
        if (t->field[i].size != 0) {
            store(b, at + offset[i], t->field[i].value, t->field[i].size);
        }
    }
}

static void put_bytes(mb *b, size_t hole, const void *data, size_t bytes,
                      size_t alignment)
{
    align(b, alignment < 4 ? 4 : alignment, 4);
    fill(b, hole);
    put_int(b, bytes, 4);
    put(b, data, bytes);
}

static void put_string(mb *b, size_t hole, const char *text, size_t bytes)
{
    put_bytes(b, hole, text, bytes, 4);
    put_int(b, 0, 1);
}

static void put_text(mb *b, const table *t, size_t slot, const char *text)
{
    if (text != NULL) {
        put_string(b, t->field[slot].hole, text, strlen(text));
    }
}

/* A vector of integers, each converted to `bytes`. */
static void put_ints(mb *b, size_t hole, mb_ints ints, size_t bytes)
{
    align(b, bytes < 4 ? 4 : bytes, 4);
    fill(b, hole);
    put_int(b, ints.count, 4);
    for (size_t i = 0; i < ints.count; ++i) {
        put_int(b, (uint64_t)(int64_t)ints.at[i], bytes);
    }
}

/* A vector of count holes; returns the position of the first. */
static size_t put_holes(mb *b, size_t hole, size_t count)
{
    align(b, 4, 0);
    fill(b, hole);
    put_int(b, count, 4);
    const size_t first = b->size;
    for (size_t i = 0; i < count; ++i) {
        put_int(b, 0, 4);
    }
    return first;
}

/* --- options -------------------------------------------------------------- */

enum option_kind {
    KIND_BOOL,
    KIND_I8,
    KIND_I32,
    KIND_U32,
    KIND_I64,
    KIND_F32,
    KIND_STRING,
    KIND_U8_VEC,
    KIND_BOOL_VEC,
    KIND_I32_VEC,
    KIND_U32_VEC,
    KIND_F32_VEC,
    KIND_I64_VEC
};

/* Bytes of a field in its table, and of an element if it is a vector. */
static const struct {
    size_t field;
    size_t item;
} KINDS[] = {
    [KIND_BOOL] = {1, 0},    [KIND_I8] = {1, 0},      [KIND_I32] = {4, 0},
    [KIND_U32] = {4, 0},     [KIND_I64] = {8, 0},     [KIND_F32] = {4, 0},
    [KIND_STRING] = {4, 0},  [KIND_U8_VEC] = {4, 1},  [KIND_BOOL_VEC] = {4, 1},
    [KIND_I32_VEC] = {4, 4}, [KIND_U32_VEC] = {4, 4}, [KIND_F32_VEC] = {4, 4},
    [KIND_I64_VEC] = {4, 8},
};

enum option_table {
#define BERTH_OPTION_TABLE(table, tag, which) TABLE_##table,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

static const struct {
    uint8_t tag;
    uint8_t which;
} TABLES[] = {
#define BERTH_OPTION_TABLE(table, tag, which) {tag, which},
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

static const struct {
    uint8_t table;
    uint8_t slot;
    uint8_t kind;
} FIELDS[] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)                     \
    {TABLE_##table, slot, KIND_##kind},
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

static uint64_t float_bits(double real)
{
    const float narrow = (float)real;
    uint32_t bits = 0;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

static void put_options(mb *b, size_t hole, mb_options options)
{
    table t = {0};
    for (size_t i = 0; i < options.count; ++i) {
        const mb_option *o = &options.at[i];
        if (FIELDS[o->field].table != FIELDS[options.at[0].field].table) {
            misuse("options of two tables for one operator");
        }
        const int kind = FIELDS[o->field].kind;
        set(&t, FIELDS[o->field].slot, KINDS[kind].field,
            kind == KIND_F32 ? float_bits(o->real) : (uint64_t)o->value);
    }
    put_table(b, &t, hole);
    for (size_t i = 0; i < options.count; ++i) {
        const mb_option *o = &options.at[i];
        const size_t at = t.field[FIELDS[o->field].slot].hole;
        const int kind = FIELDS[o->field].kind;
        if (kind == KIND_STRING) {
            put_string(b, at, o->text, o->text_bytes);
        } else if (kind == KIND_U8_VEC && o->text != NULL) {
            put_bytes(b, at, o->text, o->text_bytes, 4);
        } else if (KINDS[kind].item != 0) {
            put_ints(b, at, o->ints, KINDS[kind].item);
        }
    }
}

/* --- the parts of a model ---------------------------------------------------
 */

static void put_op(mb *b, const op_row *op, size_t hole)
{
    const mb_op_spec *s = &op->spec;
    uint8_t tag[3] = {0, s->options_type, s->options2_type};
    if (s->options.count != 0) {
        const uint8_t of = FIELDS[s->options.at[0].field].table;
        tag[TABLES[of].which] = TABLES[of].tag;
    }
    table t = {0};
    set(&t, 0, 4, op->code_index);
    set_child(&t, 1, true);
    set_child(&t, 2, true);
    set_unless(&t, 3, 1, tag[1], 0);
    set_child(&t, 4, tag[1] != 0);
    const bool custom = s->custom_options != NULL;
    set_child(&t, 5, custom && !s->custom_options_outside);
    set_child(&t, 8, s->intermediates.count != 0);
    if (custom && s->custom_options_outside) {
        set(&t, 9, 8, 0);
        set(&t, 10, 8, s->custom_options_bytes);
    }
    set_unless(&t, 11, 1, tag[2], 0);
    set_child(&t, 12, tag[2] != 0);
    put_table(b, &t, hole);

    put_ints(b, t.field[1].hole, s->inputs, 4);
    put_ints(b, t.field[2].hole, s->outputs, 4);
    if (tag[1] != 0) {
        put_options(b, t.field[4].hole, s->options);
    }
    if (tag[2] != 0) {
        put_options(b, t.field[12].hole, s->options);
    }
    if (custom && s->custom_options_outside) {
        *ADD(&b->outsides, outside) = (outside){
            t.field[9].hole, s->custom_options, s->custom_options_bytes};
    } else if (custom) {
        put_bytes(b, t.field[5].hole, s->custom_options,
                  s->custom_options_bytes, 4);
    }
    if (s->intermediates.count != 0) {
        put_ints(b, t.field[8].hole, s->intermediates, 4);
    }
}

static void put_details(mb *b, const mb_quantization *q, size_t hole)
{
    const mb_ints axes = MB_INTS(0);
    table t = {0};
    if (q->details == 1) {
        set_child(&t, 0, true);
    } else {
        set_unless(&t, 0, 4, (uint32_t)q->block_scales, 0);
        set_unless(&t, 1, 4, (uint32_t)q->block_zero_points, 0);
        set_unless(&t, 2, 4, (uint32_t)q->block_size, 0);
        set_child(&t, 3, q->details == 3);
    }
    put_table(b, &t, hole);
    if (q->details == 1) {
        put_bytes(b, t.field[0].hole, "custom", 6, 4);
    } else if (q->details == 3) {
        put_ints(b, t.field[3].hole, axes, 4);
    }
}

static void put_quantization(mb *b, const mb_quantization *q, size_t hole)
{
    table t = {0};
    set_child(&t, 0, q->min_count != 0);
    set_child(&t, 1, q->max_count != 0);
    set_child(&t, 2, q->scale_count != 0);
    set_child(&t, 3, q->zero_point_count != 0);
    set_unless(&t, 4, 1, q->details, 0);
    set_child(&t, 5, q->details != 0);
    set_unless(&t, 6, 4, (uint32_t)q->axis, 0);
    put_table(b, &t, hole);

    const struct {
        const float *at;
        size_t count;
    } floats[] = {{q->min, q->min_count},
                  {q->max, q->max_count},
                  {q->scales, q->scale_count}};
    for (size_t k = 0; k < 3; ++k) {
        if (floats[k].count == 0) {
            continue;
        }
        (void)put_holes(b, t.field[k].hole, 0);
        store(b, b->size - 4, floats[k].count, 4);
        for (size_t i = 0; i < floats[k].count; ++i) {
            put_int(b, float_bits((double)floats[k].at[i]), 4);
        }
    }
    if (q->zero_point_count != 0) {
        align(b, 8, 4);
        fill(b, t.field[3].hole);
        put_int(b, q->zero_point_count, 4);
        for (size_t i = 0; i < q->zero_point_count; ++i) {
            put_int(b, (uint64_t)q->zero_points[i], 8);
        }
    }
    if (q->details != 0) {
        put_details(b, q, t.field[5].hole);
    }
}

/* Two dimensions: a dense one, and one of CSR form with 8 and 16-bit lists. */
static void put_sparsity(mb *b, size_t hole)
{
    table t = {0};
    set_child(&t, 0, true);
    set_child(&t, 1, true);
    set_child(&t, 2, true);
    put_table(b, &t, hole);
    put_ints(b, t.field[0].hole, MB_INTS(0, 1), 4);
    put_ints(b, t.field[1].hole, MB_INTS(1), 4);
    const size_t dims = put_holes(b, t.field[2].hole, 2);

    table dense = {0};
    set(&dense, 1, 4, 2);
    put_table(b, &dense, dims);

    table csr = {0};
    set(&csr, 0, 1, 1);
    set(&csr, 2, 1, 3);
    set_child(&csr, 3, true);
    set(&csr, 4, 1, 2);
    set_child(&csr, 5, true);
    put_table(b, &csr, dims + 4);
    for (size_t slot = 3, item = 1; slot <= 5; slot += 2, ++item) {
        table list_of = {0};
        set_child(&list_of, 0, true);
        put_table(b, &list_of, csr.field[slot].hole);
        put_ints(b, list_of.field[0].hole, MB_INTS(0, 1, 2), item);
    }
}

static void put_variant(mb *b, const mb_tensor_spec *s, size_t hole)
{
    const size_t first = put_holes(b, hole, 1);
    table t = {0};
    set_child(&t, 0, true);
    set(&t, 1, 1, BERTH_FLOAT32);
    set(&t, 2, 1, 1);
    put_table(b, &t, first);
    put_ints(b, t.field[0].hole, s->shape, 4);
}

static void put_tensor(mb *b, const mb_tensor_spec *s, size_t hole)
{
    table t = {0};
    set_child(&t, 0, !s->no_rank);
    set_unless(&t, 1, 1, (uint64_t)s->type, 0);
    set_unless(&t, 2, 4, s->buffer, 0);
    set_child(&t, 3, s->name != NULL);
    set_child(&t, 4, s->quantization != NULL);
    set_unless(&t, 5, 1, s->is_variable, 0);
    set_child(&t, 6, s->is_sparse);
    set_child(&t, 7, s->signature.count != 0);
    set_unless(&t, 8, 1, !s->no_rank, 0);
    set_child(&t, 9, s->is_variant);
    put_table(b, &t, hole);

    put_text(b, &t, 3, s->name);
    if (!s->no_rank) {
        put_ints(b, t.field[0].hole, s->shape, 4);
    }
    if (s->signature.count != 0) {
        put_ints(b, t.field[7].hole, s->signature, 4);
    }
    if (s->quantization != NULL) {
        put_quantization(b, s->quantization, t.field[4].hole);
    }
    if (s->is_sparse) {
        put_sparsity(b, t.field[6].hole);
    }
    if (s->is_variant) {
        put_variant(b, s, t.field[9].hole);
    }
}

static void put_subgraph(mb *b, const subgraph *g, size_t hole)
{
    table t = {0};
    for (size_t slot = 0; slot < 4; ++slot) {
        set_child(&t, slot, true);
    }
    set_child(&t, 4, g->name != NULL);
    put_table(b, &t, hole);
    put_text(b, &t, 4, g->name);
    put_ints(b, t.field[1].hole, g->inputs, 4);
    put_ints(b, t.field[2].hole, g->outputs, 4);
    const size_t tensors = put_holes(b, t.field[0].hole, g->tensors.count);
    for (size_t i = 0; i < g->tensors.count; ++i) {
        put_tensor(b, AT(&g->tensors, mb_tensor_spec, i), tensors + 4 * i);
    }
    const size_t ops = put_holes(b, t.field[3].hole, g->ops.count);
    for (size_t i = 0; i < g->ops.count; ++i) {
        put_op(b, AT(&g->ops, op_row, i), ops + 4 * i);
    }
}

static void put_code(mb *b, const op_code *code, size_t hole)
{
    table t = {0};
    set_unless(&t, 0, 1, code->code < 127 ? code->code : 127, 0);
    set_child(&t, 1, code->custom_name != NULL);
    set_unless(&t, 2, 4, (uint32_t)code->version, 1);
    set_unless(&t, 3, 4, code->code, 0);
    put_table(b, &t, hole);
    put_text(b, &t, 1, code->custom_name);
}

static void put_buffer(mb *b, const buffer *from, size_t hole)
{
    const bool apart = from->outside || from->offset != 0 || from->size != 0;
    table t = {0};
    set_child(&t, 0, from->data != NULL && !apart);
    if (apart) {
        set(&t, 1, 8, from->outside ? 0 : from->offset);
        set(&t, 2, 8, from->outside ? from->bytes : from->size);
    }
    put_table(b, &t, hole);
    if (from->outside) {
        *ADD(&b->outsides, outside) =
            (outside){t.field[1].hole, from->data, from->bytes};
    } else if (from->data != NULL) {
        put_bytes(b, t.field[0].hole, from->data, from->bytes, 16);
    }
}

static void put_named(mb *b, const mb_named *from, size_t count, size_t hole)
{
    const size_t first = put_holes(b, hole, count);
    for (size_t i = 0; i < count; ++i) {
        table t = {0};
        set_child(&t, 0, from[i].name != NULL);
        set(&t, 1, 4, (uint32_t)from[i].tensor);
        put_table(b, &t, first + 4 * i);
        put_text(b, &t, 0, from[i].name);
    }
}

static void put_signature(mb *b, const signature *s, size_t hole)
{
    table t = {0};
    set_child(&t, 0, true);
    set_child(&t, 1, true);
    set_child(&t, 2, s->name != NULL);
    set_unless(&t, 4, 4, s->subgraph, 0);
    put_table(b, &t, hole);
    put_named(b, s->inputs, s->input_count, t.field[0].hole);
    put_named(b, s->outputs, s->output_count, t.field[1].hole);
    put_text(b, &t, 2, s->name);
}

static void put_metadata(mb *b, const metadata *m, size_t hole)
{
    table t = {0};
    set_child(&t, 0, m->name != NULL);
    set(&t, 1, 4, m->buffer);
    put_table(b, &t, hole);
    put_text(b, &t, 0, m->name);
}

#define PUT_ALL(b, from, type, put_one, hole)                                  \
    do {                                                                       \
        const size_t first_ = put_holes((b), (hole), (from)->count);           \
        for (size_t i_ = 0; i_ < (from)->count; ++i_) {                        \
            put_one((b), AT((from), type, i_), first_ + 4 * i_);               \
        }                                                                      \
    } while (0)

berth_bytes mb_finish(mb *b)
{
    if (b->file != NULL) {
        misuse("mb_finish() twice");
    }
    put_int(b, 0, 4);
    put(b, "TFL3", 4);

    table t = {0};
    set(&t, 0, 4, 3);
    set_child(&t, 1, true);
    set_child(&t, 2, true);
    set_child(&t, 3, b->description != NULL);
    set_child(&t, 4, true);
    set_child(&t, 6, b->metadata.count != 0);
    set_child(&t, 7, b->signatures.count != 0);
    put_table(b, &t, 0);
    store(b, 0, t.field[0].hole - 4,
          4); /* the first field follows the soffset */

    PUT_ALL(b, &b->codes, op_code, put_code, t.field[1].hole);
    PUT_ALL(b, &b->subgraphs, subgraph, put_subgraph, t.field[2].hole);
    put_text(b, &t, 3, b->description);
    if (b->metadata.count != 0) {
        PUT_ALL(b, &b->metadata, metadata, put_metadata, t.field[6].hole);
    }
    if (b->signatures.count != 0) {
        PUT_ALL(b, &b->signatures, signature, put_signature, t.field[7].hole);
    }
    PUT_ALL(b, &b->buffers, buffer, put_buffer, t.field[4].hole);
    for (size_t i = 0; i < b->outsides.count; ++i) {
        const outside *o = AT(&b->outsides, outside, i);
        align(b, 16, 0);
        store(b, o->hole, b->size, 8);
        put(b, o->data, o->bytes);
    }
    align(b, 4, 0);

    b->file = must(aligned_alloc(16, (b->size + 15) / 16 * 16));
    memcpy(b->file, b->out, b->size);
    return (berth_bytes){b->file, b->size};
}

/* The parts of a model, from what was collected to tables and vectors. */
#include "model_builder_int.h"

#include <string.h>

static void put_list(mb *b, size_t hole, mb_ints ints, size_t bytes)
{
    fw_put_ints(&b->w, hole, ints.at, ints.count, bytes);
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
    fw_table t = {0};
    for (size_t i = 0; i < options.count; ++i) {
        const mb_option *o = &options.at[i];
        if (FIELDS[o->field].table != FIELDS[options.at[0].field].table) {
            fw_misuse("options of two tables for one operator");
        }
        const int kind = FIELDS[o->field].kind;
        fw_set(&t, FIELDS[o->field].slot, KINDS[kind].field,
               kind == KIND_F32 ? float_bits(o->real) : (uint64_t)o->value);
    }
    fw_put_table(&b->w, &t, hole);
    for (size_t i = 0; i < options.count; ++i) {
        const mb_option *o = &options.at[i];
        const size_t at = t.field[FIELDS[o->field].slot].hole;
        const int kind = FIELDS[o->field].kind;
        if (kind == KIND_STRING) {
            fw_put_string(&b->w, at, o->text, o->text_bytes);
        } else if (kind == KIND_U8_VEC && o->text != NULL) {
            fw_put_bytes(&b->w, at, o->text, o->text_bytes, 4);
        } else if (KINDS[kind].item != 0) {
            put_list(b, at, o->ints, KINDS[kind].item);
        }
    }
}

/* --- operators, tensors and the rest -------------------------------------- */

static void put_op(mb *b, const mb_op_row *op, size_t hole)
{
    const mb_op_spec *s = &op->spec;
    uint8_t tag[3] = {0, s->options_type, s->options2_type};
    if (s->options.count != 0) {
        const uint8_t of = FIELDS[s->options.at[0].field].table;
        tag[TABLES[of].which] = TABLES[of].tag;
    }
    fw_table t = {0};
    fw_set(&t, 0, 4, op->code_index);
    fw_set_child(&t, 1, true);
    fw_set_child(&t, 2, true);
    fw_set_unless(&t, 3, 1, tag[1], 0);
    fw_set_child(&t, 4, tag[1] != 0);
    const bool custom = s->custom_options != NULL;
    fw_set_child(&t, 5, custom && !s->custom_options_outside);
    fw_set_child(&t, 8, s->intermediates.count != 0);
    if (custom && s->custom_options_outside) {
        fw_set(&t, 9, 8, 0);
        fw_set(&t, 10, 8, s->custom_options_bytes);
    }
    fw_set_unless(&t, 11, 1, tag[2], 0);
    fw_set_child(&t, 12, tag[2] != 0);
    fw_put_table(&b->w, &t, hole);

    put_list(b, t.field[1].hole, s->inputs, 4);
    put_list(b, t.field[2].hole, s->outputs, 4);
    if (tag[1] != 0) {
        put_options(b, t.field[4].hole, s->options);
    }
    if (tag[2] != 0) {
        put_options(b, t.field[12].hole, s->options);
    }
    if (custom && s->custom_options_outside) {
        *MB_ADD(&b->outsides, mb_outside_row) = (mb_outside_row){
            t.field[9].hole, s->custom_options, s->custom_options_bytes};
    } else if (custom) {
        fw_put_bytes(&b->w, t.field[5].hole, s->custom_options,
                     s->custom_options_bytes, 4);
    }
    if (s->intermediates.count != 0) {
        put_list(b, t.field[8].hole, s->intermediates, 4);
    }
}

static void put_details(mb *b, const mb_quantization *q, size_t hole)
{
    const mb_ints axes = MB_INTS(0);
    fw_table t = {0};
    if (q->details == 1) {
        fw_set_child(&t, 0, true);
    } else {
        fw_set_unless(&t, 0, 4, (uint32_t)q->block_scales, 0);
        fw_set_unless(&t, 1, 4, (uint32_t)q->block_zero_points, 0);
        fw_set_unless(&t, 2, 4, (uint32_t)q->block_size, 0);
        fw_set_child(&t, 3, q->details == 3);
    }
    fw_put_table(&b->w, &t, hole);
    if (q->details == 1) {
        fw_put_bytes(&b->w, t.field[0].hole, "custom", 6, 4);
    } else if (q->details == 3) {
        put_list(b, t.field[3].hole, axes, 4);
    }
}

static void put_quantization(mb *b, const mb_quantization *q, size_t hole)
{
    fw_table t = {0};
    fw_set_child(&t, 0, q->min_count != 0);
    fw_set_child(&t, 1, q->max_count != 0);
    fw_set_child(&t, 2, q->scale_count != 0);
    fw_set_child(&t, 3, q->zero_point_count != 0);
    fw_set_unless(&t, 4, 1, q->details, 0);
    fw_set_child(&t, 5, q->details != 0);
    fw_set_unless(&t, 6, 4, (uint32_t)q->axis, 0);
    fw_put_table(&b->w, &t, hole);

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
        (void)fw_put_holes(&b->w, t.field[k].hole, 0);
        fw_store(&b->w, b->w.size - 4, floats[k].count, 4);
        for (size_t i = 0; i < floats[k].count; ++i) {
            fw_put_int(&b->w, float_bits((double)floats[k].at[i]), 4);
        }
    }
    if (q->zero_point_count != 0) {
        fw_align(&b->w, 8, 4);
        fw_fill(&b->w, t.field[3].hole);
        fw_put_int(&b->w, q->zero_point_count, 4);
        for (size_t i = 0; i < q->zero_point_count; ++i) {
            fw_put_int(&b->w, (uint64_t)q->zero_points[i], 8);
        }
    }
    if (q->details != 0) {
        put_details(b, q, t.field[5].hole);
    }
}

/* Two dimensions: a dense one, and one of CSR form with 8 and 16-bit lists. */
static void put_sparsity(mb *b, size_t hole)
{
    fw_table t = {0};
    fw_set_child(&t, 0, true);
    fw_set_child(&t, 1, true);
    fw_set_child(&t, 2, true);
    fw_put_table(&b->w, &t, hole);
    put_list(b, t.field[0].hole, MB_INTS(0, 1), 4);
    put_list(b, t.field[1].hole, MB_INTS(1), 4);
    const size_t dims = fw_put_holes(&b->w, t.field[2].hole, 2);

    fw_table dense = {0};
    fw_set(&dense, 1, 4, 2);
    fw_put_table(&b->w, &dense, dims);

    fw_table csr = {0};
    fw_set(&csr, 0, 1, 1);
    fw_set(&csr, 2, 1, 3);
    fw_set_child(&csr, 3, true);
    fw_set(&csr, 4, 1, 2);
    fw_set_child(&csr, 5, true);
    fw_put_table(&b->w, &csr, dims + 4);
    for (size_t slot = 3, item = 1; slot <= 5; slot += 2, ++item) {
        fw_table list_of = {0};
        fw_set_child(&list_of, 0, true);
        fw_put_table(&b->w, &list_of, csr.field[slot].hole);
        put_list(b, list_of.field[0].hole, MB_INTS(0, 1, 2), item);
    }
}

static void put_variant(mb *b, const mb_tensor_spec *s, size_t hole)
{
    const size_t first = fw_put_holes(&b->w, hole, 1);
    fw_table t = {0};
    fw_set_child(&t, 0, true);
    fw_set(&t, 1, 1, BERTH_FLOAT32);
    fw_set(&t, 2, 1, 1);
    fw_put_table(&b->w, &t, first);
    put_list(b, t.field[0].hole, s->shape, 4);
}

static void put_tensor(mb *b, const mb_tensor_spec *s, size_t hole)
{
    fw_table t = {0};
    fw_set_child(&t, 0, !s->no_rank);
    fw_set_unless(&t, 1, 1, (uint64_t)s->type, 0);
    fw_set_unless(&t, 2, 4, s->buffer, 0);
    fw_set_child(&t, 3, s->name != NULL);
    fw_set_child(&t, 4, s->quantization != NULL);
    fw_set_unless(&t, 5, 1, s->is_variable, 0);
    fw_set_child(&t, 6, s->is_sparse);
    fw_set_child(&t, 7, s->signature.count != 0);
    fw_set_unless(&t, 8, 1, !s->no_rank, 0);
    fw_set_child(&t, 9, s->is_variant);
    fw_put_table(&b->w, &t, hole);

    fw_put_text(&b->w, &t, 3, s->name);
    if (!s->no_rank) {
        put_list(b, t.field[0].hole, s->shape, 4);
    }
    if (s->signature.count != 0) {
        put_list(b, t.field[7].hole, s->signature, 4);
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

static void put_subgraph(mb *b, const mb_subgraph_row *g, size_t hole)
{
    fw_table t = {0};
    for (size_t slot = 0; slot < 4; ++slot) {
        fw_set_child(&t, slot, true);
    }
    fw_set_child(&t, 4, g->name != NULL);
    fw_put_table(&b->w, &t, hole);
    fw_put_text(&b->w, &t, 4, g->name);
    put_list(b, t.field[1].hole, g->inputs, 4);
    put_list(b, t.field[2].hole, g->outputs, 4);
    const size_t tensors =
        fw_put_holes(&b->w, t.field[0].hole, g->tensors.count);
    for (size_t i = 0; i < g->tensors.count; ++i) {
        put_tensor(b, MB_AT(&g->tensors, mb_tensor_spec, i), tensors + 4 * i);
    }
    const size_t ops = fw_put_holes(&b->w, t.field[3].hole, g->ops.count);
    for (size_t i = 0; i < g->ops.count; ++i) {
        put_op(b, MB_AT(&g->ops, mb_op_row, i), ops + 4 * i);
    }
}

static void put_code(mb *b, const mb_code_row *code, size_t hole)
{
    fw_table t = {0};
    fw_set_unless(&t, 0, 1, code->code < 127 ? code->code : 127, 0);
    fw_set_child(&t, 1, code->custom_name != NULL);
    fw_set_unless(&t, 2, 4, (uint32_t)code->version, 1);
    fw_set_unless(&t, 3, 4, code->code, 0);
    fw_put_table(&b->w, &t, hole);
    fw_put_text(&b->w, &t, 1, code->custom_name);
}

static void put_buffer(mb *b, const mb_buffer_row *from, size_t hole)
{
    const bool apart = from->outside || from->offset != 0 || from->size != 0;
    fw_table t = {0};
    fw_set_child(&t, 0, from->data != NULL && !apart);
    if (apart) {
        fw_set(&t, 1, 8, from->outside ? 0 : from->offset);
        fw_set(&t, 2, 8, from->outside ? from->bytes : from->size);
    }
    fw_put_table(&b->w, &t, hole);
    if (from->outside) {
        *MB_ADD(&b->outsides, mb_outside_row) =
            (mb_outside_row){t.field[1].hole, from->data, from->bytes};
    } else if (from->data != NULL) {
        fw_put_bytes(&b->w, t.field[0].hole, from->data, from->bytes, 16);
    }
}

static void put_named(mb *b, const mb_named *from, size_t count, size_t hole)
{
    const size_t first = fw_put_holes(&b->w, hole, count);
    for (size_t i = 0; i < count; ++i) {
        fw_table t = {0};
        fw_set_child(&t, 0, from[i].name != NULL);
        fw_set(&t, 1, 4, (uint32_t)from[i].tensor);
        fw_put_table(&b->w, &t, first + 4 * i);
        fw_put_text(&b->w, &t, 0, from[i].name);
    }
}

static void put_signature(mb *b, const mb_signature_row *s, size_t hole)
{
    fw_table t = {0};
    fw_set_child(&t, 0, true);
    fw_set_child(&t, 1, true);
    fw_set_child(&t, 2, s->name != NULL);
    fw_set_unless(&t, 4, 4, s->subgraph, 0);
    fw_put_table(&b->w, &t, hole);
    put_named(b, s->inputs, s->input_count, t.field[0].hole);
    put_named(b, s->outputs, s->output_count, t.field[1].hole);
    fw_put_text(&b->w, &t, 2, s->name);
}

static void put_metadata(mb *b, const mb_metadata_row *m, size_t hole)
{
    fw_table t = {0};
    fw_set_child(&t, 0, m->name != NULL);
    fw_set(&t, 1, 4, m->buffer);
    fw_put_table(&b->w, &t, hole);
    fw_put_text(&b->w, &t, 0, m->name);
}

#define PUT_ALL(b, from, type, put_one, hole)                                  \
    do {                                                                       \
        const size_t first_ = fw_put_holes(&(b)->w, (hole), (from)->count);    \
        for (size_t i_ = 0; i_ < (from)->count; ++i_) {                        \
            put_one((b), MB_AT((from), type, i_), first_ + 4 * i_);            \
        }                                                                      \
    } while (0)

void mb_put_model(mb *b)
{
    fw_put_int(&b->w, 0, 4);
    fw_put(&b->w, "TFL3", 4);

    fw_table t = {0};
    fw_set(&t, 0, 4, 3);
    fw_set_child(&t, 1, true);
    fw_set_child(&t, 2, true);
    fw_set_child(&t, 3, b->description != NULL);
    fw_set_child(&t, 4, true);
    fw_set_child(&t, 6, b->metadata.count != 0);
    fw_set_child(&t, 7, b->signatures.count != 0);
    fw_put_table(&b->w, &t, 0);
    fw_store(&b->w, 0, t.field[0].hole - 4,
             4); /* the first field follows the soffset */

    PUT_ALL(b, &b->codes, mb_code_row, put_code, t.field[1].hole);
    PUT_ALL(b, &b->subgraphs, mb_subgraph_row, put_subgraph, t.field[2].hole);
    fw_put_text(&b->w, &t, 3, b->description);
    if (b->metadata.count != 0) {
        PUT_ALL(b, &b->metadata, mb_metadata_row, put_metadata,
                t.field[6].hole);
    }
    if (b->signatures.count != 0) {
        PUT_ALL(b, &b->signatures, mb_signature_row, put_signature,
                t.field[7].hole);
    }
    PUT_ALL(b, &b->buffers, mb_buffer_row, put_buffer, t.field[4].hole);
}

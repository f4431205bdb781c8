#include "strange_model.h"

#include <stdio.h>
#include <string.h>

enum {
    GRAPHS_MAX = 4,
    OPS_MAX = 12,
    OPERANDS_MAX = 8,
    RANK_TRIED = 9, /* one more than berth has functions for */
    FIELDS_MAX = 24,
    POOL_SIZE = 64
};

typedef struct strange_maker {
    mb *builder;
    const uint8_t *next;
    const uint8_t *end;
    uint32_t graph_count;
    bool alike; /* most tensors have one type and shape, so that calls fit */
    uint32_t in_count[GRAPHS_MAX];
    uint32_t out_count[GRAPHS_MAX];
    int32_t pool[GRAPHS_MAX][POOL_SIZE]; /* tensors that may be read */
    uint32_t pool_count[GRAPHS_MAX];
} strange_maker;

/* --- what may be asked of an option ----------------------------------------
 */

enum strange_kind {
    STRANGE_BOOL,
    STRANGE_I8,
    STRANGE_I32,
    STRANGE_U32,
    STRANGE_I64,
    STRANGE_F32,
    STRANGE_STRING,
    STRANGE_U8_VEC,
    STRANGE_BOOL_VEC,
    STRANGE_I32_VEC,
    STRANGE_U32_VEC,
    STRANGE_F32_VEC,
    STRANGE_I64_VEC
};

/* Which table of the file a field is in: as many before it as there are. */
enum strange_table {
#define BERTH_OPTION_TABLE(table, tag, which) STRANGE_##table,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
    STRANGE_TABLES
};

static const char *const TABLE_NAMES[] = {
#define BERTH_OPTION_TABLE(table, tag, which) #table,
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

static const struct {
    uint8_t table;
    uint8_t kind;
    const char *name;
} OPTIONS[] = {
#define BERTH_OPTION_TABLE(table, tag, which)
#define BERTH_OPTION_FIELD(table, field, slot, kind, init)                     \
    {STRANGE_##table, STRANGE_##kind, #field},
#include "berth/options.def"
#undef BERTH_OPTION_TABLE
#undef BERTH_OPTION_FIELD
};

/* Operators whose table bears another name. */
static const struct {
    uint8_t code;
    uint8_t table;
} TABLE_OF[] = {
    {BERTH_OP_AVERAGE_POOL_2D, STRANGE_Pool2DOptions},
    {BERTH_OP_MAX_POOL_2D, STRANGE_Pool2DOptions},
    {BERTH_OP_L2_POOL_2D, STRANGE_Pool2DOptions},
    {BERTH_OP_MEAN, STRANGE_ReducerOptions},
    {BERTH_OP_SUM, STRANGE_ReducerOptions},
    {BERTH_OP_REDUCE_MAX, STRANGE_ReducerOptions},
    {BERTH_OP_REDUCE_PROD, STRANGE_ReducerOptions},
    {BERTH_OP_REDUCE_ANY, STRANGE_ReducerOptions},
    {BERTH_OP_CONV_3D_TRANSPOSE, STRANGE_Conv3DOptions},
    {BERTH_OP_STABLEHLO_COMPOSITE, STRANGE_StableHLOCompositeOptions},
    {BERTH_OP_UNIDIRECTIONAL_SEQUENCE_RNN, STRANGE_SequenceRNNOptions},
};

/* Whether CONV_2D is what Conv2DOptions is for. */
static bool is_named_after(const char *op, const char *table)
{
    for (; *op != '\0'; ++op) {
        const char letter = *table >= 'a' && *table <= 'z'
                                ? (char)(*table - 'a' + 'A')
                                : *table;
        if (*op != '_') {
            if (*op != letter) {
                return false;
            }
            ++table;
        }
    }
    return strcmp(table, "Options") == 0;
}

static uint32_t table_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof(TABLE_OF) / sizeof(TABLE_OF[0]); ++i) {
        if (TABLE_OF[i].code == code) {
            return TABLE_OF[i].table;
        }
    }
    for (uint32_t i = 0; i < STRANGE_TABLES; ++i) {
        if (is_named_after(berth_op_name(code), TABLE_NAMES[i])) {
            return i;
        }
    }
    return STRANGE_TABLES;
}

/* --- numbers -----------------------------------------------------------------
 */

static uint32_t draw(strange_maker *m, uint32_t below)
{
    const uint32_t byte = m->next < m->end ? *m->next++ : 0;
    return byte % below;
}

static int32_t draw_length(strange_maker *m)
{
    static const int32_t lengths[] = {1,     2,     3,  4,       5,        8,
                                      16,    0,     7,  64,      255,      4096,
                                      65535, 65536, 17, 1 << 24, INT32_MAX};
    const uint32_t most = sizeof(lengths) / sizeof(lengths[0]);
    return lengths[draw(m, 16) < 14 ? draw(m, 7) : draw(m, most)];
}

static int64_t draw_number(strange_maker *m)
{
    static const int64_t numbers[] = {0,         1,  2,  -1,        3, 4, -2,
                                      INT32_MAX, -3, 64, INT32_MIN, 8, 16};
    return numbers[draw(m, sizeof(numbers) / sizeof(numbers[0]))];
}

/* --- tensors -----------------------------------------------------------------
 */

static berth_type draw_type(strange_maker *m)
{
    static const berth_type often[] = {BERTH_INT8, BERTH_FLOAT32, BERTH_INT32,
                                       BERTH_BOOL};
    const uint32_t pick = draw(m, 32);
    return pick < 28 ? often[pick % 4] : (berth_type)draw(m, BERTH_TYPE_COUNT);
}

static const char *draw_name(strange_maker *m)
{
    static const char *const names[] = {
        "t",
        "a",
        "\x1b[31mred",
        "two\nlines",
        "\xff\xfe",
        "",
        "\"\\",
        "#0",
        "a/rather/long/name/with/slashes/as/converters/make/them/and/on/and"};
    return names[draw(m, 16) < 13 ? 0 : draw(m, 9)];
}

static uint64_t elements_of(const int32_t *dims, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; ++i) {
        if (dims[i] != 0 && count > UINT32_MAX / (uint32_t)dims[i]) {
            return UINT32_MAX;
        }
        count *= (uint32_t)dims[i];
    }
    return count;
}

static int32_t add_tensor_any(strange_maker *m, uint32_t g, bool written)
{
    static uint8_t data[4096];
    int32_t dims[RANK_TRIED];
    int32_t open[RANK_TRIED];
    const bool alike = m->alike && draw(m, 16) < 15;
    const uint32_t ranks = alike ? 2 : draw(m, 16);
    const uint32_t rank = ranks < 14 ? ranks % 5 : ranks - 6;
    for (uint32_t i = 0; i < rank; ++i) {
        dims[i] = alike ? 4 : draw_length(m);
        open[i] = dims[i];
    }
    mb_tensor_spec spec = {.name = draw_name(m),
                           .type = alike ? BERTH_FLOAT32 : draw_type(m),
                           .shape = {dims, rank}};
    const uint32_t sort = draw(m, 16);
    const uint64_t bytes =
        (elements_of(dims, rank) * berth_type_bits(spec.type) + 7) / 8;
    if (sort < 5 && !written && bytes > 0 && bytes <= sizeof(data)) {
        for (size_t i = 0; i < bytes; i += 4) { /* small numbers, as indexes */
            const int32_t value = (int32_t)draw_number(m);
            memcpy(data + i, &value, bytes - i < 4 ? bytes - i : 4);
        }
        spec.data = data;
        spec.data_bytes = bytes;
    } else if (sort == 6 && !written) {
        spec.is_variable = true;
    } else if (sort == 7 && rank > 0) {
        open[draw(m, rank)] = -1;
        spec.signature = (mb_ints){open, rank};
    } else if (sort == 8 && written) {
        spec.no_rank = true;
        spec.shape = MB_NO_INTS;
    }
    const int32_t t = mb_tensor(m->builder, g, spec);
    if (m->pool_count[g] < POOL_SIZE) {
        m->pool[g][m->pool_count[g]++] = t;
    }
    return t;
}

static int32_t draw_operand(strange_maker *m, uint32_t g, bool may_lack)
{
    const uint32_t sort = draw(m, 16);
    if (sort == 0 && may_lack) {
        return -1;
    }
    if (sort < 4 || m->pool_count[g] == 0) {
        return add_tensor_any(m, g, false);
    }
    const uint32_t back = draw(m, sort < 12 ? 4 : POOL_SIZE);
    const uint32_t count = m->pool_count[g];
    return m->pool[g][count - 1 - back % count];
}

/* --- operators ---------------------------------------------------------------
 */

/* Callees come behind their caller: no circles. */
static int64_t draw_callee(strange_maker *m, uint32_t g)
{
    const uint32_t left = m->graph_count - g - 1;
    return left == 0 ? 0 : (int64_t)(g + 1 + draw(m, left));
}

static size_t draw_options(strange_maker *m, uint32_t g, uint32_t table,
                           mb_option *options, int32_t numbers[][4])
{
    size_t count = 0;
    for (uint32_t f = 0; f < BERTH_OPTION_COUNT && count < FIELDS_MAX; ++f) {
        if (OPTIONS[f].table != table) {
            continue;
        }
        mb_option *o = &options[count];
        *o = (mb_option){.field = (berth_option)f};
        if (strstr(OPTIONS[f].name, "subgraph") != NULL) {
            o->value = draw_callee(m, g);
            numbers[count][0] = (int32_t)o->value;
            numbers[count][1] = (int32_t)draw_callee(m, g);
            o->ints = (mb_ints){numbers[count], draw(m, 3)};
        } else if (OPTIONS[f].kind == STRANGE_STRING) {
            o->text = draw_name(m);
        } else if (OPTIONS[f].kind >= STRANGE_U8_VEC) {
            for (uint32_t i = 0; i < 4; ++i) {
                numbers[count][i] = (int32_t)draw_number(m);
            }
            o->ints = (mb_ints){numbers[count], draw(m, 5)};
        } else {
            o->value = draw_number(m);
            o->real = (double)o->value;
        }
        ++count;
    }
    return count;
}

static uint32_t draw_code(strange_maker *m, bool may_call)
{
    static const uint8_t calls[] = {BERTH_OP_IF,
                                    BERTH_OP_WHILE,
                                    BERTH_OP_CALL_ONCE,
                                    BERTH_OP_CALL,
                                    BERTH_OP_STABLEHLO_WHILE,
                                    BERTH_OP_STABLEHLO_COMPOSITE,
                                    BERTH_OP_STABLEHLO_CASE};
    static const uint8_t often[] = {
        BERTH_OP_ADD,           BERTH_OP_RESHAPE,
        BERTH_OP_RELU,          BERTH_OP_CONV_2D,
        BERTH_OP_CONCATENATION, BERTH_OP_SPLIT,
        BERTH_OP_SHAPE,         BERTH_OP_PACK,
        BERTH_OP_STRIDED_SLICE, BERTH_OP_SOFTMAX,
        BERTH_OP_VAR_HANDLE,    BERTH_OP_ASSIGN_VARIABLE,
        BERTH_OP_SQUEEZE,       BERTH_OP_EXPAND_DIMS,
        BERTH_OP_READ_VARIABLE, BERTH_OP_DYNAMIC_UPDATE_SLICE};
    const uint32_t sort = draw(m, 16);
    if (sort < 3 && may_call) {
        return calls[draw(m, sizeof(calls))];
    }
    return sort < 9 ? often[draw(m, sizeof(often))] : draw(m, 212);
}

typedef struct strange_counts {
    uint32_t in;
    uint32_t out;
} strange_counts;

/* A call gets the operands that its callee has, and what a callee has is still
 * open, for callees come later. */
static strange_counts fit_call(strange_maker *m, uint32_t g,
                               const mb_op_spec *spec, strange_counts drawn)
{
    uint32_t *in = m->in_count;
    uint32_t *out = m->out_count;
    int64_t callee[2] = {0, 0};
    size_t count = 0;
    for (size_t i = 0; i < spec->options.count && count < 2; ++i) {
        const mb_option *o = &spec->options.at[i];
        if (strstr(OPTIONS[o->field].name, "subgraph") != NULL) {
            callee[count++] = o->value;
        }
    }
    const int64_t first = callee[0];
    const int64_t last = count > 1 ? callee[1] : first;
    if (first <= g || last <= g) {
        return drawn; /* no callee, or one that is made already */
    }
    switch (spec->code) {
    case BERTH_OP_CALL_ONCE:
        return (strange_counts){0, 0};
    case BERTH_OP_WHILE:
    case BERTH_OP_STABLEHLO_WHILE:
        in[first] = in[last];
        out[first] = 1;
        out[last] = in[last];
        return (strange_counts){in[last], out[last]};
    case BERTH_OP_IF:
        in[first] = in[last];
        out[first] = out[last];
        return (strange_counts){1 + in[last], out[last]};
    case BERTH_OP_CALL:
    case BERTH_OP_STABLEHLO_COMPOSITE:
        return (strange_counts){in[first], out[first]};
    default:
        return drawn;
    }
}

static void add_op_any(strange_maker *m, uint32_t g)
{
    static const char *const customs[] = {"", "TFLite_Detection_PostProcess",
                                          "FlexSize", "\x1b]0;x\a"};
    int32_t in[OPERANDS_MAX];
    int32_t out[OPERANDS_MAX];
    int32_t numbers[FIELDS_MAX][4];
    mb_option options[FIELDS_MAX];
    mb_op_spec spec = {.code = draw_code(m, g + 1 < m->graph_count)};
    const uint32_t table =
        draw(m, 32) == 31 ? draw(m, STRANGE_TABLES) : table_of(spec.code);
    if (spec.code == BERTH_OP_CUSTOM) {
        spec.custom_name = customs[draw(m, 4)];
    } else if (table < STRANGE_TABLES) {
        spec.options =
            (mb_options){options, draw_options(m, g, table, options, numbers)};
    }
    strange_counts counts = {draw(m, OPERANDS_MAX - 1),
                             draw(m, 8) < 6 ? 1 : draw(m, OPERANDS_MAX - 1)};
    if (draw(m, 16) < 15) {
        counts = fit_call(m, g, &spec, counts);
    }
    for (uint32_t i = 0; i < counts.in; ++i) {
        in[i] = draw_operand(m, g, true);
    }
    for (uint32_t i = 0; i < counts.out; ++i) {
        out[i] = add_tensor_any(m, g, true);
    }
    spec.inputs = (mb_ints){in, counts.in};
    spec.outputs = (mb_ints){out, counts.out};
    spec.version = (int32_t)draw(m, 8);
    mb_op(m->builder, g, spec);
}

static void add_graph_any(strange_maker *m, uint32_t g)
{
    int32_t in[OPERANDS_MAX];
    int32_t out[OPERANDS_MAX];
    for (uint32_t i = 0; i < m->in_count[g]; ++i) {
        in[i] = add_tensor_any(m, g, true);
    }
    const uint32_t op_count = draw(m, OPS_MAX + 1);
    for (uint32_t i = 0; i < op_count; ++i) {
        add_op_any(m, g);
    }
    if (m->in_count[g] > 0 && draw(m, 32) == 31) {
        in[0] = draw_operand(m, g, false);
    }
    for (uint32_t i = 0; i < m->out_count[g]; ++i) {
        out[i] = draw_operand(m, g, false);
    }
    mb_io(m->builder, g, (mb_ints){in, m->in_count[g]},
          (mb_ints){out, m->out_count[g]});
}

static void add_signatures(strange_maker *m)
{
    const uint32_t count = draw(m, 8);
    for (uint32_t i = 0; i < count && i < 3; ++i) {
        const uint32_t g = draw(m, m->graph_count);
        const mb_named named = {draw_name(m), 0};
        const size_t some = m->pool_count[g] > 0 ? 1 : 0;
        mb_signature(m->builder, draw_name(m), g, &named, some, &named, some);
    }
}

berth_bytes strange_model(mb *builder, const uint8_t *data, size_t size)
{
    strange_maker m = {.builder = builder, .next = data, .end = data + size};
    m.graph_count = 1 + draw(&m, GRAPHS_MAX);
    m.alike = draw(&m, 2) == 1;
    for (uint32_t g = 0; g < m.graph_count; ++g) {
        (void)mb_subgraph(builder, draw_name(&m));
        m.in_count[g] = draw(&m, 4);
        m.out_count[g] = draw(&m, 4);
    }
    for (uint32_t g = 0; g < m.graph_count; ++g) {
        add_graph_any(&m, g);
    }
    add_signatures(&m);
    return mb_finish(builder);
}

#include "shape_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 64 };

shape_rig *shape_rig_new(void)
{
    shape_rig *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    r->builder = mb_new();
    r->subgraph = mb_subgraph(r->builder, "main");
    return r;
}

void shape_rig_free(shape_rig *r)
{
    for (uint32_t i = 0; i < r->memory_count; ++i) {
        free(r->memory[i]);
    }
    mb_free(r->builder);
    free(r);
}

uint32_t shape_rig_subgraph(shape_rig *r)
{
    r->subgraph = mb_subgraph(r->builder, "more");
    return r->subgraph;
}

static const struct {
    const char *word;
    berth_type type;
    size_t bytes;
} types[] = {
    {"f32", BERTH_FLOAT32, 4},   {"i32", BERTH_INT32, 4},
    {"i64", BERTH_INT64, 8},     {"i16", BERTH_INT16, 2},
    {"i8", BERTH_INT8, 1},       {"u8", BERTH_UINT8, 1},
    {"bool", BERTH_BOOL, 1},     {"i4", BERTH_INT4, 1},
    {"i2", BERTH_INT2, 1},       {"f16", BERTH_FLOAT16, 2},
    {"c64", BERTH_COMPLEX64, 8}, {"str", BERTH_STRING, 0},
    {"res", BERTH_RESOURCE, 0},
};

static size_t parse_dims(const char *word, int32_t *dims)
{
    size_t rank = 0;
    char *next = NULL;
    if (strcmp(word, "scalar") == 0 || strcmp(word, "unknown") == 0) {
        return 0;
    }
    do {
        dims[rank++] = (int32_t)strtol(word, &next, 10);
        word = next + 1;
    } while (*next == 'x');
    assert_int_equal(*next, '\0');
    return rank;
}

static void write_number(uint8_t *at, const char *word, berth_type type,
                         size_t bytes)
{
    const int64_t whole = strtoll(word, NULL, 10);
    const float real = strtof(word, NULL);
    if (type == BERTH_FLOAT32) {
        memcpy(at, &real, sizeof(real));
    } else {
        memcpy(at, &whole, bytes); /* little endian, as is the file */
    }
}

int32_t shape_rig_tensor(shape_rig *r, const char *text)
{
    char copy[512];
    int32_t dims[16];
    int32_t signature[16];
    uint8_t data[WORDS_MAX * 8];
    size_t data_bytes = 0;
    bool constant = false;
    size_t element = 4;
    mb_tensor_spec spec = {.type = BERTH_FLOAT32};
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *word = strtok(copy, " "); word != NULL;
         word = strtok(NULL, " ")) {
        bool is_type = false;
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
            if (strcmp(word, types[i].word) == 0) {
                spec.type = types[i].type;
                element = types[i].bytes;
                is_type = true;
            }
        }
        if (is_type) {
            continue;
        }
        if (strcmp(word, "=") == 0) {
            constant = true;
        } else if (strcmp(word, "var") == 0) {
            spec.is_variable = true;
        } else if (strcmp(word, "sig") == 0) {
            spec.signature.count = parse_dims(strtok(NULL, " "), signature);
            spec.signature.at = signature;
        } else if (constant) {
            write_number(data + data_bytes, word, spec.type, element);
            data_bytes += element;
        } else {
            spec.no_rank = strcmp(word, "unknown") == 0;
            spec.shape.count = parse_dims(word, dims);
            spec.shape.at = dims;
        }
    }
    if (data_bytes > 0) {
        spec.data = data;
        spec.data_bytes = data_bytes;
    }
    return mb_tensor(r->builder, r->subgraph, spec);
}

void shape_rig_op(shape_rig *r, mb_op_spec spec)
{
    mb_op(r->builder, r->subgraph, spec);
}

void shape_rig_io(shape_rig *r, mb_ints inputs, mb_ints outputs)
{
    mb_io(r->builder, r->subgraph, inputs, outputs);
}

static berth_work lend(shape_rig *r, size_t bytes)
{
    assert_true(r->memory_count < SHAPE_RIG_MEMORY_MAX);
    void *memory = malloc(bytes > 0 ? bytes : 1);
    assert_non_null(memory);
    r->memory[r->memory_count++] = memory;
    return berth_work_of(memory, bytes);
}

static void must(const shape_rig *r, berth_status status)
{
    if (status != BERTH_OK) {
        fail_msg("%s: %s", berth_status_name(status), r->diag.what);
    }
}

void shape_rig_graph(shape_rig *r)
{
    size_t need = 0;
    const berth_bytes file = mb_finish(r->builder);
    must(r, berth_model_bytes(file, &need, &r->diag));
    berth_work work = lend(r, need);
    must(r, berth_model_init(file, &work, &r->model, &r->diag));
    must(r, berth_graph_bytes(r->model, &need, &r->diag));
    work = lend(r, need);
    must(r, berth_graph_init(r->model, &work, &r->graph, &r->diag));
}

berth_status shape_rig_infer(shape_rig *r,
                             const berth_shape_override *overrides,
                             uint32_t count)
{
    const berth_shape_options options = {.overrides = overrides,
                                         .override_count = count};
    size_t need = 0;
    if (r->model == NULL) {
        shape_rig_graph(r);
    }
    const berth_status status =
        berth_shapes_bytes(&r->graph, &options, &need, &r->diag);
    if (status != BERTH_OK) {
        return status;
    }
    berth_work work = lend(r, need);
    return berth_shapes_init(&r->graph, &options, &work, &r->shapes, &r->diag);
}

const char *shape_rig_text(const shape_rig *r, uint32_t g, int32_t t)
{
    static char text[256];
    const uint32_t tensor = r->graph.tensor_base[g] + (uint32_t)t;
    const berth_shape *shape = &r->shapes.of[tensor];
    const int32_t *dims = berth_shape_dims(&r->shapes, tensor);
    size_t at = 0;
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        snprintf(text, sizeof(text), "? %s",
                 shape->culprit == BERTH_NONE
                     ? "nobody"
                     : berth_op_name(r->graph.ops[shape->culprit].code));
        return text;
    }
    at =
        (size_t)snprintf(text, sizeof(text), "%s%s",
                         (shape->flags & BERTH_SHAPE_UNCHECKED) != 0 ? "~" : "",
                         shape->rank == 0 ? "scalar" : "");
    for (uint32_t i = 0; i < shape->rank; ++i) {
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               i == 0 ? "%d" : "x%d", dims[i]);
    }
    return text;
}

void shape_rig_expect_in(const shape_rig *r, uint32_t g, int32_t t,
                         const char *text)
{
    assert_string_equal(shape_rig_text(r, g, t), text);
}

void shape_rig_expect(const shape_rig *r, int32_t t, const char *text)
{
    shape_rig_expect_in(r, 0, t, text);
}

/* Prints the shape that berth finds for every tensor, for tests that compare
 * them with other runtimes.
 *
 *   shape_tool FILE... [TENSOR=1x2x3...]
 *
 * Shapes that follow a file are those of inputs of its subgraph 0 (local
 * indexes, "scalar" for rank 0). Each file gives a line "file PATH", and either
 * "refused STAGE STATUS what" or a line for each tensor:
 *
 *   subgraph index state flags bytes dims culprit
 *
 * state: static, dynamic, unsized; flags: c constant, v variable, r resizable,
 * d differs, f folded, u unchecked; culprit: an operator's name, or "-". */
#include "berth/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERRIDES_MAX = 32 };

/* Everything that one model takes. */
struct opened {
    void *file;
    void *model_memory;
    void *graph_memory;
    void *shapes_memory;
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
};

static berth_bytes read_whole(const char *path, void **memory)
{
    FILE *in = fopen(path, "rb");
    berth_bytes bytes = {NULL, 0};
    if (in != NULL && fseek(in, 0, SEEK_END) == 0) {
        const long size = ftell(in);
        *memory = aligned_alloc(64, ((size_t)size / 64u + 1u) * 64u);
        rewind(in);
        if (*memory != NULL && size >= 0 &&
            fread(*memory, 1, (size_t)size, in) == (size_t)size) {
            bytes = (berth_bytes){*memory, (size_t)size};
        }
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    return bytes;
}

static bool failed(const char *stage, berth_status status,
                   const berth_diag *diag)
{
    if (status != BERTH_OK) {
        printf("refused %s %s %s\n", stage, berth_status_name(status),
               diag->what);
    }
    return status != BERTH_OK;
}

static bool open_graph(struct opened *o, const char *path)
{
    berth_diag diag = berth_diag_none();
    size_t need = 0;
    const berth_bytes file = read_whole(path, &o->file);
    if (failed("model", berth_model_bytes(file, &need, &diag), &diag)) {
        return false;
    }
    o->model_memory = malloc(need + 1);
    berth_work work = berth_work_of(o->model_memory, need);
    if (failed("model", berth_model_init(file, &work, &o->model, &diag),
               &diag) ||
        failed("graph", berth_graph_bytes(o->model, &need, &diag), &diag)) {
        return false;
    }
    o->graph_memory = malloc(need + 1);
    work = berth_work_of(o->graph_memory, need);
    return !failed("graph", berth_graph_init(o->model, &work, &o->graph, &diag),
                   &diag);
}

static bool open_shapes(struct opened *o, const berth_shape_options *options)
{
    berth_diag diag = berth_diag_none();
    size_t need = 0;
    if (failed("shape", berth_shapes_bytes(&o->graph, options, &need, &diag),
               &diag)) {
        return false;
    }
    o->shapes_memory = malloc(need + 1);
    berth_work work = berth_work_of(o->shapes_memory, need);
    return !failed(
        "shape",
        berth_shapes_init(&o->graph, options, &work, &o->shapes, &diag), &diag);
}

static void print_dims(const berth_shapes *shapes, uint32_t tensor)
{
    const berth_shape *shape = &shapes->of[tensor];
    const int32_t *dims = berth_shape_dims(shapes, tensor);
    if (shape->rank == 0) {
        printf("scalar");
    }
    for (uint32_t i = 0; i < shape->rank; ++i) {
        printf(i == 0 ? "%" PRId32 : "x%" PRId32, dims[i]);
    }
}

static void print_tensor(const struct opened *o, uint32_t subgraph,
                         uint32_t tensor)
{
    static const char *const states[] = {"static", "dynamic", "unsized"};
    const berth_shape *shape = &o->shapes.of[tensor];
    const uint8_t kind = o->graph.tensors[tensor].flags;
    printf("%" PRIu32 " %" PRIu32 " %s =%s%s%s%s%s%s ", subgraph,
           tensor - o->graph.tensor_base[subgraph], states[shape->state],
           (kind & BERTH_TENSOR_CONSTANT) != 0 ? "c" : "",
           (kind & BERTH_TENSOR_VARIABLE) != 0 ? "v" : "",
           (shape->flags & BERTH_SHAPE_RESIZABLE) != 0 ? "r" : "",
           (shape->flags & BERTH_SHAPE_DIFFERS) != 0 ? "d" : "",
           (shape->flags & BERTH_SHAPE_FOLDED) != 0 ? "f" : "",
           (shape->flags & BERTH_SHAPE_UNCHECKED) != 0 ? "u" : "");
    printf("%" PRIu64 " ", shape->bytes);
    print_dims(&o->shapes, tensor);
    printf(" %s\n", shape->culprit == BERTH_NONE
                        ? "-"
                        : berth_op_name(o->graph.ops[shape->culprit].code));
}

static void show(const char *path, const berth_shape_override *overrides,
                 uint32_t count)
{
    struct opened o = {0};
    const berth_shape_options options = {.overrides = overrides,
                                         .override_count = count};
    printf("file %s\n", path);
    if (open_graph(&o, path) && open_shapes(&o, &options)) {
        for (uint32_t s = 0; s < o.graph.subgraph_count; ++s) {
            for (uint32_t t = o.graph.tensor_base[s];
                 t < o.graph.tensor_base[s + 1]; ++t) {
                print_tensor(&o, s, t);
            }
        }
    }
    free(o.shapes_memory);
    free(o.graph_memory);
    free(o.model_memory);
    free(o.file);
}

/* "3=1x2x3", into dims of its own. */
static bool parse_shape(const char *text, berth_shape_override *shape,
                        int32_t *dims)
{
    char *next = NULL;
    *shape = (berth_shape_override){
        .tensor = (uint32_t)strtoul(text, &next, 10), .dims = dims};
    if (*next != '=' || strcmp(next + 1, "scalar") == 0) {
        return *next == '=';
    }
    while ((*next == '=' || *next == 'x') && shape->rank < 16) {
        dims[shape->rank++] = (int32_t)strtol(next + 1, &next, 10);
    }
    return *next == '\0';
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        berth_shape_override overrides[OVERRIDES_MAX];
        int32_t dims[OVERRIDES_MAX][16];
        uint32_t count = 0;
        const char *path = argv[i++];
        while (i < argc && count < OVERRIDES_MAX &&
               strchr("0123456789", argv[i][0]) != NULL &&
               parse_shape(argv[i], &overrides[count], dims[count])) {
            count += 1;
            i += 1;
        }
        show(path, overrides, count);
    }
    return 0;
}

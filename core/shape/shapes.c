/* core/shape/shapes.c: lent memory, the caller's shapes, and the result. */
#include "base/base_int.h"
#include "fold_int.h"
#include "shape_int.h"

/* Axes that a tensor's place in `dims` has room for. */
static uint32_t room_of(const berth_graph *graph, uint32_t tensor)
{
    const uint32_t rank = berth_graph_tensor_info(graph, tensor).shape.count;
    return rank > BERTH_RANK_MAX ? rank : BERTH_RANK_MAX;
}

static bool may_have_value(const berth_graph *graph, uint32_t tensor)
{
    const uint8_t type = graph->tensors[tensor].type;
    return type == BERTH_INT32 || type == BERTH_INT64 || type == BERTH_BOOL;
}

/* Places for folded values: outputs of operators that fold, and what calls
 * carry over from constants. */
static uint64_t value_room(const berth_graph *graph)
{
    uint64_t tensors = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const uint32_t code = graph->ops[op].code;
        const uint32_t *outputs = berth_graph_outputs(graph, op);
        const uint16_t flags = berth_op_contract_of(code)->flags;
        for (uint32_t i = 0; i < graph->ops[op].output_count; ++i) {
            if ((flags & (BERTH_OP_FOLDS | BERTH_OP_CONTROL)) != 0 &&
                outputs[i] != BERTH_NONE && may_have_value(graph, outputs[i])) {
                tensors += 1;
            }
        }
    }
    for (uint32_t s = 0; s < graph->subgraph_count; ++s) {
        tensors += graph->subgraphs[s].input_count;
    }
    return tensors * BERTH_FOLD_MAX;
}

/* What is needed, in the order in which it is taken. */
struct sizes {
    size_t dims;
    size_t values;
};

static berth_status measure_shapes(const berth_graph *graph,
                                   struct sizes *sizes, size_t *bytes,
                                   berth_diag *diag)
{
    uint64_t dims = 0;
    const uint64_t values = value_room(graph);
    size_t total = 0;
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        dims += room_of(graph, t);
    }
    if (dims > UINT32_MAX || values > UINT32_MAX || dims > SIZE_MAX ||
        values > SIZE_MAX) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "too many axes in one model");
    }
    sizes->dims = (size_t)dims;
    sizes->values = (size_t)values;
    if (!BERTH_NEED(&total, berth_shape, graph->tensor_count) ||
        !BERTH_NEED(&total, int32_t, sizes->dims) ||
        !BERTH_NEED(&total, uint32_t, graph->tensor_count) ||
        !BERTH_NEED(&total, int64_t, sizes->values) ||
        !BERTH_NEED(&total, struct shaping, 1) ||
        !BERTH_NEED(&total, struct infer, 1) ||
        !BERTH_NEED(&total, struct folding, 1) ||
        !BERTH_NEED(&total, uint32_t, graph->tensor_count) ||
        !BERTH_NEED(&total, struct frame, graph->subgraph_count) ||
        !BERTH_NEED(&total, uint8_t, graph->tensor_count) ||
        !BERTH_NEED(&total, uint8_t, graph->subgraph_count)) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "shapes do not fit this machine's memory");
    }
    *bytes = total;
    return BERTH_OK;
}

static berth_status wrong_override(const berth_graph *graph,
                                   const berth_shape_override *o,
                                   berth_status status, const char *what,
                                   berth_diag *diag)
{
    (void)berth_refuse(diag, status, what);
    if (diag != NULL && o->tensor < graph->tensor_count) {
        const uint32_t subgraph = graph->tensors[o->tensor].subgraph;
        diag->subgraph = subgraph;
        diag->tensor = o->tensor - graph->tensor_base[subgraph];
    }
    return status;
}

/* A signature with a -1 says which axes may change; one without says nothing
 * (it is the shape that the maker happened to have). */
static bool obeys_signature(const berth_shape_override *o, berth_ivec signature)
{
    bool open = false;
    bool fits = o->rank == signature.count;
    for (uint32_t i = 0; i < signature.count; ++i) {
        const int32_t dim = berth_ivec_at(signature, i);
        open = open || dim < 0;
        fits = fits && (dim < 0 || dim == o->dims[i]);
    }
    return !open || fits;
}

/* Few, and such as the input's type holds. */
static bool has_sane_values(const berth_graph *graph,
                            const berth_shape_override *o, uint64_t count)
{
    const uint8_t type = graph->tensors[o->tensor].type;
    if (!may_have_value(graph, o->tensor) || count > BERTH_FOLD_MAX) {
        return false;
    }
    for (uint64_t i = 0; i < count; ++i) {
        const int64_t value = o->values[i];
        const bool fits = type == BERTH_BOOL ? value == 0 || value == 1
                          : type == BERTH_INT32
                              ? value >= INT32_MIN && value <= INT32_MAX
                              : true;
        if (!fits) {
            return false;
        }
    }
    return true;
}

static berth_status check_override(const berth_graph *graph,
                                   const berth_shape_override *o,
                                   uint32_t subgraph, berth_diag *diag)
{
    struct dims dims = {.rank = o->rank};
    uint64_t elements = 0;
    uint64_t bits = 0;
    if (o->tensor >= graph->tensor_count ||
        graph->tensors[o->tensor].subgraph != subgraph ||
        (graph->tensors[o->tensor].flags & BERTH_TENSOR_INPUT) == 0) {
        return wrong_override(graph, o, BERTH_BAD_ARG,
                              "a shape for what is no input", diag);
    }
    if (o->rank > BERTH_RANK_MAX || (o->rank > 0 && o->dims == NULL)) {
        return wrong_override(graph, o, BERTH_BAD_ARG,
                              "a shape of too many axes", diag);
    }
    for (uint32_t i = 0; i < o->rank; ++i) {
        dims.at[i] = o->dims[i];
        if (o->dims[i] < 0) {
            return wrong_override(graph, o, BERTH_BAD_ARG,
                                  "a shape with a negative length", diag);
        }
    }
    if (!obeys_signature(o,
                         berth_graph_tensor_info(graph, o->tensor).signature)) {
        return wrong_override(
            graph, o, BERTH_BAD_ARG,
            "a shape that the file's shape signature does not allow", diag);
    }
    if (!berth_dims_elements(&dims, &elements) ||
        !berth_mul_u64(elements, 128, &bits)) {
        return wrong_override(graph, o, BERTH_TOO_LARGE,
                              "a shape of more bytes than 64 bits count", diag);
    }
    if (o->values != NULL && !has_sane_values(graph, o, elements)) {
        return wrong_override(graph, o, BERTH_BAD_ARG,
                              "a value that the input does not hold, or of too "
                              "many elements",
                              diag);
    }
    return BERTH_OK;
}

static berth_status check_options(const berth_graph *graph,
                                  const berth_shape_options *options,
                                  berth_diag *diag)
{
    if (options->subgraph >= graph->subgraph_count) {
        return berth_refuse(diag, BERTH_BAD_ARG, "no such subgraph");
    }
    for (uint32_t i = 0; i < options->override_count; ++i) {
        BERTH_TRY(check_override(graph, &options->overrides[i],
                                 options->subgraph, diag));
    }
    return BERTH_OK;
}

berth_status berth_shapes_bytes(const berth_graph *graph,
                                const berth_shape_options *options,
                                size_t *bytes, berth_diag *diag)
{
    struct sizes sizes = {0};
    BERTH_TRY(check_options(graph, options, diag));
    return measure_shapes(graph, &sizes, bytes, diag);
}

/* Takes everything; what outlives the call stands first, and of that the folded
 * values last, since not all of their places will be used. */
static struct shaping *take_all(const berth_graph *graph,
                                const berth_shape_options *options,
                                const struct sizes *sizes, berth_work *keep)
{
    berth_shape *shapes = BERTH_TAKE(keep, berth_shape, graph->tensor_count);
    int32_t *dims = BERTH_TAKE(keep, int32_t, sizes->dims);
    uint32_t *value = BERTH_TAKE(keep, uint32_t, graph->tensor_count);
    int64_t *values = BERTH_TAKE(keep, int64_t, sizes->values);
    berth_work scratch = *keep;
    struct shaping *all = BERTH_TAKE(&scratch, struct shaping, 1);
    if (all == NULL) {
        return NULL;
    }
    *all = (struct shaping){
        .graph = graph,
        .options = options,
        .shapes = shapes,
        .dims = dims,
        .current = BERTH_TAKE(&scratch, struct infer, 1),
        .folding = BERTH_TAKE(&scratch, struct folding, 1),
        .values = values,
        .value_room = (uint32_t)sizes->values,
        .value = value,
        .blame = BERTH_TAKE(&scratch, uint32_t, graph->tensor_count),
        .frames = BERTH_TAKE(&scratch, struct frame, graph->subgraph_count),
        .marks = BERTH_TAKE(&scratch, uint8_t, graph->tensor_count),
        .visits = BERTH_TAKE(&scratch, uint8_t, graph->subgraph_count),
        .refused = berth_diag_none(),
    };
    return all->visits != NULL ? all : NULL;
}

static void prepare(struct shaping *all)
{
    uint32_t next_dim = 0;
    for (uint32_t t = 0; t < all->graph->tensor_count; ++t) {
        all->shapes[t] = (berth_shape){.first_dim = next_dim};
        next_dim += room_of(all->graph, t);
        all->blame[t] = BERTH_NONE;
        all->marks[t] = 0;
    }
    for (uint32_t s = 0; s < all->graph->subgraph_count; ++s) {
        all->visits[s] = 0;
    }
}

static bool differs(const struct shaping *all, uint32_t tensor, berth_ivec file)
{
    const berth_shape *shape = &all->shapes[tensor];
    if (shape->rank != file.count) {
        return true;
    }
    for (uint32_t i = 0; i < file.count; ++i) {
        if (all->dims[shape->first_dim + i] != berth_ivec_at(file, i)) {
            return true;
        }
    }
    return false;
}

static uint8_t flags_of(const struct shaping *all, uint32_t tensor)
{
    const berth_tensor file = berth_graph_tensor_info(all->graph, tensor);
    const bool dynamic = all->shapes[tensor].state == BERTH_SHAPE_DYNAMIC;
    uint32_t flags = 0;
    for (uint32_t i = 0; i < file.signature.count; ++i) {
        flags |=
            berth_ivec_at(file.signature, i) < 0 ? BERTH_SHAPE_RESIZABLE : 0u;
    }
    flags |=
        !dynamic && differs(all, tensor, file.shape) ? BERTH_SHAPE_DIFFERS : 0u;
    flags |= all->value[tensor] != BERTH_NONE ? BERTH_SHAPE_FOLDED : 0u;
    flags |=
        (all->marks[tensor] & MARK_UNCHECKED) != 0 ? BERTH_SHAPE_UNCHECKED : 0u;
    return (uint8_t)flags;
}

berth_status berth_shapes_init(const berth_graph *graph,
                               const berth_shape_options *options,
                               berth_work *work, berth_shapes *shapes,
                               berth_diag *diag)
{
    struct sizes sizes = {0};
    size_t needed = 0;
    berth_work keep = *work;
    BERTH_TRY(check_options(graph, options, diag));
    BERTH_TRY(measure_shapes(graph, &sizes, &needed, diag));
    BERTH_TRY(berth_work_check(work, needed, diag));
    struct shaping *all = take_all(graph, options, &sizes, &keep);
    if (all == NULL) {
        return berth_refuse(diag, BERTH_INTERNAL, "measured less than taken");
    }
    prepare(all);
    berth_shape_walk(all);
    if (all->refused.what[0] != '\0') {
        if (diag != NULL) {
            *diag = all->refused;
        }
        return BERTH_UNSUPPORTED;
    }
    berth_shapes fresh = {.of = all->shapes,
                          .dims = all->dims,
                          .values = all->values,
                          .value_of = all->value};
    for (uint32_t t = 0; t < graph->tensor_count; ++t) {
        all->shapes[t].flags = flags_of(all, t);
        fresh.dynamic_count +=
            all->shapes[t].state == BERTH_SHAPE_DYNAMIC ? 1u : 0u;
        fresh.resizable_count +=
            (all->shapes[t].flags & BERTH_SHAPE_RESIZABLE) != 0 ? 1u : 0u;
        fresh.unchecked_count +=
            (all->shapes[t].flags & BERTH_SHAPE_UNCHECKED) != 0 ? 1u : 0u;
    }
    keep.next = (uint8_t *)(all->values + all->value_next);
    *work = keep;
    *shapes = fresh;
    return BERTH_OK;
}

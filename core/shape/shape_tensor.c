/* core/shape/shape_tensor.c: the shape and the value that a tensor has at the
 * moment. */
#include "shape_int.h"

/* LiteRT's count: elements of fewer than 8 bits are packed, everywhere. */
static bool bytes_of(uint64_t elements, uint32_t bits, uint64_t *bytes)
{
    uint64_t total = 0;
    if (bits % 8u == 0) {
        return berth_mul_u64(elements, bits / 8u, bytes);
    }
    if (!berth_mul_u64(elements, bits, &total)) {
        return false;
    }
    *bytes = total / 8u + (total % 8u != 0 ? 1u : 0u);
    return true;
}

bool berth_tensor_dims(const struct shaping *all, uint32_t tensor,
                       struct dims *dims)
{
    const berth_shape *shape = &all->shapes[tensor];
    dims->rank = 0;
    if (shape->state == BERTH_SHAPE_DYNAMIC || shape->rank > BERTH_RANK_MAX) {
        return false;
    }
    dims->rank = shape->rank;
    for (uint32_t i = 0; i < shape->rank; ++i) {
        dims->at[i] = all->dims[shape->first_dim + i];
    }
    return true;
}

bool berth_tensor_set_dims(struct shaping *all, uint32_t tensor,
                           const struct dims *dims)
{
    berth_shape *shape = &all->shapes[tensor];
    const uint32_t bits =
        berth_type_bits((berth_type)all->graph->tensors[tensor].type);
    uint64_t elements = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < dims->rank; ++i) {
        if (dims->at[i] < 0 || dims->at[i] > INT32_MAX) {
            return false;
        }
    }
    if (!berth_dims_elements(dims, &elements) ||
        !bytes_of(elements, bits, &bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < dims->rank; ++i) {
        all->dims[shape->first_dim + i] = (int32_t)dims->at[i];
    }
    shape->rank = dims->rank;
    shape->bytes = bytes;
    shape->culprit = BERTH_NONE;
    shape->state = bits != 0 ? BERTH_SHAPE_STATIC : BERTH_SHAPE_UNSIZED;
    return true;
}

void berth_tensor_set_dynamic(struct shaping *all, uint32_t tensor,
                              uint32_t culprit)
{
    berth_shape *shape = &all->shapes[tensor];
    shape->rank = 0;
    shape->bytes = BERTH_NOWHERE;
    shape->culprit = culprit;
    shape->state = BERTH_SHAPE_DYNAMIC;
}

/* A shape of more axes than shape functions take is the file's for good. */
static bool reset_long(struct shaping *all, uint32_t tensor, berth_ivec file)
{
    berth_shape *shape = &all->shapes[tensor];
    const uint32_t bits =
        berth_type_bits((berth_type)all->graph->tensors[tensor].type);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < file.count; ++i) {
        const int32_t dim = berth_ivec_at(file, i);
        if (dim < 0 || !berth_mul_u64(elements, (uint64_t)dim, &elements)) {
            return false;
        }
        all->dims[shape->first_dim + i] = dim;
    }
    if (!bytes_of(elements, bits, &shape->bytes)) {
        return false;
    }
    shape->rank = file.count;
    shape->culprit = BERTH_NONE;
    shape->state = bits != 0 ? BERTH_SHAPE_STATIC : BERTH_SHAPE_UNSIZED;
    return true;
}

void berth_tensor_reset(struct shaping *all, uint32_t tensor)
{
    const berth_ivec file = berth_graph_tensor_info(all->graph, tensor).shape;
    if (!reset_long(all, tensor, file)) {
        berth_tensor_set_dynamic(all, tensor,
                                 all->graph->tensors[tensor].producer);
    }
}

bool berth_tensor_same(const struct shaping *all, uint32_t a, uint32_t b)
{
    const berth_shape *x = &all->shapes[a];
    const berth_shape *y = &all->shapes[b];
    const bool x_open = x->state == BERTH_SHAPE_DYNAMIC;
    const bool y_open = y->state == BERTH_SHAPE_DYNAMIC;
    if (x_open || y_open) {
        return x_open && y_open;
    }
    if (x->rank != y->rank) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; ++i) {
        if (all->dims[x->first_dim + i] != all->dims[y->first_dim + i]) {
            return false;
        }
    }
    return true;
}

void berth_tensor_copy(struct shaping *all, uint32_t to, uint32_t from)
{
    struct dims dims;
    all->marks[to] |= all->marks[from] & MARK_TAINTED;
    if (all->shapes[from].state == BERTH_SHAPE_DYNAMIC) {
        berth_tensor_set_dynamic(all, to, all->shapes[from].culprit);
    } else if (!berth_tensor_dims(all, from, &dims) ||
               !berth_tensor_set_dims(all, to, &dims)) {
        berth_tensor_reset(all, to);
        all->marks[to] |= MARK_UNCHECKED;
    }
}

int64_t *berth_tensor_fold(struct shaping *all, uint32_t tensor, uint64_t count)
{
    if (count > BERTH_FOLD_MAX || count > all->value_room - all->value_next) {
        return NULL;
    }
    all->value[tensor] = all->value_next;
    all->value_next += (uint32_t)count;
    return all->values + all->value[tensor];
}

static bool is_whole_type(berth_type type)
{
    return type == BERTH_INT32 || type == BERTH_INT64 || type == BERTH_BOOL ||
           type == BERTH_INT8 || type == BERTH_UINT8 || type == BERTH_INT16 ||
           type == BERTH_UINT16 || type == BERTH_UINT32;
}

bool berth_tensor_values(const struct shaping *all, uint32_t tensor,
                         struct values *values)
{
    const berth_graph_tensor *info = &all->graph->tensors[tensor];
    const berth_type type = (berth_type)info->type;
    uint64_t size = 0;
    *values = (struct values){.type = type};
    if (all->shapes[tensor].state != BERTH_SHAPE_STATIC ||
        berth_type_bits(type) < 8u) {
        return false;
    }
    if (all->shapes[tensor].bytes == 0) {
        return true; /* nothing to know */
    }
    size = all->shapes[tensor].bytes / (berth_type_bits(type) / 8u);
    if (all->value[tensor] != BERTH_NONE) {
        values->folded = all->values + all->value[tensor];
        values->count = size;
        return true;
    }
    if ((info->flags & BERTH_TENSOR_CONSTANT) != 0 &&
        (info->flags & BERTH_TENSOR_VARIABLE) == 0 && is_whole_type(type)) {
        const berth_tensor file = berth_graph_tensor_info(all->graph, tensor);
        if (!file.has_sparsity && file.data.size >= all->shapes[tensor].bytes) {
            values->file = file.data.data;
            values->count = size;
            return true;
        }
    }
    return false;
}

static uint64_t little_endian(const uint8_t *at, uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; ++i) {
        bits |= (uint64_t)at[i] << (8u * i);
    }
    return bits;
}

int64_t berth_values_at(const struct values *values, uint64_t i)
{
    const uint32_t size = berth_type_bits(values->type) / 8u;
    uint64_t bits = 0;
    if (i >= values->count) {
        return 0;
    }
    if (values->folded != NULL) {
        return values->folded[i];
    }
    bits = little_endian(values->file + i * size, size);
    switch (values->type) {
    case BERTH_INT8:
        return (int8_t)bits;
    case BERTH_INT16:
        return (int16_t)bits;
    case BERTH_INT32:
        return (int32_t)bits;
    case BERTH_BOOL:
        return bits != 0;
    default:
        return (int64_t)bits;
    }
}

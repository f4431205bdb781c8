/* berth/shape.h: the shape and the bytes of every tensor.
 *
 * Many files carry no shapes for inner tensors, or the wrong ones for the input
 * shape that is wanted. This stage computes them from the inputs on, with one
 * shape function per operator (core/ops), folding constant shape chains (SHAPE,
 * PACK, STRIDED_SLICE, ...). What an operator without a shape function writes
 * keeps the file's shape.
 *
 * A tensor is *dynamic* when its shape depends on values that are not known in
 * prepare; the operator responsible is named. -1 in shape_signature only makes
 * an axis *resizable*: the plan's shape is the file's, or the caller's. */
#ifndef BERTH_SHAPE_H
#define BERTH_SHAPE_H

#include "berth/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_shape_state {
    BERTH_SHAPE_STATIC,  /* dims and bytes are exact */
    BERTH_SHAPE_DYNAMIC, /* depends on values; bytes is BERTH_NOWHERE */
    BERTH_SHAPE_UNSIZED  /* string, resource, variant: no bytes of its own */
} berth_shape_state;

enum {
    BERTH_SHAPE_RESIZABLE = 1u << 0, /* -1 in its signature */
    BERTH_SHAPE_DIFFERS = 1u << 1,   /* not what the file says */
    BERTH_SHAPE_FOLDED = 1u << 2,    /* its value is known in prepare */
    /* The file's word: no shape function, or one that finds what it is given
     * wrong. Where the file has no word either, the tensor is dynamic. */
    BERTH_SHAPE_UNCHECKED = 1u << 3
};

/* Longer shapes are taken from the file as they are, without functions. */
#define BERTH_RANK_MAX 8u

typedef struct berth_shape {
    uint64_t bytes;     /* exact size; elements of 4 and 2 bits are packed, as
                           LiteRT counts them (TFLM gives each a byte) */
    uint32_t first_dim; /* index into dims */
    uint32_t rank;
    uint32_t culprit; /* DYNAMIC: global op responsible, else BERTH_NONE */
    uint8_t state;    /* berth_shape_state */
    uint8_t flags;    /* BERTH_SHAPE_* */
} berth_shape;

typedef struct berth_shapes {
    const berth_shape *of; /* by global tensor */
    const int32_t *dims;
    uint32_t dynamic_count;
    uint32_t resizable_count;
    uint32_t unchecked_count; /* with BERTH_SHAPE_UNCHECKED */
    const int64_t *values;    /* of tensors with BERTH_SHAPE_FOLDED */
    const uint32_t *value_of; /* by global tensor: index into values, or
                                 BERTH_NONE */
} berth_shapes;

/* Most elements of a value that is known in prepare. */
#define BERTH_SHAPE_VALUES_MAX 16u

/* The caller's shape for an input; and its value, where shapes depend on that
 * (an input that holds a size, an axis, paddings): the plan then holds for this
 * value only, and an engine refuses any other. */
typedef struct berth_shape_override {
    uint32_t tensor; /* global; an input of the subgraph planned for */
    uint32_t rank;
    const int32_t *dims;   /* each >= 0 */
    const int64_t *values; /* as many as the dims make, at most
                              BERTH_SHAPE_VALUES_MAX, of an int32, int64 or
                              bool input; NULL: not known */
} berth_shape_override;

typedef struct berth_shape_options {
    uint32_t subgraph; /* the one planned for; shapes flow from its inputs */
    const berth_shape_override *overrides;
    uint32_t override_count;
} berth_shape_options;

BERTH_MUST_USE berth_status
berth_shapes_bytes(const berth_graph *graph, const berth_shape_options *options,
                   size_t *bytes, berth_diag *diag);

/* Shapes flow from the inputs of options->subgraph through all that it calls;
 * other subgraphs start from the file's shapes for their inputs. A tensor of a
 * callee that has another shape on each call, or on each round of a loop, is
 * dynamic. A file that contradicts itself stops nothing: the operator's outputs
 * keep the file's shapes and are UNCHECKED.
 *
 * Overrides follow what LiteRT's resize_tensor_input allows: an input whose
 * signature has a -1 keeps its rank and its other axes, any other input may
 * take any shape of at most BERTH_RANK_MAX axes.
 *
 * BERTH_BAD_ARG    no such subgraph; an override of no input, with a negative
 *                  length, or that contradicts the signature.
 * BERTH_UNSUPPORTED an operator refuses shapes that follow from an override
 *                  (diag: op, tensor): the model cannot run with these inputs.
 * BERTH_TOO_LARGE  an override of more bytes than 64 bits count, or more
 *                  memory than this machine addresses.
 * BERTH_NO_SPACE   diag->needed_bytes.
 * `work` keeps the shapes; what else is needed meanwhile is given back.
 * `shapes` is written at the end or not at all. Linear time: models are
 * walked once or twice, and never more than seventeen times. */
BERTH_MUST_USE berth_status
berth_shapes_init(const berth_graph *graph, const berth_shape_options *options,
                  berth_work *work, berth_shapes *shapes, berth_diag *diag);

static inline const int32_t *berth_shape_dims(const berth_shapes *shapes,
                                              uint32_t tensor)
{
    return shapes->dims + shapes->of[tensor].first_dim;
}

/* The elements of a tensor with BERTH_SHAPE_FOLDED, row-major; else NULL. */
static inline const int64_t *berth_shape_values(const berth_shapes *shapes,
                                                uint32_t tensor)
{
    return (shapes->of[tensor].flags & BERTH_SHAPE_FOLDED) != 0 &&
                   shapes->value_of != NULL
               ? shapes->values + shapes->value_of[tensor]
               : NULL;
}

#ifdef __cplusplus
}
#endif
#endif

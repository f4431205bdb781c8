/* shape_int.h: one operator's shapes being worked out.
 *
 * A shape function asks for the shapes and values of its operands and sets its
 * outputs' shapes. Whatever it asks for is answered with something harmless
 * even where there is nothing, and the first reason why it cannot go on sticks
 * as the verdict; so a shape function is a few straight lines, and a hostile
 * number costs it its result and nothing else.
 *
 * Invariants: every stored dim is in [0, INT32_MAX], so sums and products of
 * two dims, or of a dim and an int32 option, fit an int64_t. The bytes of every
 * stored shape fit a uint64_t. */
#ifndef BERTH_SHAPE_INT_H
#define BERTH_SHAPE_INT_H

#include "berth/shape.h"

/* Tensors with more elements are not folded: longer vectors are data, not
 * shapes (paddings of the largest rank have 16 elements). */
#define BERTH_FOLD_MAX BERTH_SHAPE_VALUES_MAX

struct dims {
    uint32_t rank;
    int64_t at[BERTH_RANK_MAX];
};

/* The elements of a tensor whose value is known: folded, or in the file. */
struct values {
    const int64_t *folded; /* or NULL */
    const uint8_t *file;   /* or NULL; both NULL: count is 0 */
    uint64_t count;
    berth_type type;
};

enum verdict {
    VERDICT_FITS,
    VERDICT_DEPENDS, /* on a value that is not known: dynamic */
    VERDICT_REFUSED  /* the operator cannot take what it is given */
};

/* A subgraph being walked. */
struct frame {
    uint32_t subgraph;
    uint32_t next;   /* position in graph->order */
    uint32_t callee; /* of the op at `next`: the callees done so far */
};

/* All tensors' shapes being worked out. */
struct shaping {
    const berth_graph *graph;
    const berth_shape_options *options;
    berth_shape *shapes; /* [tensor_count]; first_dim is set once */
    int32_t *dims;
    uint8_t *marks;  /* [tensor_count] MARK_* */
    uint32_t *value; /* [tensor_count] index into values, or BERTH_NONE */
    uint32_t *blame; /* [tensor_count] callee inputs only: the call that
                        makes it dynamic, kept over passes; or NONE */
    int64_t *values;
    uint32_t value_next;
    uint32_t value_room;
    struct frame *frames;    /* [subgraph_count] */
    uint8_t *visits;         /* [subgraph_count] VISIT_* */
    struct infer *current;   /* the op at hand (too large for the stack) */
    struct folding *folding; /* and the value at hand */
    berth_diag refused;      /* what the overrides made impossible */
    bool again;              /* a callee's inputs changed: walk once more */
    bool last_pass;
};

enum {
    MARK_TAINTED = 1u << 0, /* follows from an override */
    MARK_UNCHECKED = 1u << 1,
    MARK_NO_VALUE = 1u << 2 /* callee input: values differ between calls */
};

enum {
    VISIT_CALLED = 1u << 0, /* some op calls it */
    VISIT_DONE = 1u << 1    /* in this pass */
};

struct infer {
    struct shaping *all;
    berth_operator info;
    const uint32_t *inputs;
    const uint32_t *outputs;
    uint32_t op;
    uint32_t code;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t answered; /* outputs from here on, nobody spoke of */
    uint32_t culprit;  /* VERDICT_DEPENDS: the op responsible */
    enum verdict verdict;
};

typedef void (*shape_fn)(struct infer *in);

/* --- the shape and value of one tensor (shape_tensor.c) --- */

/* False: rank over BERTH_RANK_MAX, or dynamic. */
bool berth_tensor_dims(const struct shaping *all, uint32_t tensor,
                       struct dims *dims);
/* False: a dim outside [0, INT32_MAX], or more bytes than 64 bits count; then
 * nothing changed. */
bool berth_tensor_set_dims(struct shaping *all, uint32_t tensor,
                           const struct dims *dims);
void berth_tensor_set_dynamic(struct shaping *all, uint32_t tensor,
                              uint32_t culprit);
/* Back to what the file says. */
void berth_tensor_reset(struct shaping *all, uint32_t tensor);
bool berth_tensor_same(const struct shaping *all, uint32_t a, uint32_t b);
void berth_tensor_copy(struct shaping *all, uint32_t to, uint32_t from);
/* count 0 and both pointers NULL unless known. True: known. */
bool berth_tensor_values(const struct shaping *all, uint32_t tensor,
                         struct values *values);
/* Room for a folded value of `count` elements, or NULL. */
int64_t *berth_tensor_fold(struct shaping *all, uint32_t tensor,
                           uint64_t count);
bool berth_dims_elements(const struct dims *dims, uint64_t *count);
int64_t berth_values_at(const struct values *values, uint64_t i);

/* --- what a shape function asks and says (shape_infer.c) --- */

void berth_infer_start(struct shaping *all, uint32_t op);
void berth_infer_finish(struct infer *in);

/* The first reason sticks. */
void berth_infer_refuse(struct infer *in);
bool berth_infer_has(const struct infer *in, uint32_t i);
struct dims berth_infer_dims(struct infer *in, uint32_t i);
/* Also refuses unless the rank is as said. */
struct dims berth_infer_ranked(struct infer *in, uint32_t i, uint32_t rank);
/* The dim of an operand; 1 where there is none. */
int64_t berth_infer_dim(struct infer *in, uint32_t i, uint32_t axis);
berth_type berth_infer_type(const struct infer *in, uint32_t i);
struct values berth_infer_values(struct infer *in, uint32_t i);
/* Element k as a size or index: refuses what does not fit an int32. */
int64_t berth_infer_int(struct infer *in, const struct values *values,
                        uint64_t k);
/* The only element of a scalar or of a vector of one. */
int64_t berth_infer_scalar(struct infer *in, uint32_t i);
/* `axis` counted from the front, below rank; refuses others. */
uint32_t berth_infer_axis(struct infer *in, int64_t axis, uint32_t rank);
void berth_infer_out(struct infer *in, uint32_t k, const struct dims *dims);
/* Output k depends on the value of operand `of`, the others may not. */
void berth_infer_out_dynamic(struct infer *in, uint32_t k, uint32_t of);
/* Output k is as the file has it, and that is right. */
void berth_infer_out_kept(struct infer *in, uint32_t k);

static inline void infer_need(struct infer *in, bool condition)
{
    if (!condition) {
        berth_infer_refuse(in);
    }
}

static inline int64_t infer_option(const struct infer *in, berth_option field)
{
    return berth_option_int(&in->info, field);
}

/* --- dims (shape_dims.c) --- */

struct dims berth_dims_of(uint32_t rank, const int64_t *at);
void berth_dims_erase(struct dims *dims, uint32_t axis);
/* Refuses a rank over BERTH_RANK_MAX. */
void berth_dims_insert(struct infer *in, struct dims *dims, uint32_t axis,
                       int64_t dim);
bool berth_dims_equal(const struct dims *a, const struct dims *b);
/* numpy's rule, from the last axis on; refuses what does not fit. */
struct dims berth_dims_broadcast(struct infer *in, const struct dims *a,
                                 const struct dims *b);

/* --- slices, shared by shapes and folding (shape_slice.c) --- */

struct slice_axis {
    int64_t start;
    int64_t step;
    int64_t count;
    bool shrink; /* no axis of the output */
    bool fresh;  /* an axis that the input does not have */
};

struct slice_plan {
    uint32_t rank; /* axes of the input with the fresh ones */
    struct slice_axis axes[BERTH_RANK_MAX];
};

/* False: refused, or depends; the verdict says. */
bool berth_slice_plan(struct infer *in, struct slice_plan *plan);

/* --- tables (shape_table.c, fold.c, shape_custom.c) --- */

/* NULL: no shape function. */
shape_fn berth_shape_function(uint32_t code);
shape_fn berth_custom_shape_function(berth_bytes name);
void berth_fold(struct infer *in);

/* --- subgraphs (shape_call.c, shape_walk.c) --- */

/* Gives a callee's inputs the shapes of the op's operands; or, where it was
 * walked already in this pass, compares. */
void berth_call_bind(struct shaping *all, uint32_t op, uint32_t callee);
/* Takes the op's outputs from the callees, which were all walked. */
void berth_call_join(struct shaping *all, uint32_t op);
void berth_shape_walk(struct shaping *all);

/* --- families of shape functions --- */

#define BERTH_SHAPE_FAMILIES(X)                                                \
    X(same)                                                                    \
    X(broadcast)                                                               \
    X(select)                                                                  \
    X(select_v2)                                                               \
    X(bitcast)                                                                 \
    X(rank1_of_one)                                                            \
    X(kept)                                                                    \
    X(nothing)                                                                 \
    X(conv_2d)                                                                 \
    X(depthwise_conv_2d)                                                       \
    X(conv_3d)                                                                 \
    X(transpose_conv)                                                          \
    X(conv_3d_transpose)                                                       \
    X(pool_2d)                                                                 \
    X(resize)                                                                  \
    X(space_to_depth)                                                          \
    X(depth_to_space)                                                          \
    X(space_to_batch)                                                          \
    X(batch_to_space)                                                          \
    X(reshape)                                                                 \
    X(squeeze)                                                                 \
    X(expand_dims)                                                             \
    X(transpose)                                                               \
    X(concatenation)                                                           \
    X(pack)                                                                    \
    X(unpack)                                                                  \
    X(split)                                                                   \
    X(split_v)                                                                 \
    X(slice)                                                                   \
    X(strided_slice)                                                           \
    X(pad)                                                                     \
    X(mirror_pad)                                                              \
    X(tile)                                                                    \
    X(broadcast_to)                                                            \
    X(matrix_diag)                                                             \
    X(shape)                                                                   \
    X(rank)                                                                    \
    X(broadcast_args)                                                          \
    X(range)                                                                   \
    X(fill)                                                                    \
    X(gather)                                                                  \
    X(gather_nd)                                                               \
    X(scatter_nd)                                                              \
    X(sparse_to_dense)                                                         \
    X(one_hot)                                                                 \
    X(topk)                                                                    \
    X(where)                                                                   \
    X(unique)                                                                  \
    X(non_max_suppression)                                                     \
    X(segment_sum)                                                             \
    X(unsorted_segment)                                                        \
    X(embedding_lookup)                                                        \
    X(embedding_lookup_sparse)                                                 \
    X(hashtable_lookup)                                                        \
    X(hashtable_find)                                                          \
    X(lsh_projection)                                                          \
    X(skip_gram)                                                               \
    X(multinomial)                                                             \
    X(read_variable)                                                           \
    X(arg_extreme)                                                             \
    X(reduce)                                                                  \
    X(fully_connected)                                                         \
    X(batch_matmul)                                                            \
    X(lstm)                                                                    \
    X(sequence_lstm)                                                           \
    X(bidirectional_lstm)                                                      \
    X(rnn)                                                                     \
    X(bidirectional_rnn)                                                       \
    X(svdf)                                                                    \
    X(rfft_2d)                                                                 \
    X(dilate)                                                                  \
    X(reduce_window)                                                           \
    X(stablehlo_same)                                                          \
    X(stablehlo_pad)                                                           \
    X(stablehlo_gather)                                                        \
    X(stablehlo_reduce_window)                                                 \
    X(rng_bit_generator)

#define BERTH_SHAPE_DECLARE(family) void berth_shape_##family(struct infer *in);
BERTH_SHAPE_FAMILIES(BERTH_SHAPE_DECLARE)
#undef BERTH_SHAPE_DECLARE

#endif

/* peer_temp.h: what the tables of LiteRT's temporaries are made of. */
#ifndef BERTH_PEER_TEMP_H
#define BERTH_PEER_TEMP_H

#include "peer/peer_int.h"

/* An operator as the rows see it. */
typedef struct temp_op {
    const peer_state *peer;
    uint32_t op;
    berth_operator info;
} temp_op;

typedef bool temp_when(const temp_op *t);
typedef uint64_t temp_amount(const temp_op *t);

typedef struct temp_row {
    uint16_t code;
    uint16_t unit;   /* bytes of one */
    temp_when *when; /* NULL: always */
    temp_amount *amount;
    bool kept; /* in the persistent arena */
} temp_row;

/* Nothing that a verified model holds reaches this; products stop there. */
#define TEMP_HUGE ((uint64_t)1 << 60)

static inline uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    return berth_mul_u64(a, b, &product) && product < TEMP_HUGE ? product
                                                                : TEMP_HUGE;
}

#define ROW(name, when, unit, amount)                                          \
    {BERTH_OP_##name, unit, when, amount, false},
#define KEPT(name, when, unit, amount)                                         \
    {BERTH_OP_##name, unit, when, amount, true},

/* Rows by family: products, and all others. */
typedef struct temp_table {
    const temp_row *rows;
    uint32_t count;
} temp_table;

extern const temp_table peer_temp_products;
extern const temp_table peer_temp_others;

/* --- operands ----------------------------------------------------------- */

static inline uint32_t input_of(const temp_op *t, uint32_t i)
{
    const berth_graph *graph = t->peer->graph;
    return i < graph->ops[t->op].input_count
               ? berth_graph_inputs(graph, t->op)[i]
               : BERTH_NONE;
}

static inline uint32_t output_of(const temp_op *t)
{
    const berth_graph *graph = t->peer->graph;
    return graph->ops[t->op].output_count > 0
               ? berth_graph_outputs(graph, t->op)[0]
               : BERTH_NONE;
}

static inline uint32_t rank_of(const temp_op *t, uint32_t tensor)
{
    return tensor == BERTH_NONE ? 0 : t->peer->of[tensor].rank;
}

/* Axes from the front; 1 where there is none. */
static inline uint64_t dim_of(const temp_op *t, uint32_t tensor, uint32_t axis)
{
    if (axis >= rank_of(t, tensor)) {
        return 1;
    }
    const int32_t dim =
        t->peer->shapes->dims[t->peer->of[tensor].first_dim + axis];
    return dim > 0 ? (uint64_t)dim : 0;
}

static inline uint64_t elements_of(const temp_op *t, uint32_t tensor)
{
    uint64_t product = tensor == BERTH_NONE ? 0 : 1;
    for (uint32_t i = 0; i < rank_of(t, tensor); ++i) {
        product = times(product, dim_of(t, tensor, i));
    }
    return product;
}

static inline bool has_type(const temp_op *t, uint32_t tensor, berth_type type)
{
    return tensor != BERTH_NONE &&
           t->peer->graph->tensors[tensor].type == (uint8_t)type;
}

static inline uint32_t element_bits(const temp_op *t, uint32_t tensor)
{
    return tensor == BERTH_NONE
               ? 0
               : berth_type_bits(
                     (berth_type)t->peer->graph->tensors[tensor].type);
}

/* Its value does not change: of the file, or computed in Prepare. */
static inline bool is_fixed(const temp_op *t, uint32_t tensor)
{
    const uint8_t memory =
        tensor == BERTH_NONE ? BERTH_LITERT_ARENA : t->peer->memory[tensor];
    return memory == BERTH_LITERT_CONSTANT || memory == BERTH_LITERT_COMPUTED ||
           memory == BERTH_LITERT_PERSISTENT;
}

static inline bool is_int_filter(const temp_op *t, uint32_t filter)
{
    return has_type(t, filter, BERTH_INT8) ||
           has_type(t, filter, BERTH_UINT8) || has_type(t, filter, BERTH_INT4);
}

/* Float activations, integer weights as operand 1. */
static inline bool is_hybrid(const temp_op *t)
{
    return has_type(t, input_of(t, 0), BERTH_FLOAT32) &&
           is_int_filter(t, input_of(t, 1));
}

static inline uint64_t batch(const temp_op *t)
{
    return dim_of(t, input_of(t, 0), 0);
}

static inline uint64_t input_elements(const temp_op *t)
{
    return elements_of(t, input_of(t, 0));
}

static inline uint64_t left_bytes(const temp_op *t)
{
    const uint32_t left = input_of(t, 0);
    return left == BERTH_NONE ? 0 : t->peer->of[left].bytes;
}

#endif

/* peer_temporaries.c: what LiteRT's built-in kernels ask for in the arena
 * beside the tensors: column matrices, quantised inputs, accumulators.
 *
 * A row a temporary, in the order in which its kernel lists them: the operator,
 * when it asks, and for how many bytes; KEPT are those of the persistent arena.
 * Temporaries that live on the heap have no row. Optimised kernels, one thread,
 * no delegate: what an interpreter without XNNPACK takes. Facts from LiteRT
 * f677457 (2026-08-21), tflite/kernels; ADD_N and CONV_2D ask for other things
 * with several threads. */
#include "peer/peer_temp.h"

static const temp_table *const tables[] = {&peer_temp_products,
                                           &peer_temp_others};

#define TABLE_COUNT (sizeof(tables) / sizeof(tables[0]))

uint32_t peer_temporaries_most(const berth_graph *graph)
{
    uint64_t most = 0;
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        for (uint32_t k = 0; k < TABLE_COUNT; ++k) {
            for (uint32_t i = 0; i < tables[k]->count; ++i) {
                most += tables[k]->rows[i].code == graph->ops[op].code;
            }
        }
    }
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* A kernel's list is kept in a hash set which yields the last one first. An
 * operator's rows all lie in one table. */
static void add_from(peer_state *peer, const temp_table *table,
                     const temp_op *t, uint32_t now)
{
    const uint32_t code = peer->graph->ops[t->op].code;
    for (uint32_t i = table->count; i-- > 0;) {
        const temp_row *row = &table->rows[i];
        if (row->code != code || (row->when != NULL && !row->when(t))) {
            continue;
        }
        const uint64_t bytes = times(row->unit, row->amount(t));
        if (row->kept) {
            peer_keep(peer, bytes, false);
        } else if (bytes > 0) {
            peer_arena_add_scratch(peer, bytes, (peer_life){now, now + 1});
        }
    }
}

/* Kernels with temporaries that no row tells: both directions at once, windows
 * of StableHLO, and a sparse matrix's list of its blocks. */
static bool is_unlisted(const temp_op *t)
{
    const uint32_t code = t->peer->graph->ops[t->op].code;
    const uint32_t weights = input_of(t, 1);
    if (code == BERTH_OP_BIDIRECTIONAL_SEQUENCE_LSTM ||
        code == BERTH_OP_BIDIRECTIONAL_SEQUENCE_RNN ||
        code == BERTH_OP_STABLEHLO_REDUCE_WINDOW) {
        return true;
    }
    return (code == BERTH_OP_FULLY_CONNECTED || code == BERTH_OP_LSTM) &&
           is_hybrid(t) &&
           berth_graph_tensor_info(t->peer->graph, weights).has_sparsity;
}

void peer_add_temporaries(peer_state *peer, uint32_t op, uint32_t now)
{
    const temp_op t = {peer, op, berth_graph_op_info(peer->graph, op)};
    for (uint32_t k = 0; k < TABLE_COUNT; ++k) {
        add_from(peer, tables[k], &t, now);
    }
    if (peer->unlisted_op == BERTH_NONE && is_unlisted(&t)) {
        peer->unlisted_op = op;
    }
}

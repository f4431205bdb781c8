/* engine_int.h: what an engine keeps in its books, and who writes it.
 *
 *   engine_need.c     what is to be lent; cuts, alignments, guards
 *   engine_walk.c     from the stages to books: counts them, or writes them
 *   engine_record.c   tensors that have an address
 *   engine_slot.c     an operator's step, and what its operands become
 *   engine_move.c     several moves at once, in an order that loses nothing
 *   engine_prepare.c  blocks, then the walk, then each kernel's check
 *   engine_node.c     a step's operands as a kernel sees them
 *   engine_run.c      the steps, one after the other
 *   engine_busy.h     one thread at a time
 *   engine_io.c       inputs and outputs
 *   engine_state.c    reset, save, restore
 *   engine_replan.c   other shapes
 *
 * Books are small because they repeat nothing that the file says: a constant is
 * its number in the file, and types, shapes and quantization are read there
 * when a step is about to run. Operands are then laid out in one array, which
 * all steps share.
 *
 * Invariants
 *   E1  One walk counts and writes, so that the two agree.
 *   E2  Behind prepare each address in the books lies, with the bytes of its
 *       tensor, in the block it belongs to.
 *   E3  Nothing in the books points to the stages. */
#ifndef BERTH_ENGINE_INT_H
#define BERTH_ENGINE_INT_H

#include "base/base_int.h"
#include "berth/engine.h"

/* --- books ------------------------------------------------------------------
 */

/* A tensor that has an address of its own. Those with a place in the plan come
 * first, in the order of their items; then others that need one, in the order
 * of their numbers; then the decoded copies, in the order of the steps. */
typedef struct engine_record {
    uint8_t *data;       /* NULL: the caller's, and not bound */
    uint32_t tensor;     /* in its subgraph (while being written: global) */
    uint32_t shape : 28; /* in `dims`: rank, then axes; or as in the file */
    uint32_t flags : 4;  /* ENGINE_RECORD_* */
} engine_record;

#define ENGINE_SHAPE_OF_FILE ((1u << 28) - 1u)

enum {
    ENGINE_RECORD_CONSTANT = 1u << 0, /* a copy of a misaligned one */
    ENGINE_RECORD_FOLDED = 1u << 1,   /* a value known in prepare */
    ENGINE_RECORD_HELD = 1u << 2,     /* in memory of the caller */
    ENGINE_RECORD_HANDLE = 1u << 3    /* what a handle stands for: no shape */
};

/* An operand. The kind is in the upper bits of ref. */
typedef struct engine_slot {
    uint32_t ref;
    uint32_t rows; /* of an operand of an operator; in moves: its subgraph, and
                      ENGINE_SWAP where the target goes to the source, too */
} engine_slot;

#define ENGINE_SWAP (1u << 31)

#define ENGINE_REF_BITS 30u
#define ENGINE_REF_MAX  (1u << ENGINE_REF_BITS)

enum {
    ENGINE_REF_RECORD,   /* index of a record */
    ENGINE_REF_CONSTANT, /* tensor of the step's subgraph, read in the file */
    ENGINE_REF_ENCODED,  /* the same, and it stands for what it decodes to */
    ENGINE_REF_ABSENT
};

static inline uint32_t engine_ref_kind(uint32_t ref)
{
    return ref >> ENGINE_REF_BITS;
}

static inline uint32_t engine_ref_index(uint32_t ref)
{
    return ref & (ENGINE_REF_MAX - 1u);
}

static inline uint32_t engine_ref(uint32_t kind, uint32_t index)
{
    return kind << ENGINE_REF_BITS | index;
}

typedef enum engine_step_kind {
    ENGINE_STEP_OP,   /* a kernel runs */
    ENGINE_STEP_MOVE, /* `count` pairs of slots, from and to, in this order */
    ENGINE_STEP_JUMP, /* to `target` */
    ENGINE_STEP_TEST, /* to `target` unless its slot holds true */
    ENGINE_STEP_ONCE, /* to `target` if subgraph `count` has been run */
    ENGINE_STEP_DONE  /* subgraph `count` has been run */
} engine_step_kind;

typedef struct engine_step {
    const berth_kernel *kernel; /* of OP */
    uint32_t scratch; /* in units of ENGINE_GRAIN from its region's base */
    uint32_t scratch_units; /* how many */
    uint32_t op;            /* in its subgraph */
    uint32_t first_slot;
    uint32_t step; /* of the schedule */
    union {
        uint32_t row_count; /* of OP */
        uint32_t count;
    };
    uint32_t target; /* a step; of OP: the region of its scratch */
    uint16_t subgraph;
    uint8_t kind;        /* engine_step_kind */
    uint8_t independent; /* of OP: rows in any order, in parallel */
} engine_step;

#define ENGINE_GRAIN 16u

/* A variable tensor: its record, and whose it is. */
typedef struct engine_variable {
    uint32_t record;
    uint32_t subgraph;
} engine_variable;

/* An input whose value the plan was made for, and that value. */
typedef struct engine_known {
    const uint8_t *value;
    uint32_t input;
    uint32_t bytes;
} engine_known;

/* A shape that was asked for. */
typedef struct engine_wish {
    uint32_t rank;
    int32_t dims[BERTH_RANK_MAX];
} engine_wish;

/* How many of everything. */
typedef struct engine_counts {
    uint64_t records;
    uint64_t steps;
    uint64_t slots;
    uint64_t dims;
    uint64_t variables;
    uint64_t io;     /* inputs, then outputs */
    uint64_t known;  /* inputs */
    uint64_t wishes; /* inputs, with BERTH_ENGINE_RESIZES */
    uint64_t bench;  /* bytes of the bench */
    uint64_t blobs;  /* bytes of folded values and copied constants */
} engine_counts;

struct berth_engine {
    const berth_model *model;
    const berth_kernels *kernels;
    berth_engine_memory memory; /* blocks with bytes in use, guards included */
    engine_record *records;
    engine_step *steps;
    engine_slot *slots;
    int32_t *dims;
    engine_variable *variables;
    uint32_t *io; /* refs of inputs, then outputs */
    engine_known *known;
    engine_wish *wishes;
    /* What only one step at a time uses: its operands and their axes. While
     * moves are put in order: the links between them. */
    uint8_t *bench;
    uint64_t state_bytes;
    uint64_t once_offset; /* in the state; BERTH_NOWHERE: no CALL_ONCE */
    uint32_t step_count;
    uint32_t variable_count;
    uint32_t known_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t subgraph;
    uint32_t flags;
    uint8_t profile;
    uint8_t busy;
    uint8_t cancelled;
    uint8_t stale;
};

/* Where the parts of the books begin, in bytes from their first. */
typedef struct engine_layout {
    engine_counts counts;
    uint64_t records;
    uint64_t steps;
    uint64_t slots;
    uint64_t dims;
    uint64_t variables;
    uint64_t io;
    uint64_t known;
    uint64_t wishes;
    uint64_t bench;
    uint64_t blobs;
    uint64_t end;
} engine_layout;

/* The bench of an operator: so many operands, each with axes. */
typedef struct engine_operand_dims {
    int32_t at[BERTH_RANK_MAX];
} engine_operand_dims;

#define ENGINE_BENCH_OPERAND                                                   \
    (sizeof(berth_operand) + sizeof(engine_operand_dims))

/* --- the walk ---------------------------------------------------------------
 */

typedef struct engine_draft {
    const berth_engine_source *source;
    berth_diag *diag;
    engine_counts at;     /* what there is so far */
    berth_engine *engine; /* NULL: only counts */
    uint8_t *blobs;       /* of the engine */
    uint32_t main;        /* the subgraph that runs */
    uint32_t placed;      /* records of items; behind them the extra ones */
    uint32_t sorted;      /* and behind those the decoded copies */
    uint32_t decoded;     /* those of the operator at hand */
    uint32_t decoded_next;
    uint32_t once; /* the latest ONCE step whose end is to come */
} engine_draft;

/* Counts or writes all. Failure: see berth_engine_prepare(); while it counts,
 * BERTH_TOO_LARGE only. */
berth_status engine_walk(engine_draft *d);

/* Fills the diag with an operator or tensor; OK while it only counts. */
berth_status engine_refuse(const engine_draft *d, berth_status status,
                           uint32_t op, uint32_t tensor, const char *what);

/* Each adds one, and writes it unless it only counts. The first: its index. */
uint32_t engine_add_record(engine_draft *d, uint32_t tensor, uint8_t *data,
                           uint32_t flags);
void engine_add_slot(engine_draft *d, uint32_t ref, uint32_t rows);
void engine_add_step(engine_draft *d, const engine_step *step);
void engine_need_bench(engine_draft *d, uint64_t bytes);

/* Notes the value that the plan was made for, if there is one. */
void engine_add_known(engine_draft *d, uint32_t input, uint32_t tensor);

/* All records but decoded copies. */
void engine_add_records(engine_draft *d);
/* A tensor with an address that is no place in the plan, and its record (only
 * once they are written). */
bool engine_is_extra(const engine_draft *d, uint32_t tensor);
uint32_t engine_find_extra(const engine_draft *d, uint32_t tensor);

/* Whether an operator has nothing to do at run time. */
bool engine_is_idle(const engine_draft *d, uint32_t op);

/* What an operand of `op` (BERTH_NONE: of the model) is. */
berth_status engine_resolve(engine_draft *d, uint32_t op, uint32_t tensor,
                            uint32_t *ref);

/* The steps of an operator. */
berth_status engine_walk_op(engine_draft *d, uint32_t s);
/* The moves of step s of the schedule, if any is left to be done. */
berth_status engine_add_moves(engine_draft *d, uint32_t s, const uint32_t *from,
                              const uint32_t *to, uint32_t count);

/* berth_engine_prepare(), with the busy flag as given. */
berth_status engine_make(const berth_engine_source *source,
                         const berth_engine_memory *memory, uint8_t busy,
                         berth_engine **engine, berth_diag *diag);
/* Fills need->replan_bytes. */
berth_status engine_replan_bytes(const berth_engine_source *source,
                                 berth_engine_need *need, berth_diag *diag);

/* --- memory -----------------------------------------------------------------
 */

uint64_t engine_guard_bytes(uint32_t flags);
void engine_set_guards(const berth_engine_block *block);
bool engine_guards_stand(const berth_engine_block *block);

/* berth_engine_bytes() but for replan_bytes. */
berth_status engine_measure(const berth_engine_source *source,
                            engine_layout *layout, berth_engine_need *need,
                            berth_diag *diag);
/* BERTH_MISALIGNED or BERTH_NO_SPACE, by name. */
berth_status engine_check_blocks(const berth_engine_need *need,
                                 const berth_engine_memory *memory,
                                 berth_diag *diag);

/* The first byte behind the guard. */
static inline uint8_t *engine_base(const berth_engine_block *block,
                                   uint32_t flags)
{
    return block->at == NULL ? NULL : block->at + engine_guard_bytes(flags);
}

/* --- running ----------------------------------------------------------------
 */

/* Lays a step's operands out on the bench. `op` is the caller's. */
void engine_lay_node(const berth_engine *engine, const engine_step *step,
                     berth_operator *op, berth_node *node);

/* Address and bytes of an operand of a move. */
typedef struct engine_span {
    uint8_t *at;
    uint64_t bytes;
} engine_span;

engine_span engine_slot_span(const berth_engine *engine,
                             const engine_slot *slot);

/* What a ref of that subgraph is, as one row; `dims` has room for
 * BERTH_RANK_MAX. Returns the tensor in the subgraph, or BERTH_NONE. */
uint32_t engine_describe(const berth_engine *engine, uint32_t subgraph,
                         uint32_t ref, berth_operand *operand, int32_t *dims);

void engine_clear_state(const berth_engine *engine);

#endif

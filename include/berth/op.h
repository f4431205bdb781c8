/* berth/op.h: the operators of the schema and the contract of each.
 *
 * A contract says what an operator promises to those who plan: which output is
 * a view of which input, which output may be written over which input, whether
 * it keeps state, which subgraphs it calls. It says nothing of arithmetic, so
 * a laptop can plan for a board whose kernels it does not have.
 *
 * To add an operator, see CONTRIBUTING.md. */
#ifndef BERTH_OP_H
#define BERTH_OP_H

#include "berth/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One enumerator per builtin operator of the schema, from one table:
 * BERTH_OP_CONV_2D = 3. */
typedef enum berth_op {
#define BERTH_OP_ROW(name, code) BERTH_OP_##name = code,
#include "berth/ops.def"
#undef BERTH_OP_ROW
} berth_op;

#define BERTH_OP_CODE_COUNT 210u

enum {
    /* Output 0 holds the same bytes as input 0: a view, nothing to compute. */
    BERTH_OP_VIEW = 1u << 0,
    /* Reads or writes state or the outside (variables, resources, random
     * numbers): keeps its place in the program order, never removed. */
    BERTH_OP_STATEFUL = 1u << 1,
    /* Calls subgraphs (IF, WHILE, CALL_ONCE, ...). */
    BERTH_OP_CONTROL = 1u << 2,
    /* Makes a decoded copy of a constant (DEQUANTIZE, DENSIFY): where input 0
     * is constant, output 0 is an encoded constant and takes no arena bytes. */
    BERTH_OP_DECODES = 1u << 3,
    /* Reads encoded constants as they are, without decoding to scratch. */
    BERTH_OP_READS_ENCODED = 1u << 4,
    /* Output 0 takes over input 0's bytes whole and changes some of them
     * (DYNAMIC_UPDATE_SLICE): nothing to copy at distance 0. */
    BERTH_OP_UPDATES_0 = 1u << 5,
    /* Its value is known in prepare when its inputs' values are; its result is
     * a shape or an index (folding of constant shape chains). */
    BERTH_OP_FOLDS = 1u << 6
};

/* What TensorFlow Lite's kernels do, where its planner must be imitated. */
enum {
    /* In-place flags of the kernel registration. */
    BERTH_LITERT_INPLACE_0 = 1u << 0,
    BERTH_LITERT_INPLACE_1 = 1u << 1,
    BERTH_LITERT_UNMODIFIED = 1u << 2, /* data unmodified: reshape and such */
    /* Prepare computes the output where all inputs are constant or already
     * computed (SHAPE and RANK: always); see BERTH_LITERT_COMPUTED. */
    BERTH_LITERT_FOLDS = 1u << 3,
    /* Output of a constant input lies in the persistent arena. */
    BERTH_LITERT_DECODES = 1u << 4
};

typedef struct berth_op_contract {
    const char *name;   /* as the schema spells it */
    uint16_t flags;     /* BERTH_OP_* */
    uint16_t litert;    /* BERTH_LITERT_* */
    /* Bit i: LiteRT's Prepare must know the value of input i, else the outputs
     * are dynamic. Use berth_litert_output_class(), which knows the rest. */
    uint16_t litert_values;
    /* In-place licence: bit i set means that output 0 may be written over
     * input i while it is read, because the operator runs over rows forward
     * and reads all of a row before it writes over it; holds for all such
     * inputs together, and only for an input with the shape and element size
     * of the output. Bit 31: every input from 0 on. */
    uint32_t inplace_inputs;
} berth_op_contract;

/* The contract of an operator code; an unknown or custom code gives the
 * contract that promises nothing (name "CUSTOM" or "UNKNOWN"). Never NULL. */
const berth_op_contract *berth_op_contract_of(uint32_t code);

/* "CONV_2D"; "UNKNOWN" for a code outside the schema. */
const char *berth_op_name(uint32_t code);

/* Bit i: input i is a parameter (a shape, an axis, a size), of no further use
 * once prepare knows its value. A folded tensor that is read as a parameter
 * only needs no bytes. */
uint32_t berth_op_parameters(uint32_t code);

/* Where LiteRT keeps a tensor (its "allocation type"). */
typedef enum berth_litert_class {
    BERTH_LITERT_ABSENT,     /* an optional input that is not there */
    BERTH_LITERT_CONSTANT,   /* bytes of the file */
    BERTH_LITERT_COMPUTED,   /* computed in Prepare, read-only, on the heap */
    BERTH_LITERT_ARENA,      /* planned */
    BERTH_LITERT_PERSISTENT, /* planned in the persistent arena */
    BERTH_LITERT_DYNAMIC,    /* on the heap, sized while it runs */
    /* In the arena with the bytes of input 0, but its shape is not known, so
     * that Prepare stops here (RESHAPE to a shape that is computed). */
    BERTH_LITERT_LATE
} berth_litert_class;

/* What LiteRT's Prepare looks at in an operand. */
typedef struct berth_litert_operand {
    uint8_t memory;    /* berth_litert_class */
    uint8_t type;      /* berth_type */
    bool unspecified;  /* -1 in shape_signature */
    uint32_t rank;     /* of the shape that it has before Prepare */
    uint64_t elements; /* output of REDUCE_PROD: of the shape it will have */
} berth_litert_operand;

/* The class of output `index` of a builtin operator after LiteRT's Prepare.
 * `output` is as the interpreter found it in the file; its memory is ARENA, or
 * DYNAMIC for strings, resources and variants.
 *
 * Prepare stops behind the first operator with a DYNAMIC or LATE output; the
 * next operators are prepared while the model runs. IF, WHILE, CALL_ONCE,
 * STABLEHLO_CASE and STABLEHLO_COMPOSITE depend on what the subgraphs that they
 * call became (one dynamic tensor in a callee makes all their outputs dynamic)
 * and are left to the caller: here they give `output->memory`. Taken from the
 * sources of the kernels, LiteRT 2.3. */
berth_litert_class
berth_litert_output_class(uint32_t code, const berth_litert_operand *inputs,
                          uint32_t input_count,
                          const berth_litert_operand *output, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif

/* berth/kernel.h: the arithmetic of operators, for those who call it and for
 * those who add some.
 *
 * A kernel works on *rows* of its operator's own iteration space (rows.h) and
 * reaches its operands through views, which say where each row lies. So one
 * kernel serves a whole map, a few rows in a ring, several threads, and an
 * output over its own input.
 *
 * check() is called once, in prepare; begin(), then rows() one or more times,
 * then end() on each run. Rows are asked for in ascending ranges; where the
 * operator is BERTH_ROWS_INDEPENDENT (rows.h) in any order and from several
 * threads at once. Between begin() and end() the scratch belongs to the
 * operator; nothing is kept from one run to the next but state.
 *
 * Kernels are freestanding, pure and have no memory of their own. Bit-exactness
 * per operator and type: docs/arithmetic.md. */
#ifndef BERTH_KERNEL_H
#define BERTH_KERNEL_H

#include "berth/model.h"
#include "berth/op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BERTH_OPERAND_ABSENT = 1u << 0,   /* an optional input that is not there */
    BERTH_OPERAND_CONSTANT = 1u << 1, /* bytes of the file: read only */
    /* A constant as the file encodes it (float16, int8, int4), where the
     * operator asks for float32: element i is worth what DEQUANTIZE would make
     * of it, by `type` and `quantization`. Only for operators that have
     * BERTH_OP_READS_ENCODED; others get it decoded. */
    BERTH_OPERAND_ENCODED = 1u << 2,
    /* The value was known in prepare (a folded parameter); read only. */
    BERTH_OPERAND_FOLDED = 1u << 3
};

/* An input or output of an operator: what it is, and where its rows lie. Row r
 * lies at data + (r % ring) * pitch; it is the operand's own row, bytes / rows
 * long, as rows.h counts them. An operand that is not read by rows has one. */
typedef struct berth_operand {
    uint8_t *data; /* while checking: NULL but for constants */
    const int32_t *dims;
    uint64_t elements;
    uint64_t bytes; /* of all elements, as they lie (4 bits packed) */
    size_t pitch;   /* bytes from one row to the next */
    uint32_t rows;
    uint32_t ring; /* rows that there is room for; == rows: it lies whole */
    uint32_t rank;
    uint8_t type;  /* berth_type of the elements as they lie */
    uint8_t flags; /* BERTH_OPERAND_* */
    berth_quantization quantization;
} berth_operand;

static inline bool berth_operand_is(const berth_operand *operand, uint8_t flag)
{
    return (operand->flags & flag) != 0;
}

static inline uint8_t *berth_operand_row(const berth_operand *operand,
                                         uint32_t row)
{
    const uint32_t slot =
        operand->ring == operand->rows ? row : row % operand->ring;
    return operand->data + (size_t)slot * operand->pitch;
}

/* How many rows, from `row` on and at most `most`, lie one behind the other
 * without a gap: what a kernel may treat as one long row. */
static inline uint32_t berth_operand_run(const berth_operand *operand,
                                         uint32_t row, uint32_t most)
{
    const bool dense =
        (uint64_t)operand->pitch * operand->rows == operand->bytes;
    const uint32_t before_wrap = operand->ring == operand->rows
                                     ? operand->rows - row
                                     : operand->ring - row % operand->ring;
    const uint32_t run = dense ? before_wrap : 1;
    return run < most ? run : most;
}

/* Whose arithmetic is meant, where the two differ. */
typedef enum berth_profile {
    BERTH_PROFILE_LITERT, /* TensorFlow Lite's reference kernels */
    BERTH_PROFILE_TFLM,   /* TFLM's */
    BERTH_PROFILE_COUNT
} berth_profile;

/* One operator, ready to be run. */
typedef struct berth_node {
    const berth_model *model;
    const berth_operator *op; /* options: berth_option_int(node->op, ...) */
    const berth_operand *inputs;
    const berth_operand *outputs;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t row_count; /* of the iteration space */
    berth_profile profile;
    uint8_t *scratch;     /* 16-aligned; NULL while checking */
    size_t scratch_bytes; /* what berth_op_scratch_bytes() said */
} berth_node;

/* BERTH_UNSUPPORTED  a type, version or option that this kernel does not know.
 * BERTH_BAD_MODEL    parameters that make no sense (stride 0, axis out of
 *                    range, shapes that do not fit each other, quantization
 *                    that is missing). diag: what; op is filled by the caller.
 * After BERTH_OK the other phases touch nothing outside of their operands. */
typedef berth_status berth_kernel_check(const berth_node *node,
                                        berth_diag *diag);

/* BERTH_BAD_DATA: a value fed in is outside (an index, an axis); what it means
 * is in `data_error`. Outputs are then undefined, nothing else is harmed. */
typedef berth_status berth_kernel_phase(const berth_node *node);
typedef berth_status berth_kernel_rows(const berth_node *node, uint32_t begin,
                                       uint32_t end);

typedef struct berth_kernel {
    berth_kernel_check *check;
    berth_kernel_phase *begin; /* NULL: nothing to prepare */
    berth_kernel_rows *rows;
    berth_kernel_phase *end; /* NULL: nothing to finish */
    const char *data_error;  /* NULL: never BERTH_BAD_DATA */
} berth_kernel;

/* A set of kernels: rows ascending by code. A firmware that wants two operators
 * writes a table of two rows and links no more than these; it declares them
 * itself, by the names in core/kernels/ref/ref.def and opt/c/opt.def (see
 * examples/embed/README.md). */
typedef struct berth_kernel_row {
    uint16_t code;    /* berth_op */
    uint16_t version; /* highest version of the operator that it knows */
    const berth_kernel *kernel;
} berth_kernel_row;

/* The caller's own operator: its name, as the file spells it. */
typedef struct berth_custom_kernel {
    const char *name;
    const berth_kernel *kernel;
} berth_custom_kernel;

typedef struct berth_kernels {
    const char *name; /* "ref", "opt-c" */
    const berth_kernel_row *rows;
    uint32_t row_count;
    uint32_t custom_count;
    const berth_custom_kernel *custom;
    const struct berth_kernels *otherwise; /* asked next; NULL: the last */
} berth_kernels;

/* Obvious loops; the oracle of all others. */
const berth_kernels *berth_kernels_ref(void);
/* Fast portable C where there is some, else ref. Integers give the same bits as
 * ref; floats stay in their class. */
const berth_kernels *berth_kernels_opt(void);

/* NULL: no kernel of the set, nor of those it falls back on, has that operator.
 * *version: the highest that it knows, 0 for a custom operator. */
const berth_kernel *berth_kernel_find(const berth_kernels *kernels,
                                      const berth_operator *op,
                                      uint32_t *version);

#ifdef __cplusplus
}
#endif
#endif

/* micro_int.h: what the files of this module share.
 *
 *   structs.def      sizes of TFLM's structures by ABI
 *   operators.def    its operators: resolver line, size of the options
 *   reference.def, cmsis_nn.def, esp_nn.def    what their kernels take
 *   micro_sets.c     the tables, targets and kernel sets
 *   micro_amount.c, micro_window.c, micro_cmsis_nn.c, micro_esp_nn.c,
 *   micro_signal.c
 *                    the quantities that the tables name
 *   micro_tensors.c  what the formulas want to know of a tensor
 *   micro_resources.c  resource variables
 *   micro_lives.c    life times on TFLM's own counter
 *   micro_tail.c     the tail: allocations in their order
 *   micro_prepare.c  Prepare of every operator
 *   micro_head.c     the planning problem of the head
 *   micro.c          the whole
 *
 * Invariants
 *   M1  Every amount saturates at MICRO_HUGE; what reaches it is refused as
 *       TOO_LARGE at the end, so formulas need no checks of their own.
 *   M2  The tail is a distance from the 16-aligned end of the arena and only
 *       grows: used = up(used + bytes, align).
 *   M3  A row of a kernel table is read by exactly one function
 *       (micro_prepare.c); tables and formulas know nothing of the arena. */
#ifndef BERTH_MICRO_INT_H
#define BERTH_MICRO_INT_H

#include "base/base_int.h"
#include "berth/micro.h"

/* No sum of sizes of a model reaches this; no sum of two of it wraps. */
#define MICRO_HUGE  ((uint64_t)1 << 60)
#define MICRO_ALIGN 16u

static inline uint64_t micro_add(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b; /* both <= MICRO_HUGE */
    return sum < MICRO_HUGE ? sum : MICRO_HUGE;
}

static inline uint64_t micro_mul(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    return berth_mul_u64(a, b, &product) && product < MICRO_HUGE ? product
                                                                 : MICRO_HUGE;
}

static inline uint64_t micro_up(uint64_t bytes, uint64_t align)
{
    return bytes < MICRO_HUGE ? (bytes + align - 1u) & ~(align - 1u)
                              : MICRO_HUGE;
}

static inline uint64_t micro_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t micro_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- targets ----------------------------------------------------------------
 */

/* The rules by which a compiler lays structures out. */
typedef enum micro_abi {
    MICRO_X64,   /* 64-bit */
    MICRO_X32,   /* 32-bit, int64_t aligned to 4 (i386) */
    MICRO_ARM,   /* 32-bit, enums as small as they fit (bare-metal Arm) */
    MICRO_ILP32, /* 32-bit, enums are int, int64_t aligned to 8 */
    MICRO_WHEEL, /* 64-bit, as the PyPI package is built: with compression */
    MICRO_ABI_COUNT
} micro_abi;

/* What CMSIS-NN and ESP-NN choose their kernels by. */
typedef enum micro_core {
    MICRO_CORE_C,      /* plain C */
    MICRO_CORE_DSP,    /* Arm with the DSP extension */
    MICRO_CORE_MVE,    /* Arm with Helium */
    MICRO_CORE_ESP,    /* ESP32 and others: ESP-NN in plain C */
    MICRO_CORE_ESP_S3, /* ESP32-S3 */
    MICRO_CORE_ESP_P4, /* ESP32-P4 */
    MICRO_CORE_COUNT
} micro_core;

struct berth_micro_target {
    const char *name;
    const char *help;
    micro_abi abi;
    micro_core core;
};

typedef enum micro_struct {
#define MICRO_STRUCT(name, x64, x32, arm, ilp32, wheel) MICRO_STRUCT_##name,
#include "micro/structs.def"
#undef MICRO_STRUCT
    MICRO_STRUCT_COUNT
} micro_struct;

/* Sizes of one version of TFLM. */
typedef uint16_t micro_struct_sizes[MICRO_STRUCT_COUNT][MICRO_ABI_COUNT];

/* Pointer size, which all of these structures are aligned to. */
static inline uint32_t micro_word(micro_abi abi)
{
    return abi == MICRO_X64 || abi == MICRO_WHEEL ? 8u : 4u;
}

/* --- operators --------------------------------------------------------------
 */

/* A builtin operator has its code of the schema; custom ones that TFLM knows
 * come after. */
enum {
#define MICRO_OPERATOR(name, adder, options)                                   \
    MICRO_CODE_##name = BERTH_OP_##name,
#define MICRO_CUSTOM(name, text, adder)
#include "micro/operators.def"
#undef MICRO_OPERATOR
#undef MICRO_CUSTOM
    MICRO_CUSTOM_BEFORE = BERTH_OP_CODE_COUNT - 1,
#define MICRO_OPERATOR(name, adder, options)
#define MICRO_CUSTOM(name, text, adder) MICRO_CODE_##name,
#include "micro/operators.def"
#undef MICRO_OPERATOR
#undef MICRO_CUSTOM
    MICRO_CODE_COUNT,
    MICRO_LACKING = 0xffff /* TFLM has no such operator */
};

/* Bytes and alignment of the builtin options, the latter by ABI: 32-bit Arm
 * has structures of bytes only. */
typedef struct micro_options_size {
    uint8_t bytes[MICRO_ABI_COUNT];
    uint8_t align[MICRO_ABI_COUNT];
} micro_options_size;

typedef struct micro_operator {
    uint16_t code;
    const char *adder;       /* "AddConv2D" */
    const char *custom_name; /* NULL: builtin */
    micro_options_size options;
} micro_operator;

/* NULL for MICRO_LACKING and for codes TFLM does not have. */
const micro_operator *micro_operator_of(uint32_t code);

/* The code of the graph's operator, or MICRO_LACKING. */
uint32_t micro_code_of(const berth_graph *graph, uint32_t op);

/* --- tensors ----------------------------------------------------------------
 */

enum {
    MICRO_TENSOR_CONSTANT = 1u << 0,
    MICRO_TENSOR_VARIABLE = 1u << 1,
    MICRO_TENSOR_QUANTIZED = 1u << 2, /* has a scale and a zero point */
    MICRO_TENSOR_HANDLE = 1u << 3,    /* made by VAR_HANDLE */
    MICRO_TENSOR_UNTYPED = 1u << 4,   /* TFLM knows no size of an element */
    MICRO_TENSOR_UNSHAPED = 1u << 5,  /* a negative dimension */
    MICRO_TENSOR_ABSENT = 1u << 6 /* an optional operand that is not there */
};

typedef struct micro_tensor {
    uint64_t elements;
    uint64_t bytes;
    berth_ivec dims;
    uint32_t scales; /* scales of its quantization, without zero points also */
    uint8_t type;    /* berth_type */
    uint8_t element_bytes;
    uint8_t flags; /* MICRO_TENSOR_* */
} micro_tensor;

/* Fills one for each tensor of the graph. */
void micro_tensors_init(const berth_graph *graph, micro_tensor *tensors);

static inline uint32_t micro_dim(const micro_tensor *tensor, uint32_t axis)
{
    const int32_t dim =
        axis < tensor->dims.count ? berth_ivec_at(tensor->dims, axis) : 1;
    return dim > 0 ? (uint32_t)dim : 0;
}

/* --- kernels ----------------------------------------------------------------
 */

/* An operand of an operator: IN(0), IN(1), ..., OUT(0), ... */
#define MICRO_OUT 0x80u

typedef struct micro_run {
    const berth_graph *graph;
    const micro_tensor *tensors;
    const berth_micro_kernels *kernels;
    micro_abi abi;
    micro_core core;
    bool armclang;
} micro_run;

/* An operator as the formulas see it. */
typedef struct micro_op {
    const micro_run *run;
    uint32_t op;
    uint32_t code;
    berth_operator info;
    const uint32_t *inputs;
    const uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;
} micro_op;

micro_op micro_op_at(const micro_run *run, uint32_t op);

/* Never NULL: an operand that is not there has no elements and no rank. */
const micro_tensor *micro_operand(const micro_op *op, uint32_t operand);

typedef struct micro_row micro_row;
typedef uint64_t micro_amount(const micro_op *op, const micro_row *row);
typedef bool micro_when(const micro_op *op);

typedef enum micro_row_kind {
    MICRO_ROW_END,
    MICRO_ROW_TEMPS, /* temporary tensors of all inputs, then all outputs */
    MICRO_ROW_TEMP,  /* one temporary tensor, where the operand is there */
    MICRO_ROW_TEMP_INPUTS,  /* those of all inputs */
    MICRO_ROW_KEEP,         /* bytes that stay, in the tail */
    MICRO_ROW_SCRATCH,      /* a request, also one for nothing */
    MICRO_ROW_SCRATCH_SOME, /* a request, unless for nothing */
    MICRO_ROW_VARIABLE,     /* the resource variable's bytes, the first time */
    /* Demands: where one is not met, TFLM does not start. */
    MICRO_ROW_REFUSE,   /* never met: its condition says when */
    MICRO_ROW_ONLY,     /* the operand's type is a bit of the argument */
    MICRO_ROW_ALIKE,    /* it has the type of the operand in the argument */
    MICRO_ROW_CONSTANT, /* its value lies in the file */
    MICRO_ROW_PRESENT,
    MICRO_ROW_MOST_AXES /* its rank is the argument at most */
} micro_row_kind;

/* One thing that a kernel asks for: unit bytes times the amount. */
struct micro_row {
    uint8_t kind; /* micro_row_kind */
    uint8_t operand;
    uint16_t unit; /* bytes, or one of MICRO_UNIT_* */
    uint32_t argument;
    micro_when *when; /* NULL: always */
    micro_amount *amount;
    micro_amount *times; /* NULL: once */
};

enum {
    MICRO_UNIT_WORD = 0xffff, /* a pointer */
    MICRO_UNIT_EVAL = 0xfffe  /* a TfLiteEvalTensor */
};

/* A kernel: what Init keeps, then what Prepare asks for in its order. Init
 * rows with formulas (the signal library) come first, of kind KEEP. */
typedef struct micro_kernel {
    uint16_t code;
    uint16_t init[MICRO_ABI_COUNT];
    uint8_t init_rows;     /* so many of the rows are Init's */
    const micro_row *rows; /* up to MICRO_ROW_END */
} micro_kernel;

struct berth_micro_kernels {
    const char *name;
    const char *version; /* also TFLM's, of which it is a part */
    const char *help;
    const berth_micro_kernels *base; /* asked for what is not in here */
    const micro_kernel *kernels;
    uint32_t kernel_count;
    uint32_t cores; /* bit of each micro_core it serves */
    uint32_t abis;  /* bit of each micro_abi */
    const micro_struct_sizes *structs;
};

/* Never NULL: an operator without a row keeps nothing and looks at all of its
 * operands. */
const micro_kernel *micro_kernel_of(const berth_micro_kernels *kernels,
                                    uint32_t code);

uint64_t micro_row_bytes(const micro_op *op, const micro_row *row);

/* Whether the operand is there and of that type. */
bool micro_has_type(const micro_op *op, uint32_t operand, berth_type type);

/* Of a row that is a demand. */
bool micro_row_is_met(const micro_op *op, const micro_row *row);

/* A convolution's window, for the formulas of kernel sets. */
typedef struct micro_window {
    uint64_t kernel; /* height * width * input channels */
    uint32_t kernel_h, kernel_w;
    uint32_t input_h, input_w;
    uint32_t output_h, output_w;
    uint32_t output_channels;
    uint32_t channels; /* of the input */
    uint32_t filter_channels;
    uint32_t stride_h, stride_w;
    uint32_t pad_h, pad_w; /* before the first row and column */
    bool dilated;
} micro_window;

/* Of CONV_2D or DEPTHWISE_CONV_2D. */
micro_window micro_window_of(const micro_op *op);

/* An option that is a count; negative ones are 0. */
uint32_t micro_option(const micro_op *op, berth_option field);

/* Formulas by the names that the tables use. */
#define MICRO_WHEN(name) bool micro_when_##name(const micro_op *op);
#define MICRO_AMOUNT(name)                                                     \
    uint64_t micro_amount_##name(const micro_op *op, const micro_row *row);
#include "micro/formulas.def"
#undef MICRO_WHEN
#undef MICRO_AMOUNT

/* --- micro_resources.c ------------------------------------------------------
 */

/* Resource variables: which VAR_HANDLE operators name the same one. */
typedef struct micro_resources {
    uint32_t *slot;      /* hash table: handle op, or BERTH_NONE */
    uint8_t *assigned;   /* by slot: its buffer is allocated */
    uint32_t slot_count; /* power of two; 0: no handles */
    uint32_t count;      /* distinct ones */
} micro_resources;

bool micro_resources_need(const berth_graph *graph, size_t *bytes);
berth_status micro_resources_init(micro_resources *resources,
                                  const berth_graph *graph, berth_work *work,
                                  berth_diag *diag);

/* Whether this ASSIGN_VARIABLE is the first of its resource, and notes it. */
bool micro_resources_claim(micro_resources *resources, const micro_op *op);

/* --- micro_lives.c ----------------------------------------------------------
 */

/* Steps of TFLM's counter, one later than there: step 0 is its [-1, -1], where
 * all lives that no entered subgraph ever touches. */
typedef struct micro_lives {
    berth_span *tensor; /* [tensor_count] */
    berth_span *op;     /* [op_count]: of its scratch; {0, 1}: never */
    uint32_t step_count;
} micro_lives;

/* kept: what micro_lives_init() takes; scratch: what it uses behind that. */
bool micro_lives_need(const berth_graph *graph, size_t *kept, size_t *scratch);
berth_status micro_lives_init(micro_lives *lives, const berth_graph *graph,
                              berth_work *work, berth_diag *diag);

/* --- micro_tail.c -----------------------------------------------------------
 */

typedef struct micro_tail {
    const micro_run *run;
    uint64_t used;
    berth_micro_share *parts;
} micro_tail;

uint64_t micro_struct_bytes(const micro_run *run, micro_struct which);

/* `times` allocations of `bytes` each, each aligned. */
void micro_take(micro_tail *tail, berth_micro_part part, uint64_t bytes,
                uint64_t align, uint64_t times);

/* Steps 1 to 9 of TFLM's order: what is there before kernels are asked. */
void micro_tail_begin(micro_tail *tail, const berth_micro_options *options,
                      uint32_t resource_count, berth_micro_op *ops);

/* Steps 11 and 12: handles and variables; 14 and 15: inputs and outputs. */
void micro_tail_middle(micro_tail *tail, uint32_t scratch_count,
                       const berth_ivec *offline);
void micro_tail_end(micro_tail *tail);

/* --- micro_prepare.c --------------------------------------------------------
 */

typedef struct micro_requests {
    uint64_t *bytes;
    uint32_t *op;
    uint32_t count;
    uint32_t room;
    bool none; /* requests are swallowed */
} micro_requests;

/* Most requests that the operators can make: their rows, counted. */
uint64_t micro_requests_most(const berth_graph *graph,
                             const berth_micro_kernels *kernels);

/* Steps 10: Init of all operators, then Prepare of all. Writes the figures of
 * `ops` and of `micro` that belong to it. */
void micro_prepare_all(micro_tail *tail, micro_requests *requests,
                       micro_resources *resources, berth_micro_op *ops,
                       berth_micro *micro);

/* --- micro_head.c -----------------------------------------------------------
 */

/* The offsets of the metadata "OfflineMemoryAllocation", one for each tensor
 * of the model; count 0: none. False: they do not fit the model. */
bool micro_offline_plan(const berth_graph *graph, berth_ivec *offsets);

bool micro_head_need(const berth_graph *graph, uint32_t request_count,
                     size_t *bytes);

/* Builds and solves the problem; sets micro's problem, offset, head_bytes. */
berth_status micro_head_plan(const micro_run *run,
                             const berth_micro_options *options,
                             const micro_lives *lives,
                             const micro_requests *requests,
                             const berth_ivec *offline, berth_work *work,
                             berth_micro *micro, berth_diag *diag);

/* Notes why TFLM would not start, unless a reason is there already. */
static inline void micro_refuse(berth_micro *micro, berth_micro_refusal refusal,
                                uint32_t op, uint32_t tensor)
{
    if (micro->refusal == BERTH_MICRO_STARTS) {
        micro->refusal = refusal;
        micro->refusal_op = op;
        micro->refusal_tensor = tensor;
    }
}

#endif

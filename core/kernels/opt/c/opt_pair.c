/* ADD, SUB, MUL and DIV of floats, ADD, SUB and MUL of 8 and 16 bits: blocks
 * are loaded, worked on and stored, so that no compiler asks whether the output
 * lies over an input. All else is the reference's. */
#include "kernels/element.h"
#include "kernels/pair.h"
#include "kernels/rowwise.h"

enum { PAIR_BLOCK = 16 };

/* --- floats -----------------------------------------------------------------
 */

static void load_floats(float *to, struct lane from, size_t i)
{
    if (from.step != 0) {
        __builtin_memcpy(to, from.at + i * sizeof(*to),
                         PAIR_BLOCK * sizeof(*to));
        return;
    }
    for (int l = 0; l < PAIR_BLOCK; ++l) {
        to[l] = kernel_get_f32(from.at, 0);
    }
}

#define PAIR_FLOATS(name, operation)                                           \
    static berth_status name(const struct rowwise *row, const void *param)     \
    {                                                                          \
        const struct clamp_f32 to = *(const struct clamp_f32 *)param;          \
        const struct lane a = row->in[0];                                      \
        const struct lane b = row->in[1];                                      \
        float x[PAIR_BLOCK];                                                   \
        float y[PAIR_BLOCK];                                                   \
        size_t i = 0;                                                          \
        for (; i + PAIR_BLOCK <= row->count; i += PAIR_BLOCK) {                \
            load_floats(x, a, i);                                              \
            load_floats(y, b, i);                                              \
            for (int l = 0; l < PAIR_BLOCK; ++l) {                             \
                x[l] = clamp_f32(x[l] operation y[l], to);                     \
            }                                                                  \
            __builtin_memcpy(row->out + i * sizeof(*x), x, sizeof(x));         \
        }                                                                      \
        for (; i < row->count; ++i) {                                          \
            const float value = kernel_get_f32(a.at, i * a.step)               \
                operation kernel_get_f32(b.at, i * b.step);                    \
            element_put_f32(row->out, i, clamp_f32(value, to));                \
        }                                                                      \
        return BERTH_OK;                                                       \
    }
PAIR_FLOATS(fast_add_f32, +)
PAIR_FLOATS(fast_sub_f32, -)
PAIR_FLOATS(fast_mul_f32, *)
PAIR_FLOATS(fast_div_f32, /)
#undef PAIR_FLOATS

/* --- quantized --------------------------------------------------------------
 */

#define PAIR_INTEGERS(name, type, get, arithmetic)                             \
    static berth_status name(const struct rowwise *row, const void *param)     \
    {                                                                          \
        const struct pair p = *(const struct pair *)param;                     \
        const struct lane a = row->in[0];                                      \
        const struct lane b = row->in[1];                                      \
        for (size_t i = 0; i < row->count; ++i) {                              \
            element_put(                                                       \
                row->out, i, type,                                             \
                arithmetic(&p, get(a.at, i *a.step), get(b.at, i *b.step)));   \
        }                                                                      \
        return BERTH_OK;                                                       \
    }
PAIR_INTEGERS(fast_add_i8, BERTH_INT8, element_i8, pair_plus)
PAIR_INTEGERS(fast_add_u8, BERTH_UINT8, element_u8, pair_plus)
PAIR_INTEGERS(fast_add_i16, BERTH_INT16, element_i16, pair_plus)
PAIR_INTEGERS(fast_sub_i8, BERTH_INT8, element_i8, pair_minus)
PAIR_INTEGERS(fast_sub_u8, BERTH_UINT8, element_u8, pair_minus)
PAIR_INTEGERS(fast_sub_i16, BERTH_INT16, element_i16, pair_minus)
PAIR_INTEGERS(fast_mul_i8, BERTH_INT8, element_i8, pair_times)
PAIR_INTEGERS(fast_mul_u8, BERTH_UINT8, element_u8, pair_times)
PAIR_INTEGERS(fast_mul_i16, BERTH_INT16, element_i16, pair_times)
#undef PAIR_INTEGERS

/* --- the kernel -------------------------------------------------------------
 */

struct fast_pair {
    uint16_t code;
    uint16_t activation; /* berth_option */
    rowwise_fn *f32;
    rowwise_fn *i8;
    rowwise_fn *u8;
    rowwise_fn *i16;
    pair_prepare *prepare;
};

static const struct fast_pair fast_pairs[] = {
    {BERTH_OP_ADD, BERTH_OPT_AddOptions_fused_activation_function, fast_add_f32,
     fast_add_i8, fast_add_u8, fast_add_i16, kernel_pair_sum},
    {BERTH_OP_SUB, BERTH_OPT_SubOptions_fused_activation_function, fast_sub_f32,
     fast_sub_i8, fast_sub_u8, fast_sub_i16, kernel_pair_sum},
    {BERTH_OP_MUL, BERTH_OPT_MulOptions_fused_activation_function, fast_mul_f32,
     fast_mul_i8, fast_mul_u8, fast_mul_i16, kernel_pair_product},
    {BERTH_OP_DIV, BERTH_OPT_DivOptions_fused_activation_function, fast_div_f32,
     NULL, NULL, NULL, NULL},
};

static berth_status check_fast_pair(const berth_node *node, berth_diag *diag)
{
    return kernel_ref_pair.check(node, diag);
}

static rowwise_fn *fast_pair_row(const struct fast_pair *op, uint8_t type)
{
    return type == BERTH_INT8    ? op->i8
           : type == BERTH_UINT8 ? op->u8
           : type == BERTH_INT16 ? op->i16
                                 : NULL;
}

static berth_status run_fast_pair(const berth_node *node, uint32_t begin,
                                  uint32_t end)
{
    const berth_operand *out = &node->outputs[0];
    const struct fast_pair *op = fast_pairs;
    while (op->code != node->op->code) {
        ++op;
    }
    const int64_t activation =
        berth_option_int(node->op, (berth_option)op->activation);
    if (out->type == BERTH_FLOAT32) {
        const struct clamp_f32 to = kernel_clamp_f32_of(activation);
        return kernel_rowwise(node, begin, end, op->f32, &to);
    }
    rowwise_fn *row = fast_pair_row(op, out->type);
    struct pair pair = {.shifted = true};
    if (row != NULL && out->quantization.scale_count != 0) {
        BERTH_TRY(op->prepare(node, activation, &pair, NULL));
    }
    return pair.shifted ? kernel_ref_pair.rows(node, begin, end)
                        : kernel_rowwise(node, begin, end, row, &pair);
}

const berth_kernel kernel_opt_pair = {
    .check = check_fast_pair,
    .rows = run_fast_pair,
    .data_error = "a divisor that is 0",
};

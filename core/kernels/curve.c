/* Functions of one float, as TensorFlow Lite's reference kernels have them. */
#include "kernels/curve.h"

#include "base/real.h"

/* Each step is rounded to float where the reference's is. */

static float exp_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_exp((double)x);
}

static float log_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_log((double)x);
}

static float sqrt_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_sqrt((double)x);
}

static float rsqrt_f32(const struct curve *c, float x)
{
    return 1.0f / sqrt_f32(c, x);
}

static float sin_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_sin((double)x);
}

static float cos_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_cos((double)x);
}

static float abs_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_abs((double)x);
}

static float neg_f32(const struct curve *c, float x)
{
    (void)c;
    return -x;
}

static float own_square_f32(const struct curve *c, float x)
{
    (void)c;
    return x * x;
}

static float floor_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_floor((double)x);
}

static float ceil_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_ceil((double)x);
}

static float round_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_rint((double)x);
}

static float sign_f32(const struct curve *c, float x)
{
    (void)c;
    return x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? 0.0f : x;
}

static float relu_f32(const struct curve *c, float x)
{
    (void)c;
    return x < 0 ? 0 : x;
}

static float relu6_f32(const struct curve *c, float x)
{
    return x > 6 ? 6 : relu_f32(c, x);
}

static float relu_n1_to_1_f32(const struct curve *c, float x)
{
    (void)c;
    return x > 1 ? 1 : x < -1 ? -1 : x;
}

static float relu_0_to_1_f32(const struct curve *c, float x)
{
    return x > 1 ? 1 : relu_f32(c, x);
}

static float leaky_f32(const struct curve *c, float x)
{
    return x > 0 ? x : x * c->alpha;
}

static float elu_f32(const struct curve *c, float x)
{
    (void)c;
    return x < 0 ? (float)real_expm1((double)x) : x;
}

static float tanh_f32(const struct curve *c, float x)
{
    (void)c;
    return (float)real_tanh((double)x);
}

/* The reference has other ends for floats than for its tables. */
static float logistic_f32(const struct curve *c, float x)
{
    if (x > 16.619047164916992188f) {
        return 1;
    }
    return x < -9 ? exp_f32(c, x) : 1 / (1 + exp_f32(c, -x));
}

static float logistic_curve(const struct curve *c, float x)
{
    return 1 / (1 + exp_f32(c, -x));
}

static float hard_swish_f32(const struct curve *c, float x)
{
    return x * relu6_f32(c, x + 3) / 6;
}

/* alpha: not 0 for the approximation by tanh */
static float gelu_f32(const struct curve *c, float x)
{
    if (c->alpha != 0) {
        const float root = 0x1.988454p-1f; /* of 2 / pi */
        return 0.5f * x * (1 + tanh_f32(c, root * (x + 0.044715f * x * x * x)));
    }
    const float half_root = -0x1.6a09e6p-1f;
    return 0.5f * x * (float)real_erfc((double)(x * half_root));
}

/* Where there is no logarithm, the least number; no root, the largest. */
static float log_curve(const struct curve *c, float x)
{
    return x > 0 ? log_f32(c, x) : c->least;
}

static float rsqrt_curve(const struct curve *c, float x)
{
    return x > 0 ? rsqrt_f32(c, x) : c->most;
}

/* What an operator makes of a float, and what its tables are made of. */
struct curve_row {
    uint16_t code;
    curve_function *f32;
    curve_function *table;
};

static const struct curve_row curve_rows[] = {
    {BERTH_OP_EXP, exp_f32, exp_f32},
    {BERTH_OP_LOG, log_f32, log_curve},
    {BERTH_OP_SQRT, sqrt_f32, NULL},
    {BERTH_OP_RSQRT, rsqrt_f32, rsqrt_curve},
    {BERTH_OP_SIN, sin_f32, NULL},
    {BERTH_OP_COS, cos_f32, NULL},
    {BERTH_OP_ABS, abs_f32, NULL},
    {BERTH_OP_NEG, neg_f32, NULL},
    {BERTH_OP_SQUARE, own_square_f32, NULL},
    {BERTH_OP_FLOOR, floor_f32, NULL},
    {BERTH_OP_CEIL, ceil_f32, NULL},
    {BERTH_OP_ROUND, round_f32, NULL},
    {BERTH_OP_SIGN, sign_f32, NULL},
    {BERTH_OP_RELU, relu_f32, NULL},
    {BERTH_OP_RELU6, relu6_f32, NULL},
    {BERTH_OP_RELU_N1_TO_1, relu_n1_to_1_f32, NULL},
    {BERTH_OP_RELU_0_TO_1, relu_0_to_1_f32, NULL},
    {BERTH_OP_LEAKY_RELU, leaky_f32, NULL},
    {BERTH_OP_ELU, elu_f32, elu_f32},
    {BERTH_OP_GELU, gelu_f32, gelu_f32},
    {BERTH_OP_HARD_SWISH, hard_swish_f32, NULL},
    {BERTH_OP_LOGISTIC, logistic_f32, logistic_curve},
    {BERTH_OP_TANH, tanh_f32, tanh_f32},
};

static const struct curve_row *curve_row_of(uint32_t code)
{
    for (uint32_t i = 0; i < sizeof(curve_rows) / sizeof(curve_rows[0]); ++i) {
        if (curve_rows[i].code == code) {
            return &curve_rows[i];
        }
    }
    return NULL;
}

curve_function *kernel_curve_f32(uint32_t code)
{
    const struct curve_row *row = curve_row_of(code);
    return row == NULL ? NULL : row->f32;
}

curve_function *kernel_curve_table(uint32_t code)
{
    const struct curve_row *row = curve_row_of(code);
    return row == NULL ? NULL : row->table;
}

float kernel_curve_alpha(const berth_operator *op)
{
    return op->code == BERTH_OP_GELU
               ? (float)berth_option_int(op, BERTH_OPT_GeluOptions_approximate)
               : berth_option_float(op, BERTH_OPT_LeakyReluOptions_alpha);
}

/* Elementwise operators, rows and reductions on operands that fit nothing: any
 * types, shapes and scales, each operand in memory of its own. A kernel's check
 * refuses, or what it lets pass harms nobody; AddressSanitizer and UBSan look.
 */
#include "berth/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_model.h"

enum { OPERANDS = 4, RANK = 4, SCALES = 4, ROUNDS = 3000 };

typedef struct hostile_op {
    uint16_t code;
    uint8_t inputs;
    bool whole; /* walked as one row here, and input 1 holds axes */
} hostile_op;

static const hostile_op ops[] = {
    {BERTH_OP_ADD, 2, false},         {BERTH_OP_SUB, 2, false},
    {BERTH_OP_MUL, 2, false},         {BERTH_OP_DIV, 2, false},
    {BERTH_OP_MAXIMUM, 2, false},     {BERTH_OP_MINIMUM, 2, false},
    {BERTH_OP_POW, 2, false},         {BERTH_OP_SQUARED_DIFFERENCE, 2, false},
    {BERTH_OP_FLOOR_DIV, 2, false},   {BERTH_OP_FLOOR_MOD, 2, false},
    {BERTH_OP_ABS, 1, false},         {BERTH_OP_NEG, 1, false},
    {BERTH_OP_EXP, 1, false},         {BERTH_OP_LOG, 1, false},
    {BERTH_OP_SQRT, 1, false},        {BERTH_OP_RSQRT, 1, false},
    {BERTH_OP_SIN, 1, false},         {BERTH_OP_ROUND, 1, false},
    {BERTH_OP_SIGN, 1, false},        {BERTH_OP_RELU, 1, false},
    {BERTH_OP_RELU6, 1, false},       {BERTH_OP_RELU_N1_TO_1, 1, false},
    {BERTH_OP_RELU_0_TO_1, 1, false}, {BERTH_OP_LEAKY_RELU, 1, false},
    {BERTH_OP_PRELU, 2, false},       {BERTH_OP_ELU, 1, false},
    {BERTH_OP_GELU, 1, false},        {BERTH_OP_HARD_SWISH, 1, false},
    {BERTH_OP_LOGISTIC, 1, false},    {BERTH_OP_TANH, 1, false},
    {BERTH_OP_SOFTMAX, 1, false},     {BERTH_OP_LOG_SOFTMAX, 1, false},
    {BERTH_OP_MEAN, 2, true},         {BERTH_OP_L2_NORMALIZATION, 1, false},
    {BERTH_OP_SUM, 2, true},          {BERTH_OP_REDUCE_MAX, 2, true},
    {BERTH_OP_REDUCE_MIN, 2, true},   {BERTH_OP_REDUCE_PROD, 2, true},
    {BERTH_OP_REDUCE_ANY, 2, true},   {BERTH_OP_REDUCE_ALL, 2, true},
    {BERTH_OP_ARG_MAX, 2, true},      {BERTH_OP_ARG_MIN, 2, true},
    {BERTH_OP_GREATER, 2, false},     {BERTH_OP_EQUAL, 2, false},
    {BERTH_OP_LOGICAL_AND, 2, false}, {BERTH_OP_LOGICAL_NOT, 1, false},
    {BERTH_OP_SELECT, 3, false},      {BERTH_OP_SELECT_V2, 3, false},
    {BERTH_OP_ADD_N, 2, false},       {BERTH_OP_CUMSUM, 2, true},
    {BERTH_OP_QUANTIZE, 1, false},    {BERTH_OP_DEQUANTIZE, 1, false},
    {BERTH_OP_CAST, 1, false},
};

/* An operand and what it points to. */
typedef struct strange {
    int32_t dims[RANK];
    uint8_t scales[SCALES * 4];
    uint8_t zeros[SCALES * 8];
} strange;

typedef struct world {
    uint64_t seed;
    strange parts[OPERANDS + 1];
    berth_operand operands[OPERANDS + 1]; /* inputs, then the output */
} world;

static uint32_t pick(world *w, uint32_t n)
{
    return seed_below(&w->seed, n);
}

/* Mostly sound, at times what no scale may be. */
static float any_scale(world *w)
{
    static const float absurd[] = {0, -1, INFINITY, NAN, 1e-38f, 3e38f};
    static const float usual[] = {0.05f,     0.1f,     1.0f / 256, 1.0f / 128,
                                  1.0f / 16, 0x1p-15f, 0x1p-12f};
    return pick(w, 8) == 0 ? absurd[pick(w, 6)] : usual[pick(w, 7)];
}

static void set_scales(world *w, strange *s, berth_quantization *q)
{
    *q = (berth_quantization){.scales = s->scales, .zero_points = s->zeros};
    q->present = pick(w, 4) != 0;
    if (!q->present) {
        return;
    }
    q->scale_count = pick(w, 6) == 0 ? pick(w, SCALES + 1) : 1;
    q->zero_point_count = pick(w, 6) == 0 ? 0 : q->scale_count;
    q->axis = (int32_t)pick(w, 6) - 1;
    for (uint32_t i = 0; i < SCALES; ++i) {
        static const int64_t zeros[] = {0, 3, -128, 127, 128, 255, 1 << 20};
        const float scale = any_scale(w);
        const int64_t zero = zeros[pick(w, 3) == 0 ? pick(w, 7) : 0];
        memcpy(s->scales + i * 4, &scale, 4);
        memcpy(s->zeros + i * 8, &zero, 8);
    }
}

static uint8_t any_type(world *w, uint8_t usual)
{
    return pick(w, 8) == 0 ? (uint8_t)pick(w, BERTH_TYPE_COUNT) : usual;
}

/* Of the shape `like`, or of another. */
static void make_operand(world *w, uint32_t k, uint8_t type,
                         const berth_operand *like)
{
    strange *s = &w->parts[k];
    berth_operand *o = &w->operands[k];
    *o = (berth_operand){.dims = s->dims, .type = any_type(w, type)};
    o->rank = like != NULL && pick(w, 8) != 0 ? like->rank : pick(w, RANK + 1);
    o->elements = 1;
    for (uint32_t i = 0; i < o->rank; ++i) {
        s->dims[i] = (int32_t)pick(w, 12) == 0 ? 0 : 1 + (int32_t)pick(w, 5);
        if (like != NULL && i < like->rank && pick(w, 12) != 0) {
            s->dims[i] = like->dims[i];
        }
        o->elements *= (uint64_t)s->dims[i];
    }
    const uint64_t bits = o->elements * berth_type_bits((berth_type)o->type);
    o->bytes = bits / 8 + (bits % 8 != 0);
    set_scales(w, s, &o->quantization);
}

/* Numbers that look like axes as often as not. */
static void fill_bytes(world *w, uint8_t *data, uint64_t bytes)
{
    const bool small = pick(w, 2) == 0;
    for (uint64_t i = 0; i < bytes; ++i) {
        data[i] = (uint8_t)(small && i % 4 != 0 ? 0 : pick(w, small ? 4 : 256));
    }
}

static bool same_dims(const berth_operand *a, const berth_operand *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof(a->dims[0])) == 0;
}

/* Rows as rows.h counts them for elementwise operators, or one for all. */
static uint32_t count_rows(berth_operand *operands, uint32_t inputs, bool whole)
{
    const berth_operand *out = &operands[inputs];
    uint32_t rows = 1;
    for (uint32_t i = 0; i + 1 < out->rank && !whole; ++i) {
        rows *= (uint32_t)out->dims[i];
    }
    rows = rows == 0 ? 1 : rows;
    for (uint32_t k = 0; k <= inputs; ++k) {
        berth_operand *o = &operands[k];
        o->rows = !whole && same_dims(o, out) ? rows : 1;
        o->ring = o->rows;
        o->pitch = (size_t)(o->bytes / o->rows);
    }
    return rows;
}

static bool run_world(world *w, const berth_kernel *kernel, uint16_t code,
                      uint32_t inputs, bool whole)
{
    const berth_operator op = {.code = code, .version = 1};
    uint8_t *data[OPERANDS + 1];
    berth_diag diag = berth_diag_none();
    berth_node node = {.op = &op,
                       .inputs = w->operands,
                       .outputs = &w->operands[inputs],
                       .input_count = inputs,
                       .output_count = 1,
                       .profile = (berth_profile)pick(w, 2)};
    node.row_count = count_rows(w->operands, inputs, whole);
    node.scratch_bytes = pick(w, 8) == 0 ? 0 : 1026;
    for (uint32_t k = 0; k <= inputs; ++k) {
        data[k] = malloc((size_t)w->operands[k].bytes + (k == inputs));
        fill_bytes(w, data[k], w->operands[k].bytes);
        w->operands[k].data =
            k > 0 && k < inputs && pick(w, 2) ? data[k] : NULL;
    }
    const bool sound = kernel->check(&node, &diag) == BERTH_OK;
    assert_true(sound || diag.what[0] != '\0');
    if (sound) {
        for (uint32_t k = 0; k <= inputs; ++k) {
            w->operands[k].data = data[k];
        }
        node.scratch = malloc(node.scratch_bytes);
        berth_status status =
            kernel->begin == NULL ? BERTH_OK : kernel->begin(&node);
        for (uint32_t r = 0; r < node.row_count && status == BERTH_OK; ++r) {
            status = kernel->rows(&node, r, r + 1);
        }
        assert_true(status == BERTH_OK ||
                    (status == BERTH_BAD_DATA && kernel->data_error != NULL));
        free(node.scratch);
    }
    for (uint32_t k = 0; k <= inputs; ++k) {
        free(data[k]);
    }
    return sound;
}

/* Operands that are nearly what the operator takes. */
static bool try_world(world *w, const berth_kernels *kernels,
                      const hostile_op *o)
{
    static const uint8_t types[] = {BERTH_FLOAT32, BERTH_INT8,  BERTH_UINT8,
                                    BERTH_INT16,   BERTH_INT32, BERTH_INT64,
                                    BERTH_BOOL,    BERTH_INT4};
    const berth_operator op = {.code = o->code, .version = 1};
    uint32_t version = 0;
    const berth_kernel *kernel = berth_kernel_find(kernels, &op, &version);
    const uint8_t type = types[pick(w, 8)];
    const uint32_t inputs = pick(w, 8) == 0 ? 1 + pick(w, 3) : o->inputs;
    assert_non_null(kernel);
    make_operand(w, inputs, pick(w, 4) == 0 ? types[pick(w, 8)] : type, NULL);
    for (uint32_t k = 0; k < inputs; ++k) {
        const bool condition = o->inputs == 3 && k == 0;
        const uint8_t own = o->whole && k == 1 ? BERTH_INT32
                            : condition        ? BERTH_BOOL
                                               : type;
        make_operand(w, k, own, &w->operands[inputs]);
    }
    return run_world(w, kernel, o->code, inputs, o->whole || pick(w, 8) == 0);
}

static void strange_operands_harm_nobody(void **state)
{
    enum { COUNT = sizeof(ops) / sizeof(ops[0]) };
    const berth_kernels *kernels = *state;
    uint32_t ran = 0;
    for (uint32_t c = 0; c < COUNT; ++c) {
        uint32_t sound = 0;
        for (uint64_t seed = 0; seed < ROUNDS; ++seed) {
            world w = {.seed = seed * 1000 + c};
            sound += try_world(&w, kernels, &ops[c]);
        }
        ran += sound;
        assert_true(sound > 0); /* each has met operands that it takes */
    }
    print_message("%s: %u of %u ran\n", kernels->name, ran, COUNT * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(strange_operands_harm_nobody,
                                  (void *)(uintptr_t)berth_kernels_ref()),
        cmocka_unit_test_prestate(strange_operands_harm_nobody,
                                  (void *)(uintptr_t)berth_kernels_opt()),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Products of stacks of matrices, against loops that know nothing of strides,
 * on random shapes: both sets of kernels. */
#include "naive.h"
#include "window_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_STACKS = 300 };

typedef struct stack {
    uint8_t type;
    bool adj_x;
    bool adj_y;
    int32_t left_count; /* matrices: as many as on the right, or 1 */
    int32_t right_count;
    int32_t rows;
    int32_t depth;
    int32_t columns;
    float scales[3];
    int64_t zeros[3];
} stack;

static int32_t between(uint64_t *seed, int32_t low, int32_t high)
{
    return low + (int32_t)(window_draw(seed) % (uint64_t)(high - low + 1));
}

static stack random_stack(uint64_t *seed)
{
    static const uint8_t types[] = {BERTH_FLOAT32, BERTH_INT8, BERTH_INT16};
    stack s = {
        .type = types[window_draw(seed) % 3],
        .adj_x = window_draw(seed) % 3 == 0,
        .adj_y = window_draw(seed) % 2 == 0,
        .left_count = between(seed, 1, 3),
        .rows = between(seed, 1, 9),
        .depth = between(seed, 1, 70),
        .columns = between(seed, 1, 40),
        .scales = {0.02f, 0.013f, 0.11f},
    };
    s.right_count = between(seed, 0, 1) == 0 ? 1 : s.left_count;
    for (uint32_t i = 0; i < 3 && s.type == BERTH_INT8; ++i) {
        s.zeros[i] = between(seed, 0, 1) == 0 ? 0 : between(seed, -50, 50);
    }
    return s;
}

static int32_t add_stack(mb *b, uint32_t g, const stack *s, uint32_t i,
                         int32_t count, int32_t high, int32_t wide)
{
    const mb_quantization q = {.scales = &s->scales[i],
                               .scale_count = 1,
                               .zero_points = &s->zeros[i],
                               .zero_point_count = 1};
    return mb_tensor(
        b, g,
        (mb_tensor_spec){.type = (berth_type)s->type,
                         .shape = MB_INTS(count, high, wide),
                         .quantization = s->type == BERTH_FLOAT32 ? NULL : &q});
}

static berth_bytes stack_model(mb *b, const stack *s)
{
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t x =
        add_stack(b, g, s, 0, s->left_count, s->adj_x ? s->depth : s->rows,
                  s->adj_x ? s->rows : s->depth);
    const int32_t y =
        add_stack(b, g, s, 1, s->right_count, s->adj_y ? s->columns : s->depth,
                  s->adj_y ? s->depth : s->columns);
    const int32_t z = add_stack(b, g, s, 2, s->left_count, s->rows, s->columns);
    (void)mb_op(
        b, g,
        (mb_op_spec){
            .code = BERTH_OP_BATCH_MATMUL,
            .inputs = MB_INTS(x, y),
            .outputs = MB_INTS(z),
            .options = MB_OPTIONS(
                {BERTH_OPT_BatchMatMulOptions_adj_x, .value = s->adj_x},
                {BERTH_OPT_BatchMatMulOptions_adj_y, .value = s->adj_y})});
    mb_io(b, g, MB_INTS(x, y), MB_INTS(z));
    return mb_finish(b);
}

static double value_of(const naive_tensor *t, const stack *s, uint32_t operand,
                       size_t i)
{
    float f = 0;
    int16_t wide = 0;
    if (s->type == BERTH_FLOAT32) {
        memcpy(&f, t->data + i * sizeof(f), sizeof(f));
        return (double)f;
    }
    if (s->type == BERTH_INT16) {
        memcpy(&wide, t->data + i * sizeof(wide), sizeof(wide));
        return (double)wide;
    }
    return (double)((int8_t)t->data[i] - s->zeros[operand]);
}

/* The sum of products that makes an element: exact for integers. */
static double product(const stack *s, const naive_tensor *x,
                      const naive_tensor *y, int32_t matrix, int32_t i,
                      int32_t j)
{
    const int32_t other = s->right_count == 1 ? 0 : matrix;
    double sum = 0;
    for (int32_t k = 0; k < s->depth; ++k) {
        const int32_t a = s->adj_x ? k * s->rows + i : i * s->depth + k;
        const int32_t b = s->adj_y ? j * s->depth + k : k * s->columns + j;
        sum += value_of(x, s, 0, (size_t)(matrix * s->rows * s->depth + a)) *
               value_of(y, s, 1, (size_t)(other * s->columns * s->depth + b));
    }
    return sum;
}

/* Integers: a step at most from the real result, since that is rounded twice.
 */
static void judge(const stack *s, const naive_tensor *x, const naive_tensor *y,
                  const naive_tensor *z)
{
    const bool floats = s->type == BERTH_FLOAT32;
    const double top = s->type == BERTH_INT8 ? 127 : 32767;
    const double ratio = floats ? 1
                                : (double)s->scales[0] * (double)s->scales[1] /
                                      (double)s->scales[2];
    /* the multiplier of wide sums has 15 bits */
    const double loose = s->type == BERTH_INT16 ? 1.0 / 16384 : 0;
    size_t at = 0;
    for (int32_t m = 0; m < s->left_count; ++m) {
        for (int32_t i = 0; i < s->rows; ++i) {
            for (int32_t j = 0; j < s->columns; ++j, ++at) {
                const double real = product(s, x, y, m, i, j) * ratio;
                const double low =
                    floats ? real : -top - 1 - (double)s->zeros[2];
                const double high = floats ? real : top - (double)s->zeros[2];
                const double want =
                    real < low ? low : (real > high ? high : real);
                const double error = fabs(value_of(z, s, 2, at) - want);
                const double most =
                    floats ? s->depth * 1.2e-7 : 1.0 + fabs(real) * loose;
                if (error > most) {
                    fail_msg("element %zu is off by %g", at, error);
                }
            }
        }
    }
}

/* Runs with a set and judges; a copy of the output. */
static uint8_t *run_stack(const berth_kernels *kernels, const stack *s,
                          uint64_t seed, size_t *bytes)
{
    char why[256] = "";
    mb *b = mb_new();
    naive *n = naive_open(stack_model(b, s), kernels, BERTH_PROFILE_LITERT,
                          NULL, 0, why, sizeof(why));
    if (n == NULL) {
        fail_msg("%s", why);
    }
    const naive_tensor x = naive_input(n, 0);
    const naive_tensor y = naive_input(n, 1);
    window_fill(x.data, x.type, (size_t)x.bytes, &seed);
    window_fill(y.data, y.type, (size_t)y.bytes, &seed);
    if (!naive_run(n, why, sizeof(why))) {
        fail_msg("%s", why);
    }
    const naive_tensor z = naive_output(n, 0);
    judge(s, &x, &y, &z);
    *bytes = (size_t)z.bytes;
    uint8_t *copy = malloc(*bytes + 1);
    memcpy(copy, z.data, *bytes);
    naive_close(n);
    mb_free(b);
    return copy;
}

static void stacks_are_right_and_equal(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (uint32_t i = 0; i < RANDOM_STACKS; ++i) {
        const stack s = random_stack(&seed);
        const uint64_t fill = window_draw(&seed);
        size_t ref_bytes = 0;
        size_t opt_bytes = 0;
        uint8_t *ref = run_stack(berth_kernels_ref(), &s, fill, &ref_bytes);
        uint8_t *opt = run_stack(berth_kernels_opt(), &s, fill, &opt_bytes);
        assert_int_equal(ref_bytes, opt_bytes);
        if (s.type != BERTH_FLOAT32) {
            assert_memory_equal(ref, opt, ref_bytes);
        }
        free(ref);
        free(opt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_right_and_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The fast kernels against the reference, on random shapes: integers must be
 * equal to the bit, floats within the rounding of a sum, which a depthwise
 * convolution adds up in the same order. */
#include "naive.h"
#include "window_model.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_SHAPES = 400 };

/* Runs a model with a set; the output, to be freed. */
static uint8_t *run_with(const berth_kernels *kernels, const window_spec *spec,
                         naive_tensor *output)
{
    char why[256] = "";
    mb *b = mb_new();
    naive *n = naive_open(window_model(b, spec), kernels, BERTH_PROFILE_LITERT,
                          NULL, 0, why, sizeof(why));
    uint64_t seed = spec->seed + 1;
    if (n == NULL) {
        fail_msg("%s", why);
    }
    const naive_tensor input = naive_input(n, 0);
    window_fill(input.data, input.type, (size_t)input.bytes, &seed);
    if (!naive_run(n, why, sizeof(why))) {
        fail_msg("%s", why);
    }
    *output = naive_output(n, 0);
    uint8_t *copy = malloc((size_t)output->bytes + 1);
    memcpy(copy, output->data, (size_t)output->bytes);
    naive_close(n);
    mb_free(b);
    return copy;
}

static void tell(const window_spec *s)
{
    print_message(
        "%s, types %u %u %u, %dx%dx%dx%d to %d, groups %d, "
        "window %dx%d, stride %dx%d, dilation %dx%d, seed %" PRIu64 "\n",
        berth_op_name(s->code), s->type, s->filter, s->bias, s->batch,
        s->height, s->width, s->in, s->out, s->groups, s->window_h, s->window_w,
        s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, s->seed);
}

static void compare_sets(const window_spec *spec)
{
    naive_tensor a;
    naive_tensor b;
    uint8_t *ref = run_with(berth_kernels_ref(), spec, &a);
    uint8_t *opt = run_with(berth_kernels_opt(), spec, &b);
    assert_int_equal(a.bytes, b.bytes);
    if (spec->type != BERTH_FLOAT32 ||
        spec->code == BERTH_OP_DEPTHWISE_CONV_2D) {
        if (memcmp(ref, opt, (size_t)a.bytes) != 0) {
            tell(spec);
            fail_msg("the fast kernel makes other numbers");
        }
    } else {
        const double products =
            (double)window_work(spec) / (double)(a.bytes / sizeof(float));
        for (size_t i = 0; i < a.bytes / sizeof(float); ++i) {
            float x;
            float y;
            memcpy(&x, ref + i * sizeof(x), sizeof(x));
            memcpy(&y, opt + i * sizeof(y), sizeof(y));
            if (fabs((double)x - (double)y) > products * 1.2e-7) {
                tell(spec);
                fail_msg("element %zu: %.9g and %.9g", i, (double)x, (double)y);
            }
        }
    }
    free(ref);
    free(opt);
}

/* --- random shapes -------------------------------------------------------- */

static int32_t between(uint64_t *seed, int32_t low, int32_t high)
{
    return low + (int32_t)(window_draw(seed) % (uint64_t)(high - low + 1));
}

typedef struct types {
    uint8_t type;
    uint8_t filter;
    uint8_t bias;
    bool per_axis;
} types;

static const types all_types[] = {
    {BERTH_INT8, BERTH_INT8, BERTH_INT32, true},
    {BERTH_INT8, BERTH_INT8, BERTH_FLOAT16, false},
    {BERTH_INT8, BERTH_INT4, BERTH_INT32, true},
    {BERTH_UINT8, BERTH_UINT8, BERTH_INT32, false},
    {BERTH_INT16, BERTH_INT8, BERTH_INT64, true},
    {BERTH_INT16, BERTH_INT8, BERTH_INT32, false},
    {BERTH_FLOAT32, BERTH_FLOAT32, BERTH_FLOAT32, false},
    {BERTH_FLOAT32, BERTH_FLOAT16, BERTH_FLOAT32, false},
    {BERTH_FLOAT32, BERTH_INT8, BERTH_FLOAT32, true},
};

static window_spec random_spec(uint32_t code, uint64_t *seed)
{
    const size_t count = sizeof(all_types) / sizeof(all_types[0]);
    const types *t = &all_types[window_draw(seed) % count];
    const bool pool =
        code == BERTH_OP_AVERAGE_POOL_2D || code == BERTH_OP_MAX_POOL_2D;
    window_spec s = {
        .code = code,
        .type = t->type,
        .filter = t->filter,
        .bias = t->bias,
        .per_axis = t->per_axis,
        .valid = window_draw(seed) % 2 == 0,
        .activation = (uint8_t)(window_draw(seed) % 4),
        .batch = between(seed, 1, 3),
        .in = between(seed, 1, between(seed, 1, 3) == 1 ? 200 : 40),
        .out = between(seed, 1, 40),
        .groups = 1,
        .window_h = between(seed, 1, 4),
        .window_w = between(seed, 1, 4),
        .stride_h = between(seed, 1, 3),
        .stride_w = between(seed, 1, 3),
        .dilation_h = pool ? 1 : between(seed, 1, 2),
        .dilation_w = pool ? 1 : between(seed, 1, 3),
        .seed = window_draw(seed),
    };
    s.height = between(seed, 7, 12);
    s.width = between(seed, 10, 16);
    if (code == BERTH_OP_CONV_2D && between(seed, 1, 4) == 1) {
        s.window_h = s.window_w = s.stride_h = s.stride_w = 1;
    }
    if (code == BERTH_OP_CONV_2D && between(seed, 1, 5) == 1) {
        s.groups = between(seed, 2, 4);
        s.in = s.groups * between(seed, 1, 9);
        s.out = s.groups * between(seed, 1, 9);
    }
    if (code == BERTH_OP_DEPTHWISE_CONV_2D) {
        const int32_t most = between(seed, 1, 3) == 1 ? 9 : 1;
        s.in = between(seed, 1, 40);
        s.out = s.in * between(seed, 1, most);
        if (between(seed, 1, 4) == 1) { /* about the most taps decoded */
            s.window_h = between(seed, 4, 6);
            s.window_w = between(seed, 4, 6);
            s.dilation_h = s.dilation_w = 1;
        }
    }
    if (code == BERTH_OP_TRANSPOSE_CONV) {
        s.dilation_h = s.dilation_w = 1;
        s.height = between(seed, 1, 5);
        s.width = between(seed, 1, 6);
        s.filter = s.filter == BERTH_INT4 ? BERTH_INT8 : s.filter;
    }
    if (code == BERTH_OP_FULLY_CONNECTED) {
        s.batch = between(seed, 1, 9);
        s.in = between(seed, 1, 400);
        s.height = s.width = s.window_h = s.window_w = 1;
    }
    if (pool) {
        s.out = s.in;
    }
    return s;
}

static void compare_random(uint32_t code)
{
    uint64_t seed = UINT64_C(0x6265727468) + code;
    print_message("seed %" PRIu64 "\n", seed);
    for (uint32_t i = 0; i < RANDOM_SHAPES; ++i) {
        const window_spec spec = random_spec(code, &seed);
        compare_sets(&spec);
    }
}

static void convolutions_are_equal(void **state)
{
    (void)state;
    compare_random(BERTH_OP_CONV_2D);
}

static void depthwise_convolutions_are_equal(void **state)
{
    (void)state;
    compare_random(BERTH_OP_DEPTHWISE_CONV_2D);
}

static void transposed_convolutions_are_equal(void **state)
{
    (void)state;
    compare_random(BERTH_OP_TRANSPOSE_CONV);
}

static void matrix_products_are_equal(void **state)
{
    (void)state;
    compare_random(BERTH_OP_FULLY_CONNECTED);
}

static void average_pools_are_equal(void **state)
{
    (void)state;
    compare_random(BERTH_OP_AVERAGE_POOL_2D);
}

static void largest_pools_are_equal(void **state)
{
    (void)state;
    compare_random(BERTH_OP_MAX_POOL_2D);
}

/* Rows are found by halving: one out of order would hide others. */
static void sets_are_sorted(void **state)
{
    (void)state;
    const berth_kernels *sets[] = {berth_kernels_ref(), berth_kernels_opt()};
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t i = 1; i < sets[k]->row_count; ++i) {
            assert_true(sets[k]->rows[i - 1].code < sets[k]->rows[i].code);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_sorted),
        cmocka_unit_test(convolutions_are_equal),
        cmocka_unit_test(depthwise_convolutions_are_equal),
        cmocka_unit_test(transposed_convolutions_are_equal),
        cmocka_unit_test(matrix_products_are_equal),
        cmocka_unit_test(average_pools_are_equal),
        cmocka_unit_test(largest_pools_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

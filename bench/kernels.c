/* How fast the kernels are, operator by operator:
 *
 *   build/release/bench/kernels [TEXT]      shapes whose name has TEXT in it
 *
 * A line a shape: products a second (of pools: elements seen) of the reference
 * set and of the fast one, and how many times faster that is. The best of
 * several runs counts. */
#include "naive.h"
#include "window_model.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct timed_shape {
    const char *name;
    uint32_t code;
    uint8_t type;
    uint8_t filter;
    int32_t size; /* height and width of the image; rows of a matrix */
    int32_t in;
    int32_t out;
    int32_t window;
    int32_t stride;
} timed_shape;

#define I8   BERTH_INT8
#define U8   BERTH_UINT8
#define I16  BERTH_INT16
#define I4   BERTH_INT4
#define F32  BERTH_FLOAT32
#define CONV BERTH_OP_CONV_2D
#define DEEP BERTH_OP_DEPTHWISE_CONV_2D
#define FULL BERTH_OP_FULLY_CONNECTED

static const timed_shape timed_shapes[] = {
    {"conv 3x3/2 96x96x3 to 8", CONV, I8, I8, 96, 3, 8, 3, 2},
    {"conv 1x1 48x48x8 to 16", CONV, I8, I8, 48, 8, 16, 1, 1},
    {"conv 1x1 12x12x64 to 64", CONV, I8, I8, 12, 64, 64, 1, 1},
    {"conv 1x1 12x12x64 to 64 f32", CONV, F32, F32, 12, 64, 64, 1, 1},
    {"conv 1x1 3x3x256 to 256", CONV, I8, I8, 3, 256, 256, 1, 1},
    {"conv 3x3 32x32x16 to 16", CONV, I8, I8, 32, 16, 16, 3, 1},
    {"conv 3x3 8x8x64 to 64", CONV, I8, I8, 8, 64, 64, 3, 1},
    {"conv 3x3 8x8x64 to 64 u8", CONV, U8, U8, 8, 64, 64, 3, 1},
    {"conv 3x3 8x8x64 to 64 i16", CONV, I16, I8, 8, 64, 64, 3, 1},
    {"conv 3x3 8x8x64 to 64 i4", CONV, I8, I4, 8, 64, 64, 3, 1},
    {"conv 3x3 8x8x64 to 64 f32", CONV, F32, F32, 8, 64, 64, 3, 1},
    {"depthwise 3x3 48x48x8", DEEP, I8, I8, 48, 8, 8, 3, 1},
    {"depthwise 3x3 6x6x128", DEEP, I8, I8, 6, 128, 128, 3, 1},
    {"depthwise 3x3 6x6x128 u8", DEEP, U8, U8, 6, 128, 128, 3, 1},
    {"depthwise 3x3 6x6x128 i16", DEEP, I16, I8, 6, 128, 128, 3, 1},
    {"depthwise 3x3 6x6x128 f32", DEEP, F32, F32, 6, 128, 128, 3, 1},
    {"depthwise 8x8/2 40x40x1 to 8", DEEP, I8, I8, 40, 1, 8, 8, 2},
    {"fully connected 640 to 128", FULL, I8, I8, 1, 640, 128, 1, 1},
    {"fully connected 640 to 128 i16", FULL, I16, I8, 1, 640, 128, 1, 1},
    {"fully connected 640 to 128 f32", FULL, F32, F32, 1, 640, 128, 1, 1},
    {"fully connected 64 rows 128 to 128", FULL, I8, I8, 64, 128, 128, 1, 1},
    {"average pool 8x8 8x8x64", BERTH_OP_AVERAGE_POOL_2D, I8, 0, 8, 64, 64, 8,
     1},
    {"max pool 2x2/2 32x32x32", BERTH_OP_MAX_POOL_2D, I8, 0, 32, 32, 32, 2, 2},
    {"max pool 2x2/2 32x32x32 f32", BERTH_OP_MAX_POOL_2D, F32, 0, 32, 32, 32, 2,
     2},
};

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static window_spec spec_of(const timed_shape *s)
{
    const bool matrix = s->code == FULL;
    return (window_spec){
        .code = s->code,
        .type = s->type,
        .filter = s->filter,
        .bias = s->type == F32   ? F32
                : s->type == I16 ? BERTH_INT64
                                 : BERTH_INT32,
        .per_axis = s->filter == I8 || s->filter == I4,
        .batch = matrix ? s->size : 1,
        .height = matrix ? 1 : s->size,
        .width = matrix ? 1 : s->size,
        .in = s->in,
        .out = s->out,
        .window_h = s->window,
        .window_w = s->window,
        .stride_h = s->stride,
        .stride_w = s->stride,
        .dilation_h = 1,
        .dilation_w = 1,
        .seed = 1,
    };
}

/* Seconds of one run with a set; the best of a fifth of a second. */
static double time_set(const window_spec *spec, const berth_kernels *kernels)
{
    char why[256] = "";
    mb *b = mb_new();
    naive *n = naive_open(window_model(b, spec), kernels, BERTH_PROFILE_LITERT,
                          NULL, 0, why, sizeof(why));
    uint64_t seed = 2;
    double best = -1;
    const double end = seconds_now() + 0.2;
    if (n != NULL) {
        const naive_tensor input = naive_input(n, 0);
        window_fill(input.data, input.type, (size_t)input.bytes, &seed);
        while (seconds_now() < end) {
            const double start = seconds_now();
            if (!naive_run(n, why, sizeof(why))) {
                break;
            }
            const double took = seconds_now() - start;
            best = best < 0 || took < best ? took : best;
        }
        naive_close(n);
    }
    mb_free(b);
    if (why[0] != '\0') {
        printf("%s\n", why);
    }
    return best;
}

int main(int argc, char **argv)
{
    printf("%-36s%10s%10s%8s\n", "millions of products a second", "ref", "opt",
           "times");
    const size_t count = sizeof(timed_shapes) / sizeof(timed_shapes[0]);
    for (size_t i = 0; i < count; ++i) {
        const timed_shape *s = &timed_shapes[i];
        if (argc > 1 && strstr(s->name, argv[1]) == NULL) {
            continue;
        }
        const window_spec spec = spec_of(s);
        const double work = (double)window_work(&spec) / 1e6;
        const double ref = time_set(&spec, berth_kernels_ref());
        const double opt = time_set(&spec, berth_kernels_opt());
        printf("%-36s%10.0f%10.0f%8.1f\n", s->name, work / ref, work / opt,
               ref / opt);
        (void)fflush(stdout);
    }
    return 0;
}

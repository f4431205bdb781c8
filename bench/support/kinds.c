/* Problems like those that people have, as large as wanted: from one model that
 * runs on a chip to a step of training with a million buffers. Sizes vary from
 * layer to layer as pruned or searched nets do, so that not all is the same. */
#include "buffers.h"

/* --- training ----------------------------------------------------------------
 */

/* A step of training a transformer: micro-batch after micro-batch, forward
 * through all layers and back. What a layer's backward pass needs stays; the
 * gradients of weights are summed up over all micro-batches. */
typedef struct training {
    bench_buffers *b;
    uint32_t layers;
    uint32_t heads;
    uint64_t width; /* bytes of a row of activations */
    uint32_t tokens;
    uint32_t time; /* of the next operator */
    uint32_t ops;  /* of a layer, one way */
} training;

/* When the backward pass of a layer begins, seen from the micro-batch's start.
 */
static uint32_t backward_of(const training *t, uint32_t start, uint32_t layer)
{
    return start + t->layers * t->ops + (t->layers - 1 - layer) * t->ops;
}

static void forward_layer(training *t, uint32_t start, uint32_t layer)
{
    const uint64_t rows = (uint64_t)t->tokens * t->width;
    const uint64_t scores = (uint64_t)t->tokens * t->tokens * 2;
    const uint32_t back = backward_of(t, start, layer);
    const uint32_t now = t->time;
    /* Kept: input, norm, q, k, v, attended, norm, two of the mlp. */
    for (uint32_t k = 0; k < 9; ++k) {
        const uint64_t bytes = k < 7 ? rows : 4 * rows;
        buffers_add(t->b, now + k, back + 1 + buffers_below(t->ops - 1), bytes,
                    64);
    }
    for (uint32_t h = 0; h < t->heads; ++h) { /* logits go, scores stay */
        buffers_add(t->b, now + 4, now + 6, scores, 64);
        buffers_add(t->b, now + 5, back + t->ops / 2, scores, 64);
    }
    for (uint32_t k = 0; k < t->ops; ++k) { /* what the next operator reads */
        buffers_add(t->b, now + k, now + k + 1 + buffers_below(3),
                    rows * (1 + buffers_below(4)), 64);
    }
    t->time += t->ops;
}

static void backward_layer(training *t)
{
    const uint64_t rows = (uint64_t)t->tokens * t->width;
    for (uint32_t k = 0; k < t->ops; ++k) {
        buffers_add(t->b, t->time + k, t->time + k + 2 + buffers_below(4),
                    rows * (1 + buffers_below(4)), 64);
        if (k % 3 == 0) { /* a part of a gradient, before it is added */
            buffers_add(t->b, t->time + k, t->time + k + 1,
                        t->width * t->width / 2, 64);
        }
    }
    t->time += t->ops;
}

static void micro_batch(training *t)
{
    const uint32_t start = t->time;
    t->tokens = 256u + 32u * buffers_below(9); /* sentences differ */
    for (uint32_t layer = 0; layer < t->layers; ++layer) {
        forward_layer(t, start, layer);
    }
    for (uint32_t layer = 0; layer < t->layers; ++layer) {
        backward_layer(t);
    }
}

static void make_training(bench_buffers *b, uint32_t count)
{
    training t = {.b = b, .layers = 24, .heads = 4, .width = 2048, .ops = 12};
    while (b->problem.item_count < count) {
        micro_batch(&t);
    }
    for (uint32_t k = 0; k < 4 * t.layers; ++k) { /* gradients, summed */
        buffers_add(b, 0, b->problem.step_count, t.width * t.width, 64);
    }
}

/* One micro-batch through as many layers as it takes: a quarter of all buffers
 * is alive at the turn. */
static void make_deep(bench_buffers *b, uint32_t count)
{
    training t = {.b = b, .heads = 4, .width = 2048, .ops = 12};
    t.layers = count / 49 + 1;
    micro_batch(&t);
}

/* --- inference ---------------------------------------------------------------
 */

/* A convolutional net of blocks: a few branches of a few operators, joined and
 * added to what came in; every few blocks the map halves. Nets for detection
 * keep a map now and then for a head far behind. */
static void make_convnet(bench_buffers *b, uint32_t count)
{
    uint32_t time = 0;
    for (uint32_t block = 0; b->problem.item_count < count; ++block) {
        const uint64_t side = 112u >> (block / 6 % 5);
        const uint64_t map = side * side * (16u << (block / 6 % 5));
        const uint32_t branches = 1 + buffers_below(4);
        const uint32_t depth = 1 + buffers_below(3);
        const uint32_t end = time + branches * depth + 1;
        const uint32_t kept = buffers_below(12) == 0 ? buffers_below(400) : 1;
        buffers_add(b, time, end + kept, map, 16);
        for (uint32_t k = 0; k < branches * depth; ++k) {
            const uint32_t at = time + 1 + k;
            const bool last = (k + 1) % depth == 0;
            buffers_add(b, at, last ? end + 1 : at + 2,
                        map * (1 + buffers_below(3)) / 2 + 16, 16);
        }
        time = end;
    }
}

/* Four born a step; one in fifty lives for long, sizes over four decades. */
static void make_random(bench_buffers *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const bool long_lived = buffers_below(50) == 0;
        const uint32_t life = buffers_below(long_lived ? 5000 : 40);
        buffers_add(b, i / 4, i / 4 + 1 + life,
                    1 + buffers_below(1u << (6 + buffers_below(14))), 16);
    }
}

const buffers_kind buffers_kinds[] = {
    {"training", "micro-batches of a transformer's training", make_training,
     1000000},
    {"deep", "one micro-batch, deeper and deeper", make_deep, 31623},
    {"convnet", "blocks of branches, and maps kept for heads", make_convnet,
     1000000},
    {"random", "four born a step, one in fifty lives long", make_random,
     1000000},
};

const uint32_t buffers_kind_count =
    sizeof(buffers_kinds) / sizeof(buffers_kinds[0]);

/* SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: images of a batch against images
 * that hold every b-th pixel of one. Images have one or two axes between the
 * batch and the depth; one axis stands for two, the second of length 1.
 *
 *   wide [batch, height, width, depth]      deep [batch * b * c, ...]
 *
 * Pixel (y, x) of the wide image, counted with its margin, is pixel (y / b,
 * x / c) of the deep image ((y % b) * c + x % c) * batch + image. The margin is
 * padding on the way to batches and is cut off on the way back. */
#include "kernels/move.h"
#include "kernels/requant.h"

struct spread {
    const berth_operand *wide;
    const berth_operand *deep;
    int64_t batch; /* of the wide side */
    int64_t wide_side[2];
    int64_t deep_side[2];
    int64_t block[2];
    int64_t front[2]; /* margin before the wide side */
    uint64_t pixel;   /* bytes */
};

/* NULL, or what is wrong. */
static const char *read_spread(const berth_node *node, struct spread *s)
{
    const bool to_batch = node->op->code == BERTH_OP_SPACE_TO_BATCH_ND;
    const berth_operand *wide = to_batch ? &node->inputs[0] : &node->outputs[0];
    const berth_operand *deep = to_batch ? &node->outputs[0] : &node->inputs[0];
    const uint32_t axes = wide->rank - 2u;
    int64_t batch = deep->dims[0];
    *s = (struct spread){.wide = wide,
                         .deep = deep,
                         .wide_side = {1, 1},
                         .deep_side = {1, 1},
                         .block = {1, 1}};
    for (uint32_t i = 0; i < axes; ++i) {
        const int64_t block = kernel_index(&node->inputs[1], i);
        const int64_t front = kernel_index(&node->inputs[2], 2ull * i);
        const int64_t back = kernel_index(&node->inputs[2], 2ull * i + 1);
        if (block <= 0 || block > INT32_MAX || front < 0 || back < 0 ||
            front > INT32_MAX || back > INT32_MAX || batch % block != 0) {
            return "blocks of nothing, or margins of less";
        }
        batch /= block;
        s->block[i] = block;
        s->front[i] = front;
        s->wide_side[i] = wide->dims[i + 1];
        s->deep_side[i] = deep->dims[i + 1];
        if (s->wide_side[i] + front + back != s->deep_side[i] * block) {
            return "blocks and margins do not give the output's shape";
        }
    }
    s->batch = batch;
    s->pixel =
        (uint64_t)wide->dims[wide->rank - 1] * kernel_element_bytes(wide);
    return batch == wide->dims[0] ? NULL
                                  : "blocks do not give the output's batch";
}

static berth_status check_spread(const berth_node *node, berth_diag *diag)
{
    struct spread s;
    BERTH_TRY(kernel_check_counts(node, 3, 3, 1, diag));
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(kernel_check_moved(from, to, diag));
    if (to->quantization.scale_count > 0) {
        BERTH_TRY(kernel_check_quantized(to, diag));
    }
    const uint32_t rank = from->rank;
    const berth_operand *block = &node->inputs[1];
    const berth_operand *margin = &node->inputs[2];
    if ((rank != 3 && rank != 4) || to->rank != rank ||
        from->dims[rank - 1] != to->dims[rank - 1] || !kernel_is_index(block) ||
        !kernel_is_index(margin) || block->elements != rank - 2u ||
        margin->elements != 2u * (rank - 2u)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "not images with a block and a margin an axis");
    }
    const bool known = kernel_is_known(block) && kernel_is_known(margin);
    const char *wrong = known ? read_spread(node, &s) : NULL;
    return wrong == NULL ? BERTH_OK
                         : berth_refuse(diag, BERTH_BAD_MODEL, wrong);
}

/* A pixel of one side. */
struct pixel_place {
    int64_t image;
    int64_t at[2];
};

static struct pixel_place place_of(uint64_t pixel, const int64_t side[2])
{
    const uint64_t width = (uint64_t)side[1];
    const uint64_t height = (uint64_t)side[0];
    return (struct pixel_place){
        (int64_t)(pixel / width / height),
        {(int64_t)(pixel / width % height), (int64_t)(pixel % width)}};
}

static const uint8_t *pixel_at(const berth_operand *from, const int64_t side[2],
                               struct pixel_place p, uint64_t bytes)
{
    const int64_t pixel = (p.image * side[0] + p.at[0]) * side[1] + p.at[1];
    return kernel_byte(from, (uint64_t)pixel * bytes);
}

/* The wide pixel that a deep one comes from; NULL: it is margin. */
static const uint8_t *wide_pixel(const struct spread *s, uint64_t pixel)
{
    const struct pixel_place p = place_of(pixel, s->deep_side);
    const int64_t part = p.image / s->batch;
    const struct pixel_place wide = {
        p.image % s->batch,
        {p.at[0] * s->block[0] + part / s->block[1] - s->front[0],
         p.at[1] * s->block[1] + part % s->block[1] - s->front[1]}};
    const bool inside = wide.at[0] >= 0 && wide.at[0] < s->wide_side[0] &&
                        wide.at[1] >= 0 && wide.at[1] < s->wide_side[1];
    return inside ? pixel_at(s->wide, s->wide_side, wide, s->pixel) : NULL;
}

static const uint8_t *deep_pixel(const struct spread *s, uint64_t pixel)
{
    const struct pixel_place p = place_of(pixel, s->wide_side);
    const int64_t y = p.at[0] + s->front[0];
    const int64_t x = p.at[1] + s->front[1];
    const int64_t part = y % s->block[0] * s->block[1] + x % s->block[1];
    const struct pixel_place deep = {part * s->batch + p.image,
                                     {y / s->block[0], x / s->block[1]}};
    return pixel_at(s->deep, s->deep_side, deep, s->pixel);
}

/* Rows are the last axis: a pixel each, or all of them. */
static berth_status run_spread(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    const berth_operand *to = &node->outputs[0];
    const bool to_batch = node->op->code == BERTH_OP_SPACE_TO_BATCH_ND;
    const uint32_t size = kernel_element_bytes(to);
    uint8_t margin[16] = {0};
    struct spread s;
    if (read_spread(node, &s) != NULL) {
        return BERTH_BAD_DATA;
    }
    if (to->elements == 0) {
        return BERTH_OK;
    }
    if (to->type == BERTH_INT8 || to->type == BERTH_UINT8) {
        element_put(margin, 0, to->type, kernel_zero_point(to));
    }
    const uint64_t each = to->bytes / s.pixel / to->rows;
    for (uint64_t i = begin * each; i < end * each; ++i) {
        uint8_t *target = kernel_byte(to, i * s.pixel);
        const uint8_t *source =
            to_batch ? wide_pixel(&s, i) : deep_pixel(&s, i);
        if (source == NULL) {
            kernel_repeat(target, margin, size, s.pixel / size);
        } else {
            (void)memcpy(target, source, (size_t)s.pixel);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_space_batch = {
    .check = check_spread,
    .rows = run_spread,
    .data_error = "blocks and margins that do not give the output's shape",
};

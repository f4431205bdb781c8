/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. Formulas, down to the order of
 * float operations: TensorFlow Lite's reference kernels. int8 and int16 are
 * interpolated in 1/1024 of a pixel, without floats; uint8 in floats. */
#include "kernels/move.h"

#include "base/real.h"

/* One axis of an image. */
struct scaled_axis {
    int32_t in;
    int32_t out;
    bool corners; /* the first and the last pixels meet */
    bool half;    /* pixels have their middle at 1/2 */
};

/* A place between two pixels of an axis. */
struct between {
    int32_t low;
    int32_t high;
    float fraction;      /* of the way from low to high */
    int32_t fraction_10; /* the same in 1/1024 */
};

static struct scaled_axis axis_of_image(const berth_node *node, uint32_t axis)
{
    const bool bilinear = node->op->code == BERTH_OP_RESIZE_BILINEAR;
    const berth_option corners =
        bilinear ? BERTH_OPT_ResizeBilinearOptions_align_corners
                 : BERTH_OPT_ResizeNearestNeighborOptions_align_corners;
    const berth_option half =
        bilinear ? BERTH_OPT_ResizeBilinearOptions_half_pixel_centers
                 : BERTH_OPT_ResizeNearestNeighborOptions_half_pixel_centers;
    return (struct scaled_axis){
        .in = node->inputs[0].dims[axis],
        .out = node->outputs[0].dims[axis],
        .corners = berth_option_int(node->op, corners) != 0,
        .half = berth_option_int(node->op, half) != 0,
    };
}

/* --- checking ---------------------------------------------------------------
 */

static bool size_is_output(const berth_operand *size, const berth_operand *to)
{
    return !kernel_is_known(size) || (kernel_index(size, 0) == to->dims[1] &&
                                      kernel_index(size, 1) == to->dims[2]);
}

static berth_status check_resize(const berth_node *node, berth_diag *diag)
{
    enum { SIDE_MAX = 1 << 20 }; /* 1024 times that fits an int32 */
    BERTH_TRY(kernel_check_counts(node, 2, 2, 1, diag));
    const berth_operand *from = &node->inputs[0];
    const berth_operand *size = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(kernel_check_moved(from, to, diag));
    bool fits = from->rank == 4 && to->rank == 4 && size->elements == 2 &&
                kernel_is_index(size) && from->dims[0] == to->dims[0] &&
                from->dims[3] == to->dims[3] && size_is_output(size, to);
    for (uint32_t i = 1; fits && i < 3; ++i) {
        fits = from->dims[i] > 0 && from->dims[i] <= SIDE_MAX &&
               to->dims[i] > 0 && to->dims[i] <= SIDE_MAX;
    }
    if (!fits) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "not two batches of images, one resized");
    }
    const struct scaled_axis height = axis_of_image(node, 1);
    return height.corners && height.half
               ? berth_refuse(diag, BERTH_BAD_MODEL,
                              "half pixels and aligned corners at once")
               : BERTH_OK;
}

static berth_status check_bilinear(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(check_resize(node, diag));
    const uint8_t type = node->outputs[0].type;
    return type == BERTH_FLOAT32 || type == BERTH_UINT8 || type == BERTH_INT8 ||
                   type == BERTH_INT16
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "bilinear images of this type");
}

static uint64_t line_count(const berth_operand *images)
{
    return (uint64_t)images->dims[0] * (uint64_t)images->dims[1];
}

/* --- nearest ----------------------------------------------------------------
 */

static int32_t nearest(const struct scaled_axis *axis, int32_t at)
{
    const int32_t less = axis->corners && axis->out > 1 ? 1 : 0;
    const float scale = (float)(axis->in - less) / (float)(axis->out - less);
    const float place = ((float)at + (axis->half ? 0.5f : 0.0f)) * scale;
    const double whole =
        axis->corners ? real_round((double)place) : real_floor((double)place);
    const int32_t low = whole < 0 ? 0 : (int32_t)whole;
    return low < axis->in ? low : axis->in - 1;
}

static berth_status run_nearest(const berth_node *node, uint32_t begin,
                                uint32_t end)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const struct scaled_axis height = axis_of_image(node, 1);
    const struct scaled_axis width = axis_of_image(node, 2);
    const size_t pixel = (size_t)to->dims[3] * kernel_element_bytes(to);
    const uint64_t line = (uint64_t)from->dims[2] * pixel;
    if (to->elements == 0) {
        return BERTH_OK;
    }
    const uint64_t each = line_count(to) / node->row_count;
    for (uint64_t r = begin * each; r < end * each; ++r) {
        const uint64_t image = r / (uint64_t)height.out;
        const int32_t y = nearest(&height, (int32_t)(r % (uint64_t)height.out));
        const uint64_t row = image * (uint64_t)height.in + (uint64_t)y;
        uint8_t *target = kernel_byte(to, r * (uint64_t)to->dims[2] * pixel);
        for (int32_t x = 0; x < width.out; ++x) {
            const uint64_t at =
                row * line + (uint64_t)nearest(&width, x) * pixel;
            (void)memcpy(target, kernel_byte(from, at), pixel);
            target += pixel;
        }
    }
    return BERTH_OK;
}

/* --- bilinear ---------------------------------------------------------------
 */

static struct between between_floats(const struct scaled_axis *axis, int32_t at)
{
    const int32_t less = axis->corners && axis->out > 1 ? 1 : 0;
    const float scale = (float)(axis->in - less) / (float)(axis->out - less);
    const float place =
        axis->half ? ((float)at + 0.5f) * scale - 0.5f : (float)at * scale;
    const int32_t low = (int32_t)real_floor((double)place);
    const int32_t high = (int32_t)real_ceil((double)place);
    struct between b = {.low = low > 0 ? low : 0,
                        .high = high < axis->in - 1 ? high : axis->in - 1};
    b.fraction = place - (float)b.low;
    return b;
}

static struct between between_integers(const struct scaled_axis *axis,
                                       int32_t at)
{
    enum { ONE = 1 << 10 };
    const int64_t less = axis->corners && axis->out > 1 ? 1 : 0;
    const int64_t out = axis->out - less;
    const int64_t scale = (ONE * (axis->in - less) + out / 2) / out;
    const int64_t place =
        axis->half ? at * scale + scale / 2 - ONE / 2 : at * scale;
    const int64_t low = place / ONE;
    const int64_t high = (place + ONE - 1) / ONE;
    struct between b = {
        .low = (int32_t)(low > 0 ? low < axis->in - 1 ? low : axis->in - 1 : 0),
        .high = (int32_t)(high < axis->in - 1 ? high : axis->in - 1)};
    b.fraction_10 = (int32_t)(place - ONE * (int64_t)b.low);
    return b;
}

/* The four pixels around a place; c counts elements in a pixel. */
struct corners {
    const uint8_t *low_low; /* y, x */
    const uint8_t *high_low;
    const uint8_t *low_high;
    const uint8_t *high_high;
};

static void mix_floats(const struct corners *p, const struct between *y,
                       const struct between *x, uint8_t *to, size_t depth)
{
    for (size_t c = 0; c < depth; ++c) {
        const float value =
            kernel_get_f32(p->low_low, c) * (1.0f - y->fraction) *
                (1.0f - x->fraction) +
            kernel_get_f32(p->high_low, c) * y->fraction *
                (1.0f - x->fraction) +
            kernel_get_f32(p->low_high, c) * (1.0f - y->fraction) *
                x->fraction +
            kernel_get_f32(p->high_high, c) * y->fraction * x->fraction;
        element_put_f32(to, c, value);
    }
}

static void mix_u8(const struct corners *p, const struct between *y,
                   const struct between *x, uint8_t *to, size_t depth)
{
    for (size_t c = 0; c < depth; ++c) {
        const float value =
            (float)p->low_low[c] * (1.0f - y->fraction) * (1.0f - x->fraction) +
            (float)p->high_low[c] * y->fraction * (1.0f - x->fraction) +
            (float)p->low_high[c] * (1.0f - y->fraction) * x->fraction +
            (float)p->high_high[c] * y->fraction * x->fraction + 0.5f;
        to[c] = (uint8_t)(int32_t)value;
    }
}

/* Halves away from zero. */
static int32_t mix_one(int64_t low_low, int64_t high_low, int64_t low_high,
                       int64_t high_high, const struct between *y,
                       const struct between *x)
{
    enum { ONE = 1 << 10, HALF = 1 << 19 };
    const int64_t v = y->fraction_10;
    const int64_t h = x->fraction_10;
    const int64_t sum = low_low * (ONE - v) * (ONE - h) +
                        high_low * v * (ONE - h) + low_high * (ONE - v) * h +
                        high_high * v * h;
    return (int32_t)((sum + (sum > 0 ? HALF : -HALF)) / (1 << 20));
}

static void mix_i8(const struct corners *p, const struct between *y,
                   const struct between *x, uint8_t *to, size_t depth)
{
    for (size_t c = 0; c < depth; ++c) {
        to[c] = (uint8_t)mix_one(
            element_i8(p->low_low, c), element_i8(p->high_low, c),
            element_i8(p->low_high, c), element_i8(p->high_high, c), y, x);
    }
}

static void mix_i16(const struct corners *p, const struct between *y,
                    const struct between *x, uint8_t *to, size_t depth)
{
    for (size_t c = 0; c < depth; ++c) {
        element_put_i16(to, c,
                        mix_one(element_i16(p->low_low, c),
                                element_i16(p->high_low, c),
                                element_i16(p->low_high, c),
                                element_i16(p->high_high, c), y, x));
    }
}

typedef void mix(const struct corners *p, const struct between *y,
                 const struct between *x, uint8_t *to, size_t depth);
typedef struct between place_between(const struct scaled_axis *axis,
                                     int32_t at);

struct interpolation {
    uint8_t type;
    place_between *place;
    mix *mix;
};

static const struct interpolation interpolations[] = {
    {BERTH_FLOAT32, between_floats, mix_floats},
    {BERTH_UINT8, between_floats, mix_u8},
    {BERTH_INT8, between_integers, mix_i8},
    {BERTH_INT16, between_integers, mix_i16},
};

static const struct interpolation *interpolation_of(uint8_t type)
{
    uint32_t i = 0;
    while (interpolations[i].type != type) {
        i += 1; /* check_bilinear() knows that it is there */
    }
    return &interpolations[i];
}

/* One line of the output, between two lines of the input. */
static void mix_line(const berth_node *node, const struct interpolation *by,
                     uint64_t image, const struct between *y, uint8_t *target)
{
    const berth_operand *from = &node->inputs[0];
    const struct scaled_axis width = axis_of_image(node, 2);
    const uint64_t depth = (uint64_t)from->dims[3];
    const uint64_t pixel = depth * kernel_element_bytes(from);
    const uint64_t line = (uint64_t)from->dims[2] * pixel;
    const uint64_t first = image * (uint64_t)from->dims[1];
    const uint8_t *low = kernel_byte(from, (first + (uint64_t)y->low) * line);
    const uint8_t *high = kernel_byte(from, (first + (uint64_t)y->high) * line);
    for (int32_t i = 0; i < width.out; ++i) {
        const struct between x = by->place(&width, i);
        const size_t left = (size_t)((uint64_t)x.low * pixel);
        const size_t right = (size_t)((uint64_t)x.high * pixel);
        const struct corners corners = {low + left, high + left, low + right,
                                        high + right};
        by->mix(&corners, y, &x, target, (size_t)depth);
        target += pixel;
    }
}

static berth_status run_bilinear(const berth_node *node, uint32_t begin,
                                 uint32_t end)
{
    const berth_operand *to = &node->outputs[0];
    const struct interpolation *by = interpolation_of(to->type);
    const struct scaled_axis height = axis_of_image(node, 1);
    if (to->elements == 0) {
        return BERTH_OK;
    }
    const uint64_t line = to->bytes / line_count(to);
    const uint64_t each = line_count(to) / node->row_count;
    for (uint64_t r = begin * each; r < end * each; ++r) {
        const uint64_t image = r / (uint64_t)height.out;
        const struct between y =
            by->place(&height, (int32_t)(r % (uint64_t)height.out));
        mix_line(node, by, image, &y, kernel_byte(to, r * line));
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_resize_bilinear = {.check = check_bilinear,
                                                 .rows = run_bilinear};
const berth_kernel kernel_ref_resize_nearest = {.check = check_resize,
                                                .rows = run_nearest};

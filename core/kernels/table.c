/* Tables of functions. */
#include "kernels/table.h"

#include "base/real.h"
#include "kernels/element.h"

/* A float as an integer, as the reference's machine converts: what does not fit
 * becomes the least. */
static int32_t whole_of(float value)
{
    return value >= -0x1p31f && value < 0x1p31f ? (int32_t)value : INT32_MIN;
}

uint8_t kernel_table_8_once(const struct table_8 *t, uint8_t bits)
{
    const int32_t low = t->is_signed ? INT8_MIN : 0;
    const int32_t high = t->is_signed ? INT8_MAX : UINT8_MAX;
    const int32_t q = t->is_signed ? (int8_t)bits : bits;
    const float inverse = 1 / (float)t->out.scale;
    const float x = (float)t->in.scale * (float)(q - t->in.zero);
    const float steps = t->function(&t->curve, x) * inverse;
    const int32_t value =
        whole_of((float)real_round((double)steps) + (float)t->out.zero);
    const int32_t lowered = value > high ? high : value;
    return (uint8_t)(lowered < low ? low : lowered);
}

void kernel_table_8(const struct table_8 *t, uint8_t *table)
{
    for (uint32_t i = 0; i < TABLE_8_BYTES; ++i) {
        table[i] = kernel_table_8_once(t, (uint8_t)i);
    }
}

/* --- 16 bits ----------------------------------------------------------------
 * A sum of two floats made in double and rounded to float is that of floats, so
 * one function serves both. */

struct table_16 {
    curve_function *function; /* or NULL: */
    double (*wide)(double);
    const struct curve *curve;
    bool narrow;
    double low; /* of the input */
    double high;
    double step;
    double by; /* to steps of the output */
};

static double cut_to(const struct table_16 *t, double value)
{
    return t->narrow ? (double)(float)value : value;
}

/* The function at x, in steps of the output. */
static double steps_at(const struct table_16 *t, double x)
{
    const double value =
        t->narrow ? (double)t->function(t->curve, (float)x) : t->wide(x);
    return cut_to(t, value * t->by);
}

static void set_range(struct table_16 *t, struct table_side in,
                      struct table_side out)
{
    const double out_low = cut_to(t, out.scale * (INT16_MIN - out.zero));
    const double out_high = cut_to(t, out.scale * (INT16_MAX - out.zero));
    t->low = cut_to(t, in.scale * (INT16_MIN - in.zero));
    t->high = cut_to(t, in.scale * (INT16_MAX - in.zero));
    t->step = cut_to(t, cut_to(t, t->high - t->low) / (TABLE_16_COUNT - 1));
    t->by = cut_to(t, 65536 / cut_to(t, out_high - out_low));
}

static int32_t clamp_16(double value)
{
    const double lowered = value > INT16_MAX ? INT16_MAX : value;
    return lowered >= INT16_MIN ? (int32_t)lowered : INT16_MIN;
}

/* Each point is moved by half of what the line to the next is off in its
 * middle.
 */
static int32_t point_at(const struct table_16 *t, int32_t i)
{
    if (i == TABLE_16_COUNT - 1) {
        return clamp_16(real_round(steps_at(t, t->high)));
    }
    const double x = cut_to(t, t->low + cut_to(t, i * t->step));
    const double next = cut_to(t, t->low + cut_to(t, (i + 1) * t->step));
    const double half = cut_to(t, t->step / 2);
    const double value = real_round(steps_at(t, x));
    const double middle = real_round(steps_at(t, cut_to(t, x + half)));
    const double sum = cut_to(t, steps_at(t, next) + value);
    const double off = cut_to(t, real_round(sum / 2) - middle);
    return clamp_16(cut_to(t, value - real_round(off / 2)));
}

static void fill_table_16(const struct table_16 *t, uint8_t *table)
{
    for (int32_t i = 0; i < TABLE_16_COUNT; ++i) {
        element_put_i16(table, (size_t)i, point_at(t, i));
    }
}

void kernel_table_16(uint8_t *table, struct table_side in,
                     struct table_side out, curve_function *function,
                     const struct curve *curve)
{
    struct table_16 t = {.function = function, .curve = curve, .narrow = true};
    set_range(&t, in, out);
    fill_table_16(&t, table);
}

void kernel_table_16_of_double(uint8_t *table, struct table_side in,
                               struct table_side out, double (*wide)(double))
{
    struct table_16 t = {.wide = wide};
    set_range(&t, in, out);
    fill_table_16(&t, table);
}

/* x between two points of a table. */
static int32_t between(int32_t base, int32_t next, int32_t x)
{
    const int32_t slope = (int16_t)(next - base);
    return (int16_t)(base + ((slope * (x & 0x7f) + 64) >> 7));
}

static int32_t point_before(int32_t x)
{
    return 256 + (x >> 7);
}

int32_t kernel_table_16_at(const uint8_t *table, int32_t x)
{
    const size_t at = (size_t)point_before(x);
    return between(element_i16(table, at), element_i16(table, at + 1), x);
}

int32_t kernel_table_16_once(struct table_side in, struct table_side out,
                             double (*wide)(double), int32_t x)
{
    struct table_16 t = {.wide = wide};
    const int32_t at = point_before(x);
    set_range(&t, in, out);
    return between(point_at(&t, at), point_at(&t, at + 1), x);
}

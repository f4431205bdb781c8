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

void kernel_table_8(uint8_t *table, struct table_side in, struct table_side out,
                    bool is_signed, curve_function *function,
                    const struct curve *curve)
{
    const int32_t low = is_signed ? INT8_MIN : 0;
    const int32_t high = is_signed ? INT8_MAX : UINT8_MAX;
    const float inverse = 1 / (float)out.scale;
    for (int32_t q = low; q <= high; ++q) {
        const float x = (float)in.scale * (float)(q - in.zero);
        const float steps = function(curve, x) * inverse;
        const int32_t value =
            whole_of((float)real_round((double)steps) + (float)out.zero);
        const int32_t lowered = value > high ? high : value;
        table[(uint8_t)q] = (uint8_t)(lowered < low ? low : lowered);
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
};

static double cut_to(const struct table_16 *t, double value)
{
    return t->narrow ? (double)(float)value : value;
}

static double curve_at(const struct table_16 *t, double x)
{
    return t->narrow ? (double)t->function(t->curve, (float)x) : t->wide(x);
}

static void put_clamped(uint8_t *table, size_t i, double value)
{
    const double lowered = value > INT16_MAX ? INT16_MAX : value;
    element_put_i16(table, i,
                    lowered >= INT16_MIN ? (int32_t)lowered : INT16_MIN);
}

/* Each entry is moved by half of what the line to the next is off in its
 * middle. */
static void fill_table_16(const struct table_16 *t, uint8_t *table,
                          struct table_side in, struct table_side out)
{
    enum { STEPS = TABLE_16_COUNT - 1 };
    const double low = cut_to(t, in.scale * (INT16_MIN - in.zero));
    const double high = cut_to(t, in.scale * (INT16_MAX - in.zero));
    const double out_low = cut_to(t, out.scale * (INT16_MIN - out.zero));
    const double out_high = cut_to(t, out.scale * (INT16_MAX - out.zero));
    const double step = cut_to(t, cut_to(t, high - low) / STEPS);
    const double half = cut_to(t, step / 2);
    const double by = cut_to(t, 65536 / cut_to(t, out_high - out_low));
    for (int32_t i = 0; i < STEPS; ++i) {
        const double x = cut_to(t, low + cut_to(t, i * step));
        const double next = cut_to(t, low + cut_to(t, (i + 1) * step));
        const double value = real_round(cut_to(t, curve_at(t, x) * by));
        const double middle =
            real_round(cut_to(t, curve_at(t, cut_to(t, x + half)) * by));
        const double sum = cut_to(t, cut_to(t, curve_at(t, next) * by) + value);
        const double off = cut_to(t, real_round(sum / 2) - middle);
        put_clamped(table, (size_t)i, cut_to(t, value - real_round(off / 2)));
    }
    put_clamped(table, STEPS, real_round(cut_to(t, curve_at(t, high) * by)));
}

void kernel_table_16(uint8_t *table, struct table_side in,
                     struct table_side out, curve_function *function,
                     const struct curve *curve)
{
    const struct table_16 t = {
        .function = function, .curve = curve, .narrow = true};
    fill_table_16(&t, table, in, out);
}

void kernel_table_16_of_double(uint8_t *table, struct table_side in,
                               struct table_side out, double (*curve)(double))
{
    const struct table_16 t = {.wide = curve};
    fill_table_16(&t, table, in, out);
}

int32_t kernel_table_16_at(const uint8_t *table, int32_t x)
{
    const size_t at = (size_t)(256 + (x >> 7));
    const int32_t base = element_i16(table, at);
    const int32_t slope = (int16_t)(element_i16(table, at + 1) - base);
    return (int16_t)(base + ((slope * (x & 0x7f) + 64) >> 7));
}

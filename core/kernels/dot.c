/* Dot products, one function for each pair of types. */
#include "kernels/dot.h"

#include "base/real.h"
#include "kernels/element.h"

/* --- integers ---------------------------------------------------------------
 */

#define DOT_INTS_TABLE(X)                                                      \
    X(i8, i8, BERTH_INT8, BERTH_INT8)                                          \
    X(i8, i4, BERTH_INT8, BERTH_INT4)                                          \
    X(u8, u8, BERTH_UINT8, BERTH_UINT8)                                        \
    X(i16, i8, BERTH_INT16, BERTH_INT8)                                        \
    X(i16, i4, BERTH_INT16, BERTH_INT4)                                        \
    X(i16, i16, BERTH_INT16, BERTH_INT16)

#define DOT_INTS_FUNCTION(a_name, b_name, a_type, b_type)                      \
    static int64_t dot_##a_name##_##b_name(const struct factor *a,             \
                                           const struct factor *b, size_t n)   \
    {                                                                          \
        int64_t sum = 0;                                                       \
        for (size_t i = 0; i < n; ++i) {                                       \
            const int32_t x =                                                  \
                element_##a_name(a->data, a->first + i * a->step);             \
            const int32_t y =                                                  \
                element_##b_name(b->data, b->first + i * b->step);             \
            sum += (int64_t)(x - a->zero) * (y - b->zero);                     \
        }                                                                      \
        return sum;                                                            \
    }
DOT_INTS_TABLE(DOT_INTS_FUNCTION)
#undef DOT_INTS_FUNCTION

struct dot_ints_row {
    uint8_t a_type;
    uint8_t b_type;
    dot_ints *dot;
};

static const struct dot_ints_row dot_ints_rows[] = {
#define DOT_INTS_ROW(a_name, b_name, a_type, b_type)                           \
    {a_type, b_type, dot_##a_name##_##b_name},
    DOT_INTS_TABLE(DOT_INTS_ROW)
#undef DOT_INTS_ROW
};

dot_ints *kernel_dot_ints(uint8_t a_type, uint8_t b_type)
{
    const size_t n = sizeof(dot_ints_rows) / sizeof(dot_ints_rows[0]);
    for (size_t i = 0; i < n; ++i) {
        if (dot_ints_rows[i].a_type == a_type &&
            dot_ints_rows[i].b_type == b_type) {
            return dot_ints_rows[i].dot;
        }
    }
    return NULL;
}

/* --- floats -----------------------------------------------------------------
 */

/* Each type's element as a float; what DEQUANTIZE would make of it. */
static inline float worth_f32(const uint8_t *data, size_t i, float scale,
                              int32_t zero)
{
    (void)scale;
    (void)zero;
    return kernel_get_f32(data, i);
}

static inline float worth_f16(const uint8_t *data, size_t i, float scale,
                              int32_t zero)
{
    (void)scale;
    (void)zero;
    return real_of_f16(element_u16(data, i));
}

static inline float worth_i8(const uint8_t *data, size_t i, float scale,
                             int32_t zero)
{
    return scale * (float)(element_i8(data, i) - zero);
}

static inline float worth_u8(const uint8_t *data, size_t i, float scale,
                             int32_t zero)
{
    return scale * (float)(element_u8(data, i) - zero);
}

static inline float worth_i16(const uint8_t *data, size_t i, float scale,
                              int32_t zero)
{
    return scale * (float)(element_i16(data, i) - zero);
}

static inline float worth_i4(const uint8_t *data, size_t i, float scale,
                             int32_t zero)
{
    return scale * (float)(element_i4(data, i) - zero);
}

#define DOT_FLOATS_TABLE(X)                                                    \
    X(f32, BERTH_FLOAT32)                                                      \
    X(f16, BERTH_FLOAT16)                                                      \
    X(i8, BERTH_INT8)                                                          \
    X(u8, BERTH_UINT8)                                                         \
    X(i16, BERTH_INT16)                                                        \
    X(i4, BERTH_INT4)

#define DOT_FLOATS_FUNCTION(name, type)                                        \
    static float dot_floats_##name(float sum, const struct factor *a,          \
                                   const struct factor *b, size_t n)           \
    {                                                                          \
        for (size_t i = 0; i < n; ++i) {                                       \
            sum += kernel_get_f32(a->data, a->first + i * a->step) *           \
                   worth_##name(b->data, b->first + i * b->step, b->scale,     \
                                b->zero);                                      \
        }                                                                      \
        return sum;                                                            \
    }
DOT_FLOATS_TABLE(DOT_FLOATS_FUNCTION)
#undef DOT_FLOATS_FUNCTION

/* Whole units first: compilers make vectors of a loop whose length they know.
 */
enum { DECODE_UNIT = 16 };

#define DECODE_FUNCTION(name, type)                                            \
    static void decode_##name(const uint8_t *data, size_t first, size_t n,     \
                              float scale, int32_t zero, float *restrict to)   \
    {                                                                          \
        size_t i = 0;                                                          \
        for (; n - i >= DECODE_UNIT; i += DECODE_UNIT) {                       \
            for (size_t l = i; l < i + DECODE_UNIT; ++l) {                     \
                to[l] = worth_##name(data, first + l, scale, zero);            \
            }                                                                  \
        }                                                                      \
        for (; i < n; ++i) {                                                   \
            to[i] = worth_##name(data, first + i, scale, zero);                \
        }                                                                      \
    }
DOT_FLOATS_TABLE(DECODE_FUNCTION)
#undef DECODE_FUNCTION

typedef void decode_function(const uint8_t *data, size_t first, size_t n,
                             float scale, int32_t zero, float *restrict to);

struct dot_floats_row {
    uint8_t type;
    dot_floats *dot;
    decode_function *decode;
};

static const struct dot_floats_row dot_floats_rows[] = {
#define DOT_FLOATS_ROW(name, type) {type, dot_floats_##name, decode_##name},
    DOT_FLOATS_TABLE(DOT_FLOATS_ROW)
#undef DOT_FLOATS_ROW
};

static const struct dot_floats_row *dot_floats_row_of(uint8_t type)
{
    const size_t n = sizeof(dot_floats_rows) / sizeof(dot_floats_rows[0]);
    for (size_t i = 0; i < n; ++i) {
        if (dot_floats_rows[i].type == type) {
            return &dot_floats_rows[i];
        }
    }
    return NULL;
}

dot_floats *kernel_dot_floats(uint8_t b_type)
{
    const struct dot_floats_row *row = dot_floats_row_of(b_type);
    return row == NULL ? NULL : row->dot;
}

float kernel_float_at(const berth_operand *operand, size_t i, float scale,
                      int32_t zero)
{
    float value;
    kernel_floats_at(operand, i, 1, scale, zero, &value);
    return value;
}

void kernel_floats_at(const berth_operand *operand, size_t first, size_t n,
                      float scale, int32_t zero, float *to)
{
    dot_floats_row_of(operand->type)
        ->decode(operand->data, first, n, scale, zero, to);
}

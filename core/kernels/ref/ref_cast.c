/* CAST: any number as one of another type. A number is read as what it is, a
 * whole number or a real, and written as what it becomes. */
#include "base/real.h"
#include "kernels/element.h"
#include "kernels/flat.h"
#include "kernels/whole.h"

#include <string.h>

struct number {
    bool is_whole;
    int64_t whole;
    double real;
    float imaginary;
};

struct cast_run {
    uint8_t from;
    uint8_t to;
};

static struct number whole_number(int64_t value)
{
    return (struct number){.is_whole = true, .whole = value};
}

static struct number real_number(double value)
{
    return (struct number){.real = value};
}

static struct number load_number(const uint8_t *data, size_t i, uint8_t type)
{
    struct number n;
    if (type == BERTH_FLOAT32) {
        return real_number((double)kernel_get_f32(data, i));
    }
    if (type == BERTH_FLOAT64) {
        return real_number(real_of_bits((uint64_t)element_i64(data, i)));
    }
    if (type == BERTH_FLOAT16) {
        return real_number((double)real_of_f16(element_u16(data, i)));
    }
    if (type == BERTH_COMPLEX64) {
        n = real_number((double)kernel_get_f32(data, 2 * i));
        n.imaginary = kernel_get_f32(data, 2 * i + 1);
        return n;
    }
    if (type == BERTH_INT4) {
        return whole_number(element_i4(data, i));
    }
    return whole_number(kernel_whole_of(type)->get(data, i));
}

/* A whole number is rounded to float once, not to double first. */
static float float_of(const struct number *n)
{
    return n->is_whole ? (float)n->whole : (float)n->real;
}

static double double_of(const struct number *n)
{
    return n->is_whole ? (double)n->whole : n->real;
}

/* Reals saturate and NaN becomes the largest; whole numbers lose bits. */
static int64_t whole_of_number(const struct number *n, const struct whole *to)
{
    if (n->is_whole) {
        return n->whole;
    }
    if (!(n->real < (double)to->high + 1)) {
        return to->high;
    }
    return n->real > (double)to->low ? (int64_t)n->real : to->low;
}

static void store_number(uint8_t *data, size_t i, uint8_t type,
                         const struct number *n)
{
    if (type == BERTH_FLOAT32) {
        element_put_f32(data, i, float_of(n));
    } else if (type == BERTH_FLOAT64) {
        const double value = double_of(n);
        memcpy(data + i * sizeof(value), &value, sizeof(value));
    } else if (type == BERTH_FLOAT16) {
        const uint16_t value = real_to_f16(float_of(n));
        memcpy(data + i * sizeof(value), &value, sizeof(value));
    } else if (type == BERTH_COMPLEX64) {
        element_put_f32(data, 2 * i, float_of(n));
        element_put_f32(data, 2 * i + 1, n->imaginary);
    } else if (type == BERTH_BOOL) {
        data[i] = n->is_whole ? n->whole != 0 : n->real != 0;
    } else {
        const struct whole *to = kernel_whole_of(type);
        to->put(data, i, whole_of_number(n, to));
    }
}

/* --- the kernel -------------------------------------------------------------
 */

static bool is_cast(uint8_t type)
{
    return type != BERTH_UINT64 && kernel_whole_of(type) != NULL;
}

/* 4-bit numbers become floats and floats become them, as in TFLite. */
static bool casts(uint8_t from, uint8_t to)
{
    const uint32_t reals =
        TYPES(FLOAT32) | TYPES(FLOAT64) | TYPES(FLOAT16) | TYPES(COMPLEX64);
    const bool reads = kernel_is_of(from, reals) || is_cast(from) ||
                       (from == BERTH_INT4 && to == BERTH_FLOAT32);
    const bool writes = kernel_is_of(to, reals) || is_cast(to) ||
                        (to == BERTH_INT4 && from == BERTH_FLOAT32);
    return reads && writes;
}

static berth_status check_cast(const berth_node *node, berth_diag *diag)
{
    BERTH_TRY(kernel_check_flat(node, diag));
    return casts(node->inputs[0].type, node->outputs[0].type)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_UNSUPPORTED,
                              "a conversion between these element types");
}

static void cast_elements(const struct flat_run *run, const void *param)
{
    const struct cast_run *cast = param;
    for (size_t i = 0; i < run->count; ++i) {
        const struct number n = load_number(run->in, i, cast->from);
        store_number(run->out, i, cast->to, &n);
    }
}

/* Ascending, so that the first of a byte may clear it. */
static void pack_floats(const struct flat_run *run, const void *param)
{
    (void)param;
    for (size_t i = 0; i < run->count; ++i) {
        const float value = kernel_get_f32(run->in, i);
        const float lowered = value < 7 ? value : 7;
        const int32_t whole = (int32_t)(lowered > -8 ? lowered : -8);
        const uint8_t half = (uint8_t)((uint32_t)whole & 15u);
        run->out[i / 2] =
            i % 2 == 0 ? half
                       : (uint8_t)(run->out[i / 2] | (uint32_t)half << 4);
    }
}

static berth_status run_cast(const berth_node *node, uint32_t begin,
                             uint32_t end)
{
    const struct cast_run run = {node->inputs[0].type, node->outputs[0].type};
    kernel_flat(node, begin, end,
                run.to == BERTH_INT4 ? pack_floats : cast_elements, &run);
    return BERTH_OK;
}

const berth_kernel kernel_ref_cast = {
    .check = check_cast,
    .rows = run_cast,
};

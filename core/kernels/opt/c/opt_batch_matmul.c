/* BATCH_MATMUL. Where the right's columns lie side by side, vectors go over
 * columns and each sum meets its products in the order of the reference; where
 * they lie one behind the other, it is a FULLY_CONNECTED whose filter is the
 * right matrix. What neither serves, the reference does. */
#include "kernels/element.h"
#include "kernels/matmul.h"
#include "kernels/opt/c/opt_product.h"

enum { COLUMNS = OPT_BLOCK };

/* GNU C, gcc and clang: single instructions where the target has them. */
typedef float column_lanes __attribute__((vector_size(16)));

static inline column_lanes columns_at(const uint8_t *from, size_t i)
{
    column_lanes l;
    __builtin_memcpy(&l, from + i * sizeof(l), sizeof(l));
    return l;
}

static void sum_sixteen_f32(const struct matmul *m, const struct factor *a,
                            const uint8_t *right, float *sum)
{
    const size_t pitch = m->right.step * sizeof(float);
    column_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (size_t k = 0; k < m->left.depth; ++k, right += pitch) {
        const float x = kernel_get_f32(a->data, a->first + k * a->step);
        s0 += x * columns_at(right, 0);
        s1 += x * columns_at(right, 1);
        s2 += x * columns_at(right, 2);
        s3 += x * columns_at(right, 3);
    }
    const column_lanes all[4] = {s0, s1, s2, s3};
    __builtin_memcpy(sum, all, sizeof(all));
}

/* Columns from element b on, sixteen or what is left. */
static void sum_columns_f32(const struct matmul *m, const struct factor *a,
                            size_t b, uint32_t count, float *sum)
{
    const uint8_t *right = m->right.of->data + b * sizeof(float);
    if (count == COLUMNS) {
        sum_sixteen_f32(m, a, right, sum);
        return;
    }
    for (size_t k = 0; k < m->left.depth; ++k) {
        const float x = kernel_get_f32(a->data, a->first + k * a->step);
        for (size_t l = 0; l < count; ++l) {
            sum[l] += x * kernel_get_f32(right, k * m->right.step + l);
        }
    }
}

static void sum_columns_i8(const struct matmul *m, const struct factor *a,
                           size_t b, uint32_t count, int32_t *restrict sum)
{
    const uint8_t *restrict right = m->right.of->data;
    const int16_t zero = (int16_t)kernel_zero_point(m->right.of);
    for (size_t k = 0; k < m->left.depth; ++k) {
        const int16_t x =
            (int16_t)(element_i8(a->data, a->first + k * a->step) - a->zero);
        const uint8_t *restrict at = right + b + k * m->right.step;
        if (count == COLUMNS) {
            for (size_t l = 0; l < COLUMNS; ++l) {
                sum[l] += x * (int16_t)(element_i8(at, l) - zero);
            }
        } else {
            for (size_t l = 0; l < count; ++l) {
                sum[l] += x * (int16_t)(element_i8(at, l) - zero);
            }
        }
    }
}

static void make_columns(const struct matmul *m, struct opt_finish *finish,
                         uint32_t row)
{
    const struct factor a = kernel_matmul_left(m, row);
    const size_t matrix = kernel_matmul_right(m, row);
    uint8_t *out = berth_operand_row(m->w.output, row);
    for (size_t j = 0; j < m->right.lines; j += COLUMNS) {
        const size_t left = m->right.lines - j;
        union opt_sums sums = {.wide = {0}};
        finish->count = left < COLUMNS ? (uint32_t)left : COLUMNS;
        if (kernel_is_float(&m->w)) {
            sum_columns_f32(m, &a, matrix + j, finish->count, sums.floats);
        } else {
            sum_columns_i8(m, &a, matrix + j, finish->count, sums.ints);
        }
        kernel_opt_finish(finish, &sums, out, j);
    }
}

/* The right's matrix as the filter of a FULLY_CONNECTED, for one row. */
static void make_dots(const struct matmul *m, struct opt_block *block,
                      uint32_t row)
{
    const size_t size = kernel_is_float(&m->w) ? sizeof(float) : 1;
    const struct factor a = kernel_matmul_left(m, row);
    berth_operand filter = *m->right.of;
    struct weights w = m->w;
    filter.data += kernel_matmul_right(m, row) * size;
    filter.elements = m->right.lines * m->right.depth;
    w.filter = &filter;
    block->w = &w;
    const struct opt_rows rows = {
        .source = kernel_opt_source(&w),
        .first = a.data + a.first * size,
    };
    for (size_t j = 0; j < m->right.lines; j += COLUMNS) {
        const size_t left = m->right.lines - j;
        block->channel = (uint32_t)j;
        block->finish.count = left < COLUMNS ? (uint32_t)left : COLUMNS;
        kernel_opt_product(block, &(struct opt_spots){
                                      .from = &rows,
                                      .fetch = kernel_opt_fetch_row,
                                      .out = berth_operand_row(w.output, row),
                                      .spots = 1,
                                  });
    }
}

enum matmul_way { BY_REFERENCE, BY_COLUMNS, BY_DOTS };

static enum matmul_way matmul_way_of(const struct matmul *m)
{
    const uint8_t type = m->right.of->type;
    const bool known = type == m->left.of->type &&
                       (type == BERTH_FLOAT32 || type == BERTH_INT8);
    if (!known) {
        return BY_REFERENCE;
    }
    if (m->right.line_step == 1) {
        return BY_COLUMNS;
    }
    /* tiles take int8 filters to be symmetric */
    const bool plain =
        type == BERTH_FLOAT32 || kernel_zero_point(m->right.of) == 0;
    return m->left.step == 1 && plain ? BY_DOTS : BY_REFERENCE;
}

static berth_status run_opt_matmul(const berth_node *node, uint32_t begin,
                                   uint32_t end)
{
    struct matmul m;
    struct opt_block block;
    BERTH_TRY(kernel_matmul_of(node, &m, NULL));
    const enum matmul_way way = matmul_way_of(&m);
    if (way == BY_REFERENCE || m.w.output->elements == 0) {
        return kernel_ref_batch_matmul.rows(node, begin, end);
    }
    block.w = &m.w;
    block.depth = m.left.depth;
    if (!kernel_is_float(&m.w)) {
        const struct rescale shared =
            kernel_rescale_of(&m.w, RESCALE_TWICE, true);
        kernel_rescale_channels(&shared, &m.w, 0, COLUMNS,
                                block.finish.rescale);
    }
    kernel_opt_finish_start(&block.finish, &m.w, 0, COLUMNS);
    for (uint32_t row = begin; row < end; ++row) {
        if (way == BY_COLUMNS) {
            make_columns(&m, &block.finish, row);
        } else {
            make_dots(&m, &block, row);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_opt_batch_matmul = {.check = kernel_check_matmul,
                                              .rows = run_opt_matmul};

/* PAD and PADV2: the input with a rim around it. The output is written in runs:
 * along the last axis that grows a run is rim, input, rim; it is all rim where
 * an axis in front says so. */
#include "kernels/move.h"
#include "kernels/requant.h"

struct rim {
    uint32_t first_inside; /* axes from here on lie within a row */
    uint32_t run_axis;
    uint64_t run;                 /* elements of the output */
    uint64_t before;              /* of them in front of the input's */
    uint64_t inside;              /* and the input's */
    int64_t front[MOVE_RANK_MAX]; /* rim in front, by axis */
};

/* NULL, or what is wrong with the sizes of the rim. */
static const char *read_rim(const berth_node *node, struct rim *rim)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *sizes = &node->inputs[1];
    const berth_operand *to = &node->outputs[0];
    if (from->rank != to->rank || sizes->elements != 2ull * from->rank) {
        return "a rim needs two sizes for each axis";
    }
    rim->run_axis = 0;
    for (uint32_t i = 0; i < from->rank; ++i) {
        const int64_t before = kernel_index(sizes, 2ull * i);
        const int64_t after = kernel_index(sizes, 2ull * i + 1);
        if (before < 0 || after < 0 || before > INT32_MAX ||
            after > INT32_MAX ||
            before + from->dims[i] + after != to->dims[i]) {
            return "a rim of less than nothing, or not the output's shape";
        }
        rim->front[i] = before;
        rim->run_axis = before + after > 0 ? i : rim->run_axis;
    }
    return NULL;
}

/* Runs do not leave a row of the output, which has `row` elements. */
static void cut_runs(const berth_operand *from, const berth_operand *to,
                     uint64_t row, struct rim *rim)
{
    uint32_t axis = to->rank;
    while (axis > 0 && (uint64_t)kernel_span(to, axis, to->rank) < row) {
        axis -= 1;
    }
    if (rim->run_axis < axis || to->rank == 0) {
        rim->run_axis = axis; /* rows are all rim or all input */
        rim->before = 0;
        rim->inside = row;
        rim->run = row;
        return;
    }
    const uint64_t unit = (uint64_t)kernel_step(to, rim->run_axis);
    rim->before = (uint64_t)rim->front[rim->run_axis] * unit;
    rim->inside = (uint64_t)from->dims[rim->run_axis] * unit;
    rim->run = (uint64_t)to->dims[rim->run_axis] * unit;
}

/* The element of the input where run i begins; false: all of it is rim. */
static bool find_source(const berth_operand *from, const berth_operand *to,
                        const struct rim *rim, uint64_t i, uint64_t *element)
{
    bool inside = true;
    *element = 0;
    for (uint32_t k = rim->run_axis; k > 0; --k) {
        const uint32_t axis = k - 1;
        const uint64_t dim = (uint64_t)to->dims[axis];
        const int64_t at = (int64_t)(i % dim) - rim->front[axis];
        i /= dim;
        inside = inside && at >= 0 && at < from->dims[axis];
        *element +=
            inside ? (uint64_t)at * (uint64_t)kernel_step(from, axis) : 0;
    }
    return inside;
}

static void write_runs(const berth_node *node, const struct rim *rim,
                       const uint8_t *value, uint64_t begin, uint64_t end)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const uint32_t size = kernel_element_bytes(to);
    for (uint64_t i = begin; i < end; ++i) {
        uint8_t *target = kernel_byte(to, i * rim->run * size);
        uint64_t element = 0;
        if (rim->inside == 0 || !find_source(from, to, rim, i, &element)) {
            kernel_repeat(target, value, size, rim->run);
            continue;
        }
        uint8_t *middle = target + rim->before * size;
        uint8_t *after = middle + rim->inside * size;
        kernel_copy(middle, kernel_byte(from, element * size),
                    (size_t)(rim->inside * size));
        kernel_repeat(target, value, size, rim->before);
        kernel_repeat(after, value, size, rim->run - rim->before - rim->inside);
    }
}

/* --- the kernels ------------------------------------------------------------
 */

static berth_status check_pad(const berth_node *node, berth_diag *diag)
{
    const uint32_t inputs = node->op->code == BERTH_OP_PADV2 ? 3 : 2;
    BERTH_TRY(kernel_check_counts(node, inputs, inputs, 1, diag));
    const berth_operand *to = &node->outputs[0];
    BERTH_TRY(kernel_check_moved(&node->inputs[0], to, diag));
    if (!kernel_is_index(&node->inputs[1])) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a parameter that is not int32 or int64");
    }
    if (inputs == 3 &&
        (node->inputs[2].type != to->type || node->inputs[2].elements != 1)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a rim is filled with one value of the type");
    }
    if (inputs == 2 && to->quantization.scale_count > 0) {
        BERTH_TRY(kernel_check_quantized(to, diag));
    }
    struct rim rim;
    const char *wrong =
        kernel_is_known(&node->inputs[1]) ? read_rim(node, &rim) : NULL;
    return wrong == NULL ? BERTH_OK
                         : berth_refuse(diag, BERTH_BAD_MODEL, wrong);
}

/* PAD fills with what is worth 0. */
static void rim_value(const berth_node *node, uint8_t value[16])
{
    const berth_operand *to = &node->outputs[0];
    (void)memset(value, 0, 16);
    if (node->input_count > 2) {
        (void)memcpy(value, node->inputs[2].data, kernel_element_bytes(to));
    } else if (to->type == BERTH_INT8 || to->type == BERTH_UINT8 ||
               to->type == BERTH_INT16) {
        element_put(value, 0, to->type, kernel_zero_point(to));
    }
}

static berth_status run_pad(const berth_node *node, uint32_t begin,
                            uint32_t end)
{
    const berth_operand *to = &node->outputs[0];
    uint8_t value[16];
    struct rim rim;
    if (read_rim(node, &rim) != NULL) {
        return BERTH_BAD_DATA;
    }
    if (to->elements == 0) {
        return BERTH_OK;
    }
    const bool at_once = begin == 0 && end == to->rows &&
                         kernel_lies_whole(&node->inputs[0]) &&
                         kernel_lies_whole(to);
    const uint64_t row = to->elements / to->rows;
    rim_value(node, value);
    cut_runs(&node->inputs[0], to, at_once ? to->elements : row, &rim);
    write_runs(node, &rim, value, begin * row / rim.run, end * row / rim.run);
    return BERTH_OK;
}

const berth_kernel kernel_ref_pad = {
    .check = check_pad,
    .rows = run_pad,
    .data_error = "sizes of a rim that do not give the output's shape",
};

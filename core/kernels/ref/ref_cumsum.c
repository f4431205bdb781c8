/* CUMSUM: along one axis every element becomes the sum of those up to it. */
#include "kernels/chain.h"
#include "kernels/element.h"
#include "kernels/move.h"
#include "kernels/whole.h"

struct cumsum {
    uint64_t outer;
    uint64_t depth;
    uint64_t inner; /* elements from one to the next along the axis */
    bool exclusive; /* without the element itself */
    bool reverse;
    struct pair pair;
    const struct whole *whole;
};

/* NULL, or what is wrong with the axis. */
static const char *cumsum_plan(const berth_node *node, struct cumsum *c)
{
    const berth_operand *in = &node->inputs[0];
    const int64_t axis =
        kernel_axis(kernel_index(&node->inputs[1], 0), in->rank);
    if (axis < 0) {
        return "an axis that the input has not";
    }
    c->outer = (uint64_t)kernel_span(in, 0, (uint32_t)axis);
    c->depth = (uint64_t)in->dims[axis];
    c->inner = (uint64_t)kernel_step(in, (uint32_t)axis);
    c->exclusive =
        berth_option_int(node->op, BERTH_OPT_CumsumOptions_exclusive) != 0;
    c->reverse =
        berth_option_int(node->op, BERTH_OPT_CumsumOptions_reverse) != 0;
    c->whole = kernel_whole_of(in->type);
    return NULL;
}

static berth_status check_cumsum(const berth_node *node, berth_diag *diag)
{
    const uint32_t types =
        TYPES(FLOAT32) | TYPES(INT32) | TYPES(INT64) | TYPES(INT8);
    struct cumsum c;
    const berth_operand *in = kernel_input(node, 0);
    const berth_operand *axis = kernel_input(node, 1);
    if (node->input_count != 2 || node->output_count != 1 || in == NULL ||
        axis == NULL || axis->elements != 1 || !kernel_is_index(axis)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "a running sum has an input, an axis, an output");
    }
    const berth_operand *out = &node->outputs[0];
    if (!kernel_is_of(in->type, types) || in->type != out->type) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "an element type that the operator has not");
    }
    if (in->elements != out->elements || in->bytes != out->bytes ||
        in->bytes != in->elements * kernel_element_bytes(in) ||
        in->elements != (uint64_t)kernel_span(in, 0, in->rank)) {
        return berth_refuse(diag, BERTH_BAD_MODEL,
                            "an operand that does not fit its shape");
    }
    BERTH_TRY(kernel_check_walk(in, 1, diag));
    BERTH_TRY(kernel_check_walk(out, 1, diag));
    const char *wrong = kernel_is_known(axis) ? cumsum_plan(node, &c) : NULL;
    if (wrong != NULL) {
        return berth_refuse(diag, BERTH_BAD_MODEL, wrong);
    }
    return in->type == BERTH_INT8 ? kernel_chain_of(node, &c.pair, diag)
                                  : BERTH_OK;
}

/* --- lines ------------------------------------------------------------------
 */

/* Where element number i of a line lies, in the order of summing. */
static size_t cumsum_at(const struct cumsum *c, uint64_t line, uint64_t i)
{
    const uint64_t along = c->reverse ? c->depth - 1 - i : i;
    return (size_t)((line / c->inner * c->depth + along) * c->inner +
                    line % c->inner);
}

static void sum_line_f32(const struct cumsum *c, const uint8_t *in,
                         uint8_t *out, uint64_t line)
{
    float sum = 0;
    for (uint64_t i = 0; i < c->depth; ++i) {
        const size_t at = cumsum_at(c, line, i);
        const float next = sum + kernel_get_f32(in, at);
        element_put_f32(out, at, c->exclusive ? sum : next);
        sum = next;
    }
}

static void sum_line_whole(const struct cumsum *c, const uint8_t *in,
                           uint8_t *out, uint64_t line)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < c->depth; ++i) {
        const size_t at = cumsum_at(c, line, i);
        const int64_t next = wrap_add_64(sum, c->whole->get(in, at));
        c->whole->put(out, at, c->exclusive ? sum : next);
        sum = next;
    }
}

static void sum_line_i8(const struct cumsum *c, const uint8_t *in, uint8_t *out,
                        uint64_t line)
{
    int32_t sum = chain_start(&c->pair);
    for (uint64_t i = 0; i < c->depth; ++i) {
        const size_t at = cumsum_at(c, line, i);
        const int32_t next = chain_add(&c->pair, sum, element_i8(in, at));
        out[at] = (uint8_t)pair_placed(&c->pair, c->exclusive ? sum : next);
        sum = next;
    }
}

static berth_status run_cumsum(const berth_node *node, uint32_t begin,
                               uint32_t end)
{
    const berth_operand *in = &node->inputs[0];
    const berth_operand *out = &node->outputs[0];
    struct cumsum c = {0};
    (void)begin;
    (void)end;
    if (cumsum_plan(node, &c) != NULL) {
        return BERTH_BAD_DATA;
    }
    if (in->type == BERTH_INT8) {
        BERTH_TRY(kernel_chain_of(node, &c.pair, NULL));
    }
    for (uint64_t line = 0; line < c.outer * c.inner; ++line) {
        if (in->type == BERTH_FLOAT32) {
            sum_line_f32(&c, in->data, out->data, line);
        } else if (in->type == BERTH_INT8) {
            sum_line_i8(&c, in->data, out->data, line);
        } else {
            sum_line_whole(&c, in->data, out->data, line);
        }
    }
    return BERTH_OK;
}

const berth_kernel kernel_ref_cumsum = {
    .check = check_cumsum,
    .rows = run_cumsum,
    .data_error = "an axis that the input has not",
};

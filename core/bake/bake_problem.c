/* TFLM's head as a problem whose plan is free, and who may share bytes.
 *
 * RESHAPE: TFLM's kernel copies unless input and output have one address. Both
 * then hold the same bytes as long as either lives, so the two are tied.
 *
 * In place: where a reference kernel is one loop that reads element i of an
 * operand and then writes element i of the output, the output may begin at the
 * operand or before it. Only for an operand of the output's shape and type that
 * dies there; a broadcast operand is read again and again. */
#include "bake/bake_int.h"

#include <string.h>

/* --- which kernels are such loops -------------------------------------------
 */

/* Read in tflite-micro's kernels and the reference_ops that they call; bit i:
 * operand i. LEAKY_RELU and the like take one, ADD and the like two. Left out
 * are kernels that pass over a row twice (SOFTMAX, L2_NORMALIZATION) and those
 * of several passes over the whole (ADD_N). */
typedef struct bake_loop {
    uint32_t code;
    uint32_t operands;
} bake_loop;

static const bake_loop bake_loops[] = {
    {BERTH_OP_ABS, 1},         {BERTH_OP_ADD, 3},
    {BERTH_OP_CEIL, 1},        {BERTH_OP_COS, 1},
    {BERTH_OP_DIV, 3},         {BERTH_OP_ELU, 1},
    {BERTH_OP_EXP, 1},         {BERTH_OP_FLOOR, 1},
    {BERTH_OP_HARD_SWISH, 1},  {BERTH_OP_LEAKY_RELU, 1},
    {BERTH_OP_LOG, 1},         {BERTH_OP_LOGICAL_AND, 3},
    {BERTH_OP_LOGICAL_NOT, 1}, {BERTH_OP_LOGICAL_OR, 3},
    {BERTH_OP_LOGISTIC, 1},    {BERTH_OP_MAXIMUM, 3},
    {BERTH_OP_MINIMUM, 3},     {BERTH_OP_MUL, 3},
    {BERTH_OP_NEG, 1},         {BERTH_OP_PRELU, 1},
    {BERTH_OP_RELU, 1},        {BERTH_OP_RELU6, 1},
    {BERTH_OP_ROUND, 1},       {BERTH_OP_RSQRT, 1},
    {BERTH_OP_SIN, 1},         {BERTH_OP_SQRT, 1},
    {BERTH_OP_SQUARE, 1},      {BERTH_OP_SQUARED_DIFFERENCE, 3},
    {BERTH_OP_SUB, 3},         {BERTH_OP_TANH, 1},
};

static uint32_t loop_operands(uint32_t code)
{
    for (size_t i = 0; i < sizeof(bake_loops) / sizeof(bake_loops[0]); ++i) {
        if (bake_loops[i].code == code) {
            return bake_loops[i].operands;
        }
    }
    return 0;
}

/* --- building ---------------------------------------------------------------
 */

typedef struct bake_builder {
    const berth_graph *graph;
    const berth_micro *micro;
    uint32_t share;
    berth_item *items;
    berth_link *links;
    berth_tie *ties;
    uint32_t *tensor_of;
    uint32_t *item_of; /* by tensor */
    uint32_t item_count;
    uint32_t link_count;
    uint32_t tie_count;
} bake_builder;

/* Every output has at most two operands that it may lie over. */
#define BAKE_LINKS_PER_ITEM 2u

static bool problem_need(const berth_graph *graph, const berth_micro *micro,
                         size_t *need)
{
    const size_t items = micro->problem.item_count;
    return BERTH_NEED(need, berth_item, items) &&
           BERTH_NEED(need, berth_link, items * BAKE_LINKS_PER_ITEM) &&
           BERTH_NEED(need, berth_tie, items) &&
           BERTH_NEED(need, uint32_t, items) &&
           BERTH_NEED(need, uint32_t, graph->tensor_count);
}

berth_status berth_bake_problem_bytes(const berth_graph *graph,
                                      const berth_micro *micro, size_t *bytes,
                                      berth_diag *diag)
{
    size_t need = 0;
    if (!problem_need(graph, micro, &need)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
    }
    *bytes = need;
    return BERTH_OK;
}

static void take_problem(bake_builder *b, berth_work *work)
{
    const size_t items = b->micro->problem.item_count;
    b->items = BERTH_TAKE(work, berth_item, items);
    b->links = BERTH_TAKE(work, berth_link, items * BAKE_LINKS_PER_ITEM);
    b->ties = BERTH_TAKE(work, berth_tie, items);
    b->tensor_of = BERTH_TAKE(work, uint32_t, items);
    b->item_of = BERTH_TAKE(work, uint32_t, b->graph->tensor_count);
}

/* The items but for variables, which only an offset in the file brings into
 * the head. */
static void copy_items(bake_builder *b)
{
    const berth_problem *problem = &b->micro->problem;
    for (uint32_t t = 0; t < b->graph->tensor_count; ++t) {
        b->item_of[t] = BERTH_NONE;
    }
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint32_t tensor = b->micro->tensor_of_item[i];
        if (tensor != BERTH_NONE &&
            (b->graph->tensors[tensor].flags & BERTH_TENSOR_VARIABLE) != 0) {
            continue;
        }
        if (tensor != BERTH_NONE) {
            b->item_of[tensor] = b->item_count;
        }
        b->items[b->item_count] = problem->items[i];
        b->items[b->item_count].fixed = BERTH_NOWHERE;
        b->items[b->item_count].align = BAKE_ALIGN;
        b->tensor_of[b->item_count++] = tensor;
    }
}

static berth_span span_of(const bake_builder *b, uint32_t item)
{
    return b->micro->problem.spans[b->items[item].first_span];
}

/* The item of operand i of the operator that makes `tensor`; BERTH_NONE. */
static uint32_t operand_item(const bake_builder *b, uint32_t op, uint32_t i)
{
    if (i >= b->graph->ops[op].input_count) {
        return BERTH_NONE;
    }
    const uint32_t tensor = berth_graph_inputs(b->graph, op)[i];
    return tensor == BERTH_NONE ? BERTH_NONE : b->item_of[tensor];
}

/* --- ties -------------------------------------------------------------------
 */

static bool hands_through(const bake_builder *b, uint32_t code)
{
    return ((b->share & BERTH_BAKE_VIEWS) != 0 && code == BERTH_OP_RESHAPE) ||
           ((b->share & BERTH_BAKE_INPLACE) != 0 &&
            code == BERTH_OP_EXPAND_DIMS);
}

static void tie_item(bake_builder *b, uint32_t item, uint32_t op)
{
    const uint32_t owner = operand_item(b, op, 0);
    if (owner != BERTH_NONE && owner != item &&
        b->items[owner].size == b->items[item].size) {
        b->ties[b->tie_count++] = (berth_tie){.a = owner, .b = item};
    }
}

/* --- links ------------------------------------------------------------------
 */

static bool same_form(const berth_graph *graph, uint32_t a, uint32_t b)
{
    const berth_tensor ta = berth_graph_tensor_info(graph, a);
    const berth_tensor tb = berth_graph_tensor_info(graph, b);
    if (ta.type != tb.type || ta.shape.count != tb.shape.count) {
        return false;
    }
    return ta.shape.count == 0 ||
           memcmp(ta.shape.at, tb.shape.at, (size_t)ta.shape.count * 4) == 0;
}

/* TFLM reads the outputs of a subgraph at the time of its last operator. */
static bool dies_there(const bake_builder *b, uint32_t input, uint32_t output)
{
    const berth_span in = span_of(b, input);
    const berth_span out = span_of(b, output);
    const uint8_t flags = b->graph->tensors[b->tensor_of[input]].flags;
    return (flags & BERTH_TENSOR_OUTPUT) == 0 && in.born < out.born &&
           in.dead == out.born + 1;
}

/* The output may begin where the operand does, or before. */
static berth_link loop_link(const bake_builder *b, uint32_t input,
                            uint32_t output)
{
    if (input < output) {
        return (berth_link){input, output, 0, (int64_t)b->items[input].size};
    }
    return (berth_link){output, input, -(int64_t)b->items[input].size, 0};
}

static void link_item(bake_builder *b, uint32_t item, uint32_t op)
{
    const uint32_t operands = loop_operands(b->graph->ops[op].code);
    uint32_t before = BERTH_NONE;
    for (uint32_t i = 0; i < BAKE_LINKS_PER_ITEM; ++i) {
        const uint32_t input = operand_item(b, op, i);
        if ((operands >> i & 1u) != 0 && input != BERTH_NONE &&
            input != before && dies_there(b, input, item) &&
            same_form(b->graph, b->tensor_of[input], b->tensor_of[item])) {
            b->links[b->link_count++] = loop_link(b, input, item);
            before = input;
        }
    }
}

static bool link_before(const berth_link *x, const berth_link *y)
{
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void sift_link(berth_link *links, uint32_t at, uint32_t count)
{
    const berth_link moving = links[at];
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count &&
            link_before(&links[child], &links[child + 1])) {
            ++child;
        }
        if (!link_before(&moving, &links[child])) {
            break;
        }
        links[at] = links[child];
        at = child;
    }
    links[at] = moving;
}

/* Heap sort; no two links are equal. */
static void sort_links(berth_link *links, uint32_t count)
{
    for (uint32_t at = count / 2; at > 0; --at) {
        sift_link(links, at - 1, count);
    }
    for (uint32_t end = count; end > 1; --end) {
        const berth_link largest = links[0];
        links[0] = links[end - 1];
        links[end - 1] = largest;
        sift_link(links, 0, end - 1);
    }
}

/* --- the whole --------------------------------------------------------------
 */

static void share_all(bake_builder *b)
{
    for (uint32_t item = 0; item < b->item_count; ++item) {
        const uint32_t tensor = b->tensor_of[item];
        const uint32_t op = tensor == BERTH_NONE
                                ? BERTH_NONE
                                : b->graph->tensors[tensor].producer;
        if (op == BERTH_NONE ||
            berth_graph_outputs(b->graph, op)[0] != tensor) {
            continue;
        }
        if (hands_through(b, b->graph->ops[op].code)) {
            tie_item(b, item, op);
        } else if ((b->share & BERTH_BAKE_INPLACE) != 0) {
            link_item(b, item, op);
        }
    }
    sort_links(b->links, b->link_count);
}

berth_status berth_bake_problem_init(const berth_graph *graph,
                                     const berth_micro *micro, uint32_t share,
                                     berth_work *work,
                                     berth_bake_problem *problem,
                                     berth_diag *diag)
{
    size_t need = 0;
    BERTH_TRY(berth_bake_problem_bytes(graph, micro, &need, diag));
    BERTH_TRY(berth_work_check(work, need, diag));
    bake_builder b = {.graph = graph, .micro = micro, .share = share};
    take_problem(&b, work);
    copy_items(&b);
    share_all(&b);
    *problem = (berth_bake_problem){
        .problem = {.items = b.items,
                    .spans = micro->problem.spans,
                    .links = b.links,
                    .ties = b.ties,
                    .item_count = b.item_count,
                    .span_count = micro->problem.span_count,
                    .link_count = b.link_count,
                    .tie_count = b.tie_count,
                    .step_count = micro->problem.step_count},
        .tensor_of_item = b.tensor_of};
    return BERTH_OK;
}

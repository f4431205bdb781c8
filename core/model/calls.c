/* Which operator calls which subgraphs, and that calls come to an end.
 *
 * The search is depth first with its path kept in the visits themselves (each
 * open subgraph knows who opened it, and where to go on), so that a chain of a
 * million subgraphs costs no stack. Each operator is looked at once per
 * callee: linear. */
#include "base/base_int.h"
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

/* Codes of the schema whose options name subgraphs. */
enum {
    CODE_CALL = 31,
    CODE_IF = 118,
    CODE_WHILE = 119,
    CODE_CALL_ONCE = 129,
    CODE_STABLEHLO_REDUCE = 174,
    CODE_STABLEHLO_SCATTER = 190,
    CODE_STABLEHLO_REDUCE_WINDOW = 198,
    CODE_STABLEHLO_SORT = 199,
    CODE_STABLEHLO_WHILE = 200,
    CODE_STABLEHLO_COMPOSITE = 206,
    CODE_STABLEHLO_CASE = 209,
    CODE_COUNT
};

/* What an option with subgraphs is to its operator. */
enum call_sort {
    CALL_NONE,
    CALL_MUST,  /* called; an operator without the table makes no sense */
    CALL_LIST,  /* called: a vector of indexes, empty if absent */
    CALL_RECIPE /* not called, only looked at: how to combine two elements */
};

typedef struct call_rule {
    uint8_t sort;
    uint8_t count;  /* of CALL_MUST: fields in a row from `first` on */
    uint16_t first; /* berth_option */
} call_rule;

static const call_rule CALL_RULES[CODE_COUNT] = {
    [CODE_CALL] = {CALL_MUST, 1, BERTH_OPT_CallOptions_subgraph},
    [CODE_IF] = {CALL_MUST, 2, BERTH_OPT_IfOptions_then_subgraph_index},
    [CODE_WHILE] = {CALL_MUST, 2, BERTH_OPT_WhileOptions_cond_subgraph_index},
    [CODE_CALL_ONCE] = {CALL_MUST, 1,
                        BERTH_OPT_CallOnceOptions_init_subgraph_index},
    [CODE_STABLEHLO_REDUCE] =
        {CALL_RECIPE, 1, BERTH_OPT_StablehloReduceOptions_body_subgraph_index},
    [CODE_STABLEHLO_SCATTER] =
        {CALL_RECIPE, 1,
         BERTH_OPT_StablehloScatterOptions_update_computation_subgraph_index},
    [CODE_STABLEHLO_REDUCE_WINDOW] =
        {CALL_RECIPE, 1,
         BERTH_OPT_StablehloReduceWindowOptions_body_subgraph_index},
    [CODE_STABLEHLO_SORT] =
        {CALL_RECIPE, 1,
         BERTH_OPT_StablehloSortOptions_comparator_subgraph_index},
    [CODE_STABLEHLO_WHILE] =
        {CALL_MUST, 2, BERTH_OPT_StablehloWhileOptions_cond_subgraph_index},
    [CODE_STABLEHLO_COMPOSITE] =
        {CALL_MUST, 1,
         BERTH_OPT_StableHLOCompositeOptions_decomposition_subgraph_index},
    [CODE_STABLEHLO_CASE] =
        {CALL_LIST, 0, BERTH_OPT_StablehloCaseOptions_branch_subgraph_indices},
};

_Static_assert((int)BERTH_OPT_IfOptions_else_subgraph_index ==
                       (int)BERTH_OPT_IfOptions_then_subgraph_index + 1 &&
                   (int)BERTH_OPT_WhileOptions_body_subgraph_index ==
                       (int)BERTH_OPT_WhileOptions_cond_subgraph_index + 1,
               "fields of one rule stand in a row");

static call_rule rule_of(const berth_operator *op)
{
    static const call_rule none = {CALL_NONE, 0, 0};
    return op->code < CODE_COUNT ? CALL_RULES[op->code] : none;
}

/* The table that the rule's option is in, if the operator has it. */
static const uint8_t *table_of_rule(const berth_operator *op, call_rule rule)
{
    const uint32_t table = layout_table_of_option((berth_option)rule.first);
    if (table == layout_of_union(UNION_Options, op->options_type)) {
        return op->options;
    }
    if (table == layout_of_union(UNION_Options2, op->options2_type)) {
        return op->options2;
    }
    return NULL;
}

/* How many subgraphs the options name, called or not. */
static uint32_t named_count(const berth_operator *op, call_rule rule)
{
    return rule.sort == CALL_LIST
               ? berth_option_ints(op, (berth_option)rule.first).count
               : rule.count;
}

static int64_t named_subgraph(const berth_operator *op, call_rule rule,
                              uint32_t i)
{
    if (rule.sort == CALL_LIST) {
        return berth_ivec_at(berth_option_ints(op, (berth_option)rule.first),
                             i);
    }
    return berth_option_int(op, (berth_option)(rule.first + i));
}

static uint32_t callee_count(const berth_operator *op)
{
    const call_rule rule = rule_of(op);
    return rule.sort == CALL_MUST || rule.sort == CALL_LIST
               ? named_count(op, rule)
               : 0;
}

uint32_t berth_model_callees(const berth_model *model, const berth_operator *op,
                             uint32_t *callees, uint32_t most)
{
    (void)model;
    const uint32_t count = callee_count(op);
    for (uint32_t i = 0; i < count && i < most; ++i) {
        callees[i] = (uint32_t)named_subgraph(op, rule_of(op), i);
    }
    return count;
}

static berth_status wrong_call(const berth_model *model, uint32_t subgraph,
                               uint32_t op, const char *what, berth_diag *diag)
{
    const uint8_t *at = model_operator_table(model, subgraph, op);
    const uint64_t offset = (uint64_t)(at - model->file.data);
    const berth_status status = model_damage(diag, what, offset);
    if (diag != NULL) {
        diag->subgraph = subgraph;
        diag->op = op;
    }
    return status;
}

/* The subgraphs that one operator names exist. */
static berth_status check_named_subgraphs(const berth_model *model,
                                          uint32_t subgraph, uint32_t index,
                                          berth_diag *diag)
{
    const berth_operator op = berth_model_operator(model, subgraph, index);
    const call_rule rule = rule_of(&op);
    if (rule.sort == CALL_NONE) {
        return BERTH_OK;
    }
    if (rule.sort == CALL_MUST && table_of_rule(&op, rule) == NULL) {
        return wrong_call(model, subgraph, index,
                          "an operator that calls lacks its options", diag);
    }
    const uint32_t count = named_count(&op, rule);
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t named = named_subgraph(&op, rule, i);
        if (named < 0 || named >= (int64_t)model->subgraph_count) {
            return wrong_call(model, subgraph, index,
                              "an operator names no subgraph", diag);
        }
    }
    return BERTH_OK;
}

/* --- the search for a circle ------------------------------------------------
 */

/* Marks in model_visit.op, above any operator's index. */
#define VISIT_NEW  BERTH_NONE
#define VISIT_DONE (BERTH_NONE - 1u)

/* The next subgraph that the open one calls, BERTH_NONE after the last. */
static uint32_t next_callee(const berth_model *model, uint32_t subgraph,
                            model_visit *visit)
{
    const uint32_t op_count = berth_model_subgraph(model, subgraph).op_count;
    for (; visit->op < op_count; ++visit->op, visit->callee = 0) {
        const berth_operator op =
            berth_model_operator(model, subgraph, visit->op);
        if (visit->callee < callee_count(&op)) {
            return (uint32_t)named_subgraph(&op, rule_of(&op), visit->callee++);
        }
    }
    return BERTH_NONE;
}

/* Opens `root` and all that it reaches; fails at the call that closes a
 * circle. */
static berth_status follow_calls(const berth_model *model, uint32_t root,
                                 model_visit *visits, berth_diag *diag)
{
    visits[root] = (model_visit){0, 0, BERTH_NONE};
    uint32_t open = root;
    while (open != BERTH_NONE) {
        model_visit *visit = &visits[open];
        const uint32_t callee = next_callee(model, open, visit);
        if (callee == BERTH_NONE) {
            visit->op = VISIT_DONE;
            open = visit->caller;
        } else if (visits[callee].op == VISIT_NEW) {
            visits[callee] = (model_visit){0, 0, open};
            open = callee;
        } else if (visits[callee].op != VISIT_DONE) {
            return wrong_call(model, open, visit->op,
                              "subgraphs call each other in a circle", diag);
        }
    }
    return BERTH_OK;
}

berth_status model_calls_check(const berth_model *model, model_visit *visits,
                               berth_diag *diag)
{
    for (uint32_t s = 0; s < model->subgraph_count; ++s) {
        const uint32_t op_count = berth_model_subgraph(model, s).op_count;
        for (uint32_t op = 0; op < op_count; ++op) {
            BERTH_TRY(check_named_subgraphs(model, s, op, diag));
        }
        visits[s].op = VISIT_NEW;
    }
    for (uint32_t s = 0; s < model->subgraph_count; ++s) {
        if (visits[s].op == VISIT_NEW) {
            BERTH_TRY(follow_calls(model, s, visits, diag));
        }
    }
    return BERTH_OK;
}

/* Ties: tensors that are the bytes of another.
 *
 * Two kinds of writes make a tensor the bytes of its source: a view (RESHAPE
 * and its like), and a move that hands the caller's tensor to a callee which
 * only reads it. A tensor all of whose writes come from one source is tied to
 * it; with two sources (a subgraph called from two places) it is copied.
 *
 * Why L3 holds. A view is written by its operator alone, behind its source's
 * operator and before it can run again. A handed-over input lives inside the
 * call, while the caller's own operators stand still. Carried tensors of loops
 * are written anew by BACK, in a step that reads all views of them first, so
 * whatever is tied to them is read by then.
 *
 * No circles: a source is an earlier tensor of the same subgraph, or one of a
 * subgraph that calls this one. */
#include "lifetime_int.h"

#define SOURCE_MIXED (BERTH_NONE - 1u)

static void add_source(lifetime_draft *d, uint32_t tensor, uint32_t source)
{
    if (tensor == BERTH_NONE) {
        return;
    }
    const uint32_t known = d->source[tensor];
    if (source == BERTH_NONE || source == tensor) {
        d->source[tensor] = SOURCE_MIXED;
    } else if (known == BERTH_NONE) {
        d->source[tensor] = source;
    } else if (known != source) {
        d->source[tensor] = SOURCE_MIXED;
    }
}

static uint32_t source_of(const lifetime_draft *d, const berth_step *step,
                          uint32_t i)
{
    if (lifetime_hands_over(step)) {
        return step->reads[i];
    }
    const uint32_t code = d->graph->ops[step->op].code;
    const bool view = step->kind == BERTH_STEP_OP && i == 0 &&
                      step->read_count > 0 &&
                      (berth_op_contract_of(code)->flags & BERTH_OP_VIEW) != 0;
    return view ? step->reads[0] : BERTH_NONE;
}

static void find_sources(lifetime_draft *d)
{
    for (uint32_t t = 0; t < d->graph->tensor_count; ++t) {
        d->source[t] = BERTH_NONE;
    }
    for (uint32_t s = 0; s < d->schedule->step_count; ++s) {
        const berth_step *step = &d->schedule->steps[s];
        for (uint32_t i = 0; i < step->write_count; ++i) {
            add_source(d, step->writes[i], source_of(d, step, i));
        }
    }
}

/* A tensor that is kept must not lose its bytes to the next iteration or call:
 * only what runs once may be kept as the bytes of another. */
static bool may_tie(const lifetime_draft *d, uint32_t tensor, uint32_t source)
{
    if (source == BERTH_NONE || source == SOURCE_MIXED ||
        lifetime_item(d, source) == BERTH_NONE) {
        return false;
    }
    const uint8_t marks = d->marks[tensor] | d->marks[source];
    return (marks & LIFETIME_PINNED) == 0 &&
           d->shapes->of[tensor].bytes == d->shapes->of[source].bytes &&
           ((d->marks[tensor] & LIFETIME_KEPT) == 0 ||
            lifetime_in_main(d, tensor));
}

void lifetime_tie_views(lifetime_draft *d)
{
    find_sources(d);
    for (uint32_t item = 0; item < d->item_count; ++item) {
        const uint32_t tensor = d->tensor_of_item[item];
        if (tensor == BERTH_NONE) {
            break; /* scratch from here on */
        }
        const uint32_t source = d->source[tensor];
        if (d->options->no_views || !may_tie(d, tensor, source)) {
            d->source[tensor] = BERTH_NONE;
            continue;
        }
        d->ties[d->tie_count++] = (berth_tie){
            .a = d->item_of_tensor[source],
            .b = item,
        };
        if (d->class_of_tensor[tensor] == BERTH_CLASS_INNER) {
            d->class_of_tensor[tensor] = BERTH_CLASS_VIEW;
        }
    }
}

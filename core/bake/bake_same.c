/* Is it still the same model? Everything that a reader hands out must lie where
 * it lay, moved by one distance, and hold the same bytes. */
#include "bake/bake_int.h"
#include "model/model_int.h"

#include <string.h>

typedef struct bake_pair {
    const berth_model *old;
    const berth_model *new_;
    uint64_t shift;
    berth_diag *diag;
} bake_pair;

static berth_status refuse_pair(const bake_pair *pair, uint32_t subgraph,
                                uint32_t op, uint32_t tensor, const char *what)
{
    (void)berth_refuse(pair->diag, BERTH_UNSUPPORTED, what);
    if (pair->diag != NULL) {
        pair->diag->subgraph = subgraph;
        pair->diag->op = op;
        pair->diag->tensor = tensor;
    }
    return BERTH_UNSUPPORTED;
}

static bool same_spot(const bake_pair *pair, const uint8_t *a, const uint8_t *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return (uint64_t)(b - pair->new_->file.data) ==
           (uint64_t)(a - pair->old->file.data) + pair->shift;
}

static bool same_data(const bake_pair *pair, berth_bytes a, berth_bytes b)
{
    return a.size == b.size && same_spot(pair, a.data, b.data) &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool same_ints(const bake_pair *pair, berth_ivec a, berth_ivec b)
{
    return same_data(pair, (berth_bytes){a.at, (size_t)a.count * 4},
                     (berth_bytes){b.at, (size_t)b.count * 4});
}

static bool same_tensor(const bake_pair *pair, uint32_t s, uint32_t t)
{
    const berth_tensor a = berth_model_tensor(pair->old, s, t);
    const berth_tensor b = berth_model_tensor(pair->new_, s, t);
    return same_data(pair, a.name, b.name) && a.type == b.type &&
           a.has_rank == b.has_rank && a.is_variable == b.is_variable &&
           a.has_sparsity == b.has_sparsity && a.has_variant == b.has_variant &&
           a.buffer == b.buffer && a.external_buffer == b.external_buffer &&
           same_ints(pair, a.shape, b.shape) &&
           same_ints(pair, a.signature, b.signature) &&
           same_data(pair, a.data, b.data) &&
           same_spot(pair, model_tensor_table(pair->old, s, t),
                     model_tensor_table(pair->new_, s, t));
}

static bool same_operator(const bake_pair *pair, uint32_t s, uint32_t op)
{
    const berth_operator a = berth_model_operator(pair->old, s, op);
    const berth_operator b = berth_model_operator(pair->new_, s, op);
    return a.code == b.code && a.version == b.version &&
           same_data(pair, a.custom_name, b.custom_name) &&
           same_ints(pair, a.inputs, b.inputs) &&
           same_ints(pair, a.outputs, b.outputs) &&
           same_ints(pair, a.intermediates, b.intermediates) &&
           same_data(pair, a.custom_options, b.custom_options) &&
           a.options_type == b.options_type &&
           a.options2_type == b.options2_type &&
           same_spot(pair, a.options, b.options) &&
           same_spot(pair, a.options2, b.options2);
}

static berth_status compare_subgraph(const bake_pair *pair, uint32_t s)
{
    const berth_subgraph a = berth_model_subgraph(pair->old, s);
    const berth_subgraph b = berth_model_subgraph(pair->new_, s);
    if (a.tensor_count != b.tensor_count || a.op_count != b.op_count ||
        !same_data(pair, a.name, b.name) ||
        !same_ints(pair, a.inputs, b.inputs) ||
        !same_ints(pair, a.outputs, b.outputs)) {
        return refuse_pair(pair, s, BERTH_NONE, BERTH_NONE,
                           "the copy's subgraph is another one");
    }
    for (uint32_t t = 0; t < a.tensor_count; ++t) {
        if (!same_tensor(pair, s, t)) {
            return refuse_pair(pair, s, BERTH_NONE, t,
                               "the copy's tensor is another one");
        }
    }
    for (uint32_t op = 0; op < a.op_count; ++op) {
        if (!same_operator(pair, s, op)) {
            return refuse_pair(pair, s, op, BERTH_NONE,
                               "the copy's operator is another one");
        }
    }
    return BERTH_OK;
}

/* All metadata but plans, in order; then the copy's only plan. */
static bool same_metadata(const bake_pair *pair)
{
    const uint32_t old_count = berth_model_metadata_count(pair->old);
    const uint32_t new_count = berth_model_metadata_count(pair->new_);
    uint32_t at = 0;
    for (uint32_t i = 0; i < old_count; ++i) {
        if (bake_is_plan(pair->old, i)) {
            continue;
        }
        const berth_metadata a = berth_model_metadata(pair->old, i);
        if (at == new_count) {
            return false;
        }
        const berth_metadata b = berth_model_metadata(pair->new_, at++);
        if (a.buffer != b.buffer || !same_data(pair, a.name, b.name) ||
            !same_data(pair, berth_model_buffer(pair->old, a.buffer),
                       berth_model_buffer(pair->new_, b.buffer))) {
            return false;
        }
    }
    return at + 1 == new_count && bake_is_plan(pair->new_, at);
}

static bool same_signatures(const bake_pair *pair)
{
    const uint32_t count = berth_model_signature_count(pair->old);
    if (count != berth_model_signature_count(pair->new_)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const berth_signature a = berth_model_signature(pair->old, i);
        const berth_signature b = berth_model_signature(pair->new_, i);
        if (!same_data(pair, a.name, b.name) || a.subgraph != b.subgraph ||
            a.input_count != b.input_count ||
            a.output_count != b.output_count) {
            return false;
        }
    }
    return true;
}

berth_status berth_bake_same(const berth_model *model, const berth_model *baked,
                             berth_diag *diag)
{
    const bake_pair pair = {.old = model,
                            .new_ = baked,
                            .shift = (uint64_t)baked->file.size -
                                     (uint64_t)model->file.size,
                            .diag = diag};
    if (baked->file.size < model->file.size ||
        baked->subgraph_count != model->subgraph_count) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "the copy has another number of subgraphs");
    }
    for (uint32_t s = 0; s < model->subgraph_count; ++s) {
        BERTH_TRY(compare_subgraph(&pair, s));
    }
    if (!same_metadata(&pair) || !same_signatures(&pair) ||
        !same_data(&pair, model->description, baked->description)) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "the copy's metadata or signatures differ");
    }
    return BERTH_OK;
}

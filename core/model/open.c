/* Opening a model: ask, lend, verify, index.
 *
 * What is kept is one struct and twenty bytes for each subgraph; everything
 * else is read from the file when it is asked for. */
#include "base/base_int.h"
#include "model/flat.h"
#include "model/layout.h"
#include "model/model_int.h"

enum { SCHEMA_VERSION = 3, FILE_ALIGN = 16 };

/* Empty files, and files that resemble nothing, are damaged models; a file of
 * another kind is sound but served elsewhere. */
static berth_status check_kind(berth_bytes file, berth_diag *diag)
{
    const berth_file_kind kind = berth_file_kind_of(file);
    const char *what = berth_file_kind_text(kind);
    switch (kind) {
    case BERTH_FILE_TFLITE:
        break;
    case BERTH_FILE_EMPTY:
    case BERTH_FILE_UNKNOWN:
        return model_damage(diag, what, 0);
    default:
        return berth_refuse(diag, BERTH_UNSUPPORTED, what);
    }
    if (((uintptr_t)file.data & (FILE_ALIGN - 1u)) != 0) {
        return berth_refuse(diag, BERTH_MISALIGNED,
                            "the file's bytes do not start 16-aligned");
    }
    return BERTH_OK;
}

berth_status berth_model_bytes(berth_bytes file, size_t *bytes,
                               berth_diag *diag)
{
    BERTH_TRY(check_kind(file, diag));
    uint32_t subgraph_count = 0;
    BERTH_TRY(model_count_subgraphs(file, &subgraph_count, diag));
    size_t need = 0;
    if (!BERTH_NEED(&need, berth_model, 1) ||
        !BERTH_NEED(&need, model_subgraph, subgraph_count) ||
        !BERTH_NEED(&need, model_visit, subgraph_count)) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "the index of subgraphs does not fit this machine");
    }
    *bytes = need;
    return BERTH_OK;
}

static uint32_t place_in_file(berth_bytes file, const uint8_t *at)
{
    return at == NULL ? 0 : (uint32_t)(at - file.data);
}

static model_subgraph index_subgraph(berth_bytes file, const uint8_t *table)
{
    return (model_subgraph){
        .name = place_in_file(file, flat_get_table(table, SLOT_SubGraph_name)),
        .tensors =
            place_in_file(file, flat_get_table(table, SLOT_SubGraph_tensors)),
        .ops =
            place_in_file(file, flat_get_table(table, SLOT_SubGraph_operators)),
        .inputs =
            place_in_file(file, flat_get_table(table, SLOT_SubGraph_inputs)),
        .outputs =
            place_in_file(file, flat_get_table(table, SLOT_SubGraph_outputs)),
    };
}

static berth_status check_root(berth_bytes file, const uint8_t *root,
                               berth_diag *diag)
{
    if (flat_get_u32(root, SLOT_Model_version, 0) != SCHEMA_VERSION) {
        const uint8_t *at = flat_field(root, SLOT_Model_version);
        (void)berth_refuse(diag, BERTH_UNSUPPORTED,
                           "a schema version other than 3");
        if (diag != NULL) {
            diag->file_offset = place_in_file(file, at == NULL ? root : at);
        }
        return BERTH_UNSUPPORTED;
    }
    if (flat_get_vector(root, SLOT_Model_subgraphs).count == 0) {
        return model_damage(diag, "the model has no subgraph",
                            place_in_file(file, root));
    }
    return BERTH_OK;
}

static berth_model index_model(berth_bytes file, const uint8_t *root,
                               model_subgraph *rows)
{
    const berth_ivec subgraphs = flat_get_vector(root, SLOT_Model_subgraphs);
    for (uint32_t i = 0; i < subgraphs.count; ++i) {
        rows[i] = index_subgraph(file, flat_table_at(subgraphs, i));
    }
    return (berth_model){
        .file = file,
        .description = flat_get_bytes(root, SLOT_Model_description),
        .codes = flat_get_vector(root, SLOT_Model_operator_codes),
        .buffers = flat_get_vector(root, SLOT_Model_buffers),
        .signatures = flat_get_vector(root, SLOT_Model_signature_defs),
        .metadata = flat_get_vector(root, SLOT_Model_metadata),
        .subgraph_count = subgraphs.count,
        .subgraphs = rows,
    };
}

berth_status berth_model_init(berth_bytes file, berth_work *work,
                              const berth_model **model, berth_diag *diag)
{
    size_t need = 0;
    BERTH_TRY(berth_model_bytes(file, &need, diag));
    BERTH_TRY(berth_work_check(work, need, diag));
    const uint8_t *root = NULL;
    BERTH_TRY(model_verify(file, &root, diag));
    BERTH_TRY(check_root(file, root, diag));

    berth_work keep = *work; /* the caller's moves on success only */
    const uint32_t count = flat_get_vector(root, SLOT_Model_subgraphs).count;
    berth_model *fresh = BERTH_TAKE(&keep, berth_model, 1);
    model_subgraph *rows = BERTH_TAKE(&keep, model_subgraph, count);
    berth_work scratch = keep;
    model_visit *visits = BERTH_TAKE(&scratch, model_visit, count);
    if (fresh == NULL || rows == NULL || visits == NULL) {
        return berth_refuse(diag, BERTH_INTERNAL,
                            "berth_model_bytes() asked for too little");
    }
    *fresh = index_model(file, root, rows);
    BERTH_TRY(model_check(fresh, diag));
    BERTH_TRY(model_calls_check(fresh, visits, diag));
    *work = keep;
    *model = fresh;
    return BERTH_OK;
}

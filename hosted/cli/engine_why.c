/* Why a model does not run, with the operator's name and version. */
#include "cli_run.h"

#include "report/report_int.h"

#include <string.h>

/* "CONV_2D version 3" of the operator that the diag names; "" if it names none.
 */
static void name_operator(const berth_session *session, const berth_diag *diag,
                          char *text, size_t size)
{
    const berth_model *model = session->loaded.model;
    text[0] = '\0';
    if (model == NULL || diag->op == BERTH_NONE ||
        diag->subgraph >= berth_model_subgraph_count(model) ||
        diag->op >= berth_model_subgraph(model, diag->subgraph).op_count) {
        return;
    }
    const berth_operator op =
        berth_model_operator(model, diag->subgraph, diag->op);
    char name[WORD_NAME];
    if (op.code == BERTH_OP_CUSTOM) {
        (void)word_name(name, op.custom_name, 40u);
    } else {
        (void)snprintf(name, sizeof(name), "%s", berth_op_name(op.code));
    }
    (void)snprintf(text, size, "%s version %u: ", name, op.version);
}

berth_verdict cli_refuse_session(const berth_session *session, const char *path,
                                 const berth_load_error *error)
{
    char why[512];
    if (error->stage == BERTH_LOAD_ENGINE && error->status == BERTH_NO_SPACE &&
        error->os_error == 0) {
        char numbers[2][WORD_NUMBER];
        (void)snprintf(why, sizeof(why), "%s: %s bytes, the plan needs %s",
                       error->diag.what,
                       word_number(numbers[0], error->diag.limit_bytes),
                       word_number(numbers[1], error->diag.needed_bytes));
        cli_complain_of(path, why);
        return BERTH_VERDICT_UNFIT;
    }
    if (error->stage == BERTH_LOAD_ENGINE) {
        name_operator(session, &error->diag, why, sizeof(why));
    } else {
        why[0] = '\0';
    }
    const size_t at = strlen(why);
    berth_report_reason(error, why + at, sizeof(why) - at);
    cli_complain_of(path, why);
    return error->status == BERTH_BAD_DATA ? BERTH_VERDICT_DAMAGED
                                           : berth_report_verdict(error);
}

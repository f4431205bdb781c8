/* Why a report is not complete: one line, with the number that helps. */
#include "report_int.h"

#include <errno.h>
#include <string.h>

/* Appends what the diag knows of the place: operator, tensors, file offset. */
static void append_place(const berth_diag *diag, char *text, size_t size)
{
    char number[WORD_NUMBER];
    size_t at = strlen(text);
    const struct {
        const char *label;
        uint32_t index;
    } places[] = {{", operator ", diag->op},
                  {", tensor #", diag->tensor},
                  {", tensor #", diag->other},
                  {", subgraph ", diag->subgraph}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        if (places[i].index != BERTH_NONE) {
            (void)snprintf(text + at, size - at, "%s%u", places[i].label,
                           places[i].index);
            at += strlen(text + at);
        }
    }
    if (diag->file_offset != BERTH_NOWHERE) {
        (void)snprintf(text + at, size - at, ", at file offset %s",
                       word_number(number, diag->file_offset));
    } else if (diag->needed_bytes != BERTH_NOWHERE) {
        (void)snprintf(text + at, size - at, ", %s asked for",
                       word_number(number, diag->needed_bytes));
    }
}

static void say_name(const berth_load_error *error, char *text, size_t size)
{
    char name[WORD_NAME];
    const bool of_signature =
        strcmp(error->diag.what, "no such signature") == 0;
    (void)word_name(name, error->name, 60u);
    (void)snprintf(text, size, "no %s '%s'",
                   of_signature ? "signature" : "tensor", name);
}

void berth_report_reason(const berth_load_error *error, char *text, size_t size)
{
    if (error->kind == BERTH_FILE_SAVED_MODEL &&
        error->stage == BERTH_LOAD_FILE) {
        (void)snprintf(text, size, "a folder with %s",
                       berth_file_kind_text(error->kind));
        return;
    }
    if (error->os_error != 0) {
        (void)snprintf(text, size, "%s",
                       error->os_error == EISDIR ? "is a folder, not a file"
                                                 : strerror(error->os_error));
        if (error->stage != BERTH_LOAD_FILE) {
            append_place(&error->diag, text, size);
        }
        return;
    }
    if (error->stage == BERTH_LOAD_MODEL && error->kind != BERTH_FILE_TFLITE) {
        (void)snprintf(text, size, "%s", berth_file_kind_text(error->kind));
        return;
    }
    if (error->name.size > 0) {
        say_name(error, text, size);
        return;
    }
    (void)snprintf(text, size, "%s%s",
                   error->status == BERTH_UNSOUND
                       ? "berth's own plan fails its judge, please report: "
                       : "",
                   error->diag.what[0] != '\0'
                       ? error->diag.what
                       : berth_status_text(error->status));
    append_place(&error->diag, text, size);
}

void berth_report_why(const berth_report *report, char *text, size_t size)
{
    text[0] = '\0';
    if (!report->complete) {
        berth_report_reason(&report->error, text, size);
    }
}

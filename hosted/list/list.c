/* What a list holds, and what went wrong where there is none. */
#include "list_int.h"

#include "report/report_int.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* --- memory and errors -------------------------------------------------------
 */

berth_status list_fail(berth_list_error *error, berth_status status,
                       const char *what)
{
    error->load.stage = BERTH_LOAD_PLAN;
    error->load.status = status;
    error->load.diag = berth_diag_none();
    error->load.diag.what = what;
    return status;
}

berth_status list_no_memory(berth_list_error *error)
{
    error->load.os_error = ENOMEM;
    return list_fail(error, BERTH_NO_SPACE, "the system has no memory for it");
}

berth_status list_fail_at(berth_list_error *error, berth_status status,
                          uint32_t line, uint32_t column, berth_bytes field,
                          const char *what)
{
    error->line = line;
    error->column = column;
    berth_report_name(field, error->text, sizeof(error->text));
    return list_fail(error, status, what);
}

void *list_take(berth_list *list, size_t count, size_t item_bytes,
                berth_list_error *error)
{
    size_t need = 0;
    berth_block *block = &list->blocks[list->block_count];
    if (list->block_count == BERTH_LIST_BLOCKS_MAX ||
        !berth_work_need(&need, count, item_bytes, 16u) ||
        !berth_block_take(list->port, need, block)) {
        (void)list_no_memory(error);
        return NULL;
    }
    ++list->block_count;
    memset(block->memory, 0, need);
    return block->memory;
}

void berth_list_close(berth_list *list)
{
    if (list->port == NULL) {
        return;
    }
    while (list->block_count > 0) {
        berth_block_give(list->port, &list->blocks[--list->block_count]);
    }
    berth_file_close(list->port, &list->file);
    *list = (berth_list){0};
}

void berth_list_why(const berth_list_error *error, char *text, size_t size)
{
    char why[512];
    char place[48] = "";
    if (error->given) {
        (void)snprintf(why, sizeof(why), "%s", error->load.diag.what);
    } else {
        berth_report_reason(&error->load, why, sizeof(why));
    }
    if (error->line > 0 && error->column > 0) {
        (void)snprintf(place, sizeof(place),
                       "line %u, column %u: ", error->line, error->column);
    } else if (error->line > 0) {
        (void)snprintf(place, sizeof(place), "line %u: ", error->line);
    }
    (void)snprintf(text, size, "%s%s%s%s%s", place, why,
                   error->text[0] == '\0' ? "" : ": '", error->text,
                   error->text[0] == '\0' ? "" : "'");
}

/* --- which kind of file ------------------------------------------------------
 */

static bool is_called_csv(const char *path)
{
    const size_t length = strlen(path);
    return length > 4u && strcasecmp(path + length - 4u, ".csv") == 0;
}

static bool has_word(berth_bytes line, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= line.size; ++i) {
        if (memcmp(line.data + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

bool berth_list_is_csv(const char *path, berth_bytes file)
{
    berth_bytes line = {file.data, file.size < 256u ? file.size : 256u};
    const uint8_t *end =
        line.size == 0 ? NULL : memchr(line.data, '\n', line.size);
    line.size = end == NULL ? 0 : (size_t)(end - line.data);
    return is_called_csv(path) ||
           (has_word(line, "size") &&
            (has_word(line, "lower") || has_word(line, "begin") ||
             has_word(line, "start")));
}

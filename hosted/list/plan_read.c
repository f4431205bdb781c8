/* Plans that come from elsewhere: which kind of file it is, and plan files. */
#include "list_int.h"

#include <string.h>

static bool is_plan_file(berth_bytes file)
{
    static const uint8_t magic[] = {0x89, 'B', 'P', 'L', 'N'};
    return file.size >= sizeof(magic) &&
           memcmp(file.data, magic, sizeof(magic)) == 0;
}

static bool is_json(berth_bytes file)
{
    size_t at = 0;
    while (at < file.size && memchr(" \t\r\n", file.data[at], 4) != NULL) {
        ++at;
    }
    return at < file.size && (file.data[at] == '{' || file.data[at] == '[');
}

/* Whether the file is a whole plan file, of what is at hand. */
static berth_status check_tag(berth_bytes file, const berth_source *source,
                              berth_list_error *error)
{
    const berth_plan_tag own = list_tag(source);
    berth_plan_tag tag;
    const berth_bytes nothing = {0};
    error->load.stage = BERTH_LOAD_PLAN;
    error->load.status = berth_plan_file_tag(file, &tag, &error->load.diag);
    if (error->load.status != BERTH_OK) {
        return error->load.status;
    }
    if (memcmp(tag.model_hash, own.model_hash, sizeof(own.model_hash)) != 0) {
        return list_refuse_given(error, 0, 0, nothing,
                                 "the plan was made for another file");
    }
    return tag.maker == own.maker && tag.share == own.share &&
                   memcmp(tag.kernels, own.kernels, sizeof(own.kernels)) == 0
               ? BERTH_OK
               : list_refuse_given(error, 0, 0, nothing,
                                   "the plan was made for another runtime, or "
                                   "with other rules");
}

/* The core judges what it reads; here that is only the reading, and who checks
 * a plan asks the judges again, for all kinds of file alike. */
static berth_status read_plan_file(berth_bytes file, berth_part *part,
                                   berth_list_error *error)
{
    const berth_source *source = part->source;
    const berth_problem *problem = &source->list.problem;
    const berth_plan_tag tag = list_tag(source);
    berth_diag *diag = &error->load.diag;
    size_t need = 0;
    berth_block block;
    BERTH_TRY(check_tag(file, source, error));
    error->load.status = berth_plan_file_read_bytes(problem, &need, diag);
    if (error->load.status != BERTH_OK) {
        return error->load.status;
    }
    if (!berth_block_take(source->port, need, &block)) {
        return list_no_memory(error);
    }
    error->load.status = berth_plan_file_read(
        file, &tag, problem, list_keys(source),
        berth_work_of(block.memory, need), &part->plan, diag);
    berth_block_give(source->port, &block);
    error->given = error->load.status == BERTH_UNSOUND;
    return error->load.status;
}

static berth_status read_rows(berth_bytes file, berth_part *parts,
                              uint32_t count, berth_list_error *error)
{
    list_match match;
    BERTH_TRY(list_match_begin(&match, parts, count, error));
    berth_status status = is_json(file) ? list_read_json(&match, file, error)
                                        : list_read_csv(&match, file, error);
    if (status == BERTH_OK) {
        status = list_match_all(&match, error);
    }
    list_match_end(&match);
    return status;
}

berth_status berth_plans_read(berth_bytes file, berth_part *parts,
                              uint32_t count, berth_list_error *error)
{
    *error = (berth_list_error){.load = {.diag = berth_diag_none()}};
    if (!is_plan_file(file)) {
        return read_rows(file, parts, count, error);
    }
    return count == 1 ? read_plan_file(file, &parts[0], error)
                      : list_refuse_given(error, 0, 0, (berth_bytes){0},
                                          "a plan file is about one file");
}

/* --- a CSV with offsets -----------------------------------------------------
 */

static berth_status match_row(list_match *match, const csv_reader *r,
                              const csv_row *row)
{
    const bool has_model = csv_has(r, CSV_MODEL);
    const char *why = NULL;
    if (has_model ? !list_match_part(match, row->model) : match->count > 1) {
        const uint32_t column = has_model ? r->column[CSV_MODEL] + 1u : 0;
        return list_refuse_given(r->error, r->line, column, row->model,
                                 has_model ? "a model that was not named"
                                           : "whose buffer? A column model is "
                                             "missing");
    }
    if (row->value[CSV_OFFSET] == BERTH_NOWHERE) {
        return BERTH_OK; /* told when all are looked for */
    }
    why = list_match_set(match, row->id,
                         csv_has(r, CSV_SIZE) ? row->value[CSV_SIZE]
                                              : BERTH_NOWHERE,
                         row->value[CSV_OFFSET]);
    return why == NULL
               ? BERTH_OK
               : list_refuse_given(r->error, r->line, r->column[CSV_ID] + 1u,
                                   row->id, why);
}

static berth_status match_rows(list_match *match, csv_reader *r)
{
    bool more = true;
    csv_row row;
    for (;;) {
        BERTH_TRY(csv_next(r, &row, &more));
        if (!more) {
            return BERTH_OK;
        }
        BERTH_TRY(match_row(match, r, &row));
    }
}

berth_status list_read_csv(list_match *match, berth_bytes file,
                           berth_list_error *error)
{
    static const uint32_t needed = 1u << CSV_ID | 1u << CSV_OFFSET;
    berth_port *port = match->parts[0].source->port;
    berth_block block = {0};
    size_t need = 0;
    csv_reader reader;
    if (csv_needs_text(file) &&
        (!berth_work_need(&need, file.size, CSV_TEXT_TIMES, 1u) ||
         !berth_block_take(port, need, &block))) {
        return list_no_memory(error);
    }
    berth_status status = csv_begin(&reader, file, block.memory, needed, error);
    if (status == BERTH_OK) {
        status = match_rows(match, &reader);
    }
    berth_block_give(port, &block);
    return status;
}

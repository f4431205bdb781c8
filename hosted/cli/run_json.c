/* What berth run prints for programs. */
#include "cli_run.h"

#include "report/report_int.h"

#include <string.h>

static json_t *json_text(berth_bytes name)
{
    char text[WORD_NAME];
    (void)word_name(text, name, 200u);
    return json_string(text);
}

json_t *run_json_output(const berth_io *io, const run_comparison *found)
{
    json_t *dims = json_array();
    json_t *row = json_object();
    for (uint32_t k = 0; k < io->rank; ++k) {
        (void)json_array_append_new(dims, json_integer(io->dims[k]));
    }
    (void)json_object_set_new(row, "name", json_text(io->name));
    (void)json_object_set_new(row, "type",
                              json_string(berth_type_name(io->type)));
    (void)json_object_set_new(row, "shape", dims);
    (void)json_object_set_new(row, "bytes",
                              json_integer((json_int_t)io->bytes));
    if (found->asked) {
        (void)json_object_set_new(
            row, "as_expected",
            json_boolean(found->same_kind && found->difference.count == 0));
        (void)json_object_set_new(
            row, "different_values",
            json_integer((json_int_t)found->difference.count));
        (void)json_object_set_new(row, "largest_difference",
                                  json_real(found->difference.largest));
    }
    return row;
}

json_t *run_json_ranking(const run_ranking *ranking)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < ranking->count; ++i) {
        char label[WORD_NAME] = "";
        json_t *row = json_object();
        run_label(ranking->labels.bytes, ranking->top[i].index, label);
        (void)json_object_set_new(
            row, "index", json_integer((json_int_t)ranking->top[i].index));
        (void)json_object_set_new(row, "value",
                                  json_real(ranking->top[i].value));
        (void)json_object_set_new(row, "label", json_string(label));
        (void)json_array_append_new(list, row);
    }
    return list;
}

json_t *run_json_head(const run_job *job)
{
    const berth_engine_need *need = &job->session.need;
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"arena_bytes", need->region_bytes[0]},
                   {"state_bytes", need->state_bytes},
                   {"books_bytes", need->books_bytes},
                   {"total_bytes", need->total_bytes},
                   {"runs", job->runs},
                   {"plan_ns", job->session.plan_ns},
                   {"prepare_ns", job->session.prepare_ns},
                   {"first_run_ns", job->first_ns},
                   {"best_run_ns", job->best_ns}};
    json_t *head = json_object();
    (void)json_object_set_new(
        head, "model", json_text(word_bytes(job->path, strlen(job->path))));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        (void)json_object_set_new(head, numbers[i].name,
                                  json_integer((json_int_t)numbers[i].value));
    }
    if (job->request->run.poison) {
        (void)json_object_set_new(head, "depends_on_dead_bytes",
                                  json_boolean(job->poisoned_differs));
    }
    return head;
}

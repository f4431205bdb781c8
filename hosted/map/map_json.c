/* The data of the page: columns, as JSON that may stand inside <script>.
 *
 * Strings go through jansson, pure ASCII, and of what it writes <, > and & are
 * escaped once more: they occur in strings only, so the result is still JSON,
 * and no name can end the element that it stands in. */
#include "map_int.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/report_int.h"

enum { DATA_NAME_MOST = 1000 };

typedef struct data_writer {
    FILE *out;
    bool failed;
} data_writer;

static int put_safe(const char *text, size_t size, void *at)
{
    data_writer *w = at;
    for (size_t i = 0; i < size; ++i) {
        const char c = text[i];
        if (c == '<' || c == '>' || c == '&') {
            (void)fprintf(w->out, "\\u%04x", (unsigned)c);
        } else {
            (void)fputc(c, w->out);
        }
    }
    return 0; /* stdio keeps errors */
}

static void put_string(data_writer *w, berth_bytes bytes)
{
    char text[4 * DATA_NAME_MOST];
    const berth_bytes cut = map_cut(bytes, DATA_NAME_MOST);
    json_t *value = json_stringn(text, word_utf8(text, cut));
    if (value == NULL ||
        json_dump_callback(value, put_safe, w,
                           JSON_ENCODE_ANY | JSON_ENSURE_ASCII) != 0) {
        w->failed = true;
    }
    json_decref(value);
}

static void put_text(data_writer *w, const char *text)
{
    put_string(w, word_bytes(text, strlen(text)));
}

/* "key":  our own keys are plain. */
static void put_key(data_writer *w, const char *key)
{
    (void)fprintf(w->out, ",\n\"%s\":", key);
}

static void put_u64(data_writer *w, uint64_t value, bool first)
{
    (void)fprintf(w->out, "%s%" PRIu64, first ? "" : ",", value);
}

/* --- columns of entries ------------------------------------------------------
 */

static void put_names(data_writer *w, const berth_map *map)
{
    put_key(w, "name");
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        (void)fputc(i == 0 ? '[' : ',', w->out);
        put_string(w, map->entries[i].name);
    }
    (void)fputs(map->entry_count == 0 ? "[]" : "]", w->out);
}

/* Local number and subgraph; -1: no tensor of a model. */
static void put_numbers(data_writer *w, const berth_map *map)
{
    const berth_graph *graph = &map->loaded.graph;
    for (int pass = 0; pass < 2; ++pass) {
        put_key(w, pass == 0 ? "index" : "subgraph");
        (void)fputc('[', w->out);
        for (uint32_t i = 0; i < map->entry_count; ++i) {
            const uint32_t tensor = map->entries[i].tensor;
            const bool none = tensor == BERTH_NONE;
            const uint32_t subgraph =
                none ? 0 : graph->tensors[tensor].subgraph;
            (void)fputs(i == 0 ? "" : ",", w->out);
            if (none) {
                (void)fputs("-1", w->out);
            } else {
                put_u64(w,
                        pass == 0 ? report_local_tensor(graph, tensor)
                                  : subgraph,
                        true);
            }
        }
        (void)fputc(']', w->out);
    }
}

static void put_kinds(data_writer *w, const berth_map *map)
{
    const berth_graph *graph = &map->loaded.graph;
    char shape[WORD_SHAPE];
    for (int pass = 0; pass < 3; ++pass) {
        static const char *const keys[] = {"class", "type", "shape"};
        put_key(w, keys[pass]);
        (void)fputc('[', w->out);
        for (uint32_t i = 0; i < map->entry_count; ++i) {
            const uint32_t tensor = map->entries[i].tensor;
            const char *text = map->entries[i].class_text;
            if (pass > 0 && tensor == BERTH_NONE) {
                text = "";
            } else if (pass == 1) {
                text = berth_type_name((berth_type)graph->tensors[tensor].type);
            } else if (pass == 2) {
                text = word_shape(shape, sizeof(shape), &map->staged.shapes,
                                  tensor);
            }
            (void)fputs(i == 0 ? "" : ",", w->out);
            put_text(w, text);
        }
        (void)fputc(']', w->out);
    }
}

static void put_sizes(data_writer *w, const berth_map *map)
{
    put_key(w, "bytes");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        put_u64(w, map->entries[i].bytes, i == 0);
    }
    (void)fputc(']', w->out);
    put_key(w, "step");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        const uint32_t step = map->entries[i].step;
        (void)fprintf(w->out, "%s%" PRId64, i == 0 ? "" : ",",
                      step == BERTH_NONE ? -1 : (int64_t)step);
    }
    (void)fputc(']', w->out);
    put_key(w, "spans");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; i < map->entry_count; ++i) {
        const berth_map_entry *entry = &map->entries[i];
        (void)fputs(i == 0 ? "[" : ",[", w->out);
        for (uint32_t k = 0; k < entry->span_count; ++k) {
            put_u64(w, map->spans[entry->first_span + k].born, k == 0);
            put_u64(w, map->spans[entry->first_span + k].dead, false);
        }
        (void)fputc(']', w->out);
    }
    (void)fputc(']', w->out);
}

/* --- steps -------------------------------------------------------------------
 */

/* What a step is called: the operator's type, and what of a call it is. */
static void put_steps(data_writer *w, const berth_map *map)
{
    const berth_graph *graph = &map->loaded.graph;
    const berth_schedule *schedule = &map->staged.schedule;
    put_key(w, "stepOp");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; i < schedule->step_count; ++i) {
        (void)fputs(i == 0 ? "" : ",", w->out);
        put_string(w,
                   map_cut(report_op_type(graph, schedule->steps[i].op), 100u));
    }
    (void)fputc(']', w->out);
    put_key(w, "stepKind");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; i < schedule->step_count; ++i) {
        const berth_step *step = &schedule->steps[i];
        (void)fputs(i == 0 ? "" : ",", w->out);
        put_text(w, step->kind == BERTH_STEP_OP
                        ? ""
                        : berth_step_name((berth_step_kind)step->kind));
    }
    (void)fputc(']', w->out);
    put_key(w, "stepIndex");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; i < schedule->step_count; ++i) {
        put_u64(w, report_local_op(graph, schedule->steps[i].op), i == 0);
    }
    (void)fputc(']', w->out);
}

static void put_times(data_writer *w, const berth_map *map)
{
    put_key(w, "times");
    if (map->times == NULL) {
        (void)fputs("null", w->out);
        return;
    }
    (void)fputc('[', w->out);
    for (uint32_t i = 0; map->step_count > 0 && i <= map->step_count; ++i) {
        put_u64(w, map->times[i], i == 0);
    }
    (void)fputc(']', w->out);
}

/* --- rows --------------------------------------------------------------------
 */

static void put_row(data_writer *w, const berth_map *map,
                    const berth_map_row *row)
{
    const bool good = row->status == BERTH_OK;
    (void)fputs("{\"name\":", w->out);
    put_text(w, row->name);
    put_key(w, "note");
    put_text(w, row->note);
    put_key(w, "good");
    (void)fputs(good ? "true" : "false", w->out);
    put_key(w, "proven");
    (void)fputs(row->proven ? "true" : "false", w->out);
    put_key(w, "part");
    (void)fputs(row->is_part ? "true" : "false", w->out);
    put_key(w, "peer");
    (void)fputs(row->is_peer ? "true" : "false", w->out);
    put_key(w, "sound");
    (void)fputs(row->sound ? "true" : "false", w->out);
    put_key(w, "peak");
    put_u64(w, row->peak_bytes, true);
    put_key(w, "top");
    put_u64(w, row->top_bytes, true);
    put_key(w, "bound");
    put_u64(w, row->bound_bytes, true);
    put_key(w, "peakStep");
    (void)fprintf(w->out, "%" PRId64,
                  row->peak_step == BERTH_NONE ? -1 : (int64_t)row->peak_step);
    put_key(w, "offset");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; good && i < map->entry_count; ++i) {
        if (row->offset[i] == BERTH_NOWHERE) {
            (void)fputs(i == 0 ? "-1" : ",-1", w->out);
        } else {
            put_u64(w, row->offset[i], i == 0);
        }
    }
    (void)fputc(']', w->out);
    put_key(w, "live");
    (void)fputc('[', w->out);
    for (uint32_t i = 0; good && i < map->step_count; ++i) {
        put_u64(w, row->live[i], i == 0);
    }
    (void)fputs("]}", w->out);
}

bool map_put_data(const berth_map *map, FILE *out)
{
    data_writer w = {.out = out};
    (void)fputs("{\"format\":1", out);
    put_key(&w, "version");
    put_text(&w, BERTH_VERSION);
    put_key(&w, "title");
    put_text(&w, map->title);
    put_key(&w, "csv");
    (void)fputs(map->is_csv ? "true" : "false", out);
    put_key(&w, "partial");
    (void)fputs(map->partial ? "true" : "false", out);
    put_key(&w, "steps");
    put_u64(&w, map->step_count, true);
    put_times(&w, map);
    put_steps(&w, map);
    put_names(&w, map);
    put_numbers(&w, map);
    put_kinds(&w, map);
    put_sizes(&w, map);
    put_key(&w, "rows");
    (void)fputc('[', out);
    for (uint32_t i = 0; i < map->row_count; ++i) {
        (void)fputs(i == 0 ? "" : ",\n", out);
        put_row(&w, map, &map->rows[i]);
    }
    (void)fputs("]}\n", out);
    return !w.failed;
}

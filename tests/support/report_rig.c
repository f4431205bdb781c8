#include "report_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "berth/hosted/report.h"

#define MUST(what)                                                             \
    do {                                                                       \
        if (!(what)) {                                                         \
            (void)fprintf(stderr, "report_rig: broken: %s\n", #what);          \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* What a model may be refused for. */
static void check_error(const berth_report *r)
{
    switch (r->error.status) {
    case BERTH_BAD_MODEL:
        MUST(r->error.stage <= BERTH_LOAD_GRAPH);
        MUST(r->verdict == BERTH_VERDICT_DAMAGED);
        break;
    case BERTH_BAD_ARG:
        MUST(r->error.stage == BERTH_LOAD_NAMES ||
             r->error.stage == BERTH_LOAD_SHAPES);
        MUST(r->verdict == BERTH_VERDICT_USAGE);
        break;
    case BERTH_UNSUPPORTED:
    case BERTH_TOO_LARGE:
    case BERTH_TOO_MANY_STEPS:
    case BERTH_UNBOUNDED:
        break;
    default:
        (void)fprintf(stderr, "%s: %s: %s\n",
                      berth_load_stage_name(r->error.stage),
                      berth_status_name(r->error.status), r->error.diag.what);
        MUST(r->error.status == BERTH_OK); /* else the fault is berth's own */
    }
    MUST(r->error.diag.what[0] != '\0' || r->error.name.data != NULL ||
         r->error.kind != BERTH_FILE_TFLITE);
    MUST(r->verdict != BERTH_VERDICT_SYSTEM);
}

static bool is_peer_row(const berth_report_row *row)
{
    return row->strategy == BERTH_STRATEGY_TFLITE ||
           row->strategy == BERTH_STRATEGY_TFLM;
}

static void check_rows(const berth_report *r)
{
    const berth_report_row *best = &r->rows[BERTH_STRATEGY_BEST];
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        const berth_report_row *row = &r->rows[i];
        MUST(row->status != BERTH_INTERNAL && row->status != BERTH_NO_SPACE &&
             row->status != BERTH_BAD_ARG && row->status != BERTH_MISALIGNED);
        if (row->status != BERTH_OK) {
            continue;
        }
        MUST(row->bound_bytes <= row->peak_bytes);
        MUST(row->proven == (row->bound_bytes == row->peak_bytes));
        if (!is_peer_row(row)) {
            MUST(row->sound && best->peak_bytes <= row->peak_bytes);
        }
    }
}

static void check_ledger(const berth_ledger *l)
{
    MUST(l->file_bytes == l->weights_used_bytes + l->weights_unused_bytes +
                              l->metadata_bytes + l->structure_bytes);
    MUST(l->total_bytes ==
         l->arena_bytes + l->state_bytes + l->books_bytes + l->padding_bytes);
    MUST(l->weights_encoded_bytes <= l->weights_used_bytes);
    MUST(l->weights_copied_bytes <= l->weights_used_bytes);
    MUST(l->of_which_io_bytes <= l->arena_bytes);
    MUST(l->of_which_scratch_bytes <= l->arena_bytes);
}

static void check_whole(const berth_report *r)
{
    uint64_t used = 0;
    check_rows(r);
    check_ledger(&r->ledger);
    for (uint32_t i = 0; i < r->idle_count; ++i) {
        MUST(r->idle[i].from < r->idle[i].end);
        used += r->idle[i].end - r->idle[i].from;
    }
    for (uint32_t i = 0; i < r->change_count; ++i) {
        const berth_report_change *change = &r->changes[i];
        MUST(!change->known || change->bound_bytes <= change->arena_bytes);
        MUST(!change->same || change->arena_bytes == r->ledger.arena_bytes);
    }
    MUST(r->usage.peak_step == BERTH_NONE ||
         used + r->usage.peak_live_bytes == r->ledger.arena_bytes);
    for (uint32_t i = 0; i < r->alive_count; ++i) {
        MUST(r->alive[i].bytes <= r->ledger.arena_bytes &&
             r->alive[i].offset <= r->ledger.arena_bytes - r->alive[i].bytes);
    }
}

static void check_print(const berth_report *r)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    MUST(out != NULL);
    berth_report_text(r, out, false);
    berth_report_line(r, false, out);
    MUST(fclose(out) == 0);
    for (size_t i = 0; i < bytes; ++i) {
        const uint8_t byte = (uint8_t)text[i];
        MUST((byte >= ' ' || byte == '\n') && byte != 0x7f);
    }
    free(text);
    text = NULL;
    out = open_memstream(&text, &bytes);
    MUST(out != NULL);
    MUST(berth_report_json(r, out));
    MUST(fclose(out) == 0);
    json_t *value =
        json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    MUST(value != NULL);
    json_decref(value);
    free(text);
}

static bool report_on(const berth_loaded *loaded, uint8_t wish)
{
    static const berth_bytes first = {(const uint8_t *)"#0", 2};
    static const berth_bytes second = {(const uint8_t *)"#1", 2};
    static const berth_named_shape shape = {
        .name = {(const uint8_t *)"#0", 2}, .rank = 2, .dims = {3, 5}};
    static const berth_strategy strategies[] = {
        BERTH_STRATEGY_BEST, BERTH_STRATEGY_BEST, BERTH_STRATEGY_TFLITE,
        BERTH_STRATEGY_ONLINE};
    const bool rules = (wish & 128u) != 0;
    const berth_report_options options = {
        .what_if = rules ? BERTH_WHAT_IF_ALWAYS : BERTH_WHAT_IF_NEVER,
        .stage = {.lag = rules ? wish & 7u : 0u,
                  .keep_inputs = rules && (wish & 1u) != 0,
                  .hold_inputs = rules && (wish & 2u) != 0,
                  .hold_outputs = rules && (wish & 4u) != 0,
                  .align = (wish & 1u) != 0 ? 1u : 0u,
                  .keep = &first,
                  .keep_count = (wish >> 1) & 1u,
                  .pin = &second,
                  .pin_count = (wish >> 2) & 1u,
                  .shapes = &shape,
                  .shape_count = (wish >> 3) & 1u},
        .strategy = strategies[(wish >> 4) & 3u],
        .has_budget = (wish & 64u) != 0,
        .all_strategies = true,
        .show_tensors = true,
        .show_steps = true,
        .runtime = BERTH_RUNTIME_ALL};
    berth_report report;
    (void)berth_report_make_loaded(loaded, "rig", &options, &report);
    if (report.complete) {
        check_whole(&report);
    } else {
        check_error(&report);
    }
    check_print(&report);
    berth_report_close(&report);
    return report.complete;
}

static bool open_graph(berth_loaded *loaded)
{
    const berth_bytes file = loaded->file.bytes;
    berth_diag diag;
    size_t need = 0;
    if (berth_model_bytes(file, &need, &diag) != BERTH_OK) {
        return false;
    }
    MUST(berth_block_take(loaded->port, need, &loaded->model_block));
    berth_work work = berth_work_of(loaded->model_block.memory, need);
    if (berth_model_init(file, &work, &loaded->model, &diag) != BERTH_OK) {
        return false;
    }
    MUST(berth_graph_bytes(loaded->model, &need, &diag) == BERTH_OK);
    MUST(berth_block_take(loaded->port, need, &loaded->graph_block));
    work = berth_work_of(loaded->graph_block.memory, need);
    const berth_status status =
        berth_graph_init(loaded->model, &work, &loaded->graph, &diag);
    MUST(status == BERTH_OK || status == BERTH_BAD_MODEL);
    return status == BERTH_OK;
}

bool report_rig_check(berth_bytes file, uint8_t wish)
{
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {.port = &port, .file = {.bytes = file}};
    const bool complete = open_graph(&loaded) && report_on(&loaded, wish);
    berth_block_give(&port, &loaded.graph_block);
    berth_block_give(&port, &loaded.model_block);
    MUST(port.lent_bytes == 0);
    return complete;
}

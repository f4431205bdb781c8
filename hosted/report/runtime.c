/* What other runtimes take, and why it is not what berth takes. */
#include "report_int.h"

const char *berth_runtime_name(berth_runtime runtime)
{
    static const char *const names[] = {
#define RUNTIME_NAME(name, text) text,
        BERTH_RUNTIME_TABLE(RUNTIME_NAME)
#undef RUNTIME_NAME
    };
    return (unsigned)runtime < BERTH_RUNTIME_COUNT ? names[runtime] : "?";
}

/* --- TFLM --------------------------------------------------------------------
 */

/* One prediction in a block that stays; false: no memory. */
static bool predict(berth_report *report, const berth_micro_options *options,
                    berth_block *block, berth_micro *micro)
{
    berth_report_tflm *tflm = &report->tflm;
    const berth_graph *graph = &report->loaded.graph;
    size_t need = 0;
    tflm->status = berth_micro_bytes(graph, options, &need, &tflm->diag);
    if (tflm->status != BERTH_OK) {
        return true;
    }
    if (!berth_block_take(report->port, need, block)) {
        return report_no_memory(report, need);
    }
    berth_work work = berth_work_of(block->memory, need);
    tflm->status =
        berth_micro_predict(graph, options, &work, micro, &tflm->diag);
    return true;
}

/* The head without scratch, which the activations alone would need. */
static bool predict_noscratch(berth_report *report, berth_micro_options options)
{
    berth_block block = {0};
    berth_micro micro = {0};
    options.no_scratch = true;
    const bool good = predict(report, &options, &block, &micro);
    report->tflm.head_noscratch_bytes = micro.head_bytes;
    berth_block_give(report->port, &block);
    return good;
}

static void compare_expected(berth_report *report)
{
    berth_report_tflm *tflm = &report->tflm;
    const uint64_t least = tflm->micro[0].arena_min_bytes;
    const uint64_t given = report->options->expect_bytes;
    const uint64_t most = least +
                          least / 100u * report->options->margin_percent +
                          least % 100u * report->options->margin_percent / 100u;
    if (!report->options->has_expect || tflm->status != BERTH_OK) {
        return;
    }
    tflm->expect = BERTH_EXPECT_FITS;
    tflm->expect_off_bytes = given > least ? given - least : least - given;
    if (given < least) {
        tflm->expect = BERTH_EXPECT_TOO_SMALL;
    } else if (given > most) {
        tflm->expect = BERTH_EXPECT_WASTEFUL;
    }
}

bool report_ask_tflm(berth_report *report)
{
    const berth_report_options *options = report->options;
    berth_report_tflm *tflm = &report->tflm;
    berth_micro_options asked = {.target = options->target};
    if (!report_wants(report, BERTH_RUNTIME_TFLM)) {
        return true;
    }
    tflm->target = options->target != NULL ? options->target
                                           : berth_micro_target_find("x86-64");
    tflm->kernels[0] = options->kernels[0] != NULL
                           ? options->kernels[0]
                           : berth_micro_kernels_find("reference");
    tflm->kernels[1] = options->kernels[1];
    tflm->count = options->kernels_count > 1 ? 2 : 1;
    asked.kernels = tflm->kernels[0];
    if (!predict_noscratch(report, asked)) {
        return false;
    }
    for (uint32_t i = 0; i < tflm->count && tflm->status == BERTH_OK; ++i) {
        asked.kernels = tflm->kernels[i];
        if (!predict(report, &asked, &tflm->blocks[i], &tflm->micro[i])) {
            return false;
        }
    }
    compare_expected(report);
    return true;
}

void report_forget_tflm(berth_report *report)
{
    berth_block_give(report->port, &report->tflm.blocks[0]);
    berth_block_give(report->port, &report->tflm.blocks[1]);
}

/* --- LiteRT ------------------------------------------------------------------
 */

/* Of the tensors named, those in the arena; `address` forgets what was counted,
 * since an input may be an output too, and either be named twice. */
static uint64_t sum_in_arena(const berth_report *report,
                             const uint32_t *tensors, uint32_t count,
                             uint64_t *address)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != BERTH_NONE && address[tensors[i]] != BERTH_NOWHERE) {
            address[tensors[i]] = BERTH_NOWHERE;
            sum += report->staged.shapes.of[tensors[i]].bytes;
        }
    }
    return sum;
}

static uint64_t io_in_arena(const berth_report *report, uint64_t *address)
{
    const berth_graph *graph = &report->loaded.graph;
    const berth_graph_subgraph *io = &graph->subgraphs[report->subgraph];
    const uint32_t *inputs =
        berth_graph_subgraph_inputs(graph, report->subgraph);
    const uint32_t *outputs =
        berth_graph_subgraph_outputs(graph, report->subgraph);
    return sum_in_arena(report, inputs, io->input_count, address) +
           sum_in_arena(report, outputs, io->output_count, address);
}

bool report_ask_litert(berth_report *report)
{
    const berth_graph *graph = &report->loaded.graph;
    berth_report_litert *litert = &report->litert;
    berth_peer_plan plan = {0};
    berth_block block = {0};
    berth_block addresses = {0};
    size_t need = 0;
    size_t table = 0;
    if (!report_wants(report, BERTH_RUNTIME_LITERT)) {
        return true;
    }
    litert->asked = true;
    litert->diag = berth_diag_none();
    litert->status =
        berth_peer_bytes(graph, &report->staged.shapes, report->subgraph,
                         BERTH_PEER_LITERT_KERNELS, &need, &litert->diag);
    if (litert->status != BERTH_OK) {
        return true;
    }
    if (!BERTH_NEED(&table, uint64_t, graph->tensor_count) ||
        !berth_block_take(report->port, table, &addresses) ||
        !berth_block_take(report->port, need, &block)) {
        berth_block_give(report->port, &addresses);
        return report_no_memory(report, need);
    }
    plan.address = addresses.memory;
    litert->status = berth_peer_solve(
        graph, &report->staged.shapes, report->subgraph,
        BERTH_PEER_LITERT_KERNELS, berth_work_of(block.memory, need), &plan,
        &litert->diag);
    litert->arena_bytes = plan.peak;
    litert->persistent_bytes = plan.persistent;
    const bool known = litert->status == BERTH_OK;
    litert->unlisted_op = known ? plan.unlisted_op : BERTH_NONE;
    litert->stopped_op = known ? plan.stopped_op : BERTH_NONE;
    litert->io_bytes = known ? io_in_arena(report, addresses.memory) : 0;
    litert->sound = plan.sound;
    berth_block_give(report->port, &block);
    berth_block_give(report->port, &addresses);
    return true;
}

/* --- differences -------------------------------------------------------------
 */

/* Named tensors of LiteRT; the others are one line. */
enum { NAMED_MOST = 8 };

typedef struct differences {
    const berth_report *report;
    report_difference *list;
    uint32_t count;
    uint32_t named;      /* lines about a tensor */
    int64_t named_bytes; /* all tensors that there is something to say of */
    int64_t cut_bytes;   /* of those, without a line of their own */
} differences;

static void add(differences *d, berth_runtime runtime, const char *text,
                uint32_t tensor, int64_t bytes)
{
    if (bytes != 0 && d->count < DIFFERENCES_MOST) {
        d->list[d->count++] = (report_difference){runtime, text, tensor, bytes};
    }
}

/* Figures of models stay far below 2^62. */
static int64_t above(uint64_t value, uint64_t floor)
{
    return (int64_t)(value - floor);
}

static void add_tflm(differences *d)
{
    const berth_report_tflm *tflm = &d->report->tflm;
    const berth_micro *micro = &tflm->micro[0];
    const berth_report_row *row = &d->report->rows[BERTH_STRATEGY_TFLM];
    const berth_report_row *best = &d->report->rows[BERTH_STRATEGY_BEST];
    uint64_t head = tflm->head_noscratch_bytes;
    if (tflm->status != BERTH_OK) {
        return;
    }
    if (row->status == BERTH_OK && best->status == BERTH_OK) {
        add(d, BERTH_RUNTIME_TFLM,
            "its life times: no views, nothing in place, all subgraphs at once",
            BERTH_NONE, above(row->bound_bytes, best->peak_bytes));
        add(d, BERTH_RUNTIME_TFLM,
            "its greedy plan above the least that its life times allow",
            BERTH_NONE, above(head, row->bound_bytes));
    }
    add(d, BERTH_RUNTIME_TFLM, "kernel scratch raises the head by", BERTH_NONE,
        above(micro->head_bytes, head));
    for (uint32_t i = 0; i < BERTH_MICRO_PART_COUNT; ++i) {
        add(d, BERTH_RUNTIME_TFLM, berth_micro_part_text((berth_micro_part)i),
            BERTH_NONE, (int64_t)micro->parts[i].used_bytes);
    }
    add(d, BERTH_RUNTIME_TFLM, "more while it starts than when it runs",
        BERTH_NONE, above(micro->arena_min_bytes, micro->arena_used_bytes));
}

/* Whether the caller's bytes are read for the last time before the end. */
static bool is_released(const berth_report *report, uint32_t tensor)
{
    const berth_lifetimes *lifetimes = &report->staged.lifetimes;
    const uint32_t item = lifetimes->item_of_tensor[tensor];
    if (item == BERTH_NONE) {
        return false;
    }
    const berth_item *at = &lifetimes->problem.items[item];
    const berth_span *last =
        &lifetimes->problem.spans[at->first_span + at->span_count - 1u];
    return last->dead < lifetimes->problem.step_count;
}

static void add_tensor(differences *d, const char *text, uint32_t tensor)
{
    const int64_t bytes = (int64_t)d->report->staged.shapes.of[tensor].bytes;
    d->named_bytes += bytes;
    if (d->named++ < NAMED_MOST) {
        add(d, BERTH_RUNTIME_LITERT, text, tensor, bytes);
    } else {
        d->cut_bytes += bytes;
    }
}

static void add_kept_tensors(differences *d)
{
    const berth_report *report = d->report;
    const berth_graph *graph = &report->loaded.graph;
    const uint32_t *inputs =
        berth_graph_subgraph_inputs(graph, report->subgraph);
    for (uint32_t i = 0; i < graph->subgraphs[report->subgraph].input_count;
         ++i) {
        if (inputs[i] != BERTH_NONE && is_released(report, inputs[i])) {
            add_tensor(d, "graph input kept to the end", inputs[i]);
        }
    }
    for (uint32_t t = graph->tensor_base[report->subgraph];
         t < graph->tensor_base[report->subgraph + 1u]; ++t) {
        const berth_graph_tensor *tensor = &graph->tensors[t];
        if (tensor->producer != BERTH_NONE && tensor->reader_count == 0 &&
            (tensor->flags & BERTH_TENSOR_OUTPUT) == 0 &&
            report->staged.shapes.of[t].state == BERTH_SHAPE_STATIC) {
            add_tensor(d, "nobody reads it, kept to the end", t);
        }
    }
    add(d, BERTH_RUNTIME_LITERT, "more tensors kept to the end", BERTH_NONE,
        d->cut_bytes);
}

static void add_litert(differences *d)
{
    const berth_report_litert *litert = &d->report->litert;
    const berth_report_row *row = &d->report->rows[BERTH_STRATEGY_TFLITE];
    const berth_report_row *best = &d->report->rows[BERTH_STRATEGY_BEST];
    const bool known =
        row->status == BERTH_OK || litert->stopped_op != BERTH_NONE;
    if (!known || best->status != BERTH_OK || litert->status != BERTH_OK) {
        return;
    }
    add_kept_tensors(d);
    const int64_t rest =
        above(row->bound_bytes, best->peak_bytes) - d->named_bytes;
    add(d, BERTH_RUNTIME_LITERT,
        rest < 0 ? "less, since not all of that is alive at the peak"
                 : "fewer views and in-place operators, alignment to 64",
        BERTH_NONE, rest);
    add(d, BERTH_RUNTIME_LITERT,
        "its plan above the least that its life times allow", BERTH_NONE,
        above(row->peak_bytes, row->bound_bytes));
    add(d, BERTH_RUNTIME_LITERT, "kernel temporaries raise the arena by",
        BERTH_NONE, above(litert->arena_bytes, row->peak_bytes));
    add(d, BERTH_RUNTIME_LITERT, "persistent arena", BERTH_NONE,
        (int64_t)litert->persistent_bytes);
}

uint32_t report_differences(const berth_report *report, report_difference *list)
{
    differences d = {.report = report, .list = list};
    if (!report->complete) {
        return 0;
    }
    add_litert(&d);
    add_tflm(&d);
    return d.count;
}

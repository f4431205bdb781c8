/* berth bench: times apart, and ratios. */
#include "cli_run.h"

#include "report/report_int.h"

#include <jansson.h>
#include <string.h>

typedef struct bench_page {
    const cli_request *request;
    const char *path;
    const berth_bench *bench;
} bench_page;

/* --- text --------------------------------------------------------------------
 */

static double in_ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

/* MAC per second of so many in so long, in 10^9. */
static double giga(uint64_t macs, uint64_t ns)
{
    return ns == 0 ? 0.0 : (double)macs / (double)ns;
}

static void print_times(const bench_page *page)
{
    const berth_bench *b = page->bench;
    const berth_bench_series *steady = &b->steady;
    (void)printf("load      %10.3f ms   file opened, verified, graph built\n",
                 in_ms(b->load_ns));
    (void)printf("plan      %10.3f ms   shapes, lifetimes, plan, both judges\n",
                 in_ms(b->stage_ns + b->session.plan_ns));
    (void)printf("prepare   %10.3f ms   %llu page faults with planning\n",
                 in_ms(b->session.prepare_ns),
                 (unsigned long long)b->prepare_faults);
    (void)printf("first run %10.3f ms   %llu page faults\n", in_ms(b->first_ns),
                 (unsigned long long)b->first_faults);
    (void)printf("run       %10.3f ms   median of %u; best %.3f, 90 %% within "
                 "%.3f, worst %.3f; %llu page faults\n",
                 in_ms(steady->median_ns), steady->runs, in_ms(steady->best_ns),
                 in_ms(steady->p90_ns), in_ms(steady->worst_ns),
                 (unsigned long long)steady->faults);
    if (b->macs > 0) {
        char number[WORD_NUMBER];
        (void)printf("work      %10.3f GMAC/s, %s MAC a run\n",
                     giga(b->macs, steady->median_ns),
                     word_number(number, b->macs));
    }
}

static void print_memory(const bench_page *page)
{
    const berth_bench *b = page->bench;
    const berth_engine_need *need = &b->session.need;
    char numbers[5][WORD_NUMBER];
    (void)printf("memory    %10s bytes: arena %s, state %s, books %s\n",
                 word_number(numbers[0], need->total_bytes),
                 word_number(numbers[1], need->region_bytes[0]),
                 word_number(numbers[2], need->state_bytes),
                 word_number(numbers[3], need->books_bytes));
    if (b->allocations_counted) {
        (void)printf("allocated %10llu times during all runs\n",
                     (unsigned long long)b->allocations);
    } else {
        (void)puts("allocated          ? (this build does not count)");
    }
    if (b->stack_bytes > 0) {
        (void)printf("stack     %10s bytes at the deepest\n",
                     word_number(numbers[4], b->stack_bytes));
    }
    (void)printf("resident  %10s bytes at most, the whole process\n",
                 word_number(numbers[4], b->peak_rss_bytes));
}

static void print_ops(const bench_page *page)
{
    const berth_bench *b = page->bench;
    uint64_t total = 0;
    for (uint32_t i = 0; i < b->op_count; ++i) {
        total += b->ops[i].ns;
    }
    (void)printf("\n%5s  %-24s %10s %7s %10s\n", "step", "operator", "ms",
                 "share", "GMAC/s");
    for (uint32_t i = 0; i < b->op_count; ++i) {
        const berth_bench_op *op = &b->ops[i];
        (void)printf("%5u  %-24s %10.4f %6.1f%%", op->step,
                     berth_op_name(op->code), in_ms(op->ns),
                     total == 0 ? 0.0 : 100.0 * (double)op->ns / (double)total);
        if (op->macs > 0) {
            (void)printf(" %10.3f", giga(op->macs, op->ns));
        }
        (void)putchar('\n');
    }
}

static void print_versus(const bench_page *page)
{
    const berth_bench_versus *v = &page->bench->versus;
    const char *name = berth_bench_peer_name(page->request->bench.versus);
    if (!v->ran) {
        char why[WORD_NAME];
        (void)word_name(why, word_bytes(v->why, strlen(v->why)), 200u);
        cli_complain("%s did not run: %s (--python: one that has %s)", name,
                     why,
                     page->request->bench.versus == BERTH_BENCH_PEER_TFLM
                         ? "tflite-micro"
                         : "ai-edge-litert");
        return;
    }
    (void)printf("\n%-14s %9.3f ms, berth %.3f ms: berth is %.2f times as fast "
                 "(%.2f to %.2f, %u rounds in turn)\n",
                 name, in_ms(v->peer_ns), in_ms(v->own_ns), v->ratio,
                 v->ratio_least, v->ratio_most, v->rounds);
    (void)printf("%-14s %9.3f ms to prepare, %.3f ms its first run\n", "",
                 in_ms(v->prepare_ns), in_ms(v->first_ns));
}

static void print_text(const bench_page *page)
{
    print_times(page);
    print_memory(page);
    if (page->request->bench.ops) {
        print_ops(page);
    }
    if (page->request->bench.versus != BERTH_BENCH_PEER_NONE) {
        print_versus(page);
    }
}

/* --- JSON --------------------------------------------------------------------
 */

typedef struct bench_number {
    const char *name;
    uint64_t value;
} bench_number;

static void set_numbers(json_t *to, const bench_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        (void)json_object_set_new(to, numbers[i].name,
                                  json_integer((json_int_t)numbers[i].value));
    }
}

static json_t *json_ops(const berth_bench *bench)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < bench->op_count; ++i) {
        const berth_bench_op *op = &bench->ops[i];
        const bench_number numbers[] = {{"step", op->step},
                                        {"subgraph", op->subgraph},
                                        {"op", op->op},
                                        {"ns", op->ns},
                                        {"macs", op->macs}};
        json_t *row = json_object();
        (void)json_object_set_new(row, "operator",
                                  json_string(berth_op_name(op->code)));
        set_numbers(row, numbers, sizeof(numbers) / sizeof(numbers[0]));
        (void)json_array_append_new(list, row);
    }
    return list;
}

static json_t *json_versus(const bench_page *page)
{
    const berth_bench_versus *v = &page->bench->versus;
    json_t *row = json_object();
    (void)json_object_set_new(
        row, "runtime",
        json_string(berth_bench_peer_name(page->request->bench.versus)));
    (void)json_object_set_new(row, "ran", json_boolean(v->ran));
    if (!v->ran) {
        char why[WORD_NAME];
        (void)word_name(why, word_bytes(v->why, strlen(v->why)), 200u);
        (void)json_object_set_new(row, "why", json_string(why));
        return row;
    }
    const bench_number numbers[] = {{"runtime_ns", v->peer_ns},
                                    {"berth_ns", v->own_ns},
                                    {"runtime_prepare_ns", v->prepare_ns},
                                    {"runtime_first_ns", v->first_ns},
                                    {"rounds", v->rounds}};
    set_numbers(row, numbers, sizeof(numbers) / sizeof(numbers[0]));
    (void)json_object_set_new(row, "ratio", json_real(v->ratio));
    (void)json_object_set_new(row, "ratio_least", json_real(v->ratio_least));
    (void)json_object_set_new(row, "ratio_most", json_real(v->ratio_most));
    return row;
}

static void print_json(const bench_page *page)
{
    const berth_bench *b = page->bench;
    const berth_engine_need *need = &b->session.need;
    const bench_number numbers[] = {
        {"load_ns", b->load_ns},
        {"plan_ns", b->stage_ns + b->session.plan_ns},
        {"prepare_ns", b->session.prepare_ns},
        {"prepare_page_faults", b->prepare_faults},
        {"first_run_ns", b->first_ns},
        {"first_run_page_faults", b->first_faults},
        {"run_median_ns", b->steady.median_ns},
        {"run_best_ns", b->steady.best_ns},
        {"run_p90_ns", b->steady.p90_ns},
        {"run_worst_ns", b->steady.worst_ns},
        {"runs", b->steady.runs},
        {"run_page_faults", b->steady.faults},
        {"macs", b->macs},
        {"arena_bytes", need->region_bytes[0]},
        {"state_bytes", need->state_bytes},
        {"books_bytes", need->books_bytes},
        {"total_bytes", need->total_bytes},
        {"stack_bytes", b->stack_bytes},
        {"peak_rss_bytes", b->peak_rss_bytes}};
    char name[WORD_NAME];
    json_t *root = json_object();
    (void)word_name(name, word_bytes(page->path, strlen(page->path)), 200u);
    (void)json_object_set_new(root, "model", json_string(name));
    set_numbers(root, numbers, sizeof(numbers) / sizeof(numbers[0]));
    (void)json_object_set_new(root, "allocations_in_runs",
                              b->allocations_counted
                                  ? json_integer((json_int_t)b->allocations)
                                  : json_null());
    if (page->request->bench.ops) {
        (void)json_object_set_new(root, "ops", json_ops(b));
    }
    if (page->request->bench.versus != BERTH_BENCH_PEER_NONE) {
        (void)json_object_set_new(root, "versus", json_versus(page));
    }
    (void)json_dumpf(root, stdout, JSON_INDENT(2));
    (void)putchar('\n');
    json_decref(root);
}

/* --- the command -------------------------------------------------------------
 */

static berth_verdict bench_one(const cli_request *request, const char *path)
{
    berth_bench_options options = {
        .session = {.stage = request->report.stage,
                    .plan = {.strategy = request->report.strategy},
                    .kernels = request->run.reference ? berth_kernels_ref()
                                                      : berth_kernels_opt(),
                    .profile = request->run.profile},
        .time_ns = request->time_ns,
        .runs_most = request->bench.runs,
        .threads = request->run.threads,
        .versus = request->bench.versus,
        .python = request->bench.python};
    berth_port port = berth_port_of_libc();
    berth_bench bench;
    berth_load_error error;
    const bench_page page = {request, path, &bench};
    options.signature = request->report.signature;
    const berth_status status =
        berth_bench_make(&port, path, &options, &bench, &error);
    berth_verdict verdict = BERTH_VERDICT_OK;
    if (status == BERTH_OK) {
        (request->format == CLI_JSON ? print_json : print_text)(&page);
        verdict =
            request->bench.versus == BERTH_BENCH_PEER_NONE || bench.versus.ran
                ? BERTH_VERDICT_OK
                : BERTH_VERDICT_UNFIT;
    } else {
        verdict = cli_refuse_session(&bench.session, path, &error);
    }
    berth_bench_close(&bench);
    return verdict;
}

berth_verdict cli_bench(const cli_request *request, char *const *paths,
                        int count)
{
    if (count != 1 || strcmp(paths[0], "-") == 0) {
        cli_complain("bench takes one model, by its name (see berth bench "
                     "--help)");
        return BERTH_VERDICT_USAGE;
    }
    return bench_one(request, paths[0]);
}

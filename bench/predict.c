/* Predicted against measured: TFLM's arena for every row of tflm_arena.tsv, and
 * for the PyPI package every row of arena.tsv; LiteRT's arena with the
 * temporaries of its built-in kernels, every row of arena.tsv.
 *
 *     predict [CORPUS]      default: BERTH_CORPUS, else ../shared
 *
 * A line per configuration with the number of exact figures, then a line per
 * figure that is not. Exit code 1 where a row that TFLM starts is predicted
 * wrong in used, head, tail or minimum. */
#include "berth/hosted/load.h"
#include "berth/micro.h"
#include "berth/peer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 20, COLUMN_MOST = 48, PATH_MOST = 4096 };

/* The configurations of the table. */
static const struct {
    const char *config;
    const char *target;
    const char *kernels;
} configs[] = {
    {"x64", "x86-64", "reference"}, {"x32", "x86-32", "reference"},
    {"m4", "m4", "reference"},      {"x32cn", "x86-32", "cmsis-nn"},
    {"m4cn", "m4", "cmsis-nn"},     {"m55cn", "m55", "cmsis-nn"},
    {"pypi", "pypi", "reference"},
};

#define CONFIG_COUNT (sizeof(configs) / sizeof(configs[0]))

/* Groups of columns that are counted together. */
#define GROUP_TABLE(X)                                                         \
    X(USED, "used")                                                            \
    X(HEAD, "head")                                                            \
    X(TAIL, "tail")                                                            \
    X(MIN, "min")                                                              \
    X(CAUSE, "cause")                                                          \
    X(BUCKETS, "buckets")                                                      \
    X(NOSCRATCH, "noscratch")                                                  \
    X(PRESERVE, "preserve")                                                    \
    X(SCRATCH, "scratch")

typedef enum group {
#define GROUP_ENUM(name, text) GROUP_##name,
    GROUP_TABLE(GROUP_ENUM)
#undef GROUP_ENUM
        GROUP_COUNT
} group;

static const char *const group_names[] = {
#define GROUP_NAME(name, text) text,
    GROUP_TABLE(GROUP_NAME)
#undef GROUP_NAME
};

typedef struct table_row {
    const char *value[COLUMN_MOST];
    uint32_t count;
} table_row;

typedef struct tally {
    uint32_t rows;     /* that TFLM starts */
    uint32_t refused;  /* that it does not */
    uint32_t foreseen; /* of these, those that berth refuses too */
    uint32_t exact[GROUP_COUNT];
    uint32_t all; /* rows with every group exact */
} tally;

static tally tallies[CONFIG_COUNT];
static table_row header;
static char header_text[LINE_MOST];

static void split(char *line, table_row *row)
{
    row->count = 0;
    for (char *at = line; row->count < COLUMN_MOST;) {
        row->value[row->count++] = at;
        at = strpbrk(at, "\t\r\n");
        if (at == NULL) {
            break;
        }
        const char stop = *at;
        *at++ = '\0';
        if (stop != '\t') {
            break;
        }
    }
}

static const char *column(const table_row *row, const char *name)
{
    for (uint32_t i = 0; i < header.count && i < row->count; ++i) {
        if (strcmp(header.value[i], name) == 0) {
            return row->value[i];
        }
    }
    return "-";
}

/* One model's prediction, in a block of its own. */
typedef struct answer {
    berth_micro micro;
    berth_block block;
} answer;

static bool ask(berth_loaded *loaded, const berth_micro_options *options,
                answer *out)
{
    size_t need = 0;
    *out = (answer){0};
    if (berth_micro_bytes(&loaded->graph, options, &need, NULL) != BERTH_OK ||
        !berth_block_take(loaded->port, need, &out->block)) {
        return false;
    }
    berth_work work = berth_work_of(out->block.memory, need);
    berth_diag diag = berth_diag_none();
    if (berth_micro_predict(&loaded->graph, options, &work, &out->micro,
                            &diag) != BERTH_OK) {
        printf("  predict: %s\n", diag.what);
        return false;
    }
    return true;
}

/* --- comparing ---------------------------------------------------------------
 */

typedef struct contest {
    const table_row *row;
    bool exact[GROUP_COUNT];
} contest;

static void compare(contest *c, group which, const char *name, uint64_t ours)
{
    const char *theirs = column(c->row, name);
    if (strcmp(theirs, "-") == 0) {
        return; /* not measured */
    }
    if (strtoull(theirs, NULL, 10) != ours) {
        c->exact[which] = false;
        printf("  %s %s: %s is %s, predicted %" PRIu64 "\n",
               column(c->row, "config"), column(c->row, "model"), name, theirs,
               ours);
    }
}

static void compare_buckets(contest *c, const berth_micro *micro)
{
    static const char *const names[BERTH_MICRO_BUCKET_COUNT] = {
        [BERTH_MICRO_BUCKET_EVAL_TENSOR] = "eval_tensor",
        [BERTH_MICRO_BUCKET_PERSISTENT_TENSOR] = "persist_tensor",
        [BERTH_MICRO_BUCKET_PERSISTENT_QUANTIZATION] = "persist_quant",
        [BERTH_MICRO_BUCKET_PERSISTENT_BUFFER] = "persist_buffer",
        [BERTH_MICRO_BUCKET_VARIABLE] = "variable",
        [BERTH_MICRO_BUCKET_NODE] = "node_reg",
    };
    for (uint32_t b = 1; b < BERTH_MICRO_BUCKET_COUNT; ++b) {
        berth_micro_share sum = {0, 0, 0};
        for (uint32_t p = 0; p < BERTH_MICRO_PART_COUNT; ++p) {
            if (berth_micro_part_bucket((berth_micro_part)p) == b) {
                sum.requested_bytes += micro->parts[p].requested_bytes;
                sum.used_bytes += micro->parts[p].used_bytes;
                sum.count += micro->parts[p].count;
            }
        }
        char name[64];
        snprintf(name, sizeof(name), "%s_req", names[b]);
        compare(c, GROUP_BUCKETS, name, sum.requested_bytes);
        snprintf(name, sizeof(name), "%s_used", names[b]);
        compare(c, GROUP_BUCKETS, name, sum.used_bytes);
        snprintf(name, sizeof(name), "%s_n", names[b]);
        compare(c, GROUP_BUCKETS, name, sum.count);
    }
    compare(c, GROUP_BUCKETS, "rec_used", micro->arena_used_bytes);
    compare(c, GROUP_BUCKETS, "rec_tail", micro->tail_bytes);
}

static void compare_cause(contest *c, const berth_graph *graph,
                          const berth_micro *micro)
{
    char ours[64] = "final layout (head + tail)";
    if (micro->min_cause == BERTH_MICRO_CAUSE_PLANNER) {
        snprintf(ours, sizeof(ours), "planner_work");
    } else if (micro->min_cause == BERTH_MICRO_CAUSE_PREPARE) {
        const uint32_t s = graph->ops[micro->prepare_op].subgraph;
        snprintf(ours, sizeof(ours), "temp_P_sg%" PRIu32 "_op%" PRIu32, s,
                 micro->prepare_op - graph->op_base[s]);
    }
    if (strcmp(ours, column(c->row, "min_cause")) != 0) {
        c->exact[GROUP_CAUSE] = false;
        printf("  %s %s: min_cause is %s, predicted %s\n",
               column(c->row, "config"), column(c->row, "model"),
               column(c->row, "min_cause"), ours);
    }
}

/* "0:1:MEAN=8,...": the bytes in order; the names follow from the model. */
static void compare_scratch(contest *c, const berth_micro *micro)
{
    const char *at = column(c->row, "scratch");
    uint32_t i = 0;
    bool same = true;
    for (at = strchr(at, '='); at != NULL; at = strchr(at + 1, '=')) {
        same = same && i < micro->scratch_count &&
               strtoull(at + 1, NULL, 10) == micro->scratch[i];
        ++i;
    }
    if (!same || i != micro->scratch_count) {
        c->exact[GROUP_SCRATCH] = false;
        printf("  %s %s: scratch %s, predicted", column(c->row, "config"),
               column(c->row, "model"), column(c->row, "scratch"));
        for (i = 0; i < micro->scratch_count; ++i) {
            printf(" %" PRIu64, micro->scratch[i]);
        }
        printf("\n");
    }
}

/* Four runs: plain, recording, without scratch, everything preserved. */
static bool compare_all(contest *c, berth_loaded *loaded,
                        berth_micro_options options)
{
    answer got;
    bool asked = ask(loaded, &options, &got);
    const berth_micro_refusal refusal = got.micro.refusal;
    const bool starts = asked && refusal == BERTH_MICRO_STARTS;
    if (asked) {
        compare(c, GROUP_USED, "arena_used", got.micro.arena_used_bytes);
        compare(c, GROUP_HEAD, "head", got.micro.head_bytes);
        compare(c, GROUP_TAIL, "tail", got.micro.tail_bytes);
        compare(c, GROUP_MIN, "min_arena", got.micro.arena_min_bytes);
        compare_cause(c, &loaded->graph, &got.micro);
        compare(c, GROUP_SCRATCH, "resource_variables",
                got.micro.resource_count);
        compare_scratch(c, &got.micro);
    }
    berth_block_give(loaded->port, &got.block);
    options.recording = true;
    asked = ask(loaded, &options, &got) && asked;
    compare_buckets(c, &got.micro);
    berth_block_give(loaded->port, &got.block);
    options.recording = false;
    options.no_scratch = true;
    asked = ask(loaded, &options, &got) && asked;
    compare(c, GROUP_NOSCRATCH, "head_noscratch", got.micro.head_bytes);
    berth_block_give(loaded->port, &got.block);
    options.no_scratch = false;
    options.preserve_all = true;
    asked = ask(loaded, &options, &got) && asked;
    compare(c, GROUP_PRESERVE, "linear_used", got.micro.arena_used_bytes);
    compare(c, GROUP_PRESERVE, "linear_head", got.micro.head_bytes);
    berth_block_give(loaded->port, &got.block);
    if (asked && !starts) {
        printf("  %s %s: no promise: %s\n", column(c->row, "config"),
               column(c->row, "model"), berth_micro_refusal_text(refusal));
    }
    return asked;
}

static bool refuses(berth_loaded *loaded, const berth_micro_options *options)
{
    answer got;
    const bool asked = ask(loaded, options, &got);
    const bool refused = asked && got.micro.refusal != BERTH_MICRO_STARTS;
    berth_block_give(loaded->port, &got.block);
    return refused;
}

static void take_row(const char *corpus, const table_row *row)
{
    uint32_t at = 0;
    while (at < CONFIG_COUNT &&
           strcmp(configs[at].config, column(row, "config")) != 0) {
        ++at;
    }
    if (at == CONFIG_COUNT) {
        return;
    }
    char path[PATH_MOST];
    snprintf(path, sizeof(path), "%s/models/%s", corpus, column(row, "model"));
    berth_port port = berth_port_of_libc();
    berth_loaded loaded;
    berth_load_error error;
    const berth_micro_options options = {
        .target = berth_micro_target_find(configs[at].target),
        .kernels = berth_micro_kernels_find(configs[at].kernels)};
    tally *sum = &tallies[at];
    const bool ok = strcmp(column(row, "status"), "ok") == 0;
    const bool opened = berth_load(&port, path, &loaded, &error) == BERTH_OK;
    if (!ok) {
        ++sum->refused;
        if (!opened || refuses(&loaded, &options)) {
            ++sum->foreseen;
        } else if (getenv("PREDICT_REFUSALS") != NULL) {
            printf("  %s %s: not foreseen: %s\n", configs[at].config,
                   column(row, "model"), column(row, "status"));
        }
        berth_unload(&loaded);
        return;
    }
    ++sum->rows;
    contest c = {.row = row};
    memset(c.exact, 1, sizeof(c.exact));
    if (!opened || !compare_all(&c, &loaded, options)) {
        printf("  %s %s: not predicted: %s\n", configs[at].config,
               column(row, "model"), opened ? "" : error.diag.what);
        memset(c.exact, 0, sizeof(c.exact));
    }
    bool all = true;
    for (uint32_t g = 0; g < GROUP_COUNT; ++g) {
        sum->exact[g] += c.exact[g] ? 1u : 0u;
        all = all && c.exact[g];
    }
    sum->all += all ? 1u : 0u;
    berth_unload(&loaded);
}

static int print_tallies(void)
{
    int wrong = 0;
    printf("\n%-6s %-8s %-10s %5s", "config", "target", "kernels", "rows");
    for (uint32_t g = 0; g < GROUP_COUNT; ++g) {
        printf(" %9s", group_names[g]);
    }
    printf(" %9s %s\n", "all", "refused, foreseen");
    for (uint32_t i = 0; i < CONFIG_COUNT; ++i) {
        const tally *sum = &tallies[i];
        printf("%-6s %-8s %-10s %5" PRIu32, configs[i].config,
               configs[i].target, configs[i].kernels, sum->rows);
        const bool wheel = i == CONFIG_COUNT - 1;
        for (uint32_t g = 0; g < GROUP_COUNT; ++g) {
            if (wheel && g != GROUP_HEAD && g != GROUP_MIN) {
                printf(" %9s", "-"); /* arena.tsv has no such column */
                continue;
            }
            printf(" %9" PRIu32, sum->exact[g]);
            wrong += g <= GROUP_MIN && sum->exact[g] != sum->rows;
        }
        printf(" %9" PRIu32 " %" PRIu32 ", %" PRIu32 "\n", sum->all,
               sum->refused, sum->foreseen);
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* arena.tsv: the smallest arena in which the wheel starts and runs once. */
static void take_wheel_row(const char *corpus, const table_row *row)
{
    tally *sum = &tallies[CONFIG_COUNT - 1];
    char path[PATH_MOST];
    berth_port port = berth_port_of_libc();
    berth_loaded loaded;
    berth_load_error error;
    answer got;
    const berth_micro_options options = {.target =
                                             berth_micro_target_find("pypi")};
    contest c = {.row = row};
    if (strcmp(column(row, "tflm_arena_used"), "-") == 0) {
        return;
    }
    memset(c.exact, 1, sizeof(c.exact));
    snprintf(path, sizeof(path), "%s/models/%s", corpus, column(row, "model"));
    ++sum->rows;
    if (berth_load(&port, path, &loaded, &error) != BERTH_OK ||
        !ask(&loaded, &options, &got)) {
        printf("  pypi %s: not predicted\n", column(row, "model"));
        berth_unload(&loaded);
        return;
    }
    compare(&c, GROUP_MIN, "tflm_arena_used", got.micro.arena_min_bytes);
    compare(&c, GROUP_HEAD, "tflm_head", got.micro.head_bytes);
    sum->exact[GROUP_MIN] += c.exact[GROUP_MIN] ? 1u : 0u;
    sum->exact[GROUP_HEAD] += c.exact[GROUP_HEAD] ? 1u : 0u;
    berth_block_give(&port, &got.block);
    berth_unload(&loaded);
}

/* --- LiteRT ------------------------------------------------------------------
 */

typedef struct litert_tally {
    uint32_t rows;
    uint32_t exact;
} litert_tally;

static litert_tally litert;

/* The arena with the temporaries of built-in kernels; BERTH_NOWHERE: none. */
static uint64_t solve_litert(berth_port *port, const berth_staged *staged,
                             const char **why)
{
    const berth_graph *graph = &staged->loaded->graph;
    berth_diag diag = berth_diag_none();
    berth_block block = {0};
    berth_block addresses = {0};
    size_t need = 0;
    berth_peer_plan plan = {0};
    uint64_t peak = BERTH_NOWHERE;
    *why = "no memory";
    if (berth_peer_bytes(graph, &staged->shapes, 0, BERTH_PEER_LITERT_KERNELS,
                         &need, &diag) == BERTH_OK &&
        berth_block_take(port, need, &block) &&
        berth_block_take(port, sizeof(uint64_t) * (graph->tensor_count + 1u),
                         &addresses)) {
        plan.address = addresses.memory;
        if (berth_peer_solve(
                graph, &staged->shapes, 0, BERTH_PEER_LITERT_KERNELS,
                berth_work_of(block.memory, need), &plan, &diag) == BERTH_OK) {
            peak = plan.peak;
        }
        *why = diag.what;
    }
    berth_block_give(port, &addresses);
    berth_block_give(port, &block);
    return peak;
}

static void take_litert_row(const char *corpus, const table_row *row)
{
    const char *theirs = column(row, "litert_arena_bytes");
    char path[PATH_MOST];
    berth_port port = berth_port_of_libc();
    berth_loaded loaded = {0};
    berth_staged staged = {0};
    berth_load_error error;
    const char *why = "not loaded";
    uint64_t ours = BERTH_NOWHERE;
    if (strcmp(theirs, "-") == 0) {
        return;
    }
    snprintf(path, sizeof(path), "%s/models/%s", corpus, column(row, "model"));
    ++litert.rows;
    if (berth_load(&port, path, &loaded, &error) == BERTH_OK &&
        berth_stage_shapes(&loaded, NULL, &staged, &error) == BERTH_OK) {
        ours = solve_litert(&port, &staged, &why);
    }
    berth_unstage(&staged);
    berth_unload(&loaded);
    if (strtoull(theirs, NULL, 10) == ours) {
        ++litert.exact;
    } else if (ours == BERTH_NOWHERE) {
        printf("  litert %s: is %s, no number: %s\n", column(row, "model"),
               theirs, why);
    } else {
        printf("  litert %s: is %s, predicted %" PRIu64 " (temporaries %s)\n",
               column(row, "model"), theirs, ours,
               column(row, "litert_temporaries"));
    }
}

static bool read_table(const char *corpus, const char *name,
                       void (*take)(const char *, const table_row *))
{
    static char line[LINE_MOST];
    char path[PATH_MOST];
    snprintf(path, sizeof(path), "%s/goldens/%s", corpus, name);
    FILE *table = fopen(path, "r");
    if (table == NULL) {
        fprintf(stderr, "predict: %s cannot be read\n", path);
        return false;
    }
    header.count = 0;
    while (fgets(line, sizeof(line), table) != NULL) {
        table_row row;
        if (line[0] == '#') {
            continue;
        }
        if (header.count == 0) {
            memcpy(header_text, line, sizeof(line));
            split(header_text, &header);
            continue;
        }
        split(line, &row);
        take(corpus, &row);
    }
    fclose(table);
    return true;
}

int main(int argc, char **argv)
{
    const char *given = getenv("BERTH_CORPUS");
    const char *corpus = argc > 1 ? argv[1] : given;
    corpus = corpus == NULL ? "../shared" : corpus;
    if (!read_table(corpus, "tflm_arena.tsv", take_row) ||
        !read_table(corpus, "arena.tsv", take_wheel_row) ||
        !read_table(corpus, "arena.tsv", take_litert_row)) {
        return EXIT_FAILURE;
    }
    const int code = print_tallies();
    printf("LiteRT's arena, built-in kernels, one thread: %" PRIu32
           " of %" PRIu32 " rows exact\n",
           litert.exact, litert.rows);
    return code;
}

/* Runs the golden one-operator cases and compares.
 *
 *   op_cases FOLDER [-v] [-n] [--set ref|opt] [--engine] [OPERATOR[/CASE]]...
 *
 * FOLDER holds index.tsv and a folder an operator. A line for each operator and
 * types: passed, of how many; and below it the first reason of each kind that
 * failed (-v: every case that failed; -n: no lines but failures and the sum).
 * They run on the naive runner, or on the engine by a plan that was judged.
 * Exit code 1 when a case failed. How close is close: goldens README. */
#include "berth/hosted/session.h"
#include "corpus.h"
#include "naive.h"
#include "npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 65536,
    PATH_BYTES = 1024,
    WHY_BYTES = 256,
    ROWS_MAX = 2048,
    IO_MAX = 64,
    COLUMNS = 12
};

typedef struct tally {
    char op[64];
    char types[64];
    uint32_t passed;
    uint32_t total;
    char why[WHY_BYTES];
} tally;

typedef struct wish {
    const char *folder;
    const berth_kernels *kernels;
    bool engine;
    bool verbose;
    bool silent;
    char **only;
    int only_count;
} wish;

static tally tallies[ROWS_MAX];
static uint32_t tally_count;

static tally *tally_of(const char *op, const char *types)
{
    for (uint32_t i = 0; i < tally_count; ++i) {
        if (strcmp(tallies[i].op, op) == 0 &&
            strcmp(tallies[i].types, types) == 0) {
            return &tallies[i];
        }
    }
    if (tally_count == ROWS_MAX) {
        abort();
    }
    tally *fresh = &tallies[tally_count++];
    (void)snprintf(fresh->op, sizeof(fresh->op), "%s", op);
    (void)snprintf(fresh->types, sizeof(fresh->types), "%s", types);
    return fresh;
}

/* --- comparing ------------------------------------------------------------ */

static double value_at(const uint8_t *data, uint8_t type, size_t i)
{
    float f;
    double d;
    if (type == BERTH_FLOAT32) {
        memcpy(&f, data + i * sizeof(f), sizeof(f));
        return (double)f;
    }
    memcpy(&d, data + i * sizeof(d), sizeof(d));
    return d;
}

static bool compare_floats(const naive_tensor *got, const uint8_t *want,
                           double tolerance, char *why)
{
    const size_t size = got->type == BERTH_FLOAT32 ? 4 : 8;
    const size_t count = (size_t)got->bytes / size;
    double most = 1.0;
    for (size_t i = 0; i < count; ++i) {
        const double b = fabs(value_at(want, got->type, i));
        most = isfinite(b) && b > most ? b : most;
    }
    for (size_t i = 0; i < count; ++i) {
        const double a = value_at(got->data, got->type, i);
        const double b = value_at(want, got->type, i);
        if ((isnan(a) && isnan(b)) || a == b ||
            fabs(a - b) <= tolerance * most) {
            continue;
        }
        (void)snprintf(why, WHY_BYTES, "element %zu: %.9g, not %.9g", i, a, b);
        return false;
    }
    return true;
}

static bool compare(const naive_tensor *got, const npy *want, double tolerance,
                    char *why)
{
    bool shapes = got->rank == want->rank;
    for (uint32_t i = 0; shapes && i < got->rank; ++i) {
        shapes = got->dims[i] == want->dims[i];
    }
    if (!shapes || got->bytes != want->bytes) {
        (void)snprintf(why, WHY_BYTES,
                       "another shape: %" PRIu64 " bytes of %zu", got->bytes,
                       want->bytes);
        return false;
    }
    if (got->type == BERTH_FLOAT32 || got->type == BERTH_FLOAT64) {
        return compare_floats(got, want->data, tolerance, why);
    }
    for (size_t i = 0; i < want->bytes; ++i) {
        if (got->data[i] != want->data[i]) {
            (void)snprintf(why, WHY_BYTES, "byte %zu: %u, not %u", i,
                           got->data[i], want->data[i]);
            return false;
        }
    }
    return true;
}

/* --- one case ------------------------------------------------------------- */

/* 4-bit arrays are a byte an element in .npy. */
static void fill(const naive_tensor *to, const npy *from)
{
    if (to->bytes == from->bytes) {
        memcpy(to->data, from->data, from->bytes);
        return;
    }
    for (size_t i = 0; i < from->bytes && i / 2 < to->bytes; ++i) {
        uint8_t *byte = &to->data[i / 2];
        const unsigned nibble = from->data[i] & 15u;
        *byte = (uint8_t)(i % 2 == 0 ? nibble : *byte | nibble << 4);
    }
}

static void name_file(char *path, const wish *w, const char *op,
                      const char *number, uint32_t steps, uint32_t step,
                      const char *kind, uint32_t i)
{
    if (steps > 1) {
        (void)snprintf(path, PATH_BYTES, "%s/%s/%s.s%u.%s%u.npy", w->folder, op,
                       number, step, kind, i);
    } else {
        (void)snprintf(path, PATH_BYTES, "%s/%s/%s.%s%u.npy", w->folder, op,
                       number, kind, i);
    }
}

static void free_bytes(berth_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* --- who runs it ---------------------------------------------------------- */

/* One of the two is open. */
typedef struct runner {
    naive *naive;
    bool on_engine;
    berth_port port;
    berth_session session;
    berth_io io;
} runner;

static bool say_error(char *why, const berth_load_error *error)
{
    (void)snprintf(
        why, WHY_BYTES, "%s: %s", berth_load_stage_name(error->stage),
        error->diag.what[0] != '\0' ? error->diag.what
                                    : berth_status_text(error->status));
    return false;
}

static bool open_engine(runner *r, const wish *w, const char *path,
                        const berth_shape_override *overrides, uint32_t count,
                        char *why)
{
    berth_load_error error;
    berth_named_shape shapes[IO_MAX];
    char names[IO_MAX][16];
    r->on_engine = true;
    r->port = berth_port_of_libc();
    if (berth_session_load(&r->port, path, &r->session, &error) != BERTH_OK) {
        return say_error(why, &error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        (void)snprintf(names[i], sizeof(names[i]), "#%u", overrides[i].tensor);
        shapes[i] = (berth_named_shape){
            .name = {(const uint8_t *)names[i], strlen(names[i])},
            .rank = overrides[i].rank,
            .values = overrides[i].values};
        memcpy(shapes[i].dims, overrides[i].dims,
               overrides[i].rank * sizeof(shapes[i].dims[0]));
    }
    const berth_session_options options = {
        .stage = {.shapes = shapes, .shape_count = count},
        .plan = {.strategy = BERTH_STRATEGY_BEST},
        .kernels = w->kernels};
    return berth_session_prepare(&r->session, &options, &error) == BERTH_OK ||
           say_error(why, &error);
}

static void close_runner(runner *r)
{
    if (r->naive != NULL) {
        naive_close(r->naive);
    }
    if (r->on_engine) {
        berth_session_close(&r->session);
    }
}

static uint32_t input_count(const runner *r)
{
    return r->on_engine ? berth_engine_input_count(r->session.engine)
                        : naive_input_count(r->naive);
}

static uint32_t output_count(const runner *r)
{
    return r->on_engine ? berth_engine_output_count(r->session.engine)
                        : naive_output_count(r->naive);
}

static naive_tensor tensor_of(const berth_io *io)
{
    return (naive_tensor){io->data, io->bytes, io->dims, io->rank,
                          (uint8_t)io->type};
}

/* Good until the next call. */
static naive_tensor input_of(runner *r, uint32_t i)
{
    if (!r->on_engine) {
        return naive_input(r->naive, i);
    }
    return berth_engine_input(r->session.engine, i, &r->io) == BERTH_OK
               ? tensor_of(&r->io)
               : (naive_tensor){NULL, 0, NULL, 0, 0};
}

static naive_tensor output_of(runner *r, uint32_t i)
{
    if (!r->on_engine) {
        return naive_output(r->naive, i);
    }
    return berth_engine_output(r->session.engine, i, &r->io) == BERTH_OK
               ? tensor_of(&r->io)
               : (naive_tensor){NULL, 0, NULL, 0, 0};
}

static bool run_once(runner *r, char *why)
{
    berth_diag diag = berth_diag_none();
    if (!r->on_engine) {
        return naive_run(r->naive, why, WHY_BYTES);
    }
    const berth_status status =
        berth_engine_run(r->session.engine, NULL, &diag);
    if (status != BERTH_OK) {
        (void)snprintf(why, WHY_BYTES, "%s: %s", berth_status_name(status),
                       diag.what);
    }
    return status == BERTH_OK;
}

/* --- one case, run -------------------------------------------------------- */

static bool run_step(runner *r, const wish *w, char **column, uint32_t step,
                     double tolerance, char *why)
{
    char path[PATH_BYTES];
    const uint32_t steps = (uint32_t)strtoul(column[5], NULL, 10);
    for (uint32_t i = 0; i < input_count(r); ++i) {
        npy array;
        const naive_tensor to = input_of(r, i);
        name_file(path, w, column[0], column[1], steps, step, "in", i);
        if (npy_read(path, &array) && to.data != NULL) {
            fill(&to, &array);
        }
        free_bytes(array.file);
    }
    if (!run_once(r, why)) {
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < output_count(r); ++i) {
        npy array;
        const naive_tensor got = output_of(r, i);
        name_file(path, w, column[0], column[1], steps, step, "out", i);
        ok = npy_read(path, &array);
        if (!ok) {
            (void)snprintf(why, WHY_BYTES, "no file %.200s", path);
        }
        ok = ok && compare(&got, &array, tolerance, why);
        free_bytes(array.file);
    }
    return ok;
}

/* What a case says of its inputs before the model is planned: shapes where they
 * are not the model's, and, where shapes depend on them, values. */
typedef struct case_inputs {
    npy arrays[IO_MAX];
    berth_shape_override overrides[IO_MAX];
    int64_t values[IO_MAX][BERTH_SHAPE_VALUES_MAX];
    uint32_t count;
} case_inputs;

/* The elements of a small array of whole numbers, or NULL. */
static const int64_t *values_of(const npy *array, int64_t *values)
{
    const size_t width = strcmp(array->type, "i8") == 0   ? 8
                         : strcmp(array->type, "i4") == 0 ? 4
                         : strcmp(array->type, "b1") == 0 ? 1
                                                          : 0;
    if (width == 0 || array->bytes / width > BERTH_SHAPE_VALUES_MAX) {
        return NULL;
    }
    for (size_t i = 0; i < array->bytes / width; ++i) {
        int32_t narrow = 0;
        memcpy(width == 4 ? (void *)&narrow : (void *)&values[i],
               array->data + i * width, width);
        values[i] = width == 4 ? narrow : values[i];
    }
    return values;
}

static bool is_shape(berth_ivec shape, const npy *array)
{
    bool same = shape.count == array->rank;
    for (uint32_t k = 0; same && k < shape.count; ++k) {
        same = berth_ivec_at(shape, k) == array->dims[k];
    }
    return same;
}

static void read_inputs(const char *model, const wish *w, char **column,
                        bool with_values, case_inputs *in)
{
    char path[PATH_BYTES];
    berth_port port = berth_port_of_libc();
    berth_loaded loaded;
    berth_load_error error;
    const uint32_t steps = (uint32_t)strtoul(column[5], NULL, 10);
    memset(in, 0, sizeof(*in));
    if (berth_load(&port, model, &loaded, &error) != BERTH_OK) {
        return;
    }
    const uint32_t *inputs = berth_graph_subgraph_inputs(&loaded.graph, 0);
    for (uint32_t i = 0;
         i < loaded.graph.subgraphs[0].input_count && i < IO_MAX; ++i) {
        npy *array = &in->arrays[i];
        name_file(path, w, column[0], column[1], steps, 0, "in", i);
        if (!npy_read(path, array)) {
            continue;
        }
        const int64_t *values =
            with_values ? values_of(array, in->values[i]) : NULL;
        const berth_tensor file =
            berth_graph_tensor_info(&loaded.graph, inputs[i]);
        if (values != NULL || !is_shape(file.shape, array)) {
            in->overrides[in->count++] =
                (berth_shape_override){.tensor = inputs[i],
                                       .rank = array->rank,
                                       .dims = array->dims,
                                       .values = values};
        }
    }
    berth_unload(&loaded);
}

static bool open_runner(runner *r, const wish *w, const char *path,
                        berth_bytes file, const case_inputs *in, char *why)
{
    *r = (runner){.naive = NULL};
    if (w->engine) {
        return open_engine(r, w, path, in->overrides, in->count, why);
    }
    r->naive = naive_open(file, w->kernels, BERTH_PROFILE_LITERT, in->overrides,
                          in->count, why, WHY_BYTES);
    return r->naive != NULL;
}

static void free_inputs(const case_inputs *in)
{
    for (uint32_t i = 0; i < IO_MAX; ++i) {
        free_bytes(in->arrays[i].file);
    }
}

static bool run_case(const wish *w, char **column, char *why)
{
    static case_inputs in;
    char path[PATH_BYTES];
    runner r;
    (void)snprintf(path, sizeof(path), "%s/%s/%s.tflite", w->folder, column[0],
                   column[1]);
    const berth_bytes file = file_read(path);
    if (file.data == NULL) {
        (void)snprintf(why, WHY_BYTES, "no file %.200s", path);
        return false;
    }
    read_inputs(path, w, column, false, &in);
    bool ok = open_runner(&r, w, path, file, &in, why);
    if (!ok) { /* shapes that depend on values? */
        close_runner(&r);
        free_inputs(&in);
        read_inputs(path, w, column, true, &in);
        ok = open_runner(&r, w, path, file, &in, why);
    }
    const double measured = strtod(column[8], NULL);
    const double tolerance = fmax(1e-5, 4 * measured);
    const uint32_t steps = (uint32_t)strtoul(column[5], NULL, 10);
    for (uint32_t step = 0; ok && step < steps; ++step) {
        ok = run_step(&r, w, column, step, tolerance, why);
    }
    close_runner(&r);
    free_inputs(&in);
    free_bytes(file);
    return ok;
}

/* --- all of them ---------------------------------------------------------- */

static bool wanted(const wish *w, char **column)
{
    char both[PATH_BYTES];
    (void)snprintf(both, sizeof(both), "%s/%s", column[0], column[1]);
    for (int i = 0; i < w->only_count; ++i) {
        if (strcmp(w->only[i], column[0]) == 0 ||
            strcmp(w->only[i], both) == 0) {
            return true;
        }
    }
    return w->only_count == 0;
}

static bool split(char *line, char **column)
{
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < COLUMNS; ++i) {
        column[i] = line;
        char *tab = strchr(line, '\t');
        if (tab == NULL) {
            return i == COLUMNS - 1;
        }
        *tab = '\0';
        line = tab + 1;
    }
    return true;
}

static void judge(const wish *w, char **column)
{
    char why[WHY_BYTES] = "";
    tally *row = tally_of(column[0], column[2]);
    const bool ok = run_case(w, column, why);
    row->total += 1;
    row->passed += ok ? 1u : 0u;
    if (!ok && w->verbose) {
        printf("  %s/%s %s: %s\n", column[0], column[1], column[2], why);
    }
    if (!ok && row->why[0] == '\0') {
        (void)snprintf(row->why, sizeof(row->why), "%s: %.200s", column[1],
                       why);
    }
}

static int report(const wish *w)
{
    uint32_t passed = 0;
    uint32_t total = 0;
    for (uint32_t i = 0; i < tally_count; ++i) {
        const tally *row = &tallies[i];
        passed += row->passed;
        total += row->total;
        if (!w->silent || row->passed < row->total) {
            printf("%-28s %-20s %4u of %4u  %s\n", row->op, row->types,
                   row->passed, row->total, row->why);
        }
    }
    printf("%u of %u cases passed (%s)\n", passed, total, w->kernels->name);
    return passed == total ? 0 : 1;
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_BYTES];
    wish w = {.kernels = berth_kernels_ref()};
    int at = 1;
    if (argc < 2) {
        (void)fprintf(stderr,
                      "usage: op_cases FOLDER [-v] [-n] "
                      "[--set ref|opt] [--engine] [OPERATOR[/CASE]]...\n");
        return 2;
    }
    w.folder = argv[at++];
    for (; at < argc && argv[at][0] == '-'; ++at) {
        w.verbose = w.verbose || strcmp(argv[at], "-v") == 0;
        w.silent = w.silent || strcmp(argv[at], "-n") == 0;
        w.engine = w.engine || strcmp(argv[at], "--engine") == 0;
        if (strcmp(argv[at], "--set") == 0 && at + 1 < argc) {
            w.kernels = strcmp(argv[++at], "opt") == 0 ? berth_kernels_opt()
                                                       : berth_kernels_ref();
        }
    }
    w.only = argv + at;
    w.only_count = argc - at;
    (void)snprintf(line, sizeof(line), "%s/index.tsv", w.folder);
    FILE *index = fopen(line, "r");
    if (index == NULL || fgets(line, sizeof(line), index) == NULL) {
        (void)fprintf(stderr, "op_cases: no index.tsv in %s\n", w.folder);
        return 2;
    }
    while (fgets(line, sizeof(line), index) != NULL) {
        char *column[COLUMNS] = {NULL};
        if (split(line, column) && wanted(&w, column)) {
            judge(&w, column);
        }
    }
    (void)fclose(index);
    return report(&w);
}

/* The engine against the naive runner, which gives each tensor memory of its
 * own and knows no plan: the same bits, for each golden case of one operator
 * that both can run, in blocks of exactly the bytes named. */
#include "corpus.h"
#include "engine_rig.h"
#include "folder.h"
#include "naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 2 };

static uint32_t compared;
static uint32_t refused;

static bool feed_naive(naive *n, uint64_t seed)
{
    for (uint32_t i = 0; i < naive_input_count(n); ++i) {
        const naive_tensor t = naive_input(n, i);
        if (t.data != NULL) {
            engine_rig_fill(t.data, (berth_type)t.type, t.bytes, seed + i);
        }
    }
    return true;
}

static void same_outputs(const engine_rig *e, const naive *n, const char *path)
{
    for (uint32_t i = 0; i < naive_output_count(n); ++i) {
        const naive_tensor want = naive_output(n, i);
        const berth_io got = engine_rig_output(e, i);
        if (got.bytes != want.bytes ||
            (want.bytes > 0 &&
             memcmp(got.data, want.data, (size_t)want.bytes) != 0)) {
            fail_msg("%s: output %u differs", path, i);
        }
    }
}

/* What the two say of data that an operator cannot take is the same, too. */
static void run_both(engine_rig *e, naive *n, const char *path)
{
    char why[256];
    for (uint64_t run = 0; run < RUNS; ++run) {
        engine_rig_feed(e, 100u * run);
        feed_naive(n, 100u * run);
        const berth_status status = berth_engine_run(e->engine, NULL, &e->diag);
        const bool good = naive_run(n, why, sizeof(why));
        if ((status == BERTH_OK) != good) {
            fail_msg("%s: engine %s (%s), naive %s", path,
                     berth_status_name(status), e->diag.what,
                     good ? "ok" : why);
        }
        if (!good) {
            return;
        }
        same_outputs(e, n, path);
        if (!engine_rig_stands(e)) {
            fail_msg("%s: a byte past a block was written", path);
        }
    }
}

/* The naive runner checks an operator when it comes to it. */
static bool naive_would(naive *n, char *why, size_t size)
{
    return n != NULL && feed_naive(n, 0) && naive_run(n, why, size);
}

static void try_model(const char *path)
{
    char why[256] = "";
    berth_diag diag;
    berth_status status;
    const berth_bytes file = file_read(path);
    assert_non_null(file.data);
    naive *n = naive_open(file, berth_kernels_ref(), BERTH_PROFILE_LITERT, NULL,
                          0, why, sizeof(why));
    engine_rig *e = engine_rig_open(
        file, &(engine_wishes){.flags = BERTH_ENGINE_CANARIES}, &status, &diag);
    const bool would = naive_would(n, why, sizeof(why));
    /* The naive runner takes them for dense. */
    const bool sparse = e == NULL && strcmp(diag.what, "sparse weights") == 0;
    if (e == NULL && would && !sparse) {
        fail_msg("%s: engine %s: %s", path, berth_status_name(status),
                 diag.what);
    }
    if (e != NULL && would) {
        ++compared;
        naive_close(n); /* with state as it is after it is opened */
        n = naive_open(file, berth_kernels_ref(), BERTH_PROFILE_LITERT, NULL, 0,
                       why, sizeof(why));
        run_both(e, n, path);
    } else {
        ++refused;
    }
    if (e != NULL) {
        engine_rig_free(e);
    }
    if (n != NULL) {
        naive_close(n);
    }
    free((void *)(uintptr_t)file.data);
}

static void one_operator(void **state)
{
    (void)state;
    if (!corpus_has("goldens/ops/index.tsv")) {
        skip();
    }
    compared = 0;
    refused = 0;
    char folder[FOLDER_PATH_BYTES];
    (void)snprintf(folder, sizeof(folder), "%s", corpus_path("goldens/ops"));
    folder_walk(folder, ".tflite", try_model);
    print_message("%u cases the same, %u not run\n", compared, refused);
    assert_true(compared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

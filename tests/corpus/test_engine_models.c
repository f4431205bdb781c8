/* The engine on other people's models: each that is prepared works in exactly
 * the bytes named and is refused with one less of any block; those that are
 * small run, twice, with opposite bits in every dead byte, and give the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "berth/hosted/run.h"
#include "corpus.h"
#include "engine_rig.h"
#include "folder.h"

/* What a test may run in every build: bytes of the file, and of the arena. */
enum { FILE_MOST = 400000, ARENA_MOST = 400000 };

static uint32_t prepared;
static uint32_t refused;
static uint32_t ran;
static uint32_t topped;

/* --- blocks --------------------------------------------------------------- */

static void one_byte_less(engine_rig *e, const char *path)
{
    berth_engine_block *blocks[] = {&e->memory.regions[0], &e->memory.state,
                                    &e->memory.books};
    for (int b = 0; b < 3; ++b) {
        if (blocks[b]->bytes == 0) {
            continue;
        }
        --blocks[b]->bytes;
        berth_engine *engine = NULL;
        const berth_status status =
            berth_engine_prepare(&e->source, &e->memory, &engine, &e->diag);
        if (status != BERTH_NO_SPACE ||
            e->diag.needed_bytes != e->diag.limit_bytes + 1u ||
            engine != NULL) {
            fail_msg("%s: block %d with a byte less: %s", path, b,
                     berth_status_name(status));
        }
        ++blocks[b]->bytes;
    }
}

/* --- runs ----------------------------------------------------------------- */

typedef struct outputs {
    uint8_t *bytes;
    size_t size;
    uint8_t top; /* the last byte of the region */
} outputs;

static void keep_outputs(const engine_rig *e, outputs *out)
{
    *out = (outputs){0};
    for (uint32_t i = 0; i < berth_engine_output_count(e->engine); ++i) {
        out->size += (size_t)engine_rig_output(e, i).bytes;
    }
    out->bytes = malloc(out->size + 1u);
    size_t at = 0;
    for (uint32_t i = 0; i < berth_engine_output_count(e->engine); ++i) {
        const berth_io io = engine_rig_output(e, i);
        if (io.bytes > 0 && io.data != NULL) {
            memcpy(out->bytes + at, io.data, (size_t)io.bytes);
        }
        at += (size_t)io.bytes;
    }
    if (e->memory.regions[0].bytes > 0) {
        out->top = e->memory.regions[0].at[e->memory.regions[0].bytes - 1u];
    }
}

/* An engine of its own, all memory of one fill, and dead bytes again before
 * each step if they are poisoned. */
static berth_status run_filled(berth_bytes file, const char *path, uint8_t fill,
                               bool poisoned, outputs *out)
{
    const engine_wishes wishes = {.kernels = berth_kernels_opt(), .fill = fill};
    berth_port port = berth_port_of_libc();
    berth_status status = BERTH_OK;
    berth_diag diag;
    engine_rig *e = engine_rig_open(file, &wishes, &status, &diag);
    assert_non_null(e);
    berth_poison poison;
    assert_true(berth_poison_begin(&port, &e->lifetimes.problem, &e->plan,
                                   e->memory.regions[0].at,
                                   e->memory.regions[0].bytes, fill, &poison));
    const berth_run_options options = {
        .before = poisoned ? berth_poison_before : NULL, .watcher = &poison};
    for (uint32_t run = 0; status == BERTH_OK && run < 2; ++run) {
        engine_rig_feed(e, 10u + run);
        berth_poison_rewind(&poison);
        if (!poisoned) { /* filled, and open: nobody tells of the steps */
            berth_poison_lift(&poison);
        }
        status = berth_engine_run(e->engine, &options, &diag);
        berth_poison_lift(&poison);
    }
    keep_outputs(e, out);
    if (!engine_rig_stands(e)) {
        fail_msg("%s: a byte past a block was written", path);
    }
    berth_poison_end(&poison);
    engine_rig_free(e);
    return status;
}

static bool is_straight(const engine_rig *e)
{
    for (uint32_t s = 0; s < e->schedule.step_count; ++s) {
        if (e->schedule.steps[s].kind != BERTH_STEP_OP) {
            return false;
        }
    }
    return true;
}

/* Scratch is rounded up, so that its last bytes may be nobody's. */
static bool ends_in_scratch(const engine_rig *e)
{
    const berth_problem *problem = &e->lifetimes.problem;
    bool tensor = false;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        tensor = tensor ||
                 (e->lifetimes.tensor_of_item[i] != BERTH_NONE &&
                  e->plan.offset[i] + problem->items[i].size == e->plan.peak);
    }
    return !tensor;
}

static void run_twice(const engine_rig *e, berth_bytes file, const char *path,
                      bool poisoned)
{
    outputs zeros;
    outputs ones;
    const berth_status a = run_filled(file, path, 0x00, poisoned, &zeros);
    const berth_status b = run_filled(file, path, 0xff, poisoned, &ones);
    if (a != b || zeros.size != ones.size ||
        (a == BERTH_OK && memcmp(zeros.bytes, ones.bytes, zeros.size) != 0)) {
        fail_msg("%s: dead bytes are read", path);
    }
    ran += a == BERTH_OK && poisoned ? 1u : 0u;
    if (a == BERTH_OK && !poisoned && is_straight(e) && e->plan.peak > 0 &&
        !ends_in_scratch(e)) {
        if (zeros.top != ones.top) {
            fail_msg("%s: the topmost byte planned is not written", path);
        }
        ++topped;
    }
    free(zeros.bytes);
    free(ones.bytes);
}

/* --- the corpus ----------------------------------------------------------- */

static bool is_small(const engine_rig *e, berth_bytes file)
{
    return file.size <= FILE_MOST && e->need.region_bytes[0] <= ARENA_MOST;
}

static void try_model(const char *path)
{
    const berth_bytes file = file_read(path);
    if (file.data == NULL) {
        return;
    }
    engine_rig *e =
        engine_rig_new(file, &(engine_wishes){.kernels = berth_kernels_opt()});
    if (engine_rig_stage(e)) {
        engine_rig_lend(e);
        one_byte_less(e, path);
        e->status =
            berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag);
    }
    if (e->status == BERTH_OK) {
        ++prepared;
        if (is_small(e, file)) {
            run_twice(e, file, path, true);
            run_twice(e, file, path, false);
        }
    } else {
        ++refused;
        if (e->status == BERTH_INTERNAL || e->status == BERTH_NO_SPACE ||
            e->status == BERTH_UNSOUND) {
            fail_msg("%s: %s: %s", path, berth_status_name(e->status),
                     e->diag.what);
        }
    }
    engine_rig_free(e);
    free((void *)(uintptr_t)file.data);
}

static void other_peoples_models(void **state)
{
    (void)state;
    if (!corpus_has("models")) {
        skip();
    }
    char folder[FOLDER_PATH_BYTES];
    (void)snprintf(folder, sizeof(folder), "%s", corpus_path("models"));
    folder_walk(folder, "", try_model);
    print_message("%u prepared, %u refused; %u ran, %u of them up to the top\n",
                  prepared, refused, ran, topped);
    assert_true(prepared > 0 && ran > 0 && topped > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_peoples_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

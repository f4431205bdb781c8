/* Nobody allocates while an engine is made and run. This program is linked with
 * malloc and its like wrapped (CMakeLists.txt): while the trap is set, a call
 * is the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "toys.h"

static bool trap;
static uint32_t calls; /* that were let through */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void __real_free(void *at);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void __wrap_free(void *at);

static void pass(void)
{
    ++calls;
    if (trap) {
        abort();
    }
}

void *__wrap_malloc(size_t bytes)
{
    pass();
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    pass();
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
    pass();
    return __real_realloc(at, bytes);
}

void __wrap_free(void *at)
{
    pass();
    __real_free(at);
}

static void make_and_run(engine_rig *e)
{
    assert_true(engine_rig_stage(e));
    engine_rig_lend(e);
    const uint32_t before = calls;
    assert_true(before > 0); /* the wrapping works */
    trap = true;
    berth_status status =
        berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag);
    if (status == BERTH_OK) {
        engine_rig_feed(e, 7);
        status = berth_engine_run(e->engine, NULL, &e->diag);
    }
    if (status == BERTH_OK) {
        status = berth_engine_reset(e->engine, &e->diag);
    }
    trap = false;
    assert_int_equal(calls, before);
    assert_int_equal(status, BERTH_OK);
}

static void a_toy_runs_without_malloc(void **state)
{
    (void)state;
    toy *t = toy_new();
    const int32_t x = toy_float(t, 0, "x", 9);
    const int32_t y = toy_float(t, 0, "y", 9);
    const int32_t old = toy_float(t, 0, "old", 9);
    const int32_t handle = toy_handle(t, 0, "v");
    toy_op(t, 0, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(old));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(old, x), MB_INTS(y));
    toy_op(t, 0, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, y), MB_NO_INTS);
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    engine_rig *e =
        toy_rig(t, &(engine_wishes){.flags = BERTH_ENGINE_CANARIES});
    make_and_run(e);
    engine_rig_free(e);
    toy_free(t);
}

static void a_bundled_model_runs_without_malloc(void **state)
{
    (void)state;
    const berth_bytes file = bundled_read("kws_dscnn_int8");
    engine_rig *e = engine_rig_new(file, &(engine_wishes){0});
    make_and_run(e);
    engine_rig_free(e);
    free((void *)(uintptr_t)file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_toy_runs_without_malloc),
        cmocka_unit_test(a_bundled_model_runs_without_malloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a session asks of the port: the engine's region, state and books once
 * each, in exactly the bytes that it names; and when memory runs out, each
 * allocation in turn, once and for good, nothing leaks and memory is what is
 * said to be missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "berth/hosted/session.h"
#include "meter.h"

enum { ASKED_MOST = 256, BLOCKS = 3 };

static const char *const models[] = {"kws_dscnn_int8", "stream_int8",
                                     "loop_float32"};

static const char *path_of(const char *name)
{
    static char path[512];
    const char *root = getenv("BERTH_SOURCE");
    (void)snprintf(path, sizeof(path), "%s/examples/models/%s.tflite",
                   root == NULL ? "." : root, name);
    return path;
}

/* --- once, and exactly ---------------------------------------------------- */

/* A port that remembers what it was asked for. */
typedef struct ledger {
    size_t asked[ASKED_MOST];
    uint32_t count;
} ledger;

static void *noted_take(void *self, size_t bytes)
{
    ledger *l = self;
    const berth_port libc = berth_port_of_libc();
    assert_true(l->count < ASKED_MOST);
    l->asked[l->count++] = bytes;
    return libc.take(libc.self, bytes);
}

static void noted_give(void *self, void *memory)
{
    const berth_port libc = berth_port_of_libc();
    (void)self;
    libc.give(libc.self, memory);
}

/* The last that is asked for are the engine's blocks; one of no bytes is not.
 */
static void expect_blocks_last(const ledger *l, const berth_engine_need *need)
{
    const uint64_t bytes[BLOCKS] = {need->region_bytes[0], need->state_bytes,
                                    need->books_bytes};
    uint32_t at = l->count;
    for (int i = BLOCKS - 1; i >= 0; --i) {
        if (bytes[i] > 0) {
            assert_true(at > 0);
            assert_int_equal(l->asked[--at], bytes[i]);
        }
    }
}

static void each_block_of_the_engine_is_asked_for_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i) {
        ledger l = {.count = 0};
        berth_port port = {.self = &l, .take = noted_take, .give = noted_give};
        berth_session session;
        berth_load_error error;
        assert_int_equal(
            berth_session_load(&port, path_of(models[i]), &session, &error),
            BERTH_OK);
        assert_int_equal(berth_session_prepare(&session, NULL, &error),
                         BERTH_OK);
        assert_int_equal(session.need.align, 16);
        expect_blocks_last(&l, &session.need);
        const uint32_t before = l.count;
        assert_int_equal(berth_engine_run(session.engine, NULL, NULL),
                         BERTH_OK);
        assert_int_equal(l.count, before);
        berth_session_close(&session);
    }
}

/* --- memory runs out ------------------------------------------------------ */

static void open_with(meter *m, const char *path)
{
    berth_port port = meter_port(m);
    berth_session session;
    berth_load_error error;
    berth_status status = berth_session_load(&port, path, &session, &error);
    if (status == BERTH_OK) {
        status = berth_session_prepare(&session, NULL, &error);
    }
    if (status == BERTH_OK) { /* a search may be asked for with less */
        assert_true(m->failing == 0 || !m->for_good);
        assert_non_null(session.engine);
    } else {
        assert_true(m->failing > 0);
        assert_int_equal(status, BERTH_NO_SPACE);
        assert_int_equal(error.status, BERTH_NO_SPACE);
        assert_null(session.engine);
    }
    berth_session_close(&session);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i) {
        meter_shrink(open_with, path_of(models[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_block_of_the_engine_is_asked_for_once),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

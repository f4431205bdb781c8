/* A map when memory runs out: each allocation fails in turn, once and for good.
 * Nothing leaks, and a map is whole or there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "berth/hosted/map.h"

typedef struct map_meter {
    berth_port libc;
    uint64_t calls;
    uint64_t failing; /* the call that fails; 0: none */
    bool for_good;    /* and all after it */
    int64_t taken;    /* blocks not given back */
} map_meter;

static void *map_metered_take(void *self, size_t bytes)
{
    map_meter *m = self;
    ++m->calls;
    if (m->failing != 0 &&
        (m->calls == m->failing || (m->for_good && m->calls > m->failing))) {
        return NULL;
    }
    ++m->taken;
    return m->libc.take(m->libc.self, bytes);
}

static void map_metered_give(void *self, void *memory)
{
    map_meter *m = self;
    --m->taken;
    m->libc.give(m->libc.self, memory);
}

/* Opens, prints both ways, closes twice. */
static berth_status map_with(map_meter *m, const char *path)
{
    const berth_map_options options = {.strategy = BERTH_STRATEGY_AREA_FIRST};
    berth_port port = {
        .self = m, .take = map_metered_take, .give = map_metered_give};
    berth_map map;
    berth_map_error error;
    const berth_status status =
        berth_map_open(&port, path, &options, &map, &error);
    if (status == BERTH_OK) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_true(berth_map_html(&map, out));
        berth_map_svg(&map, out);
        assert_int_equal(fclose(out), 0);
        assert_non_null(strstr(text, "</html>"));
        assert_non_null(strstr(text, "</svg>"));
        free(text);
    } else {
        assert_int_equal(error.load.status, status);
    }
    berth_map_close(&map);
    berth_map_close(&map); /* idempotent */
    assert_int_equal(m->taken, 0);
    assert_int_equal(port.lent_bytes, 0);
    return status;
}

static void each_allocation_fails_once(const char *path)
{
    map_meter whole = {.libc = berth_port_of_libc()};
    assert_int_equal(map_with(&whole, path), BERTH_OK);
    assert_true(whole.calls > 10);
    for (uint64_t call = 1; call <= whole.calls; ++call) {
        for (int for_good = 0; for_good < 2; ++for_good) {
            map_meter m = {.libc = berth_port_of_libc(),
                           .failing = call,
                           .for_good = for_good != 0};
            assert_int_equal(map_with(&m, path), BERTH_NO_SPACE);
        }
    }
}

static void a_map_of_a_model_is_whole_or_not_there(void **state)
{
    static const char *const names[] = {"vww96_int8", "loop_float32",
                                        "stream_int8"};
    const char *root = getenv("BERTH_SOURCE");
    char path[1024];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        (void)snprintf(path, sizeof(path), "%s/examples/models/%s.tflite",
                       root == NULL ? "." : root, names[i]);
        each_allocation_fails_once(path);
    }
}

static void a_map_of_a_list_is_whole_or_not_there(void **state)
{
    char path[] = "/tmp/berth-map-XXXXXX";
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "wb");
    (void)fputs("id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,4\n", out);
    assert_int_equal(fclose(out), 0);
    each_allocation_fails_once(path);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_of_a_model_is_whole_or_not_there),
        cmocka_unit_test(a_map_of_a_list_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
#include "meter.h"

/* Opens, prints both ways, closes twice. */
static void map_with(meter *m, const char *path)
{
    const berth_map_options options = {.strategy = BERTH_STRATEGY_AREA_FIRST};
    berth_port port = meter_port(m);
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
    assert_int_equal(status, m->failing == 0 ? BERTH_OK : BERTH_NO_SPACE);
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
        meter_shrink(map_with, path);
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
    meter_shrink(map_with, path);
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

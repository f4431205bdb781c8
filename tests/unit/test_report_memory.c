/* A report when memory runs out: each allocation fails in turn, once and for
 * good. Nothing leaks, the verdict is one of the table, and what is printed is
 * whole: hosted code allocates, so this is its shrink test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "berth/hosted/report.h"
#include "meter.h"

static void model_path(char path[1024], const char *name)
{
    const char *root = getenv("BERTH_SOURCE");
    (void)snprintf(path, 1024, "%s/examples/models/%s.tflite",
                   root == NULL ? "." : root, name);
}

/* Reports, prints both ways; the printed JSON must be JSON. */
static void report_with(meter *m, const char *name)
{
    char path[1024];
    char *text = NULL;
    char *json = NULL;
    size_t text_size = 0;
    size_t json_size = 0;
    const berth_bytes kept = {(const uint8_t *)"#0", 2};
    const berth_report_options options = {
        .stage = {.keep = &kept, .keep_count = 1},
        .what_if = BERTH_WHAT_IF_ALWAYS,
        .show_tensors = true,
        .show_steps = true};
    berth_port port = meter_port(m);
    berth_report report;
    model_path(path, name);
    const berth_verdict verdict =
        berth_report_make(&port, path, &options, &report);
    FILE *out = open_memstream(&text, &text_size);
    berth_report_text(&report, out, false);
    berth_report_line(&report, false, out);
    assert_int_equal(fclose(out), 0);
    out = open_memstream(&json, &json_size);
    assert_true(berth_report_json(&report, out));
    assert_int_equal(fclose(out), 0);
    json_t *value = json_loadb(json, json_size, 0, NULL);
    assert_non_null(value);
    json_decref(value);
    free(text);
    free(json);
    berth_report_close(&report);
    berth_report_close(&report); /* idempotent */
    assert_int_equal(m->taken, 0);
    assert_int_equal(port.lent_bytes, 0);
    /* A row, a price or a change may be missing; else it is the system. */
    assert_true(verdict == BERTH_VERDICT_OK ||
                (m->failing != 0 && verdict == BERTH_VERDICT_SYSTEM));
}

static void each_allocation_may_fail(void **state)
{
    static const char *const names[] = {"vww96_int8", "loop_float32",
                                        "stream_int8"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        meter_shrink(report_with, names[i]);
    }
}

static void a_loaded_model_is_staged_twice(void **state)
{
    (void)state;
    meter m = {0};
    berth_port port = meter_port(&m);
    berth_loaded loaded;
    berth_staged first;
    berth_staged second;
    berth_load_error error;
    char path[1024];
    model_path(path, "vww96_int8");
    assert_int_equal(berth_load(&port, path, &loaded, &error), BERTH_OK);
    assert_int_equal(berth_stage(&loaded, NULL, &first, &error), BERTH_OK);
    const berth_stage_options wide = {.align = 64};
    assert_int_equal(berth_stage(&loaded, &wide, &second, &error), BERTH_OK);
    assert_int_equal(first.lifetimes.problem.item_count,
                     second.lifetimes.problem.item_count);
    assert_int_equal(first.lifetimes.problem.items[0].align, 16);
    assert_int_equal(second.lifetimes.problem.items[0].align, 64);
    berth_unstage(&second);
    berth_unstage(&second);
    berth_unstage(&first);
    berth_unload(&loaded);
    berth_unload(&loaded);
    assert_int_equal(m.taken, 0);
}

static void what_fails_to_load_is_closed(void **state)
{
    (void)state;
    meter m = {0};
    berth_port port = meter_port(&m);
    berth_loaded loaded;
    berth_staged staged;
    berth_load_error error;
    assert_int_not_equal(berth_load(&port, "no/such", &loaded, &error),
                         BERTH_OK);
    assert_int_equal(error.stage, BERTH_LOAD_FILE);
    assert_int_not_equal(error.os_error, 0);
    berth_unload(&loaded);

    char path[1024];
    model_path(path, "vww96_int8");
    assert_int_equal(berth_load(&port, path, &loaded, &error), BERTH_OK);
    const berth_bytes nobody = {(const uint8_t *)"nobody", 6};
    const berth_stage_options options = {.pin = &nobody, .pin_count = 1};
    assert_int_equal(berth_stage(&loaded, &options, &staged, &error),
                     BERTH_BAD_ARG);
    assert_int_equal(error.stage, BERTH_LOAD_NAMES);
    assert_int_equal(staged.reached, BERTH_LOAD_NAMES);
    berth_unstage(&staged);
    berth_unload(&loaded);
    assert_int_equal(m.taken, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(a_loaded_model_is_staged_twice),
        cmocka_unit_test(what_fails_to_load_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

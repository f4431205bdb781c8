/* Lists and plans when memory runs out: each allocation fails in turn, once and
 * for good. Nothing leaks; what is there is whole; a fault of the system is
 * never told as one of the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "berth/hosted/list.h"
#include "meter.h"

enum { ITEMS_MOST = 256 };

/* Whatever fails here, fails for want of memory. */
static void must_be_memory(berth_status status, const berth_list_error *error)
{
    char why[256];
    assert_int_equal(status, BERTH_NO_SPACE);
    assert_int_equal(error->load.status, BERTH_NO_SPACE);
    assert_false(error->given);
    berth_list_why(error, why, sizeof(why));
    assert_true(why[0] != '\0');
}

static berth_status solve(const berth_source *source, berth_plan *plan,
                          berth_list_error *error)
{
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_SIZE_BEST};
    error->load.status = berth_solve(source->port, &source->list.problem,
                                     &options, plan, &error->load.diag);
    return error->load.status;
}

/* Writes the plan in one form, reads it back, asks both judges. */
static berth_status round_trip(const berth_source *source,
                               const berth_part *part, int form,
                               berth_list_error *error)
{
    static uint64_t again[ITEMS_MOST];
    const berth_plans plans = {.parts = part, .count = 1};
    char *text = NULL;
    size_t size = 0;
    uint32_t judge = 0;
    berth_part back = {.source = source, .plan = {.offset = again}};
    berth_status status = BERTH_OK;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (form == 0) {
        berth_plans_csv(&plans, out);
    } else if (form == 1) {
        assert_true(berth_plans_json(&plans, out));
    } else {
        status = berth_plans_file(&plans, out, error);
    }
    assert_int_equal(fclose(out), 0);
    if (status == BERTH_OK) {
        status = berth_plans_read((berth_bytes){(uint8_t *)text, size}, &back,
                                  1, error);
    }
    if (status == BERTH_OK) {
        assert_memory_equal(again, part->plan.offset,
                            source->list.problem.item_count * sizeof(*again));
        status = berth_source_judge(source, &back.plan, &judge, error);
    }
    free(text);
    return status;
}

static void plan_with(meter *m, const char *path)
{
    static uint64_t offset[ITEMS_MOST];
    const berth_source_options options = {.stage = {.align = 0}};
    berth_port port = meter_port(m);
    berth_source source;
    berth_list_error error;
    berth_status status =
        berth_source_open(&port, path, &options, &source, &error);
    if (status == BERTH_OK) {
        berth_part part = {.source = &source, .plan = {.offset = offset}};
        assert_true(source.list.problem.item_count <= ITEMS_MOST);
        status = solve(&source, &part.plan, &error);
        for (int form = 0; status == BERTH_OK && form < 3; ++form) {
            status = round_trip(&source, &part, form, &error);
        }
    }
    if (status != BERTH_OK) {
        must_be_memory(status, &error);
    }
    berth_source_close(&source);
    berth_source_close(&source); /* idempotent */
    assert_int_equal(m->taken, 0);
    assert_int_equal(port.lent_bytes, 0);
    assert_int_equal(status == BERTH_OK, m->failing == 0);
}

static void a_model_is_planned_or_there_is_no_memory(void **state)
{
    static const char *const names[] = {"vww96_int8", "loop_float32"};
    const char *root = getenv("BERTH_SOURCE");
    char path[1024];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        (void)snprintf(path, sizeof(path), "%s/examples/models/%s.tflite",
                       root == NULL ? "." : root, names[i]);
        meter_shrink(plan_with, path);
    }
}

static void a_list_is_planned_or_there_is_no_memory(void **state)
{
    char path[] = "/tmp/berth-list-XXXXXX";
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "wb");
    (void)fputs("id,lower,upper,size,offset,gaps\n\"a\",0,9,4,0,2-3\n"
                "b\x01,1,3,4,4,\n",
                out);
    assert_int_equal(fclose(out), 0);
    meter_shrink(plan_with, path);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_planned_or_there_is_no_memory),
        cmocka_unit_test(a_list_is_planned_or_there_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

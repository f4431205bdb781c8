/* Large packing problems of others, held to what was once reached: each of
 * idealloc's at its load, so least, and proven so, with the effort of a report.
 * The loads are those that its authors give. */
#include "corpus.h"
#include "plan_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct instance {
    berth_problem problem;
    berth_item *items;
    berth_span *spans;
} instance;

/* The number after the next comma. */
static uint64_t next_field(const char **at)
{
    char *end = NULL;
    *at = strchr(*at, ',');
    assert_non_null(*at);
    const uint64_t value = strtoull(*at + 1, &end, 10);
    *at = end;
    return value;
}

/* Lines id,lower,upper,size behind a header; a line's end is no comma. */
static void read_lines(instance *one, const char *text, uint32_t lines)
{
    one->items = calloc(lines, sizeof(*one->items));
    one->spans = calloc(lines, sizeof(*one->spans));
    assert_true(one->items != NULL && one->spans != NULL);
    berth_problem *problem = &one->problem;
    *problem = (berth_problem){.items = one->items, .spans = one->spans};
    for (const char *at = strchr(text, '\n'); at != NULL && at[1] != '\0';
         at = strchr(at, '\n')) {
        const uint32_t i = problem->item_count++;
        one->spans[i].born = (uint32_t)next_field(&at);
        one->spans[i].dead = (uint32_t)next_field(&at);
        one->items[i] = (berth_item){.size = next_field(&at),
                                     .fixed = BERTH_NOWHERE,
                                     .align = 1,
                                     .first_span = i,
                                     .span_count = 1,
                                     .regions = 1};
        if (one->spans[i].dead > problem->step_count) {
            problem->step_count = one->spans[i].dead;
        }
    }
    problem->span_count = problem->item_count;
}

static void read_instance(instance *one, const char *path)
{
    const berth_bytes file = corpus_read(path);
    char *text = malloc(file.size + 1);
    uint32_t lines = 0;
    assert_non_null(text);
    memcpy(text, file.data, file.size);
    text[file.size] = '\0';
    for (size_t k = 0; k < file.size; ++k) {
        lines += text[k] == '\n';
    }
    read_lines(one, text, lines + 1);
    free(text);
    free((void *)(uintptr_t)file.data);
}

static void expect_load(const char *path, uint32_t buffers, uint64_t load)
{
    instance one;
    berth_plan plan;
    berth_diag diag = berth_diag_none();
    read_instance(&one, path);
    assert_int_equal(one.problem.item_count, buffers);
    uint64_t *offset = calloc(buffers, sizeof(*offset));
    assert_non_null(offset);
    if (problem_solve(&one.problem, BERTH_STRATEGY_BEST, 0, offset, &plan,
                      &diag) != BERTH_OK) {
        fail_msg("%s: %s", path, diag.what);
    }
    plan.offset = offset;
    assert_int_equal(problem_judge(&one.problem, &plan, &diag), BERTH_OK);
    assert_int_equal(plan.bound, load);
    assert_int_equal(plan.peak, load);
    assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);
    free(offset);
    free(one.items);
    free(one.spans);
}

static void best__packs_resnet50_at_its_load(void **state)
{
    (void)state;
    expect_load("dsa/idealloc/resnet50.csv", 1042, 1515472556);
}

static void best__packs_g_1_at_its_load(void **state)
{
    (void)state;
    expect_load("dsa/idealloc/G_1.csv", 816, 3030937746);
}

static void best__packs_pangu_at_its_load(void **state)
{
    (void)state;
    expect_load("dsa/idealloc/pangu_2.6B.csv", 18692, 5530099775);
}

static void best__packs_s_1_at_its_load(void **state)
{
    (void)state;
    expect_load("dsa/idealloc/S_1.csv", 28526, 1498635932);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best__packs_resnet50_at_its_load),
        cmocka_unit_test(best__packs_g_1_at_its_load),
        cmocka_unit_test(best__packs_pangu_at_its_load),
        cmocka_unit_test(best__packs_s_1_at_its_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

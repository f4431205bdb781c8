/* The eleven instances of MiniMalloc: does each fit into 1 MiB? They are the
 * yardstick of the field; an ILP and TelaMalloc answer none in an hour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "berth/plan.h"
#include "corpus.h"

#define CAPACITY  1048576u
#define ITEMS_MAX 512u

typedef struct dsa_case {
    berth_problem problem;
    berth_item items[ITEMS_MAX];
    berth_span spans[ITEMS_MAX];
    uint64_t offset[ITEMS_MAX];
} dsa_case;

static char *next_number(char *at, uint64_t *value)
{
    char *end = NULL;
    *value = strtoull(at, &end, 10);
    return end + strcspn(end, "0123456789");
}

/* Lines of id,lower,upper,size under a head; upper is exclusive. */
static void read_case(dsa_case *c, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "dsa/minimalloc/%s.1048576.csv", name);
    const berth_bytes file = corpus_read(path);
    char *text = calloc(file.size + 1, 1);
    assert_non_null(text);
    memcpy(text, file.data, file.size);
    free((void *)(uintptr_t)file.data);
    *c = (dsa_case){.problem = {.items = c->items, .spans = c->spans}};
    char *at = strchr(text, '\n');
    assert_non_null(at);
    at += strcspn(at, "0123456789");
    while (*at != '\0') {
        uint64_t id = 0;
        uint64_t born = 0;
        uint64_t dead = 0;
        uint64_t size = 0;
        const uint32_t i = c->problem.item_count++;
        assert_true(i < ITEMS_MAX);
        at = next_number(next_number(at, &id), &born);
        at = next_number(next_number(at, &dead), &size);
        c->spans[i] = (berth_span){(uint32_t)born, (uint32_t)dead};
        c->items[i] = (berth_item){.size = size,
                                   .fixed = BERTH_NOWHERE,
                                   .align = 1,
                                   .first_span = i,
                                   .span_count = 1,
                                   .regions = 1};
        if (dead > c->problem.step_count) {
            c->problem.step_count = (uint32_t)dead;
        }
    }
    c->problem.span_count = c->problem.item_count;
    free(text);
}

static berth_plan solve_case(dsa_case *c, const berth_plan_options *options)
{
    size_t need = 0;
    berth_plan plan = {.offset = c->offset};
    assert_int_equal(berth_plan_bytes(&c->problem, options, &need, NULL),
                     BERTH_OK);
    void *memory = malloc(need);
    assert_non_null(memory);
    /* It has passed the judge where the status is OK. */
    assert_int_equal(berth_plan_solve(&c->problem, options,
                                      berth_work_of(memory, need), &plan, NULL),
                     BERTH_OK);
    free(memory);
    return plan;
}

static void fits(const char *name, uint64_t capacity)
{
    static dsa_case c;
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST,
                                        .capacity = capacity,
                                        .effort = BERTH_EFFORT_FULL};
    read_case(&c, name);
    const berth_plan plan = solve_case(&c, &options);
    print_message("%s into %llu: peak %llu, bound %llu, %llu nodes\n", name,
                  (unsigned long long)capacity, (unsigned long long)plan.peak,
                  (unsigned long long)plan.bound,
                  (unsigned long long)plan.nodes);
    assert_int_equal(berth_plan_fit(&plan, capacity), BERTH_FIT_YES);
}

static void minimalloc__a_to_k_fit_into_one_mebibyte(void **state)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "F",
                                        "G", "H", "I", "J", "K"};
    (void)state;
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); ++n) {
        fits(names[n], CAPACITY);
    }
}

/* The best known before were 1,039,360 for either. */
static void minimalloc__d_and_j_fit_into_less_than_was_known(void **state)
{
    (void)state;
    fits("D", 1030144);
    fits("J", 1024000);
}

static void minimalloc__c_fits_into_its_load_and_no_less(void **state)
{
    static dsa_case c;
    const berth_plan_options less = {.strategy = BERTH_STRATEGY_BEST,
                                     .capacity = 1039359};
    (void)state;
    fits("C", 1039360);
    read_case(&c, "C");
    const berth_plan plan = solve_case(&c, &less);
    assert_int_equal(berth_plan_fit(&plan, less.capacity), BERTH_FIT_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimalloc__a_to_k_fit_into_one_mebibyte),
        cmocka_unit_test(minimalloc__d_and_j_fit_into_less_than_was_known),
        cmocka_unit_test(minimalloc__c_fits_into_its_load_and_no_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The eleven instances of MiniMalloc: does each fit into 1 MiB? They are the
 * yardstick of the field; an ILP and TelaMalloc answer none in an hour. And do
 * they fit when only the numbers change, not who meets whom? */
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

/* --- the same problem otherwise
 * -----------------------------------------------
 */

static int compare_steps(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t moment_of(const uint32_t *steps, size_t count, uint32_t step)
{
    const uint32_t *found =
        bsearch(&step, steps, count, sizeof(*steps), compare_steps);
    assert_non_null(found);
    return (uint32_t)(found - steps);
}

/* Only steps in which something is born or dies are left. */
static void keep_moments(dsa_case *c, uint64_t seed)
{
    uint32_t steps[2 * ITEMS_MAX];
    size_t count = 0;
    size_t kept = 0;
    (void)seed;
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        steps[count++] = c->spans[i].born;
        steps[count++] = c->spans[i].dead;
    }
    qsort(steps, count, sizeof(*steps), compare_steps);
    for (size_t n = 0; n < count; ++n) {
        if (kept == 0 || steps[kept - 1] != steps[n]) {
            steps[kept++] = steps[n];
        }
    }
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        c->spans[i].born = moment_of(steps, kept, c->spans[i].born);
        c->spans[i].dead = moment_of(steps, kept, c->spans[i].dead);
    }
    c->problem.step_count = (uint32_t)kept;
}

static void turn_time(dsa_case *c, uint64_t seed)
{
    const uint32_t end = c->problem.step_count;
    (void)seed;
    for (uint32_t i = 0; i < c->problem.item_count; ++i) {
        const berth_span span = c->spans[i];
        c->spans[i] = (berth_span){end - span.dead, end - span.born};
    }
}

static void shuffle_items(dsa_case *c, uint64_t seed)
{
    uint64_t random = seed;
    for (uint32_t i = c->problem.item_count - 1; i > 0; --i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t k = (uint32_t)((random >> 33) % (i + 1));
        const berth_span span = c->spans[i];
        const uint64_t size = c->items[i].size;
        c->spans[i] = c->spans[k];
        c->items[i].size = c->items[k].size;
        c->spans[k] = span;
        c->items[k].size = size;
    }
}

typedef struct dsa_change {
    const char *name;
    void (*apply)(dsa_case *c, uint64_t seed);
    uint64_t seed;
} dsa_change;

static const dsa_change changes[] = {
    {"moments", keep_moments, 0},   {"time turned", turn_time, 0},
    {"shuffled", shuffle_items, 1}, {"shuffled", shuffle_items, 2},
    {"shuffled", shuffle_items, 3},
};

/* --- questions
 * ----------------------------------------------------------------
 */

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

static void fits_changed(const char *name, uint64_t capacity,
                         const dsa_change *change)
{
    static dsa_case c;
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST,
                                        .capacity = capacity,
                                        .effort = BERTH_EFFORT_FULL};
    read_case(&c, name);
    if (change != NULL) {
        change->apply(&c, change->seed);
    }
    const berth_plan plan = solve_case(&c, &options);
    print_message("%s %s into %llu: peak %llu, bound %llu, %llu nodes\n", name,
                  change == NULL ? "as given" : change->name,
                  (unsigned long long)capacity, (unsigned long long)plan.peak,
                  (unsigned long long)plan.bound,
                  (unsigned long long)plan.nodes);
    assert_int_equal(berth_plan_fit(&plan, capacity), BERTH_FIT_YES);
}

static void fits(const char *name, uint64_t capacity)
{
    fits_changed(name, capacity, NULL);
}

static const char *const names[] = {"A", "B", "C", "D", "E", "F",
                                    "G", "H", "I", "J", "K"};

#define NAMES (sizeof(names) / sizeof(names[0]))

static void minimalloc__a_to_k_fit_into_one_mebibyte(void **state)
{
    (void)state;
    for (size_t n = 0; n < NAMES; ++n) {
        fits(names[n], CAPACITY);
    }
}

static void
minimalloc__they_fit_whatever_time_and_items_are_called(void **state)
{
    (void)state;
    for (size_t n = 0; n < NAMES; ++n) {
        for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); ++k) {
            fits_changed(names[n], CAPACITY, &changes[k]);
        }
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
        cmocka_unit_test(
            minimalloc__they_fit_whatever_time_and_items_are_called),
        cmocka_unit_test(minimalloc__d_and_j_fit_into_less_than_was_known),
        cmocka_unit_test(minimalloc__c_fits_into_its_load_and_no_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

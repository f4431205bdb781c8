/* Solves planning problems read from standard input, for tests that compare
 * the plans with others'.
 *
 *   plan_tool STRATEGY < PROBLEMS
 *
 * A problem: a line "problem STEPS ALIGN", a line "BORN DEAD SIZE FIXED" for
 * each buffer (FIXED -1: anywhere), a line "end". For each one a line is
 * printed: "PEAK BOUND OFFSET...", or "refused STATUS what". */
#include "berth/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 4096 };

static berth_item items[ITEMS_MAX];
static berth_span spans[ITEMS_MAX];
static uint64_t offset[ITEMS_MAX];

static berth_strategy strategy_of(const char *name)
{
    uint32_t s = 0;
    while (s < BERTH_STRATEGY_COUNT &&
           strcmp(name, berth_strategy_name((berth_strategy)s)) != 0) {
        ++s;
    }
    return (berth_strategy)s;
}

static void solve(const berth_problem *problem, berth_strategy strategy)
{
    const berth_plan_options options = {.strategy = strategy};
    berth_diag diag = berth_diag_none();
    berth_plan plan = {.offset = offset};
    size_t need = 0;
    void *memory = NULL;
    berth_status status = berth_plan_bytes(problem, &options, &need, &diag);
    if (status == BERTH_OK) {
        memory = malloc(need);
        status = berth_plan_solve(problem, &options,
                                  berth_work_of(memory, need), &plan, &diag);
    }
    free(memory);
    if (status != BERTH_OK) {
        printf("refused %s %s\n", berth_status_name(status), diag.what);
        return;
    }
    printf("%" PRIu64 " %" PRIu64, plan.peak, plan.bound);
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        printf(" %" PRIu64, offset[i]);
    }
    printf("\n");
}

static bool add_item(berth_problem *problem, const char *line, uint32_t align)
{
    const uint32_t i = problem->item_count;
    int64_t fixed = -1;
    uint64_t size = 0;
    berth_span span = {0, 0};
    if (i == ITEMS_MAX ||
        sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNd64, &span.born,
               &span.dead, &size, &fixed) != 4) {
        return false;
    }
    spans[i] = span;
    items[i] =
        (berth_item){.size = size,
                     .fixed = fixed < 0 ? BERTH_NOWHERE : (uint64_t)fixed,
                     .align = align,
                     .first_span = i,
                     .span_count = 1,
                     .regions = 1};
    problem->item_count = i + 1;
    problem->span_count = i + 1;
    return true;
}

int main(int argc, char **argv)
{
    char line[128];
    uint32_t steps = 0;
    uint32_t align = 1;
    berth_problem problem = {.items = items, .spans = spans};
    const berth_strategy strategy =
        argc == 2 ? strategy_of(argv[1]) : BERTH_STRATEGY_COUNT;
    if (strategy == BERTH_STRATEGY_COUNT) {
        fprintf(stderr, "usage: plan_tool STRATEGY < PROBLEMS\n");
        return 2;
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        if (sscanf(line, "problem %" SCNu32 " %" SCNu32, &steps, &align) == 2) {
            problem = (berth_problem){
                .items = items, .spans = spans, .step_count = steps};
        } else if (strcmp(line, "end\n") == 0) {
            solve(&problem, strategy);
        } else if (!add_item(&problem, line, align)) {
            fprintf(stderr, "plan_tool: not a buffer: %s", line);
            return 2;
        }
    }
    return 0;
}

#include "solve.h"
#include "buffers.h"

#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void bench_solve(const berth_problem *problem,
                 const berth_plan_options *options, bench_solved *solved)
{
    berth_diag diag = berth_diag_none();
    size_t need = 0;
    uint64_t *offset = malloc(problem->item_count * sizeof(*offset));
    if (offset == NULL ||
        berth_plan_bytes(problem, options, &need, &diag) != BERTH_OK) {
        bench_fail(diag.what);
    }
    uint8_t *memory = malloc(need);
    if (memory == NULL) {
        bench_fail("no memory");
    }
    *solved = (bench_solved){.plan = {.offset = offset}, .work_bytes = need};
    const double start = processor_seconds();
    const berth_status status = berth_plan_solve(
        problem, options, berth_work_of(memory, need), &solved->plan, &diag);
    solved->seconds = processor_seconds() - start;
    if (status != BERTH_OK) {
        bench_fail(diag.what);
    }
    solved->plan.offset = NULL;
    free(memory);
    free(offset);
}

double bench_gap(const berth_plan *plan)
{
    return plan->bound == 0
               ? 0.0
               : 100.0 * ((double)plan->peak / (double)plan->bound - 1.0);
}

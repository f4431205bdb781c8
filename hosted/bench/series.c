/* Many runs, few numbers. */
#include "bench_int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

uint64_t bench_faults(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t bench_quantile(uint64_t *values, uint32_t count, uint32_t percent)
{
    qsort(values, count, sizeof(*values), by_value);
    return values[(uint64_t)(count - 1u) * percent / 100u];
}

berth_status bench_series(bench_job *job, uint64_t time_ns, uint32_t most,
                          berth_bench_series *series)
{
    enum { LEAST = 3 };
    berth_port *port = job->bench->session.port;
    const uint32_t capacity = most < LEAST ? LEAST : most;
    berth_block block;
    if (!berth_block_take(port, (size_t)capacity * sizeof(uint64_t), &block)) {
        return BERTH_NO_SPACE;
    }
    uint64_t *times = block.memory;
    memset(times, 0, block.bytes); /* its page faults are not the model's */
    const uint64_t before = bench_faults();
    uint64_t spent = 0;
    uint32_t runs = 0;
    berth_status status = BERTH_OK;
    while (status == BERTH_OK && runs < capacity &&
           (runs < LEAST || spent < time_ns)) {
        status = bench_run(job, &times[runs]);
        spent += times[runs++];
    }
    if (status == BERTH_OK) {
        *series =
            (berth_bench_series){.best_ns = bench_quantile(times, runs, 0),
                                 .median_ns = bench_quantile(times, runs, 50),
                                 .p90_ns = bench_quantile(times, runs, 90),
                                 .worst_ns = bench_quantile(times, runs, 100),
                                 .faults = bench_faults() - before,
                                 .runs = runs};
    }
    berth_block_give(port, &block);
    return status;
}

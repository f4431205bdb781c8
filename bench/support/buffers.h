/* buffers.h: planning problems for the benches: read from a CSV, or made from a
 * seed, the same everywhere. */
#ifndef BENCH_BUFFERS_H
#define BENCH_BUFFERS_H

#include "berth/plan.h"

typedef struct bench_buffers {
    berth_problem problem; /* into the arrays below */
    berth_item *items;
    berth_span *spans;
    uint32_t capacity;
} bench_buffers;

/* Says so and exits. */
void bench_fail(const char *what);

/* Live in [born, dead). */
void buffers_add(bench_buffers *b, uint32_t born, uint32_t dead, uint64_t size,
                 uint32_t align);
void buffers_free(bench_buffers *b);

/* Lines id,lower,upper,size (upper exclusive), as MiniMalloc's instances; a
 * header is skipped. False: no such file, or no buffers in it. */
bool buffers_read(bench_buffers *b, const char *path);

/* The kinds that can be made. */
typedef struct buffers_kind {
    const char *name;
    const char *help;
    void (*make)(bench_buffers *b, uint32_t count);
    uint32_t most; /* buffers that a curve goes up to: those alive at once may
                      grow with the list, and what a plan costs with both */
} buffers_kind;

extern const buffers_kind buffers_kinds[];
extern const uint32_t buffers_kind_count;

/* "training:100000" or "random:1000:7" (kind, buffers, seed). False: no such
 * kind. About so many buffers come out. */
bool buffers_make(bench_buffers *b, const char *name);

/* The random numbers of the kinds. */
void buffers_seed(uint64_t seed);
uint32_t buffers_below(uint32_t end);

#endif

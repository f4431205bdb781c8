/* Counts what this thread asks the allocator for, so that `berth bench` can say
 * that a run asks for nothing. Part of the program, not of the library: it
 * stands before glibc's allocator and passes everything on. Sanitizers have an
 * allocator of their own; there, and without glibc, nothing is counted. */
#include "berth/hosted/bench.h"

#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED

/* glibc's own, under the names that it exports for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);

static _Thread_local uint64_t asked;

uint64_t berth_bench_allocations(void)
{
    return asked;
}

void *malloc(size_t size)
{
    ++asked;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    ++asked;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    ++asked;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    ++asked;
    return __libc_memalign(align, size);
}

#endif
#endif

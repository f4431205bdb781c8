/* A stack that is painted before and looked at after: what is no longer the
 * paint was used. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "bench_int.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 1 << 20, STACK_PAINT = 0xa7 };

typedef struct painted_call {
    void (*work)(void *self);
    void *self;
    const uint8_t *top; /* where this thread's own frame lies */
} painted_call;

static void *call_work(void *self)
{
    painted_call *call = self;
    uint8_t here = 0;
    call->top = &here;
    call->work(call->self);
    return NULL;
}

/* From the frame of call_work() down to the last byte that was written. */
static uint64_t depth(const uint8_t *stack, const uint8_t *top)
{
    const uint8_t *at = stack;
    while (at < top && *at == STACK_PAINT) {
        ++at;
    }
    return (uint64_t)(top - at);
}

uint64_t bench_on_painted_stack(void (*work)(void *self), void *self)
{
    painted_call call = {work, self, NULL};
    pthread_attr_t attributes;
    pthread_t thread;
    uint64_t used = 0;
    uint8_t *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || pthread_attr_init(&attributes) != 0) {
        work(self);
        return 0;
    }
    memset(stack, STACK_PAINT, STACK_BYTES);
    if (pthread_attr_setstack(&attributes, stack, STACK_BYTES) == 0 &&
        pthread_create(&thread, &attributes, call_work, &call) == 0) {
        (void)pthread_join(thread, NULL);
        used = depth(stack, call.top);
    } else {
        work(self);
    }
    (void)pthread_attr_destroy(&attributes);
    (void)munmap(stack, STACK_BYTES);
    return used;
}

/* Lent memory: a bump pointer that goes one way.
 *
 * Invariant: next <= end, and both lie in (or one past) the caller's block.
 * berth_work_need() must never promise less than berth_work_take() uses, from
 * whatever address the block starts; hence it counts the worst padding. */
#include "berth/base.h"

berth_work berth_work_of(void *memory, size_t size_bytes)
{
    /* No block, no bytes: NULL + n is not an address. */
    uint8_t *next = (uint8_t *)memory;
    return (berth_work){next, next == NULL ? NULL : next + size_bytes};
}

void *berth_work_take(berth_work *work, size_t count, size_t item_bytes,
                      size_t align_bytes)
{
    if (work->next == NULL) {
        return NULL;
    }
    const size_t room = (size_t)(work->end - work->next);
    const size_t past = (size_t)((uintptr_t)work->next & (align_bytes - 1u));
    const size_t padding = past == 0 ? 0 : align_bytes - past;
    if (padding > room) {
        return NULL;
    }
    if (item_bytes != 0 && count > (room - padding) / item_bytes) {
        return NULL;
    }
    uint8_t *taken = work->next + padding;
    work->next = taken + count * item_bytes;
    return taken;
}

bool berth_work_need(size_t *total, size_t count, size_t item_bytes,
                     size_t align_bytes)
{
    if (item_bytes != 0 && count > SIZE_MAX / item_bytes) {
        return false;
    }
    const size_t bytes = count * item_bytes;
    const size_t padding = align_bytes - 1u;
    if (bytes > SIZE_MAX - padding || *total > SIZE_MAX - padding - bytes) {
        return false;
    }
    *total += padding + bytes;
    return true;
}

/* prove_place.c: the ruler: every address at which a tensor begins or ends, in
 * order. On it a place is a pair of small numbers, and places that touch share
 * one. */
#include "prove/prove_int.h"

static void sift_down(uint64_t *heap, size_t at, size_t count)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child]) {
            ++child;
        }
        if (heap[at] >= heap[child]) {
            return;
        }
        const uint64_t larger = heap[child];
        heap[child] = heap[at];
        heap[at] = larger;
        at = child;
    }
}

/* Heap sort: in place, no recursion, and equal addresses are equal. */
static void sort_addresses(uint64_t *addresses, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(addresses, i, count);
    }
    for (size_t end = count; end-- > 1;) {
        const uint64_t largest = addresses[0];
        addresses[0] = addresses[end];
        addresses[end] = largest;
        sift_down(addresses, 0, end);
    }
}

static uint32_t drop_repeats(uint64_t *addresses, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || addresses[i] != addresses[kept - 1]) {
            addresses[kept++] = addresses[i];
        }
    }
    return kept;
}

static uint32_t position_of(const uint64_t *ruler, uint32_t count,
                            uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ruler[middle] < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool holds_bytes(const berth_shapes *shapes, const uint64_t *address,
                        uint32_t tensor)
{
    return address[tensor] != BERTH_NOWHERE &&
           shapes->of[tensor].state == BERTH_SHAPE_STATIC &&
           shapes->of[tensor].bytes > 0;
}

berth_status prove_places_init(const berth_shapes *shapes,
                               const uint64_t *address, uint32_t tensor_count,
                               uint64_t *ruler, uint32_t *ruler_count,
                               prove_place *place, berth_diag *diag)
{
    uint32_t ends = 0;
    for (uint32_t t = 0; t < tensor_count; ++t) {
        if (!holds_bytes(shapes, address, t)) {
            continue;
        }
        ruler[ends] = address[t];
        if (!berth_add_u64(address[t], shapes->of[t].bytes, &ruler[ends + 1])) {
            (void)berth_refuse(diag, BERTH_TOO_LARGE,
                               "a tensor ends past the last address");
            if (diag != NULL) {
                diag->tensor = t;
            }
            return BERTH_TOO_LARGE;
        }
        ends += 2;
    }
    sort_addresses(ruler, ends);
    *ruler_count = drop_repeats(ruler, ends);

    for (uint32_t t = 0; t < tensor_count; ++t) {
        place[t] = (prove_place){BERTH_NONE, BERTH_NONE};
        if (holds_bytes(shapes, address, t)) {
            const uint64_t end = address[t] + shapes->of[t].bytes;
            place[t].begin = position_of(ruler, *ruler_count, address[t]);
            place[t].end = position_of(ruler, *ruler_count, end);
        }
    }
    return BERTH_OK;
}

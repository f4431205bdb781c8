/* fence.h: memory that ends at a page nobody may touch.
 *
 * A block starts at a multiple of `align` and ends less than `align` bytes
 * before the page; those bytes hold a pattern, which fence_stands() looks at.
 */
#ifndef FENCE_H
#define FENCE_H

#include "berth/base.h"

typedef struct fence {
    uint8_t *at; /* NULL: of no bytes */
    size_t bytes;
    void *map;
    size_t map_bytes;
    size_t slack;
} fence;

/* Filled with `fill`. */
fence fence_open(size_t bytes, size_t align, uint8_t fill);
bool fence_stands(const fence *f);
void fence_close(fence *f);

#endif

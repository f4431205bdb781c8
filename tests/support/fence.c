/* Memory that ends at a page nobody may touch. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "fence.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLACK_BYTE 0x3cu

fence fence_open(size_t bytes, size_t align, uint8_t fill)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t taken = (bytes + align - 1u) / align * align;
    const size_t whole = (taken + page - 1u) / page * page;
    fence f = {.bytes = bytes, .map_bytes = whole + page};
    if (bytes == 0) {
        return (fence){0};
    }
    f.map = mmap(NULL, f.map_bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f.map == MAP_FAILED ||
        mprotect((uint8_t *)f.map + whole, page, PROT_NONE) != 0) {
        abort();
    }
    f.at = (uint8_t *)f.map + whole - taken;
    f.slack = taken - bytes;
    memset(f.at, fill, bytes);
    memset(f.at + bytes, SLACK_BYTE, f.slack);
    return f;
}

bool fence_stands(const fence *f)
{
    for (size_t i = 0; i < f->slack; ++i) {
        if (f->at[f->bytes + i] != SLACK_BYTE) {
            return false;
        }
    }
    return true;
}

void fence_close(fence *f)
{
    if (f->map != NULL) {
        (void)munmap(f->map, f->map_bytes);
    }
    *f = (fence){0};
}

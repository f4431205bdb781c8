/* Memory and the clock: malloc is called here and nowhere else. */
#include "berth/hosted/port.h"

#include <stdlib.h>
#include <time.h>

static void *take_from_libc(void *self, size_t bytes)
{
    (void)self;
    void *memory = NULL;
    if (posix_memalign(&memory, 16u, bytes == 0 ? 16u : bytes) != 0) {
        return NULL;
    }
    return memory;
}

static void give_to_libc(void *self, void *memory)
{
    (void)self;
    free(memory);
}

berth_port berth_port_of_libc(void)
{
    return (berth_port){.take = take_from_libc, .give = give_to_libc};
}

bool berth_block_take(berth_port *port, size_t bytes, berth_block *block)
{
    void *memory = port->take(port->self, bytes);
    if (memory == NULL) {
        *block = (berth_block){0};
        return false;
    }
    *block = (berth_block){memory, bytes};
    port->lent_bytes += bytes;
    if (port->lent_bytes > port->lent_peak_bytes) {
        port->lent_peak_bytes = port->lent_bytes;
    }
    return true;
}

void berth_block_give(berth_port *port, berth_block *block)
{
    if (block->memory != NULL) {
        port->give(port->self, block->memory);
        port->lent_bytes -= block->bytes;
    }
    *block = (berth_block){0};
}

uint64_t berth_port_now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

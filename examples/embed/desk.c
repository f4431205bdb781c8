/* desk MODEL [BYTES [PLAN]]: tries device.c where there is a file system:
 * prepares the model in a block of so many bytes, runs it once on zeros, and
 * says what the first output begins with. BYTES 0, or none: the least that will
 * do, and says how many. PLAN is a file of `berth plan MODEL -o FILE.plan`.
 *
 * Pointers of a board are half as long, so there the block may be smaller. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/hosted/port.h"
#include "device.h"

typedef struct desk {
    berth_port port;
    berth_file model;
    berth_file plan;
    berth_block block;
    berth_engine *engine;
    berth_diag diag;
} desk;

/* In the first so many bytes of the block. */
static berth_status open_in(desk *d, size_t bytes)
{
    d->diag = berth_diag_none();
    return device_open(d->model.bytes, d->plan.bytes,
                       berth_work_of(d->block.memory, bytes), &d->engine,
                       &d->diag);
}

/* The least size that device_open() does not refuse as too small. */
static size_t least_bytes(desk *d)
{
    size_t enough = d->block.bytes;
    size_t too_few = 0;
    while (enough - too_few > 1) {
        const size_t middle = too_few + (enough - too_few) / 2;
        if (open_in(d, middle) == BERTH_NO_SPACE) {
            too_few = middle;
        } else {
            enough = middle;
        }
    }
    return enough;
}

static berth_status run_once(desk *d, berth_io *out)
{
    const uint32_t inputs = berth_engine_input_count(d->engine);
    for (uint32_t i = 0; i < inputs; ++i) {
        berth_io in;
        BERTH_TRY(berth_engine_input(d->engine, i, &in));
        memset(in.data, 0, (size_t)in.bytes);
    }
    BERTH_TRY(berth_engine_run(d->engine, NULL, &d->diag));
    return berth_engine_output(d->engine, 0, out);
}

int main(int argc, char **argv)
{
    desk d = {.port = berth_port_of_libc()};
    berth_io out = {0};
    size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (argc < 2 || berth_file_open(&d.port, argv[1], &d.model) != 0 ||
        (argc > 3 && berth_file_open(&d.port, argv[3], &d.plan) != 0) ||
        !berth_block_take(&d.port, bytes > 0 ? bytes : (size_t)1 << 28,
                          &d.block)) {
        (void)fprintf(stderr, "usage: desk MODEL [BYTES [PLAN]]\n");
        return 2;
    }
    if (bytes == 0) {
        bytes = least_bytes(&d);
        (void)printf("a block of %zu bytes\n", bytes);
    }
    berth_status status = open_in(&d, bytes);
    status = status == BERTH_OK ? run_once(&d, &out) : status;
    if (status == BERTH_OK) {
        (void)printf("output of %" PRIu64 " bytes, the first %u\n", out.bytes,
                     out.bytes > 0 ? out.data[0] : 0u);
    } else {
        (void)fprintf(stderr, "%s: %s\n", berth_status_text(status),
                      d.diag.what);
    }
    berth_block_give(&d.port, &d.block);
    berth_file_close(&d.port, &d.plan);
    berth_file_close(&d.port, &d.model);
    return status == BERTH_OK ? 0 : 1;
}

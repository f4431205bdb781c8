/* desk MODEL [BYTES]: tries device.c where there is a file system: prepares the
 * model in a block of so many bytes (default 256 kB), runs it once, and says
 * what the outputs begin with. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/hosted/port.h"
#include "device.h"

int main(int argc, char **argv)
{
    berth_port port = berth_port_of_libc();
    berth_file file = {0};
    berth_block block = {0};
    berth_engine *engine = NULL;
    berth_io io = {0};
    berth_diag diag = berth_diag_none();
    const size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 256u << 10;
    if (argc < 2 || berth_file_open(&port, argv[1], &file) != 0 ||
        !berth_block_take(&port, bytes, &block)) {
        (void)fprintf(stderr, "usage: desk MODEL [BYTES]\n");
        return 2;
    }
    berth_status status = device_open(
        file.bytes, berth_work_of(block.memory, bytes), &engine, &diag);
    for (uint32_t i = 0;
         status == BERTH_OK && i < berth_engine_input_count(engine); ++i) {
        status = berth_engine_input(engine, i, &io);
        memset(io.data, 0, (size_t)io.bytes);
    }
    status =
        status == BERTH_OK ? berth_engine_run(engine, NULL, &diag) : status;
    if (status == BERTH_OK) {
        status = berth_engine_output(engine, 0, &io);
        (void)printf("output of %" PRIu64 " bytes, the first %u\n", io.bytes,
                     io.bytes > 0 ? io.data[0] : 0u);
    } else {
        (void)fprintf(stderr, "%s: %s\n", berth_status_text(status), diag.what);
    }
    berth_block_give(&port, &block);
    berth_file_close(&port, &file);
    return status == BERTH_OK ? 0 : 1;
}

/* Runs a model once, without a plan, from raw inputs to raw outputs:
 *
 *   run_case MODEL ref|opt litert|tflm OUT [IN]...
 *
 * OUT0, OUT1, ... are written. For tests that have another runtime's answers.
 */
#include "naive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sorry(const char *what)
{
    (void)fprintf(stderr, "run_case: %s\n", what);
    return 1;
}

static berth_bytes read_all(const char *path)
{
    berth_bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return bytes;
    }
    (void)fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    uint8_t *data = aligned_alloc(16, ((size_t)size + 16) / 16 * 16);
    bytes.data = data;
    bytes.size = fread(data, 1, (size_t)size, file);
    (void)fclose(file);
    return bytes;
}

static bool fill_inputs(const naive *n, int count, char **paths)
{
    for (uint32_t i = 0; i < naive_input_count(n); ++i) {
        const naive_tensor input = naive_input(n, i);
        const berth_bytes bytes =
            (int)i < count ? read_all(paths[i]) : (berth_bytes){NULL, 0};
        if (bytes.size != input.bytes) {
            return false;
        }
        memcpy(input.data, bytes.data, bytes.size);
        free((void *)(uintptr_t)bytes.data);
    }
    return true;
}

static void write_outputs(const naive *n, const char *stem)
{
    char path[1024];
    for (uint32_t i = 0; i < naive_output_count(n); ++i) {
        const naive_tensor output = naive_output(n, i);
        (void)snprintf(path, sizeof(path), "%s%u", stem, i);
        FILE *file = fopen(path, "wb");
        if (file != NULL) {
            (void)fwrite(output.data, 1, (size_t)output.bytes, file);
            (void)fclose(file);
        }
    }
}

int main(int argc, char **argv)
{
    char why[256] = "";
    if (argc < 5) {
        return sorry("MODEL ref|opt litert|tflm OUT [IN]...");
    }
    const berth_bytes file = read_all(argv[1]);
    naive *n = naive_open(file,
                          strcmp(argv[2], "opt") == 0 ? berth_kernels_opt()
                                                      : berth_kernels_ref(),
                          strcmp(argv[3], "tflm") == 0 ? BERTH_PROFILE_TFLM
                                                       : BERTH_PROFILE_LITERT,
                          NULL, 0, why, sizeof(why));
    if (n == NULL) {
        return sorry(why);
    }
    if (!fill_inputs(n, argc - 5, argv + 5)) {
        return sorry("an input is not there, or not as long as it should be");
    }
    if (!naive_run(n, why, sizeof(why))) {
        return sorry(why);
    }
    write_outputs(n, argv[4]);
    naive_close(n);
    free((void *)(uintptr_t)file.data);
    return 0;
}

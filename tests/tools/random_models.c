/* Writes random models, for tests that show them to other runtimes.
 *
 *   random_models FOLDER FIRST LAST      FOLDER/SEED.tflite for each seed */
#include <stdio.h>
#include <stdlib.h>

#include "random_model.h"

static void write_model(const char *folder, unsigned long long seed)
{
    char path[4096];
    mb *builder = mb_new();
    const berth_bytes bytes = random_model(builder, seed);
    (void)snprintf(path, sizeof path, "%s/%llu.tflite", folder, seed);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes.data, 1, bytes.size, file) != bytes.size ||
        fclose(file) != 0) {
        perror(path);
        exit(4);
    }
    mb_free(builder);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fputs("usage: random_models FOLDER FIRST LAST\n", stderr);
        return 2;
    }
    const unsigned long long last = strtoull(argv[3], NULL, 10);
    for (unsigned long long seed = strtoull(argv[2], NULL, 10); seed <= last;
         ++seed) {
        write_model(argv[1], seed);
    }
    return 0;
}

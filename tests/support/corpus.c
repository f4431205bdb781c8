#include "corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static char path_text[4096];

static const char *source_folder(void)
{
    const char *folder = getenv("BERTH_SOURCE");
    return folder != NULL ? folder : ".";
}

const char *corpus_path(const char *relative)
{
    const char *corpus = getenv("BERTH_CORPUS");
    if (corpus != NULL) {
        snprintf(path_text, sizeof(path_text), "%s/%s", corpus, relative);
    } else {
        snprintf(path_text, sizeof(path_text), "%s/../shared/%s",
                 source_folder(), relative);
    }
    return path_text;
}

bool corpus_has(const char *relative)
{
    struct stat status;
    return stat(corpus_path(relative), &status) == 0;
}

berth_bytes file_read(const char *path)
{
    berth_bytes bytes = {NULL, 0};
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return bytes;
    }
    if (fstat(fileno(file), &status) == 0) {
        const size_t size = (size_t)status.st_size;
        void *data = NULL;
        if (posix_memalign(&data, 16, size > 0 ? size : 1) == 0) {
            if (fread(data, 1, size, file) == size) {
                bytes = (berth_bytes){data, size};
            } else {
                free(data);
            }
        }
    }
    fclose(file);
    return bytes;
}

berth_bytes corpus_read(const char *relative)
{
    const berth_bytes bytes = file_read(corpus_path(relative));
    if (bytes.data == NULL) {
        printf("SKIP %s is not in the corpus (BERTH_CORPUS)\n", relative);
        skip();
    }
    return bytes;
}

berth_bytes bundled_read(const char *name)
{
    snprintf(path_text, sizeof(path_text), "%s/examples/models/%s.tflite",
             source_folder(), name);
    const berth_bytes bytes = file_read(path_text);
    if (bytes.data == NULL) {
        fail_msg("%s cannot be read", path_text);
    }
    return bytes;
}

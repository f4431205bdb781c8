/* Runs stored inputs through a fuzz target without a fuzzer, so that the corpus
 * is part of the ordinary tests in every build.
 *
 *   replay_TARGET PATH...
 *
 * Each PATH is a file or a folder of files; folders are read in the order of
 * their names. A folder that does not exist holds no input: a new target starts
 * that way. The empty input and one zero byte are always tried. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long input_count;

static void fail(const char *path)
{
    fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
    exit(1);
}

/* The bytes are copied into a block of exactly their size, so that a sanitizer
 * sees a read of one byte too many. */
static void replay_bytes(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) {
        fail("memory");
    }
    if (size > 0) {
        memcpy(exact, data, size);
    }
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    ++input_count;
}

static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (file == NULL || data == NULL || fread(data, 1, size, file) != size) {
        fail(path);
    }
    fclose(file);
    /* Named before it runs: if the target stops, the last line is the input. */
    printf("%s\n", path);
    fflush(stdout);
    replay_bytes(data, size);
    free(data);
}

static void replay_path(const char *path);

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay_folder(const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, not_hidden, alphasort);
    if (count < 0) {
        fail(path);
    }
    for (int i = 0; i < count; ++i) {
        const size_t length = strlen(path) + strlen(entries[i]->d_name) + 2;
        char *child = malloc(length);
        if (child == NULL) {
            fail(path);
        }
        snprintf(child, length, "%s/%s", path, entries[i]->d_name);
        replay_path(child);
        free(child);
        free(entries[i]);
    }
    free(entries);
}

static void replay_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno == ENOENT) {
            printf("%s: no such input\n", path);
            return;
        }
        fail(path);
    }
    if (S_ISDIR(status.st_mode)) {
        replay_folder(path);
    } else {
        replay_file(path, (size_t)status.st_size);
    }
}

int main(int argc, char **argv)
{
    replay_bytes((const uint8_t *)"", 0);
    replay_bytes((const uint8_t *)"", 1);
    for (int i = 1; i < argc; ++i) {
        replay_path(argv[i]);
    }
    printf("%lu inputs replayed\n", input_count);
    return 0;
}

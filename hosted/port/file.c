/* Files: mapped read-only if they can be, since a model may be larger than
 * memory and only its structure is looked at; what has no size (a pipe, a
 * terminal, some of /proc) is read to its end. */
#include "berth/hosted/port.h"

#include "berth/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_READ_BYTES 65536u
#define TEXT_MOST_BYTES  ((size_t)1 << 28)

/* Reads until there is no more room or no more file. *got grows. */
static int read_up_to(int fd, uint8_t *memory, size_t room, size_t *got)
{
    while (*got < room) {
        const ssize_t n = read(fd, memory + *got, room - *got);
        if (n == 0) {
            return 0;
        }
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        *got += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* A stream may be endless. What is no model need not be read to its end to be
 * called what it is, and no text that anybody wrote is longer than this. */
static bool has_more(berth_bytes so_far, size_t text_most)
{
    return so_far.size < text_most ||
           berth_file_kind_of(so_far) == BERTH_FILE_TFLITE;
}

/* Reads a stream whole, into blocks that double. */
static int slurp(berth_port *port, int fd, size_t text_most, berth_file *file)
{
    size_t room = FIRST_READ_BYTES;
    size_t got = 0;
    uint8_t *memory = port->take(port->self, room);
    int error = memory == NULL ? ENOMEM : read_up_to(fd, memory, room, &got);
    while (error == 0 && got == room &&
           has_more((berth_bytes){memory, got}, text_most)) {
        uint8_t *more =
            room <= SIZE_MAX / 2u ? port->take(port->self, room * 2u) : NULL;
        if (more == NULL) {
            error = ENOMEM;
            break;
        }
        memcpy(more, memory, got);
        port->give(port->self, memory);
        memory = more;
        room *= 2u;
        error = read_up_to(fd, memory, room, &got);
    }
    if (error == 0 && got == room && text_most > FIRST_READ_BYTES) {
        error = EFBIG;
    }
    if (error != 0) {
        if (memory != NULL) {
            port->give(port->self, memory);
        }
        return error;
    }
    *file = (berth_file){.bytes = {memory, got}, .memory = memory};
    return 0;
}

static int open_fd(berth_port *port, int fd, size_t text_most, berth_file *file)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return errno;
    }
    if (S_ISDIR(about.st_mode)) {
        return EISDIR;
    }
    if (!S_ISREG(about.st_mode) || about.st_size <= 0) {
        return slurp(port, fd, text_most, file);
    }
    if ((uintmax_t)about.st_size > SIZE_MAX) {
        return EFBIG;
    }
    const size_t size = (size_t)about.st_size;
    /* Standard input may be a file that somebody has read a part of. */
    if (lseek(fd, 0, SEEK_CUR) == 0) {
        void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            *file = (berth_file){.bytes = {map, size}, .map = map};
            return 0;
        }
    }
    return slurp(port, fd, text_most, file);
}

static int open_path(berth_port *port, const char *path, size_t text_most,
                     berth_file *file)
{
    *file = (berth_file){0};
    if (strcmp(path, "-") == 0) {
        return open_fd(port, STDIN_FILENO, text_most, file);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    const int error = open_fd(port, fd, text_most, file);
    (void)close(fd); /* a mapping outlives it */
    return error;
}

int berth_file_open(berth_port *port, const char *path, berth_file *file)
{
    return open_path(port, path, FIRST_READ_BYTES, file);
}

int berth_file_open_whole(berth_port *port, const char *path, berth_file *file)
{
    return open_path(port, path, TEXT_MOST_BYTES, file);
}

void berth_file_close(berth_port *port, berth_file *file)
{
    if (file->map != NULL) {
        (void)munmap(file->map, file->bytes.size);
    }
    if (file->memory != NULL) {
        port->give(port->self, file->memory);
    }
    *file = (berth_file){0};
}

bool berth_file_is_same(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;
    return strcmp(a, b) == 0 ||
           (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
            of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

bool berth_file_is_saved_model(const char *path)
{
    static const char *const names[] = {"saved_model.pb", "saved_model.pbtxt"};
    char inside[4096];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        const int n = snprintf(inside, sizeof(inside), "%s/%s", path, names[i]);
        if (n > 0 && (size_t)n < sizeof(inside) && access(inside, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

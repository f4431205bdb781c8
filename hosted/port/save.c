/* Files that are whole or not there. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "berth/hosted/port.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char SUFFIX[] = ".XXXXXX";

/* Who would leave a file under its other name behind. They wait until it has
 * its place, or is gone. */
static const int waiting[] = {SIGHUP, SIGINT, SIGTERM};
enum { WAITING_COUNT = sizeof(waiting) / sizeof(waiting[0]) };

/* Makes them wait; returns those that did not before, a bit each. */
static unsigned hold_signals(void)
{
    unsigned held = 0;
    sigset_t set;
    sigset_t before;
    (void)sigemptyset(&set);
    for (unsigned i = 0; i < WAITING_COUNT; ++i) {
        (void)sigaddset(&set, waiting[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &set, &before) != 0) {
        return 0;
    }
    for (unsigned i = 0; i < WAITING_COUNT; ++i) {
        held |= (sigismember(&before, waiting[i]) == 0 ? 1u : 0u) << i;
    }
    return held;
}

static void let_signals(unsigned held)
{
    sigset_t set;
    (void)sigemptyset(&set);
    for (unsigned i = 0; i < WAITING_COUNT; ++i) {
        if ((held >> i & 1u) != 0) {
            (void)sigaddset(&set, waiting[i]);
        }
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* What a new file may be, as far as one can know without changing it. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(077);
    (void)umask(mask);
    return 0666 & ~mask;
}

/* The place behind links, and the mode of what is there. A link to nowhere is
 * replaced. */
static int find_place(const char *path, char **place, mode_t *mode)
{
    struct stat about;
    *mode = usual_mode();
    if (stat(path, &about) == 0) {
        if (!S_ISREG(about.st_mode)) {
            return EINVAL;
        }
        *mode = about.st_mode & 07777;
        *place = realpath(path, NULL);
    } else if (errno == ENOENT) {
        *place = strdup(path);
    } else {
        return errno;
    }
    return *place == NULL ? errno : 0;
}

static int open_beside(berth_save *save, mode_t mode)
{
    const size_t length = strlen(save->place);
    char *name = malloc(length + sizeof(SUFFIX));
    if (name == NULL) {
        return ENOMEM;
    }
    memcpy(name, save->place, length);
    memcpy(name + length, SUFFIX, sizeof(SUFFIX));
    const int fd = mkstemp(name);
    if (fd < 0) {
        const int error = errno;
        free(name);
        return error;
    }
    save->name = name;
    save->out = fchmod(fd, mode) == 0 ? fdopen(fd, "wb") : NULL;
    if (save->out == NULL) {
        const int error = errno;
        (void)close(fd);
        return error;
    }
    return 0;
}

int berth_save_begin(const char *path, berth_save *save)
{
    mode_t mode = 0;
    *save = (berth_save){.held = hold_signals()};
    int error = find_place(path, &save->place, &mode);
    if (error == 0) {
        error = open_beside(save, mode);
    }
    if (error != 0) {
        berth_save_drop(save);
    }
    return error;
}

int berth_save_finish(berth_save *save)
{
    errno = 0;
    const bool written = fflush(save->out) == 0 && !ferror(save->out) &&
                         fsync(fileno(save->out)) == 0;
    int error = written ? 0 : errno != 0 ? errno : EIO;
    if (fclose(save->out) != 0 && error == 0) {
        error = errno;
    }
    save->out = NULL;
    return error;
}

int berth_save_move(berth_save *save)
{
    if (rename(save->name, save->place) != 0) {
        return errno;
    }
    free(save->name);
    save->name = NULL;
    return 0;
}

void berth_save_drop(berth_save *save)
{
    if (save->out != NULL) {
        (void)fclose(save->out);
    }
    if (save->name != NULL) {
        (void)unlink(save->name);
    }
    free(save->name);
    free(save->place);
    let_signals(save->held);
    *save = (berth_save){0};
}

/* berth/hosted/port.h: the machine: memory, files, a clock, and the patience
 * of who waits. hosted/port is the only place of berth that calls malloc and
 * mmap; everything else takes what it needs from a berth_port, so a test can
 * count and refuse it.
 *
 *     berth_port port = berth_port_of_libc();
 *     berth_file file;
 *     int error = berth_file_open(&port, "model.tflite", &file);
 *     if (error == 0) {
 *         ... file.bytes ...
 *         berth_file_close(&port, &file);
 *     }
 *
 * A port belongs to one thread at a time. */
#ifndef BERTH_HOSTED_PORT_H
#define BERTH_HOSTED_PORT_H

#include <stdio.h>

#include "berth/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a long piece of work has come. */
typedef struct berth_progress {
    uint64_t slice;       /* 0: it begins */
    uint64_t peak_bytes;  /* of the best plan so far; BERTH_NOWHERE: none yet */
    uint64_t bound_bytes; /* none can go under it */
    uint64_t nodes;       /* effort spent, plan.h */
} berth_progress;

typedef struct berth_port {
    void *self;
    /* Memory of at least `bytes`, 16-aligned, or NULL. */
    void *(*take)(void *self, size_t bytes);
    void (*give)(void *self, void *memory);
    /* Asked before a search for a plan and some times a second during it;
     * false: that is enough, the best plan so far is the answer. NULL: each
     * search goes on to its end. */
    bool (*go_on)(void *watcher, const berth_progress *progress);
    void *watcher;
    bool endless; /* with go_on: nothing else ends a search that has not proven
                     its plan; else the effort meant for it does */
    /* What is lent to the core now, and was at most; files do not count. */
    uint64_t lent_bytes;
    uint64_t lent_peak_bytes;
} berth_port;

/* A port on malloc and free. */
berth_port berth_port_of_libc(void);

/* One block of memory. A zeroed block is none, and may be given back too. */
typedef struct berth_block {
    void *memory;
    size_t bytes;
} berth_block;

/* Takes a block and counts it. False: there is none (block is then zeroed). */
BERTH_MUST_USE bool berth_block_take(berth_port *port, size_t bytes,
                                     berth_block *block);
/* Gives it back and zeroes it; safe on a zeroed one. */
void berth_block_give(berth_port *port, berth_block *block);

/* The bytes of a file: mapped where that is possible, else read whole. They
 * start 16-aligned and stay until the close. A mapped file must not be cut
 * short by others meanwhile. */
typedef struct berth_file {
    berth_bytes bytes;
    void *map;    /* to unmap, or NULL */
    void *memory; /* to give back, or NULL */
} berth_file;

/* path "-" is standard input. 0, or what errno says: EISDIR for a folder,
 * ENOMEM, EFBIG for more than this machine can address, ... Nothing is open
 * then and `file` is zeroed. */
BERTH_MUST_USE int berth_file_open(berth_port *port, const char *path,
                                   berth_file *file);
void berth_file_close(berth_port *port, berth_file *file);

/* The same, where it need not be a model: of a stream that is none only so much
 * is read above as tells so, here up to 2^28 bytes (then EFBIG). */
BERTH_MUST_USE int berth_file_open_whole(berth_port *port, const char *path,
                                         berth_file *file);

/* Whether two paths are one, or lead to one file. */
bool berth_file_is_same(const char *a, const char *b);

/* Whether a folder looks like a TensorFlow SavedModel. */
bool berth_file_is_saved_model(const char *path);

/* Files that are whole or not there: each is written under another name beside
 * its place and moved there at the end.
 *
 *     berth_save save;
 *     int error = berth_save_begin("out.h", &save);
 *     if (error == 0) {
 *         fprintf(save.out, ...);
 *         error = berth_save_finish(&save);   written, on disk, not yet moved
 *     }
 *     error = error == 0 ? berth_save_move(&save) : error;
 *     berth_save_drop(&save);                 what was not moved is removed
 *
 * Several files begin and finish before the first moves, and the one that began
 * first is dropped last: from its begin to its drop SIGHUP, SIGINT and SIGTERM
 * wait, so that none leaves half a file behind. */
typedef struct berth_save {
    FILE *out;
    char *place;   /* where it goes: a link's target, not the link */
    char *name;    /* its name until then; NULL: moved, or never begun */
    unsigned held; /* signals that wait until it is dropped, a bit each */
} berth_save;

/* 0, or what errno says; EINVAL: the place is neither free nor an ordinary
 * file. A file there is replaced, and the new one gets its permissions. */
BERTH_MUST_USE int berth_save_begin(const char *path, berth_save *save);
BERTH_MUST_USE int berth_save_finish(berth_save *save);
BERTH_MUST_USE int berth_save_move(berth_save *save);
void berth_save_drop(berth_save *save);

/* Nanoseconds of a clock that never goes back. */
uint64_t berth_port_now_ns(void);

#ifdef __cplusplus
}
#endif
#endif

/* corpus.h: other people's models, where they are there.
 *
 *     berth_bytes file = corpus_read("models/mlcommons-tiny/vww_96_int8.tflite");
 *     ...
 *     free((void *)(uintptr_t)file.data);
 *
 * The corpus is the folder BERTH_CORPUS (default: shared/ beside the
 * repository). Where a file is not, the running cmocka test is skipped, and the
 * reason printed for tools/run_tests to collect. Bundled models of the
 * repository itself must be there: bundled_read() fails the test instead. */
#ifndef CORPUS_H
#define CORPUS_H

#include "berth/base.h"

/* Path in a static buffer, good until the next call. */
const char *corpus_path(const char *relative);
bool corpus_has(const char *relative);
berth_bytes corpus_read(const char *relative);

/* "vww96_int8": a model of examples/models/. */
berth_bytes bundled_read(const char *name);

/* Any file, in a block of exactly its size, aligned to 16; data is NULL when it
 * cannot be read. */
berth_bytes file_read(const char *path);

#endif

/* npy.h: an array of a .npy file (version 1.0, C order), as the goldens are. */
#ifndef NPY_H
#define NPY_H

#include "berth/base.h"

enum { NPY_RANK_MAX = 16 };

typedef struct npy {
    berth_bytes file; /* free((void *)(uintptr_t)file.data) */
    char type[8];     /* "f4", "i1", "b1", ... */
    int32_t dims[NPY_RANK_MAX];
    uint32_t rank;
    const uint8_t *data;
    size_t bytes;
} npy;

/* False: no such file, or none that this reader knows. */
bool npy_read(const char *path, npy *array);

#endif

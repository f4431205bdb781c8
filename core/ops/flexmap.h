/* flexmap.h: one number out of a flexbuffer map, the options of custom
 * operators. The bytes come from a stranger: every read is bounded. */
#ifndef BERTH_FLEXMAP_H
#define BERTH_FLEXMAP_H

#include "berth/base.h"

/* The value under `key` (a C string) of the map that `bytes` holds, as an
 * integer; floats are cut off. False: not a map, damaged, no such key, or not
 * a number. Linear in the number of keys. */
bool berth_flexmap_int(berth_bytes bytes, const char *key, int64_t *value);

/* The same by place: keys are sorted, the first is 0. */
bool berth_flexmap_at(berth_bytes bytes, size_t index, int64_t *value);

#endif

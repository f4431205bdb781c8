/* stream.h: JSON written as it is made: never a tree of everything. */
#ifndef BERTH_HOSTED_STREAM_H
#define BERTH_HOSTED_STREAM_H

#include <jansson.h>

#include "report_int.h"

typedef struct stream {
    FILE *out;
    bool failed;  /* no memory for a value */
    bool follows; /* a comma comes before the next value */
    uint32_t depth;
} stream;

/* Opens or closes an object or an array; key NULL inside arrays. */
void stream_open(stream *s, const char *key, char bracket);
void stream_close(stream *s, char bracket);

/* Writes one value and gives it back; NULL counts as no memory. */
void stream_value(stream *s, const char *key, json_t *value);

/* A number, or null where none can be given. */
json_t *json_number(bool known, uint64_t value);

/* Bytes from a file as a string, escaped where they are no UTF-8. */
json_t *json_name(berth_bytes name);

/* Index of a tensor or an operator, or null. */
json_t *json_index(uint32_t index);

#endif

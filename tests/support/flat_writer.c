#include "flat_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fw_misuse(const char *what)
{
    (void)fprintf(stderr, "model_builder: %s\n", what);
    abort();
}

void *fw_must(void *p)
{
    if (p == NULL) {
        fw_misuse("out of memory");
    }
    return p;
}

void fw_put(flat_writer *w, const void *data, size_t bytes)
{
    if (w->size + bytes > w->room) {
        w->room = (w->size + bytes) * 2;
        w->out = fw_must(realloc(w->out, w->room));
    }
    if (bytes != 0) {
        memcpy(w->out + w->size, data, bytes);
    }
    w->size += bytes;
}

void fw_store(flat_writer *w, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        w->out[at + i] = (unsigned char)(value >> (8 * i));
    }
}

void fw_put_int(flat_writer *w, uint64_t value, size_t bytes)
{
    const unsigned char zero[8] = {0};
    fw_put(w, zero, bytes);
    fw_store(w, w->size - bytes, value, bytes);
}

/* Pads until (position + ahead) is aligned. */
void fw_align(flat_writer *w, size_t alignment, size_t ahead)
{
    while ((w->size + ahead) % alignment != 0) {
        fw_put_int(w, 0, 1);
    }
}

/* Lets the hole point at what is written next. */
void fw_fill(flat_writer *w, size_t hole)
{
    if (hole != 0) {
        fw_store(w, hole, w->size - hole, 4);
    }
}

void fw_set(fw_table *t, size_t slot, size_t size, uint64_t value)
{
    t->field[slot].size = size;
    t->field[slot].value = value;
    t->count = slot + 1 > t->count ? slot + 1 : t->count;
}

/* A field that is left out when it has the schema's default. */
void fw_set_unless(fw_table *t, size_t slot, size_t size, uint64_t value,
                   uint64_t absent)
{
    if (value != absent) {
        fw_set(t, slot, size, value);
    }
}

void fw_set_child(fw_table *t, size_t slot, bool wanted)
{
    if (wanted) {
        fw_set(t, slot, 4, 0);
    }
}

/* Writes vtable and table, largest fields first so that each is aligned. */
void fw_put_table(flat_writer *w, fw_table *t, size_t hole)
{
    size_t offset[FW_SLOTS] = {0};
    size_t end = 4;
    for (size_t size = 8; size >= 1; size /= 2) {
        for (size_t i = 0; i < t->count; ++i) {
            if (t->field[i].size == size) {
                end = (end + size - 1) / size * size;
                offset[i] = end;
                end += size;
            }
        }
    }
    const size_t vtable_bytes = 4 + 2 * t->count;
    fw_align(w, 8, vtable_bytes);
    fw_put_int(w, vtable_bytes, 2);
    fw_put_int(w, end, 2);
    for (size_t i = 0; i < t->count; ++i) {
        fw_put_int(w, offset[i], 2);
    }
    fw_fill(w, hole);
    const size_t at = w->size;
    fw_put_int(w, vtable_bytes, 4);
    for (size_t n = 4; n < end; ++n) {
        fw_put_int(w, 0, 1);
    }
    for (size_t i = 0; i < t->count; ++i) {
        t->field[i].hole = at + offset[i];
        if (t->field[i].size != 0) {
            fw_store(w, at + offset[i], t->field[i].value, t->field[i].size);
        }
    }
}

void fw_put_bytes(flat_writer *w, size_t hole, const void *data, size_t bytes,
                  size_t alignment)
{
    fw_align(w, alignment < 4 ? 4 : alignment, 4);
    fw_fill(w, hole);
    fw_put_int(w, bytes, 4);
    fw_put(w, data, bytes);
}

void fw_put_string(flat_writer *w, size_t hole, const char *text, size_t bytes)
{
    fw_put_bytes(w, hole, text, bytes, 4);
    fw_put_int(w, 0, 1);
}

void fw_put_text(flat_writer *w, const fw_table *t, size_t slot,
                 const char *text)
{
    if (text != NULL) {
        fw_put_string(w, t->field[slot].hole, text, strlen(text));
    }
}

/* A vector of integers, each converted to `bytes`. */
void fw_put_ints(flat_writer *w, size_t hole, const int32_t *ints, size_t count,
                 size_t bytes)
{
    fw_align(w, bytes < 4 ? 4 : bytes, 4);
    fw_fill(w, hole);
    fw_put_int(w, count, 4);
    for (size_t i = 0; i < count; ++i) {
        fw_put_int(w, (uint64_t)(int64_t)ints[i], bytes);
    }
}

/* A vector of count holes; returns the position of the first. */
size_t fw_put_holes(flat_writer *w, size_t hole, size_t count)
{
    fw_align(w, 4, 0);
    fw_fill(w, hole);
    fw_put_int(w, count, 4);
    const size_t first = w->size;
    for (size_t i = 0; i < count; ++i) {
        fw_put_int(w, 0, 4);
    }
    return first;
}

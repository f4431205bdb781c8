/* flat_writer.h: FlatBuffers, written forwards: a table goes out with holes for
 * its children, and each child fills its hole when it is written. Offsets then
 * point ahead, as the format wants, and alignment is plain arithmetic on the
 * position. A hole is the position of four bytes; 0 stands for none. */
#ifndef FLAT_WRITER_H
#define FLAT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty. Free `out` in the end. */
typedef struct flat_writer {
    unsigned char *out;
    size_t size, room;
} flat_writer;

enum { FW_SLOTS = 20 };

/* A table in the making: fields by slot. size 0: the field is absent. */
typedef struct fw_table {
    struct {
        size_t size;
        uint64_t value;
        size_t hole; /* set by fw_put_table(): where the field lies */
    } field[FW_SLOTS];
    size_t count;
} fw_table;

/* Ends the program: memory ran out, or the tests misuse the writer. */
void fw_misuse(const char *what);
void *fw_must(void *p);

/* A scalar field; one that is left out when it has the schema's default; and
 * one that points to a child. */
void fw_set(fw_table *t, size_t slot, size_t size, uint64_t value);
void fw_set_unless(fw_table *t, size_t slot, size_t size, uint64_t value,
                   uint64_t absent);
void fw_set_child(fw_table *t, size_t slot, bool wanted);

/* Raw bytes; a little-endian number; a number over bytes that are there;
 * padding until (position + ahead) is aligned; the hole pointing to here. */
void fw_put(flat_writer *w, const void *data, size_t bytes);
void fw_put_int(flat_writer *w, uint64_t value, size_t bytes);
void fw_store(flat_writer *w, size_t at, uint64_t value, size_t bytes);
void fw_align(flat_writer *w, size_t alignment, size_t ahead);
void fw_fill(flat_writer *w, size_t hole);

/* Children, each filling its hole. A vector of holes returns the first. */
void fw_put_table(flat_writer *w, fw_table *t, size_t hole);
void fw_put_bytes(flat_writer *w, size_t hole, const void *data, size_t bytes,
                  size_t alignment);
void fw_put_string(flat_writer *w, size_t hole, const char *text, size_t bytes);
void fw_put_text(flat_writer *w, const fw_table *t, size_t slot,
                 const char *text);
void fw_put_ints(flat_writer *w, size_t hole, const int32_t *ints, size_t count,
                 size_t bytes);
size_t fw_put_holes(flat_writer *w, size_t hole, size_t count);

#endif

/* What a file is, from its first bytes.
 *
 * Most of what people hand over in place of a .tflite starts with a fixed
 * signature. Protocol buffers have none; there the tags of the first two
 * fields tell (SavedModel: schema version 1, then a meta graph; ONNX: the IR
 * version, then the producer, its version, the graph or the operator sets). */
#include "berth/model.h"

#include <string.h>

typedef struct file_magic {
    uint8_t kind; /* berth_file_kind */
    uint8_t offset;
    uint8_t size;
    char bytes[23];
} file_magic;

static const file_magic FILE_MAGICS[] = {
    {BERTH_FILE_TFLITE, 4, 4, "TFL3"},
    {BERTH_FILE_LFS_POINTER, 0, 22, "version https://git-lf"},
    {BERTH_FILE_ZIP, 0, 4, "PK\3\4"},
    {BERTH_FILE_ZIP, 0, 4, "PK\5\6"}, /* an empty archive */
    {BERTH_FILE_GZIP, 0, 2, "\x1f\x8b"},
    {BERTH_FILE_HDF5, 0, 8, "\x89HDF\r\n\x1a\n"},
    {BERTH_FILE_SAVED_MODEL, 0, 3, "\x08\x01\x12"},
    {BERTH_FILE_ONNX, 2, 1, "\x12"}, /* these after starts_as_protobuf() */
    {BERTH_FILE_ONNX, 2, 1, "\x1a"},
    {BERTH_FILE_ONNX, 2, 1, "\x3a"},
    {BERTH_FILE_ONNX, 2, 1, "\x42"},
};

enum { ROOT_OFFSET_MAX = 1 << 20 };

/* Field 1, a small number. */
static bool starts_as_protobuf(berth_bytes head)
{
    return head.size >= 2 && head.data[0] == 0x08 && head.data[1] != 0 &&
           head.data[1] < 0x20;
}

static bool has_magic(berth_bytes head, const file_magic *magic)
{
    if (magic->kind == BERTH_FILE_ONNX && !starts_as_protobuf(head)) {
        return false;
    }
    const size_t end = (size_t)magic->offset + magic->size;
    return head.size >= end &&
           memcmp(head.data + magic->offset, magic->bytes, magic->size) == 0;
}

static bool is_identifier_char(uint8_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* A root offset that a writer would make, then four capitals or digits. */
static bool starts_as_flatbuffer(berth_bytes head)
{
    if (head.size < 8) {
        return false;
    }
    const uint8_t *p = head.data;
    const uint32_t root = (uint32_t)p[0] | (uint32_t)p[1] << 8 |
                          (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return root >= 8 && root < ROOT_OFFSET_MAX && root % 4 == 0 &&
           is_identifier_char(p[4]) && is_identifier_char(p[5]) &&
           is_identifier_char(p[6]) && is_identifier_char(p[7]);
}

berth_file_kind berth_file_kind_of(berth_bytes head)
{
    if (head.size == 0) {
        return BERTH_FILE_EMPTY;
    }
    const size_t count = sizeof(FILE_MAGICS) / sizeof(FILE_MAGICS[0]);
    for (size_t i = 0; i < count; ++i) {
        if (has_magic(head, &FILE_MAGICS[i])) {
            return (berth_file_kind)FILE_MAGICS[i].kind;
        }
    }
    return starts_as_flatbuffer(head) ? BERTH_FILE_OTHER_FLATBUFFER
                                      : BERTH_FILE_UNKNOWN;
}

const char *berth_file_kind_text(berth_file_kind kind)
{
    static const char *const texts[] = {
#define FILE_KIND_TEXT(name, text) text,
        BERTH_FILE_KIND_TABLE(FILE_KIND_TEXT)
#undef FILE_KIND_TEXT
    };
    return (uint32_t)kind < (uint32_t)BERTH_FILE_KIND_COUNT ? texts[kind] : "?";
}

/* A file of another kind is named as what it is, and never read past its end.
 */
#include "model_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD(kind, text)                                                       \
    {                                                                          \
        BERTH_FILE_##kind, text, sizeof(text) - 1                              \
    }

static const struct {
    berth_file_kind kind;
    const char *head;
    size_t size;
} HEADS[] = {
    HEAD(TFLITE, "\x1c\0\0\0TFL3"),
    HEAD(TFLITE, "\0\0\0\0TFL3"),
    HEAD(EMPTY, ""),
    HEAD(LFS_POINTER,
         "version https://git-lfs.github.com/spec/v1\noid sha256:"),
    HEAD(ZIP, "PK\3\4\x14\0\0\0\0\0"),
    HEAD(ZIP, "PK\5\6\0\0\0\0"),
    HEAD(GZIP, "\x1f\x8b\x08\0"),
    HEAD(HDF5, "\x89HDF\r\n\x1a\n\0"),
    HEAD(ONNX, "\x08\x07\x12\x07pytorch"),
    HEAD(ONNX, "\x08\x03:\xc5\x01"),
    HEAD(ONNX, "\x08\x08\x42\x02\x10\x0c"),
    HEAD(SAVED_MODEL, "\x08\x01\x12\xa0\x05\x0a\x10"),
    HEAD(OTHER_FLATBUFFER, "\x10\0\0\0TFL2"),
    HEAD(OTHER_FLATBUFFER, "\x20\0\0\0ORTM\0\0"),
    HEAD(UNKNOWN, "\x11\0\0\0TFL2"), /* no writer's root */
    HEAD(UNKNOWN, "\x10\0\0\0tfl3"),
    HEAD(UNKNOWN, "\0\0\0\0\0\0\0\0\0\0\0\0"),
    HEAD(UNKNOWN, "#!/bin/sh\n"),
    HEAD(UNKNOWN, "<!DOCTYPE html>"),
    HEAD(UNKNOWN, "\x1c\0\0\0TFL"), /* torn */
    HEAD(UNKNOWN, "PK\3"),
    HEAD(UNKNOWN, "\x1f"),
    HEAD(UNKNOWN, "\x08\x07"),
    HEAD(UNKNOWN, "\x08\x20\x12"),
    HEAD(UNKNOWN, "\x08\0\x12"),
    HEAD(UNKNOWN, "\x08\x07\x13"),
};

enum { HEAD_COUNT = sizeof(HEADS) / sizeof(HEADS[0]) };

static void heads_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < HEAD_COUNT; ++i) {
        /* A block of exactly that size: a sanitizer guards the end. */
        uint8_t *head = malloc(HEADS[i].size + (HEADS[i].size == 0));
        assert_non_null(head);
        memcpy(head, HEADS[i].head, HEADS[i].size);
        const berth_bytes bytes = {head, HEADS[i].size};
        assert_int_equal(berth_file_kind_of(bytes), HEADS[i].kind);
        free(head);
    }
}

static void cut_heads_are_read_within_their_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < HEAD_COUNT; ++i) {
        for (size_t size = 0; size < HEADS[i].size; ++size) {
            uint8_t *head = malloc(size + (size == 0));
            assert_non_null(head);
            memcpy(head, HEADS[i].head, size);
            const berth_file_kind kind =
                berth_file_kind_of((berth_bytes){head, size});
            assert_true(size != 0 || kind == BERTH_FILE_EMPTY);
            assert_true(kind < BERTH_FILE_KIND_COUNT);
            free(head);
        }
    }
}

/* Another kind is another matter than damage. */
static void another_kind_is_unsupported_and_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < HEAD_COUNT; ++i) {
        if (HEADS[i].kind == BERTH_FILE_TFLITE) {
            continue;
        }
        const bool is_torn = HEADS[i].kind == BERTH_FILE_EMPTY ||
                             HEADS[i].kind == BERTH_FILE_UNKNOWN;
        uint8_t *head = malloc(HEADS[i].size + 1);
        assert_non_null(head);
        memcpy(head, HEADS[i].head, HEADS[i].size);
        size_t bytes = 0;
        berth_diag diag = berth_diag_none();
        assert_int_equal(berth_model_bytes((berth_bytes){head, HEADS[i].size},
                                           &bytes, &diag),
                         is_torn ? BERTH_BAD_MODEL : BERTH_UNSUPPORTED);
        assert_string_equal(diag.what, berth_file_kind_text(HEADS[i].kind));
        free(head);
    }
}

static void every_kind_has_a_text(void **state)
{
    (void)state;
    for (int kind = 0; kind < BERTH_FILE_KIND_COUNT; ++kind) {
        assert_true(strlen(berth_file_kind_text((berth_file_kind)kind)) > 5);
    }
    assert_string_equal(berth_file_kind_text(BERTH_FILE_KIND_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_told_apart),
        cmocka_unit_test(cut_heads_are_read_within_their_size),
        cmocka_unit_test(another_kind_is_unsupported_and_named),
        cmocka_unit_test(every_kind_has_a_text),
    };
    return cmocka_run_group_tests_name("model, kind", tests, NULL, NULL);
}

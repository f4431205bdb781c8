/* Any bytes are a model or are refused: every truncation and every change of a
 * single byte of three small models, and of what surrounds them. */
#include "model_samples.h"
#include "model_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A block of exactly these bytes, so that a sanitizer guards both ends. */
static uint8_t *exact_copy(berth_bytes file)
{
    uint8_t *copy = malloc(file.size == 0 ? 1 : file.size);
    assert_non_null(copy);
    if (file.size != 0) {
        memcpy(copy, file.data, file.size);
    }
    return copy;
}

static void the_samples_are_models(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MODEL_SAMPLE_COUNT; ++i) {
        berth_bytes file;
        mb *b = model_sample(i, &file);
        berth_diag diag;
        const berth_status status = model_open_and_walk(file, &diag);
        if (status != BERTH_OK) {
            print_error("sample %u: %s at %llu\n", i, diag.what,
                        (unsigned long long)diag.file_offset);
        }
        assert_int_equal(status, BERTH_OK);
        assert_true(file.size < 4096);
        mb_free(b);
    }
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MODEL_SAMPLE_COUNT; ++i) {
        berth_bytes file;
        mb *b = model_sample(i, &file);
        for (size_t size = 0; size < file.size; ++size) {
            uint8_t *copy = exact_copy((berth_bytes){file.data, size});
            berth_diag diag;
            const berth_status status =
                model_open_and_walk((berth_bytes){copy, size}, &diag);
            /* The last three bytes may be padding after a string. */
            assert_true(status == BERTH_BAD_MODEL || size + 4 > file.size);
            free(copy);
        }
        mb_free(b);
    }
}

/* All 255 other values of each byte. */
static void every_change_of_a_byte_is_refused_or_read(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MODEL_SAMPLE_COUNT; ++i) {
        berth_bytes file;
        mb *b = model_sample(i, &file);
        uint8_t *copy = exact_copy(file);
        size_t statuses[BERTH_STATUS_COUNT] = {0};
        for (size_t at = 0; at < file.size; ++at) {
            for (uint32_t change = 1; change < 256; ++change) {
                copy[at] = (uint8_t)(file.data[at] ^ change);
                berth_diag diag;
                ++statuses[model_open_and_walk((berth_bytes){copy, file.size},
                                               &diag)];
            }
            copy[at] = file.data[at];
        }
        print_message("sample %u: %zu bytes, read %zu, damaged %zu, "
                      "unsupported %zu\n",
                      i, file.size, statuses[BERTH_OK],
                      statuses[BERTH_BAD_MODEL], statuses[BERTH_UNSUPPORTED]);
        assert_int_equal(statuses[BERTH_OK] + statuses[BERTH_BAD_MODEL] +
                             statuses[BERTH_UNSUPPORTED],
                         255 * file.size);
        free(copy);
        mb_free(b);
    }
}

/* Offsets, counts and sizes are four bytes: each word set to what arithmetic
 * stumbles over. */
static void every_word_of_trouble_is_refused_or_read(void **state)
{
    static const uint32_t words[] = {0,          1,          4,
                                     0x7fffffff, 0x80000000, 0xfffffffc,
                                     0xffffffff, 0x40000000, 0x3fffffff};
    (void)state;
    for (uint32_t i = 0; i < MODEL_SAMPLE_COUNT; ++i) {
        berth_bytes file;
        mb *b = model_sample(i, &file);
        uint8_t *copy = exact_copy(file);
        for (size_t at = 0; at + 4 <= file.size; at += 2) {
            for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); ++w) {
                for (size_t k = 0; k < 4; ++k) {
                    copy[at + k] = (uint8_t)(words[w] >> (8 * k));
                }
                berth_diag diag;
                (void)model_open_and_walk((berth_bytes){copy, file.size},
                                          &diag);
            }
            memcpy(copy + at, file.data + at, 4);
        }
        free(copy);
        mb_free(b);
    }
}

static void a_header_without_a_model_is_damaged(void **state)
{
    (void)state;
    _Alignas(16) static const uint8_t head[8] = {0x18, 0,   0,   0,
                                                 'T',  'F', 'L', '3'};
    berth_diag diag;
    assert_int_equal(model_open_and_walk((berth_bytes){head, 8}, &diag),
                     BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "an offset points outside the file");
    assert_int_equal(diag.file_offset, 0);
}

static void an_empty_file_is_damaged(void **state)
{
    (void)state;
    size_t bytes = 7;
    berth_diag diag = berth_diag_none();
    assert_int_equal(berth_model_bytes((berth_bytes){NULL, 0}, &bytes, &diag),
                     BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "an empty file");
    assert_int_equal(bytes, 7);
    berth_work work = berth_work_of(NULL, 0);
    const berth_model *model = NULL;
    assert_int_equal(
        berth_model_init((berth_bytes){NULL, 0}, &work, &model, NULL),
        BERTH_BAD_MODEL);
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_samples_are_models),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_change_of_a_byte_is_refused_or_read),
        cmocka_unit_test(every_word_of_trouble_is_refused_or_read),
        cmocka_unit_test(a_header_without_a_model_is_damaged),
        cmocka_unit_test(an_empty_file_is_damaged),
    };
    return cmocka_run_group_tests_name("model, hostile", tests, NULL, NULL);
}

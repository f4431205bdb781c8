/* The reader of flexbuffer maps: real ones, every truncation, every byte
 * changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/flexmap.h"

/* What the flatbuffers package of PyPI writes for
 * {"count": -300, "flag": True, "half": 2.5, "most": 90000}. */
static const uint8_t sample[] = {
    0x63, 0x6f, 0x75, 0x6e, 0x74, 0x00, 0x66, 0x6c, 0x61, 0x67, 0x00,
    0x68, 0x61, 0x6c, 0x66, 0x00, 0x6d, 0x6f, 0x73, 0x74, 0x00, 0x04,
    0x16, 0x11, 0x0d, 0x09, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0xd4, 0xfe, 0xff, 0xff,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x40, 0x90, 0x5f, 0x01,
    0x00, 0x06, 0x6a, 0x0e, 0x0a, 0x14, 0x26, 0x01};

static berth_bytes whole(void)
{
    return (berth_bytes){sample, sizeof(sample)};
}

static void numbers_of_every_kind_are_found(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_true(berth_flexmap_int(whole(), "count", &value));
    assert_int_equal(value, -300);
    assert_true(berth_flexmap_int(whole(), "flag", &value));
    assert_int_equal(value, 1);
    assert_true(berth_flexmap_int(whole(), "half", &value));
    assert_int_equal(value, 2);
    assert_true(berth_flexmap_int(whole(), "most", &value));
    assert_int_equal(value, 90000);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    int64_t value = 77;
    assert_false(berth_flexmap_int(whole(), "coun", &value));
    assert_false(berth_flexmap_int(whole(), "counts", &value));
    assert_false(berth_flexmap_int(whole(), "", &value));
    assert_false(berth_flexmap_int((berth_bytes){NULL, 0}, "count", &value));
    assert_int_equal(value, 77);
}

/* A map of 16 bits: {"frame_size": 400, "frame_step": 160, "prefill": true}. */
static const uint8_t narrow[] = {
    'f',  'r', 'a', 'm', 'e', '_', 's', 'i', 'z', 'e', 0,   'f', 'r',
    'a',  'm', 'e', '_', 's', 't', 'e', 'p', 0,   'p', 'r', 'e', 'f',
    'i',  'l', 'l', 0,   3,   31,  21,  11,  0,   0, /* keys: count, offsets
                                                        back */
    5,    0,   1,   0,   3,   0, /* keys at, their width, count */
    0x90, 1,   160, 0,   1,   0, /* the values */
    5,    5,   105,              /* their types: int16, bool */
    9,    37,  1};               /* root: offset, map of 16 bits */

static void a_place_among_the_keys_is_as_good_as_a_key(void **state)
{
    static const int64_t expected[] = {400, 160, 1};
    const berth_bytes map = {narrow, sizeof(narrow)};
    int64_t value = 77;
    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        assert_true(berth_flexmap_at(map, i, &value));
        assert_int_equal(value, expected[i]);
    }
    assert_true(berth_flexmap_int(map, "frame_step", &value));
    assert_int_equal(value, 160);
    assert_false(berth_flexmap_at(map, 3, &value));
    assert_false(berth_flexmap_at(map, SIZE_MAX, &value));
    assert_false(berth_flexmap_int(map, "frame", &value));
    assert_int_equal(value, 160);
}

/* Exact copies, so that AddressSanitizer guards the ends. */
static void read_all_keys(const uint8_t *bytes, size_t size)
{
    static const char *const keys[] = {"count", "flag", "half", "most", "no"};
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        int64_t value = 0;
        (void)berth_flexmap_int((berth_bytes){copy, size}, keys[i], &value);
        (void)berth_flexmap_at((berth_bytes){copy, size}, i, &value);
    }
    free(copy);
}

static void every_truncation_is_harmless(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof(sample); ++size) {
        read_all_keys(sample, size);
        read_all_keys(sample + sizeof(sample) - size, size);
    }
    for (size_t size = 0; size <= sizeof(narrow); ++size) {
        read_all_keys(narrow + sizeof(narrow) - size, size);
    }
}

static void every_changed_byte_is_harmless(void **state)
{
    (void)state;
    uint8_t changed[sizeof(sample)];
    for (size_t at = 0; at < sizeof(sample); ++at) {
        for (int value = 0; value < 256; ++value) {
            memcpy(changed, sample, sizeof(sample));
            changed[at] = (uint8_t)value;
            read_all_keys(changed, sizeof(changed));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_kind_are_found),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(a_place_among_the_keys_is_as_good_as_a_key),
        cmocka_unit_test(every_truncation_is_harmless),
        cmocka_unit_test(every_changed_byte_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The two sums, against the examples that their standards give. */
#include "berth/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static berth_bytes bytes_of(const char *text)
{
    return (berth_bytes){(const uint8_t *)text, strlen(text)};
}

static void crc_of_known_texts(void **state)
{
    (void)state;
    assert_int_equal(berth_crc32(bytes_of("")), 0);
    assert_int_equal(berth_crc32(bytes_of("123456789")), 0xcbf43926u);
    assert_int_equal(
        berth_crc32(bytes_of("The quick brown fox jumps over the lazy dog")),
        0x414fa339u);
}

static void assert_sha(berth_bytes bytes, const char *hex)
{
    uint8_t hash[BERTH_SHA256_BYTES];
    char text[2 * BERTH_SHA256_BYTES + 1] = "";
    static const char digits[] = "0123456789abcdef";
    berth_sha256(bytes, hash);
    for (uint32_t i = 0; i < BERTH_SHA256_BYTES; ++i) {
        text[2 * i] = digits[hash[i] >> 4];
        text[2 * i + 1] = digits[hash[i] & 15u];
    }
    assert_string_equal(text, hex);
}

static void sha_of_the_standards_examples(void **state)
{
    (void)state;
    assert_sha(bytes_of(""), "e3b0c44298fc1c149afbf4c8996fb924"
                             "27ae41e4649b934ca495991b7852b855");
    assert_sha(bytes_of("abc"), "ba7816bf8f01cfea414140de5dae2223"
                                "b00361a396177a9cb410ff61f20015ad");
    assert_sha(
        bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* A million letters a: every block but the last is full. */
static void sha_of_a_long_message(void **state)
{
    (void)state;
    uint8_t *message = malloc(1000000);
    memset(message, 'a', 1000000);
    assert_sha((berth_bytes){message, 1000000},
               "cdc76e5c9914fb9281a1c7e284d73e67"
               "f1809a48a497200e046d39ccc7112cd0");
    free(message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_of_known_texts),
        cmocka_unit_test(sha_of_the_standards_examples),
        cmocka_unit_test(sha_of_a_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

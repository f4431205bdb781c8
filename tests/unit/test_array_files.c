/* Arrays as files: .npy in and out, raw bytes, pictures, and what is wrong with
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "berth/hosted/array.h"

static char folder[] = "/tmp/berth-array-XXXXXX";

static const char *place(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *out = fopen(place(name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

/* A version 1.0 file with any header and body. */
static void write_npy(const char *name, const char *header, const void *data,
                      size_t size)
{
    uint8_t bytes[1024] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const size_t length = strlen(header);
    bytes[8] = (uint8_t)(length & 255u);
    bytes[9] = (uint8_t)(length >> 8);
    memcpy(bytes + 10, header, length);
    memcpy(bytes + 10 + length, data, size);
    write_file(name, bytes, 10 + length + size);
}

static bool read_as(const char *name, berth_type type, berth_array *array,
                    berth_array_error *error)
{
    static berth_port port;
    static const int32_t dims[] = {2, 3};
    port = berth_port_of_libc();
    const berth_array_want want = {
        .type = type, .rank = 2, .dims = dims, .bytes = 24};
    return berth_array_read(&port, place(name), &want, NULL, array, error);
}

static void close_array(berth_array *array)
{
    berth_port port = berth_port_of_libc();
    berth_array_close(&port, array);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const berth_type types[] = {
        BERTH_FLOAT32, BERTH_FLOAT16,  BERTH_FLOAT64, BERTH_INT8,
        BERTH_INT16,   BERTH_INT32,    BERTH_INT64,   BERTH_UINT8,
        BERTH_BOOL,    BERTH_INT4,     BERTH_UINT16,  BERTH_UINT32,
        BERTH_UINT64,  BERTH_COMPLEX64};
    static const int32_t dims[] = {2, 3};
    uint8_t data[96];
    for (size_t i = 0; i < sizeof(data); ++i) {
        data[i] = (uint8_t)(i * 37u);
    }
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); ++t) {
        const size_t bytes = 6u * berth_type_bits(types[t]) / 8u;
        berth_array array;
        berth_array_error error;
        assert_int_equal(
            berth_array_write(place("a.npy"), types[t], 2, dims, data, bytes),
            0);
        assert_true(read_as("a.npy", types[t], &array, &error));
        assert_int_equal(array.rank, 2);
        assert_int_equal(array.dims[0], 2);
        assert_int_equal(array.dims[1], 3);
        assert_int_equal(array.bytes, bytes);
        assert_memory_equal(array.data, data, bytes);
        close_array(&array);
    }
    assert_int_not_equal(
        berth_array_write(place("s.npy"), BERTH_STRING, 2, dims, data, 4), 0);
    assert_int_not_equal(access(place("s.npy"), F_OK), 0);
}

static void ranks_of_every_kind(void **state)
{
    (void)state;
    static const int32_t dims[] = {1, 1, 1, 1, 1, 1, 1, 1};
    const float value = 2.5f;
    for (uint32_t rank = 0; rank <= 8; ++rank) {
        berth_array array;
        berth_array_error error;
        assert_int_equal(berth_array_write(place("r.npy"), BERTH_FLOAT32, rank,
                                           dims, (const uint8_t *)&value, 4),
                         0);
        assert_true(read_as("r.npy", BERTH_FLOAT32, &array, &error));
        assert_int_equal(array.rank, rank);
        assert_memory_equal(array.data, &value, 4);
        close_array(&array);
    }
}

static void refuses(const char *header, size_t size, const char *what)
{
    static const uint8_t body[64] = {0};
    berth_array array;
    berth_array_error error;
    write_npy("bad.npy", header, body, size);
    if (read_as("bad.npy", BERTH_FLOAT32, &array, &error)) {
        close_array(&array);
        fail_msg("taken: %s", header);
    }
    if (strstr(error.what, what) == NULL) {
        fail_msg("%s: \"%s\", not \"%s\"", header, error.what, what);
    }
    assert_null(array.data);
}

static void bad_headers_are_refused(void **state)
{
    (void)state;
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)", 24,
            "not the header");
    refuses("{'descr': '<f4', 'fortran_order': False}", 24, "not the header");
    refuses("{'descr': '<f4', 'shape': (2, 3)}", 24, "not the header");
    refuses("{'fortran_order': False, 'shape': (2, 3)}", 24, "not the header");
    refuses("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24,
            "Fortran");
    refuses("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}", 24,
            "big-endian");
    refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", 24,
            "another type");
    refuses("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", 24,
            "another type");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 23,
            "as many bytes");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 25,
            "as many bytes");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}", 24,
            "not the header");
    refuses("{'descr': '<f4', 'fortran_order': False, "
            "'shape': (2147483647, 2147483647, 2147483647)}",
            24, "more bytes than");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}",
            24, "not the header");
    refuses("{'descr': '<f4', 'evil': 1, 'fortran_order': False, 'shape': ()}",
            4, "not the header");
    refuses("", 0, "");
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    static const int32_t dims[] = {2, 3};
    const float data[6] = {1, 2, 3, 4, 5, 6};
    uint8_t whole[512];
    assert_int_equal(berth_array_write(place("w.npy"), BERTH_FLOAT32, 2, dims,
                                       (const uint8_t *)data, sizeof(data)),
                     0);
    FILE *in = fopen(place("w.npy"), "rb");
    const size_t size = fread(whole, 1, sizeof(whole), in);
    (void)fclose(in);
    for (size_t cut = 6; cut < size; ++cut) {
        berth_array array;
        berth_array_error error;
        write_file("cut.npy", whole, cut);
        assert_false(read_as("cut.npy", BERTH_FLOAT32, &array, &error));
    }
}

static void raw_bytes_must_be_as_many(void **state)
{
    (void)state;
    static const uint8_t body[25] = {7, 8, 9};
    berth_array array;
    berth_array_error error;
    write_file("raw", body, 24);
    assert_true(read_as("raw", BERTH_FLOAT32, &array, &error));
    assert_false(array.has_shape);
    close_array(&array);
    write_file("raw", body, 25);
    assert_false(read_as("raw", BERTH_FLOAT32, &array, &error));
    assert_int_equal(error.needed, 24);
    assert_int_equal(error.given, 25);
    assert_false(read_as("nowhere", BERTH_FLOAT32, &array, &error));
    assert_int_not_equal(error.os_error, 0);
}

/* A 1 x 1 red PNG. */
static const uint8_t red_png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
    0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
    0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00,
    0x0c, 0x49, 0x44, 0x41, 0x54, 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xdd, 0x8d, 0xb0, 0x00, 0x00, 0x00,
    0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static void a_picture_fills_the_tensor(void **state)
{
    (void)state;
    static const int32_t dims[] = {1, 2, 2, 3};
    berth_port port = berth_port_of_libc();
    berth_array array;
    berth_array_error error;
    berth_array_want want = {
        .type = BERTH_INT8, .rank = 4, .dims = dims, .bytes = 12};
    write_file("red.png", red_png, sizeof(red_png));
    assert_true(
        berth_array_read(&port, place("red.png"), &want, NULL, &array, &error));
    for (size_t i = 0; i < 12; ++i) {
        assert_int_equal((int8_t)array.data[i], i % 3 == 0 ? 127 : -128);
    }
    berth_array_close(&port, &array);
    const berth_normalisation how = {{127.5f}, {127.5f}, 1};
    want.type = BERTH_FLOAT32;
    want.bytes = 48;
    assert_true(
        berth_array_read(&port, place("red.png"), &want, &how, &array, &error));
    for (size_t i = 0; i < 12; ++i) {
        float value = 0;
        memcpy(&value, array.data + i * 4, 4);
        assert_true(value == (i % 3 == 0 ? 1.0f : -1.0f));
    }
    berth_array_close(&port, &array);
    write_file("cut.png", red_png, 30);
    assert_false(
        berth_array_read(&port, place("cut.png"), &want, &how, &array, &error));
    want.rank = 2;
    assert_false(
        berth_array_read(&port, place("red.png"), &want, &how, &array, &error));
    assert_int_equal(port.lent_bytes, 0);
}

/* The worked example of the goldens' README. */
static void seeds_give_the_known_numbers(void **state)
{
    (void)state;
    static const int8_t bytes[8] = {-36, 100, -101, 28, 34, -19, 51, -116};
    static const uint32_t floats[3] = {0x3ebe8d64u, 0xbf46659au, 0xbef233f0u};
    int8_t got[8];
    uint32_t bits[3];
    assert_true(
        berth_array_seed("mcunet/mcunet-320kb-1mb_imagenet.tflite#0#0#0",
                         BERTH_INT8, 8, (uint8_t *)got));
    assert_memory_equal(got, bytes, 8);
    assert_true(
        berth_array_seed("ai-edge-quantizer/branching_conv_fc.tflite#0#0#0",
                         BERTH_FLOAT32, 3, (uint8_t *)bits));
    assert_memory_equal(bits, floats, sizeof(floats));
    assert_false(berth_array_seed("x", BERTH_STRING, 1, (uint8_t *)got));
}

static void differences_are_counted(void **state)
{
    (void)state;
    const float a[4] = {1.0f, 2.0f, 0.0f / 1.0f, 100.0f};
    const float b[4] = {1.0f, 2.001f, 0.0f, 100.0f};
    berth_difference d = berth_array_compare(
        BERTH_FLOAT32, 4, (const uint8_t *)a, (const uint8_t *)b, 1e-4);
    assert_int_equal(d.count, 0); /* 1e-4 of the largest, 100 */
    d = berth_array_compare(BERTH_FLOAT32, 4, (const uint8_t *)a,
                            (const uint8_t *)b, 1e-6);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.first, 1);
    const int64_t big[2] = {INT64_C(1) << 60, 5};
    const int64_t near[2] = {(INT64_C(1) << 60) + 1, 5};
    d = berth_array_compare(BERTH_INT64, 2, (const uint8_t *)big,
                            (const uint8_t *)near, 1.0);
    assert_int_equal(d.count, 1);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.npy",   "r.npy",   "bad.npy",
                                        "w.npy",   "cut.npy", "raw",
                                        "red.png", "cut.png"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        (void)unlink(place(names[i]));
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(ranks_of_every_kind),
        cmocka_unit_test(bad_headers_are_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(raw_bytes_must_be_as_many),
        cmocka_unit_test(a_picture_fills_the_tensor),
        cmocka_unit_test(seeds_give_the_known_numbers),
        cmocka_unit_test(differences_are_counted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

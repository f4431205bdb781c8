/* Text for compilers, made of hostile names; and memory that may run out
 * anywhere on the way there. */
#include "berth/hosted/firmware.h"
#include "model_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- names ------------------------------------------------------------------
 */

static void assert_name(const char *path, const char *expected)
{
    char name[24];
    berth_firmware_name(path, name, sizeof(name));
    assert_string_equal(name, expected);
}

static void a_path_becomes_an_identifier(void **state)
{
    (void)state;
    assert_name("models/vww_96_int8.tflite", "vww_96_int8");
    assert_name("VWW.TFLITE", "vww");
    assert_name("a.b.c", "a_b");
    assert_name("/a/b/", "model");
    assert_name("", "model");
    assert_name(".hidden", "hidden");
    assert_name("__a--b__.x", "a_b");
    assert_name("1.x", "1");
    assert_name("\xc3\xbc.x", "model");
    assert_name("a\n\"*/b.x", "b");
    assert_name("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuv");
}

/* --- a model with such names ------------------------------------------------
 */

static const char hostile[] = "a*/b\n\"\\\x01\xff?\?/7";

/* Input and output bear the name; an operator of the user's own does, too. */
static mb *hostile_model(void)
{
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, hostile);
    const mb_tensor_spec spec = {
        .name = hostile, .type = BERTH_INT8, .shape = MB_INTS(64)};
    const int32_t x = mb_tensor(b, g, spec);
    const int32_t y = mb_tensor(b, g, spec);
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_CUSTOM,
                       .custom_name = hostile,
                       .inputs = MB_INTS(x),
                       .outputs = MB_INTS(y)});
    mb_io(b, g, MB_INTS(x, x), MB_INTS(y));
    return b;
}

/* A file of the bytes, opened; removed at once. */
static void load_bytes(berth_port *port, berth_bytes bytes,
                       berth_loaded *loaded)
{
    char path[] = "/tmp/berth-test-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.size), (ssize_t)bytes.size);
    (void)close(fd);
    berth_load_error error;
    assert_int_equal(berth_load(port, path, loaded, &error), BERTH_OK);
    (void)unlink(path);
}

static char *text_of(const berth_firmware_text *text,
                     void (*print)(const berth_firmware_text *, FILE *))
{
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    print(text, out);
    (void)fclose(out);
    assert_int_equal(strlen(printed), size);
    return printed;
}

static void hostile_names_stay_in_their_quotes(void **state)
{
    (void)state;
    mb *b = hostile_model();
    berth_port port = berth_port_of_libc();
    berth_loaded loaded;
    berth_firmware firmware;
    berth_load_error error;
    const berth_firmware_options options = {.bake = {.in_place = true}};
    load_bytes(&port, mb_finish(b), &loaded);
    assert_int_equal(berth_firmware_make(&loaded, &options, &firmware, &error),
                     BERTH_OK);
    const berth_firmware_text text =
        berth_firmware_text_of(&firmware, "x", hostile);
    char *header = text_of(&text, berth_firmware_header);
    assert_non_null(strstr(header, "#define BERTH_X_INPUT_0_NAME "
                                   "\"a*/b\\012\\042\\134\\001\\377\\077\\077/"
                                   "7\"\n"));
    assert_non_null(strstr(header, "/* a\\x2a/b\\x0a\"\\x5c\\x01\\xff\\x3f\\x3f"
                                   "/7 */"));
    assert_non_null(strstr(header, "TFLM has no operator a\\x2a/b"));
    for (const char *c = header; *c != '\0'; ++c) {
        assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    }
    char *array = text_of(&text, berth_firmware_array);
    assert_non_null(strstr(array, "from a\\x2a/b\\x0a\"\\x5c\\x01\\xff"));
    free(array);
    free(header);
    berth_firmware_close(&firmware);
    berth_unload(&loaded);
    mb_free(b);
}

/* Such files come from compilers for accelerators, whose commands know the
 * addresses that the plan gives. */
static void a_plan_for_unknown_operators_is_not_replaced(void **state)
{
    (void)state;
    static const int32_t plan[] = {0, 1, 2, 0, 640};
    mb *b = hostile_model();
    mb_metadata(b, "OfflineMemoryAllocation", plan, sizeof(plan));
    berth_port port = berth_port_of_libc();
    berth_loaded loaded;
    berth_firmware firmware;
    berth_load_error error;
    const berth_firmware_options options = {.bake = {.in_place = false}};
    load_bytes(&port, mb_finish(b), &loaded);
    assert_int_equal(berth_firmware_make(&loaded, &options, &firmware, &error),
                     BERTH_UNSUPPORTED);
    assert_non_null(strstr(error.diag.what, "may depend on it"));
    berth_unload(&loaded);
    mb_free(b);
}

/* --- memory -----------------------------------------------------------------
 */

typedef struct limited {
    uint32_t left; /* takes until the one that fails */
    uint32_t lent; /* not yet given back */
} limited;

static void *take_some(void *self, size_t bytes)
{
    limited *l = self;
    if (l->left == 0) {
        return NULL;
    }
    --l->left;
    ++l->lent;
    return aligned_alloc(16, (bytes + 16) / 16 * 16);
}

static void give_some(void *self, void *memory)
{
    limited *l = self;
    --l->lent;
    free(memory);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    int32_t last = -1;
    static const int32_t sizes[] = {27648, 18432, 18432, 36864, 9216};
    int32_t t[5];
    for (uint32_t i = 0; i < 5; ++i) {
        t[i] = mb_tensor(b, g,
                         (mb_tensor_spec){.name = "t",
                                          .type = BERTH_INT8,
                                          .shape = MB_INTS(sizes[i])});
        if (last >= 0) {
            mb_op(b, g,
                  (mb_op_spec){.code = BERTH_OP_RELU,
                               .inputs = MB_INTS(last),
                               .outputs = MB_INTS(t[i])});
        }
        last = t[i];
    }
    mb_io(b, g, MB_INTS(t[0]), MB_INTS(last));
    const berth_bytes file = mb_finish(b);
    const berth_firmware_options options = {.bake = {.in_place = false}};
    uint32_t failures = 0;
    for (uint32_t takes = 0;; ++takes) {
        limited l = {.left = UINT32_MAX};
        berth_port port = {.self = &l, .take = take_some, .give = give_some};
        berth_loaded loaded;
        berth_firmware firmware;
        berth_load_error error;
        load_bytes(&port, file, &loaded);
        const uint32_t of_loading = l.lent;
        l.left = takes;
        const berth_status status =
            berth_firmware_make(&loaded, &options, &firmware, &error);
        const bool done = status == BERTH_OK;
        if (done) {
            assert_true(firmware.gains && firmware.sound);
            assert_int_equal(firmware.after.head_bytes, 55296);
            berth_firmware_close(&firmware);
        } else {
            assert_int_equal(status, BERTH_NO_SPACE);
            assert_true(error.os_error != 0);
            ++failures;
        }
        assert_int_equal(l.lent, of_loading);
        berth_firmware_close(&firmware); /* idempotent */
        berth_unload(&loaded);
        assert_int_equal(l.lent, 0);
        if (done) {
            break;
        }
    }
    assert_true(failures >= 8);
    mb_free(b);
}

/* --- files ------------------------------------------------------------------
 */

static void a_file_is_whole_or_not_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/berth-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    (void)snprintf(path, sizeof(path), "%s/out", folder);
    berth_save save;

    assert_int_equal(berth_save_begin(path, &save), 0);
    (void)fputs("half", save.out);
    assert_int_not_equal(access(path, F_OK), 0);
    berth_save_drop(&save);
    assert_int_not_equal(access(path, F_OK), 0);

    assert_int_equal(berth_save_begin(path, &save), 0);
    (void)fputs("whole", save.out);
    assert_int_equal(berth_save_finish(&save), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(berth_save_move(&save), 0);
    assert_int_equal(access(path, F_OK), 0);
    berth_save_drop(&save);
    berth_save_drop(&save);
    assert_int_equal(access(path, F_OK), 0);

    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing is left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_becomes_an_identifier),
        cmocka_unit_test(hostile_names_stay_in_their_quotes),
        cmocka_unit_test(a_plan_for_unknown_operators_is_not_replaced),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_file_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Files of many gigabytes, and small ones that claim to be: sparse files that
 * are mapped, and parts that are shared so often that walking them all would
 * never end. */
#include "model_builder.h"
#include "model_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define GIB ((uint64_t)1 << 30)

/* --- sparse files ------------------------------------------------------------
 */

typedef struct mapped {
    FILE *file;
    uint8_t *data;
    size_t size;
} mapped;

/* A file of that size, all zeros, mapped for writing. */
static mapped map_sparse(uint64_t size)
{
    mapped m = {.file = tmpfile(), .size = (size_t)size};
    if (sizeof(size_t) < 8) {
        skip();
    }
    assert_non_null(m.file);
    if (ftruncate(fileno(m.file), (off_t)size) != 0) {
        print_message("no room for a sparse file of %llu bytes\n",
                      (unsigned long long)size);
        skip();
    }
    void *at = mmap(NULL, m.size, PROT_READ | PROT_WRITE, MAP_SHARED,
                    fileno(m.file), 0);
    assert_true(at != MAP_FAILED);
    m.data = at;
    return m;
}

static void unmap(mapped *m)
{
    assert_int_equal(munmap(m->data, m->size), 0);
    assert_int_equal(fclose(m->file), 0);
}

static berth_status open_mapped(const mapped *m, berth_diag *diag)
{
    return model_open_and_walk((berth_bytes){m->data, m->size}, diag);
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void four_gigabytes_of_nothing_are_no_model(void **state)
{
    (void)state;
    mapped m = map_sparse(4 * GIB);
    berth_diag diag;
    assert_int_equal(open_mapped(&m, &diag), BERTH_BAD_MODEL);
    assert_string_equal(diag.what, "not a .tflite model");
    unmap(&m);
}

static void a_head_before_nothing_is_damaged_wherever_it_points(void **state)
{
    static const uint32_t roots[] = {8,          24,         0x7ffffff0,
                                     0x80000000, 0xfffffff0, 0xfffffffb,
                                     0xfffffffc, 0xffffffff};
    (void)state;
    mapped m = map_sparse(4 * GIB + 4096);
    memcpy(m.data + 4, "TFL3", 4);
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); ++i) {
        put32(m.data, roots[i]);
        berth_diag diag;
        assert_int_equal(open_mapped(&m, &diag), BERTH_BAD_MODEL);
        assert_true(diag.file_offset <= UINT32_MAX);
    }
    unmap(&m);
}

/* A model whose constants lie behind the structure, at those offsets. */
static berth_bytes build_apart(mb *b, const uint64_t *offsets, uint32_t count)
{
    (void)mb_subgraph(b, "main");
    for (uint32_t i = 0; i < count; ++i) {
        (void)mb_tensor(
            b, 0,
            (mb_tensor_spec){.type = BERTH_UINT8,
                             .shape = MB_INTS(16),
                             .buffer = mb_buffer_claimed(b, offsets[i], 16)});
    }
    return mb_finish(b);
}

static void constants_beyond_two_and_four_gigabytes_are_read(void **state)
{
    static const uint64_t offsets[] = {2 * GIB - 8, 3 * GIB, 4 * GIB - 8,
                                       5 * GIB, 6 * GIB - 16};
    enum { COUNT = sizeof(offsets) / sizeof(offsets[0]) };
    (void)state;
    mb *b = mb_new();
    const berth_bytes head = build_apart(b, offsets, COUNT);
    mapped m = map_sparse(6 * GIB);
    memcpy(m.data, head.data, head.size);
    for (uint32_t i = 0; i < COUNT; ++i) {
        memset(m.data + offsets[i], (int)(i + 1), 16);
    }
    const berth_bytes file = {m.data, m.size};
    berth_diag diag;
    assert_int_equal(open_mapped(&m, &diag), BERTH_OK);

    size_t need = 0;
    assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
    void *memory = malloc(need);
    berth_work work = berth_work_of(memory, need);
    const berth_model *model = NULL;
    assert_int_equal(berth_model_init(file, &work, &model, NULL), BERTH_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        const berth_bytes data = berth_model_tensor(model, 0, i).data;
        assert_ptr_equal(data.data, m.data + offsets[i]);
        assert_int_equal(data.size, 16);
        assert_int_equal(data.data[0] + data.data[15], 2 * (i + 1));
    }
    free(memory);
    mb_free(b);

    /* One byte less, and the last of them does not fit. */
    m.size -= 1;
    assert_int_equal(open_mapped(&m, &diag), BERTH_BAD_MODEL);
    assert_string_equal(diag.what,
                        "bytes stored by offset and size lie outside the file");
    m.size += 1;
    unmap(&m);
}

/* A vector inside the structure may itself be longer than 2 GB. */
static void a_constant_of_more_than_two_gigabytes_is_read(void **state)
{
    enum { MEGABYTES = 2500, MEGABYTE = 1 << 20 };
    const uint64_t wanted = (uint64_t)MEGABYTES * MEGABYTE;
    (void)state;
    mb *b = mb_new();
    (void)mb_subgraph(b, "main");
    (void)mb_tensor(b, 0,
                    (mb_tensor_spec){.type = BERTH_INT8,
                                     .shape = MB_INTS(MEGABYTES, MEGABYTE),
                                     .data = "the last thing in the file",
                                     .data_bytes = 26});
    const berth_bytes head = mb_finish(b);
    mapped m = map_sparse(3 * GIB);
    memcpy(m.data, head.data, head.size);
    berth_diag diag;
    assert_int_equal(open_mapped(&m, &diag), BERTH_BAD_MODEL);
    assert_true(diag.needed_bytes == wanted);
    /* The diag leads to the bytes, and their count stands before them. */
    uint8_t *count = m.data + diag.file_offset - 4;
    put32(count, (uint32_t)wanted);
    assert_int_equal(open_mapped(&m, &diag), BERTH_OK);
    put32(count, (uint32_t)(3 * GIB) - 8);
    assert_int_equal(open_mapped(&m, &diag), BERTH_BAD_MODEL);
    mb_free(b);
    unmap(&m);
}

/* --- shared parts
 * --------------------------------------------------------------- */

/* A file that is written by hand, since no builder makes these. */
typedef struct raw {
    uint8_t *data;
    uint32_t size;
} raw;

static uint32_t add32(raw *r, uint32_t value)
{
    put32(r->data + r->size, value);
    r->size += 4;
    return r->size - 4;
}

static void point(raw *r, uint32_t at, uint32_t target)
{
    put32(r->data + at, target - at);
}

/* A table of `slots` four-byte fields, behind its vtable; returns where it
 * starts. Field i lies at that + 4 + 4 * i. */
static uint32_t add_table(raw *r, uint32_t slots)
{
    const uint32_t vtable = r->size;
    (void)add32(r, (4 + 2 * slots) | (4 + 4 * slots) << 16);
    for (uint32_t i = 0; i < slots; i += 2) {
        (void)add32(r, (4 + 4 * i) | (8 + 4 * i) << 16);
    }
    const uint32_t table = r->size;
    (void)add32(r, table - vtable);
    for (uint32_t i = 0; i < slots; ++i) {
        (void)add32(r, 0);
    }
    return table;
}

/* A vector of count children, all of them the table that comes next: its
 * vtable has `slots` entries. */
static uint32_t add_sharing(raw *r, uint32_t hole, uint32_t count,
                            uint32_t slots)
{
    point(r, hole, add32(r, count));
    const uint32_t first = r->size;
    r->size += 4 * count;
    const uint32_t table = add_table(r, slots);
    for (uint32_t i = 0; i < count; ++i) {
        point(r, first + 4 * i, table);
    }
    return table;
}

/* subgraphs offsets to one subgraph, in which `ops` offsets lead to one
 * operator with `inputs` inputs. All vectors that are not named are one of
 * length 0 at the end. */
static raw build_sharing(uint32_t subgraphs, uint32_t ops, uint32_t inputs)
{
    raw r = {.data = calloc(1, 4096 + 4 * (size_t)(subgraphs + ops + inputs))};
    assert_non_null(r.data);
    (void)add32(&r, 0);
    memcpy(r.data + 4, "TFL3", 4);
    r.size = 8;
    const uint32_t model = add_table(&r, 4);
    point(&r, 0, model);
    put32(r.data + model + 4, 3); /* version */
    const uint32_t code = add_sharing(&r, model + 8, 1, 0);
    (void)code;
    const uint32_t subgraph = add_sharing(&r, model + 12, subgraphs, 4);
    const uint32_t op = add_sharing(&r, subgraph + 16, ops, 4);
    /* The fourth field of an operator is a tag of one byte: 0. */
    point(&r, op + 8, add32(&r, inputs));
    for (uint32_t i = 0; i < inputs; ++i) {
        (void)add32(&r, UINT32_MAX); /* absent */
    }
    const uint32_t empty = add32(&r, 0);
    point(&r, model + 16, empty);
    point(&r, subgraph + 4, empty);
    point(&r, subgraph + 8, empty);
    point(&r, subgraph + 12, empty);
    point(&r, op + 12, empty);
    return r;
}

static void sharing_in_measure_is_read(void **state)
{
    static const uint32_t counts[][3] = {
        {1, 1, 0}, {1, 1, 1000}, {1, 1000, 1}, {100, 1, 1}, {2, 500, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        raw r = build_sharing(counts[i][0], counts[i][1], counts[i][2]);
        berth_diag diag;
        const berth_status status =
            model_open_and_walk((berth_bytes){r.data, r.size}, &diag);
        if (status != BERTH_OK) {
            print_error("row %zu: %s at %llu\n", i, diag.what,
                        (unsigned long long)diag.file_offset);
        }
        assert_int_equal(status, BERTH_OK);
        free(r.data);
    }
}

/* If the walk were not measured, each of these would take hours. */
static void sharing_beyond_measure_is_refused(void **state)
{
    static const uint32_t counts[][3] = {{1000000, 1000000, 0},
                                         {1, 1000000, 1000000},
                                         {1000000, 1, 1000000},
                                         {700000, 700000, 700000},
                                         {50, 50, 50}};
    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        raw r = build_sharing(counts[i][0], counts[i][1], counts[i][2]);
        berth_diag diag;
        assert_int_equal(
            model_open_and_walk((berth_bytes){r.data, r.size}, &diag),
            BERTH_BAD_MODEL);
        assert_string_equal(diag.what,
                            "parts are shared so often that reading them all "
                            "would take too long");
        free(r.data);
    }
}

/* A chain of calls costs no stack, and neither does its search for circles. */
static void a_long_chain_of_calls_is_read(void **state)
{
    enum { LENGTH = 20000 };
    (void)state;
    for (int is_circle = 0; is_circle < 2; ++is_circle) {
        mb *b = mb_new();
        for (uint32_t i = 0; i < LENGTH; ++i) {
            (void)mb_subgraph(b, NULL);
        }
        const uint32_t callers = is_circle ? LENGTH : LENGTH - 1;
        for (uint32_t i = 0; i < callers; ++i) {
            mb_op(
                b, i,
                (mb_op_spec){.code = BERTH_OP_CALL_ONCE,
                             .options = MB_OPTIONS(
                                 {BERTH_OPT_CallOnceOptions_init_subgraph_index,
                                  .value = (i + 1) % LENGTH})});
        }
        berth_diag diag;
        assert_int_equal(model_open_and_walk(mb_finish(b), &diag),
                         is_circle ? BERTH_BAD_MODEL : BERTH_OK);
        assert_int_equal(diag.subgraph, is_circle ? LENGTH - 1 : BERTH_NONE);
        mb_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_gigabytes_of_nothing_are_no_model),
        cmocka_unit_test(a_head_before_nothing_is_damaged_wherever_it_points),
        cmocka_unit_test(constants_beyond_two_and_four_gigabytes_are_read),
        cmocka_unit_test(a_constant_of_more_than_two_gigabytes_is_read),
        cmocka_unit_test(sharing_in_measure_is_read),
        cmocka_unit_test(sharing_beyond_measure_is_refused),
        cmocka_unit_test(a_long_chain_of_calls_is_read),
    };
    return cmocka_run_group_tests_name("model, large", tests, NULL, NULL);
}

/* A plan as a file: written, read back, and every way to spoil it. */
#include "berth/plan_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 4 };

static const berth_span spans[ITEMS] = {{0, 2}, {1, 3}, {2, 4}, {0, 4}};
static const berth_item items[ITEMS] = {
    {64, BERTH_NOWHERE, 16, 0, 1, 1, 0},
    {32, BERTH_NOWHERE, 16, 1, 1, 1, 0},
    {64, BERTH_NOWHERE, 16, 2, 1, 1, 0},
    {16, BERTH_NOWHERE, 16, 3, 1, 1, BERTH_ITEM_SCRATCH}};
static const berth_problem problem = {.items = items,
                                      .spans = spans,
                                      .item_count = ITEMS,
                                      .span_count = ITEMS,
                                      .step_count = 4};
static const uint32_t keys[ITEMS] = {3, 5, 8, BERTH_NONE};

static berth_plan_tag tag_of_test(void)
{
    berth_plan_tag tag = {.maker = BERTH_PLAN_FOR_TFLM, .share = 1};
    for (uint32_t i = 0; i < BERTH_SHA256_BYTES; ++i) {
        tag.model_hash[i] = (uint8_t)(i * 9 + 1);
    }
    memcpy(tag.kernels, "reference@2026.08/pypi", 22);
    return tag;
}

typedef struct written {
    uint64_t offset[ITEMS];
    berth_plan plan;
    berth_plan_tag tag;
    uint8_t *memory;
    berth_bytes file;
} written;

static written write_one(void)
{
    written w = {.tag = tag_of_test()};
    size_t need = 0;
    assert_int_equal(berth_plan_bytes(&problem, NULL, &need, NULL), BERTH_OK);
    void *solver = malloc(need);
    w.plan.offset = w.offset;
    assert_int_equal(berth_plan_solve(&problem, NULL,
                                      berth_work_of(solver, need), &w.plan,
                                      NULL),
                     BERTH_OK);
    free(solver);
    assert_int_equal(berth_plan_file_bytes(ITEMS, &need, NULL), BERTH_OK);
    w.memory = malloc(need);
    berth_work work = berth_work_of(w.memory, need);
    assert_int_equal(berth_plan_file_write(&problem, keys, &w.plan, &w.tag,
                                           &work, &w.file, NULL),
                     BERTH_OK);
    w.plan.offset = NULL; /* it points into this frame */
    return w;
}

static berth_status read_one(berth_bytes file, const berth_plan_tag *tag,
                             uint64_t *offset, uint64_t *peak, berth_diag *diag)
{
    size_t need = 0;
    assert_int_equal(berth_plan_file_read_bytes(&problem, &need, NULL),
                     BERTH_OK);
    void *memory = malloc(need);
    berth_plan plan = {.offset = offset};
    const berth_status status = berth_plan_file_read(
        file, tag, &problem, keys, berth_work_of(memory, need), &plan, diag);
    *peak = plan.peak;
    free(memory);
    return status;
}

static void a_written_plan_is_read_back(void **state)
{
    (void)state;
    written w = write_one();
    uint64_t offset[ITEMS] = {0};
    uint64_t peak = 0;
    berth_plan_tag tag;
    assert_int_equal(w.file.size, 96 + 20 * ITEMS + 4);
    assert_int_equal(berth_plan_file_tag(w.file, &tag, NULL), BERTH_OK);
    assert_memory_equal(tag.model_hash, w.tag.model_hash, BERTH_SHA256_BYTES);
    assert_string_equal(tag.kernels, "reference@2026.08/pypi");
    assert_int_equal(tag.maker, BERTH_PLAN_FOR_TFLM);
    assert_int_equal(tag.share, 1);
    assert_int_equal(read_one(w.file, &w.tag, offset, &peak, NULL), BERTH_OK);
    assert_memory_equal(offset, w.offset, sizeof(offset));
    assert_int_equal(peak, w.plan.peak);
    free(w.memory);
}

/* The bytes of docs/plan-file.md, spelled out. */
static void the_bytes_are_those_of_the_document(void **state)
{
    (void)state;
    written w = write_one();
    const uint8_t *f = w.file.data;
    assert_memory_equal(f,
                        "\x89"
                        "BPLN\r\n",
                        8);
    assert_memory_equal(f + 8, "\1\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0", 16);
    assert_int_equal(f[24] | f[25] << 8, w.plan.peak);
    assert_memory_equal(f + 32, w.tag.model_hash, 32);
    assert_memory_equal(f + 64, w.tag.kernels, 32);
    assert_int_equal(f[96] | f[97] << 8, w.offset[0]);
    assert_memory_equal(f + 96 + 8, "\x40\0\0\0\0\0\0\0\3\0\0\0", 12);
    assert_memory_equal(f + 96 + 60 + 8, "\x10\0\0\0\0\0\0\0\xff\xff\xff\xff",
                        12);
    free(w.memory);
}

static void every_truncation_and_every_changed_byte_is_refused(void **state)
{
    (void)state;
    written w = write_one();
    uint64_t offset[ITEMS];
    uint64_t peak = 0;
    for (size_t size = 0; size < w.file.size; ++size) {
        uint8_t *exact = malloc(size == 0 ? 1 : size);
        memcpy(exact, w.file.data, size);
        memset(offset, 0x55, sizeof(offset));
        assert_int_equal(
            read_one((berth_bytes){exact, size}, &w.tag, offset, &peak, NULL),
            BERTH_BAD_MODEL);
        assert_true(offset[0] == UINT64_C(0x5555555555555555));
        free(exact);
    }
    uint8_t *copy = malloc(w.file.size);
    for (size_t at = 0; at < w.file.size; ++at) {
        for (uint32_t bit = 0; bit < 8; ++bit) {
            memcpy(copy, w.file.data, w.file.size);
            copy[at] ^= (uint8_t)(1u << bit);
            const berth_status status = read_one(
                (berth_bytes){copy, w.file.size}, &w.tag, offset, &peak, NULL);
            assert_true(status == BERTH_BAD_MODEL ||
                        status == BERTH_UNSUPPORTED);
        }
    }
    free(copy);
    free(w.memory);
}

/* A byte changed and the checksum made anew: the judges' turn. */
static void a_forged_file_gives_a_right_plan_or_none(void **state)
{
    (void)state;
    written w = write_one();
    uint8_t *copy = malloc(w.file.size);
    const size_t sum = w.file.size - 4;
    uint32_t right = 0;
    for (size_t at = 0; at < sum; ++at) {
        for (uint32_t value = 0; value < 256; ++value) {
            memcpy(copy, w.file.data, w.file.size);
            copy[at] = (uint8_t)value;
            const uint32_t crc = berth_crc32((berth_bytes){copy, sum});
            for (uint32_t i = 0; i < 4; ++i) {
                copy[sum + i] = (uint8_t)(crc >> (8 * i));
            }
            uint64_t offset[ITEMS];
            uint64_t peak = 0;
            if (read_one((berth_bytes){copy, w.file.size}, &w.tag, offset,
                         &peak, NULL) == BERTH_OK) {
                /* Only the byte as it was, or a move into idle bytes. */
                assert_true(value == w.file.data[at] || at >= 96);
                assert_int_equal(peak, w.plan.peak);
                ++right;
            }
        }
    }
    assert_true(right >= sum);
    free(copy);
    free(w.memory);
}

static void a_plan_of_something_else_is_named(void **state)
{
    (void)state;
    written w = write_one();
    uint64_t offset[ITEMS];
    uint64_t peak = 0;
    berth_diag diag = berth_diag_none();
    berth_plan_tag other = w.tag;
    other.model_hash[31] ^= 1;
    assert_int_equal(read_one(w.file, &other, offset, &peak, &diag),
                     BERTH_BAD_ARG);
    assert_string_equal(diag.what, "a plan of another model");
    other = w.tag;
    other.kernels[0] = 'R';
    assert_int_equal(read_one(w.file, &other, offset, &peak, &diag),
                     BERTH_BAD_ARG);
    assert_string_equal(diag.what, "a plan for other kernels");
    other = w.tag;
    other.share = 0;
    assert_int_equal(read_one(w.file, &other, offset, &peak, &diag),
                     BERTH_BAD_ARG);
    assert_string_equal(diag.what, "a plan of another kind");
    free(w.memory);
}

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    written w = write_one();
    size_t need = 0;
    assert_int_equal(berth_plan_file_bytes(ITEMS, &need, NULL), BERTH_OK);
    berth_plan plan = {.offset = w.offset, .peak = w.plan.peak};
    for (size_t lent = 0; lent < need; ++lent) {
        uint8_t *memory = malloc(lent == 0 ? 1 : lent);
        berth_work work = berth_work_of(memory, lent);
        berth_bytes file = {NULL, 7};
        berth_diag diag = berth_diag_none();
        assert_int_equal(berth_plan_file_write(&problem, keys, &plan, &w.tag,
                                               &work, &file, &diag),
                         BERTH_NO_SPACE);
        assert_int_equal(diag.needed_bytes, need);
        assert_ptr_equal(work.next, memory);
        assert_int_equal(file.size, 7);
        free(memory);
    }
    assert_int_equal(berth_plan_file_read_bytes(&problem, &need, NULL),
                     BERTH_OK);
    for (size_t lent = 0; lent < need; ++lent) {
        uint8_t *memory = malloc(lent == 0 ? 1 : lent);
        uint64_t offset[ITEMS] = {7, 7, 7, 7};
        berth_plan read = {.offset = offset, .peak = 7};
        berth_diag diag = berth_diag_none();
        assert_int_equal(berth_plan_file_read(w.file, &w.tag, &problem, keys,
                                              berth_work_of(memory, lent),
                                              &read, &diag),
                         BERTH_NO_SPACE);
        assert_int_equal(diag.needed_bytes, need);
        assert_int_equal(offset[0] + offset[3] + read.peak, 21);
        free(memory);
    }
    free(w.memory);
}

static void a_plan_of_nothing_is_a_file(void **state)
{
    (void)state;
    const berth_problem none = {.step_count = 1};
    const berth_plan_tag tag = tag_of_test();
    uint8_t memory[4096];
    berth_work work = berth_work_of(memory, sizeof(memory));
    berth_plan plan = {0};
    berth_bytes file;
    assert_int_equal(
        berth_plan_file_write(&none, NULL, &plan, &tag, &work, &file, NULL),
        BERTH_OK);
    assert_int_equal(file.size, 100);
    assert_int_equal(
        berth_plan_file_read(file, &tag, &none, NULL, work, &plan, NULL),
        BERTH_OK);
    assert_int_equal(plan.peak, 0);
}

static void a_tag_without_a_name_is_not_written(void **state)
{
    (void)state;
    const berth_problem none = {.step_count = 1};
    berth_plan_tag tag = tag_of_test();
    uint8_t memory[512];
    berth_work work = berth_work_of(memory, sizeof(memory));
    const berth_plan plan = {0};
    berth_bytes file;
    memset(tag.kernels, 0, sizeof(tag.kernels));
    assert_int_equal(
        berth_plan_file_write(&none, NULL, &plan, &tag, &work, &file, NULL),
        BERTH_BAD_ARG);
    tag.kernels[0] = 'a';
    tag.kernels[5] = 'b'; /* behind the end of the name */
    assert_int_equal(
        berth_plan_file_write(&none, NULL, &plan, &tag, &work, &file, NULL),
        BERTH_BAD_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_plan_is_read_back),
        cmocka_unit_test(the_bytes_are_those_of_the_document),
        cmocka_unit_test(every_truncation_and_every_changed_byte_is_refused),
        cmocka_unit_test(a_forged_file_gives_a_right_plan_or_none),
        cmocka_unit_test(a_plan_of_something_else_is_named),
        cmocka_unit_test(any_smaller_memory_is_refused_cleanly),
        cmocka_unit_test(a_plan_of_nothing_is_a_file),
        cmocka_unit_test(a_tag_without_a_name_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

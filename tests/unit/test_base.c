/* Status words, checked arithmetic and lent memory. */
#include "berth/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_status_has_words(void **state)
{
    (void)state;
    for (int i = 0; i < BERTH_STATUS_COUNT; ++i) {
        assert_true(strlen(berth_status_name((berth_status)i)) >= 2);
        assert_true(strlen(berth_status_text((berth_status)i)) >= 2);
    }
    assert_string_equal(berth_status_name(BERTH_NO_SPACE), "NO_SPACE");
    assert_int_equal(BERTH_OK, 0);
    assert_string_equal(berth_status_name(BERTH_STATUS_COUNT), "?");
    assert_string_equal(berth_status_name((berth_status)-1), "?");
    assert_non_null(berth_status_text((berth_status)-1));
}

static void a_fresh_diag_names_nothing(void **state)
{
    (void)state;
    const berth_diag diag = berth_diag_none();
    assert_string_equal(diag.what, "");
    assert_int_equal(diag.subgraph & diag.op & diag.tensor & diag.other &
                         diag.step,
                     BERTH_NONE);
    assert_true((diag.file_offset & diag.needed_bytes & diag.limit_bytes) ==
                BERTH_NOWHERE);
}

/* The neighbours of every power of two, against 128-bit arithmetic. */
static void arithmetic_is_checked_at_every_edge(void **state)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t edges[64 * 3 + 1];
    size_t count = 0;
    (void)state;
    for (uint32_t i = 0; i < 64; ++i) {
        edges[count++] = ((uint64_t)1 << i) - 1;
        edges[count++] = (uint64_t)1 << i;
        edges[count++] = ((uint64_t)1 << i) + 1;
    }
    edges[count++] = UINT64_MAX;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < count; ++k) {
            const wide sum = (wide)edges[i] + edges[k];
            const wide product = (wide)edges[i] * edges[k];
            uint64_t out = 77;
            assert_int_equal(berth_add_u64(edges[i], edges[k], &out),
                             sum <= UINT64_MAX);
            assert_true(out == (sum <= UINT64_MAX ? (uint64_t)sum : 77));
            out = 77;
            assert_int_equal(berth_mul_u64(edges[i], edges[k], &out),
                             product <= UINT64_MAX);
            assert_true(out ==
                        (product <= UINT64_MAX ? (uint64_t)product : 77));
        }
        for (uint32_t bit = 0; bit < 64; ++bit) {
            const uint64_t align = (uint64_t)1 << bit;
            const wide up = ((wide)edges[i] + align - 1) / align * align;
            /* Rounding may wrap on the way even where the result fits. */
            uint64_t out = 77;
            if (berth_round_up_u64(edges[i], align, &out)) {
                assert_true(out == (uint64_t)up && up <= UINT64_MAX);
            } else {
                assert_true(out == 77 && up > UINT64_MAX);
            }
        }
    }
}

static void taken_memory_is_aligned_apart_and_inside(void **state)
{
    _Alignas(64) static uint8_t block[4096];
    (void)state;
    for (size_t start = 0; start < 20; ++start) {
        berth_work work = berth_work_of(block + start, sizeof(block) - start);
        const uint8_t *last = work.next;
        for (size_t bit = 0; bit < 7; ++bit) {
            const size_t align = (size_t)1 << bit;
            uint8_t *taken = berth_work_take(&work, 3, bit, align);
            assert_non_null(taken);
            assert_int_equal((uintptr_t)taken % align, 0);
            assert_true(taken >= last);
            assert_ptr_equal(work.next, taken + 3 * bit);
            last = work.next;
        }
    }
}

static void what_does_not_fit_changes_nothing(void **state)
{
    _Alignas(16) static uint8_t block[64];
    (void)state;
    berth_work work = berth_work_of(block + 1, 40);
    const berth_work before = work;
    assert_null(berth_work_take(&work, 41, 1, 1));
    assert_null(berth_work_take(&work, SIZE_MAX, SIZE_MAX, 1));
    assert_null(berth_work_take(&work, SIZE_MAX / 2 + 1, 2, 1));
    assert_null(berth_work_take(&work, 26, 1, 16)); /* 15 bytes of padding */
    assert_null(berth_work_take(&work, 1, 1, 4096));
    assert_memory_equal(&work, &before, sizeof(work));
    assert_ptr_equal(berth_work_take(&work, 25, 1, 16), block + 16);
    assert_ptr_equal(berth_work_take(&work, 0, 8, 1), work.end);
    assert_null(berth_work_take(&work, 1, 1, 1));
    berth_work nothing = berth_work_of(NULL, 0);
    assert_null(berth_work_take(&nothing, 1, 1, 1));
    assert_null(berth_work_take(&nothing, 0, 1, 1));
}

/* Whatever is needed can be taken, from any start. */
static void need_is_enough_from_any_address(void **state)
{
    _Alignas(64) static uint8_t block[2048];
    static const size_t counts[][3] = {
        {3, 7, 1}, {5, 8, 8}, {0, 4, 4}, {1, 40, 64}, {2, 1, 16}};
    (void)state;
    size_t need = 0;
    for (size_t i = 0; i < 5; ++i) {
        assert_true(
            berth_work_need(&need, counts[i][0], counts[i][1], counts[i][2]));
    }
    for (size_t start = 0; start < 64; ++start) {
        berth_work work = berth_work_of(block + start, need);
        for (size_t i = 0; i < 5; ++i) {
            assert_non_null(berth_work_take(&work, counts[i][0], counts[i][1],
                                            counts[i][2]));
        }
    }
}

static void a_need_that_wraps_is_refused(void **state)
{
    (void)state;
    size_t need = 100;
    assert_false(berth_work_need(&need, SIZE_MAX, 2, 1));
    assert_false(berth_work_need(&need, SIZE_MAX, 1, 2));
    assert_false(berth_work_need(&need, SIZE_MAX - 99, 1, 1));
    assert_int_equal(need, 100);
    assert_true(berth_work_need(&need, SIZE_MAX - 100, 1, 1));
    assert_true(need == SIZE_MAX);
    assert_false(berth_work_need(&need, 0, 1, 2));
    assert_true(berth_work_need(&need, SIZE_MAX, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_words),
        cmocka_unit_test(a_fresh_diag_names_nothing),
        cmocka_unit_test(arithmetic_is_checked_at_every_edge),
        cmocka_unit_test(taken_memory_is_aligned_apart_and_inside),
        cmocka_unit_test(what_does_not_fit_changes_nothing),
        cmocka_unit_test(need_is_enough_from_any_address),
        cmocka_unit_test(a_need_that_wraps_is_refused),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}

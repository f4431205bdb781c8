/* Memory: every lent size below the need is refused cleanly, none is touched
 * beyond it, and the file must start aligned. */
#include "model_samples.h"
#include "model_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MODEL_SAMPLE_COUNT; ++i) {
        berth_bytes file;
        mb *b = model_sample(i, &file);
        size_t need = 0;
        assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
        for (size_t lent = 0; lent <= need; ++lent) {
            uint8_t *memory = malloc(lent == 0 ? 1 : lent);
            assert_non_null(memory);
            memset(memory, 0x5a, lent);
            berth_work work = berth_work_of(memory, lent);
            const berth_model *model = NULL;
            berth_diag diag = berth_diag_none();
            const berth_status status =
                berth_model_init(file, &work, &model, &diag);
            if (lent < need) {
                assert_int_equal(status, BERTH_NO_SPACE);
                assert_int_equal(diag.needed_bytes, need);
                assert_int_equal(diag.limit_bytes, lent);
                assert_null(model);
                assert_ptr_equal(work.next, memory);
                for (size_t k = 0; k < lent; ++k) {
                    assert_int_equal(memory[k], 0x5a);
                }
            } else {
                assert_int_equal(status, BERTH_OK);
                (void)model_walk(model);
            }
            free(memory);
        }
        mb_free(b);
    }
}

/* The need holds from whatever address the memory starts. */
static void any_address_of_the_memory_will_do(void **state)
{
    (void)state;
    berth_bytes file;
    mb *b = model_sample(1, &file);
    size_t need = 0;
    assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
    for (size_t shift = 0; shift < 16; ++shift) {
        uint8_t *memory = malloc(need + shift);
        assert_non_null(memory);
        berth_work work = berth_work_of(memory + shift, need);
        const berth_model *model = NULL;
        assert_int_equal(berth_model_init(file, &work, &model, NULL), BERTH_OK);
        (void)model_walk(model);
        free(memory);
    }
    mb_free(b);
}

/* What is lent on top stays with the caller. */
static void no_more_is_taken_than_needed(void **state)
{
    (void)state;
    berth_bytes file;
    mb *b = model_sample(0, &file);
    size_t need = 0;
    assert_int_equal(berth_model_bytes(file, &need, NULL), BERTH_OK);
    uint8_t *memory = malloc(need + 100);
    assert_non_null(memory);
    berth_work work = berth_work_of(memory, need + 100);
    const berth_model *model = NULL;
    assert_int_equal(berth_model_init(file, &work, &model, NULL), BERTH_OK);
    assert_true(work.next <= memory + need);
    assert_ptr_equal(work.end, memory + need + 100);
    /* The scratch of the search for circles came back. */
    memset(work.next, 0xff, (size_t)(work.end - work.next));
    (void)model_walk(model);
    free(memory);
    mb_free(b);
}

static void a_file_that_starts_unaligned_is_misaligned(void **state)
{
    (void)state;
    berth_bytes file;
    mb *b = model_sample(0, &file);
    for (size_t shift = 1; shift < 16; ++shift) {
        uint8_t *copy = aligned_alloc(16, file.size / 16 * 16 + 32);
        assert_non_null(copy);
        memcpy(copy + shift, file.data, file.size);
        const berth_bytes moved = {copy + shift, file.size};
        berth_diag diag;
        assert_int_equal(model_open_and_walk(moved, &diag), BERTH_MISALIGNED);
        free(copy);
    }
    mb_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_smaller_memory_is_refused_cleanly),
        cmocka_unit_test(any_address_of_the_memory_will_do),
        cmocka_unit_test(no_more_is_taken_than_needed),
        cmocka_unit_test(a_file_that_starts_unaligned_is_misaligned),
    };
    return cmocka_run_group_tests_name("model, lent memory", tests, NULL, NULL);
}

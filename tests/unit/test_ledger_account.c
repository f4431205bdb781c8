/* The account of a file: every byte in one row, counted once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "berth/ledger.h"
#include "rig.h"

static const uint8_t BYTES[256];

static int32_t constant(rig *r, uint32_t g, berth_type type, int32_t count,
                        size_t bytes)
{
    return mb_tensor(r->builder, g,
                     (mb_tensor_spec){.name = "c",
                                      .type = type,
                                      .shape = MB_INTS(count),
                                      .data = BYTES,
                                      .data_bytes = bytes});
}

static int32_t of_buffer(rig *r, uint32_t g, berth_type type, int32_t count,
                         uint32_t buffer)
{
    return mb_tensor(r->builder, g,
                     (mb_tensor_spec){.name = "c",
                                      .type = type,
                                      .shape = MB_INTS(count),
                                      .buffer = buffer});
}

/* A model of one operator that reads x and two constants. */
static void model_of(rig *r, uint32_t code, int32_t a, int32_t b)
{
    const int32_t x = rig_tensor(r, 0, 64);
    const int32_t y = rig_tensor(r, 0, 64);
    rig_op(r, 0, code, MB_INTS(x, a, b), MB_INTS(y));
    rig_io(r, 0, MB_INTS(x), MB_INTS(y));
}

static berth_status make(rig *r, size_t lent, berth_ledger *ledger)
{
    const uint64_t peak = rig_plan(r, BERTH_STRATEGY_BEST);
    const berth_plan made = {.offset = r->offset, .peak = peak};
    void *memory = malloc(lent == 0 ? 1 : lent);
    const berth_status status =
        berth_ledger_make(&r->graph, &r->schedule, &r->lifetimes, &made,
                          berth_work_of(memory, lent), ledger, &r->diag);
    free(memory);
    return status;
}

static berth_ledger ledger_of(rig *r)
{
    berth_ledger ledger;
    size_t need = 0;
    rig_lifetimes(r, NULL);
    assert_int_equal(berth_ledger_bytes(&r->graph, &r->lifetimes, &need, NULL),
                     BERTH_OK);
    assert_int_equal(make(r, need, &ledger), BERTH_OK);
    assert_int_equal(ledger.weights_used_bytes + ledger.weights_unused_bytes +
                         ledger.metadata_bytes + ledger.structure_bytes,
                     ledger.file_bytes);
    assert_int_equal(ledger.arena_bytes + ledger.state_bytes +
                         ledger.books_bytes + ledger.padding_bytes,
                     ledger.total_bytes);
    return ledger;
}

static void a_buffer_of_two_tensors_counts_once(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_subgraph(r);
    const uint32_t shared = mb_buffer(r->builder, BYTES, 40);
    const int32_t a = of_buffer(r, 0, BERTH_INT8, 40, shared);
    const int32_t b = of_buffer(r, 0, BERTH_INT8, 40, shared);
    model_of(r, BERTH_OP_CONV_2D, a, b);
    assert_int_equal(ledger_of(r).weights_used_bytes, 40);
    rig_free(r);
}

/* [64, 96) and [80, 112) of the file: 48 bytes, not 64. One is unused in the
 * second model, and then its own 16 bytes are. */
static void buffers_may_share_bytes(void **state)
{
    (void)state;
    for (int both = 0; both < 2; ++both) {
        rig *r = rig_new();
        rig_subgraph(r);
        const uint32_t low = mb_buffer_claimed(r->builder, 64, 32);
        const uint32_t high = mb_buffer_claimed(r->builder, 80, 32);
        const int32_t a = of_buffer(r, 0, BERTH_INT8, 32, low);
        const int32_t b = of_buffer(r, 0, BERTH_INT8, 32, high);
        model_of(r, BERTH_OP_CONV_2D, a, both ? b : a);
        const berth_ledger ledger = ledger_of(r);
        assert_int_equal(ledger.weights_used_bytes, both ? 48 : 32);
        assert_int_equal(ledger.weights_unused_bytes, both ? 0 : 16);
        rig_free(r);
    }
}

static void what_no_step_reads_is_unused(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_subgraph(r);
    const int32_t a = constant(r, 0, BERTH_INT8, 30, 30);
    constant(r, 0, BERTH_INT8, 70, 70); /* a tensor that nobody reads */
    mb_buffer(r->builder, BYTES, 11);   /* a buffer without a tensor */
    mb_metadata(r->builder, "min_runtime_version", BYTES, 13);
    model_of(r, BERTH_OP_CONV_2D, a, -1);
    const berth_ledger ledger = ledger_of(r);
    assert_int_equal(ledger.weights_used_bytes, 30);
    assert_int_equal(ledger.weights_unused_bytes, 81);
    assert_int_equal(ledger.metadata_bytes, 13);
    rig_free(r);
}

static void a_constant_that_is_an_output_is_used(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_subgraph(r);
    const int32_t a = constant(r, 0, BERTH_INT8, 30, 30);
    const int32_t x = rig_tensor(r, 0, 8);
    const int32_t y = rig_tensor(r, 0, 8);
    rig_op(r, 0, BERTH_OP_CONV_2D, MB_INTS(x), MB_INTS(y));
    rig_io(r, 0, MB_INTS(x), MB_INTS(y, a));
    assert_int_equal(ledger_of(r).weights_used_bytes, 30);
    rig_free(r);
}

static void packed_and_decoded_constants_are_encoded(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_subgraph(r);
    const int32_t nibbles = constant(r, 0, BERTH_INT4, 20, 10);
    const int32_t plain = constant(r, 0, BERTH_INT8, 7, 7);
    const int32_t halves = constant(r, 0, BERTH_FLOAT16, 16, 32);
    const int32_t floats = mb_tensor(r->builder, 0,
                                     (mb_tensor_spec){.name = "f",
                                                      .type = BERTH_FLOAT32,
                                                      .shape = MB_INTS(16)});
    rig_op(r, 0, BERTH_OP_DEQUANTIZE, MB_INTS(halves), MB_INTS(floats));
    const int32_t x = rig_tensor(r, 0, 64);
    const int32_t y = rig_tensor(r, 0, 64);
    const int32_t z = rig_tensor(r, 0, 64);
    rig_op(r, 0, BERTH_OP_CONV_2D, MB_INTS(x, nibbles, plain), MB_INTS(y));
    rig_op(r, 0, BERTH_OP_CONV_2D, MB_INTS(y, floats), MB_INTS(z));
    rig_io(r, 0, MB_INTS(x), MB_INTS(z));
    const berth_ledger ledger = ledger_of(r);
    assert_int_equal(ledger.weights_used_bytes, 10 + 7 + 32);
    assert_int_equal(ledger.weights_encoded_bytes, 10 + 32);
    rig_free(r);
}

/* By the bytes' own offset, and by the strictest of the types that read them;
 * a copy begins at a multiple of 16. */
static void misaligned_constants_are_copied(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset;
        berth_type type;
        int32_t count;
        uint64_t copied;
    } cases[] = {
        {64, BERTH_INT32, 5, 0},      {65, BERTH_INT8, 20, 0},
        {65, BERTH_INT32, 5, 20},     {66, BERTH_INT32, 5, 20},
        {66, BERTH_INT16, 5, 0},      {68, BERTH_INT64, 2, 16},
        {68, BERTH_COMPLEX64, 2, 0},  {68, BERTH_COMPLEX128, 1, 16},
        {66, BERTH_COMPLEX64, 2, 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        rig *r = rig_new();
        rig_subgraph(r);
        const uint64_t bytes =
            (uint64_t)cases[i].count * berth_type_bits(cases[i].type) / 8u;
        const uint32_t buffer =
            mb_buffer_claimed(r->builder, cases[i].offset, bytes);
        const int32_t a =
            of_buffer(r, 0, cases[i].type, cases[i].count, buffer);
        model_of(r, BERTH_OP_CONV_2D, a, -1);
        const berth_ledger ledger = ledger_of(r);
        assert_int_equal(ledger.weights_copied_bytes, cases[i].copied);
        rig_free(r);
    }
}

static void input_and_output_lie_in_the_arena(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_subgraph(r);
    const int32_t x = rig_tensor(r, 0, 64);
    const int32_t h = rig_tensor(r, 0, 100);
    const int32_t y = rig_tensor(r, 0, 48);
    rig_op(r, 0, BERTH_OP_RELU, MB_INTS(x), MB_INTS(h));
    rig_op(r, 0, BERTH_OP_RELU, MB_INTS(h), MB_INTS(y));
    rig_io(r, 0, MB_INTS(x), MB_INTS(y));
    const berth_ledger ledger = ledger_of(r);
    /* Each whole, though y may stand on the bytes of x. */
    assert_int_equal(ledger.of_which_io_bytes, 64 + 48);
    assert_true(ledger.of_which_io_bytes <= ledger.arena_bytes);
    assert_int_equal(ledger.of_which_scratch_bytes, 0);
    rig_free(r);
}

static void every_smaller_block_is_refused_by_the_ledger(void **state)
{
    (void)state;
    rig *r = rig_new();
    rig_subgraph(r);
    model_of(r, BERTH_OP_CONV_2D, constant(r, 0, BERTH_INT8, 30, 30),
             constant(r, 0, BERTH_INT8, 8, 8));
    (void)ledger_of(r);
    size_t need = 0;
    assert_int_equal(berth_ledger_bytes(&r->graph, &r->lifetimes, &need, NULL),
                     BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        berth_ledger ledger;
        memset(&ledger, 7, sizeof(ledger));
        const berth_ledger untouched = ledger;
        const berth_status status = make(r, lent, &ledger);
        assert_int_equal(status, lent < need ? BERTH_NO_SPACE : BERTH_OK);
        if (lent < need) {
            assert_int_equal(r->diag.needed_bytes, need);
            assert_memory_equal(&ledger, &untouched, sizeof(ledger));
        }
    }
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_of_two_tensors_counts_once),
        cmocka_unit_test(buffers_may_share_bytes),
        cmocka_unit_test(what_no_step_reads_is_unused),
        cmocka_unit_test(a_constant_that_is_an_output_is_used),
        cmocka_unit_test(packed_and_decoded_constants_are_encoded),
        cmocka_unit_test(misaligned_constants_are_copied),
        cmocka_unit_test(input_and_output_lie_in_the_arena),
        cmocka_unit_test(every_smaller_block_is_refused_by_the_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

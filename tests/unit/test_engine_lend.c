/* What is lent: with the bytes named it works, with one less of any block it is
 * refused by name before a byte is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "toys.h"

enum { FILL = 0x77 };

/* Twenty models: lengths that are and are not multiples of 16, with state, with
 * calls, in place or not. */
enum { MODELS = 20 };

static void add_state(toy *t, int32_t x, int32_t y, int32_t n)
{
    const int32_t handle = toy_handle(t, 0, "v");
    const int32_t old = toy_float(t, 0, "old", n);
    toy_op(t, 0, BERTH_OP_READ_VARIABLE, MB_INTS(handle), MB_INTS(old));
    toy_op(t, 0, BERTH_OP_ADD, MB_INTS(old, x), MB_INTS(y));
    toy_op(t, 0, BERTH_OP_ASSIGN_VARIABLE, MB_INTS(handle, y), MB_NO_INTS);
}

static toy *small_model(int which)
{
    toy *t = toy_new();
    const int32_t n = 1 + which * which % 23;
    const int32_t x = toy_float(t, 0, "x", n);
    const int32_t a = toy_float(t, 0, "a", n);
    const int32_t y = toy_float(t, 0, "y", n);
    const int32_t c = toy_constant(t, 0, n, 2.0f);
    toy_custom(t, 0, "inc", MB_INTS(x), MB_INTS(a));
    if (which % 3 == 0) {
        add_state(t, a, y, n);
    } else if (which % 3 == 1) {
        toy_op(t, 0, BERTH_OP_MUL, MB_INTS(a, c), MB_INTS(y));
    } else {
        const uint32_t g = mb_subgraph(t->b, "callee");
        const int32_t u = toy_float(t, g, "u", n);
        const int32_t v = toy_float(t, g, "v", n);
        const int32_t on = toy_tensor(t, 0, "on", BERTH_BOOL, 1);
        toy_custom(t, g, "inc", MB_INTS(u), MB_INTS(v));
        mb_io(t->b, g, MB_INTS(u), MB_INTS(v));
        toy_custom(t, 0, "below", MB_INTS(x), MB_INTS(on));
        toy_if(t, 0, g, g, MB_INTS(on, a), MB_INTS(y));
    }
    mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
    return t;
}

/* --- sizes ---------------------------------------------------------------- */

static bool holds_only(const fence *f, uint8_t byte)
{
    for (size_t i = 0; i < f->bytes; ++i) {
        if (f->at[i] != byte) {
            return false;
        }
    }
    return true;
}

static void nothing_was_touched(const engine_rig *e)
{
    assert_true(holds_only(&e->regions[0], FILL));
    assert_true(holds_only(&e->state, FILL));
    assert_true(holds_only(&e->books, FILL));
    assert_true(engine_rig_stands(e));
}

/* Every size below the need of one block. */
static void shrink_block(engine_rig *e, berth_engine_block *block,
                         uint64_t need, const char *name)
{
    const berth_engine_block whole = *block;
    assert_true(whole.bytes == need);
    for (size_t bytes = 0; bytes < need; ++bytes) {
        block->bytes = bytes;
        e->diag = berth_diag_none();
        const berth_status status =
            berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag);
        if (status != BERTH_NO_SPACE || e->diag.needed_bytes != need ||
            e->diag.limit_bytes != bytes || strcmp(e->diag.what, name) != 0 ||
            e->engine != NULL) {
            fail_msg("%s of %zu bytes: %s, %s", name, bytes,
                     berth_status_name(status), e->diag.what);
        }
    }
    nothing_was_touched(e);
    *block = whole;
}

static void shrink_model(toy *t, uint32_t flags)
{
    engine_rig *e = toy_rig(t, &(engine_wishes){.flags = flags, .fill = FILL});
    assert_true(engine_rig_stage(e));
    engine_rig_lend(e);
    shrink_block(e, &e->memory.regions[0], e->need.region_bytes[0],
                 "the arena");
    shrink_block(e, &e->memory.state, e->need.state_bytes, "the state");
    shrink_block(e, &e->memory.books, e->need.books_bytes, "the books");
    assert_int_equal(
        berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag),
        BERTH_OK);
    assert_true(holds_only(&e->regions[0], FILL)); /* stages may lie there */
    engine_rig_feed(e, 1);
    toy_run(e);
    engine_rig_free(e);
    toy_free(t);
}

static void each_size_of_each_block_of_twenty_models(void **state)
{
    (void)state;
    for (int which = 0; which < MODELS; ++which) {
        shrink_model(small_model(which), 0);
        shrink_model(small_model(which), BERTH_ENGINE_CANARIES);
    }
}

static void one_byte_less_of_each_bundled_model(void **state)
{
    (void)state;
    static const char *const names[] = {
        "any_picture_float32", "detector_int8", "hotword_svdf_int8",
        "kws_dscnn_int8",      "loop_float32",  "residual_float32",
        "stream_int8",         "vww96_int8"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        const berth_bytes file = bundled_read(names[i]);
        engine_rig *e = engine_rig_new(file, &(engine_wishes){.fill = FILL});
        assert_true(engine_rig_stage(e));
        engine_rig_lend(e);
        berth_engine_block *blocks[] = {&e->memory.regions[0], &e->memory.state,
                                        &e->memory.books};
        for (int b = 0; b < 3; ++b) {
            if (blocks[b]->bytes == 0) {
                continue;
            }
            --blocks[b]->bytes;
            assert_int_equal(berth_engine_prepare(&e->source, &e->memory,
                                                  &e->engine, &e->diag),
                             BERTH_NO_SPACE);
            assert_int_equal(e->diag.needed_bytes, e->diag.limit_bytes + 1);
            nothing_was_touched(e);
            ++blocks[b]->bytes;
        }
        engine_rig_free(e);
        free((void *)(uintptr_t)file.data);
    }
}

/* --- other ways to lend --------------------------------------------------- */

static void a_block_at_an_odd_place_is_misaligned(void **state)
{
    (void)state;
    toy *t = small_model(3);
    engine_rig *e = toy_rig(t, &(engine_wishes){.fill = FILL});
    assert_true(engine_rig_stage(e));
    engine_rig_lend(e);
    berth_engine_block *blocks[] = {&e->memory.regions[0], &e->memory.state,
                                    &e->memory.books};
    for (int b = 0; b < 3; ++b) {
        for (int by = 1; by < 16; ++by) {
            blocks[b]->at += by;
            assert_int_equal(berth_engine_prepare(&e->source, &e->memory,
                                                  &e->engine, &e->diag),
                             BERTH_MISALIGNED);
            blocks[b]->at -= by;
        }
    }
    nothing_was_touched(e);
    engine_rig_free(e);
    toy_free(t);
}

static void one_block_is_cut_into_all(void **state)
{
    (void)state;
    for (int which = 0; which < MODELS; ++which) {
        toy *t = small_model(which);
        engine_rig *e = toy_rig(t, &(engine_wishes){.fill = FILL});
        assert_true(engine_rig_stage(e));
        const size_t total = (size_t)e->need.total_bytes;
        fence f = fence_open(total, 16, FILL);
        const berth_engine_memory before = e->memory;
        for (size_t bytes = 0; bytes < total; ++bytes) {
            assert_int_equal(
                berth_engine_cut(&e->need, f.at, bytes, &e->memory, &e->diag),
                BERTH_NO_SPACE);
            assert_int_equal(e->diag.needed_bytes, total);
        }
        assert_memory_equal(&before, &e->memory, sizeof(before));
        assert_int_equal(
            berth_engine_cut(&e->need, f.at + 8, total, &e->memory, &e->diag),
            BERTH_MISALIGNED);
        assert_int_equal(
            berth_engine_cut(&e->need, f.at, total, &e->memory, &e->diag),
            BERTH_OK);
        assert_int_equal(
            berth_engine_prepare(&e->source, &e->memory, &e->engine, &e->diag),
            BERTH_OK);
        engine_rig_feed(e, 1);
        toy_run(e);
        assert_true(fence_stands(&f));
        fence_close(&f);
        engine_rig_free(e);
        toy_free(t);
    }
}

static void sizes_know_nothing_of_kernels(void **state)
{
    (void)state;
    toy *t = small_model(1);
    engine_rig *e = toy_rig(t, &(engine_wishes){0});
    berth_engine_need need;
    assert_true(engine_rig_stage(e));
    e->source.kernels = NULL;
    assert_int_equal(berth_engine_bytes(&e->source, &need, &e->diag), BERTH_OK);
    assert_memory_equal(&need, &e->need, sizeof(need));
    assert_int_equal(need.region_bytes[0], e->plan.peak);
    assert_int_equal(need.state_bytes, e->lifetimes.state_bytes);
    engine_rig_free(e);
    toy_free(t);
}

static void guards_cost_nothing_where_they_are_not_wished(void **state)
{
    (void)state;
    toy *t = small_model(3);
    engine_rig *plain = toy_rig(t, &(engine_wishes){0});
    engine_rig *guarded =
        toy_rig(t, &(engine_wishes){.flags = BERTH_ENGINE_CANARIES});
    assert_true(engine_rig_stage(plain));
    assert_true(engine_rig_stage(guarded));
    const uint64_t both = 2u * BERTH_CANARY_BYTES;
    assert_int_equal(guarded->need.region_bytes[0],
                     plain->need.region_bytes[0] + both);
    assert_int_equal(guarded->need.state_bytes, plain->need.state_bytes + both);
    assert_int_equal(guarded->need.books_bytes, plain->need.books_bytes + both);
    engine_rig_free(plain);
    engine_rig_free(guarded);
    toy_free(t);
}

/* Writes one byte somewhere in the memory of the engine that runs, once. */
typedef struct vandal {
    uint8_t *at;
    bool done;
} vandal;

static void write_one(void *self, const berth_engine_event *event)
{
    vandal *v = self;
    (void)event;
    *v->at = (uint8_t)(*v->at ^ (v->done ? 0u : 1u));
    v->done = true;
}

static void each_byte_of_a_guard_is_looked_at(void **state)
{
    (void)state;
    toy *t = small_model(3);
    engine_rig *e =
        toy_open(t, &(engine_wishes){.flags = BERTH_ENGINE_CANARIES});
    const berth_engine_block blocks[] = {e->memory.regions[0], e->memory.state,
                                         e->memory.books};
    toy_run(e);
    for (int b = 0; b < 3; ++b) {
        for (size_t i = 0; i < 2 * BERTH_CANARY_BYTES; ++i) {
            vandal v = {.at = i < BERTH_CANARY_BYTES
                                  ? blocks[b].at + i
                                  : blocks[b].at + blocks[b].bytes - 1 -
                                        (i - BERTH_CANARY_BYTES)};
            const berth_run_options options = {.after = write_one,
                                               .watcher = &v};
            const uint8_t byte = *v.at;
            assert_int_equal(berth_engine_run(e->engine, &options, &e->diag),
                             BERTH_UNSOUND);
            *v.at = byte;
        }
    }
    toy_run(e);
    engine_rig_free(e);
    toy_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_size_of_each_block_of_twenty_models),
        cmocka_unit_test(one_byte_less_of_each_bundled_model),
        cmocka_unit_test(a_block_at_an_odd_place_is_misaligned),
        cmocka_unit_test(one_block_is_cut_into_all),
        cmocka_unit_test(sizes_know_nothing_of_kernels),
        cmocka_unit_test(guards_cost_nothing_where_they_are_not_wished),
        cmocka_unit_test(each_byte_of_a_guard_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

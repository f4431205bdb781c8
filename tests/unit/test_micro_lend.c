/* Lent memory: each size below the need is refused, cleanly. */
#include "berth/micro.h"
#include "corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct opened {
    berth_bytes file;
    void *memory[2];
    berth_graph graph;
} opened;

static void open_model(opened *o, const char *name)
{
    size_t need = 0;
    const berth_model *model = NULL;
    o->file = bundled_read(name);
    assert_int_equal(berth_model_bytes(o->file, &need, NULL), BERTH_OK);
    o->memory[0] = malloc(need);
    berth_work work = berth_work_of(o->memory[0], need);
    assert_int_equal(berth_model_init(o->file, &work, &model, NULL), BERTH_OK);
    assert_int_equal(berth_graph_bytes(model, &need, NULL), BERTH_OK);
    o->memory[1] = malloc(need);
    work = berth_work_of(o->memory[1], need);
    assert_int_equal(berth_graph_init(model, &work, &o->graph, NULL), BERTH_OK);
}

static void close_model(opened *o)
{
    free(o->memory[0]);
    free(o->memory[1]);
    free((void *)(uintptr_t)o->file.data);
}

static void lend(const opened *o, const berth_micro_options *options,
                 size_t need, size_t lent)
{
    uint8_t *memory = malloc(lent == 0 ? 1 : lent);
    berth_work work = berth_work_of(memory, lent);
    berth_micro micro;
    berth_diag diag = berth_diag_none();
    memset(&micro, 0x5a, sizeof(micro));
    const berth_micro before = micro;
    const berth_status status =
        berth_micro_predict(&o->graph, options, &work, &micro, &diag);
    if (lent < need) {
        assert_int_equal(status, BERTH_NO_SPACE);
        assert_int_equal(diag.needed_bytes, need);
        assert_memory_equal(&micro, &before, sizeof(micro));
        assert_ptr_equal(work.next, memory);
    } else {
        assert_int_equal(status, BERTH_OK);
        assert_true(work.next <= work.end);
    }
    free(memory);
}

static void predict__any_smaller_memory_is_refused_cleanly(void **state)
{
    static const char *const names[] = {"hotword_svdf_int8", "loop_float32",
                                        "stream_int8", "kws_dscnn_int8"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        opened o;
        size_t need = 0;
        const berth_micro_options options = {
            .target = berth_micro_target_find("m55"),
            .kernels = berth_micro_kernels_find("cmsis-nn")};
        open_model(&o, names[i]);
        assert_int_equal(berth_micro_bytes(&o.graph, &options, &need, NULL),
                         BERTH_OK);
        for (size_t lent = 0; lent < need; lent += 1 + lent / 64) {
            lend(&o, &options, need, lent);
        }
        lend(&o, &options, need, need - 1);
        lend(&o, &options, need, need);
        close_model(&o);
    }
}

/* The parts are the tail; a scratch is in the head; used is the sum. */
static void predict__figures_add_up(void **state)
{
    static const char *const names[] = {
        "hotword_svdf_int8", "loop_float32",       "stream_int8",
        "kws_dscnn_int8",    "detector_int8",      "vww96_int8",
        "residual_float32",  "any_picture_float32"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        opened o;
        open_model(&o, names[i]);
        for (uint32_t t = 0; t < berth_micro_target_count(); ++t) {
            for (uint32_t k = 0; k < berth_micro_kernels_count(); ++k) {
                const berth_micro_options options = {
                    .target = berth_micro_target_at(t),
                    .kernels = berth_micro_kernels_at(k)};
                size_t need = 0;
                berth_micro micro;
                if (!berth_micro_kernels_serve(options.kernels,
                                               options.target)) {
                    assert_int_equal(
                        berth_micro_bytes(&o.graph, &options, &need, NULL),
                        BERTH_BAD_ARG);
                    continue;
                }
                assert_int_equal(
                    berth_micro_bytes(&o.graph, &options, &need, NULL),
                    BERTH_OK);
                void *memory = malloc(need);
                berth_work work = berth_work_of(memory, need);
                assert_int_equal(berth_micro_predict(&o.graph, &options, &work,
                                                     &micro, NULL),
                                 BERTH_OK);
                uint64_t tail = 0;
                uint64_t scratch = 0;
                for (uint32_t p = 0; p < BERTH_MICRO_PART_COUNT; ++p) {
                    tail += micro.parts[p].used_bytes;
                    assert_true(micro.parts[p].used_bytes >=
                                micro.parts[p].requested_bytes);
                }
                for (uint32_t op = 0; op < o.graph.op_count; ++op) {
                    scratch += micro.ops[op].scratch_bytes;
                }
                for (uint32_t s = 0; s < micro.scratch_count; ++s) {
                    scratch -= micro.scratch[s];
                }
                assert_int_equal(scratch, 0);
                assert_int_equal(tail, micro.tail_bytes);
                assert_int_equal(micro.arena_used_bytes,
                                 micro.head_bytes + micro.tail_bytes);
                assert_true(micro.arena_min_bytes >= micro.arena_used_bytes);
                assert_int_equal(micro.arena_min_bytes % 16, 0);
                free(memory);
            }
        }
        close_model(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predict__any_smaller_memory_is_refused_cleanly),
        cmocka_unit_test(predict__figures_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

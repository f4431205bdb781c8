/* Plans for TFLM: small, sound, and what TFLM makes of them foreseen. */
#include "bake_rig.h"
#include "random_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_MODELS = 400, LONG_CHAIN = 65536 };

static int32_t bytes_tensor(mb *b, uint32_t g, int32_t bytes)
{
    return mb_tensor(b, g,
                     (mb_tensor_spec){.name = "t",
                                      .type = BERTH_INT8,
                                      .shape = MB_INTS(bytes)});
}

static void op_of(mb *b, uint32_t g, uint32_t code, int32_t in, int32_t out)
{
    mb_op(b, g,
          (mb_op_spec){
              .code = code, .inputs = MB_INTS(in), .outputs = MB_INTS(out)});
}

/* A chain of RELU through tensors of these sizes. */
static mb *chain_of(const int32_t *sizes, uint32_t count)
{
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    int32_t last = bytes_tensor(b, g, sizes[0]);
    const int32_t first = last;
    for (uint32_t i = 1; i < count; ++i) {
        const int32_t next = bytes_tensor(b, g, sizes[i]);
        op_of(b, g, BERTH_OP_RELU, last, next);
        last = next;
    }
    mb_io(b, g, MB_INTS(first), MB_INTS(last));
    return b;
}

/* The head of MobileNet-v1 on 96 x 96 x 3: the sizes that TFLM stumbles on. */
static void the_head_of_a_mobilenet_is_a_quarter_smaller(void **state)
{
    (void)state;
    static const int32_t sizes[] = {27648, 18432, 18432, 36864, 9216, 18432};
    mb *b = chain_of(sizes, 6);
    bake_rig *r = bake_rig_new(mb_finish(b));
    assert_int_equal(r->micro.head_bytes, 73728);
    bake_rig_solve(r, NULL);
    assert_int_equal(r->plan.head_bytes, 55296);
    assert_int_equal(r->plan.bound_bytes, 55296);
    assert_int_equal(r->plan.share, 0);
    bake_rig_check(r);
    bake_rig_write(r);
    assert_int_equal(r->again->micro.head_bytes, 55296);
    assert_true(r->again->micro.arena_min_bytes < r->micro.arena_min_bytes);
    berth_peer_plan peer;
    assert_true(bake_rig_judge(r->again, &peer));
    assert_int_equal(peer.peak, 55296);
    bake_rig_free(r);
    mb_free(b);
}

/* x -> reshape -> y: one place is enough if the two may share it. */
static void a_reshape_shares_one_address(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t w = bytes_tensor(b, g, 16);
    const int32_t x = bytes_tensor(b, g, 1024);
    const int32_t y = bytes_tensor(b, g, 1024);
    const int32_t z = bytes_tensor(b, g, 16);
    op_of(b, g, BERTH_OP_RELU, w, x);
    op_of(b, g, BERTH_OP_RESHAPE, x, y);
    op_of(b, g, BERTH_OP_RELU, y, z);
    mb_io(b, g, MB_INTS(w), MB_INTS(z));
    bake_rig *r = bake_rig_new(mb_finish(b));
    assert_int_equal(r->micro.head_bytes, 2048);
    bake_rig_solve(r, NULL);
    assert_int_equal(r->plan.share, BERTH_BAKE_VIEWS);
    assert_int_equal(r->plan.head_bytes, 1040);
    assert_int_equal(r->plan.offset[x], r->plan.offset[y]);
    bake_rig_check(r);
    bake_rig_write(r);
    berth_peer_plan peer;
    assert_true(bake_rig_judge(r->again, &peer));
    assert_int_equal(peer.address[x], peer.address[y]);

    const berth_bake_options apart = {.no_views = true};
    bake_rig_solve(r, &apart);
    assert_int_equal(r->plan.share, 0);
    assert_int_equal(r->plan.head_bytes, 2048);
    bake_rig_free(r);
    mb_free(b);
}

/* The reshaped tensor is read again behind the reshape: both live on. */
static void a_reshape_may_outlive_its_reader(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t x = bytes_tensor(b, g, 512);
    const int32_t y = bytes_tensor(b, g, 512);
    const int32_t u = bytes_tensor(b, g, 512);
    const int32_t v = bytes_tensor(b, g, 512);
    op_of(b, g, BERTH_OP_RESHAPE, x, y);
    op_of(b, g, BERTH_OP_RELU, x, u);
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_ADD,
                       .inputs = MB_INTS(y, u),
                       .outputs = MB_INTS(v)});
    mb_io(b, g, MB_INTS(x), MB_INTS(v));
    bake_rig *r = bake_rig_new(mb_finish(b));
    bake_rig_solve(r, NULL);
    bake_rig_check(r);
    assert_int_equal(r->plan.head_bytes, 1536);
    bake_rig_write(r);
    berth_peer_plan peer;
    assert_true(bake_rig_judge(r->again, &peer));
    bake_rig_free(r);
    mb_free(b);
}

static void in_place_only_when_asked(void **state)
{
    (void)state;
    static const int32_t sizes[] = {4096, 4096, 4096, 4096};
    mb *b = chain_of(sizes, 4);
    bake_rig *r = bake_rig_new(mb_finish(b));
    bake_rig_solve(r, NULL);
    assert_int_equal(r->plan.head_bytes, 8192);
    const berth_bake_options in_place = {.in_place = true};
    bake_rig_solve(r, &in_place);
    assert_int_equal(r->plan.head_bytes, 4096);
    assert_int_equal(r->plan.share & BERTH_BAKE_INPLACE, BERTH_BAKE_INPLACE);
    bake_rig_check(r);
    bake_rig_write(r);
    berth_peer_plan peer;
    assert_true(bake_rig_judge(r->again, &peer));
    bake_rig_free(r);
    mb_free(b);
}

/* Not over an operand that is read later, or smaller, or by an operator that
 * looks at neighbours. */
static void in_place_never_without_a_licence(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t x = bytes_tensor(b, g, 256);
    const int32_t y = bytes_tensor(b, g, 256);
    const int32_t z = bytes_tensor(b, g, 256);
    const int32_t s = bytes_tensor(b, g, 256);
    op_of(b, g, BERTH_OP_RELU, x, y); /* x is read again */
    mb_op(b, g,
          (mb_op_spec){.code = BERTH_OP_ADD,
                       .inputs = MB_INTS(x, y),
                       .outputs = MB_INTS(z)});
    op_of(b, g, BERTH_OP_SOFTMAX, z, s);
    mb_io(b, g, MB_INTS(x), MB_INTS(s));
    bake_rig *r = bake_rig_new(mb_finish(b));
    const berth_bake_options in_place = {.in_place = true};
    bake_rig_solve(r, &in_place);
    assert_int_equal(r->plan.head_bytes, 512);
    assert_true(r->plan.offset[x] != r->plan.offset[y]);
    assert_true(r->plan.offset[z] != r->plan.offset[s]);
    bake_rig_check(r);
    bake_rig_write(r);
    berth_peer_plan peer;
    assert_true(bake_rig_judge(r->again, &peer));
    bake_rig_free(r);
    mb_free(b);
}

/* TFLM asks row `local number` for a variable of any subgraph. */
static void a_variable_of_a_later_subgraph_gets_its_memory(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    const int32_t x = bytes_tensor(b, g, 64);
    const int32_t y = bytes_tensor(b, g, 64);
    op_of(b, g, BERTH_OP_RELU, x, y);
    mb_io(b, g, MB_INTS(x), MB_INTS(y));
    const uint32_t h = mb_subgraph(b, "other");
    const int32_t u = bytes_tensor(b, h, 64);
    const int32_t v = mb_tensor(b, h,
                                (mb_tensor_spec){.name = "state",
                                                 .type = BERTH_INT8,
                                                 .shape = MB_INTS(64),
                                                 .is_variable = true});
    mb_io(b, h, MB_INTS(u), MB_INTS(u));
    bake_rig *r = bake_rig_new(mb_finish(b));
    bake_rig_solve(r, NULL);
    assert_int_equal(v, 1);
    assert_int_equal(r->plan.offset[1], -1); /* y owns row 1 */
    assert_int_equal(r->plan.offset[2 + v], -1);
    assert_true(r->plan.offset[0] >= 0);
    assert_int_equal(r->plan.online_count, 1);
    bake_rig_check(r);
    bake_rig_write(r);
    assert_int_equal(r->again->micro.head_bytes, r->plan.head_bytes);
    assert_int_equal(r->again->micro.parts[BERTH_MICRO_VARIABLES].used_bytes,
                     64);
    bake_rig_free(r);
    mb_free(b);
}

static void a_model_of_nothing_has_a_plan_of_nothing(void **state)
{
    (void)state;
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "main");
    mb_io(b, g, MB_NO_INTS, MB_NO_INTS);
    bake_rig *r = bake_rig_new(mb_finish(b));
    bake_rig_solve(r, NULL);
    assert_int_equal(r->plan.head_bytes, 0);
    bake_rig_write(r);
    assert_int_equal(bake_rig_entry(r->again, 2), 0);
    bake_rig_free(r);
    mb_free(b);
}

static void sixty_five_thousand_operators(void **state)
{
    (void)state;
    int32_t *sizes = calloc(LONG_CHAIN + 1, sizeof(*sizes));
    for (uint32_t i = 0; i <= LONG_CHAIN; ++i) {
        sizes[i] = (int32_t)(16 + i * 7919u % 1024u);
    }
    mb *b = chain_of(sizes, LONG_CHAIN + 1);
    bake_rig *r = bake_rig_new(mb_finish(b));
    bake_rig_solve(r, NULL);
    assert_true(r->plan.head_bytes <= r->micro.head_bytes);
    bake_rig_check(r);
    bake_rig_write(r);
    assert_int_equal(r->again->micro.head_bytes, r->plan.head_bytes);
    bake_rig_free(r);
    mb_free(b);
    free(sizes);
}

/* --- random models ----------------------------------------------------------
 */

typedef struct tally {
    uint32_t tried;
    uint32_t gained;
    uint32_t unsound;
} tally;

static void try_random(uint64_t seed, const berth_bake_options *options,
                       tally *sum)
{
    mb *b = mb_new();
    bake_rig *r = bake_rig_new(random_model(b, seed));
    berth_peer_plan peer;
    if (r->micro.refusal != BERTH_MICRO_LACKS_TYPE &&
        r->micro.refusal != BERTH_MICRO_LACKS_SHAPE) {
        ++sum->tried;
        bake_rig_solve(r, options);
        if (r->plan.head_bytes > r->micro.head_bytes ||
            r->plan.bound_bytes > r->plan.head_bytes) {
            fail_msg("seed %llu: head %llu, stock %llu, bound %llu",
                     (unsigned long long)seed,
                     (unsigned long long)r->plan.head_bytes,
                     (unsigned long long)r->micro.head_bytes,
                     (unsigned long long)r->plan.bound_bytes);
        }
        bake_rig_check(r);
        bake_rig_write(r);
        if (r->again->micro.head_bytes != r->plan.head_bytes) {
            fail_msg("seed %llu: TFLM makes %llu of a plan of %llu",
                     (unsigned long long)seed,
                     (unsigned long long)r->again->micro.head_bytes,
                     (unsigned long long)r->plan.head_bytes);
        }
        sum->gained += r->plan.head_bytes < r->micro.head_bytes;
        if (!bake_rig_judge(r->again, &peer)) {
            ++sum->unsound;
        }
    }
    bake_rig_free(r);
    mb_free(b);
}

static void random_models_never_lose(void **state)
{
    (void)state;
    static const berth_bake_options ways[] = {
        {0}, {.in_place = true}, {.no_views = true}};
    for (size_t way = 0; way < 3; ++way) {
        tally sum = {0};
        for (uint64_t seed = 1; seed <= RANDOM_MODELS; ++seed) {
            try_random(seed, &ways[way], &sum);
        }
        print_message("way %zu: %u models, %u gained, %u unsound\n", way,
                      sum.tried, sum.gained, sum.unsound);
        assert_true(sum.tried > RANDOM_MODELS / 2);
        assert_true(sum.gained > 0);
        assert_int_equal(sum.unsound, 0);
    }
}

/* --- memory -----------------------------------------------------------------
 */

static void any_smaller_memory_is_refused_cleanly(void **state)
{
    (void)state;
    static const int32_t sizes[] = {64, 32, 64};
    mb *b = chain_of(sizes, 3);
    bake_rig *r = bake_rig_new(mb_finish(b));
    size_t need = 0;
    assert_int_equal(berth_bake_solve_bytes(&r->graph, &r->micro, &need, NULL),
                     BERTH_OK);
    for (size_t lent = 0; lent <= need; ++lent) {
        uint8_t *memory = malloc(lent == 0 ? 1 : lent);
        int32_t offset[3] = {7, 7, 7};
        berth_bake_plan plan = {.offset = offset, .head_bytes = 7};
        berth_diag diag = berth_diag_none();
        const berth_status status =
            berth_bake_solve(&r->graph, &r->micro, NULL,
                             berth_work_of(memory, lent), &plan, &diag);
        if (lent < need) {
            assert_int_equal(status, BERTH_NO_SPACE);
            assert_int_equal(diag.needed_bytes, need);
            assert_int_equal(offset[0] + offset[2] + (int)plan.head_bytes, 21);
        } else {
            assert_int_equal(status, BERTH_OK);
        }
        free(memory);
    }
    bake_rig_free(r);
    mb_free(b);
}

/* The need holds from whatever address the memory starts. */
static void any_address_of_the_memory_will_do(void **state)
{
    (void)state;
    static const int32_t sizes[] = {64, 32, 64, 96};
    mb *b = chain_of(sizes, 4);
    bake_rig *r = bake_rig_new(mb_finish(b));
    size_t need = 0;
    assert_int_equal(berth_bake_solve_bytes(&r->graph, &r->micro, &need, NULL),
                     BERTH_OK);
    for (size_t shift = 0; shift < 16; ++shift) {
        uint8_t *memory = malloc(need + shift);
        int32_t offset[4];
        berth_bake_plan plan = {.offset = offset};
        assert_int_equal(berth_bake_solve(&r->graph, &r->micro, NULL,
                                          berth_work_of(memory + shift, need),
                                          &plan, NULL),
                         BERTH_OK);
        free(memory);
    }
    bake_rig_free(r);
    mb_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_of_a_mobilenet_is_a_quarter_smaller),
        cmocka_unit_test(a_reshape_shares_one_address),
        cmocka_unit_test(a_reshape_may_outlive_its_reader),
        cmocka_unit_test(in_place_only_when_asked),
        cmocka_unit_test(in_place_never_without_a_licence),
        cmocka_unit_test(a_variable_of_a_later_subgraph_gets_its_memory),
        cmocka_unit_test(a_model_of_nothing_has_a_plan_of_nothing),
        cmocka_unit_test(sixty_five_thousand_operators),
        cmocka_unit_test(random_models_never_lose),
        cmocka_unit_test(any_smaller_memory_is_refused_cleanly),
        cmocka_unit_test(any_address_of_the_memory_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

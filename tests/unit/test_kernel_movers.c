/* Operators that move, on models that make no sense: any shapes, parameters and
 * options, constants or fed in. They are refused by a stage or by the kernel's
 * check, tell of bad data, or run; never more (AddressSanitizer and UBSan look,
 * every tensor lies in memory of its own). All of that has to happen. */
#include "model_builder.h"
#include "naive.h"
#include "random_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 1200, RANK_MAX = 4, VALUES_MAX = 16, OPTIONS_MAX = 5 };

/* T: a tensor; p: a parameter of int32 or int64. */
typedef struct mover {
    uint32_t code;
    const char *inputs;
    uint32_t outputs;
    berth_option options[OPTIONS_MAX];
    uint32_t option_count;
    bool by_value; /* fed parameters leave no shape to plan */
} mover;

#define OPTION(field)   {BERTH_OPT_##field}, 1
#define OPTIONS_2(a, b) {BERTH_OPT_##a, BERTH_OPT_##b}, 2
#define NO_OPTION       {BERTH_OPT_AddOptions_pot_scale_int16}, 0

static const mover movers[] = {
    {BERTH_OP_TRANSPOSE, "Tp", 1, NO_OPTION, true},
    {BERTH_OP_SLICE, "Tpp", 1, NO_OPTION, false},
    {BERTH_OP_STRIDED_SLICE,
     "Tppp",
     1,
     {BERTH_OPT_StridedSliceOptions_begin_mask,
      BERTH_OPT_StridedSliceOptions_end_mask,
      BERTH_OPT_StridedSliceOptions_ellipsis_mask,
      BERTH_OPT_StridedSliceOptions_new_axis_mask,
      BERTH_OPT_StridedSliceOptions_shrink_axis_mask},
     5,
     true},
    {BERTH_OP_TILE, "Tp", 1, NO_OPTION, true},
    {BERTH_OP_BROADCAST_TO, "Tp", 1, NO_OPTION, true},
    {BERTH_OP_REVERSE_V2, "Tp", 1, NO_OPTION, false},
    {BERTH_OP_CONCATENATION, "TTT", 1, OPTION(ConcatenationOptions_axis),
     false},
    {BERTH_OP_PACK, "TT", 1,
     OPTIONS_2(PackOptions_axis, PackOptions_values_count), false},
    {BERTH_OP_UNPACK, "T", 2, OPTIONS_2(UnpackOptions_axis, UnpackOptions_num),
     false},
    {BERTH_OP_SPLIT, "pT", 2, OPTION(SplitOptions_num_splits), true},
    {BERTH_OP_SPLIT_V, "Tpp", 3, OPTION(SplitVOptions_num_splits), true},
    {BERTH_OP_GATHER, "Tp", 1,
     OPTIONS_2(GatherOptions_axis, GatherOptions_batch_dims), false},
    {BERTH_OP_GATHER_ND, "Tp", 1, NO_OPTION, false},
    {BERTH_OP_PAD, "Tp", 1, NO_OPTION, true},
    {BERTH_OP_PADV2, "TpT", 1, NO_OPTION, true},
    {BERTH_OP_MIRROR_PAD, "Tp", 1, OPTION(MirrorPadOptions_mode), true},
    {BERTH_OP_SPACE_TO_DEPTH, "T", 1, OPTION(SpaceToDepthOptions_block_size),
     false},
    {BERTH_OP_DEPTH_TO_SPACE, "T", 1, OPTION(DepthToSpaceOptions_block_size),
     false},
    {BERTH_OP_RESIZE_BILINEAR, "Tp", 1,
     OPTIONS_2(ResizeBilinearOptions_align_corners,
               ResizeBilinearOptions_half_pixel_centers),
     true},
    {BERTH_OP_RESIZE_NEAREST_NEIGHBOR, "Tp", 1,
     OPTIONS_2(ResizeNearestNeighborOptions_align_corners,
               ResizeNearestNeighborOptions_half_pixel_centers),
     true},
    {BERTH_OP_SPACE_TO_BATCH_ND, "Tpp", 1, NO_OPTION, true},
    {BERTH_OP_BATCH_TO_SPACE_ND, "Tpp", 1, NO_OPTION, true},
    {BERTH_OP_FILL, "pT", 1, NO_OPTION, true},
    {BERTH_OP_ONE_HOT, "ppTT", 1, OPTION(OneHotOptions_axis), true},
    {BERTH_OP_SCATTER_ND, "pTp", 1, NO_OPTION, true},
    {BERTH_OP_DYNAMIC_UPDATE_SLICE, "TTp", 1, NO_OPTION, false},
    {BERTH_OP_EMBEDDING_LOOKUP, "pT", 1, NO_OPTION, false},
    {BERTH_OP_TOPK_V2, "Tp", 2, NO_OPTION, true},
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return seed_below(seed, n);
}

static int32_t small_value(uint64_t *seed)
{
    static const int32_t extremes[] = {INT32_MIN, INT32_MAX, -1, 0x10000};
    return below(seed, 24) == 0 ? extremes[below(seed, 4)]
                                : (int32_t)below(seed, 6) - 1;
}

static size_t some_dims(uint64_t *seed, int32_t *dims, size_t rank)
{
    for (size_t i = 0; i < rank; ++i) {
        dims[i] = below(seed, 12) == 0 ? 0 : 1 + (int32_t)below(seed, 4);
    }
    return rank;
}

/* A parameter as long as `rank`, twice as long, of one element, or anything. */
static int32_t add_parameter(mb *b, uint64_t *seed, size_t rank, bool *fed,
                             bool fixed)
{
    int32_t values[VALUES_MAX];
    int32_t dims[2] = {(int32_t)rank, 2};
    size_t axes = 1;
    const uint32_t kind = below(seed, 8);
    if (kind < 2) {
        axes = 2;
    } else if (kind < 4) {
        dims[0] = 1 + (int32_t)below(seed, 3);
    } else if ((kind == 4 || kind == 6) && rank > 2) {
        dims[0] = (int32_t)rank - 2;
    } else if (kind == 5) {
        axes = 0;
    }
    size_t count = 1;
    for (size_t i = 0; i < axes; ++i) {
        count *= (size_t)dims[i];
    }
    const bool equal = below(seed, 2) == 0;
    const int32_t value = (int32_t)below(seed, 3);
    for (size_t i = 0; i < count; ++i) {
        values[i] = equal ? value : small_value(seed);
    }
    *fed = !fixed && below(seed, 6) == 0;
    mb_tensor_spec spec = {.type = BERTH_INT32, .shape = {dims, axes}};
    if (!*fed) {
        spec.data = values;
        spec.data_bytes = count * sizeof(values[0]);
    }
    return mb_tensor(b, 0, spec);
}

static berth_bytes make_strange(mb *b, const mover *m, uint64_t *seed)
{
    static const berth_type types[] = {BERTH_FLOAT32, BERTH_INT8, BERTH_INT16,
                                       BERTH_INT64, BERTH_UINT8};
    const berth_type type = types[below(seed, 5)];
    const size_t rank = below(seed, RANK_MAX + 1);
    const bool alike = below(seed, 2) == 0; /* all tensors have one shape */
    int32_t dims[RANK_MAX];
    int32_t in[8];
    int32_t out[4];
    int32_t fed[8];
    size_t feeds = 0;
    mb_option options[OPTIONS_MAX];
    const size_t inputs = strlen(m->inputs);
    (void)mb_subgraph(b, "main");
    some_dims(seed, dims, rank);
    for (size_t i = 0; i < inputs; ++i) {
        bool is_fed = true;
        if (m->inputs[i] == 'T') {
            const size_t own = alike ? rank : below(seed, RANK_MAX + 1);
            if (!alike) {
                some_dims(seed, dims, own);
            }
            in[i] = mb_tensor(
                b, 0, (mb_tensor_spec){.type = type, .shape = {dims, own}});
        } else {
            in[i] = add_parameter(b, seed, rank, &is_fed, m->by_value);
        }
        if (is_fed) {
            fed[feeds++] = in[i];
        }
    }
    for (uint32_t k = 0; k < m->outputs; ++k) {
        const bool known = below(seed, 4) == 0;
        const bool indexes = m->code == BERTH_OP_TOPK_V2 && k == 1;
        int32_t shape[RANK_MAX];
        const size_t own = some_dims(seed, shape, below(seed, RANK_MAX + 1));
        out[k] =
            mb_tensor(b, 0,
                      (mb_tensor_spec){.type = indexes ? BERTH_INT32 : type,
                                       .shape = {shape, known ? own : 0},
                                       .no_rank = !known});
    }
    for (uint32_t i = 0; i < m->option_count; ++i) {
        options[i] = (mb_option){m->options[i], .value = small_value(seed)};
    }
    mb_op(b, 0,
          (mb_op_spec){.code = m->code,
                       .version = m->code == BERTH_OP_BROADCAST_TO ? 2 : 1,
                       .inputs = {in, inputs},
                       .outputs = {out, m->outputs},
                       .options = {options, m->option_count}});
    mb_io(b, 0, (mb_ints){fed, feeds}, (mb_ints){out, m->outputs});
    return mb_finish(b);
}

static void feed(const naive *n, uint64_t *seed)
{
    for (uint32_t i = 0; i < naive_input_count(n); ++i) {
        const naive_tensor to = naive_input(n, i);
        for (uint64_t k = 0; k < to.bytes; ++k) {
            const bool low = to.type != BERTH_INT32 || k % 4 == 0;
            to.data[k] = low ? (uint8_t)below(seed, 5) : 0;
        }
    }
}

static bool run_strange(const mover *m, uint64_t seed, bool *opened)
{
    char why[256] = "";
    mb *b = mb_new();
    naive *n = naive_open(make_strange(b, m, &seed), berth_kernels_opt(),
                          BERTH_PROFILE_LITERT, NULL, 0, why, sizeof(why));
    bool ran = false;
    *opened = n != NULL;
    if (n != NULL) {
        feed(n, &seed);
        ran = naive_run(n, why, sizeof(why));
        assert_true(ran || why[0] != '\0');
        naive_close(n);
    }
    mb_free(b);
    return ran;
}

static void strange_models_are_refused_or_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(movers) / sizeof(movers[0]); ++i) {
        uint32_t ran = 0;
        uint32_t refused = 0;
        for (uint32_t round = 0; round < ROUNDS; ++round) {
            bool opened = false;
            if (run_strange(&movers[i], round * 64 + i, &opened)) {
                ran += 1;
            } else if (opened) {
                refused += 1;
            }
        }
        if (ran == 0 || refused == 0) {
            fail_msg("%s: %" PRIu32 " of %d models ran, %" PRIu32
                     " were refused by the kernel",
                     berth_op_name(movers[i].code), ran, ROUNDS, refused);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strange_models_are_refused_or_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

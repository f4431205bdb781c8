#include "random_model.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_MAX = 96, RANK_MOST = 2, DEPTH_MOST = 2, VARS_MOST = 3 };

typedef struct random_tensor {
    int32_t id;
    uint32_t rank;
    int32_t dims[RANK_MOST];
} random_tensor;

/* The float tensors of a subgraph that an operator may read. */
typedef struct random_pool {
    random_tensor at[POOL_MAX];
    uint32_t count;
} random_pool;

typedef struct random_maker {
    mb *builder;
    uint64_t seed;
} random_maker;

uint32_t seed_below(uint64_t *seed, uint32_t n)
{
    /* splitmix64 */
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

static uint32_t below(random_maker *m, uint32_t n)
{
    return seed_below(&m->seed, n);
}

static int32_t elements(const random_tensor *t)
{
    int32_t count = 1;
    for (uint32_t i = 0; i < t->rank; ++i) {
        count *= t->dims[i];
    }
    return count;
}

static bool same_shape(const random_tensor *a, const random_tensor *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static random_tensor shaped(uint32_t rank, int32_t first, int32_t second)
{
    return (random_tensor){.rank = rank, .dims = {first, second}};
}

static int32_t declare(random_maker *m, uint32_t g, const random_tensor *t,
                       bool variable)
{
    return mb_tensor(m->builder, g,
                     (mb_tensor_spec){.name = "t",
                                      .type = BERTH_FLOAT32,
                                      .shape = {t->dims, t->rank},
                                      .is_variable = variable});
}

/* A new float tensor, in the pool. */
static int32_t add_tensor(random_maker *m, uint32_t g, random_pool *pool,
                          random_tensor t)
{
    t.id = declare(m, g, &t, false);
    if (pool->count < POOL_MAX) {
        pool->at[pool->count++] = t;
    }
    return t.id;
}

static int32_t add_ints(random_maker *m, uint32_t g, const int32_t *values,
                        int32_t count, bool scalar)
{
    return mb_tensor(m->builder, g,
                     (mb_tensor_spec){.name = "k",
                                      .type = BERTH_INT32,
                                      .shape = {&count, scalar ? 0 : 1},
                                      .data = values,
                                      .data_bytes = (size_t)count * 4});
}

/* Mostly one of the last few, so that models are deep. */
static random_tensor pick(random_maker *m, const random_pool *pool)
{
    const uint32_t window =
        below(m, 3) == 0 || pool->count < 4 ? pool->count : 4;
    return pool->at[pool->count - 1 - below(m, window)];
}

static void emit(random_maker *m, uint32_t g, uint32_t code, mb_ints in,
                 mb_ints out, mb_options options)
{
    mb_op(m->builder, g,
          (mb_op_spec){
              .code = code, .inputs = in, .outputs = out, .options = options});
}

/* --- operators --------------------------------------------------------- */

static void make_unary(random_maker *m, uint32_t g, random_pool *pool)
{
    static const uint32_t codes[] = {BERTH_OP_RELU, BERTH_OP_LOGISTIC,
                                     BERTH_OP_SOFTMAX, BERTH_OP_TANH,
                                     BERTH_OP_L2_NORMALIZATION};
    const random_tensor x = pick(m, pool);
    const int32_t y = add_tensor(m, g, pool, x);
    emit(m, g, codes[below(m, 5)], MB_INTS(x.id), MB_INTS(y), (mb_options){0});
}

static void make_binary(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor a = pick(m, pool);
    random_tensor b = pick(m, pool);
    for (uint32_t i = 0; i < pool->count && !same_shape(&a, &b); ++i) {
        b = pool->at[i];
    }
    if (!same_shape(&a, &b)) {
        b = a;
    }
    const int32_t y = add_tensor(m, g, pool, a);
    const uint32_t codes[] = {BERTH_OP_ADD, BERTH_OP_MUL, BERTH_OP_MAXIMUM};
    emit(m, g, codes[below(m, 3)], MB_INTS(a.id, b.id), MB_INTS(y),
         (mb_options){0});
}

static void make_reshape(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor x = pick(m, pool);
    const int32_t n = elements(&x);
    random_tensor to = shaped(1, n, 0);
    if (below(m, 2) == 0) {
        to = n % 2 == 0 && below(m, 2) == 0 ? shaped(2, 2, n / 2)
                                            : shaped(2, 1, n);
    }
    const int32_t shape = add_ints(m, g, to.dims, (int32_t)to.rank, false);
    const int32_t y = add_tensor(m, g, pool, to);
    emit(m, g, BERTH_OP_RESHAPE, MB_INTS(x.id, shape), MB_INTS(y),
         (mb_options){0});
}

static void make_concat(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor a = pick(m, pool);
    random_tensor b = pick(m, pool);
    if (a.rank != b.rank || (a.rank == 2 && a.dims[1] != b.dims[1])) {
        b = a;
    }
    if (elements(&a) > 512) {
        return;
    }
    random_tensor to = a;
    to.dims[0] += b.dims[0];
    const int32_t y = add_tensor(m, g, pool, to);
    emit(m, g, BERTH_OP_CONCATENATION, MB_INTS(a.id, b.id), MB_INTS(y),
         MB_OPTIONS({BERTH_OPT_ConcatenationOptions_axis, .value = 0}));
}

static void make_split(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor x = pick(m, pool);
    if (x.dims[0] % 2 != 0) {
        make_unary(m, g, pool);
        return;
    }
    random_tensor half = x;
    half.dims[0] /= 2;
    const int32_t axis = add_ints(m, g, (const int32_t[]){0}, 1, true);
    const int32_t a = add_tensor(m, g, pool, half);
    const int32_t b = add_tensor(m, g, pool, half);
    emit(m, g, BERTH_OP_SPLIT, MB_INTS(axis, x.id), MB_INTS(a, b),
         MB_OPTIONS({BERTH_OPT_SplitOptions_num_splits, .value = 2}));
}

/* Reads all of its input before it could write over it: no licence. */
static void make_tile(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor x = pick(m, pool);
    const int32_t times = 1 + (int32_t)below(m, 2);
    if (elements(&x) * times > 1024) {
        return;
    }
    random_tensor to = x;
    to.dims[x.rank - 1] *= times;
    int32_t multiples[RANK_MOST] = {1, 1};
    multiples[x.rank - 1] = times;
    const int32_t k = add_ints(m, g, multiples, (int32_t)x.rank, false);
    const int32_t y = add_tensor(m, g, pool, to);
    emit(m, g, BERTH_OP_TILE, MB_INTS(x.id, k), MB_INTS(y), (mb_options){0});
}

static void make_pad(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor x = pick(m, pool);
    const int32_t before = (int32_t)below(m, 3);
    const int32_t after = (int32_t)below(m, 3);
    const int32_t rank = (int32_t)x.rank;
    int32_t pads[2 * RANK_MOST] = {before, after, 0, 0};
    random_tensor to = x;
    to.dims[0] += before + after;
    const int32_t k = mb_tensor(m->builder, g,
                                (mb_tensor_spec){.name = "k",
                                                 .type = BERTH_INT32,
                                                 .shape = MB_INTS(rank, 2),
                                                 .data = pads,
                                                 .data_bytes = x.rank * 8});
    const int32_t y = add_tensor(m, g, pool, to);
    emit(m, g, BERTH_OP_PAD, MB_INTS(x.id, k), MB_INTS(y), (mb_options){0});
}

static void make_state(random_maker *m, uint32_t g, random_pool *pool)
{
    const random_tensor x = pick(m, pool);
    const int32_t v = declare(m, g, &x, true);
    const int32_t y = add_tensor(m, g, pool, x);
    emit(m, g, BERTH_OP_ADD, MB_INTS(x.id, v), MB_INTS(y), (mb_options){0});
}

/* --- calls ------------------------------------------------------------- */

static void make_ops(random_maker *m, uint32_t g, random_pool *pool,
                     uint32_t count, uint32_t depth);

/* A tensor of that shape: often another than the latest. */
static random_tensor find_shape(random_maker *m, const random_pool *pool,
                                const random_tensor *like)
{
    const uint32_t from = below(m, pool->count);
    for (uint32_t i = 0; i < pool->count; ++i) {
        const random_tensor *t = &pool->at[(from + i) % pool->count];
        if (same_shape(t, like)) {
            return *t;
        }
    }
    abort(); /* its own input is there */
}

/* A subgraph with inputs and outputs like vars, some operators between. */
static uint32_t make_callee(random_maker *m, const random_tensor *vars,
                            uint32_t count, uint32_t depth)
{
    const uint32_t g = mb_subgraph(m->builder, "callee");
    random_pool pool = {0};
    int32_t in[VARS_MOST];
    int32_t out[VARS_MOST];
    for (uint32_t i = 0; i < count; ++i) {
        in[i] = add_tensor(m, g, &pool, vars[i]);
    }
    make_ops(m, g, &pool, 1 + below(m, 4), depth + 1);
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = find_shape(m, &pool, &vars[i]).id;
    }
    mb_io(m->builder, g, (mb_ints){in, count}, (mb_ints){out, count});
    return g;
}

static uint32_t make_cond(random_maker *m, const random_tensor *vars,
                          uint32_t count)
{
    const uint32_t g = mb_subgraph(m->builder, "cond");
    random_pool pool = {0};
    int32_t in[VARS_MOST];
    for (uint32_t i = 0; i < count; ++i) {
        in[i] = add_tensor(m, g, &pool, vars[i]);
    }
    const int32_t axes =
        add_ints(m, g, (const int32_t[]){0, 1}, (int32_t)vars[0].rank, false);
    const int32_t sum = add_tensor(m, g, &pool, shaped(0, 0, 0));
    const float limit = 3;
    const int32_t k = mb_tensor(m->builder, g,
                                (mb_tensor_spec){.name = "k",
                                                 .type = BERTH_FLOAT32,
                                                 .data = &limit,
                                                 .data_bytes = 4});
    const int32_t yes = mb_tensor(
        m->builder, g, (mb_tensor_spec){.name = "yes", .type = BERTH_BOOL});
    emit(m, g, BERTH_OP_SUM, MB_INTS(in[0], axes), MB_INTS(sum),
         (mb_options){0});
    emit(m, g, BERTH_OP_LESS, MB_INTS(sum, k), MB_INTS(yes), (mb_options){0});
    mb_io(m->builder, g, (mb_ints){in, count}, MB_INTS(yes));
    return g;
}

static uint32_t pick_vars(random_maker *m, const random_pool *pool,
                          random_tensor *vars, int32_t *ids)
{
    const uint32_t count = 1 + below(m, VARS_MOST);
    for (uint32_t i = 0; i < count; ++i) {
        vars[i] = pick(m, pool);
        ids[i] = vars[i].id;
    }
    return count;
}

static void add_results(random_maker *m, uint32_t g, random_pool *pool,
                        const random_tensor *vars, uint32_t count, int32_t *out)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = add_tensor(m, g, pool, vars[i]);
    }
}

static void make_while(random_maker *m, uint32_t g, random_pool *pool,
                       uint32_t depth)
{
    random_tensor vars[VARS_MOST];
    int32_t in[VARS_MOST];
    int32_t out[VARS_MOST];
    const uint32_t count = pick_vars(m, pool, vars, in);
    const uint32_t cond = make_cond(m, vars, count);
    const uint32_t body = make_callee(m, vars, count, depth);
    add_results(m, g, pool, vars, count, out);
    emit(m, g, BERTH_OP_WHILE, (mb_ints){in, count}, (mb_ints){out, count},
         MB_OPTIONS(
             {BERTH_OPT_WhileOptions_cond_subgraph_index, .value = cond},
             {BERTH_OPT_WhileOptions_body_subgraph_index, .value = body}));
}

static void make_if(random_maker *m, uint32_t g, random_pool *pool,
                    uint32_t depth)
{
    random_tensor vars[VARS_MOST];
    int32_t in[VARS_MOST + 1];
    int32_t out[VARS_MOST];
    const uint32_t count = pick_vars(m, pool, vars, in + 1);
    const uint32_t then_ = make_callee(m, vars, count, depth);
    const uint32_t else_ =
        below(m, 4) == 0 ? then_ : make_callee(m, vars, count, depth);
    const bool yes = true;
    in[0] = mb_tensor(m->builder, g,
                      (mb_tensor_spec){.name = "p",
                                       .type = BERTH_BOOL,
                                       .shape = MB_INTS(1),
                                       .data = &yes,
                                       .data_bytes = 1});
    add_results(m, g, pool, vars, count, out);
    emit(m, g, BERTH_OP_IF, (mb_ints){in, count + 1}, (mb_ints){out, count},
         MB_OPTIONS({BERTH_OPT_IfOptions_then_subgraph_index, .value = then_},
                    {BERTH_OPT_IfOptions_else_subgraph_index, .value = else_}));
}

typedef void (*make_op)(random_maker *m, uint32_t g, random_pool *pool);

static void make_ops(random_maker *m, uint32_t g, random_pool *pool,
                     uint32_t count, uint32_t depth)
{
    static const make_op table[] = {make_unary,   make_unary,  make_binary,
                                    make_binary,  make_binary, make_reshape,
                                    make_reshape, make_concat, make_split,
                                    make_tile,    make_pad,    make_state};
    const uint32_t rows = sizeof(table) / sizeof(table[0]);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t row = below(m, depth < DEPTH_MOST ? rows + 2 : rows);
        if (row == rows) {
            make_while(m, g, pool, depth);
        } else if (row == rows + 1) {
            make_if(m, g, pool, depth);
        } else {
            table[row](m, g, pool);
        }
    }
}

berth_bytes random_model(mb *builder, uint64_t seed)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 8, 16, 24, 64};
    random_maker m = {builder, seed};
    const uint32_t g = mb_subgraph(builder, "main");
    random_pool pool = {0};
    int32_t in[3];
    int32_t out[3];
    const uint32_t inputs = 1 + below(&m, 3);
    for (uint32_t i = 0; i < inputs; ++i) {
        const int32_t n = sizes[below(&m, 8)];
        in[i] =
            add_tensor(&m, g, &pool,
                       below(&m, 2) == 0 ? shaped(1, n, 0) : shaped(2, 2, n));
    }
    make_ops(&m, g, &pool, 3 + below(&m, 10), 0);
    const uint32_t outputs = 1 + below(&m, 3);
    for (uint32_t i = 0; i < outputs; ++i) {
        out[i] = i == 0 ? pool.at[pool.count - 1].id : pick(&m, &pool).id;
    }
    mb_io(builder, g, (mb_ints){in, inputs}, (mb_ints){out, outputs});
    return mb_finish(builder);
}

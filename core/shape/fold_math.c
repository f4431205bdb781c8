/* core/shape/fold_math.c: element by element arithmetic on whole numbers, and
 * reductions. What would wrap is not known. */
#include "fold_int.h"

/* Longer operands of a reduction are data, not shapes. */
#define REDUCE_MAX_ELEMENTS 256u

typedef bool (*pair_fn)(int64_t a, int64_t b, int64_t *out);

/* Results stay far inside an int64_t, so that chains of them cannot wrap. */
static bool is_small(int64_t a)
{
    return a >= -(1ll << 31) && a <= 1ll << 31;
}

static bool pair_add(int64_t a, int64_t b, int64_t *out)
{
    *out = is_small(a) && is_small(b) ? a + b : 0;
    return is_small(a) && is_small(b);
}

static bool pair_sub(int64_t a, int64_t b, int64_t *out)
{
    *out = is_small(a) && is_small(b) ? a - b : 0;
    return is_small(a) && is_small(b);
}

static bool pair_mul(int64_t a, int64_t b, int64_t *out)
{
    *out = is_small(a) && is_small(b) ? a * b : 0;
    return is_small(a) && is_small(b);
}

/* Towards zero, as DIV of whole numbers does. */
static bool pair_div(int64_t a, int64_t b, int64_t *out)
{
    const bool sane = is_small(a) && b != 0;
    *out = sane ? a / b : 0;
    return sane;
}

static bool pair_floor_div(int64_t a, int64_t b, int64_t *out)
{
    if (!pair_div(a, b, out)) {
        return false;
    }
    *out -= a % b != 0 && (a < 0) != (b < 0) ? 1 : 0;
    return true;
}

static bool pair_floor_mod(int64_t a, int64_t b, int64_t *out)
{
    const bool sane = is_small(a) && b != 0;
    const int64_t rest = sane ? a % b : 0;
    *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return sane;
}

static bool pair_max(int64_t a, int64_t b, int64_t *out)
{
    *out = a > b ? a : b;
    return true;
}

static bool pair_min(int64_t a, int64_t b, int64_t *out)
{
    *out = a < b ? a : b;
    return true;
}

static bool pair_pow(int64_t a, int64_t b, int64_t *out)
{
    int64_t power = 1;
    if (b < 0 || b > 63) {
        return false;
    }
    for (int64_t i = 0; i < b; ++i) {
        if (!pair_mul(power, a, &power)) {
            return false;
        }
    }
    *out = power;
    return true;
}

#define PAIR_COMPARES(name, relation)                                          \
    static bool pair_##name(int64_t a, int64_t b, int64_t *out)                \
    {                                                                          \
        *out = (relation) ? 1 : 0;                                             \
        return true;                                                           \
    }

PAIR_COMPARES(less, a < b)
PAIR_COMPARES(less_equal, a <= b)
PAIR_COMPARES(greater, a > b)
PAIR_COMPARES(greater_equal, a >= b)
PAIR_COMPARES(equal, a == b)
PAIR_COMPARES(not_equal, a != b)
PAIR_COMPARES(and, a != 0 && b != 0)
PAIR_COMPARES(or, a != 0 || b != 0)
#undef PAIR_COMPARES

static const pair_fn pairs[BERTH_OP_CODE_COUNT] = {
    [BERTH_OP_ADD] = pair_add,
    [BERTH_OP_SUB] = pair_sub,
    [BERTH_OP_MUL] = pair_mul,
    [BERTH_OP_DIV] = pair_div,
    [BERTH_OP_FLOOR_DIV] = pair_floor_div,
    [BERTH_OP_FLOOR_MOD] = pair_floor_mod,
    [BERTH_OP_MAXIMUM] = pair_max,
    [BERTH_OP_MINIMUM] = pair_min,
    [BERTH_OP_POW] = pair_pow,
    [BERTH_OP_LESS] = pair_less,
    [BERTH_OP_LESS_EQUAL] = pair_less_equal,
    [BERTH_OP_GREATER] = pair_greater,
    [BERTH_OP_GREATER_EQUAL] = pair_greater_equal,
    [BERTH_OP_EQUAL] = pair_equal,
    [BERTH_OP_NOT_EQUAL] = pair_not_equal,
    [BERTH_OP_LOGICAL_AND] = pair_and,
    [BERTH_OP_LOGICAL_OR] = pair_or,
    /* Reductions, from their first element on. */
    [BERTH_OP_SUM] = pair_add,
    [BERTH_OP_REDUCE_PROD] = pair_mul,
    [BERTH_OP_REDUCE_MAX] = pair_max,
    [BERTH_OP_REDUCE_MIN] = pair_min,
    [BERTH_OP_REDUCE_ANY] = pair_or,
    [BERTH_OP_REDUCE_ALL] = pair_and,
};

/* A fused activation would change the numbers. */
static bool is_plain(const struct infer *in)
{
    return infer_option(in, BERTH_OPT_AddOptions_fused_activation_function) ==
               0 &&
           infer_option(in, BERTH_OPT_SubOptions_fused_activation_function) ==
               0 &&
           infer_option(in, BERTH_OPT_MulOptions_fused_activation_function) ==
               0 &&
           infer_option(in, BERTH_OPT_DivOptions_fused_activation_function) ==
               0;
}

static bool element_pair(struct folding *f, uint64_t o, int64_t *value)
{
    return is_plain(f->in) &&
           pairs[f->in->code](berth_fold_broadcast(f, 0, o),
                              berth_fold_broadcast(f, 1, o), value);
}

static bool element_neg(struct folding *f, uint64_t o, int64_t *value)
{
    return pair_sub(0, berth_values_at(&f->values[0], o), value);
}

static bool element_abs(struct folding *f, uint64_t o, int64_t *value)
{
    const int64_t a = berth_values_at(&f->values[0], o);
    return a < 0 ? pair_sub(0, a, value) : pair_add(a, 0, value);
}

static bool element_sign(struct folding *f, uint64_t o, int64_t *value)
{
    const int64_t a = berth_values_at(&f->values[0], o);
    *value = (a > 0 ? 1 : 0) - (a < 0 ? 1 : 0);
    return true;
}

static bool element_not(struct folding *f, uint64_t o, int64_t *value)
{
    *value = berth_values_at(&f->values[0], o) == 0 ? 1 : 0;
    return true;
}

/* The first version's condition may pick rows: known where it does not. */
static bool element_select(struct folding *f, uint64_t o, int64_t *value)
{
    if (f->in->code == BERTH_OP_SELECT && f->dims[0].rank == 1 &&
        f->dims[1].rank > 1) {
        return false;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if (f->dims[i].rank > f->out.rank) {
            return false; /* single elements of mixed ranks */
        }
    }
    *value =
        berth_fold_broadcast(f, berth_fold_broadcast(f, 0, o) != 0 ? 1 : 2, o);
    return true;
}

/* Does element `index` of the operand go into element `out` of the output? Its
 * axes are the operand's, less those that are reduced. */
static bool falls_into(const struct folding *f, const int64_t *index,
                       uint32_t gone, const int64_t *out)
{
    const bool keep = f->out.rank == f->dims[0].rank;
    uint32_t at = 0;
    for (uint32_t d = 0; d < f->dims[0].rank; ++d) {
        const bool reduced = (gone >> d & 1u) != 0;
        if (!reduced && index[d] != out[at]) {
            return false;
        }
        at += !reduced || keep ? 1u : 0u;
    }
    return true;
}

static bool element_reduce(struct folding *f, uint64_t o, int64_t *value)
{
    const pair_fn pair = pairs[f->in->code];
    int64_t out[BERTH_RANK_MAX] = {0};
    int64_t index[BERTH_RANK_MAX] = {0};
    uint32_t gone = 0;
    bool first = true;
    if (f->values[0].count > REDUCE_MAX_ELEMENTS) {
        return false;
    }
    for (uint64_t i = 0; i < f->values[1].count; ++i) {
        const int64_t axis = berth_values_at(&f->values[1], i);
        gone |= 1u << (axis < 0 ? axis + f->dims[0].rank : axis);
    }
    berth_fold_unravel(&f->out, o, out);
    for (uint64_t i = 0; i < f->values[0].count; ++i) {
        const int64_t a = berth_values_at(&f->values[0], i);
        berth_fold_unravel(&f->dims[0], i, index);
        if (!falls_into(f, index, gone, out)) {
            continue;
        }
        if (first) {
            *value = a;
            first = false;
        } else if (!pair(*value, a, value)) {
            return false;
        }
    }
    return !first; /* nothing to reduce has no value that we trust */
}

static const fold_fn unary[BERTH_OP_CODE_COUNT] = {
    [BERTH_OP_NEG] = element_neg,
    [BERTH_OP_ABS] = element_abs,
    [BERTH_OP_SIGN] = element_sign,
    [BERTH_OP_LOGICAL_NOT] = element_not,
    [BERTH_OP_SELECT] = element_select,
    [BERTH_OP_SELECT_V2] = element_select,
    [BERTH_OP_SUM] = element_reduce,
    [BERTH_OP_REDUCE_PROD] = element_reduce,
    [BERTH_OP_REDUCE_MAX] = element_reduce,
    [BERTH_OP_REDUCE_MIN] = element_reduce,
    [BERTH_OP_REDUCE_ANY] = element_reduce,
    [BERTH_OP_REDUCE_ALL] = element_reduce,
};

fold_fn berth_fold_math_of(uint32_t code)
{
    if (code >= BERTH_OP_CODE_COUNT) {
        return NULL;
    }
    if (unary[code] != NULL) {
        return unary[code];
    }
    return pairs[code] != NULL ? element_pair : NULL;
}

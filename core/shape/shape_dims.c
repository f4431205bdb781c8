/* core/shape/shape_dims.c: small arithmetic on shapes. */
#include "shape_int.h"

struct dims berth_dims_of(uint32_t rank, const int64_t *at)
{
    struct dims dims = {.rank = rank};
    for (uint32_t i = 0; i < rank && i < BERTH_RANK_MAX; ++i) {
        dims.at[i] = at[i];
    }
    return dims;
}

void berth_dims_erase(struct dims *dims, uint32_t axis)
{
    if (axis < dims->rank) {
        dims->rank -= 1;
        for (uint32_t i = axis; i < dims->rank; ++i) {
            dims->at[i] = dims->at[i + 1];
        }
    }
}

void berth_dims_insert(struct infer *in, struct dims *dims, uint32_t axis,
                       int64_t dim)
{
    if (dims->rank == BERTH_RANK_MAX || axis > dims->rank) {
        berth_infer_refuse(in);
        return;
    }
    for (uint32_t i = dims->rank; i > axis; --i) {
        dims->at[i] = dims->at[i - 1];
    }
    dims->at[axis] = dim;
    dims->rank += 1;
}

bool berth_dims_equal(const struct dims *a, const struct dims *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    for (uint32_t i = 0; i < a->rank; ++i) {
        if (a->at[i] != b->at[i]) {
            return false;
        }
    }
    return true;
}

struct dims berth_dims_broadcast(struct infer *in, const struct dims *a,
                                 const struct dims *b)
{
    const struct dims *longer = a->rank >= b->rank ? a : b;
    const struct dims *shorter = a->rank >= b->rank ? b : a;
    const uint32_t shift = longer->rank - shorter->rank;
    struct dims out = *longer;
    for (uint32_t i = 0; i < shorter->rank; ++i) {
        const int64_t x = longer->at[shift + i];
        const int64_t y = shorter->at[i];
        infer_need(in, x == y || x == 1 || y == 1);
        out.at[shift + i] = x == 1 ? y : x;
    }
    return out;
}

bool berth_dims_elements(const struct dims *dims, uint64_t *count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < dims->rank; ++i) {
        if (dims->at[i] < 0 ||
            !berth_mul_u64(product, (uint64_t)dims->at[i], &product)) {
            return false;
        }
    }
    *count = product;
    return true;
}

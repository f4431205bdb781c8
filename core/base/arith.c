/* Checked arithmetic for numbers that come from outside. Plain comparisons, no
 * compiler builtins: the core is C11 and nothing more. */
#include "berth/base.h"

bool berth_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b > UINT64_MAX - a) {
        return false;
    }
    *out = a + b;
    return true;
}

bool berth_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    /* Two factors below 2^32 cannot wrap; that spares nearly all divisions. */
    if (((a | b) >> 32) != 0 && a != 0 && b > UINT64_MAX / a) {
        return false;
    }
    *out = a * b;
    return true;
}

bool berth_round_up_u64(uint64_t value, uint64_t align, uint64_t *out)
{
    uint64_t padded = 0;
    if (!berth_add_u64(value, align - 1u, &padded)) {
        return false;
    }
    *out = padded & ~(align - 1u);
    return true;
}
